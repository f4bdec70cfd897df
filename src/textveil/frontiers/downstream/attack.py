"""How often the best attacker who looks at one released word names the word behind it.

For a channel the attacker is exact: the word of the largest prior times P(y | x). The channel of a noisy vector's
nearest word is not known in closed form; there the attacker is given the noisy vector itself, which is more than is
released, so that no attacker on the released word does better than the share that is printed.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.capabilities import ChannelColumns, IntegerWeights, NoisyVectors
from textveil.mechanisms.kinds import WordMechanism
from textveil.posterior.words import WordPosterior, checked_prior
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Ids, Reals

NOISY_TOKENS: Final = 200
"""Tokens that are attacked where every word's density must be computed for each."""


def recovered(
    mechanism: WordMechanism,
    words: Ids,
    released: Ids,
    prior: Reals,
    rng: np.random.Generator,
    confidence: float = 0.95,
) -> Bound:
    """Share of words that a Bayes attacker names rightly.

    Args:
        mechanism: of the release; a channel, or one that adds noise of a known density to public points.
        words: a sample of the words as they were, independent draws from a text, shape (batch,).
        released: what became of them, shape (batch,); noisy vectors are drawn afresh.
        prior: what the attacker takes for the frequencies of words, shape (n,).

    Raises:
        UnsupportedGuarantee: the mechanism is neither.
    """
    if isinstance(mechanism, ChannelColumns | IntegerWeights):
        guesses = WordPosterior(mechanism, prior).most_probable(released)
        return clopper_pearson(int(np.count_nonzero(guesses == words)), len(words), confidence)
    if isinstance(mechanism, NoisyVectors):
        some = words[:NOISY_TOKENS]
        guesses = guessed_from_noisy_vectors(mechanism, some, checked_prior(prior, len(mechanism.vocabulary)), rng)
        return clopper_pearson(int(np.count_nonzero(guesses == some)), len(some), confidence)
    raise UnsupportedGuarantee(
        f"the Bayes attack needs a channel or noise of a known density; got {mechanism.name}. Leave the attack out."
    )


def guessed_from_noisy_vectors(mechanism: NoisyVectors, words: Ids, prior: Reals, rng: np.random.Generator) -> Ids:
    """The most probable word behind a fresh noisy vector of each word; ties to the lower id, shape (batch,).

    Args:
        words: as they were, shape (batch,).
        prior: of the words, with sum 1, shape (n,).
    """
    points = np.asarray(mechanism.points, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(prior)
    noisy = points[words] + mechanism.distribution.sample(len(words), rng, np.float64)
    return np.array(
        [np.argmax(logs + mechanism.distribution.log_density(vector - points)) for vector in noisy], np.int64
    )
