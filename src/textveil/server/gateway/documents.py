"""Documents in messages: what goes on is their sanitized text, or the sanitized file under a name of this server.

Files that others made are read and written by a process that can be killed. A document's text is one text of its
request: it is released with the others, so a value has one surrogate in all of the conversation, and the file is
written from that release.
"""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from textveil.documents.apart import all_rewritten, texts_of
from textveil.documents.registry import ENDINGS, PICTURES, READERS, is_document, reader_of
from textveil.errors import InputError, InternalError, SlowText
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.release import Release
from textveil.server.errors import ApiError
from textveil.server.finding import FindingProcesses
from textveil.server.gateway.reading import (
    Reader,
    RequestReading,
    SentDocument,
    Slot,
    need_object,
    one_of,
    refuse,
    text,
    under,
)

_PLAIN: Final = (".txt", ".csv", ".md")
_READ: Final = tuple(ending for ending in READERS if ending not in PICTURES)
_TYPES: Final = {ending: kind for kind, ending in ENDINGS.items()}
_MEMORY: Final = 2**31  # bytes that a process may take to read or write the documents of a request


class Documents:
    """Reads the documents of requests, and makes what goes on of them.

    ``goes_on``: their sanitized text, or the sanitized files; ``finding``: processes that can be killed;
    ``most_bytes``: of the texts of a request's documents together, as UTF-8: as many as a request of text may have.
    Raises MissingExtra: the packages that read documents are not installed.
    """

    def __init__(self, goes_on: Literal["text", "file"], finding: FindingProcesses, most_bytes: int) -> None:
        for ending in _READ:
            reader_of(f"a{ending}")
        self.goes_on: Final = goes_on
        self._finding = finding
        self._most = most_bytes

    async def texts(self, documents: Sequence[SentDocument]) -> list[str]:
        """Read the text of each document.

        Raises ApiError: one cannot be read, holds no text that could be sent, or holds too much; SlowText: they take
        too long.
        """
        files = [(document.name, document.data) for document in documents if document.ending not in _PLAIN]
        read = iter(await self._done(partial(texts_of, files), documents) if files else ())
        told: list[str] = []
        left = self._most
        for document in documents:
            found = _decoded(document.data) if document.ending in _PLAIN else next(read)
            if isinstance(found, InputError):
                raise _refused(document, str(found))
            left -= len(found.encode("utf-8"))
            if left < 0:
                limit = f"the texts of documents must have at most {self._most:,} bytes in UTF-8 (`body_bytes`)"
                raise _refused(document, f"{limit}; they have more. Send less at a time.", 413)
            if self.goes_on == "text" and not found.strip():
                raise _refused(document, "a document must hold text; it holds none (what pictures show is not read).")
            told.append(found)
        return told

    async def sent(self, documents: Sequence[SentDocument], releases: Sequence[Release]) -> list[str]:
        """Return what goes on of each document, by the release of its text.

        Raises InternalError: the check of a written file found something; nothing goes on. SlowText: they take too
        long.
        """
        if self.goes_on == "text":
            return [
                f"{document.name}:\n\n{_without_blank_lines(release.text)}"
                for document, release in zip(documents, releases, strict=True)
            ]
        pairs = list(zip(documents, releases, strict=True))
        files = [
            (document.name, document.data, _map_of(release))
            for document, release in pairs
            if document.ending not in _PLAIN
        ]
        written = iter(await self._done(partial(all_rewritten, files), documents) if files else ())
        told: list[str] = []
        for document, release in pairs:
            if document.is_string:
                told.append(release.text)
                continue
            data = release.text.encode("utf-8") if document.ending in _PLAIN else next(written)
            if isinstance(data, InputError):
                raise _refused(document, str(data))
            told.append(document.head + base64.b64encode(data).decode("ascii"))
        return told

    async def _done(self, call: Callable[[], list[Any]], documents: Sequence[SentDocument]) -> list[Any]:
        """Do work on files; what fails or ends its process is refused as the first document that is a file."""
        try:
            return await self._finding.done(call, _MEMORY)
        except SlowText:
            raise
        except InputError as error:
            files = [document for document in documents if document.ending not in _PLAIN]
            which = "" if len(files) == 1 else " It is this one, or one behind it."
            raise _refused(files[0], f"{error}{which}") from None

    def need_writable(self, policy: Policy, documents: Sequence[SentDocument]) -> None:
        """Refuse documents whose files cannot be written under a policy, before anything is drawn or paid."""
        if self.goes_on == "file" and not policy.finds_spans:
            raise _refused(
                documents[0], "a file needs a policy that finds spans, as its look stays. Name one, or send its text."
            )


def _map_of(release: Release) -> Any:
    if release.private_map is None:
        raise InternalError("a document needs a release that can be undone; got another. Nothing was sent; report it.")
    return release.private_map


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _decoded(data: bytes) -> str | InputError:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return InputError("a document that is plain text must be UTF-8; it is something else.")


def _refused(document: SentDocument, message: str, status: int = 400) -> ApiError:
    return ApiError(status, "invalid_document", f"{document.place} cannot be sent on: {message}", param=document.place)


def _document(reading: RequestReading, data: Any, place: str, kind: str, name: Any, url: bool = False) -> Slot:
    """Read a document as it is sent.

    Args:
        reading: of the request.
        data: in base64.
        place: of the data.
        kind: the type that is declared for it; empty if none is.
        name: of its file, which does not go on; its ending counts if the type tells nothing.
        url: whether it goes on as a URL that holds its data.
    """
    if not isinstance(data, str) or not data:
        refuse(place, "a string in base64", code="invalid_type")
    ending = ENDINGS.get(kind, "") or (Path(name).suffix.lower() if isinstance(name, str) else "")
    if ending not in _PLAIN and (ending in PICTURES or not is_document(f"a{ending}")):
        refuse(
            place,
            f"of a type that is read ({' '.join((*_READ, *_PLAIN))})",
            code="unsupported_content",
            got="another type, or none",
        )
    try:
        file = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        refuse(place, "base64")
    head = f"data:{_TYPES.get(ending, 'application/octet-stream')};base64," if url else ""
    return reading.document(SentDocument(ending, file, place, head), place)


def _of_url(reading: RequestReading, value: Any, place: str, name: Any) -> Slot:
    """Read ``data:TYPE;base64,DATA``, or the data alone."""
    if not isinstance(value, str):
        refuse(place, "a string", code="invalid_type")
    told, comma, data = value.partition(",")
    if not comma:
        return _document(reading, value, place, "", name, url=True)
    if not (told.startswith("data:") and told.endswith(";base64")):
        refuse(place, "data:TYPE;base64,DATA", got="another URL", hint="Send the file itself.")
    return _document(reading, data, place, told[5:].partition(";")[0].strip().lower(), name, url=True)


_KEPT_ELSEWHERE: Final = "Files that are kept elsewhere cannot be sanitized. Send the file itself."


def _file(reading: RequestReading, value: Any, place: str) -> tuple[Slot, str]:
    """Read ``file_data``; the client's name of the file is left out."""
    need_object(value, place)
    if value.get("file_data") is None:
        refuse(
            under(place, "file_data"),
            "given",
            code="unsupported_content",
            got="no data of a file",
            hint=_KEPT_ELSEWHERE,
        )
    for name in value.keys() - {"type", "file_data"}:
        reading.leave_out(under(place, name))
    slot = _of_url(reading, value["file_data"], under(place, "file_data"), value.get("filename"))
    return slot, reading.documents[slot.number].name


def chat_file(reading: RequestReading, value: Any, place: str) -> Any:
    """Read a part of type ``file`` of the chat API."""
    for name in value.keys() - {"type", "file"}:
        reading.leave_out(under(place, name))
    slot, name = _file(reading, value.get("file"), under(place, "file"))
    if reading.takes_documents == "text":
        return {"type": "text", "text": slot}
    return {"type": "file", "file": {"filename": name, "file_data": slot}}


def input_file(reading: RequestReading, value: Any, place: str) -> Any:
    """Read an item of type ``input_file`` of the API of responses."""
    slot, name = _file(reading, value, place)
    if reading.takes_documents == "text":
        return {"type": "input_text", "text": slot}
    return {"type": "input_file", "filename": name, "file_data": slot}


def document_block(beside: Mapping[str, Reader]) -> Reader:
    """Return a reader of blocks of type ``document`` of Anthropic's API; ``beside``: fields that any block may have."""

    def read(reading: RequestReading, value: Any, place: str) -> Any:
        as_text = reading.takes_documents == "text"
        readers = {"type": one_of("document"), "source": _source(value.get("title")), **beside}
        read = reading.fields(value, place, readers if as_text else {**readers, "context": text}, ("source",))
        source = read.pop("source")
        if as_text:
            return {**read, "type": "text", "text": source["data"]}
        return {**read, "source": source, "title": reading.documents[source["data"].number].name}

    return read


def _source(title: Any) -> Reader:
    def read(reading: RequestReading, value: Any, place: str) -> Any:
        need_object(value, place)
        kind, told, data = value.get("type"), value.get("media_type"), value.get("data")
        if kind not in ("base64", "text"):
            refuse(
                under(place, "type"), "base64 or text", code="unsupported_content", got="another source",
                hint=_KEPT_ELSEWHERE,
            )  # fmt: skip
        for name in value.keys() - {"type", "media_type", "data"}:
            reading.leave_out(under(place, name))
        at = under(place, "data")
        if kind == "base64":
            slot = _document(reading, data, at, told.lower() if isinstance(told, str) else "", title)
            ending = reading.documents[slot.number].ending
            return {"type": "base64", "media_type": _TYPES.get(ending, "application/octet-stream"), "data": slot}
        if not isinstance(data, str) or not data:
            refuse(at, "a string", code="invalid_type")
        try:
            file = data.encode("utf-8")
        except UnicodeEncodeError:
            refuse(at, "Unicode text, without lone surrogates", code="invalid_text")
        slot = reading.document(SentDocument(".txt", file, at, is_string=True), at)
        return {"type": "text", "media_type": "text/plain", "data": slot}

    return read
