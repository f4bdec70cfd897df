"""The page that the server shows in a browser: a text, what is found in it, what leaves, and what that costs."""

from fastapi import APIRouter

from textveil.server.page.routes import add_files, add_work
from textveil.server.request_json import StrictRoute


def page_router() -> APIRouter:
    """The routes of the page."""
    router = APIRouter(route_class=StrictRoute)
    add_files(router)
    add_work(router)
    return router
