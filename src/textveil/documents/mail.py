"""Mail: headers, every part of a message and its attachments, to any depth, by the rules of their own formats."""

from __future__ import annotations

import base64
import quopri
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.header import Header
from email.message import EmailMessage
from email.utils import formataddr
from typing import Final

from textveil.detection.people_in_records import is_plain_word
from textveil.documents.model import Content, Images, Passage, Piece, slot
from textveil.documents.pictures import Painted, Pictures
from textveil.documents.registry import ENDINGS, PICTURES, READERS, reader_of, take
from textveil.documents.web import Page, decoded
from textveil.errors import InputError, TextveilError

_DEEPEST: Final = 12
_ADDRESSES: Final = ("From", "To", "Cc", "Bcc", "Reply-To", "Sender", "Resent-From", "Resent-To", "Resent-Cc")
_LINES: Final = ("Subject", "Date", "Organization", "Comments", "Keywords", "Resent-Date", "Thread-Topic")
_IDS: Final = ("Message-ID", "In-Reply-To", "References")
_OWN: Final = frozenset(
    ("mime-version", "content-type", "content-transfer-encoding", "content-disposition")
)  # written by what a part is
_NAMED: Final = frozenset(
    (
        "received return-path dkim-signature authentication-results x-mailer user-agent x-originating-ip"
        " delivered-to list-id list-unsubscribe arc-seal arc-message-signature arc-authentication-results received-spf"
        " x-spam-status content-id precedence x-priority importance thread-index content-language x-received"
    ).split()
)
_TEXTS: Final = frozenset(("text/plain", "text/csv", "text/markdown", "text/tab-separated-values"))
_KIND: Final = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,80}")
_QUOTED: Final = re.compile(r"[ \t]{0,9}(?:[>|][ \t]?){1,40}")
_BEGIN: Final = re.compile(r"begin(?:-base64)? [0-7]{3,4} [^\n]{1,400}")
_PACKED: Final = re.compile(r"[\x20-\x60a-z]{0,100}")
_ENDS: Final = ("end", "====")
_NAME_WORDS: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]{1,40}(?![a-z])|\d+|[^\W\d_]")
_ENDING: Final = re.compile(r"(?i)[a-z0-9]{1,5}")
_FROM: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From (?=[^\n]{0,200}\d\d:\d\d)[^\n]{0,400}\n")
_LINE: Final = "From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"
_TYPES: Final = {ending: kind for kind, ending in ENDINGS.items()}


@dataclass(slots=True)
class _Part:
    """A part of a message: its own content, or others in it; ``headers`` are passages by name."""

    kind: str
    headers: list[tuple[str, Passage | str]] = field(default_factory=list)
    addresses: dict[str, list[list[str]]] = field(default_factory=dict)
    parts: list[_Part] = field(default_factory=list)
    text: list[str] | None = None
    content: Content | None = None
    picture: Painted | None = None
    name: list[str] | None = None


class Mail:
    """A message that was read; see the package's docstring."""

    def __init__(self, data: bytes, images: Images, depth: int = 0, ids: dict[str, str] | None = None) -> None:
        self.passages: list[Passage] = []
        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self._images = images
        self._pictures = Pictures(images, self.parts)
        self._ids = {} if ids is None else ids
        self._depth = depth
        try:
            message = message_from_bytes(data, policy=policy.default)
            if not any(name.lower() in ("from", "to", "subject", "date", "received") for name in message):
                raise InputError("the document must be a message with headers; it has none.")
            self._root: _Part | None = self._read(message, depth)
        except (ValueError, LookupError, AttributeError, TypeError, AssertionError, RecursionError) as error:
            if isinstance(error, TextveilError):
                raise
            self._root = None
        if self._root is None:
            raise InputError("the document must be a whole message; it is damaged.")
        self.passages += self._pictures.passages

    def _read(self, message: EmailMessage, depth: int) -> _Part:
        take("parts", 1)
        if depth > _DEEPEST:
            raise InputError(f"a message must have parts at most {_DEEPEST} within one another; it has more.")
        kind = message.get_content_type().lower()
        if kind in ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"):
            raise InputError("the document must not be encrypted; it is. Save it decrypted.")
        part = _Part(kind if _KIND.fullmatch(kind) else "application/octet-stream")
        self._headers(message, part)
        if message.is_multipart() and kind != "message/rfc822":
            part.kind = kind if kind in ("multipart/alternative", "multipart/related") else "multipart/mixed"
            self.removed["text around parts"] += bool((message.preamble or "").strip()) + bool(
                (message.epilogue or "").strip()
            )
            part.parts = [
                self._read(inner, depth + 1) for inner in message.iter_parts() if isinstance(inner, EmailMessage)
            ]
            return part
        if (name := message.get_filename()) is not None:
            part.name = [self._plain_name(" ".join(name.split()))]
            self.passages.append(Passage("name of an attachment", [slot(part.name, 0)]))
        if kind == "message/rfc822":
            payload = message.get_payload()
            inner = payload[0].as_bytes() if isinstance(payload, list) and isinstance(payload[0], EmailMessage) else b""
            inner = _unwrapped(inner, str(message.get("Content-Transfer-Encoding", "")).strip().lower())
            self._take(part, Mail(inner, self._images, depth + 1, self._ids))
            return part
        self._leaf(part, kind, message, depth)
        return part

    def _leaf(self, part: _Part, kind: str, message: EmailMessage, depth: int) -> None:
        payload = message.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        ending = re.search(r"\.[a-z0-9]{2,4}$", (message.get_filename() or "").lower())
        suffix = ENDINGS.get(kind, "") or ("" if ending is None else ending[0])
        charset = message.get_content_charset() or ""
        if kind in _TEXTS or (suffix in (".txt", ".csv", ".md") and kind == "application/octet-stream"):
            part.kind = kind if kind in _TEXTS else _TYPES[suffix]
            text = decoded(data, charset if charset != "us-ascii" else "")
            if str(message.get_param("format", "")).lower() == "flowed":
                text = _unflowed(text, " " * (str(message.get_param("delsp", "")).lower() != "yes"))
            self._lines(part, text)
            self.parts["text of a message"] += 1
        elif kind.startswith("image/") or suffix in PICTURES:
            part.kind, part.picture = "image/png", self._pictures.take(data)
        elif suffix in READERS and kind not in ("application/pgp-signature", "application/pkcs7-signature"):
            try:
                content = (
                    Page(data, self._images, charset)
                    if suffix == ".html"
                    else Mail(data, self._images, depth + 1, self._ids)
                    if suffix == ".eml"
                    else reader_of(f"a{suffix}")[0](data, self._images)
                )
            except InputError:
                self._remove(part, "attachment that is refused")
                return
            part.kind = _TYPES.get(suffix, "application/octet-stream")
            self._take(part, content)
        else:
            signed = kind.endswith("signature")
            self._remove(part, "signature" if signed else "attachment of another kind")

    def _plain_name(self, name: str) -> str:
        """Return the name of an attachment if it has ordinary words only, else a plain one."""
        stem, dot, ending = name.rpartition(".")
        words = _NAME_WORDS.findall(stem if dot else name)
        if all((word.isdigit() and len(word) < 5) or is_plain_word(word.lower()) for word in words):
            return name
        self.removed["name of an attachment"] += 1
        return f"attachment{dot}{ending}" if _ENDING.fullmatch(ending) else "attachment"

    def _lines(self, part: _Part, text: str) -> None:
        """Read a text line by line: the marks of quotations stand before lines, and are no text of theirs."""
        text, packed = _without_uuencoded(text.replace("\r\n", "\n").replace("\r", "\n"))
        self.removed["attachment of another kind"] += packed
        part.text, before = [], "\n"
        for number, line in enumerate(text.rstrip("\n").split("\n")):
            mark = _QUOTED.match(line)
            part.text += ["\n" if number else "", line[: mark.end()] if mark else "", line[mark.end() if mark else 0 :]]
            before += "\n" if not number or not part.text[-1].strip() else ""
            if part.text[-1].strip():
                self.passages.append(Passage("text of a message", [slot(part.text, len(part.text) - 1)], before))
                before = "\n"

    def _take(self, part: _Part, content: Content) -> None:
        part.content = content
        self.passages += content.passages
        self.parts.update(content.parts)
        self.removed.update(content.removed)

    def _remove(self, part: _Part, what: str) -> None:
        self.removed[what] += 1
        if part.name is not None:
            part.name = None
            del self.passages[-1]
        part.kind = "text/plain"
        self._lines(part, "(removed)")

    def _headers(self, message: EmailMessage, part: _Part) -> None:
        known = {name.lower(): name for name in (*_ADDRESSES, *_LINES, *_IDS)}
        self.parts["headers"] += 1
        for key in message:
            if (name := known.get(key.lower())) is None and key.lower() not in _OWN:
                self.removed[f"header {key.lower()}" if key.lower() in _NAMED else "other header"] += 1
        raw = {key.lower(): str(value) for key, value in message.raw_items()}
        for key, value in message.items():
            if (name := known.get(key.lower())) is None or any(name == before for before, _ in part.headers):
                continue
            # A date is read as it stands: the library would write it anew.
            text = " ".join((raw[key.lower()] if name.endswith("Date") else str(value)).split())
            if name in _IDS:
                found = [self._ids.setdefault(own, f"<{len(self._ids) + 1}@message.invalid>") for own in text.split()]
                part.headers.append((name, " ".join(found)))
                continue
            passage = Passage(f"header {name}")
            pairs = [
                [address.display_name, address.addr_spec if address.domain else address.username]
                for address in getattr(value, "addresses", ())
            ]
            if name in _ADDRESSES and pairs and all("@" in pair[1] for pair in pairs):
                part.addresses[name] = pairs
                for number, pair in enumerate(pairs):
                    passage.pieces += [_fixed(", ")] if number else []
                    passage.pieces += [slot(pair, 0), _fixed(" <"), slot(pair, 1), _fixed(">")]
            else:
                held = [text]
                part.addresses[name] = [held]
                passage.pieces.append(slot(held, 0))
            part.headers.append((name, passage))
            self.passages.append(passage)

    def written(self) -> bytes:
        return self._of(self._root, "0") if self._root is not None else b""

    def _of(self, part: _Part, place: str) -> bytes:
        lines = []
        for name, passage in part.headers:
            pairs = part.addresses.get(name, [])
            if isinstance(passage, str):
                lines.append(f"{name}: " + passage.replace(" ", "\n "))
            elif pairs and len(pairs[0]) == 2:
                lines.append(f"{name}: " + ",\n ".join(_address(*pair) for pair in pairs))
            else:
                lines.append(f"{name}: {_encoded(pairs[0][0])}")
        if place == "0":
            lines.append("MIME-Version: 1.0")
        if part.parts:
            mark = f"=_part_{self._depth}_{place}"
            lines.append(f'Content-Type: {part.kind};\n boundary="{mark}"')
            inner = [self._of(one, f"{place}.{number}") for number, one in enumerate(part.parts, start=1)]
            body = b"".join(b"--%b\n%b\n" % (mark.encode(), one) for one in inner) + b"--%b--\n" % mark.encode()
        else:
            body = self._body(part, lines)
        return "\n".join(lines).encode("ascii") + b"\n\n" + body

    def _body(self, part: _Part, lines: list[str]) -> bytes:
        named = "" if part.name is None else f";\n filename={_parameter(part.name[0])}"
        if part.name is not None or part.content is not None:
            lines.append(f"Content-Disposition: {'inline' if part.name is None else 'attachment'}{named}")
        if part.text is not None:
            lines += [f'Content-Type: {part.kind}; charset="utf-8"', "Content-Transfer-Encoding: quoted-printable"]
            text = quopri.encodestring("".join(part.text).encode("utf-8"))
            return re.sub(rb"(?m)^From ", b"=46rom ", text) + b"\n"
        if part.kind == "message/rfc822" and part.content is not None:
            lines += ["Content-Type: message/rfc822", "Content-Transfer-Encoding: 7bit"]
            return part.content.written() + b"\n"
        data = b"" if part.content is None else part.content.written()
        data = data if part.picture is None else part.picture()
        charset = '; charset="utf-8"' if part.kind == "text/html" else ""
        lines += [f"Content-Type: {part.kind}{charset}", "Content-Transfer-Encoding: base64"]
        return base64.encodebytes(data)


class Box:
    """A folder of messages in one file, in which a value is one value."""

    def __init__(self, data: bytes, images: Images) -> None:
        if not (starts := [match.span() for match in _FROM.finditer(data)]) or starts[0][0]:
            raise InputError("the document must be a folder of messages (mbox); it is something else.")
        ends = [start for start, _ in starts[1:]] + [len(data)]
        ids: dict[str, str] = {}
        self._mails = [
            Mail(re.sub(rb"(?m)^>(>{0,40}From )", rb"\1", data[begin:end]), images, 0, ids)
            for (_, begin), end in zip(starts, ends, strict=True)
        ]
        self.passages: list[Passage] = [passage for mail in self._mails for passage in mail.passages]
        self.parts: Counter[str] = Counter({"message": len(self._mails)})
        self.removed: Counter[str] = Counter()
        for mail in self._mails:
            self.parts.update(mail.parts)
            self.removed.update(mail.removed)

    def written(self) -> bytes:
        """Return all messages, one after another."""
        return b"\n".join(_LINE.encode() + re.sub(rb"(?m)^From ", b">From ", mail.written()) for mail in self._mails)


def _unflowed(text: str, gap: str) -> str:
    """Return a flowed text with whole lines: one that ends in a space goes on in the next line of the same quotation."""
    lines: list[str] = []
    marks = before = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        own = line[: len(line) - len(line.lstrip(">"))]
        if lines and before.endswith(" ") and before.lstrip("> ") != "-- " and own == marks:
            lines[-1] = lines[-1][:-1] + gap + line[len(own) :].removeprefix(" ")
        else:
            lines.append(line)
        marks, before = own, line
    return "\n".join(lines)


def _unwrapped(inner: bytes, coding: str) -> bytes:
    """Return a message within a message, which some programs encode though they should not."""
    if coding == "base64":
        return base64.b64decode(inner)
    return quopri.decodestring(inner) if coding == "quoted-printable" else inner


def _fixed(text: str) -> Piece:
    return Piece(text, lambda new: text)


def _encoded(text: str) -> str:
    text = " ".join(text.split())
    plain = text.isascii() and len(text) < 900 and "=?" not in text
    return text if plain else Header(text, "utf-8").encode(linesep="\n")


def _address(name: str, address: str) -> str:
    name, address = " ".join(name.split()), "".join(address.split())
    if not address.isascii():
        local, _, domain = address.rpartition("@")
        with suppress(UnicodeError):
            domain = domain.encode("idna").decode()
        address = f"{Header(local, 'utf-8').encode()}@{domain.encode('ascii', 'replace').decode().replace('?', '-')}"
    return formataddr((name, address)) if name else address


def _parameter(name: str) -> str:
    name = re.sub(r"[\x00-\x1f\"\\/]", "_", name)
    return f'"{name}"' if name.isascii() else Header(name, "utf-8").encode(linesep="\n").join('""')


def _without_uuencoded(text: str) -> tuple[str, int]:
    """Return a text without the files in it that are written as lines of letters, and their number."""
    lines, kept, removed = text.split("\n"), list[str](), 0
    at = checked = 0
    while at < len(lines):
        if at >= checked and _BEGIN.fullmatch(lines[at]):
            checked = at + 1
            while checked < len(lines) and lines[checked] not in _ENDS and _PACKED.fullmatch(lines[checked]):
                checked += 1  # no line before it need be tried again: their files have the same end, or none
            if checked < len(lines) and lines[checked] in _ENDS:
                kept.append("(removed)")
                at, removed = checked + 1, removed + 1
                continue
        kept.append(lines[at])
        at += 1
    return "\n".join(kept), removed
