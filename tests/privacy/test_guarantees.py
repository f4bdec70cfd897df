"""Guarantees as data: domains, conversions, printing."""

import json
import math
from dataclasses import replace

import pytest

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.guarantees import (
    ApproximateDP,
    Guarantee,
    MetricDP,
    NoGuarantee,
    PureDP,
    Status,
    shown_up,
)
from textveil.privacy.units import ALL_DOCUMENTS, Unit


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, math.inf])
def test_epsilon_is_finite_and_not_negative(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="finite and >= 0"):
        PureDP(epsilon=epsilon)
    with pytest.raises(ParameterError, match="finite and >= 0"):
        ApproximateDP(epsilon=epsilon, log_delta=-3.0)
    with pytest.raises(ParameterError, match="finite and >= 0"):
        MetricDP(epsilon_per_distance=epsilon, metric="euclidean", diameter=1.0)


@pytest.mark.parametrize("log_delta", [0.1, math.nan])
def test_delta_is_at_most_one(log_delta: float) -> None:
    with pytest.raises(ParameterError, match="log_delta"):
        ApproximateDP(epsilon=1.0, log_delta=log_delta)


def test_a_metric_guarantee_becomes_pure_by_the_diameter_rounded_up() -> None:
    metric = MetricDP(epsilon_per_distance=0.1, metric="euclidean", diameter=3.0, status=Status.PROVED, source="s")
    pure = metric.pure()
    assert pure.epsilon >= 0.1 * 3.0
    assert pure.epsilon == pytest.approx(0.3, rel=1e-12)
    assert (pure.status, pure.source) == (Status.PROVED, "s")
    assert metric.approximate().log_delta == -math.inf
    assert metric.worst_case() == pure


def test_nothing_follows_from_nothing() -> None:
    nothing = NoGuarantee(reason="refuted")
    for convert in (nothing.approximate, nothing.pure):
        with pytest.raises(UnsupportedGuarantee, match="nothing follows"):
            convert()
    with pytest.raises(UnsupportedGuarantee, match="no pure guarantee"):
        ApproximateDP(epsilon=1.0, log_delta=-1.0).pure()
    assert not nothing.promises and nothing.worst_case() is nothing


GUARANTEES = [
    PureDP(epsilon=1.5),
    ApproximateDP(epsilon=1.5, log_delta=-9.0),
    MetricDP(epsilon_per_distance=0.5, metric="euclidean", diameter=3.0),
    NoGuarantee(reason="refuted"),
]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda one: type(one).__name__)
def test_every_guarantee_says_of_what_it_speaks(guarantee: Guarantee) -> None:
    data = guarantee.to_data()
    assert data == json.loads(json.dumps(data, allow_nan=False))
    assert {"notion", "epsilon", "delta", "status", "source", "text"} <= set(data)
    assert (data["unit"], data["adjacency"]) == ("token", "two texts that differ in one token of the same kind")
    person = replace(guarantee, adjacency=ALL_DOCUMENTS)
    assert person.unit is Unit.PERSON
    assert (person.to_data()["unit"], person.to_data()["adjacency"]) == ("person", ALL_DOCUMENTS.text)
    assert person != guarantee
    if guarantee.promises:
        assert person.worst_case().adjacency is person.approximate().adjacency is ALL_DOCUMENTS


def test_data_of_a_guarantee_holds_its_numbers() -> None:
    pure, loose, metric, nothing = (one.to_data() for one in GUARANTEES)
    assert (pure["notion"], pure["epsilon"], pure["delta"]) == ("pure DP", 1.5, 0.0)
    assert (loose["notion"], loose["log_delta"]) == ("approximate DP", -9.0)
    assert loose["delta"] >= math.exp(-9.0)
    assert (metric["notion"], metric["epsilon_per_distance"], metric["diameter"]) == ("metric DP", 0.5, 3.0)
    assert metric["epsilon"] >= 1.5
    stated = [one.numbers for one in GUARANTEES]
    assert stated[0] == {"epsilon": 1.5} and stated[2:] == [{"epsilon_per_distance": 0.5}, {}]
    assert stated[1] == {"epsilon": 1.5, "delta": loose["delta"]}
    assert (nothing["notion"], nothing["epsilon"], nothing["delta"]) == ("none", None, None)


def test_a_delta_that_underflows_is_still_printed() -> None:
    tiny = ApproximateDP(epsilon=20.0, log_delta=-1700 * math.log(4))
    assert tiny.delta == 0.0
    assert str(tiny) == "(20, 10^-1023.5)-DP"
    assert str(ApproximateDP(epsilon=1.0, log_delta=math.log(1e-5))) == "(1, 1e-05)-DP"
    assert str(PureDP(epsilon=8.0)) == "8-DP"


def test_guarantees_are_frozen() -> None:
    with pytest.raises(AttributeError):
        PureDP(epsilon=1.0).epsilon = 0.5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(8.0, "8"), (8.0000049, "8.00001"), (1234624.0, "1.23463e+06"), (0.1 * 3, "0.3"), (0.0, "0"), (1e-5, "1e-05")],
)
def test_printed_numbers_are_rounded_up(value: float, shown: str) -> None:
    assert shown_up(value) == shown
    assert float(shown_up(value)) >= value * (1 - 1e-11)


@pytest.mark.parametrize("delta", [1e-3, 1e-5, 3e-7, 1e-300])
def test_delta_survives_its_logarithm_on_the_private_side(delta: float) -> None:
    back = ApproximateDP(epsilon=1.0, log_delta=math.log(delta)).delta
    assert back >= delta
    assert back == pytest.approx(delta, rel=1e-11)
