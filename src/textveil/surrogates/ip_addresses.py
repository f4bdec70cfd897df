"""IP addresses, of ranges that are nobody's unless asked otherwise."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Final

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import BUT_FOR_CASE, Drawn, pseudonym
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import key_of

_DOCUMENTATION: Final = tuple(int(IPv4Address(first)) for first in ("192.0.2.0", "198.51.100.0", "203.0.113.0"))
_PRIVATE: Final = int(IPv4Address("10.0.0.0"))
_ANY: Final = int(IPv4Address("11.0.0.0"))
_MULTICAST: Final = int(IPv4Address("224.0.0.0"))
_SIZES: Final = {"documentation": 3 * 254, "private": (1 << 24) - 2, "any": _MULTICAST - _ANY}
_SIZE6: Final = 1 << 62

_RANGES = Option(
    domain=named(*_SIZES),
    help="documentation: 762 addresses that RFC 5737 reserves for examples; private: 10.0.0.0/8; any: others, "
    "which may be somebody's.",
    metavar="NAME",
)


@declared(
    summary="An address of the ranges that are reserved for examples, or of others.", kinds=("ip",), proof=PSEUDONYMS
)
def ip(*, ranges: Annotated[str, _RANGES] = "documentation") -> Drawn:
    """A pseudonym for an IP address, of version 6 where two colons stand in it, else of version 4.

    Version 6 takes 2001:db8::/32, which RFC 3849 reserves for examples.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if value.count(":") > 1:
            return str(_version_6(scope.place("ip 6", key_of(value), _SIZE6, rng)))
        return str(IPv4Address(_version_4(ranges, scope.place(f"ip 4 {ranges}", key_of(value), _SIZES[ranges], rng))))

    public = ("whether it is of version 4 or 6",)
    parameters = {"ranges": ranges}
    return pseudonym("ip", public, surrogate_of, _SIZES[ranges], parameters, equality=BUT_FOR_CASE, read=key_of)


def _version_4(ranges: str, place: int) -> int:
    if ranges == "documentation":
        return _DOCUMENTATION[place // 254] + 1 + place % 254
    return (_PRIVATE + 1 if ranges == "private" else _ANY) + place


def _version_6(place: int) -> IPv6Address:
    return IPv6Address((0x20010DB8 << 96) | (place >> 46) << 80 | (place & (1 << 46) - 1) + 1)
