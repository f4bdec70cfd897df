"""Labelled documents, how much of them a detector finds (precision, recall, F2 by kind), and a page of its spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from textveil.detection.detectors import kind_of_label
from textveil.detection.kinds import GROUPS, KINDS
from textveil.detection.spans import DetectedSpan, Detector, checked_spans
from textveil.errors import InputError
from textveil.json_text import json_data
from textveil.pages.layout import Line, sections
from textveil.pages.rendering import colors_of, pieces_of, rendered
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Progress

_BLOCK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of spans of one kind, or of all.

    A labelled span is hit where a found span of a right kind shares a character with it, exact where their ends agree
    too, and covered where each of its characters lies in found spans of any kind. A found span is right where it shares
    a character with a label that its kind is right for.
    """

    labelled: int  # spans of this kind in the labels
    hit: int  # of those, the ones that were hit
    exact: int  # of those, the ones that were found with their very ends
    covered: int  # of the labelled, the ones of which no character stays
    found: int  # spans of this kind that were found, apart from those over labels without a kind
    right: int  # of those, the right ones
    characters: int  # of the labelled spans
    open: int  # of those, the characters that no found span of any kind holds
    confidence: float  # of each interval

    @property
    def recall(self) -> Bound | None:
        """Hit of labelled, with the exact interval of independent spans; None if nothing is labelled."""
        return _share(self.hit, self.labelled, self.confidence)

    @property
    def precision(self) -> Bound | None:
        """Right of found; None if nothing was found, or nothing is labelled of this kind."""
        return _share(self.right, self.found, self.confidence) if self.labelled else None

    @property
    def f2(self) -> Bound | None:
        """The F-measure that counts recall four times precision; its interval from theirs at half the risk each."""
        if not self.labelled or not self.found:
            return None
        half = (1 + self.confidence) / 2
        recall, precision = _share(self.hit, self.labelled, half), _share(self.right, self.found, half)
        assert recall is not None and precision is not None
        lower, estimate, upper = (
            _f2(precision_end, recall_end) for precision_end, recall_end in zip(precision[:3], recall[:3], strict=True)
        )
        return Bound(lower, estimate, upper, self.confidence)

    def to_data(self) -> dict[str, Any]:
        """JSON data; intervals as objects, None if there is none."""
        record: dict[str, Any] = {name: getattr(self, name) for name in ("labelled", "found")}
        for name in ("precision", "recall", "f2"):
            bound = getattr(self, name)
            record[name] = None if bound is None else bound._asdict()
        record |= {name: getattr(self, name) for name in ("hit", "exact", "covered", "right", "characters", "open")}
        return record


class Missed(NamedTuple):
    """A labelled span of which characters stay in the open: private, for the sender alone."""

    document: int  # its number, from 1
    start: int  # its first character
    end: int  # one past its last
    kind: str  # what it is labelled as
    value: str  # its characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Counts of the spans that a detector found in labelled texts."""

    corpus: str  # what reports call the texts
    detector: str  # its name
    documents: int  # how many
    kinds: dict[str, Score]  # the score of each kind that is labelled or was found, by name
    all: Score  # the score of all labelled spans, where any kind is right
    missed: tuple[Missed, ...] = field(repr=False)  # labelled spans that are not covered: private, and in no JSON
    # name and digest of the policy that was measured; None where detectors alone were, and no report of a release may
    # quote it
    policy: Mapping[str, str] | None = None

    def to_data(self) -> dict[str, Any]:
        """Return what may be shown: counts and intervals, no text."""
        return {
            "corpus": self.corpus,
            "detector": self.detector,
            "policy": None if self.policy is None else dict(self.policy),
            "documents": self.documents,
            "kinds": {kind: score.to_data() for kind, score in self.kinds.items()},
            "all": self.all.to_data(),
        }


def evaluate(
    detector: Detector,
    texts: Sequence[LabelledText],
    *,
    corpus: str = "labelled",
    policy: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Evaluation:
    """Compare what a detector finds with labels.

    Intervals take spans for independent; in texts made from few templates they are too narrow.

    Args:
        detector: any.
        texts: labelled; at least one.
        corpus: what reports call them.
        policy: name and digest of the policy whose detection it is, if it is one's.
        confidence: of each interval, in (0, 1).
        progress: called with texts done and texts in all.

    Raises InputError: the detector's answer is not sound.
    """
    kinds: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    missed: list[Missed] = []
    for first in range(0, len(texts), _BLOCK):
        block = texts[first : first + _BLOCK]
        answers = checked_spans(detector, [document.text for document in block], first + 1)
        for number, (document, detected) in enumerate(zip(block, answers, strict=True), start=first + 1):
            missed += _compare(document, detected, number, kinds, total)
        if progress is not None:
            progress(first + len(block), len(texts))
    names = sorted(kinds)
    for name in names:  # a corpus does not label every kind: what is found of others is neither right nor wrong
        if kinds[name]["labelled"]:
            total.update(found=kinds[name]["found"], right=kinds[name]["any"])
    return Evaluation(
        corpus=corpus,
        detector=detector.name,
        documents=len(texts),
        kinds={name: _score(kinds[name], confidence) for name in names},
        all=_score(total, confidence),
        missed=tuple(missed),
        policy=policy,
    )


def _compare(
    document: LabelledText,
    detected: Sequence[DetectedSpan],
    number: int,
    kinds: dict[str, Counter[str]],
    total: Counter[str],
) -> list[Missed]:
    missed = []
    for label in document.spans:
        if not label.kinds:
            continue
        here = _meeting(label, detected)
        held = sum(min(span.end, label.end) - max(span.start, label.start) for span in here)
        length = label.end - label.start
        if held < length:
            missed.append(
                Missed(number, label.start, label.end, label.kinds[0], document.text[label.start : label.end])
            )
        right = [span for span in here if span.kind in label.kinds]
        for counts, hits in ((kinds.setdefault(label.kinds[0], Counter()), right), (total, here)):
            exact = any((span.start, span.end) == (label.start, label.end) for span in hits)
            counts.update(
                labelled=1, hit=bool(hits), exact=exact, covered=held == length, characters=length, open=length - held
            )
    for span in detected:
        if (labels := _meeting(span, document.spans)) and not any(label.kinds for label in labels):
            continue  # a title, a people: right or wrong, it says nothing
        right_kind = any(span.kind in label.kinds for label in labels)
        labelled = any(label.kinds for label in labels)
        kinds.setdefault(span.kind, Counter()).update(found=1, right=right_kind, any=labelled)
    return missed


def _meeting(span: DetectedSpan | LabelledSpan, others: Iterable[Any]) -> list[Any]:
    return [other for other in others if other.start < span.end and span.start < other.end]


def _score(counts: Counter[str], confidence: float) -> Score:
    names = ("labelled", "hit", "exact", "covered", "found", "right", "characters", "open")
    return Score(**{name: counts[name] for name in names}, confidence=confidence)


def _share(part: int, whole: int, confidence: float) -> Bound | None:
    return clopper_pearson(part, whole, confidence) if whole else None


def _f2(precision: float, recall: float) -> float:
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def spans_page(
    documents: Iterable[tuple[str, Sequence[DetectedSpan]]], detector: str, layouts: Sequence[Sequence[Line]] = ()
) -> str:
    """Return a page with every text, its spans (by start, none overlapping) and how many there are of each kind.

    ``layouts``: of files that are documents, the lines of each; a text without one is shown as it is.
    """
    documents = list(documents)
    shown = [list(pieces_of(text, spans)) for text, spans in documents]
    laid_out = [
        sections(text, spans, lines)
        for (text, spans), lines in zip(documents, layouts or [()] * len(shown), strict=True)
    ]
    counts = Counter(span.kind for _, spans in documents for span in spans)
    order = [*(kind for kind in KINDS if kind in counts), *sorted(counts.keys() - set(KINDS))]
    return rendered(
        "spans.html",
        title="Detected spans",
        documents=list(zip(shown, laid_out, strict=True)),
        counts=[(kind, counts[kind]) for kind in order],
        total=counts.total(),
        detector=detector,
        colors=colors_of(GROUPS),
    )


_LABELS: Final = MappingProxyType({"DATE_TIME": ("date", "time"), "DOMAIN_NAME": ("url",), "TITLE": (), "PREFIX": ()})
"""The kinds that count as right for labels that mean another thing here than in ``labels``, the first of which they are
reported under; what is labelled without a kind (a title, a people, a work) is no fault if found and none if missed."""


class LabelledSpan(NamedTuple):
    """The characters ``start`` to ``end`` of a text, and the kinds that are right for them; none: any is."""

    start: int
    end: int
    kinds: tuple[str, ...]


class LabelledText(NamedTuple):
    """A text with its labelled spans, by start."""

    text: str
    spans: tuple[LabelledSpan, ...]


def read_labelled(path: Path | str, own: Collection[str] = ()) -> list[LabelledText]:
    """Return the labelled texts of a file.

    Args:
        path: ``.json``: a list of objects with ``full_text`` and ``spans`` (``entity_type``, ``start_position``,
            ``end_position``); ``.jsonl``: an object a line with ``text`` and ``spans`` (``start``, ``end``, ``kind`` or
            ``label``); ``.conll`` or another ending: a token and its tag a line, parted by a tab or spaces, in
            B-, I- and O, with an empty line between texts.
        own: kinds that labels may name beside the usual ones: those of a policy's own lists and patterns.

    Raises:
        InputError: the file cannot be read, or a record is of another form or has an unknown label; by number.
    """
    place = Path(path)
    try:
        content = place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"the labelled file must be readable UTF-8 text; got {kind}. Check its path.") from None
    reader = {".json": _objects, ".jsonl": _lines}.get(place.suffix.lower(), _columns)
    texts = list(reader(content, own))
    if not any(text.spans for text in texts):
        raise InputError("the labelled file must hold a labelled span at least; got none. Is it the right file?")
    return texts


def _objects(content: str, own: Collection[str]) -> Iterator[LabelledText]:
    data = _parsed(content, "the labelled file")
    if not isinstance(data, list):
        raise InputError("the labelled file must be a JSON list of texts; got another value.")
    yield from (_record(record, number, own) for number, record in enumerate(data, start=1))


def _lines(content: str, own: Collection[str]) -> Iterator[LabelledText]:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield _record(_parsed(line, f"record {number} of the labelled file"), number, own)


def _parsed(content: str, what: str) -> Any:
    try:
        return json_data(content)
    except ValueError:
        raise InputError(f"{what} must be JSON; it is not.") from None


_TEXT: Final = ("full_text", "text")
_SPAN: Final = (("start_position", "start"), ("end_position", "end"), ("entity_type", "kind", "label"))


def _record(record: Any, number: int, own: Collection[str]) -> LabelledText:
    try:
        text = next(record[key] for key in _TEXT if key in record)
        spans = [
            [next(span[key] for key in keys if key in span) for keys in _SPAN] for span in record.get("spans") or ()
        ]
        labels = sorted(LabelledSpan(start, end, kinds_of(label, number, own)) for start, end, label in spans)
        sound = isinstance(text, str) and all(0 <= span.start < span.end <= len(text) for span in labels)
    except (AttributeError, KeyError, StopIteration, TypeError):
        sound = False
    if not sound:
        raise InputError(
            f"record {number} of the labelled file must have a text and spans inside it (start, end, kind); "
            "it has not. Correct it."
        )
    return LabelledText(text, tuple(labels))


def kinds_of(label: object, number: int, own: Collection[str]) -> tuple[str, ...]:
    """Return the kinds that are right for a label; ``own`` as in ``read_labelled``.

    Raises:
        InputError: it has none; the message holds the label, which names a kind and no person.
    """
    name = str(label)
    if name.upper() in _LABELS:
        return _LABELS[name.upper()]
    kind = name if name in own else kind_of_label(name)
    if kind is None:
        raise InputError(
            f"record {number} of the labelled file must have labels that are known; got {name[:40]!r}. "
            f"Use one of {', '.join(KINDS)}."
        )
    return (kind,) if kind else ()


def _columns(content: str, own: Collection[str]) -> Iterator[LabelledText]:
    rows: list[tuple[str, str]] = []
    for number, line in enumerate([*content.split("\n"), ""], start=1):
        fields = line.rsplit(None, 1)
        if len(fields) == 2:
            rows.append((fields[0].strip(), fields[1]))
        elif rows and not line.strip():
            yield _joined(rows, number, own)
            rows = []


def _joined(rows: Sequence[tuple[str, str]], number: int, own: Collection[str]) -> LabelledText:
    parts: list[str] = []
    spans: list[LabelledSpan] = []
    position, last = 0, ""
    for token, tag in rows:
        prefix, _, label = tag.partition("-")
        end = position + len(token)
        if label:
            kinds = kinds_of(label, number, own)
            if prefix == "I" and label == last:
                spans[-1] = spans[-1]._replace(end=end)
            else:
                spans.append(LabelledSpan(position, end, kinds))
        last = label
        parts.append(token)
        position = end + 1
    return LabelledText(" ".join(parts), tuple(spans))
