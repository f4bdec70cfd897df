"""What is known of one surrogate: which originals it stands for, and whether a mention of it tells which."""

from __future__ import annotations

from typing import final

from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex

_SPACE = lazy_regex(r"\s+")


@final
class KnownSurrogate:
    """Holds private text, so it prints as nothing."""

    __slots__ = ("_chance", "_chance_lower", "_exact", "_first", "_several", "_surface", "whole")

    def __init__(self) -> None:
        self._exact: dict[str, str | None] = {}
        self._first: str | None = None
        self._surface = ""
        self._several = False
        self._chance = 0
        self._chance_lower = 0
        self.whole = False
        """Whether it stands in a release as it is, rather than as a part of a name."""

    def __repr__(self) -> str:
        return "KnownSurrogate()"

    def add(self, surface: str, original: str) -> bool:
        """Note that a surrogate, as it is written there, stands for an original; whether that says anything new."""
        surface, compared = plain(surface), compared_form(original)
        new = surface not in self._exact
        there = self._exact.setdefault(surface, original)
        if there is not None and compared_form(there) != compared:
            self._exact[surface], new = None, True
        if self._first is None:
            self._first, self._surface = original, surface
        elif compared_form(self._first) != compared and not self._several:
            self._several = new = True
        return new

    def met_by_chance(self, surface: str, times: int = 1) -> None:
        """Note that a text holds it, as it is written there, where nothing was replaced by it; -1 takes that back."""
        if surface.islower() and not self._surface.islower():
            self._chance_lower += times
        else:
            self._chance += times

    def original(self, surface: str) -> str | None:
        """What a mention written so stands for, in its case and with its white space; None: it does not tell."""
        if self._chance or (self._chance_lower and surface.islower()):
            return None
        return self.replaced(surface)

    def replaced(self, surface: str) -> str | None:
        """The same if no text held it by chance."""
        exact = plain(surface)
        if exact.islower() and not self._surface.islower() and _is_common(exact):
            return None
        if exact in self._exact:
            original = self._exact[exact]
        else:
            original = None if self._several or self._first is None else _in_case(self._first, self._surface, exact)
        return None if original is None else _with_gaps(original, surface)


def _is_common(word: str) -> bool:
    """Whether a word in small letters is used as another word than a name: will, may, rose."""
    return bool(lists().words.get(word, 0) & (Marks.COMMON | Marks.SMALL))


def plain(surface: str) -> str:
    """A text with single spaces."""
    return " ".join(surface.split())


def compared_form(original: str) -> str:
    """What two originals that are one value have in common."""
    return plain(original).casefold()


def _in_case(original: str, surface: str, mention: str) -> str:
    """The original as the mention is written: in capitals, in small letters, or as it is."""
    if mention.isupper() and not surface.isupper() and len(mention) > 1:
        return original.upper()
    if mention.islower() and not surface.islower():
        return original.lower()
    if (surface.isupper() or surface.islower()) and (original.isupper() or original.islower()):
        return original.title() if mention.istitle() else original
    return original


def _with_gaps(original: str, mention: str) -> str:
    """The original with the mention's white space between its words, where both have as many."""
    gaps = _SPACE.findall(mention)
    words = original.split()
    if not gaps or len(words) != len(gaps) + 1:
        return original
    return "".join(part for pair in zip(words, [*gaps, ""], strict=True) for part in pair)
