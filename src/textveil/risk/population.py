"""Estimates how many people share the attributes left in a release, by a user's table of public shares."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.risk.linkage import Share, share_of, words_of
from textveil.risk.values import RecordValues
from textveil.surrogates.quantities import age_of
from textveil.types import Ids

COLUMNS: Final = ("attribute", "value", "share")
AGE: Final = "age"  # the attribute whose values are years, and which the detector finds
FEWER_THAN: Final = 5
ASSUMED: Final = (
    "Attributes count as independent, with the shares of the table. A value counts as left if its words stand in the "
    "record and in its release; what the table lacks does not count. Of several values of one attribute the rarest "
    "counts, and a year of age has an equal part of its range."
)
_SUM: Final = 1 + 1e-6  # of the shares of one attribute, at most
_AGES: Final = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?")


class _Ages(NamedTuple):
    first: int
    last: int
    share: float  # of the population, for each year


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginals:
    """Public shares of a population's attributes, as ``read_marginals`` reads them."""

    population: int  # people, >= 1
    fewer_than: int = FEWER_THAN  # people who make a group that counts as small, >= 1
    shares: Mapping[str, Mapping[str, float]]  # by phrase, its words with a space between, and by attribute
    ages: tuple[_Ages, ...] = ()

    def __post_init__(self) -> None:
        need(self.population >= 1, "population", self.population, ">= 1")
        need(self.fewer_than >= 1, "fewer_than", self.fewer_than, ">= 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Number of people who share the attributes left, under the assumptions of ``ASSUMED``."""

    population: int
    fewer_than: int
    small: Share  # records whose attributes fewer people are expected to share
    median: float  # expected number of people who share a record's attributes, in the median record
    attributes: dict[str, int]  # in how many records one of its values is left

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "assumed": ASSUMED}


def read_marginals(path: Path, *, population: int, fewer_than: int = FEWER_THAN) -> Marginals:
    """Read a CSV file with the columns attribute, value and share.

    A value is a phrase, or several of one meaning with ``|`` between them; of the attribute ``age``, a year or a range
    such as 40-49. Shares are above 0, and those of an attribute come to 1 at most.

    Raises:
        InputError: it cannot be read, or a line has something else; names the line, never its text.
        ParameterError: ``population`` or ``fewer_than`` is below 1.
    """
    shares: dict[str, dict[str, float]] = {}
    ages: list[_Ages] = []
    sums: dict[str, float] = {}
    for line, attribute, value, share in _rows(path):
        sums[attribute] = sums.get(attribute, 0.0) + share
        if sums[attribute] > _SUM:
            raise _fault(line, "shares that come to 1 at most for one attribute", "more")
        if attribute == AGE:
            ages.append(_ages(line, value, share, ages))
            continue
        for phrase in value.split("|"):
            words = " ".join(words_of(phrase))
            known = shares.setdefault(words, {})
            if not words or attribute in known:
                raise _fault(line, "a value with words that no other of its attribute has", "another")
            known[attribute] = share
    if not sums:
        raise InputError("the table of marginals must have a row; got none. Give attribute,value,share in each.")
    return Marginals(population=population, fewer_than=fewer_than, shares=shares, ages=tuple(ages))


def _rows(path: Path) -> Iterator[tuple[int, str, str, float]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError):
        raise InputError("the table of marginals must be a readable file in UTF-8; got another.") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(name.strip().lower() for name in next(rows, ())) != COLUMNS:
            raise _fault(1, "the columns attribute,value,share", "others")
        yield from (_row(rows.line_num, row) for row in rows if row)
    except csv.Error:
        raise _fault(rows.line_num, "comma-separated values", "another text") from None


def _row(line: int, row: list[str]) -> tuple[int, str, str, float]:
    if len(row) != len(COLUMNS) or not row[0].strip():
        raise _fault(line, "an attribute, a value and a share", "another")
    try:
        share = float(row[2])
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise _fault(line, "a share above 0 and at most 1", "another")
    return line, row[0].strip().lower(), row[1], share


def _ages(line: int, value: str, share: float, known: Sequence[_Ages]) -> _Ages:
    match = _AGES.fullmatch(value.strip())
    first, last = (0, -1) if match is None else (int(match[1]), int(match[2] or match[1]))
    if last < first or any(first <= other.last and other.first <= last for other in known):
        raise _fault(line, "an age or a range of ages that overlaps no other, as 40-49", "another")
    return _Ages(first, last, share / (last - first + 1))


def _fault(line: int, wanted: str, got: str) -> InputError:
    return InputError(f"line {line} of the table of marginals must have {wanted}; got {got}.")


def population(
    marginals: Marginals,
    originals: Sequence[str],
    released: Sequence[str],
    values: Sequence[RecordValues],
    persons: Ids,
) -> Population:
    """Count the people who are expected to share what is left in each record.

    Args:
        marginals: of the population.
        originals: the records.
        released: their releases, as many.
        values: of both, where ages are taken from.
        persons: the id of each record's person.
    """
    left = [_left(marginals, *each) for each in zip(originals, released, values, strict=True)]
    expected = np.array([marginals.population * prod(shares.values()) for shares in left])
    names = dict.fromkeys([name for by_attribute in marginals.shares.values() for name in by_attribute])
    if marginals.ages:
        names[AGE] = None
    return Population(
        population=marginals.population,
        fewer_than=marginals.fewer_than,
        small=share_of(expected < marginals.fewer_than, persons),
        median=float(np.median(expected)),
        attributes={name: sum(name in shares for shares in left) for name in names},
    )


def _left(marginals: Marginals, original: str, release: str, values: RecordValues) -> dict[str, float]:
    """The share of the rarest value that is left, of each attribute of which one is."""
    longest = max((phrase.count(" ") + 1 for phrase in marginals.shares), default=0)
    rarest: dict[str, float] = {}
    for phrase in _phrases(original, longest) & _phrases(release, longest):
        for attribute, share in marginals.shares.get(phrase, {}).items():
            rarest[attribute] = min(share, rarest.get(attribute, 1.0))
    for value in values.left:
        years = age_of(value.words) if value.kind == AGE else None
        if years is not None:
            age = years[0] if years[1] == "y" else 0
            for ages in marginals.ages:
                if ages.first <= age <= ages.last:
                    rarest[AGE] = min(ages.share, rarest.get(AGE, 1.0))
    return rarest


def _phrases(text: str, longest: int) -> set[str]:
    words = words_of(text)
    lengths = range(1, min(longest, len(words)) + 1)
    return {" ".join(words[start : start + length]) for length in lengths for start in range(len(words) - length + 1)}
