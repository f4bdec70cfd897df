"""Places and organizations: real ones of the page's language and of the kind that is public; laws are uniform."""

import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.helpers.surrogates import exact_law

from textveil import restore
from textveil.detection.lists import Marks, lists
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates import organizations, places, pools
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import KeyedScope, KindScope, MemoryScope
from textveil.surrogates.surrogate import Mention, Page
from textveil.surrogates.writing import key_of

KEPT = make_surrogate("place", options={"level": "kept"})
FIRM = make_surrogate("organization", options={"level": "kept"})
POOLS = pools.places().pools


def _drawn(value: str, page: str = "en", before: str = "", seed: int = 1) -> str:
    mention = Mention(value, before, page=Page(page))
    return KEPT.draw([mention], MemoryScope(), np.random.default_rng(seed))[0]


CASES = [
    ("Turkey", "en", "Republic of ", lambda drawn: drawn in POOLS["country"]),
    ("Netherlands", "en", "the ", lambda drawn: drawn in POOLS["country the"]),
    ("Lake Tahoe", "en", "", lambda drawn: drawn in POOLS["water"]),
    ("Texas", "en", "", lambda drawn: drawn in POOLS["state"]),
    ("Shropshire", "en", "", lambda drawn: drawn in POOLS["county"]),
    ("Paris", "en", "", lambda drawn: drawn in pools.place_pool("city", Page("en"))),
    ("Orange County", "en", "", lambda drawn: re.fullmatch(".+ County", drawn) and drawn != "Orange County"),
    ("Republic of Turkey", "en", "", lambda drawn: drawn.removeprefix("Republic of ") in POOLS["country"]),
    ("Lindenstra\xdfe 12", "de", "", lambda drawn: re.fullmatch(r"\w+(?:stra\xdfe|weg|platz|allee) [1-9]\d", drawn)),
    ("12 rue de la Paix", "fr", "", lambda drawn: re.match(r"[1-9]\d (?:rue|avenue|boulevard|chemin|place) d", drawn)),
    ("Via Roma 4", "it", "", lambda drawn: re.match("(?:Via|Viale|Piazza|Corso) ", drawn)),
    ("Mans", "fr", "habite au ", lambda drawn: f"Le {drawn}" in pools.place_pool("town", Page("fr"))),
    ("Havre", "fr", "parti du ", lambda drawn: f"Le {drawn}" in pools.place_pool("town", Page("fr"))),
    ("Paris", "fr", "vit \xe0 ", lambda drawn: not drawn.startswith(("Le ", "Les "))),
    ("Lindenallee", "de", "in der ", lambda drawn: drawn.endswith(("stra\xdfe", "allee"))),
    ("Birkenweg", "de", "im ", lambda drawn: drawn.endswith(("weg", "platz"))),
    ("Krakowie", "pl", "", lambda drawn: drawn.endswith(("owie", "icach", "inie", "ynie", "ewie"))),
    ("Xyz", "pl", "do ", lambda drawn: drawn.endswith(("owa", "ic", "yc", "ina", "yna", "ewa"))),
    ("ul. D\u0142ugiej 4", "pl", "przy ", lambda drawn: re.fullmatch(r"ul\. \w+ej [1-9]", drawn)),
    ("ul. D\u0142uga 4", "pl", "przy ", lambda drawn: re.fullmatch(r"ul\. \w+a [1-9]", drawn)),
    ("Espagne", "fr", "parti en ", lambda drawn: drawn in POOLS["country fr feminine"]),
    ("Portugal", "fr", "puis au ", lambda drawn: drawn in POOLS["country fr masculine"] and drawn[0] not in "AEIOU"),
    ("Oudenburg", "nl", "", lambda drawn: drawn in POOLS["town NL"] + POOLS["city NL"]),
    ("Springfield", "", "", lambda drawn: drawn in pools.place_pool("town", Page())),
    ("Yorkshire", "en", "", lambda drawn: drawn in POOLS["county"]),
    ("St Clare", "en", "", lambda drawn: drawn.removeprefix("St ") in pools.pool("given")),
    ("Turkish", "en", "", lambda drawn: key_of(drawn) in pools.places().countries),
    ("The Old Rectory", "en", "", lambda drawn: drawn.endswith(" Rectory")),
]


def test_a_british_postal_code_is_of_a_real_area() -> None:
    for value, letters in (("SW1A 1AA", 2), ("M1 1AE", 1), ("DL3 7HD", 2)):
        drawn = {_drawn(value, seed=seed)[:letters] for seed in range(60)}
        assert drawn <= set(places._POSTAL_AREAS[letters]) and len(drawn) > 4


def test_an_organization_in_s_has_an_apostrophe_alone(rng: np.random.Generator) -> None:
    for value, ending in (("Battaglia and Partners'", "Partners'"), ("Gonzalez Bank's", "Bank's")):
        assert FIRM.draw([Mention(value)], MemoryScope(), rng)[0].endswith(f" {ending}")


@pytest.mark.parametrize(
    ("value", "language", "form"),
    [
        ("Plomberie Kervella et Fils", "fr", r"\w.* et Fils"),
        ("Ravanat P\xe8re et Fils", "fr", r"\w.* P\xe8re et Fils"),
        ("Universit\xe0 degli Studi di Torino", "it", r"Universit\xe0 degli Studi di \w.*"),
        ("Ferrero e Soci Srl", "it", r"\w.* e Soci Srl"),
        ("Officina F.lli Carrubba S.n.c.", "it", r".* S\.n\.c\."),
        ("Hurtownia Malwa sp. j.", "pl", r"\w.* sp\. j\."),
        ("Malwa", "pl", r"(?:Grupa|Biuro|Firma) \w.*|\w.* (?:Sp\. z o\.o\.|S\.A\.|i Synowie|Serwis)"),
        ("Tribunale di Padova", "it", r"Tribunale di \w.*"),
        ("Amtsgericht K\xf6ln", "de", r"Amtsgericht \w.*"),
        ("Pellerin & Daigle Funeral Home", "en", r"[\w'-]+ & [\w'-]+ Funeral Home"),
    ],
)
def test_words_between_and_around_names_of_organizations_stay(value: str, language: str, form: str) -> None:
    (drawn,) = FIRM.draw([Mention(value, page=Page(language))], MemoryScope(), np.random.default_rng(2))
    assert re.fullmatch(form, drawn) and drawn != value


TOWN, STREET = r"[A-Z][\w' .-]+", r"[A-Z][\w'-]+ (?:" + "|".join(pools.STREETS) + ")"
FORMS = [
    ("12 bis, hent Kroaz, 29252 Plouezoc'h", "fr", r"[1-9]\d bis, \w+ d['e].+, [1-9]\d{4} .+"),
    ("12 Quay\n> Street, Bristol", "en", r"[1-9]\d [A-Z]\w+\n> (?:" + "|".join(pools.STREETS) + "), .+"),
    ("12 Quay\n> Bristol", "en", r"[1-9]\d .+\n> [A-Z].+"),
    ("27 Old Cleveland\nTerrace", "en", r"[1-9]\d [A-Z].*\n\w+"),
    ("SW1A 1AA", "en", r"[A-Z]{2}[1-9][A-Z] \d[A-Z]{2}"),
    ("T12 X2Y8", "en", r"[A-Z][1-9]\d [A-Z]\d[A-Z]\d"),
    ("3 bis, impasse des Tanneurs", "fr", r"[1-9] bis, \w+ d['e].+"),
    ("3 bis impasse des Tanneurs", "fr", r"[1-9] bis \w+ d['e].+"),
    ("3 bis", "fr", "[1-9] bis"),
    ("Calle Mayor 9, bajo", "es", r"[^,]+ [1-9], bajo"),
    ("19 Canal Walk, Flat 3", "en", rf"[1-9]\d {STREET}, Flat [1-9]"),
    ("Apt 6B", "en", r"Apt [1-9][A-Z]"),
    ("1420 W Elm St Apt 6B", "en", rf"[1-9]\d{{3}} {STREET} Apt [1-9][A-Z]"),
    ("b\xe2timent C", "fr", r"b\xe2timent [A-Z]"),
    ("calle de la Luna, 14, 2.\xba B", "es", r"\w+ de [^,]+, [1-9]\d, [1-9]\.\xba [A-Z]"),
    ("Rua das Flores, 19, 3.\xba Esq.", "pt", r"\w+ de [^,]+, [1-9]\d, [1-9]\.\xba Esq\."),
    ("88 Station Approach, Swindon SN1 1DL", "en", rf"[1-9]\d {STREET}, {TOWN} [A-Z]{{2}}\d \d[A-Z]{{2}}"),
    ("Springfield IL 62704", "en", rf"{TOWN} [A-Z]{{2}} \d{{5}}"),
    ("3511 KX Utrecht", "nl", r"[1-9]\d{3} [A-Z]{2} [^0-9]+"),
    ("31-147 Krak\xf3w", "pl", r"[1-9]\d-\d{3} [^0-9]+"),
    ("4050-262 Porto", "pt", r"[1-9]\d{3}-\d{3} [^0-9]+"),
    ("12-14 Cotton Street", "en", rf"[1-9]\d-\d{{2}} {STREET}"),
    ("221B Baker Street", "en", rf"[1-9]\d\d[A-Z] {STREET}"),
    ("2 a St John's Road", "en", rf"[1-9] {STREET}"),
]


@pytest.mark.parametrize(("value", "page", "form"), FORMS)
def test_an_address_keeps_its_form(value: str, page: str, form: str) -> None:
    for seed in range(6):
        drawn = _drawn(value, page, seed=seed)
        assert re.fullmatch(form, drawn)


def test_numbers_of_houses_rise() -> None:
    for seed in range(12):
        low, high = _drawn("12-14 Cotton Street", seed=seed).split(" ")[0].split("-")
        assert int(low) <= int(high)


def test_a_town_is_one_whatever_postal_code_stands_behind_it() -> None:
    for seed in range(6):
        mentions = [Mention(value, page=Page("en")) for value in ("Swindon SN1 1DL", "Swindon", "Swindon SN2 4QQ")]
        first, alone, other = KEPT.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        assert first.startswith(f"{alone} ") and other.startswith(f"{alone} ") and first != other


def test_a_country_agrees_with_its_adjective() -> None:
    for seed in range(6):
        mentions = [Mention(value, page=Page("en")) for value in ("Republic of Turkey", "Turkish")]
        country, adjective = KEPT.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        assert pools.places().countries[key_of(adjective)] == key_of(country.removeprefix("Republic of "))


def test_no_town_is_a_district_by_its_name() -> None:
    towns = {name for listed in POOLS if listed.startswith(("town ", "city ")) for name in POOLS[listed]}
    assert not {name for name in towns if re.search(r"(?i)\b(?:circoi?scrizione|district|county|borough)\b", name)}


@pytest.mark.parametrize(("value", "page", "before", "fits"), CASES)
def test_a_place_stays_what_it_is(value: str, page: str, before: str, fits: object) -> None:
    assert callable(fits)
    assert all(fits(_drawn(value, page, before, seed)) for seed in range(12))


def test_without_a_level_no_list_is_asked() -> None:
    drawn = make_surrogate("place")
    for seed in range(10):
        same = [
            drawn.draw([Mention(value)], MemoryScope(), np.random.default_rng(seed)) for value in ("Peru", "Zzz", "Ulm")
        ]
        assert same[0] == same[1] == same[2]


@pytest.mark.parametrize("level", ["drawn", "kept"])
def test_the_exact_law_of_places_is_uniform(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """All choices are gone through; a pool that leaves out the value's own entry has another law."""
    tiny = {"town": ("Ely", "Ulm", "Wem"), "street": ("Oak Road", "Elm Road"), "country": ("Peru", "Chad", "Fiji")}
    monkeypatch.setattr(places, "place_pool", lambda what, page: tiny[what])
    surrogate = make_surrogate("place", options={"level": level})
    laws = [
        exact_law(surrogate, [Mention(value) for value in values], depth=6)
        for values in (["Wem", "Xyx Park", "Wem"], ["Qux", "Zot Park", "Qux"])
    ]
    assert laws[0] == laws[1] and len(laws[0]) == 6 and len(set(laws[0].values())) == 1
    assert Fraction(9, 10) < sum(laws[0].values()) < 1
    avoiding = {drawn: chance for drawn, chance in laws[0].items() if drawn[0] != "Wem"}
    assert avoiding != laws[1]
    if level == "kept":
        countries = [exact_law(surrogate, [Mention(value)], depth=1) for value in ("Peru", "Germany")]
        assert countries[0] == countries[1] and set(countries[0]) == {("Peru",), ("Chad",), ("Fiji",)}


def test_the_exact_law_of_organizations_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(organizations, "place_pool", lambda what, page: ("Ely", "Ulm"))
    monkeypatch.setattr(organizations, "pool", lambda name: ("Dunn", "Egan", "Ford"))
    hospitals = [exact_law(FIRM, [Mention(f"{name} General Hospital")], depth=1) for name in ("Mercy", "Ulm")]
    assert hospitals[0] == hospitals[1] == {(f"{name} General Hospital",): Fraction(1, 2) for name in ("Ely", "Ulm")}
    banks = [exact_law(FIRM, [Mention(f"{name} Bank")], depth=1) for name in ("Zot", "Ford")]
    assert banks[0] == banks[1] and len(banks[0]) == 3


def test_an_organization_bears_the_surrogate_of_a_name_in_it(rng: np.random.Generator) -> None:
    scope = MemoryScope()
    people, firms, towns = (KindScope(scope, kind) for kind in ("person", "organization", "place"))
    (family,) = make_surrogate("person").draw([Mention("Hartley", "Mrs. ")], people, rng)
    (town,) = KEPT.draw([Mention("Springfield")], towns, rng)
    drawn = FIRM.draw(
        [Mention("Hartley & Sons Ltd"), Mention("Springfield General Hospital"), Mention("Acme Ltd")], firms, rng
    )
    assert drawn[:2] == [f"{family} & Sons Ltd", f"{town} General Hospital"]
    assert drawn[2].endswith(" Ltd") and family not in drawn[2]


def test_a_country_and_its_adjective_agree() -> None:
    text = (
        "He is a Turkish national and a Danish citizen. The Republic of Turkey was sued. He moved to Denmark in 1994."
    )
    adjectives = {country: adjective for adjective, country in pools.places().countries.items()}
    for seed in range(8):
        release = Sanitizer("identifiers", rng=np.random.default_rng(seed))(text)
        found = re.match(
            r"He is an? ([\w ]+) national and an? ([\w ]+) citizen\. The Republic of ([\w ]+) was", release.text
        )
        assert found is not None
        assert found[1].lower() == adjectives[found[3].lower()] and found[2] != found[1]
        assert release.private_map is not None and restore(release.text, release.private_map) == text


def test_a_corpus_gives_one_place_on_all_pages_of_a_language() -> None:
    scope = KeyedScope(b"k" * 32)
    pages = [Mention("Ulm", "nach ", page=Page("de")), Mention("Ulm", "l'", page=Page("de"))]
    assert len({KEPT.draw([mention], scope, np.random.default_rng(1))[0] for mention in pages}) == 1


def test_no_place_is_an_ordinary_word_alone() -> None:
    words = lists().words
    for name in ("US", "GB", "AU"):
        drawn = POOLS[f"town {name}"] + POOLS[f"city {name}"]
        assert not [town for town in drawn if words.get(town.lower(), 0) & (Marks.COMMON | Marks.SMALL)]


def test_ages_are_of_children_where_released_words_say_so(rng: np.random.Generator) -> None:
    age = make_surrogate("age")
    for _ in range(30):
        boy, woman = age.draw(
            [Mention("12", "a ", "-year-old boy"), Mention("34", "", ", a woman of")], MemoryScope(), rng
        )
        assert int(boy) < 18 <= int(woman)
    laws = [exact_law(age, [Mention(value, "", "-year-old boy")], depth=1) for value in ("3", "80")]
    assert laws[0] == laws[1] and {int(drawn) for (drawn,) in laws[0]} == set(range(3, 18))


def test_an_age_before_a_plural_unit_is_no_single_year() -> None:
    surrogate = make_surrogate("age", 0.0, {"group": "kept"})
    law = exact_law(surrogate, [Mention("9", "\xe2g\xe9e de ", " ans, est \xe9l\xe8ve")], depth=1)
    assert len(law) == 16 and ("1",) not in law and ("0",) not in law


@pytest.mark.parametrize(
    ("unit", "fits"),
    [
        ("\u0433\u043e\u0434", lambda age: age % 10 == 1 and age != 11),
        ("\u0433\u043e\u0434\u0430", lambda age: age % 10 in (2, 3, 4) and age // 10 != 1),
        ("\u043b\u0435\u0442", lambda age: age % 10 not in (1, 2, 3, 4) or age // 10 == 1),
        ("lata", lambda age: age % 10 in (2, 3, 4) and age // 10 != 1),
        ("lat", lambda age: age > 1 and (age % 10 not in (2, 3, 4) or age // 10 == 1)),
    ],
)
def test_an_age_goes_with_the_unit_behind_it(unit: str, fits: Callable[[int], bool]) -> None:
    laws = [exact_law(make_surrogate("age"), [Mention(value, "", f" {unit}.")], depth=1) for value in ("4", "31")]
    assert laws[0] == laws[1] and len(laws[0]) > 5 and all(fits(int(drawn)) for (drawn,) in laws[0])
    whole = {
        make_surrogate("age").draw([Mention(f"10 {lat}")], MemoryScope(), np.random.default_rng(seed))[0]
        for seed in range(30)
        for lat in ("lat", "lata")
    }
    assert all(
        ("lata" in one) == (int(one.split()[0]) % 10 in (2, 3, 4) and int(one.split()[0]) // 10 != 1) for one in whole
    )


@pytest.mark.parametrize(
    ("before", "after", "ages"),
    [
        ("Granny \ufffc is ", " next month", (62, 89)),
        ("died at home, aged ", ". Her daughter", (62, 89)),
        ("little \ufffc, aged ", " in May", (3, 17)),
        ("the little house where \ufffc, ", ", lives", (18, 89)),
        ("Our son \ufffc (", ") laughed", (18, 30)),
        ("My mother, ", ", and my son", (50, 84)),
        ("my sister \ufffc (she's ", ", nurse)", (20, 64)),
        ("the toddler. \ufffc (", ") came", (18, 89)),
        ("die Enkelin \ufffc, ", ", ist", (3, 17)),
        ("ojciec \ufffc (", " lat)", (50, 81)),
        ("", "", (0, 89)),
    ],
)
def test_released_words_around_an_age_choose_its_range(before: str, after: str, ages: tuple[int, int]) -> None:
    laws = [exact_law(make_surrogate("age"), [Mention(value, before, after)], depth=1) for value in ("4", "33", "88")]
    assert laws[0] == laws[1] == laws[2]
    assert (min(int(drawn) for (drawn,) in laws[0]), max(int(drawn) for (drawn,) in laws[0])) == ages


def test_an_age_sees_words_on_the_other_side_of_a_name() -> None:
    drawn = [Sanitizer("identifiers", rng=seeded_generator(seed))(_LITTLE).text for seed in range(12)]
    ages = [int(re.findall("[0-9]+", text)[0]) for text in drawn]
    assert max(ages) < 18 < 3 * len(set(ages))


_LITTLE = "We all came to see little Ottilie, aged 44, and her dog."


def test_saints_are_called_by_given_names() -> None:
    names = [Mention("St. Mary's Hospital"), Mention("St Thomas Hospital")]
    drawn = FIRM.draw(names, MemoryScope(), np.random.default_rng(1))
    assert all(re.fullmatch(r"St\.? [A-Z][a-z]+ Hospital", name) for name in drawn)


def _beside(names: dict[str, list[Mention]], seed: int) -> list[str]:
    """Draw persons and places of a text, then its organizations."""
    scope, rng, drawn = MemoryScope(), np.random.default_rng(seed), []
    own = {"person": make_surrogate("person"), "place": KEPT, "organization": FIRM}
    for kind in ("person", "place", "organization"):
        drawn += own[kind].draw(names[kind], KindScope(scope, kind), rng) if kind in names else []
    return drawn


@pytest.mark.parametrize("seed", range(4))
def test_an_organization_bears_the_names_that_the_text_has(seed: int) -> None:
    people = [Mention("Colin Hartwell"), Mention("Fiona Drummond")]
    firms = ["Hartwell & Pryce LLP", "Drummond Music Shop", "Hartwell Horses", "Hartwell & Daughters Joinery Ltd"]
    drawn = _beside({"person": people, "organization": [Mention(firm) for firm in firms]}, seed)
    hartwell, drummond = (name.split(" ")[1] for name in drawn[:2])
    assert re.fullmatch(rf"{hartwell} & [\w']+ LLP", drawn[2]) and hartwell not in drawn[2][len(hartwell) :]
    assert drawn[3] == f"{drummond} Music Shop" and drawn[5] == f"{hartwell} & Daughters Joinery Ltd"
    assert drawn[4].startswith(f"{hartwell} ") and drawn[4] in [form.format(hartwell) for form in organizations.FORMS]


@pytest.mark.parametrize(
    ("value", "page", "before", "form"),
    [("CHU de Rennes", "fr", "au ", r"CHU de [^AEIOU\xc9\xce\xc8].*"),
     ("Universit\xe9 d'Angers", "fr", "", r"Universit\xe9 d'[AEIOU\xc9\xce\xc8].*"),
     ("Lemoine Durand", "fr", "chez l'", r"[AEIOU\xc9\xce\xc8].*"),
     ("Joliot-Curie-Gymnasium", "de", "", r".+-Gymnasium"), ("Stadt Leipzig", "de", "bei der ", r"Stadt .+"),
     ("Harmony Choir", "en", "", r".+ Choir"), ("Qwelda & Zuse", "en", "", r"[\w']+ & [\w']+.*"),
     ("Szko\u0142a Podstawowa im. Zuse", "pl", "", r"Szko\u0142a Podstawowa .+")],
)  # fmt: skip
def test_words_for_kinds_and_articles_stay_right(value: str, page: str, before: str, form: str) -> None:
    for seed in range(8):
        drawn = FIRM.draw([Mention(value, before, page=Page(page))], MemoryScope(), np.random.default_rng(seed))[0]
        assert re.fullmatch(form, drawn)


def test_a_word_before_a_name_asks_for_one_that_goes_with_it() -> None:
    for seed in range(8):
        drawn = FIRM.draw(
            [Mention("Elizabeth Hospital", "from Queen "), Mention("Ullathorne School", "at Bishop ")],
            MemoryScope(), np.random.default_rng(seed),
        )  # fmt: skip
        assert drawn[0].removesuffix(" Hospital") in pools.pool("given female")
        assert drawn[1].removesuffix(" School") in pools.pool("family")


def test_a_body_of_a_town_is_that_of_another_town() -> None:
    values = (
        *("Jobcenter Bremen", "Préfecture du Finistère", "Leeds Chamber of Commerce", "Comune di Lodi"),
        *("Handwerkskammer Köln", "Kamer van Koophandel Zwolle", "Cámara de Comercio de Lugo"),
    )
    drawn = [FIRM.draw([Mention(value)], MemoryScope(), np.random.default_rng(3))[0] for value in values]
    towns = pools.place_pool("town", Page())
    assert drawn[0].removeprefix("Jobcenter ") in towns
    assert drawn[1].removeprefix("Préfecture du ") in towns
    assert drawn[2].removesuffix(" Chamber of Commerce") in towns
    assert drawn[3].removeprefix("Comune di ") in towns
    assert drawn[4].removeprefix("Handwerkskammer ") in towns
    assert drawn[5].removeprefix("Kamer van Koophandel ") in towns
    assert drawn[6].startswith("Cámara de Comercio de ")


def test_a_bank_of_a_country_is_one_of_a_country() -> None:
    drawn = [FIRM.draw([Mention(value)], MemoryScope(), np.random.default_rng(3))[0] for value in
             ("Bank of Ireland", "University of Texas", "Somerset County Council", "Bank of Qwelda")]  # fmt: skip
    assert drawn[0].removeprefix("Bank of ") in POOLS["country"]
    assert drawn[1].removeprefix("University of ") in POOLS["state"]
    assert drawn[2].removesuffix(" County Council") in POOLS["county"]
    assert drawn[3].removeprefix("Bank of ") in pools.place_pool("town", Page())


def test_parts_of_a_firm_are_drawn_whatever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """All choices are gone through: each part has a uniform family; the mutant never gives a part its own."""
    monkeypatch.setattr(organizations, "pool", {"family": ("Dunn", "Egan", "Ford")}.__getitem__)
    monkeypatch.setattr(organizations, "FORMS", ("{} Ltd.", "{} Inc."))
    laws = [exact_law(FIRM, [Mention(value)], depth=4) for value in ("Dunn & Egan LLP", "Zuse & Qwelda LLP")]
    assert laws[0] == laws[1] and len(laws[0]) == 6 and len(set(laws[0].values())) == 1
    assert {name: chance for name, chance in laws[0].items() if name != ("Dunn & Egan LLP",)} != laws[1]


def test_a_french_article_stays_before_what_goes_with_it() -> None:
    mention = Mention("Haute-Vienne", "dans la ", page=Page("fr"))
    drawn = [KEPT.draw([mention], MemoryScope(), np.random.default_rng(seed))[0] for seed in range(9)]
    assert {f"La {town}" for town in drawn} <= {*pools.place_pool("town", Page("fr"))}


def test_a_room_is_no_street() -> None:
    drawn = [
        KEPT.draw([Mention("Conference Room 3")], MemoryScope(), np.random.default_rng(seed))[0] for seed in range(9)
    ]
    assert all(re.fullmatch("Conference Room [1-9]", one) for one in drawn) and len({*drawn}) > 2


def test_a_house_keeps_its_word_and_its_owner(rng: np.random.Generator) -> None:
    scope = MemoryScope()
    person = make_surrogate("person").draw([Mention("Hamish Tavish")], KindScope(scope, "person"), rng)[0].split()[1]
    house = make_surrogate("place", options={"level": "kept"})
    drawn = house.draw(
        [Mention("Tavish House"), Mention("The Old Forge"), Mention("R\xe9sidence Les Pins")],
        KindScope(scope, "place"),
        rng,
    )
    assert drawn[0] == f"{person} House" and drawn[1].endswith(" Forge") and drawn[2].startswith("R\xe9sidence ")
    assert "Old" not in drawn[1] and "Pins" not in drawn[2]
