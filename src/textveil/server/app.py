"""The application: routes, errors, and their shared state while the server runs."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from fastapi import FastAPI

from textveil.budget.ledger import Ledger
from textveil.certificate.samples import Samples, reader_of
from textveil.errors import need
from textveil.receipts import Signer
from textveil.sanitize.costs import TextCosts
from textveil.server.api import admin_router, router
from textveil.server.config import Config
from textveil.server.conversations import Conversations
from textveil.server.errors import add_handlers
from textveil.server.finding import FindingProcesses
from textveil.server.foreign import ForeignValues
from textveil.server.gateway import gateway_router
from textveil.server.gateway.documents import Documents
from textveil.server.gateway.upstream import Upstream
from textveil.server.guard import Guard
from textveil.server.kept_data import KeptMaps, MapKeeper
from textveil.server.keys import ApiKeys, Callers
from textveil.server.monitoring import ServerMetrics
from textveil.server.page import page_router, reference_router
from textveil.server.policies import OfferedPolicies
from textveil.server.sealed import SealedConversations, SealedMaps
from textveil.server.service import BudgetLedger, SanitizingService
from textveil.version import VERSION
from textveil.whole_files import read_or_made_key


def check_settings(config: Config) -> None:
    """Read what a server reads when it starts, and open nothing.

    Raises ParameterError: a policy cannot be read; or the upstream's URL is not allowed.
    """
    _samples(config, _offered(config), ServerMetrics())
    Upstream.of(config)


def make_app(config: Config, *, ledger: BudgetLedger | None = None, keys: ApiKeys | None = None) -> FastAPI:
    """Return the server as an ASGI application.

    While it runs, ``app.state`` has ``config``, ``metrics``, ``signer``, ``ledger``, ``service``, ``callers``,
    ``keys``, ``maps``, ``upstream`` and ``conversations``.

    Args:
        config: of the server.
        ledger: of budgets; None opens the one of ``config.database``, with its keys.
        keys: of callers; if a ledger is given without them, nobody needs one.

    Raises:
        ParameterError: a policy cannot be read; or the upstream's URL is not allowed.
        OutputError: the folder of samples, or the file of the receipts' key, cannot be written.
    """
    policies = _offered(config)
    Upstream.of(config)  # refused here, in one line: what fails when the server starts is a traceback in its log
    metrics = ServerMetrics()
    if (samples := _samples(config, policies, metrics)) is not None:
        samples.open()
    signer = None if config.receipt_key is None else Signer(read_or_made_key(config.receipt_key, "receipt_key"))

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        own = contextlib.ExitStack()
        books, known = (ledger, keys) if ledger is not None else own.enter_context(open_books(config))
        callers = Callers(
            known,
            seconds=config.key_seconds,
            per_second=config.requests_per_second,
            bound=config.units == "bound",
            policies=config.tenant_policies,
        )
        foreign = ForeignValues.of(config.foreign_values, config.foreign_values_limit)
        most = config.processes or 0
        finding = FindingProcesses(most, policies.ready, policies.all, config.sanitize_seconds)
        service = SanitizingService(
            policies,
            books,
            threads=config.threads,
            seconds=config.sanitize_seconds,
            metrics=metrics,
            foreign=foreign,
            finding=finding,
            shares=most > 0,
            samples=samples,
            remembers=config.maps_seconds,
        )
        app.state.documents = (
            None if config.documents == "refuse" else Documents(config.documents, finding, config.body_bytes)
        )
        upstream = Upstream.of(config)
        app.state.ledger, app.state.service, app.state.upstream = books, service, upstream
        app.state.conversations = Conversations(
            seconds=config.maps_seconds,
            most_bytes=config.maps_bytes,
            store=own.enter_context(kept_conversations(config, traces=known is not None)),
            policy_of=policies.kept,
        )
        app.state.callers, app.state.keys = callers, known
        app.state.maps = own.enter_context(kept_maps(config))
        await service.warm()
        forgetting = [asyncio.create_task(app.state.conversations.forget())]
        if samples is not None:
            forgetting.append(asyncio.create_task(_expire(samples)))
        try:
            yield
        finally:
            for task in forgetting:
                task.cancel()
            await finding.close()
            service.close()
            if samples is not None:
                samples.close()
            callers.close()
            if upstream is not None:
                await upstream.aclose()
            own.close()

    app = FastAPI(
        title="textveil",
        version=VERSION,
        summary="Texts sanitized with differential privacy, against budgets that cannot be overdrawn.",
        lifespan=lifespan,
        docs_url=None,  # the page of FastAPI is made of scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a redirect is no answer of this API
        # Exceptions and invalid fields may quote text: none of them goes to a collector.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.config, app.state.metrics, app.state.signer = config, metrics, signer
    add_handlers(app)
    app.add_middleware(Guard, config=config, metrics=metrics)
    app.include_router(router)
    app.include_router(admin_router)
    app.include_router(reference_router)
    app.include_router(gateway_router())
    app.include_router(page_router())
    return app


def message_costs(config: Config, name: str | None = None) -> TextCosts:
    """Return the costs of draws at a policy; None is the default. An unreadable policy raises ParameterError."""
    policies = _offered(config)
    return TextCosts.of(policies.sanitizer(policies.name(name)).setting)


def _offered(config: Config) -> OfferedPolicies:
    policies = OfferedPolicies(config.policy, config.policies)
    for named in config.tenant_policies.values():
        for name in named:
            policies.name(name)
    return policies


def _samples(config: Config, policies: OfferedPolicies, metrics: ServerMetrics) -> Samples | None:
    """Return what draws conversations of the default policy; None if none is drawn."""
    if config.samples is None:
        return None
    need(config.samples_key is not None, "samples_key", "none", "one where `samples` is set", "textveil keys samples.")
    policy = policies.policy(policies.default)
    keeps = policy.finds_spans and not policy.draws_words
    need(keeps, "samples", "a folder", "left out where the default policy draws words", "Nothing is missed there.")
    return Samples(
        config.samples,
        reader_of(str(config.samples_key)),
        share=config.samples_share,
        days=config.samples_days,
        most=config.samples_conversations,
        facts=(VERSION, policy.name, policy.digest),
        count=lambda what: metrics.samples.labels(what).inc(),
    )


async def _expire(samples: Samples) -> None:
    while True:
        await asyncio.sleep(_EXPIRES_EVERY)
        await asyncio.to_thread(samples.expire)


_EXPIRES_EVERY: Final = 60.0  # seconds


@contextlib.contextmanager
def open_books(config: Config) -> Iterator[tuple[Ledger, ApiKeys]]:
    """Open the ledger of the database and its API keys, until the end of the block.

    Raises LedgerError: the database cannot be opened, or is of another form, or of another key; ParameterError: its URL
    or the key cannot be read.
    """
    place = config.prepared_database()
    with Ledger(place) as ledger, contextlib.closing(ApiKeys(place)) as keys:
        yield ledger, keys


@contextlib.contextmanager
def kept_conversations(config: Config, *, traces: bool = False) -> Iterator[SealedConversations | None]:
    """Open the store of conversations, beside this process's memory, until the end of the block; None if there is none.

    ``config``: says whether they are stored; ``traces``: whether, if they are in memory alone, the database tells which
    answers were of forgotten ones.
    """
    if config.maps == "memory" and not traces:
        yield None
        return
    place, only_traces = config.prepared_database(), config.maps == "memory"
    with contextlib.closing(SealedConversations(place, config.maps_seconds, only_traces=only_traces)) as kept:
        yield kept


@contextlib.contextmanager
def kept_maps(config: Config) -> Iterator[MapKeeper]:
    """Open the store of private maps, until the end of the block."""
    if config.maps == "memory":
        yield KeptMaps(config.maps_seconds, config.maps_bytes)
        return
    with contextlib.closing(SealedMaps(config.prepared_database(), config.maps_seconds)) as maps:
        yield maps
