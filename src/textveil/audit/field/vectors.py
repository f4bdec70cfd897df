"""Claims about noisy vectors: representations of texts, latent vectors of auto-encoders, embeddings of words."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from textveil.audit.field.cases import Case, ClaimBasis, ClaimText, TrialSetting, line
from textveil.audit.field.subjects import DensityAtPoint, MovedNoise
from textveil.audit.report.verdict import Claim
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.noise.elliptical_laplace import EllipticalLaplace
from textveil.noise.gaussian import Gaussian
from textveil.noise.truncated_laplace import TruncatedLaplace
from textveil.privacy.calibration import analytic_gaussian_sigma, laplace_scale, truncated_laplace_bound
from textveil.privacy.truncation import published_truncation

DELTA = 1e-5
"""That DP-BART's sample scripts claim."""

_WIDTH = 768
"""Of BERT's and BART's vectors."""


def _unit_cube(sensitivity: Callable[[int], float]) -> Callable[[TrialSetting], MovedNoise]:
    """Laplace noise on coordinates in [0, 1] that are 0 in one vector where they are 1 in the other."""

    def made(setting: TrialSetting) -> MovedNoise:
        shift = np.where(np.arange(setting.dim) % 2 == 0, 1.0, -1.0)
        return MovedNoise(
            distribution=CoordinateLaplace(
                dim=setting.dim, scale=laplace_scale(setting.epsilon, sensitivity(setting.dim))
            ),
            shift=shift,
            claim=Claim(epsilon=setting.epsilon),
            facts=MappingProxyType({"vectors": "0, 1, 0, 1, ... and 1, 0, 1, 0, ..."}),
        )

    return made


def _clipped_ball(sensitivity: Callable[[int], float]) -> Callable[[TrialSetting], MovedNoise]:
    """Laplace noise on vectors of Euclidean norm at most 1, of two opposite vectors with equal coordinates."""

    def made(setting: TrialSetting) -> MovedNoise:
        return MovedNoise(
            distribution=CoordinateLaplace(
                dim=setting.dim, scale=laplace_scale(setting.epsilon, sensitivity(setting.dim))
            ),
            shift=np.full(setting.dim, 2 / math.sqrt(setting.dim)),
            claim=Claim(epsilon=setting.epsilon),
            facts=MappingProxyType({"vectors": "norm 1, all coordinates equal; and its opposite"}),
        )

    return made


def _theorem_three(setting: TrialSetting) -> MovedNoise:
    """Theorem 3 of Huang et al. at clipping norm 1, for two opposite vectors with equal coordinates."""
    form = published_truncation(dim=setting.dim, epsilon=setting.epsilon, clip=1.0)
    noise = TruncatedLaplace(dim=setting.dim, scale=form.scale, bound=form.bound)
    return _truncated(setting, noise, form.log_delta)


def _valid_truncation(setting: TrialSetting) -> MovedNoise:
    """The valid truncation at the same epsilon; delta 1e-6, since at 4^-dim it is Laplace noise to the last bit."""
    wide = 2 * math.sqrt(setting.dim)
    noise = TruncatedLaplace(
        dim=setting.dim,
        scale=laplace_scale(setting.epsilon, wide),
        bound=truncated_laplace_bound(setting.epsilon, 1e-6, wide),
    )
    return _truncated(setting, noise, math.log(1e-6))


def _truncated(setting: TrialSetting, noise: TruncatedLaplace, log_delta: float) -> MovedNoise:
    return MovedNoise(
        distribution=noise,
        shift=np.full(setting.dim, 2 / math.sqrt(setting.dim)),
        claim=Claim(epsilon=setting.epsilon, log_delta=log_delta),
        facts=MappingProxyType({"bound": noise.bound, "scale": noise.scale}),
    )


def _latent(sigma: Callable[[float, float, float], float]) -> Callable[[TrialSetting], MovedNoise]:
    """Gaussian noise on ``dim`` coordinates clamped to [-0.1, 0.1], for two opposite corners."""

    def made(setting: TrialSetting) -> MovedNoise:
        reach = 0.2 * math.sqrt(setting.dim)
        return MovedNoise(
            distribution=Gaussian(dim=setting.dim, sigma=sigma(setting.epsilon, DELTA, reach)),
            shift=np.full(setting.dim, 0.2),
            claim=Claim(epsilon=setting.epsilon, log_delta=math.log(DELTA)),
        )

    return made


def _classical(epsilon: float, delta: float, reach: float) -> float:
    """The classical formula, whatever epsilon is."""
    return reach * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


_AXES = (1.8, 0.2)
"""Variances of two coordinates, 1 in the mean as the paper scales them, all of it the shape (lambda = 1)."""


def _direction(setting: TrialSetting, *, renormalized: bool) -> DensityAtPoint:
    """Two words a little apart along the long axis: an output beside the one is, seen from the other, along that axis.

    The published noise is a length drawn from Gamma(2, 1 / epsilon) times a direction that was bent and then set to
    length 1 again: its density is g(direction) exp(-epsilon length) / length times constants, g not constant.
    """
    long, short = (math.sqrt(one) for one in _AXES)
    apart, height = 0.05 / setting.epsilon, 0.001 / setting.epsilon
    seen, other = np.array([0.0, -height]), np.array([-apart, -height])
    # Distance in the metric of the shape, in which the claim is made.
    claimed = setting.epsilon * apart / long
    if renormalized:
        logs = [_bent_log_density(z, setting.epsilon, long, short) for z in (seen, other)]
    else:
        noise = EllipticalLaplace(rate=setting.epsilon, root=np.diag([long, short]))
        logs = noise.log_density(np.stack([seen, other])).tolist()
    return DensityAtPoint(
        log_density=logs[1],
        other_log_density=logs[0],
        error=1e-9,
        claimed=claimed,
        facts=MappingProxyType(
            {"input": [apart, 0.0], "other_input": [0.0, 0.0], "output": [0.0, -height], "variances": list(_AXES)}
        ),
    )


def _bent_log_density(z: np.ndarray, rate: float, long: float, short: float) -> float:
    """Logarithm of g(theta) rate^2 exp(-rate |z|): g is the density of the angle of (long cos t, short sin t)."""
    length = float(np.hypot(*z))
    x, y = z[0] / length, z[1] / length
    # tan t = (long / short) tan theta; dt/dtheta = long short / (short^2 x^2 + long^2 y^2) at the angle's (x, y).
    bent = long * short / (short**2 * x**2 + long**2 * y**2)
    # Radius: Gamma(2, 1/rate), so density on the plane is rate^2 length exp(-rate length) g / length.
    return math.log(bent / (2 * math.pi)) + 2 * math.log(rate) - rate * length


CASES: tuple[Case, ...] = (
    Case(
        about=ClaimText(
            name="truncated-laplace-theorem",
            work="Huang et al. 2024 (EMNLP)",
            part="theorem 3",
            claim="(epsilon, 4^-dim) for any two words",
            source="Huang et al., EMNLP 2024, theorem 3, arXiv 2410.08027",
            basis=ClaimBasis.PAPER,
            why="The proof takes what leaves the support in all coordinates for what leaves it in any.",
            repair="truncate where the sum over coordinates is paid for (delta 1e-6 here)",
            instead="truncated-laplace",
            form="truncated-laplace-published",
        ),
        setting=line(1.0, 0.0, 1.0, dim=300),
        published=_theorem_three,
        repaired=_valid_truncation,
    ),
    Case(
        about=ClaimText(
            name="dp-bart-script",
            work="DP-BART",
            part="sample script: dp_mechanism gaussian, epsilon 250, 20 tokens",
            claim="(250, 1e-5) for two documents",
            source="github.com/trusthlt/dp-bart-private-rewriting, sample_scripts and dp_bart.py; arXiv 2302.07636",
            basis=ClaimBasis.CODE,
            why="The classical formula for sigma holds for epsilon below 1.",
            repair="sigma from the exact curve (dp_mechanism analytic_gaussian)",
            instead="dp-bart",
            form="dp-bart-published",
        ),
        setting=line(250.0, 0.0, 1.0, dim=20 * _WIDTH),
        published=_latent(_classical),
        repaired=_latent(analytic_gaussian_sigma),
    ),
    Case(
        about=ClaimText(
            name="dp-bart-analytic",
            work="DP-BART",
            part="dp_mechanism analytic_gaussian",
            claim="(epsilon, 1e-5) for two documents",
            source="github.com/trusthlt/dp-bart-private-rewriting, dp_bart.py; arXiv 2302.07636",
            basis=ClaimBasis.CODE,
            why="Clamped coordinates have L2 sensitivity 0.2 sqrt(k), and sigma is from the exact curve.",
        ),
        setting=line(250.0, 0.0, 1.0, dim=20 * _WIDTH),
        published=_latent(analytic_gaussian_sigma),
    ),
    Case(
        about=ClaimText(
            name="adept",
            work="ADePT",
            part="Laplace noise on the clipped latent vector",
            claim="epsilon, for two texts",
            source="Krishna et al., EACL 2021; Habernal, EMNLP 2021, arXiv 2109.03175",
            basis=ClaimBasis.REPORTED,
            why="A vector clipped in the L2 norm has L1 sensitivity 2 C sqrt(dim), and 2 C is paid for.",
            repair="scale 2 C sqrt(dim) / epsilon",
            instead="adept",
            form="adept-published",
        ),
        setting=line(1.0, 0.0, 1.0, dim=128),
        published=_clipped_ball(lambda dim: 2.0),
        repaired=_clipped_ball(lambda dim: 2 * math.sqrt(dim) * (1 + 1e-9)),
    ),
    Case(
        about=ClaimText(
            name="dp-rewrite",
            work="DP-Rewrite",
            part="L2 clipping with Laplace noise",
            claim="epsilon, for two texts",
            source="Igamberdiev, Arora and Habernal 2022; get_sensitivity_for_clip_by_norm in their dp_bart.py",
            basis=ClaimBasis.CODE,
            why="Scale 2 C sqrt(dim) / epsilon pays for the L1 sensitivity.",
        ),
        setting=line(1.0, 0.0, 1.0, dim=128),
        published=_clipped_ball(lambda dim: 2 * math.sqrt(dim) * (1 + 1e-9)),
    ),
    Case(
        about=ClaimText(
            name="dpnr-sensitivity",
            work="DPNR",
            part="scale of the noise",
            claim="epsilon, for the representations of two texts (without dropped words)",
            source="github.com/xlhex/dpnlp, run_dp.py (laplace(epsilon, 1)); Lyu et al., arXiv 2010.01285",
            basis=ClaimBasis.CODE,
            why="Coordinates in [0, 1] have L1 sensitivity dim, and 1 is paid for.",
            repair="scale dim / epsilon",
            instead="dpnr",
            form="dpnr-published",
        ),
        setting=line(1.0, 0.0, 1.0, dim=_WIDTH),
        published=_unit_cube(lambda dim: 1.0),
        repaired=_unit_cube(lambda dim: float(dim)),
    ),
    Case(
        about=ClaimText(
            name="cape-sensitivity",
            work="CAPE",
            part="scale of the noise",
            claim="epsilon, for the representations of two texts",
            source="github.com/NapierNLP/CAPE, models.py (scale 1 / epsilon); Plant et al., arXiv 2108.12318",
            basis=ClaimBasis.CODE,
            why="Coordinates in [0, 1] have L1 sensitivity dim, and 1 is paid for.",
            repair="scale dim / epsilon",
            instead="cape",
            form="cape-published",
        ),
        setting=line(1.0, 0.0, 1.0, dim=_WIDTH),
        published=_unit_cube(lambda dim: 1.0),
        repaired=_unit_cube(lambda dim: float(dim)),
    ),
    Case(
        about=ClaimText(
            name="pypantera-mahalanobis",
            work="pyPANTERA",
            part="Mahalanobis",
            claim="epsilon times the Mahalanobis distance, for any two words",
            source="github.com/Kekkodf/pypantera, EmbeddingPerturbationMechanism/mahalanobis.py",
            basis=ClaimBasis.CODE,
            why="The bent direction is set to length 1 again, so its density jumps between directions near the word.",
            repair="leave the bent direction as long as it is",
            instead="mahalanobis",
            form="mahalanobis-published",
        ),
        setting=line(1.0, 0.0, 1.0),
        published=lambda setting: _direction(setting, renormalized=True),
        repaired=lambda setting: _direction(setting, renormalized=False),
    ),
)
"""Claims about vectors."""
