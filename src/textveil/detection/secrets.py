"""Secrets by their form: private keys, tokens by the beginnings of their issuers, and values that look drawn."""

import re
from collections.abc import Iterable, Iterator
from functools import wraps
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.detection.found import Found, Search, words_in
from textveil.detection.gates import holding, holding_in_runs, in_runs, matching
from textveil.detection.lists import lists
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import check_time, lazy_regex, matches


class Form(NamedTuple):
    """The characters that follow an issuer's prefix."""

    pattern: re.Pattern[str]  # of all of it, from ``before`` characters ahead of the beginning; bounded
    before: tuple[int, ...] = (0,)  # how many characters of it may stand ahead of the beginning, the most first
    mixed: bool = False  # whether what follows must look drawn, since the beginning alone also begins words


_WORD: Final = "[A-Za-z0-9_]"
_WIDE: Final = "[A-Za-z0-9_-]"
_TABLE: Final = (
    (r"[A-Z0-9]{16,20}(?![A-Za-z0-9])", "AKIA ASIA ABIA ACCA AROA AIDA AGPA ANPA"),
    (r"[A-Za-z0-9]{36}(?![A-Za-z0-9_])", "npm_"),
    (r"[A-Za-z0-9]{30,40}(?![A-Za-z0-9_])", "hf_"),
    (r"[A-Za-z0-9_]{16,255}", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ gsk_ r8_ glc_ glsa_ sbp_ nfp_ rubygems_ sntrys_"),
    (r"[A-Za-z0-9_]{16,255}", "dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_"),
    (r"[A-Za-z0-9_]{16,255}", "shppa_ lin_api_ ntn_ vercel_ pscale_tkn_ tfp_"),
    (r"[A-Za-z0-9_]{10,255}", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_"),
    (r"[A-Za-z0-9_]{10,255}", "pk_test_ whsec_ shippo_live_ shippo_test_ lsv2_"),
    (r"[A-Za-z0-9_-]{16,255}", "glpat- gldt- glft- glsoat- glrt- glcbt-"),
    (r"[A-Za-z0-9_-]{16,255}", "glimt- glptt- glagent- gloas- GR1348941 dckr_pat_"),
    (r"[A-Za-z0-9_-]{12,255}", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or-v1-"),
    (r"[A-Za-z0-9_-]{12,255}", "xai- pplx- figd_ pul- tskey- NRAK-"),
    (r"[A-Za-z0-9-]{10,255}", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp- xoxe.xoxb- xoxe.xoxp-"),
    (r"[A-Za-z0-9_-]{24,255}", "AIza GOCSPX- ya29. hvs. hvb. hvr. EAACEdEose0cBA"),
    (r"[A-Za-z0-9_-]{24,255}", "ATATT3 ATCTT3 sq0csp- sq0atp- EAAAE pypi-AgE"),
    (r"[A-Za-z0-9_-]{16,72}\.[A-Za-z0-9_-]{16,72}", "SG."),
    (r"[A-Za-z0-9]{8}-[A-Za-z0-9]{4}-[A-Za-z0-9-]{12,64}", "HRKU- AGE-SECRET-KEY-"),
    (r"[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
    (r"[0-9A-Z]{20,80}", "AGE-SECRET-KEY-1"),
    (r"[0-9a-f]{32}(?![A-Za-z0-9])", "dapi AC SK key-"),
    (r"[A-Za-z0-9_-]{6,4096}\.[A-Za-z0-9_-]{6,8192}(?:\.[A-Za-z0-9_-]{0,8192}){0,3}", "eyJ"),
    (
        r"[./A-Za-z0-9$=,+_-]{1,80}\$[./A-Za-z0-9+-]{16,128}={0,2}",
        "$apr1$ $1$ $5$ $6$ $y$ $argon2id$ $argon2i$ $scrypt$",
    ),
    (r"[0-9]{2}\$[./A-Za-z0-9]{50,56}", "$2a$ $2b$ $2y$"),
    (r"[A-Za-z0-9+/]{24,100}={0,2}", "{SSHA} {SSHA256} {SSHA512} {SHA} {MD5}"),
    (r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat"),
    (r"[0-9]{16}:[0-9a-f]{32}", "1/"),
    (r"[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{12,32}", "https://hooks.slack.com/services/T"),
    (r"[0-9]{15,20}/[A-Za-z0-9_-]{40,90}", "https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/"),
)
_MIXED: Final = words_in("""AROA AIDA AGPA ANPA ABIA ACCA gsk_ r8_ glc_ ntn_ vercel_ pul- xai-""")
FORMS: Final = MappingProxyType(
    {
        **{
            beginning: Form(lazy_regex(re.escape(beginning) + tail), (0,), beginning in _MIXED)
            for tail, beginnings in _TABLE
            for beginning in beginnings.split()
        },
        "sk-": Form(lazy_regex(r"sk-[A-Za-z0-9]{20,64}(?![A-Za-z0-9_-])"), (0,), True),
        ":AA": Form(lazy_regex(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])"), (10, 9, 8)),
        "Q~": Form(lazy_regex(r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"), (4,)),
        "-us": Form(lazy_regex(r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"), (32,)),
        "==": Form(lazy_regex(r"(?<![A-Za-z0-9+/-])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9=])"), (86,)),  # keys of 64 bytes
    }
)
"""By beginning, what is a secret. Public: it is what surrogates keep as it is."""
KEPT_BEGINNINGS: Final = tuple(
    sorted(sorted([beginning for beginning, form in FORMS.items() if form.before == (0,)]), key=len, reverse=True)
)
"""Beginnings at the start of a secret, the longest first."""
PEM_LABEL: Final = r"(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?"
"""The words between the hyphens of a private key's first line."""
_CLASSES: Final = lazy_regex("[0-9]+|[a-z]+|[A-Z]+")
PARTS: Final = lazy_regex("[A-Z]?[a-z]+|(?:(?![A-Z][a-z])[A-Z])+|[0-9]+")
"""The parts that a name of code is made of."""
_HEXADECIMAL: Final = lazy_regex("(?:[0-9a-f]{32,}|[0-9A-F]{32,})")
_ALPHABET: Final = lazy_regex(r"[A-Za-z0-9+/=_.~%-]+")
_WITHIN: Final = r"(?:\*{3}|\$\{|\{\{|%\(|your[_ -]|_here\b|-here\b|redacted|masked|placeholder|\.\.\.)"
_PLACEHOLDER: Final = lazy_regex(
    rf"(?i)[*x.#\xb7?-]{{2,}}|[<\[{{|].*|\$[({{\[].*|[$@&:]{{1,2}}[\w.:/>()\[\]{{}}-]*[;,]?|\*[A-Za-z_]+|(?:(?!{_WITHIN}).)*+{_WITHIN}.*"
    r"|%(?:[^A-Za-z0-9]|[A-Za-z_]{1,40}(?:%?\Z|%?[^A-Za-z0-9%])|[0-9a-f]{2}(?![A-Za-z0-9])|\d{0,3}[a-z]\Z).*"
    r"|(?:null|none|nil|undefined|true|false|yes|no|on|off|n/?a|tbd|todo|string|str|text|char|varchar|bytes?|int"
    r"|integer"
    r"|number|bool|boolean|any|object|array|dict|list|required|optional|default|empty|blank|unset|hidden|missing"
    r"|invalid"
    r"|pass|password|change[_-]?(?:me|it|this)|replace[_-]?(?:me|this)|passwd|passwort|pwd|passphrase|passcode"
    r"|secret|token|key|pin|value|username|user|email|login|unknown"
    r"|self|this|type|field|input|env|vault|secretstr|optional\[.*)[;,]?"
)
_MARKS_A_PLACE: Final = lazy_regex(
    r"(?i)\A[x0_*.-]{8,}\Z|x{8}|(?:\A|[_-])(?:your|example|placeholder|redacted|dummy|fake|mock|sample)(?:[_-]|\Z)"
    r"|[_-]here\b"
)
_REFERENCE: Final = lazy_regex(
    r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|->|::)[A-Za-z_][A-Za-z0-9_]*)+[;,]?|[^()\[\]{}\n]*+[()\[\]{}].*"
    r"|(?:(?!environ|getenv)[A-Za-z_])*+(?:environ|getenv).*"
)
_OF_SENTENCE: Final = lazy_regex(
    r".{0,50}(?:ed|ing)|the|and|for|you|your|not|too|with|that|this|must|was|are|has|have|can|does|did|one|our|any|from|should|"
    r"will|please|enter|user|name|login|wrong|match|least|characters|letters|.{0,50}(?:passw|secret|token|credential|key).{0,50}"
)
_DAYS: Final = words_in(
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow january february march"
)
_STATES: Final = words_in(
    """erforderlich notwendig falsch richtig ungultig gultig geheim sicher obligatoire requis incorrect facultatif perdu
    obligatoria obligatorio requerida incorrecta valida obrigatoria incorreta fraca obbligatoria richiesta vereist
    verplicht onjuist optioneel wymagane bledne opcjonalne"""
)
"""Words for a password in forms of other languages."""
_FIRST_OF_COMPOUNDS: Final = words_in(
    """case one two plain user company site self well non pre multi cross read write top time long auto re out up off
    double single high low full part hard soft built fool water same so what e not"""
)
_IDENTIFIER: Final = lazy_regex(r"[A-Za-z]+(?:[_-][A-Za-z]+)*")
_NAMES_ONE: Final = lazy_regex(r"(?i)passw|pwd|passphrase|passcode|secret|token|credential|api_?key")
_OF_MESSAGES: Final = frozenset(
    """CHANGE CONFIRM EMPTY ENTER ERR ERROR EXPIRED FORGOT FORGOTTEN HELP HINT INVALID LABEL LBL MESSAGE MISSING MSG NO
    PLACEHOLDER REPEAT REQUIRED RESET SHORT STR TEXT TITLE WEAK WRONG""".split()  # noqa: SIM905
)
"""Parts of a constant's name that is a message about a password."""
_OF_PROSE: Final = lazy_regex(
    r"(?i).*(?:ed|ing|able|ible|ive|ous|ful|less|ly|ory|ent|ant|al|en)|(?:not|too|so|very|in|at|on|of|for|from|to"
    r"|the|an?|"
    r"my|your|our|his|her|its|their|this|that|these|those|it|he|she|we|they|you|what|which|who|where|when|how|why"
    r"|if|as|"
    r"only|case|also|now|still|always|never|there|here|below|above|wrong|correct|incorrect|valid|weak|strong|safe|"
    r"secure|ok|okay|fine|good|bad|long|short|old|new|same|different|lost|set|unset|shared|public|private|unique|"
    r"minimum|maximum|online|offline|live|down|active|about|just|by|with|all|one|two|part|being|and|or|but|has|have"
    r"|had|does|did|will|can|must|may)"
)


_OF_PROSE_IN_PARTS: Final = words_in("to of by the in and for not up as on off per case")


def looks_drawn(value: str, shortest: int = 12) -> bool:
    """Return whether a string of letters and digits looks as if a machine drew it: its classes change often."""
    if len(value) < shortest or _ALPHABET.fullmatch(value) is None:
        return False
    if _HEXADECIMAL.fullmatch(value):
        return True
    runs = _CLASSES.findall(value)
    digits = sum(map(str.isdigit, value))
    often = digits * 9 >= len(value) or (len(runs) * 5 >= len(value) * 2 and len(value) >= 20)
    return (digits >= 2 and often and len(value) - digits >= 3 and len(runs) * 5 >= len(value)) or (
        len(value) >= 24 and digits < 2 and len(runs) * 5 >= len(value) * 2 and share_of_rarer_case(value) >= 0.36
    )


def share_of_rarer_case(value: str) -> float:
    """Return the share of capitals or of small letters among letters: near a half in base64, a fifth in names of code.

    One drawn key of 40 in a hundred has one digit or none, so that digits do not tell all.
    """
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return min(capitals, small) / max(1, capitals + small)


def is_scrambled(value: str) -> bool:
    """Return whether a value has marks, digits or capitals inside, and words make up less than half of its letters.

    So names of code are none, such as readTokenOfServer.
    """
    if len(value) < 10 or not has_marks(value):
        return False
    parts = [part for part in PARTS.findall(value) if part.isalpha()]
    known = lists().words.get
    worded = sum(len(part) for part in parts if len(part) > 2 and known(part.lower(), 0))
    return worded * 2 < sum(map(len, parts))


def is_unlike_prose(value: str) -> bool:
    """Return whether a word can hardly be one of a sentence: it has marks or several parts, or no list knows it."""
    parts = value.replace("_", "-").split("-")
    if has_marks(value) or "_" in value or len(parts) > 2:
        return not _OF_PROSE_IN_PARTS.intersection(map(str.lower, parts))
    return len(value) >= 6 and value.isalpha() and not lists().words.get(value.lower(), 0)


def is_placeholder(value: str) -> bool:
    """Return whether a value only marks the place of one: ``<password>``, ``${TOKEN}``, ``None``, a row of stars."""
    return _PLACEHOLDER.fullmatch(value) is not None or _MARKS_A_PLACE.search(value) is not None


def is_quoted_secret(value: str) -> bool:
    """Return whether what stands in quotes is a secret, and no message and no name of one."""
    if is_placeholder(value) or len(value) < 3:
        return False
    if " " in value:
        return (value.count(" ") < 3 and any(map(str.isdigit, value))) or is_phrase(value)
    return not (_NAMES_ONE.search(value) and _IDENTIFIER.fullmatch(value))


def is_worded_secret(name: str, value: str) -> bool:
    """Return whether words in quotes are the password that a name is set to, and no message about one."""
    words = [word.strip(",;&-'") for word in value.lower().split(" ")]
    if not 1 < len(words) < 10 or value[-1] in ".!?:…" or not _OF_MESSAGES.isdisjoint(name.upper().split("_")):
        return False
    about = [word for word in words if word != "and" and _OF_SENTENCE.fullmatch(word)]
    return len(about) * 3 < len(words) and _STATES.isdisjoint(words) and not is_placeholder(value)


def is_phrase(value: str) -> bool:
    """Return whether words in small letters are a phrase to remember, and no sentence."""
    words = value.split(" ")
    return len(words) < 7 and all(
        word.isalpha() and word.islower() and len(word) > 2 and not _OF_SENTENCE.fullmatch(word) for word in words
    )


_WORDS_BEHIND: Final = lazy_regex(
    r"[A-Za-z][A-Za-z'-]{1,24}(?: (?:&|[A-Za-z0-9][A-Za-z0-9'-]{0,24})){1,4}!?"
    r"(?=[ \t]{0,2}(?:[.,;)(\n\"'`\xb7|]|\Z|[#-] ))"
)
_NEVER_FIRST: Final = FUNCTION_WORDS | words_in(
    """gone lost broken known stuck stolen forgotten hidden taped shown key
    see ask same use stored kept saved known least minimum maximum case two three four five six eight ten
    der die das den dem des ein eine einen einer kein keine nicht noch schon wie siehe im in am bei auf von fur bitte
    immer gleich sehr zu mein meine dein ihr unser wird wurde mindestens muss frag le la les un une des mon ma mes
    votre notre pas trop voir dans sur chez en au aux toujours deja tres ne il elle demande el los las una uno mi su no
    muy en ver igual siempre ya pregunta lo gli non nel nella sul sempre gia molto vedi chiedi o os a as um uma meu
    minha na nao sempre ja muito pergunte de het een niet nog al te op bij zie vraag altijd nooit naar nie jest w we z
    na za do zobacz zawsze"""
)
"""Words with which a phrase about a password begins, and none that is one: "in the safe", "siehe Anhang"."""
_VERBS: Final = words_in(
    """is are was were be been has have had must should can cannot may will would do does did not wont isnt please ist
    sind war hat haben muss soll kann wird wurde nicht est sont etait doit peut pas es son era debe puede sono deve puo
    non sao foi deve pode nao zijn heeft moet kan niet jest byl musi nie to contain contains expires expired"""
)
"""Words that make a sentence of others."""


def phrase_behind(text: str, place: int, *, said: bool) -> str:
    """Return the words that stand as a password at a place, up to the end of their clause; empty for a sentence.

    ``said``: a verb stands before them, behind which English words may tell of a password what it is like.
    """
    if (match := _WORDS_BEHIND.match(text, place)) is None:
        return ""
    words = match[0].lower().rstrip("!").split(" ")
    if words[0] in _NEVER_FIRST or words[-1] in _NEVER_FIRST or not _VERBS.isdisjoint(words):
        return ""
    about = (
        any(_OF_SENTENCE.fullmatch(word) and not word.endswith("key") for word in words)
        or words[0] in _STATES
        or words[0] in _DAYS
    )
    return "" if about or (said and any(map(_OF_PROSE.fullmatch, (words[0], words[-1])))) else match[0]


def is_bare_secret(value: str, *, alone: bool, setting: bool = False) -> bool:
    """Return whether what stands behind a sign without quotes is a secret, and no expression of code.

    ``alone``: name, sign and value are all of a line. ``setting``: they are a setting, in which any word is a value.
    """
    if is_placeholder(value) or len(value) < 3 or "environ" in value:
        return False
    if _REFERENCE.fullmatch(value):
        worded = (setting or alone) and any(map(str.isdigit, value)) and not _NAMES_ONE.search(value)
        drawn = worded or any(looks_drawn(part, 16) for part in value.split("."))
        return drawn and not set(value) & set("()[]{}") and "env" not in value
    named = _NAMES_ONE.search(value) is not None
    if "_" in value and value.isidentifier() and named:
        return False
    if _IDENTIFIER.fullmatch(value.rstrip("0123456789") if named else value):
        said = setting or has_marks(value) or not (_OF_PROSE.fullmatch(value) or value.lower() in _STATES)
        return (setting or alone) and said and (not named or value[-1].isdigit())
    return has_marks(value)


def is_said_secret(value: str) -> bool:
    """Return whether a word behind "password is" is one: it has a digit, a mark or capitals inside."""
    code = _REFERENCE.fullmatch(value) is not None and not (
        value.isascii() and any(map(str.isdigit, value)) and "." in value
    )
    return not is_placeholder(value) and len(value) >= 4 and not code and has_marks(value)


def is_dotted_phrase(value: str) -> bool:
    """Return whether three words or more with points between them are a phrase, and no path into a program's data."""
    parts = value.split(".")
    known = lists().words.get
    return (
        len(parts) > 2
        and all(
            part.isalpha() and part.islower() and len(part) > 2 and part not in _OF_DATA and not _NAMES_ONE.search(part)
            for part in parts
        )
        and sum(bool(known(part, 0)) for part in parts) > 1
    )


_OF_DATA: Final = words_in(
    """config conf settings env process app self this auth value values data user request options context session
    params args com org net www http spec metadata name"""
)


def is_said_word(value: str) -> bool:
    """Return whether a plain word that ends a sentence behind "password is" can be one, and says nothing about it."""
    first, _, last = value.partition("-")
    compound = last.isalpha() and first.isalpha() and first.lower() not in _FIRST_OF_COMPOUNDS
    worded = (value.isalpha() or compound) and _OF_PROSE.fullmatch(value) is None and value.lower() not in _STATES
    plain = worded or (not value.isalpha() and is_unlike_prose(value))
    return plain and len(value) >= 5 and not is_placeholder(value) and value.lower() not in _DAYS


def has_marks(value: str) -> bool:
    """Return whether a value has a digit, a mark inside, or a capital behind a small letter."""
    inner = value[1:]
    marks = any(not character.isalnum() and character not in "-_'./" for character in value)
    return any(map(str.isdigit, value)) or marks or (any(map(str.isupper, inner)) and not value.isupper())


SURE: Final = 0.95

_LONGEST_KEY: Final = 20_000

PEM_GATE: Final = holding("-----BEGIN ", "PuTTY-User-Key-File-")
_PEM: Final = lazy_regex(rf"-----BEGIN {PEM_LABEL}-----(?:\\r|\\n|\s){{0,4}}")
_PEM_BODY: Final = lazy_regex(r"(?:[A-Za-z0-9+/=]{16,128}(?:\\r|\\n|\s){0,4}){1,400}")
_PUTTY: Final = lazy_regex(r"PuTTY-User-Key-File-[0-9]:[^\n]{0,80}\n(?:[A-Za-z0-9+/=:@_. -]{1,200}\r?\n?){1,400}")


def places(text: str, words: Iterable[str]) -> Iterator[int]:
    """Yield where a text has one of some words, word by word."""
    for word in words:
        check_time()
        place = text.find(word)
        while place >= 0:
            yield place
            place = text.find(word, place + 1)


def apart(search: Search) -> Search:
    """Return a search without spans that begin before the last one ends: the earlier counts, then the longer one."""

    @wraps(search)
    def find(text: str) -> Iterator[Found]:
        end = 0
        for span in sorted(search(text), key=lambda span: (span.start, -span.end)):
            if span.start >= end:
                yield span
                end = span.end

    return find


@apart
def find_private_keys(text: str) -> Iterator[Found]:
    """Private keys, each whole from its first line to its last: PEM, and the files of PuTTY."""
    end = 0
    for place in places(text, ("-----BEGIN ",)):
        first = _PEM.match(text, place) if place >= end else None
        if first is None:
            continue
        last = text.find("-----END ", first.end(), first.end() + _LONGEST_KEY)
        stop = text.find("-----", last + 9, last + 60) if last >= 0 else -1
        if stop >= 0:
            end = stop + 5
        else:  # cut off in the middle
            body = _PEM_BODY.match(text, first.end())
            end = place + len(text[place : (body or first).end()].rstrip())
        yield Found(place, end, "secret", SURE, "shape")
    for place in places(text, ("PuTTY-User-Key-File-",)):
        match = _PUTTY.match(text, place) if place >= end else None
        if match is not None:
            end = place + len(match[0].rstrip())
            yield Found(place, end, "secret", SURE, "shape")


_DRAWN: Final = lazy_regex(
    r"(?:(?<=[:=] )|(?<=[:=])|(?<=[:=] [\"'])|(?<=[:=][\"']))(?<!://)[A-Za-z0-9+/_-]{32,100}={0,2}(?![A-Za-z0-9+/_=.@:-])"
)
_PUBLIC_BEFORE: Final = lazy_regex(
    r"(?i)(?:integrity|check ?sum|sha-?[0-9]*|digest|hash|md5|e?tag|fingerprint|nonce|cursor|resolved|rev(?:ision)?"
    r"|commit|image|content|body|signature|change-id|thumbprint|uuid|build|trace|span|session|url|path|data"
    r"|cert(?:ificate)?|public[ _-]?key|seed|vector|id)[\"']? ?[:=] ?[\"']?\Z"
)
DRAWN_GATE: Final = in_runs("[A-Za-z0-9+/_-]{32}")


def find_drawn(text: str) -> Iterator[Found]:
    """Yield long values that look drawn by a machine, in letters of both cases, behind a label in any language."""
    for match in matches(_DRAWN, text):
        value = match[0].rstrip("=")
        mixed = any(map(str.isupper, value)) and any(map(str.islower, value)) and "--" not in value
        if not mixed or not looks_drawn(value, 32) or _MARKS_A_PLACE.search(value):
            continue
        if _PUBLIC_BEFORE.search(text, max(0, match.start() - 24), match.start()) is None:
            yield Found(*match.span(), "secret", 0.6, "shape")


TOKEN_GATE: Final = holding_in_runs(*FORMS)


@apart
def find_tokens(text: str) -> Iterator[Found]:
    """Keys and tokens that begin as their issuers write them: AWS, GitHub, OpenAI, Slack, Stripe and others."""
    for beginning, form in FORMS.items():
        reached = 0
        for place in places(text, (beginning,)):
            starts = [start for start in (place - before for before in form.before) if start >= reached]
            begun = [
                start for start in starts if not start or not (text[start - 1].isalnum() or text[start - 1] in "_-")
            ]
            if (match := next(filter(None, (form.pattern.match(text, start) for start in begun)), None)) is None:
                continue
            start = match.start()
            written = match[0].rstrip("-._")
            behind = written[len(beginning) :]
            if _MARKS_A_PLACE.search(behind) is None and (not form.mixed or looks_drawn(behind)):
                reached = start + len(written)
                yield Found(start, reached, "secret", SURE, "shape")


_PREFIXED: Final = lazy_regex(
    r"(?<![A-Za-z0-9_./-])(?:(?P<secret>sk|pk|rk|key|api|tok|token|secret|auth|at|rt|sess|session|lic)|cus|usr|user|acct"
    r"|account|cust|customer|mem|member|pat|patient|emp|ord|order|sub|pm|card|ba|txn|contact|lead|person|inv|pay|ch|pi)"
    r"_(?:(?:test|live|prod|stage|staging|dev|sandbox|key|secret)_)?(?P<drawn>[A-Za-z0-9]{8,64})(?![A-Za-z0-9_])",
    holds=("_",),
)
_FEWEST_CLASSES: Final = 4
PREFIXED_GATE: Final = matching(r"[a-z]_(?:[a-z]{3,7}_)?[A-Za-z0-9]{0,8}[0-9]", amid="_")


def find_prefixed(text: str) -> Iterator[Found]:
    """Yield keys and numbers of customers that begin with what they are and go on as drawn: cus_9s6XKzkN4iz8."""
    for match in matches(_PREFIXED, text):
        if len(_CLASSES.findall(match["drawn"])) >= _FEWEST_CLASSES and any(map(str.isdigit, match["drawn"])):
            yield Found(*match.span(), "secret" if match["secret"] else "id", 0.9, "shape")
