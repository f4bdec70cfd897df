"""Answers that read the same and were written otherwise: each goes back as it was written."""

from textveil.server.conversations import ConversationState
from textveil.server.gateway.bodies import RequestMemory
from textveil.server.kept_data import Written


def test_each_goes_back_as_it_was_written() -> None:
    state = ConversationState()
    for text in ("Yes, Anna.", "Yes, Berta.", "Yes, Anna."):  # an answer that came again is the same one
        state.wrote("content", "Yes, Carla.", Written(text, ()))
    for _ in range(2):
        memory = RequestMemory(state)
        sent = [memory.answer("content", "Yes, Carla. ") for _ in range(3)]
        assert sent == ["Yes, Anna.", "Yes, Berta.", "Yes, Berta."]
        assert memory.answer("refusal", "Yes, Carla.") is None
    twice = ConversationState()
    for text in ("Yes, Anna.", "Yes, Berta."):
        twice.wrote("content", "Yes, Carla.", Written(text, ()))
    assert state.size == twice.size


def test_each_goes_back_where_it_was_written() -> None:
    """Another version would tell that what was written otherwise reads the same: that a guess was right."""
    state, written = ConversationState(), ["Ask Berta.", "Ask Anna.", "Ask Berta.", "Ask Anna.", "Ask Berta."]
    for number, text in enumerate(written):
        memory = RequestMemory(state)
        memory.behind = str(number)
        memory.wrote("content", "Ask Anna.", text)
    for places in (range(5), (1, 2, 4), (4,), (3, 4)):
        memory = RequestMemory(state)
        assert [memory.answer("content", "Ask Anna.", str(at)) for at in places] == [written[at] for at in places]


def test_calls_go_back_by_their_handles() -> None:
    state = ConversationState()
    memory = RequestMemory(state)
    written = {"call_1": '{"a":"Berta"}', "call_2": '{"a":"Anna"}', "call_3": '{"a":"Berta"}'}
    for handle, text in written.items():
        memory.wrote("arguments", '{"a":"Anna"}', text, handle)
    for handles in (("call_1", "call_2", "call_3"), ("call_3", "call_2")):
        memory = RequestMemory(state)
        back = [memory.answer("arguments", '{"a": "Anna"}', "", handle) for handle in handles]
        assert back == [written[handle] for handle in handles]
    assert (call := memory.called("call_2")) is not None and call.words == "a\nAnna"
    memory.wrote("arguments", '{"a":"Anna"}', '{"a":"Carla"}', "call_2")
    assert memory.called("call_2") is None, "it says two things"
