"""Conversations that a real server keeps, sealed, as the holder of the key reads and certifies them."""

import json
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import NAMES, write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import Provider

from textveil.errors import OutputError
from textveil.server.app import make_app
from textveil.server.config import Config

pytest.importorskip("fastapi")
Command = Callable[..., Any]
UNKNOWN = "Brzqual"


@pytest.fixture
def told(command: Command, tmp_path: Path) -> Iterator[Config]:
    """A server's configuration, with a public key of ``key`` in the folder."""
    code, out, _ = command("keys", "samples", tmp_path / "key")
    assert code == 0 and (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    public = re.fullmatch(r'samples_key = "([0-9a-f]{64})"\n', out.decode())
    assert public is not None
    assert command("keys", "samples", tmp_path / "key")[1] == out
    folder = tmp_path / "policies"
    folder.mkdir()
    with Provider() as provider:
        yield Config(
            upstream=provider.url,
            policy="canaries",
            policies=write_policy(folder),
            database=str(tmp_path / "ledger.db"),
            samples=tmp_path / "samples",
            samples_key=public[1],
            samples_share=1.0,
        )


def asked(client: httpx.Client, *texts: str) -> httpx.Response:
    messages: list[dict[str, str]] = []
    for text in texts:
        messages.append({"role": "user", "content": text})
        answer = client.post("/v1/chat/completions", json={"model": "m", "messages": messages})
        assert answer.status_code == 200
        messages.append(answer.json()["choices"][0]["message"])
    return answer


def reading(folder: Path, *more: object) -> tuple[object, ...]:
    """The command that reads what was kept."""
    (file,) = (folder / "samples").glob("*.samples")
    policy = folder / "policies" / "canaries.toml"
    return ("review", file, "--key", folder / "key", "-p", policy, "--marks", folder / "m.jsonl", *more)


def test_conversations_are_kept_read_and_certified_and_nobody_else_sees_them(
    command: Command, told: Config, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), running(told, MemoryLedger()) as client:
        answer = asked(client, f"{NAMES[0]} met {UNKNOWN}.", f"And {NAMES[1]}?")
        assert answer.headers["x-textveil-sample-share"] == "1"
        asked(client, "Nobody here.")
        metrics = client.get("/metrics").text
    # Which of them was drawn is told to nobody: by a count of those that are kept, a client sees it of its own.
    assert re.findall("textveil_samples_total{.*", metrics) == ['textveil_samples_total{what="counted"} 2.0']
    (file,) = (tmp_path / "samples").iterdir()
    heard = caplog.text.encode() + file.read_bytes()
    assert not any(name.encode() in heard for name in (*NAMES, UNKNOWN))

    words = [sys.executable, "-m", "textveil", *map(str, reading(tmp_path))]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while "http://" not in said and (line := process.stderr.readline()):
            said += line
        found = re.search(r"(http://127\.0\.0\.1:\d+)(/\S+/)", said)
        assert found is not None, said + process.communicate(timeout=60)[1]
        with httpx.Client(base_url=found[1], timeout=60, trust_env=False, headers={"Origin": found[1]}) as client:
            page = client.get(f"{found[2]}page").json()
            while page["page"] is not None:
                text = "".join(piece if isinstance(piece, str) else piece[0] for piece in page["pieces"])
                at = text.find(UNKNOWN)
                missed = [[at, at + len(UNKNOWN), "person"]] if at >= 0 else []
                data = {"page": page["page"], "missed": missed, "wrong": []}
                if missed:
                    assert text == f"{NAMES[0]} met {UNKNOWN}.\n\nAnd {NAMES[1]}?"
                page = client.post(f"{found[2]}mark", json=data).json()
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
        assert process.wait(60) == 0, said
    marks = tmp_path / "m.jsonl"
    assert not any(name in marks.read_text() for name in (*NAMES, UNKNOWN))
    code, out, _ = command("certify", marks)
    told_lines = " ".join(out.decode().split())
    assert code == 0 and "conversations from 20" in told_lines and "kind" not in told_lines
    assert "of 2 conversations" in told_lines and "at most 1 (50 %) still name a person" in told_lines
    assert "each was drawn with probability 1;" in told_lines
    code, out, _ = command("certify", marks, "--json")
    assert json.loads(out)["sampled"]["share"] == 1.0
    assert command("certify", marks, "--release", file)[0] == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--original", "x.txt"), "--original must be left out beside --key"),
        (("--field", "text"), "--field must be left out beside --key"),
        (("--policy", "prompts"), "--policy must be that of the samples (canaries)"),
    ],
)
def test_what_does_not_go_with_samples_is_refused_in_a_line(
    command: Command, told: Config, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    with running(told, MemoryLedger()) as client:
        asked(client, f"{NAMES[0]} met {UNKNOWN}.")
    run = [*reading(tmp_path)]
    at = run.index("-p")
    run[at:] = [*more, *run[at + 2 :]] if more[0] == "--policy" else [*run[at:], *more]
    code, out, err = command(*run)
    assert (code, out, err.count("\n")) == (2, b"", 1) and said in err
    assert not (tmp_path / "m.jsonl").exists()


def test_a_folder_whose_days_are_not_over_another_key_and_none_are_refused(
    command: Command, told: Config, tmp_path: Path
) -> None:
    with running(told, MemoryLedger()) as client:
        asked(client, "Nobody here.")
    run = [*reading(tmp_path)]
    run[1] = tmp_path / "samples"
    assert "a conversation of a day that is over" in command(*run)[2]
    command("keys", "samples", tmp_path / "other")
    run = [*reading(tmp_path)]
    run[run.index("--key") + 1] = tmp_path / "other"
    assert "--key must be the one whose public key the server had" in command(*run)[2]
    del run[2:4]
    assert "--original must be one or more files" in command(*run)[2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"samples_key": None}, "samples_key must be one where"),
        ({"samples_key": "0" * 64}, "samples_key must be a public key"),
        ({"samples_key": "x"}, "samples_key must be a public key"),
        ({"policy": "all-words"}, "where the default policy draws words"),
    ],
)
def test_a_server_that_cannot_sample_does_not_start(told: Config, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception, match=said):
        make_app(told.model_copy(update=changed))


def test_a_folder_that_cannot_be_written_is_refused_before_the_server_listens(told: Config, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="the folder of `samples` must be writable"):
        make_app(told.model_copy(update={"samples": tmp_path / "key" / "samples"}))


def test_texts_of_another_policy_are_neither_counted_nor_announced(told: Config) -> None:
    with running(told, MemoryLedger()) as client:
        body = {"model": "m", "messages": [{"role": "user", "content": NAMES[0]}]}
        answer = client.post("/v1/chat/completions", json=body, headers={"X-Textveil-Policy": "paid"})
        assert answer.status_code == 200 and "x-textveil-sample-share" not in answer.headers
        assert "textveil_samples_total{" not in client.get("/metrics").text
    assert told.samples is not None and not list(told.samples.iterdir())


def test_the_summary_line_says_that_the_server_samples(told: Config) -> None:
    from textveil.server.process import _told

    (line,) = [line for line in _told(told, "here") if line.startswith("samples")]
    assert "with probability 1" in line
