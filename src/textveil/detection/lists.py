"""Public lists of names, places and ordinary words, and hand-written sets of words in and beside names."""

import gzip
import hashlib
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import repeat
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from textveil.errors import InputError
from textveil.json_text import json_file
from textveil.text.patterns import lazy_regex

DATA = Path(__file__).parent / "data"
FILE = "names.txt.gz"
RECORD = "names.json"
_LOWEST: Final = 0x20  # the character of no marks in the file
_MARKS: Final = bytes([max(0, code - _LOWEST) for code in range(256)])


@final
class Marks:
    """Bits that public lists and public text give a word; the tool's head states the rules."""

    GIVEN: Final = 1
    FAMILY: Final = 2
    PLACE: Final = 4
    COMMON: Final = 8
    SMALL: Final = 16
    OTHER: Final = 32
    KNOWN_PLACE: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists, in plain small letters."""

    words: dict[str, int]  # the marks of each word, as integers
    phrases: frozenset[str]  # places of several words, parted by single spaces
    openings: dict[str, int]  # the first words of those places, with the number of words of the longest that begins so


@cache
def lists() -> Lists:
    """Return the embedded lists, read once; raise InputError if the file is not the one that was shipped."""
    packed = checked(FILE, json_file(DATA / RECORD)["file"])
    names, marks, places = gzip.decompress(packed).decode("ascii").splitlines()
    phrases = places.split("\t")
    openings: dict[str, int] = {}
    for name in phrases:
        first, _, rest = name.partition(" ")
        count = rest.count(" ") + 2
        if openings.get(first, 0) < count:
            openings[first] = count
    words = dict(zip(names.split("\t"), marks.encode("ascii").translate(_MARKS), strict=True))
    everyday = (DATA / EVERYDAY_FILE).read_text(encoding="ascii").partition("\n")[2].split()
    words |= {word: words.get(word, 0) | Marks.COMMON | Marks.SMALL for word in everyday}
    words |= {word: Marks.FAMILY for word in EPONYMS if words.get(word) == Marks.OTHER}  # Anna Crohn is somebody
    return Lists(words, frozenset(phrases), openings)


def marks_of_all(words: Iterable[str]) -> bytes:
    """Return the marks of words, a byte for each: what asks for all words of a text does so without a loop."""
    return bytes(map(lists().words.get, words, repeat(0)))


def packed_lists(marks: Mapping[str, int]) -> str:
    """Return what the file holds: the words, a character for the marks of each, and the places of several words."""
    words = sorted(name for name in marks if " " not in name)
    written = "".join(chr(marks[word] + _LOWEST) for word in words)
    return "\t".join(words) + f"\n{written}\n" + "\t".join(sorted(marks.keys() - set(words))) + "\n"


EVERYDAY_FILE: Final = "everyday.txt"
ORDINARY_FILE: Final = "ordinary.txt.xz"
ORDINARY_RECORD: Final = "ordinary.json"
LANGUAGES: Final = ("de", "fr", "es", "it", "pt", "nl", "pl")
"""Languages beside English that have rules of their own, by ISO 639-1 code."""


@cache
def _groups(language: str) -> tuple[frozenset[str], ...]:
    """Return the ordinary words of a language in groups, as their tool parts them; the other languages stay packed."""
    record = json_file(DATA / ORDINARY_RECORD)
    start = 0
    for name, length in record["parts"].items():
        if name == language:
            break
        start += length
    packed = checked(ORDINARY_FILE, record["file"])[start : start + record["parts"][language]]
    return tuple(frozenset(group.split()) for group in lzma.decompress(packed).decode("ascii").split("\n"))


def checked(file: str, digest: str) -> bytes:
    """Return an embedded file; raise InputError if its digest is another."""
    packed = (DATA / file).read_bytes()
    if hashlib.sha256(packed).hexdigest() != digest:
        raise InputError(f"the embedded file {file} must be intact; got another. Install textveil again.")
    return packed


@cache
def ordinary_words(language: str) -> frozenset[str]:
    """Return the ordinary words of one of ``LANGUAGES``, in plain small letters; the file must be the shipped one."""
    return frozenset().union(*_groups(language)[:3])


def frequent_words(language: str) -> frozenset[str]:
    """Return those of its ordinary words that are no rare ones."""
    return _groups(language)[0]


@cache
def small_words(language: str) -> frozenset[str]:
    """Return rare words that the language's spelling dictionary writes small, and no list of names or places holds."""
    return frozenset().union(*_groups(language)[2:])


PLACES_FILE: Final = "places.txt.xz"
PLACES_RECORD: Final = "places.json"


@cache
def places() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of large and of small places in the languages of the rules, with spaces for hyphens."""
    packed = checked(PLACES_FILE, json_file(DATA / PLACES_RECORD)["file"])
    large, small = lzma.decompress(packed).decode("ascii").splitlines()
    return frozenset(large.split("\t")), frozenset(small.split("\t"))


LATIN: Final = ("en", *LANGUAGES, "cs", "sv", "no", "fi", "tr", "ro", "hu", "hr", "id")
"""Languages in Latin letters with a file of words in ``data/languages``."""


@cache
def written(language: str) -> Mapping[str, Sequence[str]]:
    """Return the hand-written lists of a language by name, or with "any" those of every language."""
    text = (DATA / "languages" / f"{language}.txt").read_text(encoding="utf-8").replace("\n    ", " ")
    rows = [line.partition(":") for line in text.splitlines() if not line.startswith("#")]
    return MappingProxyType({name: words.split() for name, _, words in rows})


def by_language(name: str) -> Mapping[str, Sequence[str]]:
    """Return the list of this name in each language that has one."""
    return {language: words for language in LATIN if (words := written(language).get(name))}


@cache
def closing_words() -> frozenset[str]:
    """Return the words that close a letter, in any language."""
    return frozenset().union(*by_language("closings").values())


@cache
def _script(language: str) -> Mapping[str, frozenset[str]]:
    lists_of: dict[str, set[str]] = {}
    packed = (DATA / "scripts" / f"{language}.txt.xz").read_bytes()
    for line in lzma.decompress(packed).decode("utf-8").splitlines():
        if line.startswith("["):
            words = lists_of[line[1:-1]] = set()
        else:
            words.add(line.translate(_POINTS))
    return {name: frozenset(words) for name, words in lists_of.items()}


_POINTS: Final = dict.fromkeys((0x640, *range(0x64B, 0x653), 0x670))
"""The marks of Arabic that ``text.disguises.layout`` leaves out."""


def listed(language: str, section: str) -> frozenset[str]:
    """Return a public list of a language in another script: ``given``, ``family``, ``place``, ``ordinary``, ..."""
    return _script(language)[section]


ONLY_FOUND: Final = "only found:"


def sections(file: str) -> dict[str, list[str]]:
    """Return the lists of a file by their head: ``[head]``, and below it entries parted by commas."""
    lists_of: dict[str, list[str]] = {}
    for line in (DATA / file).read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            entries = lists_of[line[1:-1]] = []
        elif line == ONLY_FOUND:
            entries.append(line)
        elif line and not line.startswith("#"):
            entries += [entry for entry in map(str.strip, line.split(",")) if entry]
    return lists_of


@final
class Words:
    """Words, and beginnings (``stem*``) and endings (``*end``) of words."""

    def __init__(self, written: Sequence[str]) -> None:
        self._whole = frozenset(word for word in written if "*" not in word)
        self._stems = tuple(word[:-1] for word in written if word.endswith("*"))
        self._ends = tuple(word[1:] for word in written if word.startswith("*"))

    def __contains__(self, word: str) -> bool:
        return word in self._whole or word.startswith(self._stems) or word.endswith(self._ends)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)


@dataclass(frozen=True, slots=True, eq=False)
class Cues:
    """Words that tell names in a language; docs/detection.md explains each."""

    function: Words
    joint: Words
    loose: Words
    article: Words
    plural: Words
    in_: Words
    by: Words
    against: Words
    spot: Words
    body: Words
    firm: Words
    event: Words
    work: Words
    role: Words
    said: Words
    place: frozenset[str]


@cache
def public_bodies() -> frozenset[str]:
    """Return single words for organizations that everybody knows."""
    return COMPANIES | frozenset(written("any")["known"])


@cache
def letters() -> frozenset[str]:
    """Return what letters in capitals stand for that is no organization, in every language."""
    return frozenset(written("any")["letters"])


@cache
def behind_persons() -> frozenset[str]:
    """Return what stands behind a person's name, and is no noun of a thing."""
    return frozenset(written("en")["behind persons"]) | RELATIONS | frozenset(written("en")["kin"]) | chat_words()


_NICKNAME: Final = lazy_regex(
    r"(?P<z>(?:ch|sh|th|cl|[bcdfgjklmnprst])[aeo]z)(?:z?(?:a|er|ers|y|o))?"
    r"|(?P<stem>[a-z]{2,9}?)(?P<twice>[bdfgklmnprst])??(?:(?P=twice)?o|ster|zza|z|bo|meister|(?P=twice)ers)"
)


@cache
def chat_words() -> frozenset[str]:
    """Return words of messages in small letters that no list of English holds."""
    return frozenset(written("en")["chat words"])


@lru_cache(maxsize=1 << 13)
def is_nickname(low: str) -> bool:
    """Return whether an unlisted word is made of a given name as nicknames are: tommo, gazza, robster, lindz."""
    match = _NICKNAME.fullmatch(low) if len(low) > 2 else None
    if match is None or low in lists().words or low in chat_words():
        return False
    if match["z"]:
        return True
    marks_of, stem = lists().words.get, match["stem"]
    forms = (stem, stem + (match["twice"] or ""), f"{stem}e", f"{stem}y")
    return any(len(form) > 2 and marks_of(form, 0) & Marks.GIVEN for form in forms)


@cache
def cues(language: str) -> Cues:
    """Return the cues of one of ``LANGUAGES``."""
    words = written(language)
    named = frozenset(name.replace("_", " ").replace("-", " ") for name in words["place"])
    others = {field.name: Words(words[field.name.rstrip("_")]) for field in fields(Cues) if field.name != "place"}
    return Cues(**others, place=named)


def _english(name: str) -> frozenset[str]:
    return frozenset(written("en")[name])


TITLES: Final = _english("titles")
FIRM_TITLES: Final = _english("firm titles")
SUFFIXES: Final = _english("suffixes")
COMPANY_ENDS: Final = _english("company ends")
FIRM_ENDS: Final = _english("firm ends")
INSTITUTIONS: Final = _english("institutions")
PLACE_ENDS: Final = _english("place ends")
TOWN_ENDS: Final = _english("town ends")
PLACE_STARTS: Final = _english("place starts")
BEFORE_PLACES: Final = _english("before places")
BEFORE_PERSONS: Final = _english("before persons")
RELATIONS: Final = _english("relations")
COUNTRY_LETTERS: Final = _english("country letters")
PARTICLES: Final = _english("particles")
LINKS: Final = _english("links")
OWNED_AFTER: Final = _english("owned after")
MEDICAL_AFTER: Final = OWNED_AFTER | _english("medical after")
EPONYMS: Final = _english("eponyms")
GENERIC: Final = _english("generic")
NAMED_BY_WORDS: Final = _english("named by words")
GENERIC_CARE: Final = _english("generic care")
FUNCTION_WORDS: Final = _english("function words")
VERBS: Final = _english("verbs")
ORDERS: Final = _english("orders")
NOUNS: Final = _english("nouns")
ADJECTIVES: Final = _english("adjectives")
DETERMINERS: Final = _english("determiners")
NOTABLE: Final = _english("notable")
COMPANIES: Final = _english("companies")
STATES: Final = _english("states")
