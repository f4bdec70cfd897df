"""The commands of ``textveil``: its own, and those of other packages.

An entry point in the group ``textveil.commands`` names an app of Typer with one command. It is
imported when that command is run: neither the help of ``textveil`` nor any other command imports it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, final

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from textveil.errors import ParameterError
from textveil.registry.table import entry_points, loaded

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "textveil.commands"

_IN_STUDIES: Final = ("reproduce", "rewrite")
"""Commands of the package ``textveil-studies``."""


@final
class AllCommands(TyperGroup):
    """Own commands first; a package that gives a command the name of one of these does not replace it."""

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=GROUP) if point.name not in self.commands}

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return [*super().list_commands(ctx), *sorted(set(self._points) - set(self.commands))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, None where there is none.

        Raises:
            ParameterError: the command is of a package that is not installed.
        """
        own = super().get_command(ctx, cmd_name)
        if own is None and cmd_name in self._points:
            return _ForeignCommand(self._points[cmd_name], self)
        if own is None and cmd_name in _IN_STUDIES:
            raise ParameterError(
                f"`textveil {cmd_name}` needs the package textveil-studies. "
                "In a clone of textveil, run: python -m pip install ./studies"
            )
        return own


@final
class _ForeignCommand(TyperCommand):
    """A command of another package; stands for it until it is run."""

    def __init__(self, point: EntryPoint, group: AllCommands) -> None:
        package = "another package" if point.dist is None else point.dist.name
        super().__init__(name=point.name, short_help=f"Command of {package}.")
        self._point, self._group = point, group

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Import the command and let it read its arguments."""
        app = loaded(self._point)
        if not isinstance(app, typer.Typer):
            raise ParameterError(f"entry point {self._point.name} must name an app of Typer; got {type(app).__name__}.")
        command = self._group.commands[self._point.name] = typer.main.get_command(app)
        return command.make_context(info_name, args, parent=parent, **extra)
