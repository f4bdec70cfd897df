"""The example of section 2: identifiers, the two steps, and the public estimate that the second reads."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import word_mechanism
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.conditions import overtaking_probability
from textveil_lab.mechanisms.capabilities import ChannelColumns
from textveil_lab.papers.curse.example import (
    IDENTIFIERS,
    TEXT,
    NoiseEvidence,
    example,
    identifiers_left,
    unchanged,
    without_marks,
)
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import Reproduced, StudySetting


def evidence_of(vocabulary: Vocabulary, rate: float, **options: int) -> NoiseEvidence:
    noise = word_mechanism("spherical-laplace", vocabulary, epsilon_per_distance=rate, clip=None)
    return NoiseEvidence(noise, rate, np.random.default_rng(3), **options)


def dense(columns, size: int) -> np.ndarray:
    """ln P(y | x) as a table, shape (n, outputs)."""
    logs = np.tile(columns.log_least, (size, 1))
    logs[columns.inputs, columns.places] += columns.log_ratios
    return logs


def test_the_paragraph_has_its_identifiers_and_none_of_the_marks() -> None:
    plain = without_marks(TEXT)
    assert not set(",.") & set(plain)
    assert set(IDENTIFIERS) <= set(plain.split())
    assert plain.split() == TEXT.replace(",", " ").replace(".", " ").split()


def test_what_stays_is_counted_by_place_and_without_case() -> None:
    assert unchanged("a Big red House", "a big blue house") == 3
    assert unchanged("a b", "b a") == 0
    assert identifiers_left("Daniel and Daniel at 416", "daniel and Boris at 417") == 1
    assert identifiers_left("Daniel at 416", "boris at 416") == 1
    with pytest.raises(ValueError, match="zip"):
        unchanged("a b", "a")


def test_every_row_of_the_estimate_sums_to_one() -> None:
    words = made_vocabulary(40)
    evidence = evidence_of(words, 3.0, partners=40)
    assert isinstance(evidence, ChannelColumns)
    columns = evidence.columns(np.arange(40))
    assert columns.complete
    rows = np.exp(dense(columns, 40))
    assert np.allclose(rows.sum(axis=1), 1, rtol=1e-6)
    assert np.allclose(rows.diagonal(), evidence.stays)


def test_other_words_weigh_what_beats_the_original() -> None:
    words = made_vocabulary(30)
    points = words.vectors.astype(np.float64)
    evidence = evidence_of(words, 2.5, partners=30)
    rows = np.exp(dense(evidence.columns(np.arange(30)), 30))
    beaten = overtaking_probability(np.linalg.norm(points[4] - points, axis=1) / 2, words.dim, 2.5)
    others = np.arange(30) != 4
    wanted = (1 - evidence.stays[4]) * beaten[others] / beaten[others].sum()
    assert np.allclose(rows[4, others], wanted, rtol=1e-3)


def test_more_words_are_taken_to_stay_where_more_do() -> None:
    words = made_vocabulary(60)
    few, many = evidence_of(words, 0.5), evidence_of(words, 6.0)
    assert few.stays.mean() < 0.3 < 0.7 < many.stays.mean()
    assert few.stays.min() > 0 and many.stays.max() < 1


def test_no_output_has_no_columns() -> None:
    columns = evidence_of(made_vocabulary(20), 1.0).columns(np.zeros(0, dtype=np.int64))
    assert (columns.starts.tolist(), len(columns.inputs), len(columns.log_least)) == ([0], 0, 0)


def test_both_steps_on_the_embedded_words() -> None:
    setting = StudySetting(vocabularies=(made_vocabulary(20),), origin="made", named=True, quick=True)
    outcome = example(setting)
    table = outcome.tables[""]
    text, step = table.columns.index("text"), table.columns.index("step")
    assert [row[step] for row in table.rows] == ["original", "marks left out", "1. sanitized", "2. mended"]
    released, mended = (str(row[text]) for row in table.rows[2:])
    assert len(released.split()) == len(mended.split()) == len(without_marks(TEXT).split())
    assert released != mended
    numbers = [one for one in released.split() if one.isdigit()]
    assert len(numbers) == 3 and numbers == [one for one in mended.split() if one.isdigit()]
    assert 0 < unchanged(without_marks(TEXT), released) < len(released.split())
    assert outcome.judgment.reproduced is Reproduced.PARTLY
    assert "own decoder" in outcome.judgment.why
    assert outcome.settings.keys() >= paper("curse").chosen(["example"])[0].settings.keys()
