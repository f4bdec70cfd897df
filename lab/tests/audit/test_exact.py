"""Exact audits of channels: against enumeration, against the reference, and on planted violations."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers.exactness import hockey_stick, table, worst_integer_ratio, worst_log_ratio, worst_metric_loss
from tests.helpers.golden import reference
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.mechanisms.randomized_response import randomized_response
from textveil.numerics.integer_weights import two_level_weights
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels import exact as exact_module
from textveil_lab.audit.channels import hockey_stick as hockey_stick_module
from textveil_lab.audit.channels import metric_loss as metric_loss_module
from textveil_lab.audit.channels import rows as rows_module
from textveil_lab.audit.channels.exact import (
    audit_channel,
    delta_at,
    delta_upper_bound,
    epsilon_at,
    metric_epsilon,
    pure_epsilon,
    pure_epsilon_integer,
)
from textveil_lab.audit.channels.hockey_stick import pair_epsilon
from textveil_lab.audit.channels.rows import IntegerRows, MatrixRows, source_of
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.channels.exponential import exponential
from textveil_lab.vocabulary.grid_distances import distances_on

MAKERS = {
    "randomized response": randomized_response,
    "neighborhood": neighborhood,
    "exponential": exponential,
}


def made_rows(n: int, k: int, seed: int, zeros: float = 0.0, spread: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = np.exp(spread * rng.normal(size=(n, k)))
    rows[rng.random((n, k)) < zeros] = 0.0
    rows[:, 0] += 0.1
    return rows / rows.sum(axis=1, keepdims=True)


CHANNELS = st.builds(
    made_rows,
    n=st.integers(2, 7),
    k=st.integers(1, 9),
    seed=st.integers(0, 10**6),
    zeros=st.sampled_from([0.0, 0.0, 0.3, 0.9]),
    spread=st.sampled_from([1e-6, 0.3, 3.0]),
)


@pytest.fixture(params=["whole", "in small blocks"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same numbers come out when the table is taken a few rows at a time."""
    if request.param == "in small blocks":
        monkeypatch.setattr(rows_module.blocks, "__defaults__", (3 * 40 * 8,))
        monkeypatch.setattr(hockey_stick_module, "PANEL_BYTES", 7 * 40 * 8)
        monkeypatch.setattr(metric_loss_module, "_PANEL_BYTES", 7 * 40 * 8)
        monkeypatch.setattr(hockey_stick_module, "_TILE", 16)
        monkeypatch.setattr(metric_loss_module, "_TILE", 90)


@pytest.mark.parametrize("name", sorted(["exponential", "tem", "randomized_response", "neighborhood_response_m2"]))
@pytest.mark.parametrize("epsilon", ["0.5", "2.0"])
def test_the_reference_is_met(name: str, epsilon: str) -> None:
    expected = reference("tiny")["channels"][f"{name}@{epsilon}"]
    loss = pure_epsilon(expected["rows"])
    assert loss.epsilon.estimate == pytest.approx(expected["worst_log_ratio"], abs=1e-9)
    found = delta_at(expected["rows"], expected["worst_log_ratio"] / 2)
    assert found.delta.estimate == pytest.approx(expected["hockey_stick_at_half"], abs=1e-9)


@given(rows=CHANNELS)
@settings(deadline=None, max_examples=60)
def test_the_pure_loss_equals_enumeration_with_its_witness(rows: np.ndarray) -> None:
    loss = pure_epsilon(rows)
    worst = 0.0
    for column in rows.T:
        if column.max() > 0:
            worst = max(worst, math.inf if column.min() == 0 else float(np.log(column.max() / column.min())))
    assert loss.epsilon.estimate == pytest.approx(worst, rel=1e-9, abs=1e-15)
    assert loss.epsilon.lower <= worst * (1 + 1e-12) + 1e-15
    assert worst <= loss.epsilon.upper * (1 + 1e-12) + 1e-15
    assert rows[loss.likely, loss.output] == loss.probability == rows[:, loss.output].max()
    assert rows[loss.unlikely, loss.output] == loss.other_probability == rows[:, loss.output].min()


@given(rows=CHANNELS, epsilon=st.sampled_from([0.0, 1e-7, 0.3, 1.0, 5.0]))
@settings(deadline=None, max_examples=80)
def test_delta_equals_enumeration_and_stays_below_its_bound(rows: np.ndarray, epsilon: float) -> None:
    found = delta_at(rows, epsilon)
    expected = hockey_stick(rows, epsilon)
    assert found.delta.estimate == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert found.delta.lower <= expected <= found.delta.upper
    assert found.delta.upper - found.delta.lower < 1e-13
    first, second = found.pair
    assert first != second
    assert np.maximum(rows[first] - math.exp(epsilon) * rows[second], 0).sum() == pytest.approx(expected, abs=1e-14)
    assert delta_upper_bound(rows, epsilon) >= expected


@given(rows=CHANNELS, share=st.floats(0.01, 0.9))
@settings(deadline=None, max_examples=60)
def test_epsilon_at_a_delta_inverts_the_profile(rows: np.ndarray, share: float) -> None:
    delta = share * hockey_stick(rows, 0.0)
    if delta < 1e-9:
        return
    found = epsilon_at(rows, delta)
    if math.isinf(found.upper):
        assert hockey_stick(rows, 50.0) > delta * (1 - 1e-9)
        return
    assert found.lower <= found.estimate <= found.upper
    assert found.upper - found.lower <= 1e-6
    assert hockey_stick(rows, found.upper) <= delta
    assert found.lower == 0 or hockey_stick(rows, found.lower) >= delta


def test_a_loss_that_floats_cannot_tell_from_another_is_found_where_its_shares_are_small() -> None:
    """Two columns of ratio 2 in floats; the one of smaller shares has the larger exact ratio."""
    tied = [[2**58, 2**56 + 1], [2**57, 2**55]]
    weights = np.array([[*row, 2**61 - sum(row)] for row in tied])
    for order in ([0, 1, 2], [1, 0, 2]):
        ordered = weights[:, order]
        loss = pure_epsilon_integer(IntegerRows(shape=(2, 3), make=lambda ids, made=ordered: made[ids]))
        assert (loss.ratio, loss.output) == (Fraction(2**56 + 1, 2**55), order.index(1))


@example(rows=made_rows(n=2, k=4, seed=861, zeros=0.0, spread=0.3), share=0.311088409962513, factor=1.0)
@given(rows=CHANNELS, share=st.floats(0.05, 0.9), factor=st.floats(0.2, 1.5))
@settings(deadline=None, max_examples=60)
def test_a_large_channel_brackets_its_epsilon(rows: np.ndarray, share: float, factor: float) -> None:
    """Where the least epsilon at a delta would take too long, what is stated holds it."""
    delta = share * hockey_stick(rows, 0.0)
    if delta < 1e-9:
        return
    exact = epsilon_at(rows, delta)
    if math.isinf(exact.upper) or exact.upper < 1e-9:
        return
    claim = Claim(epsilon=max(factor * exact.estimate, 1e-12), log_delta=math.log(delta))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_module, "_PROFILE_WORK", 0)
        found = audit_channel(rows, claim)
    assert found.epsilon.lower <= exact.upper
    assert found.epsilon.upper >= exact.lower
    loss = pure_epsilon(rows)
    holds_by_delta = found.verdict is Verdict.CERTIFIED and loss.epsilon.estimate > claim.epsilon * (1 + 1e-9)
    stated = min(loss.epsilon.upper, claim.epsilon if holds_by_delta else math.inf)
    # A claim of the least epsilon itself lies within rounding of the border: there the pure loss may stand.
    border = math.isclose(claim.epsilon, exact.estimate, rel_tol=1e-9)
    assert found.epsilon.upper == stated or (border and found.epsilon.upper == loss.epsilon.upper)
    assert 0 <= found.epsilon.lower <= found.epsilon.estimate <= found.epsilon.upper
    if found.verdict is Verdict.REFUTED:  # by this pair, so it is known to cost more than was claimed
        assert found.epsilon.estimate >= claim.epsilon * (1 - 1e-9)


def test_the_epsilon_of_a_pair_by_hand() -> None:
    row, other = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    assert pair_epsilon(row, other, 0.25) == pytest.approx(math.log(2))  # 0.75 - 2 * 0.25
    assert pair_epsilon(row, other, 0.5) == 0.0
    assert pair_epsilon(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.5) == math.inf


@given(rows=CHANNELS, seed=st.integers(0, 100))
@settings(deadline=None, max_examples=60)
def test_the_loss_per_distance_equals_enumeration(rows: np.ndarray, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(len(rows), 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    found = metric_epsilon(rows, distances)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(rows)
        worst = max(
            float(np.nan_to_num(logs[a] - logs[b], nan=0.0, posinf=np.inf, neginf=-np.inf).max()) / distances[a, b]
            for a in range(len(rows))
            for b in range(len(rows))
            if a != b
        )
    assert found.epsilon_per_distance.estimate == pytest.approx(max(worst, 0.0), rel=1e-9, abs=1e-12)


@pytest.mark.usefixtures("cut")
def test_blocks_change_nothing() -> None:
    rows = made_rows(40, 40, 3, zeros=0.0, spread=0.7)
    loss = pure_epsilon(rows)
    assert loss.epsilon.estimate == pytest.approx(worst_log_ratio(rows), rel=1e-12)
    assert rows[loss.likely, loss.output] == loss.probability == rows[:, loss.output].max()
    assert rows[loss.unlikely, loss.output] == loss.other_probability == rows[:, loss.output].min()
    found = delta_at(rows, 0.5)
    assert found.delta.estimate == pytest.approx(hockey_stick(rows, 0.5), rel=1e-12)
    first, second = rows[list(found.pair)]
    assert np.maximum(first - math.exp(0.5) * second, 0).sum() == pytest.approx(found.delta.estimate, rel=1e-12)
    distances = 0.1 + np.abs(np.arange(40)[:, None] - np.arange(40.0))
    by_function = metric_epsilon(rows, lambda start, stop: distances[start:stop])
    assert by_function.epsilon_per_distance.estimate == pytest.approx(worst_metric_loss(rows, distances), rel=1e-12)
    channel = exponential(made_vocabulary(40), epsilon=2.0)
    assert pure_epsilon(channel).ratio == worst_integer_ratio(channel._rows.weights(np.arange(40)))


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("name", MAKERS)
def test_what_is_proved_is_certified_in_exact_arithmetic(tiny: Vocabulary, name: str, epsilon: float) -> None:
    channel = MAKERS[name](tiny, epsilon=epsilon)
    finding = audit_channel(channel, Claim(epsilon=channel.guarantee.epsilon))
    assert finding.verdict is Verdict.CERTIFIED
    assert finding.delta.upper == 0.0
    assert finding.epsilon.upper <= channel.guarantee.epsilon
    assert finding.witness["input"] in tiny.words
    numerator, denominator = map(int, finding.witness["ratio"].split("/"))
    assert math.log(numerator / denominator) == pytest.approx(finding.epsilon.estimate, abs=1e-12)
    assert finding.epsilon.estimate == pytest.approx(worst_log_ratio(table(channel)), rel=1e-9)
    json.dumps(dict(finding.witness))


@pytest.mark.parametrize("name", MAKERS)
def test_a_violation_of_a_fifth_is_refuted(tiny: Vocabulary, name: str) -> None:
    channel = MAKERS[name](tiny, epsilon=2.4)
    # The exponential's own slack is measured, so that its claim is exceeded by a fifth too.
    claimed = pure_epsilon(channel).epsilon.estimate / 1.2
    finding = audit_channel(channel, Claim(epsilon=claimed))
    assert finding.verdict is Verdict.REFUTED
    assert finding.delta.lower > 0
    assert finding.witness["delta_pair"]["delta"] == pytest.approx(hockey_stick(table(channel), claimed), rel=1e-9)


def test_a_normalizer_that_depends_on_the_input_is_refuted(tiny: Vocabulary) -> None:
    weights = np.ones((len(tiny), len(tiny)))
    for word in range(len(tiny)):
        weights[word, integer_grid(tiny).neighborhoods(np.array([word]), 1 + word % 15)[0]] = math.exp(2.0)
    rows = weights / weights.sum(axis=1, keepdims=True)
    assert audit_channel(rows, Claim(epsilon=2.0), tiny).verdict is Verdict.REFUTED
    assert audit_channel(rows, Claim(epsilon=worst_log_ratio(rows)), tiny).verdict is Verdict.CERTIFIED


def test_integers_decide_where_floats_cannot() -> None:
    """Two claims that differ in the last bit, around ln(a/b)."""
    weights = two_level_weights(size=40, members=1, epsilon=1.0)
    channel = randomized_response(made_vocabulary(40), epsilon=1.0)
    exact = pure_epsilon(channel)
    assert exact.ratio == Fraction(weights.inside, weights.outside)
    assert audit_channel(channel, Claim(epsilon=exact.epsilon.upper)).verdict is Verdict.CERTIFIED
    below = math.nextafter(exact.epsilon.upper, 0)
    assert audit_channel(channel, Claim(epsilon=below)).verdict is Verdict.REFUTED


@given(seed=st.integers(0, 10**6), bits=st.sampled_from([2, 8, 55]))
@settings(deadline=None, max_examples=60)
def test_integer_channels_equal_fractions(seed: int, bits: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 2**bits, size=(5, 6)) + (2**55 if bits == 2 else 0)
    loss = pure_epsilon_integer(IntegerRows((5, 6), lambda ids: weights[ids]))
    assert loss.ratio == worst_integer_ratio(weights)


def test_the_same_shares_from_other_integers_are_ties() -> None:
    weights = np.array([[1, 2, 3], [2, 4, 6], [2**58, 2**59, 3 * 2**58], [1, 2, 4]])
    loss = pure_epsilon_integer(IntegerRows((4, 3), lambda ids: weights[ids]))
    assert loss.ratio == worst_integer_ratio(weights) == Fraction(7, 6)


def test_near_ties_that_a_float_share_cannot_order_are_compared_as_fractions() -> None:
    big = 2**60
    weights = np.array([[big, big], [big + 1, big], [big, big + 3], [big + 2, big + 5]])
    loss = pure_epsilon_integer(IntegerRows((4, 2), lambda ids: weights[ids]))
    assert loss.ratio == worst_integer_ratio(weights)


def test_an_output_that_one_input_cannot_give_is_infinite() -> None:
    rows = [[0.5, 0.3, 0.2], [0.8, 0.0, 0.2], [0.5, 0.4, 0.1]]
    finding = audit_channel(rows, Claim(epsilon=3.0, log_delta=math.log(0.5)), ["a", "b", "c"])
    assert finding.epsilon.estimate < math.inf  # at that delta
    assert finding.verdict is Verdict.CERTIFIED
    pure = audit_channel(rows, Claim(epsilon=30.0), ["a", "b", "c"])
    assert pure.verdict is Verdict.REFUTED
    assert (pure.witness["input"], pure.witness["other_input"], pure.witness["output"]) == ("c", "b", "b")
    assert pure.epsilon.estimate == math.inf
    assert pure.delta.estimate == pytest.approx(0.4)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_an_approximate_claim_is_decided_by_delta(share: float) -> None:
    rows = made_rows(12, 12, 5)
    delta = hockey_stick(rows, 1.0)
    finding = audit_channel(rows, Claim(epsilon=1.0, log_delta=math.log(share * delta)))
    assert finding.verdict is (Verdict.CERTIFIED if share > 1 else Verdict.REFUTED)
    assert (finding.epsilon.estimate <= 1.0) == (share > 1)
    epsilons, deltas = zip(*finding.profile, strict=True)
    assert list(epsilons) == sorted(epsilons)
    assert list(deltas) == sorted(deltas, reverse=True)
    assert 1.0 in epsilons


def test_inputs_are_passed_over_only_where_they_cannot_win() -> None:
    """Tall channels, in a good third of which the worst input is not among those that are tried first."""
    for seed in range(25):
        rows = made_rows(40, 6, seed)
        expected = float(np.maximum(rows[:, None] - math.exp(0.5) * rows[None], 0).sum(axis=2).max())
        assert delta_at(rows, 0.5).delta.estimate == pytest.approx(expected, rel=1e-12), seed


def test_enough_stops_early_on_both_sides() -> None:
    rows = made_rows(60, 60, 6)
    exact = delta_at(rows, 1.0).delta.estimate
    above = delta_at(rows, 1.0, enough=delta_upper_bound(rows, 1.0))
    assert not above.complete
    assert above.delta.lower <= exact <= above.delta.upper
    below = delta_at(rows, 1.0, enough=exact / 4)
    assert below.delta.lower > exact / 4


def test_named_pairs_only() -> None:
    rows = made_rows(6, 6, 9)
    found = delta_at(rows, 0.5, pairs=np.array([[0, 1], [4, 2]]))
    expected = [float(np.maximum(rows[a] - math.exp(0.5) * rows[b], 0).sum()) for a, b in ((0, 1), (4, 2))]
    assert found.delta.estimate == pytest.approx(max(expected), rel=1e-12)
    assert found.pair == ((0, 1), (4, 2))[int(np.argmax(expected))]


def test_progress_ends_at_the_whole() -> None:
    seen: list[tuple[int, int | None]] = []
    delta_at(made_rows(30, 30, 2), 0.3, progress=lambda done, whole: seen.append((done, whole)))
    assert seen[-1] == (30, 30)


@pytest.mark.parametrize("clip", [1.0, None])
def test_the_metric_form_is_within_its_promise_and_a_larger_one_is_not(tiny: Vocabulary, clip: float | None) -> None:
    channel = exponential(tiny, epsilon_per_distance=1.0, clip=clip)
    found = metric_epsilon(channel, distances_on(integer_grid(tiny), np.arange(len(tiny)), clip))
    assert found.epsilon_per_distance.upper <= channel.guarantee.epsilon_per_distance
    more = exponential(tiny, epsilon_per_distance=2.4, clip=clip)  # its own slack is below a half
    found = metric_epsilon(more, distances_on(integer_grid(tiny), np.arange(len(tiny)), clip))
    assert found.epsilon_per_distance.lower > channel.guarantee.epsilon_per_distance


def test_equal_rows_at_distance_zero_lose_nothing_and_others_everything() -> None:
    rows = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8]])
    apart = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    assert metric_epsilon(rows, apart).epsilon_per_distance.estimate == pytest.approx(math.log(2.5))
    apart[0, 2] = 0.0
    assert metric_epsilon(rows, apart).epsilon_per_distance.estimate == math.inf


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], "a sum other than 1"),
        ([[0.5, 0.5], [1.5, -0.5]], "a negative value in row 1"),
        ([[0.5, 0.5], [math.nan, 1.0]], "NaN in row 1"),
        ([[0.5, 0.5], [math.inf, -math.inf]], "a negative value in row 1"),
        ([[0.5, 0.5], [math.inf, 1.0]], "a sum other than 1"),
        ([0.5, 0.5], "shape"),
        ([[1.0]], "shape"),
        ("text", "a channel or a table"),
    ],
)
def test_what_is_no_channel_is_refused_in_one_line(rows: object, says: str) -> None:
    with pytest.raises(ParameterError, match=says) as caught:
        pure_epsilon(rows)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_other_bad_arguments_are_refused(tiny: Vocabulary) -> None:
    rows = made_rows(4, 4, 1)
    for call in (
        lambda: delta_at(rows, -1.0),
        lambda: delta_at(rows, math.nan),
        lambda: delta_at(rows, 1.0, pairs=np.array([[1, 1]])),
        lambda: delta_at(rows, 1.0, pairs=np.array([[1, 4]])),
        lambda: metric_epsilon(rows, np.ones((3, 3))),
        lambda: metric_epsilon(rows, np.full((4, 4), -1.0)),
        lambda: epsilon_at(rows, 0.0),
        lambda: audit_channel(rows, Claim(epsilon=1.0), tiny),
        lambda: pure_epsilon_integer(IntegerRows((2, 2), lambda ids: np.array([[1, -1], [1, 1]])[ids])),
        lambda: pure_epsilon_integer(IntegerRows((2, 2), lambda ids: np.array([[0, 0], [1, 1]])[ids])),
        lambda: pure_epsilon_integer(IntegerRows((2, 2), lambda ids: np.full((len(ids), 2), 2**62))),
    ):
        with pytest.raises(ParameterError):
            call()


def test_rows_of_every_kind_are_the_probabilities(tiny: Vocabulary) -> None:
    for maker in MAKERS.values():
        channel = maker(tiny, epsilon=1.5)
        source = source_of(channel)
        assert isinstance(source, IntegerRows)
        np.testing.assert_allclose(source.rows(0, len(tiny)), table(channel), rtol=1e-13)
    assert isinstance(source_of(np.eye(3)), MatrixRows)
