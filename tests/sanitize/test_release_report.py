"""Reports of releases: spend equals guarantees, no larger cost is hidden, and they hold no text."""

import json

import pytest
from tests.helpers.catalog import drawing_text, taking
from tests.helpers.constant import Constant

from textveil.catalog import entries, mechanism
from textveil.privacy.guarantees import ApproximateDP, PureDP, Status
from textveil.sanitize.release import Report, Tally
from textveil.sanitize.sanitizer import Sanitizer

CATALOG = entries()


VALID = [
    name
    for name in drawing_text(taking(8.0))
    if CATALOG[name].family != "document" and CATALOG[name].status is Status.PROVED
]


@pytest.mark.slow
@pytest.mark.parametrize("name", VALID)
def test_what_is_reported_is_the_sum_of_the_guarantees(embedded, name: str) -> None:
    made = mechanism(name, embedded, epsilon=8.0)
    release = Sanitizer(made)("Two words 12 and 3 more.")
    data = release.report().to_data()
    assert release.kinds["word"] == 4
    assert release.kinds["number"] == 2
    assert data["guarantee"]["per_token"]["epsilon"] == pytest.approx(8.0)
    assert data["guarantee"]["per_document"]["epsilon"] == pytest.approx(48.0)
    each = made.guarantee.approximate().epsilon  # integers may spend a millionth less than was asked for
    assert data["guarantee"]["per_document"]["epsilon"] >= 6 * each * (1 - 1e-9)
    if isinstance(made.guarantee, ApproximateDP):
        assert release.guarantee.delta == pytest.approx(4 * made.guarantee.delta)
    assert data["guarantee"]["per_token"]["status"] == "proved"
    assert data["vocabulary"]["digest"] == embedded.digest
    json.dumps(data, allow_nan=False)


def test_the_report_of_many_documents_never_hides_the_larger_cost(sanitizer) -> None:
    tally = Tally()
    for release in sanitizer.batch(["one two three", "four", ""]):
        tally.add(release.kinds, release.mapped)
    data = Report(setting=sanitizer.setting, tally=tally, kept_fields=("id",)).to_data()
    assert data["documents"] == 3
    assert data["guarantee"]["per_document"]["protected_tokens"] == 3
    assert data["guarantee"]["per_document"]["epsilon"] == pytest.approx(24.0)
    assert data["guarantee"]["whole_input"]["epsilon"] == pytest.approx(32.0)
    assert [(one["kind"], one["count"]) for one in data["guarantee"]["by_kind"]] == [("word", 4), ("number", 0)]
    assert any("'id'" in line for line in data["public"])
    summary = Report(setting=sanitizer.setting, tally=tally).summary()
    assert "32-DP" in summary
    assert "24-DP" in summary


def test_reports_hold_no_text(sanitizer) -> None:
    secret = "Xylophonia Quetzalcoatl-Brontë 867530901 zed@example.org"
    report = sanitizer(secret).report()
    everything = report.to_json() + report.summary() + repr(report)
    for piece in ("xylophonia", "quetz", "bront", "867530901", "zed@"):
        assert piece not in everything.lower()


def test_unknown_words_are_counted_for_the_sender_only(sanitizer) -> None:
    release = sanitizer("the xqzvbnm of qqqqzz")
    known = sanitizer("the cat of dogs")
    data = release.sender_report().to_data()
    assert data["unknown_words_mapped"] == 2
    assert "2 words" in release.sender_report().summary()
    assert release.report().to_json() == known.report().to_json()
    assert release.report().summary() == known.report().summary()
    assert json.loads(release.sender_report().to_json()) == data


def test_one_token_is_reported_at_the_weaker_of_words_and_numbers_in_every_respect(embedded) -> None:
    made = mechanism("gaussian", embedded, epsilon=8.0, delta=1e-5)
    token = Sanitizer(made, number_epsilon=9.0).setting.token
    assert isinstance(token, ApproximateDP)
    assert token.epsilon == 9.0
    assert token.delta >= 1e-5
    claimed = Constant(embedded, "zebra")
    claimed.guarantee = PureDP(epsilon=8.0, status=Status.CLAIMED)
    setting = Sanitizer(claimed, number_epsilon=9.0).setting
    assert (setting.token.epsilon, setting.token.status) == (9.0, Status.CLAIMED)
    assert not setting.for_release
    assert setting.warnings()[0].startswith("NOT FOR RELEASE: the guarantee is claimed")


def test_per_document_bounds_the_costliest_and_not_the_longest(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), number_epsilon=100.0)
    numbers, words = "1, 2, 3, 4, 5, 6, 7, 8, 9", "a b c d e f g h i j"
    for documents in ([words, numbers], [numbers, words]):
        tally = Tally()
        for release in sanitizer.batch(documents):
            tally.add(release.kinds, release.mapped)
        data = Report(setting=sanitizer.setting, tally=tally).to_data()["guarantee"]["per_document"]
        assert (data["epsilon"], data["protected_tokens"]) == (900.0, 9)
