"""ROUGE-1 and BLEU: cases worked by hand, edges, and bad input."""

import math
import sys

import pytest
from tests.helpers.tiny_models import needed

from textveil.errors import MissingExtra, ParameterError
from textveil_lab.evaluation import unchanged as overlap
from textveil_lab.evaluation.unchanged import bleu, letter_bleu, rouge_1


@pytest.fixture
def rouge() -> None:
    needed("rouge_score", extra="evaluation")


@pytest.fixture
def sacrebleu() -> None:
    needed("sacrebleu", extra="evaluation")


@pytest.mark.usefixtures("rouge")
def test_rouge_counts_each_word_as_often_as_both_texts_have_it() -> None:
    # the, the, cat of the candidate's "the the the cat" stand in "the cat and the dog": 3 of 4, and 3 of 5.
    found = rouge_1(["the cat and the dog"], ["The the, the cat!"])
    assert found == pytest.approx((3 / 4, 3 / 5, 2 * 0.75 * 0.6 / 1.35))


@pytest.mark.usefixtures("rouge")
def test_rouge_is_the_mean_over_pairs() -> None:
    found = rouge_1(["a b", "c d"], ["a b", "x"])
    assert found == (0.5, 0.5, 0.5)


@pytest.mark.usefixtures("rouge")
@pytest.mark.parametrize(
    ("reference", "candidate", "words", "f1"),
    [
        ("good food", "", "ascii", 0.0),
        ("good", "good", "ascii", 1.0),
        ("good", "bad", "ascii", 0.0),
        ("good good good", "good", "ascii", 0.5),  # precision 1, recall 1/3
        ("good", "good good good", "ascii", 0.5),
        ("café", "cafe", "ascii", 0.0),  # "caf" and "cafe": letters beyond a-z part words
        ("café", "caf", "ascii", 1.0),
        ("добро", "добро", "ascii", 0.0),  # published: no letter of it is seen
        ("добро", "добро", "spaces", 1.0),
        ("...", "...", "ascii", 0.0),
        ("...", "...", "spaces", 1.0),
        ("Good", "good", "spaces", 0.0),
    ],
)
def test_rouge_at_its_edges(reference: str, candidate: str, words: overlap.RougeWords, f1: float) -> None:
    assert rouge_1([reference], [candidate], words=words).f1 == f1


@pytest.mark.usefixtures("rouge")
def test_stems_join_what_inflection_parts() -> None:
    assert rouge_1(["visited"], ["visiting"]).f1 == 0
    assert rouge_1(["visited"], ["visiting"], stem=True).f1 == 1


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_by_hand() -> None:
    # Of "the cat sat on a mat" five of six words, three of five pairs, two of four triples and one of three fours stand
    # in the reference; both have six words, so nothing is taken off.
    found = bleu(["the cat sat on the mat"], ["the cat sat on a mat"], words="none")
    shares = (5 / 6, 3 / 5, 2 / 4, 1 / 3)
    assert found.precisions == pytest.approx([100 * share for share in shares])
    assert found.brevity_penalty == 1
    assert found.score == pytest.approx(100 * math.prod(shares) ** 0.25)


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_takes_off_for_short_candidates() -> None:
    found = bleu(["a b c d e f"], ["a b c d"], words="none")
    assert found.precisions == (100, 100, 100, 100)
    assert found.brevity_penalty == pytest.approx(math.exp(1 - 6 / 4))
    assert found.score == pytest.approx(100 * math.exp(-0.5))


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_is_of_the_corpus_not_the_mean_of_texts() -> None:
    # 4 + 0 of 8 words, 3 of 6 pairs, 2 of 4 triples, 1 of 2 fours: 50 in all four, though one text has 100 and one 0.
    found = bleu(["a b c d", "e f g h"], ["a b c d", "w x y z"], words="none")
    assert found.score == pytest.approx(50)


@pytest.mark.usefixtures("sacrebleu")
@pytest.mark.parametrize(
    ("reference", "candidate", "score"),
    [
        ("good food", "", 0.0),
        ("good", "good", 0.0),  # published: no run of four words in the corpus
        ("a b c d", "w x y z", 0.0),
        ("добро и зло вместе", "добро и зло вместе", 100.0),
        # One match each of 4, 3, 2, 1 runs is none: smoothing halves 100/3, 100/4 for each length without a match.
        ("a a a a", "a b c d", 100 * math.exp((math.log(1 / 4) + math.log(1 / 6 * 1 / 8 * 1 / 8)) / 4)),
    ],
)
def test_bleu_at_its_edges(reference: str, candidate: str, score: float) -> None:
    assert bleu([reference], [candidate]).score == pytest.approx(score)


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_comes_with_its_signature() -> None:
    found = bleu(["a b c d"], ["a b c d"])
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in found.signature
    assert "tok:none" in bleu(["a b c d"], ["a b c d"], words="none").signature


@pytest.mark.parametrize("metric", [rouge_1, bleu, letter_bleu])
@pytest.mark.parametrize(
    ("references", "candidates", "says"),
    [
        ([], [], "references must be one at least; got none."),
        (["a"], ["a", "b"], "candidates must be as many as references, 1; got 2."),
        (["a", " \n"], ["a", "b"], "references must be texts that hold a word at least; got an empty one at 1."),
        ("secret", "secret", "references must be a list of texts; got one text."),
        (["a"], "b", "candidates must be a list of texts; got one text."),
    ],
)
def test_bad_pairs_are_refused_in_one_line(metric, references, candidates, says: str) -> None:
    with pytest.raises(ParameterError) as caught:
        metric(references, candidates)
    assert str(caught.value).startswith(says)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^words must be"):
        rouge_1(["a"], ["a"], words="13a")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^words must be"):
        bleu(["a"], ["a"], words="zh")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^stem must be False"):
        rouge_1(["a"], ["a"], words="spaces", stem=True)


def test_without_the_extra_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    overlap._rouge.cache_clear()
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(
        MissingExtra, match=r"`rouge-score` is not installed\. Run: pip install 'textveil\[evaluation\]'"
    ):
        rouge_1(["a"], ["a"])
    with pytest.raises(MissingExtra, match=r"`sacrebleu` is not installed\. Run: pip install 'textveil\[evaluation\]'"):
        bleu(["a"], ["a"])
