"""Technical text: which words of a text belong to code or markup, so that nobody is looked for in them.

A word of code is covered before names are looked for; strings and comments stay as they are, and are read as text. In
doubt a word is text: what could name somebody (``MariaGonzalez``, ``McDonald``) is no word of code.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final

from textveil.cuts import held_by
from textveil.detection.found import Found
from textveil.detection.gates import Seen, at_digits, either, holding, matching
from textveil.detection.given import shipped_words
from textveil.detection.lists import COMPANY_ENDS, TITLES, Marks, by_language, lists
from textveil.detection.people_in_records import holds_name
from textveil.text.patterns import lazy_regex, matches


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


CODE: Final = "code"
"""The kind of what is covered and is no span: the embedded detector leaves it out."""

_NUMBER: Final = "code-number"

_AGENT: Final = lazy_regex(
    r"(?:Mozilla|Opera|Dalvik|AppleWebKit)/[0-9][0-9A-Za-z.]{0,20}"
    r"(?: (?:[A-Za-z]{2,20}/[0-9A-Za-z.]{1,20}"
    r"|\((?=[^()\n]{0,120}(?:Windows|Linux|Macintosh|X11|Android|iPhone|iPad|compatible|KHTML|U;))[^()\n]{1,160}\))){1,10}"
)
_PACKAGE: Final = lazy_regex(
    r"[@A-Za-z](?<![\w.@/-].)[\w./-]{0,60}@[~^]?v?"
    r"(?P<number>[0-9]{1,5}(?:\.[0-9]{1,6}){1,2}(?:-[a-z0-9.]{1,20})?)(?![\w@-]|\.\w)",
    holds=("@",),
)
_METHOD: Final = lazy_regex(
    r"[A-Za-z_](?<![\w.@/:-].)\w{1,40}(?:\.[A-Za-z_]\w{1,40}){1,6}(?=\()(?!\(\s?(?:at|dot|a)\b)", within=r"\((?<=\w.)"
)
_SCOPED: Final = lazy_regex(r"@(?<=[\"'`]@)[a-z][a-z0-9-]{0,40}/[a-z][a-z0-9./-]{0,60}(?=[\"'`])")
_CELL: Final = lazy_regex(r"\$[A-Z]{1,2}\$?[0-9]{1,5}(?!\w)")
_AWK_FIELD: Final = lazy_regex(r"\$[0-9]{1,2}(?![\w.,][0-9]|\w)")
_VERSION: Final = lazy_regex(
    r"(?<![\w.])v?(?![0-9]{1,2}\.[0-9]{1,2}\.(?:19|20)[0-9]{2})[0-9]{1,4}(?:\.[0-9]{1,5}){1,2}(?:-[a-z][a-z0-9.]{1,12})?"
    r"(?![\w-]|\.\w)",
    within=r"\.[0-9]",
)
_URL_BEFORE: Final = lazy_regex(r"://\S{0,120}\Z")
_WORD_BEFORE: Final = lazy_regex(r"([A-Za-z][A-Za-z+#.]{0,20}?)[ :=<>~^\"'-]{1,4}$")
_OPERATOR_BEFORE: Final = lazy_regex(
    r"(?:[=~<>!]=|~>|[\^@]) ?[\"']?\Z|(?i:\b(?:bump|(?:up|down)grad|updat|migrat)[a-z]{0,4} (?:\S{1,60} ){1,3})\Z"
)
_NEXT_VERSION: Final = lazy_regex(r" ?(?:to|->|=>|,) ?[<>=~v\"]{0,3}")
_TRIPLE: Final = lazy_regex(
    r"(?<![\w.])[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}(?!\w|\.\w)", within=r"[0-9]\.[0-9]{1,2}\.[0-9]"
)
_ANNOTATION: Final = lazy_regex(r"@(?<![\w@.].)([A-Za-z]{2,40})\b")
_ENTRY: Final = lazy_regex(r" ?\{[\w:.+/-]{0,60},")
"""The key of an entry of BibTeX: @phdthesis{skelhorn2021,"""
_ANNOTATIONS: Final = _set(
    """Override Test Autowired Entity Table Column Component Service Controller Bean Data Inject Input Output
    Injectable Deprecated Nullable Value Configuration property staticmethod classmethod dataclass param return
    returns throws media import keyframes todo deprecated override pytest app override state published main escaping
    author see since link inheritDoc code version serial deprecated throw exception memberof example typedef internal
    Query Mutation RestController RequestMapping GetMapping PostMapping Id GeneratedValue ManyToOne Before After Mock
    Retention Target Inherited Slf4j Getter Setter apply tailwind layer font-face supports import_from Published State
    Binding Environment Observable startuml enduml startmindmap endmindmap startgantt endgantt startjson endjson
    startyaml endyaml startwbs endwbs startsalt endsalt"""
)
_PRODUCT: Final = lazy_regex(
    r"[A-Z](?<![\w/].)[A-Za-z-]{2,24}/v?[0-9]{1,4}(?:\.[0-9A-Za-z]{1,12}){1,4}(?![\w/])", within="/v?[0-9]"
)

_FIELD_BEFORE: Final = lazy_regex(
    r"(?:^|[\n|])[ *_-]*(?:(?:[Uu]ser|[Ff]ull|[Dd]isplay)?[ _]?[Nn]ame|[Ss]eller|[Bb]uyer|[Aa]uthor|[Uu]ser|[Pp]oster"
    r"|[Pp]osted by)[ *_]*: *$"
)
"""A field that holds a person: what stands in it is no word of code."""

_HUMPED: Final = lazy_regex(
    r"[A-Za-z](?<![A-Za-z0-9'-].)(?:[a-z0-9]{1,40}[A-Z]|[A-Z]{1,12}[a-z][a-z0-9]{0,40}[A-Z])[A-Za-z0-9]{0,60}+(?![A-Za-z'-])",
    within="[A-Z](?<=[a-z0-9].)",
)
_HUMP: Final = lazy_regex("(?:(?![A-Z][a-z])[A-Z]){2,}|[A-Z]?[a-z]+|[A-Z]")
_NAME_STARTS: Final = _set(
    """mc mac de di la le van von fitz du da al el st o del des dos san ter ten lo li ve be ja jo ma a d l ka ke ra sha
    ta ti sa che mar ro"""
)
_SNAKE: Final = lazy_regex(
    r"[A-Za-z_](?<![A-Za-z0-9@-].)[A-Za-z0-9]{0,40}(?:_{1,20}[A-Za-z0-9]{1,40}){1,8}(?![A-Za-z0-9@])", holds=("_",)
)
_DOTTED: Final = lazy_regex(
    r"[A-Za-z_](?<![A-Za-z0-9@.].)[A-Za-z0-9_]{1,40}(?:(?:\.|::|->|#)[A-Za-z_][A-Za-z0-9_]{1,40}){1,8}(?![A-Za-z0-9@])",
    within="[.:>#][A-Za-z_]",
)
_CALL: Final = lazy_regex(r"[A-Za-z_](?<![A-Za-z0-9@.].)[A-Za-z0-9_]{1,40}(?:\(\)|\[\])", within=r"[)\]](?<=[(\[].)")
_COLOR: Final = lazy_regex(
    r"#(?<![\w&].)(?=[0-9]{0,7}[A-Fa-f])(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3,4})(?![\w-])", holds=("#",)
)
_CELLS: Final = lazy_regex(
    r"\$?[A-Z]{1,2}(?<![\w$].)\$?[0-9]{1,5}:\$?[A-Z]{1,2}\$?[0-9]{1,5}(?!\w)", within=r":\$?[A-Z]"
)
_FORMULA: Final = lazy_regex(r"=(?<![\w=].) ?[A-Z][A-Z.]{1,20}\([^\n]{0,200}")
_TAG: Final = lazy_regex(r"</?[A-Za-z!](?<!\w..)[A-Za-z0-9:-]{0,30}(?:\s[^<>]{0,400})?/?>")
_ATTRIBUTE: Final = lazy_regex(
    r"[\w:@.-]{1,40}\s?=\s?(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')|[a-z:@-][a-z:-]{0,40}+(?!\w)"
)
_OF_CODE: Final = _set("""class id style type rel role method lang charset for name target align""")
_PERSONS: Final = _set(
    """author contact customer employee guest member owner patient person recipient reviewer sender student user"""
)
"""Elements that hold a person."""
_KEY: Final = lazy_regex(
    r"\"(?<!\w.)(?:[a-z_$][\w$.-]{0,60}|[A-Z_][A-Z0-9_]{1,60}"
    r"|[A-Z][a-z]{1,40}[A-Z-][A-Za-z]{0,60}(?:-[A-Za-z]{0,60}){0,7})\" ?:",
    holds=('":', '" :'),
)
_RUN: Final = lazy_regex(r"[A-Z][a-z'-]{1,30}(?: [A-Z][A-Za-z'-]{1,30}){1,2}")
"""Capitalized words, which may be a name or stand on a button, and are no code: `Haruto Ndiaye`."""
_INLINE: Final = lazy_regex(r"`(?<!`.)([^`\n]{1,200})`(?!`)")

_PATH: Final = lazy_regex(
    r"(?:[A-Za-z]:\\|~/|\.{1,2}/|/(?<![\w/:<.]/))(?:[\w.@$%+ -]{0,40}[\w.@$%+-][/\\]){0,12}[\w.@$%+-]{1,60}",
    holds=("/", "\\"),
)
_OF_USER: Final = r"(?P<user>[A-Za-z][\w.-]{1,40}(?:(?:%20|\+)[A-Z][\w.-]{1,40}){0,3})"
_HOMES: Final = ("/home", "/Users/", "/mail/", "~", "/people/", "/users/", "/profile", "/members/", "/staff/")
_HOME: Final = lazy_regex(
    r"(?:/homes?/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4}|Documents and Settings\\{1,2}|/var/(?:spool/)?mail/"
    rf"|(?P<weak>(?<![\w~/.-])~|/(?:people|users|profiles?|members|staff)/)){_OF_USER}",
    holds=("Documents and", "Users", *_HOMES),
)
_SHARED_HOME: Final = lazy_regex(
    rf"(?<![:\\])\\{{1,2}}(?i:homes?|profiles|users|userdata)\\{{1,2}}{_OF_USER}",
    words="home homes profiles users userdata",
    holds=("\\",),
)
_NOBODY: Final = _set(
    """user users username me runner ubuntu root admin administrator app node www www-data shared public ec2-user
    vagrant pi jenkins name yourname your-name youruser default guest git postgres deploy developer dev test lib
    local all docker debian centos circleci travis azureuser opc jovyan builder build home someone somebody"""
)
_EDGES: Final = ".-_"

_STRING: Final = lazy_regex(
    r"\"(?:[^\"\\\n]|\\.){0,500}\"|'(?<!\w.)(?:[^'\\\n]|\\.){0,500}'|(?:#|//|--)(?<![\w:/#-].)(?=[ !/])[^\n]*|/\*[^\n]*"
)
_STATEMENTS: Final = (
    r"import [\w.{*]|from [\w.]+ import |#include ?[<\"]|using [\w.:]+;|package [\w.]+;?$|require\(|use [\w:]+;",
    r"(?:async )?def \w+\(|func \(\w+ \*?\w+\) "
    r"|(?:export |async |default |pub |static )*(?:function|func|fn|sub) ?\w*[(<]",
    r"(?:export |public |abstract |final |data |default )*class \w+(?: ?[({:<]| (?:extends|implements) )",
    r"(?:export )?(?:const|let|var|val) [\w{\[, }\]]{1,80}(?::[^=\n]{1,60})? ?=",
    r"(?:public|private|protected|static|internal) [\w<>\[\], ]{1,80} ?\w+ ?[({;=]",
    r"(?:return|raise|throw|yield|await|print|assert|echo|del|new) ?[\w(\[{\"'$].{0,200}?[)\]};\"']$|return \w+$",
    r"(?:if|elif|while|for|switch|catch|foreach|with|except|match)\b(?=[^\n]*[:{)]$)[^\n]*?[(=<>.\"']",
    r"(?:for \w+ in|except \w+(?: as \w+)?|if \w+|while \w+)[^\n]{0,60}:$|(?:else|try|finally|do) ?[:{]$",
    r"\} ?(?:else|catch|finally)\b",
    r"@[\w.]+(?:\([^\n]*\))?$|\$ \w|(?:Traceback |File \"|at [\w.$<>]+\(|\s*\^+$)|<\?(?:php|xml)|<!DOCTYPE",
    r"(?:sudo|docker|git|npm|npx|yarn|pip3?|kubectl|curl|ssh|helm|brew|apt|apt-get|cargo|terraform|psql|conda|chmod"
    r"|mkdir) [a-z./-][^\n]*$",
    r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|FROM|WHERE|(?:INNER |LEFT |RIGHT |OUTER )*JOIN|GROUP"
    r" BY|ORDER BY|HAVING|VALUES|SET|LIMIT|AND|UNION)[ (][^\n]*[\w*)=;,']$",
    r"[\w.\[\]\"'$*&]{1,80}(?: ?: ?[\w\[\], .|]{1,60})? ?(?:[-+*/|&]?=|:=|<-)(?![=>]) ?"
    r"(?:[\w.]+;?$|[^\n(\[{\"'+*/&|]*+[(\[{\"'+*/&|][^\n]*$)",
    r"[\w.$\->:]{1,80}\([^\n]*\) ?[;{:,]?$|[\w.]{1,60}\($|[})\]]++(?:[;,][;,)]*)?$",
    r"[^\n]*[)\]=>}\"'] ?[;{]$|(?=[^\n]*;$)[^\n]*?(?:[=(<>]|::|->)|(?:[.#]?[\w.:# ,>-]{1,60}|(?<= )) ?\{[^\n]*\}?$",
)
_LINE_OF_CODE: Final = lazy_regex(rf"\A[ \t]*+(?:>>> ?|\+ |- (?=\w+:))?(?:{'|'.join(_STATEMENTS)})")
_CAPITALIZED: Final = lazy_regex(r"[A-Z](?<![\w].)[a-z]+(?![\w])")
_FIRST_OF_NAME: Final = lazy_regex(r"(?<![\w.])(?P<first>[A-Z][a-z]{1,14})\.? \Z")
_CODE_AFTER: Final = lazy_regex(r"[(.<\[{]|::|->")
_CODE_BEFORE: Final = lazy_regex(r"(?:[.@<\[&*]|::|->|new |class |import |extends |from )$")
_MARKED: Final = lazy_regex(r"[(=;{}<>@$\[\]^]|:$|#include")
_FIRST_WORDS: Final = _set(
    """import from using package use return raise throw yield await print assert echo del new sudo docker git npm npx
    yarn  pip pip3 kubectl curl ssh helm brew apt apt-get cargo terraform psql conda chmod mkdir SELECT INSERT
    UPDATE DELETE  CREATE ALTER DROP FROM WHERE INNER LEFT RIGHT OUTER JOIN GROUP ORDER HAVING VALUES SET LIMIT AND
    UNION Traceback  File at"""
)
_SUBJECT: Final = lazy_regex(
    r"(?:[*|\\/ ]{0,12}[0-9a-f]{7,40} (?:\([^()\n]{1,80}\) )?|(?:(?<=\n\n)|(?<=\\n\\n)) {4}"
    r"|Subject: \[[^\]\n]{1,40}\] )(?P<word>[A-Z][a-z]+)(?= [a-z`\"'(])"
)
"""The first word of a commit's subject, behind its digest or its header: a verb."""

_LINE_END: Final = lazy_regex(r"\n|\\n")  # of a text, or of a string that is written in it

_ID: Final = 6  # characters from which on a number counts as an id, in code as elsewhere

_LINE: Final = 400  # characters of a line that tell whether it is code

_DIGITS: Final = lazy_regex(r"[0-9]+(?:\.[0-9]+)*")
_PROSE: Final = lazy_regex(r"(?:[A-Za-z']{1,24} ){6}")
_FIRM_BEHIND: Final = lazy_regex(
    r",? (?:Inc|LLC|LLP|Ltd|Limited|Corp|GmbH|AG|Pty|[Pp][Ll][Cc]|B\.?V|S\.?A|S\.?L)(?![A-Za-z])"
)
_CAPITAL: Final = lazy_regex("[a-z][A-Z]")
_PIECES: Final = (
    *("`", "{", "}", "_", "\\", "=", ";\n", "()", "::", "</", "/>", "/home/", "/Users/", "~/", "./", "#", '":', "->"),
    "Mozilla",
)
_GATE_WORDS: Final = (
    *("import ", "sudo ", "docker ", "kubectl ", "npm ", "git ", "curl ", "SELECT ", "Traceback", "</"),
    *("commit ", "[PATCH"),
)
CODE_GATE: Final = either(holding(*_PIECES, *_GATE_WORDS), matching("[A-Z](?<=[A-Za-z][a-z][a-z].)"))
"""Open to a text with a mark or a word that prose hardly has: elsewhere nothing is taken for code."""

_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY)
_COMMON: Final = int(Marks.COMMON | Marks.SMALL)
HOME_GATE: Final = holding("\\", *_HOMES)
EARLY_GATE: Final = either(holding("@", "$", "("), at_digits(r"[0-9](?:\.[0-9]|(?<=[A-Za-z]/.))"))
"""The gate of what is code although it looks like an address, a date or an amount."""


def find_early(text: str) -> Iterator[Found]:
    """User agents, versions, packages with their version, annotations, and cells of a sheet."""
    taken = bytearray(len(text))
    for kind, start, end in _early(text):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            yield Found(start, end, kind, 0.9, "code" if kind == _NUMBER else "")


def _early(text: str) -> Iterator[tuple[str, int, int]]:
    for match in matches(_PACKAGE, text):
        yield CODE, match.start(), match.start("number")
        yield _NUMBER, *match.span("number")
    for matched in (matches(_METHOD, text), matches(_SCOPED, text)):
        for match in matched:
            if not _could_name(match[0]):
                yield CODE, *match.span()
    if "awk" in text:
        for match in matches(_AWK_FIELD, text):
            yield CODE, *match.span()
    for match in matches(_AGENT, text):
        yield from ((part.kind, part.start, part.end) for part in _with_numbers(text, *match.span(), ids=False))
    for match in matches(_CELL, text):
        yield _NUMBER, *match.span()
    yield from ((_NUMBER, *span) for span in _versions(text))
    for match in matches(_ANNOTATION, text):
        called = text[match.end() : match.end() + 1] == "(" or _ENTRY.match(text, match.end()) is not None
        if (called or match[1] in _ANNOTATIONS or _CAPITAL.search(match[1])) and not _could_name(match[1]):
            yield CODE, *match.span()


def _versions(text: str) -> Iterator[tuple[int, int]]:
    """Yield numbers with points that are versions: by the word or the sign before them, or by others beside them.

    If most numbers of three parts are no dates, as in a list of packages, those that could be are none either.
    """
    triples = [match[0] for match in matches(_TRIPLE, text)]
    impossible = sum(not _could_be_date(triple) for triple in triples)
    listed = impossible > 1 and impossible * 3 >= len(triples)
    reached = -1
    for match in matches(_VERSION, text):
        if _URL_BEFORE.search(text, max(0, match.start() - 124), match.start()):
            continue  # a URL is one thing: what it has behind a version goes as what stands before
        before = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
        if (
            match[0][0] == "v"
            or (before and before[1].lower() in _versioned())
            or (listed and match[0].count(".") == 2)
            or (reached >= 0 and _NEXT_VERSION.fullmatch(text, reached, match.start()))
            or _OPERATOR_BEFORE.search(text, max(0, match.start() - 80), match.start())
        ):
            reached = match.end()
            yield match.span()


def _could_be_date(triple: str) -> bool:
    first, second, year = triple.split(".")
    low, high = sorted((int(first), int(second)))
    return 0 < low <= 12 and high <= 31 and len(year) == 2


@cache
def _versioned() -> frozenset[str]:
    """Return words after which numbers with points are versions: what public lists know of programs and products."""
    names = (word.lower() for name in ("programming", "products") for word in shipped_words(name))
    return frozenset(("version", "versions", "v", "ver", *names)) - {"iban", "sat", "go", "r"}


def find_homes(text: str) -> Iterator[Found]:
    """Yield names of users in paths."""
    for match in sorted(chain(matches(_HOME, text), matches(_SHARED_HOME, text)), key=re.Match.start):
        name = match["user"].rstrip(_EDGES)
        if name.lower() in _NOBODY or name.isupper() or (match.groupdict().get("weak") and not holds_name(name)):
            continue
        parts = re.split("%20|[+._-]", name)
        listed = all(part[:1].isupper() or lists().words.get(part.lower(), 0) & _LISTED for part in parts)
        start = match.start("user")
        yield Found(start, start + len(name), "person" if listed else "handle", 0.7, "path")


def find_code(text: str) -> Iterator[Found]:
    """Yield what is code or markup, by start, none overlapping: words as ``CODE``, numbers as numbers of code."""
    if not CODE_GATE(text, Seen("", frozenset(), "", frozenset())):
        return
    taken = held_by(text, _zones(text))
    for start, end in _words(text):
        taken[start:end] = b"\1" * (end - start)
    place = taken.find(1)
    while place >= 0:
        end = taken.find(0, place)
        end = len(text) if end < 0 else end
        yield from _with_numbers(text, place, end)
        place = taken.find(1, end)


def _with_numbers(text: str, start: int, end: int, *, ids: bool = True) -> Iterator[Found]:
    """A stretch of code, with its numbers apart; those that are long enough for ids are left, if there can be ids."""
    position = start
    for match in _DIGITS.finditer(text, start, end):
        if text[max(0, match.start() - 2) : match.start()].lower() in ("<h", "/h"):
            continue  # markup: it is no number
        if match.start() > position:
            yield Found(position, match.start(), CODE, 0.0)
        if not ids or match.end() - match.start() < _ID:
            yield Found(match.start(), match.end(), _NUMBER, 0.8, "code")
        position = match.end()
    if position < end:
        yield Found(position, end, CODE, 0.0)


def _zones(text: str) -> Iterator[tuple[int, int]]:
    """Yield lines of code without their strings and comments, inline code, tags of markup, formulas."""
    position = 0
    for line in text.split("\n"):
        if line and _is_code(line[:_LINE].rstrip()):
            yield from _outside_strings(text, position, position + len(line))
        position += len(line) + 1
    for match in matches(_INLINE, text):
        if not (_PROSE.search(match[1]) or _could_name(match[1]) or _RUN.fullmatch(match[1])):
            yield from _outside_strings(text, match.start(1), match.end(1))
    for match in matches(_TAG, text):
        yield from _markup(text, match.start(), match.end())
    for match in matches(_FORMULA, text):
        yield from _outside_strings(text, match.start(), match.end())


def _is_code(line: str) -> bool:
    if not (_MARKED.search(line) or line.lstrip(" \t>+-").partition(" ")[0] in _FIRST_WORDS):
        return False
    return _LINE_OF_CODE.match(line) is not None and _PROSE.search(_STRING.sub("", line)) is None


def _outside_strings(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _STRING.finditer(text, start, end):
        yield from _without_names(text, start, match.start())
        start = match.end()
    yield from _without_names(text, start, end)


def _without_names(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a stretch of code without words that can be names, unless a mark of code stands beside them.

    A word behind a title or a given name is one, whatever stands beside it: Ms Green {x}.
    """
    for match in _CAPITALIZED.finditer(text, start, end):
        first = _FIRST_OF_NAME.search(text, max(0, match.start() - 20), match.start())
        if first is not None and (first["first"].lower() in _titles() or _is_given(first["first"])):
            if first.start() > start:
                yield start, first.start()
            start = match.end()
            continue
        before = _CODE_BEFORE.search(text, max(0, match.start() - 12), match.start())
        if _could_name(match[0]) and not (before or _CODE_AFTER.match(text, match.end())):
            yield start, match.start()
            start = match.end()
    yield start, end


@cache
def _titles() -> frozenset[str]:
    return TITLES.union(*by_language("short titles").values())


def _is_given(word: str) -> bool:
    marks = lists().words.get(word.lower(), 0)
    return bool(marks & Marks.GIVEN) and not marks & _COMMON


def _markup(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    name = end if " " not in text[start:end] else text.index(" ", start, end)
    if _could_name(text[start + 1 : name].strip("</>")):
        return  # <Maria>, in doubt
    yield start, name
    for match in _ATTRIBUTE.finditer(text, name, end):
        attribute, mark, value = match[0].partition("=")
        key = attribute.strip().lower()
        # <user name="Ada Zuse"/>: what is named in HTML has no white space in its name.
        named = key == "name" and (" " in value.strip() or text[start + 1 : name].lower() in _PERSONS)
        yield match.start(), match.end() if key in _OF_CODE and not named else match.start() + len(attribute + mark)


def _words(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_HUMPED, _SNAKE, _DOTTED, _CALL):
        for match in matches(pattern, text):
            named = (
                _could_name(match[0])
                or _FIELD_BEFORE.search(text, max(0, match.start() - 24), match.start())
                or (pattern is _HUMPED and _FIRM_BEHIND.match(text, match.end()))
            )
            if not named and (pattern is not _DOTTED or _is_dotted(match[0])):
                yield match.span()
    for pattern in (_COLOR, _CELLS, _KEY):
        yield from (match.span() for match in matches(pattern, text))
    for match in matches(_PRODUCT, text):
        if not _could_name(match[0].partition("/")[0]):
            yield match.span()
    for match in matches(_PATH, text):
        yield from _segments(text, match)
    for match in _subjects(text):
        if not lists().words.get(match["word"].lower(), 0) & _LISTED:
            yield match.span("word")


def _subjects(text: str) -> Iterator[re.Match[str]]:
    reached = 0
    for start in chain([0], (match.end() for match in matches(_LINE_END, text))):
        match = _SUBJECT.match(text, start) if start >= reached else None
        if match is not None:
            reached = match.end()
            yield match


def _segments(text: str, path: re.Match[str]) -> Iterator[tuple[int, int]]:
    for part in re.finditer(r"[^/\\]+", path[0]):
        if not _could_name(part[0]) and any(map(str.isalpha, part[0])):
            yield path.start() + part.start(), path.start() + part.end()


def _is_dotted(written: str) -> bool:
    """Return whether dotted words are no end of a sentence whose space was forgotten."""
    parts = re.split(r"\.|::|->|#", written)
    joined = "." not in written or "_" in written or len(parts) > 2
    return joined or parts[1][:1].islower() or any(_CAPITAL.search(part) for part in parts)


def _could_name(written: str) -> bool:
    if not (humps := [hump.lower() for hump in _HUMP.findall(written)]):
        return False
    if written.lower() in COMPANY_ENDS:
        return True
    if len(humps) == 2 and humps[0] in _NAME_STARTS and written[:1].isupper():
        return True
    known = lists().words.get
    marks = [known(hump, 0) for hump in humps]
    names = [bool(mark & _LISTED) and not mark & _COMMON for mark in marks]
    if len(humps) == 1:
        return names[0] and written[:1].isupper()
    fits = (len(hump) < 2 or mark & _LISTED for hump, mark in zip(humps, marks, strict=True))
    return any(names) and all(fits)
