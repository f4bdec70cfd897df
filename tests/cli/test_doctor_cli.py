"""``textveil doctor`` says what an installation can do, and whether an upstream answers."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from textveil.cli import main as cli
from textveil.cli import serve as doctor_module


class Upstream(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401 if self.path == "/v1/models" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["textveil", "doctor", *options])
    code = cli._exit_code()
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_it_says_what_is_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = doctor(monkeypatch, capsys, "--json")
    said = {each["about"]: each["said"] for each in json.loads(out)}
    assert code == 0
    budgets = {"budgets"} if "server" in said["extras"] else set()
    assert {"textveil", "policies", "cache", "lab", "extras", "missing"} | budgets == set(said)
    assert all("ledger" in said[each] for each in budgets)
    code, out = doctor(monkeypatch, capsys)
    assert code == 0 and "ledger" in out
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in out.splitlines())  # a path is not broken
    assert "clinical" in said["policies"] and "maps" in said["extras"] and "maps" not in said["missing"]


def test_it_asks_an_upstream(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    server = HTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    for given in (url, f"{url}/", url.removesuffix("/v1")):  # as the gateway takes it
        code, out = doctor(monkeypatch, capsys, "--upstream", given)
        assert code == 0 and f"{url}/models answers (401): it asks for a key" in " ".join(out.split())
    code, out = doctor(monkeypatch, capsys, "--upstream", f"{url}/chat/completions")
    assert code == 1
    assert f"{url}/chat/completions/models is not there (404): is the URL that of the API" in " ".join(out.split())
    server.shutdown()
    server.server_close()
    code, out = doctor(monkeypatch, capsys, "--upstream", url)
    assert code == 1 and "FAILS     upstream" in out and "refuses connections" in " ".join(out.split())
    code, out = doctor(monkeypatch, capsys, "--upstream", "file:///etc/passwd")
    assert code == 2 and "must be a URL that begins with http" in " ".join(out.split())


def test_names_of_extras_are_the_same_in_every_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "de")
    monkeypatch.setattr(doctor_module, "_extras", lambda: (["documents", "server"], []))
    code, out = doctor(monkeypatch, capsys)
    assert code == 0 and "Extras    documents, server\nfehlt     keine\n" in out
