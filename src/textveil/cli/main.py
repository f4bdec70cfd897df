"""The ``textveil`` command: its subcommands, its exit codes, and errors in one line.

Exit codes: 0 done, 1 failed or records were skipped, 2 usage or parameters, 3 a budget is exhausted and nothing was
released, 4 an audit refuted a claim, 130 interrupted. Text goes to stdout, messages to stderr. No message holds
input text.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import traceback
from typing import NoReturn

import typer

from textveil.cli.audit import audit_command
from textveil.cli.audit_field import audit_field_command
from textveil.cli.bench import bench_command
from textveil.cli.commands import AllCommands
from textveil.cli.decode import decode_command
from textveil.cli.detect import detect_command
from textveil.cli.estimate import estimate_command
from textveil.cli.explain import explain_command
from textveil.cli.frontier import frontier_command
from textveil.cli.help_groups import GroupedCommand
from textveil.cli.keys import keys_app
from textveil.cli.ledger import ledger_app
from textveil.cli.mcp import mcp_command
from textveil.cli.mechanism_options import MechanismCommand
from textveil.cli.mechanisms import mechanisms_command
from textveil.cli.policies import policies_command
from textveil.cli.restore import restore_command
from textveil.cli.review import review_command
from textveil.cli.risk import risk_command
from textveil.cli.sanitize import sanitize_command
from textveil.cli.serve import serve_command
from textveil.cli.spelling import complaint, options_of
from textveil.cli.tables import tables_app
from textveil.cli.tune import tune_command
from textveil.environment import TRACEBACK
from textveil.errors import (
    BudgetExhausted,
    MissingExtra,
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
app.command("sanitize", cls=MechanismCommand)(sanitize_command)
app.command("explain", cls=MechanismCommand)(explain_command)
app.command("restore", cls=GroupedCommand)(restore_command)
app.command("decode", cls=GroupedCommand)(decode_command)
app.command("detect", cls=GroupedCommand)(detect_command)
app.command("review", cls=GroupedCommand)(review_command)
app.command("estimate", cls=GroupedCommand)(estimate_command)
app.command("audit", cls=MechanismCommand)(audit_command)
app.command("audit-field")(audit_field_command)
app.command("mechanisms")(mechanisms_command)
app.command("policies")(policies_command)
app.command("tune", cls=GroupedCommand)(tune_command)
app.command("risk", cls=GroupedCommand)(risk_command)
app.command("serve")(serve_command)
app.command("frontier", cls=GroupedCommand)(frontier_command)
app.command("bench")(bench_command)
app.command("mcp")(mcp_command)
app.add_typer(keys_app, name="keys")
app.add_typer(ledger_app, name="ledger")
app.add_typer(tables_app, name="tables")


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"textveil {VERSION}\n")
        raise typer.Exit


_USAGE = (ParameterError, RefutedGuarantee, MissingExtra, UnsupportedGuarantee)
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
    """Entry point of the ``textveil`` script."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminated)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a word that the terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_exit_code())


def _exit_code() -> int:
    """Run the command; every error becomes one line on stderr and a code."""
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
    """A usage error of the option parser, or a fault of our own: place and type, never its message."""
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
    """What an option wants, where its value cannot be read: the parser would quote the value, which may be text."""
    names = [str(name) for name in getattr(getattr(error, "param", None), "opts", ())]
    if not names or type(error).__name__ != "BadParameter":
        return ""
    message = str(getattr(error, "message", ""))
    wanted = next((words for kind, words in _WANTED.items() if kind in message), "a value that it takes")
    return f"{max(names, key=len)} must be {wanted}"


def _complain(message: str) -> None:
    sys.stderr.write(f"textveil: {' '.join(message.split())}\n")
