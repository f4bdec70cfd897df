"""Entities of spaCy pipelines on this machine; the one file that imports spacy."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from textveil.detection.detectors import by_pieces, folder_name, kinds_of_labels
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, MissingExtra, ModelError, ParameterError, need

_PIECE: Final = 100_000
"""Characters that a pipeline gets at once: named entity recognition takes about a gigabyte for that many."""


@cache
def load_spacy() -> ModuleType:
    """Import spacy, or raise MissingExtra."""
    with MissingExtra("spacy", "spacy"):
        import spacy
    return spacy


def load_pipeline(model: Path | str) -> tuple[Any, str]:
    """A pipeline in a folder or in an installed package, and its name with digest or version; nothing is fetched.

    Raises MissingExtra: spacy is not installed; ModelError: no such pipeline.
    """
    spacy = load_spacy()
    if not Path(model).is_dir() and not spacy.util.is_package(str(model)):
        raise ModelError(
            "a spaCy pipeline must be a folder or an installed package; got neither under the name "
            f"{Path(model).name}. Nothing is ever downloaded: install it first."
        )
    try:
        nlp = spacy.load(model)
    except Exception as error:  # whatever a foreign library makes of a foreign file
        raise ModelError(
            f"a spaCy pipeline must load; got {type(error).__name__} for {Path(model).name}. Save it there again, with "
            f"spaCy {spacy.__version__}."
        ) from error
    if Path(model).is_dir():
        return nlp, folder_name(model)
    return nlp, f"{model}-{nlp.meta.get('version', '0')}"


def blank_pipeline(language: str) -> Any:
    """Return a pipeline that only cuts text into tokens; raise ParameterError if spaCy does not know the language."""
    try:
        return load_spacy().blank(language)
    except ImportError:
        raise ParameterError(f"language must be a code that spaCy knows; got {language}. Try 'en' or 'xx'.") from None


class SpacyDetector:
    """Entities that a pipeline puts on its documents; made by ``spacy_detector``.

    spaCy gives entities no score: theirs is 1. Spans of a span group keep the scores that the pipeline has for them.
    """

    def __init__(
        self, model: Path | str, labels: Mapping[str, str | None] | None, spans_key: str | None, batch: int
    ) -> None:
        self._asked = (model, None if labels is None else dict(labels), spans_key, batch)
        self._nlp, name = load_pipeline(model)
        self.name = f"spacy:{name}"
        own = _labels(self._nlp, spans_key)
        # A component that declares no labels may give any: those that `labels` names.
        silent = any(component not in self._nlp.pipe_labels for component in self._nlp.pipe_names)
        own += [label for label in labels or () if silent and label not in own]
        self._kinds = kinds_of_labels(own, labels, f"the pipeline {name}")
        self._known = frozenset(own)
        need(bool(self._kinds), "model", name, "a pipeline that finds entities", "Train it, or give `labels`.")
        self.kinds = tuple(dict.fromkeys(self._kinds.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return SpacyDetector, self._asked

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``; raise InputError if the pipeline failed, changed a text, or found an unknown label."""
        return by_pieces(self.name, texts, _PIECE, self._found)

    def _found(self, texts: list[str]) -> Iterator[list[DetectedSpan]]:
        *_, spans_key, batch = self._asked
        for text, document in zip(texts, self._nlp.pipe(texts, batch_size=batch), strict=True):
            if document.text != text:
                raise InputError(
                    f"detector {self.name} must leave texts as they are; got another. Correct the pipeline."
                )
            scored = [(entity, 1.0) for entity in document.ents]
            if spans_key is not None and spans_key in document.spans:
                group = document.spans[spans_key]
                scores = group.attrs.get("scores", [1.0] * len(group))
                scored += [(span, float(score)) for span, score in zip(group, scores, strict=True)]
            yield [span for entity, score in scored for span in self._span(entity, score)]

    def _span(self, entity: Any, score: float) -> Iterator[DetectedSpan]:
        if entity.label_ not in self._known:
            raise InputError(
                f"detector {self.name} must find what its pipeline has labels for; got another label. Give it a kind "
                "by `labels`."
            )
        if (kind := self._kinds.get(entity.label_)) is not None and entity.start_char < entity.end_char:
            yield DetectedSpan(entity.start_char, entity.end_char, kind, score, self.name)


def _labels(nlp: Any, spans_key: str | None) -> list[str]:
    assigned = {"doc.ents"} if spans_key is None else {"doc.ents", "doc.spans"}
    return [
        str(label)
        for component, labels in nlp.pipe_labels.items()
        if assigned.intersection(nlp.get_pipe_meta(component).assigns)
        for label in labels
    ]


def spacy_detector(
    model: Path | str, *, labels: Mapping[str, str | None] | None = None, spans_key: str | None = None, batch: int = 32
) -> SpacyDetector:
    """Entities that a spaCy pipeline finds.

    Args:
        model: a folder that ``nlp.to_disk`` wrote, or the name of an installed package as `en_core_web_sm`.
        labels: kinds by the pipeline's labels, before the table of ``detection.detectors``; None leaves spans out.
        spans_key: the span group whose spans count too (a `spancat`'s); None is entities only.
        batch: texts that the pipeline gets together, >= 1.

    Raises MissingExtra: spacy is not installed; ModelError: no such pipeline; ParameterError: a label has no kind, or
    ``batch`` is below 1.
    """
    need(batch >= 1, "batch", batch, ">= 1")
    return SpacyDetector(model, labels, spans_key, batch)
