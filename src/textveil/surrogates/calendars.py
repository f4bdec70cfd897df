"""Reads a written date: what of it is known, its form without the date, and the form with another date.

The form shows as little of a date as can be. Days and months in digits come in pairs, and a day beside the name of a
month without a leading zero, however the private date is written; else a zero, or none, would tell of a day below ten.
In which order day and month stand, how long names of months are, and their language are settings for the same reason:
May is as long in full as cut short, so among short dates the one with a long month would be in May. Full stops that
stand for letters left out, and what some languages write on the first of a month alone, are not in the form.

Names of months and weekdays are read in eleven languages, in full and in every cut form that is common, with or without
accents: a name that was not read would show which it is among those that are (``mars``, ``mai`` and ``ao\u00fbt`` are
never cut in French).
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, date, timedelta
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

from textveil.detection.dates import is_month_and_year
from textveil.surrogates.writing import in_case_of, ordinal_ending
from textveil.text.patterns import lazy_regex

MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar M\u00e4rz April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier f\u00e9vrier mars avril mai juin juillet ao\u00fbt septembre octobre novembre d\u00e9cembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro mar\u00e7o abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrze\u015bnia pa\u017adziernika listopada grudnia",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}
"""Names of months by language."""

_WEEKDAYS: Final = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "es": "lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "it": "luned\u00ec marted\u00ec mercoled\u00ec gioved\u00ec venerd\u00ec sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda ter\u00e7a quarta quinta sexta s\u00e1bado domingo",
    "pl": "poniedzia\u0142ek wtorek \u015broda czwartek pi\u0105tek sobota niedziela",
    "ru": "понедельник вторник среда четверг пятница суббота воскресенье",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
    "ar": "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
}
_ALONE: Final = {
    "pl": "stycze\u0144 luty marzec kwiecie\u0144 maj czerwiec lipiec sierpie\u0144 wrzesie\u0144 pa\u017adziernik listopad grudzie\u0144",
    "ru": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "pl in": "styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrze\u015bniu pa\u017adzierniku listopadzie grudniu",
    "ru in": "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре",
}
"""Months without a day in languages that decline them, in the nominative, and where something happens."""
_SHORT: Final = {
    "en month": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de month": "Jan Feb M\u00e4r Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "es month": "ene feb mar abr may jun jul ago sep oct nov dic",
    "fr month": "janv f\u00e9vr mars avr mai juin juil ao\u00fbt sept oct nov d\u00e9c",
    "it month": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl month": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pt month": "jan fev mar abr mai jun jul ago set out nov dez",
    "pl month": "sty lut mar kwi maj cze lip sie wrz pa\u017a lis gru",
    "ru month": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "tr month": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "ar month": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "en weekday": "Mon Tue Wed Thu Fri Sat Sun",
}
_OTHERS: Final = {
    "en": {"weds": ("en short weekday", 3)},
    "de": {"maerz": ("de month", 3), "mrz": ("de short month", 3), "janner": ("de month", 1), "sonnabend": ("de weekday", 6)},
    "ru": {
        f"{stem}{end}": ("ru month", number)
        for number, stem in enumerate("январ феврал март апрел ма июн июл август сентябр октябр ноябр декабр".split(), 1)
        for end in "еьий"
    },
    "ar": {
        name: ("ar month", number)
        for number, names in enumerate("جانفي فيفري|شباط مارس|اذار افريل|ابريل|نيسان ماي|ايار جوان|حزيران جويلية|تموز اوت|اغسطس|اب سبتمبر|ايلول اكتوبر نوفمبر ديسمبر".split(), 1)
        for name in names.split("|")
    },
    "es": {"setiembre": ("es month", 9), "set": ("es short month", 9)},
}  # fmt: skip
_SHORTEST: Final = 3  # letters of a name that is cut short


@cache
def names(language: str) -> dict[str, tuple[str, int]]:
    """Return the part of a date ("en month", "en short month") and the number, from 1, of every name.

    A beginning of a name is that name if no other has it; weekdays are cut short in English alone.
    """
    full = {
        kind: [read_as(name) for name in listed[language].split(" ")]
        for kind, listed in (("month", MONTHS), ("weekday", _WEEKDAYS))
    }
    every = full["month"] + full["weekday"]
    known: dict[str, tuple[str, int]] = {}
    for kind, listed in full.items():
        cut = _SHORT.get(f"{language} {kind}")
        if cut is not None:
            short = f"{language} short {kind}"
            for number, name in enumerate(listed, 1):
                for length in range(_SHORTEST, len(name)):
                    if sum(other.startswith(name[:length]) for other in every) == 1:
                        known[name[:length]] = (short, number)
            known |= {read_as(name): (short, number) for number, name in enumerate(cut.split(" "), 1)}
    for kind, listed in full.items():
        known |= {name: (f"{language} {kind}", number) for number, name in enumerate(listed, 1)}
    declined = (_ALONE[case].split(" ") for case in (language, f"{language} in") if case in _ALONE)
    known |= {read_as(name): (f"{language} month", number) for each in declined for number, name in enumerate(each, 1)}
    return known | _OTHERS.get(language, {})


def name_of(part: str, number: int) -> str:
    """Return the name of a month or a weekday, from 1, for a part of ``names``."""
    language, *short, kind = part.split(" ")
    if short[:1] == ["alone"]:
        return _ALONE[" ".join((language, *short[1:]))].split(" ")[number - 1]
    listed = _SHORT[f"{language} {kind}"] if short else (MONTHS if kind == "month" else _WEEKDAYS)[language]
    return listed.split(" ")[number - 1]


def read_as(name: str) -> str:
    """Return the name in small letters and without accents."""
    letters = unicodedata.normalize("NFD", name.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


_FILLERS: Final = frozenset(("of", "de", "del", "the", "г", "года", "م"))
_ORDINALS: Final = frozenset(("st", "nd", "rd", "th"))
_MARKS: Final = frozenset(",/-.'")
_TOKEN: Final = lazy_regex(r"[0-9]+|[^\W\d_]+|\s+|.", re.DOTALL)
_FIRST: Final = lazy_regex(r"\b(?:premier|primeiro|primero|primo)\b", re.IGNORECASE)
# What is written behind some days or weekdays and not behind others, in languages other than English.
_ENDING: Final = lazy_regex(
    r"(?<=[0-9])(?:e?ro?|o|ste|de|e|\.?[\xaa\xba\xb0])(?![^\W\d_])|(?<=a)-feira\b|(?<=di)'", re.IGNORECASE
)

_MOST: Final = 30  # pieces of a value that can be a date
_CENTURY: Final = 1950  # years of two digits are in the hundred years from here on
_QUARTER: Final = lazy_regex(
    r"(?P<before>[Qq])(?P<quarter>[1-4])(?P<gap>[ /-]|, | of )(?P<year>[12][0-9]{3}|'[0-9]{2})"
)
_DASHES: Final = ("-", "\u2013")
_DECADE: Final = lazy_regex(r"(?P<year>[12][0-9]{2}0|'?[0-9]0)(?P<mark>'?)(?P<end>[sS])")
_EAST_ASIAN: Final = lazy_regex(
    "(?:(?P<era>民國|民国|明治|大正|昭和|平成|令和) ?)?(?P<year>[0-9〇零一二三四五六七八九十廿元]{1,4})?(?P<y> ?[年년](?P<ygap>[ 　]?))?"
    "(?:(?P<month>[0-9一二三四五六七八九十]{1,3})(?P<m> ?(?:月(?:份|末|上旬|中旬|下旬)?|월)[ 　]?))?(?:(?P<day>[0-9一二三四五六七八九十廿]{1,3})(?P<d> ?[日号號일]))?"
)
_WITH_WEEKDAY: Final = lazy_regex(
    "(?P<date>[^（(]{3,24}?)(?P<open>[ 　]?[（(](?:周|星期)?)(?P<day>[月火水木金土日월화수목금토일一二三四五六])"
    "(?P<end>(?:曜日?|요일)?(?:・?祝)?[)）])"
)
_CJK_WEEKDAYS: Final = ("月火水木金土日", "월화수목금토일")
_SHORT_ERA: Final = lazy_regex(
    "(?P<era>[MTSHR])(?P<year>[0-9]{1,2})(?P<mark>[./])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
)
_JAPANESE: Final = {
    "令和": date(2019, 5, 1),
    "平成": date(1989, 1, 8),
    "昭和": date(1926, 12, 25),
    "大正": date(1912, 7, 30),
    "明治": date(1868, 1, 25),
}
"""First days of the eras, the latest first."""
_LETTERS_OF_ERAS: Final = {"M": "明治", "T": "大正", "S": "昭和", "H": "平成", "R": "令和"}
_HIJRI_MONTHS: Final = (
    "محرم", "صفر", "ربيع الأول", "ربيع الثاني", "جمادى الأولى", "جمادى الآخرة",
    "رجب", "شعبان", "رمضان", "شوال", "ذو القعدة", "ذو الحجة",
)  # fmt: skip
_HIJRI: Final = lazy_regex(
    f"(?P<day>[0-9]{{1,2}})(?P<first> (?:من )?)(?P<month>{'|'.join(_HIJRI_MONTHS)})(?P<second>،? ?(?:من )?(?:عام |سنة )?)(?P<year>1[0-9]{{3}})"
)
_HIJRI_FIRST: Final = date(622, 7, 19).toordinal()
_ERAS: Final = {"民國": 1911, "民国": 1911, "明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_HAN_DIGITS: Final = {**{numeral: number for number, numeral in enumerate("〇一二三四五六七八九")}, "零": 0, "元": 1}
_LEAP: Final = 2000
_MONDAY: Final = date(_LEAP, 1, 3)


class Known(Enum):
    """The parts of a date that are written; a weekday beside a date follows from it."""

    DATE = "date"
    MONTH = "month and year"
    QUARTER = "quarter and year"
    YEAR = "year"
    DECADE = "decade"
    ANNIVERSARY = "month and day"
    WEEKDAY = "weekday"
    NOTHING = "no day of the calendar"


class Field(NamedTuple):
    """A piece of a form."""

    part: str  # empty if the text stays; else what of a date goes there
    text: str  # what stood there in the value: it stays, or shows the letter case of a name


class WrittenDate(NamedTuple):
    """A date that was read."""

    known: Known
    # the date; the middle of what is not written (the 15th of a month, 1 July), in the year 2000 where there is no year
    # and in its first whole week where there is a weekday alone; any where none is known
    day: date
    form: tuple[Field, ...]  # the value without it

    def moved(self, days: int) -> date:
        """Return the date so many days later, or earlier.

        Without a year it goes round a leap year, with two digits round 100 years, a weekday round the week; else it
        ends at the years 1 and 9999.
        """
        if self.known is Known.WEEKDAY:
            first, size = _MONDAY, 7
        elif self.known is Known.ANNIVERSARY:
            first, size = date(_LEAP, 1, 1), 366
        elif any(field.part in ("year2", "decade2") for field in self.form):
            first, size = date(_CENTURY, 1, 1), 36_525
        else:
            return date.fromordinal(min(max(self.day.toordinal() + days, 1), date.max.toordinal()))
        return first + timedelta(days=((self.day - first).days + days) % size)

    def with_day(self, day: date) -> str:
        """Return the form with another date."""
        return "".join(filled(field, day) for field in self.form)


def read_date(
    value: str, *, day_first: bool = False, language: str = "en", short_months: bool = False
) -> WrittenDate | None:
    """Return the date that a value is, with the form in which it is written; None if it has not the pieces of one.

    Numbers of which only the other order is a date are read in that; the form has the order of ``day_first`` all the
    same. With dots the day is first. Hyphens, slashes, digits right beside them and short weekdays always have short names of months.
    """
    if not value.isascii() and (match := _WITH_WEEKDAY.fullmatch(value)):
        own = read_date(match["date"], day_first=day_first, language=language, short_months=short_months)
        weekday = (Field("", match["open"]), Field("cjk weekday", match["day"]), Field("", match["end"]))
        if own is None or match["day"].isnumeric():  # weekdays that are numbers are left out
            return own
        return own._replace(form=(*own.form, *weekday))
    coarse = _coarse(value) or _short_era(value) or (None if value.isascii() else _east_asian(value) or _hijri(value))
    if coarse is not None:
        return coarse
    pieces = _TOKEN.findall(without_endings(unicodedata.normalize("NFC", value), language))
    parts: list[str] = []
    texts: list[str] = []
    numbers: list[int] = []
    for index, text in enumerate(pieces):
        part, number = _token(text, language, parts[-1] if parts else "")
        if part is None or len(parts) == _MOST:
            return None
        if text == "." and parts and parts[-1].endswith((" month", " weekday")) and texts[-2:-1] != ["."]:
            if not "".join(pieces[index + 1 : index + 2]).isdecimal():
                continue  # for the letters that were left out
            text = " "
        parts.append(part)
        texts.append(text)
        numbers.append(number)
    fields = {part.split(" ")[-1]: number for part, number in zip(parts, numbers, strict=True) if part}
    read = _with_name(parts, texts, numbers) if "month" in fields else _in_numbers(parts, texts, numbers, day_first)
    if read is None:
        return None
    known, year, month, day = read
    if known is Known.WEEKDAY:
        shown_day = _MONDAY + timedelta(days=fields["weekday"] - 1)
    else:
        try:
            shown_day = date(year, fields.get("month", month), day)
        except ValueError:
            known, shown_day = Known.NOTHING, _MONDAY
    short = short_months or any(part.endswith("short weekday") for part in parts)
    for index, part in enumerate(parts):
        if part.endswith(" month"):
            beside = {*texts[max(0, index - 1) : index], *texts[index + 1 : index + 2]}
            glued = not beside.isdisjoint("-/") or any(map(str.isdecimal, beside))
            parts[index] = month_part(language, short=short or glued)
            if known is Known.MONTH and parts[index] == f"{language} month" and language in _ALONE:
                parts[index] = _declined(texts[index].lower(), language)
    return WrittenDate(known, shown_day, tuple(map(Field, parts, texts)))


def _declined(written: str, language: str) -> str:
    """Return the part of a month alone in the case that it is written in: what a preposition before it asks."""
    if written in MONTHS[language].split(" "):
        return f"{language} month"
    is_in = written in _ALONE.get(f"{language} in", "").split(" ")
    return f"{language} alone in month" if is_in else f"{language} alone month"


def _coarse(value: str) -> WrittenDate | None:
    """Read a quarter (Q3 2021), a year of a school (2023/24) or a decade (1990s) by its middle; None if it is neither."""
    begins, following = value[:4], value[5:]
    between = value[4:5] == "/" or (value[4:5] in _DASHES and len(following) == 2 and following > "12")  # no month
    if between and len(following) in (2, 4) and f"{begins}{following}".isdecimal():
        if int(following) != (int(begins) + 1) % 10 ** len(following) or not MINYEAR <= int(begins) < MAXYEAR:
            return None
        next_year = Field("next year" if len(following) > 2 else "next year2", "")
        return WrittenDate(Known.YEAR, date(int(begins), 7, 1), (Field("year", ""), Field("", value[4]), next_year))
    quarter, decade = _QUARTER.fullmatch(value), _DECADE.fullmatch(value)
    match = quarter or decade
    if match is None:
        return None
    digits = match["year"].lstrip("'")
    mark = Field("", "'" if digits != match["year"] else "")
    year = int(digits) if len(digits) == 4 else year_of(int(digits))
    size = "" if len(digits) == 4 else "2"
    if quarter is not None:
        before, gap = Field("", quarter["before"]), Field("", quarter["gap"])
        form = (before, Field("quarter", ""), gap, mark, Field(f"year{size}", ""))
        return WrittenDate(Known.QUARTER, date(year, 3 * int(quarter["quarter"]) - 1, 15), form)
    ending = Field("", match["mark"] + match["end"])
    return WrittenDate(Known.DECADE, date(year + 5, 1, 1), (mark, Field(f"decade{size}", ""), ending))


def month_and_year(value: str) -> WrittenDate | None:
    """Read a month and two digits of its year (05/19); None if it has not the form."""
    if not is_month_and_year(value):
        return None
    day = date(year_of(int(value[3:])), int(value[:2]), 15)
    return WrittenDate(Known.MONTH, day, (Field("month", ""), Field("", "/"), Field("year2", "")))


def _east_asian(value: str) -> WrittenDate | None:
    """Read a date in the order year, month, day with a word behind each (2024年3月5日); None if it is none.

    The form has digits. A year of an era becomes one of the era of the new date, so that the old era does not show.
    """
    match = _EAST_ASIAN.fullmatch(value)
    if match is None or (match["year"] is None) != (match["y"] is None) or not (match["year"] or match["month"]):
        return None
    year, month, day = (_han_number(match[part]) for part in ("year", "month", "day"))
    if match["era"]:
        year += _ERAS[match["era"]]
    elif match["year"] and len(match["year"]) < 3:
        year = year_of(year)
    pieces = (("year", "y"), ("bare month", "m"), ("bare day", "d"))
    held = [(part, match[mark]) for part, mark in pieces if match[part.split(" ")[-1]]]
    form = tuple(Field(*field) for part, mark in held for field in ((part, ""), ("", mark)))
    if match["era"]:
        calendar = match["era"] if match["era"] in _OF_TAIWAN else "令和"
        form = (Field("era", calendar), Field("era year", calendar), *form[1:])
    if not match["month"]:
        known = Known.YEAR
    elif not match["year"]:
        known = Known.ANNIVERSARY
    else:
        known = Known.DATE if match["day"] else Known.MONTH
    try:
        middle = date(year or _LEAP, month or 7, day or (15 if month else 1))
    except ValueError:
        known, middle = Known.NOTHING, _MONDAY
    return WrittenDate(known, middle, form)


_OF_TAIWAN: Final = ("民國", "民国")


def _short_era(value: str) -> WrittenDate | None:
    """Read a date of Japanese forms, with the letter of an era (S41.7.22); None if it is none."""
    match = _SHORT_ERA.fullmatch(value)
    if match is None:
        return None
    year = _ERAS[_LETTERS_OF_ERAS[match["era"]]] + int(match["year"])
    mark = Field("", match["mark"])
    form = (Field("era", "R"), Field("era year", "R"), mark, Field("bare month", ""), mark, Field("bare day", ""))
    return _with_known(date, year, int(match["month"]), int(match["day"]), form)


def _with_known(
    day_of: Callable[[int, int, int], date], year: int, month: int, day: int, form: tuple[Field, ...]
) -> WrittenDate:
    """Return a whole date of a calendar, which may not have it."""
    try:
        return WrittenDate(Known.DATE, day_of(year, month, day), form)
    except ValueError:
        return WrittenDate(Known.NOTHING, _MONDAY, form)


def _era_of(calendar: str, day: date) -> tuple[str, int]:
    """Return the name of the era of a day, or its letter, and the year in it; the common era's before the first."""
    if calendar in _OF_TAIWAN:
        return (calendar, day.year - 1911) if day.year > 1911 else ("", day.year)
    name = next((name for name, first in _JAPANESE.items() if day >= first), "")
    letter = next((letter for letter, era in _LETTERS_OF_ERAS.items() if era == name), "")
    return letter if calendar == "R" else name, day.year - _ERAS.get(name, 0)


def _hijri(value: str) -> WrittenDate | None:
    """Read a date of the Islamic calendar with the name of its month (15 شعبان 1445); None if it is none."""
    match = _HIJRI.fullmatch(value)
    if match is None:
        return None
    form = (Field("hijri day", ""), Field("", match["first"]), Field("hijri month", ""), Field("", match["second"]))
    month = _HIJRI_MONTHS.index(match["month"]) + 1
    return _with_known(_of_hijri, int(match["year"]), month, int(match["day"]), (*form, Field("hijri year", "")))


def _of_hijri(year: int, month: int, day: int) -> date:
    """Return a day of the tabular Islamic calendar as one of ours; raise ValueError if a month has it not."""
    if not 1 <= day <= 30:
        raise ValueError
    return date.fromordinal(_HIJRI_FIRST + _before_month(year, month) + day - 1)


def _before_month(year: int, month: int) -> int:
    """Return how many days of the tabular Islamic calendar lie before a month."""
    return (year - 1) * 354 + (3 + 11 * year) // 30 + (59 * (month - 1) + 1) // 2


def _in_hijri(day: date) -> tuple[int, int, int]:
    """Return year, month and day in the tabular Islamic calendar; its first day for all days before it."""
    days = max(day.toordinal() - _HIJRI_FIRST, 0)
    year = (30 * days + 10_646) // 10_631
    month = next(month for month in range(12, 0, -1) if _before_month(year, month) <= days)
    return year, month, days - _before_month(year, month) + 1


def _han_number(written: str | None) -> int:
    """Return a number in digits, in Chinese numerals (二十五), or in a row of them (二〇二四); 0 for none."""
    if not written or written.isdecimal():
        return int(written or 0)
    if "十" not in written and "廿" not in written:
        return int("".join(str(_HAN_DIGITS.get(numeral, 0)) for numeral in written))
    tens, _, ones = written.replace("廿", "二十").partition("十")
    return 10 * _HAN_DIGITS.get(tens, 1) + _HAN_DIGITS.get(ones, 0)


def usual_form(language: str, *, short_months: bool = False) -> WrittenDate:
    """Return the form of what is read as no date: January 1, 2000."""
    month = Field(month_part(language, short=short_months), MONTHS[language].split(" ")[0])
    day, year = Field("bare day", "1"), Field("year", "2000")
    space, comma = Field("", " "), Field("", ", ")
    form = (month, space, day, comma, year) if language == "en" else (day, space, month, space, year)
    return WrittenDate(Known.NOTHING, _MONDAY, form)


def month_part(language: str, *, short: bool) -> str:
    """Return the part of a form that is the name of a month."""
    return f"{language} short month" if short else f"{language} month"


def without_endings(value: str, language: str) -> str:
    """Return a value without what only some days have behind them: 1er mars, primero de mayo, quarta-feira."""
    return value if language == "en" else _ENDING.sub("", _FIRST.sub("1", value))


def _token(text: str, language: str, before: str) -> tuple[str | None, int]:
    """Return what a piece of a value may be: a part, text that stays (empty), or nothing of a date (None)."""
    if text[0] in "0123456789":
        if len(text) <= 2:
            return "small", int(text)
        if len(text) in (4, 8) and text[0] in "12":
            return ("year" if len(text) == 4 else "compact"), int(text)
        return None, 0
    if text.isalpha():
        lower = text.lower()
        if lower in _ORDINALS and before == "small":
            return "ordinal", 0
        if lower in _FILLERS:
            return "", 0
        return names(language).get(read_as(text), (None, 0))
    return ("", 0) if text.isspace() or text in _MARKS else (None, 0)


_Read = tuple[Known, int, int, int]


def year_of(number: int) -> int:
    """Return the year of two digits."""
    return _CENTURY + (number - _CENTURY) % 100


def _with_name(parts: list[str], texts: list[str], numbers: list[int]) -> _Read | None:
    """Return what is known beside the name of a month; names the parts."""
    small = [index for index, part in enumerate(parts) if part == "small"]
    years = [index for index, part in enumerate(parts) if part == "year"]
    named = sum(part.endswith(" month") for part in parts)
    if named > 1 or len(years) > 1 or len(small) + len(years) > 2 or "compact" in parts:
        return None
    year = numbers[years[0]] if years else _LEAP
    if not years and small and (len(small) == 2 or texts[small[-1] - 1 : small[-1]] == ["'"]):
        last = small.pop()
        parts[last], year, years = "year2", year_of(numbers[last]), [last]
    if not small:
        return (Known.MONTH if years else Known.ANNIVERSARY), year, 0, 15
    (day,) = small
    parts[day] = "day" if texts[day + 1 : day + 2] in (["-"], ["/"]) else "bare day"
    return (Known.DATE if years else Known.ANNIVERSARY), year, 0, numbers[day]


def _in_numbers(parts: list[str], texts: list[str], numbers: list[int], day_first: bool) -> _Read | None:
    """Return what is known if no month is named; names the parts."""
    small = [index for index, part in enumerate(parts) if part == "small"]
    years = [index for index, part in enumerate(parts) if part == "year"]
    compact = [index for index, part in enumerate(parts) if part == "compact"]
    if len(years) + len(compact) > 1 or "ordinal" in parts or (compact and small):
        return None
    if compact:
        number = numbers[compact[0]]
        return Known.DATE, number // 10_000, number // 100 % 100, number % 100
    year = numbers[years[0]] if years else _LEAP
    if len(small) == 3 and not years:
        last = small.pop()
        parts[last], year, years = "year2", year_of(numbers[last]), [last]
    if len(small) == 2:
        known = Known.DATE if years else Known.ANNIVERSARY
        first, second = small
        if years and first < years[0] < second:
            return None
        ahead = bool(years) and years[0] < first
        day_first = not ahead and (day_first or "." in texts[first + 1 : second])
        parts[first], parts[second] = ("day", "month") if day_first else ("month", "day")
        day, month = (numbers[first], numbers[second]) if day_first else (numbers[second], numbers[first])
        return (known, year, month, day) if month <= 12 else (known, year, day, month)
    if len(small) == 1 and years:
        parts[small[0]] = "month"
        return Known.MONTH, year, numbers[small[0]], 15
    if small:
        return None
    if years:
        return Known.YEAR, year, 7, 1
    return (Known.WEEKDAY, 0, 0, 0) if any(part.endswith("weekday") for part in parts) else None


def filled(field: Field, day: date) -> str:
    """Return one piece of a form for a date."""
    part, text = field
    plain = {
        "": text,
        "year": f"{day.year:04d}",
        "year2": f"{day.year % 100:02d}",
        "next year": f"{day.year + 1:04d}",
        "next year2": f"{(day.year + 1) % 100:02d}",
        "decade": f"{day.year // 10 * 10:04d}",
        "decade2": f"{day.year // 10 % 10}0",
        "quarter": str((day.month + 2) // 3),
        "month": f"{day.month:02d}",
        "day": f"{day.day:02d}",
        "bare day": str(day.day),
        "bare month": str(day.month),
        "compact": f"{day.year:04d}{day.month:02d}{day.day:02d}",
        "ordinal": in_case_of(text, ordinal_ending(day.day)),
    }
    if part in plain:
        return plain[part]
    if part == "cjk weekday":
        return next(names for names in _CJK_WEEKDAYS if text in names)[day.weekday()]
    if part.startswith("era"):
        era, number = _era_of(text, day)
        return era if part == "era" else str(number)
    if part.startswith("hijri"):
        year, month, number = _in_hijri(day)
        return {"hijri year": str(year), "hijri month": _HIJRI_MONTHS[month - 1]}.get(part, str(number))
    name = in_case_of(text, name_of(part, day.month if part.endswith("month") else day.weekday() + 1))
    return name[0].upper() + name[1:] if text[0].isupper() else name
