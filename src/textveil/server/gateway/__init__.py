"""The gateway: the OpenAI API in front of another server of it, to which only sanitized text is sent."""

from __future__ import annotations

from fastapi import APIRouter


def gateway_router() -> APIRouter:
    """The routes of the gateway."""
    return APIRouter()
