"""Whether most words, or values of a kind, are left as they are: then a release is hardly more than the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from textveil.mechanisms.base import Channel, DrawsText, SequenceMechanism, TextMechanism
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.limits import unchanged_limit
from textveil.randomness import seeded_generator
from textveil.surrogates.base import Mention, Surrogate
from textveil.surrogates.scopes import MemoryScope

MOST: Final = 0.9
"""Share of words above which that is said."""

_WORDS: Final = 16
"""Words that stand for the vocabulary: evenly spaced in its order."""

_DRAWS: Final = 4
"""Draws for each of them where the distribution is not a finite table."""

_EXAMPLES: Final = {"age": "37", "time": "10:30", "date": "June 5, 2012", "number": "4812", "money": "$120.50"}
_OTHER: Final = "Maria Gonzalez 4812"
"""Public values that stand for all of a kind."""

_ENDLESS: Final = 1e6
"""Nats that allow anything; larger ones can be infinite where they are a product."""


def mostly_unchanged(mechanism: DrawsText, promise: Guarantee) -> bool:
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
    if promise.promises and not promise.adjacency.shared:  # the limit is of guarantees for any two words
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


def unchanged_kinds(surrogates: Mapping[str, Surrogate]) -> tuple[str, ...]:
    """The kinds of spans of which more than ``MOST`` of the draws for a public example give the example again.

    Estimated from a few draws with a seed of their own; kinds that cost nothing cannot be among them.

    Args:
        surrogates: by kind.
    """
    return tuple(kind for kind, one in surrogates.items() if _costs(one) and _stays(one, _EXAMPLES.get(kind, _OTHER)))


def _costs(surrogate: Surrogate) -> bool:
    guarantee = surrogate.guarantee
    return not guarantee.promises or guarantee.approximate().epsilon > 0


def _stays(surrogate: Surrogate, example: str) -> bool:
    rng, mention = seeded_generator(0), [Mention(example)]
    drawn = [surrogate.draw(mention, MemoryScope(), rng) for _ in range(_WORDS * _DRAWS)]
    return sum(one == [example] for one in drawn) > MOST * len(drawn)
