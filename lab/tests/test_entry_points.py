"""What the lab declares is what its package registers, and what textveil says how to install."""

import json
import pkgutil
import re
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import textveil_lab
from textveil.catalog import MECHANISMS as OWN
from textveil.catalog import entry
from textveil.mechanisms.declaration import entry_of
from textveil.registry.table import LAB_COMMANDS, LAB_MECHANISMS, lab_function
from textveil_lab.mechanisms.presets import PRESETS

LAB = Path(__file__).resolve().parents[1]
POINTS = tomllib.loads((LAB / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
MECHANISMS = POINTS["textveil.mechanisms"]


def _installed(group: str) -> dict[str, str]:
    points = entry_points(group=group)
    return {point.name: point.value for point in points if re.split(r"[.:]", point.value)[0] == "textveil_lab"}


def _declared() -> set[str]:
    """Names of the mechanisms that modules of the lab declare."""
    folder = str(LAB / "src" / "textveil_lab" / "mechanisms")
    modules = [import_module(module.name) for module in pkgutil.walk_packages([folder], "textveil_lab.mechanisms.")]
    entries = [entry_of(value) for module in modules for value in vars(module).values()]
    names = {one.name for one in entries if one is not None} | {preset.name for preset in PRESETS}
    return names - OWN.keys()  # modules of the lab import some of textveil's


def test_every_declared_mechanism_is_an_entry_point() -> None:
    assert _declared() == MECHANISMS.keys()


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_entry_point_declares_the_mechanism_of_its_name(name: str) -> None:
    module, _, function = MECHANISMS[name].partition(":")
    declared = entry_of(getattr(import_module(module), function))
    assert declared is not None
    assert declared.name == name


@pytest.mark.parametrize("group", POINTS)
def test_installed_entry_points_are_those_of_the_project_file(group: str) -> None:
    assert _installed(group) == POINTS[group]


@pytest.mark.parametrize("target", [target for group in POINTS.values() for target in group.values()])
def test_every_entry_point_is_there(target: str) -> None:
    module, _, attribute = target.partition(":")
    assert not attribute or hasattr(import_module(module), attribute)


def test_textveil_names_the_mechanisms_and_commands_of_the_lab() -> None:
    assert set(LAB_MECHANISMS.split()) == MECHANISMS.keys()
    assert set(LAB_COMMANDS.split()) == POINTS["textveil.commands"].keys()


@pytest.mark.parametrize("name", POINTS["textveil.functions"])
def test_functions_are_found_under_their_names(name: str) -> None:
    assert lab_function(name) is not None


def test_statuses_are_those_of_the_stored_catalog() -> None:
    stored = json.loads((LAB / "tests" / "catalog.json").read_text(encoding="utf-8"))
    assert {name: entry(name).status.value for name in MECHANISMS} == {
        name: row["status"] for name, row in stored.items() if name in MECHANISMS
    }


def test_the_package_is_the_one_in_this_checkout() -> None:
    assert Path(textveil_lab.__file__).parent == LAB / "src" / "textveil_lab"
