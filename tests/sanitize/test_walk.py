"""How much code one call goes through: calls of Python functions and files, which no machine's speed changes."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import textveil as tv

NOTE = "Seen on 3 May 2021."
HOME = str(Path(tv.__file__).parent)


def walk(action: Callable[[], object]) -> Counter[str]:
    """Calls of textveil's functions by file, below its folder."""
    calls: Counter[str] = Counter()

    def note(frame, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            calls[frame.f_code.co_filename[len(HOME) + 1 :]] += 1

    profiler = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(profiler)
    return calls


def warm(policy: str) -> tv.Sanitizer:
    """A sanitizer after all that is made once in a process: imports, public tables."""
    sanitizer = tv.Sanitizer(policy, rng=tv.seeded_generator(5))
    assert sanitizer(NOTE).text != NOTE
    return sanitizer


@pytest.mark.parametrize(("policy", "files", "calls"), [("clinical", 52, 1_250), ("all-words", 23, 150)])
def test_a_short_note_goes_through_few_files_and_calls(policy: str, files: int, calls: int) -> None:
    sanitizer = warm(policy)
    walked = walk(lambda: sanitizer(NOTE))
    assert len(walked) <= files and walked.total() <= calls, walked
    own = [file for file in walked if not file.startswith("detection/")]
    assert len(own) <= 25, own  # the searches for spans are detection's own tables


def test_a_sanitizer_is_made_in_few_calls() -> None:
    kept = warm("clinical")
    changed = tv.policy("clinical", scope="conversation")
    for policy in ("clinical", changed, "clinical"):
        walked = walk(lambda policy=policy: tv.Sanitizer(policy))
        assert walked.total() < 1_050, walked
    assert kept.setting.policy is not None
