"""What comes back: the released text with what was spent on it, and the report of a whole run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from textveil.privacy.composition import compose, repeat, weakest
from textveil.privacy.guarantees import ApproximateDP, Guarantee, MetricDP, NoGuarantee, PureDP, Status, to_pure
from textveil.text.render import Span

PUBLIC = (
    "the vocabulary, its vectors and everything computed from them",
    "the number, the order and the kinds of the tokens",
    "how many digits each number has, and its separators",
    "spacing, line ends and punctuation",
    "the mechanism, its parameters and this report outside sender_only",
)
"""What no guarantee hides, for every release."""

_SENDER_ONLY = "computed from the private text; not covered by the guarantee; do not pass it on with the text"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a sanitizer was set to: all of it public.

    Attributes:
        mechanism: the mechanism's name.
        parameters: its public parameters.
        word: guarantee of one word token.
        number: guarantee of one number token.
        number_epsilon: nats that the digits of one number are drawn with; also where nothing is promised of them.
        vocabulary: name, number of words, dimension and SHA-256 digest.
        secure: whether draws come from the operating system's randomness.
        version: of textveil.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    word: Guarantee
    number: Guarantee
    number_epsilon: float
    vocabulary: Mapping[str, Any]
    secure: bool
    version: str

    @property
    def token(self) -> Guarantee:
        """What one token of any kind costs at most: the weaker of the two in every respect."""
        return weakest([self.word, self.number])

    @property
    def for_release(self) -> bool:
        """Whether draws are unpredictable and the guarantee is proved or certified."""
        return self.secure and self.token.status in (Status.PROVED, Status.CERTIFIED)

    def warnings(self) -> list[str]:
        """What must be said of every release with this setting, even to those who asked for quiet."""
        lines = []
        if isinstance(self.word, NoGuarantee):
            lines.append("NO GUARANTEE: " + self.word.reason)
        elif self.token.status not in (Status.PROVED, Status.CERTIFIED):
            lines.append(f"NOT FOR RELEASE: the guarantee is {self.token.status.value}, neither proved nor certified.")
        if not self.secure:
            lines.append("NOT FOR RELEASE: the draws come from a seed and can be repeated by whoever knows it.")
        return lines

    def document(self, words: int, numbers: int) -> Guarantee:
        """The guarantee of a document of so many words and numbers, all of which may differ."""
        return compose([repeat(self.word, words), repeat(self.number, numbers)])

    def as_dict(self) -> dict[str, Any]:
        """The setting as JSON data."""
        return {
            "textveil": self.version,
            "mechanism": self.mechanism,
            "parameters": dict(self.parameters),
            "word": guarantee_data(self.word),
            "number": guarantee_data(self.number),
            "number_epsilon": self.number_epsilon,
            "vocabulary": dict(self.vocabulary),
            "secure": self.secure,
        }

    def digest(self, **beside: Any) -> bytes:
        """SHA-256 of the setting: whatever must tell one setting from another asks here, and nowhere else.

        Args:
            beside: more public facts, as JSON data, on which the caller's draws depend.
        """
        data = {"setting": self.as_dict(), "beside": beside}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode("ascii")).digest()


@final
@dataclass(slots=True)
class Tally:
    """Counts over the documents of a run.

    ``largest`` holds the (words, numbers) of every document that no other one exceeds in both, so that the
    costliest can be told whatever a word and a number cost.
    """

    documents: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    largest: list[tuple[int, int]] = field(default_factory=list)
    mapped: int = 0

    def add(self, kinds: Mapping[str, int], mapped: int) -> None:
        """Count one more document."""
        self.documents += 1
        self.kinds.update(kinds)
        self._keep_largest((kinds.get("word", 0), kinds.get("number", 0)))
        self.mapped += mapped

    def merge(self, other: Tally) -> None:
        """Count the documents of ``other`` too, as if each had been added here."""
        self.documents += other.documents
        self.kinds.update(other.kinds)
        for one in list(other.largest):
            self._keep_largest(one)
        self.mapped += other.mapped

    def _keep_largest(self, here: tuple[int, int]) -> None:
        if not any(here[0] <= words and here[1] <= numbers for words, numbers in self.largest):
            kept = [one for one in self.largest if one[0] > here[0] or one[1] > here[1]]
            self.largest = [here, *kept]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was spent on what, over all documents of a run; holds no text.

    Attributes:
        setting: the sanitizer's.
        tally: counts over the documents.
        sanitized_fields: record fields that were sanitized; empty for plain text.
        kept_fields: record fields that were copied to the output as they were.
    """

    setting: Setting
    tally: Tally
    sanitized_fields: tuple[str, ...] = ()
    kept_fields: tuple[str, ...] = ()

    def costliest(self) -> tuple[int, Guarantee]:
        """The protected tokens of the document with the largest epsilon, and a bound for every document."""
        documents = self.tally.largest or [(0, 0)]
        costs = [self.setting.document(*counts) for counts in documents]
        epsilons = [cost.epsilon if isinstance(cost, PureDP | ApproximateDP) else 0.0 for cost in costs]
        return sum(documents[epsilons.index(max(epsilons))]), weakest(costs)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data; the keys are documented in docs/guarantees.md."""
        setting, tally = self.setting, self.tally
        words, numbers = tally.kinds.get("word", 0), tally.kinds.get("number", 0)
        most, document = self.costliest()
        public = [*PUBLIC, *(f"the field {name!r}, copied as it was" for name in self.kept_fields)]
        return {
            "textveil": setting.version,
            "setting_digest": setting.digest().hex(),
            "for_release": setting.for_release,
            "mechanism": {"name": setting.mechanism, "parameters": dict(setting.parameters)},
            "guarantee": {
                "per_token": guarantee_data(setting.token),
                "per_document": {
                    "protected_tokens": most,
                    **guarantee_data(document),
                },
                "whole_input": {
                    "protected_tokens": words + numbers,
                    **guarantee_data(setting.document(words, numbers)),
                },
            },
            "documents": tally.documents,
            "tokens": dict(sorted(tally.kinds.items())),
            "fields": {"sanitized": list(self.sanitized_fields), "kept": list(self.kept_fields)},
            "public": public,
            "vocabulary": dict(setting.vocabulary),
            "randomness": "operating system" if setting.secure else "seeded: not for release",
            "sender_only": {"note": _SENDER_ONLY, "unknown_words_mapped": tally.mapped},
        }

    def to_json(self) -> str:
        """The report as indented JSON text."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=True, allow_nan=False) + "\n"

    def summary(self) -> str:
        """The report for a reader, a few lines."""
        setting, tally = self.setting, self.tally
        words, numbers = tally.kinds.get("word", 0), tally.kinds.get("number", 0)
        most, document = self.costliest()
        lines = []
        lines += setting.warnings()
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.kinds.items()))
        vocabulary = setting.vocabulary
        lines += [
            f"documents   {tally.documents}",
            f"tokens      {counts or 'none'}",
            f"unknown     {tally.mapped} words were not in the vocabulary and were mapped to it (for you only)",
            f"mechanism   {setting.mechanism} {_parameters(setting.parameters)}".rstrip(),
            f"per token   {_line(setting.token)}",
            f"per document {_line(document)} for the costliest, {most} protected tokens",
            f"whole input {_line(setting.document(words, numbers))} for {words + numbers} protected tokens",
            f"vocabulary  {vocabulary['name']}: {vocabulary['words']} words, sha256 {vocabulary['digest'][:16]}",
            "public      vocabulary; number, order and kinds of tokens; digits a number has; spacing, punctuation",
        ]
        if self.sanitized_fields:
            kept = f"; copied as they were: {', '.join(self.kept_fields)}" if self.kept_fields else ""
            lines.append(f"fields      sanitized: {', '.join(self.sanitized_fields)}{kept}; all others dropped")
        return "\n".join(lines)


def _line(guarantee: Guarantee) -> str:
    status = "" if isinstance(guarantee, NoGuarantee) else f" [{guarantee.status.value}]"
    return f"{guarantee}{status}"


def _parameters(parameters: Mapping[str, Any]) -> str:
    shown = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def guarantee_data(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as JSON data: its notion, its numbers, its status and its source."""
    base = {"status": guarantee.status.value, "source": guarantee.source, "text": str(guarantee)}
    if isinstance(guarantee, PureDP):
        return {"notion": "pure DP", "epsilon": guarantee.epsilon, "delta": 0.0, **base}
    if isinstance(guarantee, ApproximateDP):
        delta, log_delta = guarantee.delta, guarantee.log_delta
        finite = log_delta if log_delta > float("-inf") else None
        return {
            "notion": "approximate DP",
            "epsilon": guarantee.epsilon,
            "delta": delta,
            "log_delta": finite,
            **base,
        }
    if isinstance(guarantee, MetricDP):
        return {
            "notion": "metric DP",
            "epsilon": to_pure(guarantee).epsilon,
            "delta": 0.0,
            "epsilon_per_distance": guarantee.epsilon_per_distance,
            "metric": guarantee.metric,
            "diameter": guarantee.diameter,
            **base,
        }
    return {"notion": "none", "epsilon": None, "delta": None, **base}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One document, released.

    Attributes:
        text: what may be handed over.
        spans: where each token stands in ``text``, with its kind. Offsets of the private text are not
            kept: they would tell the length of every private word.
        kinds: number of tokens of each kind.
        setting: the sanitizer's.
        mapped: how many words were not in the vocabulary. For the sender only: it is computed from the
            private text and no guarantee covers it.
    """

    text: str
    spans: tuple[Span, ...] = field(repr=False)
    kinds: Mapping[str, int]
    setting: Setting = field(repr=False)
    mapped: int = field(repr=False)

    @property
    def guarantee_per_token(self) -> Guarantee:
        """What holds for one token and any two words (or any two numbers of as many digits)."""
        return self.setting.token

    @property
    def guarantee(self) -> Guarantee:
        """What holds for the whole document: the composition over its words and numbers."""
        return self.setting.document(self.kinds.get("word", 0), self.kinds.get("number", 0))

    @property
    def for_release(self) -> bool:
        """False where the draws came from a seed, or where the guarantee is neither proved nor certified."""
        return self.setting.for_release

    def report(self) -> Report:
        """The report of this one document."""
        tally = Tally()
        tally.add(self.kinds, self.mapped)
        return Report(setting=self.setting, tally=tally)
