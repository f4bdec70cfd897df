"""Documents as features and classes read them: released or clean texts, or lists of word ids."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.aggregates.released import GAP, OTHER, SENTENCE_END, ReleaseReader
from textveil.errors import ParameterError
from textveil.mechanisms.kinds import checked_ids
from textveil.text.codes import TextCodes
from textveil.text.marks import with_plain_marks
from textveil.types import Ids, Integers

_WORD: Final = "w"
_ENDS: Final = ("<", ">")


class Documents(NamedTuple):
    """Words of documents in a row.

    Attributes:
        ids: of all words, shape (words,).
        bounds: where each document begins and the last ends, shape (documents + 1,).
    """

    ids: Ids
    bounds: Integers

    def counts(self, size: int) -> np.ndarray:
        """How often each of ``size`` words occurs, float64."""
        return np.bincount(self.ids, minlength=size).astype(np.float64)

    def class_counts(self, classes: Integers, number: int, size: int) -> np.ndarray:
        """The same for the documents of each class, shape (size, number)."""
        cells = np.repeat(classes, np.diff(self.bounds)) * size + self.ids
        return np.bincount(cells, minlength=number * size).reshape(number, size).T.astype(np.float64)


class DocumentReader:
    """Reads documents in the words of one vocabulary.

    Args:
        words: in the order of their ids.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._size = len(words)
        self._releases = ReleaseReader(words)
        self._codes: TextCodes | None = None
        self._words = words

    def words(self, documents: Iterable[Any], *, clean: bool) -> Documents:
        """The words of documents.

        Args:
            documents: texts, or sequences of word ids; all of one kind.
            clean: they are no releases: words that the vocabulary lacks are read as those that stand for them.

        Raises:
            ParameterError: there are other things among them.
            InputError: a released text holds a word that the vocabulary does not have.
        """
        given = checked_documents(documents)
        if given and isinstance(given[0], str):
            return self._of_clean(given) if clean else self._of_releases(given)
        rows = [checked_ids(_as_ids(document), self._size) for document in given]
        bounds = np.cumsum([0, *map(len, rows)])
        return Documents(np.concatenate([np.empty(0, dtype=np.int64), *rows]), bounds)

    def marks(self, documents: Iterable[Any]) -> list[list[str]]:
        """What is public of texts beside their words: marks, numbers by their digits, line ends; words as one sign.

        Lists of ids have no marks.
        """
        given = checked_documents(documents)
        if not given or not isinstance(given[0], str):
            return [[_WORD] * len(document) for document in given]
        read = self._releases.read([with_plain_marks(document) for document in given])
        signs = [_sign(surface, code) for surface, code in zip(read.surfaces, read.codes.tolist(), strict=True)]
        edges = read.bounds.tolist()
        return [[_ENDS[0], *filter(None, signs[start:end]), _ENDS[1]] for start, end in pairwise(edges)]

    def _of_releases(self, texts: list[str]) -> Documents:
        read = self._releases.read_releases(texts)
        return Documents(read.words, read.word_bounds)

    def _of_clean(self, texts: list[str]) -> Documents:
        if self._codes is None:
            self._codes = TextCodes(self._words)
        coded = self._codes.encode(texts)
        words = self._codes.words(coded.codes)
        return Documents(words.ids, np.searchsorted(words.indices, coded.bounds))


def checked_documents(documents: Iterable[Any]) -> list[Any]:
    """Documents as a list, all of them texts or none.

    Raises:
        ParameterError: a single text, or texts among other things.
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


def _as_ids(document: Any) -> Ids:
    try:
        array = np.asarray(document)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ParameterError(f"documents must be texts or lists of word ids; got {type(document).__name__}.")
    return array.astype(np.int64)


def _sign(surface: str, code: int) -> str:
    """A token's public sign; empty for plain spaces."""
    if code in (GAP, SENTENCE_END):
        return surface.strip(" ")
    if code == OTHER:
        return "".join("0" if character.isdigit() else character for character in surface)
    return _WORD
