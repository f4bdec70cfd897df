"""The settings that the paper states, by item; what it does not state, or was not at hand, is said to be so.

Reports set them beside those of the run, which come from what was drawn. Source: Asghar, Carpentier, Zhao and Kaafar
2026 (arXiv 2411.13784); grids of epsilon from the notebooks of its artifact.
"""

from collections.abc import Mapping
from types import MappingProxyType

from textveil_lab.papers.curse.facts import FIX_CONSTANT, GRIDS
from textveil_lab.papers.report import WORDS

_SAMPLE = "5,000 random words a vocabulary"
_CLOSE = "the first 100 neighbors"
_UNKNOWN = "not at hand"


def _epsilons(field: str) -> dict[str, str]:
    ends = {name: getattr(grid, field) for name, grid in GRIDS.items()}
    return {
        f"epsilon, {name}": f"{grid[0]:g} to {grid[1]:g} by {grid[2]:g}"
        for name, grid in ends.items()
        if grid is not None
    }


PAPER_SETTINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "figure-1": {
            "noise": "Laplace, sensitivity 1",
            "close": "within a stated distance, not at hand",
            "epsilon": _UNKNOWN,
        },
        "figure-2": {
            WORDS: _SAMPLE,
            "vocabularies": "GloVe-Wiki 300d and fastText 300d",
            "close": _CLOSE,
            **_epsilons("noise"),
        },
        "figure-3": {"map": "the states without Alaska", "epsilon per km": f"one for both states; {_UNKNOWN}"},
        "figure-4": {"n": f"several; {_UNKNOWN}", "epsilon": _UNKNOWN},
        "figure-6": {"thresholds": "Table 2", "draws a point": "10,000", "epsilon": "1 to 50"},
        "figure-8": {
            WORDS: _SAMPLE,
            "vocabularies": "GloVe-Wiki 300d and word2vec 300d",
            "c": ", ".join(f"{name}: {constant:g}" for name, constant in FIX_CONSTANT.items()),
            "close": _CLOSE,
            **_epsilons("fix"),
        },
        "figure-9": {
            WORDS: _SAMPLE,
            "vocabularies": "those of figure 2",
            "close": _CLOSE,
            **_epsilons("exponential"),
        },
        "table-2": {WORDS: _SAMPLE, "ranks": "1, 2 and 101"},
        "example": {
            "vectors": "GloVe",
            "epsilon": _UNKNOWN,
            "marks": "commas and periods left out",
            "second step": "a language model mends the grammar",
        },
        "theorem-8": {"probability of the bound": "0.99, both factors equal"},
    }
)
"""By the name of the item; items without settings of their own are absent."""
