"""Detectors by name: as policies, the command line and ``tv.detect`` write them.

Third parties add one by an entry point in the group ``textveil.detectors``: a function or class that makes it, called
without arguments, or with the folder that stands behind a colon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint
from types import MappingProxyType
from typing import Any, Final, cast

from textveil.detection.base import DetectedSpan, Detector
from textveil.detection.combined import CombinedDetector
from textveil.errors import ParameterError, UnknownNameError, need
from textveil.plugins import foreign, loaded

DETECTORS: Final = MappingProxyType(
    {
        "embedded": ("textveil.detection.embedded", "embedded_detector", False),
        "numbers": ("textveil.detection.numbers", "NumberDetector", False),
        "presidio": ("textveil.detection.presidio", "presidio_detector", False),
        "spacy": ("textveil.detection.spacy", "spacy_detector", True),
        "transformers": ("textveil.detection.transformers", "transformers_detector", True),
        "gliner": ("textveil.detection.gliner", "gliner_detector", True),
    }
)
"""Where each is made, and whether the folder of its model follows the name: "spacy:models/en_core_web_sm"."""

ENTRY_POINT_GROUP: Final = "textveil.detectors"

DEFAULT: Final = ("embedded", "numbers")
"""What ``tv.detect`` and ``textveil detect`` use."""

_WANTED: Final = "names of detectors, or objects with `detect`"


def detector_of(name: str) -> Detector:
    """The detector of a name, made with its defaults.

    Args:
        name: one of ``DETECTORS``, or one that an installed package adds; of spacy, transformers and gliner with a
            colon and the folder of a model.

    Raises:
        UnknownNameError: there is none of that name.
        ParameterError: the folder is missing, or given where there is none; or a package adds what is no detector.
        MissingExtra: its package is not installed.
    """
    written, _, folder = name.partition(":")
    others = {} if written in DETECTORS else foreign(ENTRY_POINT_GROUP, DETECTORS)
    if written in others:
        return _foreign(others[written], folder)
    known = ", ".join([*(f"{one}:FOLDER" if entry[2] else one for one, entry in DETECTORS.items()), *others])
    need(written in DETECTORS, "detector", repr(written)[:40], f"one of {known}", kind=UnknownNameError)
    module, function, takes_folder = DETECTORS[written]
    if takes_folder:
        need(bool(folder), "detector", written, f"{written}:FOLDER", "Name the folder of a model on this machine.")
    elif written != "presidio":
        need(not folder, "detector", f"{written} with a folder", f"{written} alone")
    make = cast(Callable[..., Any], getattr(import_module(module), function))
    return cast(Detector, make(folder) if folder else make())


def _foreign(point: EntryPoint, folder: str) -> Detector:
    """What an entry point of another package makes."""
    make = loaded(point)
    made = make(folder) if folder else make()
    if not isinstance(made, Detector):
        raise ParameterError(f"entry point {point.name} must make a detector; got {type(made).__name__}.")
    return made


def detect(text: str, detectors: str | Detector | Sequence[str | Detector] = DEFAULT) -> list[DetectedSpan]:
    """What detectors find in a text: spans with ``start``, ``end``, ``kind``, ``score``, by start, none overlapping.

    What is found is no guarantee: recall is measured, never proved.

    Args:
        text: any string.
        detectors: names (``DETECTORS``) or objects, by rank where spans of one length overlap.

    Raises:
        ParameterError: an unknown detector, or none at all.
        InputError: a detector's answer is not one of spans of the text.
    """
    need(isinstance(text, str), "text", type(text).__name__, "one string", "Call it once for each text.")
    single = isinstance(detectors, str | Detector)
    need(single or isinstance(detectors, Iterable), "detectors", type(detectors).__name__, _WANTED)
    given = [cast(str | Detector, detectors)] if single else list(cast(Iterable[str | Detector], detectors))
    need(bool(given), "detectors", "none", "at least one")
    return combined(given).detect([text])[0]


def combined(detectors: Sequence[str | Detector]) -> CombinedDetector:
    """Several detectors, by name or as objects, as one.

    Raises:
        ParameterError: an unknown detector, or an object that is none.
    """
    for one in detectors:
        need(isinstance(one, str | Detector), "detectors", f"one of type {type(one).__name__}", _WANTED)
    return CombinedDetector([detector_of(one) if isinstance(one, str) else one for one in detectors])
