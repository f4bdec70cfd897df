"""Names of elements and attributes that formats have, and how tables spell them."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

_OPEN_XML: Final = "http://schemas.openxmlformats.org/"
_STRICT: Final = "http://purl.oclc.org/ooxml/"
_MICROSOFT: Final = "http://schemas.microsoft.com/office/"
_PATHS: Final = {
    "wordprocessingml": "w", "spreadsheetml": "x", "presentationml": "p", "drawingml": "a", "drawingml/chart": "c",
    "drawingml/picture": "pic", "drawingml/wordprocessingDrawing": "wp", "drawingml/spreadsheetDrawing": "xdr",
    "drawingml/chartDrawing": "cdr", "officeDocument/relationships": "r", "officeDocument/math": "m",
    "drawingml/diagram": "dgm", "drawingml/lockedCanvas": "lc",
}  # fmt: skip
_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_OPEN_PATHS: Final = {
    **{name: name for name in ("office", "style", "text", "table", "meta", "chart", "dr3d", "presentation", "config")},
    "drawing": "draw", "xsl-fo-compatible": "fo", "svg-compatible": "svg", "datastyle": "number", "form": "form",
    "script": "script", "animation": "anim", "smil-compatible": "smil", "manifest": "manifest",
}  # fmt: skip
PREFIXES: Final = {
    **{
        f"{_OPEN_XML}{path}/{year}": prefix for path, prefix in _PATHS.items() for year in ("main", "2006/main", "2006")
    },
    **{f"{_STRICT}{path}{tail}": prefix for path, prefix in _PATHS.items() for tail in ("", "/main")},
    **{
        f"{_OPEN_XML}{path.partition('/')[0]}/2006/{path.partition('/')[2]}": prefix
        for path, prefix in _PATHS.items()
        if "/" in path
    },
    f"{_OPEN_XML}markup-compatibility/2006": "mc",
    f"{_OPEN_XML}package/2006/relationships": "rel",
    f"{_OPEN_XML}package/2006/content-types": "ct",
    f"{_MICROSOFT}word/2010/wordprocessingShape": "wps",
    f"{_MICROSOFT}word/2010/wordprocessingGroup": "wpg",
    f"{_MICROSOFT}word/2010/wordprocessingCanvas": "wpc",
    f"{_MICROSOFT}word/2010/wordprocessingDrawing": "wp14",
    f"{_MICROSOFT}word/2010/wordml": "w14",
    f"{_MICROSOFT}drawing/2010/main": "a14",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:word": "w10",
    "urn:schemas-microsoft-com:office:excel": "xl",
    "http://www.w3.org/XML/1998/namespace": "xml",
    **{f"{_OASIS}{path}:1.0": prefix for path, prefix in _OPEN_PATHS.items()},
    "http://www.w3.org/1999/xlink": "xlink",
    "http://purl.org/dc/elements/1.1/": "dc",
}
"""Namespaces that are known, and how tables spell them; both forms of Office Open XML are one."""
PUBLIC_PREFIXES: Final = re.compile(
    r"|(?:ns|x|w|a|p|c|xr)\d{0,2}|[wx]1\d[a-z]{0,3}|x14ac|" + "|".join(PREFIXES.values())
)
"""Prefixes of namespaces as programs write them."""


def listed(file: str) -> frozenset[str]:
    """Return the words of a list beside this file."""
    lines = Path(__file__).with_name(file).read_text("ascii").splitlines()
    return frozenset(name for line in lines if line[0] != "#" for name in line.split())


NAMES: Final = listed("names.txt")
"""Names of elements and attributes in the schemas of the formats. Any other name may hold anything."""
WORDS: Final = listed("words.txt")
"""Words that attributes have in the schemas of Office Open XML. Any other word may be anybody's."""


@cache
def short(tag: str) -> str:
    """Return the name of an element or attribute as tables spell it; empty where it, or its namespace, is not known."""
    namespace, _, name = tag[1:].partition("}") if tag[:1] == "{" else ("", "", tag)
    prefix = PREFIXES.get(namespace, "")
    return "" if name not in NAMES else f"{prefix}:{name}" if prefix else "" if namespace else name


def attribute(element: Any, name: str) -> str:
    """Return an attribute of an element by its short name; empty where there is none."""
    return next((value for key, value in element.attrib.items() if short(key) == name), "")


_NO_SHEET: Final = re.compile(r"[\[\]:*?/\\]|^'|'$")


def sheet_name(text: str) -> str:
    """Return a name that a sheet can have."""
    return _NO_SHEET.sub(" ", text)[:31].strip() or "Sheet"
