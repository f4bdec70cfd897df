"""Help in groups, what a newcomer needs first; options in messages are spelled as users spell them."""

import re
import subprocess
import sys

import pytest
import typer
from tests.helpers.shared import needs_lab

from textveil.cli.main import app
from textveil.cli.mechanism_options import complaint, options_of, renamed, spelled
from textveil.errors import InputError, ParameterError, need


def page(*command: str, option: str = "--help") -> str:
    """The help of a command, as a terminal without colors shows it."""
    done = subprocess.run([sys.executable, "-m", "textveil", *command, option], capture_output=True, timeout=600)
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
    shown = ["Arguments", "Options", "Guarantee", "Formats and fields", "Whose a record is"]
    assert titles(text)[:5] == shown and titles(text)[5].startswith("More (")
    text = page("sanitize", option="--help-all")
    assert titles(text)[:13] == [
        *shown,
        "Budget",
        "Undo",
        "Jobs and processes",
        "Receipt",
        "Faults and limits",
        "Guarantee, in detail",
        "Vocabulary",
        "Experiments",
    ]
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


OPTIONS = options_of(typer.main.get_command(app))


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Raise `max_document_bytes`.", "Raise --max-document-bytes."),
        ("`resume=True` goes on", "--resume goes on"),
        ("Try `workers=1`.", "Try --workers 1."),
        ("Name another with `sanitized` or `kept`.", "Name another with --field or --keep."),
        ("`torch` is not installed.", "`torch` is not installed."),
        ("the field 'seed' must be a string", "the field 'seed' must be a string"),
    ],
)
def test_parameters_between_backticks_become_options(message: str, told: str) -> None:
    assert spelled(message, OPTIONS) == told


def test_the_parameter_that_an_error_is_about_becomes_an_option() -> None:
    with pytest.raises(ParameterError) as error:
        need(False, "neighborhood_size", 0, "at least 1", "See `epsilon`.")
    assert complaint(error.value, OPTIONS) == "--neighborhood-size must be at least 1; got 0. See --epsilon."
    assert complaint(InputError("seed must be told"), OPTIONS) == "seed must be told"
    with pytest.raises(ParameterError) as unknown:
        need(False, "unheard_of", 0, "at least 1")
    assert complaint(unknown.value, OPTIONS) == "unheard_of must be at least 1; got 0."


def test_a_parameter_can_go_by_the_option_its_value_came_from() -> None:
    with pytest.raises(ParameterError) as error, renamed(epsilon="number_epsilon"):
        need(False, "epsilon", -1, ">= 0")
    assert complaint(error.value, OPTIONS) == "--number-epsilon must be >= 0; got -1."
    with pytest.raises(ParameterError, match=r"^delta must be") as other, renamed(epsilon="claim_epsilon"):
        need(False, "delta", -1, ">= 0")
    assert other.value.parameter == "delta"


def test_options_with_other_names_are_options() -> None:
    assert set(options_of(typer.main.get_command(app)).values()) >= {"--field", "--keep", "--vocabulary-format"}
