"""Vectors of released words: the mean vector of each word's possible originals, which costs no privacy."""

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import DrawsText, TextMechanism
from textveil.types import Reals, Vectors

if TYPE_CHECKING:
    from textveil_lab.mechanisms.capabilities import ChannelColumns, SequenceColumns
    from textveil_lab.posterior.words import WordPosterior
    from textveil_lab.vocabulary.documents import ReleaseReader


class WordVectors:
    """Posterior-mean vectors of one mechanism's releases; tables are made at first use, and kept."""

    __slots__ = ("_lock", "_mechanism", "_posterior", "_reader", "_source")

    def __init__(self, mechanism: DrawsText) -> None:
        self._mechanism = mechanism
        self._source: ChannelColumns | SequenceColumns | None = None
        self._posterior: WordPosterior | None = None
        self._reader: ReleaseReader | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return WordVectors, (self._mechanism,)

    def of(self, text: str, prior: Reals | None = None) -> Vectors:
        """Return a row for each word of a released text, in order; see ``Release.vectors``."""
        from textveil.vocabulary.facts import word_frequencies
        from textveil_lab.mechanisms.capabilities import SequenceColumns
        from textveil_lab.mechanisms.channel_columns import columns_of
        from textveil_lab.mechanisms.product_columns import sequence_columns
        from textveil_lab.posterior.words import WordPosterior, checked_prior, posterior_means, posteriors
        from textveil_lab.vocabulary.documents import ReleaseReader

        mechanism = self._mechanism
        if isinstance(mechanism, TextMechanism):
            raise UnsupportedGuarantee(
                f"vectors of released words need a mechanism of words; got {mechanism.name}, which draws whole texts."
            )
        vocabulary = mechanism.vocabulary
        with self._lock:
            if self._reader is None:
                self._reader = ReleaseReader(vocabulary.words)
            words = self._reader.read_releases([text]).words
            source = self._source = self._source or sequence_columns(mechanism) or columns_of(mechanism)
            if isinstance(source, SequenceColumns):
                frequencies = word_frequencies(vocabulary).counts if prior is None else prior
                chosen = checked_prior(frequencies, len(vocabulary))
                columns = source.columns_of_documents(words, np.array([0, len(words)]))
                return posterior_means(posteriors(columns, chosen), chosen, vocabulary.vectors)
            if prior is not None:
                return WordPosterior(source, prior).means(words)
            if self._posterior is None:
                self._posterior = WordPosterior(source)
            return self._posterior.means(words)
