"""docs/architecture.md against the tree and the import contract."""

import ast
import re
import sys
import tomllib
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import textveil
from textveil.catalog import mechanism
from textveil.sanitize.sanitizer import Sanitizer

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PACKAGE = Path(textveil.__file__).parent


def _packages() -> set[str]:
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    return files | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def _contract() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        contracts = tomllib.load(stream)["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one.get("containers") == ["textveil"]]
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


def _walked(name: str) -> list[str]:
    """The modules of text and mechanisms that ``sanitize`` calls for a batch, in order, runs of one as one visit."""
    sanitizer = Sanitizer(mechanism(name))
    called: list[str] = []

    def follow(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_back is not None:
            caller, callee = (one.f_globals.get("__name__", "") for one in (frame.f_back, frame))
            if caller.startswith("textveil.sanitize.") and callee.startswith(
                ("textveil.text.", "textveil.mechanisms.")
            ):
                called.append(callee)

    sys.setprofile(follow)
    try:
        sanitizer.batch(["Maria has 2 cats.", "And 17 dogs, a@b.org"], spans=True)
    finally:
        sys.setprofile(None)
    return [module for module, _ in groupby(called)]


@pytest.mark.parametrize("name", ["neighborhood", "consistent-neighborhood"])
def test_the_walk_of_a_text_is_the_one_that_is_drawn(name: str) -> None:
    section = PAGE.split("## The walk of a text")[1].split("\n## ")[0]
    drawn = re.findall(r"^    (textveil\.\S+)", section, flags=re.MULTILINE)
    walked = _walked(name)
    assert len(set(walked)) == len(walked)
    assert walked == [type(mechanism(name)).__module__ if ".neighborhood" in one else one for one in drawn]


def test_no_test_sets_the_precision_of_all() -> None:
    """`mpmath.workdps` ends; a precision that is set stays for every test after it, and a serial run differs."""
    folders = ("tests", "lab/tests", "examples/plugin/tests")
    setting = re.compile(r"\b(mp|mpmath)\.(dps|prec)\s*[-+*]?=[^=]")
    files = [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.py")]
    assert [path.name for path in files if setting.search(path.read_text("utf-8"))] == ["make_reference.py"], "a script"


def test_scripts_name_files_and_folders_that_are_there() -> None:
    """A folder that moved would end a stage of the nightly run before its first test."""
    named: list[str] = []
    for script in (ROOT / ".ci/run", *sorted((ROOT / "scripts").iterdir())):
        text = script.read_text(encoding="utf-8")
        named += re.findall(r"(?<![\w./-])((?:lab/)?(?:tests|benchmarks|tools|scripts|examples)/[\w./-]*\w)", text)
        for folders in re.findall(r"^for folder in (.*); do\n.*lab/tests/\$folder", text, flags=re.MULTILINE):
            named += [f"lab/tests/{folder}" for folder in folders.split()]
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_what_tells_an_error_in_a_block_leaves_out_the_one_that_it_tells() -> None:
    """Behind an except clause an error has no context, but in a context manager it has, and its message is shown."""
    for path in PACKAGE.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or "contextmanager" not in map(_last, function.decorator_list):
                continue
            yields = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Yield)]
            caught = [
                one for one in ast.walk(function) if isinstance(one, ast.ExceptHandler) and one.lineno > yields[0]
            ]
            told = [one for one in ast.walk(function) if isinstance(one, ast.Raise) and one.exc and one.cause is None]
            behind = [one.lineno for one in told if caught and one.lineno > caught[0].lineno]
            assert not behind, f"{path.name}, line {behind[0]}: say `from None`"


def _last(decorator: ast.expr) -> str:
    return ast.unparse(decorator).rpartition(".")[2]
