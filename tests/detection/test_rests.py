"""Nothing is left beside what is drawn: the letters of a code, the s of a house, the rest of a login."""

import pytest

import textveil as tv


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text)]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Batch KP 0093 T failed.", ["KP 0093 T"]),
        ("Lot QT 31 went for more.", ["QT 31"]),
        ("docket D/5512/N was closed", ["D/5512/N"]),
        ("the key is in locker B2 now", ["B2"]),
        ("moved to 3C upstairs", ["3C"]),
        ("marked 4417 B on the lid", ["4417 B"]),
    ],
)
def test_a_code_goes_with_its_letters(text: str, whole: list[str]) -> None:
    assert found(text) == whole


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("CHQ 100418 cleared", "100418"),  # letters that a list knows stay
        ("HO 31 has it", "31"),  # so do words
        ("Ask A 77 about it", "77"),
        ("shelf 4417 I think", "4417"),
    ],
)
def test_letters_that_stand_for_something_stay_beside_a_number(text: str, digits: str) -> None:
    assert digits in found(text)


def test_codes_in_pieces_are_guesses_which_prompts_keep() -> None:
    released = tv.Sanitizer(tv.policy("prompts"), rng=tv.seeded_generator(3))("Lot QT 31 went for more.")
    assert released.text == "Lot QT 31 went for more."


@pytest.mark.parametrize(
    ("text", "house"),
    [
        ("Lunch was at Rosalba's, just off the square.", "Rosalba's"),
        ("The bus stops opposite Maguire's.", "Maguire's"),
        ("We sat in Winnie's Tea Room for hours.", "Winnie's Tea Room"),
        ("Home mooring: Trotter's Hard", "Trotter's Hard"),
        ("Coffee, Delphine's, 9 May", "Delphine's"),
        ("MOIRA'S BAR AND GRILL\nTABLE 4", "MOIRA'S BAR AND GRILL"),
        ("Ms Pohatu of Gruber's Wexcombe, 9 May", "Gruber's Wexcombe"),
        ("back from Pettifer's Monday", "Pettifer's Monday"),
    ],
)
def test_a_house_goes_with_the_s_of_its_owner(text: str, house: str) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "organization"] == [house]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("That is Petrakis's coat.", "Petrakis"),
        ("It was at Moira's house.", "Moira"),
        ("Ask Moira's GP.", "Moira"),
        ("Moira's gone home.", "Moira"),
    ],
)
def test_what_somebody_owns_is_no_house(text: str, person: str) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind != "number"] == [person]


def test_a_house_that_no_word_tells_ends_where_its_words_end() -> None:
    assert "organization" not in [span.kind for span in tv.detect("Moira's Wexbudgie is lost")]
    assert "Gruber's Wexcombe" in found("Seen at noon, Gruber's Wexcombe, 9 May")


def test_no_house_is_made_of_a_disease() -> None:
    assert "Parkinson's" not in found("treated for a fall in Parkinson's, with tremor")
