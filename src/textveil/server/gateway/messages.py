"""Readers of requests of Anthropic's API of messages: blocks in place of parts, and the system's text beside them."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from textveil.server.bodies import parsed
from textveil.server.gateway import chat
from textveil.server.gateway.bodies import under_seal
from textveil.server.gateway.documents import document_block
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
    stops,
    text,
    text_or,
    under,
)

_LOCAL_TOOL: Final = re.compile(r"(bash|text_editor|memory)_20[0-9]{6}")
"""Tools that the API declares and the client runs: their answers are read as those of any other tool."""

_LOCAL_PARAMETERS: Final = (
    *("command", "restart", "path", "file_text", "old_str", "new_str"),
    *("insert_line", "insert_text", "view_range"),
)

_CACHE: Final[dict[str, Reader]] = {
    "cache_control": object_of({"type": one_of("ephemeral"), "ttl": one_of("5m", "1h")}, ("type",))
}


def _content(
    plain: Reader, others: Mapping[str, Reader], documents: Mapping[str, Reader] = MappingProxyType({})
) -> Reader:
    """Return a reader of a text, or of blocks of text and of other types; a block read as None does not go on.

    ``documents``: as for ``by_type``.
    """
    kinds = {"text": chat.typed("text", {"text": plain, **_CACHE}, ("text",)), **others}
    all_blocks = list_of(chat.by_type(kinds, documents))

    def read(reading: RequestReading, value: Any, place: str) -> Any:
        blocks = [block for block in all_blocks(reading, value, place) if block is not None]
        reading.go_on([block.get("text") for block in blocks], place)
        return blocks

    return text_or(plain, read)


def _arguments(reading: RequestReading, value: Any, place: str) -> Any:
    need_object(value, place)
    if (known := reading.known(json.dumps(value, ensure_ascii=False), place, "arguments", reading.call)) is not None:
        return parsed(known)
    with reading.foreign(place):
        return reading.values(value, place, "arguments")


_CALL: Final = chat.typed(
    "tool_use",
    {"id": chat.call_handle, "name": chat.called_name, "input": _arguments, **_CACHE},
    ("id", "name", "input"),
)

_DOCUMENTS: Final = {"document": document_block(_CACHE)}

_RESULT: Final = chat.typed(
    "tool_result",
    {"tool_use_id": handle, "is_error": flag, "content": _content(chat.tool_text, {}, _DOCUMENTS), **_CACHE},
    ("tool_use_id",),
)


def _tool_result(reading: RequestReading, value: Any, place: str) -> Any:
    with reading.foreign(place, value.get("tool_use_id")):
        return _RESULT(reading, value, place)


def _thinking(reading: RequestReading, value: Any, place: str) -> Any:
    """Read thoughts of the upstream: they go back as it wrote them, under its own signature; others do not go on.

    A signature is of the text as the upstream wrote it: that of another text would be refused there, and nobody here
    can read what else a signature may hold.
    """
    fields = {name: value.get(name) or "" for name in ("thinking", "signature")}
    for name, said in fields.items():
        if not isinstance(said, str):
            refuse(under(place, name), "a string", code="invalid_type")
    if (written := reading.memory.answer("sealed", under_seal(fields["signature"], fields["thinking"]))) is None:
        reading.leave_out(f"{place}.thinking")
        return None
    for name in value.keys() - {"type", *fields}:
        reading.leave_out(under(place, name))
    return {"type": "thinking", "thinking": written, "signature": fields["signature"]}


def _redacted(reading: RequestReading, value: Any, place: str) -> Any:
    """Read thoughts that only the upstream can read: they go on if it wrote them."""
    if not isinstance(value.get("data"), str):
        refuse(f"{place}.data", "a string", code="invalid_type")
    if (written := reading.memory.answer("sealed", value["data"])) is None:
        reading.leave_out(f"{place}.redacted_thinking")
        return None
    return {"type": "redacted_thinking", "data": written}


_CONTENT: Final[dict[str, Reader]] = {
    "user": _content(text, {"tool_result": _tool_result}, _DOCUMENTS),
    "assistant": _content(
        chat.answer_text("content"), {"tool_use": _CALL, "thinking": _thinking, "redacted_thinking": _redacted}
    ),
    "system": _content(text, {}),
}


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    need_object(value, place)
    role = value.get("role")
    if not isinstance(role, str) or role not in _CONTENT:
        refuse(f"{place}.role", " or ".join(_CONTENT), code="invalid_role", got="another role")
    return reading.fields(value, place, {"role": one_of(role), "content": _CONTENT[role]}, ("content",))


_TOOL: Final[dict[str, Reader]] = {
    "type": one_of("custom"),
    "name": chat.declared_name,
    "description": text,
    "input_schema": chat.schema,
    "input_examples": chat.many_values,
    **dict.fromkeys(("strict", "defer_loading", "eager_input_streaming"), flag),
    **_CACHE,
}


def _tool(reading: RequestReading, value: Any, place: str) -> Any:
    """Read a tool that the client runs; those that a provider would run itself are refused."""
    need_object(value, place)
    kind = value.get("type") or "custom"
    if kind == "custom":
        return reading.fields(value, place, _TOOL, ("name", "input_schema"))
    if not isinstance(kind, str) or not _LOCAL_TOOL.fullmatch(kind):
        chat.refuse_tool(place, "custom, or a bash, text editor or memory tool")
    reading.parameters.update(_LOCAL_PARAMETERS)
    readers = {"type": one_of(kind), "name": chat.declared_name, "max_characters": count(1), **_CACHE}
    return reading.fields(value, place, readers, ("name",))


_format: Final = object_of({"type": one_of("json_schema"), "schema": chat.schema}, ("type", "schema"))

COUNT: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": list_of(_tool),
    "system": _CONTENT["system"],
    "messages": list_of(_message, "message"),
    "tool_choice": object_of(
        {"type": one_of("auto", "any", "tool", "none"), "name": chat.chosen_name, "disable_parallel_tool_use": flag},
        ("type",),
    ),
    "thinking": object_of(
        {
            "type": one_of("enabled", "disabled", "adaptive", "between_tools"),
            "budget_tokens": chat.tokens,
            "display": one_of("summarized", "omitted"),
        },
        ("type",),
    ),
    "output_config": object_of({"effort": one_of("low", "medium", "high", "xhigh", "max"), "format": _format}),
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
    **{field: chat.SAMPLING[field] for field in ("max_tokens", "temperature", "top_p", "top_k", "stream")},
}
"""A request of the API of messages."""
