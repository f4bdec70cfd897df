"""Texts that take long: refused by their cost, a few at a time, and at no cost to whoever sends others."""

import asyncio
import threading

import pytest
from tests.helpers.servers import MemoryLedger, running

from textveil.budget.account import Account
from textveil.detection import languages
from textveil.errors import SlowText
from textveil.server import service as module
from textveil.server.budgets import UncountedLedger
from textveil.server.config import Config
from textveil.server.conversations import ConversationState
from textveil.server.errors import ApiError
from textveil.server.policies import OfferedPolicies
from textveil.server.service import LONG_CHARACTERS, SanitizingService
from textveil.text import patterns

LONG = "so it was and so it is " * (LONG_CHARACTERS // 20)
WARD = Account("ward")


def test_texts_over_their_time_are_refused_with_413_and_nothing_is_paid() -> None:
    ledger = MemoryLedger()
    with running(Config(policy="prompts", sanitize_seconds=1e-9), ledger) as client:
        for route in ("/v1/sanitize", "/v1/detect"):
            for text in ("Maria Gonzalez", LONG):
                answer = client.post(route, json={"text": text})
                assert answer.status_code == 413 and answer.json()["error"]["code"] == "texts_too_slow"
                assert "Send less at a time" in answer.json()["error"]["message"] and "Maria" not in answer.text
    assert not ledger.calls


def test_more_values_than_can_be_restored_in_time_are_refused_before_anything_is_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Mentions count, also of one value that is paid once."""
    monkeypatch.setattr(module, "VALUES_A_SECOND", 1)
    ledger = MemoryLedger()
    with running(Config(policy="prompts"), ledger) as client:
        answer = client.post("/v1/sanitize", json={"text": "Maria. " * 11})
        assert answer.status_code == 413 and answer.json()["error"]["code"] == "texts_too_slow"
        assert "at most 10 values" in answer.json()["error"]["message"]
        assert not ledger.calls
        assert client.post("/v1/sanitize", json={"text": "Maria. " * 10}).status_code == 200
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    try:
        with pytest.raises(SlowText):
            asyncio.run(service.release(["Maria. " * 11], policy=None, account=WARD, conversation=ConversationState()))
    finally:
        service.close()


def test_long_texts_are_read_by_few_threads_and_the_server_answers_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAITING", 3)
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=8)
    going, go_on, most, names = 0, threading.Event(), 0, set()

    def found(name: str, text: str) -> list[object]:
        nonlocal going, most
        if len(text) > LONG_CHARACTERS:
            going += 1
            most = max(most, going)
            names.add(threading.current_thread().name.rpartition("_")[0])
            assert go_on.wait(60)
            going -= 1
        return []

    monkeypatch.setattr(service.policies, "found", found)

    async def sent() -> None:
        await service.warm()
        long = [asyncio.create_task(service.found("prompts", LONG)) for _ in range(3)]
        while not going:
            await asyncio.sleep(0.001)
        assert await service.found("prompts", "a short one") == []
        assert await service.found("prompts", "x" * LONG_CHARACTERS) == []
        with pytest.raises(ApiError) as refused:
            await service.found("prompts", LONG)
        assert (refused.value.status, refused.value.code, refused.value.headers) == (
            503,
            "overloaded",
            {"retry-after": "10"},
        )
        go_on.set()
        assert await asyncio.gather(*long) == [[], [], []]
        assert await service.found("prompts", LONG) == []

    try:
        asyncio.run(asyncio.wait_for(sent(), 60))
    finally:
        go_on.set()
        service.close()
    assert (most, names) == (1, {"textveil-long-texts"})


def test_a_long_text_is_released_though_others_wait_when_it_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)

    def prepared(*others: object) -> object:
        monkeypatch.setattr(module, "_WAITING", 0)
        return plain(*others)

    plain = service._prepared
    monkeypatch.setattr(service, "_prepared", prepared)
    try:
        made = asyncio.run(service.release([LONG], policy=None, account=WARD))
        assert made.releases[0].text == LONG
        with pytest.raises(ApiError):
            asyncio.run(service.release([LONG], policy=None, account=WARD))
    finally:
        service.close()


def test_who_is_cancelled_waits_for_the_thread() -> None:
    """Kills: a request lets go of its conversation while a thread still restores its answer."""
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(30)
        ended.set()

    async def cancelled_twice() -> bool:
        task = asyncio.create_task(module.beside(LONG_CHARACTERS + 1, work))
        await asyncio.to_thread(begun.wait, 30)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        waited = not task.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return waited and ended.is_set()

    assert asyncio.run(cancelled_twice())


def test_a_server_that_is_warm_has_read_a_text_whose_language_a_model_tells() -> None:
    languages._identifier.cache_clear()
    languages._language_of_part.cache_clear()  # another test may have read the same text
    late = patterns.LazyRegex("x")
    for default, models in (("all-words", 0), ("identifiers", 1)):
        service = SanitizingService(OfferedPolicies(default), UncountedLedger(), threads=1)
        asyncio.run(service.warm())
        service.close()
        assert languages._identifier.cache_info().currsize == models
        assert ("search" in vars(late)) == bool(models)  # every pattern is compiled
    patterns._MADE.remove(late)
