"""A provider, and a server in front of it whose ledger forgets."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import Provider, say

from textveil.server.config import Config


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture(scope="module")
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture(scope="module")
def server(provider: Provider, ledger: MemoryLedger) -> Iterator[httpx.Client]:
    config = Config(
        upstream=provider.url, upstream_key="sk-the-key-of-the-upstream", policy="prompts", upstream_seconds=2
    )
    with running(config, ledger) as made:
        yield made


@pytest.fixture
def client(server: httpx.Client, provider: Provider, ledger: MemoryLedger) -> httpx.Client:
    """The server, of which nothing was asked yet."""
    provider.answer = say("Yes.")
    provider.forget()
    ledger.calls.clear()
    return server
