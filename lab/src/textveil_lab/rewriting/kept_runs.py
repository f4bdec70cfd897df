"""Training stored epoch by epoch in a folder, which continues only with the same settings."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textveil.errors import need
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.files import (
    FACTS,
    facts_of,
    read_network,
    restore_optimizer,
    restored_network,
    write_network,
)
from textveil_lab.models.autoencoder.network import Autoencoder
from textveil_lab.models.autoencoder.training import Epochs, adam


def corpus_digest(sentences: Sequence[Ids]) -> str:
    """Return the SHA-256 of sentences of word ids, in order."""
    total = hashlib.sha256(b"textveil sentences 1\n")
    total.update(np.array([len(sentences), *map(len, sentences)], dtype="<i8").tobytes())
    for sentence in sentences:
        total.update(np.ascontiguousarray(sentence, dtype="<i8").data)
    return total.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """Folder of a training, with the settings that it must share with the stored state."""

    folder: Path  # for this run alone
    vocabulary: Vocabulary  # its words
    # JSON facts of the run that settings of the network do not hold: noise, feeding, seed, sentences
    run: Mapping[str, Any]

    def keep(self, network: Autoencoder, optimizer: Any, epochs: Epochs) -> None:
        write_network(
            self.folder, network, {**facts_of(network, self.vocabulary, epochs), **self.run}, optimizer=optimizer
        )

    def again(self, network: Autoencoder) -> tuple[Autoencoder, Any, Epochs]:
        """Return the stored network, its optimizer and its epochs; ``network``, untrained, if nothing is stored.

        Raises:
            ParameterError: the stored training has other settings; the message names them.
            ModelError: the stored state is damaged.
        """
        if not (self.folder / FACTS).exists():
            return network, adam(network), Epochs((), ())
        saved = read_network(self.folder)
        wanted = {**facts_of(network, self.vocabulary, Epochs((), ())), **self.run}
        differing = _differing(saved.facts, wanted)
        done = len(saved.facts.get("losses", ()))
        if done > network.settings.epochs:
            differing = [*differing, f"epochs ({done} are done)"]
        need(
            not differing,
            "checkpoint",
            f"one that differs in {', '.join(differing)}",
            "of a run with the same settings",
            "Name another folder, or give the settings that it was begun with.",
        )
        kept, epochs = restored_network(saved, self.vocabulary, network.device, settings=network.settings)
        optimizer = adam(kept)
        restore_optimizer(optimizer, saved)
        return kept, optimizer, epochs


def _differing(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    found = []
    before, now = there.get("settings"), here["settings"]
    for name, value in now.items():
        old = before.get(name) if isinstance(before, Mapping) else None
        if name != "epochs" and old != value:
            found.append(f"{name} ({old} there, {value} here)")
    vocabulary = there.get("vocabulary")
    if not isinstance(vocabulary, Mapping) or vocabulary.get("digest") != here["vocabulary"]["digest"]:
        found.append("vocabulary")
    return found + [name for name, value in here.items() if name not in _OTHERS and there.get(name) != value]


_OTHERS = ("settings", "vocabulary", "losses", "seconds")
