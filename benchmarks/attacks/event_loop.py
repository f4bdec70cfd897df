"""Requests that are made to hold up everybody else: how long ``/healthz`` takes meanwhile, on a real server.

    python benchmarks/attacks/event_loop.py [--only NAME] [--json]

Each attack runs against ``textveil serve`` with its default settings (and an upstream of this script's) on this
machine, while another process asks for ``/healthz`` every 20 ms. Printed are the longest of these answers, what the
attack was answered, and the most memory that the server's own process has held so far. Exit status 1 if an answer took
more than a second.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from programs import Served, read_request, served

LIMIT_SECONDS = 1.0
VALUES = 12_000
CALL_BYTES = 1_700_000
STREAM_BYTES = 200_000_000
CLIENTS = 150


class Upstream:
    """Answers a chat with what ``answer`` writes."""

    def __init__(self) -> None:
        self.answer: Callable[[asyncio.StreamWriter], Awaitable[None]] = self.words

    async def words(self, writer: asyncio.StreamWriter) -> None:
        """A short answer."""
        whole(writer, {"role": "assistant", "content": "Yes."})

    async def call(self, writer: asyncio.StreamWriter) -> None:
        """A long call of a tool."""
        said = json.dumps({"q": "Anna Berg said so. " * (CALL_BYTES // 19)})
        call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": said}}
        whole(writer, {"role": "assistant", "content": None, "tool_calls": [call]})

    async def stream(self, writer: asyncio.StreamWriter) -> None:
        """A stream of many events."""
        chunk = {"object": "chat.completion.chunk", "id": "c", "model": "m", "created": 1}
        event = f"data: {json.dumps({**chunk, 'choices': [{'index': 0, 'delta': {'content': 'word ' * 20}}]})}\n\n"
        piece = event.encode() * 100
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for _ in range(STREAM_BYTES // len(piece)):
            writer.write(piece)
            await writer.drain()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of a connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await read_request(reader)
            await self.answer(writer)
            await writer.drain()
        writer.close()

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """Its URL, while the block runs, in a thread."""
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        made = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.connected, "127.0.0.1", 0), loop).result()
        yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}/v1"
        loop.call_soon_threadsafe(loop.stop)


def whole(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Write a chat completion."""
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    ).encode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


class Attacks:
    """Each sends its requests and says what it was answered."""

    def __init__(self, server: Served, upstream: Upstream) -> None:
        self._server, self._upstream = server, upstream
        self._client = httpx.Client(base_url=server.url, timeout=300, trust_env=False)

    def _post(self, path: str, body: Any) -> str:
        answer = self._client.post(path, json=body)
        code = "" if answer.is_success else f" {answer.json()['error']['code']}"
        return f"{answer.status_code}{code}"

    def tabs(self) -> str:
        """A word and 12,000 tabs."""
        return self._post("/v1/sanitize", {"text": "name" + "\t" * 12_000, "policy": "prompts"})

    def underscores(self) -> str:
        """80,000 underscores."""
        return self._post("/v1/sanitize", {"text": "a" + "_" * 80_000, "policy": "prompts"})

    def tool_answer(self) -> str:
        """A tool's answer of 9 characters: the conversation holds 12,000 values, the provider's call has 1.7 MB."""
        first = ("Anna", "Eva", "Ida", "Ole", "Per", "Jan", "Tom", "Max", "Leo", "Kai")
        last = ("Berg", "Holm", "Lund", "Dahl", "Voss", "Moen", "Krog", "Ruud")
        names = (f"{first[n % 10]} {last[n // 10 % 8]} {n // 80 + 1000}-{n % 80 + 10}" for n in range(VALUES // 2))
        user = {"role": "user", "content": "; ".join(names)}
        body: dict[str, Any] = {"model": "m", "messages": [user]}
        body["tools"] = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
        self._upstream.answer = self._upstream.call
        answer = self._client.post("/v1/chat/completions", json=body)
        self._upstream.answer = self._upstream.words
        if not answer.is_success:
            return f"first request: {answer.status_code} {answer.json()['error']['code']}"
        message = answer.json()["choices"][0]["message"]
        result = {"role": "tool", "tool_call_id": "call_1", "content": "Anna Berg"}
        return self._post("/v1/chat/completions", {**body, "messages": [user, message, result]})

    def short_texts(self) -> str:
        """A million short texts in a request for embeddings."""
        return self._post("/v1/embeddings", {"model": "m", "input": ["a"] * 1_000_000})

    def allowed_texts(self) -> str:
        """As many short texts as are allowed."""
        return self._post("/v1/embeddings", {"model": "m", "input": ["a"] * 20_000})

    def stopped_process(self) -> str:
        """A process that finds values is stopped, and a text must be read."""
        self._post("/v1/sanitize", {"text": "Anna Berg. " * 500, "policy": "prompts"})
        for process in self._server.processes()[1:]:
            os.kill(process, signal.SIGSTOP)
        begun = time.monotonic()
        told = self._post("/v1/sanitize", {"text": "Anna Berg. " * 500, "policy": "prompts"})
        after = self._post("/v1/sanitize", {"text": "Anna Berg. " * 500, "policy": "prompts"})
        return f"{told} after {time.monotonic() - begun:.0f} s, then {after}"

    def stream(self) -> str:
        """A streamed answer of 200 MB."""
        self._upstream.answer = self._upstream.stream
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Go on."}]}
        size, last = 0, b""
        with self._client.stream("POST", "/v1/chat/completions", json=body) as answer:
            for piece in answer.iter_bytes():
                size, last = size + len(piece), (last + piece)[-500:]
        self._upstream.answer = self._upstream.words
        told = json.loads(last.decode().rstrip().rpartition("data: ")[2])
        return f"{size / 1e6:.0f} MB, then {told.get('error', {}).get('code', 'no error')}"


def with_keys(folder: Path) -> tuple[str, float, float]:
    """Clients of one key, which is verified again all the time: what they were answered, healthz, and megabytes."""
    database = str(folder / "keys.sqlite")
    command = [sys.executable, "-m", "textveil", "keys", "create", "--tenant", "ward", "--database", database]
    key = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]

    async def ask(url: str, seconds: float) -> int:
        end, count = time.monotonic() + seconds, 0
        limits = httpx.Limits(max_connections=CLIENTS)
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(
            base_url=url, limits=limits, headers=headers, timeout=60, trust_env=False
        ) as client:

            async def one() -> None:
                nonlocal count
                while time.monotonic() < end:
                    answer = await client.get("/v1/policies")
                    count += answer.is_success

            await asyncio.gather(*[one() for _ in range(CLIENTS)])
        return count

    rates = {}
    for remembered in ("3600", "0.05"):
        with served(database, folder, {"TEXTVEIL_KEY_SECONDS": remembered, "TEXTVEIL_KEY_REQUESTS": "256"}) as server:
            with probing(server) as probe:
                rates[remembered] = asyncio.run(ask(server.url, 8)) / 8
            memory = peak_megabytes(server)
    told = (
        f"{rates['0.05']:.0f} requests a second where the key is verified 20 times a second, {rates['3600']:.0f} once"
    )
    return told, probe.longest, memory


def peak_megabytes(server: Served) -> float:
    """The most memory that the server's own process has held."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


class Probe:
    """The longest answer of ``/healthz``, in seconds."""

    longest = float("nan")


@contextlib.contextmanager
def probing(server: Served) -> Iterator[Probe]:
    """Ask for ``/healthz`` in another process while the block runs."""
    command = [sys.executable, __file__, "--probe", server.url.rpartition(":")[2]]
    probe = Probe()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield probe
        probe.longest = float(process.communicate("end\n")[0])


def probe_for_ever(port: int) -> None:
    """The other process: until a line comes."""
    ended = threading.Event()

    def listen() -> None:
        sys.stdin.readline()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    longest, asked = 0.0, False
    while not ended.is_set():
        begun = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        connection.close()
        longest = max(longest, time.monotonic() - begun)
        if not asked:
            print("asking", flush=True)
            asked = True
        time.sleep(0.02)
    print(longest)


def main() -> None:
    """Run every attack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="an attack's name")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--probe", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.probe:
        probe_for_ever(given.probe)
        return
    names = ["tabs", "underscores", "tool_answer", "short_texts", "allowed_texts", "stream", "stopped_process"]
    rows: list[dict[str, Any]] = []
    upstream = Upstream()
    with tempfile.TemporaryDirectory() as place, upstream.running() as url:
        options = {"TEXTVEIL_UPSTREAM": url, "TEXTVEIL_POLICY": "identifiers"}
        with served(str(Path(place, "ledger.sqlite")), Path(place), options) as server:
            attacks = Attacks(server, upstream)
            for name in [name for name in names if given.only in (None, name)]:
                with probing(server) as probe:
                    told = getattr(attacks, name)()
                about = getattr(Attacks, name).__doc__.rstrip(".")
                rows.append(row(name, about, probe.longest, told, peak_megabytes(server)))
        if given.only in (None, "keys"):
            told, longest, memory = with_keys(Path(place))
            rows.append(row("keys", f"{CLIENTS} clients of one key", longest, told, memory))
    if given.json:
        print(json.dumps(rows, indent=1))
    if any(each["healthz, ms"] > 1000 * LIMIT_SECONDS for each in rows):
        raise SystemExit(1)


def row(name: str, about: str, longest: float, told: str, memory: float) -> dict[str, Any]:
    """What an attack did; also printed."""
    made = {"attack": name, "about": about, "healthz, ms": round(1000 * longest), "answer": told, "MB": round(memory)}
    print(
        f"{name:16} healthz {1000 * longest:6.0f} ms  {memory:5.0f} MB  {told}  ({about})", file=sys.stderr, flush=True
    )
    return made


if __name__ == "__main__":
    main()
