"""Letters that look like others, or that nobody sees, hide no value from a policy that keeps words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.text.disguises import disguises
from textveil.text.escapes import read

SELECTED = "".join(chr(0xE0100 + byte - 16) for byte in b"Maria Zyxwell")
TAGGED = "".join(chr(0xE0000 + ord(character)) for character in "Maria Zyxwell")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Dear Mr \u0410b\u0435rn\u0430thy,", "Dear Mr Abernathy,"),
        ("\u039c\u0391RIA", "MARIA"),
        ("t\u043em@example.com", "tom@example.com"),
        ("C\u0438\u0434\u043e\u0440\u043e\u0432", "\u0421\u0438\u0434\u043e\u0440\u043e\u0432"),
        ("T\u03ac\u03c3o\u03c2", "\u03a4\u03ac\u03c3\u03bf\u03c2"),
        ("MRN 44712\u041e8 and 12\u0417-4", "MRN 4471208 and 12\u0417-4"),
        ("Mr \u0280\u1d0f\u0299\u026a\u0274\ua731\u1d0f\u0274", "Mr robinson"),
        ("Mr \U0001f170\U0001f171 \U0001f150", "Mr AB A"),
        (f"Hello{TAGGED}.", "HelloMaria Zyxwell."),
        (f"\U0001f600{SELECTED}", "\U0001f600Maria Zyxwell"),
        ("\\u041c\u0430ria", "\u041c\u0430ria".replace("\u041c", "M").replace("\u0430", "a")),
        ("\\ud83d\\ude00\\udb40\\udc4d", "\U0001f600M"),
    ],
)
def test_a_disguised_text_is_read_as_it_is_meant(written: str, plain: str) -> None:
    reading = read(written)
    assert reading.text == plain
    assert reading.whole
    assert reading.written(0, len(plain)) == (0, len(written))


@pytest.mark.parametrize(
    "text",
    [
        "\u0410\u043d\u043d\u0430 and Anna",  # words of one writing
        "SMS\u043a\u0438 Bj\u00f6rn na\u00efve",  # letters of both that look like no other
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f \u2764\ufe0f \u845b\U000e0100",
        "\u0394T, \u03b2B and \u03bcA",  # signs of physics
        "\u043f\u043b. 12\u0410, \u043e\u0444\u0438\u0441 3\u041e",
    ],
)
def test_what_is_no_disguise_is_read_as_it_stands(text: str) -> None:
    assert disguises(text) == []


@pytest.mark.parametrize("policy", ["identifiers", "prompts", "clinical"])
@pytest.mark.parametrize("name", ["\u0410b\u0435rn\u0430thy", TAGGED, SELECTED, "\u1d00\u0299\u1d07\u0280\u0274"])
def test_no_disguise_hides_a_name(policy: str, name: str) -> None:
    text = f"Dear Mrs {name}, the invoice is open."
    release = tv.Sanitizer(policy)(text)
    assert name not in release.text
    assert release.text != text
    assert release.private_map is not None
    assert tv.restore(release.text, release.private_map) == text


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(TAGGED + SELECTED + "aO0\u041e\u0430\u1d00")))
def test_disguises_of_any_text_are_characters_in_order(text: str) -> None:
    found = disguises(text)
    assert all(end == start + 1 and len(plain) == 1 for start, end, plain in found)
    assert [start for start, _, _ in found] == sorted({start for start, _, _ in found})


@pytest.mark.parametrize(
    "unit", ["\u0430a", "\u0430", "a\u0430 ", "\U000e0041", "\ufe00", "1\u041e", "\U0001f3f4\U000e0067"]
)
def test_disguises_take_time_in_proportion_to_the_length(unit: str) -> None:
    assert len(read(unit * 100_000).text) == len(unit) * 100_000
