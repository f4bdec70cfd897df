"""Linkage: an attacker compares each released record with background texts and names the likeliest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from math import log
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textveil.errors import need
from textveil.statistics import mean_of_shares, median
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Ids, Reals, Vectors

T = TypeVar("T")
CONFIDENCE: Final = 0.95  # Of each interval
LEAST_PERSONS: Final = 20  # With fewer, no interval is given
_DIGITS: Final = 5  # decimal digits in which scores are compared: what differs by rounding alone is a tie
_BLOCK: Final = 256  # records whose scores are computed together


class Attacker(Protocol):
    """Says how likely a released record and a background text are of the same person."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        """A row for each release, a column for each background text; higher is likelier, about 1 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of records, with its 95 % interval if there are enough persons.

    Persons are the sampled unit: each counts the same, by the share of their records. The interval is that of
    ``statistics.mean_of_shares``, Clopper and Pearson's if each person has one record.
    """

    records: int  # how many it is a share of
    persons: int  # whose records they are
    share: float  # from 0 to 1
    low: float | None  # lower end of the interval; None below ``LEAST_PERSONS`` persons
    high: float | None  # upper end


def by_person(numbers: Reals, persons: Ids) -> Reals:
    """The mean of each person's numbers, in the order of the persons' ids; ``persons``: whose each number is."""
    _, places, counts = np.unique(persons, return_inverse=True, return_counts=True)
    means: Reals = np.bincount(places, weights=numbers) / counts
    return means


def share_of(hits: NDArray[Any], persons: Ids, confidence: float = CONFIDENCE) -> Share:
    """A share of records with its interval.

    ``hits``: true or false for each record, or a probability; ``persons``: the id of each record's person, as many.
    """
    means = np.clip(by_person(hits.astype(np.float64), persons), 0, 1)
    low, high = _interval(means, confidence)
    return Share(records=len(hits), persons=len(means), share=float(means.mean()), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linkage:
    """The share of records for which one attacker names the right person.

    A tie is broken at random, as an attacker would: a right text that ties with m - 1 others at the top counts 1/m.
    Persons are the sampled unit: each counts the same, by the mean over their records.
    """

    attacker: str
    against: str  # what it compares with: "originals" or "background"
    top1: float  # share of records that it names at the first try
    top5: float  # share of records whose right person is among its five likeliest
    # lower end of the 95 % interval of ``top1``, see ``Share``; None for fewer than ``LEAST_PERSONS`` persons
    low: float | None
    high: float | None  # upper end
    top5_low: float | None  # of the interval of ``top5``
    top5_high: float | None
    median_rank: float  # of the right person, 1 is the likeliest; with ties, the mean of their ranks
    median_low: float | None  # of the interval of ``median_rank``, by order statistics
    median_high: float | None
    records: int
    persons: int  # whose records they are
    candidates: int  # how many persons the attacker chooses from; 1/candidates is chance
    ranks: Reals = field(repr=False)  # of each record's right person, shape (records,); private, and in no report
    # score of the right person less the best of the others, shape (records,); private, and in no report
    margins: Reals = field(repr=False)
    named: Reals = field(repr=False)  # ``top1`` of each person, shape (persons,); private, and in no report

    @property
    def chance(self) -> float:
        """The share that a guess names."""
        return 1 / self.candidates

    def to_data(self) -> dict[str, Any]:
        private = ("ranks", "margins", "named")
        data = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in private}
        return {**data, "chance": self.chance}


def linkage(
    scores: NDArray[np.float32] | Reals, truth: Ids, *, attacker: str = "", against: str = "originals"
) -> Linkage:
    """Return the outcome of an attacker's scores.

    Args:
        scores: finite, shape (records, candidates), at least one of each.
        truth: the right column of each row, shape (records,): the person; rows of one column are of one person.
    """
    records, candidates = scores.shape
    need(records >= 1 and candidates >= 1, "scores", f"shape {scores.shape}", "at least one row and column")
    need(len(truth) == records, "truth", f"{len(truth)} columns", f"one for each of {records} rows")
    need(bool(np.isfinite(scores).all()), "scores", "others", "finite numbers")
    better, tied, margins = np.zeros(records), np.zeros(records), np.zeros(records)
    for start in range(0, records, _BLOCK):
        block = slice(start, start + _BLOCK)
        compared = np.round(scores[block].astype(np.float64), _DIGITS)
        rows = np.arange(len(compared))
        right = compared[rows, truth[block]]
        better[block] = (compared > right[:, None]).sum(axis=1)
        tied[block] = (compared == right[:, None]).sum(axis=1)
        compared[rows, truth[block]] = -np.inf
        margins[block] = right - compared.max(axis=1)
    first, five = (np.clip((tries - better) / tied, 0, 1) for tries in (1, 5))
    ranks = better + (tied + 1) / 2
    top1, top5 = (share_of(hits, truth) for hits in (first, five))
    middles = [float(np.median(ranks[truth == person])) for person in np.unique(truth)]
    middle = median(middles, CONFIDENCE) if len(middles) >= LEAST_PERSONS else None
    return Linkage(
        attacker=attacker,
        against=against,
        top1=top1.share,
        top5=top5.share,
        low=top1.low,
        high=top1.high,
        top5_low=top5.low,
        top5_high=top5.high,
        median_rank=float(np.median(middles)),
        median_low=None if middle is None else middle.lower,
        median_high=None if middle is None else middle.upper,
        records=records,
        persons=top1.persons,
        candidates=candidates,
        ranks=ranks,
        margins=margins if candidates > 1 else np.zeros(records),
        named=np.clip(by_person(first, truth), 0, 1),
    )


def _interval(means: Reals, confidence: float) -> tuple[float | None, float | None]:
    if len(means) < LEAST_PERSONS:
        return None, None
    bound = mean_of_shares(means.tolist(), confidence)
    return bound.lower, bound.upper


def strongest(attacks: Sequence[Linkage]) -> Linkage:
    """The attack that names most at the first try, with an interval for the best of all attackers.

    The largest of several shares is too large by chance, so its own interval holds less often than it says. Here the
    interval of each of k attacks is widened to 1 - 0.05 / k: all of them hold together with 95 % at least, and then the
    share of the best attacker is above the largest lower end and below the largest upper end. ``attacks``: of the same
    records against the same texts; at least one.
    """
    best = max(attacks, key=lambda attack: attack.top1)
    confidence = 1 - (1 - CONFIDENCE) / len(attacks)
    ends = [_interval(attack.named, confidence) for attack in attacks]
    low = max((low for low, _ in ends if low is not None), default=None)
    return replace(best, low=low, high=max((high for _, high in ends if high is not None), default=None))


def without_intervals(attack: Linkage) -> Linkage:
    """The same attack without intervals: none holds if the attacker chose what it then attacked."""
    return replace(attack, low=None, high=None, top5_low=None, top5_high=None, median_low=None, median_high=None)


def of_persons(scores: Vectors, persons: Ids) -> Vectors:
    """Scores of persons: the best of their texts'.

    ``scores``: shape (records, texts); ``persons``: the id of each text's person, from 0 without gaps, shape (texts,).
    """
    order = np.argsort(persons, kind="stable")
    starts = np.searchsorted(persons[order], np.arange(int(persons.max()) + 1))
    best: Vectors = np.maximum.reduceat(scores[:, order], starts, axis=1)
    return best


class Fits(Generic[T]):
    """Features that an attacker made of each background: they stay for all releases compared with the same one."""

    def __init__(self, make: Callable[[Sequence[str]], T]) -> None:
        self._make = make
        self._fits: dict[int, tuple[Sequence[str], T]] = {}

    def of(self, background: Sequence[str]) -> T:
        """Return what was made of this sequence, which must not change."""
        if id(background) not in self._fits:  # the background is held too, so that no other one gets its id
            self._fits[id(background)] = background, self._make(background)
        return self._fits[id(background)][1]


class _Weighted(NamedTuple):
    words: dict[str, int]
    codes: Ids  # of its words and pairs, ascending
    weights: Reals  # by rarity, of each code
    columns: Any  # its texts, sparse, shape (codes, texts)


class TfIdf:
    """Words and pairs of words by their rarity in the background: 1 + ln(count), times ln((1 + n) / (1 + df)) + 1.

    The score is the cosine. Words that the background does not have count for nothing: they would scale a record's
    scores, all alike.
    """

    name: Final = "tf-idf"

    def __init__(self) -> None:
        self._fits = Fits(_weighted)

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        fit = self._fits.of(background)
        rows = _rows(_Grams.of([[fit.words.get(word, -1) for word in words_of(text)] for text in released]), fit.codes)
        ours = _unit(rows, fit.weights)
        scores = np.empty((len(released), len(background)), dtype=np.float32)
        for start in range(0, len(released), _BLOCK):
            scores[start : start + _BLOCK] = (ours[start : start + _BLOCK] @ fit.columns).toarray()
        return scores


def _weighted(background: Sequence[str]) -> _Weighted:
    words: dict[str, int] = {}
    grams = _Grams.of([[words.setdefault(word, len(words)) for word in words_of(text)] for text in background])
    codes = np.unique(grams.codes)
    rows = _rows(grams, codes)
    weights = np.log((1 + len(background)) / (1 + np.bincount(rows.indices, minlength=len(codes)))) + 1
    return _Weighted(words, codes, weights, _unit(rows, weights).T.tocsr())


@dataclass(frozen=True, slots=True)
class _Grams:
    """Words and pairs of words of texts, as codes: -1 is unknown."""

    texts: Ids  # the text of each, from 0
    codes: Ids
    count: int

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> _Grams:
        """The grams of texts whose words are numbers below 2^31; -1 is an unknown word."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        words = np.array([word for text in texts for word in text], dtype=np.int64)
        places = np.repeat(np.arange(len(texts)), lengths)
        together = (places[1:] == places[:-1]) & (words[1:] >= 0) & (words[:-1] >= 0)
        pairs = ((words[:-1] + 1) << 31) + words[1:]
        return cls(np.concatenate([places, places[1:][together]]), np.concatenate([words, pairs[together]]), len(texts))


def _rows(grams: _Grams, known: Ids) -> Any:
    """1 + ln(count) of each known code in each text, in a sparse matrix."""
    columns = np.minimum(np.searchsorted(known, grams.codes), max(len(known) - 1, 0))
    there = known[columns] == grams.codes if len(known) else np.zeros(len(grams.codes), dtype=bool)
    ones = np.ones(int(there.sum()))
    rows = sparse.csr_array((ones, (grams.texts[there], columns[there])), shape=(grams.count, len(known)))
    rows.sum_duplicates()
    rows.data = 1 + np.log(rows.data)
    return rows


def _unit(rows: Any, weights: Reals) -> Any:
    """Weighted rows of length 1; an empty one stays so."""
    rows.data *= weights[rows.indices]
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
    return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)).dot(rows).astype(np.float32).tocsr()


_PLACEHOLDER: Final = re.compile(r"\[[a-z][a-z -]*\]")
_WORDS: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_MENTIONS: Final = re.compile(r"\[[a-z][a-z -]*\]|([^\W_]+(?:['\u2019][^\W_]+)*)")  # a placeholder, or a word
BLANK: Final = "_"  # Stands for every word of a text that is blanked; it is no word


def without_placeholders(text: str) -> str:
    """The text with a space for each placeholder, and plain apostrophes."""
    return _PLACEHOLDER.sub(" ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def words_of(text: str) -> list[str]:
    """The words and numbers of a text in their order; placeholders such as ``[email]`` are none."""
    plain = without_placeholders(text).lower()
    words: list[str] = _WORDS.findall(plain)
    if "'s" not in plain:
        return words
    return [word[:-2] if word.endswith("'s") and word not in FUNCTION_WORDS else word for word in words]


def blanked_words(text: str, words: Collection[str]) -> tuple[str, int]:
    """The text with ``BLANK`` for each mention of these words (as ``words_of`` has them), and how many these are."""
    count = 0

    def blank(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None or not words_of(match[1]) or words_of(match[1])[0] not in words:
            return match[0]
        count += 1
        return BLANK

    return _MENTIONS.sub(blank, text), count


def grams_of(text: str) -> Counter[str]:
    """The words of a text, and its pairs of words with a space between."""
    words = words_of(text)
    return Counter([*words, *map(" ".join, pairwise(words))])


def evidence(ours: Counter[str], theirs: Counter[str], rarity: Mapping[str, float]) -> list[tuple[str, float]]:
    """The terms that two texts share with their parts of tf-idf's similarity, the largest first; 1 together.

    ``ours``: ``grams_of`` one text; ``theirs``: of the other; ``rarity``: of each common term, as ``TfIdf`` weighs it.
    """
    products = {
        gram: (1 + log(ours[gram])) * (1 + log(theirs[gram])) * rarity[gram] ** 2
        for gram in ours.keys() & theirs.keys()
    }
    total = sum(products.values())
    return [(gram, products[gram] / total) for gram in sorted(products, key=lambda gram: (-products[gram], gram))]


def blanked(text: str) -> str:
    """The text with every word and number as ``BLANK``; marks and white space stay."""
    return _WORDS.sub(BLANK, text)
