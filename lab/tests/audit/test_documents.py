"""Audits of mechanisms that look at more than one word: true ones stand, leaky ones fall, at stated odds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import InputError
from textveil.mechanisms.neighborhood import ConsistentNeighborhood
from textveil.privacy.guarantees import Guarantee, PureDP
from textveil.privacy.units import ANY_DOCUMENT
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.documents import EXACT_WORK, text_pairs
from textveil_lab.audit.report.report import Claim, Subject, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism

CONFIDENCE = 1 - 1e-6
WORDS = made_vocabulary(8)
PLAIN = Vocabulary(["the", "of", "cat", "dog", "fever", "asthma", "rain", "snow"], np.eye(8, dtype=np.float32), "plain")
DOCUMENT = PureDP(epsilon=1.0, adjacency=ANY_DOCUMENT)
OPTIONS: dict[str, Any] = {"neighborhood_size": 3, "recent": 2, "copies": 3}


def sequences(epsilon: float = 1.0) -> Any:
    return mechanism("consistent-neighborhood", WORDS, epsilon=epsilon, **OPTIONS)


@dataclass(frozen=True)
class Leaky:
    """Draws the second word of a document for what the first one was: an input is looked at, not an output."""

    inner: ConsistentNeighborhood
    name: str = "leaky"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    @property
    def vocabulary(self) -> Vocabulary:
        return self.inner.vocabulary

    @property
    def guarantee(self) -> Guarantee:
        return self.inner.guarantee

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        return self.inner.integer_weights_after(past, ids)

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: Any = None) -> Ids:
        seen = ids.copy()
        seen[bounds[:-1] + 1] = ids[bounds[:-1]]
        return self.inner.privatize_documents(seen, bounds, rng)


@dataclass(frozen=True)
class Telling:
    """Says how many words a text has, which no guarantee for any two documents allows."""

    guarantee: Guarantee = DOCUMENT
    name: str = "telling"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def privatize_texts(self, texts: Sequence[str], rng: Any = None) -> list[str]:
        return [str(len(text.split())) for text in texts]


def test_sequences_are_computed_exactly_and_sampled() -> None:
    report = audit_mechanism(sequences(), confidence=CONFIDENCE, seed=1)
    exact, sampled = report.findings
    assert (exact.method, sampled.method) == ("exact sequences", "sampled")
    assert (report.verdict, report.subject) == (Verdict.NOT_REFUTED, Subject.DOCUMENT_CHANNEL)
    assert exact.epsilon.estimate == pytest.approx(1.0, rel=1e-9)
    assert 0.5 < sampled.epsilon.lower <= exact.epsilon.upper
    assert "two words" in exact.notes[0] and "two words" in sampled.notes[0]


def test_a_claim_below_the_loss_of_a_sequence_is_refuted_exactly() -> None:
    report = audit_mechanism(sequences(), claim=Claim(epsilon=0.999), seed=1)
    assert report.verdict is Verdict.REFUTED
    assert report.leading.method == "exact sequences"


def test_a_draw_that_looks_at_earlier_inputs_is_refuted_by_its_outputs() -> None:
    """What it states is true of what it states; that it looks at more shows in both outputs together."""
    report = audit_mechanism(Leaky(sequences(2.0)), samples=60_000, confidence=CONFIDENCE, seed=1)
    exact, sampled = report.findings
    assert exact.verdict is Verdict.NOT_REFUTED
    assert sampled.verdict is Verdict.REFUTED
    assert report.verdict is Verdict.REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["consistent-neighborhood", "keywords"])
def test_without_a_number_enough_is_drawn_for_a_large_claim(name: str) -> None:
    made: Any = mechanism(name, PLAIN, epsilon=7.5)
    sampled = audit_mechanism(made, seed=1).findings[-1]
    assert sampled.verdict is Verdict.NOT_REFUTED
    assert sampled.samples > 2 * 20_000 * 3
    with pytest.raises(InputError, match="too few to say anything"):
        audit_mechanism(made, samples=1000, seed=1)


def test_a_large_vocabulary_is_sampled_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert EXACT_WORK >= 9.0 * 8 * 8
    monkeypatch.setattr("textveil_lab.audit.documents.EXACT_WORK", 9 * 8 * 8 - 1)
    report = audit_mechanism(sequences(), confidence=CONFIDENCE, seed=1)
    assert [one.method for one in report.findings] == ["sampled"]


@pytest.mark.slow
def test_keywords_stand_and_a_smaller_claim_falls() -> None:
    made: Any = mechanism("keywords", PLAIN, epsilon=1.0, candidates=3)
    report = audit_mechanism(made, confidence=CONFIDENCE, seed=1)
    assert report.verdict is Verdict.NOT_REFUTED
    assert 0.5 < report.leading.epsilon.lower <= 1.0
    less = audit_mechanism(made, claim=Claim(epsilon=0.5), samples=60_000, confidence=CONFIDENCE, seed=1)
    assert less.verdict is Verdict.REFUTED
    assert report.to_data()["attacks"] == []


def test_a_mechanism_of_texts_that_tells_their_length_is_refuted() -> None:
    report = audit_mechanism(Telling(), confidence=CONFIDENCE, seed=1)
    assert report.verdict is Verdict.REFUTED
    assert report.to_data()["subject"] == "document channel" and "telling is not" in report.summary()
    assert report.to_data()["vocabulary"] == {}


def test_pairs_of_texts_are_different() -> None:
    for words in (["a", "b"], PLAIN.words):
        pairs = text_pairs(words)
        assert pairs and all(first != second for first, second in pairs)
