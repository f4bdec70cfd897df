"""What is compared: mechanisms of the catalog by name, with options that stay fixed; and which of them can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from textveil.catalog import CatalogEntry, entry, unknown_option
from textveil.errors import ParameterError, need
from textveil.mechanisms.options import Option
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN

_VARIED: Final = ("epsilon", "epsilon_per_distance")  # Options that the frontier sets itself
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True, slots=True)
class FrontierContender:
    """A mechanism with fixed options; made by ``contender_of``."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    weaker: str = ""  # what its guarantee compares, where that is less than any two words; else empty

    def __reduce__(self) -> tuple[Any, ...]:
        return contender_of, (self.label,)

    @property
    def comparable(self) -> bool:
        """Whether its guarantee speaks of any two words."""
        return not self.weaker

    @property
    def metric(self) -> bool:
        """Whether its guarantee can be one per distance."""
        return "epsilon_per_distance" in entry(self.name).options()

    @property
    def takes_delta(self) -> bool:
        """Whether it has a delta that was not fixed."""
        return "delta" in entry(self.name).options() and "delta" not in self.options


def contenders_of(labels: Sequence[str]) -> tuple[FrontierContender, ...]:
    """The contenders of these labels, each once.

    Raises:
        ParameterError: none, one twice, or one that cannot be compared; see ``contender_of``.
    """
    need(not isinstance(labels, str), "names", "one str", "a list of names", "Put it into a list.")
    need(0 < len(set(labels)) == len(labels), "names", f"{len(labels)} of them", "one or more, each once")
    return tuple(contender_of(label) for label in labels)


def contender_of(label: str) -> FrontierContender:
    """A contender by its label: ``name``, or ``name:option=value:option=value``.

    Raises:
        UnknownNameError: no such mechanism.
        ParameterError: it has no guarantee of a token to calibrate, its claim is refuted, or an option does not fit.
    """
    name, *given = label.split(":")
    known = entry(name)
    _need_comparable(known)
    options = dict(_option(known, written) for written in given)
    weaker = "" if known.adjacency == ONE_TOKEN else known.adjacency.text
    return FrontierContender(label, name, MappingProxyType(options), weaker)


def _need_comparable(known: CatalogEntry) -> None:
    name = "names"
    if known.status is Status.REFUTED:
        hint = f"Take {known.instead}." if known.instead else "Audit it instead."
        got = f"{known.name}, whose claim is refuted"
        need(False, name, got, "mechanisms whose guarantee holds", hint)
    hint = "Compare those of words."
    got = f"{known.name}, of family {known.family}"
    need(known.words_alone, name, got, "mechanisms that draw for each word alone", hint)
    need("epsilon" in known.options(), name, f"{known.name}, which has no epsilon", "mechanisms with an epsilon", hint)


def _option(known: CatalogEntry, text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    options = known.options()
    need(bool(sign), "names", f"{known.name} with a part without =", "written as name:option=value")
    if key not in options:
        raise unknown_option(known.name, key, options)
    need(key not in _VARIED, "names", f"{known.name} with {key}", "without epsilon, which is varied", "Leave it out.")
    return key, options[key].checked(_typed(options[key], value))


def _typed(option: Option, value: str) -> Any:
    """A value from its text; "none" turns an option off."""
    if option.optional and value == "none":
        return None
    try:
        if option.kind is bool:
            need(value in (*_TRUE, *_FALSE), option.name, "something else", "true or false")
            return value in _TRUE
        return value if option.kind in (str, None) else option.kind(value)
    except ValueError:
        if isinstance(option.kind, type):
            wanted = option.wanted
            raise ParameterError(
                f"{option.name} must be {wanted}; got another text. Write name:option=value."
            ) from None
        raise
