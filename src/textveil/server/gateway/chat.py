"""Readers of requests of the chat API, of completions and of embeddings; tools are read for all APIs here.

Every part of every message is released, or the request is refused. Names of functions and of their parameters are
public by declaration: a program chose them, and calls must come back under them.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from textveil.server.gateway.documents import chat_file
from textveil.server.gateway.reading import (
    NAME,
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    list_of,
    matching,
    model_name,
    name,
    need_object,
    number,
    object_of,
    one_of,
    refuse,
    stops,
    text,
    text_or,
    under,
)

# no white space, no long number, and no address of mail: "@" begins a name of JSON-LD, or a note of OData
_KEY: Final = re.compile(r"(?!.*\d{5})(?!.+@(?!odata\.))[\w$@.:-]{1,64}")
_REFERENCE: Final = re.compile(r"(https?://json-schema\.org/)?[A-Za-z0-9_#/$.:-]{1,200}")


def parameter_name(reading: RequestReading, value: Any, place: str) -> str:
    """Read the name of a parameter."""
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        refuse(place, "names of parameters: up to 64 letters, digits and _$@.:- without long numbers or addresses")
    return value


def _one_or_more(reader: Reader) -> Reader:
    several = list_of(reader)

    def read(reading: RequestReading, value: Any, place: str) -> Any:
        return (several if isinstance(value, list) else reader)(reading, value, place)

    return read


def _values(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.values(value, place)


def many_values(reading: RequestReading, value: Any, place: str) -> Any:
    """Read a list of JSON data, all of which is text except the names of parameters."""
    if not isinstance(value, list):
        refuse(place, "a list", code="invalid_type")
    return reading.values(value, place)


def schema(reading: RequestReading, value: Any, place: str) -> Any:
    """Read a JSON Schema: descriptions, examples and allowed values are released; names and limits go on."""
    return value if isinstance(value, bool) else reading.fields(value, place, _SCHEMA)


def _named_schemas(reading: RequestReading, value: Any, place: str) -> Any:
    need_object(value, place)
    reading.parameters.update(parameter_name(reading, key, place) for key in value)
    read = {}
    for key, part in value.items():
        with reading.under(key):
            read[key] = schema(reading, part, under(place, key))
    return read


_limit: Final = number(-1e300, 1e300)

_SCHEMA: Final[dict[str, Reader]] = {
    **dict.fromkeys(("title", "description", "$comment", "pattern"), text),
    **dict.fromkeys(("default", "const"), _values),
    **dict.fromkeys(("enum", "examples"), many_values),
    **dict.fromkeys(("properties", "$defs", "definitions", "dependentSchemas"), _named_schemas),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), list_of(schema)),
    **dict.fromkeys(
        ("additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties",
         "unevaluatedItems", "additionalItems"),
        schema,
    ),
    "items": _one_or_more(schema),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _limit),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), count()),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), count()),
    **dict.fromkeys(("uniqueItems", "nullable", "deprecated", "readOnly", "writeOnly", "strict"), flag),
    **dict.fromkeys(
        ("$ref", "$id", "$schema", "$anchor", "id"), matching(_REFERENCE, "a reference within the schema")
    ),
    "type": _one_or_more(one_of("string", "number", "integer", "boolean", "object", "array", "null")),
    "required": list_of(parameter_name),
    "format": name,
}  # fmt: skip


def declared_name(reading: RequestReading, value: Any, place: str) -> str:
    """Read the name of a function that the request declares."""
    declared: str = name(reading, value, place)
    reading.functions.add(declared)
    return declared


FUNCTION: Final[dict[str, Reader]] = {"name": declared_name, "description": text, "parameters": schema, "strict": flag}
_function: Final = object_of(FUNCTION, ("name",))
_TOOL: Final[dict[str, Reader]] = {"type": one_of("function"), "function": _function}


def _tool(reading: RequestReading, value: Any, place: str) -> Any:
    only_functions(value, place)
    return reading.fields(value, place, _TOOL, ("type", "function"))


def only_functions(value: Any, place: str) -> None:
    """Refuse tools that a provider would run itself. Raises ApiError: the tool is no function."""
    if isinstance(value, dict) and value.get("type") != "function":
        refuse_tool(place, "function")


def refuse_tool(place: str, wanted: str) -> None:
    """Refuse a tool because of its type."""
    hint = "What other tools would read cannot be sanitized."
    refuse(f"{place}.type", wanted, code="unsupported_content", got="another tool", hint=hint)


def called_name(reading: RequestReading, value: Any, place: str) -> str:
    """Read the name of a function that a history calls: declared, or written by the upstream.

    Any other name may be text, and a stand-in goes on, the same one in all of the conversation: a request may leave out
    tools that its history calls. Raises ApiError: it is no string.
    """
    if not isinstance(value, str) or not value:
        refuse(place, "a string", code="invalid_type")
    return value if _is_known(reading, value) else reading.memory.handle(value)


def chosen_name(reading: RequestReading, value: Any, place: str) -> str:
    """Read the name of a function that is to be called. Raises ApiError: the request does not declare it."""
    if isinstance(value, str) and _is_known(reading, value):
        return value
    refuse(place, "the name of a function that `tools` declares", got="another", hint="Declare it in `tools`.")


def _is_known(reading: RequestReading, value: str) -> bool:
    plain = NAME.fullmatch(value) is not None
    return plain and (value in reading.functions or reading.memory.answer("function", value) is not None)


def call_handle(reading: RequestReading, value: Any, place: str) -> Any:
    """Read the handle of a call; its arguments are read after it."""
    reading.call = value if isinstance(value, str) else ""
    return handle(reading, value, place)


def arguments(reading: RequestReading, value: Any, place: str) -> Any:
    """Read the arguments of a call; those that the upstream wrote go back as it wrote them."""
    if (known := reading.known(value, place, "arguments", reading.call)) is not None:
        return known
    with reading.foreign(place):
        return reading.json_text(value, place, "arguments")


_named: Final = object_of({"name": chosen_name}, ("name",))

choice: Final = text_or(
    one_of("none", "auto", "required"),
    object_of({"type": one_of("function"), "name": chosen_name, "function": _named}, ("type",)),
)
"""Reads which tool is to be called."""

ANSWER_TEXTS: Final = ("content", "refusal", "reasoning_content", "reasoning")
"""Fields of a message in which a model writes text."""


def typed(kind: str, readers: Mapping[str, Reader], needed: Sequence[str]) -> Reader:
    """Return the reader of an object of type ``kind`` with these fields."""
    return object_of({"type": one_of(kind), **readers}, needed)


def by_type(kinds: Mapping[str, Reader], documents: Mapping[str, Reader] = MappingProxyType({})) -> Reader:
    """Return a reader of objects by their ``type``; it refuses other types: nobody reads them, so they do not go on.

    ``documents``: of types that are read where the server takes documents.
    """

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        need_object(value, place)
        kind = value.get("type")
        known = kinds if reading.takes_documents == "refuse" else {**kinds, **documents}
        if not isinstance(kind, str) or kind not in known:
            hint = "Parts of other types (images, sound, files) cannot be sanitized and are not sent on."
            if isinstance(kind, str) and kind in documents:
                hint = "This server takes no documents; who runs it sets `documents`."
            refuse(
                f"{place}.type",
                " or ".join(known),
                code="unsupported_content",
                got="none" if kind is None else "another type",
                hint=hint,
            )
        return known[kind](reading, value, place)

    return reader


def parts(kinds: Mapping[str, Reader], documents: Mapping[str, Reader] = MappingProxyType({})) -> Reader:
    """Return a reader of content in parts; ``kinds``: by the ``type`` of a part, the reader of its text.

    ``documents``: as for ``by_type``.
    """
    readers = {}
    for kind, reader in kinds.items():
        field = "refusal" if kind == "refusal" else "text"
        readers[kind] = typed(kind, {field: reader}, (field,))
    all_parts = list_of(by_type(readers, documents))

    def read(reading: RequestReading, value: Any, place: str) -> Any:
        content = all_parts(reading, value, place)
        reading.go_on([part.get("text", part.get("refusal")) for part in content], place)
        return content

    return read


def tool_text(reading: RequestReading, value: Any, place: str) -> Any:
    """Read the answer of a tool: mostly JSON, whose names of fields say what its strings are.

    Its leaves are released one by one if nobody reads them through their escapes, which may hide text.
    """
    return (reading.text if reading.escapes else reading.json_text)(value, place, "output")


def answer_text(what: str) -> Reader:
    """Return a reader of texts that the upstream may have written."""

    def reader(reading: RequestReading, value: Any, place: str) -> Any:
        return reading.answer(value, place, what)

    return reader


_content: Final = text_or(text, parts({"text": text}, {"file": chat_file}))

tool_content: Final = text_or(tool_text, parts({"text": tool_text, "input_text": tool_text}))
"""Reads the answer of a tool: a text, or texts in parts."""

_called: Final = object_of({"name": called_name, "arguments": arguments}, ("name",))


def _called_once(reading: RequestReading, value: Any, place: str) -> Any:
    reading.call = ""
    return _called(reading, value, place)


_call: Final = object_of({"id": call_handle, "type": one_of("function"), "function": _called}, ("id", "function"))

_ASSISTANT: Final[dict[str, Reader]] = {
    "role": one_of("assistant"),
    **{what: answer_text(what) for what in ANSWER_TEXTS},
    "content": text_or(
        answer_text("content"), parts({"text": answer_text("content"), "refusal": answer_text("refusal")})
    ),
    "tool_calls": list_of(_call),
    "function_call": _called_once,
}
_INPUT_ROLES: Final[dict[str, dict[str, Reader]]] = {
    **{role: {"role": one_of(role), "content": _content} for role in ("system", "developer", "user")},
    "tool": {"role": one_of("tool"), "content": tool_content, "tool_call_id": handle},
    "function": {"role": one_of("function"), "content": tool_content, "name": called_name},
}


def _message(reading: RequestReading, value: Any, place: str) -> Any:
    need_object(value, place)
    if (role := value.get("role")) == "assistant":
        if value.get("audio") is not None:
            refuse(f"{place}.audio", "left out", code="unsupported_content", got="a recording")
        message = reading.fields(value, place, _ASSISTANT)
        return {**message, "content": message.get("content")}  # some upstreams need a null
    readers = _INPUT_ROLES.get(role) if isinstance(role, str) else None
    if readers is None:
        refuse(f"{place}.role", "assistant, " + " or ".join(_INPUT_ROLES), code="invalid_role", got="another role")
    if role not in ("tool", "function"):
        return reading.fields(value, place, readers, ("content",))
    tied = "tool_call_id" if role == "tool" else "name"
    with reading.foreign(place, value.get("tool_call_id") if role == "tool" else None):
        return reading.fields(value, place, readers, ("content", tied))


FORMAT_SCHEMA: Final[dict[str, Reader]] = {"name": name, "description": text, "schema": schema, "strict": flag}
FORMATS: Final = one_of("text", "json_object", "json_schema")

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
    "stream_options": object_of({"include_usage": flag, "include_obfuscation": flag}),
}
"""Fields that say how an answer is drawn."""

CHAT: Final[dict[str, Reader]] = {
    "model": model_name,
    "tools": list_of(_tool),
    "functions": list_of(_function),
    "response_format": object_of({"type": FORMATS, "json_schema": object_of(FORMAT_SCHEMA, ("name",))}, ("type",)),
    "messages": list_of(_message, "message"),
    "prediction": object_of({"type": one_of("content"), "content": _content}, ("type", "content")),
    "tool_choice": choice,
    "function_call": text_or(one_of("none", "auto"), _named),
    "parallel_tool_calls": flag,
    "modalities": list_of(one_of("text")),
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

_several_texts: Final = text_or(text, list_of(text, "text"))


def _texts(reading: RequestReading, value: Any, place: str) -> Any:
    if isinstance(value, list) and any(isinstance(part, int | list) for part in value):  # which nobody here can read
        refuse(place, "a string or a list of strings", code="unsupported_content", got="tokens", hint="Send text.")
    return _several_texts(reading, value, place)


COMPLETION: Final[dict[str, Reader]] = {
    "model": model_name,
    "prompt": _texts,
    "suffix": text,
    "echo": flag,
    "best_of": count(1, 128),
    "logprobs": count(0, 100),
    **SAMPLING,
}
"""A request of the old API of completions."""

EMBEDDING: Final[dict[str, Reader]] = {
    "model": model_name,
    "input": _texts,
    "dimensions": count(1),
    "encoding_format": one_of("float", "base64"),
}
"""A request for vectors of texts."""
