"""A restart forgets conversations in memory: to go on with one would split persons, so its history is refused."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import NAMES, PRIVATE, write_policy
from tests.helpers.servers import serving
from tests.helpers.upstream import Provider, last_text, saying, send_json

from textveil.server.app import make_app
from textveil.server.config import Config

CHATS = "/v1/chat/completions"
Message = dict[str, Any]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.answer = saying(lambda body: f"Of {last_text(body)} I have heard.")
        yield made


@pytest.fixture
def told(provider: Provider, tmp_path: Path) -> Config:
    folder = tmp_path / "policies"
    folder.mkdir()
    place = {"database": str(tmp_path / "budgets.db"), "policies": write_policy(folder)}
    return Config(upstream=provider.url, policy="paid", **place)


def started(told: Config) -> contextlib.AbstractContextManager[httpx.Client]:
    """A client of a server that remembers nothing but what its database holds."""
    return serving(make_app(told), told)


def asked(number: int) -> Message:
    return {"role": "user", "content": f"Ask {NAMES[number]} by ZQ-48151623420{number}."}


def chat(client: httpx.Client, history: list[Message], **headers: str) -> httpx.Response:
    """The answer of one turn, which is added to the history."""
    named = {f"X-Textveil-{name}": value for name, value in headers.items()}
    answer = client.post(CHATS, json={"model": "m", "messages": history}, headers=named)
    if answer.status_code == 200:
        history.append(answer.json()["choices"][0]["message"])
    return answer


@pytest.mark.parametrize("name", [{}, {"Conversation": "case-7"}], ids=["by its beginning", "by its name"])
def test_a_history_with_answers_of_a_forgotten_conversation_is_refused(
    told: Config, provider: Provider, name: dict[str, str]
) -> None:
    history = [asked(0)]
    with started(told) as client:
        for turn in (1, 2):
            assert chat(client, history, **name).status_code == 200
            history.append(asked(turn))
        spent = client.get("/v1/budget").json()["spent"]
    first = provider.bodies[-1]["messages"]
    provider.forget()
    with started(told) as client:
        answer = chat(client, history, **name)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conversation_forgotten")
        assert "X-Textveil-Conversation" in answer.json()["error"]["message"]
        assert provider.got == b"" and client.get("/v1/budget").json()["spent"] == spent
        again = chat(client, history, Conversation="case-8")
        assert again.status_code == 200, "another conversation, by the choice of who asks"
        sent = provider.bodies[-1]["messages"]
    surrogate, new = (" ".join(messages[0]["content"].split()[1:3]) for messages in (first, sent))
    assert surrogate not in str(sent) and new not in str(first)
    content = b"".join(path.read_bytes() for path in Path(str(told.database)).parent.glob("budgets.db*"))
    assert not any(text.encode() in content for text in (*PRIVATE, surrogate))


def test_a_long_chat_is_forgotten_whatever_turn_came_last(told: Config, provider: Provider) -> None:
    history = [asked(0)]
    with started(told) as client:
        chat(client, history)
    with started(told) as client:
        assert chat(client, [*history, asked(1)]).status_code == 409
        assert chat(client, [*history, asked(1)], Conversation="x").status_code == 200
    with started(told) as client:
        assert chat(client, [*history, asked(1)], Conversation="y").status_code == 200, "nothing of it is known"
        assert chat(client, [*history, asked(1)]).status_code == 409, "still"


def test_texts_that_no_upstream_wrote_are_of_no_forgotten_conversation(told: Config, provider: Provider) -> None:
    """Examples in a prompt, and one question that is asked again, begin anew."""
    examples = [asked(0), {"role": "assistant", "content": f"I ask {NAMES[0]}."}]
    for _ in range(2):
        with started(told) as client:
            assert chat(client, [*examples, asked(1)]).status_code == 200
            assert chat(client, [asked(2)]).status_code == 200


def test_a_chat_in_which_nothing_was_replaced_goes_on(told: Config, provider: Provider) -> None:
    history = [{"role": "user", "content": "What is a prime?"}]
    with started(told) as client:
        chat(client, history)
    with started(told) as client:
        assert chat(client, [*history, {"role": "user", "content": "Why?"}]).status_code == 200


def test_a_response_of_a_forgotten_conversation_is_refused(told: Config, provider: Provider) -> None:
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    text = {"type": "output_text", "text": "Yes.", "annotations": []}
    provider.answer = lambda handler, body: send_json(
        handler, {"id": "resp_1", "object": "response", "output": [{**item, "content": [text]}]}
    )
    body = {"model": "m", "input": asked(0)["content"]}
    with started(told) as client:
        assert client.post("/v1/responses", json=body).status_code == 200
    with started(told) as client:
        answer = client.post("/v1/responses", json={**body, "previous_response_id": "resp_1"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conversation_forgotten")


def test_a_conversation_that_memory_had_no_room_for_is_forgotten_too(told: Config, provider: Provider) -> None:
    history = [asked(0)]
    small = told.model_copy(update={"maps_bytes": 40_000})
    with started(small) as client:
        chat(client, history)
        chat(client, [{"role": "user", "content": "word " * 20_000}])
        assert chat(client, [*history, asked(1)]).status_code == 409
