"""Persons whom a record names: fields, keys of data, owners of files, and words of e-mail addresses."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain
from typing import Final

from textveil.cuts import held_by
from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, both, either, holding, joined_words, places_of, with_words
from textveil.detection.given import shipped_words
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import check_time, lazy_regex, matches, matches_at, search, words_of

_SCORE: Final = 0.7

_NO_PERSON: Final = known.COMPANIES | known.COMPANY_ENDS | known.INSTITUTIONS | words_in("dependabot tbd todo")


def line_end(text: str, start: int) -> int:
    """Return where the line ends that a place lies in."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end


_PERSONS: Final = (
    "owner|maintainer|assignee|reviewer|approver|contact|author|coauthor|reporter|requester|contributor|committer|guest"
    "|recipient|passenger|patient|customer|employee|lead|manager|organizer|speaker|student|teacher|candidate|applicant"
)
"""Keys of one person; with an "s", of several."""
_GROUPS: Final = "cc|bcc|attendees|participants|invitees|watchers|members|users|escalation|stakeholders"
_BEFORE: Final = ("requested", "tech", "team", "account", "primary", "secondary", "backup")
_DONE_TO: Final = "assigned|escalated"
_DONE_BY: Final = (
    "reviewed|approved|reported|created|updated|merged|opened|closed|requested|submitted|signed|prepared|resolved"
    "|edited"
)
_KEY: Final = lazy_regex(
    rf"(?<![\w.-])(?i:(?:(?:{'|'.join(_BEFORE)})[_ -])?"
    rf"(?:on[_ -]?call|(?:{_PERSONS}|co-author)s?|{_GROUPS}|(?:{_DONE_TO})[_ -]?to|(?:{_DONE_BY})[_ -]?by))"
    r"[\"']?(?:[ \t]{0,2}:[ \t]{0,8}|[ \t]{0,8}=[ \t]{0,2})"
)
_BEFORE_KEY: Final = lazy_regex(r"(?:[\n{,(|>]|\A|\\n)[ \t]{0,24}(?:[-*#+] )?[\"'*]{0,2}\Z")
_LISTED: Final = lazy_regex(r"(?P<indent>[ \t]{0,24})(?:[-*+] |[0-9]{1,2}[.)] |(?P<key>[\w-]{1,24}: ))[ \t]{0,8}(?=\S)")
_BETWEEN: Final = lazy_regex(r"[^,;&|\[\]]+")
_ONE_NAME: Final = r"(?:(?:Mc|Mac|O'|D'|De|Di|La|Le|Van|Fitz)?[A-Z][a-z]+(?:['-][A-Za-z]?[a-z]+)*|[A-Z]{3,}|[A-Z]\.)"
_PERSON: Final = lazy_regex(
    rf"[ \t\n]{{0,200}}[\"']?(?P<name>{_ONE_NAME}(?: (?:(?:van|von|der|den|de|del|la|bin|al|el) )*{_ONE_NAME}){{0,3}}"
    r"|[a-z][a-z0-9_.-]{4,30})[\"']?[ \t\n]*(?=\Z|[(<#])"
)
_LONGEST: Final = 200
_LONGEST_LIST: Final = 4_000
_KEY_WORDS: Final = " ".join(
    (
        "oncall call",
        *(f"{word} {word}s" for word in _PERSONS.split("|")),
        *_GROUPS.split("|"),
        *(f"{word} {word}to" for word in _DONE_TO.split("|")),
        *(f"{word} {word}by" for word in _DONE_BY.split("|")),
    )
)
_BEGINS_KEY: Final = joined_words(f"{_KEY_WORDS} {' '.join(_BEFORE)} on co")
KEY_GATE: Final = both(with_words(_KEY_WORDS), holding(":", "="))


def find_people_under_keys(text: str) -> Iterator[Found]:
    """Names and logins that are the value of a key that holds persons, or items of it: on_call, "reviewers": [...]."""
    reached = scanned = 0
    places = (start for start, _ in places_of(text, _BEGINS_KEY))
    for key in matches_at(_KEY, text, places):
        if key.start() < reached or not _BEFORE_KEY.search(text, max(0, key.start() - 32), key.start()):
            continue
        if (several := text[key.end() : key.end() + 1] in ("[", "\n", "\r")) and key.start() < scanned:
            continue  # a list in a list
        for start, end in _values(text, key):
            scanned = max(scanned, end) if several else scanned
            person = _PERSON.match(text, start, end) if start >= reached else None
            kind = _kind(person["name"]) if person is not None else ""
            if person is not None and kind:
                reached = person.end()
                yield Found(*person.span("name"), kind, 0.6, "field")
            elif not several:
                break


def _values(text: str, key: re.Match[str]) -> Iterator[tuple[int, int]]:
    start = key.end()
    mark = text[start : start + 1]
    if mark in ("\r", "\n"):
        indent = key.start() - text.rfind("\n", max(0, key.start() - _LONGEST), key.start()) - 1
        yield from _lines_below(text, line_end(text, start) + 1, indent)
        return
    end = min(line_end(text, start), start + _LONGEST)
    if mark == "[":
        end = text.find("]", start, start + _LONGEST_LIST)
    elif mark in ("'", '"'):
        start += 1
        end = text.find(mark, start, end)
    elif text[start - 1] == "=":
        end = start + len(text[start:end].split(" ", 1)[0])
    yield from (item.span() for item in matches(_BETWEEN, text, start, max(start, end)))


def _lines_below(text: str, start: int, indent: int) -> Iterator[tuple[int, int]]:
    while start < len(text):
        check_time()
        if (item := _LISTED.match(text, start)) is None or (item["key"] and len(item["indent"]) <= indent):
            return
        end = line_end(text, start)
        yield from (part.span() for part in matches(_BETWEEN, text, item.end(), end))
        start = end + 1


def _kind(written: str) -> str:
    if written[0].islower():
        return "handle" if names_login(written) else ""
    return "person" if names_somebody(written) else ""


def names_somebody(written: str) -> bool:
    """Return whether each word of a value is a name, or none of English, of programs and of institutions."""
    words = [word.lower() for word in _PARTS.findall(written) if len(word) > 1 and word[0].isupper()]
    marks = [lists().words.get(word, 0) for word in words]
    known_word = len(words) == 1 and marks[0] & (Marks.KNOWN_PLACE | Marks.COMMON | Marks.GIVEN)
    if len(words) == 1 and (written.isupper() or known_word not in (0, Marks.GIVEN, Marks.COMMON | Marks.GIVEN)):
        return False
    return (
        words[:1] != []
        and words[0] not in known.FUNCTION_WORDS
        and all(
            word not in _NO_PERSON and (bool(mark & (Marks.GIVEN | Marks.FAMILY)) or not is_plain_form(word))
            for word, mark in zip(words, marks, strict=True)
        )
    )


_OWNER: Final = lazy_regex(
    r"(?:(?<![\w-])[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]{1,4}[0-9]{1,6}[ \t]{1,4}"
    r"|(?<![\w/])whoami[ \t]{0,4}\r?\n)(?P<name>[a-z][a-z0-9_.-]{2,30})(?!\S)"
)
_PROCESS: Final = lazy_regex(
    r"(?:(?<![^\n])|(?<=\\n))(?P<name>[a-z][a-z0-9_.-]{2,30}\+?)(?= {1,12}[0-9]{1,7}(?: {1,6}[0-9]{1,3}\.[0-9]){2} )"
)
OWNER_GATE: Final = holding("r--", "r-x", "---", "rw-", "rwx", "whoami", "0.0 ", "%CPU")


def find_owners(text: str) -> Iterator[Found]:
    """Users whom ``ls -l`` and ``ps`` name as owners, and ``whoami``."""
    for pattern in (_OWNER, _PROCESS):
        for match in matches(pattern, text):
            if names_user(match["name"]):
                yield Found(*match.span("name"), "handle", _SCORE, "field")


_PARTS: Final = lazy_regex(r"[^\W\d_]+")
_CAPITALIZED: Final = lazy_regex(r"(?<!\w)(?<!\w['\u2019-])[^\W\d_]++(?:['\u2019-][^\W\d_]++)*+(?!\w)")
_BESIDE: Final = frozenset((" ", ", "))
_ASCII: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "'": "", "\u2019": "", "-": ""})


def with_addressed(text: str, detected: list[Found], ordinary: Collection[str] = ()) -> list[Found]:
    """The spans of a text, and the capitalized words that are parts of its e-mail addresses: Ada, of ada.oz@mail.org.

    A word of English, or an ``ordinary`` one, is one only beside another part. A span that holds a part is one whatever
    its own score is.
    """
    parts: set[str] = set()
    for span in detected:
        if span.kind == "email":
            words = _PARTS.findall(_folded(text[span.start : span.end].partition("@")[0]))
            parts.update(
                word for word in words if len(word) > (2 if len(words) > 1 else 3) and word not in known.FUNCTION_WORDS
            )
    if not parts:
        return detected
    met = [match.span() for match in matches(_CAPITALIZED, text) if _is_part(match[0], parts)]
    held = held_by(text, detected)
    spans = [
        span._replace(score=max(span.score, _SCORE))
        if span.kind == "person"
        and (first := bisect_left(met, (span.start, 0))) < len(met)
        and met[first][1] <= span.end
        else span
        for span in detected
    ]
    for number, (start, end) in enumerate(met):
        beside = (number and text[met[number - 1][1] : start] in _BESIDE) or (
            number + 1 < len(met) and text[end : met[number + 1][0]] in _BESIDE
        )
        if held.find(1, start, end) < 0 and (
            beside or not (is_plain_word(text[start:end].lower()) or text[start:end].lower() in ordinary)
        ):
            spans.append(Found(start, end, "person", _SCORE, "address"))
    return sorted(spans)


def _folded(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.casefold()).translate(_ASCII)
    return (
        "".join(character for character in folded if not unicodedata.combining(character))
        if not folded.isascii()
        else folded
    )


def _is_part(word: str, parts: set[str]) -> bool:
    return word[0].isupper() and _folded(word) in parts


_USER: Final = lazy_regex(
    r"(?<![A-Za-z<])(?:[a-z]{1,12}[_.-])?(?:(?:[Uu]ser(?:[ _-]?(?:[Nn]ame|[Ii]d|login))?|[Ll]og[io]n|logname|uname|uid"
    r"|acct"
    r"|assignee|actor|principal|committer|[Oo]wner|[Aa]uthor|[Rr]eviewer|created_by|updated_by)(?:[\"']?:[ \t]{0,3}[\"'"
    r"]?|=[\"']?)|(?:invalid user|(?:for|of|by|as|from|unknown|illegal|disabled|locked|the) user|[Uu]sername(?: is)?"
    r"|[Ll]og(?:ged)? ?in as|logged in by|handle is)[ \t]{1,3}[\"'`]?|(?<![^\n])[ \t]{0,8}User[ \t]{1,3}"
    r"|(?<![\w-])[Uu]ser(?= [a-z]{5,30} (?:may|can|cannot|has|had|is|was|could|did|does|tried|logged)\b)[ ]"
    r"|(?<=[0-9] - )(?=[^ \n]{3,31} \[[0-9])|(?<=sudo:)[ \t]{1,8}|(?:TODO|FIXME|XXX"
    r"|HACK|NOTE)\([ \t]?@?|(?:[A-Z0-9]{1,16}_){0,3}(?:USER(?:_?NAME)?|LOGIN)(?:=|: )[\"']?"
    r"|(?:[Bb]enutzer(?:name|kennung)?|[Uu]tente|[Uu]suario|[Uu]tilisateur|[Ii]dentifiant|[Gg]ebruiker(?:snaam)?"
    r"|[Uu]zytkownik|[Gg]it[Hh]ub|[Gg]it[Ll]ab|[Ss]kype|[Ii]nstagram|[Tt]elegram|[Tt]witter)"
    r"(?: ?[:=] {0,3}| {1,8})[\"'@]?"
    r"|(?<=\n)[ \t]{0,8}(?:[a-z]{1,12}_)?(?:[Uu]ser(?:_?name)?|[Ll]ogin)[ \t]{1,20}=[ \t]?[\"']?"
    r"|(?i:(?:create|alter|drop) (?:user|role)(?: if (?:not )?exists)?) [\"'`]?"
    r"|(?<= )(?:-u|-l|--user(?:name)?|--login|--owner)[ =])"
    r"(?P<name>[a-z][a-z0-9_.-]{2,30})(?![\w("
    r"\[{<@/:*%$\\-]|\.\w| ?=|'t\b)"
)
_USER_WORDS: Final = joined_words(
    """user username userid userlogin login logon logname uname uid acct assignee actor principal committer owner author
    reviewer created updated log logged loggedin handle todo fixme xxx hack note benutzer benutzername
    benutzerkennung utente usuario utilisateur identifiant gebruiker gebruikersnaam uzytkownik github gitlab skype
    instagram telegram twitter role u l"""
)
"""One of these stands where ``_USER`` matches, or a bracket behind a space, or "sudo:" at the end of a word."""
_WITH: Final = {
    **dict.fromkeys(("todo", "fixme", "xxx", "hack", "note"), ("(",)),
    **dict.fromkeys(("created", "updated"), ("d_by",)),
    **{"u": ("-u",), "l": ("-l",), "log": ("in as",), "logged": ("in as", "in by"), "handle": ("handle is",)},
}
"""Words of these that prose has too, and what the text has besides where ``_USER`` matches."""
_SAID: Final = (
    r"(?:(?:publickey|password|keyboard-interactive(?:/pam)?) for (?:invalid user )?|session (?:opened"
    r"|closed) for user "
    r"|authenticating user |CRON\[[0-9]{1,7}\]: \(|[Uu]ser '|Account Name:\s{1,4}|acct=\""
)
_NAME: Final = r"(?P<name>[a-z][a-z0-9_.-]{2,30})(?![\w.@\\-])"
_LOGGED: Final = lazy_regex(
    rf"{_SAID}){_NAME}",
    holds=(
        "key for ", "word for ", "tive for ", "/pam for ", " for user ", "ating user ", "CRON[", "ser '",
        "Account Name:",
        'acct="',
    ),
)  # fmt: skip
"""Users in the words of logs, whatever stands behind them."""
_LOGGED_OR_OF_DOMAIN: Final = lazy_regex(rf"{_SAID}|(?<![\w\\])[A-Z][A-Z0-9]{{2,14}}\\{{1,2}}(?=[a-z])){_NAME}")
_DOMAIN: Final = lazy_regex(r"\\(?<=[A-Z0-9]{2}.)")
_DOTTED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:of|by|user|from|to|for|as|owner|login) (?P<login>(?P<first>[a-z]{3,15})\.(?P<second>[a-z]{3,20}))"
    r"(?![\w@(/=\[-]|\.\w)"
)
_POINT: Final = lazy_regex(r"\.(?<=[a-z]{3}.)[a-z]{3}")
"""A given name, a point and another word if somebody is named: payroll of oddvar.lien."""
_FILE_ENDS: Final = words_in(
    "com org net info txt json yaml yml html css csv pdf doc docx xml log conf toml ini sql java"
)
_FORUM: Final = lazy_regex(r"u/(?<![\w./-]..)(?P<name>[A-Za-z0-9_-]{3,20})(?![\w./-])")
_SERVICES: Final = """github gitlab skype telegram discord instagram insta twitter snapchat mastodon tiktok benutzer
    benutzername nutzer nutzername utilisateur identifiant usuario utente utilizador gebruiker gebruikersnaam uzytkownik
    anmeldename"""
_INSIDE: Final = frozenset("./@-_")
_SERVICE_WORDS: Final = joined_words(_SERVICES)
_ACCOUNT: Final = lazy_regex(
    r"(?: ?(?:[Ii][Dd]|[Nn]ame|[Uu]ser|[Hh]andle))?(?: ?:[ \t]{0,3}|[ \t]{2,20})(?P<name>[A-Za-z][A-Za-z0-9_.-]{3,30})"
    r"(?![\w/@:(]|[ ][a-z])"
)
"""Accounts behind the name of a service, or behind the word for a user in another language."""
_NAMED: Final = lazy_regex(
    r"(?i:(?:first|last|full|given|family|middle|sur|maiden|real|display|nick|patient|customer|contact|employee|client|holder)"
    r"[_ ]?name)[\"'`\])]{0,2}[ \t]{0,2}(?:=|:|==|=>|LIKE|like|ILIKE)[ \t]{0,3}[\"']"
    r"(?P<name>[A-Z][A-Za-z .'-]{1,40}?)%?[\"']",
    small=("name",),
)
_KEYED: Final = lazy_regex(
    r"(?i:(?<![A-Za-z])(?:first|last|given|family|middle|maiden)[_ -]?name|surname|forename)[\"'`]?"
    r"(?:[ \t]{0,2}[:=][ \t]{0,3}|>)[\"'`]?(?P<name>[A-Z][A-Za-z'-]{1,30}(?: [A-Z][A-Za-z'-]{1,30}){0,2})"
    r"(?=[\"'`]?[ \t]{0,4}(?:[\n,;&}<|\r)]|\Z)|[\"'] )",
    small=("name", "forename"),
)
"""A part of a name behind a key that nothing else has, whatever word it is: last_name: French."""
_NO_NAMES: Final = words_in(
    """string str text char varchar none null nil undefined true false required optional name first last full unknown
    number integer int bool boolean object any field value column label enter your empty missing todo"""
)
_TRAILER: Final = lazy_regex(
    r"(?<![^\n])[ \t]{0,8}(?:Signed-off|Reviewed|Acked|Tested|Reported|Suggested|Co-authored|Co-developed|Helped)-by: "
    r"(?P<name>[a-z][a-z'-]{0,15}\.?(?: [a-z][a-z'-]{0,20}\.?){0,2})(?=[ \t]{0,3}(?:<|\n|\Z))",
    holds=("-by: ",),
)
"""Names in small letters behind the words that end a commit's message; those with capitals are found anyway."""
_ROLES: Final = words_in(
    """user users usr uid username admin administrator root test tests tester svc service app api web www db bot ci
    name me myself you your my guest demo dev prod staging deploy deployer build builder runner nobody anonymous
    default system daemon node nginx apache postgres mysql redis oracle git ubuntu debian centos docker jenkins ec2
    vagrant ansible hadoop spark superuser sysadmin sudo none null undefined true false int str string bool self this
    id email uuid varchar auth login oauth jwt ftp ssh smtp http https localhost pi backup monitor agent worker client
    server some someone infra devops sre qa ops secops platform backend frontend core team teams release renovate
    dependabot systemd foo bar baz alice bob"""
)
_NAME_PARTS: Final = lazy_regex("[a-z]+")
_ORDINARY: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_RARE: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.KNOWN_PLACE)
_LISTED_PERSON: Final = int(Marks.GIVEN | Marks.FAMILY)
USER_GATE: Final = with_words(
    """user username userid login logon logname uname uid acct assignee actor principal committer owner author
    reviewer "
    "sudo publickey session authenticating cron
    github gitlab skype telegram discord instagram insta twitter snapchat mastodon tiktok benutzer
    benutzername benutzerkennung nutzer nutzername utilisateur identifiant usuario utente utilizador gebruiker
    gebruikersnaam uzytkownik anmeldename role created updated logged handle u l todo fixme xxx hack note"""
)
FIELD_GATE: Final = holding(
    "ame=", "ame =", "ame'", 'ame"', "ame:", "ame>", "ame`", "ame]", "ame)", "ame LIKE", "ame like", "ame ILIKE", "NAME"
)
PEOPLE_GATE: Final = either(
    either(USER_GATE, WithWords(lambda: _SERVICE_WORDS)),
    either(FIELD_GATE, holding("-by: ", '] "', "\\", "word for ", "ccount Name", "u/")),
)


def find_people_in_fields(text: str) -> Iterator[Found]:
    """Yield names of users and of persons, by start, none overlapping."""
    reached = 0
    for start, end, kind in sorted(_people(text)):
        if start >= reached:
            reached = end
            yield Found(start, end, kind, 0.7, "field")


def _people(text: str) -> Iterator[tuple[int, int, str]]:
    words = words_of(text)
    beside = chain.from_iterable(_WITH.get(word, ("",)) for word in _USER_WORDS & words)
    begun = " [" in text or "sudo:" in text or any(map(text.__contains__, beside))
    users = matches(_USER, text) if begun else ()
    logged = _LOGGED_OR_OF_DOMAIN if search(_DOMAIN, text) else _LOGGED
    for match in chain(users, matches(logged, text)):
        name = match["name"].rstrip("._-")
        if names_user(name):
            yield match.start("name"), match.start("name") + len(name), "handle"
    for match in matches(_DOTTED, text) if search(_POINT, text) else ():
        first = match["first"]
        marks = lists().words.get(first, 0)
        if marks & Marks.GIVEN and not marks & _ORDINARY and match["second"] not in _FILE_ENDS:
            yield *match.span("login"), "handle"
    for match in matches(_FORUM, text) if "u/" in text else ():
        yield *match.span(), "handle"
    for start, end in places_of(text, _SERVICE_WORDS):
        account = None if text[start - 1 : start] in _INSIDE else _ACCOUNT.match(text, end)
        name = "" if account is None else account["name"].rstrip("._-")
        if account is not None and names_user(name.lower()):
            yield account.start("name"), account.start("name") + len(name), "handle"
    for match in matches(_TRAILER, text):
        if names_user(match["name"].replace(" ", ".")) or " " in match["name"]:
            yield *match.span("name"), "person"
    for match in matches(_KEYED, text):
        if not any(part in _NO_NAMES for part in match["name"].lower().split()):
            yield *match.span("name"), "person"
    for match in matches(_NAMED, text):
        parts = re.findall("[a-z]+", match["name"].lower())
        if not all(part in _ROLES or part in _known() for part in parts):
            yield *match.span("name"), "person"


def is_plain_word(word: str) -> bool:
    """Return whether a word in small letters is one of English, of programs, or of roles."""
    return bool(lists().words.get(word, 0) & _ORDINARY) or word in _known() or word in _ROLES


def is_thing(word: str) -> bool:
    """Return whether a word in small letters is one of programs, of products or of roles."""
    return word in _known() or word in _ROLES


def is_role(word: str) -> bool:
    """Return whether a word in small letters is a role of a user, or what stands for any."""
    return word in _ROLES


def is_plain_form(word: str) -> bool:
    """Return whether a word in small letters is a plain one, or looks like its plural, third person or past."""
    return any(map(is_plain_word, (word, word.removesuffix("s"), word.removesuffix("led"))))  # initialled


def names_user(name: str) -> bool:
    """Tell if a login can be one person's: it is no role, and not made of words of English or of programs alone."""
    parts = _NAME_PARTS.findall(name)
    if any(part in _ROLES for part in parts) and "_" in name:
        parts = [part for part in parts if part not in _ROLES and len(part) > 3]  # gorm_admin
    if not parts or any(part in _ROLES for part in parts):
        return False
    marks_of = lists().words.get
    marks = [marks_of(part, 0) for part in parts]
    plain = [
        bool(mark & _ORDINARY) or part in _known() or len(part) < 2 for part, mark in zip(parts, marks, strict=True)
    ]
    if not all(plain):
        return True
    initial = len(parts[0]) == 1
    whole = len(marks) == 2 and "." in name and (initial or marks[0] & Marks.GIVEN) and marks[1] & Marks.FAMILY
    alone = len(marks) == 1 and marks[0] & _RARE == Marks.SMALL and marks[0] & (Marks.GIVEN | Marks.FAMILY)
    whole = whole or (alone and name not in _known())  # fitz
    return bool(whole) or (any(mark & _LISTED_PERSON for mark in marks) and any(map(str.isdigit, name)))


def holds_name(written: str) -> bool:
    """Tell if words with hyphens, points or lines between them hold a listed name that is no plain word: ablythe."""
    words = lists().words
    for part in re.findall("[a-z]{3,}", written.lower()):
        for name in (part, part.removesuffix("s")):
            family = len(name) > 4 and (words.get(name[1:], 0) | words.get(name[:-1], 0)) & Marks.FAMILY
            listed = words.get(name, 0) & _LISTED_PERSON or family
            if listed and not is_plain_form(part) and not is_plain_word(name):
                return True
    return False


def names_login(name: str) -> bool:
    """Tell if an item of a list of persons is a login: it can be one person's, and no part of it is a plain word."""
    return names_user(name) and not any(len(part) > 3 and is_plain_word(part) for part in _NAME_PARTS.findall(name))


@cache
def _known() -> frozenset[str]:
    return frozenset(word.lower() for name in ("programming", "products") for word in shipped_words(name))
