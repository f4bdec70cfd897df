"""Failures as scripts of ten lines that repeat them with Python's standard library only."""

import base64
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import quote, urlsplit

from textveil_lab.audit.gateway.cases import (
    FILLER,
    HARMLESS,
    PATHS,
    TWINS,
    WIDE,
    Shot,
    asked,
    call,
    encoded,
    sentence,
    tool_turns,
)
from textveil_lab.audit.gateway.values import Planted
from textveil_lab.audit.gateway.wire import Gateway, Request, answered

FRAME: Final = ("Please write to ", " today, as we said.")
OTHER: Final = ("They told us that ", " will be here on Monday.")
"""Frames of the user's sentence and of the guess: the provider knows both, and reads what stands between."""

_UNITS: Final = (FILLER, "1", "a@a.", "(", "\u200b")
_HEADERS: Final = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}

_LEAK: Final = """\
# {what}. The upstream of the gateway must be http://127.0.0.1:{port}. Needs Python alone; says FAILED or held.
import contextlib, gzip, http.client, http.server, re, threading, unicodedata; got = []
class Up(http.server.BaseHTTPRequestHandler):
    def do_POST(self): n = self.headers["Content-Length"]; raw = self.rfile.read(int(n)) if n else self.rfile.read1(10**7); got.append(self.path + str(self.headers) + {decoded}); self.send_response(200); self.send_header("Content-Type", "application/json"); self.end_headers(); self.wfile.write({answer!r})
    log_message = lambda *_: None; do_GET = do_PUT = do_POST
threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Up).serve_forever, daemon=True).start()
c = http.client.HTTPConnection({host!r}, timeout=120)
with contextlib.suppress(http.client.HTTPException, OSError): c.request("POST", {path!r}, {body}, {headers!r}); print("status", c.getresponse().status)
seen, bare = (text := " ".join(got)) + re.sub(r"\\\\u([0-9a-f]{{4}})", lambda m: chr(int(m[1], 16)), text), lambda text: "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())
print("FAILED: the provider reads it" if all(bare(needle) in bare(seen) for needle in {needles!r}) else "held")
"""

_TALK: Final = """\
# {what}. The upstream of the gateway must be http://127.0.0.1:{port}. Needs Python alone; says FAILED or held.
import http.client, http.server, json, re, threading; from concurrent.futures import ThreadPoolExecutor; got, said = [], [None]
class Up(http.server.BaseHTTPRequestHandler):
    def do_POST(self): n = self.headers["Content-Length"]; got.append(json.loads(self.rfile.read(int(n)) if n else re.search(rb"{{.*}}", self.rfile.read1(10**7), re.S)[0])); text = said[0] or [m["content"] if isinstance(m["content"], str) else "".join(p.get("text", "") for p in m["content"]) for m in got[-1]["messages"] if m["role"] == "user"][-1]; text = {written}; self.send_response(200); self.send_header("Content-Type", {mime!r}); self.end_headers(); self.wfile.write("".join(e.replace("@@", json.dumps(text[i : i + {step}])[1:-1]) for e in {events!r} for i in (range(0, len(text), {step}) if "@@" in e else [0])).encode())
    log_message = lambda *_: None
threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Up).serve_forever, daemon=True).start()
def ask(body, key={key!r}): c = http.client.HTTPConnection({host!r}, timeout=120); c.request("POST", {path!r}, body.encode(), {{**{headers!r}, "Authorization": "Bearer " + key, "x-api-key": key}}); return json.loads('"' + "".join(re.findall(r'"(?:content|text|arguments|partial_json|query)": ?"((?:[^"\\\\]|\\\\.)*)"', c.getresponse().read().decode())) + '"')
def between(head, tail): return (re.findall(re.escape(head) + "(.*?)" + re.escape(tail), json.dumps(got[-1])) or [None])[0]
{steps}
print("FAILED: {failure}" if {failed} else "held")
"""


def literal(body: bytes) -> str:
    """Return a Python expression for bytes, in which long repetitions are products."""
    for unit in (text.encode() for text in _UNITS):
        at = body.find(unit * 20)
        if at >= 0:
            end = at
            while body.startswith(unit, end):
                end += len(unit)
            return f"{literal(body[:at])} + {unit!r} * {(end - at) // len(unit)} + {literal(body[end:])}"
    return repr(body)


def leak(gateway: Gateway, port: int, api: str, shot: Shot, came: Iterable[bytes], what: str) -> str:
    """Return a script that shows a value that the provider can read."""
    address = urlsplit(gateway.url)
    sent = shot.request
    came = list(came)
    body = literal(sent.body)
    return _LEAK.format(
        what=f"{what}, {shot.value.kind}",
        port=port,
        host=address.netloc,
        path=address.path.rstrip("/") + sent.path,
        body=f"iter([{body}])" if sent.chunked else body,
        headers={**_headers(gateway), **sent.headers},
        answer="".join(answered(api, "Yes.", 0)).encode(),
        needles=_forms(shot, came),
        decoded="gzip.decompress(raw).decode()"
        if b"".join(came).partition(b"\r\n\r\n")[2][:2] == b"\x1f\x8b"
        else 'raw.decode(errors="replace")',
    )


def _headers(gateway: Gateway) -> dict[str, str]:
    return {**_HEADERS, "Authorization": f"Bearer {gateway.key}", "x-api-key": gateway.key}


def _forms(shot: Shot, came: Iterable[bytes]) -> tuple[str, ...]:
    """Return how the value stood in the received text: unchanged, or in a form that only a decoder reads."""
    if shot.needles != shot.value.telling:
        return shot.needles
    squeezed = _squeezed(_read(b" ".join(came)))
    text = shot.value.text
    forms = (
        *shot.value.telling,
        base64.b64encode(f"value: {text}".encode()).decode(),
        base64.b64encode(sentence(shot.value).encode()).decode(),
        text.encode().hex(),
        "".join(f"%{byte:02X}" for byte in text.encode()),
        quote(text),
        quote(text, safe=" @+()-:"),
        "".join(f"&#{ord(letter)};" for letter in text),
        "".join(f"={byte:02X}" for byte in text.encode()),
        text.translate(TWINS),
        text.translate(WIDE),
    )
    return next(((form,) for form in forms if _squeezed(form) in squeezed), shot.needles)


def _squeezed(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text).casefold() if letter.isalnum())


def _read(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text + re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)


def _talk(gateway: Gateway, port: int, api: str, what: str, **more: Any) -> str:
    address = urlsplit(gateway.url)
    filled = {"written": "text", "step": 10**6, "events": answered(api, "@@", 0), "mime": "application/json", **more}
    return _TALK.format(
        what=what,
        port=port,
        host=address.netloc,
        path=address.path.rstrip("/") + PATHS[api],
        key=gateway.key,
        headers=_HEADERS,
        **filled,
    )


def lost(gateway: Gateway, port: int, api: str, sent: Request, value: Planted, reply: Any) -> str:
    """Return a script that shows a value missing from the reply."""
    events = answered(api, call("@@") if reply.tools else "@@", reply.step and 10**6)
    inner = '{\\"query\\": \\"@@\\"}'  # arguments within JSON are a text, which is cut as any other
    written = reply.written
    if reply.tools:
        written = (
            'json.dumps({"query": text}, ensure_ascii=False)' if any(inner in event for event in events) else "text"
        )
    return _talk(
        gateway,
        port,
        api,
        f"restoration: {reply.name}, {value.kind}",
        events=[event.replace(inner, "@@") for event in events],
        written=written,
        step=reply.step or 10**6,
        mime="text/event-stream" if reply.step else "application/json",
        steps=f"answer = ask({sent.body.decode()!r})",
        failure="the original is not in the reply",
        failed=f"{value.text!r} not in answer",
    )


def crossed(gateway: Gateway, port: int, api: str, shot: Shot, sent: Request, *, other: bool) -> str:
    """Return a script that shows a value that another conversation reads."""
    key = gateway.other_key if other else gateway.key
    steps = f"ask({shot.request.body.decode()!r}); said[0] = [m['content'] for m in got[-1]['messages']][-1]; "
    return _talk(
        gateway,
        port,
        api,
        f"mixing: another {'key' if other else 'conversation'} reads a value, {shot.value.kind}",
        steps=f"{steps}answer = ask({sent.body.decode()!r}, {key!r})",
        failure="a value of another conversation is in the reply",
        failed=f"{shot.value.telling[0]!r} in answer",
    )


def together(gateway: Gateway, port: int, api: str, values: Sequence[Planted]) -> str:
    """Return a script of concurrent conversations that get each other's values."""
    bodies = [encoded(asked(api, gateway.model, sentence(value))).decode() for value in values]
    return _talk(
        gateway,
        port,
        api,
        "mixing: eight at the same time",
        steps=f"texts = {[value.telling[0] for value in values]!r}; "
        f"answers = list(ThreadPoolExecutor(8).map(ask, {bodies!r} * 5))",
        failure="a value of another conversation is in a reply",
        failed="any(text in answer for n, answer in enumerate(answers) for text in texts if text != texts[n % 8])",
    )


def guessed(gateway: Gateway, port: int, api: str, name: str, value: Planted, wrong: str) -> str:
    """Return a script of a guess whose surrogate equals the value's, while a wrong guess's does not."""
    first = _body(api, gateway, [_user(FRAME, value.text)])
    head, tail = f"between{FRAME!r}", f"between{OTHER!r}"
    if name == "in the answer of a tool":
        body = encoded(
            tool_turns(api, gateway.model, "".join((FRAME[0], value.text, FRAME[1])), OTHER[0] + "@@" + OTHER[1])
        )
        steps = f"def equal(guess): ask({body.decode()!r}.replace('@@', guess)); return {head} == {tail}"
    elif name == "in an answer that the program sends back":
        turns = [
            _user(FRAME, value.text),
            {"role": "assistant", "content": "@@"},
            {"role": "user", "content": HARMLESS},
        ]
        steps = (
            f"def equal(guess): said[0] = {OTHER[0]!r} + guess + {OTHER[1]!r}; a = ask({first!r}); "
            f"ask({_body(api, gateway, turns)!r}.replace('@@', json.dumps(a)[1:-1])); return {head} == {tail}"
        )
    else:
        second = _body(api, gateway, [_user(OTHER, "@@")])
        key = gateway.other_key if "another key" in name else gateway.key
        steps = (
            f"def equal(guess): ask({first!r}); a = {head}; ask({second!r}.replace('@@', guess), {key!r}); "
            f"return a == {tail}"
        )
    return _talk(
        gateway,
        port,
        api,
        f"guesses: {name}, {value.kind}",
        steps=steps,
        failure="equal surrogates tell that a guess is right",
        failed=f"equal({value.text!r}) and not equal({wrong!r})",
    )


def _user(frame: tuple[str, str], text: str) -> dict[str, str]:
    return {"role": "user", "content": f"{frame[0]}{text}{frame[1]}"}


def _body(api: str, gateway: Gateway, turns: list[dict[str, str]]) -> str:
    return encoded({**asked(api, gateway.model, ""), "messages": turns}).decode()
