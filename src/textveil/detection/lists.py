"""Public lists of names, places and ordinary words, and hand-written sets of words in and beside names."""

from __future__ import annotations

import gzip
import hashlib
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, final

from textveil.errors import InputError
from textveil.json_text import json_file

DATA = Path(__file__).parent / "data"
FILE = "names.txt.gz"
RECORD = "names.json"
_LOWEST: Final = 0x20  # the character of no marks in the file
_MARKS: Final = bytes([max(0, code - _LOWEST) for code in range(256)])


@final
class Marks:
    """What public lists and public text say of a word, as bits; the tool's head states the rules."""

    GIVEN: Final = 1
    FAMILY: Final = 2
    PLACE: Final = 4
    COMMON: Final = 8
    SMALL: Final = 16
    OTHER: Final = 32
    KNOWN_PLACE: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists, in plain small letters."""

    words: dict[str, int]  # the marks of each word, as integers
    phrases: frozenset[str]  # places of several words, parted by single spaces
    openings: dict[str, int]  # the first words of those places, with the number of words of the longest that begins so


@cache
def lists() -> Lists:
    """Return the embedded lists, read once; raise InputError if the file is not the one that was shipped."""
    packed = (DATA / FILE).read_bytes()
    record = json_file(DATA / RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    names, marks, places = gzip.decompress(packed).decode("ascii").splitlines()
    phrases = places.split("\t")
    openings: dict[str, int] = {}
    for name in phrases:
        first = name[: name.index(" ")]
        openings[first] = max(openings.get(first, 0), name.count(" ") + 1)
    words = dict(zip(names.split("\t"), marks.encode("ascii").translate(_MARKS), strict=True))
    words |= {word: Marks.FAMILY for word in EPONYMS if words.get(word) == Marks.OTHER}  # Anna Crohn is somebody
    return Lists(words, frozenset(phrases), openings)


def packed_lists(marks: Mapping[str, int]) -> str:
    """Return what the file holds: the words, a character for the marks of each, and the places of several words."""
    words = sorted(name for name in marks if " " not in name)
    written = "".join(chr(marks[word] + _LOWEST) for word in words)
    return "\t".join(words) + f"\n{written}\n" + "\t".join(sorted(marks.keys() - set(words))) + "\n"


ORDINARY_FILE: Final = "ordinary.txt.xz"
ORDINARY_RECORD: Final = "ordinary.json"
LANGUAGES: Final = ("de", "fr", "es", "it", "pt", "nl", "pl")
"""Languages beside English that have rules of their own, by ISO 639-1 code."""


@cache
def _groups(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the frequent and the rare ordinary words of a language; the other languages stay packed."""
    record = json_file(DATA / ORDINARY_RECORD)
    start = 0
    for name, length in record["parts"].items():
        if name == language:
            break
        start += length
    packed = _checked(ORDINARY_FILE, record["file"])[start : start + record["parts"][language]]
    frequent, rare = lzma.decompress(packed).decode("ascii").split("\n")
    return frozenset(frequent.split(" ")), frozenset(rare.split(" "))


def _checked(file: str, digest: str) -> bytes:
    packed = (DATA / file).read_bytes()
    if hashlib.sha256(packed).hexdigest() != digest:
        raise InputError(f"the embedded file {file} must be intact; got another. Install textveil again.")
    return packed


@cache
def ordinary_words(language: str) -> frozenset[str]:
    """Return the ordinary words of one of ``LANGUAGES``, in plain small letters; the file must be the shipped one."""
    frequent, rare = _groups(language)
    return frequent | rare


def frequent_words(language: str) -> frozenset[str]:
    """Return those of its ordinary words that are no rare ones."""
    return _groups(language)[0]


PLACES_FILE: Final = "places.txt.xz"
PLACES_RECORD: Final = "places.json"


@cache
def places() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of large and of small places in the languages of the rules, with spaces for hyphens."""
    packed = _checked(PLACES_FILE, json_file(DATA / PLACES_RECORD)["file"])
    large, small = lzma.decompress(packed).decode("ascii").splitlines()
    return frozenset(large.split("\t")), frozenset(small.split("\t"))


CUES_FILE: Final = "cues.txt"


@final
class Words:
    """Words, and beginnings (``stem*``) and endings (``*end``) of words."""

    def __init__(self, written: Sequence[str]) -> None:
        self._whole = frozenset(word for word in written if "*" not in word)
        self._stems = tuple(word[:-1] for word in written if word.endswith("*"))
        self._ends = tuple(word[1:] for word in written if word.startswith("*"))

    def __contains__(self, word: str) -> bool:
        return word in self._whole or word.startswith(self._stems) or word.endswith(self._ends)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)


@dataclass(frozen=True, slots=True, eq=False)
class Cues:
    """What tells names in a language; ``data/cues.txt`` says what each is."""

    function: Words
    joint: Words
    loose: Words
    article: Words
    plural: Words
    in_: Words
    by: Words
    against: Words
    spot: Words
    body: Words
    firm: Words
    event: Words
    work: Words
    role: Words
    said: Words
    place: frozenset[str]


def _section(name: str) -> dict[str, list[str]]:
    _, _, section = (DATA / CUES_FILE).read_text(encoding="ascii").partition(f"[{name}]\n")
    rows = (line.split() for line in section.partition("\n[")[0].splitlines() if line)
    return {name: words for name, *words in rows}


@cache
def public_bodies() -> frozenset[str]:
    """Return single words for organizations that everybody knows."""
    return COMPANIES | frozenset(_section("any")["known"])


@cache
def letters() -> frozenset[str]:
    """Return what letters in capitals stand for that is no organization, in every language."""
    return frozenset(_section("any")["letters"])


@cache
def cues(language: str) -> Cues:
    """Return the cues of one of ``LANGUAGES``."""
    held = {name if name != "in" else "in_": words for name, words in _section(language).items()}
    named = frozenset(name.replace("_", " ").replace("-", " ") for name in held.pop("place"))
    return Cues(**{name: Words(words) for name, words in held.items()}, place=named)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


TITLES: Final = _set(
    """mr mrs ms miss mx dr prof professor sir madam dame lord lady judge justice president senator sen rep
    representative congressman congresswoman governor gov mayor minister chancellor king queen prince princess
    pope bishop cardinal father sister brother rev reverend rabbi imam pastor general gen colonel col major maj
    captain capt lieutenant lt sergeant sgt corporal cpl officer detective inspector doctor nurse coach uncle
    aunt herr frau monsieur madame senor senora secretary ambassador chairman spokesman spokeswoman
    rn lpn cna crna midwife chaplain dott dra cllr councillor alderman"""
)
"""What may stand before a person's name, without the full stop; not part of it."""
FIRM_TITLES: Final = _set(
    """mr mrs ms miss mx dr prof sen gov rev sgt lt col gen capt herr frau monsieur madame senor senora
    mme mlle rn lpn crna dott dottssa dra cllr"""
)
"""Those after which a capitalized word is a name, whatever it is."""
SUFFIXES: Final = _set("""jr sr ii iii iv phd md esq""")
COMPANY_ENDS: Final = _set(
    """inc incorporated corp corporation ltd limited llc llp plc co company gmbh ag sa nv bv oy ab asa spa srl kg
    sons brothers group holdings partners associates industries enterprises technologies systems solutions
    software networks laboratories labs drugs pharmacy imaging diagnostics logistics maritime shipping bakery
    realty plumbing roofing landscaping dental dentistry orthodontics pharmaceuticals motors airlines airways
    records entertainment studios pictures ventures consulting services foods stores energy electronics
    semiconductor telecom communications securities solicitors"""
)
"""What ends the name of a company."""
FIRM_ENDS: Final = _set("""inc incorporated corp corporation ltd llc llp plc gmbh ag nv bv oy ab asa srl holdings""")
"""Those before which any words are the name of a company."""
INSTITUTIONS: Final = _set(
    """university college school academy institute hospital clinic infirmary foundation association society center
    centre committee council commission ministry department agency bureau administration authority bank church
    cathedral museum library orchestra union league federation club party army navy parliament senate congress
    court times post journal gazette tribune insurance trust fund exchange hotel theatre theater stadium airport
    police prison chamber directorate prosecutor tribunal inspectorate municipality consulate embassy
    headquarters command barracks gendarmerie registry front kindergarten forces staff section office board
    station laboratory unit government commandership"""
)
"""What ends the name of an institution, or begins it before "of"."""
PLACE_ENDS: Final = _set(
    """county city island islands river lake mountain mountains valley beach bay park bridge district province state
    peninsula desert ocean sea gulf coast street road avenue heights hills springs village town township square
    republic kingdom borough commonwealth emirate principality canton parish oblast prefecture falls forks rapids
    junction bluffs"""
)
"""What ends the name of a place."""
TOWN_ENDS: Final = _set("falls forks rapids springs junction bluffs heights beach")
"""What ends the name of a town whose other words may be common ones."""
PLACE_STARTS: Final = _set(
    """lake mount mt fort ft san santa saint st los las el la north south east west new port cape isle gulf upper lower
    northern southern eastern western central"""
)
BEFORE_PLACES: Final = _set(
    """in near to from at into visit visited visiting around across outside inside throughout via toward towards live
    lives lived leaving reached between over"""
)
BEFORE_PERSONS: Final = _set(
    """wife husband son daughter partner mother father brother sister friend fiance boyfriend girlfriend neighbor
    colleague boss by with and told asked said says named called dear hi hello hey thanks thank meet met mr mrs
    miss i'm am that who when"""
)
RELATIONS: Final = _set(
    """wife husband son daughter partner mother father brother sister friend fiance fiancee boyfriend girlfriend
    neighbor neighbour colleague boss landlord landlady tenant roommate classmate teammate coworker manager supervisor
    attending nurse aunt uncle cousin niece nephew grandson granddaughter stepson stepdaughter grandmother grandfather
    twin spouse caregiver therapist paralegal accountant lawyer attorney babysitter nanny housemate intern assistant
    ex-wife ex-husband mom dad mum pastor tutor carer guardian witness defendant plaintiff named"""
)
"""After these a capitalized name is a person's: my daughter Will."""
COUNTRY_LETTERS: Final = _set("""us u.s usa u.s.a uk u.k uae ussr eu nyc""")
"""Places that are written with capital letters alone."""
PARTICLES: Final = _set("""van von der den de del della di da dos du la le bin ibn al el ter ten af y zu""")
"""Small words inside names of persons and places."""
LINKS: Final = _set("""of the and & for""")
"""Small words inside names of organizations, and between names."""
OWNED_AFTER: Final = _set(
    """disease syndrome sign palsy lymphoma sarcoma scale criteria maneuver manoeuvre reflex tumor tumour chorea
    contracture phenomenon triad thyroiditis fracture ligament duct gland node esophagus ulcer law theorem"""
)
"""After these words' names nobody is meant: Crohn's disease."""
MEDICAL_AFTER: Final = OWNED_AFTER | _set(
    """signs test tests testing joint catheter smear smears shunt neuroma classification procedure technique method
    stain drain tube level score scores nodes cells bodies operation prosthesis splint cast clamp agar fever virus
    index ratio glands tendon canal monitor disorder dystrophy line exercises anemia stage staging grade
    coefficient distribution algorithm transform diet brace boot needle wire forceps retractor respirations nails
    reflexes tooth salt equation equations formula formulas inequality lemma conjecture hypothesis polynomial
    polynomials matrix estimator estimate correlation curve paradox constant cipher effect principle diagram plot
    space regression theorems laws series expansion approximation triangle incision position stitch suture trocar
    bag collar stockings rule diagram diagrams"""
)
"""After a name without a possessive ending: Foley catheter."""
EPONYMS: Final = _set(
    """foley babinski apgar pap doppler tinel phalen lachman mcmurray homan homans romberg lisfranc colles achilles
    fahrenheit celsius kelvin hodgkin lyme holter crohn crohns alzheimer alzheimers parkinson parkinsons tourette
    hemovac basedow bechterew korsakov dupuytren menière meniere blumberg lasegue kernig brudzinski trendelenburg
    hoffmann-tinel raynaud sjogren hashimoto
    swan-ganz jackson-pratt trendelenburg valsalva kegel heimlich mantoux giemsa kussmaul guillain-barre smith-magenis
    hawkins-kennedy neer spurling epstein-barr ehlers-danlos babinskis mcburney murphys schatzker
    charcot-marie codman-hakim hippel-lindau stevens-johnson kirschner steinmann gleason coombs
    chvostek trousseau finkelstein ortolani kawasaki kaposi"""
)
"""What is named after somebody in medicine: alone it means nobody, unless a title stands before it."""
GENERIC: Final = _set(
    """supreme cassation assize constitutional administrative regional district federal national state central
    international military criminal civil social state public security general special high higher first second
    third department council commission human rights foreign affairs exterior interior justice defence finance
    directorate ministry parliament senate chamber section plenary adult protective correctional bariatric pediatric
    paediatric rheumatology cardiology oncology orthopedic orthopaedic surgical emergency outpatient inpatient medicine
    obstetrics gynecology neurology urology dermatology radiology psychiatry physical therapy registry
    ombudsman lustration appeal appeals cadastral sessions magistrates magistrates' martial commercial labour revenue
    european union united nations grand city county town municipal local middle elementary primary secondary
    graduate medical school hospital clinic center north south east west northern southern eastern western
    conservative democratic liberal republican youth customer support sales marketing engineering research data"""
)
"""What many institutions are called: by these words alone one is not told from another."""
NAMED_BY_WORDS: Final = _set("hospital infirmary clinic church cathedral hotel academy school")
"""Institutions whose names are often ordinary words: Mercy General Hospital."""
GENERIC_CARE: Final = _set(
    """children children's women women's men's teaching memorial veterans psychiatric mental health community
    university pain eye dental dentist walk walk-in urgent care sleep fertility family wound memory asthma diabetes
    heart vascular law business sunday night summer driving boarding catholic orthodox baptist methodist preoperative
    follow-up infusion anticoagulation rehabilitation rehab vision nursing day free private village parish new old my
    our this that same acute chronic prenatal maternity weight loss travel vaccine student chest breast fracture burn
    stroke transplant outside home referring receiving vocational technical charter art music dance drama language
    police military flight fire"""
)
"""Words that say of which sort such an institution is, and not which one."""
FUNCTION_WORDS: Final = _set(
    """i you he she it we they me him her us them my your his its our their this that these those who what which where
    when why how the a an and or but if so not no yes ok okay oh ah hey hi hello thanks cheers please
    noreply donotreply postmaster newsletter total subtotal can could will
    would shall should may might must do does did is are was were be been am have has had here there now then
    today tomorrow yesterday tonight let lol rt omg haha wow yeah yep nope im ive dont cant wont didnt isnt
    youre theyre gonna wanna gotta imma ima mom dad mum mommy daddy grandma grandpa tv pm bot internet email fax
    phone mobile tel address name date subject re fw fwd dob mrn ssn iban zip id url ps pps asap faq etc todo fixme kids
    over as off out up down all any some more most new old first last next also just only very hm hmm uh uhm um
    huh lemme yessir gotcha dang mister sirs alright okey nah yup oops ma'am maam sir man men woman guys north south
    east west northern southern eastern western sept mb pt mondays tuesdays wednesdays thursdays fridays
    saturdays sundays hosp danke merci gracias grazie obrigado obrigada bedankt dzieki viva bitte
    beta gamma kappa lambda omicron sigma theta upsilon lmao gawd bro dude btw smh tbh idk ty
    takk tack kiitos shukriya arigato spasibo hallo ciao salut bonjour servus"""
)
"""Words that name nobody, whatever their letter case."""
VERBS: Final = _set("mark bill sue rob pat grant chase frank will jack skip nick wade ship trace pierce lance")
"""Given names that begin an order as well: mark the date, bill to."""
ORDERS: Final = _set("greet chase skip trace ship")
"""Names that begin an order where another name stands behind them: Greet Roger."""
NOUNS: Final = _set(
    """joy hope faith grace charity mercy honor honour justice liberty victory patience prudence temperance
    constance chance harmony melody destiny trinity serenity felicity rose lily daisy ivy iris violet heather
    holly hazel olive jasmine ginger pepper rosemary sage basil clay rock stone reed wood field forest brook cliff
    dale glen heath lane miles penny ruby pearl amber jade crystal opal gem sterling cash major summer autumn
    winter dawn eve star storm rain river sky ray dean earl duke king prince art gene ward bishop mason hunter
    cooper baker butler porter carol candy cherry cookie angel venus rosa"""
)
"""Names that are things as well: at the head of a sentence, "Joy is just a word" names nobody."""
ADJECTIVES: Final = _set(
    """frank mark bill rob will jack pat grant chase sue drew skip nick wade trace pierce rich earnest sandy sunny
    dusty rusty stormy merry gay bud guy lance ace dash dale hardy young noble sage greet"""
)
"""Names that are verbs or adjectives as well: at the head of a sentence they name somebody only as its subject."""
DETERMINERS: Final = _set(
    """the a an his her its their our my your this that these those each every no any some all of in under"""
)
"""After these a capitalized word that is a common one is no name."""
NOTABLE: Final = _set("""trump jesus""")
"""Persons whom everybody knows by a name that is a word too: with a capital they are meant."""
COMPANIES: Final = _set(
    """adidas adobe airbus alibaba amazon amd aol astrazeneca audi bayer bbc bloomberg bmw boeing bp cisco citigroup
    cnn coca-cola costco chrysler chevron dell deloitte disney ebay ericsson exxon exxonmobil facebook fedex fiat
    fujitsu gazprom glaxosmithkline google halliburton heineken hitachi honda honeywell hp hsbc hyundai ibm ikea
    instagram intel itunes jpmorgan kpmg lenovo lexmark linkedin lockheed lufthansa mastercard mcdonald mcdonald's
    merck microsoft mitsubishi monsanto motorola nasa nasdaq nato netflix netscape nestle nike nikon nintendo nissan
    nokia novartis nvidia oracle opec panasonic paypal peoplesoft pepsi pepsico pfizer philips porsche qantas raytheon
    renault reuters roche samsung sanofi sap siemens skype sony spotify starbucks symantec tesla texaco toshiba toyota
    twitter tyco unesco unicef unilever verizon viacom vodafone volkswagen volvo walgreens walmart wal-mart whatsapp
    xerox yahoo yelp youtube yukos zillow uber lyft fbi cia irs fda nhs usps ups"""
)
"""Companies and agencies that everybody knows, as their names are written in small letters."""
STATES: Final = _set(
    """ala ariz ark calif colo conn del fla ill ind kan mich minn mont neb nev okla ore penn tenn tex wash wis wyo"""
)
"""States of the USA as newspapers shorten them: with a full stop after them."""
