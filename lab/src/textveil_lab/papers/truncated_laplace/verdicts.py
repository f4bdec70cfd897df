"""Guarantees of the paper's settings: the true delta of each, beside the claimed one.

A setting is a mechanism, an epsilon, a dimension (with dummy ones) and a clipping norm C. All scales are proportional
to C, so for two vectors at the ends of the clipping ball no delta depends on it; C affects only the distances of a
vocabulary's words after clipping, so the words are examined with the smallest C that matters (every vector shortened to
one length) and the largest (none shortened).

Deltas are exact (``noise.capabilities``): for truncated Laplace noise the mass that leaves the other word's support. No
epsilon makes that mass smaller. They are about the noisy vector, as is Theorem 3; a sampled audit tests the released
word.

``ExperimentWay`` lists the ways in which the study runs the paper's experiments.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from textveil.statistics import Bound
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import PairSummary, delta_over_pairs
from textveil_lab.audit.noise.profiles import judged
from textveil_lab.audit.report.report import Claim, Finding, Verdict
from textveil_lab.audit.sampled.draws import audit_mechanism_sampled, candidate_pairs
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.published.truncated_laplace import truncated_laplace_published
from textveil_lab.noise.calibration import laplace_scale, truncated_laplace_bound
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.distribution import ProfiledNoise
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.truncated_laplace import TruncatedLaplace
from textveil_lab.noise.truncation import equal_spread_delta, published_truncation
from textveil_lab.papers.truncated_laplace.facts import DIM, EPSILONS, NOISE_DIMS
from textveil_lab.papers.truncated_laplace.variance import gaussian_variance
from textveil_lab.vocabulary.geometry import norm_range

VALID_DELTA: Final = 1e-5  # Delta of the valid forms of the compared mechanisms, if they need one


class ExperimentWay(Enum):
    """Three ways to run the paper's experiments."""

    TEXT = "as the text says"
    CODE = "as the public code does"
    VALID = "as it would have to be"

    @property
    def short(self) -> str:
        return self.name.lower()


WORDS = 2_000
PAIRS = 20_000  # Most words of the vocabulary, and pairs of them, whose deltas are computed
PADDED_GAUSSIAN = "gaussian, with dummy dimensions"  # The name of the second reading of the paper's Gaussian settings
_INSIDE = 1 - 2.0**-40  # Rounding: differences stay within the ball that the claim is about


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaperSetting:
    """One setting with C = 1."""

    mechanism: str  # its name in the study
    noise_dim: int  # d of the formulas, dummy dimensions included
    claim: Claim  # the paper's claim about any two words
    # of the vector's own 300 coordinates; those of dummy dimensions are equal for all words and tell nothing
    noise: ProfiledNoise

    @property
    def length(self) -> float:
        return math.sqrt(self.noise.dim * self.noise.variance)


class ShiftVerdict(NamedTuple):
    """Verdict on a setting for two vectors at the ends of the clipping ball."""

    verdict: Verdict  # on the claim, refuted if one of the two differences refutes it
    spread: Bound  # ln of delta for a difference spread equally over all coordinates
    one_coordinate: Bound  # the same for a difference in one coordinate


def paper_settings() -> tuple[PaperSetting, ...]:
    """Return the paper's three mechanisms at its eight epsilons, by its formulas."""
    return tuple(make(epsilon) for make in (_gaussian, _laplace, _truncated) for epsilon in EPSILONS)


def padded_gaussian_settings() -> tuple[PaperSetting, ...]:
    """Return Gaussian noise with the delta of the paper's dummy dimensions for truncated Laplace noise, if it has any.

    The paper does not say whether they count for Gaussian noise too.
    """
    return tuple(_gaussian(epsilon, dim, PADDED_GAUSSIAN) for epsilon, dim in NOISE_DIMS.items())


def valid_settings() -> tuple[PaperSetting, ...]:
    """Return truncated Laplace noise with the valid bound, at the paper's epsilons and ``VALID_DELTA``."""
    return tuple(map(_valid, EPSILONS))


def shift_verdict(setting: PaperSetting) -> ShiftVerdict:
    """Return the exact deltas of a setting at its claimed epsilon, with the verdict."""
    found, verdicts = [], []
    for shift in (np.full(DIM, 2 * _INSIDE / math.sqrt(DIM)), _along_one_axis(2 * _INSIDE)):
        profile = setting.noise.privacy_profile(shift)
        log_delta = profile.log_delta(setting.claim.epsilon)
        verdicts.append(judged(setting.claim, profile, log_delta))
        found.append(log_delta)
    order = (Verdict.REFUTED, Verdict.NOT_REFUTED, Verdict.PROVED)
    return ShiftVerdict(min(verdicts, key=order.index), found[0], found[1])


def truncated_delta_at(epsilon: float, distance: float) -> float:
    """Return delta of the published noise for two vectors this far apart, spread equally.

    Args:
        epsilon: one of the paper's.
        distance: of the clipped vectors in units of C, in (0, 2].
    """
    known = published_truncation(dim=DIM, epsilon=epsilon, clip=1.0, noise_dim=NOISE_DIMS.get(epsilon))
    return equal_spread_delta(distance, DIM, known.scale, known.bound)


def clips_that_matter(vocabulary: Vocabulary) -> tuple[float, float]:
    """Return the C below which all vectors are shortened, so nothing changes, and the C above which none is."""
    return norm_range(vocabulary)


def delta_of_words(vocabulary: Vocabulary, epsilon: float, clip: float, pairs: int = PAIRS) -> PairSummary:
    """Return the smallest, median and largest delta of the published noise over pairs of words, clipped to ``clip``.

    Args:
        vocabulary: of 300 dimensions for the paper's dummy dimensions; its first ``WORDS`` words are used.
        epsilon: claimed.
        clip: C.
        pairs: number of pairs, drawn by a fixed public choice.
    """
    return delta_over_pairs(_published(vocabulary, epsilon, clip), words=WORDS, pairs=pairs)


def _published(vocabulary: Vocabulary, epsilon: float, clip: float) -> PerturbProject:
    padded = NOISE_DIMS.get(epsilon) if vocabulary.dim <= DIM else None
    return truncated_laplace_published(vocabulary, epsilon=epsilon, clip=clip, noise_dim=padded)


def _gaussian(epsilon: float, noise_dim: int = DIM, name: str = "gaussian") -> PaperSetting:
    claim = Claim(epsilon=epsilon, log_delta=-noise_dim * math.log(4))
    sigma = math.sqrt(gaussian_variance(epsilon, claim.log_delta))
    return PaperSetting(mechanism=name, noise_dim=noise_dim, claim=claim, noise=Gaussian(dim=DIM, sigma=sigma))


def _laplace(epsilon: float) -> PaperSetting:
    scale = laplace_scale(epsilon, _l1_sensitivity())
    noise = CoordinateLaplace(dim=DIM, scale=scale)
    return PaperSetting(mechanism="laplace", noise_dim=DIM, claim=Claim(epsilon=epsilon), noise=noise)


def _truncated(epsilon: float) -> PaperSetting:
    known = published_truncation(dim=DIM, epsilon=epsilon, clip=1.0, noise_dim=NOISE_DIMS.get(epsilon))
    return PaperSetting(
        mechanism="truncated-laplace",
        noise_dim=known.noise_dim,
        claim=Claim(epsilon=epsilon, log_delta=known.log_delta),
        noise=TruncatedLaplace(dim=DIM, scale=known.scale, bound=known.bound),
    )


def _valid(epsilon: float) -> PaperSetting:
    scale = laplace_scale(epsilon, _l1_sensitivity())
    bound = truncated_laplace_bound(epsilon, VALID_DELTA, _l1_sensitivity())
    return PaperSetting(
        mechanism="truncated-laplace, valid",
        noise_dim=DIM,
        claim=Claim(epsilon=epsilon, log_delta=math.log(VALID_DELTA)),
        noise=TruncatedLaplace(dim=DIM, scale=scale, bound=bound),
    )


def _l1_sensitivity() -> float:
    return 2 * math.sqrt(DIM) * (1 + 2.0**-50)


def _along_one_axis(distance: float) -> Reals:
    shift = np.zeros(DIM)
    shift[0] = distance
    return shift


def released_word(vocabulary: Vocabulary, epsilon: float, samples: int, rng: np.random.Generator) -> Finding:
    """Try to refute the published claim for the released word, not the vector, by sampling one far pair of words.

    Args:
        vocabulary: of the released words; all vectors are shortened to one length.
        epsilon: claimed.
        samples: draws for each of the two words; half choose an event, half test it.
        rng: of the draws.
    """
    mechanism = _published(vocabulary, epsilon, clips_that_matter(vocabulary)[0])
    pairs = candidate_pairs(vocabulary, 1, rng)
    return audit_mechanism_sampled(mechanism, pairs=pairs, samples=samples, rng=rng)
