"""A provider, and a server in front of it whose ledger forgets."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.helpers.canaries import write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import UPSTREAM_KEY, Provider, last_text, say, saying

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


@pytest.fixture
def told(provider: Provider, tmp_path: Path) -> Config:
    """A server that keeps conversations in its database, and a provider that says how many turns it has heard."""
    provider.forget()
    provider.answer = saying(lambda body: f"Of **{last_text(body)}** I have heard {len(body['messages'])} times.")
    folder = tmp_path / "policies"
    folder.mkdir()
    return Config(
        database=str(tmp_path / "budgets.db"),
        upstream=provider.url,
        policy="paid",
        policies=write_policy(folder),
        maps="database",
        log=True,
    )
