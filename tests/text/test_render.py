"""Rendering: casing as a function of the released text, spans, and time on hostile input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.growth import is_linear

from textveil.errors import ParameterError
from textveil.text.english import ALWAYS_CAPITAL
from textveil.text.render import Span, render_text, spans
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split

EXAMPLES = [
    ("", ""),
    ("the cat. a dog", "The cat. A dog"),
    ("  \u201cthe cat", "  \u201cThe cat"),
    ("who? me! (yes) ok", "Who? Me! (Yes) ok"),
    ('he said: "go." (so i went.) then', 'He said: "go." (So I went.) Then'),
    ("wait... what\u2026 no", "Wait... What\u2026 No"),
    ("a.b 3.a", "A.b 3.a"),
    ("one\ntwo,\r\nthree 5\rfour\n\n five", "One\ntwo,\r\nthree 5\rfour\n\n Five"),
    ("one.\ntwo!\r\nthree:\rfour\r\n\r\nfive", "One.\nTwo!\r\nThree:\rFour\r\n\r\nFive"),
    ("list:\n- one\n* two\n > three\n[note] x", "List:\n- One\n* Two\n > Three\n[note] x"),
    ("a\n] b", "A\n] b"),
    ("5 cats. 7 dogs", "5 cats. 7 dogs"),
    ("[email] is. [url] was. [symbol] be", "[email] is. [url] was. [symbol] be"),
    ("on monday i saw london in may", "On Monday I saw London in may"),
    ("a mcDonald. iPhone x", "A mcDonald. iPhone x"),
    (
        "x. \u00e9t\u00e9. \u00dfa \u043c\u0438\u0440. \u043c\u0438\u0440",
        "X. \u00c9t\u00e9. \u00dfa \u043c\u0438\u0440. \u041c\u0438\u0440",
    ),
    ("x. \U0001f600 y", "X. \U0001f600 y"),
]


@pytest.mark.parametrize(("text", "cased"), EXAMPLES, ids=[ascii(text) for text, _ in EXAMPLES])
def test_examples(text: str, cased: str) -> None:
    assert render_text(split(text)) == cased


FRAGMENT = st.sampled_from(
    [
        *"ab.!?,'\")([]- \n\r5i",
        "the",
        "cat",
        "monday",
        "Paris",
        "\u00df",
        "\u0436",
        "\u201d",
        "\u2026",
        "\U0001f600",
        "...",
        " ",
        " ",
        *PLACEHOLDERS.values(),
    ]
)
SURFACES = st.lists(FRAGMENT, max_size=30)


@settings(deadline=None, max_examples=500)
@given(SURFACES)
def test_casing_is_a_function_of_the_released_text_and_touches_first_letters_only(surfaces: list[str]) -> None:
    kinds = [
        Kind.SYMBOL if surface in PLACEHOLDERS.values() or len(surface) == 3 else classify(surface)
        for surface in surfaces
    ]
    text = render_text(surfaces)
    found = spans(np.array([len(surface) for surface in surfaces]), np.array(kinds, dtype=np.int64))
    assert [text[span.start : span.end].lower() for span in found] == [surface.lower() for surface in surfaces]
    assert [span.kind for span in found] == kinds
    for span, surface in zip(found, surfaces, strict=True):
        shown = text[span.start : span.end]
        assert shown[1:] == surface[1:]
        assert shown == surface or (surface.islower() and shown[0] == surface[0].upper())
        if surface in PLACEHOLDERS.values():
            assert shown == surface
    assert render_text([text]) == text  # to case again changes nothing


def slow_casing(surfaces: list[str]) -> str:
    """The rule of render.py, a character at a time, on words, spaces and marks of single characters."""
    text = list("".join(surface.capitalize() if surface in ALWAYS_CAPITAL else surface for surface in surfaces))
    waiting = True
    for index, character in enumerate(text):
        before = text[:index]
        if waiting and character.isalpha() and character.islower():
            word = "".join(text[index:]).split(" ")[0]
            rest = next((end for end, other in enumerate(word) if not other.isalpha()), len(word))
            if word[:rest].islower():
                text[index] = character.upper()
        if character in "\r\n":
            line = "".join(before)
            line = line[:-1] if character == "\n" and line.endswith("\r") else line
            goes_on = line[-1:].isalnum() or line[-1:] in tuple(",;-")
            marked = "".join(text[index + 1 :]).lstrip(" ")[:1] in tuple("-*>#")
            waiting = marked or not goes_on
        elif character.isspace():
            ended = "".join(before).rstrip("\"'\u201d)]}")
            sentence_ended = ended.endswith((".", "!", "?", "\u2026")) and not before[-1].isspace()
            waiting = waiting or sentence_ended
        elif character not in "\"'([-\u201d":
            waiting = False
    return "".join(text)


@pytest.mark.slow
@settings(deadline=None, max_examples=1000)
@given(
    st.lists(
        st.sampled_from([*"ab.!?,'\")([]- \n\r5", "the", "Ma", "monday", "\u201d", "\u2026", " ", " ", ". "]),
        max_size=20,
    )
)
def test_casing_as_the_slow_rule_says(surfaces: list[str]) -> None:
    assert render_text(surfaces) == slow_casing(surfaces)


def test_spans_name_kinds_and_lengths_must_agree() -> None:
    assert spans(np.array([3, 1, 1, 2]), np.array([0, 3, 1, -1])) == [
        Span(0, 3, Kind.WORD),
        Span(3, 4, Kind.SPACE),
        Span(4, 7, Kind.NUMBER),
    ]
    with pytest.raises(ParameterError):
        spans(np.array([3]), np.array([]))
    with pytest.raises(KeyError):
        spans(np.array([3]), np.array([99]))


def test_capitals_are_lower_case_words_of_the_table_and_leave_ambiguous_months_out() -> None:
    assert all(word.isascii() and word.isalpha() and word.islower() for word in ALWAYS_CAPITAL)
    assert {"i", "monday", "january", "french"} <= ALWAYS_CAPITAL
    assert not {"may", "march", "polish", "turkey", "us"} & ALWAYS_CAPITAL


@pytest.mark.parametrize(
    "piece", [".", "\n", "\n- ", ". -", ".)", ". ", "[", '! "', "\n'", "[email] ", "\r\n\t"], ids=ascii
)
@pytest.mark.parametrize("end", ["1", "a"])
def test_rendering_takes_time_in_proportion_to_the_text(piece: str, end: str) -> None:
    assert len(render_text([piece * 1000 + end])) == len(piece * 1000 + end)
    assert is_linear(lambda text: render_text([text]), piece, 4_000, end)
