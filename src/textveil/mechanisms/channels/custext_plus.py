"""CusText+: CusText that releases function words as they are."""

from __future__ import annotations

from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.custext import MEASURE, PROOF, TOP_K, clustered
from textveil.mechanisms.channels.integer_channel import GroupedChannel
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import GroupEpsilon
from textveil.privacy.guarantees import Status
from textveil.privacy.units import CLUSTERED_CONTENT
from textveil.text.function_words import FUNCTION_WORDS
from textveil.types import Progress
from textveil.vocabulary.clusters import EUCLIDEAN
from textveil.vocabulary.vocabulary import Vocabulary

_SOURCE: Final = "Chen et al. 2023 (CusText+)"


@declared(
    family="channel",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source=_SOURCE,
    summary="custext that releases English function words as they are.",
    adjacency=CLUSTERED_CONTENT,
)
def custext_plus(
    vocabulary: Vocabulary,
    *,
    epsilon: GroupEpsilon,
    top_k: Annotated[int, TOP_K] | None = None,
    measure: Annotated[str, MEASURE] = EUCLIDEAN,
    progress: Progress | None = None,
) -> GroupedChannel:
    """``custext`` for the words that are no English function words; those are released as they are, unprotected.

    The list of function words is public (``text.function_words``; the paper takes NLTK's stop words).
    Source: Chen et al., Findings of ACL 2023; proof: privacy/proofs/custext.md, section 2.

    The guarantee is for words that are no function words.

    Raises:
        ParameterError: as ``custext``; or the vocabulary holds function words alone.
    """
    kept = np.array([word in FUNCTION_WORDS for word in vocabulary.words])
    need(not kept.all(), "vocabulary", "function words alone", "one with other words")
    return clustered("custext-plus", vocabulary, kept, epsilon, top_k, measure, progress, CLUSTERED_CONTENT)
