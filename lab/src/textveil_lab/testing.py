"""Checks that third parties run on their own nearest-word backends and language models.

from textveil_lab.testing import check_language_model, check_projection
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ParameterError
from textveil.models.language_model import ContinuationModel, LanguageModel
from textveil.types import Ids, Reals, Vectors
from textveil_lab.nearest.projection import Projection, exact_numpy

_SEED = 20_260
_BATCHES = (0, 1, 7, 64, 513)


def check_projection(
    make: Callable[[Vectors], Projection], vectors: Vectors | None = None, *, seed: int = _SEED
) -> None:
    """Compare a nearest-word backend with brute force in float64, and with NumPy's.

    The queries are points near rows, far from all rows, the rows themselves and the origin, in batches of several
    sizes. The tables are the given vectors, few and many made ones, identical rows, rows of very different lengths, and
    small integers, which have true ties. An exact backend must return a row of smallest distance, up to the rounding of
    a float32 inner product, and the first of identical rows. An approximate one must return ids of the right shape.
    Both must refuse queries of another dimension.

    Args:
        make: function that makes the backend from vectors, float32, shape (n, dim).
        vectors: a table to check as well; None: made ones only.
        seed: of the made vectors and of the queries.

    Raises:
        AssertionError: the backend fails; the message names the case.
    """
    rng = np.random.default_rng(seed)
    tables = _tables(rng)
    if vectors is not None:
        tables["the given vectors"] = vectors
    assert callable(make), f"make must be a function from vectors to a backend; got {type(make).__name__}"
    for name, table in tables.items():
        backend = make(table)
        _check_kind(backend)
        for batch in _BATCHES:
            _check_batch(backend, name, table, _queries(table, batch, rng))
        _check_refusal(backend, table.shape[1])


def _check_kind(backend: object) -> None:
    """Check that a backend can be called and says whether it is exact; a plain function does not."""
    kind = type(backend).__name__
    assert callable(backend), f"make must return a backend, which can be called on queries; it returned {kind}"
    exact = getattr(backend, "exact", None)
    assert isinstance(exact, bool | np.bool_), (
        f"a backend must have a property `exact`, True or False; the {kind} that make returned has "
        f"{'none' if exact is None else type(exact).__name__}. See textveil_lab.nearest.projection.Projection."
    )


def _tables(rng: np.random.Generator) -> dict[str, Vectors]:
    plain = rng.normal(size=(3000, 40)).astype(np.float32)
    return {
        "one row": plain[:1],
        "two rows": plain[:2],
        "few rows": plain[:33],
        "many rows": plain,
        "rows far from the origin": plain[:1500] + 40,
        "rows of very different lengths": plain[:2000] * np.geomspace(1e-3, 1e3, 2000, dtype=np.float32)[:, None],
        "one dimension": plain[:1200, :1],
        "identical rows": np.repeat(plain[:400], 5, axis=0)[rng.permutation(2000)],
        "small integers": rng.integers(-2, 3, size=(1500, 6)).astype(np.float32),
        "all rows zero": np.zeros((40, 8), dtype=np.float32),
    }


def _queries(table: Vectors, batch: int, rng: np.random.Generator) -> Vectors:
    near = table[rng.integers(0, len(table), batch)]
    noise = rng.normal(size=near.shape) * table.std() * np.resize([0.0, 0.1, 1.0, 20.0], batch)[:, None]
    points = (near + noise).astype(np.float32)
    if np.array_equal(table, np.rint(table)):
        points = np.rint(points)
    points[:1] = 0
    return points


def _check_batch(backend: Projection, name: str, table: Vectors, queries: Vectors) -> None:
    what = f"{name}, batch {len(queries)}"
    kept = queries.copy()
    ids: Ids = backend(queries)
    assert isinstance(ids, np.ndarray) and ids.dtype == np.int64, f"{what}: ids must be an int64 array"
    assert ids.shape == (len(queries),), f"{what}: ids must have shape ({len(queries)},); got {ids.shape}"
    assert np.array_equal(queries, kept), f"{what}: queries must not be written to"
    if not len(queries):
        return
    assert int(ids.min()) >= 0 and int(ids.max()) < len(table), f"{what}: ids must be in [0, {len(table)})"
    if not backend.exact:
        return
    excess, allowed = _excess(table, queries, ids)
    worst = int(np.argmax(excess - allowed))
    assert excess[worst] <= allowed[worst], (
        f"{what}: the row must be the nearest; query {worst} got one whose score is {excess[worst]:.3g} below "
        f"the best, and {allowed[worst]:.3g} is rounding"
    )
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(first[which.reshape(-1)[ids]], ids), f"{what}: of identical rows the first must be returned"
    reference = exact_numpy(table)(queries)
    differ = ids != reference
    close, rounding = _excess(table, queries, reference)
    assert np.all((excess - close)[differ] <= rounding[differ]), f"{what}: differs from NumPy's beyond rounding"


def _excess(table: Vectors, queries: Vectors, ids: Ids) -> tuple[Reals, NDArray[np.float64]]:
    rows, points = table.astype(np.float64), queries.astype(np.float64)
    halves = (rows**2).sum(axis=1) / 2
    scores = points @ rows.T - halves
    excess = scores.max(axis=1) - scores[np.arange(len(points)), ids]
    longest = np.sqrt(2 * halves.max())
    allowed = 4 * (table.shape[1] + 8) * 2.0**-24 * longest * (np.linalg.norm(points, axis=1) + longest)
    return excess, allowed


def _check_refusal(backend: Projection, dim: int) -> None:
    for shape in ((3, dim + 1), (dim,)):
        try:
            backend(np.zeros(shape, dtype=np.float32))
        except ParameterError:
            continue
        except Exception as error:
            instead = f"it raised {type(error).__name__}"
        else:
            instead = "it answered"
        raise AssertionError(
            f"queries of shape {shape} must be refused with a ParameterError where dim is {dim}; {instead}"
        )


def check_language_model(
    model: LanguageModel, *, contexts: int = 7, tolerance: float = 0.01, seed: int = _SEED
) -> None:
    """Check a language model against its protocol: probabilities of words that do not depend on the request.

    The requests are every word after made-up contexts, and after boundaries alone. The probabilities must sum to 1, and
    must not depend on other requests; invalid ids, and contexts of another length, must be refused. A model that lists
    continuations must give the same probabilities by them.

    Args:
        model: over a vocabulary of any size.
        contexts: number of made-up contexts.
        tolerance: largest distance of a sum from 1.
        seed: of the contexts.

    Raises:
        AssertionError: the model fails; the message names the case.
    """
    assert isinstance(model, LanguageModel), f"{type(model).__name__} must have name, digest, size, order and be asked"
    n, length = model.size, model.order - 1
    rng = np.random.default_rng(seed)
    asked = np.vstack([np.full((1, length), n), rng.integers(0, n + 2, (contexts, length))])
    every = np.broadcast_to(np.arange(n), (len(asked), n))
    logs = model.log_probabilities(asked, every)
    assert logs.dtype == np.float32, f"log probabilities must be float32; got {logs.dtype}"
    assert logs.shape == every.shape, f"log probabilities must have shape {every.shape}; got {logs.shape}"
    assert not np.isnan(logs).any() and logs.max() < tolerance, "log probabilities must be below 0, and not NaN"
    off = np.abs(np.exp(logs.astype(np.float64)).sum(axis=1) - 1).max()
    assert off < tolerance, f"probabilities after a context must sum to 1; one sum is off by {off:.3g}"
    order = rng.permutation(n)[: max(2, n // 3)]
    for row in range(len(asked)):
        alone = model.log_probabilities(asked[row : row + 1], order[None])
        same = np.allclose(alone[0], logs[row, order], rtol=0, atol=1e-3)
        assert same, f"what is said of a word must not depend on what else is asked for; context {row} differs"
    nothing = model.log_probabilities(asked[:0], every[:0])
    assert nothing.shape == (0, n), f"no contexts must give shape {(0, n)}; got {nothing.shape}"
    _refuses(lambda: model.log_probabilities(asked, every + 1), f"the word id {n}")
    _refuses(lambda: model.log_probabilities(asked, every[:-1]), "fewer rows of words than contexts")
    if length:
        _refuses(lambda: model.log_probabilities(asked + 2, every), f"the context id {n + 2}")
    if isinstance(model, ContinuationModel):
        _check_continuations(model, asked, logs)


def _refuses(call: Callable[[], object], what: str) -> None:
    try:
        call()
    except ParameterError:
        return
    raise AssertionError(f"the model must refuse {what} with a ParameterError; it did not")


def _check_continuations(model: ContinuationModel, asked: Ids, logs: Vectors) -> None:
    starts, words, probabilities, rest = model.continuations(asked)
    for row in range(len(asked)):
        here = slice(starts[row], starts[row + 1])
        assert len(np.unique(words[here])) == len(words[here]), f"a word is listed twice after context {row}"
        law = rest[row] * np.exp(model.unigram.astype(np.float64))
        law[words[here]] = probabilities[here]
        same = np.allclose(law, np.exp(logs[row].astype(np.float64)), rtol=1e-3, atol=1e-9)
        assert same, f"continuations must say what log_probabilities say; context {row} differs"
