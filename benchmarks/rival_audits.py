"""Power of sampled audits against draws: the lab's beside methods of others, on the same twenty planted faults.

Each fault is a pair of inputs of a published form with the claim that it breaks; each sound form is that form mended.
A method sees draws of both inputs and says whether the claim is refuted; its chance of a false accusation is to be 1 %.
The others are written here in their manner, for outputs that can be counted; their code and papers were not at hand:

    sniper      DP-Sniper (Bichsel et al. 2021): a likelihood ratio learned on half of the draws, cut where an event
                has probability 0.01 under the second input; the other half bounds its ratio
    siege       Delta-Siege (Lokna et al. 2023): the same ratio, cut where half of the draws show most
    teda        TeDA (2603.22968), its hypothesis test: the same ratio, cut at 1, both kinds of errors
    auditorium  DP-Auditorium (Kong et al. 2023), its hockey-stick test: the set where the learned ratio is above
                e^epsilon, with Hoeffding's bound on the divergence
    canary      as canarywire's leak test for gateways: accuses if the planted value comes out; it knows no epsilon

    python benchmarks/rival_audits.py [--repeats 10] [--output docs/figures]
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError
from textveil.statistics import clopper_pearson
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.bounds import audit_sampled
from textveil_lab.mechanisms.published.claims import ComputedTable, Law, line, word_table
from textveil_lab.mechanisms.published.table import CLAIMS
from textveil_lab.plots import new_figure, save_figure

ALPHA = 0.01
DRAWS = (200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)  # for each input
Rows = NDArray[np.float64]
Counts = NDArray[np.int64]
Method = Callable[["Case", np.random.Generator, int], bool]


@dataclass(frozen=True, kw_only=True)
class Case:
    """Two inputs of a channel, and what is claimed of them."""

    name: str
    rows: Rows  # shape (2, outputs)
    epsilon: float
    delta: float = 0.0
    same: int = -1  # the output that is the first input itself; -1 if none is

    def counts(self, rng: np.random.Generator, draws: int) -> Counts:
        """Return how often each output came, shape (2, outputs)."""
        return np.array([rng.multinomial(draws, row / row.sum()) for row in self.rows])


def worst_pair(name: str, law: Law) -> Case | None:
    """Return the two inputs of a computed table whose loss exceeds the claim most; None for laws of other kinds."""
    if not isinstance(law, ComputedTable):
        return None
    claimed, best = law.claimed, None
    for x, other in np.argwhere(np.isfinite(claimed)).tolist():
        excess = float(np.maximum(law.rows[x] - math.exp(min(claimed[x, other], 700)) * law.rows[other], 0).sum())
        if best is None or excess > best[0]:
            best = excess, x, other
    assert best is not None
    _, x, other = best
    same = list(law.outputs).index(law.inputs[x]) if law.inputs[x] in law.outputs else -1
    delta = math.exp(law.log_delta) if law.log_delta > -math.inf else 0.0
    return Case(name=name, rows=law.rows[[x, other]], epsilon=float(claimed[x, other]), delta=delta, same=same)


def cases() -> tuple[list[Case], list[Case]]:
    """Return twenty faults, and the sound forms of the same."""
    faults, sound = [], []
    for claim in CLAIMS:
        if claim.repaired is None or claim.published is None:
            continue
        pair = [worst_pair(claim.name, form(claim.setting)) for form in (claim.published, claim.repaired)]
        if pair[0] is not None and pair[1] is not None:
            faults.append(pair[0])
            sound.append(pair[1])
    setting = line(1.0, 0.0, 1.0, 2.0, 3.0)
    for name, spent in (("planted: epsilon a fifth too large", 1.2), ("planted: two draws for one", 2.0)):
        for chosen, epsilon in ((faults, spent), (sound, 1.0)):
            kept = np.exp(np.where(np.eye(4) == 1, epsilon, 0.0))
            found = worst_pair(name, word_table(setting, kept / kept.sum(axis=1, keepdims=True)))
            assert found is not None
            chosen.append(replace(found, epsilon=1.0))
    return faults, sound


def ours(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """The lab's sampled audit."""

    def draw(word: int, count: int) -> Counts:
        return rng.choice(case.rows.shape[1], count, p=case.rows[word] / case.rows[word].sum())

    claim = Claim(epsilon=case.epsilon, log_delta=math.log(case.delta) if case.delta else -math.inf)
    try:
        return audit_sampled(draw, [(0, 1)], claim, samples=draws, confidence=1 - ALPHA).verdict is Verdict.REFUTED
    except InputError:  # too few draws for any outcome to refute the claim
        return False


def _refutes(case: Case, hits: Sequence[float], trials: int, tests: int) -> bool:
    bounds = [clopper_pearson(int(hit), trials, 1 - 2 * ALPHA / (2 * tests)) for hit in hits]
    return bounds[0].lower - case.delta > math.exp(min(case.epsilon, 700)) * bounds[1].upper


def _tested(case: Case, rng: np.random.Generator, draws: int, chosen: Callable[[Counts], Rows]) -> bool:
    """Whether an event that half of the draws chooses refutes the claim on the other half, in either direction."""
    found = False
    for rows in (case.rows, case.rows[::-1]):
        learned, counts = (replace(case, rows=rows).counts(rng, draws // 2) for _ in range(2))
        found = found or _refutes(case, (counts * chosen(learned)).sum(axis=1), draws // 2, 2)
    return found


def _ratio(learned: Counts) -> Rows:
    ratio: Rows = (learned[0] + 0.5) / (learned[1] + 0.5)
    return ratio


def _first(learned: Counts, count: int) -> Rows:
    """The ``count`` outputs of the largest ratio."""
    chosen = np.zeros(learned.shape[1])
    chosen[np.argsort(-_ratio(learned))[: max(1, count)]] = 1
    return chosen


def sniper(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """An event of probability about 0.01 under the second input."""

    def chosen(learned: Counts) -> Rows:
        shares = learned[1][np.argsort(-_ratio(learned))].cumsum() / learned[1].sum()
        return _first(learned, int(np.searchsorted(shares, 0.01, side="right")))

    return _tested(case, rng, draws, chosen)


def siege(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """The cut at which the half that teaches shows most."""

    def chosen(learned: Counts) -> Rows:
        shares = learned[:, np.argsort(-_ratio(learned))].cumsum(axis=1) / learned[1].sum()
        worth = np.log(np.maximum(shares[0] - case.delta, 1e-12)) - np.log(shares[1] + 5 / learned[1].sum())
        return _first(learned, int(np.argmax(worth)) + 1)

    return _tested(case, rng, draws, chosen)


def teda(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """The cut at a ratio of 1."""
    return _tested(case, rng, draws, lambda learned: (_ratio(learned) > 1).astype(np.float64))


def auditorium(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """The hockey-stick divergence over a learned set, by Hoeffding's bound."""
    found, factor = False, math.exp(min(case.epsilon, 700))
    room = (1 + factor) * math.sqrt(math.log(4 / ALPHA) / (2 * (draws // 2)))
    for rows in (case.rows, case.rows[::-1]):
        learned, counts = (replace(case, rows=rows).counts(rng, draws // 2) for _ in range(2))
        shares = counts[:, _ratio(learned) > factor].sum(axis=1) / (draws // 2)
        found = found or bool(shares[0] - factor * shares[1] - room > case.delta)
    return found


def canary(case: Case, rng: np.random.Generator, draws: int) -> bool:
    """Whether the planted value comes out at all."""
    return case.same >= 0 and bool(case.counts(rng, draws)[0][case.same])


METHODS: dict[str, Method] = {
    "textveil": ours,
    "sniper": sniper,
    "siege": siege,
    "teda": teda,
    "auditorium": auditorium,
    "canary": canary,
}


def power(method: Method, tried: Sequence[Case], draws: int, repeats: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return how many of so many trials refute."""
    hits = sum(method(case, rng, draws) for case in tried for _ in range(repeats))
    return hits, len(tried) * repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="folder for rivals.svg and rivals.json")
    options = parser.parse_args()
    rng, start = np.random.default_rng(options.seed), time.perf_counter()
    faults, sound = cases()
    print(f"{len(faults)} faults, {len(sound)} sound forms, {options.repeats} times each, alpha {ALPHA}")
    print("method".ljust(12), *(f"{draws:>8,}" for draws in DRAWS), "  accused, of sound forms")
    found: dict[str, dict[str, Any]] = {}
    for name, method in METHODS.items():
        shares = [hits / of for hits, of in (power(method, faults, n, options.repeats, rng) for n in DRAWS)]
        wrong = [power(method, sound, n, options.repeats, rng) for n in (1_000, 10_000, 100_000)]
        accused, trials = (sum(one[i] for one in wrong) for i in (0, 1))
        bound = clopper_pearson(accused, trials, 0.99)
        print(
            name.ljust(12),
            *(f"{share:>8.3f}" for share in shares),
            f"  {accused} of {trials}, at most {bound.upper:.4f}",
        )
        found[name] = {"power": shares, "accused": accused, "sound": trials}
    print(f"{time.perf_counter() - start:.0f} s, seed {options.seed}")
    if options.output is not None:
        chart = new_figure(["Share of twenty planted faults that are refuted"], x="draws of each input", y="")
        for style, (name, row) in enumerate(found.items()):
            if name != "canary":  # it accuses sound forms as well
                chart.panels[0].line(DRAWS, row["power"], name, style=style)
        chart.panels[0].axes.set_xscale("log")
        chart.panels[0].legend()
        save_figure(chart, options.output, "rivals")
        data = {"draws": DRAWS, "alpha": ALPHA, "seed": options.seed, "methods": found}
        (options.output / "rivals.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
