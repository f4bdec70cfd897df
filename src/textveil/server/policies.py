"""The policies that a server offers, by name: those of the package, and those of one folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, final

from textveil.detection.base import DetectedSpan
from textveil.errors import UnknownNameError, need
from textveil.sanitize.policy.choice import PRESETS, policy
from textveil.sanitize.policy.finding import SpanFinder
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.sanitizer import Sanitizer


@final
class OfferedPolicies:
    """Policies by name, and a sanitizer of each, made when it is first asked for and kept.

    A request names a policy and never a path.

    Args:
        default: what is meant where no name is given.
        folder: of ``NAME.toml`` files; None is none.
        make: a sanitizer of a policy.
        policies: offered in place of the package's, by name.

    Raises:
        ParameterError: a file is no policy or has the name of one of the package's; the default is not there.
    """

    def __init__(
        self,
        default: str,
        folder: Path | None = None,
        make: Callable[[Policy], Sanitizer] = Sanitizer,
        *,
        policies: Mapping[str, Policy] | None = None,
    ) -> None:
        self._policies = {name: policy(name) for name in PRESETS} if policies is None else dict(policies)
        if folder is not None:
            need(folder.is_dir(), "policies", folder.name, "a folder")
            for path in sorted(folder.glob("*.toml")):
                need(path.stem not in PRESETS, "policies", path.name, "of other names than those of the package")
                self._policies[path.stem] = policy(path)
                # Its surrogates would be those of all tenants, who could then tell whose values are equal.
                need(
                    not self._policies[path.stem].keyed, "policies", path.name, "of no scope larger than a conversation"
                )
        need(default in self._policies, "policy", repr(default[:60]), f"one of {', '.join(self._policies)}")
        self.default = default
        self._make = make
        self._made: dict[str, Sanitizer] = {}
        self._finders: dict[str, SpanFinder | None] = {}
        self._lock = threading.Lock()

    @property
    def all(self) -> Mapping[str, Policy]:
        """Every policy by its name."""
        return self._policies

    def name(self, asked: str | None) -> str:
        """The name of the policy that is meant.

        Raises:
            UnknownNameError: there is none of that name; the name is not repeated, since it may be text.
        """
        name = self.default if asked is None else asked
        if name not in self._policies:
            error = UnknownNameError(f"policy must be one of {', '.join(self._policies)}; got another.")
            error.parameter = "policy"
            raise error
        return name

    def sanitizer(self, name: str) -> Sanitizer:
        """The sanitizer of a policy; making one may take seconds where words are drawn."""
        made = self._made.get(name)
        if made is None:
            with self._lock:
                made = self._made.get(name)
                if made is None:
                    made = self._made[name] = self._make(self._policies[name])
        return made

    def is_quick(self, name: str) -> bool:
        """Whether its sanitizer is made and takes microseconds for a word: nothing is drawn for words, no models."""
        chosen = self._policies[name]
        return name in self._made and not chosen.draws_words and set(chosen.detectors) <= {"embedded"}

    def found(self, name: str, text: str) -> list[DetectedSpan]:
        """The spans that a policy would treat as such; none where it looks for none."""
        if name not in self._finders:
            with self._lock:
                chosen = self._policies[name]
                self._finders[name] = parts_of(chosen).finder if chosen.finds_spans else None
        finder = self._finders[name]
        return [] if finder is None else finder.found([text])[0]

    def as_data(self) -> list[dict[str, Any]]:
        """Every policy as JSON data, the default first."""
        first = sorted(self._policies.items(), key=lambda one: one[0] != self.default)
        return [
            {
                "name": name,
                "describes": one.describes,
                "default": name == self.default,
                "scope": one.scope,
                "draws_words": one.draws_words,
                "finds_spans": one.finds_spans,
                "kept": [rule.kind for _, rule in one.span_rules if rule.action is Action.KEEP],
                "digest": one.digest,
            }
            for name, one in first
        ]
