"""Postal addresses: street lines, apartments, boxes, codes after states, in English and some other forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found

_ENDING: Final = (
    r"(?:Street|Str|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Place|Pl|Square|Sq"
    r"|Terrace|Ter|Way"
    r"|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Trail|Trl|Alley|Plaza|Crescent|Close|Gardens|Grove|Mews|Row|Walk"
    r"|Loop|Run"
    r"|Ridge|Hill|Heights|Hollow|Crossing|Path|Pike|Turnpike|Expressway|Freeway|Route|Union|Squares?|Mount"
    r"|Vista|Points?"
    r"|Junctions?|Ports?|Islands?|Mills?|Springs?|Gateway|Camp|Canyon|Causeway|Centers?|Cliffs?|Corners?"
    r"|Courts|Cove"
    r"|Creek|Curve|Dale|Divide|Estates?|Extensions?|Falls|Ferry|Fields?|Flats?|Fords?|Forest|Forges?|Forks?"
    r"|Fort|Garden"
    r"|Glens?|Green|Groves|Harbors?|Haven|Inlet|Keys?|Knolls?|Lakes?|Land|Landing|Light|Loaf|Locks?|Lodge"
    r"|Manors?"
    r"|Meadows?|Mission|Motorway|Mountains?|Neck|Orchard|Oval|Overpass|Park|Parks|Pass|Passage|Pine|Pines"
    r"|Plains?|Prairie"
    r"|Radial|Ramp|Ranch|Rapids?|Rest|River|Roads|Shoals?|Shores?|Skyway|Spurs?|Stations?|Stravenue|Stream"
    r"|Summit"
    r"|Throughway|Trace|Track|Trafficway|Tunnel|Underpass|Unions|Valleys?|Via|Viaduct|Views?|Villages?"
    r"|Ville|Walks|Wall"
    r"|Wells?)"
)
_SMALL_ENDING: Final = (
    "(?:street|avenue|ave|road|rd|drive|lane|blvd|boulevard|court|terrace|parkway|highway|crescent|str)"
)
_UNIT: Final = (
    r"(?:(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Rr]oom|[Rr]m|[Ff]loor|[Ff]l|APT|SUITE"
    r"|[Ff]lat)\.? ?#?[0-9]{1,5}[A-Za-z]?"
    r"|(?:[Pp]\.? ?[Oo]\.? ?|PSC [0-9]{1,6},? )[Bb]ox [0-9]{1,6})(?!\w)"
)
_WORD: Final = r"[A-Z0-9][A-Za-z0-9'-]{0,30}\.?"
_NUMBER: Final = r"(?:No\.? ?)?[0-9]{1,6}(?:[A-Za-z]|-[0-9]{1,4})?"

_ENGLISH: Final = re.compile(
    rf"(?<![\w.,/$\xa4-]){_NUMBER},? (?:{_WORD} ){{1,5}}?{_ENDING}\b\.?(?: (?:N|S|E|W|NE|NW|SE|SW|North"
    rf"|South|East|West)\b\.?)?"
    rf"(?:,? (?:#[0-9]{{1,5}}|{_UNIT}))?"
)
_SMALL: Final = re.compile(
    rf"(?<![\w.,/$\xa4-])[0-9]{{1,6}} (?:[A-Za-z'-]{{1,20}}\.? ){{1,3}}?{_SMALL_ENDING}\b\.?(?:,? {_UNIT})?"
)
_OTHERS: Final = re.compile(
    r"(?<!\w)(?:(?:[0-9]{1,6},? )?(?:"
    r"(?:[Rr]ua|[Vv]ia|[Cc]alle|[Rr]ue|[Aa]venida|Avda\.?|Av\.|[Pp]laza|[Pp]iazza|[Vv]iale|[Pp]raca|[Tt]rg"
    r"|[Uu]lica|[Uu]l\.|[Tt]ravessa"
    r"|[Cc]arrera|[Cc]hemin|[Pp]lace|[Qq]uai|[Aa]venue|[Bb]oulevard|[Aa]llee|[Cc]orso|[Ss]trada|[Ee]strada"
    r"|[Cc]/|[Cc]amino"
    r"|[Aa]leja|[Cc]esta|[Nn]amesti|[Cc]arretera|[Pp]aseo|[Rr]onda|[Ll]argo|[Bb]ulevar)"
    r" (?:(?:d[aeio]s?|du|des|de la|del|della|dell'|of|van|von|la|le|el|los|las|y"
    r"|e) ?){0,2}(?:[A-Za-z][A-Za-z'.-]{0,30},? ){1,5}[0-9]{1,5}[A-Za-z]?"
    r"|(?:[A-Za-z][A-Za-z'.-]{0,30} ){0,3}[A-Za-z][A-Za-z'-]{1,30}(?:gatan|gata|gade|vej|vegen|veien|vagen"
    r"|tie|katu|polku|kuja|straat|laan|weg|strasse|str\.|gasse|platz"
    r"|allee|damm|ufer|plein|gracht|dreef|steenweg|utca|utja|ter|korut|gotu|hraun|vangur|vegur|braut|stigur"
    r"|ulice|cesta|ulica|skogen|backe|backen|bakken|grand)"
    r"(?: (?:utca|ter|u\.))? [0-9]{1,5}[A-Za-z]?"
    r"|(?:[A-Z][A-Za-z'.-]{0,30} ){1,3}(?:utca|ter|ut|u\.|str|ulica|ulice|cesta|gata|vag|vei|tee|mnt|pst"
    r"|tanav|iela|gatve) [0-9]{1,5}[A-Za-z]?"
    rf")(?: {_UNIT})?(?!\w))"
)
_ALONE: Final = re.compile(rf"(?<!\w){_UNIT}")
_ANY_NAME: Final = re.compile(
    rf"(?<![\w.,/$\xa4-]){_NUMBER} (?:[A-Za-z][A-Za-z'.-]{{0,30}} ){{1,5}}?(?:[0-9]{{1,5}}[A-Za-z]? )?{_UNIT}"
)

_STATE: Final = (
    "(?:A[KLPRSZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]"
    "|UT|V[AT]|W[AIVY])"
)
_CODES: Final = re.compile(
    rf"(?<!\w)(?:{_STATE},? [0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])"
    r"|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?!\w)|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9](?!\w))"
)
_AFTER_CODE_WORD: Final = re.compile(
    r"\b(?:[Zz][Ii][Pp]|[Pp]ost(?:al)? ?code|[Pp]ostcode|PLZ)(?: [Cc]ode)?(?: (?:is|number))?:? ?"
    r"(?P<code>[0-9]{3,5}(?:[- ][0-9]{2,4})?(?: ?[A-Z]{2})?)(?!\w)"
)
_AFTER_COMMA: Final = re.compile(rf"(?<=[a-z],) (?P<state>{_STATE})(?![\w'])")
_DIGIT: Final = re.compile(r"[0-9]").search


def find_streets(text: str) -> Iterator[Found]:
    """Street lines with their number."""
    if _DIGIT(text):
        yield from (Found(match.start(), _end(match), "place", 0.8) for match in _ENGLISH.finditer(text))


def find_other_streets(text: str) -> Iterator[Found]:
    """Street lines in small letters, or in the order of other languages."""
    if _DIGIT(text):
        yield from (Found(match.start(), _end(match), "place", 0.7) for match in _OTHERS.finditer(text))


def find_small_streets(text: str) -> Iterator[Found]:
    """Street lines in small letters."""
    if _DIGIT(text):
        yield from (Found(match.start(), _end(match), "place", 0.6) for match in _SMALL.finditer(text))


def find_apartments(text: str) -> Iterator[Found]:
    """Any street line that ends in an apartment."""
    if _DIGIT(text):
        yield from (Found(match.start(), _end(match), "place", 0.7) for match in _ANY_NAME.finditer(text))


def find_units(text: str) -> Iterator[Found]:
    """Apartments, suites and boxes."""
    if _DIGIT(text):
        yield from (Found(match.start(), match.end(), "place", 0.7) for match in _ALONE.finditer(text))


def find_postal_codes(text: str) -> Iterator[Found]:
    """A state with its code, British and Canadian codes."""
    if _DIGIT(text):
        yield from (Found(match.start(), match.end(), "place", 0.7) for match in _CODES.finditer(text))


def find_named_postal_codes(text: str) -> Iterator[Found]:
    """What follows "zip code" or "postcode"."""
    if _DIGIT(text):
        for match in _AFTER_CODE_WORD.finditer(text):
            yield Found(match.start("code"), match.end("code"), "place", 0.7)


def find_states(text: str) -> Iterator[Found]:
    """A state's two letters after a comma: Denver, CO."""
    if ", " in text:
        for match in _AFTER_COMMA.finditer(text):
            yield Found(match.start("state"), match.end("state"), "place", 0.7)


def _end(match: re.Match[str]) -> int:
    """The end of a street line without the full stop of its sentence."""
    return match.end() - match[0].endswith(".")
