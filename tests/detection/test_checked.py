"""What a detector may return, and how several become one."""

import traceback
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from textveil.detection.kinds import KINDS, checked_kind
from textveil.detection.spans import CombinedDetector, DetectedSpan, checked_spans, disjoint
from textveil.errors import InputError, ParameterError


class Fixed:
    """Returns what it is given."""

    def __init__(self, answer: Any, name: str = "fixed", kinds: tuple[str, ...] = ("person", "id")) -> None:
        self._answer, self.name, self.kinds = answer, name, kinds

    def detect(self, texts: Sequence[str]) -> Any:
        return self._answer


def span(start: Any, end: Any, kind: Any = "person", score: Any = 1.0, detector: Any = "fixed") -> DetectedSpan:
    return DetectedSpan(start, end, kind, score, detector)


SECRET = "Zerubbabel has 2 cats."


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([], "for each of 1 documents"),
        (None, "for each of 1 documents"),
        ([None], "must be a sequence"),
        ([[(0, 2, "person", 1.0, "x")]], "must be a DetectedSpan; got tuple"),
        ([[span(0, 23)]], "must lie in the text"),
        ([[span(-1, 2)]], "must lie in the text"),
        ([[span(3, 3)]], "must lie in the text"),
        ([[span(3, 2)]], "must lie in the text"),
        ([[span(0.0, 2)]], "must be integers"),
        ([[span(False, 2)]], "must be integers"),
        ([[span(0, 2, "disease")]], "one that the detector names"),
        ([[span(0, 2, ["person"])]], "one that the detector names"),
        ([[span(0, 2, score=float("nan"))]], "score must be a number"),
        ([[span(0, 2, score=1.5)]], "score must be from 0 to 1"),
        ([[span(0, 2, score="high")]], "score must be a number"),
        ([[span(0, 2, detector=None)]], "must be strings"),
        (
            [[DetectedSpan(0, 2, "id", 1.0, "x", 3)]],  # type: ignore[arg-type]
            "must be strings",
        ),
        ([[type("Other", (DetectedSpan,), {"end": 9})(0, 2, "person", 1.0, "x")]], "must be a DetectedSpan; got Other"),
        (
            [[span(0, 2, type("Any", (str,), {"__eq__": lambda *_: True, "__hash__": lambda _: hash("id")})(SECRET))]],
            "one that the detector names",
        ),
        ([[span(0, 10), span(11, 14), span(9, 12)]], "spans 1 and 3"),
        ([[span(0, 10), span(0, 10)]], "must not overlap"),
        ([[span(0, 10), span(2, 4)]], "must not overlap"),
    ],
)
def test_an_unsound_answer_is_refused_by_number(answer: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        checked_spans(Fixed(answer), [SECRET], first=7)
    message = str(caught.value)
    assert "\n" not in message
    assert not any(word in message for word in ("Zerubbabel", "cats"))
    assert "document 7" in message or "documents" in message


@pytest.mark.parametrize("kind", [ValueError, InputError, SystemExit])
def test_an_error_of_a_detector_is_told_by_its_type_alone(kind: type[BaseException]) -> None:
    class Failing(Fixed):
        def detect(self, texts: Sequence[str]) -> Any:
            raise kind(f"cannot read {texts[0]}")

    with pytest.raises(InputError, match=f"detector fixed must return spans; got {kind.__name__}") as caught:
        checked_spans(Failing(None), [SECRET])
    assert "Zerubbabel" not in "".join(traceback.format_exception(caught.value)).replace(f'"{SECRET}"', "")


def test_an_answer_is_read_once() -> None:
    """What is checked is what is used, whatever the answer says when it is read again."""

    class Moving(list[DetectedSpan]):
        def __iter__(self) -> Iterator[DetectedSpan]:
            answer, self[:] = [*super().__iter__()], [span(-3, 99)]
            return iter(answer)

    assert checked_spans(Fixed([Moving([span(0, 10)])]), [SECRET]) == [[span(0, 10)]]


def test_a_detector_cannot_change_the_texts() -> None:
    class Blanks(Fixed):
        def detect(self, texts: Any) -> Any:
            texts[:] = ["" for _ in texts]
            return [[] for _ in texts]

    texts = [SECRET]
    assert checked_spans(Blanks(None), texts) == [[]] and texts == [SECRET]


def test_a_sound_answer_is_ordered_by_start() -> None:
    spans = [span(11, 14, "id"), span(0, 10)]
    assert checked_spans(Fixed([spans]), [SECRET]) == [[spans[1], spans[0]]]


def test_of_spans_that_share_characters_the_longer_one_is_kept() -> None:
    """Against the rule by its words: take the best that meets nothing taken, again and again."""
    every = [span(a, b, detector=d) for a, b, d in product(range(5), range(1, 6), "xy") if a < b]
    for first, second, third in product(every, every[::3], every[::4]):
        given = [first, second, third]
        order = sorted(given, key=lambda one: (one.start - one.end, one.detector != "y", one))
        wanted: list[DetectedSpan] = []
        for one in order:
            if all(one.end <= other.start or other.end <= one.start for other in wanted):
                wanted.append(one)
        assert disjoint(given, ["y", "x"]) == sorted(wanted)


def test_detectors_are_combined_by_rank() -> None:
    first = Fixed([[span(0, 4, detector="a")]], "a")
    second = Fixed([[span(0, 4, "id", detector="b"), span(5, 8, "id", detector="b")]], "b", ("id",))
    both = CombinedDetector([first, second])
    assert (both.name, both.kinds) == ("a+b", ("person", "id"))
    assert [(one.start, one.detector) for one in both.detect([SECRET])[0]] == [(0, "a"), (5, "b")]


def test_nothing_that_a_detector_found_is_left_out() -> None:
    """Of a name and a street that cross, the part of the name beside the street stays a name."""
    name = Fixed([[span(0, 10, detector="a")]], "a")
    street = Fixed([[span(6, 17, "id", detector="b")]], "b", ("id",))
    assert CombinedDetector([name, street]).detect([SECRET]) == [
        [span(0, 6, detector="a"), span(6, 17, "id", detector="b")]
    ]


@pytest.mark.parametrize("kind", ["", "Person", "a b", "-a", "a--b", "a" * 41, 3, None, "émail"])
def test_a_kind_has_a_plain_name(kind: Any) -> None:
    with pytest.raises(ParameterError, match="kind must be"):
        checked_kind(kind)


def test_own_kinds_and_those_of_users_pass() -> None:
    assert [checked_kind(kind) for kind in (*KINDS, "case-number")] == [*KINDS, "case-number"]
