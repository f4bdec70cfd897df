"""Postal addresses: street lines, apartments, boxes, codes after states, in English and some other forms.

The endings are those of the United States Postal Service's list of street suffixes, and small words of other countries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import OTHER, Found, Search, finding, near
from textveil.detection.gates import CUT, at_digits, both, either, holding, matching, with_words
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import either_of, lazy_regex, matches

_ENDING: Final = either_of(
    """Street Str St Avenue Ave Road Rd Drive Dr Lane Ln Boulevard Blvd Court Courts Ct Place Pl Square Squares Sq
    Terrace Ter Way Parkway Pkwy Highway Hwy Circle Cir Trail Trl Alley Plaza Crescent Close Gardens Garden
    Grove Groves Mews Row Walk Walks Loop Run Ridge Hill Hills Heights Hollow Crossing Path Pike Turnpike
    Expressway Freeway Route Union Unions Mount Vista Point Points Junction Junctions Port Ports Island Islands
    Mill Mills Spring Springs Gateway Camp Canyon Causeway Center Centers Cliff Cliffs Corner Corners Cove Creek
    Curve Dale Divide Estate Estates Extension Falls Ferry Field Fields Flat Flats Ford Fords Forest Forge Fork
    Forks Fort Glen Glens Green Harbor Harbors Haven Inlet Key Keys Knoll Knolls Lake Lakes Landing Lock Locks
    Lodge Manor Manors Meadow Meadows Mission Motorway Mountain Mountains Neck Orchard Oval Overpass Park Parks
    Pass Passage Pine Pines Plain Plains Prairie Ramp Ranch Rapid Rapids Rest River Roads Shoal Shoals Shore
    Shores Skyway Spur Station Stravenue Stream Summit Throughway Trace Track Trafficway Tunnel Underpass Valley
    Valleys Viaduct View Views Village Villages Ville Wall Well Wells"""
)
_SMALL_ENDING: Final = either_of(
    "street avenue ave road rd drive lane blvd boulevard court terrace parkway highway crescent grove mews str st"
)
_LEADING: Final = either_of(
    """rua via calle rue avenida avda plaza piazza viale praca trg ulica travessa camino carrera chemin place quai
    avenue boulevard allee corso strada estrada aleja cesta namesti carretera paseo ronda largo bulevar plac
    rambla"""
)
_STREET_WORD: Final = either_of(
    """gatan gata gade vej vegen veien vagen katu polku kuja tie straat laan weg strasse strase gasse platz allee damm
    ufer plein gracht dreef steenweg utca utja korut gotu hraun vangur vegur braut stigur ulice cesta ulica skogen
    backe backen bakken vagur holt lundur"""
)
_AFTER_NAME: Final = either_of(
    "utca ut ter u\\. ulica ulice cesta gata vag vei tee mnt pst tanav iela gatve str\\. utja"
)

_UNIT: Final = (
    r"(?:(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Rr]oom|[Rr]m|[Ff]loor|[Ff]lat|APT|SUITE|UNIT)\.? ?#?"
    r"[0-9]{1,5}[A-Za-z]?(?: [Bb]ox [0-9]{1,6})?"
    r"|(?:[Pp]\.? ?[Oo]\.? ?|[Pp][Ss][Cc] [0-9]{1,6},? |[Pp]ost)[Bb]ox [0-9]{1,6})(?!\w)"
)
_FIRST: Final = r"[0-9](?<![\w./$\xa4-].)(?<![^A-Za-z\"\xb7],.)"
"""A digit before which no number and no word stands, but perhaps another column.
Patterns that begin with a set of characters are fast."""

_NUMBER: Final = rf"{_FIRST}[0-9]{{0,5}}(?:[A-Za-z]|-[0-9]{{1,4}})?"
_WORD: Final = r"[A-Z0-9][A-Za-z0-9'-]{0,30}\.?"
_ANY_WORD: Final = r"[A-Za-z][A-Za-z'.-]{0,30}"
_HOUSE: Final = r"[0-9]{1,5}[A-Za-z]?(?!\w|[.,:/-][0-9]|%)"

_ENGLISH: Final = lazy_regex(
    rf"{_NUMBER},? (?:{_WORD} ){{1,5}}?(?:{_ENDING})\b\.?"
    r"(?: (?:NE|NW|SE|SW|North|South|East|West|N|S|E|W)\b\.?)?"
    rf"(?:,?\s{{1,3}}(?:#[0-9]{{1,5}}|{_UNIT}))?"
)
_SMALL: Final = lazy_regex(
    rf"{_FIRST}[0-9]{{0,5}} (?:{_ANY_WORD} ){{1,3}}?(?:{_SMALL_ENDING})\b\.?(?:,?\s{{1,3}}{_UNIT})?"
)
_OTHERS: Final = lazy_regex(
    rf"(?<!\w)(?:[0-9]{{1,6}},? ){{0,2}}(?:(?!via [A-Z]{{2}})(?i:{_LEADING}) (?:(?:d[aeio]s?|du|des|de la|del|della|of"
    rf"|van|von|la|le|el|los|las) ){{0,2}}(?:{_ANY_WORD},? ){{1,5}}?{_HOUSE}|(?:[A-Z][A-Za-z'.-]{{0,30}}"
    rf" ){{0,3}}[A-Z][A-Za-z'-]{{1,30}}(?:{_STREET_WORD}) {_HOUSE}|[a-z][a-z'-]{{3,30}}(?:gatan|straat|strasse|strase"
    rf"|vegen|steenweg|plein|laan|gade|katu) {_HOUSE}|(?:[A-Z][A-Za-z'.-]{{0,30}} ){{1,3}}(?:{_AFTER_NAME})"
    rf" {_HOUSE})(?:,?\s{{1,3}}{_UNIT})?"
)
_REPORTER = r"(?:[A-Z][A-Z.]{0,5} ){1,2}[0-9]"  # behind the volume of a law report: 2 AC 214, 410 U.S. 113

_NUMBERED: Final = lazy_regex(
    rf"{_FIRST}[0-9]{{0,5}},? (?:[0-9]{{1,6}} )?(?:{_ANY_WORD} ){{1,5}}?(?:{_HOUSE} )?{_UNIT}"
    rf"|{_FIRST}[0-9]{{0,5}} (?!{_REPORTER})(?:[A-Z][A-Za-z'.-]{{0,30}} ){{1,4}}?{_HOUSE}(?:,?\s{{1,3}}{_UNIT})?"
)
_AFTER_WORD: Final = lazy_regex(
    r"(?:[Aa]ddress(?: is|:)?|[Ll]ive[sd]? (?:at|on)|[Rr]esid(?:es?|ing) (?:at|on)|[Ll]ocated (?:at|on)|[Ss]ide of"
    r"|[Cc]orner of)"
    rf"\s{{1,3}}(?P<place>[A-Z][A-Za-z'.-]{{1,30}}(?: [A-Z][A-Za-z'.-]{{0,30}}){{0,3}} {_HOUSE})"
)
_AT_NUMBER: Final = lazy_regex(
    r"(?:[Ll]iv(?:e|es|ed|ing) (?:at|on)|[Rr]esid(?:es?|ed|ing) (?:at|on)|[Ss]tays? at|[Ll]ocated at"
    r"|[Aa]ddress(?: is|:)|[Dd]eliver(?:ed)? to|[Hh]ome:|[Mm]oved to|[Ll]odges at)\s{1,3}"
    rf"(?P<place>{_NUMBER},? [A-Z][A-Za-z'.-]{{1,30}}(?: [A-Z][A-Za-z'.-]{{0,30}}){{0,3}}"
    rf"(?:, [A-Z][a-z'-]{{2,30}}(?: [A-Z][a-z'-]{{2,30}}){{0,2}}(?=[,.;\n]))?)"
)
_HOUSE_NUMBER: Final = lazy_regex(r"[0-9](?<=[A-Za-z.,] .)[0-9]{0,4}")
_ALONE: Final = lazy_regex(rf"(?<!\w){_UNIT}")

_STATE: Final = (
    "(?:A[KLPRSZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]"
    "|UT|V[AT]|W[AIVY])"
)
_CODES: Final = lazy_regex(
    rf"(?<!\w)(?:(?:{_STATE}|[A-Z]{{2}}),? [0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])"
    r"|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?!\w)|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9](?!\w)"
    r"|(?:[AFD]PO A[AEP]|[afd]po a[aep]) [0-9]{5}(?!\w)|(?:USS|USNS|USNV|USCGC) [A-Z][a-z]{1,30}(?![A-Za-z]))"
)
_NO_STATE: Final = "OK,? (?!7[34])|IN,? (?!4[67])|OR,? (?!97)|ME,? (?!0[34])|HI,? (?!96)"
"""States whose two letters are a word, before numbers that are none of their postal codes: Status OK 20000."""

_TOWN: Final = lazy_regex(
    r"(?<![\w'-])(?P<place>[A-Z][a-z]{1,20}\.?(?:[ -][A-Z][a-z'-]{2,20}){0,2}),? "
    rf"(?!{_NO_STATE})(?={_STATE},? [0-9]{{5}}(?:-[0-9]{{4}})?(?![\w-])|(?<=, )ID {OTHER}{{5}}(?!\w))"
)
"""A town before its state and postal code. ID is Idaho behind a comma alone; its code may have been found as an ID."""

_BRITISH_TOWN: Final = lazy_regex(
    r"[,\n] ?(?!P(?:ost|OST))(?P<place>[A-Z][A-Za-z'-]{1,20}(?:[ -][A-Za-z'-]{2,20}){0,3}),? "
    r"(?=[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?!\w))"
)
"""A town before its postal code, behind a comma or at the start of a line: , Stoke on Trent ST4 7QB."""

_SMALL_CODE: Final = lazy_regex(
    r"[a-z](?<![\w.-].)(?:(?<=[begmlnsw])|(?<=a)[bl]|(?<=b)[abdhlnrst]|(?<=c)[abfhmortvw]|(?<=d)[adeghlnty]"
    r"|(?<=e)[chnx]"
    r"|(?<=f)[ky]|(?<=g)[lu]|(?<=h)[adgprsux]|(?<=i)[gpv]|(?<=k)[atwy]|(?<=l)[adelnsu]|(?<=m)[ekl]|(?<=n)[egnprw]"
    r"|(?<=o)[lx]|(?<=p)[aehlor]|(?<=r)[ghm]|(?<=s)[aegklmnoprstwy]|(?<=t)[adfnqrsw]|(?<=u)b|(?<=w)[acdfnrsv]|(?<=y)o"
    r"|(?<=z)e)[0-9][0-9a-z]? [0-9](?!st|nd|rd|th|hr|ft|lb|gb|yr|pt|ed)[abd-hjlnp-uw-z]{2}(?!\w)"
)
"""A British postal code in small letters, by its area: ls6 3hn."""

_AFTER_CODE_WORD: Final = lazy_regex(
    r"\b(?:[Zz][Ii][Pp]|[Pp]ost(?:al)? ?code|[Pp]ostcode|PLZ)(?: [Cc]ode)?(?: (?:is|number))?:? ?"
    r"(?P<place>[0-9]{3,5}(?:[- ][0-9]{2,4})?(?: ?[A-Z]{2})?)(?!\w)"
)
_AFTER_COMMA: Final = lazy_regex(rf"(?:, (?<=[a-z], )|(?:[Ll]ocation|[Ss]tate): )(?P<place>{_STATE})(?![\w'])")

UNIT_GATE: Final = at_digits(r"(?:pt|ment|uite|te|nit|oom|[Rr]m|oor|lat|APT|SUITE|UNIT|ox)\.? ?#?[0-9]")
TOWN_GATE: Final = at_digits("[A-Za-z],? [0-9]{5}|[A-Z][0-9]")
_AT_NAME: Final = at_digits(rf"(?:[A-Z]|{CUT})[A-Za-z'.-]{{0,20}} [0-9]")
_AFTER_STREET: Final = at_digits(rf"(?:{_STREET_WORD}|{_AFTER_NAME}) [0-9]")
_LIVES: Final = holding(
    *("ddress", "ive at", "ive on", "ives at", "ives on", "ived at", "ived on", "esid", "ocated at", "ocated on"),
    *("ide of", "orner of"),
)

_NUMBER_FOLLOWS: Final = holding(
    *("ive at", "ives at", "ived at", "ive on", "ives on", "ived on", "iving at", "iving on", "esid", "tay at"),
    *("tays at", "ocated at", "ddress", "eliver", "ome:", "oved to", "odges at"),
)


def _search(pattern: re.Pattern[str], score: float, anchor: re.Pattern[str] | None = None) -> Search:
    group: int | str = "place" if "(?P<place>" in pattern.pattern else 0

    def find(text: str) -> Iterator[Found]:
        candidates = matches(pattern, text) if anchor is None else near(pattern, text, anchor, 150, 50)
        for match in candidates:
            start, end = match.span(group)
            yield Found(start, end - (text[end - 1] == "."), "place", score)  # a full stop is the sentence's

    return find


def find_towns(text: str) -> Iterator[Found]:
    """Yield a town before its state and postal code: Salem, OR 97301."""
    for match in matches(_TOWN, text):
        first, _, rest = match["place"].partition(" ")
        begin = len(first) + 1 if rest and first.lower() in FUNCTION_WORDS else 0
        yield Found(match.start("place") + begin, match.end("place"), "place", 0.7)


find_lines: Final = _search(_ENGLISH, 0.8)
LINE_GATE: Final = at_digits("[0-9][A-Za-z]?,? [A-Z0-9]")
find_other_lines: Final = _search(_OTHERS, 0.7, _HOUSE_NUMBER)
OTHER_LINE_GATE: Final = both(
    at_digits("[A-Za-z.,] [0-9]"), either(with_words(_LEADING.replace("|", " ")), _AFTER_STREET)
)
find_numbered: Final = _search(_NUMBERED, 0.6)
NUMBERED_GATE: Final = either(UNIT_GATE, at_digits("[0-9] [A-Z]"))
find_small: Final = _search(_SMALL, 0.6)
SMALL_GATE: Final = at_digits("[0-9] [A-Za-z]")
find_after_words: Final = _search(_AFTER_WORD, 0.6, _HOUSE_NUMBER)
AFTER_WORD_GATE: Final = both(_AT_NAME, _LIVES)
find_houses: Final = _search(_AT_NUMBER, 0.6)
HOUSE_GATE: Final = both(at_digits("[0-9][A-Za-z]?,? [A-Z]"), _NUMBER_FOLLOWS)
find_units: Final = _search(_ALONE, 0.7)
find_british_towns: Final = _search(_BRITISH_TOWN, 0.7)
BRITISH_TOWN_GATE: Final = at_digits("[A-Z][0-9][A-Z0-9]? [0-9][A-Z]")
find_codes: Final = _search(_CODES, 0.7)
CODE_GATE: Final = either(TOWN_GATE, with_words("uss usns usnv uscgc"))
find_small_codes: Final = _search(_SMALL_CODE, 0.6)
SMALL_CODE_GATE: Final = at_digits("[a-z][0-9][0-9a-z]? [0-9][a-z]")
find_labelled_codes: Final = _search(_AFTER_CODE_WORD, 0.7)
LABELLED_CODE_GATE: Final = at_digits("(?:[Pp]|ode|PLZ|is|er):? ?[0-9]{3}")
STATE_GATE: Final = matching("[,:] [ACDFGHIKLMNOPRSTUVW][A-Z]")
find_states: Final = finding(_AFTER_COMMA, "place", 0.7, group="place")
