"""The cache of rows: every row right, the least recently used given up, whole after interrupts and forks."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from textveil.mechanisms.raised_rows import RowCache

WORDS, WIDTH = 500, 4


def _row(words) -> np.ndarray:
    return np.asarray(words)[:, None] * 10 + np.arange(WIDTH)


class _Cache:
    """A cache with the function that makes its rows."""

    def __init__(self, make, **options) -> None:
        self.cache, self.make = RowCache(WORDS, **options), make

    def rows(self, words):
        return self.cache.rows(words, self.make)

    def entries(self, ids, columns):
        return self.cache.entries(ids, columns, self.make)

    def __getattr__(self, name: str):
        return getattr(self.cache, name)


def _numbers(budget: int, block: int = 16, made: list | None = None) -> _Cache:
    def make(words, table, slots, wanted) -> None:
        assert len(words) <= min(block, wanted)
        if made is not None:
            made.extend(words.tolist())
        table[slots] = _row(words)

    return _Cache(make, block=block, width=WIDTH, dtype=np.int64, budget=budget)


def _objects(budget: int, block: int = 16, made: list | None = None) -> _Cache:
    """Rows of different lengths: that of word w holds w % 7 + 1 numbers."""

    def make(words, table, slots, wanted) -> None:
        for word, slot in zip(words.tolist(), slots.tolist(), strict=True):
            if made is not None:
                made.append(word)
            table[slot] = np.full(word % 7 + 1, word)

    return _Cache(make, block=block, size=lambda row: row.nbytes, budget=budget)


@pytest.mark.parametrize("budget", [0, 40 * 8 * WIDTH, 10**9])
def test_rows_are_right_whatever_was_given_up(rng, budget: int) -> None:
    cache = _numbers(budget)
    assert cache.capacity == {0: 16, 40 * 8 * WIDTH: 40, 10**9: WORDS}[budget]
    for size in (3, 16, 1, 10, 16, 16, 5) * 3:
        words = rng.choice(WORDS, size, replace=False)
        with cache.rows(words) as slots:
            np.testing.assert_array_equal(cache.table[slots], _row(words))
        assert len(cache.kept) <= cache.capacity
        assert len(cache.table) <= cache.capacity


@pytest.mark.parametrize("budget", [0, 40 * 8 * WIDTH, 10**9])
def test_entries_of_more_words_than_there_is_room_for(rng, budget: int) -> None:
    cache = _numbers(budget)
    ids, columns = rng.integers(0, WORDS, 3000), rng.integers(0, WIDTH, 3000)
    for part in (slice(None), slice(0, 7), slice(None)):
        np.testing.assert_array_equal(cache.entries(ids[part], columns[part]), ids[part] * 10 + columns[part])
    assert cache.entries(ids[:0], columns[:0]).shape == (0,)


def test_objects_are_right_and_their_bytes_are_counted(rng) -> None:
    cache = _objects(budget=1000)
    for size in (3, 16, 1, 10, 16, 16, 5) * 3:
        words = rng.choice(WORDS, size, replace=False)
        with cache.rows(words) as slots:
            for word, row in zip(words.tolist(), cache.table[slots], strict=True):
                assert row.tolist() == [word] * (word % 7 + 1)
        held = sum(row.nbytes for row in cache.table if row is not None)
        assert cache.used == held
        assert held <= 1000 or len(cache.kept) == 16
        assert len(cache.kept) == sum(row is not None for row in cache.table)


@pytest.mark.parametrize("cache_of", [_numbers, _objects])
def test_a_row_is_made_once_and_the_least_recently_used_goes(cache_of) -> None:
    made: list[int] = []
    cache = cache_of(32 * 3 if cache_of is _numbers else 28 * 8, block=2, made=made)
    first, second, third, fourth = (np.array([word, word + 7]) for word in (6, 20, 34, 48))  # 7 numbers in each
    if cache_of is _numbers:
        cache.cache.capacity = 4
    for words in (first, second, first, third, first, fourth, first):
        with cache.rows(words):
            pass
    assert made == [*first, *second, *third, *fourth]
    assert cache.kept.tolist() == [*first, *fourth]
    with cache.rows(second):
        pass
    assert made[-2:] == second.tolist()


@pytest.mark.parametrize("cache_of", [_numbers, _objects])
def test_rows_that_an_interrupt_left_unknown_are_forgotten(cache_of, monkeypatch) -> None:
    cache = cache_of(0, block=64)
    with cache.rows(np.arange(60)):
        pass
    right = cache.make

    def interrupted(words, table, slots, wanted) -> None:
        table[slots[0]] = -1
        raise KeyboardInterrupt

    cache.make = interrupted
    with pytest.raises(KeyboardInterrupt), cache.rows(np.arange(30, 90)):
        pass
    cache.make = right
    assert len(cache.kept) == 0
    with cache.rows(np.arange(20, 80)) as slots:
        found = [row[0] if cache_of is _objects else row[0] // 10 for row in cache.table[slots]]
    assert found == list(range(20, 80))


def test_threads_never_get_rows_of_other_words() -> None:
    cache = _numbers(30 * 8 * WIDTH)

    def draw(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        ids, columns = rng.integers(0, WORDS, 200), rng.integers(0, WIDTH, 200)
        return np.array_equal(cache.entries(ids, columns), ids * 10 + columns)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(draw, range(100)))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_can_take_the_lock_that_another_thread_held() -> None:
    cache = _numbers(10**9)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def child() -> None:
        answers.put(cache.entries(np.array([3, 400]), np.array([1, 2])).tolist())

    with cache.rows(np.arange(5)):
        worker = context.Process(target=child)
        worker.start()
    assert answers.get() == [31, 4002]
    worker.join()
