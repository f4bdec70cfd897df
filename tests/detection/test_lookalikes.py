"""Labels, cars, letters behind names and statutes are no names; names beside them are."""

import pytest

import textveil as tv


def named(text: str) -> list[str]:
    """What is found as a person, a place or an organization."""
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind in ("person", "place", "organization")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ward: 7B   Coll.: 14/02/2024   Hosp. no.: 44719\nBed: 4\n", []),
        ("Temat: faktura\nNabiz: 92\nServis: 4\n", []),
        ("Antecedentes: enfermedad de Paget; morbo di Cushing.", []),
        ("EF: Murphy negativo, Blumberg negativo. Syndroom van Korsakov, maladie de Parkinson.", []),
        ("Qty   Description   Company\n2     Oak   4\n1     Ash   6\n", []),
        ("All that we sell here\nItem      Qty  Price\nOak       2    $18.00\n", []),
        ("The Private Housing (Tenancies) (Scotland) Act applies.", []),
        ("From: Noreply <noreply@lettings.example.com>\nSubject: rain\n", []),
        ("She drives a Kia Ceed and a Dacia Duster.", []),
        ("The Poor Law Act and the Housing Act apply.", []),
        ("Article 6 of the Constitutional Law and the Basic Law apply.", []),
        ("The Supreme Court (Oberster Gerichtshof) and the Court of Appeal (Sąd Apelacyjny) agreed.", []),
        ("His residence permit (Aufenthaltserlaubnis) ended.", []),
        ("Joy is just a word. Frank answer: no.", []),
        ("Oversight. Mark as done. Hope not.", []),
        ("Liebe Kollegin, im Herbst war es warm.", []),
        ("| Dept. | Ext. |\n|---|---|\n| Sales | 4 |\n", []),
    ],
)
def test_words_that_look_like_names_stay(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sian Prydderch, MRCVS", ["Sian Prydderch"]),
        ("Then Penny Law said no.", ["Penny Law"]),
        ("The Office (Oyelaran) and the Board (Legge) rang.", ["Oyelaran", "Legge"]),
        ("Seen by Kip Ferrante, PA-C. Signed Mary Roe, FNP-BC.", ["Kip Ferrante", "Mary Roe"]),
        ("The mother, Anna Crohn, has Crohn disease. Thomas Parkinson was seen.", ["Anna Crohn", "Thomas Parkinson"]),
        ("La maladie de Parkinson progresse. Le Dr Parkinson le voit.", ["Parkinson"]),
        ("Ottilie: did you see it?\nJorge: yes!\n", ["Ottilie", "Jorge"]),
        ("We met Joy. Frank is here.", ["Joy", "Frank"]),
        ("Herr Kollege Berg kommt im Herbst mit Frau Richter.", ["Berg", "Richter"]),
        ("Ford Mitchell drives a Ford Fiesta.", ["Ford Mitchell"]),
    ],
)
def test_names_that_look_like_words_are_found(text: str, names: list[str]) -> None:
    assert named(text)[: len(names)] == names


@pytest.mark.parametrize(
    "text",
    [
        "a Peugeot 208, his Ford F-150 and a Tesla Model 3",
        "a Nikon D850 and a Shimano Stradic 4000",
        "Day 1: we walk.\nDay 2: we rest. Tier 3, Sprint 12.",
        "ACCIDENT REP0RT F0RM",
        "fluent: English C1 (German B2)",
        "Witness 1: nobody     Witness 2: nobody",
        "the \u00a7 823 BGB, article 1231-1, s.13 of it, seat 23C, plot 17, bay 14",
        "auf \u00a7\u00a7 12 Abs. 3 Satz 2 und \u00a7 4 Nr. 2 StVO, Art. 6 Abs. 1 lit. f DSGVO, art. 5 ust. 2 pkt 3",
        "under 18 U.S.C. \u00a7 1030(a)(5) and \u00a7 12",
        "1. Sex  F      2. Date of birth x\n3. Place of birth  x",
        "1.1 one\n1.2 two\n  1.2.1 three",
        "an M35 class, a H25 lift and the AB-4 form",
        "1 Oak\n2 Elm\n3 Ash\n",
    ],
)
def test_numbers_of_models_labels_laws_and_misread_words_stay(text: str) -> None:
    numbers = [span for span in tv.detect(text) if any(map(str.isdigit, text[span.start : span.end]))]
    assert {span.kind for span in numbers} <= {"numbering"}


@pytest.mark.parametrize(
    "text",
    [
        "a Peugeot 2019",
        "I was 12: born",
        "Ad0ma, room B10",
        "block C1",
        "at 8: we go",
        "flat QK12",
        "in LS6",
        "1 Oak\n3 Elm\n2 Ash",
    ],
)
def test_numbers_that_look_like_those_of_models_and_labels_go(text: str) -> None:
    assert "numbering" not in {span.kind for span in tv.detect(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Started Upadacitinib and Bisoprolol; allergic to Amoxicillina. Etoricoxib helps.", []),
        ("Seen by Astrid Gleason about Ramipril.", ["Astrid Gleason"]),
    ],
)
def test_medicines_by_their_stems_are_no_names(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize("word", ["Prevacid", "Buscopan", "Haematology", "Tazorac", "Zimmer frame"])
@pytest.mark.parametrize("policy", ["clinical", "identifiers"])
def test_clinical_words_stay(policy: str, word: str) -> None:
    text = f"In the past. {word} helped; Astrid Gleason wants the {word} again."
    assert tv.Sanitizer(policy)(text).text.count(word) == 2
