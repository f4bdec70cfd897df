"""Values of a format: e-mail addresses, URLs, handles, IPs, ids, organizations, places, own pools."""

import re
from collections import Counter
from ipaddress import ip_address
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.helpers.surrogates import outputs

from textveil.errors import InputError, ParameterError
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.pools import chance_of_a_collision, chance_of_a_hit, places, pool
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention
from textveil.surrogates.writing import shape_of

ALPHA = 1e-6


@pytest.mark.parametrize(
    ("value", "form"),
    [("07", r"[1-9]\d"), ("140.00", r"[1-9]\d\d\.\d\d"), ("1,250", r"[1-9],\d{3}"), ("0.125", r"\d\.\d{3}")],
)
def test_a_number_begins_with_no_zero_unless_it_is_a_fraction(value: str, form: str) -> None:
    drawn = [outputs(make_surrogate("digits"), [value], seed)[0] for seed in range(80)]
    assert all(re.fullmatch(form, one) for one in drawn)
    assert any(one[0] == "0" for one in drawn) == (value == "0.125")  # missed with chance 0.9**80


SAME_FORM = [
    ("digits", ["07", "140.00", "1,250", "0"], ["93", "001.99", "0,000", "7"]),
    ("email", ["maria@gmail.com", "m.g@x.org"], ["\ud800", "z" * 5_000]),
    ("url", ["https://www.a.org/b?c=d", "x.com"], ["HTTPS://WWW.zzzzzz/", "4"]),
    ("handle", ["@maria", "bob"], ["@x_9", ""]),
    ("ip", ["10.1.2.3", "fe80::1"], ["8.8.8.8", "2001:0:0::9"]),
    ("id", ["MRN-123 45a", "4111 1111 1111 1111"], ["ABC-999 00z", "0000 0000 0000 0000"]),
    ("id", ["DE89 3704 0044 0532 0130 00"], ["DE00 9999 9999 9999 9999 99"]),
    ("organization", ["General Motors", "IBM", "ACME INC"], ["Zzzz", "FBI", "XX YY ZZ"]),
    ("place", ["Boston, MA 02110", "12 Elm St., Reno", "FRANCE"], ["Ur, TX 99999", "99 Ok Rd., Xi'an", "PERU"]),
    ("organization", ["\u00c4\u00d6", "A", "3M", "R&D", "A\u0308O"], ["AB", "\u00c4", "7\u00c4", "A1\u00c4", "XY"]),
    ("place", ["\u00dcK", "\u0661\u0662 Elm St.", "\u00c9X \u0661\u0662\u0663"], ["UK", "34 Oak Rd.", "IL 456"]),
    ("place", ["123456789 Elm St.", "T\u00dc\u00a002110"], ["987654321 Oak Rd.", "MA\u00a099999"]),
    ("place", ["SW1A 1AA", "80335 M\u00fcnchen", "1012 AB", "H3Z2Y7"], ["EC4V 4EG", "10115 Bonn", "3511 CX", "K1A0B1"]),
    ("id", ["GB12ABCDEFGHIJ\u00c9", "\u00dcB12ABCDEFGHIJK"], ["GB12ABCDEFGHIJK", "\u00c9\u00c912ABCDEFGHIJ\u00c9"]),
    ("id", ["GB\u0661\u0662 ABCD 1234 567"], ["GB34 ABCD 1234 567"]),
    ("url", ["http\u017f://a.com"], ["gopher://a.com"]),
    ("demographic", ["Polish", "NURSES", "dad of 4", "x-er"], ["Danish", "BARBERS", "single mom of 12", "zz"]),
    ("demographic", ["Italian citizen", "author", "Islam's"], ["Indian citizen", "usher", "Atheism's"]),
    ("digits", ["1,234.50", "A-1"], ["9,999.99", "Z-0"]),
    ("pool", ["Maria", "x"], ["Zo\u00eb", "\u738b"]),
    ("emoji", ["\U0001f600", "\u2764\ufe0f"], ["\U0001f976\U0001f976", "\U0001f44d\U0001f3fd"]),
    ("placeholder", ["Maria"], ["x"]),
]


@pytest.mark.parametrize(("name", "first", "second"), SAME_FORM)
def test_one_seed_gives_one_output_for_all_values_of_one_form(name: str, first: list[str], second: list[str]) -> None:
    """So the distribution of the output, and of how much randomness is drawn, does not depend on the values."""
    surrogate = make_surrogate(name, options={"words": ["red", "green", "blue"]} if name == "pool" else {})
    for seed in range(20):
        assert outputs(surrogate, first, seed) == outputs(surrogate, second, seed)


@pytest.mark.parametrize(("name", "first", "second"), SAME_FORM)
def test_values_of_a_keyed_scope_look_alike(name: str, first: list[str], second: list[str]) -> None:
    """Forms are the same; what is drawn comes from the secret and the value."""
    surrogate = make_surrogate(name, options={"words": ["red", "green", "blue"]} if name == "pool" else {})
    one, two = (outputs(surrogate, values, 5, keyed=True) for values in (first, second))
    assert one == outputs(surrogate, first, 5, keyed=True)
    if name in ("id", "digits"):
        assert list(map(shape_of, one)) == list(map(shape_of, two))


def test_addresses_are_those_of_nobody() -> None:
    mail, page = (outputs(make_surrogate(name), ["x/", "y/"], 1) for name in ("email", "url"))
    hosts = outputs(make_surrogate("url"), ["x.com", "https://y.org:80"], 1)
    assert all(re.fullmatch(r"[a-z_.]+@example\.(com|org|net)", one) for one in mail)
    assert all(re.fullmatch(r"[a-z]+\.[a-z]+\.example\.(com|org|net)/[a-z]+", one) for one in page)
    assert all(re.fullmatch(r"(https://)?[a-z]+\.[a-z]+\.example\.(com|org|net)", one) for one in hosts)
    four, six = outputs(make_surrogate("ip"), ["1.2.3.4", "::1"], 1)
    assert not ip_address(four).is_global and not ip_address(six).is_global
    assert six.startswith("2001:db8:")
    drawn = {outputs(make_surrogate("ip", options={"ranges": "private"}), ["1.2.3.4"], seed)[0] for seed in range(50)}
    assert len(drawn) == 50 and all(ip_address(one).is_private and one.startswith("10.") for one in drawn)


def _luhn(number: str) -> int:
    digits = [int(one) for one in reversed(number) if one.isdigit()]
    return sum(digit if index % 2 == 0 else sum(map(int, str(2 * digit))) for index, digit in enumerate(digits)) % 10


@given(st.integers(0, 10**6))
def test_checksums_come_out_right(seed: int) -> None:
    card, iban, social = outputs(
        make_surrogate("id"), ["0000-0000-0000-0000", "GB00 WEST 1234 5698 7654 32", "078-05-1120"], seed
    )
    assert re.fullmatch(r"[3-6]\d{3}(-\d{4}){3}", card) and _luhn(card) == 0
    assert re.fullmatch(r"GB\d\d [A-Z]{4}( \d{4}){3} \d\d", iban)
    bare = iban.replace(" ", "")
    assert int("".join(str(int(one, 36)) for one in bare[4:] + bare[:4])) % 97 == 1
    assert re.fullmatch(r"9\d\d-(0[1-9]|[1-4]\d)-(?!0000)\d{4}", social)


def test_places_keep_the_format_of_an_address(rng: np.random.Generator) -> None:
    place = make_surrogate("place")
    address, town, again = place.draw(
        [Mention("12 Main St., Springfield, IL 62701"), Mention("SPRINGFIELD's"), Mention("Springfield")],
        MemoryScope(),
        rng,
    )
    assert re.fullmatch(r"\d\d [A-Z][a-z]+ [A-Z][a-z]+, [^,]+, [A-Z]{2} \d{5}", address)
    assert address.split(", ")[1] == again and town == again.upper() + "'s"
    kept = make_surrogate("place", options={"level": "kept"})
    for _ in range(20):
        country, state = kept.draw([Mention("France"), Mention("texas")], MemoryScope(), rng)
        assert country in places().pools["country"] and state.title().replace("'S", "'s") in pool("state")


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("rm 12", r"rm [1-9]\d"),
        ("Room 2.04", r"Room \d\.\d\d"),
        ("Zimmer 12", r"Zimmer [1-9]\d"),
        ("n.\xba 18", r"n\.\xba [1-9]\d"),
        ("ul. Lipowa 8 m. 12", r"[Uu]l\. \w+ \d m\. [1-9]\d|\w+ \w+ \d m\. [1-9]\d"),
        ("Oudegracht 118 bis", r"\w+ \w+ [1-9]\d\d bis"),
        ("GL54 2HS", r"[A-Z]{2}\d\d \d[A-Z]{2}"),
    ],
)
def test_rooms_stay_rooms(value: str, form: str) -> None:
    for seed in range(12):
        (drawn,) = outputs(make_surrogate("place", options={"level": "kept"}), [value], seed)
        assert re.fullmatch(form, drawn), drawn


def test_organizations_pass_for_real(rng: np.random.Generator) -> None:
    drawn = make_surrogate("organization").draw(
        [Mention("Acme Inc"), Mention("NASA's"), Mention("ACME INC")], MemoryScope(), rng
    )
    assert drawn[2] == drawn[0].upper()
    assert re.fullmatch(r"[B-XZ]{4}'s", drawn[1])


@pytest.mark.parametrize("name", ["id", "digits", "phone"])
def test_white_space_stays_as_it_is(name: str) -> None:
    for space in " \t\n\r\u00a0\u2003\u2028\u3000":
        (drawn,) = outputs(make_surrogate(name), [f"4471{space}2215-0"], 1)
        assert re.fullmatch(rf"[0-9]{{4}}{space}[0-9]{{4}}-[0-9]", drawn)


def test_a_pool_of_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"words must be at least 2 different entries; got 1 of them\."):
        make_surrogate("pool", options={"words": ["red", "red "]})
    with pytest.raises(ParameterError, match="words must be given, or `file`, and not both"):
        make_surrogate("pool")
    with pytest.raises(ParameterError, match="words must be a list of texts; got str"):
        make_surrogate("pool", options={"words": "red"})
    with pytest.raises(InputError, match=r"file of a pool must be a readable UTF-8 text; got FileNotFoundError\."):
        make_surrogate("pool", options={"file": str(tmp_path / "none.txt")})
    (tmp_path / "colors.txt").write_text("red\n\nblue\n", encoding="utf-8")
    assert make_surrogate("pool", options={"file": str(tmp_path / "colors.txt")}).entries == 2


def test_draws_of_a_pool_are_uniform_whatever_the_value_is(rng: np.random.Generator) -> None:
    """The mutant that dies: an entry that equals the value is avoided."""
    colors = make_surrogate("pool", options={"words": ["red", "green", "blue"]})
    for value in ("red", "violet"):
        found = Counter(colors.draw([Mention(value)], MemoryScope(), rng)[0] for _ in range(3_000))
        assert chisquare([found[color] for color in ("red", "green", "blue")]).pvalue > ALPHA
    found["green"] += found.pop("red")
    assert chisquare([found[color] for color in ("red", "green", "blue")]).pvalue < ALPHA


def test_chances_are_what_chance_does(rng: np.random.Generator) -> None:
    assert chance_of_a_hit(3, 2, 10) == pytest.approx(1 - 0.8**3)
    assert chance_of_a_hit(0, 2, 10) == 0 and chance_of_a_hit(1, 2, 2) == 1 and chance_of_a_hit(5, 0, 2) == 0
    assert chance_of_a_collision(3, 10) == pytest.approx(1 - 0.9 * 0.8)
    assert chance_of_a_collision(11, 10) == chance_of_a_collision(99, 10) == 1
    clashes = 0
    for _ in range(400):
        scope = KeyedScope(rng.bytes(32))
        clashes += len({scope.place("x", value, 50, rng) for value in "abcdefgh"}) < 8
    expected = chance_of_a_collision(8, 50)
    assert chisquare([clashes, 400 - clashes], [400 * expected, 400 * (1 - expected)]).pvalue > ALPHA


def test_values_of_a_scope_stay_apart(rng: np.random.Generator) -> None:
    values = [Mention(f"{number:02d}") for number in range(60)]
    assert len(set(make_surrogate("id").draw(values, MemoryScope(), rng))) == 60


def test_a_single_digit_before_several_units_is_no_one() -> None:
    surrogate = make_surrogate("digits")
    several = [Mention("3", after=" Monaten"), Mention("3", after=" Pforten")]
    drawn = {
        place: {surrogate.draw([mention], MemoryScope(), np.random.default_rng(seed))[0] for seed in range(200)}
        for place, mention in enumerate(several)
    }
    assert drawn[0] == set("23456789") and drawn[1] == set("123456789")  # each is missed with chance 9 * (8/9)**200
