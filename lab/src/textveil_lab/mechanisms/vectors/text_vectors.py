"""Vectors of texts from public word vectors, as input of mechanisms of vectors."""

from collections.abc import Sequence

import numpy as np

from textveil.errors import need
from textveil.randomness import resolve
from textveil.text.codes import TextCodes
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.words import words_of


def mean_word_vectors(
    texts: Sequence[str], vocabulary: Vocabulary, *, dropout: float = 0.0, rng: np.random.Generator | None = None
) -> Reals:
    """Return the mean of the vectors of a text's words, zeros if it has none; float64, shape (texts, vocabulary.dim).

    The result is not private: give it to a mechanism. Words outside the vocabulary are left out.

    ``dropout``: mu of ``dpnr``: each word is dropped with this probability, in [0, 1); ``rng``: of the dropout, None is
    the operating system's randomness.

    Raises:
        InputError: a text is no string.
        ParameterError: dropout is outside its domain.
    """
    need(0 <= dropout < 1, "dropout", dropout, "in [0, 1)")
    means = np.zeros((len(texts), vocabulary.dim))
    for row, vectors in enumerate(word_vectors(texts, vocabulary)):
        kept = vectors[resolve(rng).random(len(vectors)) >= dropout] if dropout else vectors
        if len(kept):
            means[row] = kept.mean(axis=0)
    return means


def word_vectors(texts: Sequence[str], vocabulary: Vocabulary) -> list[Reals]:
    """Return the vectors of each text's words in their order, float64, shape (words, vocabulary.dim) each.

    They are not private: give them to a mechanism. Words outside the vocabulary are left out.
    """
    codes = TextCodes(vocabulary.words)
    return [vocabulary.vectors[ids].astype(np.float64) for ids in words_of(codes, texts)]
