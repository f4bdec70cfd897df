"""Detectors and surrogates of other packages: by their entry points, named like textveil's own, and never trusted."""

import json
import re
import tomllib
import traceback
from dataclasses import replace
from functools import wraps
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import textveil as tv
from textveil.detection.detectors import detector_of
from textveil.errors import ParameterError, TextveilError, UnknownNameError
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate, surrogate_entries

PLUGIN = Path(__file__).resolve().parents[2] / "examples/plugin"
LINES = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
TEXT = "Moved from room 12B to ward 7; later back to Room 12B."


def install(monkeypatch: pytest.MonkeyPatch, groups: dict[str, dict[str, str]]) -> None:
    def points(group: str) -> list[EntryPoint]:
        return [EntryPoint(name, line, group) for name, line in groups.get(group, {}).items()]

    monkeypatch.setattr("textveil.registry.table.entry_points", points)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGIN / "src"))
    install(monkeypatch, LINES)


def test_they_are_named_like_textveils_own(plugin: None) -> None:
    assert [TEXT[span.start : span.end] for span in tv.detect(TEXT, "rooms")] == ["12B", "7", "12B"]
    assert list(surrogate_entries()) == [*SURROGATE_ENTRIES, "room"]
    assert make_surrogate("room", options={"floors": 3}).parameters == {"floors": 3}
    with pytest.raises(ParameterError, match="floors"):
        make_surrogate("room", options={"floors": 100})
    proof = surrogate_entries()["room"].proof
    assert len((PLUGIN / "src" / proof).read_text(encoding="utf-8").split()) > 100


def test_a_policy_takes_both(plugin: None) -> None:
    release = tv.Sanitizer(tv.policy(PLUGIN / "ward.toml"))(TEXT)
    first, ward, again = re.findall(r"(?:room|ward|Room) (\d{3,4})\b", release.text)
    assert first == again != ward
    facts = json.loads(release.report().to_json())
    assert facts["guarantee"]["by_kind"][-1]["kind"] == "room"
    assert facts["policy"]["detectors"] == ["rooms"]


def test_unknown_names_list_them(plugin: None) -> None:
    with pytest.raises(UnknownNameError, match="gliner, rooms"):
        detector_of("room-numbers")
    with pytest.raises(UnknownNameError, match=r"placeholder, .*room; .*Did you mean 'room'"):
        make_surrogate("rooom")


WRONG: list[tuple[str, dict[str, str], Any]] = [
    ("textveil.detectors", {"x": "no_such_module:Detector"}, "entry point x must load; got ModuleNotFoundError"),
    ("textveil.detectors", {"x": "builtins:dict"}, "entry point x must make a detector; got dict"),
    ("textveil.detectors", {"embedded": "builtins:dict"}, "detector name must be new to the catalog; got embedded"),
    ("textveil.surrogates", {"x": "builtins:dict"}, "entry point x must be a function that .* decorates; got type"),
    (
        "textveil.surrogates",
        {"person": "builtins:dict"},
        "entry point person must be a function that .* decorates",
    ),
]


@pytest.mark.parametrize(("group", "points", "message"), WRONG, ids=[one[2][:40] for one in WRONG])
def test_what_is_wrong_with_a_package_is_one_line(
    monkeypatch: pytest.MonkeyPatch, group: str, points: dict[str, str], message: str
) -> None:
    install(monkeypatch, {group: points})
    make = detector_of if group.endswith("detectors") else make_surrogate
    with pytest.raises(ParameterError, match=message):
        make("x")


def test_own_names_ask_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(group: str) -> list[EntryPoint]:
        raise AssertionError("asked")

    monkeypatch.setattr("textveil.registry.table.entry_points", broken)
    assert detector_of("numbers").kinds
    assert make_surrogate("digits").name == "digits"


@pytest.mark.parametrize("where", ["surrogate_of", "read", "of_mentions", "unsettled"])
@pytest.mark.parametrize("kind", [ParameterError, ValueError, SystemExit])
def test_an_error_of_a_surrogate_is_told_by_its_type_alone(
    plugin: None, monkeypatch: pytest.MonkeyPatch, where: str, kind: type[BaseException]
) -> None:
    def failing(answer: Any) -> Any:
        def fails(value: Any, *_: Any) -> Any:
            if "7" in str(value):
                raise kind(f"{value} must be shorter")
            return answer

        return fails

    answers = {"surrogate_of": "a", "read": "a", "of_mentions": lambda *_: "a", "unsettled": False}

    find, room = SURROGATE_ENTRIES.find, SURROGATE_ENTRIES.find("room")

    @wraps(room.make)
    def other(**options: Any) -> Any:
        made: Any = room.make(**options)
        return replace(made, **{where: failing(answers[where])})

    failing_room = replace(room, make=other)
    monkeypatch.setattr(SURROGATE_ENTRIES, "find", lambda name: failing_room if name == "room" else find(name))
    sanitizer = tv.Sanitizer(tv.policy(PLUGIN / "ward.toml"))
    assert sanitizer("Moved to room 12B.").text
    with pytest.raises(TextveilError, match=f"the surrogate room must .*; got {kind.__name__}. Correct") as caught:
        sanitizer(TEXT)
    told = "".join(traceback.format_exception(caught.value))
    assert "7 must be shorter" not in told and "During handling" not in told
