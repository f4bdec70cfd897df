"""The words of a vocabulary that stand in texts, as ids, for mechanisms of whole texts."""

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
    """The ids of each text's words, in their order; what is outside the vocabulary is left out.

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
    """The first ``length`` words of each text; where there are fewer, the vocabulary's first word fills up.

    Returns:
        Ids, shape (texts, length): how many words a text has does not show.
    """
    out = np.zeros((len(texts), length), dtype=np.int64)
    for row, ids in zip(out, words_of(codes, texts), strict=True):
        row[: len(ids[:length])] = ids[:length]
    return out


def text_of(vocabulary: Vocabulary, ids: Iterable[int]) -> str:
    """Words parted by spaces."""
    milder = milder_words(vocabulary)
    return " ".join(written(vocabulary.words[milder.get(word_id, word_id)]) for word_id in ids)
