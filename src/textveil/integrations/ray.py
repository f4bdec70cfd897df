"""Ray: blocks of a corpus released by actors, a stage for Ray Data, and sums over a corpus by tasks."""

import contextlib
import logging
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, final

import numpy as np

from textveil.corpora.block_worker import BlockWorker
from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.process_pool import AHEAD, BlockQueue, Failure, failure
from textveil.environment import cores
from textveil.errors import MissingExtra, need
from textveil.integrations import table_records
from textveil.integrations.arrow_batches import BatchSanitizer

_NO_START = (
    "the actors must start; they crashed at once. Is textveil installed on every node, with enough memory? Try the "
    "local engine."
)

_FOLDED: Final = 8  # sums that a task adds up

_STORE_BYTES = 2**30
"""Shared memory of a local Ray that is started here: blocks under way fit in it, so that none is spilled to disk."""


def _ray(module: str = "ray") -> Any:
    with MissingExtra("ray", "ray"):
        return import_module(module)


class _Releasing:
    def __init__(self, worker: BlockWorker) -> None:
        self._release = worker.opened()

    def release(self, block: Block) -> Outcome | Failure:
        """The block's outcome. Errors are told, not raised: Ray logs what is raised, with messages that quote."""
        try:
            return self._release(block)
        except Exception as error:
            return failure(error)

    def ready(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class RayEngine:
    """An ``Engine`` of Ray actors, each on one core, on this machine or on a cluster.

    The output is that of the local engine, byte for byte: draws come from the job's secret and the block. Blocks,
    the secret and the mechanism pass through Ray's shared memory; every node of the cluster is trusted with them.

    Attributes:
        workers: actors at the most; None takes one for each core that Ray has, and there are never more, nor more
            than there are blocks.
        address: of a cluster; None is the one that runs in this process or is named by RAY_ADDRESS, else a local
            Ray that is started for the run, without dashboard and usage statistics, and ended with it.
    """

    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        need(self.workers is None or self.workers >= 1, "workers", self.workers, "at least 1")

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        with _running(self) as ray:
            most = max(1, int(ray.cluster_resources().get("CPU", 1)))
            crew = _Crew(ray, worker, min(self.workers or most, most), iter(blocks))
            try:
                yield from crew.outcomes()
            finally:
                crew.kill()


@contextlib.contextmanager
def _running(engine: RayEngine) -> Iterator[Any]:
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    # Nothing is told to the makers of Ray, unless the user has said otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if engine.address is not None or os.environ.get("RAY_ADDRESS"):
        ray.init(address=engine.address, **quiet)
    else:
        local = {"include_dashboard": False, "object_store_memory": _STORE_BYTES}
        ray.init(address="local", num_cpus=engine.workers or cores(), **local, **quiet)
    try:
        yield ray
    finally:
        ray.shutdown()


@dataclass(slots=True)
class _Actor:
    """An actor, with the blocks that it holds, oldest first, and the references to their outcomes.

    On a cluster that is busy with other things it may start late, or never; until then it gets no blocks.
    """

    handle: Any
    starting: Any
    ready: bool = False
    held: deque[Block] = field(default_factory=deque)
    coming: deque[Any] = field(default_factory=deque)


class _Crew:
    """Actors that take from a queue; one is started if a block waits that no other can begin with."""

    def __init__(self, ray: Any, worker: BlockWorker, most: int, blocks: Iterator[Block]) -> None:
        self._ray = ray
        # No restarts by Ray: which blocks an actor died over is counted by the queue.
        self._made = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Releasing)
        self._worker = ray.put(worker)
        self._most = most
        self._queue = BlockQueue(blocks)
        self._actors: list[_Actor] = []

    def outcomes(self) -> Iterator[Outcome]:
        while self._queue.unfinished(len(self._actors)):
            self._give()
            yield from self._queue.ready()
            self._receive()

    def kill(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor.handle)

    def _give(self) -> None:
        for depth in range(1, AHEAD + 1):
            for actor in (actor for actor in self._actors if actor.ready):
                while (block := self._queue.taken(actor.held, depth, len(self._actors))) is not None:
                    actor.held.append(block)
                    actor.coming.append(actor.handle.release.remote(block))
            starting = sum(not actor.ready for actor in self._actors)
            while len(self._actors) < self._most and self._queue.waits(starting + 1, len(self._actors) + 1):
                self._actors.append(self._started())
                starting += 1

    def _receive(self) -> None:
        """Wait for an outcome, a start or a death, if blocks are given out or no actor has started."""
        if any(actor.ready for actor in self._actors) and not any(actor.held for actor in self._actors):
            return
        coming = {}
        for index, actor in enumerate(self._actors):
            if not actor.ready:
                coming[actor.starting] = index
            elif actor.held:
                coming[actor.coming[0]] = index
        if not coming:
            return
        self._ray.wait(list(coming), num_returns=1)
        ready, _ = self._ray.wait(list(coming), num_returns=len(coming), timeout=0)
        for reference in ready:
            self._answered(coming[reference], reference)

    def _answered(self, index: int, reference: Any) -> None:
        actor = self._actors[index]
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError:
            self._actors[index] = self._replaced(actor)
            return
        if isinstance(answer, Failure):
            raise answer.error()
        if actor.ready:
            actor.coming.popleft()
            self._queue.finish(actor.held.popleft(), answer)
        actor.ready = True

    def _replaced(self, actor: _Actor) -> _Actor:
        if actor.ready:
            self._queue.died(actor.held)
        else:
            self._queue.never_started(actor.held, len(self._actors), _NO_START)
        return self._started()

    def _started(self) -> _Actor:
        handle = self._made.remote(self._worker)
        return _Actor(handle, handle.ready.remote())


class _Stage:
    def __init__(self, batches: BatchSanitizer) -> None:
        self._batches = batches

    def __call__(self, table: Any) -> Any:
        return self._batches(table)


def sanitized_dataset(dataset: Any, batches: BatchSanitizer, *, actors: int = 1, batch_size: int | None = 1024) -> Any:
    """Return a Ray ``Dataset`` whose batches pass through ``batches`` in so many actors, each on one core.

    Lazy, as all of Ray Data: a dataset that is consumed twice is computed twice. Give ``batches`` a ``key``, and what
    is computed again, for whatever reason, is the same release again.
    """
    data = _ray("ray.data")
    return dataset.map_batches(
        _Stage,
        fn_constructor_args=(batches,),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=data.ActorPoolStrategy(size=actors),
    )


def ray_records(
    dataset: Any, *, unit: str, text: str = "text", label: str | None = None, limit: int | None = None, parts: int = 200
) -> table_records.PartedRecords:
    """Return the records of a Ray ``Dataset``, for ``CorpusRequest``; see ``textveil.integrations.table_records``.

    The dataset is read now, into Ray's object store, which also holds what is made of the records.

    Args:
        dataset: its workers need textveil and pyarrow.
        unit: column that names the person, or ``document``: each row is a unit.
        text: column of the text.
        label: column of the label; None reads none.
        limit: records of one person that count; None is all.
        parts: in how many parts a shuffle puts the persons. Each must fit in the memory of a task.

    Raises InputError: a column is missing; ParameterError: a number is outside, or a column is named twice.
    """
    need(parts >= 1, "parts", parts, "at least 1")
    ray, columns = _ray(), dataset.columns()
    template = table_records.checked_template(columns, unit, text, label, limit)
    blocks = [] if columns is None else dataset.select_columns(table_records.columns_of(template)).to_arrow_refs()
    groups = [[block] for block in blocks]
    if table_records.by_person(template) and parts > 1:
        split = ray.remote(num_returns=parts)(_split)
        groups = list(map(list, zip(*(split.remote(block, parts) for block in blocks), strict=True)))
    elif table_records.by_person(template):
        groups = [blocks]
    begin = ray.remote(_begun)
    return table_records.PartedRecords(template, _Parts(ray, [begin.remote(template, *group) for group in groups]))


def _split(block: Any, parts: int) -> list[Any]:
    """Rows of persons, the first column, by part."""
    numbers = np.array(
        [zlib.crc32(str(name).encode("utf-8", "surrogatepass")) % parts for name in block[0].to_pylist()]
    )
    return [block.take(np.flatnonzero(numbers == part)) for part in range(parts)]


def _begun(template: table_records.TableRecords, *tables: Any) -> bytes:
    return table_records.begun(template, tables)


@final
class _Parts:
    def __init__(self, ray: Any, parts: Sequence[Any]) -> None:
        self._ray, self._parts = ray, parts

    def kept(self, work: Callable[[bytes], bytes]) -> "_Parts":
        made, work = self._ray.remote(_made), self._ray.put(work)
        return _Parts(self._ray, [made.remote(work, part) for part in self._parts])

    def folded(self, work: Callable[[bytes], bytes], fold: Callable[[Iterable[bytes]], bytes]) -> Iterable[bytes]:
        joined, fold = self._ray.remote(_joined), self._ray.put(fold)
        parts = self.kept(work)._parts
        while len(parts) > 1:
            parts = [joined.remote(fold, *parts[start : start + _FOLDED]) for start in range(0, len(parts), _FOLDED)]
        folded: list[bytes] = self._ray.get(parts)
        return folded


def _made(work: Callable[[bytes], bytes], part: bytes) -> bytes:
    return work(part)


def _joined(fold: Callable[[Iterable[bytes]], bytes], *parts: bytes) -> bytes:
    return fold(parts)
