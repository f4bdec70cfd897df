"""Conversations that a server keeps, sealed, so that a person can read how much was missed in operation.

Each conversation is drawn with one public probability, by the operating system's randomness. Of one that is drawn, its
texts and their releases go to a file of the day, sealed for whoever has the reader's key:

    header  a line that says what this is; the reader's public key; one of this file alone (X25519)
    slot    two counts, sealed: conversations so far, drawn or not; frames
    frame   the length of what follows, sealed data: facts about the file first, then texts of a conversation

Data is filled up to a power of two, and not packed: how much of a text was replaced would be seen by its packed length.
Each frame has a key of its own. The next one follows from it, and not the other way round: who reads the server's
memory opens no earlier frame. No frame can be changed, left out or put elsewhere. Proof of the statements:
``privacy/proofs/certificate.md``.
"""

import contextlib
import hashlib
import hmac
import io
import json
import logging
import os
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from textveil.errors import InputError, OutputError, ParameterError, need
from textveil.json_text import json_data
from textveil.surrogates.map_file import need_package
from textveil.text.escapes import BORDER

logger = logging.getLogger("textveil.certificate.samples")

TITLE: Final = b"textveil samples 2: sealed for the reader's key\n"
CHARACTERS: Final = 50_000
"""Limit on a conversation: its first texts count as long as they have at most so many characters together.

A public rule: whether a conversation is kept cannot hang on how long it is.
"""

_KEY, _NONCE, _TAG, _COUNT = 32, 12, 16, 8
_LEAST: Final = 4096  # bytes of a frame's data
_HEADER: Final = len(TITLE) + 2 * _KEY
_SLOT: Final = _NONCE + 2 * _COUNT + _TAG
_NAME: Final = re.compile(r"(\d{4}-\d\d-\d\d)-[0-9a-f]{16}\.samples")
_DIGITS: Final = re.compile("[0-9a-f]{64}")
_BINARY: Final = getattr(os, "O_BINARY", 0)
_BETWEEN: Final = "\n\n"  # texts of a conversation

Texts = Sequence[tuple[str, str]]


class Facts(NamedTuple):
    """Public facts about a file."""

    day: str  # in UTC
    share: float  # probability with which each conversation is drawn
    textveil: str  # version of the server
    policy: str  # name of the policy
    policy_digest: str  # its digest


@dataclass(slots=True, eq=False)
class Part:
    """A day's part of a conversation: whether it was drawn, its number in the file, how many characters it has left."""

    file: "_Writing"
    drawn: bool
    number: int
    left: int = CHARACTERS


class Samples:
    """Draws conversations, and keeps those that are drawn.

    Args:
        folder: where the files are, one for each day and process, readable by their owner alone.
        reader: the reader's public key, 32 bytes.
        share: probability with which each conversation is drawn, > 0 and <= 1.
        days: number of days after its own for which a file is kept.
        most: largest number of conversations of a day that count; later ones are not drawn.
        facts: version of the server, name and digest of the policy.
        count: callback with "counted" or "lost" for a conversation; never that it was drawn, which nobody may know.
        today: returns the date in UTC.

    Raises ParameterError: ``reader`` is no public key; MissingExtra: ``cryptography`` is not installed.
    """

    def __init__(
        self,
        folder: Path,
        reader: bytes,
        *,
        share: float,
        days: int,
        most: int,
        facts: tuple[str, str, str],
        count: Callable[[str], None] = lambda what: None,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        need(0 < share <= 1, "samples_share", share, "> 0 and <= 1")
        self.share = share
        self._folder, self._reader, self._days, self._most = folder, reader, days, most
        self._facts, self._count, self._today = facts, count, today
        self._lock = threading.Lock()
        self._file: _Writing | None = None
        self._undeleted = 0
        self._over: date | None = None  # day on which a conversation was lost: no more of that day count
        _Sealing.made(reader)

    def open(self) -> None:
        """Make the folder, and delete old files. Raises OutputError: nothing can be written there."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = self._folder / f".{secrets.token_hex(8)}.probe"
            probe.touch(0o600, exist_ok=False)
            probe.unlink()
        except OSError as error:
            raise OutputError(f"the folder of `samples` must be writable; got: {error.strerror}.") from None
        self.expire()

    def take(self, part: Part | None, texts: Texts) -> Part | None:
        """Count a conversation, and keep its new texts if it is drawn; a failure of the disk raises nothing.

        Args:
            part: what the last call for this conversation returned; None at the first.
            texts: the conversation's new texts with their releases, private.

        Returns: the part for the next call; None if the conversation does not count.
        """
        with self._lock:
            today = self._today()
            try:
                return self._taken(part, texts, today)
            except OSError:  # a long conversation is likelier to hit a full disk: nothing of the file is used
                self._over = today
                self._close(delete=True)
                self._count("lost")
                logger.warning("a sampled conversation could not be kept; no more are sampled on this day")
                return None

    def _taken(self, part: Part | None, texts: Texts, today: date) -> Part | None:
        if self._over == today:
            return None
        if self._file is not None and self._file.day != today:
            self._close()
        if self._file is None:
            self._file = _Writing(self._folder, self._reader, Facts(today.isoformat(), self.share, *self._facts))
        file = self._file
        if part is None or part.file is not file:
            if file.conversations >= self._most:
                return None
            drawn = secrets.SystemRandom().random() < self.share
            part = Part(file, drawn, file.conversations)
            file.conversations += 1
            self._count("counted")
            if not drawn:
                file.note()
        elif not part.left:
            return part
        if part.drawn:
            file.add([part.number, _fitting(part, texts)])
        return part

    def expire(self) -> None:
        """Delete old files, and close the file of an earlier day."""
        today = self._today()
        with self._lock:
            if self._file is not None and self._file.day != today:
                self._close()
        oldest = today - timedelta(days=self._days)
        paths: list[Path] = []
        with contextlib.suppress(OSError):
            paths += self._folder.iterdir()
        old = [path for path in paths if (_day_of(path) or today) < oldest]
        failed = len(old) - sum(map(_deleted, old))
        if failed > self._undeleted:
            logger.warning("sampled conversations that are too old could not be deleted")
        self._undeleted = failed

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self, *, delete: bool = False) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()
            if delete:
                _deleted(file.path)


def _fitting(part: Part, texts: Texts) -> list[tuple[str, str]]:
    """Return the first texts that fit into the part; the first that does not fit ends it."""
    taken: list[tuple[str, str]] = []
    for original, released in texts:
        if len(original) > part.left:
            part.left = 0
            break
        part.left -= len(original)
        taken.append((original.replace(BORDER, "\n"), released.replace(BORDER, "\n")))
    return taken


def _deleted(path: Path) -> bool:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        return True
    return False


def _day_of(path: Path) -> date | None:
    named = _NAME.fullmatch(path.name)
    with contextlib.suppress(ValueError):
        return date.fromisoformat(named[1]) if named else None
    return None


class _Sealing:
    """Keys of one file: of its slot, and of its frames, one after another."""

    def __init__(self, header: bytes, shared: bytes) -> None:
        self._cipher, hkdf, digest, self._invalid = need_package()
        keys = hkdf(algorithm=digest(), length=2 * _KEY, salt=None, info=header).derive(shared)
        self.header, self._slot, self._chain, self._number = header, keys[:_KEY], keys[_KEY:], 0

    @classmethod
    def made(cls, reader: bytes) -> "_Sealing":
        """Make the keys of a new file. Raises ParameterError: ``reader`` is no public key."""
        own, public = _exchange()
        key = own.generate()
        try:
            shared = key.exchange(public.from_public_bytes(reader))
        except ValueError:
            raise ParameterError(_PUBLIC) from None
        return cls(TITLE + reader + key.public_key().public_bytes_raw(), shared)

    @classmethod
    def of_file(cls, header: bytes, secret: bytes) -> "_Sealing":
        """Make the keys that open a file with this header, by the reader's secret key."""
        if len(header) != _HEADER or not header.startswith(TITLE):
            raise InputError("samples must be a file that textveil serve kept; this is none.")
        own, public = _exchange()
        key = own.from_private_bytes(secret)
        if key.public_key().public_bytes_raw() != header[len(TITLE) : -_KEY]:
            raise ParameterError("`key` must be the one whose public key the server had; got another. Name its file.")
        try:
            shared = key.exchange(public.from_public_bytes(header[-_KEY:]))
        except ValueError:
            raise _changed() from None
        return cls(header, shared)

    def slot(self, conversations: int, frames: int) -> bytes:
        """Return the sealed counts, whose length is always the same."""
        nonce = secrets.token_bytes(_NONCE)
        counts = conversations.to_bytes(_COUNT, "big") + frames.to_bytes(_COUNT, "big")
        return nonce + self._cipher(self._slot).encrypt(nonce, counts, self.header)

    def counts(self, slot: bytes) -> tuple[int, int]:
        """Open the counts. Raises InputError: they were changed."""
        plain = self._opened(self._slot, slot[:_NONCE], slot[_NONCE:], self.header)
        return int.from_bytes(plain[:_COUNT], "big"), int.from_bytes(plain[_COUNT:], "big")

    def sealed(self, data: Any) -> bytes:
        """Return the next frame; its key is forgotten."""
        key, bound = self._next()
        plain = json.dumps(data).encode("ascii")
        plain = plain.ljust(max(_LEAST, 1 << (len(plain) - 1).bit_length()))
        text = self._cipher(key).encrypt(bytes(_NONCE), plain, bound)
        return len(text).to_bytes(4, "big") + text

    def opened(self, stream: BinaryIO) -> Any:
        """Open the next frame. Raises InputError: it is missing, or was changed."""
        length = int.from_bytes(stream.read(4), "big")
        text = stream.read(length)
        if len(text) < length:
            raise _changed()
        key, bound = self._next()
        return json_data(self._opened(key, bytes(_NONCE), text, bound))

    def _next(self) -> tuple[bytes, bytes]:
        key, self._chain = (hmac.digest(self._chain, what, "sha256") for what in (b"frame", b"next"))
        self._number += 1
        return key, self.header + self._number.to_bytes(8, "big")

    def _opened(self, key: bytes, nonce: bytes, text: bytes, bound: bytes) -> bytes:
        with contextlib.suppress(self._invalid, ValueError):
            plain: bytes = self._cipher(key).decrypt(nonce, text, bound)
            return plain
        raise _changed()


_PUBLIC: Final = "samples_key must be a public key as textveil keys samples prints it; got another text."


def _changed() -> InputError:
    lost = "a conversation that was drawn is lost or was changed, as on a full disk"
    return InputError(f"samples must be whole; {lost}. Leave this file out: it proves nothing.")


def _exchange() -> tuple[Any, Any]:
    need_package()
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    return X25519PrivateKey, X25519PublicKey


def public_key(secret: bytes) -> str:
    """Return the public key of a secret one of 32 bytes, as hexadecimal digits: for a server's ``samples_key``."""
    own, _ = _exchange()
    return str(own.from_private_bytes(secret).public_key().public_bytes_raw().hex())


def reader_of(key: str) -> bytes:
    """Return a public key from its hexadecimal digits. Raises ParameterError: it is none."""
    if not _DIGITS.fullmatch(key):
        raise ParameterError(_PUBLIC)
    return bytes.fromhex(key)


class _Writing:
    """The file of a day that is being written. Raises OSError: it cannot be written."""

    def __init__(self, folder: Path, reader: bytes, facts: Facts) -> None:
        self.day = date.fromisoformat(facts.day)
        self.conversations = self._frames = 0
        self._sealing = _Sealing.made(reader)
        self.path = path = folder / f"{facts.day}-{secrets.token_hex(8)}.samples"
        self._stream: FileIO = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "r+")
        try:
            self._write(self._sealing.header + self._sealing.slot(0, 0))
            self.add(facts._asdict())
        except OSError:
            self._stream.close()
            path.unlink(missing_ok=True)
            raise

    def note(self) -> None:
        """Write the counts over the earlier ones. Raises OSError: also if somebody deleted the file."""
        self.path.stat()
        self._stream.seek(_HEADER)
        self._write(self._sealing.slot(self.conversations, self._frames))
        self._stream.seek(0, os.SEEK_END)

    def add(self, data: Any) -> None:
        """Append a frame. It is counted first, so that a lost frame is noticed."""
        self._frames += 1
        self.note()
        self._write(self._sealing.sealed(data))

    def close(self) -> None:
        self._stream.close()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._stream.write(left) :]


class Kept(NamedTuple):
    """Opened conversations."""

    texts: list[tuple[str, str]]  # for each drawn conversation, its joined texts and their joined releases; private
    conversations: int  # number of all conversations, drawn or not
    since: str  # first day
    until: str  # last day
    facts: Facts  # the facts that all files share
    sha256: str  # digest of the files


def read_samples(place: Path, secret: bytes) -> Kept:
    """Open the samples of a file, or of all files of a folder whose day is over.

    ``place``: a file or a folder; ``secret``: the reader's key, 32 bytes.

    Raises:
        InputError: one cannot be read, was changed or lost a conversation; or none was drawn.
        ParameterError: the key is another one; or files are of several policies, versions or shares.
    """
    today = datetime.now(UTC).date()
    try:
        paths = [place]
        if place.is_dir():
            paths = sorted(path for path in place.iterdir() if (_day_of(path) or today) < today)
        whole = [path.read_bytes() for path in paths]
    except OSError as error:
        raise InputError(f"samples must be readable; got: {error.strerror}.") from None
    opened = [_read(data, secret) for data in whole]
    texts = [text for _, _, each in opened for text in each]
    if not texts:
        raise InputError(
            "samples must hold a conversation of a day that is over; they hold none. Wait, or name a file."
        )
    first = opened[0][0]
    same = all(facts[1:] == first[1:] for facts, _, _ in opened)
    need(same, "samples", "several", "of one policy, version and share", "Name a folder of those that belong together.")
    digest = hashlib.sha256(b"".join(hashlib.sha256(data).digest() for data in whole)).hexdigest()
    days = sorted(facts.day for facts, _, _ in opened)
    return Kept(texts, sum(count for _, count, _ in opened), days[0], days[-1], first, digest)


def _read(data: bytes, secret: bytes) -> tuple[Facts, int, list[tuple[str, str]]]:
    stream = io.BytesIO(data)
    sealing = _Sealing.of_file(stream.read(_HEADER), secret)
    conversations, frames = sealing.counts(stream.read(_SLOT))
    facts, *kept = [sealing.opened(stream) for _ in range(frames)]
    texts: dict[int, list[list[str]]] = {}
    for number, new in kept:
        texts.setdefault(number, []).extend(new)
    return (
        Facts(**facts),
        conversations,
        [
            (_BETWEEN.join(original for original, _ in each), _BETWEEN.join(released for _, released in each))
            for each in texts.values()
        ],
    )
