"""Numbers in every writing: digits of any script, numerals, words, and names of products are drawn or blanked."""

import sys
import unicodedata
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.policies import Finds, small_policy, surrogate
from tests.helpers.surrogates import made, outputs

import textveil as tv
from textveil.detection.units import NUMBER_WORD
from textveil.surrogates.drawn import Drawn, proved
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention
from textveil.text.numbers import has_numerals, in_digits

NUMERALS: Final = [character for character in map(chr, range(0x80, sys.maxunicode + 1)) if character.isnumeric()]
"""All characters but 0 to 9 that stand for a number: str.isdecimal and str.isdigit hold for a part of them."""

DECIMALS: Final = [
    dict(zip("0123456789", (chr(ord(zero) + digit) for digit in range(10)), strict=True))
    for zero in NUMERALS
    if unicodedata.decimal(zero, -1) == 0
]
RAISED: Final = dict(zip("0123456789", "\u2070\xb9\xb2\xb3\u2074\u2075\u2076\u2077\u2078\u2079", strict=True))
LOWERED: Final = dict(zip("0123456789", map(chr, range(0x2080, 0x208A)), strict=True))
WRITINGS: Final = [str.maketrans(writing) for writing in (*DECIMALS, RAISED, LOWERED)]

VALUES: Final = {
    "age": ["45", "aged 67", "12 months"],
    "time": ["09:45", "7:15 pm"],
    "amount": ["$1,250", "2,500.75 euros", "EUR 300"],
    "measurement": ["5 mg", "BP 132/84 mmHg", "7.2 mmol/L", "22nd", "747 kg", "777 days", "9/11 mmHg", "4K copies"],
    "digits": ["4711", "36.6"],
    "id": ["4471203", "A-4471203", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "078-05-1120"],
    "secret": ["ghp_4711aB4711aB4711aB", "hunter4711"],
    "phone": ["+1 617 253 1000", "(617) 253-1000 x55"],
    "date-window": ["2024-03-05", "3/4/2024", "5 March 1992"],
    "date-shift": ["2024-03-05", "3/4/2024", "5 March 1992"],
}
"""Values with digits, of surrogates that read their value; those that have no row have the values of the attack."""

POOLED: Final = {
    "person": ["Maria 4711 Lopez"],
    "place": ["12 Elm St., Reno, NV 89501", "80335 Ulm"],
    "organization": ["Studio 4711"],
    "email": ["maria4711@x.org"],
    "url": ["https://x.org/4711"],
    "handle": ["@maria4711"],
    "ip": ["192.168.47.11"],
    "demographic": ["mother of 7"],
    "pool": ["4711"],
    "emoji": ["4711"],
    "placeholder": ["4711"],
}


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Values of a surrogate."""
    attack = loaded_attack("pairs_of_values", monkeypatch)
    return lambda name: VALUES.get(name) or [attack.VALUES[name](attack.Writer(seed, seed)) for seed in range(4)]


def test_rows_are_of_surrogates(values: Callable[[str], list[str]]) -> None:
    assert VALUES.keys() | POOLED.keys() <= SURROGATE_ENTRIES.keys()
    assert all(values(name) for name in SURROGATE_ENTRIES), "a surrogate without a row has values too"


@pytest.mark.parametrize("name", sorted(SURROGATE_ENTRIES.keys() - POOLED.keys()))
def test_values_in_every_writing_are_drawn_as_in_0_to_9(name: str, values: Callable[[str], list[str]]) -> None:
    """So nothing of their digits stays but what would stay of the same digits in ASCII, by the stated law."""
    for value in values(name):
        for writing in WRITINGS:
            written = value.translate(writing)
            for seed in range(2):
                assert outputs(made(name), [written], seed) == outputs(made(name), [value], seed)
            assert made(name).key(written) == made(name).key(value)


@pytest.mark.parametrize("name", SURROGATE_ENTRIES)
def test_no_surrogate_has_a_numeral_of_its_value(name: str) -> None:
    one, rng = made(name), np.random.default_rng(1)
    forms: list[Callable[[str], str]] = [str, "{} mg".format, "BP {}/80".format, "seen {}".format, "{}. 3. 2024".format]
    for number, numeral in enumerate(NUMERALS):
        value = forms[number % len(forms)](numeral)
        (drawn,) = one.draw([Mention(value)], MemoryScope(), rng)
        assert numeral not in drawn
        assert not has_numerals(drawn)
    for values in (VALUES.get(name, ()), POOLED.get(name, ())):
        for value in values:
            for writing in WRITINGS:
                assert not has_numerals(outputs(one, [value.translate(writing)], 1)[0])


def test_a_surrogate_that_copies_or_cannot_read_is_blanked() -> None:
    """The road that every draw goes: a draw that returns its value, and one that returns nothing."""

    def drawn(returned: str | None) -> str:
        mutant = Drawn(
            name="copy",
            parameters={},
            guarantee=proved(0.0, "none"),
            public=(),
            surrogate_of=lambda value, scope, rng: returned,
        )
        return mutant.draw([Mention("x")], MemoryScope(), np.random.default_rng(1))[0]

    assert drawn("\u2163 mg") == drawn(None) == "[copy]"
    assert drawn("5 mg") == "5 mg"


SAME = [
    ("747 kg", "512 kg"),
    ("777 days", "345 days"),
    ("9/11 mmHg", "8/35 mmHg"),
    ("24/7", "83/5"),
    ("4K copies", "7K copies"),
    ("3M tablets", "5M tablets"),
    ("zero mg", "nine mg"),
    ("Twenty-one days", "Seven days"),
    ("a hundred patients", "a hundred patients"),
    ("one hundred and five patients", "six hundred and twelve patients"),
    ("half an hour", "quarter an hour"),
    ("5 mg twice daily", "7 mg once daily"),
    ("third dose", "second dose"),
    ("stage IIIA", "stage IC"),
    ("NYHA class II", "NYHA class IV"),
    ("\xbd tablet", "3/4 tablet"),
    ("fivefold", "ninefold"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_measurements_of_one_form_have_one_law(first: str, second: str) -> None:
    surrogate = make_surrogate("measurement")
    drawn = [outputs(surrogate, [first], seed) for seed in range(30)]
    assert drawn == [outputs(surrogate, [second], seed) for seed in range(30)]
    assert len({tuple(one) for one in drawn}) > 2


@pytest.mark.parametrize(
    "value",
    [
        *("drei Monate", "f\xfcnf Tage", "einundzwanzig Tage", "deux semaines", "tres d\xedas", "sette giorni"),
        *("dezesseis horas", "twaalf uur", "\u2163 mg", "\u4e09 mg", "stage \u2162"),
    ],
)
def test_numbers_that_are_not_read_are_blanked(value: str) -> None:
    assert outputs(make_surrogate("measurement"), [value], 1) == ["[measurement]"]


@pytest.mark.parametrize(
    ("value", "before"), [("120 mmHg", "Level "), ("5 days", "Episodes "), ("500 mg", "step "), ("5%", "Part ")]
)
def test_behind_a_word_for_a_section_only_its_number_stays(value: str, before: str) -> None:
    surrogate, rng = make_surrogate("measurement"), np.random.default_rng(1)
    assert len({surrogate.draw([Mention(value, before)], MemoryScope(), rng)[0] for _ in range(20)}) > 2


def test_numerals_are_read_in_digits() -> None:
    assert in_digits("5\xbd \u2469 \u0663/\u0664 m\xb2") == "5 1/2 10 3/4 m2"
    assert in_digits("\u2163 \u4e09 caf\xe9") == "\u2163 \u4e09 caf\xe9"
    assert NUMBER_WORD.search("once") and not NUMBER_WORD.search("stone")


@pytest.mark.parametrize("numeral", ["\uff15", "\u0665", "\u096b", "\u2075", "\u2085", "\u2464", "\xbd", "\u2167"])
def test_policies_with_all_numbers_release_none_as_it_is(numeral: str) -> None:
    text = f"He takes {numeral} mg daily, {numeral}{numeral} in all, for {numeral} days; {numeral}."
    assert numeral not in tv.Sanitizer("identifiers")(text).text


@pytest.mark.parametrize(
    "text",
    ["He lifted 747 kg.", "They waited 777 days.", "BP 9/11 mmHg", "4K copies", "He took zero mg.", "on call 24/7"],
)
def test_names_of_products_are_numbers_where_they_count(text: str) -> None:
    assert len({tv.Sanitizer("identifiers")(text).text for _ in range(30)}) > 2


@pytest.mark.parametrize("text", ["COVID-19 and an F-16", "a B747", "24/7 support", "the 9/11 attacks", "H2O"])
def test_names_with_a_letter_or_a_public_context_stay(text: str) -> None:
    assert tv.Sanitizer("identifiers")(text).text == text


def test_a_value_in_other_digits_is_counted_with_its_equal() -> None:
    policy = small_policy(surrogate("value", "id", epsilon=None), detectors=(Finds(r"(?<=<)[^>]+(?=>)", "value"),))
    release = tv.Sanitizer(policy)("<4711> <\u0664\u0667\u0661\u0661>")
    assert release.report().to_data()["tokens"]["value"] == 1
