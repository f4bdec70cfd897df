"""A sanitizer whose releases can be undone, of any mechanism; in a file of its own, from which processes import it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from textveil.mechanisms.kinds import Mechanism
from textveil.sanitize.chosen import SanitizerOptions
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.map_file import PrivateMap, Replaced


@dataclass(frozen=True)
class Undoable:
    """In place of ``SanitizerOptions``: a text is a piece of its own in the map of its release."""

    options: SanitizerOptions

    @property
    def mechanism(self) -> Mechanism:
        return self.options.mechanism

    @property
    def seed(self) -> int | None:
        return self.options.seed

    @property
    def private(self) -> list[str]:
        return self.options.private


class UndoableSanitizer:
    def __init__(self, sanitizer: Sanitizer) -> None:
        self._sanitizer = sanitizer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sanitizer, name)

    def batch(self, texts: Sequence[str], **options: Any) -> list[Release]:
        options.pop("maps", None)
        made = self._sanitizer.batch(texts, **options)
        return [_undoable(text, release) for text, release in zip(texts, made, strict=True)]


def _undoable(text: str, release: Release) -> Release:
    pieces = (Replaced(0, len(release.text), text, ""),)
    return replace(release, private_map=PrivateMap(released=release.text, replaced=pieces))


_sanitizer_of = Sanitizer.of


def _of(options: SanitizerOptions | Undoable, *arguments: Any) -> Any:
    if isinstance(options, Undoable):
        return UndoableSanitizer(_sanitizer_of(options.options, *arguments))
    return _sanitizer_of(options, *arguments)


Sanitizer.of = _of  # type: ignore[assignment, method-assign]
