"""API keys: whose a request is, and what is known of a key where its secret is not."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, serving

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.errors import LedgerError, ParameterError
from textveil.server import keys as module
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.errors import ApiError
from textveil.server.keys import ApiKeys, Callers, KeyFacts, Rate

DAY = 86_400 * 10**6


class Clock:
    now = 10**15

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def place(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'budgets.db'}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(place: str, clock: Clock) -> Iterator[ApiKeys]:
    made = ApiKeys(place, clock=clock)
    yield made
    made.close()


def test_a_key_is_found_by_what_was_printed_and_by_nothing_else(keys: ApiKeys) -> None:
    assert not keys.exist()
    facts, key = keys.create("ward", "p1")
    assert keys.exist() and keys.find(key) == facts and (facts.tenant, facts.unit) == ("ward", "p1")
    other, _ = keys.create("ward")
    secret = key.rpartition(facts.identity)[2]
    for wrong in (
        key[:-1],
        key + "x",
        key.upper(),
        f"tv_{other.identity}{secret}",
        "tv__",
        "tv_",
        "",
        "sk-abc",
        "tv_\ud800_x",
    ):
        assert keys.find(wrong) is None


def test_the_database_holds_neither_secrets_nor_names(keys: ApiKeys, place: str) -> None:
    facts, key = keys.create("CANARY ward", "CANARY person")
    keys.close()
    content = b"".join(path.read_bytes() for path in Path(place.removeprefix("sqlite:///")).parent.glob("*.db*"))
    assert facts.identity.encode() in content and b"$argon2id$" in content
    assert b"CANARY" not in content and key.split("_", 2)[2].encode() not in content
    assert "CANARY" not in repr(facts)


def test_a_key_ends(keys: ApiKeys, clock: Clock) -> None:
    facts, key = keys.create("ward", expires=clock.now + DAY)
    assert facts.ends(clock.now) is None and facts.ends(clock.now + DAY) == "expired"
    with pytest.raises(ParameterError, match="later than now"):
        keys.create("ward", expires=clock.now)
    keys.revoke(facts.identity)
    first = keys.find(key)
    assert first is not None and first.ends(clock.now) == "revoked"
    clock.now += 5
    keys.revoke(facts.identity)
    assert keys.find(key) == first  # it was revoked once


def test_a_rotated_key_keeps_its_id_and_loses_its_secret(keys: ApiKeys, clock: Clock) -> None:
    facts, key = keys.create("ward", "p1")
    second = keys.rotate(facts.identity)
    assert keys.find(key) is None and keys.find(second) == facts
    third = keys.rotate(facts.identity, grace_seconds=10)
    assert keys.find(second) == facts == keys.find(third)
    clock.now += 10 * 10**6
    assert keys.find(second) is None and keys.find(third) == facts
    keys.rotate(facts.identity, grace_seconds=10)
    keys.revoke(facts.identity)
    revoked = keys.find(third)
    assert revoked is None
    with pytest.raises(ParameterError, match="identity must be that of a key"):
        keys.rotate(facts.identity)
    for unknown in (keys.rotate, keys.revoke):
        with pytest.raises(ParameterError, match="identity must be that of a key"):
            unknown("0" * 16)


def test_names_open_under_the_ledgers_key_alone_and_where_they_were_written(
    keys: ApiKeys, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, key), (second, _) = keys.create("ward"), keys.create("other")
    database = sqlite3.connect(place.removeprefix("sqlite:///"))
    with database:
        database.execute(
            "UPDATE server_keys SET owner = (SELECT owner FROM server_keys WHERE id = ?) WHERE id = ?",
            (second.identity, first.identity),
        )
    database.close()
    with pytest.raises(LedgerError, match="changed, or has another key"):
        keys.find(key)
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY", "ab" * 32)
    stranger = ApiKeys(place)
    assert stranger.find(key) is None
    with pytest.raises(LedgerError, match="changed, or has another key"):
        stranger.all()
    stranger.close()


@pytest.mark.parametrize(("tenant", "unit", "admin"), [("", None, False), ("ward", "", False), ("ward", "p1", True)])
def test_keys_that_make_no_sense_are_refused(keys: ApiKeys, tenant: str, unit: str | None, admin: bool) -> None:
    with pytest.raises(ParameterError):
        keys.create(tenant, unit, admin=admin)


def test_requests_that_come_too_often_are_refused() -> None:
    rate = Rate(3.0)
    for _ in range(3):
        rate.need("first")
    with pytest.raises(ApiError) as refused:
        for _ in range(3):
            rate.need("first")
    assert (refused.value.status, refused.value.code) == (429, "rate_limit_exceeded")
    assert int(refused.value.headers["retry-after"]) >= 1
    rate.need("second")
    unlimited = Rate(0)
    for _ in range(1000):
        unlimited.need("first")


NOTE = "Maria Gonzalez has 2 cats."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, ApiKeys, str]]:
    place = f"sqlite:///{tmp_path_factory.mktemp('served') / 'budgets.db'}"
    told = Config(database=place, key_seconds=0.05)
    keys = ApiKeys(place)
    keys.create("first")
    with serving(make_app(told), told) as client:
        yield client, keys, place
    keys.close()


def _asked(client: httpx.Client, key: str, **more: object) -> httpx.Response:
    headers = {"authorization": f"Bearer {key}"}
    return client.post("/v1/sanitize", json={"text": NOTE, "policy": "all-words", **more}, headers=headers)


def _code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_request_without_a_key_or_with_a_wrong_one_is_refused(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, _ = served
    _, key = keys.create("ward")
    assert _asked(client, key).status_code == 200
    assert _code(client.post("/v1/sanitize", json={"text": NOTE})) == (401, "invalid_api_key")
    for wrong in ("x", key[:-1], "sk-1234"):
        answer = _asked(client, wrong)
        assert _code(answer) == (401, "invalid_api_key") and wrong not in answer.text
        assert answer.headers["www-authenticate"] == "Bearer"
    basic = client.post("/v1/sanitize", json={"text": NOTE}, headers={"authorization": f"Basic {key}"})
    assert basic.status_code == 401
    for path in ("/v1/policies", "/v1/budget", "/v1/models"):
        assert client.get(path).status_code == 401
    for path in ("/healthz", "/readyz"):
        assert client.get(path).status_code == 200


def test_a_revoked_and_an_expired_key_are_told_so(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, place = served
    facts, key = keys.create("ward")
    assert _asked(client, key).status_code == 200
    keys.revoke(facts.identity)
    for _ in range(100):
        if _asked(client, key).status_code != 200:
            break
    assert _code(_asked(client, key)) == (401, "revoked_api_key")
    past = ApiKeys(place, clock=lambda: 10**15)
    _, old = past.create("ward", expires=10**15 + 1)
    past.close()
    assert _code(_asked(client, old)) == (401, "expired_api_key")


def test_a_persons_budget_is_spent_and_never_overdrawn(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, place = served
    _, key = keys.create("ward", "p1")
    with Ledger(place) as ledger:
        ledger.set_limit(Account("ward", "p1"), Limit(100.0))
    first = _asked(client, key)
    cost = first.json()["guarantee"]["epsilon"]
    assert cost == 40 and first.json()["budget"]["remaining"]["epsilon"] == 60
    assert _asked(client, key).status_code == 200
    last = _asked(client, key)
    assert _code(last) == (429, "budget_exhausted") and last.headers["x-should-retry"] == "false"
    assert set(last.json()["error"]) == {"message", "type", "param", "code"} and "Maria" not in last.text
    _, second = keys.create("ward", "p1")
    assert _code(_asked(client, second)) == (429, "budget_exhausted")
    headers = {"authorization": f"Bearer {key}"}
    left = client.get("/v1/budget", params={"policy": "all-words"}, headers=headers).json()
    assert left["remaining"]["epsilon"] == 20 and left["words_left"] == 2
    assert client.get("/v1/budget", headers=headers).json()["words_left"] is None
    assert _code(_asked(client, key, unit="p2")) == (403, "other_unit")


def test_a_key_of_a_tenant_names_the_person(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, place = served
    _, key = keys.create("clinic")
    with Ledger(place) as ledger:
        ledger.set_limit(Account("clinic", "p1"), Limit(50.0))
    assert _asked(client, key, unit="p1").status_code == 200
    assert _code(_asked(client, key, unit="p1")) == (429, "budget_exhausted")
    assert _asked(client, key, unit="p2").status_code == 200


def test_what_one_tenant_released_another_cannot_restore(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, _ = served
    headers = [{"authorization": f"Bearer {keys.create(tenant)[1]}"} for tenant in ("ward", "clinic")]
    made = client.post("/v1/sanitize", json={"text": NOTE, "restorable": True}, headers=headers[0]).json()
    body = {"text": made["text"], "release": made["release"]}
    assert client.post("/v1/restore", json=body, headers=headers[0]).json()["text"] == NOTE
    assert _code(client.post("/v1/restore", json=body, headers=headers[1])) == (404, "unknown_release")


def test_an_admins_key_releases_nothing(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, _ = served
    _, key = keys.create("owner", admin=True)
    assert _code(_asked(client, key)) == (403, "admin_key")


def test_admins_alone_are_told_of_others(served: tuple[httpx.Client, ApiKeys, str]) -> None:
    client, keys, _ = served
    facts, tenant = keys.create("told of")
    admin = {"authorization": f"Bearer {keys.create('owner', admin=True)[1]}"}
    assert _asked(client, tenant, unit="p1").status_code == 200
    found = client.get("/v1/admin/budget", params={"tenant": "told of", "unit": "p1"}, headers=admin).json()
    assert found["spent"]["epsilon"] == 40 and found["limit"] is None
    listed = client.get("/v1/admin/keys", headers=admin).json()["data"]
    assert ("told of", "valid") in [(one["tenant"], one["state"]) for one in listed]
    assert not any("argon2" in str(one) for one in listed)
    own = {"authorization": f"Bearer {tenant}"}
    for method, path in (("GET", "/v1/admin/keys"), ("POST", f"/v1/admin/keys/{facts.identity}/revoke")):
        assert _code(client.request(method, path, headers=own)) == (403, "not_admin")
        assert client.request(method, path).status_code == 401
    assert client.post(f"/v1/admin/keys/{facts.identity}/revoke", headers=admin).json()["state"] == "revoked"
    assert _code(_asked(client, tenant)) == (401, "revoked_api_key")
    assert _code(client.post("/v1/admin/keys/CANARY/revoke", headers=admin)) == (400, "invalid_parameter")


def test_a_server_without_keys_serves_whoever_is_on_this_machine(tmp_path: Path) -> None:
    told = Config(database=str(tmp_path / "budgets.db"), requests_per_second=3)
    with serving(make_app(told, ledger=MemoryLedger()), told) as client:
        assert _asked(client, "sk-of-another-service").status_code == 200
        assert _code(_asked(client, "tv_0000000000000000_x")) == (401, "invalid_api_key")
        found = [_asked(client, "sk-of-another-service").status_code for _ in range(4)]
        assert 429 in found


def test_counters_are_for_admins_unless_the_configuration_opens_them(
    served: tuple[httpx.Client, ApiKeys, str], place: str
) -> None:
    client, keys, _ = served
    headers = [{"authorization": f"Bearer {keys.create('ward', admin=admin)[1]}"} for admin in (True, False)]
    assert "textveil_requests_total" in client.get("/metrics", headers=headers[0]).text
    assert _code(client.get("/metrics", headers=headers[1])) == (403, "not_admin")
    assert _code(client.get("/metrics")) == (401, "invalid_api_key")
    told = Config(database=place, metrics="open")
    with contextlib.closing(ApiKeys(place)) as known:
        known.create("ward")
        with serving(make_app(told), told) as opened:
            assert "textveil_requests_total" in opened.get("/metrics").text
            assert opened.get("/v1/policies").status_code == 401


def test_a_server_of_bound_keys_takes_no_key_that_is_of_no_person(place: str) -> None:
    told = Config(database=place, units="bound")
    with contextlib.closing(ApiKeys(place)) as keys, serving(make_app(told), told) as client:
        assert client.post("/v1/sanitize", json={"text": NOTE}).status_code == 401, (
            "nor nobody, while there are no keys"
        )
        made = [keys.create("ward", *unit)[1] for unit in ((), ("p1",))]
        admin = {"authorization": f"Bearer {keys.create('owner', admin=True)[1]}"}
        for unit in ({}, {"unit": "p1"}):
            assert _code(_asked(client, made[0], **unit)) == (403, "unbound_key")
            assert _asked(client, made[1], **unit).status_code == 200
        assert _code(_asked(client, made[1], unit="p2")) == (403, "other_unit")
        assert client.get("/v1/admin/keys", headers=admin).status_code == 200


def test_requests_of_one_key_that_come_together_wait_for_one_verification(keys: ApiKeys) -> None:
    """Kills: each of 150 clients has the key verified when it is no more remembered; those behind the 100th get 503."""
    facts, key = keys.create("ward")
    asked: list[str] = []

    class Counted:
        def find(self, sent: str) -> KeyFacts | None:
            asked.append(sent)
            return keys.find(sent)

    async def ask() -> None:
        callers = Callers(Counted(), seconds=3600)  # type: ignore[arg-type]
        try:
            first = [asyncio.ensure_future(callers.of(f"Bearer {key}")) for _ in range(300)]
            await asyncio.sleep(0)
            for gone in first[:3]:
                gone.cancel()
            who = await asyncio.gather(*first[3:])
            assert {each.key_id for each in who} == {facts.identity} and asked == [key]
            wrong = [callers.of(f"Bearer {key[:-2]}xx") for _ in range(200)]
            refused = await asyncio.gather(*wrong, return_exceptions=True)
            assert {type(each) for each in refused} == {ApiError} and len(asked) == 2
            assert not callers._verifying
        finally:
            callers.close()

    asyncio.run(ask())


def test_argon2_tells_once_for_each_secret_and_hash(keys: ApiKeys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: a key that is asked for again each few seconds costs tens of milliseconds each time."""
    verified: list[str] = []
    real = module._HASHER.verify

    class Hasher:
        hash = staticmethod(module._HASHER.hash)

        @staticmethod
        def verify(hashed: str, secret: str) -> bool:
            verified.append(hashed)
            return real(hashed, secret)

    monkeypatch.setattr(module, "_HASHER", Hasher)
    facts, key = keys.create("ward")
    assert [keys.find(key) for _ in range(3)] == [facts] * 3 and len(verified) == 1
    assert keys.find(key[:-1]) is None
    rotated = keys.rotate(facts.identity)
    assert keys.find(key) is None, "a secret that was right is asked of the database again"
    assert keys.find(rotated) is not None and len(verified) == 2
    keys.revoke(facts.identity)
    found = keys.find(rotated)
    assert found is not None and found.revoked is not None
    monkeypatch.setattr(module, "_MOST_PROVED", 2)
    _, other = keys.create("ward")
    assert keys.find(other) is not None and len(keys._fitted) == 2
