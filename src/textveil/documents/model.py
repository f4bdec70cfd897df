"""One model of all formats: a document is passages, each written in pieces that keep their looks."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from textveil.cuts import replaced as replaced_text
from textveil.pages.layout import Line
from textveil.surrogates.map_file import PrivateMap, Replaced

Images: TypeAlias = Literal["blank", "ocr", "refuse"]
"""What becomes of pictures: an empty one of the same size, one whose text is read and painted over, or a refusal."""


PUBLIC: Final = re.compile(
    r"Click to (?:edit|add) (?:the )?(?:[Mm]aster )?(?:sub)?(?:title|text|notes|picture)(?: format)?(?: styles?)?"
    r"|(?:Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth) (?:[Oo]utline )?[Ll]evel"
    r"|Click icon to add (?:picture|table|chart)|\u2039#\u203a"
)
"""What stands in the empty places of every show: no text of anybody."""


STATED: Final = re.compile(
    r"[01]|true|false|#(?:N/A|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|GETTING_DATA|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!"
    r"|BUSY!|EXTERNAL!|PYTHON!|TIMEOUT!)"
)
"""What cells state of themselves: truth, and errors of formulas."""


class Cut(NamedTuple):
    """The characters ``text[start:end]`` become ``new``; ``kind`` is that of the span, empty if it is none."""

    start: int
    end: int
    new: str
    kind: str = ""


class Piece(NamedTuple):
    """A place where some characters of a passage are written.

    Attributes:
        text: them, as they are read.
        write: puts others there; returns how they are read from then on, where that is another text.
        shown: what stands in the file for them, where that is another text than the one that is read.
    """

    text: str
    write: Callable[[str], object]
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
        """All of it."""
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

    What is new for characters of several passages is parted as they are; where it cannot be, the first gets all of it.
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
