"""Releases of texts in which names stand behind escapes: what is found plain is found encoded, and replaced there."""

import html
import json
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.helpers.escaping import WAYS
from tests.helpers.private_maps import HOSTILE

import textveil as tv
from textveil.errors import InputError
from textveil.sanitize.policy.making import parts_of
from textveil.surrogates.restoring import Restorer
from textveil.text.escapes import BORDER, read

NOTE = 'Patient: José García\nMail josé.garcía@clinic.org,\tcall 212-555-0123. "Ask Zoë O\'Brien & Sons", Boston'
SPANS = (
    *("Maria Gonzalez", "José García", "Mr. Zoë Baker", "anna@example.org", "https://x.org/a?b=1", "3 May 2021"),
    *(
        "$1,200.50",
        "61 years old",
        "212-555-0123",
        "12 Main Street, Boston",
        "\n",
        "\t",
        ' "',
        "'",
        ", ",
        "é",
        "&",
        "%",
    ),
)
TEXTS = st.lists(st.one_of(st.sampled_from(SPANS), st.sampled_from([" ", "\\", "C:\\new"])), max_size=8).map("".join)
NESTED = st.lists(st.sampled_from(sorted(WAYS)), min_size=1, max_size=4)


@cache
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("prompts"))


def nested(text: str, ways: list[str]) -> str:
    for way in ways:
        text = WAYS[way](text)
    return text


@given(text=TEXTS, ways=NESTED)
@example(text="Maria Gonzalez", ways=["URL", "JSON object"])
@example(text="$1,200.50", ways=["percent-encoding"])
def test_what_is_found_plain_is_found_encoded(text: str, ways: list[str]) -> None:
    finder = parts_of(tv.policy("prompts")).finder
    source = nested(text, ways)
    reading = read(source)
    plain = finder.found([reading.text])[0]
    covered = {place for span in finder.found([source])[0] for place in range(span.start, span.end)}
    for span in plain:
        start, end = reading.written(span.start, span.end)
        assert covered.issuperset(range(start, end))


@given(text=st.one_of(TEXTS, HOSTILE), ways=st.lists(st.sampled_from(sorted(WAYS)), max_size=4), cut=st.integers(1, 9))
def test_an_untouched_release_gives_back_its_text(text: str, ways: list[str], cut: int) -> None:
    source = nested(text, ways) if text.isprintable() else text
    release = sanitizer()(source)
    assert release.private_map is not None
    assert tv.restore(release.text, release.private_map) == source
    stream = Restorer(release.private_map).stream()
    pieces = [release.text[at : at + cut] for at in range(0, len(release.text), cut)]
    assert "".join([*map(stream.feed, pieces), stream.close()]) == source


@pytest.mark.parametrize("way", [way for way in WAYS if way != "URL"])  # which is one value as a whole
def test_the_same_values_get_the_same_surrogates_however_they_are_written(way: str) -> None:
    """Seeded alike, a text and what is read of it are released alike."""
    plain = tv.Sanitizer(tv.policy("prompts"), rng=np.random.default_rng(7))
    encoded = tv.Sanitizer(tv.policy("prompts"), rng=np.random.default_rng(7))
    source = WAYS[way](NOTE)
    wanted = plain(read(source).text).text
    released = encoded(source).text
    assert read(released).text == wanted
    assert "José" not in wanted and "Garc" not in wanted and "0123" not in wanted


@pytest.mark.parametrize(
    "source",
    [
        "Summarize: " + json.dumps({"note": NOTE}),
        "\n".join(json.dumps({"note": NOTE, "n": n}) for n in range(3)),
        f"Read this:\n```json\n{json.dumps([NOTE], indent=2)}\n```\nThanks.",
        json.dumps(NOTE),
        json.dumps({"body": json.dumps({"note": NOTE, "deep": json.dumps([NOTE])})}),
        '{"note": ' + json.dumps(NOTE) + ', "x": NaN,}',
        "\ufeff" + json.dumps({"note": NOTE}),
        json.dumps({"note": NOTE})[:-20],
    ],
)
def test_json_anywhere_in_a_text(source: str) -> None:
    release = sanitizer()(source)
    left = [part for part in ("José", "García", "josé", "garcía", "0123", "Zoë") if part in read(release.text).text]
    assert left == []
    for before, after in zip(source.splitlines(), release.text.splitlines(), strict=True):
        if before.startswith(("{", '"')) and _is_json(before):
            assert _is_json(after)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_a_name_that_is_cut_by_the_border_of_two_parts_goes_into_the_first() -> None:
    release = sanitizer()(f"Ask Jos\\u00{BORDER}e9 Garc{BORDER}ía today{BORDER}.")
    assert release.text.count(BORDER) == 3
    first, *_, last = release.text.split(BORDER)
    assert first.startswith("Ask ") and last == "." and "Garc" not in release.text and "Jos" not in release.text


def test_what_is_no_escape_is_found_as_it_stands() -> None:
    """Where a backslash escapes nothing, both readings count: what either finds is replaced."""
    finder = parts_of(tv.policy("prompts")).finder
    for source, value in (
        (r"D:\\files\tom.baker@clinic.org", "om.baker@clinic.org"),
        ("a%2bnan@clinic.org", "nan@clinic.org"),
    ):
        covered = {place for span in finder.found([source])[0] for place in range(span.start, span.end)}
        assert covered.issuperset(range(source.index(value), len(source)))
    alone = parts_of(tv.policy("identifiers")).finder.found([r"log\nathan lopez jr, SSN 123-45-6789"])[0]
    assert any(span.kind == "id" for span in alone)


@pytest.mark.parametrize(
    "text", ["From: Rosalind Achterberg <r.a@clinic.org>", "'Zubair' & \"Bobo\" paid 31.75 on 3 May 2021"]
)
def test_marks_of_html_change_nothing_that_is_found(text: str) -> None:
    finder = parts_of(tv.policy("identifiers")).finder
    for source in (html.escape(text), html.escape(html.escape(text)), html.escape(text).replace(" ", "&nbsp;")):
        reading = read(source)
        assert reading.escaped and not reading.doubtful
        plain = [(*reading.written(span.start, span.end), span.kind) for span in finder.found([reading.text])[0]]
        assert [(span.start, span.end, span.kind) for span in finder.found([source])[0]] == plain


@pytest.mark.parametrize("source", [r"&lt;Anna&gt; \nAnna", "&eacute;", "&#65;nna", "Anna%20", f"Anna{BORDER} &amp;"])
def test_what_may_be_no_escape_is_read_as_it_stands_too(source: str) -> None:
    assert read(source).doubtful


def test_escapes_nested_too_deep_are_refused() -> None:
    with pytest.raises(InputError, match=r"^document 2 must have at most 16 layers of escapes; got more"):
        sanitizer().batch(["Maria", "%26#37;" + "26#37;" * 100])


def test_words_that_are_drawn_are_read_as_they_stand() -> None:
    """Each is drawn, with or without an escape; the layout of a release stays that of the text."""
    finder = parts_of(tv.policy("all-words")).finder
    reading = finder.readings(["Jos\\u00e9"])[0]
    assert not reading.escaped
