"""The one policy by which blocks are given out, done again, given up and put in order."""

from collections.abc import Iterator

import pytest

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.process_pool import AHEAD, BlockQueue
from textveil.errors import TextveilError


def blocks(count: int) -> Iterator[Block]:
    for number in range(count):
        yield Block(number=number, source=1, first=number + 1, count=1, payload=b"x" * 10)


def done(block: Block) -> Outcome:
    return Outcome(number=block.number)


def take(queue: BlockQueue, held: list[Block], depth: int = 1) -> int | None:
    block = queue.taken(held, depth, 2)
    if block is None:
        return None
    held.append(block)
    return block.number


def test_outcomes_come_in_the_order_of_blocks() -> None:
    queue = BlockQueue(blocks(3))
    held: list[Block] = []
    assert [take(queue, held, 3) for _ in range(3)] == [0, 1, 2]
    for block in (held[2], held[0]):
        queue.finish(block, done(block))
    assert [outcome.number for outcome in queue.ready()] == [0]
    queue.finish(held[1], done(held[1]))
    assert [outcome.number for outcome in queue.ready()] == [1, 2]
    assert not queue.unfinished(2)


def test_what_a_worker_died_over_is_done_again_alone_and_given_up_at_the_second_death() -> None:
    queue = BlockQueue(blocks(4))
    first: list[Block] = []
    assert [take(queue, first, AHEAD) for _ in range(2)] == [0, 1]
    queue.died(first)
    again: list[Block] = []
    assert take(queue, again) == 0
    assert take(queue, again, AHEAD) is None  # block 1, suspected too, is for another worker
    other: list[Block] = []
    assert take(queue, other) == 1
    assert take(queue, other, AHEAD) is None
    queue.finish(other[0], done(other[0]))
    other.clear()
    queue.died(again)
    (outcome, second) = list(queue.ready())
    assert "two crashed on them" in outcome.skipped[0].reason
    assert (outcome.number, second.number, second.skipped) == (0, 1, ())
    assert [take(queue, other, AHEAD) for _ in range(2)] == [2, 3]


def test_two_deaths_over_two_blocks_give_none_up() -> None:
    queue = BlockQueue(blocks(2))
    held: list[Block] = []
    assert [take(queue, held, AHEAD) for _ in range(2)] == [0, 1]
    queue.died(held)
    queue.died([])
    assert list(queue.ready()) == []


def test_workers_that_never_start_end_the_run_and_blame_no_block() -> None:
    queue = BlockQueue(blocks(2))
    held: list[Block] = []
    for _ in range(2):
        held.clear()
        assert take(queue, held) == 0
        queue.never_started(held, 2, "no start")
    held.clear()
    assert [take(queue, held, AHEAD) for _ in range(2)] == [0, 1]
    with pytest.raises(TextveilError, match="no start"):
        queue.never_started(held, 2, "no start")


def test_reading_is_bounded_by_blocks_and_bytes() -> None:
    queue = BlockQueue(blocks(100))
    assert queue.waits(2 * AHEAD * 2, 2)
    assert not queue.waits(2 * AHEAD * 2 + 1, 2)
    large = BlockQueue(Block(number=n, source=1, first=n + 1, count=1, payload=bytes(40 * 2**20)) for n in range(9))
    assert large.waits(2, 9)
    assert not large.waits(3, 9)
