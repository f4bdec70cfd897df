"""The claims of the field as data: every row has a replay that runs, and the replay shows the row's verdict."""

import ast
import json
import re
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from textveil.errors import InputError, TextveilError
from textveil_lab.audit.field.claims import (
    HERE,
    FieldClaim,
    Ruling,
    counted,
    field_claims,
    judged_witness,
    read_claims,
    replay,
    works,
)
from textveil_lab.audit.field.claims_page import to_lists, to_page
from textveil_lab.audit.field.field_audit import audit_field

CLAIMS = field_claims()
ALONE = [claim for claim in CLAIMS if claim.script and not claim.requires]
AUDITED = [claim for claim in CLAIMS if claim.audit]


def test_there_are_forty_five_claims_over_twenty_six_works() -> None:
    assert counted(CLAIMS) >= 45
    assert len(works(CLAIMS)) >= 26


@pytest.mark.parametrize("claim", ALONE, ids=[claim.id for claim in ALONE])
def test_a_script_that_needs_no_package_shows_the_verdict_of_its_row(claim: FieldClaim) -> None:
    assert replay(claim, sys.executable).agrees(claim.verdict)


def test_audited_rows_show_their_verdict_and_their_numbers() -> None:
    rows = {row.name: row for row in audit_field([claim.audit for claim in AUDITED]).rows}
    for claim in AUDITED:
        row = rows[claim.audit]
        assert row.finding is not None, claim.id
        assert row.found == claim.found, claim.id
        if claim.verdict is Ruling.CONTESTED:
            assert row.refuted and row.contested, claim.id
        else:
            assert row.refuted == (claim.verdict is not Ruling.HOLDS), claim.id


def test_every_script_is_the_witness_of_a_row() -> None:
    scripts = {path.stem for path in (HERE / "witnesses").glob("*.py")} - {"__init__"}
    assert scripts == {claim.script for claim in CLAIMS if claim.script}


@pytest.mark.parametrize("path", sorted((HERE / "witnesses").glob("*.py")), ids=lambda path: path.stem)
def test_a_witness_never_imports_textveil(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in names if name.startswith("textveil")]


def test_the_data_holds_only_quotations_of_what_was_at_hand() -> None:
    for claim in CLAIMS:
        if claim.seen == "abstract":
            assert "abstract" in claim.place, claim.id
            assert claim.verdict is not Ruling.FALSE, claim.id


def _folder(tmp_path: Path, **changes: object) -> Path:
    row: dict[str, object] = {
        "id": "one",
        "work": "A work",
        "part": "a part",
        "year": 2026,
        "place": "page 1",
        "seen": "paper",
        "unit": "word",
        "claim": "epsilon",
        "verdict": "holds",
        "found": "1 of 1",
        "why": "So it is.",
        "script": "one",
    } | changes
    written = "\n".join(f"{key} = {value!r}" for key, value in row.items() if value is not None)
    (tmp_path / "claims.toml").write_text(f"[[claim]]\n{written}\n", encoding="utf-8")
    (tmp_path / "witnesses").mkdir()
    (tmp_path / "witnesses/one.py").write_text('print(\'{"claimed": 1.0, "found": 1.0}\')\n', encoding="utf-8")
    return tmp_path


def test_a_folder_of_a_third_party_is_read_and_replayed(tmp_path: Path) -> None:
    (claim,) = read_claims(_folder(tmp_path))
    assert replay(claim, sys.executable).agrees(claim.verdict)
    assert not replay(claim, sys.executable).agrees(Ruling.FALSE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verdict": "refuted"}, "holds, claim false"),
        ({"script": None}, "no replay"),
        ({"script": "other"}, "no such script"),
        ({"audit": "mldp-tem"}, "no replay, or two"),
        ({"verdict": "claim false"}, "no repair"),
        ({"verdict": "not decided"}, "a reading"),
        ({"reading": "Another."}, "a reading"),
        ({"seen": "rumor"}, "abstract"),
        ({"sript": "one"}, "sript"),
        ({"why": None}, "why"),
    ],
)
def test_a_row_that_is_not_whole_is_refused_by_name(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(TextveilError, match=message) as raised:
        read_claims(_folder(tmp_path, **changes))
    assert "one" in str(raised.value)


@pytest.mark.parametrize(
    "script", ["", "print('hello')", "print('{}')", "raise SystemExit(3)", 'print(\'{"claimed": 1, "found": NaN}\')']
)
def test_a_witness_that_finds_nothing_is_no_verdict(tmp_path: Path, script: str) -> None:
    (claim,) = read_claims(_folder(tmp_path))
    claim.witness.write_text(script, encoding="utf-8")
    with pytest.raises((InputError, TextveilError)):
        replay(claim, sys.executable)


@pytest.mark.parametrize(
    ("data", "refuted"),
    [
        ({"claimed": 1.0, "found": 1.0}, False),
        ({"claimed": 1.0, "found": 1.001}, True),
        ({"claimed": 1.0, "found": float("inf")}, True),
        # Draws: confidence 99.9 %. Exactly e^1 apart is no refutation, far more is.
        ({"epsilon": 1.0, "delta": 0.0, "hits": [2718, 1000], "trials": 10_000}, False),
        ({"epsilon": 1.0, "delta": 0.0, "hits": [5000, 1000], "trials": 10_000}, True),
        ({"epsilon": 1.0, "delta": 0.3, "hits": [5000, 1000], "trials": 10_000}, False),
    ],
)
def test_a_finding_is_judged_against_its_claim(data: dict[str, object], refuted: bool) -> None:
    assert judged_witness(data).refuted is refuted


def test_readings_leave_a_claim_open_only_if_they_disagree() -> None:
    yes, no = {"claimed": 1.0, "found": 2.0}, {"claimed": 1.0, "found": 1.0}
    assert judged_witness({"readings": {"a": yes, "b": no}}).agrees(Ruling.UNDECIDED)
    assert not judged_witness({"readings": {"a": yes, "b": yes}}).agrees(Ruling.UNDECIDED)
    assert judged_witness({"readings": {"a": yes, "b": yes}}).agrees(Ruling.FALSE)
    assert judged_witness({"readings": {"a": no, "b": no}}).agrees(Ruling.HOLDS)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "tr" and named.get("id"):
            self.ids.append(str(named["id"]))
        if tag in ("script", "link", "img", "iframe"):
            self.loads += [str(named[key]) for key in ("src", "href") if named.get(key)]


def test_the_page_has_one_address_a_row_and_loads_nothing() -> None:
    page = _Page()
    page.feed(str(to_page(CLAIMS)))
    assert page.ids == [claim.id for claim in CLAIMS]
    assert page.loads == []
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in page.ids)


def test_markup_in_a_claim_is_text_on_the_page(tmp_path: Path) -> None:
    (claim,) = read_claims(_folder(tmp_path, claim="<script>alert(1)</script>", work="<b>W</b>"))
    page = str(to_page([claim]))
    assert "<script>alert" not in page and "<b>W</b>" not in page


def test_gateways_are_shown_from_what_their_audits_stored(tmp_path: Path) -> None:
    figures = [
        {"family": "field", "event": "leaked", "count": 3, "trials": 20},
        {"family": "field", "event": "leaked", "count": 1, "trials": 20},
        {"family": "restoration", "event": "restored", "count": 20, "trials": 20},
    ]
    audit = {"gateway": "a gateway <b>1</b>", "claims": "hides all", "kinds": ["email"], "figures": figures}
    assert "id='gateways'" not in str(to_page(CLAIMS, tmp_path))
    (tmp_path / "one.json").write_text(json.dumps(audit), encoding="utf-8")
    page = str(to_page(CLAIMS, tmp_path))
    assert "id='gateways'" in page and "4 of 40 [1.7%, 28.3%]" in page and "not tried" in page
    assert "<b>1</b>" not in page


def test_the_docs_link_to_rows_that_exist() -> None:
    linked = set(re.findall(r"claims\.html#([a-z0-9-]+)", to_lists(CLAIMS)))
    assert linked == {claim.id for claim in CLAIMS}


def test_ids_are_stable() -> None:
    """An address of a row is never taken back: remove none of these."""
    pinned = tomllib.loads((Path(__file__).parent / "claim_ids.toml").read_text(encoding="utf-8"))["ids"]
    assert set(pinned) <= {claim.id for claim in CLAIMS}
