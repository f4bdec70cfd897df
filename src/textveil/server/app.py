"""The application: routes, errors, and what they share while the server runs."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI

from textveil.budget.ledger import Ledger
from textveil.server.api import router
from textveil.server.config import Config
from textveil.server.conversations import Conversations
from textveil.server.errors import add_handlers
from textveil.server.gateway import gateway_router
from textveil.server.gateway.upstream import Upstream
from textveil.server.guard import Guard
from textveil.server.maps import KeptMaps
from textveil.server.metrics import ServerMetrics
from textveil.server.page import page_router
from textveil.server.policies import OfferedPolicies
from textveil.server.service import BudgetLedger, SanitizingService
from textveil.version import VERSION


def make_app(config: Config, *, ledger: BudgetLedger | None = None) -> FastAPI:
    """The server as an ASGI application.

    While it runs, ``app.state`` has ``config``, ``metrics``, ``ledger``, ``service``, ``maps``, ``upstream`` and
    ``conversations``.

    Args:
        config: what the server was told.
        ledger: of budgets; None opens the one of ``config.database``.

    Raises:
        ParameterError: a policy cannot be read.
    """
    policies = OfferedPolicies(config.policy, config.policies)
    metrics = ServerMetrics()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        books = _ledger(config) if ledger is None else ledger
        service = SanitizingService(policies, books, threads=config.threads, metrics=metrics)
        upstream = Upstream.of(config)
        app.state.ledger, app.state.service, app.state.upstream = books, service, upstream
        app.state.conversations = Conversations(seconds=config.maps_seconds, most_bytes=config.maps_bytes)
        app.state.maps = KeptMaps(config.maps_seconds, config.maps_bytes)
        await service.warm()
        try:
            yield
        finally:
            service.close()
            if upstream is not None:
                await upstream.aclose()
            if isinstance(books, Ledger) and ledger is None:
                books.close()

    app = FastAPI(
        title="textveil",
        version=VERSION,
        summary="Texts sanitized with differential privacy, against budgets that cannot be overdrawn.",
        lifespan=lifespan,
        # Exceptions and invalid fields may quote text: none of them goes to a collector.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.config, app.state.metrics = config, metrics
    add_handlers(app)
    app.add_middleware(Guard, config=config, metrics=metrics)
    app.include_router(router)
    app.include_router(gateway_router())
    app.include_router(page_router())
    return app


def _ledger(config: Config) -> Ledger:
    """The ledger of the database; the folder of the default one is made."""
    if config.database is None:
        Path(config.database_url).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Ledger(config.database_url)
