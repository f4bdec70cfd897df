"""The page's files as they are sent: read once, named in full, each with headers that keep everything else out."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, NamedTuple

PAGE: Final = "index.html"

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cache-Control": "no-cache",
    }
)
"""Scripts and styles come from this server's files alone, none stands in the page; requests go to this server alone; no
other page may show this one; and no string is ever made into markup."""


class PageFile(NamedTuple):
    """A file with its media type."""

    content: bytes
    media_type: str


@cache
def page_files() -> Mapping[str, PageFile]:
    """Every file of the page by its name."""
    folder = files("textveil.server.page") / "assets"
    shared = files("textveil.pages") / "corrections.js"
    entries = sorted([*folder.iterdir(), shared], key=lambda file: file.name)
    return {file.name: PageFile(file.read_bytes(), _TYPES["." + file.name.rpartition(".")[2]]) for file in entries}
