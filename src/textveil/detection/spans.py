"""The Protocol of detectors: texts in, spans with kinds out; their answers checked; several detectors as one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from textveil.errors import InputError, need, told_by_type


class DetectedSpan(NamedTuple):
    """The characters ``text[start:end]`` of a private text, and what they are.

    Attributes:
        start: the first character, from 0.
        end: one past the last; above ``start``.
        kind: one of ``kinds.KINDS`` or a user's own.
        score: how sure the detector is, from 0 to 1; scores of two detectors do not compare.
        detector: the name of the one that found it.
        why: the evidence in a word or two, such as "title" or "list"; empty if the detector does not say.
    """

    start: int
    end: int
    kind: str
    score: float
    detector: str
    why: str = ""


@runtime_checkable
class Detector(Protocol):
    """Finds spans in texts, each text by itself: a function of the text alone, without randomness.

    That it is a public function is what makes its findings part of the adjacency (privacy/proofs/policy.md); nothing is
    promised of what it misses. What it returns is checked before use (``checked_spans``).
    """

    @property
    def name(self) -> str:
        """For spans, reports and messages; with the version or digest of a model, if it has one."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that it can find."""

    def detect(self, texts: Sequence[str]) -> Sequence[Sequence[DetectedSpan]]:
        """For each text the spans found in it, by ``start``; no two of them share a character."""


def checked_spans(detector: Detector, texts: Sequence[str], first: int = 1) -> list[list[DetectedSpan]]:
    """Return what ``detector`` finds in each text, by start; messages number texts from ``first``.

    Raises:
        InputError: the answer is not one sequence of spans for each text, or a span is of another type, of a kind that
            the detector does not name, empty, outside the text, or shares characters with another; or the detector
            raised an error, which could quote a text, so that its type alone is told. The message names the text and
            the span by number, never by content.
    """
    name, kinds = detector.name, frozenset(detector.kinds)
    with told_by_type(f"detector {name} must return spans"):
        answer: Any = detector.detect([*texts])
    if not isinstance(answer, Sequence) or len(answer) != len(texts):
        raise InputError(
            f"detector {name} must return spans for each of {len(texts)} documents; got another number. "
            "Correct its `detect`."
        )
    return [
        _checked(name, kinds, spans, len(text), number)
        for number, (spans, text) in enumerate(zip(answer, texts, strict=True), start=first)
    ]


def _checked(name: str, kinds: frozenset[str], spans: Any, length: int, number: int) -> list[DetectedSpan]:
    if not isinstance(spans, Sequence):
        raise InputError(f"detector {name}, document {number}: spans must be a sequence; got {type(spans).__name__}.")
    spans = [*spans]  # read once: what is checked is what is used
    for place, span in enumerate(spans, start=1):
        if fault := _fault(span, kinds, length):
            raise InputError(f"detector {name}, document {number}, span {place}: {fault}. Correct its `detect`.")
    ordered = sorted(spans)
    for before, after in pairwise(ordered):
        if after.start < before.end:
            places = spans.index(before) + 1, spans.index(after) + 1
            raise InputError(
                f"detector {name}, document {number}, spans {min(places)} and {max(places)}: spans must not overlap; "
                "got two that share characters. Keep one of them in its `detect`."
            )
    return ordered


def _fault(span: Any, kinds: frozenset[str], length: int) -> str:
    if type(span) is not DetectedSpan:
        return f"a span must be a DetectedSpan; got {type(span).__name__}"
    ends = (span.start, span.end)
    if not all(type(end) is int for end in ends):
        return "start and end must be integers; got others"
    if not 0 <= span.start < span.end <= length:
        return "start and end must lie in the text, start before end; got others"
    if type(span.kind) is not str or span.kind not in kinds:
        return "its kind must be one that the detector names; got another"
    if isinstance(span.score, bool) or not isinstance(span.score, float | int) or not isfinite(span.score):
        return "its score must be a number from 0 to 1; got another"
    if not 0 <= span.score <= 1:
        return "its score must be from 0 to 1; got one outside"
    named = type(span.detector) is str and type(span.why) is str
    return "" if named else "its detector and its evidence must be strings; got others"


def checked_score(score: object) -> float:
    """Return ``score`` if it is a number from 0 to 1; raise ParameterError if not."""
    need(isinstance(score, int | float) and not isinstance(score, bool), "min_score", type(score).__name__, "a number")
    need(0 <= cast(float, score) <= 1, "min_score", score, "from 0 to 1")
    return float(cast(float, score))


def highest_score(detector: Detector, kind: str) -> float:
    """The highest score that a detector gives a span of a kind; 1 where it does not say in ``highest_scores``."""
    stated: Mapping[str, float] = getattr(detector, "highest_scores", {})
    return stated.get(kind, 1.0)


def need_reachable(min_score: float, highest: float, kind: str) -> None:
    """Raise ParameterError for a score above the highest: nothing of the kind would be found."""
    hint = "No detector scores higher, so nothing would be found."
    need(min_score <= highest, "min_score", min_score, f"at most {highest:g} for {kind}", hint)


def disjoint(spans: Iterable[DetectedSpan], order: Sequence[str] = ()) -> list[DetectedSpan]:
    """Return spans of which no two share a character, by start: the longer one is kept, then the one that ranks first.

    ``order`` ranks detectors; then the higher score decides, then the earlier start, then the kind.
    """
    best = sorted(spans, key=_better(order))
    kept: list[DetectedSpan] = []
    taken = bytearray(max((span.end for span in best), default=0))
    for span in best:
        # Spans kept so far are at least as long, so one that meets this one holds its first or its last character.
        if not (taken[span.start] or taken[span.end - 1]):
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            kept.append(span)
    return sorted(kept)


def covering(text: str, spans: Iterable[DetectedSpan], order: Sequence[str] = ()) -> list[DetectedSpan]:
    """Return spans of which no two share a character, and which hold every letter and digit that one of these holds.

    Spans of one kind that overlap become one. Of two kinds the longer span is kept, then the one that ranks first, as
    ``disjoint`` has it, and what the other has beside it stays a span of its own: dropping it would release half of a
    value. If one does not lie in the text, they are left as they are, for ``checked_spans`` to refuse.
    """
    given = list(spans)
    if not all(_in_text(span, len(text)) for span in given):
        return given
    taken = bytearray(len(text))
    kept: list[DetectedSpan] = []
    for span in sorted(_joined(given), key=_better(order)):
        free = _free(taken, span.start, span.end)
        kept += [span] if free == [(span.start, span.end)] else _parts(text, span, free)
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    return sorted(kept)


def _in_text(span: DetectedSpan, length: int) -> bool:
    ends = type(span.start) is int and type(span.end) is int
    return ends and 0 <= span.start < span.end <= length


def _parts(text: str, span: DetectedSpan, free: Iterable[tuple[int, int]]) -> Iterator[DetectedSpan]:
    """Yield what is left of a span, without white space at its ends, where a letter or digit is among it."""
    for start, end in free:
        part = text[start:end]
        if any(map(str.isalnum, part)):
            yield span._replace(start=end - len(part.lstrip()), end=start + len(part.rstrip()))


def _joined(spans: Iterable[DetectedSpan]) -> list[DetectedSpan]:
    joined: list[DetectedSpan] = []
    for span in sorted(spans, key=lambda span: (span.kind, span.start, span.end)):
        last = joined[-1] if joined else None
        if last is not None and last.kind == span.kind and span.start < last.end:
            joined[-1] = last._replace(end=max(last.end, span.end), score=max(last.score, span.score))
        else:
            joined.append(span)
    return joined


def _free(taken: bytearray, start: int, end: int) -> list[tuple[int, int]]:
    stretches = []
    while (begin := taken.find(0, start, end)) != -1:
        stop = taken.find(1, begin, end)
        start = end if stop == -1 else stop
        stretches.append((begin, start))
    return stretches


def _better(order: Sequence[str]) -> Callable[[DetectedSpan], Any]:
    rank = {name: place for place, name in enumerate(order)}
    return lambda span: (span.start - span.end, rank.get(span.detector, len(rank)), -span.score, span)


class CombinedDetector:
    """Finds what several detectors find, without overlaps (``covering``).

    ``detectors``: at least one, by rank; ``min_score``: spans with a lower score count as not found.

    Raises ParameterError: no span of the detectors has such a score.
    """

    def __init__(self, detectors: Sequence[Detector], min_score: float = 0.0) -> None:
        self._detectors = tuple(detectors)
        self._min_score = checked_score(min_score)
        highest = max((highest_score(detector, kind) for detector in detectors for kind in detector.kinds), default=1.0)
        need_reachable(self._min_score, highest, "any kind")
        self.name = "+".join(detector.name for detector in self._detectors)
        self.kinds = tuple(dict.fromkeys(kind for detector in self._detectors for kind in detector.kinds))

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """Return the spans of all, each detector's own checked first."""
        by_detector = [checked_spans(detector, texts) for detector in self._detectors]
        if self._min_score:
            least = self._min_score
            by_detector = [
                [[span for span in spans if span.score >= least] for spans in answer] for answer in by_detector
            ]
        if len(by_detector) == 1:
            return by_detector[0]
        order = [detector.name for detector in self._detectors]
        answers = zip(texts, *by_detector, strict=True)
        return [covering(text, (span for spans in here for span in spans), order) for text, *here in answers]
