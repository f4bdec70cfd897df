"""The gateway with keys and a ledger in a database: a person pays once, and an exhausted budget sends nothing."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.helpers.canaries import CODE, NOTE, PRIVATE, write_policy
from tests.helpers.servers import serving
from tests.helpers.upstream import Provider, repeating

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.cli import main as cli
from textveil.server.app import make_app, open_books
from textveil.server.config import Config

openai = pytest.importorskip("openai")

MARIA = Account("ward", "maria")


class Setup(NamedTuple):
    url: str
    key: str
    office: str
    shop: str
    ledger: Ledger

    def client(self, key: str | None = None) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=key or self.key, max_retries=2)

    def spent(self) -> float:
        return self.ledger.balance(MARIA).spent.approximate().epsilon


@pytest.fixture(scope="module")
def setup(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    folder = write_policy(tmp_path_factory.mktemp("policies"))
    database = str(tmp_path_factory.mktemp("database") / "ledger.sqlite")
    config = Config(upstream=provider.url, policy="paid", policies=folder, database=database)
    with open_books(config) as (ledger, keys):
        ledger.set_limit(MARIA, Limit(epsilon=5.0))
        key = keys.create(tenant="ward", unit="maria")[1]
        office, shop = (keys.create(tenant=tenant)[1] for tenant in ("office", "shop"))
        with serving(make_app(config, ledger=ledger, keys=keys), config) as client:
            yield Setup(f"{client.base_url}/v1", key, office, shop, ledger)


def test_a_person_pays_once_for_a_message_and_an_exhausted_budget_sends_nothing(
    setup: Setup, provider: Provider
) -> None:
    provider.answer = repeating()
    with setup.client() as client:
        history: list[Any] = []
        for turn in range(5):
            history.append({"role": "user", "content": f"{turn}: {NOTE}"})
            answer = client.chat.completions.create(model="m", messages=history)
            history.append(answer.choices[0].message.model_dump(exclude_none=True))
            assert history[-1]["content"] == f"You said: {turn}: {NOTE}"
            assert setup.spent() == turn + 1, "the history costs nothing again"
        provider.forget()
        with pytest.raises(openai.RateLimitError) as caught:
            client.chat.completions.create(model="m", messages=[*history, {"role": "user", "content": f"Now {CODE}."}])
        assert caught.value.code == "budget_exhausted" and provider.got == b"" and setup.spent() == 5
        assert CODE not in str(caught.value.body)
        again = client.chat.completions.create(model="m", messages=history[:-1])
        assert again.choices[0].message.content == history[-1]["content"], "what was paid for can be asked again"
        free = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hello."}])
        assert free.choices[0].message.content == "You said: Hello." and setup.spent() == 5
    assert provider.heard(*PRIVATE) == []
    assert setup.ledger.verify().sound


def test_a_stream_is_refused_before_it_begins(setup: Setup, provider: Provider) -> None:
    setup.ledger.set_limit(Account("office", "tom"), Limit(epsilon=0.5))
    provider.forget()
    messages: Any = [{"role": "user", "content": f"My number is {CODE}."}]
    tom = {"X-Textveil-Unit": "tom"}
    with setup.client(setup.office) as client, pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="m", messages=messages, stream=True, extra_headers=tom)
    assert caught.value.code == "budget_exhausted" and provider.got == b""


def test_who_has_no_key_reads_and_sends_nothing(setup: Setup, provider: Provider) -> None:
    provider.forget()
    for key in ("tv_none_none", setup.key[:-1] + ("a" if setup.key[-1] != "a" else "b")):
        with setup.client(key) as client:
            with pytest.raises(openai.AuthenticationError) as caught:
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": NOTE}])
            with pytest.raises(openai.AuthenticationError):
                client.models.list()
        assert caught.value.code == "invalid_api_key" and setup.key[-8:] not in str(caught.value.body)
    with setup.client() as client, pytest.raises(openai.PermissionDeniedError) as refused:
        other = {"X-Textveil-Unit": "tom"}
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": NOTE}], extra_headers=other)
    assert refused.value.code == "other_unit" and provider.got == b""


def test_a_conversation_of_another_key_is_another(setup: Setup, provider: Provider) -> None:
    name = {"X-Textveil-Conversation": "shared"}
    provider.forget()
    messages: Any = [{"role": "user", "content": NOTE}]
    for key in (setup.office, setup.shop, setup.office):
        with setup.client(key) as client:
            client.chat.completions.create(model="m", messages=messages, extra_headers=name)
    first, other, again = (body["messages"][0]["content"] for body in provider.bodies)
    assert first == again != other, "equal draws of a name and a code have a chance below 10^-9"


def test_one_account_over_files_counts_and_the_gateway_says_the_same_sum_everywhere(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``sanitize``, three of ``count`` and a chat: each tells what ``ledger show`` tells."""

    def run(*arguments: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        assert cli._exit_code() == 0
        told = capsys.readouterr()
        return told.out, told.err.replace("\n          ", " ")

    def shown() -> dict[str, Any]:
        return dict(json.loads(run("ledger", "show", place, "--unit", "maria", "--json")[0]))

    def told_alike(said: str) -> None:
        spent, ever = re.findall(r"has spent (\S.*?-DP)(?:; (\S.*?-DP) ever, by the sum)?; left", said)[0]
        lines = dict(line.split(None, 1) for line in run("ledger", "show", place, "--unit", "maria")[0].splitlines())
        assert lines["spent"] == f"{spent}, of the person" and f"left: {lines['remaining']}\n" in said
        assert lines.get("ever", "").removesuffix(", by the sum") == ever

    monkeypatch.chdir(tmp_path)
    place = tmp_path / "ledger.db"
    limit = ("--epsilon", 40, "--delta", "1e-5", "--composition", "gaussian", "--pure-epsilon", 30)
    run("ledger", "limit", place, "--each", "unit", *limit)
    Path("note.txt").write_text("two words\n")
    rows = [{"who": who, "text": f"the baker paid {who}"} for who in ("maria", "tom", "ann")]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = run("sanitize", "note.txt", "-o", "out.txt", "--ledger", place, "--unit", "maria",
               "--sender-report", "sender.json")[1]  # fmt: skip
    assert "for you alone: the payer has spent 16-DP; left" in said
    assert json.loads(Path("sender.json").read_text())["ledger"]["spent"] == shown()["spent"]
    for number in range(3):
        out, said = run("count", "rows.jsonl", "--unit", "who", "--epsilon", 1, "--delta", "1e-7", "--ledger", place,
                        "-o", f"{number}.csv", "--report", f"{number}.json", "--json")  # fmt: skip
        private = json.loads(out).pop("for_you_alone")["ledger"]
        assert private["accounts"] == 3 and all(private[name] == shown()[name] for name in ("spent", "remaining"))
        assert "ledger" not in Path(f"{number}.json").read_text()
        told_alike(said)
    config = Config(upstream=provider.url, policy="paid", policies=write_policy(tmp_path), database=str(place))
    with open_books(config) as (ledger, keys):
        key = keys.create(tenant="local", unit="maria")[1]
        with serving(make_app(config, ledger=ledger, keys=keys), config) as client:
            answer = client.post(
                "/v1/chat/completions",
                headers={"Authorization": f"Bearer {key}"},
                json={"model": "m", "messages": [{"role": "user", "content": f"My number is {CODE}."}]},
            )
        spent = str(ledger.balance(Account("local", "maria")).spent)
    assert answer.headers["X-Textveil-Spent"] == spent
    data = shown()
    assert 17 < data["spent"]["epsilon"] < 16 + 1 + 3 == data["lifetime"]["epsilon"], "three counts cost less than 3"
    told_alike(run("sanitize", "note.txt", "-o", "again.txt", "--ledger", place, "--unit", "maria", "--policy",
                   "common-words")[1])  # fmt: skip
