"""The paper's scale against NLTK called as its tool calls it, and what follows from that call."""

import random
from collections.abc import Sequence

import pytest
from tests.helpers.tiny_models import needed

from textveil_lab.evaluation.unchanged import letter_bleu

UNIT = 100 * 3**-2.5
"""Of a pair with hardly any single characters: 6.415."""


def test_one_full_stop_in_ten_words_by_hand() -> None:
    # Words: 1/10; runs of two and more: none. Smoothed: (1.1 + 0.1 + 0)/3 = 0.4, then a third of the last each time.
    text = "we went there with the whole family at noon ."
    assert letter_bleu([text], [text]) == pytest.approx(100 * (0.4 * 0.4 / 3 * 0.4 / 9 * 0.4 / 27) ** 0.25)
    assert letter_bleu([text], [text]) == pytest.approx(UNIT * 1.2)


def test_words_do_not_count_and_nonsense_has_as_much_as_a_copy() -> None:
    text = "we went there with the whole family at noon ."
    nonsense = "xx xx xx xx xx xx xx xx xx ."
    assert letter_bleu([text], [nonsense]) == letter_bleu([text], [text])


def test_more_full_stops_have_more_than_a_copy() -> None:
    text = "we went there with the whole family at noon ."
    noise = "the . the . the . the . the ."
    # NLTK lets a run count as often as the best single word has it: "." stands once in ".".
    assert letter_bleu([text], [noise]) == letter_bleu([text], [text])
    assert letter_bleu([text], ["a the the the the o the the the ."]) == pytest.approx(UNIT * 1.6)


def test_a_copy_without_single_characters_has_nothing() -> None:
    assert letter_bleu(["very good food"], ["very good food"]) == 0


def test_a_word_spelled_out_has_more_than_one_hundred() -> None:
    assert letter_bleu(["very wonderful food"], ["w o n d e r f u l"]) > 100


def test_an_empty_candidate_has_nothing() -> None:
    assert letter_bleu(["very good ."], [""]) == 0


def _by_nltk(references: Sequence[str], candidates: Sequence[str]) -> float:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method5
    pairs = list(zip(references, candidates, strict=True))
    return (
        100 * sum(float(sentence_bleu(a.split(), b.split(), smoothing_function=smooth)) for a, b in pairs) / len(pairs)
    )


def test_it_is_what_nltk_says_when_it_is_called_so() -> None:
    needed("nltk", extra="evaluation")
    rng = random.Random(5)
    words = ["a", "i", ".", ",", "!", "o", "aa", "ai", "food", "good", "i.a.", "...", "wonderful", "é", "caféé"]
    for _ in range(300):
        reference = " ".join(rng.choices(words, k=rng.randint(1, 12)))
        candidate = " ".join(rng.choices(words, k=rng.randint(1, 12)))
        assert letter_bleu([reference], [candidate]) == pytest.approx(_by_nltk([reference], [candidate]), abs=1e-9)
