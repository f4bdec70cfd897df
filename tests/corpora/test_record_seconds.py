"""A limit on the time that one record's detection takes: it holds in the middle of a search, and for that record."""

import io
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.test_conversion import corpus, rows_of
from tests.helpers.policies import Finds, small_policy, surrogate
from tests.helpers.runs import run_of, worker_of

import textveil as tv
from textveil.corpora.block_worker import InProcess
from textveil.corpora.blocks import Block, RecordColumns
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.payment import Payer
from textveil.corpora.processes import Processes
from textveil.errors import InputError, ModelError, ParameterError, SlowText, TextveilError
from textveil.sanitize import finding_process as found_apart
from textveil.sanitize.finding_process import FoundApart
from textveil.sanitize.policy.policy import Policy

PLENTY = 600.0
LITTLE = 0.5


@dataclass(frozen=True)
class Fails:
    """Finds names; for some texts it never ends, waits, crashes or fails."""

    kinds: tuple[str, ...] = ("person",)
    name: str = "fails"

    def detect(self, texts: Sequence[str]) -> list[Any]:
        for text in texts:
            while "ENDLESS" in text:
                pass
            if "ASLEEP" in text:
                time.sleep(600)
            if "CRASH" in text:
                os._exit(1)
            if "FAIL" in text:
                raise ModelError(text)
        return Finds().detect(texts)


def policy() -> Policy:
    return small_policy(surrogate("person", "person", epsilon=0), scope="document", detectors=(Fails(),))


def rows(*bad: int, count: int = 12, word: str = "ENDLESS") -> list[dict[str, Any]]:
    return [
        {
            "who": f"p{number % 3}",
            "note": None if number % 4 == 1 else f"Bo and Mara, {number}",
            "text": f"Marie came {word if number in bad else 'home'}.",
            "id": str(number),
        }
        for number in range(count)
    ]


def released(path: Path, raw: bytes, **changes: Any) -> Any:
    """What comes out, and what the run did."""
    path.write_bytes(raw)
    lines = path.suffix == ".txt"
    columns = RecordColumns() if lines else RecordColumns(scope="who", known=(("who", "person"),))
    fields = {} if lines else {"kept": ("id",), "sanitized": ("text", "note")}
    choice = FormatChoice(read=columns.names, **fields)
    facts: dict[str, Any] = {
        "mechanism": policy(),
        "seed": 1,
        "corpus_format": choice.reader([str(path)]),
        "inputs": (str(path),),
        "columns": columns,
        "engine": InProcess(),
        "record_seconds": PLENTY,
    }
    stream = io.BytesIO()
    finished = run_of(**{**facts, **changes}).to_stream(stream)
    return stream.getvalue(), finished


FORMATS = ["jsonl", "json", "csv", "parquet"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_release_is_the_same_with_a_limit_that_none_reaches(tmp_path: Path, name: str) -> None:
    """Kills: values of other columns, null texts or scopes that the other process does not know of."""
    raw = corpus(name, rows())
    out, limited = released(tmp_path / f"in.{name}", raw)
    same, free = released(tmp_path / f"in.{name}", raw, record_seconds=None)
    assert out == same
    assert limited.report.to_json() == free.report.to_json()


@pytest.mark.parametrize("name", [FORMATS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in FORMATS[1:])])
def test_a_record_over_the_limit_is_skipped_and_the_others_are_released(tmp_path: Path, name: str) -> None:
    raw = corpus(name, rows(3, 5))
    out, finished = released(tmp_path / f"in.{name}", raw, record_seconds=LITTLE, on_error="skip")
    assert [row["id"] for row in rows_of(name, out)] == [str(n) for n in range(12) if n not in (3, 5)]
    assert b"ENDLESS" not in out and b"Marie" not in out
    unit = "line" if name == "jsonl" else "record"
    first = 5 if name == "csv" else 4  # the header is a record of CSV
    skips = [(skip.first, skip.last, skip.reason) for skip in finished.totals.skipped]
    why = f"must take at most {LITTLE:g} s to be read; it takes longer. Raise `record_seconds`, or leave it out."
    numbers = [skip[0] for skip in skips]
    assert numbers[1] - numbers[0] == 2 and numbers[0] in (4, first)
    assert skips == [(number, number, f"{unit} {number} {why}") for number in numbers]
    data = finished.report.to_data()
    assert data["documents"] == 10
    assert finished.totals.nulls == (0 if name == "csv" else 2), "one of the three is in a record that is left out"


@pytest.mark.slow
def test_lines_and_processes(tmp_path: Path) -> None:
    """Each process that releases has one beside it that finds: the same as in one process."""
    raw = "".join(f"Marie {'ENDLESS' if number == 7 else 'came'} {number}\n\n" for number in range(40)).encode()
    facts: dict[str, Any] = {"record_seconds": LITTLE, "on_error": "skip", "block_bytes": 60}
    out, finished = released(tmp_path / "in.txt", raw, **facts)
    assert out.count(b"\n") == 79 and b"ENDLESS" not in out
    assert [skip.first for skip in finished.totals.skipped] == [15]
    assert released(tmp_path / "in.txt", raw, engine=Processes(2), **facts)[0] == out


def test_all_records_of_a_block_may_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1 must take at most .* No document could be released"):
        released(tmp_path / "in.txt", b"Marie ENDLESS\n", record_seconds=LITTLE, on_error="skip")


def test_a_run_that_is_to_stop_stops(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^record 2 must take at most {LITTLE:g} s to be read"):
        released(tmp_path / "in.json", corpus("json", rows(1)), record_seconds=LITTLE)


def test_a_record_over_which_processes_crash_is_left_out_alone(tmp_path: Path) -> None:
    raw = corpus("jsonl", rows(1, word="CRASH"))
    out, finished = released(tmp_path / "in.jsonl", raw, on_error="skip")
    assert len(rows_of("jsonl", out)) == 11
    (skip,) = finished.totals.skipped
    assert skip.reason.startswith("line 2: the texts must be read by a process; 2 crashed on them.")


def test_a_detector_that_fails_stops_the_run_and_quotes_nothing(tmp_path: Path) -> None:
    with pytest.raises(TextveilError, match="what finds values must not fail; it did") as failed:
        released(tmp_path / "in.jsonl", corpus("jsonl", rows(1, word="FAIL")), on_error="skip")
    assert "Marie" not in str(failed.value)


def test_the_limit_by_the_clock_holds_for_what_only_waits() -> None:
    """Kills: a limit on processor time alone."""
    apart = FoundApart(policy(), PLENTY)
    apart._wall = PLENTY
    assert apart.found(["Marie"], None) == Finds().detect(["Marie"])
    apart._wall = 0.5
    with pytest.raises(SlowText):
        apart.found(["ASLEEP"], None)
    apart._wall = PLENTY
    assert apart.found(["Marie"], None) == Finds().detect(["Marie"])


def test_a_process_that_cannot_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found_apart, "command", lambda: (os.devnull,))
    with pytest.raises(TextveilError, match="must start"):
        FoundApart(policy(), PLENTY).found(["Marie"], None)


def test_other_records_never_meet_the_same_draws() -> None:
    """Kills: a block done again, in which other records are in time, under the stream of the first time."""
    worker = worker_of(mechanism=policy(), corpus_format=PlainText(), secret=bytes(32))
    block = Block(number=0, source=1, first=1, count=2, payload=b"one\ntwo\n")
    draws = [worker._generator(block, left).integers(1 << 62) for left in ((), (), (0,), (1,), (0, 1))]
    assert draws[0] == draws[1] and len(set(draws)) == 4


def test_a_limit_that_means_nothing_is_refused(tmp_path: Path, tiny: tv.Vocabulary) -> None:
    for seconds in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="record_seconds must be finite and > 0"):
            released(tmp_path / "in.txt", b"Marie\n", record_seconds=seconds)
    mechanism = tv.mechanism("randomized-response", tiny, epsilon=1.0)
    with pytest.raises(ParameterError, match="record_seconds must be left out where no `policy` finds spans"):
        released(tmp_path / "in.txt", b"Marie\n", mechanism=mechanism)


def test_what_is_paid_for_is_not_skipped_by_time(tmp_path: Path) -> None:
    """Kills: a record too slow to be counted, and in time to be released, that nobody paid for."""
    payer = Payer(str(tmp_path / "ledger.db"))
    with pytest.raises(ParameterError, match="record_seconds must be left out where a `ledger` pays"):
        released(tmp_path / "in.txt", b"Marie\n", payer=payer, on_error="skip")
