"""Units of measurement, names with digits, and numbers in words: public facts, written by hand."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from textveil.detection.gates import joined_words, places_of
from textveil.text.patterns import SLICE, lazy_regex, matches, matches_at

_METRIC: Final = r"(?:[kmcnp\xfe]|mc|u|d)?"
_PER: Final = (
    r"(?: ?(?:/ ?|(?:per|an?|each) )(?:[0-9]{1,3} ?)?(?:kg|[mdun\xfe]?[Ll]|cc|min(?:ute)?|hr?|hours?|day|d|dose|wk|week"
    r"|month|m2|mm3?|cm|sec(?:ond)?|s|year|annum|[Hh][Pp][Ff]|[Ll][Pp][Ff]|tab|actuation|square meter|mile|gallon))"
)
UNIT: Final = (
    r"(?:"
    rf"{_METRIC}g(?:m|ms|rams?)?|(?:milli|micro|kilo)?grams?|kilos?|kgs|lbs?|pounds?(?! sterling)|oz|ounces?|stone"
    rf"|m[Ee]q|{_METRIC}mols?|I\.?U\.?|mIU|[uU](?![A-Za-z])|[Uu]nits?|{_METRIC}L|m[lL]|cc|dl|(?:milli|deci"
    rf"|centi)?lit(?:er|re)s?|tsp|tbsp|teaspoons?|tablespoons?|gallons?|pints?"
    r"|sq\.? ?(?:k?m|ft|mi|in)|square (?:kilo|centi)?(?:met(?:er|re)s|feet|miles|inch(?:es)?|yards)|(?:[mck]m|m)[23]"
    r"|acres?|hectares?|ha|mm ?[Hh]g|cm ?H2O|kPa|hPa|psi|mbar|atm|mm|cm|dm|km|m|\xfem|nm|(?:kilo|centi|milli|micro"
    r"|nano)?met(?:er|re)s?|inch(?:es)?|in\.|feet|foot|ft|yards?|miles?|bpm|BPM|(?:beats|breaths) ?(?:/|per|a)"
    r" ?min(?:ute)?|/min(?:ute)?|LPM|lpm|rpm|RPM|fps|[kMGT]?Hz|[kMG]bps|Mbit/s|mph|MPH|km/h|kmh|kph|knots|[mk]V|mA|m?Ah"
    r"|[kMG]Wh?|kcals?|calories|dB|k?J|[VW](?= [a-z]|[,;)]|\Z)|watts?|volts?|amps?|ohms?|joules?|\xb7 ?[CF]\b"
    r"|deg(?:rees?|s)?\.?(?: (?:C|F|[Cc]elsius|[Ff]ahrenheit|[Cc]entigrade))?|[KMGT]i?B|kB|bytes?|bits|px|pixels|dpi"
    r"|ppm|ppi|ms|ns|\xfes|tab(?:let)?s?|cap(?:sule|let)?s?|puffs?|drops?|gtts?|sprays?|patch(?:es)?|pills?|vials?"
    r"|ampules?|suppositor(?:y|ies)|lozenges?|inhalations?|doses?|c?Gy|m?Sv|diopters?|mOsm|Fr(?:ench)?|gauge|ga\b"
    r"|[xX\xb7] ?10[E^*]{0,2}[0-9]{1,2}|cells|[KkM](?=/[um\xfec])|copies|p(?:ac)?k[ -]y(?:ea)?rs?|packs?|[KM]/\xfe?u?L"
    rf"){_PER}{{0,3}}"
)
"""Units that stand behind a number, with what they are per."""

RATIO: Final = rf"(?:/ ?(?:[mdun\xfe]?[Ll]|kg|min|hr|h|day|mm3|cmm|[Hh][Pp][Ff]|[Ll][Pp][Ff]){_PER}?)"

ROUTES: Final = (
    r"(?:[Pp][Oo]|p\.o\.|P\.O\.|IV|i\.v\.|IM|i\.m\.|SC|SQ|s\.q\.|sub-?[Qq]|SL|PR|PV|NG|INH|neb|NEB|topical(?:ly)?|IVP"
    r"|IVPB|IN|GT|PEG|orally|by mouth|tab(?:let)?s?|Tabs?|TAB|cap(?:sule)?s?|Caps?|CAP|ER|XR|XL|SR|DR|EC|HFA|ODT)"
)
TIMING: Final = (
    r"(?:[QqBbTt]\.?[IiOo]?\.?[Dd]\.?|[Bb][Ii][Dd]|[Tt][Ii][Dd]|[Qq][Ii][Dd]|[Qq][DdWwMm]|[Qq](?:AM|PM|HS|am|pm|hs)"
    r"|[Qq] ?[0-9]{1,2}(?:-[0-9]{1,2})? ?(?:h(?:rs?|ours?)?|H|d(?:ays?)?|w(?:ks?|eeks?)?|mo?|min)|[Hh][Ss]|[Pp][Rr][Nn]"
    r"|p\.r\.n\.|h\.s\.|[Qq]\.[a-z]\.[a-z]?\.?|[Aa][Cc]|[Pp][Cc]|STAT|stat|daily|nightly|weekly|monthly|hourly|(?:once"
    r"|twice|thrice|(?:three|four|[2-6]) times) (?:daily|nightly|weekly|(?:an?|per|each) (?:day|week|night|month))"
    r"|(?:every|each) (?:day|morning|evening|night|week|month|other day|[0-9]{1,2}(?:(?:-| to )[0-9]{1,2})? (?:hours?"
    r"|days?|weeks?|months?|minutes?))|at (?:bedtime|night)|[xX] ?[0-9]{1,2}(?![\^0-9]) ?(?:days?|doses?|weeks?|d\b)?"
    r"|#[0-9]{1,3}|as needed|with meals)"
)
DOSE_TAIL: Final = lazy_regex(rf"(?:,? ?\(?(?:{ROUTES}|{TIMING})(?![A-Za-z0-9])\)?){{1,6}}")

WITH_DIGITS: Final = (
    r"S[pP]O2|spo2|SaO2|SatO2|PaO2|PO2|pO2|PaCO2|PCO2|pCO2|FiO2|CO2|H2O|O2|H2|A1[cC]|HbA1[cC]|HgbA1[cC]|B12|B6|D3|K2|T[34]"
    r"|FT[34]|C[34]|CD4|CD8|FEV1|CA-?125|CA19-9|CHADS2|CHA2DS2-VASc|CURB-65|PHQ-?[29]|GAD-?7|G6PD|HCO3|NH3|PO4|Ki-67"
    r"|5-?HT|5-?FU|HER2|BRCA[12]|p53|p16|IL-?[0-9]{1,2}|PD-?1|PD-L1|GLP-1|SGLT2|COX-?2|H1N1|H5N1|H2|alpha-?1|beta-?2"
    r"|COVID-?19|[Cc]ovid-?19|SARS-CoV-?[12]|MERS-CoV|HPV-?(?:16|18)|HIV-?[12]|HSV-?[12]|HHV-?[68]|MP[34]|mp[34]"
    r"|H\.?26[45]|[2345]G|[234][Dd]|4K|8K|UTF-?(?:8|16|32)|(?:SHA|sha)-?(?:1|224|256|384|512)|MD5|md5|CRC-?(?:16|32|64)|crc32|urllib3|Base64|base64|x86|x64|IPv[46]"
    r"|HTTP/[123]|ISO-?8859|C99|ES6|S3|EC2|K8s|k8s|i18n|l10n|B2[BC]|P2P|Y2K|W3C|R2-D2|401\(k\)|403\(b\)|3M|7-Eleven|G7"
    r"|G8|G20|24/7 (?:support|service|coverage|access|availability|care|hotline|operations?)|9/11 (?:[Aa]ttacks?"
    r"|[Mm]emorial|[Cc]ommission|[Mm]useum|terrorists?|hijackers?|survivors|victims|[Rr]eport)|7[0-8]7 (?:MAX"
    r"|[Dd]reamliners?|[Jj]umbo|jets?|airliners?|aircraft)|F1|U2|A[345]|F-(?:4|5|14|15|16|18|22|35|117)|B-(?:1|2|17|24"
    r"|25|29|52)|[CU]-(?:5|2|17|130|141)|MiG-(?:15|21|23|25|29|31)|Su-(?:24|25|27|30|35|57)|AK-?47|M-?16|A3(?:00|10|19"
    r"|20|21|30|40|50|80)|B-?7[0-8]7|Apollo [0-9]{1,2}|i[3579]|PM2\.5|PM10|E10|H7|PRINCE2"
    r"|PS[2-5]|ps[2-5]|S7-[0-9]{3,4}"
)
"""Names that hold digits: what stands in them is no number. Whether one is a name is told by ``is_name``."""

_MEASURED_BEHIND: Final = lazy_regex(rf"[ -]?(?:{UNIT}|{TIMING})(?![A-Za-z0-9])")
_COUNTED_BEHIND: Final = lazy_regex(r" (?:[a-z]{2,14} )?[a-z]{2,18}s(?![A-Za-z])")


def is_name(text: str, start: int, end: int) -> bool:
    """Return whether a match of ``WITH_DIGITS`` is a name, whose digits are public.

    It needs a letter. If it begins with a digit, no unit may stand behind it, and behind a thousand or a million (4K,
    3M) nothing that is counted: then it is a number, whatever product has it for a name.
    """
    written = text[start:end]
    if not any(map(str.isalpha, written)):
        return False
    if not written[0].isdigit():
        return True
    if _MEASURED_BEHIND.match(text, end):
        return False
    return written[-1] not in "KM" or _COUNTED_BEHIND.match(text, end) is None


_UNITS: Final = "one|two|three|four|five|six|seven|eight|nine"
_TEENS: Final = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
BELOW_HUNDRED: Final = rf"(?:(?:{_TENS})(?:[ -](?:{_UNITS}))?|{_TEENS}|{_UNITS})"
"""One to ninety-nine."""
ORDINAL: Final = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh|twelfth"
    r"|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth"
)
"""First to thirty-ninth: days of a month."""
YEAR: Final = (
    rf"(?:two thousand(?: and)?(?: {BELOW_HUNDRED})?|"
    rf"(?:(?:six|seven|eigh|nine)teen|twenty)[ -](?:{_TENS}|{_TEENS}|oh)(?:[ -](?:{_UNITS}))?)"
)
"""Years of the last century and this one, as they are spoken."""
AMOUNT: Final = (
    rf"(?:{BELOW_HUNDRED}|a|hundred|thousand|million)(?:[ -](?:and[ -])?(?:{BELOW_HUNDRED}|hundred|thousand|million|"
    r"billion)){0,8}"
)
"""Whole numbers of any size."""
MAGNITUDES: Final = "hundred|thousand|million|billion|trillion|dozen"
"""Words that multiply the number before them, and mean one without a number."""
ORDINAL_WORDS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
"""First to twentieth."""
_OTHERS: Final = """
eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn
achtzehn neunzehn zwanzig dreissig dreisig vierzig funfzig sechzig siebzig achtzig neunzig hundert tausend
deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante
soixante mille
cero dos tres cuatro cinco seis siete ocho nueve diez doce trece catorce dieciseis diecisiete dieciocho diecinueve
veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos quinientos mil
tre quattro cinque sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto
diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mila
dois duas quatro oito dez doze quinze dezasseis dezesseis vinte trinta quarenta sessenta oitenta cem
twee drie vijf zes zeven negen tien twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig
dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend
"""
_NOT_SECOND: Final = "|".join(word for word in ORDINAL_WORDS if word != "second")
_ENGLISH: Final = rf"{_UNITS}|{_TEENS}|{_TENS}|{MAGNITUDES}|zero|half|{_NOT_SECOND}|once|twice|thrice"
NUMBER_WORD: Final = lazy_regex(
    rf"(?i)(?<![A-Za-z])(?:(?:{_ENGLISH})(?:fold)?"
    rf"|(?:(?:ein|und|en|e|i|y){{0,2}}(?:{'|'.join(dict.fromkeys(_OTHERS.split()))})){{1,6}})(?![A-Za-z])"
)
"""A number in words, in English or in one of six other languages, as plain forms write it."""
_MORE: Final = """
dwa dwie trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie trzynascie czternascie pietnascie
szesnascie siedemnascie osiemnascie dziewietnascie dwadziescia trzydziesci czterdziesci piecdziesiat szescdziesiat
siedemdziesiat osiemdziesiat dziewiecdziesiat sto cent cents trescientos cuatrocientos seiscientos setecientos
ochocientos novecientos duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos due sei
veinti six
"""
_PARTS: Final = "|".join(sorted({*_OTHERS.split(), *_MORE.split()}, key=lambda word: (-len(word), word)))
FOREIGN_NUMBER_WORDS: Final = " ".join(sorted({*_OTHERS.split(), *_MORE.split()}))
_STEMS: Final = "(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)(?:uno?|otto)"
_SPELLED: Final = lazy_regex(
    rf"{_STEMS}|(?:ein|een)(?:und|en)(?:{_PARTS})|(?:(?:{_PARTS})(?:und|en)?){{1,6}}(?:un[oa]?)?"
)
_BEGUN: Final = 3
_SPELLED_BEGUN: Final = frozenset(
    word[:_BEGUN]
    for word in f"{FOREIGN_NUMBER_WORDS} vent trent quarant cinquant sessant settant ottant novant ein een".split()
)
"""Letters that such a number begins with."""
_WORD_BEFORE: Final = lazy_regex(r"(?<![A-Za-z])[A-Za-z]{1,40}\Z")
_WORD_BEHIND: Final = lazy_regex(r"[A-Za-z]{1,40}(?![A-Za-z])")
_BESIDE: Final = frozenset("et e y und en un una uno um uma jeden jedna".split())  # noqa: SIM905
_MOST_SPELLED: Final = 9  # words of a number


@lru_cache(maxsize=1 << 10)
def _is_spelled(word: str) -> bool:
    return word[:_BEGUN] in _SPELLED_BEGUN and _SPELLED.fullmatch(word) is not None


def spelled_before(text: str, end: int) -> int:
    """Return where a number in words of another language than English begins that ends at ``end``; ``end`` for none."""
    start = place = end
    for _ in range(_MOST_SPELLED):
        word = _WORD_BEFORE.search(text, max(0, place - 42), place)
        low = "" if word is None else word[0].lower()
        if word is None or not (_is_spelled(low) or low in _BESIDE):
            break
        start = word.start() if low not in _BESIDE else start
        place = word.start() - 1
        if text[place : place + 1] not in (" ", "-"):
            break
    return start


def spelled_behind(text: str, start: int) -> int:
    """Return where a number in words of another language ends that begins at ``start``; ``start`` for none."""
    end = place = start
    for _ in range(_MOST_SPELLED):
        word = _WORD_BEHIND.match(text, place, place + 42)
        low = "" if word is None else word[0].lower()
        if word is None or not (_is_spelled(low) or (low in _BESIDE and end > start)):
            break
        end = word.end() if _is_spelled(low) or low.startswith(("u", "j")) else end
        place = word.end() + 1
        if text[word.end() : place] not in (" ", "-"):
            break
    return end


SPOKEN: Final = (
    rf"(?:{BELOW_HUNDRED}|zero)(?:[ -]and a half| (?:{MAGNITUDES})"
    rf"(?:(?: and)? {BELOW_HUNDRED}(?: (?:{MAGNITUDES}))?){{0,3}})?"
)
"""Whole numbers of any size, and a half more."""
NUMBER_WORDS: Final = " ".join(f"zero|{_UNITS}|{_TEENS}|{_TENS}|half".split("|"))
"""Words that begin a number, parted by spaces: what gates look for."""
_DIGIT: Final = lazy_regex(r"[0-9](?<![\w.,$\xa4/:#+-].)")
_SPOKEN_STARTS: Final = joined_words(NUMBER_WORDS)
_NO_START_AFTER: Final = frozenset("_.,$\xa4/:#+-")


@lru_cache(maxsize=2)
def _starts(text: str) -> Sequence[int]:
    """Return where numbers begin, in digits or words; several searches of a phase ask for the same text."""
    digits = [match.start() for match in matches(_DIGIT, text)]
    words = [
        start
        for start, end in places_of(text, _SPOKEN_STARTS)
        if text[start + 1 : end].islower()
        and not (start and (text[start - 1].isalnum() or text[start - 1] in _NO_START_AFTER))
    ]
    return sorted(digits + words) if words else digits


def at_numbers(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begins with a number, in digits or words; none overlaps another."""
    yield from matches_at(pattern, text, _starts(text) if len(text) <= SLICE else _starts.__wrapped__(text))
