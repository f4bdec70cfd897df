"""Somebody else's channels and tables: judged by what they offer, and never by their word alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.helpers.catalog import CATALOG
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.kinds import IntegerWeights
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import Guarantee, PureDP
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.exact import audit_channel, pure_epsilon
from textveil_lab.audit.channels.rows import IntegerRows
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.capabilities import NoisyVectors

WORDS = made_vocabulary(6)
HONEST = np.full((6, 6), 2) + np.diag([5] * 6)


@dataclass(frozen=True)
class Stranger:
    """A channel that textveil has never heard of: a table of integers and draws from it."""

    table: Integers
    claimed: float
    vocabulary: Vocabulary = WORDS
    name: str = "stranger"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(epsilon=self.claimed)

    def integer_weights(self, ids: Ids) -> Integers:
        return self.table[ids]

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        sums = np.cumsum(self.table, axis=1)
        drawn = resolve(rng).integers(0, sums[ids, -1])
        return (drawn[:, None] >= sums[ids]).sum(axis=1)


def test_a_channel_that_offers_its_integers_is_certified_exactly() -> None:
    report = audit_mechanism(Stranger(HONEST, math.log(3.5) + 1e-12), seed=1)
    assert report.verdict is Verdict.CERTIFIED
    assert report.leading.method == "exact channel"
    assert report.leading.witness["ratio"] == "7/2"
    assert report.attacks[0]["success"]["estimate"] == pytest.approx(7 / 17)


def test_a_leaky_one_is_refuted_exactly() -> None:
    leaky = HONEST.copy()
    leaky[2, 2] += 1
    found = audit_mechanism(Stranger(leaky, math.log(3.5)), attacks=False).leading
    assert (found.verdict, found.method) == (Verdict.REFUTED, "exact channel")
    assert Fraction(found.witness["ratio"]) == Fraction(8 * 17, 18 * 2)


@pytest.mark.parametrize("name", ["neighborhood", "randomized-response", "exponential", "metric-exponential"])
def test_the_catalogs_channels_offer_the_integers_that_they_state(name: str) -> None:
    channel = CATALOG[name].constructor()(WORDS, epsilon=1.5)
    assert isinstance(channel, IntegerWeights)
    weights = channel.integer_weights(np.array([3, 0, 3]))
    assert weights.dtype == np.int64
    assert weights.shape == (3, 6)
    np.testing.assert_array_equal(weights[0], weights[2])
    np.testing.assert_allclose(weights[1] / weights[1].sum(), channel.probabilities(0), rtol=1e-14)
    with pytest.raises(ParameterError, match="ids"):
        channel.integer_weights(np.array([6]))


def test_noise_offers_its_points_and_no_weights() -> None:
    noisy = CATALOG["gaussian"].constructor()(WORDS, epsilon=1.5)
    assert isinstance(noisy, NoisyVectors)
    assert not isinstance(noisy, IntegerWeights)


@dataclass(frozen=True)
class Source:
    """A source of rows that says whatever it was made with."""

    table: Any
    shape: tuple[int, ...] = (2, 2)

    def rows(self, start: int, stop: int) -> Reals:
        return self.table[start:stop]


UNSOUND = {
    "a sum of .695": (Source(np.array([[0.5, 0.195], [0.5, 0.195]])), "sum other than 1 .0.695. in row 0"),
    "NaN": (Source(np.array([[0.5, 0.5], [math.nan, 0.5]])), "NaN in row 1"),
    "negative": (Source(np.array([[1.5, -0.5], [0.5, 0.5]])), "negative value in row 0"),
    "another block": (Source(np.array([[0.5, 0.5]])), "block of shape"),
    "words": (Source([["a", "b"], ["c", "d"]]), "numbers"),
    "one row": (Source(np.array([[1.0]]), (1, 1)), "n >= 2"),
    "no shape": (Source(np.array([1.0]), (1,)), "n >= 2"),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_a_foreign_source_that_is_no_channel_is_refused(case: str) -> None:
    source, message = UNSOUND[case]
    with pytest.raises(ParameterError, match=message):
        audit_channel(source, Claim(epsilon=5.0))


def test_a_foreign_source_that_is_one_is_judged() -> None:
    source = Source(np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert audit_channel(source, Claim(epsilon=math.log(3))).verdict is Verdict.CERTIFIED
    assert audit_channel(source, Claim(epsilon=1.0)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("weights", [[[0, 4, 4], [0, 4, 4]], [[4, 4, 0], [4, 4, 0]], [[0, 5, 4], [0, 4, 5]]])
def test_an_output_that_no_word_gives_costs_nothing(weights: list[list[int]]) -> None:
    table = np.array(weights)
    exact = math.log(5 / 4) if 5 in table else 0.0
    for rows in (IntegerRows((2, 3), lambda ids: table[ids]), table / table.sum(axis=1, keepdims=True)):
        loss = pure_epsilon(rows)
        assert loss.epsilon.estimate == pytest.approx(exact, abs=1e-15)
        assert loss.probability > 0


def test_a_channel_that_states_no_integers_is_audited_by_its_probabilities(tiny: Vocabulary) -> None:
    class Stated:
        """A foreign channel: rows of floats."""

        name, parameters, vocabulary = "stated", {}, tiny
        guarantee = randomized_response(tiny, epsilon=1.0).guarantee

        def privatize(self, ids: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
            return ids

        def probabilities(self, word_id: int) -> np.ndarray:
            return np.where(np.arange(len(tiny)) == word_id, 0.5, 0.5 / (len(tiny) - 1))

    finding = audit_channel(Stated(), Claim(epsilon=math.log(len(tiny) - 1)))
    assert finding.verdict is Verdict.CERTIFIED
    assert "ratio" not in finding.witness
