"""The ``textveil`` command: its subcommands, its exit codes, and errors in one line.

Exit codes: 0 done, 1 failed or records were skipped, 2 usage or parameters, 3 a budget is exhausted and nothing was
released, 4 an audit refuted a claim, 130 interrupted. Text goes to stdout, messages to stderr. No message holds
input text.
"""

import contextlib
import gc
import io
import os
import signal
import sys
import traceback
from typing import NoReturn

import typer

from textveil.cli.commands import AllCommands
from textveil.cli.mechanism_options import complaint, options_of
from textveil.environment import LANGUAGE, TRACEBACK
from textveil.errors import (
    BudgetExhausted,
    MissingExtra,
    MissingLab,
    ParameterError,
    RefutedGuarantee,
    TextveilError,
    UnsupportedGuarantee,
)
from textveil.version import VERSION

app = typer.Typer(
    name="textveil",
    cls=AllCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"textveil {VERSION}\n")
        raise typer.Exit


_USAGE = (ParameterError, RefutedGuarantee, MissingExtra, MissingLab, UnsupportedGuarantee)
"""Errors of how the command was given: exit code 2."""

_WANTED = {"integer": "an integer", "float": "a number", "number": "a number"}
"""What an option wants, by a word of the parser's message."""


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Sanitize text with word-level differential privacy whose guarantee can be checked."""


def _terminated(signum: int, frame: object) -> NoReturn:
    """Turn a polite kill into an exception, so that half-written files are removed."""
    raise SystemExit(128 + signum)


def run() -> NoReturn:
    """Run the ``textveil`` script."""
    gc.set_threshold(100_000, 10, 10)  # else a tenth of a short run goes into walks over what was just imported
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminated)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a word that the terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    code = _exit_code()
    gc.freeze()  # else the interpreter walks over everything once more when it ends
    sys.exit(code)


def _exit_code() -> int:
    commands = typer.main.get_command(app)
    try:
        code = commands(standalone_mode=False)
    except TextveilError as error:
        _complain(complaint(error, options_of(commands)))
        return 3 if isinstance(error, BudgetExhausted) else 2 if isinstance(error, _USAGE) else 1
    except BrokenPipeError:
        # The reader went away; close stdout without another write to it.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        _complain("interrupted; no incomplete file is left.")
        return 130
    except OSError as error:
        _complain(f"input or output failed: {error.strerror or type(error).__name__}.")
        return 1
    except Exception as error:
        return _unexpected(error)
    return code if isinstance(code, int) else 0


def _unexpected(error: Exception) -> int:
    """Tell a usage error of the parser, or place and type of a fault of our own; never its message."""
    message, code = getattr(error, "format_message", None), getattr(error, "exit_code", None)
    if callable(message) and isinstance(code, int):
        text = _usage(error) or str(message())
        if "extra argument" in text:  # the parser would quote them, and they may be text
            text = "Got more arguments than the command takes. Options start with --; quote a path with spaces"
        if "\n" in text:  # the help itself, shown for want of arguments
            sys.stderr.write(text.rstrip() + "\n")
        else:
            context = getattr(getattr(error, "ctx", None), "command_path", None) or "textveil"
            _complain(f"{text.rstrip('.?')}. See: {context} --help")
        return code
    if isinstance(error, MemoryError):
        _complain("out of memory. Use smaller documents (one a line), or a smaller vocabulary.")
        return 1
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    _complain(
        f"internal error: {type(error).__name__} in {os.path.basename(frame.filename)}:{frame.lineno}. "  # noqa: PTH119
        f"Set {TRACEBACK}=1 to see it whole; a traceback may hold input text."
    )
    return 1


def _usage(error: Exception) -> str:
    """Say what an option takes whose value cannot be read; the parser would quote the value, which may be text."""
    names = [str(name) for name in getattr(getattr(error, "param", None), "opts", ())]
    if not names or type(error).__name__ != "BadParameter":
        return ""
    message = str(getattr(error, "message", ""))
    wanted = next((words for kind, words in _WANTED.items() if kind in message), "a value that it takes")
    return f"{max(names, key=len)} must be {wanted}"


def _complain(message: str) -> None:
    message = " ".join(message.split())
    if os.environ.get(LANGUAGE):
        from textveil.pages.messages import said

        with contextlib.suppress(ParameterError):  # an unknown language is complained of in English
            message = said(message)
    sys.stderr.write(f"textveil: {message}\n")
