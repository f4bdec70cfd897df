"""National ids, tax numbers and plates: how each is written, and its check digits, as public rules state them.

``FORMS`` need no word beside them: their form is rare, or has check digits. ``LABELS`` are written as bare digits, and
count where a word such as "PESEL" stands before them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from textveil.detection.found import Found, near, shorter
from textveil.detection.gates import at_digits, either, with_words
from textveil.text.patterns import lazy_regex, matches

Check: TypeAlias = Callable[[str], bool]
"""Tells whether check digits are right; gets letters in capitals and digits, without marks."""

_CHECKED: Final = 0.95
_SHAPED: Final = 0.5


def weighted(digits: str, weights: Sequence[int]) -> int:
    """Return the sum of digits, each times its weight."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(value: str) -> bool:
    """Return whether the last digit is Luhn's: cards, IMEI, Canada's SIN, Greece's AMKA, Sweden's personal number."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in value[-2::-2])
    return value.isdigit() and (sum(map(int, value[-1::-2])) + sum(doubled)) % 10 == 0


_TABLE: Final = (
    *("0123456789", "1234067895", "2340178956", "3401289567", "4012395678"),
    *("5987604321", "6598710432", "7659821043", "8765932104", "9876543210"),
)
_SHIFTS: Final = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def verhoeff(value: str) -> bool:
    """Return whether the last digit is Verhoeff's: India's Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(value)):
        check = int(_TABLE[check][int(_SHIFTS[place % 8][int(digit)])])
    return check == 0


def iso_11_10(value: str) -> bool:
    """Return whether the last digit is that of ISO 7064, modulo 11, 10: Germany's tax id, Croatia's OIB."""
    rest = 10
    for digit in value[:-1]:
        rest = ((int(digit) + rest) % 10 or 10) * 2 % 11
    return (11 - rest) % 10 == int(value[-1])


def day_and_month(value: str, day: int, month: int) -> bool:
    """Tell if two digits each at these places can be a day and a month; numbers that many add to them count too."""
    return 1 <= int(value[day : day + 2]) % 60 % 40 <= 31 and 1 <= int(value[month : month + 2]) % 50 % 20 <= 12


def _spanish(value: str) -> bool:
    number = value[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == value[-1]


_ODD: Final = dict(
    zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
        2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23), strict=True)
)  # fmt: skip


def _italian(value: str) -> bool:
    even = sum(int(character) if character.isdigit() else ord(character) - 65 for character in value[1:15:2])
    return chr(65 + (sum(_ODD[character] for character in value[0:15:2]) + even) % 26) == value[15]


def _french(value: str) -> bool:
    number = value[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(value[13:])


def _finnish(value: str) -> bool:
    number = value[:6] + value[-4:-1]
    return day_and_month(value, 0, 2) and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number) % 31] == value[-1]


def _czech(value: str) -> bool:
    return day_and_month(value, 4, 2) and (len(value) == 9 or int(value[:9]) % 11 % 10 == int(value[9]))


def _belgian(value: str) -> bool:
    return any(97 - int(century + value[:9]) % 97 == int(value[9:]) for century in ("", "2"))


def _irish(value: str) -> bool:
    extra = "WABCDEFGHI".find(value[8]) if len(value) > 8 else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(weighted(value[:7], range(8, 1, -1)) + 9 * max(extra, 0)) % 23] == value[7]


def _austrian(value: str) -> bool:
    rest = weighted(value[:3] + value[4:], (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11
    return rest == int(value[3]) and day_and_month(value, 4, 6)


def _brazilian(value: str) -> bool:
    for length in (len(value) - 2, len(value) - 1):
        weights = (
            list(range(length + 1, 1, -1))
            if len(value) == 11
            else [(length - 1 - place) % 8 + 2 for place in range(length)]
        )
        if (11 - weighted(value[:length], weights) % 11) % 11 % 10 != int(value[length]):
            return False
    return len(set(value)) > 1


def _australian_business(value: str) -> bool:
    return (weighted(value, (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)) - 10) % 89 == 0


def _eleven(weights: Sequence[int]) -> Check:
    """Return a check digit that is the rest of a weighted sum modulo 11; 10 is written 0."""
    return lambda value: weighted(value, weights) % 11 % 10 == int(value[len(weights)])


def _dutch(value: str) -> bool:
    return weighted(value, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _polish(value: str) -> bool:
    return (10 - weighted(value, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10 == int(value[10])


class Form(NamedTuple):
    """The writing of an id, its check digits, and whether it counts if they are wrong."""

    pattern: str
    check: Check | None = None
    anyhow: bool = False


_MBI: Final = "[AC-HJKMNP-RT-Y]"
_PAN: Final = "[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]"
_INDIAN_STATE: Final = (
    "(?:A[NPRS]|B[HR]|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[GNRS]|U[KPT]|WB)"
)

FORMS: Final = {
    "es_id": Form(r"(?:[0-9]{8}|[XYZ][ -]?[0-9]{7})[ -]?[A-HJ-NP-TV-Z]", _spanish),
    "it_cf": Form(r"[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]", _italian),
    "fr_nir": Form(r"[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", _french),
    "fr_nir_in_groups": Form(
        r"[12] [0-9]{2} (?:0[1-9]|1[0-2]|[2-9][0-9]) (?:[0-9]{2}|2[AB]) [0-9]{3} [0-9]{3} [0-9]{2}",
        _french,
        anyhow=True,
    ),
    "fi_hetu": Form(r"[0-9]{6}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y]", _finnish),
    "se_pnr": Form(
        r"(?:(?:19|20)[0-9]{2}|[0-9]{2})[0-9]{4}[-+][0-9]{4}",
        lambda value: day_and_month(value[-10:], 4, 2) and luhn(value[-10:]),
    ),
    "dk_cpr": Form(r"[0-3][0-9][01][0-9]{3}-[0-9]{4}", lambda value: day_and_month(value, 0, 2)),
    "cz_rc": Form(r"[0-9]{6}/[0-9]{3,4}", _czech),
    "be_rrn": Form(r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}", _belgian),
    "ch_ahv": Form(
        r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}",
        lambda value: (10 - weighted(value, (1, 3) * 6) % 10) % 10 == int(value[12]),
        anyhow=True,
    ),
    "at_svnr": Form(r"[1-9][0-9]{3} [0-3][0-9][01][0-9]{3}", _austrian),
    "ie_pps": Form(r"[0-9]{7}[A-W][A-IW]?", _irish),
    "br_cpf": Form(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", _brazilian, anyhow=True),
    "br_cnpj": Form(r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}", _brazilian, anyhow=True),
    "in_gstin": Form(rf"[0-9]{{2}}{_PAN}[0-9A-Z]Z[0-9A-Z]", None, anyhow=True),
    "in_pan": Form(_PAN, None, anyhow=True),
    "in_aadhaar": Form(r"[2-9][0-9]{3}[ -][0-9]{4}[ -][0-9]{4}", verhoeff),
    "in_plate": Form(rf"{_INDIAN_STATE}[ -]?[0-9]{{1,2}}[ -]?[A-Z]{{1,3}}[ -]?[0-9]{{4}}", None, anyhow=True),
    "au_abn": Form(r"[0-9]{2} [0-9]{3} [0-9]{3} [0-9]{3}", _australian_business),
    "au_medicare": Form(
        r"[2-6][0-9]{3} [0-9]{5} [0-9](?:/[0-9])?",
        lambda value: weighted(value, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(value[8]),
    ),
    "ca_sin": Form(r"[0-9]{3}-[0-9]{3}-[0-9]{3}", luhn),
    "us_mbi": Form(
        rf"[1-9]{_MBI}[0-9AC-HJKMNP-RT-Y][0-9]-?{_MBI}[0-9AC-HJKMNP-RT-Y][0-9]-?{_MBI}{{2}}[0-9]{{2}}",
        None,
        anyhow=True,
    ),
    "us_ein": Form(r"[0-9]{2}-[0-9]{7}", None, anyhow=True),
    "uk_plate": Form(r"[A-Z]{2}[0-9]{2} ?[A-HJ-PR-Z]{3}", None, anyhow=True),
    "fr_plate": Form(r"[A-HJ-NP-TV-Z]{2}-[0-9]{3}-[A-HJ-NP-TV-Z]{2}", None, anyhow=True),
    "cl_rut": Form(r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9K]", None, anyhow=True),
}
"""By a name: what needs no word before it."""

_BEFORE: Final = r"(?<![\w./+-])"
_AFTER: Final = r"(?![\w]|[./-][0-9])"
_FORMS: Final = lazy_regex(
    f"{_BEFORE}(?:" + "|".join(f"(?P<{name}>{form.pattern})" for name, form in FORMS.items()) + f"){_AFTER}"
)
_EACH: Final = {name: lazy_regex(f"(?:{form.pattern}){_AFTER}") for name, form in FORMS.items()}
_BEGUN_BY_DIGIT: Final = (
    r"[0-9](?<![0-9].)(?:[0-9]{5}(?:[0-9]{2})?[-+/A-FU-Y][0-9]{3}|[0-9]{0,2}\.[0-9]{2,4}\.[0-9]{2,4}[./-]"
    r"|[0-9]{1,3}[ -][0-9]{3,6}[ -][0-9]|[0-9]{3} [0-9]{6}|[0-9]{6,7}[ -]?[A-Z]|[0-9]-[0-9]{7}| [0-9]{2} [0-9]{2} "
    r"|[0-9]{14}|[0-9]{2} [0-9]{2} [0-9]{2} |[0-9]?[A-Z]{1,2}[0-9]{1,4}-?[A-Z])"
)
_BEGUN_BY_CAPITAL: Final = (
    r"[A-Z](?<![A-Za-z].)(?:[A-Z](?:[0-9]{2} ?[A-Z]|[ -][0-9]{1,3}[ -][A-Z]|[0-9]{1,2}[ -]?[A-Z])|[A-Z]{4,5}[0-9]{2}"
    r"|[ -]?[0-9]{7})"
)
_ANCHOR: Final = lazy_regex(f"(?=[0-9A-Z])(?:{_BEGUN_BY_DIGIT}|{_BEGUN_BY_CAPITAL})")
_LONGEST_FORM: Final = 32
FORM_GATE: Final = either(at_digits(_BEGUN_BY_DIGIT), at_digits(_BEGUN_BY_CAPITAL))


def find_forms(text: str) -> Iterator[Found]:
    """National ids, tax numbers and plates that are told by their form."""
    reached = 0
    for match in near(_FORMS, text, _ANCHOR, _LONGEST_FORM, _LONGEST_FORM):
        other: re.Match[str] | None = match
        while other is not None and other.start() < match.end():
            span = _checked(text, other) if other.start() >= reached else None
            if span is not None:
                reached = span.end
                yield span
            # A form that is refused may hold the beginning of another: digits of a neighbor in front of an id.
            other = _FORMS.search(text, other.start() + 1 if span is None else reached, match.end() + _LONGEST_FORM)


def _checked(text: str, match: re.Match[str]) -> Found | None:
    first = match.lastgroup or ""
    for name, form in FORMS.items():
        other = match if name == first else _EACH[name].match(text, match.start())
        if other is None or _goes_on(text, other):
            continue
        right = form.check is not None and form.check(bare(other[0]))
        if right or form.anyhow:
            return Found(*other.span(), "id", _CHECKED if right else _SHAPED, "check" if right else "shape")
    return None


_GROUPS: Final = lazy_regex(r"(?P<first>[0-9]{2,6}) [0-9 ]*?(?P<last>[0-9]{2,6})")


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Return whether a group of as many digits stands beside groups: 4981 2355 3126 is no id in a card's number."""
    groups = _GROUPS.fullmatch(match[0])
    if groups is None:
        return False
    start, end = match.span()
    first, last = len(groups["first"]), len(groups["last"])
    return _is_group(text[end : end + last + 2], last) or _is_group(
        text[max(0, start - first - 2) : start][::-1], first
    )


def _is_group(beside: str, size: int) -> bool:
    """Return whether a space, as many digits and no more stand beside a number, read away from it."""
    group, behind = beside[1 : size + 1], beside[size + 1 :]
    return beside[:1] == " " and len(group) == size and group.isdigit() and not behind.isalnum()


def bare(value: str) -> str:
    """Letters and digits of a value, in capitals."""
    return "".join(character for character in value.upper() if character.isalnum())


_NINE, _TEN, _ELEVEN = 9, 10, 11

LABELS: Final = {
    "bsn": (_NINE, _dutch),
    "burgerservicenummer": (_NINE, _dutch),
    "pesel": (_ELEVEN, _polish),
    "nif": (_NINE, lambda value: (11 - weighted(value[:8], range(9, 1, -1)) % 11) % 11 % 10 == int(value[8])),
    "cnp": (13, _eleven((2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9))),
    "egn": (_TEN, _eleven((2, 4, 8, 5, 10, 9, 7, 3, 6))),
    "amka": (_ELEVEN, luhn),
    "tfn": (_NINE, lambda value: weighted(value, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0),
    "sin": (_NINE, luhn),
    "taj": (_NINE, lambda value: weighted(value[:8], (3, 7) * 4) % 10 == int(value[8])),
    "oib": (_ELEVEN, iso_11_10),
    "steuer id": (_ELEVEN, iso_11_10),
    "idnr": (_ELEVEN, iso_11_10),
    "steueridentifikationsnummer": (_ELEVEN, iso_11_10),
    "aadhaar": (12, verhoeff),
    "cpf": (_ELEVEN, _brazilian),
    "cnpj": (14, _brazilian),
    "abn": (_ELEVEN, _australian_business),
    "imei": (15, luhn),
    "personnummer": (_TEN, luhn),
    "npi": (_TEN, lambda value: luhn("80840" + value)),
}
"""By a word in small letters: how many digits, and their check."""
_LABELLED: Final = lazy_regex(
    r"(?i)(?<![A-Za-z])(?P<label>" + "|".join(sorted(LABELS, key=len, reverse=True)).replace(" ", "[ -]") + r")"
    r"(?: (?:number|no\.?|nr\.?|card|is|:|=|#)|[.:=#-]){0,3} ?(?P<value>[0-9](?:[ ./-]?[0-9]){7,23})(?![\w])"
)
LABEL_GATE: Final = with_words(" ".join(LABELS))


def find_labelled(text: str) -> Iterator[Found]:
    """Ids of bare digits behind the word that names them, with the right check digits."""
    for match in matches(_LABELLED, text):
        start, end = match.span("value")
        for stop in shorter(text, start, end):
            if checked_label(match["label"], text[start:stop]):
                yield Found(start, stop, "id", _CHECKED, "check")
                break


def checked_label(label: str, value: str) -> bool:
    """Return whether a value has the check digits of what the word before it names."""
    length, check = LABELS.get(label.lower().replace("-", " "), (0, None))
    digits = bare(value)
    return check is not None and len(digits) == length and digits.isdigit() and check(digits)
