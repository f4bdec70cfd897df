"""Ids behind labels of any language, misread by a scanner, and spelled digit by digit."""

import pytest

import textveil as tv
from textveil.detection.detectors import detect

IDS = [
    ("Policy #PX 7731, claim CLM/2291.", ["PX 7731", "CLM/2291"]),
    ("Sinistre n\xb0 S-44 719; P\xf3liza: 7741-KQ", ["S-44 719", "7741-KQ"]),
    ("Polisnummer: KL 447190, Pratica n. 4471/B", ["KL 447190", "4471/B"]),
    ("Acct no: 4S7l-88O2. Works n0.: (OO3l874)", ["4S7l-88O2", "OO3l874"]),
    ("Tel: O29 2018 O455, birth: l4/O9/1977", ["O29 2018 O455", "l4/O9/1977"]),
    ("Ring oh seven seven double oh nine hundred, now.", ["oh seven seven double oh nine hundred"]),
    ("on extension two two six one. Extension's two two seven if", ["two two six one", "two two seven"]),
    ("ruf an, null eins sieben zwei, fünf fünf fünf, null", ["null eins sieben zwei, fünf fünf fünf, null"]),
    ("au zéro six, trente-neuf, quatre-vingt, zéro zéro. ah", ["zéro six, trente-neuf, quatre-vingt, zéro zéro"]),
    ("es nueve uno cero, cero doce, treinta y cuatro. sí", ["nueve uno cero, cero doce, treinta y cuatro"]),
    ("index Mike Victor one two, Alpha Bravo Charlie, black", ["Mike Victor one two, Alpha Bravo Charlie"]),
    ("And the postcode please?\nCaller: it's RG four, seven HB. Thanks", ["RG four, seven HB"]),
    ("And the code?\nB: four one four one.", ["four one four one"]),
    ("that's T for Tango, I, double L, E, Y.", ["T for Tango, I, double L, E, Y"]),
    ("Der Passat (NF-WP 338), il Ducato (FZ 417 KM), Opla (DOL 5191K).", ["NF-WP 338", "FZ 417 KM", "DOL 5191K"]),
    ("met de Volvo (H-471-XK); a white transit wv64 gzz", ["H-471-XK", "wv64 gzz"]),
    ("her card ending 3347, SSN (last four) 7716, ext. 2207", ["3347", "7716", "2207"]),
    ("reservation HMQ4RT71XZ, report H19-0112207, fiche FEI-2025-0093", ["HMQ4RT71XZ", "H19-0112207", "FEI-2025-0093"]),
    ("NI number: QQ 71 34 82 B.\nUID: ATU 42109023\n", ["QQ 71 34 82 B", "ATU 42109023"]),
    ("Natlonal lnsurance:  QQ l2 34 76 C; seen O77OO 9OO l53", ["QQ l2 34 76 C", "O77OO 9OO l53"]),
    ("Mietvertrag MV-55120-8, permis PC 029 233 24 00041", ["MV-55120-8", "PC 029 233 24 00041"]),
    ("N.º de serie: 44-0719/B; Nr klienta HD-55120; Az. TB 240608/1123", ["44-0719/B", "HD-55120", "TB 240608/1123"]),
    ("Bestellung 1500 mal, Angebot 2024, N. di pagine 1200", []),
    ("contacter sa s\u0153ur au +39 347 555 0148; RR 20 BP 102/64; SNOMED: M-80903", []),
    ("C-4, B-12, CVE-2023-4863, the reservation was made, the year ending 2023, ext. 201, I 2 3 O 1", []),
    ("eins zwei drei vier fünf sechs sieben acht; mil novecientos noventa y nueve y treinta y cinco", []),
    ("How many people?\nB: four or five; the Alpha and Bravo teams; Golf Hotel one, a plan for B, C, D", []),
    ("Policy 2019, claim 1, No. 5, Nr. 12, sixty M G, one two three four five six seven", []),
]


@pytest.mark.parametrize(("text", "ids"), IDS)
def test_id_is_found_behind_its_label(text: str, ids: list[str]) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "id"] == ids


@pytest.mark.parametrize("said", ["vijf vijf nul een vijf vijf nul", "fünf fünf, null eins, zwölf fünf null"])
def test_digits_of_any_language_are_drawn_by_their_number_alone(said: str) -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(1))
    released = sanitizer(f"bel {said}.").text.removeprefix("bel ").rstrip(".")
    assert [word in WORDS for word in released.replace(",", "").split()] == [True] * 7
    assert released.count(",") == said.count(",")


WORDS = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}


def test_spelled_digits_are_drawn_as_digits() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(1))
    released = sanitizer("extension two double six one.").text.removeprefix("extension ").rstrip(".").split()
    assert len(released) == 4 and set(released) <= WORDS
