"""Dialogues: what was released before comes again as it was, and nothing is drawn for it."""

from __future__ import annotations

import threading
import time

import pytest

from textveil.errors import InputError, ParameterError
from textveil.integrations.dialogues import LARGEST, Dialogues
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.prepared import Prepared
from textveil.sanitize.sanitizer import Sanitizer


@pytest.fixture(scope="module")
def prompts() -> Sanitizer:
    return Sanitizer(policy("prompts"))


class Paid:
    """Draws, and adds up what was paid."""

    def __init__(self) -> None:
        self.epsilon, self.calls, self.fails, self.takes = 0.0, 0, False, 0.0

    def __call__(self, prepared: Prepared) -> list:
        if self.fails:
            raise InputError("no budget")
        self.calls += 1
        time.sleep(self.takes)
        self.epsilon += prepared.accountant.spent.epsilon
        return prepared.release()


def test_a_history_of_twenty_turns_is_paid_for_once(prompts) -> None:
    paid = Paid()
    dialogue = Dialogues(prompts, paid).open("a")
    history, sent = [], []
    for turn in range(20):
        history.append(f"On {turn + 1} May 2021 Maria Zyxwell came.")
        passed = dialogue.release(history)
        assert passed.fresh == 1
        assert list(passed.texts[: len(sent)]) == sent  # byte for byte
        answer = f"{passed.texts[-1]} Noted."
        restored = dialogue.restore(answer)
        assert "Maria Zyxwell" in restored.text and "Zyxwell" not in answer
        history.append(restored.text)
        sent = [*passed.texts, answer]
    assert paid.calls == 20
    assert paid.epsilon == sum(dialogue._sanitizer.prepare([text]).accountant.spent.epsilon for text in history[::2])


def test_equal_messages_of_one_history_have_a_draw_each() -> None:
    dialogue = Dialogues(Sanitizer(policy("all-words"))).open("a")
    text = "the patient came home again and slept for a long while in the garden. " * 6
    first = dialogue.release([text, text])
    assert first.fresh == 2 and first.texts[0] != first.texts[1]
    again = dialogue.release([text, text, "more"])
    assert again.texts[:2] == first.texts and again.fresh == 1


def test_nothing_is_remembered_of_what_could_not_be_paid_for(prompts) -> None:
    paid = Paid()
    dialogue = Dialogues(prompts, paid).open("a")
    paid.fails = True
    with pytest.raises(InputError):
        dialogue.release(["Ask Maria Zyxwell."])
    paid.fails = False
    assert dialogue.release(["Ask Maria Zyxwell."]).fresh == 1


def test_dialogues_share_nothing(prompts) -> None:
    dialogues = Dialogues(prompts)
    names = {dialogues.open("tenant", str(number)).release(["Ask Maria Zyxwell."]).texts[0] for number in range(8)}
    assert len(names) > 1
    assert dialogues.open("tenant", "0").release(["Ask Maria Zyxwell."]).fresh == 0
    assert dialogues.open("other", "0").release(["Ask Maria Zyxwell."]).fresh == 1


def test_what_is_not_used_is_forgotten(prompts) -> None:
    now = [0.0]
    dialogues = Dialogues(prompts, limit=2, seconds=10, clock=lambda: now[0])
    for name in ("a", "b", "a", "c"):
        dialogues.open(name)
    assert dialogues.known("b") is None and dialogues.known("a") is not None and len(dialogues) == 2
    now[0] = 10.0
    assert dialogues.known("a") is None and len(dialogues) == 0
    for wrong in ({"limit": 0}, {"seconds": 0}):
        with pytest.raises(ParameterError):
            Dialogues(prompts, **wrong)


@pytest.mark.parametrize("text", ["a\ud800b", "a\0b", 3, b"a", "x" * (LARGEST + 1)])
def test_what_cannot_be_sent_is_refused_before_anything_is_drawn(prompts, text) -> None:
    paid = Paid()
    dialogue = Dialogues(prompts, paid).open("a")
    with pytest.raises(InputError, match="text"):
        dialogue.release(["Ask Maria Zyxwell.", text])
    assert paid.calls == 0


def test_one_dialogue_in_many_threads_pays_once(prompts) -> None:
    paid = Paid()
    paid.takes = 0.2  # time for the others to come
    dialogue = Dialogues(prompts, paid).open("a")
    texts, released = [f"Maria Zyxwell, {number}" for number in range(5)], []
    threads = [threading.Thread(target=lambda: released.append(dialogue.release(texts).texts)) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(set(released)) == 1 and len(released) == 8 and paid.calls == 1
