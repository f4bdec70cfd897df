"""Where the paper's numbers contradict each other: counted again from the file, and the words held to the counts."""

import math

import pytest

from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.contradictions import (
    all_contradictions,
    better_than_without,
    bleu_at_the_strongest_noise,
    embeddings_that_learn_nothing,
    noise_that_grows_with_epsilon,
    sizes_in_table_and_text,
    sizes_of_another_corpus,
    the_larger_noise_is_kinder,
    training_time_without_noise,
    worse_than_guessing,
)
from textveil_lab.papers.truncated_laplace.facts import published


def blocks() -> list[dict[str, dict[str, object]]]:
    whole = published()
    return [whole["table-1"]["yelp, fastText"], *whole["table-2 and table-3"].values()]


def printed(metric: str) -> list[tuple[float, dict[str, dict[str, float]]]]:
    """Without privacy, and mechanism to epsilon to number, block by block."""
    found = []
    for block in blocks():
        numbers = dict(block[metric])
        found.append((numbers.pop("non-private"), numbers))
    return found


def test_bleu_is_highest_at_the_strongest_noise_in_four_rows() -> None:
    rows = [row for _, block in printed("bleu") for row in block.values()]
    assert sum(row["0.05"] == max(row.values()) for row in rows) == 4
    found = bleu_at_the_strongest_noise()
    assert (found.found, found.of) == (4, 9)
    assert "BLEU 9.286 at epsilon 0.05, where ROUGE-1 is 14.01 and the loss 51.25" in found.example


@pytest.mark.parametrize(("metric", "sign"), [("loss", -1), ("rouge1", 1), ("n_w", 1), ("bertscore", 1)])
def test_cells_that_noise_improves_are_counted(metric, sign) -> None:
    again = sum(
        sign * (one - plain) > 0 for plain, block in printed(metric) for row in block.values() for one in row.values()
    )
    assert len(better_than_without(metric)) == again > 0


def test_losses_above_an_even_guess() -> None:
    again = sum(
        one > math.log(10_000) for _, block in printed("loss") for row in block.values() for one in row.values()
    )
    assert worse_than_guessing().found == again == 18


def test_the_gaussian_is_larger_by_formula_and_better_in_print() -> None:
    found = the_larger_noise_is_kinder()
    assert (found.found, found.of) == (12, 12)
    assert "1.39 times the variance" in found.example  # (300 ln 4 + ln 1.25) / 300


def test_sizes_and_times() -> None:
    assert sizes_in_table_and_text().found == 2
    assert sizes_of_another_corpus().found == 4
    found = training_time_without_noise()
    assert (found.found, found.of) == (24, 24)
    assert "111 seconds without noise, 37 to 46 with it" in found.example
    assert noise_that_grows_with_epsilon().found == 7


def test_random_embeddings_give_the_share_of_the_larger_class() -> None:
    found = embeddings_that_learn_nothing()
    assert (found.found, found.of) == (2, 2)
    assert f"{7651 / 13645:.4f}" == "0.5607"
    assert "SST-2: 0.5607, and 7,651 of the 13,645 test texts are positive, which is 0.5607" in found.example


def test_the_report_has_every_check_and_no_check_is_empty() -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    for one in all_contradictions():
        assert 0 < one.found <= one.of, one.what
        assert one.example[-1] not in ".;"
        assert one.why.endswith(".")
    (item,) = paper("truncated-laplace").chosen(["contradictions"])
    outcome = item.run(StudySetting(vocabularies=(load_vocabulary(),), origin="embedded"))
    assert len(outcome.tables[""].rows) == len(outcome.findings) - 1 == len(all_contradictions())
    better = len(outcome.tables["better-than-without-privacy"].rows)
    assert 100 < better < 5 * 72 / 2  # fewer than half
    assert f"{better} of {5 * 72} scores" in outcome.findings[0]
