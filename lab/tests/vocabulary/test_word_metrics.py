"""Metrics of ranks and counts: definitions by brute force, axioms on every triple, planted violations."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.vocabulary.metrics.axioms import check_axioms, check_table
from textveil_lab.vocabulary.metrics.choose import level_counts, word_metric
from textveil_lab.vocabulary.metrics.metric import MetricFacts, WordMetric, distances, levels
from textveil_lab.vocabulary.metrics.neighbor_graph import NeighborGraph, WordLists, neighbor_graph, neighbor_lists
from textveil_lab.vocabulary.metrics.shared_neighbors import SharedNeighbors, shared_neighbors
from textveil_lab.vocabulary.metrics.ultrametric import FAR, Ultrametric, ultrametric

SIZE = 130
WORDS = made_vocabulary(SIZE)
EVERYONE = np.arange(SIZE)

MAKERS = {
    "shared 2": lambda: shared_neighbors(WORDS, 2),
    "shared 15": lambda: shared_neighbors(WORDS, 15),
    "shared, all": lambda: shared_neighbors(WORDS, SIZE),
    "graph, 2 hops": lambda: neighbor_graph(WORDS, 6, 2),
    "graph, 3 hops": lambda: neighbor_graph(WORDS, 4, 3),
    "graph, far": lambda: neighbor_graph(WORDS, 3, 20),
    "cells": lambda: ultrametric(WORDS, 9),
    "one cell": lambda: ultrametric(WORDS, SIZE),
    "nested cells": lambda: Ultrametric(
        cells=np.stack([EVERYONE // 5, EVERYONE // 20, EVERYONE // 60]), heights=(1, 2, 5, 9), description="made"
    ),
}


def _sets(k: int) -> list[set[int]]:
    return [set(row.tolist()) for row in integer_grid(WORDS).neighborhoods(EVERYONE, k)]


def _floyd(k: int, hops: int) -> np.ndarray:
    table = np.full((SIZE, SIZE), 10_000)
    for word, members in enumerate(_sets(k)):
        table[word, list(members)] = table[list(members), word] = 1
    np.fill_diagonal(table, 0)
    for middle in range(SIZE):
        table = np.minimum(table, table[:, middle, None] + table[middle])
    return np.minimum(table, hops)


@pytest.mark.parametrize("k", [2, 15, SIZE])
def test_shared_neighbors_are_counted(k: int) -> None:
    sets = _sets(k)
    expected = [[0 if x == y else max(1, k - len(sets[x] & sets[y])) for y in EVERYONE] for x in EVERYONE]
    np.testing.assert_array_equal(distances(shared_neighbors(WORDS, k), EVERYONE), expected)


@pytest.mark.parametrize(("k", "hops"), [(6, 2), (4, 3), (3, 20), (2, 7)])
def test_hops_are_those_of_floyd_and_warshall(k: int, hops: int) -> None:
    np.testing.assert_array_equal(distances(neighbor_graph(WORDS, k, hops), EVERYONE), _floyd(k, hops))


def test_cells_are_of_one_size_and_hold_near_words() -> None:
    metric = ultrametric(WORDS, 9)
    sizes = np.bincount(metric.cells[0])
    assert sizes.sum() == SIZE
    assert sizes.max() <= 9
    assert sizes.max() - sizes.min() <= 1
    table = distances(metric, EVERYONE)
    assert set(np.unique(table)) == {0, 1, FAR}
    cosines = integer_grid(WORDS).cosines(EVERYONE)
    np.fill_diagonal(cosines, np.nan)
    assert np.nanmean(cosines[table == 1]) > np.nanmean(cosines) + 0.3


@pytest.mark.parametrize("name", MAKERS)
def test_axioms_hold_on_every_triple_and_the_premises_of_the_proofs_too(name: str) -> None:
    metric = MAKERS[name]()
    assert isinstance(metric, WordMetric)
    full = check_axioms(metric)
    assert full.holds
    assert full.words == SIZE
    assert full.strong is isinstance(metric, Ultrametric)
    by_proof = check_axioms(metric, most=20)
    assert by_proof.holds
    assert by_proof.words == 20
    assert by_proof.proof == "textveil_lab/proofs/word_metrics.md"


@pytest.mark.parametrize("name", MAKERS)
def test_counts_are_those_of_the_lists_and_a_list_depends_on_its_word_alone(name: str) -> None:
    metric = MAKERS[name]()
    table = levels(metric, EVERYONE)
    by_row = np.stack([np.bincount(row, minlength=metric.facts.top + 1) for row in table])
    np.testing.assert_array_equal(level_counts(metric), by_row)
    for batch in ([5], [9, 5, 7], list(range(0, SIZE, 3))):
        np.testing.assert_array_equal(levels(metric, np.array(batch)), table[batch])
    copy = pickle.loads(pickle.dumps(metric))
    np.testing.assert_array_equal(levels(copy, EVERYONE), table)


def test_counts_by_bits_run_over_column_and_edge_blocks(monkeypatch) -> None:
    module = "textveil_lab.vocabulary.metrics.neighbor_graph"
    metric = neighbor_graph(WORDS, 4, 5)
    whole = metric.level_counts()
    monkeypatch.setattr(f"{module}._COLUMNS", 64)
    monkeypatch.setattr(f"{module}._GATHERED", 16)
    seen: list[tuple[int, int | None]] = []
    np.testing.assert_array_equal(metric.level_counts(lambda done, total: seen.append((done, total))), whole)
    assert seen == [(64, SIZE), (128, SIZE), (SIZE, SIZE)]
    monkeypatch.setattr(f"{module}.MOST_WORK", 10)
    with pytest.raises(ParameterError, match="hops must be 2 for a graph of"):
        metric.level_counts()


def test_words_without_neighbors_of_their_own_are_far_from_all() -> None:
    apart = np.kron(np.eye(2), np.ones((4, 4))).astype(np.float32) + np.eye(8, dtype=np.float32) / 8
    words = Vocabulary([f"w{i}" for i in range(8)], apart, "two parts")
    metric = neighbor_graph(words, 4, 6)
    table = distances(metric, np.arange(8))
    assert (table[:4, 4:] == 6).all()
    assert table[:4, :4].max() == 1
    assert check_axioms(metric).holds
    np.testing.assert_array_equal(level_counts(metric), [[1, 3, 0, 0, 0, 0, 4]] * 8)
    lonely = NeighborGraph(
        graph=WordLists(np.zeros(9, dtype=np.int64), np.array([], dtype=np.uint8)), neighbors=2, hops=4
    )
    np.testing.assert_array_equal(level_counts(lonely), [[1, 0, 0, 0, 7]] * 8)


def _spoiled(table: np.ndarray, *indices: tuple[int, int, int]) -> np.ndarray:
    out = table.copy()
    for row, column, value in indices:
        out[row, column] = value
    return out


LINE = np.abs(np.arange(9)[:, None] - np.arange(9))


@pytest.mark.parametrize(
    ("table", "failing"),
    [
        (LINE, ""),
        (_spoiled(LINE, (3, 5, 1)), "symmetry"),
        (_spoiled(LINE, (3, 5, 0), (5, 3, 0)), "identity"),
        (_spoiled(LINE, (4, 4, 1)), "identity"),
        (_spoiled(LINE, (3, 5, 3), (5, 3, 3)), "triangle"),
        (LINE**2, "triangle"),
    ],
)
def test_planted_violations_are_found(table: np.ndarray, failing: str) -> None:
    found = check_table(table)
    assert found.holds is (failing == "")
    assert (found.witness is None) is (failing == "")
    if failing:
        assert getattr(found, failing) is False
    if failing == "triangle":
        first, middle, last = found.witness
        assert table[first, last] > table[first, middle] + table[middle, last]


def test_a_line_is_no_ultrametric_and_large_distances_do_not_overflow() -> None:
    assert not check_table(LINE, strong=True).triangle
    assert check_table(LINE * 200).triangle
    assert check_table(LINE * 2**40).triangle
    assert not check_table(_spoiled(LINE * 200, (0, 8, 1601), (8, 0, 1601))).triangle


def test_what_a_proof_takes_for_granted_is_verified() -> None:
    shared = shared_neighbors(WORDS, 5)
    lists = shared.lists.copy()
    lists[7] = np.sort([*(set(range(6)) - {7}), 9][:5])  # a list without its own word
    assert not check_axioms(SharedNeighbors(lists, shared.holders), most=20).complete
    graph = neighbor_graph(WORDS, 4, 3)
    words = graph.graph.words.copy()
    words[0] = (set(range(1, SIZE)) - set(graph.graph.of(0).tolist())).pop()  # an edge of one direction
    assert not check_axioms(replace(graph, graph=WordLists(graph.graph.starts, words)), most=20).holds
    assert not check_axioms(graph, most=20, strong=True).complete


class _Asymmetric:
    """Ranks: the level of y from x is its place in x's own list."""

    @property
    def facts(self) -> MetricFacts:
        return MetricFacts(name="ranks", description="ranks", size=SIZE, distances=(0, 1, 2))

    def near(self, ids):
        return MAKERS["graph, 2 hops"]().near(ids)

    def level_counts(self, progress=None):
        raise NotImplementedError


def test_another_metric_has_no_proof_and_is_complete_on_all_triples_only() -> None:
    assert check_axioms(_Asymmetric()).holds
    assert not check_axioms(_Asymmetric(), most=20).complete


def test_cells_that_are_not_nested_are_refused() -> None:
    with pytest.raises(ParameterError, match="nested partitions"):
        Ultrametric(cells=np.array([[0, 0, 1], [0, 1, 1]]), heights=(1, 2, 3), description="crossing")
    with pytest.raises(ParameterError, match="heights must be 2 of them"):
        Ultrametric(cells=np.array([[0, 0, 1]]), heights=(1,), description="short")


def test_names_and_sizes_have_a_domain_and_metrics_are_remembered() -> None:
    assert word_metric(WORDS, "ultrametric", neighbors=9) is word_metric(WORDS, "ultrametric", neighbors=9)
    assert word_metric(WORDS, "shared-neighbors").facts.top == 128
    with pytest.raises(ParameterError, match="metric must be one of 'shared-neighbors'"):
        word_metric(WORDS, "jaccard")
    with pytest.raises(ParameterError, match="hops must be given for the neighbor-graph only"):
        word_metric(WORDS, "ultrametric", hops=3)
    for name in ("shared-neighbors", "neighbor-graph", "ultrametric"):
        for bad in (1, SIZE + 1):
            with pytest.raises(ParameterError, match=f"neighbors must be between 2 and the {SIZE} words"):
                word_metric(WORDS, name, neighbors=bad)
    with pytest.raises(ParameterError, match="hops must be >= 2"):
        word_metric(WORDS, "neighbor-graph", neighbors=4, hops=1)


def test_lists_report_progress_and_hold_their_own_word() -> None:
    seen: list[int] = []
    lists = neighbor_lists(WORDS, 4, lambda done, total: seen.append(done))
    assert seen == [128, SIZE]
    assert (lists == EVERYONE[:, None]).any(axis=1).all()
