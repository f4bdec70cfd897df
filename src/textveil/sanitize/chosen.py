"""Which way a sanitizer goes: by what it is made of, a mechanism or a policy."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import NamedTuple, final

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


@final
class Chosen(NamedTuple):
    """What a sanitizer does.

    Attributes:
        mechanism: draws the words, or the texts; None where words are kept.
        policy: what is public of the policy, where there is one that says more than a mechanism.
        unchanged_kinds: kinds of spans of which most values come out as they are.
    """

    way: Way
    mechanism: DrawsText | None
    policy: PolicyFacts | None = None
    unchanged_kinds: tuple[str, ...] = ()


def way_of(mechanism: Mechanism, options: SanitizerOptions) -> Chosen:
    """The way of a mechanism.

    Raises:
        RefutedGuarantee: its claim is refuted, and that is not allowed.
        ParameterError: a number's budget must be given, and is not.
        UnsupportedGuarantee: its guarantee is of another unit than its draws, or it releases no text.
    """
    mechanism = drawing_text(mechanism, "a sanitizer")
    promise = promised(mechanism, allow_refuted=options.allow_refuted)
    if isinstance(mechanism, TextMechanism):
        return Chosen(ByTexts(mechanism, promise), mechanism)
    way = ByTokens(mechanism, promise, options.number_epsilon, options.digit_keep_limit, options.marks)
    return Chosen(way, mechanism)


def way_of_policy(policy: Policy, options: SanitizerOptions, rng: np.random.Generator | None) -> Chosen:
    """The way of a policy.

    Args:
        options: of them ``allow_refuted`` and ``key`` count.
        rng: the sanitizer's, of which a key is made where draws are seeded.

    Raises:
        ParameterError: what the policy names cannot be made.
        RefutedGuarantee: the claim of its mechanism of words is refuted, and that is not allowed.
    """
    if not policy.finds_spans:
        return _by_tokens(policy, options)
    parts = parts_of(policy)
    key = (options.key or _new_key(rng)) if policy.keyed else None
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


def _by_tokens(policy: Policy, options: SanitizerOptions) -> Chosen:
    """The way of a policy that looks for no spans: a mechanism's own, where no public words are a kind apart."""
    words, passing = words_of(policy), passing_of(policy)
    assert words is not None  # a policy without one finds spans
    mechanism = _mechanism(words)
    numbers = number_options(policy)
    if passing is None:
        assert mechanism is not None
        return way_of(mechanism, replace(options, mechanism=mechanism, marks=policy.marks, **numbers))
    drawn = numbers.get("number_epsilon"), numbers.get("digit_keep_limit")
    way = ByTokens(words, _promised(words, options), *drawn, policy.marks, passing)
    return Chosen(way, mechanism, facts_of(policy, way.protected[0].guarantee.adjacency))


def _mechanism(words: DrawsWords | None) -> WordMechanism | SequenceMechanism | None:
    """What draws words, where it is a mechanism of the catalog."""
    return None if isinstance(words, LeftOut | CommonWordResponse) else words


def _promised(words: DrawsWords, options: SanitizerOptions) -> Guarantee:
    """The guarantee of a draw for one word."""
    mechanism = _mechanism(words)
    return words.guarantee if mechanism is None else promised(mechanism, allow_refuted=options.allow_refuted)


def _new_key(rng: np.random.Generator | None) -> bytes:
    """A secret for pseudonyms; of a seeded generator, one that comes again."""
    return secrets.token_bytes(KEY_BYTES) if rng is None else rng.bytes(KEY_BYTES)
