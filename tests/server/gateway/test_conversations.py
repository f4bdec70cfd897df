"""A history that is sent again goes on as it did, and is paid for once."""

import json
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import CODE, NAME, NAMES, PRIVATE
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Provider, completion, last_text, repeating, saying, send_json

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def chat(client: httpx.Client, messages: list[Message], **headers: str) -> Message:
    """The message that answers."""
    asked = {"model": "m", "messages": messages}
    answer = client.post(
        "/v1/chat/completions", json=asked, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    assert answer.status_code == 200, answer.text
    message: Message = answer.json()["choices"][0]["message"]
    return message


def test_twenty_turns_are_paid_for_once(client: httpx.Client, provider: Provider, ledger: MemoryLedger) -> None:
    provider.answer = saying(lambda body: f"Of **{last_text(body)}** I have heard {len(body['messages'])} times.")
    history: list[Message] = [{"role": "system", "content": f"You know {NAME}."}]
    for turn in range(20):
        name = NAMES[turn % len(NAMES)]
        history.append(user(f"{turn}: ask {name} by ZQ-4815162342{turn:02d}."))
        answer = chat(client, history)
        assert f"ask {name} by ZQ-4815162342{turn:02d}." in answer["content"], "what comes back is readable"
        history.append(answer)
    assert ledger.calls == ["reserve", "commit"] * 20
    sent = [body["messages"] for body in provider.bodies]
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier, "byte for byte"
    for turn, body in enumerate(sent[1:], start=1):
        written = f"Of **{body[-3]['content']}** I have heard {2 * turn} times."
        assert body[-2] == {"role": "assistant", "content": written}, "an answer goes back as the upstream wrote it"
    assert provider.heard(*PRIVATE, "4815162342") == []
    ledger.calls.clear()
    chat(client, history[:-1])
    assert ledger.calls == [], "asking again costs nothing"


def test_equal_messages_are_two_texts(client: httpx.Client, provider: Provider, ledger: MemoryLedger) -> None:
    provider.answer = repeating()
    history = [user(f"Call {CODE}.")]
    history += [chat(client, history, X_Textveil_Conversation="equal"), user(f"Call {CODE}.")]
    chat(client, history, X_Textveil_Conversation="equal")
    assert ledger.calls == ["reserve", "commit"] * 2, "the second is paid for"
    chat(client, history, X_Textveil_Conversation="equal")
    assert ledger.calls == ["reserve", "commit"] * 2, "and both were sent before"


def test_a_history_that_is_cut_does_not_tell_which_of_its_messages_are_equal(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger
) -> None:
    """What was released is released again at its own place alone: behind the same answer, as the same text since."""
    provider.answer = saying(lambda body: f"Answer {len(body['messages'])}.")
    named = {"X_Textveil_Conversation": "cut-equal", "X_Textveil_Policy": "all-words"}
    asked = user("the doctor saw a small cancer in her lung last winter " * 30)  # two draws are equal below 10^-9
    history = [asked]
    for _ in range(2):
        history += [chat(client, history, **named), asked]
    chat(client, history, **named)
    first, _, second, answered, third = provider.bodies[-1]["messages"]
    assert len({one["content"] for one in (first, second, third)}) == 3
    ledger.calls.clear()
    chat(client, history[3:], **named)
    assert provider.bodies[-1]["messages"] == [answered, third], "the text behind an answer stays what it was"
    assert ledger.calls == [], "and costs nothing"
    for cut in (history[1:], [asked, *history[3:]]):
        chat(client, cut, **named)
    assert provider.bodies[-1]["messages"] == [first, answered, third]
    chat(client, [asked, asked], **named)
    beginning, again = provider.bodies[-1]["messages"]
    assert beginning == first and again["content"] not in {one["content"] for one in (first, second, third)}
    assert ledger.calls == ["reserve", "commit"], "at another place it is paid for"


def test_a_user_who_repeats_the_upstream_is_sanitized(client: httpx.Client, provider: Provider) -> None:
    """What the upstream wrote goes back where an assistant says it, and nowhere else."""
    provider.answer = saying(lambda body: NAMES[4])
    asked = user("Who is it?")
    answer = chat(client, [asked])
    assert answer["content"] == NAMES[4]
    chat(client, [asked, answer, user(NAMES[4])])
    _, again, repeated = provider.bodies[1]["messages"]
    assert again["content"] == NAMES[4] and repeated["content"] != NAMES[4]


def test_what_no_upstream_wrote_is_sanitized_though_an_assistant_says_it(
    client: httpx.Client, provider: Provider
) -> None:
    provider.answer = repeating()
    call = {
        "id": "Wexthor-Bragulf",
        "type": "function",
        "function": {"name": "f", "arguments": json.dumps({NAMES[1]: [NAMES[1]]})},
    }
    parts = [{"type": "text", "text": f"{NAMES[1]} did."}, {"type": "refusal", "refusal": f"Not {NAMES[1]}."}]
    history = [
        user("Who?"),
        {"role": "assistant", "content": f"It was {NAMES[1]}.", "tool_calls": [call], "refusal": NAMES[1]},
        {
            "role": "tool",
            "tool_call_id": "Wexthor-Bragulf",
            "content": [{"type": "text", "text": json.dumps([NAMES[1], CODE])}],
        },
        {"role": "assistant", "content": parts, "reasoning_content": f"{NAMES[1]}?"},
        user("Sure?"),
    ]
    tool = {"type": "function", "function": {"name": "f"}}
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": history, "tools": [tool]})
    assert answer.status_code == 200, answer.text
    assert provider.heard(*PRIVATE, "Wexthor") == []
    called, output = provider.bodies[0]["messages"][1:3]
    assert called["tool_calls"][0]["id"] == output["tool_call_id"] and output["tool_call_id"].startswith("call_")
    (name,) = json.loads(called["tool_calls"][0]["function"]["arguments"])
    assert json.loads(output["content"][0]["text"])[0] != name, "nobody can tell by it that both are one value"


def test_a_conversation_is_known_by_its_name_or_by_its_beginning(client: httpx.Client, provider: Provider) -> None:
    note = [user(f"I am {NAME}.")]

    def sent(**headers: str) -> str:
        provider.forget()
        chat(client, note, **headers)
        text: str = provider.bodies[0]["messages"][0]["content"]
        return text

    first = sent(X_Textveil_Conversation="one")
    assert sent(X_Textveil_Conversation="one") == first
    others = {sent(X_Textveil_Conversation=f"another {number}".replace(" ", "-")) for number in range(8)}
    assert others != {first}, "drawn anew: nine equal draws of a name have a chance below one in 10^20"
    begun = sent()
    assert sent() == begun
    note[0]["name"] = "left-out"
    note.insert(0, {"role": "system", "content": "Hello."})
    assert {sent(X_Textveil_Unit=f"person {number}") for number in range(8)} != {begun}


def test_a_summary_of_a_history_that_was_cut_is_restored(client: httpx.Client, provider: Provider) -> None:
    """An earlier answer brings along what restores it, though the message that it answered is gone."""
    provider.answer = repeating()
    asked = user(f"I am {NAME}.")
    answer = chat(client, [asked], X_Textveil_Conversation="cut")
    assert answer["content"] == f"You said: I am {NAME}."
    provider.answer = saying(lambda body: body["messages"][0]["content"])
    again = chat(client, [answer, user("Say that again.")], X_Textveil_Conversation="cut")
    assert again["content"] == answer["content"] and provider.heard(NAME) == []


def test_nobody_reads_what_he_did_not_send(client: httpx.Client, provider: Provider) -> None:
    """Surrogates of a conversation are restored only for those who send its texts."""
    chat(client, [user(f"I am {NAME}.")], X_Textveil_Conversation="shared")
    surrogate = provider.bodies[0]["messages"][0]["content"]
    provider.answer = saying(lambda body: surrogate)
    read = chat(client, [user("Hello?")], X_Textveil_Conversation="shared")["content"]
    assert read == surrogate and NAME not in read


@pytest.mark.parametrize("name", ["", "x" * 201, "with space", "ü"])
def test_names_of_conversations_are_plain(client: httpx.Client, provider: Provider, name: str) -> None:
    headers = {"X-Textveil-Conversation": name.encode("utf-8")}
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": [user("Hi")]}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_header") and provider.bodies == []


def test_a_header_that_nobody_reads_is_refused(client: httpx.Client, provider: Provider) -> None:
    headers = {"X-Textveil-Untt": "maria"}
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": [user("Hi")]}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_header") and provider.bodies == []
    assert "ntt" not in answer.text


def test_who_sends_a_message_at_once_pays_once(client: httpx.Client, provider: Provider, ledger: MemoryLedger) -> None:
    from concurrent.futures import ThreadPoolExecutor

    provider.answer = lambda handler, body: send_json(handler, completion({"content": "Yes."}))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: chat(client, [user(f"At once: {NAME}.")]), range(8)))
    assert ledger.calls == ["reserve", "commit"]
    assert len({json.dumps(body) for body in provider.bodies}) == 1
