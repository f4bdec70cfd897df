"""``textveil audit-field``: the table in every form, and rows by name."""

import csv
import json
from pathlib import Path

_ROWS = ("rantext", "mldp-tem", "dp-st-unchanged", "diffractor-list")


def test_the_table_is_written_in_every_form(command, tmp_path: Path) -> None:
    code, out, err = command("audit-field", *_ROWS, "-o", tmp_path / "out")
    assert code == 0
    assert out.decode().startswith("3 claims of 3 libraries and papers refuted, 1 claim not refuted.\n")
    assert "### Refuted" in out.decode() and "wrote" in err
    assert (tmp_path / "out/field.md").read_text(encoding="utf-8") == out.decode()
    rows = list(csv.DictReader((tmp_path / "out/field.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["name"] for row in rows] == ["mldp-tem", "rantext", "diffractor-list", "dp-st-unchanged"]
    assert {row["verdict"] for row in rows} == {"refuted", "certified"}
    page = (tmp_path / "out/field.html").read_text(encoding="utf-8")
    assert all(row["repeat"] in page for row in rows)
    assert ">Basis<" in page
    assert all(f"<a href='#{row['name']}'>" in page and f"<section id='{row['name']}'>" in page for row in rows)
    assert "<details" not in page  # what links lead to is open
    assert "<script" not in page and "src='http" not in page and "href='http" not in page
    data = json.loads((tmp_path / "out/field.json").read_text(encoding="utf-8"))
    assert (data["violations"], len(data["rows"])) == (3, 4)


def test_json_holds_claim_verdict_witness_cost_and_how_to_repeat(command) -> None:
    code, out, _ = command("audit-field", "mldp-vickrey", "--json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert (row["verdict"], row["repaired"], row["form"]) == ("refuted", "not refuted", "vickrey-published")
    assert row["finding"]["witness"]["probability"] > row["finding"]["witness"]["other_probability"]
    assert row["cost"]["repaired"] > row["cost"]["published"]
    assert row["repeat"] == "textveil audit-field mldp-vickrey"


def test_an_unknown_row_and_a_place_that_is_no_folder_are_refused(command, tmp_path: Path) -> None:
    code, out, err = command("audit-field", "rantxt")
    assert (code, out) == (2, b"")
    assert "NAME must be names of rows; got 'rantxt'. Did you mean 'rantext'?" in err
    code, out, err = command("audit-field", "rantext", "-o", tmp_path / "no/such")
    assert code == 1
    assert "--output must be a folder, in one that exists" in err
