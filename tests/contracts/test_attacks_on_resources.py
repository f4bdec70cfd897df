"""The attacks on memory and time of docs/reliability.md: a little of each, and that each sees what it looks for."""

import asyncio
import contextlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from textveil.errors import InputError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

ATTACKS = Path(__file__).resolve().parents[2] / "benchmarks" / "attacks"


@cache
def attack(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"attacks_{name}", ATTACKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if name == "slow_texts":
        sys.modules["pumps"] = attack("pumps")
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_small_requests_hold_what_is_counted_and_refused_ones_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = attack("memory")
    figures, wrong = asyncio.run(memory.measured(150))
    assert wrong == [] and figures["tiny chat, bytes"] > 1000
    monkeypatch.setattr(memory, "ACCOUNT", (10.0, 11.0))
    monkeypatch.setattr(memory, "REFUSED_BYTES", -float("inf"))
    _, wrong = asyncio.run(memory.measured(30))
    assert {"a refused request leaves bytes", "tiny chat: the account is not what is held"} <= set(wrong)


@pytest.fixture(scope="module")
def sanitizer() -> Sanitizer:
    return Sanitizer(policy("prompts"))


# The first five took time that grew with the square of the text.
@pytest.mark.parametrize(
    "shape",
    [
        ("name", "\t", ""),
        ("", "_", ""),
        ("Der Mann wohnt seit vielen Jahren in der Stadt und ist mit der Arbeit nicht zufrieden. " * 5, "A-", ""),
        ("5 dollars ", "123 ", " 5$ #"),
        ("", "A.", "a"),
        ("", "1$", ""),
        ("", "1 ", "x"),
        ("", "a-", "@"),
        ("", "id is ", "1a"),
        ("", "a@", " "),
        ("", "a123456", ""),
    ],
)
def test_a_longer_text_costs_no_more_a_character(sanitizer: Sanitizer, shape: tuple[str, str, str]) -> None:
    slow_texts = attack("slow_texts")
    cost = slow_texts.cost(slow_texts.work_of(sanitizer), slow_texts.Shape(*shape), 4000)
    assert cost.growth <= slow_texts.MARGIN * slow_texts.GROWTH, cost


@pytest.mark.slow
def test_pumps_of_the_searches_cost_no_more_a_character(sanitizer: Sanitizer) -> None:
    slow_texts = attack("slow_texts")
    work = slow_texts.work_of(sanitizer)
    costs = []
    for shape in slow_texts.derived_shapes()[::30]:
        with contextlib.suppress(InputError):  # binary data are refused
            costs.append(slow_texts.cost(work, shape, 1000))
    assert len(costs) > 50
    assert [cost for cost in costs if cost.growth > slow_texts.MARGIN * slow_texts.GROWTH] == []


def test_work_that_grows_with_the_square_is_seen() -> None:
    slow_texts = attack("slow_texts")

    def work(text: str) -> None:
        for _ in range(len(text) ** 2 // 20):
            pass

    cost = slow_texts.cost(work, slow_texts.Shape("", "a", ""), 1000)
    assert cost.growth > slow_texts.MARGIN * slow_texts.GROWTH
