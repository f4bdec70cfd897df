"""Answers of the upstream with originals put back where it wrote surrogates; what it wrote is remembered.

Restored are the texts of an answer and the arguments of calls. Probabilities of tokens (``logprobs``) stay as the
upstream wrote them: its tokens are pieces of surrogates.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from textveil.server.gateway.chat import ANSWER_TEXTS
from textveil.server.gateway.json_text import RestoringJson, answer_data
from textveil.server.gateway.memory import under_seal
from textveil.surrogates.restoring import Restorer, RestoringStream
from textveil.surrogates.urls import UrlRule


class Remembers(Protocol):
    """Takes note of what the upstream wrote in a conversation."""

    def wrote(self, place: str, read: str, written: str, handle: str = "") -> None:
        """The asker read ``read`` where the upstream wrote ``written``, in the call of that handle."""


class Restoration:
    """Restores the answers to one request.

    Args:
        restorer: of what was released in the conversation.
        memory: of the conversation.
        rule: for originals within URLs.
    """

    def __init__(self, restorer: Restorer, memory: Remembers, rule: UrlRule) -> None:
        self.memory = memory
        self._restorer = restorer
        self._rule = rule

    def stream(self, *, json: bool = False) -> RestoringJson | RestoringStream:
        """Restores a text, or JSON, as it comes."""
        return RestoringJson(self._restorer, self._rule) if json else self._restorer.stream(rule=self._rule)

    def text(self, what: str, written: str) -> str:
        """A text, as a stream of it would be restored."""
        stream = self.stream()
        return self.noted(what, stream.feed(written) + stream.close(), written)

    def json(self, what: str, written: str, handle: str = "") -> str:
        """A JSON text."""
        stream = self.stream(json=True)
        return self.noted(what, stream.feed(written) + stream.close(), written, handle)

    def noted(self, what: str, read: str, written: str, handle: str = "") -> str:
        """``read``, which stands for what the upstream wrote."""
        self.memory.wrote(what, read, written, handle)
        return read

    def given(self, what: str, value: Any) -> None:
        """Note a word of the upstream that its asker reads as it is."""
        if isinstance(value, str) and value:
            self.memory.wrote(what, value, value)

    def thought(self, written: str, seal: str) -> str:
        """What the upstream thought, under its seal."""
        stream = self.stream()
        return self.sealed(seal, stream.feed(written) + stream.close(), written)

    def sealed(self, seal: str, read: str, written: str) -> str:
        """``read``, which goes back under its seal as what the upstream wrote, and not otherwise."""
        self.noted("sealed", under_seal(seal, read), written)
        return read

    def fields(self, data: Any, names: Mapping[str, str]) -> None:
        """Restore those texts of an object, each remembered as what it is."""
        if isinstance(data, dict):
            for name, what in names.items():
                if isinstance(data.get(name), str):
                    data[name] = self.text(what, data[name])

    def called(self, data: Any, handle: Any = "") -> None:
        """Restore the arguments of a call, and note its name."""
        if isinstance(data, dict):
            self.given("function", data.get("name"))
            if isinstance(data.get("arguments"), str):
                data["arguments"] = self.json("arguments", data["arguments"], handle_of(handle))


_MESSAGE: Final = {what: what for what in ANSWER_TEXTS}
_PART: Final = {"text": "content", "refusal": "refusal"}


def restore_chat(data: dict[str, Any], restoration: Restoration) -> None:
    """Restore a chat completion, or a completion of the old API, in place."""
    for choice in objects(data.get("choices")):
        restoration.fields(choice, {"text": "content"})
        message = choice.get("message")
        if not isinstance(message, dict):
            continue
        restoration.fields(message, _MESSAGE)
        for part in objects(message.get("content")):
            restoration.fields(part, _PART)
        for call in objects(message.get("tool_calls")):
            restoration.given("handle", call.get("id"))
            restoration.called(call.get("function"), call.get("id"))
        restoration.called(message.get("function_call"))


def restore_response(data: dict[str, Any], restoration: Restoration, asked: Mapping[str, Any]) -> None:
    """Restore a response in place; what it repeats of the request becomes what its asker wrote."""
    restoration.given("response", data.get("id"))
    for name in ("instructions", "tools", "text"):
        if data.get(name) and name in asked:
            data[name] = asked[name]
    for item in objects(data.get("output")):
        restore_item(item, restoration)


def restore_item(item: dict[str, Any], restoration: Restoration) -> None:
    """Restore an item of a response's output in place."""
    restoration.given("handle", item.get("id"))
    kind = item.get("type")
    if kind == "message":
        for part in objects(item.get("content")):
            restoration.fields(part, _PART)
    elif kind == "function_call":
        restoration.given("handle", item.get("call_id"))
        restoration.called(item, item.get("call_id"))
    elif kind == "reasoning":
        restoration.given("sealed", item.get("encrypted_content"))
        for part in [*objects(item.get("summary")), *objects(item.get("content"))]:
            restoration.fields(part, {"text": "reasoning"})


def restore_message(data: dict[str, Any], restoration: Restoration) -> None:
    """Restore a message of Anthropic's API in place."""
    restoration.fields(data, {"stop_sequence": "stop"})
    for block in objects(data.get("content")):
        restore_block(block, restoration)


def restore_block(block: dict[str, Any], restoration: Restoration) -> None:
    """Restore a block of a message in place."""
    kind = block.get("type")
    if kind == "text":
        restoration.fields(block, {"text": "content"})
    elif kind == "tool_use":
        restoration.given("handle", block.get("id"))
        restoration.given("function", block.get("name"))
        if isinstance(block.get("input"), dict):
            written = json.dumps(block["input"], ensure_ascii=False)
            block["input"] = answer_data(restoration.json("arguments", written, handle_of(block.get("id"))))
    elif kind == "thinking" and isinstance(block.get("thinking"), str):
        block["thinking"] = restoration.thought(block["thinking"], handle_of(block.get("signature")))
    elif kind == "redacted_thinking":
        restoration.given("sealed", block.get("data"))


def handle_of(value: Any) -> str:
    """The handle of a call; empty where it is none."""
    return value if isinstance(value, str) else ""


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is something else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
