"""Values that the upstream may have written tell it nothing of the user's: what it wrote itself stays what it was."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.canaries import NAME, NAMES, write_policy
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import Provider, chunk, completion, events, send_json, send_pieces

from textveil.server.config import Config

Message = dict[str, Any]
TOOL = {"type": "function", "function": {"name": "find"}}


@pytest.fixture(scope="module")
def oracle() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        yield loaded_attack("oracle", patch)


@pytest.mark.parametrize("foreign_values", ["apart", "shared"])
def test_an_upstream_that_guesses_learns_nothing(oracle: ModuleType, foreign_values: str) -> None:
    """With one scope for all it is right each time, but for calls that go back as they were written in either case."""
    upstream = oracle.Upstream()
    with running(Config(upstream=upstream.url, policy="prompts", foreign_values=foreign_values)) as client:  # type: ignore[arg-type]
        outcomes = oracle.attack(client, upstream, 2, seed=1)
    if foreign_values == "apart":
        assert [name for name, one in outcomes.items() if one.told_apart] == []
    else:
        assert {name for name, one in outcomes.items() if one.right < 2} <= {"replayed"}


class Agent:
    """Sends what it is told, as one history; the provider calls a tool, or says something."""

    def __init__(self, client: httpx.Client, provider: Provider, name: str) -> None:
        self.client, self.provider = client, provider
        self.headers = {"X-Textveil-Conversation": name}
        self.history: list[Message] = []

    def send(self, message: Message, says: Message | Callable[[Message], Message], *, stream: bool = False) -> Message:
        """What comes back to the agent, who remembers it."""

        def answer(handler: Any, body: Message) -> None:
            said = says(body) if callable(says) else says
            if not stream:
                send_json(handler, completion(said))
                return
            pieces = [{"index": at, **one} for at, one in enumerate(said["tool_calls"])]
            send_pieces(
                handler,
                [events(chunk({"tool_calls": [one]})) for one in pieces] + [events(chunk({}, "stop"), b"[DONE]")],
            )

        self.provider.answer = answer
        self.history.append(message)
        body = {"model": "m", "messages": self.history, "tools": [TOOL], "stream": stream}
        got = self.client.post("/v1/chat/completions", json=body, headers=self.headers)
        assert got.status_code == 200, got.text
        read: Message
        if stream:
            data = [json.loads(line[6:]) for line in got.text.splitlines() if line.startswith("data: {")]
            deltas = [one["choices"][0]["delta"] for one in data]
            calls = [call for one in deltas for call in one.get("tool_calls", ())]
            text = "".join(one["function"]["arguments"] for one in calls)
            first = {name: calls[0][name] for name in ("id", "type")}
            read = {"role": "assistant", "tool_calls": [{**first, "function": {"name": "find", "arguments": text}}]}
        else:
            read = got.json()["choices"][0]["message"]
        self.history.append(read)
        return read

    @property
    def sent(self) -> list[Message]:
        """The messages that the provider got last."""
        messages: list[Message] = self.provider.bodies[-1]["messages"]
        return messages


def calling(number: int, **arguments: str) -> Message:
    function = {"name": "find", "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}]}


def found(number: int, **values: str) -> Message:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps(values)}


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_tool_was_called_with_keeps_its_surrogate(
    client: httpx.Client, provider: Provider, stream: bool
) -> None:
    """An agent that looks somebody up, and then whom it found there: names stay one, and all of them are restored."""
    agent = Agent(client, provider, f"looks up {stream}".replace(" ", "-"))
    asked = {"role": "user", "content": NAME}
    read = agent.send(asked, lambda body: calling(1, a=body["messages"][0]["content"]), stream=stream)
    user = agent.sent[0]["content"]
    assert json.loads(read["tool_calls"][0]["function"]["arguments"]) == {"a": NAME}
    doctor = lambda body: json.loads(body["messages"][-1]["content"])["doctor"]  # noqa: E731
    read = agent.send(found(1, name=NAME, doctor=NAMES[1]), lambda body: calling(2, a=doctor(body)), stream=stream)
    first = json.loads(agent.sent[-1]["content"])
    assert first["name"] == user != first["doctor"]
    assert json.loads(read["tool_calls"][0]["function"]["arguments"]) == {"a": NAMES[1]}
    read = agent.send(found(2, name=NAMES[1], spouse=NAME), {"content": f"{first['doctor']} of {user}"})
    assert read["content"] == f"{NAMES[1]} of {NAME}"
    second = json.loads(agent.sent[-1]["content"])
    assert second["name"] == first["doctor"] and second["spouse"] not in (user, first["doctor"])
    bodies = [body["messages"] for body in provider.bodies]
    assert bodies[2][:3] == bodies[1] and bodies[1][0] == bodies[0][0], "byte for byte"
    assert provider.heard(*NAMES) == []


def test_a_call_that_holds_a_guess_has_no_equal_names_in_its_answer(client: httpx.Client, provider: Provider) -> None:
    agent = Agent(client, provider, "guess")
    asked = {"role": "user", "content": NAME}
    agent.send(asked, lambda body: calling(1, a=body["messages"][0]["content"], b=NAME))
    user = agent.sent[0]["content"]
    read = agent.send(found(1, a=NAME, b=NAME, c=NAME), lambda body: {"content": body["messages"][-1]["content"]})
    names = json.loads(agent.sent[-1]["content"])
    assert len({user, *names.values()}) == 4
    assert json.loads(read["content"]) == {"a": NAME, "b": NAME, "c": NAME}, "each of them is restored"


def test_two_calls_of_one_handle_have_no_equal_names_in_their_answers(client: httpx.Client, provider: Provider) -> None:
    agent = Agent(client, provider, "one-handle")

    def two(body: Message) -> Message:
        calls = [calling(1, a=name)["tool_calls"][0] for name in (NAME, body["messages"][0]["content"])]
        return {"content": None, "tool_calls": calls}

    agent.send({"role": "user", "content": NAME}, two)
    user = agent.sent[0]["content"]
    agent.history.append(found(1, a=NAME))
    agent.send(found(1, a=NAME), {"content": "Yes."})
    assert len({user, *(json.loads(one["content"])["a"] for one in agent.sent[-2:])}) == 3


def test_a_response_keeps_the_surrogates_of_its_calls(client: httpx.Client, provider: Provider) -> None:
    def called(handler: Any, body: Message) -> None:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find"}
        send_json(handler, {"id": "resp_1", "output": [{**item, "arguments": json.dumps({"a": body["input"]})}]})

    provider.answer = called
    tool = {"type": "function", "name": "find"}
    body: Message = {"model": "m", "input": NAME, "tools": [tool]}
    assert client.post("/v1/responses", json=body).status_code == 200
    provider.answer = lambda handler, body: send_json(handler, {"id": "resp_2", "output": []})
    output = {"type": "function_call_output", "call_id": "call_1", "output": json.dumps([NAME, NAMES[1]])}
    body |= {"previous_response_id": "resp_1", "input": [output]}
    assert client.post("/v1/responses", json=body).status_code == 200
    user, told = provider.bodies[0]["input"], json.loads(provider.bodies[1]["input"][0]["output"])
    assert told[0] == user and told[1] not in (user, NAMES[1])


def test_new_values_of_a_conversation_are_limited(provider: Provider, tmp_path: Path) -> None:
    policies, ledger = write_policy(tmp_path), MemoryLedger()
    config = Config(upstream=provider.url, policy="canaries", policies=policies, foreign_values_limit=2)
    provider.forget()
    with running(config, ledger) as client:
        agent = Agent(client, provider, "many")
        agent.send({"role": "user", "content": " and ".join(NAMES)}, calling(1, a="b"))
        agent.send(found(1, a=NAMES[1], b=NAMES[2]), calling(2, a="b"))
        history = [*agent.history, found(2, a=NAMES[3])]
        body = {"model": "m", "messages": history, "tools": [TOOL]}
        answer = client.post("/v1/chat/completions", json=body, headers=agent.headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "too_many_foreign_values")
    assert "at most 2 values" in error["message"] and "Begin another conversation" in error["message"]
    assert len(provider.bodies) == 2 and ledger.calls == ["reserve", "commit"] * 2, "nothing was drawn or sent"
