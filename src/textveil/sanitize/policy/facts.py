"""What is public of a policy: what settings hold, reports print and digests cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from textveil.privacy.units import Adjacency
from textveil.sanitize.left_out import SHARED_CLASS
from textveil.sanitize.policy.policy import Action, Policy


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFacts:
    """Picklable, and without anything that could be private: no words of lists, no objects that detect.

    Attributes:
        data: the policy as JSON data.
        adjacency: which two texts are compared where one value differs.
        public: what no guarantee hides, each a phrase.
        not_covered: what the guarantee does not speak of, each a phrase.
    """

    data: Mapping[str, Any] = field(repr=False)
    digest: str
    adjacency: Adjacency
    draws_words: bool
    finds_spans: bool
    kinds: tuple[str, ...]
    public: tuple[str, ...]
    not_covered: tuple[str, ...]

    @property
    def name(self) -> str:
        """The policy's."""
        return str(self.data["name"])

    @property
    def detectors(self) -> tuple[str, ...]:
        """The names of what finds spans."""
        return tuple(self.data["detectors"])

    @property
    def common_words(self) -> Mapping[str, Any] | None:
        """The rule for common words as JSON data: where they are from, how many they are, and their digest."""
        return next((rule for rule in self.data["rules"] if rule["kind"] == "common-word"), None)

    @property
    def kept(self) -> tuple[str, ...]:
        """The kinds of spans that stay as they are."""
        return tuple(rule["kind"] for rule in self.data["rules"] if rule.get("keep") and rule["kind"] in self.kinds)

    def to_data(self) -> dict[str, Any]:
        """JSON data: the policy with its digest."""
        return {**self.data, "digest": self.digest}


def facts_of(policy: Policy, adjacency: Adjacency) -> PolicyFacts:
    """What is public of a policy.

    Args:
        adjacency: which two texts are compared where one value differs.
    """
    kinds = tuple(rule.kind for _, rule in policy.span_rules)
    return PolicyFacts(
        data=policy.to_data(),
        digest=policy.digest,
        adjacency=adjacency,
        draws_words=policy.draws_words,
        finds_spans=policy.finds_spans,
        kinds=kinds,
        public=_public(policy),
        not_covered=_not_covered(policy),
    )


def _public(policy: Policy) -> tuple[str, ...]:
    """What no guarantee hides, beside the facts of each kind."""
    marks = "as they are: they can carry data" if policy.marks == "keep" else "in plain form (one space, ASCII marks)"
    spans = ("where a span was found, and its kind",) if policy.finds_spans else ()
    kept = [rule.kind for _, rule in policy.span_rules if rule.action is Action.KEEP]
    if not policy.draws_words:
        outside: tuple[str, ...] = (f"all text outside the spans; its spacing and punctuation {marks}",)
    else:
        vocabulary = ("the vocabulary, its vectors and everything computed from them",)
        numbers = ("how many digits each number has, and what stands between them",)
        outside = (
            *(vocabulary if _draws_from_vocabulary(policy) else ()),
            f"the number, the order and the kinds of the tokens{' outside the spans' if policy.finds_spans else ''}",
            *_kept_words(policy),
            *(numbers if _draws_digits(policy) else ()),
            f"spacing, line ends and punctuation, {marks}",
        )
    listed = any(word_list.keep for word_list in policy.lists) or any(pattern.keep for pattern in policy.patterns)
    kept_words = ("what the keep lists and patterns hold, wherever it stands",) if listed else ()
    kept_kinds = (f"the values of the kinds that are kept: {', '.join(kept)}",) if kept else ()
    return (*outside, *spans, *kept_kinds, *kept_words, "the policy, what it names and this report")


def _draws_from_vocabulary(policy: Policy) -> bool:
    rule = policy.rule("word")
    return rule is not None and rule.action is Action.MECHANISM


def _draws_digits(policy: Policy) -> bool:
    """Whether numbers are drawn digit by digit, as words are drawn."""
    says_something = policy.rule("common-word") is None or bool(policy.epsilon_kinds[:1] == ("word",))
    return not policy.finds_spans and says_something


def _kept_words(policy: Policy) -> tuple[str, ...]:
    """The public words that stay, and what is shared of those that go."""
    common, word = policy.rule("common-word"), policy.rule("word")
    if common is None:
        return ("the function words of the public list",) if policy.rule("function-word") else ()
    kept = ("the list of common words, and every common word",) if common.action is Action.KEEP else ()
    by_class = word is not None and "class" in (word.name, word.name.removeprefix("same-"))
    return (*kept, *((SHARED_CLASS,) if by_class else ()))


def _scores(policy: Policy) -> str:
    """The scores that detectors' spans need, as a part of a sentence; nothing where none is needed."""
    named = bool(policy.detectors)
    own = [f"{rule.kind} {rule.min_score:g}" for _, rule in policy.span_rules if named and rule.min_score is not None]
    if not (named and (policy.min_score or own)):
        return ""
    return f" with the score that is needed ({', '.join([f'{policy.min_score:g}', *own])})"


def _not_covered(policy: Policy) -> tuple[str, ...]:
    """What the guarantee does not speak of."""
    detection = (
        f"what no detector found{_scores(policy)}, which is treated as all other text is",
        "two texts in which other spans are found: a word that makes a detector see, or overlook, another",
    )
    words = () if policy.draws_words else ("every word, mark and symbol outside the spans",)
    no_numbers = not policy.draws_words and policy.rule("number") is None
    numbers = ("numbers, for which there is no rule",) if no_numbers else ()
    function_words = ("function words, which are released as they are",) if policy.rule("function-word") else ()
    common = policy.rule("common-word")
    common_words: tuple[str, ...] = ()
    if common is not None and common.action is Action.KEEP:
        common_words = ("common words, which are released as they are",)
        if policy.finds_spans:
            common_words += ("which common words stay: none in a span, so that it depends on what is found there",)
    return (*(detection if policy.finds_spans else ()), *words, *numbers, *function_words, *common_words)
