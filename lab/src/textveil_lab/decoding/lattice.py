"""Sentences side by side through a language model: the best path of each, or the probability of each word.

Each position of a sentence has candidates with scores from the channel. A state of the search is the last ``order`` - 1
words; paths that end in one state are merged, into the better one or into their sum, and the ``width`` best states of
each sentence go on. If ``width`` covers all states, both are exact.

The language proposes candidates too: successors of the likeliest words before, whatever was released there.

The channel's candidates of an output or position are the likeliest words by prior and channel.
"""

from __future__ import annotations

from threading import Lock
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.models.language_model import ContinuationModel, LanguageModel, boundary_id
from textveil.types import Flags, Ids, Integers, Reals, Vectors
from textveil_lab.mechanisms.capabilities import ChannelColumns
from textveil_lab.mechanisms.sampling.output_columns import Columns

NONE = -1  # Stands in place of a candidate if there are fewer


class Candidates(NamedTuple):
    """Possible originals of several released words, the likeliest first."""

    words: NDArray[np.int32]  # ids, each once in a row, or NONE, int32, shape (places, k)
    log_ratios: Vectors  # ln P(y | x) less the smallest of the column, nats, float32, shape (places, k)


def likeliest(columns: Columns, log_prior: Reals, frequent: Ids, count: int) -> Candidates:
    """Return the ``count`` inputs of each column that are most probable under a prior.

    Args:
        log_prior: ln of the prior, shape (n,).
        frequent: at least ``count`` inputs of the largest prior; they include candidates that no column lists.
        count: number of candidates, <= n.
    """
    size, rows = len(log_prior), len(columns.log_least)
    place = columns.places
    listed = place * size + columns.inputs
    others = (np.arange(rows)[:, None] * size + frequent).reshape(-1)
    others = others[~_among(others, listed)]
    keys = np.concatenate([listed, others])
    ratios = np.concatenate([columns.log_ratios, np.zeros(len(others))]).astype(np.float32)
    scores = log_prior[keys % size] + ratios
    order = np.lexsort((keys, -scores, keys // size))
    starts = np.searchsorted(keys[order] // size, np.arange(rows + 1))
    at = starts[:-1, None] + np.arange(count)
    inside = at < starts[1:, None]
    chosen = order[np.where(inside, at, 0)]
    words = np.where(inside, keys[chosen] % size, NONE).astype(np.int32)
    return Candidates(words, np.where(inside, ratios[chosen], 0).astype(np.float32))


def _among(keys: Integers, rising: Integers) -> NDArray[np.bool_]:
    if len(rising) == 0:
        return np.zeros(len(keys), dtype=np.bool_)
    at = np.minimum(np.searchsorted(rising, keys), len(rising) - 1)
    return rising[at] == keys


class CandidateTable:
    """Candidates of a channel's outputs, made when an output first appears and kept. Threads may share it."""

    __slots__ = ("_channel", "_frequent", "_known", "_lock", "_log_prior", "_ratios", "_words", "count")

    def __init__(self, channel: ChannelColumns, prior: Reals, count: int) -> None:
        size = len(prior)
        self.count = min(count, size)
        self._channel = channel
        self._log_prior, self._frequent = log_prior(prior), most_frequent(prior, self.count)
        self._lock = Lock()
        self._known = np.zeros(size, dtype=np.bool_)
        self._words = np.full((size, self.count), NONE, dtype=np.int32)
        self._ratios = np.zeros((size, self.count), dtype=np.float32)

    def of(self, outputs: Ids) -> Candidates:
        with self._lock:
            new = np.unique(outputs[~self._known[outputs]])
            for start in range(0, len(new), 4096):
                part = new[start : start + 4096]
                candidates = likeliest(self._channel.columns(part), self._log_prior, self._frequent, self.count)
                self._words[part], self._ratios[part] = candidates
                self._known[part] = True
        return Candidates(self._words[outputs], self._ratios[outputs])


def log_prior(prior: Reals) -> Reals:
    """Return ln of a prior; words with prior 0 get ln of the smallest float."""
    return np.log(np.maximum(prior, np.finfo(np.float64).tiny))


def most_frequent(prior: Reals, count: int) -> Ids:
    """Return the words of largest prior, the lower id in a tie."""
    return np.sort(np.argsort(-prior, kind="stable")[:count])


KEPT: Final = 16  # Words that are kept as those which follow a word


_CONTEXTS: Final = 1 << 12  # Number of contexts in one request for continuations


class Proposes(Protocol):
    """Proposer of more candidates for positions, by the words before them."""

    def __call__(self, at: Integers, before: Ids, known: NDArray[np.int32]) -> Candidates:
        """Return candidates for each position, none of them known.

        Args:
            at: positions, shape (batch,).
            before: ids of contexts before each, shape (batch, b).
            known: candidates that the position has, shape (batch, k).
        """


class Successors(NamedTuple):
    """Likeliest words after each context id."""

    words: NDArray[np.int32]  # the likeliest first, or NONE, int32, shape (n + 2, ``KEPT``)
    log_chances: Vectors  # of each after that id, float32, shape as ``words``


def successors(model: ContinuationModel) -> Successors:
    """Return the likeliest words after each id, by the model's probabilities after that id alone."""
    size = model.size + 2
    words = np.full((size, KEPT), NONE, dtype=np.int32)
    chances = np.full((size, KEPT), -np.inf, dtype=np.float32)
    for start in range(0, size, _CONTEXTS):
        contexts = np.arange(start, min(start + _CONTEXTS, size))
        starts, listed, probabilities, _ = model.continuations(contexts[:, None])
        rows = np.repeat(np.arange(len(contexts)), np.diff(starts))
        order = np.lexsort((-probabilities, rows))
        rank = np.arange(len(order)) - starts[rows]
        kept = rank < KEPT
        words[contexts[rows[kept]], rank[kept]] = listed[order[kept]]
        chances[contexts[rows[kept]], rank[kept]] = np.log(probabilities[order[kept]])
    return Successors(words, chances)


class ColumnRatios:
    """Log ratios of any words in columns."""

    def __init__(self, columns: Columns, size: int) -> None:
        self._size = size
        self._keys = columns.places * size + columns.inputs
        self._ratios = columns.log_ratios.astype(np.float32)

    def __call__(self, columns: Integers, words: NDArray[np.int32]) -> Vectors:
        """Return the log ratios of words, shape (batch, k), in columns, (batch,); 0 for a word that is not listed."""
        if len(self._keys) == 0:
            return np.zeros(words.shape, dtype=np.float32)
        keys = columns[:, None] * self._size + words
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._ratios[places], np.float32(0))


class Continued:
    """Proposer of the successors that language and channel make likeliest.

    Args:
        which: column of each position, shape (places,).
        share: added to each word's score, from the prior, float32, shape (n,).
        model_weight: of the model's log probabilities, beside the channel's.
    """

    def __init__(
        self, follows: Successors, columns: Columns, which: Integers, share: Vectors, count: int, model_weight: float
    ) -> None:
        self._follows, self._which, self._share, self._count = follows, which, share, count
        self._ratios = ColumnRatios(columns, len(share))
        self._weight = np.float32(model_weight)

    def __call__(self, at: Integers, before: Ids, known: NDArray[np.int32]) -> Candidates:
        batch = len(at)
        words = self._follows.words[before].reshape(batch, -1)
        scores = self._weight * self._follows.log_chances[before].reshape(batch, -1)
        words = np.where((words[:, :, None] == known[:, None, :]).any(axis=2), NONE, words)
        ratios = self._ratios(self._which[at], words) + self._share[words]
        scores = np.where(words == NONE, -np.inf, scores + ratios)
        order = np.argsort(-scores, axis=1, kind="stable")[:, : 2 * self._count]
        words, ratios = np.take_along_axis(words, order, 1), np.take_along_axis(ratios, order, 1)
        again = (words[:, :, None] == words[:, None, :]) & np.tri(words.shape[1], k=-1, dtype=np.bool_)
        words = np.where(again.any(axis=2), NONE, words)
        first = np.argsort(words == NONE, axis=1, kind="stable")[:, : self._count]
        return Candidates(np.take_along_axis(words, first, 1), np.take_along_axis(ratios, first, 1))


_NEVER: Final = np.float32(-np.inf)
_NO_ARCS: Final = np.empty((0, 0, 0), dtype=np.float32)
_PROPOSING: Final = 3  # The likeliest states before a place whose last words propose candidates
_WORD = Ids | NDArray[np.int32]


class Sentences(NamedTuple):
    """Sentences to decode side by side, the longest first."""

    starts: Integers  # the first place of each, among all places, shape (sentences,)
    lengths: Integers  # places of each, >= 1, never rising, shape (sentences,)


class Trellis(NamedTuple):
    """All positions of all sentences, with their candidates."""

    candidates: Candidates  # possible words; a fixed one stands alone
    fixed: Flags  # places at which nothing is predicted: the one candidate is an id of contexts, shape (places,)
    proposals: Proposes | None = None  # gives more candidates as the search goes; None for none


class TrellisSearch:
    """Beam search with merged states.

    Args:
        model: public language model.
        width: states of a sentence kept at each position, >= 1.
        model_weight: factor of the model's log probabilities, beside the channel's, >= 0.
    """

    def __init__(self, model: LanguageModel, width: int, model_weight: float = 1.0) -> None:
        self._model, self._width, self._weight = model, width, np.float32(model_weight)

    def best(self, places: Trellis, sentences: Sentences) -> Ids:
        """Return the words of the most probable path, for all positions of these sentences, in their order."""
        steps = self._steps(places, sentences, total=False)
        return _traced(steps, sentences)

    def marginals(self, places: Trellis, sentences: Sentences) -> tuple[NDArray[np.int32], Vectors]:
        """Return P(candidate | release) at all positions of these sentences, summed over all paths of the beam.

        Returns:
            For all positions, in the order of the sentences: the candidates, including proposed ones, and their
            probabilities, float32, shapes (places, k).
        """
        steps = self._steps(places, sentences, total=True)
        return _smoothed(steps, sentences)

    def _steps(self, places: Trellis, sentences: Sentences, *, total: bool) -> list[_Step]:
        starts, lengths = sentences
        context = max(1, self._model.order - 1)
        contexts = np.full((len(starts), 1, context), boundary_id(self._model.size), dtype=np.int64)
        scores = np.zeros((len(starts), 1), dtype=np.float32)
        steps = []
        for place in range(int(lengths[0]) if len(lengths) else 0):
            here = int(np.searchsorted(-lengths, -place, side="left"))
            contexts, scores = contexts[:here], scores[:here]
            step = self._step(places, starts[:here] + place, contexts, scores, total=total)
            # Of states that no path reaches, which may have no word, any will do.
            words = np.maximum(np.take_along_axis(step.words, step.candidates, 1), 0)
            before = np.take_along_axis(contexts, step.parents[:, :, None], 1)
            contexts = np.concatenate([before[:, :, 1:], words[:, :, None]], axis=2)
            scores = step.scores
            steps.append(step)
        return steps

    def _step(self, places: Trellis, at: Integers, contexts: Ids, scores: Vectors, *, total: bool) -> _Step:
        words, ratios = places.candidates.words[at], places.candidates.log_ratios[at]
        fixed = places.fixed[at][:, None]
        if places.proposals is not None:
            more = places.proposals(at, _likeliest_last(contexts, scores), words)
            words = np.hstack([words, np.where(fixed, NONE, more.words)])
            ratios = np.hstack([ratios, more.log_ratios])
        there = words != NONE
        arcs = self._predicted(contexts, words, there & ~fixed)
        arcs += np.where(there, ratios, _NEVER)[:, None, :]
        paths = scores[:, :, None] + arcs
        same = _same(contexts)
        merged, parents = _summed(paths, same) if total else _improved(paths, same)
        count, states, options = merged.shape
        flat = merged.reshape(count, states * options)
        kept = min(self._width, flat.shape[1])
        chosen = np.argpartition(-flat, kept - 1, axis=1)[:, :kept] if kept < flat.shape[1] else _every(count, kept)
        best = np.take_along_axis(flat, chosen, 1)
        before = np.take_along_axis(parents.reshape(count, -1), chosen, 1)
        candidate = chosen % options
        best -= best.max(axis=1, keepdims=True)
        if not total:
            return _Step(best, before, words, candidate, _NO_ARCS)
        into = np.take_along_axis(arcs, np.broadcast_to(candidate[:, None, :], (count, states, kept)), 2)
        allowed = np.take_along_axis(same, np.broadcast_to(before[:, None, :], (count, states, kept)), 2)
        # A state that no path reaches may stand for one that others reach: no arc may lead to it twice.
        allowed &= np.isfinite(best)[:, None, :]
        return _Step(best, before, words, candidate, np.where(allowed, into, _NEVER))

    def _predicted(self, contexts: Ids, words: _WORD, asked: Flags) -> Vectors:
        """Return weighted log probabilities of the words after each state, (sentences, b, k); 0 if not asked for."""
        count, states, length = contexts.shape
        after = contexts[:, :, length - (self._model.order - 1) :].reshape(count * states, self._model.order - 1)
        rows = np.repeat(np.where(asked, words, 0).astype(np.int64), states, axis=0)
        logs = self._model.log_probabilities(after, rows).reshape(count, states, -1)
        return np.where(asked[:, None, :], self._weight * logs, np.float32(0))


class _Step(NamedTuple):
    scores: Vectors  # log scores, the largest of a sentence 0, shape (sentences, states)
    parents: Integers  # state before the place, shape (sentences, states)
    words: NDArray[np.int32]  # candidates of the place, shape (sentences, k)
    candidates: Integers  # index of a state's own among them, shape (sentences, states)
    # log score from each state before to each state here, -inf for none, shape (sentences, before, states)
    arcs: Vectors


def _same(contexts: Ids) -> Flags:
    """Return which states merge when a word follows them: those that differ at most in their earliest word."""
    tails = contexts[:, :, 1:]
    return (tails[:, :, None, :] == tails[:, None, :, :]).all(axis=3)


def _improved(paths: Vectors, same: Flags) -> tuple[Vectors, Integers]:
    states = paths.shape[1]
    first = np.argmax(same, axis=2)
    best, parents = np.full(paths.shape, _NEVER), np.zeros(paths.shape, dtype=np.int64)
    for state in range(states):
        here = same[:, :, state, None] & (paths[:, None, state] > best)
        best = np.where(here, paths[:, None, state], best)
        parents = np.where(here, state, parents)
    leads = first == np.arange(states)
    return np.where(leads[:, :, None], best, _NEVER), parents


def _summed(paths: Vectors, same: Flags) -> tuple[Vectors, Integers]:
    states = paths.shape[1]
    most = paths.max(axis=1, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):
        sums = np.log(same.astype(np.float32) @ np.exp(paths - most)) + most
    leads = np.argmax(same, axis=2) == np.arange(states)
    parents = np.broadcast_to(np.arange(states)[None, :, None], paths.shape)
    return np.where(leads[:, :, None], sums, _NEVER), parents


def _likeliest_last(contexts: Ids, scores: Vectors) -> Ids:
    count = min(_PROPOSING, scores.shape[1])
    best = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(contexts[:, :, -1], best, 1)


def _every(count: int, width: int) -> Integers:
    return np.broadcast_to(np.arange(width), (count, width))


def _traced(steps: list[_Step], sentences: Sentences) -> Ids:
    lengths = sentences.lengths
    offsets = np.cumsum(lengths) - lengths
    out = np.empty(int(lengths.sum()), dtype=np.int64)
    state = np.zeros(len(lengths), dtype=np.int64)
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        here = len(step.scores)
        ends = lengths[:here] == place + 1
        state[:here][ends] = np.argmax(step.scores[ends], axis=1)
        rows = np.arange(here)
        chosen = step.candidates[rows, state[:here]]
        out[offsets[:here] + place] = step.words[rows, chosen]
        state[:here] = step.parents[rows, state[:here]]
    return out


def _smoothed(steps: list[_Step], sentences: Sentences) -> tuple[NDArray[np.int32], Vectors]:
    lengths = sentences.lengths
    offsets = np.cumsum(lengths) - lengths
    options = steps[0].words.shape[1] if steps else 1
    words = np.empty((int(lengths.sum()), options), dtype=np.int32)
    out = np.zeros(words.shape, dtype=np.float32)
    after: Vectors = np.empty((0, 0), dtype=np.float32)
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        here, states = step.scores.shape
        back = np.zeros((here, states), dtype=np.float32)
        later = len(after)
        if later:
            back[:later] = _log_sum(steps[place + 1].arcs + after[:, None, :])
        joint = step.scores + back
        chances = np.exp(joint - joint.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        cells = (np.arange(here)[:, None] * options + step.candidates).reshape(-1)
        rows = offsets[:here] + place
        out[rows] = np.bincount(cells, chances.reshape(-1), here * options).reshape(here, options)
        words[rows] = step.words
        after = back
    return words, out


def _log_sum(values: Vectors) -> Vectors:
    most = values.max(axis=-1, keepdims=True)
    most = np.where(np.isfinite(most), most, np.float32(0))
    with np.errstate(divide="ignore"):
        return np.log(np.exp(values - most).sum(axis=-1)) + most[..., 0]
