"""docs/surrogates.md against the declarations and the example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.surrogates import made

from textveil.surrogates.making import SURROGATE_ENTRIES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/surrogates.md").read_text(encoding="utf-8")


def row(name: str) -> str:
    entry, surrogate = SURROGATE_ENTRIES[name], made(name)
    epsilon = "above 0" if entry.needs_epsilon else "0 or more" if entry.takes_epsilon else "0"
    options = ", ".join(f"`{option}`" for option in entry.options() if option != "epsilon")
    proof = f"[{Path(entry.proof).stem}](../src/textveil/{entry.proof})"
    public = "; ".join([*surrogate.public, *filter(None, [surrogate.equality])])
    cells = [
        f"`{name}`",
        ", ".join(entry.kinds) or "any",
        epsilon,
        surrogate.counts,
        options or "none",
        public or "nothing",
    ]
    return "| " + " | ".join([*cells, proof]) + " |"


@pytest.mark.parametrize("name", SURROGATE_ENTRIES)
def test_the_table_is_what_is_declared(name: str) -> None:
    assert row(name) in PAGE.splitlines(), f"write in docs/surrogates.md: {row(name)}"


def test_the_samples_are_what_the_example_prints() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/surrogates.py")], capture_output=True, text=True, check=True, timeout=60
    )
    samples = PAGE.split("```text\n")[1].split("```\n")[0].splitlines()
    printed = iter(done.stdout.splitlines())
    assert len(samples) > 20 and [line for line in samples if line not in printed] == []
