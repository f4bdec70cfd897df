"""Amounts on a public logarithmic grid; totals, taxes and prices that fit one another, and sizes that words show.

Which amounts are made of others, and which have a size, follows from released text, from formats and from which
amounts are equal, so it costs nothing. A total is the sum of what the amounts above it were drawn as, whatever it was
itself; a tax, and a price times a number, are made alike, of the percentage and the number that are released.
Proof: ``privacy/proofs/surrogates.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.detection.quantities import ABOUT, AGAIN, CODES, WORD
from textveil.errors import need
from textveil.registry.options import POSITIVE, Option, interval, named
from textveil.surrogates.drawn import AS_READ, UNREAD, Draw, Drawn, Together, agreed, proved
from textveil.surrogates.making import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.quantities import NUMBERS, check_width, width_option, window
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import A_SPAN, SAME_KIND, Mention
from textveil.surrogates.writing import in_case_of
from textveil.text.patterns import lazy_regex

_CURRENCY: Final = rf"(?:US|CA|AU|NZ|HK)?\$|[€£¥₹₽₩₪₺₫₴₦฿]|{CODES}|Rs\.?|kr\.?|zł"
_WORDS: Final = rf"(?:{WORD}|(?i:dollars?|euros?|pounds?))"
_AMOUNT: Final = lazy_regex(
    rf"(?P<sign>[-+]?)(?P<before>(?:{ABOUT})?(?:(?i:{_CURRENCY})\s?-?|))"
    r"(?:(?P<number>[0-9][0-9.,'\u00a0\u202f]*(?: [0-9]{3}(?![0-9]))*(?:(?<= [0-9]{3})[.,][0-9]{1,2})?)"
    r"(?P<many>\s?-?(?i:k|m|mln|bln|bn|b|hundred|thousand"
    r"|million|billion|trillion)(?![A-Za-z])|)"
    r"|(?P<spoken>(?i:an?|[a-z]+)(?:[ -][A-Za-z]+){0,34}?(?=[ -])))"
    rf"(?P<after>[\s-]?(?:{_WORDS}|(?i:{_CURRENCY})|%|(?i:percent))|)(?P<again>(?: (?:{CODES}))?{AGAIN})"
)
# Units with a plural.
_COUNTED: Final = lazy_regex(
    r"(?<![A-Za-z])(dollar|cent|euro|pound|franc|rupee|peso|buck|rouble|ruble|lira|dinar|dirham|forint|shekel"
    r"|shilling|zloty|guilder)s?"
    r"(?![a-z])",
    re.IGNORECASE,
)
_AMOUNT_NUMBERS: Final = NUMBERS | {"a": 1, "an": 1, "and": 0}
_MANY: Final = {"hundred": 2, "k": 3, "t": 3, "m": 6, "b": 9, "trillion": 12}
_LONGEST: Final = 120
_MOST_CELLS: Final = 100_000
_LOW = Option(domain=POSITIVE, help="The smallest amount; smaller ones and zero count as it.", metavar="X")
_HIGH = Option(domain=POSITIVE, help="The largest amount; larger ones count as it.", metavar="X")
_SCALE = Option(
    domain=interval("between 0.001 and 10", 0.001, 10),
    help="Relative width of a cell: 0.1 makes cells of 10 %; amounts of one cell are not told apart.",
    metavar="S",
)
_AMOUNT_WIDTH = width_option("cells", "CELLS")
_DECIMAL = Option(
    domain=named(".", ","),
    help="The mark before decimals, where neither the amount nor the language of its text shows it.",
    metavar="MARK",
)
_CENTS: Final = lazy_regex(r"[.,][0-9]{2}\Z")
_WITH_COMMA: Final = MappingProxyType(
    dict.fromkeys(("de", "es", "it", "nl", "pt", "tr", "id", "ro", "hr", "da"), ".")
    | dict.fromkeys(("fr", "pl", "ru", "uk", "cs", "sk", "sv", "no", "fi", "hu", "bg"), " ")
)
"""Languages that write a comma before decimals, with the mark that parts their thousands."""

_WITHOUT_PLURAL: Final = frozenset(("de", "it", "nl", "pl", "tr"))
"""Languages in which units of money are written alike behind any number."""


@declared(summary="An amount of about the true size, or any.", kinds=("money", "number"), proof=SURROGATES)
def amount(
    *,
    epsilon: OptionalEpsilon = 0.0,
    low: Annotated[float, _LOW] = 1.0,
    high: Annotated[float, _HIGH] = 1_000_000.0,
    scale: Annotated[float, _SCALE] = 0.1,
    width: Annotated[int, _AMOUNT_WIDTH] | None = None,
    decimal: Annotated[str, _DECIMAL] = ".",
) -> Drawn:
    """Amounts by a staircase on the cells low * (1 + scale)^i up to high, and a uniform point of the drawn cell.

    Pure DP for any two amounts, however far apart: how many digits there are is drawn too. The currency, the sign and
    whether decimals are written, behind which mark, stay; dollars are in the plural where the drawn number and the
    language ask for it; words such as million are read and written out. What cannot be read gets a uniform cell.

    At epsilon 0 a total behind a word for it is the sum of what the amounts above it became, a tax is its percentage,
    what stands behind a price is as many times the price as is released, and released words such as rent or salary
    choose a range of their own: all are functions of released text.

    ``width`` is that of the staircase, where ``epsilon`` is above 0. Thousands are parted as the language of the
    released text does; else by a comma, or by a full stop where a comma stands before decimals.
    """
    need(low * (1 + scale) < high < math.inf, "high", high, "finite and at least two cells above low")
    lowest = math.log(low)
    reach = math.log(high) - lowest
    cells = math.ceil(reach / math.log1p(scale) - 1e-9)
    need(cells <= _MOST_CELLS, "scale", scale, f"large enough for at most {_MOST_CELLS:,d} cells between low and high")
    check_width(width, epsilon, cells, f"at most the {cells} cells")
    grid = window(size=cells, epsilon=epsilon, width=width)
    label = f"amount {epsilon!r} {low!r} {high!r} {scale!r} {width}"

    def drawn(cell: int | None, rng: np.random.Generator) -> str:
        place = int(rng.integers(cells)) if cell is None else grid.draw(cell, rng)
        exponent = min((place + rng.random()) * math.log1p(scale), reach)
        return repr(math.exp(lowest + exponent))  # low * exp(exponent) may be beyond all floats

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        language = mentions[0].page.language if mentions else ""
        own = [written_as(mention.value) if epsilon == 0 else None for mention in mentions]
        plan = plan_of(mentions, own)

        def number_of(value: str, cell: int | None, scope: Scope, rng: np.random.Generator) -> float:
            return float(agreed(scope, label, value, rng, lambda source: drawn(cell, source)))

        def first(values: Sequence[str], scope: Scope, rng: np.random.Generator) -> None:
            if len(values) == len(mentions):  # else in a scope of one mention, where no others are asked
                add_up(
                    plan,
                    scope.remembered(label),
                    lambda part: _shown_number(number_of(part.key, None, scope, rng), part.cents),
                    rng,
                )

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            match, read = read_in(value)
            cents = None if match is None else _CENTS.search(match["number"] or "")
            mark = cents[0][0] if cents else "," if language in _WITH_COMMA else "." if language == "en" else decimal
            if match is None or read is None:
                return _number(number_of(key(value), None, scope, rng), False, mark, language)
            cell = 0 if read <= low else int(min((math.log(read) - lowest) / math.log1p(scale), cells - 1))
            shown = _number(number_of(key(value), cell, scope, rng), cents is not None, mark, language)
            return match["sign"] + match["before"] + shown + _counted(match["after"] + match["again"], shown, language)

        return Together(surrogate_of, first) if plan.made or plan.sizes else surrogate_of

    def written_as(value: str) -> Written | None:
        match, read = read_in(value)
        if match is None or read is None:
            return None
        is_negative = "-" in (match["sign"], match["before"][-1:])
        currency = _COUNTED.sub(r"\1", match["before"] + match["after"]).strip(" -").lower()
        has_cents = _CENTS.search(match["number"] or "") is not None
        return Written(repr(read), is_negative, has_cents, currency, match["again"])

    def read_in(value: str) -> tuple[re.Match[str] | None, float | None]:
        match = _AMOUNT.fullmatch(value) if len(value) <= _LONGEST else None
        return match, None if match is None else _read_amount(match, decimal)

    def key(value: str) -> str:
        read = read_in(value)[1]
        return UNREAD + value if read is None else repr(read)

    given = {} if width is None else {"width": width}
    return Drawn(
        name="amount",
        parameters={"epsilon": epsilon, "low": low, "high": high, "scale": scale, "decimal": decimal, **given},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: currency or unit, sign, whether two decimals are written, behind which mark, and whether it "
            "can be read as an amount",
        ),
        equality=AS_READ,
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
        read=key,
    )


def _counted(unit: str, number: str, language: str) -> str:
    if language in _WITHOUT_PLURAL:
        return unit
    return _COUNTED.sub(lambda match: match[1] + ("" if number == "1" else in_case_of(match[1], "s")), unit)


def _spoken(words: str) -> float | None:
    """Return the number that some words are; None if one of them is no number."""
    total = part = 0
    for word in re.split("[ -]", words.lower()):
        if word in ("thousand", "million", "billion", "trillion"):
            total, part = total + max(part, 1) * 10 ** _MANY.get(word, _MANY[word[0]]), 0
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _AMOUNT_NUMBERS:
            part += _AMOUNT_NUMBERS[word]
        else:
            return None
    return float(total + part)


def _read_amount(match: re.Match[str], decimal: str) -> float | None:
    """Return the amount that was read; None if the number is not well written."""
    if match["spoken"]:
        return _spoken(match["spoken"])
    number = re.sub(r"['\u00a0\u202f ]", "", match["number"])
    marks = [place for place, character in enumerate(number) if character in ".,"]
    fraction = ""
    if marks:
        last = marks[-1]
        alone = number.count(number[last]) == 1 and len(number) - last - 1 != 3
        if alone or (number.count(number[last]) == 1 and number[last] == decimal):
            number, fraction = number[:last], number[last + 1 :]
    digits = re.sub("[.,]", "", number)
    word = match["many"].strip(" -").lower()
    power = _MANY.get(word, _MANY.get(word[:1], 0))
    return float(f"{digits or '0'}.{fraction or '0'}e{power}")


def _shown_number(value: float, decimals: bool) -> float:
    return round(value, 2) if decimals else max(1, round(value)) if value >= 0.5 else value


def _number(value: float, decimals: bool, mark: str, language: str) -> str:
    shown = f"{value:,.2f}" if decimals else f"{_shown_number(value, decimals):,}"
    return shown if mark == "." else shown.translate({ord(","): _WITH_COMMA.get(language, "."), ord("."): ","})


class Written(NamedTuple):
    """An amount as it is written, without its number."""

    key: str  # by which amounts are equal
    is_negative: bool
    cents: bool
    currency: str
    for_each: str  # "per month", behind it


class Part(NamedTuple):
    """An amount that another one is made of."""

    key: str
    sign: int
    cents: bool


class Made(NamedTuple):
    """What an amount is made of: a total of its parts, a percentage of their sum, a number of times one of them."""

    parts: tuple[Part, ...]  # such amounts among them stand before it
    factor: float = 1.0
    least: float = 1.0  # below it, it is drawn as others are


class Plan(NamedTuple):
    """What released text shows of the amounts of a text, by their keys."""

    sizes: Mapping[str, tuple[float, float]]  # the least and the largest amount
    made: Mapping[str, Made]


_SHOWN: Final = 48  # characters before an amount that are looked at; as many mean that there may be more
_MOST: Final = 80
_TOTAL: Final = lazy_regex(
    r"(?i)(?P<line>\A|\n)[\s|>*#_-]{0,8}(?:(?:grand|invoice|order|overall|montant|importo|importe|suma) )?"
    r"(?:(?P<sub>sub-?total|total (?:net|ht|hors taxes?|excl\.?|before (?:tax|vat))|net(?:to)?(?: total|betrag|summe)?"
    r"|zwischensumme|sous-total|subtotale|subtotaal|imponibile|base imponible|taxable amount|suma netto|ara toplam)"
    r"|total|totale?s?|sum(?:me)?|gesamt(?:betrag|summe|preis)?|rechnungsbetrag|endbetrag|brutto(?:betrag)?"
    r"|totaal|te betalen|razem|suma|do zap\u0142aty|(?:genel )?toplam|\u0438\u0442\u043e\u0433\u043e|"
    r"amount due|balance due)(?![^\W_])[^\n]{0,40}\Z"
)
_BLANK: Final = lazy_regex(r"\n[ \t|]*\n")
_SENTENCE: Final = lazy_regex(r"\n|[.!?;]\s+(?=[A-Z\xc0-\xde])")
_DECIMAL_NUMBER: Final = r"(?<![\d.,])[0-9]{1,4}(?:[.,][0-9]{1,2})?(?![\d.,])"
_TIMES: Final = lazy_regex(rf"(?P<times>{_DECIMAL_NUMBER})(?![^\S\n]?%)")
TAX_WORD: Final = (
    r"(?:VAT|GST|[Ss]ales [Tt]ax|[Tt]ax|TVA|T\.V\.A\.|IVA|I\.V\.A\.|MwSt\.?|USt\.?|BTW|[Bb]tw|moms|VAT-u|KDV)"
)
_TAX: Final = lazy_regex(
    rf"(?<![^\W_])(?:{TAX_WORD} ?%{A_SPAN}?(?P<behind>{_DECIMAL_NUMBER}){A_SPAN}?"
    rf"|{TAX_WORD}[^\n%0-9]{{0,12}}(?P<share>{_DECIMAL_NUMBER}){A_SPAN}?\s?%"
    rf"|(?P<rate>{_DECIMAL_NUMBER}){A_SPAN}?\s?%{A_SPAN}?[^\n%0-9]{{0,12}}?(?<![^\W_]){TAX_WORD})(?![^\W_])?[^\n0-9%{SAME_KIND}]{{0,48}}\Z"
)
_HELD: Final = lazy_regex(r"(?i)incl|enthalten|inbegriffen|dont|comprise|inklusive|di cui|waarvan|davon|w tym")
_GAP: Final = r"(?:[^\S\n|]{2,}+|\t|\s?\|\s?)"  # between two cells of a row
_PRICED: Final = lazy_regex(
    rf"(?:(?P<times>{_DECIMAL_NUMBER})(?:[^\n0-9@]{{0,40}}?)(?:@|\xe0|(?<= )at|(?<= )je|\xd7|(?<= )[xa]|(?<= )za)"
    rf"|(?P<cell>{_DECIMAL_NUMBER}){A_SPAN}?{_GAP}"
    rf"|\A[^\S\n|]{{0,4}}\|?[^\S\n]?(?P<first>[1-9][0-9]{{0,2}}){A_SPAN}?{_GAP}"
    rf"[^\s{SAME_KIND}][^\n{SAME_KIND}]{{1,60}}{_GAP})[^\S\n]?[^\w\s]?{SAME_KIND}(?:{_GAP}| ?= ?)[^\w\s]?\Z"
    rf"|{SAME_KIND} ?[x\xd7*] ?(?P<behind>{_DECIMAL_NUMBER}){A_SPAN}? ?= ?[^\w\s]?\Z"
)
_IN_ALL: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:total(?:e|ling)?|in all|altogether|zusammen|insgesamt|gesamt|en tout|en total|in totale|totaal|"
    r"in totaal|samen|razem|\u0142\u0105cznie|no total)(?: (?:of|de|di|von|van|is|comes to))?"
    r"[ :,=]{1,3}(?:[A-Z]|[^\w\s])?\Z"
)
_IN_ALL_BEHIND: Final = lazy_regex(
    r"(?i)\A,? (?:in total|in all|altogether|all told|zusammen|insgesamt|en tout|au total|en total|in totale|in totaal|"
    r"razem|no total)(?![^\W_])"
)

_OF_CELLS: Final = {ord("|"): " ", ord(";"): " "}  # with white space, what stands between two amounts of one row

_MONTH: Final = (
    r"(?:a|per|/) ?month|monthly|pcm|rent|(?:kalt|warm)?miete|monatlich|im monat|par mois|loyer|al mes|mensual(?:es)?|"
    r"alquiler|al mese|mensili|affitto|canone|per maand|huur|por m\xeas|renda|miesi\u0119cznie|czynsz"
)
_EACH: Final = (
    r"(?:an?|per|/) ?(?:hour|hr|night|day|week|head|person|each)|each|hourly|die stunde|pro (?:stunde|nacht)|"
    r"de l'heure|par (?:heure|jour|nuit)|(?:a la|por) hora|por noche|all'ora|a notte|per (?:uur|nacht)"
)
_YEAR: Final = (
    r"(?:a|per|/) ?(?:year|annum)|p\.a|annual(?:ly)?|yearly|salary|(?:jahres)?gehalt|im jahr|j\xe4hrlich|par an|"
    r"salaire|al a\xf1o|anuales|salario|all'anno|stipendio|per jaar|salaris|por ano|rocznie"
)
_HOUSE: Final = (
    r"(?:house|flat|home|apartment|property|building|haus|wohnung|maison|appartement|casa|vivienda|piso|villa|huis|"
    r"woning|mieszkanie|dom)(?: [\w-]{1,16}){0,4} (?:for|costs?|worth|at|f\xfcr|pour|por|per|voor|za)|"
    r"purchase price|mortgage(?: of)?|kaufpreis|hypothek"
)
_SIZES: Final = tuple(
    (lazy_regex(rf"(?i)(?<![^\W_])(?:{words})(?![^\W_])"), size)
    for words, size in (
        (_MONTH, (200.0, 4_000.0)),
        (_EACH, (8.0, 400.0)),
        (_YEAR, (18_000.0, 120_000.0)),
        (_HOUSE, (80_000.0, 900_000.0)),
    )
)
_WITH_CENTS: Final = (2.0, 2_000.0)
"""The range of amounts with cents, which nobody writes of large ones."""
_CURRENCIES: Final = frozenset(
    ("", "\xa3", "$", "\u20ac", "us$", "eur", "gbp", "usd", "chf", "euro", "euros", "pounds", "dollars")
)
_CLAUSE: Final = lazy_regex(r"[\n;!?]|\. ")
_NEAR: Final = 30  # characters around an amount whose words tell its size


def plan_of(mentions: Sequence[Mention], written: Sequence[Written | None]) -> Plan:
    """Return which amounts are made of others, and which have a size that released words show."""
    near = [
        mention._replace(before=mention.before.replace(SAME_KIND, A_SPAN).rpartition(A_SPAN)[2]) for mention in mentions
    ]
    return Plan(_sizes_of(near, written), _made_of(mentions, near, written))


def _sizes_of(mentions: Sequence[Mention], written: Sequence[Written | None]) -> dict[str, tuple[float, float]]:
    """Return, by key, the least and the largest amount that released words beside the first mention show, if any."""
    sizes: dict[str, tuple[float, float]] = {}
    for mention, own in zip(mentions, written, strict=True):
        if own is None or own.currency not in _CURRENCIES:
            continue
        before, after = _CLAUSE.split(mention.before[-_NEAR:])[-1], _CLAUSE.split(mention.after[:_NEAR])[0]
        around = f"{mention.head} {before} {own.for_each} {after}"
        usual = _WITH_CENTS if own.cents and mention.before + mention.after else None
        size = next((size for words, size in _SIZES if words.search(around)), usual)
        if size is not None:
            sizes.setdefault(own.key, size)
    return sizes


def add_up(plan: Plan, known: dict[str, str], number_of: Callable[[Part], float], rng: np.random.Generator) -> None:
    """Note what amounts with a size are drawn as, and then what others are made of them, where it is not too small."""
    for key, (least, largest) in plan.sizes.items():
        if key not in known and key not in plan.made:
            known[key] = repr(least * float((largest / least) ** rng.random()))  # its logarithm is uniform
    for key, (parts, factor, least) in plan.made.items():
        if key not in known:
            made = factor * math.fsum(part.sign * number_of(part) for part in parts)
            if made >= least:
                known[key] = repr(made)


class _Reading:
    """Reads amounts in order; notes which are totals, and which are a tax that another one holds already."""

    def __init__(self, mentions: Sequence[Mention], near: Sequence[Mention], written: Sequence[Written | None]) -> None:
        self.mentions, self.near, self.written = mentions, near, written
        self.ends = [_ends_line(mention, behind) for mention, behind in zip(near, [*near[1:], None], strict=True)]
        self.kinds: dict[int, bool] = {}  # whether a total is one of a part of a sum, by its place
        self.held: set[int] = set()

    def made(self, place: int, own: Written) -> Made | None:
        mention = self.near[place]
        clause = _SENTENCE.split(self.mentions[place].before)[-1]
        line = self.mentions[place].before.rpartition("\n")[2]
        percent = _percent_in(line, mention.after)
        word = _TOTAL.search(mention.before) if len(self.near) > 2 else None
        if word is not None and (word["line"] or len(mention.before) < _SHOWN) and not percent:
            if not self.ends[place] and not mention.after.translate(_OF_CELLS).strip():
                return None
            self.kinds[place] = word["sub"] is not None
            return _sum(self._rows(place, own))
        if percent is not None:
            is_held, share = percent
            self.held |= {place} if is_held else set()
            parts = self._beside(place, own, min(clause.count(SAME_KIND), 1)) or self._rows(place, own)
            return Made(parts, share / (100 + share) if is_held else share / 100)
        if place and (price := _PRICED.search(line)) is not None:
            return Made(self._beside(place, own, 1), _number_in(next(filter(None, price.groups()))))
        if _IN_ALL.search(mention.before) or _IN_ALL_BEHIND.match(mention.after):
            count, times = clause.count(SAME_KIND), _TIMES.findall(clause)
            if count == 1 and len(times) == 1:
                return Made(self._beside(place, own, 1), _number_in(times[0]))
            return _sum(self._beside(place, own, count))
        return None

    def _beside(self, place: int, own: Written, count: int) -> tuple[Part, ...]:
        """Return the amounts before one in its sentence; none if one of them is of another kind."""
        rows = [row for row in self.written[max(place - count, 0) : place] if row is not None]
        if len(rows) < count or any(row.currency != own.currency for row in rows):
            return ()
        return tuple(Part(row.key, -1 if row.is_negative else 1, row.cents) for row in rows)

    def _rows(self, place: int, own: Written) -> tuple[Part, ...]:
        """Return the last amount of every line before one, back to a total before."""
        parts: list[Part] = []
        is_apart = _is_apart(self.near, place)
        for other in range(place - 1, max(place - _MOST, 0) - 1, -1):
            if other in self.kinds and is_apart and not self.kinds[other]:
                break
            row = self.written[other]
            if self.ends[other] and row is not None and row.currency == own.currency and other not in self.held:
                parts.append(Part(row.key, -1 if row.is_negative else 1, row.cents))
            if other in self.kinds:
                break
            is_apart = is_apart or _is_apart(self.near, other)
        return tuple(parts)


def _made_of(
    mentions: Sequence[Mention], near: Sequence[Mention], written: Sequence[Written | None]
) -> dict[str, Made]:
    """Return which amounts are made of amounts before them, by how they stand in lines and by released words.

    A total stands behind a word for one that begins its line. It adds up the last amount of every line before it, back
    to a total before. "In total" adds up the amounts of a sentence. A tax is its percentage of the amount before it, or
    of such lines. What stands behind a price, "3 x" or "3 hours at", is as many times the price. An amount that equals
    one of its parts is none.
    """
    reading = _Reading(mentions, near, written)
    made: dict[str, Made] = {}
    used: set[str] = set()
    for place, own in enumerate(written):
        one = reading.made(place, own) if own is not None else None
        if own is None or one is None:
            continue
        keys = {part.key for part in one.parts}
        fits = keys and own.key not in keys | used | made.keys()
        if fits and (own.cents or one.factor != 1 or not any(part.cents for part in one.parts)):
            made[own.key] = one._replace(least=0.01 if own.cents else 1.0)
            used |= keys
    return made


def _sum(parts: tuple[Part, ...]) -> Made | None:
    return Made(parts) if len(parts) > 1 else None


def _percent_in(line: str, after: str) -> tuple[bool, float] | None:
    """Return whether a tax is held by the amounts before it, and its percentage, if an amount stands behind one."""
    tax = _TAX.search(line)
    if tax is None:
        return None
    share = _number_in(tax["share"] or tax["rate"] or tax["behind"])
    return (_HELD.search(line + after[:16]) is not None, share) if 0 < share < 100 else None


def _number_in(written: str) -> float:
    return float(written.replace(",", "."))


def _ends_line(mention: Mention, behind: Mention | None) -> bool:
    """Tell whether a line ends between an amount and the next one."""
    return behind is None or "\n" in mention.after or "\n" in behind.before


def _is_apart(mentions: Sequence[Mention], place: int) -> bool:
    """Tell whether an empty line stands between an amount and the one before it."""
    return place == 0 or any(_BLANK.search(text) for text in (mentions[place].before, mentions[place - 1].after))
