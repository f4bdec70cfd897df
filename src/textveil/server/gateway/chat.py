"""Requests of the chat API: every part of every message is released, or the request is refused."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from textveil.server.gateway.reading import (
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    model_name,
    name,
    number,
    one_of,
    refuse,
    stops,
    text,
)
from textveil.server.gateway.tools import (
    arguments,
    call_handle,
    called_name,
    choice,
    chosen_name,
    function,
    schema,
    tool,
)

ANSWER_TEXTS: Final = ("content", "refusal", "reasoning_content", "reasoning")
"""Fields of a message in which a model writes text."""

_INPUT_ROLES: Final = ("system", "developer", "user", "tool", "function")


def parts(reading: RequestReading, value: Any, place: str, kinds: dict[str, Reader]) -> Any:
    """Content in parts.

    Args:
        reading: of the request.
        value: a list of parts with a ``type``.
        place: where it stands.
        kinds: the field that holds the text of each type, with its reader.

    Raises:
        ApiError: a part is of another type: nobody reads it, so it does not go on.
    """
    fields = {kind: "refusal" if kind == "refusal" else "text" for kind in kinds}
    readers = {kind: typed(kind, {fields[kind]: reader}, (fields[kind],)) for kind, reader in kinds.items()}
    parts = reading.each(value, place, by_type(readers))
    reading.go_on([part.get("text", part.get("refusal")) for part in parts], place)
    return parts


def typed(kind: str, readers: Mapping[str, Reader], needed: Sequence[str]) -> Reader:
    """An object of this ``type`` with these fields."""
    all_readers = {"type": one_of(kind), **readers}

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        return reading.fields(value, place, all_readers, needed)

    return reader


def by_type(kinds: Mapping[str, Reader]) -> Reader:
    """An object that is read by its ``type``; of another type it is refused: nobody reads it, so it does not go on."""

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            refuse(place, "an object", code="invalid_type")
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in kinds:
            refuse(
                f"{place}.type",
                " or ".join(kinds),
                code="unsupported_content",
                got="none" if kind is None else "another type",
                hint="Parts of other types (images, sound, files) cannot be sanitized and are not sent on.",
            )
        return kinds[kind](reading, value, place)

    return reader


def _content(reading: RequestReading, value: Any, place: str) -> Any:
    return text(reading, value, place) if isinstance(value, str) else parts(reading, value, place, {"text": text})


def tool_text(reading: RequestReading, value: Any, place: str) -> Any:
    """What a tool answered: mostly JSON, whose names of fields say what its strings are.

    Its leaves are released one by one where nobody reads them through their escapes, which may hide text.
    """
    return (reading.text if reading.escapes else reading.json_text)(value, place, "output")


def tool_content(reading: RequestReading, value: Any, place: str) -> Any:
    """What a tool answered: a text, or texts in parts."""
    if isinstance(value, str):
        return tool_text(reading, value, place)
    return parts(reading, value, place, {"text": tool_text, "input_text": tool_text})


def answer_text(what: str) -> Reader:
    """A text that the upstream may have written."""

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        return reading.answer(value, place, what)

    return reader


def _answer_content(reading: RequestReading, value: Any, place: str) -> Any:
    if isinstance(value, str):
        return reading.answer(value, place, "content")
    return parts(reading, value, place, {"text": answer_text("content"), "refusal": answer_text("refusal")})


_CALL: Final[dict[str, Reader]] = {"name": called_name, "arguments": arguments}


def _called(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, _CALL, ("name",))


def _called_once(reading: RequestReading, value: Any, place: str) -> Any:
    reading.call = ""
    return _called(reading, value, place)


def _call(reading: RequestReading, value: Any, place: str) -> Any:
    readers: dict[str, Reader] = {"id": call_handle, "type": one_of("function"), "function": _called}
    return reading.fields(value, place, readers, ("id", "function"))


def _calls(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, _call)


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    role = value.get("role")
    if role == "assistant":
        if value.get("audio") is not None:
            refuse(f"{place}.audio", "left out", code="unsupported_content", got="a recording")
        message = reading.fields(value, place, _ASSISTANT)
        return {**message, "content": message.get("content")}  # some want it said that there is none
    if role not in _INPUT_ROLES:
        refuse(f"{place}.role", "assistant, " + " or ".join(_INPUT_ROLES), code="invalid_role", got="another role")
    readers: dict[str, Reader] = {"role": one_of(role), "content": _content}
    if role not in ("tool", "function"):
        return reading.fields(value, place, readers, ("content",))
    tied, reader = ("tool_call_id", handle) if role == "tool" else ("name", called_name)
    readers |= {"content": tool_content, tied: reader}
    with reading.foreign(place, value.get("tool_call_id") if role == "tool" else None):
        return reading.fields(value, place, readers, ("content", tied))


_ASSISTANT: Final[dict[str, Reader]] = {
    "role": one_of("assistant"),
    "content": _answer_content,
    **{what: answer_text(what) for what in ANSWER_TEXTS if what != "content"},
    "tool_calls": _calls,
    "function_call": _called_once,
}


def _messages(reading: RequestReading, value: Any, place: str) -> Any:
    if value == []:
        refuse(place, "at least one message", got="none")
    return reading.each(value, place, _message)


def _tools(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, tool)


def _functions(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, function)


def _function_choice(reading: RequestReading, value: Any, place: str) -> Any:
    if isinstance(value, str):
        return one_of("none", "auto")(reading, value, place)
    return reading.fields(value, place, {"name": chosen_name}, ("name",))


FORMAT_SCHEMA: Final[dict[str, Reader]] = {"name": name, "description": text, "schema": schema, "strict": flag}


def _named_schema(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, FORMAT_SCHEMA, ("name",))


def _format(reading: RequestReading, value: Any, place: str) -> Any:
    kinds = one_of("text", "json_object", "json_schema")
    return reading.fields(value, place, {"type": kinds, "json_schema": _named_schema}, ("type",))


def _prediction(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"type": one_of("content"), "content": _content}, ("type", "content"))


def _modalities(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, one_of("text"))


def stream_options(reading: RequestReading, value: Any, place: str) -> Any:
    """How a streamed answer comes."""
    return reading.fields(value, place, {"include_usage": flag, "include_obfuscation": flag})


effort: Final = one_of("none", "minimal", "low", "medium", "high", "xhigh")
verbosity: Final = one_of("low", "medium", "high")
service_tier: Final = one_of("auto", "default", "flex", "scale", "priority", "fast")
tokens: Final = count(0, 10_000_000)

SAMPLING: Final[dict[str, Reader]] = {
    "temperature": number(0, 100),
    "top_p": number(0, 1),
    "top_k": count(0, 1_000_000),
    "min_p": number(0, 1),
    "seed": count(-(2**63), 2**63),
    "n": count(1, 128),
    "presence_penalty": number(-100, 100),
    "frequency_penalty": number(-100, 100),
    "repetition_penalty": number(-100, 100),
    "max_tokens": tokens,
    "stop": stops,
    "stream": flag,
    "stream_options": stream_options,
}
"""Fields that say how an answer is drawn."""

CHAT: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": _tools,
    "functions": _functions,
    "response_format": _format,
    "messages": _messages,
    "prediction": _prediction,
    "tool_choice": choice,
    "function_call": _function_choice,
    "parallel_tool_calls": flag,
    "modalities": _modalities,
    "max_completion_tokens": tokens,
    "logprobs": flag,
    "top_logprobs": count(0, 100),
    "reasoning_effort": effort,
    "verbosity": verbosity,
    "service_tier": service_tier,
    "prompt_cache_retention": one_of("in_memory", "24h"),
    "store": flag,
    **SAMPLING,
}
"""A request of the chat API."""
