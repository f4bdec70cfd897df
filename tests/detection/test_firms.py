"""Firms and institutions: by a legal form, by what sort of house they are, before or behind their names."""

import random

import pytest

from textveil.detection import firms as searches
from textveil.detection.embedded import embedded_detector
from textveil.detection.firms import find_cued_firms, find_firms, find_inns, find_trades
from textveil.detection.found import plain
from textveil.text.patterns import matches, matches_at


def firms(text: str) -> list[str]:
    """What is found as a firm, each once."""
    spans = [text[span.start : span.end] for span in find_firms(plain(text).text)]
    return list(dict.fromkeys(max((other for other in spans if span in other), key=len) for span in spans))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an estimate of J. T. Orbeck & Sons for it", "J. T. Orbeck & Sons"),
        ("seit 2022 bei Wellkuppel GmbH & Co. KG, Wetzlar", "Wellkuppel GmbH & Co. KG"),
        ("von der Torfbau Nordsee eG kam", "Torfbau Nordsee eG"),
        ("an der Firma Muchow e.V. liegt", "Firma Muchow e.V."),
        ("presso la Vasellame Orbetti & F.lli. Poi", "Vasellame Orbetti & F.lli"),
        ("a Olaria Pinheiro, Lda. fecha", "Olaria Pinheiro, Lda."),
        ("dla firmy Brzozowy Klon Sp. z o.o., ul. Polna", "Brzozowy Klon Sp. z o.o."),
        ("firma Kvapil s.r.o. poslala", "Kvapil s.r.o."),
        ("Datore di lavoro: Durante-Zoppetti e figli", "Durante-Zoppetti e figli"),
        ("presso Babati s.r.l. di Lecce", "Babati s.r.l."),
        ("bei der Weller AG & Co. KGaA", "Weller AG & Co. KGaA"),
        ("u Kostera i syn s.c. w", "Kostera i syn s.c."),
        ("bij Tegelhandel Boersma B.V. in", "Tegelhandel Boersma B.V."),
        ("the defendant, Sunway Pool & Patio LLC, paid", "Sunway Pool & Patio LLC"),
        ("owner of Prickly Pear Print Co-op, said", "Prickly Pear Print Co-op"),
        ("copy to Hawthorn Surgery, please", "Hawthorn Surgery"),
        ("works at The Pickled Herring Cafe", "The Pickled Herring Cafe"),
        ("results by Peg & Bib Timing.", "Peg & Bib Timing"),
        ("at work (Sandbanks Care Home).", "Sandbanks Care Home"),
        ("the Las Vegas Wedding Chapel", "Las Vegas Wedding Chapel"),
        ("im Klinikum Seeblick operiert", "Klinikum Seeblick"),
        ("die hausverwaltung Nestbau Immobilien ruft an", "Nestbau Immobilien"),
        ("do warsztatu Auto-Naprawa Klon s.c., dzwon", "Auto-Naprawa Klon s.c."),
        ("client : SCI Les Tamaris Bleus, gardien", "SCI Les Tamaris Bleus"),
        ("voor VvE De Drie Gapers, contact", "VvE De Drie Gapers"),
        ("im Wirtshaus Krone, da", "Wirtshaus Krone"),
        ("l'imprimerie Au Moulin Bleu est", "Au Moulin Bleu"),
        ("in de Praktijk De Wilgen kan", "Praktijk De Wilgen"),
        ("il Condominio Le Rondini paga", "Condominio Le Rondini"),
        ("wohnt im Haus Abendsonne, Zimmer", "Haus Abendsonne"),
        ("im Gasthof Krone gab es", "Gasthof Krone"),
        ("Faktura od Hurtownia Malwa sp. j. jest", "Hurtownia Malwa sp. j."),
        ("Officina Carrubba S.n.c. - Via", "Officina Carrubba S.n.c."),
        ("at Birnam Grain Co-operative\n", "Birnam Grain Co-operative"),
        ("im St.-Elisabeth-Krankenhaus gGmbH", "St.-Elisabeth-Krankenhaus"),
        ("das Albert-Schweitzer-Gymnasium ist", "Albert-Schweitzer-Gymnasium"),
        ("in de Sint-Agathakerk en", "Sint-Agathakerk"),
        ("woont in Huize Avondrust, kamer", "Huize Avondrust"),
        ("vive en la Residencia Virgen del Soto.", "Residencia Virgen del Soto"),
        ("chez Boulangerie Ty Krampouz à Morlaix", "Boulangerie Ty Krampouz"),
        ("c/o Pizzeria da Zia Peppa, poi", "Pizzeria da Zia Peppa"),
        ("über dem Café Lorenzen in der", "Café Lorenzen"),
        ("he works at tickety boo removals and\nyes he does", "tickety boo removals"),
        ("pick it up from hollins & daughter yet\nok", "hollins & daughter"),
        ("sopra la ferramenta bozzi. porta il vino\nciao", "ferramenta bozzi"),
        ("bei bäckerei harms an der ecke\nja genau so", "bäckerei harms"),
        ("à l'EHPAD Les Glycines", "EHPAD Les Glycines"),
    ],
)
def test_a_firm_is_found_by_its_form_or_by_its_sort(text: str, expected: str) -> None:
    assert firms(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she works as a barista at The Copper Whisk.", ["The Copper Whisk"]),
        ("works at Chocktaw Ridge Feed & Seed, cell", ["Chocktaw Ridge Feed & Seed"]),
        ("Venue: The Glasshouse Rooms, 4 Wharf", ["The Glasshouse Rooms"]),
        ("works at Starbucks; works at Orla Fenn's", []),
        ("had the pub, The Speckled Hen, in", ["The Speckled Hen"]),
        (
            "suppliers such as Bright Ladder, Plum & Kettle and Tidewater left",
            ["Bright Ladder", "Plum & Kettle", "Tidewater"],
        ),
        ("charities, including the Open Larder", ["Open Larder"]),
        ("clients such as Firefox and Ada Zuse; companies such as ours, firms like General Home", []),
        ("Church: no. School: General Home. It works for Visual Studio", []),
    ],
)
def test_an_employer_is_found_by_two_words_where_one_is_named(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_cued_firms(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Past Surgery: none. General Surgery saw her, Plastic Surgery too; a Foster Home.",
        "It is Best Practice, said the Care Home and the Book Club. Range of motion: Slight Limited.",
        "Visual Studio AS IS; LICENSE AG, BLOOD TYPE AB",
        "our Nursery, the Chapel & Garage",
        "die Praxis Rechnung und die Firma Rechnung",
        "im Haus Nummer 7, Haus und Hof, die Reha-Klinik, die Online-Apotheke, St. Ottilien",
        "la farmacia y la clinica de la calle",
        "Hawthorn Surgery Lane 4",
    ],
)
def test_sorts_of_houses_alone_are_no_firms(text: str) -> None:
    assert firms(text) == []


@pytest.mark.parametrize(
    ("text", "inns"),
    [
        ("In the Plough, then home; passes the Woodman each day", ["Plough", "Woodman"]),
        ("a seat at the Castle; to the Castle", ["Castle"]),
        ("the Rose & Crown Ladies lose; at the Black Dog.", ["Rose & Crown", "Black Dog"]),
        ("hes still in the dog and partridge lol\nyes", ["dog and partridge"]),
        ("he went to the red lion, then\nhome", ["red lion"]),
        (
            "in the Star Wars film, the Swan of Avon, a Fox and Goose story, the Bull Ring; at the Crown Court",
            [],
        ),
        ("behind the plough all night\nhe saw a dog and cat, in the black-bear", []),
    ],
)
def test_inns_go_by_their_signs(text: str, inns: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_inns(text)] == inns


def test_a_person_ends_before_the_firm() -> None:
    text = "Frau Matthiesen von der Torfbau Nordsee GmbH ruft an, und die Rechnung liegt bei mir."
    spans = embedded_detector().detect([text])[0]
    assert [text[span.start : span.end] for span in spans] == ["Matthiesen", "Torfbau Nordsee GmbH"]


def test_a_house_of_two_plain_words_goes_behind_at_and_a_trade_needs_a_word_of_its_own() -> None:
    def named(text: str) -> list[str]:
        return [text[span.start : span.end] for span in find_firms(text)]

    assert named("seen at Elm Bank Surgery today") == ["Elm Bank Surgery"]
    assert named("We booked Lowmoor Autos, then Cotswold Heating.") == ["Lowmoor Autos", "Cotswold Heating"]
    assert named("She moved into Rosewood Lodge and left the Pinecone Gallery") == [
        "Rosewood Lodge",
        "Pinecone Gallery",
    ]
    assert not named("Best of Rosewood Lodge") and not named("in Private Practice, from Best Practice, to Pain Clinic")
    assert named("to Sandwell General, at the Kwality Sweet Centre") == ["Sandwell General", "Kwality Sweet Centre"]
    assert not named("to the Attorney General, in the Data Center and the Garden Centre, Major General Smith")
    assert not named("at General Dental Practice, Underfloor Heating, Public Transport and Air Travel")
    assert not named("Our Google Analytics and the Central Heating failed, as Family Travel did.")


PIECES = (
    "works at ;The Copper Whisk;by ;with ;coach by ;Coach: ;  Venue: ; our customer ;their supplier ;Ann Lee ; is;|",
    "   Company name: ;company;from the contractor ;job as a cook at ;catering from ; Bank: ;.        Vet: ;,",
)


def test_a_cued_firm_begins_near_its_cue() -> None:
    draws, pieces = random.Random(4), [*";".join(PIECES).split(";"), "\n", "\xb7", ";"]
    found = 0
    for _ in range(5_000):
        text = "".join(draws.choices(pieces, k=draws.randint(2, 14)))
        spans = [match.span() for match in matches(searches._CUED, text)]
        assert [match.span() for match in matches_at(searches._CUED, text, searches._cued_places(text))] == spans, text
        found += len(spans)
    assert found > 200


TRADES = [
    ("it", "dalla Immobiliare Quaregna e dalla Immobiliare Comunale", ["Immobiliare Quaregna"]),
    ("de", "vom Reisebüro Okkenga und die Elektro Rechnung", ["Reisebüro Okkenga"]),
    ("fr", "le taxi Lacaze et les Transports Scolaires", []),
]


@pytest.mark.parametrize(("language", "text", "expected"), TRADES)
def test_a_trade_that_is_a_word_needs_a_word_that_is_none(language: str, text: str, expected: list[str]) -> None:
    read = plain(text)
    spans = [read.original(span.start, span.end) for span in find_trades(read.text, language)]
    assert [text[slice(*span)] for span in spans] == expected
