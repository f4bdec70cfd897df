"""How much of what is labelled a detector finds: precision, recall and F2 by kind, and characters left in the open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from textveil.detection.checked import checked_spans
from textveil.detection.labelled import LabelledSpan, LabelledText
from textveil.detection.spans import DetectedSpan, Detector
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Progress

_BLOCK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of spans of one kind, or of all.

    A labelled span is hit where a found span of a right kind shares a character with it, exact where their ends agree
    too, and covered where each of its characters lies in found spans of any kind. A found span is right where it shares
    a character with a label that its kind is right for.

    Attributes:
        labelled: spans of this kind in the labels.
        hit: of those, the ones that were hit.
        exact: of those, the ones that were found with their very ends.
        covered: of the labelled, the ones of which no character stays.
        found: spans of this kind that were found, apart from those over labels without a kind.
        right: of those, the right ones.
        characters: of the labelled spans.
        open: of those, the characters that no found span of any kind holds.
        confidence: of each interval.
    """

    labelled: int
    hit: int
    exact: int
    covered: int
    found: int
    right: int
    characters: int
    open: int
    confidence: float

    @property
    def recall(self) -> Bound | None:
        """Hit of labelled, with the exact interval of independent spans; None where nothing is labelled."""
        return _share(self.hit, self.labelled, self.confidence)

    @property
    def precision(self) -> Bound | None:
        """Right of found; None where nothing was found, or nothing is labelled of this kind."""
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
        """JSON data; intervals as objects, None where there is none."""
        record: dict[str, Any] = {name: getattr(self, name) for name in ("labelled", "found")}
        for name in ("precision", "recall", "f2"):
            bound = getattr(self, name)
            record[name] = None if bound is None else bound._asdict()
        record |= {name: getattr(self, name) for name in ("hit", "exact", "covered", "right", "characters", "open")}
        return record


class Missed(NamedTuple):
    """A labelled span of which characters stay in the open: private, for the sender alone.

    Attributes:
        document: its number, from 1.
        start: its first character.
        end: one past its last.
        kind: what it is labelled as.
        value: its characters.
    """

    document: int
    start: int
    end: int
    kind: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a detector found in labelled texts.

    Attributes:
        corpus: what reports call the texts.
        detector: its name.
        documents: how many.
        policy: name and digest of the policy that was measured; None where detectors alone were, and no report of a
            release may quote it.
        kinds: the score of each kind that is labelled or was found, by name.
        all: the score of all labelled spans, where any kind is right.
        missed: labelled spans that are not covered: private, and in no JSON.
    """

    corpus: str
    detector: str
    documents: int
    kinds: dict[str, Score]
    all: Score
    missed: tuple[Missed, ...] = field(repr=False)
    policy: Mapping[str, str] | None = None

    def to_data(self) -> dict[str, Any]:
        """What may be shown: counts and intervals, no text."""
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

    Raises:
        InputError: the detector's answer is not sound.
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
        labels = _meeting(span, document.spans)
        if labels and not any(label.kinds for label in labels):
            continue  # a title, a people: right or wrong, it says nothing
        right_kind = any(span.kind in label.kinds for label in labels)
        labelled = any(label.kinds for label in labels)
        kinds.setdefault(span.kind, Counter()).update(found=1, right=right_kind, any=labelled)
    return missed


def _meeting(span: DetectedSpan | LabelledSpan, others: Iterable[Any]) -> list[Any]:
    """Those of ``others`` that share a character with ``span``."""
    return [other for other in others if other.start < span.end and span.start < other.end]


def _score(counts: Counter[str], confidence: float) -> Score:
    names = ("labelled", "hit", "exact", "covered", "found", "right", "characters", "open")
    return Score(**{name: counts[name] for name in names}, confidence=confidence)


def _share(part: int, whole: int, confidence: float) -> Bound | None:
    return clopper_pearson(part, whole, confidence) if whole else None


def _f2(precision: float, recall: float) -> float:
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0
