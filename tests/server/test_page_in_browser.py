"""The page in a real browser: type, see what is found, release, restore; what goes wrong; for everybody."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.browsers import browser
from tests.helpers.servers import MemoryLedger, running, serving

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.sanitize.policy.choice import policy
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.keys import ApiKeys
from textveil.server.page import SAMPLE

NOTE = "\U0001f600 Maria Gonzalez, 44, was seen on 3 March 2024; call 617-555-0133."
VALUES = ["Maria Gonzalez", "44", "3 March 2024", "617-555-0133"]
WAIT = 60_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running(ledger=MemoryLedger()) as made:
        yield made


@contextlib.contextmanager
def shown(chromium: Any, client: httpx.Client, *, wants_key: bool = False, **options: Any) -> Iterator[Any]:
    """The page, ready; whatever it complains about, or asks of another place, fails the test."""
    context = chromium.new_context(**options)
    context.set_default_timeout(WAIT)
    page = context.new_page()
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(str(client.base_url))
    page.wait_for_selector("#outcomes li", state="attached")
    page.wait_for_selector(
        "#key-dialog" if wants_key else "#policy option", state="visible" if wants_key else "attached"
    )
    page.told, page.asked = told, asked
    try:
        yield page
        assert told == []
        assert all(url.startswith(str(client.base_url)) for url in asked)
        assert all(url.count("?") == url.count("/page/examples?epsilon=") for url in asked)
    finally:
        context.close()


def until(page: Any, expression: str) -> None:
    """Wait until it is true; the page's own rules keep a browser from doing that with a string."""
    give_up = time.monotonic() + WAIT / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < give_up, expression
        page.wait_for_timeout(20)


def wrote(page: Any, text: str, policy: str = "identifiers") -> None:
    page.select_option("#policy", policy)
    page.fill("#text", text)


def released(page: Any) -> str:
    page.click("#go")
    page.wait_for_selector("#copy:not([hidden])")
    page.wait_for_selector("#go[aria-disabled=false]")
    return str(page.inner_text("#release"))


def test_what_is_found_is_marked_while_one_writes(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        wrote(page, NOTE)
        page.wait_for_selector("#under mark")
        assert page.locator("#under mark").all_text_contents() == VALUES
        assert page.locator("#legend li").all_text_contents() == ["person 1", "age 1", "date 1", "phone 1"]
        assert "4 found" in page.inner_text("#found-words")
        page.focus("#text")
        page.keyboard.press("Control+Home")
        page.keyboard.type("So: ")  # before the server has answered again, marks have moved with their words
        assert page.locator("#under mark").all_text_contents() == VALUES
        wrote(page, NOTE, "all-words")
        until(page, "document.querySelector('#found-words').textContent.includes('whatever')")
        assert page.locator("#under mark").count() == 0


def test_a_release_stands_beside_its_text_and_goes_back(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        wrote(page, NOTE)
        out = released(page)
        assert out != NOTE and ", was seen on " in out
        assert page.locator("#release ins").count() == 4
        assert page.locator("#release del").all_text_contents() == VALUES
        assert not page.locator("#release del").first.is_visible()
        page.check("#compare")
        assert page.locator("#release del").first.is_visible()
        assert "learns nothing" in page.inner_text("#promise-lead")
        assert page.inner_text("#cost") == "\u03b5 0"
        name = page.locator("#release ins").first.inner_text()
        page.fill("#answer", f"Ask {name.upper()}, or <b>nobody</b>.")
        page.click("#restore")
        page.wait_for_selector("#restored .back")
        assert page.inner_text("#restored") == "Ask MARIA GONZALEZ, or <b>nobody</b>."
        assert page.inner_text("#restored-words") == "1 put back."
        page.click("#answer-own")
        until(page, "document.querySelectorAll('#restored .back').length === 4")
        assert page.inner_text("#restored") == NOTE
        other = name
        while set(other.split()) & set(name.split()):  # a name that was drawn twice by chance would stay as it is
            page.fill("#text", "Ask Tim Fox.")
            page.click("#go")
            until(page, "document.querySelectorAll('#release ins').length === 1")
            other = page.locator("#release ins").first.inner_text()
        page.fill("#answer", f"{name} and {other}")  # of the first release, and of the second
        page.click("#restore")
        until(page, "document.querySelector('#restored').innerText === 'Maria Gonzalez and Tim Fox'")


def test_what_is_copied_is_what_was_released(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client, permissions=["clipboard-read", "clipboard-write"]) as page:
        wrote(page, NOTE)
        out = released(page)
        page.check("#compare")
        page.evaluate("document.querySelectorAll('#release del').forEach(one => { one.style.userSelect = 'text'; })")
        page.evaluate("getSelection().selectAllChildren(document.querySelector('#release'))")
        page.keyboard.press("Control+c")
        assert page.evaluate("navigator.clipboard.readText()") == out
        page.evaluate("navigator.clipboard.writeText('')")
        page.click("#copy")
        assert page.evaluate("navigator.clipboard.readText()") == out


def test_words_that_were_drawn_are_compared_one_by_one(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        wrote(page, "Maria saw the doctor about her chest pain on Monday. " * 10, "all-words")
        released(page)
        assert page.locator("#release ins").count() > 0
        assert "of 100 words changed" in page.inner_text("#release-words")
        assert "2,990 times" in page.inner_text("#promise-lead")
        assert page.inner_text("#cost") == "\u03b5 800"
        assert not page.is_visible("#answer-section")


def test_markup_in_a_text_is_text(chromium: Any, client: httpx.Client) -> None:
    text = (
        "<img src=x onerror=alert(document.title)> <script>alert(document.title)</script> & Maria Gonzalez </textarea>"
    )
    with shown(chromium, client) as page:
        wrote(page, text)
        assert "<img src=x onerror=alert(document.title)> <script>alert(document.title)</script> &" in released(page)
        page.wait_for_selector("#under mark")
        assert page.locator("#release img, #release script, #under img, #under script").count() == 0


def test_all_is_done_by_keyboard(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # skips to the text
        assert page.evaluate("document.activeElement.id") == "text"
        page.keyboard.type("Ask Maria Gonzalez.")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#copy:not([hidden])")
        page.focus("#compare")
        page.keyboard.press("Space")
        assert page.locator("#release del").first.is_visible()
        page.focus("#epsilon")
        page.keyboard.press("End")
        until(page, "document.querySelector('#epsilon-shown').textContent === '\u03b5 12'")
        page.keyboard.press("ArrowLeft")  # 11 was not measured
        assert page.inner_text("#epsilon-shown") == "\u03b5 10"
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#epsilon-shown") == "\u03b5 12"
        page.focus("#key-open")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "key"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "key-open"


def test_the_slider_moves_examples_and_the_figure(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        page.wait_for_selector("#examples .now")
        at_eight = page.inner_text("#recovered")
        page.focus("#epsilon")
        page.keyboard.press("Home")
        until(
            page, "document.querySelector('#outcomes').innerText !== '' && !document.querySelector('#outcomes .itself')"
        )
        assert page.inner_text("#recovered") != at_eight
        assert page.locator("#examples li").count() == 3
        before = page.inner_text("#examples")
        page.click("#again")
        until(page, f"document.querySelector('#examples').innerText !== {json.dumps(before)}")


def test_the_epsilon_of_a_word_is_chosen_and_paid_for(chromium: Any, tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "ledger.sqlite")) as ledger:
        ledger.set_limit(Account("local"), Limit(epsilon=100.0))
        with running(ledger=ledger) as client, shown(chromium, client) as page:
            wrote(page, "Maria saw the doctor.")
            assert not page.is_visible("#choice")
            wrote(page, "Maria saw the doctor.", "all-words")
            assert page.inner_text("#at-shown") == "\u03b5 8" and page.get_attribute("#at", "max") == "6"
            page.focus("#at")
            for _ in range(4):
                page.keyboard.press("ArrowLeft")
            assert page.inner_text("#at-shown") == "\u03b5 4"
            assert page.get_attribute("#at", "aria-valuetext") == "epsilon 4"
            assert "Less than the policy's 8" in page.inner_text("#at-means")
            assert page.inner_text("#epsilon-shown") == "\u03b5 4", "the examples move along"
            until(page, "document.querySelector('#purse-words').textContent.endsWith(', about 25 words')")
            released(page)
            assert page.inner_text("#cost") == "\u03b5 16" and "54.6 times" in page.inner_text("#promise-lead")
            assert ledger.balance(Account("local")).spent.approximate().epsilon == 16
            page.focus("#epsilon")
            page.keyboard.press("End")
            assert not page.is_visible("#use"), "no policy has as much"
            page.keyboard.press("Home")
            page.select_option("#policy", "identifiers")
            page.focus("#use")
            assert page.inner_text("#use") == "Use \u03b5 2 for your text, with all-words"
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.id") == "at"
            assert page.input_value("#policy") == "all-words" and page.inner_text("#at-shown") == "\u03b5 2"
            released(page)
            until(page, "document.querySelector('#cost').textContent === '\u03b5 8'")
            assert ledger.balance(Account("local")).spent.approximate().epsilon == 24


@pytest.mark.slow
def test_the_promise_is_of_what_was_drawn(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        wrote(page, "Maria Gonzalez was seen on 3 March 2024.", "prompts")
        released(page)
        assert "2.72 times" in page.inner_text("#promise-lead")  # e for the date; no age was drawn, which has more
        assert page.inner_text("#promise-status").startswith("1-DP, proved, for two texts in which the same spans")


def test_ten_thousand_words_are_pasted_found_and_released(chromium: Any, client: httpx.Client) -> None:
    sentence = "Maria Gonzalez was seen on 3 March 2024 and slept well. "
    text = sentence * 910
    with shown(chromium, client) as page:
        wrote(page, text)
        until(page, "document.querySelectorAll('#under mark').length === 1820")
        out = released(page)
        assert page.locator("#release ins").count() == 1820
        assert out != text.rstrip() and len(out.split()) >= 9000
        page.focus("#text")
        page.keyboard.press("Control+End")
        page.keyboard.type("And Tim Fox.")
        until(page, "document.querySelectorAll('#under mark').length === 1821")
        assert page.is_visible("#under")
        assert page.evaluate("document.querySelector('#under').scrollTop === document.querySelector('#text').scrollTop")


def test_a_text_without_anything_is_not_sent(chromium: Any, client: httpx.Client) -> None:
    with shown(chromium, client) as page:
        page.click("#go")
        assert "nothing to release" in page.inner_text("#problem")
        page.fill("#text", "  \n ")
        page.click("#go")
        assert "nothing to release" in page.inner_text("#problem")


def test_an_exhausted_budget_releases_nothing_and_says_so(chromium: Any, tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path / "ledger.sqlite"))
    ledger.set_limit(Account("local"), Limit(epsilon=100.0))
    with running(ledger=ledger) as client, shown(chromium, client) as page:
        assert page.inner_text("#purse-words") == "Budget left \u03b5 100 of 100"
        wrote(page, "Maria saw the doctor about her pain.", "all-words")
        released(page)
        assert page.inner_text("#purse-words") == "Budget left \u03b5 44 of 100, about 5 words"
        assert page.get_attribute("#purse-meter", "aria-valuenow") == "44"
        assert "Left: \u03b5 44 of 100, about 5 words" in page.inner_text("#left-words")
        wrote(page, "Maria saw the doctor about her pain.", "all-words")
        page.click("#go")
        page.wait_for_selector("#problem b")
        assert "The budget does not reach" in page.inner_text("#problem")
        assert page.told.pop().startswith("Failed to load resource: the server responded with a status of 429")
        assert page.is_hidden("#promise") and page.inner_text("#release").startswith("Nothing has left")
    ledger.close()


def test_a_wrong_key_is_told_and_a_right_one_stays_in_the_tab(chromium: Any, tmp_path: Path) -> None:
    database = str(tmp_path / "ledger.sqlite")
    with contextlib.ExitStack() as opened:
        ledger = opened.enter_context(Ledger(database))
        keys = opened.enter_context(contextlib.closing(ApiKeys(database)))
        key = keys.create("ward")[1]
        told = Config(database=database)
        client = opened.enter_context(serving(make_app(told, ledger=ledger, keys=keys), told))
        page = opened.enter_context(shown(chromium, client, wants_key=True))
        assert page.is_visible("#key-dialog") and "wants a key" in page.inner_text("#key-problem")
        page.fill("#key", key[:-3] + "abc")
        page.keyboard.press("Enter")
        until(page, "document.querySelector('#key-problem').textContent.includes('does not take')")
        page.fill("#key", key)
        page.keyboard.press("Enter")
        page.wait_for_selector("#key-dialog", state="hidden")
        wrote(page, NOTE)
        released(page)
        assert page.locator("#release ins").count() == 4
        kept = page.evaluate("[location.href, document.cookie, document.documentElement.outerHTML, document.title]")
        assert not any(key in one for one in kept) and page.input_value("#key") == ""
        assert page.evaluate("localStorage.length + sessionStorage.length + history.length") <= 2
        page.click("#key-open")
        page.click("#key-forget")
        assert page.inner_text("#key-state") == "No key"
        refused = [one for one in page.told if one.endswith("401 (Unauthorized)")]
        assert page.told == refused != []
        page.told.clear()


def test_a_persons_budget_pays_where_one_is_named(chromium: Any, tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "ledger.sqlite")) as ledger:
        ledger.set_limit(Account("local"), Limit(epsilon=100.0), each="unit")
        with running(ledger=ledger) as client, shown(chromium, client) as page:
            assert not page.is_visible("#purse")
            page.click("#key-open")
            page.fill("#person", "CANARY p1")
            page.keyboard.press("Enter")
            page.wait_for_selector("#key-dialog", state="hidden")
            assert page.inner_text("#purse-words") == "Budget left \u03b5 100 of 100"
            wrote(page, "Maria saw the doctor about her pain.", "all-words")
            until(page, "document.querySelector('#purse-words').textContent.endsWith(', about 12 words')")
            released(page)
            assert page.inner_text("#purse-words").startswith("Budget left \u03b5 44 of 100")
            assert ledger.balance(Account("local", "CANARY p1")).spent.approximate().epsilon == 56
            assert not any("CANARY" in url for url in page.asked)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_state_passes_axe_and_fits_the_width(
    chromium: Any, client: httpx.Client, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    size = {"width": width, "height": 850}
    with shown(chromium, client, viewport=size, color_scheme=scheme, bypass_csp=True) as page:

        def check() -> None:
            found = axe.Axe().run(page).response["violations"]
            assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width

        check()
        wrote(page, NOTE, "prompts")
        released(page)
        page.check("#correct")
        page.locator("#release ins").first.click()
        page.get_by_role("button", name="Not a name").click()
        check()
        page.get_by_role("button", name="Undo").click()
        page.uncheck("#correct")
        page.check("#compare")
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.click("#answer-own")
        page.wait_for_selector("#restored .back")
        check()
        wrote(page, NOTE, "all-words")
        page.focus("#at")
        page.keyboard.press("Home")
        check()
        page.click("#key-open")
        check()


def test_a_phone_shows_three_screens_at_the_most(chromium: Any, client: httpx.Client) -> None:
    """A letter is written, released and corrected; the rest is folded, and unfolds where the window grows."""
    with shown(chromium, client, viewport={"width": 400, "height": 850}) as page:
        tall = "document.documentElement.scrollHeight / innerHeight"
        for name in ("prompts", "all-words"):
            wrote(page, SAMPLE, name)
            released(page)
            assert page.evaluate(tall) <= 3, name
        wrote(page, SAMPLE, "prompts")
        released(page)
        page.locator("#release ins").first.click()
        page.get_by_role("button", name="Not a name").click()
        assert page.evaluate(tall) <= 3 and not page.is_visible("#chart")
        page.set_viewport_size({"width": 1000, "height": 850})
        page.wait_for_selector("#chart")


def test_a_click_on_what_was_drawn_begins_to_correct_it_and_kept_numbers_are_told(
    chromium: Any, client: httpx.Client
) -> None:
    with shown(chromium, client) as page:
        wrote(page, "\U0001f600 Maria Gonzalez takes 20 mg of it, 7 pills and 20 drops; call 617-555-0133.", "prompts")
        stay = "; 3 numbers stay: 20 and 7"
        until(page, f"document.querySelector('#found-words').textContent.endsWith('{stay}')")
        out = released(page)
        assert page.inner_text("#release-words").endswith(f"{stay}.")
        page.locator("#release ins").first.click()
        assert page.is_checked("#correct") and page.inner_text("#release") == out
        assert page.inner_text(".picked strong") == "Maria Gonzalez"
        page.uncheck("#correct")
        page.locator("#release ins").first.dblclick()
        page.keyboard.press("Escape")
        assert page.inner_text("#release") == out
        wrote(page, "I paid 20 for 30.", "all-words")
        until(page, "document.querySelector('#found-words').textContent.endsWith('whatever they are')")


def test_clicks_on_a_release_become_lists_of_its_policy(chromium: Any, client: httpx.Client, tmp_path: Path) -> None:
    with shown(chromium, client, accept_downloads=True) as page:
        wrote(page, NOTE)
        out = released(page)
        page.check("#correct")
        assert page.inner_text("#release") == out
        page.locator("#release ins").first.click()
        assert page.inner_text(".picked strong") == "Maria Gonzalez"
        page.get_by_role("button", name="Not a name").click()
        place = out.index("seen") + 1
        page.evaluate(
            """place => {
            const walker = document.createTreeWalker(document.querySelector("#release"), NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                if (walker.currentNode.parentElement.closest("del")) continue;
                if (place < walker.currentNode.length) return getSelection().collapse(walker.currentNode, place);
                place -= walker.currentNode.length;
            } }""",
            len(out[:place].encode("utf-16-le")) // 2,
        )
        until(page, "document.querySelector('.picked strong').textContent === 'seen'")
        page.locator(".picked").get_by_label("kind").select_option("organization")
        page.get_by_role("button", name="Hide this").click()
        released(page)  # what was marked stays
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        path = tmp_path / "reviewed.toml"
        download.value.save_as(path)
        marked = [(one.kind, one.keep, one.words) for one in policy(path).lists[1:]]
        assert marked == [("", True, ("Maria Gonzalez",)), ("organization", False, ("seen",))]
        page.uncheck("#correct")
        assert page.locator("#corrections").is_hidden() and page.get_attribute("#release", "contenteditable") is None
        wrote(page, NOTE, "all-words")
        released(page)
        page.check("#correct")
        assert page.get_by_label("kind").locator("option").all_text_contents() == ["hidden"]
