"""Nearest word and noise: against faiss, against one plain matrix product, against a loop over words."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from speed.measure import Result, median_seconds, paired
from speed.workload import Scale, noisy_points, table
from textveil.errors import MissingExtra, ParameterError
from textveil.randomness import secure_generator
from textveil.types import Ids, Vectors
from textveil_lab.nearest.choice import nearest
from textveil_lab.nearest.exact_faiss import load_faiss
from textveil_lab.nearest.projection import Projection
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.distribution import NoiseDistribution
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.noise.truncated_laplace import TruncatedLaplace

_LOOPED = 16
"""Queries of the plain loop."""


def search(scale: Scale) -> Iterator[Result]:
    """Exact nearest word at every size and batch, against faiss-cpu's flat index and the plain loop."""
    for words in scale.sizes:
        vectors = table(words)
        backends = {name: candidate for name in ("numpy", "int8") if (candidate := _backend(vectors, name)) is not None}
        flat = _flat(vectors)
        for batch in scale.batches:
            points = noisy_points(vectors, batch)
            reference = backends["numpy"](points)
            for name, backend in backends.items():
                agree = float(np.mean(backend(points) == reference))
                facts = {"words": words, "batch": batch, "backend": name, "same as numpy": agree}
                what = f"nearest word, {name}, {words:,} words, batch {batch}"
                if flat is None:
                    rate = batch / median_seconds(partial(backend, points), scale.rounds)
                    note = "faiss-cpu is not installed"
                    yield Result(part="search", what=what, rate=rate, unit="words/s", note=note, facts=facts)
                    continue
                times = paired(partial(backend, points), partial(flat, points), scale.rounds)
                yield Result(
                    part="search",
                    what=what,
                    rate=batch / times.ours,
                    unit="words/s",
                    against="faiss IndexFlatL2",
                    speedup=times.speedup,
                    facts={**facts, "GFLOP/s": 2e-9 * batch * vectors.size / times.ours},
                )
        yield from _limits(vectors, backends, scale)


def _limits(vectors: Vectors, backends: dict[str, Projection], scale: Scale) -> Iterator[Result]:
    """The largest batch against one plain product of the same size, and against a loop over words."""
    batch = scale.batches[-1]
    points = noisy_points(vectors, batch)
    name, backend = list(backends.items())[-1]
    facts = {"words": len(vectors), "batch": batch, "backend": name}
    if batch * len(vectors) <= 2e8:
        times = paired(partial(backend, points), lambda: points @ vectors.T, scale.rounds)
        yield _result(f"nearest word, {name}, {len(vectors):,} words", batch, times, "float32 matrix product", facts)
    few = points[:_LOOPED]
    times = paired(partial(backend, points), partial(_loop, vectors, few), max(2, scale.rounds // 2))
    slower = times._replace(speedup=times.speedup * batch / len(few))
    yield _result(f"nearest word, {name}, {len(vectors):,} words", batch, slower, "a loop over words", facts)


def _result(what: str, batch: int, times: Any, against: str, facts: dict[str, Any]) -> Result:
    return Result(
        part="search",
        what=f"{what}, batch {batch}",
        rate=batch / times.ours,
        unit="words/s",
        against=against,
        speedup=times.speedup,
        facts=facts,
    )


def _loop(vectors: Vectors, points: Vectors) -> list[int]:
    """The nearest row of each point as papers' code finds it."""
    return [int(np.argmin(np.linalg.norm(vectors - point, axis=1))) for point in points]


def _backend(vectors: Vectors, name: str) -> Projection | None:
    try:
        return nearest(vectors, name)
    except (MissingExtra, ParameterError):
        return None


def _flat(vectors: Vectors) -> Callable[[Vectors], Ids] | None:
    try:
        index = load_faiss().IndexFlatL2(vectors.shape[1])
    except MissingExtra:
        return None
    index.add(vectors)
    return lambda points: index.search(points, 1)[1][:, 0]


def noise(scale: Scale) -> Iterator[Result]:
    """Noise from the cryptographic source, against the default search at about 10,000 words."""
    vectors = table(max(size for size in scale.sizes if size <= 10_000))
    dim, batch = vectors.shape[1], 4096
    points = noisy_points(vectors, batch)
    backend = _backend(vectors, "int8") or nearest(vectors, "numpy")
    rng = secure_generator()
    distributions: dict[str, NoiseDistribution] = {
        "Gaussian": Gaussian(dim=dim, sigma=1.0),
        "spherical Laplace": SphericalLaplace(dim=dim, rate=1.0),
        "elliptical Laplace": EllipticalLaplace(root=np.diag(np.linspace(0.5, 1.5, dim)), rate=1.0),
        "Laplace": CoordinateLaplace(dim=dim, scale=1.0),
        "truncated Laplace": TruncatedLaplace(dim=dim, scale=1.0, bound=12.0),
    }
    for name, distribution in distributions.items():
        times = paired(partial(distribution.sample, batch, rng), partial(backend, points), scale.rounds)
        yield Result(
            part="noise",
            what=f"{name} noise, {dim} dimensions",
            rate=batch * dim / times.ours,
            unit="numbers/s",
            against=f"search of {len(vectors):,} words",
            speedup=times.speedup,
            facts={"words": len(vectors), "batch": batch, "distribution": name},
        )
