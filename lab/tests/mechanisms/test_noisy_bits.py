"""Unary encodings and OME: the exact loss of every two vectors, the law of the bits, and where the claim is false."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.vectors.unary_encoding import TOTAL, BitOdds, FixedPoint, share

ALPHA = 1e-6
WORDS = Vocabulary(["one", "two"], np.eye(2, dtype=np.float32), "tiny")
SOUND = ["unary-encoding", "optimized-unary-encoding"]


def made(name: str, **options: Any) -> Any:
    return mechanism(name, WORDS, **{"epsilon": 1.0, "vector_dim": 1, "integer_bits": 1, "fraction_bits": 1, **options})


def exact_loss(found: Any) -> Fraction:
    """The largest ratio of the probabilities of one output, over all vectors of the encoding, by brute force."""
    steps = 2.0**-found.encoding.fraction_bits
    most = 2 ** (found.encoding.width - 1) - 1
    vectors = np.array(list(itertools.product(np.arange(-most, most + 1) * steps, repeat=found.dim)))
    codes = found.encoding.bits(vectors)
    assert len(np.unique(codes, axis=0)) == len(vectors)
    worst = Fraction(0)
    for output in itertools.product((0, 1), repeat=found.released_dim):
        laws = []
        for code in np.unique(codes, axis=0):
            law = Fraction(1)
            for place, (bit, out) in enumerate(zip(code.tolist(), output, strict=True)):
                odds = found.odd if place % 2 else found.even
                one = odds.ones if bit else odds.zeros
                law *= Fraction(one if out else TOTAL - one, TOTAL)
            laws.append(law)
        worst = max(worst, max(laws) / min(laws))
    return worst


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 12.0])
@pytest.mark.parametrize("dim", [1, 2])
def test_any_two_vectors_lose_epsilon_and_no_more(name: str, epsilon: float, dim: int) -> None:
    found = made(name, epsilon=epsilon, vector_dim=dim)
    worst = math.log(exact_loss(found))
    assert worst <= epsilon * (1 + 1e-12)
    assert worst == pytest.approx(epsilon, rel=1e-9)
    assert worst <= found.worst_profile().largest_loss * (1 + 1e-12) <= epsilon * (1 + 2e-12)
    assert found.worst_profile().largest_loss <= epsilon


@pytest.mark.parametrize("factor", [0.2, 1.0, 3.0, 100.0])
def test_the_exact_loss_of_the_published_odds(factor: float) -> None:
    found = made("ome-published", epsilon=0.5, randomization=factor, vector_dim=2)
    worst = math.log(exact_loss(found))
    assert found.parameters["true_epsilon"] == pytest.approx(worst, rel=1e-12)
    x = 0.5 / 6
    if factor > 1:  # the formula of the page
        even = math.log(factor * (1 + factor * math.exp(x)) / (1 + factor))
        odd = math.log((1 + factor**3) / (1 + factor * math.exp(x)))
        assert worst == pytest.approx(3 * even + 3 * odd, rel=1e-9)
    assert found.guarantee.status is (Status.PROVED if worst <= 0.5 else Status.REFUTED)
    assert (found.guarantee.status is Status.PROVED) == (factor == 1.0)
    verdict = Verdict.PROVED if factor == 1.0 else Verdict.REFUTED
    assert audit_mechanism(found).verdict is verdict


def test_the_page_says_what_the_default_costs() -> None:
    found = made("ome-published", vector_dim=8, integer_bits=5, fraction_bits=4)
    assert found.released_dim == 80
    assert found.parameters["true_epsilon"] == pytest.approx(552.2, abs=0.05)
    report = audit_mechanism(found, samples=4000, seed=1)
    assert [one.verdict for one in report.findings] == [Verdict.REFUTED, Verdict.REFUTED]
    assert report.findings[1].epsilon.lower > 5
    sound = made("unary-encoding", vector_dim=8, integer_bits=5, fraction_bits=4)
    assert sound.parameters["one_stays"] == pytest.approx(0.503, abs=5e-4)


def p_value(found: Any, law: Any, vector: list[float]) -> float:
    """The least two-sided p-value of the counts of ones at each place under ``law``, times the places."""
    count = 40_000
    ones = found.privatize_vectors(np.tile(vector, (count, 1)), seeded_generator(3)).sum(axis=0)
    bits = law.encoding.bits([vector])[0]
    least = 1.0
    for place, total in enumerate(ones.tolist()):
        odds = law.odd if place % 2 else law.even
        chance = (odds.ones if bits[place] else odds.zeros) / TOTAL
        tails = binom.cdf(total, count, chance), binom.sf(total - 1, count, chance)
        least = min(least, 2 * min(tails))
    return least * len(ones)


@pytest.mark.parametrize("name", [*SOUND, "ome-published"])
def test_draws_follow_the_law(name: str) -> None:
    """Alpha 1e-6; the odds of an epsilon that is 10 percent larger, or of bits in reverse, are told apart."""
    factor = {"randomization": 2.0} if name == "ome-published" else {}
    found = made(name, epsilon=4.0, **factor)
    assert p_value(found, found, [-1.0]) > ALPHA
    assert p_value(found, made(name, epsilon=4.4, **factor), [-1.0]) < ALPHA
    assert p_value(found, found, [0.5]) > ALPHA
    reverse = made(name, epsilon=4.0, **factor)
    object.__setattr__(reverse, "even", BitOdds(ones=reverse.even.zeros, zeros=reverse.even.ones))
    assert p_value(found, reverse, [0.5]) < ALPHA


def test_bits_are_fixed_point() -> None:
    encoding = FixedPoint(dim=2, integer_bits=2, fraction_bits=1)
    bits = encoding.bits([[0.0, -1.5], [1e300, -1e-9], [2.75, -3.5]])
    shown = ["".join(str(int(one)) for one in row) for row in bits]
    assert shown == ["00001011", "01110000", "01101111"]  # 2.75 is as near to 3 as to 2.5: the even place
    assert encoding.values(bits.astype(float)).tolist() == [[0.0, -1.5], [3.5, 0.0], [3.0, -3.5]]


@pytest.mark.parametrize("name", SOUND)
def test_released_bits_are_read_without_bias(name: str) -> None:
    """Alpha 1e-6 by the normal law of a mean of 40,000."""
    found = made(name, epsilon=9.0)
    for value in (-1.5, 0.5):
        read = found.decoded(found.privatize_vectors(np.full((40_000, 1), value), seeded_generator(2)))
        error = read.std() / math.sqrt(len(read))
        assert abs(read.mean() - value) < 4.9 * error


def test_a_share_is_never_above_its_part() -> None:
    for parts in (3, 7, 80, 8448):
        found = share(1.0, parts)
        assert Fraction(found) * parts <= 1 < Fraction(math.nextafter(found, 1.0)) * parts


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("unary-encoding", {"integer_bits": 0}, "integer_bits must be an integer between 1 and 20; got 0"),
        ("ome-published", {"fraction_bits": 21}, "fraction_bits must be an integer between 1 and 20; got 21"),
        ("unary-encoding", {"epsilon": 1e-15}, "epsilon must be >= 1.07e-14 for 3 bits; got 1e-15"),
        ("ome-published", {"randomization": 0.0}, "randomization must be finite and > 0"),
    ],
)
def test_bad_options_are_told_what_is_admissible(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made(name, **options)


def test_odds_are_never_certain() -> None:
    with pytest.raises(ParameterError, match="zeros must be strictly between 0 and 2\\^53; got 0"):
        BitOdds(ones=1, zeros=0)
    assert made("unary-encoding", epsilon=1e9).even.zeros == 1
    assert made("ome-published", epsilon=1e9).even.zeros == 1
