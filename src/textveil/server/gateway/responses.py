"""Readers of requests of the responses API: items instead of messages, and histories that the upstream keeps."""

from typing import Any, Final

from textveil.server.gateway import chat
from textveil.server.gateway.documents import input_file
from textveil.server.gateway.reading import (
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    list_of,
    model_name,
    need_object,
    object_of,
    one_of,
    refuse,
    text,
    text_or,
)

_ROLES: Final = ("user", "system", "developer", "assistant")
_status: Final = one_of("in_progress", "completed", "incomplete")
_input_text: Final = text_or(text, chat.parts({"input_text": text}, {"input_file": input_file}))
_output_text: Final = text_or(
    chat.answer_text("content"),
    chat.parts({"output_text": chat.answer_text("content"), "refusal": chat.answer_text("refusal")}),
)


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    if (role := value.get("role")) not in _ROLES:
        refuse(f"{place}.role", " or ".join(_ROLES), code="invalid_role", got="another role")
    readers: dict[str, Reader] = {"type": one_of("message"), "role": one_of(role), "content": _input_text}
    if role == "assistant":
        readers |= {"content": _output_text, "id": handle, "status": _status}
    return reading.fields(value, place, readers, ("content",))


_CALL: Final[dict[str, Reader]] = {
    "type": one_of("function_call"),
    "call_id": chat.call_handle,
    "name": chat.called_name,
    "arguments": chat.arguments,
    "id": handle,
    "status": _status,
}

_OUTPUT: Final[dict[str, Reader]] = {
    "type": one_of("function_call_output"),
    "call_id": handle,
    "output": chat.tool_content,
    "status": _status,
}


def _sealed(reading: RequestReading, value: Any, place: str) -> str:
    """Read a text that only the upstream can read: nothing but what it wrote goes back to it."""
    written = reading.memory.answer("sealed", value) if isinstance(value, str) else None
    if written is None:
        refuse(place, "as the upstream wrote it in this conversation", code="unsupported_content")
    return written


_REASONING: Final[dict[str, Reader]] = {
    "type": one_of("reasoning"),
    "id": handle,
    "summary": chat.parts({"summary_text": chat.answer_text("reasoning")}),
    "content": chat.parts({"reasoning_text": chat.answer_text("reasoning")}),
    "encrypted_content": _sealed,
    "status": _status,
}


def _item(reading: RequestReading, value: Any, place: str) -> Any:
    need_object(value, place)
    if (kind := value.get("type", "message")) == "message":
        return _message(reading, value, place)
    if kind == "function_call":
        return reading.fields(value, place, _CALL, ("call_id", "name", "arguments"))
    if kind == "function_call_output":
        with reading.foreign(place, value.get("call_id")):
            return reading.fields(value, place, _OUTPUT, ("call_id", "output"))
    if kind == "reasoning":
        return reading.fields(value, place, _REASONING, ("summary",))
    refuse(
        f"{place}.type",
        "message, function_call, function_call_output or reasoning",
        code="unsupported_content",
        got="another item",
        hint="Other items cannot be sanitized and are not sent on.",
    )


def _tool(reading: RequestReading, value: Any, place: str) -> Any:
    chat.only_functions(value, place)
    return reading.fields(value, place, {"type": one_of("function"), **chat.FUNCTION}, ("type", "name"))


def _background(reading: RequestReading, value: Any, place: str) -> bool:
    if value is not False:
        refuse(place, "false", code="unsupported_content", hint="What comes later cannot be restored.")
    return False


def _previous(reading: RequestReading, value: Any, place: str) -> str:
    """Read which history the upstream keeps: only one of the same client."""
    known = reading.memory.answer("response", value) if isinstance(value, str) else None
    if known is None:
        refuse(
            place, "of this conversation, and not older than the server keeps them", code="previous_response_not_found"
        )
    reading.goes_on_behind("input", f"response {known}")
    return known


_length: Final = one_of("auto", "concise", "detailed")

RESPONSE: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": list_of(_tool),
    "text": object_of(
        {"format": object_of({"type": chat.FORMATS, **chat.FORMAT_SCHEMA}, ("type",)), "verbosity": chat.verbosity}
    ),
    "instructions": text,
    "previous_response_id": _previous,
    "input": text_or(text, list_of(_item, "item")),
    "tool_choice": chat.choice,
    "parallel_tool_calls": flag,
    "max_tool_calls": count(0, 1_000_000),
    "max_output_tokens": chat.tokens,
    "reasoning": object_of({"effort": chat.effort, "summary": _length, "generate_summary": _length}),
    "include": list_of(one_of("reasoning.encrypted_content", "message.output_text.logprobs")),
    "background": _background,
    "truncation": one_of("auto", "disabled"),
    "service_tier": chat.service_tier,
    "store": flag,
    "top_logprobs": count(0, 100),
    **{field: chat.SAMPLING[field] for field in ("temperature", "top_p", "stream", "stream_options")},
}
"""A request of the responses API."""
