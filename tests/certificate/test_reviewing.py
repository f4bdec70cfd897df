"""The server of a review: pages of the draw, marks kept at once, and nobody but this browser answered."""

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.certificate.marked import begun
from tests.helpers.browsers import browser

from textveil.certificate.certify import Found
from textveil.certificate.marks import Guess, Marks, Period, Span
from textveil.certificate.reviewing import Review, ReviewServer
from textveil.detection.kinds import GROUPS
from textveil.errors import ParameterError
from textveil.pages.rendering import marking_page

KINDS = ("person", "date")
ORIGINALS = [f"\U0001f600 Note {number}: Maria met Quux on Monday." for number in range(6)]
TEXTS = [(text, text.replace("Maria", "Johanna")) for text in ORIGINALS]


def find(text: str) -> Found:
    maria, monday = text.index("Maria"), text.index("Monday")
    return Found((Span(maria, maria + 5, "person"),), (Guess(monday, monday + 6, "date", 0.25),))


Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def marks(tmp_path: Path) -> Marks:
    return begun(tmp_path / "m.jsonl", len(TEXTS))


@pytest.fixture
def server(marks: Marks) -> Iterator[ReviewServer]:
    page = marking_page(KINDS, GROUPS)
    review = Review(marks, TEXTS, find, kinds=KINDS, reviewer="ann", target=0.01)
    with ReviewServer(review, page.html, page.digests) as started:
        thread = threading.Thread(target=started.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield started
        started.shutdown()
        thread.join()


@pytest.fixture
def ask(server: ReviewServer) -> Ask:
    """Send a request as the page does, or with other headers; return the status and the data."""

    def send(place: str, data: Any = None, headers: Mapping[str, str] = {}, secret: str = "") -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        sent = {"Origin": f"http://{server.host}", **headers}
        method, body = ("GET", None) if data is None else ("POST", data if isinstance(data, str) else json.dumps(data))
        connection.request(method, f"/{secret or server.secret}/{place}", body, sent)
        reply = connection.getresponse()
        content = reply.read()
        connection.close()
        return reply.status, json.loads(content) if content.startswith(b"{") else content

    return send


def mark_of(page: Mapping[str, Any], missed: Sequence[Any] = (), wrong: Sequence[Any] = ()) -> dict[str, Any]:
    return {"page": page["page"], "missed": missed, "wrong": wrong}


def test_pages_come_in_the_order_of_the_draw_and_marks_are_kept_at_once(ask: Ask, marks: Marks) -> None:
    _, page = ask("page")
    order, seen = marks.design.draw.pages, []
    while page["page"] is not None:
        seen.append(page["page"])
        number = page["page"] - 1
        assert page["pieces"][1] == ["Maria", "Johanna", [[0, 5, "person"]]]
        assert page["pieces"][3] == ["Monday", "date"]
        quux = ORIGINALS[number].index("Quux")
        status, page = ask("mark", mark_of(page, [[quux, quux + 4, "person"]], [list(find(ORIGINALS[number])[0][0])]))
        assert status == 200 and len(Marks(marks.path).by_page) == len(seen)
    assert tuple(seen) == order
    ((mark,), *_) = Marks(marks.path).read_pages()
    assert (mark.verdict, mark.found, len(mark.wrong)) == ("missed", {"person": 1}, 1)
    assert [guess[2:] for guess in mark.guesses] == [("date", 0.25)]
    assert ask("standing")[1]["said"][0] == "6 of 6 documents read"


def test_the_page_before_is_corrected(ask: Ask, marks: Marks) -> None:
    _, first = ask("page")
    _, second = ask("mark", mark_of(first, [[2, 6, "date"]]))
    _, again = ask("mark", {"back": True})
    assert (again["page"], again["missed"]) == (first["page"], [[2, 6, "date"]])
    _, third = ask("mark", mark_of(again))
    assert third["page"] == second["page"]
    assert Marks(marks.path).read_pages()[0][0].verdict == "fine"


@pytest.mark.parametrize(
    "changes",
    [
        {"page": 99},
        {"page": "1"},
        {"missed": [[0, 900, "person"]]},
        {"missed": [[0, 4, "crew"]]},
        {"missed": [[4, 0, "person"]]},
        {"missed": [[0, 4, "person"], [2, 6, "person"]]},
        {"missed": None},
        {"wrong": [[0, 4, "person"]]},
    ],
)
def test_what_is_no_mark_of_a_shown_page_is_refused(ask: Ask, marks: Marks, changes: dict) -> None:
    _, page = ask("page")
    status, answer = ask("mark", mark_of(page) | changes)
    assert status == 409 and answer["error"].count("\n") == 0
    assert Marks(marks.path).by_page == {}


@pytest.mark.parametrize("body", ["[]", "{", "\\" * 40])
def test_what_is_no_object_is_refused(ask: Ask, body: str) -> None:
    assert ask("mark", body)[0] == 409


def test_others_are_refused(ask: Ask, server: ReviewServer, marks: Marks) -> None:
    _, page = ask("page")
    mark = mark_of(page)
    assert ask("", secret="guess")[0] == ask("page", secret="guess")[0] == 404
    assert ask("page", headers={"Host": f"evil.example:{server.server_port}"})[0] == 404
    assert ask("mark", mark, headers={"Host": f"evil.example:{server.server_port}"})[0] == 404
    assert ask("mark", mark, headers={"Origin": "http://evil.example"})[0] == 403
    assert ask("mark", mark, headers={"Origin": "null"})[0] == 403
    assert ask("mark", mark, secret="guess")[0] == 404
    assert ask("other")[0] == 404
    assert server.server_address[0] == "127.0.0.1" and len(server.secret) >= 32
    assert Marks(marks.path).by_page == {}


def test_a_file_of_marks_that_is_gone_ends_the_review(ask: Ask, server: ReviewServer, marks: Marks) -> None:
    _, page = ask("page")
    marks.path.unlink()
    status, answer = ask("mark", mark_of(page))
    assert status == 500 and "must be" in answer["error"]
    assert server.failure is not None


def test_what_a_server_did_not_replace_is_shown_as_it_stays_and_can_be_missed(marks: Marks, tmp_path: Path) -> None:
    original = "We moved Quux.\n\nMr. Quux rang."
    found = Found((Span(9, 13, "person"), Span(20, 24, "person")), ())
    pairs = [(original, "We moved Quux.\n\nMr. Lee rang.")] * len(TEXTS)
    sampled = Marks.begun(tmp_path / "s.jsonl", replace(marks.design, sampled=Period("2026-11-01", "2026-11-02", 0.5)))
    review = Review(sampled, pairs, lambda text: found, kinds=KINDS, reviewer="ann", target=0.01)
    page = review.page()
    assert page["pieces"][1:4] == [["Quux", "person"], ".\n\nMr. ", ["Quux", "Lee", ((0, 4, "person"),)]]
    with pytest.raises(ParameterError, match="wrong"):
        review.answer(mark_of(page, wrong=[[9, 13, "person"]]))
    review.answer(mark_of(page, missed=[[9, 13, "person"]]))
    (mark,) = (each["ann"] for each in sampled.by_page.values())
    assert mark.missed == (Span(9, 13, "person"),) and mark.found == {"person": 1}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium: Any, server: ReviewServer) -> Iterator[Any]:
    """The page, open; whatever it complains about fails the test."""
    context = chromium.new_context()
    opened = context.new_page()
    told: list[str] = []
    opened.on("console", lambda message: told.append(message.text))
    opened.on("pageerror", lambda error: told.append(str(error)))
    opened.goto(server.address)
    opened.wait_for_selector("#original mark")
    yield opened
    assert told == []
    context.close()


def wait(page: Any, selector: str, text: str) -> None:
    """Wait until an element begins with a text."""
    page.locator(selector, has_text=re.compile(f"^{re.escape(text)}")).wait_for()


def choose(page: Any, word: str) -> None:
    """Select a word of the original."""
    page.evaluate(
        """word => {
        const walker = document.createTreeWalker(document.querySelector("#original"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(word);
            const node = walker.currentNode;
            if (at >= 0) return getSelection().setBaseAndExtent(node, at, node, at + word.length);
        }
    }""",
        word,
    )
    wait(page, "#chosen", word)


def test_keys_mark_missed_and_wrong_values_and_go_on(page: Any, marks: Marks) -> None:
    order = marks.design.draw.pages
    assert page.inner_text("#record") == f"Record {order[0]}"
    choose(page, "Quux")
    page.keyboard.press("m")
    choose(page, "Maria")
    page.keyboard.press("m")  # it was replaced: nothing is missed
    page.keyboard.press("w")
    choose(page, "Note")
    page.keyboard.press("m")
    page.keyboard.press("u")
    assert page.locator("#original .to-hide").all_text_contents() == ["Quux"]
    page.keyboard.press("f")
    wait(page, "#record", f"Record {order[1]}")
    assert page.locator("#original .to-hide").count() == 0
    page.keyboard.press("f")
    wait(page, "#record", f"Record {order[2]}")
    wait(page, "#said", "2 of 6 documents read; with 95 %")
    ((first,), (second,)) = Marks(marks.path).read_pages()
    text = ORIGINALS[order[0] - 1]
    assert [(text[span.start : span.end], span.kind) for span in first.missed] == [("Quux", "person")]
    assert [text[span.start : span.end] for span in first.wrong] == ["Maria"]
    assert second.verdict == "fine"


def test_back_shows_what_was_marked(page: Any, marks: Marks) -> None:
    choose(page, "Quux")
    page.keyboard.press("m")
    page.keyboard.press("f")
    page.wait_for_selector("#back[aria-disabled=false]")
    page.keyboard.press("b")
    page.wait_for_selector("#original .to-hide")
    assert page.locator("#original .to-hide").all_text_contents() == ["Quux"]


def test_stop_ends_the_review(page: Any, server: ReviewServer) -> None:
    page.click("#end")
    wait(page, "#said", "Stopped")
