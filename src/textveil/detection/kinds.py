"""Kinds of spans: textveil's own, and how users name theirs."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from textveil.errors import need

KINDS: Final = (
    "person",
    "place",
    "organization",
    "date",
    "time",
    "age",
    "phone",
    "email",
    "url",
    "handle",
    "id",
    "money",
    "number",
    "ip",
    "secret",
    "demographic",
    "duration",
    "measurement",
    "quantity",
    "code-number",
)
"""The kinds that textveil's own detectors find."""

OPTIONAL: Final = frozenset(("secret", "demographic", "duration", "measurement", "quantity", "code-number"))
"""Kinds that a policy may have a rule for though no detector of its own finds them: presets have rules for all."""

OTHER_LANGUAGE: Final = "other-language"
"""The kind of a whole document in a language without rules, where a policy masks it."""

ENCODED: Final = "encoded"
"""The kind of what is written in base64 or hexadecimal digits, where it holds what is replaced or is unreadable."""

STANDS_FOR: Final = MappingProxyType({"secret": "id"})
"""Kinds that a policy without a rule for them treats as another: no policy from before they existed releases them."""

_KIND: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch
_LONGEST: Final = 40


def checked_kind(kind: object) -> str:
    """``kind``, where it is one of textveil's or can be a user's own.

    Raises:
        ParameterError: it is no name of lowercase letters, digits and single hyphens, up to 40 characters.
    """
    fits = isinstance(kind, str) and len(kind) <= _LONGEST and _KIND(kind) is not None
    need(fits, "kind", repr(kind)[:60], f"lowercase letters, digits and hyphens, at most {_LONGEST}")
    return str(kind)
