"""What is left of a budget, told in words."""

import pytest

import textveil as tv
from textveil.privacy.accountant import Accountant
from textveil.sanitize.costs import text_left
from textveil.sanitize.sanitizer import Sanitizer


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
