"""Public facts of a policy: settings hold, reports print and digests cover them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from textveil.privacy.units import Adjacency
from textveil.sanitize.policy.policy import Action, Policy, Rule, digest_of_data
from textveil.sanitize.token_draws import SHARED_CLASS


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFacts:
    """Public facts of a policy, picklable: no words of lists, no objects that detect."""

    data: Mapping[str, Any] = field(repr=False)  # the policy as JSON data
    digest: str
    adjacency: Adjacency  # which two texts are compared where one value differs
    draws_words: bool
    finds_spans: bool
    kinds: tuple[str, ...]
    public: tuple[str, ...]  # what no guarantee hides, each a phrase
    not_covered: tuple[str, ...]  # what the guarantee does not speak of, each a phrase

    @property
    def name(self) -> str:
        """Name of the policy."""
        return str(self.data["name"])

    @property
    def detectors(self) -> tuple[str, ...]:
        """Names of the detectors."""
        return tuple(self.data["detectors"])

    @property
    def common_words(self) -> Mapping[str, Any] | None:
        """Rule for common words as JSON data: their source, number and digest."""
        return next((rule for rule in self.data["rules"] if rule["kind"] == "common-word"), None)

    @property
    def kept(self) -> tuple[str, ...]:
        """Kinds of spans that stay as they are."""
        return tuple(rule["kind"] for rule in self.data["rules"] if rule.get("keep") and rule["kind"] in self.kinds)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: the policy with its digest."""
        return {**self.data, "digest": self.digest}


def facts_of(policy: Policy, adjacency: Adjacency) -> PolicyFacts:
    """Return what is public of a policy. ``adjacency``: which two texts are compared if one value differs."""
    data, spans, words = policy.to_data(), policy.finds_spans, policy.draws_words
    rules = [rule for _, rule in policy.span_rules]
    return PolicyFacts(
        data=data,
        digest=digest_of_data(data),
        adjacency=adjacency,
        draws_words=words,
        finds_spans=spans,
        kinds=tuple([rule.kind for rule in rules]),
        public=_public(policy, rules, spans=spans, words=words),
        not_covered=_not_covered(policy, rules, spans=spans, words=words),
    )


def _public(policy: Policy, rules: Sequence[Rule], *, spans: bool, words: bool) -> tuple[str, ...]:
    marks = "as they are: they can carry data" if policy.marks == "keep" else "in plain form (one space, ASCII marks)"
    if words:
        outside = _drawn_outside(policy, marks, spans=spans)
    else:
        outside = [f"all text outside the spans; its spacing and punctuation {marks}"]
    if spans:
        outside.append("where a span was found, and its kind")
    if kept := [rule.kind for rule in rules if rule.action is Action.KEEP]:
        outside.append(f"the values of the kinds that are kept: {', '.join(kept)}")
    if any([word_list.keep for word_list in policy.lists] + [pattern.keep for pattern in policy.patterns]):
        outside.append("what the keep lists and patterns hold, wherever it stands")
    return (*outside, "the policy, what it names and this report")


def _drawn_outside(policy: Policy, marks: str, *, spans: bool) -> list[str]:
    common, word = policy.rule("common-word"), policy.rule("word")
    assert word is not None  # no policy is without
    outside = []
    if word.action is Action.MECHANISM:
        outside.append("the vocabulary, its vectors and everything computed from them")
    outside.append(f"the number, the order and the kinds of the tokens{' outside the spans' if spans else ''}")
    if common is None and policy.rule("function-word"):
        outside.append("the function words of the public list")
    if common is not None and common.action is Action.KEEP:
        outside.append("the list of common words, and every common word")
    if common is not None and "class" in (word.name, word.name.removeprefix("same-")):
        outside.append(SHARED_CLASS)
    if not spans and (common is None or policy.epsilon_kinds[:1] == ("word",)):
        outside.append("how many digits each number has, and what stands between them")
    return [*outside, f"spacing, line ends and punctuation, {marks}"]


def _not_covered(policy: Policy, rules: Sequence[Rule], *, spans: bool, words: bool) -> tuple[str, ...]:
    facts = []
    if spans:
        facts = [
            f"what no detector found{_scores(policy, rules)}, which is treated as all other text is",
            "two texts in which other spans are found: a word that makes a detector see, or overlook, another",
        ]
    if not words:
        facts.append("every word, mark and symbol outside the spans")
        if policy.rule("number") is None:
            facts.append("numbers, for which there is no rule")
        return tuple(facts)
    if policy.rule("function-word"):
        facts.append("function words, which are released as they are")
    common = policy.rule("common-word")
    if common is not None and common.action is Action.KEEP:
        facts.append("common words, which are released as they are")
        if spans:
            facts.append("which common words stay: none in a span, so that it depends on what is found there")
    return tuple(facts)


def _scores(policy: Policy, rules: Sequence[Rule]) -> str:
    own = [f"{rule.kind} {rule.min_score:g}" for rule in rules if rule.min_score is not None]
    if not policy.detectors or not (policy.min_score or own):
        return ""
    return f" with the score that is needed ({', '.join([f'{policy.min_score:g}', *own])})"
