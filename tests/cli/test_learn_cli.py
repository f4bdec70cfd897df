"""``textveil learn``: a model that says labels as they stood, its report, the ledger, one line for bad input."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import textveil as tv
from textveil.aggregates.request import PersonalRecords
from textveil.cli import main as cli
from textveil.errors import InputError
from textveil.privacy.units import Unit

TEXTS = {"Sport!": "the team won the match in the second half", "42": "the bank raised its rates and shares fell"}
PERSONS = 1592
EMBEDDED = ("in.jsonl", "--unit", "who", "--label", "kind", "--epsilon", "1", "--delta", "1e-6")
SMALL = ("--vocabulary", "words.txt")  # the features of all embedded words take a second
OPTIONS = (*EMBEDDED[:5], *SMALL, *EMBEDDED[5:])


@pytest.fixture
def learned(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    rows = [
        {"who": f"p{k}", "kind": kind, "text": text}
        for k in range(PERSONS)
        for kind, text in [list(TEXTS.items())[k % 2]]
    ]
    rows.append({"who": "Eve", "kind": "Xylophonia", "text": "Xylophonia"})
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    words = {word for text in TEXTS.values() for word in text.split()}
    lines = (f"{word} {' '.join(str(len(word) * place % 7 - 3) for place in range(1, 5))}\n" for word in sorted(words))
    (tmp_path / "words.txt").write_text("".join(lines), encoding="utf-8")

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert "Xylophonia" not in captured.out.decode() + captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


def test_a_model_says_labels_as_they_stood(learned: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, err = learned("learn", *EMBEDDED, "-o", "model", "--json", "--report", "r.json")
    assert code == 0 and err.startswith("released  a classifier of 2 labels; (1, 1e-06)-DP for each person\n")
    model = tv.load_model(tmp_path / "model")
    assert model.labels == ("42", "Sport!")  # and none that Eve alone has
    assert model.predict(list(TEXTS.values())) == list(TEXTS)
    assert model.guarantee.unit is Unit.PERSON and model.guarantee.epsilon == 1.0
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "model.safetensors"]
    report = json.loads(out)
    assert report == json.loads((tmp_path / "r.json").read_text()) == dict(model.report)
    assert report["guarantee"]["unit"] == "person" and report["randomness"] == "operating system"
    for data in (out, (tmp_path / "model/model.json").read_text()):
        assert str(PERSONS) not in data and str(PERSONS + 1) not in data and "Xylophonia" not in data
    assert b"Xylophonia" not in (tmp_path / "model/model.safetensors").read_bytes()


def test_a_delta_too_large_is_told_to_the_sender(learned: Callable[..., tuple[int, str, str]]) -> None:
    options = [*OPTIONS[:-1], "1e-2"]
    code, _, err = learned("learn", *options, "-o", "model", "--seed", "1")
    told = " ".join(err.split())
    assert code == 0 and "seeded: not for release" in told and "delta is at least 1 / number of persons" in told


def test_a_second_release_beyond_the_budget_is_refused(learned: Callable[..., tuple[int, str, str]]) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")
    ledger = ("--ledger", "ledger.db")
    assert learned("ledger", "limit", "ledger.db", "--each", "unit", "--epsilon", "1.5", "--delta", "1e-5")[0] == 0
    assert learned("learn", *OPTIONS, *ledger, "-o", "model")[0] == 0
    code, _, err = learned("learn", *OPTIONS, *ledger, "-o", "again")
    assert code == 3 and err.count("\n") == 1


def balance(folder: Path) -> tuple[int, float]:
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    with Ledger(str(folder / "ledger.db")) as ledger:
        assert ledger.verify().sound
        standing = ledger.balance(Account("local", unit="p1"))
        assert standing.reserved is None or standing.reserved.approximate().epsilon == 0
        return standing.releases, standing.spent.approximate().epsilon


def test_what_fails_before_its_noise_is_drawn_costs_nothing(
    learned: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The inputs are read twice, and the second time one is gone."""
    pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")
    batches, calls = PersonalRecords.batches, []

    def once(records: PersonalRecords, progress: object = None) -> Any:
        calls.append(records)
        if len(calls) % 2 == 0:
            raise InputError("the input is gone.")
        return batches(records)

    monkeypatch.setattr(PersonalRecords, "batches", once)
    options = ("--labels", "Sport!,42", "--ledger", "ledger.db")
    code, _, err = learned("learn", *OPTIONS, *options, "-o", "model")
    assert (code, err) == (1, "textveil: the input is gone.\n") and not (tmp_path / "model").exists()
    assert balance(tmp_path) == (0, 0.0)
    code, _, err = learned("learn", *OPTIONS, *options[2:], "-o", "model")  # labels are selected: noise is drawn
    assert code == 1 and err.startswith("textveil: the input is gone. The release is charged in full")
    assert len(calls) == 4
    assert balance(tmp_path) == (1, 1.0)


def test_that_no_label_was_selected_is_charged_and_says_so(
    learned: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")
    options = [*OPTIONS[:-3], "0.01", *OPTIONS[-2:]]
    code, _, err = learned("learn", *options, "--ledger", "ledger.db", "-o", "model")
    assert code == 1 and "labels are selected where" in err and err.count("\n") == 1
    assert err.endswith("The release is charged in full, because its noise was drawn.\n")
    assert balance(tmp_path)[0] == 1


def test_a_model_is_replaced_only_if_that_is_asked_for(
    learned: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    assert learned("learn", *OPTIONS, "-o", "model", "--report", "r.json")[0] == 0
    before = [(path, path.read_bytes()) for path in (tmp_path / "model").iterdir()]
    ledger = ("--ledger", "ledger.db")
    code, out, err = learned("learn", *OPTIONS, *ledger, "-o", "model")
    assert (code, out, err.count("\n")) == (2, "", 1) and "got a folder with a model" in err and "--overwrite" in err
    code, _, err = learned("learn", *OPTIONS, *ledger, "-o", "other", "--report", "r.json")
    assert code == 2 and "got a file that exists" in err
    assert not (tmp_path / "ledger.db").exists()
    assert all(path.read_bytes() == data for path, data in before)
    assert learned("learn", *OPTIONS, "-o", "model", "--report", "r.json", "--overwrite")[0] == 0
    assert any(path.read_bytes() != data for path, data in before)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (("--labels", "nobody,none,nobody", "-o", "model"), "--labels must be different"),
        (("-o", "."), "--output must be a new folder"),
        (("-o", "model", "--unit", "nothing"), "nothing"),
        (("-o", "model", "--report", "in.jsonl"), "got one twice"),
        (("-o", "model", "--unit", "kind"), "must be different columns"),
        (("-o", "model", "--epsilon", "0"), "epsilon"),
        (("-o", "model", "--epsilon", "0.01"), "labels are selected where about"),
        (("-o", "model", "/dev/null", "-f", "jsonl"), "got a stream"),
    ],
)
def test_bad_input_is_one_line(
    learned: Callable[..., tuple[int, str, str]], changes: tuple[str, ...], says: str
) -> None:
    given = dict(zip(OPTIONS[1::2], OPTIONS[2::2], strict=True))
    kept = [part for name, value in given.items() if name not in changes for part in (name, value)]
    code, out, err = learned("learn", OPTIONS[0], *kept, *changes)
    assert code in (1, 2) and out == "" and says in err and err.count("\n") == 1


def test_a_model_is_tested_and_labels_texts_by_row(
    learned: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    _, _, err = learned("learn", *OPTIONS, "-o", "model")
    assert "textveil predict model TEST --label kind" in err
    texts = [*TEXTS.values(), None, TEXTS["Sport!"]]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps({"text": text, "kind": "42"}) + "\n" for text in texts))
    code, out, err = learned("predict", "model", "test.jsonl", *SMALL, "--label", "kind")
    assert (code, out) == (0, "Sport!\n42\n\nSport!\n")
    assert err.startswith("tested    1 of 3 labels are right (0.333, 0.008 to 0.906 at 95 %)")
    code, out, _ = learned("predict", "model", "test.jsonl", *SMALL, "-o", "labels.txt")
    assert (code, out, (tmp_path / "labels.txt").read_text()) == (0, "", "Sport!\n42\n\nSport!\n")
    code, _, err = learned("predict", ".", "test.jsonl", *SMALL)
    assert code != 0 and "a model must be a folder with model.json" in err
