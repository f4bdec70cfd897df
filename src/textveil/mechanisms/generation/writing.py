"""Outputs drawn token by token: the loop that all mechanisms of this room share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from textveil.models.next_tokens import PromptReading
from textveil.types import Integers

Law = Callable[[Any], Integers]
"""From the logits of a reading to the integer weights of their draws."""

_DRAWS = 1024
"""Outputs that are drawn side by side."""


class Source(Protocol):
    """What outputs are drawn from: a language model, or several readings of one side by side."""

    @property
    def size(self) -> int:
        """How many tokens it chooses from."""

    @property
    def ends(self) -> frozenset[int]:
        """Tokens that end an output."""

    def read(self, prompts: Sequence[Any]) -> PromptReading:
        """Prompts with nothing generated yet."""


def write(
    model: Source, prompts: Sequence[Sequence[Any]], law: Law, *, tokens: int, batch: int, rng: np.random.Generator
) -> list[list[int]]:
    """One output for each prompt: ``tokens`` draws, or fewer where one of the model's end tokens comes.

    Equal prompts are read once, and so are equal beginnings of their outputs; every draw is fresh. What stands behind
    an end token would never be looked at, so that stopping there releases no more than ``tokens`` draws do.

    Args:
        model: of the next token.
        prompts: each of one token at least.
        law: the weights of a draw; a function of the model's numbers alone.
        tokens: the most that an output has, >= 1; public.
        batch: different prompts that are read together, >= 1.
        rng: of the draws.
    """
    written: list[list[int]] = [[] for _ in prompts]
    distinct: dict[tuple[Any, ...], int] = {}
    kinds = np.array([distinct.setdefault(tuple(prompt), len(distinct)) for prompt in prompts], dtype=np.int64)
    order = np.argsort(kinds, kind="stable")
    start = 0
    while start < len(order):
        stop = min(start + _DRAWS, int(np.searchsorted(kinds[order], kinds[order[start]] + batch)))
        outputs = order[start:stop]
        names, rows = np.unique(kinds[outputs], return_inverse=True)
        reading = model.read([list(prompts[outputs[int(np.argmax(rows == row))]]) for row in range(len(names))])
        _continue(model, reading, outputs, rows.reshape(-1), law, tokens, rng, written)
        start = stop
    return written


def _continue(
    model: Source,
    reading: PromptReading,
    outputs: Integers,
    rows: Integers,
    law: Law,
    tokens: int,
    rng: np.random.Generator,
    written: list[list[int]],
) -> None:
    """Draw the outputs whose prompts ``reading`` has read; ``rows`` says at which row each is."""
    for step in range(tokens):
        drawn = _drawn(law(reading.logits), rows, rng)
        for output, token in zip(outputs.tolist(), drawn.tolist(), strict=True):
            written[output].append(token)
        going = np.array([token not in model.ends for token in drawn.tolist()], dtype=bool)
        outputs, rows, drawn = outputs[going], rows[going], drawn[going]
        if step == tokens - 1 or not len(outputs):
            return
        pairs, places = np.unique(rows * model.size + drawn, return_inverse=True)
        reading = reading.going_on(pairs // model.size, pairs % model.size)
        rows = places.reshape(-1)


def _drawn(weights: Integers, rows: Integers, rng: np.random.Generator) -> Integers:
    """A token for each output by a uniform integer below the total of its row."""
    sums = weights.cumsum(axis=1)
    uniform = rng.integers(0, sums[rows, -1], dtype=np.int64)
    drawn = np.empty(len(rows), dtype=np.int64)
    for row in np.unique(rows).tolist():
        here = np.flatnonzero(rows == row)
        drawn[here] = np.searchsorted(sums[row], uniform[here], side="right")
    return drawn
