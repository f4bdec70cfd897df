"""Every backend through the public conformance check; that the check can fail; what is particular to each."""

import builtins
import pickle
import sys
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

import textveil as tv
from textveil.errors import MissingExtra, ParameterError, UnknownNameError, UnsupportedGuarantee
from textveil.vocabulary.grid import exact_here, fast_here
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.nearest import choice, nearest, projection, torch_arrays
from textveil_lab.nearest.projection import Projection, exact_numpy
from textveil_lab.testing import check_projection

NEEDS = {
    "numpy": "numpy",
    "int8": "torch",
    "faiss": "faiss",
    "approximate-faiss": "faiss",
    "approximate-forest": "numpy",
}


def needed(name: str) -> None:
    pytest.importorskip(NEEDS[name], exc_type=ImportError)
    if name == "int8" and not exact_here():
        pytest.skip("8-bit products saturate on this processor")


def test_a_processor_whose_products_saturate_is_told_so(monkeypatch) -> None:
    pytest.importorskip("torch", exc_type=ImportError)
    monkeypatch.setattr(torch_arrays, "exact_here", lambda: False)
    with pytest.raises(ParameterError, match="this processor's saturate"):
        nearest(np.ones((3, 2), dtype=np.float32), "int8")


@pytest.mark.parametrize("name", [*NEEDS, None])
def test_every_backend_conforms(name: str | None) -> None:
    if name is not None:
        needed(name)
    check_projection(partial(nearest, backend=name))


def test_the_gpu_backend_conforms_on_the_processor() -> None:
    pytest.importorskip("torch", exc_type=ImportError)
    from textveil_lab.nearest.exact_torch import exact_torch

    check_projection(partial(exact_torch, device="cpu"))


def test_the_gpu_backend_keeps_its_answers_across_tiles(monkeypatch) -> None:
    pytest.importorskip("torch", exc_type=ImportError)
    from textveil_lab.nearest import exact_torch as module

    monkeypatch.setattr(module, "_TILE", 100)
    monkeypatch.setattr(module, "_BLOCK", 30)
    check_projection(partial(module.exact_torch, device="cpu"))


def test_a_gpu_that_is_not_there_is_one_line() -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    vectors = np.ones((3, 2), dtype=np.float32)
    if not torch.cuda.is_available():
        with pytest.raises(ParameterError, match="must have a GPU"):
            nearest(vectors, "gpu")
    from textveil_lab.nearest.exact_torch import exact_torch

    with pytest.raises(ParameterError, match="device must be one that torch can use; got 'nowhere'"):
        exact_torch(vectors, "nowhere")


@dataclass(frozen=True)
class Broken:
    """A backend with a fault, to see that the check finds it."""

    good: Projection
    fault: str
    exact: object = True

    def __call__(self, queries):
        if self.fault == "shape" and queries.ndim == 2 and queries.shape[1] != self.good.vectors.shape[1]:
            return np.zeros(len(queries), dtype=np.int64)
        if self.fault == "raises" and queries.ndim == 1:
            raise ValueError
        found = self.good(queries)
        if self.fault == "dtype":
            return found.astype(np.int32)
        if self.fault == "last" and len(found) == 513:
            found[-1] = 0
        if self.fault == "out" and len(found):
            found[0] = len(self.good.vectors)
        if self.fault == "writes" and len(found):
            queries += 1
        return found


@pytest.mark.parametrize("fault", ["shape", "dtype", "last", "out", "writes"])
def test_the_check_finds_faults(fault: str) -> None:
    with pytest.raises(AssertionError):
        check_projection(lambda vectors: Broken(exact_numpy(vectors), fault))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (42, "make must be a function from vectors to a backend; got int"),
        (None, "make must be a function from vectors to a backend; got NoneType"),
        (lambda vectors: 42, "make must return a backend, .* it returned int"),
        (lambda vectors: None, "make must return a backend, .* it returned NoneType"),
        (lambda vectors: lambda queries: exact_numpy(vectors)(queries), "must have a property `exact`.* has none"),
        (lambda vectors: Broken(exact_numpy(vectors), "none", exact="yes"), "must have a property `exact`.* has str"),
        (lambda vectors: Broken(exact_numpy(vectors), "raises"), r"must be refused .*; it raised ValueError"),
    ],
)
def test_what_is_no_backend_is_told_in_words(make, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_projection(make)


@pytest.mark.parametrize("name", [*NEEDS, None])
@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], "vectors must be a NumPy array of real numbers; got list"),
        (None, "vectors must be a NumPy array of real numbers; got NoneType"),
        (np.array([["a", "b"]]), "vectors must be a NumPy array of real numbers; got dtype <U1"),
        (np.ones((2, 2), dtype=complex), "got dtype complex128"),
        (np.ones(3, dtype=np.float32), r"vectors must be of shape \(n, dim\), n >= 1; got shape \(3,\)"),
        (np.array([[1, 2], [np.nan, 0]], dtype=np.float32), "vectors must be finite"),
        (np.array([[1, 2], [0, -np.inf]], dtype=np.float32), "vectors must be finite"),
        (np.array([[1, 2], [0, 1e39]]), "vectors must be finite"),
    ],
)
def test_tables_that_cannot_be_searched_are_one_line(name: str | None, vectors, message: str) -> None:
    if name is not None:
        needed(name)
    with pytest.raises(ParameterError, match=message):
        nearest(vectors, name)


@pytest.mark.parametrize("index", [0, 99, 100, 4098, 4099])
def test_every_row_of_a_large_table_is_looked_at(monkeypatch, index: int) -> None:
    monkeypatch.setattr(projection, "_BLOCK", 300)
    vectors = np.ones((4100, 3), dtype=np.float32)
    projection.checked_table(vectors)
    vectors[index, 2] = np.nan
    with pytest.raises(ParameterError, match="finite"):
        projection.checked_table(vectors)


def test_queries_that_are_no_array_are_one_line() -> None:
    with pytest.raises(ParameterError, match="queries must be a NumPy array of real numbers; got list"):
        nearest(np.ones((3, 2), dtype=np.float32))([[1.0, 2.0]])


@pytest.mark.parametrize("mutant", ["norms", "later"])
def test_the_check_finds_wrong_searches(mutant: str) -> None:
    def make(vectors):
        good = exact_numpy(vectors)
        if mutant == "norms":
            return replace(good, half_squares=good.half_squares * np.float32(1.01))
        order = np.arange(len(vectors))[::-1]
        turned = exact_numpy(vectors[order])
        return Turned(turned, order)

    with pytest.raises(AssertionError, match=r"the row must be the nearest|of identical rows"):
        check_projection(make)


@dataclass(frozen=True)
class Turned:
    """Breaks ties the wrong way."""

    good: Projection
    order: np.ndarray
    exact: bool = True

    def __call__(self, queries):
        return self.order[self.good(queries)].astype(np.int64)


def test_an_approximate_answer_may_differ_and_must_be_an_id() -> None:
    check_projection(lambda vectors: Broken(replace_first(vectors), "none", exact=False))
    with pytest.raises(AssertionError, match="ids must be in"):
        check_projection(lambda vectors: Broken(exact_numpy(vectors), "out", exact=False))


def replace_first(vectors):
    good = exact_numpy(vectors)
    return replace(good, half_squares=good.half_squares[::-1].copy())


@pytest.mark.parametrize("budget", [0, 2000 * 44])
def test_rows_beyond_the_budget_are_made_again(monkeypatch, budget: int) -> None:
    needed("int8")
    from textveil_lab.nearest import exact_int8 as module

    monkeypatch.setattr(module, "_KEPT_BYTES", budget)
    check_projection(module.exact_int8)


def test_every_row_that_may_win_is_scored(rng, monkeypatch) -> None:
    """A bound that is a tenth too small loses the nearest row where rows are crowded: the mutant of the proof."""
    needed("int8")
    from textveil_lab.nearest import exact_int8 as module

    # Rows that 8 bits cannot tell apart, and queries that can.
    vectors = (rng.normal(size=(1, 64)) * 3 + rng.normal(size=(3000, 64)) * 0.02).astype(np.float32)
    vectors[0] = 40 * rng.normal(size=64)
    queries = (vectors[rng.integers(1, 3000, 400)] + rng.normal(size=(400, 64)) * 0.02).astype(np.float32)
    good = module.exact_int8(vectors)
    reference = exact_numpy(vectors)(queries)
    np.testing.assert_array_equal(good(queries), reference)
    careless = tuple(replace(tile, residual=0.0, norm=0.0, reach=0.0) for tile in good._tiles)
    assert not np.array_equal(replace(good, _tiles=careless)(queries), reference)


@pytest.mark.slow
def test_int8_equals_numpy_on_real_words(embedded, rng) -> None:
    needed("int8")
    vectors = embedded.vectors
    backend = nearest(vectors, "int8")
    reference = exact_numpy(vectors)
    count = 1500 if fast_here() else 300  # 8-bit products take seconds where they are slow
    for noise in (0.0, 0.3, 2.0, 30.0):
        ids = rng.integers(0, len(vectors), count)
        queries = (vectors[ids] + noise * rng.normal(size=(count, vectors.shape[1]))).astype(np.float32)
        found, wanted = backend(queries), reference(queries)
        gaps = [np.linalg.norm(vectors[one].astype(float) - queries, axis=1) for one in (found, wanted)]
        np.testing.assert_allclose(*gaps, rtol=1e-6)
        assert np.mean(found == wanted) > 0.999


def test_queries_far_from_a_small_table(rng) -> None:
    needed("int8")
    for words in (1, 2, 5, 31):
        table = (rng.normal(size=(words, 8)) * 0.1).astype(np.float32)
        table[:, 0] = 1.0
        queries = (rng.normal(size=(20, 8))).astype(np.float32)
        queries[:, 0] = -1000.0
        np.testing.assert_array_equal(nearest(table, "int8")(queries), exact_numpy(table)(queries))


def test_queries_that_are_not_finite_get_some_word() -> None:
    needed("int8")
    queries = np.array([[np.nan, 0], [np.inf, 1], [1, 1]], dtype=np.float32)
    found = nearest(np.eye(2, dtype=np.float32), "int8")(queries)
    assert found.shape == (3,) and set(found.tolist()) <= {0, 1}


@pytest.mark.parametrize("name", [*NEEDS, None])
def test_a_pickled_backend_answers_alike(name: str | None, rng) -> None:
    if name is not None:
        needed(name)
    vectors = rng.normal(size=(300, 8)).astype(np.float32)
    backend = nearest(vectors, name)
    queries = rng.normal(size=(50, 8)).astype(np.float32)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(backend))(queries), backend(queries))


def test_the_default_goes_over_to_int8_when_there_is_enough_to_do(rng, monkeypatch) -> None:
    needed("int8")
    vectors = rng.normal(size=(5500, 100)).astype(np.float32)
    queries = rng.normal(size=(100, 100)).astype(np.float32)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    backend = choice.fastest_exact(vectors)
    before = backend(queries)
    assert backend._large is None
    monkeypatch.undo()
    monkeypatch.setattr(choice, "_WORTH_IMPORTING", 0.0)
    monkeypatch.setattr(choice, "fast_here", lambda: True)
    np.testing.assert_array_equal(backend(queries), before)
    assert type(backend._large).__name__ == "ExactInt8"


def test_the_default_stays_with_numpy_where_8_bit_products_are_slower(rng, monkeypatch) -> None:
    monkeypatch.setattr(choice, "_WORTH_IMPORTING", 0.0)
    monkeypatch.setattr(choice, "fast_here", lambda: False)
    backend = choice.fastest_exact(rng.normal(size=(5500, 100)).astype(np.float32))
    backend(rng.normal(size=(100, 100)).astype(np.float32))
    assert backend._large is None and backend._settled


def test_the_default_stays_with_numpy_where_there_is_little_to_do(rng, monkeypatch) -> None:
    """torch takes longer for small tables and few queries, and many times as long where its threads are disturbed."""
    needed("int8")
    monkeypatch.setattr(choice, "_WORTH_IMPORTING", 0.0)
    monkeypatch.setattr(choice, "fast_here", lambda: True)
    small = choice.fastest_exact(rng.normal(size=(200, 8)).astype(np.float32))
    small(rng.normal(size=(5000, 8)).astype(np.float32))
    large = choice.fastest_exact(rng.normal(size=(5500, 100)).astype(np.float32))
    large(rng.normal(size=(2, 100)).astype(np.float32))
    assert small._large is None and large._large is None


def test_the_default_stays_with_numpy_where_nothing_else_is(rng, monkeypatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    monkeypatch.setattr(choice, "_WORTH_IMPORTING", 0.0)
    backend = choice.fastest_exact(rng.normal(size=(5500, 100)).astype(np.float32))
    assert backend(np.zeros((80, 100), dtype=np.float32)).shape == (80,)
    assert backend._large is None and backend._settled


@pytest.mark.parametrize(("name", "package"), [("int8", "torch"), ("faiss", "faiss"), ("approximate-faiss", "faiss")])
def test_a_missing_package_is_one_line_that_says_how_to_get_it(name: str, package: str, monkeypatch) -> None:
    torch_arrays.load_torch.cache_clear()
    real = builtins.__import__

    def hidden(module: str, *rest, **options):
        if module.split(".")[0] == package:
            raise ImportError(module)
        return real(module, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", hidden)
    with pytest.raises(MissingExtra, match=rf"`{package}` is not installed. Run: pip install 'textveil\["):
        nearest(np.ones((3, 2), dtype=np.float32), name)


def test_an_unknown_backend_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="projection must be one of fastest, numpy, int8"):
        nearest(np.ones((3, 2), dtype=np.float32), "annoy")


@pytest.mark.parametrize("name", ["gaussian", "spherical-laplace", "laplace", "truncated-laplace"])
def test_mechanisms_take_a_backend_and_say_so(tiny, name: str) -> None:
    mechanism = tv.mechanism(name, tiny, epsilon=5.0, projection="numpy")
    assert mechanism.parameters["projection"] == "numpy"
    assert "projection" not in tv.mechanism(name, tiny, epsilon=5.0).parameters


def test_audits_refuse_an_approximate_search(tiny) -> None:
    needed("approximate-faiss")
    mechanism = tv.mechanism("gaussian", tiny, epsilon=5.0, projection="approximate-faiss")
    with pytest.raises(UnsupportedGuarantee, match="exact search"):
        audit_mechanism(mechanism)
