"""Ray: blocks of a corpus released by actors, and a stage for Ray Data."""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, final

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.engines.base import abandoned
from textveil.corpora.engines.block_worker import BlockWorker
from textveil.corpora.engines.processes import cores
from textveil.errors import MissingExtra, TextveilError, need
from textveil.integrations.arrow_batches import BatchSanitizer

_AHEAD = 2
"""Blocks that an actor holds: the one it works on and the next, so that it never waits for this process."""

_BYTES_AHEAD = 64 * 2**20
"""Past so many input bytes under way no block is given out while another is under way."""

_STORE_BYTES = 2**30
"""Shared memory of a local Ray that is started here: blocks under way fit in it, so that none is spilled to disk."""


def _ray(module: str = "ray") -> Any:
    """The package ray, or a module of it.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("ray", "ray") from None


class _ActorError(NamedTuple):
    """An error in an actor: its class where it is one of ours, else None, and a line without input text."""

    kind: type[TextveilError] | None
    message: str


@final
class _Releasing:
    """What an actor is: a sanitizer of its own, made once."""

    def __init__(self, worker: BlockWorker) -> None:
        self._release = worker.opened()

    def release(self, block: Block) -> Outcome | _ActorError:
        """The block's outcome. Errors are told, not raised: Ray logs what is raised, with messages that quote."""
        try:
            return self._release(block)
        except TextveilError as error:
            return _ActorError(None if isinstance(error, MissingExtra) else type(error), str(error))
        except Exception as error:
            index = traceback.extract_tb(error.__traceback__)[-1]
            name = f"{type(error).__name__} in {Path(index.filename).name}:{index.lineno}"
        return _ActorError(None, f"internal error: {name}. Run on the local engine with `workers=1` to see it whole.")

    def ready(self) -> bool:
        """Answered once the sanitizer is made."""
        return True


@final
@dataclass(frozen=True, slots=True)
class RayEngine:
    """An ``Engine`` of Ray actors, each on one core, on this machine or on a cluster.

    The output is that of the local engine, byte for byte: draws come from the job's secret and the block. Blocks,
    the secret and the mechanism pass through Ray's shared memory; every node of the cluster is trusted with them.

    Attributes:
        workers: actors; None takes one for each core that Ray has, and there are never more.
        address: of a cluster; None is the one that runs in this process or is named by RAY_ADDRESS, else a local
            Ray that is started for the run, without dashboard and usage statistics, and ended with it.
    """

    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        need(self.workers is None or self.workers >= 1, "workers", self.workers, "at least 1")

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See ``Engine.outcomes``."""
        with _running(self) as ray:
            most = max(1, int(ray.cluster_resources().get("CPU", 1)))
            crew = _Crew(ray, worker, min(self.workers or most, most))
            try:
                yield from crew.outcomes(iter(blocks))
            finally:
                crew.kill()


@contextlib.contextmanager
def _running(engine: RayEngine) -> Iterator[Any]:
    """Ray, started and ended here unless it runs already."""
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


@final
@dataclass(slots=True)
class _Actor:
    """An actor, with the blocks that it holds and the references to their outcomes, oldest first.

    On a cluster that is busy with other things it may start late, or never; until then it gets no blocks.
    """

    handle: Any
    starting: Any
    ready: bool = False
    held: deque[tuple[Block, Any]] = field(default_factory=deque)


@final
class _Crew:
    """Gives blocks to actors and puts outcomes in order."""

    def __init__(self, ray: Any, worker: BlockWorker, size: int) -> None:
        self._ray = ray
        # No restarts by Ray: which block an actor died over is counted here.
        self._made = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Releasing)
        self._worker = ray.put(worker)
        self._died_over: dict[int, int] = {}
        self._false_starts = 0
        self._again: deque[Block] = deque()
        self._order: deque[Block] = deque()
        self._done: dict[int, Outcome] = {}
        self._under_way = 0
        self._actors = [self._started() for _ in range(size)]

    def outcomes(self, blocks: Iterator[Block]) -> Iterator[Outcome]:
        """See ``Engine.outcomes``."""
        more = True
        while more or self._order:
            more = self._give(blocks, more)
            while self._order and self._order[0].number in self._done:
                yield self._done.pop(self._order.popleft().number)
            self._receive()

    def kill(self) -> None:
        """End the actors, whatever they do."""
        for actor in self._actors:
            self._ray.kill(actor.handle)

    def _give(self, blocks: Iterator[Block], more: bool) -> bool:
        """Fill the actors' hands; whether there may be more blocks."""
        for depth in range(1, _AHEAD + 1):
            for actor in (actor for actor in self._actors if actor.ready):
                while len(actor.held) < depth and (self._again or (more and self._room())):
                    # What an actor died over is done again alone, so that the next death tells whose it is.
                    if actor.held and (self._again or actor.held[0][0].number in self._died_over):
                        break
                    if self._again:
                        block = self._again.popleft()
                    elif (following := next(blocks, None)) is None:
                        more = False
                        break
                    else:
                        block = following
                        self._order.append(block)
                        self._under_way += len(block.payload)
                    actor.held.append((block, actor.handle.release.remote(block)))
        return more

    def _room(self) -> bool:
        """Whether another block may be read: outcomes that wait for an earlier one count too."""
        return not self._order or (len(self._order) < 2 * _AHEAD * len(self._actors) and self._under_way < _BYTES_AHEAD)

    def _receive(self) -> None:
        """Wait for an outcome, a start or a death, if blocks are given out or no actor has started."""
        if any(actor.ready for actor in self._actors) and not any(actor.held for actor in self._actors):
            return
        coming = {}
        for index, actor in enumerate(self._actors):
            if not actor.ready:
                coming[actor.starting] = index
            elif actor.held:
                coming[actor.held[0][1]] = index
        self._ray.wait(list(coming), num_returns=1)
        ready, _ = self._ray.wait(list(coming), num_returns=len(coming), timeout=0)
        for reference in ready:
            self._answered(coming[reference], reference)

    def _answered(self, index: int, reference: Any) -> None:
        actor = self._actors[index]
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError:
            self._actors[index] = self._mourned(actor)
            return
        if isinstance(answer, _ActorError):
            raise (answer.kind or TextveilError)(answer.message)
        if actor.ready:
            self._finish(actor.held.popleft()[0], answer)
        actor.ready = True

    def _finish(self, block: Block, outcome: Outcome) -> None:
        self._done[block.number] = outcome
        self._under_way -= len(block.payload)
        self._died_over.pop(block.number, None)

    def _mourned(self, actor: _Actor) -> _Actor:
        """A new actor for one that died; a block is given up at the second death over it, when it was alone.

        The first of the blocks in hand may have been done, and its outcome lost with the actor.
        """
        waiting = [block for block, _ in actor.held]
        if not actor.ready:
            self._false_starts += 1
            if self._false_starts > len(self._actors):
                raise TextveilError(
                    "the actors must start; they died at once. Is textveil installed on every node, with enough "
                    "memory? Try the local engine."
                )
        else:
            for block in waiting:
                self._died_over[block.number] = self._died_over.get(block.number, 0) + 1
            if len(waiting) == 1 and self._died_over[waiting[0].number] > 1:
                suspect = waiting.pop()
                self._finish(suspect, abandoned(suspect))
        self._again.extendleft(reversed(waiting))
        return self._started()

    def _started(self) -> _Actor:
        handle = self._made.remote(self._worker)
        return _Actor(handle, handle.ready.remote())


@final
class _Stage:
    """What a Ray Data actor calls on its batches."""

    def __init__(self, batches: BatchSanitizer) -> None:
        self._batches = batches

    def __call__(self, table: Any) -> Any:
        return self._batches(table)


def sanitized_dataset(dataset: Any, batches: BatchSanitizer, *, actors: int = 1, batch_size: int | None = 1024) -> Any:
    """A Ray ``Dataset`` whose batches pass through ``batches`` in so many actors.

    Lazy, as all of Ray Data: a dataset that is consumed twice is computed twice. Give ``batches`` a ``key``, and what
    is computed again, for whatever reason, is the same release again.

    Args:
        dataset: ``ray.data.Dataset`` with the chosen columns.
        batches: of ``sanitize_batches``.
        actors: how many, each on one core; at most as many as the dataset has blocks.
        batch_size: rows that are released together.
    """
    data = _ray("ray.data")
    return dataset.map_batches(
        _Stage,
        fn_constructor_args=(batches,),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=data.ActorPoolStrategy(size=actors),
    )
