"""A PostgreSQL server of the system's packages on a free port of this machine, for tests; killed at will."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.helpers.log_watch import heard

_SETTINGS = (
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    "max_connections = 60",
    "shared_buffers = 32MB",
    "fsync = on",
    "synchronous_commit = on",
)


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where it is not installed."""
    found = shutil.which("postgres")
    if found is not None:
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


class Postgres:
    """A server that this process may start and kill."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self._port = folder, port
        self._bin = programs()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where its database is."""
        return f"postgresql://tests@127.0.0.1:{self._port}/postgres"

    def make(self) -> None:
        """Make the files of an empty server."""
        if os.geteuid() == 0:  # which PostgreSQL refuses to be
            owner = pwd.getpwnam("postgres")
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", str(self._folder / "data"), "-U", "tests", "-A", "trust", "--no-instructions")
        with (self._folder / "data" / "postgresql.conf").open("a") as stream:
            stream.writelines(f"{line}\n" for line in _SETTINGS)

    def start(self) -> None:
        """Start it, and wait until it answers; one that was killed recovers first."""
        arguments = [str(self._program("postgres")), "-D", str(self._folder / "data"), "-p", str(self._port)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*self._as_user(), *arguments], stdout=log, stderr=log)
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                ready = [str(self._program("pg_isready")), "-q", "-h", "127.0.0.1", "-p", str(self._port)]
                if subprocess.run(ready, check=False).returncode == 0:
                    return
            time.sleep(0.02)
        raise AssertionError(f"PostgreSQL did not start: {(self._folder / 'log').read_text()[-2000:]}")

    def kill(self) -> None:
        """Kill the server and all its processes at once, as a power cut would."""
        assert self._process is not None
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGSTOP)  # it starts no other meanwhile
        children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        for one in (pid, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        self._process.wait(30)
        give_up = time.monotonic() + 60
        while any(map(_runs, children)):  # one that is not gone yet holds memory that a new server asks for
            assert time.monotonic() < give_up, "processes of PostgreSQL do not end"
            time.sleep(0.01)
        (self._folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Kill it for good."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
        heard("postgres", self._folder / "log")

    def _program(self, name: str) -> Path:
        assert self._bin is not None
        return self._bin / name

    def _as_user(self) -> list[str]:
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []

    def _run(self, name: str, *arguments: str) -> None:
        command = [*self._as_user(), str(self._program(name)), *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=600, cwd=self._folder)


def _runs(process: str) -> bool:
    """Whether a process has not ended: one that nobody asked for its end has."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return False
    return state not in ("Z", "X")


@contextlib.contextmanager
def postgres_server() -> Iterator[Postgres]:
    """A server that runs while the block does; skips the test where PostgreSQL is not installed."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'textveil[postgresql]')")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Not below pytest's folders, which only their owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="textveil-postgres-"))
    server = Postgres(folder, port)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
