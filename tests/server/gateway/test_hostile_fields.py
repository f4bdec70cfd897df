"""Fields, headers, queries and routes that nobody reads bring nothing to the upstream and into no error."""

import contextlib
from types import ModuleType

import httpx
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.servers import running

from textveil.server.config import Config


@pytest.fixture
def attacks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded_attack("gateway_fields", monkeypatch)


@pytest.mark.slow
def test_hostile_requests_bring_nothing_to_the_upstream(attacks: ModuleType) -> None:
    with contextlib.ExitStack() as held:
        upstream = held.enter_context(contextlib.closing(attacks.Upstream()))
        client = held.enter_context(running(Config(upstream=upstream.url, requests_per_second=0)))
        outcome = attacks.attack(client, upstream, requests=300, seed=3)
    assert outcome.went_on > 60 and (outcome.leaks, outcome.quotes) == (0, 0)


def test_the_attack_sees_what_comes_unread(attacks: ModuleType) -> None:
    with contextlib.ExitStack() as held:
        upstream = held.enter_context(contextlib.closing(attacks.Upstream()))
        client = held.enter_context(httpx.Client(base_url=upstream.url.removesuffix("/v1"), trust_env=False))
        outcome = attacks.attack(client, upstream, requests=20, seed=3)
    assert outcome.went_on == outcome.leaks == 20
