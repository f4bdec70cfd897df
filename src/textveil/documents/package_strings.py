"""Strings of a package of Office Open XML or of OpenDocument, by the standard library alone."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

from textveil.documents.check import Shown
from textveil.errors import InternalError

_LINES: Final = frozenset(("p", "si", "is", "v", "f", "h", "text", "title"))
"""Local names of elements whose text is one, split or whole."""
_NO_TEXT: Final = frozenset(("instrText", "posOffset", "align", "pctWidth", "pctHeight", "tableStyleId"))
"""Local names of elements that hold a number or a word of the format."""
_HARMLESS: Final = re.compile(
    r"-?[\d.]{1,5}|[a-z][A-Za-z]{0,31}|https?://(?:schemas\.(?:openxmlformats\.org|microsoft\.com)|purl\.oclc\.org"
    r"|www\.w3\.org)/.*|urn:schemas-microsoft-com:.*|application/vnd\.openxmlformats.*",
)
_KIND: Final = re.compile(r"[A-Za-z]+(?=\d*\.(?:xml(?:\.rels)?|rels|png)$)")


def strings(data: bytes) -> Iterator[Shown]:
    """Yield every string of a package: its text by lines, all other values, and the names of its parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if archive.comment:
            raise InternalError("the written document has a comment of its archive. No file was written.")
        for info in archive.infolist():
            kind = (_KIND.findall(info.filename) or ["another"])[-1]
            yield Shown(kind, info.filename, False)
            content = archive.read(info)
            if info.filename.endswith((".xml", ".rels")):
                yield from _of_xml(kind, content)
            elif not (info.filename.endswith(".png") and len(content) < 200):
                raise InternalError(f"the written document has an unknown part ({kind}). No file was written.")


def _of_xml(kind: str, content: bytes) -> Iterator[Shown]:
    found: list[Shown] = []
    lines: list[list[str]] = [[]]
    stack: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        stack.append(name)
        if name in _LINES:
            lines.append([])
        found.extend(Shown(kind, value, False) for value in attributes.values() if not _HARMLESS.fullmatch(value))

    def end(tag: str) -> None:
        if stack.pop() in _LINES:
            found.append(Shown(kind, "".join(lines.pop()), True))

    def data(text: str) -> None:
        if stack[-1] in _NO_TEXT:
            found.append(Shown(kind, text, False))
        else:
            lines[-1].append(text)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.Parse(content, True)
    found.append(Shown(kind, "".join(lines[0]), True))
    yield from (shown for shown in found if shown.string.strip())
