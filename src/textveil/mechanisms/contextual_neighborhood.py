"""Weighted neighborhoods whose base weights follow what the document has released, as a language model reads it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.json_text import json_file
from textveil.mechanisms.kinds import checked_bounds, checked_ids
from textveil.mechanisms.raised_rows import NearestInOrder, raised_row
from textveil.mechanisms.weight_shares import capped_shares
from textveil.mechanisms.word_filter import DocumentPlaces, Followed, WordFilter
from textveil.models.language_model import ContinuationModel
from textveil.models.ngram import embedded_language_model
from textveil.numerics.base_weights import GrowingWeights, Lent, growing_weights
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.randomness import resolve
from textveil.types import Ids, Integers
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.facts import WordFrequencies
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary

CONTEXT_CHOICES: Final = "context_choices.json"  # built by ``tools/build_context_choices.py``


class ContextChoice(NamedTuple):
    """The public choices that the weights rest on.

    ``context_weight``: how many times the fixed base weights' sum the predicted words get, where a row can raise them.
    """

    alpha: float  # exponent of the frequencies in the fixed base weights
    base_mass: float  # probability of a base draw where nothing is predicted
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
    data = json_file(DATA / CONTEXT_CHOICES)
    return {row["epsilon"]: ContextChoice(*(row[name] for name in ContextChoice._fields)) for row in data["choices"]}


PROOF: Final = "privacy/proofs/contextual.md"
_SIDE_BY_SIDE: Final = 1024  # documents that are drawn together at most
_BELIEFS: Final = 1 << 23  # words of all of them at most: 256 documents of the embedded vocabulary, 34 MB


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ContextualNeighborhood:
    """At every place P(y | x) = w(x, y) / T with b(y) <= w(x, y) <= b(y) e^epsilon; b and T depend on past outputs.

    A weighted neighborhood at every place. Its base weights are fixed ones, and more that are lent to the words which a
    filter over the document's earlier outputs thinks likely: in proportion to their predicted probability, as far as a
    row can raise a word whole. T depends on what was lent and not on x, so each draw costs epsilon for any two words,
    given the outputs before; adaptive composition gives the rest. Weights are integers.
    Proof: privacy/proofs/contextual.md.
    """

    name: ClassVar[str] = "neighborhood"
    vocabulary: Vocabulary
    weights: GrowingWeights
    guarantee: PureDP
    parameters: Mapping[str, Any]
    filter: WordFilter = field(repr=False)

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        return self.filter.order.tables

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``SequenceMechanism.privatize_documents``."""
        words = checked_ids(ids, len(self.vocabulary))
        edges = checked_bounds(bounds, len(words))
        generator = resolve(rng)
        out = np.empty(len(words), dtype=np.int64)
        for step in self.steps(edges):
            out[step.at] = step.places.draw(words[step.at], generator)
            step.followed.released(out[step.at], step.places)
        return out

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        words = checked_ids(ids, len(self.vocabulary))
        released = checked_ids(past, len(self.vocabulary))
        lent = self._lent_after(released)
        here = self.weights.at(lent.words, lent.slots)
        out = np.tile(here.base, (len(words), 1))
        for row, order in zip(out, self.filter.order.whole(words), strict=True):
            outputs, reached = raised_row(here, order)
            row[outputs] += np.diff(reached, prepend=0) * here.unit
        return out

    def _lent_after(self, released: Ids) -> Lent:
        place = len(released)
        for step in self.steps(np.array([0, place + 1])):
            if step.at[0] == place:
                break
            step.followed.released(released[step.at], step.places)
        return step.places.lent

    def steps(self, edges: Integers) -> Iterator[Stand]:
        """The places of documents, some documents side by side, in the order in which they must be released."""
        lengths = np.diff(edges)
        longest_first = np.argsort(-lengths, kind="stable")
        longest_first = longest_first[: np.count_nonzero(lengths)]
        together = max(1, min(_SIDE_BY_SIDE, _BELIEFS // len(self.vocabulary), len(longest_first)))
        for first in range(0, len(longest_first), together):
            documents = longest_first[first : first + together]
            starts, sizes = edges[:-1][documents], lengths[documents]
            followed = self.filter.follow(len(documents))
            places = DocumentPlaces(self.weights, self.filter.order, followed.find)
            for place in range(int(sizes[0])):
                active = int(np.count_nonzero(sizes > place))
                predicted = followed.predicted(active)
                # A model's chances may add to a little more than 1, by rounding; slots must not to more than there are.
                sums = np.bincount(predicted.documents, weights=predicted.chances, minlength=active)
                scale = self.weights.growth / np.maximum(1.0, sums)
                wanted = (predicted.chances * scale[predicted.documents]).astype(np.int64)
                places.move(self.weights.lent(predicted.documents, predicted.words, wanted, active))
                yield Stand(starts[:active] + place, followed, places)


class Stand(NamedTuple):
    """One place of several documents: which ids stand there, what is believed of them, and the weights that hold."""

    at: Integers
    followed: Followed
    places: DocumentPlaces


def contextual_neighborhood(
    vocabulary: Vocabulary,
    weights: GrowingWeights,
    model: ContinuationModel,
    *,
    epsilon: float,
    parameters: Mapping[str, Any],
) -> ContextualNeighborhood:
    """The mechanism with these weights; less than ``epsilon`` is stated if the weights spend less.

    Raises ParameterError: the model speaks of another number of words.
    """
    size = len(vocabulary)
    need(model.size == size, "model", f"one of {model.size} words", f"one of the vocabulary's {size} words")
    promise = PureDP(epsilon=stated_epsilon(weights.epsilon, epsilon), status=status_of(__name__, PROOF), source=PROOF)
    public = {
        "epsilon": promise.epsilon,
        "base_weights": "frequency",
        "context": "released",
        "language_model": model.name,
        "language_model_digest": model.digest[:16],
        **parameters,
    }
    return ContextualNeighborhood(
        vocabulary, weights, promise, public, WordFilter(model, weights, NearestInOrder(vocabulary))
    )


def reading_releases(
    vocabulary: Vocabulary,
    frequencies: WordFrequencies,
    *,
    epsilon: float,
    alpha: float | None = None,
    base_mass: float | None = None,
    context_weight: float | None = None,
    model: ContinuationModel | None = None,
) -> ContextualNeighborhood:
    """The mechanism from public frequencies and a language model.

    Args:
        vocabulary: public words and vectors.
        frequencies: of its words.
        epsilon: nats, finite and > 0.
        alpha: exponent of the fixed base weights; None takes the stored choice.
        base_mass: their Q if nothing is predicted; None takes the stored choice.
        context_weight: how many times their sum predicted words get; None takes the stored choice.
        model: of the same words; None is the embedded one.

    Raises ParameterError: an option is outside its domain, or there is no model of this vocabulary.
    """
    if model is None:
        embedded = load_vocabulary().digest
        fits = vocabulary.digest == embedded
        hint = "Leave context out for other vocabularies."
        need(fits, "vocabulary", vocabulary.digest[:16], f"the embedded one, {embedded[:16]}, with context", hint)
        model = embedded_language_model()
    choice = context_choice(epsilon)
    alpha = choice.alpha if alpha is None else alpha
    growth = choice.context_weight if context_weight is None else context_weight
    least = math.exp(-min(epsilon, 40.0))
    if base_mass is None:  # a choice for a larger epsilon may be too small for this one
        base_mass = max(choice.base_mass, min(2 * least, (1 + least) / 2))
    need(base_mass > least, "base_mass", base_mass, f"more than e^-epsilon = {least:.3g}")
    # The cap is that of a place with predictions, where the fixed weights are a part of the base.
    shares = capped_shares(frequencies, alpha=alpha, epsilon=epsilon, base_mass=base_mass)
    weights = growing_weights(shares, epsilon=epsilon, base_mass=base_mass, growth=growth, never=frequencies.names)
    parameters = {
        "prior": frequencies.source,
        "alpha": alpha,
        "base_mass": base_mass,
        "context_weight": growth,
        "weights_digest": weights.fixed.digest[:16],
    }
    return contextual_neighborhood(vocabulary, weights, model, epsilon=epsilon, parameters=parameters)
