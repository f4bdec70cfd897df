"""Sampled audits: never accuse an exact mechanism above alpha, find a planted 20 %, state their power."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom
from tests.helpers.catalog import CATALOG, taking

from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import Status
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.bounds import (
    POWER,
    Interrupted,
    audit_sampled,
    audit_sampled_metric,
    detectable_epsilon,
    minimum_samples,
)
from textveil_lab.audit.sampled.draws import (
    audit_mechanism_sampled,
    audit_noise_sampled,
    callable_draw,
    candidate_pairs,
    mechanism_draw,
)
from textveil_lab.noise.calibration import truncated_laplace_bound
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

SEEDS = 200
CONFIDENCE = 0.999
ALLOWED = int(binom.isf(1e-6, SEEDS, 1 - CONFIDENCE))
"""More accusations than this in 200 runs at 99.9 % have probability below 1e-6."""

SURE = 1 - 1e-6
"""Of one run that must not accuse what is sound."""

EPSILON, DELTA = 1.0, 1e-3
PLANTED = 1.2 * EPSILON
FIND = 24_000
"""Samples a word at which a planted 20 % at epsilon 1 is found in at least 19 of 20 runs; see the tests."""


def shift(dim: int) -> np.ndarray:
    """All of an L1 difference of 1 in one coordinate: the pair at which Laplace noise loses epsilon at once."""
    return np.eye(1, dim)[0]


def laplace(dim: int, epsilon: float) -> CoordinateLaplace:
    return CoordinateLaplace(dim=dim, scale=1 / epsilon)


def truncated(dim: int, epsilon: float) -> TruncatedLaplace:
    bound = truncated_laplace_bound(epsilon, DELTA, 1.0)
    return TruncatedLaplace(dim=dim, scale=1 / epsilon, bound=bound)


PURE, APPROXIMATE = Claim(epsilon=EPSILON), Claim(epsilon=EPSILON, log_delta=math.log(DELTA))
NOISES = {
    "Laplace, 1 dimension": (laplace, 1, PURE),
    "Laplace, 50 dimensions": (laplace, 50, PURE),
    "valid truncated Laplace, 1 dimension": (truncated, 1, APPROXIMATE),
}


def run_channel(tiny, epsilon: float, claim: Claim, samples: int, rng):
    made = randomized_response(tiny, epsilon=epsilon)
    return audit_sampled(
        mechanism_draw(made, rng), [(3, 1)], claim, samples=samples, confidence=CONFIDENCE, name=lambda i: int(i)
    )


@pytest.fixture
def few():
    from tests.helpers.vocabularies import made_vocabulary

    return made_vocabulary(4)


def test_an_exact_channel_is_not_accused_above_alpha(few, rng) -> None:
    found = [run_channel(few, EPSILON, PURE, 3000, rng) for _ in range(SEEDS)]
    assert sum(one.verdict is Verdict.REFUTED for one in found) <= ALLOWED
    assert {one.verdict for one in found} <= {Verdict.REFUTED, Verdict.NOT_REFUTED}


@pytest.mark.parametrize("case", NOISES)
def test_exact_noise_is_not_accused_above_alpha(case, rng) -> None:
    make, dim, claim = NOISES[case]
    distribution = make(dim, EPSILON)
    runs = [
        audit_noise_sampled(distribution, shift(dim), claim, samples=1500, confidence=CONFIDENCE, rng=rng)
        for _ in range(SEEDS)
    ]
    assert sum(one.verdict is Verdict.REFUTED for one in runs) <= ALLOWED


def test_an_exact_claim_with_delta_is_not_accused_above_alpha(few, rng) -> None:
    # With probability 0.2 the word itself, else randomized response: (1, 0.2) exactly, and 1.42 without the delta.
    made, claim = randomized_response(few, epsilon=EPSILON), Claim(epsilon=EPSILON, log_delta=math.log(0.2))

    def draw(word, count):
        return np.where(rng.random(count) < 0.2, word, mechanism_draw(made, rng)(word, count))

    found = [audit_sampled(draw, [(0, 1)], claim, samples=3000, confidence=CONFIDENCE) for _ in range(SEEDS)]
    assert sum(one.verdict is Verdict.REFUTED for one in found) <= ALLOWED
    assert sum(one.delta.lower > 0.2 for one in found) <= ALLOWED
    assert audit_sampled(draw, [(0, 1)], PURE, samples=6000).verdict is Verdict.REFUTED


PROVED = [name for name in taking(1.0) if CATALOG[name].words_alone and CATALOG[name].status is Status.PROVED]


@pytest.mark.parametrize("name", PROVED)
def test_what_the_catalog_calls_proved_is_not_refuted(name, tiny, rng) -> None:
    found = audit_mechanism_sampled(mechanism(name, tiny, epsilon=1.0), samples=2000, confidence=SURE, rng=rng)
    assert found.verdict is Verdict.NOT_REFUTED
    assert 0 <= found.epsilon.lower <= found.epsilon.estimate


def test_testing_on_the_half_that_chose_would_accuse(few, rng) -> None:
    # The mutant: point estimates in place of limits; half of the exact runs exceed the claim.
    estimates = [run_channel(few, EPSILON, PURE, 3000, rng).epsilon.estimate for _ in range(40)]
    assert sum(one > EPSILON for one in estimates) > ALLOWED


def test_choosing_and_testing_on_the_same_draws_would_accuse(rng) -> None:
    # 2,000 outputs, no loss at all: events picked from the very counts that test them look like a huge loss.
    def reused(_word, count):
        half = rng.integers(0, 2000, count // 2)
        return np.concatenate([half, half])

    def fresh(_word, count):
        return rng.integers(0, 2000, count)

    claim = Claim(epsilon=0.1)
    run = {"samples": 4000, "confidence": SURE}
    assert audit_sampled(reused, [(0, 1)], claim, **run).verdict is Verdict.REFUTED
    assert audit_sampled(fresh, [(0, 1)], claim, **run).verdict is Verdict.NOT_REFUTED


def test_a_planted_fifth_is_found_in_a_channel(few, rng) -> None:
    found = [run_channel(few, PLANTED, PURE, FIND, rng) for _ in range(20)]
    assert sum(one.verdict is Verdict.REFUTED for one in found) >= 19
    assert sum(one.epsilon.lower > PLANTED for one in found) <= int(binom.isf(1e-6, 20, 1 - CONFIDENCE))
    refuted = next(one for one in found if one.verdict is Verdict.REFUTED)
    assert refuted.witness["pair"] in ([3, 1], [1, 3])
    assert refuted.witness["event"]["outputs"] == [refuted.witness["pair"][0]]
    assert refuted.samples == 2 * FIND
    assert refuted.delta.lower > 0
    assert refuted.epsilon.upper == math.inf


@pytest.mark.parametrize("case", NOISES)
def test_a_planted_fifth_is_found_in_noise(case, rng) -> None:
    make, dim, claim = NOISES[case]
    distribution = make(dim, PLANTED)
    runs = [
        audit_noise_sampled(distribution, shift(dim), claim, samples=FIND, confidence=CONFIDENCE, rng=rng)
        for _ in range(20)
    ]
    assert sum(one.verdict is Verdict.REFUTED for one in runs) >= 19


def test_the_published_truncated_laplace_is_refuted_by_a_thousand_draws(rng) -> None:
    # 50 dimensions, equal spread, the paper's calibration (mechanisms.md 1.1) at delta = 4^-50.
    dim, epsilon = 50, 1.0
    l1 = 2 * math.sqrt(dim)
    bound = -(l1 / epsilon) * math.log(1 - epsilon / (2 * 0.25 * math.sqrt(dim)))
    distribution = TruncatedLaplace(dim=dim, scale=l1 / epsilon, bound=bound)
    claim = Claim(epsilon=epsilon, log_delta=-dim * math.log(4))
    moved = np.full(dim, 2 / math.sqrt(dim))
    assert audit_noise_sampled(distribution, moved, claim, samples=2000, rng=rng).verdict is Verdict.REFUTED
    # Which event the first half of the draws picks is chance, and no alpha is stated for it: always the same draws.
    found = audit_noise_sampled(distribution, moved, claim, samples=2000, rng=np.random.default_rng(20240611))
    assert json.loads(json.dumps(found.witness, allow_nan=False))["event"] == {"log_likelihood_ratio_at_least": "inf"}
    strip = float(distribution.cdf(-bound + 2 / math.sqrt(dim)))
    exact = 1 - (1 - strip) ** dim
    assert found.delta.lower <= exact
    assert found.delta.lower > exact - 0.2
    assert found.epsilon.lower > 3  # no draw of the second word lies beyond its support: q is 0 of 1,000


def test_a_mechanism_brings_its_claim_its_pairs_and_its_words(few, rng) -> None:
    found = audit_mechanism_sampled(randomized_response(few, epsilon=1.0), samples=4000, confidence=SURE, rng=rng)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.method == "sampled"
    assert set(found.witness["pair"]) <= set(few.words)
    assert found.samples == 4 * 2 * 4000
    assert "Power:" in found.notes[-1]


def test_the_note_on_power_tells_texts_from_each_other(rng) -> None:
    found = audit_sampled(
        lambda center, count: rng.integers(0, 20, count), [("", "a cat")], Claim(epsilon=1.0), samples=4000
    )
    assert found.notes[-1].startswith(("Power: on the pair '' and 'a cat',", "Power: on the pair 'a cat' and '',"))


def test_a_callable_is_audited_in_words(rng) -> None:
    def leaky(words):
        return [word if rng.random() < 0.9 else "b" for word in words]

    found = audit_sampled(callable_draw(leaky), [("a", "c")], Claim(epsilon=1.0), samples=400)
    assert found.verdict is Verdict.REFUTED
    assert found.witness["event"]["outputs"][0] in ("a", "c")


def test_a_metric_claim_scales_with_the_distance(few, rng) -> None:
    draw = mechanism_draw(randomized_response(few, epsilon=1.2), rng)
    run = {"samples": 20_000, "name": int}
    assert audit_sampled_metric(draw, [(0, 1), (1, 2)], [2.0, 0.8], 1.0, **run).verdict is Verdict.REFUTED
    held = audit_sampled_metric(draw, [(0, 1), (1, 2)], [2.0, 1.5], 1.0, **run)
    assert held.verdict is Verdict.NOT_REFUTED
    assert held.samples == 80_000
    assert held.epsilon.confidence == 0.999


@settings(deadline=None, max_examples=60)
@given(
    q=st.floats(0.001, 0.6), trials=st.integers(200, 20_000), epsilon=st.floats(0, 2), delta=st.sampled_from([0, 0.01])
)
def test_the_stated_power_is_had(q, trials, epsilon, delta) -> None:
    claim = Claim(epsilon=epsilon, log_delta=math.log(delta) if delta else -math.inf)
    tail = 1e-4
    excess = detectable_epsilon(q, trials, claim, tail)
    if excess == math.inf:
        return
    assert excess > epsilon
    p = delta + math.exp(excess) * q
    assert p <= 1
    # Exact power by summation, from scipy's own tails: for each count against, the hits that are enough.
    against = np.arange(binom.ppf(1e-9, trials, q), binom.isf(1e-9, trials, q) + 1)
    high = beta.ppf(1 - tail, against + 1, trials - against)
    hits = np.arange(trials + 1)
    low = np.concatenate([[0], beta.ppf(tail, hits[1:], trials - hits[1:] + 1)])
    needed = np.searchsorted(low, delta + math.exp(epsilon) * high, side="right")
    power = float(np.sum(binom.pmf(against, trials, q) * binom.sf(needed - 1, trials, p)))
    assert power >= POWER - 1e-6


def test_power_stated_by_a_finding_is_about_what_a_run_finds(few, rng) -> None:
    honest = run_channel(few, EPSILON, PURE, FIND, rng)
    stated = float(honest.notes[-1].split("an epsilon of ")[1].split()[0])
    assert EPSILON < stated < PLANTED


@pytest.mark.parametrize("claim", [Claim(epsilon=1.0), Claim(epsilon=5.0), Claim(epsilon=0.0, log_delta=math.log(0.5))])
def test_too_few_samples_say_so_and_name_what_is_enough(claim) -> None:
    def clear(word, count):
        return np.full(count, word)

    enough = minimum_samples(claim)
    with pytest.raises(InputError, match=f"too few to say anything.*at least {enough}"):
        audit_sampled(clear, [(0, 1)], claim, samples=enough - 1)
    assert audit_sampled(clear, [(0, 1)], claim, samples=enough).verdict is Verdict.REFUTED


def test_a_claim_that_no_sample_can_refute_is_named(few) -> None:
    with pytest.raises(ParameterError, match="one that samples can refute"):
        minimum_samples(Claim(epsilon=0.0, log_delta=0.0))


def test_no_power_is_said() -> None:
    found = audit_sampled(lambda _word, count: np.zeros(count), [(0, 1)], Claim(epsilon=1.0), samples=1000)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.epsilon.lower == 0
    assert found.notes[-1].startswith("No power")


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": []},
        {"pairs": [("a", "a")]},
        {"pairs": [("a", "b"), ("c", "c")]},
        {"samples": 0},
        {"confidence": 1.0},
        {"confidence": math.nan},
    ],
)
def test_bad_arguments_are_refused_before_a_draw(change) -> None:
    arguments = {"pairs": [("a", "b")], "samples": 1000, "confidence": 0.99} | change
    with pytest.raises(ParameterError) as caught:
        audit_sampled(lambda *_: pytest.fail("drawn"), claim=PURE, **arguments)
    assert "\n" not in str(caught.value)


def test_a_wrong_draw_and_a_nan_score_are_refused() -> None:
    with pytest.raises(InputError, match="shape"):
        audit_sampled(lambda _word, count: np.zeros(count - 1), [(0, 1)], PURE, samples=1000)
    with pytest.raises(InputError, match="shape"):
        audit_sampled(lambda _word, count: np.zeros((count, 2)), [(0, 1)], PURE, samples=1000)
    with pytest.raises(InputError, match="NaN"):
        audit_sampled(
            lambda _word, count: np.zeros(count), [(0, 1)], PURE, samples=1000, score=lambda *a: np.full(1000, math.nan)
        )
    with pytest.raises(ParameterError, match="shift"):
        audit_noise_sampled(laplace(2, 1.0), [1.0], PURE)
    with pytest.raises(ParameterError, match="two different words"):
        audit_noise_sampled(laplace(2, 1.0), [0.0, 0.0], PURE)


def test_a_failure_keeps_the_evidence_so_far(few, rng) -> None:
    def breaks(word, count):
        if word == 3:
            raise InputError("the callable gave no answer within 1 s.")
        return np.full(count, word if leaks else 0)

    leaks = True
    refuted = audit_sampled(breaks, [(0, 1), (2, 3)], PURE, samples=1000)
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.notes[0].startswith("Stopped early, after 1 of 2 pairs: the callable gave no answer")
    assert refuted.samples == 2000
    leaks = False
    with pytest.raises(Interrupted, match="after 1 of 2 pairs") as caught:
        audit_sampled(breaks, [(0, 1), (2, 3)], PURE, samples=1000)
    assert caught.value.partial is not None
    assert caught.value.partial.verdict is Verdict.NOT_REFUTED
    with pytest.raises(Interrupted) as caught:
        audit_sampled(breaks, [(2, 3)], PURE, samples=1000)
    assert caught.value.partial is None


def test_candidate_pairs_hold_a_far_and_a_near_pair(tiny, rng) -> None:
    pairs = candidate_pairs(tiny, 6, rng)
    assert len(set(pairs)) == 6
    assert all(a < b for a, b in pairs)
    gaps = np.linalg.norm(tiny.vectors[:, None] - tiny.vectors[None], axis=2)
    lengths = gaps[np.triu_indices(len(tiny), 1)]
    assert gaps[pairs[0]] >= 0.9 * lengths.max()
    assert gaps[pairs[1]] == pytest.approx(lengths.min())


def test_candidate_pairs_of_a_small_vocabulary_end(few, rng) -> None:
    assert len(candidate_pairs(few, 100, rng)) == 6
    assert len(candidate_pairs(few, 1, rng)) == 1
