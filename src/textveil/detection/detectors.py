"""Detectors by name, as policies and the command line write them; detectors of numbers and of tokens.

Third parties add one by an entry point in the group ``textveil.detectors``: a function or class that makes it, called
without arguments, or with the folder that stands behind a colon.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from textveil.detection.spans import CombinedDetector, DetectedSpan, Detector
from textveil.errors import ParameterError, need
from textveil.registry.table import Table
from textveil.text.numbers import marked_numerals
from textveil.text.patterns import lazy_regex, matches
from textveil.text.tokens import Kind, tokenize

ENTRY_POINT_GROUP: Final = "textveil.detectors"


class DetectorEntry(NamedTuple):
    """The name of a detector, and what makes it: of nothing, or of the folder of a model."""

    name: str
    make: Callable[..., Any]

    def detector(self, folder: str) -> Detector:
        """Return the detector, with the folder that stands behind the name.

        Raises:
            ParameterError: the folder is missing, or given although it takes none; or what is made is no detector.
        """
        try:
            parameters = inspect.signature(self.make).parameters.values()
        except ValueError:  # of a builtin, which says nothing
            parameters = ()  # type: ignore[assignment]
        places = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
        if places and places[0].default is inspect.Parameter.empty:
            hint = "Name the folder of a model on this machine."
            need(bool(folder), "detector", self.name, f"{self.name}:FOLDER", hint)
        need(bool(places) or not folder, "detector", f"{self.name} with a folder", f"{self.name} alone")
        detector = self.make(folder) if folder else self.make()
        if not isinstance(detector, Detector):
            raise ParameterError(f"entry point {self.name} must make a detector; got {type(detector).__name__}.")
        return detector


DETECTORS: Final[Table[DetectorEntry]] = Table(
    "detector",
    ENTRY_POINT_GROUP,
    {
        "embedded": "textveil.detection.embedded:embedded_detector",
        "numbers": "textveil.detection.detectors:NumberDetector",
        "presidio": "textveil.detection.presidio:presidio_detector",
        "spacy": "textveil.detection.spacy:spacy_detector",
        "transformers": "textveil.detection.transformers:transformers_detector",
        "gliner": "textveil.detection.gliner:gliner_detector",
    },
    lambda name, make: DetectorEntry(name, make) if callable(make) else None,
    "a function or class that makes a detector",
)
"""textveil's own; the folder of a model follows the name of some: "spacy:models/en_core_web_sm"."""

DEFAULT: Final = ("embedded", "numbers")
"""What ``tv.detect`` and ``textveil detect`` use."""

_WANTED: Final = "names of detectors, or objects with `detect`"


def detector_of(name: str) -> Detector:
    """Return the detector of a name, made with its defaults.

    Args:
        name: one of ``DETECTORS``, or one that an installed package adds; of spacy, transformers and gliner with a
            colon and the folder of a model.

    Raises:
        UnknownNameError: there is none of that name.
        ParameterError: the folder is missing, or given where there is none; or a package adds what is no detector.
        MissingExtra: its package is not installed.
    """
    written, _, folder = name.partition(":")
    return DETECTORS.find(written).detector(folder)


def detect(
    text: str, detectors: str | Detector | Sequence[str | Detector] = DEFAULT, *, min_score: float = 0.0
) -> list[DetectedSpan]:
    """Return detectors' spans of a text: ``start``, ``end``, ``kind``, ``score``, by start, none overlapping.

    What is found is no guarantee: recall is measured, never proved.

    Args:
        text: any string.
        detectors: names (``DETECTORS``) or objects, by rank where spans of one length overlap.
        min_score: spans with a lower score are left out, from 0 to 1; 0.35 leaves out guesses without evidence.

    Raises:
        ParameterError: an unknown detector, or none at all; a score that no span has.
        InputError: a detector's answer is not one of spans of the text.
    """
    need(isinstance(text, str), "text", type(text).__name__, "one string", "Call it once for each text.")
    single = isinstance(detectors, str | Detector)
    need(single or isinstance(detectors, Iterable), "detectors", type(detectors).__name__, _WANTED)
    given = [cast(str | Detector, detectors)] if single else list(cast(Iterable[str | Detector], detectors))
    need(bool(given), "detectors", "none", "at least one")
    return combined(given, min_score).detect([text])[0]


def combined(detectors: Sequence[str | Detector], min_score: float = 0.0) -> CombinedDetector:
    """Return several detectors by rank as one; spans with a score below ``min_score`` count as not found.

    Raises:
        ParameterError: an unknown detector, or an object that is none; a score that no span has.
    """
    for detector in detectors:
        need(isinstance(detector, str | Detector), "detectors", f"one of type {type(detector).__name__}", _WANTED)
    return CombinedDetector(
        [detector_of(detector) if isinstance(detector, str) else detector for detector in detectors], min_score
    )


TOKEN_SPANS: Final = MappingProxyType({"emoji": Kind.EMOJI, "symbol": Kind.SYMBOL, "script": Kind.SCRIPT})
"""Kinds of spans that are kinds of tokens: emoji in a row, other symbols, and words of other writings."""
_HAS_OTHERS: Final = re.compile(r"[^\t-\r\x20-\x7e]").search
"""Most texts have nothing that could be one: of ASCII only control characters are symbols."""


class TokenKindDetector:
    """Finds every token of some kinds of ``TOKEN_SPANS``, by default all, as ``text.tokens`` reads them."""

    def __init__(self, kinds: Sequence[str] | None = None) -> None:
        wanted = tuple(TOKEN_SPANS if kinds is None else kinds)
        for kind in wanted:
            need(kind in TOKEN_SPANS, "kinds", repr(kind)[:40], f"among {', '.join(TOKEN_SPANS)}")
        self.name = "tokens"
        self.kinds = wanted
        self._names = {TOKEN_SPANS[kind]: kind for kind in wanted}

    def __reduce__(self) -> tuple[type[TokenKindDetector], tuple[tuple[str, ...]]]:
        return type(self), (self.kinds,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [self._found(text) if _HAS_OTHERS(text) else [] for text in texts]

    def _found(self, text: str) -> list[DetectedSpan]:
        names = self._names
        return [
            DetectedSpan(start, end, names[kind], 1.0, self.name)
            for start, end, kind in tokenize(text)
            if kind in names
        ]


_NUMBERS: Final = lazy_regex(r"\d+(?:[.,]\d+)*")


class NumberDetector:
    """Finds runs of digits and numerals of any writing but letters, with '.' and ',' between them."""

    name = "numbers"
    kinds = ("number",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[DetectedSpan]:
        for match in matches(_NUMBERS, marked_numerals(text)):
            yield DetectedSpan(*match.span(), "number", 1.0, self.name)
