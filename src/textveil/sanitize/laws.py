"""Terms of two laws, with the kinds that stand for them: pages and docs say by a policy's rules what is covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Identifier(NamedTuple):
    """Identifiers that HIPAA's Safe Harbor names, 45 CFR 164.514(b)(2)(i).

    Attributes:
        kinds: of spans that are such identifiers; none where textveil reads nothing of them.
    """

    letters: str
    name: str
    kinds: tuple[str, ...]
    watch: str


IDENTIFIERS: Final = (
    Identifier("(A)", "names", ("person",), "unlisted names are missed most"),
    Identifier(
        "(B)", "places smaller than a State, ZIP codes", ("place",), "the law lets States and some ZIP digits stay"
    ),
    Identifier(
        "(C)",
        "elements of dates but the year; ages over 89",
        ("date", "time", "age"),
        "a shift keeps the days between dates; the law lets only the year stay",
    ),
    Identifier("(D), (E)", "telephone and fax numbers", ("phone",), "the format stays"),
    Identifier("(F)", "e-mail addresses", ("email",), "nothing of the address stays"),
    Identifier("(G)", "social security numbers", ("id",), "the format stays"),
    Identifier(
        "(H) to (K)",
        "medical record, health plan, account, certificate and license numbers",
        ("id",),
        "the format and the country of an IBAN stay; without a word such as MRN it is a number",
    ),
    Identifier(
        "(L), (M)",
        "vehicle and device identifiers, serial numbers",
        ("id", "number"),
        "letters beside a number stay: write a pattern",
    ),
    Identifier("(N)", "URLs", ("url",), "nothing of the address stays"),
    Identifier("(O)", "IP addresses", ("ip",), "the version, 4 or 6, stays"),
    Identifier("(P), (Q)", "biometric identifiers, full-face photographs", (), "only text is read"),
    Identifier(
        "(R)",
        "any other unique number, characteristic or code",
        ("number", "code-number"),
        "characteristics (the only mayor of a town) are words: no detector finds them",
    ),
)
"""All eighteen, in the order of the law."""


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
        done.setdefault(_done(by_kind.get(kind)), []).append(kind)
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
