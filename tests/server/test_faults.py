"""Faults on the way to a release: what is told, what is spent, and that nothing leaves."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from tests.helpers.servers import MemoryLedger, running, serving

from textveil.budget.account import Account
from textveil.budget.ledger import Ledger
from textveil.errors import LedgerError
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Prepared
from textveil.server.app import make_app
from textveil.server.config import Config

NOTE = "CANARY Maria Gonzalez has 2 cats."


class Failing(MemoryLedger):
    """Fails at one step."""

    def __init__(self, step: str) -> None:
        super().__init__()
        self.step = step

    def reserve(self, account: Account, cost: Any) -> Any:
        if self.step == "reserve":
            raise LedgerError("the ledger's database could not be used: the disk is full.")
        return super().reserve(account, cost)

    def commit(self, reservation: Any) -> None:
        if self.step == "commit":
            raise LedgerError("the ledger's database could not be used: it is damaged.")
        super().commit(reservation)


def _broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError(NOTE)


FAULTS: dict[str, tuple[type, str] | None] = {
    "prepare": (Sanitizer, "prepare"),
    "reserve": None,
    "release": (Prepared, "release"),
    "commit": None,
}


@pytest.mark.parametrize("step", FAULTS)
def test_a_fault_at_any_step_lets_nothing_out(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Failing(step)
    with running(ledger=ledger) as client:
        place = FAULTS[step]
        if place is not None:
            monkeypatch.setattr(*place, _broken)
        answer = client.post("/v1/sanitize", json={"text": NOTE, "restorable": True})
        counted = client.get("/metrics").text
    code = "internal_error" if place is not None else "ledger_unavailable"
    assert (answer.status_code, answer.json()["error"]["code"]) == (500 if place is not None else 503, code)
    assert set(answer.json()) == {"error"} and "CANARY" not in answer.text and "cats" not in answer.text
    # What was reserved stays spent; nothing was drawn before.
    assert ledger.calls == {"prepare": [], "reserve": [], "release": ["reserve"], "commit": ["reserve"]}[step]
    assert 'textveil_releases_total{policy="identifiers"}' not in counted


def _real(folder: Path, **told: Any) -> tuple[Config, str]:
    place = str(folder / "budgets.db")
    return Config(database=place, **told), place


def _asked(client: httpx.Client) -> tuple[int, str]:
    answer = client.post("/v1/sanitize", json={"text": NOTE})
    assert "CANARY" not in answer.text or answer.status_code == 200
    return answer.status_code, answer.json().get("error", {}).get("code", "")


def test_a_locked_database_releases_nothing_and_the_server_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textveil.budget.database.BUSY_SECONDS", 0.2)
    told, place = _real(tmp_path)
    with serving(make_app(told), told) as client:
        assert _asked(client) == (200, "")
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert _asked(client) == (503, "ledger_unavailable")
        assert client.get("/healthz").status_code == 200 and client.get("/readyz").status_code == 503
        other.execute("ROLLBACK")
        other.close()
        assert _asked(client) == (200, "")
    with Ledger(place) as ledger:
        assert ledger.balance(Account("local")).releases == 2


@contextmanager
def _full_disk() -> Iterator[None]:
    """Databases of SQLite take no new page while the block runs."""

    def begun(connection: Any) -> None:
        connection.connection.dbapi_connection.execute("PRAGMA max_page_count = 1")

    event.listen(Engine, "begin", begun)
    try:
        yield
    finally:
        event.remove(Engine, "begin", begun)


def test_a_full_disk_releases_nothing(tmp_path: Path) -> None:
    told, place = _real(tmp_path)
    with serving(make_app(told), told) as client:
        assert _asked(client) == (200, "")
        with _full_disk():
            found = [_asked(client) for _ in range(40)]
        assert (503, "ledger_unavailable") in found and {status for status, _ in found} <= {200, 503}
    with Ledger(place) as ledger:
        assert ledger.balance(Account("local")).releases == 1 + found.count((200, ""))


def test_a_damaged_database_releases_nothing(tmp_path: Path) -> None:
    told, place = _real(tmp_path)
    with serving(make_app(told), told) as client:
        assert _asked(client) == (200, "")
        for path in Path(place).parent.glob("budgets.db*"):
            if path.suffix != ".key":
                path.write_bytes(b"CANARY" * (path.stat().st_size // 6))
        assert _asked(client) == (503, "ledger_unavailable")
    with pytest.raises(LedgerError):
        Ledger(place)
