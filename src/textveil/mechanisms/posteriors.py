"""P(x | y) of the columns of a channel under a public prior, and the mean vectors that follow: free post-processing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.sampling.output_columns import Columns
from textveil.types import Ids, Integers, Reals, Vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Posteriors(NamedTuple):
    """P(x | y) for several outputs y: listed inputs, and a share of the prior for all.

    Attributes:
        starts: where each output's listed inputs begin and the last one's end, shape (outputs + 1,).
        inputs: ids x that the output speaks for.
        above: P(x | y) - ``rest`` of y * prior(x), > 0, shape as ``inputs``.
        rest: P(x | y) = rest * prior(x) for every other input, shape (outputs,).
    """

    starts: Integers
    inputs: Ids
    above: Reals
    rest: Reals


def posteriors(columns: Columns, prior: Reals) -> Posteriors:
    """P(x | y) of every column: that of an output, or that of a place of a released document.

    Args:
        columns: of a channel.
        prior: of inputs, with sum 1, shape (n,).
    """
    joint = prior[columns.inputs] * np.expm1(columns.log_ratios)
    total = 1 + row_sums(joint, columns.starts)
    return Posteriors(columns.starts, columns.inputs, joint / np.repeat(total, np.diff(columns.starts)), 1 / total)


def posterior_means(posterior: Posteriors, prior: Reals, rows: Vectors) -> Vectors:
    """Sum over x of P(x | y) v(x) for every column, float32, shape (columns, dim).

    Args:
        posterior: P(x | y).
        prior: it was made with.
        rows: v, float32, shape (n, dim).
    """
    shape = (len(posterior.rest), len(prior))
    listed = sparse_rows((posterior.above.astype(np.float32), posterior.inputs, posterior.starts), shape)
    mean = (prior @ rows).astype(np.float32)
    return listed @ rows + posterior.rest[:, None].astype(np.float32) * mean


def checked_prior(prior: NDArray[np.generic], size: int) -> Reals:
    """A prior as float64 with sum 1.

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
    """The sum of each row of a ragged table; 0 where a row is empty."""
    filled = np.flatnonzero(np.diff(starts))
    sums = np.zeros(len(starts) - 1)
    if len(filled):
        sums[filled] = np.add.reduceat(values, starts[:-1][filled])
    return sums


def sparse_rows(entries: tuple[Reals, Ids, Integers], shape: tuple[int, int]) -> csr_array:
    """Entries by row, with their columns and where each row starts."""
    from scipy.sparse import csr_array  # a fifth of a second, which releases do not need

    return csr_array(entries, shape=shape)
