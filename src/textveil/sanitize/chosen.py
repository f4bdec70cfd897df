"""Choice of the way that a sanitizer goes: by a mechanism or by a policy."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from textveil.catalog import promised
from textveil.mechanisms.channels.common_word_response import CommonWordResponse
from textveil.mechanisms.kinds import (
    DrawsText,
    Mechanism,
    SequenceMechanism,
    TextMechanism,
    WordMechanism,
    drawing_text,
)
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import one_value
from textveil.sanitize.by_policy import BEFORE, ByPolicy
from textveil.sanitize.left_out import LeftOut
from textveil.sanitize.options import SanitizerOptions
from textveil.sanitize.outside import DrawnOutside, Outside, Verbatim
from textveil.sanitize.policy.facts import PolicyFacts, facts_of
from textveil.sanitize.policy.making import number_options, parts_of, passing_of, words_of
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.token_draws import DrawsWords
from textveil.sanitize.unchanged import hides_most, unchanged_kinds
from textveil.sanitize.ways import ByTexts, ByTokens, Way
from textveil.surrogates.making import SURROGATE_ENTRIES
from textveil.surrogates.scopes import KEY_BYTES


class Chosen(NamedTuple):
    """Way that a sanitizer draws."""

    way: Way  # of texts to releases
    mechanism: DrawsText | None  # draws the words, or the texts; None if words are kept
    policy: PolicyFacts | None = None  # public facts of a policy that says more than a mechanism
    unchanged_kinds: tuple[str, ...] = ()  # kinds of spans of which most values come out as they are


def chosen_way(options: SanitizerOptions, rng: np.random.Generator | None) -> Chosen:
    """Choose the way of a sanitizer's mechanism or policy.

    Args:
        options: of the sanitizer.
        rng: makes a corpus's key if draws are seeded.

    Raises:
        RefutedGuarantee: the mechanism's claim is refuted, and that is not allowed.
        ParameterError: a number's budget is missing, or what the policy names cannot be made.
        UnsupportedGuarantee: the guarantee is of another unit than the draws, or the mechanism releases no text.
    """
    mechanism = options.mechanism
    if not isinstance(mechanism, Policy):
        return _of_mechanism(mechanism, options)
    return _of_spans(mechanism, options, rng) if mechanism.finds_spans else _of_tokens(mechanism, options)


def _of_mechanism(mechanism: Mechanism, options: SanitizerOptions) -> Chosen:
    mechanism = drawing_text(mechanism, "a sanitizer")
    promise = promised(mechanism, allow_refuted=options.allow_refuted)
    if isinstance(mechanism, TextMechanism):
        return Chosen(ByTexts(mechanism, promise), mechanism)
    way = ByTokens(mechanism, promise, options.number_epsilon, options.digit_keep_limit, options.marks)
    return Chosen(way, mechanism)


def _of_spans(policy: Policy, options: SanitizerOptions, rng: np.random.Generator | None) -> Chosen:
    parts = parts_of(policy)
    key = None
    if policy.keyed:
        key = options.key or (secrets.token_bytes(KEY_BYTES) if rng is None else rng.bytes(KEY_BYTES))
    if parts.words is None:
        outside: Outside = Verbatim(policy.marks, shown=BEFORE)
    else:
        outside = DrawnOutside(parts.words, _promised(parts.words, options), policy.marks, passing_of(policy))
    way = ByPolicy(parts, outside, policy.scope, key)
    facts = facts_of(policy, one_value(tokens=parts.words is not None))
    others = [
        rule.kind for rule in policy.rules if rule.action is Action.SURROGATE and rule.name not in SURROGATE_ENTRIES
    ]
    hidden = [part.kind for part in way.protected if part.kind not in others and hides_most(part.guarantee)]
    tried = {kind: surrogate for kind, surrogate in parts.surrogates.items() if kind not in hidden}
    return Chosen(way, _mechanism(parts.words), facts, unchanged_kinds(tried))


def _of_tokens(policy: Policy, options: SanitizerOptions) -> Chosen:
    """Choose the way of a policy that looks for no spans: its mechanism's own, unless public words are a kind apart."""
    words, passing = words_of(policy), passing_of(policy)
    assert words is not None  # a policy without one finds spans
    mechanism = _mechanism(words)
    numbers = number_options(policy)
    if passing is None:
        assert mechanism is not None
        return _of_mechanism(mechanism, replace(options, mechanism=mechanism, marks=policy.marks, **numbers))
    drawn = numbers.get("number_epsilon"), numbers.get("digit_keep_limit")
    way = ByTokens(words, _promised(words, options), *drawn, policy.marks, passing)
    return Chosen(way, mechanism, facts_of(policy, way.protected[0].guarantee.adjacency))


def _mechanism(words: DrawsWords | None) -> WordMechanism | SequenceMechanism | None:
    return None if isinstance(words, LeftOut | CommonWordResponse) else words


def _promised(words: DrawsWords, options: SanitizerOptions) -> Guarantee:
    mechanism = _mechanism(words)
    return words.guarantee if mechanism is None else promised(mechanism, allow_refuted=options.allow_refuted)
