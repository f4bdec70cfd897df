"""What drawing noise costs, and what share it is of the search that follows it.

    python benchmarks/noise.py

Processor time, not wall time: the search runs on all cores and the draw on one, and a worker has one of each.
"""

import statistics
from functools import partial
from typing import Any

import numpy as np
from measure import machine, processor_seconds

from textveil.randomness import secure_generator
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.distribution import NoiseDistribution
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

BATCH, DIM, WORDS = 4096, 300, 10_000
ROUNDS = 7


def noise() -> list[dict[str, Any]]:
    """Nanoseconds a coordinate of each distribution, and the draw against the float32 matrix product of a search."""
    distributions: dict[str, NoiseDistribution] = {
        "coordinate Laplace": CoordinateLaplace(dim=DIM, scale=0.7),
        "Gaussian": Gaussian(dim=DIM, sigma=1.3),
        "spherical Laplace": SphericalLaplace(dim=DIM, rate=2.5),
        "truncated Laplace": TruncatedLaplace(dim=DIM, scale=0.7, bound=9.0),
    }
    rng = np.random.default_rng(0)
    queries = rng.standard_normal((BATCH, DIM), dtype=np.float32)
    table = rng.standard_normal((WORDS, DIM), dtype=np.float32)
    secure = secure_generator()
    rows = []
    for name, distribution in distributions.items():
        draw = partial(distribution.sample, BATCH, secure)
        search = partial(np.matmul, queries, table.T)
        pairs = [(processor_seconds(search), processor_seconds(draw)) for _ in range(ROUNDS)]
        rows.append(
            {
                "what": f"noise, {name}, against a float32 product with {WORDS} words",
                "ns/coordinate": statistics.median(one for _, one in pairs) / (BATCH * DIM) * 1e9,
                "share": statistics.median(one / other for other, one in pairs),
            }
        )
    return rows


def main() -> None:
    """Print the table."""
    print(", ".join(f"{key} {value}" for key, value in machine().items()))
    for row in noise():
        print(f"{row['what']:<75} ns/coordinate {row['ns/coordinate']:.3g}  share {row['share']:.3g}")


if __name__ == "__main__":
    main()
