"""For any text, restoring an untouched release of any policy gives the text back, whole or in pieces."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.private_maps import HOSTILE

import textveil as tv
from textveil.sanitize.policy.choice import PRESETS
from textveil.surrogates.restoring import Restorer

SPANS = (
    *("Maria Gonzalez", "the Gonzalezes'", "Mr. Baker", "anna@example.org", "https://x.org/a?b=1", "3 May 2021"),
    *("2021-05-03", "$1,200.50", "61 years old", "555-012-3456", "12 Main Street, Boston", "ACME Inc.", "10:30 am"),
    *("192.168.0.1", "@handle", "SSN 123-45-6789", "will", " ", "\r\n", "\u200b", "\ud800", "\udc00", "e\u0301"),
    *("\ufb01", "\u2019s", "\U0001f600", "12", "\u5f20\u4f1f"),
)

TEXTS = st.builds(
    str.join, st.sampled_from(["", " "]), st.lists(st.one_of(st.sampled_from(SPANS), HOSTILE), max_size=12)
)


@cache
def sanitizer(name: str) -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy(name))


@pytest.mark.parametrize("name", PRESETS)
@given(text=TEXTS)
def test_an_untouched_release_gives_back_its_text(name: str, text: str) -> None:
    release = sanitizer(name)(text)
    made = release.private_map
    assert (made is None) == (not sanitizer(name).setting.policy or not sanitizer(name).setting.policy.finds_spans)
    if made is None:
        return
    assert made.released == release.text
    ends = [0, *(piece.end for piece in made.replaced)]
    assert all(end <= piece.start <= piece.end for end, piece in zip(ends, made.replaced, strict=False))
    assert tv.restore(release.text, made) == text
    stream = Restorer(made).stream()
    assert "".join([*map(stream.feed, release.text), stream.close()]) == text


def test_an_answer_gets_its_names_back(
    text: str = "Maria Gonzalez met Tom Baker in Boston. Maria paid $120.50.",
) -> None:
    for _ in range(20):
        release = sanitizer("identifiers")(text)
        assert release.private_map is not None
        maria, tom, boston = (release.text[span.start : span.end] for span in release.drawn_spans[:3])
        done = Restorer(release.private_map).restore(f"- {maria}\n- {tom.upper()} (**{boston}**)")
        assert done.text == "- Maria Gonzalez\n- TOM BAKER (**Boston**)"
