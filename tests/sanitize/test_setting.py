"""The setting of a sanitizer and its digest."""

import dataclasses
import json
import pickle
from typing import Any

import pytest

from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee, UnsupportedGuarantee
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ALL_DOCUMENTS, ONE_TOKEN, Unit
from textveil.sanitize.chosen import SanitizerOptions
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.release import Report, Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Protected, Setting, facts_of

SETTING = Sanitizer(mechanism("neighborhood", epsilon=8.0)).setting

SETTING_OF_TENTH = Sanitizer(mechanism("randomized-response", epsilon=0.1)).setting

_OTHER = PureDP(epsilon=3.0, status=Status.PROVED, source="here")
CHANGES: dict[str, Any] = {
    "mechanism": "other",
    "parameters": {"epsilon": 8.0, "one": 1},
    "protected": (Protected("word", _OTHER), Protected("number", _OTHER)),
    "number_epsilon": 8.0 + 1e-9,
    "digit_keep_limit": 0.6,
    "marks": "keep",
    "vocabulary": {**SETTING.vocabulary, "digest": "0"},
    "secure": False,
    "version": "0",
    "policy": facts_of(Policy(name="one", rules=(Rule(kind="word", action=Action.MECHANISM, name="x"),)), ONE_TOKEN),
}


def test_a_change_of_every_field_is_tried() -> None:
    assert set(CHANGES) == {one.name for one in dataclasses.fields(Setting)} - {"mostly_unchanged", "unchanged_kinds"}


@pytest.mark.parametrize("name", CHANGES)
def test_the_digest_tells_every_field(name: str) -> None:
    assert dataclasses.replace(SETTING, **{name: CHANGES[name]}).digest() != SETTING.digest()


def test_the_digest_tells_what_stands_beside_the_setting() -> None:
    assert len({SETTING.digest(), SETTING.digest(fields=["a"]), SETTING.digest(fields=["b"])}) == 3
    assert SETTING.digest(fields=("a",), size=1) == SETTING.digest(size=1, fields=["a"])


def test_equal_settings_have_one_digest_in_every_copy() -> None:
    again = Sanitizer(mechanism("neighborhood", epsilon=8.0)).setting
    assert again.digest() == SETTING.digest() == pickle.loads(pickle.dumps(again)).digest()


def test_a_setting_lists_what_is_drawn_by_unit_and_kind() -> None:
    assert [(one.unit, one.kind) for one in SETTING.protected] == [(Unit.TOKEN, "word"), (Unit.TOKEN, "number")]
    assert SETTING.guarantee_of("word") == SETTING.protected[0].guarantee
    with pytest.raises(UnsupportedGuarantee, match="word, number"):
        SETTING.guarantee_of("text")


def test_reports_name_units_and_show_the_sum_and_the_optimum_side_by_side() -> None:
    sanitizer = Sanitizer(mechanism("randomized-response", epsilon=0.1), number_epsilon=0.1)
    release = sanitizer("one two three 12 " * 25)
    assert release.accountant.spent == release.guarantee == SETTING_OF_TENTH.document(75, 25)
    data = json.loads(release.report().to_json())["guarantee"]
    assert [data[key]["unit"] for key in ("per_token", "per_document", "whole_input")] == [
        "token",
        "document",
        "person",
    ]
    assert [one["kind"] for one in data["by_kind"]] == ["word", "number"]
    for key in ("per_document", "whole_input"):
        optimal = data[key]["optimal"]
        assert (optimal["method"], optimal["delta"]) == ("exact", pytest.approx(1e-6))
        # 25 numbers alone cost 2.079; words are drawn by base weights but for 3 in a million draws.
        assert 2.05 < optimal["epsilon"] < 2.1 < data[key]["epsilon"] == pytest.approx(10.0)
    assert "epsilon 2.07924 at delta 1e-06 (optimal composition)" in release.report().summary()


def test_documents_of_one_person_add_up() -> None:
    sanitizer = Sanitizer(mechanism("randomized-response", epsilon=0.1))
    tally = Tally()
    for release in sanitizer.batch(["one two three"] * 40):
        tally.add(release.kinds, release.mapped)
    report = Report(setting=sanitizer.setting, tally=tally)
    data = report.to_data()["guarantee"]
    assert data["per_document"]["optimal"]["epsilon"] < data["per_document"]["epsilon"] == pytest.approx(0.3)
    assert data["whole_input"]["optimal"]["epsilon"] < 6 < data["whole_input"]["epsilon"] == pytest.approx(12.0)
    assert data["whole_input"]["adjacency"] == ALL_DOCUMENTS.text


def test_a_report_holds_the_digest(embedded) -> None:
    release = Sanitizer(mechanism("neighborhood", epsilon=8.0))("one text")
    assert json.loads(release.report().to_json())["setting_digest"] == SETTING.digest().hex()


def test_options_make_the_sanitizer_that_they_say() -> None:
    options = SanitizerOptions(
        mechanism=mechanism("neighborhood", epsilon=8.0), seed=3, number_epsilon=2.0, digit_keep_limit=0.3, marks="keep"
    )
    setting = Sanitizer.of(pickle.loads(pickle.dumps(options))).setting
    assert (setting.number_epsilon, setting.digit_keep_limit, setting.marks) == (2.0, 0.3, "keep")
    assert not setting.secure
    refuted = mechanism("truncated-laplace-published", epsilon=2.0)
    with pytest.raises(RefutedGuarantee):
        Sanitizer(refuted, number_epsilon=1.0)
    made = Sanitizer(refuted, number_epsilon=1.0, allow_refuted=True)
    assert made.setting.token.status is Status.NONE


def test_options_are_checked_where_they_are_made(embedded) -> None:
    words = mechanism("neighborhood", embedded, epsilon=8.0)
    policy = Policy(name="one", rules=(Rule(kind="word", action=Action.MECHANISM, name="neighborhood"),))
    for made, options, message in (
        ("words", {}, "mechanism must be a mechanism or a policy; got str"),
        (words, {"number_epsilon": 0.0}, "number_epsilon must be finite and > 0; got 0.0"),
        (words, {"digit_keep_limit": 1.1}, "digit_keep_limit must be between 0.1 and 1; got 1.1"),
        (words, {"marks": "drop"}, "marks must be"),
        (words, {"key": bytes(32)}, "key must be left out for a mechanism; got one"),
        (policy, {"key": bytes(32)}, "key must be left out where the scope is no corpus; got one"),
        (policy, {"number_epsilon": 1.0}, "number_epsilon must be left out for a policy, which says it; got 1.0"),
        # What is given counts, also where it is what an option that is left out stands for.
        (policy, {"digit_keep_limit": 0.5}, "digit_keep_limit must be left out for a policy, which says it; got 0.5"),
        (mechanism("keywords", embedded), {"marks": "normalize"}, "marks must be left out for a mechanism of whole"),
    ):
        with pytest.raises(ParameterError, match=message):
            SanitizerOptions(mechanism=made, **options)
