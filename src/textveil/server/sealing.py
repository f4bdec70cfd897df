"""Data that lies encrypted in the database, under keys that are derived from the ledger's."""

import hashlib
import hmac
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from textveil.errors import LedgerError

_NONCE: Final = 12
_CHECK: Final = 16


class Sealing:
    """Encrypts by ChaCha20-Poly1305 with a random nonce, bound to where the data lies; and makes keyed checks.

    Args:
        key: the ledger's, 32 bytes.
        purpose: keys of two purposes tell nothing of each other.
    """

    def __init__(self, key: bytes, purpose: str) -> None:
        keys = HKDF(algorithm=SHA256(), length=64, salt=None, info=f"textveil {purpose}".encode()).derive(key)
        self._cipher = ChaCha20Poly1305(keys[:32])
        self._check_key = keys[32:]

    def sealed(self, plain: bytes, place: str) -> bytes:
        """The data, encrypted.

        Args:
            plain: private.
            place: where it will lie; it opens nowhere else.
        """
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, plain, place.encode("utf-8"))

    def opened(self, sealed: bytes, place: str) -> bytes:
        """The data again.

        Raises:
            LedgerError: it was changed, moved, or sealed under another key.
        """
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], place.encode("utf-8"))
        except (InvalidTag, ValueError):  # a value of a few bytes has no nonce
            pass
        raise LedgerError("what is encrypted in the database was changed, or has another key. Restore it from a copy.")

    def check(self, data: bytes) -> bytes:
        """A digest under the key: whoever does not have it cannot try data out."""
        return hmac.new(self._check_key, data, hashlib.sha256).digest()[:_CHECK]
