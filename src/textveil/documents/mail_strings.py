"""Strings of mail and of pages of HTML, by html.parser and the older reader of email: not those of their writers."""

import base64
import email
import re
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from html.parser import HTMLParser
from typing import Final

from textveil.documents.check import Shown
from textveil.documents.model import Images
from textveil.documents.pictures import picture_strings
from textveil.documents.registry import ENDINGS, READERS, reader_of
from textveil.documents.web import INLINE

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


def strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield every string of a message or a folder of them: headers, names, texts, and what attachments hold."""
    pieces = re.split(rb"(?m)^From MAILER-DAEMON [^\n]{0,80}\n", data) if data.startswith(b"From ") else [data]
    for piece in pieces:
        if piece.strip():
            yield from _of(email.message_from_bytes(piece), images)


def _of(message: Message, images: Images) -> Iterator[Shown]:
    for name, value in message.items():
        yield Shown("name of a header", name, False)
        text = str(make_header(decode_header(value)))
        if name in ("Content-Type", "Content-Disposition"):
            file = message.get_filename()
            if file and name == "Content-Disposition":
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
                yield from _of(part, images)
        return
    payload = message.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    kind = message.get_content_type()
    if kind == "text/html":
        yield from page_strings(content, images)
    elif kind.startswith("text/"):
        yield from (Shown("text of a message", line, True) for line in content.decode("utf-8").split("\n"))
    elif kind == "image/png":
        yield from picture_strings(content, images)
    else:
        suffix = ENDINGS.get(kind, "")
        if suffix not in READERS:
            yield Shown("attachment of another kind", "unknown part", True)
        else:
            yield from reader_of(f"a{suffix}")[1](content, images)
