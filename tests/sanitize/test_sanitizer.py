"""The sanitizer: nothing falls through, draws are fresh, and what cannot be kept is refused."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.constant import Constant

from textveil.catalog import DEFAULT, mechanism
from textveil.errors import InputError, ParameterError, RandomnessError, RefutedGuarantee, UnsupportedGuarantee
from textveil.privacy.guarantees import NoGuarantee, PureDP, Status
from textveil.randomness import derived_generator, new_secret, secure_generator, seeded_generator
from textveil.sanitize.chosen import options_for_note
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.marks import PLAIN, Marks
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary


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


@cache
def _zebras(marks: Marks = "keep") -> Sanitizer:
    return Sanitizer(Constant(load_vocabulary(), "zebra"), marks=marks, rng=seeded_generator(1))


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


def test_data_in_white_space_and_marks_does_not_come_out_by_default() -> None:
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


def test_a_seed_repeats_and_stamps(embedded) -> None:
    made = mechanism("neighborhood", embedded, epsilon=2.0)
    text = "the same words every time 2026"
    first, second = (Sanitizer(made, rng=seeded_generator(5))(text) for _ in range(2))
    assert first.text == second.text
    assert not first.for_release
    data = first.report().to_data()
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
    data = release.report().to_data()
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
        Sanitizer(Constant(embedded, "zebra", answer))("two words")


def test_a_foreign_mechanism_takes_part(embedded) -> None:
    release = Sanitizer(Constant(embedded, "zebra"))("Any words? yes.")
    assert release.text == "Zebra zebra? Zebra."
    assert release.guarantee.epsilon == pytest.approx(1.5)


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
    sanitizer = Sanitizer(Constant(embedded, "zebra"))
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
    sanitizer = Sanitizer(Constant(embedded, "zebra"))
    for _ in range(3):
        assert sanitizer("one two three four five 6").text.count("zebra") == 4


def _remembered(sanitizer: Sanitizer) -> set[str]:
    codes = sanitizer._way._tokens.codes
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
        list(Sanitizer(Constant(embedded, "zebra")).stream(["a " * 600_000, "b", 3]))


def test_threads_share_a_sanitizer(embedded) -> None:
    sanitizer = Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
    with ThreadPoolExecutor(4) as pool:
        releases = list(pool.map(sanitizer, ["some words to draw 12"] * 40))
    assert all(release.kinds == releases[0].kinds for release in releases)


def test_unknown_words_are_drawn_as_the_words_they_are_mapped_to(embedded) -> None:
    """With the identity for a mechanism the output shows what the mechanism was given."""
    sanitizer = Sanitizer(Constant(embedded, "zebra", lambda ids: ids))
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


def test_a_note_is_drawn_with_context(embedded: Vocabulary) -> None:
    assert options_for_note(DEFAULT, {}, embedded) == {"context": "released"}
    assert options_for_note(DEFAULT, {"epsilon": 3.0, "base_weights": "frequency"}, embedded) == {"context": "released"}


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("randomized-response", {}),
        (DEFAULT, {"context": "none"}),
        (DEFAULT, {"context": "released"}),
        (DEFAULT, {"base_weights": "flat"}),
        (DEFAULT, {"neighborhood_size": 9}),
    ],
)
def test_what_was_asked_for_stands(embedded: Vocabulary, mechanism: str, options: dict[str, Any]) -> None:
    assert options_for_note(mechanism, options, embedded) == {}


def test_other_vocabularies_have_no_language_model(tiny: Vocabulary) -> None:
    assert options_for_note(DEFAULT, {}, tiny) == {}
