"""Words of texts as ids of a vocabulary, for mechanisms of whole texts."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from textveil.errors import InputError
from textveil.text.codes import TextCodes
from textveil.text.render import written
from textveil.types import Ids
from textveil.vocabulary.facts import milder_words
from textveil.vocabulary.vocabulary import Vocabulary


def words_of(codes: TextCodes, texts: Sequence[str]) -> list[Ids]:
    """Return the ids of each text's words, in order; words outside the vocabulary are left out.

    Raises:
        InputError: a text is no string.
    """
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(f"document {number} must be a str; got {type(text).__name__}.")
    encoded = codes.encode(texts)
    words = codes.words(encoded.codes)
    known = ~words.out_of_vocabulary[words.indices]
    ids, places = words.ids[known], words.indices[known]
    edges = np.searchsorted(places, encoded.bounds)
    return [ids[start:stop] for start, stop in pairwise(edges.tolist())]


def bags_of(codes: TextCodes, texts: Sequence[str], length: int) -> Ids:
    """Return the first ``length`` words of each text, padded with the vocabulary's first word.

    Returns:
        Ids, shape (texts, length); the number of words of a text does not show.
    """
    out = np.zeros((len(texts), length), dtype=np.int64)
    for row, ids in zip(out, words_of(codes, texts), strict=True):
        row[: len(ids[:length])] = ids[:length]
    return out


def text_of(vocabulary: Vocabulary, ids: Iterable[int]) -> str:
    """Return words separated by spaces."""
    milder = milder_words(vocabulary)
    return " ".join(written(vocabulary.words[milder.get(word_id, word_id)]) for word_id in ids)
