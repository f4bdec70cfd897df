"""Names in the forms of letters, charts and files; words in capitals that are none."""

from __future__ import annotations

import pytest

import textveil as tv


def persons(text: str) -> list[str]:
    """What is found as a person."""
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Re: Mrs Agnes PETTIFER, d.o.b. 02.05.1941", ["Agnes PETTIFER"]),
        ("Dr Sunil RAO and Prof. Li WANG saw her.", ["Sunil RAO", "Li WANG"]),
        ("Mr. Tom KOWALCZYK-REED, aged 40", ["Tom KOWALCZYK-REED"]),
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
        ("u.name='Okafor, Jide'", ["Okafor, Jide"]),
        ('"Name": "van Dyke, Chidi"', ["van Dyke, Chidi"]),
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
