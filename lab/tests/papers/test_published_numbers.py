"""The numbers of the truncated Laplace paper: all there, as in the shared file, and addressed right."""

import json

import pytest
from tests.helpers.shared import shared_path

from textveil.errors import UnknownNameError
from textveil_lab.papers.truncated_laplace.facts import (
    BLOCKS,
    EPSILONS,
    METRICS,
    cells,
    clean_accuracy,
    corpus_sizes,
    epoch_seconds,
    published,
    value,
)


def test_the_packaged_numbers_are_the_shared_ones() -> None:
    shared = json.loads(shared_path("papers/truncated-laplace.json").read_text(encoding="utf-8"))
    assert dict(published()) == shared


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_has_three_blocks_of_twenty_five_cells(metric) -> None:
    found = cells(metric)
    assert len(found) == 75 == len(set(found))
    assert [one.block for one in found[::25]] == list(BLOCKS)
    assert sum(one.mechanism is None for one in found) == 3


def test_cells_stand_where_the_paper_prints_them() -> None:
    yelp = BLOCKS[0]
    assert value(yelp, "n_w", "truncated-laplace", 0.05) == 0.813
    assert value(yelp, "n_w") == 0.713
    assert value(BLOCKS[1], "bleu", "gaussian", 0.05) == 9.286
    assert value(yelp, "n_w", "truncated-laplace", 0.07) is None
    tables = [(one.table, one.epsilon) for one in cells("loss") if one.mechanism == "gaussian"]
    assert [table for table, _ in tables] == ["table-1"] * 8 + (["table-2"] * 4 + ["table-3"] * 4) * 2
    assert [epsilon for _, epsilon in tables] == list(EPSILONS) * 3


def test_the_other_tables() -> None:
    sizes = corpus_sizes()
    assert (sizes["yahoo"].train, sizes["yahoo"].test) == (17_212, 4_363)
    assert sizes["sst-2"].train + sizes["sst-2"].test == 68_221
    assert (sizes["ag-news"].train, sizes["ag-news"].test) == (20_000, 4_000)
    assert epoch_seconds("yelp")["truncated-laplace"][:2] == (46.0, 41.0)
    assert epoch_seconds("yelp")["non-private"] == (111.0,)
    assert clean_accuracy("sst-2", "random") == 0.5607


def test_an_unknown_metric_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="metric must be one of loss"):
        cells("perplexity")
