"""The way of a text under a policy with spans."""

import json
import pickle
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.policies import POOL, Finds, small_policy, surrogate

from textveil.errors import InputError, ParameterError, UnsupportedGuarantee
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.numbers import number_places

TEXT = "Maria saw Mark at 12:30; Maria (aged 44) left.\n"
pytestmark = pytest.mark.usefixtures("small_surrogates")


def made(*rules, **options) -> Sanitizer:
    rules = rules or (surrogate("person"), surrogate("number", "digits", epsilon=0))
    return Sanitizer(small_policy(*rules, **options))


def test_spans_are_drawn_and_all_else_stays() -> None:
    release = made()(TEXT)
    names = [release.text[one.start : one.end] for one in release.drawn_spans if one.kind == "person"]
    assert len(names) == 3 and names[0] == names[2] != names[1] and set(names) <= set(POOL)
    rest, position = [], 0
    for one in release.drawn_spans:
        rest.append(release.text[position : one.start])
        position = one.end
    assert [*rest, release.text[position:]] == ["", " saw ", " at ", "; ", " (aged ", ") left.\n"]


def test_a_release_is_undone_and_its_pickle_holds_nothing_private() -> None:
    release = made()(TEXT)
    assert release.private_map is not None and release.private_map.original() == TEXT
    again = pickle.loads(pickle.dumps(release))
    assert again == release and again.private_map is None
    for told in (repr(release), release.report().to_json(), release.report().summary(), repr(pickle.dumps(release))):
        assert "Maria" not in told


def test_maps_are_kept_where_they_are_asked_for() -> None:
    sanitizer = made()
    assert [one.private_map for one in sanitizer.batch([TEXT], maps=False)] == [None]
    assert [one.private_map for one in sanitizer.stream([TEXT])] == [None]
    (streamed,) = sanitizer.stream([TEXT], maps=True)
    assert streamed.private_map is not None and streamed.private_map.original() == TEXT


@given(st.text(st.sampled_from("Mari a1٣७²Ⅷ①\u200b\n\t.,-/()'é中𝟘🙂\ud800_"), max_size=40))
def test_no_decimal_digit_stands_outside_and_every_text_is_undone(text: str) -> None:
    places = number_places(text)
    inside = {place for start, end in places for place in range(start, end)}
    assert all(place in inside for place, one in enumerate(text) if unicodedata.category(one) == "Nd")
    release = made()(text)
    assert release.private_map is not None and release.private_map.original() == text
    drawn = {place for one in release.drawn_spans for place in range(one.start, one.end)}
    assert all(place in drawn for place, one in enumerate(release.text) if unicodedata.category(one) == "Nd")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1234 5678", ["1234 5678"]),
        ("12/03/2024 and 7", ["12/03/2024", "7"]),
        ("(555) 123-4567", ["555) 123-4567"]),
        ("1, 2, 3", ["1", "2", "3"]),
        ("A1B2", ["1", "2"]),
        ("1--2", ["1", "2"]),
        ("1 - 2", ["1 - 2"]),
        ("٣٤.٥", ["٣٤.٥"]),
        *((f"1{end}2", ["1", "2"]) for end in ("\n", "\t", "\r\n", "\x85", "\u2028", "\u2029", "-\n", " -\n")),
        ("1\u00a02", ["1\u00a02"]),
    ],
)
def test_groups_of_digits_parted_by_single_separators_are_one_number(text: str, numbers: list[str]) -> None:
    assert [text[start:end] for start, end in number_places(text)] == numbers


@pytest.mark.parametrize(
    ("scope", "same"), [("mention", False), ("document", True), ("conversation", True), ("corpus", True)]
)
def test_a_value_keeps_its_surrogate_within_its_scope_alone(scope: str, same: bool) -> None:
    rule = surrogate("person", options={"pool": tuple(map(str, range(10**6)))})
    sanitizer = made(rule, scope=scope, detectors=(Finds(),))
    first, second = sanitizer.batch(["Maria Maria", "Maria"])
    one, other = first.text.split()
    assert (one == other) is same
    assert (second.text == one) is (scope == "corpus")


def test_a_conversation_remembers() -> None:
    rule = surrogate("person", options={"pool": tuple(map(str, range(10**6)))})
    sanitizer = made(rule, scope="conversation")
    conversation, other = sanitizer.conversation(), sanitizer.conversation()
    first, second, apart = conversation("Maria."), conversation("Mark, Maria"), other("Maria.")
    assert second.text.endswith(first.text[:-1]) and apart.text != first.text
    assert conversation.private_map.released == f"{first.text}\n{second.text}"
    assert conversation.private_map.original() == "Maria.\nMark, Maria"


def test_sanitizers_with_one_key_agree() -> None:
    rule = surrogate("person", options={"pool": tuple(map(str, range(10**6)))})
    policy = small_policy(rule, scope="corpus")
    key = bytes(range(32))
    first, second, other = Sanitizer(policy, key=key), Sanitizer(policy, key=key), Sanitizer(policy)
    assert first("Maria").text == second("Maria").text != other("Maria").text
    with pytest.raises(ParameterError, match="key must be 32 bytes; got another length"):
        Sanitizer(policy, key=b"short")
    with pytest.raises(ParameterError, match="key must be left out where the scope is no corpus"):
        Sanitizer(small_policy(rule), key=key)


def test_what_pays_is_counted() -> None:
    consistent, each = surrogate("person", epsilon=2.0), surrogate("person", epsilon=2.0, options={"counts": "mention"})
    shift = surrogate("person", epsilon=2.0, options={"counts": "scope"})
    costs = {}
    for name, rule in (("value", consistent), ("mention", each), ("scope", shift)):
        release = made(rule)("Maria Mark Maria")
        costs[name] = release.guarantee.epsilon
        assert release.guarantee_per_token.epsilon == 2.0
    assert costs == {"value": 4.0, "mention": 6.0, "scope": 2.0}
    assert made(consistent, scope="mention")("Maria Mark Maria").guarantee.epsilon == 6.0


def test_the_report_never_speaks_of_words() -> None:
    report = made()(TEXT).report()
    data = report.to_data()
    assert data["guarantee"]["per_token"] is None and data["mechanism"] is None
    assert data["guarantee"]["per_value"]["unit"] == "span"
    assert data["detection"] == {"detectors": ["finds"], "recall": None}
    assert data["policy"]["name"] == "small" and len(data["policy"]["digest"]) == 64
    assert data["not_covered"] and not data["for_release"]  # its pool is made by no registered function
    kinds = {one["kind"]: one for one in data["guarantee"]["by_kind"]}
    assert (kinds["person"]["unit"], kinds["person"]["count"]) == ("entity", 2)
    assert (kinds["number"]["unit"], kinds["number"]["public"]) == ("span", ["how many digits it has"])
    assert json.loads(report.to_json()) == data
    lines = report.summary().splitlines()
    assert "detection   not measured" in lines
    assert not any("proved" in line for line in lines if line.startswith("detection"))
    assert not any(line.startswith(("per token", "recovery")) for line in lines)


@pytest.mark.parametrize(
    ("scope", "equality", "told"),
    [
        ("document", "which are equal, but for case", ["which are equal, but for case"]),
        ("document", "", ["whether two are equal"]),
        ("mention", "which are equal, but for case", []),
    ],
)
def test_which_values_are_equal_is_public_within_a_scope_and_all_else_everywhere(
    scope: str, equality: str, told: list[str]
) -> None:
    """The word "equal" in another fact does not take it out of the report."""
    fact = "which of its halves are equal"
    rule = surrogate("person", options={"public": (fact,), "equality": equality})
    _, row = made(rule, scope=scope)(TEXT).report().to_data()["guarantee"]["by_kind"]
    assert row["public"] == [fact, *told]


def test_measured_recall_stands_in_the_report() -> None:
    recall: dict[str, Any] = {
        "corpus": "labelled notes",
        "kinds": {"person": {"recall": {"lower": 0.7, "estimate": 0.8, "upper": 0.9, "confidence": 0.95}}},
    }
    release = made()(TEXT)
    facts = release.setting.policy
    assert facts is not None
    for other in (None, {}, {"name": facts.name, "digest": "0" * 64}):
        with pytest.raises(ParameterError, match="detection_report must be of the policy of the release"):
            release.report({**recall, "policy": other})
    recall["policy"] = {"name": facts.name, "digest": facts.digest}
    report = release.report(recall)
    assert report.to_data()["detection"]["recall"] == recall
    assert "detection   recall of this policy on labelled notes, of each kind: person 80 % [70, 90]" in report.summary()


def test_a_foreign_answer_is_refused_by_number() -> None:
    class Crossing(Finds):
        def detect(self, texts):
            found = super().detect(texts)[0]
            return [[*found, found[0]._replace(end=found[0].end + 1)]] * len(texts)

    sanitizer = made(surrogate("person"), detectors=(Crossing(),))
    with pytest.raises(InputError, match="document 1, spans 1 and 2: spans must not overlap") as caught:
        sanitizer("Maria has it")
    assert "Maria" not in str(caught.value)


def test_a_conversation_needs_spans(embedded) -> None:
    from textveil.catalog import mechanism

    with pytest.raises(UnsupportedGuarantee, match="a conversation needs a policy that finds spans"):
        Sanitizer(mechanism("randomized-response", embedded)).conversation()


@settings(max_examples=5)
@given(st.integers(0, 100))
def test_a_seed_repeats_a_release(seed: int) -> None:
    policy = small_policy(surrogate("person"), surrogate("number", "digits"))
    releases = [Sanitizer(policy, rng=seeded_generator(seed))(TEXT) for _ in range(2)]
    assert releases[0].text == releases[1].text and not releases[0].for_release


def test_what_is_kept_hides_nothing_that_is_drawn() -> None:
    longer = Finds(r"Marxyl of Mars", "organization", "longer")
    rules = (surrogate("person"), Rule(kind="organization", action=Action.KEEP))
    release = Sanitizer(small_policy(*rules, detectors=(longer, Finds("Marxyl"))))("Marxyl of Mars and Marxyl")
    assert "Marxyl" not in release.text and "of Mars and" in release.text


def test_numbers_that_are_kept_stay_where_words_are_drawn() -> None:
    rules = (
        Rule(kind="word", action=Action.MECHANISM, name="neighborhood"),
        Rule(kind="number", action=Action.KEEP),
        surrogate("person"),
    )
    release = Sanitizer(Policy(name="kept numbers", rules=rules, detectors=(Finds(),)))("Maria has 12,345 cats")
    assert "12,345" in release.text and "number" in release.kinds
    assert "the values of the kinds that are kept: number" in release.report().to_data()["public"]
