"""The options of mechanisms, made from their declarations; help in groups; the library's messages in options' words.

A command of the class ``MechanismCommand`` takes, beside its own options, those of the mechanism that its
``--mechanism`` names, installed by whomever; help shows those of all mechanisms, in the groups that they declare.
Those of textveil's own mechanisms stand in a file that ``scripts/docs --write`` makes, so that neither help nor a wrong
option imports a mechanism.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import typer.main
from typer.core import TyperCommand

from textveil.cli.progress import counting
from textveil.errors import ParameterError, TextveilError, UnknownNameError
from textveil.json_text import json_file
from textveil.registry.options import ANY, GUARANTEE, Option

if TYPE_CHECKING:
    from textveil.mechanisms.kinds import Mechanism
    from textveil.vocabulary.vocabulary import Vocabulary

_OFFERED, _GIVEN = "textveil.offered", "textveil.given"
"""Keys of what a run's context holds: the options that are offered, and the values that were given."""


@dataclass(frozen=True, slots=True)
class _Offered:
    option: Option  # its declaration
    parameter: Any  # of the command
    off: bool = False  # whether it is the flag that turns the option off


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
_FIRST: Final = ("Arguments", "Options", GUARANTEE, FORMATS, PERSONS)
"""Groups that ``--help`` shows whole; of the others it names the options."""
_HELP_ALL: Final = "--help-all"
_ALL = __name__ + ".all"


class OwnCommand(TyperCommand):
    """A command that refuses an option with one value that is given twice; the parser would keep the last."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for each, times in Counter(each for each in order if each.param_type_name == "option").items():
            if times > 1 and not any(getattr(each, many, False) for many in ("multiple", "is_flag", "count")):
                name = max(each.opts, key=len)
                raise ParameterError(f"{name} must be given once; got it {times} times. See: {ctx.command_path} --help")
        return super().parse_args(ctx, args)


class GroupedCommand(OwnCommand):
    """A command whose help shows its options in groups: the common ones, or with ``--help-all`` all of them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; ``--help-all`` among them is a longer ``--help``."""
        options = args[: args.index("--")] if "--" in args else args
        if _HELP_ALL in options:
            ctx.meta[_ALL] = True
            args = ["--help"]
        try:
            return super().parse_args(ctx, list(args))
        except Exception as error:
            if type(error).__name__ == "MissingParameter":
                raise self._all_missing(ctx, args) from None
            raise

    def _all_missing(self, ctx: Any, args: list[str]) -> ParameterError:
        """Return an error that names every option and argument that is missing; the parser names the first."""
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        missing = [each for each in self.get_params(ctx) if each.required and not given.get(each.name)]
        names = [
            str(each.metavar or each.name) if each.param_type_name == "argument" else max(each.opts, key=len)
            for each in missing
        ]
        return ParameterError(f"{', '.join(names)} must be given; got none. See: {ctx.command_path} --help")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_groups(self.get_params(ctx), ctx, formatter)


class MechanismCommand(GroupedCommand):
    """A command with the options of mechanisms; its function takes the context, for ``given`` and ``make``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own parameters, and those that this run offers."""
        return [*super().get_params(ctx), *(option.parameter for option in ctx.meta.get(_OFFERED, ()))]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments twice: for the mechanism's name, and with its options."""
        if (name := self._named(ctx, args)) is not None:
            ctx.meta[_OFFERED] = self._offered(_of_one(name))
            try:
                return super().parse_args(ctx, list(args))
            except Exception as error:
                if not hasattr(error, "option_name"):
                    raise
        # An option of other mechanisms, which the library refuses with the names of this one's; or none at all.
        ctx.meta[_OFFERED] = self._offered(_of_all())
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Set the values of mechanisms' options apart, and run the command's function."""
        ctx.meta[_GIVEN] = [(offered, ctx.params.pop(offered.parameter.name)) for offered in ctx.meta[_OFFERED]]
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write help, in groups: the command's own first, then those of mechanisms."""
        offered = self._offered(_of_all())
        write_groups(super().get_params(ctx), ctx, formatter, [option.parameter for option in offered])

    def spellings(self) -> dict[str, str]:
        """Return how each option of mechanisms is spelled here, by its name."""
        return {
            offered.option.name: offered.parameter.opts[0] for offered in self._offered(_of_all()) if not offered.off
        }

    def _named(self, ctx: Any, args: list[str]) -> str | None:
        """Return the mechanism that the arguments name, else the default; None if there is none."""
        ctx.meta.pop(_OFFERED, None)
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        if (name := parser.parse_args(list(args))[0].get("mechanism")) is None:
            name = next((parameter.default for parameter in self.params if parameter.name == "mechanism"), None)
        return None if name is None else str(name)

    def _offered(self, takers: Mapping[str, tuple[Option, str]]) -> tuple[_Offered, ...]:
        taken = {spelling for parameter in self.params for spelling in (*parameter.opts, *parameter.secondary_opts)}
        return _parameters(takers, taken | {"--help"})


DECLARED: Final = Path(__file__).parent / "mechanism_options.json"
"""The options of textveil's own mechanisms, of functions of ``aggregates``, and of their ``request``."""

_KINDS: Final[Mapping[str, Any]] = {kind.__name__: kind for kind in (float, int, str, bool)}


def written(option: Option) -> dict[str, Any]:
    """Return an option as JSON for the command line, without its checks, which the mechanism makes itself."""
    shown = ("name", "help", "metavar", "group", "unset", "without", "optional", "default")
    kind = option.kind and option.kind.__name__
    return {"kind": kind, "names": option.domain.names, **{name: getattr(option, name) for name in shown}}


def _read(kind: str | None, names: Iterable[str], **shown: Any) -> Option:
    return Option(kind=None if kind is None else _KINDS[kind], domain=replace(ANY, names=tuple(names)), **shown)


@cache
def declared(section: str) -> dict[str, dict[str, Option]]:
    """Return the options of textveil's own ``"mechanisms"`` or of ``"functions"``, by whose they are and by name."""
    data = json_file(DECLARED)
    options = [_read(**row) for row in data["options"]]
    return {name: {options[at].name: options[at] for at in places} for name, places in data[section].items()}


def _of_one(name: str) -> dict[str, tuple[Option, str]]:
    """Return the options of one mechanism with their help; of all if there is none of that name."""
    if (own := declared("mechanisms").get(name)) is not None:
        return {key: (option, option.help) for key, option in own.items()}
    from textveil.catalog import entry

    try:
        return {key: (option, option.help) for key, option in entry(name).options().items()}
    except UnknownNameError:  # said when the mechanism is made: until then, help may be asked for
        return _of_all()


def _of_all() -> dict[str, tuple[Option, str]]:
    """Return the options of all mechanisms; help says whose an option is that only one of them takes."""
    from textveil.catalog import MECHANISMS

    others = {name: entry.options() for name, entry in MECHANISMS.others().items()}
    options: dict[str, tuple[Option, list[str]]] = {}
    for name, known in {**declared("mechanisms"), **others}.items():
        for key, option in known.items():
            known_option, takers = options.setdefault(key, (option, []))
            takers.append(name)
            if option.can_be_turned_off and not known_option.can_be_turned_off:
                options[key] = option, takers  # so that the flag that turns it off is offered
    return {
        key: (option, f"For {names[0]}: {option.help[:1].lower()}{option.help[1:]}" if len(names) == 1 else option.help)
        for key, (option, names) in options.items()
    }


def _parameters(takers: Mapping[str, tuple[Option, str]], taken: Collection[str]) -> tuple[_Offered, ...]:
    rows: list[tuple[Option, bool]] = []
    declarations = []
    for option, about in takers.values():
        if option.kind is None:
            continue
        names = f" One of: {', '.join(option.domain.names)}." if option.domain.names else ""
        default = f"  [default: {option.default_text}]" if option.default_text else ""
        ways: list[tuple[str, Any, Any, str]] = [("", option.kind | None, None, f"{about}{names}{default}".strip())]
        if option.can_be_turned_off and option.kind is not bool:
            ways.append(("no-", bool, False, option.without or f"Without {option.name}."))
        for prefix, kind, value, about_way in ways:
            name = prefix + option.name.replace("_", "-")
            name = f"mechanism-{name}" if f"--{name}" in taken else name
            shown = typer.Option(
                f"--{name}/--no-{name}" if option.kind is bool else f"--{name}",
                metavar=option.metavar,
                help=about_way,
                rich_help_panel=option.group,
                show_default=False,
            )
            annotation, place = Annotated[kind, shown], inspect.Parameter.KEYWORD_ONLY
            declarations.append(inspect.Parameter(f"option_{len(rows)}", place, annotation=annotation, default=value))
            rows.append((option, bool(prefix)))

    def template() -> None: ...

    template.__signature__ = inspect.Signature(declarations)  # type: ignore[attr-defined]
    template.__annotations__ = {parameter.name: parameter.annotation for parameter in declarations}
    app = typer.Typer(add_completion=False)
    app.command(add_help_option=False)(template)
    parameters = typer.main.get_command(app).params
    return tuple(_Offered(option, made, off) for (option, off), made in zip(rows, parameters, strict=True))


def given(context: typer.Context) -> dict[str, Any]:
    """Return the options of mechanisms that were given as keywords; refuse one that is given and turned off."""
    values: dict[str, Any] = {}
    for offered, value in context.meta[_GIVEN]:
        if value is None or (offered.off and not value):
            continue
        if offered.option.name in values:
            on, off = f"--{offered.option.name.replace('_', '-')}", offered.parameter.opts[0]
            raise ParameterError(f"{on} and {off} exclude each other; got both. Give one.")
        values[offered.option.name] = None if offered.off else value
    return values


def make(context: typer.Context, name: str, vocabulary: Vocabulary, *, note: bool = False) -> Mechanism:
    """Make the mechanism with the options that were given; under a progress bar, for it may take a minute.

    ``note``: one document is released by itself, with the defaults that are meant for that.
    """
    from textveil.catalog import entry, mechanism, unknown_option

    options = given(context)
    known = entry(name).options()
    for key, value in options.items():
        if value is None and key not in known:  # to Python, None is an option that is not given
            raise unknown_option(name, key, known)
    if note:
        from textveil.sanitize.chosen import options_for_note

        options |= options_for_note(name, options, vocabulary)
    with counting("making the mechanism", "words") as progress:
        return mechanism(name, vocabulary, progress=progress, **options)


def write_groups(own: Iterable[Any], ctx: Any, formatter: Any, others: Iterable[Any] = ()) -> None:
    """Write help in groups: a command's own as ``_ORDER`` has them; those that only ``others`` have stand last."""
    groups: dict[str, list[tuple[str, str]]] = {}
    ranks: dict[str, int] = {}
    for place, parameters in enumerate((own, others)):
        for parameter in parameters:
            if (record := parameter.get_help_record(ctx)) is not None:
                kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or kind
                groups.setdefault(title, []).append(record)
                unknown = _ORDER.index(FAULTS) if place == 0 else len(_ORDER)
                ranks.setdefault(title, _ORDER.index(title) if title in _ORDER else unknown)
    titles = sorted(groups, key=ranks.__getitem__)
    whole = titles if ctx.meta.get(_ALL) else [title for title in titles if title in _FIRST]
    for title in whole:
        with formatter.section(title):
            formatter.write_dl(groups[title])
    if more := [title for title in titles if title not in whole]:
        with formatter.section(f"More (what each does: {ctx.command_path} {_HELP_ALL})"):
            for title in more:
                if ranks[title] < len(_ORDER):
                    names = dict.fromkeys(re.findall(r"--[\w-]+", record[0])[0] for record in groups[title])
                    lines = textwrap.wrap(" ".join(names), formatter.width - 24, break_on_hyphens=False)
                    heads = zip_longest([title], lines, fillvalue="")
                    formatter.write("".join(f"  {head:<20}  {line}\n" for head, line in heads))
            if any(ranks[title] == len(_ORDER) for title in more):
                formatter.write("  Other mechanisms      have options of their own\n")


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
    """Return the library's message with an option for every parameter between backticks that is one."""

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
