"""Surrogates by name.

Third parties add one by an entry point in the group ``textveil.surrogates`` whose object is the function that makes it,
``declared`` as textveil's own are.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, final

from textveil.errors import ParameterError, UnknownNameError, need
from textveil.plugins import file_of, foreign, loaded, maker_of, note_maker
from textveil.privacy.guarantees import TRUSTED, Guarantee, claimed
from textveil.surrogates.base import Surrogate
from textveil.surrogates.declaration import SurrogateEntry, entry_of


@final
class _LazyEntries(Mapping[str, SurrogateEntry]):
    """Entries by name, each imported when it is asked for."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = dict(targets)

    def __getitem__(self, name: str) -> SurrogateEntry:
        module, _, function = self._targets[name].partition(":")
        found = entry_of(getattr(import_module(f"textveil.surrogates.{module}"), function))
        if found is None or found.name != name:
            raise LookupError(f"{self._targets[name]} does not declare the surrogate {name}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)


SURROGATE_ENTRIES: Final[Mapping[str, SurrogateEntry]] = _LazyEntries(
    {
        "person": "person:person",
        "place": "places:place",
        "phone": "phones:phone",
        "organization": "organizations:organization",
        "email": "addresses:email",
        "url": "addresses:url",
        "handle": "addresses:handle",
        "ip": "ip_addresses:ip",
        "id": "record_numbers:id_surrogate",
        "date-shift": "dates:date_shift",
        "date-window": "dates:date_window",
        "age": "ages:age",
        "time": "times:time",
        "amount": "amounts:amount",
        "digits": "digit_strings:digits",
        "pool": "own_pools:own_pool",
        "emoji": "emoji:emoji",
        "placeholder": "placeholders:placeholder",
    }
)
"""Every surrogate: its name, and the function that makes it and declares all else."""


ENTRY_POINT_GROUP: Final = "textveil.surrogates"


def surrogate_entries() -> dict[str, SurrogateEntry]:
    """Every surrogate that is installed, by name; textveil's own first.

    Raises:
        ParameterError: two packages give one name, or one gives what declares no surrogate of its name.
    """
    found = dict(SURROGATE_ENTRIES)
    for name, point in foreign(ENTRY_POINT_GROUP, SURROGATE_ENTRIES).items():
        added = entry_of(loaded(point))
        if added is None or added.name != name:
            raise ParameterError(
                f"entry point {name} must be a function that textveil.surrogates.declaration.declared decorates as "
                f"{name}; got another object."
            )
        found[name] = added
    return found


def make_surrogate(name: str, epsilon: float = 0.0, options: Mapping[str, Any] = MappingProxyType({})) -> Surrogate:
    """The surrogate of that name.

    Args:
        name: one of ``SURROGATE_ENTRIES``, or one that an installed package adds.
        epsilon: nats; what it is the loss of is the surrogate's ``guarantee`` and ``counts``.
        options: its own, by name: those of ``surrogate_entries()[name].options()``.

    Raises:
        UnknownNameError: no such surrogate.
        ParameterError: an option is unknown or outside its domain, or epsilon is not possible for it.
    """
    entries: Mapping[str, SurrogateEntry] = SURROGATE_ENTRIES if name in SURROGATE_ENTRIES else surrogate_entries()
    if name not in entries:
        (close,) = difflib.get_close_matches(str(name), entries, n=1, cutoff=0.0)
        wanted = f"one of {', '.join(entries)}"
        need(False, "surrogate", repr(name)[:60], wanted, f"Did you mean {close!r}?", kind=UnknownNameError)
    entry = entries[name]
    known = dict(entry.options())
    loss = known.pop("epsilon", None)
    for key in options:
        if key not in known:
            close_ones = difflib.get_close_matches(str(key), known, n=1)
            hint = f" Did you mean `{close_ones[0]}`?" if close_ones else ""
            taken = f"the options {', '.join(f'`{one}`' for one in known)}" if known else "no options"
            raise ParameterError(f"{name} takes {taken}; got `{str(key)[:40]}`.{hint}")
    given = {key: known[key].checked(value) for key, value in options.items()}
    for key, option in known.items():
        need(not option.required or key in given, key, "none", f"given for {name}: {option.help}")
    if loss is None:
        need(epsilon == 0, "epsilon", epsilon, f"0 for {name}: its draws never look at the value")
    else:
        given["epsilon"] = loss.checked(epsilon)
    made = entry.make(**given)
    note_maker(made, entry.make)
    return made


def guarantee_of(surrogate: Surrogate) -> Guarantee:
    """The surrogate's guarantee as reports may state it; see ``catalog.guarantee_of``.

    "Proved" counts only where ``make_surrogate`` made this very object by a registered function, and the proof that the
    guarantee names is a file of that function's package. All else is claimed by its maker.
    """
    guarantee, maker = surrogate.guarantee, maker_of(surrogate)
    if guarantee.status not in TRUSTED:
        return guarantee
    declaration = entry_of(maker)
    if maker is None or declaration is None:
        return claimed(guarantee)
    own = declaration.name in SURROGATE_ENTRIES
    known = (SURROGATE_ENTRIES if own else surrogate_entries()).get(declaration.name)
    registered = known is not None and known.make is maker and (own or guarantee.source == known.proof)
    return guarantee if registered and file_of(maker.__module__, guarantee.source) is not None else claimed(guarantee)
