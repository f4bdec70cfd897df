"""What comes back: the released text with what was spent on it, and the report of a whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, final

from textveil.errors import UnsupportedGuarantee
from textveil.json_text import json_text
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee
from textveil.sanitize.costs import (
    Counts,
    Persons,
    costliest,
    guarantee_line,
    optimal_data,
    optimal_lines,
    trimmed,
    with_largest,
)
from textveil.sanitize.measured_risk import check_recall
from textveil.sanitize.policy_report import per_token_data, per_value_data, policy_data, policy_lines
from textveil.sanitize.recovery import recovery_lines
from textveil.sanitize.sender_report import SenderReport
from textveil.sanitize.setting import COUNTED, UNREAD, UNSETTLED, Setting, short_number_lines
from textveil.sanitize.statement import statement
from textveil.surrogates.private_map import PrivateMap
from textveil.text.render import Span
from textveil.types import Reals, Vectors
from textveil_lab.posterior.word_vectors import WordVectors


@final
@dataclass(slots=True)
class Tally:
    """Counts over the documents of a run.

    ``largest`` holds the counts (of the setting's ``counted`` kinds) of every document that no other one exceeds in
    all, so that the costliest can be told whatever a draw of each kind costs. Of more than two, zeros at the end are
    left out.
    """

    documents: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    largest: list[Counts] = field(default_factory=list)
    mapped: int = 0

    @classmethod
    def of_equal(cls, documents: int, kinds: Mapping[str, int], mapped: int) -> Tally:
        """The counts over so many documents that are alike."""
        tally = cls()
        tally.add(kinds, mapped)
        tally.documents, tally.mapped = documents, mapped * documents
        tally.kinds = Counter({kind: count * documents for kind, count in kinds.items()})
        return tally

    def add(self, kinds: Mapping[str, int], mapped: int, counted: Sequence[str] = COUNTED) -> None:
        """Count one more document.

        Args:
            kinds: how many of each.
            mapped: words outside the vocabulary.
        """
        self.documents += 1
        self.kinds.update(kinds)
        self.largest = with_largest(self.largest, trimmed(kinds, counted))
        self.mapped += mapped

    def add_document(self, parts: Sequence[Release]) -> None:
        """Count one more document, made of these releases, at least one."""
        counted = parts[0].setting.counted
        if len(parts) == 1:
            self.add(parts[0].kinds, parts[0].mapped, counted)
            return
        kinds: Counter[str] = Counter()
        for part in parts:
            kinds.update(part.kinds)
        self.add(kinds, sum(part.mapped for part in parts), counted)

    def merge(self, other: Tally) -> None:
        """Count the documents of ``other`` too, as if each had been added here."""
        self.documents += other.documents
        self.kinds.update(other.kinds)
        for counts in other.largest:
            self.largest = with_largest(self.largest, counts)
        self.mapped += other.mapped


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was spent on what, over all documents of a run; may be passed on with the release, and holds no text.

    Attributes:
        recall: what was measured of this very policy's detection (``measured_risk.recall_of``); None where nothing was.
        nulls: how many sanitized fields of records had no text, which the output shows.
        persons: whose the records are, by a column; None where none says so.
        columns: further columns that were read, by what for: "scope_column" and "known".
    """

    setting: Setting
    tally: Tally
    sanitized_fields: tuple[str, ...] = ()
    kept_fields: tuple[str, ...] = ()
    recall: Mapping[str, Any] | None = None
    nulls: int = 0
    persons: Persons | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_recall(self.recall, None if self.setting.policy is None else self.setting.policy.digest)

    def costliest(self) -> tuple[int, Guarantee]:
        """The protected tokens of the document with the largest epsilon, and a bound for every document."""
        worst = costliest(self.setting, self.tally.largest)
        return worst.tokens, worst.guarantee

    def _everything(self) -> Accountant:
        """The accountant of all documents together, as if they were one person's."""
        return self.setting.accountant(self.tally.kinds, self.setting.one_document.larger)

    def _drawn(self) -> int:
        return sum(self.tally.kinds.get(kind, 0) for kind in self.setting.counted)

    @property
    def statement(self) -> tuple[str, ...]:
        """The bottom line in words: what is hidden, what stays, and what holds of the text as a whole."""
        return statement(self.setting, self.tally.kinds)

    def to_data(self) -> dict[str, Any]:
        """The report as JSON data; the keys are documented in docs/guarantees.md."""
        setting, tally = self.setting, self.tally
        everything = self._everything()
        kept = (f"the field {name!r}, copied as it was" for name in self.kept_fields)
        public = [*setting.public, *kept, *_public_columns(self.columns)]
        return {
            "textveil": setting.version,
            "setting_digest": setting.digest().hex(),
            "for_release": setting.for_release,
            "statement": list(self.statement),
            "mechanism": {"name": setting.mechanism, "parameters": dict(setting.parameters)}
            if setting.mechanism
            else None,
            **policy_data(setting, self.recall),
            "guarantee": {
                "per_token": per_token_data(setting),
                **per_value_data(setting),
                **({} if self.persons is None else {"per_person": self.persons.to_data(setting)}),
                "per_document": costliest(setting, tally.largest).to_data(),
                "whole_input": {
                    "protected_tokens": self._drawn(),
                    **everything.spent.to_data(),
                    "optimal": optimal_data([everything]),
                },
                "by_kind": [{**part.to_data(), "count": tally.kinds.get(part.kind, 0)} for part in setting.protected],
                "digit_keep_limit": setting.digit_keep_limit,
                "unchanged_numbers": {str(digits): p for digits, p in setting.unchanged_numbers.items()},
            },
            "documents": tally.documents,
            "tokens": dict(sorted(tally.kinds.items())),
            "fields": {
                "sanitized": list(self.sanitized_fields),
                "kept": list(self.kept_fields),
                "nulls": self.nulls,
                **self.columns,
            },
            "recovery": setting.recovery,
            "public": public,
            "vocabulary": dict(setting.vocabulary),
            "randomness": "operating system" if setting.secure else "seeded: not for release",
        }

    def to_json(self) -> str:
        """The report as indented JSON text."""
        return json_text(self.to_data())

    def warnings(self) -> list[str]:
        """What must be said even to those who asked for quiet."""
        lines, unsettled = self.setting.warnings(), self.tally.kinds.get(UNSETTLED, 0)
        if unread := self.tally.kinds.get(UNREAD, 0):
            lines.insert(
                0,
                f"OTHER LANGUAGES: {_counted(unread, 'text')} in languages that detection has no rules for: most names "
                "in them stay. Set `other_languages` in the policy to refuse or mask such texts.",
            )
        if unsettled:
            lines.append(
                f"ORDER OF DATES UNKNOWN: in {_counted(unsettled, 'text')} no date tells whether the day or the month "
                "is first; they count as month first. Set `order` in the rule for dates."
            )
        return lines

    def summary(self) -> str:
        """The report for a reader, a few lines; the last ones are the statement."""
        setting, tally = self.setting, self.tally
        document = costliest(setting, tally.largest)
        everything = self._everything()
        lines = self.warnings()
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.kinds.items()))
        policy = setting.policy
        spans, tokens = policy is not None and policy.finds_spans, policy is None or policy.draws_words
        costly = "the values found in the costliest" if spans and not tokens else "the costliest"
        drawn = "text" if setting.whole_texts else "draw that costs" if spans else "protected token"
        lines += [
            f"documents   {tally.documents}",
            *([] if setting.whole_texts or not tokens else [f"tokens      {counts or 'none'}"]),
            *(policy_lines(setting, tally.kinds, self.recall) if setting.policy is not None else []),
            *(
                [f"mechanism   {setting.mechanism} {_parameters(setting.parameters)}".rstrip()]
                if setting.mechanism
                else []
            ),
            *(
                []
                if spans
                else [f"per {'text ' if setting.whole_texts else 'token'}   {guarantee_line(setting.token)}"]
            ),
            *([f"compares    {setting.one_token}"] if setting.one_token.shared and not policy else []),
            *_number_lines(setting),
            *(short_number_lines(setting.unchanged_numbers) if tally.kinds.get("number") else []),
            *([] if self.persons is None else self.persons.lines(setting)),
            f"per document {guarantee_line(document.guarantee)} for {costly}, {_counted(document.tokens, drawn)}",
            *optimal_lines(document.accountants),
            f"whole input {guarantee_line(everything.spent)} for {_counted(self._drawn(), drawn)}, as if one person's",
            *optimal_lines([everything]),
            *recovery_lines(setting.recovery),
            *_vocabulary_lines(setting.vocabulary),
            f"public      {_public(setting)}",
        ]
        if self.sanitized_fields:
            kept = f"; copied as they were: {', '.join(self.kept_fields)}" if self.kept_fields else ""
            nulls = f"; {_counted(self.nulls, 'null')} kept" if self.nulls else ""
            lines.append(f"fields      sanitized: {', '.join(self.sanitized_fields)}{kept}{nulls}; all others dropped")
            lines += [f"columns     {line}" for line in _public_columns(self.columns)]
        elif self.nulls:
            lines.append(f"missing     {_counted(self.nulls, 'document')} without a text, as the output shows")
        return "\n".join([*lines, *self.statement])


@final
class SanitizedTexts(NamedTuple):
    """The texts of a list, released.

    Attributes:
        texts: in order; what was missing is as it was.
        report: of all of them; each text is one document.
    """

    texts: list[Any]
    report: Report


def _public_columns(columns: Mapping[str, Any]) -> list[str]:
    """What columns that were read tell of a release."""
    scope = columns.get("scope_column")
    same = [f"which spans are equal in all records of one {scope!r}"] if scope else []
    return [*same, *(f"where the field {name!r} stands, as {kind}" for name, kind in columns.get("known", {}).items())]


def _counted(count: int, what: str) -> str:
    if count == 1:
        return f"1 {what}"
    head, that, tail = what.partition(" that costs")
    return f"{count} {head}s{' that cost' if that else ''}{tail}"


def _public(setting: Setting) -> str:
    if setting.whole_texts:
        outside = "all text outside the spans; " if setting.of_spans else ""
        return f"{outside}{setting.written}; number and order of documents"
    if setting.policy is not None and not setting.policy.draws_words:
        said = "their kinds, how they are escaped and what is said of each kind"
        return f"all text outside the spans; where spans are, {said}"
    form = " as they are" if setting.marks == "keep" else " in plain form"
    spans = setting.policy is not None and setting.policy.finds_spans
    shown = "where spans are, their kinds and what is said of each kind" if spans else "digits a number has"
    groups = f"; {setting.one_token.shared}" if setting.one_token.shared else ""
    if setting.policy is not None and setting.policy.common_words is not None:
        return "; ".join([*setting.policy.public[:-1], *(["what is said of each kind"] if spans else [])])
    return f"vocabulary; number, order and kinds of tokens{groups}; {shown}; spacing, punctuation{form}"


def _vocabulary_lines(vocabulary: Mapping[str, Any]) -> list[str]:
    if not vocabulary:
        return []
    return [f"vocabulary  {vocabulary['name']}: {vocabulary['words']} words, sha256 {vocabulary['digest'][:16]}"]


def _number_lines(setting: Setting) -> list[str]:
    limit = setting.digit_keep_limit
    if limit is None:
        return []
    kept = (
        f"no digit stays with probability above {limit:.6g}" if limit < 1 else "a digit may stay with any probability"
    )
    numbers = [guarantee.guarantee for guarantee in setting.protected if guarantee.kind == "number"]
    return [f"numbers     {guarantee_line(guarantee)} for one, shared over its digits; {kept}" for guarantee in numbers]


def _parameters(parameters: Mapping[str, Any]) -> str:
    shown = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items()).replace("\n", "\\n")  # a prompt has lines


@final
class DrawnSpan(NamedTuple):
    """The characters ``text[start:end]`` of the released text, drawn for a span of this kind."""

    start: int
    end: int
    kind: str


_SHORT: Final = 60
_LONG: Final = 20_000
"""Characters that a repr and a notebook show."""


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def _release_of(values: Mapping[str, Any]) -> Release:
    """A release of its attributes, for pickles."""
    return Release(**values)


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Release:
    """One document, released.

    Attributes:
        spans: where each token stands in ``text``, with its kind. Offsets of the private text are not
            kept: they would tell the length of every private word. Empty under a policy with spans, whose
            ``drawn_spans`` stand in their place.
        mapped: how many words were not in the vocabulary. For the sender only: it is computed from the
            private text and no guarantee covers it.
        word_vectors: gives the vectors of its words; None where a release was made by hand.
        drawn_spans: under a policy with spans, where in ``text`` what was drawn for each stands, with its kind: public.
        private_map: how to put the originals back: private. None where nothing can be undone, or where it was not asked
            for. Copies and pickles of a release leave it out.
    """

    text: str
    spans: tuple[Span, ...] = field(repr=False)
    kinds: Mapping[str, int]
    setting: Setting = field(repr=False)
    mapped: int = field(repr=False)
    word_vectors: WordVectors | None = field(default=None, repr=False, compare=False)
    drawn_spans: tuple[DrawnSpan, ...] = field(default=(), repr=False)
    private_map: PrivateMap | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {
            attribute.name: getattr(self, attribute.name)
            for attribute in fields(self)
            if attribute.name != "private_map"
        }
        return _release_of, (values,)

    def __repr__(self) -> str:
        """The beginning of the text, how much was drawn, and at which cost: all of it public."""
        return f"Release({_short(self.text, _SHORT)!r}, {self._note()})"

    def _repr_html_(self) -> str:
        """For notebooks: the text, with what was drawn marked by kind, and what it cost."""
        from textveil.detection.kinds import GROUPS
        from textveil.pages.rendering import rendered
        from textveil.pages.spans import colors_of, light_colors, pieces_of

        cut = len(self.text) > _LONG
        spans = [span for span in self.drawn_spans if span.end <= _LONG]
        return str(
            rendered(
                "release.html",
                pieces=list(pieces_of(self.text[:_LONG], spans)),
                cut=cut,
                colors=colors_of(GROUPS),
                colors_style=light_colors(),
                notes=[self._note(), *self.report().statement, *self.setting.warnings()],
            )
        )

    def _note(self) -> str:
        drawn = len(self.drawn_spans) or sum(self.kinds.get(kind, 0) for kind in self.setting.counted)
        policy = self.setting.policy
        spans = policy is not None and policy.finds_spans
        suffix = " for the values found" if policy is not None and spans and not policy.draws_words else ""
        return f"{_counted(drawn, 'span' if spans else 'draw')}, {guarantee_line(self.guarantee)}{suffix}"

    def vectors(self, prior: Reals | None = None) -> Vectors:
        """The mean vector of what each released word may stand for, word by word: free post-processing.

        Row i belongs to the i-th word of ``text``: sum over words x of P(x | the released word) v(x), v being the
        vocabulary's vectors. Numbers, placeholders, marks and spaces have no row. The first call of a sanitizer's
        releases reads all rows of the channel.

        Args:
            prior: how probable each word is, shape (n,); None is its frequency in public text.

        Returns:
            float32, shape (words of the release, dim).

        Raises:
            UnsupportedGuarantee: the mechanism is no channel of words.
            ParameterError: the prior is of another shape or holds other values.
        """
        if self.word_vectors is None:
            raise UnsupportedGuarantee("vectors need a release whose words a Sanitizer drew; got another.")
        return self.word_vectors.of(self.text, prior)

    @property
    def guarantee_per_token(self) -> Guarantee:
        """What holds for one token and any two words (or any two numbers of as many digits)."""
        return self.setting.token

    @property
    def guarantee(self) -> Guarantee:
        """What holds for the whole document: the composition over its words and numbers."""
        return self.accountant.spent

    @property
    def accountant(self) -> Accountant:
        """What was drawn for this document: ``spent``, ``optimal(delta)`` and ``remaining(budget)``."""
        return self.setting.accountant(self.kinds)

    @property
    def for_release(self) -> bool:
        """False where the draws came from a seed, or where the guarantee is neither proved nor certified."""
        return self.setting.for_release

    def report(self, recall: Mapping[str, Any] | None = None) -> Report:
        """The report of this one document.

        Args:
            recall: what was measured of the detection; see ``Report``.
        """
        tally = Tally()
        tally.add(self.kinds, self.mapped, self.setting.counted)
        return Report(setting=self.setting, tally=tally, recall=recall)

    def sender_report(self) -> SenderReport:
        """What the sender alone may know of this one document."""
        return SenderReport(setting=self.setting, mapped=self.mapped)
