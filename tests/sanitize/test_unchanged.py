"""One line warns of an epsilon at which most words stay."""

import math

import numpy as np
import pytest
from tests.helpers.catalog import drawing_text, taking
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import entries, mechanism
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import Mechanism
from textveil.privacy.guarantees import NoGuarantee, PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.sanitize.chosen import MOST, mostly_unchanged, unchanged_kinds
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.drawn import pseudonym
from textveil.surrogates.making import make_surrogate
from textveil.vocabulary.vocabulary import Vocabulary

CATALOG = entries()


VALID = [name for name in drawing_text(taking(8.0)) if CATALOG[name].status is Status.PROVED]

WORD_BY_WORD = [name for name in VALID if CATALOG[name].words_alone and "epsilon" in CATALOG[name].options()]


@pytest.fixture(scope="module")
def small() -> Vocabulary:
    return made_vocabulary(300)


def warned(made: Mechanism) -> bool:
    lines = [line for line in Sanitizer(made).setting.warnings() if "unchanged" in line]
    assert len(lines) <= 1
    assert all("\n" not in line and len(line) < 120 for line in lines)
    return bool(lines)


@needs_lab
@pytest.mark.parametrize("epsilon", [30.0, 1e6, 1e308])
@pytest.mark.parametrize("name", WORD_BY_WORD)
def test_an_epsilon_at_which_words_stay_is_told(small, name: str, epsilon: float) -> None:
    from textveil_lab.mechanisms.capabilities import NoisyVectors

    if name == "optimal" and epsilon > 40:
        with pytest.raises(ParameterError, match="All words stay there"):
            mechanism(name, small, epsilon=epsilon)
        return
    made = mechanism(name, small, epsilon=epsilon)
    if epsilon > 1e300 and (isinstance(made, NoisyVectors) or name == "word-budgets"):
        with pytest.raises(ParameterError, match="to be sampled in"):  # noise that small has no numbers
            Sanitizer(made)("one")
        return
    ids = np.repeat(np.arange(len(small)), 40)
    share = float(np.mean(made.privatize(ids, seeded_generator(3)) == ids))
    assert warned(made) == (share > MOST)


@pytest.mark.slow
@pytest.mark.parametrize("name", VALID)
def test_an_epsilon_at_which_words_change_is_not(embedded, name: str) -> None:
    """At 8 nearly all words stay where only the twenty of a cluster are exchanged."""
    clusters = name.startswith("custext")
    assert warned(mechanism(name, embedded, epsilon=8.0)) == clusters
    few = Vocabulary(embedded.words[::32], embedded.vectors[::32])
    searched = few if name == "optimal" else embedded  # its search takes ten minutes where the package has no result
    assert not warned(mechanism(name, searched, epsilon=3.0))


def test_the_share_is_that_of_the_channel(embedded) -> None:
    """Randomized response keeps e^epsilon / (e^epsilon + n - 1): nine tenths at ln(9 (n - 1))."""
    edge = math.log(9 * (len(embedded) - 1))
    assert not warned(mechanism("randomized-response", embedded, epsilon=edge - 1e-6))
    assert warned(mechanism("randomized-response", embedded, epsilon=edge + 1e-6))


def test_the_summary_says_so(embedded) -> None:
    report = Sanitizer(mechanism("randomized-response", embedded, epsilon=1e308))("a cat").report()
    assert report.summary().startswith("NEARLY THE TEXT ITSELF: over 90 % of words come out unchanged")


class _Keeping:
    """Keeps every word, whatever it promises and whatever table it states."""

    name, parameters = "keeping", {}

    def __init__(self, vocabulary, guarantee) -> None:
        self.vocabulary, self.guarantee, self.drawn = vocabulary, guarantee, 0

    def privatize(self, ids, rng=None):
        self.drawn += len(ids)
        assert rng is not None
        return ids


class _KeepingBesideATable(_Keeping):
    def probabilities(self, word_id):
        return np.full(len(self.vocabulary), 1 / len(self.vocabulary))


class _KeepingDocuments:
    name, parameters = "keeping documents", {}
    guarantee = PureDP(epsilon=0.0, status=Status.PROVED, source="trust me")

    def __init__(self, vocabulary) -> None:
        self.vocabulary = vocabulary

    def privatize_documents(self, ids, bounds, rng=None):
        assert bounds[-1] == len(ids)
        return ids


class _KeepingTexts:
    name, parameters = "keeping texts", {}
    guarantee = PureDP(epsilon=0.0, status=Status.PROVED, source="trust me", adjacency=ONE_DOCUMENT)

    def privatize_texts(self, texts, rng=None):
        return [text.upper() for text in texts]


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 30.0])
@pytest.mark.parametrize("kind", [_Keeping, _KeepingBesideATable])
def test_words_that_stay_are_told_whatever_the_claim(small, kind, epsilon: float) -> None:
    little = kind(small, PureDP(epsilon=epsilon, status=Status.PROVED))
    assert mostly_unchanged(little)
    assert 0 < little.drawn <= 256
    assert mostly_unchanged(kind(small, NoGuarantee(reason="none")))
    assert Sanitizer(little, number_epsilon=1.0)("a cat").report().summary().startswith(("NOT FOR", "NEARLY"))


def test_documents_and_texts_that_stay_are_told_whatever_the_claim(small) -> None:
    for made, options in ((_KeepingDocuments(small), {"number_epsilon": 1.0}), (_KeepingTexts(), {})):
        assert mostly_unchanged(made)
        assert "NEARLY THE TEXT ITSELF" in Sanitizer(made, **options)("a cat").report().summary()


def test_a_surrogate_that_gives_its_value_again_is_told_whatever_its_claim() -> None:
    kept = pseudonym("kept", (), lambda value, scope, rng: value)
    assert kept.guarantee.epsilon == 0
    assert unchanged_kinds({"person": kept, "age": make_surrogate("age")}) == ("person",)


def test_the_release_draws_the_same_whether_it_was_tried_or_not(small, monkeypatch) -> None:
    made = mechanism("gaussian", small, epsilon=400.0)
    text = " ".join(small.words)
    tried = Sanitizer(made, rng=seeded_generator(5))(text).text
    monkeypatch.setattr("textveil.sanitize.sanitizer.mostly_unchanged", lambda *_: False)
    assert Sanitizer(made, rng=seeded_generator(5))(text).text == tried
