"""docs/surrogates.md against the example."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/surrogates.md").read_text(encoding="utf-8")


def test_the_samples_are_what_the_example_prints() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/surrogates.py")], capture_output=True, text=True, check=True, timeout=60
    )
    samples = PAGE.split("```text\n")[1].split("```\n")[0].splitlines()
    printed = iter(done.stdout.splitlines())
    assert len(samples) > 20 and [line for line in samples if line not in printed] == []
