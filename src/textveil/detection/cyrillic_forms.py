"""Dates, ages, ids, telephone numbers and addresses with Russian words."""

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.text.patterns import lazy_regex, matches

CAPITAL: Final = "[А-ЯЁІЇЄҐЎЂЈЉЊЋЏ]"
SMALL: Final = "[а-яёіїєґўђјљњћџ]"
LETTER: Final = "[А-яЁёІіЇїЄєҐґЎўЂђЈјЉљЊњЋћЏџ]"
NAME: Final = rf"{CAPITAL}{SMALL}+(?:['’]{SMALL}+)?(?:-{LETTER}{SMALL}*){{0,3}}"

_MONTH: Final = (
    r"(?:январ[яьеи]|феврал[яьеи]|март[ае]?|апрел[яьеи]|ма[яйе]|июн[яьеи]|июл[яьеи]|август[ае]?|сентябр[яьеи]|октябр[яьеи]|"
    r"ноябр[яьеи]|декабр[яьеи])"
)
_DAY_OF_MONTH: Final = r"(?:янв(?:аря)?|фев(?:р|раля)?|марта|апр(?:еля)?|мая|июня|июля|авг(?:уста)?|сен(?:т|тября)?|окт(?:ября)?|ноя(?:б|бря)?|дек(?:абря)?)"
_DATE: Final = lazy_regex(
    rf"(?i)(?<![\w.])(?:«?[0-3]?[0-9]»? {_DAY_OF_MONTH}(?![а-яё])(?:\.(?= [12][0-9]))?(?: [12][0-9]{{3}}(?: ?г(?:\.|ода|оду|од)?(?![а-яё]))?)?"
    rf"|{_MONTH} [12][0-9]{{3}}(?: ?г(?:\.|ода|оду|од)?(?![а-яё]))?"
    rf"|[12][0-9]{{3}}(?= ?г(?:\.|ода|оду|од|оды)(?![а-яё]))"
    rf"|[12][0-9]{{2}}0(?=-[ехм]{{1,2}} год))"
)


_YEAR_WORD: Final = lazy_regex(r" ?г(?:\.|ода|оду|од)?\Z")


def find_dates(text: str) -> Iterator[Found]:
    """Yield days, months and years with Russian words; a year's word behind a day stays outside."""
    for match in matches(_DATE, text):
        end = match.end()
        tail = _YEAR_WORD.search(match[0])
        yield Found(match.start(), end - len(tail[0]) if tail else end, "date", 0.9)


_AGE: Final = lazy_regex(
    rf"(?i)(?:возраст[а-яё]{{0,8}}(?: -| —|:)? |(?:мне|ему|ей|лет:|исполнилось) |{SMALL}{{2}}(?<!за|на), |{CAPITAL}\., )"
    r"(?P<age>[0-9]{1,3})(?= (?:лет|год|года|мес)(?![а-яё]))|(?<![\w.,])(?P<adjective>[0-9]{1,3})(?=-(?:летн|годовал|месячн)[а-яё])"
)


def find_ages(text: str) -> Iterator[Found]:
    """Yield ages in years: "возраст 45 лет", ", 45 лет", "45-летний"."""
    for match in matches(_AGE, text):
        yield Found(*match.span(match.lastgroup or 0), "age", 0.9)


_IDS: Final = lazy_regex(
    r"(?<![\w-])(?P<snils>[0-9]{3}-[0-9]{3}-[0-9]{3}[ -][0-9]{2})(?![\w-])"
    r"|(?i:СНИЛС|ИНН|КПП|ОГРН(?:ИП)?|БИК|ОМС|полис[а-я]{0,6}(?: ОМС)?|паспорт[а-я]{0,6}(?: РФ| гражданина РФ)?|серия|договор[а-я]{0,6}|заказ[а-я]{0,6}|счёт[а-я]{0,6}|счет[а-я]{0,6}|карт[а-я]{1,3}|истори[а-я]{1,6} болезни|медкарт[а-я]{0,6}|"
    r"дел[а-я]{1,2}|заявк[а-я]{1,3}|обращени[а-я]{1,2}|рейс[а-я]{0,6}|билет[а-я]{0,6}|брон[а-я]{1,4}|р/с|к/с|л/с|табельн[а-я]{1,6} номер[а-я]{0,6}|номер[а-я]{0,6} (?:дела|карты|счёта|счета|заказа|договора|полиса|паспорта|брони))"
    r"(?: ?(?:номер|серия|сер\.|за|:|№|N|#)){0,3} ?(?P<id>(?=[A-ZА-Я0-9 /-]{0,12}[0-9]{3})[0-9A-ZА-Я](?:[ /№-]{0,3}[0-9A-ZА-Я]){3,24})(?![а-яё])"
)
_PHONE: Final = lazy_regex(
    r"(?<![\w+])(?:\+7|8)[ -]?\(?[3-9][0-9]{2}\)?[ -]?[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{2}(?![\w-])|(?i:тел(?:\.|ефон[а-я]{0,6})?|моб\.|факс|звоните|т\.)(?: ?[:.])? ?(?P<phone>[(0-9][0-9() -]{5,17}[0-9])(?![\w])"
)
_PLATE: Final = lazy_regex(
    r"(?<![\w])(?:[АВЕКМНОРСТУХ] ?[0-9]{3} ?[АВЕКМНОРСТУХ]{2}|[авекмнорстух][0-9]{3}[авекмнорстух]{2}) ?[0-9]{2,3}(?![\w])"
)


def find_numbers(text: str) -> Iterator[Found]:
    """Yield SNILS, what a label such as "ИНН" names, plates and telephone numbers."""
    for pattern, kind in ((_IDS, "id"), (_PLATE, "id"), (_PHONE, "phone")):
        for match in matches(pattern, text):
            yield Found(*match.span(match.lastgroup or 0), kind, 0.9, "label")


_STREET: Final = (
    r"(?:ул(?:\.|иц[аеыу])|пр(?:-т|осп\.|оспект[ауе]?|\.)|пер(?:\.|еулок|еулке)|наб(?:\.|ережная|ережной)|ш(?:\.|оссе)|"
    r"б(?:-р|ульвар[ае]?)|пл(?:\.|ощадь|ощади)|мкр(?:\.|н)?|микрорайон[ае]?|проезд[ае]?|тупик|аллея|тракт)"
)
_PROPER: Final = (
    rf"(?:[0-9]{{1,3}}-(?:я|й|го|ой) )?(?:{CAPITAL}\. ?){{0,2}}(?:{NAME})(?: (?:{NAME}|[0-9]{{1,2}}(?![0-9/-])))?"
)
_HOUSE: Final = (
    r"(?:,? ?(?:д(?:\.|ом)) ?)?,? ?[0-9]{1,4}(?:[/-][0-9]{1,3})?(?:[А-Яа-я](?![А-Яа-яё]))?"
    r"(?:,? ?(?:корп|к|стр|лит)(?:\.|ус|оение)? ?[0-9А-Я]{1,3}(?![0-9А-Яа-яё]))?(?:,? ?(?:подъезд|эт\.|этаж) ?[0-9]{1,2})?"
    r"(?:,? ?(?:кв(?:\.|артира)|оф(?:\.|ис)|ком\.|комн(?:\.|ата)) ?[0-9]{1,4})?"
)
_LINE: Final = lazy_regex(
    rf"(?<!{LETTER})(?:{_STREET} {_PROPER}(?:{_HOUSE})?|(?!(?:На|По|В|Во|С|К|За|Из|От|Эта|Наша) ){_PROPER} (?:ул\.|улица|улице|проспект[еа]?|переулок|шоссе|бульвар[ае]?|набережная)(?:{_HOUSE})?)"
)
_SMALL_LINE: Final = lazy_regex(
    rf"(?<!{LETTER})(?:(?:ул\.?|улица|улице|пр-т|проспект|пер\.?|переулок) {SMALL}{{4,20}}(?: {SMALL}{{4,20}})?,? (?:д\.? ?|дом )?[0-9]{{1,4}}|{SMALL}{{2,14}}ая {SMALL}{{2,14}}ая,? [0-9]{{1,4}}(?=[\n.,;)]|\Z))(?![\w])"
)
_TOWN: Final = lazy_regex(
    rf"(?<!{LETTER})(?P<name>(?:(?:г|пос|с|д|п|р\.п|пгт|дер|гор)\. ?{NAME}(?: {NAME})?)|(?<![0-9])[1-6][0-9]{{5}}(?=, (?:г\.|[А-ЯЁ]|Росс)))"
)


def find_addresses(text: str) -> Iterator[Found]:
    """Yield street lines with house and flat, towns behind "г.", and postal codes before them."""
    for pattern, group in ((_LINE, 0), (_SMALL_LINE, 0), (_TOWN, "name")):
        for match in matches(pattern, text):
            yield Found(*match.span(group), "place", 0.8, "street")
