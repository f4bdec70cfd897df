"""Released bytes handed to a reader in pieces of one size."""

from typing import BinaryIO

PIECE_BYTES = 2**16
"""Released bytes of a piece."""


class Pieces:
    """Writes to a stream in pieces of ``PIECE_BYTES``; only the last one is shorter.

    A block has about as many bytes of input as any other. Handed on by itself it would tell the reader of a pipe how
    many documents these are, and so how long the private words in them.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = bytearray()

    def write(self, data: bytes) -> None:
        """Take bytes; hand on what makes whole pieces."""
        self._held += data
        start = 0
        while len(self._held) - start >= PIECE_BYTES:
            self._handed(bytes(self._held[start : start + PIECE_BYTES]))
            start += PIECE_BYTES
        del self._held[:start]

    def close(self) -> None:
        """Hand on the rest; the stream stays open."""
        if self._held:
            self._handed(bytes(self._held))
            self._held.clear()
        self._stream.flush()

    def _handed(self, piece: bytes) -> None:
        self._stream.write(piece)
        self._stream.flush()
