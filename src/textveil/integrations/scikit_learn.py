"""scikit-learn: ``TextSanitizer`` releases texts in a pipeline; ``PrivateTextClassifier`` learns from private texts.

The classifier spends one epsilon on all that a person wrote. Extra ``learn``.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textveil.aggregates.classifier import checked_texts
from textveil.aggregates.learning import learn
from textveil.aggregates.request import Batch, CorpusRequest, digested
from textveil.catalog import mechanism
from textveil.errors import MissingExtra, need
from textveil.integrations.text_columns import ColumnSanitizer
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE, Adjacency
from textveil.randomness import seeded_generator
from textveil.types import Progress, Reals

with MissingExtra("scikit-learn", "learn"):
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted


# What takes long is kept for the last fits: clones and folds of a search share it. All of it comes of releases.


@dataclass(frozen=True)
class _Given:
    batch: Batch
    adjacency: Adjacency
    names: Sequence[str] = ()
    limit: int | None = None
    labelled: bool = True

    @property
    def digest(self) -> bytes:
        return digested([self.batch], self.names)

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        yield self.batch


class PrivateTextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns classes from private texts, under one epsilon for all that a person wrote (``textveil learn``).

    Every ``fit`` costs epsilon again: a search over folds spends it once for each fold and candidate. What has been
    fitted may be released; the texts and labels may not.

    Args:
        epsilon: nats, > 0.
        delta: in (0, 1), far below 1 / number of persons.
        labels: all that there can be, if they are public. None: those that many persons use are selected.
        seed: for experiments; None is the operating system's randomness.

    Attributes:
        model_: may be saved, with its guarantee.
        classes_: the labels, in the order of columns.
    """

    def __init__(
        self, epsilon: float = 1.0, delta: float = 1e-6, *, labels: Sequence[Any] | None = None, seed: int | None = None
    ) -> None:
        self.epsilon, self.delta, self.labels, self.seed = epsilon, delta, labels, seed

    def fit(self, X: Iterable[str], y: Any, persons: Sequence[Hashable] | None = None) -> Self:
        """Learn from private texts and their labels; without ``persons`` each text counts as a unit of its own."""
        check_classification_targets(y)
        # Labels one by one: an array of them has the type that all have in common, so one person's would rename all.
        texts, given = checked_texts(X), np.asarray(y, dtype=object).tolist()
        need(len(given) == len(texts), "y", f"{len(given)} labels", f"one for each of {len(texts)} documents")
        need(len(set(map(type, given))) <= 1, "y", "labels of several types", "of one type")
        owners = range(len(texts)) if persons is None else list(persons)
        need(len(owners) == len(texts), "persons", f"{len(owners)}", f"one for each of {len(texts)} documents")
        numbers: dict[Hashable, int] = {}
        need(not any(map(_missing, owners)), "persons", "a missing one", "a name for each document")
        codes = np.array([numbers.setdefault(owner, len(numbers)) for owner in owners], dtype=np.int64)
        public = [] if self.labels is None else list(self.labels)
        named = {str(label): label for label in (public or given)}
        source = _Given(
            Batch(codes, texts, [str(label) for label in given]),
            ONE_RECORD_MORE if persons is None else ONE_PERSON_MORE,
        )
        rng = None if self.seed is None else seeded_generator(self.seed)
        labels = [str(label) for label in public]
        request = CorpusRequest(source, epsilon=self.epsilon, delta=self.delta, labels=labels, rng=rng)
        self.model_ = learn(request).model
        self.classes_ = np.array([named[label] for label in self.model_.labels])
        return self

    def decision_function(self, X: Iterable[str]) -> Reals:
        """Return how well each class fits each text; of two classes the difference, as scikit-learn has it."""
        check_is_fitted(self, "model_")
        scores = self.model_.scores(checked_texts(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Iterable[str]) -> np.ndarray:
        check_is_fitted(self, "model_")
        return self.classes_[self.model_.scores(checked_texts(X)).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.non_deterministic = tags.no_validation = True
        return tags


class TextSanitizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts as released ones, as a step of a pipeline; nothing is learned from them.

    Every ``transform`` draws anew, and what it released counts: a search over folds releases a text once for each fold
    and candidate. Sanitize once, before the search, and give the releases to it.

    Args:
        sanitizer: a Sanitizer, a mechanism, a policy, or None for the default mechanism. ``clone`` copies it, and
            nothing of what it has seen.

    Attributes:
        columns_: counts what this object has released: ``columns_.report()``.
        names_: of the columns that ``fit`` was given; "text" if they have none.
    """

    def __init__(self, sanitizer: Any = None) -> None:
        self.sanitizer = sanitizer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the sanitizer; the texts are not looked at, and ``y`` is ignored."""
        self.columns_ = ColumnSanitizer(mechanism() if self.sanitizer is None else self.sanitizer)
        names = getattr(X, "columns", None)
        self.names_ = np.array(["text"] if names is None else list(names), dtype=object)
        return self

    def transform(self, X: Any) -> Any:
        """Release texts, or columns of them, as an array of objects of the shape of ``X``; a row is one document.

        None, NaN and NA come out as None. Raises InputError: a value is neither a text nor missing (named by its row).
        """
        check_is_fitted(self, "columns_")
        given = np.asarray(X if hasattr(X, "__array__") else list(X), dtype=object)
        need(given.ndim in (1, 2), "X", f"{given.ndim} dimensions", "texts, or a table of columns of texts")
        rows = given.reshape(len(given), math.prod(given.shape[1:]))
        gaps = np.array([_missing(value) for value in rows.flat], dtype=np.bool_).reshape(rows.shape)
        cells, out = rows.copy(), np.empty_like(rows)
        cells[gaps] = None
        for into, row in zip(out, self.columns_.rows(cells), strict=True):
            into[:] = row
        return out.reshape(given.shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that ``fit`` was given."""
        check_is_fitted(self, "columns_")
        return self.names_ if input_features is None else np.asarray(input_features, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array, tags.input_tags.allow_nan = True, False, True
        tags.non_deterministic = tags.no_validation = True
        tags.requires_fit = False
        return tags


def _missing(value: Any) -> bool:
    """Tell whether a value is None, NaN, or pandas' NA, which is what it is compared with."""
    if value is None or isinstance(value, str):
        return value is None
    differs = value != value
    return differs is value or (isinstance(differs, bool | np.bool_) and bool(differs))
