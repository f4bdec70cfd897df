"""Themes of a corpus: groups of public texts, with noisy votes of the corpus for each.

The groups, their words and their texts are public; only the votes are of the corpus, with noise.
Proof: ``privacy/proofs/corpus_synthesize.md``.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from scipy.cluster.vq import kmeans2

from textveil.aggregates.features import PublicFeatures, WordReader, public_transform
from textveil.aggregates.payment import Fact, paid
from textveil.aggregates.report import AggregateReport
from textveil.aggregates.request import Batch, CorpusRequest
from textveil.aggregates.synthesis import NORM, PoolVectors
from textveil.errors import need
from textveil.numerics.discrete_noise import discrete_laplace
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import Unit
from textveil.registry.options import Option
from textveil.types import Integers

RELEASE: Final = "topics"
PROOF: Final = "proofs/corpus_synthesize.md"
CONFIDENCE: Final = 0.95
_SAMPLE: Final = 20_000  # public texts that groups are found from, at most: the first of a fixed random order
_ROUNDS: Final = 20
_WORDS, _TEXTS = 8, 3
_RARE: Final = 20.0
"""Words of the pool that are added to each word's count, in proportion to the pool: rare words do not stand out."""


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A group of public texts."""

    votes: float  # noisy; each person gives 1, shared among the groups of the person's records
    low: float  # of the interval for the noise
    high: float  # of the interval for the noise
    words: tuple[str, ...]  # public ones that are more frequent in the group than in the pool
    texts: tuple[str, ...]  # public ones, the nearest to the center

    def to_data(self) -> dict[str, Any]:
        """JSON data, in whole votes; the interval is rounded outwards."""
        votes = {"votes": max(round(self.votes), 0), "low": math.floor(self.low), "high": math.ceil(self.high)}
        return {**asdict(self), **votes}


class Themes(NamedTuple):
    """Themes by falling votes, and how many persons wrote the records: for the sender alone."""

    themes: list[Theme]
    report: AggregateReport
    persons: int


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of public texts."""

    centers: Integers  # in whole numbers, int64, shape (groups, dim): sums with them are exact
    of: Integers  # the group of each public text, shape (texts,)

    @classmethod
    def found(cls, vectors: PoolVectors, number: int) -> Groups:
        """Find groups by k-means; the same for the same pool."""
        rng = np.random.default_rng(0)  # of public texts alone
        sample = vectors.rows[rng.permutation(len(vectors.rows))[:_SAMPLE]].astype(np.float32)
        with warnings.catch_warnings(), np.errstate(invalid="ignore"):
            warnings.simplefilter("ignore")  # fewer different texts than groups: some are empty
            centers, _ = kmeans2(sample, number, iter=_ROUNDS, minit="++", seed=rng)
        whole = np.rint(centers).astype(np.int64)
        parts = (vectors.rows[first : first + 4096].astype(np.int64) for first in range(0, len(vectors.rows), 4096))
        return cls(whole, np.concatenate([nearest_group(part, whole) for part in parts]))


def nearest_group(vectors: Integers, centers: Integers) -> Integers:
    """The nearest center of each vector, the first of those that are alike; exact, so other rows cannot change it."""
    products = vectors.astype(np.float64) @ centers.T.astype(np.float64)  # whole numbers below 2^53
    return np.asarray((2 * products - np.square(centers).sum(axis=1)).argmax(axis=1), dtype=np.int64)


class VoteNoise(NamedTuple):
    """Two-sided geometric noise, P(z) proportional to exp(-epsilon |z| / grid), on votes in whole parts of one."""

    epsilon: float  # nats, finite and > 0
    grid: int  # parts of one vote; 1 where every person has a single record, so that nobody's vote is shared

    @property
    def _step(self) -> float:
        return math.exp(-self.epsilon / self.grid)  # P(z + 1) / P(z) for z >= 0

    @property
    def deviation(self) -> float:
        """Standard deviation, in votes."""
        return math.sqrt(2 * self._step) / -math.expm1(-self.epsilon / self.grid) / self.grid

    @property
    def reach(self) -> float:
        """Votes within which the noise is with probability ``CONFIDENCE``, or more."""
        log_tail = math.log((1 - CONFIDENCE) * (1 + self._step) / 2)  # P(|z| > r) is 2 step^(r + 1) / (1 + step)
        return max(math.ceil(-log_tail * self.grid / self.epsilon) - 1, 0) / self.grid

    def on(self, sums: Integers, rng: np.random.Generator) -> list[float]:
        """Return noisy votes."""
        scale = self.grid / Fraction(self.epsilon)
        return [(total + discrete_laplace(scale, rng)) / self.grid for total in sums.tolist()]


def votes(
    parts: Iterable[tuple[Integers, Integers]], groups: int, grid: int, *, by_person: bool
) -> tuple[Integers, int]:
    """Add up votes in parts of ``grid``; each person has one, shared among groups by the person's records.

    Args:
        parts: persons and groups of records.
        groups: how many there are.
        grid: parts of a vote; a person's shares are rounded down to it.
        by_person: whether a person may have several records.

    Returns the sums, shape (groups,), and the number of persons.
    """
    total, counts = np.zeros(groups, dtype=np.int64), dict[int, dict[int, int]]()
    persons = 0
    for owners, numbers in parts:
        if not by_person:
            total += grid * np.bincount(numbers, minlength=groups)
            persons += len(numbers)
            continue
        for person, group in zip(owners.tolist(), numbers.tolist(), strict=True):
            own = counts.setdefault(person, {})
            own[group] = own.get(group, 0) + 1
    for own in counts.values():
        records = sum(own.values())
        for group, count in own.items():
            total[group] += count * grid // records
    return total, persons + len(counts)


def _votes(
    batches: Iterable[Batch], features: PublicFeatures, centers: Integers, grid: int, *, by_person: bool
) -> tuple[Integers, int]:
    parts = ((batch.persons, nearest_group(features.vectors(batch.texts, NORM), centers)) for batch in batches)
    return votes(parts, len(centers), grid, by_person=by_person)


def topics(
    request: CorpusRequest,
    pool: Sequence[str],
    *,
    topics: Annotated[int, Option(help="Find so many themes in the pool.", metavar="K")] = 20,
) -> Themes:
    """Estimate how many persons write about each group of public texts.

    Args:
        request: its records are read once; labels do not count. Without a delta: the guarantee is pure.
        pool: public texts, each once.

    Raises InputError: a record cannot be read; ParameterError: a number is outside; BudgetExhausted: a person's budget
    does not reach.
    """
    need(2 <= topics <= len(pool), "topics", topics, f"between 2 and the texts of the public pool, {len(pool):,}")
    need(request.delta == 0, "delta", request.delta, "left out: topics hold at epsilon alone")
    need(0 < request.epsilon < math.inf, "epsilon", request.epsilon, "finite and > 0")
    records, words = request.records, request.words
    by_person = records.adjacency.unit is not Unit.DOCUMENT
    noise = VoteNoise(request.epsilon, NORM if by_person and records.limit != 1 else 1)
    features = PublicFeatures(words, public_transform(words))
    vectors = PoolVectors.of(pool, features, request.pool_progress)
    groups = Groups.found(vectors, topics)

    sums, persons = request.parts.total(
        partial(_votes, features=features, centers=groups.centers, grid=noise.grid, by_person=by_person)
    )
    guarantee = PureDP(
        epsilon=request.epsilon, status=status_of(__name__, PROOF), source=PROOF, adjacency=records.adjacency
    )
    settings: list[Fact] = ["topics", repr(noise), features.digest, topics, groups.centers.tobytes()]
    with paid(request, guarantee, settings) as drawing:
        noisy = noise.on(sums, drawing.rng)
    described = _described(pool, vectors, groups, words.words)
    themes = [
        Theme(
            votes=noisy[group],
            low=max(noisy[group] - noise.reach, 0.0),
            high=max(noisy[group] + noise.reach, 0.0),
            words=described[group][0],
            texts=described[group][1],
        )
        for group in np.argsort(-np.array(noisy), kind="stable").tolist()
    ]
    report = AggregateReport(
        release=RELEASE,
        paid=drawing,
        guarantee=guarantee,
        public={"vocabulary": words.name, "texts of the pool": len(pool), "themes": topics},
        bounded={"records per person": records.limit, "a person's votes (sum)": 1},
        noise={"votes": noise.deviation},
        facts={"confidence": CONFIDENCE},
    )
    return Themes(themes, report, persons)


_PARTED: Final = re.compile(r" (?:[,.]|n't|'(?:s|m|re|ve|ll|d))(?= |$)")
_SPACES: Final = (
    (re.compile(r"\s+"), " "),
    (re.compile(r"`` ?| ?''"), '"'),
    (re.compile(r" (?=[,.;:!?%)\]]|(?:n't|'(?:s|m|re|ve|ll|d))\b)|(?<=[(\[]) "), ""),
)
"""Writings of corpora that put spaces between tokens, and the usual ones."""


def readable(text: str) -> str:
    """Return a public text as people write it: corpora of words have "is n't good ," for "isn't good,"."""
    for pattern, instead in _SPACES if _PARTED.search(text) else _SPACES[:1]:
        text = pattern.sub(instead, text)
    return text.strip()


def _described(
    pool: Sequence[str], vectors: PoolVectors, groups: Groups, words: Sequence[str]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    number, size = len(groups.centers), len(words)
    counts = np.zeros((size, number))
    reader = WordReader(words)
    for first in range(0, len(pool), 4096):
        ids, bounds = reader.words(pool[first : first + 4096])
        cells = np.repeat(groups.of[first : first + 4096], np.diff(bounds)) * size + ids
        counts += np.bincount(cells, minlength=number * size).reshape(number, size).T
    base = counts.sum(axis=1) / max(counts.sum(), 1)
    shares = (counts + _RARE * base[:, None] * number) / (counts.sum(axis=0) + _RARE * number)
    excess = np.sqrt(counts) * np.log(np.maximum(shares, 1e-12) / np.maximum(base, 1e-12)[:, None])
    described = []
    for group in range(number):
        own = np.flatnonzero(groups.of == group)
        away = np.square(vectors.rows[own] - groups.centers[group]).sum(axis=1)
        top = np.argsort(-excess[:, group], kind="stable")[:_WORDS]
        described.append(
            (
                tuple(words[word] for word in top.tolist() if counts[word, group]),
                tuple(readable(pool[text]) for text in own[np.argsort(away, kind="stable")[:_TEXTS]].tolist()),
            )
        )
    return described
