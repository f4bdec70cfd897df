"""Language models made for tests."""

from dataclasses import dataclass, field

import numpy as np

from textveil.models.language_model import Continuations
from textveil.types import Ids, Vectors


@dataclass(frozen=True, eq=False)
class TinyBigrams:
    """Bigrams of made-up probabilities: some words listed after every context, the others by the unigram."""

    size: int
    seed: int = 3
    listed: int = 2
    name: str = "tiny bigrams"
    digest: str = "0" * 64
    order: int = 2
    unigram: Vectors = field(init=False)
    table: Vectors = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        unigram = rng.dirichlet(np.ones(self.size))
        table = np.tile(0.3 * unigram, (self.size + 2, 1))
        for row in table:
            row[rng.permutation(self.size)[: self.listed]] += rng.dirichlet(np.ones(self.listed)) * 0.7
        object.__setattr__(self, "unigram", np.log(unigram).astype(np.float32))
        object.__setattr__(self, "table", table.astype(np.float32))

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        return np.log(np.take_along_axis(self.table[contexts[:, -1]], words, 1))

    def continuations(self, contexts: Ids) -> Continuations:
        rows = self.table[contexts[:, 0]]
        above = rows > 0.3 * np.exp(self.unigram) * (1 + 1e-5)
        starts = np.concatenate([[0], np.cumsum(above.sum(axis=1))])
        rest = np.full(len(rows), 0.3, dtype=np.float32)
        return Continuations(starts, above.nonzero()[1], rows[above], rest)
