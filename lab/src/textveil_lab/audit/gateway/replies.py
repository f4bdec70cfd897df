"""Replies: whether they hold the originals again, and whether anybody gets another person's values."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from textveil_lab.audit.gateway import replays
from textveil_lab.audit.gateway.attack import Attack
from textveil_lab.audit.gateway.cases import HARMLESS, TOOLS, asked, call, request, sentence
from textveil_lab.audit.gateway.figures import Figure
from textveil_lab.audit.gateway.values import Planted, another, drawn, stands
from textveil_lab.audit.gateway.wire import Answer, Said, echo, last_text


class Reply(NamedTuple):
    """One way in which a model writes back what it received."""

    name: str
    said: Said
    step: int = 0  # characters in a chunk of the stream; 0: no stream
    tools: bool = False
    written: str = "text"  # the same as an expression of Python


REPLIES: Final = (
    Reply("whole answer", echo),
    *(Reply(f"stream, {step} letters a chunk", echo, step) for step in (1, 2, 3, 5, 8, 13)),
    Reply("call of a tool", call, tools=True),
    Reply("call of a tool, streamed, 3 letters a chunk", call, 3, tools=True),
    Reply("between bold signs", lambda text: f"**{text}**", written="'**' + text + '**'"),
    Reply(
        "within JSON",
        lambda text: json.dumps({"answer": text}, ensure_ascii=False),
        written='json.dumps({"answer": text}, ensure_ascii=False)',
    ),
    Reply("said twice", lambda text: f"{text} {text}", written="text + ' ' + text"),
)


def restored(attack: Attack, kinds: tuple[str, ...]) -> list[Figure]:
    """Return how often the reply to a sentence with a hidden value is the model's text with the value in it."""
    return [_restored(attack, kinds, reply) for reply in REPLIES]


def _restored(attack: Attack, kinds: tuple[str, ...], reply: Reply) -> Figure:
    draw = attack.draws("restoration", reply.name)
    attack.upstream.said, attack.upstream.step = reply.said, reply.step or 50
    more: dict[str, Any] = {"stream": True} if reply.step else {}
    if reply.tools:
        more |= {"tools": TOOLS[attack.api]}
    trials = count = refused = 0
    lost, replay = [], ""
    for trial in range(attack.trials):
        value = drawn(kinds[trial % len(kinds)], draw)
        sent = request(attack.api, asked(attack.api, attack.gateway.model, sentence(value), **more))
        attack.upstream.taken()
        answer = attack.gateway.ask(sent)
        came = attack.upstream.taken()
        if not came or stands(value.telling, came):
            continue  # refused or leaked: there is nothing to restore
        trials += 1
        refused += answer.refused
        if value.text in answer.text:
            count += 1
            continue
        lost.append(value.kind)
        replay = replay or replays.lost(attack.gateway, attack.upstream.port, attack.api, sent, value, reply)
    return Figure(
        family="restoration", name=reply.name, event="restored", trials=trials, count=count, refused=refused,
        kinds=tuple(dict.fromkeys(lost)), replay=replay,
    )  # fmt: skip


def crossings(attack: Attack, kinds: tuple[str, ...]) -> list[Figure]:
    """Return how often somebody reads another's value whose surrogate the provider writes into the answer."""
    figures = [
        _crossed(attack, kinds, name, other=other, own=own)
        for name, other, own in (
            ("another conversation of the same key", False, False),
            ("another conversation of the same key, with a value of its own", False, True),
            ("another key", True, False),
            ("another key, with a value of its own", True, True),
        )
        if attack.gateway.other_key or not other
    ]
    return [*figures, _together(attack, kinds)]


def _crossed(attack: Attack, kinds: tuple[str, ...], name: str, *, other: bool, own: bool) -> Figure:
    draw = attack.draws("mixing", name)
    trials = count = refused = 0
    crossed, replay = [], ""
    for trial in range(attack.trials):
        kind = kinds[trial % len(kinds)]
        attack.upstream.said = echo
        for shot, _, came in attack.hidden(kind, draw):
            surrogate = last_text(_data(came))
            attack.upstream.said = _saying(surrogate)
            text = f"Thanks. {sentence(another(shot.value, draw))}" if own else HARMLESS
            sent = request(attack.api, asked(attack.api, attack.gateway.model, text))
            answer = attack.gateway.ask(sent, other=other)
            trials += 1
            refused += answer.refused
            if stands(shot.value.telling, [answer.body]):
                count += 1
                crossed.append(kind)
                replay = replay or replays.crossed(
                    attack.gateway, attack.upstream.port, attack.api, shot, sent, other=other
                )
    return Figure(family="mixing", name=name, event="crossed", trials=trials, count=count, refused=refused,
                  kinds=tuple(dict.fromkeys(crossed)), replay=replay)  # fmt: skip


def _together(attack: Attack, kinds: tuple[str, ...]) -> Figure:
    draw = attack.draws("mixing", "together")
    attack.upstream.said, attack.upstream.step = echo, 5
    drawings = [drawn(kinds[trial % len(kinds)], draw) for trial in range(max(8, attack.trials))]
    values = list({value.text: value for value in drawings}.values())
    model = attack.gateway.model

    def ask(value: Planted) -> Answer:
        data = asked(attack.api, model, sentence(value), stream=True)
        return attack.gateway.ask(request(attack.api, data))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, values))
    wrong = [
        value.kind
        for value, answer in zip(values, answers, strict=True)
        if any(stands(one.telling, [answer.text.encode()]) for one in values if one.text != value.text)
    ]
    replay = replays.together(attack.gateway, attack.upstream.port, attack.api, values[:8]) if wrong else ""
    return Figure(family="mixing", name="eight at the same time", event="crossed", trials=len(values), count=len(wrong),
                  kinds=tuple(dict.fromkeys(wrong)), replay=replay)  # fmt: skip


def _saying(text: str) -> Said:
    return lambda _: text


def _data(came: list[bytes]) -> dict[str, Any]:
    data = json.loads(came[-1].partition(b"\r\n\r\n")[2])
    return data if isinstance(data, dict) else {}
