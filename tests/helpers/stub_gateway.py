"""A gateway that hides whole texts and restores them, and has no fault but those that it is told to have."""

import hashlib
import http.client
import json
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAULTS = ("clear", "system", "unknown", "headers", "routes", "chunks", "open", "shared", "same", "numbered")
_TOKEN = re.compile(r"(?:tok[0-9a-f]{12}|<EMAIL_\d+>)")


class StubGateway:
    """Hides the texts of messages; addresses alone where a text has them, so that the text around them stays.

    Faults: all is sent in clear; system messages, fields that it does not know, headers, other routes, or what it
    cannot read go on; it restores chunk by chunk, or from one map for all; one value has one surrogate everywhere, or
    surrogates are numbered in each request.
    """

    def __init__(self, upstream_port: int, *faults: str) -> None:
        assert set(faults) <= set(FAULTS)
        self._faults, self._upstream = set(faults), upstream_port
        self._everything: dict[str, str] = {}
        owner = self

        class Serving(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                owner._serve(self)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Serving)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "StubGateway":
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _token(self, value: str, kept: dict[str, str]) -> str:
        if "numbered" in self._faults:
            token = next((one for one, said in kept.items() if said == value), f"<EMAIL_{len(kept) + 1}>")
        elif "same" in self._faults:
            token = "tok" + hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:12]
        else:
            token = "tok" + secrets.token_hex(6)
        kept[token] = value
        return token

    def _hidden(self, text: str, kept: dict[str, str]) -> str:
        if "@" in text and ".com" in text and len(text) < 500:
            return re.sub(r"[^\s\"]+@\S+\.com", lambda found: self._token(found[0], kept), text)
        return self._token(text, kept)

    def _read(self, body: bytes, kept: dict[str, str]) -> dict[str, Any] | None:
        try:
            data = json.loads(body)
            messages = [
                {
                    "role": one["role"],
                    "content": one["content"]
                    if one["role"] == "system" and "system" in self._faults
                    else self._hidden(str(one["content"]), kept),
                }
                for one in data["messages"]
                if one["role"] in ("system", "user", "assistant", "tool")
            ]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        known = {"model": "m", "messages": messages, "stream": bool(data.get("stream"))}
        return {**data, "messages": messages} if "unknown" in self._faults else known

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = handler.headers["Content-Length"]
        if length is None and "clear" not in self._faults:
            return handler.send_error(411)
        body = handler.rfile.read(int(length)) if length else handler.rfile.read1(10**6)
        kept: dict[str, str] = self._everything if "shared" in self._faults else {}
        data = self._read(body, kept)
        headers = {"Content-Type": "application/json"}
        if self._faults & {"clear", "headers"}:
            headers |= {name: value for name, value in handler.headers.items() if name.lower() != "host"}
            headers = {
                name: value for name, value in headers.items() if name not in ("Content-Length", "Transfer-Encoding")
            }
        clear = "clear" in self._faults or (handler.path != "/v1/chat/completions" and "routes" in self._faults)
        if clear or (data is None and "open" in self._faults):
            sent = body
        elif data is None or handler.path != "/v1/chat/completions":
            return handler.send_error(400)
        else:
            sent = json.dumps(data).encode()
        upstream = http.client.HTTPConnection("127.0.0.1", self._upstream, timeout=30)
        upstream.request("POST", handler.path if "clear" in self._faults else handler.path.split("?")[0], sent, headers)
        answer = upstream.getresponse()
        text, kind = answer.read().decode(), answer.headers["Content-Type"]
        upstream.close()
        out = self._restored(text, kept, stream="event-stream" in kind).encode()
        handler.send_response(answer.status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(out)))
        handler.end_headers()
        handler.wfile.write(out)
        return None

    def _restored(self, text: str, kept: dict[str, str], *, stream: bool) -> str:
        def original(found: re.Match[str]) -> str:
            value = json.dumps(kept.get(found[0], found[0]))[1:-1]
            return json.dumps(value)[1:-1] if '\\"query' in text else value

        if stream and "chunks" not in self._faults:
            whole = r'("(?:content|arguments)": ")((?:[^"\\]|\\.)*)"'
            pieces = "".join(piece for _, piece in re.findall(whole, text))
            first = re.search(r'(?s)^.*?"(?:content|arguments)": "[^"]', text)
            if first is None or not pieces:
                return text
            name = "arguments" if '"arguments"' in text else "content"
            event = next(line for line in text.split("\n\n") if f'"{name}": "' in line and re.search(whole, line)[2])
            text = re.sub(whole, lambda found: event and f'"{name}": "{pieces}"', event) + "\n\ndata: [DONE]\n\n"
        return _TOKEN.sub(original, text)
