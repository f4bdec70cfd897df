"""Help in groups: what a newcomer needs stands first, and every option in one group."""

import re
import subprocess
import sys

import pytest
from tests.helpers.lab import needs_lab


def page(*command: str) -> str:
    """The help of a command, as a terminal without colors shows it."""
    done = subprocess.run([sys.executable, "-m", "textveil", *command, "--help"], capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def titles(text: str) -> list[str]:
    return re.findall(r"^(\S.*):$", text, flags=re.MULTILINE)


@pytest.mark.slow
def test_the_first_screen_of_sanitize_shows_what_a_newcomer_needs() -> None:
    text = page("sanitize")
    first = "\n".join(text.splitlines()[:36])
    for option in ("--output", "--policy", "--field", "--keep", "--report", "--quiet", "--mechanism", "--epsilon"):
        assert f"{option} " in first, option
    assert titles(text)[:11] == [
        "Arguments",
        "Options",
        "Guarantee",
        "Formats and fields",
        "Whose a record is",
        "Budget",
        "Undo",
        "Jobs and processes",
        "Faults and limits",
        "Guarantee, in detail",
        "Vocabulary",
    ]
    assert titles(text)[11:14] == ["Experiments", "Neighborhoods and word metrics", "Vectors and noise"]
    assert len(re.findall(r"^  (?:-\w, )?--[\w-]+", text, flags=re.MULTILINE)) == len(
        set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE))
    )


@pytest.mark.parametrize(
    "command", [pytest.param("decode", marks=needs_lab), pytest.param("estimate", marks=needs_lab), "restore"]
)
def test_other_commands_have_groups_too(command: str) -> None:
    found = titles(page(command))
    assert found[:3] == ["Arguments", "Options", "Formats and fields"]
    assert found == sorted(set(found), key=found.index)
