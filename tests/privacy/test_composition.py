"""Composition: neutral zero, commuting, monotone, never below the exact value, worst status."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.composition import compose, narrowed, repeat, weakest
from textveil.privacy.guarantees import ApproximateDP, MetricDP, NoGuarantee, PureDP, Status
from textveil.privacy.units import (
    ALL_DOCUMENTS,
    ALL_TEXTS,
    ANY_DOCUMENT,
    ONE_DOCUMENT,
    ONE_SPAN,
    ONE_TOKEN,
    Adjacency,
    Unit,
)

epsilons = st.floats(0, 50)


@given(epsilons, st.integers(0, 10**6))
@settings(deadline=None)
def test_repeating_is_at_least_the_exact_product(epsilon: float, times: int) -> None:
    total = repeat(PureDP(epsilon=epsilon), times)
    assert isinstance(total, PureDP)
    assert Fraction(total.epsilon) >= Fraction(epsilon) * times
    assert total.epsilon == pytest.approx(epsilon * times, rel=1e-12)


@given(st.lists(epsilons, max_size=8))
@settings(deadline=None)
def test_composition_is_at_least_the_exact_sum_in_any_order(parts: list[float]) -> None:
    totals = {compose([PureDP(epsilon=part) for part in order]).epsilon for order in (parts, parts[::-1])}
    assert all(Fraction(total) >= sum(map(Fraction, parts), Fraction(0)) for total in totals)
    assert max(totals) == pytest.approx(min(totals), rel=1e-12)


@given(st.lists(st.tuples(epsilons, st.floats(-700, -0.1)), min_size=1, max_size=6))
@settings(deadline=None)
def test_deltas_add_up(parts: list[tuple[float, float]]) -> None:
    total = compose([ApproximateDP(epsilon=e, log_delta=d) for e, d in parts])
    assert isinstance(total, ApproximateDP)
    exact = math.fsum(math.exp(d) for _, d in parts)
    assert total.delta >= min(1.0, exact) * (1 - 1e-12)
    assert total.delta == pytest.approx(min(1.0, exact), rel=1e-9)


def test_zero_tokens_cost_nothing_and_zero_is_neutral() -> None:
    assert repeat(PureDP(epsilon=3.0), 0).epsilon == 0.0
    both = compose([PureDP(epsilon=3.0, status=Status.PROVED), repeat(PureDP(epsilon=9.0), 0)])
    assert both.epsilon == pytest.approx(3.0)


def test_kinds_mix_and_the_worst_status_is_kept() -> None:
    pure = PureDP(epsilon=1.0, status=Status.PROVED)
    metric = MetricDP(epsilon_per_distance=2.0, metric="euclidean", diameter=1.5, status=Status.CERTIFIED)
    loose = ApproximateDP(epsilon=0.5, log_delta=math.log(1e-6), status=Status.CLAIMED)
    assert compose([pure, metric]).epsilon == pytest.approx(4.0)
    total = compose([pure, metric, loose])
    assert isinstance(total, ApproximateDP)
    assert total.status is Status.CLAIMED
    assert total.delta == pytest.approx(1e-6)
    assert isinstance(compose([pure, NoGuarantee(reason="refuted")]), NoGuarantee)


def test_repeating_equals_composing() -> None:
    for part in (PureDP(epsilon=0.3), ApproximateDP(epsilon=0.3, log_delta=-9.0)):
        assert repeat(part, 7).epsilon == pytest.approx(compose([part] * 7).epsilon)  # type: ignore[union-attr]


def test_unknown_guarantees_and_negative_counts_are_refused() -> None:
    with pytest.raises(UnsupportedGuarantee, match="no rule"):
        compose(["8-DP"])  # type: ignore[list-item]
    with pytest.raises(UnsupportedGuarantee, match="no rule"):
        repeat("8-DP", 2)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="times"):
        repeat(PureDP(epsilon=1.0), -1)


def test_the_product_of_channels_attains_the_sum_and_no_more() -> None:
    """Exact on a small case: two words by randomized response, all pairs of documents, all outputs."""
    e = 0.7
    channel = np.full((3, 3), 1 / (math.exp(e) + 2))
    np.fill_diagonal(channel, math.exp(e) / (math.exp(e) + 2))
    documents = list(itertools.product(range(3), repeat=2))
    worst = max(
        math.log(np.prod([channel[a, y] for a, y in zip(x, out, strict=True)]))
        - math.log(np.prod([channel[a, y] for a, y in zip(other, out, strict=True)]))
        for x in documents
        for other in documents
        for out in documents
    )
    total = repeat(PureDP(epsilon=e), 2).epsilon
    assert worst == pytest.approx(2 * e)
    assert worst <= total * (1 + 1e-12)


@given(st.integers(2, 5000), st.floats(-600, -1))
@settings(deadline=None)
def test_repeated_deltas_are_at_least_the_exact_ones(times: int, log_delta: float) -> None:
    total = repeat(ApproximateDP(epsilon=0.1, log_delta=log_delta), times)
    assert isinstance(total, ApproximateDP)
    with mpmath.workdps(50):
        exact = min(mpmath.mpf(0), mpmath.mpf(log_delta) + mpmath.log(times))
        assert mpmath.mpf(total.log_delta) >= exact


def test_the_weakest_is_weak_in_every_respect() -> None:
    pure = PureDP(epsilon=9.0, status=Status.PROVED)
    loose = ApproximateDP(epsilon=8.0, log_delta=-9.0, status=Status.CERTIFIED)
    both = weakest([pure, loose])
    assert both == ApproximateDP(epsilon=9.0, log_delta=-9.0, status=Status.CERTIFIED)
    assert weakest([pure, PureDP(epsilon=2.0, status=Status.PROVED)]) is pure
    assert isinstance(weakest([pure, NoGuarantee(reason="x")]), NoGuarantee)


ADJACENCIES = [ONE_TOKEN, ONE_SPAN, ONE_DOCUMENT, ANY_DOCUMENT, ALL_DOCUMENTS, ALL_TEXTS]


def test_the_tokens_of_a_document_add_up_to_the_document() -> None:
    token, span = PureDP(epsilon=2.0), PureDP(epsilon=2.0, adjacency=ONE_SPAN)
    for times in (0, 1, 7):
        assert repeat(token, times).adjacency is ONE_DOCUMENT
        assert repeat(NoGuarantee(reason="x"), times).adjacency is ONE_DOCUMENT
        assert repeat(span, times).adjacency is ONE_SPAN.larger
    assert compose([token, token]).adjacency is ONE_DOCUMENT
    assert compose([]).adjacency is ONE_DOCUMENT
    assert compose([token, NoGuarantee(reason="x")]).adjacency is ONE_DOCUMENT


@pytest.mark.parametrize("adjacency", [ONE_DOCUMENT, ANY_DOCUMENT, ALL_DOCUMENTS])
def test_releases_of_one_document_add_up_to_that_document(adjacency: Adjacency) -> None:
    once = PureDP(epsilon=2.0, adjacency=adjacency)
    assert repeat(once, 3) == compose([once, once, once])
    assert repeat(once, 3).adjacency is adjacency


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a, b in itertools.permutations(ADJACENCIES, 2)], ids=lambda one: one.unit.value
)
def test_mixed_units_are_added_only_when_the_sum_is_named(first: Adjacency, second: Adjacency) -> None:
    parts = [PureDP(epsilon=1.0, adjacency=first), PureDP(epsilon=2.0, adjacency=second)]
    with pytest.raises(UnsupportedGuarantee, match="into="):
        compose(parts)
    with pytest.raises(UnsupportedGuarantee, match="narrowed"):
        weakest(parts)
    named = compose(parts, ALL_DOCUMENTS)
    assert (named.adjacency, named.epsilon) == (ALL_DOCUMENTS, 3.0)
    if Unit.DOCUMENT in (first.unit, second.unit):
        with pytest.raises(UnsupportedGuarantee, match="cannot add up to one of a token"):
            compose(parts, ONE_TOKEN)


def test_a_document_holds_for_its_tokens_and_a_token_not_for_its_document() -> None:
    document = PureDP(epsilon=2.0, adjacency=ANY_DOCUMENT)
    assert narrowed(document, ONE_TOKEN) == PureDP(epsilon=2.0)
    with pytest.raises(UnsupportedGuarantee, match=r"repeat\(\)"):
        narrowed(PureDP(epsilon=2.0), ONE_DOCUMENT)
    with pytest.raises(UnsupportedGuarantee, match="person"):
        repeat(PureDP(epsilon=2.0, adjacency=ALL_TEXTS), 2, ONE_DOCUMENT)


def test_units_are_ordered_by_what_they_hold() -> None:
    assert [[one.holds(other) for other in Unit] for one in Unit] == [
        [True] * (place + 1) + [False] * (5 - place) for place in range(6)
    ]
