"""Surrogates by name.

Third parties add one by an entry point in the group ``textveil.surrogates`` whose object is the function that makes it,
``declared`` as textveil's own are.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from textveil.errors import ParameterError, need
from textveil.privacy.guarantees import TRUSTED, Guarantee, Status, claimed
from textveil.privacy.proved import status_of_maker
from textveil.registry.options import options_of
from textveil.registry.table import Table, maker_of, note_maker
from textveil.surrogates.declaration import SurrogateEntry, entry_of
from textveil.surrogates.surrogate import Surrogate

ENTRY_POINT_GROUP: Final = "textveil.surrogates"

SURROGATE_ENTRIES: Final[Table[SurrogateEntry]] = Table(
    "surrogate",
    ENTRY_POINT_GROUP,
    {
        # generated: surrogates
        "person": "textveil.surrogates.person:person",
        "place": "textveil.surrogates.places:place",
        "phone": "textveil.surrogates.phones:phone",
        "organization": "textveil.surrogates.organizations:organization",
        "email": "textveil.surrogates.addresses:email",
        "url": "textveil.surrogates.addresses:url",
        "handle": "textveil.surrogates.addresses:handle",
        "ip": "textveil.surrogates.addresses:ip",
        "id": "textveil.surrogates.record_numbers:id_surrogate",
        "secret": "textveil.surrogates.record_numbers:secret_surrogate",
        "date-shift": "textveil.surrogates.dates:date_shift",
        "date-window": "textveil.surrogates.dates:date_window",
        "age": "textveil.surrogates.quantities:age",
        "time": "textveil.surrogates.times:time",
        "amount": "textveil.surrogates.quantities:amount",
        "measurement": "textveil.surrogates.measured:measurement",
        "digits": "textveil.surrogates.record_numbers:digits",
        "pool": "textveil.surrogates.pools:own_pool",
        "emoji": "textveil.surrogates.pools:emoji",
        "placeholder": "textveil.surrogates.pools:placeholder",
        "demographic": "textveil.surrogates.demographics:demographic",
        # end
    },
    lambda name, maker: entry_of(maker),
    "a function that textveil.surrogates.declaration.declared decorates",
)
"""Every surrogate: its name, and the function that makes it and declares all else."""


def surrogate_entries() -> dict[str, SurrogateEntry]:
    """Return every surrogate that is installed, by name; textveil's own first.

    Raises:
        ParameterError: two packages give one name, or one gives what declares no surrogate of its name.
    """
    return SURROGATE_ENTRIES.installed()


def make_surrogate(name: str, epsilon: float = 0.0, options: Mapping[str, Any] = MappingProxyType({})) -> Surrogate:
    """Return the surrogate of that name, with its own options; ``epsilon`` pays for what ``counts`` says.

    Raises:
        UnknownNameError: no such surrogate.
        ParameterError: an option is unknown or outside its domain, or epsilon is not possible for it.
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
