"""What users bring: regular expressions, lists, the values of a record; and detectors by name."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.detection.detectors import DETECTORS, detector_of
from textveil.detection.given import (
    _PLAIN_TOKEN,
    TOKEN,
    KeepList,
    ListDetector,
    PatternDetector,
    token_key,
    value_spans,
)
from textveil.detection.spans import DetectedSpan, checked_spans
from textveil.errors import ParameterError, UnknownNameError


def found(detector, text: str) -> list[str]:
    return [text[span.start : span.end] for span in checked_spans(detector, [text])[0]]


def test_a_pattern_finds_its_matches_or_its_group() -> None:
    assert found(PatternDetector("case-no", r"C-\d+"), "see C-12, C-3.") == ["C-12", "C-3"]
    assert found(PatternDetector("case-no", r"case (?P<value>\d+)"), "see case 12") == ["12"]
    assert found(PatternDetector("case-no", r"(?=C)"), "C-1") == []


@pytest.mark.parametrize(
    "pattern", ["a*", "", "(", "(a+)+b", r"(?:\w+\s?)*x", "(a|b+)*c", "(?=(a+)+)b", "a{2,}*", "x" * 10_001, "^", 3]
)
def test_a_pattern_that_could_match_nothing_or_never_end_is_refused(pattern) -> None:
    with pytest.raises(ParameterError, match=r"^pattern must"):
        PatternDetector("case-no", pattern)


@pytest.mark.parametrize("pattern", [r"(?:a++)+b", r"(?:ab{1,3})+", r"\d+(?:-\d{1,4})*", "a+b+"])
def test_a_pattern_with_bounded_repeats_is_taken(pattern) -> None:
    PatternDetector("case-no", pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?i)(?:(?<=pager )|(?<=bed ))#?\d{2,5}\b",
        r"(?<![\d-])(?!\d{3}-\d{3}(?![\d-]))\d(?:-?\d){3,}(?!\d)",
        r"\d*x",
        r"#?-?(?P<value>1)?\d",
        r"(?i)k\d",
        "x?y|[a-c]1",
    ],
)
def test_a_pattern_is_tried_wherever_a_match_of_it_begins(pattern: str) -> None:
    pieces = ("pager ", "bed ", "#", "1", "23", "-", "a", "b", "k", "K", "\u212a", "x", "y", " ", "\u0663")
    draw = random.Random(3)
    detector = PatternDetector("id", pattern)
    compiled = re.compile(pattern)
    group = "value" if compiled.groupindex else 0
    for _ in range(500):
        text = "".join(draw.choice(pieces) for _ in range(12))
        expected = [match.span(group) for match in compiled.finditer(text) if match[group]]
        assert [(span.start, span.end) for span in detector.detect([text])[0]] == expected


def test_a_list_is_found_as_whole_words_in_any_writing() -> None:
    detector = ListDetector("project", ["Blue  Heron", "heron", "Gonz\u00e1lez", "C++", "\u674e\u660e"])
    text = "blue\nheron, HERONS heron's gonzalez Gonza\u0301lez C++ \u5f20\u674e\u660e"
    assert found(detector, text) == ["blue\nheron", "heron", "gonzalez", "Gonza\u0301lez", "C++", "\u674e\u660e"]
    assert found(ListDetector("project", ["Heron"], ignore_case=False), "heron Heron") == ["Heron"]


@pytest.mark.parametrize("words", [[], [""], ["a", "  "], [3]])
def test_a_list_without_words_is_refused(words) -> None:
    with pytest.raises(ParameterError, match="words must"):
        ListDetector("project", words)


def test_values_of_a_record_are_found_in_its_text_with_their_parts() -> None:
    text = "Mrs. GONZALEZ (maria) will call 303.555.0142. Will Hill came up the hill; account 00-1234-56."
    values = [
        ("Maria Gonz\u00e1lez", "person"),
        ("(303) 555-0142", "phone"),
        ("Will Hill", "person"),
        ("00123456", "id"),
        (" ", "person"),
    ]
    spans = value_spans(text, values)
    assert [(text[one.start : one.end], one.kind) for one in spans] == [
        ("GONZALEZ", "person"),
        ("maria", "person"),
        ("303.555.0142", "phone"),
        ("Will Hill", "person"),
        ("00-1234-56", "id"),
    ]


def test_detectors_go_by_names() -> None:
    assert detector_of("embedded").name == "embedded"
    with pytest.raises(UnknownNameError, match="detector must be one of embedded"):
        detector_of("embeded")
    with pytest.raises(ParameterError, match="spacy:FOLDER"):
        detector_of("spacy")
    with pytest.raises(ParameterError, match="embedded alone"):
        detector_of("embedded:here")
    assert set(DETECTORS) == {"embedded", "numbers", "presidio", "spacy", "transformers", "gliner"}


def test_the_public_function_takes_names_and_objects() -> None:
    text = "Maria has 12 herons."
    assert [(one.start, one.end, one.kind) for one in tv.detect(text)] == [(0, 5, "person"), (10, 19, "quantity")]
    both = tv.detect("Maria sees herons.", ["embedded", ListDetector("bird", ["herons"])])
    assert [one.kind for one in both] == ["person", "bird"]
    assert [one.kind for one in tv.detect(text, "numbers")] == ["number"]
    with pytest.raises(ParameterError, match="detectors must be at least one"):
        tv.detect(text, [])


@pytest.mark.parametrize("wrong", [3, None, [3], [None, "embedded"], []])
def test_what_is_no_detector_is_refused_by_its_type(wrong) -> None:
    with pytest.raises(ParameterError, match=r"^detectors must be .*; got "):
        tv.detect("Maria", wrong)


@pytest.mark.parametrize("wrong", [3, None, ["Maria", "Anna"]])
def test_what_is_no_text_is_refused_by_its_type(wrong) -> None:
    with pytest.raises(ParameterError, match=r"^text must be one string; got \w+\. Call it once for each text\.$"):
        tv.detect(wrong)


@given(
    st.lists(
        st.sampled_from(
            [*"ab_-&,. ", "c", "or ", "vs ", " " * 150, "x" * 45, "deep learning ", "BERT ", "bert ", "New York "]
        ),
        min_size=1,
        max_size=24,
    ).map("".join),
    st.data(),
)
def test_what_stays_of_a_text_of_ascii_stays_beside_any_other_character(text: str, data: st.DataObject) -> None:
    keep = KeepList(["deep learning", "BERT", "New York", "a", "b or c", "a&b"], public=data.draw(st.booleans()))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    kind, why = data.draw(st.sampled_from([("person", ""), ("person", "title"), ("place", "")]))
    span = DetectedSpan(start, end, kind, 0.6, "embedded", why)
    assert keep.keeping(text)(span) == keep.keeping(text + " " * 600 + "\u00e9")(span)


@pytest.mark.parametrize("far", ["", " " * 600 + "\u00e9"])
def test_a_phrase_is_kept_in_its_last_word(far: str) -> None:
    keep = KeepList(["b or c"])
    assert keep.keeping("x b or c" + far)(DetectedSpan(7, 8, "person", 0.6, "embedded"))
    assert not keep.keeping("x d or c" + far)(DetectedSpan(7, 8, "person", 0.6, "embedded"))


@pytest.mark.parametrize("far", ["", " and so on" * 100])
def test_phrase_that_begins_far_before_a_span_keeps_it(far: str) -> None:
    phrase = " ".join(f"word{letter}" * 2 for letter in "abcdefghijk")
    span = DetectedSpan(2 + phrase.rindex(" ") + 1, 2 + len(phrase), "person", 0.6, "embedded")
    assert len(phrase) > 80
    assert KeepList([phrase]).keeping(f"x {phrase}{far}")(span)
    assert not KeepList([phrase]).keeping(f"x {phrase.replace('worda', 'wordz')}{far}")(span)
    assert not KeepList([phrase]).keeping(f"x {phrase.replace('wordk', 'wordz')}{far}")(span)
    assert not KeepList([phrase]).keeping(f"x {phrase.replace('wordf', 'wordz')}{far}")(span)


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_characters="\xad"), max_size=90), st.integers(0, 90))
def test_tokens_of_plain_characters_are_those_of_any(text: str, start: int) -> None:
    for written in (text, f"{text} {'a' * start}{text}"):
        tokens = [token.span() for token in TOKEN.finditer(written, start)]
        assert [token.span() for token in _PLAIN_TOKEN.finditer(written, start)] == tokens


@pytest.mark.parametrize(
    "word", ["Café Müller", "Łódź", "l·l", "d’Été", "张张", "\x85", "ﬁn½", "ʻOkina", "Stra\xadße", "é\u0301 x", "ʻ x"]
)
def test_an_accented_entry_is_spelled_part_by_part_however_it_is_read(word: str) -> None:
    parts = tuple(map(token_key, TOKEN.findall(word)))
    assert KeepList([word, "plain"]).phrases == {("plain",), *([parts] if parts else [])}
