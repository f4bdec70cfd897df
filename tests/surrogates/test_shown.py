"""What released words beside a value ask of its surrogate, and that it costs nothing."""

import numpy as np
import pytest
from tests.helpers.pattern_strings import strings_of
from tests.helpers.surrogates import exact_law

import textveil as tv
from textveil.randomness import seeded_generator
from textveil.sanitize.by_policy import _heads
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Stretches
from textveil.surrogates import person as persons
from textveil.surrogates import shown
from textveil.surrogates import surrogate as pages
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.pools import keys_of, names_of, pool
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.shown import gender_of, sound_of, sounding
from textveil.surrogates.surrogate import Mention, Page, page_of

PERSON = make_surrogate("person")
SHOWN = [
    ("her husband ", "", "male"),
    ("Sehr geehrte Frau Dr. ", "", "female"),
    ("Ch\xe8re ", "", "female"),
    ("Prezado senhor ", "", "male"),
    ("sua filha ", "", "female"),
    ("Brought in by ", " (brother) after a fall", "male"),
    ("seen: ", ", a 36-year-old woman with", "female"),
    ("Ma ch\xe8re ", ", merci", "female"),
    ("Mon cher ", ", merci", "male"),
    ("Nasz syn ", " jest", "male"),
    ("nie ma c\xf3rki ", " w domu", "female"),
    ("", ", 4-year-old boy, weight", "male"),
    ("", " was referred by her landlord", "female"),
    ("", " is the sister of", "female"),
    ("le dossier de ", ", n\xe9e le ", "female"),
    ("unser Patient ", "", "male"),
    ("", " (n\xe9e ", "female"),
    ("Estimada D.\xaa ", "", "female"),
    ("Pacjentka: ", "", "female"),
    ("z m\u0119\u017cem ", "", "male"),
    ("Paciente: ", ", var\xf3n de ", "male"),
    ("O vizinho, Sr. ", "", "male"),
    ("", ", 6 yo F, brought by", "female"),
    ("", " writes with flair. She should", "female"),
    ("", " writes with flair. Hence", ""),
    ("his mother (", ") came", "female"),
    ("a boy called ", "", "male"),
    ("la vecina llamada ", "", "female"),
    ("Mr & Mrs ", "", "male"),
    ("Bless her, ", "", "female"),
    ("le mari de ", ", au travail", "female"),
    ("der Mann von ", " kommt", "female"),
    ("the wife of ", "", "male"),
    ("casada con ", "", "male"),
    ("the husband of \ufffc, ", "", "male"),
    ("Kuzynka pana \ufffc, ", "", "female"),
    ("her mother and \ufffc, ", "", ""),
    ("la madre se llama ", "", "female"),
    # no evidence: another person's relation, a degree, an object
    ("the sister of ", "", ""),
    ("Read by ", ", M.D., of", ""),
    ("Ask ", " whether it works", ""),
    ("5 ms ", "", "female"),
]


@pytest.mark.parametrize(
    ("language", "before", "gender"),
    [
        ("de", "die ", "female"), ("de", "mit der ", "female"), ("de", "dem ", "male"), ("de", "der ", ""),
        ("it", "alla ", "female"), ("it", "col ", "male"), ("es", "el Dr. ", "male"), ("pt", "avisado o Dr. ", "male"),
        ("pt", "da ", "female"), ("pl", "Panie ", "male"), ("pl", "pani ", "female"), ("fr", "la ", ""),
        ("en", "die ", ""),
        ("fr", "Le plombier, ", "male"), ("fr", "la voisine ", "female"), ("fr", "la personne ", ""),
        ("es", "la tutora, ", "female"),
        ("es", "la trata ", ""), ("es", "el alumno ", "male"), ("it", "la neonata ", "female"), ("it", "lo dice ", ""),
        ("pt", "a aluna, ", "female"), ("pt", "o aluno ", "male"), ("de", "die Sch\xfclerin ", "female"),
        ("de", "meine Patentante ", "female"),
        ("de", "unser Azubi ", "male"), ("de", "mein Kind ", ""), ("de", "die kleine ", "female"),
        ("en", "le plombier, ", ""),
    ],
)  # fmt: skip
def test_articles_and_titles_of_a_language_show_a_gender_on_its_pages(language: str, before: str, gender: str) -> None:
    assert gender_of(Mention("Kim", before, page=Page(language))) == gender


@pytest.mark.parametrize(
    ("language", "after", "gender"),
    [
        ("fr", " est enceinte", "female"), ("fr", " est all\xe9 au", "male"), ("fr", " est venue", "female"),
        ("es", " est\xe1 ingresado", "male"),
        ("es", " fue ayudada por", "female"), ("it", " \xe8 stata visitata", "female"), ("pt", " foi operado", "male"),
        ("fr", " est malade", ""), ("en", " est venue", ""),
    ],
)  # fmt: skip
def test_a_participle_behind_a_name_agrees_with_it(language: str, after: str, gender: str) -> None:
    assert gender_of(Mention("Kim", "", after, page=Page(language))) == gender


@pytest.mark.parametrize(("before", "after", "gender"), SHOWN[:-1])
def test_words_beside_a_name_show_a_gender(before: str, after: str, gender: str) -> None:
    assert gender_of(Mention("Kim", before, after)) == gender


def test_a_name_fits_its_titles_and_relations(rng: np.random.Generator) -> None:
    for _ in range(20):
        mentions = [Mention("Kim Roe", "Ms. "), Mention("Kim"), Mention("Lee", "her husband "), Mention("Mrs. Jo Poe")]
        kim, again, lee, poe = PERSON.draw(mentions, MemoryScope(), rng)
        assert kim.split(" ")[0] == again and again.lower() in keys_of("given female")
        assert lee.lower() in keys_of("given male") and poe.split(" ")[1].lower() in keys_of("given female")


def test_the_law_of_a_name_follows_released_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """All choices are gone through: names behind the same words have one law, uniform over the pool of these."""
    tiny = {"given": ("Ada", "Ben", "Cleo"), "given female": ("Ada", "Cleo"), "given male": ("Ben", "Bob")}
    monkeypatch.setattr(persons, "pool", (tiny | {"family": ("Dunn", "Egan")}).__getitem__)
    texts = [
        [("Ada", "Dr. A"), ("Mary", "aunt "), ("Ada Dunn", "")],
        [("Zoe", "Dr. A"), ("Jim", "aunt "), ("Zoe Roe", "")],
    ]
    first, second = (exact_law(PERSON, [Mention(*mention) for mention in text], depth=7) for text in texts)
    assert first == second
    assert {aunt for _, aunt, _ in first} == {"Ada", "Cleo"}
    alone = exact_law(PERSON, [Mention("Jim", "aunt ")], depth=1)
    assert len(alone) == 2 and len(set(alone.values())) == 1
    by_value = exact_law(make_surrogate("person", options={"gender": "kept"}), [Mention("Jim")], depth=1)
    assert by_value != alone


def test_a_corpus_gives_one_name_whatever_stands_beside_it(rng: np.random.Generator) -> None:
    scope = KeyedScope(b"k" * 32)
    assert (
        len({PERSON.draw([Mention("Kim", before)], scope, rng)[0] for before in ("Ms. A, ", "", "her husband ")}) == 1
    )


def test_initials_and_plurals_follow_the_name(rng: np.random.Generator) -> None:
    mentions = [
        Mention("Maria Gonzalez"),
        Mention("M. Gonzalez"),
        Mention("X. Gonzalez"),
        Mention("Gonzalezes", "the "),
    ]
    full, initial, other, plural = PERSON.draw(mentions, MemoryScope(), rng)
    given, family = full.split(" ")
    assert initial == f"{given[0]}. {family}" and other.endswith(family)
    assert plural in (family + "s", family + "es")


def test_an_elided_article_gets_a_vowel_and_a_whole_one_none(rng: np.random.Generator) -> None:
    french = Page("fr")
    for _ in range(10):
        eve, jean = PERSON.draw(
            [Mention("Eve", "le dossier d'", page=french), Mention("Bo", "celui de ", page=french)], MemoryScope(), rng
        )
        assert eve[0] in "AEIOU" and jean[0] not in "AEIOU"
    assert sound_of(Mention("x", "said ")) == "" and sound_of(Mention("x", "an ")) == "vowel"
    assert sounding(("Ada", "Bob", "Cy"), "vowel") == ("Ada", "Bob", "Cy")


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("the patient was seen and went home to her family", Page("en")),
        ("my neighbour said that the cheque is with the GP", Page("en", "GB")),
        ("my neighbor and the pediatric center in the county", Page("en", "US")),
        ("vielen Dank f\xfcr die \xdcberweisung von Herrn", Page("de")),
        ("nous avons bien re\xe7u votre demande du", Page("fr")),
        ("x = 3", Page()),
    ],
)
def test_released_words_tell_the_language_of_a_page(text: str, page: Page) -> None:
    assert page_of([text]) == page


def test_released_values_tell_the_country() -> None:
    assert page_of(["call me at the house on"], ["+44 1632 960123"]).region == "GB"
    assert page_of(["call me at the house on"], ["Reno, NV 89501"]).region == "US"


def test_a_release_agrees_with_its_own_words() -> None:
    text = "Daughter Maria called. Her husband Peter Kowalski, a teacher, asked about the plan for Maria."
    for seed in range(5):
        release = Sanitizer("clinical", rng=np.random.default_rng(seed))(text).text
        daughter, husband = release.split("Daughter ")[1].split(" ")[0], release.split("husband ")[1].split(" ")[0]
        assert daughter.lower() in keys_of("given female") and husband.lower() in keys_of("given male")
        assert f"for {daughter}" in release


def test_names_are_of_the_language_of_the_page() -> None:
    german, page = names_of("given female", "de"), Page("de")
    law = exact_law(PERSON, [Mention("Kim", "Frau Dr. ", page=page)], depth=1)
    assert {name for (name,) in law} == set(names_of("family", "de")) and len(set(law.values())) == 1
    law = exact_law(PERSON, [Mention("Kim", "seine Schwester ", page=page)], depth=1)
    assert {name for (name,) in law} == set(german) < set(pool("given female"))
    assert names_of("given", "fi") == pool("given") == names_of("given", "")


def test_each_word_of_a_gender_is_looked_up_before_it_is_searched() -> None:
    words = strings_of(f"{shown._WOMEN}|{shown._MEN}") or ()
    assert len(words) > 200
    for word in words:
        for before in (f"our {word} ", f"({word.capitalize()}: ", f"x {word.upper()}, Dr. "):
            assert bool(shown._before(before)) == bool(shown._BEFORE.search(before)), before
        assert shown._before(f"our {word} ")
    assert shown._before("a plain word ") is None and shown._before("\u00e9 she ") is None


BEHIND = (
    " ({word}) a",
    ", my {word}, table",
    " 42{word}",
    ", 42-yo{word}",
    " was the {word} of",
    " by {word}.",
    " met {word} own",
    " with {word} a",
)


def test_each_word_of_a_gender_behind_a_name_is_looked_up_before_it_is_searched() -> None:
    others = "f female lady m gentleman he him himself his she her herself hers nata nato nascida nascido nacida nacido"
    words = [*(strings_of(f"{shown._WOMEN}|{shown._MEN}") or ()), *others.split(), "x", "yes"]
    told = 0
    for word in words:
        for after in (form.format(word=written) for form in BEHIND for written in (word, word.upper())):
            found = shown._BEHIND.match(after)
            told += found is not None
            assert bool(shown._behind(Mention("Kim", after=after))) == bool(found), after
    assert told > 1_000
    assert shown._behind(Mention("Kim's", after=", my sister,")) is None


OF_COUNTRIES = """colour favourites neighbours honour centre metres organise practised haemorrhage anaemia fulfil gp nhs
    mum post code surgery on flat 4 county court era apt er zip organized county, mothers medicare attorneys theater
    realize realise x-er er_ 9er a&e \xa3 \xe9er Mom, GP"""


def test_words_of_a_country_are_counted_as_a_search_counts_them() -> None:
    draws = np.random.default_rng(5)
    words = OF_COUNTRIES.split()
    for _ in range(300):
        text = " ".join(draws.choice(words, 12))
        begun = {word[: pages._BEGUN] for word in pages.words_of(text)}
        for pattern, begins in ((pages._GB, pages._GB_BEGUN), (pages._US, pages._US_BEGUN)):
            if not begins.isdisjoint(begun):
                assert pages._count(pattern, begins, text) == len(pattern.findall(text))


TABLE = """id,first_name,last_name,dob,joined
1,Ingrid,Solberg,1979-11-02,2021-03-04
2,"Tomas",Solberg,1981-01-30,2022-05-06
3,Kate,"O'Neill",1990-06-17,2023-07-08"""


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_head_of_a_column_tells_of_its_names_and_dates(mark: str) -> None:
    for seed in range(6):
        release = Sanitizer(tv.policy("identifiers"), rng=seeded_generator(seed))(TABLE.replace(",", mark))
        rows = [line.replace('"', "").split(mark) for line in release.text.split("\n")[1:]]
        assert {row[2] for row in rows} <= set(pool("family")) and rows[0][2] == rows[1][2]
        joined = min(int(row[4][:4]) for row in rows)
        assert all(17 <= joined - int(row[3][:4]) <= 86 for row in rows)


@pytest.mark.parametrize("mark", ["\t", "|", ";", ","])
def test_heads_of_columns_are_told_below_other_text(mark: str) -> None:
    """A line without a mark ends a table; the head of the next one stands alone."""
    text = [
        "Card holders:\n\nid,last_name,expires\n1,",
        ",",
        "\n2,",
        ",",
        "\nThese are all.\n",
        ",",
        "\na,b,c\n",
        ",x,",
        "",
    ]
    stretches = Stretches([part.replace(",", mark) for part in text], shown=48)
    assert _heads(stretches) == ["last_name ", "expires ", "last_name ", "expires ", "", "", "a ", "c "]
    drawn = stretches._replace(texts=["The ", *stretches.texts])
    assert _heads(drawn)[0] == ""


@pytest.mark.parametrize("gap", ["  ", "   ", "\t"])
def test_a_value_is_drawn_as_with_single_spaces_and_written_with_its_gaps(gap: str) -> None:
    text = "Dear Solange Thevenot, we met on 12 March 2024 in 12 Orchard Lane, SP4N 9AU, and call 0161 496 0732."
    for seed in range(4):
        told = Sanitizer(tv.policy("identifiers"), rng=seeded_generator(seed))(text)
        values = [told.text[span.start : span.end] for span in told.drawn_spans]
        spaced = Sanitizer(tv.policy("identifiers"), rng=seeded_generator(seed))(
            text.replace("Solange T", f"Solange{gap}T").replace("12 March 2024", f"12{gap}March{gap}2024")
            .replace("12 Orchard Lane", f"12{gap}Orchard{gap}Lane").replace("0161 496 0732", f"0161{gap}496{gap}0732")
        )  # fmt: skip
        wide = [spaced.text[span.start : span.end] for span in spaced.drawn_spans]
        assert " ".join(" ".join(wide).split()) == " ".join(values)
        assert gap.join(values[0].split(" ")) in wide and gap.join(values[1].split(" ")) in wide


def test_a_quoted_name_in_a_column_begins_with_its_family() -> None:
    stretches = Stretches(['id,name,dob\n1,"', ", ", '"\n'], shown=48)
    turned = stretches._replace(texts=['id,name,dob\n1,"', " of ", '"\n'])
    assert (_heads(stretches)[0], _heads(turned)[0]) == ("", "name ")


def test_the_head_of_a_column_that_is_drawn_tells_nothing(rng: np.random.Generator) -> None:
    stretches = Stretches(["Ann ", ",x,last_name\n", ",1,", "\n"], shown=48)
    assert _heads(stretches)[2] == "" and _heads(stretches._replace(texts=["a,b,last_name\n", "1,", ",", ""]))[2] != ""
