"""Presidio's analyzer on this machine; the one file that imports presidio_analyzer."""

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from textveil.detection.detectors import by_pieces, kinds_of_labels
from textveil.detection.spacy import blank_pipeline, load_pipeline
from textveil.detection.spans import DetectedSpan
from textveil.errors import MissingExtra, ModelError, need

EXTRA: Final = "presidio"

_PIECE: Final = 5_000
"""Characters that the analyzer gets at once: some patterns, and the search for the context of a match, take time in
proportion to the square of what they read."""


@cache
def load_analyzer() -> ModuleType:
    """Import presidio_analyzer, or raise MissingExtra."""
    with MissingExtra("presidio-analyzer", EXTRA):
        import presidio_analyzer
    return presidio_analyzer


def analyzer_engine(pipeline: Any = None, language: str = "en") -> Any:
    """Return an ``AnalyzerEngine`` with Presidio's default recognizers, none of which leaves this machine.

    Args:
        pipeline: a spaCy pipeline; None takes a blank one, so that patterns and the words around them are all that
            counts: no names, places and organizations.
        language: a code, as "en".

    Raises MissingExtra: presidio-analyzer is not installed; ModelError: Presidio has no recognizers for the language.
    """
    presidio = load_analyzer()
    from presidio_analyzer.recognizer_registry import RecognizerRegistryProvider

    engine = _nlp_engine(pipeline, language)
    try:
        provider = RecognizerRegistryProvider(registry_configuration={"supported_languages": [language]})
        registry = provider.create_recognizer_registry()
        if pipeline is not None:
            registry.add_nlp_recognizer(nlp_engine=engine)
        analyzer = presidio.AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[language])
    except Exception as error:  # whatever Presidio makes of a language
        raise ModelError(
            f"Presidio must have recognizers for the language {language}; got {type(error).__name__}. Try 'en'."
        ) from error
    for recognizer in registry.recognizers:
        _keep_offline(recognizer)
    return analyzer


def _keep_offline(recognizer: Any) -> None:
    """Let a recognizer of e-mail addresses judge domains by the list in its package.

    It asks ``tldextract``, which fetches the newest list of public suffixes when it is first used.
    """
    import tldextract
    from presidio_analyzer.predefined_recognizers import EmailRecognizer

    if isinstance(recognizer, EmailRecognizer):
        extract = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())
        changed: Any = recognizer
        changed.validate_result = lambda pattern_text: extract(pattern_text).fqdn != ""


def _nlp_engine(pipeline: Any, language: str) -> Any:
    """Presidio's engine around a pipeline that is loaded here: its own would download what it does not find."""
    from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine

    engine: Any = SpacyNlpEngine(models=[{"lang_code": language, "model_name": "on disk"}])
    engine.nlp = {language: blank_pipeline(language) if pipeline is None else pipeline}
    if pipeline is not None:
        return engine

    def artifacts(document: Any, language: str) -> Any:
        # A blank pipeline has no lemmas, and Presidio looks for context among lemmas: words take their places.
        return NlpArtifacts(
            entities=[],
            tokens=document,
            tokens_indices=[token.idx for token in document],
            lemmas=[token.lower_ for token in document],
            nlp_engine=engine,
            language=language,
            scores=[],
        )

    engine._doc_to_nlp_artifact = artifacts
    return engine


@contextlib.contextmanager
def _nothing_skipped() -> Iterator[None]:
    """Presidio goes on without a pattern that takes over a minute, and logs it; here it fails."""

    def refuse(record: logging.LogRecord) -> bool:
        if "timed out" in str(record.msg):
            raise TimeoutError
        return True

    logger = logging.getLogger("presidio-analyzer")
    logger.addFilter(refuse)
    try:
        yield
    finally:
        logger.removeFilter(refuse)


class PresidioDetector:
    """Finds what an ``AnalyzerEngine`` finds; made by ``presidio_detector``."""

    def __init__(
        self,
        model: Path | str | None,
        language: str,
        labels: Mapping[str, str | None] | None,
        threshold: float,
        analyzer: Any,
    ) -> None:
        self._asked = (model, language, None if labels is None else dict(labels), threshold, analyzer)
        load_analyzer()
        self._language, self._threshold = language, threshold
        pipeline, name = (None, "") if model is None else load_pipeline(model)
        self._analyzer = analyzer_engine(pipeline, language) if analyzer is None else analyzer
        parts = ["presidio-" + version("presidio-analyzer"), name, "" if analyzer is None else "own"]
        self.name = "+".join(part for part in parts if part)
        self._kinds = kinds_of_labels(sorted(self._analyzer.get_supported_entities(language)), labels, "Presidio")
        self.kinds = tuple(dict.fromkeys(self._kinds.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return PresidioDetector, self._asked

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``; raise InputError if a recognizer failed."""
        return by_pieces(self.name, texts, _PIECE, self._found)

    def _found(self, texts: list[str]) -> Iterator[list[DetectedSpan]]:
        entities = sorted(self._kinds)
        for text in texts:
            with _nothing_skipped():
                results = self._analyzer.analyze(
                    text, self._language, entities=entities, score_threshold=self._threshold
                )
            yield [
                DetectedSpan(
                    int(result.start), int(result.end), self._kinds[result.entity_type], float(result.score), self.name
                )
                for result in results
                if result.start < result.end
            ]


def presidio_detector(
    model: Path | str | None = None,
    *,
    language: str = "en",
    labels: Mapping[str, str | None] | None = None,
    threshold: float = 0.0,
    analyzer: Any = None,
) -> PresidioDetector:
    """Return what Presidio's analyzer finds: its default recognizers, with or without a spaCy pipeline.

    Args:
        model: a spaCy pipeline in a folder or an installed package; None is a blank one (``analyzer_engine``).
        language: a code, as "en".
        labels: kinds by Presidio's entity types, before the table of ``detection.detectors``; None leaves spans out.
        threshold: results with a lower score are left out, from 0 to 1. Presidio's weakest patterns have 0.01.
        analyzer: an ``AnalyzerEngine`` of your own, with any NLP engine and recognizers, in the place of ``model``.

    Raises MissingExtra: presidio-analyzer is not installed; ModelError: no such pipeline; ParameterError: an entity
    type has no kind, or ``threshold`` is outside.
    """
    need(0 <= threshold <= 1, "threshold", threshold, "from 0 to 1")
    need(analyzer is None or model is None, "model", "a pipeline", "left out where `analyzer` is given")
    return PresidioDetector(model, language, labels, threshold, analyzer)
