"""What a job was begun with: which of it differs now, by public names alone."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

_NAMED = {
    "textveil": "the version of textveil",
    "mechanism": "mechanism",
    "policy": "policy",
    "digit_keep_limit": "digit keep limit",
    "marks": "marks",
    "vocabulary": "vocabulary",
    "secure": "seed",
    "format": "format",
    "fields": "fields",
    "unit": "unit",
    "scope_column": "scope column",
    "known": "known columns",
    "block_bytes": "block size",
    "private_map": "private map",
}
"""Settings whose difference is named first; guarantees, and mostly the budget of a number, follow from these."""


class Changed(NamedTuple):
    """Names of options that differ, and whether the inputs (with a seed: or the seed) do."""

    options: tuple[str, ...]
    inputs: str

    def __bool__(self) -> bool:
        return bool(self.options or self.inputs)

    @property
    def began(self) -> str:
        """What differs, as the end of "needs"."""
        kinds = [kind for kind, differs in (("options", self.options), ("inputs", self.inputs)) if differs]
        return f"the {' and '.join(kinds)} with which the job began"

    @property
    def named(self) -> str:
        """All of it, by name."""
        return ", ".join([*self.options, *([self.inputs] if self.inputs else [])])


@dataclass(frozen=True, slots=True)
class Terms:
    """What a job depends on.

    Attributes:
        settings: public facts; they stand in the ledger.
        private: inputs and seed, of which the ledger holds a salted digest.
        stamps: when the inputs were last written, likewise; where these differ, the job goes on and says so.
    """

    settings: Mapping[str, Any]
    private: str
    stamps: str

    def begin(self, salt: str) -> dict[str, Any]:
        """The line that begins a ledger."""
        inputs, stamps = salted(salt, self.private), salted(salt, self.stamps)
        return {"begin": 1, "settings": self.settings, "salt": salt, "inputs": inputs, "stamps": stamps}

    def modified(self, begin: Mapping[str, Any]) -> bool:
        """Return whether an input was written since that line, as far as the file system tells."""
        return "stamps" in begin and begin["stamps"] != salted(begin["salt"], self.stamps)

    def changed(self, begin: Mapping[str, Any]) -> Changed:
        """What differs between that line and now."""
        settings = self.settings
        old, seeded = begin["settings"], not settings.get("secure", True)
        same = begin["inputs"] == salted(begin["salt"], self.private)
        inputs = "" if same else "inputs or seed" if seeded else "inputs"
        names = [name for key, name in _NAMED.items() if old.get(key) != settings.get(key)]
        if old.get("mechanism") == settings.get("mechanism"):
            before, now = old.get("parameters") or {}, settings.get("parameters") or {}
            names += sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        if not names and old.get("number_epsilon") != settings.get("number_epsilon"):
            names = ["number epsilon"]
        if not names and not inputs and old != dict(settings):
            rest = sorted(key for key in {*old, *settings} if old.get(key) != settings.get(key))
            names = [key.replace("_", " ") for key in rest]
        if "seed" in names and inputs:  # the digest is over the seed too
            inputs = ""
        return Changed(tuple(names), inputs)


def salted(salt: str, private: str) -> str:
    """A digest of what is private.

    Not keyed by the secret: what a finished job was about can be asked when that is gone. Whoever has the ledger can
    test a guess of names, sizes and seed.
    """
    raw = private.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(raw, key=bytes.fromhex(salt), digest_size=32, person=b"textveil inputs").hexdigest()
