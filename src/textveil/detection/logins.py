"""Logins that a command, a log or a phrase tells: ssh as azuse; psql -U azuse; merged by azuse; azuse@web01:~$."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.gates import both, either, holding, matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import (
    holds_name,
    is_plain_form,
    is_plain_word,
    is_role,
    is_thing,
    names_login,
    names_user,
)
from textveil.text.patterns import lazy_regex, matches

_L: Final = r"(?P<name>[A-Za-z][A-Za-z0-9._-]{2,31})"
_SMALL: Final = r"(?P<name>[a-z][a-z0-9._-]{2,31})"
_END: Final = r"(?![\w@/*({[]|[.-]\w|://)"
_NOT_AMID: Final = r"(?<![\w./-])"
_TOOLS: Final = (
    "psql|pg_dump|pg_restore|createdb|mysql|mysqldump|mysqladmin|mariadb|docker|curl|wget|svn|smbclient|rpcclient"
    "|crontab|sudo|runuser|ssh|sftp|mosh|ftp|mongo|mongosh|az|xfreerdp|rdesktop|kubectl|ansible|ansible-playbook|sqlplus"
    "|beeline|hive|bcp|sqlcmd|isql|cqlsh|influx|redis-cli|freerdp|pkill|ps|top|lsof|loginctl"
)
_MADE: Final = "useradd|adduser|userdel|deluser|usermod|chage|passwd|runuser|su|htpasswd|newusers|chfn"
_ASKED: Final = "ask|ping|poke|bug|page|tell|contact|blame|nudge|dm|cc|see|thanks|thx|by|from|per|via"
_DONE: Final = (
    "closed|opened|merged|approved|reviewed|reported|created|updated|assigned|committed|commit|pushed|deployed|login"
    "|logged|locked|released|edited|requested|triggered|started|authored|written|maintained|owned|raised|filed"
    "|actioned|resolved|modified|changed|submitted|posted|reverted|blocked|claimed|signed off|uploaded|rejected"
)
_ACTING: Final = (
    r"(?:ssh(?:ed|ing)?|[Ll]og(?:ged|s|ging)?[ -]?(?:in|on)|sign(?:ed|ing)? in|connect(?:ed|ing|s)?|authenticated"
    r"|runn?(?:ing|s)?|ran|deploy(?:ed|s)?|commit(?:ted|s)?|sudo|acting|impersonat(?:e|ing)|switch(?:ed)?|works"
    r"|push(?:ed|es)?)(?: to| over| in)?"
)
_BEFORE_AS: Final = (
    "[^a-z]in [^a-z]on ogin ogon ogsin ogson oggedin oggedon oggingin oggingon to over ssh sshed sshing connect"
    " connected connecting connects authenticated run runs running runn runns runing ran deploy deployed deploys commit"
    " committed commits sudo acting impersonate impersonating switch switched works push pushed pushes"
)
"""What ``_ACTING`` ends with."""
_DEVICES: Final = (
    "iphone|ipad|macbook|mbp|imac|laptop|thinkpad|notebook|printer|phone|desktop|pixel|galaxy|tablet|workstation|surface"
    "|watch|raspi|rpi|pi|pc|nas|chromebook|android"
)
_STEMS: Final = "lt|ltp|lap|laptop|nb|notebook|wks|wkst|ws|workstation|desktop|mbp|macbook|pc"
"""What hosts are called before their owner's name."""
_KEYS: Final = (
    "musteri|kullanici|usuario|utilisateur|utente|benutzer|gebruiker|uzytkownik|anvandare|bruker|kayttaja|operator"
    "|actor|principal|requester|caller|approver|assignee|cust|customer|by|who|signedby|owner_login"
)


def _begun_by(alternatives: str) -> str:
    """Return the words that alternatives begin with, each a whole run of letters."""
    return " ".join(re.findall(r"(?:\A|\|)([a-z]+)", alternatives))


def _behind(text: str, words: Iterable[str]) -> str:
    """Return the pattern of a text behind one of these words, for which ``re`` looks first."""
    return f"{text}(?:{'|'.join([f'(?<={word}{text})' for word in words])})"


_BLAMED: Final = r"\([A-Za-z][\w.-]{2,31} {1,20}[12][0-9]{3}-"
_AT_ADDRESS: Final = r"/[0-9]{1,3}\.[0-9]{1,3}\."
_FORMS: Final = (
    lazy_regex(rf"{_NOT_AMID}(?:{_TOOLS})\b[^\n|;&]{{0,60}}? (?:-[uUl]|--user(?:name)?|--as"
    rf"|--login)[= ]['\"]?{_SMALL}(?![\w@/*({{[]|://)", words=_begun_by(_TOOLS), holds=(" -",)),
    lazy_regex(rf"{_NOT_AMID}(?:mysql|mysqldump|mysqladmin"
    rf"|mariadb)\b[^\n|;&]{{0,60}}? -u['\"]?{_SMALL}{_END}", holds=(" -u",)),
    lazy_regex(
        rf"(?:(?<=sudo )|(?<=[$#] )|(?<![^\n])"
        rf"|(?<=`))(?:{_MADE})(?: -[A-Za-z-]{{0,12}}(?:[ =](?!-)[A-Za-z0-9,._/-]{{1,24}})?){{0,4}}?"
        rf" (?:-{{1,2}} )?{_SMALL}{_END}",
        words=_begun_by(_MADE),
    ),
    lazy_regex(rf"{_NOT_AMID}gpasswd -[adM] {_SMALL}{_END}", holds=("gpasswd",)),
    lazy_regex(rf"{_NOT_AMID}chown (?:-[A-Za-z]{{1,4}} |--[a-z]{{4,12}} ){{0,2}}{_SMALL}(?=[: .])", holds=("chown",)),
    lazy_regex(
        rf"{_NOT_AMID}(?:ssh|scp|rsync|sftp|mosh"
        rf"|ssh-copy-id)\b[^\n;|&@#]{{0,60}}?[ '\"]{_SMALL}(?=@[A-Za-z0-9])",
        words="ssh scp rsync sftp mosh",
    ),
    lazy_regex(r"(?:(?<![^\n])|(?<=[\[(`]))(?P<name>[a-z][a-z0-9._-]{2,31})(?=@[A-Za-z0-9-]{1,30}(?::"
    r"| )[~/][^\s$#%]{0,60}\]?[$#%])", holds=("@",)),
    lazy_regex(
        rf"\b{_ACTING} as (?:user )?['\"`]?{_SMALL}(?=[ ,.;:)'\"`\n]|\Z)(?![.-]\w)",
        words="ssh sshed sshing log logged logs logging login logon loggedin loggedon logsin logson loggingin loggingon"
        " sign signed signing connect connected connecting connects authenticated run runs running runn runns runing"
        " ran deploy deployed deploys commit committed commits sudo acting impersonate impersonating switch switched"
        " works push pushed pushes",
        small=(" as ",),
    ),
    lazy_regex(rf"\b(?:{_DONE}) by @?{_SMALL}(?=[ ,;:)\n]|\.?(?:[ \n]|\Z))", words=_begun_by(_DONE), holds=(" by ",),
    within=_behind(" by ", _DONE.split("|"))),
    lazy_regex(rf"\bMerge (?:pull request #[0-9]{{1,6}}|(?:remote-tracking )?branch '[^'\n]{{1,60}}') (?:from"
    rf"|of) {_L}(?=[/: \n]|\Z)", holds=("Merge ",)),
    lazy_regex(
        rf"(?:[Pp]ermission [^\n]{{1,60}}? denied to|(?i:login|logon|auth(?:entication)?|password)"
        rf" (?i:failed|failure|succeeded|rejected|denied|accepted|reset|expired) for(?: user)?) ['\"]?"
        rf"(?![A-Z][a-z]{{1,20}} [A-Z][a-z]){_L}{_END}",
        small=("denied to", "ed for", "failure for", "reset for"),
    ),
    lazy_regex(rf"\b[Uu]ser ['\"`]?{_SMALL}['\"`]? (?:not found|does not exist|is not in|has no|logged"
    rf"|removed|added|created|locked|deleted)", holds=("ser ",)),
    lazy_regex(
        r"(?i:name)[\"']?: [\"']?(?:[A-Z]{2,16}_){0,3}(?:USER|OWNER|APPROVER|ASSIGNEE|AUTHOR|REVIEWER|LOGIN"
        r"|MAINTAINER|ONCALL|USERNAME)[\"']?"
        rf",?\s{{1,24}}[\"']?value[\"']?: [\"']?{_SMALL}{_END}",
        holds=("value",),
    ),
    lazy_regex(rf"(?:# |//|/\*|-- )"
        rf"[^\n]{{0,60}}?\b(?:{_ASKED}) @?{_SMALL}(?: or @?(?P<other>[a-z][a-z0-9._-]{{2,31}}))?(?=[ ,;:.)\n]"
    rf"|\Z)(?![.-]\w)", holds=("# ", "//", "/*", "-- ")),
    lazy_regex(rf"\b(?:TODO|FIXME|XXX|HACK) @?{_SMALL}(?=:| -)", words="todo fixme xxx hack"),
    lazy_regex(
        rf"(?<![^\n])\^?[0-9a-f]{{7,40}} (?:[\w./-]{{1,60}} {{1,8}})?\({_L} {{1,20}}[12][0-9]{{3}}-[0-9]{{2}}-",
        within=_BLAMED,
    ),
    lazy_regex(rf"(?<![^\n]){_SMALL}[ \t]{{1,20}}[A-Z][A-Z_,]{{1,20}} ?= ?\(", holds=("=(", "= (")),
    lazy_regex(r"(?<![^\n])[ \t]{0,8}(?:AllowUsers"
    r"|DenyUsers)(?P<several>(?: [a-z][a-z0-9._-]{2,31}){1,12})", holds=("Users",)),
    lazy_regex(
        rf"\b(?i:grant\b[^\n;]{{1,80}}? to|revoke\b[^\n;]{{1,80}}? from|(?:create|alter|drop) (?:user|role"
        rf"|login)(?: if (?:not )?exists)?"
        rf"|owner to|set role|identified by) ['\"`\[]?{_SMALL}(?=['\"`\];@ \n]|\Z)",
        words="grant revoke create alter drop owner set identified",
    ),
    lazy_regex(rf"(?:(?<![^\n])|(?<=[0-9\])] ))<[@+ ]?{_L}>(?= [A-Za-z])", holds=(">",)),
    lazy_regex(rf"(?<![\w-])(?i:{_KEYS})=['\"]?{_SMALL}(?=[\s;&,'\"]|\Z)", words=_begun_by(_KEYS), holds=("=",)),
    lazy_regex(rf"\bmaintainer ?[=:] ?['\"]?{_SMALL}{_END}", small=("maintainer",)),
    lazy_regex(rf"(?<![\w./-]){_SMALL}(?= +(?:on )?(?:pts/[0-9]|tty[0-9S]))", holds=("pts/", "tty")),
    lazy_regex(rf"(?:FAILED LOGIN [^\n]{{0,40}}|[Ff]ailed (?:password|login|logon) )(?:FOR|for) (?:user )?['\"]?"
    rf"{_SMALL}(?=[ ,.'\"\n]|\Z)(?!\.\w)", small=("failed",)),
    lazy_regex(rf"(?<![\w./-]){_SMALL}(?=/[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}:[0-9])", within=_AT_ADDRESS),
    lazy_regex(rf"(?<= ){_SMALL}(?= (?:DIRECT/|HIER_[A-Z]{{3,9}}/|FIRSTUP_PARENT/))",
    holds=("DIRECT/", "HIER_", "_PARENT/")),
    lazy_regex(rf"\b(?:(?:re)?assigned|escalated|handed over|delegated|transferred|paged|pinged|belongs|owned)"
    rf" (?:to|by)? ?@?{_SMALL}(?=[ ,;:)\n]|\.?(?:[ \n]|\Z))",
    words="assigned reassigned escalated handed delegated transferred paged pinged belongs owned"),
    lazy_regex(rf"(?<![\w./-])(?P<whose>[A-Za-z]{{3,20}}(?:-[A-Za-z]{{3,15}})?)'?s?[-_](?=(?i:{_DEVICES})(?![A-Za-z]))",
    words=_DEVICES.replace("|", " "), within=f"[-_](?i:{_DEVICES})"),
    lazy_regex(rf"(?<![\w./-])(?i:{_STEMS})[-_](?:d[eiu]-|v[ao]n-)?(?P<whose>[A-Za-z]{{3,20}}(?:[-_][A-Za-z]{{3,15}})?)"
    r"(?=(?:[-_.][0-9]{1,4})?(?![\w/(=-]))", words=_STEMS.replace("|", " ")),
    lazy_regex(r"(?<=[Uu]ser )(?P<whose>[a-z][a-z0-9._-]{2,31})(?=[,;)\n]|'s|\.?(?:\s|\Z))", holds=("ser ",)),
    lazy_regex(rf"[Uu]ser(?:name)?=<{_SMALL}>", holds=("ser=<", "name=<")),
    lazy_regex(rf"\b[Uu]ser ['\"`]?{_SMALL}['\"`]? (?:is|was|may|cannot|can|has|had|could|did|does"
    r"|tried|exceeded|failed|from|at|on|via|must|lacks)\b", holds=("ser ",)),
    lazy_regex(rf"\b(?:[Pp]ermission to|[Aa]ccess to|[Cc]loning|[Ff]ork of|pull from|push to) {_SMALL}"
    r"(?=/[\w.-]{2,40}(?:\.git)?(?:[ \n.,:']|\Z))",
    words="permission access cloning fork pull push"),
    lazy_regex(r"(?:(?<![A-Za-z])|_)(?i:user(?:_?name)?|login|uid|owner|account|author|assignee|nick|created_by|usr)s?"
    rf"[ \t]{{0,20}}(?:=|==|LIKE|like|<>|!=|:=)[ \t]{{0,3}}['\"]{_SMALL}%?(?=['\"])",
    within="(?:=|LIKE|like|<>)[ \\t]{0,3}['\"]"),
    lazy_regex(r"(?:(?<![A-Za-z])|_)(?:USERS|LOGINS|ADMINS|OWNERS|MEMBERS|users|logins|admins|owners|members|maintainers"
    r"|reviewers|assignees|sudoers)[\"']?[ \t]{0,8}[:=][ \t]{0,3}[\[\"']{0,2}(?P<several>[a-z][a-z0-9._-]{2,31}"
    r"(?:[\"']?[,;:] ?[\"']?[a-z][a-z0-9._-]{2,31}){1,12})(?![\w/@(])",
    words="users logins admins owners members maintainers reviewers assignees sudoers"),
)  # fmt: skip
_OF_HOST: Final = lazy_regex(
    "(?i)(?:host(?:name)?|device|computer(?:[ _]name)?|client|machine)[\"']?[ :=\t]{1,3}[\"']?\\Z"
)
_TOKEN: Final = lazy_regex("[A-Za-z0-9](?:[._-]?[A-Za-z0-9]){0,40}")
_NETS: Final = (
    "username|gamertag|handle|nick|nickname|account|profile|insta|instagram|ig|snap|snapchat|discord|twitch|psn|xbox"
    "|steam|tiktok|twitter|reddit|ign|poster|player|screenname"
)
_DID: Final = "posted|written|reviewed|uploaded|shared|submitted|recorded|streamed|started|listed|sold|quoted"
_MARKED: Final = r"(?P<name>[A-Za-z](?=[A-Za-z]*(?:[0-9_]|[a-z][A-Z]))[A-Za-z0-9]*(?:_[A-Za-z0-9]+){0,4})"
_SCREEN: Final = (
    lazy_regex(
        rf"(?<![A-Za-z])(?i:{_NETS}|(?:screen|user|gamer|nick|display) (?:name|tag))"
        r"(?: (?i:name|id|is|was|called|user))?"
        rf"(?: ?[:=] {{0,8}}| )[\"'@(]{{0,2}}{_MARKED}{_END}",
        words=_NETS.replace("|", " ") + " screen user gamer display",
    ),
    lazy_regex(rf"(?<![A-Za-z])(?i:{_DID}) by:? @?{_MARKED}{_END}", words=_DID.replace("|", " "), holds=(" by",)),
    lazy_regex(rf"(?:(?<![^\n])|(?<=> )|(?<=Re: )|(?<=@)){_MARKED}(?= (?:wrote|writes|said|commented|replied)\b)",
    holds=(" wr", " said", " commented", " replied")),
)  # fmt: skip
"""Names on screens, whatever words they are of, that a capital, a digit or a line between them marks: DarkRaven_9."""
_BETWEEN: Final = lazy_regex(r"[\s\"',;:]{1,6}")
_NOBODY: Final = words_in(
    """the and any all him her them you your hand mail post default design mistake accident origin main master latest
    production development mysqld postgres nobody sshd everyone someone anyone maintainers none set new old non
    localhost sudo admins owner owners root html head body div span code pre table"""
)
_MORE_WORDS: Final = f"""
    {_NETS.replace("|", " ")} {_DID.replace("|", " ")} screen display gamer wrote writes commented replied
    assigned reassigned escalated handed delegated transferred paged pinged belongs owned iphone ipad macbook mbp
    imac laptop thinkpad notebook printer phone desktop pixel galaxy tablet workstation surface watch raspi rpi pi
    pc nas chromebook android lt ltp lap nb wks wkst ws failed cloning fork permission uid usr nick
    users logins admins owners members
    maintainers reviewers assignees sudoers assignee author owner account created login
"""
LOGIN_GATE: Final = either(
    either(
        with_words(
            f"{_TOOLS} {_MADE}".replace("|", " ")
            + " gpasswd chown scp rsync merge todo fixme xxx hack allowusers denyusers grant revoke maintainer"
        ),
        either(
            matching(_behind(" by ", _DONE.split("|"))),
            matching(_behind(" as ", _BEFORE_AS.split())),
        ),
    ),
    either(
        either(
            both(with_words(_KEYS.replace("|", " ")), holding("=")),
            both(
                with_words("user name permission auth authentication password login logon"),
                holding("user", "User", "USER", "value", " for ", "denied to"),
            ),
        ),
        either(
            both(
                with_words("create alter drop owner role"), holding("user", "USER", "role", "ROLE", "OWNER", "owner to")
            ),
            either(
                either(
                    holding("@", "=(", "= (", "> ", "# ", "//", "/*", "-- ", " pts/", " tty", "DIRECT/", "HIER_", "=<"),
                    with_words(_MORE_WORDS),
                ),
                either(
                    matching(_BLAMED, amid=" ("),
                    matching(_AT_ADDRESS, amid="/"),
                ),
            ),
        ),
    ),
)


_FILES: Final = (
    "pdf docx doc odt rtf xlsx xls ods pptx ppt jpg jpeg png heic tif tiff eml msg mp3 m4a mp4 mov wav zip ics vcf"
)
_FILE: Final = lazy_regex(
    rf"(?<![\w.-])(?P<stem>[A-Za-z0-9\xc0-\u024f]{{2,24}}(?:[ _-]{{0,1}}[_.-][A-Za-z0-9\xc0-\u024f]{{1,24}}){{0,7}})"
    rf"\.(?i:{_FILES.replace(' ', '|')})(?![\w-])"
)
FILE_GATE: Final = holding(*[f".{end}" for end in (*_FILES.split(), *_FILES.upper().split())])
_PIECES: Final = lazy_regex(r"[A-Za-z\xc0-\u024f]{3,24}")
_OF_A_PERSON: Final = Marks.GIVEN | Marks.FAMILY
_OF_OTHERS: Final = Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.PLACE | Marks.KNOWN_PLACE


def find_file_names(text: str) -> Iterator[Found]:
    """Yield listed names that are no other words in names of documents and pictures: Bergmann_Attest.pdf.

    Names side by side are one.
    """
    for file in matches(_FILE, text):
        start = end = 0
        for piece in _PIECES.finditer(text, *file.span("stem")):
            marks = lists().words.get(piece[0].lower(), 0)
            if marks & _OF_A_PERSON and not marks & _OF_OTHERS and not is_plain_form(piece[0].lower()):
                if end and piece.start() > end + 1:
                    yield Found(start, end, "person", 0.6, "field")
                    end = 0
                start, end = start if end else piece.start(), piece.end()
        if end:
            yield Found(start, end, "person", 0.6, "field")


def find_logins(text: str) -> Iterator[Found]:
    """Yield logins, none of them a role or a word of English or of programs, by form and not by start."""
    for form in _FORMS:
        for match in matches(form, text):
            groups = match.groupdict()
            if "several" in groups:
                at = match.start("several")
                for name in _BETWEEN.split(match["several"].strip()):
                    at = text.index(name, at)
                    yield from _login(name, at)
                    at += len(name)
            elif "whose" in groups:
                whose = match["whose"].rstrip("._-")
                host = _OF_HOST.search(text, max(0, match.start() - 20), match.start())
                marks = lists().words.get(whose.lower(), 0)
                if marks & Marks.GIVEN and not marks & (Marks.COMMON | Marks.SMALL | Marks.OTHER):
                    start = match.start("whose")
                    yield Found(start, start + len(whose), "person", 0.65, "command")  # hannah-printer
                elif holds_name(whose) or (host and names_login(whose.lower())):
                    end = _TOKEN.match(text, match.start("whose"))
                    yield Found(match.start(), end.end() if end else match.end(), "handle", 0.65, "command")
            else:
                yield from _login(match["name"], match.start("name"))
            if groups.get("other"):
                yield from _login(match["other"], match.start("other"))

    for form in _SCREEN:
        for match in matches(form, text):
            if _is_screen_name(match["name"]):
                yield Found(*match.span("name"), "handle", 0.65, "command")


def _is_screen_name(name: str) -> bool:
    """Return whether a marked name is no word of programs, and no key of data: created_at."""
    parts = name.lower().split("_")
    key = name.islower() and "_" in name and all(map(is_plain_word, parts))
    return not (key or name.isupper() or is_thing(name.lower()) or any(map(is_role, parts)))


def _login(name: str, start: int) -> Iterator[Found]:
    bare = name.rstrip("._-")
    if bare.lower() not in _NOBODY and names_user(bare.lower()):
        yield Found(start, start + len(bare), "handle", 0.65, "command")
