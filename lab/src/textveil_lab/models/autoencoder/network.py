"""Network: word vectors, a BiLSTM from words to a sentence's code, an LSTM from the code to words.

    code   = W [forward state after the last word; backward state after the first word] + b
    input  = vector of the word before (at first, of the boundary) + W' code + b', at every position
    words  = softmax over the n words and the boundary, which ends a sentence

The form is the auto-encoder of Shen, Mueller, Barzilay and Jaakkola (ICML 2020), section 3, whose published code gives
the decoder the code at every position. The encoder's two directions are two LSTMs; the second reads each sentence from
its end. So nothing depends on the padding of shorter sentences, and torch's fast kernels work, which take no packed
sequences (lab/docs/rewriting.md).

The cross-entropy of the softmax over all words is computed in parts, so logits of all tokens are never in memory at
once.

Settings hold the auto-encoder's shape and training, checked once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from textveil.errors import ModelError, ParameterError, need
from textveil.types import Ids, Integers, Vectors
from textveil.vocabulary.grid import load_torch

if TYPE_CHECKING:
    import torch

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoencoderSettings:
    """Settings of the published experiments (Huang et al., EMNLP 2024), with defaults for those not stated.

    Raises:
        ParameterError: a setting is outside its domain.
    """

    hidden: int = 256  # numbers of an LSTM's state, in each direction of the encoder and in the decoder, >= 1
    code: int = 128  # numbers of a sentence's code, between encoder and decoder, >= 1
    # share of the word vectors' and decoder states' coordinates that training leaves out, in [0, 1)
    dropout: float = 0.5
    learning_rate: float = 0.01  # of Adam, > 0
    betas: tuple[float, float] = (0.5, 0.999)  # of Adam, each in [0, 1)
    batch: int = 1024  # sentences of one step, >= 1
    epochs: int = 100  # passes over the sentences, >= 1
    length: int = 32  # words of a sentence at most, >= 1; longer ones are for the caller to cut
    tune_vectors: bool = True
    # of matrix products in training, ``"float32"`` or ``"bfloat16"``: if the processor multiplies the latter, that
    # takes less than half of the time. Weights, and what is measured afterwards, are float32.
    precision: Literal["float32", "bfloat16"] = "float32"

    def __post_init__(self) -> None:
        for name in ("hidden", "code", "batch", "epochs", "length"):
            value = getattr(self, name)
            need(isinstance(value, int) and not isinstance(value, bool) and value >= 1, name, value, "an integer >= 1")
        need(0 <= self.dropout < 1, "dropout", self.dropout, "in [0, 1)")
        need(0 < self.learning_rate < math.inf, "learning_rate", self.learning_rate, "finite and > 0")
        fits = len(self.betas) == 2 and all(0 <= beta < 1 for beta in self.betas)
        need(fits, "betas", self.betas, "two numbers in [0, 1)")
        need(self.precision in ("float32", "bfloat16"), "precision", self.precision, "float32 or bfloat16")

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "betas": list(self.betas)}

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> AutoencoderSettings:
        """Return the settings from ``to_data``.

        Raises:
            ModelError: the data has another form.
        """
        known = {setting.name for setting in fields(AutoencoderSettings)}
        try:
            if set(data) != known:
                raise ParameterError("other names")
            return AutoencoderSettings(**{**data, "betas": tuple(data["betas"])})
        except (TypeError, ValueError, KeyError):
            raise ModelError("settings of a network must be those that it was saved with; got others.") from None


_CELLS: Final = {"cpu": 1 << 21}  # Logits in memory at once: 8 MB if the processor's caches matter


_CELLS_ELSEWHERE: Final = 1 << 26


def mean_cross_entropy(
    states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, wanted: torch.Tensor, *, halved: bool = False
) -> torch.Tensor:
    """Return the mean nats of the target ids, with gradients for the first three arguments; a scalar.

    Args:
        states: shape (tokens, hidden).
        weight: a row for each id, shape (ids, hidden).
        bias: shape (ids,).
        wanted: shape (tokens,).
        halved: whether matrix products use bfloat16; everything between them is float32.
    """
    return _function().apply(states, weight, bias, wanted, halved)


def cross_entropies(
    states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, wanted: torch.Tensor
) -> torch.Tensor:
    """Return the nats of each target id, without gradients, shape (tokens,); see ``mean_cross_entropy``."""
    torch = load_torch()
    rows = block_tokens(weight)
    parts = [
        torch.nn.functional.cross_entropy(torch.addmm(bias, some, weight.t()), ids, reduction="none")
        for some, ids in zip(torch.split(states, rows), torch.split(wanted, rows), strict=True)
    ]
    return torch.cat(parts)


def block_tokens(weight: torch.Tensor) -> int:
    """Return the number of tokens whose logits are in memory at once."""
    return max(64, _CELLS.get(weight.device.type, _CELLS_ELSEWHERE) // len(weight))


@cache
def _function() -> Any:
    """Return the function with its own gradient; it is made here because its class needs torch."""
    torch = load_torch()

    class MeanCrossEntropy(torch.autograd.Function):  # type: ignore[name-defined,misc]
        @staticmethod
        def forward(ctx: Any, states: Any, weight: Any, bias: Any, wanted: Any, halved: bool) -> Any:
            total = torch.zeros((), dtype=torch.float64, device=states.device)
            to_states, to_weight, to_bias = torch.empty_like(states), torch.zeros_like(weight), torch.zeros_like(bias)
            rows, dtype = block_tokens(weight), torch.bfloat16 if halved else states.dtype
            table, points = weight.to(dtype), states.to(dtype)
            for start in range(0, len(states), rows):
                some, ids = points[start : start + rows], wanted[start : start + rows, None]
                logits = torch.mm(some, table.t()).float().add_(bias)
                logs = logits.logsumexp(dim=1, keepdim=True)
                total += (logs - logits.gather(1, ids)).sum(dtype=torch.float64)
                logits.sub_(logs).exp_()
                logits.scatter_add_(1, ids, torch.full_like(logs, -1.0))
                to_bias.add_(logits.sum(dim=0))
                logits = logits.to(dtype)
                to_states[start : start + rows] = logits.mm(table)
                to_weight.add_(logits.t().mm(some))
            ctx.save_for_backward(to_states, to_weight, to_bias)
            ctx.tokens = len(states)
            return (total / len(states)).to(states.dtype)

        @staticmethod
        def backward(ctx: Any, outer: Any) -> Any:
            scale = outer / ctx.tokens
            return *(gradient * scale for gradient in ctx.saved_tensors), None, None

    return MeanCrossEntropy


Disturb = Callable[["torch.Tensor"], "torch.Tensor"]
"""Function that disturbs the vectors of a batch's words before the encoder, (rows, dim) to (rows, dim)."""


class SentenceColumns(NamedTuple):
    """Sentences side by side, the longest first, padded at the end."""

    ids: torch.Tensor  # a column for each sentence, shape (places, sentences)
    lengths: Integers  # of the columns, never growing, shape (sentences,)
    # places of a flat ``ids`` that are no padding, place by place; None if there is no padding
    inside: torch.Tensor | None
    # places of a flat ``ids`` from which each column is read from its end; padding stays in place
    backwards: torch.Tensor

    def tokens(self, flat: torch.Tensor) -> torch.Tensor:
        """Return the rows of a flat table, shape (positions * sentences, ...), that are no padding."""
        return flat if self.inside is None else flat.index_select(0, self.inside)


def columns(
    sentences: Sequence[Ids], device: str, *, first: int | None = None, last: int | None = None
) -> SentenceColumns:
    """Return sentences that are sorted longest first, each with an id before its first word or after its last.

    Args:
        sentences: at least one; none empty unless an id is added.
        first: an id, or None.
        last: an id, or None.
    """
    torch = load_torch()
    own = np.fromiter(map(len, sentences), np.int64, len(sentences))
    shift = int(first is not None)
    lengths = own + shift + int(last is not None)
    places, count = int(lengths.max()), len(sentences)
    grid = np.zeros((count, places), dtype=np.int64)
    where = np.arange(places)
    grid[(where >= shift) & (where < shift + own[:, None])] = np.concatenate(sentences)
    if first is not None:
        grid[:, 0] = first
    if last is not None:
        grid[np.arange(count), lengths - 1] = last
    padded = where[:, None] >= lengths
    read_at = np.where(padded, where[:, None], lengths - 1 - where[:, None]) * count + np.arange(count)
    inside = torch.from_numpy(np.flatnonzero(~padded)).to(device) if padded.any() else None
    ids = torch.from_numpy(np.ascontiguousarray(grid.T)).to(device)
    return SentenceColumns(ids, lengths, inside, torch.from_numpy(read_at.reshape(-1)).to(device))


@dataclass(frozen=True, eq=False)
class Autoencoder:
    """Network with its weights on one device; made by ``new_autoencoder``."""

    settings: AutoencoderSettings
    words: int  # number n of words; id n is the boundary, which begins and ends sentences
    modules: Any
    device: str

    def read(self, sentences: Sequence[Ids]) -> SentenceColumns:
        return columns(sentences, self.device)

    def fed(self, sentences: Sequence[Ids]) -> SentenceColumns:
        """Return the decoder's input for sentences: a boundary first."""
        return columns(sentences, self.device, first=self.words)

    def wanted(self, sentences: Sequence[Ids]) -> torch.Tensor:
        """Return the decoder's targets, a boundary last, by position without padding, shape (tokens,)."""
        asked = columns(sentences, self.device, last=self.words)
        return asked.tokens(asked.ids.flatten())

    def encode(self, read: SentenceColumns, disturb: Disturb | None = None) -> torch.Tensor:
        """Return the codes of sentences, shape (sentences, code).

        Args:
            disturb: see ``Disturb``; it gets padding too.
        """
        torch = load_torch()
        vectors = self.modules["vectors"](read.ids.flatten())
        if disturb is not None:
            vectors = disturb(vectors)
        vectors = self.modules["dropout"](vectors)
        ends = torch.from_numpy((read.lengths - 1) * len(read.lengths) + np.arange(len(read.lengths)))
        ends = ends.to(self.device)
        states = []
        for name, rows in (("onwards", vectors), ("backwards", vectors.index_select(0, read.backwards))):
            out = self._run(name, rows.view(*read.ids.shape, -1))
            states.append(out.flatten(0, 1).index_select(0, ends))
        return self.modules["to_code"](torch.cat(states, dim=1))

    def states(self, codes: torch.Tensor, fed: SentenceColumns) -> torch.Tensor:
        """Return the decoder's states before each word, by position without padding, shape (tokens, hidden)."""
        vectors = self.modules["dropout"](self.modules["vectors"](fed.ids)) + self.modules["from_code"](codes)
        return self.modules["dropout"](fed.tokens(self._run("decoder", vectors).flatten(0, 1)))

    def mean_loss(self, states: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """Return the mean nats of the target ids, with gradients."""
        words = self.modules["to_words"]
        return mean_cross_entropy(states, words.weight, words.bias, wanted, halved=self._halved)

    def losses(self, states: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """Return the nats of each target id, without gradients, shape (tokens,)."""
        words = self.modules["to_words"]
        return cross_entropies(states, words.weight, words.bias, wanted)

    def logits(self, states: torch.Tensor) -> Iterator[torch.Tensor]:
        """Yield logits of the words and the boundary after each state, some states at a time, shape (some, n + 1)."""
        words = self.modules["to_words"]
        for some in load_torch().split(states, block_tokens(words.weight)):
            yield words(some)

    def walk(self, codes: torch.Tensor, places: int) -> Iterator[DecoderStep]:
        """Yield one step of the decoder at each position, fed with the ids that the caller sets; see ``DecoderStep``.

        Args:
            codes: shape (sentences, code).
            places: largest number of positions.
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

    def _run(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        torch = load_torch()
        with torch.autocast(torch.device(self.device).type, dtype=torch.bfloat16, enabled=self._halved):
            out, _ = self.modules[name](rows)
        return out.float()

    @property
    def _halved(self) -> bool:
        return self.settings.precision == "bfloat16" and bool(self.modules.training)


class DecoderStep:
    """Position of a sentence: ``logits`` to read, shape (sentences, n + 1), and ``said``, the ids to continue with."""

    __slots__ = ("logits", "said")

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = logits
        self.said: torch.Tensor | None = None


def new_autoencoder(vectors: Vectors, settings: AutoencoderSettings, device: str = "cpu") -> Autoencoder:
    """Return an untrained network; its weights are drawn from torch's generator.

    Args:
        vectors: initial vectors of the words, shape (n, dim).
        settings: of the network.
    """
    torch = load_torch()
    nn, dim = torch.nn, vectors.shape[1]
    table = torch.zeros(len(vectors) + 1, dim)
    table[:-1] = torch.from_numpy(np.array(vectors))
    modules = nn.ModuleDict(
        {
            "vectors": nn.Embedding.from_pretrained(table, freeze=not settings.tune_vectors),
            "dropout": nn.Dropout(settings.dropout),
            "onwards": nn.LSTM(dim, settings.hidden),
            "backwards": nn.LSTM(dim, settings.hidden),
            "to_code": nn.Linear(2 * settings.hidden, settings.code),
            "from_code": nn.Linear(settings.code, dim),
            "decoder": nn.LSTM(dim, settings.hidden),
            "to_words": nn.Linear(settings.hidden, len(vectors) + 1),
        }
    )
    return Autoencoder(settings, len(vectors), modules.to(device), device)
