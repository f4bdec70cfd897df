"""Server-sent events, read as they come in pieces and written again (WHATWG HTML, section 9.2)."""

import codecs
import re
from typing import Final, NamedTuple

from textveil.server.gateway.upstream import invalid_answer

EVENT_CHARACTERS: Final = 16 * 2**20
"""An event at the most."""

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


class Event(NamedTuple):
    """A server-sent event.

    Attributes:
        data: its lines.
        name: its type; empty where it has none.
    """

    data: str
    name: str = ""

    def as_bytes(self) -> bytes:
        """The event as it is sent."""
        head = f"event: {self.name}\n" if self.name else ""
        lines = "".join(f"data: {line}\n" for line in self.data.split("\n"))
        return f"{head}{lines}\n".encode()


class EventReader:
    """Reads events from bytes that are cut anywhere."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._held = ""
        self._data: list[str] = []
        self._name = ""
        self._size = 0

    def feed(self, piece: bytes) -> list[Event]:
        """The events that end within the next bytes.

        Raises:
            ApiError: they are no UTF-8, or an event is too long.
        """
        try:
            self._held += self._decoder.decode(piece)
        except UnicodeDecodeError:
            raise invalid_answer("it is no UTF-8") from None
        lines = _LINE_END.split(self._held)
        if self._held.endswith("\r"):  # its line feed may come
            lines = _LINE_END.split(self._held[:-1])
            lines[-1] += "\r"
        self._held = lines.pop()
        events = [event for line in lines if (event := self._line(line)) is not None]
        if self._size + len(self._held) > EVENT_CHARACTERS:
            raise invalid_answer("an event of it is too long")
        return events

    def close(self) -> None:
        """Nothing follows.

        Raises:
            ApiError: the last event is not whole.
        """
        if self._data or self._held.strip("\r\n"):
            raise invalid_answer("it breaks off within an event")

    def _line(self, line: str) -> Event | None:
        if not line:
            data, name = self._data, self._name
            self._data, self._name, self._size = [], "", 0
            return Event("\n".join(data), name) if data else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._size += len(value) + 1
        elif field == "event":
            self._name = value
        return None
