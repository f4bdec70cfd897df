"""Distribution of one word's output, and of one draw of a release: exact if finite, else sampled with intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from textveil.catalog import guarantee_of
from textveil.errors import need
from textveil.mechanisms.kinds import Channel, Mechanism, TextMechanism, words_alone
from textveil.privacy.guarantees import Guarantee
from textveil.randomness import is_secure, resolve
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.text.out_of_vocabulary import word_index
from textveil.text.tokens import Kind, classify, tokenize
from textveil.types import Ids, Reals
from textveil.vocabulary.grid import integer_grid, largest

NEAR = 100  # an output counts as near where it is among the word's so many nearest, itself included
_SPREAD = 200  # words that stand for the vocabulary where no word is named: evenly spaced in its order
_CONFIDENCE = 0.99
_NOT_A_WORD = "Numbers are drawn digit by digit, all else is public or a placeholder: see docs/text.md."


@dataclass(frozen=True, slots=True)
class TextExplanation:
    """Cost of one draw for a whole text, its unit, and its public parameters."""

    mechanism: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee

    def to_data(self) -> dict[str, Any]:
        return {
            "mechanism": {"name": self.mechanism, "parameters": dict(self.parameters)},
            "guarantee": self.guarantee.to_data(),
            "word": None,
        }

    def summary(self) -> str:
        rows = [
            ("mechanism", self.mechanism),
            ("guarantee", f"{self.guarantee} [{self.guarantee.status.shown}]"),
            ("unit", f"{self.guarantee.unit.value}; it is no epsilon of one word"),
            ("adjacency", self.guarantee.adjacency.text),
            *(
                (name.replace("_", " "), f"{value:g}" if isinstance(value, float) else str(value).replace("\n", "\\n"))
                for name, value in self.parameters.items()
            ),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Outputs for one word, or for the vocabulary's words on average."""

    mechanism: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee
    word: str | None  # the vocabulary's word that is explained; None for the average
    mapped: bool  # whether the word that was asked for is not in the vocabulary and `word` stands for it
    words: int
    outputs: tuple[tuple[str, Bound], ...]  # the likeliest outputs with their probabilities; empty for the average
    unchanged: Bound  # probability that the output is the word itself
    near: Bound  # probability that the output is among the 100 nearest words
    exact: bool  # whether the numbers were computed from the distribution rather than estimated
    samples: int  # draws made, 0 where exact
    secure: bool

    def to_data(self) -> dict[str, Any]:
        return {
            "mechanism": {"name": self.mechanism, "parameters": dict(self.parameters)},
            "guarantee": self.guarantee.to_data(),
            "word": self.word,
            "mapped": self.mapped,
            "words": self.words,
            "method": "exact" if self.exact else "sampled",
            "samples": self.samples,
            "randomness": "operating system" if self.secure else "seeded",
            "unchanged": self.unchanged._asdict(),
            "among_100_nearest": self.near._asdict(),
            "outputs": [{"word": word, **bound._asdict()} for word, bound in self.outputs],
        }

    def summary(self) -> str:
        subject = f"the word {self.word!r}" if self.word is not None else f"{self.words} words across the vocabulary"
        if self.mapped:
            subject += ", to which the one you gave is mapped"
        method = "exact" if self.exact else f"{self.samples} draws, {_CONFIDENCE:.0%} intervals"
        lines = [
            f"mechanism          {self.mechanism}",
            f"guarantee          {self.guarantee} [{self.guarantee.status.shown}]",
            *([f"compares           {self.guarantee.adjacency}"] if self.guarantee.adjacency.shared else []),
            f"distribution of    {subject} ({method})",
            f"unchanged          {_shown(self.unchanged)}",
            f"among 100 nearest  {_shown(self.near)}",
        ]
        width = max((len(word) for word, _ in self.outputs), default=0)
        lines += [
            f"  {word if word.isprintable() else ascii(word):<{width}}  {_shown(bound)}" for word, bound in self.outputs
        ]
        return "\n".join(lines)


def _shown(bound: Bound) -> str:
    if bound.confidence == 1.0:
        return f"{bound.estimate:.4g}"
    return f"{bound.estimate:.4g}  [{bound.lower:.4g}, {bound.upper:.4g}]"


@overload
def explain(
    mechanism: Mechanism, word: str, *, top: int = 10, samples: int = 20_000, rng: np.random.Generator | None = None
) -> Explanation: ...


@overload
def explain(
    mechanism: Mechanism,
    word: str | None = None,
    *,
    top: int = 10,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
) -> Explanation | TextExplanation: ...


def explain(
    mechanism: Mechanism,
    word: str | None = None,
    *,
    top: int = 10,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
) -> Explanation | TextExplanation:
    """Return the distribution of the output for ``word``, or averages over words spread across the vocabulary.

    A mechanism of whole texts has no distribution for a word: without one, what it promises of a text is explained.

    Args:
        mechanism: any that draws for each word alone, channels being computed exactly; or, without a word, one of whole
            texts.
        word: mapped to the vocabulary as in a text; None averages over 200 evenly spaced words.
        top: how many of the likeliest outputs to list.
        samples: draws if the distribution is not a finite table.

    Raises UnsupportedGuarantee: the mechanism draws for whole documents, or for whole texts and a word is given.
    """
    if isinstance(mechanism, TextMechanism) and word is None:
        return TextExplanation(mechanism.name, mechanism.parameters, guarantee_of(mechanism))
    mechanism = words_alone(mechanism, "the distribution of one word's output")
    need(top >= 0, "top", top, ">= 0")
    need(samples >= 1, "samples", samples, ">= 1")
    vocabulary = mechanism.vocabulary
    n = len(vocabulary)
    mapped = False
    if word is None:
        ids = np.unique(np.linspace(0, n - 1, min(_SPREAD, n)).astype(np.int64))
    else:
        kind = classify(word) if word else Kind.SYMBOL
        need(kind is Kind.WORD, "word", _shown_kind(word, kind), "one word", _NOT_A_WORD)
        index, mapped = word_index(tuple(vocabulary.words)).lookup(word)
        ids = np.array([index])
    grid = integer_grid(vocabulary)
    nearby = [set(row.tolist()) for row in largest(grid.cosines(ids), min(NEAR, grid.size))]
    exact = isinstance(mechanism, Channel)
    if isinstance(mechanism, Channel):
        rows = [mechanism.probabilities(int(word_id)) for word_id in ids]
        unchanged = exactly(float(np.mean([row[word_id] for row, word_id in zip(rows, ids, strict=True)])))
        near = exactly(float(np.mean([row[list(close)].sum() for row, close in zip(rows, nearby, strict=True)])))
        likeliest = _likeliest_exact(rows[0], vocabulary.words, top) if word is not None else ()
    else:
        each = max(1, samples // len(ids))
        drawn = mechanism.privatize(np.repeat(ids, each), resolve(rng)).reshape(len(ids), each)
        samples = drawn.size
        same = int(np.count_nonzero(drawn == ids[:, None]))
        close_ones = sum(
            sum(output in close for output in row.tolist()) for row, close in zip(drawn, nearby, strict=True)
        )
        unchanged = clopper_pearson(same, samples, _CONFIDENCE)
        near = clopper_pearson(close_ones, samples, _CONFIDENCE)
        likeliest = _likeliest_sampled(drawn[0], vocabulary.words, top) if word is not None else ()
    return Explanation(
        mechanism=mechanism.name,
        parameters=mechanism.parameters,
        guarantee=guarantee_of(mechanism),
        word=None if word is None else vocabulary.words[int(ids[0])],
        mapped=mapped,
        words=len(ids),
        outputs=likeliest,
        unchanged=unchanged,
        near=near,
        exact=exact,
        samples=0 if exact else samples,
        secure=exact or is_secure(rng),
    )


def _shown_kind(word: str, kind: Kind) -> str:
    tokens = sum(1 for _ in tokenize(word))
    return "nothing" if tokens == 0 else f"one {kind.name.lower()}" if tokens == 1 else f"{tokens} tokens"


def _likeliest_exact(row: Reals, words: tuple[str, ...], top: int) -> tuple[tuple[str, Bound], ...]:
    order = np.argsort(-row, kind="stable")[:top]
    return tuple((words[index], exactly(float(row[index]))) for index in order.tolist())


def _likeliest_sampled(drawn: Ids, words: tuple[str, ...], top: int) -> tuple[tuple[str, Bound], ...]:
    outputs, counts = np.unique(drawn, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:top]
    return tuple(
        (words[int(outputs[index])], clopper_pearson(int(counts[index]), len(drawn), _CONFIDENCE))
        for index in order.tolist()
    )
