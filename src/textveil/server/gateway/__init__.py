"""The gateway: the OpenAI API in front of another server of it, to which only sanitized text is sent."""

from __future__ import annotations

from textveil.server.gateway.routes import gateway_router as gateway_router
