"""Quantities: counts, percentages, ordinals, versions, numbers of lists, names with digits; durations; money."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from textveil.detection.found import Found, finding, near, near_places
from textveil.detection.gates import at_digits, both, either, holding, joined_words, places_of, with_words
from textveil.detection.units import AMOUNT, BELOW_HUNDRED, NUMBER_WORDS, WITH_DIGITS, at_numbers, is_name
from textveil.text.patterns import lazy_regex, matches, matches_at

_FIGURES: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,5})(?![0-9])(?:\.[0-9]{1,4}(?![0-9]))?"
_BEFORE: Final = r"(?<![\w.,$\xa4/:#+-])"
_PERCENT: Final = lazy_regex(
    rf"{_BEFORE}[+-]?{_FIGURES}(?:(?:-| to | and |/){_FIGURES})?"
    rf"(?:%(?![0-9A-F]{{2}})| %| per ?cent(?![a-z])| percentage points?| ?\u2030)"
)
"""A sign before two hexadecimal digits begins an escape: 1%2C200."""
_DIGIT: Final = lazy_regex("[0-9]")
_MIXED: Final = lazy_regex(r"[0-9](?:(?<=[A-Za-z.-].)|[0-9]?(?=[A-Za-z(/-]))")
_NAMED: Final = lazy_regex(rf"(?:{WITH_DIGITS})(?![\w/@]|-[0-9]|\.[0-9])")
_ORDINAL: Final = lazy_regex(
    r"(?<![\w.,$\xa4/:-])(?:[0-9]{0,4}(?:1[1-3]th|1st|2nd|3rd|[04-9]th)|[0-9]{0,4}(?:[2-9]|(?<![0-9]))(?:1st|2nd"
    r"|3rd))(?![\w])"
)
_VERSION: Final = lazy_regex(
    r"(?<![A-Za-z])(?:[Vv]ersions?|[Vv]er\.|[Rr]elease|v) ?[0-9]{1,4}(?:\.[0-9]{1,5}){0,3}(?:-?(?:alpha|beta|rc"
    r"|dev)\.?[0-9]{0,2})?(?![\w]|\.[0-9])"
)
_SHARE: Final = lazy_regex(
    rf"(?:[0-9]{{1,5}}|(?i:{BELOW_HUNDRED})) (?:out of|of|in) (?:every )?(?:the )?(?:[0-9]{{1,5}}"
    rf"|(?:{BELOW_HUNDRED}))(?![\w]|[.,:/-][0-9])"
)
_THING: Final = (
    r"(?:(?!(?:days|years|months|weeks|hours|minutes|seconds|was|is|has|as|its|his|this|plus|minus"
    r"|times)(?![a-z]))[a-z]{2,18}(?:[^s\W\d_u]s|ies|children|men|women|people|feet|teeth|mice|sheep|fish|data|staff)"
    r"|people|men|women|children)(?![A-Za-z'])"
)
_COUNT: Final = lazy_regex(
    rf"(?:{_FIGURES}(?:(?:-| to | or ){_FIGURES})?|(?i:(?:zero|{BELOW_HUNDRED})(?: (?:hundred|thousand|million))?"
    rf"(?: (?:to|or) (?:{BELOW_HUNDRED}))?))\+? (?:(?:[a-z]{{3,14}}[ -]){{0,2}}?{_THING}|other {_THING})"
)
_SECTION_WORD: Final = (
    r"(?i:sections?|chapters?|articles?|paragraphs?|paras?|figures?|figs?|tables?|pages?|steps?|appendix|annex|rules?"
    r"|clauses?|sub-?sections?|equations?|exercises?|lessons?|questions?|volumes?|vol|pp?|notes?|items?|parts?|slides?"
    r"|protocol|episodes?|season|level|lines?|witness|generation|exhibit|psalm|hymn|act|scene|week|phase|option"
    r"|columns?|plots?|bay|seat|platform|set|edit|form|bus|number|tax year|gleis|saal|reihe|platz|pagina|tableau"
    r"|rows?|schedule|round|year|grade|suspect|room|bed|zone|group|heat|gate|terminal|top|seiten?|kapitel|abschnitt|artikel|absatz|abs|art|klasse|teil|band|anlage|ziffer|schritt"
    r"|chapitre|alinea|partie|etape|tome|annexe|tableau|paginas?|pags?|articulo|capitulo|cap|apartado|paso|tabla|anexo"
    r"|articolo|comma|capitolo|tabella|allegato|artigo|alinea|tabela|lid|hoofdstuk|blz|deel|stap|tabel|bijlage"
    r"|paragraaf"
    r"|strona|ust|pkt|rozdzial|krok)\.?"
)
_SECTION_STARTS: Final = joined_words(
    "day sprint sub subsection subsections tier " + _SECTION_WORD[4:-4].replace("|", " ").replace("?", "") + " "
    + " ".join(word[:-2] for word in _SECTION_WORD[4:-4].split("|") if word.endswith("?"))
)  # fmt: skip
"""With one of these begins what ``_SECTION_WORD`` matches."""
_NUMBERED_LABEL: Final = lazy_regex(
    r"(?<=[a-z]{3} )(?<!was )(?<!ged )(?<!till )(?<!rom )(?P<place>[0-9]{1,2})(?= ?:(?:[ \t]|\n|\Z))"
)
_PLACE: Final = r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}(?: ?\([0-9]{1,3}\)|\([a-z]{1,3}\)){0,3}"
_PLACES: Final = rf"{_PLACE}[a-zA-K]?(?:(?:-|/|, | and | to | or | of | et | und | y | e ){_PLACE}){{0,6}}"
_SECTION: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:{_SECTION_WORD}|Day|Sprint|Tier)(?: |(?<=\.))(?:no?\. ?|#)?(?P<place>{_PLACES}(?:\.?[oa]"
    rf"(?!\w))?)(?![\w]|[/:,-][0-9]| ?%)"
)
AFTER_SECTION: Final = lazy_regex(rf"(?<![A-Za-z]){_SECTION_WORD} (?:no\. ?)?\Z")
"""Tells whether a text ends with a word that a number of a section, page or step stands behind."""
_LAW: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?:Acts?|Code|Regulations?|Order|Bill|Statute|Convention|Directive|Treaty|Ley|Lei|Legge|Loi"
    r"|Gesetz"
    r"|Decreto|Decree|Wet|Ustawa)(?: \(?(?:EU|UE|EG|CE)\)?)?(?:,| of)? (?:n\.?[o\xb7]?\.? ?)?(?P<number>(?:1[5-9]"
    r"|20)[0-9]{2}"
    r"(?:/[0-9]{1,4})?|[0-9]{1,3}/(?:19|20)[0-9]{2}|[0-9]{1,2}\.[0-9]{3})(?![\w]|[/,.-][0-9])"
    r"|\b(?P<year>(?:1[5-9]|20)[0-9]{2})(?= (?:[A-Z][a-z]{2,20} ){0,2}(?:Act|Census|Convention|Treaty|Constitution)\b)"
    r"|(?<![A-Za-z])(?:(?:Laws?|Acts?|Ordinances?|Circulars?) [Nn](?:os?|r)\.? ?[0-9]{2,5}(?:[-/][0-9]{1,4})?"
    r"|Protocols? [Nn]os?\.? ?[0-9]{1,2}|(?:Law|Act|Decree|Ordinance) of [0-9]{1,2} [JFMASOND][a-z]{2,8} [0-9]{4})"
    r"(?![\w]|[/,.-][0-9]))",
    holds=(
        "Act", "Code", "Regulation", "Order", "Bill", "Statute", "Convention", "Directive", "Treaty", "Ley", "Lei",
        "Legge", "Loi", "Gesetz", "Decre", "Wet", "Ustawa", "Census", "Constitution", "Law", "Ordinance", "Circular",
        "Protocol",
    ),
)  # fmt: skip
"""Laws and censuses, whose years and numbers are public and are no dates of somebody."""
_CITED: Final = lazy_regex(
    r"(?:(?:(?<![\w.,/-])(?P<title>[0-9]{1,2}) (?:U\.S\.C\.|USC|C\.F\.R\.|CFR) (?=\xa7))?(?<![\w])\xa7{1,2} ?"
    r"|(?<![A-Za-z])[Aa]rt(?:s?\.|icles?|ikel[ns]?|iculos?|igos?|icol[oi]) (?:[LRD]\.? ?)?"
    r"|(?<![\w])(?:ss?|paras?|cl)\.)"
    r"(?P<place>[0-9]{1,4}(?:[.-][0-9]{1,4})?(?:[a-z](?![\w]))?(?:\([0-9A-Za-z]{1,4}\)){0,4}"
    r"(?: (?:(?:U?Abs|Nr|Ziff|Halbs|Hs|Alt|Var|lit|let|al|apdo|lid|sub|ust|pkt|ff?|S)\.?|Satz|Buchst\.?|Absatz|Nummer)"
    r"(?: (?:[0-9]{1,3}[a-z]?|[a-z]{1,2})(?![\w])){0,1}){0,6})(?![\w]|[/:.-][0-9])"
)
"""Paragraphs of a law, to the last of their parts."""
_SEVERAL: Final = ("rts", "rticles", "rtikeln", "rticulos", "rtigos", "rticoli")
_ANOTHER: Final = lazy_regex(
    r"(?: \xa7{1,2} ?[0-9]{1,3})?(?:,| and|, and| to| or| y| e| et| und) (?:\xa7{1,2} ?)?"
    r"(?P<place>[0-9]{1,4}(?:[.-][0-9]{1,4})?[a-z]?(?:\([0-9A-Za-z]{1,4}\)){0,4})(?![\w%]|[/:.-][0-9]| ?[a-z]{3,20}s\b)"
)
"""Behind the first of several paragraphs, another: Articles 6 § 2, 8 and 13."""
_MOST_CITED: Final = 12
SECTION_NUMBER: Final = lazy_regex(_PLACES)
"""Tells whether a value numbers a section, or several; with a unit it numbers none, whatever word stands before it."""
_LISTED: Final = lazy_regex(
    r"(?:(?<=\n)|\A|(?<=  ))[ \t>*-]{0,8}(?P<number>[0-9]{1,2}[.)]|\([0-9]{1,2}\)|[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.?"
    r"|[0-9]{1,2}(?:st|nd|rd|th)[,:]?)(?=[ \t]+[^\s0-9]|[ \t]*\n)"
)
LIST_NUMBER: Final = lazy_regex(r"\(?[0-9]{1,2}[.)]|[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.")
"""Tells whether a value is the number of an item or a heading, with its mark."""
_INLINE: Final = lazy_regex(r"(?<![\w.,/$-])(?P<number>[1-9][0-9]?(?:\.(?= {1,3}[A-Z\xb7])|\)(?= {1,3}[A-Z])))")

PERCENT_GATE: Final = at_digits("[0-9](?: ?%| per)")
NAMED_GATE: Final = at_digits("[A-Za-z.2319][-./]?[0-9]|[0-9](?:[A-Za-z(]|-[A-Z]|/)")
ORDINAL_GATE: Final = at_digits("[0-9](?:st|nd|rd|th)")
VERSION_GATE: Final = at_digits("[nsevVr]\\.? ?[0-9]")
SECTION_GATE: Final = at_digits(r"[A-Za-z.\xb7] ?(?:no?\. ?|#)?[0-9]")
LAW_GATE: Final = with_words(
    "act acts code regulation regulations order bill statute convention directive treaty ley lei legge loi gesetz"
    " decreto decree wet ustawa census constitution law laws ordinance ordinances circular circulars protocol protocols"
)
_ROW: Final = lazy_regex(r"(?:(?<=\n)|\A)[ \t|]{0,4}(?P<number>[1-9][0-9]?)(?=[ \t|,;])")
_LEAST_ROWS: Final = 3
OUTLINE_GATE: Final = at_digits(r"\n[ \t>*-]{0,8}[0-9]{1,2}\.[0-9]{1,2}\.[0-9]")
ROW_GATE: Final = at_digits(r"\n[ \t|]{0,4}3[ \t|,;]")
LIST_GATE: Final = at_digits(r"[0-9](?:[.)]|(?:st|nd|rd|th)[,: \t])")


def find_named_numbers(text: str) -> Iterator[Found]:
    """Yield names that hold digits: COVID-19, F-16, MP3. What stands in them is no number."""
    reached = 0
    for digit in matches(_MIXED, text):
        if digit.start() >= reached:
            start = _begins(text, digit.start())
            match = _NAMED.match(text, start) if start >= reached else None
            if match is not None and match.end() > digit.start() and is_name(text, *match.span()):
                reached = match.end()
                yield Found(start, reached, "quantity", 0.7, "list")


def _begins(text: str, place: int) -> int:
    """Return where the name that holds a place begins: behind white space or a mark that no name holds."""
    low = max(0, place - 12)
    while place > low and (text[place - 1].isalnum() or text[place - 1] in ".-/"):
        place -= 1
    return place


find_percentages: Final = finding(_PERCENT, "quantity", 0.9, "unit")
find_ordinals: Final = finding(_ORDINAL, "quantity", 0.8, "ordinal")
find_versions: Final = finding(
    _VERSION, "quantity", 0.8, "version", by=partial(near, anchor=_DIGIT, before=12, after=24)
)


def find_sections(text: str) -> Iterator[Found]:
    """Yield numbers behind the word for a section, page or step: Rule 36, pages 4 to 6."""
    for match in matches_at(_SECTION, text, (start for start, _ in places_of(text, _SECTION_STARTS))):
        yield Found(*match.span("place"), "numbering", 0.7, "sequence")


LABEL_NUMBER_GATE: Final = at_digits(r"[a-z] [0-9]{1,2} ?:(?![0-9])")
CITED_GATE: Final = either(
    at_digits(r"\xa7 ?[0-9]|rts?\. (?:[LRD]\.? ?)?[0-9]|[sal]\.[0-9]"),
    with_words("article articles artikel artikels artikeln articulo articulos artigo artigos articolo articoli"),
)


def find_label_numbers(text: str) -> Iterator[Found]:
    """Yield numbers of labels: Witness 2:."""
    for match in near(_NUMBERED_LABEL, text, _DIGIT, 24, 30):
        yield Found(*match.span("place"), "numbering", 0.7, "sequence")


def find_cited(text: str) -> Iterator[Found]:
    """Yield paragraphs of laws: article 1231-1, § 12 Abs. 3 Satz 2."""
    for match in near(_CITED, text, _DIGIT, 24, 60):
        if match["title"]:
            yield Found(*match.span("title"), "numbering", 0.95, "sequence")
        yield Found(*match.span("place"), "numbering", 0.95, "sequence")
        head = text[match.start() : match.start("place")]
        if "\xa7\xa7" in head or head[1:].rstrip(" LRD.").endswith(_SEVERAL):
            end = match.end()
            for _ in range(_MOST_CITED):
                another = _ANOTHER.match(text, end)
                if another is None:
                    break
                yield Found(*another.span("place"), "numbering", 0.95, "sequence")
                end = another.end()


def find_laws(text: str) -> Iterator[Found]:
    """Yield the years and numbers of laws: Housing Act 1985, Ley 39/2015."""
    for match in matches(_LAW, text):
        yield Found(*match.span(), "numbering", 0.95, "sequence")


def find_list_numbers(text: str) -> Iterator[Found]:
    """Yield numbers in front of the items of a list, where they follow one another, in lines or within: 1. 2. 3."""
    inline = list(matches(_INLINE, text))
    if "\n" not in text:
        yield from _in_order(inline)
        return
    listed = list(matches(_LISTED, text))
    own = {match.span("number") for match in listed}
    both = sorted(listed + [match for match in inline if match.span("number") not in own], key=_number_start)
    within = list(_in_order(both))
    yield from sorted({*_in_order(listed), *(within if len(within) >= _LEAST_ROWS + 1 else ())})


def find_outlines(text: str) -> Iterator[Found]:
    """Yield numbers of three parts or more in front of lines, where they follow one another: 1.2.1, 1.2.2, 1.2.2.1."""
    heads = [match for match in matches(_LISTED, text) if match["number"].rstrip(".").count(".") > 1]
    known = {match["number"].rstrip(".") for match in heads}
    for span in _in_order([match for match in heads if ".0" not in match["number"]]):
        above = text[span.start : span.end].rstrip(".").rpartition(".")[0]
        if above.count(".") == 1 or above in known:  # 10.0.0.1 is an address
            yield span._replace(score=0.95)


def _number_start(match: re.Match[str]) -> int:
    return match.start("number")


def _in_order(numbered: Iterable[re.Match[str]]) -> Iterator[Found]:
    """Yield those of the numbers that follow one another from 1 on."""
    previous: list[int] = []
    seen: set[tuple[int, ...]] = set()
    held: Found | None = None
    for match in numbered:
        number = [int(part) for part in re.findall("[0-9]+", match["number"])]
        span = Found(
            *match.span("number"), "numbering", 0.85 if "t" in match[0] or "d" in match[0] else 0.7, "sequence"
        )
        if _follows(previous, number) or (len(number) > 2 and number[-1] == 1 and tuple(number[:-1]) in seen):
            if held is not None:
                yield held
                held = None
            yield span
        else:
            held = span if number[-1] == 1 else None
        previous = number
        seen.add(tuple(number))


def find_row_numbers(text: str) -> Iterator[Found]:
    """Yield numbers in front of the lines of a table, three of which at least count from one: 1 217 Abel."""
    counted: list[Found] = []
    for match in matches(_ROW, text):
        number = int(match["number"])
        if number != len(counted) + 1:
            yield from counted if len(counted) >= _LEAST_ROWS else ()
            counted = []
        if number == len(counted) + 1:
            counted.append(Found(*match.span("number"), "numbering", 0.7, "sequence"))
    yield from counted if len(counted) >= _LEAST_ROWS else ()


def _follows(before: list[int], number: list[int]) -> bool:
    for level, part in enumerate(number):
        last = before[level] if level < len(before) else 0
        if part != last:
            return bool(before) and part == last + 1 and all(rest == 1 for rest in number[level + 1 :])
    return False


find_counts: Final = finding(_COUNT, "quantity", 0.6, "count", by=at_numbers)


def find_shares(text: str) -> Iterator[Found]:
    """Shares of a whole: 3 out of 10, two of five."""
    for match in at_numbers(_SHARE, text):
        if " in " not in match[0] or match[0][0].isdigit():
            yield Found(*match.span(), "quantity", 0.6, "count")


COUNT_GATE: Final = either(at_digits("[0-9]\\+? [a-z]"), with_words(NUMBER_WORDS))
SHARE_GATE: Final = both(
    holding(" of ", " in "), either(at_digits("[0-9] (?:out )?(?:of|in) "), with_words(NUMBER_WORDS))
)
_UNIT: Final = (
    r"(?:(?:calendar|working|business|consecutive|whole|full|more|further|additional|long|short|school|military) ){0,2}"
    r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|decades?|fortnights?|nights?|weekends?|semesters?"
    r"|trimesters?|yrs?|mos?|wks?|hrs?|mins?|secs?)(?![A-Za-z])"
)
_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}|[0-9]{0,2})(?:\.[0-9]{1,2})?(?: (?:1/2|[1-3]/4))?"
    rf"|(?i:{BELOW_HUNDRED}(?: hundred)?|half an?))(?: and (?:a |one )?half)?"
)
_RANGE: Final = rf"{_NUMBER}(?:(?:-| - | to | or |\+ ?| and ){_NUMBER})?\+?"
_LENGTH: Final = rf"{_RANGE}[ -]?{_UNIT}"
_NOT_AGE: Final = r"(?![- ](?:old|of age)|\.? ?o(?:ld)?(?![a-z]))"
_DURATION: Final = lazy_regex(
    rf"{_LENGTH}(?:(?:,? and | ){_LENGTH}){{0,3}}{_NOT_AGE}(?:'(?!s))?"
    r"(?:(?:-| )(?:long|and a half)(?![a-z]))?"
)
_SHORT: Final = lazy_regex(
    r"(?<![\w.,$\xa4/:-])[0-9]{1,3}(?:\.[0-9])?(?:-[0-9]{1,3})? ?(?:h(?: [0-5][0-9])?|min|sec|hr|w(?:k ?)?[0-6] ?d)"
    r"(?![A-Za-z0-9/']|\.[A-Za-z0-9])"
)
_FORTNIGHT: Final = lazy_regex(r"(?<![A-Za-z])[Aa] fortnight(?![A-Za-z])")
DURATION_GATE: Final = with_words(
    "year years month months week weeks day days hour hours minute minutes second seconds decade decades fortnight"
    " fortnights night nights weekend weekends semester semesters trimester trimesters yr yrs mo mos wk wks hr hrs"
    " min mins sec secs"
)


def find_durations(text: str) -> Iterator[Found]:
    """Lengths of time: three months, 6 weeks, a two-day hearing, eight months' imprisonment, a fortnight."""
    for match in at_numbers(_DURATION, text):
        if match[0] not in _NO_LENGTH:  # "one day" is no length
            yield Found(*match.span(), "duration", 0.8, "unit")


_NO_LENGTH: Final = ("one day", "One day", "one night", "One night")
find_fortnights: Final = finding(_FORTNIGHT, "duration", 0.8, "unit")
find_short_durations: Final = finding(_SHORT, "duration", 0.7, "unit")
FORTNIGHT_GATE: Final = with_words("fortnight")
SHORT_GATE: Final = with_words("h hr min sec w wk")
_SCALE: Final = r"(?: ?-?(?:[Hh]undred|[Tt]housand|[Mm]illion|[Bb]illion|[Tt]rillion|mln|bln|[KkMmBb]n?)\b)"
_MONEY_DIGITS: Final = r"(?:[0-9]{1,3}(?:[,.' ][0-9]{3}){1,6}(?![0-9])|[0-9]{1,15})(?:[.,][0-9]{1,2}(?![0-9]))?"
"""Seven groups at the most: a longer row is no amount, and would be read again from each of its groups."""
CODES: Final = (
    "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|INR|CNY|RMB|SEK|NOK|DKK|ISK|PLN|PLZ|CZK|SKK|HUF|RON|ROL|BGN|HRK|RSD|MKD|BAM|MDL"
    "|UAH|BYN|RUB|RUR|GEL|AMD|AZN|KZT|UZS|KGS|TRY|TRL|TL|ILS|AED|SAR|QAR|KWD|BHD|OMR|JOD|LBP|EGP|TND|DZD|IQD|IRR|PKR|BDT"
    "|LKR|NPR|THB|VND|IDR|MYR|PHP|SGD|HKD|TWD|KRW|BRL|MXN|ARS|CLP|UYU|BOB|PYG|VEF|CRC|DOP|JMD|TTD|ZAR|NGN|KES|GHS|UGX"
    "|TZS|ETB|XAF|XOF|DEM|FRF|ITL|ESP|PTE|BEF|NLG|ATS|FIM|GRD|IEP|CYP|MTL|LTL|LVL|EEK|SIT|BTC"
)
"""Codes of currencies, as a pattern, those of before the euro too; surrogates of amounts keep them."""
_OF: Final = (
    "US|American|Canadian|Australian|New Zealand|Hong Kong|Singapore|Swedish|Norwegian|Danish|Icelandic|Czech|Slovak"
    "|Polish|Hungarian|Romanian|Bulgarian|Croatian|Serbian|Macedonian|Moldovan|Ukrainian|Russian|Belarusian|Georgian"
    "|Armenian|Azerbaijani|Turkish|Cypriot|Cyprus|Maltese|Greek|Italian|French|Belgian|Luxembourg|Swiss|German|Austrian"
    "|Finnish|Irish|Spanish|Portuguese|Dutch|Estonian|Latvian|Lithuanian|Slovenian|Israeli|Egyptian|Lebanese|Syrian"
    "|Jordanian|Iraqi|Iranian|Saudi|Kuwaiti|Moroccan|Tunisian|Algerian|Indian|Pakistani|Sri Lankan|Nepalese|Japanese"
    "|Chinese|South Korean|Korean|Mexican|Argentine|Chilean|Colombian|Philippine|Cuban|Brazilian|South African|Nigerian"
    "|Kenyan|Ghanaian|British|Ugandan|Tanzanian|old|new|former|convertible"
)
_OWN: Final = (
    "dollars? euros? bucks? cents? pence quid yen rupees? pesos? rou?bles? rubles? yuan renminbi francs? kron[ae]"
    " kron[eo]r kron[eu]n? liras? lire zlot(?:ys?|ies) forints? korunas? koruny dinars? dirhams? hryvni(?:as?|i) leva"
    " kunas? shekels? baht ringgits? rupiah riyals? rials? reais naira cedis? shillings? drachmas? pesetas? escudos?"
    " guilders? deutschmarks? schillings? markka litas tolars? kroons? lari tenge manats?"
)
WORD: Final = (
    rf"(?:(?:{_OF}) ){{0,3}}(?i:{'|'.join(_OWN.split())}|pounds? sterling)"
    rf"|(?:(?:{_OF}) ){{1,3}}(?i:pounds?|marks?|won|lei|leu|levs?|reals?|rands?|crowns?|dong|soms?|drams?|lats|taka)"
)
"""Words for currencies, as a pattern; "pounds" and the like, which are also something else, with their country"
" alone."""
_SINGLE: Final = (
    "dollar dollars euro euros buck bucks cent cents pence quid yen rupee rupees peso pesos ruble rubles rouble roubles"
    " yuan renminbi franc francs krona krone kroner kronor kronen kronun lira liras lire zloty zlotys zloties forint"
    " forints koruna korunas koruny dinar dinars dirham dirhams hryvnia hryvnias hryvnii leva kuna kunas shekel shekels"
    " baht ringgit ringgits rupiah riyal riyals rial rials reais naira cedi cedis shilling shillings drachma drachmas"
    " peseta pesetas escudo escudos guilder guilders deutschmark deutschmarks schilling schillings markka litas tolar"
    " tolars kroon kroons lari tenge manat manats sterling pound pounds mark marks won lei leu lev levs real reals rand"
    " rands crown crowns dong som soms dram drams lats taka"
)
AGAIN: Final = (
    rf"(?: ?[(\[](?:{CODES}|\xa4|(?:{WORD}))(?:[)\]]|(?=[;,]| [-=]|\Z)))?"
    r"(?: (?:per|an?|each) (?:month|annum|year|week|day|night|hour|person|head|square met(?:er|re)|sq\."
    r" ?m)(?![A-Za-z]))?"
)
"""The currency once more, and what it is paid for: 2,000 euros (EUR), EUR 80 (euros), GBP 215 per month."""
ABOUT: Final = "approximately "
_SIGN: Final = lazy_regex(rf"\$|\xa4|{CODES}|Rs")
_SIGNED: Final = lazy_regex(
    rf"(?:(?:US|C|CA|A|AU|NZ|HK|S)?\$|\xa4|(?<![A-Za-z])(?:(?!INR ?[0-9](?:[.,][0-9]+)?(?![0-9]|[.,][0-9]))(?:{CODES})"
    rf"|Rs\.?)) ?-?{_MONEY_DIGITS}{_SCALE}?(?: (?:{CODES})\b)?{AGAIN}"
)
_NAMED_MONEY: Final = lazy_regex(
    rf"(?=[0-9])(?<![\w.,/-]){_MONEY_DIGITS}{_SCALE}?(?:[ -](?:{WORD})\b| ?(?:{CODES})\b| ?(?:\xa4|\$)(?!\w)){AGAIN}"
)
_SPOKEN: Final = lazy_regex(rf"(?<![\w-])(?i:{AMOUNT})[ -](?:{WORD})\b{AGAIN}")
_WORDS: Final = joined_words(_SINGLE)
SIGNED_GATE: Final = at_digits(r"(?:[A-Z]{2}|[$\xa4]|Rs\.?) ?-?[0-9]")
NAMED_MONEY_GATE: Final = either(
    with_words(_SINGLE),
    at_digits(rf"[0-9] ?(?:[KkMmBb]n?|[a-z])? ?(?:[\xa4$]|(?=[A-Z]{{3}})(?:{CODES}))|[0-9] ?[a-z]+ ?\$"),
)
SPOKEN_GATE: Final = with_words(_SINGLE)


def find_signed_money(text: str) -> Iterator[Found]:
    """Amounts after a sign or a code: $5, US$ 5.2 million, EUR 300."""
    for match in near(_SIGNED, text, _SIGN, 4, 45):
        yield Found(_begin(text, match.start()), match.end(), "money", 0.9)


def find_named_money(text: str) -> Iterator[Found]:
    """Amounts before a word, a code or a sign: 20 dollars, 300 EUR, five hundred dollars."""
    for match in matches(_NAMED_MONEY, text):
        yield Found(_begin(text, match.start()), match.end(), "money", 0.9)


def find_spoken_money(text: str) -> Iterator[Found]:
    """Amounts in words: five hundred dollars."""
    words = (
        (start - 1, end) for start, end in places_of(text, _WORDS) if text[max(0, start - 1) : start] in (" ", "-")
    )
    for match in near_places(_SPOKEN, text, words, 120, 1):
        if not match[0].lower().startswith(("a ", "one cent")) or " hundred" in match[0] or " thousand" in match[0]:
            yield Found(match.start(), match.end(), "money", 0.7)


def _begin(text: str, start: int) -> int:
    return start - len(ABOUT) if text.endswith(ABOUT, 0, start) else start
