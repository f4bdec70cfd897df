"""A release that was paid for and not written is drawn again, the same; other records or settings never share draws."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textveil.aggregates.count_run import count
from textveil.aggregates.learning import learn
from textveil.aggregates.payment import Paid
from textveil.aggregates.request import CorpusRequest, PersonalRecords, digested
from textveil.corpora.job_ledger import PAID, JobFolder
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.randomness import seeded_generator

pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")

ROWS = [{"who": f"p{n % 8}", "text": f"red green {'blue' * (n % 3)}", "kind": "ab"[n % 2]} for n in range(32)]


class Killed(BaseException):
    """Stands for a kill: nothing cleans up behind it but what must."""


class Release:
    """A count of some rows, paid for from a ledger; what it draws is kept."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.draws, self.left = folder, list[str](), 99
        self.folder = JobFolder(folder / "out.csv", PAID)
        self.folder.path.mkdir(mode=0o700)
        self.payer = Payer(str(folder / "budget.db"), folder=self.folder)
        self.rows(ROWS)
        (folder / "words.txt").write_text("red green blue")
        sample = DiscreteGaussian.sample

        def drawn(noise: DiscreteGaussian, size: int, rng: np.random.Generator) -> Any:
            values = sample(noise, size, rng)
            self.draws.append(hashlib.sha256(values.tobytes()).hexdigest())
            self.left -= 1
            if not self.left:
                raise Killed
            return values

        monkeypatch.setattr(DiscreteGaussian, "sample", drawn)

    def rows(self, rows: list[dict[str, str]]) -> None:
        (self.path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(self, *, killed: bool = False, payer: Payer | None = None, **changes: Any) -> list[str]:
        """What one run draws."""
        self.draws, self.left = [], 2 if killed else 99
        records = {"unit": "who", "label": "kind", **changes.pop("records", {})}
        asked = {"epsilon": 8.0, "delta": 1e-4, "labels": ["a", "b"]}
        asked = {name: changes.pop(name, value) for name, value in asked.items()}
        if (seed := changes.pop("seed", None)) is not None:
            asked["rng"] = seeded_generator(seed)
        settings = {"words": str(self.path / "words.txt"), **changes}
        corpus = PersonalRecords(inputs=(str(self.path / "in.jsonl"),), **records)
        try:
            count(CorpusRequest(corpus, payer=payer or self.payer, **asked), **settings)
        except Killed:
            assert killed
        return self.draws

    def paid(self, ledger: str = "budget.db") -> int:
        """How often somebody has paid."""
        from textveil.budget.ledger import Ledger

        with Ledger(str(self.path / ledger)) as opened:
            assert opened.verify().sound
            return [entry.what for entry in opened.entries()].count("reserve")


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Release:
    return Release(tmp_path, monkeypatch)


def test_the_same_release_goes_on_with_the_same_draws_and_pays_once(release: Release) -> None:
    first = release.run(killed=True)
    assert release.paid() == 8 and len(first) == 2
    assert (release.folder.secret.stat().st_mode | release.folder.paid.stat().st_mode) & 0o077 == 0
    assert release.run(killed=True) == first
    assert release.run()[:2] == first and release.run()[:2] == first and release.paid() == 8
    release.folder.cleared()
    assert not set(release.run()) & set(first) and release.paid() == 16


CHANGED_ROWS: dict[str, Callable[[], list[dict[str, str]]]] = {
    "order": lambda: [ROWS[1], ROWS[0], *ROWS[2:]],
    "one less": lambda: ROWS[:-1],
    "one more": lambda: [*ROWS, ROWS[0]],
    "person": lambda: [{**ROWS[0], "who": "p1"}, *ROWS[1:]],
    "name": lambda: [{**row, "who": row["who"].replace("p7", "q7")} for row in ROWS],
    "label": lambda: [{**ROWS[0], "kind": "b"}, *ROWS[1:]],
    "cut": lambda: [{**ROWS[0], "text": ROWS[0]["text"] + ROWS[1]["text"]}, {**ROWS[1], "text": ""}, *ROWS[2:]],
}
CHANGED: dict[str, dict[str, Any]] = {
    "epsilon": {"epsilon": 7.0},
    "delta": {"delta": 1e-5},
    "labels": {"labels": ["b", "a"]},
    "one label": {"labels": ["a"]},
    "selected labels": {"labels": []},
    "ngrams": {"ngrams": 2},
    "items": {"items_per_person": 19},
    "repeats": {"repeats": 2},
    "words": {"words": "none"},
    "no label": {"records": {"label": None}, "labels": []},
    "limit": {"records": {"limit": 4}},
    "unit": {"records": {"unit": "document"}},
    "seed": {"seed": 1},
}


@pytest.mark.parametrize("change", [*CHANGED_ROWS, *CHANGED, "public words", "tenant", "version"])
def test_other_records_or_settings_are_refused_or_paid_anew_with_other_draws(
    change: str, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shared noise would tell two corpora apart by the difference of what comes out, at no further cost."""
    first, secret = release.run(killed=True), release.folder.secret.read_bytes()
    before, payer, changes = release.paid(), release.payer, CHANGED.get(change, {})
    if change in CHANGED_ROWS:
        release.rows(CHANGED_ROWS[change]())
    elif change == "public words":
        (release.path / "words.txt").write_text("red green yellow")
    elif change == "tenant":
        payer = replace(payer, tenant="other")
    elif change == "version":
        monkeypatch.setattr("textveil.aggregates.payment.VERSION", "0.0")
    with pytest.raises(ParameterError, match=r"paid and not written; .*set `overwrite`") as error:
        release.run(payer=payer, **changes)
    assert "\n" not in str(error.value) and not release.draws and release.paid() == before
    assert release.folder.secret.read_bytes() == secret
    drawn = release.run(payer=replace(payer, anew=True), killed=True, **changes)
    assert release.paid() > before and release.folder.secret.read_bytes() != secret
    assert drawn and not set(drawn) & set(first)


def test_a_ledger_that_does_not_hold_what_was_paid_is_paid(release: Release) -> None:
    first = release.run(killed=True)
    for name in ("budget.db", "budget.db.key"):
        (release.path / name).rename(release.path / name.replace("budget", "old"))
    assert release.run()[:2] == first
    assert (release.paid(), release.paid("old.db")) == (8, 8)


def test_a_seed_goes_on_as_such_and_serves_no_other(release: Release) -> None:
    first = release.run(killed=True, seed=1)
    assert release.run(killed=True, seed=1) == first and release.paid() == 8
    for seed in (2, None):
        with pytest.raises(ParameterError, match="paid and not written"):
            release.run(seed=seed)


def test_a_note_that_is_not_whole_is_of_a_run_that_drew_nothing(release: Release) -> None:
    first = release.run(killed=True)
    release.folder.paid.write_bytes(release.folder.paid.read_bytes()[:-2])
    assert not set(release.run()) & set(first) and release.paid() == 16


def test_what_fails_before_a_draw_is_not_remembered(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Paid) -> None:
        raise Killed

    monkeypatch.setattr(Paid, "rng", property(fails))
    release.run(killed=True)
    assert not release.folder.paid.exists()


def test_labels_that_were_looked_for_and_not_found_are_not_remembered(release: Release) -> None:
    records = PersonalRecords(inputs=(str(release.path / "in.jsonl"),), unit="who", label="kind")
    with pytest.raises(InputError, match=r"none was.*charged in full"):
        learn(CorpusRequest(records, epsilon=0.1, delta=1e-9, payer=release.payer))
    assert release.paid() == 8 and not release.folder.paid.exists() and not release.folder.secret.exists()


def test_records_that_change_while_they_are_read_are_refused(release: Release) -> None:
    records = PersonalRecords(inputs=(str(release.path / "in.jsonl"),), unit="who", label="kind")
    batches = list(records.batches())
    assert digested(batches, records.names) == records.digest
    release.rows([*ROWS[:-1], {**ROWS[-1], "text": "another"}])
    with pytest.raises(InputError, match="it was changed"):
        list(records.batches())
