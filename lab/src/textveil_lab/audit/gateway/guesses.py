"""Provider that tests guesses: it makes the gateway see a value again, and compares surrogates."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from textveil_lab.audit.gateway import replays
from textveil_lab.audit.gateway.attack import Attack
from textveil_lab.audit.gateway.cases import HARMLESS, asked, request, tool_turns
from textveil_lab.audit.gateway.figures import Figure
from textveil_lab.audit.gateway.replays import FRAME, OTHER
from textveil_lab.audit.gateway.values import another, drawn
from textveil_lab.audit.gateway.wire import Answer

_MARKER: Final = re.compile(r"[\W_]*[A-Z][A-Z_ -]*[\W_]*[0-9a-f]*[\W_]*")


def framed(frame: tuple[str, str], text: str) -> str:
    """Return a text inside a frame."""
    return f"{frame[0]}{text}{frame[1]}"


def between(frame: tuple[str, str], text: str) -> str | None:
    """Return the text between the two ends of a frame; None if they are missing."""
    start = text.find(frame[0])
    end = text.find(frame[1], start + len(frame[0]))
    return text[start + len(frame[0]) : end] if start >= 0 and end >= 0 else None


def guesses(attack: Attack, kinds: tuple[str, ...]) -> list[Figure]:
    """Return how many guesses the provider judges correctly by equal surrogates; a coin judges half."""
    ways: list[tuple[str, _Way]] = [
        ("in another conversation of the same key", lambda one, value, guess: _apart(one, value, guess, other=False)),
        ("in a conversation of another key", lambda one, value, guess: _apart(one, value, guess, other=True)),
        ("in an answer that the program sends back", _answered),
        ("in the answer of a tool", _by_tool),
    ]
    ways = [one for one in ways if attack.gateway.other_key or "another key" not in one[0]]
    figures = [_judged(attack, kinds, name, way) for name, way in ways]
    return [*figures, _marked(attack, kinds)]


_Way = Callable[[Attack, str, str], tuple[str | None, str | None] | None]


def _judged(attack: Attack, kinds: tuple[str, ...], name: str, way: _Way) -> Figure:
    draw = attack.draws("guesses", name)
    trials = count = 0
    told, replay = [], ""
    for trial in range(attack.trials):
        value = drawn(kinds[trial % len(kinds)], draw)
        right = draw.random() < 0.5
        guess = value.text if right else another(value, draw).text
        seen = way(attack, value.text, guess)
        if seen is None:
            continue
        trials += 1
        equal = seen[0] is not None and seen[0] == seen[1]
        count += equal == right
        if equal and right:
            told.append(value.kind)
            wrong = another(value, draw).text
            replay = replay or replays.guessed(attack.gateway, attack.upstream.port, attack.api, name, value, wrong)
    return Figure(family="guesses", name=name, event="told", trials=trials, count=count,
                  kinds=tuple(dict.fromkeys(told)), replay=replay)  # fmt: skip


def _came(attack: Attack, data: dict[str, Any], *, other: bool = False) -> tuple[Answer, str]:
    attack.upstream.taken()
    answer = attack.gateway.ask(request(attack.api, data), other=other)
    found: list[str] = []
    for one in attack.upstream.taken():
        _collect(json.loads(one.partition(b"\r\n\r\n")[2] or b"{}"), found)
    return answer, "\n".join(found)


def _collect(data: Any, found: list[str]) -> None:
    if isinstance(data, str):
        found.append(data)
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            _collect(one, found)


def _asked(attack: Attack, text: str, **more: Any) -> dict[str, Any]:
    return asked(attack.api, attack.gateway.model, text, **more)


def _apart(attack: Attack, value: str, guess: str, *, other: bool) -> tuple[str | None, str | None] | None:
    attack.upstream.said = lambda _: "Yes."
    first, came = _came(attack, _asked(attack, framed(FRAME, value)))
    second, then = _came(attack, _asked(attack, framed(OTHER, guess)), other=other)
    return None if first.refused or second.refused else (between(FRAME, came), between(OTHER, then))


def _answered(attack: Attack, value: str, guess: str) -> tuple[str | None, str | None] | None:
    """Let the model say the guess, and send the conversation back, as programs do; return both surrogates."""
    attack.upstream.said = lambda _: framed(OTHER, guess)
    said = framed(FRAME, value)
    first, _ = _came(attack, _asked(attack, said))
    data = _asked(attack, said)
    data["messages"] += [{"role": "assistant", "content": first.text}, {"role": "user", "content": HARMLESS}]
    second, came = _came(attack, data)
    return None if first.refused or second.refused else (between(FRAME, came), between(OTHER, came))


def _by_tool(attack: Attack, value: str, guess: str) -> tuple[str | None, str | None] | None:
    attack.upstream.said = lambda _: "Yes."
    data = tool_turns(attack.api, attack.gateway.model, framed(FRAME, value), framed(OTHER, guess))
    answer, came = _came(attack, data)
    return None if answer.refused else (between(FRAME, came), between(OTHER, came))


def _marked(attack: Attack, kinds: tuple[str, ...]) -> Figure:
    """Count values replaced by a visible marker such as <EMAIL_1>. This is no failure."""
    draw = attack.draws("guesses", "marker")
    attack.upstream.said = lambda _: "Yes."
    trials = count = 0
    for trial in range(attack.trials):
        answer, came = _came(attack, _asked(attack, framed(FRAME, drawn(kinds[trial % len(kinds)], draw).text)))
        surrogate = between(FRAME, came)
        if not answer.refused and surrogate is not None:
            trials += 1
            count += _MARKER.fullmatch(surrogate) is not None
    return Figure(family="guesses", name="surrogates that are markers", event="marked", trials=trials, count=count)
