"""Neighborhood response: the m nearest words of x get weight e^epsilon, all others weight 1."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.base import checked_ids, checked_word_id
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import Option, at_least
from textveil.mechanisms.parameters import NEIGHBORHOODS, Epsilon
from textveil.mechanisms.sampling.row_lock import RowLock
from textveil.mechanisms.sampling.row_sharing import SharedTable
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.geometry import mean_neighbor_similarity
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/neighborhood.md"

ROW_BYTES = 128 * 2**20
"""Byte budget of the rows that are kept; past it all are dropped and made again when needed."""

_BLOCK = 256
"""Words whose rows are made at once: their scores take 33 MB at 33,000 words."""


@final
class NeighborRows:
    """The sets S(x), made in blocks when words first appear and kept within a byte budget.

    A row is a function of its word alone (see ``vocabulary.grid``): the order of arrival, the batch, the
    thread and what was dropped before change nothing but time. A pickled copy starts empty: which rows are
    kept tells which words were seen.
    """

    __slots__ = ("_budget", "_capacity", "_lock", "_place", "_rows", "_shared", "_used", "_vocabulary", "size")

    def __init__(self, vocabulary: Vocabulary, size: int, budget: int = ROW_BYTES, shared_name: Any = None) -> None:
        kind = np.min_scalar_type(len(vocabulary) - 1)
        self.size = size
        self._vocabulary = vocabulary
        self._budget = budget
        self._lock = RowLock()
        self._capacity = min(len(vocabulary), max(_BLOCK, budget // (size * kind.itemsize)))
        self._place = np.full(len(vocabulary), -1, dtype=np.int32)
        self._rows: NDArray[Any] = np.empty((min(self._capacity, 1024), size), dtype=kind)
        self._used = 0
        self._shared: SharedTable | None = None
        if shared_name is not None:
            with contextlib.suppress(OSError):  # the block that shared them has ended: rows of one's own
                self._shared = SharedTable(len(vocabulary), size, kind, shared_name)

    def __reduce__(self) -> tuple[Any, ...]:
        name = None if self._shared is None else self._shared.name
        return NeighborRows, (self._vocabulary, self.size, self._budget, name)

    def share(self) -> bool:
        """Keep rows in memory that copies in child processes share; False where that is not to be had."""
        count, kind = len(self._vocabulary), self._rows.dtype
        if self._shared is not None or count * self.size * kind.itemsize > self._budget:
            return False
        with contextlib.suppress(OSError):
            self._shared = SharedTable(count, self.size, kind)
        return self._shared is not None

    def unshare(self) -> None:
        """Give the common memory back; rows are this process's own again."""
        with self._lock:
            shared, self._shared = self._shared, None
        if shared is not None:
            shared.close()

    def members(self, ids: Ids, indices: Ids) -> Ids:
        """The ``places[i]``-th member of S(ids[i]); shapes (batch,)."""
        with self._lock:
            if self._shared is not None:
                return self._shared.members(ids, indices, self._made, _BLOCK)
            return self._members(ids, indices)

    def _made(self, words: Ids) -> Ids:
        return integer_grid(self._vocabulary).neighborhoods(words, self.size)

    def _members(self, ids: Ids, indices: Ids) -> Ids:
        out = np.empty(len(ids), dtype=np.int64)
        new = np.unique(ids[self._place[ids] < 0]) if len(ids) else ids
        if self._used + len(new) <= self._capacity:
            self._make(new)
            out[:] = self._rows[self._place[ids], indices]
            return out
        # More words than the budget holds: take them a share at a time, in order of id.
        words, which = np.unique(ids, return_inverse=True)
        order = np.argsort(which, kind="stable")
        edges = np.searchsorted(which[order], np.arange(0, len(words) + self._capacity, self._capacity))
        for start, stop in pairwise(edges):
            share = order[start:stop]
            self._place.fill(-1)
            self._used = 0
            self._make(np.unique(ids[share]))
            out[share] = self._rows[self._place[ids[share]], indices[share]]
        return out

    def _make(self, words: Ids) -> None:
        """Make and keep the rows of ``words``, none of which is kept yet."""
        need_rows = self._used + len(words)
        if need_rows > len(self._rows):
            grown = np.empty((min(self._capacity, max(need_rows, 2 * len(self._rows))), self.size), self._rows.dtype)
            grown[: self._used] = self._rows[: self._used]
            self._rows = grown
        grid = integer_grid(self._vocabulary)
        for start in range(0, len(words), _BLOCK):
            block = words[start : start + _BLOCK]
            rows = slice(self._used, self._used + len(block))
            self._rows[rows] = grid.neighborhoods(block, self.size, len(words))
            # In this order, so that a run that is interrupted between two lines loses room and nothing else.
            self._used = rows.stop
            self._place[block] = np.arange(rows.start, rows.stop)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Neighborhood:
    """P(y | x) = e^epsilon / T for y in S(x), else 1 / T, with T = m e^epsilon + n - m.

    S(x) is x and the words of greatest cosine with it, m in all. T does not depend on x, so the loss is
    epsilon for any two words whatever the sets are. The weights are integers.
    Proof: privacy/proofs/neighborhood.md.

    Attributes:
        vocabulary: the public words.
        weights: the integers that are sampled; ``weights.members`` is m.
        guarantee: pure DP for any two words.
    """

    vocabulary: Vocabulary
    weights: TwoLevelWeights
    guarantee: PureDP
    _rows: NeighborRows = field(repr=False)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "neighborhood"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "neighborhood_size": self.weights.members}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``Mechanism.privatize``."""
        words = checked_ids(ids, len(self.vocabulary))
        uniform, member = self.weights.draw(len(words), resolve(rng))
        raised = np.flatnonzero(uniform < 0)
        uniform[raised] = self._rows.members(words[raised], member[raised])
        return uniform

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        weights = self.weights
        word = checked_word_id(word_id, weights.size)
        row = np.full(weights.size, weights.outside / weights.total)
        everyone = np.arange(weights.members)
        row[self._rows.members(np.full(weights.members, word), everyone)] = weights.inside / weights.total
        return row

    def integer_weights(self, ids: Ids) -> Integers:
        """See ``capabilities.IntegerWeights``."""
        words, size = checked_ids(ids, len(self.vocabulary)), self.weights.members
        members = self._rows.members(np.repeat(words, size), np.tile(np.arange(size), len(words)))
        return self.weights.rows(members.reshape(len(words), size))


def best_neighborhood_size(vocabulary: Vocabulary, epsilon: float) -> int:
    """The m that maximizes the mean cosine between a word and its output, over a public grid of sizes.

    With T(m) the mean over words of the sum of cosines of the m nearest, the mean cosine of the output is
    (T(n) + (e^epsilon - 1) T(m)) / (m e^epsilon + n - m).
    It depends on the public vectors and on epsilon only.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    sizes, sums = mean_neighbor_similarity(vocabulary)
    gain = math.expm1(min(epsilon, 40.0))
    means = (sums[-1] + gain * sums) / (sizes * (gain + 1) + (len(vocabulary) - sizes))
    return int(sizes[int(np.argmax(means))])


_SIZE = Option(
    domain=at_least(1),
    help="Words that have the larger weight, the word itself included.",
    metavar="M",
    group=NEIGHBORHOODS,
    unset="chosen for the vocabulary and epsilon",
)


@declared(
    family="channel",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source=f"{PROOF}; extremal shape: Kairouz, Oh and Viswanath 2014",
    summary="The m nearest words get weight e^epsilon, all others weight 1.",
)
def neighborhood(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    neighborhood_size: Annotated[int, _SIZE] | None = None,
) -> Neighborhood:
    """Neighborhood response at ``epsilon`` nats for any two words.

    Args:
        vocabulary: public words and vectors.
        epsilon: nats, finite and > 0.
        neighborhood_size: m, the word itself included; None chooses it by ``best_neighborhood_size``.

    Raises:
        ParameterError: epsilon is not finite and > 0, or m is not between 1 and the number of words.
    """
    if neighborhood_size is None:
        neighborhood_size = best_neighborhood_size(vocabulary, epsilon)
    need(
        1 <= neighborhood_size <= len(vocabulary),
        "neighborhood_size",
        neighborhood_size,
        f"between 1 and the {len(vocabulary)} words of the vocabulary",
    )
    weights = two_level_weights(size=len(vocabulary), members=neighborhood_size, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=Status.PROVED, source=PROOF)
    rows = NeighborRows(vocabulary, weights.members)
    return Neighborhood(vocabulary, weights, promise, rows)
