"""Emoji, symbols and other scripts under policies: kept, a placeholder, or emoji of a public set."""

import re

import pytest

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.pools import EMOJI

TEXT = "Good soup \U0001f60b\U0001f44d\U0001f3fd, cold \U0001f976! \u041c\u0438\u0440 \u00bd 12 \U0001f976"
KEEPS = Rule(kind="word", action=Action.KEEP)
DRAWS = Rule(kind="word", action=Action.MECHANISM, name="randomized-response", epsilon=60.0)
DIGITS = Rule(kind="number", action=Action.SURROGATE, name="digits", epsilon=0.0)


def released(*rules: Rule) -> str:
    return Sanitizer(Policy(name="own", rules=rules, marks="keep"))(TEXT).text


def test_where_words_are_kept_a_rule_replaces_them() -> None:
    masked = Rule(kind="emoji", action=Action.PLACEHOLDER)
    assert released(KEEPS, masked) == "Good soup [emoji], cold [emoji]! \u041c\u0438\u0440 \u00bd 12 [emoji]"
    others = [Rule(kind=kind, action=Action.PLACEHOLDER) for kind in ("symbol", "script")]
    assert released(KEEPS, *others) == TEXT.replace("\u041c\u0438\u0440", "[script]").replace("\u00bd", "[symbol]")


def test_where_words_are_drawn_a_rule_keeps_them() -> None:
    kept = [Rule(kind=kind, action=Action.KEEP) for kind in ("emoji", "script")]
    shown = released(DRAWS, DIGITS, *kept)
    before, number, _ = re.split("(?<=\u0440) (?=[0-9])|(?<=[0-9]) (?=\U0001f976)", shown)
    assert before == "Good soup \U0001f60b\U0001f44d\U0001f3fd, cold \U0001f976! \u041c\u0438\u0440"
    assert re.fullmatch("[0-9]/[0-9] [0-9]{2}", number)
    assert released(DRAWS).count("[emoji]") == 3


def test_a_placeholder_where_words_are_drawn_is_what_happens_anyway() -> None:
    placeholder = Rule(kind="emoji", action=Action.PLACEHOLDER)
    policy = Policy(name="own", rules=(DRAWS, placeholder))
    assert not policy.finds_spans
    assert released(DRAWS, placeholder).count("[emoji]") == 3


@pytest.mark.parametrize("words", [(KEEPS,), (DRAWS, DIGITS)])
def test_emoji_are_drawn_from_a_public_set_at_no_cost(words: tuple[Rule, ...]) -> None:
    drawn = Rule(kind="emoji", action=Action.SURROGATE, name="emoji", epsilon=0.0)
    sanitizer = Sanitizer(Policy(name="own", rules=(*words, drawn), marks="keep"))
    release = sanitizer(TEXT)
    shown = [release.text[span.start : span.end] for span in release.drawn_spans if span.kind == "emoji"]
    assert len(shown) == 3
    assert set(shown) <= set(EMOJI)
    assert shown[1] == shown[2] != shown[0]
    guarantee = sanitizer.setting.guarantee_of("emoji")
    assert (guarantee.approximate().epsilon, guarantee.status) == (0.0, Status.PROVED)


def test_a_user_can_bring_another_set() -> None:
    drawn = Rule(kind="emoji", action=Action.SURROGATE, name="pool", options={"words": ["\u2600", "\u2601"]})
    shown = released(KEEPS, drawn)
    assert "\U0001f976" not in shown
    assert shown.count("\u2600") + shown.count("\u2601") == 3


def test_symbols_and_scripts_take_no_surrogate() -> None:
    with pytest.raises(ParameterError, match="symbol must be kept or replaced by a placeholder"):
        Rule(kind="symbol", action=Action.SURROGATE, name="emoji")
    with pytest.raises(ParameterError, match="a span takes a `surrogate`"):
        Rule(kind="emoji", action=Action.MECHANISM, name="randomized-response")
