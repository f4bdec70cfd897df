"""The presets, with the detectors and surrogates that they name."""

import pickle
import re
import unicodedata
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.cuts import between
from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.sanitize.policy.choice import PRESETS, policy_of
from textveil.sanitize.sanitizer import Sanitizer

SPANS = [name for name in PRESETS if tv.policy(name).finds_spans]
NOTE = (
    "Pt. Maria Zyxwell (DOB 04/12/1981, aged 44) was seen by Dr. Will Park at St. Mary's, Boston on 3 March 2024 at "
    "14:30.\nCall 617-555-0133, write to maria.g@example.com, see https://example.org/a?b=1. MRN 00483921; "
    "paid $420.50.\n"
    "Ms. Zyxwell's BP was 120/80. MARIA ZYXWELL will return on March 9. IP 192.0.2.7, @maria, ٣٤ and 12 kg."
)
PIECES = [NOTE[start : start + 12] for start in range(0, len(NOTE), 7)]
HOSTILE = st.one_of(
    st.lists(st.sampled_from([*PIECES, "\u200b", "½", "\n\n", "  ", "“", "٣", "é", "\ud800", "🙂", "中"]), max_size=12),
    st.lists(
        st.sampled_from(["8.8", "8", "12", ".", "due", "abc", "\uff10\uff10", "\\u", "e", "%", "\\", '"', "-"]),
        max_size=9,
    ),
    st.text(max_size=30),
).map("".join)


@cache
def sanitizer(name: str, marks: str) -> Sanitizer:
    return Sanitizer(tv.policy(name, marks=marks))


@pytest.mark.parametrize("name", SPANS)
@pytest.mark.parametrize("marks", ["keep", "normalize"])
def test_every_release_is_undone(name: str, marks: str) -> None:
    release = sanitizer(name, marks)(NOTE)
    assert "zyxwell" not in release.text.lower() and release.text != NOTE
    assert release.private_map.original() == NOTE == tv.restore(release.text, release.private_map)

    @settings(max_examples=60)
    @given(HOSTILE)
    def undone(text: str) -> None:
        made = sanitizer(name, marks)(text)
        assert made.private_map.original() == text == tv.restore(made.text, made.private_map)
        if name == "identifiers" and not re.search(r"[^\W\d_]\d", text):  # Q1 and A4 stay
            drawn = {place for one in made.drawn_spans for place in range(one.start, one.end)}
            digits = (place for place, one in enumerate(made.text) if unicodedata.category(one) == "Nd")
            assert all(place in drawn for place in digits)

    undone()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_for_release_and_states_what_is_proved(name: str) -> None:
    made = Sanitizer(tv.policy(name))
    assert made.setting.for_release
    assert all(one.guarantee.status is Status.PROVED for one in made.setting.protected)
    assert (made(NOTE).private_map is None) == (name not in SPANS)


def test_identifiers_says_nothing_about_any_value() -> None:
    release = sanitizer("identifiers", "keep")(NOTE)
    assert release.guarantee.epsilon == release.guarantee_per_token.epsilon == 0.0
    data = release.report().to_data()
    assert data["guarantee"]["per_token"] is None and data["recovery"] is None
    assert "every word, mark and symbol outside the spans" in data["not_covered"]


def test_all_dates_of_a_note_move_together_and_pay_once() -> None:
    release = sanitizer("clinical", "keep")(NOTE)
    kinds = {one["kind"]: one for one in release.report().to_data()["guarantee"]["by_kind"]}
    assert (kinds["date"]["pays"], kinds["date"]["count"], kinds["date"]["epsilon"]) == ("scope", 1, 1.0)
    assert release.kinds["date mentions"] >= 3


@pytest.mark.parametrize(("name", "together"), [("clinical", True), ("identifiers", False)])
def test_the_line_of_drawings_promises_nothing_of_one_date_where_all_are_moved_together(
    name: str, together: bool
) -> None:
    summary = Sanitizer(tv.policy(name))("Seen on 3 May 2020.").report().summary()
    (line,) = [line for line in summary.splitlines() if line.startswith("drawings")]
    assert ("all of a kind together" in line) is together


def test_long_numbers_of_a_prompt_are_ids_where_nothing_else_is_found() -> None:
    texts = ["The sum is 471108 of 12345.", "Seen 2024-03-05 14:30; call 617-555-0133."]
    releases = Sanitizer(tv.policy("prompts")).batch(texts)
    assert [[one.kind for one in release.drawn_spans] for release in releases] == [["id"], ["date", "time", "phone"]]


WRITTEN = {
    "date": ("Born 3/4/1961, seen 03/04/1961.", "Born 11/12/1961, seen 11/12/1961."),
    "time": ("Seen at 9:30 am and at 09:30 am.", "Seen at 10:30 am and at 10:30 am."),
    "money": ("Paid $1,000 and then $1000.", "Paid $500 and then $500."),
    "age": ("She is 45 years old, he is forty-five years old.", "She is 46 years old, he is 46 years old."),
    "phone": ("Call 617-555-0133 or (617) 555-0133.", "Call 617-555-0133 or 617-555-0133."),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_counts_do_not_tell_how_a_value_was_written(kind: str) -> None:
    """Leading zeros are not released, so two ways of writing one date are one value."""
    release = Sanitizer(tv.policy("identifiers"))
    assert [release(text).kinds[kind] for text in WRITTEN[kind]] == [1, 1]


def test_kinds_with_one_surrogate_share_no_draw() -> None:
    rules = "".join(
        f'[[rule]]\nkind = "{kind}"\nsurrogate = "age"\nepsilon = 1\n'
        f'[[pattern]]\nkind = "{kind}"\nregex = "(?<={kind})[0-9]+"\n'
        for kind in ("a", "b")
    )
    policy = policy_of(f'name = "p"\n[[rule]]\nkind = "word"\nkeep = true\n{rules}'.encode(), "here")
    equal = [release.text.split() for release in Sanitizer(policy).batch(["a45 b45"] * 60)]
    assert len({tuple(pair) for pair in equal}) > 1 and any(a != b for a, b in equal)


@pytest.mark.parametrize("wrong", [3, None, b"identifiers", ["identifiers"]])
def test_what_is_no_name_is_refused_by_its_type(wrong) -> None:
    with pytest.raises(ParameterError, match=r"^name_or_path must be a path or one of all-words, .*; got \w+\.$"):
        tv.policy(wrong)


KEPT_BY_CLINICAL = [
    "Vitals: BP 101/66, SpO2 93% RA, Plt 88, T 38.4.",
    "Norvasc 5 mg PO daily for three months; ranges 140-160 and 1000-1500 mL; stage IIIA.",
    "1. Gout\n2. Asthma, 3 of 4 children, COVID-19 on the 2nd.",
    "Delivered via LTCS for NRFHT at 39w2d, G3P2012.",
]


@pytest.mark.parametrize("text", KEPT_BY_CLINICAL)
def test_clinical_keeps_measurements_quantities_and_durations(text: str) -> None:
    release = sanitizer("clinical", "keep")(text)
    for number in re.findall(r"[A-Za-z]*[0-9][0-9./%,-]*", text):
        assert number in release.text


@pytest.mark.parametrize("value", ["4471203", "12345-678", "MRN 4471", "pager 88231"])
def test_clinical_draws_long_numbers_and_those_after_a_label(value: str) -> None:
    digits = re.search(r"[0-9-]+", value)[0]
    drawn = {sanitizer("clinical", "keep")(f"seen, {value}, today").text for _ in range(3)}
    assert not all(digits in one for one in drawn)


def test_a_summary_says_what_stays_with_counts() -> None:
    summary = sanitizer("clinical", "keep")("Mr. Zyxwell: BP 101/66, HR 88, three months, 44 left").report().summary()
    assert "kept        as they are: 1 duration, 2 measurement, 1 number" in summary


def test_identifiers_draws_every_number_and_keeps_its_words() -> None:
    text = "SpO2 93% RA, the 22nd of 31 patients, see page 3\n1. COVID-19\n2. three months"
    form = r"SpO2 \d\d% RA, the \d\d[a-z]{2} of \d\d patients, see page 3\n1\. COVID-19\n2\. [a-z]+ months?"
    assert re.fullmatch(form, sanitizer("identifiers", "keep")(text).text)


def test_what_a_caller_does_to_a_rule_of_a_preset_reaches_no_other_policy() -> None:
    rule = tv.policy("identifiers").rule("date")
    assert rule is not None and dict(rule.options)
    with pytest.raises(TypeError):
        rule.options["within"] = 1  # type: ignore[index]
    again = pickle.loads(pickle.dumps(rule))
    assert again == rule and again.to_data() == rule.to_data()
    with pytest.raises(TypeError):
        again.options["within"] = 1


def kept_of(release: tv.Release) -> str:
    """Return what a release keeps of its text."""
    return "".join(between(release.text, release.drawn_spans))


@pytest.mark.parametrize("word", ["truskawka12", "zaychik2012", "yasmeen1965", "17abcd", "ж1жз2", "kippers4tea"])
def test_a_word_with_digits_in_it_is_drawn_whole_or_not_at_all(word: str) -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(3))
    for text in (f"it ends with {word} as ever", f"{word}\n", f"监控密码{word}。", f"x/{word}"):
        release = sanitizer(text)
        assert release.private_map is not None
        assert word in [one.original for one in release.private_map.replaced]
    for beside in (f"2.5{word}", f"{word}2.5", f"8.8due{word}8.8"):
        assert not re.search("[0-9]", kept_of(sanitizer(beside)))
    (short,) = sanitizer("rv12 is up").drawn_spans
    assert short.kind == "number"
