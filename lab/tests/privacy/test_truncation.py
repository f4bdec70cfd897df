"""The delta that truncation really costs: the valid form holds in every dimension, the published one fails.

``pytest tests/privacy/test_truncation.py -k published`` recomputes the table of
``textveil_lab/proofs/truncated_laplace_published.md``.
"""

import importlib.resources
import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers.golden import reference

from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.truncation import (
    PublishedTruncation,
    equal_spread_delta,
    one_coordinate_delta,
    outer_strip_mass,
    published_truncation,
    truncated_delta,
)

ROWS = range(10)
DIMENSIONS = [1, 2, 50, 300]


def published_row(index):
    row = reference("truncated_laplace_published")[index]
    return row, published_truncation(dim=row["d"], epsilon=row["epsilon"], clip=row["clip"])


@pytest.mark.parametrize("index", ROWS)
def test_published_parameters_meet_the_reference(index):
    row, published = published_row(index)
    assert published.alpha == pytest.approx(row["alpha"], rel=1e-9)
    assert published.scale == pytest.approx(1 / row["alpha"], rel=1e-9)
    assert published.bound == pytest.approx(row["bound"], rel=1e-9)
    assert published.normalizer == pytest.approx(row["normaliser"], rel=1e-9)
    distribution = TruncatedLaplace(dim=published.dim, scale=published.scale, bound=published.bound)
    assert distribution.variance == pytest.approx(row["variance_per_coordinate"], rel=1e-9)
    peak = TruncatedLaplace(dim=1, scale=published.scale, bound=published.bound).log_density([[0.0]])[0]
    assert math.exp(-peak) == pytest.approx(published.normalizer, rel=1e-12)


@pytest.mark.parametrize("index", ROWS)
def test_published_delta_is_far_from_the_exact_one(index):
    row, published = published_row(index)
    distribution = (published.scale, published.bound)
    spread = equal_spread_delta(2.0, row["d"], *distribution)
    single = one_coordinate_delta(2.0, *distribution)
    assert spread == pytest.approx(row["true_delta_equal_spread_shift_2C"], rel=1e-9)
    assert single == pytest.approx(row["true_delta_one_coordinate_shift_2C"], rel=1e-9)
    if row["d"] == 1:
        assert math.log(spread) <= published.log_delta  # the theorem is right in one dimension
    else:
        assert math.log(single) > published.log_delta
        assert math.log(spread) > published.log_delta


def printed(text):
    """A number of the proof's table, with half a unit of its last printed digit; "4^-k" has no float."""
    digits = text.partition("e")[0]
    exponent = int(text.partition("e")[2] or 0)
    decimals = len(digits.partition(".")[2])
    return pytest.approx(float(text), abs=0.5001 * 10.0 ** (exponent - decimals), rel=0)


def test_published_table_of_the_proof_file():
    proof = importlib.resources.files("textveil_lab") / "proofs/truncated_laplace_published.md"
    table = [line for line in proof.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    assert len(table) == 10
    for line in table:
        dim, epsilon, bound, claimed, spread, single = line.strip("| ").split(" | ")
        published = published_truncation(dim=int(dim), epsilon=float(epsilon), clip=1.0)
        distribution = (published.scale, published.bound)
        assert published.bound == printed(bound)
        assert claimed == f"4^-{dim}" or math.exp(published.log_delta) == printed(claimed)
        assert equal_spread_delta(2.0, int(dim), *distribution) == printed(spread)
        assert one_coordinate_delta(2.0, *distribution) == printed(single)


@pytest.mark.parametrize(
    ("epsilon", "noise_dim", "norm", "expected"),
    [(10, 500, 2.0, "0.37089"), (20, 1700, 2.0, "0.12291"), (0.1, 300, 0.01, "0.021")],
)
def test_published_numbers_beside_the_table(epsilon, noise_dim, norm, expected):
    """Real differences lie in the 300 coordinates that vectors have, whatever the dummy dimensions."""
    published = published_truncation(dim=300, epsilon=epsilon, clip=1.0, noise_dim=noise_dim)
    assert equal_spread_delta(norm, 300, published.scale, published.bound) == printed(expected)


@pytest.mark.parametrize("dim", [2, 50, 300])
def test_published_delta_is_exceeded_in_simulation(dim, rng):
    """Two opposite vectors of norm C: draws of one land outside the support of the other."""
    epsilon = 0.1
    published = published_truncation(dim=dim, epsilon=epsilon, clip=1.0)
    distribution = TruncatedLaplace(dim=dim, scale=published.scale, bound=published.bound)
    shift = np.full(dim, 2 / math.sqrt(dim))
    draws = distribution.sample(20_000, rng, np.float64)
    outside = np.count_nonzero((np.abs(draws + shift) > published.bound).any(axis=1))
    exact = equal_spread_delta(2.0, dim, published.scale, published.bound)
    # Five standard deviations: the level is 6e-7.
    assert abs(outside / 20_000 - exact) < 5 * math.sqrt(exact * (1 - exact) / 20_000)
    assert exact > 3 * math.exp(published.log_delta)


def test_published_delta_may_be_chosen_and_is_kept_as_a_logarithm():
    default = published_truncation(dim=1700, epsilon=20, clip=1.0)
    assert default.log_delta == pytest.approx(-1700 * math.log(4))
    assert 4.0**-1700 == 0.0
    chosen = published_truncation(dim=300, epsilon=5, clip=2.0, log_delta=math.log(1 / 1200))
    assert chosen.normalizer == pytest.approx(4.0 * 1200 ** (1 / 300))
    assert published_truncation(dim=300, epsilon=0.1, clip=1.0, log_delta=math.log(1 / 1200)).bound == (
        pytest.approx(1.0254, abs=1e-4)  # a common misreading of 4^-d as 1/(4d)
    )


def test_published_form_asks_for_dummy_dimensions_where_epsilon_is_too_large():
    for epsilon, least in [(10, 401), (20, 1601), (8.5, 300), (8.7, 303)]:
        published = published_truncation(dim=300, epsilon=epsilon, clip=1.0, dummy_dimensions=True)
        assert (published.dim, published.noise_dim) == (300, least)
        assert 0 < published.bound < math.inf
    assert published_truncation(dim=300, epsilon=10, clip=1.0, noise_dim=500).bound == pytest.approx(
        reference("truncated_laplace_published")[8]["bound"], rel=1e-9
    )
    with pytest.raises(ParameterError, match="dummy_dimensions=True or noise_dim=401"):
        published_truncation(dim=300, epsilon=10, clip=1.0)
    with pytest.raises(ParameterError, match="noise_dim=401"):
        published_truncation(dim=300, epsilon=10, clip=1.0, noise_dim=400, dummy_dimensions=True)


@settings(deadline=None, max_examples=60)
@given(
    dim=st.integers(1, 2000),
    epsilon=st.floats(1e-3, 100),
    log_delta=st.none() | st.floats(-5000, -1e-3),
)
def test_published_dummy_dimensions_are_the_least_that_suffice(dim, epsilon, log_delta):
    def limit(k):
        return 2 * math.exp(-math.log(4) if log_delta is None else log_delta / k) * math.sqrt(k)

    published = published_truncation(dim=dim, epsilon=epsilon, clip=1.0, log_delta=log_delta, dummy_dimensions=True)
    k = published.noise_dim
    assert epsilon < limit(k) * (1 + 1e-12)
    assert k == dim or epsilon >= limit(k - 1) * (1 - 1e-12)


def test_published_dummy_dimensions_do_not_change_the_nearest_word():
    rng = seeded_generator(4)
    words, noisy, padding = rng.normal(size=(40, 5)), rng.normal(size=(200, 5)), rng.normal(size=(200, 9))
    padded = np.hstack([words, np.zeros((40, 9))])
    near = ((noisy[:, None] - words) ** 2).sum(axis=2).argmin(axis=1)
    near_padded = ((np.hstack([noisy, padding])[:, None] - padded) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(near, near_padded)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"dim": 0}, "dim"),
        ({"dim": 2.5}, "dim"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"clip": 0.0}, "clip"),
        ({"clip": math.inf}, "clip"),
        ({"log_delta": 0.0}, "log_delta"),
        ({"log_delta": -math.inf}, "log_delta"),
        ({"log_delta": math.nan}, "log_delta"),
        ({"noise_dim": 2}, "noise_dim"),
        ({"noise_dim": 4.0}, "noise_dim"),
    ],
)
def test_published_parameters_outside_their_domain_are_refused(change, name):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        published_truncation(**({"dim": 3, "epsilon": 0.5, "clip": 1.0} | change))


def test_published_parameters_are_valid_once_built():
    with pytest.raises(ParameterError, match="epsilon must be <"):
        PublishedTruncation(dim=3, noise_dim=3, epsilon=5.0, clip=1.0, log_delta=-3 * math.log(4))
    with pytest.raises(ParameterError, match="noise_dim"):
        PublishedTruncation(dim=3, noise_dim=2, epsilon=0.1, clip=1.0, log_delta=-3.0)


def random_shifts(dim, l1_norm, count, seed):
    """Shifts of the given L1 norm: spread, sparse and heavy-tailed ones, and the two extremes."""
    rng = seeded_generator(seed)
    sizes = rng.standard_exponential((count, dim)) ** rng.choice([0.2, 1.0, 3.0, 10.0], size=(count, 1))
    sizes[: count // 4] *= rng.random((count // 4, dim)) < 2 / dim
    sizes[:, 0] += 1e-300
    sizes[0], sizes[1] = 1.0, np.eye(dim)[0]
    signs = rng.choice([-1.0, 1.0], size=sizes.shape)
    return signs * sizes * (l1_norm / sizes.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("dim", DIMENSIONS)
@settings(deadline=None, max_examples=25)
@given(
    epsilon=st.floats(-4, 3).map(lambda power: 10.0**power),
    delta=st.floats(-300, -1e-3).map(lambda power: 10.0**power) | st.floats(1e-6, 0.999),
    sensitivity=st.floats(1e-3, 1e3),
    share=st.floats(0.01, 1) | st.just(1.0),
    seed=st.integers(0, 10**6),
)
@example(epsilon=1.0, delta=1e-5, sensitivity=2.0, share=1.0, seed=0)
@example(epsilon=1e-4, delta=0.999, sensitivity=2.0, share=1.0, seed=0)
def test_the_valid_form_keeps_delta_for_every_shift(dim, epsilon, delta, sensitivity, share, seed):
    scale = laplace_scale(epsilon, sensitivity)
    bound = truncated_laplace_bound(epsilon, delta, sensitivity)
    shifts = random_shifts(dim, share * sensitivity * (1 - 1e-15), 200, seed)
    assert truncated_delta(shifts, scale, bound).max() <= delta


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 10.0, 1000.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-5, 0.5])
def test_the_valid_form_is_tight_in_one_dimension(epsilon, delta):
    distribution = (laplace_scale(epsilon, 2.0), truncated_laplace_bound(epsilon, delta, 2.0))
    exact = float(truncated_delta([2.0], *distribution))
    assert delta * (1 - 1e-8) <= exact <= delta
    assert one_coordinate_delta(2.0, *distribution) == pytest.approx(exact, rel=1e-13)


def test_the_published_bound_breaks_the_valid_forms_property():
    """The mutant of the property test: the same check, fed the published bound, must fail."""
    published = published_truncation(dim=300, epsilon=1.0, clip=1.0)
    shifts = random_shifts(300, 2.0, 200, 0)
    assert truncated_delta(shifts, published.scale, published.bound).max() > math.exp(published.log_delta)


def exact_strip(width, scale, bound):
    with mpmath.workdps(120):
        w, s, b = (mpmath.mpf(float(v)) for v in (width, scale, bound))
        whole = -2 * mpmath.expm1(-b / s)
        if w <= b:
            return (mpmath.exp(-(b - w) / s) - mpmath.exp(-b / s)) / whole
        return 1 - (mpmath.exp(-(w - b) / s) - mpmath.exp(-b / s)) / whole


lengths = st.floats(-12, 12).map(lambda power: 10.0**power)


@settings(deadline=None, max_examples=200)
@given(scale=lengths, bound=lengths, share=st.floats(1e-9, 2))
def test_the_outer_strip_matches_multiple_precision_at_any_ratio(scale, bound, share):
    width = min(share * bound, 2 * bound)
    exact = exact_strip(width, scale, bound)
    distribution = TruncatedLaplace(dim=1, scale=scale, bound=bound)
    # Rounding of the width alone moves exp((w - b) / s) by bound / scale units in the last place.
    tolerance = 1e-13 + 1e-15 * bound / scale
    if exact > 1e-290:
        assert float(outer_strip_mass(width, scale, bound)) == pytest.approx(float(exact), rel=tolerance)
        assert float(truncated_delta([width], scale, bound)) == pytest.approx(float(exact), rel=tolerance)
        assert float(distribution.cdf(width - bound)) == pytest.approx(float(exact), rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("scale", [1e-250, 1.0, 1e300])
def test_a_support_far_narrower_than_the_scale_is_uniform_also_where_their_ratio_underflows(scale):
    """Without the branch of its own the mass would be 0 / 0, or have few digits."""
    shares = np.array([0.0, 0.125, 0.5, 1.0, 1.5, 2.0])
    np.testing.assert_array_equal(outer_strip_mass(shares * 1e-300, scale, 1e-300), shares / 2)


def test_truncated_delta_multiplies_coordinates_and_broadcasts():
    with mpmath.workdps(60):
        shift = [0.3, -1.7, 2.9, 0.0]
        product = mpmath.fprod(1 - exact_strip(abs(v), 0.8, 2.0) for v in shift)
        expected = float(1 - product)
    batch = np.array([[shift, np.zeros(4)], [np.negative(shift), [0, 0, 4.0, 0]]])
    deltas = truncated_delta(batch, 0.8, 2.0)
    assert deltas.shape == (2, 2)
    np.testing.assert_allclose(deltas, [[expected, 0], [expected, 1]], rtol=1e-14)
    assert truncated_delta([1e9, 0], 0.8, 2.0) == 1.0
    assert equal_spread_delta(1.0, 4, 0.8, 2.0) == pytest.approx(float(truncated_delta([0.5] * 4, 0.8, 2.0)))


def test_truncated_delta_keeps_tiny_masses():
    tiny = truncated_delta(np.full(300, 1e-30), 1.0, 20.0)
    assert float(tiny) == pytest.approx(300 * 1e-30 / (2 * math.expm1(20)), rel=1e-12)
    assert equal_spread_delta(2.0, 300, 1.0, 600.0) == pytest.approx(
        300 * math.expm1(2 / math.sqrt(300)) / 2 * math.exp(-600), rel=1e-12
    )


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_distribution_outside_its_domain_is_refused(value):
    with pytest.raises(ParameterError, match="scale must be"):
        truncated_delta([1.0], value, 1.0)
    with pytest.raises(ParameterError, match="bound must be"):
        truncated_delta([1.0], 1.0, value)
    with pytest.raises(ParameterError, match="width must be"):
        outer_strip_mass([0.5, -0.5], 1.0, 1.0)
    with pytest.raises(ParameterError, match="width must be"):
        truncated_delta([math.nan], 1.0, 1.0)
    with pytest.raises(ParameterError, match="dim must be"):
        equal_spread_delta(1.0, 0, 1.0, 1.0)


@pytest.mark.parametrize("epsilon", [1.1e150, 1e308, math.inf, math.nan, 0.0])
def test_the_published_form_refuses_an_epsilon_that_it_cannot_count_dimensions_for(epsilon):
    with pytest.raises(ParameterError, match="epsilon must be > 0 and at most 1e\\+150"):
        published_truncation(dim=300, epsilon=epsilon, clip=1.0, dummy_dimensions=True)
    assert published_truncation(dim=300, epsilon=1e150, clip=1.0, dummy_dimensions=True).noise_dim > 1e300
