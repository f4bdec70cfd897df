"""Makes what a policy names: the mechanism of words, a surrogate for each kind of spans, and the span finder."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

from textveil.catalog import mechanism
from textveil.detection.detectors import TokenKindDetector, detector_of
from textveil.detection.given import KeepList, KeepPattern, ListDetector, PatternDetector, shipped_words
from textveil.detection.kinds import ENCODED, KINDS, OPTIONAL, OTHER_LANGUAGE, STANDS_FOR, without_rule
from textveil.detection.spans import Detector, highest_score, need_reachable
from textveil.errors import InputError, ModelError, ParameterError, VocabularyError, need
from textveil.mechanisms.channels.common_word_response import CommonWordResponse
from textveil.mechanisms.channels.digits import KEEP_LIMIT
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.sanitize.left_out import blanks, class_labels
from textveil.sanitize.policy.finding import Keeper, SpanFinder
from textveil.sanitize.policy.policy import Action, Policy, Rule, ScopeName
from textveil.sanitize.token_draws import DrawsWords
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.surrogate import Surrogate
from textveil.text.passing import PASSING_FUNCTION_WORDS, Passing, passing_common_words

NUMBER: Final = "number"
"""The kind of spans that are found in every text: groups of digits outside all others."""


_RESPONSE: Final = 8.0
"""Nats of one word where common words are drawn and no epsilon is given."""

KEPT: Final = "kept"
"""The kind of what keep lists and patterns hold where words are drawn, for which no policy needs a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyParts:
    """Mechanism, surrogates and finder of a policy with spans.

    Attributes:
        words: draws words outside the spans, or leaves them out; None where they are kept.
        surrogates: by kind of spans, in the order of the rules.
        scopes: of the kinds whose rule has one of its own.
        kept: kinds of spans that are released as they are.
    """

    words: DrawsWords | None
    surrogates: Mapping[str, Surrogate]
    scopes: Mapping[str, ScopeName]
    kept: frozenset[str]
    finder: SpanFinder


def parts_of(policy: Policy, *, found_elsewhere: bool = False) -> PolicyParts:
    """Make what a policy names.

    Args:
        found_elsewhere: whether spans of other kinds than the policy's own detectors find will be given.

    Raises:
        ParameterError: a rule's mechanism, surrogate or detector is unknown, or is not made with its options; a kind is
            none that is found; a list or pattern can never act. The message names the policy, and the rule, list or
            pattern by its number.
        InputError: a rule's file cannot be read; named in the same way.
        MissingExtra: what a detector needs is not installed.
    """
    lists = [ListDetector(words.kind, words.words) for words in policy.lists if not words.keep]
    patterns = [PatternDetector(each.kind, each.regex) for each in policy.patterns if not (each.last or each.keep)]
    named = [_detector(detector, policy.name) for detector in policy.detectors]
    detectors: list[Detector] = [
        *patterns,
        *lists,
        *named,
        *([TokenKindDetector(policy.token_spans)] if policy.token_spans else []),
        *[PatternDetector(pattern.kind, pattern.regex, "last pattern") for pattern in policy.patterns if pattern.last],
        *_seen_keepers(policy),
    ]
    reads, span_rules = not policy.draws_words, policy.span_rules
    known = {NUMBER, *([ENCODED] if reads else [])}.union(*(detector.kinds for detector in detectors))
    _need_rules(policy)
    _need_rules_for_found(policy, named)
    if not found_elsewhere:
        _need_first(policy, lists, {kind for detector in detectors if detector not in lists for kind in detector.kinds})
        _need_scores(
            policy, named, {kind for detector in detectors if detector not in named for kind in detector.kinds}
        )
    keepers = _keepers(policy, lists)
    own: tuple[Detector, ...] = (*patterns, *lists)
    surrogates, kept = {}, set()
    for number, rule in span_rules:
        if not (rule.kind in known or found_elsewhere or (named and rule.kind in OPTIONAL)):
            wanted = f"one that something finds ({', '.join(sorted(known))})"
            hint = "Name a detector that finds it, such as embedded, or give a pattern or a list."
            with in_rule(policy, number):
                need(False, "kind", rule.kind, wanted, hint)
        if rule.action is Action.KEEP:
            kept.add(rule.kind)
            continue
        with in_rule(policy, number):
            surrogates[rule.kind] = _surrogate(rule)
            if surrogates[rule.kind].counts == "scope" and "mention" in (rule.scope, policy.scope):
                hint = "It moves all values of a scope together and promises nothing of one alone."
                need(False, "scope", "mention", f"a larger one for {rule.name}", hint)
    if policy.other_languages == "mask":
        surrogates[OTHER_LANGUAGE] = make_surrogate("placeholder", 0.0, {"text": "[text in another language]"})
    if reads and ENCODED not in kept and ENCODED not in surrogates:
        surrogates = {ENCODED: make_surrogate("placeholder", 0.0, {"text": f"[{ENCODED}]"}), **surrogates}
    numbers = policy.rule(NUMBER) is not None
    kept |= {KEPT} if policy.draws_words else set()
    ruled = surrogates.keys() | kept
    finder = SpanFinder(
        detectors,
        surrogates,
        kept,
        numbers=numbers,
        escapes=reads,
        stands_for={kind: other for kind, other in STANDS_FOR.items() if kind not in ruled and other in ruled},
        scored=named,
        other_languages=policy.other_languages,
        min_scores=dict.fromkeys(ruled, policy.min_score)
        | {rule.kind: rule.min_score for rule in policy.rules if rule.min_score is not None and rule.kind in ruled},
        keepers=keepers,
        firm=[detector for detector in own if detector.kinds[0] not in kept],
    )
    return PolicyParts(
        words=words_of(policy),
        surrogates=surrogates,
        scopes={rule.kind: rule.scope for _, rule in policy.span_rules if rule.scope is not None},
        kept=frozenset(kept),
        finder=finder,
    )


def _need_rules(policy: Policy) -> None:
    """Refuse what finds spans of a kind that no rule is for: a slip of the pen would release them."""
    kinds = {"", NUMBER} | {rule.kind for _, rule in policy.span_rules}
    places = [("pattern", number, pattern.kind) for number, pattern in enumerate(policy.patterns, start=1)]
    places += [("list", number, word_list.kind) for number, word_list in enumerate(policy.lists, start=1)]
    for what, number, kind in places:
        if kind not in kinds:
            raise ParameterError(
                f"policy {policy.name}, {what} {number}: kind must be one that has a rule; got {kind}. Add one, or "
                "correct its spelling."
            )


def _need_rules_for_found(policy: Policy, detectors: Sequence[Detector]) -> None:
    """Refuse a detector that finds a kind of its own that nothing is said of: it would be released as it is."""
    if policy.draws_words:  # as all other words are
        return
    ruled = {rule.kind for _, rule in policy.span_rules}
    for detector in detectors:
        unruled = without_rule(set(detector.kinds) - set(KINDS), ruled)
        need(
            not unruled,
            f"policy {policy.name}, detector {detector.name}: kind",
            unruled[0] if unruled else "",
            "one that has a rule",
            "Add one; keep = true releases what is found as it is.",
        )


def _keepers(policy: Policy, lists: Sequence[ListDetector]) -> list[Keeper]:
    """Make what stays whatever detectors find in it: entries with ``keep``, and those of a kind that a rule keeps.

    Raises:
        ParameterError: a phrase is to be kept and to be drawn, or a pattern keeps a whole kind.
    """
    kept = {rule.kind for _, rule in policy.span_rules if rule.action is Action.KEEP}
    drawn = {phrase for detector in lists if detector.kinds[0] not in kept for phrase in detector.phrases}
    keepers: list[Keeper] = []
    public: list[str] = []
    for number, word_list in enumerate(policy.lists, start=1):
        if word_list.keep and word_list.shipped and not word_list.kind:
            public += word_list.shipped
        elif word_list.keep or word_list.kind in kept:
            words = [word for name in word_list.shipped for word in shipped_words(name)] or word_list.words
            keeper = KeepList(words, kind=word_list.kind if word_list.keep else "", public=bool(word_list.shipped))
            both = 0 if word_list.shipped else len(keeper.phrases & drawn)
            if both:
                raise ParameterError(
                    f"policy {policy.name}, list {number}: a word that is kept must be in no list that is drawn; got "
                    f"{both} of both. Leave them out of one."
                )
            keepers.append(keeper)
    if public:
        keepers.append(_public_keeper(tuple(public)))
    for number, pattern in enumerate(policy.patterns, start=1):
        if pattern.keep or pattern.kind in kept:
            try:
                keepers.append(KeepPattern(pattern.regex, kind=pattern.kind if pattern.keep else ""))
            except ParameterError as error:
                raise type(error)(f"policy {policy.name}, pattern {number}: {error}") from None
    return keepers


@cache
def _public_keeper(names: tuple[str, ...]) -> KeepList:
    return KeepList(chain.from_iterable(map(shipped_words, names)), public=True)


def _seen_keepers(policy: Policy) -> Iterator[Detector]:
    """Yield finders of kept phrases if words outside the spans are drawn: there a phrase stays only as a span."""
    if not policy.draws_words:
        return
    for word_list in policy.lists:
        if word_list.keep and not word_list.kind:
            words = [word for name in word_list.shipped for word in shipped_words(name)] or word_list.words
            yield ListDetector(KEPT, words, name="keep list")
    for pattern in policy.patterns:
        if pattern.keep and not pattern.kind:
            yield PatternDetector(KEPT, pattern.regex, "keep pattern")


def _need_scores(policy: Policy, detectors: Sequence[Detector], found_else: Collection[str]) -> None:
    """Refuse a score under which nothing of a kind that is drawn can be found: a policy would release all of it."""
    for number, rule in policy.span_rules:
        if rule.action is Action.KEEP or rule.kind in found_else:
            continue
        score = policy.min_score if rule.min_score is None else rule.min_score
        highest = [highest_score(detector, rule.kind) for detector in detectors if rule.kind in detector.kinds]
        if highest and score > max(highest):
            with in_rule(policy, number):
                need_reachable(score, max(highest), rule.kind)


def _need_first(policy: Policy, lists: Sequence[ListDetector], found_else: Collection[str]) -> None:
    """Refuse a list all of whose phrases are another kind's: where two kinds find the same, one of them always wins."""
    phrases: dict[str, set[tuple[str, ...]]] = {}
    for detector in lists:
        phrases.setdefault(detector.kinds[0], set()).update(detector.phrases)
    drawn = {rule.kind for _, rule in policy.span_rules if rule.action is not Action.KEEP}
    numbers = (number for number, word_list in enumerate(policy.lists, start=1) if not word_list.keep)
    for n, detector in zip(numbers, lists, strict=True):
        kind = detector.kinds[0]
        # As the finder has it: what is drawn goes before what is kept, then the name of the kind decides.
        wins = [other for other in phrases if (other not in drawn, other) < (kind not in drawn, kind)]
        hides = next((other for other in sorted(wins) if phrases[kind] <= phrases[other]), None)
        if hides is not None and kind not in found_else:
            raise ParameterError(
                f"policy {policy.name}, list {n}: it must have a phrase that is its kind's alone; each is in a list of "
                f"{hides} too, which goes before {kind}. Leave them out of one."
            )


def words_of(policy: Policy) -> DrawsWords | None:
    """Make what draws a policy's words, or leaves them out; None if they are kept.

    Raises:
        ParameterError: as ``parts_of``.
    """
    for number, rule in enumerate(policy.rules, start=1):
        if rule.kind == "word" and rule.action is Action.MECHANISM:
            with in_rule(policy, number):
                options = dict(rule.options)
                if rule.epsilon is not None:
                    options["epsilon"] = rule.epsilon
                word_mechanism = mechanism(rule.name, policy.vocabulary, **options)
                if not isinstance(word_mechanism, WordMechanism | SequenceMechanism):
                    raise ParameterError(f"mechanism must be one of words; got {rule.name}. Use it without a policy.")
                return word_mechanism
        if rule.kind == "common-word" and rule.action is Action.MECHANISM:
            with in_rule(policy, number):
                words = tuple(sorted(rule.common_words.words))
                return CommonWordResponse(words, _RESPONSE if rule.epsilon is None else rule.epsilon)
    rule_for_words = policy.rule("word")
    if rule_for_words is None or rule_for_words.action is Action.KEEP:
        return None
    return class_labels() if rule_for_words.name else blanks()


def passing_of(policy: Policy) -> Passing | None:
    """Return the public words that stay while all others go; None if there are none."""
    rule = policy.rule("common-word")
    if rule is not None:
        return passing_common_words(rule.common_words.words, rule.common_words.names)
    return PASSING_FUNCTION_WORDS if policy.rule("function-word") is not None else None


def number_options(policy: Policy) -> dict[str, Any]:
    """Return the options of a sanitizer of tokens that a policy's rule for numbers stands for.

    Raises:
        ParameterError: the rule has other options.
    """
    for number, rule in policy.span_rules:
        if rule.kind == NUMBER:
            with in_rule(policy, number):
                options = dict(rule.options)
                limit = options.pop("digit_keep_limit", KEEP_LIMIT)
                need(not options, "digits", f"{', '.join(options)[:60]}", "given epsilon and digit_keep_limit alone")
                return {"number_epsilon": rule.epsilon, "digit_keep_limit": limit}
    return {}


@contextlib.contextmanager
def in_rule(policy: Policy, number: int) -> Iterator[None]:
    """Errors of the block name the policy and the rule."""
    try:
        yield
    except (ParameterError, InputError, VocabularyError, ModelError) as error:
        raise type(error)(f"policy {policy.name}, rule {number}: {error}") from None


def _detector(detector: str | Detector, name: str) -> Detector:
    if not isinstance(detector, str):
        return detector
    try:
        return detector_of(detector)
    except ParameterError as error:
        raise type(error)(f"policy {name}, detectors: {error}") from None


def _surrogate(rule: Rule) -> Surrogate:
    name = rule.name if rule.action is Action.SURROGATE else "placeholder"
    options = dict(rule.options) if rule.action is Action.SURROGATE else {"text": f"[{rule.kind}]"}
    if isinstance(options.get("file"), str):
        options["file"] = str(Path(rule.folder, options["file"]))
    return make_surrogate(name, 0.0 if rule.epsilon is None else rule.epsilon, options)
