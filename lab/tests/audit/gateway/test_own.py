"""textveil's own gateway, attacked as any other; what it fails at is stated here and in lab/docs/gateways.md."""

from pathlib import Path

import pytest
from tests.helpers.servers import MemoryLedger, running

from textveil.server.config import Config
from textveil_lab.audit.gateway.run import ALL, audit_gateway
from textveil_lab.audit.gateway.table import stored
from textveil_lab.audit.gateway.values import KINDS
from textveil_lab.audit.gateway.wire import Gateway, Upstream

FAILS = {
    "field: name of a function": "public by design, as docs/gateway.md says",
    "encoding: quoted-printable": "telephone numbers, cards, IBANs and social security numbers",
    "encoding: hexadecimal": "social security numbers: eleven characters, too short a run to be read",
    "encoding: spaces between all letters": "a value that is spelled out",
    "encoding: letters of another script": "a value with letters that only look alike",
    "cut: two messages": "a telephone number",
    "cut: line break in the value": "a telephone number",
    "cut: hyphen at the end of a line": "a telephone or a social security number",
    "cut: bold sign in the value": "a telephone number",
    "cut: glued to words": "a name within a longer word",
    "language: pl": "a name of a family on no list, in a sentence that does not name it",
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


def test_the_run_on_the_page_fails_at_no_more():
    ours = stored(Path(__file__).resolve().parents[3] / "docs/gateways")[0]
    assert ours.name == "textveil" and len(ours.figures) > 100
    assert {f"{figure.family}: {figure.name}" for figure in ours.failures} <= FAILS.keys()
