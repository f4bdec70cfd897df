"""Places: real towns and countries, streets and states, in the format of an address."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.drawn import Draw, Drawn, agreed, proved
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.person import person_of
from textveil.surrogates.pools import COUNTRY, STREET, TOWN, place_pool, places, pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.shown import Sound, agreed_on, sound_of, sounding
from textveil.surrogates.surrogate import UNKNOWN, Mention, Page
from textveil.surrogates.writing import (
    FROM_ONE,
    SCRIPT_FACTS,
    filled,
    has_other_script,
    in_case_of,
    key_of,
    shape_of,
    without_possessive,
)
from textveil.text.patterns import lazy_regex

SCRIPT: Final = Option(
    domain=named("drawn", "kept"),
    help="kept: a value in Cyrillic, Arabic, Chinese, Japanese or Korean letters gets one in the same; which "
    "they are, is public then.",
    metavar="NAME",
)


def with_script(drawn: Drawn, script: str) -> Drawn:
    """Return a surrogate of places or organizations with this option; its rules load where such letters stand."""
    other = drawn.of_mentions
    parameters = {**drawn.parameters, "script": script}
    if script != "kept" or other is None:
        return replace(drawn, parameters=parameters)

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        elsewhere = other(mentions, ages)
        turkish = drawn.name == "place" and bool(mentions) and mentions[0].page.language == "tr"
        if not turkish and not any(has_other_script(mention.value) for mention in mentions):
            return elsewhere
        from textveil.surrogates import scripts

        japanese = scripts.is_japanese(mentions)
        own = scripts.place if drawn.name == "place" else scripts.organization

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str | None:
            language = scripts.script_of(value, japanese=japanese)
            language = language or ("tr" if turkish and scripts.TURKISH_STREET.search(value) else "")
            return own(value, language, scope, rng) if language else elsewhere(value, scope, rng)

        return surrogate_of

    public = (*drawn.public, SCRIPT_FACTS)
    return replace(drawn, parameters=parameters, of_mentions=of_mentions, public=public, entries=None)


_MARK: Final = lazy_regex(r"(,|\n[> ]*)")  # what parts of a place are parted by
_BROKEN: Final = lazy_regex(
    r"(?i)(\n[> ]*)(?:street|avenue|road|lane|drive|court|way|place|terrace|boulevard|close|crescent|square|gardens)"
    r"(?=[,.\n]|\Z)"
)
"""The end of a street behind the end of a line."""
_CODE: Final = lazy_regex(r"AA(?:\s+[9-]{3,10})?")  # the shape of a state, with or without a postal code
# The shape of a postal code with letters: British, Canadian, Dutch, Irish.
_POSTAL: Final = lazy_regex(r"A{1,2}9{1,2}A? ?9AA|A9A ?9A9|9999 ?AA|A99 ?(?=[A9]{0,3}9)[A9]{4}")

_BRITISH: Final = lazy_regex(r"(?:.* )?A{1,2}9{1,2}A? 9AA")
_BRITISH_CODE: Final = lazy_regex(rf"A{{1,2}}(?={FROM_ONE}9?A? ?9AA\Z)")
_POSTAL_AREAS: Final = {
    1: tuple("BEGLMNSW"),
    2: tuple(
        re.findall(
            "..",
            "ABALBABBBDBHBLBNBRBSBTCACBCFCHCMCOCRCTCVCWDADDDEDGDHDLDNDTDYECEHENEXFKFYGLGUHAHDHGHPHRHSHUHXIGIPIVKAKTKWKY"
            "LALDLELLLNLSLUMEMKMLNENGNNNPNRNWOLOXPAPEPHPLPOPRRGRHRMSASESGSKSLSMSNSOSPSRSSSTSWSYTATDTFTNTQTRTSTWUBWAWCWDWF"
            "WNWRWSWVYOZE",
        )
    ),
}
"""The British postal areas, by how many letters they have."""

# The shape of a town behind its postal code: streets have two words behind a number of four or five digits alone.
_CODE_AND_TOWN: Final = lazy_regex(
    r"(?P<code>9{4,5}(?= [^\s9]+\Z)|9999 AA|99-999|9999-999|999 99(?= A)) (?P<town>[^9]+)"
)
# The shape of what ends with a postal code: Swindon SN1 1DL, Springfield IL 62704.
_CODE_BEHIND: Final = lazy_regex(r"(?P<rest>.*[^9 ]) (?P<code>A{1,2}9{1,2}A? 9AA|AA 9{5}(?:-9{4})?)")
# The shape of a house number before its street, and what may follow it there.
_HOUSE: Final = lazy_regex(r"(?P<house>9{1,5}(?:[-/]9{1,4})?(?:[Aa](?![Aa]))?)(?P<gap> ?(?:[, ] ?))(?=\S)")
_BIS: Final = lazy_regex(r"(?i)\A(?:[0-9]{1,4}) ?(?P<bis>bis|ter|quater)(?![^\W_])[, ]{0,2}")

_NUMBER_ALONE: Final = lazy_regex("(?i)[0-9]{1,4}(?: ?(?:bis|ter|quater))?")

# The shape of a house number behind the name of its street.
_NUMBER_BEHIND: Final = lazy_regex(r"(?<=[Aa.])[ ,]{1,2}9{1,4}(?:[-/ ]?9{1,3}|[ ]?a)?\Z")
_BIS_BEHIND: Final = lazy_regex(r"(?i)(?P<street>.{3,60}? [0-9]{1,4})(?P<bis> ?(?:bis|ter|quater))")
_STREET: Final = lazy_regex(
    r"(?i)(?:^|[ .-])(?:street|st\.?|avenue|ave\.?|road|rd\.?|lane|ln\.?|drive|dr\.|court|ct\.|terrace|boulevard|"
    r"blvd\.?|way|walk|grove|gardens|approach|"
    r"close|crescent|row|quay|mews|parkway|highway|alley)\Z|[a-z\xe4\xf6\xfc\xdf](?:stra(?:\xdf|ss)e|str\.|weg|"
    r"gasse|platz|"
    r"allee|ufer|damm|straat|laan|plein|gracht|kade|gatan|v\xe4gen|gade|vej|veien|katu)\Z|^(?:rue|avenue|"
    r"boulevard|chemin|"
    r"all\xe9e|impasse|quai|route|place|passage|calle|avenida|avda\.?|av\.|paseo|plaza|via|viale|piazza|piazzale|vicolo|"
    r"largo|corso|rua|travessa|pra\xe7a|ul\.|ulica|c/) "
)
# A word for a part of a building, with its number or letter.
_UNIT: Final = lazy_regex(
    r"(?i)(?P<unit>(?:(?:conference|meeting|board|class|court|delivery|operating|treatment|exam|seminar) )?room|flat|"
    r"unit|apt\.?|apartment|suite|ste\.?|room|rm\.?|ward|floor|n\.?[\xba\xb0]|nr\.?|m\.|lok\.|zimmer|zi\.|raum|"
    r"chambre|salle|sala|stanza|kamer|lokaal|building|block|platform|plot|b\xe2timent|b\xe2t\.?|"
    r"appt\.?|appartement|escalier|\xe9tage|piso|puerta|planta|portal|interno|int\.|scala|wohnung|whg\.?|bloco|apto\.?|"
    r"andar|lote|#) ?(?P<number>[0-9]{1,4}(?:\.[0-9]{1,3})?[a-z]?|[a-z][0-9]{0,3})"
)
_UNIT_BEHIND: Final = lazy_regex(
    r"(?i)(?P<rest>.{3,60}?) (?P<unit>(?:flat|unit|apt\.?|apartment|suite|ste\.?|m\.|lok\.|#) ?[0-9a-z]{1,5})"
)
_FLOOR: Final = lazy_regex(
    r"(?i)(?P<floor>[0-9]{1,2}\.?[\xba\xaa]) ?(?P<door>[a-z]|[0-9]{1,2}|izq(?:da|uierda)?\.?|"
    r"izda\.?|dcha\.?|derecha|esq\.?|"
    r"dto\.?|fte\.?|frente|centro)?"
)
_STOREY: Final = lazy_regex(
    r"(?i)bajos?|[\xe1a]tico|entresuelo|s[\xf3o]tano|r/c|r[\xe9e]s-do-ch[\xe3a]o|rdc|rez-de-chauss[\xe9e]e|piano terra"
    r"|parter(?:re)?|(?:erd|ober|dach|unter)geschoss|begane grond|(?:ground|first|second|top) floor|basement|attic"
)
_SAINT: Final = lazy_regex(r"(?P<saint>(?:St\.?|Saint|Sankt) )(?P<name>[^\W\d_]+)")
_SHIRE: Final = "shire"
# A word for a kind of place before or behind its name.
_TYPED: Final = lazy_regex(
    r"(?i)(?:the )?(?:(?:[a-z']{1,12} ){0,2}(?P<state>republic|kingdom)|city|town|village|county|state|province|"
    r"port|isle|"
    r"district|borough|municipality) of (?:the )?(?P<of>.{2,40})|(?:r\xe9sidence|haus|villa|huize|chalet|residenza|"
    r"residencia|edif[i\xed]cio|palazzo) (?P<house>.{2,40})|(?P<rest>.{2,40}?)(?: "
    r"(?:county|parish|islands?|valley|"
    r"airport|station|park|beach|bridge|castle|prison|square|hospital|clinic|university|school|college|cemetery|"
    r"harbou?r|house|cottage|farm|barn|lodge|rectory|vicarage|manor|yard|hall|flat|forge|brewery|"
    r"mills?|grange|chapel|stables|works|towers?|rooms|"
    r"forest|district|borough|region|province|prefecture|oblast|village|city|bay|mall|library|church))+"
)
_ARTICLE: Final = lazy_regex(r"(?i)(?<![^\W_])(?:the|en|au|du|la|der|zur|im|am|zum|beim|we?|ze?|do|od|przy|na) \Z")
_ENDS_OF: Final = dict.fromkeys(("der", "zur"), ("stra\xdfe", "allee")) | dict.fromkeys(
    ("im", "am", "zum", "beim"), ("weg", "platz")
)
"""Ends of German streets by the article before them."""
PLACE: Final = "place"
"""The label under which a scope remembers all places but streets and countries."""
COUNTRIES: Final = "place country"

# What equality of parts is public, within a place and among places.
_EQUAL: Final = (
    "are equal, but for case and possessive; also which streets are, whatever their house numbers, and which states "
    "and towns are, whatever their postal codes"
)

_LEVEL = Option(
    domain=named("drawn", "kept"),
    help="kept: a country stays a country, a city a city, a lake a body of water, by public lists and by words for "
    "kinds of places; what it is, is public.",
    metavar="NAME",
)


@declared(
    summary="A real town of the page's language; streets and states where the format shows them.",
    kinds=("place",),
    proof=PSEUDONYMS,
)
def place(*, level: Annotated[str, _LEVEL] = "drawn", script: Annotated[str, SCRIPT] = "drawn") -> Drawn:
    """A pseudonym for each part of a place between commas: a real town, or what its format shows.

    Towns, countries and the names of streets are those of the language that the released words of the page are in, and
    of English pages of their country if the words show it. Pools are public, and the law uniform over them.

    A street, state or town gets its own pseudonym, whatever number or code stands beside it. House numbers and postal
    codes are drawn for the whole part.

    The format is what no list is needed for: four or five digits and one word are a town behind its postal code; any
    other part with up to four digits in front or behind is a street with its number; two capitals (with a postal
    code) are a state; digits alone are digits; SW1A 1AA, K1A 0B1 and 1012 AB are postal codes by their shape; all else
    is a town.

    ``level`` kept looks parts up in public lists and draws from the list where one stands; words for kinds of places
    (Street, County, Republic of) count too, and stay if they are no street's.
    """

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        page, shown = _page(mentions), _shown(mentions)

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            bare, ending = without_possessive(unicodedata.normalize("NFC", value))
            broken = _BROKEN.search(bare)
            whole = bare if broken is None else f"{bare[: broken.start()]} {bare[broken.end(1) :]}"
            drawing, pieces = _Drawing(level, page, shown, scope, rng), _MARK.split(whole)
            pieces[::2] = drawing.parts([part.strip() for part in pieces[::2]])
            pieces[1::2] = [", " if mark == "," else mark for mark in pieces[1::2]]
            if broken is not None:
                street = whole.count(",", 0, broken.start()) + whole.count("\n", 0, broken.start())
                pieces[2 * street] = broken[1].join(pieces[2 * street].rsplit(" ", 1))
            return "".join(pieces) + ending

        return surrogate_of

    public = ["its format: its parts between commas and line breaks, and which of them are two capitals alone"]
    public += ["how many digits it has that stand at the beginning or end of a part, or in one without letters"]
    public += [
        "their marks; digits, hyphens and spaces of a postal code behind two capitals, by their number and places"
    ]
    public += ["of a part of another postal code's shape, that shape; whether one word follows four or five digits"]
    public += [
        "words for a part of a building (Flat, Unit, 2.\xba Esq., bajo) and for a house number's end (bis), "
        "with its form"
    ]
    public += ["letter case and possessive of each part", "which of its parts are equal"]
    if level == "kept":
        public.append(
            "whether a part stands in the public list of countries, of cities, of waters, of mountains, or of "
            "states and "
            "counties, and in which, or it or the rest of it is a part of a name that the text has elsewhere; words "
            "for a kind of place at its ends (Street, Republic of, County)"
        )
    drawn = Drawn(
        name="place",
        parameters={"level": level},
        guarantee=proved(0.0, PSEUDONYMS),
        public=tuple(public),
        equality=f"which parts of places {_EQUAL}",
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
        read=_place_key,
        of_pool=True,
    )
    return with_script(drawn, script)


def _place_key(value: str) -> str:
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    parts = (part.strip() for part in _MARK.split(bare)[::2])
    return ", ".join(f"{_format(part, shape_of(part))} {key_of(part)}" for part in parts)


def _format(part: str, shape: str) -> str:
    if _CODE.fullmatch(shape):
        return "state"
    if _POSTAL.fullmatch(shape):
        return "code"
    if not any(map(str.isalpha, part)):
        return "digits"
    if (found := _CODE_AND_TOWN.fullmatch(shape)) is not None:
        return f"{found['code']} and town"
    if shape.startswith("9"):
        return "street"
    return "street behind" if _NUMBER_BEHIND.search(shape) else "town"


_Shown: TypeAlias = Mapping[str, tuple[Sound, str]]
"""Demands of released words on a part, by its key: the first sound, and the article of a country."""


def towns(page: Page = UNKNOWN) -> int:
    """Return how many towns there are on a page."""
    return len(place_pool(TOWN, page))


class _Drawing(NamedTuple):
    """Draws the parts of the places of one text."""

    level: str
    page: Page
    shown: _Shown
    scope: Scope
    rng: np.random.Generator

    def parts(self, parts: Sequence[str]) -> list[str]:
        """Draw all parts; what stands behind a house number alone is its street: 12 bis, hent Kroaz."""
        alone = len(parts) > 1 and _NUMBER_ALONE.fullmatch(parts[0]) and not any(map(str.isdigit, parts[1]))
        return [
            self._named(part, STREET) if alone and place == 1 else self.part(part) for place, part in enumerate(parts)
        ]

    def part(self, part: str) -> str:
        shape, key = shape_of(part), key_of(part)
        if (behind := _CODE_BEHIND.fullmatch(shape)) is not None:
            cut = behind.end("rest")
            return f"{self.part(part[:cut])} {self.part(part[cut + 1 :])}"
        if (unit := _UNIT.fullmatch(part)) is not None:
            return part[: unit.start("number")] + self._digits(_numbered(shape_of(unit["number"])), key)
        if _STOREY.fullmatch(part) is not None:
            return part
        if (floor := _FLOOR.fullmatch(part)) is not None:
            door = shape_of(floor["door"]) if floor["door"] and len(floor["door"]) < 3 else ""
            drawn = self._digits(_numbered(shape_of(floor["floor"])) + door, key)
            return (
                drawn[: len(floor["floor"])]
                + part[len(floor["floor"]) : len(part) - len(door)]
                + drawn[len(floor["floor"]) :]
            )
        if (behind := _UNIT_BEHIND.fullmatch(part)) is not None and _STREET.search(behind["rest"]):
            return f"{self.part(behind['rest'])} {self.part(behind['unit'])}"
        if (bis := _BIS_BEHIND.fullmatch(part)) is not None:
            return self.part(bis["street"]) + bis["bis"]
        written = _format(part, shape)
        if written == "state":
            return self._entry("state code", key_of(part[:2])) + self._digits(shape[2:], key)
        if written in ("digits", "code"):
            return self._digits(_numbered(shape), key)
        if written == "street behind":
            match = _NUMBER_BEHIND.search(shape)
            assert match is not None
            return self._named(part[: match.start()], STREET) + self._digits(_numbered(shape[match.start() :]), key)
        if (match := _CODE_AND_TOWN.fullmatch(shape)) is not None:
            return f"{self._digits(_numbered(match['code']), key)} {self._named(part[match.start('town') :], TOWN)}"
        if written == "street":
            return self._street(part, shape, key)
        return self._named(part, TOWN) if self.level == "drawn" else self._looked_up(part)

    def _street(self, part: str, shape: str, key: str) -> str:
        """Draw a street with its house number in front: 12, 12a, 12-14, 3 bis."""
        if (bis := _BIS.match(part)) is not None:
            number = self._digits(_numbered(shape[: len(shape) - len(shape.lstrip("9"))]), key)
            rest = part[bis.end() :]
            return number + part[len(number) : bis.end()] + (self._named(rest, STREET) if rest else "")
        house = _HOUSE.match(shape)
        digits = len(shape) - len(shape.lstrip("9")) if house is None else house.end("house")
        named_place = part[digits:].strip(" ,")
        is_town = self.level == "kept" and shape[:4] == "9999" and not _STREET.search(named_place)
        number = "-".join(
            sorted(self._digits(_numbered(shape[:digits]), key).split("-"), key=lambda part: (len(part), part))
        )
        gap = " " if house is None else part[digits : house.end()]
        return f"{number}{gap}{self._named(named_place, TOWN if is_town else STREET)}"

    def _looked_up(self, part: str) -> str:
        if _STREET.search(part):
            return self._named(part, STREET)
        key, known = key_of(part), places()
        if key in known.countries:
            drawn = country_of(known.countries[key], Page(), "", self.scope, self.rng)
            return in_case_of(part, known.adjective_of[key_of(drawn)])
        listed = known.listed.get(key, "county" if key.endswith(_SHIRE) else None)
        if listed is None and (saint := _SAINT.fullmatch(part)) is not None:
            return saint["saint"] + self._entry("given", key_of(saint["name"]))
        if listed is None and self.scope.remembers and (person := person_of(key, self.scope)):
            return in_case_of(part, person)
        if listed is None and (typed := _TYPED.fullmatch(part)) is not None:
            rest = typed["of"] or typed["house"] or typed["rest"]
            what = known.listed.get(key_of(rest), COUNTRY if typed["state"] else TOWN)
            person = person_of(key_of(rest), self.scope) if self.scope.remembers else ""
            return part.replace(rest, in_case_of(rest, person) if person else self._named(rest, what))
        return self._named(part, listed or TOWN)

    def _named(self, part: str, what: str) -> str:
        """Draw a name of a class, the same for the same part in a scope."""
        key = key_of(part)
        sound, article = self.shown.get(key, ("", ""))
        if not self.scope.remembers:
            page = Page(self.page.language)
            entries = place_pool(what, page)
            return in_case_of(part, entries[self.scope.place(f"{what} {page.language}", key, len(entries), self.rng)])
        if what == COUNTRY:
            return in_case_of(part, country_of(key, self.page, article, self.scope, self.rng))
        if polish := self.page.language == "pl" and what != STREET:
            part, case, entries = _polish(part, what, self.page, article)
            key = key_of(part)
        else:
            entries = sounding(_fitting(what, self.page, article), sound)
        label = STREET if what == STREET else PLACE
        drawn = agreed(self.scope, label, key, self.rng, lambda rng: entries[rng.integers(len(entries))], distinct=True)
        if self.page.language == "pl":
            from textveil.surrogates import scripts

            drawn = scripts.polish(drawn, case) if polish else scripts.polish_street(part, drawn)
        return in_case_of(part, drawn)

    def _entry(self, listed: str, key: str) -> str:
        return pool(listed)[self.scope.place(f"place {listed}", key, len(pool(listed)), self.rng)]

    def _digits(self, shape: str, key: str) -> str:
        """Draw the digits of a whole part by its key, so that no equality of digits alone is told."""
        label, distinct = f"place digits {shape}", "9" in shape or FROM_ONE in shape
        british = _BRITISH_CODE.match(shape)
        areas, rest = (("",), shape) if british is None else (_POSTAL_AREAS[british.end()], shape[british.end() :])

        def made(source: np.random.Generator) -> str:
            return areas[source.integers(len(areas))] + filled(rest, source)

        return agreed(self.scope, label, key, self.rng, made, distinct=distinct)


def _fitting(what: str, page: Page, article: str) -> tuple[str, ...]:
    """Return the entries of a class that go with the article before them: in der Talstraße, au Havre, à Lyon."""
    agrees = page.language == "fr" or (page.language == "de" and article in _ENDS_OF)
    return _agreeing(what, page, article) if agrees else place_pool(what, page)


@lru_cache(maxsize=64)
def _agreeing(what: str, page: Page, article: str) -> tuple[str, ...]:
    entries = place_pool(what, page)
    if page.language == "de":
        return tuple(entry for entry in entries if entry.endswith(_ENDS_OF[article])) or entries
    begins = {"au": "Le ", "du": "Le ", "la": "La "}.get(article, "")
    own = tuple(entry.removeprefix(begins) for entry in entries if begins and entry.startswith(begins))
    return own if len(own) > 1 else tuple(entry for entry in entries if not entry.startswith(("Le ", "Les ")))


def _polish(part: str, what: str, page: Page, article: str) -> tuple[str, int, tuple[str, ...]]:
    """Return a Polish town in the nominative, the case that its form or a preposition shows, and others like it."""
    from textveil.surrogates import scripts

    nominative, case = scripts.polish_nominative(part, scripts.polish_known(()))
    if not case and nominative == part:
        case = {"w": 5, "we": 5, "przy": 5, "na": 5, "z": 1, "ze": 1, "do": 1, "od": 1}.get(article, 0)
    return nominative, case, scripts.polish_regular(what, page)


def _numbered(shape: str) -> str:
    """Return the shape of a house number or a postal code: it begins with no zero."""
    return shape.replace("9", FROM_ONE, 1)


def country_of(key: str, page: Page, article: str, scope: Scope, rng: np.random.Generator) -> str:
    """Draw the country of a key, or return the one whose adjective the text has got already."""
    if page.language in ("", "en"):
        entries = place_pool("country the" if article == "the" else COUNTRY, page)
    else:
        entries = place_pool(COUNTRY, page)
        if page.language == "fr" and article:
            is_masculine = article in ("au", "du")
            named = places().pools[f"country fr {'masculine' if is_masculine else 'feminine'}"]
            entries = sounding(named, "consonant") if is_masculine else named
    return agreed(
        scope, COUNTRIES, key, rng, lambda rng: entries[rng.integers(len(entries))], distinct=True, taken_of=PLACE
    )


def _page(mentions: Sequence[Mention]) -> Page:
    """Return the page of a text, with the country that the formats of its places show: a state or a postal code."""
    page = mentions[0].page if mentions else UNKNOWN
    if page.language in ("", "en"):
        parts = (part.strip() for mention in mentions for part in _MARK.split(mention.value)[::2])
        shapes = [shape_of(part) for part in parts]
        if any(map(_CODE.fullmatch, shapes)):
            return page._replace(region="US")
        if any(map(_BRITISH.fullmatch, shapes)):
            return page._replace(region="GB")
    return page


def _shown(mentions: Sequence[Mention]) -> _Shown:
    shown: dict[str, tuple[list[Sound], list[str]]] = {}
    for mention in mentions:
        sound, article = sound_of(mention), _ARTICLE.search(mention.before)
        if sound or article is not None:
            bare, _ = without_possessive(unicodedata.normalize("NFC", mention.value))
            sounds, articles = shown.setdefault(key_of(_MARK.split(bare)[0].strip()), ([], []))
            sounds.append(sound)
            articles.append("" if article is None else article[0].strip().lower())
    return {key: (agreed_on(sounds), agreed_on(articles)) for key, (sounds, articles) in shown.items()}
