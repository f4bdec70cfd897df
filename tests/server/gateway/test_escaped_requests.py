"""Requests whose texts hide names behind escapes, or cut them between parts; answers that hold surrogates in JSON."""

import base64
import json
from email.message import EmailMessage
from typing import Any

import httpx
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.canaries import ACCENTED, CODE, NAME, PRIVATE
from tests.helpers.escaping import WAYS
from tests.helpers.upstream import Provider, answering, last_text, repeating, saying

from textveil.server.gateway.json_text import canonical
from textveil.text.escapes import BORDER, read

NOTE = f'First line:\n{ACCENTED} has\t{CODE}, says "{NAME}".'


def ask(client: httpx.Client, content: Any, **fields: Any) -> httpx.Response:
    asked = {"model": "m", "messages": [{"role": "user", "content": content}], **fields}
    return client.post("/v1/chat/completions", json=asked)


def heard(provider: Provider) -> list[str]:
    """Private words in what came, as it is written and as it is read."""
    everything = json.dumps(provider.bodies, ensure_ascii=False)
    return [word for word in PRIVATE if word in everything or word in read(everything).text]


def ask_message(client: httpx.Client, content: Any) -> httpx.Response:
    """The same in Anthropic's API."""
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}
    return client.post("/v1/messages", json=asked)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_with_escapes_is_released_and_comes_back(
    client: httpx.Client, provider: Provider, way: str
) -> None:
    for text in (WAYS[way](NOTE), f"Summarize: {WAYS[way](NOTE)}\n", WAYS["JSON object"](WAYS[way](NOTE))):
        provider.answer = repeating("")
        assert ask(client, text).json()["choices"][0]["message"]["content"] == text
        provider.answer = answering(lambda body: [{"type": "text", "text": last_text(body)}])
        assert ask_message(client, text).json()["content"][0]["text"] == text
    assert heard(provider) == []


@pytest.mark.parametrize("way", WAYS)
def test_what_a_tool_answers_with_escapes_is_released(client: httpx.Client, provider: Provider, way: str) -> None:
    text = WAYS[way](NOTE)
    provider.answer = answering(lambda body: [{"type": "text", "text": body["messages"][0]["content"][0]["content"]}])
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    assert canonical(ask_message(client, [result]).json()["content"][0]["text"]) == canonical(text)
    assert heard(provider) == []


@pytest.mark.parametrize("cut", [1, 4, 1000])
def test_surrogates_in_json_that_is_streamed_become_originals_in_json(
    client: httpx.Client, provider: Provider, cut: int
) -> None:
    provider.answer = saying(lambda body: json.dumps({"said": body["messages"][0]["content"] + '\n"Yes"'}), cut)
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"Of {ACCENTED}: {CODE}"}]}
    with client.stream("POST", "/v1/chat/completions", json=asked) as answer:
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
    deltas = [json.loads(line)["choices"][0]["delta"] for line in lines[:-1]]
    written = "".join(delta.get("content") or "" for delta in deltas)
    assert json.loads(written) == {"said": f'Of {ACCENTED}: {CODE}\n"Yes"'}


@pytest.mark.parametrize("route", ["chat", "messages", "responses"])
def test_a_text_that_is_cut_into_parts_is_read_as_a_whole(client: httpx.Client, provider: Provider, route: str) -> None:
    for text in (NOTE, json.dumps([NOTE])):
        for cut in range(1, len(text) - 1, 3):
            pieces = [text[:cut], "", text[cut : cut + 2], text[cut + 2 :]]
            if route != "responses":
                answer = (ask if route == "chat" else ask_message)(
                    client, [{"type": "text", "text": piece} for piece in pieces]
                )
                sent = provider.bodies[-1]["messages"][0]["content"]
            else:
                parts = [{"type": "input_text", "text": piece} for piece in pieces]
                answer = client.post(
                    "/v1/responses", json={"model": "m", "input": [{"role": "user", "content": parts}]}
                )
                sent = provider.bodies[-1]["input"][0]["content"]
            assert answer.status_code == 200, answer.text
            assert len(sent) == len(pieces)
            goes_on = "".join(part["text"] for part in sent)
            assert BORDER not in goes_on
            assert [word for word in PRIVATE if word in goes_on or word in read(goes_on).text] == []


def test_what_stands_for_a_border_is_refused_between_parts_alone(client: httpx.Client, provider: Provider) -> None:
    parts = [{"type": "text", "text": f"a{BORDER}"}, {"type": "text", "text": "b"}]
    answer = ask(client, parts)
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "messages[0].content"
    assert ask(client, f"Ask {NAME}{BORDER}.").status_code == 200 and len(provider.bodies) == 1


def test_too_many_layers_are_refused(client: httpx.Client, provider: Provider) -> None:
    answer = ask(client, "%26#37;" + "26#37;" * 1000)
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "invalid_input"
    assert provider.bodies == []


def test_a_mail_with_an_attachment_is_refused(client: httpx.Client, provider: Provider) -> None:
    message = EmailMessage()
    message.set_content("See the attachment.\n")
    message.add_attachment(NAME.encode() * 20, maintype="application", subtype="msword", filename="a.doc")
    answer = ask(client, message.as_string())
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "invalid_input"
    assert "got a mail with encoded parts" in answer.json()["error"]["message"] and provider.bodies == []


def test_what_is_encoded_does_not_leave(client: httpx.Client, provider: Provider) -> None:
    encoded = base64.b64encode(f"{NAME} called".encode()).decode()
    assert ask(client, f"Decode {encoded} please.").status_code == 200
    assert "[encoded]" in provider.bodies[-1]["messages"][0]["content"]


def test_the_attack_by_encodings_finds_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    attack = loaded_attack("encodings", monkeypatch)
    assert attack.main(["--prompts", "2"]) == 0
    assert capsys.readouterr().out.count("left in    0 of 2") == len(attack.ENCODINGS)
    assert "ệ" in attack.decoded(json.dumps("ệ")) and attack.decoded("%25E1%25BB%2587 &amp;#7879;") == "ệ ệ"
