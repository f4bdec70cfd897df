"""``textveil review``: what the page holds, what a person marks on it, and the policy that comes out."""

import json
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.browsers import browser

import textveil as tv
from textveil.sanitize.policy.choice import PRESETS, policy_of
from textveil.sanitize.policy.making import PolicyDetector, correctable, parts_of

HOSTILE = "</script><script>alert(1)</script> said \"hi\" \\ \u2028 'x' <!-- &amp;"
ORIGINALS = [
    f"Dr. Maria Gonzalez of Leeds called Oskar's clinic on 617-555-0133. {HOSTILE}",
    "The Argo sailed; the nurse Quillfeather-Boone stayed.",
    "Nothing here, said Quillfeather-Boone.",
]
RELEASES = [
    f"Dr. Anna Lee of Ulm called Tim's clinic on 617-555-0177. {HOSTILE}",
    "The Rosanna sailed; the nurse Quillfeather-Boone stayed.",
    "Nothing here, said Quillfeather-Boone.",
]

Files = tuple[Path, Path, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A release, its originals, and where the page goes."""
    release, original = tmp_path / "released.txt", tmp_path / "original.txt"
    release.write_text("".join(f"{text}\n" for text in RELEASES), encoding="utf-8")
    original.write_text("".join(f"{text}\n" for text in ORIGINALS), encoding="utf-8")
    return release, original, tmp_path / "page.html"


def data_of(page: Path) -> Any:
    return json.loads(re.findall(r"<script type='application/json' id='data'>(.*?)</script>", page.read_text())[0])


def texts_of(page: Path) -> list[tuple[str, str]]:
    """The originals and releases that the page holds, in pieces."""
    both = []
    for _, stretches in data_of(page)["documents"]:
        pieces = [stretch if isinstance(stretch, list) else [stretch] for stretch in stretches]
        released = [piece[1] if len(piece) == 3 else piece[0] for piece in pieces]
        both.append(("".join(piece[0] for piece in pieces), "".join(released)))
    return both


def test_the_page_holds_the_texts_whole_for_its_owner_alone(command: Callable[..., Any], files: Files) -> None:
    release, original, page = files
    code, out, err = command("review", release, "--original", original, "-o", page)
    assert (code, out) == (0, b"")
    assert "3 documents" in err and "Maria" not in err
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert texts_of(page) == list(zip(ORIGINALS, RELEASES, strict=True))
    content = page.read_text()
    assert content.count("<script") == 2 and "alert(1)</script>" not in content and "http://" not in content
    assert "default-src 'none'" in content and "unsafe" not in content


def test_records_are_read_by_their_field_whatever_the_two_formats_are(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    original, release, page = tmp_path / "original.csv", tmp_path / "released.jsonl", tmp_path / "page.html"
    original.write_text('id,note\n1,"Maria, here"\n2,there\n')
    release.write_text('{"note": "Anna, here"}\n{"note": "there"}\n')
    assert command("review", release, "--original", original, "--field", "note", "-o", page, "-q")[0] == 0
    assert texts_of(page) == [("Maria, here", "Anna, here"), ("there", "there")]
    assert command("review", release, "--original", original, "--field", "note", "-o", page, "--sample", 1)[0] == 0
    assert len(texts_of(page)) == 1


def test_the_policy_is_that_of_the_report(command: Callable[..., Any], files: Files, tmp_path: Path) -> None:
    release, original, page = files
    report = tmp_path / "r.json"
    run = ("sanitize", original, "-o", release, "--report", report, "-q")
    assert command(*run, "-p", "clinical")[0] == 0
    review = ("review", release, "--original", original, "-o", page, "--report", report)
    assert command(*review)[0] == 0
    assert data_of(page)["policy"]["extends"] == "clinical"
    code, _, err = command(*review, "-p", "prompts")
    assert code == 2 and "must be the one of --report (clinical, sha256 " in err
    own = tmp_path / "own.toml"
    own.write_text(correctable("clinical")["toml"])
    assert command(*run, "-p", own)[0] == 0
    code, _, err = command(*review)
    assert code == 2 and "Name its file." in err
    assert command(*review, "-p", own)[0] == 0
    code, _, err = command("review", release, "--original", original, "-o", page, "--report", original)
    assert code == 2 and "must be the report of a release under a policy" in err


def test_likely_names_below_the_threshold_are_marked(command: Callable[..., Any], tmp_path: Path) -> None:
    original, page = tmp_path / "original.txt", tmp_path / "page.html"
    original.write_text("Mr. Lee of Leeds.\nSivanallu rocks.\n")
    _, _, err = command("review", original, "--original", original, "-o", page, "-p", "clinical")
    assert "2 documents, 1 likely name below the threshold" in err and "Sivanallu" not in err
    assert [document[1] for document in data_of(page)["documents"]] == [
        ["Mr. ", ["Lee", "Lee", [[0, 3, "person"]]], " of ", ["Leeds", "Leeds", [[0, 5, "place"]]], "."],
        [["Sivanallu", "person"], " rocks."],
    ]


@pytest.mark.parametrize(
    ("policy", "problem"),
    [("nobody", "one of all-words"), ("{}", "as [[list]] at its end")],
)
def test_policy_that_takes_no_lists_is_refused_in_one_line(
    command: Callable[..., Any], files: Files, tmp_path: Path, policy: str, problem: str
) -> None:
    own = tmp_path / "own.toml"
    rules = 'name = "own"\nlist = [{kind = "crew", words = ["Maria"]}]\n[[rule]]\nkind = "word"\nkeep = true\n'
    own.write_text(rules + '[[rule]]\nkind = "crew"\nplaceholder = true\n')
    release, original, page = files
    code, _, err = command("review", release, "--original", original, "-o", page, "-p", policy.format(own))
    assert (code, page.exists(), err.count("\n")) == (2, False, 1)
    assert problem in err


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_takes_both_kinds_of_marks(name: str, tmp_path: Path) -> None:
    base = correctable(name)
    keeps, hides = '\n[[list]]\nkeep = true\nwords = ["Zorblax"]\n', '\n[[list]]\nkind = "{}"\nwords = ["the"]\n'
    for kind in base["kinds"]:
        both = base["toml"] + base["hides"] + keeps + hides.format(kind)
        assert parts_of(policy_of(both.encode(), name)).finder is not None
    own = tmp_path / "own.toml"
    own.write_text(base["toml"] + base["hides"] + keeps + hides.format(base["kinds"][0]))
    released = tv.Sanitizer(tv.policy(own))("the Zorblax").text
    assert "Zorblax" in released and "the" not in released
    own.write_text(base["toml"] + keeps)
    assert "Zorblax" in tv.Sanitizer(tv.policy(own))("the Zorblax").text
    again = correctable(str(own))  # a reviewed policy can be reviewed again
    assert (again["name"], again["listed"]) == (f"{name}-reviewed", ["Zorblax"])


def test_inputs_that_do_not_fit_leave_no_page(command: Callable[..., Any], files: Files, tmp_path: Path) -> None:
    release, original, page = files
    shorter = tmp_path / "shorter.txt"
    shorter.write_text("one\n")
    code, _, err = command("review", release, "--original", shorter, "-o", page)
    assert (code, err.count("\n")) == (1, 1) and "got 3 and 1" in err
    assert command("review", release, "--original", tmp_path / "none.txt", "-o", page)[0] == 1
    assert command("review", release, "--original", original, "-o", tmp_path / "no" / "page.html")[0] == 1
    code, _, err = command("review", release, "--original", original, "-o", original)
    assert code == 2 and "different files" in err
    assert not page.exists() and original.read_text(encoding="utf-8").startswith("Dr. Maria")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium: Any, command: Callable[..., Any], files: Files) -> Iterator[Any]:
    """The page, open; whatever it complains about fails the test."""
    release, original, path = files
    assert command("review", release, "--original", original, "-o", path, "-q")[0] == 0
    context = chromium.new_context(accept_downloads=True)
    opened = context.new_page()
    told: list[str] = []
    opened.on("console", lambda message: told.append(message.text))
    opened.on("pageerror", lambda error: told.append(str(error)))
    opened.goto(path.as_uri())
    yield opened
    assert told == []
    context.close()


def click(page: Any, sheet: str, word: str) -> None:
    """Click the middle of a word."""
    page.mouse.click(
        *page.evaluate(
            """([sheet, word]) => {
            const walker = document.createTreeWalker(document.querySelector(sheet), NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + word.length);
                const box = range.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }
        }""",
            [sheet, word],
        )
    )


def chosen(page: Any) -> str:
    return str(page.inner_text(".picked strong"))


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def saved(page: Any, folder: Path) -> Path:
    """The policy that the page offers, downloaded."""
    with page.expect_download() as download:
        press(page, "Download")
    path = folder / str(download.value.suggested_filename)
    download.value.save_as(path)
    assert path.read_text(encoding="utf-8") == page.input_value("textarea")
    return path


def test_what_differs_is_marked_and_texts_are_shown_as_they_are(page: Any) -> None:
    changed = page.locator("#original mark").all_text_contents()
    assert changed == ["Maria Gonzalez", "Leeds", "Oskar", "617-555-0133", "1"]
    kinds = [mark.get_attribute("data-kind") for mark in page.locator("#original mark").all()]
    assert kinds == ["person", "place", "person", "phone", "number"]
    assert page.locator("#released mark").all_text_contents() == ["Anna Lee", "Ulm", "Tim", "617-555-0177", "1"]
    assert page.evaluate("document.querySelector('#original').textContent") == ORIGINALS[0]
    assert page.evaluate("document.querySelector('#released').textContent") == RELEASES[0]


def test_clicks_choose_words_and_whole_values(page: Any) -> None:
    wanted = {"Gonzalez": "Maria Gonzalez", "clinic": "clinic", "0133": "617-555-0133", "Oskar": "Oskar", "hi": "hi"}
    for word, phrase in wanted.items():
        click(page, "#original", word)
        assert chosen(page) == phrase
    click(page, "#released", "Lee")  # what stood there is meant
    assert chosen(page) == "Maria Gonzalez"
    page.keyboard.type("yz")
    page.keyboard.press("Delete")
    assert page.evaluate("document.querySelector('#released').textContent") == RELEASES[0]


def test_the_policy_that_is_saved_does_what_was_marked(page: Any, tmp_path: Path) -> None:
    click(page, "#original", "Leeds")
    press(page, "Not a name")
    press(page, "Next")
    click(page, "#original", "Argo")
    page.keyboard.press("Enter")
    click(page, "#original", "Quill")
    assert "in 2 documents" in page.inner_text(".picked")
    press(page, "Hide this")
    assert page.locator("#original .to-hide").all_text_contents() == ["Quillfeather-Boone"]
    page.focus("#original")
    page.keyboard.press("n")
    assert page.locator("#released .to-hide").all_text_contents() == ["Quillfeather-Boone"]
    assert page.inner_text("#seen-words") == "3 of 3 seen"
    path = saved(page, tmp_path)
    policy = tv.policy(path)
    base = tv.policy("identifiers")
    assert (path.name, policy.name) == ("identifiers-reviewed.toml", "identifiers-reviewed")
    assert (policy.rules, policy.lists[: len(base.lists)]) == (base.rules, base.lists)
    marked = [(one.kind, one.keep, one.match_case, one.words) for one in policy.lists[len(base.lists) :]]
    assert marked == [("", True, True, ("Leeds", "Argo")), ("person", False, True, ("Quillfeather-Boone",))]
    released = tv.Sanitizer(policy)(ORIGINALS[1]).text
    assert "Argo" in released and "Quillfeather" not in released


def test_phrases_with_any_characters_come_back_and_undone_marks_do_not(page: Any, tmp_path: Path) -> None:
    click(page, "#original", "clinic")
    page.keyboard.press("h")
    page.keyboard.press("u")
    assert page.locator("#corrections .exported").is_hidden()
    page.evaluate(
        """() => { const text = document.querySelector('#original');
        getSelection().setBaseAndExtent(text, 0, text, text.childNodes.length); }"""
    )
    page.select_option("select", "organization")
    press(page, "Hide this")
    click(page, "#released", "Lee")
    press(page, "Not a name")
    press(page, "Undo Maria Gonzalez")
    (marked,) = tv.policy(saved(page, tmp_path)).lists[1:]
    assert (marked.kind, *marked.words) == ("organization", " ".join(ORIGINALS[0].split()).removesuffix(";"))


def test_marks_act_here_as_written_or_everywhere(page: Any, tmp_path: Path) -> None:
    page.fill("#number", "2")
    page.keyboard.press("Enter")
    for word, where in (("nurse", "everywhere"), ("The", "everywhere as written"), ("the", "here only")):
        click(page, "#original", word)
        page.get_by_label("where").select_option(where)
        press(page, "Hide this")
        assert page.inner_text(".picked [role=status]") == f"{word}: to be hidden as person, {where}"
    click(page, "#original", "the")
    page.get_by_label("where").select_option("everywhere")
    press(page, "Not a name")
    assert page.inner_text(".picked [role=status]").startswith(
        "The is marked otherwise (person, everywhere as written)"
    )
    policy = tv.policy(saved(page, tmp_path))
    marked = {one.words: (one.kind, one.match_case) for one in policy.lists[-2:]}
    placed = "he Argo sailed; [[the]] nurse Quillfeat"
    assert marked == {("nurse",): ("person", False), ("The", placed): ("person", True)}
    text = "The Nurse saw the nurse. The Argo sailed; the nurse Quillfeather stayed."
    hidden = [text[span.start : span.end] for span in PolicyDetector(policy).detect([text])[0]]
    assert hidden == ["The", "Nurse", "nurse", "The", "Argo", "the", "nurse", "Quillfeather"]


def test_labels_are_those_of_the_documents_seen(page: Any, command: Callable[..., Any], tmp_path: Path) -> None:
    press(page, "Next")
    click(page, "#original", "Argo")
    press(page, "Not a name")
    click(page, "#original", "Quill")
    page.get_by_label("where").select_option("here only")
    press(page, "Hide this")
    with page.expect_download() as download:
        press(page, "Download labels")
    path = tmp_path / str(download.value.suggested_filename)
    download.value.save_as(path)
    labels = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
    values = [[(one["text"][s["start"] : s["end"]], s["kind"]) for s in one["spans"]] for one in labels]
    first = [("Maria Gonzalez", "person"), ("Leeds", "place"), ("Oskar", "person"), ("617-555-0133", "phone")]
    assert [value[:4] for value in values] == [first, [("Quillfeather-Boone", "person")]]
    assert [one["text"] for one in labels] == ORIGINALS[:2]
    code, out, _ = command("detect", "--evaluate", path, "--policy", "identifiers", "--json")
    assert code == 0 and json.loads(out)["kinds"]["person"]["labelled"] == 3


def test_documents_are_reached_by_number_and_a_page_with_marks_is_not_left_unasked(page: Any) -> None:
    page.fill("#number", "2")
    page.keyboard.press("Enter")
    assert "Argo" in page.inner_text("#original")
    press(page, "Previous")
    assert page.input_value("#number") == "1"
    click(page, "#original", "clinic")
    page.keyboard.press("h")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert asked == ["beforeunload"]
    assert page.locator("#corrections .exported").is_hidden()  # nothing was kept
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
