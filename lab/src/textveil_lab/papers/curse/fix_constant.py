"""The constant c of the paper's fix: its own where it prints one, else by a stated criterion."""

from weakref import WeakKeyDictionary

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_constant import calibrate_rank_constant
from textveil_lab.papers.curse.facts import FIX_CONSTANT, paper_name

_KNOWN: WeakKeyDictionary[Vocabulary, dict[float | None, float]] = WeakKeyDictionary()


def chosen_constant(vocabulary: Vocabulary, clip: float | None = None) -> float:
    """The constant c of the fix by our criterion: least squares on the logarithms of the rank probabilities."""
    known = _KNOWN.setdefault(vocabulary, {})
    if clip not in known:
        known[clip] = calibrate_rank_constant(vocabulary, clip=clip).value
    return known[clip]


def printed_constant(vocabulary: Vocabulary) -> float | None:
    """The constant that the paper set by hand for this vocabulary; None where it has none."""
    return FIX_CONSTANT.get(paper_name(vocabulary.name, vocabulary.dim) or "")
