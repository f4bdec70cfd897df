"""The sanitizer: nothing falls through, spend equals guarantees, the report tells what is true."""

from __future__ import annotations

import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.catalog import MECHANISMS, mechanism
from textveil.errors import InputError, ParameterError, RandomnessError, RefutedGuarantee, UnsupportedGuarantee
from textveil.privacy.guarantees import ApproximateDP, NoGuarantee, PureDP, Status
from textveil.randomness import derived_generator, new_secret, secure_generator, seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.marks import PLAIN, Marks
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.vocabulary.embedded import load_vocabulary

VALID = [name for name, one in MECHANISMS.items() if one.family != "document" and one.status is Status.PROVED]


@pytest.fixture(scope="module")
def sanitizer(embedded) -> Sanitizer:
    return Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))


def test_the_example_of_the_design(sanitizer) -> None:
    release = sanitizer("Maria has 2 cats.")
    assert len(split(release.text)) == 8
    assert [classify(one) for one in split(release.text)] == [classify(one) for one in split("Maria has 2 cats.")]
    assert release.text[0].isupper()
    assert release.kinds == {"word": 3, "number": 1, "punctuation": 1, "space": 3}
    assert release.guarantee_per_token == PureDP(
        epsilon=8.0, status=Status.PROVED, source="privacy/proofs/weighted_neighborhood.md"
    )
    assert release.guarantee.epsilon == pytest.approx(32.0)
    assert release.for_release


class _Constant:
    """A mechanism that always answers the same word: whatever else comes out fell through."""

    name = "constant"
    parameters = MappingProxyType({})

    def __init__(self, vocabulary, word: str, answer=None) -> None:
        self.vocabulary = vocabulary
        self.guarantee = PureDP(epsilon=0.5, status=Status.PROVED)
        self._id = vocabulary.id_of(word)
        self._answer = answer

    def privatize(self, ids, rng=None):
        return np.full(len(ids), self._id) if self._answer is None else self._answer(ids)


@cache
def _zebras(marks: Marks = "keep") -> Sanitizer:
    return Sanitizer(_Constant(load_vocabulary(), "zebra"), marks=marks, rng=seeded_generator(1))


@given(st.text())
@settings(deadline=None, max_examples=300)
def test_only_public_characters_constants_and_draws_come_out(text: str) -> None:
    """With a constant mechanism the output is a function of kinds, punctuation, spaces and digit counts."""
    release = _zebras()(text)
    surfaces = split(text)
    kinds = [classify(one) for one in surfaces]
    assert len(release.spans) == len(surfaces)
    for (start, end, kind), surface, expected in zip(release.spans, surfaces, kinds, strict=True):
        came = release.text[start:end]
        assert kind == expected
        if kind == Kind.WORD:
            assert came.lower() == "zebra"
        elif kind == Kind.NUMBER:
            shape = [one if one in ".," else "0" for one in surface if one.isdecimal() or one in ".,"]
            assert ["0" if one in "0123456789" else one for one in came] == shape
        elif kind in PLACEHOLDERS:
            assert came == PLACEHOLDERS[kind]
        else:
            assert came == surface
    assert "".join(release.text[start:end] for start, end, _ in release.spans) == release.text
    release.text.encode("utf-8")


@given(st.text())
@settings(deadline=None, max_examples=300)
def test_by_default_marks_and_white_space_are_of_a_small_set(text: str) -> None:
    """With a constant mechanism nothing of a text comes out but its kinds, digit counts and marks in plain form."""
    release = _zebras("normalize")(text)
    for start, end, kind in release.spans:
        came = release.text[start:end]
        if kind == Kind.WORD:
            assert came.lower() == "zebra"
        elif kind == Kind.NUMBER:
            assert set(came) <= set("0123456789.,")
        else:
            assert came == PLACEHOLDERS.get(kind) or came in ("\n\n", *PLAIN)
    assert "".join(release.text[start:end] for start, end, _ in release.spans) == release.text


def test_data_in_white_space_and_marks_does_not_come_out_by_default(embedded) -> None:
    """Bits as thin and wide spaces, as rows of symbols and as quotation marks of a language: one text for both."""
    pairs = [
        ("\u2009", "\u2003"),
        ("!!!!!", "!!!!!!!!"),
        ("\u00ab", "\u201e"),
        (" ", "\t"),
        ("\u2013", "-"),
        ("", "\u200b "),
    ]
    one, other = (" ".join(f"a{pair[bit]} b" for pair in pairs) for bit in (0, 1))
    released = [_zebras("normalize")(text).text for text in (one, other)]
    assert released[0] == released[1]
    kept = [_zebras("keep")(text) for text in (one, other)]
    assert kept[0].text != kept[1].text
    assert "can carry data" in kept[0].report().to_json()
    assert "in plain form" in _zebras("normalize")(one).report().summary()


@pytest.mark.parametrize(
    "secret",
    [
        "xqzvbnm",
        "Übergrößenträger",
        "maria.rossi@example.org",
        "https://example.org/patient?id=77",
        "@maria_r",
        "Мария",
        "李雷",
        "محمد",
        "🧑‍⚕️",
        "e\u0301clairx\u0301",
        "zero\u200bwidthjoined",
        "\u202ereversed",
        "MRN-00123987",
        "½",
        "x\u0000y",
    ],
)
def test_what_the_vocabulary_does_not_know_never_comes_out_at_its_place(sanitizer, secret: str) -> None:
    for text in (secret, f"a {secret} b", f"({secret})", f"line\r\n{secret}\r\n"):
        surfaces = split(text)
        release = sanitizer(text)
        known = set(sanitizer.mechanism.vocabulary.words)
        for (start, end, kind), surface in zip(release.spans, surfaces, strict=True):
            came = release.text[start:end]
            if kind == Kind.WORD and surface.lower() not in known:
                assert came != surface
                assert came.lower() in known
            elif kind in PLACEHOLDERS:
                assert came == PLACEHOLDERS[kind]


def test_spans_survive_odd_text(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), marks="keep")
    text = (
        "Caf\u00e9 e\u0301t\u00e9 \U0001f469\u200d\U0001f52c says: \u0634\u0643\u0631\u0627!\r\n"
        "Next\tline\u2028end 3.14 \U0001f600"
    )
    release = sanitizer(text)
    assert "".join(release.text[span.start : span.end] for span in release.spans) == release.text
    assert [span.kind for span in release.spans] == [classify(one) for one in split(text)]
    assert "\r\n" in release.text
    assert "\u2028" in release.text
    plain = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))(text)
    assert "".join(plain.text[span.start : span.end] for span in plain.spans) == plain.text
    assert [span.kind for span in plain.spans] == [span.kind for span in release.spans]


@pytest.mark.parametrize("name", VALID)
def test_what_is_reported_is_the_sum_of_the_guarantees(embedded, name: str) -> None:
    made = mechanism(name, embedded, epsilon=5.0)
    release = Sanitizer(made)("Two words 12 and 3 more.")
    data = release.report().as_dict()
    assert release.kinds["word"] == 4
    assert release.kinds["number"] == 2
    assert data["guarantee"]["per_token"]["epsilon"] == pytest.approx(5.0)
    assert data["guarantee"]["per_document"]["epsilon"] == pytest.approx(30.0)
    assert data["guarantee"]["per_document"]["epsilon"] >= 30.0 * (1 - 1e-9)
    if isinstance(made.guarantee, ApproximateDP):
        assert release.guarantee.delta == pytest.approx(4 * made.guarantee.delta)
    assert data["guarantee"]["per_token"]["status"] == "proved"
    assert data["vocabulary"]["digest"] == embedded.digest
    json.dumps(data, allow_nan=False)


def test_the_report_of_many_documents_never_hides_the_larger_cost(sanitizer) -> None:
    from textveil.sanitize.release import Report, Tally

    tally = Tally()
    for release in sanitizer.batch(["one two three", "four", ""]):
        tally.add(release.kinds, release.mapped)
    data = Report(setting=sanitizer.setting, tally=tally, kept_fields=("id",)).as_dict()
    assert data["documents"] == 3
    assert data["guarantee"]["per_document"]["protected_tokens"] == 3
    assert data["guarantee"]["per_document"]["epsilon"] == pytest.approx(24.0)
    assert data["guarantee"]["whole_input"]["epsilon"] == pytest.approx(32.0)
    assert any("'id'" in line for line in data["public"])
    summary = Report(setting=sanitizer.setting, tally=tally).summary()
    assert "32-DP" in summary
    assert "24-DP" in summary


def test_reports_hold_no_text(sanitizer) -> None:
    secret = "Xylophonia Quetzalcoatl-Brontë 867530901 zed@example.org"
    report = sanitizer(secret).report()
    everything = report.to_json() + report.summary() + repr(report)
    for piece in ("xylophonia", "quetz", "bront", "867530901", "zed@"):
        assert piece not in everything.lower()


def test_unknown_words_are_counted_for_the_sender_only(sanitizer) -> None:
    release = sanitizer("the xqzvbnm of qqqqzz")
    known = sanitizer("the cat of dogs")
    data = release.sender_report().as_dict()
    assert data["unknown_words_mapped"] == 2
    assert "2 words" in release.sender_report().summary()
    assert release.report().to_json() == known.report().to_json()
    assert release.report().summary() == known.report().summary()
    assert json.loads(release.sender_report().to_json()) == data


def test_a_seed_repeats_and_stamps(embedded) -> None:
    made = mechanism("neighborhood", embedded, epsilon=2.0)
    text = "the same words every time 2026"
    first, second = (Sanitizer(made, rng=seeded_generator(5))(text) for _ in range(2))
    assert first.text == second.text
    assert not first.for_release
    data = first.report().as_dict()
    assert data["for_release"] is False
    assert data["randomness"] == "seeded: not for release"
    assert first.report().summary().startswith("NOT FOR RELEASE")


def test_fresh_draws_on_every_call(sanitizer) -> None:
    text = "many different words make equal outputs most unlikely here today"
    assert sanitizer(text).text != sanitizer(text).text


def test_a_refuted_mechanism_is_refused_with_the_valid_form_named(embedded) -> None:
    made = mechanism("truncated-laplace-published", embedded, epsilon=1.0)
    with pytest.raises(RefutedGuarantee, match=r"refuted .* Use truncated-laplace"):
        Sanitizer(made)
    release = Sanitizer(made, allow_refuted=True)("some words 12")
    assert isinstance(release.guarantee, NoGuarantee)
    assert isinstance(release.guarantee_per_token, NoGuarantee)
    assert not release.for_release
    data = release.report().as_dict()
    assert data["guarantee"]["per_token"]["notion"] == "none"
    assert data["for_release"] is False
    assert release.report().summary().startswith("NO GUARANTEE")


@pytest.mark.parametrize(
    "answer",
    [
        lambda ids: ids[:-1],
        lambda ids: ids + 10**9,
        lambda ids: ids - 10**9,
        lambda ids: ids.astype(float),
        lambda ids: ["word"] * len(ids),
    ],
)
def test_a_foreign_mechanism_that_answers_wrongly_is_refused(embedded, answer) -> None:
    with pytest.raises(UnsupportedGuarantee, match="must return 2 word ids"):
        Sanitizer(_Constant(embedded, "zebra", answer))("two words")


def test_a_foreign_mechanism_takes_part(embedded) -> None:
    release = Sanitizer(_Constant(embedded, "zebra"))("Any words? yes.")
    assert release.text == "Zebra zebra? Zebra."
    assert release.guarantee.epsilon == pytest.approx(1.5)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_the_budget_of_numbers_has_a_domain(embedded, epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon must be finite and > 0"):
        Sanitizer(mechanism("neighborhood", embedded), number_epsilon=epsilon)


def test_a_larger_budget_of_numbers_is_not_hidden(embedded) -> None:
    release = Sanitizer(mechanism("neighborhood", embedded, epsilon=2.0), number_epsilon=9.0)("one 1")
    assert release.guarantee_per_token.epsilon == 9.0
    assert release.guarantee.epsilon == pytest.approx(11.0)


@pytest.mark.parametrize("document", [None, b"bytes", 3])
def test_a_document_is_a_str(sanitizer, document) -> None:
    with pytest.raises(InputError, match="document 2 must be a str"):
        sanitizer.batch(["fine", document])
    with pytest.raises(InputError, match="must be a str"):
        list(sanitizer.stream(["fine", document]))


def test_empty_text_is_released_empty_for_free(sanitizer) -> None:
    release = sanitizer("")
    assert (release.text, release.spans, dict(release.kinds)) == ("", (), {})
    assert release.guarantee.epsilon == 0.0


def test_streams_keep_order_and_read_no_further_than_needed(embedded) -> None:
    sanitizer = Sanitizer(_Constant(embedded, "zebra"))
    read = 0

    def documents():
        nonlocal read
        for number in range(6000):
            read += 1
            yield "word " * 100 + ". " * (number % 7)

    stream = sanitizer.stream(documents())
    first = next(stream)
    assert first.text.startswith("Zebra zebra")
    assert read < 2500
    counts = [first.kinds.get("punctuation", 0)] + [one.kinds.get("punctuation", 0) for one in stream]
    assert counts == [number % 7 for number in range(6000)]


def test_batches_and_single_calls_have_one_distribution(embedded) -> None:
    """The same seed and the same tokens give the same draws, whatever the documents' borders."""
    made = mechanism("neighborhood", embedded, epsilon=3.0)
    texts = ["alpha beta", "gamma", "delta epsilon"]
    batch = [one.text for one in Sanitizer(made, rng=seeded_generator(8)).batch(texts)]
    joined = Sanitizer(made, rng=seeded_generator(8))(" ".join(texts)).text
    assert " ".join(batch).lower() == joined.lower()


def test_forgetting_the_memory_of_surfaces_changes_nothing(embedded, monkeypatch) -> None:
    monkeypatch.setattr("textveil.text.codes.MEMORY_BYTES", 3)
    sanitizer = Sanitizer(_Constant(embedded, "zebra"))
    for _ in range(3):
        assert sanitizer("one two three four five 6").text.count("zebra") == 4


def test_one_token_is_reported_at_the_weaker_of_words_and_numbers_in_every_respect(embedded) -> None:
    made = mechanism("gaussian", embedded, epsilon=8.0, delta=1e-5)
    token = Sanitizer(made, number_epsilon=9.0).setting.token
    assert isinstance(token, ApproximateDP)
    assert token.epsilon == 9.0
    assert token.delta >= 1e-5
    claimed = _Constant(embedded, "zebra")
    claimed.guarantee = PureDP(epsilon=8.0, status=Status.CLAIMED)
    setting = Sanitizer(claimed, number_epsilon=9.0).setting
    assert (setting.token.epsilon, setting.token.status) == (9.0, Status.CLAIMED)
    assert not setting.for_release
    assert setting.warnings()[0].startswith("NOT FOR RELEASE: the guarantee is claimed")


def test_per_document_bounds_the_costliest_and_not_the_longest(embedded) -> None:
    from textveil.sanitize.release import Report, Tally

    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), number_epsilon=100.0)
    numbers, words = "1, 2, 3, 4, 5, 6, 7, 8, 9", "a b c d e f g h i j"
    for documents in ([words, numbers], [numbers, words]):
        tally = Tally()
        for release in sanitizer.batch(documents):
            tally.add(release.kinds, release.mapped)
        data = Report(setting=sanitizer.setting, tally=tally).as_dict()["guarantee"]["per_document"]
        assert (data["epsilon"], data["protected_tokens"]) == (900.0, 9)


def _remembered(sanitizer: Sanitizer) -> set[str]:
    codes = sanitizer._way._codes
    return {*codes._pieces.recent, *codes._pieces.older, *codes._surfaces.recent, *codes._surfaces.older} - {None, " "}


def test_a_pickled_sanitizer_carries_nothing_of_the_texts(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0), number_epsilon=3.0)
    sanitizer("Patient Zbigniewska password hunter ana@secret.org")
    packed = pickle.dumps(sanitizer)
    assert b"Zbigniewska" not in packed
    assert b"ana@" not in packed
    copy = pickle.loads(packed)
    assert _remembered(copy) == set()
    assert copy.setting.protected == sanitizer.setting.protected
    assert copy("two words").kinds["word"] == 2
    with pytest.raises(RandomnessError):
        pickle.dumps(Sanitizer(mechanism("neighborhood", embedded), rng=secure_generator()))


def test_addresses_and_long_words_are_not_remembered(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded))
    sanitizer("ana@example.org https://example.org/x @ana " + "x" * 65 + " word 12")
    assert _remembered(sanitizer) == {"word", "12"}


def test_a_stream_names_documents_by_their_number_in_it(embedded) -> None:
    with pytest.raises(InputError, match="document 3 must be a str"):
        list(Sanitizer(_Constant(embedded, "zebra")).stream(["a " * 600_000, "b", 3]))


def test_threads_share_a_sanitizer(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
    with ThreadPoolExecutor(4) as pool:
        releases = list(pool.map(sanitizer, ["some words to draw 12"] * 40))
    assert all(release.kinds == releases[0].kinds for release in releases)


def test_unknown_words_are_drawn_as_the_words_they_are_mapped_to(embedded) -> None:
    """With the identity for a mechanism the output shows what the mechanism was given."""
    sanitizer = Sanitizer(_Constant(embedded, "zebra", lambda ids: ids))
    assert sanitizer("the Maria's recieve Café treasuriess").text == "The maria receive cafe treasures"


def test_a_batch_can_draw_from_a_stream_of_its_own(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
    secret = new_secret()
    texts = ["Maria has 2 cats.", "A second document, of 1984."] * 20

    def released(*context: bytes) -> list[str]:
        return [one.text for one in sanitizer.batch(texts, spans=False, rng=derived_generator(secret, *context))]

    assert released(b"1") == released(b"1") != released(b"2")


def test_a_seeded_stream_is_refused_where_releases_are_not_stamped_so(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
    with pytest.raises(ParameterError, match="rng must be secure"):
        sanitizer.batch(["a"], rng=seeded_generator(1))


GROUPS = [
    "7777 7777 7777 7777",
    "77/77/7777",
    "777-777-7777",
    "(777) 777-7777",
    "A7B7C7",
    "7'7\"",
    "SW7A 7AA",
    "7,777.77",
]


@pytest.mark.parametrize("number", ["7777", "7", *GROUPS])
def test_digits_are_drawn_at_their_share_of_the_budget_of_their_number(embedded, number: str) -> None:
    """At alpha 1e-9; digits that pass, and numbers whose groups are mistaken for numbers of their own, die."""
    share = math.exp(4 / number.count("7"))
    kept = share / (share + 9)
    sanitizer = Sanitizer(
        _Constant(embedded, "zebra"), number_epsilon=4.0, digit_keep_limit=1.0, rng=seeded_generator(4)
    )
    release = sanitizer(f"{number} no, " * 2000)
    assert release.kinds["number"] == 2000
    assert release.guarantee == sanitizer.setting.document(release.kinds["word"], 2000)
    text, number = release.text, "7" * number.count("7")
    digits = [one for one in text if one.isdigit()]
    assert len(digits) == 2000 * len(number)
    bound = 6.2 * math.sqrt(kept * (1 - kept) * len(digits))
    assert abs(digits.count("7") - kept * len(digits)) < bound
    assert abs(digits.count("3") - (1 - kept) / 9 * len(digits)) < bound


@pytest.mark.parametrize("number", ["7", "7'7\"", "A7B7C7", "SW7A 7AA", "7777 7777 7777 7777"])
def test_by_default_no_digit_stays_with_probability_above_one_half(embedded, number: str) -> None:
    """At alpha 1e-9; without the limit a lone digit stays with probability .997 at epsilon 8."""
    sanitizer = Sanitizer(_Constant(embedded, "zebra"), number_epsilon=8.0, rng=seeded_generator(5))
    digits = [one for one in sanitizer(f"{number} no, " * 2000).text if one.isdigit()]
    kept = min(0.5, 1 - 9 / (math.exp(8 / number.count("7")) + 9))
    assert abs(digits.count("7") / len(digits) - kept) < 6.2 * math.sqrt(0.25 / len(digits))


def test_the_summary_and_the_report_tell_what_a_digit_is_limited_to(embedded) -> None:
    made = mechanism("neighborhood", embedded, epsilon=8.0)
    report = Sanitizer(made)("12 cats").report()
    assert "no digit stays with probability above 0.5" in report.summary()
    assert report.as_dict()["guarantee"]["digit_keep_limit"] == 0.5
    free = Sanitizer(made, number_epsilon=20.0, digit_keep_limit=1.0)("12 cats").report()
    assert "20-DP [proved] for one, shared over its digits; a digit may stay" in free.summary()
    with pytest.raises(ParameterError, match="digit_keep_limit must be between"):
        Sanitizer(made, digit_keep_limit=1.1)


def test_groups_of_one_number_are_counted_once_and_have_spans_of_their_own(sanitizer) -> None:
    release = sanitizer("Card 1234 5678 9012 3456, seat A1B2.")
    assert (release.kinds["number"], release.kinds["word"]) == (2, 4)
    assert [span.kind for span in release.spans].count(Kind.NUMBER) == 6
    assert "".join(release.text[span.start : span.end] for span in release.spans) == release.text
    assert release.guarantee.epsilon == pytest.approx(6 * 8.0)
