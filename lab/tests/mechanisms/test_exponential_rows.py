"""The exponential mechanism's rows: against the reference, and kept by several threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.helpers.exactness import hockey_stick, table, worst_log_ratio
from tests.helpers.golden import reference
from tests.helpers.vocabularies import made_vocabulary

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.exponential import exponential
from textveil_lab.mechanisms.sampling.distance_weights import SPAN


@pytest.mark.parametrize("epsilon", ["0.5", "2.0"])
def test_the_reference_is_met(epsilon: str) -> None:
    tiny = reference("tiny")
    points = np.array(tiny["points"], dtype=np.float32)
    plane = Vocabulary([f"p{i}" for i in range(len(points))], points, "plane")
    expected = tiny["channels"][f"exponential@{epsilon}"]
    rows = table(exponential(plane, epsilon_per_distance=float(epsilon), clip=None))
    np.testing.assert_allclose(rows, expected["rows"], rtol=1e-9)
    assert worst_log_ratio(rows) == pytest.approx(expected["worst_log_ratio"], rel=1e-9)
    stick = hockey_stick(rows, expected["worst_log_ratio"] / 2)
    assert stick == pytest.approx(expected["hockey_stick_at_half"], rel=1e-9)


def test_threads_share_rows_and_every_kept_row_is_right() -> None:
    """Without its lock the cache gives one word's row to another."""
    made = exponential(made_vocabulary(1500, dim=40, seed=11), epsilon=3.0)
    seeds = np.random.default_rng(2).integers(0, 1500, size=(24, 150))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(made.privatize, seeds))
    rows, cache = made._rows, made._rows._rows
    seen = cache.kept
    assert len(seen) > 300
    with cache.rows(seen, rows._make) as slots:
        kept = cache.table[slots]
    ends = np.minimum(np.arange(SPAN, 1500 + SPAN, SPAN), 1500) - 1
    np.testing.assert_array_equal(kept[:300], np.cumsum(rows.weights(seen[:300]), axis=1)[:, ends])
