"""The commands of ``textveil``: its own, and those of other packages.

Each is imported when it is run or listed. An entry point in the group ``textveil.commands`` names an app of Typer with
one command.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from inspect import getdoc
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from textveil.cli.mechanism_options import GroupedCommand, MechanismCommand, OwnCommand
from textveil.errors import MissingLab, ParameterError
from textveil.registry.table import entry_points, loaded

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "textveil.commands"

OWN: Final[Mapping[str, tuple[str, type[TyperCommand]]]] = {
    "sanitize": ("sanitize:sanitize_command", MechanismCommand),
    "explain": ("explain:explain_command", MechanismCommand),
    "restore": ("restore:restore_command", GroupedCommand),
    "clean": ("clean:clean_command", GroupedCommand),
    "detect": ("detect:detect_command", GroupedCommand),
    "review": ("review:review_command", GroupedCommand),
    "verify": ("verify:verify_command", OwnCommand),
    "certify": ("certify:certify_command", GroupedCommand),
    "mechanisms": ("explain:mechanisms_command", OwnCommand),
    "policies": ("explain:policies_command", OwnCommand),
    "count": ("aggregates:count_command", GroupedCommand),
    "risk": ("risk:risk_command", GroupedCommand),
    "learn": ("aggregates:learn_command", GroupedCommand),
    "predict": ("aggregates:predict_command", GroupedCommand),
    "synthesize": ("synthesize:synthesize_command", GroupedCommand),
    "topics": ("synthesize:topics_command", GroupedCommand),
    "serve": ("serve:serve_command", OwnCommand),
    "mcp": ("serve:mcp_command", OwnCommand),
    "keys": ("ledger:keys_app", OwnCommand),
    "ledger": ("ledger:ledger_app", OwnCommand),
    "doctor": ("doctor:doctor_command", OwnCommand),
    "tables": ("explain:tables_app", OwnCommand),
}
"""textveil's own commands: the module of this package with the function, or the app of several, and the class."""


def _own(name: str) -> tuple[Any, type[TyperCommand]]:
    place, kind = OWN[name]
    return resolve_name(f"textveil.cli.{place}"), kind


def _about(name: str) -> str:
    """Return the first paragraph of an own command's help."""
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
        """Return the names of all commands."""
        return [*self.commands, *sorted(set(self._points) - set(self.commands))]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List all commands by their docstrings; the options of none are read."""
        names = self.list_commands(ctx)
        with formatter.section("Commands"):
            formatter.write_dl([(name, _about(name) if name in OWN else self._about_foreign(name)) for name in names])

    def _about_foreign(self, name: str) -> str:
        point = self._points[name]
        with suppress(ParameterError, AttributeError, IndexError):  # its package is broken, or names no app
            if about := _first_paragraph(getdoc(loaded(point).registered_commands[0].callback)):
                return about
        return f"Command of {'another package' if point.dist is None else point.dist.name}."

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, None if there is none; refuse one of textveil-lab if that is missing."""
        own = super().get_command(ctx, cmd_name)
        if own is None and cmd_name in self._points:
            return _ForeignCommand(self._points[cmd_name], self)

        from textveil.registry.table import LAB_COMMANDS

        if own is None and cmd_name in LAB_COMMANDS:
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
