"""Detectors by name: as policies, the command line and ``tv.detect`` write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, cast

from textveil.detection.base import DetectedSpan, Detector
from textveil.detection.combined import CombinedDetector
from textveil.errors import UnknownNameError, need

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

DEFAULT: Final = ("embedded", "numbers")
"""What ``tv.detect`` and ``textveil detect`` use."""


def detector_of(name: str) -> Detector:
    """The detector of a name, made with its defaults.

    Args:
        name: one of ``DETECTORS``; of spacy, transformers and gliner with a colon and the folder of a model.

    Raises:
        UnknownNameError: there is none of that name.
        ParameterError: the folder is missing, or given where there is none.
        MissingExtra: its package is not installed.
    """
    written, _, folder = name.partition(":")
    known = ", ".join(f"{one}:FOLDER" if entry[2] else one for one, entry in DETECTORS.items())
    need(written in DETECTORS, "detector", repr(written)[:40], f"one of {known}", kind=UnknownNameError)
    module, function, takes_folder = DETECTORS[written]
    if takes_folder:
        need(bool(folder), "detector", written, f"{written}:FOLDER", "Name the folder of a model on this machine.")
    elif written != "presidio":
        need(not folder, "detector", f"{written} with a folder", f"{written} alone")
    make = cast(Callable[..., Any], getattr(import_module(module), function))
    return cast(Detector, make(folder) if folder else make())


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
    given = [detectors] if isinstance(detectors, str | Detector) else list(detectors)
    need(bool(given), "detectors", "none", "at least one")
    return combined(given).detect([text])[0]


def combined(detectors: Sequence[str | Detector]) -> CombinedDetector:
    """Several detectors, by name or as objects, as one."""
    return CombinedDetector([detector_of(one) if isinstance(one, str) else one for one in detectors])
