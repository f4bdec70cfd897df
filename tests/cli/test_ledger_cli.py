"""``textveil ledger``, and ``textveil sanitize --ledger``: exit code 3 where a budget does not reach."""

import json
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def test_a_text_is_paid_for_until_the_budget_is_exhausted(textveil, command, place: Path, tmp_path: Path) -> None:
    paying = ("--ledger", place, "--unit", "ann")
    assert command("ledger", "limit", place, "--unit", "ann", "--epsilon", "5") == (0, b"", "")
    assert textveil("-q", *paying, stdin=b"two words\n")[0] == 0
    assert textveil("-q", *paying, stdin=b"two words\n")[0] == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = textveil(
        "-o", tmp_path / "out.txt", *paying, "--report", tmp_path / "r.json", stdin=b"two words\n"
    )
    assert (code, out) == (3, b"")
    assert err == (
        "textveil: the budget of this person has epsilon 1 left; this release needs epsilon 2. Release less, or raise "
        "the limit.\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert textveil("-q", "--ledger", place, "--unit", "bob", stdin=b"two words\n")[0] == 0
    assert textveil("-q", *paying, stdin=b"word\n")[0] == 0


def test_records_pay_by_the_column_that_names_persons(textveil, command, place: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("who,text\nann,one two\nbob,three\nann,four\n")
    command("ledger", "limit", place, "--tenant", "acme", "--epsilon", "3", "--each", "unit")
    paying = ("--ledger", place, "--tenant", "acme", "--unit", "who")
    assert textveil("-q", tmp_path / "in.csv", "-o", tmp_path / "out.csv", *paying)[0] == 0
    told = command("ledger", "show", place, "--tenant", "acme")[1].decode()
    assert told.startswith("payments   2, one for each person of a release\n")
    assert command("ledger", "show", place, "--tenant", "acme", "--unit", "ann")[1].startswith(b"releases   1\n")
    assert textveil("-q", tmp_path / "in.csv", "-o", tmp_path / "again.csv", *paying)[0] == 3
    assert not (tmp_path / "again.csv").exists()
    code, out, _ = command("ledger", "show", place, "--tenant", "acme", "--unit", "bob", "--json")
    data = json.loads(out)
    assert (code, data["spent"]["epsilon"], data["remaining"]["epsilon"], data["releases"]) == (0, 1.0, 2.0, 1)


def test_show_says_what_is_left_and_lists_entries(textveil, command, place: Path) -> None:
    asked = ("--epsilon", "16", "--delta", "1e-6", "--composition", "optimal", "--period", "month")
    command("ledger", "limit", place, "--unit", "ann", *asked)
    textveil("-q", "--ledger", place, "--unit", "ann", stdin=b"two words\n")
    code, out, _ = command("ledger", "show", place, "--unit", "ann", "--entries")
    lines = out.decode().splitlines()
    assert code == 0 and lines[:2] == ["releases   1", "spent      2-DP, of the person"]
    assert lines[2] == "limit      epsilon 16, delta 1e-06, optimal composition, renewed every month"
    assert lines[3].startswith("remaining  epsilon 14, delta 5e-07") and lines[4].startswith("until ")
    assert [line.split()[3] for line in lines[6:]] == ["limit", "reserve", "commit"]
    assert b"ann" not in out
    told = command("ledger", "show", place, "--unit", "ann", "--policy", "all-words")[1].decode()
    assert "\n           1 word left, under all-words\n" in told
    command("ledger", "limit", place, "--unit", "ann", *asked, "--draw-delta", "0")
    lines = command("ledger", "show", place, "--unit", "ann")[1].decode().splitlines()
    assert "optimal composition (of delta 0 for draws), renewed every month" in lines[2]
    assert lines[3].endswith("delta 0")
    data = json.loads(command("ledger", "show", place, "--json")[1])
    assert data["limit"] is None and data["scope"] == "tenant"


def test_verify_and_export(textveil, command, place: Path, tmp_path: Path) -> None:
    textveil("-q", "--ledger", place, "--unit", "ann", stdin=b"two words\n")
    code, out, _ = command("ledger", "verify", place)
    assert code == 0 and out.decode().splitlines()[-1] == "sound"
    head = out.decode().splitlines()[1].split()[-1]
    exported = tmp_path / "out.jsonl"
    assert command("ledger", "export", place, "-o", exported) == (0, b"", "2 entries\n")
    assert command("ledger", "export", place)[1] == exported.read_bytes()
    assert command("ledger", "verify", exported, "--export", "--head", head)[0] == 0
    code, out, _ = command("ledger", "verify", place, "--head", "ab" * 32, "--json")
    assert code == 1 and json.loads(out)["problems"] == ["a head that was noted before is gone: abababababab"]
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE ledger_levels SET epsilon = '0'")
    connection.close()
    code, out, _ = command("ledger", "verify", place)
    assert code == 1 and out.decode().splitlines()[-1].startswith("NOT SOUND: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("limit", "PLACE"), "a limit needs one of --epsilon and --lift; got both or none."),
        (("limit", "PLACE", "--epsilon", "-1"), "--epsilon must be finite and >= 0; got -1.0."),
        (("limit", "PLACE", "--epsilon", "1", "--period", "year"), "--period must be None"),
        (("limit", "PLACE", "--epsilon", "1", "--composition", "optimal"), "--delta must be > 0 for optimal"),
        (("limit", "PLACE", "--epsilon", "1", "--each", "unit", "--unit", "a"), "--each must be "),
        (("show", "mysql://host/name"), "must name an SQLite or a PostgreSQL database; got mysql."),
        (("show", "PLACE", "--unit", ""), "--unit must be a name of at least one character; got an empty one."),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(command, place: Path, arguments: tuple[str, ...], message: str) -> None:
    given = [str(place) if one == "PLACE" else one for one in arguments]
    code, _, err = command("ledger", *given)
    assert code == 2 and message in err and err.count("\n") == 1


def test_a_ledger_that_is_none_fails_and_nothing_is_released(textveil, place: Path) -> None:
    place.write_bytes(b"no database at all, " * 100)
    place.with_name("budget.db.key").write_text("ab" * 32)
    place.with_name("budget.db.key").chmod(0o600)
    code, out, err = textveil("-q", "--ledger", place, stdin=b"two words\n")
    assert (code, out) == (1, b"") and "it is no database" in err


@pytest.mark.parametrize("asked", ["show", "verify", "export"])
def test_a_ledger_that_is_not_there_is_not_made_by_asking_about_it(command, place: Path, asked: str) -> None:
    code, out, err = command("ledger", asked, place)
    assert (code, out, err.count("\n")) == (1, b"", 1) and err.startswith("textveil: there is no such database.")
    assert not place.exists() and not place.with_name("budget.db.key").exists()


def test_a_ledger_without_its_key_or_its_folder_is_told_of_that(command, place: Path) -> None:
    command("ledger", "limit", place, "--epsilon", "5")
    place.with_name("budget.db.key").unlink()
    code, _, err = command("ledger", "show", place)
    assert (
        code == 1
        and err.startswith("textveil: the key of the ledger, the file beside its database")
        and "--key" not in err
    )
    code, _, err = command("ledger", "limit", place.parent / "none/budget.db", "--epsilon", "5")
    assert code == 1 and err.startswith("textveil: no ledger can be made there") and err.count("\n") == 1


def test_releases_about_one_corpus_cost_less_together_than_their_sum(command, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"who": "ann", "text": "one two"}\n' * 3)
    reports = [tmp_path / "first.json", tmp_path / "second.json"]
    for report in reports:
        asked = ("--unit", "who", "--epsilon", "1", "--delta", "1e-6", "--report", report)
        assert command("count", tmp_path / "in.jsonl", *asked, "-o", report.with_suffix(".csv"))[0] == 0
    code, out, _ = command("ledger", "joint", *reports, "--json")
    guarantee = json.loads(out)["guarantee"]
    assert code == 0 and 1.40 < guarantee["epsilon"] < 1.41 and guarantee["unit"] == "person"
    assert command("ledger", "joint", *reports)[1].decode().startswith("2 releases together: (1.40349, 2.01e-06)-DP")
    code, _, err = command("ledger", "joint", reports[0], tmp_path / "counts.csv")
    assert code == 1 and err.startswith("textveil: report 2 must be a report of `textveil count`")
