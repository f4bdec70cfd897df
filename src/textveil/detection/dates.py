"""Dates and times of day in many written forms, each checked by the calendar or its context."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from typing import Final

from textveil.detection.found import OTHER, Found, finding, near, settled, without, words_in
from textveil.detection.gates import at_digits, with_words
from textveil.detection.units import ORDINAL, YEAR
from textveil.text.patterns import lazy_regex, matches, matches_at

_MONTH: Final = (
    r"(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?"
    r"|[Ss]ept?(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?|JAN(?:UARY)?|FEB(?:RUARY)?|MAR(?:CH)?"
    r"|APR(?:IL)?|MAY|JUNE?|JULY?|AUG(?:UST)?|SEPT?(?:EMBER)?|OCT(?:OBER)?|NOV(?:EMBER)?|DEC(?:EMBER)?)"
)
_WEEKDAY: Final = (
    r"(?:[Mm]onday|[Tt]uesday|[Ww]ednesday|[Tt]hursday|[Ff]riday|[Ss]aturday|[Ss]unday"
    r"|MONDAY|TUESDAY|WEDNESDAY|THURSDAY|FRIDAY|SATURDAY|SUNDAY)"
)
_SHORT_WEEKDAY: Final = r"(?:(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)\.?,? )"
_DAY: Final = rf"(?:[0-3]?[0-9](?:st|nd|rd|th)?|(?:the )?(?:{ORDINAL}))"
_LONG_YEAR: Final = rf"(?:1[5-9][0-9][0-9]|20[0-9][0-9]|{YEAR})"
_ANY_YEAR: Final = rf"(?:{_LONG_YEAR}|'[0-9]{{2}})"

_NAMED: Final = lazy_regex(
    rf"(?<![\w-])(?:{_WEEKDAY},? (?:the )?|{_SHORT_WEEKDAY})?(?:{_MONTH}\.?[ -](?:of )?{_DAY}(?!\w|[:.][0-9])(?:(?:,?"
    rf" (?:of |in )?|-){_ANY_YEAR}(?![\w]|,[0-9]))?|(?:[0-3]?[0-9] ?- ?)?{_DAY}(?: of)?[ -]{_MONTH}\b\.?(?:(?:,? (?:of"
    rf" )?|-){_ANY_YEAR}(?!\w|,[0-9])|-[0-9]{{2}}(?!\w))?|{_MONTH}\.?,? (?:of )?{_ANY_YEAR}(?!\w|,[0-9])"
    rf"|[0-3]?[0-9]/{_MONTH}/{_LONG_YEAR}(?![\w])|{_LONG_YEAR}[ -]{_MONTH}\b\.?(?:[ -]{_DAY}(?!\w))?"
    r")"
)
_MONTH_WORD: Final = lazy_regex(
    r"[JFMASONDjfmasond](?<![A-Za-z].)(?:an(?:uary)?|eb(?:ruary)?|ar(?:ch)?|pr(?:il)?|ay|une?|uly?|ug(?:ust)?"
    r"|ept?(?:ember)?|ct(?:ober)?|ov(?:ember)?|ec(?:ember)?|AN|EB|AR|PR|AY|UN|UL|UG|EP|CT|OV|EC)(?![a-z])"
)
_DAY_OF_WEEK: Final = lazy_regex(
    r"[MTWFSmtwfs](?<![A-Za-z0-9-].)(?:(?:(?<=[Mm])on|(?<=[Tt])(?:ues|hurs)|(?<=[Ww])ednes|(?<=[Ff])ri|(?<=[Ss])(?:atur"
    r"|un))day|(?:(?<=M)ON|(?<=T)(?:UES|HURS)|(?<=W)EDNES|(?<=F)RI|(?<=S)(?:ATUR|UN))DAY)(?![A-Za-z0-9_]|'[a-rt-z])"
)
_LONE_MONTH: Final = lazy_regex(
    r"[JFMASONDjfasond](?<![A-Za-z].)(?:(?<=[Jj])(?:anuary|une|uly)|(?<=[Ff])ebruary|(?<=M)(?:arch|ay)|(?<=[Aa])(?:pril"
    r"|ugust)|(?<=[Ss])eptember|(?<=[Oo])ctober|(?<=[Nn])ovember|(?<=[Dd])ecember|(?<=[Jj])(?:an|u[nl])|(?<=[Ff])eb"
    r"|(?<=[Aa])(?:pr|ug)|(?<=[Ss])ept?|(?<=[Oo])ct|(?<=[Nn])ov|(?<=[Dd])ec)(?![A-Za-z0-9_])"
)
_BEFORE_MONTH: Final = lazy_regex(
    r"(?:\b[Ii]n|since|last|next|this|until|till|by|early|late|mid|during|from|of|to|for|about"
    r"|around|before|after)[ -]$"
)
_SHORT_MONTHS: Final = words_in("jan feb apr jun jul aug sep sept oct nov dec")
_BEFORE_SHORT_MONTH: Final = lazy_regex(r"(?:\b[Ii]n|last|next|this|until|early|late|mid)[ -]$")
_FULL_DATE: Final = (
    r"(?:(?:1[5-9]|20)[0-9]{2}([-/.])[01]?[0-9]\1[0-3]?[0-9]|[0-3]?[0-9]([-/.])[0-3]?[0-9]\2(?:1[5-9]|20)[0-9]{2})"
)
_NUMERIC: Final = lazy_regex(
    # Behind a digit and a comma, as in a row of a table, the year is whole: else both may be of one number.
    rf"(?:(?<![\w./-])|(?<=[A-Za-z][_-])(?=(?:19|20)[0-9]{{2}}-[01][0-9]-[0-3][0-9]))(?:(?<![0-9],)|(?={_FULL_DATE}(?![\w]|[-/.][0-9])))"
    r"(?:(?P<y>(?:1[5-9]|20)[0-9]{2})(?P<s>[-/.])(?P<m>[01]?[0-9])(?P=s)(?P<d>[0-3]?[0-9])(?=T[0-2][0-9]:"
    r"|(?![^\W_]|[-/][0-9]))|(?P<a>[0-3]?[0-9])(?P<t>[-/.])(?P<b>[0-3]?[0-9])(?P=t)(?P<z>(?:1[5-9]|20)[0-9]{2}"
    r"|[0-9]{2})(?!\w|[-/.][0-9])|(?P<o>(?:0?[1-9]|1[0-2])/|(?:0[1-9]|1[0-2])[-.])(?P<w>(?:19|20)[0-9]{2})(?!\w"
    r"|[-/.,][0-9]|%)(?! ?(?:m?[gl]|[ck]?m|kg)\b)|(?!24/7)(?:(?:(?<=[Oo]n )|(?<=ated )|(?<=ince )|(?<=ntil )|(?<=rom"
    r" ))(?P<p>[0-3]?[0-9])/(?P<q>[0-3]?[0-9])|(?:(?<=[Bb]y )|(?<=[Dd]ue )|(?<=[Tt]ill )|(?<=efore )|(?<=fter )"
    r"|(?<=eview )|(?<=day is )|(?<=[Ss]een )|(?<=line )|(?<=[Oo]n the )|(?<=ooked )|(?<=ment )|(?<=[Aa]ppt"
    r" )|(?<=ights )|(?<=ight )|(?<=shift )|(?<=w/c )|(?<=w/e )"
    r"|(?<=ischarged )|(?<=ischarged: )|(?<=dmitted )|(?<=dmitted: )|(?<=dmission )|(?<=Date: )|(?<=ard round )"
    r"|(?<=eviewed )|(?<=lerked )|(?<=Next: )|(?<=ext appt: )|(?<=elivered ))"
    r"(?P<g>[0-3]?[0-9])/(?P<h>[0-3]?[0-9]))(?!\w|[-/.][0-9]))"
)
_STAMP: Final = lazy_regex(
    r"(?:19|20)(?<![\w.]..)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?=T[0-2][0-9][0-5][0-9][0-5][0-9]Z?(?!\w))",
    holds=("T0", "T1", "T2"),
)
"""The day of a calendar's entry: DTSTART:20260412T140000Z."""
_QUARTER: Final = lazy_regex(
    r"[Qq](?<![\w./,-].)[1-4](?:[ /-]|, | of )(?:(?:19|20)[0-9]{2}|'[0-9]{2})(?!\w|[-/.][0-9])"
)
_SHORT_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LISTED_DAY: Final = lazy_regex(
    r"(?:(?<![\w-])(?=(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2}  [1-9] )"
    r"|[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]? {1,6}[0-9]{1,6}(?: {1,12}\S{1,40}){2} {1,12}[0-9.,]{1,12}[KMGT]? {1,2})"
    rf"(?P<day>(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?{_SHORT_MONTH} {{1,2}}(?:[1-9]|[12][0-9]|3[01]))"
    r"(?= {1,2}(?:[0-2][0-9]:[0-5][0-9]|(?:19|20)[0-9]{2} ))"
)
_DAY_AND_MONTH: Final = lazy_regex(
    r"(?:(?<=[a-z] )|(?<=[a-z], ))[0-9](?:(?<=[0-3])[0-9])?\. ?(?:0?[1-9]|1[0-2])\.(?![0-9])"
)
_BEFORE_DAY: Final = lazy_regex(
    r"\b(?:(?:[Aa]m|[Aa]b|[Vv]om|[Bb]is|[Zz]um|[Dd]en|[Ss]eit)|(?:Mo|Di|Mi|Do|Fr|Sa|So),?) \Z"
)
_SHORT_DAY: Final = lazy_regex(
    r"[0-9](?<![\w.,:/+#-].)(?:(?<=[0-3])[0-9])?(?:/(?:1[0-2]|0?[1-9])|\.(?:1[0-2]|0?[1-9])\.)"
    r"(?![\w%/+-]|[.,:][0-9]| ?(?:mg|ml|mcg|units?|mm|cm|IE|IU)(?![a-z]))"
)
"""A day and a month without a year."""
_NO_SHORT_DAY: Final = lazy_regex(
    r"(?:pril|artan|pine|olol|statin|zide|cillin|one|ine|ide|caps?|tabs?|dose|insulin|units|score|pain|power|strength"
    r"|vision|acuity|ratio|scale|(?<![A-Za-z])(?:[Vv]ersion|[Vv]|[Nn]o|[Nn]r|[A-Z]{2,}|of|is|was))[.:]? ?\Z"
)
"""Words before a number and a slash that are no day: a medicine, a score."""
_DAY_OR_MONTH: Final = lazy_regex(rf"{_WEEKDAY}|{_MONTH}")
_CAPITALS_ALONE: Final = frozenset(
    ["MI", "LA", "EL", "IL", "LE", "AL", "DI", "MA", "SO", "FR", "SA", "DU", "AB"]
)  # MI 3/12 ago
_RATIOS: Final = ("24/7", "16/9", "16/10")
_NAME_BEFORE: Final = lazy_regex(r"[A-Z][a-z]+ \Z")
_ON_SHORT_DAY: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?i:del|dal|al|il|le|du|au|am|vom|v\.|bis|seit|ab|el|desde|hasta|op|van|tot|od|dnia|em|lun|mar|mer|mie|jue"
    r"|gio|ven|vie|sab|dom|jeu|sam|dim|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|[mdz]o|di|mi|fr|sa|so|wo|vr|za|ma"
    r"|bloods|cxr|ct|mri|echo|ecg|ekg|xr|op|adm|admitted|dc|d/c|rv|r/v|fu|f/u|clinic|appt),?\.?"
    r"|[a-z] \(|[-\u2013] ?) ?\Z"
)
"""Words before a day without a year: a preposition, a day of the week, a verb."""
_AT_VISIT: Final = lazy_regex(
    r"(?<![A-Za-z])(?i:adm|admitted|discharged|d/c|rv|r/v|appt|clinic|bloods"
    r"|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|(?:nights?|evening|morning|afternoon|shift|handover|weekend) of),?\.? \Z"
)
_CLOCK_BEHIND: Final = lazy_regex(rf" (?:(?:[01][0-9]|2[0-3]):[0-5][0-9](?![0-9])|{OTHER}{{5}}(?!{OTHER}))")
_TIME_BEHIND: Final = lazy_regex(
    rf"(?:[ \t]{{3}}|\t)|[ \t]{{1,8}}(?:(?:[01]?[0-9]|2[0-3])[:.]?[0-5][0-9](?![0-9])|{OTHER}{{4,8}})"
)
"""Behind a day at the start of a line of notes: a time, or a column."""
NOW: Final = (
    "(?:present|now|today|current|ongoing|heute|jetzt|aujourd|actual|hoy|oggi|attual|in corso|atual|hoje|heden"
    "|nu(?![a-z])|obecnie|teraz)"
)
"""How words begin behind the first year of what lasts: 2019-present, 2021-attuale."""
_YEARS: Final = lazy_regex(
    r"[12](?<![\w.,$\xa4/:#-].)(?:(?<=1)[6-9]|(?<=2)0)[0-9]{2}(?:[-/](?:(?:1[6-9]|20)?[0-9]{2}))?(?:s)?"
    rf"(?![\w]|[.,:/-][0-9]|-(?!{NOW})[a-z]"
    "| ?(?:%|percent|points?|miles?|km|meters?|feet|dollars|people|men|women|pounds|mg|ml))"
)
_DECADE: Final = lazy_regex(r"(?<![\w])'[0-9]0s\b", holds=("0s",))
_OFFSET: Final = r"[+-][0-9]{2}(?::?[0-9]{2})?(?![0-9:])"
"""The offset of a clock from UTC: a part of the time, since it tells where somebody is."""

_CLOCK: Final = lazy_regex(
    r"[0-9](?<![\w.:/$-].)(?:(?<!,.)|(?=[0-9:.]{0,12} ?(?:[AaPp]\.?[Mm]\.?)?(?:[,;|\"\n]|\Z)))(?:(?<=[0-2])[0-9])?(?:"
    rf"(?::[0-5][0-9]):[0-5][0-9](?:[.,][0-9]{{1,9}})?(?:{_OFFSET}| [+-][0-9]{{4}}(?![0-9:])|Z\b)"
    r"|(?::[0-5][0-9])(?:\+[0-9]{2}:?[0-9]{2}(?![0-9:])|Z\b)"
    r"|(?::[0-5][0-9])(?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?: ?[AaPp](?:\.[Mm]\.|[Mm]\b))?"
    r"|(?:\.[0-5][0-9])? ?[AaPp](?:\.[Mm]\.|[Mm]\b)| o'clock|(?<=12) (?:noon|midnight)"
    r"|[hH.][0-5][0-9](?= (?:Uhr|uur|u\.?)(?![A-Za-z/]))|[hH][0-5][0-9]|(?= (?:Uhr|uur)\b))"
    r"(?!\w|:[0-9]|:[0-9a-fA-F]{2}:)"
)
_OPENED: Final = lazy_regex(r"\.[0-5][05](?= ?(?:-|bis|tot|alle|do|to|till)[ 0-9])")
_HOURS: Final = lazy_regex(
    r"(?<![A-Za-z])(?:[Mm][oo]n?|[Dd]i|[Mm]i|[Dd]o|[Ff]r|[Ss]a|[Ss]o|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un|[Ll]un|[Mm]ar"
    r"|[Mm]er|[Gg]io|[Vv]en|[Ss]ab|[Dd]om|[Ww]o|[Vv]r|[Zz]a|[Zz]o|[Oo]pen(?:s|ing)?|[Hh]ours|[Uu]hr|[Gg]eoffnet"
    r"|[Oo]rari[oi]?|[Oo]penings?tijden|[Hh]orari[oa]s?|[Hh]oraires|[Oo]d|[Vv]on|[Vv]an|[Dd]alle|[Ff]rom)"
    r"[a-z]{0,8}\.?(?: ?: ?| )(?P<from>(?:[01]?[0-9]|2[0-3])\.[0-5][05]) ?(?:-|bis|tot|alle|do|to|till) ?"
    r"(?P<to>(?:[01]?[0-9]|2[0-4])\.[0-5][05])"
    r"(?![\w.%]|,[0-9]| ?(?:m?[gl]|mU|EUR|GBP|\xa4))"
)
"""Hours of opening with points, behind a day or a word for them."""
_AFTER_T: Final = lazy_regex(
    rf"(?<=[0-9\xb7]T)[0-2][0-9](?::[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{{1,9}})?)?(?:Z|{_OFFSET})?"
    r"|(?<=[01\xb7][0-9\xb7][0-3\xb7][0-9\xb7]T..)[0-5][0-9][0-5][0-9]Z?(?!\w))",
    holds=("T0", "T1", "T2"),
)
_OF_LOG: Final = lazy_regex(
    r":(?<=[a-z]/[12][0-9]{3}:)(?P<time>[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?: [+-][0-9]{4}(?![0-9]))?)",
    holds=(":0", ":1", ":2"),
)
_OF_TRAVEL: Final = "(?i:oarding|departs|parture|arrival|arrives| closes|ng time)"
_SIGN_OF_TRAVEL: Final = "(?:ETD|ETA|STD|STA|DEP|ARR|Dep|Arr)"
"""Ends of labels of boarding cards, all of one length, and labels of three letters."""
_FOUR_DIGITS: Final = lazy_regex(
    r"(?:[01][0-9]|2[0-3])(?<![\w.,:/$-]..)[0-5][0-9](?:(?= ?(?:hrs|hours|Uhr|uur)\b)"
    r"|(?<= at ....)(?=[,.;)\n]|\Z| (?:and|when|by|on|he|she|they|we|the)\b)"
    rf"|(?:(?<={_OF_TRAVEL} ....)|(?<={_OF_TRAVEL}: ....)|(?<={_SIGN_OF_TRAVEL} ....)(?<![A-Za-z].{{8}}))(?![\w.,:/-])"
    r"|(?<=(?<![^\n]).{4})(?=[ \t][A-Z(])(?P<watch>))"
    r"|(?:[01]?[0-9]|2[0-3])(?<![\w.,:/$-].)(?<![\w.,:/$-]..)(?= ?(?:-|bis|tot) ?(?:1?[0-9]|2[0-4]) (?:Uhr|uur)\b)",
)
"""Hours and minutes as services write them, and the first hour of a range: at 2315 hrs, read at 0140, 14 bis 18 Uhr."""
_LEAST_WATCH, _LATEST_WATCH = 3, 1500
"""Times of a log at the heads of its lines, and how many there are at least; the first is early, as no year is."""
_UNTIL: Final = lazy_regex(
    r"-(?<=[:hH][0-5][0-9]-)(?<![0-9]:[0-5][0-9]:[0-5][0-9]-)(?P<time>(?:[01]?[0-9]|2[0-3])[:hH][0-5][0-9](?![\w:]))"
)
_POINTED: Final = lazy_regex(
    r"\.(?<=[0-9]\.)[0-5][0-9](?: ?[ap]\.?m(?![\w]))?(?! ?[%\xa4$]|\w|[.,:/-][0-9]"
    r"|\.?[ -](?i:m?[gl]|mm|cm|km|kg|euros?|eur|mio|per|percent|prozent|punkte|grad|each|pro|zl)\b)"
)
_BEFORE_POINTED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?i:ore|godz\.?|godzinie|kl\.?|klo|klokken|a las|[ad]lle|um|om|saat:?)"
    r"|(?:told|arriv|leav|left|start|beg[ai]n|meet|seen|call|came|come|home|train|bus|flight|doors|dinner|lunch|scann|"
    r"admitt|depart|return|woke|class|open|clos|visit|died|born|[a-z]day)[^.\n]{0,24} at)"
    r" (?P<hour>[01]?[0-9]|2[0-3])\Z"
)
"""Hours and minutes with a full stop between them, behind a word that tells of a time: ore 21.00, arrived at 8.30."""
_SPACED: Final = lazy_regex(
    r"(?<![\w.,:/$-])(?:[01]?[0-9]|2[0-3]) ?h(?: ?[0-5][0-9])?(?![\w:/]| ?min)",
    within="[0-9] ?h",
)
_BEFORE_SPACED: Final = lazy_regex(
    r"(?i)(?:(?<![a-z])(?:vers|des|jusqu'a|avant|entre|il est|il etait|a partir de"
    r"|(?P<a>(?:\xb7|[a-z0-9]{1,9})(?<! y) a)|(?P<de>de)|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|ouvert)|\xb7)"
    r",? \Z"
)
_BEHIND_SPACED: Final = lazy_regex(
    r"[,.;)\n]|\Z| (?:et|pour|le|du|au|nous|j'|il|elle|on|a|avec|chez|dans|par|sur|en)(?![a-z])"
)
_TO: Final = lazy_regex(r" (?:a|-) (?:1?[0-9]|2[0-4]) ?h")
"""Hours as French writes them, with what stands before and behind those of a day: a 14 h 20, de 8 h a 17 h."""
_ZONE: Final = lazy_regex(
    r"(?:UTC|GMT)(?<![A-Za-z]...)(?P<offset>[+-](?:1[0-4]|0?[0-9])(?::?[0-9]{2})?)(?![\w:]|\.[0-9])",
    holds=("UTC", "GMT"),
)
"""The offset of a zone from UTC: UTC-05:00."""
_FIRST_OF_RANGE: Final = lazy_regex(r"^[0-3]?[0-9] ?- ?(?=[0-9])")
_GOES_ON: Final = lazy_regex(r"[,;:)]|[ \n][a-z0-9(]")
"""Behind a full stop that ends no sentence: it stands for letters left out, and would tell that it is not May."""

_DIGITS: Final = lazy_regex("[0-9]{1,40}+")

DATE_GATE: Final = at_digits(r"[0-9]T[0-9]{6}|[0-9]([-/.])[0-9]{1,2}\1[0-9]|[0-9]/[0-9]|[0-9][-.][12][0-9]{3}")
COARSE_GATE: Final = at_digits(
    r"[Qq][1-4]|[a-z],? [0-9]{1,2}\. ?[0-9]{1,2}\.|[0-9](?:\.[01][0-9] ?[~;-]|[JFMASOND][A-Z]{2})|[01][0-9]/[0-9][0-9]"
)
MONTH_FOLLOWS: Final = lazy_regex(
    r"(?i)(?<![a-z])(?:exp(?:ir\w{1,6})?(?:\.? date)?|(?:valid|good|renew\w{0,3}|issued?)(?: from| until| thru| to)?"
    r"|(?:valid|issue|renewal) date|(?:g[u\xfc]ltig|verf[a\xe4]llt|ablauf\w{0,6}|HU|T[U\xdc]V)(?: (?:bis|ab))?|vence"
    r"|vencimi?ento|caduc\w{1,5}|v[a\xe1]lid[oa]|valable|expire|scad(?:e|enza)|validade|validez|valid[ai]t[ae\xe0]"
    r"|geldig|verval\w{0,5}|wa[z\u017c]n\w{1,3}|[^\W\d_]{0,6}\u0434\u0435\u0439\u0441\u0442\u0432[^\W\d_]{0,8})"
    r"(?: (?:el|le|em|bis|jusqu'au|fino al?|hasta|at[e\xe9]|a|t/m|tot|vanaf|do|od|\u0434\u043e|of|de)"
    r"(?: (?:the|la|du))?(?: [^\W\d_]{3,12})?)?[ .:=|(\t]{0,4}\Z"
)
"""Words before the month and the year, in two digits, until which a card or a permit is valid."""
_YEAR_AND_MONTH: Final = r"(?:19|20)[0-9]{2}\.(?:0[1-9]|1[0-2])"
_COARSE: Final = lazy_regex(
    rf"(?<![\w.,])(?P<first>{_YEAR_AND_MONTH}) ?[~;-] ?(?:(?P<last>{_YEAR_AND_MONTH})(?![\w.])|(?=[^\s0-9]))"
    rf"|(?<![A-Za-z0-9])(?P<flight>(?:0?[1-9]|[12][0-9]|3[01])(?=[A-Z]{{3}}){_MONTH}(?:(?:1[5-9]|20)?[0-9]{{2}})?)"
    r"(?![A-Za-z0-9])|(?<![\w/.,])(?P<month>(?:0[1-9]|1[0-2])/[0-9]{2})(?![\w/]|[.,][0-9])"
)
SHORT_DAY_GATE: Final = at_digits(r"[0-9]/[0-9]|[0-9]\.[01]?[0-9]\.")
NAMED_DATE_GATE: Final = with_words(
    "january february march april may june july august september october november december"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
LISTED_GATE: Final = at_digits("[a-y]  ?[0-9]{1,2}  ?[0-2][0-9]")
DAY_GATE: Final = with_words("monday tuesday wednesday thursday friday saturday sunday")
TIME_GATE: Final = at_digits(
    r"[0-9](?:[:.hH][0-9]| ?(?:hrs|hours|-|bis|tot|h(?![a-z])|[AaPp][.Mm])| (?:o'|noon|midn|[Uu](?:hr|ur))"
    r"|(?:(?<=(?i:rding|parts|rture|rival|rives|loses| time) [0-2])|(?<=(?i:ding|arts|ture|ival|ives|oses|time): [0-2])"
    r"|(?<=(?:ET[AD]|ST[AD]|DEP|ARR|Dep|Arr) [0-2]))[0-9][0-5][0-9]"
    r"|(?<=T[0-2])[0-9](?:[0-5][0-9]){2}|(?<=at [0-2])[0-9][0-5][0-9]|(?<=\n[0-2])[0-9][0-5][0-9][ \t]|(?<=(?:UTC"
    r"|GMT)[+-].))"
)
YEAR_GATE: Final = at_digits("[12][0-9]{3}|'[0-9]0s")

_LATEST_YEAR: Final = 2100
_REMEMBERED: Final = 1 << 12


def find_dates(text: str) -> Iterator[Found]:
    """Yield dates in digits that a calendar has: 2024-03-04, 3/4/2024, 04.03.24, 3/2024, on 3/4."""
    for match in matches(_STAMP, text):
        yield Found(*match.span(), "date", 0.9)
    for match in matches_at(_NUMERIC, text, (run.start() for run in matches(_DIGITS, text))):
        if _in_calendar(match):
            yield Found(match.start(), match.end(), "date", 0.6 if match["p"] or match["g"] else 0.9)


def find_coarse_dates(text: str) -> Iterator[Found]:
    """Quarters of a year (Q3 2021), days without one (am 3.4., 12SEP), months (2017.07-2019.06; expires 05/19)."""
    for match in matches(_COARSE, text):
        if match["month"] and MONTH_FOLLOWS.search(text, max(0, match.start() - 32), match.start()):
            yield Found(*match.span(), "date", 0.9)
        groups = (group for group in ("first", "last", "flight") if match[group])
        yield from (Found(*match.span(group), "date", 0.9) for group in groups)
    for match in matches(_QUARTER, text):
        yield Found(match.start(), match.end(), "date", 0.9)
    for match in matches(_DAY_AND_MONTH, text):
        if _BEFORE_DAY.search(text, max(0, match.start() - 6), match.start()):
            yield Found(match.start(), match.end(), "date", 0.7)


def find_short_days(text: str) -> Iterator[Found]:
    """Days without a year: seen 29/7, echo 05.09.

    If neither number is above 12, a word before them must tell that they are a day, or a time behind one that begins
    a line.
    """
    for match in matches(_SHORT_DAY, text):
        before = max(0, match.start() - 12), match.start()
        first = int(match[0][:2].rstrip("/."))
        cue = _ON_SHORT_DAY.search(text, *before)
        told = cue is not None and cue[0].strip() not in _CAPITALS_ALONE
        named = first % 5 == 0 and _NAME_BEFORE.search(text, *before)  # Targin 20/10: strengths are round
        sure = first > 12 and "/" in match[0] and not named
        padded = len(match[0]) == len("05.09.") and match[0][-1] == "."
        line = text.rfind("\n", 0, match.start()) + 1
        opens = not text[line : match.start()].strip(" \t*-")
        month = int(match[0].rstrip(".")[-2:].lstrip("/."))
        if match[0] in _RATIOS or not _is_day(2000, month, first) or (opens and match[0][-1] == "." and not padded):
            continue
        visit = _AT_VISIT.search(text, *before) is not None
        entry = (
            opens and "/" in match[0] and (match[0][-2:-1] == "0" or _TIME_BEHIND.match(text, match.end()) is not None)
        )
        fraction = "/" in match[0] and first < month and month in (2, 3, 4, 5, 7, 8, 10, 12)
        entry = entry or ("/" in match[0] and _CLOCK_BEHIND.match(text, match.end()) is not None)
        if visit or entry or (told and not fraction) or ((sure or padded) and not _NO_SHORT_DAY.search(text, *before)):
            yield Found(*match.span(), "date", 0.5)


find_listed_days: Final = finding(_LISTED_DAY, "date", 0.9, group="day")


def find_named_dates(text: str) -> Iterator[Found]:
    """Yield dates with the name of a month: March 3rd, 2024; Mon, 3 Mar 2024; July twenty ninth two thousand eight."""
    for match in near(_NAMED, text, _MONTH_WORD, 45, 60):
        if readable(_FIRST_OF_RANGE.sub("", match[0])):
            ends = match.end() if _GOES_ON.match(text, match.end()) else match.start() + len(match[0].rstrip("."))
            start = match.start() + 4 * (_SPELLED_DAY.fullmatch(match[0]) is not None)
            yield Found(start, ends, "date", 0.9)


_SPELLED_DAY: Final = lazy_regex(r"[Tt]he [a-z-]+ of [A-Z][a-z]{2,8}(?:,? [12][0-9]{3})?")
"""A day in words whose article stays, since the new day has one too: the sixth of February."""
find_days: Final = finding(_DAY_OF_WEEK, "date", 0.7)


def find_months(text: str) -> Iterator[Found]:
    """Months after a word such as "since"."""
    for match in matches(_LONE_MONTH, text):
        before = _BEFORE_SHORT_MONTH if match[0].lower() in _SHORT_MONTHS else _BEFORE_MONTH
        if before.search(text, max(0, match.start() - 8), match.start()):
            yield Found(match.start(), match.end(), "date", 0.7)


def find_years(text: str) -> Iterator[Found]:
    """Years, of a school too (2023/24), and decades, if nothing around them says that they are another number."""
    for pattern in (_YEARS, _DECADE) if "'" in text else (_YEARS,):
        for match in matches(pattern, text):
            if "/" in match[0] and int(match[0][5:]) % 100 != (int(match[0][:4]) + 1) % 100:
                continue  # of a school it would be the next year
            if "'" in match[0] or int(match[0][:4]) < _LATEST_YEAR:
                yield Found(match.start(), match.end(), "date", 0.5)


def find_times(text: str) -> Iterator[Found]:
    """Times of day: 14:05, 2:05:10 pm, 2 p.m., 2 o'clock, 14:05:10+02:00."""
    joined = [match.span() for match in matches(_AFTER_T, text)] if "T" in text else []
    joined += [match.span("time") for pattern in (_OF_LOG, _UNTIL) for match in matches(pattern, text)]
    four = list(matches(_FOUR_DIGITS, text))
    watch = [match.span() for match in four if match["watch"] is not None]
    joined += [match.span() for match in four if match["watch"] is None]
    if len(watch) >= _LEAST_WATCH and int(text[slice(*watch[0])]) < _LATEST_WATCH:
        joined += watch
    joined += [match.span("offset") for match in matches(_ZONE, text)]
    joined += [*_pointed(text), *_spaced(text)]
    joined += [match.span(group) for match in near(_HOURS, text, _OPENED, 36, 24) for group in ("from", "to")]
    apart = settled(text, [Found(start, end, "time", 0.8) for start, end in joined])  # an offset may end a range too
    yield from apart
    for match in matches(_CLOCK, without(text, [(span.start, span.end) for span in apart])):
        if int(match[0][:2].rstrip(":. apAPohH")) < 24:
            yield Found(match.start(), match.end(), "time", 0.8)


def _pointed(text: str) -> Iterator[tuple[int, int]]:
    """Yield times with a full stop behind a word that tells of a time."""
    for match in matches(_POINTED, text):
        before = _BEFORE_POINTED.search(text, max(0, match.start() - 44), match.start())
        if before is not None:
            yield before.start("hour"), match.end()


def _spaced(text: str) -> Iterator[tuple[int, int]]:
    """Yield times of day with an h behind the hour, where French tells that they are no length of time."""
    for match in matches(_SPACED, text):
        before = _BEFORE_SPACED.search(text, max(0, match.start() - 24), match.start())
        if before is None or (before["de"] and not _TO.match(text, match.end())):
            continue
        is_dose = match.end() - match.start() == len("2h")  # every two hours, or at two
        if not before["a"] or (_BEHIND_SPACED.match(text, match.end()) and not is_dose):
            yield match.span()


def _in_calendar(match: re.Match[str]) -> bool:
    if match["o"]:
        return True
    if match["p"] or match["g"]:
        first, second = int(match["p"] or match["g"]), int(match["q"] or match["h"])
        fraction = bool(match["g"]) and max(first, second) <= 12  # by 2/3
        return not fraction and (_is_day(2000, first, second) or _is_day(2000, second, first))
    if match["y"]:
        return _is_day(int(match["y"]), int(match["m"]), int(match["d"]))
    year, first, second = int(match["z"]), int(match["a"]), int(match["b"])
    if len(match["z"]) == 2:
        year += 2000
    return _is_day(year, first, second) or _is_day(year, second, first)


def is_month_and_year(written: str) -> bool:
    """Return whether a value can be a month and two digits of its year: 05/19."""
    month, _, year = written.partition("/")
    return len(month) == len(year) == 2 and month.isdecimal() and year.isdecimal() and 1 <= int(month) <= 12


def is_day_or_month(low: str) -> bool:
    """Return whether a word in small letters is a day of the week or a month."""
    return _DAY_OR_MONTH.fullmatch(low) is not None


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=_REMEMBERED)
def readable(written: str) -> bool:
    """Tell whether a date with a month's name is one of the calendar, as dateutil reads it; words for numbers pass."""
    from dateutil.parser import ParserError, parse

    plain = re.sub(rf"^{_SHORT_WEEKDAY}|\b(?:of|the|in)\b", " ", written)  # dateutil does not know Tues and Thurs
    if not _DIGITS.search(plain) or re.search(YEAR, plain):
        return True
    plain = re.sub(rf"\b(?:{ORDINAL})\b", "1", plain)  # nor words for days
    try:
        parse(plain, default=datetime(2000, 1, 1))
    except (ParserError, OverflowError, ValueError):
        return False
    return True
