"""Budgets by scores of the private text: the exact loss exceeds the claim, and public shares would not."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.text.codes import TextCodes
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.documents import exact_documents
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.channels.same_tag import word_tags
from textveil_lab.mechanisms.document.words import words_of
from textveil_lab.mechanisms.published.scored_budgets import BudgetScores, ScoredBudgets, scored_budgets_published

ALPHA = 1e-6
WORDS = lettered_vocabulary(8, dim=3)
TAGS = dict(zip(WORDS.words, ["NN", "VBD", "DT", "JJR", "NNS", "CD", "PRP", "RB"], strict=True))
PAIRS = [np.array(pair) for pair in itertools.product(range(8), repeat=2)]


def law(made: ScoredBudgets, document: np.ndarray) -> np.ndarray:
    """The exact law of both outputs, shape (64,)."""
    out = np.multiply.outer(*made.document_rows(document)).reshape(-1)
    assert abs(out.sum() - 1) < 1e-9
    return out


def loss(made: ScoredBudgets, first: np.ndarray, second: np.ndarray) -> float:
    """The exact loss of two documents, by enumeration of all outputs."""
    return float(np.log(law(made, first) / law(made, second)).max())


def worst_loss(made: ScoredBudgets) -> float:
    """The same for any two documents of two words."""
    logs = np.log([law(made, document) for document in PAIRS])
    return float((logs[:, None] - logs[None]).max())


@pytest.mark.parametrize("scores", ["information", "speech", "similarity", "all"])
def test_the_shares_sum_to_epsilon_and_the_loss_exceeds_it(scores: str) -> None:
    made = scored_budgets_published(WORDS, epsilon=4.0, scores=scores, tags=TAGS)
    assert all(made.budgets(pair).sum() == pytest.approx(4.0, rel=1e-4) for pair in PAIRS)
    worst = worst_loss(made)
    assert 4.0 * (1 + 1e-6) < worst < 8.0
    found = exact_documents(made, Claim(epsilon=4.0))
    assert found.verdict is Verdict.REFUTED
    assert found.witness["loss"] == pytest.approx(worst, rel=1e-9)
    first, second = (words_of(TextCodes(WORDS.words), [text])[0] for text in found.witness["pair"])
    assert loss(made, first, second) == pytest.approx(worst, rel=1e-9)
    assert exact_documents(made, Claim(epsilon=worst * 1.001)).verdict is Verdict.NOT_REFUTED


def test_the_loss_is_the_closed_form_of_the_refutation() -> None:
    made = scored_budgets_published(WORDS, epsilon=4.0)
    for first, second in ((PAIRS[1], PAIRS[62]), (PAIRS[10], PAIRS[37])):
        assert not (first == second).any()
        expected = sum(
            a + math.log(math.exp(b) + 7) - math.log(math.exp(a) + 7)
            for a, b in zip(made.budgets(first), made.budgets(second), strict=True)
        )
        assert loss(made, first, second) == pytest.approx(expected, rel=1e-6)


def test_a_word_that_stays_pays_for_another_that_changes() -> None:
    made = scored_budgets_published(WORDS, epsilon=4.0)
    rows = [made.document_rows(np.array([3, other])) for other in range(8)]
    assert max(float(np.log(row[0] / rows[0][0]).max()) for row in rows) > 0.1


def test_with_shares_that_do_not_look_at_the_text_the_claim_would_hold(monkeypatch) -> None:
    """The mutant that must not be accused: equal shares."""
    made = scored_budgets_published(WORDS, epsilon=4.0)
    monkeypatch.setattr(ScoredBudgets, "budgets", lambda self, ids: np.full(len(ids), 4.0 / len(ids)))
    assert exact_documents(made, Claim(epsilon=4.0)).verdict is Verdict.NOT_REFUTED
    assert worst_loss(made) <= 4.0 * (1 + 1e-12)


@pytest.mark.slow
def test_draws_follow_the_rows(rng) -> None:
    made, count = scored_budgets_published(WORDS, epsilon=3.0), 5_000
    text = f"{WORDS.words[2]} {WORDS.words[5]}"
    drawn = [text.lower().split() for text in made.privatize_texts([text] * count, rng)]
    rows = made.document_rows(np.array([2, 5]))
    for place in range(2):
        seen = [sum(words[place] == word for words in drawn) for word in WORDS.words]
        assert chisquare(seen, rows[place] * count).pvalue > ALPHA
        assert chisquare(seen, rows[1 - place] * count).pvalue < ALPHA


def test_it_says_of_which_documents_it_speaks_and_is_refused_by_audits() -> None:
    made = scored_budgets_published(WORDS, epsilon=8.0)
    assert (made.guarantee.status, made.guarantee.adjacency) == (Status.REFUTED, ONE_DOCUMENT)
    report = audit_mechanism(made, seed=1)
    assert report.verdict is Verdict.REFUTED and report.leading.method == "exact documents"
    again = pickle.loads(pickle.dumps(made))
    texts = ["waa wab wac", ""]
    drawn = again.privatize_texts(texts, seeded_generator(2))
    assert drawn == made.privatize_texts(texts, seeded_generator(2)) and drawn[1] == ""
    with pytest.raises(ParameterError, match="scores must be one of information, speech, entities, similarity"):
        scored_budgets_published(WORDS, epsilon=1.0, scores="words")


NAMED = Vocabulary(["tea", "maria", "london", "walked", "the"], np.eye(5, 3) + 0.5, "words with names")


def test_each_score_is_the_paper_s_and_all_is_the_mean_of_the_five() -> None:
    made = scored_budgets_published(WORDS, epsilon=4.0, tags=TAGS)
    scores = BudgetScores(WORDS, made.tags)
    document = np.arange(8)
    assert scores.speech(document).tolist() == [14, 15, 0.1, 5, 14, 2, 7, 5]
    parts = [scores.information, scores.speech, scores.left_out, scores.alone]
    expected = np.mean([one(document) / one(document).sum() for one in parts], axis=0)
    assert scores.entities(document).tolist() == [0] * 8  # none: the score takes no part
    assert scores.shares(document, "all") == pytest.approx(expected, rel=1e-12)
    by_endings = BudgetScores(NAMED, word_tags(NAMED))
    assert by_endings.speech(np.arange(5)).tolist() == [14, 14, 14, 15, 0.1]


def test_named_entities_are_found_in_the_document_and_get_less_of_the_budget() -> None:
    made = scored_budgets_published(NAMED, epsilon=4.0, scores="entities")
    document = np.array([1, 3, 4, 2, 0])  # maria walked the london tea
    scores = BudgetScores(NAMED, made.tags)
    assert scores.entities(document).tolist() == [1, 0, 0, 1, 0]
    budgets = made.budgets(document)
    assert budgets.sum() == pytest.approx(4.0, rel=1e-4)
    assert max(budgets[[0, 3]]) < 1e-5 < 1.3 < min(budgets[[1, 2, 4]])
    assert made.budgets(np.array([0, 3])) == pytest.approx([2.0, 2.0])  # none: equal shares
    with_entities = scores.shares(document, "all")
    parts = [scores.information, scores.speech, scores.entities, scores.left_out, scores.alone]
    assert with_entities == pytest.approx(np.mean([one(document) / one(document).sum() for one in parts], axis=0))
    found = exact_documents(made, Claim(epsilon=4.0))
    assert found.verdict is Verdict.REFUTED and found.witness["loss"] > 4.5
    assert made.document_rows(document).shape == (5, 5)
    assert pickle.loads(pickle.dumps(made)).budgets(document).tolist() == budgets.tolist()


def test_tags_must_cover_the_words_and_the_report_names_their_source() -> None:
    with pytest.raises(ParameterError, match="`tags` must cover all 8 words"):
        scored_budgets_published(WORDS, epsilon=1.0, tags={WORDS.words[0]: "NN"})
    assert scored_budgets_published(WORDS, epsilon=1.0).parameters["tags"] == "endings"
