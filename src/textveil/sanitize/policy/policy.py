"""Policy as data, valid once built: what happens to each kind of token or span. ``making`` turns it into draws."""

import contextlib
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from textveil.detection.detectors import TOKEN_SPANS
from textveil.detection.given import checked_pattern, shipped_words
from textveil.detection.kinds import checked_kind
from textveil.detection.spans import Detector, checked_score
from textveil.errors import InputError, ParameterError, need
from textveil.text.english import FUNCTION_WORDS, LEVELS, NAMES_TOO, CommonWords, common_words
from textveil.text.marks import Marks, checked_marks
from textveil.vocabulary.vocabulary import Vocabulary

TOKEN_KINDS: Final = ("word", "function-word", "common-word", *TOKEN_SPANS)
"""Kinds that the tokens outside all spans have: rules speak of them, detectors, patterns and lists do not."""

ScopeName: TypeAlias = Literal["mention", "document", "conversation", "corpus"]  # where one value has one surrogate
OtherLanguages: TypeAlias = Literal["warn", "refuse", "mask"]
"""The treatment of documents in languages that the embedded detector has no rules for."""

SCOPES: Final[tuple[ScopeName, ...]] = get_args(ScopeName)
_TAKEN: Final = frozenset((*TOKEN_KINDS, "number", "space", "punctuation", "text"))


class Action(Enum):
    """Action of a rule on everything of its kind."""

    KEEP = "keep"  # it is released as it is, and is public
    PLACEHOLDER = "placeholder"  # a constant of its kind stands in its place
    SURROGATE = "surrogate"  # a surrogate is drawn
    MECHANISM = "mechanism"  # a mechanism of the catalog draws a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule for one kind.

    Attributes:
        epsilon: nats for one value; 0 is a draw that says nothing about it beyond its form. None is the default of
            what is drawn.
        scope: "mention" if, other than in the rest of the policy, each mention has a surrogate of its own.
        min_score: detectors' spans of this kind with a lower score count as not found; None is the policy's.
        options: more options of the surrogate or the mechanism, by name; of common words their ``level``.
        words: of common words, those of a background or a list of one's own; empty is the shipped list.
        folder: where a relative ``file`` among the options lies: that of the policy's file. Empty is the working
            directory. In no report and no digest.
    """

    kind: str
    action: Action
    name: str = ""  # of the surrogate or the mechanism; empty where neither is drawn
    epsilon: float | None = None
    scope: Literal["mention"] | None = None
    min_score: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = field(default=(), repr=False)
    folder: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        # Presets are read once and shared: what one caller does to a rule must not reach another's policy.
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))
        if self.kind not in TOKEN_KINDS:
            checked_kind(self.kind)
        _need_action(self)
        drawn = self.action in (Action.SURROGATE, Action.MECHANISM)
        if self.epsilon is not None:
            need(drawn, "epsilon", self.epsilon, f"left out where a rule says {self.action.value}")
            need(_is_number(self.epsilon), "epsilon", type(self.epsilon).__name__, "a number")
            need(0 <= self.epsilon < math.inf, "epsilon", self.epsilon, "finite and >= 0")
        if self.scope is not None:
            need(self.scope == "mention", "scope", repr(self.scope)[:60], "mention in a rule, or left out")
            need(self.action is Action.SURROGATE, "scope", "one", f"left out where a rule says {self.action.value}")
        if self.min_score is not None:
            need(self.kind not in _TAKEN, "min_score", "one", f"left out for {self.kind}, which no detector scores")
            checked_score(self.min_score)
        if self.kind == "common-word":
            _need_common_words(self)
        elif not drawn and self.options:
            need(False, _listed(self.options), f"beside {self.action.value}", "left out")

    def __reduce__(self) -> tuple[Any, ...]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return partial(Rule, **{**values, "options": dict(self.options)}), ()

    def to_data(self, *, whole: bool = False) -> dict[str, Any]:
        """Return JSON data as in a policy file; common words by size and digest, unless ``whole``."""
        done = {self.action.value: self.name or True}
        epsilon = {} if self.epsilon is None else {"epsilon": float(self.epsilon)}
        scope = {} if self.scope is None else {"scope": self.scope}
        score = {} if self.min_score is None else {"min_score": float(self.min_score)}
        words: dict[str, Any] = {"words": list(self.words)} if whole and self.words else {}
        if self.kind == "common-word" and not whole:
            kept = self.common_words.words
            listed = hashlib.sha256("\n".join(sorted(kept)).encode("utf-8")).hexdigest()
            level = {"level": LEVELS[0]} if not (self.words or self.options) else {}
            words = {**level, "list": "given" if self.words else "shipped", "size": len(kept), "sha256": listed}
        return {"kind": self.kind, **done, **epsilon, **scope, **score, **self.options, **words}

    @property
    def common_words(self) -> CommonWords:
        """Words of a rule for common words, and those of them that are names with a capital.

        Of given words, only function words and those that the shipped list knows are sure to be no names.
        """
        if not self.words:
            return common_words(self.options.get("level", LEVELS[0]))
        shipped, given = common_words(LEVELS[-1]), frozenset(self.words)
        return CommonWords(given, given - (shipped.words - shipped.names) - (FUNCTION_WORDS - NAMES_TOO))


def _need_common_words(rule: Rule) -> None:
    known = {key: value for key, value in rule.options.items() if key != "level"}
    need(not known, _listed(known), "beside common-word", "left out")
    level = rule.options.get("level", LEVELS[0])
    need(level in LEVELS, "level", repr(level)[:60], f"one of {', '.join(LEVELS)}")
    fits = all(isinstance(word, str) and word == word.strip().lower() != "" for word in rule.words)
    need(fits, "words", "others", "strings in lower case, none blank")


def _need_action(rule: Rule) -> None:
    if rule.kind == "word":
        fits = rule.action is not Action.SURROGATE
        need(fits, "word", rule.action.value, "kept or drawn by a mechanism, or have a placeholder")
        if rule.action is Action.PLACEHOLDER:
            need(rule.name in ("", "class"), "placeholder", repr(rule.name)[:60], "true or class")
    elif rule.kind == "common-word":
        fits = rule.action in (Action.KEEP, Action.MECHANISM)
        need(fits, "common-word", rule.action.value, "kept or drawn by randomized-response")
        drawn = rule.action is Action.KEEP or rule.name == "randomized-response"
        need(drawn, "mechanism", rule.name, "randomized-response for common-word")
    elif rule.kind == "function-word":
        hint = "Leave the rule out to draw them as words."
        need(rule.action is Action.KEEP, "function-word", rule.action.value, "kept", hint)
    elif rule.kind in TOKEN_SPANS and rule.kind != "emoji":
        fits = rule.action in (Action.KEEP, Action.PLACEHOLDER)
        need(fits, rule.kind, rule.action.value, "kept or replaced by a placeholder")
    else:
        need(rule.action is not Action.MECHANISM, "mechanism", "one", "for words; a span takes a `surrogate`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Regular expression whose matches are of a kind.

    ``last``: whether it ranks behind the detectors, and so decides only if they find nothing longer or as long;
    ``keep``: whether what it matches stays, whatever detectors find in it: of the kind, or of any if that is empty.
    """

    kind: str = ""
    regex: str  # in Python's syntax; it must match at least one character wherever it matches
    last: bool = False
    keep: bool = False

    def __post_init__(self) -> None:
        _need_kind_of(self)
        need(not (self.keep and self.last), "last", "one", "left out where a pattern says keep")
        with _named("regex", "pattern"):
            checked_pattern(self.regex)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data as in a policy file."""
        kind = {"kind": self.kind} if self.kind else {}
        last, keep = {"last": True} if self.last else {}, {"keep": True} if self.keep else {}
        return {**kind, "regex": self.regex, **last, **keep}


@dataclass(frozen=True, slots=True, kw_only=True)
class WordList:
    """Words and phrases that are of a kind wherever they stand, or that stay wherever they stand.

    ``words``: at least one; they may be private, so that no report and no digest holds them.
    """

    kind: str = ""
    words: tuple[str, ...] = field(default=(), repr=False)
    keep: bool = False  # whether they stay, whatever detectors find in them: of the kind, or of any where that is empty
    shipped: tuple[str, ...] = ()  # names of public lists in place of words, only with `keep`
    match_case: bool = False  # whether "Will" leaves "will" out; an entry may then name its place: "asked [[Will]] to"

    def __post_init__(self) -> None:
        _need_kind_of(self)
        fits = all(isinstance(word, str) and word.strip() for word in self.words)
        need(
            (bool(self.words) or bool(self.shipped)) and fits,
            "words",
            "none, or others",
            "one string or more, none blank",
        )
        need(self.keep or not self.shipped, "shipped", "one", "left out, or beside keep = true")
        need(not (self.match_case and self.shipped), "match_case", "true", "left out beside shipped")
        for name in self.shipped:
            shipped_words(name)

    def to_data(self, *, whole: bool = False) -> dict[str, Any]:
        """Return JSON data as in a policy file; words are only counted, unless ``whole``."""
        kind, keep = {"kind": self.kind} if self.kind else {}, {"keep": True} if self.keep else {}
        if self.shipped:
            return {**kind, **keep, "shipped": list(self.shipped)}
        case = {"match_case": True} if self.match_case else {}
        return {**kind, **keep, **case, "words": list(self.words) if whole else len(self.words)}


@contextlib.contextmanager
def _named(name: str, other: str) -> Iterator[None]:
    try:
        yield
    except ParameterError as error:
        raise type(error)(name + str(error).removeprefix(other)) from None


def _need_kind_of(entry: Pattern | WordList) -> None:
    """Refuse a kind that spans cannot have, or none if something is to be found."""
    need(isinstance(entry.keep, bool), "keep", type(entry.keep).__name__, "true or false")
    if not (entry.keep and entry.kind in ("", "number")):
        _need_span_kind(entry.kind)


def _need_span_kind(kind: str) -> None:
    checked_kind(kind)
    need(kind not in _TAKEN, "kind", kind, "a kind of spans", "Tokens of that kind are found without a detector.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The treatment of each kind of token or span.

    ``tv.policy`` reads one; ``tv.Sanitizer`` takes it. Kinds without a rule are not looked for.

    Attributes:
        scope: where one value has one surrogate: each mention has its own; one in a document, a conversation, a corpus.
        min_score: detectors' spans with a lower score count as not found, if no rule says another. Spans of
            patterns, lists and values of records need no score.
        other_languages: what happens to documents in languages that the embedded detector has no rules for: they are
            counted and the report warns first, refused, or replaced whole by one placeholder.
        vocabulary: public words, where words are drawn; None is the embedded vocabulary.
    """

    name: str
    rules: tuple[Rule, ...]  # one for a kind at most, and one for `word`
    describes: str = ""
    detectors: tuple[str | Detector, ...] = ()  # names (`detection.detectors`) or objects, by rank: they find spans
    patterns: tuple[Pattern, ...] = ()
    lists: tuple[WordList, ...] = ()
    marks: Marks = "normalize"  # what is done with white space and punctuation outside the spans (`text.marks`)
    scope: ScopeName = "document"
    min_score: float = 0.0
    other_languages: OtherLanguages = "warn"
    vocabulary: Vocabulary | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        need(isinstance(self.name, str) and bool(self.name.strip()), "name", "none", "a string that is not blank")
        need(isinstance(self.describes, str), "describes", type(self.describes).__name__, "a string")
        checked_marks(self.marks)
        need(self.scope in SCOPES, "scope", repr(self.scope)[:60], f"one of {', '.join(SCOPES)}")
        checked_score(self.min_score)
        known = get_args(OtherLanguages)
        fits = self.other_languages in known
        need(fits, "other_languages", repr(self.other_languages)[:60], f"one of {', '.join(known)}")
        for detector in self.detectors:
            fits = isinstance(detector, str | Detector)
            need(fits, "detectors", type(detector).__name__, "names or objects with a `detect`")
        first: dict[str, int] = {}
        for number, rule in enumerate(self.rules, start=1):
            if rule.kind in first:
                raise ParameterError(
                    f"rule {number} must be the only one for {rule.kind}; rule {first[rule.kind]} is for it too. "
                    "Keep one of them."
                )
            first[rule.kind] = number
        hint = 'Add kind = "word" with keep = true, or with a mechanism.'
        need("word" in first, "rules", "none", "with one for word", hint)
        for kind in ("function-word", "common-word"):
            need(kind not in first or self.draws_words, kind, "a rule", "left out where all words are kept")
        _need_what_goes(self)
        numbers = "number" in first or not (self.draws_words and self.finds_spans)
        hint = 'Add kind = "number" with surrogate = "digits".'
        need(numbers, "rules", "none", "with one for number where words are drawn and spans are found", hint)
        acts = any(rule.action is not Action.KEEP for rule in self.rules)
        need(acts, "rules", "none that draws", "such that something is replaced")

    def rule(self, kind: str) -> Rule | None:
        for rule in self.rules:
            if rule.kind == kind:
                return rule
        return None

    @property
    def draws_words(self) -> bool:
        """True if words outside the spans are drawn or left out, rather than kept."""
        rule = self.rule("word")
        return rule is not None and rule.action is not Action.KEEP

    @property
    def epsilon_kinds(self) -> tuple[str, ...]:
        """Kinds of words that are drawn with an epsilon."""
        drawn = [rule for rule in self.rules if rule.kind in ("word", "common-word")]
        return tuple(rule.kind for rule in drawn if rule.action is Action.MECHANISM and rule.name != "same-class")

    @property
    def span_rules(self) -> list[tuple[int, Rule]]:
        """Rules for spans, each with its number from 1."""
        usual = {*TOKEN_KINDS} - {*self.token_spans}
        return [(number, rule) for number, rule in enumerate(self.rules, start=1) if rule.kind not in usual]

    @property
    def token_spans(self) -> tuple[str, ...]:
        """Kinds of tokens that are spans here: those of ``TOKEN_SPANS`` that something else is done with than usual.

        If words are drawn, a placeholder stands for such a token anyway.
        """
        usual = Action.PLACEHOLDER if self.draws_words else Action.KEEP
        return tuple(rule.kind for rule in self.rules if rule.kind in TOKEN_SPANS and rule.action is not usual)

    @property
    def finds_spans(self) -> bool:
        """True if anything is looked for in a text, beside its tokens."""
        number = self.rule("number")
        plain = number is None or (number.name == "digits" and number.epsilon != 0)
        looks = self.detectors or self.patterns or self.lists or self.token_spans or not self.draws_words
        return bool(looks) or not plain

    @property
    def keyed(self) -> bool:
        """True if surrogates are computed from a secret: one value has one surrogate in a corpus."""
        return self.finds_spans and self.scope == "corpus"

    def to_data(self, *, whole: bool = False) -> dict[str, Any]:
        """Return JSON data of what is public: words of lists are only counted, and the vocabulary is left out.

        ``whole``: whether lists are in full; see ``whole_data``.
        """
        return {
            "name": self.name,
            "describes": self.describes,
            "marks": self.marks,
            "scope": self.scope,
            **({"min_score": float(self.min_score)} if self.min_score else {}),
            **({"other_languages": self.other_languages} if self.other_languages != "warn" else {}),
            "detectors": [detector if isinstance(detector, str) else detector.name for detector in self.detectors],
            "rules": [rule.to_data(whole=whole) for rule in self.rules],
            "patterns": [pattern.to_data() for pattern in self.patterns],
            "lists": [word_list.to_data(whole=whole) for word_list in self.lists],
        }

    def whole_data(self) -> dict[str, Any]:
        """Return JSON data for ``reading.policy_of_data``: ``to_data``, with the words of lists in full.

        They may be private. Raises InputError: it has a detector that is an object, or a vocabulary: neither is data.
        """
        if any(not isinstance(detector, str) for detector in self.detectors):
            raise InputError("a policy that is saved must name its detectors; got an object. Name it, or do not save.")
        if self.vocabulary is not None:
            raise InputError("a policy that is saved must have no vocabulary of its own; got one. Leave it out.")
        return self.to_data(whole=True)

    @property
    def private_digest(self) -> str:
        """SHA-256 of the words of all lists, which tells that they changed; private, as they may be."""
        words = json.dumps([[word_list.kind, *word_list.words] for word_list in self.lists])
        return hashlib.sha256(words.encode("ascii")).hexdigest() if self.lists else ""

    @property
    def digest(self) -> str:
        return digest_of_data(self.to_data())


def digest_of_data(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a policy's public data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).hexdigest()


def _need_what_goes(policy: Policy) -> None:
    common, words = policy.rule("common-word"), policy.rule("word")
    assert words is not None
    if words.action is Action.PLACEHOLDER:
        hint = 'Add kind = "common-word" with keep = true.'
        need(common is not None, "rules", "none", "with one for common-word where words have a placeholder", hint)
    if common is None:
        return
    need(policy.rule("function-word") is None, "function-word", "a rule", "left out beside common-word")
    if common.action is Action.MECHANISM:
        blank = words.action is Action.PLACEHOLDER and not words.name
        need(blank, "word", "another rule", "placeholder = true where common words are drawn")
    if words.action is Action.PLACEHOLDER and words.name:
        need(not policy.finds_spans, "placeholder", "class", "true where spans are found")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(sorted(names))[:60]
