"""Counts of persons who wrote each word or n-gram: noisy, released under one epsilon for all that a person wrote.

Words of a public list are counted with noise, and written if they stand out of it. Others are selected: their noisy
value must reach a threshold that nobody's own words reach. An n-gram is counted only if both of its parts, one word
shorter, were written. Proof: ``privacy/proofs/corpus_counts.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from textveil.aggregates.budget import GRID, SIZE_WEIGHT, ContributionBound, GaussianBudget
from textveil.aggregates.parts import Parts
from textveil.aggregates.person_words import BREAK, PersonWords, Spill
from textveil.errors import need
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.units import Adjacency
from textveil.randomness import SECRET_BYTES
from textveil.types import Flags, Integers, Reals

PROOF: Final = "proofs/corpus_counts.md"
LONGEST: Final = 4  # Words of the longest n-grams
SELECTIONS: Final = Fraction(1, 5)  # Part of delta that selections take
LABELS_SHARE: Final = Fraction(1, 20)
"""Share of the noise's budget that the choice of labels takes, if they are private."""

SPURIOUS: Final = 0.01  # Part of the items written of a public list that nobody has: about so many at most, on average
CONFIDENCE: Final = 0.95  # Of the intervals
_FIRST_PUBLIC: Final = Fraction(1, 4)
_FIRST_SELECTED: Final = Fraction(1, 10)
"""Share of a length's budget that its first round takes, with a public list and without: it tells the second round
where precision is worth most. These shares and the weights below were chosen by experiment on AG News."""

_RARE: Final = 1.0  # standard deviations of the first round's noise below which an item is taken for rare
_RARE_WEIGHT: Final = 3 * GRID // 10
"""Weight of rare items of a public list in the second round: their counts are hardly ever written."""

_SELECTED_WEIGHT: Final = GRID // 10
"""Weight, in the second round, of items that the first one selected: they leave room for others."""

_SECOND_PUBLIC: Final = Fraction(3, 5)
_SECOND_SELECTED: Final = Fraction(1, 4)
"""Items that count in full in the second round, as a part of those in the first, with a public list and without."""

_FEWER: Final = 4  # how many times fewer n-grams of a person count in full than words: few of them are candidates
_LISTED: Final = 1 << 23
"""Candidates for n-grams that are all given noise, as a public list; of more, those that somebody has are selected."""

_OUTLIERS: Final = 4  # standard deviations of noise above which a number of persons is believed
_WAITING: Final = 1 << 23  # sums of items that wait before they are added up
_AT_ONCE: Final = 1 << 18  # estimates that are joined at once: memory


@dataclass(frozen=True, slots=True)
class Count:
    """One line of the release; the interval covers the noise alone.

    Attributes:
        item: words, with spaces between.
        label: empty if none are asked for.
        count: estimated persons who have the item; with ``repeats``, their occurrences up to it.
        noise_low, noise_high: ends of the interval, for the noise alone: what the bound on persons takes is not in it.
    """

    item: str
    label: str
    count: int
    noise_low: int
    noise_high: int


_SHOWN: Final = 20  # counts that a notebook shows


@dataclass(frozen=True, kw_only=True)
class CountRelease:
    """All counts, and what may be told beside them."""

    counts: list[Count]  # by length, then label, then falling count
    guarantee: ApproximateDP
    noise: Mapping[str, float]  # standard deviation of each noise, by round, in persons, for items of weight 1
    thresholds: Mapping[str, float]  # the least value, in persons, of an item outside the public list, by round
    taken: Mapping[str, float]  # noisy part of all values that the bound on persons took, by round; counts have it back
    persons: int  # noisy; there are about so many, or more

    def _repr_html_(self) -> str:
        from textveil.pages.rendering import notebook

        first = self.counts[:_SHOWN]
        rows = [
            (each.item, each.label, f"{each.count:,}", f"{each.noise_low:,} to {each.noise_high:,}") for each in first
        ]
        notes = [f"{self.guarantee}, {self.guarantee.adjacency}", f"{len(self.counts):,} counts in all."]
        return notebook("Counts by person", notes, ("words", "label", "persons", "interval of the noise"), rows)


class _Estimates(NamedTuple):
    keys: Integers
    counts: Reals
    spreads: Reals

    def joined(self, more: _Estimates) -> _Estimates:
        """Later ones, in place, of these keys and others: weighted if there are two, by inverse variances."""
        for start in range(0, self.keys.size, _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            both = np.searchsorted(more.keys, self.keys[rows])
            ours, theirs = self.spreads[rows] ** -2, more.spreads[both] ** -2
            more.counts[both] = (ours * self.counts[rows] + theirs * more.counts[both]) / (ours + theirs)
            more.spreads[both] = (ours + theirs) ** -0.5
        return more

    def those(self, rows: Flags) -> _Estimates:
        return _Estimates(self.keys[rows], self.counts[rows], self.spreads[rows])


@dataclass(frozen=True, kw_only=True)
class Counting:
    """The texts, items and labels that are counted, and their budget."""

    budget: GaussianBudget  # of the whole release, with selections > 0
    bound: ContributionBound  # of the first round of each length
    ngrams: int = 1  # words of the longest n-grams, from 1 to ``LONGEST``
    # of words that everybody uses, in units of the grid, by spelling; public. Others have ``GRID``
    weights: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        need(1 <= self.ngrams <= LONGEST, "ngrams", self.ngrams, f"from 1 to {LONGEST}")

    def check(self, public: int, *, selects_labels: bool) -> None:
        """Refuse, before anybody pays, what noise could not be drawn for.

        Raises ParameterError: the noise of a round could be too large for its sampler.
        """
        whole = (1 - LABELS_SHARE * selects_labels) / self.ngrams
        for length in range(1, self.ngrams + 1):
            share = _FIRST_PUBLIC if length == 1 and public and not selects_labels else _FIRST_SELECTED
            items = self.bound.items if length == 1 else -(-self.bound.items // _FEWER)
            self.budget.noise(ContributionBound(items, self.bound.repeats).squared_sensitivity, whole * share)

    def release(
        self,
        corpus: Parts[PersonWords],
        public: Sequence[str],
        adjacency: Adjacency,
        rng: np.random.Generator,
        labels: Sequence[str] | None = (),
    ) -> CountRelease:
        """Count, add noise, select.

        Args:
            public: words of the public list, which the corpus was read with.
            labels: public names of labels; None if labels are selected, empty if there are none.
        """
        return self.prepared(corpus, public, labels)(adjacency, rng)

    def prepared(
        self, corpus: Parts[PersonWords], public: Sequence[str], labels: Sequence[str] | None
    ) -> Callable[[Adjacency, np.random.Generator], CountRelease]:
        """Read the corpus; return ``release`` of it, which draws."""
        others, found = corpus.total(partial(_found, public=len(public)))
        # Numbers follow the spelling, so noise meets the same words however persons are parted.
        spellings, names = [*public, *sorted(others)], list(labels or sorted(found))
        held = corpus.kept(partial(_held, spellings=spellings, labels=names))

        def release(adjacency: Adjacency, rng: np.random.Generator) -> CountRelease:
            return _Run(self, held, len(public), rng, spellings, names, selects_labels=labels is None).release(
                adjacency
            )

        return release


class _Held(NamedTuple):
    """A part of the corpus."""

    corpus: PersonWords
    # for each word the written (n-1)-gram that begins there, or ``BREAK``; the words if n = 1
    places: Spill


def _held(corpus: PersonWords, spellings: list[str], labels: list[str]) -> _Held:
    corpus = corpus.renumbered(spellings, labels)
    return _Held(replace(corpus, spellings=[]), corpus.words)


def _found(corpus: PersonWords, public: int) -> tuple[set[str], set[str]]:
    """Words outside the public list, and labels."""
    return set(corpus.spellings[public:]), set(corpus.labels)


class _Grams(NamedTuple):
    length: int
    parts: int  # number of written (n-1)-grams

    def items(self, places: NDArray[np.int32]) -> Integers:
        """The n-gram that begins at each word of some records that are whole, or ``BREAK``.

        ``places``: as in ``_Held``, of these records.
        """
        starts = places.astype(np.int64)
        if self.length == 1:
            return starts
        following = np.append(starts[1:], BREAK)
        return np.where((starts >= 0) & (following >= 0), starts * self.parts + following, BREAK)

    def candidates(self, parts: Sequence[str], most: int) -> Integers:
        """All n-grams, n > 1, whose parts were written, ascending: as public as these; none if they are too many."""
        followers: dict[str, list[int]] = {}
        for number, part in enumerate(parts):
            followers.setdefault(part.rpartition(" ")[0], []).append(number)
        after = [followers.get(part.partition(" ")[2], []) for part in parts]
        if sum(map(len, after)) > most:
            return np.empty(0, dtype=np.int64)
        own = (np.array(ends, dtype=np.int64) + part * self.parts for part, ends in enumerate(after))
        return np.concatenate([np.empty(0, dtype=np.int64), *own])

    def names(self, items: Integers, parts: Sequence[str]) -> list[str]:
        if self.length == 1:
            return [parts[item] for item in items]
        firsts, lasts = np.divmod(items, self.parts)
        return [f"{parts[first]} {parts[last].rpartition(' ')[2]}" for first, last in zip(firsts, lasts, strict=True)]


class _Run:
    def __init__(
        self,
        counting: Counting,
        held: Parts[_Held],
        public: int,
        rng: np.random.Generator,
        spellings: list[str],
        labels: list[str],
        *,
        selects_labels: bool,
    ) -> None:
        self.counting, self.held, self.public, self.rng = counting, held, public, rng
        self.spellings, self.labels = spellings, labels
        self.labelled = max(len(self.labels), 1)  # a key is item * labelled + label
        self.chosen = np.ones(self.labelled, dtype=bool)
        self.selects_labels = selects_labels
        self.selections = 2 * counting.ngrams + self.selects_labels
        self.noise: dict[str, float] = {}
        self.thresholds: dict[str, float] = {}
        self.taken: dict[str, float] = {}
        self.persons = 0

    def release(self, adjacency: Adjacency) -> CountRelease:
        if self.selects_labels:
            self._select_labels()
        counts, names = list[Count](), self.spellings
        for length in range(1, self.counting.ngrams + 1):
            grams = _Grams(length, len(names))
            written = self._counted(grams, names)
            items = np.unique(written.keys // self.labelled)
            names = grams.names(items, names)
            counts += self._lines(written, items, names)
            if length < self.counting.ngrams:
                self.held = self.held.kept(partial(_placed, grams=grams, items=items))
        return CountRelease(
            counts=counts,
            guarantee=self.counting.budget.guarantee(adjacency, PROOF),
            noise=self.noise,
            thresholds=self.thresholds,
            taken=self.taken,
            persons=self.persons,
        )

    def _counted(self, grams: _Grams, names: Sequence[str]) -> _Estimates:
        """Return the rows of one length after two rounds; the second weights items by the first's outcome."""
        counting, name = self.counting, "words" if grams.length == 1 else f"{grams.length}-grams"
        whole = (1 - LABELS_SHARE * self.selects_labels) / counting.ngrams
        weights = self._weights(grams)
        labels = np.flatnonzero(self.chosen)
        listed = (
            np.arange(self.public) if grams.length == 1 else grams.candidates(names, _LISTED // max(labels.size, 1))
        )
        cells = (listed[:, None] * self.labelled + labels).ravel()
        del listed
        own = self._own(weights, cells)
        share, part = (_FIRST_PUBLIC, _SECOND_PUBLIC) if cells.size else (_FIRST_SELECTED, _SECOND_SELECTED)
        items = counting.bound.items if grams.length == 1 else -(-counting.bound.items // _FEWER)
        bound = ContributionBound(items, counting.bound.repeats)
        first = self._round(f"{name}, first round", grams, bound, whole * share, weights, cells, own)
        known, _ = _among(first.keys, cells)
        own = np.where(known, self._own(weights, first.keys), np.int16(_SELECTED_WEIGHT))
        own[known & (first.counts < _RARE * first.spreads)] = _RARE_WEIGHT
        bound = ContributionBound(max(int(items * part), 1), counting.bound.repeats)
        rest = whole * (1 - share)
        second = self._round(f"{name}, second round", grams, bound, rest, weights, first.keys, own)
        counts = first.joined(second)
        del first, second
        known, _ = _among(counts.keys, cells)
        chances = ndtr(-counts.counts / counts.spreads)  # that the noise alone is as high
        rows = np.flatnonzero(known & (chances <= SPURIOUS))  # no other can be written
        rows = rows[np.argsort(chances[rows], kind="stable")]
        fine = np.flatnonzero(chances[rows] <= SPURIOUS * np.arange(1, rows.size + 1) / max(cells.size, 1))
        written = fine[-1] + 1 if fine.size else 0  # Benjamini and Hochberg 1995
        known[rows[:written]] = False
        return counts.those(~known)

    def _own(self, weights: Integers, keys: Integers) -> NDArray[np.int16]:
        """Weights of the items of keys, which fit into 16 bits."""
        if weights.size == 1:
            return np.full(keys.size, weights[0], dtype=np.int16)
        return weights[keys // self.labelled % weights.size].astype(np.int16)

    def _round(
        self,
        name: str,
        grams: _Grams,
        bound: ContributionBound,
        share: Fraction,
        weights: Integers,
        cells: Integers,
        own: NDArray[np.int16],
    ) -> _Estimates:
        """Count, add noise, select.

        ``weights``: of the items outside ``cells``, by their numbers; ``cells``: keys that are public, or released
        before, ascending: all are estimated; ``own``: weights of these.
        """
        coins = self.rng.bytes(SECRET_BYTES)
        table, sizes, left = self.held.total(
            _RoundSums(grams, self.labelled, self.chosen, bound, weights, cells, own, coins)
        )
        noise = self.counting.budget.noise(bound.squared_sensitivity, share)
        correction, uncertain = self._correction(bound, sizes, left, noise)
        self.taken[name] = 1 - 1 / correction
        sigma = noise.continuous_sigma / GRID
        self.noise[name] = sigma
        keys, sums = table.total()
        known, at = _among(keys, cells)
        noisy = noise.sample(cells.size, self.rng)
        noisy[at[known]] += sums[known]
        others, high = self._selected(name, keys[~known], sums[~known], bound, noise)
        if others.size:
            at = np.searchsorted(cells, others)
            own, noisy = np.insert(own, at, self._own(weights, others)), np.insert(noisy, at, high)
            cells = np.insert(cells, at, others)
        counts = np.multiply(noisy, correction, dtype=np.float64)
        del noisy
        counts /= own
        spreads = np.divide(sigma * correction * GRID, own, dtype=np.float64)
        np.hypot(spreads, counts * uncertain, out=spreads)
        return _Estimates(cells, counts, spreads)

    def _selected(
        self, name: str, keys: Integers, sums: Integers, bound: ContributionBound, noise: DiscreteGaussian
    ) -> tuple[Integers, Integers]:
        threshold = self.counting.budget.threshold_of(noise, bound.held(), Fraction(1, self.selections))
        self.thresholds[name] = threshold / GRID
        noisy = sums + noise.sample(keys.size, self.rng)
        high = noisy >= threshold
        return keys[high], noisy[high]

    def _select_labels(self) -> None:
        bound = ContributionBound(1)
        table = self.held.total(partial(_label_sums, bound=bound, coins=self.rng.bytes(SECRET_BYTES)))
        noise = self.counting.budget.noise(bound.squared_values, LABELS_SHARE)  # no sizes come out of this round
        self.noise["labels"] = noise.continuous_sigma / GRID
        chosen, _ = self._selected("labels", *table.total(), bound, noise)
        self.chosen[:] = False
        self.chosen[chosen] = True

    def _weights(self, grams: _Grams) -> Integers:
        if grams.length > 1 or not self.counting.weights:
            return np.array([GRID])
        return np.array([*(self.counting.weights.get(word, GRID) for word in self.spellings), GRID])

    def _correction(
        self, bound: ContributionBound, sizes: Integers, left: Integers, noise: DiscreteGaussian
    ) -> tuple[float, float]:
        """Return the factor >= 1 that undoes the bound for the average of all values, and its relative deviation.

        It is made of noisy sums of sizes, and of what is left of them, of the groups that stand out of the noise.
        """
        noisy_sizes, noisy_left = np.array([sizes, left]) + noise.sample(2 * sizes.size, self.rng).reshape(2, -1)
        high = noisy_sizes > _OUTLIERS * noise.sigma
        if not self.persons:
            self.persons = max(round(int(noisy_sizes[high].sum()) / SIZE_WEIGHT), 0)
        if not high.any():
            return 1.0, 0.0
        largest = bound.sizes[high] / bound.sizes[0]
        deviation = noise.sigma * float(np.linalg.norm(largest))
        whole = float(largest @ noisy_sizes[high])
        part = max(float(largest @ noisy_left[high]), _OUTLIERS * deviation)
        return max(whole / part, 1.0), deviation * math.hypot(1 / whole, 1 / part)

    def _lines(self, written: _Estimates, items: Integers, names: Sequence[str]) -> list[Count]:
        keys, counts, spreads = written
        labels = keys % self.labelled
        wide = -float(ndtri((1 - CONFIDENCE) / 2)) * spreads
        lows, highs, whole = (np.maximum(ends, 0) for ends in (counts - wide, np.ceil(counts + wide), np.rint(counts)))
        lines = [
            Count(
                names[item], self.labels[label] if self.labels else "", int(whole[row]), int(lows[row]), int(highs[row])
            )
            for row, (item, label) in enumerate(zip(np.searchsorted(items, keys // self.labelled), labels, strict=True))
        ]
        # Numbers of words and labels depend on what others wrote, so no order of lines may come from them.
        return sorted(lines, key=lambda line: (line.label, -line.count, line.item, line.noise_low, line.noise_high))


@dataclass(frozen=True, slots=True)
class _RoundSums:
    """Values of the persons of a part for items in a round: sums by key, of sizes, and of what is left of them."""

    grams: _Grams
    labelled: int
    chosen: Flags
    bound: ContributionBound
    weights: Integers
    cells: Integers
    own: NDArray[np.int16]
    coins: bytes

    def __call__(self, held: _Held) -> tuple[_Sums, Integers, Integers]:
        table, (sizes, left) = _Sums(), np.zeros((2, self.bound.sizes.size), np.int64)
        for place, chunk in held.corpus.chunks():
            items = self.grams.items(held.places[place])
            counted = (items >= 0) & (chunk.labels >= 0) & self.chosen[chunk.labels]
            keys, persons = items[counted] * self.labelled + chunk.labels[counted], chunk.persons[counted]
            each = self.weights[keys // self.labelled % self.weights.size]
            known, at = _among(keys, self.cells)
            each[known] = self.own[at[known]]
            values = self.bound.values(persons, keys, each, self.coins)
            table.add(values.keys, values.values)
            sizes += values.sizes
            left += values.left
        return table, sizes, left


def _label_sums(held: _Held, bound: ContributionBound, coins: bytes) -> _Sums:
    table = _Sums()
    for _, chunk in held.corpus.chunks():
        values = bound.values(chunk.persons, chunk.labels, np.full(chunk.labels.size, GRID), coins)
        table.add(values.keys, values.values)
    return table


def _placed(held: _Held, grams: _Grams, items: Integers) -> _Held:
    """Return the places where written n-grams begin, by their numbers among ``items``."""
    places = Spill(np.int32)
    for place, _ in held.corpus.chunks():
        known, at = _among(grams.items(held.places[place]), items)
        places.append(np.where(known, at, BREAK))
    return held._replace(places=places)


class _Sums:
    """Sums of values by key, added up now and then: memory grows with the number of keys."""

    def __init__(self) -> None:
        self._parts: list[tuple[Integers, Integers]] = []
        self._waiting = 0

    def add(self, keys: Integers, values: Integers) -> None:
        self._parts.append(_added(keys, values))
        self._waiting += self._parts[-1][0].size
        if self._waiting > _WAITING + 2 * self._parts[0][0].size:
            self._parts, self._waiting = [self.total()], 0

    def __add__(self, more: _Sums) -> _Sums:
        self.add(*more.total())
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _sums_of, self.total()

    def total(self) -> tuple[Integers, Integers]:
        empty = np.empty(0, np.int64)
        keys, sums = (
            np.concatenate([empty, *columns]) for columns in zip(*self._parts or [(empty, empty)], strict=True)
        )
        return _added(keys, sums)


def _sums_of(keys: Integers, values: Integers) -> _Sums:
    table = _Sums()
    table.add(keys, values)
    return table


def _added(keys: Integers, values: Integers) -> tuple[Integers, Integers]:
    order = np.argsort(keys)
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(values, starts) if starts.size else values


def _among(keys: Integers, ascending: Integers) -> tuple[Flags, Integers]:
    if not ascending.size:
        return np.zeros(keys.size, dtype=bool), np.zeros(keys.size, dtype=np.int64)
    at = np.minimum(np.searchsorted(ascending, keys), ascending.size - 1)
    return ascending[at] == keys, at
