"""Measure how many words of a public text an attacker recovers from its release: the strongest attack here.

The attacker decodes a release (``textveil_lab.decoding``) with a public language model. The text is public anyway, so
its successes can be counted. A guarantee is about one word given all others, and holds whatever the count. The count is
about this decoder only: a better one recovers more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from textveil.errors import InputError, UnsupportedGuarantee, need
from textveil.mechanisms.kinds import Mechanism, SequenceMechanism, WordMechanism
from textveil.models.language_model import LanguageModel
from textveil.randomness import resolve
from textveil.statistics import Bound
from textveil.types import Flags, Ids, Integers, Progress
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.decoding.decoder import TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.mechanisms.product_columns import sequence_columns
from textveil_lab.numerics.intervals import ratio_of_sums
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.documents import ReleasedTexts, ReleaseReader

CONTENT_FROM: Final = 3000  # Content words are those outside so many most frequent ones
CONFIDENCE: Final = 0.95  # Of each interval, on its own
_LEAST_DOCUMENTS: Final = 10  # An interval over documents needs some


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """Shares of the words of one kind, with intervals over documents."""

    kind: str
    count: int
    unchanged: Bound
    # share guessed right from the released word and public frequencies; None if no word can be decoded by itself
    alone: Bound | None
    in_context: Bound  # share guessed right from the whole release and a language model

    def to_data(self) -> dict[str, Any]:
        bounds = {"unchanged": self.unchanged, "alone": self.alone, "in_context": self.in_context}
        shares = {name: None if bound is None else bound._asdict() for name, bound in bounds.items()}
        return {"kind": self.kind, "count": self.count, **shares}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Words of a public text that a decoder recovered."""

    documents: int
    model: str
    kinds: tuple[Recovered, ...]  # all words first, then those of narrower kinds that the text has

    def to_data(self) -> dict[str, Any]:
        return {"documents": self.documents, "model": self.model, "kinds": [kind.to_data() for kind in self.kinds]}


def measure_recovery(
    mechanism: Mechanism,
    texts: Sequence[str],
    model: LanguageModel,
    *,
    rng: np.random.Generator | None = None,
    options: DecoderOptions | None = None,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
) -> Recovery:
    """Release a public text, decode it, and count recovered words.

    Words outside the vocabulary are left out of text and counts.

    Args:
        mechanism: a channel of words, or a sequence mechanism that offers its columns.
        texts: at least ten public documents; never a text to protect, since the counts are not private.

    Raises:
        UnsupportedGuarantee: the mechanism cannot be decoded.
        InputError: fewer documents with words of the vocabulary.
    """
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    decoder = TextDecoder(mechanism, model, options=options, progress=progress)
    vocabulary = decoder.vocabulary
    read = ReleaseReader(vocabulary.words).read(texts)
    originals, bounds = read.words, read.word_bounds
    documents = np.repeat(np.arange(len(texts)), np.diff(bounds))
    if len(np.unique(documents)) < _LEAST_DOCUMENTS:
        raise InputError(
            f"the reference must have at least {_LEAST_DOCUMENTS} documents with words of the vocabulary; got "
            f"{len(np.unique(documents))}. Give more text, one document a line."
        )
    outputs = _drawn(mechanism, originals, bounds, resolve(rng))
    guesses = decoder.words(_with_words(read, outputs))
    alone = None if sequence_columns(mechanism) is not None else WordPosterior(mechanism).most_probable(outputs)
    kinds = []
    for kind, member in _kinds(vocabulary).items():
        chosen = member[originals]
        if len(np.unique(documents[chosen])) < 2:
            continue

        def share(guesses: Ids, chosen: Flags = chosen) -> Bound:
            hits = (guesses == originals)[chosen]
            return ratio_of_sums(*_sums(hits, documents[chosen], len(texts)), confidence)

        kinds.append(
            Recovered(
                kind=kind,
                count=int(chosen.sum()),
                unchanged=share(outputs),
                alone=None if alone is None else share(alone),
                in_context=share(guesses),
            )
        )
    return Recovery(documents=len(texts), model=model.name, kinds=tuple(kinds))


def _kinds(vocabulary: Vocabulary) -> Mapping[str, Flags]:
    frequencies = word_frequencies(vocabulary)
    content = np.ones(len(vocabulary), dtype=bool)
    content[np.argsort(-frequencies.counts, kind="stable")[:CONTENT_FROM]] = False
    everything = np.ones(len(vocabulary), dtype=bool)
    return {"words": everything, "content words": content, "names": frequencies.names}


def _drawn(mechanism: Mechanism, words: Ids, bounds: Integers, rng: np.random.Generator) -> Ids:
    if isinstance(mechanism, SequenceMechanism):
        return mechanism.privatize_documents(words, bounds, rng)
    if isinstance(mechanism, WordMechanism):
        return mechanism.privatize(words, rng)
    raise UnsupportedGuarantee(f"recovery is measured word by word; got {mechanism.name}, which replaces whole texts.")


def _with_words(read: ReleasedTexts, words: Ids) -> ReleasedTexts:
    codes = read.codes.copy()
    codes[codes >= 0] = words
    return read._replace(codes=codes)


def _sums(hits: Flags, documents: Integers, size: int) -> tuple[Integers, Integers]:
    trials = np.bincount(documents, minlength=size)
    sums = np.bincount(documents, weights=hits, minlength=size).astype(np.int64)
    return sums[trials > 0], trials[trials > 0]
