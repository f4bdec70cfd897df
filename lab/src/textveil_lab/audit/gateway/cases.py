"""Places where a value is planted: a table for each family, a row for each setting."""

import base64
import gzip
import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from textveil_lab.audit.gateway.values import KINDS, LANGUAGES, Planted, drawn
from textveil_lab.audit.gateway.wire import Request

CHAT: Final = "chat"
MESSAGES: Final = "messages"
PATHS: Final = {CHAT: "/chat/completions", MESSAGES: "/messages"}
HARMLESS: Final = "Please answer in one sentence."


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One request with a value in it, and what shows that it came through."""

    request: Request
    needles: tuple[str, ...]
    value: Planted


Build = Callable[[random.Random, str, str, str], Shot]  # draws, kind, API, model -> a shot


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One way to plant a value.

    Args:
        family: its table.
        name: of the setting.
        build: function that makes a shot.
        kinds: kinds that fit there; empty: all.
    """

    family: str
    name: str
    build: Build
    kinds: tuple[str, ...] = ()


def asked(api: str, model: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return the body of a request with one user message."""
    base: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": content}]}
    return {**base, **({"max_tokens": 300} if api == MESSAGES else {}), **more}


def encoded(data: Any) -> bytes:
    """Return JSON as clients write it, letters unescaped."""
    try:
        return json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can write and UTF-8 cannot
        return json.dumps(data).encode("ascii")


def request(api: str, data: Any, **headers: str) -> Request:
    """Return a request to the API's route."""
    return Request(path=PATHS[api], body=encoded(data), headers=headers)


def sentence(value: Planted) -> str:
    """Return a plain sentence that says what the value is."""
    return KINDS[value.kind][1].format(value.text)


def _shot(value: Planted, sent: Request, *needles: str) -> Shot:
    return Shot(request=sent, needles=needles or value.telling, value=value)


def _said(written: Callable[[Planted], str]) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        return _shot(value, request(api, asked(api, model, written(value))))

    return build


def _placed(field: Callable[[str, str], dict[str, Any]]) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        data = asked(api, model, HARMLESS)
        more = field(sentence(value), value.text)
        before, after = more.pop("before", []), more.pop("after", [])
        data["messages"] = [*before, *data["messages"], *after]
        return _shot(value, request(api, {**data, **more}))

    return build


def _function(text: str = "Finds a record.", name: str = "find_record", **property_: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"query": {"type": "string", **property_}}}
    return {"tools": [{"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}]}


def _called(arguments: str, answer: str) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "find_record", "arguments": arguments}}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"after": [turn, {"role": "tool", "tool_call_id": "call_1", "content": answer}], **_function()}


def _tool_use(data: dict[str, Any], answer: Any) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "toolu_1", "name": "find_record", "input": data}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": answer}
    tools = [{"name": "find_record", "description": "Finds.", "input_schema": {"type": "object", "properties": {}}}]
    after = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return {"after": after, "tools": tools}


_TOOL: Final[dict[str, Any]] = {"name": "find_record", "description": "Finds a record."}
_SCHEMA: Final = {"type": "object", "properties": {"query": {"type": "string"}}}
TOOLS: Final[dict[str, list[dict[str, Any]]]] = {
    CHAT: [{"type": "function", "function": {**_TOOL, "parameters": _SCHEMA}}],
    MESSAGES: [{**_TOOL, "input_schema": _SCHEMA}],
}
"""One tool, for requests whose answer calls it."""


def call(text: str) -> list[dict[str, Any]]:
    """Return a tool call with a text as its argument."""
    arguments = json.dumps({"query": text}, ensure_ascii=False)
    return [{"id": "call_1", "type": "function", "function": {"name": "find_record", "arguments": arguments}}]


def tool_turns(api: str, model: str, said: str, answer: str) -> dict[str, Any]:
    """Return a request in which a tool has answered."""
    turns = _tool_use({"query": "x"}, answer) if api == MESSAGES else _called('{"query": "x"}', answer)
    data = asked(api, model, said, tools=TOOLS[api])
    data["messages"] += turns["after"]
    return data


def _file(text: str) -> str:
    return "data:text/plain;base64," + base64.b64encode(text.encode()).decode()


def _identifier(text: str) -> str:
    return "find_" + "".join(letter if letter.isalnum() else "_" for letter in text)


_FIELDS: Final[dict[str, Callable[[str, str], dict[str, Any]]]] = {
    "system message": lambda text, _: {"before": [{"role": "system", "content": text}]},
    "developer message": lambda text, _: {"before": [{"role": "developer", "content": text}]},
    "part of a message": lambda text, _: {"after": [{"role": "user", "content": [{"type": "text", "text": text}]}]},
    "earlier answer": lambda text, _: {"before": [{"role": "user", "content": "Hello."},
                                                  {"role": "assistant", "content": text}]},
    "arguments of a call": lambda text, value: _called(json.dumps({"query": value}, ensure_ascii=False), "None."),
    "answer of a tool": lambda text, _: _called('{"query": "x"}', text),
    "description of a tool": lambda text, _: _function(text),
    "description of a parameter": lambda text, _: _function(description=text),
    "enumerated values of a parameter": lambda _, value: _function(enum=[value, "other"]),
    "name of a function": lambda _, value: _function(name=_identifier(value)),
    "name of a speaker": lambda _, value: {"after": [{"role": "user", "name": _identifier(value), "content": "Go on."}]},
    "description in a schema of answers": lambda text, _: {"response_format": {"type": "json_schema", "json_schema": {
        "name": "answer", "schema": {"type": "object", "description": text, "properties": {}}}}},
    "predicted answer": lambda text, _: {"prediction": {"type": "content", "content": text}},
    "words that stop": lambda _, value: {"stop": [value]},
    "field user": lambda _, value: {"user": value},
    "metadata": lambda _, value: {"metadata": {"customer": value}},
    "field that no API knows": lambda text, _: {"context": text},
    "file": lambda text, _: {"after": [{"role": "user", "content": [{"type": "file", "file": {
        "filename": "note.txt", "file_data": _file(text)}}]}]},
    "name of a file": lambda _, value: {"after": [{"role": "user", "content": [{"type": "file", "file": {
        "filename": f"{value}.txt", "file_data": _file("Nothing.")}}]}]},
    "address of a picture": lambda _, value: {"after": [{"role": "user", "content": [{"type": "image_url", "image_url": {
        "url": "https://example.org/a.png?of=" + quote(value)}}]}]},
}  # fmt: skip

_BLOCKS: Final[dict[str, Callable[[str, str], dict[str, Any]]]] = {
    "system text": lambda text, _: {"system": text},
    "block of the system text": lambda text, _: {"system": [{"type": "text", "text": text}]},
    "part of a message": lambda text, _: {"after": [{"role": "user", "content": [{"type": "text", "text": text}]}]},
    "earlier answer": lambda text, _: {"before": [{"role": "user", "content": "Hello."},
                                                  {"role": "assistant", "content": text}]},
    "arguments of a call": lambda _, value: _tool_use({"query": value}, "None."),
    "answer of a tool": lambda text, _: _tool_use({"query": "x"}, text),
    "block of a tool's answer": lambda text, _: _tool_use({"query": "x"}, [{"type": "text", "text": text}]),
    "description of a tool": lambda text, _: {"tools": [{"name": "find", "description": text,
                                                         "input_schema": {"type": "object", "properties": {}}}]},
    "metadata": lambda _, value: {"metadata": {"user_id": value}},
    "words that stop": lambda _, value: {"stop_sequences": [value]},
    "field that no API knows": lambda text, _: {"context": text},
    "document": lambda text, _: {"after": [{"role": "user", "content": [{"type": "document", "source": {
        "type": "text", "media_type": "text/plain", "data": text}}]}]},
    "title of a document": lambda _, value: {"after": [{"role": "user", "content": [{
        "type": "document", "title": value, "source": {
            "type": "text", "media_type": "text/plain", "data": "Nothing."}}]}]},
}  # fmt: skip


def _in_header(name: str) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        return _shot(value, request(api, asked(api, model, HARMLESS), **{name: quote(value.text, safe=" @+()-:")}))

    return build


def _in_query(draw: random.Random, kind: str, api: str, model: str) -> Shot:
    value = drawn(kind, draw)
    sent = request(api, asked(api, model, HARMLESS))
    return _shot(value, Request(path=f"{sent.path}?for={quote(value.text)}", body=sent.body))


_ROUTES: Final[dict[str, Callable[[str, str], dict[str, Any]]]] = {
    "/completions": lambda text, model: {"model": model, "prompt": text},
    "/responses": lambda text, model: {"model": model, "input": text},
    "/embeddings": lambda text, model: {"model": model, "input": [text]},
    "/moderations": lambda text, model: {"model": model, "input": text},
    "/images/generations": lambda text, model: {"model": model, "prompt": text},
    "/audio/speech": lambda text, model: {"model": model, "input": text, "voice": "alloy"},
    "/messages": lambda text, model: asked(MESSAGES, model, text),
    "/messages/count_tokens": lambda text, model: asked(CHAT, model, text),
    "/chat/completions": lambda text, model: asked(CHAT, model, text),
    "/threads/t/messages": lambda text, model: {"role": "user", "content": text},
    "/unheard/of": lambda text, model: {"text": text},
}


def _routed(path: str) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        return _shot(value, Request(path=path, body=encoded(_ROUTES[path](sentence(value), model))))

    return build


def _spread(value: Planted, sign: str) -> str:
    return sentence(value).replace(value.text, sign.join(value.text))


def _written(change: Callable[[str], str]) -> Callable[[Planted], str]:
    return lambda value: sentence(value).replace(value.text, change(value.text))


WIDE: Final = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
TWINS: Final = str.maketrans("aeopcxiAEOPCX", "аеорсхіАЕОРСХ")

_WRITINGS: Final[dict[str, Callable[[Planted], str]]] = {
    "capitals": _written(str.upper),
    "HTML entities": _written(lambda text: "".join(f"&#{ord(letter)};" for letter in text)),
    "percent signs": _written(lambda text: "".join(f"%{byte:02X}" for byte in text.encode())),
    "quoted-printable": _written(lambda text: "".join(f"={byte:02X}" for byte in text.encode())),
    "\\u escapes within the text": _written(lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)),
    "base64": _written(lambda text: base64.b64encode(f"value: {text}".encode()).decode()),
    "hexadecimal": _written(lambda text: text.encode().hex()),
    "JSON within the text": lambda value: json.dumps({"note": sentence(value), "value": value.text}),
    "full-width letters": _written(lambda text: text.translate(WIDE)),
    "zero-width spaces": lambda value: _spread(value, "\u200b"),
    "soft hyphens": lambda value: _spread(value, "\u00ad"),
    "spaces between all letters": lambda value: _spread(value, " "),
    "letters of another script": _written(lambda text: text.translate(TWINS)),
    "accents set apart (NFD)": _written(lambda text: unicodedata.normalize("NFD", "".join(
        letter + ("\u0301" if letter in "aeiou" else "") for letter in text))),
}  # fmt: skip
_WITH_LETTERS: Final = {
    "capitals": ("person", "email"),  # a token in capitals opens nothing
    "letters of another script": ("person", "email", "token"),
    "accents set apart (NFD)": ("person", "email", "token"),
}


def _wired(change: Callable[[bytes], bytes], *, chunked: bool = False, **headers: str) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        body = change(encoded(asked(api, model, sentence(value))))
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return _shot(value, Request(path=PATHS[api], body=body, headers=named, chunked=chunked))

    return build


def _escaped(body: bytes) -> bytes:
    data = json.loads(body)
    text = data["messages"][0]["content"]
    marked = encoded({**data, "messages": [{"role": "user", "content": "@@"}]})
    return marked.replace(b"@@", "".join(f"\\u{ord(letter):04x}" for letter in text).encode())


def _twice(body: bytes) -> bytes:
    """Return the body with a field twice: parsers differ in which of them counts."""
    return body[:-1] + b', "messages": [{"role": "user", "content": "Hello."}]}'


def _twice_before(body: bytes) -> bytes:
    return b'{"messages": [{"role": "user", "content": "Hello."}], ' + body[1:]


_WIRES: Final[dict[str, Build]] = {
    "\\u escapes of JSON": _wired(_escaped),
    "gzip": _wired(gzip.compress, Content_Encoding="gzip"),
    "UTF-16": _wired(lambda body: body.decode().encode("utf-16"), Content_Type="application/json; charset=utf-16"),
    "byte order mark": _wired(lambda body: b"\xef\xbb\xbf" + body),
    "in pieces": _wired(lambda body: body, chunked=True),
    "declared as plain text": _wired(lambda body: body, Content_Type="text/plain"),
    "field messages twice, the first counts": _wired(_twice),
    "field messages twice, the second counts": _wired(_twice_before),
}


def _halves(value: Planted) -> tuple[str, str]:
    middle = value.text.find(" ") if value.kind == "person" else len(value.text) // 2
    return value.text[:middle], value.text[middle:]


def _cut(join: Callable[[str, str], Any]) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        first, second = _halves(value)
        head, tail = sentence(value).replace(value.text, f"{first}\0{second}").split("\0")
        data = asked(api, model, HARMLESS)
        made = join(head, tail)
        data["messages"] = made if isinstance(made, list) else [{"role": "user", "content": made}]
        return _shot(value, request(api, data), first, second)

    return build


def _turns(first: str, second: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": first}, {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": second}]  # fmt: skip


def _parts(first: str, second: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "text", "text": first}, {"type": "text", "text": second}]}]


_CUTS: Final[dict[str, Callable[[str, str], Any]]] = {
    "two messages": _turns,
    "two parts of a message": _parts,
    "line break in the value": lambda first, second: f"{first}\n{second}",
    "bold sign in the value": lambda first, second: f"{first}**{second}",
    "hyphen at the end of a line": lambda first, second: f"{first}-\n{second}",
}
FILLER: Final = "The meeting went well and we spoke about the plan for the next year. "

_LONG: Final[dict[str, Callable[[Planted], str]]] = {
    "glued to words": lambda value: sentence(value).replace(value.text, f"x{value.text}x"),
    "in a row of a table": lambda value: f"id;value;state\n17;{value.text};open\n18;none;open\n",
    "in a block of code": lambda value: f"```python\nvalue = '{value.text}'  # {sentence(value)}\n```",
    "behind 20,000 characters": lambda value: FILLER * 290 + sentence(value),
    "before 20,000 characters": lambda value: sentence(value) + " " + FILLER * 290,
    "after 60 other values": lambda value: "".join(f"Ask user{at}@mail{at}.com. " for at in range(60)) + sentence(value),
}  # fmt: skip


def _spoken(language: str) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw, language)
        return _shot(value, request(api, asked(api, model, LANGUAGES[language].format(value.text))))

    return build


_PUMPS: Final[dict[str, Callable[[Planted], str]]] = {
    "text of a megabyte": lambda value: FILLER * 15_000 + sentence(value),
    "100,000 digits": lambda value: "1" * 100_000 + " " + sentence(value),
    "50,000 near-addresses": lambda value: "a@a." * 50_000 + " " + sentence(value),
    "100,000 brackets": lambda value: "(" * 100_000 + " " + sentence(value),
    "a character NUL": lambda value: "\0" + sentence(value),
    "half of a surrogate pair": lambda value: "\ud83d " + sentence(value),
    "50,000 invisible signs": lambda value: "\u200b" * 50_000 + sentence(value),
}


def _odd(body: Callable[[str, str, str], bytes]) -> Build:
    def build(draw: random.Random, kind: str, api: str, model: str) -> Shot:
        value = drawn(kind, draw)
        return _shot(value, Request(path=PATHS[api], body=body(sentence(value), api, model)))

    return build


def _nested(text: str, depth: int) -> Any:
    data: Any = text
    for _ in range(depth):
        data = [data]
    return data


_ODD: Final[dict[str, Callable[[str, str, str], bytes]]] = {
    "JSON that breaks off": lambda text, api, model: encoded(asked(api, model, text))[:-3],
    "no JSON": lambda text, api, model: text.encode(),
    "a list of requests": lambda text, api, model: encoded([asked(api, model, text)]),
    "content is an object": lambda text, api, model: encoded(asked(api, model, {"text": text})),
    "content nested 200 deep": lambda text, api, model: encoded(asked(api, model, _nested(text, 200))),
    "messages is one text": lambda text, api, model: encoded({"model": model, "max_tokens": 9, "messages": text}),
    "a part of an unknown type": lambda text, api, model: encoded(
        asked(api, model, [{"type": "note", "note": text}, {"type": "text", "text": "Hello."}])
    ),
    "a role that is unknown": lambda text, api, model: encoded(
        {**asked(api, model, HARMLESS), "messages": [{"role": "narrator", "content": text}]}
    ),
    "bytes that are no UTF-8": lambda text, api, model: encoded(asked(api, model, text + "@@")).replace(b"@@", b"\xff"),
}


plain: Final = _said(sentence)


def shapes() -> list[Setting]:
    """Return the plainest setting of each kind: a sentence in a user message."""
    return [Setting(family="shape", name=kind, build=plain, kinds=(kind,)) for kind in KINDS]


def settings(api: str) -> Iterator[Setting]:
    """Yield all other settings, family by family."""
    fields = _FIELDS if api == CHAT else _BLOCKS
    yield from (Setting(family="field", name=name, build=_placed(make)) for name, make in fields.items())
    for name in ("X-Customer", "User-Agent", "Cookie", "X-Forwarded-For"):
        yield Setting(
            family="field",
            name=f"header {name}",
            build=_in_header(name),
            kinds=("email", "phone", "card", "iban", "ssn", "token"),
        )
    yield Setting(family="field", name="query of the address", build=_in_query)
    yield from (Setting(family="route", name=path, build=_routed(path)) for path in _ROUTES if path != PATHS[api])
    for name, write in _WRITINGS.items():
        yield Setting(family="encoding", name=name, build=_said(write), kinds=_WITH_LETTERS.get(name, ()))
    yield from (Setting(family="transport", name=name, build=build) for name, build in _WIRES.items())
    yield from (Setting(family="cut", name=name, build=_cut(join)) for name, join in _CUTS.items())
    yield from (Setting(family="cut", name=name, build=_said(write)) for name, write in _LONG.items())
    for language in LANGUAGES:
        yield Setting(family="language", name=language, build=_spoken(language), kinds=("person", "email", "phone"))
    yield from (Setting(family="stress", name=name, build=_said(write)) for name, write in _PUMPS.items())
    yield from (Setting(family="stress", name=name, build=_odd(make)) for name, make in _ODD.items())


FAMILIES: Final = ("shape", "field", "route", "encoding", "transport", "cut", "language", "stress")
