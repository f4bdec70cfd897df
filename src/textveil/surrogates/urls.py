"""Decides whether an original may stand in a URL: whoever shows a text fetches its URLs, and each host reads its own.

The writer of an answer can put a surrogate into a URL of its own, in an image that is fetched when it is shown. The
original in its place would be sent there. So a text that is restored is followed as it is written, and within a URL
originals are put back only if the user's side named its host (``named-hosts``).

A URL begins at two slashes or at a scheme of the web, however they are escaped, and ends where the laxest reader would
end it: a Markdown link at its parenthesis, an attribute at its quote, a bare URL at white space. What readers may read
in different ways has no named host: a backslash in or behind a host, an escape that nobody needs. So more text may
count as a URL than is one, and stay as it is.

Each character of a beginning is looked for in every escape of Markdown, HTML, CSS and JSON. Two things would need a
pattern without bounds, and are met otherwise: runs of blanks are cut before (``narrowed``), and an escape that nobody
needs is a beginning by itself (``odd``): of a letter, of a digit, of what begins an escape, or of absurd length. For
readers decode in chains (the references of an attribute, then the escapes of CSS in it), and no pattern can follow all
of them.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from textveil.errors import need
from textveil.surrogates.map_file import PrivateMap
from textveil.text.patterns import lazy_regex

TAIL: Final = 256  # characters before a URL that show in what it stands
LONGEST_START: Final = 1024  # characters of what a URL begins with, however it is escaped
LONGEST_META: Final = 64
_AMP = r"&(?:amp;){0,2}"
_BACKSLASH = r"\\{1,8}"


def _written(character: str, *names: str) -> str:
    """Return a pattern of a character in all its escapes; readers take an entity without its semicolon too."""
    codes = sorted({ord(character.lower()), ord(character.upper())})
    decimal, hexadecimal = "|".join(map(str, codes)), "|".join(f"{code:02x}" for code in codes)
    plain = re.escape(character)
    named = "".join(rf"|{name}" for name in names)
    escaped = rf"(?:u00|x|0{{0,5}})(?:{hexadecimal})" + ("" if character == "\\" else f"|{plain}")
    return (
        rf"(?:{plain}|{_BACKSLASH}(?:{escaped})|%(?:25){{0,2}}(?:{hexadecimal})"
        rf"|{_AMP}(?:#(?:0{{0,5}}(?:{decimal})(?![0-9])|x0{{0,5}}(?:{hexadecimal})(?![0-9a-f])){named});?)"
    )


_PLAIN_OR_REFERENCE = (
    rf"[\x00-\x20]|{_AMP}(?:Tab|NewLine|#(?:0{{0,5}}(?:[1-9]|[12][0-9]|3[0-2])(?![0-9])"
    rf"|x0{{0,5}}(?:[1-9a-f]|1[0-9a-f]|20)(?![0-9a-f])));?"
)
BLANK: Final = rf"(?:{_PLAIN_OR_REFERENCE}|{_BACKSLASH}(?:[nrtv]|(?:u00|x)?0{{0,5}}(?:1[0-9a-f]|20|[1-9a-f])))"
BLANKS: Final = rf"{BLANK}{{0,6}}"  # more in a row are odd
SLASH: Final = f"(?:{_written('/', 'sol')}|{_written(chr(92), 'bsol')})"
COLON: Final = _written(":", "colon")
_S = rf"(?:{BLANKS}{_written('s')})?"
_HTTP, _WS, _FTP = (BLANKS.join(map(_written, name)) for name in ("http", "ws", "ftp"))
_SPECIAL = f"(?:{_HTTP}|{_WS}){_S}|{_FTP}"  # their letters, which browsers read over line breaks and tabs
_ODD: Final = (
    r"(?P<absurd>&(?:amp;){3}|&(?:amp;){0,2}#x?0{6})|\\&(?:\#|bsol|sol|colon|tab|newline)|%(?:25){3}|\\{9}"
    rf"|{_AMP}(?:#(?:0{{0,5}}(?:3[578]|4[89]|5[0-7]|6[5-9]|[78][0-9]|9[0-9]|1[01][0-9]|12[0-2])(?![0-9])"
    r"|x0{0,5}(?:2[356]|5c|3[0-9]|[46][1-9a-f]|[57][0-9a])(?![0-9a-f]))|(?:bsol|percnt|num);)"
    rf"|{_BACKSLASH}(?:u00|x)(?:2[35]|5c|3[0-9]|[46][1-9a-f]|[57][0-9a]|26(?:\#|amp|bsol|sol|colon|tab|newline))"
    rf"|{BLANK}{{7}}"
)
_START: Final = lazy_regex(
    rf"(?P<scheme>(?:{_SPECIAL}){BLANKS}{COLON})|(?P<slashes>{SLASH}{BLANKS}{SLASH})|(?<!\w)(?P<www>www\.)|(?P<odd>{_ODD})",
    re.IGNORECASE,
)
_NESTED: Final = lazy_regex(
    rf"(?:{_SPECIAL}){BLANKS}{COLON}|(?:{COLON}|{_written('=')}){SLASH}{BLANKS}{SLASH}|(?P<odd>{_ODD})", re.IGNORECASE
)
_ODD_WITHIN: Final = lazy_regex(_ODD, re.IGNORECASE)
_NUMBER_END: Final = lazy_regex(r"[&;]#x?[0-9a-f]*\Z", re.IGNORECASE)
META: Final = lazy_regex(rf"{_written('<', 'lt')}meta[\s/&\\]", re.IGNORECASE)
"""Begins a tag that may send its reader elsewhere, by a URL behind marks that tell little."""

ODD_LEAD: Final = lazy_regex(r"[%&]|\\(?![\\/])")  # in what a URL begins with: what not all readers read alike

# Behind these there may be a quote in escapes, so they are told from it.
_ALL_BLANKS: Final = lazy_regex(
    rf"(?:{_PLAIN_OR_REFERENCE}|{_BACKSLASH}(?:[nrtv]|(?:u00|x|0000)(?:0[1-9a-f]|1[0-9a-f]|20)"
    r"|0{0,5}(?:1[0-9a-f]|20|[1-9a-f])(?![0-9a-f])))+",
    re.IGNORECASE,
)

_WITHIN_PATH: Final = lazy_regex(r"[\w.~+-]\Z")  # before two slashes that begin no URL, but part a path
_DRIVE: Final = lazy_regex(r"(?<![A-Za-z])[A-Za-z]:\Z")
_SCHEME_BEFORE: Final = lazy_regex(rf"{COLON}\Z", re.IGNORECASE)
_LETTER_BEFORE: Final = lazy_regex(r"[A-Za-z]\Z")
_RUN: Final = lazy_regex(r"\A[\x00-\x20]+|[\x00-\x20]{2,}")
_PLAIN_BLANKS: Final = "".join(map(chr, range(1, 33)))
_RANKS: Final = {"\n": 2, " ": 1, "\t": 1, "\r": 1, "\f": 1}


def one_blank(text: str) -> str:
    """Return a text with each run of blanks as one: a space, or NUL if there is an escape in it."""
    return _ALL_BLANKS.sub(lambda run: "\0" if run[0].strip(_PLAIN_BLANKS) else " ", text)


def _begins(text: str, start: re.Match[str]) -> bool:
    """Tell whether a URL begins there: two slashes also part paths, behind a drive's letter for example."""
    if start["slashes"] is None and start["scheme"] is None:
        return True
    written = text[max(0, start.start() - TAIL) : start.start()]
    before = one_blank(written)
    if start["slashes"] is None:
        return _LETTER_BEFORE.search(before) is None
    if _SCHEME_BEFORE.search(written):
        return _DRIVE.search(before) is None or "/" in start[0]
    return _WITHIN_PATH.search(before) is None


def start_in(text: str) -> re.Match[str] | None:
    """Return the first beginning of a URL in a text."""
    at = 0
    while (start := _START.search(text, at)) is not None and not _begins(text, start):
        at = start.end() if start["slashes"] in ("//", "\\\\") else start.start() + 1
    return start


def is_absurd(start: re.Match[str]) -> bool:
    """Return whether it has an escape so long that nobody can tell where what it stands in ends."""
    return (odd := _ODD_WITHIN.search(start[0])) is not None and odd["absurd"] is not None


def is_hidden(start: re.Match[str]) -> bool:
    """Return whether the beginning of a URL may lie further ahead: an escape may be one of its later letters."""
    return start["odd"] is not None or "\\" in start[0] or _ODD_WITHIN.search(start[0]) is not None


def is_unfinished(start: re.Match[str]) -> bool:
    """Return whether more text, a digit, could turn what ends a text into the beginning of nothing."""
    return start.end() == len(start.string) and _NUMBER_END.search(start[0][-32:]) is not None


def narrowed(text: str, rank: int) -> tuple[str, int]:
    """Return a text with at most three blanks in a row, those that end most: beginnings of URLs are then bounded.

    The text goes on another, which ends with a blank of ``rank``, as returned for it; -1 if with none.
    """

    def fewer(run: re.Match[str]) -> str:
        top, kept = rank if run.start() == 0 else -1, ""
        for blank in dict.fromkeys(run[0]):
            if _RANKS.get(blank, 0) > top:
                top, kept = _RANKS.get(blank, 0), kept + blank
        return kept

    short = _RUN.sub(fewer, text)
    if (end := len(text) - len(text.rstrip("\0" + _PLAIN_BLANKS))) == 0:
        return short, rank if not text else -1
    before = rank if end == len(text) else -1
    return short, max(before, *(_RANKS.get(blank, 0) for blank in set(text[-end:])))


InUrls: TypeAlias = Literal["never", "named-hosts", "everywhere"]  # where originals are put back within URLs
IN_URLS: Final = ("never", "named-hosts", "everywhere")
LONGEST_HOST: Final = 300  # characters in which a host must end; no original goes to a longer one
_PIECE: Final = 4096
_LOCAL: Final = frozenset(("localhost", "127.0.0.1"))  # hosts that are the reader's own machine
# Schemes that nothing fetches when it shows a text: a file that a tool reads may name their hosts.
_SERVICES: Final = (
    r"postgres(?:ql)?(?:\+[a-z0-9]+)?|mysql(?:\+[a-z0-9]+)?|mariadb|mssql(?:\+[a-z0-9]+)?|mongodb(?:\+srv)?|rediss?|amqps?"
    r"|clickhouse|smtps?|imaps?|ldaps?|ssh"
)

_SERVICE: Final = lazy_regex(rf"\b({_SERVICES}):/\\{{0,8}}/", re.IGNORECASE)
# Of a service, of which a password may hold marks that no URL may have as they are.
_SERVICE_HOST: Final = lazy_regex(r"(?:[^\s\"'`<>/\\@]*@)?((?:[\w-]+\.)*[\w-]+)(?::[0-9]*)?")
_SERVICE_AUTHORITY: Final = lazy_regex(r"([^\s\"'`<>/\\]*)(?P<end>[\s\"'`<>/\\])?")
_SERVICE_END: Final = lazy_regex(r"[/\\]")
_SERVICE_BEFORE: Final = lazy_regex(rf"(?<![\w+.-])({_SERVICES}):\Z", re.IGNORECASE)
_NAMES: Final = lazy_regex(r"/\\{0,8}/|\b(?P<www>www)\.", re.IGNORECASE)
_SLASHES: Final = lazy_regex(rf"(?:{SLASH}|{BLANK})+", re.IGNORECASE)
_AUTHORITY_END: Final = lazy_regex(r"[/?#]")
# An authority as all readers read it: behind a user, a host, and perhaps a port.
_HOST: Final = lazy_regex(r"(?:[\w.~!$*+,;=:-]*@)?((?:[\w-]+\.)*[\w-]+)\.?(?::[0-9]*)?")
_MARKS: Final = ".,;:!*_~"
_AUTHORITY: Final = lazy_regex(r"([^\s\"'`<>()\[\]{}|/\\?#]*)(?P<end>[\s\"'`<>()\[\]{}|/\\?#])?")
_QUOTE = r"(?:\\*[\"']|\\+(?:u00|x)2[27]|&(?:amp;)*(?:quot|apos|#0*3[49]|#x0*2[27]);?|%2[27])"


def _before(between: str) -> str:
    return (
        rf"(?:(?P<angle>\]\([ \0]?\\+u003c|(?:\]\([ \0]?)?<[ \0]?)|(?P<paren>\]\([ \0]?|url[ \0]?\([ \0]?)"
        rf"|(?P<tag>url[ \0]?=[ \0]?['\"]?[ \0]?)|(?:=[ \0]?|\([ \0]?)(?P<value>{_QUOTE})[ \0]?"
        rf"|(?:[,;: \0]|import|\*/|\\0*74)(?P<begun>{_QUOTE})[ \0]?|(?P<quote>{_QUOTE})\0?){between}\Z"
    )


_BEFORE: Final = lazy_regex(_before(""), re.IGNORECASE)
_BEFORE_HIDDEN: Final = lazy_regex(_before(r"[^\"'<>()=\n]{0,80}"), re.IGNORECASE)
# What may stand before a URL to which a tag ``meta`` sends its reader.
_REFRESH_BEFORE: Final = lazy_regex(
    r"=[ \0]?(?:\\*[\"'])?[^\"'<>=]*\Z|[0-9.;,][ \0]?\Z|url[ \0]?=[ \0]?[\"']?[ \0]?\Z", re.IGNORECASE
)

# Behind a double quote that ends a value of JSON or HTML; a bare URL goes on behind any other.
_QUOTE_ENDS: Final = lazy_regex(r"[,}\]:\s>]")

# What may end a URL, by what it stands in.
_ENDS: Final = {
    "angle": lazy_regex(r"[>\n]"),
    "paren": lazy_regex(r"[()\n]"),
    "tag": lazy_regex(r">"),
    "bare": lazy_regex(r"[ \t\n\r\f]"),
    "whole": lazy_regex(r"(?!)"),
    "quoted": lazy_regex(r"(?!)"),
}


@dataclass(frozen=True, slots=True)
class UrlRule:
    """Places within URLs in which originals are put back.

    Raises ParameterError: there is no such mode.
    """

    # "never" (but a URL of the user's own is restored as a whole), "named-hosts", or "everywhere", which lets the
    # writer of an answer have originals sent anywhere
    mode: InUrls = "named-hosts"
    hosts: frozenset[str] = field(default=frozenset(), repr=False)  # those that the user's side named

    def __post_init__(self) -> None:
        need(self.mode in IN_URLS, "in_urls", str(self.mode)[:40], " or ".join(IN_URLS))

    def allows(self, authority: str, service: str = "") -> bool:
        """Return whether originals may stand in URLs of this authority; ``service`` is a scheme of ``_SERVICES``."""
        if self.mode != "named-hosts":
            return False
        own = _SERVICE_HOST.fullmatch(authority) if service else None
        if own is not None and f"{service}://{own[1].lower()}" in self.hosts:
            return True
        host = _HOST.fullmatch(authority.rstrip(_MARKS))
        return host is not None and (host[1].lower() in self.hosts or host[1].lower() in _LOCAL)


def named_hosts(private_map: PrivateMap) -> frozenset[str]:
    """Return the hosts that the original of a release names, in small letters."""
    urls = [piece.original for piece in private_map.replaced if piece.kind == "url"]
    hosts = [host for url in urls if (host := _host(url[:LONGEST_HOST].lstrip("/"))) is not None]
    return hosts_in(private_map.original()).union(hosts)


def hosts_in(text: str) -> frozenset[str]:
    """Return the hosts that URLs of a text name, in small letters."""
    begins = (start.start() if start["www"] else start.end() for start in _NAMES.finditer(text))
    return frozenset(host for at in begins if (host := _host(text[at : at + LONGEST_HOST])) is not None)


def services_in(text: str) -> frozenset[str]:
    """Services that a text names by scheme and host, as ``postgresql://db.internal``: what no reader fetches."""
    return frozenset(
        f"{start[1].lower()}://{host[1].lower()}"
        for start in _SERVICE.finditer(text)
        if (host := _SERVICE_HOST.match(text, start.end(), start.end() + LONGEST_HOST)) is not None
    )


def _host(written: str) -> str | None:
    authority = _AUTHORITY.match(written)
    host = None if authority is None else _HOST.fullmatch(authority[1].rstrip(_MARKS))
    return None if host is None else host[1].lower()


class UrlScanner:
    """Follows a text and tells whether an original may come next; a URL that begins an ``alone`` value is all."""

    def __init__(self, rule: UrlRule, *, alone: bool = False) -> None:
        self._rule = rule
        self._alone = alone
        self._tail = ""
        self._rank = -1  # of the blanks that were written last
        self._meta = False  # whether there was a tag that may send its reader elsewhere
        self._recent = ""
        self._within: str | None = None  # what the URL stands in
        self._quote = ""
        self._depth = 0
        self._slashes = False
        self._lead = ""
        self._authority: str | None = None
        self._named = True
        self._unfinished = False  # whether what came last may begin a URL, if no digit comes next
        self._last = ""
        self._path = ""
        self._service = ""

    def allows(self, original: str, behind: str, *, last: bool) -> bool | None:
        """Return whether ``original`` may come next, before ``behind``; None if text must tell that is not there."""
        if self._rule.mode == "everywhere" or self._unfinished:
            return self._rule.mode == "everywhere"
        if self._within is None:
            return True
        if self._authority is None or not self._named or ODD_LEAD.search(self._lead):
            return self._named and self._authority is None
        rest = (_SERVICE_AUTHORITY if self._service else _AUTHORITY).match(behind, 0, LONGEST_HOST)
        if rest is None or (rest["end"] is None and not last and len(behind) < LONGEST_HOST):
            return None
        if rest["end"] == "\\" and not self._service:  # only a slash behind it is one for all readers
            beyond = behind[rest.end(1) :].lstrip("\\")
            if not beyond.startswith("/"):
                return None if not (beyond or last or len(behind) >= LONGEST_HOST) else False
        return self._rule.allows(self._authority + original + rest[1], self._service)

    def feed(self, text: str) -> None:
        """Take what is written next."""
        if self._rule.mode == "everywhere":
            return
        text, self._rank = narrowed(text, self._rank)
        for at in range(0, len(text), _PIECE):
            piece = text[at : at + _PIECE]
            seen = self._recent + piece
            meta = None if self._meta else META.search(seen)
            cut = len(piece) if meta is None else meta.end() - len(self._recent)
            self._scan(piece[:cut])
            self._meta = self._meta or meta is not None
            self._scan(piece[cut:])
            self._recent = seen[-LONGEST_META:]

    def _scan(self, text: str) -> None:
        while text:
            text = self._outside(text) if self._within is None else self._inside(text)

    def _outside(self, text: str) -> str:
        """Look for the beginning of a URL; returns what stands behind it."""
        seen = self._tail + text
        start = start_in(seen)
        self._unfinished = start is not None and is_unfinished(start)
        if start is None or self._unfinished:
            before = one_blank(seen[:-LONGEST_START])
            self._alone = self._alone and not before[:-TAIL].strip(" \0")
            self._tail = before[-TAIL:] + seen[-LONGEST_START:]
            return ""
        self._open(one_blank(seen[: start.start()]), start)
        return seen[start.end() :]

    def _open(self, before: str, start: re.Match[str]) -> None:
        context = (_BEFORE_HIDDEN if is_hidden(start) else _BEFORE).search(before[-TAIL:])
        self._quote = ""
        refresh = self._meta and (context is None or context.lastgroup == "tag")
        alone = self._alone and not before.strip(" \0")
        if alone or is_absurd(start) or (refresh and _REFRESH_BEFORE.search(before[-TAIL:])):
            self._within = "whole"
        elif context is None:
            self._within = "bare"
        else:
            self._quote = context["value"] or context["begun"] or context["quote"] or ""
            self._within = str(context.lastgroup)
        self._alone, self._depth, self._last, self._path = False, 0, "", ""
        self._named = start["odd"] is None
        service = _SERVICE_BEFORE.search(before[-TAIL:]) if start[0] == "//" else None
        self._service = "" if service is None else service[1].lower()
        self._slashes, self._authority = start["www"] is None, "" if start["www"] is None else start[0]
        self._lead = start[0] if self._slashes else ""

    def _inside(self, text: str) -> str:
        """Follow the URL to its end; returns what stands behind it."""
        end = self._end(text)
        part = text if end is None else text[:end]
        self._follow(part)
        if end is None:
            self._last = (self._last + part)[-TAIL:]
            return ""
        self._within, self._tail = None, (self._last + part)[-2:] + text[end]
        self._unfinished = False
        return text[end + 1 :]

    def _end(self, text: str) -> int | None:
        """Return where the URL ends in a text that follows; None if it goes on."""
        begin = 0
        if self._quote:
            if (quote := self._closing_quote(text)) is None:
                return None
            self._within, begin = "quoted" if self._quote.endswith('"') else "bare", quote + 1
            self._quote = ""
        if self._within == "quoted" and begin < len(text):
            if _QUOTE_ENDS.match(text, begin):
                return begin
            self._within = "bare"
        if self._within in ("paren", "angle", "tag"):
            if (close := self._closing_mark(text)) is None:
                return None
            self._within, begin = "bare", close
        blank = _ENDS[str(self._within)].search(text, begin)
        return None if blank is None else blank.start()

    def _closing_mark(self, text: str) -> int | None:
        """Return the place of the mark that ends what the URL stands in; a bare URL goes on behind it."""
        for match in _ENDS[str(self._within)].finditer(text):
            escaped = (self._last + text[: match.start()])[-1:] == "\\"
            if escaped and match[0] != "\n":
                continue
            if self._within == "paren" and match[0] != "\n":
                self._depth += 1 if match[0] == "(" else -1
                if self._depth >= 0:
                    continue
            return match.start()
        return None

    def _closing_quote(self, text: str) -> int | None:
        bare = self._quote.lstrip("\\")
        for match in re.finditer(re.escape(bare), text):
            before = (self._last[-32:] + text[: match.start()])[-32:]
            if len(before) - len(before.rstrip("\\")) == len(self._quote) - len(bare):
                return match.end() - 1
        return None

    def _follow(self, text: str) -> None:
        while text:
            if self._slashes:
                if (slashes := _SLASHES.match(text)) is not None:
                    self._lead += slashes[0]
                    text = text[slashes.end() :]
                self._slashes = not text
                if text or len(self._lead) > LONGEST_START:
                    self._named = self._named and not ODD_LEAD.search(self._lead)
                    self._lead = self._lead[-1:] if not text else ""
            elif self._authority is not None:
                end = (_SERVICE_END if self._service else _AUTHORITY_END).search(text)
                self._authority += text if end is None else text[: end.start()]
                text = "" if end is None else text[end.start() :]
                if end is not None and end[0] == "/":
                    self._authority = self._authority.rstrip("\\")
                if end is not None or len(self._authority) > LONGEST_HOST:
                    self._named = self._named and self._rule.allows(self._authority, self._service)
                    self._authority = None
            else:
                seen = self._path + text
                nested = _NESTED.search(seen)
                self._unfinished = nested is not None and is_unfinished(nested)
                if nested is None or self._unfinished:
                    self._path = seen[-LONGEST_START:]
                    return
                self._named = self._named and nested["odd"] is None
                self._authority, self._slashes, self._path, self._service = "", True, "", ""
                self._lead = nested[0].lstrip("=")
                text = seen[nested.end() :]
