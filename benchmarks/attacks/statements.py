"""Channels that state one thing and draw another: how many an audit of usual options takes for what they state.

Each states rows of integer weights within its claim and lets a share of words, or of draws, through as they are. Beside
them honest channels, of which none may be accused.

    python benchmarks/attacks/statements.py [--runs 10] [--words 200] [--seed 1]
"""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from textveil.privacy.guarantees import PureDP
from textveil.randomness import resolve, seeded_generator
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Verdict
from textveil_lab.audit.whole_audit import audit_mechanism

LIES: Mapping[str, tuple[float, float]] = {
    "every draw": (1.0, 1.0),
    "half of the words": (0.5, 1.0),
    "a tenth of the words": (0.1, 1.0),
    "a tenth of the draws": (1.0, 0.1),
    "none (honest)": (0.0, 0.0),
}
"""Which shares of words and of their draws come out as they are, beyond what is stated."""


class Liar:
    """States randomized response, and draws by it but for a share of words and draws."""

    name = "liar"

    def __init__(self, vocabulary: Vocabulary, epsilon: float, words: float, draws: float) -> None:
        self.vocabulary, self.draws = vocabulary, draws
        self.guarantee = PureDP(epsilon=epsilon)
        self.parameters: Mapping[str, Any] = {"epsilon": epsilon}
        self.kept = np.arange(len(vocabulary)) < words * len(vocabulary)
        self.own = int(1000 * np.exp(epsilon) * (1 - 1e-9))

    def integer_weights(self, ids: Ids) -> Integers:
        """Of randomized response."""
        rows = np.full((len(ids), len(self.vocabulary)), 1000, dtype=np.int64)
        rows[np.arange(len(ids)), ids] = self.own
        return rows

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """What it does."""
        source, size = resolve(rng), len(self.vocabulary)
        stated = np.where(
            source.integers(0, self.own + 1000 * (size - 1), len(ids)) < self.own - 1000,
            ids,
            source.integers(0, size, len(ids)),
        )
        return np.where(self.kept[ids] & (source.random(len(ids)) < self.draws), ids, stated)


def believed(lie: str, runs: int, words: int, seed: int) -> int:
    """How many audits of this kind of channel give another verdict than "contradicted"."""
    rng = seeded_generator(seed)
    vectors = rng.normal(size=(words, 4)).astype(np.float32)
    vocabulary = Vocabulary([f"w{one}" for one in range(words)], vectors, "made")
    made = [Liar(vocabulary, float(epsilon), *LIES[lie]) for epsilon in rng.uniform(0.5, 5, runs)]
    return sum(
        audit_mechanism(one, seed=seed + number, attacks=False).verdict is not Verdict.CONTRADICTED
        for number, one in enumerate(made)
    )


def main() -> int:
    """Print the counts; 1 where a lie is believed, or an honest channel is accused."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--words", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    wrong = 0
    for lie in LIES:
        count = believed(lie, given.runs, given.words, given.seed)
        honest = LIES[lie] == (0.0, 0.0)
        wrong += given.runs - count if honest else count
        print(f"unchanged beyond the statement: {lie}: {count} of {given.runs} audits believed the rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
