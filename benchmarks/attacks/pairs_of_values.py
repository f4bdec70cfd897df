"""Values of two texts that agree in every fact that a surrogate lists as public, and differ in all others.

A ``Writer`` writes the values of one text. What is public comes from ``form``, which two writers of a pair share; all
else comes from ``own``. So nothing here reads a surrogate's code: a format and an equality are what its lists say.
"""

import calendar
from collections.abc import Callable, Mapping
from datetime import date
from random import Random
from types import MappingProxyType
from typing import Final, final

from textveil.surrogates.quantities import WORDS

LETTERS: Final = "abcdefghijklmnopqrstuvwyzäéñøżжλ"
EMOJI: Final = "\U0001f600\U0001f525\u2615\U0001f4a1\U0001f99c"
MONTHS: Final = calendar.month_name
WRITINGS: Final = tuple(
    str.maketrans({str(digit): chr(zero + digit) for digit in range(10)})
    for zero in (0x30, 0x660, 0x966, 0x2080, 0xFF10)
)
"""Digits as they are, Arabic, Devanagari, lowered and wide."""

Make = Callable[[Random], str]


@final
class Writer:
    """Writes the values of one text of a pair."""

    def __init__(self, form: int, own: int) -> None:
        self.form, self.own = Random(form), Random(own)
        self._pieces: dict[tuple[str, int], str] = {}

    def forget(self) -> None:
        """Begin a mention that shares nothing with those before it."""
        self._pieces.clear()

    def index(self) -> int:
        """Which of four pieces stands there: public."""
        return self.form.randrange(4)

    def piece(self, pieces: str, index: int, make: Make) -> str:
        """A piece of this text: the same for one index, and of another key than those of other indices."""
        if (pieces, index) not in self._pieces:
            others = {one.casefold() for (of, _), one in self._pieces.items() if of == pieces}
            while (made := make(self.own)).casefold() in others:
                pass
            self._pieces[pieces, index] = made
        return self._pieces[pieces, index]

    def cased(self, written: str) -> str:
        """In a letter case that is public: the text's own words are small."""
        return self.form.choice((str.title, str.upper))(written)

    def redigited(self, written: str) -> str:
        """With its digits in a writing that is private."""
        return written.translate(self.own.choice(WRITINGS))

    def recased(self, written: str) -> str:
        """In a letter case that is private."""
        return self.own.choice((str.lower, str.title, str.swapcase))(written)


def word(rng: Random) -> str:
    """A word that is no title and no initials, of a private length."""
    return "x" + "".join(rng.choices(LETTERS, k=rng.randint(3, 9)))


def capitals(count: int) -> Make:
    """Capitals, of which few are different, so that many share a letter."""
    return lambda rng: "".join(rng.choices("AJMÉ", k=count))


def digits(count: int) -> Make:
    """As many digits, few of them different."""
    return lambda rng: "".join(rng.choices("4567", k=count))


def _in_shape(shape: str) -> Make:
    kinds = {"9": "0189", "A": "AKÉ", "a": "akß"}
    return lambda rng: "".join(rng.choice(kinds.get(one, one)) for one in shape)


def person(to: Writer) -> str:
    """Parts and initials by index, letter case by form."""
    given, family, other = (to.piece("name", to.index(), word) for _ in range(3))
    counts = (1, 1, to.form.choice((2, 3)))
    first, second, few = (to.piece(f"{count} initials", to.index(), capitals(count)) for count in counts)
    small = to.piece("particle", to.index(), lambda rng: "".join(rng.choices("dev", k=rng.randint(2, 4))))
    forms = [f"{given} {family}", given, f"Ms. {family}", f"{given} {other} {family}", f"{family}, {given}"]
    named = to.form.choice(forms)
    given, family = given.title(), family.title()
    cut = [f"{family} {few}", f"{first}. {second}. {family}", f"{given} {small} {family}"]
    return to.form.choice([to.cased(named), *cut]) + to.form.choice(["", "", "'s"])


def place(to: Writer) -> str:
    """Towns, streets and states by index; house numbers and codes by index among those that stand at the same one."""
    at, state, number = to.index(), to.index(), to.index()
    street = to.cased(to.piece("street", at, word) + " st.")
    house = to.piece(f"house number of {at}", number, digits(2))
    code = to.piece(f"postal code of {state}", number, digits(5))
    town, usa = to.cased(to.piece("town", to.index(), word)), to.piece("state", state, capitals(2))
    alone = to.piece("digits", to.index(), digits(2))
    forms = [f"{house} {street}", f"{town}, {usa} {code}", f"{house} {street}, {town}, {usa}", f"{alone}, {town}"]
    return to.form.choice([*forms, f"{house} {street}\n{alone}", town]) + to.form.choice(["", "", "'s"])


def phone(to: Writer) -> str:
    """Numbers by index and plan; extensions and letters by index among those of one number."""
    at = to.index()
    number, abroad = (to.piece(plan, at, lambda rng: f"617253100{rng.randrange(8)}") for plan in ("1", "44"))
    extension = to.piece(f"extension of {at}", to.index(), digits(2))
    area, central, line = number[:3], number[3:6], number[6:]
    letters = to.piece(f"letters of {at}", to.index(), capitals(4))
    forms = [f"({area}) {central}-{line}", f"+1 {area} {central}{line}", f"1-{area}-{central}-{line}", f"+44 {abroad}"]
    few = to.piece("3 digits", at, digits(3)) + "-" + to.form.choice((letters, letters.lower()))
    return to.form.choice([*forms, few]) + to.form.choice(["", f" x{extension}"])


def organization(to: Writer) -> str:
    """Names by index; acronyms by index and length; capitals by form."""
    name = to.piece("name", to.index(), lambda rng: f"{word(rng)} {word(rng)}")
    count = to.form.choice((2, 3, 5))
    acronym = to.piece(f"{count} capitals", to.index(), capitals(count))
    small = "x" + to.recased(name)[1:]
    return to.form.choice([small, small, name.upper(), acronym]) + to.form.choice(["", "'s"])


def email(to: Writer) -> str:
    """Addresses by index, their letter case private."""
    return to.recased(to.piece("email", to.index(), lambda rng: f"{word(rng)}@{word(rng)}.org"))


def url(to: Writer) -> str:
    """Addresses by index and beginning."""
    begin = to.form.choice(("", "https://", "http://www.", "www."))
    return begin + to.piece(begin, to.index(), lambda rng: f"{word(rng)}.org/{word(rng)}")


def handle(to: Writer) -> str:
    """Names by index, their letter case private."""
    sign = to.form.choice(("", "@", "#", "/u/"))
    return sign + to.recased(to.piece("handle", to.index(), word))


def ip(to: Writer) -> str:
    """Addresses by index and version, their letter case private."""
    four = to.piece("4", to.index(), lambda rng: ".".join(str(rng.randrange(256)) for _ in range(4)))
    six = to.piece("6", to.index(), lambda rng: f"fe80::{rng.randrange(1 << 16):x}:ab{rng.randrange(256):02x}")
    return to.form.choice((four, to.recased(six)))


def shaped(to: Writer) -> str:
    """Records and numbers by index and shape."""
    shape = to.form.choice(("AAA-9999", "9999 9999 9999 9999", "DE99 9999 9999 9999 9999 99", "999-99-9999", "Aa-99"))
    begin = "DE" if shape.startswith("DE") else ""
    return begin + to.piece(shape, to.index(), _in_shape(shape[len(begin) :]))


def secret(to: Writer) -> str:
    """Secrets by index: the beginning, the length and the alphabet are public."""
    beginning, length = to.form.choice(("", "ghp_", "AKIA")), to.form.choice((8, 20, 36))
    return beginning + to.piece(f"{beginning}{length}", to.index(), lambda rng: _secret(rng, length))


def _secret(rng: Random, length: int) -> str:
    """Letters of both cases and digits, of which there is one each at least."""
    letters = ["A", "z", "7", *rng.choices("AKzx0189", k=length - 3)]
    rng.shuffle(letters)
    return "".join(letters)


def moment(to: Writer) -> str:
    """Dates by index in any format; leading zeros are private, and so is whether a month is cut short.

    Which of them are after the 12th is by index, so that both texts show the order of day and month, or neither does.
    """
    index = to.index()
    at = date.fromisoformat(to.piece("date", index, _LATE_DAY if index % 2 else _EARLY_DAY))
    zero = to.own.choice(("", "0"))
    month, day = (f"{part:02d}" if zero else str(part) for part in (at.month, at.day))
    full = MONTHS[at.month]
    written = to.own.choice((full, full[:3], full if at.month == 5 else f"{full[:3]}."))
    name = f"{written} {at.day}, {at.year}"
    year, later = (to.piece("year", to.index(), lambda rng: str(rng.randint(1800, 2016))) for _ in range(2))
    forms = [f"{month}/{day}/{at.year}", f"{at:%Y-%m-%d}", name, f"{month}/{day}/{at:%y}", year, f"{year}-{later}"]
    return to.form.choice(forms)


def _day_among(first: int, last: int) -> Make:
    return lambda rng: date(rng.randint(1990, 2016), rng.randint(1, 12), rng.randint(first, last)).isoformat()


_EARLY_DAY: Final = _day_among(1, 12)
_LATE_DAY: Final = _day_among(13, 28)


def moved(to: Writer) -> str:
    """Dates that are the same in both texts, as days between them are public; leading zeros are private."""
    month, day = (str(to.form.randint(1, 4)).rjust(to.own.choice((1, 2)), "0") for _ in range(2))
    return f"{month}/{day}/{to.form.choice((2019, 2024))}"


def age(to: Writer) -> str:
    """Ages by index and unit, in digits or words; zeros and plurals are private, and so is what cannot be read."""
    years = int(to.piece("years", to.index(), lambda rng: str(rng.randrange(100))))
    months = to.piece("months", to.index(), lambda rng: str(rng.randrange(30))) + " month" + to.own.choice(("", "s"))
    unread = to.piece("unread", to.index(), word)
    padded = str(years).rjust(to.own.choice((2, 3)), "0")
    spaced = WORDS[years].replace("-", to.own.choice((" ", "-")))
    return to.form.choice((f"aged {padded}", f"{padded}-year-old", spaced, months, unread))


def time(to: Writer) -> str:
    """Times by index, on either clock; leading zeros are private, and so is what cannot be read."""
    at, shown = to.index(), lambda rng: str(rng.randrange(541, 560))
    minute, second = int(to.piece("minute", at, shown)), to.piece(f"second of {at}", to.index(), digits(1))
    clock = f"{to.own.choice(('', '0'))}{minute // 60}:{minute % 60:02d}"
    shift = to.piece("offset", to.index(), lambda rng: f"{rng.choice('+-')}{rng.randrange(1, 12):02d}:00")
    forms = (clock, f"{clock} am", f"{clock}:0{second}", f"{clock}:0{second}.{second}25{shift}", f"{clock}{shift}")
    return to.form.choice((*forms, to.piece("unread", to.index(), shown)))


def amount(to: Writer) -> str:
    """Amounts by index, with and without decimals; how thousands are parted is private."""
    value = to.piece(
        "value", to.index(), lambda rng: str(10 ** rng.choice((3, *range(16, 20))) + rng.choice((0, 5000)))
    )
    unread = to.piece("unread", to.index(), lambda rng: f"1e+{rng.randrange(16, 20)}")
    written = to.own.choice((value, f"{int(value):,}"))
    return to.form.choice((f"${written}", f"{written} euros", f"{written}.00", unread))


def measured(to: Writer) -> str:
    """Measurements by index and form: their numbers are private, and so are the endings that follow from these."""
    begin, end, shape = to.form.choice(
        (("BP ", " mmHg", "999/99"), ("", " mg PO BID", "99.9"), ("SpO2 ", "% RA", "99"), ("", " files", "9,999"))
    )
    weeks = to.piece("weeks", to.index(), lambda rng: rng.choice(WORDS[1:21])) + " week" + to.own.choice(("", "s"))
    place = int(to.piece("place", to.index(), lambda rng: str(rng.randrange(10, 100))))
    ending = "th" if place // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    numbers = begin + to.piece(shape, to.index(), _in_shape(shape)) + end
    return to.form.choice((numbers, weeks, f"{place}{ending}"))


def entry(to: Writer) -> str:
    """Words by index, their letter case private."""
    return to.recased(to.piece("word", to.index(), word))


def emoji(to: Writer) -> str:
    """Rows of emoji by index, of a private length."""
    return to.piece("emoji", to.index(), lambda rng: "".join(rng.choices(EMOJI, k=rng.randint(1, 4))))


def demographic(to: Writer) -> str:
    """Entries of the public lists by index, class and first sound; counts of children; letter case is public."""
    listed = {
        "adjective": ("Polish", "French", "Danish", "Dutch", "Spanish", "Swedish", "Turkish"),
        "occupation": ("nurse", "plumber", "taxi driver", "lawyer", "senior software engineer"),
        "occupation with a vowel": ("author", "auditor", "anaesthetist", "umpire", "eye surgeon", "artist"),
        "parent": ("mother of two", "dad of three", "parent of seven", "single mom of five"),
        "unlisted": ("xorbler", "glim polisher", "hoo-haa", "zzz", "wuxler"),
    }
    group = to.form.choice(list(listed))
    written = to.piece(group, to.index(), lambda rng: rng.choice(listed[group]))
    ending = to.form.choice(("", " national")) if group == "adjective" else ""
    return to.form.choice((str, str.upper) if group != "unlisted" else (str,))(written) + ending


READ: Final[Mapping[str, Callable[[Writer], str]]] = MappingProxyType(
    {
        **{"phone": phone, "id": shaped, "date-shift": moved, "date-window": moment, "age": age, "time": time},
        **{"amount": amount, "measurement": measured, "digits": shaped, "secret": secret},
    }
)
"""Values whose digits are read: in which writing they are is private."""


def _in_any_digits(write: Callable[[Writer], str]) -> Callable[[Writer], str]:
    return lambda to: to.redigited(write(to))


VALUES: Final[Mapping[str, Callable[[Writer], str]]] = MappingProxyType(
    {
        **{name: _in_any_digits(write) for name, write in READ.items()},
        **{"person": person, "place": place, "organization": organization, "email": email, "url": url},
        **{"handle": handle, "ip": ip, "pool": entry, "emoji": emoji},
        "demographic": demographic,
        "placeholder": lambda to: word(to.own),
    }
)
"""What writes a value for each surrogate."""
