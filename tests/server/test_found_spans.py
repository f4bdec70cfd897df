"""What is found in a text of a conversation is remembered for its account's other conversations, and nothing else."""

import asyncio
from collections.abc import Sequence

import pytest

from textveil.budget.account import Account
from textveil.detection.spans import DetectedSpan
from textveil.sanitize.policy.finding import SpanFinder
from textveil.server import finding
from textveil.server.budgets import UncountedLedger
from textveil.server.conversations import ConversationState
from textveil.server.finding import FoundSpans
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService

WARD, CLINIC = Account("ward"), Account("ward", "clinic")
PROMPT = "You answer letters to Maria Zyxwell, maria@zyxwell.example, on 3 March 2024."
SPAN = DetectedSpan(0, 2, "person", 1.0, "d")


class _Reads:
    """Notes the texts that are searched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        real = SpanFinder.found

        def found(finder: SpanFinder, texts: Sequence[str]) -> list[list[DetectedSpan]]:
            self.texts += texts
            return real(finder, texts)

        monkeypatch.setattr(SpanFinder, "found", found)

    def since(self) -> list[str]:
        """Return the texts that were searched since the last call."""
        texts, self.texts = self.texts, []
        return texts


def _released(
    service: SanitizingService, texts: list[str], account: Account = WARD, policy: str = "prompts"
) -> list[str]:
    labels = [f"text messages {number}" for number in range(len(texts))]
    paid = service.release(texts, policy=policy, account=account, conversation=ConversationState(), labels=labels)
    releases = asyncio.run(paid).releases  # type: ignore[arg-type]
    assert [each.private_map.original() for each in releases if each.private_map] == texts
    return [release.text for release in releases]


def test_a_text_of_another_conversation_is_not_searched_again_and_is_drawn_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service, reads = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1), _Reads(monkeypatch)
    (first,) = _released(service, [PROMPT])
    assert reads.since() == [PROMPT]
    second, other, again = _released(service, [PROMPT, "Ask Bertha Oyelaran.", "Ask Bertha Oyelaran."])
    assert reads.since() == ["Ask Bertha Oyelaran."]
    assert "Zyxwell" not in first + second and "Oyelaran" not in other + again and first != second
    _released(service, [PROMPT], CLINIC)  # of another account
    assert reads.since() == [PROMPT]
    _released(service, [PROMPT], policy="identifiers")
    assert reads.since() == [PROMPT]
    service.close()


def test_persons_of_a_remembered_text_are_found_in_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    for _ in range(2):
        released = _released(service, ["Dr. Maria Zyxwell called.", "so zyxwell answered, and went"])
        assert not any("zyxwell" in text.lower() for text in released)
    service.close()


def test_texts_of_no_conversation_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    asyncio.run(service.release([PROMPT], policy="prompts", account=WARD))  # type: ignore[arg-type]
    reads = _Reads(monkeypatch)
    _released(service, [PROMPT])
    assert reads.since() == [PROMPT]
    service.close()


def test_spans_are_forgotten_after_their_time_and_beyond_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    memory = FoundSpans(10.0, clock=lambda: now)
    monkeypatch.setattr(finding, "MOST", 6)

    def missing(*texts: str) -> list[str]:
        return memory.recall(WARD, "prompts", texts).missing(texts)

    assert memory.recall(WARD, "prompts", ["a", "b", "a"]).completed([[SPAN], []]) == [[SPAN], [], [SPAN]]
    assert missing("a", "b", "c", "c") == ["c"]
    now = 9.0
    assert missing("a") == []
    now = 18.0
    assert missing("a", "b") == ["b"]  # ``a`` was sent again meanwhile
    memory.recall(WARD, "prompts", ["c"]).completed([[SPAN] * 2])  # two and three of six
    assert missing("a", "c") == []
    memory.recall(WARD, "prompts", ["d"]).completed([[SPAN]])
    assert missing("a", "c", "d") == ["a"]
    memory.recall(WARD, "prompts", ["e"]).completed([[SPAN] * 4])  # never: there would be few others
    assert missing("c", "d", "e") == ["e"]


def test_what_is_remembered_holds_no_text() -> None:
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    _released(service, [PROMPT])
    held = repr([(key, known) for key, known in service._spans._known.items()])
    assert "DetectedSpan" in held and not any(word in held for word in ("Maria", "Zyxwell", "letters"))
    service.close()
