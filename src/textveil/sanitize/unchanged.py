"""Estimates whether most words, or values of a kind, come out unchanged: then a release is nearly the text itself."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from textveil.mechanisms.kinds import Channel, DrawsText, SequenceMechanism, TextMechanism
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.randomness import seeded_generator
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention, Surrogate

MOST: Final = 0.9  # share of words above which that is said

_HIDES: Final = math.log(MOST / (1 - MOST)) - 1e-9

_WORDS: Final = 16  # words that stand for the vocabulary: evenly spaced in its order

_DRAWS: Final = 4  # draws for each of them

_EXAMPLES: Final = {"age": "37", "time": "10:30", "date": "June 5, 2012", "number": "4812", "money": "$120.50"}
_OTHER: Final = "Maria Gonzalez 4812"  # public values that stand for all of a kind

_SENTENCES: Final = ("The house by the river was sold in spring.", "She asked the doctor about the results.")
"""Public texts for mechanisms of whole texts."""

_CHANCE: Final = 1e-6  # draws that a stated table gives less often than this are no draws of it


def mostly_unchanged(mechanism: DrawsText) -> bool:
    """Estimate whether more than ``MOST`` of equally likely words come out unchanged.

    Estimated by drawing, whatever the mechanism promises and whatever table it states: from a few draws of public data
    with a seed of their own. Those are evenly spaced words, for mechanisms of sequences in documents, and sentences for
    mechanisms of whole texts. Where a table is stated and half of the draws are unchanged, its exact share decides,
    unless the draws contradict it.

    Args:
        mechanism: draws the words, or the texts.
    """
    if isinstance(mechanism, TextMechanism):
        drawn_texts = mechanism.privatize_texts(list(_SENTENCES), seeded_generator(0))
        return [_words(str(text)) for text in drawn_texts] == [_words(text) for text in _SENTENCES]
    size = len(mechanism.vocabulary)
    ids = np.unique(np.linspace(0, size - 1, min(_WORDS, size)).astype(np.int64))
    repeated = np.tile(ids, _DRAWS)
    if isinstance(mechanism, SequenceMechanism):
        bounds = np.arange(0, len(repeated) + 1, len(ids))
        drawn = mechanism.privatize_documents(repeated, bounds, seeded_generator(0))
    else:
        drawn = np.asarray(mechanism.privatize(repeated, seeded_generator(0)))
    same = int(np.count_nonzero(drawn == repeated)) if drawn.shape == repeated.shape else 0
    most = same > MOST * len(repeated)
    if not isinstance(mechanism, Channel) or 2 * same < len(repeated):
        return most
    stated = float(np.mean([mechanism.probabilities(int(word_id))[word_id] for word_id in ids]))
    chance = math.comb(len(repeated), same) * stated**same  # at least that of so many or more
    return stated > MOST or (most and chance < _CHANCE)


def _words(text: str) -> list[str]:
    """Return the words of a text, without the case and the marks that a mechanism may drop."""
    return re.findall(r"\w+", text.casefold())


def hides_most(guarantee: Guarantee) -> bool:
    """Tell whether a proved guarantee rules out that more than ``MOST`` of values come out unchanged.

    If a draw is epsilon-DP for any two values, and returns x for x with probability a and y for y with b, then
    a <= e^epsilon (1 - b) and b <= e^epsilon (1 - a). So a + b <= 2 / (1 + e^-epsilon), and so is twice the mean over
    all values of a public form.
    """
    return isinstance(guarantee, PureDP) and guarantee.status is Status.PROVED and guarantee.epsilon <= _HIDES


def unchanged_kinds(surrogates: Mapping[str, Surrogate]) -> tuple[str, ...]:
    """Return the kinds of spans for which more than ``MOST`` of the draws for a public example are the example.

    Estimated from a few draws with a seed of their own, whatever the surrogates promise.
    """
    return tuple(kind for kind, surrogate in surrogates.items() if _stays(surrogate, _EXAMPLES.get(kind, _OTHER)))


def _stays(surrogate: Surrogate, example: str) -> bool:
    rng, mention = seeded_generator(0), [Mention(example)]
    draws = _WORDS * _DRAWS
    others = 0
    for _ in range(draws):
        others += surrogate.draw(mention, MemoryScope(), rng) != [example]
        if draws - others <= MOST * draws:  # whatever the other draws give
            return False
    return True
