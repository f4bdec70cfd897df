"""docs/architecture.md against the tree and the import contract."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import textveil

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PACKAGE = Path(textveil.__file__).parent


def _packages() -> set[str]:
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    return files | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def _contract() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        contracts = tomllib.load(stream)["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["type"] == "layers"]
    assert contract["exhaustive"] is True
    return contract["layers"]


def test_the_table_of_packages_is_the_tree() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)` \|", PAGE, flags=re.MULTILINE)) == _packages()


def test_the_layers_on_the_page_are_those_of_the_contract() -> None:
    section = PAGE.split("## Layers")[1].split("\n## ")[0]
    printed = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    assert printed == _contract()


def test_the_layers_name_every_package() -> None:
    assert {name for line in _contract() for name in re.split(r"[ :|]+", line)} == _packages()


def test_files_named_on_the_page_exist() -> None:
    for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", PAGE):
        assert (PACKAGE / name).is_file(), name


def test_no_file_outgrows_its_noun() -> None:
    long = [path.name for path in PACKAGE.rglob("*.py") if len(path.read_text(encoding="utf-8").splitlines()) > 400]
    assert long == []
