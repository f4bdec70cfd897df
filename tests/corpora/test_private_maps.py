"""The private map of a run: with the output in blocks and order, whatever the engine, and after any death.

Run as a script, this file is what is killed; see ``test_jobs_killed``.
"""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.test_jobs_killed import corpus, die_at, job_folder, made_run, python_of
from tests.helpers.deadly import FATAL, WORDS, deadly
from tests.helpers.private_maps import map_of
from tests.helpers.undoable import Undoable

from textveil.corpora import restored as map_files
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.inputs import Places
from textveil.corpora.processes import Processes
from textveil.corpora.restored import write_map_file
from textveil.errors import InputError, ParameterError
from textveil.surrogates.map_file import MapFile, PrivateMap

KEY = bytes(range(32))


def map_run(folder: Path, **changes: Any) -> Run:
    made = made_run(folder, **{"block_bytes": 3000, **changes})
    return replace(made, options=Undoable(made.options), map_key=KEY)  # type: ignore[arg-type]


def go_on(folder: Path, **changes: Any) -> Any:
    places = {"private_map": folder / "map", "resume": True}
    return map_run(folder, **changes).to_file(folder / "out.jsonl", folder / "report.json", **places)


def check_map(folder: Path) -> None:
    """The map restores the whole output: as many documents, in order, each with its text."""
    texts = [json.loads(line)["text"] for line in (folder / "in.jsonl").read_bytes().splitlines()]
    released = [json.loads(line)["text"] for line in (folder / "out.jsonl").read_bytes().splitlines()]
    maps = list(MapFile(folder / "map", KEY).documents())
    assert [one.released for (one,) in maps] == released
    assert [one.original() for (one,) in maps] == texts
    assert (folder / "map").stat().st_mode & 0o777 == 0o600
    assert MapFile(folder / "map", KEY).about == {"sanitized": ["text"], "kept": ["id"]}
    strays = [path.name for path in folder.iterdir() if path.name.startswith(".textveil-")]
    assert not [name for name in strays if name.endswith(".partial")]


def _script(folder: Path, steps: str) -> None:
    for case, text in enumerate(steps.split(";")):
        one = folder / f"case{case}"
        one.mkdir()
        corpus(one)
        for step in text.split(","):
            status = die_at(int(step), lambda one=one: go_on(one))
            assert status in (0, signal.SIGKILL), status
            if status == 0:
                break
        go_on(one)
        check_map(one)
        assert sorted(path.name for path in job_folder(one).iterdir()) == ["ledger.jsonl"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_a_job_killed_at_any_call_has_the_map_of_its_output(tmp_path) -> None:
    """A whole run has 46 calls that matter; it is killed before one, and then again soon after."""
    cases = [f"{step},{2 - step % 5}" for step in (*range(1, 33, 3), *range(33, 48))]
    done = python_of(__file__, str(tmp_path), ";".join(cases))
    _, err = done.communicate(timeout=600)
    assert done.returncode == 0, err.decode()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_processes_seal_the_map_of_their_blocks(tmp_path, workers: int) -> None:
    corpus(tmp_path)
    go_on(tmp_path, engine=Processes(workers))
    check_map(tmp_path)


def test_a_stream_has_its_map_in_a_file(tmp_path) -> None:
    corpus(tmp_path)
    run, out = map_run(tmp_path), io.BytesIO()
    places = Places(inputs=run.inputs, private_map=tmp_path / "map", map_key=tmp_path / "key")
    run.to_places(places, lambda: out)
    (tmp_path / "out.jsonl").write_bytes(out.getvalue())
    check_map(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("deaths", [1, 2])
def test_a_worker_that_dies_leaves_output_and_map_together(tmp_path, deaths: int) -> None:
    lines = [json.dumps({"id": number, "text": WORDS[number % 7] + f" {number}"}) for number in range(60)]
    lines[33] = json.dumps({"id": 33, "text": FATAL})
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    killing = deadly(tmp_path / "deaths", deaths)
    go_on(tmp_path, mechanism=killing, engine=Processes(2), block_bytes=200, on_error="skip")
    ids = [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert (33 in ids) == (deaths == 1)
    kept = [line for line in lines if json.loads(line)["id"] in ids]
    (tmp_path / "in.jsonl").write_text("\n".join(kept) + "\n")
    check_map(tmp_path)


def test_a_stream_that_fails_leaves_no_map(tmp_path) -> None:
    _interrupted(tmp_path, begun=False)
    run = map_run(tmp_path)
    with pytest.raises(InputError, match="line 61"):
        run.to_places(Places(inputs=run.inputs, private_map=tmp_path / "map", map_key=tmp_path / "key"), io.BytesIO)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_records_that_are_skipped_are_in_neither(tmp_path) -> None:
    lines = corpus(tmp_path).read_text().splitlines()
    bad = [*lines[:20], "no JSON", *lines[20:60], *["no JSON"] * 30, *lines[60:]]
    (tmp_path / "in.jsonl").write_text("\n".join(bad) + "\n")
    go_on(tmp_path, on_error="skip")
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    check_map(tmp_path)


def test_blank_documents_have_maps_too(tmp_path) -> None:
    (tmp_path / "in.txt").write_bytes(b"waa wab\n\n\r\nwaa\n\n")
    run = map_run(tmp_path, inputs=(str(tmp_path / "in.txt"),), corpus_format=PlainText())
    run.to_file(tmp_path / "out.txt", private_map=tmp_path / "map")
    maps = list(MapFile(tmp_path / "map", KEY))
    assert "".join(one.original() for one in maps) == "waa wab\n\n\r\nwaa\n\n"
    assert "".join(one.released for one in maps) == (tmp_path / "out.txt").read_bytes().decode()


def test_a_finished_job_wants_its_map_to_be_there(tmp_path) -> None:
    corpus(tmp_path)
    go_on(tmp_path)
    assert go_on(tmp_path).already
    raw = (tmp_path / "map").read_bytes()
    for broken in (raw[:-1], None):
        if broken is None:
            (tmp_path / "map").unlink()
        else:
            (tmp_path / "map").write_bytes(broken)
        with pytest.raises(ParameterError, match="needs the private map of the job, which is finished; it is gone or"):
            go_on(tmp_path)


def _interrupted(folder: Path, *, begun: bool = True) -> None:
    """An input with a bad line, and a job that some blocks of it are committed of."""
    corpus(folder)
    lines = (folder / "in.jsonl").read_text().splitlines()
    (folder / "in.jsonl").write_text("\n".join([*lines[:60], "no JSON"]) + "\n")
    if not begun:
        return
    with pytest.raises(InputError, match="line 61"):
        go_on(folder)
    assert job_folder(folder).is_dir()


@pytest.mark.parametrize("lost", ["all", "some", "all but the header"])
def test_what_the_map_has_lost_is_released_again_and_comes_out_the_same(tmp_path, lost: str) -> None:
    _interrupted(tmp_path)
    kept = job_folder(tmp_path) / "map"
    out = (job_folder(tmp_path) / "partial").read_bytes()
    if lost == "all":
        kept.unlink()
    else:
        kept.write_bytes(kept.read_bytes()[: 200 if lost == "all but the header" else -100])
    with pytest.raises(InputError, match="line 61"):
        go_on(tmp_path)
    assert (job_folder(tmp_path) / "partial").read_bytes() == out


def test_another_key_or_none_cannot_go_on(tmp_path) -> None:
    _interrupted(tmp_path)
    other = replace(map_run(tmp_path), map_key=KEY[::-1])
    with pytest.raises(ParameterError, match="map_key must be the one with which the private map was made"):
        other.to_file(tmp_path / "out.jsonl", private_map=tmp_path / "map", resume=True)
    with pytest.raises(ParameterError, match="these differ now: private map"):
        other.to_file(tmp_path / "out.jsonl", resume=True)
    without = replace(other, map_key=None)
    with pytest.raises(ParameterError, match="`private_map` needs `map_key`"):
        without.to_file(tmp_path / "out.jsonl", private_map=tmp_path / "map")


def test_releases_that_cannot_be_undone_are_refused(tmp_path) -> None:
    corpus(tmp_path)
    run = replace(made_run(tmp_path), map_key=KEY)
    with pytest.raises(ParameterError, match="a private map needs releases that can be undone; these cannot"):
        run.to_file(tmp_path / "out.jsonl", private_map=tmp_path / "map")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl"]


def test_a_map_is_no_other_file_and_no_stream(tmp_path) -> None:
    corpus(tmp_path)
    names = [tmp_path / name for name in ("in.jsonl", "out.jsonl", "report.json", "key")]
    places = {"inputs": (str(names[0]),), "output": names[1], "reports": (names[2],), "map_key": names[3]}
    for taken in names:
        with pytest.raises(ParameterError, match="`private_map` and `map_key` must be different files; got one twice"):
            Places(private_map=taken, **places)  # type: ignore[arg-type]
    for wrong in ("-", "/dev/null"):
        with pytest.raises(ParameterError, match="`private_map` must be a regular file"):
            Places(private_map=Path(wrong), **places)  # type: ignore[arg-type]


def test_maps_of_releases_made_in_python_are_written_in_blocks(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(map_files, "_BLOCK_CHARACTERS", 20)
    maps = [map_of(f"Ann {number} came.", [("Ann", "Ida", "person")]) for number in range(9)]
    assert write_map_file(tmp_path / "map", KEY, iter(maps)) == 9
    assert list(MapFile(tmp_path / "map", KEY)) == maps
    assert (tmp_path / "map").stat().st_mode & 0o777 == 0o600
    (tmp_path / "map").unlink()  # it would be refused
    assert write_map_file(tmp_path / "map", KEY, []) == 0
    assert list(MapFile(tmp_path / "map", KEY)) == []

    def broken() -> Iterator[PrivateMap]:
        yield maps[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_map_file(tmp_path / "other", KEY, broken())
    assert [path.name for path in tmp_path.iterdir()] == ["map"]


def test_the_example_runs() -> None:
    path = Path(__file__).parents[2] / "examples/restore.py"
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    released, _, restored = done.stdout.splitlines()
    assert "zyxwell" not in released.lower()
    assert restored == "restored: **MARIA ZYXWELL** and Tom Baker met; Maria's note is short."


if __name__ == "__main__":
    _script(Path(sys.argv[1]), sys.argv[2])
