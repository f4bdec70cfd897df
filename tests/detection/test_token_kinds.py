"""Emoji, symbols and other scripts as spans: every token of the kinds, and no other."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.detection.detectors import TOKEN_SPANS, TokenKindDetector
from textveil.detection.spans import checked_spans
from textveil.errors import ParameterError
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.pools import EMOJI
from textveil.text.tokens import Kind, tokenize

TEXT = "Great \U0001f60b\U0001f44d\U0001f3fd, \u041c\u0438\u0440 \u00bd \u2764\ufe0fok \x00"


def test_every_token_of_a_kind_is_found() -> None:
    (found,) = TokenKindDetector().detect([TEXT])
    assert [(span.kind, TEXT[span.start : span.end]) for span in found] == [
        ("emoji", "\U0001f60b\U0001f44d\U0001f3fd"),
        ("script", "\u041c\u0438\u0440"),
        ("symbol", "\u00bd"),
        ("emoji", "\u2764\ufe0f"),
        ("symbol", "\x00"),
    ]
    (emoji,) = TokenKindDetector(["emoji"]).detect([TEXT])
    assert [span.kind for span in emoji] == ["emoji", "emoji"]


@settings(max_examples=200)
@given(st.text(st.sampled_from("a \n\x01\u00bd\U0001f600\ufe0f\u200d\u041c\u00e91@.") | st.characters(), max_size=20))
def test_it_agrees_with_the_tokens_of_any_text(text: str) -> None:
    (found,) = checked_spans(TokenKindDetector(), [text])
    wanted = [(start, end) for start, end, kind in tokenize(text) if kind in TOKEN_SPANS.values()]
    assert [(span.start, span.end) for span in found] == wanted


def test_it_is_copied_with_its_kinds_and_refuses_others() -> None:
    assert pickle.loads(pickle.dumps(TokenKindDetector(["emoji"]))).kinds == ("emoji",)
    with pytest.raises(ParameterError, match="kinds must be among"):
        TokenKindDetector(["word"])


def test_the_public_set_is_of_whole_emoji() -> None:
    assert len(EMOJI) == len(set(EMOJI)) > 100
    for one in EMOJI:
        ((_, _, kind),) = tokenize(one)
        assert kind is Kind.EMOJI
    made = make_surrogate("emoji")
    assert (made.guarantee.epsilon, made.entries) == (0.0, len(EMOJI))
