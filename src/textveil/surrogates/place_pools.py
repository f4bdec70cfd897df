"""Pools of real places, by what they are and by the language of the page; ``tools/build_places.py`` builds them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.surrogates.page import Page
from textveil.surrogates.pools import DATA, pool, pools_of
from textveil.surrogates.writing import key_of

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
