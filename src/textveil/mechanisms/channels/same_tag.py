"""A word of the same public tag, a part of speech say: the exponential mechanism within tags."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.integer_channel import GroupedChannel
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import GUARANTEE, POSITIVE, Option
from textveil.mechanisms.parameters import Clip, GroupEpsilon
from textveil.mechanisms.sampling.distance_weights import distance_weights
from textveil.mechanisms.sampling.word_tags import ENDINGS, Tags, word_tags
from textveil.privacy.guarantees import Status
from textveil.privacy.units import within_groups
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary

PROOF: Final = "privacy/proofs/same_tag.md"

TAGS: Final = within_groups("tag")
"""Which two words are compared."""

_PER_DISTANCE = Option(
    POSITIVE, "In place of epsilon: nats per unit of distance between two words of one public group.", "E", GUARANTEE
)


@declared(
    family="channel",
    notion="pure or metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source="after Arnold, Yesilbas and Weinzierl 2023 (arXiv 2306.01471)",
    summary="Weight exp(-rate d) on the words of the same public tag; tags stay visible.",
    adjacency=TAGS,
)
def same_tag(
    vocabulary: Vocabulary,
    *,
    epsilon: GroupEpsilon | None = None,
    epsilon_per_distance: Annotated[float, _PER_DISTANCE] | None = None,
    tags: Tags | Mapping[str, str] = ENDINGS,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> GroupedChannel:
    """P(y | x) proportional to exp(-rate d(x, y)) over the words y with the tag of x.

    The paper adds noise to the vector and takes the nearest candidate of the same part of speech; here the candidates
    are weighed directly, under the same guarantee: metric DP between words of one tag. The tag of a word is released,
    and reports say so. A tag has to be a function of the word alone: a tagger that reads the sentence would let one
    word change the tags of others.
    Source: after Arnold et al. 2023, TrustNLP; proof: privacy/proofs/same_tag.md.

    ``tags`` may also be a tag for each word; see ``sampling.word_tags.word_tags``.

    Raises:
        ParameterError: neither or both of the first two, a word without a tag, or no tag with two words; or (for the
            metric form) words whose vectors coincide.
        InputError: the file of tags cannot be read.
    """
    tagging = word_tags(vocabulary, tags)
    counts = np.bincount(tagging.groups)
    need(int(counts.max()) > 1, "tags", "another one for each word", "such that two words share one")
    weights = distance_weights(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        clip=clip,
        proof=PROOF,
        adjacency=TAGS,
        compared=[np.flatnonzero(tagging.groups == tag) for tag in np.flatnonzero(counts > 1)],
        progress=progress,
    )
    facts: dict[str, Any] = {
        **weights.promise.numbers,
        "epsilon_per_distance": epsilon_per_distance or 2 * weights.rate,
        "tags": tagging.source,
        "tags_digest": hashlib.sha256(tagging.groups.tobytes()).hexdigest()[:16],
        "clip": clip,
    }
    rows = weights.rows(vocabulary, groups=tagging.groups)
    groups = np.where(counts[tagging.groups] > 1, tagging.groups, -1)  # a word alone with its tag is released as it is
    distances = weights.distances(vocabulary)
    return GroupedChannel(vocabulary, "same-tag", facts, weights.promise, rows, distances, groups=groups)
