"""Faith, marital status, orientation and descent in the languages of the rules: katholisch, veuve, gitano.

Each word stands in a row of its language; a surrogate is another word of that row.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Final

from textveil.detection.found import Found, folded
from textveil.detection.gates import Gate, WithWords, words_of
from textveil.detection.lists import LANGUAGES, Marks, lists, written
from textveil.text.patterns import lazy_regex, matches

_ROWS: Final = MappingProxyType(
    {"religion": "religion", "people": "religion", "marital": "family", "widowed": "family"}
    | {"orientation": "orientation", "ethnic": "ethnicity"}
)
"""The rows of a language's file, and the classes of what they hold; rows of women's words end in " f"."""
_ANYWHERE: Final = ("family", "orientation")
_WORD: Final = lazy_regex(r"(?<![\w'-])[A-Za-z]+(?:-[a-z]+)?(?![\w-])")
_BEFORE: Final = lazy_regex(r"(?<![A-Za-z'])([A-Za-z']{1,24})[ :,]{1,2}(?:[A-Za-z]{1,24} )?\Z")
_BACK: Final = 40
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)


def _rows(language: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for name, group in _ROWS.items():
        for row in (name, f"{name} f"):
            if words := written(language).get(row):
                yield row, group, tuple(words)


@cache
def _classes(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return the class of each word of a language in plain form, and the words that stand before one."""
    groups = {folded(word): group for _, group, words in _rows(language) for word in words}
    return groups, frozenset(map(folded, written(language).get("attribute cues", ())))


def attribute_gate(language: str) -> Gate:
    """Return the gate of the search."""
    return WithWords(lambda: words_of(" ".join(_classes(language)[0])))


def attribute_search(language: str) -> Callable[[str], Iterator[Found]]:
    """Return the search for such words: those of faith and descent only behind a word that says so of somebody."""
    return partial(_found, language)


def _found(language: str, text: str) -> Iterator[Found]:
    groups, cues = _classes(language)
    last = -1
    for match in matches(_WORD, text):
        low = match[0].lower()
        group = groups.get(low)
        large = match[0][0].isupper()
        if group is None or (language == "de" and large != (low in _nouns())):
            continue
        if large and language != "de" and lists().words.get(low, 0) & _NAMES:
            continue  # Marie, not marie with an accent
        before = _BEFORE.search(text, max(0, match.start() - _BACK), match.start())
        cued = before is not None and any(word in cues for word in words_of(before[0]))
        joined = last >= 0 and match.start() - last < _JOINED
        if (group in _ANYWHERE and not low.startswith("separ")) or cued or joined:
            last = match.end()
            yield Found(*match.span(), "demographic", 0.6, group)


_JOINED: Final = 6  # characters between two such words that are joined: and, comma


@cache
def _nouns() -> frozenset[str]:
    return frozenset(folded(word) for _, _, words in _rows("de") for word in words if word[0].isupper())


@cache
def _pools() -> Mapping[str, tuple[str, str, tuple[str, ...]]]:
    """Return of each word its row, its class and what a surrogate is drawn from: what all rows hold that share it."""
    pools: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for language in LANGUAGES:
        for row, group, words in _rows(language):
            for word in words:
                key = unicodedata.normalize("NFC", word).lower()
                name, _, drawn = pools.get(key, (f"{row} {language}", group, words))
                shared = tuple(entry for entry in drawn if entry in words)
                pools[key] = (name, group, shared if len(shared) > 1 else drawn)
    return pools


def attribute_of(value: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the row, the class and the pool of a word of these lists, which is in composed form; None for another."""
    return _pools().get(value.lower())
