"""The page to file says what was done, promised and measured, by the policy's own rules, and holds no text."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import textveil as tv
from textveil.detection.kinds import KINDS
from textveil.errors import ParameterError
from textveil.sanitize.policy_report import Attack, MeasuredRisk, SenderReport, read_risk
from textveil.sanitize.release import Report
from textveil.sanitize.report_pages import IDENTIFIERS, covered, report_page, sender_page

TEXT = "Mrs. Xylophonia Quetzal, MRN 4471298: admitted 27/02/2015, BP 101/77; mail xq@quetzal.example."
RISK = MeasuredRisk((Attack("tf-idf", "originals", 0.14, 0.3, 0.06, 0.27),), {"content_words": 0.18}, 0.2, "ab" * 32)
RISK_DATA = {
    "linkage": [dict(RISK.attacks[0]._asdict())],
    "kept": {"content_words": 0.18},
    "unique": {"share": 0.2},
    "release_sha256": RISK.release,
}


def report_of(policy: str) -> Report:
    return tv.Sanitizer(policy)(TEXT).report()


def words_of(page: str) -> str:
    """What a reader sees, in one line."""
    body = page.partition("<body>")[2]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.mark.parametrize("policy", ["identifiers", "clinical", "prompts", "content-words", "all-words"])
def test_the_page_of_a_preset_has_statement_digests_and_no_text(policy: str) -> None:
    report = report_of(policy)
    page = report_page(report)
    shown = words_of(page).replace(" - ", "-")
    for sentence in report.statement:
        assert sentence in shown
    assert report.setting.digest().hex() in shown
    assert shown.count("Not measured.") == (1 if policy.endswith("words") else 2)
    for piece in ("xylophonia", "quetz", "4471298", "101/77"):
        assert piece not in page.lower()


def test_measured_recall_and_risk_are_quoted() -> None:
    bound = {"lower": 0.81, "estimate": 0.9, "upper": 0.95, "confidence": 0.95}
    measured = {"name": "identifiers", "digest": tv.policy("identifiers").digest}
    recall: dict[str, Any] = {
        "corpus": "ours",
        "detector": "policy identifiers",
        "policy": measured,
        "kinds": {"person": {"recall": bound}},
    }
    shown = words_of(report_page(replace(report_of("identifiers"), recall=recall, release_sha256="ab" * 32), RISK))
    assert "person 90 % [81, 95]" in shown
    assert "tf-idf originals 14 % [6, 27] 30 %" in shown
    assert "18 % of content words" in shown and "20 % of records" in shown
    assert "do not pass this page on with the release" in shown
    assert "ab" * 32 in shown and "Not measured" not in shown


def test_all_eighteen_identifiers_of_hipaa_are_there_once_and_name_kinds() -> None:
    letters = "".join(one.letters for one in IDENTIFIERS).replace("(H) to (K)", "(H)(I)(J)(K)")
    assert re.findall(r"\((\w)\)", letters) == list("ABCDEFGHIJKLMNOPQR")
    assert {kind for one in IDENTIFIERS for kind in one.kinds} <= set(KINDS)


@pytest.mark.parametrize(
    ("policy", "kinds", "expected"),
    [
        ("identifiers", ("person",), "drawn"),
        ("clinical", ("date", "time", "age"), "date drawn, epsilon 1; time drawn; age drawn, epsilon 2"),
        ("clinical", ("id", "number"), "id drawn; number kept"),
        ("identifiers", (), "not read"),
        ("identifiers", ("own-kind",), "not looked for"),
    ],
)
def test_what_covers_an_identifier_follows_from_the_rules(policy: str, kinds: tuple[str, ...], expected: str) -> None:
    data = tv.policy(policy).to_data()
    assert covered(data["rules"], kinds, finds_spans=True) == expected


def test_what_looks_for_nothing_covers_no_identifier_by_name() -> None:
    assert covered((), ("person",), finds_spans=False) == "not looked for"


def test_values_that_were_found_are_counted_where_the_law_names_them() -> None:
    shown = words_of(report_page(report_of("clinical")))
    assert "(F) e-mail addresses drawn 1 email" in shown
    assert "Found and left as they were: 1 measurement." in shown


def test_a_seeded_run_warns_on_its_page() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"))
    report = sanitizer(TEXT).report()
    seeded = replace(report, setting=replace(report.setting, secure=False))
    shown = words_of(report_page(seeded))
    assert "NOT FOR RELEASE" in shown and "hidden (" not in shown


def test_the_page_for_the_sender_shows_the_sample_and_escapes_it() -> None:
    setting, skipped = report_of("identifiers").setting, [{"reason": "record 2: no text"}]
    sample = [("<b>Ann", "<b>Eve\ud800")]
    report = SenderReport(setting=setting, mapped=0, sample=sample, skipped=skipped, skipped_count=1)
    page = sender_page(report)
    assert "record 2: no text" in page
    assert "&lt;b&gt;<mark>Ann</mark>" in page and "&lt;b&gt;<mark>Eve?</mark>" in page
    assert "Private" in page
    assert "Ann" not in repr(report)
    assert report.to_data()["sample"] == [{"before": "<b>Ann", "after": "<b>Eve\ud800"}]


@pytest.mark.parametrize("share", [{"share": 0.2}, 0.2, None])
def test_risk_is_read(tmp_path: Path, share: Any) -> None:
    (tmp_path / "risk.json").write_text(json.dumps({**RISK_DATA, "unique": share}))
    assert read_risk(tmp_path / "risk.json") == RISK._replace(unique=None if share is None else 0.2)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[1]",
        "{}",
        '"x"',
        "[" * 100_000,
        json.dumps({**RISK_DATA, "linkage": []}),
        json.dumps({**RISK_DATA, "linkage": [{"attacker": "tf-idf"}]}),
        json.dumps({**RISK_DATA, "linkage": [{**RISK_DATA["linkage"][0], "top1": 1.4}]}),  # type: ignore[index]
        json.dumps({**RISK_DATA, "kept": None}),
    ],
)
def test_a_file_that_holds_no_risk_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "risk.json").write_text(content)
    with pytest.raises(ParameterError, match=r"^risk must be .* Give the risk.json that `textveil risk` wrote\.$"):
        read_risk(tmp_path / "risk.json")
