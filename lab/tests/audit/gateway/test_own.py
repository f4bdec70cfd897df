"""textveil's own gateway, attacked as any other; what it fails at is stated here and in lab/docs/gateways.md."""

import pytest
from tests.helpers.servers import MemoryLedger, running

from textveil.server.config import Config
from textveil_lab.audit.gateway.run import ALL, audit_gateway
from textveil_lab.audit.gateway.values import KINDS
from textveil_lab.audit.gateway.wire import Gateway, Upstream

FAILS = {
    "field: name of a function": "names that programs call each other by go on",
    "encoding: quoted-printable": "read only where an escaped text is declared or common",
    "encoding: spaces between all letters": "a value that is spelled out",
    "encoding: letters of another script": "a value with letters that only look alike",
    "cut: line break in the value": "a value that goes on in the next line",
    "cut: bold sign in the value": "a value with signs within it",
    "cut: glued to words": "a name within a word",
}
"""What may leak, and why; a row that no longer does is taken out here and from the page."""


def _failed(api: str, *families: str, trials: int = 1) -> set[str]:
    with Upstream(0) as upstream:
        config = Config(upstream=f"http://127.0.0.1:{upstream.port}/v1", upstream_key="sk-up", policy="prompts")
        with running(config, MemoryLedger()) as client:
            gateway = Gateway(url=f"{client.base_url}".rstrip("/") + "/v1")
            audit = audit_gateway(gateway, upstream, api=api, trials=trials, families=families, seed=11)
    assert set(audit.kinds) == KINDS.keys()
    assert {figure.family for figure in audit.figures} == set(families or ALL) | {"shape"}
    return {f"{figure.family}: {figure.name}" for figure in audit.failures}


def test_our_gateway_fails_at_nothing_but_what_is_stated():
    failed = _failed("chat", *(family for family in ALL if family != "stress"))
    assert failed <= FAILS.keys()
    assert "field: name of a function" in failed  # the attack is there and sees what leaks


def test_the_other_api_fails_at_no_more():
    assert _failed("messages", "field", "restoration") <= FAILS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("api", ["chat", "messages"])
def test_more_values_and_long_texts_fail_at_no_more(api):
    assert _failed(api, trials=5) <= FAILS.keys()
