"""The check before a document is handed over: by another reader than the writer's, part by part.

All text that the other reader sees must be text of the release, and no value that was drawn may stand anywhere else: in
an attribute, in a name of a part, a font or a style, in any of its spellings and escapes, split or whole.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from textveil.documents.model import Passage
from textveil.errors import InternalError
from textveil.surrogates.map_file import PrivateMap

_SHORTEST: Final = 4  # letters and digits from which on a value is looked for outside of text
_LONG: Final = 8
_ESCAPED: Final = re.compile(r"[&%]|_x")
_CODE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_MARKS: Final = re.compile(r"[^\w]|_")


class Shown(NamedTuple):
    """A string of a written file, the kind of part it stands in, and whether it is text rather than a name or mark."""

    part: str
    string: str
    text: bool


@dataclass(frozen=True)
class Certificate:
    """What was done to the parts of a document, and what the check saw; holds no text."""

    parts: Mapping[str, int]
    removed: Mapping[str, int]
    readers: Sequence[str]
    strings: int
    values: int

    def plus(self, other: Certificate) -> Certificate:
        """Return that of several documents."""
        return Certificate(
            Counter(self.parts) + Counter(other.parts),
            Counter(self.removed) + Counter(other.removed),
            sorted({*self.readers, *other.readers}),
            self.strings + other.strings,
            self.values + other.values,
        )

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Certificate:
        """Return it from its JSON data. Raises KeyError, TypeError or ValueError: the data are no certificate's."""
        checked = data["checked"]
        parts, removed = (
            {str(kind): int(count) for kind, count in data[name].items()} for name in ("parts", "removed")
        )
        readers = [str(reader) for reader in checked["readers"]]
        return cls(parts, removed, readers, int(checked["strings"]), int(checked["values_searched"]))

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "parts": dict(sorted((kind, count) for kind, count in self.parts.items() if count)),
            "removed": dict(sorted((kind, count) for kind, count in self.removed.items() if count)),
            "checked": {"readers": list(self.readers), "strings": self.strings, "values_searched": self.values},
        }


def folded(text: str) -> str:
    """Return letters and digits alone, in one case: how a value is compared, whatever splits it."""
    return _MARKS.sub("", text).casefold()


class _Starts:
    """Values of a least length by their first characters, to be found within texts in one pass."""

    def __init__(self, values: Iterable[str], least: int) -> None:
        self._least = least
        self._values = {value for value in values if len(value) >= least}
        self._lengths: dict[str, set[int]] = {}
        for value in self._values:
            self._lengths.setdefault(value[:least], set()).add(len(value))

    def within(self, text: str) -> Iterator[str]:
        """Yield the values that a text holds, as often as it does."""
        for at in range(len(text) - self._least + 1) if self._values else ():
            for length in self._lengths.get(text[at : at + self._least], ()):
                if (value := text[at : at + length]) in self._values:
                    yield value


class _Values:
    """The values that were drawn, to be found in strings in time that is linear in these."""

    def __init__(self, values: set[str]) -> None:
        self.all = values
        self._long = _Starts(values, _LONG)

    def __len__(self) -> int:
        return len(self.all)

    def held_by(self, string: str) -> bool:
        """Tell whether a string holds a value: a long one anywhere, a short one as a word or several."""
        forms = {string}
        if _ESCAPED.search(string):
            plain = _CODE.sub(lambda match: chr(int(match[1], 16)), string)
            forms |= {html.unescape(plain), unquote(string), unquote(html.unescape(plain))}
        return any(map(self._held_as, forms))

    def _held_as(self, form: str) -> bool:
        own = folded(form)
        if own in self.all or not self.all.isdisjoint(map(str.casefold, _WORDS.findall(form))):
            return True
        return next(self._long.within(own), None) is not None


def check(shown: Iterable[Shown], passages: Iterable[Passage], private_map: PrivateMap | None) -> tuple[int, int]:
    """Refuse a written file that shows more than its release; returns how many strings were seen, and values searched.

    Raises InternalError: it does; the kind of part is named, never what stands there.
    """
    allowed = Counter(folded(passage.shown) for passage in passages)
    pieces = private_map.replaced if private_map is not None else ()
    released = private_map.released if private_map is not None else ""
    values = {folded(piece.original) for piece in pieces if piece.kind}
    values -= {folded(released[piece.start : piece.end]) for piece in pieces}
    # What the release says by itself tells nothing wherever else it stands.
    said, words = folded(released), " ".join(_WORDS.findall(released)).casefold()
    values = {value for value in values if len(value) >= _SHORTEST}
    values.difference_update(_Starts(values, _LONG).within(said))
    values.difference_update(_Starts([value for value in values if len(value) < _LONG], _SHORTEST).within(words))
    searched = _Values(values)
    count, clean = 0, set[str]()
    for part, string, text in sorted(shown, key=lambda one: not one.text):  # text is what passages are first
        count += 1
        own = folded(string)
        if not own:
            continue
        if text or allowed[own] > 0:
            if allowed[own] <= 0:
                raise _refused(part, "text that the release does not have")
            allowed[own] -= 1
        elif string not in clean:
            if searched.held_by(string):
                raise _refused(part, "a value that was drawn")
            clean.add(string)
    return count, len(searched)


def _refused(part: str, what: str) -> InternalError:
    return InternalError(f"the written document holds {what}, in a part of the kind {part}. No file was written.")
