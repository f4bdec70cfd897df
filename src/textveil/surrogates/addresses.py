"""E-mail addresses, URLs, handles and IP addresses: names of the pools at domains that are reserved for examples.

example.com, example.org and example.net belong to nobody and never will (RFC 2606, RFC 6761): nothing that is sent
there reaches a person, and no page stands there. IP addresses are of ranges that are nobody's unless asked otherwise.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Final

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.drawn import BUT_FOR_CASE, Drawn, pseudonym
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.pools import pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import key_of
from textveil.text.patterns import lazy_regex

DOMAINS: Final = ("example.com", "example.org", "example.net")
_MAILS: Final = ("{0}.{1}", "{0}{1}", "{0}_{1}", "{1}.{0}")
_HANDLES: Final = ("{0}{1}", "{0}_{1}", "{1}{0}", "the{0}{1}")
_SCHEME: Final = lazy_regex(r"(?:(?:https?|ftp)://)?(?:www\.)?", re.IGNORECASE | re.ASCII)
_SIGN: Final = lazy_regex(r"@|#|/?[ur]/|")


def _two_names(label: str, key: str, forms: int, scope: Scope, rng: np.random.Generator) -> tuple[str, str, int]:
    given, family = pool("given"), pool("family")
    rest, form = divmod(scope.place(label, key, len(given) * len(family) * forms, rng), forms)
    first, second = divmod(rest, len(family))
    return given[first].lower(), family[second].lower().replace("'", ""), form


def _entries(forms: int) -> int:
    return len(pool("given")) * len(pool("family")) * forms


@declared(summary="Another name at a domain that is reserved for examples.", kinds=("email",), proof=PSEUDONYMS)
def email() -> Drawn:
    """A pseudonym for the whole address; it has nothing to do with the pseudonym of the person who writes there."""
    forms = len(_MAILS) * len(DOMAINS)

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        given, family, form = _two_names("email", key_of(value), forms, scope, rng)
        return f"{_MAILS[form // len(DOMAINS)].format(given, family)}@{DOMAINS[form % len(DOMAINS)]}"

    return pseudonym("email", (), surrogate_of, _entries(forms), equality=BUT_FOR_CASE, read=key_of)


@declared(
    summary="A page or a host of another name at a domain that is reserved for examples.",
    kinds=("url",),
    proof=PSEUDONYMS,
)
def url() -> Drawn:
    """A pseudonym for the whole address but its scheme and www; equal are the very same addresses."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        given, family, form = _two_names("url", value, len(DOMAINS), scope, rng)
        scheme = _SCHEME.match(value)
        before = scheme[0].lower() if scheme else ""
        if "/" in value[len(before) :].rpartition("://")[2]:
            return f"{before}{family}.{DOMAINS[form]}/{given}"
        return f"{before}{given}.{family}.{DOMAINS[form]}"

    public = ("whether http://, https://, ftp:// or www. stands in front", "whether a path follows the host")
    return pseudonym("url", public, surrogate_of, entries=_entries(len(DOMAINS)))


@declared(summary="Another user's name.", kinds=("handle",), proof=PSEUDONYMS)
def handle() -> Drawn:
    """A pseudonym for a user's name; somebody may have it by chance."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        sign = _SIGN.match(value)
        given, family, form = _two_names("handle", key_of(value), len(_HANDLES), scope, rng)
        return (sign[0] if sign else "") + _HANDLES[form].format(given, family)

    public = ("whether @, #, u/, r/, /u/ or /r/ stands in front",)
    return pseudonym("handle", public, surrogate_of, _entries(4), equality=BUT_FOR_CASE, read=key_of)


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
    """A pseudonym for an IP address; of version 6, if two colons stand in it: 2001:db8::/32 (RFC 3849)."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if value.count(":") > 1:
            place = scope.place("ip 6", key_of(value), _SIZE6, rng)
            return str(IPv6Address((0x20010DB8 << 96) | (place >> 46) << 80 | (place & (1 << 46) - 1) + 1))
        place = scope.place(f"ip 4 {ranges}", key_of(value), _SIZES[ranges], rng)
        if ranges == "documentation":
            return str(IPv4Address(_DOCUMENTATION[place // 254] + 1 + place % 254))
        return str(IPv4Address((_PRIVATE + 1 if ranges == "private" else _ANY) + place))

    public = ("whether it is of version 4 or 6",)
    parameters = {"ranges": ranges}
    return pseudonym("ip", public, surrogate_of, _SIZES[ranges], parameters, equality=BUT_FOR_CASE, read=key_of)
