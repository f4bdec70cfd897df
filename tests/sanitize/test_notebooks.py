"""Releases as notebooks and lists show them: short, escaped, with what was drawn marked; missing texts stay missing."""

import gc
import math
import re

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

import textveil as tv
from textveil.aggregates.counts import Count, CountRelease
from textveil.errors import InputError
from textveil.mechanisms import neighborhood as channels
from textveil.mechanisms.neighborhood import neighborhood
from textveil.privacy.guarantees import ApproximateDP
from textveil.privacy.units import ONE_PERSON_MORE
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text import codes, out_of_vocabulary
from textveil.text.codes import TextCodes
from textveil.vocabulary import public_tables as public

TEXT = "Maria Gonzalez lives in Leeds <b>near</b> here. " + "More of it. " * 20


def _release(policy: str = "identifiers", text: str = TEXT) -> Release:
    return Sanitizer(policy, rng=np.random.default_rng(4))(text)


def test_a_repr_is_short_and_holds_no_input() -> None:
    release = _release()
    assert len(repr(release)) < 130
    assert repr(release).startswith(f"Release('{release.text[:20]}")
    assert "2 spans, 0-DP" in repr(release)
    assert "Gonzalez" not in repr(release)
    assert repr(Sanitizer("clinical")) == "Sanitizer('clinical')"
    assert (
        repr(Sanitizer("identifiers").sanitize([TEXT])) == "SanitizedTexts(1 texts; see .texts and .report.summary())"
    )


def test_a_notebook_marks_what_was_drawn_and_escapes_the_rest() -> None:
    release = _release()
    page = release._repr_html_()
    marked = re.findall(r"<mark style='--c:var\(--(c\d)\)'>([^<]*)<small>(\w+)</small></mark>", page)
    drawn = [(release.text[span.start : span.end], span.kind) for span in release.drawn_spans]
    assert [(text, kind) for _, text, kind in marked] == drawn
    assert "&lt;b&gt;near&lt;/b&gt;" in page and "<b>" not in page
    assert "Maria" not in page and "NOT FOR RELEASE" in page


def test_a_notebook_shows_the_beginning_of_a_long_text() -> None:
    page = _release(text="Call 617-555-0133 now. " * 5_000)._repr_html_()
    assert len(page) < 140_000 and "…</p>" in page


def test_a_list_of_releases_and_its_report_are_shown_without_originals() -> None:
    released = Sanitizer("identifiers").sanitize(["Maria <b>Gonzalez</b> called.", None, *["Maria Gonzalez"] * 9])
    page = released._repr_html_()
    assert "Gonzalez" not in page and "<b>" not in page and "10 in all." in page
    assert "Report on 10 documents" in page and "<td>person</td>" in page and "<td>0-DP" in page
    assert page.count("<div class='textveil'>") == 2 == page.count("</div>")


def test_counts_of_a_corpus_are_shown_with_their_intervals() -> None:
    guarantee = ApproximateDP(epsilon=1.0, log_delta=-14.0, adjacency=ONE_PERSON_MORE)
    counts = [Count("<i>ward</i>", "", 1200, 1100, 1300)] * 30
    release = CountRelease(counts=counts, guarantee=guarantee, noise={}, thresholds={}, persons=5, taken={})
    page = release._repr_html_()
    assert "&lt;i&gt;ward&lt;/i&gt;</td><td></td><td>1,200</td><td>1,100 to 1,300" in page
    assert page.count("<tr>") == 21 and "30 counts in all." in page


def test_words_that_were_drawn_are_not_marked() -> None:
    page = _release("all-words", "Maria paid")._repr_html_()
    assert "<mark" not in page and "2 draws" in page


def test_missing_texts_stay_missing_and_are_counted() -> None:
    texts, report = Sanitizer("identifiers").sanitize(["Maria Gonzalez", None, math.nan, "plain"])
    assert texts[1] is None and math.isnan(texts[2]) and texts[3] == "plain" and texts[0] != "Maria Gonzalez"
    assert report.to_data()["fields"]["nulls"] == 2 and report.to_data()["documents"] == 2
    assert "2 documents without a text" in report.summary()


@pytest.mark.parametrize("value", [5, 1.5, b"x", ["x"]])
def test_what_is_neither_text_nor_missing_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="document 2 must be a str or missing; got"):
        Sanitizer("identifiers").sanitize(["a", value])


@pytest.mark.parametrize("make", ["pandas", "polars", "pyarrow", "list", "iterator"])
def test_a_column_of_any_package_is_a_list_of_texts(make: str) -> None:
    texts = ["Maria Gonzalez came", None]
    module = make if make in ("pandas", "polars", "pyarrow") else "builtins"
    package = pytest.importorskip(module)
    column = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}.get(make, "list")
    given = iter(texts) if make == "iterator" else getattr(package, column)(texts)
    released, report = Sanitizer("identifiers").sanitize(given)
    assert released[0].endswith(" came") and "Gonzalez" not in released[0]
    assert report.to_data()["documents"] == 1


@pytest.mark.parametrize("make", ["text", "bytes", "dict", "pandas", "polars", "pyarrow"])
def test_one_text_or_a_table_is_not_taken_for_a_list_of_texts(make: str) -> None:
    """Letter by letter nothing would be found, and the names of columns are no texts."""
    table = {"text": ["Maria Gonzalez came"]}
    given: object = {"text": "Maria Gonzalez came", "bytes": b"Maria", "dict": table}.get(make)
    if given is None:
        package = pytest.importorskip(make)
        given = package.table(table) if make == "pyarrow" else package.DataFrame(table)
    with pytest.raises(InputError, match=r'must be a list or a column; got .*sanitizer\.sanitize\(table\["text"\]\)'):
        Sanitizer("identifiers").sanitize(given)  # type: ignore[arg-type]


WORDS = lettered_vocabulary(50).words


def test_a_second_one_makes_no_weights_reads_no_table_and_lists_no_words(monkeypatch) -> None:
    first = tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))
    first("Where Maria went.")
    del first
    gc.collect()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("made a second time")

    monkeypatch.setattr(channels, "integer_base_weights", refuse)
    monkeypatch.setattr(public, "read_table", lambda path, *_, **__: refuse() if path.exists() else None)
    monkeypatch.setattr(out_of_vocabulary, "_first_places", refuse)
    monkeypatch.setattr(codes, "written", refuse)
    assert tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))("Where Maria went.").text


def test_a_table_stays_open_for_the_next_one_whoever_opened_it_first(monkeypatch) -> None:
    """The first holder goes after the second has found its table: a third need not read it again."""
    holder = tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))
    holder("Where Maria went.")
    public._LATEST.clear()  # as if two other tables had been opened since
    second = tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))
    second("Where Maria went.")
    del holder, second
    gc.collect()
    again = lambda path, *_, **__: pytest.fail("read again") if path.exists() else None  # noqa: E731
    monkeypatch.setattr(public, "read_table", again)
    assert tv.Sanitizer(tv.mechanism("neighborhood", epsilon=8.0))("Where Maria went.").text


def test_other_settings_have_weights_of_their_own() -> None:
    vocabulary = lettered_vocabulary(50)
    made = [
        neighborhood(vocabulary, epsilon=epsilon, alpha=alpha)
        for epsilon, alpha in ((3.0, 1.0), (3.0, 0.5), (4.0, 1.0))
    ]
    assert len({one.weights.digest for one in made}) == 3
    assert made[0].weights is neighborhood(vocabulary, epsilon=3.0, alpha=1.0).weights


@pytest.mark.parametrize("text", ["waa zzyzx", "waa \u2e2e wab"], ids=["a word", "a mark"])
def test_nothing_that_one_has_seen_is_known_to_another(text) -> None:
    seen = TextCodes(WORDS, "keep")
    untouched = TextCodes(WORDS, "keep")
    before = set(untouched._marks), set(untouched._pieces.recent), set(untouched._surfaces.recent)
    seen.encode([text])
    made = TextCodes(WORDS, "keep")
    for one in (untouched, made):
        assert (set(one._marks), set(one._pieces.recent), set(one._surfaces.recent)) == before
        assert one.legend.written.tolist() != seen.legend.written.tolist() or "\u2e2e" not in text


def test_other_written_forms_and_other_words_have_legends_of_their_own() -> None:
    plain, milder = TextCodes(WORDS), TextCodes(WORDS, written_as={0: 1})
    assert (plain.legend.written[0], milder.legend.written[0]) == (WORDS[0], WORDS[1])
    assert TextCodes(WORDS[::-1]).legend.written[0] == WORDS[-1]
