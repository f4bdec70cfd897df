"""Places behind their label and in columns, houses with a name, streets without a number; not what looks alike."""

import pytest

import textveil as tv
from textveil.detection.labelled_places import find_labelled_places


def found(text: str, kind: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == kind]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Address: Caravan 6, Sandy Haven Park\nTown: Filey     Fax: no", ["Caravan 6, Sandy Haven Park", "Filey"]),
        ("10. Address         Plot 3b, Old Quarry Track, Cluny\n", ["Plot 3b, Old Quarry Track, Cluny"]),
        ("6. Place of birth   Maiduguri\n", ["Maiduguri"]),
        ("Domicilio: Barrio Larrabide 6, bajo; cura el martes", ["Barrio Larrabide 6, bajo"]),
        ("Wohnort: Wewelsfleth\n", ["Wewelsfleth"]),
        ("KILWHIN, 3 May — The mill closed. PARIS (Reuters) is not one here", ["KILWHIN", "PARIS"]),
        ("PARIS (Reuters) - The minister said so.", ["PARIS"]),
        ("of Garden Flat, 17 Albion Villas, is", ["Garden Flat, 17 Albion Villas"]),
        ("Rev. Toal, The Manse, Kilwhin\n", ["The Manse, Kilwhin"]),
        ("she lives at Woodpecker Cottage, Back Lane.", ["Woodpecker Cottage, Back Lane"]),
        ("I live at Basement Flat, 9 Cromarty Steps, not", ["Basement Flat, 9 Cromarty Steps"]),
        ("we met on Dockray Parade.", ["Dockray Parade"]),
        ("lives near oxford st, she said", ["oxford st"]),
        ("Mill Lane is closed tonight.", ["Mill Lane"]),
        ("on Rose Street, at Cheerful Road", ["Rose Street", "Cheerful Road"]),
        ("- Kiln Street, 3 bed", ["Kiln Street"]),
        ("Rookhope Cottage\nMain Street, Wark\n", ["Main Street"]),
        ("she walked down Quarry Steps and on to St. Anne's Rd", ["Quarry Steps", "St. Anne's Rd"]),
        ("the corner of Old Forge Close and Corn Street", ["Old Forge Close", "Corn Street"]),
        ("the room above the shop, Tanner's Row, Wark", ["Tanner's Row"]),
        ("We sat in Drumore Close.", ["Drumore Close"]),
        ("any others of Top floor, 202 Gasworks Mews", ["Top floor, 202 Gasworks Mews"]),
        ("no Largo da Fonte Nova, 8, r/c esq., e", ["Largo da Fonte Nova, 8, r/c esq."]),
        ("meeuwenlaan 23 hs. Ik kom", ["meeuwenlaan 23 hs"]),
        ("forty one Rossall Gate, please", ["forty one Rossall Gate"]),
        ("dalla nonna in via dei mille, sai quella\nciao a tutti, a domani", ["via dei mille"]),
        ("bei uns in der färbergasse. ruf mich zurück, ich habe\nja und nein", ["färbergasse"]),
        ("hij woont aan de klompenstraat en dan rechts, ik kom\nja goed dan zie ik je", ["klompenstraat"]),
        ("Customer: rhiw cottage, llanuwchllyn.", ["rhiw cottage, llanuwchllyn"]),
        ("id,City\n1,Rye\n2,Hu\u1ebf\n", ["Rye", "Hu\u1ebf"]),
    ],
)
def test_places_are_found_whole(text: str, places: list[str]) -> None:
    assert found(text, "place") == places


@pytest.mark.parametrize(
    "text",
    [
        "NOTICE, 3 May - The mill closed. REPORT (final) - All is done.",
        "IP address: 10.0.0.1. Address: see above. City: unknown",
        "address: string; city: City; Address: Optional[str]",
        "the old house, nice garden. The cottage, he said, was cold.",
        "They work on the street. He bought the farm, really.",
        "forty one people went through the gate",
        "he stood in high court, then on busy street and at that close",
        "Name   Address   City   Phone\n",
        "siamo in via di guarigione, in via eccezionale non lo so\ncome stai tu",
        "auf dem heimweg in der parkplatz war ich und er auch\nnein",
        "x,City\n1,unknown\n2,n/a\n",
        "At Market Close it fell. See Next Steps, Monday. Access Road, Parking. the Main Street of it",
        "a Random Walk in Header Row on Dialog Close, to Logic Gate; in Working Order",
        "Billing Street, City, Zip. Nathan Lane",
        "Tidy up, Dunmore Row of it. Kestrel Close comes.",
    ],
)
def test_what_looks_alike_is_no_place(text: str) -> None:
    assert found(text, "place") == []


def test_columns_under_a_word_for_numbers_hold_ids() -> None:
    assert found("Holder,Policy No,VRM,Excess\nA,MTR/4417/0093,SM17 JAZ,250\n", "id") == ["MTR/4417/0093", "SM17 JAZ"]
    assert found("EMPL NO   SURNAME      MON\nE-00413   HOLLOWAY     EARLY\n", "id") == ["E-00413"]
    assert not found("Please note: order id, customer no, price\nwe deliver, fast, cheap\n", "id")
    assert not found("| Order no | Status |\n|---|---|\n| none | open |\n", "id")


def test_cells_of_a_column_of_phones_are_phones_whatever_their_digits_look_like() -> None:
    for header in ("Phone", "Mobile no.", "Telefon", "tel", "Handynummer", "contact number"):
        text = f"Name\t{header}\tCount\nBo\t491701234567\t12\nAl\t04 12/55501\t7\nJo\tnone\t3\n"
        assert found(text, "phone") == ["491701234567", "04 12/55501"], header
    assert found("Contact,Phone book\nMara Zuse,12345678\n", "phone") == []


@pytest.mark.parametrize(
    ("text", "places", "people"),
    [
        ("school trip to Bath: consent form", ["Bath"], []),
        ("got em. off to Grimsby, back abt 4. Grimsby was wet.", ["Grimsby", "Grimsby"], []),
        ("Log of Falmouth, dep. Falmouth at noon", ["Falmouth", "Falmouth"], []),
        ("She lives in Co. Kerry, by the way.", ["Kerry"], []),
        ("off to Anna, back to Tom", [], ["Anna", "Tom"]),
        ("Ann Lee of 3 Abbey Close, Whitby, is well.", ["3 Abbey Close", "Whitby"], ["Ann Lee"]),
        ("Write: Ann Lee, 3 Abbey Close, Maria Poe", ["3 Abbey Close"], ["Ann Lee", "Maria Poe"]),
        ("Pack for Madison, WI. Madison's desk is here.", ["Madison", "WI"], ["Madison"]),
        ("She runs the Columbus office; Lincoln told her.", ["Columbus"], ["Lincoln"]),
        ("University of Sheffield. Barista, Sheffield", ["Sheffield"], []),
        ("My son George Marlowe. All goes to George.", [], ["George Marlowe", "George"]),
        ("Room 2, Tavish House, 40 Lomond Street", ["Room 2", "Tavish House", "40 Lomond Street"], []),
        ("I worked at Calloway Mills for years. Calloway Mills called.", ["Calloway Mills"], ["Calloway Mills"]),
        ("bei Frau Okonjo, Tel. 0644 555012", [], ["Okonjo"]),
        ("Patient: Maria Mills, 54 y", [], ["Maria Mills"]),
        ("IMO FAL Form 5 - CREW LIST", [], []),
        ("He comes from Hope, AR.", ["Hope", "AR"], []),
        ("She was born in Grace, ID and met Hope, MD, there.", ["Grace", "ID"], ["Hope"]),
        ("Dear team, the March meeting and the May trip.", [], []),
        ("Name of ship: Maria Star      Port of arrival: Rotterdam", ["Rotterdam"], []),
        ("Triage: 23F BIBA c/o SOB + wheeze, hx asthma", [], ["BIBA"]),
        ("Mit freundlichen Gr\xfc\xdfen\ni. A. Sabine Kraus\nBitte kommen Sie bald.", [], ["Sabine Kraus"]),
        ("K. Hoekstra, huisarts te Amersfoort, is er niet meer voor de mensen", ["Amersfoort"], ["K. Hoekstra"]),
        ("Nora Whitlock called. I went off to Whitlock.", [], ["Nora", "Whitlock", "Whitlock"]),
        ("la moglie, Sig.ra Teresa Locatelli, e la Sra. Dalva", [], ["Teresa Locatelli", "Dalva"]),
    ],
)
def test_words_before_a_lone_name_tell_its_kind(text: str, places: list[str], people: list[str]) -> None:
    assert (found(text, "place"), found(text, "person")) == (places, people)


def test_a_time_zone_stays_beside_its_town() -> None:
    assert found("Budapest office. TZID=Europe/Budapest:2", "place") == ["Budapest"]


def test_a_hospital_has_its_queen() -> None:
    assert found("from Queen Elizabeth Hospital, Birmingham", "organization") == ["Queen Elizabeth Hospital"]


def test_the_mayor_of_a_town_has_no_other_trade() -> None:
    assert found("The County Council, the Mayor of Yeovil and others", "demographic") == []
    assert found("He was the mayor and left.", "demographic") == ["mayor"]


def test_words_of_plantuml_are_no_handles() -> None:
    assert found("@startuml\nactor x\n@enduml", "handle") == []


def test_a_make_behind_the_label_of_a_person_is_a_family_name() -> None:
    for text in ("Patient: Bosch\nDOB", "Name: Renault, seen today", "Signed by: Porsche", "It was O. Porsche."):
        assert "person" in [span.kind for span in tv.detect(text)]
        for policy in ("clinical", "prompts"):
            assert not {"Bosch", "Renault", "Porsche"} & set(tv.Sanitizer(policy)(text).text.replace(",", " ").split())
    assert "Bosch" in tv.Sanitizer("clinical")("She has a Bosch drill.").text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Petra's account is locked.", "person"),
        ("Anna asked Petra to go.", "person"),
        ("Florence called. Mail Florence.", "person"),
        ("They live in Florence. Florence said no.", "place"),
        ("London said no.", "place"),
        ("She is in Petra's office.", "person"),
        ("The road to Petra is long.", "place"),
        ("Apologies: Petra.", "person"),
        ("hoi, Petra hier, ik heb de sleutel. Bedankt Petra!", "person"),
        ("We stay in Petra. Petra here and now is hot.", "place"),
        ("Le patient vient de Saint-Amand-sur-Creuse, dit le docteur.", "place"),
        ("Le patient est suivi par Mme Saint-Amand-sur-Creuse, dit le docteur.", "person"),
    ],
)
def test_a_place_that_is_a_given_name_too_is_a_person_where_it_acts_as_one(text: str, kind: str) -> None:
    names = ("Petra", "Florence", "London", "Saint-Amand-sur-Creuse")
    kinds = {span.kind for span in tv.detect(text) if text[span.start : span.end] in names}
    assert kinds == {kind}


@pytest.mark.parametrize(
    ("text", "firms"),
    [
        ("Werkgever: Nutreco\n", ["Nutreco"]),
        ("Empresa: Andrade Velho e Prima\n", ["Andrade Velho e Prima"]),
        ("Employer: none\n", []),
        ("Firma: Unbekannt\n", []),
        ("Azienda: la stessa\n", []),
        ("Arbeitgeber: Er zahlt immer erst am Monatsende und nie ganz.\n", []),
    ],
)
def test_firms_stand_behind_the_label_of_an_employer(text: str, firms: list[str]) -> None:
    found = [text[span.start : span.end] for span in find_labelled_places(text) if span.kind == "organization"]
    assert found == firms
