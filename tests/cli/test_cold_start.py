"""What a command of one sentence imports and reads: a budget of modules and files, whatever the clock says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import textveil
from textveil.detection.lists import LATIN
from textveil.registry.table import entry_points

PACKAGE = Path(textveil.__file__).parent

WATCHED = """
import json, sys
read = []
sys.addaudithook(lambda event, given: read.append(str(given[0])) if event == "open" else None)
from textveil.cli.main import run
try:
    run()
finally:
    print(json.dumps([list(sys.modules), read]), file=sys.stderr)
"""

SLOW = {"asyncio", "multiprocessing", "pandas", "pyarrow", "scipy", "sqlalchemy", "torch"}
"""Packages that none of these commands needs."""

_PUBLIC_WORDS = """facts.json frequencies.json frequencies.npy milder.txt names.npy neighbors.table provenance.json
scales.npy vectors.npy weight_choices.json words.txt"""
VOCABULARY = {f"vocabulary/data/{name}" for name in _PUBLIC_WORDS.split()}
_LISTS = "demographics.txt everyday.txt measures.txt names.json names.txt.gz occupations.txt short_forms.txt"
NAMES = {f"detection/data/{name}" for name in _LISTS.split()}
ENGLISH = "detection/data/languages/en.txt"
LANGUAGES = {f"detection/data/languages/{language}.txt" for language in (*LATIN, "any")}
KEPT = {f"detection/data/keep/{name}.txt" for name in "eponyms historical medical products programming".split()}  # noqa: SIM905
OPTIONS = "cli/mechanism_options.json"
PROVED = "privacy/proofs/code.json"


class Budget(NamedTuple):
    """The most modules of textveil, all data of it that may be read, and further packages that are not needed."""

    modules: int
    files: set[str]
    without: set[str] = set()  # noqa: RUF012


BUDGETS = {
    "--version": Budget(17, set(), {"numpy", "pydantic"}),
    "--help": Budget(45, set(), {"numpy"}),
    "sanitize --policz identifiers": Budget(28, {OPTIONS}, {"numpy"}),
    "sanitize -q": Budget(232, {OPTIONS, PROVED, ENGLISH, *VOCABULARY}, {"phonenumbers"}),
    "sanitize -q -p identifiers": Budget(
        233,
        {
            OPTIONS,
            PROVED,
            "sanitize/policy/presets/identifiers.toml",
            "surrogates/data/pools.txt.gz",
            *KEPT,
            *NAMES,
            *LANGUAGES,
        },
        {"phonenumbers"},
    ),
    "sanitize -q -p common-words": Budget(
        174,
        {
            OPTIONS,
            PROVED,
            ENGLISH,
            "sanitize/policy/presets/common-words.toml",
            *(f"text/data/common_words.{end}" for end in ("json", "txt")),
        },
        {"phonenumbers"},
    ),
}


@pytest.mark.parametrize("command", BUDGETS)
def test_command_loads_only_what_it_uses(command: str, tmp_path: Path) -> None:
    budget = BUDGETS[command]
    if "policz" in command and list(entry_points("textveil.mechanisms")):
        pytest.skip("other packages' mechanisms have options too, which a misspelled one is compared with")
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *command.split()],
        input="Maria Schmidt moved to the small room on 3 May 2024.\n",
        env={**os.environ, "TEXTVEIL_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == (2 if "policz" in command else 0), done.stderr[-1000:]
    modules, read = json.loads(done.stderr.splitlines()[-1])
    own = [name for name in modules if name.split(".")[0] == "textveil"]
    assert len(own) <= budget.modules
    assert not (SLOW | budget.without).intersection(modules)
    data = {Path(name).relative_to(PACKAGE).as_posix() for name in read if Path(name).is_relative_to(PACKAGE)}
    assert {name for name in data if ".py" not in name} == budget.files
