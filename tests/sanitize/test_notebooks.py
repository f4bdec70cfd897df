"""Releases as notebooks and lists show them: short, escaped, with what was drawn marked; missing texts stay missing."""

import math
import re

import numpy as np
import pytest

from textveil.errors import InputError
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer

TEXT = "Maria Gonzalez lives in Leeds <b>near</b> here. " + "More of it. " * 20


def _release(policy: str = "identifiers", text: str = TEXT) -> Release:
    return Sanitizer(policy, rng=np.random.default_rng(4))(text)


def test_a_repr_is_short_and_holds_no_input() -> None:
    release = _release()
    assert len(repr(release)) < 130
    assert repr(release).startswith(f"Release('{release.text[:20]}")
    assert "2 spans, 0-DP" in repr(release)
    assert "Gonzalez" not in repr(release)


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
