"""A run that a ledger pays for: counted before anything is drawn, taken from all or from none, and never twice."""

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.records import WORDS
from tests.helpers.runs import run_of
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.corpora.block_worker import BlockWorker, InProcess
from textveil.corpora.blocks import Block, Outcome, RecordColumns
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.payment import Payer
from textveil.corpora.processes import Processes
from textveil.errors import BudgetExhausted, InputError, OutputError, ParameterError

ROWS = [
    ("ann", "Maria Gonzalez saw 2 cats on 3 March 2024."),
    ("bob", "Maria, 44, called 617-555-0133."),
    ("ann", ""),
    ("ann", "Maria Gonzalez came back to Boston."),
    (None, "17 words."),
]


@dataclass
class DiesAfter:
    """Releases so many blocks, and counts all."""

    blocks: int

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        for number, one in enumerate(InProcess().outcomes(worker, blocks)):
            if number == self.blocks and not worker.counts_only:
                raise OutputError("the disk is gone.")
            yield one


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "budget.db")


def records(tmp_path: Path) -> str:
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"who": who, "text": text}) + "\n" for who, text in ROWS))
    return str(path)


def run(source: str, place: str, made: Any, **changes: Any) -> Run:
    facts: dict[str, Any] = {
        "mechanism": made,
        "corpus_format": JsonLines(choice=FieldChoice(("text",), (), ("who",))),
        "inputs": (source,),
        "columns": RecordColumns(unit="who"),
        "engine": InProcess(),
        "payer": Payer(place, "clinic"),
    }
    return run_of(**(facts | changes))


def spent(place: str, unit: str | None) -> float:
    with Ledger(place) as ledger:
        assert ledger.verify().problems == ()
        return ledger.balance(Account("clinic", unit)).spent.approximate().epsilon


@pytest.mark.parametrize("name", ["all-words", "clinical", "content-words", "identifiers"])
def test_each_person_pays_what_the_report_says(name: str, tmp_path: Path, place: str) -> None:
    finished = run(records(tmp_path), place, tv.policy(name)).to_stream(io.BytesIO())
    report = finished.report.to_data()["guarantee"]
    paid = [spent(place, "ann"), spent(place, "bob")]
    assert max(paid) == report["per_person"]["epsilon"]
    assert spent(place, None) == report["whole_input"]["epsilon"]
    assert (sum(paid) > 0) == (name != "identifiers")
    with Ledger(place) as ledger:
        everything = ledger.balance(Account("clinic"))
        assert everything.reserved is not None and everything.reserved.approximate().epsilon == 0
        assert everything.releases == 3  # ann, bob, and records that name nobody


def test_values_of_other_columns_are_counted_as_they_are_drawn(tmp_path: Path, place: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"who": "Xyzzy", "text": "So Xyzzy left."}) + "\n")
    columns = RecordColumns(known=(("who", "date"),))
    finished = run(str(path), place, tv.policy("clinical"), columns=columns).to_stream(io.BytesIO())
    assert spent(place, None) == finished.report.to_data()["guarantee"]["whole_input"]["epsilon"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("engine", [InProcess(), Processes(2)], ids=["here", "processes"])
def test_one_who_cannot_pay_stops_all_and_nothing_is_taken_or_written(engine: Any, tmp_path: Path, place: str) -> None:
    source = records(tmp_path)
    with Ledger(place) as ledger:
        ledger.set_limit(Account("clinic", "bob"), Limit(epsilon=1.0))
    before = sorted(path.name for path in tmp_path.iterdir())
    run_now = run(source, place, tv.policy("all-words"), engine=engine, block_bytes=40)
    with pytest.raises(BudgetExhausted, match="this person has epsilon 1 left"):
        run_now.to_file(tmp_path / "out.jsonl", tmp_path / "report.json")
    out = io.BytesIO()
    with pytest.raises(BudgetExhausted):
        run_now.to_stream(out)
    assert out.getvalue() == b"" and sorted(path.name for path in tmp_path.iterdir()) == before
    assert spent(place, "ann") == spent(place, None) == 0


def lines(tmp_path: Path, count: int = 40) -> str:
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{WORDS[number % 7]} {WORDS[number % 5]} line\n" for number in range(count)))
    return str(path)


def plain(source: str, place: str, **changes: Any) -> Run:
    mechanism = tv.mechanism("randomized-response", made_vocabulary(len(WORDS), 4), epsilon=1.0)
    facts = {"corpus_format": PlainText(), "columns": RecordColumns(), "payer": Payer(place, "clinic", "ann")}
    return run(source, place, mechanism, block_bytes=64, sync_seconds=0.0, **(facts | changes))


def test_a_job_that_goes_on_is_not_paid_for_again(tmp_path: Path, place: str) -> None:
    source, out = lines(tmp_path), tmp_path / "out.txt"
    with pytest.raises(OutputError, match="the disk is gone"):
        plain(source, place, engine=DiesAfter(3)).to_file(out)
    once = spent(place, "ann")
    assert once == 120 and not out.exists()
    with Ledger(place) as ledger:
        ledger.set_limit(Account("clinic", "ann"), Limit(epsilon=once))  # there is nothing left for a second time
    finished = plain(source, place).to_file(out, resume=True)
    assert finished.report.to_data()["guarantee"]["whole_input"]["epsilon"] == spent(place, "ann") == once
    assert len(out.read_text().splitlines()) == 40
    with Ledger(place) as ledger:
        reserved = ledger.balance(Account("clinic", "ann")).reserved
        assert reserved is not None and reserved.approximate().epsilon == 0
    assert plain(source, place).to_file(out, resume=True).already  # a finished one costs nothing more
    assert spent(place, "ann") == once


def test_a_job_whose_input_changed_pays_for_all_of_it(tmp_path: Path, place: str) -> None:
    """Also if as much is drawn as before: the draws are other ones."""
    out, source = tmp_path / "out.txt", Path(lines(tmp_path))
    with pytest.raises(OutputError):
        plain(str(source), place, engine=DiesAfter(3)).to_file(out)
    source.write_text(source.read_text()[:400] + source.read_text()[400:].upper())
    plain(str(source), place).to_file(out, resume=True)
    assert spent(place, "ann") == 240


@dataclass
class Overtaken:
    """Somebody writes to the input once it was counted."""

    source: Path
    text: str

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        yield from InProcess().outcomes(worker, blocks)
        if worker.counts_only:
            self.source.write_text(self.text)


@pytest.mark.parametrize("job", [True, False])
@pytest.mark.parametrize("more", ["cat\n", "cat\n" * 200], ids=["a line", "many"])
def test_what_was_not_counted_is_not_released(tmp_path: Path, place: str, job: bool, more: str) -> None:
    source, out = Path(lines(tmp_path)), io.BytesIO()
    written = plain(str(source), place, engine=Overtaken(source, source.read_text() + more))
    with pytest.raises(InputError, match="it changed after it was paid for"):
        written.to_file(tmp_path / "out.txt") if job else written.to_stream(out)
    assert not (tmp_path / "out.txt").exists()
    assert 3 * out.getvalue().count(b"\n") <= spent(place, "ann") == 120


def test_standard_input_is_read_twice_and_other_pipes_are_refused(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(lines(tmp_path)).read_bytes()
    stdin = io.TextIOWrapper(io.BytesIO(text))
    monkeypatch.setattr(sys, "stdin", stdin)
    out = io.BytesIO()
    plain("-", place).to_stream(out)
    assert len(out.getvalue().splitlines()) == 40 and spent(place, "ann") == 120
    assert sys.stdin is stdin
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ParameterError, match="`ledger` needs inputs that can be read twice; input 1"):
        plain(str(tmp_path / "pipe"), place).to_stream(io.BytesIO())


def test_counting_draws_nothing_and_holds_no_text(tmp_path: Path, place: str) -> None:
    source = records(tmp_path)
    one = run(source, place, tv.policy("all-words"))
    worker = replace(one._worker(bytes(32)), counts_only=True)
    outcomes = list(InProcess().outcomes(worker, one._inputs(bytes(32)).blocks()))
    assert [outcome.data for outcome in outcomes] == [b""]
    assert set(outcomes[0].persons) == {b"=ann", b"=bob", b""}


@pytest.mark.parametrize("job", [True, False])
def test_a_run_that_fails_before_it_draws_takes_back_what_it_reserved(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, job: bool
) -> None:
    def fails(*_: object) -> None:
        raise OutputError("the tables cannot be made.")

    made = run(records(tmp_path), place, tv.policy("all-words"))
    with monkeypatch.context() as patch:
        patch.setattr("textveil.corpora.processes.provided_tables", fails)
        with pytest.raises(OutputError, match=r"^the tables cannot be made\.$"):
            made.to_file(tmp_path / "out.jsonl", resume=True) if job else made.to_stream(io.BytesIO())
    assert spent(place, "ann") == spent(place, "bob") == spent(place, None) == 0
    made.to_file(tmp_path / "out.jsonl", resume=True) if job else made.to_stream(io.BytesIO())
    with Ledger(place) as ledger:
        assert ledger.balance(Account("clinic", "ann")).releases == 1


def test_a_run_that_fails_after_it_draws_says_that_it_is_charged(tmp_path: Path, place: str) -> None:
    made = run(records(tmp_path), place, tv.policy("all-words"), engine=DiesAfter(1), block_bytes=40)
    with pytest.raises(OutputError, match=r"the disk is gone\. The release is charged in full"):
        made.to_stream(io.BytesIO())
    assert spent(place, "ann") > 0
