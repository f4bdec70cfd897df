"""Addresses of cryptocurrencies: those whose checksum is right, and those of Ethereum by their form."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import in_runs
from textveil.text.patterns import lazy_regex, matches

_BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_RIPPLE: Final = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_WALLET: Final = lazy_regex(
    r"(?<![A-Za-z0-9_])(?:(?P<ethereum>0x[0-9a-fA-F]{40})"
    r"|(?P<bech>(?:bc|tb|ltc|BC|TB|LTC)1[02-9ac-hj-np-zAC-HJ-NP-Z]{11,87})"
    r"|(?P<base>[1-9A-HJ-NP-Za-km-z]{26,64}))(?![A-Za-z0-9_])"
)
_DIGIT: Final = lazy_regex("[0-9]")
_SOLANA: Final = lazy_regex(r"(?i)\b(?:solana|sol|phantom|wallet|polkadot|cardano)\b")
_REACH: Final = 40

WALLET_GATE: Final = in_runs("0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{26}|[bBlLtT][cCbB]1|[lL][tT][cC]1")


def find_wallets(text: str) -> Iterator[Found]:
    """Addresses of Bitcoin, Litecoin, Dogecoin, Tron, Ripple and Ethereum; others behind "wallet"."""
    for match in matches(_WALLET, text):
        value = match[0]
        if match["ethereum"]:
            yield Found(*match.span(), "id", 0.9, "shape")
        elif match["bech"]:
            yield Found(*match.span(), "id", *((0.95, "check") if valid_bech32(value) else (0.6, "shape")))
        elif not _DIGIT.search(value):
            continue
        elif valid_base58(value, _BASE58) or (value[0] == "r" and valid_base58(value, _RIPPLE)):
            yield Found(*match.span(), "id", 0.95, "check")
        elif len(value) >= 32 and _SOLANA.search(text, max(0, match.start() - _REACH), match.start()):
            yield Found(*match.span(), "id", 0.7, "label")


def valid_base58(value: str, alphabet: str = _BASE58) -> bool:
    """Whether the last four bytes of a base-58 address are its checksum: SHA-256, twice."""
    if not 26 <= len(value) <= 36:
        return False
    number = 0
    for character in value:
        number = number * 58 + alphabet.index(character)
    if number >= 1 << 200:
        return False
    data = number.to_bytes(25, "big")
    return sha256(sha256(data[:21]).digest()).digest()[:4] == data[21:]


def valid_bech32(value: str) -> bool:
    """Whether the last six characters of a Bech32 address are its checksum (BIP 173, BIP 350)."""
    if value not in (value.lower(), value.upper()):
        return False
    human, _, data = value.lower().partition("1")
    check = 1
    words = [ord(character) >> 5 for character in human] + [0] + [ord(character) & 31 for character in human]
    words += [_BECH32.index(character) for character in data]
    for word in words:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ word
        for place, factor in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= factor if top >> place & 1 else 0
    return check in (1, 0x2BC830A3)
