"""Axioms of a metric, verified on the vocabulary: on every triple of words, or by the premises of the proof.

Up to ``TRIPLES`` words every triple is tested. Above, all premises of the proofs in textveil_lab/proofs/word_metrics.md
about the stored lists, edges or cells are verified, and triples that contain a sample of words are tested too.
"""

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ParameterError, need
from textveil.types import Integers, Progress
from textveil_lab.vocabulary.metrics.metric import WordMetric, blocks, distances
from textveil_lab.vocabulary.metrics.neighbor_graph import NeighborGraph
from textveil_lab.vocabulary.metrics.shared_neighbors import SharedNeighbors
from textveil_lab.vocabulary.metrics.ultrametric import Ultrametric

TRIPLES = 2000  # Words up to which all triples are tried: 8 billion comparisons of small integers, some seconds
_SAMPLE = 48
_VERIFIED: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class AxiomVerdict:
    """Verified properties of a metric, and the first failure."""

    identity: bool  # d(x, y) = 0 for x = y alone
    symmetry: bool  # d(x, y) = d(y, x)
    triangle: bool  # d(x, z) <= d(x, y) + d(y, z); for ``strong``, <= the larger of the two
    strong: bool  # whether the triangle inequality of ultrametrics was tested
    words: int  # number of words of which every triple was tried
    complete: bool  # whether the verdict covers all words: all triples were tried, or the proof's premises hold in full
    proof: str = ""  # the proof whose premises were verified; empty if all triples were tried
    witness: tuple[int, ...] | None = None  # ids of words for which an axiom fails; None if all hold

    @property
    def holds(self) -> bool:
        return self.identity and self.symmetry and self.triangle and self.complete


def check_axioms(
    metric: WordMetric, *, strong: bool | None = None, most: int = TRIPLES, progress: Progress | None = None
) -> AxiomVerdict:
    """Verify identity, symmetry and the triangle inequality, exactly.

    Args:
        metric: any; above ``most`` words only textveil's own have a proof whose premises can be verified.
        strong: require the maximum in place of the sum; None requires it of an ``Ultrametric``.
        most: largest number of words at which all triples are tested; above, triples of an evenly spaced sample.
    """
    need(most >= 3, "most", most, ">= 3")
    n = metric.facts.size
    asked = isinstance(metric, Ultrametric) if strong is None else strong
    if n <= most:
        table = distances(metric, np.arange(n, dtype=np.int64))
        return check_table(table, strong=asked, progress=progress)
    sample = np.unique(np.linspace(0, n - 1, min(_SAMPLE, most)).astype(np.int64))
    report = check_table(distances(metric, sample)[:, sample], strong=asked, progress=progress)
    sound, proof = _premises(metric, asked)
    return AxiomVerdict(
        identity=report.identity,
        symmetry=report.symmetry,
        triangle=report.triangle,
        strong=asked,
        words=len(sample),
        complete=sound and _rows_agree(metric, sample),
        proof=proof if sound else "",
        witness=None if report.witness is None else tuple(int(sample[index]) for index in report.witness),
    )


def need_metric(metric: WordMetric, *, progress: Progress | None = None) -> bool:
    """Refuse an invalid metric, and inconsistent lists; the result is cached as long as the metric lives.

    Returns:
        Whether the axioms were verified on all words: above ``TRIPLES`` words that takes a metric with a proof.

    Raises:
        ParameterError: an axiom fails (the message has the public ids of the words), or the lists or counts are not
            those of a metric.
    """
    if metric not in _VERIFIED:
        _need_sound_lists(metric)
        report = check_axioms(metric, strong=False, progress=progress)
        failed = [name for name in ("identity", "symmetry", "triangle") if not getattr(report, name)]
        if failed:
            raise ParameterError(
                f"metric must be a metric; got one whose {' and '.join(failed)} fails, at the word ids "
                f"{', '.join(map(str, report.witness or ()))}. Check it with check_axioms."
            )
        _VERIFIED[metric] = report.complete
    return _VERIFIED[metric]


def _need_sound_lists(metric: WordMetric) -> None:
    n, counts = metric.facts.size, metric.level_counts()
    shape = (n, metric.facts.top + 1)
    need(counts.shape == shape, "metric", f"level counts of shape {counts.shape}", f"one with counts of shape {shape}")
    for ids in blocks(n):
        for word, near in zip(ids.tolist(), metric.near(ids), strict=True):
            members = np.asarray(near.members)
            sound = (
                len(near.counts) == metric.facts.top
                and near.counts[0] == 1
                and int(near.counts.sum()) == len(members) == len(np.unique(members))
                and members[0] == word
                and 0 <= int(members.min()) <= int(members.max()) < n
                and np.array_equal(counts[word, :-1], near.counts)
                and int(counts[word].sum()) == n
            )
            need(
                sound, "metric", f"a list of word id {word} that contradicts itself", "one with sound lists and counts"
            )


def check_table(table: Integers, *, strong: bool = False, progress: Progress | None = None) -> AxiomVerdict:
    """Check the axioms on a table of integer distances, shape (n, n): every triple, O(n^3).

    Args:
        table: d(x, y), integers >= 0.
        strong: require d(x, z) <= max(d(x, y), d(y, z)).
    """
    n = len(table)
    need(table.shape == (n, n) and table.dtype.kind in "iu", "table", f"{table.dtype} {table.shape}", "integers (n, n)")
    need(bool((table >= 0).all()), "table", "a negative distance", ">= 0")
    small = table.astype(np.min_scalar_type(-2 * int(table.max(initial=0)) - 1))  # sums of two fit
    zero = small == 0
    np.fill_diagonal(zero, ~np.diagonal(zero))  # true where identity fails
    witness = _first(zero) or _first(small != small.T)
    triangle = True
    for middle in range(n):
        through = np.maximum if strong else np.add
        longer = small > through(small[:, middle, None], small[middle])
        if longer.any():
            triangle = False
            ends = _first(longer)
            witness = witness or (ends[0], middle, ends[1])
            break
        if progress is not None:
            progress(middle + 1, n)
    return AxiomVerdict(
        identity=not zero.any(),
        symmetry=bool((small == small.T).all()),
        triangle=triangle,
        strong=strong,
        words=n,
        complete=True,
        witness=witness or None,
    )


def _first(flags: NDArray[Any]) -> tuple[int, ...]:
    indices = np.argwhere(flags)
    return tuple(int(index) for index in indices[0]) if len(indices) else ()


def _premises(metric: WordMetric, strong: bool) -> tuple[bool, str]:
    proof = "textveil_lab/proofs/word_metrics.md"
    if isinstance(metric, SharedNeighbors):
        lists, holders = metric.lists.astype(np.int64), metric.holders
        n = len(lists)
        rising = bool((np.diff(lists, axis=1) > 0).all() and lists.min() >= 0 and lists.max() < n)
        own = bool((lists == np.arange(n)[:, None]).any(axis=1).all())
        held = np.repeat(np.arange(n), np.diff(holders.starts)) + n * holders.words.astype(np.int64)
        pairs = (np.arange(n)[:, None] * n + lists).reshape(-1)
        return rising and own and np.array_equal(np.sort(held), pairs) and not strong, proof
    if isinstance(metric, NeighborGraph):
        starts, words = metric.graph.starts, metric.graph.words.astype(np.int64)
        n = len(starts) - 1
        first = np.repeat(np.arange(n), np.diff(starts))
        both_ways = np.array_equal(np.sort(words * n + first), first * n + words)
        return both_ways and not bool((words == first).any()) and not strong, proof
    # An Ultrametric cannot be built from partitions that are not nested.
    return isinstance(metric, Ultrametric), proof


def _rows_agree(metric: WordMetric, sample: Integers) -> bool:
    """Tell whether the distances of draws follow the definition, from each word of the sample to all words.

    Shared neighbors and cells are counted a second way. A function on a graph is the distance from x exactly if it is 0
    at x alone, differs by at most 1 along every edge (beyond the cut, not at all), and every other word below the cut
    has a neighbor one nearer.
    """
    rows = distances(metric, sample)
    for word, row in zip(sample.tolist(), rows, strict=True):
        if isinstance(metric, NeighborGraph):
            starts, edges = metric.graph.starts, metric.graph.words
            ends = np.repeat(row, np.diff(starts))
            if (np.abs(ends - row[edges]) > 1).any() or (np.flatnonzero(row == 0) != word).any():
                return False
            nearer = np.zeros(len(row), dtype=bool)
            nearer[np.repeat(np.arange(len(row)), np.diff(starts))[row[edges] == ends - 1]] = True
            if not nearer[(row > 0) & (row < metric.hops)].all():
                return False
            continue
        if isinstance(metric, SharedNeighbors):
            shared = np.isin(metric.lists, metric.lists[word]).sum(axis=1)
            wanted = np.maximum(metric.lists.shape[1] - shared, 1)
        elif isinstance(metric, Ultrametric):
            wanted = np.full(len(row), metric.heights[-1])
            for labels, height in zip(metric.cells[::-1], metric.heights[-2::-1], strict=True):
                wanted[labels == labels[word]] = height
        else:
            return False
        wanted[word] = 0
        if not np.array_equal(row, wanted):
            return False
    return True
