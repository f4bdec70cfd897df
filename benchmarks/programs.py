"""Programs that benchmarks of the server start and stop: textveil's server, PostgreSQL on a free port, a load tool."""

import asyncio
import contextlib
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


def free_port() -> int:
    """A port of this machine that nobody listens on just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Served(NamedTuple):
    """A server that runs: where, as which process, and where it writes what it has to say."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def processes(self) -> list[int]:
        """The server's own, and those that it has started."""
        own = self.process.pid
        return [own, *(int(pid) for task in Path(f"/proc/{own}/task").glob("*/children") for pid in _words(task))]

    def processor_seconds(self) -> float:
        """What its processes have used so far."""
        fields = [_words(Path(f"/proc/{pid}/stat"), behind=") ") for pid in self.processes()]
        return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        """Memory that its own process holds; the others come and go with the load."""
        pages = int(_words(Path(f"/proc/{self.process.pid}/statm"))[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _words(file: Path, behind: str = "") -> list[str]:
    text = file.read_text()
    return (text.rpartition(behind)[2] if behind else text).split()


@contextlib.contextmanager
def served(database: str, folder: Path, options: Mapping[str, str] | None = None, port: int = 0) -> Iterator[Served]:
    """``textveil serve`` on a free port of this machine, without limits of rate, until the block ends.

    Args:
        database: URL or path.
        folder: for its log.
        options: fields of the configuration, as the environment has them: ``TEXTVEIL_UPSTREAM``.
        port: 0 is a free one.
    """
    port = port or free_port()
    log = folder / "server.log"
    told = {**os.environ, "TEXTVEIL_REQUESTS_PER_SECOND": "0", **(options or {})}
    command = [sys.executable, "-m", "textveil", "serve", "--port", str(port), "--database", database]
    with log.open("ab") as sink:
        process = subprocess.Popen(command, env=told, stdout=sink, stderr=sink)
    one = Served(f"http://127.0.0.1:{port}", process, log)
    try:
        give_up = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(f"{one.url}/readyz", timeout=5).read()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > give_up:
                    raise SystemExit(f"the server did not start:\n{log.read_text()[-2000:]}") from None
                time.sleep(0.1)
        yield one
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


@contextlib.contextmanager
def litellm_proxy(upstream: str, folder: Path, key: str, **settings: object) -> Iterator[Served]:
    """LiteLLM's proxy with a model ``m`` and the guardrail, on a free port of this machine, until the block ends.

    Args:
        upstream: base URL of the model's provider.
        folder: for its configuration and its log.
        key: LiteLLM's master key.
        **settings: of the guardrail.
    """
    guardrail = "textveil.server.litellm_guardrail.TextveilGuardrail"
    told = {"guardrail": guardrail, "mode": ["pre_call", "post_call"], "default_on": True, **settings}
    model = {"model": "openai/m", "api_base": upstream, "api_key": "none", "max_retries": 0}
    configuration = {
        "model_list": [{"model_name": "m", "litellm_params": model}],
        "guardrails": [{"guardrail_name": "textveil", "litellm_params": told}],
        "router_settings": {"num_retries": 0},
    }
    (folder / "config.yaml").write_text(json.dumps(configuration))  # which is YAML too
    port, log = free_port(), folder / "litellm.log"
    command = [sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", "config.yaml"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": key}
    with log.open("wb") as sink:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=sink, stderr=sink)
    one = Served(f"http://127.0.0.1:{port}", process, log)
    try:
        give_up = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(f"{one.url}/health/liveliness", timeout=10).read()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > give_up:
                    raise SystemExit(f"LiteLLM's proxy did not start:\n{log.read_text()[-2000:]}") from None
                time.sleep(0.2)
        yield one
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def postgresql(settings: Sequence[str] = ()) -> Iterator[str]:
    """The URL of a database of a new PostgreSQL on a free port, made of the system's package and removed at the end.

    Args:
        settings: of ``postgres -c``.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql")
    place, port = Path(tempfile.mkdtemp(prefix="textveil-pg-")), free_port()
    # PostgreSQL refuses to run as root.
    who = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    own = {} if who is None else {"user": who.pw_uid, "group": who.pw_gid}
    if who is not None:
        os.chown(place, who.pw_uid, who.pw_gid)
    programs_at = programs[-1].parent
    made = [programs_at / "initdb", "-D", place / "data", "-U", "textveil", "--auth=trust", "-E", "UTF8"]
    subprocess.run(list(map(str, made)), check=True, stdout=subprocess.DEVNULL, cwd=place, **own)  # type: ignore[call-overload]
    told = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={place}", *settings]
    command = [str(programs_at / "postgres"), "-D", str(place / "data")]
    command += [part for one in told for part in ("-c", one)]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=place, **own)  # type: ignore[call-overload]
    try:
        ready = [str(programs_at / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        give_up = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode != 0:
            if time.monotonic() > give_up:
                raise SystemExit("PostgreSQL did not start")
            time.sleep(0.1)
        yield f"postgresql://textveil@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(place, ignore_errors=True)


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The head and the body of the next HTTP request on a connection.

    Raises:
        asyncio.IncompleteReadError: there is none, or not the whole of it.
    """
    head = await reader.readuntil(b"\r\n\r\n")
    sizes = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head, await reader.readexactly(int(sizes[0].split(b":")[1]) if sizes else 0)


class Load(NamedTuple):
    """What wrk says of a run.

    Attributes:
        rate: requests a second.
        median: latency, milliseconds.
        p99: likewise.
        failed: answers that were no 2xx, and errors of sockets.
    """

    rate: float
    median: float
    p99: float
    failed: int


def wrk(url: str, script: Path, seconds: float, connections: int) -> Load:
    """Load by wrk (``apt-get install wrk``), one thread, on the loopback address only."""
    if not url.startswith("http://127.0.0.1:"):
        raise SystemExit("load goes to this machine only")
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed: apt-get install wrk")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--timeout", "30s", "--latency"]
    said = subprocess.run([*command, "-s", str(script), url], check=True, capture_output=True, text=True).stdout
    rate = float(_found(r"Requests/sec:\s+([\d.]+)", said))
    failed = sum(map(int, re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", said)))
    return Load(rate, _milliseconds(said, "50"), _milliseconds(said, "99"), failed)


def _found(pattern: str, said: str) -> str:
    match = re.search(pattern, said)
    if match is None:
        raise SystemExit(f"wrk said something else:\n{said}")
    return match[1]


def _milliseconds(said: str, part: str) -> float:
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", _found(rf"\s{part}%\s+(\S+)", said)).groups()  # type: ignore[union-attr]
    return float(value) * {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}[unit]
