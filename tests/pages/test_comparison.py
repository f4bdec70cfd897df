"""Pieces of a text and its release: put together they are both, and what differs is marked whole."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.pages.comparison import compared

TEXT = "Dr. Maria Gonzalez met Sivanallu in Leeds on 3/4/2015."
RELEASED = "Dr. Anna Lee Smith met Sivanallu in Ulm on 7/9/2014."


def spans(text: str, **kinds: str) -> list[SimpleNamespace]:
    """The spans of words, by their kind; _ is a space."""
    words = [(word.replace("_", " "), kind) for word, kind in kinds.items()]
    return [SimpleNamespace(start=text.index(w), end=text.index(w) + len(w), kind=kind) for w, kind in words]


@pytest.mark.parametrize(
    ("found", "drawn"),
    [
        ({}, [("Maria Gonzalez", "Anna Lee Smith"), ("Leeds", "Ulm"), ("3/4/2015", "7/9/2014")]),
        (
            {"Maria": "person", "Gonzalez": "person"},
            [("Maria", "Anna"), ("Gonzalez", "Lee Smith"), ("Leeds", "Ulm"), ("3/4/2015", "7/9/2014")],
        ),
        (
            {"Dr._Maria": "person", "met": "person"},
            [
                ("Dr. Maria", "Dr. Anna"),
                ("Gonzalez", "Lee Smith"),
                ("met", "met"),
                ("Leeds", "Ulm"),
                ("3/4/2015", "7/9/2014"),
            ],
        ),
    ],
)
def test_values_are_marked_whole(found: dict[str, str], drawn: list[tuple[str, str]]) -> None:
    pieces = compared(TEXT, RELEASED, spans(TEXT, **found), spans(TEXT, Sivanallu="person"))
    assert [(piece.was, piece.now) for piece in pieces if piece.drawn] == drawn
    assert [(piece.was, piece.guess) for piece in pieces if piece.guess] == [("Sivanallu", "person")]


def test_words_are_compared_one_by_one_where_each_is_drawn() -> None:
    pieces = compared("The cat sat  down.", "A cow sat now.", by_word=True)
    assert [(piece.was, piece.now) for piece in pieces if piece.drawn] == [
        ("The", "A"),
        ("cat", "cow"),
        ("down", "now"),
    ]


@given(
    st.text("ab  ,.A\n", max_size=14),
    st.text("ab  ,.A\n", max_size=14),
    st.lists(st.integers(0, 14), max_size=6, unique=True),
    st.booleans(),
)
def test_pieces_put_together_are_both_texts(text: str, released: str, cuts: list[int], by_word: bool) -> None:
    ends = sorted(cut for cut in cuts if cut <= len(text))
    found = [SimpleNamespace(start=a, end=b, kind="k") for a, b in zip(ends[::2], ends[1::2], strict=False)]
    pieces = compared(text, released, found[::2], found[1::2], by_word=by_word)
    assert ("".join(piece.was for piece in pieces), "".join(piece.now for piece in pieces)) == (text, released)
    at, kinds = 0, []
    for piece in pieces:
        kinds += [(at + start, at + end) for start, end, _ in piece.kinds]
        at += len(piece.was)
    assert kinds == [(span.start, span.end) for span in found[::2]]


def test_each_change_of_a_long_text_is_marked_alone() -> None:
    words = [f"w{number * number % 3989}" for number in range(3000)]
    changed = ["new" if number % 40 == 7 else word for number, word in enumerate(words)]
    drawn = [piece for piece in compared(" ".join(words), " ".join(changed)) if piece.drawn]
    assert [piece.was for piece in drawn] == words[7::40] and {piece.now for piece in drawn} == {"new"}
