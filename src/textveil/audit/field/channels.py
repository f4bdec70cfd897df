"""Tables over the words of a setting, with their claims; and the sound channels that mended forms are."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textveil.audit.field.cases import Making, TrialSetting
from textveil.audit.field.subjects import ComputedTable
from textveil.types import Reals

BETA = 0.001
"""Of the truncated exponential mechanism, in its paper and in all public code."""


def softmax(scores: Reals) -> Reals:
    """Rows exp(scores), each divided by its sum; -inf is a 0."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def metric_table(setting: TrialSetting, rows: Reals, absolute: float = 0.0, **facts: object) -> ComputedTable:
    """A table over the words of a setting that claims epsilon times their distance."""
    return ComputedTable(
        rows=rows,
        claims=setting.epsilon * setting.distances,
        inputs=setting.words,
        outputs=setting.words,
        absolute=absolute,
        relative=1e-11 if absolute else 1e-12,
        facts=MappingProxyType({"epsilon per distance": setting.epsilon, **facts}),
    )


def pure_table(setting: TrialSetting, rows: Reals, claims: Any = None, absolute: float = 0.0) -> ComputedTable:
    """A table over the words of a setting that claims epsilon, or ``claims``."""
    return ComputedTable(
        rows=rows,
        claims=setting.epsilon if claims is None else claims,
        inputs=setting.words,
        outputs=setting.words,
        absolute=absolute,
        relative=1e-11 if absolute else 1e-12,
        facts=MappingProxyType({"epsilon": setting.epsilon}),
    )


def exponential(setting: TrialSetting) -> ComputedTable:
    """P(y | x) proportional to exp(-epsilon d / 2)."""
    return metric_table(setting, softmax(-setting.epsilon * setting.distances / 2))


def radius_of(setting: TrialSetting) -> float:
    """Distance from which the truncated exponential mechanism tells words apart no more."""
    return 2 / setting.epsilon * math.log((1 - BETA) * (len(setting.points) - 1) / BETA)


def truncated_exponential(setting: TrialSetting) -> ComputedTable:
    """P(y | x) proportional to exp(-epsilon min(d, radius) / 2): what the published scores of the rest amount to."""
    return metric_table(setting, softmax(-setting.epsilon * np.minimum(setting.distances, radius_of(setting)) / 2))


def nearest_word(setting: TrialSetting) -> ComputedTable:
    """Laplace noise of scale 1 / epsilon, then the nearest word: differences of the distribution at the midpoints."""
    points = setting.points
    middles = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    reach = setting.epsilon * (middles[None, :] - points[:, None])
    # ln P(noise > t) from whichever side is small, so that no difference cancels.
    upper = np.where(reach > 0, np.exp(-np.abs(reach)) / 2, 1 - np.exp(-np.abs(reach)) / 2)
    lower = np.where(reach > 0, 1 - np.exp(-np.abs(reach)) / 2, np.exp(-np.abs(reach)) / 2)
    rows = np.where(reach[:, :-1] > 0, upper[:, :-1] - upper[:, 1:], lower[:, 1:] - lower[:, :-1])
    return metric_table(setting, rows)


def range_rule(setting: TrialSetting) -> ComputedTable:
    """P proportional to exp(-epsilon d / (2 range)) over all words: epsilon for any two, since d spans the range."""
    return pure_table(setting, softmax(-setting.epsilon / 2 * setting.distances / setting.distances.max()))


def two_inputs(rows: ArrayLike, inputs: tuple[str, str], outputs: tuple[str, ...], **options: float) -> Making:
    """Two inputs whose outputs, or one event and its opposite, have these probabilities; the claim is epsilon."""

    def made(setting: TrialSetting) -> ComputedTable:
        return ComputedTable(
            rows=np.asarray(rows, dtype=np.float64),
            claims=setting.epsilon,
            inputs=inputs,
            outputs=outputs,
            facts=MappingProxyType({"epsilon": setting.epsilon}),
            **options,
        )

    return made
