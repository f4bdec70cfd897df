"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from textveil.detection import people_in_records, technical
from textveil.detection.addresses import find_addresses
from textveil.detection.combined import covering
from textveil.detection.found import Found, in_phases
from textveil.detection.gates import Together, opened
from textveil.detection.kinds import KINDS
from textveil.detection.languages import language_of
from textveil.detection.mentions import with_enumerated, with_mentions
from textveil.detection.ordinary_words import LANGUAGES
from textveil.detection.other_languages import ORDINARY
from textveil.detection.phases import phases_for
from textveil.detection.phones import REGIONS
from textveil.detection.plain import Plain, plain
from textveil.detection.spans import DetectedSpan
from textveil.detection.tagger import tagged

NAME: Final = "embedded"

HIGHEST_SCORES: Final = MappingProxyType(
    {
        **dict.fromkeys(KINDS, 0.95),
        **dict.fromkeys(("person", "place", "organization", "time"), 0.8),
        **dict.fromkeys(("date", "age", "phone", "money"), 0.9),
    }
)
"""The highest score that spans of a kind have: a policy that asks for a higher one would find none of them."""

_TOGETHER: Final = 1 << 15
"""Characters of texts whose gates are asked together."""


class EmbeddedDetector:
    """Finds every kind of span but ``number`` in English text, in linear time.

    A search sees what the ones before it left. What decides is stated in docs/detection.md.

    Args:
        regions: whose telephone numbers are known without a country code: ISO 3166 codes.
        tagger: whether the learned tagger judges the names that no rule has evidence for.
    """

    def __init__(self, regions: Sequence[str] = REGIONS, *, tagger: bool = True) -> None:
        self.name = NAME
        self.highest_scores = HIGHEST_SCORES
        self._regions = tuple(regions)
        self._tagger = tagger
        self.kinds = tuple(kind for kind in KINDS if kind != "number")

    def __reduce__(self) -> tuple[Callable[..., EmbeddedDetector], tuple[tuple[str, ...]]]:
        return partial(type(self), tagger=self._tagger), (self._regions,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        languages = [language_of(text) for text in texts]
        spans: list[list[DetectedSpan]] = [[] for _ in texts]
        for language in dict.fromkeys(languages):
            here = [number for number, of_text in enumerate(languages) if of_text == language]
            for group in _groups(here, texts):
                for number, detected in zip(
                    group, self._detected([texts[index] for index in group], language), strict=True
                ):
                    spans[number] = detected
        return spans

    def _detected(self, texts: Sequence[str], language: str) -> Iterator[list[DetectedSpan]]:
        readings = list(map(plain, texts))
        phases = phases_for(self._regions, language)
        if len(texts) == 1:
            yield self._judged(texts[0], readings[0], language, *in_phases(readings[0].text, phases))
            return
        together = Together([read.text for read in readings])
        by_phase = [opened([row.gate for row in phase.rows], together) for phase in phases]
        for text, read, seen, numbers in zip(texts, readings, together.seen, zip(*by_phase, strict=True), strict=True):
            yield self._judged(text, read, language, *in_phases(read.text, phases, seen, numbers))

    def _judged(self, text: str, read: Plain, language: str, candidates: list[Found], rest: str) -> list[DetectedSpan]:
        candidates = sorted(span for span in candidates if span.kind not in (ORDINARY, technical.CODE))
        candidates = with_mentions(read.text, with_enumerated(read.text, candidates))
        if self._tagger and language not in LANGUAGES:
            candidates = with_mentions(read.text, tagged(read.text, rest, candidates))
        candidates = people_in_records.with_addressed(read.text, candidates)
        spans = [
            DetectedSpan(*read.original(span.start, span.end), span.kind, span.score, NAME, span.why)
            for span in candidates
        ]
        # What a path of a URL may hold is nearly anything: also what covers an e-mail address that it runs into.
        met = any(after.start < before.end for before, after in pairwise(candidates))
        if read.places is not None:
            # An address may be one only by a mark or an invisible character that the plain form leaves out.
            written = [DetectedSpan(span.start, span.end, span.kind, span.score, NAME) for span in find_addresses(text)]
            if written:
                return covering(text, spans + written)
        return covering(text, spans) if met else spans


def _groups(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    group: list[int] = []
    size = 0
    for number in numbers:
        size += len(texts[number])
        if group and size > _TOGETHER:
            yield group
            group, size = [], len(texts[number])
        group.append(number)
    if group:
        yield group


@lru_cache(maxsize=8)
def embedded_detector(*, regions: tuple[str, ...] = REGIONS) -> EmbeddedDetector:
    """The embedded detector; one object for equal regions."""
    return EmbeddedDetector(regions)
