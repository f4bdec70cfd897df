"""A real HTTP server on this machine that stands for a provider of language models, and remembers every byte it got."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, TypeAlias

UPSTREAM_KEY: Final = "sk-4711-QwErTyUiOpAsDf"

Handler: TypeAlias = BaseHTTPRequestHandler
Answering: TypeAlias = Callable[[Handler, dict[str, Any]], None]


class _Reading:
    """A file of a socket whose every byte is kept."""

    def __init__(self, file: Any, kept: bytearray) -> None:
        self._file, self._kept = file, kept

    def readline(self, *size: int) -> bytes:
        return self._keep(self._file.readline(*size))

    def read(self, *size: int) -> bytes:
        return self._keep(self._file.read(*size))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def _keep(self, data: bytes) -> bytes:
        self._kept.extend(data)
        return data


class Provider:
    """An HTTP server that answers as ``answer`` says.

    Args:
        tls: has its certificate, which is for localhost; None speaks without encryption.

    Attributes:
        got: every byte that came, of all requests.
        bodies: what they asked.
        raw: the same as bytes.
        paths: where.
        headers: of each, names in small letters.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.answer: Answering = say("Yes.")
        self.got = bytearray()
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.release = threading.Event()
        owner = self

        class Serving(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.rfile = _Reading(self.rfile, owner.got)  # type: ignore[assignment]

            def do_POST(self) -> None:
                owner.raw.append(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.loads(owner.raw[-1])
                owner._asked(self)
                owner.bodies.append(body)
                owner.answer(self, body)

            def do_GET(self) -> None:
                owner._asked(self)
                owner.answer(self, {})

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Serving)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
            self.url = f"https://localhost:{self.port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Provider":
        return self

    def __exit__(self, *error: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()

    def _asked(self, handler: Handler) -> None:
        self.paths.append(handler.path)
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})

    def forget(self) -> None:
        """Nothing was asked yet."""
        self.got.clear()
        self.bodies.clear()
        self.raw.clear()
        self.paths.clear()
        self.headers.clear()

    def heard(self, *texts: str) -> list[str]:
        """Those of the texts that came, as they are or written by the escapes of JSON."""
        everything = self.got.decode("utf-8", "replace")
        read = "\n".join(json.dumps(body, ensure_ascii=False) for body in self.bodies)
        both = (everything + read).casefold()
        return [text for text in texts if text.casefold() in both or json.dumps(text)[1:-1].casefold() in both]


def send_json(handler: Handler, data: Any, status: int = 200, **headers: str) -> None:
    """Answer with JSON."""
    send(handler, json.dumps(data).encode(), status, **{"content_type": "application/json", **headers})


def send(handler: Handler, data: bytes, status: int = 200, **headers: str) -> None:
    """Answer with bytes; a header's underscores are hyphens."""
    handler.send_response(status)
    for name, value in {"content_length": str(len(data)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def send_pieces(
    handler: Handler, pieces: Iterable[bytes], kind: str = "text/event-stream", *, end: bool = True
) -> None:
    """Answer in pieces; without its end the connection breaks off."""
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.flush()
    if end:
        handler.wfile.write(b"0\r\n\r\n")
    else:
        drop(handler)


def drop(handler: Handler) -> None:
    """Break the connection off."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def reset(handler: Handler) -> None:
    """Break the connection off, with a reset."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    handler.close_connection = True
    handler.connection.close()


def completion(message: dict[str, Any], reason: str = "stop") -> dict[str, Any]:
    """A chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    """A piece of a streamed chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def events(*data: Any) -> bytes:
    """Server-sent events."""
    return b"".join(b"data: " + (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n\n" for one in data)


def say(text: str, cut: int = 5) -> Answering:
    """Say that, in a stream if asked for one: so many characters an event."""
    return saying(lambda body: text, cut)


def saying(make: Callable[[dict[str, Any]], str], cut: int = 5) -> Answering:
    """Say what is made of a request."""

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        text = make(body)
        if not body.get("stream"):
            send_json(handler, completion({"content": text}))
            return
        pieces = [chunk({"role": "assistant", "content": ""})]
        pieces += [chunk({"content": text[at : at + cut]}) for at in range(0, len(text), cut)]
        send_pieces(handler, [events(one) for one in [*pieces, chunk({}, "stop")]] + [events(b"[DONE]")])

    return answer


def message(*blocks: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    """A message of Anthropic's API."""
    facts = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    return {**facts, "content": list(blocks), "stop_reason": reason, "usage": {"input_tokens": 1, "output_tokens": 1}}


_PIECES: Final = {"text": "text_delta", "thinking": "thinking_delta"}


def message_events(*blocks: dict[str, Any], reason: str = "end_turn", cut: int = 5) -> list[bytes]:
    """The same as the events of a stream: so many characters each."""
    told: list[dict[str, Any]] = [{"type": "message_start", "message": message()}, {"type": "ping"}]
    for index, block in enumerate(blocks):
        kind = block["type"]
        written = json.dumps(block["input"]) if kind == "tool_use" else block.get(kind, "")
        empty: dict[str, Any] = {"input": {}} if kind == "tool_use" else {kind: ""} if kind in _PIECES else {}
        begun = {**block, **empty}
        begun |= {"signature": ""} if "signature" in block else {}
        deltas = [written[at : at + cut] for at in range(0, len(written), cut)] if written != "{}" else [""]
        field, delta = (kind, _PIECES[kind]) if kind in _PIECES else ("partial_json", "input_json_delta")
        pieces: list[dict[str, Any]] = [{"type": delta, field: one} for one in deltas]
        pieces += [{"type": "signature_delta", "signature": block["signature"]}] if "signature" in block else []
        told.append({"type": "content_block_start", "index": index, "content_block": begun})
        if kind != "redacted_thinking":
            told += [{"type": "content_block_delta", "index": index, "delta": one} for one in pieces]
        told.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": reason, "stop_sequence": None}
    told += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return [b"event: %b\n" % one["type"].encode() + events(one) for one in told]


def answering(make: Callable[[dict[str, Any]], list[dict[str, Any]]], cut: int = 5) -> Answering:
    """Answer a message of Anthropic's API with the blocks that are made of it."""

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        blocks = make(body)
        reason = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
        if body.get("stream"):
            send_pieces(handler, message_events(*blocks, reason=reason, cut=cut))
        else:
            send_json(handler, message(*blocks, reason=reason))

    return answer


def last_text(body: dict[str, Any]) -> str:
    """The last message's text."""
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def repeating(prefix: str = "You said: ") -> Answering:
    """Say what the last message said."""
    return saying(lambda body: prefix + last_text(body))
