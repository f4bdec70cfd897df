"""E-mail addresses, URLs and handles, as tokens are read (``text.tokens``), bare domains, and IP addresses."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import at_digits, either, matching
from textveil.detection.plain import OTHER
from textveil.text.patterns import lazy_regex, matches
from textveil.text.tokens import Kind, addresses

_KINDS: Final = {Kind.EMAIL: "email", Kind.URL: "url", Kind.HANDLE: "handle"}
_SCORE: Final = 0.95
_COVERED_USER: Final = lazy_regex(f"://{OTHER}*+:{OTHER}+$")
_LONGEST_USER: Final = 400

_ENDINGS: Final = "com|org|net|edu|gov|mil|info|biz|io|ai|app|dev|co|uk|de|fr|nl|ru|jp|cn|br|au|ca|ch|it|es|eu|us|tv|me"
_DOMAIN_END: Final = lazy_regex(rf"\.(?:{_ENDINGS})(?![A-Za-z0-9@])(?!\.[A-Za-z0-9])(?::[0-9]{{1,5}})?(?:/[^\s<>\"]*)?")
_DOMAIN_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
_LONGEST_DOMAIN: Final = 253
_SURE_ENDINGS: Final = lazy_regex(r"\.(?:com|org|net|edu|gov|mil|info|biz|io)\b")

_IP: Final = lazy_regex(
    r"(?<![\w.:])(?:"
    r"(?P<four>[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9]))"
    r"|(?P<six>(?=[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{2,39}(?:\.[0-9]{1,3}){0,3}(?![\w:]))"
    r")"
)

IP_GATE: Final = either(at_digits(r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"), matching(":[0-9A-Fa-f]{0,4}:"))


def find_addresses(text: str) -> Iterator[Found]:
    """E-mail addresses, URLs and handles."""
    for token in addresses(text):
        before = text[max(0, token.start - 1) : token.start]
        if before == OTHER and _COVERED_USER.search(text[max(0, token.start - _LONGEST_USER) : token.start]):
            continue  # a host, behind a user whose name and password were found
        yield Found(token.start, token.end, _KINDS[token.kind], _SCORE)


def find_domains(text: str) -> Iterator[Found]:
    """Domain names of common endings, with their path, that stand without http:// or www."""
    position = 0
    for match in matches(_DOMAIN_END, text):
        before = text[max(position, match.start() - _LONGEST_DOMAIN) : match.start()]
        name = before[len(before.rstrip(_DOMAIN_CHARACTERS)) :].lstrip(".-")
        sure = _SURE_ENDINGS.match(match[0]) is not None
        if len(name) < 2 or not name[-1].isalnum() or name.isdigit() or not (sure or "." in name or "/" in match[0]):
            continue
        end = match.start() + len(match[0].rstrip(".,;:!?'*)"))
        yield Found(match.start() - len(name), end, "url", 0.8 if sure else 0.6)
        position = end


def find_ip_addresses(text: str) -> Iterator[Found]:
    """IPv4 and IPv6 addresses."""
    for match in matches(_IP, text):
        written = match[0].rstrip(":") if match["six"] and not match[0].endswith("::") else match[0]
        try:
            ip_address(written)
        except ValueError:
            continue
        if match["four"] or sum(map(str.isalnum, written)) > 2:
            yield Found(match.start(), match.start() + len(written), "ip", _SCORE)
