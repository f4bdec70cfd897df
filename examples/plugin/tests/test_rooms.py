"""The detector and the surrogate of rooms, by themselves and in a policy."""

import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from textveil_plugin.rooms import RoomDetector, room

import textveil as tv
from textveil.detection.spans import Detector, checked_spans
from textveil.errors import ParameterError
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention

TEXT = "Moved from room 12B to ward 7; later back to Room 12B. Roomy 5, bedroom 9 and room x stay.\n"
ALPHA = 1e-6
POLICY = Path(__file__).parents[1] / "ward.toml"


def test_it_finds_rooms_and_its_answers_pass_the_check() -> None:
    detector = RoomDetector()
    assert isinstance(detector, Detector)
    (spans,) = checked_spans(detector, [TEXT])
    assert [TEXT[span.start : span.end] for span in spans] == ["12B", "7", "12B"]


def test_equal_rooms_get_equal_rooms_and_a_list_is_used_up_before_it_begins_anew() -> None:
    made, scope, rng = room(floors=1), MemoryScope(), tv.seeded_generator(1)
    drawn = made.draw([Mention(str(number)) for number in range(100)], scope, rng)
    assert sorted(map(int, drawn)) == list(range(100, 200))
    assert made.draw([Mention("7"), Mention("7")], scope, rng) == [drawn[7]] * 2


def test_every_room_is_as_probable_as_any_other_whatever_the_value() -> None:
    rng, made = tv.seeded_generator(2), room(floors=1)
    for value in ("1", "999Z"):
        counts = Counter(made.draw([Mention(value)], MemoryScope(), rng)[0] for _ in range(20_000))
        expected = np.full(100, 200.0)
        assert stats.chisquare([counts[str(100 + place)] for place in range(100)], expected).pvalue > ALPHA
    keyed = [made.draw([Mention(str(number))], KeyedScope(bytes(32)), rng)[0] for number in range(20_000)]
    assert stats.chisquare(list(Counter(keyed).values())).pvalue > ALPHA


def test_options_are_checked() -> None:
    with pytest.raises(ParameterError, match="floors"):
        make_surrogate("room", options={"floors": 0})
    assert room().guarantee.approximate().epsilon == 0.0


needs_installation = pytest.mark.skipif(
    "rooms" not in {point.name for point in entry_points(group="textveil.detectors")},
    reason="the package is not installed: pip install ./examples/plugin",
)
test_options_are_checked = needs_installation(test_options_are_checked)


@needs_installation
def test_a_policy_names_both() -> None:
    command = [sys.executable, "-m", "textveil", "sanitize", "--policy", str(POLICY)]
    done = subprocess.run(command, input=TEXT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first, ward, again = re.findall(r"(?:room|ward|Room) (\d{3,4})\b", done.stdout)
    assert first == again != ward
    assert done.stdout.endswith("Roomy 5, bedroom 9 and room x stay.\n")
    assert [span.kind for span in tv.detect("in room 5", "rooms")] == ["room"]
