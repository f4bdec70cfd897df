"""Terms of two laws, with the kinds that stand for them: pages and docs say by a policy's rules what is covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from textveil.detection.kinds import OWN, STANDS_FOR


class Identifier(NamedTuple):
    """Identifiers that HIPAA's Safe Harbor names, 45 CFR 164.514(b)(2)(i)."""

    letters: str
    name: str
    kinds: tuple[str, ...]  # of spans that are such identifiers; none where textveil reads nothing of them
    watch: str


_LAW: Final = (
    ("(A)", "names", "unlisted names are missed most"),
    ("(B)", "places smaller than a State, ZIP codes", "the law lets States and some ZIP digits stay"),
    (
        "(C)",
        "elements of dates but the year; ages over 89",
        "a shift keeps the days between dates; the law lets only the year stay",
    ),
    ("(D), (E)", "telephone and fax numbers", "the format stays"),
    ("(F)", "e-mail addresses", "nothing of the address stays"),
    ("(G)", "social security numbers", "the format stays"),
    (
        "(H) to (K)",
        "medical record, health plan, account, certificate and license numbers",
        "the format and the country of an IBAN stay; without a word such as MRN it is a number",
    ),
    ("(L), (M)", "vehicle and device identifiers, serial numbers", "letters beside a number stay: write a pattern"),
    ("(N)", "URLs", "nothing of the address stays"),
    ("(O)", "IP addresses", "the version, 4 or 6, stays"),
    ("(P), (Q)", "biometric identifiers, full-face photographs", "only text is read"),
    (
        "(R)",
        "any other unique number, characteristic or code",
        "characteristics (the only mayor of a town) are words: no detector finds them",
    ),
)
"""Letters and names of all eighteen, in the order of the law, and what to watch."""

IDENTIFIERS: Final = tuple(
    Identifier(letters, name, tuple(kind.name for kind in OWN if letters in kind.hipaa), watch)
    for letters, name, watch in _LAW
)
"""All eighteen, each with the kinds whose rows name its letters."""


def covered(rules: Sequence[Mapping[str, Any]], kinds: Sequence[str], *, finds_spans: bool) -> str:
    """Say in a few words what a policy's rules do with some kinds.

    Args:
        rules: of the policy, as JSON data; none is a mechanism that draws all words.
    """
    if not kinds:
        return "not read"
    if not finds_spans:
        return "not looked for"
    by_kind = {rule["kind"]: rule for rule in rules}
    done: dict[str, list[str]] = {}
    for kind in kinds:
        done.setdefault(_done(by_kind.get(kind, by_kind.get(STANDS_FOR.get(kind, "")))), []).append(kind)
    if len(done) == 1:
        return next(iter(done))
    return "; ".join(f"{', '.join(names)} {what}" for what, names in done.items())


def _done(rule: Mapping[str, Any] | None) -> str:
    if rule is None:
        return "not looked for"
    if rule.get("keep"):
        return "kept"
    if rule.get("placeholder"):
        return "replaced by a placeholder"
    epsilon = rule.get("epsilon")
    return f"drawn, epsilon {epsilon:g}" if epsilon else "drawn"
