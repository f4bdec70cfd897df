"""Addresses are found whole, whatever words their streets are made of; what looks like one and is none stays."""

import pytest

from textveil.detection.detectors import detect

WHOLE = [
    ("Lettings, 14b Copse Hill Road, and 2207 Rimrock Spur Rd.", ["14b Copse Hill Road", "2207 Rimrock Spur Rd"]),
    ("La strada delle Fornaci 88/bis.", ["strada delle Fornaci 88/bis"]),
    ("come to mine, 77b pomfret st, ok", ["77b pomfret st"]),
    ("She has moved to 78 Tern Quay, Poole BH15 1HJ.", ["78 Tern Quay", "Poole", "BH15 1HJ"]),
    ("His flat at 12 larch walk is let.", ["12 larch walk"]),
    ("Send it to Unit 7, The Maltings, Ware SG12 9XF.", ["Unit 7, The Maltings", "Ware", "SG12 9XF"]),
    ("Visit us at 5/2 Candlemaker Row.", ["5/2 Candlemaker Row"]),
    ("Bill: 2210 Harmon Ave., Nampa, ID 83651.", ["2210 Harmon Ave.", "Nampa"]),
    ("He lives at 2210 Harmon Ave. She left.", ["2210 Harmon Ave"]),
    ("We moved to 27 Cleveland\nTerrace, Darlington DL3 7HD.", ["27 Cleveland\nTerrace", "Darlington", "DL3 7HD"]),
    ("Elle vit \xe0 Angers, 6 rue de l'Aiguillerie. Son fils y est.", ["Angers", "6 rue de l'Aiguillerie"]),
    ("Il est au 6 rue des Tanneurs.", ["6 rue des Tanneurs"]),
    ("We live at 5 Otter Bank, Kelso.", ["5 Otter Bank, Kelso"]),
    ("Lot 14 Wattle Rise, Dubbo NSW 2830", ["Lot 14 Wattle Rise", "Dubbo"]),
    ("Ich wohne jetzt Am Alten Kirchhof 7, 24937 Flensburg.", ["Am Alten Kirchhof 7", "24937 Flensburg"]),
    ("Das Paket liegt Hinter der Mauer 3, nicht Im Br\xfchl 41.", ["Hinter der Mauer 3", "Im Br\xfchl 41"]),
    ("Il habite au 3 bis, Clos des M\xe9sanges.", ["3 bis, Clos des M\xe9sanges"]),
    ("Domicile: 14 lotissement Les Ajoncs.", ["14 lotissement Les Ajoncs"]),
    ("Vive en Cuesta del Molino, 4, 2.\xba B.", ["Cuesta del Molino, 4, 2.\xba B"]),
    ("Abita in Contrada San Rocco 15.", ["Contrada San Rocco 15"]),
    ("Sono in traversa Mercadante 14, Napoli.", ["traversa Mercadante 14", "Napoli"]),
    ("Wij verhuisden van Achter de Hoven 22 naar Het Rond 5 bis.", ["Achter de Hoven 22", "Het Rond 5 bis"]),
    ("Mieszkam przy ul. Krucza 14/7.", ["ul. Krucza 14/7"]),
    ("Mora no Beco do Carneiro, 4, 2.\xba Dto.", ["Beco do Carneiro, 4, 2.\xba Dto"]),
    (
        "Laugavegur 28b\nKungsgatan 3 A\nN\xf8rrebrogade 44, 3. tv.",
        ["Laugavegur 28b", "Kungsgatan 3 A", "N\xf8rrebrogade 44, 3. tv"],
    ),
    ("cc Mr Halloway, 44 Ferry Loan, Tayport", ["44 Ferry Loan", "Tayport"]),
    ("addr u2/17 Bluegum Cct Wooroolin QLD", ["u2/17 Bluegum Cct", "Wooroolin"]),
    ("His flat, 12b Whitcombe Rise, was empty.", ["12b Whitcombe Rise"]),
    ("Flat C, 3 The Paddocks.", ["Flat C, 3 The Paddocks"]),
    ("Flat 3, 7 Ferry Loan", ["Flat 3, 7 Ferry Loan"]),
    ('{"street":"plot 14 acacia way","x":"lot 3 of them"}', ["plot 14 acacia way"]),
    ("Merci de livrer au 9, chemin Hamel, 36629 Huet.", ["9, chemin Hamel", "36629 Huet"]),
    ("Adresse;Klemmplatz 30, 00487 Osterode am Harz;ok", ["Klemmplatz 30", "00487 Osterode am Harz"]),
    ("Bezorgen op Larahof 8, 5783DQ 't Harde.", ["Larahof 8", "5783DQ 't Harde"]),
    ("Ze woont aan de Noudbaan 4, 8814 GB Beuningen.", ["Noudbaan 4", "8814 GB Beuningen"]),
    ("Entregar en Cuesta Jafet 131 Piso 6 , 19163 Murcia.", ["Cuesta Jafet 131 Piso 6", "19163 Murcia"]),
    ("Rua Branco, 61, 2499-237 Oliveira do Hospital", ["Rua Branco, 61", "2499-237 Oliveira do Hospital"]),
    (
        "Адрес: алл. Литейная, д. 648 стр. 199, 513055 клх Лесной",
        ["алл. Литейная, д. 648 стр. 199", "513055", "клх Лесной"],
    ),
    ("ул. 30 лет Победы, д. 8 к. 4/4, 360907, г. Тула", ["ул. 30 лет Победы, д. 8 к. 4/4", "360907", "г. Тула"]),
    (
        "La facture va au 12 B impasse Hamel et non au 27bis venelle Hamel.",
        ["12 B impasse Hamel", "27bis venelle Hamel"],
    ),
    ("Abita in via dei Mille 44/A, poi in vicolo Stretto 44/bis.", ["via dei Mille 44/A", "vicolo Stretto 44/bis"]),
    ("De sleutel ligt op de Noordstraat 7A-03, zei hij.", ["Noordstraat 7A-03"]),
    ("Onderwerp: Huurachterstand Kastanjelaan 88", ["Kastanjelaan 88"]),
    ("Mieszka przy ul. św. Jana 12 m. 5, a nie przy alei Lipowej 9.", ["ul. św. Jana 12 m. 5", "alei Lipowej 9"]),
    ("Er wohnt in 15230 Frankfurt (Oder), sagt sie.", ["15230 Frankfurt (Oder)"]),
    ('{"street": "9 Cooper\'s Yard", "city": "Truro", "status": "Open"}', ["9 Cooper's Yard", "Truro"]),
]


@pytest.mark.parametrize(("text", "places"), WHOLE, ids=[text for text, _ in WHOLE])
def test_address_is_found_whole(text: str, places: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "place"] == places


NONE = [
    "It was Exhibit 7 Final\nCourt records tell of it.",
    "Place the order by 12, then route the call to 15.",
    "Katie 42 and the Friedhof 3 were there.",
    "Im Kapitel 3, im Jahr 12 und am Tag 3: im Schnitt 12 Punkte.",
    "It is a 12 minute walk. In a 5 star place, at 10 past close, from 3 men close by.",
    "She moved to Level 3 on Windows 11. Delivered 3 Boxes to Team 5.",
    "We moved 3 Engineers. Address the issue in Section 5 and Table 2.",
    "Auf dem Weg 3 Leute, am Ende 3 zu 1, zum Beispiel 3 Eier.",
    "Vivo con 3 gatos desde 2010.",
    "At 3 Easy Steps, on 2 Dead Ends: from 5 Best Sides, 4 User Links. Of 12 Loose Ends, 3 were.",
    "We saw 5 Kestrel Side by it. They had 12 Garden Links, and the 3 Kestrel Head is far.",
    "The cache took 512 MB, then 2000 GB of memory; give 4, 2000 IU daily.",
    "4 square Meals, 5 route Maps. Formula 1, Route 66.",
    '{"city": "string", "address": "localhost:8080", "region": "eu-west-1"}',
]


@pytest.mark.parametrize("text", NONE)
def test_what_looks_like_an_address_stays(text: str) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "place"] == []
