"""Which addresses may be connected to: names are looked up once, and what was checked is what is connected to."""

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, TypeAlias

import anyio
import httpcore

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
LookUp: TypeAlias = Callable[[str, int], Awaitable[list[str]]]

_TRANSLATED: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
"""IPv6 addresses whose last 32 bits are an IPv4 address (RFC 6052, RFC 8215)."""


_METADATA: Final = frozenset(map(ipaddress.IPv6Address, ("fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe")))
"""Private addresses at which clouds tell a machine its credentials: of Amazon, Google and Oracle."""


class ForbiddenAddress(Exception):
    """A host has an address that may not be connected to."""


async def look_up(host: str, port: int) -> list[str]:
    """All addresses of a host, in the order of the system's resolver.

    Raises:
        OSError: it has none.
    """
    answers = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


def literal(host: str) -> Address | None:
    """The address that a host is written as; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether an address lies in the public Internet, and so do the IPv4 addresses that it carries."""
    if isinstance(address, ipaddress.IPv6Address):
        for carried in _carried(address):
            if not is_public(carried):
                return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _carried(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that packets to an IPv6 address may be handed on to."""
    carried = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _TRANSLATED):
        carried.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [address for address in carried if address is not None]


def is_near(address: Address) -> bool:
    """Whether an address is of this machine or of a private network, as an operator may name it.

    Link-local addresses are not, nor those in whose place clouds have others: there a machine's credentials are told.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_near(address.ipv4_mapped)
        if address in _METADATA or _carried(address):
            return False
    far = address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved
    return address.is_loopback or (address.is_private and not far)


class CheckedConnections(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses alone.

    A host is looked up here and nowhere else, all of its addresses are checked, and the connection goes to one of
    those: what a name server says the next moment makes no difference. Certificates are checked against the name.

    Args:
        private: whether addresses of private networks and of this machine are allowed; link-local ones never are.
        addresses: looks up a host.
    """

    def __init__(self, *, private: bool, addresses: LookUp = look_up) -> None:
        self._private = private
        self._addresses = addresses
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of a host that answers.

        Raises:
            ForbiddenAddress: one of its addresses may not be connected to.
            httpcore.ConnectError: it has none, or none answers.
            httpcore.ConnectTimeout: not in time.
        """
        try:
            with anyio.fail_after(timeout):
                return await self._connected(await self._checked(host, port), port, local_address, socket_options)
        except TimeoutError:
            raise httpcore.ConnectTimeout("no connection in time") from None

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Refused: an upstream is a host.

        Raises:
            ForbiddenAddress: always.
        """
        raise ForbiddenAddress

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[str]:
        written = literal(host)
        try:
            addresses = [str(written)] if written is not None else await self._addresses(host, port)
        except (OSError, UnicodeError):
            raise httpcore.ConnectError("the host has no address") from None
        if not addresses:
            raise httpcore.ConnectError("the host has no address")
        for written_address in addresses:
            address = literal(written_address)
            if address is None or not (is_public(address) or (self._private and is_near(address))):
                raise ForbiddenAddress
        return addresses

    async def _connected(
        self, addresses: list[str], port: int, local_address: str | None, socket_options: Iterable[Any] | None
    ) -> httpcore.AsyncNetworkStream:
        for place, address in enumerate(addresses):
            try:
                return await self._network.connect_tcp(address, port, None, local_address, socket_options)
            except httpcore.ConnectError:
                if place == len(addresses) - 1:
                    raise
        raise httpcore.ConnectError("the host has no address")
