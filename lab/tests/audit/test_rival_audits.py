"""Sampled audits beside methods of others: twenty faults, and sound forms that none but the canary accuses.

Alpha is 1 % a trial and method; the bound below is exceeded with probability below 1e-6 by a method that keeps it.
"""

import numpy as np
import pytest


@pytest.fixture
def rivals(script):
    return script("rival_audits")


def test_there_are_twenty_faults_and_computing_finds_each(rivals) -> None:
    faults, sound = rivals.cases()
    assert len(faults) == len(sound) == 20
    for case in faults:
        first, other = case.rows
        assert np.maximum(first - np.exp(min(case.epsilon, 700.0)) * other, 0).sum() > case.delta, case.name
    for case in sound:
        first, other = case.rows
        assert np.maximum(first - np.exp(min(case.epsilon, 700.0)) * other, 0).sum() <= case.delta + 1e-9, case.name


@pytest.mark.parametrize("name", ["textveil", "sniper", "siege", "teda", "auditorium"])
def test_a_method_keeps_its_alpha_and_finds_plain_faults(rivals, name: str) -> None:
    faults, sound = rivals.cases()
    method, rng = rivals.METHODS[name], np.random.default_rng(5)
    accused, trials = rivals.power(method, sound, 1000, 5, rng)
    assert trials == 100 and accused <= 10  # P(Binomial(100, 0.01) > 10) < 1e-7
    found, trials = rivals.power(method, faults, 2000, 2, rng)
    assert found >= trials // 3


def test_a_canary_accuses_sound_forms(rivals) -> None:
    _, sound = rivals.cases()
    accused, trials = rivals.power(rivals.canary, sound, 1000, 1, np.random.default_rng(5))
    assert accused > trials // 3
