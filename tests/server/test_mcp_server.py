"""The tools of ``textveil mcp``, called by the official client: in this process, and of a real process by its pipes."""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.shared import needs_lab

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters, stdio_client
from tests.helpers.servers import MemoryLedger

from textveil.budget.account import Account
from textveil.errors import LedgerError, ParameterError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Prepared
from textveil.server.budgets import UncountedLedger
from textveil.server.conversations import Conversations
from textveil.server.foreign import ForeignValues
from textveil.server.mcp_server import LARGEST, TOOLS, TextTools, make_server
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService

TEXT = "Ask Maria Zyxwell, born 4 May 1981."
CANARY = "Xylophon Quartermaine"
OWN = """
name = "own"
detectors = ["embedded"]
[[rule]]
kind = "word"
keep = true
[[rule]]
kind = "person"
surrogate = "person"
"""


MARIA = Account("local", "maria")


@pytest.fixture(scope="module")
def offered() -> OfferedPolicies:
    return OfferedPolicies("prompts", policies={name: policy(name) for name in ("prompts", "identifiers")})


@pytest.fixture
def made(offered) -> Iterator[Callable[..., TextTools]]:
    """Tools over a ledger, with conversations of their own unless they are given some."""
    services: list[SanitizingService] = []

    def tools(
        ledger: Any = None,
        account: Account = MARIA,
        kept: Conversations | None = None,
        foreign: ForeignValues = ForeignValues(),  # noqa: B008
    ) -> TextTools:
        services.append(SanitizingService(offered, UncountedLedger() if ledger is None else ledger, foreign=foreign))
        kept = Conversations(seconds=3600, most_bytes=10**6) if kept is None else kept
        return TextTools(services[-1], kept, account, counted=ledger is not None, shared=foreign.shared)

    yield tools
    for one in services:
        one.close()


@pytest.fixture
def tools(made) -> TextTools:
    return made()


SHARED = ForeignValues(shared=True)


def asked(server: Any, calls: Callable[[Client], Awaitable[Any]]) -> Any:
    """What the client finds out."""

    async def run() -> Any:
        async with Client(server) as client:
            return await calls(client)

    return anyio.run(run)


def call(tools: TextTools, name: str, **arguments: Any) -> tuple[bool, Any]:
    """Whether it failed, and the data or the line that came back."""
    done = asked(make_server(tools), lambda client: client.call_tool(name, arguments))
    return done.is_error, done.content[0].text if done.is_error else done.structured_content


def test_a_text_goes_out_sanitized_and_comes_back(made) -> None:
    tools = made(foreign=SHARED)
    failed, first = call(tools, "sanitize", text=TEXT)
    assert not failed and "Zyxwell" not in first["text"]
    assert first["policy"] == "prompts" and first["budget"] is None
    assert first["guarantee"]["epsilon"] == 1.0 and first["guarantee"]["status"] == "proved"
    _, again = call(tools, "sanitize", text=TEXT, conversation=first["conversation"])
    assert again["text"] == first["text"] and again["guarantee"]["epsilon"] == 0.0
    _, back = call(tools, "restore", text=f"I asked. {first['text']}", conversation=first["conversation"])
    assert back["text"] == f"I asked. {TEXT}" and back["replaced"] == 2 and back["unused"] == 0


def test_the_content_is_the_structured_content(tools) -> None:
    done = asked(make_server(tools), lambda client: client.call_tool("sanitize", {"text": TEXT}))
    assert json.loads(done.content[0].text) == done.structured_content


def test_detect(tools) -> None:
    _, found = call(tools, "detect", text=TEXT)
    assert {"start": 4, "end": 17, "kind": "person"}.items() <= found["spans"][0].items()


@needs_lab
def test_audit(tools) -> None:
    _, report = call(tools, "audit", mechanism="randomized-response", epsilon=3.0, words=50)
    assert report["verdict"] == "certified" and report["vocabulary"]["words"] == 50
    failed, line = call(tools, "audit", mechanism="randomised")
    assert failed and "randomized-response" in line


def test_policies_are_those_that_the_server_was_started_with(tools) -> None:
    _, made = call(tools, "sanitize", text=TEXT, policy="identifiers", conversation="a")
    assert made["policy"] == "identifiers"
    failed, line = call(tools, "sanitize", text=TEXT, conversation="a")
    assert failed and "policy" in line
    failed, line = call(tools, "sanitize", text=TEXT, policy="content-words")
    assert failed and "prompts, identifiers" in line


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("sanitize", {}, "text must be given"),
        ("sanitize", {"text": 4}, "text must be"),
        ("sanitize", {"text": [CANARY]}, "text must be"),
        ("sanitize", {"text": f"{CANARY}\0"}, "NUL"),
        ("sanitize", {"text": CANARY, CANARY: 1}, "text, policy, conversation"),
        ("sanitize", {"text": CANARY, "policy": CANARY}, "policy must be one of"),
        ("sanitize", {"text": CANARY, "conversation": CANARY * 20}, "conversation must be"),
        ("restore", {"text": CANARY, "conversation": CANARY}, "conversation must be one"),
        ("audit", {"mechanism": CANARY}, "mechanism must be"),
        ("audit", {"mechanism": "neighborhood", "words": 1}, "words must be"),
        ("audit", {"mechanism": "neighborhood", "epsilon": -1.0}, "epsilon must be"),
        (CANARY, {"text": CANARY}, "tool must be one of"),
    ],
)
def test_failures_are_one_line_without_text(tools, caplog, tool, arguments, told) -> None:
    caplog.set_level(logging.INFO)
    failed, line = call(tools, tool, **arguments)
    assert failed and told in line and "\n" not in line
    if tool != "audit":
        assert "Xylophon" not in line + caplog.text


def test_a_fault_of_our_own_says_nothing_and_releases_nothing(tools, monkeypatch, caplog) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(CANARY)

    caplog.set_level(logging.DEBUG, "mcp")
    monkeypatch.setattr(Sanitizer, "prepare", broken)
    failed, line = call(tools, "sanitize", text=CANARY)
    assert failed and line == "internal error: RuntimeError; nothing was released."
    assert CANARY not in caplog.text


def test_only_what_is_offered_can_be_called(tools) -> None:
    server = make_server(tools, ("sanitize",))
    listed = asked(server, lambda client: client.list_tools())
    assert [one.name for one in listed.tools] == ["sanitize"]
    assert "conversation" in listed.tools[0].input_schema["properties"]
    assert "prompts, identifiers" in (listed.tools[0].description or "")
    done = asked(server, lambda client: client.call_tool("restore", {"text": "a", "conversation": "a"}))
    assert done.is_error and done.content[0].text == "tool must be one of sanitize; got another."
    for wrong in ((), ("nothing",)):
        with pytest.raises(ParameterError):
            make_server(tools, wrong)
    assert [one.name for one in asked(make_server(tools), lambda client: client.list_tools()).tools] == list(TOOLS)


def test_a_release_is_paid_for_before_it_is_drawn(made, tmp_path: Path) -> None:
    """And what comes again costs nothing, an exhausted budget is a refusal."""
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Limit
    from textveil.budget.ledger import Ledger

    with Ledger(str(tmp_path / "ledger.sqlite")) as ledger:
        account = Account("local", "someone")
        ledger.set_limit(account, Limit(epsilon=1.5))
        tools = made(ledger, account, foreign=SHARED)
        _, first = call(tools, "sanitize", text=TEXT, conversation="a")
        assert first["budget"]["limit"]["epsilon"] == 1.5
        _, again = call(tools, "sanitize", text=TEXT, conversation="a")
        assert again["budget"] == first["budget"]
        failed, line = call(tools, "sanitize", text="He came on 9 June 2020.", conversation="a")
        assert failed and "budget" in line and "June" not in line and "\n" not in line
        _, plain = call(tools, "sanitize", text="Ask Dr. Zyxwell.", conversation="a")  # epsilon 0
        assert "Zyxwell" not in plain["text"]
        assert ledger.balance(account).spent.epsilon == 1.0


def test_each_step_comes_behind_the_one_before(made, monkeypatch) -> None:
    ledger, whole = MemoryLedger(), Prepared.release

    def drawn(self: Prepared) -> Any:
        ledger.calls.append("draw")
        return whole(self)

    monkeypatch.setattr(Prepared, "release", drawn)
    call(made(ledger), "sanitize", text=TEXT)
    assert ledger.calls == ["reserve", "draw", "commit"]


@pytest.mark.parametrize("step", ["prepare", "reserve", "draw", "commit"])
def test_any_failure_on_the_way_releases_nothing_and_is_not_remembered(made, monkeypatch, caplog, step) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(CANARY)

    ledger = MemoryLedger()
    tools = made(ledger)
    target = {
        "prepare": (Sanitizer, "prepare"),
        "reserve": (ledger, "reserve"),
        "draw": (Prepared, "release"),
        "commit": (ledger, "commit"),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(*target, broken)
        failed, line = call(tools, "sanitize", text=TEXT, conversation="a")
    assert failed and line == "internal error: RuntimeError; nothing was released." and CANARY not in caplog.text
    taken = ledger.calls.count("reserve")
    assert taken == (step in ("draw", "commit"))
    _, again = call(tools, "sanitize", text=TEXT, conversation="a")
    assert "Zyxwell" not in again["text"] and ledger.calls.count("reserve") == taken + 1


def test_twenty_texts_are_paid_for_once_however_often_they_come(made) -> None:
    ledger = MemoryLedger()
    tools = made(ledger, foreign=SHARED)
    texts = [f"On {turn + 1} May 2021 Maria Zyxwell came." for turn in range(20)]
    first = [call(tools, "sanitize", text=one, conversation="a")[1] for one in texts]
    assert len({one["text"] for one in first}) == 20 and ledger.calls == ["reserve", "commit"] * 20
    again = [call(tools, "sanitize", text=one, conversation="a")[1] for one in texts]
    assert [one["text"] for one in again] == [one["text"] for one in first]
    assert len(ledger.calls) == 40
    answer = " ".join(one["text"] for one in first)
    assert call(tools, "restore", text=answer, conversation="a")[1]["text"].count("Maria Zyxwell") == 20


def test_whoever_calls_cannot_test_guesses(made) -> None:
    """A guess that is right is drawn, paid and told like one that is wrong; all of them can be undone."""
    ledger = MemoryLedger()
    tools = made(ledger)
    first = call(tools, "sanitize", text="Maria Zyxwell", conversation="a")[1]
    again = [call(tools, "sanitize", text="Maria Zyxwell", conversation="a")[1] for _ in range(20)]
    released = [first["text"], *(one["text"] for one in again)]
    assert len(set(released)) == 21, "a place in the pool is taken once"
    assert ledger.calls == ["reserve", "commit"] * 21
    assert {one["guarantee"]["text"] for one in again} == {first["guarantee"]["text"]} and "reused" not in first
    answer = call(tools, "restore", text=f"Ask {' and '.join(released)}.", conversation="a")[1]
    assert answer["text"].count("Maria Zyxwell") == 21 and not answer["ambiguous"]


def test_values_of_a_conversation_are_limited(made) -> None:
    ledger = MemoryLedger()
    tools = made(ledger, foreign=ForeignValues(shared=True, most=2))
    for name in ("Maria Zyxwell", "Tom Zyxwell"):
        assert not call(tools, "sanitize", text=f"Ask {name}.", conversation="a")[0]
    failed, line = call(tools, "sanitize", text="Ask Maria Quux.", conversation="a")
    assert failed and "at most 2 values" in line and "Maria" not in line and ledger.calls == ["reserve", "commit"] * 2
    assert not call(tools, "sanitize", text="Ask Tom Zyxwell.", conversation="a")[0], "it was released before"
    assert not call(tools, "sanitize", text="Ask Maria Quux.", conversation="b")[0]


def test_what_is_paid_for_comes_though_the_ledger_fails_behind_it(made, monkeypatch) -> None:
    def fails(self: MemoryLedger, account: Account) -> Any:
        raise LedgerError("the disk does not answer.")

    monkeypatch.setattr(MemoryLedger, "balance", fails)
    ledger = MemoryLedger(8.0)
    failed, answer = call(made(ledger), "sanitize", text=TEXT)
    assert not failed and ledger.calls == ["reserve", "commit"]
    assert answer["budget"]["remaining"]["epsilon"] == 7 and "Zyxwell" not in answer["text"]


def test_one_text_of_many_calls_at_a_time_is_paid_for_once(made, monkeypatch) -> None:
    ledger, whole = MemoryLedger(), MemoryLedger.reserve_all

    def slow(self: MemoryLedger, wanted: Any) -> Any:
        time.sleep(0.2)  # time for the others to come
        return whole(self, wanted)

    monkeypatch.setattr(MemoryLedger, "reserve_all", slow)
    tools = made(ledger, foreign=SHARED)

    async def run() -> list[Any]:
        asked = [tools.call("sanitize", {"text": TEXT, "conversation": "a"}) for _ in range(8)]
        return await asyncio.gather(*asked)

    answers = asyncio.run(run())
    assert len({one["text"] for one in answers}) == 1 and ledger.calls == ["reserve", "commit"]
    assert sorted(one["guarantee"]["epsilon"] for one in answers) == [0.0] * 7 + [1.0]


def test_conversations_share_nothing_and_are_those_of_one_account(made) -> None:
    kept = Conversations(seconds=3600, most_bytes=10**6)
    tools = made(kept=kept)
    texts = {call(tools, "sanitize", text=TEXT, conversation=str(number))[1]["text"] for number in range(8)}
    assert len(texts) > 1
    for account in (Account("local", "tom"), Account("local"), Account("other", "maria")):
        other = made(account=account, kept=kept)
        failed, line = call(other, "restore", text=TEXT, conversation="0")
        assert failed and line.startswith("conversation must be one")
        assert not call(other, "sanitize", text=TEXT, conversation="0")[0]


def test_what_is_not_used_is_forgotten(made) -> None:
    now = [100.0]
    tools = made(kept=Conversations(seconds=10, most_bytes=10**6, clock=lambda: now[0]))
    _, first = call(tools, "sanitize", text=TEXT, conversation="a")
    now[0] += 9
    assert not call(tools, "restore", text=first["text"], conversation="a")[0]
    now[0] += 9
    assert call(tools, "restore", text=first["text"], conversation="a")[1]["text"] == TEXT
    now[0] += 10
    assert call(tools, "restore", text=first["text"], conversation="a")[0]


def test_a_conversation_keeps_the_policy_that_it_began_with(made) -> None:
    """Also where its first texts come at one time, and where nothing of it could be released."""
    tools = made()

    async def run() -> list[Any]:
        asked = [{"text": TEXT, "conversation": "a", "policy": one} for one in ("prompts", "identifiers")]
        return await asyncio.gather(*[tools.call("sanitize", one) for one in asked], return_exceptions=True)

    answers = asyncio.run(run())
    assert answers[0]["policy"] == "prompts" and isinstance(answers[1], ParameterError)


def test_the_service_is_the_only_way(tools, monkeypatch) -> None:
    called: list[Any] = []
    whole = SanitizingService.release

    async def counted(self: Any, texts: Any, **options: Any) -> Any:
        called.append((list(texts), options["account"]))
        return await whole(self, texts, **options)

    monkeypatch.setattr(SanitizingService, "release", counted)
    call(tools, "sanitize", text=TEXT)
    assert called == [([TEXT], MARIA)]


def test_what_cannot_be_sent_is_refused_before_anything_is_drawn(made) -> None:
    ledger = MemoryLedger()
    tools = made(ledger)

    async def run(given: dict[str, Any]) -> None:
        await tools.call("sanitize", given)

    for wrong in ("a\ud800b", "a\0b", 3, b"a", "x" * (LARGEST + 1)):
        with pytest.raises(ParameterError, match="text must"):
            asyncio.run(run({"text": wrong}))
        with pytest.raises(ParameterError, match="conversation must"):
            asyncio.run(run({"text": TEXT, "conversation": wrong}))
    assert ledger.calls == []


@pytest.mark.slow
def test_a_real_process_answers_on_its_pipes(tmp_path: Path) -> None:
    """As a host starts it; and what it writes to standard error is nothing at all."""
    own = tmp_path / "own.toml"
    own.write_text(OWN)
    arguments = ["-m", "textveil", "mcp", "--policy", "prompts", "--policy", str(own)]
    arguments += ["--ledger", str(tmp_path / "ledger.sqlite"), "--unit", "someone"]
    told = tmp_path / "stderr"

    async def run() -> None:
        with told.open("w") as errors:
            started = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
            async with Client(stdio_client(started, errlog=errors)) as client:
                first = (await client.call_tool("sanitize", {"text": TEXT, "policy": "own"})).structured_content
                assert "Zyxwell" not in first["text"] and "4 May 1981" in first["text"]
                assert first["budget"]["releases"] == 1
                asked = {"text": first["text"], "conversation": first["conversation"]}
                assert (await client.call_tool("restore", asked)).structured_content["text"] == TEXT
                assert (await client.call_tool("sanitize", {"text": 1})).is_error

    anyio.run(run)
    assert told.read_text() == ""
