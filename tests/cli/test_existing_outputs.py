"""One rule for an output that exists: it is replaced and told, or refused if it cannot be made again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import textveil.cli
from textveil.corpora.restored import write_map_file
from textveil.errors import ParameterError

Command = Callable[..., tuple[int, bytes, str]]

POLICY = ("--policy", "identifiers", "--seed", 1)
AGGREGATE = ("--unit", "who", "--epsilon", 4, "--delta", 1e-3)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a text and records."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "en")  # what --language sets is forgotten
    Path("in.txt").write_text("Anna Tierney came from Leeds.\n")
    rows = [{"who": number, "text": "a word and another", "kind": "ab"[number % 2]} for number in range(8)]
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("sanitize", "in.txt", *POLICY, "-o", "o", "--report", "r.json"), "o (replaced), r.json (replaced)"),
        (("sanitize", "in.txt", *POLICY, "--report", "r.html"), "r.html (replaced)"),
        (("detect", "in.txt", "--html", "p.html"), "p.html (replaced)"),
        (("review", "in.txt", "--original", "in.txt"), "review.html (replaced)"),
        (("risk", "in.jsonl", "--original", "in.jsonl", "-o", "r"), "r/risk.json (replaced)"),
        (("count", "in.jsonl", *AGGREGATE, "-o", "c.csv", "--overwrite"), "c.csv (replaced)"),
        (
            ("learn", "in.jsonl", *AGGREGATE, "--label", "kind", "--labels", "a,b", "-o", "m", "--overwrite"),
            "m/model.json (replaced)",
        ),
    ],
)
def test_an_output_that_can_be_made_again_is_replaced_and_told(
    command: Command, arguments: tuple[str, ...], written: str
) -> None:
    code, _, err = command(*arguments)
    assert code == 0 and "(replaced)" not in err
    code, _, err = command(*arguments)
    assert code == 0 and f"written   {written}\n" in err


def test_what_is_replaced_is_told_in_other_languages_and_not_with_quiet(command: Command) -> None:
    arguments = ("sanitize", "in.txt", *POLICY, "-o", "o")
    assert command(*arguments)[0] == 0
    assert "erstellt  o (ersetzt)" in command(*arguments, "--language", "de")[2]
    assert "o (ersetzt)" not in command(*arguments, "--language", "de", "--quiet")[2]


@pytest.mark.parametrize("resume", [(), ("--resume",)])
@pytest.mark.parametrize("output", [("-o", "other"), ()])
def test_a_private_map_is_never_replaced(command: Command, output: tuple[str, ...], resume: tuple[str, ...]) -> None:
    pytest.importorskip("cryptography")
    keeping = ("--map", "map", "--map-key", "key")
    assert command("sanitize", "in.txt", *POLICY, "-o", "o", *keeping)[0] == 0
    before = Path("map").read_bytes(), Path("key").read_bytes()
    if resume and not output:
        return  # there is no job to go on with
    code, out, err = command("sanitize", "in.txt", *POLICY, *output, *keeping, *resume)
    assert (code, out) == (2, b"") and "--map must be a new file" in err and err.count("\n") == 1
    assert (Path("map").read_bytes(), Path("key").read_bytes()) == before and not Path("other").exists()
    with pytest.raises(ParameterError, match="`private_map` must be a new file"):
        write_map_file(Path("map"), bytes(32), [])


def test_a_release_that_was_paid_for_is_replaced_only_if_that_is_asked_for(command: Command) -> None:
    pytest.importorskip("sqlalchemy")
    paid = ("sanitize", "in.txt", *POLICY, "-o", "o", "--ledger", "ledger.db", "--unit", "anna")
    assert command(*paid)[0] == 0
    before = Path("o").read_bytes(), Path("ledger.db").read_bytes()
    code, _, err = command(*paid)
    assert code == 2 and "set --overwrite" in err
    assert (Path("o").read_bytes(), Path("ledger.db").read_bytes()) == before
    code, _, err = command(*paid, "--overwrite")
    assert code == 0 and "o (replaced)" in err


def test_each_module_that_writes_files_follows_the_rule() -> None:
    writes = ("write_whole(", "atomic_writers(", ".to_file(", ".to_places(", "results_folder(")
    modules = [path for folder in textveil.cli.__path__ for path in Path(folder).glob("*.py")]
    writing = [path for path in modules if any(call in path.read_text() for call in writes)]
    # What replaces a file by itself and says so, which is what `clean` is for.
    within = {"verify.py", "clean.py"}
    assert len(writing) > 8
    assert {path.name for path in writing if "utputs(" not in path.read_text()} == within
