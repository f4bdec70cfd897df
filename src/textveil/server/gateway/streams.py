"""Streamed answers, restored as they come: a surrogate that is cut by two events is found.

Parts of an event that the API does not describe go on as the upstream wrote them: they hold surrogates and no
originals.

Characters that may still become a surrogate are held back, at most ``Restorer.reach`` of each text, and come at the
latest with the end of the text.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from textveil.server.errors import ApiError
from textveil.server.gateway import answers
from textveil.server.gateway.chat import ANSWER_TEXTS
from textveil.server.gateway.json_text import answer_data, as_json
from textveil.server.gateway.upstream import invalid_answer

DONE: Final = "[DONE]"


class RestoringEvents(Protocol):
    """Restores one streamed answer; ``complete`` once the upstream has said that it ends."""

    complete: bool

    def event(self, event: answers.Event) -> Iterator[answers.Event]:
        """Restore an event of the upstream."""

    def close(self) -> Iterator[answers.Event]:
        """Return the rest that is held back, once the upstream has ended."""


class _Text:
    """One text of an answer, as it comes; a call may have several handles."""

    def __init__(self, what: str, restoration: answers.Restoration) -> None:
        self._what = what
        self._restoration = restoration
        self._stream = restoration.stream(json=what == "arguments")
        self._written, self._read = bytearray(), bytearray()  # a list of strings would take many times as much
        self.open = True
        self.handles: dict[str, None] = {}
        self.seal: list[str] = []  # its parts

    def feed(self, piece: str) -> str:
        """Return the next characters, restored as far as they are settled."""
        self._written += piece.encode("utf-8", "surrogatepass")
        return self._kept(self._stream.feed(piece))

    def close(self) -> str:
        """Return the rest; the text is remembered."""
        if not self.open:
            return ""
        self.open = False
        rest = self._kept(self._stream.close())
        written, read = self.whole
        if self._what == "sealed":
            self._restoration.sealed("".join(self.seal), read, written)
            return rest
        for handle in self.handles or ("",):
            self._restoration.noted(self._what, read, written, handle)
        return rest

    @property
    def whole(self) -> tuple[str, str]:
        """All that was written, and as it was restored."""
        return self._written.decode("utf-8", "surrogatepass"), self._read.decode("utf-8", "surrogatepass")

    def _kept(self, text: str) -> str:
        self._read += text.encode("utf-8", "surrogatepass")
        return text


class ChatEvents:
    """Restores the events of a chat completion, or of a completion of the old API."""

    def __init__(self, restoration: answers.Restoration) -> None:
        self._restoration = restoration
        self._texts: dict[tuple[Any, ...], _Text] = {}
        self._last: dict[str, Any] = {}
        self.complete = False

    def event(self, event: answers.Event) -> Iterator[answers.Event]:
        if event.data.strip() == DONE:
            self.complete = True
            yield from self.close()
            yield answers.Event(DONE)
            return
        data = _object(event)
        self._last = {name: value for name, value in data.items() if name not in ("choices", "usage")}
        for choice in answers.objects(data.get("choices")):
            self._restore(choice)
            if choice.get("finish_reason") is not None:
                self.complete = True
                self._end(choice)
        yield answers.Event(as_json(data).decode("utf-8"), event.name)

    def close(self) -> Iterator[answers.Event]:
        for index in dict.fromkeys(place[0] for place in self._texts):
            choice = {"index": index, "finish_reason": None}
            if self._end(choice):
                yield answers.Event(as_json({**self._last, "choices": [choice]}).decode("utf-8"))

    def _restore(self, choice: dict[str, Any]) -> None:
        index = choice.get("index")
        if not _is_number(index):
            return
        if isinstance(choice.get("text"), str):
            choice["text"] = self._text(index, "text", what="content").feed(choice["text"])
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        for field in ANSWER_TEXTS:
            if isinstance(delta.get(field), str):
                delta[field] = self._text(index, field, what=field).feed(delta[field])
        for call in answers.objects(delta.get("tool_calls")):
            if not _is_number(call.get("index")):
                continue
            self._restoration.given("handle", call.get("id"))
            handle, place = answers.handle_of(call.get("id")), (index, "tool_calls", call.get("index"))
            if handle:
                self._text(*place, what="arguments").handles[handle] = None
            self._call(call.get("function"), *place)
        self._call(delta.get("function_call"), index, "function_call")

    def _call(self, called: Any, *place: Any) -> None:
        if isinstance(called, dict):
            self._restoration.given("function", called.get("name"))
            if isinstance(called.get("arguments"), str):
                called["arguments"] = self._text(*place, what="arguments").feed(called["arguments"])

    def _text(self, *place: Any, what: str) -> _Text:
        return self._texts.setdefault(place, _Text(what, self._restoration))

    def _end(self, choice: dict[str, Any]) -> bool:
        """Add held back characters to a choice; return whether there were any."""
        any_rest = False
        for place in [place for place in self._texts if place[0] == choice.get("index")]:
            if rest := self._texts.pop(place).close():
                any_rest = True
                _add(choice, place[1:], rest)
        return any_rest


def _add(choice: dict[str, Any], place: tuple[Any, ...], rest: str) -> None:
    field, *number = place
    if field == "text":
        _append(choice, "text", rest)
        return
    delta = _inner(choice, "delta")
    if field == "function_call":
        _append(_inner(delta, "function_call"), "arguments", rest)
    elif field == "tool_calls":
        calls = delta["tool_calls"] = answers.objects(delta.get("tool_calls"))
        if (call := next((call for call in calls if [call.get("index")] == number), None)) is None:
            call = {"index": number[0]}
            calls.append(call)
        _append(_inner(call, "function"), "arguments", rest)
    else:
        _append(delta, field, rest)


def _inner(data: dict[str, Any], field: str) -> dict[str, Any]:
    inner: dict[str, Any] = data[field] if isinstance(data.get(field), dict) else {}
    data[field] = inner
    return inner


def _append(data: dict[str, Any], field: str, rest: str) -> None:
    data[field] = (data[field] if isinstance(data.get(field), str) else "") + rest


# events by which a text comes in pieces, and its sort
_DELTAS: Final = {
    "response.output_text": "content",
    "response.refusal": "refusal",
    "response.reasoning_text": "reasoning",
    "response.reasoning_summary_text": "reasoning",
    "response.function_call_arguments": "arguments",
}

# the field in which such an event at the end repeats the text; else it is ``text``
_WHOLE: Final = {"response.function_call_arguments": "arguments", "response.refusal": "refusal"}
_PARTS: Final = ("response.content_part", "response.reasoning_summary_part")


class ResponseEvents:
    """Restores the events of a response, numbered anew; parts of ``asked`` are repeated, ``noted`` takes its id."""

    def __init__(self, restoration: answers.Restoration, asked: dict[str, Any], noted: Callable[[str], None]) -> None:
        self._restoration = restoration
        self._asked = asked
        self._noted = noted
        self.complete = False
        self._texts: dict[tuple[Any, ...], _Text] = {}
        self._count = 0

    def event(self, event: answers.Event) -> Iterator[answers.Event]:
        if event.data.strip() == DONE:
            self.complete = True
            yield from self.close()
            yield answers.Event(DONE)
            return
        data = _object(event)
        base, _, step = str(data.get("type", "")).rpartition(".")
        if base in _DELTAS and step in ("delta", "done"):
            yield from self._piece(data, event.name, base, step)
            return
        if base in _PARTS and isinstance(data.get("part"), dict):
            part = data["part"]
            what = "refusal" if part.get("type") == "refusal" else "reasoning" if "summary" in base else "content"
            self._restoration.fields(part, {"text": what, "refusal": "refusal"})
        elif base == "response.output_item" and isinstance(data.get("item"), dict):
            answers.restore_item(data["item"], self._restoration)
        elif isinstance(data.get("response"), dict):
            answers.restore_response(data["response"], self._restoration, self._asked)
            self._ends(data["response"], step)
        yield self._numbered(data, event.name)

    def close(self) -> Iterator[answers.Event]:
        """Drop the rest: it has no place if the upstream did not end a text."""
        for text in self._texts.values():
            text.close()
        self._texts.clear()
        yield from ()

    def _ends(self, response: dict[str, Any], step: str) -> None:
        if step in ("completed", "failed", "incomplete"):
            self.complete = True
            if isinstance(response.get("id"), str):
                self._noted(response["id"])

    def _piece(self, data: dict[str, Any], name: str, base: str, step: str) -> Iterator[answers.Event]:
        place = (base, data.get("item_id"), data.get("content_index"), data.get("summary_index"))
        if not all(map(_is_number, place)) or (step == "delta" and not isinstance(data.get("delta"), str)):
            yield self._numbered(data, name)
            return
        text = self._texts.get(place)
        if step == "delta":
            text = self._texts.setdefault(place, _Text(_DELTAS[base], self._restoration)) if text is None else text
            data["delta"] = text.feed(data["delta"])
            if data["delta"]:
                yield self._numbered(data, name)
            return
        field = _WHOLE.get(base, "text")
        rest = "" if text is None else self._texts.pop(place).close()
        if rest:
            ours = {key: value for key, value in data.items() if key not in (field, "logprobs", "name")}
            ours |= {"type": f"{base}.delta", "delta": rest} | ({"logprobs": []} if "logprobs" in data else {})
            yield self._numbered(ours, ours["type"] if name else "")
        written = data.get(field)
        if isinstance(written, str):
            restored = self._restoration.json if _DELTAS[base] == "arguments" else self._restoration.text
            data[field] = restored(_DELTAS[base], written)
        yield self._numbered(data, name)

    def _numbered(self, data: dict[str, Any], name: str) -> answers.Event:
        if "sequence_number" in data:
            data["sequence_number"] = self._count
        self._count += 1
        return answers.Event(as_json(data).decode("utf-8"), name)


# by the type of a block: of its pieces, the field that has them, and their sort
_BLOCKS: Final = {
    "text": ("text_delta", "text", "content"),
    "tool_use": ("input_json_delta", "partial_json", "arguments"),
    "thinking": ("thinking_delta", "thinking", "sealed"),
}


class MessageEvents:
    """Restores the events of a message of Anthropic's API."""

    def __init__(self, restoration: answers.Restoration) -> None:
        self._restoration = restoration
        self._texts: dict[int, tuple[str, _Text]] = {}
        self.complete = False

    def event(self, event: answers.Event) -> Iterator[answers.Event]:
        data = _object(event)
        step, index = data.get("type"), data.get("index")
        if step == "message_start" and isinstance(data.get("message"), dict):
            answers.restore_message(data["message"], self._restoration)
        elif step == "content_block_start" and isinstance(data.get("content_block"), dict) and isinstance(index, int):
            self._begin(index, data["content_block"])
        elif step == "content_block_delta" and isinstance(data.get("delta"), dict) and isinstance(index, int):
            if not self._piece(index, data["delta"]):
                return
        elif step == "content_block_stop" and isinstance(index, int):
            yield from self._end(index)
        elif step == "message_delta":
            self._restoration.fields(data.get("delta"), {"stop_sequence": "stop"})
        elif step == "message_stop":
            self.complete = True
            yield from self.close()
        yield answers.Event(as_json(data).decode("utf-8"), event.name)

    def close(self) -> Iterator[answers.Event]:
        for index in list(self._texts):
            yield from self._end(index)

    def _begin(self, index: int, block: dict[str, Any]) -> None:
        kind = block.get("type")
        if not isinstance(kind, str) or kind not in _BLOCKS or block.get("input"):
            answers.restore_block(block, self._restoration)
            return
        _, field, what = _BLOCKS[kind]
        text = _Text(what, self._restoration)
        self._texts[index] = kind, text
        if kind == "tool_use":
            self._restoration.given("handle", block.get("id"))
            self._restoration.given("function", block.get("name"))
            text.handles[answers.handle_of(block.get("id"))] = None
        elif isinstance(block.get(field), str):
            block[field] = text.feed(block[field])
            text.seal.append(answers.handle_of(block.get("signature")))

    def _piece(self, index: int, delta: dict[str, Any]) -> bool:
        """Restore a piece; return whether there is anything to be read of it yet."""
        kind = delta.get("type")
        of_block, text = self._texts.get(index, ("", None))
        known, field, _ = _BLOCKS.get(of_block, ("", "", ""))
        if text is not None and kind == known and isinstance(delta.get(field), str):
            delta[field] = text.feed(delta[field])
            return bool(delta[field])
        if text is not None and kind == "signature_delta":
            text.seal.append(answers.handle_of(delta.get("signature")))
        return True

    def _end(self, index: int) -> Iterator[answers.Event]:
        kind, text = self._texts.pop(index, ("", None))
        if text is None:
            return
        pieces, field, _ = _BLOCKS[kind]
        if rest := text.close():
            data = {"type": "content_block_delta", "index": index, "delta": {"type": pieces, field: rest}}
            yield answers.Event(as_json(data).decode("utf-8"), "content_block_delta")


def _is_number(value: Any) -> bool:
    return isinstance(value, str | int | None)


def _object(event: answers.Event) -> dict[str, Any]:
    try:
        data = answer_data(event.data)
    except ValueError:
        raise invalid_answer("an event of it is no JSON, or nested too deep") from None
    if not isinstance(data, dict):
        raise invalid_answer("an event of it is no JSON object")
    if data.get("error") or data.get("type") == "error":
        raise ApiError(502, "upstream_error", "the upstream stopped with an error. Try again later.", "upstream_error")
    return data
