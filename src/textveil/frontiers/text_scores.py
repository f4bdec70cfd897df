"""Scores on public texts: words that a decoder names, and how well a task is learned from releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textveil.audit.recovery import measure_recovery
from textveil.errors import InputError, UnsupportedGuarantee
from textveil.frontiers.corpus import model_of
from textveil.frontiers.downstream.accuracy import LinearLearner
from textveil.frontiers.downstream.measured import ON_RELEASES, ON_TEXTS, accuracy_scorer, measured
from textveil.frontiers.measures import ACCURACY_RELEASES, ACCURACY_TEXTS, RECOVERED, RECOVERED_ALONE
from textveil.frontiers.study import FrontierStudy
from textveil.mechanisms.kinds import WordMechanism
from textveil.randomness import seeded_generator
from textveil.statistics import Bound

_LINEAR: Final = "linear"
_NAMES: Final = {ACCURACY_RELEASES: f"{_LINEAR}, {ON_RELEASES}", ACCURACY_TEXTS: f"{_LINEAR}, {ON_TEXTS}"}


def recovery_scores(study: FrontierStudy, mechanism: WordMechanism, stream: int) -> dict[str, Bound]:
    """Shares of the words of public texts that are named; empty where no decoder reaches mechanism or vocabulary."""
    model = model_of(study.vocabulary) if study.sentences else None
    if model is None:
        return {}
    try:
        recovered = measure_recovery(mechanism, study.sentences, model, rng=seeded_generator(stream, 1)).kinds[0]
    except (UnsupportedGuarantee, InputError):  # no channel, or too few words of the vocabulary
        return {}
    alone = {} if recovered.alone is None else {RECOVERED_ALONE: recovered.alone}
    return {**alone, RECOVERED: recovered.in_context}


def accuracy_scores(study: FrontierStudy, mechanism: WordMechanism | None, stream: int) -> Mapping[str, Bound]:
    """Accuracy of a linear classifier that learned from releases; of one that learned from the texts for None."""
    if study.task is None:
        return {}
    scorer = accuracy_scorer(_LINEAR, LinearLearner(study.units), study.task.classes, study.seed)
    accuracies = measured(mechanism, study.task, [scorer], stream)
    bounds = {key: accuracies.bound(name) for key, name in _NAMES.items()}
    return {key: Bound(max(0.0, low), mid, min(1.0, high), sure) for key, (low, mid, high, sure) in bounds.items()}
