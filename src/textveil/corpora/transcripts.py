"""Transcripts, histories and notebooks as pieces of text that may be replaced, and all else as it is written.

Readers of such files are programs: keys, types, times and ids by which messages name each other must stay. So a string
of JSON stays if both its key and its form say what it is; every other string is text, and so are long whole numbers
and keys that are no plain words. A line that is no JSON is text as a whole. What is joined again is byte for byte what
was read, but for the pieces that were replaced.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from textveil.detection.secrets import find_tokens
from textveil.errors import InputError
from textveil.json_text import NUMBER, Leaf, LeafKind, escaped, is_json, json_data, leaves

JSON_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".ipynb")
TEXT_ENDINGS: Final = (".txt", ".md", ".markdown", ".log", ".history")
_BOM: Final = "\ufeff"
_DEEPEST: Final = 4  # JSON in strings of JSON in strings

_WORD_KEYS: Final = frozenset((
    "cell_type", "entrypoint", "kind", "level", "media_type", "mime_type", "mode", "model", "output_type", "role",
    "scope", "source_type", "status", "stop_reason", "subtype", "type", "userType", "version",
))  # fmt: skip
_WORD: Final = re.compile(r"[a-z][a-z0-9]*+(?:[-_./][a-z0-9]++){0,6}+")
_ID_KEY: Final = re.compile(r".{0,40}(?:[iI]d|ID|[uU]uid|UUID|_ids|Ids)")
_ID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?=[0-9a-f]*[a-f])[0-9a-f]{6,40}"
    r"|(?:call|chatcmpl|ctc|fc|item|msg|prt|req|resp|rs|run|ses|session|srvtoolu|thread|toolu|ws)[-_]"
    r"(?:(?:[0-9]{1,2}|bdrk|tool|vrtx)[-_])?(?:-?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-[0-9]{1,3})?"
    r"|(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[0-9A-Za-z]{8,64})"
)
_PREFIX: Final = re.compile(r"[A-Za-z0-9]{1,32}[-_.:]")
_PREFIXES: Final = 4  # that may stand before a secret
_LONGEST_ID: Final = 500
_TIME_KEY: Final = re.compile(r".{0,40}(?:[tT]imestamp|[tT]ime|_at|At|ts|when|updated|created)")
_KEY_WORD: Final = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]{1,40}")
_COUNTS: Final = frozenset(
    ("bytes", "count", "duration", "length", "line", "lineno", "ms", "ns", "port", "size", "tokens")
)
_TIMES: Final = frozenset(("at", "created", "ms", "ns", "time", "timestamp", "ts", "updated", "us", "when"))
_COUNT: Final = re.compile(r"\d{1,9}")
_STAMP: Final = re.compile(r"1[0-9]{9}(?:[0-9]{3}){0,3}")  # seconds of Unix, or their parts: no card begins with 1
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
_SEALED_KEYS: Final = frozenset(("encrypted_content", "signature", "thoughtSignature"))
_SEALED: Final = re.compile(r"[A-Za-z0-9+/_-]{64,}+={0,2}")
_PLAIN_KEY: Final = re.compile(r"(?=.{1,40}\Z)[A-Za-z][a-z]*+(?:[-_./+]?[A-Za-z][a-z]*+)*+")
_PICTURE: Final = re.compile(
    r"(?:data:[a-z]{1,20}/[a-z0-9.+-]{1,60};base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|Qk[01])[A-Za-z0-9+/=\r\n]{40,}+"
)
_BLANK: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="  # of one pixel
)
_PERSONAL: Final = {
    "user.name": "handle", "user.full_name": "person", "user.email": "email", "user.id": "id", "user.hash": "id",
    "enduser.id": "id", "enduser.pseudo.id": "id", "gen_ai.user.id": "id", "langfuse.user.id": "id", "user_id": "id",
}  # fmt: skip
"""Keys by which conventions of records name a person, and the kind of their whole value."""
_BARE_KEYS: Final = frozenset(("content", "message", "name", "output", "result", "stdout", "text", "title"))
"""Keys that say nothing of their value: it is searched without them."""
_LONGEST_FIELD: Final = 300  # characters of a value that is searched with its key before it
_LONG: Final = 600  # characters from which on a text is searched block by block
_BLANK_LINES: Final = re.compile(r"\n\s{0,200}\n(?=\S)")
_LONG_NUMBER: Final = re.compile(r"-?\d{7,64}")


class Piece(NamedTuple):
    """A text in a file: the line where it begins, and how it is written if it is a part of JSON."""

    text: str
    line: int
    leaf: Leaf | None = None
    # for each string of JSON that holds this one, the innermost first, whether it writes ASCII alone
    within: tuple[bool, ...] = ()

    def written(self, text: str) -> str:
        """Return it as it stands in the file, with another text in its place; a number stays one."""
        if self.leaf is None:
            return text
        if self.leaf.kind is LeafKind.NUMBER and text != self.text and not NUMBER.fullmatch(text):
            text = "1" + re.sub(r"\D", "", text)[1:]
        said = self.leaf.with_text(text)
        for ascii_alone in self.within:
            said = json.dumps(said, ensure_ascii=ascii_alone)[1:-1] if ascii_alone else escaped(said)
        return said


class Passage(NamedTuple):
    """A text that is searched at once, and where pieces begin in it (before it if below 0), with their number."""

    text: str
    pieces: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Transcript:
    """A file, taken apart."""

    parts: list[str | Piece] = field(default_factory=list)  # of the file, in order; what is no piece stays
    passages: list[Passage] = field(default_factory=list)  # of the pieces
    pictures: list[int] = field(default_factory=list)  # lines of pictures in base64, which nobody reads
    named: dict[int, str] = field(default_factory=dict)  # kinds of pieces that are values as a whole, by number
    attachments: frozenset[str] = frozenset()  # names of a notebook's attachments, by which its cells show them
    _line: int = 1
    _bytes_of: Callable[[str], bytes] = str.encode

    def joined(self, released: Sequence[str | None]) -> bytes:
        """Return the file's bytes; ``released`` has the text of each part that is replaced, None for all others."""
        return self._bytes_of("".join(map(_part_written, self.parts, released)))

    def raw(self, text: str) -> None:
        """Add characters that stay."""
        self.parts.append(text)
        self._line += text.count("\n")

    def text(self, text: str) -> None:
        """Add a text that is written as it is."""
        if text.isspace():
            self.raw(text)
        elif text:
            self._passages(text, self._add(Piece(text, self._line)))
            self._line += text.count("\n")

    def value(self, key: str, text: str) -> range:
        """Add a value of a record, and return the numbers of its parts; ``key`` may be of several words with points."""
        first, last_word = len(self.parts), key.rpartition(".")[2]
        if key in _PERSONAL and text.strip():
            self.named[self._add(Piece(text, self._line))] = _PERSONAL[key]
            return range(first, first + 1)
        if _hides_token(text):
            self.named[self._add(Piece(text, self._line))] = "secret"
            return range(first, first + 1)
        inner = leaves(text) if text[:1] in ("{", "[") else None
        if inner is not None:
            self._leaves(inner, (), blank=False)
        elif _stays(LeafKind.STRING, text, last_word):
            self.parts.append(text)
        else:
            self._field(key, text, self._add(Piece(text, self._line)))
        return range(first, len(self.parts))

    def written(self, numbers: Iterable[int], released: Sequence[str | None]) -> str:
        """Return parts joined again; ``released`` as for ``joined``."""
        return "".join(_part_written(self.parts[number], released[number]) for number in numbers)

    def json(self, text: str, *, blank: bool) -> None:
        """Add a text that is JSON, or else text; ``blank`` puts a blank in the place of each picture."""
        if (parts := leaves(text)) is None:
            self.text(text)
        else:
            self._leaves(parts, (), blank)

    def _add(self, piece: Piece) -> int:
        self.parts.append(piece)
        return len(self.parts) - 1

    def _leaves(self, parts: Sequence[str | Leaf], within: tuple[bool, ...], blank: bool) -> None:
        key, listed, between, in_list = "", list[tuple[int | None, str]](), "", False
        for part in parts:
            if isinstance(part, str):
                self.raw(_within(part, within))
                between = part.strip()
                if between[:1] in ("}", "]") or between[-1:] == "{":
                    key = ""
                continue
            in_list = part.kind is LeafKind.STRING and (between[-1:] == "[" or (in_list and between == ","))
            part = self._unsigned(part, key, within)
            if listed and (between != "," or not in_list):
                listed = self._list(listed)
            if part.kind is LeafKind.KEY:
                key = part.text
            if part.kind is LeafKind.KEY and part.text in self.attachments:
                self.named[self._add(Piece(part.text, self._line, part, within))] = "handle"
                continue
            line_of_cell = in_list and part.text.endswith("\n")
            if _stays(part.kind, part.text, key):
                self.raw(_within(part.written, within))
                if in_list:
                    listed.append((None, part.text))
            elif part.kind is LeafKind.STRING and _PICTURE.fullmatch(part.text):
                self._picture(part, within, blank)
            elif not line_of_cell and part.kind is LeafKind.STRING and (inner := _inner(part, within)) is not None:
                self.raw(_within('"', within))
                self._leaves(inner[0], (inner[1], *within), blank)
                self.raw(_within('"', within))
            else:
                number = self._add(Piece(part.text, self._line, part, within))
                if part.kind is not LeafKind.NUMBER and _hides_token(part.text):
                    self.named[number] = "secret"
                    if in_list:
                        listed.append((None, part.text))
                elif in_list:
                    listed.append((number, part.text))
                else:
                    self._field("" if part.kind is LeafKind.KEY else key, part.text, number)
        if listed:
            self._list(listed)

    def _unsigned(self, part: Leaf, key: str, within: tuple[bool, ...]) -> Leaf:
        """Keep the sign of a number, so that the search sees its digits."""
        if part.kind is not LeafKind.NUMBER or part.text[:1] != "-" or _stays(part.kind, part.text, key):
            return part
        self.raw(_within("-", within))
        return part._replace(text=part.text[1:], written=part.written[1:])

    def _list(self, listed: Sequence[tuple[int | None, str]]) -> list[tuple[int | None, str]]:
        """Add strings of an array as one passage: lines of a cell, or words of a command."""
        mark = " " if any(text.startswith("-") for _, text in listed) else "\n"
        between = "" if all(text.endswith("\n") for _, text in listed[:-1]) else mark
        places, at = [], 0
        for number, text in listed:
            if number is not None:
                places.append((at, number))
            at += len(text) + len(between)
        if places:
            self.passages.append(Passage(between.join(text for _, text in listed), tuple(places)))
        return []

    def _field(self, key: str, text: str, number: int) -> None:
        """Add a piece as a passage, with its key before it where that tells what it is."""
        if not key or key in _BARE_KEYS or "\n" in text or len(text) > _LONGEST_FIELD:
            self._passages(text, number)
            return
        head, end = (f'"{key}": ', "") if _LONG_NUMBER.fullmatch(text) else (f'"{key}": "', '"')
        if '"' in text or "\\" in text:
            head, end = f"{key}: ", ""
        self.passages.append(Passage(f"{head}{text}{end}", ((len(head), number),)))

    def _passages(self, text: str, number: int) -> None:
        """Add a piece as one passage; a long one block by block, since transcripts say most blocks again."""
        at = 0
        if len(text) > _LONG:
            for match in _BLANK_LINES.finditer(text):
                block = text[at : match.end()]
                if block.count("-----BEGIN") <= block.count("-----END"):
                    self.passages.append(Passage(block, ((-at, number),)))
                    at = match.end()
        self.passages.append(Passage(text[at:], ((-at, number),)))

    def _picture(self, leaf: Leaf, within: tuple[bool, ...], blank: bool) -> None:
        head = leaf.text[: leaf.text.find(",") + 1] if leaf.text.startswith("data:") else ""
        self.pictures.append(self._line)
        self.raw(_within(leaf.with_text(head + _BLANK) if blank else leaf.written, within))


def _part_written(part: str | Piece, released: str | None) -> str:
    return part if isinstance(part, str) else part.written(part.text if released is None else released)


def _within(written: str, within: Sequence[bool]) -> str:
    for ascii_alone in within:
        written = json.dumps(written, ensure_ascii=ascii_alone)[1:-1] if ascii_alone else escaped(written)
    return written


def _stays(kind: LeafKind, text: str, key: str) -> bool:
    """Tell whether key and form say that this is no text."""
    if kind is LeafKind.KEY:
        return _PLAIN_KEY.fullmatch(text) is not None and not holds_token(text)
    if kind is not LeafKind.STRING:
        return kind is LeafKind.WORD or not _LONG_NUMBER.fullmatch(text) or is_count(key, text)
    if key in _WORD_KEYS and len(text) <= 80 and _WORD.fullmatch(text):
        return True
    if _ID.fullmatch(text) and _ID_KEY.fullmatch(key):
        return not holds_token(text)
    if _TIME.fullmatch(text) and _TIME_KEY.fullmatch(key):
        return True
    return text.isspace() or not text or (key in _SEALED_KEYS and _SEALED.fullmatch(text) is not None)


def is_count(key: str, digits: str) -> bool:
    """Tell whether the last word of a key and the digits of a number say that it counts, or is a time."""
    words = [word.lower() for word in _KEY_WORD.findall(key)]
    last = words[-1] if words else ""
    counts = last in _COUNTS or words[-2:] == ["thread", "id"]
    return (counts and _COUNT.fullmatch(digits) is not None) or (
        last in _TIMES and _STAMP.fullmatch(digits) is not None
    )


@lru_cache(4_096)
def holds_token(text: str) -> bool:
    """Tell whether a string is a key or token of a known form, or one behind prefixes such as ``call_``."""
    at, ends = 0, [0]
    while len(ends) <= _PREFIXES and (prefix := _PREFIX.match(text, at)) is not None:
        at = prefix.end()
        ends.append(at)
    return len(text) <= _LONGEST_ID and any(next(find_tokens(text[end:]), None) is not None for end in ends)


def _hides_token(text: str) -> bool:
    """Tell whether a string is a prefix and a token, which a search does not part."""
    return _PREFIX.match(text) is not None and not any(map(str.isspace, text)) and holds_token(text)


def _inner(leaf: Leaf, within: Sequence[bool]) -> tuple[list[str | Leaf], bool] | None:
    """Return the leaves of JSON in a string, and whether the string writes ASCII alone; None if it is none."""
    if len(within) >= _DEEPEST or len(leaf.text) < 3 or not is_json(leaf.text):
        return None
    for ascii_alone in (False, True):
        if json.dumps(leaf.text, ensure_ascii=ascii_alone) == leaf.written:
            parts = leaves(leaf.text)
            return None if parts is None else (parts, ascii_alone)
    return None


_HISTORY: Final = re.compile(r"history|histfile|_hist\Z")
_ZSH: Final = re.compile(r": \d{1,12}:\d{1,9};")
_FISH: Final = re.compile(r"- cmd: |  when: \d{1,12}(?=\n|\Z)|  paths:(?=\n|\Z)|    - ")
_BASH_TIME: Final = re.compile(r"#\d{9,12}(?=\n|\Z)")
_META, _MASK = 0x83, 0x20  # zsh writes some bytes of a history as two: a mark, and the byte with one bit turned


def _metafied(text: str) -> bytes:
    escape = lambda match: bytes((_META, match[0][0] ^ _MASK))  # noqa: E731
    return re.sub(rb"[\x00\x83-\xa2]", escape, text.encode())


def is_read(path: Path) -> bool:
    """Tell whether a folder's file has a name of a form that is read."""
    return path.suffix.lower() in (*JSON_ENDINGS, *TEXT_ENDINGS) or bool(_HISTORY.search(path.name.lower()))


def transcript_of(name: str, data: bytes, *, blank: bool = False, line: int = 1) -> Transcript:
    """Take a file apart by its name and its form.

    ``name``: of the file; ``data``: all of it; ``blank``: whether each picture becomes a blank one; ``line``: number of
    its first line. Raises InputError: it is no text in UTF-8.
    """
    history = _HISTORY.search(Path(name).name.lower()) is not None
    transcript = Transcript(_line=line)
    if history and b"\x83" in data and _ZSH.match(data[:30].decode("latin-1")):
        transcript = Transcript(_bytes_of=_metafied, _line=line)
        data = re.sub(rb"\x83(.)", lambda match: bytes((match[1][0] ^ _MASK,)), data, flags=re.DOTALL)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is None or "\0" in text:
        raise InputError("the file must be text in UTF-8; it is not. Convert it, or leave it out.")
    if text.startswith(_BOM):
        transcript.raw(_BOM)
        text = text[1:]
    if (ending := Path(name).suffix.lower()) == ".ipynb":
        transcript.attachments = _attachments(text)
    if ending in (".json", ".ipynb") and is_json(text):
        transcript.json(text, blank=blank)
    elif ending in JSON_ENDINGS:
        for row in re.split(r"(?<=\n)", text):
            body = row.rstrip("\r\n")
            transcript.json(body, blank=blank)
            transcript.raw(row[len(body) :])
    elif history:
        _history(transcript, text)
    else:
        transcript.text(text)
    return transcript


_NEUTRAL: Final = re.compile(r"(?:attachment|image|img|screenshot)?[-_ ]?[0-9a-f-]{0,36}\.[a-z]{2,5}")


def _attachments(text: str) -> frozenset[str]:
    try:
        cells = json_data(text).get("cells", ())
        names = {name for cell in cells for name in cell.get("attachments", ())}
    except (ValueError, AttributeError, TypeError):
        return frozenset()
    return frozenset(name for name in names if not _NEUTRAL.fullmatch(name))


def _history(transcript: Transcript, text: str) -> None:
    """Add the entries of a shell's history: each is searched by itself if its time stands before it."""
    entry: list[str] = []
    begins = _FISH if text.startswith("- cmd: ") else _ZSH if _ZSH.match(text) else _BASH_TIME
    for line in re.split(r"(?<=\n)", text):
        if (mark := begins.match(line)) is not None:
            transcript.text("".join(entry))
            transcript.raw(mark[0])
            entry = []
        entry.append(line[mark.end() :] if mark else line)
    transcript.text("".join(entry))
