"""One number with truncated noise: Geng's Laplace noise, and the noise of smallest variance."""

import math
from typing import Annotated, Any, Final, TypeAlias

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_VECTOR
from textveil.registry.options import FRACTION, GUARANTEE, Option, at_least
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import REPRESENTATIONS, Highest, Lowest, VectorEpsilon
from textveil_lab.mechanisms.vectors.dpnr import STEPS, Cube, NoisyCube
from textveil_lab.noise.block_noise import BlockNoise, geng_noise, least_variance_noise

PROOF: Final = "textveil_lab/proofs/truncated_noise.md"
_WIDTH: Final = 129  # steps of the grid on which Geng's noise is level: 1/508 of the range
_SHARP: Final = 1e-10, 1e-7  # smallest deltas of the two that doubles, and the linear program, can tell from 0
_EPSILONS: Final = 0.25, 12.0  # between which the linear program is solved in seconds, and in doubles
NumberDelta: TypeAlias = Annotated[float, Option(FRACTION, "Delta of one number, for any two.", "D", GUARANTEE)]
_BLOCKS: Final = Option(at_least(1), "Blocks of the range on which the noise is constant.", "N", REPRESENTATIONS)


@proved(
    family="vectors",
    notion="approximate DP",
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="Geng, Ding, Guo and Kumar 2020",
    summary="One number of a public range plus truncated Laplace noise, drawn from a table of integers.",
)
def geng(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    delta: NumberDelta = 1e-5,
    lowest: Lowest = 0.0,
    highest: Highest = 1.0,
) -> NoisyCube:
    """Noise of density exp(-epsilon |z|) on [-A, A], on a range of 1: truncated Laplace noise for one number.

    A is ln(1 + (e^epsilon - 1) / (2 delta)) / epsilon, raised until the integers that draw it keep delta; the noise is
    constant on each of 508 parts of the range. For words ``truncated-laplace`` has the form for any dimension; in one
    dimension it is this one.

    ``epsilon`` is at most about 20, ``delta`` at least 1e-10. The vocabulary is not used.
    """
    need(delta >= _SHARP[0], "delta", delta, f"in [{_SHARP[0]:g}, 1)")
    return _released(
        "geng", Cube(dim=1, lowest=lowest, highest=highest), geng_noise(epsilon, delta, STEPS, _WIDTH), epsilon, delta
    )


@proved(
    family="vectors",
    notion="approximate DP",
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="after Sommer, Abfalterer, Zingg and Mohammadi 2021 (arXiv 2107.12957); one release, by a linear program",
    summary="One number of a public range plus the truncated noise of smallest variance, by a linear program.",
)
def optimal_noise(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    delta: NumberDelta = 1e-5,
    blocks: Annotated[int, _BLOCKS] = 8,
    lowest: Lowest = 0.0,
    highest: Highest = 1.0,
    progress: Progress | None = None,
) -> NoisyCube:
    """The noise of smallest variance among those that are constant on blocks, for one release at (epsilon, delta).

    The paper learns such noise by gradient descent, for many releases at once. For one release the problem is a linear
    program, and its optimum is found; the costs of many releases compose as for any mechanism. The only assumptions are
    that the noise does not depend on the number, and is constant on ``blocks`` parts of the range.

    ``epsilon`` is between 0.25 and 12, ``delta`` at least 1e-7, and ``blocks`` between 1 and 32. The vocabulary is not
    used.
    """
    least, most = _EPSILONS
    need(least <= epsilon <= most, "epsilon", epsilon, f"between {least:g} and {most:g}", "Or use geng.")
    need(delta >= _SHARP[1], "delta", delta, f"in [{_SHARP[1]:g}, 1)", "Or use geng.")
    need(blocks <= 32, "blocks", blocks, "between 1 and 32")
    noise = least_variance_noise(epsilon, delta, STEPS, blocks, progress)
    cube = Cube(dim=1, lowest=lowest, highest=highest)
    return _released("optimal-noise", cube, noise, epsilon, delta, blocks=blocks)


def _released(name: str, cube: Cube, noise: BlockNoise, epsilon: float, delta: float, **more: Any) -> NoisyCube:
    """Return the mechanism; its standard deviation and the end of its noise are in units of the range."""
    guarantee = ApproximateDP(
        epsilon=epsilon,
        log_delta=math.log(delta),
        status=status_of(__name__, PROOF),
        source=PROOF,
        adjacency=ANY_VECTOR,
    )
    facts = {
        "epsilon": epsilon,
        "delta": delta,
        "standard_deviation": math.sqrt(noise.variance) / STEPS,
        "bound": (noise.last + 0.5) * noise.width / STEPS,
        "lowest": cube.lowest,
        "highest": cube.highest,
    }
    return NoisyCube(name=name, cube=cube, noise=noise, guarantee=guarantee, parameters={**facts, **more})
