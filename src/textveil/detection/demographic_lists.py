"""Public lists of nationalities, ethnic groups, religions, occupations and other classes that people belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from textveil.text.patterns import lazy_regex

_DATA: Final = Path(__file__).parent / "data"
FILE: Final = "demographics.txt"
OCCUPATIONS: Final = "occupations.txt"

OCCUPATION: Final = "occupation"

EITHER, ADJECTIVE, SINGULAR, PLURAL = "adjective or noun", "adjective", "noun", "plural"
"""How an entry is used; a word of the first form is both: a German lawyer, a German."""

_LETTERS: Final = lazy_regex(r"[A-Za-z]+")
_ONLY_FOUND: Final = "only found:"
_SIBILANT: Final = lazy_regex(r"(?:s|x|z|ch|sh)\Z")
_CONSONANT_Y: Final = lazy_regex(r"[^aeiou]y\Z")

Words: TypeAlias = tuple[str, ...]
"""The runs of letters of an entry, in small letters."""


class Form(NamedTuple):
    """What an entry of the lists is: its class, and how it is used."""

    group: str
    use: str


@dataclass(frozen=True, slots=True, eq=False)
class Demographics:
    """The lists.

    Attributes:
        forms: what each entry is, by its words.
        endings: the entries that end in a word, the longest first.
        last_words: those last words, as gates compare them.
        modifiers: words that may stand before an occupation and belong to it.
        pools: what surrogates are drawn from, by form, sorted.
    """

    forms: Mapping[Words, Form]
    endings: Mapping[str, tuple[Words, ...]]
    last_words: frozenset[bytes]
    modifiers: frozenset[str]
    pools: Mapping[Form, tuple[str, ...]]


@cache
def demographics() -> Demographics:
    """The embedded lists, read once."""
    forms: dict[Words, Form] = {}
    pools: dict[Form, set[str]] = {}
    occupations = _sections(OCCUPATIONS)
    for group, drawn, entries in _entries(occupations):
        for use, written in entries:
            forms.setdefault(words_of(written), Form(group, use))
            if drawn:
                for shared in (use,) if use != EITHER else (EITHER, ADJECTIVE, SINGULAR):
                    pools.setdefault(Form(group, shared), set()).add(written)
    endings: dict[str, list[Words]] = {}
    for words in forms:
        endings.setdefault(words[-1], []).append(words)
    modifiers = frozenset(entry.lower() for entry in occupations["words before"])
    return Demographics(
        forms,
        {word: tuple(sorted(several, key=len, reverse=True)) for word, several in endings.items()},
        frozenset(word.encode("ascii") for word in endings),
        modifiers,
        {form: tuple(sorted(written)) for form, written in pools.items()},
    )


def words_of(entry: str) -> Words:
    """The runs of letters of an entry or a value, in small letters."""
    return tuple(_LETTERS.findall(entry.lower()))


def plural_of(noun: str) -> str:
    """The plural of an occupation or another noun for a person."""
    if noun.endswith(("man", "woman")) and noun != "woman":
        return noun[:-2] + "en"
    if _CONSONANT_Y.search(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if _SIBILANT.search(noun) else "s")


_Entry: TypeAlias = tuple[str, bool, list[tuple[str, str]]]


def _entries(occupations: Mapping[str, Iterable[str]]) -> Iterator[_Entry]:
    """Every entry of both files: its class, whether it is drawn, and its forms."""
    for group, entries in _sections(FILE).items():
        drawn = True
        for entry in entries:
            if entry == _ONLY_FOUND:
                drawn = False
            else:
                yield group, drawn, list(_forms_of(entry))
    for section in ("drawn", "only found"):
        for entry in occupations[section]:
            yield OCCUPATION, section == "drawn", [(SINGULAR, entry), (PLURAL, plural_of(entry))]


def _forms_of(entry: str) -> Iterator[tuple[str, str]]:
    adjective, _, rest = entry.partition("/")
    noun, _, plural = (rest or adjective).partition("/")
    if noun == adjective:
        yield EITHER, adjective
    else:
        if adjective != "-":
            yield ADJECTIVE, adjective
        if noun != "-":
            yield SINGULAR, noun
    if noun != "-":
        yield PLURAL, plural or plural_of(noun)


def _sections(file: str) -> dict[str, list[str]]:
    """The entries of a file by section; a line that ends in a colon is an entry of its own."""
    sections: dict[str, list[str]] = {}
    for line in (_DATA / file).read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            entries = sections[line[1:-1]] = []
        elif line == _ONLY_FOUND:
            entries.append(line)
        elif line and not line.startswith("#"):
            entries += [entry for entry in map(str.strip, line.split(",")) if entry]
    return sections
