"""Pictures: blank ones of the same size, ones whose text is read and painted over, or a refusal; and files of one."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from textveil.documents.model import Images, Passage, Piece, Shown
from textveil.errors import InputError, InternalError

if TYPE_CHECKING:
    from textveil.documents.ocr import Pixels, Read


Painted: TypeAlias = Callable[[], bytes]
"""Gives what stands for a picture, a PNG file, once the passages are written."""


def _png() -> bytes:
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\xee")),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


BLANK: Final = _png()
"""A picture of one point, light gray."""


class Pictures:
    """The pictures of one file: ``passages`` is the text that was read in them, which is written like any other."""

    def __init__(self, images: Images, parts: Counter[str]) -> None:
        self._images = images
        self._parts = parts
        self.passages: list[Passage] = []

    def take(self, data: bytes) -> Painted:
        """Read a picture, of any kind. Raises InputError: pictures are refused."""
        if (pixels := self._of_file(data)) is None:
            return lambda: BLANK

        from textveil.documents.ocr import png_of

        return lambda: png_of(pixels())

    def take_pixels(self, decoded: Callable[[], Pixels | None]) -> Callable[[], Pixels] | None:
        """Read a picture that another library decodes, or that it cannot; None: a blank one stands for it."""
        if self._images == "refuse":
            raise InputError("the document must hold no pictures where `images` is refuse; it does.")
        if self._images == "ocr":
            from textveil.documents.ocr import painted, read

            if (pixels := decoded()) is not None:
                boxes = read(pixels)
                texts = self._passages(boxes)
                self._parts["picture, painted over"] += 1
                return lambda: painted(pixels, boxes, texts)
        self._parts["picture, blank"] += 1
        return None

    def _of_file(self, data: bytes) -> Callable[[], Pixels] | None:
        def decoded() -> Pixels | None:
            from textveil.documents.ocr import pixels_of

            return pixels_of(data)

        return self.take_pixels(decoded)

    def _passages(self, boxes: list[Read]) -> list[str | None]:
        """Make a passage of each line that was surely read; returns what is to stand in each box, None for nothing."""
        texts: list[str | None] = []
        above: Read | None = None
        for number, box in enumerate(boxes):
            texts.append(box.text if box.sure else None)
            if not box.sure:
                self._parts["line in a picture, not surely read, blank"] += 1
                continue
            before = "\n\n" if above is None else "\t" if box.is_beside(above) else "\n"
            self.passages.append(Passage("text in a picture", [_place(texts, number)], before))
            above = box
        return texts


def _place(texts: list[str | None], number: int) -> Piece:
    return Piece(texts[number] or "", lambda new: texts.__setitem__(number, new))


def picture_strings(data: bytes, images: Images) -> Iterator[Shown]:
    """Yield what a picture of a written file says. Raises InternalError: it is none that is made here."""
    if len(data) < _LARGEST_BLANK:
        return
    if images != "ocr" or not is_bare(data):
        raise InternalError("the written document holds a picture that was not painted over. No file was written.")
    from textveil.documents.ocr import pixels_again, read

    yield Shown("picture", said(read(pixels_again(data))), False)


def said(boxes: list[Read]) -> str:
    """Return all that was read, surely or not, as one text."""
    return " ".join(box.text for box in boxes)


_LARGEST_BLANK: Final = 200
_CHUNKS: Final = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_SEGMENTS: Final = frozenset((0xC0, 0xC1, 0xC2, 0xC4, 0xDA, 0xDB, 0xDD, 0xE0))


def is_bare(data: bytes) -> bool:
    """Tell whether a PNG or JPEG file holds pixels alone: no text, date, place, profile or preview."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        at = 8
        while at + 8 <= len(data):
            size, kind = struct.unpack(">I4s", data[at : at + 8])
            at += 12 + size
            if kind not in _CHUNKS:
                return False
            if kind == b"IEND":
                return at == len(data)
        return False
    at = 2
    while data.startswith(b"\xff\xd8") and at + 4 <= len(data) and data[at] == 0xFF:
        kind, size = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if kind not in _SEGMENTS or (kind == 0xE0 and size != 16):
            return False
        if kind == 0xDA:
            return data.index(b"\xff\xd9", at) == len(data) - 2
        at += 2 + size
    return False


class PictureFile:
    """A picture that was read; see the package's docstring."""

    def __init__(self, data: bytes, images: Images) -> None:
        if images != "ocr":
            raise InputError(f"a picture alone needs `images` ocr, which reads it; got {images}.")
        from textveil.documents.ocr import pixels_of

        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        if (pixels := pixels_of(data)) is None:
            raise InputError("the document must be a whole picture of moderate size; it is damaged, or something else.")
        pictures = Pictures(images, self.parts)
        self._painted = pictures.take_pixels(lambda: pixels)
        self._png = data.startswith(b"\x89PNG")
        self.passages = pictures.passages
        self.removed["data beside pixels"] += not is_bare(data)

    def written(self) -> bytes:
        """Return the file, made of its pixels alone."""
        if self._painted is None:
            raise InternalError("a picture that was read must be painted over; it was not. No file was written.")
        from textveil.documents.ocr import jpeg_of, png_of

        return (png_of if self._png else jpeg_of)(self._painted())


def file_strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield what is read in the written picture."""
    if not is_bare(data):
        raise InternalError("the written picture holds more than pixels. No file was written.")
    from textveil.documents.ocr import pixels_again, read

    yield Shown("picture", said(read(pixels_again(data))), False)
