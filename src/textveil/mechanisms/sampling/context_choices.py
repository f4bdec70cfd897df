"""Which weights contextual neighborhoods have at an epsilon: chosen on public text and stored."""

from __future__ import annotations

import json
from functools import cache
from typing import Final, NamedTuple

from textveil.vocabulary.embedded import DATA

CHOICES: Final = "context_choices.json"
"""Built by ``tools/build_context_choices.py``."""


class ContextChoice(NamedTuple):
    """What is public of the weights.

    Attributes:
        alpha: exponent of the frequencies in the fixed base weights.
        base_mass: probability of a base draw where nothing is predicted.
        context_weight: how many times the fixed base weights' sum the predicted words get, where a row can raise them.
    """

    alpha: float
    base_mass: float
    context_weight: float


def context_choice(epsilon: float) -> ContextChoice:
    """The choice of the largest stored epsilon not above this one, or of the smallest; by the criterion of the tool.

    For other vocabularies and models than the embedded ones it is a guess: it costs quality, never privacy.
    """
    stored = _stored()
    least = min(stored)
    return stored[max((tried for tried in stored if tried <= epsilon), default=least)]


@cache
def _stored() -> dict[float, ContextChoice]:
    data = json.loads((DATA / CHOICES).read_text(encoding="ascii"))
    return {row["epsilon"]: ContextChoice(*(row[name] for name in ContextChoice._fields)) for row in data["choices"]}
