"""Strings of a file of OpenDocument, by the standard library, which reads all, and by odfpy, which opens it."""

import io
from collections.abc import Iterator

from textveil.documents import package_strings
from textveil.documents.check import Shown
from textveil.documents.model import Images
from textveil.errors import InternalError, MissingExtra

try:
    from odf import opendocument, teletype
    from odf.element import Element, Node
except ImportError:
    raise MissingExtra("odfpy", "documents") from None


def strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield every string of a file: of all its parts, and again as odfpy has them."""
    yield from package_strings.strings(data, images)
    failed = ""
    try:
        document = opendocument.load(io.BytesIO(data))
    except Exception as error:
        failed = type(error).__name__
    if failed:
        raise InternalError(f"the written document does not open ({failed}). No file was written.")
    for root in (document.topnode, *(child.topnode for child in document.childobjects)):
        yield from _of(root)


def _of(root: Node) -> Iterator[Shown]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Element):
            continue
        if node.qname[1] in ("p", "h"):
            yield Shown("text as odfpy has it", teletype.extractText(node), False)
        values = {str(value) for value in node.attributes.values() if value}
        yield from (
            Shown("value as odfpy has it", value, False) for value in values if not package_strings.harmless(value)
        )
        waiting += node.childNodes
