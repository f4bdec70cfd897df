"""Options: what signatures declare, what is checked by it, and what the catalog makes of it."""

import inspect
import json
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from tests.helpers.catalog import has_least_epsilon, needed
from tests.helpers.shared import needs_lab

import textveil as tv
from textveil.catalog import entries, mechanism
from textveil.errors import ParameterError, UnknownNameError
from textveil.mechanisms.kinds import Epsilon
from textveil.registry.options import (
    ANY,
    Domain,
    Option,
    at_least,
    documented,
    named,
    options_of,
    takes_progress,
)

CATALOG = entries()


EVERY = [(name, key) for name, one in CATALOG.items() for key in one.options()]

POOL: dict[Any, list[Any]] = {
    float: [0.5, 0.75, 2.0, 3.0, 0.0, -1.0, math.nan, math.inf],
    int: [3, 5, 7, 0, -1, 10**6],
    str: [],
}
"""Values of which an option gets the first that its domain holds and that is not its default."""

WRONG_TYPE: dict[Any, list[Any]] = {
    float: ["1", True, None, [1.0], 1j],
    int: [1.0, "1", False, None],
    str: [1, None, b"numpy"],
}


@pytest.mark.parametrize(("name", "key"), EVERY)
def test_every_option_is_documented_and_checked_by_its_declaration(name: str, key: str, tiny) -> None:
    entry = CATALOG[name]
    option = entry.options()[key]
    assert option.domain is not ANY
    assert option.help.endswith(".")
    assert option.group != Option().group
    told = " ".join(inspect.getdoc(entry.constructor()).split())
    assert f" {key}: {option.told}" in told
    others = {"epsilon": 1.0} if "epsilon" in entry.options() and not key.startswith("epsilon") else {}
    too_large = [10**400] if option.kind is float else []  # a number that no float is
    outside = [value for value in option.domain.outside if option.kind is not int or isinstance(value, int)]
    assert outside
    assert not any(option.domain.holds(value) for value in outside)
    for value in outside + too_large:
        with pytest.raises(ParameterError, match=f"^{key} must be ") as caught:
            entry.constructor()(tiny, **others, **{key: value})
        assert option.domain.wanted in str(caught.value)
        with pytest.raises(ParameterError, match=f"^{key} must be "):
            mechanism(name, tiny, **others, **{key: value})
    for value in WRONG_TYPE[option.kind]:
        if value is None and option.optional:
            continue
        with pytest.raises(ParameterError, match=f"^{key} must be "):
            entry.constructor()(tiny, **others, **{key: value})


def test_one_name_is_one_kind_in_every_mechanism() -> None:
    """The command line offers every option once."""
    for key in {key for _, key in EVERY}:
        found = {one.options()[key] for one in CATALOG.values() if key in one.options()}
        assert len({(option.kind, option.metavar, option.group, option.without) for option in found}) == 1, key


@needs_lab
def test_values_become_the_declared_type(tiny) -> None:
    made = mechanism("gaussian", tiny, epsilon=np.float32(2), delta=Fraction(1, 1024), clip=3)
    assert [type(made.parameters[key]) for key in ("epsilon", "delta", "clip")] == [float, float, float]
    assert made.parameters["delta"] == 2.0**-10
    size = mechanism("neighborhood", tiny, neighborhood_size=np.int16(4)).parameters["neighborhood_size"]
    assert (size, type(size)) == (4, int)


ASKED: dict[str, Any] = {
    "base_weights": "flat",
    "context": "released",
    "levels": 4,
    "mass": 0.1,
    "max_logit": 40.0,
    "min_logit": -1.5,
    "noise_dim": 400,
    "top_k": 8,
}
"""Values of options that would not go with the others' defaults."""

FOLDERS = ("model", "network")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "key"), EVERY)
def test_a_report_holds_every_option_that_was_given_by_its_name(name: str, key: str, tiny, embedded, tmp_path) -> None:
    besides = {
        "hops": {"metric": "neighbor-graph"},
        "calibration": {"epsilon": 0.75},
        "context_weight": {"context": "released"},
        "delta": {"dp_mechanism": "gaussian"},
    }
    known = CATALOG[name].options()
    option, words = known[key], embedded if key.startswith("context") else tiny
    others = {other: value for other, value in besides.get(key, {}).items() if other in known}
    if key == "points":  # of the Poincare ball
        words = tv.Vocabulary(tiny.words, tiny.vectors / 80, "ball")
    if key == "prior":  # a file, of which reports hold the name and not the folder
        path = tmp_path / "counts.txt"
        path.write_text(f"{tiny.words[3]}\t900\n{tiny.words[0]} 2.5\n", encoding="utf-8")
        asked: Any = str(path)
        wanted: Any = path.name
    elif key == "pruned":
        path = tmp_path / "pruned.txt"
        path.write_text("0 3\n5\n", encoding="utf-8")
        asked, wanted = str(path), path.name
    elif key == "budgets":
        path = tmp_path / "budgets.txt"
        path.write_text(f"{tiny.words[3]} 0.25\n", encoding="utf-8")
        asked, wanted = str(path), path.name
    elif key == "tags":
        path = tmp_path / "tags.txt"
        path.write_text("".join(f"{word} {len(word)}\n" for word in tiny.words), encoding="utf-8")
        asked, wanted = str(path), path.name
    else:
        steep = (name, key) == ("hyperbolic-laplace", "epsilon_per_distance")  # which has a least one
        domain = option.domain
        fitting = [*domain.names, *domain.inside, *filter(domain.holds, POOL[option.kind])]
        usual_one = next((value for value in fitting if value != option.default), None)
        asked = wanted = 1.5 if steep else ASKED.get(key, usual_one)
    others = {**needed(name), **others}
    if key in FOLDERS:  # a folder, of which reports hold the name
        asked = others[key]
        wanted = Path(asked).name
    if (name, key) == ("tgm-published", "epsilon_per_distance"):
        asked = wanted = 20.0  # its formulas have a domain
    if key == "epsilon" and has_least_epsilon(name):
        asked = wanted = CATALOG[name].shown_at[key]
    made = mechanism(name, words, **{**others, key: asked})
    assert made.parameters[key] == (wanted if isinstance(wanted, str) else pytest.approx(wanted, rel=1e-5))
    given = {one: value for one, value in needed(name).items() if one in FOLDERS or (one, value) != (key, asked)}
    usual = mechanism(name, words, **given)
    assert key in FOLDERS or json.dumps(dict(made.parameters)) != json.dumps(dict(usual.parameters))


@needs_lab
@pytest.mark.parametrize(
    ("name", "key", "value"),
    [("custext", "cluster_size", 20), ("custext-plus", "cluster_size", 20), ("custext-published", "top_k", 20)],
)
def test_a_report_states_the_size_that_nobody_asked_for(name: str, key: str, value: int, tiny) -> None:
    assert mechanism(name, tiny).parameters[key] == value
    assert mechanism(name, tiny, top_k=8).parameters[key] == 8


@needs_lab
def test_a_report_states_the_mass_and_the_reach_that_nobody_asked_for(tiny) -> None:
    assert mechanism("elastic", tiny, epsilon=1.0).parameters["mass"] == 2 / 40
    asked = mechanism("tem", tiny, epsilon=1.0, truncation=0.5)
    assert asked.parameters["reach"] == pytest.approx(0.5, rel=1e-6)
    usual = mechanism("tem", tiny, epsilon_per_distance=20.0)
    assert usual.parameters["reach"] == pytest.approx(2 * math.log(0.999 * 39 / 0.001) / 20, rel=1e-3)


@needs_lab
def test_none_turns_off_what_is_on_by_default_and_counts_as_not_given_elsewhere(tiny) -> None:
    assert mechanism("gaussian", tiny).parameters["clip"] == 1.0
    assert mechanism("gaussian", tiny, clip=None).parameters["clip"] is None
    assert mechanism("gaussian", tiny, delta=None, calibration=None).parameters["delta"] == 1e-5
    assert mechanism("randomized-response", tiny, clip=None, metric=None).guarantee.epsilon == 8.0
    assert mechanism("exponential", tiny, epsilon=None).guarantee.epsilon == 8.0
    assert not CATALOG["exponential"].options()["epsilon"].can_be_turned_off
    with pytest.raises(ParameterError, match="clip must be a norm"):
        mechanism("truncated-laplace-published", tiny, clip=None)


@needs_lab
def test_a_wrong_type_is_named_and_none_is_none(tiny) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be a number; got None\.$"):
        CATALOG["gaussian"].constructor()(tiny, epsilon=None)
    with pytest.raises(ParameterError, match=r"^epsilon must be a number; got str\.$"):
        mechanism("gaussian", tiny, epsilon="8")


@needs_lab
def test_diameters_are_enlarged_by_the_rounding_of_float32_vectors() -> None:
    from textveil_lab.mechanisms.parameters import outward

    assert outward(2.0) == 2.0 + 2.0**-19


@needs_lab
def test_an_unknown_value_of_names_is_an_unknown_name(tiny) -> None:
    with pytest.raises(UnknownNameError, match=r"projection must be one of fastest, numpy, .*; got 'annoy'\. See docs"):
        mechanism("laplace", tiny, projection="annoy")
    with pytest.raises(UnknownNameError, match=r"calibration must be analytic or classical; got 'x{60}'"):
        mechanism("gaussian", tiny, calibration="x" * 100)


def _declares_much(
    vocabulary: Any,
    *,
    plain: float,
    rounds: int = 3,
    bare=None,
    size=2,
    chosen: Annotated[int, "a note", Option(domain=at_least(2), help="H.")] | None = 4,
    other: Annotated[str | Domain, Option(domain=named("a", "b"))] = "a",
    thing: Domain = ANY,
    progress: Any = None,
) -> None: ...


def test_the_signature_is_the_declaration() -> None:
    found = options_of(_declares_much)
    assert list(found) == ["plain", "rounds", "bare", "size", "chosen", "other", "thing"]
    assert takes_progress(_declares_much)
    facts = {key: (one.kind, one.optional, one.foreign, one.required, one.default) for key, one in found.items()}
    assert facts == {
        "plain": (float, False, False, True, None),
        "rounds": (int, False, False, False, 3),
        "bare": (str, True, True, False, None),
        "size": (int, False, True, False, 2),
        "chosen": (int, True, False, False, 4),
        "other": (str, False, True, False, "a"),
        "thing": (None, False, True, False, ANY),
    }
    assert found["chosen"].wanted == "an integer >= 2, or None"
    assert found["chosen"].checked(None) is None
    assert found["other"].checked(ANY) is ANY
    assert found["thing"].checked("whatever") == "whatever"
    assert found["plain"].wanted == "a number"
    assert [one.default_text for one in found.values()] == ["", "3", "", "2", "4", "a", str(ANY)]


@needs_lab
def test_a_docstring_tells_every_option_once() -> None:
    from textveil_lab.mechanisms.parameters import Delta

    def constructor(vocabulary, *, epsilon: Epsilon, beta: float = 0.5, delta: Delta = 1e-5, progress=None):
        """Draws.

        It draws much.

        Args:
            beta: of the paper,
                in its section 2.

        Raises:
            ParameterError: no.
        """

    lines = (documented(constructor) or "").split("\n")
    names = ["vocabulary", "epsilon", "beta", "delta", "progress"]
    assert [line.split(":")[0].strip() for line in lines[5:11] if line[:8].strip()] == names
    assert lines[:5] == ["Draws.", "", "It draws much.", "", "Args:"]
    assert lines[7:9] == ["    beta: of the paper,", "        in its section 2."]
    assert lines[11:] == ["", "Raises:", "    ParameterError: no."]
    constructor.__doc__ = "Draws."
    assert (documented(constructor) or "").startswith("Draws.\n\nArgs:\n    vocabulary: ")
    constructor.__doc__ = "Draws.\n\n    Raises:\n        ParameterError: no.\n    "
    text = documented(constructor) or ""
    assert text.startswith("Draws.\n\nArgs:\n    vocabulary: ")
    assert text.endswith(" there is.\n\nRaises:\n    ParameterError: no.")
    constructor.__doc__ = None
    assert documented(constructor) is None


def test_annotations_that_cannot_be_evaluated_leave_plain_options() -> None:
    def constructor(vocabulary, *, epsilon: "OnlyForTypeCheckers" = 2.0, name: str = "x"):  # noqa: F821
        return None

    found = options_of(constructor)
    assert {key: (one.kind, one.default) for key, one in found.items()} == {"epsilon": (float, 2.0), "name": (str, "x")}


def test_defaults_are_shown_as_people_write_them() -> None:
    def constructor(vocabulary, *, epsilon: Epsilon, delta: float = 1e-5, wide: float = 2.5e-12, big: float = 1e20):
        return None

    assert [one.default_text for one in options_of(constructor).values()] == ["8", "1e-5", "2.5e-12", "1e+20"]


@pytest.mark.parametrize("name", CATALOG)
def test_constructors_stay_functions(name: str) -> None:
    constructor = CATALOG[name].constructor()
    assert pickle.loads(pickle.dumps(constructor)) is constructor
    assert next(iter(inspect.signature(constructor).parameters)) == "vocabulary"
    assert inspect.isfunction(constructor)
