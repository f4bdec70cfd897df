"""Which way a sanitizer goes: by what it is made of, a mechanism or a policy."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, final

import numpy as np

from textveil.catalog import promised
from textveil.errors import need
from textveil.mechanisms.base import DrawsText, Mechanism, TextMechanism, drawing_text
from textveil.mechanisms.channels.digits import KEEP_LIMIT
from textveil.privacy.units import ONE_CONTENT_TOKEN, one_value
from textveil.sanitize.by_policy import BEFORE, ByPolicy
from textveil.sanitize.outside import DrawnOutside, Outside, Verbatim
from textveil.sanitize.policy.facts import PolicyFacts, facts_of
from textveil.sanitize.policy.making import number_options, parts_of, words_of
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.ways import ByTexts, ByTokens, Way
from textveil.surrogates.base import Surrogate
from textveil.surrogates.scopes import KEY_BYTES
from textveil.text.marks import Marks


@final
class Asked(NamedTuple):
    """The options of a sanitizer; see ``Sanitizer``."""

    number_epsilon: float | None = None
    digit_keep_limit: float = KEEP_LIMIT
    marks: Marks = "normalize"
    allow_refuted: bool = False
    key: bytes | None = None

    def need_defaults(self, of: str) -> None:
        """Refuse options that something else decides."""
        need(self.number_epsilon is None, "number_epsilon", self.number_epsilon, f"left out for {of}")
        kept = self.digit_keep_limit == KEEP_LIMIT
        need(kept, "digit_keep_limit", self.digit_keep_limit, f"left out for {of}")
        need(self.marks == "normalize", "marks", self.marks, f"left out for {of}")


@final
class Chosen(NamedTuple):
    """What a sanitizer does.

    Attributes:
        way: how texts become releases.
        mechanism: draws the words, or the texts; None where words are kept.
        policy: what is public of the policy, where there is one that says more than a mechanism.
        surrogates: draw for spans, by kind.
    """

    way: Way
    mechanism: DrawsText | None
    policy: PolicyFacts | None = None
    surrogates: Mapping[str, Surrogate] = MappingProxyType({})


def way_of(mechanism: Mechanism, asked: Asked) -> Chosen:
    """The way of a mechanism.

    Raises:
        RefutedGuarantee: its claim is refuted, and that is not allowed.
        ParameterError: an option is outside its domain.
        UnsupportedGuarantee: its guarantee is of another unit than its draws, or it releases no text.
    """
    mechanism = drawing_text(mechanism, "a sanitizer")
    promise = promised(mechanism, allow_refuted=asked.allow_refuted)
    need(asked.key is None, "key", "one", "left out for a mechanism", "It is for the pseudonyms of a policy.")
    if isinstance(mechanism, TextMechanism):
        asked.need_defaults("a mechanism of whole texts")
        return Chosen(ByTexts(mechanism, promise), mechanism)
    way = ByTokens(mechanism, promise, asked.number_epsilon, asked.digit_keep_limit, asked.marks)
    return Chosen(way, mechanism)


def way_of_policy(policy: Policy, asked: Asked, rng: np.random.Generator | None) -> Chosen:
    """The way of a policy.

    Args:
        policy: any.
        asked: only ``allow_refuted`` and ``key`` may be given.
        rng: the sanitizer's, of which a key is made where draws are seeded.

    Raises:
        ParameterError: what the policy names cannot be made; or an option is given that it decides.
        RefutedGuarantee: the claim of its mechanism of words is refuted, and that is not allowed.
    """
    asked.need_defaults("a policy, which says it")
    need(asked.key is None or policy.keyed, "key", "one", "left out where the scope is no corpus")
    need(asked.key is None or len(asked.key) == KEY_BYTES, "key", "another length", f"{KEY_BYTES} bytes")
    if not policy.finds_spans:
        return _by_tokens(policy, asked)
    parts = parts_of(policy)
    key = (asked.key or _new_key(rng)) if policy.keyed else None
    if parts.words is None:
        outside: Outside = Verbatim(policy.marks, shown=BEFORE)
    else:
        promise = promised(parts.words, allow_refuted=asked.allow_refuted)
        outside = DrawnOutside(parts.words, promise, policy.marks, function_words=_keeps_function_words(policy))
    way = ByPolicy(parts, outside, policy.scope, key)
    return Chosen(way, parts.words, facts_of(policy, one_value(tokens=parts.words is not None)), parts.surrogates)


def _by_tokens(policy: Policy, asked: Asked) -> Chosen:
    """The way of a policy that looks for no spans: a mechanism's own, where function words are no kind apart."""
    mechanism = words_of(policy)
    assert mechanism is not None  # a policy without one finds spans
    asked = asked._replace(marks=policy.marks, **number_options(policy))
    if not _keeps_function_words(policy):
        return way_of(mechanism, asked)
    promise = promised(mechanism, allow_refuted=asked.allow_refuted)
    way = ByTokens(mechanism, promise, *asked[:3], function_words=True)
    return Chosen(way, mechanism, facts_of(policy, ONE_CONTENT_TOKEN))


def _keeps_function_words(policy: Policy) -> bool:
    return policy.rule("function-word") is not None


def _new_key(rng: np.random.Generator | None) -> bytes:
    """A secret for pseudonyms; of a seeded generator, one that comes again."""
    return secrets.token_bytes(KEY_BYTES) if rng is None else rng.bytes(KEY_BYTES)
