"""Both ends of a gateway, on this machine: a provider that records every byte and gives set answers, and a client."""

import contextlib
import http.client
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from textveil.errors import EndpointError, ParameterError, need

Said = Callable[[str], Any]  # the last text that came -> the answer's text, or its calls of tools as a list

_HERE: Final = re.compile(r"(?:127(?:\.\d{1,3}){3}|localhost|::1)")


def echo(text: str) -> str:
    """Answer with the received text."""
    return text


class Upstream:
    """Provider of the chat, responses and Anthropic APIs on a port of this machine.

    Attributes:
        got: head and body of each request, in order.
        said: function from a text to its answer.
        step: characters in a stream's chunk.
    """

    def __init__(self, port: int) -> None:
        self.got: list[bytes] = []
        self.said: Said = echo
        self.step = 7
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        owner = self

        class Serving(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 120

            def setup(self) -> None:
                super().setup()
                owner._connections.append(self.connection)

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):  # any method
                    return lambda: owner._serve(self)
                raise AttributeError(name)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Serving)
        except OSError:
            raise ParameterError(
                f"upstream_port must be a free port of this machine; got {port}, which is taken. Name another."
            ) from None
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> "Upstream":
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        for one in self._connections:  # gateways keep some open, and would go on talking to a provider that is gone
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def taken(self) -> list[bytes]:
        """Return the requests since the last call."""
        with self._lock:
            came, self.got[:] = list(self.got), []
        return came

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = _body(handler)
        lines = [handler.requestline, *(f"{name}: {value}" for name, value in handler.headers.items())]
        with self._lock:
            self.got.append("\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body)
        try:
            asked = json.loads(body)
        except ValueError:
            asked = {}
        if not isinstance(asked, dict):
            asked = {}
        if handler.command == "GET":
            _send(handler, [json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode()])
            return
        answer = self.said(last_text(asked))
        step = self.step if asked.get("stream") else 0
        api = next((one for one in ("messages", "responses") if f"/{one}" in handler.path), "chat")
        pieces = answered(api, answer, step)
        _send(handler, [piece.encode() for piece in pieces], "text/event-stream" if step else "application/json")


def answered(api: str, answer: Any, step: int) -> list[str]:
    """Return an answer as it is sent: whole, or as events of ``step`` characters each; a list is tool calls."""
    whole, events = _APIS[api]
    return list(events(answer, step)) if step else [json.dumps(whole(answer))]


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if "chunked" in handler.headers.get("Transfer-Encoding", ""):
        body = b""
        while size := int(handler.rfile.readline().split(b";")[0] or b"0", 16):
            body += handler.rfile.read(size)
            handler.rfile.readline()
        handler.rfile.readline()
        return body
    return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))


def _send(handler: BaseHTTPRequestHandler, pieces: Any, kind: str = "application/json") -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")


def last_text(asked: dict[str, Any]) -> str:
    """Return the text of the last user message, or of whatever stands in its place."""
    messages = asked.get("messages") or []
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, list) else []
            return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
    items = asked.get("input")
    if isinstance(items, list) and not messages:
        return last_text({"messages": items}) if any(isinstance(one, dict) for one in items) else "Yes."
    return next((str(asked[name]) for name in ("input", "prompt") if isinstance(asked.get(name), str)), "Yes.")


def _chat_answer(answer: Any) -> dict[str, Any]:
    calls = None if isinstance(answer, str) else answer
    message = {"role": "assistant", "content": answer if calls is None else None}
    if calls is not None:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "text": answer if calls is None else "", "finish_reason": "stop"}
    return {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": _USAGE}


_HEAD: Final = {"id": "chatcmpl-1", "created": 1, "model": "m"}
_USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _chat_stream(answer: Any, step: int) -> Iterator[str]:
    def event(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**_HEAD, 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"

    yield event({"role": "assistant", "content": "" if isinstance(answer, str) else None})
    if isinstance(answer, str):
        for at in range(0, len(answer), step):
            yield event({"content": answer[at : at + step]})
    else:
        for index, call in enumerate(answer):
            arguments, function = call["function"]["arguments"], {**call["function"], "arguments": ""}
            yield event({"tool_calls": [{**call, "index": index, "function": function}]})
            for at in range(0, len(arguments), step):
                part = {"index": index, "function": {"arguments": arguments[at : at + step]}}
                yield event({"tool_calls": [part]})
    yield event({}, "stop" if isinstance(answer, str) else "tool_calls")
    yield "data: [DONE]\n\n"


def _blocks(answer: Any) -> list[dict[str, Any]]:
    if isinstance(answer, str):
        return [{"type": "text", "text": answer}]
    return [
        {"type": "tool_use", "id": call["id"], "name": call["function"]["name"],
         "input": json.loads(call["function"]["arguments"])}
        for call in answer
    ]  # fmt: skip


def _messages_answer(answer: Any) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": _blocks(answer)}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {**head, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def _messages_stream(answer: Any, step: int) -> Iterator[str]:
    def event(kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    yield event("message_start", message={**_messages_answer(""), "content": [], "stop_reason": None})
    for index, block in enumerate(_blocks(answer)):
        text = "text" in block
        whole = block["text"] if text else json.dumps(block["input"], ensure_ascii=False)
        empty: dict[str, Any] = {"text": ""} if text else {"input": {}}
        yield event("content_block_start", index=index, content_block={**block, **empty})
        for at in range(0, len(whole), step):
            part = whole[at : at + step]
            delta = {"type": "text_delta", "text": part} if text else {"type": "input_json_delta", "partial_json": part}
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 1})
    yield event("message_stop")


def _response(answer: Any, status: str = "completed") -> dict[str, Any]:
    part = {"type": "output_text", "text": answer if isinstance(answer, str) else "Yes.", "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": [part]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    head = {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "m", "usage": usage}
    return {**head, "output": [item] if status == "completed" else []}


def _response_stream(answer: Any, step: int) -> Iterator[str]:
    def event(kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    whole = _response(answer)
    item = whole["output"][0]
    part, at = item["content"][0], {"item_id": "msg_1", "output_index": 0}
    yield event("response.created", response=_response(answer, "in_progress"))
    yield event("response.output_item.added", output_index=0, item={**item, "status": "in_progress", "content": []})
    yield event("response.content_part.added", content_index=0, part={**part, "text": ""}, **at)
    for begin in range(0, len(part["text"]), step):
        delta = part["text"][begin : begin + step]
        yield event("response.output_text.delta", content_index=0, delta=delta, **at)
    yield event("response.output_text.done", content_index=0, text=part["text"], **at)
    yield event("response.content_part.done", content_index=0, part=part, **at)
    yield event("response.output_item.done", output_index=0, item=item)
    yield event("response.completed", response=whole)


_APIS: Final[dict[str, tuple[Callable[[Any], dict[str, Any]], Callable[[Any, int], Iterator[str]]]]] = {
    "chat": (_chat_answer, _chat_stream),
    "messages": (_messages_answer, _messages_stream),
    "responses": (_response, _response_stream),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request of a client: a path below the base URL, headers beyond its own, a body."""

    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "POST"
    chunked: bool = False  # whether the body comes in pieces


class Answer:
    """Status, 0 if the connection broke, and body, with what a program reads in it."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status, self.body = status, body

    @property
    def refused(self) -> bool:
        return not 200 <= self.status < 300

    @property
    def text(self) -> str:
        """Text and call arguments, of a whole answer or a stream."""
        written = self.body.decode("utf-8", "replace")
        found: list[str] = []
        for line in [written] if written[:1] == "{" else re.findall(r"^data: ?(.*)$", written, re.MULTILINE):
            try:
                _spoken(json.loads(line), found)
            except ValueError:
                continue
        return "".join(found)


def _spoken(data: Any, found: list[str]) -> None:
    if isinstance(data, list):
        for one in data:
            _spoken(one, found)
    elif isinstance(data, dict):
        for name, value in data.items():
            if name in ("content", "text", "arguments", "partial_json") and isinstance(value, str):
                found.append(value)
            elif name == "input" and isinstance(value, dict):
                found.append(json.dumps(value, ensure_ascii=False) if value else "")
            elif name in ("choices", "message", "delta", "content", "tool_calls", "function", "content_block"):
                _spoken(value, found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Address, keys and model of a gateway.

    Args:
        url: base URL for a client of OpenAI's API, on this machine.
        key: API key of the client.
        other_key: API key of another client; empty: nothing is tried between keys.
        model: model name in each request.
        seconds: time limit of one request.
    """

    url: str
    key: str = "sk-audit-one"
    other_key: str = "sk-audit-two"
    model: str = "m"
    seconds: float = 60.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        # An attack goes to nobody's machine but this one.
        fine = parts.scheme == "http" and _HERE.fullmatch(parts.hostname or "") is not None
        need(fine, "url", self.url, "http:// and a host of this machine: 127.0.0.1 or localhost")
        need(self.seconds > 0, "seconds", self.seconds, "> 0")

    def ask(self, request: Request, *, other: bool = False) -> Answer:
        """Send a request; a broken connection gives an answer of status 0."""
        parts = urlsplit(self.url)
        key = self.other_key if other else self.key
        headers = {"Authorization": f"Bearer {key}", "x-api-key": key, "Content-Type": "application/json",
                   "anthropic-version": "2023-06-01", **request.headers}  # fmt: skip
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=self.seconds)
        try:
            body: Any = iter([request.body[:20], request.body[20:]]) if request.chunked else request.body
            path = parts.path.rstrip("/") + request.path
            connection.request(request.method, path, body, headers, encode_chunked=request.chunked)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read())
        except (OSError, http.client.HTTPException):
            return Answer(0, b"")
        finally:
            connection.close()


def check_reached(gateway: Gateway, upstream: Upstream, request: Request) -> None:
    """Refuse a gateway that does not pass a harmless request on to the upstream.

    Raises:
        EndpointError: nothing arrived; the message has the gateway's answer.
    """
    upstream.taken()
    answer = gateway.ask(request)
    if not upstream.taken():
        status = f"status {answer.status}" if answer.status else "no answer"
        raise EndpointError(
            f"a request through the gateway must reach its upstream, http://127.0.0.1:{upstream.port}; got {status}, "
            "and nothing came there. Start the gateway with that upstream."
        )
