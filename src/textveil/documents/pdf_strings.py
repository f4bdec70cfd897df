"""Strings of a PDF file, by two other readers than its writer: pdfium shows pages, pypdf reads every object."""

import io
import logging
import re
import warnings
from collections.abc import Iterator
from typing import Any

from textveil.documents.model import Images, Shown
from textveil.errors import InternalError, MissingExtra

with MissingExtra("pypdf", "documents"):
    import pypdf
    import pypdfium2
    from pdfminer.glyphlist import glyphname2unicode
    from pypdf.generic import (
        ArrayObject,
        ByteStringObject,
        DictionaryObject,
        NameObject,
        StreamObject,
        TextStringObject,
    )


_STRING = rb"(?:\((?:\\.|[^\\()]){0,400}+\)|<[0-9a-fA-F\s]*+>)"
_TEXT = re.compile(rb"%b\s*+Tj|\[(?:%b|[-\d.\s]++)*+\]\s*+TJ|<[0-9a-fA-F\s]*+>" % (_STRING, _STRING), re.DOTALL)
"""Text that a page shows, which is read as it is shown, and codes of maps."""
_FORMAT = frozenset(
    (
        "Type Pages Page Catalog Kids Count Parent Resources Contents MediaBox CropBox Rotate Font XObject ExtGState Pattern"
        " ColorSpace Shading Function Functions Annots Annot Link Subtype Rect Border Dest Title Outlines First Last Next Prev"
        " Action Length Filter FlateDecode DecodeParms Form Image Width Height BitsPerComponent ImageMask Matrix Group Index"
        " Encoding Differences ToUnicode BaseFont FontName FontDescriptor Widths FirstChar LastChar CharProcs Registry"
        " Ordering Supplement DescendantFonts Separation Indexed Columns Predictor ObjStm XRef Root Size Info Mask SMask None"
        " Helvetica Courier Times Roman Bold Oblique Italic Adobe Identity Trans Name Code space hyphen"
    ).split()
)
"""Words of the format."""


def strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield the text of each page as it is rendered and as pypdf reads it, and all strings, names and streams."""
    failed = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _rendered(data)
            yield from _objects(data, images)
    except InternalError:
        raise
    except Exception as error:
        failed = type(error).__name__
    if failed:
        raise InternalError(f"the written document cannot be read again ({failed}). No file was written.")


def _rendered(data: bytes) -> Iterator[Shown]:
    document = pypdfium2.PdfDocument(data)
    try:
        for page in document:
            text = page.get_textpage()
            yield Shown("text of a page, rendered", text.get_text_range(), False)
            text.close()
            page.close()
    finally:
        document.close()


def _objects(data: bytes, images: Images) -> Iterator[Shown]:
    if data.count(b"%%EOF") != 1:
        raise InternalError("the written document has an earlier revision. No file was written.")
    logger = logging.getLogger("pypdf")
    before, logger.disabled = logger.disabled, True
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        yield from (Shown("text of a page", page.extract_text(), False) for page in reader.pages)
        for number in range(1, int(str(reader.trailer["/Size"]))):
            item = reader.get_object(number)
            yield from _of(item, 0)
            if isinstance(item, StreamObject):
                painted = item.get("/Subtype") == "/Image" and item.get("/ColorSpace") == "/DeviceRGB"
                yield _picture(item) if painted and images == "ocr" else Shown("stream", _said(item.get_data()), False)
        yield from _of(reader.trailer.get("/Info"), 0)
    finally:
        logger.disabled = before


def _picture(item: StreamObject) -> Shown:
    """Return what is read in a picture that was painted over."""
    import numpy as np

    from textveil.documents.ocr import read
    from textveil.documents.pictures import said

    shape = int(str(item["/Height"])), int(str(item["/Width"])), 3
    return Shown("picture", said(read(np.frombuffer(item.get_data(), np.uint8).reshape(shape))), False)


def _said(data: bytes) -> str:
    """Return what a stream says in letters: neither numbers of its operators, nor bytes of no text."""
    data = _TEXT.sub(b"", data)
    narrow = [run.decode("ascii") for run in re.findall(rb"[\x20-\x7e]{4,}+", data)]
    wide = [run.decode("utf-16-be") for run in re.findall(rb"(?:\x00[\x20-\x7e]){4,}", data)]
    return re.sub(r"(?<!\S)[-+.0-9]{1,20}+(?!\S)", " ", "\n".join((*narrow, *wide)))


def _of(item: Any, depth: int) -> Iterator[Shown]:
    if isinstance(item, DictionaryObject) and depth < 30:
        for key, value in item.items():
            yield from _of(NameObject(str(key)), depth)
            yield from _of(value, depth + 1)
    elif isinstance(item, ArrayObject) and depth < 30:
        for value in item:
            yield from _of(value, depth + 1)
    elif isinstance(item, NameObject) and item[1:] not in _FORMAT and item[1:] not in glyphname2unicode:
        yield Shown("name", str(item)[1:], False)
    elif isinstance(item, (TextStringObject, ByteStringObject)):
        yield Shown("string", item if isinstance(item, str) else item.decode("latin-1"), False)
