"""The benchmark of everyday text: its pages are marked as the brief says, and it tells misses from hits."""

import json
from types import ModuleType

import pytest
from tests.helpers.attacks import BENCHMARKS, loaded

POLICIES = {"clinical", "prompts", "identifiers"}


@pytest.fixture
def everyday(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("everyday", monkeypatch)


@pytest.mark.parametrize(("folder", "count"), [("pages", 174), ("fresh", 470), ("held", 131)])
def test_every_page_has_strings_to_stay_and_to_go(everyday, folder, count):
    pages = [page for path in (BENCHMARKS / "everyday" / folder).glob("*.txt") for page in everyday.read_pages(path)]
    assert len(pages) == len({page.name for page in pages}) == count
    for page in pages:
        assert page.policy in POLICIES, page.name
        assert page.strings("+"), page.name
        assert page.strings("-"), page.name
        for sign in "+-":
            assert all(value == value.strip() and value in page.text for value in page.strings(sign)), page.name
        assert "[+" not in page.text, page.name


def test_two_hundred_prompts_of_twenty_kinds(everyday):
    prompts = everyday.read_pages(BENCHMARKS / "everyday/technical.txt")
    assert len({prompt.name for prompt in prompts}) == len(prompts) == 200
    assert len({prompt.name.rpartition("-")[0] for prompt in prompts}) == 20
    assert sum(bool(prompt.strings("-")) for prompt in prompts) == 50


def test_benchmark_runs_on_three_pages_of_each_kind_and_prints_no_text(everyday, capsys):
    everyday.pages(False, most=3)
    everyday.technical(False, most=3)
    output = capsys.readouterr().out
    assert "| all | 27 |" in output
    assert "technical prompts 3" in output
    assert not any(value in output for value in ("Adebayo", "Marisol", "ndlovu"))


@pytest.mark.parametrize(
    ("released", "drawn", "places"),
    [
        ("Dr. Li on 1 May.", [(4, 6), (10, 15)], [(4, 14), (18, 26)]),
        ("Mr. Li on 1 May.", [(4, 6), (10, 15)], None),
        ("Dr. Li at 1 May.", [(4, 6), (10, 15)], None),
        ("Dr. Maria Cruz on 2 March.", [], None),
        ("Dr. Maria Cruz on 12 March.", [], []),
    ],
)
def test_drawn_places_are_found_again(everyday, released, drawn, places):
    assert everyday.drawn_places("Dr. Maria Cruz on 12 March.", released, drawn) == places


def test_drawn_places_with_repeated_separators(everyday):
    text = "Cruz, Maria,Ohio,Li"
    released = "X,Y,Z"
    places = everyday.drawn_places(text, released, [(0, 1), (2, 3), (4, 5)])
    held = everyday.covered(len(text), places)
    assert all(everyday.whole(text, held, start, end) for start, end in [(0, 4), (6, 11), (12, 16), (17, 19)])


def test_missed_part_of_a_name_is_a_miss(everyday, monkeypatch):
    page = everyday.Page("page", "prompts", "Mr Franz Cede", (everyday.Mark(3, 13, "-"), everyday.Mark(0, 2, "+")))
    for places, right in (([(3, 8)], 0), ([(3, 13)], 1)):
        monkeypatch.setattr(everyday, "sanitized_places", lambda _, places=places: ("Mr Karl Cede", places))
        counts, misses = everyday.judged(page)
        assert counts["right -"] == right
        assert counts["absent -"] == counts["right +"] == 1
        assert len(misses) == 1 - right


def test_labels_of_notes_hold_positions_alone():
    kinds = set()
    names = set()
    for line in (BENCHMARKS / "everyday/notes.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == {"note", "sha256", "spans"}
        names.add(record["note"])
        for start, end, kind, _ in record["spans"]:
            assert 0 <= start < end
            kinds.add(kind)
    assert len(names) == 220
    assert kinds == {"person", "place", "organization"}


def test_labels_stand_in_the_notes(everyday):
    if not everyday.TEXT.is_dir():
        pytest.skip("the shared data are not here")
    for _, text, labels in everyday.labelled_notes():
        for start, end, _, _ in labels:
            assert text[start].isupper()
            assert text[start:end].strip() == text[start:end]
