"""1-Diffractor: takes a step along a public list of words, in which neighbors have similar meanings, by integers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Protocol

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids, checked_word_id
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.registry.options import Option, at_least, named
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, one_of, proved_metric
from textveil_lab.mechanisms.sampling.level_weights import LevelWeights, pure_weights, weights_at
from textveil_lab.numerics.geometric_steps import GeometricSteps, geometric_steps, least_rate
from textveil_lab.vocabulary.word_lists import lists_digest, word_lists

_ROWS = 1 << 14


class ListDraws(Protocol):
    """Rows of integer weights over words, by positions in lists."""

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """Return one draw for each id."""

    def weights(self, ids: Ids) -> Integers:
        """Return the integers that draws use, int64, shape (batch, n)."""


def places_of(lists: Ids) -> Integers:
    """Return the position of every word in every list, shape (lists, n)."""
    places = np.empty_like(lists)
    np.put_along_axis(places, lists, np.arange(lists.shape[1])[None, :], axis=1)
    return places


@dataclass(frozen=True, slots=True, eq=False)
class GeometricDraws:
    """A uniform list, then a geometric step from the word's position in it."""

    lists: Ids  # word ids, shape (lists, n)
    steps: GeometricSteps  # the law of steps
    places: Integers = field(init=False, repr=False)  # the place of every word in every list, shape (lists, n)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", places_of(self.lists))

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        which = rng.integers(0, len(self.lists), size=len(ids))
        out: Ids = self.lists[which, self.steps.draw(self.places[which, ids], rng)]
        return out

    def weights(self, ids: Ids) -> Integers:
        """Return ``ListDraws.weights``; a row sums to the number of lists times the total of steps."""
        out = np.zeros((len(ids), self.lists.shape[1]), dtype=np.int64)
        for order, places in zip(self.lists, self.places, strict=True):
            out[:, order] += self.steps.rows(places[ids])
        return out


@dataclass(frozen=True, slots=True, eq=False)
class TruncatedDraws:
    """A list and a position in it, drawn together by the distance to the word's own position there."""

    lists: Ids  # word ids, shape (lists, n)
    levels: LevelWeights  # weights by distance, 0 first; the last is that of all places from gamma on
    _places: Integers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", places_of(self.lists))

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        out = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), _ROWS):
            out[start : start + _ROWS] = self._drawn(ids[start : start + _ROWS], rng)
        return out

    def weights(self, ids: Ids) -> Integers:
        base = len(self.lists) << self.levels.shift
        out = np.full((len(ids), self.lists.shape[1]), base, dtype=np.int64)
        words, extra = self._near(ids)
        rows = np.broadcast_to(np.arange(len(ids))[:, None], words.shape)
        np.add.at(out, (rows, words), extra)
        return out

    def _drawn(self, ids: Ids, rng: np.random.Generator) -> Ids:
        words, extra = self._near(ids)
        sums = extra.cumsum(axis=1)
        each = len(self.lists) << self.levels.shift
        common = each * self.lists.shape[1]
        drawn = rng.integers(0, common + sums[:, -1], dtype=np.int64)
        column = (sums <= (drawn - common)[:, None]).sum(axis=1)
        near = np.take_along_axis(words, np.minimum(column, words.shape[1] - 1)[:, None], axis=1)[:, 0]
        out: Ids = np.where(drawn < common, drawn // each, near)
        return out

    def _near(self, ids: Ids) -> tuple[Ids, Integers]:
        """Return words closer than gamma in each list and their weights beyond the last level, shape (batch, near).

        Beyond a list's end the weight is 0.
        """
        more = np.array(self.levels.weights[:-1], dtype=np.int64) - self.levels.weights[-1]
        steps = np.arange(1 - len(more), len(more))
        size = self.lists.shape[1]
        words, extra = [], []
        for order, places in zip(self.lists, self._places, strict=True):
            reached = places[ids][:, None] + steps
            inside = (reached >= 0) & (reached < size)
            words.append(order[np.clip(reached, 0, size - 1)])
            extra.append(np.where(inside, more[np.abs(steps)], 0))
        return np.concatenate(words, axis=1), np.concatenate(extra, axis=1)


def distance_counts(size: int, lists: Ids, gamma: int) -> Integers:
    """Return the number of positions of all lists at each distance from each word; those from gamma on together.

    Returns:
        Shape (n, gamma + 1); a row sums to n times the number of lists.
    """
    places = places_of(lists)
    out = np.zeros((size, gamma + 1), dtype=np.int64)
    out[:, 0] = len(lists)
    for apart in range(1, gamma):
        out[:, apart] = ((places >= apart).astype(np.int64) + (places + apart < size)).sum(axis=0)
    out[:, gamma] = len(lists) * size - out[:, :gamma].sum(axis=1)
    return out


PROOF = "textveil_lab/proofs/diffractor.md"
GEOMETRIC, TEM = "geometric", "tem"  # the two laws of a step
_MOST = 1 << 61
GROUP: Final = "Lists of words"

METHOD = Option(
    named(GEOMETRIC, TEM), "How a place is drawn: geometric steps, or weights that fall up to gamma.", "NAME", GROUP
)
GAMMA = Option(at_least(1), "Places from which on all weigh alike, for tem.", "N", GROUP)
LISTS = Option(at_least(1), "Lists, of which each draw takes one.", "K", GROUP)
LIST_SEED = Option(at_least(0), "Seed of the public words with which lists begin.", "N", GROUP)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Diffractor:
    """Release a word near the position of x in a list of all words; the lists are public.

    Law, geometric: one of K lists uniformly, then z steps from the position of x, P(z) proportional to e^(-epsilon
    |z|), stopped at the ends. Law, tem: P(list, position) proportional to exp(-epsilon / 2 min(distance to the position
    of x there, gamma)). Integer weights are sampled. Source: Meisenbacher, Chevli and Matthes 2024; proof:
    textveil_lab/proofs/diffractor.md.
    """

    name: ClassVar[str] = "diffractor"
    vocabulary: Vocabulary
    # metric DP for the largest distance of two words in any list if ``epsilon_per_distance`` was given, pure DP
    # if ``epsilon`` was
    guarantee: PureDP | MetricDP
    method: str  # ``"geometric"`` or ``"tem"``
    gamma: int  # of ``"tem"``
    lists: Ids = field(repr=False)  # word ids, shape (lists, n)
    list_seed: int  # of the first words
    draws: ListDraws = field(repr=False)  # the law of an output, by integers

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {
            **self.guarantee.numbers,
            "method": self.method,
            "gamma": self.gamma,
            "lists": len(self.lists),
            "list_seed": self.list_seed,
            "lists_digest": lists_digest(self.lists),
        }

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self.draws.draw(checked_ids(ids, len(self.vocabulary)), resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | word_id), shape (n,)."""
        row = self.draws.weights(np.array([checked_word_id(word_id, len(self.vocabulary))]))[0]
        return row / float(row.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        return self.draws.weights(checked_ids(ids, len(self.vocabulary)))

    def word_distances(self, ids: Ids) -> Reals:
        """Return the largest distance of two words in any list, for tem at most gamma."""
        words, places = checked_ids(ids, len(self.vocabulary)), places_of(self.lists)
        apart = np.zeros((len(words), len(self.vocabulary)), dtype=np.int64)
        for place in places:
            np.maximum(apart, np.abs(place[words][:, None] - place), out=apart)
        return np.minimum(apart, self.gamma if self.method == TEM else apart).astype(np.float64)


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="Meisenbacher, Chevli and Matthes 2024 (1-Diffractor)",
    summary="A geometric step, or a truncated exponential one, along a public list of neighboring words.",
)
def diffractor(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    method: Annotated[str, METHOD] = GEOMETRIC,
    gamma: Annotated[int, GAMMA] = 5,
    lists: Annotated[int, LISTS] = 5,
    list_seed: Annotated[int, LIST_SEED] = 0,
    progress: Progress | None = None,
) -> Diffractor:
    """1-Diffractor over lists of this vocabulary, calibrated by exactly one of its two parameters.

    The paper has one list for each of five sets of vectors; here all lists use one set and start from different words.
    Its epsilon is per position of a list; the largest distance of two words is n - 1 positions for the geometric steps
    and gamma for tem. Stop words and unknown words, which the paper's code returns unchanged, are drawn like all
    others.

    ``epsilon_per_distance`` is per position, at the largest distance of two words in any list. Making the lists takes
    about a minute for 33,000 words, once.

    Raises:
        ParameterError: neither or both epsilons, an option outside its domain, or an epsilon out of the range of
            integer weights.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    size = len(vocabulary)
    need(size > 2, "vocabulary", f"{size} words", "of 3 words at least, a list with a middle")
    order = word_lists(vocabulary, lists, list_seed, progress)
    pure = name == "epsilon"
    draws: ListDraws
    if method == GEOMETRIC:
        reach = size - 1
        # One float below, so that n - 1 steps of this rate do not exceed epsilon.
        rate = math.nextafter(value / reach, 0.0) if pure else value
        least = least_rate(size, _MOST // lists)
        wanted = f"at least {least * (reach if pure else 1) * (1 + 1e-9):.3g}, for integer weights over {size} words"
        need(rate >= least, name, value, wanted)
        steps = geometric_steps(rate, size, _MOST // lists)
        draws, spent = GeometricDraws(order, steps), steps.loss
    else:
        reach = min(gamma, size - 1)
        counts = np.unique(distance_counts(size, order, reach), axis=0)
        distances = tuple(range(reach + 1))
        levels = pure_weights(value, distances, counts) if pure else weights_at(value / 2, distances, counts)
        draws, spent = TruncatedDraws(order, levels), levels.loss(counts)
    promise: PureDP | MetricDP
    if pure:
        promise = PureDP(epsilon=stated_epsilon(spent, value), status=status_of(__name__, PROOF), source=PROOF)
    else:
        metric = f"largest distance in {lists} list{'s' * (lists > 1)} of words"
        metric += f", at most {reach}" if method == TEM else ""
        promise = proved_metric(value, metric, float(reach), PROOF)
    return Diffractor(vocabulary, promise, method, gamma, order, list_seed, draws)
