"""The cells of the study: corpus and embeddings, way, mechanism and epsilon; and how large a run is."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from textveil_lab.models.autoencoder.settings import AutoencoderSettings
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, EPSILONS, MECHANISMS, TableBlock
from textveil_lab.papers.truncated_laplace.ways import ExperimentWay

VALID_MECHANISMS = (*MECHANISMS, "neighborhood", "optimal")
"""Of the third way: the paper's three in valid forms, and the catalog's best."""

LEAST_OPTIMAL = 1.0
"""Below this epsilon the optimal channel is left out: neighborhood is as good as nothing there, and it takes long."""


class RewritingCell(NamedTuple):
    """One measurement."""

    block: TableBlock  # corpus and embeddings
    way: ExperimentWay  # how
    mechanism: str | None = None  # None without privacy, which is a cell of the public code's way
    epsilon: float | None = None  # None without privacy

    @property
    def name(self) -> str:
        """Of its file."""
        parts = [self.block.corpus, self.block.embeddings.lower(), self.way.short]
        parts += ["no-privacy"] if self.mechanism is None else [self.mechanism, f"{self.epsilon:g}"]
        return "_".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingSize:
    """How large a run is."""

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
        """JSON data; where epsilons and blocks are left out, cells say which they are."""
        whole = {**asdict(self), "network": self.network.to_data()}
        return {key: whole[key] for key in ("sentences", "tested", "words", "network", "further")}


def size_of(setting: StudySetting) -> RewritingSize:
    """That of a run: small where it is quick, the paper's on a GPU, and else one for two processor cores."""
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
    """The cells of one way and block, in the order of the paper's tables; without the one without privacy."""
    for mechanism in VALID_MECHANISMS if way is ExperimentWay.VALID else MECHANISMS:
        for epsilon in size.epsilons:
            if mechanism != "optimal" or epsilon >= LEAST_OPTIMAL:
                yield RewritingCell(block, way, mechanism, epsilon)


def clean_cell(block: TableBlock) -> RewritingCell:
    """The cell without privacy: its network is the one that the first and the third way share."""
    return RewritingCell(block, ExperimentWay.CODE)
