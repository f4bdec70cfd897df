"""No kind is released for want of a rule: a preset, a detector of a policy, or a value of a record names one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import textveil as tv
from textveil.detection.kinds import KINDS, OWN, STANDS_FOR, without_rule
from textveil.detection.spans import DetectedSpan
from textveil.errors import ParameterError
from textveil.sanitize.policy import choice
from textveil.sanitize.policy.choice import PRESETS
from textveil.sanitize.policy.policy import Action, Policy, Rule

VIN = "1HGCM82633A004352"
TEXT = f"The car {VIN} was towed."
KEEPING = ["identifiers", "clinical", "prompts"]


class Vehicles:
    """Finds the number above."""

    name, kinds = "vehicles", ("vehicle",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        starts = [text.find(VIN) for text in texts]
        return [
            [] if start < 0 else [DetectedSpan(start, start + len(VIN), "vehicle", 1.0, self.name)] for start in starts
        ]


def keeping(*rules: Rule, **more: Any) -> Policy:
    words = (Rule(kind="word", action=Action.KEEP), Rule(kind="number", action=Action.PLACEHOLDER))
    return Policy(name="own", rules=(*words, *rules), marks="keep", **more)


def test_every_kind_says_what_it_stands_for() -> None:
    assert all(other in KINDS and other not in STANDS_FOR for other in STANDS_FOR.values())
    assert len(set(KINDS)) == len(OWN)
    assert without_rule(["vehicle", "secret", "id"], {"id"}) == ["vehicle"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_new_kind_without_rule_stops_every_preset_that_keeps_words(name: str, monkeypatch) -> None:
    monkeypatch.setattr(choice, "KINDS", (*KINDS, "vehicle"))
    if name not in KEEPING:
        tv.policy(name)
        return
    with pytest.raises(ParameterError, match="kind must be one that has a rule; got vehicle"):
        tv.policy(name)
    monkeypatch.setattr("textveil.detection.kinds.STANDS_FOR", {**STANDS_FOR, "vehicle": "id"})
    tv.policy(name)


@pytest.mark.parametrize("name", KEEPING)
def test_a_kind_that_stands_for_another_is_drawn_as_that(name: str, monkeypatch) -> None:
    stands_for = {**STANDS_FOR, "vehicle": "id"}
    monkeypatch.setattr("textveil.detection.kinds.STANDS_FOR", stands_for)
    monkeypatch.setattr("textveil.sanitize.policy.making.STANDS_FOR", stands_for)
    release = tv.Sanitizer(tv.policy(name, detectors=["embedded", Vehicles()]))(TEXT)
    assert VIN not in release.text and release.kinds["id"] == 1


@pytest.mark.parametrize("name", KEEPING)
def test_a_detector_of_a_kind_without_rule_is_refused_where_words_stay(name: str) -> None:
    for policy in (tv.policy(name, detectors=["embedded", Vehicles()]), keeping(detectors=(Vehicles(),))):
        with pytest.raises(ParameterError, match="detector vehicles: kind must be one that has a rule; got vehicle"):
            tv.Sanitizer(policy)


def test_a_kind_that_a_rule_keeps_is_kept_and_one_that_it_draws_is_drawn() -> None:
    for action, stays in ((Action.KEEP, True), (Action.PLACEHOLDER, False)):
        policy = keeping(Rule(kind="vehicle", action=action), detectors=(Vehicles(),))
        assert (VIN in tv.Sanitizer(policy)(TEXT).text) is stays


def test_where_words_are_drawn_a_kind_without_rule_is_drawn_as_words() -> None:
    rules = (*tv.policy("all-words").rules, Rule(kind="number", action=Action.SURROGATE, name="digits", epsilon=0))
    made = tv.Sanitizer(Policy(name="own", rules=rules, detectors=(Vehicles(),)))
    assert VIN not in made(TEXT).text


def test_a_value_of_a_record_needs_a_rule_for_its_kind() -> None:
    made = tv.Sanitizer("clinical")
    with pytest.raises(ParameterError, match="values must be of kinds that the policy has a rule for"):
        made.batch([TEXT], values=[[(VIN, "vehicle")]])
    assert VIN not in made.batch([TEXT], values=[[(VIN, "id")]])[0].text


def test_a_value_of_a_kind_that_stands_for_another_is_drawn_as_that() -> None:
    id_rule = Rule(kind="id", action=Action.PLACEHOLDER)
    made = tv.Sanitizer(keeping(id_rule, detectors=("embedded",)))
    assert made.batch(["It is Zebra."], values=[[("Zebra", "secret")]])[0].text == "It is [id]."
