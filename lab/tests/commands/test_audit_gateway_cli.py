"""``textveil audit-gateway``: what it writes, and its exit codes."""

import json
import socket

import pytest
from tests.helpers.stub_gateway import StubGateway


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_fault_is_written_in_every_form_and_is_exit_code_4(command, port, tmp_path):
    with StubGateway(port, "system") as stub:
        options = (
            "--upstream-port",
            port,
            "--trials",
            2,
            "--seed",
            1,
            "--only",
            "field",
            "--name",
            "A <b>stub</b> 1.0",
        )
        code, out, err = command("audit-gateway", stub.url, *options, "-o", tmp_path / "out")
    assert code == 4
    assert "values leak in 1," in err
    assert "| system message | 100 % | 2 | 7.07 % to 100 % | - | " in out.decode()
    data = json.loads((tmp_path / "out/gateway.json").read_text())
    (failed,) = [figure for figure in data["figures"] if figure["failed"]]
    assert (failed["setting"], failed["count"], data["seed"], data["failures"]) == ("system message", 2, 1, 1)
    assert (tmp_path / "out/replays/field-system-message.py").read_text() == failed["replay"]
    page = (tmp_path / "out/gateway.html").read_text()
    assert "A &lt;b&gt;stub&lt;/b&gt; 1.0" in page and "<script" not in page and "urlopen" not in page
    assert page.count("<details>") == 1


def test_a_gateway_that_holds_is_exit_code_0_and_json_is_asked_for(command, port):
    with StubGateway(port) as stub:
        options = ("--upstream-port", port, "--trials", 1, "--only", "mixing", "--json")
        code, out, _ = command("audit-gateway", stub.url, *options)
    assert code == 0
    data = json.loads(out)
    assert data["failures"] == 0 and {figure["family"] for figure in data["figures"]} == {"shape", "mixing"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("http://203.0.113.7/v1",), "URL must be http:// and a host of this machine"),
        (("http://127.0.0.1:9/v1", "--only", "colour"), "--only must be of shape, field"),
        (("http://127.0.0.1:9/v1", "--trials", "0"), "--trials must be >= 1"),
        (("http://127.0.0.1:9/v1",), "must reach its upstream"),
    ],
)
def test_bad_input_is_one_line(command, port, arguments, message):
    code, out, err = command("audit-gateway", *arguments, "--upstream-port", port)
    assert code in (1, 2) and out == b""
    assert message in err and err.count("\n") == 1


def test_a_detector_that_is_broken_is_seen(command, port, tmp_path):
    """The stub has no detector; a command that fails is refused, and one that succeeds adds a figure."""
    with StubGateway(port) as stub:
        options = ("--upstream-port", port, "--trials", 1, "--only", "shape")
        code, _, err = command("audit-gateway", stub.url, *options, "--break", "exit 3")
        assert code == 2 and "--break must be a command that succeeds" in err
        code, out, _ = command("audit-gateway", stub.url, *options, "--break", f"touch {tmp_path}/broken", "--json")
    assert code == 0 and (tmp_path / "broken").exists()
    assert json.loads(out)["figures"][-1]["family"] == "broken detector"
