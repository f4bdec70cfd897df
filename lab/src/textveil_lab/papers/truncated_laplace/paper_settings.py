"""The settings that the paper states, by item, under the names that the items of a run give to their own.

Source: Huang, Yang, Habernal, Hu and Wang, EMNLP 2024; what it does not state is said to be so.
"""

from collections.abc import Mapping
from types import MappingProxyType

from textveil_lab.papers.truncated_laplace.facts import HIGH_EPSILONS, LOW_EPSILONS

_UNSTATED = "not stated"

_REWRITING: Mapping[str, str] = MappingProxyType(
    {
        "sentences trained": "its own splits; sizes in table-4",
        "words of the vocabulary": "10,000",
        "epochs": "100",
        "batch": "1,024",
        "hidden": f"{_UNSTATED}; one layer, bidirectional LSTM",
        "learning rate": "0.01 (Adam, betas 0.5 and 0.999)",
        "dropout": "0.5",
        "longest sentence": _UNSTATED,
        "dimensions": "300; with dummy ones 500 at epsilon 10 and 1,700 at 20",
        "delta": "4 to the power of minus the dimensions",
        "clip (C)": _UNSTATED,
    }
)
"""Of the auto-encoder and its noise."""

_DOWNSTREAM: Mapping[str, str] = MappingProxyType(
    {
        "network, learning_rate": "0.0001 (Adam)",
        "network, dropout": "0.2",
        "network, batch": "256",
        "network, epochs": "50 at most",
        "repetitions": "mean of five runs",
        "SST-2": "68,221 sentences, 80 : 20",
        "AG News": "6,000 documents a topic: 16,000 for training, 4,000 and 4,000 held out",
    }
)
"""Of the classifiers."""


def _with(epsilons: tuple[float, ...]) -> Mapping[str, str]:
    return {**_REWRITING, "epsilon": ", ".join(f"{epsilon:g}" for epsilon in epsilons)}


PAPER_SETTINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **{
            name: _with(LOW_EPSILONS + HIGH_EPSILONS)
            for name in ("table-1", "table-5", "figure-2", "figure-3", "figure-5", "figure-6")
        },
        "figure-1": _with((0.1,)),
        "table-2": _with(LOW_EPSILONS),
        "table-3": _with(HIGH_EPSILONS),
        "figure-4": _DOWNSTREAM,
        "table-4": {"tokens": _UNSTATED},
        "limits": {"words of the vocabulary": "10,000"},
        "verdicts": {"clipping norm C": _UNSTATED},
        "variance": {
            "d": "300",
            "epsilon": ", ".join(f"{epsilon:g}" for epsilon in LOW_EPSILONS + HIGH_EPSILONS),
            "delta": "4^-d; the theorem asks for e^-d at most",
        },
    }
)
"""By the name of the item; items without settings of their own are absent."""
