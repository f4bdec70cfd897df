"""``textveil tune``: a comparison without a choice, warnings, one line for bad input, and no text but on the page."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from textveil.cli import main as cli

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

SECRET = "Xylophonia"
ROWS = [
    {"text": f"{SECRET} {'likes good soup and warm bread' if n % 2 else 'fears the cold storm'}.", "topic": "ab"[n % 2]}
    for n in range(24)
]


@pytest.fixture
def tune(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    sample = tmp_path / "notes.jsonl"
    sample.write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(*arguments: object, sample: Path = sample) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", "tune", str(sample), *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert SECRET not in captured.out.decode() + captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


OPTIONS = ("--policies", "randomized-response", "--epsilons", "2,20", "--no-decoder", "--seed", 1)


def test_a_comparison_chooses_nothing_and_warns(tune: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, err = tune(*OPTIONS, "--label", "topic", "-o", tmp_path / "out")
    assert (code, err) == (0, "")
    assert out.startswith("Tuned on private text: what you choose by these numbers tells of the sample")
    assert "randomized-response 2 " in out and "randomized-response 20 " in out
    assert "(no protection)" in out
    assert "Nothing is chosen or recommended" in out
    assert SECRET in (tmp_path / "out/index.html").read_text()
    assert SECRET not in (tmp_path / "out/tuning.json").read_text()


def test_the_numbers_are_those_of_the_file(tune: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, _ = tune(*OPTIONS, "--label", "topic", "--json", "-o", tmp_path / "out")
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "out/tuning.json").read_text())
    first, second = json.loads(out)["outcomes"]
    assert first["accuracy"]["on_texts"]["estimate"] <= second["accuracy"]["on_texts"]["estimate"] == 1.0
    assert json.loads(out)["seed"] == 1


@pytest.mark.slow
def test_labels_may_be_numbers_and_a_record_without_one_is_refused(
    tune: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    rows = [{"note": row["text"], "class": int(row["topic"] == "a")} for row in ROWS]
    numbered = tmp_path / "numbered.jsonl"
    numbered.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = (*OPTIONS, "--field", "note", "--label", "class", "--json", "-o", tmp_path / "out")
    code, out, _ = tune(*options, sample=numbered)
    assert code == 0
    assert json.loads(out)["task"]["majority"] == 0.5
    rows[3]["class"] = None
    numbered.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = tune(*options, sample=numbered)
    assert (code, err) == (1, "textveil: record 4 must have a label; got null. Leave such records out.\n")


def test_entities_are_counted_by_who_finds_them(tune: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, _ = tune(*OPTIONS, "--json", "-o", tmp_path / "out")
    assert (code, json.loads(out)["entities_found_by"]) == (0, "embedded")
    code, out, _ = tune(*OPTIONS, "--json", "--detector", "none", "-o", tmp_path / "out")
    assert (code, json.loads(out)["entities_found_by"]) == (0, None)
    assert all(not one["verbatim"] for one in json.loads(out)["outcomes"])


def test_labelled_entities_are_counted_in_place_of_detected_ones(
    tune: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    labelled = tmp_path / "labelled.jsonl"
    spans = [{"start": 0, "end": len(SECRET), "kind": "person"}]
    labelled.write_text("".join(json.dumps({"text": row["text"], "spans": spans}) + "\n" for row in ROWS))
    code, out, _ = tune(*OPTIONS, "--json", "--entities", "-o", tmp_path / "out", sample=labelled)
    assert code == 0
    assert json.loads(out)["entities_found_by"] == "labels"
    (everything, person) = json.loads(out)["outcomes"][0]["verbatim"]
    assert (everything["count"], person["kind"], person["count"]) == (24, "person", 24)
    assert person["share"]["estimate"] == 0.0
    code, out, err = tune("--entities", "--label", "topic", "-o", tmp_path / "out", sample=labelled)
    assert (code, out) == (2, "")
    assert "--entities must stand without --field" in err


def test_public_text_needs_no_warning_and_a_sample_no_labels(
    tune: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, _ = tune(*OPTIONS, "--public", "--documents", 12, "-o", tmp_path / "out")
    assert code == 0
    assert out.startswith("12 documents\n")
    assert "No task: no field of the sample was named that holds classes." in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--epsilons", "3,x"), "--epsilons must be numbers separated by commas"),
        (("--policies", "nobody"), "policy must be"),
        (("--label", "colour"), "colour"),
        (("--documents", "3"), "must be >= 10"),
        (("--detector", "nobody"), "detector must be one of"),
    ],
)
def test_bad_input_is_one_line(
    tune: Callable[..., tuple[int, str, str]], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    code, out, err = tune("--no-decoder", "-o", tmp_path / "out", *options)
    assert code in (1, 2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
