"""Columns of weighted neighborhoods from tables: those of all rows, by the rows or by where they end."""

import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary
from tests.mechanisms.test_raised_table import SIZE, _channel, _weights
from tests.mechanisms.test_raised_table import folder as folder  # a cache folder of each test's own

from textveil.corpora.processes import provided
from textveil.mechanisms.raised_table import ExcessRows
from textveil.vocabulary.table_files import table_files, write_table
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.capabilities import TabulatedColumns
from textveil_lab.mechanisms.channel_columns import columns_of
from textveil_lab.mechanisms.sampling.end_columns import LAST, LEFT, EndColumns, ends_table
from textveil_lab.mechanisms.sampling.output_columns import RaisedColumns
from textveil_lab.mechanisms.sampling.raised_entries import excess_entries


@pytest.mark.parametrize(("epsilon", "base_mass"), [(5.0, 0.2), (1.0, 0.5), (12.0, 0.05), (25.0, 0.3)])
@pytest.mark.parametrize("tabled", [True, False])
def test_columns_are_those_of_the_rows(epsilon: float, base_mass: float, tabled: bool) -> None:
    weights = _weights(epsilon, base_mass)
    made = _channel(weights)
    rows = made.integer_weights(np.arange(SIZE))
    if tabled:
        made.tables[0].build()
    columns = columns_of(made).columns(np.arange(SIZE))
    raised = rows - weights.base
    np.testing.assert_array_equal(np.diff(columns.starts), np.count_nonzero(raised, axis=0))
    np.testing.assert_array_equal(columns.inputs, np.nonzero(raised.T)[1])
    ratios = np.log(rows / weights.base)
    np.testing.assert_allclose(columns.log_ratios, ratios.T[raised.T > 0], rtol=1e-12)


def test_columns_build_the_table_and_a_second_mechanism_finds_it(folder: Path) -> None:
    """All rows are needed for one column, whatever the text is."""
    first = columns_of(_channel()).columns(np.array([4]))
    (file,) = table_files(folder)
    assert file.kind == "raised-rows" and file.intact and file.made_from is not None
    assert file.made_from["weights"] == _weights().digest
    np.testing.assert_array_equal(columns_of(_channel()).columns(np.array([4])).inputs, first.inputs)


@pytest.mark.parametrize(("epsilon", "base_mass"), [(5.0, 0.2), (1.0, 0.5), (12.0, 0.05), (25.0, 0.3)])
@pytest.mark.parametrize("stored", [True, False], ids=["8-bit", "float"])
def test_columns_by_the_ends_of_rows_are_those_of_all_rows(
    folder: Path, epsilon: float, base_mass: float, stored: bool
) -> None:
    """With ties, zero vectors and words that can gain nothing, and on both grids."""
    rng = np.random.default_rng(4)
    values = rng.integers(-3, 4, size=(SIZE, 5)).astype(np.int8)
    values[[3, 90]] = 0
    scales = rng.choice([0.5, 0.125], SIZE).astype(np.float32)
    words = [f"w{index}" for index in range(SIZE)]
    vocabulary = Vocabulary(words, grid=(values, scales))
    if not stored:
        vocabulary = Vocabulary(words, vocabulary.vectors)
    weights = _weights(epsilon, base_mass)
    if stored:
        weights = replace(weights, gains=np.where(np.arange(SIZE) % 5 == 0, 0, weights.gains))
    outputs = np.array([5, 0, 699, 5, 3, 90, 17, *range(200, 500)])
    starts, inputs, gains = RaisedColumns(SIZE, partial(excess_entries, ExcessRows(vocabulary, weights))).of(outputs)
    ends = EndColumns(vocabulary, weights)
    for one in (ends, pickle.loads(pickle.dumps(ends))):
        found = one.of(outputs)
        np.testing.assert_array_equal(found[0], starts)
        np.testing.assert_array_equal(found[1], inputs)
        np.testing.assert_array_equal(found[2], gains)
    assert {file.kind for file in table_files(folder)} == {"raised-rows", "raised-ends"}
    assert all(len(part) == (index == 0) for index, part in enumerate(ends.of(outputs[:0])))


def test_ends_that_cannot_be_are_built_again(folder: Path) -> None:
    vocabulary, weights = made_vocabulary(SIZE, dim=20, seed=5), _weights()
    table = ends_table(vocabulary, weights)
    made = {name: array.copy() for name, array in table.make(None).items()}
    assert table.sound(made)
    for name, value in ((LAST, SIZE), (LEFT, 0), (LEFT, int(weights.gains.max()) + 1)):
        spoiled = {one: array.copy() for one, array in made.items()}
        spoiled[name][7] = value
        write_table(folder, table.key, spoiled)
        assert table.opened() is None
    write_table(folder, table.key, made)
    assert table.opened() is not None


def test_a_channel_whose_rows_do_not_fit_is_read_by_their_ends(folder: Path, monkeypatch) -> None:
    assert [one.key.kind for one in columns_of(_channel()).column_tables] == ["raised-rows"]
    wanted = columns_of(_channel()).columns(np.arange(0, SIZE, 7))
    monkeypatch.setattr(ExcessRows.__init__, "__defaults__", (1, None))
    channel = columns_of(_channel())
    (table,) = channel.column_tables
    assert isinstance(channel, TabulatedColumns) and table.key.kind == "raised-ends"
    (held,) = provided(channel.column_tables, True, pytest.fail, None)
    assert held is table.opened()
    found = channel.columns(np.arange(0, SIZE, 7))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert {file.kind for file in table_files(folder)} == {"raised-rows", "raised-ends"}
