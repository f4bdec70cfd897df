"""An upstream that guesses the user's name: it writes guesses into its answers and looks for what they become.

    python benchmarks/attacks/oracle.py [--trials 20] [--shared] [--seed 1]

In each trial a user writes one of eight names, and an agent runs whatever tool it is asked for, which repeats what it
was given. The upstream takes the guess whose surrogate is equal to the user's, or that comes back otherwise than the
other guesses do; where no guess is such, it takes any. Printed is, by the way it goes, in how many trials a guess was
such, how often the upstream was right, and how often chance would be. ``--shared`` is the option of the server that
gives equal values one surrogate. Ends with code 1 where blind guesses are right as often with probability below 1e-9.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple

import httpx

NAMES: Final = ("Mark Baker", "Grace Stone", "Frank Miller", "Dean Fisher", "Jack Porter", "Bill Mason", "Rose Hill",
                "Penny Brook")  # fmt: skip
"""Names that no detector finds in small letters, and that share no part."""
ASKED: Final = "Please write to {} about the bill."
TOOL: Final = {"type": "function", "function": {"name": "find", "parameters": {"properties": {"a": {}, "b": {}}}}}
ALPHA: Final = 1e-9

CUT: Final = " (Cut this.)"


def echoed(user: str, ask: Agent) -> Iterator[str]:
    """An answer with a call for each guess; what its tool answers holds the user's surrogate."""
    yield from (name for name in NAMES if user in ask("", {"a": name})[0])


def compared(user: str, ask: Agent) -> Iterator[str]:
    """The user's surrogate first; a guess later is answered alike."""
    (first,) = ask("", {"a": user})
    yield from _those(one == first for one in ask("", *({"a": name} for name in NAMES)))


def parallel(user: str, ask: Agent) -> Iterator[str]:
    """All of them in one answer."""
    *guesses, first = ask("", *({"a": name} for name in (*NAMES, user)))
    yield from _those(one == first for one in guesses)


def beside(user: str, ask: Agent) -> Iterator[str]:
    """A guess and the user's surrogate in one call."""
    yield from _those(map(_equal, ask("", *({"a": user, "b": name} for name in NAMES))))


def small(user: str, ask: Agent) -> Iterator[str]:
    """The same with guesses in small letters, which the tool writes large."""
    yield from _those(map(_equal, ask("", *({"a": user, "b": name.lower()} for name in NAMES))))


def planted(user: str, ask: Agent) -> Iterator[str]:
    """The surrogate that a guess was given, and the user's, in one call."""
    given = [_names(one)[0] for one in ask("", *({"a": name} for name in NAMES))]
    yield from _those(map(_equal, ask("", *({"a": user, "b": one} for one in given))))


def edited(user: str, ask: Agent) -> Iterator[str]:
    """An answer whose end the agent cuts off before it sends it again."""
    said = ask("\n".join(f"{name} or {user}" for name in NAMES) + CUT)[0].splitlines()
    yield from _those(len(set(one.split(" or "))) == 1 or one.startswith(user) for one in said)


def replayed(user: str, ask: Agent) -> Iterator[str]:
    """Calls that read the same where a guess is right: whether each goes back as it was written."""
    written = [[user], NAMES, [user], NAMES]
    for names in written:
        ask("", *({"a": name} for name in names))
    back = [json.loads(one["function"]["arguments"])["a"] for one in ask.calls()]
    yield from (name for name in NAMES if back.count(name) != 2)


WAYS: Final = (echoed, compared, parallel, beside, small, planted, edited, replayed)


def _those(right: Iterable[bool]) -> Iterator[str]:
    yield from (name for name, one in zip(NAMES, right, strict=True) if one)


def _names(answer: str) -> list[str]:
    found = re.fullmatch(r"Nothing of (.+) is here\.", answer)
    return found[1].split(" or ") if found else [answer]


def _equal(answer: str) -> bool:
    return len(set(_names(answer))) == 1


class Upstream(ThreadingHTTPServer):
    """A provider that says what it is told to."""

    def __init__(self) -> None:
        self.says: dict[str, Any] = {}
        self.got: list[dict[str, Any]] = []
        super().__init__(("127.0.0.1", 0), _Answering)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        here: Any = self.server
        here.got = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        choice = {"index": 0, "message": {"role": "assistant", **here.says}, "finish_reason": "stop"}
        data = json.dumps({"id": "c-1", "created": 1, "model": "m", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is written."""


class Agent:
    """Sends a user's text, runs the tool that it is asked for, and sends what that answers; a call is the upstream's.

    Args:
        client: of the server.
        upstream: behind it.
        text: of the user.
        label: of the conversation.
    """

    def __init__(self, client: httpx.Client, upstream: Upstream, text: str, label: str) -> None:
        self._client, self._upstream, self._label = client, upstream, label
        self._history: list[dict[str, Any]] = [{"role": "user", "content": text}]

    def __call__(self, said: str, *calls: dict[str, str]) -> list[str]:
        """Answer with a text and calls: what comes back of the text, or of what the tool answered."""
        made = []
        for number, call in enumerate(calls):
            function = {"name": "find", "arguments": json.dumps(call)}
            made.append({"id": f"call_{len(self._history)}_{number}", "type": "function", "function": function})
        message = self._sent({"content": said, **({"tool_calls": made} if made else {})})
        message["content"] = message["content"].removesuffix(CUT)
        self._history.append(message)
        for call in message.get("tool_calls", ()):
            told = " or ".join(one.title() for one in json.loads(call["function"]["arguments"]).values())
            found = {"tool_call_id": call["id"], "content": f"Nothing of {told} is here."}
            self._history.append({"role": "tool", **found})
        self._sent({"content": "I see."})
        return [one["content"] for one in self._upstream.got[-len(calls or "1") :]]

    def calls(self) -> list[dict[str, Any]]:
        """The calls of the history as they came back."""
        return [call for one in self._upstream.got for call in one.get("tool_calls", ())]

    def _sent(self, says: dict[str, Any]) -> dict[str, Any]:
        self._upstream.says = says
        body = {"model": "m", "tools": [TOOL], "messages": self._history}
        headers = {"X-Textveil-Conversation": self._label}
        answer = self._client.post("/v1/chat/completions", json=body, headers=headers)
        answer.raise_for_status()
        message: dict[str, Any] = answer.json()["choices"][0]["message"]
        return message


class Outcome(NamedTuple):
    """Trials in which a guess was told apart from others, and those in which the upstream was right."""

    told_apart: int
    right: int


def attack(client: httpx.Client, upstream: Upstream, trials: int, seed: int) -> dict[str, Outcome]:
    """What the upstream finds out, by its way."""
    draw, outcomes = random.Random(seed), {}
    before, after = ASKED.split("{}")
    for way in WAYS:
        told_apart = right = 0
        for trial in range(trials):
            name = draw.choice(NAMES)
            ask = Agent(client, upstream, ASKED.format(name), f"{way.__name__}-{seed}-{trial}")
            ask("I see.")
            surrogate = upstream.got[0]["content"].removeprefix(before).removesuffix(after)
            guesses = list(way(surrogate, ask))
            told_apart += bool(guesses)
            right += draw.choice(guesses or NAMES) == name
        outcomes[way.__name__] = Outcome(told_apart, right)
    return outcomes


def chance(right: int, trials: int) -> float:
    """The probability that blind guesses are right as often."""
    odds = 1 / len(NAMES)
    return sum(math.comb(trials, one) * odds**one * (1 - odds) ** (trials - one) for one in range(right, trials + 1))


def main() -> None:
    from programs import served

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--shared", action="store_true", help="the server's `foreign_values = shared`")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    upstream = Upstream()
    told = {"TEXTVEIL_UPSTREAM": upstream.url, "TEXTVEIL_POLICY": "prompts"}
    told["TEXTVEIL_FOREIGN_VALUES"] = "shared" if options.shared else "apart"
    with (
        tempfile.TemporaryDirectory() as name,
        served(f"{name}/ledger.sqlite", Path(name), told) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
    ):
        outcomes = attack(client, upstream, options.trials, options.seed)
    for way, (told_apart, right) in outcomes.items():
        odds = f"chance {options.trials / len(NAMES):.1f}"
        print(f"{way:10} a guess told apart in {told_apart}, right in {right} of {options.trials}; {odds}")
    if any(chance(one.right, options.trials) < ALPHA for one in outcomes.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
