"""Public texts for the frontier: to tell apart, to decode, and to learn from if they have labels."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.models.language_model import LanguageModel, boundary_id, check_contexts, check_words
from textveil.randomness import seeded_generator
from textveil.types import Ids, Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.downstream.tasks import Corpus, Labelled, LabelledTask, task_of
from textveil_lab.vocabulary.documents import DocumentReader, Documents

RUNS: Final = 5  # Repetitions of learning, which share no document
TRAIN: Final = 300
TEST: Final = 150  # Documents of a run at most; fewer if there are fewer
LONGEST: Final = 24  # Words of a document that are kept for learning, its first ones
DECODED: Final = 40  # Documents that are decoded at most
_CHARACTERS: Final = 1000  # Of each of them


class PublicTexts(NamedTuple):
    """Public texts, read; made by ``public_texts``."""

    words: Documents
    decoded: tuple[str, ...]
    task: LabelledTask | None


def public_texts(
    vocabulary: Vocabulary, texts: Sequence[str], labels: Sequence[str] | None = None, seed: int = 0
) -> PublicTexts:
    """Read public texts in the words of a vocabulary.

    Args:
        texts: at least two public documents.
        labels: class of each, for learning; None: no learning.

    Raises:
        ParameterError: fewer texts, or not one label for each.
        InputError: labels without two classes of enough documents.
    """
    need(not isinstance(texts, str), "texts", "one str", "a list of texts", "Put it into a list.")
    need(len(texts) >= 2, "texts", f"{len(texts)} of them", "two or more")
    need(labels is None or len(labels) == len(texts), "labels", f"{len(labels or ())} of them",
         f"one for each of the {len(texts)} texts")  # fmt: skip
    words = DocumentReader(vocabulary.words).words(texts, clean=True)
    rng = seeded_generator(seed, 3)
    some = sorted(rng.permutation(len(texts))[:DECODED].tolist())
    task = None if labels is None else _task(vocabulary, texts, labels, rng)
    return PublicTexts(words, tuple(texts[index][:_CHARACTERS] for index in some), task)


def _task(
    vocabulary: Vocabulary, texts: Sequence[str], labels: Sequence[str], rng: np.random.Generator
) -> LabelledTask:
    sizes = Counter(labels)
    names = tuple(sorted(name for name, count in sizes.items() if count >= 3 * RUNS))
    if len(names) < 2:
        raise InputError(
            f"labels must have two classes of at least {3 * RUNS} documents; got {len(names)}. Give more text, or "
            "leave the labels out."
        )
    parts: dict[str, list[tuple[str, int]]] = {"train": [], "test": []}
    least = min(sizes[name] for name in names)
    train, test = (least * 2 // 3, least - least * 2 // 3)
    for number, name in enumerate(names):
        places = rng.permutation([at for at, label in enumerate(labels) if label == name]).tolist()
        for part, some in (("train", places[:train]), ("test", places[train : train + test])):
            parts[part] += [(texts[at], number) for at in some]
    corpus = Corpus(
        name="the given texts",
        class_names=names,
        train=Labelled(*map(tuple, zip(*parts["train"], strict=True))),
        test=Labelled(*map(tuple, zip(*parts["test"], strict=True))),
    )
    return task_of(
        corpus,
        vocabulary.words,
        rng,
        runs=RUNS,
        train=min(TRAIN, len(names) * (train // RUNS)),
        test=min(TEST, len(names) * (test // RUNS)),
        longest=LONGEST,
    )


def model_of(vocabulary: Vocabulary) -> LanguageModel | None:
    """Return the embedded language model, for the embedded vocabulary or its first words; None for others."""
    whole = load_vocabulary()
    if vocabulary.words != whole.words[: len(vocabulary)]:
        return None
    from textveil.models.ngram import embedded_language_model  # 12 MB

    model = embedded_language_model()
    return model if len(vocabulary) == len(whole) else OfFirstWords(model, len(vocabulary))


class OfFirstWords:
    """Model restricted to the first words of its vocabulary, as a decoder's score.

    Its probabilities are those among all words, so their sum is below 1.
    """

    def __init__(self, model: LanguageModel, size: int) -> None:
        self._model, self._size = model, size

    @property
    def name(self) -> str:
        return f"{self._model.name}, first {self._size:,} words"

    @property
    def digest(self) -> str:
        return f"{self._model.digest}-{self._size}"

    @property
    def size(self) -> int:
        return self._size

    @property
    def order(self) -> int:
        return self._model.order

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        check_contexts(contexts, contexts.shape[-1], self._size)
        check_words(words, len(contexts), self._size)
        moved = boundary_id(self._model.size) - boundary_id(self._size)
        return self._model.log_probabilities(np.where(contexts >= self._size, contexts + moved, contexts), words)
