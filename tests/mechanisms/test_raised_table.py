"""The table of all rows of a weighted neighborhood: rows as computed, checked, and draws that do not change."""

import pickle
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.mechanisms import raised_table as module
from textveil.mechanisms.neighborhood import WeightedNeighborhood, weighted_neighborhood
from textveil.mechanisms.raised_rows import expected_length
from textveil.mechanisms.raised_table import (
    LENGTHS,
    OUTPUTS,
    ExcessRows,
    raised_table,
)
from textveil.numerics.base_weights import BaseWeights, base_weights
from textveil.vocabulary import public_tables as public
from textveil.vocabulary.public_tables import neighbor_order
from textveil.vocabulary.table_files import read_table, write_table

SIZE = 700


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A cache folder of the test's own, and no table that an earlier test opened."""
    monkeypatch.setattr(public, "_OPEN", WeakValueDictionary())
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    return public.tables_folder()


def _weights(epsilon: float = 5.0, base_mass: float = 0.2, seed: int = 3) -> BaseWeights:
    shares = np.random.default_rng(seed).pareto(1.0, SIZE) + 0.01
    return base_weights(shares, epsilon=epsilon, base_mass=base_mass)


def _channel(weights: BaseWeights | None = None) -> WeightedNeighborhood:
    vocabulary = made_vocabulary(SIZE, dim=20, seed=5)
    return weighted_neighborhood(vocabulary, weights or _weights(), epsilon=5.0, parameters={})


@pytest.mark.parametrize(("epsilon", "base_mass"), [(5.0, 0.2), (1.0, 0.5), (12.0, 0.05), (25.0, 0.3)])
def test_draws_and_rows_are_the_same_with_the_table_and_without(folder: Path, epsilon: float, base_mass: float) -> None:
    weights = _weights(epsilon, base_mass)
    ids = np.random.default_rng(1).integers(0, SIZE, 5000)
    without = _channel(weights)
    drawn = without.privatize(ids, np.random.default_rng(3))
    rows = without.integer_weights(np.arange(SIZE))
    assert not folder.exists(), "rows that a text asked for must not reach the disk"
    (table,) = without.tables
    built = table.build()
    assert built.path == table.path and built.table[LENGTHS].sum() == len(built.table[OUTPUTS])
    made = _channel(weights)
    for channel in (made, pickle.loads(pickle.dumps(made)), without):
        np.testing.assert_array_equal(channel.privatize(ids, np.random.default_rng(3)), drawn)
        np.testing.assert_array_equal(channel.integer_weights(np.arange(SIZE)), rows)
        assert channel.rows._whole is not None and len(channel.rows.kept) == 0
    assert made.rows._whole is without.rows._whole, "mechanisms of the same weights share what they add to the table"


def test_tables_of_neighbors_save_work_and_change_nothing() -> None:
    weights, vocabulary = _weights(12.0, 0.05), made_vocabulary(SIZE, dim=20, seed=5)
    plain = raised_table(vocabulary, weights).make(None)
    neighbors = neighbor_order(vocabulary, 8)
    held = neighbors.build()
    seen: list[tuple[int, int]] = []
    helped = raised_table(vocabulary, weights, (neighbors,)).make(lambda done, whole: seen.append((done, whole)))
    assert held.path is not None and seen[-1] == (SIZE, SIZE)
    for name in (LENGTHS, OUTPUTS):
        np.testing.assert_array_equal(helped[name], plain[name])


def test_rows_that_do_not_fit_the_budget_have_no_table() -> None:
    rows = ExcessRows(made_vocabulary(SIZE, dim=20, seed=5), _weights(), budget=1)
    assert not rows.fits
    assert {table.key.kind for table in rows.tables} == {"neighbor-order"}


@pytest.mark.parametrize("epsilon", [3.0, 8.0, 12.0])
def test_the_number_of_entries_is_expected_within_a_factor_of_a_few(epsilon: float) -> None:
    weights = _weights(epsilon, 0.1)
    real = len(raised_table(made_vocabulary(SIZE, dim=20, seed=5), weights).make(None)[OUTPUTS])
    assert real / 2 < SIZE * expected_length(weights) < 6 * real


def _one_word_twice(lengths: np.ndarray, outputs: np.ndarray) -> None:
    start = int(lengths[:7].sum())
    outputs[start + 1] = outputs[start]


def _a_word_of_no_vocabulary(lengths: np.ndarray, outputs: np.ndarray) -> None:
    outputs[-1] = SIZE


def _a_row_too_long(lengths: np.ndarray, outputs: np.ndarray) -> None:
    """The first row takes the next one's first word: it hands out more than it has."""
    lengths[0] += 1
    lengths[1] -= 1


def _a_row_too_short(lengths: np.ndarray, outputs: np.ndarray) -> None:
    lengths[0] -= 1
    lengths[1] += 1


def _an_empty_row(lengths: np.ndarray, outputs: np.ndarray) -> None:
    lengths[-2] += lengths[-1]
    lengths[-1] = 0


def _lengths_of_other_entries(lengths: np.ndarray, outputs: np.ndarray) -> None:
    lengths[-1] += 1


@pytest.mark.parametrize(
    "spoil",
    [
        _one_word_twice,
        _a_word_of_no_vocabulary,
        _a_row_too_long,
        _a_row_too_short,
        _an_empty_row,
        _lengths_of_other_entries,
    ],
)
def test_rows_without_the_guarantee_are_refused_whoever_wrote_them(folder: Path, monkeypatch, spoil) -> None:
    monkeypatch.setattr(module, "_CHECKED", 300)  # several spans
    channel = _channel()
    (table,) = channel.tables
    made = {name: array.copy() for name, array in table.make(None).items()}
    assert table.sound(made)
    spoil(made[LENGTHS], made[OUTPUTS])
    assert not table.sound(made)
    write_table(folder, table.key, made)
    assert read_table(table.path, table.key) is not None
    assert table.opened() is None
    channel.privatize(np.arange(SIZE))
    assert channel.rows._whole is None


def test_a_word_that_gains_nothing_or_stands_twice_is_refused() -> None:
    counts = np.ones(4, dtype=np.int64)
    weights = BaseWeights(counts=counts, shift=3, gains=np.array([2, 0, 2, 2]), row_gain=3)
    table = raised_table(made_vocabulary(4), weights)
    good = {LENGTHS: np.full(4, 2, dtype=np.uint8), OUTPUTS: np.array([0, 2, 2, 3, 3, 0, 0, 3], dtype=np.uint8)}
    assert table.sound(good)
    twice = np.array([0, 0, 2, 3, 3, 0, 0, 3], dtype=np.uint8)  # of equal gains, so that sums do not tell
    assert not table.sound({**good, OUTPUTS: twice})
    bad = {
        LENGTHS: np.array([3, 2, 2, 2], dtype=np.uint8),
        OUTPUTS: np.array([0, 1, 2, 2, 3, 3, 0, 0, 3], dtype=np.uint8),
    }
    assert not table.sound(bad)


def test_any_table_that_is_believed_keeps_the_totals_and_the_ratio(folder: Path) -> None:
    """Rows in an order that nobody computed: poor text, the same guarantee."""
    weights = _weights()
    channel = _channel(weights)
    (table,) = channel.tables
    rng, lengths, outputs = np.random.default_rng(8), [], []
    for _ in range(SIZE):
        order = rng.permutation(SIZE)
        reached = np.cumsum(weights.gains[order])
        lengths.append(int(np.searchsorted(reached, weights.row_gain)) + 1)
        outputs.append(order[: lengths[-1]])
    write_table(folder, table.key, {LENGTHS: np.array(lengths, "<u2"), OUTPUTS: np.concatenate(outputs).astype("<u2")})
    rows = channel.integer_weights(np.arange(SIZE))
    assert channel.rows._whole is not None
    assert (rows.sum(axis=1) == weights.total).all()
    assert (rows >= weights.base).all()
    assert (rows <= weights.base + weights.gains * weights.unit).all()


def test_lengths_that_a_header_makes_up_are_refused(folder: Path) -> None:
    (table,) = _channel().tables
    path = table.build().path  # nothing holds the table: it is read again
    assert path is not None
    whole = path.read_bytes()
    entries = len(table.make(None)[OUTPUTS])
    for other in (entries + 1, entries - 1, -1, 0, "7", 1.0, True, None):
        header = whole[:4096].replace(f"[{entries}]".encode(), f"[{other}]".encode().replace(b"'", b'"'))
        assert header != whole[:4096]
        path.write_bytes(header[:4095].ljust(4095) + b"\n" + whole[4096:])
        assert table.opened() is None, other
    path.write_bytes(whole)
    assert table.opened() is not None
