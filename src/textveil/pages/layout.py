"""A document as its reader sees it: parts and pages, headings, paragraphs and tables, with the marks of a text."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple


class Line(NamedTuple):
    """The place of a line in its text, and in the document."""

    start: int  # of the text
    end: int  # likewise
    part: str  # the kind of part in which it stands
    page: int  # the number of the page, sheet or slide, from 1; 0 if there are none
    level: int  # of a heading, from 1; 0 is none
    beside: bool  # whether it is a cell beside the line before


class Cell(NamedTuple):
    """A line in pieces, each with the kind of its span; ``level``: of a heading."""

    pieces: list[tuple[str, str]]
    level: int


class Block(NamedTuple):
    """Rows of cells: a table, or lines of one cell each."""

    rows: list[list[Cell]]
    table: bool


class Section(NamedTuple):
    """The text of one part, or of one page."""

    title: str
    blocks: list[Block]


class _Clipped(NamedTuple):
    start: int
    end: int
    kind: str


def sections(text: str, spans: Sequence[Any], lines: Sequence[Line]) -> list[Section]:
    """Return a document in sections, with the spans of its text (by start, none overlapping) marked in its lines.

    ``lines``: by start, none overlapping; what stands between two is not shown.
    """
    told = []
    cells = zip(lines, _cells(text, spans, lines), strict=True)
    for (part, page), group in groupby(cells, lambda pair: (pair[0].part, pair[0].page)):
        rows: list[list[Cell]] = []
        for line, cell in group:
            if line.beside and rows:
                rows[-1].append(cell)
            else:
                rows.append([cell])
        rows = [row for row in rows if any(piece.strip() for cell in row for piece, _ in cell.pieces)]
        if blocks := [Block(list(some), is_table) for is_table, some in groupby(rows, lambda row: len(row) > 1)]:
            told.append(Section(f"{part} {page}" if page else part, blocks))
    return told


def _cells(text: str, spans: Sequence[Any], lines: Sequence[Line]) -> Iterator[Cell]:
    from textveil.pages.rendering import pieces_of  # which loads templates

    at = 0
    for line in lines:
        while at < len(spans) and spans[at].end <= line.start:
            at += 1
        here, number = [], at
        while number < len(spans) and spans[number].start < line.end:
            span, number = spans[number], number + 1
            start, end = max(span.start, line.start), min(span.end, line.end)
            here.append(_Clipped(start - line.start, end - line.start, str(span.kind)))
        yield Cell(list(pieces_of(text[line.start : line.end], here)), line.level)
