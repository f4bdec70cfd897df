"""Server-sent events, cut anywhere."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.server.errors import ApiError
from textveil.server.gateway.answers import EVENT_CHARACTERS, Event, EventReader

STREAM = (
    ": a comment\n\ndata: one\n\nevent: e\r\ndata:two\r\ndata:  lines\r\nid: 7\r\nretry: 3\r\n\r\n"
    "data: ü😀\rdata\r\rdata: last\n\nevent: without data\n\n"
)
EVENTS = [Event("one"), Event("two\n lines", "e"), Event("ü😀\n"), Event("last")]


@given(st.lists(st.integers(0, 200), max_size=12))
def test_events_are_read_however_they_are_cut(cuts: list[int]) -> None:
    data = STREAM.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    reader = EventReader()
    found = [one for start, end in pairwise(places) for one in reader.feed(data[start:end])]
    reader.close()
    assert [one for one in found if one.data != "\n" or one.name] == EVENTS


def test_what_is_written_is_read_again() -> None:
    reader = EventReader()
    assert [one for event in EVENTS for one in reader.feed(event.as_bytes())] == EVENTS


@pytest.mark.parametrize("data", [b"data: x", b"data: x\n", b"da"])
def test_half_an_event_is_told(data: bytes) -> None:
    reader = EventReader()
    assert reader.feed(data) == []
    with pytest.raises(ApiError, match="within an event"):
        reader.close()


@pytest.mark.slow
def test_no_utf_8_and_events_without_end_are_told() -> None:
    with pytest.raises(ApiError, match="no UTF-8"):
        EventReader().feed(b"data: \xff\n\n")
    for piece in (b"x" * (EVENT_CHARACTERS + 1), b"data: x\n" * (EVENT_CHARACTERS // 2 + 1)):
        with pytest.raises(ApiError, match="too long"):
            EventReader().feed(piece)
