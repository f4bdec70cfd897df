"""``textveil explain --reports``: what one word costs its person after a shuffler."""

import json
import math
from pathlib import Path

import pytest
from tests.helpers.lab import needs_lab

from textveil.privacy.guarantees import PureDP
from textveil.privacy.shuffling import shuffled


def test_the_cost_after_shuffling_is_said_in_words_and_as_data(command, small) -> None:
    asked = ("explain", *small[4:], "-m", "randomized-response", "--epsilon", "3", "--reports", "5000")
    code, out, err = command(*asked, "--json")
    assert code == 0, err
    data = json.loads(out)
    words = len(Path(small[5]).read_text(encoding="utf-8").splitlines())
    expected = shuffled(PureDP(epsilon=3.0), 5000, 1e-6, words / (math.exp(3.0) + words - 1)).epsilon
    assert data["shuffled"]["epsilon"] == pytest.approx(expected, rel=1e-5)
    assert (data["shuffled"]["reports"], data["shuffled"]["unit"]) == (5000, "person")
    assert data["guarantee"]["epsilon"] == 3.0
    code, out, _ = command(*asked)
    assert b"for one of 5,000 people with one word each, in random order" in out


@needs_lab
def test_what_cannot_be_amplified_is_refused(command, small) -> None:
    code, _, err = command("explain", *small[4:], "-m", "gaussian", "--epsilon", "3", "--reports", "50")
    assert code == 2 and "no pure guarantee follows" in err
    code, _, err = command("explain", *small[4:], "-m", "word-budgets", "--epsilon", "3", "--reports", "50")
    assert code == 2 and "--reports needs a guarantee of one token for any two words" in err
    code, _, err = command("explain", *small[4:], "-m", "exponential", "--epsilon", "3", "--reports", "0")
    assert code == 2 and "must be between 1 and 100,000,000; got 0" in err
