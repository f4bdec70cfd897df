"""Mean cosine of a word and its output against epsilon, for every mechanism and for the bound that none can exceed.

    python benchmarks/frontier.py [--words N] [-o DIR]     table, and frontier.png and frontier.svg

All mechanisms give epsilon-DP for any two words (gaussian with delta 1e-5 beside it). Channels are summed exactly from
the integers that they draw by; noise mechanisms are drawn from, with intervals of 99 %. Words are the most frequent
ones of the embedded vocabulary; the prior counts them alike, or by Zipf's law.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from optimal import first

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import IntegerWeights
from textveil.randomness import seeded_generator
from textveil.types import Reals
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.optimal import optimal
from textveil_lab.mechanisms.sampling.optimal_weights import utility_of
from textveil_lab.plots import new_figure, save_figure
from textveil_lab.vocabulary.geometry import normalize

EPSILONS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
DRAWS = 40_000
PRIORS = {"flat": "All words alike", "zipf": "Words by Zipf's law"}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "weighted": ("neighborhood", {"base_weights": "frequency"}),
    "flat weights": ("neighborhood", {"base_weights": "flat"}),
    "randomized response": ("randomized-response", {}),
    "exponential": ("exponential", {}),
    "gaussian": ("gaussian", {"delta": 1e-5}),
    "spherical laplace": ("spherical-laplace", {}),
}


def mean_cosine(vocabulary: Vocabulary, prior: str, epsilon: float, name: str) -> tuple[float, float]:
    """The mean cosine of one mechanism, and half the width of its interval; 0 where it is exact."""
    kind, options = OTHERS[name]
    if name == "weighted":
        options = {**options, "prior": prior}
    made = word_mechanism(kind, vocabulary, epsilon=epsilon, **options)
    share = shares(vocabulary, prior)
    if isinstance(made, IntegerWeights):
        utility, value = utility_of(vocabulary, "cosine"), 0.0
        for ids in np.array_split(np.arange(len(vocabulary)), max(1, len(vocabulary) // 256)):
            weights = made.integer_weights(ids)
            rows = weights / weights.sum(axis=1, keepdims=True).astype(np.float64)
            value += float(share[ids] @ (rows * utility.rows(ids)).sum(axis=1))
        return value, 0.0
    rng, units = seeded_generator(1), normalize(vocabulary.vectors)
    ids = rng.choice(len(vocabulary), size=DRAWS, p=share)
    found = (units[ids] * units[made.privatize(ids, rng)]).sum(axis=1)
    return float(found.mean()), 2.58 * float(found.std()) / DRAWS**0.5


def shares(vocabulary: Vocabulary, prior: str) -> Reals:
    """The prior, shape (n,)."""
    counts = word_frequencies(vocabulary, prior).counts
    return counts / counts.sum()


def main() -> None:
    """Print the table and draw the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--words", type=int, default=3000)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/figures"))
    given = parser.parse_args()
    vocabulary = first(given.words)
    chart = new_figure(list(PRIORS.values()), x="epsilon, nats", y="mean cosine of a word and its output")
    print(f"{'prior':6s} {'epsilon':>7s} {'bound':>7s} {'optimal':>8s} " + " ".join(f"{one:>20s}" for one in OTHERS))
    for panel, prior in zip(chart.panels, PRIORS, strict=True):
        best, rows = [], []
        for epsilon in EPSILONS:
            made = optimal(vocabulary, epsilon=epsilon, prior=prior)
            best.append((made.bound, made.value))
            rows.append([mean_cosine(vocabulary, prior, epsilon, name) for name in OTHERS])
            cells = " ".join(f"{value:.3f} +- {half:.3f}".rjust(20) for value, half in rows[-1])
            print(f"{prior:6s} {epsilon:7g} {made.bound:7.3f} {made.value:8.3f} {cells}", flush=True)
        panel.axes.plot(
            EPSILONS, [one[0] for one in best], color="black", linewidth=1.2, label="bound: no channel is above"
        )
        panel.line(EPSILONS, [one[1] for one in best], "optimal", style=0)
        for number, name in enumerate(OTHERS):
            values = np.array([row[number] for row in rows])
            panel.line(
                EPSILONS, values[:, 0], name, style=number + 1, low=values[:, 0] - values[:, 1],
                high=values[:, 0] + values[:, 1],
            )  # fmt: skip
        panel.axes.set_ylim(-0.02, 1.0)
    chart.legend(columns=4)
    given.output.mkdir(parents=True, exist_ok=True)
    save_figure(chart, given.output, "frontier")


if __name__ == "__main__":
    main()
