"""Settings of sanitizers: what is drawn under which guarantee, everything else that is public, quoted recovery.

Public facts of a policy are part of a setting: reports print and digests cover them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from textveil.errors import UnsupportedGuarantee
from textveil.json_text import json_file
from textveil.mechanisms.randomized_response import KEEP_LIMIT, DigitResponse
from textveil.privacy.accountant import Accountant
from textveil.privacy.composition import narrowed, weakest
from textveil.privacy.guarantees import TRUSTED, Guarantee, PureDP
from textveil.privacy.units import ONE_DOCUMENT, ONE_TOKEN, Adjacency, Unit
from textveil.sanitize.policy.policy import Action, Policy, Rule, digest_of_data
from textveil.sanitize.token_draws import SHARED_CLASS
from textveil.text.marks import Marks


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
        return str(self.data["name"])

    @property
    def detectors(self) -> tuple[str, ...]:
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
    if (common := policy.rule("common-word")) is not None and common.action is Action.KEEP:
        facts.append("common words, which are released as they are")
        if spans:
            facts.append("which common words stay: none in a span, so that it depends on what is found there")
    return tuple(facts)


def _scores(policy: Policy, rules: Sequence[Rule]) -> str:
    own = [f"{rule.kind} {rule.min_score:g}" for rule in rules if rule.min_score is not None]
    if not policy.detectors or not (policy.min_score or own):
        return ""
    return f" with the score that is needed ({', '.join([f'{policy.min_score:g}', *own])})"


LENGTHS: Final = (1, 2)  # lengths of the numbers that reports speak of: a count, an age
OFTEN: Final = 0.5  # unchanged share of two-digit numbers above which reports warn
_TOLD: Final = 0.2  # unchanged share of one-digit numbers from which summaries name it; a uniform draw keeps a tenth


def unchanged_numbers(
    number_epsilon: float | None, digit_keep_limit: float | None, policy: PolicyFacts | None = None
) -> dict[int, float]:
    """Return the probability that a number comes out as it was, by its number of digits (``LENGTHS``).

    Empty if no digits are drawn, or uniform ones.

    Args:
        number_epsilon: nats of one number; None if a policy says how numbers are drawn.
        digit_keep_limit: the probability above which no digit stays.
        policy: a policy whose rule may draw digits.
    """
    if number_epsilon is None or digit_keep_limit is None:
        rules: list[Mapping[str, Any]] = [] if policy is None else policy.data["rules"]
        if not (drawn := [rule for rule in rules if rule.get("surrogate") == "digits" and rule.get("epsilon")]):
            return {}
        rule = max(drawn, key=lambda rule: float(rule["epsilon"]))
        number_epsilon, digit_keep_limit = rule["epsilon"], rule.get("digit_keep_limit", KEEP_LIMIT)
    response = DigitResponse(float(number_epsilon or 0), float(digit_keep_limit or 0))
    return {length: response.unchanged(length) for length in LENGTHS}


def short_number_lines(unchanged: Mapping[int, float]) -> list[str]:
    """Return the line of a summary on unchanged short numbers, if many stay."""
    if unchanged.get(1, 0.0) < _TOLD:
        return []
    one_digit, two_digits = (f"{unchanged[length]:.2g}" for length in LENGTHS)
    return [
        f"            a number of one digit comes out as it was with probability {one_digit}, "
        f"of two (an age) with {two_digits}"
    ]


def short_number_warnings(unchanged: Mapping[int, float]) -> list[str]:
    """Return the warning that short numbers mostly stay, if they do."""
    if unchanged.get(2, 0.0) <= OFTEN:
        return []
    return [
        f"SHORT NUMBERS AS THEY WERE: {100 * unchanged[2]:.0f} % of numbers of two digits (ages) come out unchanged; "
        "choose a smaller epsilon for numbers, or a lower digit limit."
    ]


COUNTED: Final = ("word", "number", "text")
"""Kinds that cost something without a policy: tokens of two kinds, or a whole text at once."""

UNSETTLED: Final = "texts with dates in no clear order"
"""Count of texts in which no date tells whether the day or the month is first."""

UNREAD: Final = "texts in other languages"  # count of texts in languages that the embedded detector has no rules for
GUESSED: Final = "likely names that stay"
"""Count of spans that scored too low to be drawn: for the sender alone, and in no report."""
mentions_of: Final = "{} mentions".format
"""The name under which spans of a kind are counted if something else than each of them pays."""


def found_of(counts: Mapping[str, int], kind: str) -> int:
    """Return how many spans or tokens of a kind stand in the texts: what readers are told, whatever pays."""
    return counts.get(mentions_of(kind), counts.get(kind, 0))


@dataclass(frozen=True, slots=True)
class Protected:
    """One draw: what it protects, by which guarantee.

    ``pays``: unit that pays for a draw of a span: each "mention", each "value" of a scope, or a "scope" as a whole;
    ``base_mass``: probability of a draw that says nothing of the word (``capabilities.BaseDraws``); 0 if unknown.
    """

    kind: str  # one of `COUNTED`, or a kind of spans
    guarantee: Guarantee
    done: str = ""  # under a policy, "keep" or the name of what draws, for reports
    public: tuple[str, ...] = ()  # under a policy, phrases that say what stays public of a value
    pays: str = ""
    base_mass: float = 0.0

    @property
    def unit(self) -> Unit:
        """Unit that one draw hides as a whole."""
        return self.guarantee.unit

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: unit, kind and guarantee; under a policy also what is done and what stays public."""
        pays = {"pays": self.pays} if self.pays else {}
        by_policy = {"done": self.done, "public": list(self.public), **pays} if self.done else {}
        return {"kind": self.kind, **self.guarantee.to_data(), **by_policy}

    @property
    def costs(self) -> bool:
        """True if a draw costs anything: a uniform draw from a public pool does not."""
        if isinstance(self.guarantee, PureDP):
            return self.guarantee.epsilon > 0
        part = self.guarantee.approximate() if self.guarantee.promises else None
        return part is None or part.epsilon > 0 or part.delta > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Setting of a sanitizer: all of it public.

    Attributes:
        number_epsilon: nats for the digits of one number, even if nothing is promised of them; None if numbers have no
            draws of their own.
        marks: "normalize" puts white space and punctuation into plain form, "keep" keeps them; None if a release has
            none of the text's own.
        mostly_unchanged: whether most words come out as they are (``sanitize.unchanged``). It follows from mechanism
            and vocabulary, so no digest holds it.
        unchanged_kinds: kinds of spans of which most values come out as they are; follows from the policy.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    protected: tuple[Protected, ...]  # unit, kind and guarantee of one draw of each kind
    number_epsilon: float | None
    digit_keep_limit: float | None  # probability above which no digit of a number stays
    marks: Marks | None
    vocabulary: Mapping[str, Any]  # name, number of words, dimension and SHA-256 digest
    secure: bool
    version: str
    policy: PolicyFacts | None = None  # public facts of a policy with spans or function words
    mostly_unchanged: bool = field(default=False, compare=False)
    unchanged_kinds: tuple[str, ...] = field(default=(), compare=False)

    def guarantee_of(self, kind: str) -> Guarantee:
        """Return the guarantee of one draw of a kind. Raises UnsupportedGuarantee: nothing of this kind is drawn."""
        for part in self.protected:
            if part.kind == kind:
                return part.guarantee
        kinds = ", ".join(part.kind for part in self.protected)
        raise UnsupportedGuarantee(f"kind must be one that is drawn ({kinds}); got {kind!r}.")

    @property
    def whole_texts(self) -> bool:
        """True if each text is replaced by one draw, so that nothing is known of its tokens."""
        return any(part.kind == "text" for part in self.protected)

    @property
    def written(self) -> str:
        """Public source that whole texts are written from."""
        return "the mechanism's words" if self.vocabulary else "the model"

    @property
    def of_spans(self) -> bool:
        """True if only the spans of a whole text are protected, and the rest of it is public."""
        return any(part.unit is Unit.GROUP for part in self.protected)

    @property
    def public(self) -> tuple[str, ...]:
        """Facts that no guarantee hides, for every release."""
        if self.whole_texts:
            return (
                *(
                    ("all text outside the spans, and the number, order and kinds of the spans",)
                    if self.of_spans
                    else ()
                ),
                f"{self.written} and everything computed from {'them' if self.vocabulary else 'it'}",
                "the number and the order of the documents, and how many texts each is made of",
                "the mechanism, its parameters and this report",
            )
        if self.policy is not None:
            return (
                *self.policy.public,
                *(f"of each {part.kind}: {fact}" for part in self.protected for fact in part.public),
            )
        marks = "as they are: they can carry data" if self.marks == "keep" else "in plain form (one space, ASCII marks)"
        shared = self.one_token.shared
        return (
            "the vocabulary, its vectors and everything computed from them",
            "the number, the order and the kinds of the tokens",
            *([shared] if shared else []),
            "how many digits each number has, and what stands between them",
            f"spacing, line ends and punctuation, {marks}",
            "the mechanism, its parameters and this report",
        )

    @property
    def token(self) -> Guarantee:
        """Guarantee of one token of any kind: the weakest of all kinds in every respect.

        Under a policy with spans, that of one value of any kind: a span, an entity, or a drawn word.
        """
        if self.policy is not None:
            one_value = self.policy.adjacency
            return weakest(list({replace(part.guarantee, adjacency=one_value): None for part in self.protected}))
        return weakest([narrowed(part.guarantee, self.one_token) for part in self.protected])

    @property
    def one_token(self) -> Adjacency:
        """Two tokens that the guarantee of a token compares: the fewest words that any of the draws compares."""
        return next((part.guarantee.adjacency for part in self.protected if part.guarantee.adjacency.shared), ONE_TOKEN)

    @property
    def recovery(self) -> dict[str, Any] | None:
        """Share of public texts that a decoder recovered under such a setting; None if not measured."""
        words = [part.guarantee for part in self.protected if part.kind == "word" and self.policy is None]
        if not words or not words[0].promises:
            return None
        epsilon = words[0].approximate().epsilon
        return quoted_recovery(self.mechanism, self.parameters, self.vocabulary.get("digest", ""), epsilon)

    @property
    def for_release(self) -> bool:
        """True if draws are unpredictable and the guarantee is proved or certified."""
        return self.secure and self.token.status in TRUSTED

    def warnings(self) -> list[str]:
        """Return what must be said of every release with this setting, even to users who asked for quiet."""
        lines = []
        token = self.token
        if not token.promises:
            lines.append("NO GUARANTEE: " + token.reason)
        elif token.status not in TRUSTED:
            lines.append(f"NOT FOR RELEASE: the guarantee is {token.status.shown}, neither proved nor certified.")
        if self.mostly_unchanged:
            lines.append(
                "NEARLY THE TEXT ITSELF: over 90 % of words come out unchanged at this epsilon; choose a smaller one."
            )
        if self.unchanged_kinds:
            kinds = ", ".join(self.unchanged_kinds)
            lines.append(
                f"NEARLY THE TEXT ITSELF: over 90 % of these come out unchanged: {kinds}; choose a smaller epsilon."
            )
        lines += short_number_warnings(self.unchanged_numbers)
        if not self.secure:
            lines.append("NOT FOR RELEASE: the draws come from a seed and can be repeated by whoever knows it.")
        return lines

    @property
    def unchanged_numbers(self) -> dict[int, float]:
        """Probability that a number of one or two digits comes out as it was; see ``unchanged_numbers``."""
        return unchanged_numbers(self.number_epsilon, self.digit_keep_limit, self.policy)

    @property
    def one_document(self) -> Adjacency:
        """Two documents that the guarantee of a document compares."""
        if self.policy is not None:
            return self.policy.adjacency.larger or self.policy.adjacency
        whole = [part.guarantee.adjacency for part in self.protected if part.unit is Unit.DOCUMENT]
        whole += [
            part.guarantee.adjacency.larger
            for part in self.protected
            if part.unit is Unit.GROUP and part.guarantee.adjacency.larger is not None
        ]
        return whole[0] if whole else self.one_token.larger or ONE_DOCUMENT

    def accountant(self, counts: Mapping[str, int], into: Adjacency | None = None) -> Accountant:
        """Account for draws, counted by kind; other kinds cost nothing.

        ``counts``: draws by kind; ``into``: the two inputs that are compared; None is two that differ in one document.
        """
        total = Accountant(self.one_document if into is None else into)
        for part in self.protected:
            times = counts.get(part.kind, 0)
            if times or not part.guarantee.promises:  # without draws, what promises something costs nothing
                total = total.compose(part.guarantee, times, part.base_mass)
        return total

    @property
    def counted(self) -> tuple[str, ...]:
        """Kinds by which documents are compared to find the costliest; the others cost nothing, and are trusted to."""
        if self.policy is None:
            return COUNTED
        return tuple(part.kind for part in self.protected if part.costs or part.guarantee.status not in TRUSTED)

    def document(self, words: int, numbers: int, texts: int = 1) -> Guarantee:
        """Return the guarantee of a document whose words and numbers may all differ.

        ``words``: number of words; ``numbers``: number of numbers; ``texts``: number of texts of the document, if a
        mechanism draws for a whole text at once.
        """
        return self.accountant({"word": words, "number": numbers, "text": texts}).spent

    def to_data(self) -> dict[str, Any]:
        return {
            "textveil": self.version,
            "mechanism": self.mechanism,
            "parameters": dict(self.parameters),
            "protected": [part.to_data() for part in self.protected],
            "number_epsilon": self.number_epsilon,
            "digit_keep_limit": self.digit_keep_limit,
            "marks": self.marks,
            "vocabulary": dict(self.vocabulary),
            "secure": self.secure,
            **({} if self.policy is None else {"policy": self.policy.to_data()}),
        }

    def digest(self, **beside: Any) -> bytes:
        """Return the SHA-256 of the setting, the one digest that tells settings apart.

        ``beside``: more public facts, as JSON data, on which the caller's draws depend.
        """
        data = {"setting": self.to_data(), "beside": beside}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).digest()


TABLE: Final = Path(__file__).resolve().parent / "data" / "recovery.json"
"""Shares by setting and epsilon, with what they were measured on."""
COMPARED: Final = ("base_weights", "prior", "context")
"""Parameters of a mechanism that tell its rows from others', beside epsilon."""
TUNED: Final = ("alpha", "base_mass", "context_weight", "neighborhood_size")
"""Parameters that follow from epsilon unless a user names them; nothing was measured of such a setting."""


def quoted_recovery(
    mechanism: str, parameters: Mapping[str, Any], vocabulary: str, epsilon: float
) -> dict[str, Any] | None:
    """Return what was measured for a setting at the smallest stored epsilon not below its own; None: nothing.

    Between two stored epsilons the setting must be tuned as one of them is. ``vocabulary``: digest of its public words
    and vectors; ``epsilon``: nats of one word.
    """
    if not (table := stored_table()) or vocabulary != table["vocabulary"]:
        return None
    asked = {name: parameters.get(name) for name in COMPARED}
    fits = [row for row in table["rows"] if row["mechanism"] == mechanism and row["parameters"] == asked]
    if not (above := [row for row in fits if row["epsilon"] >= epsilon - 1e-9]):
        return None
    row = min(above, key=lambda fit: float(fit["epsilon"]))
    below = [fit for fit in fits if fit["epsilon"] <= epsilon + 1e-9]
    near = [row, *([max(below, key=lambda fit: float(fit["epsilon"]))] if below else [])]
    if {name: parameters.get(name) for name in TUNED} not in [fit["tuned"] for fit in near]:
        return None
    return {"epsilon": row["epsilon"], "model": table["model"], "texts": row["texts"]}


def recovery_lines(quoted: Mapping[str, Any] | None) -> list[str]:
    """Return the quotation for a reader; empty if nothing was measured."""
    if quoted is None:
        return []
    shares = []
    for place, name in enumerate(("words", "content words", "names")):
        estimates = [measured["kinds"][place]["in_context"]["estimate"] for measured in quoted["texts"].values()]
        low, high = (round(100 * end) for end in (min(estimates), max(estimates)))
        shares.append(f"{low} % of {name}" if low == high else f"{low} to {high} % of {name}")
    return [f"recovery    at epsilon {quoted['epsilon']:g} a decoder named {', '.join(shares)} of public texts"]


@cache
def stored_table() -> dict[str, Any]:
    """Read the table that comes with the package."""
    if not TABLE.is_file():  # while the table itself is built
        return {}
    data: dict[str, Any] = json_file(TABLE)
    return data
