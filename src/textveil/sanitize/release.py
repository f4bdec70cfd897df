"""Releases: the released text with what was spent on it, and the report of a whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple

from textveil.errors import UnsupportedGuarantee
from textveil.json_text import json_text
from textveil.mechanisms.kinds import DrawsText
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee
from textveil.receipts import Left, Signer
from textveil.registry.table import lab_function
from textveil.sanitize import costs, policy_report
from textveil.sanitize.costs import costliest
from textveil.sanitize.policy_report import statement
from textveil.sanitize.setting import (
    COUNTED,
    GUESSED,
    UNREAD,
    UNSETTLED,
    Setting,
    found_of,
    recovery_lines,
    short_number_lines,
)
from textveil.surrogates.map_file import PrivateMap
from textveil.text.render import Span
from textveil.types import Reals, Vectors


@dataclass(slots=True)
class Tally:
    """Counts over the documents of a run.

    ``largest`` holds the Pareto-maximal counts of documents, by the setting's ``counted`` kinds: whatever a draw of
    each kind costs, the costliest document is among them. Zeros at the end are left out.
    """

    documents: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    largest: list[costs.Counts] = field(default_factory=list)
    mapped: int = 0

    @classmethod
    def of_equal(cls, documents: int, kinds: Mapping[str, int], mapped: int) -> Tally:
        """Count ``documents`` documents that are alike."""
        tally = cls()
        tally.add(kinds, mapped)
        tally.documents, tally.mapped = documents, mapped * documents
        tally.kinds = Counter({kind: count * documents for kind, count in kinds.items()})
        return tally

    def add(self, kinds: Mapping[str, int], mapped: int, counted: Sequence[str] = COUNTED) -> None:
        """Count one more document, with ``mapped`` words outside the vocabulary."""
        self.documents += 1
        self.kinds.update(kinds)
        self.largest = costs.with_largest(self.largest, costs.trimmed(kinds, counted))
        self.mapped += mapped

    def add_document(self, parts: Sequence[Release]) -> None:
        """Count one more document, made of one release or more."""
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
            self.largest = costs.with_largest(self.largest, counts)
        self.mapped += other.mapped


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Report on what was spent, over all documents of a run. Holds no text, and may be passed on with the release.

    ``recall``: measured recall of this policy's detection (``measured_risk.recall_of``); None if not measured;
    ``columns``: further columns that were read, by their use: "scope_column" and "known".
    """

    setting: Setting
    tally: Tally
    sanitized_fields: tuple[str, ...] = ()
    kept_fields: tuple[str, ...] = ()
    recall: Mapping[str, Any] | None = None
    nulls: int = 0  # number of sanitized fields of records without a text, which the output shows
    persons: costs.Persons | None = None  # the persons of the records, by a column; None if no column names them
    columns: Mapping[str, Any] = field(default_factory=dict)
    certificate: Mapping[str, Any] | None = None  # of a document: its parts, what was removed, what was checked
    release_sha256: str = ""  # of the released file; empty where the release is no file

    def __post_init__(self) -> None:
        policy_report.check_recall(self.recall, None if self.setting.policy is None else self.setting.policy.digest)

    def costliest(self) -> tuple[int, Guarantee]:
        """Return the protected tokens of the document with the largest epsilon, and a bound for every document."""
        worst = costliest(self.setting, self.tally.largest)
        return worst.tokens, worst.guarantee

    def _everything(self) -> Accountant:
        return self.setting.accountant(self.tally.kinds, self.setting.one_document.larger)

    def _drawn(self) -> int:
        return sum(self.tally.kinds.get(kind, 0) for kind in self.setting.counted)

    @property
    def statement(self) -> tuple[str, ...]:
        """Bottom line in words: what is hidden, what stays, and what holds of the text as a whole."""
        return statement(self.setting, self.tally.kinds)

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data; docs/guarantees.md documents the keys."""
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
            **policy_report.policy_data(setting, self.recall),
            "guarantee": {
                "per_token": policy_report.per_token_data(setting),
                **policy_report.per_value_data(setting),
                **({} if self.persons is None else {"per_person": self.persons.to_data(setting)}),
                "per_document": costliest(setting, tally.largest).to_data(),
                "whole_input": {
                    "protected_tokens": self._drawn(),
                    **everything.spent.to_data(),
                    "optimal": costs.optimal_data([everything]),
                },
                "by_kind": [{**part.to_data(), "count": tally.kinds.get(part.kind, 0)} for part in setting.protected],
                "digit_keep_limit": setting.digit_keep_limit,
                "unchanged_numbers": {str(digits): p for digits, p in setting.unchanged_numbers.items()},
            },
            "documents": tally.documents,
            "tokens": {kind: count for kind, count in sorted(tally.kinds.items()) if kind != GUESSED},
            "fields": {
                "sanitized": list(self.sanitized_fields),
                "kept": list(self.kept_fields),
                "nulls": self.nulls,
                **self.columns,
            },
            **({"release_sha256": self.release_sha256} if self.release_sha256 else {}),
            **({} if self.certificate is None else {"document": dict(self.certificate)}),
            "recovery": setting.recovery,
            "public": public,
            "vocabulary": dict(setting.vocabulary),
            "randomness": "operating system" if setting.secure else "seeded: not for release",
        }

    def to_json(self) -> str:
        return json_text(self.to_data())

    def warnings(self) -> list[str]:
        """Return what must be said even to users who asked for quiet."""
        unread, unsettled = (self.tally.kinds.get(kind, 0) for kind in (UNREAD, UNSETTLED))
        languages = (
            f"OTHER LANGUAGES: {_counted(unread, 'text')} in languages with few rules for detection, or none: names in "
            "them stay, but behind labels. Set `other_languages` in the policy to refuse or mask such texts."
        )
        dates = (
            f"ORDER OF DATES UNKNOWN: in {_counted(unsettled, 'text')} no date tells whether the day or the month "
            "is first; they count as month first. Set `order` in the rule for dates."
        )
        return [*([languages] if unread else []), *self.setting.warnings(), *([dates] if unsettled else [])]

    def _repr_html_(self) -> str:
        from textveil.pages.rendering import notebook

        counts = [(part, found_of(self.tally.kinds, part.kind)) for part in self.setting.protected]
        rows = [(part.kind, f"{count:,}", costs.guarantee_line(part.guarantee)) for part, count in counts if count]
        title = f"Report on {_counted(self.tally.documents, 'document')}"
        head = ("kind", "found", "one draw")
        return notebook(title, [*self.warnings(), *self.statement, "All of it: report.summary()"], head, rows)

    def summary(self) -> str:
        """Return the report for a reader, a few lines; the last ones are the statement."""
        setting, tally, policy = self.setting, self.tally, self.setting.policy
        spans, tokens = policy is not None and policy.finds_spans, policy is None or policy.draws_words
        lines = [*self.warnings(), f"documents   {tally.documents}"]
        if tokens and not setting.whole_texts:
            counts = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.kinds.items()) if kind != GUESSED)
            lines.append(f"tokens      {counts or 'none'}")
        if policy is not None:
            lines += policy_report.policy_lines(setting, tally.kinds, self.recall)
        if setting.mechanism:
            lines.append(f"mechanism   {setting.mechanism} {_parameters(setting.parameters)}".rstrip())
        if not spans:
            lines.append(f"per {'text ' if setting.whole_texts else 'token'}   {costs.guarantee_line(setting.token)}")
        if policy is None and setting.one_token.shared:
            lines.append(f"compares    {setting.one_token}")
        lines += _number_lines(setting)
        if tally.kinds.get("number"):
            lines += short_number_lines(setting.unchanged_numbers)
        if self.persons is not None:
            lines += self.persons.lines(setting)
        lines += self._cost_lines(spans=spans, tokens=tokens)
        lines += recovery_lines(setting.recovery)
        if setting.vocabulary:
            name, words, digest = (setting.vocabulary[key] for key in ("name", "words", "digest"))
            lines.append(f"vocabulary  {name}: {words} words, sha256 {digest[:16]}")
        lines += [f"public      {_public(setting)}", *self._field_lines(), *self.statement]
        return "\n".join(lines)

    def _cost_lines(self, *, spans: bool, tokens: bool) -> list[str]:
        document, everything = costliest(self.setting, self.tally.largest), self._everything()
        costly = "the values found in the costliest" if spans and not tokens else "the costliest"
        drawn = "text" if self.setting.whole_texts else "draw that costs" if spans else "protected token"
        lines = [
            f"per document {costs.guarantee_line(document.guarantee)} for {costly}, {_counted(document.tokens, drawn)}",
            *costs.optimal_lines(document.accountants),
        ]
        if self.persons is not None:  # whose cost is told: nobody wrote all of it
            return lines
        total = f"{costs.guarantee_line(everything.spent)} for {_counted(self._drawn(), drawn)}, as if one person's"
        return [*lines, f"whole input {total}", *costs.optimal_lines([everything])]

    def _field_lines(self) -> list[str]:
        if not self.sanitized_fields:
            missing = f"missing     {_counted(self.nulls, 'document')} without a text, as the output shows"
            return [missing] if self.nulls else []
        kept = f"; copied as they were: {', '.join(self.kept_fields)}" if self.kept_fields else ""
        nulls = f"; {_counted(self.nulls, 'null')} kept" if self.nulls else ""
        sanitized = f"fields      sanitized: {', '.join(self.sanitized_fields)}{kept}{nulls}; all others dropped"
        return [sanitized, *(f"columns     {line}" for line in _public_columns(self.columns))]


_FIRST, _SHOWN = 5, 300  # texts of a list that a notebook shows, and characters of each


class SanitizedTexts(NamedTuple):
    """The released texts of a list, in order, and their report. Missing texts are as they were."""

    texts: list[Any]
    report: Report

    def __repr__(self) -> str:
        return f"SanitizedTexts({len(self.texts)} texts; see .texts and .report.summary())"

    def _repr_html_(self) -> str:
        from textveil.pages.rendering import notebook

        texts = [text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …" for text in self.texts if isinstance(text, str)]
        return notebook("Released texts", [f"{len(texts)} in all."], texts=texts[:_FIRST]) + self.report._repr_html_()


def _public_columns(columns: Mapping[str, Any]) -> list[str]:
    scope = columns.get("scope_column")
    jobs = ", in all jobs with the key" if columns.get("scope_key") else ""
    same = [f"which spans are equal in all records of one {scope!r}{jobs}"] if scope else []
    structure = [line + (jobs if line.startswith("which") else "") for line in columns.get("structure", ())]
    return [
        *same,
        *structure,
        *(f"where the field {name!r} stands, as {kind}" for name, kind in columns.get("known", {}).items()),
    ]


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


def _number_lines(setting: Setting) -> list[str]:
    if (limit := setting.digit_keep_limit) is None:
        return []
    kept = (
        f"no digit stays with probability above {limit:.6g}" if limit < 1 else "a digit may stay with any probability"
    )
    numbers = [guarantee.guarantee for guarantee in setting.protected if guarantee.kind == "number"]
    return [
        f"numbers     {costs.guarantee_line(guarantee)} for one, shared over its digits; {kept}"
        for guarantee in numbers
    ]


def _parameters(parameters: Mapping[str, Any]) -> str:
    shown = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in parameters.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items()).replace("\n", "\\n")  # a prompt has lines


class DrawnSpan(NamedTuple):
    """Characters ``text[start:end]`` of the released text, drawn for a span of this kind."""

    start: int
    end: int
    kind: str


_SHORT: Final = 60
_LONG: Final = 20_000  # characters that a repr and a notebook show


def _release_of(values: Mapping[str, Any]) -> Release:  # for pickles, by which it is named
    return Release(**values)


class WordVectors:
    """Gives the vectors of one mechanism's releases, by a function of the package textveil-lab."""

    __slots__ = ("_mechanism", "_vectors")

    def __init__(self, mechanism: DrawsText) -> None:
        self._mechanism = mechanism
        self._vectors: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return WordVectors, (self._mechanism,)

    def of(self, text: str, prior: Reals | None) -> Vectors:
        """Return a row for each word of a released text, in order; see ``Release.vectors``."""
        if self._vectors is None:
            self._vectors = lab_function("word_vectors")(self._mechanism)
        return self._vectors.of(text, prior)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Release:
    """One document, released.

    Attributes:
        spans: start, end and kind of each token of ``text``. Offsets of the private text are not kept: they would tell
            the length of every private word. Empty under a policy with spans; see ``drawn_spans``.
        mapped: number of words that the vocabulary does not have. For the sender only: it is computed from the private
            text, and no guarantee covers it.
        word_vectors: makes the vectors of its words; None if the release was made by hand.
        drawn_spans: under a policy with spans, what stands in ``text`` for each of them: public.
        private_map: how to put the originals back: private. None if nothing can be undone, or if not requested. Copies
            and pickles of a release leave it out.
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
        names = [attribute.name for attribute in fields(self) if attribute.name != "private_map"]
        return _release_of, ({name: getattr(self, name) for name in names},)

    def __repr__(self) -> str:
        """Show the beginning of the text, how much was drawn, and at which cost: all of it public."""
        text = self.text if len(self.text) <= _SHORT else self.text[: _SHORT - 3] + "..."
        return f"Release({text!r}, {self._note()})"

    def _repr_html_(self) -> str:
        from textveil.detection.kinds import GROUPS
        from textveil.pages.rendering import colors_of, light_colors, pieces_of, rendered

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
        return f"{_counted(drawn, 'span' if spans else 'draw')}, {costs.guarantee_line(self.guarantee)}{suffix}"

    def vectors(self, prior: Reals | None = None) -> Vectors:
        """Return the mean vector of what each released word may stand for, word by word: free post-processing.

        Row i belongs to the i-th word of ``text``: sum over words x of P(x | the released word) v(x), v being the
        vocabulary's vectors. Numbers, placeholders, marks and spaces have no row. The first call of a sanitizer's
        releases reads all rows of the channel.

        ``prior``: probability of each word, shape (n,); None is its frequency in public text.

        Returns:
            float32, shape (words of the release, dim).

        Raises UnsupportedGuarantee: the mechanism is no channel of words; MissingLab: the package textveil-lab, which
        computes them, is not installed; ParameterError: the prior is of another shape or holds other values.
        """
        if self.word_vectors is None:
            raise UnsupportedGuarantee("vectors need a release whose words a Sanitizer drew; got another.")
        return self.word_vectors.of(self.text, prior)

    @property
    def guarantee_per_token(self) -> Guarantee:
        """Guarantee of one token, for any two words or any two numbers of as many digits."""
        return self.setting.token

    @property
    def guarantee(self) -> Guarantee:
        """Guarantee of the whole document: the composition over its words and numbers."""
        return self.accountant.spent

    @property
    def accountant(self) -> Accountant:
        """Accountant of this document's draws: ``spent``, ``optimal(delta)`` and ``remaining(budget)``."""
        return self.setting.accountant(self.kinds)

    @property
    def for_release(self) -> bool:
        """False if the draws came from a seed, or if the guarantee is neither proved nor certified."""
        return self.setting.for_release

    def report(self, recall: Mapping[str, Any] | None = None) -> Report:
        tally = Tally()
        tally.add(self.kinds, self.mapped, self.setting.counted)
        return Report(setting=self.setting, tally=tally, recall=recall)

    def receipt(self, signer: Signer) -> bytes:
        """Return a signed receipt of ``text`` in UTF-8; ``receipts.read_receipt`` and textveil verify check it."""
        return signer.receipt(self.report().to_data(), Left.of("text in UTF-8", self.text.encode("utf-8")))

    def sender_report(self) -> policy_report.SenderReport:
        """Report what the sender alone may know of this one document."""
        return policy_report.SenderReport(setting=self.setting, mapped=self.mapped)
