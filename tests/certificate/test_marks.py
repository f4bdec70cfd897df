"""Files of marks: kept mark by mark, read again whole, and refused in one line where they were changed."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.certificate.marked import DAY, begun, binding, mark_next

from textveil.certificate.marks import Mark, Marks, Span, corpus_hmac, need_same, new_key
from textveil.errors import InputError, OutputError, ParameterError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.jsonl"


def test_marks_come_back_as_they_were_kept(path: Path) -> None:
    marks = begun(path, 30, guesses=[number % 3 for number in range(30)])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    header = path.read_bytes()
    pages = [mark_next(marks, ["person"] if number == 1 else [], wrong=number) for number in range(3)]
    again = Marks(path)
    assert path.read_bytes().startswith(header)  # the draw was there before any page was read
    assert pages == list(marks.design.draw.pages[:3])
    assert (again.design, again.by_page, again.digest()) == (marks.design, marks.by_page, marks.digest())
    assert [mark.verdict for (mark,) in again.read_pages()] == ["fine", "missed", "wrong"]
    assert again.due("ann") == marks.design.draw.pages[3]


def test_nothing_of_a_text_is_in_the_file(path: Path) -> None:
    mark_next(begun(path, 3), ["person"])
    header, line = map(json.loads, path.read_text().splitlines())
    assert line["missed"] == [[0, 5, "person"]]
    assert set(line) == {
        "key", "page", "probability", "reviewer", "verdict", "missed", "wrong", "found", "guesses", "date"
    }  # fmt: skip
    assert header["randomness"] == "operating system"


def test_a_file_that_is_there_is_never_begun_again(path: Path) -> None:
    begun(path, 3)
    before = path.read_bytes()
    with pytest.raises(OutputError, match="must not exist yet"):
        begun(path, 3)
    assert path.read_bytes() == before


def test_a_line_that_a_crash_cut_is_written_anew(path: Path) -> None:
    marks = begun(path, 9)
    mark_next(marks)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key": ' + b" " * 1000)  # longer than a line
    again = Marks(path)
    assert len(again.by_page) == 1
    mark_next(again)
    assert len(Marks(path).by_page) == 2
    assert path.read_bytes().startswith(whole)


def test_two_reviewers_share_a_file_and_every_fifth_page(path: Path) -> None:
    ann = begun(path, 20)
    bob = Marks(path)
    for _ in range(6):
        mark_next(ann)
    order = ann.design.draw.pages
    bob.read_on()
    assert [mark_next(bob, reviewer="bob") for _ in range(3)] == [order[0], order[5], order[6]]
    ann.read_on()
    assert mark_next(ann) == order[7]
    assert [len(page) for page in ann.read_pages()] == [2, 1, 1, 1, 1, 2, 1, 1]


def test_a_page_behind_an_unread_one_does_not_count(path: Path) -> None:
    marks = begun(path, 9)
    order = marks.design.draw.pages
    mark_next(marks)
    marks.add(Mark(page=order[2], reviewer="ann", day=DAY))
    assert len(marks.read_pages()) == 1
    mark_next(marks)
    assert len(marks.read_pages()) == 3


def test_a_page_is_marked_once_and_corrected_by_name(path: Path) -> None:
    marks = begun(path, 9)
    page = mark_next(marks)
    with pytest.raises(ParameterError, match="one that you did not mark"):
        marks.add(Mark(page=page, reviewer="ann", day=DAY))
    with pytest.raises(ParameterError, match="one that you marked"):
        marks.add(Mark(page=page, reviewer="bob", day=DAY, corrects=True))
    with pytest.raises(ParameterError, match="page must be"):
        marks.add(Mark(page=10, reviewer="ann", day=DAY))
    marks.add(Mark(page=page, reviewer="ann", missed=(Span(0, 4, "person"),), day=DAY, corrects=True))
    ((mark,),) = Marks(path).read_pages()
    assert mark.verdict == "missed"


def changed(path: Path, number: int, **values: object) -> None:
    """Change keys of a line; None removes one."""
    lines = path.read_text().splitlines()
    data = json.loads(lines[number]) | values
    lines[number] = json.dumps({key: value for key, value in data.items() if value is not None})
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    ("number", "values", "problem"),
    [
        (0, {"key": None}, "must begin with the header"),
        (0, {"key": "x"}, "must begin with the header"),
        (0, {"marks": 2}, "must begin with the header"),
        (0, {"documents": "9"}, "must begin with the header"),
        (0, {"documents": 8}, "must begin with the header"),
        (0, {"draw": {"pages": [1], "weights": [1], "total_weight": 9, "least_weight": 0}}, "must begin with"),
        (0, {"found": {"person": {"2": 3}}}, "must begin with the header"),
        (0, {"key": "0" * 32}, "line 2: must have the key of the header"),
        (2, {"key": None}, "line 3: must be a mark with the key"),
        (2, {"key": "0" * 32}, "line 3: must have the key of the header"),
        (2, {"verdict": "missed"}, "line 3: must be as textveil review wrote it"),
        (2, {"probability": 0.5}, "line 3: must be as textveil review wrote it"),
        (2, {"missed": [[0, 9, "person"], [5, 12, "person"]], "verdict": "missed"}, "line 3: must be as"),
        (2, {"missed": [[4, 2, "person"]], "verdict": "missed"}, "line 3: must be as"),
        (2, {"reviewer": "a text of many words"}, "line 3: must be as"),
        (2, {"date": "yesterday"}, "line 3: must be as"),
        (2, {"page": 77}, "line 3: must be as"),
        (2, {"corrects": True}, "line 3: must have an earlier line to correct"),
    ],
)
def test_a_changed_file_is_refused_in_one_line(path: Path, number: int, values: dict, problem: str) -> None:
    marks = begun(path, 9)
    mark_next(marks)
    mark_next(marks)
    changed(path, number, **values)
    with pytest.raises(InputError, match=problem) as error:
        Marks(path)
    assert "\n" not in str(error.value)


def test_a_line_twice_and_a_file_without_a_header_are_refused(path: Path, tmp_path: Path) -> None:
    marks = begun(path, 9)
    mark_next(marks)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[-1]]))
    with pytest.raises(InputError, match="line 3: must have one line for a page and a reviewer"):
        Marks(path)
    path.write_text(lines[-1])
    with pytest.raises(InputError, match="must begin with the header"):
        Marks(path)
    path.write_text("")
    with pytest.raises(InputError, match="must begin with the header"):
        Marks(path)
    with pytest.raises(InputError, match="must be readable"):
        Marks(tmp_path / "none.jsonl")


@pytest.mark.parametrize("name", ["textveil", "policy_digest", "documents", "release_sha256", "original_hmac"])
def test_marks_of_anything_else_are_refused(name: str) -> None:
    marks = binding(9)
    need_same(marks, replace(marks, policy="renamed"))
    with pytest.raises(ParameterError, match="marks must be of this"):
        need_same(marks, replace(marks, **{name: 8 if name == "documents" else "d"}))


def test_the_digest_of_originals_is_keyed_and_cuts_texts_apart() -> None:
    key, other = new_key(), new_key()
    assert corpus_hmac(key, ["ab", "c"]) == corpus_hmac(key, ["ab", "c"])
    assert len({corpus_hmac(key, texts) for texts in (["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"])}) == 4
    assert corpus_hmac(key, ["ab"]) != corpus_hmac(other, ["ab"])
    assert corpus_hmac(key, ["\ud800"])
