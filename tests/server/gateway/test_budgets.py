"""The gateway with keys and a ledger in a database: a person pays once, and an exhausted budget sends nothing."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from tests.helpers.canaries import CODE, NOTE, PRIVATE, write_policy
from tests.helpers.servers import serving
from tests.helpers.upstream import Provider, repeating

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
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
