"""Words that come out as they went in (N_w), and into how many different ones a word turns (S_w).

Two papers count N_w and read it in opposite directions, and they do not count the same thing either:

- Feyisetan et al. 2020 take one word w at a time: N_w is the probability that w comes out unchanged, S_w the number of
  different words that it becomes, over 100 draws. A larger N_w, or a smaller S_w, is *less* privacy.
- Huang et al. 2024 take a corpus: N_w is the share of its places whose word stayed. Frequent words weigh more, and a
  larger N_w is called better, since more of the text is kept.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import Channel, WordMechanism, checked_ids
from textveil.types import Ids, Reals
from textveil_lab.evaluation.pairs import check_pairs

Words: TypeAlias = str | Sequence[Hashable] | Ids
"""A text as its words: between the spaces of a string, in a sequence, or as ids."""

DRAWS = 100  # Draws of each word in the source of both statistics


class Reading(Enum):
    """What a larger N_w is taken to say."""

    UTILITY = "larger is better: more of the text is kept (Huang et al. 2024)"
    PRIVACY = "larger is worse: more words can be read off the release (Feyisetan et al. 2020)"


class Unchanged(NamedTuple):
    """N_w of a corpus and its release, in both ways of counting."""

    by_place: float  # share of all places whose word stayed, as Huang et al. count; a frequent word counts often.
    by_word: float  # mean over the different words of the share of each that stayed, as Feyisetan et al. count.
    places: int  # of the corpus
    words: int  # different ones in the corpus


class DifferentOutputs(NamedTuple):
    """S_w of a corpus and its release: different outputs of a word. It grows with how often a word occurs."""

    by_place: float  # mean over all places of the number of different outputs that the word there has in the corpus
    by_word: float  # mean over the different words of that number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordStatistics:
    """N_w and S_w of single words under a mechanism, as Feyisetan et al. define them."""

    n_w: Reals  # probability that each word comes out unchanged, shape (words,)
    s_w: Reals  # number of different outputs in ``draws`` draws of each word, its mean where exact, shape (words,)
    draws: int  # of each word
    exact: bool  # computed from the channel; else counted in draws


def n_w(before: Sequence[Words], after: Sequence[Words]) -> Unchanged:
    """Words that stay at their place. What an output lacks because it is shorter is changed; what it adds is no place.

    Args:
        before: texts as strings, words or ids, none empty.
        after: as many texts.

    Raises:
        ParameterError: no pairs, different counts, or an empty text before.
    """
    outputs = _outputs(before, after)
    stayed = {word: sum(one == word for one in some) for word, some in outputs.items()}
    places = sum(map(len, outputs.values()))
    shares = [count / len(outputs[word]) for word, count in stayed.items()]
    return Unchanged(sum(stayed.values()) / places, sum(shares) / len(shares), places, len(outputs))


def s_w(before: Sequence[Words], after: Sequence[Words]) -> DifferentOutputs:
    """Different words that a word became; a place that a shorter output lacks became nothing, which counts as one.

    Args: as ``n_w``.

    Raises:
        ParameterError: as ``n_w``.
    """
    outputs = _outputs(before, after)
    different = {word: len(set(some)) for word, some in outputs.items()}
    places = sum(len(outputs[word]) * count for word, count in different.items())
    return DifferentOutputs(places / sum(map(len, outputs.values())), sum(different.values()) / len(different))


def word_statistics(
    mechanism: WordMechanism, ids: Ids, *, draws: int = DRAWS, rng: np.random.Generator | None = None
) -> WordStatistics:
    """N_w and S_w of words: exact for a channel, else counted in draws.

    Args:
        mechanism: draws for each word alone.
        ids: in [0, n), one at least, shape (words,).
        draws: of each word, >= 1.
        rng: None draws from the operating system's randomness; a channel needs none.

    Raises:
        ParameterError: ``draws`` below 1, no ids, or an id outside the vocabulary.

    Source: Feyisetan et al. 2020, section 4 (100 draws of each word).
    """
    need(draws >= 1, "draws", draws, ">= 1")
    some = checked_ids(ids, len(mechanism.vocabulary))
    need(len(some) > 0, "ids", "none", "one at least")
    if isinstance(mechanism, Channel):
        rows = [mechanism.probabilities(one) for one in some.tolist()]
        stays = np.array([row[one] for row, one in zip(rows, some.tolist(), strict=True)])
        different = np.array([_different(row, draws) for row in rows])
        return WordStatistics(n_w=stays, s_w=different, draws=draws, exact=True)
    drawn = mechanism.privatize(np.repeat(some, draws), rng).reshape(len(some), draws)
    different = np.array([len(np.unique(row)) for row in drawn], dtype=np.float64)
    return WordStatistics(n_w=(drawn == some[:, None]).mean(axis=1), s_w=different, draws=draws, exact=False)


def essential_support(probabilities: Reals, eta: float) -> int:
    """The fewest outputs of which one comes out with probability 1 - eta or more.

    Args:
        probabilities: of all outputs, >= 0, with sum 1, shape (outputs,).
        eta: in [0, 1).

    Source: Feyisetan et al. 2020, section 4 (the support that S_w counts).
    """
    need(0 <= eta < 1, "eta", eta, "in [0, 1)")
    need(bool((probabilities >= 0).all()), "probabilities", "a negative one", ">= 0")
    reached: Reals = np.cumsum(np.sort(probabilities)[::-1])
    need(bool(abs(reached[-1] - 1) < 1e-9), "probabilities", f"a sum of {reached[-1]:.6g}", "with sum 1")
    positive = int(np.count_nonzero(probabilities))
    return min(positive, 1 + int(np.searchsorted(reached, 1 - eta - 1e-12)))


def _different(probabilities: Reals, draws: int) -> float:
    with np.errstate(divide="ignore"):  # an output that is certain: the logarithm of 0
        missed = np.exp(draws * np.log1p(-np.minimum(probabilities, 1.0)))
    return float((1 - missed).sum())


def _outputs(before: Sequence[Words], after: Sequence[Words]) -> dict[Hashable, list[Hashable]]:
    """For each different word what stands at each of its places afterwards; None where the output is too short."""
    check_pairs(before, after, ("before", "after"))
    found: dict[Hashable, list[Hashable]] = {}
    for one, other in zip(before, after, strict=True):
        for word, output in zip_longest(words := _words(one), _words(other)[: len(words)]):
            found.setdefault(word, []).append(output)
    return found


def _words(text: Words) -> Sequence[Hashable]:
    """The words of a text; ids of an array as Python's, which are looked up sooner."""
    if isinstance(text, str):
        return text.split()
    return text.tolist() if isinstance(text, np.ndarray) else text
