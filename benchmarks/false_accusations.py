"""How often the method of ``textveil audit-field`` accuses a form that is sound: never more than its stated rate.

Computed verdicts: sound forms of the table's cases at words, epsilons and dimensions drawn at random. Drawn verdicts:
the sampled audit at 99.9 % confidence on exponential mechanisms whose claim is exactly what they lose.

    python benchmarks/false_accusations.py [--computed 10000] [--drawn 5000] [--seed 1]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

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


def drawn_accusations(runs: int, rng: np.random.Generator) -> int:
    """How many of so many sound channels a sampled audit refutes; the claim is the exact loss of the pair."""
    accused = tried = 0
    while tried < runs:
        table = exponential(setting_at_random(rng)).rows
        first, second = rng.choice(len(table), 2, replace=False).tolist()
        loss = float(np.abs(np.log(table[first]) - np.log(table[second])).max())
        if loss > _LARGEST:
            continue
        tried += 1

        def draw(word: int, count: int, rows: NDArray[np.float64] = table) -> NDArray[np.int64]:
            return rng.choice(len(rows), count, p=rows[word])

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
