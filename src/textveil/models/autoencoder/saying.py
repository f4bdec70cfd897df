"""Sentences of codes: the decoder fed with its own output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textveil.models.autoencoder.network import Autoencoder
from textveil.numerics.torch_package import load_torch
from textveil.types import Ids


def said_of(
    network: Autoencoder, codes: Any, choose: Callable[[Any], Any], lengths: Sequence[int] | None = None
) -> list[Ids]:
    """What the decoder says of each code, from 1 to ``network.settings.length`` words.

    Args:
        network: at rest, without gradients.
        codes: torch's, shape (sentences, code).
        choose: takes logits, shape (sentences, n + 1), and gives ids.
        lengths: words of each sentence; None where the decoder ends a sentence itself.
    """
    torch = load_torch()
    end, places = network.words, max(lengths or [network.settings.length])
    said: list[Any] = []
    ended = torch.zeros(len(codes), dtype=torch.bool, device=codes.device)
    for step in network.walk(codes, places):
        logits = step.logits
        if lengths is not None or not said:
            logits = logits.clone()
            logits[:, end] = -torch.inf
        step.said = choose(logits)
        ended |= step.said == end
        said.append(step.said)
        if bool(ended.all()):
            break
    table = torch.stack(said, dim=1).cpu().numpy()
    stops = [_first(row, end) for row in table] if lengths is None else lengths
    return [row[:stop].copy() for row, stop in zip(table, stops, strict=True)]


def _first(row: Ids, end: int) -> int:
    """Where a row ends: at the first ``end``, or as a whole."""
    ends = np.flatnonzero(row == end)
    return int(ends[0]) if len(ends) else len(row)
