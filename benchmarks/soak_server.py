"""The gateway under load with faults, for a stated time: what must never happen.

    python benchmarks/soak_server.py [--seconds 3600] [--clients 8] [--json]

A server of its own process on SQLite, an upstream that answers, fails, hangs, resets, answers HTML or half a stream,
and clients that chat (streamed and not) and sanitize, each text with addresses in it that hold a word which stands
nowhere else. In the first two thirds of the time the server runs through, and its memory is looked at; in the last
third it is killed (SIGKILL) every few seconds and started again on the same ledger. At the end:

- no byte that the upstream got holds the word, and neither does the server's log;
- the ledger has an entry for every text that was answered, and verifies;
- memory has not grown by more than a tenth from the first quarter of the calm part to its last, and 16 MB.

Ends with code 1 and what it found where one of them fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
from programs import Served, free_port, read_request, served

from textveil.budget.ledger import Ledger

CANARY: Final = "qzxcanary"
TEXT: Final = (
    "Please answer the ticket of {n}{canary}@example.org, who called +1 617 555 01{d:02d} about order {n} on 3 March "
    "2024; a copy goes to {canary}.{n}@example.com and to https://example.com/{canary}/{n}."
)
_OK: Final = b"HTTP/1.1 200 OK\r\nconnection: close\r\n"
_CHUNK: Final = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


class Upstream:
    """A provider that answers as chance has it, and looks for the word in every byte.

    Attributes:
        requests: how many came.
        leaks: in how many of them the word stood.
    """

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.requests = 0
        self.leaks = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Its port."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)  # what hangs at the end is cut off
        async with server:
            yield server.sockets[0].getsockname()[1]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head, body = await read_request(reader)
            self.requests += 1
            self.leaks += CANARY.encode() in (head + body).lower()
            await self._answer(writer, stream=bool(json.loads(body or b"{}").get("stream")))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, *, stream: bool) -> None:
        fault = self._draw.choices(["none", "error", "html", "reset", "half", "hang"], [80, 4, 4, 4, 4, 1])[0]
        if fault == "error":
            writer.write(b"HTTP/1.1 500 Oh\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
        elif fault == "html":
            writer.write(_OK + b"content-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>")
        elif fault == "reset":
            writer.transport.abort()
        elif fault == "hang":
            await asyncio.sleep(3)
        elif stream:
            parts = [json.dumps({**_CHUNK, "choices": [{"index": 0, "delta": {"content": "Yes. "}}]}) for _ in range(5)]
            parts += [json.dumps({**_CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}), "[DONE]"]
            body = "".join(f"data: {one}\n\n" for one in parts).encode()
            writer.write(_OK + b"content-type: text/event-stream\r\n\r\n" + (body[:200] if fault == "half" else body))
        else:
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
            answer = json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [choice]})
            size = len(answer) + (100 if fault == "half" else 0)
            head = f"content-type: application/json\r\ncontent-length: {size}\r\n\r\n"
            writer.write(_OK + head.encode() + answer.encode())
        if fault != "reset":
            await writer.drain()


class Clients:
    """Threads that ask until they are told to stop.

    Attributes:
        answers: how many, by status; 0 is a connection that broke.
        paid: texts for which there was an answer, and so an entry before it.
        wrong: sanitized texts with the word in them.
    """

    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self.answers: Counter[int] = Counter()
        self.paid = 0
        self.wrong = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(count)]

    def __enter__(self) -> Clients:
        """They begin."""
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for one in self._threads:
            one.join(60)

    def _run(self, number: int) -> None:
        draw = random.Random(number)
        turn = 0
        with httpx.Client(base_url=self._url, timeout=20, trust_env=False) as client:
            while not self._stop.is_set():
                turn += 1
                text = TEXT.format(n=number * 10_000_000 + turn, canary=CANARY, d=turn % 100)
                try:
                    self._ask(client, draw, text)
                except httpx.HTTPError:
                    self._note(0)
                    self._stop.wait(0.05)

    def _ask(self, client: httpx.Client, draw: random.Random, text: str) -> None:
        if draw.random() < 0.5:
            got = client.post("/v1/sanitize", json={"text": text, "unit": f"person-{draw.randrange(100)}"})
            self._note(got.status_code, wrong=got.status_code == 200 and CANARY in got.json()["text"].lower())
            return
        body = {"model": "m", "messages": [{"role": "user", "content": text}], "stream": draw.random() < 0.5}
        got = client.post("/v1/chat/completions", json=body)
        self._note(got.status_code)

    def _note(self, status: int, *, wrong: bool = False) -> None:
        with self._lock:
            self.answers[status] += 1
            self.paid += status == 200
            self.wrong += wrong


def calm(server: Served, seconds: float) -> list[float]:
    """Resident megabytes, looked at so often that there are 40 of them."""
    found = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(seconds / 40)
        found.append(server.resident_megabytes())
    return found


async def soak(seconds: float, clients: int) -> tuple[dict[str, Any], list[str]]:
    """What was done, and what must not have happened but did."""
    upstream, port = Upstream(7), free_port()
    kills = 0
    with tempfile.TemporaryDirectory() as place:
        folder, database = Path(place), str(Path(place, "ledger.sqlite"))
        async with upstream.listening() as where:
            told = {"TEXTVEIL_UPSTREAM": f"http://127.0.0.1:{where}/v1", "TEXTVEIL_UPSTREAM_PRIVATE_ADDRESSES": "true"}
            told |= {"TEXTVEIL_UPSTREAM_SECONDS": "1", "TEXTVEIL_MAPS_SECONDS": str(max(2.0, min(60.0, seconds / 20)))}

            def work() -> tuple[Clients, list[float]]:
                nonlocal kills
                with served(database, folder, told, port) as server, Clients(server.url, clients) as asking:
                    memory = calm(server, seconds * 2 / 3)
                    server.process.kill()
                    server.process.wait()
                    end = time.monotonic() + seconds / 3
                    while time.monotonic() < end:
                        kills += 1
                        with served(database, folder, told, port) as again:
                            time.sleep(min(5.0, max(0.5, end - time.monotonic())))
                            again.process.kill()
                            again.process.wait()
                return asking, memory

            asking, memory = await asyncio.to_thread(work)
        with Ledger(database) as ledger:
            entries = sum(one.what == "reserve" for one in ledger.entries())
            verified = ledger.verify()
        log = (folder / "server.log").read_text(encoding="utf-8", errors="replace")
    quarter = max(1, len(memory) // 4)
    first, last = max(memory[:quarter]), max(memory[-quarter:])
    facts = {
        "seconds": seconds,
        "answers by status": dict(sorted(asking.answers.items())),
        "requests that the upstream got": upstream.requests,
        "kills": kills + 1,
        "entries": entries,
        "answers that were paid": asking.paid,
        "memory, MB: first quarter": first,
        "memory, MB: last quarter": last,
    }
    wrong = {
        "the upstream got what was private": upstream.leaks > 0,
        "a sanitized text held what was private": asking.wrong > 0,
        "the log holds what was private": CANARY in log.lower(),
        "an answer has no entry": entries < asking.paid,
        "the ledger does not verify": not verified.sound,
        "memory grew": last > 1.1 * first + 16,
        "nothing was answered": asking.answers[200] == 0 or upstream.requests == 0,
    }
    return facts, [what for what, happened in wrong.items() if happened]


def main() -> int:
    """Soaks; 1 where a claim fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    facts, wrong = asyncio.run(soak(given.seconds, given.clients))
    print(json.dumps(facts, indent=2) if given.json else "\n".join(f"{name:<34} {one}" for name, one in facts.items()))
    for what in wrong:
        print(f"FAILED: {what}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
