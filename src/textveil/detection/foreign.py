"""What adapters of foreign detectors share: labels as kinds, pieces of long texts, digests of models."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from textveil.detection.kinds import OWN, checked_kind, plain_label
from textveil.detection.spans import DetectedSpan, covering
from textveil.errors import InputError, ModelError, ParameterError, TextveilError
from textveil.text.patterns import lazy_regex

_SHOWN: Final = 12  # hexadecimal digits of a digest that stand in a detector's name

SHARED: Final = 200
"""Characters that a piece of a long text shares with the one before it, and up to twice as many."""

_LONE: Final = lazy_regex("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """``text`` with U+FFFD for each half of a surrogate pair: they have no UTF-8, and positions stay what they are."""
    return _LONE.sub("\ufffd", text)


def pieces(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Yield places and pieces of a text, of ``most`` characters at the longest, each with the end of the one before it.

    Foreign detectors take time or memory that grows faster than a text, and some refuse long ones. Pieces begin and end
    at white space where there is some; a span of up to ``SHARED`` characters stands whole in one of them.
    """
    start = 0
    while len(text) - start > most:
        window = text[start : start + most]
        end = 1 + max((window.rfind(space, most // 2) for space in "\n "), default=-1) or most
        yield start, window[:end]
        start += end - SHARED
        # Not in the middle of a word, if the word began shortly before.
        start = 1 + max(text.rfind(space, start - SHARED, start) for space in "\n ") or start
    yield start, text[start:]


def by_pieces(
    name: str, texts: Sequence[str], most: int, find: Callable[[list[str]], Iterable[Iterable[DetectedSpan]]]
) -> list[list[DetectedSpan]]:
    """Return what a foreign package finds in texts that it gets in pieces of ``most`` characters, without overlaps.

    Raises:
        InputError: the package failed; its own message is not repeated, for some quote the text.
    """
    whole = [encodable(text) for text in texts]
    cut = [(number, start, piece) for number, text in enumerate(whole) for start, piece in pieces(text, most)]
    detected: list[list[DetectedSpan]] = [[] for _ in texts]
    try:
        for (number, start, _), spans in zip(cut, find([piece for *_, piece in cut]), strict=True):
            detected[number] += [span._replace(start=span.start + start, end=span.end + start) for span in spans]
    except TextveilError:
        raise
    except Exception as error:  # whatever a foreign package makes of a text
        raise InputError(
            f"detector {name} must read {len(texts)} documents; got {type(error).__name__} from its package. Leave out "
            "one after the other to see which it is."
        ) from None
    return [covering(text, spans) for text, spans in zip(whole, detected, strict=True)]


def folder_name(folder: Path | str) -> str:
    """Return a model's folder by name and digest, ``ner@0123456789ab``; raise ModelError if there is no such folder."""
    where = Path(folder)
    if not where.is_dir():
        raise ModelError(
            f"a model must be a folder on this machine; got none named {where.name}. Nothing is ever downloaded: save "
            "the model in a folder first."
        )
    total = hashlib.sha256()
    for path in sorted(where.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            total.update(f"{path.relative_to(where).as_posix()} {digest}\n".encode())
    return f"{where.resolve().name}@{total.hexdigest()[:_SHOWN]}"


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
    """Return the kind that a label means; empty if it is left out, None where it is not known."""
    return KINDS_OF_LABELS.get(plain_label(label))


def kinds_of_labels(
    labels: Iterable[str], own: Mapping[str, str | None] | None = None, detector: str = "the model"
) -> dict[str, str]:
    """Return the kind of each label of a detector; ``own`` goes before the table, and None in it leaves a label out.

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
