"""``textveil serve`` and ``textveil keys``: as others call them, in processes of their own."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

TEXTVEIL = [sys.executable, "-m", "textveil"]


def _run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TEXTVEIL, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
        check=False,
    )


@contextmanager
def _served(*arguments: object, cwd: Path) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A client of ``textveil serve`` on a free port."""
    line = [*TEXTVEIL, "serve", "--port", "0", *map(str, arguments)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=cwd) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.search(r"http://\S+?(?=,)", said)
            assert found is not None, said
            with httpx.Client(base_url=found[0], timeout=60, trust_env=False) as client:
                yield client, process
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
            process.wait(60)


@pytest.mark.slow
def test_a_key_spends_its_persons_budget_and_no_more(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'budgets.db'}"
    made = _run("keys", "create", "--tenant", "ward", "--unit", "p1", "--budget", 20, "--database", database)
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert re.fullmatch(r"tv_[0-9a-f]{16}_[\w-]{43}", key) and key not in made.stderr
    arguments = ("--host", "127.0.0.1", "--database", database, "--policy", "all-words")
    with _served(*arguments, cwd=tmp_path) as (client, process):
        client.headers["authorization"] = f"Bearer {key}"
        first = client.post("/v1/sanitize", json={"text": "Maria sings."})
        assert first.status_code == 200 and set(first.json()) == {"text", "guarantee", "budget"}
        assert first.json()["guarantee"]["epsilon"] == 16
        second = client.post("/v1/sanitize", json={"text": "Maria sings."})
        assert second.status_code == 429 and second.json()["error"]["code"] == "budget_exhausted"
        assert client.get("/readyz").json() == {"status": "ok"}
    assert process.returncode == 128 + signal.SIGTERM


def test_keys_are_listed_rotated_and_revoked(command, tmp_path: Path) -> None:
    base = ("--database", f"sqlite:///{tmp_path / 'budgets.db'}")
    code, out, said = command("keys", "create", "--tenant", "ward", "--unit", "p1", "--expires-days", 2, *base)
    key = out.decode().strip()
    identity = key.split("_")[1]
    assert code == 0 and key not in said and identity in said
    (listed,) = json.loads(command("keys", "list", "--json", *base)[1])
    assert (listed["id"], listed["state"], listed["tenant"], listed["unit"]) == (identity, "valid", "ward", "p1")
    assert listed["expires"] > listed["created"]
    rotated = command("keys", "rotate", identity, *base)[1].decode().strip()
    assert rotated.startswith(f"tv_{identity}_") and rotated != key
    assert command("keys", "revoke", identity, *base)[0] == 0
    assert b"revoked" in command("keys", "list", *base)[1]
    assert command("keys", "revoke", "0" * 16, *base)[0] == 2


@pytest.mark.parametrize("days", ["-1", "0", "nan", "inf", "1e9"])
def test_an_end_of_a_key_that_is_no_time_to_come_is_refused(command, tmp_path: Path, days: str) -> None:
    file = tmp_path / "budgets.db"
    code, out, said = command("keys", "create", "--tenant", "ward", "--expires-days", days, "--database", file)
    assert (code, out) == (2, b"") and said.count("\n") == 1 and not file.exists()
    assert said.startswith("textveil: --expires-days must be > 0 and at most 36500; got ")


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "1e12"])
def test_a_grace_without_end_is_refused(command, tmp_path: Path, seconds: str) -> None:
    base = ("--database", str(tmp_path / "budgets.db"))
    identity = command("keys", "create", "--tenant", "ward", *base)[1].decode().split("_")[1]
    code, out, said = command("keys", "rotate", identity, "--grace-seconds", seconds, *base)
    assert (code, out) == (2, b"") and said.startswith("textveil: --grace-seconds must be from 0 to ")


@pytest.mark.parametrize("arguments", [("serve", "--port", "0"), ("keys", "create", "--tenant", "t"), ("keys", "list")])
def test_a_file_that_is_no_database_is_told_as_such(command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "notes.db"
    for what, told in ((file.mkdir, "a folder"), (lambda: file.write_bytes(b"CANARY" * 99), "no database")):
        if file.is_dir():
            file.rmdir()
        what()
        code, out, said = command(*arguments, "--database", file)
        assert (code, out) == (1, b"") and said.count("\n") == 1 and "CANARY" not in said
        assert said.startswith(f"textveil: the ledger's database could not be used: it is {told}. Name another file")
        assert [one.name for one in tmp_path.iterdir()] == ["notes.db"], "no key was made for it"


def test_a_server_that_others_can_reach_wants_keys(command, tmp_path: Path) -> None:
    code, _, said = command("serve", "--host", "0.0.0.0", "--port", 0, "--database", tmp_path / "budgets.db")
    assert code == 2 and said.count("\n") == 1
    assert said.startswith("textveil: --host must be of this machine while there are no API keys; got 0.0.0.0.")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--policy", "nothing"), 2, "--policy must be one of"),
        (("--port", "99999"), 2, "--port must be"),
        (("--config", "missing.toml"), 2, "missing.toml cannot be read"),
        (("--database", "mysql://x/y"), 2, "must name an SQLite or a PostgreSQL database"),
        (("--database", "no/such/folder/x.db"), 1, "no ledger can be made"),
        (("--host", "192.0.2.1"), 2, "--host must be of this machine"),
    ],
)
def test_a_server_that_cannot_run_says_why_in_one_line(
    command, tmp_path: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    place = () if "--database" in arguments else ("--database", str(tmp_path / "budgets.db"))
    found, _, said = command("serve", *arguments, *place)
    assert (found, said.count("\n")) == (code, 1), said
    assert told in said


def test_check_prints_what_would_run_with_secrets_masked(command, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "textveil.toml"
    file.write_text('port = 8100\nupstream_key = "CANARY"\ndatabase = "postgresql://me:CANARY@db/x?password=CANARY"\n')
    monkeypatch.setenv("TEXTVEIL_PORT", "8200")
    code, out, _ = command("serve", "--check", "--config", file, "--policy", "prompts")
    told = out.decode().splitlines()
    assert code == 0 and b"CANARY" not in out
    assert "port = 8200" in told and 'policy = "prompts"' in told and 'upstream_key = "***"' in told
    assert 'database = "postgresql://me:***@db/x?***"' in told


def test_a_file_that_cannot_be_used_is_told_without_what_it_says(command, tmp_path: Path) -> None:
    file = tmp_path / "textveil.toml"
    file.write_text('ports = "CANARY"')
    code, _, said = command("serve", "--check", "--config", file)
    assert code == 2 and said == "textveil: ports is no field of the configuration. See docs/server.md.\n"
    file.write_text("port = CANARY")
    code, _, said = command("serve", "--check", "--config", file)
    assert code == 2 and "CANARY" not in said and "line 1" in said
    file.write_text('body_seconds = "CANARY"')
    code, _, said = command("serve", "--check", "--config", file)
    assert code == 2 and "CANARY" not in said and said.startswith("textveil: body_seconds must be")


@pytest.mark.parametrize("check", [(), ("--check",)])
@pytest.mark.parametrize("upstream", ["api.example.com", "api.example.com:443/v1", "localhost:8000", "https://"])
def test_a_bare_host_is_no_upstream(command, tmp_path: Path, check: tuple[str, ...], upstream: str) -> None:
    asked = ("--upstream", upstream, "--port", "0", "--database", tmp_path / "b.db")
    code, out, said = command("serve", *check, *asked)
    assert (code, out) == (2, b"")
    assert said == (
        "textveil: --upstream must be a URL with http:// or https://, as https://api.openai.com/v1, and no query; got "
        "something else.\n"
    )


@pytest.mark.parametrize("arguments", [("serve", "--check"), ("keys", "list")])
def test_a_variable_that_nothing_reads_is_told_and_not_ignored(
    command, monkeypatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TEXTVEIL_UPSTRAEM", "CANARY")
    code, out, said = command(*arguments)
    assert (code, out) == (2, b"") and said.count("\n") == 1 and "CANARY" not in said
    assert said.startswith("textveil: TEXTVEIL_UPSTRAEM is an environment variable that nothing reads. Is TEXT")


def test_a_taken_port_is_told(command, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, said = command("serve", "--port", taken.getsockname()[1], "--database", tmp_path / "second.db")
    assert code == 1 and "cannot be listened on" in said and said.count("\n") == 1


def test_the_options_of_a_budget_want_a_budget(command, tmp_path: Path) -> None:
    base = ("keys", "create", "--tenant", "ward", "--database", tmp_path / "x.db")
    code, _, said = command(*base, "--delta", "1e-6")
    assert code == 2 and "need --budget" in said
    code, _, said = command(*base, "--budget", "-1")
    assert code == 2 and "--budget must be" in said
    code, _, said = command(*base, "--admin", "--budget", "1")
    assert code == 2 and "--budget must be left out" in said
    code, out, said = command("keys", "list", "--database", tmp_path / "x.db")
    assert (code, out) == (1, b"") and "there is no such database" in said and not list(tmp_path.iterdir())


def test_keys_are_those_of_a_servers_file(command, tmp_path: Path) -> None:
    file = tmp_path / "textveil.toml"
    file.write_text(f'database = "{tmp_path / "own.db"}"\n')
    assert command("keys", "create", "--tenant", "ward", "--config", file)[0] == 0
    (listed,) = json.loads(command("keys", "list", "--json", "--config", file)[1])
    assert listed["tenant"] == "ward" and (tmp_path / "own.db").is_file()


@pytest.mark.parametrize(("option", "value"), [("--policy", "CANARY"), ("--upstream", "CANARY")])
def test_check_refuses_what_a_server_would_refuse(command, option: str, value: str) -> None:
    code, out, said = command("serve", "--check", option, value)
    assert (code, out, said.count("\n")) == (2, b"", 1)


@pytest.mark.parametrize("arguments", [("serve", "--check"), ("keys", "list")])
def test_without_the_extra_its_name_is_told(command, monkeypatch, arguments: tuple[str, ...]) -> None:
    assert command("policies", "--json")[0] == 0  # the command line's own package has pydantic, and reads options by it
    for name in [one for one in sys.modules if one.startswith("textveil.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    code, _, said = command(*arguments)
    assert code == 2 and said == "textveil: `pydantic` is not installed. Run: pip install 'textveil[server]'\n"


@pytest.mark.slow
def test_a_server_without_keys_has_a_budget_in_messages(tmp_path: Path) -> None:
    database = tmp_path / "budgets.db"
    (tmp_path / "open.toml").write_text('upstream = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
    arguments = ("--database", database, "--policy", "prompts", "--budget", "2 messages", "--config", "open.toml")
    for spent in (4, 8):  # a second start enters nothing anew
        with _served(*arguments, cwd=tmp_path) as (client, process):
            assert process.stderr is not None
            said = [process.stderr.readline().rstrip() for _ in range(6)]
            assert "to        http://127.0.0.1:9/v1; without a key: TEXTVEIL_UPSTREAM_KEY is not set" in said
            for begun in (
                "policy    prompts, ",
                "restart   forgets conversations, whose histories",
                "text      as a whole none",
            ):
                assert any(line.startswith(begun) for line in said), begun
            told = client.post("/v1/sanitize", json={"text": "I am 44, and she is 51."}).json()["budget"]
            assert told["limit"]["epsilon"] == 16 and told["spent"]["epsilon"] == spent
    entries = json.loads(_run("ledger", "show", database, "--tenant", "local", "--entries", "--json").stdout)
    assert [one["what"] for one in entries["entries"]].count("limit") == 1


def test_a_key_has_policies_and_a_budget_in_messages_of_the_first(command, tmp_path: Path) -> None:
    base = ("keys", "create", "--tenant", "ward", "--database", tmp_path / "budgets.db")
    code, _, said = command(*base, "--policies", "prompts,identifiers", "--budget", "40 messages a day")
    assert code == 0 and said.startswith("budget: epsilon 320 a day\n")
    code, out, _ = command("keys", "list", "--database", tmp_path / "budgets.db", "--json")
    assert [one["policies"] for one in json.loads(out)] == [["prompts", "identifiers"]]
    for arguments, told in (
        (("--policies", "none"), "must be one of"),
        (("--policies", "identifiers", "--budget", "4 messages"), "--budget must be nats where messages have no price"),
        (("--budget", "4 of them"), "--budget must be a number of nats or messages"),
    ):
        code, _, said = command(*base, *arguments)
        assert code == 2 and told in said and said.count("\n") == 1, said
    code, _, said = command("serve", "--port", 0, "--database", tmp_path / "budgets.db", "--budget", "5")
    assert code == 2 and "--budget must be left out where there are API keys" in said
