"""8-bit products by torch are the integers that NumPy gives, and are used only where they pay."""

import subprocess
import sys
import time

import numpy as np
import pytest

from textveil.vocabulary import grid as integer_products
from textveil.vocabulary.grid import WORTH, Int8Table, exact_here, fast_here, integer_grid, torch_pays
from textveil.vocabulary.vocabulary import Vocabulary

pytest.importorskip("torch")


def _vocabulary() -> Vocabulary:
    rng = np.random.default_rng(1)
    values = rng.integers(-127, 128, size=(900, 300)).astype(np.int8)
    values[:2] = [[127], [-127]]
    words = [f"w{index}" for index in range(len(values))]
    return Vocabulary(words, grid=(values, rng.uniform(0.01, 0.1, len(values)).astype(np.float32)))


def test_products_are_exact_and_rows_the_same_bit_for_bit(monkeypatch) -> None:
    if not exact_here():
        pytest.skip("8-bit products saturate on this processor")
    vocabulary = _vocabulary()
    grid = integer_grid(vocabulary)
    ids = np.array([0, 1, 899, 5, 5, *range(100, 200)])

    def everything() -> list[np.ndarray]:
        return [grid.inner_products(ids), grid.cosines(ids), grid.neighborhoods(ids, 7)]

    monkeypatch.setattr(integer_products, "torch_pays", lambda rows, cells: False)
    plain = everything()
    monkeypatch.setattr(integer_products, "torch_pays", lambda rows, cells: True)
    fast = everything()
    assert fast[0].dtype == np.int32
    assert plain[0].dtype == np.float32
    for one, other in zip(plain, fast, strict=True):
        np.testing.assert_array_equal(one, other)
    values = vocabulary.grid.values.astype(np.int64)
    np.testing.assert_array_equal(fast[0], values[ids] @ values.T)
    assert Int8Table(vocabulary.grid.values)(vocabulary.grid.values[:0].copy()).shape == (0, 900)


def test_float_vectors_have_no_integers_on_eight_bits(tiny: Vocabulary) -> None:
    assert integer_grid(tiny).small is None
    assert integer_grid(tiny) is integer_grid(tiny)


def test_a_processor_that_saturates_is_not_believed(monkeypatch) -> None:
    import torch

    def saturating(one, other):
        return (one.to(torch.int32) @ other.to(torch.int32)).clamp(-(2**15), 2**15 - 1)

    monkeypatch.setattr(torch, "_int_mm", saturating)
    assert not exact_here.__wrapped__()
    monkeypatch.delattr(torch, "_int_mm")
    assert not exact_here.__wrapped__()


def test_8_bit_products_that_are_slower_than_float32_are_not_used(monkeypatch) -> None:
    import torch

    def slow(one, other):
        time.sleep(0.2)
        return one.to(torch.int32) @ other.to(torch.int32)

    monkeypatch.setattr(torch, "_int_mm", slow)
    monkeypatch.setattr(integer_products, "may_multiply_bytes", lambda: True)
    assert exact_here.__wrapped__()
    assert not fast_here.__wrapped__()


def test_8_bit_products_that_saturate_are_not_timed(monkeypatch) -> None:
    monkeypatch.setattr(integer_products, "exact_here", lambda: False)
    monkeypatch.setattr(integer_products, "_seconds", lambda product: 0.0)
    assert not fast_here.__wrapped__()


@pytest.mark.parametrize("able", [True, False])
def test_faster_exact_8_bit_products_are_used_where_the_processor_has_some(monkeypatch, able: bool) -> None:
    seconds = iter([1.0, 2.0])
    monkeypatch.setattr(integer_products, "may_multiply_bytes", lambda: able)
    monkeypatch.setattr(integer_products, "exact_here", lambda: True)
    monkeypatch.setattr(integer_products, "_seconds", lambda product: next(seconds))
    assert fast_here.__wrapped__() == able


def test_torch_is_imported_for_many_rows_only() -> None:
    """In a fresh process a few rows never import it."""
    cells = integer_products._CELLS
    assert torch_pays(1, cells) == fast_here()  # here it is imported already
    code = (
        "import sys; from textveil.vocabulary.grid import WORTH, _CELLS, torch_pays;"
        "assert not torch_pays(WORTH - 1, _CELLS); assert 'torch' not in sys.modules;"
        "assert not torch_pays(10 * WORTH, _CELLS // 100)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert WORTH > 4096
