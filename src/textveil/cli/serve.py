"""``textveil serve``: the HTTP server; ``textveil mcp``: a server of the Model Context Protocol on standard streams.

``textveil doctor``: what this installation can do, where it keeps things, and whether an upstream answers.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from textveil.cli import options as opt
from textveil.environment import cores
from textveil.errors import MissingExtra, ParameterError, need
from textveil.pages.messages import plain_row, row, said

if TYPE_CHECKING:
    from textveil.budget.account import Account
    from textveil.server.config import Config
    from textveil.server.policies import OfferedPolicies


@dataclass(frozen=True, kw_only=True)
class _ServerOptions:
    host: str | None = opt.value("H", "Address to listen on.  [default: 127.0.0.1]")
    port: int | None = opt.value("P", "Port; 0 takes a free one.  [default: 8000]")
    database: str | None = opt.value(
        "URL", "Of budgets and keys: sqlite:///FILE, postgresql://... or a path.  [default: a file of yours]"
    )
    upstream: str | None = opt.value("URL", "Base URL of an OpenAI or Anthropic API: sanitized text is sent there.")
    policy: str | None = opt.value("NAME", "Used where a request names none.  [default: identifiers]", None, "--policy")
    policies: Path | None = opt.value("FOLDER", "Policies of your own: NAME.toml is used by its name.")
    budget: str | None = opt.value("B", 'Without API keys: as "40" nats, "40 messages", "40 messages a day".')


@opt.grouped
def serve_command(
    *,
    server: _ServerOptions,
    config: Path | None = opt.value("FILE", "TOML; see docs/server.md."),
    language: opt.Language = None,
    check: Annotated[
        bool, opt.flag("--check", "Print what the server would run with, secrets masked, and stop.")
    ] = False,
) -> None:
    """Sanitize over HTTP, with a budget for each person, in front of an OpenAI or Anthropic API."""
    told = settled(config, vars(server))
    with needs_server():
        from textveil.server.app import check_settings
        from textveil.server.process import run_server
    if not check:
        run_server(told)
        return
    check_settings(told)
    sys.stdout.write(told.shown())


def settled(file: Path | None, overrides: dict[str, Any]) -> Config:
    """Return what a server is told, by a file, the environment and options."""
    with needs_server():
        from textveil.server.config import load_config
    return load_config(file, os.environ, overrides)


@contextlib.contextmanager
def needs_server() -> Iterator[None]:
    """Turn failed imports of the block into the error that names the extra of the server."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("textveil"):
            raise
        raise MissingExtra(error.name or "fastapi", "server") from None


_THREADS: Final = 8  # that sanitize long texts, restore, detect and audit
_MOST_BYTES: Final = 256 * 2**20  # of text that all conversations may take, about; the least used are then forgotten


@dataclass(frozen=True, kw_only=True)
class _PayerOptions:
    ledger: str | None = opt.value(
        "URL", "Take what each release costs from the budgets of this ledger: a path, or a URL."
    )
    unit: str | None = opt.value("PERSON", "With --ledger: whose texts these are; any identifier.")
    tenant: str = opt.value("T", "With --ledger: who runs this.", default="local")

    def account(self) -> Account:
        """Return the account that pays; without a ledger nobody is named."""
        from textveil.budget.account import Account

        need(self.ledger is not None or self.unit is None, "unit", "one", "left out where there is no `ledger`")
        return Account(self.tenant, self.unit)


@opt.grouped
def mcp_command(
    *,
    policy: list[str] | None = opt.value(
        "NAME|FILE",
        "A policy that clients may ask for; may be repeated, and the first is the default.  [default: prompts]",
    ),
    tools: list[str] | None = opt.value(
        "NAME", "sanitize, restore, detect or audit: offer this one; may be repeated.  [default: all]"
    ),
    payer: _PayerOptions,
    forget_after: float = opt.value(
        "S", "Forget a conversation that was not used for so many seconds.", default=3600.0
    ),
    foreign_values: str = opt.value(
        "apart|shared",
        "shared: one value has one surrogate in all texts of a conversation, so whoever calls sanitize and "
        "sees its releases can test guesses.",
        default="apart",
    ),
    foreign_values_limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="Values that a conversation may have.")
    ] = 2000,
) -> None:
    """Offer sanitize, restore, detect and audit to a client of the Model Context Protocol, which starts this command.

    What restore and detect answer goes to the client, and in most of them to its model: leave these two out if the
    model must not see originals.
    """
    import asyncio  # a twentieth of a second, which other commands do not need

    need(forget_after > 0, "forget_after", forget_after, "above 0")
    from textveil.server.budgets import ledger_of
    from textveil.server.conversations import Conversations
    from textveil.server.finding import FindingProcesses
    from textveil.server.foreign import ForeignValues
    from textveil.server.mcp_server import TOOLS, TextTools, make_server, serve_stdio
    from textveil.server.service import SECONDS, SanitizingService

    account = payer.account()
    foreign = ForeignValues.of(foreign_values, foreign_values_limit)
    offered = _offered(policy or ["prompts"])
    conversations = Conversations(seconds=forget_after, most_bytes=_MOST_BYTES)
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)  # its tracebacks may quote what it was sent
    with contextlib.ExitStack() as held:
        books = held.enter_context(contextlib.closing(ledger_of(payer.ledger)))
        finding = FindingProcesses(0, offered.ready, offered.all, SECONDS)
        service = SanitizingService(offered, books, threads=_THREADS, foreign=foreign, finding=finding, shares=False)
        held.callback(service.close)
        texts = TextTools(service, conversations, account, counted=payer.ledger is not None, shared=foreign.shared)
        asyncio.run(serve_stdio(make_server(texts, tuple(tools or TOOLS)), conversations, finding))


def _offered(names: Sequence[str]) -> OfferedPolicies:
    """Make the sanitizers of policies; what cannot be served is told before a client comes."""
    from textveil.sanitize.policy.choice import policy
    from textveil.server.policies import OfferedPolicies

    policies = [policy(offer) for offer in names]
    by_name = {offer.name: offer for offer in policies}
    need(len(by_name) == len(policies), "policy", "two of one name", "of different names")
    offered = OfferedPolicies(policies[0].name, policies=by_name)
    for name in by_name:
        offered.sanitizer(name)
    return offered


_NOT_FOR_USE = frozenset({"benchmark", "dev", "docs", "full", "test"})  # extras for who builds textveil
_SECONDS = 5.0
_OF_NAMES = frozenset({"extras", "policies"})  # lists of names, which are the same in every language
_NONE = "none"
_KEYED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Finding(NamedTuple):
    """One thing that was looked at."""

    about: str
    said: str
    fine: bool = True


def doctor_command(
    upstream: Annotated[
        str | None, opt.option("URL", "Base URL of an API: says whether it answers, by GET /models without a key.")
    ] = None,
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> int:
    """Say what this installation can do, where it keeps things, and which extras are missing.

    Exit code 1 if something that was asked for fails.
    """
    findings = list(_findings(upstream))
    lines: list[str] = []
    for each in findings:
        shown = plain_row if each.about in _OF_NAMES and each.said != _NONE else row
        lines += shown(each.about, each.said) if each.fine else row("FAILS", f"{said(each.about)}: {said(each.said)}")
    opt.show([each._asdict() for each in findings], lines, as_json=as_json)
    return 0 if all(each.fine for each in findings) else 1


def _findings(upstream: str | None) -> Iterator[Finding]:
    from textveil.sanitize.policy.choice import PRESETS
    from textveil.vocabulary.public_tables import tables_folder
    from textveil.vocabulary.table_files import table_files

    yield Finding("textveil", f"{version('textveil')} on Python {platform.python_version()}, {cores()} processors")
    yield Finding("policies", ", ".join(PRESETS))
    folder = tables_folder()
    tables = table_files(folder)
    yield Finding("cache", f"{folder}: {len(tables)} public tables, {sum(each.nbytes for each in tables) / 1e6:.1f} MB")
    yield Finding("lab", _lab())
    there, missing = _extras()
    if "server" in there:
        from textveil.server.config import Config

        yield Finding("budgets", f"{Config().database_url}; serve and keys use it unless --database names another")
    yield Finding("extras", ", ".join(there) or _NONE)
    yield Finding("missing", f"{', '.join(missing)}: pip install 'textveil[NAME]'" if missing else "none")
    if upstream is not None:
        yield _answer(upstream)


def _lab() -> str:
    try:
        return version("textveil-lab")
    except PackageNotFoundError:
        return "not installed; in a clone: python -m pip install ./lab"


def _extras() -> tuple[list[str], list[str]]:
    """Return the extras whose packages are installed, whatever their versions, and those that miss one."""
    packages: dict[str, set[str]] = defaultdict(set)
    for line in requires("textveil") or ():
        if (extra := re.search(r"extra == ['\"]([\w-]+)", line)) is not None:
            packages[extra[1]].update(re.findall(r"^[\w.-]+", line))
    names = sorted(set(packages) - _NOT_FOR_USE)
    there = [name for name in names if all(map(_is_installed, packages[name]))]
    return there, [name for name in names if name not in there]


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _answer(upstream: str) -> Finding:
    from urllib.error import HTTPError, URLError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    address = urlsplit(upstream)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ParameterError("--upstream must be a URL that begins with http:// or https://; got another.")
    with needs_server():
        from textveil.server.gateway.upstream import base_of
    models = f"{base_of(upstream)}/models"  # which every such API has
    try:
        with urlopen(models, timeout=_SECONDS) as answer:
            return Finding("upstream", f"{models} answers ({answer.status})")
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            hint = "is the URL that of the API, as https://api.openai.com/v1?"
            return Finding("upstream", f"{models} is not there (404): {hint}", fine=False)
        key = ": it asks for a key, which this command does not send" if error.code in _KEYED else ""
        return Finding("upstream", f"{models} answers ({error.code}){key}")
    except (URLError, OSError, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ConnectionRefusedError):
            return Finding("upstream", f"{address.netloc} refuses connections: is the service running?", fine=False)
        told = f"{address.hostname} does not answer within {_SECONDS:g} s ({type(cause).__name__})"
        return Finding("upstream", told, fine=False)
