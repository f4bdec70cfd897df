"""Ages and dates in words and in other languages are found; durations and counts of the same form are not."""

import pytest

from textveil.detection.detectors import detect

AGES = [
    ("She turns ninety-one in June.", ["ninety-one"]),
    ("The elder son was thirty-two in May; at six and a half, he ran.", ["thirty-two", "six and a half"]),
    ("His father, who is ninety-four, signed.", ["ninety-four"]),
    ("Mi abuela tiene 85 a\xf1os; cumpli\xf3 noventa y un a\xf1os.", ["85 a\xf1os", "noventa y un a\xf1os"]),
    ("Mon p\xe8re a quatre-vingt-deux ans. Patiente de 85 ans.", ["quatre-vingt-deux ans", "85 ans"]),
    ("Er wird im Mai achtundsiebzig Jahre alt, die 88-j\xe4hrige Frau.", ["achtundsiebzig Jahre", "88"]),
    ("La nonna ha novantuno anni.", ["novantuno anni"]),
    ("Mijn opa, \xe9\xe9nennegentig jaar, woont hier.", ["\xe9\xe9nennegentig jaar"]),
    ("Mama ma 85 lat.", ["85 lat"]),
    ("La sig.ra Mirella Zanin, 77 anni, chiede il corrimano.", ["77 anni"]),
    ("Hij is op 86-jarige leeftijd overleden.", ["86"]),
    ("My granny Joan is 91 next month.", ["91"]),
    ("A av\xf3 tem oitenta e cinco anos.", ["oitenta e cinco anos"]),
    ("Hace 85 a\xf1os. Contrato de 20 a\xf1os. Depuis 12 ans, garantie de 5 ans. Da 3 anni, h\xe1 5 anos.", []),
    ("Seit 5 Jahren, 5 Jahre Garantie, od 5 lat. He was one of them; she was two minutes late.", []),
    ("geb. 17.08.1957 (66 Jahre), wohnhaft", ["66 Jahre"]),
    ("n\xe9e le 02/06/1941 (82 ans), veuve", ["82 ans"]),
    ("nata il 14/09/1938 a Vicenza, 85 anni. Ricovero", ["85 anni"]),
    ("Herr M\xfcller, geb. am 3.4.1957 (66), Rentner. Geboren 1957, 66 J., nicht mehr hier", ["66", "66"]),
    ("De heer De Vries, geb. 3-4-1957 (66), woont hier niet. Geboren in 1957 te Ede, 66 jr.", ["66", "66"]),
    ("Monsieur Dupont, n\xe9 le 3 avril 1957 (66), habite ici.", ["66"]),
    ("Geboren wird hier nichts, 66 jr. Das ist nicht von uns und nicht neu.", []),
    ("geb. 23-02-1950, 74 jaar, Dorpsweg", ["74 jaar"]),
    ("Halina Kaczmarek, lat 69, PESEL", ["69"]),
    ("Sr. Joaquim Teixeira, de 71 anos, reclamou", ["71 anos"]),
    ("Berlin, 12 Jahre. Kaczmarek, lat 69.5 kg; geboren in Bonn, 12 Jahre in K\xf6ln", []),
]
DATES = [
    ("Il est n\xe9 le six f\xe9vrier mille neuf cent quarante-deux.", ["six f\xe9vrier mille neuf cent quarante-deux"]),
    (
        "Naci\xf3 el tres de abril de mil novecientos treinta y nueve.",
        ["tres de abril de mil novecientos treinta y nueve"],
    ),
    ("Geboren am dritten M\xe4rz neunzehnhundertzwei.", ["dritten M\xe4rz neunzehnhundertzwei"]),
    ("Op zes februari 2024; il primo gennaio 1933.", ["zes februari 2024", "primo gennaio 1933"]),
    ("Born the second of June eighteen forty-one.", ["the second of June eighteen forty-one"]),
    ("On the sixth of February, not on the first of March 1990.", ["sixth of February", "first of March 1990"]),
    ("Urodzona 3 kwietnia 1939.", ["3 kwietnia 1939"]),
    ("Mille mai visti. Five march past. Six august bodies.", []),
]


@pytest.mark.parametrize(("text", "ages"), AGES)
def test_age_is_found_where_somebody_has_it(text: str, ages: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "age"] == ages


@pytest.mark.parametrize(("text", "dates"), DATES)
def test_date_in_words_is_one_span(text: str, dates: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "date"] == dates
