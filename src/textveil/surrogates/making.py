"""Surrogates by name, and what is known of each, declared at the function that makes it.

    @declared(summary="...", kinds=("age",), proof=SURROGATES)
    def age(*, epsilon: OptionalEpsilon = 0.0, lowest: Lowest = 0) -> Drawn: ...

Options are the function's keyword parameters, declared as those of mechanisms are (``registry.options``): name, type,
domain, default and help stand in the signature, and policies, messages and docs read them there. A function without
``epsilon`` makes surrogates that no epsilon goes into; one whose ``epsilon`` has no default needs one.

Third parties add one by an entry point in the group ``textveil.surrogates`` whose object is such a function.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar

from textveil.errors import ParameterError, need
from textveil.privacy.guarantees import TRUSTED, Guarantee, Status, claimed
from textveil.privacy.proved import status_of_maker
from textveil.registry.options import NOT_NEGATIVE, POSITIVE, Option, documented, options_of
from textveil.registry.table import Table, maker_of, note_maker
from textveil.surrogates.surrogate import Surrogate

ENTRY_POINT_GROUP: Final = "textveil.surrogates"

SURROGATE_ENTRIES: Final[Table[SurrogateEntry]] = Table(
    "surrogate",
    ENTRY_POINT_GROUP,
    {
        # generated: surrogates
        "person": "textveil.surrogates.person:person",
        "place": "textveil.surrogates.places:place",
        "phone": "textveil.surrogates.contacts:phone",
        "organization": "textveil.surrogates.organizations:organization",
        "email": "textveil.surrogates.contacts:email",
        "url": "textveil.surrogates.contacts:url",
        "handle": "textveil.surrogates.contacts:handle",
        "ip": "textveil.surrogates.contacts:ip",
        "id": "textveil.surrogates.record_numbers:id_surrogate",
        "secret": "textveil.surrogates.record_numbers:secret_surrogate",
        "date-shift": "textveil.surrogates.dates:date_shift",
        "date-window": "textveil.surrogates.dates:date_window",
        "age": "textveil.surrogates.quantities:age",
        "time": "textveil.surrogates.times:time",
        "amount": "textveil.surrogates.amounts:amount",
        "measurement": "textveil.surrogates.measured:measurement",
        "digits": "textveil.surrogates.record_numbers:digits",
        "pool": "textveil.surrogates.pools:own_pool",
        "emoji": "textveil.surrogates.pools:emoji",
        "placeholder": "textveil.surrogates.pools:placeholder",
        "demographic": "textveil.surrogates.demographics:demographic",
        # end
    },
    lambda name, maker: entry_of(maker),
    "a function that textveil.surrogates.making.declared decorates",
)
"""Every surrogate: its name, and the function that makes it and declares all else."""


def surrogate_entries() -> dict[str, SurrogateEntry]:
    """Return every surrogate that is installed, by name; textveil's own first.

    Raises ParameterError: two packages give one name, or one gives what declares no surrogate of its name.
    """
    return SURROGATE_ENTRIES.installed()


def make_surrogate(name: str, epsilon: float = 0.0, options: Mapping[str, Any] = MappingProxyType({})) -> Surrogate:
    """Return the surrogate of that name, with its own options; ``epsilon`` pays for what ``counts`` says.

    Raises UnknownNameError: no such surrogate; ParameterError: an option is unknown or outside its domain, or epsilon
    is not possible for it.
    """
    entry = SURROGATE_ENTRIES.find(name)
    known = dict(options_of(entry.make))
    loss = known.pop("epsilon", None)
    for key in options:
        if key not in known:
            close_ones = difflib.get_close_matches(str(key), known, n=1)
            hint = f" Did you mean `{close_ones[0]}`?" if close_ones else ""
            taken = f"the options {', '.join(f'`{option}`' for option in known)}" if known else "no options"
            raise ParameterError(f"{name} takes {taken}; got `{str(key)[:40]}`.{hint}")
    given = {key: known[key].checked(value) for key, value in options.items()}
    for key, option in known.items():
        if option.required and key not in given:
            need(False, key, "none", f"given for {name}: {option.help}")
    if loss is None and epsilon != 0:
        need(False, "epsilon", epsilon, f"0 for {name}: its draws never look at the value")
    elif loss is not None:
        given["epsilon"] = loss.checked(epsilon)
    surrogate = entry.make(**given)
    note_maker(surrogate, entry.make)
    return surrogate


def guarantee_of(surrogate: Surrogate) -> Guarantee:
    """Return the surrogate's guarantee as reports may state it; see ``catalog.guarantee_of``.

    "Proved" counts only if ``make_surrogate`` made this very object by a registered function, nobody changed it since,
    and the file of that function's code is registered under the proof that the guarantee names. All else is claimed by
    its maker.
    """
    guarantee, maker = surrogate.guarantee, maker_of(surrogate)
    if guarantee.status not in TRUSTED:
        return guarantee
    declaration = entry_of(maker)
    if maker is None or declaration is None:
        return claimed(guarantee)
    known = SURROGATE_ENTRIES.get(declaration.name)
    own = known is not None
    if not own:
        known = surrogate_entries().get(declaration.name)
    registered = known is not None and known.make is maker and (own or guarantee.source == known.proof)
    proved = registered and status_of_maker(maker, guarantee.source, own=own) is Status.PROVED
    return guarantee if proved else claimed(guarantee)


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
        """Its parameters by name, ``epsilon`` among them if it has one."""
        return options_of(self.make)

    @property
    def takes_epsilon(self) -> bool:
        return "epsilon" in self.options()

    @property
    def needs_epsilon(self) -> bool:
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
    """Return what ``declared`` stated of a function, or None if it was not used."""
    entry = getattr(make, "__dict__", {}).get(_ENTRY)
    return entry if isinstance(entry, SurrogateEntry) else None
