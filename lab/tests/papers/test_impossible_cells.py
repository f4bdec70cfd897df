"""The printed N_w cells against their limits, and the guesser that measures how predictable words are."""

import math
from pathlib import Path

import numpy as np
import pytest

from textveil.errors import InputError
from textveil.randomness import seeded_generator
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import published
from textveil_lab.papers.truncated_laplace.limits import claimed_delta, impossible_counts, judged, zipf_prior
from textveil_lab.papers.truncated_laplace.predictability import frequencies, guessed_share, sentences_of

ZIPF = {"yelp": zipf_prior(), "yahoo": zipf_prior()}


def printed() -> list[tuple[float, float]]:
    """Epsilon and N_w of every cell with privacy."""
    whole = published()
    blocks = [whole["table-1"]["yelp, fastText"], *whole["table-2 and table-3"].values()]
    return [
        (float(epsilon), share)
        for block in blocks
        for mechanism, row in block["n_w"].items()
        if mechanism != "non-private"
        for epsilon, share in row.items()
    ]


def run(texts: dict[str, Path]) -> ItemOutcome:
    (item,) = paper("truncated-laplace").chosen(["limits"])
    vocabulary = first_words(load_vocabulary(), 20)
    return item.run(StudySetting(vocabularies=(vocabulary,), origin="embedded", quick=True, texts=texts))


def test_cells_that_are_impossible_word_by_word() -> None:
    found = judged(ZIPF)
    assert len(found) == 72
    again = sum(share > math.exp(epsilon) / (math.exp(epsilon) + 9999) + 1e-12 for epsilon, share in printed())
    assert sum(one.cell.value > one.over_vocabulary for one in found) == again == 61
    top = float(zipf_prior()[0])
    again = sum(share > math.exp(epsilon) * top + 1e-12 for epsilon, share in printed())
    assert sum(one.cell.value > one.over_text_simple for one in found) == again
    assert all(one.over_text <= one.over_text_simple for one in found)


@pytest.mark.parametrize("guessed", [0.05, 0.3, 0.37, 0.5, 0.65, 0.8])
def test_cells_that_are_impossible_with_context(guessed) -> None:
    found = judged(ZIPF)
    odds = guessed / (1 - guessed)
    again = sum(share / (1 - share) > math.exp(epsilon) * odds * (1 + 1e-9) for epsilon, share in printed())
    assert impossible_counts(found, [guessed])[guessed] == again
    simple = sum(share > math.exp(epsilon) * guessed * (1 + 1e-9) for epsilon, share in printed())
    assert sum(one.impossible_by_simple_limit(guessed) for one in found) == simple <= again


def test_a_claimed_delta_is_never_zero_but_for_laplace() -> None:
    assert claimed_delta("laplace", 0.05) == 0
    assert claimed_delta("gaussian", 0.05) == pytest.approx(4.0**-300, rel=1e-9) == claimed_delta("gaussian", 20.0)
    assert claimed_delta("truncated-laplace", 10.0) == pytest.approx(4.0**-500, rel=1e-9)
    assert claimed_delta("gaussian", 0.05) >= 4.0**-300
    assert 0 < claimed_delta("truncated-laplace", 20.0) < 1e-300


TRAINING = [("the", "food", "was", "good"), ("the", "food", "was", "bad"), ("my", "dog", "was", "good")]


def test_the_guesser_guesses_what_stood_there_most_often() -> None:
    """Of "the dog was good": was and good, but not the (my stood before dog) nor dog (food stood after the)."""
    found = guessed_share(TRAINING, [("the", "dog", "was", "good")], seeded_generator(0))
    assert (found.tokens, found.learned) == (4, 3)
    assert found.share.estimate == 0.5
    assert found.share.lower < 0.5 < found.share.upper


def test_sentences_that_were_learned_are_not_guessed() -> None:
    found = guessed_share(TRAINING, [*TRAINING, ("zebra",)], seeded_generator(0))
    assert (found.tokens, found.share.estimate) == (1, 0.0)
    with pytest.raises(InputError, match="others to guess"):
        guessed_share(TRAINING, TRAINING, seeded_generator(0))


def test_a_guess_does_not_see_the_word_itself() -> None:
    """A coin that nothing predicts is guessed half the time, however often its contexts were seen."""
    rng = np.random.default_rng(5)
    draws = [("we", "saw", f"{'heads' if one else 'tails'}", "there", str(number)) for number, one in
             enumerate(rng.integers(0, 2, 4000))]  # fmt: skip
    coins = [(one[0], one[1], one[2], one[3]) for one in draws]
    fresh = [(*one, "indeed") for one in coins[2000:]]
    found = guessed_share(coins[:2000], fresh, seeded_generator(1))
    assert found.tokens == 10_000
    # we, saw and there are sure, indeed was never seen: (3 + 1/2) / 5, with a deviation of 1e-6 of the coin.
    assert abs(found.share.estimate - 0.7) < 5 * 0.5 / math.sqrt(2000) / 5


def test_frequencies() -> None:
    assert frequencies(TRAINING, words=2).tolist() == pytest.approx([0.6, 0.4])
    assert frequencies(TRAINING).sum() == pytest.approx(1.0)


def test_the_item_with_and_without_texts(tmp_path) -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    plain = run({})
    assert "61 as means over 10,000 words" in plain.findings[0]
    assert "for each predictability" in plain.findings[0]
    assert not plain.tables["predictability"].rows
    folder = tmp_path / "yelp"
    folder.mkdir()
    (folder / "train.neg.txt").write_text("\n".join(" ".join(one) for one in TRAINING), encoding="utf-8")
    (folder / "test.pos.txt").write_text("the dog was good\n\n", encoding="utf-8")
    found = run({"yelp": folder})
    (row,) = found.tables["predictability"].rows
    assert row[:2] == ("yelp", 0.5)
    assert "of 48 for a decoder that sees the released words" in found.findings[0]
    assert "yelp 0.500" in found.findings[3]
    assert sentences_of(folder, "train") == TRAINING


def test_a_corpus_without_its_files_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match="must hold train files"):
        sentences_of(tmp_path, "train")
