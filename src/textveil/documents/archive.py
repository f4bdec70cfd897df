"""Archives of documents, read within limits and written anew: no comment, date or extra field of the old one stays."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final

from textveil.documents.limits import take
from textveil.errors import InputError

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
