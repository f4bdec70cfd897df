"""Texts as sentences of word ids and back, and the initial words and vectors of a network.

Long sentences are cut into pieces of a given length. Only words are rewritten: punctuation and numbers are left out,
and are not in the output.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.randomness import seeded_generator
from textveil.text.out_of_vocabulary import WordIndex
from textveil.text.tokens import Kind, classify, split
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import SMALLEST, Vocabulary
from textveil_lab.vocabulary.documents import SENTENCE_ENDS

RANDOM_WIDTH: Final = 0.1
"""Half-width of the uniform law of drawn coordinates, as in the published code's origin."""


class TextSentences(NamedTuple):
    """Sentences of some texts."""

    sentences: list[Ids]  # word ids, none empty
    texts: Integers  # number of the text, from 0, that each sentence is of, shape (sentences,); never falling
    documents: int  # number of texts; those without words have no sentence

    def written(self, sentences: Sequence[Ids], vocabulary: Vocabulary) -> list[str]:
        """Return a text for each text: the new words of its sentences, separated by spaces.

        Args:
            sentences: one for each of the texts' sentences.
            vocabulary: of their ids.
        """
        need(len(sentences) == len(self.sentences), "sentences", len(sentences), f"{len(self.sentences)}, one for each")
        words: list[list[str]] = [[] for _ in range(self.documents)]
        for text, ids in zip(self.texts.tolist(), sentences, strict=True):
            words[text] += [vocabulary.words[word_id] for word_id in ids.tolist()]
        return [" ".join(some) for some in words]


def sentences_of(
    texts: Sequence[str], vocabulary: Vocabulary, *, length: int = 32, tokenized: bool = False
) -> TextSentences:
    """Return the words of texts, sentence by sentence.

    A word outside the vocabulary is replaced by one of its words, by spelling (``text.out_of_vocabulary``).

    Args:
        length: largest number of words of a sentence; longer ones are cut into pieces of that size.
        tokenized: for corpora with tokens between spaces: each token of the vocabulary is a word, marks included, and a
            text is one sentence.
    """
    need(length >= 1, "length", length, ">= 1")
    rows = [list(_cut_at_spaces(text, vocabulary) if tokenized else _cut(text)) for text in texts]
    surfaces = sorted({surface for sentences in rows for sentence in sentences for surface in sentence})
    word_ids = WordIndex(vocabulary.words).lookup_many(surfaces)
    ids = {surface: word for surface, (word, _) in zip(surfaces, word_ids, strict=True)}
    sentences, owners = [], []
    for number, parts in enumerate(rows):
        for part in parts:
            row = np.array([ids[surface] for surface in part], dtype=np.int64)
            pieces = np.split(row, range(length, len(row), length))
            sentences += [piece for piece in pieces if len(piece)]
            owners += [number] * sum(len(piece) > 0 for piece in pieces)
    return TextSentences(sentences, np.array(owners, dtype=np.int64), len(rows))


def word_counts(texts: Sequence[str]) -> Integers:
    """Return the number of words of ``sentences_of`` for each text, shape (texts,)."""
    return np.array([sum(map(len, _cut(text))) for text in texts], dtype=np.int64)


def common_words(texts: Sequence[str], vocabulary: Vocabulary, count: int, *, tokenized: bool = False) -> Vocabulary:
    """Return the vocabulary's words of public texts, the most frequent first, with their vectors.

    The choice of words reveals the texts: use public ones.

    Args:
        count: largest number of words, >= 2.

    Raises:
        InputError: the texts have fewer than two words of the vocabulary.
    """
    need(count >= SMALLEST, "count", count, f">= {SMALLEST}")
    times: Counter[int] = Counter()
    for text in texts:
        for part in _cut_at_spaces(text, vocabulary) if tokenized else _cut(text):
            for surface in part:
                known = vocabulary.id_of(surface)
                known = vocabulary.id_of(surface.lower()) if known is None else known
                if known is not None:
                    times[known] += 1
    if len(times) < SMALLEST:
        raise InputError(f"the texts must hold {SMALLEST} words of the vocabulary; got {len(times)}. Give more text.")
    chosen = sorted(times, key=lambda word: (-times[word], word))[:count]
    words = [vocabulary.words[word] for word in chosen]
    return Vocabulary(words, vocabulary.vectors[chosen], f"{vocabulary.name}-{len(words)}")


def drawn_vectors(vocabulary: Vocabulary, *, seed: int, dim: int | None = None) -> Vocabulary:
    """Return the same words with drawn vectors, uniform in [-0.1, 0.1] in each coordinate.

    Args:
        dim: number of coordinates; None is the vocabulary's.
    """
    need(dim is None or dim >= 1, "dim", dim, ">= 1")
    shape = (len(vocabulary), dim or vocabulary.dim)
    vectors = seeded_generator(seed).uniform(-RANDOM_WIDTH, RANDOM_WIDTH, size=shape)
    return Vocabulary(vocabulary.words, vectors.astype(np.float32), f"{vocabulary.name}-random", copy=False)


def _cut(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    for surface in split(text):
        kind = classify(surface)
        if kind is Kind.WORD:
            words.append(surface)
        elif (kind is Kind.PUNCTUATION and surface in SENTENCE_ENDS) or "\n" in surface:
            yield words
            words = []
    yield words


def _cut_at_spaces(text: str, vocabulary: Vocabulary) -> Iterator[list[str]]:
    yield [
        surface for surface in text.split() if vocabulary.id_of(surface) is not None or classify(surface) is Kind.WORD
    ]
