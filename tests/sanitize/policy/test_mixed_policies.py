"""Policies that draw words beside spans, keep function words, or put the marks of kept text into plain form."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.helpers.policies import POOL, Finds, small_policy, surrogate

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import Unit
from textveil.randomness import seeded_generator
from textveil.sanitize import chosen as chosen_way
from textveil.sanitize.policy import making
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.codes import TextCodes
from textveil.text.english import FUNCTION_WORDS, PASSING_FUNCTION_WORDS
from textveil.text.marks import plain_edits, plain_text
from textveil.text.tokens import Kind, tokenize
from textveil.vocabulary.vocabulary import Vocabulary

pytestmark = pytest.mark.usefixtures("small_surrogates")

WORDS = Rule(kind="word", action=Action.MECHANISM, name="neighborhood", epsilon=5.0)
FUNCTION = Rule(kind="function-word", action=Action.KEEP)
NAMES, NUMBERS = surrogate("person"), surrogate("number", "digits")
HOSTILE = st.text(st.sampled_from("Maria the to12٣ \n\t\r\u200b\u2009,.…«»¿¡—-'’\"()!é中🙂\ud800_"), max_size=40)


@dataclass
class Spy:
    """Releases its input, and keeps what it was asked."""

    vocabulary: Vocabulary
    asked: list[tuple[list[int], list[int]]] = field(default_factory=list)
    name: str = "spy"

    @property
    def parameters(self):
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(epsilon=1.0, status=Status.PROVED)

    def privatize_documents(self, ids, bounds, rng=None):
        self.asked.append((ids.tolist(), bounds.tolist()))
        return ids


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch, embedded) -> Spy:
    made = Spy(embedded)
    monkeypatch.setattr(making, "words_of", lambda _: made)
    monkeypatch.setattr(chosen_way, "words_of", lambda _: made)
    return made


def mixed(*rules: Rule, **options) -> Policy:
    return Policy(**{"name": "mixed", "rules": (WORDS, *rules), "detectors": (Finds(),), **options})


def test_words_of_a_document_are_drawn_in_a_row_with_gaps_where_spans_are(spy: Spy) -> None:
    sanitizer = Sanitizer(mixed(NAMES, NUMBERS))
    first, second = sanitizer.batch(["maria, was Maria here. Mark was 44 too", "so"])
    (ids, bounds) = spy.asked[-1]
    words = [spy.vocabulary.words[one] for one in ids]
    assert words == ["maria", "was", "here", "was", "too", "so"] and bounds == [0, 5, 6]
    names = [first.text[one.start : one.end] for one in first.drawn_spans]
    assert [one.kind for one in first.drawn_spans] == ["person", "person", "number"] and set(names[:2]) <= set(POOL)
    assert first.text == f"Maria, was {names[0]} here. {names[1]} was {names[2]} too"
    assert second.text == "So" and first.kinds["word"] == 5


def test_surrogates_keep_their_own_letters(spy: Spy) -> None:
    rule = surrogate("person", options={"pool": ("x1@example.com",)})
    text = Sanitizer(mixed(rule, NUMBERS))("Maria. Maria. he. Maria\nMaria, she").text
    assert text == "x1@example.com. x1@example.com. He. x1@example.com\nx1@example.com, she"


def test_what_a_mixed_policy_guarantees(embedded) -> None:
    release = Sanitizer(mixed(NAMES, NUMBERS))("Maria was here with 2 cats.")
    data = release.report().to_data()["guarantee"]
    kinds = {one["kind"]: one for one in data["by_kind"]}
    assert (kinds["word"]["epsilon"], kinds["word"]["count"], kinds["word"]["unit"]) == (5.0, 4, "token")
    assert "outside them" in kinds["word"]["adjacency"] and data["per_token"]["epsilon"] == 5.0
    assert data["per_value"]["epsilon"] == 5.0 and release.guarantee.epsilon == 20.0
    assert release.guarantee_per_token.unit is Unit.SPAN


@given(HOSTILE, st.sampled_from(["keep", "normalize"]), st.booleans())
def test_every_release_is_undone(spy_words, text: str, marks: str, function_words: bool) -> None:
    rules = (NAMES, NUMBERS, *((FUNCTION,) if function_words else ()))
    sanitizer = spy_words(mixed(*rules, marks=marks), f"{marks}{function_words}")
    release = sanitizer(text)
    assert release.private_map.released == release.text and release.private_map.original() == text
    kept = spy_words(small_policy(NAMES, NUMBERS, marks=marks), marks)(text)
    assert kept.private_map.released == kept.text and kept.private_map.original() == text
    if marks == "normalize":
        assert plain_edits(kept.text) == []


@pytest.fixture(scope="module")
def spy_words(embedded):
    """Sanitizers of policies, made once."""
    made: dict[str, Sanitizer] = {}

    def sanitizer(chosen: Policy, name: str) -> Sanitizer:
        if name not in made:
            words = making.words_of
            making.words_of = lambda one: Spy(embedded) if one.draws_words else None
            try:
                made[name] = Sanitizer(chosen)
            finally:
                making.words_of = words
        return made[name]

    return sanitizer


CODES = TextCodes(["a", "b", "ab"])


@example("a¿’a")
@given(st.text(st.sampled_from("ab \n\t\r\u200b\u2009,.…«»¿—-'’()!\u00ad"), max_size=30))
def test_plain_form_is_that_of_texts_whose_words_are_drawn(text: str) -> None:
    coded = CODES.encode([text])
    written = ["w" if code < 6 else CODES.legend.written[code] for code in coded.codes.tolist()]
    assert _with_words_as_w(text) == "".join(written)


def _with_words_as_w(text: str) -> str:
    """The plain form of a text in which each of its words is a w: two words between which all is dropped stay two."""
    edits = {one.start: one for one in plain_edits(text)}
    words = {start: end for start, end, kind in tokenize(text) if kind is Kind.WORD}
    out, position = "", 0
    while position < len(text):
        if position in edits:
            out, position = out + edits[position].plain, edits[position].end
        elif position in words:
            out, position = out + "w", words[position]
        else:
            out, position = out + text[position], position + 1
    return out


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a  b", "a b"),
        ("a\t\n\n\n b", "a\n\nb"),
        ("a…b", "a...b"),
        ("“a”!!!!! ¿b", '"a"!! b'),
        ("a\u200b b", "a\u200b b"),
        ("a \u200b b", "a b"),
        ("a—b", "a-b"),
        ("plain (text), that's all...\n\nhere", "plain (text), that's all...\n\nhere"),
    ],
)
def test_marks_of_kept_text_in_plain_form(text: str, plain: str) -> None:
    assert plain_text(text) == plain


def test_function_words_stay_and_all_others_are_drawn(spy: Spy) -> None:
    chosen = Policy(name="content", rules=(WORDS, FUNCTION))
    release = Sanitizer(chosen)("The cat WASN’T here, isn't it. I'm US, Will. teh will")
    words = [spy.vocabulary.words[one] for one in spy.asked[-1][0]]
    assert words[0] == "cat" and len(words) == 5  # and WASN'T, US, Will, teh
    assert (
        release.text.startswith("The cat ")
        and " here, isn't it. I'm " in release.text
        and release.text.endswith(" will")
    )
    assert release.kinds["function-word"] == 6 and release.kinds["word"] == 5
    assert release.private_map is None and release.drawn_spans == ()


def test_what_content_words_guarantees() -> None:
    release = Sanitizer(policy("content-words"), rng=seeded_generator(1))("The cat was on 2 mats.")
    data = release.report().to_data()
    assert "function words of a public list" in data["guarantee"]["per_token"]["adjacency"]
    assert data["recovery"] is None and data["detection"] is None and data["policy"]["name"] == "content-words"
    assert "function words, which are released as they are" in data["not_covered"]
    assert release.guarantee.epsilon == 24.0
    assert "detection" not in release.report().summary()


def test_the_list_is_of_words_in_lower_case() -> None:
    forms = PASSING_FUNCTION_WORDS.anywhere
    for word in FUNCTION_WORDS:
        assert word in forms and word == word.lower() and f"{word}\u200b" not in forms
        assert word.upper() not in forms or word in ("i", "a")


def test_all_words_is_the_mechanism_bit_for_bit(embedded) -> None:
    from textveil.catalog import mechanism

    text = "Maria has 2 cats, 3 dogs… and http://x.org\n\n\nfor ALL."
    plain = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), rng=seeded_generator(5))(text)
    same = Sanitizer(policy("all-words"), rng=seeded_generator(5))(text)
    assert same == plain and same.report().to_json() == plain.report().to_json()
    assert same.private_map is None and same.setting.digest() == plain.setting.digest()


def test_words_drawn_beside_spans_need_a_rule_for_numbers() -> None:
    with pytest.raises(ParameterError, match="rules must be with one for number where words are drawn"):
        mixed(NAMES)


def test_a_key_of_the_draws_is_that_of_the_block(embedded) -> None:
    chosen = mixed(NAMES, NUMBERS)
    one, other = (Sanitizer(chosen, rng=seeded_generator(2))("Maria was here.").text for _ in range(2))
    assert one == other
    assert np.all([Sanitizer(chosen, rng=seeded_generator(2)).batch(["", "Maria"])[0].text == ""])
