"""Accuracy of a task learned from releases: repeated splits, the same for every release of a sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from textveil.errors import InputError, need
from textveil.statistics import Bound
from textveil.types import Ids
from textveil_lab.numerics.intervals import student_reach
from textveil_lab.tuning.verbatim import LEAST_OF_A_CLASS

TEST_SHARE: Final = 0.25  # Of each class, documents that are tested on


class Classifier(Protocol):
    """Classifier of texts."""

    def predict(self, texts: Sequence[str]) -> Sequence[str]:
        """Return a class for each text."""


class Learner(Protocol):
    """Learner of text classes."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Classifier:
        """Return a classifier of such texts."""


class Split(NamedTuple):
    """Indices of the documents for training and testing."""

    train: Ids
    test: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Labels of a sample, cut into training and test documents several times."""

    labels: tuple[str, ...]
    splits: tuple[Split, ...]  # of those whose class has at least ``LEAST_OF_A_CLASS`` documents
    left_out: int
    majority: float  # share of the commonest class among the rest


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of correctly classified test documents, by a classifier trained on releases."""

    on_releases: Bound
    on_texts: Bound

    def to_data(self) -> dict[str, Any]:
        return {"on_releases": self.on_releases._asdict(), "on_texts": self.on_texts._asdict()}


def task_of(labels: Sequence[str], repeats: int, rng: np.random.Generator) -> Task:
    """Cut a sample several times, every class in the same shares.

    Args:
        repeats: number of splits, at least two.

    Raises:
        InputError: fewer than two classes have enough documents.
    """
    need(repeats >= 2, "repeats", repeats, ">= 2")
    names, classes, counts = np.unique(np.asarray(labels, dtype=object), return_inverse=True, return_counts=True)
    kept = [number for number in range(len(names)) if counts[number] >= LEAST_OF_A_CLASS]
    if len(kept) < 2:
        raise InputError(
            f"labels must have two classes at least with {LEAST_OF_A_CLASS} documents or more; got {len(kept)}. "
            "Give more documents, or another field of labels."
        )
    members = [np.flatnonzero(classes == number) for number in kept]
    splits = []
    for _ in range(repeats):
        train, test = [], []
        for places in members:
            mixed = rng.permutation(places)
            cut = max(1, round(TEST_SHARE * len(mixed)))
            test.append(mixed[:cut])
            train.append(mixed[cut:])
        splits.append(Split(np.sort(np.concatenate(train)), np.sort(np.concatenate(test))))
    there = sum(map(len, members))
    return Task(tuple(labels), tuple(splits), len(labels) - there, max(map(len, members)) / there)


def accuracy(
    task: Task, texts: Sequence[str], releases: Sequence[str], learner: Learner, confidence: float
) -> Accuracy:
    """Train on releases, test on releases and on texts, for every split.

    Args:
        releases: of the texts; the texts again, for a classifier without protection.
        learner: fitted anew for every split.
    """
    shares = np.array([_shares(task, split, texts, releases, learner) for split in task.splits])
    return Accuracy(*(_over_splits(column, task.splits[0], confidence) for column in shares.T))


def _shares(
    task: Task, split: Split, texts: Sequence[str], releases: Sequence[str], learner: Learner
) -> tuple[float, float]:
    train, test = split.train.tolist(), split.test.tolist()
    learned = learner.fit([releases[index] for index in train], [task.labels[index] for index in train])
    wanted = [task.labels[index] for index in test]

    def share(of: Sequence[str]) -> float:
        predicted = learned.predict([of[index] for index in test])
        return sum(label == other for label, other in zip(predicted, wanted, strict=True)) / len(wanted)

    on_releases = share(releases)
    return on_releases, on_releases if releases is texts else share(texts)


def _over_splits(shares: np.ndarray[Any, Any], split: Split, confidence: float) -> Bound:
    """Return the mean over splits of one sample with Student's interval; its variance allows for shared documents.

    Source: Nadeau and Bengio 2003, section 3 (the corrected resampled t-test).
    """
    repeats = len(shares)
    variance = float(shares.var(ddof=1)) * (1 / repeats + len(split.test) / len(split.train))
    reach = student_reach(math.sqrt(variance), repeats - 1, confidence)
    mean = float(shares.mean())
    return Bound(max(0.0, mean - reach), mean, min(1.0, mean + reach), confidence)
