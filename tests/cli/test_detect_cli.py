"""``textveil detect``: what is printed, what is written, and to whom."""

from __future__ import annotations

import io
import json
import stat
import sys

import pytest

from textveil.cli import main as cli

TEXT = "Dr. Maria Gonzalez called on 3/4/2024.\nnothing\n"


@pytest.fixture
def detect(capsysbinary, monkeypatch):
    def run(*arguments: object, stdin: str = TEXT) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", "detect", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert "Gonzalez" not in captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


def test_a_line_of_json_for_each_document(detect) -> None:
    code, out, _ = detect("--json")
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    assert [(one["start"], one["end"], one["kind"]) for one in first] == [(4, 18, "person"), (29, 37, "date")]
    assert set(first[0]) == {"start", "end", "kind", "score"}
    assert second == []


def test_spans_are_marked_in_the_text(detect) -> None:
    code, out, _ = detect()
    assert code == 0
    assert out == "Dr. [Maria Gonzalez]person called on [3/4/2024]date.\nnothing\n"


def test_detectors_are_chosen_by_name(detect) -> None:
    assert detect("-d", "numbers")[1].startswith("Dr. Maria Gonzalez called on [3]number/[4]number/[2024]number.")
    code, _, err = detect("-d", "nobody")
    assert code == 2
    assert "detector must be one of embedded" in err


def test_the_page_is_for_its_owner_and_escapes_what_it_shows(detect, tmp_path) -> None:
    page = tmp_path / "spans.html"
    code, out, _ = detect("--html", page, stdin="Maria <b>said</b> & left\n")
    assert (code, out) == (0, "")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    content = page.read_text(encoding="utf-8")
    assert "Maria<small>person</small></mark> &lt;b&gt;said&lt;/b&gt; &amp; left" in content
    assert "http" not in content


def test_evaluation_shows_counts_and_keeps_what_was_missed_for_the_sender(detect, tmp_path) -> None:
    labelled, missed = tmp_path / "labelled.jsonl", tmp_path / "missed.jsonl"
    spans = [{"start": 4, "end": 18, "kind": "person"}, {"start": 39, "end": 43, "kind": "person"}]
    labelled.write_text(json.dumps({"text": "Dr. Maria Gonzalez called on 3/4/2024. qzxv came", "spans": spans}))
    code, out, _ = detect("--evaluate", labelled, "--json", "--missed", missed)
    assert code == 0
    found = json.loads(out)
    assert (found["corpus"], found["documents"]) == ("labelled.jsonl", 1)
    person = found["kinds"]["person"]
    assert (person["labelled"], person["found"]) == (2, 1)
    assert set(person["recall"]) == {"lower", "estimate", "upper", "confidence"}
    assert person["recall"]["estimate"] == found["all"]["recall"]["estimate"] == 0.5
    assert "qzxv" not in out
    assert json.loads(missed.read_text())["value"] == "qzxv"
    assert stat.S_IMODE(missed.stat().st_mode) == 0o600
    code, out, _ = detect("--evaluate", labelled)
    assert code == 0
    assert "qzxv" not in out
    assert "person" in out


def test_a_score_leaves_out_what_has_less(detect) -> None:
    text = "Yesterday I met Qzxvik and Dr. Maria Gonzalez.\n"
    assert json.loads(detect("--json", stdin=text)[1])[0]["score"] == 0.3
    assert "Qzxvik and Dr. [Maria Gonzalez]person" in detect("--min-score", "0.35", stdin=text)[1]
    code, _, err = detect("--min-score", "1.5", stdin=text)
    assert code == 2 and "--min-score must be from 0 to 1; got 1.5" in err


def test_options_that_do_not_go_together_are_told(detect, tmp_path) -> None:
    assert detect("--missed", tmp_path / "m")[0] == 2
    assert detect("--evaluate", tmp_path / "e", "--html", tmp_path / "h")[0] == 2
