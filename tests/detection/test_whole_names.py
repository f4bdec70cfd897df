"""No part of a planted name is left, in whatever form it stands."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.detection.found import Found
from textveil.detection.whole_names import with_initials, with_whole_runs

GIVEN = ("Folasade", "Thaddeus", "Priya", "Orla")
FAMILIES = ("Ogunbanjo", "Skelhorn", "Raghunathan", "Wippermann")
TEMPLATES = (
    "  author = {{{X} {Y} and M. D. {Z}}},\n  year = 2021}}",
    "@book{{key2020,\n  editor = {{{Y}, {X} and {Z}, M. D.}},\n}}",
    "{X} {Y} and {X} {Z} met.",
    "{X} {Y}/{X} {Z}",
    "{X} {Y};{X} {Z}",
    "17;{Y};{X};4\n18;{Z};{X};5",
    "17|{X}|{Y}|4\n",
    "17\t{X}\t{Y}\t4\n",
    "<p><i>{X}</i> <b>{Y}</b> wrote</p>",
    "<p>{X}<b> {Y}</b> wrote</p>",
    'key="{X} {Y}"',
    "key={X} {Y}",
    "\"{X}\", \"{Y}\"",
    "('{X}','{Y}')",
    "const who = {{first: '{X}', last: '{Y}'}};",
    "'{Y}, {X}'",
    "{{{Y}, {X}}}",
    "names[] = {X} {Y}; {X} {Z}",
    "# by {X} {Y} & M. {Z}",
    "return Response({X} {Y})",
    "\\author{{{X} {Y} \\and M. D. {Z}}}",
)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_part_of_a_name_is_left(template: str) -> None:
    for first, (family, other) in product(GIVEN, zip(FAMILIES, FAMILIES[1:] + FAMILIES[:1], strict=True)):
        text = template.format(X=first, Y=family, Z=other)
        held = bytearray(len(text))
        for span in tv.detect(text):
            held[span.start : span.end] = b"\1" * (span.end - span.start)
        for name in (first, family, *([other] if "{Z}" in template else [])):
            start = text.find(name)
            while start >= 0:
                assert 0 not in held[start : start + len(name)], (template, name)
                start = text.find(name, start + 1)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Orla Invoice sent", []),
        ("Orla Monday: late", []),
        ("| Orla | Approved |", []),
        ("ask Orla Friday", []),
        ("Orla; Python; SQL", []),
        ("'Orla', 'Admin'", []),
        ("MSH|^~\\&|A\nNK1|1|ZUSE^ORLA|SPO|1", []),
        ("Orla Skelhorn Ltd called", []),
        ("Orla Skelhorn: late", ["Orla Skelhorn"]),
    ],
)
def test_a_word_beside_a_name_that_is_none_stays(text: str, whole: list[str]) -> None:
    persons = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"]
    for word in ("Invoice", "Monday", "Approved", "Friday", "Python", "SQL", "Admin", "SPO", "Ltd", "Termin"):
        assert not any(word in person for person in persons)
    assert set(whole) <= set(persons)


def test_a_name_is_found_in_compounds_in_small_letters() -> None:
    text = "Author: Priya Raghunathan\nfix/priya-login, host priya-laptop, raghunathan.example, cite raghunathan2021"
    found = [text[span.start : span.end] for span in tv.detect(text) if span.kind in ("person", "handle")]
    assert found == ["Priya Raghunathan", "priya", "priya", "raghunathan", "raghunathan2021"]


WORDS = st.sampled_from(
    ["Maria", "Port", "A.", "B", "in", "at", "Baths", "Monday", "the", "Dr", "and", "said", "J.-P.", "Lane", ":", ","]
)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", "person", "place", "organization"])), max_size=12))
def test_spans_grow_stay_disjoint_and_take_no_other(words: list[tuple[str, str]]) -> None:
    text, spans = "", []
    for word, kind in words:
        text += " " if text else ""
        if kind:
            spans.append(Found(len(text), len(text) + len(word), kind, 0.5, "list"))
        text += word
    for grown in (with_whole_runs(text, spans), with_initials(text, spans, "en")):
        assert len(grown) == len(spans)
        assert all(one.start <= span.start and span.end <= one.end for one, span in zip(grown, spans, strict=True))
        assert all(before.end <= after.start for before, after in pairwise(grown))
        assert all(one.start >= 0 and one.end <= len(text) for one in grown)


def test_no_initial_is_left_beside_a_person() -> None:
    text = "T. Zuse, M.-A. Zuse, Zuse, J. B. and Zuse K."
    spans = [Found(at, at + 4, "person", 0.5, "list") for at in (3, 15, 21, 37)]
    assert [text[one.start : one.end] for one in with_initials(text, spans, "en")] == [
        "T. Zuse",
        "M.-A. Zuse",
        "Zuse, J. B.",
        "Zuse K.",
    ]


def test_a_run_is_taken_behind_a_small_word_and_never_over_a_title_or_a_day() -> None:
    for text, name, whole in (
        ("in Port Antonio now", "Antonio", "Port Antonio"),
        ("saw Port Antonio now", "Antonio", "Port Antonio"),
        ("Saw Port Antonio now", "Antonio", "Antonio"),
        ("saw Treasurer Antonio now", "Antonio", "Antonio"),
        ("of Dr Antonio now", "Antonio", "Antonio"),
        ("saw Antonio Monday", "Antonio", "Antonio"),
        ("at Bunya Nut Bakehouse, it", "Bunya", "Bunya Nut Bakehouse"),
        ("at Bunya Nut: it", "Bunya", "Bunya"),
        ("\nLarch Class\n", "Larch", "Larch"),
    ):
        at = text.index(name)
        (span,) = with_whole_runs(text, [Found(at, at + len(name), "person", 0.5, "list")])
        assert text[span.start : span.end] == whole
    guess = Found(9, 16, "person", 0.5, "tagger")
    assert with_whole_runs("the Port Antonio now", [guess]) == [guess]
    mention = Found(0, 6, "person", 0.6, "mention")
    assert with_whole_runs("Prowse Drain, it", [mention])[0].end == 12


@pytest.mark.parametrize("name", ["Charles van Beers", "Martha S Bouts", "Luigi della Casa", "Ana von Der Heide"])
def test_a_family_that_is_a_word_goes_behind_a_particle_or_an_initial(name: str) -> None:
    text = f"The film was directed by {name} and won."
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"] == [name]


def test_a_shortened_particle_goes_with_its_name() -> None:
    text = "Ik sprak gisteren met Piet v. Rooij over het huis en met mevrouw v.d. Berg."
    assert {"v. Rooij", "v.d. Berg"} <= {text[span.start : span.end] for span in tv.detect(text)}
    case = "The court said so in Skelhorn v. Fenwick last year."
    assert not any("v." in case[span.start : span.end] for span in tv.detect(case))


def test_an_adjective_behind_a_label_begins_no_name() -> None:
    text = "Review: Great Zumtrel, terrible. Ed.: Cress Zumtrel, us."
    spans = [Found(14, 21, "person", 0.4, "tagger"), Found(44, 51, "person", 0.4, "tagger")]
    assert [text[span.start : span.end] for span in with_whole_runs(text, spans)] == ["Zumtrel", "Cress Zumtrel"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("They fled from Wadi al-Rum to a camp.", "Wadi al-Rum"),
        ("Amman, el-Kharra, Kerak and others fell.", "el-Kharra"),
        ("We met Ivo the Younger there.", "Ivo the Younger"),
        ("It was sold by the Kelly Rose Pirates.", "Kelly Rose Pirates"),
        ("They met by Dusty's Barn.", "Dusty's Barn"),
        ("She worked at ZDX 3 in May.", "ZDX 3"),
        ("I gave Anna's Mum the report.", "Anna"),
        ("In the reign of Olav I and Signe it burned.", "Olav I"),
        ("I gave Anna I think two.", "Anna"),
        ("He came over the Western Zumbria then.", "Western Zumbria"),
        ("He lived in Old Zumbria.", "Old Zumbria"),
        ("They met near the Dublin Reservoir in May.", "Dublin Reservoir"),
        ("geboren in Zossen auf Zumbria, wohnt", "Zossen auf Zumbria"),
        ("Ed.: Cress Umunna", "Cress Umunna"),
    ],
)
def test_articles_epithets_and_directions_go_with_their_name(text: str, whole: str) -> None:
    assert whole in [text[span.start : span.end] for span in tv.detect(text)]
