"""Most useful epsilon-DP channel without a search: a formula for the identity, a linear program for few words.

Both return base probabilities q and levels L like the search of ``numerics.optimal_channel``. Value and bound are
computed from them in the same way, so no guarantee rests on this module. Proof: ``textveil_lab/proofs/optimal.md``,
section 3.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, kron

from textveil.types import Ids, Reals

MOST_PAIRS: Final = 10_000
"""Largest number of distinct inputs times distinct outputs for which the program is solved, in seconds."""


class Exact(NamedTuple):
    """Best base probabilities, and the levels that prove them best.

    Attributes:
        base: q, shape (n,).
        levels: L, shape (n,).
    """

    base: Reals
    levels: Reals


def of_identity(gains: Reals, rest: Reals, prior: Reals, epsilon: float) -> Exact:
    """Return the solution for the utility rest(x), and gains(x) > 0 more if the output is x itself.

    The k most valuable words, by prior times gain, have base probability 1 / (e^epsilon + k - 1) each.

    Args:
        gains: shape (n,), > 0.
        rest: shape (n,).
        prior: > 0, shape (n,).
        epsilon: nats.
    """
    worth = prior * gains
    order = np.argsort(-worth, kind="stable")
    sums = np.cumsum(worth[order])
    least = math.exp(-epsilon)
    values = sums / (1 + np.arange(len(worth)) * least)
    many = int(np.argmax(values)) + 1
    base = np.zeros(len(worth))
    base[order[:many]] = least / (1 + (many - 1) * least)
    paid = np.maximum(0.0, (worth - values[many - 1] * least) / -math.expm1(-epsilon))
    return Exact(base, rest + paid / prior)


def of_program(utilities: Reals, prior: Reals, epsilon: float, caps: Reals | None = None) -> Exact | None:
    """Return the solution of the linear program; None if it is too large, or HiGHS finds none.

    Inputs with equal rows count as one, and so do outputs with equal columns and caps.

    Args:
        utilities: u, shape (n, n).
        prior: > 0, shape (n,).
        epsilon: nats.
        caps: upper bounds on q, shape (n,); None for none.
    """
    kinds, rows = _classes(utilities)
    marked = utilities.T if caps is None else np.column_stack([utilities.T, caps])
    outputs, columns = _classes(marked)
    m, k = len(kinds), len(outputs)
    if m * k > MOST_PAIRS:
        return None
    u = utilities[np.ix_(kinds, outputs)]
    pi = np.bincount(rows, weights=prior)
    sizes = np.bincount(columns)
    lift = math.expm1(epsilon)
    # P(y | x) = q(y) + lift r(x, y): columns are q and all r, of which none exceeds its q.
    raised = kron(csr_matrix(np.ones((m, 1))), identity(k))
    most = np.full(k, np.inf) if caps is None else caps[outputs] * sizes
    solution = linprog(
        -np.concatenate([pi @ u, (lift * pi[:, None] * u).ravel()]),
        A_ub=hstack([-raised, identity(m * k)], format="csr"),
        b_ub=np.zeros(m * k),
        A_eq=hstack([csr_matrix(np.ones((m, k))), lift * kron(identity(m), np.ones((1, k)))], format="csr"),
        b_eq=np.ones(m),
        bounds=[(0.0, bound) for bound in most.tolist()] + [(0.0, math.inf)] * (m * k),
        method="highs",
    )
    if solution.status != 0 or solution.x is None:
        return None
    base = np.maximum(solution.x[:k], 0.0)
    return Exact((base / sizes)[columns], (-solution.eqlin.marginals / pi)[rows])


def _classes(table: Reals) -> tuple[Ids, Ids]:
    _, firsts, kinds = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return firsts, kinds.reshape(-1)
