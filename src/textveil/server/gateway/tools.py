"""Tools that a model may call: names go on, what describes them is released; calls and their answers.

Names of functions and of their parameters are public by declaration: a program chose them, and calls must come back
under them.
"""

import re
from typing import Any, Final

from textveil.server.gateway.reading import (
    NAME,
    Reader,
    RequestReading,
    count,
    flag,
    handle,
    matching,
    name,
    number,
    one_of,
    refuse,
    text,
    under,
)

_KEY: Final = re.compile(r"(?!.*\d{5})[\w$@.:-]{1,64}")
"""The name of a parameter: no white space, and no long number."""

_REFERENCE: Final = re.compile(r"(https?://json-schema\.org/)?[A-Za-z0-9_#/$.:-]{1,200}")
_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")


def parameter_name(reading: RequestReading, value: Any, place: str) -> str:
    """The name of a parameter."""
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        refuse(place, "names of parameters: up to 64 letters, digits and _$@.:- without long numbers")
    return value


def _types(reading: RequestReading, value: Any, place: str) -> Any:
    known = one_of(*_TYPES)
    return reading.each(value, place, known) if isinstance(value, list) else known(reading, value, place)


def _names(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, parameter_name)


def _values(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.values(value, place)


def many_values(reading: RequestReading, value: Any, place: str) -> Any:
    """A list of JSON data, all of which is text but for the names of parameters."""
    return reading.each(value, place, _values)


def schema(reading: RequestReading, value: Any, place: str) -> Any:
    """A JSON Schema: descriptions, examples and allowed values are released, names and limits go on."""
    return value if isinstance(value, bool) else reading.fields(value, place, _SCHEMA)


def _schemas(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.each(value, place, schema)


def _one_or_more_schemas(reading: RequestReading, value: Any, place: str) -> Any:
    return _schemas(reading, value, place) if isinstance(value, list) else schema(reading, value, place)


def _named_schemas(reading: RequestReading, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")
    reading.parameters.update(parameter_name(reading, key, place) for key in value)
    return {key: schema(reading, part, under(place, key)) for key, part in value.items()}


_limit: Final = number(-1e300, 1e300)
_reference: Final = matching(_REFERENCE, "a reference within the schema")

_SCHEMA: Final[dict[str, Reader]] = {
    **dict.fromkeys(("title", "description", "$comment", "pattern"), text),
    **dict.fromkeys(("default", "const"), _values),
    **dict.fromkeys(("enum", "examples"), many_values),
    **dict.fromkeys(("properties", "$defs", "definitions", "dependentSchemas"), _named_schemas),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _schemas),
    **dict.fromkeys(
        ("additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties",
         "unevaluatedItems", "additionalItems"),
        schema,
    ),
    "items": _one_or_more_schemas,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _limit),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), count()),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), count()),
    **dict.fromkeys(("uniqueItems", "nullable", "deprecated", "readOnly", "writeOnly", "strict"), flag),
    **dict.fromkeys(("$ref", "$id", "$schema", "$anchor", "id"), _reference),
    "type": _types,
    "required": _names,
    "format": name,
}  # fmt: skip


def declared_name(reading: RequestReading, value: Any, place: str) -> str:
    """The name of a function that a request declares."""
    declared: str = name(reading, value, place)
    reading.functions.add(declared)
    return declared


FUNCTION: Final[dict[str, Reader]] = {"name": declared_name, "description": text, "parameters": schema, "strict": flag}


def function(reading: RequestReading, value: Any, place: str) -> Any:
    """A function that may be called, as the chat API declares it."""
    return reading.fields(value, place, FUNCTION, ("name",))


def tool(reading: RequestReading, value: Any, place: str) -> Any:
    """A tool of the chat API: a function. What a provider would run itself is refused."""
    only_functions(value, place)
    return reading.fields(value, place, {"type": one_of("function"), "function": function}, ("type", "function"))


def only_functions(value: Any, place: str) -> None:
    """Refuse what a provider would run itself.

    Raises:
        ApiError: it is no function.
    """
    if isinstance(value, dict) and value.get("type") != "function":
        refuse(
            f"{place}.type",
            "function",
            code="unsupported_content",
            got="another tool",
            hint="What other tools would read cannot be sanitized.",
        )


def called_name(reading: RequestReading, value: Any, place: str) -> str:
    """The name of a function that a history calls: one that is declared, or that the upstream wrote.

    Any other may be text, and another stands in its place, the same in all of the conversation: tools may be left out
    of a request whose history has calls of them.

    Raises:
        ApiError: it is no string.
    """
    if not isinstance(value, str) or not value:
        refuse(place, "a string", code="invalid_type")
    return value if _is_known(reading, value) else reading.memory.handle(value)


def chosen_name(reading: RequestReading, value: Any, place: str) -> str:
    """The name of a function that is to be called.

    Raises:
        ApiError: the request does not declare it.
    """
    if isinstance(value, str) and _is_known(reading, value):
        return value
    refuse(place, "the name of a function that `tools` declares", got="another", hint="Declare it in `tools`.")


def _is_known(reading: RequestReading, value: str) -> bool:
    """Whether the upstream knows a name of a function, by a declaration or because it wrote it."""
    plain = NAME.fullmatch(value) is not None
    return plain and (value in reading.functions or reading.memory.answer("function", value) is not None)


def call_handle(reading: RequestReading, value: Any, place: str) -> Any:
    """The handle of a call; its arguments are read behind it."""
    reading.call = value if isinstance(value, str) else ""
    return handle(reading, value, place)


def arguments(reading: RequestReading, value: Any, place: str) -> Any:
    """The arguments of a call: those that the upstream wrote go back as it wrote them."""
    known = reading.known(value, place, "arguments", reading.call)
    if known is not None:
        return known
    with reading.foreign(place):
        return reading.json_text(value, place, "arguments")


def choice(reading: RequestReading, value: Any, place: str) -> Any:
    """Which tool is to be called."""
    if isinstance(value, str):
        return one_of("none", "auto", "required")(reading, value, place)
    named = {"type": one_of("function"), "name": chosen_name, "function": _named}
    return reading.fields(value, place, named, ("type",))


def _named(reading: RequestReading, value: Any, place: str) -> Any:
    return reading.fields(value, place, {"name": chosen_name}, ("name",))
