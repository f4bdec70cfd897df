"""The long run of the server (benchmarks/soak_server.py) sees what it looks for; CI runs a minute of it."""

import asyncio
import contextlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.helpers.attacks import loaded

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("soak_server", monkeypatch)


def test_the_upstream_sees_what_should_not_come(soak: ModuleType) -> None:
    async def sent(*bodies: bytes) -> Any:
        upstream = soak.Upstream(1)
        async with upstream.listening() as port:
            for body in bodies:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                head = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body)
                writer.write(head + body)
                with contextlib.suppress(ConnectionError):
                    await reader.read()
                writer.close()
        return upstream

    seen = asyncio.run(sent(b'{"stream": false}', b'{"messages": "9QZXCanary@example.org"}', b"{}"))
    assert (seen.requests, seen.leaks) == (3, 1)


def test_the_word_stands_only_in_what_the_policy_replaces(soak: ModuleType) -> None:
    import textveil as tv

    sanitizer = tv.Sanitizer(tv.policy("identifiers"))
    for number in range(50):
        text = soak.TEXT.format(n=number * 10_000_019, canary=soak.CANARY, d=number)
        assert text.count(soak.CANARY) == 3
        assert soak.CANARY not in sanitizer(text).text.lower()


def test_the_load_tool_is_kept_on_this_machine(soak: ModuleType) -> None:
    programs = sys.modules["programs"]
    with pytest.raises(SystemExit, match="this machine only"):
        programs.wrk("http://example.org", Path("load.lua"), 1, 1)
