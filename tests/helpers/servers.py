"""The server on a free port of this machine, in a thread, with a ledger in memory or a real one."""

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import httpx
import uvicorn

from textveil.budget.account import Account
from textveil.privacy.accountant import Accountant, Remaining
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.process import settings


class MemoryBalance:
    """What was spent."""

    def __init__(self, spent: float, limit: float | None) -> None:
        self.spent, self.limit, self.releases = spent, limit, 0  # which counts none
        self.remaining = None if limit is None else Remaining(limit - spent, 0.0)

    def affords(self, cost: Accountant) -> int | None:
        one = cost.spent.approximate().epsilon
        return None if self.limit is None or one == 0 else int((self.limit - self.spent) // one)

    def to_data(self) -> dict[str, Any]:
        left = None if self.limit is None else {"epsilon": self.limit - self.spent, "delta": 0.0}
        return {"limit": self.limit, "spent": {"epsilon": self.spent, "delta": 0.0}, "remaining": left}


class MemoryLedger:
    """A ledger that forgets: for tests of what stands above it, which look at the order of its calls."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.calls: list[str] = []
        self._spent: dict[Account, float] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def reserve(self, account: Account, cost: Accountant) -> SimpleNamespace:
        epsilon = cost.spent.approximate().epsilon
        with self._lock:
            spent = self._spent.get(account, 0.0) + epsilon
            if self.limit is not None and spent > self.limit:
                raise AssertionError("the ledger of tests is exhausted")
            self._spent[account] = spent
            self.calls.append("reserve")
            return SimpleNamespace(number=next(self._numbers), balance=MemoryBalance(spent, self.limit))

    def reserve_all(self, wanted: Sequence[tuple[Account, Accountant]]) -> list[Any]:
        return [self.reserve(account, cost) for account, cost in wanted]

    def commit(self, reservation: Any) -> None:
        self.calls.append("commit")

    def balance(self, account: Account) -> MemoryBalance:
        return MemoryBalance(self._spent.get(account, 0.0), self.limit)


@contextlib.contextmanager
def serving(app: Any, config: Config) -> Iterator[httpx.Client]:
    """A client of an application that is served, on a free port, while the block runs."""
    made = settings(app, config)
    made.port = 0
    made.timeout_keep_alive = 60  # else a server that waits for ever would close an idle connection in time
    server = uvicorn.Server(made)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        give_up = time.monotonic() + 60
        while not (server.started and server.servers):
            assert thread.is_alive() and time.monotonic() < give_up, "the server did not start"
            time.sleep(0.01)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        with httpx.Client(base_url=f"http://{host}:{port}", timeout=60, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(30)


@contextlib.contextmanager
def running(config: Config | None = None, ledger: Any = None) -> Iterator[httpx.Client]:
    """A client of the server; its ``base_url`` says where.

    Args:
        config: None is the default.
        ledger: None is one in memory.
    """
    told = config or Config()
    books: Any = MemoryLedger() if ledger is None else ledger
    with serving(make_app(told, ledger=books), told) as client:
        yield client
