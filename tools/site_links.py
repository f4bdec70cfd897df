"""A hook of mkdocs: tables that only the site has; a link to a file outside docs/ becomes that file's path."""

import re
from typing import Any

from doc_tables import with_site_tables

OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./([^)#\s]+)[^)]*\)")


def _path(link: re.Match[str]) -> str:
    label, path = link.group(1).strip("`"), link.group(2)
    return f"`{path}`" if label.removeprefix("../") in path else f"{label} (`{path}`)"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page's Markdown with all its tables, and with links that leave docs/ as text."""
    return OUTSIDE.sub(_path, with_site_tables(markdown))
