"""Names in Cyrillic letters: Russian morphology, capitals, and words beside names.

Searches read the text as it is written. A Russian name has an ending for each case; ``lemmas`` undoes them, so that a
list needs one form.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from textveil.detection.cyrillic_forms import (
    CAPITAL,
    LETTER,
    NAME,
    SMALL,
    find_addresses,
    find_ages,
    find_dates,
    find_numbers,
)
from textveil.detection.found import OTHER, Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_SHOUTED: Final = rf"{CAPITAL}{{2,20}}(?:-{CAPITAL}{{2,20}})?"
_PREFIXED: Final = "[аэу](?:ль|[дснрзтш])"
_JOINT: Final = "(?:де|ван|фон|да|дель|аль|ибн|бен|оглы|ди|ла|эль|дер|дю|дос|ас|уль|о|д’|тер)"
_WORD: Final = lazy_regex(
    rf"(?<![\w’'-])(?:{NAME}|(?:{CAPITAL}{SMALL}++){{2,}}+|{CAPITAL}\.(?:-?{CAPITAL}\.)?|{_SHOUTED}|{CAPITAL}|{_PREFIXED}-{NAME})(?![\w])"
)
_CAMEL: Final = lazy_regex(rf"{CAPITAL}{SMALL}++{CAPITAL}")
_BETWEEN: Final = lazy_regex(rf"(?:[ \u00a0]|(?<=\.))(?:{_JOINT} ){{0,2}}\Z")
_OPENS: Final = ".!?…:;•*|>\n\t"
_SKIPPED: Final = " \u00a0\"'«„“(—–-[0123456789"
_WORD_BEFORE: Final = lazy_regex(rf"({LETTER}[{SMALL[1:-1]}-]{{0,30}}\.?) [«„\"]?\Z")
_NUMERAL: Final = lazy_regex(" [IVX]{1,4}(?![A-Za-z])")
_LOWER_AFTER: Final = lazy_regex(rf" ({SMALL}+(?:-{SMALL}+)*)")

_ENDINGS: Final = {
    "а": ("", "о"), "я": ("ь", "й"), "у": ("", "а"), "ю": ("я", "ь", "й"), "ом": ("", "о"), "ем": ("ь", "й", ""),
    "ём": ("ь",), "е": ("", "а", "я", "ь", "о", "ий"), "ы": ("а", "ы"), "и": ("я", "ь", "а", "ий", "и"),
    "ой": ("а", "ая"), "ей": ("я", "а"), "ью": ("ь",), "ого": ("ый", "ий", "ое", "ой"), "его": ("ий",),
    "ому": ("ый", "ий", "ое", "ой"), "ему": ("ий",), "ым": ("ый", "ий", "", "ое"), "им": ("ий",), "ых": ("ые", ""),
    "их": ("ие",), "ую": ("ая",), "юю": ("яя",), "ах": ("ы", "и", "а"), "ях": ("и",), "ами": ("ы",), "ам": ("ы",),
    "ов": ("ы",), "ев": ("и",), "ми": ("и",),
}  # fmt: skip


@lru_cache(maxsize=1 << 14)
def lemmas(word: str) -> tuple[str, ...]:
    """Return what a word may be without the ending of its case, itself first."""
    forms = [word]
    for cut in (1, 2, 3):
        ending = word[-cut:]
        if len(word) - cut >= 2 and ending in _ENDINGS:
            forms += [word[:-cut] + end for end in _ENDINGS[ending]]
    return tuple(dict.fromkeys(forms))


def _in(word: str, section: str) -> bool:
    words = listed("ru", section)
    return any(form in words for form in lemmas(word))


@cache
def _in_cases(name: str) -> frozenset[str]:
    """Return the nouns of a list with the endings of their cases: words that end in a consonant, -а, -я, -ия, -ие, -ство or -ь."""
    forms: set[str] = set()
    for word in written("ru")[name]:
        ends: tuple[str, ...]
        stem, ends = word, ("", "а", "у", "ом", "е", "ы", "и", "ов", "ам", "ами", "ах", "ем")
        if word[-2:] in ("ия", "ие"):
            stem, ends = word[:-1], ("я", "и", "ю", "ей", "е", "й", "ем", "ям", "ях")
        elif word[-1] == "е":
            stem, ends = word[:-1], ("е", "я", "ю", "ем", "ей", "ям", "ях")
        elif word[-1] in "аяо":
            stem, ends = word[:-1], ("а", "ы", "и", "е", "у", "ой", "ей", "", "о", "ом", "ам", "ах", "я", "ю")
        elif word[-1] in "ьй":
            stem, ends = word[:-1], ("ь", "и", "ью", "я", "ю", "ем", "е", "ей", "й", "ям", "ях")
        elif word[-1] in "ыи":
            stem, ends = word[:-1], ("ы", "и", "ов", "ам", "ах", "ами", "")
        forms |= {stem + end for end in ends}
    return frozenset(forms)


_COUNTRY_LETTERS: Final = frozenset(written("ru")["country letters"])
_LETTERS_OF_GROUPS: Final = frozenset(written("ru")["letters of groups"])
_FUNCTION: Final = frozenset(written("ru")["function"])
_EPONYM_OF: Final = frozenset(written("ru")["eponym of"])
_LOOSE: Final = frozenset(written("ru")["given names too"])
"""Given names that are words: alone at a sentence's start they name nobody."""
_PLACES_TOO: Final = frozenset(written("ru")["places too"])
_PATRONYMIC: Final = lazy_regex(
    r"[А-ЯЁ][а-яё]{2,}(?:(?:ов|ев|ь)ич(?:а|у|ем|ом|е)?|(?:ов|ев|ич)н(?:а|ы|е|у|ой|ою)|инична|иничны|иничне)\Z"
)
_SURNAME: Final = lazy_regex(
    r"[А-ЯЁ][а-яё-]*(?:(?:[оеё]в|ын|[бвгджзклмнпрстфхцчшщ]ин)(?:а|у|ым|ой|е|ых|ы|ыми)?|[цс]к(?:ий|ая|ого|ому|им|ой|ую|ом)|"
    r"(?:[ея]нко|чук|щук|швили|дзе|ян(?:а|у|ом|е)?|улин(?:а|у)?|евич|ович|ых|их|ко|оглы|заде|юк(?:а|у|ом)?|ак|як|берг|штейн|ман|ер))\Z"
)
_OF_FAMILY: Final = lazy_regex(
    r"[А-ЯЁ][а-яё-]*(?:[оеё]в|ин|ын|ова|ева|ёва|ина|ына|[цс]кий|[цс]кая|[ея]нко|чук|дзе|швили|ян)\Z"
)
_PLACELIKE: Final = lazy_regex(
    r"[А-ЯЁ][а-яё-]*(?:ск(?:а|у|ом|е)?|град(?:а|у|ом|е)?|бург(?:а|у|ом|е)?|вил(?:ль|ля|ле)|ополь|ополя|ополе|стан(?:а|у|ом|е)?|"
    r"хай|шир(?:а|е)?|ландия|ландии|ово|ево|ино|лэнд|таун|порт|форд|хольм|дорф)\Z"
)
_ADJECTIVE: Final = lazy_regex(
    r".{0,40}(?:ая|ый|ий|ое|ой|ого|ому|ом|ую|ые|ых|ыми|ым|им|их|ей|ее|ие|его|ему|ей|нее|яя|ском)\Z"
)
_VERB: Final = lazy_regex(r".{0,40}(?:л|ла|ло|ли|лся|лась|ет|ёт|ит|ует|ют|ут|ся|чь|ть|и|в|на|был)\Z")
_MEDICINE: Final = lazy_regex(
    r".{2,20}(?:статин|сартан|[оа]лол|дипин|мицин|циллин|азол|формин|парин|зепам|тидин|прил)(?:а|у|ом|е)?\Z"
)
_SKY: Final = lazy_regex(r".{0,40}[цс]к(?:ий|ая|ого|ому|им|ой|ую|ом|ие|их|ими)\Z")
_PLACED_BY: Final = frozenset("""в во из под близ около вблизи через""".split())
_SPEAKS: Final = lazy_regex(
    r",? (?:сказал|сообщил|пишет|писал|родил|работа|поступил|жалуется|живёт|живет|проживает|женился|умер|"
    r"окончил|ответил|позвонил|пришёл|пришел|пришла|просит|считает|играл|вернул|жил|отметил|заяв|"
    r"согласил|сыграл|написал|решил|начал|уехал|подписал|принима|отправил)"
)


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def _runs(text: str) -> Iterator[list[_Word]]:
    run: list[_Word] = []
    for match in matches(_WORD, text):
        word = _Word(*match.span(), match[0])
        apart = run and (_CAMEL.match(word.text) or _CAMEL.match(run[-1].text))
        if run and (
            apart or not (word.start - run[-1].end <= 12 and _BETWEEN.fullmatch(text, run[-1].end, word.start))
        ):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _opens(text: str, start: int) -> bool:
    at = start - 1
    while at >= 0 and text[at] in _SKIPPED:
        at -= 1
    return at < 0 or text[at] in _OPENS


def _is_frequent(word: str) -> bool:
    low = word.lower()
    return low in _FUNCTION or low in listed("ru", "frequent") or low.replace("ё", "е") in listed("ru", "frequent")


def _is_ordinary(word: str) -> bool:
    low = word.lower()
    return _is_frequent(word) or low in listed("ru", "ordinary") or low.replace("ё", "е") in listed("ru", "ordinary")


def find_names(text: str) -> Iterator[Found]:
    """Yield persons, places and organizations by capitals, lists, endings and the words beside them."""
    yield from _in_small(text)
    for run in _runs(text):
        labelled = _LABEL.search(text, max(0, run[0].start - 40), run[0].start) is not None
        opens = not labelled and _opens(text, run[0].start)
        alone = len(run) == 1 and run[0].text in listed("ru", "family") and _ENDS.match(text, run[0].end) is not None
        words = run[1:] if opens and not alone and _is_dropped(run) else run
        while words and (
            (words[-1].text.lower() in _FUNCTION and not _ends_name(words))
            or (len(words) > 1 and _is_letters(words[-1].text))
        ):
            words = words[:-1]
        while words and (words[0].text.lower() in _FUNCTION or (len(words) > 1 and _is_sort(words[0].text))):
            words = words[1:]
        if words:
            yield from _judged(text, words, opens and words[0] is run[0])


_ENDS: Final = lazy_regex(r"[ \t]{0,8}(?:[,;:|)*/\n\t]|\Z|[0-9])")


def _is_dropped(run: list[_Word]) -> bool:
    """Return whether the capitalized word at a sentence's start is an ordinary one."""
    word, alone = run[0].text, len(run) == 1
    if len(word) == 1 or word.lower() in _FUNCTION:
        return True
    if word.isupper() or "." in word or (alone and _is_sure_place(word)):
        return False
    if alone or run[1].text.isupper() or "." in run[1].text:
        return _is_ordinary(word) and not (alone and word in listed("ru", "given") and word.lower() not in _LOOSE)
    if word.lower() in _in_cases("roles"):
        return True
    if _in(word, "given") or word.lower() in _in_cases("heads"):
        return False
    called = _in(run[1].text, "given")
    if called and _in(word, "family"):
        return False
    if called and (_is_ordinary(word) or not _OF_FAMILY.match(word)):
        return True
    return _is_frequent(word) or (_is_ordinary(word) and (_ADJECTIVE.match(word) is None or called))


def _is_sure_place(word: str) -> bool:
    """Return whether a word is a listed place, and neither a name nor a word that sentences begin with."""
    named = word.lower() in _PLACES_TOO or _in(word, "given") or _in(word, "family")
    return word in listed("ru", "place") and not named


def _ends_name(words: list[_Word]) -> bool:
    """Return whether a function word with a capital ends a name: Бренда Ли, Сюй И, Зубов А."""
    first, last = words[0].text, words[-1].text
    if len(words) < 2 or words[-2].text.isupper():
        return False
    return (len(words) == 2 and _in(first, "given")) or len(last) == 1 or _in(last, "given")


def _is_letters(word: str) -> bool:
    return len(word) > 1 and word.isupper() and "." not in word


def _is_sort(word: str) -> bool:
    """Return whether letters are an ordinary word and no group: ВВП Казахстана, but МВД России."""
    return _is_letters(word) and _is_ordinary(word) and word not in _COUNTRY_LETTERS | _LETTERS_OF_GROUPS


def _before(text: str, start: int) -> str:
    match = _WORD_BEFORE.search(text, max(0, start - 28), start)
    return match[1].lower() if match else ""


def _after(text: str, end: int) -> str:
    match = _LOWER_AFTER.match(text, end)
    return match[1] if match else ""


def _judged(text: str, words: list[_Word], opens: bool) -> Iterator[Found]:
    first, last = words[0], words[-1]
    if numeral := _NUMERAL.match(text, last.end):
        last = last._replace(end=numeral.end())
    if len(words) == 1 and (_is_letters(first.text) or _CAMEL.match(first.text)):
        yield from _of_letters(text, first)
        return
    if all(len(word.text) == 1 for word in words):
        return
    if text[first.start - 1 : first.start] in ("«", "„") and not _in(first.text, "given"):
        return  # what stands in quotation marks has its own search
    before, after = _before(text, first.start), _after(text, last.end)
    if len(words) == 1 and (
        before in _EPONYM_OF or (opens and first.text.lower() in _LOOSE and not _SPEAKS.match(text, last.end))
    ):
        return
    named = [word for word in words if "." not in word.text]
    low = first.text.lower()
    if not named or _PUBLIC.match(text, first.start) or _is_office(text, words):
        return
    if (
        len(words) == 1
        and before not in _in_cases("roles")
        and (low in _in_cases("brands") or (low.startswith("лад") and before in _ON_BRAND))
    ):
        return
    if len(words) == 1 and _MEDICINE.match(low) and not _in(first.text, "given"):
        return
    if low in _LOOSE and len(words) == 1 and after in ("в", "на") and not _SPEAKS.match(text, last.end):
        return  # вера в людей
    if span := _institution(text, words, opens=opens):
        yield span
        return
    if any(_PATRONYMIC.match(word.text) for word in named) or len(named) < len(words):
        yield Found(first.start, last.end, "person", 0.8, "list")
        return
    if _ADJECTIVE.match(last.text):
        if span := _with_noun(text, words, opens=opens):
            yield span
            return
        of_place = len(words) == 1 and after and not _VERB.match(after) and _SKY.match(last.text)
        if of_place and (opens or not _in(last.text, "place")):
            return
    yield from _by_neighbors(text, words, named, before, opens=opens)


def _is_office(text: str, words: list[_Word]) -> bool:
    """Tell whether only ordinary words are in the name of an office or a board: Следственный комитет."""
    offices = _in_cases("no body")
    named = _ADJECTIVE.match(words[-1].text) and _end_of_noun(text, words[-1].end, offices)
    named = named or any(word.text.lower() in offices for word in words)
    return bool(named) and all(_is_ordinary(word.text) or word.text.lower() in offices for word in words)


def _institution(text: str, words: list[_Word], *, opens: bool) -> Found | None:
    """Return an institution of several capitalized words, with the genitives behind it."""
    alone = len(words) == 1 and opens
    if alone or not any(word.text.lower() in _in_cases("heads") for word in words):
        return None
    return Found(words[0].start, _with_genitives(text, words[-1].end), "organization", 0.6, "institution")


def _with_noun(text: str, words: list[_Word], *, opens: bool) -> Found | None:
    """Return an adjective with the noun behind it: Тверской области, Виленскому университету."""
    first, last = words[0], words[-1]
    if end := _end_of_noun(text, last.end, _in_cases("behind places")):
        return Found(first.start, end, "place", 0.8, "cue")
    ordinary = _is_ordinary(last.text)
    shown = not opens and (not ordinary or _SKY.match(last.text))
    houses = _houses() if shown else _in_cases("heads")
    if (end := _end_of_noun(text, last.end, houses)) and not (opens and ordinary):
        return Found(first.start, _with_genitives(text, end), "organization", 0.6, "institution")
    return None


@cache
def _houses() -> frozenset[str]:
    return _in_cases("heads") | _in_cases("organization nouns")


_OF_ADJECTIVES: Final = (*"ая ый ий ое ой ого ому ом ую ые ых ым им ыми ей".split(),)


def _end_of_noun(text: str, end: int, nouns: frozenset[str]) -> int:
    """Return the end of one of these nouns behind an adjective, with up to two more adjectives between; 0 for none."""
    for _ in range(3):
        match = _LOWER_AFTER.match(text, end)
        if match is None:
            break
        end = match.end()
        if match[1] in nouns:
            return end
        if not match[1].endswith(_OF_ADJECTIVES):
            break
    return 0


_LABEL: Final = lazy_regex(
    r"(?i)(?:понят[а-я]{2,4}|свидетел[а-я]{1,3}|пациент[а-я]{0,3}|ф\.?и\.?о\.?|клиент[а-я]{0,3}|получател[а-я]{1,2}|отправител[а-я]{1,2}|кому|от|плательщик|покупател[а-я]|арендатор|арендодатель|ответственн[а-я]{2,3}|исполнитель|подпись|автор|админ[а-я]{0,10}|"
    r"потерпевш[а-я]{2,3}|подозреваем[а-я]{2,3}|заявител[а-я]{1,2}|следователь|нотариус|руководитель|бухгалтер|директор|копия|контактн[а-я]{2,3} лиц[ао]|заказчик|курьер|водитель|медсестра|невролог|терапевт|хирург|кардиолог|лечащий врач|врач|зав\.? ?отделением)"
    r"(?: ?\([^()\n]{0,12}\))? ?[:/] ?[_ ]{0,8}\Z"
)
_ON_BRAND: Final = frozenset("""на ладе ладу лады своей свою белой серой чёрной красной новой старой""".split())
_PUBLIC: Final = lazy_regex(
    r"(?:Пенсионн|Социальн|Федеральн|Налогов|Таможенн|Пограничн|Красн)[а-яё]{2,4} (?:фонд|служб|инспекц|кресто?)[а-яё]{0,3}(?![а-яё])"
)
"""Bodies of the state: they name nobody."""


def _by_neighbors(text: str, words: list[_Word], named: list[_Word], before: str, *, opens: bool) -> Iterator[Found]:
    first, last = words[0], words[-1]
    if before.startswith("сборн") and _in(first.text, "place"):
        yield Found(first.start - 1 - len(before), last.end, "organization", 0.6, "cue")
        return
    if before in _in_cases("place nouns") and not _in(first.text, "given"):
        yield Found(first.start, last.end, "place", 0.8, "cue")
        return
    if (
        before in _in_cases("roles")
        or text[first.start - 1 : first.start] == "@"
        or (_LABEL.search(text, max(0, first.start - 40), first.start) and not _is_frequent(first.text))
    ):
        yield Found(first.start, last.end, "person", 0.8, "title")
        return
    given = _in(first.text, "given") or (len(named) > 1 and _in(last.text, "given"))
    if len(named) > 1 and not (given and not _in(" ".join(w.text for w in named), "place")):
        yield from _several(text, named, opens)
        return
    if given:
        placed = len(named) == 1 and _in(first.text, "place") and before in _PLACED_BY
        yield Found(first.start, last.end, "place" if placed else "person", 0.8, "list")
        return
    yield from _single(text, first, before, opens)


_DOSE: Final = lazy_regex(r"(?:мг|мкг|мл|ед|таб)\.?[,;] \Z")
_FIRM_NAME: Final = lazy_regex(
    r"(?:[А-ЯЁ][а-яё]{2,12}(?:банк|телеком|нефть|пром|строй|транс|авиа|софт|холдинг|групп|маркет|фарм)|Газпром|Роснефть|Яндекс|Аэрофлот|Лукойл|Мегафон|Билайн|Магнит|"
    r"Пятёрочка|Озон|Авито|Вайлдберриз|Тинькофф|Росатом|Роскосмос|Роснано|Ростех|Норникель)(?:а|у|ом|е|и|ью)?\Z"
)


def _several(text: str, words: list[_Word], opens: bool) -> Iterator[Found]:
    first, last = words[0], words[-1]
    start, end = first.start, last.end
    whole = text[start:end]
    if _in(whole, "place") or all(_in(word.text, "place") for word in words):
        yield Found(start, end, "place", 0.7, "list")
        return
    if _in(last.text, "place") and (_ADJECTIVE.match(first.text) or before_place(text, start)):
        yield Found(start, end, "place", 0.6, "list")
        return
    if before_place(text, start) and not _SURNAME.match(last.text):
        yield Found(start, end, "place", 0.5, "cue")
        return
    person = _SURNAME.match(last.text) or _in(last.text, "given") or _in(last.text, "family")
    told = _before(text, start) in _in_cases("organization nouns") and last.text[-1] not in "ая"
    if (
        len(words) > _MOST_OF_PERSON
        or (not person and (told or (_in(first.text, "place") and not _in(first.text, "family"))))
        or (not opens and _is_frequent(last.text) and _is_no_person(first.text))
    ):
        yield Found(start, end, "organization", 0.5, "guess")
        return
    yield Found(start, end, "person", 0.5 if opens else 0.6, "guess" if opens else "list")


_MOST_OF_PERSON: Final = 3


def _is_no_person(word: str) -> bool:
    """Return whether a word begins no person: a frequent one, or a place."""
    return _is_frequent(word) or (_in(word, "place") and not _in(word, "family"))


def before_place(text: str, start: int) -> bool:
    """Return whether a word such as "in" stands before a name."""
    return _before(text, start) in _PLACED_BY


def _single(text: str, word: _Word, before: str, opens: bool) -> Iterator[Found]:
    start, end = word.start, word.end
    if _FIRM_NAME.match(word.text) or before in _in_cases("organization nouns"):
        yield Found(start, end, "organization", 0.7, "list")
        return
    place = _in(word.text, "place")
    family = _in(word.text, "family")
    if place and not (family and before not in _PLACED_BY):
        yield Found(start, end, "organization" if _SCORE.match(text, end) else "place", 0.7, "list")
    elif family or (_SURNAME.match(word.text) and not _PLACELIKE.match(word.text) and before not in _PLACED_BY):
        if not opens or family or _SPEAKS.match(text, end) or not _is_ordinary(word.text):
            yield Found(start, end, "person", 0.6, "list")
    elif _PLACELIKE.match(word.text) or before in _PLACED_BY:
        if not ((opens or _opens(text, start - len(before) - 1)) and _is_ordinary(word.text)):
            yield Found(start, end, "place", 0.5, "cue")
    elif opens:
        dated = _YEARS.match(text, end) is not None and not _is_ordinary(word.text)
        if not _ADJECTIVE.match(word.text) and (dated or _SPEAKS.match(text, end) or "-" in word.text):
            yield Found(start, end, "person", 0.4, "verb")
    elif _DOSE.search(text, max(0, start - 8), start):
        return  # a medicine in a row of them
    elif _is_listed(text, word) if _is_frequent(word.text) else _is_no_adjective(text, word):
        yield Found(start, end, "person", 0.5, "guess")


def _is_listed(text: str, word: _Word) -> bool:
    """Return whether a frequent word stands between two capitalized ones in a list: Левит, Мельник и Пущин."""
    before, after = (
        _LISTED_BEFORE.search(text, max(0, word.start - 24), word.start),
        _LISTED_AFTER.match(text, word.end),
    )
    return bool(before and after) and not any(match and _is_frequent(match[1]) for match in (before, after))


def _is_no_adjective(text: str, word: _Word) -> bool:
    """Return whether a rare word is no adjective, or stands alone in parentheses."""
    alone = text[word.start - 1 : word.start] + text[word.end : word.end + 1] == "()"
    return alone or not (_is_ordinary(word.text) and _ADJECTIVE.match(word.text))


_SCORE: Final = lazy_regex(rf" \((?:{OTHER}|[0-9]{{1,2}}):")
"""What a match ended with, behind a team that has a town's name."""
_YEARS: Final = lazy_regex(rf" \([^()\n0-9{OTHER}]{{0,24}}(?:{OTHER}|[0-9]{{3,4}}(?![0-9]))")
_LISTED_BEFORE: Final = lazy_regex(rf"({CAPITAL}{SMALL}+), \Z")
_LISTED_AFTER: Final = lazy_regex(rf"(?:,| и) ({CAPITAL}{SMALL}+)")


_FROM: Final = frozenset(("из", "от"))
_MOST_OF_SORT: Final = 3
"""Letters of what an office or a firm is, at most: ООО, ОТК, НИИ."""


def _of_letters(text: str, word: _Word) -> Iterator[Found]:
    before = _before(text, word.start)
    belongs = before in _in_cases("who belongs")
    if not word.text.isupper():
        if belongs or before in _FROM or before in _in_cases("organization nouns"):
            yield Found(word.start, word.end, "organization", 0.7, "cue")  # из СтройЛюкс
    elif word.text in _COUNTRY_LETTERS:
        yield Found(word.start, word.end, "place", 0.6, "list")
    elif word.text in _LETTERS_OF_GROUPS:
        yield Found(word.start, word.end, "organization", 0.6, "list")
    elif len(word.text) > 3 and (_in(word.text.title(), "family") or _in(word.text.title(), "given")):
        yield Found(word.start, word.end, "person", 0.5, "list")
    elif _in(word.text.title(), "place") and len(word.text) > 4:
        yield Found(word.start, word.end, "place", 0.5, "list")
    elif before in _in_cases("organization nouns") or (
        belongs and len(word.text) > _MOST_OF_SORT and not _is_ordinary(word.text)
    ):
        yield Found(word.start, word.end, "organization", 0.5, "cue")


_GENITIVE: Final = lazy_regex(
    r" (?:(?:и|по|имени|им\.) )?(?:[А-ЯЁ]\. ?){0,2}[А-ЯЁа-яё][а-яё-]{2,}(?:ия|ии|ых|их|ого|его|ой|ей|ов|ев|ии|ки|ва|ры|ны|ты|та|ра|на|ла|ги|да|ка|ству|ства|ам|ям)"
    r"(?![А-Яа-яё])"
)


def _with_genitives(text: str, end: int) -> int:
    """Return the end of an institution's name with the words in the genitive behind it."""
    for _ in range(4):
        match = _GENITIVE.match(text, end)
        if match is None:
            break
        end = match.end()
    return end


_STEM: Final = lazy_regex(r"(?:ыми|ого|его|ому|ему|ами|ой|ей|ою|ым|им|ом|ем|ых|их|ий|ый|ая|ую|[аяоеуюыийь])\Z")


_SMALL_NAME: Final = lazy_regex(
    rf"(?<![\w.@/-])(?P<name>{SMALL}{{4,16}})(?: (?P<family>{SMALL}{{2,16}}(?:(?:[ое]в|ин|ский|енко|швили|уллин|тдинов|чук)(?:а|у|ым|е)?|(?P<patronymic>(?:[оеь]в?ич(?:а|у|ем|е)?|[оеи]вн(?:а|ы|е|у|ой)|[иь]ничн(?:а|ы|е|у|ой))))))?(?![\w@/-])"
)
_SMALL_PLACE: Final = lazy_regex(rf"(?<![\w.@/-])(?:из|в|во|до|около|через) (?P<name>{SMALL}{{5,20}})(?![\w@/-])")
_SMALL_FAMILY: Final = lazy_regex(r".{0,12}(?:уллин|[иу]тдинов|швили)(?:а|у|ым|е)?\Z")


def _is_given_in_small(name: str) -> bool:
    """Return whether letters are a listed given name, or one that ends in a consonant, in three of its cases."""
    stem = next((name.removesuffix(end) for end in ("ом", "а", "у") if name.endswith(end)), name)
    forms = {name, stem} if stem[-1] not in "аеёийоуыьэюя" and stem not in _LOOSE else {name}
    return any(form.capitalize() in listed("ru", "given") for form in forms)


def _in_small(text: str) -> Iterator[Found]:
    """Yield persons in small letters: listed given names that are no words, and endings that only family names have."""
    for match in matches(_SMALL_NAME, text):
        name, end = match["name"], match.end("name")
        group = next((group for group in ("name", "family") if _SMALL_FAMILY.match(match[group] or "")), "")
        if group and not _is_ordinary(match[group]) and (group == "name" or not _in(name.capitalize(), "given")):
            yield Found(*match.span(group), "person", 0.5, "list")
            continue
        told = match["family"] and not _is_frequent(match["family"]) and name not in listed("ru", "frequent")
        if (told or (not _is_ordinary(name) and name not in _LOOSE)) and _is_given_in_small(name):
            yield Found(match.start(), match.end() if told else end, "person", 0.5, "list")
    for match in matches(_SMALL_PLACE, text):
        if _in(match["name"].capitalize(), "place") and not any(map(_is_ordinary, lemmas(match["name"]))):
            yield Found(*match.span("name"), "place", 0.5, "list")


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of a name's later mentions: each part of a person's name, in every case."""
    words = re.split(r"[ \u00a0-]", name) if kind == "person" else [name]
    for word in words:
        if len(word) > 3 and "." not in word and word[0].isupper():
            stem = _STEM.sub("", word) if len(word) > 4 else word.rstrip("аяйь")
            if len(stem) > 2:
                yield rf"(?<!{LETTER}){re.escape(stem)}(?:[а-яё]{{1,3}})?(?!{LETTER})"
                if len(stem) > 3 and not _is_ordinary(word) and not _is_ordinary(stem):
                    yield rf"(?<!{LETTER}){re.escape(stem.lower())}(?:[аяеиыую]|ом|ой|ей|ем)?(?!{LETTER})"


_FORM: Final = r"(?:ООО|ОАО|ЗАО|ПАО|НАО|АО|ИП|ТОО|ГУП|МУП|ФГУП|ФГБУ|ГБУЗ|ГБУ|МБУ|МБОУ|МАОУ|НКО|АНО|ТСЖ|СНТ|ФК|ХК|БК|НПО|КБ|ТД|ГК|УК|ЧОП|ЧП|ТОВ|Общество с ограниченной ответственностью|Акционерное общество)"
_QUOTED: Final = lazy_regex(
    rf"(?:(?<!{LETTER})(?P<form>{_FORM}) ?)?(?P<open>[«„\"])(?P<name>{CAPITAL}[^«»„“”\"\n]{{1,60}})[»“”\"]"
)
_NUMBERED: Final = lazy_regex(
    rf"(?<!{LETTER})(?P<name>(?:{_FORM} )?(?:[Гг]ородск[а-яё]+ |[Рр]айонн[а-яё]+ |[Оо]бластн[а-яё]+ |[Дд]етск[а-яё]+ )?(?:[Бб]ольниц|[Пп]оликлиник|[Шш]кол|"
    r"[Лл]ице|[Гг]имнази|[Дд]етск[а-яё]+ сад|ГКБ|ГБ|МСЧ|ИК|НИИ|ОКБ|ЦКБ|СМУ|ЖЭ[КУ]|С?ПТУ|ДЮСШ)[а-яё]{0,2}(?: № ?|-)[0-9]{1,5})(?![0-9])"
)
_SOLE: Final = lazy_regex(rf"(?<!{LETTER})ИП (?P<name>{NAME}(?: {NAME}| {CAPITAL}\. ?(?:{CAPITAL}\.)?){{0,2}})")
_LATIN: Final = lazy_regex(
    rf"(?<!{LETTER})(?P<cue>{SMALL}+) [\"«]?(?P<name>[A-Z][\w&.'-]*(?: (?:[a-z]{{1,3}} ){{0,2}}[A-Z0-9&][\w&.'-]*){{0,5}})(?<=\w)(?!\w)"
)
_CLUB: Final = lazy_regex(
    rf"(?<!{LETTER})(?:{SMALL}{{1,30}}[сц]к(?:ий|ого|ому|им|ом|ое|ая|ой|ую)|за|против|в|из|у|от|с|между|матче с|клуб[а-яё]{{0,6}}) \Z"
)


_OF_A_WORK: Final = lazy_regex(
    rf"(?i)(?<!{LETTER})(?:(?:про|пере)?чита|(?:на|о)писан|напечата|опубликова|рол[ьи] |снима|сцен|цитат|геро|стих)"
)


def find_quoted(text: str) -> Iterator[Found]:
    """Yield organizations in quotation marks behind a word or a legal form that tells one, and numbered ones."""
    reached = 0
    for match in matches(_QUOTED, text):
        start = match.start("open")
        before = _before(text, start)
        if match["form"]:
            yield Found(match.start(), match.end(), "organization", 0.8, "company-end")
        elif before in _in_cases("title nouns"):
            continue
        elif before in _in_cases("organization nouns"):
            reached = match.end()
            yield Found(match.start("name"), match.end("name"), "organization", 0.8, "cue")
        elif (reached and text[reached:start] in (", ", " и ")) or (
            match["open"] == "«" and _is_house(text, match, before)
        ):
            reached = match.end()
            yield Found(match.start("name"), match.end("name"), "organization", 0.5, "cue")
    yield from _glossed(text)
    for match in matches(_LATIN, text):
        if match["cue"] in _in_cases("organization nouns"):
            yield Found(*match.span("name"), "organization", 0.7, "cue")
    for match in matches(_NUMBERED, text):
        yield Found(*match.span("name"), "organization", 0.7, "institution")
    for match in matches(_SOLE, text):
        yield Found(*match.span("name"), "person", 0.8, "company-end")


def _is_house(text: str, match: re.Match[str], before: str) -> bool:
    """Tell whether quotation marks hold a club or a firm: a place, or a word that something belongs to."""
    words, start = match["name"].split(" "), match.start("open")
    placed = any(_in(word, "place") for word in words)
    if len(words) > 1 + placed:
        return False
    if before in _in_cases("who belongs") or (placed and len(words) == 1):
        return True
    back = max(0, start - 40)
    return _CLUB.search(text, back, start) is not None and _OF_A_WORK.search(text, back, start) is None


_GLOSS: Final = lazy_regex(rf" \((?P<letters>{CAPITAL}{{2,8}})\)")
_CAPITAL_BEFORE: Final = lazy_regex(rf"(?<!{LETTER}){CAPITAL}{SMALL}{{3,20}} \Z")
_CLAUSE_WORD: Final = lazy_regex(rf"(?<!{LETTER}){LETTER}+(?:-{LETTER}+)*")
_LONGEST_GLOSSED: Final = 120


def _glossed(text: str) -> Iterator[Found]:
    """Yield institutions whose initials stand behind them: Институт северных языков (ИСЯ)."""
    for match in matches(_GLOSS, text):
        letters = match["letters"].lower()
        start, heads = match.start(), False
        for word in reversed(list(_CLAUSE_WORD.finditer(text, max(0, start - _LONGEST_GLOSSED), start))):
            low = word[0].lower()
            if low[0] == letters[-1]:
                letters, heads = letters[:-1], heads or low in _in_cases("heads")
            elif len(low) > 3:
                break
            start = word.start()
            if not letters:
                break
        if not letters and heads and text[start].isupper():
            adjective = _CAPITAL_BEFORE.search(text, max(0, start - 28), start)
            start = adjective.start() if adjective and _SKY.match(adjective[0][:-1]) else start
            yield Found(start, match.start(), "organization", 0.7, "institution")
            yield Found(*match.span("letters"), "organization", 0.7, "institution")


# fmt: off
PHASES: Final = (
    Phase("cyrillic-forms", (
        Row("cyrillic-date", find_dates, anywhere, "date", 0.9, "", "14 марта 2024 г.", "14 маршрутов"),
        Row("cyrillic-age", find_ages, anywhere, "age", 0.9, "", "пациентка, 45 лет", "за 45 лет"),
        Row("cyrillic-number", find_numbers, anywhere, "id phone", 0.9, "label", "СНИЛС 112-233-445 95", "112-233"),
        Row("cyrillic-address", find_addresses, anywhere, "place", 0.8, "street", "ул. Ленина, д. 5, кв. 12",
            "на улице 5 человек"),
        Row("cyrillic-organization", find_quoted, anywhere, "organization person", 0.8, "company-end cue institution",
            "ООО «Ромашка»", "роман «Идиот»"),
    )),
    Phase("cyrillic-names", (
        Row("cyrillic-name", find_names, anywhere, "organization person place", 0.8,
            "cue guess institution list title verb", "Вчера Иван Петров уехал", "Вчера приехал врач"),
    )),
)
"""Dates and addresses first: their words have capitals too."""
# fmt: on
