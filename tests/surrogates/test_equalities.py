"""What is public of several values: nothing but the equalities that are listed, in releases and in their counts."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.policies import Finds, small_policy, surrogate
from tests.helpers.surrogates import STRANGE, made, outputs

from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates import person as persons
from textveil.surrogates.making import SURROGATE_ENTRIES
from textveil.surrogates.scopes import MemoryScope, Scope
from textveil.surrogates.surrogate import Mention, Surrogate
from textveil.surrogates.writing import shape_of

ATTACKS = Path(__file__).resolve().parents[2] / "benchmarks" / "attacks"
EACH = pytest.mark.parametrize("name", SURROGATE_ENTRIES)
PARTED = ("person", "place", "date-window")
"""Drawn part by part, or read by the order of their text, so that a new value may take no new draw."""


@pytest.fixture
def attack(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ATTACKS))
    return import_module("pairs_of_releases")


@EACH
def test_texts_that_agree_in_every_listed_fact_are_not_told_apart(name: str, attack: Any) -> None:
    for scope in attack.scopes_of(name):
        told = attack.told_apart(name, scope, pairs=25, seed=3)
        assert told.different > 10
        assert (told.releases, told.reports) == (0, 0)


def test_an_equality_that_is_not_listed_is_seen(attack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two mutants: initials letter by letter, and counts of values as they are written."""

    def letter_by_letter(key: str, count: int, scope: Scope, rng: np.random.Generator) -> str:
        return "".join("ABC"[scope.place("letter", letter, 3, rng)] for letter in key)

    with monkeypatch.context() as patched:
        patched.setattr(persons, "initials_drawn", letter_by_letter)
        assert attack.told_apart("person", "document", pairs=25, seed=3).releases > 5
    monkeypatch.setattr("textveil.surrogates.contacts.key_of", str)
    told = attack.told_apart("email", "document", pairs=25, seed=3)
    assert told.releases > 5
    assert told.reports > 5


def test_the_attack_tells_what_it_counts(attack: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert attack.main(["--pairs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[1:-1]} == set(SURROGATE_ENTRIES)
    assert lines[-1].split()[0] == "all" and lines[-1].split()[2:] == ["0", "0"]


def _grown(one: Surrogate, first: str, second: str) -> bool:
    """Whether a scope that has drawn the first value draws anything new for the second."""
    scope, rng = MemoryScope(), np.random.default_rng(1)
    one.draw([Mention(first)], scope, rng)
    before = scope.to_data()
    one.draw([Mention(second)], scope, rng)
    after = scope.to_data()
    for data in (before, after):
        data["drawn"].pop("order of day and month", None)  # which is public, and no draw
    return after != before


@pytest.mark.parametrize("name", [name for name in SURROGATE_ENTRIES if made(name).counts == "value"])
def test_values_with_one_key_have_one_draw_and_others_have_their_own(name: str, attack: Any) -> None:
    """So that what is counted is what is drawn."""
    values = import_module("pairs_of_values")
    written: list[tuple[str, str]] = []
    for seed in range(150):
        writer = values.Writer(seed, seed)
        written.append((values.VALUES[name](writer), values.VALUES[name](writer)))
    written += [
        (value, form(value)) for pair in written for value in pair for form in (str.upper, str.lower, "{}'s".format)
    ]
    strange = [value for value in STRANGE if len(value) < 50]
    written += [(value, other) for value in strange for other in strange]
    one = made(name)
    key = one.key
    assert {key(first) == key(second) for first, second in written} == {True, False}
    for first, second in written:
        if key(first) == key(second):
            assert not _grown(one, first, second)
        elif name not in PARTED:
            assert _grown(one, first, second)


COUNTED = [
    ("email", ["Maria.Lopez@x.org", "maria.lopez@x.org"], 1),
    ("handle", ["@Maria", "@maria", "maria", "maria_"], 2),
    ("ip", ["FE80::1", "fe80::1", "1.2.3.4"], 2),
    ("pool", ["Aspirin", "aspirin"], 1),
    ("organization", ["Acme Inc", "ACME INC's", "IBM"], 2),
    ("person", ["Dr. Ann Roe", "ANN ROE's", "Ann Poe"], 2),
    ("place", ["Reno's", "RENO", "12 Elm St., Reno", "14 Elm St., Reno"], 3),
    ("phone", ["+1 617 253 1000", "(617) 253-1000", "617-253-1000 x5", "1-800-FLOWERS", "1 800 flowers"], 3),
    ("amount", ["1e+16", "10,000,000,000,000,000", "10000000000000000"], 2),
    ("age", ["045", "forty-five", "45 months"], 2),
    ("url", ["a.org", "A.org"], 2),
]


def _count(name: str, values: Sequence[str], epsilon: float | None = None) -> int:
    options = SURROGATE_ENTRIES[name].sample
    policy = small_policy(surrogate("value", name, epsilon=epsilon, options=options), detectors=(MARKED,))
    text = "; ".join(f"<{value}>" for value in values)
    return Sanitizer(policy)(text).report().to_data()["tokens"]["value"]


MARKED = Finds(r"(?<=<)[^>]+(?=>)", "value")


@pytest.mark.parametrize(("name", "values", "count"), COUNTED)
def test_a_report_counts_values_as_the_draws_tell_them_apart(name: str, values: list[str], count: int) -> None:
    assert _count(name, values) == count


def test_a_value_that_cannot_be_read_pays_for_itself() -> None:
    """It was counted as one with the amount whose key it is written as, so that a document paid for one draw of two."""
    values = ["1e+16", "10,000,000,000,000,000"]
    policy = small_policy(surrogate("value", "amount", epsilon=2.0), detectors=(MARKED,))
    release = Sanitizer(policy)("; ".join(f"<{value}>" for value in values))
    assert release.guarantee.epsilon == 4.0


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("person", ["Smith JJ", "Roe AJ"], ["Smith JA", "Roe BC"]),
        ("place", ["12 Elm St., 12", "12 Oak Rd."], ["34 Elm St., 56", "78 Oak Rd."]),
        ("place", ["Reno, NV 89501", "Ely, UT 89501"], ["Reno, NV 89501", "Ely, UT 84101"]),
        ("place", ["80335 Ulm", "1010 Ulm", "Ulm"], ["20095 Ems", "8001 Ems", "Ems"]),
        ("place", ["12 Elm St.", "14 Elm St."], ["3\u0661 Elm St.", "14 Elm St."]),
    ],
)
def test_pieces_of_a_part_are_drawn_for_the_part(name: str, first: list[str], second: list[str]) -> None:
    for seed in range(20):
        assert outputs(made(name), first, seed) == outputs(made(name), second, seed)


def test_a_street_and_a_state_stay_what_they_are_beside_other_numbers() -> None:
    one, other, alone = outputs(made("place"), ["12 Elm St., NV 89501", "345 Elm St., NV", "NV"], 1)
    street, state = one.split(" ", 1)[1].rsplit(" ", 1)[0].rsplit(", ", 1)
    assert other.split(" ", 1)[1] == f"{street}, {state}" and alone == state


def test_a_town_stays_what_it_is_behind_a_postal_code() -> None:
    town, german, austrian = outputs(made("place"), ["Ulm", "80335 Ulm", "1010 Ulm"], 1)
    assert re.fullmatch(rf"[0-9]{{5}} {town}", german) and re.fullmatch(rf"[0-9]{{4}} {town}", austrian)
    letters = outputs(made("place"), ["SW1A 1AA", "1012 AB"], 1)
    assert [shape_of(code) for code in letters] == ["AA9A 9AA", "9999 AA"]
    assert [shape_of(code) for code in ("5.\u00ba B", "3\u00aa", "1|1")] == ["9.\u00ba A", "9\u00aa", "9|9"]


def test_one_number_agrees_in_all_its_forms() -> None:
    numbers = outputs(made("phone"), ["800-FLOWERS", "(800) flowers", "+1 617 253 1000 x5", "617-253-1000 x5"], 1)
    assert numbers[0].replace("-", "").lower() == numbers[1].replace("(", "").replace(") ", "")
    assert numbers[2].replace(" ", "")[2:] == numbers[3].replace("-", "").replace(" ", "")
