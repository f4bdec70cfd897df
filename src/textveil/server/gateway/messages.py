"""Requests of Anthropic's API of messages: blocks in place of parts, and the system's text beside the messages."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from textveil.server.gateway.chat import SAMPLING, answer_text, by_type, tokens, tool_text, typed
from textveil.server.gateway.memory import under_seal
from textveil.server.gateway.reading import (
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    model_name,
    one_of,
    refuse,
    stops,
    text,
    under,
)
from textveil.server.gateway.tools import call_handle, called_name, chosen_name, declared_name, many_values, schema
from textveil.server.request_json import parsed

_LOCAL_TOOL: Final = re.compile(r"(bash|text_editor|memory)_20[0-9]{6}")
"""Tools that the API declares and whoever asks runs: what they answer is read as of any other."""

_LOCAL_PARAMETERS: Final = (
    *("command", "restart", "path", "file_text", "old_str", "new_str"),
    *("insert_line", "insert_text", "view_range"),
)


def _cache(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"type": one_of("ephemeral"), "ttl": one_of("5m", "1h")}, ("type",))


_CACHE: Final[dict[str, Reader]] = {"cache_control": _cache}


def _content(plain: Reader, others: Mapping[str, Reader]) -> Reader:
    """A text, or blocks: of text and of these other types.

    Args:
        plain: reads a text.
        others: a reader gives None for a block that does not go on.
    """
    kinds = {"text": typed("text", {"text": plain, **_CACHE}, ("text",)), **others}

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        if isinstance(value, str):
            return plain(reading, value, place)
        blocks = [block for block in reading.each(value, place, by_type(kinds)) if block is not None]
        reading.go_on([block.get("text") for block in blocks], place)
        return blocks

    return reader


def _input(reading: RequestReading, value: Any, place: str) -> Any:
    """The arguments of a call: those that the upstream wrote go back as it wrote them."""
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    known = reading.known(json.dumps(value, ensure_ascii=False), place, "arguments", reading.call)
    if known is not None:
        return parsed(known)
    with reading.foreign(place):
        return reading.values(value, place, "arguments")


_CALL: Final = typed(
    "tool_use", {"id": call_handle, "name": called_name, "input": _input, **_CACHE}, ("id", "name", "input")
)

_RESULT: Final = typed(
    "tool_result",
    {"tool_use_id": handle, "is_error": flag, "content": _content(tool_text, {}), **_CACHE},
    ("tool_use_id",),
)


def _tool_result(reading: RequestReading, value: Any, place: str) -> Any:
    with reading.foreign(place, value.get("tool_use_id")):
        return _RESULT(reading, value, place)


def _thinking(reading: RequestReading, value: Any, place: str) -> Any:
    """What the upstream thought, as it wrote it and under its own signature; anything else does not go on.

    A signature is of the text as the upstream wrote it: that of another text would be refused there, and nobody here
    can read what else a signature may hold.
    """
    fields = {name: value.get(name) or "" for name in ("thinking", "signature")}
    for name, reader in fields.items():
        if not isinstance(reader, str):
            refuse(under(place, name), "a string", code="invalid_type")
    written = reading.memory.answer("sealed", under_seal(fields["signature"], fields["thinking"]))
    if written is None:
        reading.leave_out(f"{place}.thinking")
        return None
    for name in value.keys() - {"type", *fields}:
        reading.leave_out(under(place, name))
    return {"type": "thinking", "thinking": written, "signature": fields["signature"]}


def _redacted(reading: RequestReading, value: Any, place: str) -> Any:
    """What only the upstream can read: as it wrote it."""
    if not isinstance(value.get("data"), str):
        refuse(f"{place}.data", "a string", code="invalid_type")
    written = reading.memory.answer("sealed", value["data"])
    if written is None:
        reading.leave_out(f"{place}.redacted_thinking")
        return None
    return {"type": "redacted_thinking", "data": written}


_CONTENT: Final[dict[str, Reader]] = {
    "user": _content(text, {"tool_result": _tool_result}),
    "assistant": _content(
        answer_text("content"), {"tool_use": _CALL, "thinking": _thinking, "redacted_thinking": _redacted}
    ),
    "system": _content(text, {}),
}


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    role = value.get("role")
    if not isinstance(role, str) or role not in _CONTENT:
        refuse(f"{place}.role", " or ".join(_CONTENT), code="invalid_role", got="another role")
    return reading.fields(value, place, {"role": one_of(role), "content": _CONTENT[role]}, ("content",))


def _messages(reading: RequestReading, value: Any, place: str) -> Any:
    if value == []:
        refuse(place, "at least one message", got="none")
    return reading.each(value, place, _message)


_TOOL: Final[dict[str, Reader]] = {
    "type": one_of("custom"),
    "name": declared_name,
    "description": text,
    "input_schema": schema,
    "input_examples": many_values,
    **dict.fromkeys(("strict", "defer_loading", "eager_input_streaming"), flag),
    **_CACHE,
}


def _tool(reading: RequestReading, value: Any, place: str) -> Any:
    """A tool that whoever asks runs; what a provider would run itself is refused."""
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    kind = value.get("type") or "custom"
    if kind == "custom":
        return reading.fields(value, place, _TOOL, ("name", "input_schema"))
    if not isinstance(kind, str) or not _LOCAL_TOOL.fullmatch(kind):
        refuse(
            f"{place}.type",
            "custom, or a bash, text editor or memory tool",
            code="unsupported_content",
            got="another tool",
            hint="What other tools would read cannot be sanitized.",
        )
    reading.parameters.update(_LOCAL_PARAMETERS)
    readers = {"type": one_of(kind), "name": declared_name, "max_characters": count(1), **_CACHE}
    return reading.fields(value, place, readers, ("name",))


def _tools(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, _tool)


def _choice(reading: RequestReading, value: Any, place: str) -> Any:
    kinds = one_of("auto", "any", "tool", "none")
    readers = {"type": kinds, "name": chosen_name, "disable_parallel_tool_use": flag}
    return reading.fields(value, place, readers, ("type",))


def _thinking_config(reading: RequestReading, value: Any, place: str) -> Any:
    kinds = one_of("enabled", "disabled", "adaptive", "between_tools")
    readers = {"type": kinds, "budget_tokens": tokens, "display": one_of("summarized", "omitted")}
    return reading.fields(value, place, readers, ("type",))


def _format(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"type": one_of("json_schema"), "schema": schema}, ("type", "schema"))


def _output(reading: RequestReading, value: Any, place: str) -> Any:
    efforts = one_of("low", "medium", "high", "xhigh", "max")
    return reading.fields(value, place, {"effort": efforts, "format": _format})


COUNT: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": _tools,
    "system": _CONTENT["system"],
    "messages": _messages,
    "tool_choice": _choice,
    "thinking": _thinking_config,
    "output_config": _output,
    "output_format": _format,
    "speed": one_of("standard", "fast"),
    **_CACHE,
}
"""A request to count the tokens of a message."""

MESSAGE: Final[dict[str, Reader]] = {
    **COUNT,
    "stop_sequences": stops,
    "inference_geo": one_of("global", "us"),
    "service_tier": one_of("auto", "standard_only"),
    **{field: SAMPLING[field] for field in ("max_tokens", "temperature", "top_p", "top_k", "stream")},
}
"""A request of the API of messages."""
