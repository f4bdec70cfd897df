"""Blank further words of a release until many persons fit each record better, then attack it by others.

The choice looks at private text: whom a record is about. ``TELLS`` says what that gives away.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from typing import Any, Final

import numpy as np

from textveil.errors import need
from textveil.risk import linkage as linking
from textveil.types import Ids, Vectors

TELLS: Final = (
    "The choice of blanks looked at private text. A blank tells that its word pointed to the record's person, and that "
    "without it others fit as well. No guarantee covers the choice."
)
_AHEAD: Final = 0.01
"""By so much more similarity others must fit than the record's own person: what is as near as they, by tf-idf, another
attacker still tells apart (docs/risk.md has the numbers).
"""
_LETTERS: Final = 4  # of the pieces of words that the attacker compares who is held out


class Pieces:
    """Pieces of four letters of each word, as tf-idf compares words: it never sees the terms that others go by."""

    name: Final = "pieces of words"

    def __init__(self) -> None:
        self._fits = linking.Fits(lambda background: [_pieces(text) for text in background])
        self._words = linking.TfIdf()

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        return self._words.scores([_pieces(text) for text in released], self._fits.of(background))


def _pieces(text: str) -> str:
    words = [f"x{word}x" for word in linking.words_of(text)]
    return " ".join(word[at : at + _LETTERS] for word in words for at in range(max(1, len(word) - _LETTERS + 1)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blanked:
    """A release with further blanks, attacked."""

    limit: float  # chance of naming a record that the attacker of the choice may have
    against: str  # what attackers compare with: "originals" or "background"
    numbers: tuple[int, ...]  # of the records that were blanked further, from 1; private
    words: int  # mentions of words that were blanked
    chosen_by: (
        linking.Linkage
    )  # tf-idf, by whose evidence words were blanked, on the result; without intervals, as it chose
    held_out: linking.Linkage  # the strongest attacker on the result that had no part in the choice
    held_out_before: linking.Linkage  # the same attacker on the release as it was
    texts: tuple[str, ...] = field(repr=False)  # the result, in the order of the records; in no ``to_data``

    @property
    def holds(self) -> bool:
        """True if the attacker who was held out names no more than the limit, by the upper end of the interval."""
        return self.held_out.high is not None and self.held_out.high <= self.limit

    @property
    def verdict(self) -> str:
        """True if the limit holds, as a sentence."""
        if self.holds:
            return "The limit holds with 95 % confidence against the attacker who was held out."
        if self.held_out.top1 > self.limit:
            return "The limit does not hold against the attacker who was held out."
        return "The limit is not shown to hold against the attacker who was held out."

    def to_data(self) -> dict[str, Any]:
        """JSON data, without any text."""
        return {
            "limit": self.limit,
            "against": self.against,
            "records": len(self.numbers),
            "numbers": list(self.numbers),
            "words": self.words,
            "chosen_by": self.chosen_by.to_data(),
            "held_out": self.held_out.to_data(),
            "held_out_before": self.held_out_before.to_data(),
            "holds": self.holds,
            "tells": TELLS,
        }


def blank_until(
    limit: float,
    released: Sequence[str],
    persons: Ids,
    known: Sequence[str],
    persons_of_known: Ids,
    *,
    against: str,
    held_out: Sequence[linking.Attacker] = (),
    progress: Callable[[int], None] = lambda records: None,
) -> Blanked:
    """Blank the words by which tf-idf finds the person of a record, until 1 / limit - 1 other persons fit better.

    Of each record, the word with the largest part of the similarity to its own person goes first, wherever it stands
    in the release. To be named no longer is too little: other attackers then find the person by what is left.

    Args:
        limit: in [0, 1]; 0 blanks all words that a record shares with its person's texts.
        released: all records.
        persons: the person of each, from 0 without gaps.
        known: the texts that attackers compare with.
        persons_of_known: whose these are.
        against: what reports call ``known``.
        held_out: attackers beside ``Pieces`` who attack the result, and had no part in the choice.
        progress: called with the number of records that were settled since the last call.
    """
    need(0 <= limit <= 1, "limit", limit, "from 0 to 1")
    chooser = linking.TfIdf()
    everybody = int(persons_of_known.max()) + 1
    blanks = _Blanks(
        fitting=everybody if limit == 0 else min(everybody, ceil(1 / limit - 1e-9)),
        known=known,
        persons=persons_of_known,
        chooser=chooser,
        rarity=_rarity(known),
    )

    def attacked(texts: Sequence[str], attacker: linking.Attacker) -> linking.Linkage:
        scores = linking.of_persons(attacker.scores(texts, known), persons_of_known)
        return linking.linkage(scores, persons, attacker=attacker.name, against=against)

    texts, counts = list[str](), list[int]()
    for text, person in zip(released, persons.tolist(), strict=True):
        less, count = blanks.of(text, person)
        texts.append(less)
        counts.append(count)
        progress(1)
    others: list[linking.Attacker] = [Pieces(), *held_out]
    after = [attacked(texts, attacker) for attacker in others]
    best = linking.strongest(after)
    same = next(attacker for attacker in others if attacker.name == best.attacker)
    return Blanked(
        limit=limit,
        against=against,
        numbers=tuple(row for row, count in enumerate(counts, 1) if count),
        words=sum(counts),
        chosen_by=linking.without_intervals(attacked(texts, chooser)),
        held_out=best,
        held_out_before=attacked(released, same),
        texts=tuple(texts),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Blanks:
    """Chooses the blanks of one record after another."""

    fitting: int  # persons who must fit a record better than its own, that one included
    known: Sequence[str]
    persons: Ids
    chooser: linking.TfIdf
    rarity: dict[str, float]

    def of(self, text: str, person: int) -> tuple[str, int]:
        """The text with blanks; and how many mentions were blanked."""
        own = np.flatnonzero(self.persons == person)
        count = 0
        while True:
            scores = self.chooser.scores([text], self.known)
            fits = linking.of_persons(scores, self.persons)[0]
            parts = _parts_of_words(text, self.known[own[int(scores[0, own].argmax())]], self.rarity)
            ahead = (fits >= fits[person] + _AHEAD).sum()  # and the own person
            if not parts or ahead + 1 >= self.fitting:
                return text, count
            text, more = linking.blanked_words(text, {max(parts, key=lambda word: (parts[word], word))})
            count += more


def _parts_of_words(text: str, known: str, rarity: dict[str, float]) -> Counter[str]:
    """The part of the similarity that each word has, alone and in pairs."""
    parts: Counter[str] = Counter()
    for term, part in linking.evidence(linking.grams_of(text), linking.grams_of(known), rarity):
        for word in set(term.split()):
            parts[word] += part  # type: ignore[assignment]
    return parts


def _rarity(known: Sequence[str]) -> dict[str, float]:
    holders = Counter(gram for text in known for gram in linking.grams_of(text))
    return {gram: log((1 + len(known)) / (1 + number)) + 1 for gram, number in holders.items()}
