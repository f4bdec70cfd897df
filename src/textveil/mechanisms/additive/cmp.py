"""CMP, calibrated multivariate perturbations, as its paper has them and with the search of its public code."""

from __future__ import annotations

from textveil.mechanisms.additive.perturb_project import PerturbProject
from textveil.mechanisms.additive.spherical_laplace import PROOF, spherical_mechanism
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Clip, Epsilon, EpsilonPerDistance
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary

SOURCE = "Feyisetan, Balle, Drake and Diethe 2020, algorithm 1"


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source=SOURCE,
    summary="As spherical-laplace, on the vectors as they are: calibrated multivariate perturbations.",
)
def cmp(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = None,
) -> PerturbProject:
    """``spherical_laplace`` as its paper has it: vectors are not clipped, and the search is exact.

    The paper's epsilon is ``epsilon_per_distance``: its numbers hold for its own vectors alone.
    Source: Feyisetan, Balle, Drake and Diethe 2020, algorithm 1; proof: privacy/proofs/spherical_laplace.md.

    The rate is ``epsilon_per_distance``, per unit of Euclidean distance, or ``epsilon`` divided by the exact L2
    diameter.
    """
    return spherical_mechanism(
        vocabulary, name="cmp", epsilon=epsilon, epsilon_per_distance=epsilon_per_distance, clip=clip
    )


@declared(
    family="perturb and project",
    notion="metric DP",
    status=Status.PROVED,
    proof=PROOF,
    source=f"{SOURCE}; search by random-projection trees, as its public code has it",
    summary="CMP with approximate search: the guarantee is the same, the distribution of the output is another.",
)
def cmp_approximate(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    clip: Clip | None = None,
) -> PerturbProject:
    """``cmp`` with the nearest word searched in a fixed forest of random-projection trees, as Annoy has them.

    Annoy is what the mechanism's public code searches with. The search is a function of the noisy vector and of public
    trees, so the guarantee stays; how far the outputs are from those of exact search: Carpentier et al. 2024
    (arXiv 2411.11521), section 4. Audits that compute the output's distribution refuse it.
    Source: Feyisetan, Balle, Drake and Diethe 2020, algorithm 1; proof: privacy/proofs/spherical_laplace.md.

    The rate is ``epsilon_per_distance``, per unit of Euclidean distance, or ``epsilon`` divided by the exact L2
    diameter.
    """
    return spherical_mechanism(
        vocabulary,
        name="cmp-approximate",
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        clip=clip,
        projection="approximate-forest",
    )
