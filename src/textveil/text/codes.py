"""Texts as rows of integer codes: what a release needs to know of every token, and nothing else.

A code stands for a word of the vocabulary, for a digit, or for something that is public: a character of white
space or punctuation, in plain form (``text.marks``) or as it is; a separator in a number; a placeholder. So the
codes of a text hold no string of it, and arrays of them can be drawn for and written out at once.

Texts are cut at single spaces, and what stands between two (a word with its punctuation, mostly) is remembered
with its codes: natural text repeats itself. No token but white space holds a space, and no rule of
``text.tokens`` looks past one, so the tokens are those of ``tokens.split``, of the text with plain marks. The
memory is bounded in bytes, and forgetting changes nothing but time.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, pairwise, repeat
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.text import marks as text_marks
from textveil.text.english import OTHER, Passing, begin_sentences, role
from textveil.text.numbers import JOINING, far_apart, plain_number, same_number
from textveil.text.out_of_vocabulary import word_index
from textveil.text.render import EncodedTexts as EncodedTexts
from textveil.text.render import Legend, label, written
from textveil.text.render import NumberPlaces as NumberPlaces
from textveil.text.render import WordPlaces as WordPlaces
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.types import Ids, Integers

GOES_ON: Final = -1  # kind of a code that belongs to the token begun before it, or to none
MEMORY_BYTES: Final = 1 << 25
"""Bytes, about, of what is remembered before the older half is forgotten: of pieces, and again of surfaces."""

_LONGEST: Final = 64  # longer pieces and surfaces are not remembered
_ENTRY_BYTES: Final = 240
# White space that pieces end at, beside the space: put between two spaces, which are dropped again.
_PADDED: Final = "\n\t"
BASE: Final = 10  # digits there are

# Room for the characters that pass: white space and punctuation of all writings are fewer than a thousand.
_MARKS: Final = 1 << 11

# Codes past those of words, as offsets from the first of them.
_END, _FIRST_DIGIT, _DIGIT, _POINT, _COMMA, _PLACEHOLDER, _UNSEEN = 0, 1, 11, 21, 22, 23, 23 + len(Kind)
_MARK = _UNSEEN + 1

# Words that pass: their codes come last, and then those of the same words with a capital.
_PASSING: Final = _MARK + _MARKS
Lookup: TypeAlias = Callable[[Sequence[str]], Sequence[tuple[int, bool]]]
"""The code of each word, and whether it stands for a word outside the vocabulary."""

Codes: TypeAlias = bytes
"""Codes of a piece or a token, eight bytes each as in an array of int64: such rows are joined as one."""

_WIDTH: Final = 8
_APOSTROPHE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"
_ALL_AS_THEY_ARE: Final[Mapping[int, int]] = MappingProxyType({})
_NOTHING: Final[Codes] = b""

# Asked for often, and a member of an enumeration takes as long as an operation on a short array.
_MARK_KIND, _SPACE_KIND = int(Kind.PUNCTUATION), int(Kind.SPACE)
_TWO_SPACES: Final = bytes([_SPACE_KIND] * 2)


class _Memory:
    """A dictionary that forgets what was not asked for lately, by halves."""

    __slots__ = ("_fixed", "_used", "older", "recent")

    def __init__(self, fixed: dict[Any, Codes]) -> None:
        self._fixed = fixed
        self.recent = dict(fixed)
        self.older: dict[Any, Codes] = {}
        self._used = 0

    def roll(self) -> dict[Any, Codes]:
        """Return the dictionary to use for the next texts; a new one if the last has grown to its bound."""
        if self._used > MEMORY_BYTES // 2:
            self.older, self.recent, self._used = self.recent, dict(self._fixed), 0
        return self.recent

    def again(self, keys: set[Any], recent: dict[Any, Codes]) -> dict[Any, Codes]:
        """Return those of ``keys`` that are remembered from longer ago, and put them into ``recent``."""
        older = self.older
        remembered = {key: older[key] for key in keys if key in older} if older else {}
        self.keep(remembered, recent)
        return remembered

    def keep(self, rows: dict[Any, Codes], recent: dict[Any, Codes]) -> None:
        recent.update(rows)
        self._used += _ENTRY_BYTES * len(rows) + sum(map(len, rows)) + sum(map(len, rows.values()))


class TextCodes:
    """Makes codes of texts: the word with id i has code i, or n + i if it stands for a word outside the vocabulary.

    Args:
        words: the vocabulary's, n of them.
        marks: what is done with white space and punctuation (``text.marks``).
        written_as: ids of words that are not written, and the ids of those written in their place
            (``vocabulary.milder``).
        passing: words that have codes of their own, and pass; None is none.
        lookup: the place in ``words`` of what is written for a word; None is the word, or the most similar one.
        drawn: whether words that pass have the codes of ``words``, which begin with them, so that they are drawn.

    Safe to use from several threads at once: they share what is remembered, and at worst learn it twice.
    """

    def __init__(
        self,
        words: Sequence[str],
        marks: text_marks.Marks = "normalize",
        written_as: Mapping[int, int] = _ALL_AS_THEY_ARE,
        *,
        passing: Passing | None = None,
        lookup: Lookup | None = None,
        drawn: bool = False,
    ) -> None:
        self._words = words
        self._written_as = written_as
        self._plain = text_marks.checked_marks(marks) == "normalize"
        self._lookup = word_index(tuple(words)).lookup_many if lookup is None else lookup
        self._base = 2 * len(words)
        kept = () if passing is None else passing.words
        self._capitals = self._base + _PASSING + len(kept)
        self._first_passing = 0 if drawn else self._base + _PASSING
        self._passing: dict[str, int] = {}  # the code of each way to write a word that passes
        if passing is not None:
            self._passing = {written: self._first_passing + place for written, place in passing.anywhere.items()}
            self._passing |= {written: self._capitals + place for written, place in passing.at_starts.items()}
        public = _legend(tuple(words), tuple(written_as.items()), kept)
        self.legend = Legend(public.written.copy(), public.lengths.copy(), public.kinds.copy())  # marks come to it
        self._forms = np.zeros(len(self.legend.kinds), dtype=np.uint8)
        self._forms[self._base + _UNSEEN] = text_marks.ODD
        self._roles = np.full(len(self.legend.kinds), OTHER, dtype=np.uint8)
        self._otherwise = self._word_codes(kept) if passing is not None and passing.at_starts else None
        self._marks: dict[str, int] = {}
        self._next_mark = count(self._base + _MARK)
        for mark in f" {_PADDED}":
            self._mark(mark)
        self._joining = np.zeros(len(self.legend.kinds), dtype=np.bool_)
        self._joining[[self._mark(mark) for mark in JOINING]] = True
        self._apostrophe = self._mark("'")
        self._dropped = self._mark(text_marks.DROPPED)
        self._pieces = _Memory({None: _row(self._base + _END)})
        self._surfaces = _Memory({})

    def words(self, codes: Integers) -> WordPlaces:
        """Return the words among codes, those outside the vocabulary by the id that stands for them."""
        size = len(self._words)
        word = codes < self._base
        indices = word.nonzero()[0]
        outside = word & (codes >= size)
        return WordPlaces(indices, codes[indices] - size * outside[indices], outside)

    def passing(self, codes: Integers) -> NDArray[np.bool_]:
        """For every code, whether it is a word that passes."""
        return codes >= self._base + _PASSING

    def _settled(self, coded: EncodedTexts) -> EncodedTexts:
        """Return the codes in plain form; a word with a capital passes at the start of a sentence, not elsewhere."""
        coded = self._in_plain_form(coded) if self._plain else coded
        if self._otherwise is None:
            return coded
        places = (coded.codes >= self._capitals).nonzero()[0]
        if len(places) == 0:
            return coded
        codes = coded.codes.copy()
        words = codes[places] - self._capitals
        starts = begin_sentences(self._roles[codes], coded.bounds, places)
        codes[places] = np.where(starts, self._first_passing + words, self._otherwise[words])
        return EncodedTexts(codes, coded.bounds)

    def numbers(self, coded: EncodedTexts) -> NumberPlaces:
        """Return the digits of texts, and which of them belong to one number."""
        codes = coded.codes
        indices = ((codes >= self._base + _FIRST_DIGIT) & (codes < self._base + _POINT)).nonzero()[0]
        if len(indices) == 0:
            return NumberPlaces(indices, indices, indices, indices, self._base + _DIGIT)
        offsets = codes[indices] - (self._base + _FIRST_DIGIT)
        firsts, going_on = (offsets < BASE).nonzero()[0], indices[:0]
        same = self._same_number(coded, indices[firsts[1:] - 1], indices[firsts[1:]])
        if same.any():
            firsts, going_on = firsts[np.append(True, ~same)], indices[firsts[1:][same]]
        lengths = np.empty_like(firsts)
        lengths[:-1], lengths[-1] = firsts[1:] - firsts[:-1], len(offsets) - firsts[-1]
        return NumberPlaces(indices, offsets % BASE, lengths, going_on, self._base + _DIGIT)

    def _same_number(self, coded: EncodedTexts, ends: Ids, starts: Ids) -> NDArray[np.bool_]:
        codes, bounds = coded
        kinds = self.legend.kinds[codes]
        if len(bounds) == 2 and far_apart(kinds.tobytes(), ends, starts, (_SPACE_KIND, _MARK_KIND)):
            return np.zeros(len(starts), dtype=np.bool_)
        joins = self._joining
        same = same_number(ends, starts, kinds == _SPACE_KIND, kinds == _MARK_KIND, lambda places: joins[codes[places]])
        return same & (bounds.searchsorted(ends, side="right") == bounds.searchsorted(starts, side="right"))

    def with_numbers_left_out(
        self, coded: EncodedTexts, kinds: NDArray[np.int8], constants: slice, blank: int | None
    ) -> tuple[EncodedTexts, NDArray[np.int8]]:
        """Return the codes with a constant for each number, and one constant for a run of equal ones.

        ``kinds`` are of the token that each code begins, GOES_ON elsewhere; ``constants`` codes of ``words`` that are
        constants; ``blank`` the one that also stands for numbers and placeholders (None leaves these).
        """
        codes, bounds = coded.codes.copy(), coded.bounds
        number = self._base + _PLACEHOLDER + Kind.NUMBER
        codes[kinds == Kind.NUMBER] = number if blank is None else blank
        if blank is not None:
            codes[(codes > self.gap) & (codes < self._base + _UNSEEN)] = blank
        keep = (codes < self._base + _DIGIT) | (codes > self._base + _COMMA)
        codes, kinds, bounds = codes[keep], kinds[keep], _after(keep, bounds)
        constant = (codes == number) | ((codes >= constants.start) & (codes < constants.stop))
        keep = text_marks.single_constants(codes, bounds, constant, self._base + _MARK)
        return EncodedTexts(codes[keep], _after(keep, bounds)), kinds[keep]

    def encode(self, texts: Iterable[str]) -> EncodedTexts:
        """Return the codes of texts, each on its own."""
        return self._settled(self._encoded(texts))

    def encode_around(self, texts: Sequence[Sequence[str]]) -> EncodedTexts:
        """Return the codes of texts that are given in stretches; ``gap`` stands between two stretches of a text."""
        flat = self._encoded([stretch for text in texts for stretch in text])
        counts = np.array([len(text) for text in texts], dtype=np.int64)
        ends = np.concatenate([[0], np.cumsum(counts)])
        inner, added = np.setdiff1d(np.arange(1, int(ends[-1])), ends), ends - np.arange(len(ends))
        return self._settled(
            EncodedTexts(np.insert(flat.codes, flat.bounds[inner], self.gap), flat.bounds[ends] + added)
        )

    @property
    def gap(self) -> int:
        """A code that stands for nothing, and that white space and marks beside it take for a word."""
        return self._base + _PLACEHOLDER

    def _encoded(self, texts: Iterable[str]) -> EncodedTexts:
        pieces: list[Any] = []
        ends = 0
        padded = False
        for text in texts:
            for mark in _PADDED:
                if mark in text:
                    text = text.replace(mark, f" {mark} ")
                    padded = True
            pieces += text.split(" ")
            pieces.append(None)
            ends += 1
        recent = self._pieces.roll()
        rows = list(map(recent.get, pieces, repeat(_NOTHING)))
        if _NOTHING in rows:
            new = [index for index, row in enumerate(rows) if not row]
            learned = self._learn({pieces[index] for index in new}, recent)
            for index in new:
                rows[index] = learned[pieces[index]]
        codes = np.frombuffer(b"".join(rows), dtype=np.int64)
        if ends == 1 and not padded:  # of a single text only the last space and the end go
            return EncodedTexts(codes[:-2], np.array([0, len(codes) - 2]))
        return self._without_padding(codes)

    def _without_padding(self, codes: NDArray[np.int64]) -> EncodedTexts:
        """Return codes and bounds without the space after the last piece of a text and those around padded marks."""
        end = codes == self._base + _END
        ends = end.nonzero()[0]
        keep = ~end
        keep[ends - 1] = False
        padded = ((codes > self._base + _MARK) & (codes <= self._base + _MARK + len(_PADDED))).nonzero()[0]
        keep[padded - 1] = False
        keep[padded + 1] = False
        bounds = np.zeros(len(ends) + 1, dtype=np.int64)
        bounds[1:] = keep.cumsum()[ends]
        return EncodedTexts(codes[keep], bounds)

    def _in_plain_form(self, coded: EncodedTexts) -> EncodedTexts:
        codes, bounds = coded
        space, line_end = self._base + _MARK, self._base + _MARK + 1
        forms = self._forms[codes].tobytes()
        if text_marks.is_plain(forms):
            return coded
        if len(bounds) == 2 and (spaced := text_marks.single_spaces(codes, forms, space, line_end)) is not None:
            return EncodedTexts(spaced, np.array([0, len(spaced)]))
        vanishing = (codes == self._dropped) | (codes == self._base + _UNSEEN)
        kinds = self.legend.kinds[codes]
        blank, mark = (kinds == _SPACE_KIND) | vanishing, (kinds == _MARK_KIND) & ~vanishing
        codes, keep = text_marks.plain_gaps(
            codes, bounds, blank, mark, vanishing, space=space, line_end=line_end, apostrophe=self._apostrophe
        )
        codes, bounds, mark = codes[keep], _after(keep, bounds), mark[keep]
        keep = text_marks.short_runs(bounds, mark)
        return EncodedTexts(codes, bounds) if keep.all() else EncodedTexts(codes[keep], _after(keep, bounds))

    def _learn(self, wanted: set[Any], recent: dict[Any, Codes]) -> dict[str, Codes]:
        """Learn pieces that are not among the recent ones, as one text: none holds a space, so spaces part them."""
        learned = self._pieces.again(wanted, recent)
        if not (pieces := list(wanted.difference(learned))):
            return learned
        joined = " ".join(pieces) + " "
        surfaces = split(text_marks.with_plain_marks(joined) if self._plain else joined)
        known = self._surfaces.roll()
        coded = self._coded(set(surfaces), known)
        flat = b"".join(map(coded.__getitem__, surfaces))
        row = np.frombuffer(flat, dtype=np.int64)
        ends = np.flatnonzero(row == self._base + _MARK) + 1
        rows = dict(zip(pieces, [flat[a:b] for a, b in pairwise([0, *(_WIDTH * ends).tolist()])], strict=True))
        learned.update(rows)
        constant = (row >= self._base + _PLACEHOLDER) & (row < self._base + _MARK)
        for index in set(np.searchsorted(ends, np.flatnonzero(constant), side="right").tolist()):
            del rows[pieces[index]]
        self._pieces.keep({piece: codes for piece, codes in rows.items() if len(piece) <= _LONGEST}, recent)
        return learned

    def _coded(self, surfaces: set[str], known: dict[Any, Codes]) -> dict[str, Codes]:
        coded = {surface: known[surface] for surface in surfaces if surface in known}
        coded.update(self._surfaces.again(surfaces.difference(coded), known))
        new: dict[str, Codes] = {}
        words = []
        for surface in surfaces.difference(coded):
            if self._passing and (code := self._passing.get(surface.replace(_APOSTROPHE, "'"))) is not None:
                new[surface] = _row(code)
                continue
            kind = Kind.WORD if surface.isascii() and surface.isalpha() else classify(surface)
            if kind == Kind.WORD:
                words.append(surface)
            elif kind == Kind.NUMBER:
                new[surface] = self._number(plain_number(surface))
            elif kind == Kind.SYMBOL and self._plain and text_marks.is_unseen(surface):
                coded[surface] = _row(self._base + _UNSEEN)
            elif kind in PLACEHOLDERS:
                coded[surface] = _row(self._base + _PLACEHOLDER + kind)
            else:
                new[surface] = _row(*map(self._mark, surface))
        new.update(zip(words, map(_row, self._word_codes(words).tolist()), strict=True))
        coded.update(new)
        self._surfaces.keep({surface: codes for surface, codes in new.items() if len(surface) <= _LONGEST}, known)
        return coded

    def _word_codes(self, words: Sequence[str]) -> NDArray[np.int64]:
        size = len(self._words)
        codes = [word + size if mapped else word for word, mapped in self._lookup(words)]
        return np.array(codes, dtype=np.int64)

    def _number(self, plain: str) -> Codes:
        """Return the codes of a number, the first digit told apart: it begins the token."""
        others = {".": self._base + _POINT, ",": self._base + _COMMA}
        first, rest = plain[0], plain[1:]
        inner = [others.get(character) or self._base + _DIGIT + int(character) for character in rest]
        return _row(self._base + _FIRST_DIGIT + int(first), *inner)

    def _mark(self, character: str) -> int:
        if (known := self._marks.get(character)) is None:
            # The legend is written first: another thread that sees the code finds it explained.
            code = next(self._next_mark)
            self.legend.written[code] = character
            self.legend.lengths[code] = 1
            self.legend.kinds[code] = kind = classify(character)
            blank = kind is Kind.SPACE and code > self._base + _MARK + 1
            self._roles[code] = role(character, blank=kind is Kind.SPACE)
            form = text_marks.BLANK if kind is Kind.SPACE else text_marks.MARK  # see ``marks.is_plain``
            self._forms[code] = text_marks.ODD if blank or character == text_marks.DROPPED else form
            known = self._marks.setdefault(character, code)
        return known


@lru_cache(maxsize=2)
def _legend(words: tuple[str, ...], written_as: tuple[tuple[int, int], ...], passing: tuple[str, ...]) -> Legend:
    """Make the legend of words, digits, placeholders and words that pass, all public, with room for marks."""
    base = 2 * len(words)
    first_passing = base + _PASSING
    size = first_passing + 2 * len(passing)
    strings = np.full(size, "", dtype=object)
    kinds = np.full(size, GOES_ON, dtype=np.int8)
    shown = list(words)
    for word, other in written_as:
        shown[word] = words[other]
    strings[:base] = list(map(written, shown)) * 2
    kinds[:base] = Kind.WORD
    strings[first_passing:] = [f"I{word[1:]}" if word.startswith("i'") else written(word) for word in passing] * 2
    kinds[first_passing:] = Kind.WORD
    first, inner = base + _FIRST_DIGIT, base + _DIGIT
    for start in (first, inner):
        strings[start : start + BASE] = list("0123456789")
    kinds[first:inner] = Kind.NUMBER
    strings[base + _POINT], strings[base + _COMMA] = ".", ","
    for kind, text in PLACEHOLDERS.items():
        strings[base + _PLACEHOLDER + kind] = text
        kinds[base + _PLACEHOLDER + kind] = kind
    strings[base + _PLACEHOLDER + Kind.NUMBER] = label("number")
    kinds[base + _PLACEHOLDER + Kind.NUMBER] = Kind.NUMBER
    return Legend(strings, np.fromiter(map(len, strings), np.int64, size), kinds)


def token_kinds(coded: EncodedTexts, legend: Legend) -> NDArray[np.int8]:
    """The kind of the token that each code begins; GOES_ON elsewhere, as for all but the first of a run of space."""
    kinds = legend.kinds[coded.codes]
    if _TWO_SPACES not in kinds.tobytes():  # as in most texts
        return kinds
    space = kinds == _SPACE_KIND
    later = space[1:] & space[:-1]
    firsts = coded.bounds[:-1]
    later[firsts[(firsts > 0) & (firsts < len(kinds))] - 1] = False  # a text's first token begins there
    kinds[1:][later] = GOES_ON
    return kinds


def _row(*codes: int) -> Codes:
    return array("q", codes).tobytes()


def _after(keep: NDArray[np.bool_], bounds: Ids) -> Ids:
    """Return where texts begin when only what is to stay is left."""
    return bounds - np.searchsorted(np.flatnonzero(~keep), bounds)
