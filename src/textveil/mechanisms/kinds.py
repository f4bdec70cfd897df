"""The Protocols of mechanisms: private input in, released output out, and a guarantee that is data.

Kinds, by what one draw may look at:

- a ``WordMechanism`` draws for each word id alone;
- a ``SequenceMechanism`` draws for the ids of a document in their order, and a draw may look at that document's earlier
  *outputs*, which are released anyway;
- a ``TextMechanism`` maps a whole text to a text, under a guarantee of a unit of its own;
- a ``VectorMechanism`` maps a vector computed from a text to a vector, and no text comes out of it;
- a ``SetMechanism`` maps each word id to a random set of word ids, of which none is *the* output.

Capabilities are what a mechanism may offer beyond drawing, asked for by Protocol whoever made it: promises about its
draws that audits rely on. A mechanism that offers none is sampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import UnsupportedGuarantee, need
from textveil.numerics.integer_weights import all_below
from textveil.privacy.guarantees import Guarantee
from textveil.registry.options import (
    DEFAULT_EPSILON,
    GUARANTEE,
    NEIGHBORHOODS,
    POSITIVE,
    Option,
    at_least,
    file_or_named,
)
from textveil.types import Ids, Integers, Reals, WordDistances
from textveil.vocabulary.facts import FLAT, ZIPF
from textveil.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textveil.vocabulary.public_tables import PublicTable


class Described(Protocol):
    """Attributes that every mechanism has."""

    @property
    def name(self) -> str:
        """The catalog's name of the mechanism, or the class's own."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters for reports: JSON values, by name."""

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of one draw; ``unit`` and ``adjacency`` say of what."""


class OverWords(Described, Protocol):
    """A mechanism whose inputs and outputs are ids of public words."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words that ids stand for."""


@runtime_checkable
class WordMechanism(OverWords, Protocol):
    """Maps each word id to a random word id, independently of the other ids; its guarantee is of one token."""

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One fresh draw for each id; shape (batch,) to shape (batch,), int64.

        ``rng=None`` draws from the operating system's randomness.
        """


@runtime_checkable
class SequenceMechanism(OverWords, Protocol):
    """Maps the word ids of a document, in their order, to random word ids; its guarantee is of one token.

    The draw for a word may look at its own id and at what the same document's earlier words became: at no other id, no
    other document, and nothing else that is private. If it is epsilon-DP in its own id whatever those outputs are, then
    the whole output is epsilon-DP for two documents that differ in one word, since all other factors are equal.
    Proof: privacy/proofs/sequence.md.
    """

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One fresh draw for each id of several documents, which may be drawn side by side.

        ``ids``: of all documents in a row, shape (batch,); ``bounds``: where each document begins in them and the last
        ends, from 0 to batch, shape (documents + 1,); ``rng``: None draws from the operating system's randomness.

        Returns:
            Word ids, int64, shape (batch,).
        """


@runtime_checkable
class TextMechanism(Described, Protocol):
    """Maps a whole text to a random text; its guarantee has a unit of its own, a document as a rule."""

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """One fresh draw for each text, independently of the others; ``rng=None`` is the operating system's randomness.

        All of an output is released: nothing beside it, such as the number of words of the input, is public.
        """


@runtime_checkable
class VectorMechanism(Described, Protocol):
    """Maps vectors that were computed from texts to random vectors, which are released as they are.

    Its guarantee speaks of any two vectors of its domain, whatever texts they were computed from.
    """

    @property
    def dim(self) -> int:
        """Numbers of a vector that goes in."""

    @property
    def released_dim(self) -> int:
        """Numbers of a vector that comes out."""

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """One fresh draw for each vector; shape (batch, dim) to shape (batch, released_dim), float64.

        ``rng=None`` draws from the operating system's randomness.
        """


@runtime_checkable
class SetMechanism(OverWords, Protocol):
    """Maps each word id to a random set of word ids, independently of the other ids; its guarantee is of one token."""

    def privatize_sets(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One fresh set for each id; shape (batch,) to shape (batch, members), rising along each row, int64.

        ``rng=None`` draws from the operating system's randomness.
        """


Mechanism: TypeAlias = WordMechanism | SequenceMechanism | TextMechanism | VectorMechanism | SetMechanism
"""Mechanisms that the catalog makes."""

DrawsText: TypeAlias = WordMechanism | SequenceMechanism | TextMechanism
"""Mechanisms that a sanitizer can be made of: out of all others comes no text."""


def drawing_text(mechanism: Mechanism, use: str) -> DrawsText:
    """``mechanism``, where what it releases is text.

    ``use``: what asks for it, for the message. Raises UnsupportedGuarantee: it releases vectors, or sets of words.
    """
    if not isinstance(mechanism, VectorMechanism | SetMechanism):
        return mechanism
    vectors = isinstance(mechanism, VectorMechanism)
    what, call = ("vectors", "privatize_vectors") if vectors else ("sets of words", "privatize_sets")
    raise UnsupportedGuarantee(
        f"{use} needs a mechanism that releases text; got {mechanism.name}, which releases {what}. "
        f"Draw them by its {call}(): see docs/representations.md."
    )


@runtime_checkable
class Channel(WordMechanism, Protocol):
    """A mechanism whose distribution is an explicit finite table P(y | x)."""

    def probabilities(self, word_id: int) -> Reals:
        """P(y | x = word_id) for every y; shape (n,), computed from the weights that are sampled."""


def words_alone(mechanism: Mechanism, use: str) -> WordMechanism:
    """``mechanism``, where it draws for each word alone.

    ``use``: what asks for it, for the message. Raises UnsupportedGuarantee: it draws for whole documents or texts, or
    releases no text.
    """
    mechanism = drawing_text(mechanism, use)
    if isinstance(mechanism, WordMechanism):
        return mechanism
    following = mechanism.parameters.get("context") == "released"
    raise UnsupportedGuarantee(
        f"{use} needs a mechanism that draws for each word alone; got {mechanism.name}, whose draws depend on more. "
        + ("Leave out `context`." if following else "Choose a mechanism of words.")
    )


def stated_distances(distances: WordDistances | None) -> WordDistances:
    """``distances``, where a mechanism promises something per distance.

    Raises UnsupportedGuarantee: it promises the same for any two words.
    """
    if distances is not None:
        return distances
    raise UnsupportedGuarantee("distances of words are those of a guarantee per distance; got a mechanism without one.")


def checked_bounds(bounds: Integers, count: int) -> Integers:
    """``bounds`` as int64: from 0 to ``count``, never falling.

    Raises ParameterError: another shape or type, or other values.
    """
    array = np.asarray(bounds)
    fits = array.ndim == 1 and array.dtype.kind in "iu" and len(array) >= 1
    need(fits, "bounds", f"{array.dtype} of shape {array.shape}", "integers of shape (documents + 1,)")
    array = array.astype(np.int64, copy=False)
    inside = array[0] == 0 and array[-1] == count and bool((np.diff(array) >= 0).all())
    need(inside, "bounds", "others", f"from 0 to the {count} ids, never falling")
    return array


def checked_ids(ids: Ids, size: int) -> Ids:
    """``ids`` as int64 of shape (batch,), every one in [0, size).

    Raises ParameterError: another shape or type, or an id outside the vocabulary (its value is not printed: an id
    stands for a private word).
    """
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":  # a message takes longer than the check
        need(array.ndim == 1, "ids", f"shape {array.shape}", "of shape (batch,)")
        need(False, "ids", f"dtype {array.dtype}", "integers")
    if not all_below(array, size):
        need(False, "ids", "an id outside", f"in [0, {size})", "Map unknown words to the vocabulary first.")
    return array.astype(np.int64, copy=False)


def checked_word_id(word_id: int, size: int) -> int:
    """One id inside the vocabulary, as a Python int."""
    need(0 <= int(word_id) < size, "word_id", "an id outside", f"in [0, {size})")
    return int(word_id)


_USUAL = f"{DEFAULT_EPSILON:g}"
Epsilon: TypeAlias = Annotated[
    float, Option(POSITIVE, "Privacy loss in nats of one token, for any two words.", "E", GUARANTEE, unset=_USUAL)
]
NeighborhoodSize: TypeAlias = Annotated[
    int,
    Option(
        at_least(1),
        "Words that have the larger weight, the word itself included.",
        "M",
        NEIGHBORHOODS,
        unset="chosen for the vocabulary and epsilon",
    ),
]
Prior: TypeAlias = Annotated[
    str,
    Option(
        file_or_named(f"{FLAT}, {ZIPF} or a file of word counts", FLAT, ZIPF),
        "Public word frequencies instead of the embedded ones: flat, zipf (by the "
        "order of the words), or a file with a word and its count on each line.",
        "NAME|FILE",
        NEIGHBORHOODS,
        unset="the embedded frequencies, or Zipf by the order of the words",
    ),
]


@runtime_checkable
class IntegerWeights(Protocol):
    """A channel that is drawn by integers: P(y | x) = w(x, y) / sum over y of w(x, y), over its vocabulary."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words: inputs and outputs."""

    def integer_weights(self, ids: Ids) -> Integers:
        """The very integers w(x, y) that draws use, int64, shape (batch, n); a row's sum is below 2^62."""


@runtime_checkable
class BaseDraws(Protocol):
    """A channel whose rows are base weights, the same for every word, and what each row adds to them."""

    @property
    def base_mass(self) -> float:
        """Probability of a draw by the base weights alone; rows are at most e^epsilon times as likely, everywhere."""


@runtime_checkable
class Tabulated(Protocol):
    """A mechanism whose draws read public tables if there are any; without them it draws the same, only later."""

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """The tables, whether they are there or not; a mechanism finds those that ``build`` makes by itself."""
