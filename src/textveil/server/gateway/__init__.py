"""The gateway: the OpenAI API, or Anthropic's, in front of another server of it that gets only sanitized text."""

from textveil.server.gateway.routes import gateway_router as gateway_router
