"""Audits of gateways: each planted fault is found and nothing else, and every failure is repeated by its script."""

import http.client
import random
import subprocess
import sys

import pytest
from tests.helpers.stub_gateway import StubGateway

from textveil.errors import EndpointError, ParameterError, TextveilError
from textveil_lab.audit.gateway.attack import Attack
from textveil_lab.audit.gateway.cases import CHAT, MESSAGES, settings, shapes
from textveil_lab.audit.gateway.figures import Figure
from textveil_lab.audit.gateway.run import ALL, audit_gateway
from textveil_lab.audit.gateway.values import KINDS, another, stands
from textveil_lab.audit.gateway.wire import Gateway, Upstream

SETTINGS = {api: [*shapes(), *settings(api)] for api in (CHAT, MESSAGES)}

HEADERS = ("X-Customer", "User-Agent", "Cookie", "X-Forwarded-For")


@pytest.fixture
def upstream():
    with Upstream(0) as made:
        yield made


def _audited(upstream, *faults: str, families=(), trials=14):
    with StubGateway(upstream.port, *faults) as stub:
        return audit_gateway(Gateway(url=stub.url, seconds=20), upstream, trials=trials, families=families, seed=5)


def _failed(audit) -> set[str]:
    return {f"{figure.family}: {figure.name}" for figure in audit.failures}


@pytest.mark.parametrize("api", [CHAT, MESSAGES])
def test_whatever_is_planted_is_found_in_the_bytes_that_were_sent(api):
    draw = random.Random(1)
    for setting in SETTINGS[api]:
        for kind in setting.kinds or KINDS:
            shot = setting.build(draw, kind, api, "m")
            lines = [shot.request.path, *(f"{name}: {text}" for name, text in shot.request.headers.items())]
            sent = "\r\n".join(lines).encode() + b"\r\n\r\n" + shot.request.body
            assert stands(shot.needles, [sent]), (setting, kind, shot.value)
            assert not stands(another(shot.value, draw).telling, [sent]), (setting, kind)


def test_a_gateway_without_faults_is_never_blamed(upstream):
    audit = _audited(upstream, trials=3)
    assert _failed(audit) == set()
    assert set(audit.kinds) == KINDS.keys()
    assert {figure.family for figure in audit.figures} == set(ALL)
    assert all(figure.bound.upper < 1 and figure.bound.confidence == 0.99 for figure in audit.of("shape"))


@pytest.mark.parametrize(
    ("fault", "family", "found"),
    [
        ("system", "field", {"field: system message"}),
        ("headers", "field", {f"field: header {name}" for name in HEADERS}),
        ("open", "stress", {"stress: JSON that breaks off", "stress: no JSON", "stress: a list of requests",
                            "stress: messages is one text", "stress: bytes that are no UTF-8"}),
        ("chunks", "restoration", {f"restoration: stream, {step} letters a chunk" for step in (1, 2, 3, 5, 8, 13)}
                                  | {"restoration: call of a tool, streamed, 3 letters a chunk"}),
        ("shared", "mixing", {f"mixing: another {who}{own}" for who in ("key", "conversation of the same key")
                              for own in ("", ", with a value of its own")}),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found_and_nothing_else(upstream, fault, family, found):
    assert _failed(_audited(upstream, fault, families=[family], trials=7)) == found


def test_fields_and_routes_that_go_on_are_found(upstream):
    failed = _failed(_audited(upstream, "unknown", families=["field"], trials=1))
    assert {"field: metadata", "field: field user", "field: name of a function", "field: words that stop"} <= failed
    assert not failed & {"field: system message", "field: answer of a tool", "field: header Cookie"}
    routes = _failed(_audited(upstream, "routes", families=["route"], trials=1))
    assert len(routes) == len([one for one in SETTINGS[CHAT] if one.family == "route"])


def test_equal_surrogates_are_an_oracle_and_fresh_ones_are_none(upstream):
    """Alpha: 0.005 for each of the figures that shall not fail, and the others' power is 1 - 0.5 ** 60."""
    audit = {figure.name: figure for figure in _audited(upstream, "same", families=["guesses"], trials=84).figures}
    across = audit["in another conversation of the same key"], audit["in a conversation of another key"]
    # Of seven kinds the stub leaves the text around addresses alone.
    assert all(figure.failed is (figure.bound.lower > 0.5) and figure.kinds == ("email",) for figure in across)
    emails = _emails(upstream, "same")
    assert {name for name, figure in emails.items() if figure.failed} == set(list(emails)[:4])
    numbered = _emails(upstream, "numbered")
    assert numbered["surrogates that are markers"].count == 60
    fresh = _emails(upstream)
    assert not any(figure.failed for figure in fresh.values())


def _emails(upstream, *faults: str) -> dict[str, Figure]:
    from textveil_lab.audit.gateway.guesses import guesses

    with StubGateway(upstream.port, *faults) as stub:
        attack = Attack(gateway=Gateway(url=stub.url), upstream=upstream, api=CHAT, trials=60, seed=9)
        return {figure.name: figure for figure in guesses(attack, ("email",))}


def test_another_key_is_another_or_nothing_is_tried_between_keys(upstream):
    with StubGateway(upstream.port, "headers") as stub:
        for other, tried in (("sk-two", 2), ("", 0)):
            upstream.taken()
            gateway = Gateway(url=stub.url, key="sk-one", other_key=other)
            audit = audit_gateway(gateway, upstream, trials=1, families=["mixing", "guesses"], seed=1)
            assert sum("another key" in figure.name for figure in audit.of("mixing")) == tried
            assert sum("another key" in figure.name for figure in audit.of("guesses")) == tried // 2
        gateway = Gateway(url=stub.url, key="sk-one", other_key="sk-two")
        attack = Attack(gateway=gateway, upstream=upstream, api=CHAT, trials=1, seed=1)
        shot = SETTINGS[CHAT][0].build(random.Random(1), "person", CHAT, "m")
        for other, key in ((False, b"Bearer sk-one"), (True, b"Bearer sk-two")):
            _, (came,) = attack.send(shot, other=other)
            assert key in came


def _scripts(upstream, names) -> list[str]:
    """The scripts of a gateway that sends all in clear, and of the faults of replies."""
    with StubGateway(upstream.port, "clear") as stub:
        attack = Attack(gateway=Gateway(url=stub.url), upstream=upstream, api=CHAT, trials=1, seed=2)
        chosen = [one for one in SETTINGS[CHAT] if names is None or one.name in names]
        figures = [attack.leaks(one, one.kinds or tuple(KINDS)) for one in chosen]
        assert all(figure.count == 1 for figure in figures), [figure.name for figure in figures if not figure.count]
        yield from _ran(upstream, figures)


def _ran(upstream, figures):
    upstream.__exit__()
    for figure in figures:
        script = figure.replay
        assert len(script.splitlines()) <= 10, figure.name
        assert "textveil" not in script
        done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=60)
        yield figure.name, done.stdout.splitlines()[-1:], done.stderr


QUICK = (
    "email",
    "system message",
    "base64",
    "header Cookie",
    "two messages",
    "\\u escapes of JSON",
    "text of a megabyte",
)


def test_scripts_repeat_leaks_without_textveil(upstream):
    ran = list(_scripts(upstream, QUICK))
    assert len(ran) == len(QUICK)
    for name, said, errors in ran:
        assert said == ["FAILED: the provider reads it"], (name, said, errors)


@pytest.mark.slow
def test_scripts_repeat_leaks_of_every_setting(upstream):
    for name, said, errors in _scripts(upstream, None):
        assert said == ["FAILED: the provider reads it"], (name, said, errors)


@pytest.mark.parametrize("fault", ["chunks", "shared", "same"])
def test_scripts_repeat_what_replies_and_guesses_showed(upstream, fault):
    family = {"chunks": "restoration", "shared": "mixing", "same": "guesses"}[fault]
    with StubGateway(upstream.port, fault) as stub:
        gateway = Gateway(url=stub.url)
        if fault == "same":
            from textveil_lab.audit.gateway.guesses import guesses

            attack = Attack(gateway=gateway, upstream=upstream, api=CHAT, trials=20, seed=9)
            figures = [figure for figure in guesses(attack, ("email",)) if figure.failed]
        else:
            figures = audit_gateway(gateway, upstream, trials=2, families=[family], seed=1).failures
        assert len(figures) >= 4
        for name, said, errors in _ran(upstream, figures):
            assert said and said[0].startswith("FAILED"), (name, said, errors)


def test_a_script_of_what_holds_says_so(upstream):
    with StubGateway(upstream.port, "clear") as leaky, StubGateway(upstream.port) as sound:
        attack = Attack(gateway=Gateway(url=leaky.url), upstream=upstream, api=CHAT, trials=1, seed=2)
        figure = attack.leaks(SETTINGS[CHAT][1], ("email",))
        ports = [url.rpartition(":")[2].removesuffix("/v1") for url in (leaky.url, sound.url)]
        held = Figure(family="", name="", event="leaked", trials=1, count=1, replay=figure.replay.replace(*ports))
        ((_, said, errors),) = _ran(upstream, [held])
        assert said == ["held"], errors


def test_a_provider_that_is_gone_answers_on_no_connection_that_is_still_open():
    """Else a script that takes its place would hear nothing of a gateway that keeps its connections."""
    with Upstream(0) as upstream:
        kept = http.client.HTTPConnection("127.0.0.1", upstream.port, timeout=10)
        kept.request("GET", "/v1/models")
        assert kept.getresponse().read() and len(upstream.taken()) == 1
    with pytest.raises((OSError, http.client.HTTPException)):
        kept.auto_open = 0
        kept.request("GET", "/v1/models")
        kept.getresponse()
    kept.close()


def test_bad_input_is_one_line(upstream):
    with pytest.raises(ParameterError, match=r"url must be http:// and a host of this machine"):
        Gateway(url="http://203.0.113.7/v1")
    with pytest.raises(ParameterError, match="upstream_port"):
        Upstream(upstream.port)
    with pytest.raises(EndpointError, match=r"got no answer, and nothing came there"):
        audit_gateway(Gateway(url="http://127.0.0.1:9/v1"), upstream)
    with StubGateway(upstream.port) as stub:
        for wrong in (
            {"trials": 0},
            {"api": "soap"},
            {"families": ["colour"]},
            {"breaking": "exit 3", "trials": 1, "families": ["shape"]},
        ):
            with pytest.raises(TextveilError) as caught:
                audit_gateway(Gateway(url=stub.url), upstream, **wrong)
            assert "\n" not in str(caught.value)
