"""Names in the forms of letters, charts and files; words in capitals that are none."""

import pytest

import textveil as tv
from textveil.detection.formal_names import FORMAL_GATE, find_formal_names
from textveil.detection.gates import glance


def persons(text: str) -> list[str]:
    """What is found as a person."""
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.31) if span.kind == "person"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Re: Mrs Agnes PETTIFER, d.o.b. 02.05.1941", ["Agnes PETTIFER"]),
        ("Dr Sunil RAO and Prof. Li WANG saw her.", ["Sunil RAO", "Li WANG"]),
        ("Mr. Tom KOWALCZYK-REED, aged 40", ["Tom KOWALCZYK-REED"]),
        ("saw Mr W. van der Heide and left", ["W. van der Heide"]),
        ("Mr and Mrs J Pettifer", ["J Pettifer"]),
        ("Dear Mr A B Pettifer,", ["A B Pettifer"]),
        ("Her agent, Mrs F. Platou Amble, and Mr J Smith Today", ["F. Platou Amble", "J Smith"]),
        ("MRS J PETTIFER came.", ["J PETTIFER"]),
        ("Miss K. Obi and Nurse P Kettle", ["K. Obi", "P Kettle"]),
        ("Seen by Dr R K Venkataraman.", ["R K Venkataraman"]),
        ("Present: Cllr B Ashworth, Cllr Mrs D Pym", ["B Ashworth", "D Pym"]),
        ("Agnes PETTIFER came.", ["Agnes PETTIFER"]),
        ("Signed, PETTIFER, Agnes (Mrs)", ["PETTIFER, Agnes"]),
        ("Pt: Okonkwo, Chidi   DOB 12/11/1967", ["Okonkwo, Chidi"]),
        ("Patient: PETTIFER, Agnes M.", ["PETTIFER, Agnes M."]),
        (
            "Patient: Constable, John\nName: Old, Maria\nClient: Nurse, Ada",
            ["Constable, John", "Old, Maria", "Nurse, Ada"],
        ),
        ("1. Wells, Brandon 14:00", ["Wells, Brandon"]),
        ("Still, Brandon said no", ["Brandon"]),
        ("u.name='Okafor, Jide'", ["Okafor, Jide"]),
        ('"Name": "van Dyke, Chidi"', ["van Dyke, Chidi"]),
        ("my name is frank fields and i need help", ["frank fields"]),
        ("my name is elliott ball, hi", ["elliott ball"]),
        ("my name is mark.", ["mark"]),
        ("my name is grace price is high", ["grace"]),
        ("my name is important to me", []),
    ],
)
def test_the_whole_name_is_found(text: str, names: list[str]) -> None:
    assert persons(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Dr A Smith MBE", ["A Smith"]),
        ("Mr Tom MBE, Dr James FRCP", ["Tom", "James"]),
        (
            "Maria SQL, Agnes JSON, Peter KUBERNETES, Sarah PHP, Ask Peter NASA",
            ["Maria", "Agnes", "Peter", "Sarah", "Peter"],
        ),
        ("ATTENTION, Maria please. URGENT, Peter. ERROR, Anna", ["Maria", "Peter", "Anna"]),
        ("UNESCO, Paris", []),
        ("Patient: Stable, Alert. Name: Oslo, Norway. frame: Black, White", []),
    ],
)
def test_other_words_in_capitals_are_no_part_of_a_name(text: str, names: list[str]) -> None:
    assert persons(text) == names


def test_a_town_before_a_british_postal_code_is_a_place() -> None:
    text = "7 Orchard Close, Ludlow SY8 1PX, or 9 High St\nStoke on Trent, ST4 7QB. Postcode: SY8 1PX"
    places = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "place"]
    assert {"Ludlow", "Stoke on Trent", "SY8 1PX", "ST4 7QB"} <= set(places)
    assert not any("Postcode" in place for place in places)


def test_an_address_in_small_letters_is_found_and_ordinals_are_none() -> None:
    text = "ls6 3hn, 41 norwood grove; e4 7qb. On s3 2nd street and m4 5th; e4 e5 nf3; v2 4ab"
    places = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "place"]
    assert places == ["ls6 3hn", "41 norwood grove", "e4 7qb"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Her last day is 31/3, review 20/03, on 13/4, due 28/2.", ["31/3", "20/03", "13/4", "28/2"]),
        ("by 2/3 majority, due 12/5 inch, on 24/7, after 24/7 support, seen 30/2, 16/9", []),
    ],
)
def test_a_day_and_a_month_behind_a_word_are_a_date_in_either_order(text: str, found: list[str]) -> None:
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "date"] == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('Fix it by Friday. - Stav"', ["Stav"]),
        ("See you soon! -Stav\nok", ["Stav"]),
        ("It works. - Redis", []),
        (
            "12/01/2026, 19:06 - Gio \U0001f3cd: train at 8\n[12/01/26, 7:07:11 PM] Nonna Pina: ok",
            ["Gio", "Nonna Pina"],
        ),
        ("[12/01/2026, 19:06] Customer: hello\n[12/01/2026, 19:07] Support Team: hi", []),
        ("Great product! - Verified Buyer", []),
        ("Two things:\n- Redis\n- Vault", []),
        ("absent: Per-Olof", ["Per-Olof"]),
    ],
)
def test_who_signs_behind_a_dash_and_names_of_two_parts_are_found(text: str, names: list[str]) -> None:
    assert persons(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "so Agnes SMIT came",
        "so PETTIFER, Agnes came",
        "so it is. - Stav",
        "so it is. ~Stav",
        "so Cllr J Pettifer came",
    ],
)
def test_the_gate_is_open_for_each_form_alone(text: str) -> None:
    assert list(find_formal_names(text)) and FORMAL_GATE(text, glance(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Winterbourne, Ottilie\n14 items\n", ["Winterbourne, Ottilie"]),
        ('Tobias "Bunty" Thackray won the race.', ["Tobias", "Bunty", "Thackray"]),
        ("We had dinner with the Hussains on Sunday.", ["Hussains"]),
        ("ALL STAFF: DES GOODENOUGH IS LEAVING", ["DES GOODENOUGH"]),
        ("London, Ontario\nOak, Brass\nPrice, Total\n", []),
        ('The "Bunty" Table won, Oak (Brass) Table too.', []),
        ("We went with the Rangers to the Netherlands and the Giants won.", []),
    ],
)
def test_names_by_lists_alone(text: str, names: list[str]) -> None:
    assert persons(text) == names
