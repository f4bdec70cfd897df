"""``textveil clean``: real transcripts, histories and notebooks, in place, checked, kept and undone."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.helpers.shared import skip_without_extra

from textveil.cli.clean import LIST
from textveil.corpora import cleaning
from textveil.sanitize.finding_process import FoundApart

Textveil = Callable[..., tuple[int, bytes, str]]

NAME, MAIL, TOKEN, PASSWORD = (
    "Katarzyna Halvorsen",
    "k.halvorsen@acme-mail.com",
    "ghp_" + "a8Kd02LmXq" * 3 + "R7t2Zs",
    "hX9-kk2Lq",
)
PLANTED = (NAME, "halvorsen", "Halvorsen", MAIL, TOKEN, PASSWORD)
CALL = "toolu_01A09q90qw90lq917835lq9"
FIRST = {
    "parentUuid": None,
    "uuid": "7d9c1b2e-1c5f-4b1a-9c3a-2b1f0e9d8c7b",
    "type": "assistant",
    "timestamp": "2026-05-01T10:00:00.123Z",
    "message": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": f"I will ask {NAME} ({MAIL}) about it."},
            {"type": "tool_use", "id": CALL, "name": "Bash", "input": {"command": f"export GITHUB_TOKEN={TOKEN}"}},
        ],
    },
}
SUMMARY = {"type": "summary", "summary": "Halvorsen called again"}
SECOND = {
    "parentUuid": FIRST["uuid"],
    "type": "user",
    "message": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": CALL, "content": "halvorsen said yes"}],
    },
    "toolUseResult": {"stdout": json.dumps({"password": PASSWORD, "exit": 0})},
}
LINKS = ("parentUuid", "uuid", "type", "timestamp", "role", "id", "name", "tool_use_id")


def shape(data: object, key: str = "") -> object:
    if isinstance(data, dict):
        return {name: shape(value, name) for name, value in data.items()}
    if isinstance(data, list):
        return [shape(value, key) for value in data]
    return data if key in LINKS else type(data).__name__


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """All commands of this file search in the same process."""
    made: dict[str, FoundApart] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cleaning, "FoundApart", lambda of, seconds: made.setdefault(of.name, FoundApart(of, seconds)))
        yield


@pytest.fixture
def clean(command) -> Textveil:
    return partial(command, "clean", "--workers", "1")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    lines = [json.dumps(SUMMARY), json.dumps(FIRST), json.dumps(SECOND), f'{{"cut short: {NAME}']
    path.write_text("\n".join(lines))
    path.chmod(0o640)
    os.utime(path, ns=(10**18, 10**18))
    return path


def test_a_transcript_is_cleaned_in_place_and_a_program_reads_it_on(session: Path, clean: Textveil) -> None:
    code, out, err = clean(session)
    assert code == 0 and out == b"" and "cleaned   1 file, 1 changed, " in err
    text = session.read_text()
    assert not [value for value in PLANTED if value in text]
    *lines, last = text.splitlines()
    summary, first, second = map(json.loads, lines)
    assert shape([summary, first, second]) == shape([SUMMARY, FIRST, SECOND])
    assert last.startswith('{"cut short: ') and json.loads(second["toolUseResult"]["stdout"])["exit"] == 0
    surname = summary["summary"].removesuffix(" called again")
    assert f"{surname} (" in first["message"]["content"][0]["text"], "a person has one surrogate in a file"
    assert second["message"]["content"][0]["content"] == f"{surname.lower()} said yes"
    assert session.stat().st_mode & 0o777 == 0o640 and session.stat().st_mtime_ns == 10**18
    assert {path.name for path in session.parent.iterdir()} == {session.name, LIST}


def test_check_changes_nothing_and_prints_no_text(session: Path, clean: Textveil) -> None:
    before = session.read_bytes()
    code, out, err = clean(session, "--check")
    lines = out.decode().splitlines()
    assert code == 1 and session.read_bytes() == before
    assert f"{session}:2: person" in lines and f"{session}:3: secret" in lines and f"{session}:4: person" in lines
    assert not [value for value in PLANTED if value in out.decode() + err]
    code, out, _ = clean(session, "--check", "--secrets-only")
    assert code == 1 and {line.rpartition(" ")[2] for line in out.decode().splitlines()} == {"secret"}
    clean(session)
    (session.parent / "plain.md").write_text("# Notes\n\nRun `make test` first.\n")
    assert clean(session.parent / "plain.md", "--check")[:2] == (0, b"")


def test_what_was_cleaned_is_clean_and_only_what_follows_is_read(session: Path, clean: Textveil) -> None:
    session.write_text(session.read_text() + "\n")
    assert clean(session)[0] == 0
    before = session.read_bytes()
    assert clean(session, "--check") == (0, b"", "checked   1 file, nothing found\n")
    assert clean(session)[0] == 0 and session.read_bytes() == before
    assert clean(session, "--check", "--whole")[0] == 1
    with session.open("a") as stream:
        stream.write(json.dumps({"content": f"password: {PASSWORD}"}) + "\n")
    code, out, _ = clean(session, "--check")
    assert (code, out.decode()) == (1, f"{session}:5: secret\n")
    assert clean(session, "--check", "--secrets-only")[:2] == (code, out)
    assert clean(session)[0] == 0
    after = session.read_bytes()
    assert after.startswith(before) and PASSWORD.encode() not in after and clean(session, "--check")[0] == 0
    session.write_bytes(after.replace(b'"assistant"', b'"assistent"', 1))
    assert clean(session, "--check")[0] == 1, "a changed byte: it is read whole again"
    listed = session.parent / LIST
    for broken in ("[", "[]", json.dumps({session.name: 1}), json.dumps({session.name: {"bytes": "1"}})):
        listed.write_text(broken)
        assert clean(session, "--check")[0] == 1


def test_secrets_alone_are_no_reason_to_pass_persons(session: Path, clean: Textveil) -> None:
    assert clean(session, "--secrets-only")[0] == 0
    assert clean(session, "--check", "--secrets-only")[0] == 0 and clean(session, "--check")[0] == 1


def test_hidden_histories_of_a_folder_are_read_and_what_is_not_is_told(tmp_path: Path, clean: Textveil) -> None:
    for name in (".zsh_history", ".bash_history", ".python_history", ".claude/projects/-x/a.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"text": f"ask {NAME}"}) + "\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".env").write_text("A=1")
    code, _, err = clean(tmp_path)
    assert code == 0 and "cleaned   4 files, 4 changed" in err
    assert "1 file of other forms not read" in err and "1 hidden folder not read" in err
    assert not any(NAME in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_links_and_pipes_are_told_and_left_and_hard_links_too(session: Path, clean: Textveil, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.jsonl"
    outside.write_text(session.read_text())
    before = outside.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(outside)
    (tmp_path / "folder").symlink_to(tmp_path.parent)
    os.mkfifo(tmp_path / "pipe.jsonl")
    code, _, err = clean(tmp_path)
    assert code == 0 and "cleaned   1 file, 1 changed" in err and outside.read_bytes() == before
    assert "2 links not read" in err and "1 file of other forms not read" in err
    for name in ("link.jsonl", "pipe.jsonl"):
        code, _, err = clean(tmp_path / name)
        assert code == 1 and "must be a regular one" in err and outside.read_bytes() == before
    (tmp_path / "other.md").write_text(f"ask {NAME}")
    os.link(tmp_path / "other.md", tmp_path / "same.bin")
    assert "1 file had other names, which keep the original (hard links)" in clean(tmp_path / "other.md")[2]
    outside.unlink()


def test_a_folder_that_cannot_be_read_is_counted(
    session: Path, clean: Textveil, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session.parent / "closed").mkdir()
    own = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError
        return own(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert "1 folder not read" in clean(session.parent)[2]


def test_names_of_files_cannot_move_a_cursor_and_owners_stay(tmp_path: Path, clean: Textveil) -> None:
    path = tmp_path / "a\x1b[2Kb\nc.md"
    path.write_text(f"ask {NAME}\n")
    if os.geteuid() == 0:
        os.chown(path, 1234, 1234)
    owner = path.stat().st_uid, path.stat().st_gid
    code, out, _ = clean(path, "--check")
    assert code == 1 and out.decode() == f"{tmp_path}/a\\x1b[2Kb\\nc.md:1: person\n"
    assert clean(path)[0] == 0 and (path.stat().st_uid, path.stat().st_gid) == owner
    path.write_bytes(b"\xff")
    assert "\x1b" not in clean(path)[2]


@pytest.mark.parametrize("written", ["%20", "_", " "])
def test_an_attachment_has_one_name_where_it_is_and_where_it_is_shown(
    written: str, tmp_path: Path, clean: Textveil
) -> None:
    name = NAME.replace(" ", "_") + ".png" if written == "_" else f"{NAME}.png"
    shown = name.replace(" ", written)
    cell = {"cell_type": "markdown", "metadata": {}, "attachments": {name: {"image/png": "iVBORw0KGgo" + "A" * 60}}}
    cell["source"] = [f"# {NAME}\n", f"![x](attachment:{shown}) and ![y](attachment:image.png)\n"]
    cell["attachments"]["image.png"] = {"image/png": "iVBORw0KGgo" + "B" * 60}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert clean(path)[0] == 0
    cleaned = json.loads(path.read_text())["cells"][0]
    first, second = cleaned["attachments"]
    assert cleaned["source"][1] == f"![x](attachment:{first}) and ![y](attachment:image.png)\n"
    assert second == "image.png" and not any(value in path.read_text() for value in (NAME, "Halvorsen"))


def test_originals_are_kept_sealed_and_put_back_before_what_was_written_since(session: Path, clean: Textveil) -> None:
    skip_without_extra("maps")
    before, keep = session.read_bytes(), session.parent / "keep"
    keep.mkdir()
    options = ("--map", keep / "map", "--map-key", keep / "key")
    assert clean(session, *options)[0] == 0
    assert NAME.encode() not in (keep / "map").read_bytes() and session.read_bytes() != before
    with session.open("a") as stream:
        stream.write("\nmore")
    assert clean("--undo", *options) == (0, b"", "restored  1 file\n")
    assert json.loads((session.parent / LIST).read_text()) == {}
    assert session.read_bytes() == before + b"\nmore"
    code, _, err = clean("--undo", *options)
    assert code == 1 and "it was changed. Nothing was put back." in err
    assert session.read_bytes() == before + b"\nmore"
    code, _, err = clean(session, *options)
    assert code == 2 and "must be a new file" in err and session.read_bytes() == before + b"\nmore"


def test_a_file_that_changes_meanwhile_stays(session: Path, clean: Textveil, monkeypatch: pytest.MonkeyPatch) -> None:
    own = cleaning.Cleaner.released

    def slow(*arguments: object) -> list[str | None]:
        with session.open("a") as stream:
            stream.write("\n")
        return own(*arguments)  # type: ignore[arg-type]

    before = session.read_bytes()
    monkeypatch.setattr(cleaning.Cleaner, "released", slow)
    code, _, err = clean(session)
    assert code == 1 and "must not change meanwhile" in err and session.read_bytes() == before + b"\n"


def test_what_cannot_be_read_is_named_and_fails(tmp_path: Path, clean: Textveil) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\0")
    (tmp_path / "b.md").write_text(f"Ask {NAME}.\n")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    code, _, err = clean(tmp_path)
    assert code == 1 and "a.txt: the file must be text in UTF-8" in err and "1 file of other forms not read" in err
    assert NAME not in (tmp_path / "b.md").read_text()
    assert clean(tmp_path / "missing")[0] == 1
    assert clean()[0] == 2 and clean("--undo", tmp_path)[0] == 2 and clean(tmp_path, "--policy", "all-words")[0] == 2


def test_keys_are_texts_and_two_keys_stay_two(tmp_path: Path, clean: Textveil) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({NAME: 1, MAIL: 2, MAIL.upper(): 3, "parentUuid": 4}) + "\n")
    assert clean(path)[0] == 0
    cleaned = json.loads(path.read_text())
    assert list(cleaned.values()) == [1, 2, 3, 4] and list(cleaned)[3] == "parentUuid"
    assert not [value for value in PLANTED if value.lower() in path.read_text().lower()]


def test_a_notebook_is_still_one_and_its_pictures_go_if_asked(tmp_path: Path, clean: Textveil) -> None:
    picture = "iVBORw0KGgo" + "QUJD" * 100
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": [f"{NAME}\n", "42\n"]},
        {"output_type": "display_data", "data": {"image/png": picture, "text/html": f"<b>{MAIL}</b>"}, "metadata": {}},
        {"output_type": "error", "ename": "KeyError", "evalue": "x", "traceback": [f"\u001b[31mKeyError: '{MAIL}'"]},
    ]
    cell = {"cell_type": "code", "id": "a1b2c3d4", "metadata": {}, "execution_count": 1, "outputs": outputs}
    cell["source"] = [f"# for {NAME}\n", f'password = "{PASSWORD}"\n']
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(book, indent=1))
    code, _, err = clean(path)
    text = path.read_text()
    assert code == 0 and not [value for value in PLANTED if value in text]
    assert picture in text and "1 picture not read: --pictures remove" in err
    assert clean(path, "--pictures", "remove")[0] == 0 and picture not in path.read_text()
    assert list(json.loads(path.read_text())["cells"][0]) == list(cell)
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_shell_reads_its_cleaned_history(tmp_path: Path, clean: Textveil) -> None:
    path = tmp_path / ".bash_history"
    path.write_text(f"#1700000000\nmysql -u root -p{PASSWORD} shop\n#1700000001\ngit commit -m 'ask {NAME}'\n")
    assert clean(path)[0] == 0
    shown = subprocess.run(
        ["bash", "--norc", "-ic", f"HISTTIMEFORMAT='%s '; history -c; history -r {path}; history"],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]},
    ).stdout  # fmt: skip
    assert "1700000000 mysql -u root -p" in shown and "1700000001 git commit -m 'ask " in shown
    assert PASSWORD not in shown and NAME not in shown
