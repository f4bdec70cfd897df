"""``textveil policies`` and ``textveil sanitize --policy``."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.helpers.shared import needs_lab

import textveil as tv
from textveil.cli import main as cli

POLICY = """
name = "mine"
marks = "keep"
[[rule]]
kind = "word"
keep = true
[[rule]]
kind = "number"
surrogate = "digits"
"""


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
    return cli._exit_code()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, Path]:
    (tmp_path / "mine.toml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "in.txt").write_text("Maria,  aged 44\nof 12 Elm Street\n" * 50, encoding="utf-8")
    return str(tmp_path / "mine.toml"), str(tmp_path / "in.txt"), tmp_path


def test_policies_are_listed_and_printed(monkeypatch, capsys) -> None:
    assert run(monkeypatch, "policies") == 0
    assert "identifiers  " in capsys.readouterr().out
    assert run(monkeypatch, "policies", "all-words") == 0
    assert capsys.readouterr().out.startswith('name = "all-words"')
    assert run(monkeypatch, "policies", "all-words", "--json") == 0
    (data,) = json.loads(capsys.readouterr().out)
    assert data["name"] == "all-words" and data["rules"][0]["kind"] == "word"
    assert run(monkeypatch, "policies", "al-words") == 2
    assert capsys.readouterr().err.startswith("textveil: NAME must be one of all-words")


def test_a_policy_releases_the_same_with_any_number_of_workers(monkeypatch, capsys, files) -> None:
    policy, source, folder = files
    outputs = []
    for workers in ("1", "2"):
        output, report = folder / f"out{workers}.txt", folder / f"report{workers}.json"
        options = ["--policy", policy, "--seed", "3", "-o", str(output), "--report", str(report), "--workers", workers]
        assert run(monkeypatch, "sanitize", source, *options) == 0
        outputs.append((output.read_text(encoding="utf-8"), report.read_text(encoding="utf-8")))
    assert outputs[0] == outputs[1]
    text, report = outputs[0]
    assert text.startswith("Maria,  aged ") and "Elm Street" in text
    assert json.loads(report)["guarantee"]["per_token"] is None
    assert "add --marks M.jsonl to measure how many: textveil review" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--whole-file"]])
def test_all_words_is_what_the_default_is(monkeypatch, capsys, files, form: list[str]) -> None:
    _, source, folder = files
    for name, options in (("policy", ["--policy", "all-words"]), ("mechanism", [])):
        report = folder / f"{name}.json"
        arguments = [source, "-o", str(folder / name), "--report", str(report), "--seed", "3", *options, *form]
        assert run(monkeypatch, "sanitize", *arguments) == 0
    assert (folder / "policy").read_bytes() == (folder / "mechanism").read_bytes()
    assert (folder / "policy.json").read_bytes() == (folder / "mechanism.json").read_bytes()


def test_a_policy_beside_a_mechanism_is_refused_and_epsilon_is_of_its_words(monkeypatch, capsys, files) -> None:
    policy, source, _ = files
    for options in (["--mechanism", "optimal"], ["--alpha", "2"]):
        assert run(monkeypatch, "sanitize", source, "--policy", policy, *options) == 2
        assert "--policy says what draws words; got " + options[0] in capsys.readouterr().err
    assert run(monkeypatch, "sanitize", source, "--policy", policy, "--epsilon", "3") == 2
    assert "--epsilon must be left out: the policy mine keeps words as they are" in capsys.readouterr().err
    assert run(monkeypatch, "sanitize", source, "--policy", "all-words", "--epsilon", "3") == 0
    assert "3-DP each, proved" in capsys.readouterr().err
    assert run(monkeypatch, "sanitize", source, "--policy", policy, "--number-epsilon", "3") == 2
    assert "--number-epsilon must be left out for a policy" in capsys.readouterr().err


def test_a_job_under_another_policy_is_not_gone_on_with(monkeypatch, capsys, files) -> None:
    policy, source, folder = files
    output = ["-o", str(folder / "out.txt"), "--resume"]
    assert run(monkeypatch, "sanitize", source, "--policy", policy, *output) == 0
    Path(policy).write_text(POLICY.replace('"keep"', '"normalize"'), encoding="utf-8")
    assert run(monkeypatch, "sanitize", source, "--policy", policy, *output) == 2
    assert "these differ now: policy" in capsys.readouterr().err


def test_a_job_with_another_list_is_not_gone_on_with(monkeypatch, capsys, files) -> None:
    policy, source, folder = files
    rule = '[[rule]]\nkind = "staff"\nplaceholder = true\n[[list]]\nkind = "staff"\nwords = ["{}"]\n'
    output = ["-o", str(folder / "out.txt"), "--resume"]
    for name, code in (("Elm Street", 0), ("Maria Roe", 2)):
        Path(policy).write_text(POLICY + rule.format(name), encoding="utf-8")
        assert run(monkeypatch, "sanitize", source, "--policy", policy, *output) == code
    assert "these differ now: inputs" in capsys.readouterr().err
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "mine.toml"]
    assert all(b"Roe" not in one for one in kept)
    assert "[staff]" in (folder / "out.txt").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["document", "corpus"])
def test_a_record_is_a_document_and_a_corpus_is_one_for_all_workers(monkeypatch, capsys, tmp_path, scope: str) -> None:
    names = '[[rule]]\nkind = "person"\nsurrogate = "person"\n[[list]]\nkind = "person"\nwords = ["Maria Roe"]\n'
    policy, source = tmp_path / "p.toml", tmp_path / "in.jsonl"
    policy.write_text(POLICY.replace("[[rule]]", f'scope = "{scope}"\n[[rule]]', 1) + names, encoding="utf-8")
    row = json.dumps({"title": "On Maria Roe", "body": "Maria Roe, " + "and so on " * 400})
    source.write_text(f"{row}\n" * 300, encoding="utf-8")
    fields = ["--field", "title", "--field", "body", "--report", str(tmp_path / "r.json"), "-q", "--workers", "2"]
    output = tmp_path / "out.jsonl"
    assert run(monkeypatch, "sanitize", str(source), "--policy", str(policy), *fields, "-o", str(output)) == 0
    seen = set()
    for line in output.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        name = found["title"].removeprefix("On ")
        assert found["body"].startswith(f"{name}, ")
        seen.add(name)
    assert len(seen) == 1 if scope == "corpus" else len(seen) > 250
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["documents"] == 300 and report["tokens"]["person mentions"] == 600


def test_measured_recall_goes_into_the_report(monkeypatch, capsys, files) -> None:
    policy, source, folder = files
    measured, report = folder / "measured.json", folder / "report.json"
    bound = {"lower": 0.7, "estimate": 0.8, "upper": 0.9, "confidence": 0.95}
    whose = {"name": "own", "digest": tv.policy(policy).digest}
    kinds = {"person": {"recall": bound, "missed": ["x"]}, "ip": {"recall": None}}
    found = {"corpus": "c", "detector": "d", "policy": whose, "kinds": kinds}
    measured.write_text(json.dumps(found))
    options = [
        "--policy",
        policy,
        "--detection-report",
        str(measured),
        "--report",
        str(report),
        "-o",
        str(folder / "o.txt"),
    ]
    assert run(monkeypatch, "sanitize", source, *options) == 0
    data = json.loads(report.read_text(encoding="utf-8"))
    assert data["detection"]["recall"] == {**found, "kinds": {"person": {"recall": bound}}}
    out = folder / "o.txt"
    out.unlink()
    for other, got in (({**whose, "digest": "0" * 64}, "one of another"), (None, "one of no policy")):
        measured.write_text(json.dumps({**found, "policy": other}))
        assert run(monkeypatch, "sanitize", source, *options) == 2
        err = capsys.readouterr().err
        assert "--detection-report must be of the policy of the release" in err and f"got {got}" in err
        assert not out.exists()
    measured.write_text("[]")
    assert run(monkeypatch, "sanitize", source, *options) == 2
    assert "--detection-report must be an evaluation with the recall of each kind" in capsys.readouterr().err


@needs_lab
def test_decoding_a_release_of_a_policy_is_refused(monkeypatch, capsys, files) -> None:
    policy, source, folder = files
    output = folder / "out.txt"
    options = ["--policy", policy, "-o", str(output), "--report", str(folder / "r.json")]
    assert run(monkeypatch, "sanitize", source, *options) == 0
    capsys.readouterr()
    for command in ("decode", "estimate"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert run(monkeypatch, command, str(output), "--report", str(folder / "r.json")) in (1, 2)
        assert "words were all drawn; got one of the policy mine" in capsys.readouterr().err


def test_options_of_common_words(monkeypatch, capsys, files) -> None:
    _, text, folder = files
    out, report = folder / "out.txt", folder / "report.json"
    options = ["--policy", "common-words", "--level", "high", "--others", "class", "-q"]
    assert run(monkeypatch, "sanitize", text, "-o", str(out), "--report", str(report), *options) == 0
    line = out.read_text(encoding="utf-8").splitlines()[0]
    assert line.startswith("[") and line.endswith("], aged [number]")
    (rule, others) = json.loads(report.read_text(encoding="utf-8"))["policy"]["rules"]
    assert (rule["level"], rule["list"], others["placeholder"]) == ("high", "shipped", "class")
    for wrong, told in (
        (["--level", "low"], "--level must be left out where there is no --policy"),
        (["--policy", "identifiers", "--others", "blank"], "the policy identifiers keeps no common words"),
        (["--policy", "common-words", "--background", str(folder / "none")], "--background must be a text file"),
    ):
        capsys.readouterr()
        assert run(monkeypatch, "sanitize", text, "-o", str(folder / "two.txt"), *wrong) == 2
        told_here = capsys.readouterr().err
        assert told in told_here and told_here.count("\n") == 1 and not (folder / "two.txt").exists()
