"""All times of a scope moved by one stretch: order and gaps stay, and the law follows from the gaps alone."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

ALPHA = 1e-6
SHIFT = make_surrogate("time", options={"times": "shift"})


def _moved(values: list[str], seed: int, scope: MemoryScope | None = None) -> list[str]:
    mentions = [Mention(value) for value in values]
    return SHIFT.draw(mentions, scope or MemoryScope(), np.random.default_rng(seed))


def _minutes(value: str) -> int:
    return int(value[:2]) * 60 + int(value[3:5])


@pytest.mark.parametrize("seed", range(20))
def test_order_gaps_seconds_and_zones_stay(seed: int) -> None:
    values = ["09:12:59.250Z", "09:13:04.750Z", "10:45:10+02:00", "11:00:00-05:30"]
    first, second, third, fourth = _moved(values, seed)
    assert re.fullmatch(r"[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z", first)
    assert third.endswith("+02:00") and fourth.endswith("-05:30") and first < second < third < fourth

    def seconds(value: str) -> float:
        return _minutes(value) * 60 + float(re.split("[Z+-]", value[6:])[0])

    assert seconds(second) - seconds(first) == pytest.approx(5.5)
    assert seconds(fourth) - seconds(third) in (889, 890, 891)


@pytest.mark.parametrize("seed", range(20))
def test_both_clocks_move_together_and_times_on_five_minutes_stay_on_them(seed: int) -> None:
    early, late, again = _moved(["2:05 pm", "14:40", "14:05"], seed)
    assert (_minutes(late) - _minutes(again)) == 35 and _minutes(again) % 5 == 0
    assert _minutes(again) >= 6 * 60 and _minutes(late) <= 22 * 60
    hour, minute = map(int, re.fullmatch(r"(\d+):(\d\d) [ap]m", early).groups())  # type: ignore[union-attr]
    assert (hour % 12 + 12 * ("pm" in early)) * 60 + minute == _minutes(again)


def test_texts_whose_times_all_differ_by_one_stretch_have_one_release() -> None:
    """At one seed; a mutant that looks at the first time dies, for its releases differ."""
    for first, second in (
        (["08:00", "09:30"], ["14:10", "15:40"]),
        (["01:01", "13:30", "02:02"], ["01:59", "14:28", "03:00"]),  # more than twelve hours: round the clock
        (["00:00:01.5", "00:00:02"], ["22:10:07.5", "22:10:08"]),
    ):
        for seed in range(20):
            one, other = _moved(first, seed), _moved(second, seed)
            if _minutes(first[1]) - _minutes(first[0]) <= 12 * 60:
                assert one == other
            else:
                gaps = [(_minutes(value) - _minutes(values[0])) % 1440 for values in (one, other) for value in values]
                assert gaps[:3] == gaps[3:]
    assert _moved(["08:00", "09:30"], 1) != _moved(["08:00", "09:35"], 1)


def test_the_law_of_a_shift_is_uniform(rng: np.random.Generator) -> None:
    """Of times that go round the clock too: both laws are tested at alpha 1e-6, and a fixed first time dies."""
    for values, hours in ((["09:00", "16:55"], 8), (["00:05", "23:55"], 24), (["03:00", "14:00"], 13)):
        found = Counter(_minutes(_moved(values, int(rng.integers(1 << 30)))[0]) // 60 for _ in range(2_400))
        assert len(found) == hours or hours == 8
        whole = [count for hour, count in sorted(found.items())][: 8 if hours == 8 else hours]
        assert chisquare(whole).pvalue > ALPHA
    assert chisquare([2_400, *[0] * 23]).pvalue < ALPHA


def test_later_texts_of_a_conversation_move_by_the_same(rng: np.random.Generator) -> None:
    scope = MemoryScope()
    (first,), (later,) = _moved(["10:00"], 3, scope), _moved(["10:45"], 4, scope)
    assert (_minutes(later) - _minutes(first)) % 1440 == 45


def test_what_is_no_time_is_drawn_and_a_shift_takes_no_epsilon() -> None:
    drawn, again = _moved(["99:99", "99:99"], 1)
    assert drawn == again and re.fullmatch(r"[0-2]\d:[0-5]\d", drawn)
    assert SHIFT.counts == "scope" and SHIFT.guarantee.approximate().epsilon == 0
    with pytest.raises(ParameterError, match="epsilon must be 0, without width, where times is shift"):
        make_surrogate("time", 1.0, {"times": "shift"})


def test_an_offset_alone_stays_where_times_move_and_is_a_real_one_where_each_is_drawn() -> None:
    each = make_surrogate("time")
    for seed in range(20):
        assert _moved(["09:12", "-05:00", "+3"], seed)[1:] == ["-05:00", "+3"]
        rng = np.random.default_rng(seed)
        drawn = each.draw([Mention(value) for value in ("-05:00", "+03:30", "+3")], MemoryScope(), rng)
        assert all(re.fullmatch(r"[+-](?:0\d|1[0-4]):[0-5]\d", value) for value in drawn[:2])
        assert re.fullmatch(r"[+-](?:\d|1[0-4])", drawn[2])


def test_the_law_of_an_offset_alone_does_not_depend_on_it() -> None:
    laws = []
    for value in ("+3", "-11"):
        rng = np.random.default_rng(5)
        laws.append(Counter(make_surrogate("time").draw([Mention(value)], MemoryScope(), rng)[0] for _ in range(2_700)))
    assert laws[0] == laws[1] and len(laws[0]) == 27
    assert chisquare(list(laws[0].values())).pvalue > ALPHA


def test_hours_alone_stay_hours_alone() -> None:
    for seed in range(10):
        whole, exact = _moved(["19", "19:30"], seed)
        assert int(whole) == int(exact[:2]) - (int(exact[3:]) < 30) and re.fullmatch(r"\d|1\d|2[0-3]", whole)


def test_times_that_are_drawn_by_themselves_rise_as_the_text_goes_on() -> None:
    """Whatever they are: a text whose times fall is drawn bit by bit as one whose times rise."""
    each = make_surrogate("time")
    for seed in range(12):
        texts = (["07:52", "08:10", "07:52", "9:15 pm"], ["23:10", "00:05", "23:10", "1:15 pm"])
        drawn = [
            each.draw([Mention(value) for value in text], MemoryScope(), np.random.default_rng(seed)) for text in texts
        ]
        assert drawn[0] == drawn[1] and drawn[0][2] == drawn[0][0] <= drawn[0][1]


def test_the_law_of_two_times_is_that_of_two_sorted_minutes() -> None:
    """The mutant that dies sorts nothing."""
    each, rng = make_surrogate("time"), np.random.default_rng(2)
    drawn = [each.draw([Mention("07:52"), Mention("03:10")], MemoryScope(), rng) for _ in range(3_000)]
    halves = Counter(tuple(_minutes(value) >= 720 for value in pair) for pair in drawn)
    expected = {(False, False): 750, (False, True): 1_500, (True, True): 750}
    assert chisquare([halves[pair] for pair in expected], list(expected.values())).pvalue > ALPHA
    mutant = Counter(tuple(_minutes(value) >= 720 for value in rng.permutation(pair)) for pair in drawn)
    assert mutant[True, False] > 0 == halves[True, False]
