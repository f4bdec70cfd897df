"""What benchmarks run on: vectors of any size, points beside them, and a made corpus."""

from dataclasses import dataclass
from typing import final

import numpy as np

from textveil.types import Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

_NOISE = 2.0
"""Standard deviation of the queries' noise on a coordinate, where vectors have about 0.35: what large budgets give."""

_JITTER = 0.3
"""Of the copies that make a large table out of a small one."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much a benchmark does.

    Attributes:
        sizes: numbers of words.
        batches: numbers of queries.
        rounds: pairs that are measured.
        corpus_words: words of the corpus.
        corpus_megabytes: sizes of the files whose memory is measured.
    """

    sizes: tuple[int, ...]
    batches: tuple[int, ...]
    rounds: int
    corpus_words: int
    corpus_megabytes: tuple[int, ...]


FULL = Scale(
    sizes=(1_000, 3_000, 10_000, 32_698, 100_000, 400_000),
    batches=(1, 16, 64, 256, 1024, 4096),
    rounds=5,
    corpus_words=2_000_000,
    corpus_megabytes=(1, 10, 50, 200),
)
QUICK = Scale(sizes=(1_000, 10_000), batches=(64, 1024), rounds=2, corpus_words=100_000, corpus_megabytes=(1, 4))


def table(words: int, vocabulary: Vocabulary | None = None) -> Vectors:
    """Real vectors, the first ``words`` of them; where there are fewer, jittered copies follow."""
    vectors = (vocabulary or load_vocabulary()).vectors
    if words <= len(vectors):
        return np.ascontiguousarray(vectors[:words])
    rng = np.random.default_rng(words)
    out = np.empty((words, vectors.shape[1]), dtype=np.float32)
    out[: len(vectors)] = vectors
    for start in range(len(vectors), words, len(vectors)):
        part = out[start : start + len(vectors)]
        rng.standard_normal(out=part, dtype=np.float32)
        part *= _JITTER
        part += vectors[: len(part)]
    return out


def noisy_points(vectors: Vectors, batch: int) -> Vectors:
    """Queries as a noise mechanism asks them: real rows, and noise of ``_NOISE`` a coordinate."""
    rng = np.random.default_rng(batch)
    noise = rng.standard_normal((batch, vectors.shape[1]), dtype=np.float32)
    return vectors[rng.integers(0, len(vectors), batch)] + np.float32(_NOISE) * noise


def made_corpus(words: int, seed: int = 1) -> list[str]:
    """Documents of about 200 Zipf-distributed words, with punctuation, numbers and words that no vocabulary has."""
    known = load_vocabulary().words
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(known) + 1)
    drawn = rng.choice(len(known), size=words, p=weights / weights.sum())
    surfaces = np.array(known, dtype=object)[drawn].tolist()
    for index in np.flatnonzero(rng.random(words) < 0.03).tolist():
        surfaces[index] = f"{surfaces[index]}{'xqz'[index % 3]}ly"
    for index in np.flatnonzero(rng.random(words) < 0.02).tolist():
        surfaces[index] = str(int(rng.integers(1, 3000)))
    ends = rng.random(words)
    pieces = [
        surface + (". " if end < 0.06 else ", " if end < 0.11 else " ")
        for surface, end in zip(surfaces, ends.tolist(), strict=True)
    ]
    return ["".join(pieces[start : start + 200]).strip() for start in range(0, words, 200)]
