"""Draws for every word and every number of texts that are codes, or constants in their places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import UnsupportedGuarantee, told_by_type
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.mechanisms.randomized_response import CommonWordResponse, DigitResponse
from textveil.numerics.integer_weights import all_below
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import Adjacency, beside_common_words
from textveil.text.codes import GOES_ON, EncodedTexts, Lookup, NumberPlaces, TextCodes, WordPlaces, token_kinds
from textveil.text.english import Passing
from textveil.text.marks import Marks
from textveil.text.render import BLANK, label, with_draws
from textveil.text.tokens import Kind
from textveil.types import Flags, Ids, Integers
from textveil.vocabulary.facts import CLASS_NAMES, milder_words, word_classes

PROOF: Final = "privacy/proofs/common_words.md"
LEFT_OUT: Final = PureDP(epsilon=0.0, status=status_of(__name__, PROOF), source=PROOF)
"""A constant in place of a number."""


SHARED_CLASS: Final = "the public class of every word"


@dataclass(frozen=True)
class LeftOut:
    """Constants in place of words: nothing is drawn."""

    name: str
    labels: tuple[str, ...]
    lookup: Lookup
    adjacency: Adjacency
    blanks: bool = False  # whether the one label stands for numbers, addresses and other writings too

    @property
    def guarantee(self) -> PureDP:
        """Guarantee of a constant, which says nothing of the word."""
        return PureDP(epsilon=0.0, status=status_of(__name__, PROOF), source=PROOF, adjacency=self.adjacency)


def _always_blank(words: Sequence[str]) -> list[tuple[int, bool]]:
    return [(0, False)] * len(words)


def blanks() -> LeftOut:
    """Make one mark in place of everything that goes."""
    return LeftOut("a blank", (BLANK,), _always_blank, beside_common_words(), blanks=True)


def _class_of_each(words: Sequence[str]) -> list[tuple[int, bool]]:
    return [(place, False) for place in word_classes(words).tolist()]


def class_labels() -> LeftOut:
    """Make labels of the public class of each word; numbers are a class of their own."""
    return LeftOut("its class", tuple(map(label, CLASS_NAMES)), _class_of_each, beside_common_words(SHARED_CLASS))


DrawsWords: TypeAlias = WordMechanism | SequenceMechanism | CommonWordResponse | LeftOut  # what is done with words
_Draws: TypeAlias = Callable[[WordPlaces, Integers, np.random.Generator], Ids]
_NAMES: Final = [kind.name.lower() for kind in Kind]


class CountedTexts(NamedTuple):
    """Texts whose draws are known, and not made yet."""

    coded: EncodedTexts
    kinds: NDArray[np.int8]  # the kind of the token that each code begins, -1 elsewhere
    words: WordPlaces
    numbers: NumberPlaces
    counts: Sequence[dict[str, int]]  # of each text, how many tokens of each kind it has


class DrawnTexts(NamedTuple):
    """Texts with their draws."""

    codes: EncodedTexts
    kinds: NDArray[np.int8]  # the kind of the token that each code begins, -1 elsewhere
    counts: Sequence[dict[str, int]]  # of each text, how many tokens of each kind it has
    mapped: Sequence[int]  # of each text, how many of its words the vocabulary does not have


class TokenDraws:
    """Every word by the mechanism, and every number digit by digit.

    Args:
        mechanism: draws the words, each alone or by what the same document released before; or says what is written in
            place of them.
        digits: draws the digits; None leaves numbers out.
        marks: what is done with white space and punctuation (``text.marks``).
        passing: public words that are a kind of their own, and stay; None is none.
    """

    def __init__(
        self, mechanism: DrawsWords, digits: DigitResponse | None, marks: Marks, passing: Passing | None = None
    ) -> None:
        self._constants, self._blank = slice(0, 0), None
        self._passing = passing
        if isinstance(mechanism, LeftOut):
            self._size = len(mechanism.labels)
            self._constants, self._blank = slice(0, self._size), 0 if mechanism.blanks else None
            self.codes = TextCodes(mechanism.labels, marks, passing=passing, lookup=mechanism.lookup)
        elif isinstance(mechanism, CommonWordResponse):
            self._size, blank = mechanism.size, mechanism.size - 1
            self._constants, self._blank, self._passing = slice(blank, self._size), blank, None
            words = (*mechanism.words, BLANK)
            self.codes = TextCodes(words, marks, passing=passing, lookup=mechanism.others, drawn=True)
        else:
            vocabulary = mechanism.vocabulary
            self._size = len(vocabulary)
            self.codes = TextCodes(vocabulary.words, marks, milder_words(vocabulary), passing=passing)
        self._draw = _draws(mechanism)
        self._digits = digits

    def counted(self, coded: EncodedTexts) -> CountedTexts:
        """Count what will be drawn for several documents."""
        kinds = token_kinds(coded, self.codes.legend)
        words, numbers = self.codes.words(coded.codes), self.codes.numbers(coded)
        totals = _counts(kinds, numbers.going_on, coded.bounds)
        counts = [{name: count for name, count in zip(_NAMES, row, strict=True) if count} for row in totals]
        if self._passing is not None:
            passing, kind = _sums(self.codes.passing(coded.codes), coded.bounds), self._passing.kind
            counts = [_told_apart(row, count, kind) for row, count in zip(counts, passing, strict=True)]
        return CountedTexts(coded, kinds, words, numbers, counts)

    def drawn(self, counted: CountedTexts, rng: np.random.Generator) -> DrawnTexts:
        """Draw for every token of several documents."""
        coded, words, numbers = counted.coded, counted.words, counted.numbers
        with told_by_type("the mechanism must draw a word for each"):
            ids = self._draw(words, coded.bounds, rng)
        ids = _checked_draw(ids, len(words.ids), self._size)
        digits = numbers.digits
        if self._digits is not None:
            digits = self._digits.privatize(digits, numbers.lengths, rng)
        drawn = EncodedTexts(with_draws(coded.codes, words, ids, numbers, digits), coded.bounds)
        mapped, kinds = _sums(words.out_of_vocabulary, coded.bounds), counted.kinds
        if self._digits is None:
            drawn, kinds = self.codes.with_numbers_left_out(drawn, kinds, self._constants, self._blank)
        return DrawnTexts(drawn, kinds, counted.counts, mapped)


def _told_apart(counts: dict[str, int], passing: int, kind: str) -> dict[str, int]:
    words = {"word": counts["word"] - passing, kind: passing} if passing else {}
    return {kind: count for kind, count in (counts | words).items() if count}


def _draws(mechanism: DrawsWords) -> _Draws:
    """Return what draws the words of several documents. Looked up once: reading a mechanism's capabilities is slow."""
    if isinstance(mechanism, LeftOut):
        return lambda words, bounds, rng: words.ids
    if isinstance(mechanism, SequenceMechanism):
        by_documents = mechanism.privatize_documents
        return lambda words, bounds, rng: by_documents(words.ids, np.searchsorted(words.indices, bounds), rng)
    alone = mechanism.privatize
    return lambda words, bounds, rng: alone(words.ids, rng)


def _counts(kinds: NDArray[np.int8], going_on: Ids, bounds: Integers) -> list[list[int]]:
    """Count the tokens of each kind in each document; a number counts once, however many tokens it is."""
    if len(bounds) == 2:  # a byte for each code: counted where they lie
        raw = kinds.tobytes()
        totals = [raw.count(kind) for kind in range(len(_NAMES))]
        totals[Kind.NUMBER] -= len(going_on)
        return [totals]
    begun = kinds != GOES_ON
    begun[going_on] = False
    cells = (kinds + len(_NAMES) * np.repeat(np.arange(len(bounds) - 1), bounds[1:] - bounds[:-1]))[begun]
    counts = np.bincount(cells, minlength=(len(bounds) - 1) * len(_NAMES))
    return counts.reshape(-1, len(_NAMES)).tolist()


def _sums(flags: Flags, bounds: Integers) -> list[int]:
    if len(bounds) == 2:
        return [int(np.count_nonzero(flags))]
    return np.diff(np.concatenate([[0], np.cumsum(flags)])[bounds]).tolist()


def _checked_draw(drawn: Ids, count: int, size: int) -> Ids:
    array = np.asarray(drawn)
    fits = array.shape == (count,) and array.dtype.kind in "iu"
    inside = fits and (count == 0 or all_below(array, size))
    if not inside:
        raise UnsupportedGuarantee(
            f"a mechanism must return {count} word ids in [0, {size}); got {array.dtype} of shape {array.shape}, "
            "or ids outside. Correct its `privatize`."
        )
    return array
