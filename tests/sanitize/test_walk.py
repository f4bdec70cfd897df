"""How much code one call goes through: calls of Python functions and files, which no machine's speed changes."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import textveil as tv
from textveil.privacy.accountant import Accountant
from textveil.sanitize.costs import text_left
from textveil.sanitize.sanitizer import Sanitizer

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
        assert walked.total() < 1_000, walked
    assert kept.setting.policy is not None


FIRST = """
import sys
sys.path[:0] = sys.argv[1:]
from tests.sanitize.test_walk import tv, walk
print(walk(lambda: tv.Sanitizer("clinical")).total())
"""


def test_the_first_sanitizer_of_a_process_is_made_in_a_call_for_each_search_and_not_for_each_word_of_a_list() -> None:
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run([sys.executable, "-c", FIRST, root], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 6_300  # two thirds of them while modules are loaded


def pays(epsilon: float):
    def affords(cost: Accountant) -> int | None:
        one = cost.spent.approximate().epsilon
        return None if one == 0 else int(epsilon / one)

    return affords


@pytest.mark.parametrize(
    ("policy", "epsilon", "said"),
    [
        ("all-words", 18_799.0, "about 2,300 words left"),
        ("all-words", 799.0, "99 words left"),
        ("all-words", 8.0, "1 word left"),
        ("all-words", 7.9, "0 words left"),
        ("clinical", 100.0, "50 values left"),
        ("identifiers", 1.0, "nothing that is drawn costs anything"),
    ],
)
def test_a_budget_is_told_in_what_it_pays_for(policy: str, epsilon: float, said: str) -> None:
    assert text_left(Sanitizer(tv.policy(policy)).setting, pays(epsilon)) == said


def test_where_there_is_no_limit_that_is_said() -> None:
    assert text_left(Sanitizer(tv.policy("all-words")).setting, lambda cost: None) == "no limit"
