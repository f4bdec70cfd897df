"""Processes that find values for the server: what they find, and what happens where one fails or is in the way."""

import asyncio
import contextlib
import operator
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.deadly import SLOW, make_searches_slow
from tests.helpers.policies import small_policy, surrogate

from textveil import Sanitizer, killable
from textveil.budget.account import Account
from textveil.detection.spans import DetectedSpan
from textveil.documents.apart import all_rewritten, texts_of
from textveil.errors import InputError, InternalError, ParameterError, SlowText
from textveil.killable import SIZE, Process, answer_in, framed, framed_answer
from textveil.sanitize.finding_process import answer_of
from textveil.sanitize.policy.choice import PRESETS, policy
from textveil.server import finding
from textveil.server.budgets import UncountedLedger
from textveil.server.errors import ApiError
from textveil.server.finding import FindingProcesses
from textveil.server.policies import OfferedPolicies
from textveil.server.service import ALONE_CHARACTERS, LONG_CHARACTERS, SanitizingService
from textveil.surrogates.map_file import PrivateMap

SMALL = small_policy(surrogate("person", "person", epsilon=0), scope="document")
"""Its detector reads no lists, so that a process starts in half the time."""
POLICIES = OfferedPolicies("small", policies={"small": SMALL, **{name: policy(name) for name in PRESETS}})
TEXTS = [
    "Maria Gonzalez, born 3/4/1980, lives at 12 Main St.",
    '{"mail": "a@b.co", "name": "M\\u00fcller"}',
    "no value \ud800 here",
    "",
]
WARD = Account("ward")
EMPTY = PrivateMap(released="", replaced=())


@contextlib.asynccontextmanager
async def processes(most: int = 1, seconds: float = 10.0, wall: float | None = None) -> AsyncIterator[FindingProcesses]:
    found = FindingProcesses(most, POLICIES.ready, POLICIES.all, seconds, wall=wall)
    try:
        yield found
    finally:
        await found.close()


async def answered(
    found: FindingProcesses, name: str, texts: list[str], *, long: bool = False
) -> list[list[DetectedSpan]]:
    """What a process answers, once there is one."""
    give_up = time.monotonic() + 120
    while (spans := await found.found(name, texts, long=long)) is None:
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)
    return spans


def test_they_find_what_the_server_finds() -> None:
    async def compare() -> None:
        async with processes() as found:
            for name in ("identifiers", "prompts", "clinical"):
                assert await answered(found, name, TEXTS) == [POLICIES.found(name, text) for text in TEXTS]

    asyncio.run(compare())


def test_each_request_gets_its_own_answer() -> None:
    async def compare() -> None:
        async with processes() as found:
            await answered(found, "small", [""])
            asked = [found.found("small", [text], long=False) for text in TEXTS]
            assert await asyncio.gather(*asked) == [[POLICIES.found("small", text)] for text in TEXTS]

    asyncio.run(compare())


def test_texts_that_take_too_long_are_refused_and_other_errors_are_left_to_the_server() -> None:
    async def compare() -> None:
        async with processes() as found:
            await answered(found, "identifiers", [""])
            assert await found.found("no such policy", ["Maria"], long=False) is None
            assert await found.found("identifiers", ["Maria"], long=False) == [POLICIES.found("identifiers", "Maria")]
        async with processes(seconds=1e-9) as found:
            with pytest.raises(SlowText):
                await answered(found, "identifiers", ["Maria Gonzalez"])

    asyncio.run(compare())


def test_work_on_files_has_limits_on_time_and_memory_and_the_process_goes_on() -> None:
    async def work() -> None:
        async with processes() as found:
            assert await found.done(partial(texts_of, []), 2**30) == []
            (failed,) = await found.done(partial(texts_of, [("a.docx", b"")]), 2**30)
            assert isinstance(failed, InputError)
            with pytest.raises(InputError, match="memory"):
                await found.done(partial(operator.mul, [0], 2**29), 2**30)
            assert await found.done(partial(operator.mul, [0], 2**20), 2**30)
            with pytest.raises(InternalError, match="of another"):
                await found.done(partial(all_rewritten, [("a.html", b"<p>Maria</p>", EMPTY)]), 2**30)
            assert len(found._running) == 1
            for breaks in (partial(int, "x"), partial(os._exit, 1)):
                with pytest.raises(InputError, match="fails or ends on this one"):
                    await found.done(breaks, 2**30)
        async with processes(seconds=0.1) as found:
            with pytest.raises(SlowText):
                await found.done(partial(sum, range(10**11)), 2**30)

    asyncio.run(work())


def test_what_a_process_says_is_data_and_runs_no_code() -> None:
    said = [None, 1, 0.5, "\ud800 a", b"\0b", {"c": [b"", b"d"]}]
    assert answer_in(framed_answer(said)[SIZE:]) == said
    for message in (
        b"",
        pickle.dumps(partial(os._exit, 3)),
        framed_answer([])[: SIZE + 3],
        framed_answer([b"abc"])[SIZE:-1],
        b"\0" * 40,
    ):
        with pytest.raises(ValueError):
            answer_in(message)
    says = "import sys, os; sys.stdin.buffer.read(1); os.write(1, bytes.fromhex(sys.argv[1])); sys.stdin.read()"
    process = Process((sys.executable, "-c", says, framed(partial(os._exit, 3)).hex()))
    with pytest.raises(EOFError):
        process.ask(framed(None), 20)
    for answer in ({"error": "OSError", "message": ""}, [[[1]]], 3):
        with pytest.raises(ValueError):
            answer_of(answer)


def test_a_process_that_ends_fails_no_request_and_another_takes_its_place() -> None:
    async def kill() -> None:
        async with processes() as found:
            await answered(found, "small", TEXTS)
            (process,) = found._running
            waiting = asyncio.gather(*[found.found("small", TEXTS, long=False) for _ in range(3)])
            await asyncio.sleep(0)
            process._process.kill()
            for spans in await waiting:
                assert spans in (None, [POLICIES.found("small", text) for text in TEXTS])
            await process.reading
            assert process not in found._running
            assert await answered(found, "small", TEXTS)
            assert found._running != [process]

    asyncio.run(kill())


def test_no_request_waits_behind_a_long_text_and_long_texts_leave_one_process_free() -> None:
    async def ask() -> None:
        async with processes() as found:
            await answered(found, "small", [""])
            (process,) = found._running
            process._process.send_signal(signal.SIGSTOP)
            long = asyncio.ensure_future(found.found("small", ["so it was " * 20_000], long=True, must=True))
            await asyncio.sleep(0)
            assert await found.found("small", ["Maria"]) is None
            assert await found.found("small", ["Maria"], must=True) == [POLICIES.found("small", "Maria")]
            assert len(found._running) == 2
            assert await found.found("small", ["so it was"], long=True) is None
            process._process.send_signal(signal.SIGCONT)
            assert await long == [[]]

    asyncio.run(ask())


@pytest.fixture
def slow_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes that are started, one search never ends."""
    make_searches_slow(tmp_path, monkeypatch)


@pytest.mark.usefixtures("slow_search")
@pytest.mark.parametrize("limits", [(2.0, 600.0), (600.0, 2.0)], ids=["processor time", "time by the clock"])
def test_a_search_over_its_limit_is_killed_and_its_request_alone_is_refused(limits: tuple[float, float]) -> None:
    """Kills: the limit is looked at between two searches only."""

    async def ask() -> None:
        seconds, wall = limits
        async with processes(seconds=seconds, wall=600.0) as found:
            await answered(found, "small", [""])
            found._wall = wall
            (process,) = found._running
            slow = asyncio.ensure_future(found.found("small", [SLOW], must=True))
            behind = asyncio.ensure_future(found.found("small", ["Maria"]))
            with pytest.raises(SlowText, match=f"at most {seconds:g} s"):
                await slow
            assert await behind is None, "the server finds short texts itself"
            found._wall = 600.0
            assert process.over_limit and process._process.returncode is not None
            assert await found.found("small", ["Maria"], must=True) == [POLICIES.found("small", "Maria")]
            assert process not in found._running

    asyncio.run(ask())


def test_a_process_that_is_stopped_is_killed_and_another_takes_its_place() -> None:
    """Kills: no limit by the clock; then requests wait for ever."""

    async def ask() -> None:
        async with processes(wall=600.0) as found:
            await answered(found, "small", [""])
            found._wall = 2.0
            (process,) = found._running
            process._process.send_signal(signal.SIGSTOP)
            with pytest.raises(SlowText):
                await found.found("small", ["Maria"], must=True)
            assert process._process.returncode == -signal.SIGKILL
            found._wall = 600.0
            assert await found.found("small", ["Maria"], must=True) == [POLICIES.found("small", "Maria")]

    asyncio.run(ask())


def test_a_text_that_must_be_read_by_a_process_is_asked_of_another_if_the_first_ends() -> None:
    async def kill() -> None:
        async with processes() as found:
            await answered(found, "small", TEXTS)
            (process,) = found._running
            waiting = asyncio.ensure_future(found.found("small", TEXTS, must=True))
            await asyncio.sleep(0)
            process._process.kill()
            assert await waiting == [POLICIES.found("small", text) for text in TEXTS]

    asyncio.run(kill())


def test_a_process_that_cannot_be_started_is_tried_again_later_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: after some deaths none is started; none can be started at once and each request tries."""
    executable = sys.executable
    monkeypatch.setattr(sys, "executable", os.devnull)
    monkeypatch.setattr(finding, "_BACK_OFF_SECONDS", (1000.0, 3000.0))

    async def ask() -> None:
        async with processes() as found:
            now = asyncio.get_running_loop().time()
            for failures, pause in enumerate((1000, 2000, 3000, 3000), 1):
                for _ in range(2):
                    assert await found.found("small", TEXTS) is None
                    assert found._starting is not None
                    await asyncio.wait([found._starting])
                assert found._failures == failures
                assert pause <= found._start_after - now < pause + 500
                found._start_after = 0.0
            monkeypatch.setattr(sys, "executable", executable)
            assert await answered(found, "small", TEXTS)
            (process,) = found._running
            process._process.kill()
            await process.reading
            await asyncio.sleep(0)
            assert found._failures == 0, "it has answered: another is started at once"

    asyncio.run(ask())


def test_a_text_that_must_be_read_by_a_process_is_refused_if_none_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", os.devnull)
    monkeypatch.setattr(finding, "START_SECONDS", 0.1)

    async def ask() -> None:
        async with processes(wall=0.1) as found:
            with pytest.raises(ApiError) as refused:
                await found.found("small", TEXTS, must=True)
            assert refused.value.status == 503 and "Try again" in refused.value.message
            monkeypatch.setattr(finding, "_WAITING", 0)
            with pytest.raises(ApiError, match="too many texts wait"):
                await found.found("small", TEXTS, must=True)

    asyncio.run(ask())


def test_a_process_is_told_where_things_are_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEXTVEIL_UPSTREAM_KEY", "TEXTVEIL_LEDGER_KEY", "TEXTVEIL_DATABASE", "OPENAI_API_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, "a secret")
    told = killable.environment()
    assert "PYTHONPATH" in told and set(told) <= {*killable._ENVIRONMENT, "PYTHONPATH"}
    assert "a secret" not in told.values()

    async def ask() -> None:
        async with processes() as found:
            await answered(found, "small", [""])
            pid = found._running[0]._process.pid
            variables = Path(f"/proc/{pid}/environ")
            if variables.exists():
                assert b"a secret" not in variables.read_bytes()

    asyncio.run(ask())


def test_they_end_with_the_server_even_where_that_is_killed() -> None:
    script = """
import asyncio, sys
from textveil.server.finding import FindingProcesses
from textveil.server.policies import OfferedPolicies
async def main():
    policies = OfferedPolicies("identifiers")
    found = FindingProcesses(1, policies.ready, policies.all, 10.0)
    while await found.found("identifiers", ["Maria"], long=False) is None:
        await asyncio.sleep(0.05)
    print(found._running[0]._process.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        other = int(server.stdout.readline())
        assert is_running(other)
        server.kill()
    give_up = time.monotonic() + 60
    while is_running(other):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def is_running(process: int) -> bool:
    """Whether there is such a process that has not ended; one that nobody waits for stays as a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Counting:
    """Stands for the processes; finds here, and notes what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[bool, bool]] = []

    async def found(self, policy: str, texts: list[str], *, long: bool, must: bool) -> list[list[DetectedSpan]] | None:
        self.asked.append((long, must))
        await asyncio.sleep(0.05)
        return [POLICIES.found(policy, text) for text in texts]


def test_requests_that_come_together_and_long_texts_go_to_them() -> None:
    beside = Counting()
    service = SanitizingService(POLICIES, UncountedLedger(), threads=2, finding=beside)  # type: ignore[arg-type]
    long = "so it was and so it is " * (LONG_CHARACTERS // 20)

    async def release() -> None:
        async def sanitize(text: str, policy: str = "identifiers") -> str:
            (released,) = (await service.release([text], policy=policy, account=WARD)).releases
            assert released.private_map is None or released.private_map.original() == text
            return released.text

        await sanitize("Maria alone")
        assert beside.asked == []
        together = await asyncio.gather(*[sanitize(f"Maria Gonzalez {number}") for number in range(4)])
        assert beside.asked == [(False, False)] * 3 and not any("Gonzalez" in text for text in together)
        await sanitize(long)
        assert beside.asked[3:] == [(True, True)]
        await sanitize("Maria Gonzalez " * (ALONE_CHARACTERS // 15 + 1))
        assert beside.asked[4:] == [(False, True)]
        del beside.asked[:]
        await asyncio.gather(*[sanitize("the cat sat on the mat", "all-words") for _ in range(2)])
        assert beside.asked == []

    try:
        asyncio.run(release())
    finally:
        service.close()


def test_a_text_whose_spans_are_given_is_released_as_where_they_are_found() -> None:
    chosen = policy("identifiers")
    spans = [POLICIES.found("identifiers", text) for text in TEXTS]
    seeded = [Sanitizer(chosen, rng=np.random.default_rng(5)) for _ in range(2)]
    given, own = seeded[0].prepare(TEXTS, found=spans), seeded[1].prepare(TEXTS)
    assert given.counts == own.counts
    assert [release.text for release in given.release()] == [release.text for release in own.release()]


@pytest.mark.parametrize(
    "spans", [[], [[(0, 9)]], [[(3, 2)]], [[(0, 3), (2, 4)]], [[(2, 4), (0, 1)]], [[(-1, 2)]]], ids=str
)
def test_spans_that_are_given_must_lie_in_their_texts_one_after_another(spans: list[list[tuple[int, int]]]) -> None:
    found = [[DetectedSpan(*ends, "person", 1.0, "d") for ends in here] for here in spans]
    with pytest.raises((ParameterError, InputError), match="found must be"):
        Sanitizer("identifiers").prepare(["Maria"], found=found)


def test_spans_are_taken_only_where_values_are_found() -> None:
    with pytest.raises(ParameterError, match="left out"):
        Sanitizer("identifiers").prepare(["Maria"], found=[[]], values=[[]])
    with pytest.raises(ParameterError, match="found must be left out"):
        Sanitizer("all-words").prepare(["Maria"], found=[[]])
