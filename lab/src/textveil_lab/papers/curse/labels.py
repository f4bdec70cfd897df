"""What a study calls its vocabularies, and how it turns numbers into the report's text."""

from textveil.statistics import Bound
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.papers.curse.facts import TABLE_2, paper_name


def label(vocabulary: Vocabulary) -> str:
    """The paper's name where the vocabulary is one of its own or a part of it, with the number of words."""
    known = paper_name(vocabulary.name, vocabulary.dim)
    return f"{known or vocabulary.name.removesuffix('.txt')} ({len(vocabulary):,} words)"


def key(vocabulary: Vocabulary) -> str:
    """A short name for files: letters, digits and hyphens."""
    plain = "".join(mark if mark.isalnum() else "-" for mark in vocabulary.name.lower().removesuffix(".txt"))
    return "-".join(part for part in plain.split("-") if part)


def difference_note(vocabulary: Vocabulary) -> str:
    """How much of the paper's vocabulary is there; empty where all of it is."""
    known = paper_name(vocabulary.name, vocabulary.dim)
    if known is None or len(vocabulary) >= 0.9 * TABLE_2[known].words:
        return ""
    return f"subset: {len(vocabulary):,} of {TABLE_2[known].words:,} words"


def percent(bound: Bound) -> str:
    """A share with its interval, in percent."""
    middle = f"{100 * bound.estimate:.1f} %"
    if bound.lower == bound.upper:
        return middle
    return f"{middle} ({100 * bound.lower:.1f} to {100 * bound.upper:.1f})"
