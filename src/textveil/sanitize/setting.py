"""What a sanitizer was set to: what is drawn under which guarantee, and everything else that is public of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, final

from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.channels.digits import KEEP_LIMIT, DigitResponse
from textveil.privacy.accountant import Accountant
from textveil.privacy.composition import narrowed, weakest
from textveil.privacy.guarantees import TRUSTED, Guarantee
from textveil.privacy.units import ONE_DOCUMENT, ONE_TOKEN, Adjacency, Unit
from textveil.sanitize.policy.facts import PolicyFacts
from textveil.sanitize.recovery import quoted_recovery
from textveil.text.marks import Marks

LENGTHS: Final = (1, 2)
"""Digits of the numbers that are told of: a count, an age."""

OFTEN: Final = 0.5
"""An unchanged share of two-digit numbers above which releases are warned of."""

_TOLD: Final = 0.2
"""One of one-digit numbers from which summaries speak of it: a uniform draw keeps a tenth."""


def unchanged_numbers(
    number_epsilon: float | None, digit_keep_limit: float | None, policy: PolicyFacts | None = None
) -> dict[int, float]:
    """The probability that a number comes out as it was, by how many digits it has (``LENGTHS``).

    Args:
        number_epsilon: nats of one number; None where numbers have no draws of their own, but by a policy.
        digit_keep_limit: the probability above which no digit stays.
        policy: a policy whose rule may draw digits.

    Returns:
        Nothing where no digits are drawn, or uniform ones.
    """
    if number_epsilon is None or digit_keep_limit is None:
        rules: list[Mapping[str, Any]] = [] if policy is None else policy.data["rules"]
        drawn = [rule for rule in rules if rule.get("surrogate") == "digits" and rule.get("epsilon")]
        if not drawn:
            return {}
        weakest = max(drawn, key=lambda rule: float(rule["epsilon"]))
        number_epsilon, digit_keep_limit = weakest["epsilon"], weakest.get("digit_keep_limit", KEEP_LIMIT)
    response = DigitResponse(float(number_epsilon or 0), float(digit_keep_limit or 0))
    return {length: response.unchanged(length) for length in LENGTHS}


def short_number_lines(unchanged: Mapping[int, float]) -> list[str]:
    """What a summary says of them, where it is worth saying."""
    if unchanged.get(1, 0.0) < _TOLD:
        return []
    one_digit, two_digits = (f"{unchanged[length]:.2g}" for length in LENGTHS)
    return [
        f"            a number of one digit comes out as it was with probability {one_digit}, "
        f"of two (an age) with {two_digits}"
    ]


def short_number_warnings(unchanged: Mapping[int, float]) -> list[str]:
    """What must be said of every release: short numbers are mostly as they were."""
    if unchanged.get(2, 0.0) <= OFTEN:
        return []
    return [
        f"SHORT NUMBERS AS THEY WERE: {100 * unchanged[2]:.0f} % of numbers of two digits (ages) come out unchanged; "
        "choose a smaller epsilon for numbers, or a lower digit limit."
    ]


COUNTED: Final = ("word", "number", "text")
"""The kinds that are drawn, and so cost something: tokens of two kinds, or a whole text at once."""

UNSETTLED: Final = "texts with dates in no clear order"
"""The name under which texts are counted in which no date tells whether the day or the month is first."""

UNREAD: Final = "texts in other languages"
"""The name under which texts are counted in whose language the embedded detector has no rules."""


mentions_of: Final = "{} mentions".format
"""The name under which spans of a kind are counted if something else than each of them pays."""


@final
@dataclass(frozen=True, slots=True)
class Protected:
    """What one draw protects.

    Attributes:
        kind: what is drawn: one of ``COUNTED``, or a kind of spans.
        done: under a policy, what is done, for reports: "keep", or the name of what draws.
        public: under a policy, what stays public of a value, each a phrase.
        pays: of a kind of spans, what pays for a draw once: each "mention", each "value" of a scope, or a "scope" as a
            whole.
        base_mass: of a word, probability of a draw that says nothing of it (``capabilities.BaseDraws``); 0 if unknown.
    """

    kind: str
    guarantee: Guarantee
    done: str = ""
    public: tuple[str, ...] = ()
    pays: str = ""
    base_mass: float = 0.0

    @property
    def unit(self) -> Unit:
        """What is hidden as a whole by one draw."""
        return self.guarantee.unit

    def to_data(self) -> dict[str, Any]:
        """JSON data: unit, kind and guarantee; under a policy what is done and what stays public too."""
        pays = {"pays": self.pays} if self.pays else {}
        by_policy = {"done": self.done, "public": list(self.public), **pays} if self.done else {}
        return {"kind": self.kind, **self.guarantee.to_data(), **by_policy}

    @property
    def costs(self) -> bool:
        """Whether a draw costs anything: a uniform draw from a public pool does not."""
        if not self.guarantee.promises:
            return True
        part = self.guarantee.approximate()
        return part.epsilon > 0 or part.delta > 0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a sanitizer was set to: all of it public.

    Attributes:
        protected: what is drawn: unit, kind and guarantee of one draw of each kind.
        number_epsilon: nats that the digits of one number are drawn with; also where nothing is promised of them;
            None where numbers have no draws of their own, in a mechanism of whole texts.
        digit_keep_limit: probability above which no digit of a number stays.
        marks: whether white space and punctuation are put into plain form ("normalize") or kept as they are ("keep");
            None where none of a text's own is released.
        vocabulary: name, number of words, dimension and SHA-256 digest.
        policy: what is public of the policy, where one with spans or function words says what is done.
        mostly_unchanged: whether most words come out as they are (``sanitize.unchanged``). It follows from mechanism
            and vocabulary, so no digest holds it.
        unchanged_kinds: kinds of spans of which most values come out as they are; it follows from the policy.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    protected: tuple[Protected, ...]
    number_epsilon: float | None
    digit_keep_limit: float | None
    marks: Marks | None
    vocabulary: Mapping[str, Any]
    secure: bool
    version: str
    policy: PolicyFacts | None = None
    mostly_unchanged: bool = field(default=False, compare=False)
    unchanged_kinds: tuple[str, ...] = field(default=(), compare=False)

    def guarantee_of(self, kind: str) -> Guarantee:
        """The guarantee of one draw of this kind. Raises UnsupportedGuarantee: nothing of this kind is drawn."""
        for part in self.protected:
            if part.kind == kind:
                return part.guarantee
        kinds = ", ".join(part.kind for part in self.protected)
        raise UnsupportedGuarantee(f"kind must be one that is drawn ({kinds}); got {kind!r}.")

    @property
    def whole_texts(self) -> bool:
        """Whether each text is replaced by one draw, so that nothing is known of its tokens."""
        return any(part.kind == "text" for part in self.protected)

    @property
    def written(self) -> str:
        """What whole texts are written with, which is public."""
        return "the mechanism's words" if self.vocabulary else "the model"

    @property
    def of_spans(self) -> bool:
        """Whether only the spans of a whole text are protected, and the rest of it is public."""
        return any(part.unit is Unit.GROUP for part in self.protected)

    @property
    def public(self) -> tuple[str, ...]:
        """What no guarantee hides, for every release."""
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
        """What one token of any kind costs at most: the weakest of all kinds in every respect.

        Under a policy with spans, what one value of any kind does: a span, an entity, a word where words are drawn.
        """
        if self.policy is not None:
            one_value = self.policy.adjacency
            return weakest([replace(part.guarantee, adjacency=one_value) for part in self.protected])
        return weakest([narrowed(part.guarantee, self.one_token) for part in self.protected])

    @property
    def one_token(self) -> Adjacency:
        """Which two tokens the guarantee of a token compares: of words the fewest that any of the draws compares."""
        return next((part.guarantee.adjacency for part in self.protected if part.guarantee.adjacency.shared), ONE_TOKEN)

    @property
    def recovery(self) -> dict[str, Any] | None:
        """What a decoder recovered of public texts under such a setting, where that was measured."""
        words = [part.guarantee for part in self.protected if part.kind == "word" and self.policy is None]
        if not words or not words[0].promises:
            return None
        epsilon = words[0].approximate().epsilon
        return quoted_recovery(self.mechanism, self.parameters, self.vocabulary.get("digest", ""), epsilon)

    @property
    def for_release(self) -> bool:
        """Whether draws are unpredictable and the guarantee is proved or certified."""
        return self.secure and self.token.status in TRUSTED

    def warnings(self) -> list[str]:
        """What must be said of every release with this setting, even to those who asked for quiet."""
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
        """The probability that a number of one or two digits comes out as it was; empty where that says nothing."""
        return unchanged_numbers(self.number_epsilon, self.digit_keep_limit, self.policy)

    @property
    def one_document(self) -> Adjacency:
        """Which two documents the guarantee of a document compares."""
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
        """What so many draws cost together.

        Args:
            counts: draws by kind; other kinds cost nothing.
            into: whose change is paid for; None is one document.
        """
        total = Accountant(self.one_document if into is None else into)
        for part in self.protected:
            times = counts.get(part.kind, 0)
            if times or not part.guarantee.promises:  # without draws, what promises something costs nothing
                total = total.compose(part.guarantee, times, part.base_mass)
        return total

    @property
    def counted(self) -> tuple[str, ...]:
        """The kinds by which documents are compared to find the costliest; the others cost nothing."""
        return COUNTED if self.policy is None else tuple(part.kind for part in self.protected if part.costs)

    def document(self, words: int, numbers: int, texts: int = 1) -> Guarantee:
        """The guarantee of a document of so many words and numbers, all of which may differ.

        Args:
            texts: texts that the document is made of, where a mechanism draws for a whole text at once.
        """
        return self.accountant({"word": words, "number": numbers, "text": texts}).spent

    def to_data(self) -> dict[str, Any]:
        """The setting as JSON data."""
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
        """SHA-256 of the setting: whatever must tell one setting from another asks here, and nowhere else.

        Args:
            beside: more public facts, as JSON data, on which the caller's draws depend.
        """
        data = {"setting": self.to_data(), "beside": beside}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).digest()
