"""Environment variables: each is declared once, and one that nothing reads is refused and not ignored."""

import ast
import gc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from textveil import environment
from textveil.environment import PREFIX, VARIABLES, collect_seldom, refuse_unread_variables
from textveil.errors import UnknownNameError
from textveil.server.config import Config

ROOT = Path(__file__).resolve().parents[2]
FIELDS = {PREFIX + name.upper() for name in Config.model_fields}


def _files() -> Iterator[Path]:
    for pattern in ("src/**/*.py", "benchmarks/**/*.py", "tools/**/*.py", "tests/**/*.py", "examples/*", "docs/*.md"):
        yield from (path for path in ROOT.glob(pattern) if path.is_file() and path != Path(__file__))
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Dockerfile"))


def test_every_name_that_is_written_anywhere_is_declared() -> None:
    found = {
        name
        for path in _files()
        for name in re.findall(rf"\b{PREFIX}[A-Z_0-9]*[A-Z0-9]\b", path.read_text(encoding="utf-8"))
    }
    assert found - VARIABLES - FIELDS - {"TEXTVEIL_UPSTRAEM"} == set()
    assert found | {environment.KILLS} >= VARIABLES, "what is declared is read"


def test_the_package_spells_a_name_in_one_place_alone() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "environment.py" and any(name in text for name in VARIABLES | FIELDS):
            strings = [one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant)]
            assert not (VARIABLES | FIELDS) & set(filter(lambda one: isinstance(one, str), strings)), path


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TEXTVEIL_UPSTRAEM", "TEXTVEIL_UPSTREAM"),
        ("TEXTVEIL_LEDGERKEY", "TEXTVEIL_LEDGER_KEY"),
        ("textveil_port", "TEXTVEIL_PORT"),
    ],
)
def test_a_name_that_nothing_reads_is_refused_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        refuse_unread_variables({name: "CANARY", "HOME": "/"}, FIELDS)
    told = f"{name} is an environment variable that nothing reads. Is {meant} meant? Rename or unset it."
    assert str(caught.value) == told


def test_a_name_that_is_near_to_nothing_is_refused_too() -> None:
    with pytest.raises(UnknownNameError, match=r"^TEXTVEIL_ZZZZZZZZZZ is .* nothing reads\. Unset it;"):
        refuse_unread_variables(["TEXTVEIL_ZZZZZZZZZZ"], FIELDS)


def test_names_of_others_are_left_alone() -> None:
    refuse_unread_variables([*VARIABLES, *FIELDS, "HOME", "MY_TEXTVEIL_PORT"], FIELDS)


def test_a_process_of_its_own_collects_seldom() -> None:
    before = gc.get_threshold()
    try:
        collect_seldom()
        assert gc.get_threshold()[0] > 100 * 700
    finally:
        gc.set_threshold(*before)
