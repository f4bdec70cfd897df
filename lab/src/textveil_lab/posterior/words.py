"""Original of a released word: its distribution under a public prior, and the best replacement.

All of it is a function of the released word, the channel and public facts, so it costs no privacy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.kinds import Described, checked_ids, checked_word_id
from textveil.types import Ids, Integers, Progress, Reals, Vectors
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.mechanisms.capabilities import ChannelColumns
from textveil_lab.mechanisms.channel_columns import columns_of
from textveil_lab.mechanisms.sampling.output_columns import Columns
from textveil_lab.vocabulary.geometry import normalize

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_BLOCK: Final = 1024  # outputs whose scores against all words are made at once: 134 MB at 33,000 words


class Posteriors(NamedTuple):
    """P(x | y) for several outputs y: listed inputs, and a share of the prior for all others."""

    starts: Integers  # where each output's listed inputs begin and the last one's end, shape (outputs + 1,)
    inputs: Ids  # ids x that the output speaks for
    above: Reals  # P(x | y) - ``rest`` of y * prior(x), > 0, shape as ``inputs``
    rest: Reals  # P(x | y) = rest * prior(x) for every other input, shape (outputs,)


def posteriors(columns: Columns, prior: Reals) -> Posteriors:
    """Return P(x | y) of every column, which belongs to an output or to a position of a released document.

    Args:
        columns: of a channel.
        prior: of inputs, with sum 1, shape (n,).
    """
    joint = prior[columns.inputs] * np.expm1(columns.log_ratios)
    total = 1 + row_sums(joint, columns.starts)
    return Posteriors(columns.starts, columns.inputs, joint / np.repeat(total, np.diff(columns.starts)), 1 / total)


def posterior_means(posterior: Posteriors, prior: Reals, rows: Vectors) -> Vectors:
    """Return sum over x of P(x | y) v(x) for every column, float32, shape (columns, dim).

    Args:
        posterior: P(x | y).
        prior: of ``posterior``.
        rows: v, float32, shape (n, dim).
    """
    shape = (len(posterior.rest), len(prior))
    listed = _sparse((posterior.above.astype(np.float32), posterior.inputs, posterior.starts), shape)
    mean = (prior @ rows).astype(np.float32)
    return listed @ rows + posterior.rest[:, None].astype(np.float32) * mean


class WordPosterior:
    """Distribution of the input given one output of a channel: P(x | y) = prior(x) P(y | x) / P(y).

    Args:
        mechanism: a channel with columns, see ``mechanisms.channel_columns``.
        prior: of inputs, finite and >= 0, not all 0, shape (n,); None is the public frequency of the words.
        progress: called if all rows of the channel must be read.

    Raises:
        UnsupportedGuarantee: the mechanism is no channel.
        ParameterError: the prior is of another shape, or has an invalid value.
    """

    def __init__(
        self, mechanism: Described | ChannelColumns, prior: Reals | None = None, *, progress: Progress | None = None
    ) -> None:
        self._channel = columns_of(mechanism, progress)
        self.vocabulary = self._channel.vocabulary
        chosen = word_frequencies(self.vocabulary).counts if prior is None else np.asarray(prior)
        self.prior = checked_prior(chosen, len(self.vocabulary))

    def of(self, outputs: Ids) -> Posteriors:
        """Return P(x | y) for each output y."""
        return posteriors(self._channel.columns(checked_ids(outputs, len(self.vocabulary))), self.prior)

    def probabilities(self, output: int) -> Reals:
        """Return P(x | output) for every word x, shape (n,)."""
        posterior = self.of(np.array([checked_word_id(output, len(self.vocabulary))]))
        row = posterior.rest[0] * self.prior
        row[posterior.inputs] += posterior.above
        return row

    def most_probable(self, outputs: Ids) -> Ids:
        """Return the most probable input of each output, the lower id in a tie: optimal if all errors cost the same."""
        words, which = np.unique(checked_ids(outputs, len(self.vocabulary)), return_inverse=True)
        posterior = self.of(words)
        common = int(np.argmax(self.prior))  # the best of those that are not listed
        chance = posterior.above + posterior.rest.repeat(np.diff(posterior.starts)) * self.prior[posterior.inputs]
        best, at = row_maxima(chance, posterior.starts)
        unlisted = posterior.rest * self.prior[common]
        likeliest = np.full(len(words), common, dtype=np.int64)
        listed = at >= 0
        likeliest[listed] = posterior.inputs[at[listed]]
        behind = (best < unlisted) | ((best == unlisted) & (likeliest > common))
        return np.where(behind, common, likeliest)[which]

    def means(self, outputs: Ids, vectors: NDArray[np.floating] | None = None) -> Vectors:
        """Return the mean vector of each output's input, sum over x of P(x | y) v(x); float32, shape (outputs, dim).

        Args:
            outputs: shape (outputs,).
            vectors: v, shape (n, dim); None takes the vocabulary's.
        """
        words, which = np.unique(checked_ids(outputs, len(self.vocabulary)), return_inverse=True)
        rows = np.asarray(self.vocabulary.vectors if vectors is None else vectors, dtype=np.float32)
        fits = rows.ndim == 2 and len(rows) == len(self.vocabulary)
        need(fits, "vectors", f"shape {rows.shape}", f"of shape ({len(self.vocabulary)}, dim)")
        return posterior_means(self.of(words), self.prior, rows)[which]

    def remapped(self, outputs: Ids, loss: str | Reals = "word") -> Ids:
        """Return for each output the word z of smallest expected loss, sum over x of P(x | y) loss(x, z).

        Args:
            outputs: shape (outputs,).
            loss: ``"word"``, 1 for any other word; ``"cosine"``, 1 - cos(v(x), v(z)); or a matrix of shape (n, n), row
                x for the true word, column z for its replacement. The lower id wins a tie.

        Raises:
            ParameterError: the loss is none of these, or not finite.
        """
        if isinstance(loss, str):
            need(loss in ("word", "cosine"), "loss", repr(loss), "'word', 'cosine', or a matrix")
            if loss == "word":
                return self.most_probable(outputs)
        words, which = np.unique(checked_ids(outputs, len(self.vocabulary)), return_inverse=True)
        if isinstance(loss, str):
            units = normalize(self.vocabulary.vectors)
            means = self.means(words, units)
            parts = (means[start : start + _BLOCK] for start in range(0, len(means), _BLOCK))
            return np.concatenate([words[:0], *(np.argmax(part @ units.T, axis=1) for part in parts)])[which]
        table, size = np.asarray(loss, dtype=np.float64), len(self.vocabulary)
        need(table.shape == (size, size), "loss", f"shape {table.shape}", f"of shape ({size}, {size})")
        need(bool(np.isfinite(table).all()), "loss", "one value that is not", "finite everywhere")
        posterior = self.of(words)
        listed = _sparse((posterior.above, posterior.inputs, posterior.starts), (len(words), size))
        expected = listed @ table + posterior.rest[:, None] * (self.prior @ table)
        return np.argmin(expected, axis=1)[which]


def _sparse(entries: tuple[Reals, Ids, Integers], shape: tuple[int, int]) -> csr_array:
    from scipy.sparse import csr_array  # a fifth of a second, which releases do not need

    return csr_array(entries, shape=shape)


def checked_prior(prior: NDArray[np.generic], size: int) -> Reals:
    """Return a prior as float64 with sum 1.

    Raises:
        ParameterError: another shape, a value that is not finite or below 0, or nothing but zeros.
    """
    given = np.asarray(prior)
    need(given.shape == (size,), "prior", f"shape {given.shape}", f"of shape ({size},)", "Give one for each word.")
    need(given.dtype.kind in "iuf", "prior", f"dtype {given.dtype}", "numbers")
    values = given.astype(np.float64)
    need(bool(np.isfinite(values).all() and (values >= 0).all()), "prior", "one that is not", "finite and >= 0")
    need(bool(values.any()), "prior", "zeros alone", "above 0 for a word at least")
    return values / values.sum()


def row_sums(values: Reals, starts: Integers) -> Reals:
    """Return the sum of each row of a ragged table; 0 for an empty row."""
    filled = np.flatnonzero(np.diff(starts))
    sums = np.zeros(len(starts) - 1)
    if len(filled):
        sums[filled] = np.add.reduceat(values, starts[:-1][filled])
    return sums


def row_maxima(values: Reals, starts: Integers) -> tuple[Reals, Integers]:
    """Return the largest value of each row of a ragged table and its first index; -inf and -1 for an empty row."""
    filled = np.flatnonzero(np.diff(starts))
    best, at = np.full(len(starts) - 1, -np.inf), np.full(len(starts) - 1, -1, dtype=np.int64)
    if len(filled):
        best[filled] = np.maximum.reduceat(values, starts[:-1][filled])
        reached = np.flatnonzero(values == np.repeat(best, np.diff(starts)))
        rows = np.searchsorted(starts, reached, side="right") - 1
        firsts = np.unique(rows, return_index=True)[1]
        at[rows[firsts]] = reached[firsts]
    return best, at
