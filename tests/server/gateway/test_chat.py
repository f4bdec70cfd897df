"""Chats through the gateway: what goes on is sanitized, what comes back is readable."""

import json
from typing import Any

import httpx
from tests.helpers.canaries import NOTE, PRIVATE
from tests.helpers.upstream import Provider, repeating, saying


def chat(client: httpx.Client, *texts: str, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    """Texts by turns of a user and an assistant."""
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    return client.post("/v1/chat/completions", json={"model": "m", "messages": messages, **fields}, headers=headers)


def content(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["message"]["content"]


def test_what_goes_on_is_sanitized_and_what_comes_back_is_readable(client: httpx.Client, provider: Provider) -> None:
    provider.answer = repeating()
    assert content(chat(client, NOTE)) == f"You said: {NOTE}"
    assert provider.heard(*PRIVATE) == []
    sent = provider.bodies[0]["messages"][0]["content"]
    assert " has the number " in sent and provider.paths == ["/v1/chat/completions"]


def test_a_streamed_answer_is_restored_though_surrogates_are_cut(client: httpx.Client, provider: Provider) -> None:
    for cut in (1, 2, 3, 7, 1000):
        provider.answer = saying(lambda body: "Of " + body["messages"][0]["content"] + " I know.", cut)
        with client.stream("POST", "/v1/chat/completions", json=_streamed(NOTE)) as answer:
            assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
            lines = [line for line in answer.iter_lines() if line]
        assert lines[-1] == "data: [DONE]"
        chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
        read = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks)
        assert read == f"Of {NOTE} I know."
        assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert provider.heard(*PRIVATE) == []


def _streamed(text: str) -> dict[str, Any]:
    return {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
