"""Measures of the frontier, each with its name, direction and meaning."""

from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple


class Better(Enum):
    """Direction in which a measure is better."""

    LARGER = "larger is better"
    SMALLER = "smaller is better"
    READ = "utility to those who want the text, a leak to those who want it hidden"


class Measure(NamedTuple):
    """Quantity of the frontier."""

    key: str
    title: str  # for figures; {k} is the number of neighbors
    better: Better
    about: str


COSINE: Final = "cosine"
NEAR: Final = "near"
UNCHANGED: Final = "unchanged"
VULNERABILITY: Final = "vulnerability"
WORDS_BY_SURFACE: Final = "words_apart_surface"
WORDS_BY_EMBEDDING: Final = "words_apart_embedding"
TEXTS_BY_SURFACE: Final = "texts_apart_surface"
TEXTS_BY_EMBEDDING: Final = "texts_apart_embedding"
RECOVERED_ALONE: Final = "recovered_alone"
RECOVERED: Final = "recovered"
ACCURACY_RELEASES: Final = "accuracy_on_releases"
ACCURACY_TEXTS: Final = "accuracy_on_clean_text"

_ALL: Final = (
    Measure(
        COSINE,
        "Mean cosine of a word and its output",
        Better.LARGER,
        "The mean, over words drawn from the prior, of the cosine of a word's public vector and its output's.",
    ),
    Measure(
        NEAR,
        "Output among the {k} nearest words",
        Better.LARGER,
        "The share of outputs among the word's {k} nearest words by cosine, the word itself among them.",
    ),
    Measure(
        UNCHANGED, "Words that come out unchanged", Better.READ, "The share of words that come out as they went in."
    ),
    Measure(
        VULNERABILITY,
        "Bayes vulnerability",
        Better.SMALLER,
        "How often the best attacker, who knows the mechanism and the prior, names the word behind one output. For "
        "added noise the attacker is given the noisy vector, which is more than is released: an upper bound.",
    ),
    Measure(
        WORDS_BY_SURFACE,
        "Two words told apart by surface",
        Better.SMALLER,
        "Of two words drawn from the prior one is released; the share of right guesses by a reader who takes a "
        "candidate that reappears, and else tosses a coin.",
    ),
    Measure(
        WORDS_BY_EMBEDDING,
        "Two words told apart by embedding",
        Better.SMALLER,
        "The same by a reader who takes the candidate of greater cosine with the output.",
    ),
    Measure(
        TEXTS_BY_SURFACE,
        "Two texts told apart by surface",
        Better.SMALLER,
        "Of two texts of equal length one is released; the share of right guesses by a reader who takes the one of "
        "which more words reappear in their places.",
    ),
    Measure(
        TEXTS_BY_EMBEDDING,
        "Two texts told apart by embedding",
        Better.SMALLER,
        "The same by a reader who takes the text whose mean word vector has the greater cosine with the release's.",
    ),
    Measure(
        RECOVERED_ALONE,
        "Words of the texts named from one output",
        Better.SMALLER,
        "The share of words of the given texts that the most probable input of their output names, word by word.",
    ),
    Measure(
        RECOVERED,
        "Words of the texts named by the decoder",
        Better.SMALLER,
        "The share of words of the given texts that the decoder names from the whole release and a language model.",
    ),
    Measure(
        ACCURACY_RELEASES,
        "Accuracy on released texts",
        Better.LARGER,
        "Accuracy of a linear classifier that learned from releases, on released test documents.",
    ),
    Measure(
        ACCURACY_TEXTS,
        "Accuracy on clean texts",
        Better.LARGER,
        "Accuracy of the same classifier on test documents as they are.",
    ),
)

MEASURES: Final = MappingProxyType({measure.key: measure for measure in _ALL})
"""All measures by key, in the order of figures and tables."""

APART: Final = (WORDS_BY_SURFACE, WORDS_BY_EMBEDDING, TEXTS_BY_SURFACE, TEXTS_BY_EMBEDDING)
"""Shares of right guesses between two candidates; a coin reaches one half."""
