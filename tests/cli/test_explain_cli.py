"""``textveil explain``: the distribution of one word's output, and what is no word."""

import json

import pytest
from tests.cli.test_cli import one_line
from tests.helpers.shared import needs_lab


@needs_lab
def test_explain(command) -> None:
    code, out, _ = command("explain", "--word", "cats", "--json", "--base-weights", "flat")
    data = json.loads(out)
    assert code == 0
    assert data["method"] == "exact"
    assert data["word"] == "cats"
    assert data["among_100_nearest"]["estimate"] > 0.8
    assert "dog" in {one["word"] for one in data["outputs"]}
    code, out, _ = command("explain", "-m", "gaussian", "--samples", "400", "--top", "3")
    assert code == 0
    assert b"99% intervals" in out


@pytest.mark.parametrize("options", [("--top", "-1"), ("--samples", "0", "-m", "laplace"), ("--epsilon", "0")])
def test_explain_with_bad_options(command, options) -> None:
    code, _, err = command("explain", *options)
    assert code == 2
    one_line(err)


@pytest.mark.parametrize("word", ["42", "two words", "", "\u041f\u0440\u0438\u0432\u0435\u0442", "a@b.cd"])
def test_only_words_are_explained(command, word: str) -> None:
    code, _, err = command("explain", "--word", word)
    assert code == 2
    one_line(err)


def test_a_refused_word_is_told_by_its_kind(command) -> None:
    assert "got 3 tokens." in command("explain", "--word", "two words")[2]
    assert "got one email." in command("explain", "--word", "a@b.cd")[2]
    assert "got nothing." in command("explain", "--word", "")[2]


def test_a_mechanism_without_a_distribution_of_one_word_is_a_fault_of_usage(command) -> None:
    assert command("explain", "--mechanism", "keywords", "--word", "cats")[0] == 2


@needs_lab
def test_a_mechanism_of_whole_texts_is_explained_by_what_it_promises_of_a_text(command) -> None:
    code, page, _ = command("explain", "--mechanism", "keywords", "--epsilon", "3")
    assert code == 0
    lines = dict(line.split("  ", 1) for line in page.decode().splitlines())
    assert lines["guarantee"].strip() == "3-DP [proved]"
    assert lines["unit"].strip() == "document; it is no epsilon of one word"
    assert "whatever they hold" in lines["adjacency"] and lines["candidates"].strip() == "16"
    data = json.loads(command("explain", "--mechanism", "keywords", "--epsilon", "3", "--json")[1])
    assert (data["word"], data["guarantee"]["unit"]) == (None, "document")
    assert data["mechanism"]["parameters"]["candidates"] == 16


def test_explain_says_that_a_word_was_mapped(command) -> None:
    assert b"is mapped" in command("explain", "--word", "catzz")[1]
    assert json.loads(command("explain", "--word", "catzz", "--json")[1])["mapped"] is True
    assert command("explain", "--word", "cats", "--seed", "3")[0] == 2


@needs_lab
def test_what_releases_no_text_is_explained_by_the_inputs_that_differ_most(command) -> None:
    code, out, _ = command("explain", "-m", "dpnr-published", "--epsilon", "1", "--samples", "400", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["told_apart"]["estimate"], data["limit"], data["samples"]) == (1.0, None, 400)
    code, out, _ = command("explain", "-m", "subset-selection", "--samples", "40")
    assert code == 0
    assert b"a set of 11 of 32,698 words for each word; no text" in out
    code, _, err = command("explain", "-m", "dpnr", "--word", "cats")
    assert code == 2
    one_line(err)
    assert "--word must be left out: dpnr releases no words." in err
