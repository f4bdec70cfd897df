"""Audits from a base and the entries above it: the same exact numbers as from the whole table, and lies found."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.helpers.exactness import hockey_stick, table
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.neighborhood import neighborhood, weighted_neighborhood
from textveil.mechanisms.raised_rows import RaisedEntries, made_rows, unordered
from textveil.mechanisms.randomized_response import randomized_response
from textveil.numerics.base_weights import base_weights
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.attacks import bayes_vulnerability
from textveil_lab.audit.channels import extremes as extremes_module
from textveil_lab.audit.channels.exact import audit_channel, delta_at, delta_upper_bound, pure_epsilon_integer
from textveil_lab.audit.channels.extremes import extremes_of
from textveil_lab.audit.channels.hockey_stick import _Search, column_floor
from textveil_lab.audit.channels.rows import IntegerRows, source_of
from textveil_lab.audit.report.report import Claim
from textveil_lab.mechanisms.sampling import raised_entries as raised_entries_module
from textveil_lab.mechanisms.sampling.output_columns import OverBase
from textveil_lab.mechanisms.sampling.raised_entries import raised_entries


@pytest.fixture(autouse=True)
def _believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The channels here count as the catalog's, whose entries are read."""
    monkeypatch.setattr("textveil_lab.audit.channels.rows.from_catalog", lambda channel: True)


def weighted(size: int, epsilon: float, base_mass: float, spread: float = 1.0) -> Any:
    shares = np.random.default_rng(size).pareto(spread, size) + 0.01
    weights = base_weights(shares, epsilon=epsilon, base_mass=base_mass)
    return weighted_neighborhood(made_vocabulary(size), weights, epsilon=epsilon, parameters={})


@dataclass(frozen=True)
class Stated:
    """A channel of the given integers, stated over a base as whoever made it likes."""

    vocabulary: Vocabulary
    rows: Integers
    stated: Callable[[], OverBase]

    def integer_weights(self, ids: Ids) -> Integers:
        return self.rows[ids]

    def over_base(self) -> OverBase:
        return self.stated()


def entries_above(rows: Integers, base: Integers, cut: int = 3) -> OverBase:
    """What rows hold above a base, a few inputs at a time."""

    def parts() -> Iterator[RaisedEntries]:
        for start in range(0, len(rows), cut):
            inputs, outputs = np.nonzero(rows[start : start + cut] > base)
            yield RaisedEntries(inputs + start, outputs, (rows - base)[inputs + start, outputs])

    return OverBase(base, 1, parts())


def raised_by_all() -> Stated:
    """Output 0 is above its base in every row, so its least weight is no base weight."""
    rows = np.array([[9, 2, 4, 1], [7, 2, 5, 2], [8, 1, 5, 2], [8, 2, 4, 2]])
    return Stated(made_vocabulary(4), rows, lambda: entries_above(rows, np.array([3, 1, 4, 1])))


def contextual_place() -> Stated:
    """The rows of a contextual neighborhood after a few outputs, each output's base its least weight."""
    from tests.mechanisms.test_contextual_neighborhood import made

    mechanism = made()
    size = len(mechanism.vocabulary)
    rows = mechanism.integer_weights_after(np.array([3, 1, 4]), np.arange(size))
    return Stated(mechanism.vocabulary, rows, lambda: entries_above(rows, rows.min(axis=0)))


CHANNELS = {
    "weighted": lambda: weighted(60, 3.0, 0.3),
    "weighted, few raised": lambda: weighted(40, 6.0, 0.7),
    "weighted, gains clipped": lambda: weighted(50, 2.0, 0.9, spread=0.3),
    "frequencies": lambda: neighborhood(made_vocabulary(45), epsilon=2.0),
    "flat": lambda: neighborhood(made_vocabulary(30), epsilon=1.5, neighborhood_size=4),
    "flat, all raised": lambda: neighborhood(made_vocabulary(12), epsilon=1.5, neighborhood_size=12),
    "randomized response": lambda: randomized_response(made_vocabulary(20), epsilon=2.5),
    "contextual": contextual_place,
    "raised by all": raised_by_all,
}


@pytest.fixture(params=sorted(CHANNELS))
def sources(request: pytest.FixtureRequest) -> tuple[IntegerRows, IntegerRows]:
    """One channel by its entries, and by its whole table."""
    entries = source_of(CHANNELS[request.param]())
    assert isinstance(entries, IntegerRows) and entries.over_base is not None
    return entries, IntegerRows(entries.shape, entries.make)


def test_gains_of_the_clipped_channel_are_clipped() -> None:
    weights = CHANNELS["weighted, gains clipped"]().weights
    assert (weights.gains == weights.row_gain).any()


def test_extremes_by_entries_are_those_of_the_table(sources: tuple[IntegerRows, IntegerRows]) -> None:
    for found, expected in zip(*map(extremes_of, sources), strict=True):
        assert np.array_equal(found.weight, expected.weight)
        assert np.array_equal(found.total, expected.total)
        assert np.array_equal(found.share, expected.share)


def test_pure_loss_and_witness_by_entries_are_those_of_the_table(sources: tuple[IntegerRows, IntegerRows]) -> None:
    found, expected = map(pure_epsilon_integer, sources)
    assert (found.ratio, found.epsilon, found.output) == (expected.ratio, expected.epsilon, expected.output)
    rows = sources[1].rows(0, sources[1].shape[0])
    assert rows[found.likely, found.output] == found.probability == expected.probability
    assert rows[found.unlikely, found.output] == found.other_probability == expected.other_probability


def test_best_attack_by_entries_is_that_of_the_table(sources: tuple[IntegerRows, IntegerRows]) -> None:
    found, expected = map(bayes_vulnerability, sources)
    n = sources[1].shape[0]
    assert found == expected
    assert found.success.estimate == pytest.approx(sources[1].rows(0, n).max(axis=0).sum() / n, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 2.0, 7.0])
def test_delta_by_entries_is_that_of_every_pair(sources: tuple[IntegerRows, IntegerRows], epsilon: float) -> None:
    rows = sources[1].rows(0, sources[1].shape[0])
    found, expected = delta_at(sources[0], epsilon), hockey_stick(rows, epsilon)
    assert found.complete
    assert found.delta.estimate == pytest.approx(max(0.0, expected), rel=1e-12, abs=1e-15)
    assert found.delta.lower <= max(0.0, expected) <= found.delta.upper < found.delta.lower + 1e-13
    first, second = found.pair
    assert first != second
    reached = np.maximum(rows[first] - math.exp(epsilon) * rows[second], 0).sum()
    assert reached == pytest.approx(found.delta.estimate, abs=1e-14)
    bounds = [delta_upper_bound(source, epsilon) for source in sources]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-12)


def test_entries_find_the_worst_row_beside_each(sources: tuple[IntegerRows, IntegerRows]) -> None:
    n = sources[1].shape[0]
    rows, factor = sources[1].rows(0, n), math.exp(0.2)
    for first in range(0, n, 5):
        search = _Search(sources[0], column_floor(sources[0]), factor)
        search.try_first(np.array([first]))
        deltas = np.maximum(rows[first] - factor * rows, 0).sum(axis=1)
        deltas[first] = -1.0
        assert search.best == pytest.approx(deltas.max(), rel=1e-12, abs=1e-15)
        assert search.pair[0] == first
        assert deltas[search.pair[1]] == pytest.approx(deltas.max(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("claimed", [0.1, 1.0, 2.0, 30.0])
def test_findings_by_entries_are_those_of_the_table(sources: tuple[IntegerRows, IntegerRows], claimed: float) -> None:
    findings = [audit_channel(source, Claim(epsilon=claimed, log_delta=math.log(1e-3))) for source in sources]
    assert findings[0].verdict == findings[1].verdict
    assert findings[0].epsilon == pytest.approx(findings[1].epsilon, rel=1e-9)
    assert findings[0].witness.get("ratio") == findings[1].witness.get("ratio")


ROWS = np.array([[9, 2, 1, 1], [3, 8, 1, 1], [3, 2, 7, 1], [3, 2, 1, 7]])
BASE = ROWS.min(axis=0)
EVERY, GAINS = np.arange(4), np.full(4, 6)
LIES = {
    "another gain": (EVERY, EVERY, np.full(4, 5)),
    "other sums": (EVERY, EVERY, np.array([6, 6, 6, 7])),
    "an input without entries": (EVERY[:3], EVERY[:3], GAINS[:3]),
    "another output": (EVERY, np.array([0, 1, 3, 3]), GAINS),
    "an entry twice": (EVERY.repeat(2), EVERY.repeat(2), GAINS.repeat(2) // 2),
    "an input outside": (EVERY + 1, EVERY, GAINS),
    "an output outside": (EVERY, EVERY - 1, GAINS),
    "a negative gain": (EVERY.repeat(2), np.array([0, 1, 0, 1, 1, 2, 2, 3]), np.array([7, -1] * 4)),
    "a gain that is no integer": (EVERY, EVERY, GAINS + 0.5),
    "different lengths": (EVERY, EVERY[:3], GAINS),
}


@pytest.mark.parametrize("lie", sorted(LIES))
def test_entries_that_are_not_those_of_the_rows_are_refused(lie: str) -> None:
    entries = RaisedEntries(*LIES[lie])
    channel = Stated(made_vocabulary(4), ROWS, lambda: OverBase(BASE, 1, iter([entries])))
    with pytest.raises(ParameterError):
        pure_epsilon_integer(source_of(channel))


def test_input_in_two_parts_is_refused() -> None:
    halves = [RaisedEntries(EVERY, EVERY, GAINS), RaisedEntries(EVERY[:1], EVERY[1:2], GAINS[:1])]
    channel = Stated(made_vocabulary(4), ROWS, lambda: OverBase(BASE, 1, iter(halves)))
    with pytest.raises(ParameterError, match="two parts"):
        pure_epsilon_integer(source_of(channel))


@pytest.mark.parametrize("base", [BASE - 4, BASE[:3], BASE.astype(float)])
def test_base_that_is_none_is_refused(base: Any) -> None:
    channel = Stated(made_vocabulary(4), ROWS, lambda: OverBase(base, 1, iter([RaisedEntries(EVERY, EVERY, GAINS)])))
    with pytest.raises(ParameterError):
        pure_epsilon_integer(source_of(channel))


def test_a_source_is_read_once_for_loss_and_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    made = extremes_module._from_entries
    monkeypatch.setattr(extremes_module, "_from_entries", lambda *args: calls.append(1) or made(*args))
    source = source_of(weighted(30, 2.0, 0.3))
    assert isinstance(source, IntegerRows)
    pure_epsilon_integer(source)
    bayes_vulnerability(source)
    assert len(calls) == 1


@dataclass(frozen=True)
class Scores:
    """An order by any scores."""

    table: np.ndarray
    rule: str = "as given"

    @property
    def size(self) -> int:
        return len(self.table)

    def scores(self, words: Ids, wanted: int) -> np.ndarray:
        return self.table[words]

    def neighbors(self, size: int) -> None:
        return None


@pytest.mark.parametrize("bins", [2, 5, 1024])
@pytest.mark.parametrize("kind", ["normal", "ties", "one value", "infinite", "huge"])
@pytest.mark.parametrize("base_mass", [0.3, 0.9])
def test_ends_without_a_sort_are_those_of_sorted_rows(
    kind: str, bins: int, base_mass: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raised_entries_module, "_BINS", bins)
    monkeypatch.setattr(raised_entries_module, "_SAMPLED", 3)
    weights, rng = weighted(70, 3.0, base_mass, spread=0.5).weights, np.random.default_rng(5)
    scores = rng.normal(size=(70, 70)).astype(np.float32)
    if kind == "ties":
        scores = np.rint(scores)
    elif kind == "one value":
        scores[:] = 0.25
    elif kind == "huge":
        scores = np.clip(scores, -3, 3) * np.float32(1e38)
    np.fill_diagonal(scores, np.inf)
    if kind == "infinite":
        scores[:, ::2], scores[:, 1::3] = np.inf, -np.inf
    order = Scores(scores)
    found = rebuilt(raised_entries(order, weights, np.arange(70)))
    assert np.array_equal(found, rebuilt(map(unordered, made_rows(order, weights, np.arange(70)))))
    assert (found.sum(axis=1) == weights.row_gain).all()


def rebuilt(parts: Iterator[RaisedEntries]) -> np.ndarray:
    gains = np.zeros((70, 70), dtype=np.int64)
    for inputs, outputs, added in parts:
        gains[inputs, outputs] += added
    return gains


def test_rows_of_words_asked_for_twice_and_out_of_order_are_each_their_own() -> None:
    mechanism = weighted(40, 3.0, 0.3)
    ids = np.array([7, 3, 7, 39, 0])
    rows = mechanism.integer_weights(ids)
    assert np.array_equal(rows / mechanism.weights.total, table(mechanism)[ids])
