"""Kinds of spans: textveil's own, and how users name theirs."""

from __future__ import annotations

import re
from collections.abc import Collection
from types import MappingProxyType
from typing import Final, NamedTuple, final

from textveil.errors import need


@final
class Kind(NamedTuple):
    """One kind that textveil's own detectors find.

    Attributes:
        name: what users write.
        stands_for: the kind whose rule a policy applies that has none for this one. Empty: such a policy keeps its text
            on purpose, and draws the numbers in it only if it has a rule for numbers. Every preset that keeps words has
            a rule for a kind, or for the one that it stands for, or does not load.
    """

    name: str
    stands_for: str


OWN: Final = (
    Kind("person", stands_for=""),
    Kind("place", stands_for=""),
    Kind("organization", stands_for=""),
    Kind("date", stands_for=""),
    Kind("time", stands_for=""),
    Kind("age", stands_for=""),
    Kind("phone", stands_for=""),
    Kind("email", stands_for=""),
    Kind("url", stands_for=""),
    Kind("handle", stands_for=""),
    Kind("id", stands_for=""),
    Kind("money", stands_for=""),
    Kind("number", stands_for=""),
    Kind("ip", stands_for=""),
    Kind("secret", stands_for="id"),  # no policy from before there were secrets releases them
    Kind("demographic", stands_for=""),
    Kind("duration", stands_for=""),
    Kind("measurement", stands_for=""),
    Kind("quantity", stands_for=""),
    Kind("code-number", stands_for=""),
)
"""The kinds that textveil's own detectors find."""

KINDS: Final = tuple(kind.name for kind in OWN)
"""Their names."""

OPTIONAL: Final = frozenset(("secret", "demographic", "duration", "measurement", "quantity", "code-number"))
"""Kinds that a policy may have a rule for though no detector of its own finds them: presets have rules for all."""

OTHER_LANGUAGE: Final = "other-language"
"""The kind of a whole document in a language without rules, where a policy masks it."""

ENCODED: Final = "encoded"
"""The kind of what is written in base64 or hexadecimal digits, where it holds what is replaced or is unreadable."""

STANDS_FOR: Final = MappingProxyType({kind.name: kind.stands_for for kind in OWN if kind.stands_for})
"""Kinds that a policy without a rule for them treats as another."""

_KIND: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch
_LONGEST: Final = 40


def without_rule(kinds: Collection[str], ruled: Collection[str]) -> list[str]:
    """Those of ``kinds`` that no rule is for, and that stand for no kind that has one."""
    return sorted(kind for kind in kinds if kind not in ruled and STANDS_FOR.get(kind) not in ruled)


def checked_kind(kind: object) -> str:
    """``kind``, where it is one of textveil's or can be a user's own.

    Raises:
        ParameterError: it is no name of lowercase letters, digits and single hyphens, up to 40 characters.
    """
    fits = isinstance(kind, str) and len(kind) <= _LONGEST and _KIND(kind) is not None
    need(fits, "kind", repr(kind)[:60], f"lowercase letters, digits and hyphens, at most {_LONGEST}")
    return str(kind)
