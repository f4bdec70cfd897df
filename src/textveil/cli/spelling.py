"""The library's messages in the command line's words: parameters become options."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from textveil.cli.mechanism_options import MechanismCommand
from textveil.errors import ParameterError, TextveilError

_OTHERS = {
    "sanitized": "--field",
    "fields": "--field",
    "kept": "--keep",
    "whole": "--whole-file",
    "format": "--vocabulary-format",
    "limit": "--vocabulary-limit",
    "injection": "--mechanism",
    "checkpoint": "--network",
}
"""Parameters of the library whose options have other names than they."""

_NAMED = re.compile(r"`(\w+)(?:=([^`]*))?`")


def options_of(command: Any) -> dict[str, str]:
    """Return the options of a command of Typer and of those below it, by the names of their parameters."""
    spellings = dict(_OTHERS)
    for below in getattr(command, "commands", {}).values():
        spellings |= options_of(below)
    if isinstance(command, MechanismCommand):
        with contextlib.suppress(Exception):  # an error is told here: a package that cannot be loaded makes no second
            spellings |= command.spellings()
    for parameter in command.params:
        option = max(parameter.opts, key=len)
        if parameter.name is not None and option.startswith("--"):
            spellings[parameter.name] = option
    return spellings


def spelled(message: str, options: Mapping[str, str]) -> str:
    """Return the message with an option for every parameter between backticks that is one.

    Args:
        message: one of the library's, as ``errors.py`` has them.
        options: of ``options_of``.
    """

    def option(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if name not in options:
            return match[0]
        return options[name] if value in (None, "True") else f"{options[name]} {value}"

    return _NAMED.sub(option, message)


def complaint(error: TextveilError, options: Mapping[str, str]) -> str:
    """Return the line for an error: of a parameter that is an option, the option stands first."""
    message = str(error)
    if isinstance(error, ParameterError) and error.parameter in options and message.startswith(error.parameter):
        message = options[error.parameter] + message.removeprefix(error.parameter)
    return spelled(message, options)


@contextlib.contextmanager
def renamed(**names: str) -> Iterator[None]:
    """In errors of the block a parameter goes by the name of another, whose option the value came from."""
    try:
        yield
    except ParameterError as error:
        if error.parameter in names:
            message = str(error).removeprefix(error.parameter)
            error.parameter = names[error.parameter]
            error.args = (error.parameter + message,)
        raise


@contextlib.contextmanager
def mechanisms_spelling(command: Any) -> Iterator[None]:
    """In errors of the block a parameter is a mechanism's option, also where the command has one of that name."""
    try:
        yield
    except ParameterError as error:
        if isinstance(command, MechanismCommand):
            error.args, error.parameter = (complaint(error, command.spellings()),), ""
        raise
