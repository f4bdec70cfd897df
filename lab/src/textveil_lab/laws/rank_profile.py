"""Rank profiles: where a mechanism's output lands among the input's neighbors: original, close or distant.

The rank of an output y around an input x is the number of words strictly nearer to x, the lower id first in a tie; x
itself has rank 0, even beside a word with the same vector. Distances are Euclidean, on the vectors that the mechanism
clips, from ``vocabulary.grid``, which the rank resampling and the exponential mechanism use too. Source: Asghar,
Carpentier, Zhao and Kaafar 2026, arXiv 2411.13784, where close means ranks 1 to 100.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import WordMechanism, checked_ids
from textveil.randomness import resolve
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.types import Ids, Integers, Progress, Reals
from textveil.vocabulary.grid import IntegerGrid, integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import checked_clip
from textveil_lab.vocabulary.grid_distances import distances_on

CLOSE = 100  # Ranks 1 to 100 are close, as in the paper
_SCORES = 1 << 21  # Distances that are held at once: 17 MB
_DRAWS = 1 << 18  # Draws that are held at once: 2 MB
_WORDS = 512  # Words that are drawn for at once: enough for a fast nearest-word search, few enough for a bar that moves
_BINS_PER_DECADE = 8


class Distribution(Protocol):
    """Explicit P(y | x) over a vocabulary: every ``mechanisms.base.Channel``, and the demonstrations."""

    @property
    def name(self) -> str:
        """Name in reports."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters; ``clip``, if there is one, is the norm to which vectors are shortened."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Public words of the ids."""

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | x = word_id) for every y; shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RankProfile:
    """Shares of outputs by their rank around the input, averaged over a stated set of words."""

    mechanism: str  # name of the mechanism
    words: int  # number of words that are averaged over, each with the same weight
    draws_per_word: int | None  # draws of each; None if the distribution was computed
    close: int  # ranks 1 to ``close`` are close, ranks above are distant
    original: Bound  # share of rank 0
    near: Bound  # share of ranks 1 to ``close``
    distant: Bound  # share of ranks above ``close``. Each of the three intervals holds with its own confidence.
    # bin b holds the ranks from ``edges[b]`` to ``edges[b + 1] - 1``; the first two bins end at ranks 0 and 1, later
    # ones grow by powers of ten to 1/8, and the last edge is the number of words
    edges: Integers
    shares: Reals  # share of each bin, shape (len(edges) - 1,); they sum to 1

    def __post_init__(self) -> None:
        self.edges.flags.writeable = False
        self.shares.flags.writeable = False


def mean_probability(successes: int, trials: int, confidence: float = 0.99) -> Bound:
    """Return the mean of the probabilities of independent trials that need not share one probability.

    The Clopper-Pearson interval holds here too, except for one case, which is widened. Let S be the number of
    successes, m the mean probability, N the trials and a = (1 - confidence) / 2. The lower limit misses if S >= c, c
    the smallest count with P(Bin(N, m) >= c) < a. For c >= N m + 1 Hoeffding bounds P(S >= c) by that binomial tail. A
    smaller c is at most ceil(N m), and P(Bin(N, m) >= N m) > 1/4 > a for N m >= 1 (Greenberg and Mohri), so c = 1 and N
    m < 1 remain: there P(S >= 1) <= N m by the union bound, which is below a once the limit at one success is a / N, a
    hair below Clopper and Pearson's 1 - (1 - a)^(1/N). The upper limit is the same for failures.

    Args:
        successes: between 0 and trials.
        trials: >= 1.
        confidence: of the two-sided interval, in (1/2, 1).

    Source: Hoeffding 1956, theorem 4; Greenberg and Mohri 2014; Clopper and Pearson 1934.
    """
    need(0.5 < confidence < 1, "confidence", confidence, "between 0.5 and 1")
    lower, estimate, upper, _ = clopper_pearson(successes, trials, confidence)
    edge = (1 - confidence) / 2 / trials
    if successes == 1:
        lower = min(lower, edge)
    if successes == trials - 1:
        upper = max(upper, 1 - edge)
    return Bound(lower, estimate, upper, confidence)


def rank_profile(
    mechanism: WordMechanism,
    ids: Ids,
    *,
    draws_per_word: int = 1,
    close: int = CLOSE,
    clip: float | Literal["mechanism"] | None = "mechanism",
    confidence: float = 0.99,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> RankProfile:
    """Return the rank profile of one mechanism by simulation; see ``rank_profiles``."""
    return rank_profiles(
        [mechanism],
        ids,
        draws_per_word=draws_per_word,
        close=close,
        clip=clip,
        confidence=confidence,
        rng=rng,
        progress=progress,
    )[0]


def rank_profiles(
    mechanisms: Sequence[WordMechanism],
    ids: Ids,
    *,
    draws_per_word: int = 1,
    close: int = CLOSE,
    clip: float | Literal["mechanism"] | None = "mechanism",
    confidence: float = 0.99,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> list[RankProfile]:
    """Return the rank profiles of several mechanisms on one vocabulary; each word's distances are sorted once.

    The intervals are about the mechanism averaged over these words: given the words, the draws are independent, each
    with its word's own probability, and ``mean_probability`` bounds the mean of those. They say nothing of words
    outside ``ids``: take a random sample, or all.

    Args:
        mechanisms: at least one, all on the same vocabulary.
        ids: the words, shape (batch,), at least one; a repeated word counts each time.
        draws_per_word: fresh draws of each word, >= 1.
        close: ranks 1 to ``close`` are close, between 1 and the number of other words.
        clip: norm to which vectors are shortened before ranks are taken; None leaves them; ``"mechanism"`` takes the
            clip of the mechanisms, which must agree.
        confidence: of each interval.

    Raises:
        ParameterError: an argument is out of its domain, or the mechanisms differ in vocabulary or clip.
    """
    need(len(mechanisms) > 0, "mechanisms", "none", "at least one")
    need(draws_per_word >= 1, "draws_per_word", draws_per_word, "1 or more")
    vocabulary = mechanisms[0].vocabulary
    same = all(one.vocabulary is vocabulary or one.vocabulary.digest == vocabulary.digest for one in mechanisms)
    need(same, "mechanisms", "several vocabularies", "on one vocabulary")
    norm = _common_clip(mechanisms, clip)
    words = _checked_words(ids, len(vocabulary))
    edges = rank_edges(len(vocabulary), close)
    grid, generator = integer_grid(vocabulary), resolve(rng)
    counts = np.zeros((len(mechanisms), len(edges) - 1), dtype=np.int64)
    share = min(_WORDS, max(1, _DRAWS // (draws_per_word * len(mechanisms))))
    for start in range(0, len(words), share):
        part = words[start : start + share]
        inputs = np.repeat(part, draws_per_word)
        drawn = np.stack([one.privatize(inputs, generator).reshape(len(part), -1) for one in mechanisms], axis=1)
        found = ranks_around(grid, part, drawn.reshape(len(part), -1), norm).reshape(drawn.shape)
        for row in range(len(mechanisms)):
            bins = np.searchsorted(edges, found[:, row], side="right") - 1
            counts[row] += np.bincount(bins.ravel(), minlength=len(edges) - 1)
        if progress is not None:
            progress(start + len(part), len(words))
    trials = len(words) * draws_per_word
    return [
        _profile(
            one.name,
            len(words),
            draws_per_word,
            close,
            edges,
            row / trials,
            [mean_probability(int(part), trials, confidence) for part in _parts(row, edges, close)],
        )
        for one, row in zip(mechanisms, counts, strict=True)
    ]


def exact_rank_profile(
    channel: Distribution,
    ids: Ids,
    *,
    close: int = CLOSE,
    clip: float | Literal["mechanism"] | None = "mechanism",
    progress: Progress | None = None,
) -> RankProfile:
    """Return the exact rank profile of an explicit distribution: the mean over ``ids`` of its probabilities by rank.

    Args:
        channel: gives P(y | x) for every y.
        ids: the words, shape (batch,), at least one.
        close: ranks 1 to ``close`` are close, between 1 and the number of other words.
        clip: as in ``rank_profiles``.

    Returns:
        A profile whose bounds are numbers (confidence 1), correct to the rounding of float64 sums.
    """
    vocabulary = channel.vocabulary
    norm = _common_clip([channel], clip)
    words = _checked_words(ids, len(vocabulary))
    edges = rank_edges(len(vocabulary), close)
    grid, totals = integer_grid(vocabulary), np.zeros(len(edges) - 1)
    block = max(1, _SCORES // len(vocabulary))
    for start in range(0, len(words), block):
        part = words[start : start + block]
        for word, row in zip(part.tolist(), _distances(grid, part, norm), strict=True):
            distribution = channel.probabilities(word)[np.argsort(row, kind="stable")]
            totals += np.add.reduceat(distribution, edges[:-1])
        if progress is not None:
            progress(start + len(part), len(words))
    shares = totals / len(words)
    bounds = [exactly(float(part)) for part in _parts(shares, edges, close)]
    return _profile(channel.name, len(words), None, close, edges, shares, bounds)


def ranks_around(grid: IntegerGrid, words: Ids, outputs: Ids, clip: float | None = None) -> Integers:
    """Return the ranks of each word's outputs around it.

    Args:
        grid: the public vectors.
        words: shape (batch,).
        outputs: ids, shape (batch, draws).

    Returns:
        Ranks in [0, n), int64, shape (batch, draws).
    """
    ranks = np.empty(outputs.shape, dtype=np.int64)
    block = max(1, _SCORES // grid.size)
    for start in range(0, len(words), block):
        rows = _distances(grid, words[start : start + block], clip)
        for index, row in enumerate(rows, start):
            chosen, ordered = row[outputs[index]], np.sort(row)
            nearer = np.searchsorted(ordered, chosen, side="left")
            tied = np.flatnonzero(np.searchsorted(ordered, chosen, side="right") - nearer > 1)
            for draw in tied:  # ties go to the lower id
                nearer[draw] += np.count_nonzero(row[: outputs[index, draw]] == chosen[draw])
            ranks[index] = nearer
    return ranks


def rank_edges(n: int, close: int = CLOSE) -> Integers:
    """Return the bin edges of ranks 0 to n - 1: 0, 1, 2, then about eight a decade, ``close + 1`` and n included.

    Raises:
        ParameterError: close is not between 1 and n - 1.
    """
    need(1 <= close < n, "close", close, f"between 1 and {n - 1}, the number of other words")
    steps = int(np.ceil(_BINS_PER_DECADE * np.log10(n))) + 1
    grown = np.ceil(10 ** (np.arange(steps) / _BINS_PER_DECADE) - 1e-9).astype(np.int64)
    edges = np.unique(np.concatenate([[0, 1, 2, close + 1, n], grown]))
    return edges[edges <= n]


def _distances(grid: IntegerGrid, words: Ids, clip: float | None) -> Reals:
    rows = distances_on(grid, words, clip)
    rows[np.arange(len(words)), words] = -1.0  # rank 0 is the word itself, even beside a twin
    return rows


def _parts(values: Any, edges: Integers, close: int) -> list[Any]:
    split = int(np.searchsorted(edges, close + 1))
    return [values[0], values[1:split].sum(), values[split:].sum()]


def _profile(
    name: str, words: int, draws: int | None, close: int, edges: Integers, shares: Reals, bounds: list[Bound]
) -> RankProfile:
    original, near, distant = bounds
    return RankProfile(
        mechanism=name,
        words=words,
        draws_per_word=draws,
        close=close,
        original=original,
        near=near,
        distant=distant,
        edges=edges.copy(),
        shares=shares,
    )


def _checked_words(ids: Ids, n: int) -> Ids:
    words = checked_ids(ids, n)
    need(len(words) > 0, "ids", "none", "at least one word")
    return words


def _common_clip(
    mechanisms: Sequence[Distribution] | Sequence[WordMechanism], clip: float | str | None
) -> float | None:
    if clip != "mechanism":
        need(not isinstance(clip, str), "clip", repr(clip), "finite and > 0, None, or 'mechanism'")
        return checked_clip(clip)  # type: ignore[arg-type]  # no string is left
    norms = {one.parameters.get("clip") for one in mechanisms}
    need(len(norms) == 1, "clip", "several norms", "the same for all mechanisms", "Say on which vectors to rank.")
    return checked_clip(norms.pop())
