"""A hook of mkdocs: a link from a page to a file outside docs/ becomes the path of that file in the repository."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./([^)#\s]+)[^)]*\)")


def _path(link: re.Match[str]) -> str:
    label, path = link.group(1).strip("`"), link.group(2)
    return f"`{path}`" if label.removeprefix("../") in path else f"{label} (`{path}`)"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page's Markdown with links that leave docs/ as text."""
    return OUTSIDE.sub(_path, markdown)
