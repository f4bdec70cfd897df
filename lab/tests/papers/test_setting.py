"""Samples, streams and grids of a run; vocabularies that a study refuses; where vocabularies come from."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.environment import SHARED
from textveil.errors import ParameterError, UnknownNameError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.curse.facts import GRIDS, POINTS, TABLE_2, exponential_grid, noise_grid, paper_name
from textveil_lab.papers.report import paper, papers
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.texts import found_texts
from textveil_lab.papers.vocabularies import chosen_vocabularies, later_twins, without_twins


def setting_of(*vocabularies: Vocabulary, **options: object) -> StudySetting:
    return StudySetting(vocabularies=vocabularies, origin="made", named=True, **options)


def test_samples_are_distinct_repeatable_and_their_own() -> None:
    words = made_vocabulary(150)
    setting = setting_of(words, sample=40)
    drawn = setting.words(words, 1)
    assert len(set(drawn.tolist())) == 40
    assert np.array_equal(drawn, setting.words(words, 1))
    assert not np.array_equal(drawn, setting.words(words, 2))
    assert not np.array_equal(drawn, setting_of(words, sample=40, seed=1).words(words, 1))
    assert len(setting_of(words).words(words)) == 150


def test_a_smaller_sample_is_drawn_from_all_words_not_from_the_first_of_the_larger_one() -> None:
    words = made_vocabulary(1000)
    setting = setting_of(words, sample=900)
    few = setting.words(words, 1, most=50)
    assert len(set(few.tolist())) == 50
    assert few.max() > 700  # of 50 uniform ones the largest is below that with probability 2e-8
    assert [tuple(one) for one in setting.samples] == [(words.name, 50, 1000)]


def test_every_word_is_as_likely() -> None:
    """Chi-square of inclusion counts, alpha 1e-6; a sample that favors low ids is refuted."""
    from scipy.special import gammaincc

    words, runs = made_vocabulary(30), 3000
    counts, biased = np.zeros(30), np.zeros(30)
    for seed in range(runs):
        drawn = setting_of(words, sample=10, seed=seed).words(words)
        counts[drawn] += 1
        biased[(drawn * 0.97).astype(int)] += 1
    expected = runs / 3

    def p_value(seen: np.ndarray) -> float:
        # Without replacement, so the statistic is scaled by the variance of an indicator.
        statistic = float(((seen - expected) ** 2).sum() / (expected * (2 / 3)) * 29 / 30)
        return float(gammaincc(29 / 2, statistic / 2))

    assert p_value(counts) > 1e-6
    assert p_value(biased) < 1e-6


def test_thinned_keeps_the_ends() -> None:
    words = made_vocabulary(20)
    values = tuple(float(value) for value in range(30))
    assert setting_of(words).thinned(values) == values
    few = setting_of(words, quick=True).thinned(values)
    assert (few[0], few[-1], len(few)) == (0.0, 29.0, 5)


def test_bad_settings_are_refused() -> None:
    words = made_vocabulary(20)
    with pytest.raises(ParameterError, match="at most the 20 words"):
        setting_of(words, sample=21)
    with pytest.raises(ParameterError, match="sample must"):
        setting_of(words, sample=0)
    with pytest.raises(ParameterError, match="seed"):
        setting_of(words, seed=-1)
    with pytest.raises(ParameterError, match="device must be one of cpu, cuda; got 'tpu'"):
        setting_of(words, device="tpu")
    with pytest.raises(ParameterError, match="processes must"):
        setting_of(words, processes=0)
    with pytest.raises(ParameterError, match="vocabularies"):
        setting_of()


def test_twins_are_refused() -> None:
    vectors = np.eye(4, dtype=np.float32)
    vectors[3] = vectors[0]
    with pytest.raises(ParameterError, match=r"1 repeated vectors \(distance 0\)"):
        setting_of(Vocabulary(["a", "b", "c", "d"], vectors))
    zeros = np.array([[0.0, 1.0], [-0.0, 1.0]], dtype=np.float32)
    with pytest.raises(ParameterError, match="repeated"):
        setting_of(Vocabulary(["a", "b"], zeros))


def test_published_tables_are_read_without_later_twins(tmp_path) -> None:
    path = tmp_path / "glove.6B.50d.txt"
    path.write_text("a 1 2\nb 3 4\nc 1 2\nd -0.0 4\ne 0 4\n")
    (found,), origin = chosen_vocabularies([path], [])
    assert found.words == ("a", "b", "d")
    assert found.vectors.tolist() == [[1, 2], [3, 4], [0, 4]]
    assert "From glove.6B.50d.txt, 2 words are left out: an earlier word has their vector." in origin
    setting_of(found)
    whole = made_vocabulary(5000)
    assert without_twins(whole) == (whole, 0)
    doubled = np.concatenate([whole.vectors, whole.vectors[[4999, 0]]])
    assert later_twins(doubled).tolist() == [5000, 5001]


def test_the_first_words(embedded: Vocabulary) -> None:
    part = first_words(embedded, 50)
    assert part.words == embedded.words[:50]
    assert np.array_equal(part.vectors, embedded.vectors[:50])
    made = made_vocabulary(20)
    assert first_words(made, 20) is made
    assert np.array_equal(first_words(made, 5).vectors, made.vectors[:5])


def test_vocabularies_named_shared_or_embedded(tmp_path, monkeypatch, embedded: Vocabulary) -> None:
    monkeypatch.delenv(SHARED, raising=False)
    found, origin = chosen_vocabularies([], ["one"])
    assert found == (embedded,)
    assert "embedded" in origin
    folder = tmp_path / "data/vectors/one"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text("a 1 2\nb 3 4\n")
    monkeypatch.setenv(SHARED, str(tmp_path))
    (shared,), origin = chosen_vocabularies([], ["one", "absent"])
    assert shared.words == ("a", "b")
    assert str(tmp_path) not in origin
    (named,), origin = chosen_vocabularies([folder / "one.txt"], ["one"])
    assert named.words == ("a", "b")
    assert "named by their paths" in origin
    with pytest.raises(ParameterError, match="distinct names"):
        chosen_vocabularies([folder / "one.txt"] * 2, [])


@pytest.mark.parametrize("made", ["", "data", "data/vectors", "data/vectors/another"])
def test_a_shared_folder_without_vectors_is_refused(tmp_path, monkeypatch, made: str) -> None:
    (tmp_path / "root" / made).mkdir(parents=True)
    monkeypatch.setenv(SHARED, str(tmp_path / "root") if made else str(tmp_path / "nonexistent"))
    with pytest.raises(ParameterError, match=r"TEXTVEIL_SHARED must .*; got none.*`vocabulary`") as refused:
        chosen_vocabularies([], ["one", "two"])
    assert str(tmp_path) not in str(refused.value)
    monkeypatch.setenv(SHARED, "")
    assert "embedded" in chosen_vocabularies([], ["one"])[1]


def test_texts_that_are_there_and_those_that_are_not(tmp_path, monkeypatch) -> None:
    (tmp_path / "data/text/one").mkdir(parents=True)
    monkeypatch.setenv(SHARED, str(tmp_path))
    texts = found_texts(["one", "two"])
    assert texts == {"one": tmp_path / "data/text/one"}
    setting = setting_of(made_vocabulary(20), texts=texts)
    assert setting.text("one") == texts["one"]
    with pytest.raises(ParameterError, match=r"corpus two must be the folder data/text/two of \$TEXTVEIL_SHARED"):
        setting.text("two")
    monkeypatch.setenv(SHARED, "")
    assert found_texts(["one"]) == {}


def test_papers_and_items() -> None:
    curse, truncated_laplace = papers()
    assert curse is paper("curse")
    assert truncated_laplace is paper("truncated-laplace")
    wanted = [f"figure-{number}" for number in range(1, 11)] + ["table-1", "table-2"]
    wanted += ["theorem-8", "example", "states", "dot-product", "tail-bounds", "neighbor-distances", "rank-constants"]
    wanted += ["paragraph", "equal-guarantee", "metrics"]
    assert [item.name for item in curse.chosen([])] == wanted
    assert [item.name for item in curse.chosen(["table-2", "figure-2", "table-2"])] == ["figure-2", "table-2"]
    with pytest.raises(UnknownNameError, match="figure-10, table-1"):
        curse.chosen(["figure-11"])
    with pytest.raises(UnknownNameError, match="one of curse"):
        paper("course")


@pytest.mark.parametrize(
    ("name", "dim", "known"),
    [
        ("glove-6b-300d-pool-4612", 300, "GloVe-Wiki 300d"),
        ("glove.6B.100d.txt", 100, "GloVe-Wiki 100d"),
        ("glove-twitter-25d-11925.txt", 25, "GloVe-Twitter 25d"),
        ("GoogleNews-vectors-negative300.bin", 300, "word2vec 300d"),
        ("wiki.en.vec", 300, "fastText 300d"),
        ("fasttext-cc-300d-2000", 300, None),
        ("glove-840b-300d", 300, None),
        ("glove-6b-75d", 75, None),
    ],
)
def test_the_paper_knows_its_own(name: str, dim: int, known: str | None) -> None:
    assert paper_name(name, dim) == known


def test_grids_are_the_papers_or_fitted() -> None:
    assert set(GRIDS) <= set(TABLE_2)
    rng = np.random.default_rng(3)
    glove = Vocabulary([f"w{i}" for i in range(40)], rng.normal(size=(40, 300)).astype(np.float32), "glove-6b")
    assert (noise_grid(glove)[0], noise_grid(glove)[-1]) == (1.0, 30.0)
    assert set(noise_grid(glove)) <= {float(value) for value in range(1, 31)}
    assert len(noise_grid(glove)) >= POINTS - 2
    assert (noise_grid(glove, fixed=True)[0], noise_grid(glove, fixed=True)[-1]) == (1.0, 70.0)
    assert (exponential_grid(glove)[0], exponential_grid(glove)[-1]) == (0.5, 6.0)
    assert len(exponential_grid(glove)) <= POINTS
    other = made_vocabulary(120)
    scaled = Vocabulary(other.words, other.vectors * 2, "scaled")
    for grid in (noise_grid, exponential_grid):
        assert np.allclose(np.array(grid(other)), 2 * np.array(grid(scaled)), rtol=0.02)
        assert list(grid(other)) == sorted(set(grid(other)))
