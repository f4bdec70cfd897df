"""Repair of releases by a language model behind an endpoint that speaks OpenAI's protocol of chat completions.

Post-processing: a request holds lines of releases and public facts about the mechanism. An answer that does not have a
line for each numbered line, and nothing more, is not used. A request goes straight to the address: no redirect, no
proxy, so nobody else gets the key or the text; it has one deadline over all, and an answer has a greatest length.
"""

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import sleep
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from textveil.environment import ENDPOINT_KEY
from textveil.errors import EndpointError, need
from textveil.json_text import json_data
from textveil.mechanisms.kinds import Described
from textveil.types import Progress
from textveil.version import VERSION

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


"""Answers after which the same question may be answered a little later."""

_LONGEST_WAIT: Final = 30.0

_GRACE: Final = 0.5


"""Seconds that a connection has to end when its time is up."""

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
    """Where a service is asked, and how patiently.

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

        It is waited for in another thread: nothing else can cut the looking up of a name short.

        Raises _Unanswered: there is none, or one that says to try again; EndpointError: it is refused, or too long.
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
    key = os.environ.get(ENDPOINT_KEY, "").strip()
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()):
        raise EndpointError(
            f"the key in {ENDPOINT_KEY} must be of printable ASCII characters; got others. Set it again."
        )
    return {"Authorization": f"Bearer {key}"}


def _seconds(value: str | None) -> float:
    """What ``Retry-After`` asks for, where it is a number of seconds."""
    return float(value) if value is not None and value.isascii() and value.isdigit() else 0.0


LINES: Final = 20


"""Lines of a request, at most."""

_CHARACTERS: Final = 4000


"""Characters after which a request takes no further line."""

_WORKERS: Final = 4


"""Requests that are under way at once."""

REPAIRING: Final = (
    "Every line of the user's message was released with differential privacy, {facts}. Each word was replaced at "
    "random by a word of a public vocabulary: by itself, by one of similar meaning, or now and then by any other. "
    "Digits were replaced at random too. Punctuation and the number of words were kept. For each line, write the text "
    "that it most probably was before: keep words that fit, replace words that do not, add nothing. Answer with the "
    "same numbers and one line for each, as in '1: text', and with nothing else."
)

REWRITING: Final = (
    "Every line of the user's message is a public sentence, or was written by a simple model. For each line, write a "
    "fluent sentence on the same topic, about as long: keep the words that show the topic, name no real person. Answer "
    "with the same numbers and one line for each, as in '1: text', and with nothing else."
)


"""Another task than repair."""

_NUMBERED: Final = re.compile(r"(\d+): ?(.*)")


class RepairedTexts(NamedTuple):
    """What came of a repair."""

    texts: list[str]  # one for each that was given; lines that were not repaired are as they were
    kept: int  # lines that were asked for and are as they were given
    problem: str  # why, in one line; empty where all went well


def channel_facts(mechanism: Described) -> str:
    """What is public about a mechanism, in a few words."""
    return f"by the mechanism {mechanism.name} with the guarantee {mechanism.guarantee} for each word"


def repair_texts(
    texts: Sequence[str], endpoint: Endpoint, facts: str, *, workers: int = _WORKERS, progress: Progress | None = None
) -> RepairedTexts:
    """Released texts as a language model behind an endpoint would have written them; never fails for its sake.

    ``facts``: public facts about the mechanism, in words (``channel_facts``); sent with every request. Raises
    ParameterError: ``workers`` is below one, or a text is no string.
    """
    repairer = TextRepairer(endpoint, facts, workers=workers, progress=progress)
    return RepairedTexts(repairer.texts(texts), repairer.kept, repairer.problem)


class TextRepairer:
    """Repairs the texts of one mechanism, some after others; see ``repair_texts``. Or does another task on lines.

    After a request without any answer the endpoint is not asked again.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        facts: str,
        *,
        task: str = REPAIRING,
        workers: int = _WORKERS,
        progress: Progress | None = None,
    ) -> None:
        need(workers >= 1, "workers", workers, ">= 1")
        self._endpoint, self._system = endpoint, task.format(facts=facts)
        self._workers, self._progress = workers, progress
        self._down = threading.Event()
        self._first = ""
        self._lines = 0
        self.kept = 0

    @property
    def problem(self) -> str:
        """What went wrong first, and how many lines were not repaired, in one line; empty where nothing did."""
        if not self._first:
            return ""
        return f"{self.kept} of {self._lines} lines stay as they were released: {self._first}"

    def texts(self, texts: Sequence[str], numbers: Sequence[int] | None = None) -> list[str]:
        """Each text repaired, or with the lines that were not as they are; ``numbers`` is not needed."""
        need(all(isinstance(text, str) for text in texts), "texts", "others", "strings")
        split = [text.split("\n") for text in texts]
        places = [(row, at) for row, lines in enumerate(split) for at, line in enumerate(lines) if line.strip()]
        self._lines += len(places)
        where, done = iter(places), 0
        with ThreadPoolExecutor(self._workers, thread_name_prefix="textveil-repair") as pool:
            batches = list(_batches([split[row][at] for row, at in places]))
            for lines, answer in zip(batches, pool.map(self._asked, batches), strict=True):
                if isinstance(answer, EndpointError):
                    self._first = self._first or str(answer)
                    self.kept += len(lines)
                    answer = lines
                for line in answer:
                    row, at = next(where)
                    split[row][at] = line
                done += len(lines)
                if self._progress is not None:
                    self._progress(done, len(places))
        return ["\n".join(lines) for lines in split]

    def _asked(self, lines: list[str]) -> list[str] | EndpointError:
        if self._down.is_set():
            return EndpointError(f"the endpoint {self._endpoint.host} did not answer before.")
        try:
            return _repaired(lines, self._endpoint, self._system)
        except EndpointError as error:
            if not error.answered:
                self._down.set()
            return error


def request_messages(lines: Sequence[str], system: str) -> list[Message]:
    """The whole of what is sent for some lines, beside the model's name and limits of the answer."""
    numbered = [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1)]
    return [Message("system", system), Message("user", "\n".join(numbered))]


def _repaired(lines: list[str], endpoint: Endpoint, system: str) -> list[str]:
    """The lines as an endpoint gives them back. Raises EndpointError: it does not, or gives something else."""
    most = sum(_longest(line) + 8 for line in lines)
    answer = endpoint.ask(request_messages(lines, system), most)
    numbered = [_NUMBERED.fullmatch(line.strip()) for line in answer.strip().split("\n")]
    numbers = [match and match[1] for match in numbered]
    if numbers != [str(number) for number in range(1, len(lines) + 1)]:
        got = f"{len(numbered)} lines" if len(numbered) != len(lines) else "lines without their numbers"
        raise _refusal(endpoint, f"{len(lines)} numbered lines", got)
    repaired = [match[2].strip() for match in numbered if match is not None]
    for line, new in zip(lines, repaired, strict=True):
        if not new or len(new) > _longest(line):
            raise _refusal(endpoint, "lines about as long as they were", "an empty or a longer one")
        if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in new):
            raise _refusal(endpoint, "lines of plain text", "control characters")
    return [_in_place(line, new) for line, new in zip(lines, repaired, strict=True)]


def _longest(line: str) -> int:
    """Characters that a repaired line may have: more than twice as many would be more than was asked for."""
    return 2 * len(line.strip()) + 40


def _in_place(line: str, new: str) -> str:
    content = line.lstrip()
    return line[: len(line) - len(content)] + new + content[len(content.rstrip()) :]


def _refusal(endpoint: Endpoint, wanted: str, got: str) -> EndpointError:
    return EndpointError(f"the endpoint {endpoint.host} must give {wanted}; got {got}. Choose another model.")


def _batches(lines: Sequence[str]) -> Iterator[list[str]]:
    held: list[str] = []
    for line in lines:
        if held and (len(held) == LINES or sum(map(len, held)) + len(line) > _CHARACTERS):
            yield held
            held = []
        held.append(line)
    if held:
        yield held
