"""What it costs to keep conversations: chats of many turns through the gateway, the whole history sent at each.

    python benchmarks/conversations.py [--turns 20] [--chats 5] [--texts news|reviews] [--postgresql] [--json]

Two servers stand side by side, one whose conversations are in memory and one that keeps them encrypted in its database
(``maps = "database"``), and each turn goes to both, one after the other, before an upstream that answers at once with a
sentence. Printed are medians of a turn's time, of early and of late turns; the processor time of first turns and of
late ones, which take turns in the end; what the
database has grown by; and the first turn behind a restart, which reads a whole conversation. Needs the folder of
shared texts.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path

import httpx
from measure import machine
from programs import Served, free_port, postgresql, read_request, served

from server import prompts

NAMES = ("memory", "kept")
BESIDE = 60
"""Turns of new chats, and as many of those that have all their turns, of which the processor time is compared."""
ANSWER = "I would ask him first and write it down then, as you said."
_BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
    }
).encode()
_REPLY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(_BODY), _BODY)


@contextlib.contextmanager
def answering() -> Iterator[int]:
    """The port of an OpenAI API that says one sentence to everything, in a thread of this process."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await read_request(reader)
                writer.write(_REPLY)
                await writer.drain()
        writer.close()

    async def listening() -> None:
        async with await asyncio.start_server(connected, "127.0.0.1", port, limit=2**24):
            ready.set()
            await asyncio.Event().wait()

    port, ready, loop = free_port(), threading.Event(), asyncio.new_event_loop()
    task = loop.create_task(listening())
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])), daemon=True)
    thread.start()
    ready.wait(30)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(30)


class Chats:
    """The same conversations with a server, or with those that follow it."""

    def __init__(self, count: int) -> None:
        self._histories: list[list[dict[str, str]]] = [[] for _ in range(count)]

    def turn(self, client: httpx.Client, chat: int, text: str) -> float:
        """Say something, with all that was said before; the milliseconds until the answer is there."""
        history = self._histories[chat]
        history.append({"role": "user", "content": text})
        start = time.perf_counter()
        answer = client.post("/v1/chat/completions", json={"model": "m", "messages": history})
        took = 1000 * (time.perf_counter() - start)
        history.append(answer.raise_for_status().json()["choices"][0]["message"])
        return took


@contextlib.contextmanager
def client_of(database: str, place: Path, told: Mapping[str, str]) -> Iterator[tuple[Served, httpx.Client]]:
    """A server that runs while the block does, and a client of it."""
    with (
        served(database, place, told) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
    ):
        yield server, client


def compared(place: Path, databases: Sequence[str], port: int, given: argparse.Namespace) -> dict[str, float]:
    """Turns with conversations in memory and with kept ones, which take turns; then a restart of the second."""
    texts = prompts(given.texts)
    upstream = f"http://127.0.0.1:{port}/v1"
    told = {"TEXTVEIL_UPSTREAM": upstream, "TEXTVEIL_UPSTREAM_PRIVATE_ADDRESSES": "true"}
    told["TEXTVEIL_LEDGER_KEY"] = "ab" * 32
    keeping = {**told, "TEXTVEIL_MAPS": "database"}
    chats = (Chats(given.chats), Chats(given.chats))
    times = [[[0.0] * given.chats for _ in range(given.turns)] for _ in chats]
    with client_of(databases[0], place, told) as memory, client_of(databases[1], place, keeping) as kept:
        sides = (memory, kept)
        for _, client in sides:  # what is made once is made
            for text in texts[-20:]:
                Chats(1).turn(client, 0, text)
        for turn in range(given.turns):
            for chat in range(given.chats):
                text = texts[(turn * given.chats + chat) % len(texts)]
                for side in (0, 1) if (turn + chat) % 2 else (1, 0):
                    times[side][turn][chat] = chats[side].turn(sides[side][1], chat, text)
        used = [[0.0, 0.0] for _ in sides]
        for number, side, late in product(range(BESIDE), (0, 1), (0, 1)):  # a first turn, a late one, a first one
            server, client = sides[side]
            before = server.processor_seconds()
            talk, chat = (chats[side], number % given.chats) if late else (Chats(1), 0)
            talk.turn(client, chat, texts[-21 - number - BESIDE * late])  # one that was sent before is read faster
            used[side][late] += 1000 * (server.processor_seconds() - before) / BESIDE
    with client_of(databases[1], place, keeping) as (_, client):
        Chats(1).turn(client, 0, texts[-1])
        behind = [chats[1].turn(client, chat, texts[chat]) for chat in range(given.chats)]
    found: dict[str, float] = {}
    part = max(1, given.turns // 4)
    for what, turns in (("first quarter", slice(0, part)), ("last quarter", slice(-part, None))):
        memory_ms, kept_ms = (statistics.median(chain(*one[turns])) for one in times)
        found |= {f"{what}, memory, ms": memory_ms, f"{what}, kept, ms": kept_ms, f"{what}, ratio": kept_ms / memory_ms}
    for name, (begun, long) in zip(NAMES, used, strict=True):
        found |= {f"processor ms, {name}, a first turn": begun, f"processor ms, {name}, a late turn": long}
        found[f"processor ms, {name}, ratio"] = long / begun
    found["first turn behind a restart, kept, ms"] = statistics.median(behind)
    return found


def main() -> None:
    """Measures, and prints a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--chats", type=int, default=5)
    parser.add_argument("--texts", choices=["news", "reviews"], default="news")
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, answering() as port, contextlib.ExitStack() as stack:
        place = Path(folder)
        if given.postgresql:
            databases = [stack.enter_context(postgresql()) for _ in NAMES]
        else:
            databases = [str(place / f"{name}.sqlite") for name in NAMES]
        found = compared(place, databases, port, given)
        if not given.postgresql:
            sizes = [sum(one.stat().st_size for one in place.glob(f"{name}.sqlite*")) for name in NAMES]
            kilobytes = (sizes[1] - sizes[0]) / 1000 / given.chats
            found[f"more on disk for a chat of {given.turns + 1} turns, kB"] = kilobytes
    load = os.getloadavg()
    if given.json:
        print(json.dumps({"machine": machine(), "load": load, **found}, indent=2))
        return
    for name, value in found.items():
        print(f"{name:<48} {value:10.2f}")
    print(f"load averages of the machine: {', '.join(f'{one:.1f}' for one in load)}")


if __name__ == "__main__":
    main()
