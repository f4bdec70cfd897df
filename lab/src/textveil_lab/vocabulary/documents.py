"""Texts read back as words of a vocabulary: documents for features, and releases with the text between words.

A release has words of its vocabulary with the capitals of ``text.render``, numbers, placeholders, and the public marks
and spaces of the text. So a word is looked up as written, else with a small first letter. If a vocabulary has both
("Us", "us"), the capital one is read, which casing may have made from the other.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import sparse

from textveil.aggregates.features import WordReader
from textveil.errors import InputError, ParameterError, need
from textveil.mechanisms.kinds import checked_ids
from textveil.text.marks import with_plain_marks
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.types import Ids, Integers, Vectors

GAP: Final = -1  # code of a mark or white space that ends no sentence

SENTENCE_END: Final = -2  # code of a mark or line end after which a sentence begins

OTHER: Final = -3  # code of a number, a placeholder, or another token that is no word

UNKNOWN: Final = -4  # code of a word that the vocabulary does not have

SENTENCE_ENDS: Final = frozenset(".!?\u2026")  # after which a sentence begins, as after line ends

_REMEMBERED: Final = 1 << 18
_NAMES: Final = frozenset(text[1:-1] for text in PLACEHOLDERS.values())


class ReleasedTexts(NamedTuple):
    """Tokens of released texts, in a row."""

    surfaces: list[str]  # unchanged; those of one text joined are the text
    codes: Integers  # of each the id of its word, or one of this module's constants, shape (tokens,)
    bounds: Integers  # where each text begins and the last ends, shape (texts + 1,)

    @property
    def words(self) -> Ids:
        """Ids of all words, in order."""
        return self.codes[self.codes >= 0]

    @property
    def word_bounds(self) -> Integers:
        """Start of each text's words among ``words``, and end of the last text's, shape (texts + 1,)."""
        before = np.zeros(len(self.codes) + 1, dtype=np.int64)
        np.cumsum(self.codes >= 0, out=before[1:])
        return before[self.bounds]


class ReleaseReader:
    """Reader of released texts in ``words``, ordered by id. Threads may share it."""

    __slots__ = ("_codes", "_ids")

    def __init__(self, words: Sequence[str]) -> None:
        self._ids = {word: index for index, word in enumerate(words)}
        self._codes: dict[str, int] = {}

    def read(self, texts: Sequence[str]) -> ReleasedTexts:
        """Return the tokens of texts.

        Raises:
            ParameterError: a text is no str.
        """
        surfaces: list[str] = []
        bounds = [0]
        for number, text in enumerate(texts, 1):
            need(isinstance(text, str), "texts", f"{type(text).__name__} as number {number}", "strings")
            surfaces += split(text)
            bounds.append(len(surfaces))
        if len(self._codes) > _REMEMBERED:
            self._codes = {}
        known = self._codes
        for surface in set(surfaces).difference(known):
            known[surface] = self._code(surface)
        codes = np.fromiter(map(known.__getitem__, surfaces), np.int64, len(surfaces))
        for place in [place for place, surface in enumerate(surfaces) if surface == "["]:
            name, end = [*surfaces[place + 1 : place + 3], "", ""][:2]
            if name in _NAMES and end == "]":
                codes[place + 1] = OTHER
        return ReleasedTexts(surfaces, codes, np.array(bounds, dtype=np.int64))

    def read_releases(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> ReleasedTexts:
        """Return the tokens of releases in words of this vocabulary.

        ``numbers``: of the documents, for errors; None counts from 1.

        Raises:
            InputError: a text has a word outside the vocabulary.
        """
        released = self.read(texts)
        unknown = released.codes == UNKNOWN
        if unknown.any():
            at = int(np.searchsorted(released.bounds, int(np.argmax(unknown)), side="right")) - 1
            count = int(unknown[released.bounds[at] : released.bounds[at + 1]].sum())
            number = at + 1 if numbers is None else numbers[at]
            raise InputError(
                f"document {number} must be a release in words of this vocabulary; got {count} of other words. "
                "Is it the text that was released, and the vocabulary that it was released with?"
            )
        return released

    def _code(self, surface: str) -> int:
        kind = classify(surface)
        if kind is Kind.WORD:
            index = self._ids.get(surface)
            if index is None:
                index = self._ids.get(surface[0].lower() + surface[1:])
            return UNKNOWN if index is None else index
        if kind is Kind.PUNCTUATION:
            return SENTENCE_END if surface in SENTENCE_ENDS else GAP
        if kind is Kind.SPACE:
            return SENTENCE_END if "\n" in surface or "\r" in surface else GAP
        return OTHER


_WORD: Final = "w"
_ENDS: Final = ("<", ">")


class Documents(NamedTuple):
    """Words of documents in a row."""

    ids: Ids  # of all words, shape (words,)
    bounds: Integers  # where each document begins and the last ends, shape (documents + 1,)

    def counts(self, size: int) -> np.ndarray:
        """Return the count of each of ``size`` words, float64."""
        return np.bincount(self.ids, minlength=size).astype(np.float64)

    def class_counts(self, classes: Integers, number: int, size: int) -> np.ndarray:
        """Return the counts in the documents of each class, shape (size, number)."""
        cells = np.repeat(classes, np.diff(self.bounds)) * size + self.ids
        return np.bincount(cells, minlength=number * size).reshape(number, size).T.astype(np.float64)


class DocumentReader:
    """Reader of documents in the words of one vocabulary. ``words``: in the order of their ids."""

    def __init__(self, words: Sequence[str]) -> None:
        self._size = len(words)
        self._releases = ReleaseReader(words)
        self._clean: WordReader | None = None
        self._words = words

    def words(self, documents: Iterable[Any], *, clean: bool) -> Documents:
        """Return the words of documents.

        Args:
            documents: texts, or sequences of word ids; all of one kind.
            clean: the documents are no releases: words outside the vocabulary are read as their substitutes.

        Raises:
            ParameterError: there are other objects among them.
            InputError: a released text has a word outside the vocabulary.
        """
        given = checked_documents(documents)
        if given and isinstance(given[0], str):
            if clean:
                return self._of_clean(given)
            read = self._releases.read_releases(given)
            return Documents(read.words, read.word_bounds)
        rows = [checked_ids(_as_ids(document), self._size) for document in given]
        bounds = np.cumsum([0, *map(len, rows)])
        return Documents(np.concatenate([np.empty(0, dtype=np.int64), *rows]), bounds)

    def marks(self, documents: Iterable[Any]) -> list[list[str]]:
        """Return the public parts of texts: marks, numbers by digits, line ends; words as one sign.

        Lists of ids have no marks.
        """
        given = checked_documents(documents)
        if not given or not isinstance(given[0], str):
            return [[_WORD] * len(document) for document in given]
        read = self._releases.read([with_plain_marks(document) for document in given])
        signs = [_sign(surface, code) for surface, code in zip(read.surfaces, read.codes.tolist(), strict=True)]
        edges = read.bounds.tolist()
        return [[_ENDS[0], *filter(None, signs[start:end]), _ENDS[1]] for start, end in pairwise(edges)]

    def _of_clean(self, texts: list[str]) -> Documents:
        if self._clean is None:
            self._clean = WordReader(self._words)
        return Documents(*self._clean.words(texts))


def checked_documents(documents: Iterable[Any]) -> list[Any]:
    """Return documents as a list, either all texts or none.

    Raises:
        ParameterError: a single text, or texts among other objects.
    """
    if isinstance(documents, str):
        raise ParameterError("documents must be several texts; got one. Put it into a list.")
    try:
        given = list(documents)
    except TypeError:
        kind = type(documents).__name__
        raise ParameterError(f"documents must be texts or lists of word ids; got {kind}.") from None
    kinds = {isinstance(document, str) for document in given}
    if len(kinds) > 1:
        raise ParameterError("documents must be all texts or all lists of word ids; got both.")
    return given


def document_features(features: Vectors, ids: np.ndarray, bounds: np.ndarray) -> Vectors:
    """Return the sum of each document's features over the root of its length, which equalizes the noise of documents.

    Args:
        features: of words, shape (n, dim).
        ids: of all documents in a row, shape (words,).
        bounds: start of each and end of the last, shape (documents + 1,).
    """
    lengths = np.diff(bounds)
    table = sparse.csr_array((np.ones(len(ids), dtype=np.float32), ids, bounds), shape=(len(lengths), len(features)))
    sums = table @ features
    sums /= np.sqrt(np.maximum(lengths, 1))[:, None]
    return sums


def _as_ids(document: Any) -> Ids:
    try:
        array = np.asarray(document)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ParameterError(f"documents must be texts or lists of word ids; got {type(document).__name__}.")
    return array.astype(np.int64)


def _sign(surface: str, code: int) -> str:
    if code in (GAP, SENTENCE_END):
        return surface.strip(" ")
    if code == OTHER:
        return "".join("0" if character.isdigit() else character for character in surface)
    return _WORD
