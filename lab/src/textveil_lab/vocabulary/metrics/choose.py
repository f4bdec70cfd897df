"""Word metrics by name, made once for each vocabulary object."""

from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from textveil.errors import need
from textveil.types import Integers, Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.metric import WordMetric
from textveil_lab.vocabulary.metrics.neighbor_graph import neighbor_graph
from textveil_lab.vocabulary.metrics.shared_neighbors import shared_neighbors
from textveil_lab.vocabulary.metrics.ultrametric import ultrametric

DEFAULT = "ultrametric"
NEIGHBORS = {"shared-neighbors": 128, "neighbor-graph": 32, "ultrametric": 32}
"""Default sizes: measured on two vocabularies, see docs/word-metrics.md."""

HOPS = 3
_Key: TypeAlias = tuple[str, int, int]
_METRICS: WeakKeyDictionary[Vocabulary, dict[_Key, WordMetric]] = WeakKeyDictionary()
_COUNTS: WeakKeyDictionary[Any, Integers] = WeakKeyDictionary()


def word_metric(
    vocabulary: Vocabulary,
    name: str = DEFAULT,
    *,
    neighbors: int | None = None,
    hops: int | None = None,
    progress: Progress | None = None,
) -> WordMetric:
    """Return the metric of that name, cached as long as the vocabulary lives.

    Args:
        name: ``"shared-neighbors"``, ``"neighbor-graph"`` or ``"ultrametric"``.
        neighbors: length of a word's list, or size of a cell, the word itself included; None takes ``NEIGHBORS``, or
            the whole vocabulary if that is smaller.
        hops: largest distance in the neighbor graph; None takes 3. Only for ``"neighbor-graph"``.
    """
    need(name in NEIGHBORS, "metric", repr(name)[:60], "one of " + ", ".join(map(repr, NEIGHBORS)))
    need(hops is None or name == "neighbor-graph", "hops", hops, "given for the neighbor-graph only")
    size = min(NEIGHBORS[name], len(vocabulary)) if neighbors is None else neighbors
    cut = HOPS if hops is None else hops
    kept = _METRICS.setdefault(vocabulary, {})
    key = (name, size, cut)
    if key not in kept:
        if name == "shared-neighbors":
            kept[key] = shared_neighbors(vocabulary, size, progress)
        elif name == "neighbor-graph":
            kept[key] = neighbor_graph(vocabulary, size, cut, progress)
        else:
            kept[key] = ultrametric(vocabulary, size, progress=progress)
    return kept[key]


def level_counts(metric: WordMetric, progress: Progress | None = None) -> Integers:
    """Return ``metric.level_counts``, cached as long as the metric lives; shape (n, top + 1)."""
    if metric not in _COUNTS:
        _COUNTS[metric] = metric.level_counts(progress)
    return _COUNTS[metric]
