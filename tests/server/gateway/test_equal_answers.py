"""Answers that read the same and were written otherwise: each goes back as it was written."""

from __future__ import annotations

from textveil.server.conversations import ConversationState, Written
from textveil.server.gateway.memory import RequestMemory


def test_each_goes_back_as_it_was_written() -> None:
    state = ConversationState()
    for text in ("Yes, Anna.", "Yes, Berta.", "Yes, Anna."):  # an answer that came again is the same one
        state.wrote("content", "Yes, Carla.", Written(text, ()))
    for _ in range(2):
        memory = RequestMemory(state)
        sent = [memory.answer("content", "Yes, Carla. ") for _ in range(3)]
        assert sent == ["Yes, Anna.", "Yes, Berta.", "Yes, Berta."]
        assert memory.answer("refusal", "Yes, Carla.") is None
    assert state.size == len("Yes, Anna.") + len("Yes, Berta.")
