"""Translates what foreign detectors call things into textveil's kinds, and lets a user change it.

Labels are those of the rows of ``kinds``, compared without case and marks. A label without a kind there is refused
when a detector is made, since a span that nobody drew for would be released as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from textveil.detection.kinds import OWN, checked_kind, plain_label
from textveil.errors import ParameterError

_LEFT_OUT: Final = "EVENT PRODUCT WORK_OF_ART LAW LANGUAGE MISC MISCELLANEOUS CREATIVE_WORK"
"""Labels whose spans are left out unless a user gives them a kind: none of textveil's fits, and no surrogate replaces
them."""

KINDS_OF_LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{plain_label(label): kind.name for kind in OWN for label in kind.labels.split()},
        **{plain_label(label): "" for label in _LEFT_OUT.split()},
    }
)
"""Kinds by label, in small letters without marks; empty for what is left out."""


def kind_of_label(label: str) -> str | None:
    """The kind that a label means; empty where it is left out, None where it is not known."""
    return KINDS_OF_LABELS.get(plain_label(label))


def kinds_of_labels(
    labels: Iterable[str], own: Mapping[str, str | None] | None = None, detector: str = "the model"
) -> dict[str, str]:
    """The kind of each label that a detector can give; without those that are left out.

    Args:
        labels: of the detector.
        own: kinds by label, before the table; None leaves a label's spans out.
        detector: for messages.

    Raises:
        ParameterError: a label has no kind, ``own`` names one that the detector does not have, or a kind is no name.
    """
    own = own or {}
    known = {plain_label(label): label for label in labels}
    chosen = {plain_label(label): None if kind is None else checked_kind(kind) for label, kind in own.items()}
    if strange := sorted(label for label in own if plain_label(label) not in known):
        raise ParameterError(
            f"labels must name what {detector} finds; got {', '.join(strange)}. It finds: "
            f"{', '.join(sorted(known.values())) or 'nothing'}."
        )
    kinds: dict[str, str] = {}
    unknown = []
    for plain, label in known.items():
        kind = chosen[plain] if plain in chosen else KINDS_OF_LABELS.get(plain)
        if kind is None and plain not in chosen:
            unknown.append(label)
        elif kind:
            kinds[label] = kind
    if unknown:
        raise ParameterError(
            f"labels must give a kind to everything that {detector} finds; got none for {', '.join(sorted(unknown))}. "
            "Name one, as in labels={'" + min(unknown) + "': 'id'}, or None to leave its spans in the text as they are."
        )
    return kinds
