"""Help in groups: what a newcomer needs on the first screen, the rest by what it is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from typer.core import TyperCommand

from textveil.registry.options import GUARANTEE

FORMATS: Final = "Formats and fields"
PERSONS: Final = "Whose a record is"
BUDGET: Final = "Budget"
UNDO: Final = "Undo"
JOBS: Final = "Jobs and processes"
FAULTS: Final = "Faults and limits"
DETAILS: Final = "Guarantee, in detail"
VOCABULARY: Final = "Vocabulary"
TRIALS: Final = "Experiments"

_ORDER = ("Arguments", "Options", GUARANTEE, FORMATS, PERSONS, BUDGET, UNDO, JOBS, FAULTS, DETAILS, VOCABULARY, TRIALS)
"""Groups of help from the first to the last; others stand between jobs and vocabularies, as they come."""


class GroupedCommand(TyperCommand):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write help, in groups."""
        write_groups(self.get_params(ctx), ctx, formatter)


def write_groups(own: Iterable[Any], ctx: Any, formatter: Any, others: Iterable[Any] = ()) -> None:
    """Write help in groups.

    Args:
        own: the command's own parameters, by their groups in the order of ``_ORDER``.
        ctx: of the run.
        formatter: takes the lines.
        others: those of mechanisms; groups that only these have stand last, as they come.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    ranks: dict[str, int] = {}
    for place, parameters in enumerate((own, others)):
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is not None:
                kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or kind
                groups.setdefault(title, []).append(record)
                unknown = _ORDER.index(FAULTS) if place == 0 else len(_ORDER)
                ranks.setdefault(title, _ORDER.index(title) if title in _ORDER else unknown)
    for title in sorted(groups, key=ranks.__getitem__):
        with formatter.section(title):
            formatter.write_dl(groups[title])
