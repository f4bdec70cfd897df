"""A server of the Model Context Protocol: sanitize, restore, detect and audit as tools of a model's host.

Texts are released by the one service of ``server.service``, as those of the gateway are: against a budget that is
taken before a draw; earlier releases of a conversation come again as they were.

Answers of ``restore`` and ``detect`` are as private as the text, and they go to the caller of the tool: in most
hosts that is the model. Give a host whose model must not see originals ``sanitize`` and ``audit`` alone.
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Final, cast

from textveil.budget.account import Account
from textveil.errors import LedgerError, MissingExtra, ParameterError, TextveilError, UnknownNameError, need
from textveil.sanitize.costs import TextCosts
from textveil.server.budgets import budget_data
from textveil.server.conversations import Conversations
from textveil.server.foreign import Origin
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.restoring import Restorer
from textveil.version import VERSION

try:
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp_types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        TextContent,
        Tool,
        ToolAnnotations,
    )
    from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
    from pydantic_core import PydanticCustomError

    from textveil.server.finding import FindingProcesses
    from textveil.server.service import PaidReleases, SanitizingService
except ImportError as error:
    raise MissingExtra((error.name or "mcp").partition(".")[0], "mcp") from None

TOOLS: Final = ("sanitize", "restore", "detect", "audit")  # by name
AUDITED_WORDS: Final = 2000  # by default: seconds, while the whole vocabulary takes minutes
LARGEST: Final = 4_000_000  # characters of a text, at most
_UNPLAIN: Final = "unplain"


def _plain(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError(_UNPLAIN, "hold no NUL character; got one. Take it out")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError(_UNPLAIN, "be Unicode that UTF-8 can write; got a lone surrogate")
    return text


PlainText = Annotated[str, Field(max_length=LARGEST), AfterValidator(_plain)]
"""A string that can be sent on."""

ConversationName = Annotated[str, Field(max_length=200), AfterValidator(_plain)]
"""Of any characters that can be sent on."""


class ToolArguments(BaseModel):
    """What a tool is given; nothing else, and of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class SanitizeArguments(ToolArguments):
    """Of ``sanitize``."""

    text: PlainText = Field(description="The private text.")
    policy: str | None = Field(None, description="One of the policies that this server allows; its first by default.")
    conversation: ConversationName | None = Field(
        None, description="Any name for texts that are restored together. Without it the answer names a new one."
    )


class RestoreArguments(ToolArguments):
    """Of ``restore``."""

    text: PlainText = Field(description="A released text, or one that was written from it.")
    conversation: ConversationName = Field(description="As `sanitize` answered it.")


class DetectArguments(ToolArguments):
    """Of ``detect``."""

    text: PlainText = Field(description="The private text.")


class AuditArguments(ToolArguments):
    """Of ``audit``."""

    mechanism: str = Field(max_length=100, description="A name from `textveil mechanisms`, as neighborhood.")
    epsilon: float | None = Field(None, allow_inf_nan=False, description="Privacy loss of one word; 8 by default.")
    delta: float | None = Field(None, allow_inf_nan=False, description="For mechanisms that have one.")
    words: int = Field(
        AUDITED_WORDS, ge=2, le=200_000, description="Audit over the first so many words of the vocabulary."
    )
    samples: int = Field(0, ge=0, le=10_000_000, description="Draws for each word of a pair, where it is sampled.")


class TextTools:
    """The tools without a protocol: each takes its arguments and returns JSON data.

    Args:
        service: releases; its policies may be named.
        conversations: releases of each, and how to undo them.
        account: whose texts these are, and who pays.
        counted: whether the service's ledger counts; if not, the answers' ``budget`` is None.
        shared: whether a value has one surrogate in all texts of a conversation, and a text that was released before is
            released again. A caller of ``sanitize`` who sees earlier releases then tests guesses with it.
    """

    arguments: ClassVar[Mapping[str, type[ToolArguments]]] = {
        "sanitize": SanitizeArguments,
        "restore": RestoreArguments,
        "detect": DetectArguments,
        "audit": AuditArguments,
    }

    def __init__(
        self,
        service: SanitizingService,
        conversations: Conversations,
        account: Account,
        *,
        counted: bool,
        shared: bool = False,
    ) -> None:
        self._service = service
        self._conversations = conversations
        self._account = account
        self._counted = counted
        self._shared = shared

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(self._service.policies.all)

    async def call(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Run one of ``TOOLS`` with these arguments.

        Raises TextveilError: it cannot be done; the message holds nothing of the text.
        """
        need(tool in self.arguments, "tool", "another", f"one of {', '.join(self.arguments)}", kind=UnknownNameError)
        try:
            arguments = self.arguments[tool].model_validate(dict(given))
        except ValidationError as error:
            raise _wrong(error, self.arguments[tool]) from None
        run = cast(Callable[[Any], Awaitable[dict[str, Any]]], getattr(self, f"_{tool}"))
        return await run(arguments)

    async def _sanitize(self, given: SanitizeArguments) -> dict[str, Any]:
        policy = self._service.policies.name(given.policy)
        name = secrets.token_hex(8) if given.conversation is None else given.conversation
        state = self._conversations.of(self._account, name)
        begun = not state.policies or policy in state.policies
        need(begun, "conversation", "one of another policy", "of the policy that it began with")
        state.scope(policy)  # from here on it is one of this policy
        label = "" if self._shared else secrets.token_hex(16)
        paid = await self._service.release(
            [given.text],
            policy=policy,
            account=self._account,
            conversation=state,
            labels=[label],
            origins=[Origin(label, mixed=False)],
        )
        return {
            "text": paid.releases[0].text,
            "guarantee": paid.guarantee,
            "budget": await self._budget(paid) if self._counted else None,
            "conversation": name,
            "policy": paid.policy,
        }

    async def _budget(self, paid: PaidReleases) -> dict[str, Any]:
        costs = TextCosts.of(self._service.policies.sanitizer(paid.policy).setting)
        try:
            return budget_data(await self._service.balance(self._account), costs)
        except LedgerError:  # the text is paid for and drawn: its asker gets it
            return paid.budget

    async def _restore(self, given: RestoreArguments) -> dict[str, Any]:
        if (state := self._conversations.find(self._account, given.conversation)) is None:
            raise ParameterError("conversation must be one that sanitize answered and that is still remembered.")
        return await self._service.in_thread(partial(_restored, state.maps, given.text))

    async def _detect(self, given: DetectArguments) -> dict[str, Any]:
        found = await self._service.detected(given.text)
        spans = [{"start": span.start, "end": span.end, "kind": span.kind, "score": span.score} for span in found]
        return {"spans": spans}

    async def _audit(self, given: AuditArguments) -> dict[str, Any]:
        return await self._service.in_thread(partial(_audited, given))


def _restored(maps: tuple[PrivateMap, ...], text: str) -> dict[str, Any]:
    done = Restorer(maps).restore(text)
    return {
        "text": done.text,
        "replaced": done.replaced,
        "ambiguous": [place._asdict() for place in done.ambiguous],
        "unused": done.unused,
    }


def _audited(given: AuditArguments) -> dict[str, Any]:
    from textveil.catalog import mechanism
    from textveil.json_text import finite_json
    from textveil.registry.table import lab_function
    from textveil.vocabulary.embedded import load_vocabulary

    options: dict[str, Any] = {"epsilon": given.epsilon, "delta": given.delta}
    words = load_vocabulary(limit=given.words)
    drawing = mechanism(given.mechanism, words, **{key: value for key, value in options.items() if value is not None})
    report = lab_function("audit")(drawing, samples=given.samples, attacks=False)
    return cast(dict[str, Any], finite_json(report.to_data()))


def make_server(tools: TextTools, offered: Collection[str] = TOOLS) -> Server[Any]:
    """Return a server of the Model Context Protocol, for any transport of the SDK.

    Every failure of a tool is an answer of one line that holds nothing of the text; nothing is logged. ``tools``: that
    it runs; ``offered``: names of the tools that clients see and may call. Raises ParameterError: an unknown tool, or
    none at all.
    """
    for tool in offered:
        need(tool in TOOLS, "tools", tool[:40], f"among {', '.join(TOOLS)}")
    need(bool(offered), "tools", "none", "at least one")
    listed = [_listed(name, tools) for name in TOOLS if name in offered]

    async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in offered:
            return _refused(f"tool must be one of {', '.join(tool.name for tool in listed)}; got another.")
        try:
            answer = await tools.call(params.name, params.arguments or {})
        except TextveilError as error:
            return _refused(str(error))
        except Exception as error:
            return _refused(f"internal error: {type(error).__name__}; nothing was released.")
        written = json.dumps(answer, ensure_ascii=False, allow_nan=False)
        return CallToolResult(content=[TextContent(type="text", text=written)], structured_content=answer)

    return Server(
        "textveil",
        version=VERSION,
        title="textveil",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Any], conversations: Conversations, finding: FindingProcesses) -> None:
    """Answer a client on standard input and output until it goes away; conversations expire, and processes end."""
    forgetting = asyncio.create_task(conversations.forget())
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        forgetting.cancel()
        await finding.close()


_INSTRUCTIONS: Final = (
    "Texts are sanitized before they go to somebody else. Put `conversation` of the first answer into every further "
    "call about the same matter. What `restore` and `detect` answer is private: show it to the user, send it nowhere."
)

_DESCRIPTIONS: Final = {
    "sanitize": "Release a text: what the policy names is replaced by values drawn at random, under the guarantee that "
    "the answer states. Policies: {policies}.",
    "restore": "Put the originals back into a released text, or into what was written with it. The answer is private.",
    "detect": "Where names, dates, numbers and addresses stand in a text. The answer is private; what it misses is not "
    "known.",
    "audit": "Whether a mechanism keeps what it claims: proved, certified, refuted with a witness, or not refuted.",
}


def _listed(name: str, tools: TextTools) -> Tool:
    return Tool(
        name=name,
        description=_DESCRIPTIONS[name].format(policies=", ".join(tools.policies)),
        input_schema=tools.arguments[name].model_json_schema(),
        annotations=ToolAnnotations(
            read_only_hint=name != "sanitize",  # which spends
            destructive_hint=False,
            idempotent_hint=name != "sanitize",
            open_world_hint=False,
        ),
    )


def _refused(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _wrong(error: ValidationError, wanted: type[ToolArguments]) -> ParameterError:
    """Tell the first fault of arguments by its name alone: the value may be text."""
    first = error.errors(include_input=False, include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    if name not in wanted.model_fields:
        return ParameterError(f"arguments must be among {', '.join(wanted.model_fields)}; got another. Leave it out.")
    if first["type"] == _UNPLAIN:
        return ParameterError(f"{name} must {first['msg']}.")
    if first["type"] == "missing":
        return ParameterError(f"{name} must be given; got none.")
    return ParameterError(f"{name} must be of another type or size: {first['msg']}.")
