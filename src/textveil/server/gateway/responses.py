"""Requests of the responses API: items instead of messages, and histories that the upstream keeps."""

from typing import Any, Final

from textveil.server.gateway.chat import (
    FORMAT_SCHEMA,
    SAMPLING,
    answer_text,
    effort,
    parts,
    service_tier,
    tokens,
    tool_content,
    verbosity,
)
from textveil.server.gateway.reading import (
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    model_name,
    one_of,
    refuse,
    text,
)
from textveil.server.gateway.tools import FUNCTION, arguments, call_handle, called_name, choice, only_functions

_ROLES: Final = ("user", "system", "developer", "assistant")


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    role = value.get("role")
    if role not in _ROLES:
        refuse(f"{place}.role", " or ".join(_ROLES), code="invalid_role", got="another role")

    def content(reading: RequestReading, value: Any, place: str) -> Any:
        if role == "assistant":
            if isinstance(value, str):
                return reading.answer(value, place, "content")
            written = {"output_text": answer_text("content"), "refusal": answer_text("refusal")}
            return parts(reading, value, place, written)
        if isinstance(value, str):
            return text(reading, value, place)
        return parts(reading, value, place, {"input_text": text})

    readers: dict[str, Reader] = {"type": one_of("message"), "role": one_of(role), "content": content}
    if role == "assistant":
        readers |= {"id": handle, "status": _status}
    return reading.fields(value, place, readers, ("content",))


_status: Final = one_of("in_progress", "completed", "incomplete")

_CALL: Final[dict[str, Reader]] = {
    "type": one_of("function_call"),
    "call_id": call_handle,
    "name": called_name,
    "arguments": arguments,
    "id": handle,
    "status": _status,
}

_OUTPUT: Final[dict[str, Reader]] = {
    "type": one_of("function_call_output"),
    "call_id": handle,
    "output": tool_content,
    "status": _status,
}


def _sealed(reading: RequestReading, value: Any, place: str) -> str:
    """What only the upstream can read goes back to it, and nothing else that nobody can read."""
    written = reading.memory.answer("sealed", value) if isinstance(value, str) else None
    if written is None:
        refuse(place, "as the upstream wrote it in this conversation", code="unsupported_content")
    return written


def _summary(reading: RequestReading, value: Any, place: str) -> Any:
    return parts(reading, value, place, {"summary_text": answer_text("reasoning")})


def _thoughts(reading: RequestReading, value: Any, place: str) -> Any:
    return parts(reading, value, place, {"reasoning_text": answer_text("reasoning")})


_REASONING: Final[dict[str, Reader]] = {
    "type": one_of("reasoning"),
    "id": handle,
    "summary": _summary,
    "content": _thoughts,
    "encrypted_content": _sealed,
    "status": _status,
}


def _item(reading: RequestReading, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    kind = value.get("type", "message")
    if kind == "message":
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


def _input(reading: RequestReading, value: Any, place: str) -> Any:
    if isinstance(value, str):
        return text(reading, value, place)
    if value == []:
        refuse(place, "at least one item", got="none")
    return reading.each(value, place, _item)


def _tool(reading: RequestReading, value: Any, place: str) -> Any:
    only_functions(value, place)
    return reading.fields(value, place, {"type": one_of("function"), **FUNCTION}, ("type", "name"))


def _tools(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, _tool)


def _format(reading: RequestReading, value: Any, place: str) -> Any:
    readers = {"type": one_of("text", "json_object", "json_schema"), **FORMAT_SCHEMA}
    return reading.fields(value, place, readers, ("type",))


def _text(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"format": _format, "verbosity": verbosity})


_length: Final = one_of("auto", "concise", "detailed")


def _reasoning(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"effort": effort, "summary": _length, "generate_summary": _length})


_included: Final = one_of("reasoning.encrypted_content", "message.output_text.logprobs")


def _include(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, _included)


def _background(reading: RequestReading, value: Any, place: str) -> bool:
    if value is not False:
        refuse(place, "false", code="unsupported_content", hint="What comes later cannot be restored.")
    return False


def _previous(reading: RequestReading, value: Any, place: str) -> str:
    """A history that the upstream keeps: only one of the same asker."""
    known = reading.memory.answer("response", value) if isinstance(value, str) else None
    if known is None:
        refuse(
            place, "of this conversation, and not older than the server keeps them", code="previous_response_not_found"
        )
    reading.goes_on_behind("input", f"response {known}")
    return known


RESPONSE: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": _tools,
    "text": _text,
    "instructions": text,
    "previous_response_id": _previous,
    "input": _input,
    "tool_choice": choice,
    "parallel_tool_calls": flag,
    "max_tool_calls": count(0, 1_000_000),
    "max_output_tokens": tokens,
    "reasoning": _reasoning,
    "include": _include,
    "background": _background,
    "truncation": one_of("auto", "disabled"),
    "service_tier": service_tier,
    "store": flag,
    "top_logprobs": count(0, 100),
    **{field: SAMPLING[field] for field in ("temperature", "top_p", "stream", "stream_options")},
}
"""A request of the responses API."""
