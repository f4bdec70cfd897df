"""Answers of the upstream with originals in place of surrogates, and server-sent events (WHATWG HTML, section 9.2).

Texts of an answer and arguments of calls are restored; the upstream's own text is remembered. Probabilities of
tokens (``logprobs``) stay as they are: the tokens are pieces of surrogates.
"""

import codecs
import io
import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from textveil.server.gateway.bodies import under_seal
from textveil.server.gateway.chat import ANSWER_TEXTS
from textveil.server.gateway.json_text import RestoringJson, answer_data
from textveil.server.gateway.upstream import invalid_answer
from textveil.surrogates.restoring import Restorer, RestoringStream
from textveil.surrogates.urls import UrlRule

EVENT_CHARACTERS: Final = 16 * 2**20  # of an event, at most
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_BYTE_ORDER_MARK: Final = "\ufeff"


class Event(NamedTuple):
    """The data of a server-sent event, and its type; empty if it has none."""

    data: str
    name: str = ""

    def as_bytes(self) -> bytes:
        head = f"event: {self.name}\n" if self.name else ""
        lines = "".join(f"data: {line}\n" for line in self.data.split("\n"))
        return f"{head}{lines}\n".encode()


class EventReader:
    """Reads events from bytes that are cut anywhere, in time that is linear in their number."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._begun = False
        self._after_return = False  # a line feed would belong to the line end before it
        self._open = io.StringIO()  # the line that has not ended: each of its characters is looked at once
        self._data: list[str] = []
        self._name = ""
        self._size = 0

    def feed(self, piece: bytes) -> list[Event]:
        """Return the events that end within the next bytes.

        Raises ApiError: they are no UTF-8, or an event is too long.
        """
        try:
            text = self._decoder.decode(piece)
        except UnicodeDecodeError:
            raise invalid_answer("it is no UTF-8") from None
        if not text:
            return []
        if not self._begun:
            self._begun, text = True, text.removeprefix(_BYTE_ORDER_MARK)
        if self._after_return:
            text = text.removeprefix("\n")
        self._after_return = text.endswith("\r")
        *ended, rest = _LINE_END.split(text)
        events: list[Event] = []
        for line in ended:
            self._open.write(line)
            if (event := self._line(self._open.getvalue())) is not None:
                events.append(event)
            self._open = io.StringIO()
        self._open.write(rest)
        if self._size + self._open.tell() > EVENT_CHARACTERS:
            raise invalid_answer("an event of it is too long")
        return events

    def close(self) -> None:
        """End; an ApiError tells that the last event is not whole."""
        if self._data or self._open.tell():
            raise invalid_answer("it breaks off within an event")

    def _line(self, line: str) -> Event | None:
        if not line:
            data, name = self._data, self._name
            self._data, self._name, self._size = [], "", 0
            return Event("\n".join(data), name) if data else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._size += len(value) + 1
        elif field == "event":
            self._name = value
        return None


class Remembers(Protocol):
    """Remembers what the upstream wrote in a conversation; ``bodies.RequestMemory`` outside of tests."""

    def wrote(self, place: str, read: str, written: str, handle: str = "") -> None:
        """Note that the client reads ``read`` for the upstream's ``written``, in the call of that handle."""


class Restoration:
    """Restores the answers to one request, by a restorer, the conversation's memory and a rule for URLs."""

    def __init__(self, restorer: Restorer, memory: Remembers, rule: UrlRule) -> None:
        self.memory = memory
        self._restorer = restorer
        self._rule = rule

    def stream(self, *, json: bool = False) -> RestoringJson | RestoringStream:
        """Return a restorer of a text, or of JSON, that comes in pieces."""
        return RestoringJson(self._restorer, self._rule) if json else self._restorer.stream(rule=self._rule)

    def text(self, what: str, written: str) -> str:
        """Restore a text, as a stream of it would be restored."""
        stream = self.stream()
        return self.noted(what, stream.feed(written) + stream.close(), written)

    def json(self, what: str, written: str, handle: str = "") -> str:
        stream = self.stream(json=True)
        return self.noted(what, stream.feed(written) + stream.close(), written, handle)

    def noted(self, what: str, read: str, written: str, handle: str = "") -> str:
        """Remember ``read`` as the upstream's ``written``, and return it."""
        self.memory.wrote(what, read, written, handle)
        return read

    def given(self, what: str, value: Any) -> None:
        """Note a word of the upstream that the client reads as it is."""
        if isinstance(value, str) and value:
            self.memory.wrote(what, value, value)

    def thought(self, written: str, seal: str) -> str:
        """Restore thoughts of the upstream, under its seal."""
        stream = self.stream()
        return self.sealed(seal, stream.feed(written) + stream.close(), written)

    def sealed(self, seal: str, read: str, written: str) -> str:
        """Remember and return ``read``, which goes back as ``written`` only under its seal."""
        self.noted("sealed", under_seal(seal, read), written)
        return read

    def fields(self, data: Any, names: Mapping[str, str]) -> None:
        """Restore these texts of an object, each remembered by its sort."""
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
    """Restore a response in place; parts that repeat the request become those that the client wrote."""
    restoration.given("response", data.get("id"))
    for name in ("instructions", "tools", "text"):
        if data.get(name) and name in asked:
            data[name] = asked[name]
    for item in objects(data.get("output")):
        restore_item(item, restoration)


def restore_item(item: dict[str, Any], restoration: Restoration) -> None:
    """Restore an item of a response's output in place."""
    restoration.given("handle", item.get("id"))
    if (kind := item.get("type")) == "message":
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
    if (kind := block.get("type")) == "text":
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
    """Return the handle of a call; empty if it is none."""
    return value if isinstance(value, str) else ""


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; none if it is something else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
