"""Keywords: sets of one size for every document, the exact loss over all documents of a tiny vocabulary, the law."""

import itertools
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import InputError, ParameterError
from textveil.mechanisms.kinds import SequenceMechanism, TextMechanism, WordMechanism
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.keywords import Keywords, keywords

ALPHA = 1e-6
WORDS = ("the", "of", "cat", "dog", "fever", "asthma")
TINY = Vocabulary(list(WORDS), np.eye(6, dtype=np.float32), "tiny")


def made(**options: Any) -> Keywords:
    return keywords(TINY, **{"epsilon": 2.0, "candidates": 2, **options})


DOCUMENTS = [" ".join(words) for size in range(5) for words in itertools.combinations(WORDS, size)]


def test_sets_hold_the_rarest_words_and_always_as_many() -> None:
    mechanism = made(candidates=3)
    texts = ["", "fever", "The dog, the cat and the fever of asthma", "unheardofword", "dog dog dog"]
    named = [[WORDS[one] for one in row] for row in mechanism.candidate_sets(texts).tolist()]
    assert named == [
        ["the", "of", "cat"],
        ["of", "cat", "fever"],
        ["dog", "fever", "asthma"],
        ["the", "of", "cat"],
        ["of", "cat", "dog"],
    ]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 9.0])
def test_any_two_documents_lose_epsilon_and_no_more(count: int, epsilon: float) -> None:
    mechanism = made(epsilon=epsilon, keywords=count)
    table = mechanism.integer_weights_of(DOCUMENTS).astype(object)
    assert len(set(table.sum(axis=1).tolist())) == 1
    worst = max(Fraction(int(max(column)), int(min(column))) for column in table.T)
    assert worst == Fraction(mechanism.weights.inside, mechanism.weights.outside)
    assert float(worst) ** count <= np.exp(mechanism.guarantee.epsilon) * (1 + 1e-12)
    assert mechanism.guarantee.epsilon == epsilon


def test_where_the_weights_are_cut_less_is_spent() -> None:
    assert made(epsilon=300.0, keywords=2).guarantee.epsilon < 80


def p_value(mechanism: Keywords, law: Keywords, text: str) -> float:
    """Of the pairs of keywords that ``mechanism`` draws, under the law of ``law``."""
    count = 20_000
    drawn = mechanism.privatize_texts([text] * count, seeded_generator(3))
    row = law.integer_weights_of([text])[0].astype(np.float64)
    expected = count * np.outer(row, row).ravel() / row.sum() ** 2
    places = {f"{a} {b}": place for place, (a, b) in enumerate(itertools.product(WORDS, repeat=2))}
    found = np.bincount([places[one.lower()] for one in drawn], minlength=len(places))
    return float(chisquare(found, expected).pvalue)


def test_draws_follow_the_exact_law() -> None:
    """Alpha 1e-6; at an epsilon that is 10 percent larger, or with other candidates, the law is told apart."""
    mechanism = made(keywords=2)
    text = "a cat has asthma"
    assert p_value(mechanism, mechanism, text) > ALPHA
    assert p_value(mechanism, made(keywords=2, epsilon=2.2), text) < ALPHA
    assert p_value(mechanism, made(keywords=2, candidates=3), text) < ALPHA


def test_it_is_a_mechanism_of_texts_with_a_document_as_its_unit() -> None:
    mechanism: Any = made()
    assert isinstance(mechanism, TextMechanism)
    assert not isinstance(mechanism, WordMechanism) and not isinstance(mechanism, SequenceMechanism)
    assert (mechanism.guarantee.adjacency, mechanism.guarantee.status) == (ANY_DOCUMENT, Status.PROVED)
    assert mechanism.privatize_texts([]) == []
    assert len(mechanism.privatize_texts(["", "x"], seeded_generator(1))) == 2


def test_a_copy_holds_no_text_that_was_seen() -> None:
    mechanism = made()
    mechanism.privatize_texts(["xylophonistical secret"])
    raw = pickle.dumps(mechanism)
    assert b"xylophonistical" not in raw
    assert pickle.loads(raw).parameters == mechanism.parameters


def test_what_is_no_text_is_refused_by_its_number() -> None:
    with pytest.raises(InputError, match="document 2 must be a str; got int"):
        made().privatize_texts(["a", 3])  # type: ignore[list-item]


@pytest.mark.parametrize("options", [{"candidates": 0}, {"candidates": 7}, {"keywords": 0}, {"epsilon": 0.0}])
def test_options_outside_their_domain_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        made(**options)
