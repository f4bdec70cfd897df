"""Gates of the embedded detector save time, and lose nothing: found with them is what is found without."""

import random
import re

import pytest
from tests.helpers.growth import is_linear

from textveil.detection.embedded import PHASES, embedded_detector
from textveil.detection.found import Phase, Phases, in_phases, plain
from textveil.detection.gates import Gates, anywhere, at_digits, both, either, glance, holding, places_of, with_words
from textveil.detection.spans import checked_spans

PIECES = """Mrs J PETTIFER|Agnes PETTIFER|PETTIFER, Agnes|Pt: Okonkwo, Chidi|, Stoke on Trent ST4 7QB|ls6 3hn
Done. - Stav|Kaczmarek_rota.pdf|serial number PF2X9KLM|2 84 05 69 123 456 78|by 31/3|TODO(mkowalski)
member of the PKK|at Hawthorn Surgery|Torfbau GmbH|Jehovah's Witnesses|user=kdelacroix|I live at 27 Larkfell, Durham
works at The Copper Whisk|seen by R. Mbeki, FY1|/home/kaitlyn/x|react@18.2.0|useState()
$5|US$ 5.2 million|EUR 300|Rs. 50|20 dollars|30 Pounds sterling|5 mln yen|five hundred dollars
a hundred kroner|12/03/2024|on 3/4|2024-03-04|04.03.24|3/2024|T12:30Z|12:30 pm|2 o'clock|2.30 a.m.|1994-95|'90s
March 3rd, 2024|3 Sept. '94|since May|of Jay|Monday|saturday|July twenty ninth two thousand eight
4111 1111 1111 1111|GB82 WEST 1234 5698 7654 32|deadbeef-dead-beef-dead-beefdeadbeef
12345678-1234-1234-1234-123456789012|AB 12 34 56 C|00:1A:2B:3C:4D:5E|aa-bb-cc-dd-ee-ff|943 476 5919|078-05-1120
078 05 1120|A1B2C3D4E5|MRN: 12345|Order #A-4451|record from 1983|file 2024A|+49 30 123456|(617) 555-0133
617-555-0133 x12|+1 (0) 30 - 123456|555 01 33|call 5550133|192.168.0.1|fe80::1|2001:db8::ff00:42:8329|42F|24 M
in her 40s|in their early twenties|age 7|Aged forty two|42-year-old|turned 30|I'm 42|She is 5|when he was 12
Maria, 42, said|12 Main St.|7a, Old Mill Road Apt. 4B|9 rose lane|10 Oak Apt. 4|PO Box 12|Suite #5|room 12
lives at Oak 5|the side of Elm 12|Calle de la Cruz 12|Hauptstrasse 5|Storgata 12|via Roma 3|Denver, CO 80202|, CA
SW1A 1AA|K1A 0B1|APO AE 09012|zip code 02139|PLZ 10115|USS Enterprise|www.x.com/y|a.b@c.org|@me|x.co.uk|Dr. Roe|Maria
mr. smith|my name is jason|call me li|boston|U.S.|Wal-Mart Inc.|5|1994|16|May|US$ 5|dollars|US$ 7|x|of|the|and|.
3. Marz 2021|14 juillet|3 de mayo de 2020|marzo 2021|1994, 1995 and 1997|02.01. bis 09.01.2024|1/2 - 5/2/2024|Q3 2021
29 and 30 June 1992|March 3-5, 2021|am 3.4.|6 weeks old|aged 3 months|5 sept. 2020
,|:|(|-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0B|ghp_16C7e42F292c6912E7710c838347Ae178B4a|postgres://bob:s3cret@db|mysql -u root -pS3cret
password = "x9!kkal"|PIN 4821|key 8fK2mPq9Zx4Lw7Tn3Rb6|bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq|40.7128, -74.0060
seed phrase: witch collapse practice feed shame open despair creek road again ice least
lat: 40.71|12345678Z|131052-308T|PESEL 44051401359|no. 36391/02|nos. 511 and 513|CVV 123
4111 1111 1111 1111 12/26 123|plate 7ABC123
customer_id=48213|a car, KX19 ZTR|PNR HJWQRT|tail number N482QT|gate code 4821
it's now dragonfruit|invalid user tom.baker
US-DL-4710485154
\u20ac30|\u0661\u0662|M\u00fcller|BP 132/84|Plt 143|40 mg PO BID|stage IIIB|L4-L5|G3P2012|q4h|20/20|COVID-19
5 %|2nd|version 1.2|page 3 of 12|1. One 2. Two|two of five|12 patients|three months|zero mg|a fortnight|24h|2,000 zlotys
TZ=Europe/Paris|commit 9f86d08|size=1048576|error LNK2019|http://localhost:80/x|define('PASS_KEY', 'x9kkal4q')
HTTP/1.1" 200 512|00:1A:2B:3C:4D:5E:6F:70|sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
(PLN)|-rw-r--r-- 1 pbaptiste x|login("bob", "hunter22!")""".replace("\n", "|").split("|")
PIECES += [
    "im Finanzamt",
    "goals for Hertha FC there",
    "address: Caravan 6, Sandy Park\n",
    "everyone calls him Spud",
    "ssh as azuse",
    "The Manse, Kilwhin.",
    "echo 29/7 fine",
    "\n1 Oak\n2 Elm\n3 Ash",
    "Top floor, 202 Gasworks Mews",
    "on Dockray Parade.",
    "Mill Lane is shut",
    "of cus_9s6XKzkN4iz8 now",
    "on Quarry Steps, up",
    "at 44 Ferry Loan, Tay.",
    "forty one Rossall Gate",
    "x,Policy No,City\nA,MTR/4417/0093,Rye\n",
    "image: ghcr.io/acme/web:1.2",
    "limit 1000000",
    "in 34117 Kassel",
    "O77OO 9OO l53",
    "a Peugeot 208",
    "Upadacitinib daily",
    "a Festo valve",
    "\nMeds: Laxido, iron",
    "article L. 121-1 du Code",
    "charset=UTF-8",
    "45 CFR 164.514",
    "REP0RT",
    "English C1",
    "Witness 2: nobody",
    "klucz: WMdnQSPG4QRBn7JkMCNvw8WDv6NMCKy9",
    "Polis: KL 447190",
    "oh seven seven double oh nine six",
    "Housing Act 1985.",
    "at 12 larch walk.",
    "wohnt An der Eiche 5.",
    "Krumme Reihe 9, 24937 Flensburg",
]
PIECES += [
    "x\nPID|1||4417720||Zuse^Ada\n",
    "DB_HOST=db1.tarnbrook.lan",
    "ada@zuse.org:walnut-Quarry\n",
    'Ada "Dot" Zuse won',
    "\nis our tasha round gazza's place and that is all there is to say of it\nyes it is\nno it is not so",
    "I met Will Carpenter there",
    "Happy birthday Hope!",
    "x\ni.A. St. Zuse, Arzt",
    "Tel. 0 25 81 / 4 71 12",
    "haar broer Wouter",
    "a Kia Ceed",
    "Sian, MRCVS",
    "the Housing Act",
    "the Court (Oberster Gerichtshof) agreed",
    "at it 2017.07-2019.06,",
    "AC 871 Y 12SEP",
    "expires 05/19",
    "\n1.2.1 Oak\n1.2.2 Elm",
    "\n0515 Oak\n0615 Elm\n0715 Ash",
    "DEP 0640 departure: 0640",
    "DTEND:20260412T140000",
    "SIP/2.0, version 2.1",
    "\n1st, a cake\n2nd, wine\n",
    "art. 5 ust. 2",
    '{"as": "Ebony Kaczmarek"}',
    "enfermedad de Paget",
    "x\nKILWHIN, 3 May - The mill closed",
    "x\nQty   Item   Sum\n2     Oak    4",
    "x\nHosp. no.: 4",
    "user,password\nbob,hunter\n",
    'variable "db_secret" { default = "x-y-z" }',
    '{"street": "Rookery Nook"}',
    "tiene 85 anos.",
    "who is ninety-four,",
    "x,last_name\nA,Zuse\n",
    "x\nreviewed_by: 'Zorndyke'",
    "Jun  7 08:15",
    "x\n12/01/2026, 19:06 - Gio: ok",
]


PIECES += [
    "that is P-E-T-T-I-F-E-R,",
    "that's T for Tango, I, double L, E, Y.",
    "hi it's penny from the shop",
    "you're speaking to Fern.",
    "in the Plough all night",
    "nul zes, een twee, drie vier, vijf vijf,",
    "Mike Victor one two, Alpha Bravo",
    "born second of the third, fifty-one.",
    "the memorable word?\nB: marzipan.\n",
    "\ngisteren in der färbergasse en dat is alles wat ik er van weet\nja dat is het\nnee dat is het niet so",
    "\n| Ada | 3/6 |\n| Bea | 14/7 |\n| Cem | 2/8 |\n",
    "a letter from Hale & Marsh, solicitors",
    "charities such as Open Larder",
    "the Zeta Chi house",
    "P<UTOZUSE<<ADA<<<<<<<<<<<<<<",
    "8806923102858CORINNE<<<<<<<6512068F6",
    "1.1ZUSE/ADA MS",
    "8=FIX.4.4|116=ADA ZUSE|",
    "uid=azuse,ou=People",
    "\nazuse pts/0",
    "CQ CQ DE EI4ABC",
    "<CALL:6>EI4ABC",
    "pilot of G-ABCD",
    "MMSI: 235012345",
    "51 deg 45' 7.27\" N, 1 deg 15' 27.64\" W",
    "\nGPS Position: 51.1, 7.2\n",
    "514507N 0011528W",
    "CTA+IC+:Ada Zuse'",
    "PENHALIGON^H",
    "\nAU  - Okparaeke, Ngozi\n",
    "C = IE, O = Zuse Boats, CN = x",
    "[INFO]: zuse99 joined the game",
    "bapt. Brigida, fil. Joannis",
    '"Umbridge, B"',
    "\nADA ZUSE, Plaintiff",
    "pt QUIGLEY",
    "\nHALTER=Wippermann;STR=Am Hang 9;",
    "\nD1/2/2026\nPAda Zuse\n^",
]
LETTERS = [piece for piece in PIECES if not any(map(str.isdigit, piece))]
FAR = "\n" + "so it was " * 40
"""More than what any search sees beside a digit behind it, but words that tell how a page is written."""


def written(seed: int) -> str:
    """Pieces side by side, glued or parted: of any kind with a digit among them, or without a digit."""
    draw = random.Random(seed)
    pieces = (PIECES, LETTERS)[seed % 2]
    parts = [draw.choice(pieces) for _ in range(draw.choice((1, 3, 8, 20)))]
    return draw.choice(("", " ", " ", ", ", " the ", "\n")).join([*parts, *("5" for _ in range(1 - seed % 2))])


ROWS = [row for phase in PHASES for row in phase.rows]
WITHOUT_GATES = Phases(Phase(name, tuple(row._replace(gate=anywhere) for row in rows)) for name, rows in PHASES)


@pytest.mark.parametrize(
    "first", [0, 500, *(pytest.param(first, marks=pytest.mark.slow) for first in range(1000, 6000, 500))]
)
def test_gates_lose_nothing_and_a_digit_far_away_changes_nothing(first: int) -> None:
    for seed in range(first, first + 500):
        text = plain(written(seed)).text
        assert in_phases(text, PHASES) == in_phases(text, WITHOUT_GATES), seed
        farther, beside = (in_phases(f"{text}\n{FAR}{end}", PHASES)[0] for end in "5x")
        assert [span for span in farther if span.start < len(text)] == [
            span for span in beside if span.start < len(text)
        ], seed


def test_asked_together_a_gate_is_open_wherever_it_is_open_alone() -> None:
    texts = ["", *(plain(written(seed)).text for seed in range(400)), "\0", "5"]
    gates = [row.gate for row in ROWS]
    together = Gates(gates)
    shut = 0
    for text in texts:
        found, seen = together.opened(text, glance(text)), glance(text)
        assert [bool(gate(text, seen)) for gate in gates] == list(map(bool, found))
        shut += found.count(0)
    assert shut > len(gates) * len(texts) / 2, "most stay shut"


def test_pieces_are_looked_for_whatever_words_they_stand_in() -> None:
    gates = [
        holding("gration"),
        holding(" for "),
        holding("ass-w", "://"),
        both(with_words("name"), holding("=")),
        both(either(holding("ser="), with_words("login")), at_digits("[0-9]")),
    ]
    texts = ["emigration", f"x{'a' * 40}gration", "Gration", "it is for me", "before me", "a for\tb", "pass-word", "a://b",
             "name=x", "name x", "user=5", "login 5", "login", "names = 5", ""]  # fmt: skip
    together = Gates(gates)
    for text in [*texts, *reversed(texts)]:
        seen = glance(text)
        assert list(together.opened(text, seen)) == [bool(gate(text, seen)) for gate in gates], text


def test_found_in_many_texts_at_once_is_what_is_found_in_each_alone() -> None:
    texts = [written(seed) for seed in range(120)] + ["Der Hund ist nicht auf dem Dach und ich bin Maria Huber."]
    detector = embedded_detector()
    assert detector.detect(texts) == [detector.detect([text])[0] for text in texts]


@pytest.mark.parametrize(
    "text", ["aboard USS Enterprise", "id deadbeef-dead-beef-dead-beefdeadbeef", "at aa:bb:cc:dd:ee:ff"]
)
def test_what_holds_no_digit_is_found_in_texts_without_one(text: str) -> None:
    (span,) = embedded_detector().detect([text])[0]
    assert text[span.start : span.end] == text.partition(" ")[2]


def test_every_search_of_the_pieces_finds_something_and_most_gates_are_shut_elsewhere() -> None:
    gated = [(row.search, row.gate) for row in ROWS if row.gate is not anywhere]
    assert all(any(any(search(plain(f"So {one} .").text)) for one in PIECES) for search, _ in gated)
    bare = "The cat sat on the mat, and nobody said a word about it."
    assert not any(gate(bare, glance(bare)) for _, gate in gated)


def test_a_glance_shows_surroundings_and_words() -> None:
    seen = glance("Call Bob-Lee, suite 12 or 3")
    assert seen.digits == ", suite 12 or 3"
    far = glance("1" + "." * 21 + "2")
    assert far.digits == "1" + "." * 12 + "\0" + "." * 8 + "2"
    crowded = "1 " * 1000
    assert len(glance(crowded).digits) <= len(crowded), "no more is looked at than the text has"
    assert seen.words == {"call", "bob", "lee", "suite", "or"}
    assert with_words("ite", begun_by="xu")("", glance("a suite")) is False
    assert with_words("uite", begun_by="xs")("", glance("a SUITE")) is True
    assert not at_digits("call")("", seen)


@pytest.mark.parametrize("glued", ["since MayUS$ 5.2 million", "five hundred dollarsUS$ 5"])
def test_what_covering_leaves_of_a_word_is_looked_at_again(glued: str) -> None:
    found, _ = in_phases(glued, PHASES)
    assert len(found) == 2
    assert found == in_phases(glued, WITHOUT_GATES)[0]


def test_a_url_that_runs_into_an_address_is_one_span() -> None:
    text = "see example.com/contact,me@example.org please"
    (found,) = checked_spans(embedded_detector(), [text])
    assert [text[one.start : one.end] for one in found] == ["example.com/contact,me@example.org"]


@pytest.mark.parametrize("several", [2, 40])
def test_places_of_words_are_those_that_a_pattern_finds(several: int) -> None:
    words = ["nurse", "a", *(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(several))]
    text = "A nurse nurse, Nurse-nurse nurses 3nurse4 \xb7nurse a_a\n" + " ".join(words) + " nurse"
    expected = [run.span() for run in re.finditer("[A-Za-z]+", text) if run[0].lower() in words]
    assert list(places_of(text, frozenset(words))) == expected


@pytest.mark.parametrize(
    "piece", ["nurse ", "aged ", "he is ", "a hundred dollars ", "with two ", "Occupation: ", "as a "]
)
def test_words_of_evidence_in_a_row_take_linear_time(piece: str) -> None:
    assert is_linear(lambda text: embedded_detector().detect([text]), piece)


def test_work_that_grows_with_the_square_is_seen() -> None:
    slow = re.compile("[a-z]+1")  # from each letter of a word it reads to the end of the word
    assert not is_linear(slow.findall, "a")
    assert is_linear(slow.findall, "a ")
