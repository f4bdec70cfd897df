"""Network of the study's own encoder: a small transformer over public word vectors, trained to guess masked words.

With the vocabulary's fixed vectors g, and W learned,

    input_i  = W g(word_i) + position_i
    output   = ``layers`` transformer layers over a text's inputs
    P(word)  ~ exp(output_i . W g(word) + b)      over some words drawn for each step
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from textveil.errors import ModelError, need
from textveil.types import Ids, Progress, Vectors
from textveil.vocabulary.grid import load_torch

if TYPE_CHECKING:
    import torch

_MASKED: Final = 0.15
"""Share of guessed words, as in BERT: of ten, eight are masked, one is another word, one stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """Size and training of the network."""

    width: int = 96  # numbers of a vector, a multiple of ``heads``
    layers: int = 2  # >= 1
    heads: int = 4  # of the attention, >= 1
    length: int = 64  # tokens that a text may have, and those of a training window, >= 8
    batch: int = 16  # windows of a step, >= 1
    steps: int = 300  # >= 1
    rate: float = 2e-3  # the largest learning rate, > 0; it rises for a tenth of the steps, and falls to nothing
    sampled: int = 2048  # words beside those of a step that a masked one is told from, >= 1

    def __post_init__(self) -> None:
        for name in ("layers", "heads", "batch", "steps", "sampled"):
            need(getattr(self, name) >= 1, name, getattr(self, name), ">= 1")
        need(self.width >= 1 and self.width % self.heads == 0, "width", self.width, f"a multiple of {self.heads} heads")
        need(self.length >= 8, "length", self.length, ">= 8")
        need(0 < self.rate < 1, "rate", self.rate, "between 0 and 1")


@dataclass(frozen=True, slots=True, eq=False)
class StudyNetwork:
    """Network over ``tokens`` kinds of tokens: words with vectors first, the mask last."""

    settings: StudySettings  # of the network
    parts: Any  # torch modules by name
    table: torch.Tensor  # unit vectors of the words, shape (words, dim), where the network is
    tokens: int  # words, marks and the mask

    @property
    def mask(self) -> int:
        return self.tokens - 1

    def inputs(self, ids: torch.Tensor) -> torch.Tensor:
        """Return vectors of tokens outside any text, shape of ``ids`` and the width."""
        torch, words = load_torch(), len(self.table)
        own = self.parts["marks"]((ids - words).clamp(min=0))
        return torch.where((ids < words)[..., None], self.parts["words"](self.table[ids.clamp(max=words - 1)]), own)

    def outputs(self, ids: torch.Tensor, padding: torch.Tensor | None = None) -> torch.Tensor:
        """Return vectors of tokens in their texts, shape (texts, places, width).

        Args:
            ids: shape (texts, places), places at most ``settings.length``.
            padding: which of them are padding, shape (texts, places).
        """
        places = self.parts["places"].weight[: ids.shape[1]]
        return self.parts["layers"](self.parts["norm"](self.inputs(ids) + places), src_key_padding_mask=padding)


def made_network(vectors: Vectors, marks: int, settings: StudySettings, seed: int, device: str) -> StudyNetwork:
    """Return an untrained network.

    Args:
        vectors: of the words, shape (words, dim).
        marks: tokens without a vector; the mask is one more.
        settings: of the network.
        seed: of its first weights.
    """
    torch = load_torch()
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    table = torch.from_numpy(vectors / np.maximum(lengths, 1e-12))
    width, nn = settings.width, torch.nn
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = nn.TransformerEncoderLayer(width, settings.heads, 2 * width, 0.0, "gelu", batch_first=True)
        parts = nn.ModuleDict(
            {
                "words": nn.Linear(vectors.shape[1], width, bias=False),
                "marks": nn.Embedding(marks + 1, width),
                "places": nn.Embedding(settings.length, width),
                "norm": nn.LayerNorm(width),
                "layers": nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False),
                "bias": nn.Embedding(len(vectors) + marks + 1, 1),
            }
        )
        centered = table - table.mean(dim=0)
        axes = torch.linalg.eigh(centered.T @ centered).eigenvectors.flip(1).T
        with torch.no_grad():  # begin with the directions in which the words differ most
            kept = min(width, len(axes))
            parts["words"].weight.zero_()
            parts["words"].weight[:kept] = axes[:kept] * float(np.sqrt(width))
            parts["marks"].weight.mul_(0.5)
            parts["places"].weight.mul_(0.1)
            parts["bias"].weight.zero_()
    return StudyNetwork(settings, parts.to(device), table.to(device), len(vectors) + marks + 1)


def train(network: StudyNetwork, stream: Ids, seed: int, progress: Progress | None = None) -> list[float]:
    """Teach a network to guess masked tokens.

    Args:
        network: is changed.
        stream: tokens of texts in a row, more than ``settings.length`` of them.
        seed: of windows, masks and sampled words.

    Returns:
        The cross-entropy of each step, nats a masked token, among the step's words.

    Raises:
        ModelError: a loss is no number; the message names the step.
    """
    torch, settings = load_torch(), network.settings
    device, losses = network.table.device, []
    network.parts.train()
    optimizer = torch.optim.Adam(network.parts.parameters(), lr=settings.rate)
    for step, (seen, places, wanted, choices) in enumerate(_steps(network, stream, seed)):
        share = (step + 1) / settings.steps
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * min(1.0, 10 * share) * (1 - share + 1e-3)
        made = network.outputs(torch.from_numpy(seen).to(device)).reshape(-1, settings.width)
        among = torch.from_numpy(choices).to(device)
        scores = made[torch.from_numpy(places).to(device)] @ network.inputs(among).T / settings.width**0.5
        scores = scores + network.parts["bias"](among)[:, 0]
        loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(wanted).to(device))
        losses.append(float(loss.detach()))
        if not np.isfinite(losses[-1]):
            raise ModelError(f"the loss must be a number; got {losses[-1]} at step {step}. Lower the `rate`.")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if progress is not None:
            progress(step + 1, settings.steps)
    network.parts.eval()
    return losses


def _steps(network: StudyNetwork, stream: Ids, seed: int) -> Iterator[tuple[Ids, Ids, Ids, Ids]]:
    settings, rng = network.settings, np.random.default_rng(seed)
    for _ in range(settings.steps):
        starts = rng.integers(len(stream) - settings.length, size=settings.batch)
        whole = stream[starts[:, None] + np.arange(settings.length)]
        chosen = rng.random(whole.shape) < _MASKED
        chosen.flat[rng.integers(chosen.size)] = True  # one at least
        kind = rng.random(whole.shape)
        other = rng.integers(network.mask, size=whole.shape)
        seen = np.where(chosen & (kind < 0.8), network.mask, np.where(chosen & (kind >= 0.9), other, whole))
        more = stream[rng.integers(len(stream), size=settings.sampled)]
        choices = np.unique(np.concatenate([whole.reshape(-1), more]))
        places = np.flatnonzero(chosen)
        yield seen, places, np.searchsorted(choices, whole.reshape(-1)[places]), choices
