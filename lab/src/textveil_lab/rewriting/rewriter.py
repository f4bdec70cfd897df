"""Rewriting of sentences by an auto-encoder that was trained with noise at a stated place."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from textveil.errors import ModelError, ParameterError, need
from textveil.json_text import json_data
from textveil.privacy.guarantees import Guarantee, NoGuarantee
from textveil.randomness import resolve, seeded_generator
from textveil.types import Ids, Progress
from textveil.vocabulary.grid import checked_device, load_torch
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.coder import said_of
from textveil_lab.models.autoencoder.files import facts_of, read_network, restored_network, write_network
from textveil_lab.models.autoencoder.network import Autoencoder, AutoencoderSettings, new_autoencoder
from textveil_lab.models.autoencoder.training import Epochs, Training, Views, adam, batches, checked_sentences
from textveil_lab.rewriting.injection import Feeding, Injection, Place
from textveil_lab.rewriting.kept_runs import KeptRun, corpus_digest

_WEIGHTS, _WORDS, _TABLE = range(3)  # Streams of a training's seed; its epochs have others
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rewriter:
    """Trained network with the noise of its training; made by ``train_rewriter`` or ``load_rewriter``."""

    vocabulary: Vocabulary  # the public words
    injection: Injection  # where noise enters, also when it rewrites
    network: Autoencoder  # the network
    epochs: Epochs  # losses (nats a token, ends of sentences counted) and seconds of each epoch of its training
    corpus: str | None = None  # SHA-256 of the sentences of its training, None if it was not kept

    @property
    def settings(self) -> AutoencoderSettings:
        return self.network.settings

    @property
    def losses(self) -> tuple[float, ...]:
        """Mean nats a token of each epoch of the training, measured during it, with dropout."""
        return self.epochs.losses

    @property
    def seconds(self) -> tuple[float, ...]:
        return self.epochs.seconds

    def learned_from(self, sentences: Sequence[Ids]) -> bool:
        """Tell whether these are exactly the sentences of its training, in order; those have no guarantee."""
        return self.corpus is not None and self.corpus == corpus_digest(sentences)

    def promise(
        self, sentences: Sequence[Ids], feeding: Feeding = Feeding.FREE, *, trained_on: bool = False
    ) -> Guarantee:
        """Return the guarantee for one token of rewritten sentences.

        Args:
            sentences: word ids.
            feeding: of the decoder.
            trained_on: whether the caller knows that they are training sentences; exactly the training's are always
                recognized.
        """
        if trained_on or self.learned_from(sentences):
            return NoGuarantee(reason="the network was trained on this very text")
        return self.injection.guarantee(feeding)

    def loss(self, sentences: Sequence[Ids], *, seed: int | None, feeding: Feeding) -> float:
        """Return mean nats of the sentences' words, ends counted, by the decoder; one draw of the noise for each token.

        Args:
            sentences: word ids, each of 1 to ``settings.length`` words.
            seed: of the noise; None is the operating system's randomness.
            feeding: of the decoder.

        Raises:
            ParameterError: a sentence is empty, too long or of other ids, or no released words exist to feed.
        """
        total = tokens = 0.0
        with _at_rest(self.network):
            for _, views, codes in self._coded(sentences, seed, feeding):
                if feeding is Feeding.FREE:
                    losses = self._free_losses(codes, views.wanted)
                else:
                    states = self.network.states(codes, self.network.fed(views.fed))
                    losses = self.network.losses(states, self.network.wanted(views.wanted))
                total, tokens = total + float(losses.double().sum()), tokens + len(losses)
        return total / tokens

    def rewrite(
        self,
        sentences: Sequence[Ids],
        *,
        seed: int | None,
        feeding: Feeding = Feeding.FREE,
        decoding: Literal["greedy", "sampled"] = "greedy",
        temperature: float = 1.0,
        same_length: bool = False,
    ) -> list[Ids]:
        """Return rewritten sentences; one draw of the noise for each token.

        A decoder fed with its own output ends a sentence itself, after 1 to ``settings.length`` words. Fed with other
        words it returns one word for each of them, so the lengths stay.

        Args:
            sentences: word ids, each of 1 to ``settings.length`` words.
            seed: of noise and draws; None is the operating system's randomness.
            feeding: of the decoder.
            decoding: the most probable word at each position, or a draw.
            temperature: divisor of the logits before a draw, > 0.
            same_length: whether the decoder gets the length, which is public in a release of words.

        Raises:
            ParameterError: an option is outside its domain; or as ``loss``.
        """
        need(decoding in ("greedy", "sampled"), "decoding", decoding, "greedy or sampled")
        need(0 < temperature < np.inf, "temperature", temperature, "finite and > 0")
        torch = load_torch()
        draws = torch.Generator(device=self.network.device)
        draws.manual_seed(int(_generator(seed, 1).integers(2**62)))

        def choose(logits: Any) -> Any:
            if decoding == "greedy":
                return logits.argmax(dim=1)
            return torch.multinomial((logits / temperature).softmax(dim=1), 1, generator=draws)[:, 0]

        found: list[Ids] = [np.empty(0, np.int64)] * len(sentences)
        with _at_rest(self.network):
            for rows, views, codes in self._coded(sentences, seed, feeding):
                lengths = [len(one) for one in views.wanted]
                if feeding is Feeding.FREE:
                    said = said_of(self.network, codes, choose, lengths if same_length else None)
                else:
                    said = self._said_after(codes, views.fed, choose)
                for row, ids in zip(rows.tolist(), said, strict=True):
                    found[row] = ids
        return found

    def _coded(self, sentences: Sequence[Ids], seed: int | None, feeding: Feeding) -> Iterator[tuple[Any, Views, Any]]:
        rng = _generator(seed, 0)
        known = checked_sentences(sentences, self.network.words, self.settings.length)
        views = views_of(self.injection, known, feeding, rng)
        disturb = self.injection.disturbing(rng)
        lengths = np.fromiter(map(len, known), np.int64, len(known))
        need(len(known) >= 1, "sentences", "none", "at least one")
        for rows in batches(lengths, self.settings.batch, None):
            part = views.part(rows)
            yield rows, part, self.network.encode(self.network.read(part.read), disturb)

    def _free_losses(self, codes: Any, wanted: Sequence[Ids]) -> Any:
        torch = load_torch()
        targets, found, start = self.network.wanted(wanted), [], 0
        lengths = np.fromiter(map(len, wanted), np.int64, len(wanted)) + 1
        for place, step in enumerate(self.network.walk(codes, int(lengths[0]))):
            size = int(np.count_nonzero(lengths > place))
            ids = targets[start : start + size]
            found.append(torch.nn.functional.cross_entropy(step.logits[:size], ids, reduction="none"))
            step.said, start = step.logits[:, : self.network.words].argmax(dim=1), start + size
        return torch.cat(found)

    def _said_after(self, codes: Any, fed: Sequence[Ids], choose: Callable[[Any], Any]) -> list[Ids]:
        inputs = self.network.fed(fed)
        blocks = self.network.logits(self.network.states(codes, inputs))
        chosen = load_torch().cat([choose(logits[:, : self.network.words]) for logits in blocks])
        table = np.zeros(tuple(inputs.ids.shape), dtype=np.int64)
        places = np.arange(len(table))[:, None] < inputs.lengths
        table[places] = chosen.cpu().numpy()
        return [table[: len(one), column].copy() for column, one in enumerate(fed)]


def views_of(injection: Injection, sentences: Sequence[Ids], feeding: Feeding, rng: np.random.Generator) -> Views:
    """Return the inputs of encoder and decoder for sentences.

    Raises:
        ParameterError: the decoder needs released words, and there are none.
    """
    words = injection.mechanism is not None or injection.place is Place.TOKENS
    if feeding is Feeding.RELEASED and not words:
        raise ParameterError(
            f"feeding must be clean or free where noise enters at the {injection.place.value}: no word is released; "
            "got released."
        )
    released = injection.released(sentences, rng)
    return Views(released, released if feeding is Feeding.RELEASED else sentences, sentences)


def train_rewriter(
    sentences: Sequence[Ids],
    vocabulary: Vocabulary,
    settings: AutoencoderSettings | None = None,
    injection: Injection | None = None,
    *,
    seed: int | None,
    device: str = "cpu",
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    feeding: Feeding | None = None,
) -> Rewriter:
    """Train an auto-encoder to reconstruct a sentence from its disturbed input.

    If a mechanism draws words, the sentences are released once, before the first epoch. Noise on vectors is drawn
    afresh in every step. The decoder's targets are the original words: train on public text.

    Args:
        sentences: word ids, each of 1 to ``settings.length`` words.
        vocabulary: public words, with the initial vectors.
        settings: None: the published ones.
        injection: None: no noise.
        seed: of weights, order, dropout and noise; None is the operating system's randomness.
        checkpoint: folder that stores the network after each epoch; a run with the same settings (more epochs are
            allowed) continues from it exactly.
        feeding: of the decoder in training, CLEAN or RELEASED; None is RELEASED if each token is drawn, else CLEAN.

    Raises:
        ParameterError: there are fewer sentences than a batch has, a sentence is empty, too long or of other ids, or
            there is no such device, or the checkpoint has other settings.
        ModelError: the loss is not finite (the message has the step), or the checkpoint is damaged.
        OutputError: the checkpoint cannot be written.
    """
    settings, injection = settings or AutoencoderSettings(), injection or Injection.none()
    feeding = feeding or (Feeding.RELEASED if injection.place is Place.TOKENS else Feeding.CLEAN)
    need(feeding is not Feeding.FREE, "feeding", feeding.value, "clean or released in training")
    injection.check(vocabulary)
    device = checked_device(device)
    need(
        len(sentences) >= settings.batch,
        "sentences",
        len(sentences),
        f"at least one batch, {settings.batch}",
        "Lower `batch`.",
    )
    known = checked_sentences(sentences, len(vocabulary), settings.length)
    need(seed is not None or checkpoint is None, "seed", seed, "given where a run is kept")
    if seed is None:
        seed = int(resolve(None).integers(2**62))
    views = views_of(injection, known, feeding, _generator(seed, _WORDS))
    torch = load_torch()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(_generator(seed, _WEIGHTS).integers(2**62)))
        network = new_autoencoder(injection.table(vocabulary.vectors, _generator(seed, _TABLE)), settings, device)
    kept = None if checkpoint is None else _kept_run(checkpoint, vocabulary, known, injection, feeding, seed)
    optimizer, done = adam(network), Epochs((), ())
    if kept is not None:
        network, optimizer, done = kept.again(network)
    keep = None if kept is None else partial(kept.keep, network, optimizer)
    epochs = Training(network, views, injection.disturbing, seed).run(done, optimizer, progress, keep)
    return Rewriter(vocabulary, injection, network, epochs, corpus_digest(known))


def save_rewriter(rewriter: Rewriter, folder: Path | str) -> None:
    """Write a rewriter into a folder of its own: weights, settings, losses, and a description of its noise.

    Raises:
        OutputError: the folder cannot be written.
    """
    facts = facts_of(rewriter.network, rewriter.vocabulary, rewriter.epochs)
    own = {"injection": rewriter.injection.to_data(), "sentences": rewriter.corpus}
    write_network(folder, rewriter.network, {**facts, **own})


def load_rewriter(
    folder: Path | str, vocabulary: Vocabulary, device: str = "cpu", *, injection: Injection | None = None
) -> Rewriter:
    """Load the rewriter of ``save_rewriter``, or that after the last whole epoch in a ``checkpoint``.

    Args:
        folder: written before.
        vocabulary: of its training.
        injection: of its training, since files have no mechanism; may be omitted if there was none.

    Raises:
        ModelError: there is no such network, it is damaged, or its vocabulary or injection differs.
        ParameterError: there is no such device.
    """
    saved = read_network(folder)
    network, epochs = restored_network(saved, vocabulary, checked_device(device))
    injection = injection or Injection.none()
    _check_injection(saved.facts.get("injection"), injection)
    return Rewriter(vocabulary, injection, network, epochs, saved.facts.get("sentences"))


def _check_injection(there: Any, here: Injection) -> None:
    """Refuse another injection: rewritten sentences would have another guarantee than requested."""
    if there != json_data(json.dumps(here.to_data())):
        place = there.get("place") if isinstance(there, dict) else None
        raise ModelError(
            f"the network must be used with the noise that it was trained with, at place {place}; got other or none. "
            "Give `injection` as it was."
        )


def _kept_run(
    folder: Path, vocabulary: Vocabulary, sentences: Sequence[Ids], injection: Injection, feeding: Feeding, seed: int
) -> KeptRun:
    run = {
        "injection": json_data(json.dumps(injection.to_data())),
        "feeding": feeding.value,
        "seed": seed,
        "sentences": corpus_digest(sentences),
    }
    return KeptRun(folder=Path(folder), vocabulary=vocabulary, run=run)


def _generator(seed: int | None, stream: int) -> np.random.Generator:
    return resolve(None) if seed is None else seeded_generator(seed, stream)


def _at_rest(network: Autoencoder) -> Any:
    network.modules.eval()
    return load_torch().inference_mode()
