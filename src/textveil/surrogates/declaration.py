"""What is known of a surrogate by its name, declared at the function that makes it.

    @declared(summary="...", kinds=("age",), proof=SURROGATES)
    def age(*, epsilon: OptionalEpsilon = 0.0, lowest: Lowest = 0) -> Drawn: ...

Options are the function's keyword parameters, declared as those of mechanisms are (``registry.options``): name, type,
domain, default and help stand in the signature, and policies, messages and docs read them there. A function without
``epsilon`` makes surrogates that no epsilon goes into; one whose ``epsilon`` has no default needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar

from textveil.registry.options import NOT_NEGATIVE, POSITIVE, Option, documented, options_of
from textveil.surrogates.surrogate import Surrogate

PSEUDONYMS: Final = "privacy/proofs/pseudonyms.md"
SURROGATES: Final = "privacy/proofs/surrogates.md"
P = ParamSpec("P")
S = TypeVar("S", bound=Surrogate)
_ENTRY = "__textveil_surrogate__"


OptionalEpsilon: TypeAlias = Annotated[
    float,
    Option(
        domain=NOT_NEGATIVE,
        help="Privacy loss in nats of one value; 0 is a draw that says nothing about it beyond its form.",
        metavar="E",
    ),
]
NeededEpsilon: TypeAlias = Annotated[float, Option(domain=POSITIVE, help="Privacy loss in nats.", metavar="E")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateEntry:
    """One kind of surrogate."""

    name: str
    summary: str
    kinds: tuple[str, ...]
    proof: str  # a path below textveil, or below the package of ``make``
    make: Callable[..., Surrogate]  # the function that makes it; its options are checked before it runs
    # options with which docs and tests make one; those that it cannot be made without
    sample: Mapping[str, Any] = field(default_factory=dict)

    def options(self) -> Mapping[str, Option]:
        """What it takes, by name; ``epsilon`` among them where there is one."""
        return options_of(self.make)

    @property
    def takes_epsilon(self) -> bool:
        """Whether an epsilon above 0 is possible."""
        return "epsilon" in self.options()

    @property
    def needs_epsilon(self) -> bool:
        """Whether 0 is impossible."""
        return self.takes_epsilon and self.options()["epsilon"].required


def declared(
    *, summary: str, kinds: tuple[str, ...], proof: str, name: str = "", sample: Mapping[str, Any] | None = None
) -> Callable[[Callable[P, S]], Callable[P, S]]:
    """Declare the decorated function as one that makes a surrogate, of its name with hyphens or ``name``."""

    def decorate(make: Callable[P, S]) -> Callable[P, S]:
        called = name or make.__name__.replace("_", "-")
        make.__doc__ = documented(make)
        make.__dict__[_ENTRY] = SurrogateEntry(
            name=called, summary=summary, kinds=kinds, proof=proof, make=make, sample=sample or {}
        )
        return make

    return decorate


def entry_of(make: Any) -> SurrogateEntry | None:
    """What ``declared`` stated of a function; None where it was not used."""
    entry = getattr(make, "__dict__", {}).get(_ENTRY)
    return entry if isinstance(entry, SurrogateEntry) else None
