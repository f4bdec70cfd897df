"""Originals put back: by position, by mention, in pieces; what does not tell stays and is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.private_maps import HOSTILE, any_map, map_of

import textveil as tv
from textveil.errors import ParameterError
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import RestoredPlace, Restorer
from textveil.text.escapes import BORDER

NOTE = map_of(
    "Dr. Anna Miller saw Bob Jones on 3 May 2021 in Lund. He is 34. Mail anna.m@example.org.",
    [
        ("Anna Miller", "Maria Gonzalez", "person"),
        ("Bob Jones", "Tim Fox", "person"),
        ("3 May 2021", "9 June 2019", "date"),
        ("Lund", "New York", "place"),
        ("34", "61", "age"),
        ("anna.m@example.org", "maria@gonzalez.com", "email"),
    ],
)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("So Anna Miller came.", "So Maria Gonzalez came."),
        ("**Anna** _Miller_ `Bob`", "**Maria** _Gonzalez_ `Tim`"),
        ("ANNA MILLER, anna miller, Anna MILLER", "MARIA GONZALEZ, maria gonzalez, Maria Gonzalez"),
        ("the Millers' house, Anna's, ANNA'S, Anna\u2019s", "the Gonzalezes' house, Maria's, MARIA'S, Maria\u2019s"),
        ("Anna\nMiller, Anna \t Miller, Bob\r\n  Jones", "Maria\nGonzalez, Maria \t Gonzalez, Tim\r\n  Fox"),
        ("Anna\n\nMiller", "Maria\n\nGonzalez"),
        ("Joneses, Jones' and Miller-led", "Foxes, Fox' and Gonzalez-led"),
        ("l'Anna, qu'Anna, Anna'll", "l'Maria, qu'Maria, Maria'll"),
        ("Annabel, Joanna, Anna-Lena, O'Miller, anna_x, anna.b@x.org, Anna'house", None),
        ("A 34-year-old, (34)", "A 61-year-old, (61)"),
        ("34.5, 1.34, 34,000, 10:34, COVID-34, 34th, \n34. Next", None),
        ("in Lund, LUND", "in New York, NEW YORK"),
        ("on 3 May\n2021.", "on 9 June\n2019."),
        ("by ANNA.M@EXAMPLE.ORG", "by MARIA@GONZALEZ.COM"),
        ("Nobody was there.", None),
        ("", None),
    ],
)
def test_an_answer_gets_its_originals(answer: str, wanted: str | None) -> None:
    assert tv.restore(answer, NOTE) == (answer if wanted is None else wanted)


def test_what_was_done_is_counted() -> None:
    done = Restorer(NOTE).restore("Anna and Miller, then Bob Jones.")
    assert (done.replaced, done.ambiguous, done.unused) == (3, (), 5)
    assert "Maria" not in repr(done) + repr(Restorer(NOTE))
    whole = Restorer(NOTE).restore(NOTE.released)
    assert (whole.text, whole.replaced, whole.unused) == (NOTE.original(), 6, 0)


@pytest.mark.parametrize("answer", [NOTE.released, f"\U0001f600 Ask **ANNA**, Bob's aunt, in LUND. {NOTE.released}"])
def test_a_restored_text_says_where_its_originals_stand(answer: str) -> None:
    done = Restorer(NOTE).restore(answer)
    found = [done.text[one.start : one.end] for one in done.originals]
    assert len(found) == done.replaced
    begun = [] if answer == NOTE.released else ["MARIA", "Tim", "NEW YORK"]
    assert found == [*begun, *(piece.original for piece in NOTE.replaced)]


def test_a_surrogate_of_several_originals_is_told_by_position_alone() -> None:
    made = map_of("Ann Lee met Ann Lee.", [("Ann Lee", "Ida Roe", "person"), ("Ann Lee", "Eve Day", "person")])
    assert tv.restore("Ann Lee met Ann Lee.", made) == "Ida Roe met Eve Day."
    done = Restorer(made).restore("Hello Ann Lee!")
    assert done.text == "Hello Ann Lee!"
    assert done.ambiguous == (RestoredPlace(6, 13),)
    assert done.replaced == 0
    beside = map_of("Ann Lee met Ann Moe.", [("Ann Lee", "Ida Roe", "person"), ("Ann Moe", "Eve Day", "person")])
    done = Restorer(beside).restore("Ann and Lee and Moe")
    assert done.text == "Ann and Roe and Day"
    assert done.ambiguous == (RestoredPlace(0, 3),)


def test_a_surrogate_that_the_text_held_before_is_told_by_position_alone() -> None:
    made = map_of("Ann met Bob. Ann was glad, and will stay.", [("Ann", "Ida", "person"), ("Bob", "Will", "person")])
    assert tv.restore(made.released, made) == "Ida met Will. Ann was glad, and will stay."
    done = Restorer(made).restore("Did Ann see BOB?")
    assert done.text == "Did Ann see WILL?"
    assert done.ambiguous == (RestoredPlace(4, 7),)
    other = map_of("Will came and will stay.", [("Will", "Ida", "person")])
    assert tv.restore("So Will will go.", other) == "So Ida will go."
    rose = map_of("Rose Baker came.", [("Rose Baker", "Ida Roe", "person")])
    done = Restorer(rose).restore("So Rose, ROSE and rose baker rose, and a baker and bakers and Bakers")
    assert done.text == "So Ida, IDA and ida roe rose, and a baker and bakers and Roes"
    assert len(done.ambiguous) == 3
    inside = map_of("May came on 3 May 2021.", [("May", "Ida", "person"), ("3 May 2021", "1 June 2020", "date")])
    assert tv.restore("It was May.", inside) == "It was Ida."


def test_white_space_within_a_surrogate_has_one_line_break_and_eight_characters_at_the_most() -> None:
    made = map_of("In North Bend.", [("North Bend", "Rome", "place")])
    for gap, whole in ((" " * 8, True), (" " * 9, False), (" \n ", True), ("\n\n", False)):
        text = f"So North{gap}Bend"
        assert tv.restore(text, made) == ("So Rome" if whole else text)


def test_cases_that_stand_for_different_originals_are_told_apart() -> None:
    made = map_of("Ann Lee met ANN LEE.", [("Ann Lee", "Ida Roe", "date"), ("ANN LEE", "EVE DAY", "date")])
    done = Restorer(made).restore("So Ann Lee, ANN LEE, ann lee")
    assert done.text == "So Ida Roe, EVE DAY, ann lee"
    assert done.ambiguous == (RestoredPlace(21, 28),)


def test_one_character_is_told_by_position_alone() -> None:
    made = map_of("On 6 May there were 47 of them.", [("6", "3", "number"), ("47", "12", "number")])
    assert tv.restore(made.released, made) == "On 3 May there were 12 of them."
    done = Restorer(made).restore("For 6 reasons, 47 came.")
    assert (done.text, done.ambiguous) == ("For 6 reasons, 12 came.", (RestoredPlace(4, 5),))


def test_an_edited_release_is_told_by_position_as_far_as_it_agrees() -> None:
    made = map_of("Ann met Ann, and the whole day went by.", [("Ann", "Ida", "person"), ("Ann", "Eve", "person")])
    assert tv.restore("Ann met Ann, and the whole day was long.", made) == "Ida met Eve, and the whole day was long."
    assert tv.restore("Ann met Ann; that was all.", made) == "Ann met Ann; that was all."


def test_drawn_words_and_marks_are_no_surrogates() -> None:
    made = PrivateMap(released="the dog", replaced=(Replaced(0, 3, "a", ""), Replaced(4, 7, "!", "person")))
    assert tv.restore("the dog", made) == "a !"
    assert tv.restore("So the dog", made) == "So the !"


def test_a_conversation_has_several_maps() -> None:
    other = map_of("Carl is back.", [("Carl", "Ole", "person")])
    assert tv.restore("Carl and Anna Miller", [NOTE, other]) == "Ole and Maria Gonzalez"
    assert tv.restore("Carl and Anna Miller", iter([NOTE, other])) == "Ole and Maria Gonzalez"
    for one in (NOTE, other):
        assert tv.restore(one.released, [other, NOTE]) == one.original()


def test_an_accent_is_the_same_however_it_is_written() -> None:
    made = map_of("Jos\u00e9 came.", [("Jos\u00e9", "Ida", "person")])
    assert tv.restore("So Jose\u0301 and Jos\u00e9", made) == "So Ida and Ida"
    plain = map_of("Jose came.", [("Jose", "Ida", "person")])
    assert tv.restore("So Jose\u0301", plain) == "So Jose\u0301"


def test_scripts_without_spaces_have_words_too() -> None:
    made = map_of("\u5f20\u4f1f\u6765\u4e86", [("\u5f20\u4f1f", "\u674e\u5a1c", "person")])
    assert tv.restore("\u6628\u5929\u5f20\u4f1f\u8bf4", made) == "\u6628\u5929\u674e\u5a1c\u8bf4"


@pytest.mark.parametrize("wrong", [None, 3, "text", [NOTE, None], [["Maria"]]])
def test_another_type_is_refused_without_quoting_it(wrong: object) -> None:
    with pytest.raises(ParameterError, match=r"^private_map must be a PrivateMap, .* got [A-Za-z]+\."):
        tv.restore("text", wrong)  # type: ignore[arg-type]


def test_other_misuse_is_refused() -> None:
    with pytest.raises(ParameterError, match="text must be a string; got bytes"):
        tv.restore(b"text", NOTE)  # type: ignore[arg-type]
    stream = Restorer(NOTE).stream()
    assert stream.feed("a") + stream.close() == "a"
    with pytest.raises(ParameterError, match="a stream must be fed before it is closed"):
        stream.feed("b")


def test_draws_that_make_an_escape_of_what_was_none_go_back() -> None:
    made = map_of("b\\u47e3.", [("47", "\uff10\uff10", "number"), ("3", "\uff19", "number")])
    assert tv.restore(made.released, made) == made.original() == "b\\u\uff10\uff10e\uff19."


@given(any_map())
def test_any_untouched_release_goes_back(made: PrivateMap) -> None:
    assert tv.restore(made.released, made) == made.original()
    assert tv.restore(made.released, [made, made]) == made.original()


def _in_pieces(stream, text: str, cuts: list[int]) -> str:
    given, at = [], 0
    for cut in sorted({*(cut for cut in cuts if cut < len(text)), len(text)}):
        given.append(stream.feed(text[at:cut]))
        at = cut
    return "".join([*given, stream.close()])


@st.composite
def _answer(draw: st.DrawFn, made: PrivateMap) -> str:
    """A text with surrogates of a map in it, in several forms, behind a part of the release or not."""
    surrogates = [made.released[piece.start : piece.end] for piece in made.replaced] or [""]
    parts = [made.released[: draw(st.integers(0, len(made.released)))]]
    for _ in range(draw(st.integers(0, 5))):
        surrogate = draw(st.sampled_from(surrogates))
        form = draw(st.sampled_from([str, str.upper, str.lower, str.title]))
        parts += [draw(HOSTILE), form(surrogate), draw(st.sampled_from(["", "s", "'s", "es'", " "]))]
    return "".join(parts)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_pieces_come_to_what_the_whole_comes_to(data: st.DataObject) -> None:
    names = st.sampled_from(["Ann Lee", "Ann", "Lee", "Mo", "a b c", "3 May 2021", "x", " ", ", ", ". ", "will"])
    made = data.draw(any_map(data.draw(st.sampled_from([HOSTILE, names]))))
    restorer = Restorer(made)
    text = data.draw(_answer(made))
    cuts = data.draw(st.lists(st.integers(0, 60), max_size=12))
    stream = restorer.stream()
    done = restorer.restore(text)
    assert _in_pieces(stream, text, cuts) == done.text
    assert stream.replaced == done.replaced
    assert tuple(stream.ambiguous) == done.ambiguous
    assert tuple(stream.originals) == done.originals
    assert len(done.originals) == done.replaced
    assert _in_pieces(restorer.stream(), text, list(range(len(text)))) == done.text


@given(any_map(), HOSTILE)
def test_a_stream_holds_back_no_more_than_it_says(made: PrivateMap, answer: str) -> None:
    restorer = Restorer(made)
    stream = restorer.stream()
    text = made.released[:9] + answer * 20
    begun = 256 if any(mark in text for mark in f"\\%&[({{<{BORDER}") else 0  # an escape, perhaps
    begun = 2100 if any(mark in text for mark in "\x1b\x90\x98\x9b\x9d\x9e\x9f") else begun  # a string of a terminal
    for character in text:
        stream.feed(character)
        assert len(stream._held) <= restorer.reach + begun


@pytest.mark.slow
def test_ten_thousand_surrogates_and_hostile_texts_take_linear_time() -> None:
    """A way that is quadratic in either would take hours."""
    names = [
        (f"Given{number:05} Family{number:05}", f"Real{number} Name{number}", "person") for number in range(10_000)
    ]
    released = " met ".join(surrogate for surrogate, _, _ in names)
    made = map_of(released, names)
    restorer = Restorer(made)
    assert restorer.restore(released).text == made.original()
    assert restorer.restore("x " + released).text == "x " + made.original()
    for hostile in ("Given00001 " * 100_000, " " * 500_000, "a" * 500_000, "'s" * 250_000, "\u0301" * 500_000):
        stream = restorer.stream()
        pieces = [stream.feed(hostile[at : at + 1000]) for at in range(0, len(hostile), 1000)]
        assert "".join([*pieces, stream.close()]) == restorer.restore(hostile).text


@pytest.mark.parametrize(
    ("surrogate", "original", "kind", "answer", "restored"),
    [
        ("2025-09-15", "2024-01-02", "date", "at 2025-09-15T08:16 it", "at 2024-01-02T08:16 it"),
        ("08:16", "11:20", "time", "at 2025-09-15T08:16 it", "at 2025-09-15T11:20 it"),
        ("9BC4E3", "DE16842", "id", "a,0145,9BC4E3", "a,0145,DE16842"),
        ("+1 870 555 0182", "+49 30 12", "phone", "x,+1 870 555 0182,5527417286,y", "x,+49 30 12,5527417286,y"),
        ("812", "4711", "id", "it costs 3,812 or 812,500", "it costs 3,812 or 812,500"),
        ("QRCp1J", "secret9", "secret", "db://user:QRCp1J@db:1/x", "db://user:secret9@db:1/x"),
        ("QRCp1J", "secret9", "secret", "mailto:QRCp1J@db.org", "mailto:QRCp1J@db.org"),
        ("Anna O'Kon", "Ada Oz", "person", "x = 'Anna O\u2019Kon'", "x = 'Ada Oz'"),
        ("VQm4bH", "Kg7%cctgz", "secret", "password: VQm4bH.", "password: Kg7%cctgz."),
        ("+1 870 5", "+49 30 1", "phone", '{"a": "{\\"b\\": \\"+1 870 5\\"}"}', '{"a": "{\\"b\\": \\"+49 30 1\\"}"}'),
    ],
)
def test_surrogates_beside_columns_and_in_timestamps_urls_and_code(
    surrogate: str, original: str, kind: str, answer: str, restored: str
) -> None:
    made = map_of(f"It was {surrogate} then at db://db.", [(surrogate, original, kind)])
    restorer = Restorer(made)
    assert restorer.restore(answer).text == restored
    assert _in_pieces(restorer.stream(), answer, list(range(len(answer)))) == restored


@pytest.mark.parametrize("surfaces", [("O\u2019Kon", "O'Kon"), ("O'Kon", "O\u2019Kon")])
def test_a_surrogate_in_two_apostrophes_is_one(surfaces: tuple[str, str]) -> None:
    """Kills: the second way to write it is another surrogate, for which nothing stands."""
    maps = [PrivateMap(released=one, replaced=(Replaced(0, len(one), "Oz", "person"),)) for one in surfaces]
    for text in ("Ask O'Kon.", "Ask O\u2019Kon."):
        assert tv.restore(text, maps) == "Ask Oz."


def test_strings_of_a_terminal_are_read_alike_whole_and_in_pieces() -> None:
    name = "00000000000\x9d"
    restorer = Restorer(PrivateMap(released=name, replaced=(Replaced(0, 12, "", "person"),)))
    text = f"{name}{name}\x9c{name}"
    stream = restorer.stream()
    assert "".join([*map(stream.feed, text), stream.close()]) == restorer.restore(text).text
