"""The one way to cut a text by spans: they lie in the text, in order and disjoint, or nothing is made of them.

A span that overlaps another one moves everything behind it, so that a name stands beside its span and stays. Whatever
removes, covers or rewrites pieces of a text does it here.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from textveil.errors import InternalError


def between(text: str, spans: Iterable[Sequence[Any]]) -> list[str]:
    """The stretches of a text before, between and behind spans: one more than there are spans.

    ``text``: any string; ``spans``: each begins with its start and its end; by start, disjoint. Raises InternalError:
    the spans are in another order, share characters, or lie outside the text.
    """
    stretches, position, length = [], 0, len(text)
    for span in spans:
        start, end = span[0], span[1]
        if not position <= start <= end <= length:
            raise InternalError("the spans of a text must lie in it, by start and disjoint; got others. Report it.")
        stretches.append(text[position:start])
        position = end
    stretches.append(text[position:])
    return stretches


def replaced(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """A text in which other strings stand in place of spans.

    ``text``: any string; ``edits``: start, end and what stands there instead; by start, disjoint. Raises InternalError:
    as of ``between``.
    """
    if not edits:
        return text
    first, *others = between(text, edits)
    parts = [first]
    for edit, stretch in zip(edits, others, strict=True):
        parts += (edit[2], stretch)
    return "".join(parts)


def held_by(text: str, spans: Iterable[Sequence[Any]]) -> bytearray:
    """A byte for each character of a text: 1 where one of the spans stands, which may overlap."""
    held = bytearray(len(text))
    for span in spans:
        held[span[0] : span[1]] = b"\1" * (span[1] - span[0])
    return held
