"""Names of persons, places and organizations: by what evidence they are found, and what is none."""

import pytest
from tests.helpers.growth import is_linear

import textveil as tv
from textveil.detection.embedded import embedded_detector
from textveil.detection.found import Found
from textveil.detection.mentions import with_guesses
from textveil.detection.name_evidence import EVIDENCE, Evidence

DETECTOR = embedded_detector()
NAMES = ("person", "place", "organization")


def found(text: str, *, above: float = 0.35) -> list[tuple[str, str, str]]:
    """The names of a text with evidence: what is written, the kind, and why."""
    spans = DETECTOR.detect([text])[0]
    return [(text[one.start : one.end], one.kind, one.why) for one in spans if one.kind in NAMES and one.score > above]


@pytest.mark.parametrize(
    ("text", "name", "kind", "why"),
    [
        ("saw Dr. Parkinson today", "Parkinson", "person", "title"),
        ("by Mr Z. Necatigil, a lawyer", "Z. Necatigil", "person", "title"),
        ("by Ms N.\u00d6. Ak\u0131n, a lawyer", "N.\u00d6. Ak\u0131n", "person", "title"),
        ("by Ms A.-M. Mendiboure, a lawyer", "A.-M. Mendiboure", "person", "title"),
        ("by Mr A. Demetriades, a lawyer", "A. Demetriades", "person", "title"),
        ("by Mr Cz. S\u0142awski (Rule 36)", "Cz. S\u0142awski", "person", "title"),
        ("by Mr Franz Cede, Head of it", "Franz Cede", "person", "title"),
        ("by Mrs Ingrid Short, Head of it", "Ingrid Short", "person", "title"),
        ("the nurse, RN Kaitlyn, came", "Kaitlyn", "person", "title"),
        ("her daughter Will came", "Will", "person", "cue"),
        ("our landlord Abernathy called", "Abernathy", "person", "cue"),
        ("my boss Priya agreed", "Priya", "person", "cue"),
        ("his neighbor Okonkwo moved", "Okonkwo", "person", "cue"),
        ("Patient: Grace\nSeen today", "Grace", "person", "field"),
        ("Cc: Oduya\nSubject: x", "Oduya", "person", "field"),
        ("Seller: MartinArt\nItem: desk", "MartinArt", "person", "field"),
        ("See you then.\n\nBest,\nTuncay\n", "Tuncay", "person", "cue"),
        ("the Erzurum State Security Court held", "Erzurum State Security Court", "organization", "institution"),
        ("at Wronki Prison in", "Wronki Prison", "organization", "institution"),
        ("the Beyo\u011flu Court of First Instance said", "Beyo\u011flu Court of First Instance",
         "organization", "institution"),
        ("the Konak District National Education Directorate", "Konak District National Education Directorate",
         "organization", "institution"),
        ("the Ninth Chamber of the Istanbul Assize Court", "Ninth Chamber of the Istanbul Assize Court",
         "organization", "institution"),
        ("at the Narl\u0131dere police station", "Narl\u0131dere police station", "organization", "institution"),
        ("at Denver hospital today", "Denver hospital", "organization", "institution"),
        ("near the Kingdom of Sweden", "Kingdom of Sweden", "place", "place-end"),
        ("in the District of Kyrenia", "District of Kyrenia", "place", "place-end"),
        ("in the Borough of Southwark", "Borough of Southwark", "place", "place-end"),
        ("a member of the PKK, he", "PKK", "organization", "cue"),
        ("Acme Widget GmbH said", "Acme Widget GmbH", "organization", "company-end"),
        ("we flew to Zambia", "Zambia", "place", "list"),
    ],
)  # fmt: skip
def test_a_name_is_found_whole_and_says_why(text: str, name: str, kind: str, why: str) -> None:
    assert (name, kind, why) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Parkinson's disease and Hodgkin lymphoma",
        "Foley removed. Positive Babinski sign. Apgar 9.",
        "the Hawkins test, a Colles fracture, a Pap smear",
        "Decreased ROM. Father had CAD and a TIA.",
        "an IgA deficiency, SpO2 94%, HbA1c 7",
        "it raised KeyError in UserRepository, MiraLAX daily",
        "the Supreme Court, the Ministry of Foreign Affairs and the Court of Appeal",
        "in the Emergency Department of the General Hospital",
        "our City Council and the State University",
        "he moved from the West Coast to the East Coast",
        "Vitals: BP 101/77, Plt 143",
        "seen on Saturdays and Sundays",
    ],
)
def test_what_names_nobody_has_no_evidence(text: str) -> None:
    assert found(text) == []


def test_an_unlisted_word_that_is_a_guess_once_is_one_everywhere() -> None:
    text = "Twiglet ran. We met Twiglet, Twiglet's aunt, a twiglet and Twiglet_2."
    spans = with_guesses(text, [Found(20, 27, "person", 0.3)])
    assert [(span.start, span.end, span.score) for span in spans] == [(0, 7, 0.3), (20, 27, 0.3), (29, 36, 0.3)]
    known = [Found(0, 4, "person", 0.3)]
    assert with_guesses("Sand ran. Sand is here.", known) == known


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Dr. Zumtobel came. We met Zumtobel again.", ["Zumtobel"]),
        ("Maria Zumtobel left. Then Zumtobel, M. came, and Maria.", ["Zumtobel, M."]),
        ("Andreas Demetriades sued. A.D. was heard.", ["A.D."]),
        ("Mr Andreas Demetriades sued. The case of A. Demetriades.", []),
        ("Mr Franz Cede came. He saw the letter of Cede there.", ["Cede"]),
        ("Mr Franz Cede came. Cede the land. They cede it.", []),
        ("my partner Hope. Hope, faith and love. Hope (n.) is a word.", []),
        ("I met my partner Hope. Hope in a mood. Hope springs. Hope - low.", ["Hope", "Hope", "Hope"]),
        ("Mark Zumtobel said so. Mark the date. Dr. Bright. Bright red blood.", []),
        ("It is Massachusetts General Hospital (MGH). At MGH we", ["MGH"]),
        ("of Zumtobel Lighting GmbH; later Zumtobel Lighting grew", ["Zumtobel Lighting"]),
    ],
)
def test_a_name_found_once_is_found_at_every_mention(text: str, mentions: list[str]) -> None:
    assert [written for written, _, why in found(text) if why == "mention"] == mentions


def test_the_short_form_beside_an_institution_is_one_too() -> None:
    text = "the PKK (the Kurdistan Workers' Party) and Oslo District Court (Oslo tingrett). The PKK said"
    assert [(name, why) for name, _, why in found(text)] == [
        ("PKK", "gloss"),
        ("Kurdistan Workers' Party", "institution"),
        ("Oslo District Court", "institution"),
        ("Oslo tingrett", "gloss"),
        ("PKK", "mention"),
    ]


@pytest.mark.parametrize("inside", ["\xa0\xa0", " - ", "--"])
def test_parentheses_without_a_word_beside_a_place_are_no_gloss(inside: str) -> None:
    assert [name for name, _, _ in found(f"We live in Austin ({inside}), Texas.")][:1] == ["Austin"]


@pytest.mark.parametrize("text", ["We met Fibroscan there.", "then Fibroscan Syrup came"])
def test_a_capital_alone_is_a_guess(text: str) -> None:
    spans = [one for one in DETECTOR.detect([text])[0] if one.kind in NAMES]
    assert {one.score for one in spans} == {0.3}


@pytest.mark.parametrize(
    "piece", ["Dr. Aa Bb. ", "Aa Court of Bb ", "A.B. ", "Aa (AB) ", "Court ", "Dr. A-", "AB (Aa Bank) "]
)
def test_mentions_take_time_in_proportion_to_the_text(piece: str) -> None:
    assert is_linear(lambda text: DETECTOR.detect([text]), piece)


@pytest.mark.parametrize(
    ("text", "persons"),
    [
        ("They had five: Zvezdimela, Hannah, Anthony, David and Romivar.", ["Zvezdimela", "Romivar"]),
        ("Present were Owens, Duran & Quillfeather.", ["Quillfeather"]),
        ("Compare Zvezdimela, Quillfeather and Maria.", []),
        ("We saw Anna, Paris and David.", []),
        ("Hannah, Anthony, Chemistry and David came.", []),
    ],
)
def test_an_enumeration_of_persons_names_its_other_words(text: str, persons: list[str]) -> None:
    found_there = [name for name, _, why in found(text) if why == "enumeration"]
    assert found_there == persons


def test_enumerations_take_time_in_proportion_to_the_text() -> None:
    assert is_linear(lambda text: DETECTOR.detect([text]), "Anna, Hannah, Zvez, ")
    DETECTOR.detect(["Anna, " + "Aa Bb, " * 14_000])


def test_long_names_of_companies_end_with_the_text_too() -> None:
    """A name of more words than are looked at, and behind it the ends of a company's name."""
    words = [
        "Peter",
        "Quincy",
        "Wilbur",
        "Alton",
        "Marlow",
        "Corwin",
        "Denby",
        "Farrow",
        "Holt",
        "Jarvis",
        "Keller",
        "Lomax",
    ]
    for count in range(1, len(words) + 1):
        for ends in ("Co Ltd", "Holdings Co Ltd", "Group Holdings Inc"):
            DETECTOR.detect([f"We met {' '.join(words[:count])} {ends}."])


@pytest.mark.parametrize("row", EVIDENCE, ids=lambda row: row.name)
def test_a_row_of_evidence_finds_its_example_and_ignores_the_other(row: Evidence) -> None:
    def holds(example: str) -> bool:
        return row.gate(example, True) and bool(row.pattern.search(example) if row.back else row.pattern.match(example))

    assert holds(row.finds)
    assert not holds(row.ignores)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("HR/Hoekstra_Jelmer_contract.docx", "Hoekstra_Jelmer"),
        ("/srv/cv-jelmer-hoekstra.pdf", "jelmer-hoekstra"),
        ("HR/contract_signed_final.docx", ""),
    ],
)
def test_two_names_of_a_person_are_found_in_the_name_of_a_file(path: str, name: str) -> None:
    text = f"Jelmer Hoekstra called about {path} today."
    found = [text[span.start : span.end] for span in tv.detect(text) if span.start > 20]
    assert found == ([name] if name else [])


def test_headings_of_a_german_table_are_no_names() -> None:
    def persons(text: str) -> list[str]:
        found = embedded_detector().detect([text])[0]
        return [text[span.start : span.end] for span in found if span.kind == "person" and span.score > 0.35]

    assert persons("Nr\tName\tGeburtsdatum\tBemerkung\n") == persons("Name Anschrift\n") == []
    assert persons("Name Hannelore Schäfer\n") == ["Hannelore Schäfer"]


@pytest.mark.parametrize("given", ["Will", "May", "June", "April", "Ty", "Grace", "Kwabena"])
@pytest.mark.parametrize("family", ["Carpenter", "Field", "Okonkwo", "Szczepański", "ap Rhys", "St John", "de Vries"])
def test_a_name_of_words_is_found_whole(given: str, family: str) -> None:
    name = f"{given} {family}"
    for sentence in (
        f"Your neighbour {name} complained about the noise.",
        f"We met Susan Miller and {name} at the station.",
        f"It was signed by {name} last week.",
        f"The tenant ({name}) moved out.",
    ):
        place = sentence.index(name)
        spans = [(span.start, span.end) for span in tv.detect(sentence, min_score=0.35) if span.kind == "person"]
        assert any(start <= place and place + len(name) <= end for start, end in spans), sentence


@pytest.mark.parametrize(
    "text",
    [
        "In May Okonkwo sold more than in April.",
        "The May Bank Holiday and April Fools are near.",
        "Will Susan come? Will Price rises ever end.",
        "The January to May Sales were good, by April Sales fell.",
    ],
)
def test_a_month_or_a_verb_before_a_capital_is_no_given_name(text: str) -> None:
    found = [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.kind == "person"]
    assert not any(name.startswith(("May ", "April ", "Will Susan")) for name in found)
