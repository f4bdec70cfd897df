"""Options, declared once: in the signature of the function that makes a mechanism, a surrogate or another product.

    def gaussian(vocabulary: Vocabulary, *, epsilon: Epsilon, delta: Delta = 1e-5) -> PerturbProject: ...

Name, type and default are the signature's; domain, help, metavar and group are an ``Option`` in the annotation:
``Delta = Annotated[float, Option(domain=FRACTION, help="...")]``. The constructor's checks, its docstring, the catalog,
the command line, the report and the table in the docs all read them there. A keyword-only parameter without an
``Option`` is a plain option: it has a name, a type and a default, and any value of its type will do.
"""

import inspect
import math
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from textveil.errors import UnknownNameError, need

Kind: TypeAlias = type[float] | type[int] | type[str] | type[bool]
"""The type of an option's values; a float takes any real number, but none takes True for 1."""

_KINDS: Mapping[Any, str] = {float: "a number", int: "an integer", str: "a name", bool: "True or False"}
OTHERS = "Other options of mechanisms"  # the heading of help under which options without a group stand
PROGRESS = "progress"
"""A keyword of this name is no option: it is called as work is done, ``(done, total)``. No option begins with ``_``."""
_NO_NAMES = ("", "no name or file of this sort")


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain of an option: the values of its type that it takes."""

    wanted: str  # the end of "name must be ..."
    holds: Callable[[Any], bool]  # whether a value is inside
    names: tuple[str, ...] = ()  # all values, where they are names
    hint: str = ""  # what to do about another value, a full sentence
    inside: tuple[Any, ...] = ()  # values that it holds, where they are neither numbers nor names
    outside: tuple[Any, ...] = ()  # values of the option's type that it does not hold


def at_least(least: int) -> Domain:
    """Return the integers from ``least`` on."""
    return Domain(f"an integer >= {least}", lambda value: value >= least, outside=(least - 1, least - 4))


def interval(wanted: str, low: float, high: float, *, without: tuple[float, ...] = ()) -> Domain:
    """Return the numbers from ``low`` to ``high``, both included except those ``without``."""
    outside = (*without, low - 1, high + 1, math.nan)
    return Domain(wanted, lambda value: low <= value <= high and value not in without, outside=outside)


def named(*names: str, hint: str = "") -> Domain:
    """Return a domain of these names."""
    *others, last = names
    wanted = f"one of {', '.join(names)}" if len(names) > 2 else " or ".join([*others, last])
    return Domain(wanted, lambda value: value in names, names, hint, outside=_NO_NAMES)


def file_or_named(wanted: str, *names: str) -> Domain:
    """Return a domain of files and these names."""
    return Domain(
        wanted,
        lambda value: value in names or Path(value).is_file(),
        hint="Check its path.",
        inside=names,
        outside=_NO_NAMES,
    )


POSITIVE = interval("finite and > 0", 0, math.inf, without=(0, math.inf))
NOT_NEGATIVE = interval("finite and >= 0", 0, math.inf, without=(math.inf,))
FINITE = interval("finite", -math.inf, math.inf, without=(-math.inf, math.inf))
FRACTION = interval("in (0, 1)", 0, 1, without=(0, 1))
ANY = Domain("", lambda value: True)


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    The first six are what an annotation states; ``options_of`` reads the others from the signature.
    """

    domain: Domain = ANY  # which values it takes
    help: str = ""  # what it does, for somebody who chooses a value
    metavar: str = "VALUE"  # what stands for a value in help
    group: str = OTHERS  # the heading under which help lists it
    _: KW_ONLY
    unset: str = ""  # what happens where it is not given, for readers; empty where the default says it
    without: str = ""  # what None means, for an option whose default is something else and which None turns off
    name: str = ""  # as keyword arguments spell it
    kind: Kind | None = str  # the type of its values; None where there are only values that no command line can write
    optional: bool = False  # whether None is a value
    foreign: bool = False  # whether values of other types are taken too, and checked by the constructor
    required: bool = False  # whether the signature has no default
    default: Any = None  # of the signature; None where there is none

    @property
    def default_text(self) -> str:
        """Return the default for readers; empty if nothing happens without the option."""
        if self.unset or self.default is None:
            return self.unset
        return f"{self.default:g}".replace("e-0", "e-") if isinstance(self.default, float) else str(self.default)

    @property
    def can_be_turned_off(self) -> bool:
        """Tell whether None differs from leaving the option out."""
        return self.optional and self.default is not None

    @property
    def told(self) -> str:
        """Describe the option for a docstring: what it does, its values, and its default."""
        values = f"Values: {self.wanted}." if self.domain.wanted or self.kind in _KINDS else ""
        default = "Required." if self.required and not self.unset else f"Default: {self.default_text or None}."
        return " ".join(filter(None, [self.help, values, default, self.without and f"With None: {self.without}"]))

    @property
    def wanted(self) -> str:
        """Return the values that it takes, as the end of "name must be ..."."""
        inside = self.domain.wanted or _KINDS.get(self.kind, "a value that the mechanism knows")
        return f"{inside}, or None" if self.can_be_turned_off else inside

    def checked(self, value: Any) -> Any:
        """Return the value as the option's type.

        Raises ParameterError: it is of another type or outside the domain; UnknownNameError: it is none of the names.
        """
        if (value is None and self.optional) or self.kind is None:
            return value
        if not _fits(value, self.kind):
            if self.foreign:
                return value
            need(False, self.name, "None" if value is None else type(value).__name__, _KINDS[self.kind])
        try:
            converted = self.kind(value)
        except OverflowError:
            converted = math.inf
        if self.domain.holds(converted):
            return converted
        if self.domain.names:
            shown = repr(str(converted)[:60])
            need(False, self.name, shown, self.domain.wanted, self.domain.hint, kind=UnknownNameError)
        need(False, self.name, converted, self.wanted, self.domain.hint)


def _fits(value: Any, kind: Kind) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, {float: Real, int: Integral, str: str}[kind])


@lru_cache(maxsize=256)
def options_of(constructor: Callable[..., Any]) -> Mapping[str, Option]:
    """Return the options that a constructor declares: its keyword-only parameters, by name, in their order."""
    return _options_of(constructor)


def _options_of(constructor: Callable[..., Any]) -> Mapping[str, Option]:
    try:
        hints = get_type_hints(constructor, include_extras=True)
    except Exception:  # names of annotations that only type checkers see: whatever their evaluation raises
        hints = {}
    return MappingProxyType(
        {
            parameter.name: _declared(parameter, hints.get(parameter.name, Any))
            for parameter in inspect.signature(constructor).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != PROGRESS and parameter.name[0] != "_"
        }
    )


def documented(constructor: Callable[..., Any]) -> str | None:
    """Return the docstring with every parameter in its ``Args:``, written by hand there or from its declaration.

    The docstring need not have the section; it then stands before what is raised.
    """
    if not constructor.__doc__:
        return constructor.__doc__
    lines = inspect.cleandoc(constructor.__doc__).split("\n")
    start = next((at for at, line in enumerate(lines) if line in ("Args:", "Raises:")), len(lines))
    end = start
    if lines[start : start + 1] == ["Args:"]:
        end = next((at for at in range(start + 1, len(lines)) if lines[at][:1] != " "), len(lines))
    by_hand: dict[str, list[str]] = {}
    for line in lines[start + 1 : end]:
        name = "" if line.startswith("     ") else line.partition(":")[0].strip()
        by_hand.setdefault(name or list(by_hand)[-1], []).append(line)
    options = _options_of(constructor)  # not the kept ones: names that the module defines below are not there yet
    rows = ["Args:"]
    for name in inspect.signature(constructor).parameters:
        if not name.startswith("_"):
            about = f"    {name}: {_SHARED.get(name) or options[name].told}" if name not in by_hand else ""
            rows += by_hand.get(name) or textwrap.wrap(about, 116, subsequent_indent=" " * 8, break_on_hyphens=False)
    before = [] if end > start else [""] * (lines[start - 1] != "")
    return "\n".join([*lines[:start], *before, *rows, *([""] if start == end < len(lines) else []), *lines[end:]])


_SHARED: Mapping[str, str] = {
    "vocabulary": "public words and vectors.",
    PROGRESS: "called as work is done, with how much is done and how much there is.",
}
"""Help of parameters that are no options."""


def takes_progress(constructor: Callable[..., Any]) -> bool:
    """Tell whether a constructor reports progress."""
    return PROGRESS in inspect.signature(constructor).parameters


def _declared(parameter: inspect.Parameter, hint: Any) -> Option:
    about, parts = _read(hint)
    required = parameter.default is parameter.empty
    default = None if required else parameter.default
    kinds = [part for part in parts if part in _KINDS]
    kind: Any = kinds[0] if kinds else (type(default) if type(default) in _KINDS else None)
    if not kinds and Any in parts and kind is None:  # no annotation, no default to tell by
        kind = str
    return replace(
        about,
        name=parameter.name,
        kind=kind,
        optional=type(None) in parts or (Any in parts and not required and default is None),
        foreign=any(part not in _KINDS and part is not type(None) for part in parts),
        required=required,
        default=default,
    )


def _read(hint: Any) -> tuple[Option, list[Any]]:
    if (origin := get_origin(hint)) is Annotated:
        inner, *extras = get_args(hint)
        option, parts = _read(inner)
        return next((extra for extra in extras if isinstance(extra, Option)), option), parts
    if origin is Union or origin is types.UnionType:
        about, parts = Option(), []
        for arm in get_args(hint):
            here, more = _read(arm)
            about = here if about == Option() else about
            parts += more
        return about, parts
    return Option(), [hint]


GUARANTEE = "Guarantee"
VECTORS = "Vectors and noise"
NEIGHBORHOODS = "Neighborhoods and word metrics"
MODELS = "Models on disk and their codes"  # headings under which help lists options
DEFAULT_EPSILON = 8.0  # what the catalog takes where neither epsilon nor what stands in its place is given
IN_PLACE_OF_EPSILON = ("epsilon_per_distance", "epsilon_per_token", "temperature")
"""Options that say how much instead of epsilon, where a mechanism has them."""
