"""Sentences of a run and their words: public stand-ins for the paper's corpora, and two sentences written here.

Cells of the study have corpus and embeddings, way, mechanism and epsilon; ``RewritingSize`` is the size of a run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.randomness import seeded_generator
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.network import AutoencoderSettings
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, EPSILONS, MECHANISMS, TableBlock
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay

VALID_MECHANISMS = (*MECHANISMS, "neighborhood", "optimal")
"""Mechanisms of the third way: the paper's three in valid forms, and the catalog's best."""


LEAST_OPTIMAL = 1.0
"""Smallest epsilon of the optimal channel: below it no channel keeps words, and the search takes long."""


class RewritingCell(NamedTuple):
    """One measurement."""

    block: TableBlock  # corpus and embeddings
    way: ExperimentWay  # how
    mechanism: str | None = None  # None without privacy, which is a cell of the public code's way
    epsilon: float | None = None  # None without privacy

    @property
    def name(self) -> str:
        parts = [self.block.corpus, self.block.embeddings.lower(), self.way.short]
        parts += ["no-privacy"] if self.mechanism is None else [self.mechanism, f"{self.epsilon:g}"]
        return "_".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingSize:
    """Size of a run."""

    sentences: int  # on which a network is trained
    tested: int  # held-out sentences; as many of the trained ones are tested beside them
    words: int  # of the vocabulary at most, the most frequent ones of the trained sentences
    network: AutoencoderSettings  # shape and training of the auto-encoder
    # epochs that every network of the public code's way is trained on from the one without noise, which they share;
    # None trains each from the start, as the paper does
    further: int | None = None
    epsilons: tuple[float, ...] = EPSILONS  # in place of the paper's eight
    blocks: tuple[TableBlock, ...] = BLOCKS  # corpora and embeddings

    def to_data(self) -> dict[str, Any]:
        """Return JSON data; epsilons and blocks are left out, since cells state them."""
        whole = {**asdict(self), "network": self.network.to_data()}
        return {key: whole[key] for key in ("sentences", "tested", "words", "network", "further")}


def size_of(setting: StudySetting) -> RewritingSize:
    """Return the size of a run: small if quick, the paper's on a GPU, else one for two CPU cores."""
    if setting.quick:
        network = AutoencoderSettings(hidden=32, code=32, batch=32, epochs=3, length=12, learning_rate=0.002)
        return RewritingSize(
            sentences=320, tested=60, words=300, network=network, further=1, epsilons=(0.05, 1.0, 20.0)
        )
    if setting.device != "cpu":
        return RewritingSize(sentences=17_212, tested=4_363, words=10_000, network=AutoencoderSettings())
    network = AutoencoderSettings(
        hidden=192, code=192, batch=32, epochs=40, length=16, learning_rate=0.002, dropout=0.1
    )
    return RewritingSize(sentences=2_000, tested=200, words=2_000, network=network, further=8)


def cells_of(size: RewritingSize, way: ExperimentWay, block: TableBlock) -> Iterator[RewritingCell]:
    """Yield the cells of one way and block with privacy, in the order of the paper's tables."""
    for mechanism in VALID_MECHANISMS if way is ExperimentWay.VALID else MECHANISMS:
        for epsilon in size.epsilons:
            if mechanism != "optimal" or epsilon >= LEAST_OPTIMAL:
                yield RewritingCell(block, way, mechanism, epsilon)


def clean_cell(block: TableBlock) -> RewritingCell:
    """Return the cell without privacy: the first and the third way share its network."""
    return RewritingCell(block, ExperimentWay.CODE)


RESTAURANT = "we came for dinner at seven and waited an hour before they brought the food"
"""Stand-in for the paper's first sentence: about a restaurant, with a time in it."""

WARNING = "do not eat here because my son was very sick after the food"
"""Stand-in for its second sentence: a warning of food poisoning."""

SHORTEST = 4  # Words of a sentence at least
_TRAIN, _TEST = range(2)  # Streams of the draw of sentences


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Data shared by the cells of one block."""

    block: TableBlock  # corpus and embeddings
    vocabulary: Vocabulary  # the most frequent words of the trained sentences that have a vector
    trained: tuple[Ids, ...]  # sentences as ids; the two of our own are the last
    held_out: tuple[Ids, ...]  # sentences of the corpus's test part
    coverage: float  # share of the words with a vector in the drawn sentences that the vocabulary has

    @property
    def examples(self) -> tuple[Ids, ...]:
        return self.trained[-2:]

    def seen(self, count: int) -> tuple[Ids, ...]:
        return self.trained[: min(count, len(self.trained) - 2)]

    def text(self, sentence: Sequence[int] | Ids) -> str:
        return " ".join(self.vocabulary.words[index] for index in sentence)

    def facts(self) -> dict[str, Any]:
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
    """Return sentences drawn by the setting's seed, without marks and words that have no vector.

    Raises:
        ParameterError: the corpus or the embeddings are missing, or there are too few sentences.
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
    """Return the vocabulary used for GloVe or fastText: the one whose name contains that word.

    Raises:
        ParameterError: there is none.
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
    coded = [np.array([ids[word] for word in sentence if word in ids], dtype=np.int64) for sentence in sentences]
    return [sentence[: size.network.length] for sentence in coded if len(sentence)]
