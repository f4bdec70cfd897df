"""Keep lists and patterns: what lies in them stays, whatever detectors find; what the user draws goes before them."""

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli.main import app
from textveil.detection.given import SHIPPED, KeepList, shipped_words
from textveil.detection.lists import RELATIONS, TITLES, Marks, lists
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, ParameterError
from textveil.sanitize.policy.choice import policy_of, policy_of_data
from textveil.sanitize.policy.making import parts_of

HEAD = """name = "p"
marks = "keep"
detectors = ["embedded"]
[[rule]]
kind = "word"
keep = true
[[rule]]
kind = "person"
placeholder = true
[[rule]]
kind = "organization"
placeholder = true
[[rule]]
kind = "number"
placeholder = true
"""
KEEP = "[[list]]\nkeep = true\n"


def released(rest: str, text: str) -> str:
    return tv.Sanitizer(policy_of(f"{HEAD}{rest}".encode(), "here"))(text).text


@pytest.mark.parametrize(
    ("rest", "text", "expected"),
    [
        (f'{KEEP}words = ["Maria Lopez"]\n', "Maria Lopez met Maria Roe.", "Maria Lopez met [person]."),
        (f'{KEEP}words = ["maria lopez"]\n', "Mar\u00eda  L\u00f3pez came.", "Mar\u00eda  L\u00f3pez came."),
        (f'{KEEP}words = ["Lopez"]\n', "Maria Lopez met Lopez.", "[person] met Lopez."),
        (f'{KEEP}words = ["Room 12"]\n', "In room 12 of 12 he sat.", "In room 12 of [number] he sat."),
        (f'{KEEP}words = ["12"]\n', "In B12 and 12 and 120.", "In B[number] and 12 and [number]."),
        (f'{KEEP}words = ["Maria", "Anna"]\n', "Maria and Anna saw Peter.", "Maria and Anna saw [person]."),
        (f'{KEEP}kind = "person"\nwords = ["12", "Maria"]\n', "Maria, room 12.", "Maria, room [number]."),
        (
            '[[pattern]]\nkeep = true\nregex = "Station [A-Z][a-z]+"\n',
            "Station Maria has Maria.",
            "Station Maria has [person].",
        ),
        ('[[rule]]\nkind = "ward"\nkeep = true\n[[list]]\nkind = "ward"\nwords = ["Maria"]\n', "Maria", "Maria"),
        (f'{KEEP}shipped = ["programming"]\n', "Ask Maria about MongoDB.", "Ask [person] about MongoDB."),
        (f'{KEEP}shipped = ["programming"]\n', "Python 3 and Bert", "Python [number] and [person]"),
        (
            f'[[rule]]\nkind = "place"\nplaceholder = true\n{KEEP}shipped = ["medical"]\n',
            "from Oslo (MI) with an MI",
            "from [place] ([place]) with an MI",
        ),
        (
            f'[[list]]\nkind = "person"\nwords = ["Redis"]\n{KEEP}shipped = ["programming"]\n',
            "Redis or Kafka",
            "[person] or Kafka",
        ),
    ],
)
def test_what_is_kept_stays_and_all_else_is_drawn(rest: str, text: str, expected: str) -> None:
    assert released(rest, text) == expected


def test_a_phrase_stays_where_words_are_drawn() -> None:
    drawn = '[[rule]]\nkind = "word"\nmechanism = "neighborhood"\n'
    rest = '[[rule]]\nkind = "number"\nplaceholder = true\n[[list]]\nkeep = true\nwords = ["Blue Quux"]\n'
    text = tv.Sanitizer(policy_of(f'name = "p"\n{drawn}{rest}'.encode(), "here"))("The Blue Quux of 12 was old").text
    assert "Blue Quux" in text and "12" not in text


def test_values_of_a_record_are_drawn_all_the_same() -> None:
    finder = parts_of(policy_of(f'{HEAD}{KEEP}words = ["Maria"]\n'.encode(), "here")).finder
    spans = finder.found_in(finder.readings(["Maria came"]), values=[[("Maria", "person")]])[0]
    assert [(span.start, span.end) for span in spans] == [(0, 5)]


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (
            '[[pattern]]\nkeep = true\nregex = ".+"\n',
            "pattern 1: regex must be one that keeps some values; got one",
        ),
        ('[[pattern]]\nkeep = true\nregex = "[0-9]+"\n', "got one that keeps every number"),
        ('[[pattern]]\nkeep = true\nkind = "person"\nregex = "[A-Z][A-Za-z ]+"\n', "got one that keeps every person"),
        ('[[pattern]]\nkeep = true\nlast = true\nregex = "x"\n', "pattern 1: last must be left out where"),
        (
            f'[[list]]\nkind = "person"\nwords = ["Ann Lee"]\n{KEEP}words = ["ann  LEE"]\n',
            "list 2: a word that is kept must be in no list that is drawn; got 1 of both",
        ),
        (f'{KEEP}shipped = ["plants"]\n', "list 1: shipped must be among eponyms, "),
        (f'{KEEP}shipped = ["products"]\nwords = ["x"]\n', "list 1: a list must have words or a file (or shipped"),
        ('[[list]]\nkind = "person"\nshipped = ["products"]\n', "list 1: shipped must be left out, or beside keep"),
        (f'{KEEP}kind = "ward"\nwords = ["x"]\n', "list 1: kind must be one that has a rule; got ward"),
        ('[[list]]\nkeep = "yes"\nwords = ["x"]\n', "list 1: keep must be true or false; got str"),
    ],
)
def test_what_keeps_a_whole_kind_or_contradicts_is_one_line_without_words(rest: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        released(rest, "x")
    assert said in str(caught.value) and "\n" not in str(caught.value) and "lee" not in str(caught.value).lower()


def test_data_and_digest_hold_what_is_kept_but_no_words() -> None:
    texts = [
        "",
        f'{KEEP}words = ["Maria", "Ann"]\n',
        f'{KEEP}shipped = ["products"]\n',
        '[[pattern]]\nkeep = true\nregex = "W-[0-9]"\n',
    ]
    made = [policy_of(f"{HEAD}{text}".encode(), "here") for text in texts]
    assert len({one.digest for one in made}) == len(texts)
    assert [policy_of_data(one.whole_data()) for one in made] == made
    assert made[1].to_data()["lists"] == [{"keep": True, "words": 2}]
    facts = tv.Sanitizer(made[1])("x").report().to_data()
    assert "Maria" not in str(facts) and "what the keep lists and patterns hold, wherever it stands" in str(facts)


@pytest.mark.parametrize("name", SHIPPED)
def test_public_lists_have_each_entry_once(name: str) -> None:
    words = shipped_words(name)
    assert len(words) >= 50 and len({word.casefold() for word in words}) == len(words)
    assert [word for word in words if ";" in word] == []  # several on a line are several
    KeepList(words, public=True)


FAMOUS = frozenset(
    (
        "captain morgan", "lady grey", "dr pepper", "dr martens",
        "dr seuss", "doctor who", "madame bovary", "madame butterfly", "captain america",
        "general tso", "father christmas", "king edwards", "brother printer", "bishop score",
    )
)  # fmt: skip
"""What begins with a title or a relation and is nobody's doctor, captain or brother."""


@pytest.mark.parametrize("name", ["eponyms", "medical", "products", "programming"])
def test_no_public_list_keeps_a_title_with_a_name(name: str) -> None:
    before = TITLES | RELATIONS | {"uncle", "aunt", "auntie", "fireman", "postman"}
    entries = {entry.lower().replace(".", "") for entry in shipped_words(name)}
    assert {entry for entry in entries if entry.count(" ") == 1 and entry.split()[0] in before} <= FAMOUS


@pytest.mark.parametrize(
    ("preset", "text", "gone"),
    [
        ("prompts", "Compare PostgreSQL, MongoDB, Redis and Apache Kafka with Snowflake.", None),
        ("prompts", "What did Albert Einstein write to Sigmund Freud, in German?", None),
        ("prompts", "Move my notes from Evernote to Notion and OneNote.", None),
        ("prompts", "host='db.example.org', port=443): Max retries exceeded with url: /x", None),
        ("prompts", "Quote Hannah Arendt and Eric Hobsbawm; play something by Edith Piaf.", None),
        ("identifiers", "We went to Pep Boys, to Bunnings Warehouse and to White Castle.", None),
        ("identifiers", "Agenda\nPower of Attorney\nOlive Oil\nGrand Total\nCar Park\nMark Scheme", None),
        ("identifiers", "Agenda\nPower of Attorney\nOlive Tanner", "Olive"),
        ("identifiers", "A friend of Hannah Arendt was Mary Arendson.", "Arendson"),
        ("prompts", "Move my notes from Maria Gonzalez to Notion.", "Maria"),
        ("clinical", "Foley in place, Kussmaul respirations; Hashimoto's thyroiditis.", None),
        ("identifiers", "The Kubernetes and Terraform talk by Maria Gonzalez.", "Maria"),
    ],
)
def test_presets_keep_public_words(preset: str, text: str, gone: str | None) -> None:
    got = tv.Sanitizer(tv.policy(preset))(text).text
    assert got == text if gone is None else gone not in got and got.startswith(text[:14])


def test_short_windows_keep_what_the_whole_text_keeps() -> None:
    """Kills: a phrase that begins before the span is not seen; an evident name stays that an entry has in full."""
    draw = random.Random(7)
    kept = 0
    for _ in range(4000):
        phrases = {" ".join(draw.choices("abcd", k=draw.randint(1, 3))) for _ in range(draw.randint(1, 4))}
        words = [draw.choice(["a", "b", "c", "d", "and", ","]) for _ in range(draw.randint(1, 9))]
        first = draw.randrange(len(words))
        last = draw.randint(first, min(first + 2, len(words) - 1))
        starts = [sum(len(word) + 1 for word in words[:number]) for number in range(len(words))]
        why = draw.choice(["list", "title"])
        span = DetectedSpan(starts[first], starts[last] + len(words[last]), "person", 1.0, "test", why)
        public = draw.random() < 0.5
        stays = KeepList(phrases, public=public).keeping(" ".join(words))(span)
        assert stays == _kept(words, phrases, first, last, alone=not public or why == "list")
        kept += stays
    assert 300 < kept < 3000


def _kept(words: list[str], phrases: set[str], first: int, last: int, *, alone: bool) -> bool:
    """Whether words are covered by entries with links between, the longest first; entries within may not do alone."""
    listed = {tuple(phrase.split()) for phrase in phrases}
    if words[first] not in " ".join(phrases).split():
        return False
    for begin in range(max(0, first - max(map(len, listed)) + 1), first + 1):
        end = begin
        while end <= last:
            size = next((n for n in (3, 2, 1) if end + n <= len(words) and tuple(words[end : end + n]) in listed), 0)
            if not size and (end == begin or words[end] not in ("and", ",")):
                break
            end += size or 1
        else:
            return alone or (end - begin > 1 and (begin < first or end > last + 1))
    return False


UKRAINIAN = "Дякую за лист, її читала Марія Петренко, приїде у п'ятницю."
ENGLISH = "The letter was short and came with the post."


def test_masked_document_leaves_no_character() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers", other_languages="mask"))
    assert sanitizer(UKRAINIAN).text == "[text in another language]"
    assert sanitizer(ENGLISH).text == ENGLISH


def test_refused_document_is_named_by_number_without_its_text() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers", other_languages="refuse"))
    with pytest.raises(InputError, match=r"^document 2 must be in a language") as caught:
        sanitizer.batch([ENGLISH, UKRAINIAN])
    assert "Марія" not in str(caught.value)


def test_summary_warns_first_of_documents_in_other_languages(tmp_path: Path) -> None:
    inputs, outputs = tmp_path / "in.txt", tmp_path / "out.txt"
    inputs.write_text(f"{ENGLISH}\n{UKRAINIAN}\n", encoding="utf-8")
    command = ["sanitize", str(inputs), "--policy", "identifiers", "--output", str(outputs), "--seed", "1", "--verbose"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stderr.splitlines() if line]
    warning = next(place for place, line in enumerate(lines) if "OTHER LANGUAGES: 1 text " in line)
    assert warning < next(place for place, line in enumerate(lines) if line.lstrip().startswith("documents"))


def test_policy_keeps_its_choice_in_data_and_refuses_others() -> None:
    policy = tv.policy("identifiers", other_languages="mask")
    assert policy.to_data()["other_languages"] == "mask"
    assert "other_languages" not in tv.policy("identifiers").to_data()
    with pytest.raises(ParameterError, match=r"^other_languages must be one of warn, refuse, mask"):
        tv.policy("identifiers", other_languages="skip")


@pytest.mark.parametrize(
    ("kind", "words", "released"),
    [
        ('kind = "person"', ["Will"], "[person] will ask [person] to come. Mr. [person] saw [person], will he?"),
        ('kind = "person"', ["will"], "Will [person] ask Will to come. Mr. [person] saw [person], [person] he?"),
        ('kind = "person"', ["ask [[Will]] to"], "Will will ask [person] to come. Mr. [person] saw [person], will he?"),
        ('kind = "person"', ["ask [[will]] to"], "Will will ask Will to come. Mr. [person] saw [person], will he?"),
        ("keep = true", ["Anna Lee"], "Will will ask Will to come. Mr. Anna Lee saw Anna Lee, will he?"),
        ("keep = true", ["anna lee"], "Will will ask Will to come. Mr. [person] saw [person], will he?"),
        ("keep = true", ["saw [[Anna Lee]],"], "Will will ask Will to come. Mr. [person] saw Anna Lee, will he?"),
    ],
)  # fmt: skip
def test_a_list_may_regard_case_and_place(kind: str, words: list[str], released: str) -> None:
    chosen = policy_of(f"{HEAD}[[list]]\n{kind}\nmatch_case = true\nwords = {words}\n".encode(), "here")
    text = "Will will ask Will to come. Mr. Anna Lee saw Anna Lee, will he?"
    assert tv.Sanitizer(chosen)(text).text == released
    assert policy_of_data(chosen.whole_data()) == chosen
    assert "Will" not in json.dumps(chosen.to_data())


@pytest.mark.parametrize("policy", ["identifiers", "prompts"])
def test_a_public_list_keeps_nobody_who_is_drawn_elsewhere(policy: str) -> None:
    sanitizer = tv.Sanitizer(policy, rng=tv.seeded_generator(3))
    assert "Wendy" not in sanitizer("Present: Wendy and Bob Smith.\nWendy's hens escaped.").text
    assert "at Wendy's" in sanitizer("We ate at Wendy's with them.").text
    assert "a Ford Fiesta" in sanitizer("Ford Mitchell drives a Ford Fiesta.").text


def test_no_product_of_one_word_is_a_given_name() -> None:
    """But those that everybody takes for the product: went to Zara would keep Zara the patient."""
    marks = lists().words
    given = {word for word in shipped_words("products") if marks.get(word.lower(), 0) & Marks.GIVEN}
    alone = {word for word in given if not word.isupper() and not marks[word.lower()] & (Marks.COMMON | Marks.OTHER)}
    assert alone <= {"Barbie", "Dell", "Visa", "Romaine", "Chanel", "Porsche", "Marvel", "Santa", "Hema", "Hoover"}


@pytest.mark.parametrize("policy", ["identifiers", "clinical", "prompts"])
def test_a_title_in_small_letters_outweighs_every_public_list(policy: str) -> None:
    """What a list keeps in one word, names persons too and is no word of English, goes behind mr, mrs and dr."""
    named, other = Marks.GIVEN | Marks.FAMILY, Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.KNOWN_PLACE
    marks_of = lists().words.get
    entries = {entry for name in SHIPPED for entry in shipped_words(name) if entry.isascii() and entry.isalpha()}
    low = sorted({entry.lower() for entry in entries if not entry.isupper()})
    words = [word for word in low if marks_of(word, 0) & named and not marks_of(word, 0) & other]
    assert len(words) > 100
    sanitizer = tv.Sanitizer(policy, rng=tv.seeded_generator(1))
    for said in ("I think mr. {} came in today.", "so dr {} said so again.", "please call mrs {} back"):
        releases = sanitizer.batch([said.format(word) for word in words])
        assert [word for word, one in zip(words, releases, strict=True) if f" {word} " in one.text] == []


@pytest.mark.parametrize("policy", ["identifiers", "prompts"])
@pytest.mark.parametrize(
    "said",
    [
        "Please ask Mr {} about it.",
        "Dear {},\n\nThank you.",
        "Kind regards,\n{}\nSales",
        "{} 07700 900123",
        "From: {} <a@b.co>",
    ],
)
def test_who_bears_a_famous_name_goes_where_the_text_tells_that_they_are_meant(policy: str, said: str) -> None:
    """A public list keeps a name in full (the theories of Adam Smith), but none with evidence of a person at hand."""
    marks_of = lists().words.get
    named, other = Marks.GIVEN | Marks.FAMILY, Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.KNOWN_PLACE
    entries = [entry for entry in shipped_words("historical") if entry.replace(" ", "").isalpha() and entry.istitle()]
    both = [
        entry
        for entry in entries
        if len(words := entry.lower().split()) == 2
        and all(marks_of(word, 0) & named and not marks_of(word, 0) & other for word in words)
    ]
    assert len(both) > 50
    releases = tv.Sanitizer(policy, rng=tv.seeded_generator(1)).batch([said.format(entry) for entry in both])
    left = {entry for entry, one in zip(both, releases, strict=True) if entry in one.text}
    assert left <= {"Nina Simone", "Agatha Christie"}  # found in two halves, and as a place
    assert "Adam Smith" in tv.Sanitizer(policy)("the theories of Adam Smith and of Karl Marx").text


@pytest.mark.parametrize("name", ["Mary Ainsworth", "Howard Shore", "Daniel Craig", "Philip Glass", "Joe Wicks"])
def test_no_public_list_keeps_a_name_that_many_bear(name: str) -> None:
    for policy in ("clinical", "identifiers", "prompts"):
        assert name not in tv.Sanitizer(policy)(f"{name} asked about her bill.").text
