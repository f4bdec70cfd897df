"""A promise per distance, put to the test on the very pairs that it speaks of: exact, for channels that state d."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from textveil.audit.channels.groups import rows_of
from textveil.audit.channels.metric_loss import metric_epsilon
from textveil.audit.channels.rows import Rows, source_of
from textveil.audit.report.verdict import Claim, Finding, Verdict
from textveil.mechanisms.capabilities import OnWordDistances
from textveil.privacy.guarantees import MetricDP
from textveil.statistics import Bound

INPUTS: Final = 400
"""Words whose pairs are compared at most: evenly spaced in the vocabulary's order."""


def audit_per_distance(channel: Rows, metric: OnWordDistances, promise: MetricDP) -> Finding | None:
    """Whether two words lose more than the promise allows at their distance.

    Args:
        channel: a row for each word of the vocabulary.
        metric: states the distances that the promise is per unit of.
        promise: what is put to the test.

    Returns:
        A finding of method ``"exact channel per distance"`` about the two words of the largest loss per distance among
        those compared: REFUTED, or CERTIFIED where all words were. None where some were not and nothing was found.

    Raises:
        ParameterError: the rows are no channel.
    """
    vocabulary = metric.vocabulary
    size = len(vocabulary)
    ids = np.unique(np.linspace(0, size - 1, min(size, INPUTS)).astype(np.int64))
    part = rows_of(source_of(channel), ids)
    worst = metric_epsilon(part.source, metric.word_distances(ids)[:, ids])
    found = worst.epsilon_per_distance
    refuted = found.lower > promise.epsilon_per_distance
    if not refuted and (len(ids) < size or found.upper > promise.epsilon_per_distance):
        return None
    first, second = (int(ids[row]) for row in worst.pair)
    low, middle, high = (value * worst.distance for value in found[:3])
    witness: Mapping[str, Any] = {
        "input": vocabulary.words[first],
        "other_input": vocabulary.words[second],
        "output": vocabulary.words[int(part.outputs[worst.output])],
        "distance": worst.distance,
        "log_ratio": middle,
        "epsilon_per_distance": found.estimate,
    }
    return Finding(
        verdict=Verdict.REFUTED if refuted else Verdict.CERTIFIED,
        claim=Claim(epsilon=promise.epsilon_per_distance * worst.distance),
        epsilon=Bound(low, middle, high, 1.0),
        delta=Bound(0.0, 0.0, 1.0, 1.0),
        method="exact channel per distance",
        witness=witness,
        notes=(
            f"The loss per distance is {found.estimate:.6g}; {promise.epsilon_per_distance:.6g} is claimed. "
            f"{len(ids)} of {size} words were compared with each other, over all outputs.",
        ),
        inputs="two words at that distance",
    )
