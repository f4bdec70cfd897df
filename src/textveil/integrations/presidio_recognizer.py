"""Presidio's analyzer: textveil's detectors as a recognizer. The other way round is ``detection.presidio``."""

from collections.abc import Sequence
from typing import Any, Final

from textveil.detection.detectors import DEFAULT, combined
from textveil.detection.kinds import OWN
from textveil.detection.presidio import load_analyzer
from textveil.detection.spans import Detector

_PRESIDIO: Any = load_analyzer()
ENTITY_TYPES: Final = {kind.name: kind.labels.split()[0] for kind in OWN}
"""Presidio's names of kinds; others are their own in capitals."""


class TextveilRecognizer(_PRESIDIO.EntityRecognizer):  # type: ignore[misc]
    """Textveil's detectors as a recognizer of Presidio's analyzer.

    registry.add_recognizer(TextveilRecognizer())

    Args:
        detectors: names (``detection.detectors``) or objects.
        supported_language: of the analyzer in which it is asked; the detectors are not told.
        name: of the recognizer.
    """

    def __init__(
        self,
        detectors: Sequence[str | Detector] = DEFAULT,
        supported_language: str = "en",
        name: str = "TextveilRecognizer",
    ) -> None:
        self._detector = combined(detectors)
        named = {kind: ENTITY_TYPES.get(kind, kind.upper().replace("-", "_")) for kind in self._detector.kinds}
        self._entities = named
        super().__init__(
            supported_entities=sorted(set(named.values())), supported_language=supported_language, name=name
        )

    def load(self) -> None:
        """Nothing is left to load."""

    def analyze(self, text: str, entities: list[str] | None = None, nlp_artifacts: Any = None) -> list[Any]:
        """Return results for the spans of a text whose entity types are asked for."""
        make = _PRESIDIO.RecognizerResult
        metadata = {make.RECOGNIZER_NAME_KEY: self.name, make.RECOGNIZER_IDENTIFIER_KEY: self.id}
        labeled = [(self._entities[span.kind], span) for span in self._detector.detect([text])[0]]
        return [
            make(entity_type, span.start, span.end, float(span.score), recognition_metadata=dict(metadata))
            for entity_type, span in labeled
            if not entities or entity_type in entities
        ]
