"""Strings of written files, by other readers than their writers.

Packages of Office Open XML and of OpenDocument are opened by the standard library, which reads all, and OpenDocument by
odfpy too; mail and pages of HTML by html.parser and the older reader of email.
"""

import base64
import email
import io
import re
import zipfile
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from functools import cache
from html.parser import HTMLParser
from typing import Any, Final
from xml.parsers import expat

from textveil.documents.markup import NAMES, PUBLIC_PREFIXES, WORDS
from textveil.documents.model import PUBLIC, STATED, Images, Shown
from textveil.documents.pictures import picture_strings
from textveil.documents.registry import ENDINGS, READERS, reader_of
from textveil.documents.web import INLINE
from textveil.errors import InternalError, MissingExtra

_LINES: Final = frozenset(
    (
        "p si is v h text title name author desc creator note-citation ruby-text index-title-template index-entry-span"
        " header-decl footer-decl date-time-decl note-continuation-notice-backward note-continuation-notice-forward"
        " linenumbering-separator"
    ).split()
)
"""Local names of elements whose text is one, split or whole."""
_NO_TEXT: Final = frozenset(
    ("instrText posOffset align pctWidth pctHeight pctPosHOffset pctPosVOffset tableStyleId formatCode separator Anchor Row"
     " Column AutoFill Locked TextHAlign TextVAlign MoveWithCells SizeWithCells Visible AutoLine DefaultSize PrintObject col"
     " row colOff rowOff x y f formula formula1 formula2 definedName oddHeader oddFooter evenHeader evenFooter firstHeader"
     " firstFooter currency-symbol embedded-text config-item").split()
)  # fmt: skip
"""Local names of elements that hold a number, a formula or a word of the format."""
_HARMLESS: Final = re.compile(
    r"-?[\d.]{1,5}|(?:FF|00)?(?:000000|FFFFFF)(?:FF)?|https?://(?:schemas\.(?:openxmlformats\.org|microsoft\.com)|purl\.oclc\.org"
    r"|www\.w3\.org)(?:/[a-z0-9][A-Za-z0-9.#-]{0,40}){1,9}/?|http://www\.w3\.org/[A-Z0-9]{1,4}(?:/[A-Za-z0-9#-]{1,24}){0,3}"
    r"|urn:schemas-microsoft-com(?::[a-z]{1,12}){1,4}|application/vnd\.openxmlformats[a-z0-9.+A-Z-]{1,120}"
)
_LENGTH: Final = re.compile(
    r"(?:(?:-?\d{0,3}(?:\.\d{1,5})?(?:%|pt|in|cm|mm|pc|px)|#[0-9A-Fa-f]{6}|solid|double|dashed|dotted|none)"
    r"(?: (?=.)|\Z)){1,5}+"
)
"""Lengths, colors and words of a border: no number of anybody has a unit behind every three digits."""
_PLACES: Final = ("r", "ref", "spans")
_CELL: Final = re.compile(r"[A-Z]{1,3}\d{1,7}|\d{1,7}:\d{1,7}")
_FORMULAS: Final = ("f", "formula", "formula1", "formula2", "definedName")
_QUOTED: Final = re.compile(r"(\"[^\"]*\"|'[^']*')")
_REFERENCE: Final = re.compile(r"(?<![\w$])(?:\$?[A-Z]{1,3}\$?\d{1,7}|\$?\d{1,7}:\$?\d{1,7})(?![\w(])")
_KIND: Final = re.compile(r"[A-Za-z]+(?=\d*\.(?:xml(?:\.rels)?|rels|png)$)")


def package_strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
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
            elif info.filename == "mimetype":
                yield Shown(kind, content.decode("ascii"), False)
            elif info.filename.endswith(".png"):
                yield from picture_strings(content, images)
            else:
                raise InternalError(
                    f"the written document holds an unknown part, of the kind {kind}. No file was written."
                )


def _of_xml(kind: str, content: bytes) -> Iterator[Shown]:
    found: list[Shown] = []
    lines: list[list[str]] = [[]]
    stack: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        stack.append(name)
        if name in _LINES:
            lines.append([])
        found.extend(Shown(kind, each, False) for each in (tag, *attributes) if not _is_public(each))
        found.extend(
            Shown(kind, value, False)
            for key, value in attributes.items()
            if not (harmless(value) or (key in _PLACES and _CELL.fullmatch(value)))
        )

    def end(tag: str) -> None:
        if stack.pop() in _LINES:
            line = "".join(lines.pop())
            if line != "Author" and STATED.fullmatch(line) is None and PUBLIC.fullmatch(line) is None:
                found.append(Shown(kind, line, True))

    def data(text: str) -> None:
        if stack[-1] in _NO_TEXT:
            found.append(Shown(kind, _without_places(text) if stack[-1] in _FORMULAS else text, False))
        else:
            lines[-1].append(text)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.Parse(content, True)
    found.append(Shown(kind, "".join(lines[0]), True))
    yield from (shown for shown in found if shown.string.strip())


@cache
def _is_public(name: str) -> bool:
    """Tell whether a name of an element or attribute is one of the formats'; any other is searched too."""
    prefix, _, own = name.rpartition(":")
    if prefix == "xmlns" or name == "xmlns":
        return PUBLIC_PREFIXES.fullmatch("" if name == "xmlns" else own) is not None
    return own in NAMES and PUBLIC_PREFIXES.fullmatch(prefix) is not None


def _without_places(formula: str) -> str:
    """Return a formula without references to cells, whose rows are numbers of nobody."""
    parts = _QUOTED.split(formula)
    parts[::2] = [_REFERENCE.sub(" ", part) for part in parts[::2]]
    return "".join(parts)


@cache
def _public() -> tuple[re.Pattern[str], ...]:
    from textveil.documents.office import FONT, SHAPE, STYLE
    from textveil.documents.sheets import CELL_STYLE

    return tuple(name.public for name in (FONT, SHAPE, CELL_STYLE, STYLE))


def harmless(value: str) -> bool:
    """Tell whether an attribute is a number, a length, a word of the format or a name that is public."""
    return (
        value in WORDS
        or any(form.fullmatch(value) for form in (_HARMLESS, _LENGTH))
        or any(form.fullmatch(value) for form in _public())
    )


def open_strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield every string of a file: of all its parts, and again as odfpy has them."""
    with MissingExtra("odfpy", "documents"):
        from odf import opendocument
    yield from package_strings(data, images)
    failed = ""
    try:
        document = opendocument.load(io.BytesIO(data))
    except Exception as error:
        failed = type(error).__name__
    if failed:
        raise InternalError(f"the written document does not open ({failed}). No file was written.")
    for root in (document.topnode, *(child.topnode for child in document.childobjects)):
        yield from _of_node(root)


def _of_node(root: Any) -> Iterator[Shown]:
    from odf import teletype
    from odf.element import Element

    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Element):
            continue
        if node.qname[1] in ("p", "h"):
            yield Shown("text as odfpy has it", teletype.extractText(node), False)
        values = {str(value) for value in node.attributes.values() if value}
        yield from (Shown("value as odfpy has it", value, False) for value in values if not harmless(value))
        waiting += node.childNodes


_PICTURE: Final = "data:image/png;base64,"


class _Pages(HTMLParser):
    def __init__(self, images: Images) -> None:
        super().__init__(convert_charrefs=True)
        self._images = images
        self.found: list[Shown] = []
        self._line: list[str] = []
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._turn(tag)
        self._style = tag == "style"
        for _, value in attrs:
            if value and value.startswith(_PICTURE):
                self.found += picture_strings(base64.b64decode(value.removeprefix(_PICTURE)), self._images)
            elif value and not value.startswith("data:image/gif"):
                self.found.append(Shown("attribute", value, False))
        if tag == "br":
            self._line.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._turn(tag)
        self._style = False

    def _turn(self, tag: str) -> None:
        if tag not in INLINE and self._line:
            self.found.append(Shown("text", "".join(self._line), True))
            self._line.clear()

    def handle_data(self, data: str) -> None:
        if self._style:
            self.found.append(Shown("style", data, False))
        else:
            self._line.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append(Shown("comment", data, True))

    def handle_pi(self, data: str) -> None:
        self.found.append(Shown("instruction", data, True))


def page_strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield every string of a page: its text by lines, all values, comments if there were any."""
    parser = _Pages(images)
    parser.feed(data.decode("utf-8") + "<p>")
    yield from (shown for shown in parser.found if shown.string.strip())


def mail_strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield every string of a message or a folder of them: headers, names, texts, and what attachments hold."""
    pieces = re.split(rb"(?m)^From MAILER-DAEMON [^\n]{0,80}\n", data) if data.startswith(b"From ") else [data]
    for piece in pieces:
        if piece.strip():
            yield from _of_message(email.message_from_bytes(piece), images)


def _of_message(message: Message, images: Images) -> Iterator[Shown]:
    for name, value in message.items():
        yield Shown("name of a header", name, False)
        text = str(make_header(decode_header(value)))
        if name in ("Content-Type", "Content-Disposition"):
            if (file := message.get_filename()) and name == "Content-Disposition":
                yield Shown("name of an attachment", str(make_header(decode_header(file))), True)
            for _, parameter in message.get_params(failobj=[], header=name)[1:]:
                yield Shown("header", str(parameter), False)
        else:
            yield Shown("header", text, False)
    for around in (message.preamble, message.epilogue):
        if around and around.strip():
            yield Shown("text around parts", around, True)
    if message.is_multipart():
        for part in message.get_payload():
            if isinstance(part, Message):
                yield from _of_message(part, images)
        return
    payload = message.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    if (kind := message.get_content_type()) == "text/html":
        yield from page_strings(content, images)
    elif kind.startswith("text/"):
        yield from (Shown("text of a message", line, True) for line in content.decode("utf-8").split("\n"))
    elif kind == "image/png":
        yield from picture_strings(content, images)
    else:
        if (suffix := ENDINGS.get(kind, "")) not in READERS:
            yield Shown("attachment of another kind", "unknown part", True)
        else:
            yield from reader_of(f"a{suffix}")[1](content, images)
