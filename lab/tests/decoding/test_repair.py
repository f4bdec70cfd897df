"""Repair by an endpoint, against a real HTTP server on this machine: up, down, slow, wrong, too long."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from tests.helpers.endpoints import EndpointServer, completion, send
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.environment import ENDPOINT_KEY
from textveil.errors import EndpointError, ParameterError
from textveil.models.endpoint import Endpoint, Message
from textveil_lab.decoding.text_repair import REPAIRING, channel_facts, repair_texts

FACTS = "by the mechanism neighborhood with the guarantee 8-DP for each word"
TEXTS = ["hello wurld.\n  the cat sit  \n", "", "on mat"]


def corrected(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    lines = body["messages"][1]["content"]
    send(handler, completion(lines.replace("wurld", "world").replace("sit", "sat").replace("mat", "the mat")))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    monkeypatch.delenv(ENDPOINT_KEY, raising=False)
    with EndpointServer() as made:
        made.reply = corrected
        yield made


def endpoint(server: EndpointServer, **options: Any) -> Endpoint:
    return Endpoint(url=server.url, model="tiny", **{"timeout": 5.0, "pause": 0.0, **options})


def test_lines_come_back_repaired_in_their_places(server: EndpointServer) -> None:
    done: list[tuple[int, int | None]] = []
    found = repair_texts(TEXTS, endpoint(server), FACTS, progress=lambda now, whole: done.append((now, whole)))
    assert found.texts == ["hello world.\n  the cat sat  \n", "", "on the mat"]
    assert (found.kept, found.problem) == (0, "")
    assert done == [(3, 3)]
    assert len(server.asked) == 1


def test_a_request_holds_the_release_and_public_facts_alone(
    server: EndpointServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINT_KEY, "secret-key")
    repair_texts(TEXTS, endpoint(server), FACTS)
    ((path, headers, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret-key"
    assert set(headers) == {
        "Host",
        "Accept-Encoding",
        "Content-Type",
        "Content-Length",
        "Accept",
        "Authorization",
        "User-Agent",
    }
    assert set(body) == {"model", "messages", "temperature", "max_tokens", "stream"}
    assert (body["model"], body["temperature"], body["stream"]) == ("tiny", 0, False)
    system, user = body["messages"]
    assert [system["role"], user["role"]] == ["system", "user"]
    assert user["content"] == "1: hello wurld.\n2: the cat sit\n3: on mat"
    assert FACTS in system["content"]
    assert system["content"] == REPAIRING.format(facts=FACTS)


def test_without_a_key_none_is_sent(server: EndpointServer) -> None:
    repair_texts(TEXTS, endpoint(server), FACTS)
    assert "Authorization" not in server.asked[0][1]


def test_many_lines_are_parted_and_put_together(server: EndpointServer) -> None:
    texts = [f"line {number} mat" + " word" * (number % 7) * 40 for number in range(95)]
    found = repair_texts(texts, endpoint(server), FACTS, workers=3)
    assert found.texts == [text.replace("mat", "the mat") for text in texts]
    assert len(server.asked) > 5
    assert all(len(body["messages"][1]["content"]) < 6000 for _, _, body in server.asked)
    assert all(body["messages"][1]["content"].count("\n") < 20 for _, _, body in server.asked)


def with_content(content: Any, reason: str = "stop") -> Callable[..., None]:
    return lambda handler, body: send(handler, completion(content, reason))


def with_data(data: bytes, status: int = 200, **headers: str) -> Callable[..., None]:
    return lambda handler, body: send(handler, data, status, **headers)


WRONG = {
    "no JSON": (with_data(b"<html>"), "a chat completion; got no such JSON"),
    "deep JSON": (with_data(b"[" * 50_000), "a chat completion"),
    "not UTF-8": (with_data(b"\xff\xfe{}"), "a chat completion"),
    "a list": (with_data(b"[]"), "a chat completion"),
    "no choices": (with_data(b'{"choices": []}'), "a chat completion"),
    "missing choices": (with_data(b"{}"), "a chat completion; got another"),
    "choices of another kind": (with_data(b'{"choices": ["text"]}'), "a chat completion"),
    "no text": (with_content(None), "a chat completion with text; got one without"),
    "cut off": (with_content("1: hello", "length"), "a whole answer; got one that was cut off"),
    "one line less": (with_content("1: hello\n2: the cat"), "3 numbered lines; got 2 lines"),
    "one line more": (with_content("1: a\n2: b\n3: c\n4: d"), "3 numbered lines; got 4 lines"),
    "chatter": (with_content("Sure! Here:\n1: a\n2: b"), "3 numbered lines; got lines without their numbers"),
    "other order": (with_content("2: b\n1: a\n3: c"), "3 numbered lines; got lines without their numbers"),
    "an empty line": (with_content("1: a\n2:\n3: c"), "lines about as long as they were; got an empty or a longer one"),
    "a long line": (with_content("1: a\n2: b\n3: " + "c" * 60), "lines about as long as they were"),
    "long text": (with_content("1: a\n2: b\n3: " + "c " * 400), "an answer of at most 202 characters"),
    "control characters": (with_content("1: a\x1b[31m\n2: b\n3: c"), "lines of plain text; got control characters"),
    "refused key": (with_data(b'{"error": "bad key secret"}', 401), "status 200; got 401"),
    "elsewhere": (with_data(b"", 302, Location="http://127.0.0.1:9/"), "status 200; got 302"),
    "many bytes": (with_data(b" " * 200_000), "at most 68768 bytes; got more"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_leaves_the_release_as_it_is(server: EndpointServer, name: str) -> None:
    server.reply, wanted = WRONG[name]
    found = repair_texts(TEXTS, endpoint(server), FACTS)
    assert found.texts == TEXTS
    assert found.kept == 3
    assert found.problem.startswith("3 of 3 lines stay as they were released: the endpoint 127.0.0.1:")
    assert wanted in found.problem
    assert "\n" not in found.problem
    assert "secret" not in found.problem
    assert len(server.asked) == 1


def test_a_wrong_answer_for_some_lines_leaves_the_others_repaired(server: EndpointServer) -> None:
    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        wrong = "line 3 " in body["messages"][1]["content"]
        send(handler, completion("?")) if wrong else corrected(handler, body)

    server.reply = reply
    texts = [f"line {number} mat" for number in range(50)]
    found = repair_texts(texts, endpoint(server), FACTS)
    assert found.texts == texts[:20] + [text.replace("mat", "the mat") for text in texts[20:]]
    assert found.kept == 20
    assert found.problem.startswith("20 of 50 lines")


def test_an_endpoint_that_is_down_is_tried_and_then_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    waits: list[float] = []
    monkeypatch.setattr("textveil.models.endpoint.sleep", waits.append)
    nobody = Endpoint(url=f"http://127.0.0.1:{port}", model="tiny", timeout=5, tries=3, pause=0.5)
    texts = [f"line {number}" for number in range(100)]
    found = repair_texts(texts, nobody, FACTS, workers=1)
    assert found.texts == texts
    assert found.kept == 100
    assert "must answer within 5 s; got ConnectionRefusedError in 3 tries" in found.problem
    assert waits == [0.5, 1.0]  # the first request alone: the others are not tried any more


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(server: EndpointServer, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    waits: list[float] = []
    monkeypatch.setattr("textveil.models.endpoint.sleep", waits.append)

    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(handler, b"", status, Retry_After="7") if len(server.asked) < 3 else corrected(handler, body)

    server.reply = reply
    assert repair_texts(TEXTS, endpoint(server), FACTS).kept == 0
    assert waits == [7.0, 7.0]
    server.reply = with_data(b"", status, Retry_After="86400")
    found = repair_texts(TEXTS, endpoint(server, tries=2), FACTS)
    assert f"got status {status} in 2 tries" in found.problem
    assert waits[2:] == [30.0]


def slow_start(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(2)


def slow_headers(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    endless(handler, b"HTTP/1.1 200 OK\r\nX: ", b"x")


def slow_old_body(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    endless(handler, b"HTTP/1.0 200 OK\r\n\r\n", b" ")


def slow_body(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    endless(handler, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" ")


def endless(handler: BaseHTTPRequestHandler, start: bytes, byte: bytes) -> None:
    try:
        handler.wfile.write(start)
        for _ in range(40):
            handler.wfile.write(byte)
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass
    handler.close_connection = True


@pytest.mark.parametrize("reply", [slow_start, slow_headers, slow_body, slow_old_body])
def test_one_deadline_stands_over_a_whole_answer(server: EndpointServer, reply: Callable[..., None]) -> None:
    server.reply = reply
    found = repair_texts(TEXTS, endpoint(server, timeout=0.3, tries=1), FACTS)
    assert found.texts == TEXTS
    assert "must answer within 0.3 s; got none in time" in found.problem or "got TimeoutError" in found.problem
    assert "in 1 tries" in found.problem


def test_a_name_that_is_looked_up_for_ever_is_waited_for_no_longer(
    server: EndpointServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = threading.Event()

    def never(*arguments: object, **options: object) -> object:
        done.wait()
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", never)
    found = repair_texts(TEXTS, endpoint(server, timeout=0.1, tries=1), FACTS)
    done.set()
    assert found.texts == TEXTS
    assert "got none in time in 1 tries" in found.problem


def test_an_answer_that_breaks_off_is_none(server: EndpointServer) -> None:
    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
        handler.close_connection = True

    server.reply = reply
    found = repair_texts(TEXTS, endpoint(server, tries=2), FACTS)
    assert "got a part in 2 tries" in found.problem
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "url",
    [
        "host/v1",
        "ftp://host",
        "file:///etc/passwd",
        "http://",
        "http://host:port",
        "http://user:password@host",
        "http://host/v1?key=1",
        "http://ho st",
        "http://host/\r\nX: y",
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ParameterError, match=r"^url must be") as caught:
        Endpoint(url=url, model="tiny")
    assert "password" not in str(caught.value).replace("name and password", "")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"model": ""}, "model must be the name of a model"),
        ({"timeout": 0}, "timeout must be > 0"),
        ({"timeout": float("nan")}, "timeout must be > 0"),
        ({"tries": 0}, "tries must be from 1"),
        ({"pause": -1.0}, "pause must be from 0"),
    ],
)
def test_other_arguments_are_refused(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        Endpoint(**{"url": "http://host", "model": "tiny", **options})
    with pytest.raises(ParameterError, match="workers must be >= 1"):
        repair_texts(TEXTS, Endpoint(url="http://host", model="tiny"), FACTS, workers=0)


def test_a_key_that_no_header_can_hold_is_refused_without_repeating_it(
    server: EndpointServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINT_KEY, "hid\nden")
    with pytest.raises(EndpointError, match="must be of printable ASCII") as caught:
        endpoint(server).ask([Message("user", "1: a")], 100)
    assert "hid" not in str(caught.value)
    assert server.asked == []


def test_no_proxy_is_asked(server: EndpointServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert repair_texts(TEXTS, endpoint(server), FACTS).kept == 0


def test_facts_are_those_of_the_mechanism() -> None:
    facts = channel_facts(mechanism("randomized-response", made_vocabulary(8), epsilon=3.0))
    assert facts.startswith("by the mechanism randomized-response with the guarantee")
    assert "3" in facts
