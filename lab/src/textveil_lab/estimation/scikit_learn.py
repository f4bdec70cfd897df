"""scikit-learn estimators of releases and public facts, so their results cost no privacy; extra ``learn``.

Features of words for classifiers: what a released word says of its original, and what a clean word would.
"""

import hashlib
import json
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self

import numpy as np

from textveil.catalog import mechanism as catalog_mechanism
from textveil.errors import MissingExtra, need
from textveil.mechanisms.kinds import Mechanism
from textveil.types import Reals, Vectors
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.estimation.channel_matrix import (
    ChannelMatrix,
    ClassLaws,
    channel_matrix,
    class_laws,
    document_scores,
    most_likely_counts,
)
from textveil_lab.vocabulary.documents import DocumentReader, Documents, checked_documents, document_features
from textveil_lab.vocabulary.geometry import normalize

_COMMON: Final = 3.0  # Nats: a word of a twentieth of all tokens says nothing, a rarer one the more, the rarer it is


_RARE: Final = 9.0  # Nats at most that a rare word counts for


_STEPS: Final = 15


_PUBLIC: Final = 0.02  # Share of the public frequencies in a prior that is learned, so that no word is impossible


_BLOCK: Final = 64


class WordFeatures(NamedTuple):
    """Features of every word, float32, each of shape (n, dim)."""

    released: Vectors  # of the word as an output
    clean: Vectors  # of the word as an input, the mean of ``released`` over its outputs


def learned_prior(matrix: ChannelMatrix, counts: Reals, public: Reals) -> Reals:
    """Return the distribution of the words behind a release, by likelihood from the public one; sum 1, > 0, shape (n,).

    Args:
        counts: of the released words, shape (n,); without any, the public distribution stays.
        public: public frequencies with sum 1, shape (n,).
    """
    start = (public + 1 / len(public)) / 2
    if not counts.any():
        return start
    likeliest = most_likely_counts(matrix, counts, start, _STEPS) / counts.sum()
    return (1 - _PUBLIC) * likeliest + _PUBLIC * start


def word_features(matrix: ChannelMatrix, prior: Reals) -> WordFeatures:
    """Return the features of a channel's words.

    Args:
        prior: of the inputs, > 0 with sum 1, shape (n,).
    """
    units = normalize(matrix.vocabulary.vectors)
    weights = np.clip(-np.log(prior) - _COMMON, 0, _RARE)
    inputs = (units - prior @ units) * weights[:, None]
    reached = matrix.outputs(prior)[:, None]
    released = np.empty(inputs.shape, dtype=np.float32)
    clean = np.empty_like(released)
    for start in range(0, inputs.shape[1], _BLOCK):  # some coordinates at a time: products are in float64
        part = slice(start, start + _BLOCK)
        means = matrix.outputs(prior[:, None] * inputs[:, part]) / reached
        released[:, part] = means
        clean[:, part] = matrix.expected(means)
    return WordFeatures(released, clean)


try:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.dummy import DummyClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtra("scikit-learn", "learn") from None

READS = ("releases", "text")  # Input of an estimator that is fitted on releases


_CHANNELS = 2


_SCALE = 0.08


_MARKS = 2.0


_LONGEST = 6


class TfidfLearner:
    """Learner of text classes by logistic regression on tf-idf weights of words, without a channel."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Any:
        """Return a fitted pipeline, which predicts a class for each text.

        Args:
            texts: documents; if none holds a word, the commonest class is always predicted.
            labels: class of each, at least two classes.
        """
        words = TfidfVectorizer(token_pattern=r"(?u)\b[a-zA-Z']+\b", sublinear_tf=True)
        try:
            return make_pipeline(words, LogisticRegression(C=3, max_iter=300)).fit(texts, labels)
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            return make_pipeline(DummyClassifier()).fit(texts, labels)


class _Keyed:
    """Value with a key that tells it from others: its public part, or a digest."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any, key: Hashable) -> None:
        self.value, self.key = value, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _channel(mechanism: Any) -> _Keyed:
    facts = {"name": mechanism.name, "parameters": dict(mechanism.parameters)}
    return _Keyed(mechanism, (json.dumps(facts, sort_keys=True, default=repr), mechanism.vocabulary.digest))


def _numbers(values: Reals) -> _Keyed:
    return _Keyed(values, (values.shape, hashlib.sha256(values.tobytes()).digest()))


@lru_cache(maxsize=_CHANNELS)
def _matrix(channel: _Keyed) -> ChannelMatrix:
    return channel_matrix(channel.value)


@lru_cache(maxsize=_CHANNELS)
def _features(channel: _Keyed, prior: _Keyed) -> WordFeatures:
    return word_features(_matrix(channel), prior.value)


@lru_cache(maxsize=_CHANNELS)
def _laws(channel: _Keyed, counts: _Keyed, prior: _Keyed) -> ClassLaws:
    return class_laws(_matrix(channel), counts.value, prior.value)


@lru_cache(maxsize=1)
def _default() -> Mechanism:
    return catalog_mechanism()


class _OfReleases(BaseEstimator):  # type: ignore[misc]
    """Base of both estimators: the channel, and documents read in its words."""

    mechanism: Any
    reads: str
    prior: str

    def _learned(self, X: Iterable[Any]) -> tuple[_Keyed, DocumentReader, Documents, Reals]:
        need(self.reads in READS, "reads", repr(self.reads), " or ".join(map(repr, READS)))
        need(self.prior in ("learned", "public"), "prior", repr(self.prior), "'learned' or 'public'")
        mechanism = _default() if self.mechanism is None else self.mechanism
        channel = _channel(mechanism)
        matrix = _matrix(channel)
        reader = DocumentReader(matrix.vocabulary.words)
        documents = reader.words(X, clean=False)
        counts = word_frequencies(matrix.vocabulary).counts.astype(np.float64)
        seen = documents.counts(len(matrix)) if self.prior == "learned" else np.zeros(len(matrix))
        return channel, reader, documents, learned_prior(matrix, seen, counts / counts.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.no_validation = True
        return tags


class PosteriorVectors(TransformerMixin, _OfReleases):  # type: ignore[misc]
    """Documents as vectors: the average evidence of their released words on the originals.

    Each word counts by the mean vector of its possible originals, weighted by how informative it is; the sum over the
    document is divided by the root of its length.

    Args:
        mechanism: channel of the releases; None is the default mechanism.
        reads: input of ``transform``: "releases", or clean "text", which gets the features that its releases have on
            average. ``fit`` always takes releases.
        prior: of the words behind releases: "learned" by ``fit``, or "public" frequencies.

    Attributes:
        features_: of all words, from ``fit``.
        prior_: of all words.
    """

    def __init__(self, mechanism: Any = None, *, reads: str = "releases", prior: str = "learned") -> None:
        self.mechanism, self.reads, self.prior = mechanism, reads, prior

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Learn the frequencies of the words behind these releases.

        Args:
            X: released texts, or lists of word ids.
            y: ignored.
        """
        channel, self.reader_, _, self.prior_ = self._learned(X)
        self.features_ = _features(channel, _numbers(self.prior_))
        return self

    def transform(self, X: Iterable[Any]) -> Vectors:
        """Return a vector for each document, float32, shape (documents, dim)."""
        check_is_fitted(self, "features_")
        clean = self.reads == "text"
        ids, bounds = self.reader_.words(X, clean=clean)
        return document_features(self.features_.clean if clean else self.features_.released, ids, bounds)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self, "features_")
        return np.array([f"posterior{index}" for index in range(self.features_.released.shape[1])], dtype=object)


class ChannelClassifier(ClassifierMixin, _OfReleases):  # type: ignore[misc]
    """Classifier that learns from labelled releases; reads releases, or clean text by ``set_params(reads="text")``.

    It has two votes of equal weight: a logistic regression on posterior-mean vectors, and each word's evidence by the
    classes' distributions of words, learned through the channel (``textveil_lab.estimation.channel_matrix``).

    Args:
        mechanism: channel of the releases; None is the default mechanism.
        reads: input of predictions: "releases" or clean "text". ``fit`` always takes releases.
        prior: as for ``PosteriorVectors``.
        marks: let the regression see what releases leave unchanged: marks, line ends, and the number of digits of
            numbers.
        strength: inverse regularization of the regression, > 0.

    Attributes:
        classes_: the labels, in the order of columns.
    """

    def __init__(
        self,
        mechanism: Any = None,
        *,
        reads: str = "releases",
        prior: str = "learned",
        marks: bool = False,
        strength: float = 0.4,
    ) -> None:
        self.mechanism, self.reads, self.prior = mechanism, reads, prior
        self.marks, self.strength = marks, strength

    def fit(self, X: Iterable[Any], y: Any) -> Self:
        """Learn from released texts (or lists of word ids) and their labels."""
        need(0 < self.strength < np.inf, "strength", self.strength, "finite and > 0")
        check_classification_targets(y)
        given = checked_documents(X)
        self.classes_, labels = np.unique(np.asarray(y), return_inverse=True)
        need(len(labels) == len(given), "y", f"{len(labels)} labels", f"one for each of {len(given)} documents")
        need(len(self.classes_) >= 2, "y", "one class", "of two classes at least")
        channel, self.reader_, documents, self.prior_ = self._learned(given)
        prior = _numbers(self.prior_)
        self.features_ = _features(channel, prior)
        vectors = document_features(self.features_.released, *documents)
        self.scale_ = _SCALE / np.maximum(vectors.std(axis=0), 1e-12)
        counts = documents.class_counts(labels, len(self.classes_), len(self.prior_))
        self.laws_ = _laws(channel, _numbers(counts), prior)
        share = np.bincount(labels) / len(labels)
        self.log_share_ = np.log(share)
        self.marks_ = None
        if self.marks:
            self.marks_ = TfidfVectorizer(
                analyzer=_runs, min_df=min(4, 1 + len(given) // 100), max_features=80_000, sublinear_tf=True
            ).fit(self.reader_.marks(given))
        columns = self._columns(vectors, given)
        self.regression_ = LogisticRegression(C=self.strength, max_iter=300).fit(columns, labels)
        return self

    def decision_function(self, X: Iterable[Any]) -> Reals:
        """Return log votes of the classes, up to a constant; of two classes the difference, as in scikit-learn."""
        votes = self._votes(X)
        return votes[:, 1] - votes[:, 0] if len(self.classes_) == 2 else votes

    def predict_proba(self, X: Iterable[Any]) -> Reals:
        """Return the probabilities of the classes by the mean of both votes; shape (documents, classes)."""
        votes = np.exp(_normal(self._votes(X) / 2))
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: Iterable[Any]) -> np.ndarray:
        return self.classes_[self._votes(X).argmax(axis=1)]

    def _votes(self, X: Iterable[Any]) -> Reals:
        check_is_fitted(self, "regression_")
        given, clean = checked_documents(X), self.reads == "text"
        documents = self.reader_.words(given, clean=clean)
        features = self.features_.clean if clean else self.features_.released
        columns = self._columns(document_features(features, *documents), given)
        regressed = self.regression_.predict_log_proba(columns)
        laws = document_scores(self.laws_.clean if clean else self.laws_.released, *documents)
        return regressed + _normal(laws + self.log_share_)

    def _columns(self, vectors: Vectors, given: list[Any]) -> Any:
        scaled = vectors * self.scale_
        if self.marks_ is None:
            return scaled
        return sparse.hstack([sparse.csr_array(scaled), _MARKS * self.marks_.transform(self.reader_.marks(given))])


def _normal(scores: Reals) -> Reals:
    most = scores.max(axis=1, keepdims=True)
    return scores - most - np.log(np.exp(scores - most).sum(axis=1, keepdims=True))


def _runs(signs: list[str]) -> list[str]:
    return [
        " ".join(signs[start : start + length])
        for length in range(1, _LONGEST + 1)
        for start in range(len(signs) - length + 1)
    ]
