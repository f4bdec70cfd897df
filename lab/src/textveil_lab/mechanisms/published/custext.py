"""CusText with an own list for every word, as in its code's "aggressive" mapping: for audits."""

from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.proved import status_of
from textveil.registry.options import NEIGHBORHOODS, Option, at_least
from textveil.types import Flags, Ids, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.custext import MEASURE, K, ScoreWeights, score_weights, scores
from textveil_lab.mechanisms.published.claims import (
    ComputedTable,
    PublishedClaim,
    TrialSetting,
    line,
    softmax,
    word_table,
)
from textveil_lab.mechanisms.sampling.listed_rows import ListedRow, ListedRows
from textveil_lab.vocabulary.clusters import EUCLIDEAN, all_distances

REFUTATION: Final = "textveil_lab/proofs/custext_published.md"

_LIST = Option(
    at_least(2),
    "Words of the list that a word is exchanged for, its own.",
    "K",
    NEIGHBORHOODS,
    unset=f"{K}, or all words where there are fewer",
)


@dataclass(frozen=True, slots=True, eq=False)
class NearestRows:
    """Maker of a word's row: its nearest words with their weights; see ``ListRows``."""

    vocabulary: Vocabulary
    size: int
    weights: ScoreWeights
    measure: str

    def __call__(self, words: Ids) -> list[ListedRow]:
        """Return the rows of these words; the lower id wins a distance tie."""
        rows = []
        distances = all_distances(integer_grid(self.vocabulary), words, self.measure)
        for word, far in zip(words.tolist(), distances, strict=True):
            ranked = far.copy()
            ranked[word] = -1.0  # the word itself, before words of the same vector
            near = np.sort(np.argsort(ranked, kind="stable")[: self.size])
            rows.append(ListedRow(near, np.cumsum(self.weights(scores(far[near])))))
        return rows


@refuted(
    family="channel",
    notion="pure DP",
    proof=REFUTATION,
    source="public code of Chen et al. 2023 (CusText), mapping strategy aggressive; pyPANTERA's CusText",
    summary="A word of the input's own nearest words: outputs of one input are impossible for another.",
    instead="custext",
)
def custext_published(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon,
    top_k: Annotated[int, _LIST] | None = None,
    measure: Annotated[str, MEASURE] = EUCLIDEAN,
) -> IntegerChannel:
    """``custext``'s weights over the ``top_k`` nearest words of the input itself, in place of a shared cluster.

    The claim is epsilon-DP for any two words. Two words with different lists have outputs that the other never gives.
    The status is computed: ``PROVED`` only if ``top_k`` is the whole vocabulary, so that all lists are equal; else
    ``REFUTED``.
    """
    n = len(vocabulary)
    size = min(K, n) if top_k is None else top_k
    need(size <= n, "top_k", size, f"between 2 and the {n} words")
    weights = score_weights(epsilon, size)
    promise = PureDP(
        epsilon=stated_epsilon(weights.loss, epsilon),
        status=status_of(__name__, REFUTATION) if size == n else Status.REFUTED,
        source=REFUTATION,
    )
    rows = ListedRows(n, NearestRows(vocabulary, size, weights, measure))
    facts = {"epsilon": promise.epsilon, "top_k": size, "measure": measure}
    return IntegerChannel(vocabulary, "custext-published", facts, promise, rows)


def _own_nearest(setting: TrialSetting, size: int = 2) -> ComputedTable:
    n = len(setting.points)
    allowed = np.zeros((n, n), dtype=bool)
    np.put_along_axis(allowed, np.argsort(setting.distances, axis=1, kind="stable")[:, :size], True, axis=1)
    meeting = (allowed[:, None, :] & allowed[None, :, :]).any(axis=2)
    return word_table(setting, _customized(setting, allowed), np.where(meeting, setting.epsilon, np.inf))


def _clustered(setting: TrialSetting, size: int = 2) -> ComputedTable:
    clusters = np.arange(len(setting.points)) // size
    same: Flags = clusters[:, None] == clusters[None, :]
    return word_table(setting, _customized(setting, same), np.where(same, setting.epsilon, np.inf))


def _customized(setting: TrialSetting, allowed: Flags) -> Reals:
    apart = np.where(allowed, setting.distances, np.nan)
    low, high = np.nanmin(apart, axis=1, keepdims=True), np.nanmax(apart, axis=1, keepdims=True)
    worth = np.where(allowed, -(setting.distances - low) / (high - low), -np.inf)
    return softmax(setting.epsilon / 2 * worth)


_SHARING: Final = "epsilon, for any two words that share an output"


_CODE: Final = "github.com/sai4july/CusText, CusText/sst2/utils.py; Chen et al., arXiv 2207.01193"
_OWN_LISTS: Final = PublishedClaim(
    name="pypantera-custext",
    work="pyPANTERA",
    part="CusText",
    claim=_SHARING,
    source="github.com/Kekkodf/pypantera, pypantera/src/SamplingPerturbationMechanism/custext.py",
    why="Every word has the k words nearest to it as its own outputs, so outputs tell inputs apart.",
    repair="clusters of k words that share their outputs; nothing is promised across clusters",
    instead="custext",
    form="custext-published",
    setting=line(2.0, 0.0, 1.0, 1.9, 2.9),
    published=_own_nearest,
    repaired=_clustered,
)

CLAIMS: Final = (
    _OWN_LISTS,
    replace(
        _OWN_LISTS,
        name="custext-aggressive",
        work="CusText",
        part="mapping aggressive",
        source=_CODE,
        repair="the mapping conservative; nothing is promised across clusters",
    ),
    PublishedClaim(
        name="custext-conservative",
        work="CusText",
        part="mapping conservative",
        claim="epsilon, for any two words of one cluster",
        source=_CODE,
        why="Words of one cluster share their outputs, and scores span one unit for each word.",
        setting=line(2.0, 0.0, 1.0, 3.0, 4.0),
        published=_clustered,
    ),
)
