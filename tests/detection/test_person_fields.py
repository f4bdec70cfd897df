"""Names of users and persons are found by the field that holds them, and roles and code are not."""

import pytest

import textveil as tv
from textveil.detection.embedded import embedded_detector
from textveil.detection.person_fields import find_people_in_fields


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user=rmontalvo ip=203.0.113.18", ["rmontalvo"]),
        ("Failed password for invalid user jpetrosyan from host", ["jpetrosyan"]),
        ('{"username": "kdelacroix", "author": "tnakamura"}', ["kdelacroix", "tnakamura"]),
        ("WHERE c.LastName = 'Papadimitriou'", ["Papadimitriou"]),
        ("user=root for user admin; sudo -u postgres psql", []),
        ("user=request.user; user = get_user(); user: User", []),
        ("sort -u file.txt; the user wants a page; product_name: 'Widget'", []),
    ],
)
def test_a_field_tells_a_user_or_a_person(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in find_people_in_fields(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rashid al-Mansoori (son) called", "Rashid al-Mansoori"),
        ("will see Hyun-woo Bae today", "Hyun-woo Bae"),
        ("She lives at 12 Fallowfield, Durham.", "12 Fallowfield, Durham"),
        ("Callback: +1 786 555 0119, ext. 4", "+1 786 555 0119, ext. 4"),
    ],
)
def test_a_weak_cue_is_enough_for_a_whole_span(text: str, expected: str) -> None:
    spans = embedded_detector().detect([text])[0]
    assert expected in [text[span.start : span.end] for span in spans if span.score > 0.35]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Name: LauraPottery\nLocation: OR\nHi all.", ["LauraPottery", "OR"]),
        ("Seller: KwameBikes", ["KwameBikes"]),
        ("Doctor: Young, are you? Patient: Rich, no.", []),
        ("Doctor: Good, so what do you do?", []),
    ],
)
def test_a_field_holds_a_person_and_a_speaker_does_not(text: str, names: list[str]) -> None:
    kinds = ("person", "place", "organization")
    spans = [span for span in tv.detect(text, "embedded", min_score=0.36) if span.kind in kinds]
    assert [text[span.start : span.end] for span in spans] == names
