"""The ``textveil`` command: its subcommands, its exit codes, and errors in one line.

Exit codes: 0 done, 1 failed or records were skipped, 2 usage or parameters, 3 a budget is exhausted and nothing was
released, 4 an audit refuted a claim, 130 interrupted. Text goes to stdout, messages to stderr. No message holds
input text.

Each command is imported when it is run or listed. An entry point in the group ``textveil.commands`` names an app of
Typer with one command.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
import traceback
from collections import UserDict
from collections.abc import Mapping
from functools import cached_property
from inspect import getdoc
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from textveil.cli.mechanism_options import GroupedCommand, MechanismCommand, OwnCommand, complaint, options_of
from textveil.environment import LANGUAGE, TRACEBACK, collect_seldom
from textveil.errors import (
    BudgetExhausted,
    MissingExtra,
    MissingLab,
    ParameterError,
    RefutedGuarantee,
    TextveilError,
    UnsupportedGuarantee,
)
from textveil.pages.messages import said
from textveil.registry.table import entry_points, loaded
from textveil.version import VERSION

GROUP: Final = "textveil.commands"

OWN: Final[Mapping[str, tuple[str, type[TyperCommand]]]] = {
    "sanitize": ("sanitize:sanitize_command", MechanismCommand),
    "explain": ("explain:explain_command", MechanismCommand),
    "restore": ("documents:restore_command", GroupedCommand),
    "clean": ("clean:clean_command", GroupedCommand),
    "detect": ("detect:detect_command", GroupedCommand),
    "review": ("review:review_command", GroupedCommand),
    "verify": ("verify:verify_command", OwnCommand),
    "certify": ("certify:certify_command", GroupedCommand),
    "mechanisms": ("explain:mechanisms_command", OwnCommand),
    "policies": ("explain:policies_command", OwnCommand),
    "count": ("aggregates:count_command", GroupedCommand),
    "risk": ("risk:risk_command", GroupedCommand),
    "learn": ("learn:learn_command", GroupedCommand),
    "predict": ("learn:predict_command", GroupedCommand),
    "synthesize": ("aggregates:synthesize_command", GroupedCommand),
    "topics": ("aggregates:topics_command", GroupedCommand),
    "serve": ("serve:serve_command", OwnCommand),
    "mcp": ("serve:mcp_command", OwnCommand),
    "keys": ("ledger:keys_app", OwnCommand),
    "ledger": ("ledger:ledger_app", OwnCommand),
    "doctor": ("serve:doctor_command", OwnCommand),
    "tables": ("explain:tables_app", OwnCommand),
}
"""textveil's own commands: the module of this package with the function, or the app of several, and the class."""


def _own(name: str) -> tuple[Any, type[TyperCommand]]:
    place, kind = OWN[name]
    return resolve_name(f"textveil.cli.{place}"), kind


def _about(name: str) -> str:
    command, _ = _own(name)
    return _first_paragraph(command.info.help if isinstance(command, typer.Typer) else getdoc(command))


def _first_paragraph(text: str | None) -> str:
    return " ".join(str(text or "").partition("\n\n")[0].split())


class _Commands(UserDict[str, Any]):
    """Own commands by name; each is made when it is first read."""

    def __init__(self) -> None:
        super().__init__()
        self.data.update(dict.fromkeys(OWN))

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            command, kind = _own(name)
            parent = typer.Typer(rich_markup_mode=None)
            if isinstance(command, typer.Typer):
                for each in command.registered_commands:
                    each.cls = kind if each.cls is TyperCommand else each.cls
                parent.add_typer(command, name=name)
            else:
                parent.command(name, cls=kind)(command)
            self.data[name] = typer.main.get_group(parent).commands[name]
        return self.data[name]


class AllCommands(TyperGroup):
    """Own commands first; a package that gives a command the name of one of these does not replace it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands()

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=GROUP) if point.name not in self.commands}

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands, *sorted(set(self._points) - set(self.commands))]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List all commands by their docstrings; the options of none are read."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, _about(name) if name in OWN else self._about_foreign(name)) for name in names])

    def _about_foreign(self, name: str) -> str:
        point = self._points[name]
        with contextlib.suppress(ParameterError, AttributeError, IndexError):  # its package is broken, or names no app
            if about := _first_paragraph(getdoc(loaded(point).registered_commands[0].callback)):
                return about
        return f"Command of {'another package' if point.dist is None else point.dist.name}."

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, None if there is none; refuse one of textveil-lab if that is missing."""
        if (own := super().get_command(ctx, cmd_name)) is None and cmd_name in self._points:
            return _ForeignCommand(self._points[cmd_name], self)

        from textveil.registry.table import LAB_COMMANDS

        if own is None and cmd_name in LAB_COMMANDS.split():
            raise MissingLab(f"`textveil {cmd_name}`")
        return own


class _ForeignCommand(TyperCommand):
    def __init__(self, point: EntryPoint, group: AllCommands) -> None:
        super().__init__(name=point.name)
        self._point, self._group = point, group

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Import the command and let it read its arguments."""
        app = loaded(self._point)
        if not isinstance(app, typer.Typer):
            raise ParameterError(f"entry point {self._point.name} must name an app of Typer; got {type(app).__name__}.")
        command = self._group.commands[self._point.name] = typer.main.get_command(app)
        return command.make_context(info_name, args, parent=parent, **extra)


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
"""The value that an option wants, by a word of the parser's message."""


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
    collect_seldom()
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
        with contextlib.suppress(ParameterError):  # an unknown language is complained of in English
            message = said(message)
    sys.stderr.write(f"textveil: {message}\n")


if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
