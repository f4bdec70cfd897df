"""The tools of ``textveil mcp``, called by the official client: in this process, and of a real process by its pipes."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters, stdio_client

from textveil.errors import ParameterError
from textveil.integrations.dialogues import Dialogues, paying
from textveil.integrations.mcp_server import TOOLS, TextTools, make_server
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

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


@pytest.fixture(scope="module")
def sanitizers() -> dict[str, Sanitizer]:
    return {name: Sanitizer(policy(name)) for name in ("prompts", "identifiers")}


@pytest.fixture
def tools(sanitizers) -> TextTools:
    return TextTools({name: Dialogues(one) for name, one in sanitizers.items()})


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


def test_a_text_goes_out_sanitized_and_comes_back(tools) -> None:
    failed, first = call(tools, "sanitize", text=TEXT)
    assert not failed and "Zyxwell" not in first["text"]
    assert first["policy"] == "prompts" and first["budget"] is None and not first["reused"]
    assert first["guarantee"]["epsilon"] == 1.0 and first["guarantee"]["status"] == "proved"
    _, again = call(tools, "sanitize", text=TEXT, conversation=first["conversation"])
    assert again["text"] == first["text"] and again["reused"] and again["guarantee"]["epsilon"] == 0.0
    _, back = call(tools, "restore", text=f"I asked. {first['text']}", conversation=first["conversation"])
    assert back["text"] == f"I asked. {TEXT}" and back["replaced"] == 2 and back["unused"] == 0


def test_the_content_is_the_structured_content(tools) -> None:
    done = asked(make_server(tools), lambda client: client.call_tool("sanitize", {"text": TEXT}))
    assert json.loads(done.content[0].text) == done.structured_content


def test_detect_and_audit(tools) -> None:
    _, found = call(tools, "detect", text=TEXT)
    assert {"start": 4, "end": 17, "kind": "person"}.items() <= found["spans"][0].items()
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


def test_a_release_is_paid_for_before_it_is_drawn(sanitizers, tmp_path: Path) -> None:
    """And what comes again costs nothing, an exhausted budget is a refusal."""
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger
    from textveil.budget.limit import Limit

    with Ledger(str(tmp_path / "ledger.sqlite")) as ledger:
        account = Account("local", "someone")
        ledger.set_limit(account, Limit(epsilon=1.5))
        dialogues = {"prompts": Dialogues(sanitizers["prompts"], paying(ledger, account))}
        tools = TextTools(dialogues, lambda: ledger.balance(account).as_data())
        _, first = call(tools, "sanitize", text=TEXT, conversation="a")
        assert first["budget"]["limit"]["epsilon"] == 1.5
        _, again = call(tools, "sanitize", text=TEXT, conversation="a")
        assert again["budget"] == first["budget"] and again["reused"]
        failed, line = call(tools, "sanitize", text="He came on 9 June 2020.", conversation="a")
        assert failed and "budget" in line and "June" not in line and "\n" not in line
        _, plain = call(tools, "sanitize", text="Ask Dr. Zyxwell.", conversation="a")  # epsilon 0
        assert "Zyxwell" not in plain["text"]
        assert ledger.balance(account).spent.epsilon == 1.0


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
