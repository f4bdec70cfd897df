"""Training: batches of sentences of similar length, Adam, and a stop if the loss is not finite."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import ModelError, need
from textveil.randomness import seeded_generator
from textveil.types import Ids, Integers, Noting, Progress
from textveil.vocabulary.grid import load_torch
from textveil_lab.models.autoencoder.network import Autoencoder, Disturb

_ORDER, _DISTURBED, _DROPPED = range(3)  # Streams of an epoch's seed


class Views(NamedTuple):
    """The same sentences as three parts of a network see them; of equal lengths, word by word."""

    read: Sequence[Ids]
    fed: Sequence[Ids]  # to the decoder, each word before the next is asked for
    wanted: Sequence[Ids]

    def part(self, rows: Integers) -> Views:
        return Views(*([view[row] for row in rows.tolist()] for view in self))


class Epochs(NamedTuple):
    """Measurements of each epoch: mean nats a token (ends counted) and seconds."""

    losses: tuple[float, ...]
    seconds: tuple[float, ...]


def batches(lengths: Integers, batch: int, rng: np.random.Generator | None) -> Iterator[Integers]:
    """Yield rows of sentences of similar length, longest first, all sentences once.

    Args:
        lengths: of the sentences, shape (sentences,).
        batch: largest number of rows; no two batches differ by more than one.
        rng: shuffles sentences of one length, and the batches; None leaves them in order.
    """
    mixed = np.arange(len(lengths)) if rng is None else rng.permutation(len(lengths))
    ordered = mixed[np.argsort(-lengths[mixed], kind="stable")]
    parts = np.array_split(ordered, -(-len(lengths) // batch))
    for index in range(len(parts)) if rng is None else rng.permutation(len(parts)):
        yield parts[index]


def mean_loss(network: Autoencoder, views: Views, disturb: Disturb | None) -> tuple[Any, int]:
    """Return the mean nats of a batch's target words and ends, as a tensor, and their number.

    Args:
        disturb: see ``Disturb``.
    """
    codes, wanted = network.encode(network.read(views.read), disturb), network.wanted(views.wanted)
    return network.mean_loss(network.states(codes, network.fed(views.fed)), wanted), len(wanted)


@dataclass(frozen=True, eq=False)
class Training:
    """One training run over one corpus."""

    network: Autoencoder  # is trained in place
    views: Views
    # makes, of an epoch's generator, what is done to the vectors before the encoder; or None
    disturb: Callable[[np.random.Generator], Disturb | None]
    seed: int  # of the order, of what is left out and of what disturbs; each epoch has its own streams

    def run(
        self, done: Epochs, optimizer: Any, progress: Progress | None, keep: Callable[[Epochs], None] | None
    ) -> Epochs:
        """Train from the epoch after ``done``.

        Args:
            done: finished epochs of the network and the optimizer.
            keep: called after each epoch, with finite weights; None keeps nothing.

        Raises:
            ModelError: the loss of a step, or a weight after it, is not finite; what ``keep`` stored stays.
        """
        settings = self.network.settings
        steps = -(-len(self.views.wanted) // settings.batch)
        for epoch in range(len(done.losses), settings.epochs):
            start = time.perf_counter()
            total = tokens = 0.0
            for step, (loss, count) in enumerate(self._epoch(epoch, optimizer), 1):
                if not math.isfinite(loss):
                    raise _broken("the loss", loss, step, epoch, keep is not None)
                total, tokens = total + loss * count, tokens + count
                if progress is not None:
                    if isinstance(progress, Noting):
                        progress.note(f"epoch {epoch + 1}, loss {total / tokens:.3f}")
                    progress(epoch * steps + step, settings.epochs * steps)
            seconds = time.perf_counter() - start
            if not all(bool(parameter.isfinite().all()) for parameter in self.network.modules.parameters()):
                raise _broken("every weight", "nan or inf", steps, epoch, keep is not None)
            done = Epochs((*done.losses, total / tokens), (*done.seconds, seconds))
            if keep is not None:
                keep(done)
        self.network.modules.eval()
        return done

    def _epoch(self, epoch: int, optimizer: Any) -> Iterator[tuple[float, int]]:
        torch = load_torch()
        lengths = np.fromiter(map(len, self.views.wanted), np.int64, len(self.views.wanted))
        order, disturbed, dropped = (
            seeded_generator(self.seed, epoch, purpose) for purpose in (_ORDER, _DISTURBED, _DROPPED)
        )
        disturb = self.disturb(disturbed)
        self.network.modules.train()
        for rows in batches(lengths, self.network.settings.batch, order):
            with torch.random.fork_rng(devices=_cards(self.network.device)):
                torch.manual_seed(int(dropped.integers(2**62)))
                optimizer.zero_grad(set_to_none=True)
                loss, count = mean_loss(self.network, self.views.part(rows), disturb)
                value = float(loss.detach())
                if math.isfinite(value):  # else the weights stay
                    loss.backward()
                    optimizer.step()
            yield value, count


def adam(network: Autoencoder) -> Any:
    """Return Adam over the network's weights, with the settings' rate and betas."""
    settings = network.settings
    weights = [weight for weight in network.modules.parameters() if weight.requires_grad]
    return load_torch().optim.Adam(weights, lr=settings.learning_rate, betas=settings.betas, fused=True)


def checked_sentences(sentences: Sequence[Ids], words: int, length: int) -> list[Ids]:
    """Return sentences as int64 arrays.

    Raises:
        ParameterError: one is empty, longer than ``length``, or has an id outside [0, words); the message has its
            number.
    """
    sentences_read = []
    for number, sentence in enumerate(sentences, 1):
        ids = np.asarray(sentence)
        name = f"sentence {number}"
        need(ids.size >= 1, name, "an empty one", "of one word at least", "Leave it out.")
        need(ids.ndim == 1 and ids.dtype.kind in "iu", name, f"{ids.dtype} of shape {ids.shape}", "a row of ids")
        need(ids.size <= length, name, ids.size, f"of {length} words at most", "Cut it, or raise `length`.")
        need(int(ids.min()) >= 0 and int(ids.max()) < words, name, "one outside it", f"of ids in [0, {words})")
        sentences_read.append(ids.astype(np.int64, copy=False))
    return sentences_read


def _broken(what: str, value: object, step: int, epoch: int, keeps: bool) -> ModelError:
    """Return the error of a failed training; epochs are counted from 0 here, and from 1 in the message."""
    stands = f"The network after epoch {epoch} is kept." if keeps and epoch else "No network is kept."
    return ModelError(
        f"{what} must be a finite number; got {value} at step {step} of epoch {epoch + 1}. {stands} "
        "Lower `learning_rate`, or check vectors and noise."
    )


def _cards(device: str) -> list[str]:
    return [device] if device.startswith("cuda") else []
