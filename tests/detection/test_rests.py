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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Reviewed by Tobias Zuse.\n- tobias.hall", ["Tobias Zuse", "tobias.hall"]),
        ("Contact: tobias.brook", ["tobias.brook"]),
        ("my gamertag is FrostWolf88", ["FrostWolf88"]),
        ("Screen name: Dark_Raven_9", ["Dark_Raven_9"]),
        ("Posted by moonPirate \u00bb Tue", ["moonPirate"]),
        ("> sunny_jo_4 wrote:\n> Dark_Raven_9 left", ["sunny_jo_4"]),
        ("It's P-E-T-T-I-F-E-R, double t.", ["P-E-T-T-I-F-E-R"]),
        ("That's D-O-V, D for dog.", ["D-O-V"]),
        ("That's R-O-S-E, as the flower.", ["R-O-S-E"]),
    ],
)
def test_a_name_on_a_screen_or_spelled_is_found(text: str, names: list[str]) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind in ("person", "handle")] == names


@pytest.mark.parametrize(
    "text",
    [
        "account created_at is null",
        "account my_user_1",
        "account MAX_RETRY",
        "follow the account GitHub",
        "Reviewed by Tobias Zuse.\nsee tobias.list",
        "open tobias.pdf",
        "read tobias.value",
    ],
)
def test_keys_and_words_of_programs_are_no_logins(text: str) -> None:
    assert "handle" not in {span.kind for span in tv.detect(text)}


@pytest.mark.parametrize("text", ["that is D-O-N-E", "plans A-B-C", "fill X-X-X", "use C-O-P-D"])
def test_letters_that_spell_a_word_are_no_name(text: str) -> None:
    assert tv.detect(text) == []


def test_a_writer_of_a_chat_may_be_called_as_a_product_is() -> None:
    talk = "rust: did you push it\notter: yes\nrust: and the tests?\notter: green now\nrust: thanks a lot\notter: ok"
    assert [talk[span.start : span.end] for span in tv.detect(talk)] == ["rust", "otter"] * 3
    roles = talk.replace("rust", "deployer").replace("otter", "runner")
    assert tv.detect(roles) == []


def in_column(head: str, *cells: str) -> list[str]:
    text = f"| Name | {head} |\n|---|---|\n" + "".join(f"| Tally | {cell} |\n" for cell in cells)
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "date" and span.why == "column"]


def test_days_without_years_fill_a_column() -> None:
    assert in_column("Due", "3/6", "4/7", "9/7") == ["3/6", "4/7", "9/7"]
    assert in_column("Due", "3/6", "tbc", "4/7", "2/8") == ["3/6", "4/7", "2/8"]
    assert in_column("Due", "6/3", "7/24", "7/9") == ["6/3", "7/24", "7/9"]


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("Score", ("3/6", "4/7", "2/8")),
        ("Due", ("3/10", "4/10", "2/10")),  # shares of ten
        ("Due", ("3/6", "14/70", "2/80")),
        ("Due", ("0/6", "4/7", "2/8")),
        ("Due", ("3/6", "tbc", "none", "late")),
        ("Due", ("14/7",)),
        ("Due", ("3/6", "4/7", "all", "none", "late", "lost")),
    ],
)
def test_shares_fill_a_column_too(head: str, cells: tuple[str, ...]) -> None:
    assert in_column(head, *cells) == []


def organizations(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "organization"]


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("Letter from Hale & Marsh, dated then.", ["Hale & Marsh"]),
        ("| Harbour & Lyle | call back |", ["Harbour & Lyle"]),
        ("made with Bed & Breakfast, too", []),
        ("a card from Tom & Meg.", []),
        ("a card from Meg & Pettifer.", ["Pettifer"]),
    ],
)
def test_partners_are_one_firm(text: str, firm: list[str]) -> None:
    assert organizations(text) == firm


def test_two_persons_are_no_firm() -> None:
    assert not any("&" in firm for firm in organizations("Orla Skelhorn & Grace came, Hope & Orla Skelhorn left"))
