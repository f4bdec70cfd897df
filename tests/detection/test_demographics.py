"""Demographics: what a text says of a person is found with its reason, and the same words elsewhere are not."""

import pytest
from tests.helpers.growth import is_linear

from textveil.detection.demographic_lists import demographics
from textveil.detection.demographics import RULES, Rule, find_demographics
from textveil.detection.detectors import detect

SAID = [
    ("The application was lodged by a Polish national.", [("Polish national", "nationality")]),
    ("two Turkish nationals of Kurdish origin", [("Turkish nationals", "nationality"), ("Kurdish", "ethnicity")]),
    ("62-year-old African American male", [("African American", "ethnicity")]),
    ("My client, a Sierra Leonean asylum seeker, waits.", [("Sierra Leonean", "nationality")]),
    ("She is a nurse at a clinic.", [("nurse", "occupation")]),
    ("He was a retired primary school teacher.", [("primary school teacher", "occupation")]),
    ("Her husband works as a bus driver.", [("bus driver", "occupation")]),
    ("Ann Roe, a lawyer practising in Leeds", [("lawyer", "occupation")]),
    ("Both parents are teachers.", [("teachers", "occupation")]),
    ("He was the owner and editor of a weekly.", [("owner", "occupation"), ("editor", "occupation")]),
    ("She works in sales as a senior account manager.", []),
    ("Occupation: falconer\nMarital status: divorced.", [("falconer", "label"), ("divorced", "label")]),
    ("His mother is a Jehovah's Witness.", [("Jehovah's Witness", "religion")]),
    ("She converted to Islam.", [("Islam", "religion")]),
    ("He was born to a Jewish family.", [("Jewish", "religion")]),
    ("She is a single mother of three.", [("single mother of three", "family")]),
    ("He is married and has two children.", [("married", "family"), ("two children", "family")]),
    ("Married with two children. Widowed.", [("Married with two children", "family"), ("Widowed", "family")]),
    ("He is gay and a registered Democrat.", [("gay", "orientation"), ("Democrat", "politics")]),
    ("I am a war veteran.", [("war veteran", "military")]),
    ("She is deaf and unemployed.", [("deaf", "disability"), ("unemployed", "work")]),
    ("#MarriedLife", [("Married", "family")]),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_what_is_said_of_a_person_is_found_with_its_reason(text: str, expected: list[tuple[str, str]]) -> None:
    spans = [span for span in detect(text) if span.kind == "demographic"]
    assert [(text[span.start : span.end], span.why) for span in spans] == expected
    assert all(span.score > 0.35 for span in spans)


SAID_OF_NOBODY = [
    "The Turkish Government and the Swedish courts agreed under Dutch law.",
    "She speaks Spanish and wrote in English. The report is in German. It is French.",
    "The German shepherd ate an English breakfast, French fries, Swiss cheese and a Danish pastry.",
    "Our English teacher. The Spanish translator. Arabic numerals, Roman roads, a Chinese wall.",
    "The patient was seen by the nurse and the physician. A lawyer is expensive. Ask your doctor.",
    "What is a compiler? It is a driver for the printer. This is a manager of connections.",
    "Treatment was conservative. This is a liberal estimate. The feature is disabled. A blind trial.",
    "A single dose. A separated shoulder. The married state. An independent review, such as a judge makes.",
    "Widow's peak. The job is a mother lode. Race condition: a thread is a worker.",
]


@pytest.mark.parametrize("text", SAID_OF_NOBODY)
def test_the_same_words_of_things_are_not_found(text: str) -> None:
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "demographic"] == []


def test_an_ethnic_group_without_evidence_is_a_guess() -> None:
    spans = [span for span in detect("the problems of Kurdish literature") if span.kind == "demographic"]
    assert [span.score for span in spans] == [0.3]


@pytest.mark.parametrize(
    "piece", ["a", "is a senior ", "the Polish ", "raising two big ", "race: ", "#Mom", "nurse-", "mother of two "]
)
def test_time_grows_with_the_length_of_a_hostile_text(piece: str) -> None:
    assert is_linear(lambda text: list(find_demographics(text)), piece)


def test_lists_hold_what_they_draw() -> None:
    lists = demographics()
    assert len(lists.forms) > 2_000
    assert min(map(len, lists.pools.values())) >= 2
    for pool in lists.pools.values():
        assert list(pool) == sorted(set(pool))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Republic of Turkey was sued. The Turkish Government replied.", "place"),
        ("He is a Turkish national. He wrote to the Turkish authorities.", "demographic"),
        ("He is a Turkish national who studied Turkish law and ate Turkish food.", ""),
        ("Anna Bell read about the Turkish Government.", ""),
    ],
)
def test_the_bodies_of_a_state_that_is_found_do_not_name_it(text: str, found: str) -> None:
    spans = detect(text)
    last = text.rfind("Turkish")
    assert "".join(span.kind for span in spans if span.start == last) == found


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.finds], ids=lambda rule: rule.finds)
def test_rule_finds_its_example(rule: Rule) -> None:
    scores = {span.score for span in find_demographics(rule.finds)}
    assert rule.score in scores


@pytest.mark.parametrize("text", sorted({rule.ignores for rule in RULES if rule.ignores}))
def test_rules_find_nothing_sure_in_what_looks_alike(text: str) -> None:
    assert [span for span in find_demographics(text) if span.score > 0.35] == []
