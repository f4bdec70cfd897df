"""A provider, and a server in front of it whose ledger forgets."""

from collections.abc import Iterator

import httpx
import pytest
from tests.helpers.canaries import write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import UPSTREAM_KEY, Provider, say

from textveil.server.config import Config


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        yield made


@pytest.fixture(scope="module")
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture(scope="module")
def server(
    provider: Provider, ledger: MemoryLedger, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    policies = write_policy(tmp_path_factory.mktemp("policies"))
    config = Config(
        upstream=provider.url, upstream_key=UPSTREAM_KEY, policy="canaries", policies=policies, upstream_seconds=5
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
