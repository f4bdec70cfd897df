"""Names that are all of a string, a cell, a line or an item go though a part of them is a word; others stay."""

import random

import pytest

import textveil as tv
from textveil.detection import lone_names
from textveil.text.patterns import matches, matches_at

ROUND = (
    "{}",
    '{{"as": "{}"}}',
    '["{}", "guest"]',
    "- {}\n- guest\n",
    "| {} | 3 |\n",
    "<li>{}</li>",
    "Default: {}",
    "Runs as `{}`.",
    "('{}', 4)",
    "{}'s calendar",
)
NAMES = ("Ebony Kaczmarek", "April Nakamura", "Will Stavros", "Ginger O'Brien", "Christian van Holmgren", "Siobhan May")


def drawn(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.kind == "person"]


@pytest.mark.parametrize("around", ROUND)
@pytest.mark.parametrize("name", NAMES)
def test_name_with_a_word_in_it_goes_whole_where_it_stands_alone(around: str, name: str) -> None:
    assert drawn(around.format(name)) == [name]


@pytest.mark.parametrize(
    "name",
    [
        "Lamb, Gareth",
        "Sharma, Takumi",
        "Kaczmarek, Takumi",
        "Delacroix, Vikram",
        "Blackwood, Takumi",
        "Silva, Ebony",
        "Ferreira, June",
        "Parks, Jennifer",
    ],
)
def test_family_before_a_given_name_goes_in_parentheses_and_alone(name: str) -> None:
    for around in ("A name ({}).", "{}", '"{}"', "| {} |"):
        assert drawn(around.format(name)) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "May Unlisted come in?",
        "Will Unlisted come in?",
        "In April Zyxel sold more.",
        '["Skip Autosave", "Will Retry", "May Overwrite"]',
        "- Skip Checksum\n- Star Wars\n",
        "(Monday, April)",
        "(Sorry, Maria)",
        "(Parks, Austin)",
        "(Grafana, Kibana)",
        "(London, Overwrite)",
        "(Redis, Postgres)",
        "Mark Unread",
    ],
)
def test_words_that_are_no_name_stay(text: str) -> None:
    assert all(name in ("Maria", "Zyxel") for name in drawn(text))


def test_given_name_that_is_a_word_goes_among_strings_that_are_names() -> None:
    for text in (
        '["Mateusz", "Ebony", "Maria"]',
        "['Pedro', 'Maria', 'Star']",
        "who:\n  - Maria\n  - Rose\n  - Pedro\n",
    ):
        assert len(drawn(text)) == 3
    assert "Ebony" not in drawn('["Oak", "Ebony", "Maria", "Beech"]')


def test_names_in_attributes_of_markup_go() -> None:
    assert drawn('<user name="Ebony Kaczmarek"/><owner name="Zoltan"/>') == ["Ebony Kaczmarek", "Zoltan"]
    assert drawn('<input name="First Name"><target name="Build All"><bean name="Sofia"/>') == []


def test_first_and_last_names_behind_their_keys_go_whatever_word_they_are() -> None:
    for text in (
        "first_name: Ize\nlast_name: French\n",
        "LAST_NAME=Ward\nFIRST_NAME=Mads\n",
        "<surname>Grace</surname> <first-name>Star</first-name>",
    ):
        assert len(drawn(text)) == 2
    assert drawn("first_name: String\nlast_name: Required\n") == []


def test_given_name_of_somebody_begins_a_sentence_though_it_is_a_word() -> None:
    assert "Ebony" in drawn('{"to": "Ebony Mendoza", "note": "Ebony called at noon."}')
    assert drawn("Ebony Mendoza likes ebony. Ebony is dark.").count("Ebony") == 0


def test_capitalized_words_between_backticks_are_read_as_text() -> None:
    assert drawn("Use `Haruto Ndiaye` as the sender.") == ["Haruto Ndiaye"]
    assert drawn("Call `HarutoNdiaye` or `Save As`.") == []


PIECES = r"""Ada~Ebony Kaczmarek~Oz, Ebony~van der Berg, Jan~- ~* ~1. ~12) ~\n~\nt- ~\t- ~, ~,~: ~"~'~`~>~;~|~(~{~
~ ~x~McX~O'Hara~de~La~Oz~34~.~)~Lamb, Gareth J.~"""


def test_places_that_are_passed_over_begin_no_lone_name() -> None:
    draws, pieces = random.Random(4), [*PIECES.replace("\n", "").split("~"), "\n", "\t"]
    found = 0
    for _ in range(5_000):
        text = "".join(draws.choices(pieces, k=draws.randint(2, 14)))
        ends = [match.end() for match in matches(lone_names._OPENING, text)]
        every = sorted({0, *ends, *(end + 1 for end in ends)})
        for pattern in (lone_names._LONE, lone_names._TURNED):
            spans = [match.span() for match in matches_at(pattern, text, every)]
            assert [match.span() for match in matches_at(pattern, text, lone_names._openings(text))] == spans, text
            found += len(spans)
    assert found > 200


def test_a_family_alone_goes_with_its_particle() -> None:
    assert drawn("van Mil") == ["van Mil"]
    assert drawn("| von der Tann |") == ["von der Tann"]
    assert drawn("van Apple") == []
