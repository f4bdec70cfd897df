"""Randomized response, neighborhood and exponential: exact losses, distributions, determinism of rows."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import hockey_stick, table, worst_integer_ratio, worst_log_ratio, worst_metric_loss
from tests.helpers.golden import reference
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.mechanisms.kinds import Channel, Mechanism
from textveil.mechanisms.neighborhood import best_neighborhood_size, neighborhood
from textveil.mechanisms.raised_rows import NeighborRows
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import MetricDP, Status
from textveil.randomness import seeded_generator
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

ALPHA = 1e-6

MAKERS = {
    "randomized-response": randomized_response,
    "neighborhood": neighborhood,
    "neighborhood of 3": lambda vocabulary, epsilon: neighborhood(vocabulary, epsilon=epsilon, neighborhood_size=3),
    "neighborhood, flat": lambda vocabulary, epsilon: neighborhood(vocabulary, epsilon=epsilon, base_weights="flat"),
}


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 8.0, 20.0])
@pytest.mark.parametrize("name", MAKERS)
def test_the_exact_worst_loss_is_within_the_guarantee(tiny: Vocabulary, name: str, epsilon: float) -> None:
    channel = MAKERS[name](tiny, epsilon=epsilon)
    assert isinstance(channel, Channel)
    assert isinstance(channel, Mechanism)
    assert channel.guarantee.status is Status.PROVED
    rows = table(channel)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=1e-12)
    assert worst_log_ratio(rows) <= channel.guarantee.epsilon * (1 + 1e-12)
    assert channel.guarantee.epsilon <= epsilon


@needs_lab
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_integer_weights_of_the_exponential_are_within_epsilon_in_exact_arithmetic(
    tiny: Vocabulary, epsilon: float
) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    channel = exponential(tiny, epsilon=epsilon)
    weights = channel._rows.weights(np.arange(len(tiny)))
    ratio = worst_integer_ratio(weights)
    assert math.log(ratio.numerator) - math.log(ratio.denominator) <= epsilon


@pytest.mark.parametrize("name", ["randomized-response", "neighborhood of 3"])
def test_the_whole_budget_is_used(tiny: Vocabulary, name: str) -> None:
    assert worst_log_ratio(table(MAKERS[name](tiny, epsilon=2.0))) == pytest.approx(2.0, rel=1e-9)


def test_a_leaky_twin_is_caught(tiny: Vocabulary) -> None:
    """A normalizer that depends on x: neighborhoods of different sizes, each row divided by its own sum."""
    epsilon = 2.0
    rows = np.ones((len(tiny), len(tiny)))
    for word in range(len(tiny)):
        members = integer_grid(tiny).neighborhoods(np.array([word]), 1 + word % 15)[0]
        rows[word, members] = math.exp(epsilon)
    rows /= rows.sum(axis=1, keepdims=True)
    assert worst_log_ratio(rows) > epsilon * 1.1


def _plane(points: list[list[float]]) -> Vocabulary:
    return Vocabulary([f"p{i}" for i in range(len(points))], np.array(points, dtype=np.float32), "plane")


@pytest.mark.parametrize("epsilon", ["0.5", "2.0"])
def test_the_reference_channels_are_met(epsilon: str) -> None:
    tiny = reference("tiny")
    plane = _plane(tiny["points"])
    value = float(epsilon)
    ours = {
        "randomized_response": randomized_response(plane, epsilon=value),
    }
    for name, channel in ours.items():
        expected = tiny["channels"][f"{name}@{epsilon}"]
        rows = table(channel)
        np.testing.assert_allclose(rows, expected["rows"], rtol=1e-9)
        assert worst_log_ratio(rows) == pytest.approx(expected["worst_log_ratio"], rel=1e-9)
        stick = hockey_stick(rows, expected["worst_log_ratio"] / 2)
        assert stick == pytest.approx(expected["hockey_stick_at_half"], rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.5", "2.0"])
def test_the_reference_neighborhood_is_met_up_to_which_words_are_near(epsilon: str) -> None:
    """The reference takes the nearest by distance, we by cosine: rows agree as sets of probabilities."""
    tiny = reference("tiny")
    expected = tiny["channels"][f"neighborhood_response_m2@{epsilon}"]
    rows = table(neighborhood(_plane(tiny["points"]), epsilon=float(epsilon), neighborhood_size=2))
    np.testing.assert_allclose(np.sort(rows, axis=1), np.sort(expected["rows"], axis=1), rtol=1e-9)
    assert worst_log_ratio(rows) == pytest.approx(expected["worst_log_ratio"], rel=1e-9)


@needs_lab
@pytest.mark.parametrize(("per_distance", "clip"), [(0.3, None), (2.0, None), (0.3, 1.0), (3.0, 1.0), (12.0, 1.0)])
def test_the_metric_form_holds_for_every_pair(tiny: Vocabulary, per_distance: float, clip: float | None) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    channel = exponential(tiny, epsilon_per_distance=per_distance, clip=clip)
    assert isinstance(channel.guarantee, MetricDP)
    from textveil_lab.vocabulary.grid_distances import distances_on

    distances = distances_on(integer_grid(tiny), np.arange(len(tiny)), clip)
    worst = worst_metric_loss(table(channel), distances)
    assert worst <= per_distance * (1 + 1e-12)
    assert worst > 0.4 * per_distance
    assert distances.max() <= channel.guarantee.diameter
    assert channel.guarantee.pure().epsilon >= worst_log_ratio(table(channel))


@needs_lab
def test_weights_too_small_for_integers_are_refused(tiny: Vocabulary) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    with pytest.raises(ParameterError, match=r"must be at most .* keeps integer weights above"):
        exponential(tiny, epsilon_per_distance=12.0, clip=None)


@needs_lab
def test_the_metric_form_is_refused_where_two_words_share_a_vector() -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    twins = _plane([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ParameterError, match="no two words share a vector"):
        exponential(twins, epsilon_per_distance=1.0, clip=1.0)
    exponential(twins, epsilon=1.0, clip=1.0)


@needs_lab
def test_twins_have_equal_rows_up_to_the_weight_of_themselves() -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    twins = _plane([[1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [-1.0, 0.25]])
    rows = table(exponential(twins, epsilon=3.0, clip=1.0))
    np.testing.assert_allclose(rows[0], rows[1], rtol=1e-6)


@needs_lab
@pytest.mark.parametrize("given", [{}, {"epsilon": 1.0, "epsilon_per_distance": 1.0}])
def test_the_exponential_takes_one_parameter(tiny: Vocabulary, given) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    with pytest.raises(ParameterError, match="exactly one of `epsilon` or `epsilon_per_distance`"):
        exponential(tiny, **given)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", MAKERS)
def test_epsilon_has_a_domain(tiny: Vocabulary, name: str, bad: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        MAKERS[name](tiny, epsilon=bad)


@pytest.mark.parametrize(
    ("size", "wanted"), [(0, "an integer >= 1"), (41, "between 1 and the 40 words"), (-3, "an integer >= 1")]
)
def test_a_neighborhood_fits_the_vocabulary(tiny: Vocabulary, size: int, wanted: str) -> None:
    with pytest.raises(ParameterError, match=f"neighborhood_size must be {wanted}"):
        neighborhood(tiny, epsilon=1.0, neighborhood_size=size)


@pytest.mark.parametrize("name", MAKERS)
def test_draws_follow_the_table_and_a_mutant_is_noticed(tiny: Vocabulary, name: str, rng) -> None:
    channel = MAKERS[name](tiny, epsilon=2.0)
    word, draws = 11, 200_000
    counts = np.bincount(channel.privatize(np.full(draws, word), rng), minlength=len(tiny))
    distribution = channel.probabilities(word)
    assert chisquare(counts, distribution * draws).pvalue > ALPHA
    mutant = MAKERS[name](tiny, epsilon=2.4).probabilities(word)
    assert chisquare(counts, mutant * draws).pvalue < ALPHA


@pytest.mark.parametrize("name", MAKERS)
def test_every_token_has_a_draw_of_its_own(tiny: Vocabulary, name: str, rng) -> None:
    drawn = MAKERS[name](tiny, epsilon=0.1).privatize(np.zeros(400, dtype=np.int64), rng)
    assert len(np.unique(drawn)) > 30


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("ids", [[-1], [40], [0, 40, -1], np.array([-1], dtype=np.int32), [[0, 1]], [0.5]])
def test_ids_outside_are_refused_and_not_printed(tiny: Vocabulary, name: str, ids) -> None:
    with pytest.raises(ParameterError, match="ids must be") as caught:
        MAKERS[name](tiny, epsilon=1.0).privatize(np.array(ids))
    assert "40" not in str(caught.value).replace("[0, 40)", "")


@pytest.mark.parametrize("name", MAKERS)
def test_no_words_no_draws(tiny: Vocabulary, name: str) -> None:
    assert MAKERS[name](tiny, epsilon=1.0).privatize(np.array([], dtype=np.int64)).shape == (0,)


@needs_lab
def test_a_row_is_a_function_of_its_word_alone() -> None:
    """Bit for bit, whatever the batch: else one word of a text could move the distribution of another's output."""
    from textveil_lab.mechanisms.channels.exponential import exponential

    vocabulary = made_vocabulary(700, dim=300, seed=3)
    grid = integer_grid(vocabulary)
    everyone = np.arange(700)
    together_sets = np.sort(grid.neighborhoods(everyone, 9), axis=1)
    together = exponential(vocabulary, epsilon=5.0)._rows.weights(everyone)
    for batch in ([5], [5, 6, 7], [699, 5, 0, 3, 2, 1], list(range(5, 400, 3))):
        rows = np.array(batch)
        np.testing.assert_array_equal(np.sort(grid.neighborhoods(rows, 9), axis=1), together_sets[rows])
        np.testing.assert_array_equal(exponential(vocabulary, epsilon=5.0)._rows.weights(rows), together[rows])


@needs_lab
@pytest.mark.parametrize(("words", "clip"), [(300, 1.0), (300, None), (64, 1.0), (129, None), (40, 1.0)])
def test_a_draw_of_the_exponential_is_where_the_running_sum_passes_the_integer(words: int, clip) -> None:
    """The rule that draws had when whole rows were kept: the bytes under a seed are the same."""
    from textveil_lab.mechanisms.channels.exponential import exponential

    vocabulary = made_vocabulary(words, dim=30, seed=4)
    made = exponential(vocabulary, epsilon=12.0, clip=clip)
    ids = np.random.default_rng(7).integers(0, words, 20_000)
    sums = np.cumsum(made._rows.weights(np.arange(words)), axis=1)
    expected, rng = np.empty_like(ids), seeded_generator(5)
    for word in range(words):
        places = np.flatnonzero(ids == word)
        uniform = rng.integers(0, sums[word, -1], size=len(places), dtype=np.int64)
        expected[places] = np.searchsorted(sums[word], uniform, side="right")
    np.testing.assert_array_equal(made.privatize(ids, seeded_generator(5)), expected)


@needs_lab
def test_every_integer_of_a_row_is_looked_up_in_its_span() -> None:
    """Edges of spans included: the first and the last integer of every word."""
    from textveil_lab.mechanisms.channels.exponential import exponential
    from textveil_lab.mechanisms.sampling.distance_weights import SPAN

    made = exponential(made_vocabulary(150, dim=5, seed=4), epsilon=3.0)
    sums = np.cumsum(made._rows.weights(np.array([11]))[0])
    spans = np.repeat(np.arange(150) // SPAN, 2)
    before = np.append(0, sums[SPAN - 1 :: SPAN])[spans]
    uniform = np.stack([np.append(0, sums[:-1]), sums - 1], axis=1).reshape(-1)
    found = made._rows._within(np.full(300, 11), spans, uniform - before)
    np.testing.assert_array_equal(found, np.repeat(np.arange(150), 2))


def test_dropping_rows_for_want_of_room_changes_nothing(rng) -> None:
    vocabulary = made_vocabulary(900)
    roomy, narrow = NeighborRows(vocabulary, 20), NeighborRows(vocabulary, 20, budget=1)
    assert narrow._rows.capacity < 900
    ids = rng.integers(0, 900, 5000)
    indices = rng.integers(0, 20, 5000)
    for _ in range(2):
        np.testing.assert_array_equal(roomy.members(ids, indices), narrow.members(ids, indices))
    few = ids[:50]
    np.testing.assert_array_equal(roomy.members(few, indices[:50]), narrow.members(few, indices[:50]))
    np.testing.assert_array_equal(roomy.members(ids, indices), narrow.members(ids, indices))


def test_the_size_of_the_neighborhood_maximizes_the_mean_cosine(tiny: Vocabulary) -> None:
    """Against brute force over every size, on all words."""
    units = tiny.vectors / np.linalg.norm(tiny.vectors, axis=1, keepdims=True)
    sorted_cosines = -np.sort(-(units @ units.T), axis=1)
    sums = sorted_cosines.cumsum(axis=1).mean(axis=0).astype(np.float64)
    sizes = np.arange(1, 41)
    for epsilon in (0.5, 2.0, 3.0, 6.0):
        gain = math.expm1(epsilon)
        means = (sums[-1] + gain * sums) / (sizes * (gain + 1) + 40 - sizes)
        chosen = best_neighborhood_size(tiny, epsilon)
        assert means[chosen - 1] == pytest.approx(means.max(), rel=1e-5)


@needs_lab
@pytest.mark.parametrize("epsilon", [2.0, 5.0, 8.0, 10.0])
def test_on_real_vectors_outputs_are_near_and_within_the_limit(embedded: Vocabulary, epsilon: float) -> None:
    """Section 3 of the theory: most outputs at epsilon 8 lie among the 100 nearest words."""
    from textveil_lab.numerics.guarantee_limits import unchanged_limit

    channel = neighborhood(embedded, epsilon=epsilon, base_weights="flat")
    weights = channel.weights
    unchanged = weights.inside / weights.total
    assert unchanged <= unchanged_limit(len(embedded), epsilon, 0.0) * (1 + 1e-12)
    inside = weights.probability_inside * min(1.0, 100 / weights.members)
    if epsilon >= 8:
        assert inside > 0.8


def test_threads_share_rows_and_every_kept_row_is_right() -> None:
    """Without its lock the cache gives one word's row to another."""
    vocabulary = made_vocabulary(1500, dim=40, seed=11)
    made = MAKERS["neighborhood, flat"](vocabulary, epsilon=3.0)
    seeds = np.random.default_rng(2).integers(0, 1500, size=(24, 150))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(made.privatize, seeds))
    rows, cache = made.rows, made.rows._rows
    seen = cache.kept
    assert len(seen) > 1000
    with cache.rows(seen, rows._make) as slots:
        kept = cache.table[slots]
    np.testing.assert_array_equal(kept, integer_grid(vocabulary).neighborhoods(seen, rows.size))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_pickled_mechanism_draws_and_carries_no_rows(tiny: Vocabulary, kind: str) -> None:
    made = MAKERS[kind](tiny, epsilon=3.0)
    made.privatize(np.arange(40))
    copy = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(copy.probabilities(3), made.probabilities(3))
    again = pickle.loads(pickle.dumps(made))
    rows = getattr(again, "_rows", None)
    assert rows is None or len(getattr(rows, "kept", getattr(getattr(rows, "_rows", None), "kept", ()))) == 0


@needs_lab
@pytest.mark.parametrize("epsilon", [200.0, 5e6, 1e300])
def test_a_huge_epsilon_keeps_every_weight_positive_and_states_less(tiny: Vocabulary, epsilon: float) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    made = exponential(tiny, epsilon=epsilon)
    weights = made._rows.weights(np.arange(40))
    assert weights.min() >= 1
    ratio = worst_integer_ratio(weights)
    assert math.log(ratio.numerator) - math.log(ratio.denominator) <= made.guarantee.epsilon <= epsilon


@needs_lab
def test_the_metric_form_pays_for_the_rounding_to_the_grid() -> None:
    """Close words whose difference the grid widens: the loss stays within the promise on the true distance."""
    from textveil_lab.mechanisms.channels.exponential import exponential

    dim, unit = 300, 2.0**-19
    points = np.zeros((3, dim))
    points[:, 0] = (1.0, 1.0, -1.0)
    points[0, 1:], points[1, 1:] = 0.4 * unit, 0.6 * unit
    close = _plane(points.tolist())
    with pytest.raises(ParameterError, match=r"no two words share a vector|rounding takes"):
        exponential(close, epsilon_per_distance=10.0, clip=None)
    points[1, 1:] = 40.6 * unit
    near = _plane(points.tolist())
    made = exponential(near, epsilon_per_distance=10.0, clip=None)
    rows = table(made)
    exact = np.linalg.norm(near.vectors[:, None].astype(float) - near.vectors[None].astype(float), axis=2)
    assert worst_metric_loss(rows, exact) <= 10.0


@needs_lab
def test_one_point_for_all_words_is_refused() -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    with pytest.raises(ParameterError, match="two different vectors"):
        exponential(_plane([[1.0, 0.0], [1.0, 0.0]]), epsilon=1.0)


@needs_lab
@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_the_pure_exponential_has_the_distribution_of_its_rate(tiny: Vocabulary, epsilon: float) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    made = exponential(tiny, epsilon=epsilon)
    from textveil_lab.vocabulary.grid_distances import distances_on

    distances = distances_on(integer_grid(tiny), np.arange(40), 1.0)
    rate = made.parameters["epsilon_per_distance"] / 2
    assert 1.5 < rate * 2 * distances.max() / epsilon < 2
    distribution = np.exp(-rate * distances)
    np.testing.assert_allclose(table(made), distribution / distribution.sum(axis=1, keepdims=True), rtol=1e-5)


@needs_lab
def test_the_metric_form_leaves_room_for_rounding(tiny: Vocabulary) -> None:
    from textveil_lab.mechanisms.channels.exponential import exponential

    made = exponential(tiny, epsilon_per_distance=3.0)
    assert 3.0 * (1 - 1e-4) < made.parameters["epsilon_per_distance"] < 3.0
