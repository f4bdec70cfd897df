"""A language model as attacker: what it is sent, how its answers are read, and what happens if there are none."""

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from tests.helpers.endpoints import EndpointServer, completion, send

from textveil.errors import EndpointError, InputError, ParameterError
from textveil.models.endpoint import Endpoint
from textveil.risk.attack import risk
from textveil.risk.language_model import Estimate, ModelAttack
from textveil.risk.page import to_html
from textveil.statistics import clopper_pearson

NAMES = [f"Name{number}son" for number in range(30)]
ORIGINALS = [f"{name} secret{number}word has a boat, {number} cats and a lamp." for number, name in enumerate(NAMES)]
RELEASED = [f"Somebody has a boat, {number} cats and a lamp." for number in range(30)]
PUBLIC = [f"{name} is known for {number} cats." for number, name in enumerate(NAMES)]
MARK = re.compile(r"secret|Somebody")


@pytest.fixture
def server() -> Iterator[EndpointServer]:
    with EndpointServer() as server:
        yield server


def answering(answer: Callable[[str, list[str]], str]) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """A service that answers by the text and the candidates' lines."""

    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        text, _, lines = body["messages"][1]["content"].partition("\n</text>\n\n")
        send(handler, completion(answer(text.removeprefix("<text>\n"), lines.split("\n"))))

    return reply


def reader(text: str, lines: list[str]) -> str:
    """The right person and the one before, by the number of cats; a shortlist may lack the person."""
    cats = re.findall(r"\d+", text)[0]
    right = [line.split(":")[0] for line in lines if line.endswith(f" {cats} cats.")]
    return ", ".join([*right, "1" if right != ["1"] else "2"])


def attack(server: EndpointServer, **options: Any) -> ModelAttack:
    return ModelAttack(endpoint=Endpoint(url=server.url, model="tiny", timeout=5.0, pause=0.0), **options)


def test_only_releases_and_public_texts_are_sent(server: EndpointServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word of every request is in the releases, the public texts or the task; policies are not attacked so."""
    monkeypatch.setenv("TEXTVEIL_ENDPOINT_KEY", "k-1")
    server.reply = answering(reader)
    report = risk(RELEASED, ORIGINALS, PUBLIC, ["identifiers"], model=attack(server), rng=np.random.default_rng(3))
    assert len(server.asked) == 30
    allowed = {" ".join(text.split()) for text in (*RELEASED, *PUBLIC)}
    for _, headers, body in server.asked:
        assert set(body) == {"model", "messages", "temperature", "max_tokens", "stream"}
        assert headers["Authorization"] == "Bearer k-1"
        _, user = body["messages"]
        text, *lines = user["content"].removeprefix("<text>\n").replace("\n</text>\n", "").split("\n")
        assert text in allowed and all(re.sub(r"^\d+: ", "", line) in allowed for line in lines)
        assert "secret" not in json.dumps(body)
        assert len(lines) == 20
    assert len({body["messages"][0]["content"] for _, _, body in server.asked}) == 1
    assert report.by_model is not None and report.by_model.requests == 30


def test_shares_and_intervals_are_those_of_the_other_attackers(server: EndpointServer) -> None:
    server.reply = answering(reader)
    report = risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server), rng=np.random.default_rng(3))
    assert report.by_model is not None
    found = report.by_model.linkage
    assert (found.attacker, found.against, found.records, found.candidates) == ("language model", "background", 30, 30)
    named = round(found.top1 * 30)
    assert named >= 20
    assert (found.low, found.high) == clopper_pearson(named, 30, 0.95)[::2]
    data = report.to_data()
    assert data["linkage"][-1]["attacker"] == "language model" and data["linkage"][-1]["originals"] is None
    assert data["strongest"][1]["top1"] >= found.top1
    host = attack(server).endpoint.host
    assert data["language_model"] == {"model": "tiny", "host": host, "requests": 30, "unanswered": 0}
    page = to_html(report)
    assert "was sent 30 releases, each with what is publicly known of 20 persons, and no original" in page
    assert "not sent" in page


def test_model_that_cannot_tell_is_an_attacker_who_guesses(server: EndpointServer) -> None:
    server.reply = answering(lambda text, lines: "0")
    found = risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server)).by_model
    assert found is not None
    assert found.linkage.top1 == pytest.approx(1 / 30) and found.unanswered == 0


def test_always_the_first_person_is_chance(server: EndpointServer) -> None:
    """Candidates are in random order: P(at least 9 of 30 | 1/20) < 1e-4."""
    server.reply = answering(lambda text, lines: "1")
    found = risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server)).by_model
    assert found is not None and found.linkage.top1 * 30 < 9


@pytest.mark.parametrize(
    "answer", ["Person 3", "3, 3", "21", "0, 1", "-1", "1, 2, 3, 4, 5, 6", "1;2", "1.", "\u0663", "", "1\n2"]
)
def test_answers_of_another_form_are_counted_and_not_read(server: EndpointServer, answer: str) -> None:
    server.reply = answering(lambda text, lines: reader(text, lines) if " 7 " in text else answer)
    report = risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server), rng=np.random.default_rng(3))
    assert report.by_model is not None and report.by_model.unanswered == 29
    assert report.by_model.linkage.top1 == pytest.approx((1 + 29 / 30) / 30)
    assert any("another form for 29 of 30 records" in line for line in report.warnings)


def test_requests_are_bounded_and_estimated_before_the_first(server: EndpointServer) -> None:
    told: list[tuple[Estimate, int]] = []
    server.reply = answering(reader)
    model = attack(server, requests=8, before=lambda estimate: told.append((estimate, len(server.asked))))
    persons = [number // 2 for number in range(30)]
    found = risk(RELEASED, ORIGINALS, PUBLIC, model=model, persons=persons).by_model
    assert found is not None
    assert len(server.asked) == found.requests == found.linkage.records == found.linkage.persons == 8
    assert found.linkage.candidates == 15
    ((estimate, before),) = told
    sent = sum(len(message["content"]) for _, _, body in server.asked for message in body["messages"])
    assert (before, estimate.requests, estimate.tokens) == (0, 8, sent // 4)


def test_service_without_one_valid_answer_is_an_error(server: EndpointServer) -> None:
    server.reply = answering(lambda text, lines: "I would rather not.")
    with pytest.raises(EndpointError, match="must answer with numbers") as error:
        risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server))
    assert not MARK.search(str(error.value))


def test_refusal_stops_after_one_request_and_silence_after_all_tries(server: EndpointServer) -> None:
    server.reply = lambda handler, body: send(handler, b"{}", status=401)
    with pytest.raises(EndpointError, match="got 401"):
        risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server))
    assert len(server.asked) == 1
    server.reply = lambda handler, body: send(handler, b"{}", status=503)
    with pytest.raises(EndpointError, match="in 3 tries"):
        risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server))
    assert len(server.asked) == 4


def test_busy_service_is_asked_again(server: EndpointServer) -> None:
    good, seen = answering(reader), [0]

    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        seen[0] += 1
        if seen[0] == 1:
            send(handler, b"{}", status=429)
        else:
            good(handler, body)

    server.reply = reply
    found = risk(RELEASED, ORIGINALS, PUBLIC, model=attack(server)).by_model
    assert found is not None and found.requests == 30 and seen[0] == 31


@pytest.mark.parametrize("public", [None, [*PUBLIC[:-1], ORIGINALS[3]], [f"known: {ORIGINALS[0]}", *PUBLIC[1:]]])
def test_background_with_originals_and_none_are_refused_before_anything_is_sent(
    server: EndpointServer, public: list[str] | None
) -> None:
    with pytest.raises(InputError, match="language model is asked"):
        risk(RELEASED, ORIGINALS, public, model=attack(server))
    assert not server.asked


def test_release_in_which_nothing_was_changed_may_be_public(server: EndpointServer) -> None:
    server.reply = answering(lambda text, lines: "1")
    same = [*RELEASED[:-1], ORIGINALS[-1]]
    assert risk(same, ORIGINALS, [*PUBLIC[:-1], ORIGINALS[-1]], model=attack(server)).by_model is not None


def test_no_request_at_all_is_refused(server: EndpointServer) -> None:
    with pytest.raises(ParameterError, match="limit_requests must be >= 1"):
        attack(server, requests=0)
