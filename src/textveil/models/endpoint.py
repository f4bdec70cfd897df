"""A language model behind an endpoint that speaks OpenAI's protocol of chat completions.

A request goes straight to the address: no redirect, no proxy, so nobody else gets the key or the text; it has one
deadline over all, and an answer has a greatest length.
"""

import contextlib
import http.client
import json
import os
import socket
import ssl
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from time import sleep
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from textveil.environment import ENDPOINT_KEY
from textveil.errors import EndpointError, need
from textveil.json_text import json_data
from textveil.version import VERSION

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Answers after which the same question may be answered a little later."""

_LONGEST_WAIT: Final = 30.0

_GRACE: Final = 0.5  # seconds that a connection has to end when its time is up

_DONE: Final = (None, "stop", "eos")


class Message(NamedTuple):
    """A part of a question: ``role`` is ``"system"`` or ``"user"``."""

    role: str
    content: str


class _Unanswered(Exception):
    """No answer this time; ``wait`` is how many seconds the service asks for."""

    def __init__(self, got: str, wait: float = 0.0) -> None:
        super().__init__(got)
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Address of a service that is asked, and the time that it may take.

    Raises ParameterError: ``url`` is no such address or holds a password, or another argument is outside its domain.
    """

    url: str  # base address, ``http://`` or ``https://``; ``/chat/completions`` is put behind it
    model: str
    timeout: float = 120.0  # seconds for one try, over all, > 0
    tries: int = 3  # >= 1
    pause: float = 1.0  # seconds before the second try, doubled before each later one, >= 0

    def __post_init__(self) -> None:
        hint = "Give the base address, such as https://host/v1."
        plain = self.url.isascii() and self.url.isprintable() and " " not in self.url
        need(plain and _is_address(self.url), "url", "another", "an http:// or https:// address", hint)
        parts = urlsplit(self.url)
        need(parts.username is None and parts.password is None, "url", "one that has them", "without name and password")
        need(not parts.query and not parts.fragment, "url", "one that has them", "without query and fragment", hint)
        need(bool(self.model) and self.model.isprintable(), "model", "another", "the name of a model")
        need(0 < self.timeout <= 3600, "timeout", self.timeout, "> 0 and <= 3600 seconds")
        need(1 <= self.tries <= 100, "tries", self.tries, "from 1 to 100")
        need(0 <= self.pause <= 60, "pause", self.pause, "from 0 to 60 seconds")

    @property
    def host(self) -> str:
        """The host of the address, as messages name it."""
        return urlsplit(self.url).netloc

    def ask(self, messages: Sequence[Message], most_characters: int) -> str:
        """The answer to a question.

        Raises EndpointError: no answer in all tries, one that is refused, or one that is not as asked.
        """
        body = {
            "model": self.model,
            "messages": [message._asdict() for message in messages],
            "temperature": 0,
            "max_tokens": max(64, most_characters),
            "stream": False,
        }
        data = json.dumps(body, ensure_ascii=True).encode("ascii")
        headers = {"Content-Type": "application/json", "Accept": "application/json", **_key()}
        got = ""
        for turn in range(self.tries):
            try:
                return self._content(self._answer(data, headers, 16 * most_characters + (1 << 16)), most_characters)
            except _Unanswered as missing:
                got, wait = str(missing), missing.wait
            if turn + 1 < self.tries:
                sleep(min(_LONGEST_WAIT, max(wait, self.pause * 2**turn)))
        error = EndpointError(
            f"the endpoint {self.host} must answer within {self.timeout:g} s; got {got} in {self.tries} tries. "
            "Try again later, or correct its address."
        )
        error.answered = False
        raise error

    def _answer(self, data: bytes, headers: dict[str, str], most_bytes: int) -> bytes:
        """The body of an answer, whole.

        It is waited for in another thread: nothing else can cut the looking up of a name short. Raises _Unanswered:
        there is none, or one that says to try again; EndpointError: it is refused, or too long.
        """
        came: list[bytes | Exception] = []

        def exchange() -> None:
            try:
                came.append(self._exchanged(data, headers, most_bytes))
            except Exception as error:
                came.append(error)

        asking = threading.Thread(target=exchange, name="textveil-endpoint", daemon=True)
        asking.start()
        asking.join(self.timeout + _GRACE)
        (answer, *_) = came or [_Unanswered("none in time")]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _exchanged(self, data: bytes, headers: dict[str, str], most_bytes: int) -> bytes:
        connection, path = _connection(urlsplit(self.url), self.timeout)
        opened: list[socket.socket] = []  # a connection forgets its socket when the service means to close it
        late = threading.Event()
        watch = threading.Timer(self.timeout, _cut, (connection, opened, late))
        watch.daemon = True
        watch.start()
        try:
            connection.connect()
            opened.append(connection.sock)
            connection.request("POST", path, body=data, headers={**headers, "User-Agent": f"textveil/{VERSION}"})
            with connection.getresponse() as response:
                if response.status in _AGAIN:
                    raise _Unanswered(f"status {response.status}", _seconds(response.getheader("Retry-After")))
                if response.status != http.client.OK:
                    raise self._refusal("status 200", f"{response.status}", "Check address, model and key.")
                body = response.read(most_bytes + 1)
                missing = response.length
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, EndpointError):
                raise
            raise _Unanswered("none in time" if late.is_set() else type(error).__name__) from None
        finally:
            watch.cancel()
            connection.close()
        if late.is_set():
            raise _Unanswered("none in time")
        if missing and len(body) <= most_bytes:  # bytes that it announced and did not send
            raise _Unanswered("a part")
        if len(body) > most_bytes:
            raise self._refusal(f"at most {most_bytes} bytes", "more", "Its model does not do what it is told.")
        return body

    def _content(self, answer: bytes, most_characters: int) -> str:
        try:
            (choice, *_) = json_data(answer)["choices"]
            content, reason = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            got = "another" if not isinstance(error, ValueError) else "no such JSON"
            raise self._refusal("a chat completion", got, "Is the address that of such a service?") from None
        if not isinstance(content, str):
            raise self._refusal("a chat completion with text", "one without", "Choose another model.")
        if reason not in _DONE:
            raise self._refusal("a whole answer", "one that was cut off", "Choose another model.")
        if len(content) > most_characters:
            got = "one that is longer"
            raise self._refusal(f"an answer of at most {most_characters} characters", got, "Choose another model.")
        return content

    def _refusal(self, wanted: str, got: str, hint: str) -> EndpointError:
        return EndpointError(f"the endpoint {self.host} must give {wanted}; got {got}. {hint}")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port or an IPv6 address that is none
        return False


def _connection(parts: SplitResult, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    path = parts.path.rstrip("/") + "/chat/completions"
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=context), path
    return http.client.HTTPConnection(host, parts.port, timeout=timeout), path


def _cut(connection: http.client.HTTPConnection, opened: list[socket.socket], late: threading.Event) -> None:
    """End a connection whose time is up, whatever it is waiting for."""
    late.set()
    for held in (*opened, connection.sock):
        if held is not None:
            with contextlib.suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)


def _key() -> dict[str, str]:
    if not (key := os.environ.get(ENDPOINT_KEY, "").strip()):
        return {}
    if not (key.isascii() and key.isprintable()):
        raise EndpointError(
            f"the key in {ENDPOINT_KEY} must be of printable ASCII characters; got others. Set it again."
        )
    return {"Authorization": f"Bearer {key}"}


def _seconds(value: str | None) -> float:
    return float(value) if value is not None and value.isascii() and value.isdigit() else 0.0
