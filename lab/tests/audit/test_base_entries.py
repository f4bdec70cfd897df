"""Entries over a base are believed of the catalog's channels alone, and compared at random rows."""

from typing import Any

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.errors import ParameterError
from textveil.mechanisms.raised_rows import RaisedEntries
from textveil.privacy.guarantees import PureDP
from textveil.types import Ids, Integers, Reals
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.channels.rows import IntegerRows, source_of
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.sampling.output_columns import OverBase

SIZE = 300
WORDS = made_vocabulary(SIZE)
BASE = 10_000


class Lies:
    """States entries of an epsilon of 3; the rows of ``bad`` words give the word itself alone."""

    name, vocabulary, guarantee = "lies", WORDS, PureDP(epsilon=3.0)

    def __init__(self, *bad: int) -> None:
        self.parameters: dict[str, Any] = {}
        self.bad = list(bad)
        self.gain = int(BASE * 19)

    def _stated(self, ids: Ids) -> Integers:
        rows = np.full((len(ids), SIZE), BASE, dtype=np.int64)
        rows[np.arange(len(ids)), ids] += self.gain
        return rows

    def integer_weights(self, ids: Ids) -> Integers:
        rows = self._stated(ids)
        for place in np.flatnonzero(np.isin(ids, self.bad)):
            rows[place] = 1
            rows[place, ids[place]] = SIZE * BASE + self.gain - SIZE + 1
        return rows

    def over_base(self) -> OverBase:
        ids = np.arange(SIZE)
        return OverBase(np.full(SIZE, BASE), 1, iter([RaisedEntries(ids, ids, np.full(SIZE, self.gain))]))

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        rng = np.random.default_rng() if rng is None else rng
        sums = np.cumsum(self.integer_weights(ids), axis=1)
        return (rng.integers(0, sums[:, -1])[:, None] >= sums).sum(axis=1)


def test_a_row_that_is_not_as_its_entries_say_is_found_every_time() -> None:
    for bad in range(1, SIZE, 37):
        report = audit_mechanism(Lies(bad), attacks=False)
        assert report.verdict is Verdict.REFUTED and report.leading.epsilon.lower > 12
    assert audit_channel(Lies(), Claim(epsilon=3.0)).verdict is Verdict.CERTIFIED


def test_the_rows_that_are_compared_of_a_channel_of_the_catalog_are_random() -> None:
    made = tv.mechanism("randomized-response", WORDS, epsilon=2.0)
    sources = [source_of(made, np.random.default_rng(seed)) for seed in range(20)]
    assert all(isinstance(source, IntegerRows) and source.over_base is not None for source in sources)
    drawn = {word for source in sources for word in source.compared.tolist()}  # a word is missed with chance 0.787^20
    assert len(drawn) > SIZE * 0.9


def test_a_changed_object_of_the_catalog_is_not_believed() -> None:
    made: Any = tv.mechanism("randomized-response", WORDS, epsilon=2.0)
    other: Any = tv.mechanism("randomized-response", WORDS, epsilon=9.0)
    object.__setattr__(made, "weights", other.weights)
    assert source_of(made).over_base is None
    assert audit_channel(made, Claim(epsilon=2.0)).verdict is Verdict.REFUTED


def test_every_row_of_another_channel_is_compared_with_its_probabilities() -> None:
    class Two(Lies):
        def probabilities(self, word_id: int) -> Reals:
            row = self._stated(np.array([word_id]))[0]
            return row / row.sum()

    for bad in range(1, SIZE, 61):
        with pytest.raises(ParameterError, match=f"got other weights in row {bad}"):
            source_of(Two(bad))
