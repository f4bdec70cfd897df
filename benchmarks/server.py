"""The server under load, on this machine's loopback address, for a stated time; every request is an entry in a ledger.

    python benchmarks/server.py rate [--seconds 20] [--connections 16] [--texts news|reviews] [--postgresql] [--json]
    python benchmarks/server.py stream [--streams 20] [--chunks 100] [--away 20] [--system 500] [--json]

``rate`` starts ``textveil serve`` on a new SQLite database and sends prompts of 200 words with wrk
(``apt-get install wrk``) to ``POST /v1/sanitize`` under ``identifiers``, each for one of 1,000 persons: first as fast
as it answers, then at half of that rate. ``--postgresql`` does the same on a new PostgreSQL with its settings as they
come, in the same run. ``stream`` sets an upstream that writes a chunk each 5 ms behind the gateway, and compares when
chunks come through it with when they come from the upstream itself; with ``--away`` that is over TLS, and so many
milliseconds go by until it has read what was sent to it, and as many back; with ``--system`` a prompt of so many words
of news stands before each, which is the same in all. Needs the folder of shared texts.
"""

import argparse
import asyncio
import contextlib
import csv
import json
import os
import ssl
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from measure import SHARED, machine
from programs import Load, Served, postgresql, read_request, served, wrk

WORDS = 200
PERSONS = 1_000
PROMPTS = 400


def prompts(texts: str = "news") -> list[str]:
    """Prompts of 200 words: news has about 24 spans in each, reviews of restaurants about 4."""
    if texts == "news":
        with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
            words = " ".join(row[2] for row in csv.reader(stream)).split()
    else:
        words = (SHARED / "data/text/yelp/test.neg.txt").read_text(encoding="utf-8", errors="replace").split()
    return [" ".join(words[first : first + WORDS]) for first in range(0, PROMPTS * WORDS, WORDS)]


def script(folder: Path, texts: str, rate: float | None, connections: int) -> Path:
    """What wrk sends, in Lua; with a rate, each connection waits so long that all together come near it."""
    bodies = [json.dumps({"text": text, "unit": f"person-{n % PERSONS}"}) for n, text in enumerate(prompts(texts))]
    lines = ["local bodies = {", *(f"  [==[{body}]==]," for body in bodies), "}", "local n = 0"]
    lines += ['wrk.headers["content-type"] = "application/json"', "request = function()", "  n = n % #bodies + 1"]
    lines += ['  return wrk.format("POST", "/v1/sanitize", nil, bodies[n])', "end"]
    if rate is not None:
        lines += ["math.randomseed(os.time())", "delay = function()"]
        lines += [f"  return math.floor(-math.log(1 - math.random()) * {1000 * connections / rate:.3f})", "end"]
    path = folder / "load.lua"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def loaded(database: str, given: argparse.Namespace) -> dict[str, Any]:
    """One database: as fast as it goes, and at half of that."""
    with tempfile.TemporaryDirectory() as place, served(database, Path(place)) as server:
        folder, connections = Path(place), given.connections
        wrk(server.url, script(folder, given.texts, None, connections), 3, connections)
        whole, cost = _run(server, script(folder, given.texts, None, connections), given.seconds, connections)
        at = given.at or whole.rate / 2
        half, _ = _run(server, script(folder, given.texts, at, 2 * connections), given.seconds, 2 * connections)
    return {
        "requests a second": whole.rate,
        "p99 at that rate, ms": whole.p99,
        "processor ms a request": cost,
        "half: requests a second": half.rate,
        "half: median, ms": half.median,
        "half: p99, ms": half.p99,
        "failed": whole.failed + half.failed,
    }


def _run(server: Served, path: Path, seconds: float, connections: int) -> tuple[Load, float]:
    before = server.processor_seconds()
    load = wrk(server.url, path, seconds, connections)
    return load, 1000 * (server.processor_seconds() - before) / max(1.0, load.rate * seconds)


def rates(given: argparse.Namespace) -> dict[str, Any]:
    """Both databases, one after the other."""
    with tempfile.TemporaryDirectory() as place:
        found = {"SQLite": loaded(str(Path(place, "ledger.sqlite")), given)}
    if given.postgresql:
        os.environ["TEXTVEIL_LEDGER_KEY"] = "7" * 64
        with postgresql() as url:
            found["PostgreSQL"] = loaded(url, given)
        found["PostgreSQL"]["rate, times SQLite's"] = (
            found["PostgreSQL"]["requests a second"] / found["SQLite"]["requests a second"]
        )
    return found


@asynccontextmanager
async def writing_upstream(chunks: int, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of an OpenAI API that streams so many chunks, 5 ms apart, each with the time at which it is sent."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in range(chunks):
                chunk = {"choices": [{"index": 0, "delta": {"content": "another word. "}}], **_CHUNK}
                _event(writer, json.dumps({**chunk, "id": f"chatcmpl-{time.monotonic():.6f}"}))
                await writer.drain()
                await asyncio.sleep(0.005)
            _event(writer, "[DONE]")
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context) as listening:
        yield listening.sockets[0].getsockname()[1]


@asynccontextmanager
async def far_upstream(chunks: int, away: float) -> AsyncIterator[str]:
    """The URL of that API; with ``away`` over TLS, and what goes there or comes back takes so many milliseconds."""
    if not away:
        async with writing_upstream(chunks) as port:
            yield f"http://127.0.0.1:{port}/v1"
        return
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "localhost.pem")
        made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=upstream -addext"
        told = [*made.split(), "subjectAltName=DNS:localhost", "-keyout", file, "-out", f"{file}.crt"]
        subprocess.run(list(map(str, told)), check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{file}.crt", file)
        os.environ["SSL_CERT_FILE"] = f"{file}.crt"
        async with writing_upstream(chunks, context) as port:

            async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                while data := await reader.read(1 << 16):
                    asyncio.get_running_loop().call_later(away / 1000, writer.write, data)
                asyncio.get_running_loop().call_later(away / 1000, writer.close)

            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                behind = await asyncio.open_connection("127.0.0.1", port)
                with contextlib.suppress(ConnectionError):
                    await asyncio.gather(carry(reader, behind[1]), carry(behind[0], writer))

            async with await asyncio.start_server(connected, "127.0.0.1", 0) as listening:
                yield f"https://localhost:{listening.sockets[0].getsockname()[1]}/v1"


_CHUNK: Mapping[str, Any] = {"object": "chat.completion.chunk", "created": 1, "model": "m"}


def _event(writer: asyncio.StreamWriter, data: str) -> None:
    body = f"data: {data}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(body), body))


async def chunk_times(base: str, text: str, chunks: int, system: str = "") -> tuple[float, list[float]]:
    """Until the first chunk came, from the request on; and how old each chunk was when it came (its id says)."""
    import httpx

    ages: list[float] = []
    first = 0.0
    said = [{"role": "system", "content": system}] if system else []
    body = {"model": "m", "stream": True, "messages": [*said, {"role": "user", "content": text}]}
    async with httpx.AsyncClient(timeout=60, trust_env=False, verify=ssl.create_default_context()) as client:
        start = time.monotonic()
        async with client.stream("POST", f"{base}/chat/completions", json=body) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                now = time.monotonic()
                if line.startswith("data: {"):
                    first = first or now - start
                    ages.append(now - float(json.loads(line[6:])["id"].partition("-")[2]))
    return first, ages[:chunks]


async def streams(given: argparse.Namespace) -> dict[str, Any]:
    """What the gateway adds to a streamed answer: to its first chunk, and to each."""
    times: dict[str, list[tuple[float, list[float]]]] = {"direct": [], "gateway": []}
    texts = prompts(given.texts)
    system = " ".join(" ".join(reversed(texts)).split()[: given.system])
    async with far_upstream(given.chunks, given.away) as upstream:
        told = {"TEXTVEIL_UPSTREAM": upstream, "TEXTVEIL_UPSTREAM_PRIVATE_ADDRESSES": "true"}
        for made in _served(told):
            server = await asyncio.to_thread(next, made)
            await chunk_times(f"{server.url}/v1", texts[-1], given.chunks, system)
            before = server.processor_seconds()
            for text in texts[: given.streams]:  # in turn: what else the machine does moves both
                times["direct"].append(await chunk_times(upstream, text, given.chunks, system))
                times["gateway"].append(await chunk_times(f"{server.url}/v1", text, given.chunks, system))
            used = server.processor_seconds() - before
            await asyncio.to_thread(list, made)
    first = {way: [one[0] for one in found] for way, found in times.items()}
    ages = {way: [age for one in found for age in one[1]] for way, found in times.items()}
    return {
        "added at the first chunk, median, ms": 1000
        * statistics.median(b - a for a, b in zip(first["direct"], first["gateway"], strict=True)),
        "added at each chunk, median, ms": 1000
        * (statistics.median(ages["gateway"]) - statistics.median(ages["direct"])),
        "added at each chunk, mean, ms": 1000 * (statistics.fmean(ages["gateway"]) - statistics.fmean(ages["direct"])),
        "processor ms of the server, a stream": 1000 * used / given.streams,
        "chunks that came, direct": len(ages["direct"]),
        "chunks that came, gateway": len(ages["gateway"]),
    }


def _served(told: Mapping[str, str]) -> Iterator[Iterator[Served]]:
    def one() -> Iterator[Served]:
        with tempfile.TemporaryDirectory() as place, served(str(Path(place, "l.sqlite")), Path(place), told) as server:
            yield server

    yield one()


def main() -> None:
    """Measures, and prints a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["rate", "stream"])
    parser.add_argument("--seconds", type=float, default=20.0, help="of each run, 120 at the most")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--texts", choices=["news", "reviews"], default="news")
    parser.add_argument("--at", type=float, help="requests a second of the second run; half of the first's if left out")
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--chunks", type=int, default=100)
    parser.add_argument("--system", type=int, default=0, help="words of a system prompt, the same in all requests")
    parser.add_argument("--away", type=float, default=0.0, help="milliseconds to the upstream, over TLS")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    given.seconds = min(given.seconds, 120.0)
    found = rates(given) if given.part == "rate" else {"stream": asyncio.run(streams(given))}
    load = os.getloadavg()
    if given.json:
        print(json.dumps({"machine": machine(), "load": load, **found}, indent=2))
        return
    for what, rows in found.items():
        for name, value in rows.items():
            print(f"{what:<11} {name:<38} {value:10.2f}")
    print(f"load averages of the machine: {', '.join(f'{one:.1f}' for one in load)}")


if __name__ == "__main__":
    main()
