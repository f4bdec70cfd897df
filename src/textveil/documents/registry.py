"""Which reader has which files, by the ending of their names."""

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias, cast

from textveil.documents.check import Shown
from textveil.documents.limits import take, within
from textveil.documents.model import Content, Images
from textveil.errors import InputError

PICTURES: Final = (".png", ".jpg", ".jpeg")
"""What is a picture by itself."""
READERS: Final = {
    ".docx": "word:Word package_strings:strings",
    ".xlsx": "sheets:Sheets package_strings:strings",
    ".pptx": "slides:Slides package_strings:strings",
    **dict.fromkeys((".odt", ".ods", ".odp"), "open_document:OpenDocument open_strings:strings"),
    ".eml": "mail:Mail mail_strings:strings",
    ".mbox": "mail:Box mail_strings:strings",
    ".html": "web:Page mail_strings:page_strings",
    ".pdf": "pdf:Pdf pdf_strings:strings",
    ".htm": "web:Page mail_strings:page_strings",
    **dict.fromkeys(PICTURES, "picture_file:PictureFile picture_file:strings"),
}
"""By ending: the class that reads and writes, and what opens the written file by another library."""
ENDINGS: Final = {
    "text/html": ".html", "text/csv": ".csv", "text/plain": ".txt", "text/markdown": ".md", "image/png": ".png",
    "message/rfc822": ".eml", "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt", "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
}  # fmt: skip
"""The endings of names, by the type of what is sent."""
REFUSED: Final = {
    **dict.fromkeys((".docm", ".xlsm", ".pptm", ".dotm", ".xltm", ".potm", ".ppsm", ".xlsb"), "holds macros, or may"),
    **dict.fromkeys((".doc", ".xls", ".ppt"), "is of the form before 2007"),
}
Reader: TypeAlias = Callable[[bytes, Images], Content]
Strings: TypeAlias = Callable[[bytes, Images], Iterable[Shown]]


def is_document(name: str) -> bool:
    """Tell whether a file is read as a document, or refused as one, by its name."""
    suffix = Path(name).suffix.lower()
    return suffix in READERS or suffix in REFUSED


def is_picture(name: str) -> bool:
    """Tell whether a file is a picture by itself, by its name."""
    return Path(name).suffix.lower() in PICTURES


def reader_of(name: str) -> tuple[Reader, Strings]:
    """Return the reader for a file's name, and what opens it again for the check. Raises InputError: there is none."""
    suffix = Path(name).suffix.lower()
    if suffix in REFUSED:
        raise InputError(f"a {suffix} file {REFUSED[suffix]}; it is not read. Save it as {suffix[:4]}x without macros.")
    if suffix not in READERS:
        raise InputError(f"a document must end in {', '.join(READERS)}; this one ends otherwise.")
    reader, strings = map(_found, READERS[suffix].split())

    def read(data: bytes, images: Images) -> Content:
        with within():
            take("bytes", len(data))
            return cast(Reader, reader)(data, images)

    return read, cast(Strings, strings)


def _found(name: str) -> object:
    module, _, member = name.partition(":")
    return getattr(import_module(f"textveil.documents.{module}"), member)
