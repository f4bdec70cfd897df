"""``textveil restore``: corpora document by document, answers as they come, and faults in one line."""

import csv
import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.helpers.private_maps import map_of
from tests.helpers.shared import skip_without_extra

from textveil.surrogates import map_file
from textveil.surrogates.map_file import Document, MapCipher, read_or_made_key

Textveil = Callable[..., tuple[int, bytes, str]]

FIRST = map_of("Ann Lee came.\n", [("Ann Lee", "Maria Xylophonia", "person")])
SECOND = map_of("Bob Ray left.\n", [("Bob Ray", "Tim Fox", "person")])


def kept(folder: Path, *documents: Document, **about: object) -> tuple[str, ...]:
    """The options that name a map of these documents, and its key."""
    cipher = MapCipher.new(read_or_made_key(folder / "key"))
    parts = [map_file.begun(cipher, about), map_file.block(cipher, 0, documents[:1])]
    parts += [map_file.block(cipher, 1, documents[1:]), map_file.ended(cipher, 2, len(documents))]
    (folder / "map").write_bytes(b"".join(parts))
    return "--map", str(folder / "map"), "--map-key", str(folder / "key")


@pytest.fixture
def restore(command) -> Textveil:
    return partial(command, "restore")


def test_a_released_text_goes_back_line_by_line(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,))
    (tmp_path / "out.txt").write_text(FIRST.released + SECOND.released)
    code, _, err = restore(tmp_path / "out.txt", "-o", tmp_path / "back.txt", *options)
    assert (code, err) == (0, "restored  2 documents; 0 texts of them edited since\n")
    assert (tmp_path / "back.txt").read_text() == FIRST.original() + SECOND.original()
    code, out, err = restore("-q", *options, stdin=b"Ann Lee came.\nSo Bob went.\n")
    assert (code, out, err) == (0, b"Maria Xylophonia came.\nSo Tim went.\n", "")


def test_records_go_back_by_the_fields_that_the_map_names(tmp_path, restore: Textveil) -> None:
    half = map_of("Bob\ud800 left.", [("Bob", "Tim\udfff", "person")])
    options = kept(tmp_path, (FIRST, SECOND), (half, SECOND), sanitized=["note", "more"], kept=["id"])
    rows = [{"id": 1, "note": FIRST.released, "more": SECOND.released}]
    rows.append({"id": 2, "note": half.released, "more": SECOND.released})
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for more in ((), ("--field", "more", "--field", "note")):
        code, out, _ = restore(tmp_path / "out.jsonl", *options, *more)
        assert code == 0
        back = [json.loads(line) for line in out.splitlines()]
        assert back[0] == {"id": 1, "note": FIRST.original(), "more": SECOND.original()}
        assert back[1] == {"id": 2, "note": half.original(), "more": SECOND.original()}
    code, out, _ = restore(tmp_path / "out.jsonl", *options, "--output-format", "csv", "--keep", "id")
    assert code == 1  # half of a pair of UTF-16 cannot be written there
    code, _, err = restore(tmp_path / "out.jsonl", *options, "--field", "note")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("textveil: --field must name the fields that were sanitized, or none")


def test_a_table_goes_back(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,), sanitized=["text"], kept=[])
    with (tmp_path / "out.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["text"], [FIRST.released], [SECOND.released]])
    code, out, _ = restore(tmp_path / "out.csv", *options)
    assert code == 0
    assert list(csv.reader(io.StringIO(out.decode(), newline=""))) == [
        ["text"],
        [FIRST.original()],
        [SECOND.original()],
    ]


def test_an_answer_is_restored_against_all_documents_or_one(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,))
    answer = "\ufeffDear Ann,\nBob\nRay is here.\n".encode()
    code, out, err = restore("-", "--answer", *options, stdin=answer)
    assert (code, out) == (0, b"Dear Maria,\nTim\nFox is here.\n")
    assert err == "restored  2 mentions; 1 of the surrogates are not mentioned\n"
    code, out, _ = restore("--document", 2, *options, stdin=answer)
    assert out == b"Dear Ann,\nTim\nFox is here.\n"
    (tmp_path / "answer.txt").write_bytes(answer)
    code, out, _ = restore(tmp_path / "answer.txt", "--answer", "-o", tmp_path / "back", *options)
    assert (code, out) == (0, b"")
    assert (tmp_path / "back").read_bytes() == b"Dear Maria,\nTim\nFox is here.\n"


def test_the_map_of_one_text_restores_one_text(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (map_of("Ann\nAnn met Bob.\n", [("Bob", "Tim", "person")]),))
    code, out, _ = restore(*options, stdin=b"Ann\nAnn met Bob.\n")
    assert (code, out) == (0, b"Ann\nAnn met Tim.\n")


def test_an_answer_without_a_surrogate_says_so(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,))
    for more in ((), ("-q",)):
        code, out, err = restore("--answer", *more, *options, stdin=b"Nobody \xc3\xa9.")
        assert (code, out) == (0, b"Nobody \xc3\xa9.")
        assert err == "textveil: the text mentions no surrogate of the map; it is as it was.\n"


def test_what_is_ambiguous_is_counted(tmp_path, restore: Textveil) -> None:
    other = map_of("Ann Lee left.\n", [("Ann Lee", "Ida Roe", "person")])
    options = kept(tmp_path, (FIRST,), (other,))
    code, out, err = restore("--answer", "-q", *options, stdin=b"Ann Lee.")
    assert (code, out) == (0, b"Ann Lee.")
    assert err.startswith("textveil: left as they are: 1, which may stand for several originals, or for none.")
    code, out, err = restore(*options, stdin=b"Ann Lee came.\nOf Ann Lee.\n")
    assert out == b"Maria Xylophonia came.\nOf Ida Roe.\n"
    assert err == "restored  2 documents; 1 texts of them edited since\n"


@pytest.mark.parametrize(("lines", "what"), [(1, "less"), (3, "more")])
def test_another_number_of_documents_is_refused(tmp_path, restore: Textveil, lines: int, what: str) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,))
    (tmp_path / "out.txt").write_text(FIRST.released * lines)
    code, _, err = restore(tmp_path / "out.txt", "-o", tmp_path / "back.txt", *options)
    assert (code, err.count("\n")) == (1, 1)
    assert f"the input must have as many documents as the private map; it has {what}. If it is an answer" in err
    assert "give --answer" in err
    assert not (tmp_path / "back.txt").exists()


def test_faults_are_one_line_and_leave_nothing(tmp_path, restore: Textveil) -> None:
    options = kept(tmp_path, (FIRST,), (SECOND,))
    (tmp_path / "out.txt").write_text(FIRST.released + SECOND.released)
    raw = (tmp_path / "map").read_bytes()
    (tmp_path / "broken").write_bytes(raw[:-1])
    read_or_made_key(tmp_path / "other")
    (tmp_path / "bytes.txt").write_bytes(b"Ann \xff")
    named, back = tmp_path / "out.txt", tmp_path / "back.txt"
    cases = [
        (
            [named, "--map", tmp_path / "broken", *options[2:]],
            1,
            "the private map must be whole; it ends before the end",
        ),
        ([named, *options[:3], tmp_path / "other"], 2, "--map-key must be the one with which the private map was made"),
        ([named, *options[:3], tmp_path / "none"], 1, "the file of --map-key must be readable: No such file"),
        ([named, "--map", named, *options[2:]], 1, "the private map must be a file that textveil made; this is none"),
        ([named, *options, "--document", "3"], 2, "--document must be between 1 and 2, the documents of the map"),
        ([named, *options, "--field", "text"], 2, "--field and --keep need an input of records; got txt"),
        ([named, tmp_path / "bytes.txt", *options, "--answer"], 2, "an answer must be one input; got several"),
        ([tmp_path / "bytes.txt", *options, "--answer"], 1, "the input must be UTF-8; it is not"),
    ]
    for arguments, wanted, message in cases:
        code, out, err = restore(*arguments, "-o", back)
        assert (code, out, err.count("\n")) == (wanted, b"", 1), err
        assert err.startswith("textveil: " + message), err
        assert not back.exists()
    for taken in ("map", "key", "out.txt"):
        code, _, err = restore(named, *options, "-o", tmp_path / taken)
        assert code == 2
        assert "must be different files" in err
    assert (tmp_path / "map").read_bytes() == raw


NOTE = "Maria Zyxwell (maria.zyxwell@example.org) called Tom Baker on 555-012-3456.\n"


def _released(command: Textveil, folder: Path, *options: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """A release under a policy, with its map."""
    secret = ("--map", folder / "map", "--map-key", folder / "key")
    return command("sanitize", "--policy", "identifiers", *secret, *options, stdin=stdin)


def test_what_a_policy_released_comes_back_byte_for_byte(tmp_path, command: Textveil) -> None:
    text = f"{NOTE}\n  {NOTE}Nothing.\r\n".encode()
    (tmp_path / "in.txt").write_bytes(text)
    code, _, err = _released(command, tmp_path, tmp_path / "in.txt", "-o", tmp_path / "out.txt")
    assert code == 0, err
    assert b"zyxwell" not in (tmp_path / "out.txt").read_bytes().lower()
    for name in ("map", "key"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    secret = ("--map", tmp_path / "map", "--map-key", tmp_path / "key")
    code, out, _ = command("restore", tmp_path / "out.txt", *secret)
    assert (code, out) == (0, text)
    for option in ((), ("--answer",)):
        restored = tmp_path / f"restored{len(option)}.txt"
        assert command("restore", *option, tmp_path / "out.txt", "-o", restored, *secret)[0] == 0
        assert restored.stat().st_mode & 0o777 == 0o600
    first = (tmp_path / "out.txt").read_bytes().split(b" (")[0]
    code, out, _ = command("restore", "--answer", *secret, stdin=b"Dear " + first.upper() + b"!")
    assert (code, out) == (0, b"Dear MARIA ZYXWELL!")


def test_a_release_on_standard_output_has_a_map_too(tmp_path, command: Textveil) -> None:
    code, out, err = _released(command, tmp_path, "-q", stdin=NOTE.encode() * 3)
    assert code == 0, err
    code, back, _ = command("restore", "--map", tmp_path / "map", "--map-key", tmp_path / "key", stdin=out)
    assert (code, back) == (0, NOTE.encode() * 3)


def test_a_map_that_cannot_be_is_refused_before_a_key_is_made(tmp_path, command: Textveil) -> None:
    key, private = ("--map-key", tmp_path / "key"), ("--map", tmp_path / "map")
    cases = [
        ((*private, *key), "--map needs a --policy that replaces spans"),
        ((*private, *key, "--policy", "all-words", "--epsilon", 8), "--map needs a --policy that replaces spans"),
        ((*private, "--policy", "identifiers"), "--map needs --map-key, by which it is encrypted; got none."),
        ((*key, "--policy", "identifiers"), "--map-key needs --map, which it encrypts; got none."),
        (("--map", "-", *key, "--policy", "identifiers"), "--map must be a regular file; got none."),
        (("--map", tmp_path / "key", *key, "--policy", "identifiers"), "the input, --output, every report, --map and"),
    ]
    for options, message in cases:
        code, out, err = command("sanitize", *options, stdin=NOTE.encode())
        assert (code, out, err.count("\n")) == (2, b"", 1), err
        assert err.startswith("textveil: " + message), err
        assert list(tmp_path.iterdir()) == []


def test_without_the_package_nothing_is_made(tmp_path, command: Textveil, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    code, out, err = _released(command, tmp_path, stdin=NOTE.encode())
    assert (code, out) == (2, b"")
    assert err == "textveil: `cryptography` is not installed. Run: pip install 'textveil[maps]'\n"
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_others_can_read_is_refused(tmp_path, command: Textveil) -> None:
    read_or_made_key(tmp_path / "key")
    (tmp_path / "key").chmod(0o644)
    code, out, err = _released(command, tmp_path, stdin=NOTE.encode())
    assert (code, out) == (2, b"")
    assert err.startswith("textveil: --map-key must be a file that only you can open; this one has mode 0644.")


TEXTS = [NOTE, "", 'Nothing; "quoted"\tand\r\nbroken.', "Tom Baker, 47,\nin Boston", "\u5f20 \U0001f600"]


@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "tsv", "parquet", "jsonl.gz"])
def test_every_format_of_records_comes_back(tmp_path, command: Textveil, name: str) -> None:
    rows = [{"id": str(number), "text": text} for number, text in enumerate(TEXTS)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out, back = tmp_path / f"out.{name}", tmp_path / "back.jsonl"
    code, _, err = _released(command, tmp_path, tmp_path / "in.jsonl", "--keep", "id", "-o", out)
    skip_without_extra(err)
    assert code == 0, err
    secret = ("--map", tmp_path / "map", "--map-key", tmp_path / "key")
    code, _, err = command("restore", out, *secret, "-o", back)
    assert (code, err) == (0, "restored  5 documents; 0 texts of them edited since\n")
    records = [json.loads(line) for line in back.read_text().splitlines()]
    assert [record["id"] for record in records] == ["0", "1", "2", "3", "4"]
    assert [record["text"] for record in records] == TEXTS


def test_a_job_under_a_policy_of_a_corpus_goes_on_with_its_map(tmp_path, command: Textveil) -> None:
    lines = [json.dumps({"text": f"Maria Gonzalez called Tom Baker, {number}."}) for number in range(5)]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, "no JSON"]) + "\n")
    code, _, err = _released(command, tmp_path, tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--resume")
    assert code == 1, err
    assert not (tmp_path / "map").exists()
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    code, _, err = _released(command, tmp_path, tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--resume")
    assert code == 0, err
    secret = ("--map", tmp_path / "map", "--map-key", tmp_path / "key")
    code, out, _ = command("restore", tmp_path / "out.jsonl", *secret)
    assert (code, out.decode().splitlines()) == (0, lines)
