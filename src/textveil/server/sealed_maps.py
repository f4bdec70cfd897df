"""Private maps that are kept encrypted in the database, where that was asked for: they outlive the process.

A map is encrypted under a key that is derived from the ledger's key and from the id by which it is asked for. The id
stays with the client: who has the database and the ledger's key opens no map.
"""

import hashlib
import hmac
import json
import time
import zlib
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from textveil.budget.database import opened, told, url_of, writing
from textveil.budget.ledger import ledger_key
from textveil.json_text import json_data
from textveil.server.kept_data import map_data, map_of
from textveil.server.maps import Owner, new_identity
from textveil.server.sealing import Sealing
from textveil.server.tables import MAPS, delete_expired, make_tables
from textveil.surrogates.private_map import PrivateMap


class SealedMaps:
    """Keeps maps as ``maps.KeptMaps`` does, in a database.

    Args:
        url: of the ledger's database.
        seconds: how long each is kept.
        clock: microseconds since 1970.

    Raises:
        LedgerError: the database cannot be opened.
        ParameterError: there is no key of the ledger.
    """

    def __init__(self, url: str, seconds: float, *, clock: Callable[[], int] = lambda: time.time_ns() // 1000) -> None:
        self._key = ledger_key(url)
        self._seconds = seconds
        self._clock = clock
        self._engine = opened(url_of(url))
        make_tables(self._engine)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """See ``maps.KeptMaps.keep``; what has expired is deleted on the way.

        Raises:
            LedgerError: the database fails; nothing is kept.
        """
        identity, now = new_identity(), self._clock()
        tenant, unit = owner
        plain = zlib.compress(json.dumps([unit, [map_data(private_map) for private_map in maps]]).encode("ascii"))
        sealed = self._sealing(identity).sealed(plain, tenant)
        row = {"id": self._digest(tenant, identity), "until": now + round(self._seconds * 1e6), "sealed": sealed}
        with told(), writing(self._engine) as connection:
            delete_expired(connection, MAPS, now)
            connection.execute(MAPS.insert(), [row])
        return identity

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        """See ``maps.KeptMaps.find``.

        Raises:
            LedgerError: the database fails, or what it holds was changed.
        """
        tenant, unit = owner
        wanted = (MAPS.c.id == self._digest(tenant, identity)) & (MAPS.c.until > self._clock())
        with told(), self._engine.connect() as connection:
            sealed = connection.execute(sa.select(MAPS.c.sealed).where(wanted)).scalar()
        if sealed is None:
            return None
        whose, maps = json_data(zlib.decompress(self._sealing(identity).opened(sealed, tenant)))
        return tuple(map_of(private_map) for private_map in maps) if unit in (None, whose) else None

    def _sealing(self, identity: str) -> Sealing:
        return Sealing(hmac.new(self._key, _bytes(identity), hashlib.sha256).digest(), "private maps")

    def _digest(self, tenant: str, identity: str) -> bytes:
        """Where the map of an id lies; of another tenant it lies nowhere."""
        return hmac.new(self._key, _bytes(json.dumps([tenant, identity])), hashlib.sha256).digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
