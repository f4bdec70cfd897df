"""LiteLLM's synchronous functions with the guardrail around them, for programs that run no proxy.

LiteLLM runs no guardrail for ``litellm.completion`` and its like. Those of this file sanitize what they are given, call
LiteLLM's asynchronous functions in a thread of their own, and restore what comes back.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final

from textveil.budget.account import Account
from textveil.server.litellm_guardrail import TextveilGuardrail

# isort: split
import litellm  # which the line above has found
from anyio.from_thread import start_blocking_portal
from litellm.types.guardrails import GuardrailEventHooks

_END: Final = object()


class GuardedCalls:
    """``completion``, ``text_completion`` and ``embedding`` as LiteLLM has them, guarded; use it in a block.

    Whatever fails before a request goes on means that it does not go on. What LiteLLM itself reads (where to ask and
    with which key, retries) goes on as it is; other fields are read as the gateway reads them, or left out.

    Args:
        guardrail: sanitizes and restores; of this object alone, and not of ``litellm.callbacks``.
        account: whose texts these are, and who pays.

    Raises:
        HTTPException: by each function: the request was not sent; the message holds nothing of the text.
    """

    def __init__(self, guardrail: TextveilGuardrail, account: Account | None = None) -> None:
        self._guardrail = guardrail
        self._account = Account("litellm") if account is None else account
        self._held = contextlib.ExitStack()
        self._portal = self._held.enter_context(start_blocking_portal())

    def completion(self, model: str, messages: list[Any], **fields: Any) -> Any:
        """As ``litellm.completion``; with ``stream=True`` an iterator of chunks."""
        return self._answer(litellm.acompletion, "acompletion", {"model": model, "messages": messages, **fields})

    def text_completion(self, model: str, prompt: Any, **fields: Any) -> Any:
        """As ``litellm.text_completion``."""
        return self._answer(litellm.atext_completion, "atext_completion", {"model": model, "prompt": prompt, **fields})

    def embedding(self, model: str, input: Any, **fields: Any) -> Any:
        """As ``litellm.embedding``."""
        return self._answer(litellm.aembedding, "aembedding", {"model": model, "input": input, **fields})

    def close(self) -> None:
        """End the thread, once what is under way has come to its end."""
        self._held.close()

    def __enter__(self) -> GuardedCalls:
        """This, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, function: Callable[..., Awaitable[Any]], kind: str, asked: dict[str, Any]) -> Any:
        answer = self._portal.call(self._asked, function, kind, asked)
        return self._chunks(answer) if isinstance(answer, AsyncIterator) else answer

    async def _asked(self, function: Callable[..., Awaitable[Any]], kind: str, asked: dict[str, Any]) -> Any:
        sent = await self._guardrail.async_pre_call_hook(self._account, None, asked, kind)
        answer = await function(**sent)
        if not self._guardrail.should_run_guardrail(sent, GuardrailEventHooks.post_call):
            return aiter(answer) if isinstance(answer, AsyncIterable) else answer
        if isinstance(answer, AsyncIterable):
            return self._guardrail.async_post_call_streaming_iterator_hook(None, aiter(answer), sent)
        return await self._guardrail.async_post_call_success_hook(sent, None, answer)

    def _chunks(self, answer: AsyncIterator[Any]) -> Iterator[Any]:
        while (chunk := self._portal.call(anext, answer, _END)) is not _END:
            yield chunk
