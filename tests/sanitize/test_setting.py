"""The setting of a sanitizer and its digest."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest

from textveil.catalog import mechanism
from textveil.errors import RefutedGuarantee
from textveil.privacy.guarantees import PureDP, Status
from textveil.sanitize.options import SanitizerOptions
from textveil.sanitize.release import Setting

SETTING = SanitizerOptions(mechanism=mechanism("neighborhood", epsilon=8.0)).sanitizer().setting

_OTHER = PureDP(epsilon=3.0, status=Status.PROVED, source="here")
CHANGES: dict[str, Any] = {
    "mechanism": "other",
    "parameters": {"epsilon": 8.0, "one": 1},
    "word": _OTHER,
    "number": _OTHER,
    "number_epsilon": 8.0 + 1e-9,
    "vocabulary": {**SETTING.vocabulary, "digest": "0"},
    "secure": False,
    "version": "0",
}


def test_a_change_of_every_field_is_tried() -> None:
    assert set(CHANGES) == {one.name for one in dataclasses.fields(Setting)}


@pytest.mark.parametrize("name", CHANGES)
def test_the_digest_tells_every_field(name: str) -> None:
    assert dataclasses.replace(SETTING, **{name: CHANGES[name]}).digest() != SETTING.digest()


def test_the_digest_tells_what_stands_beside_the_setting() -> None:
    assert len({SETTING.digest(), SETTING.digest(fields=["a"]), SETTING.digest(fields=["b"])}) == 3
    assert SETTING.digest(fields=("a",), size=1) == SETTING.digest(size=1, fields=["a"])


def test_equal_settings_have_one_digest_in_every_copy() -> None:
    again = SanitizerOptions(mechanism=mechanism("neighborhood", epsilon=8.0)).sanitizer().setting
    assert again.digest() == SETTING.digest() == pickle.loads(pickle.dumps(again)).digest()


def test_a_report_holds_the_digest(embedded) -> None:
    release = SanitizerOptions(mechanism=mechanism("neighborhood", epsilon=8.0)).sanitizer()("one text")
    assert json.loads(release.report().to_json())["setting_digest"] == SETTING.digest().hex()


def test_options_make_the_sanitizer_that_they_say() -> None:
    options = SanitizerOptions(mechanism=mechanism("neighborhood", epsilon=8.0), seed=3, number_epsilon=2.0)
    setting = pickle.loads(pickle.dumps(options)).sanitizer().setting
    assert (setting.number_epsilon, setting.secure) == (2.0, False)
    refuted = mechanism("truncated-laplace-published", epsilon=2.0)
    with pytest.raises(RefutedGuarantee):
        SanitizerOptions(mechanism=refuted, number_epsilon=1.0).sanitizer()
    made = SanitizerOptions(mechanism=refuted, number_epsilon=1.0, allow_refuted=True).sanitizer()
    assert made.setting.token.status is Status.NONE
