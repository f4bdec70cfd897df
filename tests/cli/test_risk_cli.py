"""``textveil risk``: the contract's keys, files for their owner alone, formats, one line for bad input, no text."""

import gzip
import io
import json
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.helpers.endpoints import EndpointServer, completion, send

from textveil.cli import main as cli

SECRET = "Xylophonia"
NOTES = [f"{SECRET} the {trade} of town {number} has paid." for number in range(12) for trade in ("baker", "sailor")]


@pytest.fixture
def attack(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    (tmp_path / "notes.txt").write_text("".join(note + "\n" for note in NOTES))

    def run(*arguments: object, original: str = "notes.txt") -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["textveil", "risk", *map(str, arguments), "--original", original])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert SECRET not in captured.out.decode() + captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


def test_json_has_the_keys_of_the_contract_and_is_that_of_the_file(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, err = attack("notes.txt", "--json", "-o", "out")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data == json.loads((tmp_path / "out/risk.json").read_text())
    assert {"linkage", "kept", "unique"} <= data.keys()
    assert {"attacker", "against", "top1", "top5", "low", "high"} <= data["linkage"][0].keys()
    assert data["kept"] == {"words": 1, "content_words": 1}
    assert data["linkage"][0]["top1"] == 1 and data["linkage"][0]["high"] == 1
    assert [attack["against"] for attack in data["strongest"]] == ["originals"]
    assert data["strongest"][0]["low"] < data["linkage"][0]["low"]


def test_files_are_for_their_owner_and_one_alone_quotes_the_release(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    assert attack("notes.txt", "-o", "out")[0] == 0
    files = {path.name: path for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"risk.html", "risk.json", "riskiest.html"}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o600}
    assert [name for name, path in files.items() if SECRET in path.read_text()] == ["riskiest.html"]


def test_text_says_that_it_is_no_guarantee(attack: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = attack("notes.txt", "--policies", "identifiers", "--seed", 1)
    assert code == 0
    assert "An attack, never a guarantee" in out and "choose it on a public sample" in out
    assert "100 % (83 to 100) from the originals at the first try; chance 4.2 %,\n          the originals 100 %" in out
    assert max(map(len, out.splitlines())) <= 80
    assert [line.split()[0] for line in out.splitlines() if line[:5] in ("origi", "relea", "ident", "blank")] == [
        *("release", "originals", "release", "identifiers", "blank")
    ]


def test_records_are_compared_with_a_plain_background(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    rows = "".join(json.dumps({"note": note}) + "\n" for note in NOTES)
    (tmp_path / "notes.jsonl").write_text(rows)
    options = ("--field", "note", "--background", "notes.txt", "--json")
    code, out, _ = attack("notes.jsonl", *options, original="notes.jsonl")
    data = json.loads(out)
    assert code == 0
    assert [link["against"] for link in data["linkage"]] == ["originals"] * 2 + ["background"] * 2
    assert any("holds 24 of 24 originals verbatim" in line for line in data["warnings"])


def test_persons_are_read_from_a_field_of_the_originals(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"text": note, "who": f"{SECRET}{number // 2}"} for number, note in enumerate(NOTES * 2)]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "out.jsonl").write_text("".join(json.dumps({"text": row["text"]}) + "\n" for row in rows))
    code, out, err = attack("out.jsonl", "--unit", "who", original="notes.jsonl")
    assert (code, err) == (0, "")
    assert out.startswith("48 of 48 records, of 24 persons, attacked")
    (tmp_path / "notes.jsonl").write_text('{"text": "a", "who": null}\n')
    code, out, err = attack("notes.jsonl", "--unit", "who", original="notes.jsonl")
    assert code == 1 and "record 1 must name its person; got null" in err
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "de")
    out = attack("out.jsonl", original="out.jsonl")[1]
    assert "48 von 48 Einträgen angegriffen" in out and "50 % (31 bis 69) mit den Originalen beim ersten Versuch" in out
    assert "records" not in out and "Ein Angriff, nie eine Garantie" in out


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.jsonl.gz"])
def test_blanked_release_has_the_format_and_the_records_of_the_release(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path, name: str
) -> None:
    texts = ["" if number == 3 else note for number, note in enumerate(NOTES)]
    rows = "".join(json.dumps({"text": text, "more": 1}) + "\n" for text in texts)
    table = "".join(f"{text}\n" for text in ["text", *texts])
    content = (table.replace("\n\n", '\n""\n') if name.endswith("csv") else rows).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    code, out, err = attack(name, "--limit", 0.1, "-o", "out", original=name)
    assert (code, err) == (0, "")
    assert "looked at private text" in " ".join(out.split())
    (path,) = (tmp_path / "out").glob("blanked*")
    assert path.name == name.replace("out", "blanked") and stat.S_IMODE(path.stat().st_mode) == 0o600
    written = (gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()).decode()
    assert written.count("\n") == content.count(b"\n")
    assert "town 5" not in written and " _" in written
    assert "more" not in written


def test_language_model_is_asked_after_an_estimate_and_its_failure_is_one_line(
    attack: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textveil.models.endpoint.sleep", lambda seconds: None)
    (tmp_path / "out.txt").write_text("".join(note.replace(SECRET, "Somebody") + "\n" for note in NOTES))
    (tmp_path / "public.txt").write_text("".join(f"{number} lives here\n" for number in range(24)))
    with EndpointServer() as server:
        asked = ("--endpoint", server.url, "--endpoint-model", "tiny", "--limit-requests", 21)
        server.reply = lambda handler, body: send(handler, completion("1, 2"))
        code, out, err = attack("out.txt", "--background", "public.txt", *asked)
        assert code == 0 and len(server.asked) == 21
        assert re.fullmatch(r"textveil: 21 requests to 127\.0\.0\.1:\d+, about [\d,]+ tokens in all; .*\n", err)
        assert "of 21 records named by the language model tiny" in " ".join(out.split())
        assert not any(SECRET in json.dumps(body) for _, _, body in server.asked)
        server.reply = lambda handler, body: send(handler, b"no JSON", status=500)
        code, out, err = attack("out.txt", "--background", "public.txt", *asked)
        assert (code, out, err.count("\n")) == (1, "", 2) and "must answer within 120 s; got status 500" in err
        code, out, err = attack("out.txt", *asked)
        assert (code, out, err.count("\n")) == (1, "", 1) and "--background" in err


@pytest.mark.parametrize(
    ("options", "message", "expected"),
    [
        (("short.txt",), "got 23 records and 24 originals", 1),
        (("notes.txt", "--background", "short.txt"), "got 23", 1),
        (("notes.txt", "--policies", "nonsense"), "policies must be one of", 2),
        (("notes.txt", "--encoder", "."), "", 2),
        (("notes.txt", "--documents", 0), "documents must be >= 1", 2),
        (("notes.txt", "--limit", 2), "limit must be from 0 to 1", 2),
        (("notes.txt", "--limit", 0.1, "--documents", 20), "documents must be at least the 24 records", 2),
        (("notes.txt", "--marginals", "notes.txt"), "--marginals needs --population", 2),
        (("notes.txt", "--population", 3), "--population must be given with --marginals alone", 2),
        (("notes.txt", "--marginals", "notes.txt", "--population", 9), "line 1 of the table of marginals", 1),
        (("notes.txt", "--limit-requests", 3), "--limit-requests must be given with", 2),
        (("notes.txt", "--endpoint", "http://host"), "--endpoint needs --endpoint-model", 2),
        (("notes.txt", "--endpoint", "ftp://host", "--endpoint-model", "m"), "--endpoint must be an http", 2),
        (("nothing.txt",), "readable file", 1),
    ],
)
def test_bad_input_is_one_line(
    attack: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    options: tuple[object, ...],
    message: str,
    expected: int,
) -> None:
    (tmp_path / "short.txt").write_text("".join(note + "\n" for note in NOTES[:-1]))
    code, out, err = attack(*options, "-o", "out")
    assert (code, out) == (expected, "")
    assert err.count("\n") == 1 and message in err
    assert not any((tmp_path / "out").glob("*"))
