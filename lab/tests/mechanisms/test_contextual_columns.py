"""Columns of contextual neighborhoods: those of the rows, the same bits alone and beside others and on every kernel."""

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.helpers.processor import needs_kernel
from tests.mechanisms.test_contextual_neighborhood import SIZE, documents, lent, made, rows

from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood
from textveil_lab.mechanisms.capabilities import SequenceColumns, SequenceWeights
from textveil_lab.mechanisms.product_columns import ContextualColumns, log_chances, sequence_columns


def test_the_protocols_tell_what_it_is() -> None:
    mechanism = made()
    assert isinstance(mechanism, SequenceWeights) and isinstance(sequence_columns(mechanism), SequenceColumns)


def read(mechanism: ContextualNeighborhood, texts: list[np.ndarray]) -> list[tuple[bytes, ...]]:
    """What the weights at every place of these releases say of the outputs there, to the last bit, by document."""
    bounds = np.concatenate([[0], np.cumsum([len(one) for one in texts])])
    found = ContextualColumns(mechanism).columns_of_documents(np.concatenate(texts), bounds)
    cut = [slice(found.starts[first], found.starts[last]) for first, last in itertools.pairwise(bounds)]
    least = [found.log_least[first:last] for first, last in itertools.pairwise(bounds)]
    return [
        (one.tobytes(), found.inputs[part].tobytes(), found.log_ratios[part].tobytes())
        for one, part in zip(least, cut, strict=True)
    ]


def test_weights_of_a_document_are_the_same_bits_alone_and_beside_others() -> None:
    mechanism = made(6.0, size=300)
    texts = documents(300, 90, 60)
    beside = read(mechanism, texts)
    assert read(mechanism, texts[::-1])[::-1] == beside
    for at in (0, 7, 41, 89):
        assert read(mechanism, [texts[at]]) == [beside[at]]


def test_weights_of_a_place_do_not_depend_on_what_comes_after() -> None:
    mechanism = made(6.0, size=300)
    text = np.arange(40) * 7 % 300
    whole = ContextualColumns(mechanism).columns_of_documents(text, np.array([0, 40]))
    for length in (1, 13):
        part = ContextualColumns(mechanism).columns_of_documents(text[:length], np.array([0, length]))
        assert part.log_least.tobytes() == whole.log_least[:length].tobytes()
        assert part.log_ratios.tobytes() == whole.log_ratios[: part.starts[-1]].tobytes()


PRINTED = """
import hashlib
from lab.tests.mechanisms.test_contextual_columns import documents, made, read
print(hashlib.sha256(repr(read(made(6.0, size=300), documents(300, 30, 40))).encode()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["Haswell", "SkylakeX"])
def test_weights_are_the_same_bits_on_other_kernels(kernel: str) -> None:
    needs_kernel(kernel)
    digests = set()
    for forced in ("Prescott", kernel):
        environment = {**os.environ, "OPENBLAS_CORETYPE": forced, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, "-c", PRINTED], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_chances_are_those_of_what_is_lent_and_look_at_earlier_outputs_alone() -> None:
    mechanism = made(2.0, context_weight=0.05)  # so little that no word reaches what a row can raise
    outputs, bounds = np.array([1, 4, 0, 2]), np.array([0, 3, 4])
    found = np.stack([log_chances(mechanism, np.full(4, word), outputs, bounds) for word in range(SIZE)])
    assert np.exp(found).sum(axis=0) == pytest.approx(1.0, abs=2e-3)
    for place, past in enumerate([(), (1,), (1, 4), ()]):
        slots = lent(mechanism, past)
        some = slots > 0
        assert slots[some] == pytest.approx(np.exp(found[some, place]) * mechanism.weights.growth, abs=1)


def test_columns_are_those_of_the_rows() -> None:
    mechanism = made(2.0)
    text = np.array([1, 4, 4, 0])
    found = ContextualColumns(mechanism).columns_of_documents(text, np.array([0, 4]))
    for place, output in enumerate(text.tolist()):
        column = rows(mechanism, tuple(text[:place].tolist()))[:, output].astype(float)
        total = float(rows(mechanism, tuple(text[:place].tolist()))[0].sum())
        part = slice(found.starts[place], found.starts[place + 1])
        assert found.log_least[place] == pytest.approx(math.log(column.min() / total), rel=1e-12)
        assert found.inputs[part].tolist() == np.flatnonzero(column > column.min()).tolist()
        ratios = np.log(column[found.inputs[part]] / column.min())
        assert found.log_ratios[part] == pytest.approx(ratios, rel=1e-9)
