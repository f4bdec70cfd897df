"""Claims broken by randomness that repeats, is known, or is shared: two releases together, or one with a public seed.

A document of two words is an input here, and adjacent documents differ in one word: the marginals may be right and the
pair still gives the words away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from types import MappingProxyType

import numpy as np

from textveil.audit.field.cases import Case, ClaimBasis, ClaimText, Making, TrialSetting, line
from textveil.audit.field.channels import softmax, two_inputs
from textveil.audit.field.subjects import ComputedTable
from textveil.types import Reals


def _documents(setting: TrialSetting, joint: Callable[[Reals, Reals], Reals]) -> ComputedTable:
    """Documents of two words under the exponential mechanism; ``joint`` makes both outputs' law of two rows."""
    rows = softmax(-setting.epsilon * setting.distances / 2)
    n = len(rows)
    pairs = list(product(range(n), repeat=2))
    claims = np.full((n * n, n * n), np.inf)
    for i, (a, b) in enumerate(pairs):
        for j, (c, d) in enumerate(pairs):
            if (a == c) != (b == d):  # adjacent: one of the two words differs
                claims[i, j] = setting.epsilon * (setting.distances[a, c] + setting.distances[b, d])
    names = tuple(f"{setting.words[a]}, {setting.words[b]}" for a, b in pairs)
    return ComputedTable(
        rows=np.stack([joint(rows[a], rows[b]).reshape(-1) for a, b in pairs]),
        claims=claims,
        inputs=names,
        outputs=names,
        facts=MappingProxyType({"epsilon per distance": setting.epsilon}),
    )


def one_stream(first: Reals, second: Reals) -> Reals:
    """Both words drawn by inversion from one and the same uniform number, as in two forked workers; shape (n, n)."""
    ends, others = np.cumsum(first), np.cumsum(second)
    starts, before = np.append(0.0, ends[:-1]), np.append(0.0, others[:-1])
    common = np.minimum(ends[:, None], others[None, :]) - np.maximum(starts[:, None], before[None, :])
    common[common < 1e-15] = 0.0  # ends that are one number up to rounding
    return np.maximum(common, 0.0)


def _with_seed(setting: TrialSetting) -> ComputedTable:
    """Two-sided geometric noise on a word's place, from the package's own default seed: one output for each word."""
    n = len(setting.points)
    rng = np.random.default_rng(np.random.SeedSequence(42).spawn(1)[0])
    stay = -math.expm1(-setting.epsilon)
    noise = int(rng.geometric(stay)) - int(rng.geometric(stay))
    rows = np.zeros((n, n))
    rows[np.arange(n), np.clip(np.arange(n) + noise, 0, n - 1)] = 1.0
    return _list_table(setting, rows, seed=42, noise=noise)


def geometric_list(setting: TrialSetting) -> ComputedTable:
    """Two-sided geometric noise on a word's place, clamped to the list."""
    n, q = len(setting.points), math.exp(-setting.epsilon)
    away = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
    rows = (1 - q) / (1 + q) * q**away
    # All that would leave the list on one side stops at its end.
    for end in (0, n - 1):
        rows[:, end] = q ** away[:, end] / (1 + q)
    return _list_table(setting, rows)


def _list_table(setting: TrialSetting, rows: Reals, **facts: int) -> ComputedTable:
    n = len(rows)
    return ComputedTable(
        rows=rows,
        claims=setting.epsilon * np.abs(np.arange(n)[:, None] - np.arange(n)[None, :]),
        inputs=setting.words,
        outputs=setting.words,
        facts=MappingProxyType({"epsilon per place": setting.epsilon, **facts}),
    )


_VECTORS = ("two tokens with equal vectors", "two with others")
_COORDINATES = ("a text whose first coordinates are equal", "one whose are not")
_TEXTS = ("two texts with equal vectors", "two with others")


def _noise(inputs: tuple[str, str], *, shared: bool, log_delta: float = -math.inf) -> Making:
    """Whether two noisy numbers, or vectors, are equal.

    Under one noise for both they are equal where they went in equal; under continuous noise of their own, never.
    """
    rows = np.eye(2) if shared else [[0.0, 1.0], [0.0, 1.0]]
    return two_inputs(rows, inputs, ("the two noisy ones are equal", "they differ"), log_delta=log_delta)


_TWO = line(1.0, 0.0, 1.0)

CASES: tuple[Case, ...] = (
    Case(
        about=ClaimText(
            name="santext-workers",
            work="SanText",
            part="run_SanText.py, several workers",
            claim="epsilon times the distance, for two texts that differ in one word",
            source="github.com/xiangyue9607/SanText, run_SanText.py (seed 42, then a Pool) and SanText.py",
            basis=ClaimBasis.CODE,
            why="Forked workers start from one state of NumPy's generator: two documents share their random numbers.",
            repair="a stream of its own for every worker, from the operating system",
            instead="santext",
        ),
        setting=line(3.0, 0.0, 1.0, 2.0),
        published=lambda setting: _documents(setting, one_stream),
        repaired=lambda setting: _documents(setting, lambda first, second: first[:, None] * second[None, :]),
    ),
    Case(
        about=ClaimText(
            name="diffractor-seed",
            work="1-Diffractor",
            part="default options",
            claim="epsilon times the distance in the list, for any two words",
            source="github.com/sjmeis/Diffractor, src/diffractor/core.py (seed: int = 42); arXiv 2405.01678",
            basis=ClaimBasis.CODE,
            why="The seed is a public constant, so the noise of every position is known and can be taken off.",
            repair="seed from the operating system",
            instead="diffractor",
            form="diffractor-published",
        ),
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0, 4.0),
        published=_with_seed,
        repaired=geometric_list,
    ),
    Case(
        about=ClaimText(
            name="diffractor-list",
            work="1-Diffractor",
            part="two-sided geometric noise on one list, any seed that is secret",
            claim="epsilon times the distance in the list, for any two words",
            source="github.com/sjmeis/Diffractor, src/diffractor/core.py; Meisenbacher et al., arXiv 2405.01678",
            basis=ClaimBasis.CODE,
            why="Geometric noise on a place, clamped to the list, loses epsilon for each step.",
        ),
        setting=line(1.0, 0.0, 1.0, 2.0, 3.0, 4.0),
        published=geometric_list,
    ),
    Case(
        about=ClaimText(
            name="trlaplace-shared",
            work="Trlaplace (public code)",
            part="noise of a batch",
            claim="(epsilon, 4^-300), for two texts that differ in one word",
            source="github.com/Skyyyy0920/Trlaplace, method.py and model.py",
            basis=ClaimBasis.CODE,
            why="One vector of noise is added to every token of a batch: differences of tokens are exact.",
            repair="noise of its own for every token",
            instead="truncated-laplace",
        ),
        setting=_TWO,
        published=_noise(_VECTORS, shared=True, log_delta=-300 * math.log(4)),
        repaired=_noise(_VECTORS, shared=False, log_delta=-300 * math.log(4)),
    ),
    Case(
        about=ClaimText(
            name="dpnr-scalar",
            work="DPNR",
            part="noise of run_dp.py",
            claim="epsilon, for the representations of two texts",
            source="github.com/xlhex/dpnlp, model.py (noise.view(-1, 1)) and run_dp.py; Lyu et al., arXiv 2010.01285",
            basis=ClaimBasis.CODE,
            why="One number is added to all coordinates of a text: differences of coordinates are exact.",
            repair="noise of its own for every coordinate, of the scale that all coordinates together need",
            instead="dpnr",
            form="dpnr-published",
        ),
        setting=_TWO,
        published=_noise(_COORDINATES, shared=True),
        repaired=_noise(_COORDINATES, shared=False),
    ),
    Case(
        about=ClaimText(
            name="cape-constant",
            work="CAPE",
            part="noise of models.py",
            claim="epsilon, for the representations of two texts",
            source="github.com/NapierNLP/CAPE, models.py; Plant et al., arXiv 2108.12318",
            basis=ClaimBasis.CODE,
            why="The noise is drawn once while the model is built, so every text of its lifetime gets the same vector.",
            repair="noise drawn anew for every text, of the scale that all coordinates together need",
            instead="cape",
            form="cape-published",
            reading=(
                "models.py draws the noise where the model is built. None of that code was run: if a model is built "
                "anew for each text, the noise is new for each text too."
            ),
        ),
        setting=_TWO,
        published=_noise(_TEXTS, shared=True),
        repaired=_noise(_TEXTS, shared=False),
    ),
    Case(
        about=ClaimText(
            name="llmdp-bart-shared",
            work="LLMDP (in DPMLM, DP-ST and PrivFill)",
            part="DPBart",
            claim="(epsilon, 1e-5) for two documents",
            source="github.com/sjmeis/DPMLM, LLMDP.py, class DPBart",
            basis=ClaimBasis.CODE,
            why="One vector of noise is added at every token's place: differences of clipped vectors are exact.",
            repair="noise of its own at every place, of the scale that all places together need",
            instead="dp-bart",
        ),
        setting=_TWO,
        published=_noise(_VECTORS, shared=True, log_delta=math.log(1e-5)),
        repaired=_noise(_VECTORS, shared=False, log_delta=math.log(1e-5)),
    ),
)
"""Claims that two releases, or a public seed, refute."""
