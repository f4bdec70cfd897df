"""A text whose words stay, with its white space and marks in plain form: by the rules of ``marks``.

What ``codes`` does for texts whose words are drawn is done here for texts that are released as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from textveil.cuts import replaced
from textveil.text.marks import DROPPED, LONGEST_RUN, is_unseen, plain_mark
from textveil.text.patterns import lazy_regex
from textveil.text.tokens import Kind, tokenize

_LINE_ENDS: Final = 2

_ODD: Final = lazy_regex(r"[^\w\s!-~]|[^\S\n ]|[ \n]{2}|[!-/:-@\[-`{-~]{4}")
"""What a text in plain form has nowhere; most texts have it nowhere."""


class Edit(NamedTuple):
    """The characters ``text[start:end]`` become ``plain``."""

    start: int
    end: int
    plain: str


class _Part(NamedTuple):
    """A token: ``plain`` is what it becomes, None where white space is decided on as a whole."""

    start: int
    end: int
    plain: str | None
    solid: bool = False

    @property
    def joins(self) -> bool:
        """Whether it must not touch what stood apart from it: another word, or an apostrophe."""
        return self.solid or self.plain == "'"


def plain_text(text: str, after_solid: bool = False, before_solid: bool = False) -> str:
    """``text`` with all edits.

    Args:
        text: any string.
        after_solid: whether something stands before it that is neither white space nor a mark.
        before_solid: the same of what stands behind it.
    """
    return replaced(text, plain_edits(text, after_solid, before_solid))


def plain_edits(text: str, after_solid: bool = False, before_solid: bool = False) -> list[Edit]:
    """What changes where a text's white space and marks are put into plain form, in order.

    Arguments as of ``plain_text``.
    """
    if _ODD.search(text) is None:
        return []
    edits: list[Edit] = []
    run, solid = 0, after_solid
    groups = [(blank, list(parts)) for blank, parts in groupby(_parts(text), key=lambda part: part.plain is None)]
    for place, (blank, parts) in enumerate(groups):
        if blank:
            following = groups[place + 1][1][0].joins if place + 1 < len(groups) else before_solid
            plain = _gap(text, parts, between=solid and following)
            _edit(edits, text, parts[0].start, parts[-1].end, plain)
            run, solid = (0 if plain else run), (solid and not plain)
            continue
        for part in parts:
            stays = part.plain or ""
            if part.solid:
                run = 0
            else:
                stays = stays[: max(0, LONGEST_RUN - run)]
                run += len(part.plain or "")
                _edit(edits, text, part.start, part.end, stays)
            solid = part.joins
    return edits


def _parts(text: str) -> Iterator[_Part]:
    """The tokens of a text, by what becomes of them."""
    for start, end, kind in tokenize(text):
        surface = text[start:end]
        if kind is Kind.PUNCTUATION:
            mark = plain_mark(surface)
            yield _Part(start, end, None if mark == DROPPED else mark)
        elif kind is Kind.SPACE or (kind is Kind.SYMBOL and is_unseen(surface)):
            yield _Part(start, end, None)
        else:
            yield _Part(start, end, surface, solid=True)


def _gap(text: str, parts: list[_Part], *, between: bool) -> str:
    """What a run of white space, and of what is dropped, becomes."""
    shown = text[parts[0].start : parts[-1].end]
    lines = min(shown.count("\n"), _LINE_ENDS)
    if lines:
        return "\n" * lines
    return " " if between or any(text[part.start].isspace() for part in parts) else ""


def _edit(edits: list[Edit], text: str, start: int, end: int, plain: str) -> None:
    if text[start:end] != plain:
        edits.append(Edit(start, end, plain))
