"""LiteLLM's own proxy in a process of its own, with the guardrail in its configuration, and a provider behind it."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.upstream import Provider, repeating, say

_NEEDED = ("litellm", "apscheduler", "backoff", "expression", "fastapi_sso", "nacl", "orjson", "rq", "soundfile")
_MISSING = [name for name in _NEEDED if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(_MISSING), reason=f"LiteLLM's proxy needs {', '.join(_MISSING)}")

openai = pytest.importorskip("openai")

KEY = "sk-for-the-proxy-of-these-tests-alone-0123456789"
TEXT = "Ask Maria Zyxwell about 4 May."
CHAT = {"model": "m", "messages": [{"role": "user", "content": TEXT}]}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.answer = repeating("You said: ")
        yield made


@pytest.fixture(scope="module")
def attacks() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        yield loaded_attack("gateway_fields", patch)


@pytest.fixture(scope="module")
def proxy(provider: Provider, attacks: ModuleType, tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """Where it listens, and what it writes, all that it can."""
    folder = tmp_path_factory.mktemp("proxy")
    settings = {"policy": "prompts", "database": str(folder / "ledger.sqlite"), "unread_routes": ["/key"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITELLM_LOG", "DEBUG")
        with attacks.litellm_proxy(provider.url, folder, KEY, **settings) as served:
            yield served.url, served.log


@pytest.mark.parametrize(
    "path",
    ["/v1/messages/count_tokens", "/v1/responses/input_tokens", "/utils/token_counter", "/health/test_connection"],
)
def test_routes_that_litellm_runs_no_guardrail_for_are_blocked(provider: Provider, proxy, path) -> None:
    provider.forget()
    body = {**CHAT, "input": TEXT, "contents": [{"text": TEXT}]}
    answer = httpx.post(f"{proxy[0]}{path}", json=body, headers=_key(), timeout=60, trust_env=False)
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "unsupported_call"
    assert provider.paths == [] and "Zyxwell" not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["litellm_params", "deployment_id", "specific_deployment", "extra_headers", "tags"])
def test_a_field_that_only_litellm_knows_goes_nowhere(provider: Provider, proxy, name) -> None:
    provider.forget()
    for value in ("Zyxwell", {"Zyxwell": "Zyxwell"}, ["Zyxwell"]):
        url = f"{proxy[0]}/v1/chat/completions?api-version=Zyxwell"
        headers = {**_key(), "x-litellm-tags": "Zyxwell", "anthropic-beta": "Zyxwell"}
        answer = httpx.post(url, json={**CHAT, name: value}, headers=headers, timeout=60, trust_env=False)
        assert answer.json()["choices"][0]["message"]["content"] == f"You said: {TEXT}"
        assert answer.headers["x-textveil-left-out"] == name
    assert len(provider.bodies) == 3 and provider.heard("Zyxwell") == []


def test_hostile_requests_bring_nothing_to_the_provider_and_into_errors(provider: Provider, proxy, attacks) -> None:
    provider.forget()
    provider.answer = say("Yes.")
    with httpx.Client(base_url=proxy[0], headers=_key(), timeout=60, trust_env=False) as client:
        outcome = attacks.attack(client, _Heard(provider), requests=120, seed=7)
    provider.answer = repeating("You said: ")
    assert outcome.went_on > 30 and (outcome.leaks, outcome.quotes) == (0, 0)


def test_the_gateway_before_litellm_keeps_texts_from_it(provider: Provider, proxy) -> None:
    from tests.helpers.servers import running

    from textveil.server.config import Config

    provider.forget()
    with running(Config(upstream=f"{proxy[0]}/v1", upstream_key=KEY)) as client:
        answer = client.post("/v1/chat/completions", json=CHAT).json()
    assert answer["choices"][0]["message"]["content"] == f"You said: {TEXT}"
    assert len(provider.bodies) == 1 and provider.heard("Zyxwell") == []


def test_what_the_operator_opens_is_litellms_own(proxy) -> None:
    with httpx.Client(base_url=proxy[0], timeout=60, trust_env=False) as client:
        assert "unsupported_call" not in client.get("/key/info", headers=_key()).text
        assert client.get("/keys", headers=_key()).json()["error"]["code"] == "unsupported_call"
        assert client.get("/v1/models", headers=_key()).json()["data"][0]["id"] == "m"
        assert client.get("/v1/models").status_code >= 400


def test_the_proxy_sends_nothing_that_was_not_released(provider: Provider, proxy) -> None:
    from textveil.budget.account import Account, Limit
    from textveil.budget.ledger import Ledger

    url, log = proxy
    provider.forget()
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    asked = {"model": "m", "messages": [{"role": "user", "content": TEXT}], "safety_identifier": "Zyxwell"}
    assert client.chat.completions.create(**asked).choices[0].message.content == f"You said: {TEXT}"
    chunks = list(client.chat.completions.create(**asked, stream=True))
    streamed = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert streamed == f"You said: {TEXT}"
    # A client cannot turn it off, and other ways to a model are closed.
    off = {"guardrails": [], "disable_global_guardrails": True, "metadata": {"disable_global_guardrails": True}}
    assert TEXT in str(client.chat.completions.create(**asked, extra_body=off))
    picture = [{"type": "image_url", "image_url": {"url": "https://example.org/Zyxwell.png"}}]
    for refused in (
        lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": picture}]),
        lambda: client.responses.create(model="m", input=TEXT),
        lambda: client.moderations.create(model="m", input=TEXT),
        lambda: client.images.generate(model="m", prompt=TEXT),
    ):
        with pytest.raises(openai.BadRequestError):
            refused()
    with Ledger(str(log.parent / "ledger.sqlite")) as ledger:
        ledger.set_limit(Account("litellm"), Limit(epsilon=0.5))
        with pytest.raises(openai.RateLimitError, match="budget"):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Zyxwell came on 9 June."}])
        ledger.set_limit(Account("litellm"), None)
    assert len(provider.bodies) == 3 and provider.heard("Zyxwell") == []
    assert "Zyxwell" not in log.read_text()


def _key() -> dict[str, str]:
    return {"Authorization": f"Bearer {KEY}"}


class _Heard:
    """The provider as the attack looks at it."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def came(self) -> str:
        came = self._provider.got.decode("utf-8", "replace")
        self._provider.forget()
        return came
