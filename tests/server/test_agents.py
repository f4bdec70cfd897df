"""Agents behind the gateway: what tools answer goes on without its persons and secrets, and calls come back exactly.

The generator and what it counts are those of ``benchmarks/agents.py``, which plays 10^5 turns.
"""

from types import ModuleType

import pytest
from tests.helpers.attacks import loaded
from tests.helpers.servers import running
from tests.helpers.upstream import Provider

from textveil.server.config import Config


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("agents", monkeypatch)


def test_turns_of_agents_leak_nothing_and_come_back(agents):
    """Both APIs, streamed and not; the benchmark tells of names on no list that stand in a sentence alone."""
    with Provider() as provider, running(Config(upstream=provider.url, policy="prompts")) as client:
        outcome = agents.play(client, provider, 160, seed=4)
    counts = outcome.counts
    assert counts["turns"] == 160 and counts["wrapped"] > 20 and outcome.planted.total() > 800
    assert len({writing for writing, _ in outcome.planted}) >= 18
    assert not outcome.leaks, outcome.leaks
    assert not outcome.broken and counts["calls restored otherwise"] == 0, outcome.broken
    assert counts["kept as they are"] >= 0.95 * counts["kept"], outcome.changed


@pytest.mark.parametrize("kind", ["person", "github", "email", "phone", "street"])
def test_values_that_stand_are_seen(agents, kind):
    """The benchmark sees a value, and a part of one, in what the upstream got."""
    facts = agents.Facts(agents.random.Random(1))
    value = facts.fill({"person": "<<last>>"}.get(kind, f"<<{kind}>>"))
    assert agents.stands(kind, value, f'[{{"content": "a {value}, b"}}]')
    assert not agents.stands(kind, value, '[{"content": "a Smith, b 555"}]')
    if kind == "github":
        assert agents.stands(kind, value, value[:-9])


def test_texts_that_are_broken_are_seen(agents):
    draw = agents.random.Random(1)
    seen = set()
    while len(seen) < len(agents.FORMS):
        result = agents._result(draw, draw.choice(list(agents.WRITINGS)))
        if result.writing not in agents.FORMS or result.wrapped:
            continue
        seen.add(result.writing)
        assert result.valid(result.text)
        cut = result.text.rstrip()[:-1].rpartition("\n")[0]
        assert not result.valid(cut + "\n'(\"<x"), result.writing
