"""BRR: the exact channel over all flipped codes, in integers; draws that follow it; the profile of the noisy bits."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_states
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.additive.brr import BinaryResponse, BitFlips, FlippedBitsProfile, binary_codes, bit_flips
from textveil_lab.mechanisms.capabilities import NoisyStates

ALPHA = 1e-6
ALL = 1 << 53


def made(vocabulary: Vocabulary, **options: float | None) -> BinaryResponse:
    found = mechanism("brr", vocabulary, **options)
    assert isinstance(found, BinaryResponse)
    return found


def exact_channel(found: BinaryResponse) -> list[list[Fraction]]:
    """P(y | x) by enumeration of all flipped codes; ties to the lowest id."""
    codes = (found.codes > 0).astype(int)
    bits = codes.shape[1]
    share = Fraction(found.flips.flips, ALL)
    rows = [[Fraction(0)] * len(codes) for _ in codes]
    for code in itertools.product((0, 1), repeat=bits):
        apart = (codes != np.array(code)).sum(axis=1).tolist()
        winner = apart.index(min(apart))
        for word, flipped in enumerate(apart):
            rows[word][winner] += share**flipped * (1 - share) ** (bits - flipped)
    return rows


def test_the_exact_channel_keeps_the_loss_of_every_bit_and_half_of_it_is_refuted() -> None:
    vocabulary = made_vocabulary(6, 4)
    found = made(vocabulary, epsilon_per_distance=0.5, bits=6)
    rows = exact_channel(found)
    assert all(sum(row) == 1 for row in rows)
    bit = Fraction(ALL - found.flips.flips, found.flips.flips)
    assert found.flips.loss <= 0.5
    worst = 0.0
    for one, other in itertools.permutations(range(6), 2):
        apart = int(np.count_nonzero(found.codes[one] != found.codes[other]))
        ratio = max((a / b for a, b in zip(rows[one], rows[other], strict=True) if a), default=Fraction(1))
        assert ratio <= bit**apart
        if apart:
            worst = max(worst, math.log(ratio) / apart)
    assert 0.25 < worst <= 0.5


def test_draws_follow_the_exact_channel_and_a_mutant_is_noticed(rng) -> None:
    """Chi-square at alpha 1e-6; the mutant flips a tenth less often."""
    vocabulary, draws = made_vocabulary(6, 4), 60_000
    found = made(vocabulary, epsilon_per_distance=0.8, bits=6)
    lazy = BinaryResponse(
        vocabulary,
        found.parameters,
        found.guarantee,
        BitFlips(flips=found.flips.flips * 9 // 10),
        found.codes,
        found.projection,
        found.farthest,
    )
    for one, follows in ((found, True), (lazy, False)):
        counts = np.bincount(one.privatize(np.full(draws, 2), rng), minlength=6)
        wanted = np.array([float(share) for share in exact_channel(found)[2]]) * draws
        kept = wanted > 5
        p = chisquare(counts[kept], wanted[kept] * counts[kept].sum() / wanted[kept].sum()).pvalue
        assert (p > ALPHA) == follows


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 8.0, 36.0])
def test_flips_are_the_fewest_that_keep_the_loss(epsilon: float) -> None:
    flips = bit_flips(epsilon)
    assert flips.loss <= epsilon
    assert flips.probability == pytest.approx(1 / (1 + math.exp(epsilon)), rel=1e-9, abs=2.0**-52)
    if flips.flips > 1:
        assert BitFlips(flips=flips.flips - 1).loss >= epsilon * (1 - 1e-9)
    assert bit_flips(1e9).flips == 1


@pytest.mark.parametrize("bits", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.9, 2.0])
def test_the_profile_is_its_definition(bits: int, epsilon: float) -> None:
    flips = bit_flips(0.7)
    p = flips.probability
    delta = 0.0
    for code in itertools.product((0, 1), repeat=bits):
        near = p ** sum(code) * (1 - p) ** (bits - sum(code))
        far = p ** (bits - sum(code)) * (1 - p) ** sum(code)
        delta += max(0.0, near - math.exp(epsilon) * far)
    found = FlippedBitsProfile(flips=flips, bits=bits).log_delta(epsilon)
    if delta < 1e-12:
        assert found.upper == -math.inf
    else:
        assert found.lower <= math.log(delta) <= found.upper
        assert found.upper - found.lower < 1e-6


def test_the_worst_pair_is_the_farthest_and_the_audit_proves_the_claim(tiny: Vocabulary) -> None:
    found = made(tiny, epsilon=2.0, bits=24)
    assert isinstance(found, NoisyStates)
    pair = found.worst_pair()
    apart = (found.codes[:, None] != found.codes).sum(axis=2)
    assert pair.distance == apart.max() == found.guarantee.diameter
    assert pair.profile.largest_loss <= found.guarantee.worst_case().epsilon <= 2.0
    assert audit_states(found).verdict is Verdict.PROVED
    assert audit_states(found, Claim(epsilon=2.0 / 1.2)).verdict is Verdict.REFUTED
    small = audit_states(found, Claim(epsilon=0.5, log_delta=math.log(1e-3)))
    assert small.verdict is Verdict.REFUTED
    generous = Claim(epsilon=0.5, log_delta=math.log(small.delta.upper * 1.01))
    assert audit_states(found, generous).verdict is Verdict.PROVED


def test_codes_are_public_and_near_words_share_bits(tiny: Vocabulary) -> None:
    codes = binary_codes(tiny.vectors, 512, 3)
    assert set(np.unique(codes)) == {-1.0, 1.0}
    np.testing.assert_array_equal(codes, binary_codes(tiny.vectors, 512, 3))
    centered = tiny.vectors - tiny.vectors.mean(axis=0)
    units = centered / np.linalg.norm(centered, axis=1, keepdims=True)
    angles = np.arccos(np.clip(units @ units.T, -1, 1)) / np.pi
    shares = (codes[:, None] != codes).mean(axis=2)
    assert np.abs(shares - angles).max() < 0.15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 0}, "bits must be an integer >= 1; got 0"),
        ({"bits": 9000}, "bits must be between 1 and 8192; got 9000"),
        ({"epsilon": -1.0}, "epsilon must be finite and > 0"),
        ({"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of `epsilon` or `epsilon_per_distance`"),
    ],
)
def test_options_outside_their_domains(tiny: Vocabulary, options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism("brr", tiny, **options)


def test_one_code_for_all_words_is_refused() -> None:
    same = Vocabulary(["a", "b"], np.ones((2, 3), dtype=np.float32), "same")
    with pytest.raises(ParameterError, match="bits must be enough to tell two words apart; got 2"):
        mechanism("brr", same, epsilon=1.0, bits=2)
