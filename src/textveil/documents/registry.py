"""Readers of files by the ending of their names, and limits on reading a document.

Limits are counted before anything is made; archives are read within them and written anew.
"""

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, final

from textveil.documents.model import Content, Images, Shown
from textveil.errors import InputError

PICTURES: Final = (".png", ".jpg", ".jpeg")
"""Endings of pictures that are files by themselves."""
READERS: Final = {
    ".docx": "office:Word strings:package_strings",
    ".xlsx": "sheets:Sheets strings:package_strings",
    ".pptx": "office:Slides strings:package_strings",
    **dict.fromkeys((".odt", ".ods", ".odp"), "open_document:OpenDocument strings:open_strings"),
    ".eml": "mail:Mail strings:mail_strings",
    ".mbox": "mail:Box strings:mail_strings",
    ".html": "web:Page strings:page_strings",
    ".pdf": "pdf:Pdf pdf_strings:strings",
    ".htm": "web:Page strings:page_strings",
    **dict.fromkeys(PICTURES, "pictures:PictureFile pictures:file_strings"),
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
    if (suffix := Path(name).suffix.lower()) in REFUSED:
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


Measure: TypeAlias = Literal["bytes", "parts", "tags", "characters", "pages", "operators", "operators_in_one"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest document that is read; attachments count as parts of their mail.

    Attributes:
        bytes: of all parts, unpacked.
        parts: of archives and messages.
        tags: of XML and HTML, those that begin and those that end.
        characters: of text, as often as it stands somewhere: a string that is shared by cells counts for each.
        pages: of PDF files.
        operators: of content of PDF files, as often as it is read.
        operators_in_one: likewise, of one page or form, which are read at once; words of its text count for some.
        seconds: of processor time to read a document, and again to write and check it, in a process of its own.
        memory: bytes that such a process may take.
    """

    bytes: int = 2**28
    parts: int = 10_000
    tags: int = 8_000_000
    characters: int = 2**24
    pages: int = 5_000
    operators: int = 16_000_000
    operators_in_one: int = 2_000_000
    seconds: float = 300.0
    memory: int = 2**31


class _Meter:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.taken: Counter[str] = Counter()


_METER: Final[ContextVar[_Meter | None]] = ContextVar("_METER", default=None)


@contextmanager
def within(limits: Limits | None = None) -> Iterator[None]:
    """Count what the block reads, against limits; in another such block, against those of that one, and with it."""
    if _METER.get() is not None:
        yield
        return
    token = _METER.set(_Meter(limits or Limits()))
    try:
        yield
    finally:
        _METER.reset(token)


def take(measure: Measure, count: int) -> None:
    """Count something before it is made. Raises InputError: all of it is more than the limit of the document."""
    if (meter := _METER.get()) is None:
        return
    meter.taken[measure] += count
    if meter.taken[measure] > getattr(meter.limits, measure):
        raise _refused(meter.limits, measure)


def hold(measure: Measure, count: int) -> None:
    """Count something that goes before the next of its kind is made. Raises InputError: it is more than the limit."""
    if (meter := _METER.get()) is not None and count > getattr(meter.limits, measure):
        raise _refused(meter.limits, measure)


def _refused(limits: Limits, measure: Measure) -> InputError:
    most: int = getattr(limits, measure)
    amount = f"{most >> 20} MB" if measure == "bytes" else f"{most:,} {measure.replace('_in_one', ' in one page')}"
    return InputError(f"a document must have at most {amount}; this one has more. Split it, or save it anew.")


_OLD: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAY: Final = (1980, 1, 1, 0, 0, 0)


def entries(data: bytes) -> dict[str, bytes]:
    """Return the entries of an archive by name.

    Raises InputError: it is none, is damaged or encrypted, has one name twice, or is larger than the limits.
    """
    if data.startswith(_OLD):
        raise InputError("the document must be neither encrypted nor of the form before 2007; it is. Save it anew.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            take("parts", len(infos))
            take("bytes", sum(info.file_size for info in infos))
            if any(info.flag_bits & 0x1 for info in infos):
                raise InputError("the document must not be encrypted; it is. Save it without a password.")
            names = [info.filename for info in infos]
            if len({name.lower() for name in names}) < len(names):
                raise InputError("the document must hold each part once; it holds one twice.")
            # An entry ends where its header says, whatever its stream would give.
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
    raise InputError("the document must be a whole archive of its format; it is damaged, or something else.")


def packed(parts: Mapping[str, bytes], stored: frozenset[str] = frozenset()) -> bytes:
    """Return an archive of these entries, in this order; those of ``stored`` are not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name, _DAY)
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return out.getvalue()
