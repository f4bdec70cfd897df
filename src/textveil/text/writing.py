"""From codes and what was drawn for them back to text."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.text.codes import EncodedTexts, NumberPlaces, WordPlaces
from textveil.text.legend import Legend
from textveil.text.render import Span, spans, with_capitals
from textveil.types import Ids, Integers


class WrittenText(NamedTuple):
    """A text as it is released, with the spans of its tokens where they were asked for."""

    text: str
    spans: tuple[Span, ...]


def with_draws(codes: Integers, words: WordPlaces, ids: Ids, numbers: NumberPlaces, digits: Ids) -> Integers:
    """The codes with other words and digits in the places of these.

    Args:
        codes: as encoded.
        words: those of the texts.
        ids: a word for each.
        numbers: those of the texts.
        digits: a digit for each.
    """
    drawn = codes.copy()
    drawn[words.indices] = ids
    if len(digits):
        drawn[numbers.indices] = digits + numbers.zero
    return drawn


def written_texts(
    drawn: EncodedTexts, legend: Legend, kinds: NDArray[np.int8], *, with_spans: bool
) -> list[WrittenText]:
    """What is released of each text.

    Args:
        drawn: codes of all texts, ``with_draws``.
        legend: what they stand for.
        kinds: the kind of the token that each code begins, -1 elsewhere; shape (codes,).
        with_spans: whether spans are wanted (about twice the time).
    """
    strings = legend.written[drawn.codes].tolist()
    written = []
    for start, stop in pairwise(drawn.bounds.tolist()):
        drawn_spans = spans(legend.lengths[drawn.codes[start:stop]], kinds[start:stop]) if with_spans else ()
        written.append(WrittenText(with_capitals("".join(strings[start:stop])), tuple(drawn_spans)))
    return written
