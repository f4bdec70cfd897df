"""Measurement of one cell: a network, if the way trains one, released words, rewritten sentences.

A cell keeps sentences as ids, and scores are computed later: a new score needs no new training.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textveil.errors import ModelError
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.randomness import seeded_generator
from textveil.types import Ids
from textveil_lab.frontiers.cells import Values, cell_seed
from textveil_lab.models.autoencoder.training import Epochs, Training, adam
from textveil_lab.papers.truncated_laplace.facts import TableBlock
from textveil_lab.papers.truncated_laplace.public_code import injection_of
from textveil_lab.papers.truncated_laplace.sentences import Material, RewritingCell, RewritingSize, clean_cell
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay
from textveil_lab.rewriting.injection import Feeding, Injection, Place
from textveil_lab.rewriting.rewriter import Rewriter, load_rewriter, save_rewriter, train_rewriter, views_of

_TRAINED, _LOSS, _REWRITTEN, _RELEASED, _FURTHER = range(5)  # Streams of a cell's seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measurement:
    """Data shared by the cells of a run; called with a cell."""

    materials: Mapping[TableBlock, Material]  # sentences and words by block
    size: RewritingSize  # of the run
    seed: int  # of the study
    device: str  # where networks are trained
    folder: Path  # of the cells; the networks without privacy are kept in it

    def __call__(self, cell: RewritingCell) -> Values:
        material = self.materials[cell.block]
        return self._trained(cell, material) if cell.way is ExperimentWay.CODE else self._released(cell, material)

    def _trained(self, cell: RewritingCell, material: Material) -> Values:
        seed = cell_seed(cell, self.seed)
        injection, clean = injection_of(cell, material.vocabulary), cell == clean_cell(cell.block)
        if clean or self.size.further is None:
            rewriter = train_rewriter(
                material.trained,
                material.vocabulary,
                self.size.network,
                injection,
                seed=seed + _TRAINED,
                device=self.device,
                feeding=Feeding.CLEAN,
            )
            if clean:
                save_rewriter(rewriter, self.shared(cell.block))
        else:
            rewriter = self._shared_rewriter(material)
        if self.size.further is not None:
            rewriter = _further(rewriter, injection, material, self.size.further, seed + _FURTHER)
        parts = {"seen": material.seen(self.size.tested), "held_out": material.held_out}
        examples = rewriter.rewrite(material.examples, seed=seed + _REWRITTEN)
        return {
            "nats_a_token": {
                part: rewriter.loss(some, seed=seed + _LOSS, feeding=Feeding.CLEAN) for part, some in parts.items()
            },
            "outputs": {part: _plain(rewriter.rewrite(some, seed=seed + _REWRITTEN)) for part, some in parts.items()},
            "examples": _plain(examples),
            "epoch_losses": list(rewriter.losses),
            "epoch_seconds": list(rewriter.seconds),
        }

    def _released(self, cell: RewritingCell, material: Material) -> Values:
        """Measure word by word: nothing is trained on releases; the loss is the shared network's."""
        seed, injection = cell_seed(cell, self.seed), injection_of(cell, material.vocabulary)
        assert injection.mechanism is not None
        parts = {"seen": material.seen(self.size.tested), "held_out": material.held_out}
        rewriter = replace(self._shared_rewriter(material), injection=injection)
        released = {part: _draws(injection.mechanism, some, seed + _RELEASED) for part, some in parts.items()}
        return {
            "nats_a_token": {
                part: rewriter.loss(some, seed=seed + _LOSS, feeding=Feeding.RELEASED) for part, some in parts.items()
            },
            "outputs": {part: _plain(some) for part, some in released.items()},
            "examples": _plain(_draws(injection.mechanism, material.examples, seed + _REWRITTEN)),
        }

    def _shared_rewriter(self, material: Material) -> Rewriter:
        try:
            return load_rewriter(self.shared(material.block), material.vocabulary, self.device)
        except ModelError as error:
            raise ModelError(
                "`cells` must hold the network without noise that its cells share, whole; got one that is damaged or "
                f"missing ({self.shared(material.block).name}). Remove the folder {self.folder.name}, and it is "
                "measured anew."
            ) from error

    def shared(self, block: TableBlock) -> Path:
        """Return the folder of a block's network without privacy."""
        return self.folder / f"rewriter_{block.corpus}_{block.embeddings.lower()}"


def _further(rewriter: Rewriter, injection: Injection, material: Material, epochs: int, seed: int) -> Rewriter:
    network = replace(rewriter.network, settings=replace(rewriter.settings, epochs=epochs))
    views = views_of(injection, material.trained, Feeding.CLEAN, seeded_generator(seed))
    run = Training(network, views, injection.disturbing, seed)
    done = run.run(Epochs((), ()), adam(network), None, None)
    return Rewriter(material.vocabulary, injection, network, done)


def _draws(mechanism: WordMechanism | SequenceMechanism, sentences: Sequence[Ids], seed: int) -> list[Ids]:
    return Injection(place=Place.TOKENS, mechanism=mechanism).released(sentences, seeded_generator(seed))


def _plain(sentences: Sequence[Ids]) -> list[list[Any]]:
    return [sentence.tolist() for sentence in sentences]
