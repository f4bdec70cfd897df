"""``textveil decode --endpoint``, against a real HTTP server on this machine."""

import io
import sys
from pathlib import Path

import pytest
from tests.helpers.endpoints import EndpointServer, completion, send

from textveil.cli import main as cli
from textveil.environment import ENDPOINT_KEY

TEXT = "The cat sat on the mat.\n\nTwo dogs.\n"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv(ENDPOINT_KEY, raising=False)
    with EndpointServer() as made:
        yield made


@pytest.fixture
def run(capsysbinary, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("textveil.models.endpoint.sleep", lambda seconds: None)
    Path("own.txt").write_text(
        "".join(f"{word} {i} {i % 7} 1\n" for i, word in enumerate(["the", "cat", "sat", "on", "mat"]))
    )

    def go(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    Path("in.txt").write_text(TEXT)
    made = ("--vocabulary", "own.txt", "--mechanism", "randomized-response", "--epsilon", "2")
    code, _, err = go("sanitize", "in.txt", "--whole-file", "-o", "out.txt", "--report", "r.json", *made)
    assert code == 0, err
    return go


def decode(run, *arguments: object) -> tuple[int, str, str]:
    return run("decode", "out.txt", "--whole-file", "--report", "r.json", "--vocabulary", "own.txt", *arguments)


def test_a_release_is_repaired(run, server) -> None:
    server.reply = lambda handler, body: send(handler, completion("1: First line.\n2: Second."))
    code, out, err = decode(run, "--endpoint", server.url, "--endpoint-model", "tiny")
    assert code == 0, err
    assert out == "First line.\n\nSecond.\n"
    assert "1 repaired; nothing was spent" in err
    ((_, _, body),) = server.asked
    released = [line for line in Path("out.txt").read_text().splitlines() if line]
    assert body["messages"][1]["content"] == "".join(f"{i}: {line}\n" for i, line in enumerate(released, 1)).strip()
    assert "randomized-response with the guarantee 2-DP" in body["messages"][0]["content"]


def test_a_failure_keeps_the_release_and_says_so_in_one_line(run, server) -> None:
    server.reply = lambda handler, body: send(handler, completion("no"))
    code, out, err = decode(run, "--endpoint", server.url, "--endpoint-model", "tiny", "-o", "d.txt")
    assert (code, out) == (1, "")
    assert Path("d.txt").read_text() == Path("out.txt").read_text()
    assert err.startswith("textveil: 2 of 2 lines stay as they were released: the endpoint 127.0.0.1:")
    assert err.count("\n") == 1
    server.close()
    code, out, err = decode(run, "--endpoint", server.url, "--endpoint-model", "tiny")
    assert code == 1
    assert out == Path("out.txt").read_text()
    assert "in 3 tries" in err


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--endpoint", "http://host"), "--endpoint needs --endpoint-model"),
        (("--endpoint-model", "tiny"), "--endpoint-model must be given with --endpoint alone"),
        (("--endpoint", "host", "--endpoint-model", "tiny"), "--endpoint must be an http:// or https:// address"),
        (
            ("--endpoint", "http://host", "--endpoint-model", "tiny", "--endpoint-timeout", "0"),
            "--endpoint-timeout must be",
        ),
        (("--endpoint", "http://host", "--endpoint-model", "tiny", "--model", "m"), "--model must be left out"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, options, wanted) -> None:
    code, out, err = decode(run, *options)
    assert (code, out) == (2, "")
    assert wanted in err
