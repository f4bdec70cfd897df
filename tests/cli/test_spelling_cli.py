"""Messages of the library in the command line's words."""

import pytest
import typer

from textveil.cli.main import app
from textveil.cli.mechanism_options import complaint, options_of, renamed, spelled
from textveil.errors import InputError, ParameterError, need

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
