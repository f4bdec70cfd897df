"""The policies that a server offers, by name: those of the package, and those of one folder."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from textveil.detection.spans import DetectedSpan
from textveil.errors import ParameterError, TextveilError, UnknownNameError, need
from textveil.sanitize.policy.choice import PRESETS, policy
from textveil.sanitize.policy.finding import SpanFinder
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.server.kept_data import KeptPolicy

EPSILONS: Final = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
"""Nats of one word that a request may ask for if its policy has more: recovery was measured at these. They are few, so
that the memory for their sanitizers stays bounded.
"""

_AT: Final = "@"


class OfferedPolicies:
    """Policies by name, and a sanitizer of each, made when it is first used and kept.

    A request names a policy and never a path. If a policy draws words at an epsilon that it states, a request may ask
    for a smaller one, of ``EPSILONS``: the policy ``NAME@4`` is NAME with its words drawn at epsilon 4. So a client can
    have more protection than the operator's policy gives, and never less.

    ``default``: the policy of requests that name none; ``folder``: of ``NAME.toml`` files; ``make``: a sanitizer of a
    policy; ``policies``: offered in place of the package's, by name.

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
        for name in self._policies:
            # Its surrogates would be those of all tenants, who could then tell whose values are equal.
            need(not self._policies[name].keyed, "policies", f"{name}.toml", "of no scope larger than a conversation")
            base = name.rpartition(_AT)[0]
            need(base not in self._policies, "policies", f"{name}.toml", "of a name that no other policy begins with @")
        need(default in self._policies, "policy", repr(default[:60]), f"one of {', '.join(self._policies)}")
        self.default = default
        self._make = make
        self._made: dict[str, Sanitizer] = {}
        self._finders: dict[str, SpanFinder | None] = {}
        self._kept: dict[str, KeptPolicy] = {}
        self._lock = threading.Lock()

    @property
    def all(self) -> Mapping[str, Policy]:
        return self._policies

    def name(self, asked: str | None) -> str:
        """Return the name of a policy; None is the default.

        Raises UnknownNameError: there is none of that name; the name is not repeated, since it may be text.
        """
        name = self.default if asked is None else asked
        if name in self._policies:
            return name
        base, at, written = name.rpartition(_AT)
        if at and written in map(_written, self.epsilons(base)[:-1]):
            return name
        error = UnknownNameError(f"policy must be one of {', '.join(self._policies)}; got another.")
        error.parameter = "policy"
        raise error

    def at(self, asked: str | None, epsilon: float | None) -> str:
        """Return the name of a policy at an epsilon of one word.

        ``asked``: a name, as for ``name``; ``epsilon``: nats of one word; None is the policy's own.
        Raises UnknownNameError: there is no policy of that name; ParameterError: it is not among ``epsilons``.
        """
        name = self.name(asked)
        if epsilon is None:
            return name
        known = _epsilons(self.policy(name))
        if epsilon in known:
            return name if epsilon == known[-1] else f"{self.base(name)}{_AT}{_written(epsilon)}"
        wanted = f"one of {', '.join(map(_written, known))}" if known else "left out"
        why = "The policy's own is the most." if known else "The policy draws no words at an epsilon of its own."
        error = ParameterError(f"epsilon must be {wanted} under this policy; got another. {why}")
        error.parameter = "epsilon"
        raise error

    def epsilons(self, name: str) -> tuple[float, ...]:
        """Return the nats of one word that a request may ask for, the policy's own last; empty if it has none."""
        chosen = self._policies.get(name)
        return () if chosen is None else _epsilons(chosen)

    def policy(self, name: str) -> Policy:
        if (policy := self._policies.get(name)) is not None:
            return policy
        chosen, written = self._policies[self.base(name)], name.rpartition(_AT)[2]
        words = (replace(rule, epsilon=float(written)) if rule.kind == "word" else rule for rule in chosen.rules)
        return replace(chosen, rules=tuple(words))

    def base(self, name: str) -> str:
        """Return the name of the policy that differs by its epsilon alone; its values are the same."""
        return name if name in self._policies else name.rpartition(_AT)[0]

    def sanitizer(self, name: str) -> Sanitizer:
        """Return the sanitizer of a policy; making one may take seconds if words are drawn."""
        if (sanitizer := self._made.get(name)) is None:
            with self._lock:
                if (sanitizer := self._made.get(name)) is None:
                    sanitizer = self._made[name] = self._make(self.policy(name))
        return sanitizer

    def kept(self, name: str) -> KeptPolicy | None:
        """Return what tells whether kept releases are still of a policy; None if it is unknown or cannot be made."""
        if (known := self._kept.get(name)) is None:
            try:
                setting = self.sanitizer(self.name(name)).setting
            except TextveilError:
                return None
            digest = setting.digest(lists=self.policy(name).private_digest).hex()
            known = self._kept[name] = KeptPolicy(setting, digest)
        return known

    def is_plain(self, name: str) -> bool:
        """Tell whether its sanitizer takes microseconds a word, all in Python: no draws for words, no models."""
        chosen = self.policy(name)
        return not chosen.draws_words and set(chosen.detectors) <= {"embedded"}

    @property
    def ready(self) -> list[str]:
        """The names of the policies that finding processes make ready when they start."""
        return [self.default] if self.is_plain(self.default) else []

    def is_found_apart(self, name: str) -> bool:
        """Tell whether another process finds its values as this one does: with the embedded detector alone."""
        chosen = self.policy(name)
        return chosen.finds_spans and set(chosen.detectors) <= {"embedded"}

    def is_made(self, name: str) -> bool:
        return name in self._made

    def finder(self, name: str) -> SpanFinder | None:
        """Return what finds the spans of a policy; None if it looks for none."""
        if name not in self._finders:
            with self._lock:
                chosen = self.policy(name)
                self._finders[name] = parts_of(chosen).finder if chosen.finds_spans else None
        return self._finders[name]

    def found(self, name: str, text: str) -> list[DetectedSpan]:
        """Find the spans that a policy would treat as such; none if it looks for none."""
        finder = self.finder(name)
        return [] if finder is None else finder.found([text])[0]

    def to_data(self, only: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Return every policy, or only these names, as JSON data, the default first."""
        default = only[0] if only else self.default
        allowed = {name: self.policy(name) for name in map(self.name, only)} if only else self._policies
        first = sorted(allowed.items(), key=lambda item: item[0] != default)
        return [
            {
                "name": name,
                "describes": policy.describes,
                "default": name == default,
                "scope": policy.scope,
                "draws_words": policy.draws_words,
                "epsilons": list(self.epsilons(name)),
                "finds_spans": policy.finds_spans,
                "kept": [rule.kind for _, rule in policy.span_rules if rule.action is Action.KEEP],
                "digest": policy.digest,
            }
            for name, policy in first
        ]


def _epsilons(chosen: Policy) -> tuple[float, ...]:
    rule = chosen.rule("word")
    own = None if rule is None or rule.action is not Action.MECHANISM else rule.epsilon
    return () if own is None else (*(epsilon for epsilon in EPSILONS if epsilon < own), float(own))


def _written(epsilon: float) -> str:
    return f"{epsilon:g}"
