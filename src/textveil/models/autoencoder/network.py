"""The network: word vectors, a BiLSTM that ends in a sentence's code, an LSTM that goes from the code to words.

    code   = W [forward state after the last word; backward state after the first word] + b
    input  = vector of the word before (at first, of the boundary) + W' code + b', at every place
    words  = softmax over the n words and the boundary, which ends a sentence

The form is the auto-encoder of Shen, Mueller, Barzilay and Jaakkola (ICML 2020), section 3, whose published code gives
the decoder the code at every place. Sentences of a batch are packed: place by place, the words of all sentences that
are that long. No padding is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from textveil.models.autoencoder.settings import AutoencoderSettings
from textveil.numerics.torch_package import load_torch
from textveil.types import Ids, Integers, Vectors

if TYPE_CHECKING:
    import torch

Disturb = Callable[["torch.Tensor"], "torch.Tensor"]
"""What is done to the vectors of a batch's words before the encoder sees them, (tokens, dim) to (tokens, dim)."""


class Packed(NamedTuple):
    """Sentences, the longest first, as one row of ids: all first words, then all second words, and so on.

    Attributes:
        ids: shape (tokens,).
        rows: the sentence that each token is of, shape (tokens,).
        sizes: sentences that reach each place, shape (places,); never growing.
    """

    ids: torch.Tensor
    rows: torch.Tensor
    sizes: torch.Tensor


def longest_first(sentences: Sequence[Ids]) -> Integers:
    """The order in which sentences are packed; equal lengths stay as they are."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    return np.argsort(-lengths, kind="stable")


def packed(sentences: Sequence[Ids], device: str, *, before: int | None = None, after: int | None = None) -> Packed:
    """Sentences that stand longest first, each with an id before it or after it.

    Args:
        sentences: not empty, none of them empty unless something is added.
        device: where torch keeps it.
        before: an id, or None.
        after: an id, or None.
    """
    torch = load_torch()
    more = (before is not None) + (after is not None)
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences)) + more
    grid = np.zeros((len(sentences), int(lengths[0])), dtype=np.int64)
    inside = np.arange(grid.shape[1]) < lengths[:, None]
    first = 0
    if before is not None:
        grid[:, 0], first = before, 1
    own = inside.copy()
    own[:, :first] = False
    if after is not None:
        own[np.arange(len(grid)), lengths - 1] = False
        grid[np.arange(len(grid)), lengths - 1] = after
    grid[own] = np.concatenate(sentences) if len(sentences) else np.empty(0, np.int64)
    rows = np.broadcast_to(np.arange(len(grid))[:, None], grid.shape)
    return Packed(
        ids=torch.from_numpy(grid.T[inside.T]).to(device),
        rows=torch.from_numpy(rows.T[inside.T]).to(device),
        sizes=torch.from_numpy(inside.sum(axis=0)),
    )


@final
@dataclass(frozen=True, eq=False)
class Autoencoder:
    """A network with its weights on one device; made by ``new_autoencoder``.

    Attributes:
        settings: its shape.
        words: number n of words; id n is the boundary, which begins and ends sentences.
        modules: torch's modules, by name.
        device: where they are.
    """

    settings: AutoencoderSettings
    words: int
    modules: Any
    device: str

    def packed(self, sentences: Sequence[Ids]) -> Packed:
        """Sentences as the encoder reads them."""
        return packed(sentences, self.device)

    def packed_inputs(self, sentences: Sequence[Ids]) -> Packed:
        """Sentences as the decoder is fed with them: a boundary first."""
        return packed(sentences, self.device, before=self.words)

    def packed_targets(self, sentences: Sequence[Ids]) -> Packed:
        """Sentences as the decoder is asked for them: a boundary last."""
        return packed(sentences, self.device, after=self.words)

    def encode(self, read: Packed, disturb: Disturb | None = None) -> torch.Tensor:
        """The codes of sentences, shape (sentences, code).

        Args:
            read: of ``packed``.
            disturb: see ``Disturb``.
        """
        vectors = self.modules["vectors"](read.ids)
        if disturb is not None:
            vectors = disturb(vectors)
        _, (states, _) = self.modules["encoder"](self._sequence(self.modules["dropout"](vectors), read))
        return self.modules["to_code"](load_torch().cat([states[0], states[1]], dim=1))

    def states(self, codes: torch.Tensor, fed: Packed) -> torch.Tensor:
        """The decoder's states before each word, packed like ``fed``, shape (tokens, hidden)."""
        vectors = self.modules["dropout"](self.modules["vectors"](fed.ids)) + self.modules["from_code"](codes)[fed.rows]
        out, _ = self.modules["decoder"](self._sequence(vectors, fed))
        return self.modules["dropout"](out.data)

    def losses(self, states: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """Nats of each wanted id, shape (tokens,)."""
        return load_torch().nn.functional.cross_entropy(self.modules["to_words"](states), wanted, reduction="none")

    def walk(self, codes: torch.Tensor, places: int) -> Iterator[DecoderStep]:
        """The decoder fed with what it is told to say: one step a place, see ``DecoderStep``.

        Args:
            codes: shape (sentences, code).
            places: at most so many.
        """
        torch = load_torch()
        code, state = self.modules["from_code"](codes), None
        said = torch.full((len(codes),), self.words, device=self.device)
        for _ in range(places):
            inputs = (self.modules["vectors"](said) + code)[None]
            out, state = self.modules["decoder"](inputs, state)
            step = DecoderStep(self.modules["to_words"](out[0]))
            yield step
            assert step.said is not None
            said = step.said

    def _sequence(self, vectors: torch.Tensor, like: Packed) -> Any:
        return load_torch().nn.utils.rnn.PackedSequence(vectors, like.sizes)


@final
class DecoderStep:
    """One place of a sentence: ``logits`` to be read, shape (sentences, n + 1), and ``said``, the ids to go on with."""

    __slots__ = ("logits", "said")

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = logits
        self.said: torch.Tensor | None = None


def new_autoencoder(vectors: Vectors, settings: AutoencoderSettings, device: str = "cpu") -> Autoencoder:
    """A network that is not trained yet; its weights are drawn from torch's generator.

    Args:
        vectors: where the words' vectors begin, shape (n, dim).
        settings: its shape.
        device: where torch keeps it.
    """
    torch = load_torch()
    nn, dim = torch.nn, vectors.shape[1]
    table = torch.zeros(len(vectors) + 1, dim)
    table[:-1] = torch.from_numpy(np.array(vectors))
    modules = nn.ModuleDict(
        {
            "vectors": nn.Embedding.from_pretrained(table, freeze=not settings.tune_vectors),
            "dropout": nn.Dropout(settings.dropout),
            "encoder": nn.LSTM(dim, settings.hidden, bidirectional=True),
            "to_code": nn.Linear(2 * settings.hidden, settings.code),
            "from_code": nn.Linear(settings.code, dim),
            "decoder": nn.LSTM(dim, settings.hidden),
            "to_words": nn.Linear(settings.hidden, len(vectors) + 1),
        }
    )
    return Autoencoder(settings, len(vectors), modules.to(device), device)
