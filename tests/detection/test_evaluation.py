"""What is counted as found, and what a labelled file must look like."""

import json
from collections.abc import Sequence

import pytest

from textveil.detection.evaluation import LabelledSpan, LabelledText, evaluate, read_labelled
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError
from textveil.statistics import clopper_pearson

SECRET = "Zerubbabel"


class Fixed:
    name = "fixed"
    kinds = ("person", "place", "date", "money")

    def __init__(self, *answers: Sequence[tuple[int, int, str]]) -> None:
        self._answers = answers

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [[DetectedSpan(*one, 1.0, "fixed") for one in answer] for answer in self._answers]


def text_of(*spans: tuple[int, int, tuple[str, ...]]) -> LabelledText:
    return LabelledText("x" * 100, tuple(LabelledSpan(*span) for span in spans))


def test_counts_are_those_of_a_worked_example() -> None:
    texts = [
        text_of((0, 10, ("person",)), (20, 30, ("person",)), (40, 50, ("place",)), (60, 64, ())),
        text_of((0, 10, ("date", "time"))),
    ]
    detector = Fixed(
        [(0, 10, "person"), (25, 35, "person"), (42, 44, "person"), (60, 64, "place"), (80, 81, "money")],
        [],
    )
    found = evaluate(detector, texts, confidence=0.9)
    person, place, date = (found.kinds[kind] for kind in ("person", "place", "date"))
    assert (person.labelled, person.hit, person.exact, person.covered) == (2, 2, 1, 1)
    assert (person.found, person.right) == (3, 2)
    assert (person.characters, person.open) == (20, 5)
    assert (place.labelled, place.hit, place.found) == (1, 0, 0)  # over a label without a kind: neither right nor wrong
    assert (place.characters, place.open) == (10, 8)
    assert (date.labelled, date.hit) == (1, 0)
    assert (found.all.labelled, found.all.hit, found.all.found, found.all.right) == (4, 3, 3, 3)
    assert person.recall == clopper_pearson(2, 2, 0.9)
    assert person.precision == clopper_pearson(2, 3, 0.9)
    assert person.f2 is not None
    assert person.f2.estimate == pytest.approx(5 * (2 / 3) / (4 * 2 / 3 + 1))
    assert person.f2.lower < person.f2.estimate < person.f2.upper
    assert found.kinds["money"].precision is None
    assert [(one.document, one.start, one.kind) for one in found.missed] == [
        (1, 20, "person"),
        (1, 40, "place"),
        (2, 0, "date"),
    ]


def test_what_may_be_shown_holds_no_text() -> None:
    texts = [LabelledText(f"{SECRET} came", (LabelledSpan(0, 10, ("person",)),))]
    found = evaluate(Fixed([]), texts)
    assert found.missed[0].value == SECRET
    assert SECRET not in json.dumps(found.to_data()) + repr(found)


FILES = {
    "a.json": json.dumps(
        [{"full_text": "Maria came", "spans": [{"entity_type": "PERSON", "start_position": 0, "end_position": 5}]}]
    ),
    "a.jsonl": '{"text": "Maria came", "spans": [{"start": 0, "end": 5, "kind": "person"}]}\n\n',
    "a.conll": "Maria\tB-person\ncame\tO\n\n",
}


@pytest.mark.parametrize("name", FILES)
def test_each_form_is_read_alike(tmp_path, name) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    assert read_labelled(tmp_path / name) == [LabelledText("Maria came", (LabelledSpan(0, 5, ("person",)),))]


def test_tags_of_one_span_are_joined(tmp_path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("New\tB-location\nYork\tI-location\nand\tO\nRome\tB-location\nParis\tB-location\n")
    (one,) = read_labelled(path)
    assert [one.text[span.start : span.end] for span in one.spans] == ["New York", "Rome", "Paris"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", "{", "must be JSON"),
        ("a.json", "{}", "must be a JSON list"),
        ("a.json", f'[{{"full_text": "{SECRET}", "spans": [{{"start": 0}}]}}]', "record 1"),
        ("a.json", f'[{{"full_text": "{SECRET}", "spans": 3}}]', "record 1"),
        ("a.json", f'["{SECRET}"]', "record 1"),
        ("a.jsonl", f'{{"text": "{SECRET}"}}\n{{"text": 3}}', "record 2"),
        ("a.jsonl", f'{{"text": "{SECRET}", "spans": [{{"start": 0, "end": 99, "kind": "person"}}]}}', "record 1"),
        ("a.jsonl", f'{{"text": "{SECRET}", "spans": [{{"start": 0, "end": 9, "kind": "pet"}}]}}', "pet"),
        ("a.conll", f"{SECRET} O\n", "a labelled span at least"),
    ],
)
def test_a_file_of_another_form_is_refused_without_its_text(tmp_path, name, content, says) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=says) as caught:
        read_labelled(tmp_path / name)
    assert SECRET not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path) -> None:
    with pytest.raises(InputError, match="readable UTF-8"):
        read_labelled(tmp_path / "none.json")
