"""The body of a request released: by the gateway, and by whatever else stands between an asker and a model."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from textveil.budget.account import Account
from textveil.errors import InternalError
from textveil.server.conversations import ConversationState
from textveil.server.gateway.memory import RequestMemory
from textveil.server.gateway.reading import TEXTS, Reader, RequestReading, written
from textveil.server.service import SanitizingService, beside
from textveil.text.escapes import BORDER


class SanitizedBody(NamedTuple):
    """A body that may go on.

    Attributes:
        body: JSON data in which every text was released.
        memory: of the conversation; restores the answer.
        headers: for the asker: what was left out, and what it cost.
    """

    body: dict[str, Any]
    memory: RequestMemory
    headers: dict[str, str]


async def sanitized_body(
    service: SanitizingService,
    asked: Mapping[str, Any],
    readers: Mapping[str, Reader],
    needed: Sequence[str],
    *,
    account: Account,
    state: ConversationState,
    policy: str | None = None,
    size: int = 0,
    most: int = TEXTS,
    fails_open: bool = False,
) -> SanitizedBody:
    """A body with every text of it released.

    Args:
        service: releases.
        asked: the body as it came; it stays as it is.
        readers: of its fields.
        needed: those that must be there.
        account: who pays.
        state: of the conversation.
        policy: a name; None is the default.
        size: bytes of the body, where they are known: a long one is read in a thread.
        most: texts that it may hold.
        fails_open: whether its texts go on as they are where the engine fails, nobody's budget being limited.

    Raises:
        ApiError: a part of it cannot be read, and so does not go on.
        BudgetExhausted: nothing was drawn.
    """
    memory = RequestMemory(state)
    chosen = service.policies.policy(service.policies.name(policy))
    reading = RequestReading(memory, escapes=not chosen.draws_words, most=most)
    template = await beside(size, partial(reading.fields, asked, "", readers, needed))
    memory.behind = reading.stands("messages" if "messages" in readers else "input")
    headers = {"X-Textveil-Left-Out": ", ".join(reading.left_out)[:2000]} if reading.left_out else {}
    texts: list[str] = []
    if reading.pieces:
        wholes = reading.wholes()
        try:
            paid = await service.release(
                [BORDER.join(piece.text for piece in pieces) for pieces in wholes],
                policy=policy,
                account=account,
                conversation=state,
                labels=[pieces[0].label for pieces in wholes],
                origins=[pieces[0].origin for pieces in wholes],
            )
        except Exception as error:
            if not fails_open or not await service.may_send_unprotected(error, policy, account):
                raise
            texts = [piece.text for pieces in wholes for piece in pieces]
            headers["X-Textveil-Unprotected"] = "true"
            return SanitizedBody(await beside(size, partial(written, template, texts)), memory, headers)
        memory.sent(paid.releases)
        for release, pieces in zip(paid.releases, wholes, strict=True):
            parts = release.text.split(BORDER) if len(pieces) > 1 else [release.text]
            if len(parts) != len(pieces):
                raise InternalError(
                    "a release must have the parts of its text; got others. Nothing was sent; report it."
                )
            texts += parts
        headers["X-Textveil-Guarantee"] = str(paid.guarantee["text"]).encode("ascii", "replace").decode()
        headers["X-Textveil-Policy"] = paid.policy
        if paid.budget["remaining"] is not None:
            headers["X-Textveil-Budget"] = paid.budget["left"]
    return SanitizedBody(await beside(size, partial(written, template, texts)), memory, headers)


def beginning(asked: Mapping[str, Any], names: Sequence[str]) -> str:
    """What a history begins with: all until the first message of its user."""
    begins: dict[str, Any] = {}
    for name in names:
        value = asked.get(name)
        if isinstance(value, list):
            first = (
                at for at, message in enumerate(value) if isinstance(message, dict) and message.get("role") == "user"
            )
            value = value[: next(first, len(value)) + 1]
        begins[name] = _said(value)
    return json.dumps(begins, sort_keys=True)


def _said(value: Any) -> Any:
    """What JSON data says, however a client writes it: marks of caches move, and a text may be the only one of a list.

    Who sends a history again so would begin another conversation, and pay for all of it anew.
    """
    if isinstance(value, dict):
        said = {name: _said(part) for name, part in value.items() if name != "cache_control"}
        return said["text"] if said.keys() == {"type", "text"} and said["type"] == "text" else said
    if isinstance(value, list):
        several = [_said(part) for part in value]
        return several[0] if len(several) == 1 and isinstance(several[0], str) else several
    return value
