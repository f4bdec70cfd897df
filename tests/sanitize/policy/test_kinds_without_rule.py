"""No kind is released for want of a rule: a preset, a detector of a policy, or a value of a record names one."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

import textveil as tv
from textveil.detection.embedded import EmbeddedDetector
from textveil.detection.kinds import _READ, KINDS, OWN, STANDS_FOR, Kind, checked_rows, without_rule
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, ParameterError
from textveil.sanitize.policy import choice
from textveil.sanitize.policy.choice import PRESETS
from textveil.sanitize.policy.policy import Action, Policy, Rule

VIN = "1HGCM82633A004352"
TEXT = f"The car {VIN} was towed."
OPENED = tuple(kind for kind in KINDS if kind != "number")
KEEPING = [name for name in PRESETS if not tv.policy(name).draws_words]


class Vehicles:
    """Finds the number above, or another value, as a vehicle or as another kind."""

    name = "vehicles"

    def __init__(self, kind: str = "vehicle", value: str = VIN) -> None:
        self.kinds, self.value = (kind,) if kind == "vehicle" else OPENED, value
        self.kind = kind

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        starts = [text.find(self.value) for text in texts]
        found = [DetectedSpan(start, start + len(self.value), self.kind, 1.0, self.name) for start in starts]
        return [[] if start < 0 else [span] for start, span in zip(starts, found, strict=True)]


@pytest.mark.parametrize("preset", KEEPING)
def test_what_is_found_as_any_kind_is_drawn_whole_unless_readers_need_that_kind(preset: str) -> None:
    """A wrong kind, or the wrong one that it stands for, at worst gives a surrogate that nobody takes for the value."""
    for kind in OPENED:
        for value in (VIN, "Maria Gonzalez", "4111 1111 1111 1111"):
            made = tv.Sanitizer(tv.policy(preset, detectors=[Vehicles(kind, value)]), rng=tv.seeded_generator(3))
            released = made(f"The car {value} was towed.").text
            assert kind in _READ or not any(value[at : at + 5] in released for at in range(len(value) - 4)), kind


def keeping(*rules: Rule, **more: Any) -> Policy:
    words = (Rule(kind="word", action=Action.KEEP), Rule(kind="number", action=Action.PLACEHOLDER))
    return Policy(name="own", rules=(*words, *rules), marks="keep", **more)


def row(name: str = "vehicle", stands_for: str = "id", labels: str = "VIN", **more: Any) -> Kind:
    return Kind(name, stands_for=stands_for, group="id", labels=labels, finds="VINs", **more)


WHOLE = (
    "kind vehicle: %s must be one that every preset draws whole: only code-number, demographic, duration, measurement, "
    "number, numbering, quantity may stay or keep letters"
)
CARELESS = [
    ({"stands_for": ""}, "kind vehicle: stands_for must be the kind whose rule policies without one apply; got none"),
    ({"stands_for": "", "rule": {"keep": True}}, "kind vehicle: stands_for must be the kind"),
    ({"name": "money", "stands_for": ""}, "kind money: rule must be what presets do with it"),
    ({"stands_for": "car"}, "kind vehicle: stands_for must be a kind with a rule that stands for none itself; got car"),
    ({"stands_for": "secret"}, "kind vehicle: stands_for must be a kind with a rule"),
    ({"stands_for": "vehicle"}, "kind vehicle: stands_for must be a kind with a rule"),
    *(({"stands_for": kind}, f"{WHOLE % 'stands_for'}; got {kind}.") for kind in sorted(_READ)),
    *(({"stands_for": kind}, "stands_for must be a kind of its group, id; got") for kind in ("age", "person", "date")),
    ({"rule": {"keep": True}}, f"{WHOLE % 'rule'}; got one that keeps it."),
    ({"presets": {"clinical": {"keep": True}}}, f"{WHOLE % 'rule'}; got one that keeps it."),
    *(({"rule": {"surrogate": name}}, f"{WHOLE % 'rule'}; got one") for name in ("digits", "measurement")),
    ({"name": "id", "stands_for": "person"}, "kinds must be one row for each; got two rows of one name"),
    ({"labels": "VIN us-ssn"}, "kind vehicle: label us-ssn must be one of this kind alone; got one of id too"),
    ({"labels": " "}, "kind vehicle: labels must be what others call it, Presidio's name first; got none"),
    ({"name": "Vehicle"}, "kind must be lowercase letters"),
]


@pytest.mark.parametrize(("careless", "says"), CARELESS)
def test_a_row_that_a_policy_would_release_is_refused(careless: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError) as refused:
        checked_rows(*OWN, row(**careless))
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_a_row_must_say_what_it_stands_for() -> None:
    with pytest.raises(TypeError, match="stands_for"):
        Kind("vehicle", group="id", labels="VIN", finds="VINs")  # type: ignore[call-arg]
    assert without_rule(["vehicle", "secret", "id"], {"id"}) == ["vehicle"]


ADDED = """
import importlib.util, sys

spec = importlib.util.find_spec("textveil.detection.kinds")
rows, end = spec.loader.get_source(spec.name), '\\n)\\n# fmt: on\\n'
assert rows.count(end) == 1
kinds = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = kinds
exec(compile(rows.replace(end, "\\n" + sys.argv[1] + end), spec.origin, "exec"), kinds.__dict__)

import textveil as tv
from tests.sanitize.policy.test_kinds_without_rule import KEEPING, TEXT, Vehicles, keeping
from textveil.sanitize.policy.policy import Action, Rule

assert "vehicle" in kinds.KINDS
detectors = (Vehicles(), "embedded")
before = keeping(Rule(kind="id", action=Action.PLACEHOLDER), detectors=detectors)
for policy in (*(tv.policy(name, detectors=detectors) for name in KEEPING), before):
    print(tv.Sanitizer(policy)(TEXT).text)
"""


def added(written: str) -> subprocess.CompletedProcess[str]:
    """What is released, or said, where a row stands in the table of kinds and a detector finds its values."""
    return subprocess.run([sys.executable, "-c", ADDED, written], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("beside", ["", ", rule=_drawn('id')"])
def test_a_value_of_a_kind_that_is_added_is_drawn(beside: str) -> None:
    """A kind that was added to detection alone once made ``clinical`` keep 11 of the 17 characters of this number."""
    done = added(f"Kind('vehicle', stands_for='id', group='id', labels='VIN', finds='VINs'{beside}),")
    texts = done.stdout.splitlines()
    assert len(texts) == len(KEEPING) + 1, done.stderr
    for text in texts:
        assert text.startswith("The car ") and text.endswith(" was towed.")
        assert not any(VIN[place : place + 4] in text for place in range(len(VIN) - 3))


@pytest.mark.parametrize("stands_for", ["", "stands_for='', ", "stands_for='', rule=_KEPT, "])
def test_a_kind_that_is_added_without_what_it_stands_for_stops_everything(stands_for: str) -> None:
    done = added(f"Kind('vehicle', {stands_for}group='id', labels='VIN', finds='VINs'),")
    assert done.returncode != 0 and not done.stdout
    assert "stands_for" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", KEEPING)
def test_a_search_of_textveil_for_a_kind_without_a_row_releases_nothing(name: str, monkeypatch) -> None:
    monkeypatch.setattr(EmbeddedDetector, "detect", lambda self, texts: Vehicles().detect(texts))
    with pytest.raises(InputError, match="its kind must be one that the detector names"):
        tv.Sanitizer(name)(TEXT)


def test_presets_that_a_row_names_exist() -> None:
    assert {preset for kind in OWN for preset in kind.presets} <= set(KEEPING)
    assert [name for name in PRESETS if not tv.policy(name).draws_words] == KEEPING


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
