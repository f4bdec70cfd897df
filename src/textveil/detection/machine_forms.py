"""Persons and ids in the forms of machines and trades, which tell by their shape what stands where.

Passports' machine-readable zones (ICAO 9303), bookings and boarding passes of airlines (IATA), FIX, LDAP, sessions and
accounts of Unix, zone files, radio amateurs, flight plans, and positions of GPS receivers.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import ORDINARY, Found, words_in
from textveil.detection.gates import at_digits, either, holding, in_runs, matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import is_plain_form, is_plain_word, names_somebody, names_user
from textveil.detection.secrets import apart
from textveil.text.patterns import lazy_regex, matches

_SCORE: Final = 0.8
_FIELD: Final = "field"

_STATE: Final = "(?P<state>[A-Z]{3}|[A-Z]{2}<|[A-Z]<<)"
_ZONE_NAME: Final = lazy_regex(
    rf"(?<![A-Z0-9<])(?P<head>[PVIAC][A-Z<]{_STATE})?(?P<name>[A-Z]{{1,40}}(?:<{{1,2}}[A-Z]{{1,40}}){{0,8}})"
    r"(?P<fill><{0,42})(?![A-Z0-9<])"
)
_ZONE_NUMBERS: Final = tuple(
    map(
        lazy_regex,
        (
            rf"(?<![A-Z0-9<])(?P<a>[A-Z0-9<]{{9}}[0-9<]){_STATE}(?P<b>[0-9<]{{6}}[0-9])[MFX<](?P<c>[0-9<]{{7}})"
            r"(?P<d>[A-Z0-9<]{1,16})(?![A-Z0-9<])",
            rf"(?<![A-Z0-9<])[AIC][A-Z<]{_STATE}(?=[A-Z<]{{0,9}}[0-9])(?P<a>[A-Z0-9<]{{9}}[0-9<])(?P<b>[A-Z0-9<]{{10,15}})"
            r"(?![A-Z0-9<])",
            rf"(?<![A-Z0-9<])(?P<a>[0-9<]{{6}}[0-9])[MFX<](?P<b>[0-9<]{{7}}){_STATE}(?P<c>[A-Z0-9<]{{1,12}})(?![A-Z0-9<])",
            r"(?<![A-Z0-9<])(?P<a>[0-9A-Z]{12}[0-9])(?P<name>[A-Z]{1,14}(?:<{1,2}[A-Z]{1,14}){0,4}<{0,13})(?P<b>[0-9]{7})"
            r"[MF](?P<c>[0-9])(?![A-Z0-9<])",
        ),
    )
)
"""Lines of numbers: of passports and visas, of cards, and of French cards, which hold the given names."""
_DIGITS_OR_LETTERS: Final = lazy_regex("[A-Z0-9]+")
_LONG_ZONE: Final = 20  # characters from which on letters and fillers are a line of a zone
_CARD_LINE: Final = range(28, 33)  # characters of a card's third line, which begins with the name


ZONE_GATE: Final = in_runs("[A-Z]<<|[0-9][MFX<][0-9<]{7}[A-Z0-9<]|[0-9][MF][0-9]")


@apart
def find_zones(text: str) -> Iterator[Found]:
    """Yield names, numbers and states of machine-readable zones; sex stays."""
    for match in matches(_ZONE_NAME, text):
        whole, fill = match[0], match["fill"]
        if len(whole) < _LONG_ZONE or "<<" not in whole or not (fill or len(whole) in (30, 36, 44)):
            continue
        start = match.start("name")
        if match["head"] and len(whole) in _CARD_LINE and whole[1] != "<":
            start = match.start()
        elif not match["head"] and whole[1] == "<" and whole[0] in "PVIAC":
            continue
        if start > match.start():
            yield from _in_zone(text, *match.span("state"))
        yield Found(start, match.end(), "person", _SCORE, _FIELD)
    for pattern in _ZONE_NUMBERS:
        for match in matches(pattern, text):
            if len(match[0]) < _LONG_ZONE:
                continue
            for group in match.groupdict():
                if group == "name":
                    yield Found(*match.span(group), "person", _SCORE, _FIELD)
                else:
                    yield from _in_zone(text, *match.span(group))


def _in_zone(text: str, start: int, end: int) -> Iterator[Found]:
    return (Found(*part.span(), "id", _SCORE, _FIELD) for part in _DIGITS_OR_LETTERS.finditer(text, start, end))


_HONOR: Final = "(?:MRS?|MS|MSTR|MISS|MX|DR|PROF|CHD|INF)"
_SLASHED: Final = lazy_regex(
    r"(?<![A-Za-z/_.@])(?P<place>[0-9]{1,2}\.[0-9]?\.?|-[0-9]{0,2}|[0-9]{1,2}|N(?:AM|M)[0-9]{1,2})?"
    r"(?:(?:NAME|PASSENGER|PAX|TRAVELL?ER|GUEST):? {1,4})?"
    r"(?P<family>[A-Z][A-Z'-]{1,29}(?: [A-Z'-]{2,20}){0,2})/(?P<given>[A-Z][A-Z'-]{0,24}(?: [A-Z][A-Z'-]{1,20}){0,2}?)"
    rf"(?P<honor> ?{_HONOR}(?: {_HONOR})?)?"
    r"(?=[ \t]*(?:[^A-Za-z0-9/\t _]|\Z)|[ \t]+[0-9]|[ \t]{2}|[ \t]*\n|\t| [A-Z]{1,2}[0-9]| [a-z])"
)
_PASS: Final = lazy_regex(
    r"(?<![A-Za-z0-9])M[1-4](?P<name>(?=[^\n]{0,20}[A-Z]/)[A-Z][A-Z/ '-]{1,19})E(?P<booking>[A-Z0-9]{5,7})"
    r" {0,2}[A-Z]{6}"
)
_TRAVELLER: Final = lazy_regex(
    r"DOC[SO][^\n/]{0,24}/(?:[A-Z]{1,2}/(?P<state>[A-Z]{2,3})/)?(?P<id>[A-Z0-9]{5,14})/(?P<state2>[A-Z]{2,3})/(?P<date>[0-9]{2}[A-Z]{3}[0-9]{2,4})"
    r"/[MFXU]I?/(?P<date2>[0-9]{2}[A-Z]{3}[0-9]{2,4})/(?P<person>[A-Z' -]{2,40}(?:/[A-Z' -]{2,40}){0,2})"
)
_GLUED: Final = lazy_regex(rf"(?P<name>[A-Z'-]{{2,24}}?){_HONOR}")
_OF_TRAVEL: Final = lazy_regex(
    r"(?i)\b(?:pax|passengers?|boarding|pnr|e-?tkt|tickets?|tkt|flights?|itinerary|booking|seat|rloc|locator|check-?in"
    r"|ssr|osi|manifest|apis)\b|\b[A-Z]{3}[ /-]?[A-Z]{3} (?:HK|SS|KL|TK|RR)[0-9]"
)


TRAVELLER_GATE: Final = matching("/(?<=[A-Z]/)[A-Z]")


@apart
def find_travellers(text: str) -> Iterator[Found]:
    """Yield passengers as airlines write them, DESMARAIS/LUC MR, with their bookings and documents."""
    for match in matches(_PASS, text):
        name = match["name"].rstrip()
        yield Found(match.start(), match.start("name"), ORDINARY, _SCORE)
        yield Found(match.start("name"), match.start("name") + len(name), "person", _SCORE, _FIELD)
        yield Found(*match.span("booking"), "id", _SCORE, _FIELD)
    for match in matches(_TRAVELLER, text):
        for group in filter(match.group, match.groupdict()):
            kind = group.rstrip("2")
            yield Found(*match.span(group), "id" if kind == "state" else kind, _SCORE, _FIELD)
    found = list(matches(_SLASHED, text))
    travel = bool(found) and _OF_TRAVEL.search(text) is not None
    for match in found:
        given = match["given"]
        glued = _GLUED.fullmatch(given) if travel else None
        if glued and not lists().words.get(given.lower(), 0) & Marks.GIVEN:
            given = glued["name"]
        if match["honor"] or _are_names(match["family"], given, sure=travel and bool(match["place"] or glued)):
            yield Found(match.start("family"), match.start("given") + len(given), "person", _SCORE, _FIELD)


def _are_names(family: str, given: str, *, sure: bool) -> bool:
    """Return whether words in capitals about a slash are somebody's names: no units, no alternatives, no places."""
    families, givens = (list(map(str.lower, _WORD.findall(part))) for part in (family, given))
    marks = [lists().words.get(word, 0) for word in (*families, *givens)]
    if any(mark & Marks.KNOWN_PLACE and not mark & Marks.FAMILY for mark in marks):
        return False
    named = any(lists().words.get(word, 0) & Marks.GIVEN and not is_plain_form(word) for word in givens)
    plain = all(map(is_plain_form, (*families, *givens)))
    return (sure and not plain) or (named and len(family) > 2 and not any(map(is_plain_word, families)))


_WORD: Final = lazy_regex("[A-Za-z]+")

_TAG: Final = lazy_regex(r"(?:\A|(?<=[|\x01^\n;])|(?<=\^A))(?P<tag>[0-9]{1,5})=(?P<value>[^|\x01^\n;]{0,200})")
_FIELD_OF_SWIFT: Final = lazy_regex(r"(?<![^\n]):(?P<tag>[0-9]{2}[A-Z]?):(?=\S)")
_PART_OF_SWIFT: Final = lazy_regex(r"\?(?P<tag>[0-9]{2})(?=[A-Z0-9])|(?<=\{)(?P<block>[1-5])(?=:)")
_PARTY: Final = lazy_regex(
    r"(?<![^\n]):5(?:0[AFHK]?|9[AF]?):(?:/[^\n]{0,40}\n)?(?:1/)?(?P<name>[^\n:/{-][^\n]{1,40})"
    r"(?P<address>(?:\n(?![:-])[^\n]{2,40}){0,3})"
)
_ADDRESS_LINE: Final = lazy_regex(r"(?<=\n)(?:[2-8]/)?(?P<line>[^\n]+)")
_OF_PARTIES: Final = words_in("1 50 57 79 109 115 116 128 129 142 143 144 145 284 448 467 523 524 545 1328")
"""Tags of FIX that hold accounts, parties and their persons."""


TAGGED_GATE: Final = either(holding("8=FIX"), at_digits(r":[0-9]{2}[A-Z]?:"))


@apart
def find_tagged(text: str) -> Iterator[Found]:
    """Yield accounts and parties of FIX and SWIFT; the numbers of tags stay, or the rest means nothing."""
    for pattern in (_FIELD_OF_SWIFT, _PART_OF_SWIFT) if _FIELD_OF_SWIFT.search(text) else ():
        for match in matches(pattern, text):
            yield Found(*match.span(match.lastgroup or 0), "numbering", _SCORE, "sequence")
    for match in matches(_PARTY, text):
        words = set(_WORD.findall(match["name"].lower()))
        firm = not words.isdisjoint(known.COMPANY_ENDS | known.INSTITUTIONS)
        yield Found(*match.span("name"), "organization" if firm else "person", _SCORE, _FIELD)
        for line in _ADDRESS_LINE.finditer(text, *match.span("address")):
            yield Found(*line.span("line"), "place", _SCORE, _FIELD)
    for match in matches(_TAG, text) if "8=FIX" in text else ():
        yield Found(*match.span("tag"), "numbering", _SCORE, "sequence")
        value = match["value"].strip()
        if match["tag"] in _OF_PARTIES and len(value) > 2 and any(map(str.isalnum, value)):
            start = match.start("value") + match["value"].index(value)
            yield Found(start, start + len(value), "person" if _is_full_name(value) else "id", _SCORE, _FIELD)


_FULL_NAME: Final = lazy_regex(r"[^\W\d_][\w.'-]*(?:,? [^\W\d_][\w.'-]*){1,4}")


def _is_full_name(value: str) -> bool:
    words = _WORD.findall(value.lower())
    return _FULL_NAME.fullmatch(value) is not None and not any(
        word in known.COMPANY_ENDS or word in known.INSTITUTIONS for word in words
    )


_STEP_OF_NAME: Final = lazy_regex(
    r"(?<![A-Za-z])(?P<key>uid|UID|cn|CN|sn|SN|givenName|sAMAccountName)=(?P<value>[^,=\n\\\"+<>;]{2,60})"
    r"(?=(?i:,[ ]?(?:ou|dc|o|c|cn|l|st|uid|email(?:address)?)=)|\+)"
)
_ENCODED: Final = lazy_regex(
    r"(?<![^\n])(?P<key>[A-Za-z][A-Za-z0-9;-]{1,40}):: "
    r"(?P<value>[A-Za-z0-9+/]{3,}={0,2}(?:\n [A-Za-z0-9+/]{2,}={0,2})*)"
)
_SECRET_KEY: Final = lazy_regex("(?i)pass|pwd|secret|key|token")
_ATTRIBUTE: Final = lazy_regex(
    r"(?<![^\n])(?P<key>(?i:uid|memberuid|samaccountname|cn|sn|givenname|displayname|gecos|initials))"
    r": {1,3}(?P<value>[^\n:]{2,60}?)(?=[ \t]*(?:\n|\Z))"
)


DIRECTORY_GATE: Final = holding("dn:", "uid=", "UID=", "cn=", "CN=", "sn=", "SN=", "givenName=", "sAMAccountName=")


@apart
def find_in_directories(text: str) -> Iterator[Found]:
    """Yield persons and logins of LDAP's names, and what LDIF writes in base 64."""
    for match in matches(_STEP_OF_NAME, text):
        yield from _of_directory(match)
    if "\ndn:" not in f"\n{text}":
        return
    for match in matches(_ATTRIBUTE, text):
        yield from _of_directory(match)
    for match in matches(_ENCODED, text):
        kind = "secret" if _SECRET_KEY.search(match["key"]) else "id"
        for line in _LINE.finditer(text, *match.span("value")):
            yield Found(*line.span(), kind, _SCORE, "label" if kind == "secret" else _FIELD)


_LINE: Final = lazy_regex(r"\S+")


def _of_directory(match: re.Match[str]) -> Iterator[Found]:
    value, key = match["value"], match["key"].lower()
    login = key in ("uid", "memberuid", "samaccountname") or value.islower()
    if login and names_user(value.lower()):
        yield Found(*match.span("value"), "handle", _SCORE, _FIELD)
    elif not login and value[0].isupper() and (key in ("sn", "givenname") or names_somebody(value)):
        yield Found(*match.span("value"), "person", _SCORE, _FIELD)


_SESSION: Final = lazy_regex(
    r"(?<![^\n])(?P<name>[a-z][a-z0-9_.-]{2,30}\+?)"
    r"(?=[ \t]{1,16}(?:[-+?] )?(?:pts/[0-9]|tty[A-Z]{0,3}[0-9]|:[0-9]|console))"
)
_ACCOUNT: Final = lazy_regex(
    r"(?<![^\n])(?P<name>[a-z][a-z0-9_.-]{2,30}):(?:[x*!]{0,2}:[0-9]{1,10}|\$[0-9a-z]{1,8}\$[^:\n]{8,160}):[0-9]{1,10}:"
)
_GROUP: Final = lazy_regex(r"(?<![^\n])[a-z_][\w-]{1,30}:[x*!]?:[0-9]{1,10}:(?P<names>[a-z][\w.,-]{2,400})(?![^\n])")
_MEMBER: Final = lazy_regex("[^,]+")
_CALENDAR: Final = lazy_regex(
    r"(?<![^\n])(?=[^\n]{0,40}\* )(?:[0-9*/,-]{1,12}[ \t]{1,4}){5}(?P<name>[a-z][a-z0-9_.-]{2,30})(?=[ \t]{1,4}/)"
)
_AUTHORITY: Final = lazy_regex(
    r"\bSOA[ \t]{1,12}[\w.-]{1,120}[ \t]{1,12}(?P<mail>[A-Za-z0-9_-](?:[A-Za-z0-9_-]|\\{1,2}\.){0,60})(?=\.[A-Za-z0-9])"
)


USERS_GATE: Final = holding("pts/", "tty", "console", ":x:", ":*:", ":!", ":$", "::", " :", "SOA", "* ")


@apart
def find_users(text: str) -> Iterator[Found]:
    """Yield who is logged in, has an account or a job, and who answers for a zone of the DNS."""
    for match in chain(matches(_SESSION, text), matches(_ACCOUNT, text), matches(_CALENDAR, text)):
        name = match["name"].rstrip("+")
        if names_user(name) and name not in _SYSTEM:
            yield Found(match.start("name"), match.start("name") + len(name), "handle", _SCORE, _FIELD)
    for match in matches(_GROUP, text):
        for member in _MEMBER.finditer(text, *match.span("names")):
            if names_user(member[0]) and member[0] not in _SYSTEM:
                yield Found(*member.span(), "handle", _SCORE, _FIELD)
    for match in matches(_AUTHORITY, text) if "SOA" in text else ():
        parts = _WORD.findall(match["mail"].lower())
        if parts and not all(part in _SYSTEM or is_plain_word(part) for part in parts):
            yield Found(*match.span("mail"), "handle", _SCORE, _FIELD)


_SYSTEM: Final = words_in(
    """reboot shutdown runlevel hostmaster postmaster webmaster daemon nobody messagebus systemd sshd dnsmasq polkitd
    avahi colord gdm lightdm rtkit uuidd syslog nfsnobody libvirt-qemu list irc gnats games sync proxy lp"""
)

_CALL: Final = "(?:[A-Z]{1,2}|[0-9][A-Z]|[A-Z][0-9])[0-9][A-Z]{1,4}"
_CALL_SIGN: Final = lazy_regex(
    rf"(?<![A-Za-z0-9/])(?:[A-Z0-9]{{1,3}}/)?(?P<call>{_CALL})(?:-[0-9]{{1,2}}|/[A-Z0-9]{{1,3}})?(?![A-Za-z0-9])"
)
_ON_AIR: Final = lazy_regex(
    r"\bCQ (?:CQ|DE|TEST|DX)\b|\bDE (?:[A-Z]{1,2}|[0-9][A-Z])[0-9][A-Z]|\bQ(?:TH|SO|SL|RZ)s?\b|<(?:CALL|call):[0-9]"
    r"|\bAPRS\b|[Hh]am radio|[Cc]all ?signs?\b"
)
_OPERATOR: Final = lazy_regex(
    r"\b(?P<key>OP(?:ERATOR)?|NAME|NM|QTH|LOC)(?: (?:IS|HR|HERE|NAME|QTH))?[ :]{1,3}"
    r"(?P<value>[A-Z][A-Za-z'-]{1,24})(?![A-Za-z:])"
)
_TAGGED_LENGTH: Final = lazy_regex(
    r"(?i)<(?P<key>name|qth|my_name|my_city|my_street|address|call|station_callsign|operator|owner_callsign|gridsquare"
    r"|my_gridsquare|lat|lon|my_lat|my_lon|qth_intl|name_intl):[0-9]{1,4}(?::[a-z])?>(?P<value>[^<\n]{1,80})"
)
_KINDS_ON_AIR: Final = {
    **dict.fromkeys(("name", "my_name", "name_intl"), "person"),
    **dict.fromkeys(("qth", "my_city", "my_street", "address", "qth_intl"), "place"),
    **dict.fromkeys(["call", "station_callsign", "operator", "owner_callsign", "gridsquare", "my_gridsquare"], "id"),
    **dict.fromkeys(["lat", "lon", "my_lat", "my_lon"], "id"),
}  # fmt: skip
_GRID: Final = lazy_regex(r"(?<![A-Za-z0-9])[A-R]{2}[0-9]{2}[a-xA-X]{2}(?:[0-9]{2})?(?![A-Za-z0-9])")
_SHORT_OF_AIR: Final = lazy_regex(
    r"\b(?:RST?|Q(?:TH|SO|SL|RZ|RM|RN|SB|RP|RO|RT|SY)s?|PSE|TNX|TU|HW|CPY|OM|XYL|UR|ANT|RIG|WX|CUAGN)(?![A-Za-z])"
)
"""Abbreviations that operators send for whole words."""
_NO_OPERATOR: Final = words_in("is hr here om ur my the name qth rst rig ant wx pwr cq de op es fb tnx ok")


AIR_GATE: Final = holding(
    "CQ ", "DE ", "QTH", "QSO", "QSL", "QRZ", "<CALL:", "<call:", "APRS", "am radio", "all sign", "allsign"
)


@apart
def find_on_air(text: str) -> Iterator[Found]:
    """Yield call signs, locators, operators and their towns, if somebody is on the air."""
    if _ON_AIR.search(text) is None:
        return
    for match in matches(_TAGGED_LENGTH, text):
        kind, value = _KINDS_ON_AIR[match["key"].lower()], match["value"].strip()
        if value:
            start = match.start("value") + match["value"].index(value)
            yield Found(start, start + len(value), kind, _SCORE, _FIELD)
    yield from (Found(*match.span(), ORDINARY, _SCORE) for match in matches(_SHORT_OF_AIR, text))
    yield from (Found(*match.span("call"), "id", _SCORE - 0.1, _FIELD) for match in matches(_CALL_SIGN, text))
    yield from (Found(*match.span(), "id", _SCORE - 0.1, _FIELD) for match in matches(_GRID, text))
    for match in matches(_OPERATOR, text):
        kind = "place" if match["key"] in ("QTH", "LOC") else "person"
        low = match["value"].lower()
        if low not in _NO_OPERATOR and match["value"].isupper() and not (kind == "person" and is_plain_word(low)):
            yield Found(*match.span("value"), kind, _SCORE - 0.1, _FIELD)


_PLAN: Final = lazy_regex(r"\(?(?:FPL|CHG|CNL|DLA|DEP|ARR)-(?P<craft>[A-Z0-9]{3,7})(?=-[A-Z]{2}\b|-[A-Z]{4})")
_MARKED: Final = lazy_regex(
    r"(?<![A-Za-z0-9-])(?:[BCDFGI]-[A-Z]{4}|(?:EI|OE|HB|VH|PH|OO|LN|SE|OY|OH|SP|OK|OM|ZK|ZS|EC|CS|9H|5B|TC|LX|LY|YL|ES|UR|YR"
    r"|LZ|HA|S5|9A|TF|VT|A6|4X|SU|5N|5Y|P[PRTU]|LV|CC|HK|X[ABC]|T7|M)-[A-Z]{3,4}|N[1-9][0-9]{0,4}[A-Z]{0,2})(?![A-Za-z0-9-])"
)
_FLYING: Final = lazy_regex(
    r"(?i)(?<![a-z])(?:aircraft|airfield|aerodrome|pilot|pic|takeoff|landings?|runway|rwy|hangar|squawk|cessna|piper"
    r"|logbook|glider|helicopter|atc|notam|airworthiness)(?![a-z])"
)
_VESSEL: Final = lazy_regex(
    r"(?i:\b(?:mmsi|imo(?: no\.?| number)?|call ?sign|c/s|icao ?24|mode[ -]?s(?: code)?|hex ?code|epirb(?: id)?|ssr"
    r"|official number))"
    r"[\"']?[ :=#.,]{1,4}[\"']?(?P<value>(?=[A-Z0-9]{0,8}[0-9])[A-Z0-9]{4,15})(?![A-Za-z0-9])"
)
_REPORT: Final = lazy_regex(r"(?<=![AB][BIS]VD[MO],).{0,16}?,(?P<value>[0-9A-Za-z:;<=>?@`]{14,80})(?=,[0-5]\*)")


CRAFT_GATE: Final = either(
    with_words(
        """aircraft airfield aerodrome pilot pic takeoff landing landings runway rwy hangar squawk cessna piper logbook
        glider helicopter atc notam airworthiness mmsi imo sign callsign c icao hex epirb ssr official mode"""
    ),
    holding("FPL-", "CHG-", "CNL-", "DLA-", "DEP-", "ARR-", "VDM,", "VDO,"),
)


@apart
def find_crafts(text: str) -> Iterator[Found]:
    """Yield marks of aircraft and ships: in flight plans, where pilots write, behind their labels."""
    yield from (Found(*match.span("craft"), "id", _SCORE, _FIELD) for match in matches(_PLAN, text))
    if _FLYING.search(text):
        for match in matches(_MARKED, text):
            if match[0][0] != "G" and is_plain_word(match[0].rpartition("-")[2].lower()):
                continue  # B-CELL
            yield Found(*match.span(), "id", _SCORE - 0.1, _FIELD)
    for match in chain(matches(_VESSEL, text), matches(_REPORT, text)):
        yield Found(*match.span("value"), "id", _SCORE, _FIELD)


_DEGREE: Final = (
    r"[0-9]{1,3}(?: ?(?:deg(?:rees)?|\xb7|d)\.? ?| )[0-9]{1,2}(?:\.[0-9]{1,6})? ?(?:'|min|\xb7)? ?"
    r"(?:[0-9]{1,2}(?:\.[0-9]{1,6})? ?(?:\"|''|sec|\xb7)?)? ?"
)
_MINUTES: Final = r"[0-9]{1,3}(?: |\xb7 ?)[0-9]{1,2}\.[0-9]{1,4}'?"
_POSITIONS: Final = tuple(
    map(
        lazy_regex,
        (
            r"<coordinates>\s{0,40}(?P<value>-?[0-9]{1,3}\.[0-9]{2,}(?:[-0-9.,\s]){3,4000})",
            r"(?<![\w.])(?:[0-9]{1,8}(?:\.[0-9]{1,4})?,)?[0-9]{4}\.[0-9]{1,6},[NS],[0-9]{5}\.[0-9]{1,6},[EW](?=,)",
            r"\b(?:[Ll]at(?:itude)?|[Ll]on(?:gitude)?|lng)=[\"'](?P<value>-?[0-9]{1,3}\.[0-9]{2,})[\"']",
            r"(?:GPS|[Gg]ps)[ _]?(?i:lat|lon|pos|coord)[a-z]{0,8}[ \t]{0,24}: ?(?P<value>[0-9][^\n]{3,60}[0-9NSEW])",
            rf"(?<![\w.]){_DEGREE}[NS][,;/]? {{0,3}}{_DEGREE}[EW](?!\w)",
            rf"(?<![\w.])[NS] ?{_MINUTES}[,;/]? {{0,3}}[EW] ?{_MINUTES}",
            r"(?<![\w.])[0-9]{4}(?:[0-9]{2}|\.[0-9]{2,4})[NS][\\/ ]?[0-9]{5}(?:[0-9]{2}|\.[0-9]{2,4})[EW](?!\w)",
        ),
    ),
)
"""NMEA, KML, GPX, EXIF, nautical and aeronautical forms, and those of APRS."""
_NUMBER_OF_POSITION: Final = lazy_regex(r"[0-9]+(?:[.,][0-9]+)*")


POSITION_GATE: Final = either(
    holding("<coordinates>", "lat=", "lon=", "lng=", "Lat=", "Lon=", "latitude=", "longitude=", "GPS", "Gps", "gps"),
    at_digits(
        r"[NS](?:(?<![A-Za-z].) ?[0-9]{1,2}[ \xb7]|(?![a-z])(?:(?<=[0-9].)|(?<=[0-9][ '\"\xb7,].)"
        r"|(?<=[0-9][ '\"\xb7]{2}.)|(?<=[0-9][ '\"\xb7]{3}.)|(?<=[0-9][ '\"\xb7]{4}.)"
        r"|(?<=(?:min|sec).)|(?<=(?:min|sec) .)))"
    ),
)


@apart
def find_positions(text: str) -> Iterator[Found]:
    """Yield positions on the globe in the forms of receivers and maps."""
    for pattern in _POSITIONS:
        for match in matches(pattern, text):
            start, end = match.span("value" if "value" in pattern.groupindex else 0)
            for number in _NUMBER_OF_POSITION.finditer(text, start, end):
                yield Found(*number.span(), "id", _SCORE, "shape")
