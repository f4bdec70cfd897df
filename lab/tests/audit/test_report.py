"""Reports: one verdict, valid JSON, sentences that do not overstate, pages that stand alone."""

import itertools
import json
import math
import re
from xml.etree import ElementTree

import pytest

from textveil.statistics import Bound, exactly
from textveil_lab.audit.report.page import bound_svg, profile_svg, to_html
from textveil_lab.audit.report.report import AuditReport, Claim, Finding, Subject, Verdict, shown_bound

HOSTILE = "<script>alert('x')</script>&\""
INFINITE = math.inf


def finding(verdict: Verdict = Verdict.CERTIFIED, **changes) -> Finding:
    facts = {
        "claim": Claim(epsilon=1.0),
        "epsilon": exactly(0.9),
        "delta": exactly(0.0),
        "method": "exact channel",
        "profile": ((0.0, 0.3), (0.5, 0.1), (1.0, 0.0)),
    }
    return Finding(verdict=verdict, **{**facts, **changes})


def report(*findings: Finding, **changes) -> AuditReport:
    facts = {"name": "it", "parameters": {}, "findings": findings, "seconds": 1.0, "seed": None}
    return AuditReport(**{**facts, **changes})


def test_a_refutation_outweighs_and_proof_outweighs_silence() -> None:
    order = [Verdict.NOT_REFUTED, Verdict.PROVED, Verdict.CERTIFIED, Verdict.REFUTED]
    for count in range(1, 5):
        assert report(*map(finding, order[:count])).verdict is order[count - 1]
        assert report(*map(finding, reversed(order[:count]))).verdict is order[count - 1]


def test_what_is_known_of_the_word_outweighs_what_is_known_of_the_vector() -> None:
    vector = finding(Verdict.REFUTED, subject=Subject.NOISY_VECTOR, method="closed form")
    word = finding(Verdict.CERTIFIED, method="exact cells")
    silent = finding(Verdict.NOT_REFUTED, method="sampled", samples=9)
    made = report(vector, word, silent)
    assert (made.verdict, made.subject) == (Verdict.CERTIFIED, Subject.WORD_CHANNEL)
    assert "noisy vector" not in made.sentence()
    made = report(silent, vector)
    assert (made.verdict, made.subject) == (Verdict.REFUTED, Subject.NOISY_VECTOR)
    assert made.sentence().startswith("The noisy vector of it is not 1-DP")
    assert made.sentence().endswith("Of the released word that says nothing.")
    assert "subject    noisy vector of it" in made.summary()
    data = json.loads(made.to_json())
    assert (data["subject"], data["name"]) == ("noisy vector", "it")
    assert [one["subject"] for one in data["findings"]] == ["word channel", "noisy vector"]
    proved = report(finding(Verdict.PROVED, subject=Subject.NOISY_VECTOR))
    assert proved.sentence().startswith("The noisy vector of it, and with it the word, is 1-DP, proved")


def test_a_delta_below_the_floats_is_shown_as_a_power_of_ten() -> None:
    claim = Claim(epsilon=1.0, log_delta=-3000.0)
    log = Bound(-2500.0, -2400.0, -2300.0, 1.0)
    tiny = finding(Verdict.REFUTED, claim=claim, delta=Bound(0.0, 0.0, 5e-324, 1.0), log_delta=log)
    assert "at least 10^-1085.8 " in report(tiny).sentence()
    assert "delta 10^-1042.3 [10^-1085.8, 10^-998.8]" in report(tiny).summary()


def test_json_has_null_for_what_it_cannot_say() -> None:
    made = finding(Verdict.REFUTED, epsilon=Bound(2.0, math.nan, INFINITE, 1.0), witness={"x": [INFINITE, (math.nan,)]})
    data = json.loads(report(made).to_json(), parse_constant=pytest.fail)
    assert data["epsilon"] == {"lower": 2.0, "estimate": None, "upper": None, "confidence": 1.0}
    assert data["witness"] == {"x": [None, [None]]}
    assert data["claimed"] == {"epsilon": 1.0, "delta": 0.0, "log_delta": None}
    assert data["verdict"] == "refuted"
    assert data["seed"] is None


@pytest.mark.parametrize(
    "witness",
    [{"pair": ["cat", "dog"]}, {"words": ["cat", "dog"]}, {"input": "cat", "other_input": "dog"}],
)
def test_the_sentence_names_the_pair_of_every_method(witness) -> None:
    assert "for the words 'cat' and 'dog'" in report(finding(Verdict.REFUTED, witness=witness)).sentence()


def test_documents_are_not_called_words() -> None:
    made = finding(Verdict.REFUTED, witness={"pair": ["", "a cat"]}, subject=Subject.DOCUMENT_CHANNEL)
    assert "for the documents '' and 'a cat'" in report(made).sentence()


def test_the_sentence_names_the_pair_of_delta_where_one_is_claimed() -> None:
    witness = {"input": "a", "other_input": "b", "delta_pair": {"input": "cat", "other_input": "dog"}}
    made = finding(Verdict.REFUTED, claim=Claim(epsilon=1.0, log_delta=-5.0), delta=exactly(0.1), witness=witness)
    assert "'cat' and 'dog'" in report(made).sentence()


def test_sentences_do_not_overstate() -> None:
    claim = Claim(epsilon=1.0, log_delta=-5.0)
    open_top = {"claim": claim, "epsilon": Bound(0.5, 0.6, INFINITE, 1.0), "delta": Bound(1e-4, 2e-4, 1e-3, 1.0)}
    assert "delta at that epsilon is at most 0.001" in report(finding(Verdict.PROVED, **open_top)).sentence()
    refuted = finding(Verdict.REFUTED, **{**open_top, "delta": Bound(0.2, 0.3, 0.4, 1.0)})
    assert "at least 0.2 " in report(refuted).sentence()
    infinite = finding(Verdict.REFUTED, epsilon=exactly(INFINITE))
    assert "its epsilon is infinite" in report(infinite).sentence()
    sampled = finding(Verdict.NOT_REFUTED, method="sampled", epsilon=Bound(0.2, 0.3, INFINITE, 0.99999), samples=500)
    assert "99.999% confidence" in report(sampled).sentence()
    straddling = finding(Verdict.NOT_REFUTED, **open_top)
    assert "samples" not in report(straddling).sentence()


def test_bounds_show_their_interval_only_where_it_shows() -> None:
    assert shown_bound(exactly(0.5)) == "0.5"
    assert shown_bound(Bound(0.5 - 1e-12, 0.5, 0.5 + 1e-12, 1.0)) == "0.5"
    assert shown_bound(Bound(0.5, 0.6, INFINITE, 1.0)) == "0.6 [0.5, infinite]"


def test_the_page_stands_alone_and_escapes() -> None:
    attack = {"name": HOSTILE, "success": exactly(0.5)._asdict(), "baseline": 0.1}
    check = {"check": HOSTILE, "passed": False, "witness": HOSTILE, "detail": HOSTILE}
    made = report(
        finding(witness={"words": [HOSTILE, HOSTILE]}, notes=(HOSTILE,)),
        name=HOSTILE,
        parameters={HOSTILE: HOSTILE},
        vocabulary={"name": HOSTILE},
        attacks=(attack,),
        hygiene=(check,),
    )
    page = to_html(made)
    assert "<script" not in page
    assert not re.search(r"https?://|src=|href=|@import|url\(", page)
    assert "certified</span>" in page
    assert page.count("<svg") == 1
    assert "<blockquote>" in page


def test_the_page_shows_no_python_and_breaks_no_number() -> None:
    witness = {
        "shift": {"l1": 18.792512345, "l2": 1.4361},
        "event": {"outputs": ["red", "blue"], "size": 2},
        "log_ratio": -0.6931471805599453,
        "ratio": "1234567890123456789/98765432109876",
        "digest": "0123456789abcdef0123456789abcdef",
        "nothing": None,
    }
    check = {"check": "batch", "passed": None, "witness": "", "detail": "no power: <equal>"}
    failed = {"check": "casing", "passed": False, "witness": "162 of 200 in capitals", "detail": "compared"}
    page = to_html(
        report(
            finding(witness=witness, notes=("the reason",)),
            parameters={"sizes": {"neighbors": 3}, "clip": None},
            hygiene=(check, failed),
        )
    )
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", "", body)
    assert not re.search(r"[{}]|None|\[&#x27;|True|False", text)
    assert "18.7925" in text
    assert "red, blue" in text
    for reason in ("the reason", "no power: &lt;equal&gt;", "162 of 200 in capitals", "no verdict"):
        assert reason in text
    assert "<span class='number'>-0.693147</span>" in page
    assert "1234567890123456789/<wbr>98765432109876" in page
    assert "<span class='long'>0123456789abcdef0123456789abcdef</span>" in page
    assert "width=device-width" in page
    assert "overflow-wrap:anywhere}td" not in page


SAMPLED = {
    "refuted": Bound(3.0, 3.5, INFINITE, 0.999),
    "nothing seen": Bound(0.0, 0.0, INFINITE, 0.999),
    "no estimate": Bound(0.2, INFINITE, INFINITE, 0.999),
    "impossible": Bound(INFINITE, INFINITE, INFINITE, 0.999),
    "close": Bound(0.99, 1.01, INFINITE, 0.999),
}


@pytest.mark.parametrize("case", SAMPLED)
@pytest.mark.parametrize("claimed", [0.0, 1.0, 1e6])
def test_the_picture_of_samples_stays_within_its_frame(case: str, claimed: float) -> None:
    made = finding(
        Verdict.NOT_REFUTED,
        epsilon=SAMPLED[case],
        claim=Claim(epsilon=claimed),
        profile=(),
        samples=9,
        method="sampled",
    )
    svg = ElementTree.fromstring(bound_svg(made))
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    (band,) = svg.findall("rect")
    assert 80 <= float(band.attrib["x"]) <= width - 30
    assert float(band.attrib["x"]) + float(band.attrib["width"]) <= width
    for line in svg.findall("line"):
        assert 80 <= float(line.attrib["x1"]) <= width - 30
    for mark in svg.findall("text"):
        x, y, reach = float(mark.attrib["x"]), float(mark.attrib["y"]), 7.5 * len(mark.text or "")
        assert 8 <= y <= height
        assert x - reach / 2 >= 0
        assert x + reach / 2 <= width
    assert "<svg" in to_html(report(made))


def test_a_page_without_a_profile_has_no_picture() -> None:
    assert "<svg" not in to_html(report(finding(profile=())))


PICTURES = {
    "pure claim": (((0.0, 0.3), (1.0, 0.0)), Claim(epsilon=1.0)),
    "delta of one": (((0.0, 1.0), (3.0, 1.0)), Claim(epsilon=3.0, log_delta=0.0)),
    "above one by rounding": (((0.0, 1 + 1e-9), (3.0, 1.0)), Claim(epsilon=1.0)),
    "least float": (((0.0, 0.5), (3.0, 5e-324)), Claim(epsilon=1.0, log_delta=-416.0)),
    "all zero": (((0.0, 0.0), (1.0, 0.0)), Claim(epsilon=0.0)),
    "huge epsilon": (((0.0, 0.5), (1e6, 0.0)), Claim(epsilon=1e6, log_delta=-416.0)),
    "claim at the right": (((0.0, 0.5), (8.0, 1e-5)), Claim(epsilon=8.0, log_delta=-416.0)),
    "no width": (((0.0, 0.5), (0.0, 0.4)), Claim(epsilon=0.0)),
    "below floats": (((0.0, 0.5), (1.0, 0.4)), Claim(epsilon=1.0, log_delta=-1e6)),
}


@pytest.mark.parametrize("case", PICTURES)
def test_the_picture_stays_within_its_frame(case: str) -> None:
    profile, claim = PICTURES[case]
    svg = ElementTree.fromstring(profile_svg(finding(profile=profile, claim=claim)))
    width, height = map(float, svg.attrib["viewBox"].split()[2:])
    (line,), (dot,) = svg.findall("polyline"), svg.findall("circle")
    points = [tuple(map(float, one.split(","))) for one in line.attrib["points"].split()]
    assert len(points) == len(profile)
    for x, y in [*points, (float(dot.attrib["cx"]), float(dot.attrib["cy"]))]:
        assert 80 <= x <= width - 30
        assert 20 <= y <= height - 50
    assert all(below >= above for (_, above), (_, below) in itertools.pairwise(points))
    marks = [one.text or "" for one in svg.findall("text")]
    powers = [int(mark[2:]) for mark in marks if mark.startswith("1e") and "+" not in mark]
    assert powers[0] == 0
    assert 2 <= len(powers) <= 12
    assert min(powers) >= -31
    for mark in svg.findall("text"):
        x, y, reach = float(mark.attrib["x"]), float(mark.attrib["y"]), 7.5 * len(mark.text or "")
        side = mark.attrib["text-anchor"]
        start = {"start": x, "middle": x - reach / 2, "end": x - reach}[side]
        assert 12 <= y <= height
        assert "transform" in mark.attrib or (start >= 0 and start + reach <= width)
        assert start >= 80 or "claimed" not in (mark.text or "")


def test_the_axis_of_a_pure_claim_is_that_of_its_profile() -> None:
    assert "1e-30" not in profile_svg(finding())
    assert "below the axis" in profile_svg(finding())
