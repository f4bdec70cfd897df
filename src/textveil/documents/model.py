"""One model of all formats: a document is passages, each written in pieces that keep their looks.

``check`` is the check before a document is handed over, by another reader than the writer's, part by part: all
text that the other reader sees must be text of the release, and no value that was drawn may stand anywhere else: in an
attribute, in a name of a part, a font or a style, in any of its spellings and escapes, split or whole.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias
from urllib.parse import unquote

from textveil.cuts import replaced as replaced_text
from textveil.errors import InternalError
from textveil.pages.layout import Line
from textveil.surrogates.map_file import PrivateMap, Replaced

Images: TypeAlias = Literal["blank", "ocr", "refuse"]
"""The treatment of pictures: an empty one of the same size, one whose text is read and painted over, or a refusal."""
PUBLIC: Final = re.compile(
    r"Click to (?:edit|add) (?:the )?(?:[Mm]aster )?(?:sub)?(?:title|text|notes|picture)(?: format)?(?: styles?)?"
    r"|(?:Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth) (?:[Oo]utline )?[Ll]evel"
    r"|Click icon to add (?:picture|table|chart)|\u2039#\u203a"
)
"""Words in the empty places of every show: no text of anybody."""
STATED: Final = re.compile(
    r"[01]|true|false|#(?:N/A|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|GETTING_DATA|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!"
    r"|BUSY!|EXTERNAL!|PYTHON!|TIMEOUT!)"
)
"""Values that cells may have of themselves: truth, and errors of formulas."""


class Cut(NamedTuple):
    """The characters ``text[start:end]`` become ``new``; ``kind`` is that of the span, empty if it is none."""

    start: int
    end: int
    new: str
    kind: str = ""


class Piece(NamedTuple):
    """A place where some characters of a passage are written.

    ``shown``: what stands in the file for them, if that is another text than the one that is read.
    """

    text: str  # them, as they are read
    write: Callable[[str], object]  # puts others there; returns how they are read from then on, if that is another text
    shown: Callable[[], str] | None = None


def slot(held: list[str], at: int = 0) -> Piece:
    """Return the place of a text that a list holds."""
    return Piece(held[at], lambda new: held.__setitem__(at, new))


@dataclass(slots=True)
class Passage:
    """Text that is read as one, though it may be written in several pieces: a paragraph, a cell, a title.

    ``part``: the kind of part in which it stands, for reports; ``before``: what parts it from the passage before, a tab
    in a row of cells; ``level``: of a heading, from 1, else 0; ``page``: the number of the page, or of the part among
    those of its kind, from 1; 0 if nobody counts them.
    """

    part: str
    pieces: list[Piece] = field(default_factory=list)
    before: str = "\n"
    level: int = 0
    page: int = 0

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def shown(self) -> str:
        """The bytes that stand in the file for it."""
        return "".join(piece.text if piece.shown is None else piece.shown() for piece in self.pieces)

    def write(self, cuts: Sequence[Cut]) -> None:
        """Replace characters, in order and apart; the piece in which a cut begins gets what is new."""
        start, pieces = 0, []
        waiting = list(cuts)
        for number, piece in enumerate(self.pieces):
            end, at, text = start + len(piece.text), start, ""
            for cut in list(waiting):
                begins = start <= cut.start and (cut.start < end or cut.start == cut.end == end)
                last = number == len(self.pieces) - 1
                if cut.start > end or (cut.start == end and not begins and not last):
                    break
                text += piece.text[at - start : max(cut.start, at) - start]
                text += cut.new if begins or (last and cut.start >= end) else ""
                at = max(at, min(cut.end, end))
                if cut.end <= end:
                    waiting.remove(cut)
            text += piece.text[at - start :]
            if text != piece.text:
                read = piece.write(text)
                text = read if isinstance(read, str) else text
            pieces.append(piece._replace(text=text))
            start = end
        self.pieces = pieces


class Content(Protocol):
    """A file that was read; see the package's docstring."""

    passages: list[Passage]
    parts: Counter[str]
    removed: Counter[str]

    def written(self) -> bytes:
        """Return the file, whole."""


def joined(passages: Iterable[Passage]) -> str:
    """Return the text of all passages as one, in which a value is one value."""
    return "".join(passage.before + passage.text for passage in passages)


def lines(passages: Iterable[Passage]) -> list[Line]:
    """Return where each passage stands in the text that is ``joined``, and in the document."""
    told, at = [], 0
    for passage in passages:
        start = at + len(passage.before)
        at = start + len(passage.text)
        told.append(Line(start, at, passage.part, passage.page, passage.level, passage.before == "\t"))
    return told


def write(passages: Sequence[Passage], cuts: Sequence[Cut]) -> PrivateMap:
    """Write into passages what is new in their joined text; returns how to undo it.

    What is new for characters of several passages is parted as they are; if it cannot be, the first gets all of it.
    """
    start, number = 0, 0
    released: list[str] = []
    replaced: list[Replaced] = []
    length = 0
    waiting = list(reversed(cuts))
    for passage in passages:
        text = passage.text
        begin, end = start + len(passage.before), start + len(passage.before) + len(text)
        own: list[Cut] = []
        while waiting and waiting[-1].start <= end:
            cut = waiting.pop()
            if cut.start < begin:  # what parts passages is no text of theirs
                cut = cut._replace(start=begin)
            if cut.end > end:
                head, rest = _parted(cut, end, passages[number + 1].before if number + 1 < len(passages) else "")
                own.append(head)
                waiting.append(rest)
                break
            if cut.end > cut.start or cut.new:
                own.append(cut)
        own = [cut._replace(start=cut.start - begin, end=cut.end - begin) for cut in own]
        length += len(passage.before)
        passage.write(own)
        now = passage.text
        if own and now != replaced_text(text, [cut[:3] for cut in own]):
            # A number is written as numbers are: it is one piece.
            own = [Cut(0, len(text), now, own[0].kind)]
        moved = length
        for cut in own:
            replaced.append(
                Replaced(moved + cut.start, moved + cut.start + len(cut.new), text[cut.start : cut.end], cut.kind)
            )
            moved += len(cut.new) - (cut.end - cut.start)
        released += [passage.before, now]
        length += len(now)
        start, number = end, number + 1
    return PrivateMap(released="".join(released), replaced=tuple(replaced))


def _parted(cut: Cut, end: int, between: str) -> tuple[Cut, Cut]:
    """Cut what is new in two where a passage ends."""
    head, found, tail = cut.new.partition(between) if between else (cut.new, "", "")
    if not found:
        head, tail = cut.new, ""
    return Cut(cut.start, end, head, cut.kind), Cut(
        end + len(between), max(cut.end, end + len(between)), tail, cut.kind
    )


_SHORTEST: Final = 4  # letters and digits from which on a value is looked for outside of text
_LONG: Final = 8
_ESCAPED: Final = re.compile(r"[&%]|_x")
_CODE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_MARKS: Final = re.compile(r"[^\w]|_")


class Shown(NamedTuple):
    """A string of a written file, the kind of part it stands in, and whether it is text rather than a name or mark."""

    part: str
    string: str
    text: bool


@dataclass(frozen=True)
class Certificate:
    """Counts of the parts of a document by their treatment, and the result of the check; holds no text."""

    parts: Mapping[str, int]
    removed: Mapping[str, int]
    readers: Sequence[str]
    strings: int
    values: int

    def plus(self, other: Certificate) -> Certificate:
        """Return that of several documents."""
        return Certificate(
            Counter(self.parts) + Counter(other.parts),
            Counter(self.removed) + Counter(other.removed),
            sorted({*self.readers, *other.readers}),
            self.strings + other.strings,
            self.values + other.values,
        )

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Certificate:
        """Return it from its JSON data. Raises KeyError, TypeError or ValueError: the data are no certificate's."""
        checked = data["checked"]
        parts, removed = (
            {str(kind): int(count) for kind, count in data[name].items()} for name in ("parts", "removed")
        )
        readers = [str(reader) for reader in checked["readers"]]
        return cls(parts, removed, readers, int(checked["strings"]), int(checked["values_searched"]))

    def to_data(self) -> dict[str, Any]:
        return {
            "parts": dict(sorted((kind, count) for kind, count in self.parts.items() if count)),
            "removed": dict(sorted((kind, count) for kind, count in self.removed.items() if count)),
            "checked": {"readers": list(self.readers), "strings": self.strings, "values_searched": self.values},
        }


def folded(text: str) -> str:
    """Return letters and digits alone, in one case: how a value is compared, whatever splits it."""
    return _MARKS.sub("", text).casefold()


class _Starts:
    """Values of a least length by their first characters, to be found within texts in one pass."""

    def __init__(self, values: Iterable[str], least: int) -> None:
        self._least = least
        self._values = {value for value in values if len(value) >= least}
        self._lengths: dict[str, set[int]] = {}
        for value in self._values:
            self._lengths.setdefault(value[:least], set()).add(len(value))

    def within(self, text: str) -> Iterator[str]:
        """Yield the values that a text holds, as often as it does."""
        for at in range(len(text) - self._least + 1) if self._values else ():
            for length in self._lengths.get(text[at : at + self._least], ()):
                if (value := text[at : at + length]) in self._values:
                    yield value


class _Values:
    """The values that were drawn, to be found in strings in time that is linear in these."""

    def __init__(self, values: set[str]) -> None:
        self.all = values
        self._long = _Starts(values, _LONG)

    def __len__(self) -> int:
        return len(self.all)

    def held_by(self, string: str) -> bool:
        """Tell whether a string holds a value: a long one anywhere, a short one as a word or several."""
        forms = {string}
        if _ESCAPED.search(string):
            plain = _CODE.sub(lambda match: chr(int(match[1], 16)), string)
            forms |= {html.unescape(plain), unquote(string), unquote(html.unescape(plain))}
        return any(map(self._held_as, forms))

    def _held_as(self, form: str) -> bool:
        own = folded(form)
        if own in self.all or not self.all.isdisjoint(map(str.casefold, _WORDS.findall(form))):
            return True
        return next(self._long.within(own), None) is not None


def check(shown: Iterable[Shown], passages: Iterable[Passage], private_map: PrivateMap | None) -> tuple[int, int]:
    """Refuse a written file that shows more than its release; returns how many strings were seen, and values searched.

    Raises InternalError: it does; the kind of part is named, never what stands there.
    """
    allowed = Counter(folded(passage.shown) for passage in passages)
    pieces = private_map.replaced if private_map is not None else ()
    released = private_map.released if private_map is not None else ""
    values = {folded(piece.original) for piece in pieces if piece.kind}
    values -= {folded(released[piece.start : piece.end]) for piece in pieces}
    # What the release says by itself tells nothing wherever else it stands.
    said, words = folded(released), " ".join(_WORDS.findall(released)).casefold()
    values = {value for value in values if len(value) >= _SHORTEST}
    values.difference_update(_Starts(values, _LONG).within(said))
    values.difference_update(_Starts([value for value in values if len(value) < _LONG], _SHORTEST).within(words))
    searched = _Values(values)
    count, clean = 0, set[str]()
    for part, string, text in sorted(shown, key=lambda one: not one.text):  # text is what passages are first
        count += 1
        if not (own := folded(string)):
            continue
        if text or allowed[own] > 0:
            if allowed[own] <= 0:
                raise _refused(part, "text that the release does not have")
            allowed[own] -= 1
        elif string not in clean:
            if searched.held_by(string):
                raise _refused(part, "a value that was drawn")
            clean.add(string)
    return count, len(searched)


def _refused(part: str, what: str) -> InternalError:
    return InternalError(f"the written document holds {what}, in a part of the kind {part}. No file was written.")
