"""No part of a planted name is left, in whatever form it stands."""

from itertools import product

import pytest

import textveil as tv

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
    for given, (family, other) in product(GIVEN, zip(FAMILIES, FAMILIES[1:] + FAMILIES[:1], strict=True)):
        text = template.format(X=given, Y=family, Z=other)
        held = bytearray(len(text))
        for span in tv.detect(text):
            held[span.start : span.end] = b"\1" * (span.end - span.start)
        for name in (given, family, *([other] if "{Z}" in template else [])):
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
