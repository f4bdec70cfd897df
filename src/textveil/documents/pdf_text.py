"""Content of PDF pages: operators that are known, and text that is read glyph by glyph and written at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from math import ceil
from typing import Any, Final, NamedTuple, TypeAlias

from textveil.documents.model import Passage, Piece
from textveil.errors import MissingExtra

with MissingExtra("pikepdf", "documents"):
    from pdfminer.fontmetrics import FONT_METRICS
    from pdfminer.pdffont import PDFUnicodeNotDefined
    from pikepdf import Array, ContentStreamInstruction, Name, Operator, String

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
IDENTITY: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_GAP: Final = 0.2  # of a size, from which on two glyphs are two words
_CELL: Final = 1.5  # likewise, two cells
_BULLETS: Final = "\uf0b7\uf0a7\uf0d8\uf0fc\uf0a8\uf076"
_STYLES: Final = {
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
}
_FIXED: Final = re.compile(r"(?i)courier|mono|typewriter|consol|cmtt|menlo")
_SERIF: Final = re.compile(
    r"(?i)times|roman|serif|georgia|garamond|cmr|cmb|cmti|sfrm|cambria|palatino|book|minion|nimbusrom"
)


def times(one: Matrix, other: Matrix) -> Matrix:
    """Return the matrix that applies one, then the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def style_of(name: str, flags: int) -> str:
    """Return the standard font whose glyphs are as wide as those of a font of this name, or nearly."""
    fixed = flags & 1 or _FIXED.search(name)
    sans = re.search("(?i)sans|arial|helvet", name)
    family = "Courier" if fixed else "Times" if not sans and (flags & 2 or _SERIF.search(name)) else "Helvetica"
    bold = bool(re.search("(?i)bold|black|heavy|cmb", name) or flags & 1 << 18)
    slanted = bool(re.search("(?i)ital|obli|slant|cmti", name) or flags & 64)
    return _STYLES[family][bold + 2 * slanted]


class Glyph(NamedTuple):
    """A code of a font, what it reads as, and how far it goes; a move of the pen has no code."""

    code: bytes
    text: str
    width: float


class Font:
    """A font of the file: how its codes are read. ``seen``: codes that were, by what they read as."""

    def __init__(self, read: Any, name: str, flags: int) -> None:
        self._read = read
        self.style = style_of(name, flags)
        self.seen: dict[str, tuple[bytes, float]] = {}
        self.texts: dict[bytes, str] = {}
        self._glyphs: dict[bytes, Glyph | None] = {}

    def glyphs(self, data: bytes) -> list[Glyph] | None:
        """Return what a string shows; None if it cannot be read."""
        if self._read is None or self._read.is_vertical():
            return None
        size = 2 if self._read.is_multibyte() else 1
        found = []
        for at in range(0, len(data), size):
            if (own := data[at : at + size]) not in self._glyphs:
                self._glyphs[own] = self._glyph(own)
            if (glyph := self._glyphs[own]) is None:
                return None
            found.append(glyph)
        return None if size > 1 and len(list(self._read.decode(data))) * size != len(data) else found

    def _glyph(self, own: bytes) -> Glyph | None:
        try:
            (code,) = self._read.decode(own)
            text, width = self._read.to_unichr(code), float(self._read.char_width(code))
        except (PDFUnicodeNotDefined, ValueError, TypeError, LookupError):
            return None
        if not isinstance(text, str) or not text or not all(_readable(character) for character in text):
            return None
        self.seen.setdefault(text, (own, width))
        self.texts[own] = text
        return Glyph(own, text, width)


def _readable(character: str) -> bool:
    return (
        character in "\t\n\xad"
        or character in _BULLETS
        or (
            (character.isprintable() or character.isspace())
            and not ("\ue000" <= character <= "\uf8ff" or character == "\ufffd")
        )
    )


@dataclass(slots=True)
class Part:
    """Letters and digits of a run, or marks or spaces of one.

    ``new``: what is written for it, None as long as it stays; ``room``: how wide that may be, where it takes the place
    of parts of other runs too.
    """

    text: str
    run: Run | None = None
    items: list[Glyph] = field(default_factory=list)
    new: str | None = None
    room: float | None = None

    def write(self, text: str) -> None:
        self.new = text


@dataclass(slots=True)
class State:
    """The state of text at a place of a content stream."""

    ctm: Matrix = IDENTITY
    font: Font | None = None
    name: str = ""
    size: float = 0.0
    letter: float = 0.0
    word: float = 0.0
    scale: float = 1.0
    leading: float = 0.0

    def copy(self) -> State:
        return State(self.ctm, self.font, self.name, self.size, self.letter, self.word, self.scale, self.leading)


@dataclass(slots=True)
class Run:
    """The text of one operator: words and spaces, in a font at a place."""

    state: State
    start: tuple[float, float]
    along: tuple[float, float]  # where the pen goes, by units of text
    parts: list[Part]

    @property
    def width(self) -> float:
        """Return how far the pen goes, in units of text."""
        return sum(glyph.width for part in self.parts for glyph in part.items)

    @property
    def end(self) -> tuple[float, float]:
        """Return where the pen was when it was farthest."""
        widths = accumulate((glyph.width for part in self.parts for glyph in part.items), initial=0.0)
        return self.at(max(widths))

    def at(self, width: float) -> tuple[float, float]:
        """Return the place of the page that is so far from the start."""
        width *= self.state.scale
        return self.start[0] + self.along[0] * width, self.start[1] + self.along[1] * width

    def bounds(self, part: Part) -> tuple[float, float]:
        """Return how far from the start a part begins, and ends."""
        begin = 0.0
        for own in self.parts:
            width = sum(glyph.width for glyph in own.items)
            if own is part:
                return begin, begin + width
            begin += width
        return begin, begin

    def instructions(self, fonts: Fonts) -> Iterator[ContentStreamInstruction]:
        """Yield what shows this run; what is new stands in the width of what was there."""
        state, row, waiting = self.state, [], list(self.parts)
        while waiting:
            part = waiting.pop(0)
            if part.new is None:
                row += [_shown(glyph, state) for glyph in part.items]
                continue
            changed = [part]
            while waiting and waiting[0].new is not None:
                changed.append(waiting.pop(0))
            width = sum(glyph.width for one in changed for glyph in one.items)
            if not (text := "".join(one.new or "" for one in changed)) or not state.size:
                # In steps that are no space each: nothing stands there.
                steps = max(1, ceil(abs(width / state.size) / (_GAP / 2))) if state.size else 1
                row += [_shown(Glyph(b"", "", width / steps), state)] * min(steps, 10_000)
                continue
            if row:
                yield _do("TJ", Array(row))
                row = []
            room = changed[0].room or width
            yield from self._new(text, room, fonts)
            if abs(room - width) > 1e-6:
                row.append(_shown(Glyph(b"", "", width - room), state))
        if row:
            yield _do("TJ", Array(row))

    def _new(self, text: str, width: float, fonts: Fonts) -> Iterator[ContentStreamInstruction]:
        state = self.state
        assert state.font is not None
        name, codes = fonts.encoded(text, state.font, state.name)
        natural = sum(own for _, own in codes) * state.size
        squeezed = natural and abs(width) < abs(natural)
        yield _do("Tf", Name(name), state.size)
        yield _do("Tc", 0)
        yield _do("Tw", 0)
        if squeezed:
            yield _do("Tz", round(100 * state.scale * max(abs(width / natural), 0.05), 3))
            yield _do("Tj", String(b"".join(code for code, _ in codes)))
        else:  # the last glyph goes as far as what was there
            if codes[:-1]:
                yield _do("Tj", String(b"".join(code for code, _ in codes[:-1])))
            yield _do("Tc", round(width - natural, 4))
            yield _do("Tj", String(codes[-1][0]))
        yield _do("Tz", 100 * state.scale)
        yield _do("Tc", state.letter)
        yield _do("Tw", state.word)
        yield _do("Tf", Name(state.name), state.size)


def _shown(glyph: Glyph, state: State) -> Any:
    if glyph.code:
        return String(glyph.code)
    return round(-1000 * glyph.width / state.size, 3) if state.size else 0


def _do(operator: str, *operands: Any) -> ContentStreamInstruction:
    return ContentStreamInstruction(list(operands), Operator(operator))


class Fonts:
    """Fonts of new text in one content stream: that of its place where that has the characters, else a standard one."""

    WIDE: Final = "/TextveilWide"

    def __init__(self, wide: set[str]) -> None:
        self.used: dict[str, str] = {}  # resource by standard font
        self._wide = wide

    def encoded(self, text: str, font: Font, name: str) -> tuple[str, list[tuple[bytes, float]]]:
        """Return the resource of a font, and codes with their widths."""
        if all(character in font.seen for character in text):
            return name, [font.seen[character] for character in text]
        widths = FONT_METRICS[font.style][1]
        try:
            codes = [(character.encode("cp1252"), widths.get(character, 500) / 1000) for character in text]
        except UnicodeEncodeError:
            self.used["wide"] = self.WIDE
            self._wide.update(text)
            return self.WIDE, [(character.encode("utf-16-be")[:2], 0.6) for character in text]
        return self.used.setdefault(font.style, f"/Textveil{font.style.replace('-', '')}"), codes


class Lines:
    """Makes passages of runs: those of one line are one, wherever its operators end."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.parts: list[list[Part]] = []
        self._last: Run | None = None
        self._page = 0

    def turn(self) -> None:
        """Begin a page."""
        self._last = None
        self._page += 1

    def add(self, run: Run) -> None:
        before = "\n\n"
        scale = (run.along[0] ** 2 + run.along[1] ** 2) ** 0.5
        size = abs(run.state.size) * scale or 1.0
        if self._last is not None and scale:
            start, end = run.at(run.bounds(next(part for part in run.parts if part.text))[0]), self._last.end
            x, y = start[0] - end[0], start[1] - end[1]
            gap, off = ((x * run.along[0] + y * run.along[1]) / scale, (x * run.along[1] - y * run.along[0]) / scale)
            before = "\n" if abs(off) < 2.2 * size else "\n\n"
            if abs(off) < 0.4 * size and -0.5 * size < gap:
                close = _CELL if _is_letter(self._last) and _is_letter(run) else _GAP  # a letter in each box
                before = "" if gap < close * size else " " if gap < _CELL * size else "\t"
        self._last = run
        # A move before the first glyph is a space of the line that goes on, and nothing in one that begins.
        if not run.parts[0].items[0].code and (before not in ("", " ") or self.parts[-1][-1].text.isspace()):
            run.parts[0].text = run.parts[0].text.lstrip()
        if before in ("", " ") and self.parts:
            if before and not self.parts[-1][-1].text.isspace() and not run.parts[0].text.isspace():
                self._put(Part(" "))
        else:
            self.passages.append(Passage("text of a page", [], before, page=self._page))
            self.parts.append([])
        for part in run.parts:
            self._put(part)

    def _put(self, part: Part) -> None:
        self.parts[-1].append(part)
        if part.text:
            self.passages[-1].pieces.append(Piece(part.text, part.write))

    def spread(self) -> None:
        """Part what is new for words of several runs as they are, if it has as many: each stands at its place."""
        for line in self.parts:
            for changed, group in groupby(line, lambda part: part.new is not None):
                if changed:
                    _spread(list(group))


def _is_letter(run: Run) -> bool:
    text = "".join(part.text for part in run.parts)
    return len(text) == 1 and text.isalnum()


def _spread(group: Sequence[Part]) -> None:
    if len({id(part.run) for part in group if part.run is not None}) < 2:
        return
    words = [list(parts) for space, parts in groupby(group, lambda part: part.text.isspace()) if not space]
    text = "".join(part.new or "" for part in group)
    new = text.split(" ")
    whole = len(new) != len(words) or group[0] is not words[0][0]
    words, new = ([list(group)], [text]) if whole else (words, new)
    for part in group:
        part.new = None if part.text.isspace() and not whole else ""
    for parts, text in zip(words, new, strict=True):
        if not (placed := [part for part in parts if part.run is not None]):
            continue
        first, run, last = placed[0], placed[0].run, placed[-1].run
        assert run is not None and last is not None
        parts[0].new, first.new = "", text
        start, end = run.at(run.bounds(first)[0]), last.at(last.bounds(placed[-1])[1])
        length = run.along[0] ** 2 + run.along[1] ** 2
        far = sum((end[at] - start[at]) * run.along[at] for at in (0, 1))
        if length and run.state.scale and far > 0:
            first.room = far / length / run.state.scale


def _kind(text: str) -> int:
    """Return whether a text is space (0), letters and digits (1) or marks (2), which stay in place beside a value."""
    return 0 if text.isspace() else 1 if text[:1].isalnum() else 2


def parts_of(strings: Sequence[Any], state: State) -> list[Part] | None:
    """Return the words, marks and spaces that an operator shows; None if a glyph of it cannot be read."""
    parts: list[Part] = []
    if state.font is None:
        return None

    def put(text: str, item: Glyph) -> None:
        kind = _kind(text)
        if not parts or _kind(parts[-1].text) != kind or (kind == 0 and not item.code):
            parts.append(Part(""))
        parts[-1].text += text
        parts[-1].items.append(item)

    for string in strings:
        if isinstance(string, bytes):
            if (glyphs := state.font.glyphs(string)) is None:
                return None
            for code, text, width in glyphs:
                space = state.word if code == b" " else 0.0
                put(text.replace("\xa0", " "), Glyph(code, text, width * state.size + state.letter + space))
        else:
            moved = Glyph(b"", "", -string / 1000 * state.size)
            if moved.width > _GAP * abs(state.size) and not (parts and parts[-1].text.isspace()):
                parts.append(Part(" ", None, [moved]))
            elif parts:
                parts[-1].items.append(moved)
            else:
                parts.append(Part("", None, [moved]))
    return parts
