"""Public pools that surrogates are drawn from: textveil's, a user's own, real places, emoji, and a placeholder.

``tools/build_pools.py`` builds textveil's from the lists of the package faker (MIT license); ``pools.json`` holds the
rule, the sizes and the digest. ``tools/build_places.py`` builds those of places, by what they are and by the language
of the page.
"""

import gzip
import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.registry.options import Domain, Option
from textveil.surrogates.drawn import BUT_FOR_CASE, Drawn, proved, pseudonym
from textveil.surrogates.making import PSEUDONYMS, SURROGATES, declared
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Page
from textveil.surrogates.writing import key_of

FILE: Final = "pools.txt.gz"
RECORD: Final = "pools.json"
DATA: Final = Path(__file__).parent / "data"


@cache
def _all_pools() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType(pools_of((DATA / FILE).read_bytes()))


def pool(name: str) -> tuple[str, ...]:
    """The entries of an embedded pool, sorted: ``"given"``, ``"family"``, ``"town"``, ``"state"``, ``"phone 33 9"``."""
    return _all_pools()[name]


@cache
def names_of(what: str, language: str) -> tuple[str, ...]:
    """Return the names of one language: ``"given"``, ``"given female"``, ``"given male"`` or ``"family"``.

    A language that has none of its own has those of all.
    """
    if not has_pool(f"family {language}"):
        return pool(what)
    if what == "given":
        return tuple(sorted({*pool(f"given female {language}"), *pool(f"given male {language}")}))
    return pool(f"{what} {language}")


def has_pool(name: str) -> bool:
    """Return whether there is a pool of that name."""
    return name in _all_pools()


@cache
def keys_of(name: str) -> frozenset[str]:
    """Return the keys by which the entries of a pool are compared."""
    return frozenset(map(key_of, pool(name)))


def pools_of(data: bytes) -> dict[str, tuple[str, ...]]:
    """Return the pools in the bytes of a file: a line ``[name]`` before the entries of each, one a line."""
    text = gzip.decompress(data).decode("utf-8").removeprefix("[").removesuffix("\n")
    sections = (section.split("\n") for section in text.split("\n["))
    return {name.removesuffix("]"): tuple(entries) for name, *entries in sections}


def chance_of_a_hit(draws: int, present: int, entries: int) -> float:
    """Return the probability that some of ``draws`` surrogates equals one of ``present`` entries in the texts.

    A draw never looks at the texts: to avoid a name because it occurs there would tell that it does. So a released name
    can be somebody's by chance; a reader cannot tell, and the map of the release can.
    """
    need(draws >= 0, "draws", draws, ">= 0")
    need(0 <= present <= entries, "present", present, f"between 0 and the {entries} entries")
    return 1.0 if 0 < present == entries and draws else -math.expm1(draws * math.log1p(-present / entries))


def chance_of_a_collision(values: int, entries: int) -> float:
    """Return the probability that two of ``values`` values share a surrogate in a ``KeyedScope``; in memory none do."""
    need(values >= 0, "values", values, ">= 0")
    if values > entries:
        return 1.0
    return -math.expm1(math.fsum(math.log1p(-index / entries) for index in range(values)))


_WORDS = Option(help="The entries: a list of two or more different texts.", metavar="WORDS")
_FILE = Option(help="A file with an entry a line, in place of words.", metavar="FILE")


@declared(
    summary="An entry of a list of your own.",
    kinds=(),
    proof=PSEUDONYMS,
    name="pool",
    sample={"words": ["red", "green", "blue"]},
)
def own_pool(
    *, words: Annotated[list[str], _WORDS] | tuple[str, ...] | None = None, file: Annotated[str, _FILE] | None = None
) -> Drawn:
    """A pseudonym out of public entries that the user gives; in a policy's file, ``file`` is a path from its folder.

    Raises ParameterError: neither or both are given, or there are fewer than two different entries; InputError: the
    file cannot be read.
    """
    need((words is None) != (file is None), "words", "both or neither", "given, or `file`, and not both")
    entries = _checked(words, "words") if file is None else _checked(_lines(file), "file")
    label = f"pool {hashlib.sha256(repr(entries).encode('utf-8', 'surrogatepass')).hexdigest()}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        return entries[scope.place(label, key_of(value), len(entries), rng)]

    parameters = {"entries": len(entries), "digest": label[5:21]}
    return pseudonym("pool", (), surrogate_of, len(entries), parameters, equality=BUT_FOR_CASE, read=key_of)


def _checked(words: object, name: str) -> tuple[str, ...]:
    listed = isinstance(words, Sequence) and not isinstance(words, str) and all(isinstance(word, str) for word in words)
    need(listed, name, type(words).__name__, "a list of texts")
    entries = tuple(sorted({word.strip() for word in words if word.strip()}))  # type: ignore[attr-defined]
    need(len(entries) >= 2, name, f"{len(entries)} of them", "at least 2 different entries", "Add some.")
    return entries


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(
            f"file of a pool must be a readable UTF-8 text; got {type(error).__name__}. Check its path."
        ) from error


EMOJI: Final = tuple(
    chr(code)
    for code in (
        *range(0x1F600, 0x1F645),
        *range(0x1F90D, 0x1F918),
        *(0x1F44B, 0x1F44D, 0x1F44E, 0x1F44F, 0x1F64C, 0x1F64F, 0x1F4AA, 0x1F389, 0x1F381, 0x1F525, 0x2728, 0x1F4AF),
        *(0x1F30D, 0x1F31E, 0x1F308, 0x2B50, 0x1F340, 0x1F339, 0x1F436, 0x1F431, 0x1F98B, 0x1F34E, 0x1F355, 0x1F382),
        *(0x1F37B, 0x2615, 0x26BD, 0x1F3C6, 0x1F3B5, 0x1F4DA, 0x1F4BB, 0x1F4F7, 0x1F680, 0x1F697, 0x1F3E0, 0x23F0),
    )
)
"""Faces, hearts and hands, signs of nature, food and things: public, and every one a whole emoji by itself."""


@declared(summary="One of a public set of common emoji, for emoji in a row.", kinds=("emoji",), proof=PSEUDONYMS)
def emoji() -> Drawn:
    """A pseudonym out of ``EMOJI``: nothing of which emoji stood there, or how many in a row, is told."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        return EMOJI[scope.place("emoji", value, len(EMOJI), rng)]

    return pseudonym("emoji", (), surrogate_of, len(EMOJI), equality="which rows of emoji are equal")


_TEXT = Option(
    domain=Domain(
        "1 to 40 printable characters",
        lambda value: 1 <= len(value) <= 40 and value.isprintable(),
        outside=("", "x" * 41, "a\n"),
    ),
    help="The text that replaces every value.",
    metavar="TEXT",
)


@declared(summary="The same mark for every value.", kinds=(), proof=SURROGATES)
def placeholder(*, text: Annotated[str, _TEXT] = "[removed]") -> Drawn:
    """A constant: it says that a value stood there, and nothing of it, not even whether two are equal."""
    return Drawn(
        name="placeholder",
        parameters={"text": text},
        guarantee=proved(0.0, SURROGATES),
        public=(),
        counts="mention",
        consistent=False,
        entries=1,
        surrogate_of=lambda value, scope, rng: text,
    )


PLACES: Final = "places.txt.gz"
PLACES_RECORD: Final = "places.json"

_AREAS: Final = {
    "en": ("US", "GB", "CA", "AU", "IE", "NZ"),
    "de": ("DE", "AT"),
    "fr": ("FR",),
    "es": ("ES", "MX", "AR", "CO", "CL", "PE"),
    "it": ("IT",),
    "pt": ("PT", "BR"),
    "nl": ("NL",),
    "pl": ("PL",),
    "sv": ("SE",),
    "da": ("DK",),
    "no": ("NO",),
    "fi": ("FI",),
    "cs": ("CZ",),
    "tr": ("TR",),
    "ro": ("RO",),
    "hu": ("HU",),
}
"""Countries whose towns stand on pages of a language; every other page has English ones."""

_REGIONS: Final = {"GB": ("GB", "IE"), "US": ("US",)}
_LISTED: Final = ("state", "county", "province", "state de", "state es", "state pt", "state nl", "water", "mountain")
TOWN, CITY, COUNTRY, STREET = "town", "city", "country", "street"

# What of a street's name a language writes where: "{}" is another name.
STREETS: Final = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Way", "Place", "Terrace", "Boulevard")
_GERMAN: Final = (
    "Ahorn Akazien Amsel Bach Bahnhof Berg Birken Blumen Brunnen Buchen Burg Damm Dorf Eichen Erlen Eschen "
    "Feld Fichten Finken Flieder Forst Friedhof Garten Goethe Hasel Haupt Heide Hof Hoch Industrie Kapellen "
    "Kastanien Kiefern Kirch Kloster Lerchen Linden Markt Mittel Mühlen Neu Ost Park Post Quellen Rathaus "
    "Ring Rosen Sand Schiller Schloss Schul See Sonnen Stein Tal Tannen Teich Turm Ufer Ulmen Wald Wasser "
    "Weiden Weinberg West Wiesen Ziegel"
)
_DUTCH: Final = (
    "Acacia Berken Beuken Bloem Boom Brink Dennen Dijk Dorps Eiken Elzen Gracht Haven Hof Hoofd Iepen "
    "Kastanje Kerk Klooster Koning Kruis Linde Markt Meidoorn Molen Noorder Oranje Park Populieren Prins "
    "Raadhuis Rozen School Singel Sport Station Tulpen Veld Vijver Wilgen Zand"
)
_POLISH: Final = (
    "Polna Leśna Słoneczna Krótka Szkolna Ogrodowa Lipowa Brzozowa Łąkowa Kwiatowa Sosnowa Kościelna Akacjowa "
    "Parkowa Zielona Kolejowa Sportowa Dębowa Spacerowa Wiśniowa Górna Długa Nowa Cicha Wierzbowa"
)
_SWEDISH: Final = (
    "Björk Järnvägs Ring Skol Skogs Ny Gran Idrotts Stor Kyrk Industri Park Strand Trädgård Ängs Kvarn Bergs Löv Sjö Ek"
)


class Places(NamedTuple):
    """The pools, and what a word is in them."""

    pools: Mapping[str, tuple[str, ...]]
    listed: Mapping[str, str]  # the class of each listed name, by its key
    countries: Mapping[str, str]  # keys of English names of countries, by the key of the adjective
    adjective_of: Mapping[str, str]  # the adjective of a country, by the key of its English name


@cache
def places() -> Places:
    """Return the embedded pools, read once."""
    read = pools_of((DATA / PLACES).read_bytes())
    pools = {name: tuple(entry.partition("/")[0] for entry in entries) for name, entries in read.items()}
    pools["state"] = pool("state")
    listed: dict[str, str] = {}
    for name in _LISTED:
        listed |= dict.fromkeys(map(key_of, pools[name]), name)
    for name, entries in pools.items():
        if name == "large" or name.startswith("city "):
            listed |= dict.fromkeys(map(key_of, entries), CITY)
    countries = (entry for name, entries in pools.items() if name.startswith(COUNTRY) for entry in entries)
    listed |= dict.fromkeys(map(key_of, (*countries, *pool("country"))), COUNTRY)
    pairs = [entry.split("/") for entry in read[COUNTRY]]
    return Places(
        MappingProxyType(pools),
        MappingProxyType(listed),
        MappingProxyType({key_of(adjective): key_of(country) for country, adjective in pairs}),
        MappingProxyType({key_of(country): adjective for country, adjective in pairs}),
    )


@cache
def place_pool(what: str, page: Page) -> tuple[str, ...]:
    """Return the entries of a class on a page, sorted: ``town``, ``city``, ``country`` or a list by its name.

    A class that has none in the language of the page has the towns of it.
    """
    pools = places().pools
    if what == STREET:
        return _streets(page)
    if what in (TOWN, CITY):
        area = _REGIONS.get(page.region) or _AREAS.get(page.language, _AREAS["en"])
        names = {name for country in area for name in pools.get(f"{what} {country}", ())}
        return tuple(sorted(names | (set(place_pool(CITY, page)) if what == TOWN else set())))
    if what == COUNTRY:
        if page.language in ("", "en"):
            return pools[COUNTRY]
        own = tuple(
            sorted(name for listed in pools if listed.startswith(f"country {page.language}") for name in pools[listed])
        )
        return own or place_pool(TOWN, page)
    return pools[what]


def _streets(page: Page) -> tuple[str, ...]:
    towns = [name for name in place_pool(TOWN, page) if name.isalpha()]
    if page.language == "de":
        made = [f"{stem}{end}" for stem in _GERMAN.split(" ") for end in ("stra\xdfe", "weg", "platz", "allee")]
    elif page.language == "nl":
        made = [f"{stem}{end}" for stem in _DUTCH.split(" ") for end in ("straat", "laan", "weg", "plein", "pad")]
    elif page.language == "sv":
        made = [f"{stem}{end}" for stem in _SWEDISH.split(" ") for end in ("gatan", "v\xe4gen", "stigen")]
    elif page.language == "pl":
        made = [f"ul. {name}" for name in _POLISH.split(" ")]
    elif page.language == "fr":
        made = [
            f"{kind} {_elided(name)}" for name in towns for kind in ("rue", "avenue", "boulevard", "chemin", "place")
        ]
    elif page.language == "es":
        made = [f"{kind} de {name}" for name in towns for kind in ("Calle", "Avenida", "Plaza", "Paseo")]
    elif page.language == "it":
        made = [f"{kind} {name}" for name in towns for kind in ("Via", "Viale", "Piazza", "Corso")]
    elif page.language == "pt":
        made = [f"{kind} de {name}" for name in towns for kind in ("Rua", "Avenida", "Travessa", "Pra\xe7a")]
    else:
        made = [f"{name} {kind}" for name in pool("town") for kind in STREETS]
    return tuple(sorted(made))


def _elided(name: str) -> str:
    return f"d'{name}" if key_of(name)[0] in "aeiou\xe9\xe8\xeay" else f"de {name}"
