"""Signed receipts: what was released, under which guarantee, by whose key; checked without the text and without a map.

A receipt is made of a report's public facts and of the digest of what left; nothing in it is computed from the input
beyond these. Fields of ``privacy_loss`` and ``dp_variant`` have the names of OpenDP's registry of deployments.

The bytes of a receipt are its one canonical form, so any other byte is a change; Ed25519 signs them without the
signature, behind a prefix that no other use of the key has.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, final

from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.json_text import json_data, json_text

TYPE: Final = "textveil-receipt-1"
"""The type that a receipt declares."""

RECEIPT_BYTES: Final = 1 << 20  # at most
_PREFIX: Final = b"textveil receipt\n"
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
_PRIME: Final = 2**255 - 19
_CURVE: Final = -121665 * pow(121666, -1, _PRIME)  # d of the curve, RFC 8032
_SUMS: Final = ("per_value", "per_token", "per_document", "per_person")
_PUBLIC: Final = "what the report of this setting lists as public of each kind"
_CHANGED: Final = "It was changed, or is no receipt: ask for it again."


class Left(NamedTuple):
    """The release that a receipt is about: a receipt says nothing else of a text."""

    what: str  # "file", "folder", "text in UTF-8" or "body of a request"
    sha256: str
    length: int  # bytes; of a folder, of its files

    @classmethod
    def of(cls, what: str, data: bytes) -> "Left":
        return cls(what, hashlib.sha256(data).hexdigest(), len(data))


@final
class Signer:
    """Signs receipts with a secret key.

    ``secret``: 32 bytes, as ``whole_files.read_or_made_key`` has them. Raises MissingExtra: there is no cryptography.
    """

    def __init__(self, secret: bytes) -> None:
        with MissingExtra("cryptography", "maps"):
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public: Final = self._key.public_key().public_bytes_raw().hex()
        """The public key, 64 hexadecimal digits."""

    def receipt(self, report: Mapping[str, Any], left: Left) -> bytes:
        """Return the receipt of what left.

        ``report``: as ``Report.to_data`` returns it, of what left and nothing else.
        """
        facts = {**_facts(report), "released": left._asdict(), "key": self.public}
        return _written({**facts, "signature": self._key.sign(_PREFIX + _written(facts)).hex()})


@final
@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt whose signature holds for the key that it names.

    ``trusted``: whether that is a key that the reader has from elsewhere; if not, anybody may have signed it.
    """

    facts: Mapping[str, Any]
    trusted: bool

    @property
    def left(self) -> Left:
        return Left(**self.facts["released"])


def read_receipt(data: bytes, key: str | None = None) -> Receipt:
    """Check the form and the signature of a receipt, byte by byte.

    ``key``: the public key of whoever must have signed it, 64 hexadecimal digits; None takes the receipt's own word.
    Raises InputError: a byte was changed, it is no receipt, or another key signed it; ParameterError: ``key`` is no
    public key; MissingExtra: there is no cryptography.
    """
    with MissingExtra("cryptography", "maps"):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    if key is not None and not _KEY.fullmatch(key):
        raise ParameterError("`key` must be a public key, 64 hexadecimal digits in small letters; got something else.")
    facts = _read(data)
    signature, own = facts.pop("signature"), facts["key"]
    if _signs_anything(own):
        raise InputError("the key of the receipt must be one that signs; this one accepts any text. Do not trust it.")
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(own)).verify(
            bytes.fromhex(signature), _PREFIX + _written(facts)
        )
    except (InvalidSignature, ValueError):
        raise InputError(f"the signature of the receipt must hold; it does not. {_CHANGED}") from None
    if key is not None and own != key:
        raise InputError("the receipt must be signed by the key of `key`; another signed it. Do not trust it.")
    return Receipt(facts, key is not None)


def _signs_anything(key: str) -> bool:
    """Tell whether a point of the curve has an order of 1, 2, 4 or 8: one signature by it holds for any text."""
    y = (int.from_bytes(bytes.fromhex(key), "little") & ((1 << 255) - 1)) % _PRIME
    return y in (0, 1, _PRIME - 1) or (_CURVE * pow(y, 4, _PRIME) + 2 * y * y - 1) % _PRIME == 0


def _read(data: bytes) -> dict[str, Any]:
    try:
        facts = json_data(data) if len(data) <= RECEIPT_BYTES else None
    except ValueError:
        facts = None
    if isinstance(facts, dict) and _written(facts) == data and facts.get("type") == TYPE and _is_whole(facts):
        return facts
    raise InputError(f"the receipt must be as textveil writes it, byte for byte; this one is not. {_CHANGED}")


def _is_whole(facts: Mapping[str, Any]) -> bool:
    """Tell whether what is read of a receipt is there and of its type: anybody may have signed another shape."""
    left, statement, named = (facts.get(name) for name in ("released", "statement", "policy"))
    return (
        isinstance(left, dict)
        and left.keys() == set(Left._fields)
        and all(isinstance(left[name], str) for name in ("what", "sha256"))
        and type(left["length"]) is int
        and all(isinstance(facts.get(name), str) for name in ("key", "signature", "issued_at", "textveil"))
        and isinstance(facts.get("for_release"), bool)
        and isinstance(statement, list)
        and all(isinstance(line, str) for line in statement)
        and (named is None or (isinstance(named, dict) and isinstance(named.get("name"), str)))
        and _KEY.fullmatch(facts["key"]) is not None
        and _SIGNATURE.fullmatch(facts["signature"]) is not None
    )


def _written(facts: Mapping[str, Any]) -> bytes:
    return json_text(facts, sort_keys=True).encode("ascii")


def _facts(report: Mapping[str, Any]) -> dict[str, Any]:
    policy, guarantee = report.get("policy"), report["guarantee"]
    stated = [guarantee[name] for name in _SUMS if guarantee.get(name) is not None]
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "type": TYPE,
        "textveil": report["textveil"],
        "issued_at": now,
        "setting_digest": report["setting_digest"],
        "policy": None if policy is None else {name: policy[name] for name in ("name", "digest")},
        "mechanism": report["mechanism"],
        "for_release": report["for_release"],
        "statement": report["statement"],
        "basic": {"publication_date": now[:10]},
        "dp_variant": {
            "variant_name": stated[0]["notion"] if stated else "none",
            "unprotected_quantities": [*report["not_covered"], _PUBLIC]
            if "not_covered" in report
            else report["public"],
        },
        "privacy_loss": [_loss(part) for part in stated],
        "implementation": {
            "composition": "sums over the draws of a document or a person",
            "mechanisms": _kinds(guarantee),
        },
    }


def _loss(part: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "privacy_unit": part["unit"],
        "privacy_unit_details": part["adjacency"],
        "number_of_privacy_units": 1,
        "privacy_parameters": {name: part[name] for name in ("epsilon", "delta") if name in part},
        "privacy_parameters_details": f"{part['text']}, {part['status']}; {part['source']}",
    }


def _kinds(guarantee: Mapping[str, Any]) -> dict[str, str]:
    """Return the guarantee of a draw of each kind that the policy draws, whether it occurs or not."""
    return {part["kind"]: f"{part['text']}, {part['status']}" for part in guarantee["by_kind"]}
