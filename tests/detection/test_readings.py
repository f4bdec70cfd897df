"""Ids beside other digits: what takes a neighbor's digits too is read again, shorter or from its next group."""

import random
from collections.abc import Sequence

import pytest

import textveil as tv
from textveil.detection.found import readings, shorter
from textveil.detection.identifiers import find_card_rows, find_cards, find_ibans, is_card
from textveil.text.patterns import lazy_regex

HIDING = ("identifiers", "clinical", "prompts")
"""Presets with a rule for ids and secrets that keep words; the others leave out or draw every number."""

CHECKED = {
    "card": "4111 1111 1111 1111",
    "card without groups": "5500005555555559",
    "card of fifteen digits": "3782 822463 10005",
    "card with hyphens": "6011-1111-1111-1117",
    "IBAN": "DE89 3704 0044 0532 0130 00",
    "IBAN of Britain": "GB29 NWBK 6016 1331 9268 19",
    "IBAN without groups": "NL91ABNA0417164300",
    "social security": "078-05-1120",
    "NHS": "943 476 5919",
    "national insurance": "AB 12 34 56 C",
    "Aadhaar": "2345 6789 0124",
    "ABN": "51 824 753 556",
    "Medicare of Australia": "2123 45670 1",
    "Austria": "1237 010180",
    "CPF": "529.982.247-25",
    "France": "2 84 05 69 123 456 78",
    "Spain": "12345678Z",
    "IMEI": "IMEI 490154203237518",
    "PESEL": "PESEL 44051401359",
    "BSN": "BSN 123456782",
    "VIN": "1HGCM82633A004352",
    "wallet": "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "UUID": "12345678-1234-1234-1234-123456789012",
    "phone": "(303) 555-0142",
    "phone abroad": "+44 20 7946 0958",
}
NEIGHBORS = ("12", "12 34", "1234", "1234 567", "3000", "7 8 9", "12/26", "12/26 123", "2024")


def left_of(text: str, value: str) -> str:
    """The letters and digits of a value that stand in no span."""
    start = text.index(value)
    covered = {place for span in tv.detect(text) for place in range(span.start, span.end)}
    return "".join(
        character for place, character in enumerate(value, start=start) if character.isdigit() and place not in covered
    )


@pytest.mark.parametrize("name", CHECKED)
def test_ids_are_found_whatever_digits_stand_beside_them(name: str) -> None:
    value = CHECKED[name]
    for neighbor in NEIGHBORS:
        assert left_of(f"It is {value} {neighbor} today", value) == ""
        assert left_of(f"It is {neighbor} {value} today", value) == ""
        assert left_of(f"It is {neighbor} {value} {neighbor} today", value) == ""
    assert left_of(f"It is {value} COBADEFFXXX today", value) == ""


def _card(rng: random.Random) -> str:
    length = rng.choice((15, 16, 16, 16))
    digits = ("37" if length == 15 else rng.choice(("4", "51", "6011"))).ljust(length - 1, "x")
    digits = "".join(rng.choice("0123456789") if digit == "x" else digit for digit in digits)
    digits += next(check for check in "0123456789" if is_card(digits + check))
    parts = (4, 6, 5) if length == 15 else (4, 4, 4, 4)
    groups = [digits[sum(parts[:place]) : sum(parts[: place + 1])] for place in range(len(parts))]
    return rng.choice(("", " ", "-")).join(groups)


def test_cards_are_found_among_groups_of_digits() -> None:
    """By the rule and not by chance: all groups of a card lie in spans, whatever its neighbors are."""
    rng = random.Random(5)
    for _ in range(400):
        before, behind = (
            [str(rng.randrange(10 ** rng.randint(1, 4))) for _ in range(rng.randint(0, 3))] for _ in range(2)
        )
        card = _card(rng)
        text = " ".join(["x", *before, card, *behind, "y"])
        start = len(" ".join(["x", *before])) + 1
        covered = {place for span in find_cards(text) for place in range(span.start, span.end)}
        assert covered >= set(range(start, start + len(card))), (before, behind)


ROWS = [
    ("4111 1111 1111 1111 12/26 123", ["4111 1111 1111 1111", "12/26", "123"]),
    ("4111111111111111|12|26|123", ["4111111111111111", "12|26", "123"]),
    ("4111-1111-1111-1111-12-26-123", ["4111-1111-1111-1111", "12-26", "123"]),
    ("3782 822463 10005 1226 1234", ["3782 822463 10005", "1226", "1234"]),
    ("4111 1111 1111 1112 12/26 123", ["4111 1111 1111 1112", "12/26", "123"]),
    ("4111 1111 1111 1111\nExp: 12/26\nCVV: 123", ["4111 1111 1111 1111", "12/26", "123"]),
    ("4111 1111 1111 1111, exp. 12/2026, security code 123", ["4111 1111 1111 1111", "12/2026", "123"]),
    ("4111 1111 1111 1111 Maria Lopez 12/26 123", ["4111 1111 1111 1111", "12/26", "123"]),
    ("4111 1111 1111 1111 gültig bis 1/27, Prüfziffer 999", ["4111 1111 1111 1111", "1/27", "999"]),
    ("4111 1111 1111 1111 scadenza 12/26 CVC 123", ["4111 1111 1111 1111", "12/26", "123"]),
    ("4111 1111 1111 1111 123", ["4111 1111 1111 1111", "123"]),
    ("12 34 4111 1111 1111 1111 12/26 123", ["4111 1111 1111 1111", "12/26", "123"]),
    ("visa 4111 1111 1111 1112 12 26 123", ["4111 1111 1111 1112", "12 26", "123"]),
    ("4111.1111.1111.1111", ["4111.1111.1111.1111"]),
    ("4111/1111/1111/1111 paid", ["4111/1111/1111/1111"]),
]


@pytest.mark.parametrize(("text", "parts"), ROWS)
def test_card_expiry_and_code_in_a_row_are_ids(text: str, parts: Sequence[str]) -> None:
    found = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "id"]
    assert found == parts


@pytest.mark.parametrize("preset", HIDING)
@pytest.mark.parametrize("text", [text for text, _ in ROWS[:7]])
def test_card_expiry_and_code_are_drawn_by_every_preset(preset: str, text: str) -> None:
    """Each part stays in a release as often as its law says: the card never, the others at most by chance."""
    sanitizer = tv.Sanitizer(preset)
    released = [sanitizer(text).text for _ in range(25)]
    card = next(iter(find_card_rows(text)))
    assert not any(text[: card.end] in one for one in released)
    assert sum("26" in one[card.end :] for one in released) < 15  # alpha < 1e-6 where a digit pair stays 1 in 20
    code = text.rstrip()[-3:]
    assert sum(one.endswith(code) for one in released) < 8  # 1 in 1,000 each: alpha < 1e-16


PAID = {
    "en": ("my card number is {}", "pay {} now", "{} is my Visa"),
    "de": ("meine Kreditkarte {}", "die Kartennummer {}", "{} ist die Karte"),
    "fr": ("ma carte {}", "carte bancaire {}", "{} est ma carte"),
    "es": ("mi tarjeta {}", "el pago con {}", "{} es mi tarjeta"),
    "it": ("la carta di credito {}", "pagamento {}", "{} del bancomat"),
    "nl": ("mijn kaart {}", "betaalkaart {}", "{} is mijn creditkaart"),
    "pt": ("meu cartão {}", "pagamento {}", "{} do cartão"),
}


@pytest.mark.parametrize("language", PAID)
def test_beside_words_of_payment_no_check_is_asked(language: str) -> None:
    for form in PAID[language]:
        for number in ("4111 1111 1111 1112", "123456789012", "1234-5678-9012-3456-789"):
            assert left_of(form.format(number), number) == ""


def test_without_such_words_a_wrong_check_digit_is_no_card() -> None:
    assert not list(find_cards("counts 4111 1111 1111 1112 of it"))
    assert not list(find_card_rows("counts 4111 1111 1111 1112 of 12/26"))


def test_an_iban_is_read_from_its_own_beginning_and_behind_its_name() -> None:
    for text in ("AB12 DE89 3704 0044 0532 0130 00", "AB12 CD34 DE89 3704 0044 0532 0130 00 NWBK 1234"):
        assert [text[span.start : span.end] for span in find_ibans(text)] == ["DE89 3704 0044 0532 0130 00"]
    text = "IBAN: DE88 3704 0044 0532 0130 00"
    assert [text[span.start : span.end] for span in find_ibans(text)] == ["DE88 3704 0044 0532 0130 00"]
    assert list(find_ibans("code DE88 3704 0044 0532 0130 00"))  # in the form of a country, if wrongly copied
    assert not list(find_ibans("code AB88 3704 0044 0532 0130 00"))


def test_readings_are_the_longest_first_and_begin_at_groups() -> None:
    tried: list[tuple[str, bool]] = []

    def judge(start: int, end: int, whole: bool) -> str | None:
        tried.append((text[start:end], whole))
        return text[start:end] if text[start:end] == "22 333" else None

    text = "1 22 333 4"
    assert list(readings(lazy_regex(r"[0-9]+(?: [0-9]+){1,3}"), text, judge)) == ["22 333"]
    assert tried == [
        *(("1 22 333 4", True), ("1 22 333", False), ("1 22", False)),
        *(("22 333 4", False), ("22 333", False)),
    ]
    assert list(shorter("a b-c", 0, 5)) == [5, 3, 1]


def test_hostile_rows_are_read_a_bounded_number_of_times() -> None:
    """Judged readings grow with the text, not with its square: counted, not timed."""
    counts = []
    for size in (300, 600):
        calls = 0

        def judge(start: int, end: int, whole: bool) -> None:
            nonlocal calls
            calls += 1

        list(readings(lazy_regex(r"[0-9](?:[ -]?[0-9]){11,18}"), "1 " * size, judge))
        counts.append(calls)
    assert counts[1] < 2.2 * counts[0]
