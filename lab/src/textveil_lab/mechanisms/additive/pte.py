"""Perturb and project after a public random map to fewer dimensions: metric DP, with the map's measured stretch."""

import hashlib
import math
from functools import partial
from typing import Annotated

import numpy as np
from scipy.special import ndtri

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon
from textveil.registry.options import VECTORS, Option, at_least
from textveil.types import Progress, Reals, Vectors, WordDistances
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import (
    PerturbProject,
    clipped_distances,
    clipped_points,
    euclidean,
    perturb_project,
)
from textveil_lab.mechanisms.parameters import (
    Clip,
    EpsilonPerDistance,
    ProjectionName,
    RankConstant,
    metric_name,
    one_of,
    outward,
    proved_metric,
    rate_within,
)
from textveil_lab.nearest.identical_rows import first_rows
from textveil_lab.noise.calibration import spherical_laplace_rate
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.vocabulary.geometry import clipped_diameter, farthest_pair, largest_stretch, remembered

_ROWS = 8192
_LARGEST = 2**28  # Entries: 2 GB of them


def random_map(seed: int, dim: int, map_dim: int) -> Reals:
    """Return independent N(0, 1 / map_dim) entries, each a float32 number, float64, shape (map_dim, dim).

    The map comes from SHAKE-256 of the seed and the shape: it is public, and the same for every version of NumPy. It
    depends on no text, and protects none.

    Args:
        seed: an integer >= 0.
        dim: coordinates before, >= 1.
        map_dim: coordinates after, >= 1.
    """
    need(dim * map_dim <= _LARGEST, "map_dim", map_dim, f"at most {_LARGEST // dim} at {dim} dimensions")
    stream = hashlib.shake_256(f"textveil random map {seed} {dim} {map_dim}".encode()).digest(8 * dim * map_dim)
    uniform = (np.frombuffer(stream, dtype="<u8") >> np.uint64(11)).astype(np.float64)
    entries = ndtri((uniform + 0.5) * 2.0**-53) / math.sqrt(map_dim)
    return entries.astype(np.float32).astype(np.float64).reshape(map_dim, dim)


def digest(matrix: Reals) -> str:
    """Return the first 64 bits of SHA-256 of the entries as float32, in hexadecimal."""
    return hashlib.sha256(matrix.astype("<f4").tobytes()).hexdigest()[:16]


def mapped(vectors: Vectors, matrix: Reals) -> Vectors:
    """Return each row under the map, rounded to float32; equal rows have equal images; shape (n, map_dim)."""
    out = np.empty((len(vectors), len(matrix)), dtype=np.float32)
    for start in range(0, len(vectors), _ROWS):
        part = slice(start, start + _ROWS)
        out[part] = vectors[part].astype(np.float64) @ matrix.T
    first = first_rows(vectors).first
    return out if first is None else out[first]


PROOF = "textveil_lab/proofs/pte.md"

_DIM = Option(
    at_least(1), "Dimensions after the public random map.", "D", VECTORS, unset="half of those of the vectors"
)
_SEED = Option(at_least(0), "Seed of the public random map.", "N", VECTORS)


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    source="Feyisetan and Kasiviswanathan 2021, section 4",
    summary="Noise of density exp(-rate ||z||) after a public random map, then the nearest word there.",
)
def pte(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    map_dim: Annotated[int, _DIM] | None = None,
    map_seed: Annotated[int, _SEED] = 0,
    clip: Clip | None = 1.0,
    rank_constant: RankConstant | None = None,
    projection: ProjectionName | None = None,
    progress: Progress | None = None,
) -> PerturbProject:
    """The word whose image is nearest to P clip(v(x)) + spherical Laplace noise, P public, with normal entries.

    Exactly one parameter calibrates it, by measurements of this P and these words. So the guarantee holds surely, while
    the paper's holds with a probability over P. With ``epsilon`` it is per unit of distance between images, whose exact
    diameter gives the rate. With ``epsilon_per_distance`` it is per unit of Euclidean distance between the vectors, and
    the rate is that divided by the largest factor L by which P stretches the distance of two words.

    Vectors are clipped before the map P, which is public. With ``epsilon_per_distance`` distances are measured: half a
    minute for 30,000 words.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    points = clipped_points(vocabulary, clip)
    chosen = max(1, vocabulary.dim // 2) if map_dim is None else map_dim
    need(chosen <= vocabulary.dim, "map_dim", chosen, f"from 1 to {vocabulary.dim}, the dimensions of the vectors")
    matrix = random_map(map_seed, vocabulary.dim, chosen)
    images = mapped(points, matrix)
    key = (clip, chosen, map_seed)
    distances: WordDistances
    if name == "epsilon":
        reach = remembered(
            vocabulary, ("images", *key), lambda: outward(farthest_pair(vocabulary, images, 2, progress).value)
        )
        rate = rate_within(value, reach)
        metric = metric_name(f"euclidean between images in {chosen} dimensions", clip)
        promised, measured, distances = rate, {"epsilon": rate * reach}, partial(euclidean, images)
    else:
        stretch = remembered(vocabulary, ("stretch", *key), lambda: outward(largest_stretch(points, images, progress)))
        rate = spherical_laplace_rate(value, stretch)
        reach, metric = outward(clipped_diameter(vocabulary, clip, 2)), metric_name("euclidean", clip)
        promised, measured = value, {"epsilon_per_distance": value, "lipschitz": stretch}
        distances = clipped_distances(vocabulary, clip)
    return perturb_project(
        vocabulary,
        SphericalLaplace(dim=chosen, rate=rate),
        proved_metric(promised, metric, reach, PROOF),
        name="pte",
        parameters={**measured, "rate": rate, "map_dim": chosen, "map_seed": map_seed, "map_digest": digest(matrix)},
        clip=clip,
        points=images,
        rank_constant=rank_constant,
        rank_rate=rate,
        projection=projection,
        distances=distances,
    )
