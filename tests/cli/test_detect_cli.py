"""``textveil detect``: what is printed, what is written, and to whom."""

import io
import json
import stat
import sys

import pytest

import textveil as tv
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
    code, out, err = detect("--html", page, stdin="Maria <b>said</b> & left\n")
    assert (code, out) == (0, "")
    assert " ".join(err.split()) == f"detect 1 span -> {page}, for you alone: open it in a browser"
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


LABELLED = {
    "text": "Yesterday I met Qzxvik and Dr. Maria Gonzalez (42).",
    "spans": [
        {"start": 16, "end": 22, "kind": "person"},
        {"start": 31, "end": 45, "kind": "person"},
        {"start": 47, "end": 49, "kind": "age"},
    ],
}


@pytest.mark.parametrize(("policy", "found"), [("identifiers", 2), ("clinical", 1), ("prompts", 1)])
def test_recall_is_that_of_the_policy(detect, tmp_path, policy: str, found: int) -> None:
    """A guess is below the score of ``clinical`` and ``prompts``: what they leave in the open is no recall."""
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text(json.dumps(LABELLED))
    code, out, _ = detect("--evaluate", labelled, "--json", "--policy", policy)
    assert code == 0
    data = json.loads(out)
    assert data["policy"] == {"name": policy, "digest": tv.policy(policy).digest}
    hit = round(data["kinds"]["person"]["recall"]["estimate"] * 2)
    sanitized = tv.Sanitizer(policy)(LABELLED["text"]).text
    assert hit == found == ("Qzxvik" not in sanitized) + ("Maria" not in sanitized)


def test_what_is_measured_is_told(detect, tmp_path) -> None:
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text(json.dumps(LABELLED))
    assert detect("--evaluate", labelled)[1].startswith("policy identifiers on labelled.jsonl: ")
    out = detect("--evaluate", labelled, "-d", "embedded")[1]
    assert out.startswith("embedded on labelled.jsonl: ") and "no report of a release quotes it" in out
    assert json.loads(detect("--evaluate", labelled, "-d", "embedded", "--json")[1])["policy"] is None


def test_what_a_policy_keeps_is_not_found(detect, tmp_path) -> None:
    policy = tmp_path / "own.toml"
    rules = '[[rule]]\nkind = "person"\nkeep = true\n[[rule]]\nkind = "date"\nplaceholder = true\n'
    policy.write_text(f'name = "own"\ndetectors = ["embedded"]\n[[rule]]\nkind = "word"\nkeep = true\n{rules}')
    assert detect("--policy", policy)[1].startswith("Dr. Maria Gonzalez called on [3/4/2024]date.")


def test_a_policy_says_the_score(detect) -> None:
    for other in (("-d", "numbers"), ("--min-score", "0.4")):
        code, _, err = detect("--policy", "prompts", *other)
        assert code == 2 and "--policy says what finds spans" in err
    code, _, err = detect("--policy", "all-words")
    assert code == 2 and "--policy must be one that finds spans" in err


def test_a_recall_goes_into_the_report_of_its_policy_alone(detect, capsysbinary, monkeypatch, tmp_path) -> None:
    labelled, measured, source = tmp_path / "labelled.jsonl", tmp_path / "d.json", tmp_path / "in.txt"
    labelled.write_text(json.dumps(LABELLED))
    source.write_text(TEXT)
    measured.write_text(detect("--evaluate", labelled, "--json", "--policy", "clinical")[1])
    for policy, wanted in (("clinical", 0), ("identifiers", 2)):
        told = (
            "sanitize",
            source,
            "-p",
            policy,
            "-o",
            tmp_path / f"{policy}.txt",
            "--verbose",
            "--detection-report",
            measured,
        )
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, told)])
        assert cli._exit_code() == wanted
        err = capsysbinary.readouterr().err.decode()
        assert ("recall of this policy on labelled.jsonl" in err) == (wanted == 0)
        assert ("--detection-report must be of the policy of the release" in err) == (wanted == 2)


def test_a_score_leaves_out_what_has_less(detect) -> None:
    text = "Yesterday I met Qzxvik and Dr. Maria Gonzalez.\n"
    assert json.loads(detect("--json", stdin=text)[1])[0]["score"] == 0.3
    assert "Qzxvik and Dr. [Maria Gonzalez]person" in detect("--min-score", "0.35", stdin=text)[1]
    code, _, err = detect("--min-score", "1.5", stdin=text)
    assert code == 2 and "--min-score must be from 0 to 1; got 1.5" in err


def test_options_that_do_not_go_together_are_told(detect, tmp_path) -> None:
    assert detect("--missed", tmp_path / "m")[0] == 2
    assert detect("--evaluate", tmp_path / "e", "--html", tmp_path / "h")[0] == 2
