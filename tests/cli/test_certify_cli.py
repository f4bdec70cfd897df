"""``textveil review --marks`` and ``textveil certify``, as users run them."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest

import textveil as tv
from textveil.certificate.certify import Finding
from textveil.certificate.marks import Binding, Design, Mark, Marks, Span, corpus_hmac, new_key
from textveil.certificate.reviewing import taught
from textveil.certificate.sampling import draw_pages
from textveil.sanitize.policy.making import correctable

TEXTVEIL = [sys.executable, "-m", "textveil"]
NOTES = [f"Note {number}: Dr. Maria Gonzalez called on 4 March 2024." for number in range(12)]

Command = Callable[..., Any]


@pytest.fixture
def released(command: Command, tmp_path: Path) -> Path:
    """A folder with originals, a release, and its report."""
    (tmp_path / "notes.txt").write_text("".join(f"{note}\n" for note in NOTES))
    run = ("sanitize", tmp_path / "notes.txt", "-p", "clinical", "-o", tmp_path / "out.txt", "-q")
    assert command(*run, "--report", tmp_path / "r.json", "--report", tmp_path / "r.html")[0] == 0
    return tmp_path


def review_of(folder: Path, *more: object) -> tuple[object, ...]:
    return (
        "review", folder / "out.txt", "--original", folder / "notes.txt", "-p", "clinical", "--marks",
        folder / "m.jsonl", *more,
    )  # fmt: skip


def reviewed(folder: Path, pages: int, *more: object) -> str:
    """Read so many pages as a browser would, find them fine, and stop; return what the command said."""
    words = [*TEXTVEIL, *map(str, review_of(folder, *more))]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while "http://" not in said and (line := process.stderr.readline()):
            said += line
        found = re.search(r"(http://127\.0\.0\.1:\d+)(/\S+/)", said)
        if found is None:
            process.kill()
        assert found is not None, said
        with httpx.Client(base_url=found[1], timeout=60, trust_env=False, headers={"Origin": found[1]}) as client:
            page = client.get(f"{found[2]}page").json()
            for _ in range(pages):
                page = client.post(f"{found[2]}mark", json={"page": page["page"], "missed": [], "wrong": []}).json()
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
        assert process.wait(60) == 0, said
    return said


def test_a_review_is_stopped_resumed_and_certified(command: Command, released: Path) -> None:
    marks = released / "m.jsonl"
    assert "3 of 12 documents read" in reviewed(released, 3)
    assert "5 of 12 documents read" in reviewed(released, 2)
    code, out, _ = command("certify", marks, "--json")
    data = json.loads(out)
    assert (code, data["read"], data["pages"]["name"]["seen"]) == (0, 5, 0)
    text = marks.read_text()
    assert "Maria" not in text and "Gonzalez" not in text
    report, page = released / "r.json", released / "r.html"
    assert "Not measured." in page.read_text() and "still name a person" not in page.read_text()
    for _ in range(2):  # the second replaces the first
        run = ("certify", marks, "--release", released / "out.txt", "--report", report, "--report", page)
        code, out, _ = command(*run)
        assert code == 0 and "still name a person" in " ".join(out.decode().split())
        assert json.loads(report.read_text())["certificate"] == data
        assert page.read_text().count("still name a person, with 95 % confidence, by 5 read") == 1
        assert "Nobody said how many values" not in page.read_text()


def void(command: Command, *arguments: object) -> str:
    code, out, err = command(*arguments)
    assert code == 2 and out == b"" and err.count("\n") == 1
    return str(err)


def test_another_release_corpus_policy_or_seed_is_refused(command: Command, released: Path) -> None:
    reviewed(released, 1)
    marks, out = released / "m.jsonl", released / "out.txt"
    assert "left out where the marks go on" in void(command, *review_of(released, "--seed", 1))
    whole = out.read_text()
    out.write_text("x" + whole)
    assert "of this released file, as it is now" in void(command, *review_of(released))
    assert "the one that was reviewed" in void(command, "certify", marks, "--release", out)
    out.write_text(whole)
    notes = released / "notes.txt"
    notes.write_text(notes.read_text().replace("Maria", "Marie"))
    assert "of this corpus of originals, as it is now" in void(command, *review_of(released))
    (released / "own.toml").write_text(correctable("clinical")["toml"])
    again = [*review_of(released)]
    again[again.index("clinical")] = released / "own.toml"
    assert "of this policy, as it is now" in void(command, *again)
    report = json.loads((released / "r.json").read_text())
    report["policy"]["digest"] = "0" * 64
    (released / "r.json").write_text(json.dumps(report))
    assert "is void for any other" in void(command, "certify", marks, "--report", released / "r.json")
    page = released / "r.html"
    page.write_text(page.read_text().replace(json.loads(marks.read_text().splitlines()[0])["release_sha256"], "0" * 64))
    assert "is void for any other" in void(command, "certify", marks, "--report", page)
    assert "must be a report that sanitize" in void(command, "certify", marks, "--report", released / "notes.txt")


def test_pages_drawn_with_a_seed_certify_nothing(command: Command, released: Path) -> None:
    reviewed(released, 1, "--seed", 3)
    code, out, _ = command("certify", released / "m.jsonl")
    assert code == 0 and "drawn with a seed" in out.decode()
    assert "at random for a report" in void(command, "certify", released / "m.jsonl", "--report", released / "r.json")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--output", "page.html"), "--output must be left out where there are --marks"),
        (("--sample", 3), "--sample must be left out where there are --marks"),
        (("--at-most", 1), "--at-most must be between 0 and 1"),
        (("--reviewer", "a b"), "--reviewer must be 1 to 60 letters"),
    ],
)
def test_options_that_do_not_fit_begin_no_marks(
    command: Command, released: Path, more: tuple[object, ...], problem: str
) -> None:
    assert problem in void(command, *review_of(released, *more))
    assert not (released / "m.jsonl").exists()


def test_policy_that_draws_words_is_refused(command: Command, released: Path) -> None:
    words = ["all-words" if word == "clinical" else word for word in review_of(released)]
    assert "one that finds spans and keeps words" in void(command, *words)


def test_options_of_marks_need_marks(command: Command, released: Path) -> None:
    plain = ("review", released / "out.txt", "--original", released / "notes.txt")
    for option in (("--reviewer", "ann"), ("--seed", 1), ("--at-most", 0.5)):
        assert f"{option[0]} must be left out where there are no --marks" in void(command, *plain, *option)


def test_marks_that_are_none_are_refused(command: Command, released: Path) -> None:
    code, _, err = command("certify", released / "notes.txt")
    assert code == 1 and "must begin with the header" in err
    assert command("certify", released / "none.jsonl")[0] == 1
    code, _, err = command(*review_of(released)[:-1], released / "notes.txt")
    assert code == 2 and "different files" in err


def marked(folder: Path, notes: list[str], name: str, none: str = "") -> Path:
    """Marks of all notes by a reader who knows the name, and one that is none."""
    policy = tv.policy("clinical")
    find, key = Finding(policy), new_key()
    found = [find(note) for note in notes]
    counts = Counter(sum(span.kind == "person" for span in each.spans) for each in found)
    about = Binding(
        textveil="0.1.0", policy="clinical", policy_digest=policy.digest, documents=len(notes),
        release_sha256="b" * 64, original_hmac=corpus_hmac(key, notes),
    )  # fmt: skip
    draw = draw_pages([len(each.guesses) for each in found])
    design = Design(key=key, binding=about, draw=draw, found={"person": counts}, twice=5, secure=True)
    marks = Marks.begun(folder / "m.jsonl", design)
    for page in draw.pages:
        note, here = notes[page - 1], found[page - 1]
        start = note.find(name)
        missed = () if start < 0 else (Span(start, start + len(name), "person"),)
        persons = {"person": sum(span.kind == "person" for span in here.spans)}
        wrong = tuple(span for span in here.spans if note[span.start : span.end] == none)
        marks.add(
            Mark(
                page=page,
                reviewer="ann",
                missed=missed,
                wrong=wrong,
                found=persons,
                guesses=here.guesses,
                day=date.today(),
            )
        )
    return marks.path


def test_marks_teach_lists_for_the_owner_alone_and_void_the_certificate(command: Command, tmp_path: Path) -> None:
    notes = ["Mr. Lee saw Sivanallu rock.", "Ask Mrs. Oskar.", "Mr. Oskar, Mr. Quill."] * 5
    marks = marked(tmp_path, notes, "Sivanallu", "Lee")
    texts, own = tmp_path / "notes.txt", tmp_path / "own.toml"
    texts.write_text("".join(f"{note}\n" for note in notes))
    teach = ("certify", marks, "--teach", "--policy", "clinical", "--original", texts, "-o", own)
    code, out, err = command(*teach)
    assert (code, out) == (0, b"") and "Sivanallu" not in err and "Lee" not in err
    told = " ".join(err.split())
    assert "1 phrase hidden, 1 kept, 0 left out, by 15 documents read" in told and "no certificate holds" in told
    assert own.stat().st_mode & 0o777 == 0o600
    policy = tv.policy(own)
    assert policy.describes.endswith("Taught by private text, 15 documents read: 1 phrase hidden, 1 kept.")
    released = tv.Sanitizer(policy)("Sivanallu and Mr. Lee and Mr. Oskar; sivanallu.").text
    assert not released.startswith("Sivanallu") and "Lee" in released and "Oskar" not in released
    assert "sivanallu" in released  # in its letter case alone
    again = [own if word == "clinical" else tmp_path / "more.toml" if word == own else word for word in teach]
    assert "--policy must be the one of the marks" in void(command, *again)
    texts.write_text("".join(f"{note}!\n" for note in notes))
    assert "--original must be the texts that the marks are about" in void(command, *teach)
    assert "must be left out beside" in void(command, *teach, "--miss-at-most", 0.1)
    assert "--key must be left out where --teach is" in void(command, "certify", marks, "--key", texts)


def test_a_word_that_is_a_name_elsewhere_is_not_kept_and_marks_of_nothing_teach_nothing(
    command: Command, tmp_path: Path
) -> None:
    notes = ["Mr. Lee came.", "Dr. Lee went."]
    policy = tv.policy("clinical")
    find = Finding(policy)
    path = marked(tmp_path, notes, "Sivanallu")
    texts, own = tmp_path / "notes.txt", tmp_path / "own.toml"
    texts.write_text("".join(f"{note}\n" for note in notes))
    teach = ("certify", path, "--teach", "--policy", "clinical", "--original", texts, "-o", own)
    code, _, err = command(*teach)
    assert code == 1 and "must have a missed or wrong value" in err and not own.exists()
    marks = Marks(path)
    wrong = tuple(find(notes[0]).spans)
    mark = marks.by_page[1]["ann"]
    marks.add(replace(mark, wrong=wrong, corrects=True))
    assert [notes[0][span.start : span.end] for span in wrong] == ["Lee"]
    assert command(*teach)[0] == 1


def test_what_one_reader_alone_calls_wrong_or_another_page_misses_does_not_stay(
    command: Command, tmp_path: Path
) -> None:
    notes = ["Mr. Lee came.", "Ask Mr. Oskar.", "Mr. Bell rang.", "We moved Lée to rocks, \x7fabc too."]
    marks = Marks(marked(tmp_path, notes, "\x7fabc"))
    find, by_page = Finding(tv.policy("clinical")), {page: each["ann"] for page, each in marks.by_page.items()}
    for page in (1, 2, 3):
        marks.add(replace(by_page[page], wrong=tuple(find(notes[page - 1]).spans), corrects=True))
    marks.add(replace(by_page[2], reviewer="bob"))
    at = notes[3].index("Lée")
    marks.add(replace(by_page[4], missed=(Span(at, at + 3, "person"), *by_page[4].missed), corrects=True))
    spans = {page: find(notes[page - 1]).spans for page in by_page}
    lists = taught(marks, notes, spans, ["person"])
    # Oskar is wrong to one of two; Lee is Lée as lists compare them; a file holds no control character
    assert (lists.hidden, lists.kept) == ({"person": {"Lée"}}, {"Bell"})
    assert lists.left_out == 2


def test_a_missed_name_that_is_a_common_word_is_told(command: Command, tmp_path: Path) -> None:
    notes = ["We asked Will. Will you come? Will it rain?", "Will they? Will she?"]
    marks, texts, own = marked(tmp_path, notes, "Will"), tmp_path / "notes.txt", tmp_path / "own.toml"
    texts.write_text("".join(f"{note}\n" for note in notes))
    code, _, err = command("certify", marks, "--teach", "--policy", "clinical", "--original", texts, "-o", own)
    assert code == 0 and "CHECK" in err and "Will" not in err


def test_a_policy_masks_the_guesses_that_readers_missed(command: Command, tmp_path: Path) -> None:
    notes = [f"Mr. Lee came. {'Sivanallu rocks.' if number % 4 == 0 else ''}" for number in range(110)]
    marks, texts, own = marked(tmp_path, notes, "Sivanallu"), tmp_path / "notes.txt", tmp_path / "own.toml"
    texts.write_text("".join(f"{note}\n" for note in notes))
    assert "Sivanallu" in tv.Sanitizer(tv.policy("clinical"))(notes[0]).text
    choose = ("certify", marks, "--miss-at-most", 0.01, "--policy", "clinical", "--original", texts, "-o", own)
    code, _, err = command(*choose)
    assert code == 0 and "by 110 documents read" in " ".join(err.split()) and "Sivanallu" not in err
    policy = tv.policy(own)
    assert policy.name == "clinical-reviewed" and "Chosen by private text, 110 documents read" in policy.describes
    assert "Sivanallu" not in tv.Sanitizer(policy)(notes[0]).text
    texts.write_text("Dr. Maria Gonzalez and Mr. Oskar Lund and Mrs. Anna Lee came.\n" * 200)
    assert "like the documents that were read" in void(command, *choose)
    assert "pages must be at least 1020 for 0.001" in void(
        command, *[0.001 if word == 0.01 else word for word in choose]
    )
    other = ["identifiers" if word == "clinical" else word for word in choose]
    assert "--policy must be the one of the marks" in void(command, *other)
    assert "--output must be given with --miss-at-most" in void(command, *choose[:-2])
    assert "--policy must be given with --miss-at-most" in void(command, "certify", marks, "--policy", "clinical")
