"""The examples of docs/gateway.md, as they stand, against a server as a process and a provider that remembers all."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.upstream import (
    Handler,
    Provider,
    chunk,
    completion,
    events,
    last_text,
    message,
    send_json,
    send_pieces,
)

pytest.importorskip("fastapi")

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/gateway.md").read_text(encoding="utf-8")
WRITTEN = "http://127.0.0.1:8000"


def blocks(language: str) -> list[tuple[list[str], str]]:
    """What each block that runs needs, and its text."""
    found = re.findall(rf"^```{language}\n# needs: ([a-z_, ]+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    return [(needs.split(", "), text) for needs, text in found]


def model(handler: Handler, body: dict[str, Any]) -> None:
    """Repeats the last message; calls the first tool with the words of it that may be a name."""
    if "/messages" in handler.path:
        said = message({"type": "text", "text": f"Here: {last_text(body)}"})
        send_json(handler, {"input_tokens": 9} if handler.path.endswith("count_tokens") else said)
        return
    if body.get("tools"):
        name = last_text(body).removeprefix("Find ").removesuffix(".")
        function = {"name": body["tools"][0]["function"]["name"], "arguments": f'{{"name": "{name}"}}'}
        call = {"id": "call_1", "type": "function", "function": function}
        send_json(handler, completion({"content": None, "tool_calls": [call]}, "tool_calls"))
        return
    text = f"Here: {last_text(body)}"
    if not body.get("stream"):
        send_json(handler, completion({"content": text}))
        return
    pieces = [chunk({"content": text[at : at + 3]}) for at in range(0, len(text), 3)]
    send_pieces(handler, [events(one) for one in [*pieces, chunk({}, "stop")]] + [events(b"[DONE]")])


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.answer = model
        yield made


@pytest.fixture(scope="module")
def server(provider: Provider, tmp_path_factory) -> Iterator[dict[str, str]]:
    """A server by its command, and an environment with a key for it and its address."""
    folder = tmp_path_factory.mktemp("gateway")
    environment = {
        **os.environ,
        "TEXTVEIL_DATABASE": str(folder / "ledger.sqlite"),
        "TEXTVEIL_UPSTREAM_PRIVATE_ADDRESSES": "true",
        "TEXTVEIL_UPSTREAM_KEY": "sk-of-the-provider",
    }
    textveil = [sys.executable, "-m", "textveil"]
    make = [*textveil, "keys", "create", "--tenant", "ward", "--unit", "maria", "--budget", "20"]
    key = subprocess.run(make, env=environment, capture_output=True, text=True, check=True, timeout=600).stdout.split()
    command = [*textveil, "serve", "--port", "0", "--upstream", provider.url, "--policy", "prompts"]
    log = folder / "log"
    with log.open("w") as told, subprocess.Popen(command, env=environment, stderr=told) as process:
        try:
            yield {**environment, "TEXTVEIL_KEY": key[-1], "URL": _address(process, log)}
        finally:
            process.kill()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where it says that it listens, once it answers there."""
    give_up = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < give_up:
        if found := re.search(r"http://[0-9.]+:[0-9]+", log.read_text()):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{found[0]}/readyz", trust_env=False).status_code == 200:
                    return found[0]
        time.sleep(0.05)
    pytest.fail(f"the server did not start: {log.read_text()}")


@pytest.mark.parametrize("number", range(len(blocks("sh"))))
def test_commands_run(server: dict[str, str], provider: Provider, number: int) -> None:
    needs, text = blocks("sh")[number]
    for needed in needs:
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    command = text.replace(WRITTEN, server["URL"])
    done = subprocess.run(["sh", "-c", command], env=server, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "Here: Write to Maria Zyxwell." in done.stdout
    assert provider.heard("Zyxwell") == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(blocks("py"))))
def test_programs_run(server: dict[str, str], provider: Provider, monkeypatch, capsys, number: int) -> None:
    needs, text = blocks("py")[number]
    for needed in needs:
        pytest.importorskip(needed, reason=f"the example needs {needed}")
    monkeypatch.setenv("TEXTVEIL_KEY", server["TEXTVEIL_KEY"])
    provider.forget()
    with contextlib.suppress(KeyError):
        monkeypatch.delenv("OPENAI_API_KEY")
    exec(compile(text.replace(WRITTEN, server["URL"]), str(needs), "exec"), {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert "Maria Zyxwell" in said and provider.heard("Zyxwell") == [] and len(provider.bodies) >= 2
    keys = {one.get("authorization", "").removeprefix("Bearer ") or one["x-api-key"] for one in provider.headers}
    assert keys == {"sk-of-the-provider"}
    if "langchain_openai" in needs:
        assert "['Maria Zyxwell: admitted on Monday']" in said
    else:  # the history went on as it did before
        first, second = provider.bodies
        assert second["messages"][0] == first["messages"][0]
        if "openai" in needs:
            assert second["messages"][1]["content"] == f"Here: {first['messages'][0]['content']}"


def test_every_program_says_what_it_needs() -> None:
    assert len(blocks("py")) == len(re.findall(r"^```py\n", PAGE, flags=re.MULTILINE)) == 3
    assert len(blocks("sh")) == 1


def test_the_page_names_every_header() -> None:
    """Those that the server reads, and those that it writes."""
    files = [*(ROOT / "src/textveil/server/gateway").glob("*.py"), ROOT / "src/textveil/server/inspection.py"]
    code = "".join(path.read_text() for path in files)
    assert {name.lower() for name in re.findall(r"x-textveil-[a-z-]+", code, flags=re.IGNORECASE)} == {
        name.lower() for name in re.findall(r"^\| `(X-Textveil-[A-Za-z-]+)`", PAGE, flags=re.MULTILINE)
    }


@pytest.mark.slow
def test_the_example_configuration_is_taken_whole() -> None:
    file = ROOT / "examples/server.toml"
    command = [sys.executable, "-m", "textveil", "serve", "--check", "--config", str(file)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TEXTVEIL_")}
    done = subprocess.run(command, env=clean, capture_output=True, text=True, check=True, timeout=600)
    shown = tomllib.loads(done.stdout)
    assert tomllib.loads(file.read_text()).items() <= shown.items()
