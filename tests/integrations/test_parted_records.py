"""Releases whose sums are made by the workers of an engine: those of one process, number by number."""

import re
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.aggregates import budget as bounds
from textveil.aggregates.count_run import count
from textveil.aggregates.learning import learn
from textveil.aggregates.parts import added
from textveil.aggregates.request import EACH_RECORD, CorpusRequest
from textveil.aggregates.synthesis import synthesize
from textveil.aggregates.topics import topics
from textveil.errors import InputError, ParameterError, TextveilError
from textveil.integrations.parted_records import PartedRecords, begun, by_person, checked_template
from textveil.integrations.table_records import TableRecords
from textveil.randomness import seeded_generator

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `arrow`")

WORDS = ["train", "bus", "late", "doctor", "nurse", "ward", "river", "boat", "zorblax", "quuxible", "the", "with"]
POOL = [f"The {first} was {second} with the {third}." for first in WORDS for second in WORDS for third in WORDS[:4]]


@dataclass
class Here:
    """An engine of this process; what is kept is made once for each time that it is asked for."""

    parts: list[bytes]

    def kept(self, work: Callable[[bytes], bytes]) -> "Here":
        return Here([pickle.loads(pickle.dumps(work))(part) for part in self.parts])

    def folded(self, work: Callable[[bytes], bytes], fold: Callable[[Iterable[bytes]], bytes]) -> Iterable[bytes]:
        made = self.kept(work).parts
        return [fold(made[start::3]) for start in range(min(3, len(made)))]


def corpus(persons: int = 400, records: int = 3) -> Any:
    rng = np.random.default_rng(4)
    rows = []
    for person in range(persons):
        for _ in range(rng.integers(1, records + 1)):
            label = "ab"[int(rng.integers(2))]
            words = rng.choice(WORDS[:9] if label == "a" else WORDS[3:], 6)
            rows.append({"who": f"p{person}", "text": " ".join(words), "kind": label, "more": "unread"})
    rng.shuffle(rows)
    return pyarrow.Table.from_pylist(rows)


def here(table: Any, *, unit: str = "who", label: str | None = "kind", parts: int = 7, limit: int | None = None) -> Any:
    """Records as one process reads them, and in parts, their rows in another order."""
    template = checked_template(table.column_names, unit, "text", label, limit)
    alone = replace(template, source=lambda: [table])
    mixed = table.take(np.random.default_rng(1).permutation(len(table)))
    names = mixed["who"].to_pylist()
    owners = np.array([hash(name) % parts for name in names]) if by_person(template) else np.arange(len(mixed)) % parts
    columns = [unit] * by_person(template) + ["text"] + [label] * (label is not None)
    pieces = [mixed.take(np.flatnonzero(owners == part)).select(columns) for part in range(parts)]
    return alone, PartedRecords(template, Here([begun(template, piece.to_batches() and [piece]) for piece in pieces]))


def released(records: Any, what: str, *, labels: tuple[str, ...] = (), payer: Any = None, epsilon: float = 30.0) -> Any:
    """All that a release holds, under a seed."""
    delta = 0 if what == "topics" else 1e-6
    request = CorpusRequest(
        records, epsilon=epsilon, delta=delta, labels=labels, rng=seeded_generator(3), payer=payer
    )
    if what == "count":
        release, report = count(request, ngrams=3, items_per_person=4)
        return release, report.to_data()
    if what == "learn":
        learned = learn(request)
        model = learned.model
        words = None if model.words is None else model.words.tobytes()
        return model.labels, model.weights.tobytes(), words, model.report, learned.persons
    if what == "topics":
        made = topics(request, POOL, topics=5)
        return made.themes, made.persons, made.report.to_data()
    text = synthesize(request, POOL, documents=50)
    return text.texts, text.labels, text.persons, text.report.to_data()


@pytest.mark.parametrize("what", ["count", "learn", "synthesize", "topics"])
@pytest.mark.parametrize(("unit", "labels"), [("who", ()), ("who", ("b", "a")), (EACH_RECORD, ())])
def test_a_release_of_parts_is_that_of_one_process(what: str, unit: str, labels: tuple[str, ...]) -> None:
    label = None if what == "topics" else "kind"
    labels = () if what == "topics" else labels
    alone, parted = here(corpus(), unit=unit, label=label)
    wanted, got = (released(records, what, labels=labels) for records in (alone, parted))
    assert got == wanted
