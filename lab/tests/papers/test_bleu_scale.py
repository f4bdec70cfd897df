"""The paper's BLEU: what its scale gives to candidates of known worth, on a corpus made here."""

from pathlib import Path

import pytest
from tests.helpers.tiny_models import needed

from textveil.errors import InputError, ParameterError
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.bleu_scale import ANSWER, CONSTANT, COPY, HOLLOW

SENTENCE = "it was a fine place , with {} windows ."


@pytest.fixture(autouse=True)
def packages() -> None:
    needed("sacrebleu", "rouge_score", extra="evaluation")
    needed("matplotlib", extra="plots")


def run(**texts: Path) -> ItemOutcome:
    (item,) = paper("truncated-laplace").chosen(["bleu-scale"])
    vocabulary = first_words(load_vocabulary(), 20)
    return item.run(StudySetting(vocabularies=(vocabulary,), origin="embedded", texts=texts, quick=True))


def corpora(folder: Path) -> dict[str, Path]:
    names = ("yelp/test.neg.txt", "yelp/test.pos.txt", "yahoo/test.txt")
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(exist_ok=True)
        lines = [SENTENCE.format("x" * (3 + place % 5)) for place in range(20 + number)]
        (folder / name).write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    return {name: folder / name for name in ("yelp", "yahoo")}


def test_copies_and_hollow_texts_have_the_same_and_one_answer_has_more(tmp_path: Path) -> None:
    outcome = run(**corpora(tmp_path))
    rows = {(corpus, what): numbers for corpus, what, *numbers in outcome.tables[""].rows}
    unit = 100 * 3**-2.5
    for corpus in ("yelp", "yahoo"):
        assert rows[corpus, COPY] == [1.0, 100.0, pytest.approx(100), pytest.approx(unit * (1 + 2 * 3 / 10))]
        assert rows[corpus, HOLLOW][3] == rows[corpus, COPY][3]
        assert rows[corpus, HOLLOW][0] == pytest.approx(3 / 10)
        assert rows[corpus, CONSTANT][3] == pytest.approx(unit * (1 + 2 * 2 / 4))
        assert rows[corpus, CONSTANT][3] > rows[corpus, COPY][3]
        assert rows[corpus, "100% of words random"][1] < rows[corpus, "10% of words random"][1]
    assert [one.ours for one in outcome.comparisons] == ["10.26 for a perfect copy"] * 2
    assert len(outcome.findings) == 2


def test_no_sentence_of_a_corpus_is_printed(tmp_path: Path) -> None:
    outcome = run(**corpora(tmp_path))
    printed = " ".join((*outcome.findings, outcome.tables[""].to_csv()))
    assert ANSWER in printed
    assert "windows" not in printed


def test_bad_corpora_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^corpus yelp must be the folder data/text/yelp"):
        run()
    found = corpora(tmp_path)
    (tmp_path / "yahoo/test.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^corpus yahoo must have sentences; got none"):
        run(**found)
    (tmp_path / "yelp/test.pos.txt").unlink()
    with pytest.raises(InputError, match=r"^corpus yelp must have test\.pos\.txt, UTF-8 .*; got FileNotFoundError"):
        run(**found)
