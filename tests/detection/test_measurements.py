"""Numbers that know what they are: measurements, quantities, durations and amounts, and what none of them swallows."""

import pytest
from tests.helpers.growth import is_linear

import textveil as tv
from textveil.detection.measurements import find_measurements
from textveil.detection.quantities import find_counts, find_list_numbers, find_named_numbers


def found(text: str, *kinds: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind in kinds]


MEASURED = [
    ("BP 101/66, HR 91, RR 22, T 38.4", ["BP 101/66", "HR 91", "RR 22", "T 38.4"]),
    ("SpO2 93% on 3L NC. Plt 88.", ["SpO2 93% on 3L NC", "Plt 88"]),
    ("Hemoglobin was noted to be 10.4", ["Hemoglobin was noted to be 10.4"]),
    ("K 3.1, INR 2.4, Cr of 1.9", ["K 3.1", "INR 2.4", "Cr of 1.9"]),
    ("CBC 9.8/11.2/33/201", ["CBC 9.8/11.2/33/201"]),
    ("respiratory rate 18, total bili 0.8", ["respiratory rate 18", "total bili 0.8"]),
    ("Ejection fraction 55%, ckd stage 3b", ["Ejection fraction 55%", "ckd stage 3b"]),
    (
        "prostate specific antigen 4.1, alkaline phosphatase 98",
        ["prostate specific antigen 4.1", "alkaline phosphatase 98"],
    ),
    ("a total of 45 at a rate of 12", []),
    ("T\xaa 38,1, T\xaa: 36.7, TAS 130, SatO2 97%", ["T\xaa 38,1", "T\xaa: 36.7", "TAS 130", "SatO2 97%"]),
    ("Ta 20, the Ta is 38", []),
    ("Blutdruck 135/85, Temperatur 38,5 \xb0C", ["Blutdruck 135/85", "Temperatur 38,5 \xb0C"]),
    ("Norvasc 5 mg PO daily", ["Norvasc 5 mg PO daily"]),
    ("vancomycin 1,250 mg IV q12h x 7 days", ["vancomycin 1,250 mg IV q12h x 7 days"]),
    ("25 mcg/h, 500mg/5mL and 0.5 mL/kg/hr", ["25 mcg/h", "500mg/5mL", "0.5 mL/kg/hr"]),
    ("a 15 x 10 mm scar, 5'10\", 2,282 sq. m", ["15 x 10 mm", "5'10\"", "2,282 sq. m"]),
    ("ECOG 2, stage IIIA, CKD 4, type 1 diabetes", ["ECOG 2", "stage IIIA", "CKD 4", "type 1"]),
    ("Gleason 4+3=7, Child-Pugh C, pT3N1M0", ["Gleason 4+3=7", "Child-Pugh C", "pT3N1M0"]),
    ("G4P2012, L3-L4, 20/40, pulses 2+", ["G4P2012", "L3-L4", "20/40", "pulses 2+"]),
    ("pain is 6/10; strength 4/5 in both legs", ["pain is 6/10", "4/5"]),
    ("a 3.2 GHz chip with 16 GB at 220 V", ["3.2 GHz", "16 GB", "220 V"]),
]
QUANTITIES = [
    ("12 patients and 1,107 rows", ["12 patients", "1,107 rows"]),
    ("sixteen other persons, two of five", ["sixteen other persons", "two of five"]),
    ("45 %, the 2nd of them", ["45 %", "2nd"]),
    ("COVID-19, an F-16 and MP3", ["COVID-19", "F-16", "MP3"]),
]
NUMBERING = [
    ("see page 3 of 12 and section 4.2", ["3 of 12", "4.2"]),
    ("1. Gout\n2. Asthma\n", ["1.", "2."]),
    ("1st, a cake\n2nd, wine\n3rd, tea\nhe came 2nd", ["1st,", "2nd,", "3rd,"]),
    ("section 12(3) of the Housing Act 1985; Ley 39/2015", ["12(3)", "Act 1985", "Ley 39/2015"]),
    ("Articles 6 § 2, 8 and 13 of it; Article 5 §§ 3 and 5", ["6", "2", "8", "13", "5", "3", "5"]),
    ("Article 6 and 14 children", ["6"]),
    ("sections 134 (1) and 103 (2), Protocol No. 11", ["134 (1) and 103 (2)", "Protocol No. 11"]),
    ("Law no. 3713 and the Law of 17 June 2004", ["Law no. 3713", "Law of 17 June 2004"]),
    ("the 1997 Lustration Act; the order of 17 June 2004", ["1997"]),
    ("Abs. 3, Art. 7, comma 2, blz. 9, TOP 3", ["3", "7", "2", "9", "3"]),
    ("Psalm 23, witness 2, the 1841 Census", ["23", "2", "1841"]),
    ("room 12, ward 3, Goethe Str. 12, born 1985, he acted in 1985; mail me@example.org 9", []),
]
DURATIONS = [
    ("three months, 6 weeks, a fortnight", ["three months", "6 weeks", "a fortnight"]),
    ("eight months' imprisonment", ["eight months'"]),
    ("a two-day hearing after one year and four months", ["two-day", "one year and four months"]),
    ("two and a half years at 39w2d", ["two and a half years", "39w2d"]),
]
AMOUNTS = [
    ("a fine of 375 Turkish liras (TRY)", ["375 Turkish liras (TRY)"]),
    ("20 million old Turkish lira, PLN 5,000", ["20 million old Turkish lira", "PLN 5,000"]),
    ("GBP 215 per month, 88,674 zlotys, fifty bucks", ["GBP 215 per month", "88,674 zlotys", "fifty bucks"]),
]


@pytest.mark.parametrize(("text", "spans"), MEASURED)
def test_measurements_have_their_name_their_unit_and_their_schedule(text: str, spans: list[str]) -> None:
    assert found(text, "measurement") == spans
    assert not found(text, "person", "place", "organization")


@pytest.mark.parametrize(("text", "spans"), QUANTITIES)
def test_quantities_are_counts_ordinals_and_names_with_digits(text: str, spans: list[str]) -> None:
    assert found(text, "quantity") == spans


@pytest.mark.parametrize(("text", "spans"), NUMBERING)
def test_numbering_is_of_sections_items_and_laws(text: str, spans: list[str]) -> None:
    assert found(text, "numbering") == spans


@pytest.mark.parametrize(("text", "spans"), DURATIONS)
def test_durations_are_in_digits_and_words(text: str, spans: list[str]) -> None:
    assert found(text, "duration") == spans


@pytest.mark.parametrize(("text", "spans"), AMOUNTS)
def test_amounts_are_in_the_currencies_of_the_world(text: str, spans: list[str]) -> None:
    assert found(text, "money") == spans


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Na 138 on 3/4/2024", "date", "3/4/2024"),
        ("seen on 3/4 with HR 88", "date", "3/4"),
        ("MRN 4471203, Plt 143", "id", "4471203"),
        ("HR called from 617-555-0133", "phone", "617-555-0133"),
        ("a 45-year-old man", "age", "45"),
        ("a 3-week-old girl", "age", "3-week"),
        ("BP taken at 14:30", "time", "14:30"),
        ("12 W Main St, Apt 5L", "place", "12 W Main St, Apt 5L"),
        ("Ms. Zorn 30 mg", "person", "Zorn"),
        ("Delivered to Carla Rutherford, 64 Mossgate Road", "person", "Carla Rutherford"),
        ("gave Mary 40 mg", "person", "Mary"),
    ],
)
def test_dates_ids_phones_ages_addresses_and_names_are_not_swallowed(text: str, kind: str, value: str) -> None:
    assert found(text, kind) == [value]


@pytest.mark.parametrize("text", ["Delivered via LTCS for NRFHT 3 days ago", "PT saw him in room 4 of 7"])
def test_abbreviations_after_via_are_no_street(text: str) -> None:
    assert not [place for place in found(text, "place") if "LTCS" in place]


def test_numbers_that_do_not_follow_one_another_are_no_list() -> None:
    assert not list(find_list_numbers("7. Gout\n3. Asthma\n9. Pain\n"))


@pytest.mark.parametrize("piece", ["1 to ", "1/", "Hgb ", "2. ", "1-", "a-1", "1,", "five ", "x1", "1 mg ", "\n1."])
def test_hostile_rows_take_linear_time(piece: str) -> None:
    """The mutant that dies has a number that is read again from each of its groups."""
    for search in (find_measurements, find_counts, find_list_numbers, find_named_numbers):
        assert is_linear(lambda text, search=search: list(search(text)), piece), search


@pytest.mark.parametrize("name", ["Rutherford", "Clark", "Wells", "Fisher"])
@pytest.mark.parametrize(
    "phone", [", (212) 555-0120", " (212) 555-0120", ", +49 30 4693821", ": 212 555 0120", " (+49 30 1)"]
)
def test_family_that_names_a_score_too_is_none_before_a_telephone(name: str, phone: str) -> None:
    assert f"Zoltan {name}" in found(f"Ask Zoltan {name}{phone}, first.", "person")
    assert found(f"{name} 3", "measurement") == [f"{name} 3"]


def test_numbers_of_a_list_are_found_within_its_lines_too() -> None:
    text = "1. Minutes agreed. 2. Plot 17b goes.\n3. Water\n4. Locks\n"
    numbers = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "numbering"]
    assert numbers == ["1.", "2.", "17b", "3.", "4."]
