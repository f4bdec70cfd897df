"""Cross-entropy of a model in nats, by token and by text.

The two differ by the length of a text, and papers call either one loss: the public code of the truncated-Laplace paper
sums over the tokens of a sentence and takes the mean over sentences, so its losses are nats a sentence.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.special import logsumexp

from textveil.errors import need
from textveil.models.language_model import LanguageModel, boundary_id
from textveil.types import Ids, Reals

_ROWS: Final = 1 << 14


class CrossEntropy(NamedTuple):
    """Means in nats; infinite if something occurred that had probability 0."""

    per_token: float  # over all tokens equally
    per_text: float  # of the sum over each text's tokens
    tokens: int  # of all texts
    texts: int  # how many

    @property
    def perplexity(self) -> float:
        """Exp of nats a token: the number of equally likely tokens with the same cross-entropy."""
        return math.exp(self.per_token) if self.per_token < 700 else math.inf


def cross_entropy(surprisals: Sequence[Reals]) -> CrossEntropy:
    """Return the cross-entropy of texts from -ln P of their tokens.

    Args:
        surprisals: nats >= 0 of each text's tokens, at least one text, shape (tokens,) each; a text may have none.

    Raises:
        ParameterError: no tokens at all, or a number below 0 or NaN.
    """
    tokens = sum(map(len, surprisals))
    need(tokens > 0, "surprisals", "no tokens", "of one token at least")
    need(all(bool((one >= 0).all()) for one in surprisals), "surprisals", "one below 0 or NaN", ">= 0")
    whole = math.fsum(float(one.sum()) for one in surprisals)
    return CrossEntropy(whole / tokens, whole / len(surprisals), tokens, len(surprisals))


def softmax_surprisals(scores: Reals, targets: Ids) -> Reals:
    """Return -ln of the softmax of scores at the targets; shape (tokens,).

    Args:
        scores: of every token of a vocabulary, any real numbers or -inf, shape (tokens, vocabulary).
        targets: in [0, vocabulary), shape (tokens,).

    Raises:
        ParameterError: shapes do not fit, a target is outside, or a score is NaN.
    """
    need(scores.ndim == 2, "scores", f"shape {scores.shape}", "of shape (tokens, vocabulary)")
    need(targets.shape == scores.shape[:1], "targets", f"shape {targets.shape}", f"of shape ({len(scores)},)")
    inside = bool(((targets >= 0) & (targets < scores.shape[1])).all())
    need(inside, "targets", "one outside", f"in [0, {scores.shape[1]})")
    most = scores.max(axis=1, keepdims=True)
    need(bool(np.isfinite(most).all()), "scores", "NaN, inf, or -inf alone", "real numbers or -inf, one real a token")
    shifted = scores - most  # before the sum, which would lose differences between large scores
    picked = np.take_along_axis(shifted, targets[:, None], axis=1)[:, 0]
    return np.maximum(0.0, logsumexp(shifted, axis=1) - picked)


def language_model_surprisals(model: LanguageModel, documents: Sequence[Ids]) -> list[Reals]:
    """Return -ln P of each word given the words before it, by a language model; a measure of fluency.

    Args:
        model: over the vocabulary of the ids.
        documents: word ids in [0, n), shape (words,) each.

    Raises:
        ParameterError: an id outside the model's vocabulary.
    """
    reach, edge = model.order - 1, boundary_id(model.size)
    found = []
    for words in documents:
        need(bool(((words >= 0) & (words < model.size)).all()), "documents", "an id outside", f"in [0, {model.size})")
        padded = np.concatenate([np.full(reach, edge, dtype=np.int64), words.astype(np.int64)])
        parts = [np.empty(0, dtype=np.float64)]
        for start in range(0, len(words), _ROWS):
            block = np.arange(start, min(start + _ROWS, len(words)))
            contexts = padded[block[:, None] + np.arange(reach)]
            logs = model.log_probabilities(contexts, words[block][:, None].astype(np.int64))[:, 0]
            parts.append(np.maximum(0.0, -logs.astype(np.float64)))
        found.append(np.concatenate(parts))
    return found
