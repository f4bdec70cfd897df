"""The page tells what attackers did and quotes nothing; that of the riskiest records quotes, for the sender alone."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest

from textveil.risk.attack import risk
from textveil.risk.linkage import TfIdf, linkage
from textveil.risk.page import curve_svg, named, to_html, write_page
from textveil.risk.report import Kept, Release, RiskReport, riskiest

CANARY = "zanzibarine <b>quokka</b>"
TEXTS = [f"Person {number} likes the {word} and the sea." for number, word in enumerate(["abbey", "brook", "cedar"])]
TEXTS.append(f"Nobody else has a {CANARY}, this {CANARY}, at home.")


@pytest.fixture(scope="module")
def report() -> RiskReport:
    return risk(TEXTS, TEXTS, policies=["identifiers"])


def test_page_leads_with_records_named_and_says_that_it_is_no_guarantee(report: RiskReport) -> None:
    page = to_html(report)
    sentence = "An attacker with the originals names 4 of 4 records at the first try (tf-idf)."
    assert named(report, "originals") == sentence
    body = page.index("<h1>")
    assert body < page.index(sentence, body) < page.index("An attack that failed is no guarantee.") < page.index("<svg")
    assert "fewer than 20 persons" in page


def test_page_and_numbers_quote_nothing(report: RiskReport, tmp_path: Path) -> None:
    for path in write_page(report, tmp_path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    page = (tmp_path / "risk.html").read_text()
    for word in ("zanzibarine", "quokka", "abbey", "cedar"):
        assert word not in page
        assert word not in json.dumps(report.to_data())
        assert word not in repr(report.release)
    private = (tmp_path / "riskiest.html").read_text()
    assert "zanzibarine" in private
    assert "<b>" not in private
    assert "&lt;" in private


def test_curve_names_every_release_and_bars_stand_for_one_alone(report: RiskReport) -> None:
    assert "risk-curve" not in to_html(report)
    curve = curve_svg((*report.compared, report.release), "originals")
    for name in ("as it is", "identifiers", "your release", "all blank"):
        assert curve.count(f">{name}</text>") == 1
    alone = to_html(risk(TEXTS, TEXTS))
    assert "tf-idf, with the originals</text>" in alone
    assert "Releases of the same records compared" not in alone


@pytest.mark.parametrize("share", [0.02, 0.98])
def test_labels_of_releases_that_keep_the_same_words_do_not_overlap(share: float) -> None:
    attack = linkage(np.eye(3, dtype=np.float32), np.arange(3), attacker="tf-idf", against="originals")
    releases = [Release(name=f"policy-{number}", kept=Kept(1.0, share), linkage=(attack,)) for number in range(9)]
    curve = curve_svg(releases, "originals")
    places = sorted(float(part.split("x='")[-1].split("'")[0]) for part in curve.split(">policy-")[:-1])
    assert min(np.diff(places)) >= 15
    assert places[0] > 0
    assert places[-1] < 400


def test_riskiest_records_lead_by_the_largest_margin_with_the_words_that_they_share_alone() -> None:
    attack = linkage(TfIdf().scores(TEXTS, TEXTS), np.arange(4), attacker="tf-idf")
    first, *_ = records = riskiest(attack, np.arange(4), TEXTS, TEXTS)
    assert len(records) == 3
    assert [record.margin for record in records] == sorted(attack.margins, reverse=True)[:3]
    assert first.number == 4
    terms = dict(first.terms)
    assert {"zanzibarine", "quokka"} <= terms.keys()
    assert list(terms.values()) == sorted(terms.values(), reverse=True)
    assert sum(terms.values()) <= 1 + 1e-9


def test_shares_of_terms_are_their_parts_of_the_similarity() -> None:
    """All terms together make the whole; a word that everybody has weighs less than one that nobody else has."""
    texts = ["the heron", "the bittern", "the the crane"]
    attack = linkage(TfIdf().scores(texts, texts), np.arange(3))
    first = next(record for record in riskiest(attack, np.arange(3), texts, texts) if record.number == 1)
    rarity = {"heron": np.log(4 / 2) + 1, "the heron": np.log(4 / 2) + 1, "the": 1.0}
    total = sum(value**2 for value in rarity.values())
    assert dict(first.terms) == pytest.approx({term: value**2 / total for term, value in rarity.items()})


def test_record_that_is_not_named_is_not_among_the_riskiest(tmp_path: Path) -> None:
    shuffled = TEXTS[1:] + TEXTS[:1]
    attack = linkage(TfIdf().scores(shuffled, TEXTS), np.arange(4))
    assert riskiest(attack, np.arange(4), shuffled, TEXTS) == ()
    write_page(risk(shuffled, TEXTS), tmp_path)
    assert "named no record" in (tmp_path / "riskiest.html").read_text()


def test_riskiest_record_of_a_sample_has_its_number_among_all() -> None:
    places = np.array([1, 3])
    released = [TEXTS[1], TEXTS[3]]
    attack = linkage(TfIdf().scores(released, TEXTS), places)
    assert [record.number for record in riskiest(attack, places, released, TEXTS)] == [4, 2]
