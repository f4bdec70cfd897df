"""How ordinary programs write a text inside another: each of these is read back as the text."""

import html
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

WAYS: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "JSON string": json.dumps,
        "JSON string in UTF-8": lambda text: json.dumps(text, ensure_ascii=False),
        "JSON object": lambda text: json.dumps({"id": 7, "text": text, "next": [None, text]}),
        "within a JSON string": lambda text: json.dumps(text)[1:-1],
        "percent-encoding": lambda text: quote(text, safe=""),
        "percent-encoding, small": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
        "URL": lambda text: f"https://q.org/?q={quote(text)}&p=1",
        "HTML": html.escape,
        "HTML, ASCII": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
        "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(one):X};" for one in text),
        "Python, bytes": lambda text: repr(text.encode()),
    }
)
"""By name; those that are no whole string leave the text's own letters between others."""
