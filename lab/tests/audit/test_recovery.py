"""How much a decoder recovers of a public text: counted right, quoted right."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel
from tests.helpers.vocabularies import lettered_vocabulary

import textveil.sanitize.setting as stored
from textveil.catalog import mechanism
from textveil.errors import InputError, UnsupportedGuarantee
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.recovery import measure_recovery
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.decoding.evidence import DecoderOptions

SIZE = 30
LENGTH = 24


@pytest.fixture(scope="module")
def words() -> Vocabulary:
    return lettered_vocabulary(SIZE)


@pytest.fixture(scope="module")
def chain() -> BigramModel:
    """After word i comes word i + 1 with probability .99."""
    counts = np.full((SIZE, SIZE), 0.01 / SIZE)
    counts[np.arange(SIZE), (np.arange(SIZE) + 1) % SIZE] += 0.99
    return BigramModel(counts, np.ones(SIZE))


def _texts(words: Vocabulary) -> list[str]:
    """Texts that follow the chain, from every word."""
    return [" ".join(words.words[(start + step) % SIZE] for step in range(LENGTH)) + "." for start in range(SIZE)]


def test_where_all_stays_all_is_recovered(words: Vocabulary, chain: BigramModel, rng: np.random.Generator) -> None:
    found = measure_recovery(mechanism("randomized-response", words, epsilon=40.0), _texts(words), chain, rng=rng)
    (everything, *_) = found.kinds
    assert everything.kind == "words"
    assert everything.count == LENGTH * SIZE
    assert everything.alone is not None
    assert everything.unchanged.estimate == everything.alone.estimate == everything.in_context.estimate == 1.0


def test_context_recovers_what_no_word_tells(words: Vocabulary, chain: BigramModel, rng: np.random.Generator) -> None:
    # At epsilon 3.5 a word stays with probability .53; a chain of 24 words, known but for its first one, does not
    # hide it from a decoder that trusts the chain. Of 150 seeds the shares alone were below .63, those in context above
    # .96; a document that is lost takes 1/30 of it.
    made, options = mechanism("randomized-response", words, epsilon=3.5), DecoderOptions(model_weight=1.0, width=SIZE)
    found = measure_recovery(made, _texts(words), chain, rng=rng, options=options)
    (everything, *_) = found.kinds
    assert everything.alone is not None
    assert max(everything.unchanged.upper, everything.alone.upper) < 0.75
    assert everything.in_context.lower > 0.75


def test_it_counts_as_by_hand(words: Vocabulary, chain: BigramModel) -> None:
    made = mechanism("randomized-response", words, epsilon=3.0)
    texts = _texts(words)
    ids = np.concatenate([(start + np.arange(LENGTH)) % SIZE for start in range(SIZE)])
    drawn = made.privatize(ids, np.random.default_rng(5))
    found = measure_recovery(made, texts, chain, rng=np.random.default_rng(5))
    assert found.documents == SIZE
    assert found.kinds[0].unchanged.estimate == np.mean(drawn == ids)


def test_unknown_words_are_left_out(words: Vocabulary, chain: BigramModel) -> None:
    texts = [text.replace(".", " and 12 others.") for text in _texts(words)]
    found = measure_recovery(mechanism("randomized-response", words, epsilon=40.0), texts, chain)
    assert found.kinds[0].count == LENGTH * SIZE
    assert found.kinds[0].in_context.estimate == 1.0


@pytest.mark.parametrize("texts", [[], ["waa wab"] * 9, ["12"] * 20])
def test_too_little_text_is_refused(words: Vocabulary, chain: BigramModel, texts: list[str]) -> None:
    with pytest.raises(InputError, match="at least 10 documents"):
        measure_recovery(mechanism("randomized-response", words, epsilon=3.0), texts, chain)


def test_whole_texts_have_no_words_to_recover(words: Vocabulary) -> None:
    with pytest.raises(UnsupportedGuarantee, match="reference"):
        audit_mechanism(mechanism("keywords", words, epsilon=3.0), reference=_texts(words), samples=2000)


def test_an_audit_measures_on_the_reference(words: Vocabulary, chain: BigramModel) -> None:
    made = mechanism("randomized-response", words, epsilon=2.5)
    report = audit_mechanism(made, reference=_texts(words), model=chain, seed=1)
    (found,) = report.to_data()["recovery"]["texts"].values()
    assert found["kinds"][0]["count"] == LENGTH * SIZE
    assert "named by a decoder in context" in report.summary()


@pytest.fixture
def table(words: Vocabulary, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A stored table of two epsilons."""
    share = {"lower": 0.4, "estimate": 0.5, "upper": 0.6, "confidence": 0.95}
    kinds = [
        {"kind": kind, "count": 9, "unchanged": share, "alone": None, "in_context": share}
        for kind in ("words", "content words", "names")
    ]
    parameters = dict.fromkeys(stored.COMPARED)
    rows = [
        {
            "mechanism": "randomized-response",
            "parameters": parameters,
            "tuned": dict.fromkeys(stored.TUNED),
            "epsilon": epsilon,
            "texts": {"a": {"kinds": kinds}},
        }
        for epsilon in (2.0, 4.0)
    ]
    path = tmp_path / "recovery.json"
    path.write_text(json.dumps({"vocabulary": words.digest, "model": "m", "rows": rows}), encoding="ascii")
    monkeypatch.setattr(stored, "TABLE", path)
    stored.stored_table.cache_clear()
    yield
    stored.stored_table.cache_clear()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(("epsilon", "quoted"), [(1.0, 2.0), (2.0, 2.0), (2.5, 4.0), (4.0, 4.0), (4.5, None)])
def test_reports_quote_an_epsilon_that_is_not_below(words: Vocabulary, epsilon: float, quoted: float | None) -> None:
    release = Sanitizer(mechanism("randomized-response", words, epsilon=epsilon))("Waa wab.")
    found = release.report().to_data()["recovery"]
    assert (found and found["epsilon"]) == quoted
    assert ("a decoder named 50 % of words" in release.report().summary()) == (quoted is not None)


@pytest.mark.usefixtures("table")
def test_another_mechanism_or_vocabulary_is_not_quoted(words: Vocabulary) -> None:
    for made in (
        mechanism("neighborhood", words, epsilon=2.0),
        mechanism("randomized-response", lettered_vocabulary(SIZE, seed=8), epsilon=2.0),
    ):
        assert Sanitizer(made)("Waa.").report().to_data()["recovery"] is None


@pytest.mark.parametrize(
    ("epsilon", "options", "quoted"),
    [
        (8.0, {}, 8.0),
        (7.75, {}, 8.0),  # tuned as at 8
        (8.5, {}, 9.0),  # tuned as at 8, which stands below 9
        (8.0, {"context": "released"}, 8.0),
        (8.0, {"base_weights": "flat"}, 8.0),
        (8.0, {"alpha": 0.0}, None),
        (8.0, {"base_mass": 0.5}, None),
        (8.0, {"context": "released", "context_weight": 1.0}, None),
        (8.0, {"neighborhood_size": 2}, None),
        (8.0, {"prior": "zipf"}, None),
        (20.0, {}, None),
    ],
)
def test_weights_that_somebody_chose_are_not_spoken_for(
    embedded: Vocabulary, epsilon: float, options: dict[str, Any], quoted: float | None
) -> None:
    setting = Sanitizer(mechanism("neighborhood", embedded, epsilon=epsilon, **options)).setting
    assert (setting.recovery and setting.recovery["epsilon"]) == quoted
