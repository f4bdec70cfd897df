"""What a mechanism is: word ids in, word ids out, and a guarantee that is data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from textveil.errors import need
from textveil.privacy.guarantees import Guarantee
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary


@runtime_checkable
class Mechanism(Protocol):
    """Maps each word id to a random word id, independently of the other ids."""

    @property
    def name(self) -> str:
        """The catalog's name of the mechanism, or the class's own."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters for reports: JSON values, by name."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words that ids stand for."""

    @property
    def guarantee(self) -> Guarantee:
        """What holds for one token and any two words."""

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One fresh draw for each id; shape (batch,) to shape (batch,), int64.

        ``rng=None`` draws from the operating system's randomness.
        """


@runtime_checkable
class Channel(Mechanism, Protocol):
    """A mechanism whose distribution is an explicit finite table P(y | x)."""

    def probabilities(self, word_id: int) -> Reals:
        """P(y | x = word_id) for every y; shape (n,), computed from the weights that are sampled."""


def checked_ids(ids: Ids, size: int) -> Ids:
    """``ids`` as int64 of shape (batch,), every one in [0, size).

    Raises:
        ParameterError: another shape or type, or an id outside the vocabulary (its value is not printed:
            an id stands for a private word).
    """
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":  # a message takes longer than the check
        need(array.ndim == 1, "ids", f"shape {array.shape}", "of shape (batch,)")
        need(False, "ids", f"dtype {array.dtype}", "integers")
    if array.min() < 0 or array.max() >= size:
        need(False, "ids", "an id outside", f"in [0, {size})", "Map unknown words to the vocabulary first.")
    return array.astype(np.int64, copy=False)


def checked_word_id(word_id: int, size: int) -> int:
    """One id inside the vocabulary, as a Python int."""
    need(0 <= int(word_id) < size, "word_id", "an id outside", f"in [0, {size})")
    return int(word_id)
