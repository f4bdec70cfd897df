"""The page that the server shows in a browser."""

from __future__ import annotations

from fastapi import APIRouter


def page_router() -> APIRouter:
    """The routes of the page."""
    return APIRouter()
