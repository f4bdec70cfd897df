"""How often the method of ``textveil audit-field`` accuses a form that is sound: never more than its stated rate.

Computed verdicts: sound forms of the table's cases at words, epsilons and dimensions drawn at random. Drawn verdicts:
the sampled audit at 99.9 % confidence on twenty kinds of channels whose claim is exactly what they lose, drawn with
caches, buffers and counters among the ways.

    python benchmarks/false_accusations.py [--computed 10000] [--drawn 5000] [--seed 1]
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from textveil.statistics import Bound, clopper_pearson
from textveil_lab.audit.field.judging import judged
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.bounds import audit_sampled
from textveil_lab.mechanisms.published.claims import PublishedClaim, TrialSetting
from textveil_lab.mechanisms.published.table import CLAIMS
from textveil_lab.mechanisms.published.words import exponential

SAMPLES = 4_000
"""Draws for each word of a pair."""

_LARGEST = 4.0
"""Nats: beyond this so few draws could accuse nothing."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Accusations:
    """How often the table's own method accused sound forms.

    Attributes:
        runs: sound forms that were put to the test, by the name of their claim.
        accused: those that were refuted, by the name of their claim.
    """

    runs: dict[str, int]
    accused: dict[str, int]

    @property
    def rate(self) -> Bound:
        """The share of accusations, with its 99 % interval."""
        return clopper_pearson(sum(self.accused.values()), sum(self.runs.values()), 0.99)


def setting_at_random(rng: np.random.Generator) -> TrialSetting:
    """A setting for trying sound forms: four or six words, epsilon between 0.3 and 5, 2 to 40 dimensions."""
    gaps = rng.uniform(0.05, 3.0, int(rng.choice([4, 6])))
    return TrialSetting(points=np.cumsum(gaps), epsilon=float(rng.uniform(0.3, 5.0)), dim=int(rng.integers(2, 41)))


def accuse_sound(runs: int, rng: np.random.Generator, claims: Sequence[PublishedClaim] = CLAIMS) -> Accusations:
    """Put sound forms to the test of the table at settings drawn at random; every refutation is a false accusation.

    Args:
        runs: how many, >= 1; claims take turns.
        rng: makes words, epsilons and dimensions; nothing here is released.
        claims: whose sound forms are tried.
    """
    tried, accused = dict.fromkeys((claim.name for claim in claims), 0), dict.fromkeys((c.name for c in claims), 0)
    for number in range(runs):
        claim = claims[number % len(claims)]
        assert claim.sound is not None
        tried[claim.name] += 1
        accused[claim.name] += judged(claim.sound(setting_at_random(rng))).verdict is Verdict.REFUTED
    return Accusations(runs=tried, accused=accused)


Table: TypeAlias = NDArray[np.float64]
Sampler: TypeAlias = Callable[[int, int], NDArray[np.int64]]  # draws of an input


def _cumulative(rows: Table, rng: np.random.Generator) -> Sampler:
    """Sums of rows are kept between calls."""
    sums: dict[int, NDArray[np.float64]] = {}

    def draw(word: int, count: int) -> NDArray[np.int64]:
        kept = sums.setdefault(word, rows[word].cumsum())
        return np.minimum(kept.searchsorted(rng.random(count), side="right"), len(kept) - 1).astype(np.int64)

    return draw


def _buffered(rows: Table, rng: np.random.Generator) -> Sampler:
    """One block of uniform numbers serves several calls; none is used twice."""
    block = rng.random(3_000)
    used = 0

    def draw(word: int, count: int) -> NDArray[np.int64]:
        nonlocal block, used
        if used + count > len(block):
            block, used = np.concatenate([block[used:], rng.random(count + 3_000)]), 0
        numbers, used = block[used : used + count], used + count
        return np.minimum(rows[word].cumsum().searchsorted(numbers, side="right"), rows.shape[1] - 1).astype(np.int64)

    return draw


def _alias(rows: Table, rng: np.random.Generator) -> Sampler:
    """Walker's tables, made at the first call of an input."""
    tables: dict[int, tuple[NDArray[np.float64], NDArray[np.int64]]] = {}

    def made(word: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        size = rows.shape[1]
        shares, other = rows[word] * size, np.arange(size)
        small = [i for i in range(size) if shares[i] < 1]
        large = [i for i in range(size) if shares[i] >= 1]
        while small and large:
            low, high = small.pop(), large[-1]
            other[low] = high
            shares[high] -= 1 - shares[low]
            if shares[high] < 1:
                small.append(large.pop())
        return shares, other

    def draw(word: int, count: int) -> NDArray[np.int64]:
        if word not in tables:
            tables[word] = made(word)
        shares, other = tables[word]
        column = rng.integers(0, len(shares), count)
        return np.where(rng.random(count) < shares[column], column, other[column])

    return draw


def _gumbel(rows: Table, rng: np.random.Generator) -> Sampler:
    """The largest noisy logarithm; the generator takes a new seed at every call, from a counter's state."""
    calls = 0
    secret = int(rng.integers(2**62))

    def draw(word: int, count: int) -> NDArray[np.int64]:
        nonlocal calls
        calls += 1
        noise = np.random.default_rng([secret, calls]).gumbel(size=(count, rows.shape[1]))
        return (np.log(rows[word]) + noise).argmax(axis=1)

    return draw


def _choice(rows: Table, rng: np.random.Generator) -> Sampler:
    """One generator for all inputs, whose order of calls decides nothing."""
    return lambda word, count: rng.choice(rows.shape[1], count, p=rows[word])


def _response(setting: TrialSetting) -> Table:
    size = len(setting.points)
    kept = np.exp(np.where(np.eye(size) == 1, setting.epsilon, 0.0))
    return kept / kept.sum(axis=1, keepdims=True)


def _neighbors(setting: TrialSetting) -> Table:
    """Each word and the next one are raised: equal totals."""
    size = len(setting.points)
    raised = np.eye(size) + np.roll(np.eye(size), 1, axis=1)
    weights = np.where(raised > 0, math.exp(setting.epsilon), 1.0)
    return weights / weights.sum(axis=1, keepdims=True)


def _geometric(setting: TrialSetting) -> Table:
    """Two-sided geometric noise on places, clamped."""
    size, ratio = len(setting.points), math.exp(-setting.epsilon)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    rows = ratio**steps * (1 - ratio) / (1 + ratio)
    rows[:, [0, -1]] = ratio ** steps[:, [0, -1]] / (1 + ratio)
    return rows


_FORMS = {
    "exponential": lambda setting: exponential(setting).rows,
    "response": _response,
    "neighbors": _neighbors,
    "geometric": _geometric,
}
_SAMPLERS = {"choice": _choice, "cumulative": _cumulative, "buffered": _buffered, "alias": _alias, "gumbel": _gumbel}
KINDS = tuple((form, sampler) for form in _FORMS for sampler in _SAMPLERS)
"""Twenty kinds of sound constructions: four forms, each drawn in five ways, some with states and caches."""


def drawn_accusations(runs: int, rng: np.random.Generator) -> int:
    """How many of so many sound channels a sampled audit refutes; the claim is the exact loss of the pair.

    Kinds take turns.
    """
    accused = tried = 0
    while tried < runs:
        form, sampler = KINDS[tried % len(KINDS)]
        table = _FORMS[form](setting_at_random(rng))
        first, second = rng.choice(len(table), 2, replace=False).tolist()
        loss = float(np.abs(np.log(table[first]) - np.log(table[second])).max())
        if loss > _LARGEST:
            continue
        tried += 1
        draw = _SAMPLERS[sampler](table, rng)
        finding = audit_sampled(draw, [(first, second)], Claim(epsilon=loss), samples=SAMPLES, confidence=0.999)
        accused += finding.verdict is Verdict.REFUTED
    return accused


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--computed", type=int, default=10_000)
    parser.add_argument("--drawn", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    start = time.perf_counter()
    computed = accuse_sound(options.computed, rng)
    counts = {"computed": (sum(computed.accused.values()), options.computed)}
    counts["drawn"] = (drawn_accusations(options.drawn, rng), options.drawn)
    print(f"{'verdicts':<10} {'sound forms':>12} {'accused':>8} {'rate at most (99 %)':>20}")
    for name, (accused, runs) in counts.items():
        rate = clopper_pearson(accused, runs, 0.98).upper
        print(f"{name:<10} {runs:>12,} {accused:>8} {rate:>20.5f}")
    print(f"{time.perf_counter() - start:.0f} s, seed {options.seed}")


if __name__ == "__main__":
    main()
