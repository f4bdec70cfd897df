"""Names that a word of any language announces, and what else calls a person of a document."""

import pytest

import textveil as tv
from textveil.detection.cued_names import CUES, Cue, find_cued_names, find_introduced
from textveil.detection.found import plain


def cued(text: str) -> list[str]:
    """What the cues announce as a person."""
    return [text[span.start : span.end] for span in find_cued_names(plain(text).text) if span.kind == "person"]


def named(text: str) -> list[str]:
    """What is found as a person or as a handle."""
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind in ("person", "handle")]


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.name)
def test_a_cue_finds_its_example_and_ignores_the_other(cue: Cue) -> None:
    assert cued(cue.finds)
    assert not cued(cue.ignores)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ihr Ehemann, Traugott, und ihre Tochter Wiebke", ["Traugott", "Wiebke"]),
        ("accompagnata dal rag. Brunelleschi", ["Brunelleschi"]),
        ("Meier, geb. Wuttke, wohnt", ["Meier", "Wuttke"]),
        ("mama z domu Kurzydło zmarła", ["Kurzydło"]),
        ("1. Marguerite, née en 1838\n2. François, né le 4\n", ["Marguerite", "François"]),
        ("Huisarts: dr. W. van der Heide, in", ["W. van der Heide"]),
        ("he bit a girl called Saffron.", ["Saffron"]),
        ("Uncle Des: no. Aunt Peg says so.", ["Des", "Peg"]),
        ("I'm Mhairi, my girlfriend is late", ["Mhairi"]),
        ("Rédigé par : Hippolyte Cazenave\n", ["Hippolyte Cazenave"]),
        ("Imię i nazwisko: Bożena Wilk\n", ["Bożena Wilk"]),
        ("Firmado: G. Zubizarreta.", ["G. Zubizarreta"]),
        ("Groet,\nLieselot Verschueren", ["Lieselot Verschueren"]),
        ("Bisous Nolwenn", ["Nolwenn"]),
        ("Bis morgen, LG Uschi", ["Uschi"]),
        ("Groetjes, Marloes", ["Marloes"]),
        ("Saygılarımla,\nNurettin Karagöz", ["Nurettin Karagöz"]),
        ("Sayın Nurettin Karagöz,", ["Nurettin Karagöz"]),
        ("Haar broers Wouter en Sietse komen", ["Wouter", "Sietse"]),
        ("Authorised by: Dr O. Lindqvist", ["O. Lindqvist"]),
        ("seen by DI Okafor", ["Okafor"]),
        ("Hasta Adı Soyadı: Ayşe", ["Ayşe"]),
        ("Unser Fahrer, der Poldi, kommt", ["Poldi"]),
        ("chiamare la caposala, Nunzia, allo", ["Nunzia"]),
        ("o meu cunhado, o Eusébio; ele", ["Eusébio"]),
        ("contacter sa sœur, Fiammetta, au", ["Fiammetta"]),
        ("to be Marguerita Skelding, his sister-in-law.", ["Marguerita Skelding"]),
        ("Fañch, son défunt mari, dort", ["Fañch"]),
        ("mine, my plumber (gaz), is late; my wife nerys died", ["gaz", "nerys"]),
        ("Witness 1: W. Rosser\nWitness 2: Carys (agency)", ["W. Rosser", "Carys"]),
        ("Presenti: Tarcisio Borsini (mill. 112), Loredana Azzi (98)", ["Tarcisio Borsini", "Loredana Azzi"]),
        ("NOM : BELKADEM-TISSAUT\n", ["BELKADEM-TISSAUT"]),
        ("Known as:   Rob\n", ["Rob"]),
        ("Dzięki,\nWacek", ["Wacek"]),
        ("So my partner Flick left, and my brother in law buzz works there", ["Flick", "buzz"]),
        ("her husband Sunny (70), COPD, more breathless", ["Sunny"]),
        ("chiama lo zio peppe, il numero\nciao a tutti, a domani", ["peppe"]),
        ("a tia cida vai atender no lugar\nnão vai dar hoje", ["cida"]),
        ("bel ik mevr ter Braak", ["ter Braak"]),
        ("Utente: Hermínio Falcato Brás\n", ["Hermínio Falcato Brás"]),
    ],
)
def test_cues_of_each_language_announce_a_name(text: str, names: list[str]) -> None:
    assert cued(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Owner: Platform Team\n",
        "geb. am 4. 5., geb. Januar 1950; patiente née le 3 mai; je ne Sais",
        "Contact: Reception\n",
        "Please make Ubuntu boot",  # "make" is a husband in Swedish
        "Kind regards,\nThe Payroll Team",
        "Firmado: Tesorería",
        "name: InvoiceRecognizer\n",
        "her husband, a lawyer",
        "Signed: 14 March",
        "turn it on. Bruni",
        "la casa di Marco",
        "a pc Lenovo",
        "our driver, Friday, is late; my boss (retired) came",
        "my wife googled it and my wife really wants it",
        "viendra avec son compagnon, demain",
        "The Grey Goose, her car; Monday, his birthday",
        "her sister Monday; my brother English, my sister wedding was late",
        "so ist es mit tante und oma, die\nwir haben ja auch zeit",
        "one of a kind Cisco router",
        "LETTERA DI DIMISSIONE",
    ],
)
def test_cues_before_what_names_nobody(text: str) -> None:
    assert cued(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("hi it's penny from the florist", ["penny"]),
        ("alright mate dusty here at the shop; dusty here from the shop", ["dusty"]),
        ("Hi, Chance here from Oakapple", ["Chance"]),
        ("you're speaking to Fern. Through to the till: I was talking to Clay, how are you", ["Fern", "Clay"]),
        ("hallo moni hier ist wolle, du", ["wolle", "moni"]),
        ("oi gente, aqui é a duda do salão", ["duda"]),
        ("hola familia, soy la chusa. que", ["chusa"]),
        ("ciao titti sono gigio, allora", ["gigio", "titti"]),
        ("hi its about a leak; hello, this is great; hi it's late already", []),
        ("hey it's me. hallo, hier ist der schlüssel. hi its tash92 here", []),
        ("hi it's Mia's birthday; I was speaking to management, and talking to strangers.", []),
    ],
)
def test_who_says_who_it_is_goes_whatever_word_the_name_is(text: str, names: list[str]) -> None:
    read = plain(text).text
    assert [text[span.start : span.end] for span in find_introduced(read)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mr Barnaby Quimby wrote. SSH_USER is bquimby now.", ["Barnaby Quimby", "bquimby"]),
        ("Barnaby Quimby called; barnaby and b.quimby again", ["Barnaby Quimby", "barnaby", "b.quimby"]),
        ("login ok user=mthackeray\nmthackeray viewed it", ["mthackeray", "mthackeray"]),
        ("Mrs Oona Tierney left. The Tierneys own it.", ["Oona Tierney", "Tierneys"]),
        ("Dr José Ibáñez: IBANEZ was late.", ["José Ibáñez", "IBANEZ"]),
        ("Ms Philippa Garside wrote. Best, Pip", ["Philippa Garside", "Pip"]),
        ("Henrietta Plaskow, that's P L A S K O W", ["Henrietta Plaskow", "P L A S K O W"]),
        ("Mr Darren Skelding saw her. Marguerita Skelding left", ["Darren Skelding", "Marguerita Skelding"]),
        ("Jelmer Hoekstra uses PC-JHOEKSTRA", ["Jelmer Hoekstra", "PC-JHOEKSTRA"]),
        ("Kind regards,\nSiân Prydderch MRCVS", ["Siân Prydderch"]),
        ("Write a mail. Greet Roger by first name. Danke Priya! Viva Orla!", ["Roger", "Priya", "Orla"]),
        ("Pt OGUNLESI, TEMITOPE  Hosp. no. R778120", ["OGUNLESI, TEMITOPE"]),
        ("Ms P. Nnamani wrote. It is signed P NNAMANI.", ["P. Nnamani", "P NNAMANI"]),
        ("Mr Tom Bray is in. ask tom", ["Tom Bray", "tom"]),
        ("Passenger SAYLE/IMOGEN MS boards", ["SAYLE/IMOGEN MS"]),
        ("Mr Zuzanna Kowalczyk met zkowalczyk42", ["Zuzanna Kowalczyk", "zkowalczyk42"]),
        ("Dawn Baker called; so dawn baker pays", ["Dawn Baker", "dawn baker"]),
        ("Mr Matthieu Salmon. WITNESS MATTHIEU SALMON", ["Matthieu Salmon", "MATTHIEU SALMON"]),
        ("Ms Allison Mason came. We asked Allison\nMason then", ["Allison Mason", "Allison\nMason"]),
        ("Dr Lauren Black wrote /srv/lauren_black/a.txt", ["Lauren Black", "lauren_black"]),
        ("Mr Denis Gibson set denisGibsonAccount = 3", ["Denis Gibson", "denis", "Gibson"]),
        ("Mr Denis Gibson is GibsonDenis there", ["Denis Gibson", "Gibson", "Denis"]),
        ('Mr Leonard Archer left {"by": "Archer", "n": 3}', ["Leonard Archer", "Archer"]),
        (
            "Ms G\xfcl\u015fa \u0130hsano\u011flu: _\u0130hsano\u011flu_ was here",
            ["G\xfcl\u015fa \u0130hsano\u011flu", "\u0130hsano\u011flu"],
        ),
    ],
)
def test_second_mentions_of_a_person_are_found(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mr Mark Ward spoke. Please mark the ward as done.", ["Mark Ward"]),
        ("Ms Constance Field left const and field alone.", ["Constance Field"]),
        ("Mr Grant Banks: the banks grant loans.", ["Grant Banks"]),
        ('Ms Lucy Green has {"color": "Green"} and getGreenApple()', ["Lucy Green"]),
        ("Dr Roberto Lima saw rob_count and limax.", ["Roberto Lima"]),
    ],
)
def test_ordinary_words_are_no_second_mentions(text: str, names: list[str]) -> None:
    assert named(text) == names
