"""Tables of pairs and triples against dictionaries; what every language model checks first."""

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.models.language_model import boundary_id, check_contexts, check_words, other_id
from textveil.models.ngram import CELLS
from textveil_lab.models import key_table_build as key_tables
from textveil_lab.models.key_table_build import pair_table, triple_table


def pairs(size: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct pairs, contexts ascending; the first context holds every word, others few or none."""
    rng = np.random.default_rng(seed)
    keys = np.unique(np.concatenate([np.arange(size), rng.integers(size, size * count, 3 * size)]))
    return keys // size, keys % size, rng.integers(1, 256, len(keys)).astype(np.uint8)


@pytest.mark.parametrize(("size", "count"), [(2, 3), (57, 40), (997, 300), (70_000, 5)])
def test_every_pair_is_found_and_no_other(size: int, count: int) -> None:
    contexts, words, codes = pairs(size, count, seed=size)
    table, cells = pair_table(size, contexts, words, codes, count)
    assert table.words.dtype == (np.uint16 if size < 65_535 else np.uint32)
    np.testing.assert_array_equal(table.words.reshape(-1)[cells], words)
    assert len(table.codes) * 0.5 < len(words) + CELLS * count
    some = np.random.default_rng(1).integers(0, size, (count, 50))
    known = {(c, w): k for c, w, k in zip(contexts.tolist(), words.tolist(), codes.tolist(), strict=True)}
    hits = table.find(np.arange(count), some)
    found = np.zeros(some.size, np.int64)
    found[hits.found] = table.codes[hits.cells]
    expected = [known.get((row, word), 0) for row, line in enumerate(some.tolist()) for word in line]
    assert found.tolist() == expected
    assert len(set(hits.found.tolist())) == len(hits.found)


def test_the_pairs_of_a_context_are_listed_once_each() -> None:
    contexts, words, codes = pairs(57, 40, seed=3)
    table, _ = pair_table(57, contexts, words, codes, 40)
    asked = np.array([7, 0, 39, 7])
    cells, starts = table.listed(asked)
    for row, context in enumerate(asked.tolist()):
        listed = table.words.reshape(-1)[cells[starts[row] : starts[row + 1]]]
        assert sorted(listed.tolist()) == words[contexts == context].tolist()
    cells, starts = table.listed(np.zeros(0, np.int64))
    assert len(cells) == 0
    assert starts.tolist() == [0]


@pytest.mark.parametrize(("size", "count", "many"), [(3, 2, 6), (50, 64, 900), (32_698, 1_700_000, 20_000), (7, 9, 0)])
def test_every_triple_is_found_and_no_other(size: int, count: int, many: int) -> None:
    rng = np.random.default_rng(size)
    keys = np.unique(rng.integers(0, size * count, many)) if many > 6 else np.arange(many)
    codes = rng.integers(1, 256, len(keys)).astype(np.uint8)
    table = triple_table(size, keys // size, keys % size, codes, count)
    assert (1 << table.bits) / len(table.cells) <= (1 << 23) - 1  # low bits tell the positions of a bucket apart
    here = table.find(keys // size, (keys % size)[:, None])
    assert here.found.tolist() == list(range(len(keys)))
    np.testing.assert_array_equal(table.codes(here.cells), codes)
    others = np.setdiff1d(np.concatenate([keys + 1, keys + size, rng.integers(0, size * count, 20_000)]), keys)
    others = others[others < size * count]
    assert len(table.find(others // size, (others % size)[:, None]).found) == 0


def test_a_full_table_gets_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_tables, "_LOAD", 1.0)
    monkeypatch.setattr(key_tables, "_ROUNDS", 5)
    contexts, words, codes = pairs(997, 300, seed=5)
    table, cells = pair_table(997, contexts, words, codes, 300)
    assert len(np.unique(cells)) == len(words)
    assert len(table.codes) > len(words)
    long = triple_table(997, contexts, words, codes, 300)
    np.testing.assert_array_equal(long.codes(long.find(contexts, words[:, None]).cells), codes)


SIZE = 5


def test_the_ids_of_contexts_follow_those_of_words() -> None:
    assert (boundary_id(SIZE), other_id(SIZE)) == (5, 6)
    check_contexts(np.array([[0, 6]]), 2, SIZE)
    check_words(np.array([[0, 4, 2]]), 1, SIZE)
    check_contexts(np.zeros((0, 2), np.int64), 2, SIZE)


@pytest.mark.parametrize(
    ("contexts", "wanted"),
    [
        (np.array([[0, 7]]), r"contexts must be ids in \[0, 7\)"),
        (np.array([[-1, 0]]), r"contexts must be ids in \[0, 7\)"),
        (np.array([[0]]), r"contexts must be of shape \(batch, 2\)"),
        (np.array([0, 1]), r"contexts must be of shape \(batch, 2\)"),
        (np.array([[0.0, 1.0]]), "contexts must be whole numbers"),
    ],
)
def test_other_contexts_are_refused(contexts: np.ndarray, wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        check_contexts(contexts, 2, SIZE)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (np.array([[5]]), r"words must be ids in \[0, 5\)"),
        (np.array([[0], [1]]), r"words must be of shape \(1, k\)"),
    ],
)
def test_other_words_are_refused(words: np.ndarray, wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        check_words(words, 1, SIZE)
