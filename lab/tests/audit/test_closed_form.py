"""Closed-form audits: the published truncated Laplace is refuted, what is proved passes, violations are found."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.catalog import CATALOG
from tests.helpers.golden import reference
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.guarantees import NoGuarantee
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import (
    audit_noise,
    audit_shift,
    delta_over_pairs,
    worst_pair,
)
from textveil_lab.audit.noise.profiles import as_delta, epsilon_at
from textveil_lab.audit.report.report import Claim, Verdict, claim_of
from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.truncation import published_truncation, truncated_delta
from textveil_lab.vocabulary.geometry import measured_facts

PUBLISHED = "truncated-laplace-published"
ADDITIVE = ["gaussian", "laplace", "spherical-laplace", "mahalanobis", "pte", "truncated-laplace"]


def delta_at(distribution, shift, epsilon):
    return as_delta(distribution.privacy_profile(shift).log_delta(epsilon))


def make(name, vocabulary, **options):
    return CATALOG[name].constructor()(vocabulary, **options)


@pytest.mark.parametrize("index", range(10))
def test_published_truncation_is_refuted_by_the_reference_numbers(index):
    row = reference("truncated_laplace_published")[index]
    dim = row["d"]
    published = published_truncation(dim=dim, epsilon=row["epsilon"], clip=1.0)
    distribution = TruncatedLaplace(dim=dim, scale=published.scale, bound=published.bound)
    claim = Claim(epsilon=row["epsilon"], log_delta=published.log_delta)
    spread = audit_shift(distribution, np.full(dim, 2 / math.sqrt(dim)), claim)
    single = audit_shift(distribution, [2.0] + [0.0] * (dim - 1), claim)
    assert spread.delta.lower == pytest.approx(row["true_delta_equal_spread_shift_2C"], abs=1e-9)
    assert single.delta.lower == pytest.approx(row["true_delta_one_coordinate_shift_2C"], abs=1e-9)
    assert spread.delta.upper - spread.delta.lower < 1e-9
    expected = Verdict.PROVED if dim == 1 else Verdict.REFUTED
    assert spread.verdict is single.verdict is expected
    assert spread.epsilon.lower == math.inf or dim == 1


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
def test_published_truncation_is_refuted_on_the_embedded_words(embedded, epsilon):
    finding = audit_noise(make(PUBLISHED, embedded, epsilon=epsilon))
    assert finding.verdict is Verdict.REFUTED
    assert finding.claim.log_delta == pytest.approx(-300 * math.log(4))
    assert 0.01 < finding.delta.lower <= finding.delta.upper <= 1
    first, second = finding.witness["ids"]
    assert [embedded.words[first], embedded.words[second]] == finding.witness["words"]
    positions = [position for position, _ in finding.profile]
    deltas = [delta for _, delta in finding.profile]
    assert positions == sorted(positions)
    assert epsilon in positions
    assert all(a >= b * (1 - 1e-9) for a, b in itertools.pairwise(deltas))


@pytest.mark.slow
@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("options", [{"epsilon": 0.5}, {"epsilon": 8.0, "clip": None}, {"epsilon": 3.0, "clip": 4.0}])
def test_what_the_catalog_calls_proved_passes(embedded, name, options):
    if options.get("clip") == 4.0:  # no stored fact applies: the farthest pair is searched for
        embedded = Vocabulary(embedded.words[:300], embedded.vectors[:300], "part")
    finding = audit_noise(make(name, embedded, **options))
    assert finding.verdict is Verdict.PROVED
    assert finding.epsilon.lower <= finding.epsilon.upper <= options["epsilon"] * (1 + 1e-12)
    assert finding.epsilon.lower > 0.05 * options["epsilon"]


@pytest.mark.parametrize("name", ["truncated-laplace", PUBLISHED])
def test_truncation_holds_in_one_dimension(name):
    rng = np.random.default_rng(3)
    line = Vocabulary([f"w{i}" for i in range(30)], rng.normal(size=(30, 1)).astype(np.float32), "line")
    finding = audit_noise(make(name, line, epsilon=0.4, clip=1.0))
    assert finding.verdict is Verdict.PROVED
    tight = audit_noise(make(name, line, epsilon=0.4, clip=1.0), Claim(epsilon=0.4, log_delta=-13.0))
    assert tight.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("dim", [1, 50])
def test_a_violation_of_a_fifth_in_epsilon_is_found(name, dim):
    mechanism = make(name, made_vocabulary(60, dim), epsilon=2.0)
    stated = claim_of(mechanism.guarantee)
    assert audit_noise(mechanism).verdict is Verdict.PROVED
    if name == "truncated-laplace" and dim == 50:
        found = audit_noise(mechanism).epsilon.lower  # far below the claim, which is not tight there
        violated = Claim(epsilon=found / 1.2, log_delta=stated.log_delta)
    else:
        violated = Claim(epsilon=stated.epsilon / 1.2, log_delta=stated.log_delta)
    assert audit_noise(mechanism, violated).verdict is Verdict.REFUTED


@pytest.mark.parametrize("distribution", [Gaussian(dim=2, sigma=1.0), TruncatedLaplace(dim=2, scale=1.0, bound=5.0)])
def test_verdicts_turn_at_the_exact_delta(distribution):
    shift = [0.7, -0.4]
    exact = math.log(delta_at(distribution, shift, 1.2).estimate)
    assert audit_shift(distribution, shift, Claim(epsilon=1.2, log_delta=exact - 1e-7)).verdict is Verdict.REFUTED
    assert audit_shift(distribution, shift, Claim(epsilon=1.2, log_delta=exact + 1e-7)).verdict is Verdict.PROVED


def test_a_claim_between_the_bounds_is_not_refuted():
    mechanism = make("truncated-laplace", made_vocabulary(60, 50), epsilon=2.0)
    finding = audit_noise(mechanism)
    assert finding.epsilon.estimate < 1.9
    between = Claim(epsilon=(finding.epsilon.estimate + 2.0) / 2, log_delta=finding.claim.log_delta)
    assert audit_noise(mechanism, between).verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize("name", ["truncated-laplace", PUBLISHED, "gaussian", "laplace", "spherical-laplace"])
@pytest.mark.parametrize("share", [0.4, 1.0])
def test_bounds_hold_for_every_pair_of_a_small_vocabulary(name, share):
    mechanism = make(name, made_vocabulary(7, 3), epsilon=0.6)
    epsilon = share * 0.6
    pair = worst_pair(mechanism)
    points = mechanism.points.astype(np.float64)
    everyone = [delta_at(mechanism.distribution, a - b, epsilon) for a, b in itertools.combinations(points, 2)]
    upper = math.exp(mechanism.distribution.worst_log_delta(epsilon, pair.reach, pair.widest))
    assert max(bound.lower for bound in everyone) <= upper * (1 + 1e-9)
    witness = delta_at(mechanism.distribution, pair.shift, epsilon)
    assert witness.lower <= max(bound.upper for bound in everyone)
    if name in ("gaussian", "spherical-laplace"):
        assert witness.upper == pytest.approx(max(bound.upper for bound in everyone), rel=1e-6)


def on_a_grid(distribution, shift, epsilon, reach=30.0, points=1500):
    """Delta by summing the positive part over a grid, in two dimensions."""
    axis = (np.arange(points) + 0.5) / points * 2 * reach - reach
    total = 0.0
    for x in axis:
        z = np.column_stack([np.full(points, x), axis])
        p, q = np.exp(distribution.log_density(z)), np.exp(distribution.log_density(z - shift))
        total += np.maximum(p - math.exp(epsilon) * q, 0).sum()
    return total * (2 * reach / points) ** 2


@pytest.mark.parametrize(
    "distribution",
    [
        SphericalLaplace(dim=2, rate=1.0),
        CoordinateLaplace(dim=2, scale=1.0),
        TruncatedLaplace(dim=2, scale=1.0, bound=4.0),
        Gaussian(dim=2, sigma=1.5),
    ],
    ids=lambda distribution: type(distribution).__name__,
)
def test_profiles_against_a_sum_over_the_plane(distribution):
    shift = np.array([1.4, -0.9])
    for epsilon in (0.0, 0.8):
        exact = on_a_grid(
            distribution, shift, epsilon, reach=8.0 if isinstance(distribution, TruncatedLaplace) else 22.0
        )
        bound = delta_at(distribution, shift, epsilon)
        assert bound.lower - 3e-3 <= exact <= bound.upper + 3e-3
        assert bound.upper - bound.lower <= 4e-3
        assert bound.estimate == pytest.approx(exact, abs=4e-3)


def test_spherical_profile_against_draws_in_fifty_dimensions(rng):
    """Mean of (1 - e^(epsilon - loss))+ over draws; Hoeffding at alpha 1e-6; a rate 10 % off must die."""
    distribution, count = SphericalLaplace(dim=50, rate=2.0), 60_000
    shift = np.array([2.0] + [0.0] * 49)
    z = distribution.sample(count, rng, np.float64)
    losses = distribution.log_density(z) - distribution.log_density(z - shift)
    margin = math.sqrt(math.log(2e6) / (2 * count))
    seen = -np.expm1(np.minimum(0.0, -losses)).mean()
    assert abs(seen - delta_at(distribution, shift, 0.0).estimate) < margin
    mutant = SphericalLaplace(dim=50, rate=2.2)
    assert abs(seen - delta_at(mutant, shift, 0.0).estimate) > margin


def test_spherical_in_one_dimension_is_laplace():
    shift = [1.5]
    spherical, laplace = SphericalLaplace(dim=1, rate=2.0), CoordinateLaplace(dim=1, scale=0.5)
    for epsilon in (0.0, 1.0, 2.9, 3.0, 4.0):
        bound, other = delta_at(laplace, shift, epsilon), delta_at(spherical, shift, epsilon)
        assert bound.lower <= other.estimate * (1 + 1e-12)
        assert other.estimate <= bound.upper * (1 + 1e-12)


@pytest.mark.parametrize(
    "distribution",
    [
        SphericalLaplace(dim=7, rate=2.0),
        CoordinateLaplace(dim=7, scale=0.5),
        TruncatedLaplace(dim=7, scale=0.5, bound=6.0),
        Gaussian(dim=7, sigma=0.8),
    ],
    ids=lambda distribution: type(distribution).__name__,
)
def test_epsilon_inverts_delta(distribution):
    shift = np.linspace(0.05, 0.6, 7)
    for delta in (1e-2, 1e-4):
        found = epsilon_at(distribution.privacy_profile(shift), math.log(delta))
        assert found.lower <= found.estimate <= found.upper
        assert delta_at(distribution, shift, found.upper).lower <= delta * (1 + 1e-4)
        assert delta_at(distribution, shift, 0.99 * found.lower).upper > delta


def test_valid_truncation_is_near_the_limit_in_one_dimension():
    distribution = TruncatedLaplace(dim=1, scale=laplace_scale(1.0, 2.0), bound=truncated_laplace_bound(1.0, 1e-4, 2.0))
    finding = audit_shift(distribution, [2.0], Claim(epsilon=1.0, log_delta=math.log(1e-4)))
    assert finding.verdict is Verdict.PROVED
    assert finding.delta.estimate == pytest.approx(1e-4, rel=1e-9)


def test_deltas_over_pairs_against_brute_force():
    vocabulary = made_vocabulary(25, 4)
    for name in (PUBLISHED, "gaussian"):
        mechanism = make(name, vocabulary, epsilon=0.5)
        points = mechanism.points[:20].astype(np.float64)
        gaps = [a - b for a, b in itertools.combinations(points, 2)]
        if name == "gaussian":
            deltas = [gaussian_delta(0.5, mechanism.distribution.sigma, float(np.linalg.norm(gap))) for gap in gaps]
        else:
            deltas = truncated_delta(np.array(gaps), mechanism.distribution.scale, mechanism.distribution.bound)
        summary = delta_over_pairs(mechanism, words=20, pairs=None)
        assert (summary.pairs, summary.words, summary.all_pairs) == (190, 20, True)
        assert summary.least == pytest.approx(min(deltas), rel=1e-9)
        assert summary.median == pytest.approx(np.median(deltas), rel=0.05)
        assert summary.largest == pytest.approx(max(deltas), rel=1e-9)
        sampled = delta_over_pairs(mechanism, words=20, pairs=500)
        assert sampled.median == pytest.approx(summary.median, rel=0.25)
        assert (sampled.least, sampled.largest) == pytest.approx((summary.least, summary.largest), rel=0.25)
        assert summary.least <= sampled.least <= sampled.median <= sampled.largest <= summary.largest


def test_published_deltas_over_the_frequent_words(embedded):
    seen = []
    mechanism = make(PUBLISHED, embedded, epsilon=0.1)
    summary = delta_over_pairs(mechanism, pairs=20_000, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (20_000, 20_000)
    assert 0.1 < summary.least < 0.85 < summary.median < 0.9 < summary.largest < 0.94
    assert math.log(summary.least) > mechanism.guarantee.log_delta


@pytest.mark.parametrize("clip", [None, 0.5])
def test_stored_diameters_are_taken_for_the_vocabulary_s_own_vectors_alone(clip):
    """Noise on other points, of which one lies far out and is of no stored pair."""
    bare = made_vocabulary(60, 4)
    facts = measured_facts(bare, lambda step: lambda done, total: None)
    mechanism = make("gaussian", Vocabulary(bare.words, bare.vectors, "few", facts=facts), epsilon=2.0, clip=clip)
    assert audit_noise(mechanism).verdict is Verdict.PROVED
    pair = worst_pair(mechanism)
    points = mechanism.points.copy()
    points[next(word for word in range(60) if word not in (pair.first, pair.second))] *= 9
    assert audit_noise(replace(mechanism, points=points)).verdict is Verdict.REFUTED


def test_what_cannot_be_audited_is_refused():
    vocabulary = made_vocabulary(5, 3)
    distribution = CoordinateLaplace(dim=3, scale=1.0)
    claim = Claim(epsilon=1.0)
    for shift in ([0.0, 0.0, 0.0], [1.0, 2.0], [math.nan, 0.0, 0.0]):
        with pytest.raises(ParameterError, match="shift"):
            audit_shift(distribution, shift, claim)
    with pytest.raises(ParameterError, match="epsilon"):
        delta_at(distribution, [1.0, 0.0, 0.0], -1.0)
    with pytest.raises(ParameterError, match="privacy profile"):
        audit_shift(object(), [1.0], claim)
    with pytest.raises(ParameterError, match="distribution"):
        delta_over_pairs(make("laplace", vocabulary, epsilon=1.0))
    with pytest.raises(ParameterError, match="largest finite loss"):
        delta_over_pairs(make(PUBLISHED, vocabulary, epsilon=0.5), epsilon=0.01)
    same = Vocabulary(["a", "b"], np.ones((2, 3), dtype=np.float32), "same")
    mechanism = make("gaussian", vocabulary, epsilon=1.0)
    with pytest.raises(ParameterError, match="different vectors"):
        audit_noise(replace(mechanism, vocabulary=same, points=same.vectors))
    bare = replace(mechanism, guarantee=NoGuarantee(reason="none"))
    with pytest.raises(UnsupportedGuarantee, match="promises nothing"):
        audit_noise(bare)
    assert audit_noise(bare, Claim(epsilon=1.0, log_delta=math.log(1e-5))).verdict is Verdict.PROVED
