"""Many small requests: how many bytes the gateway keeps of each, counted by ``tracemalloc``, and by its own account.

    python benchmarks/attacks/memory.py [--requests 1000]

Requests that are refused must leave nothing behind. Of tiny chats, each a conversation of its own, and of one long
chat, the gateway's account must be what is really held, and with a small ``maps_bytes`` no more may be held than that.
Exit status 1 if one of these fails.
"""

import argparse
import asyncio
import gc
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from textveil.budget.account import Account
from textveil.server.budgets import UncountedLedger
from textveil.server.conversations import Conversations
from textveil.server.errors import ApiError
from textveil.server.gateway.bodies import beginning, sanitized_body
from textveil.server.gateway.chat import CHAT
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService

REFUSED_BYTES = 64
"""Of a refused request, at the most: what tracemalloc itself and caches leave."""
ACCOUNT = (0.6, 2.5)
"""Bytes of the account for a byte that is really held: at the least, and at the most."""
ACCOUNTS = Account("attacks", "sender")


async def chat(service: SanitizingService, kept: Conversations, body: Mapping[str, Any], name: str = "") -> None:
    """A request and its answer, as the gateway handles them; a refused one is answered with an error."""
    state = kept.of(ACCOUNTS, name or f"begun {beginning(body, ('messages',))}")
    try:
        made = await sanitized_body(service, body, CHAT, ("model", "messages"), account=ACCOUNTS, state=state)
    except ApiError:
        return
    made.memory.wrote("content", f"Thank you, {name or id(body)}.", f"Thank you, {name or id(body)}.")


def tiny(number: int) -> dict[str, Any]:
    """A chat with a name and a number of its own."""
    text = f"Ask Maria Gonzalez-{number} of Denver, {number}@example.com, on March {number % 28 + 1}, 2024."
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def refused(number: int) -> dict[str, Any]:
    """A chat whose last message holds what cannot be read."""
    return {"model": "m", "messages": [*tiny(number)["messages"], {"role": "user", "content": [{"type": "image_url"}]}]}


async def held(requests: int, send: Callable[[int], Awaitable[None]]) -> float:
    """Bytes that a request leaves behind."""
    for number in range(20):  # what is made once is made
        await send(-1 - number)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(requests):
        await send(number)
    gc.collect()
    return (tracemalloc.get_traced_memory()[0] - before) / requests


async def measured(requests: int) -> tuple[dict[str, float], list[str]]:
    """Figures by name, and what of them is wrong."""
    service = SanitizingService(OfferedPolicies("prompts"), UncountedLedger(), threads=1)
    await service.warm()
    figures: dict[str, float] = {}
    wrong: list[str] = []
    tracemalloc.start()
    try:
        kept = Conversations(seconds=3600, most_bytes=2**40)
        figures["refused, bytes"] = await held(requests, lambda number: chat(service, kept, refused(number)))
        wrong += ["a refused request leaves bytes"] * (figures["refused, bytes"] > REFUSED_BYTES)
        wrong += ["a refused request leaves a conversation"] * (len(kept) > 0)
        for what, name in (("tiny chat", ""), ("turn of a long chat", "long")):
            kept = Conversations(seconds=3600, most_bytes=2**40)
            real = await held(requests, lambda number: chat(service, kept, tiny(number), name))  # noqa: B023
            figures[f"{what}, bytes"], figures[f"{what}, account"] = real, kept.held_bytes / (requests + 20)
            wrong += [f"{what}: the account is not what is held"] * (
                not ACCOUNT[0] < figures[f"{what}, account"] / real < ACCOUNT[1]
            )
        most = requests * 1000
        kept = Conversations(seconds=3600, most_bytes=most)
        figures["tiny chats within maps_bytes, share"] = (
            requests * await held(requests, lambda number: chat(service, kept, tiny(number))) / most
        )
        wrong += ["more is held than maps_bytes"] * (figures["tiny chats within maps_bytes, share"] > 1 / ACCOUNT[0])
    finally:
        tracemalloc.stop()
        service.close()
    return figures, wrong


def main() -> int:
    """Prints the figures; 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1000)
    figures, wrong = asyncio.run(measured(parser.parse_args().requests))
    for name, value in figures.items():
        print(f"{name:40} {value:10,.2f}")
    print("\n".join(wrong) or "ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
