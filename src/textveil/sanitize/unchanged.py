"""Whether a mechanism leaves most words as they are: then a release is hardly more than the text itself."""

from __future__ import annotations

from typing import Final

import numpy as np

from textveil.mechanisms.base import Channel, Mechanism, SequenceMechanism, TextMechanism
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.limits import unchanged_limit
from textveil.randomness import seeded_generator

MOST: Final = 0.9
"""Share of words above which that is said."""

_WORDS: Final = 16
"""Words that stand for the vocabulary: evenly spaced in its order."""

_DRAWS: Final = 4
"""Draws for each of them where the distribution is not a finite table."""

_ENDLESS: Final = 1e6
"""Nats that allow anything; larger ones can be infinite where they are a product."""


def mostly_unchanged(mechanism: Mechanism, promise: Guarantee) -> bool:
    """Whether more than ``MOST`` of words come out unchanged, equally likely words taken.

    Read from the guarantee where that allows no such thing, at no cost. Else estimated from public data alone, over
    evenly spaced words: exactly for channels, for other mechanisms from a few draws with a seed of their own, for those
    of sequences in documents of one word. Of mechanisms of whole texts it is not said.

    Args:
        mechanism: draws the words.
        promise: the guarantee that its releases carry.
    """
    if isinstance(mechanism, TextMechanism):
        return False
    size = len(mechanism.vocabulary)
    if promise.promises:
        most = promise.approximate()
        if unchanged_limit(size, min(most.epsilon, _ENDLESS), most.delta) <= MOST:
            return False
    ids = np.unique(np.linspace(0, size - 1, min(_WORDS, size)).astype(np.int64))
    if isinstance(mechanism, Channel):
        return float(np.mean([mechanism.probabilities(int(one))[one] for one in ids])) > MOST
    repeated = np.repeat(ids, _DRAWS)
    if isinstance(mechanism, SequenceMechanism):
        drawn = mechanism.privatize_documents(repeated, np.arange(len(repeated) + 1), seeded_generator(0))
    else:
        drawn = np.asarray(mechanism.privatize(repeated, seeded_generator(0)))
    return drawn.shape == repeated.shape and float(np.mean(drawn == repeated)) > MOST
