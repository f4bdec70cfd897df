"""Pictures in documents: nobody reads them, so they become blank ones of the same size, or the file is refused."""

from __future__ import annotations

import struct
import zlib
from typing import Final


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
