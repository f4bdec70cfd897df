"""The sentences of a run and their words: public stand-ins for the paper's corpora, and two sentences written here."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import TableBlock
from textveil_lab.papers.truncated_laplace.plan import RewritingSize

RESTAURANT = "we came for dinner at seven and waited an hour before they brought the food"
"""In the place of the paper's first sentence: of a restaurant, with a time in it."""

WARNING = "do not eat here because my son was very sick after the food"
"""In the place of its second one: a warning of food poisoning."""

SHORTEST = 4  # Words of a sentence at least
_TRAIN, _TEST = range(2)  # Streams of the draw of sentences


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """What the cells of one block share."""

    block: TableBlock  # corpus and embeddings
    vocabulary: Vocabulary  # the most frequent words of the trained sentences that have a vector
    trained: tuple[Ids, ...]  # sentences as ids; the two of our own are the last
    held_out: tuple[Ids, ...]  # sentences of the corpus's test part
    coverage: float  # share of the words with a vector in the drawn sentences that the vocabulary has

    @property
    def examples(self) -> tuple[Ids, ...]:
        """The two sentences of our own."""
        return self.trained[-2:]

    def seen(self, count: int) -> tuple[Ids, ...]:
        """The first of the trained sentences."""
        return self.trained[: min(count, len(self.trained) - 2)]

    def text(self, sentence: Sequence[int] | Ids) -> str:
        """Words with spaces between them."""
        return " ".join(self.vocabulary.words[index] for index in sentence)

    def facts(self) -> dict[str, Any]:
        """What a report says of it."""
        tokens = sum(map(len, self.trained))
        return {
            "corpus": self.block.corpus,
            "embeddings": self.block.embeddings,
            "words": len(self.vocabulary),
            "trained sentences": len(self.trained),
            "held-out sentences": len(self.held_out),
            "words a sentence": tokens / len(self.trained),
            "share of words with a vector that are kept": self.coverage,
            "vocabulary digest": self.vocabulary.digest,
        }


def material_of(setting: StudySetting, size: RewritingSize, block: TableBlock) -> Material:
    """Sentences drawn by the setting's seed; words without a vector are left out of them, and so are marks.

    Raises:
        ParameterError: the corpus or the embeddings are not at hand, or there are too few sentences.
    """
    folder, table = setting.text(block.corpus), embeddings_of(setting, block.embeddings)
    known = {word: row for row, word in enumerate(table.words)}
    drawn = _drawn(setting, folder, "train", _TRAIN, size.sentences - 2, known)
    own = [sentence.split() for sentence in (RESTAURANT, WARNING)]
    counts = Counter(word for sentence in drawn for word in sentence)
    first = dict.fromkeys(word for sentence in own for word in sentence if word in known)
    words = [*first, *(word for word, _ in counts.most_common(size.words) if word not in first)][: size.words]
    ids = {word: index for index, word in enumerate(words)}
    vocabulary = Vocabulary(
        words, table.vectors[[known[word] for word in words]], name=f"{block.corpus} words, {block.embeddings}"
    )
    held_out = _drawn(setting, folder, "test", _TEST, size.tested, known)
    running = [word in ids for sentence in drawn + held_out for word in sentence]
    return Material(
        block=block,
        vocabulary=vocabulary,
        trained=tuple(_coded(drawn, ids, size) + _coded(own, ids, size)),
        held_out=tuple(_coded(held_out, ids, size)),
        coverage=sum(running) / len(running),
    )


def embeddings_of(setting: StudySetting, name: str) -> Vocabulary:
    """The vocabulary that stands for GloVe or fastText: the one whose name holds that word.

    Raises:
        ParameterError: none does.
    """
    for vocabulary in setting.vocabularies:
        if name.lower() in vocabulary.name.lower():
            return vocabulary
    have = ", ".join(vocabulary.name for vocabulary in setting.vocabularies)
    wanted = "a vocabulary of that name below data/vectors of $TEXTVEIL_SHARED, or one given as `vocabulary`"
    need(False, f"embeddings {name}", have, wanted)
    raise AssertionError


def _drawn(
    setting: StudySetting, folder: Path, part: str, stream: int, count: int, known: dict[str, int]
) -> list[list[str]]:
    lines = list(dict.fromkeys(_lines(folder, part, known)))
    need(len(lines) >= count, f"corpus {folder.name}", f"{len(lines)} sentences", f"of {count} sentences or more")
    order = seeded_generator(setting.seed, 7, stream).permutation(len(lines))[:count]
    return [list(lines[index]) for index in order]


def _lines(folder: Path, part: str, known: dict[str, int]) -> Iterator[tuple[str, ...]]:
    for path in sorted(folder.glob(f"{part}*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = tuple(word for word in line.lower().split() if word in known)
            if len(words) >= SHORTEST:
                yield words


def _coded(sentences: Sequence[Sequence[str]], ids: dict[str, int], size: RewritingSize) -> list[Ids]:
    """Sentences as ids, cut to the network's length; those without a word of the vocabulary are left out."""
    coded = [np.array([ids[word] for word in sentence if word in ids], dtype=np.int64) for sentence in sentences]
    return [sentence[: size.network.length] for sentence in coded if len(sentence)]
