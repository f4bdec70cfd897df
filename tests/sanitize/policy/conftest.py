"""Surrogates by the names that tests give them."""

import pytest
from tests.helpers.policies import FromPool, OtherDigits

from textveil.sanitize.policy import making
from textveil.sanitize.policy.policy import Action, Rule
from textveil.surrogates.surrogate import Surrogate


@pytest.fixture
def small_surrogates(monkeypatch: pytest.MonkeyPatch) -> None:
    """``from-pool`` and ``digits`` are those of the helpers."""

    def made(rule: Rule) -> Surrogate:
        if rule.action is Action.PLACEHOLDER:
            return FromPool(pool=(f"[{rule.kind}]",), consistent=False, counts="mention", name="placeholder")
        if rule.name == "digits":
            return OtherDigits()
        return FromPool(epsilon=rule.epsilon or 0.0, **rule.options)

    monkeypatch.setattr(making, "_surrogate", made)
