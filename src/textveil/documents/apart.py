"""Documents read, released, written and restored, here or in a process that the kernel ends at a limit.

A file that blows up, in a library or in a way that nobody counts, costs that process alone, by its time and its memory,
and is refused in one line. The text comes back to be sanitized: no randomness and no policy goes there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, cast

from textveil import killable
from textveil.documents.model import Certificate, Cut, Images, check, joined, lines, write
from textveil.documents.registry import Limits, is_picture, reader_of, take, within
from textveil.errors import InputError, InternalError, TextveilError, UnsupportedGuarantee
from textveil.pages.layout import Line
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer
from textveil.surrogates.scopes import Scope

_Made = TypeVar("_Made")


class RewrittenDocument(NamedTuple):
    """A file to hand over, how to undo it (private), and what was checked."""

    data: bytes
    private_map: PrivateMap
    certificate: Certificate


class Opened:
    """A document that was read: ``text`` is all of its passages as one.

    Raises InputError: the file cannot be read, is one that is refused, or has more than the limits.
    """

    def __init__(self, name: str, data: bytes, images: Images = "blank", limits: Limits | None = None) -> None:
        self._limits = limits
        with within(limits):
            reader, self._strings = reader_of(name)
            self._content, self._images = reader(data, images), images
            self._again = reader if Path(name).suffix.lower() == ".pdf" else None
            take("characters", sum(len(piece.text) for passage in self._content.passages for piece in passage.pieces))
        self.text = joined(self._content.passages)

    def layout(self) -> list[Line]:
        """Return where the lines of the text stand in the document."""
        return lines(self._content.passages)

    def rewritten(self, drawn: PrivateMap) -> RewrittenDocument:
        """Write a release of the text into the document, once, and check the file.

        Raises InternalError: the release is of another text, or the check found something in the written file.
        """
        if drawn.original() != self.text:
            raise InternalError("a release must be of the document's text; it is of another. No file was written.")
        content = self._content
        private_map = write(content.passages, _cuts(drawn))
        file = content.written()
        seen, values = check(self._strings(file, self._images), content.passages, private_map)
        if self._again is not None:  # whoever wrote a page may have hidden its text behind a picture, in another order
            with within(self._limits):
                text = joined(self._again(file, "blank").passages)
            content.parts["file that is restored by mention alone"] += not private_map.released.startswith(text)
        certificate = Certificate(content.parts, content.removed, [f"{self._strings.__module__}"], seen, values)
        return RewrittenDocument(file, private_map, certificate)


def text_of(name: str, data: bytes, images: Images = "blank") -> str:
    """Return the text of a document, all passages as one; raises as ``Opened``."""
    return Opened(name, data, images).text


def rewritten(name: str, data: bytes, private_map: PrivateMap, images: Images = "blank") -> RewrittenDocument:
    """Write a release of a document's text into the document, which is read again; the same file for the same release.

    ``private_map``: of a release of ``text_of`` the same file. Raises as ``Opened`` and its ``rewritten``.
    """
    return Opened(name, data, images).rewritten(private_map)


def texts_of(files: Sequence[tuple[str, bytes]]) -> list[str | InputError]:
    """Return the text of each file, by its name and data, or why it cannot be read."""
    return [_of_hostile(text_of, *file) for file in files]


def all_rewritten(files: Sequence[tuple[str, bytes, PrivateMap]]) -> list[bytes | InputError]:
    """Write a release into each file, or say why it cannot be written: see ``rewritten``."""
    return [_of_hostile(lambda *given: rewritten(*given).data, *file) for file in files]


def broken(error: Exception) -> InputError:
    """Return the error for a file on which a library fails; the library's own message may hold text."""
    return InputError(f"a document must be whole; this one cannot be read and written ({type(error).__name__}).")


def _of_hostile(call: Callable[..., _Made], *given: Any) -> _Made | InputError:
    try:
        return call(*given)
    except InputError as error:
        return InputError(str(error))
    except (TextveilError, MemoryError):
        raise
    except Exception as error:
        return broken(error)


def _cuts(private_map: PrivateMap) -> list[Cut]:
    cuts, moved = [], 0
    for piece in private_map.replaced:
        start = piece.start + moved
        end = start + len(piece.original)
        cuts.append(Cut(start, end, private_map.released[piece.start : piece.end], piece.kind))
        moved += len(piece.original) - (piece.end - piece.start)
    return cuts


class RestoredDocument(NamedTuple):
    """A document with its originals put back: private."""

    data: bytes
    replaced: int  # places that were restored
    ambiguous: int  # that stay, since they may stand for several originals, or for none


def restored(name: str, data: bytes, private_map: PrivateMap, limits: Limits | None = None) -> RestoredDocument:
    """Put the originals back into a released document, or into one that was edited since.

    Raises InputError: the file cannot be read.
    """
    if is_picture(name):
        raise InputError("a picture cannot be restored: what was painted over is not in it. Keep the original.")
    with within(limits):
        content = reader_of(name)[0](data, "blank")
    text = joined(content.passages)
    if private_map.released.startswith(text):  # text in pictures, which stays as it is released, comes last
        replaced = [piece for piece in private_map.replaced if piece.end <= len(text)]
        cuts = [Cut(piece.start, piece.end, piece.original, piece.kind) for piece in replaced]
        write(content.passages, cuts)
        return RestoredDocument(content.written(), len(cuts), 0)
    restorer = Restorer([private_map, private_map])  # two restore by mention alone: a passage is no release
    count = ambiguous = 0
    for passage in content.passages:
        done = restorer.restore(passage.text)
        ambiguous += len(done.ambiguous)
        count += done.replaced
        ends = [0, *(end for place in done.originals for end in place), len(done.text)]
        stays = [done.text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
        news = [done.text[place.start : place.end] for place in done.originals]
        passage.write(_aligned(passage.text, stays, news))
    return RestoredDocument(content.written(), count, ambiguous)


def _aligned(text: str, stays: list[str], news: list[str]) -> list[Cut]:
    """Return the cuts that make a text of stretches of it that stay, with something new between them."""
    cuts, at = [], len(stays[0])
    for number, (new, stay) in enumerate(zip(news, stays[1:], strict=True)):
        last = number == len(news) - 1
        begin = len(text) - len(stay) if last else text.find(stay, at + 1) if stay else at + 1
        cuts.append(Cut(at, max(begin, at), new))
        at = max(begin, at) + len(stay)
    return cuts


_COMMAND: Final = (sys.executable, "-P", "-c", "from textveil.documents.apart import main; main()")
_GROWN: Final = 2**28  # bytes of memory from which on a process does not go on to another document
_ERRORS: Final = {kind.__name__: kind for kind in (InputError, InternalError, TextveilError)}
"""Any other may be made of more than its message."""


class Apart:
    """Reads and writes documents in a process that starts with the first, and serves several until it has grown."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._process: killable.Process | None = None
        self._lock = threading.Lock()

    def opened(self, name: str, data: bytes, images: Images = "blank") -> OpenedApart:
        """Read a document. Raises InputError: it cannot be read, or takes more than the limits."""
        return OpenedApart(self, (name, data, images))

    def layout_of(self, name: str, data: bytes, images: Images = "blank") -> list[Line]:
        """Return where the lines of a document's text stand in it; raises as ``opened``."""
        return [Line(*line) for line in self.asked("layout", name, data, images)]

    def restored(self, name: str, data: bytes, private_map: PrivateMap) -> RestoredDocument:
        """Put the originals back; see ``documents.opened.restored``."""
        return RestoredDocument(*self.asked("restore", name, data, private_map))

    def asked(self, *request: object) -> Any:
        """Return the answer of the process, or of a new one if it ended between two documents."""
        with self._lock:
            for _ in range(2):
                fresh = self._process is None
                process = self._process = self._process or self._started()
                try:
                    answer = process.ask(killable.framed(request), killable.wall_seconds(self._limits.seconds))
                except EOFError:
                    self._process = None
                    if process.ended_over_limit():
                        raise _too_slow(self._limits) from None
                    if fresh:
                        break
                    continue
                if isinstance(answer, dict):
                    raise _ERRORS[answer["error"]](answer["message"])
                return answer
        raise _too_large(self._limits)

    def _started(self) -> killable.Process:
        with contextlib.suppress(EOFError, OSError):
            process = killable.Process(_COMMAND)
            if process.ask(killable.framed(self._limits), killable.START_SECONDS) is None:
                return process
        raise TextveilError("a process that reads documents must start; it crashed at once. Is there enough memory?")


class OpenedApart:
    """A document that a process of its own read; see ``Opened``."""

    def __init__(self, apart: Apart, document: tuple[str, bytes, Images]) -> None:
        self._apart = apart
        self._document = document
        self.text = cast(str, apart.asked("open", *document))

    def rewritten(self, drawn: PrivateMap) -> RewrittenDocument:
        """Write a release of the text into the document, which is read again if another one was read since."""
        data, released, pieces, certificate = self._apart.asked("rewrite", drawn, *self._document)
        private_map = PrivateMap(released=released, replaced=tuple(Replaced(*piece) for piece in pieces))
        return RewrittenDocument(data, private_map, Certificate.of_data(certificate))


def _too_slow(limits: Limits) -> InputError:
    return InputError(
        f"a document must be read within {limits.seconds:g} s of a processor; this one takes longer. Split it, or "
        "raise `record_seconds`."
    )


def _too_large(limits: Limits) -> InputError:
    return InputError(
        f"a document must be read within {limits.memory >> 20} MB of memory; this one takes more, or ends its reader. "
        "Split it, or save it anew."
    )


def main() -> None:
    """Answer until the input ends, which it does when the process that started this one does."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed is no answer
    requests = sys.stdin.buffer
    with contextlib.suppress(EOFError):
        worker = _Worker(killable.received(requests))
        answer: Any = None
        while True:
            answers.write(killable.framed_answer(answer))
            answers.flush()
            if worker.has_grown():
                break
            answer = None
            answer = worker.answer(*killable.received(requests))


class _Worker:
    """Does what is asked; ``Opened`` stays until it is written, or another document is read."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._opened: tuple[bytes, Opened] | None = None

    def answer(self, what: str, *given: Any) -> Any:
        does: dict[str, Callable[..., Any]] = {
            "open": self._open, "layout": self._layout, "rewrite": self._rewrite, "restore": self._restore,
        }  # fmt: skip
        try:
            with killable.killed_after(self._limits.seconds), killable.within_memory(self._limits.memory):
                return does[what](*given)
        except MemoryError:
            self._opened = None
            error: TextveilError = _too_large(self._limits)
        except TextveilError as refused:
            error = refused
        except Exception as unforeseen:  # its message may hold text
            error = broken(unforeseen)
        kind = next(name for name, kind in _ERRORS.items() if isinstance(error, kind))
        return {"error": kind, "message": str(error)}

    def _open(self, name: str, data: bytes, images: Images) -> str:
        self._opened = None
        opened = Opened(name, data, images, self._limits)
        self._opened = (_key(name, data, images), opened)
        return opened.text

    def _layout(self, name: str, data: bytes, images: Images) -> list[Line]:
        self._opened = None
        return Opened(name, data, images, self._limits).layout()

    def _rewrite(self, drawn: PrivateMap, name: str, data: bytes, images: Images) -> list[Any]:
        held, self._opened = self._opened, None
        if held is None or held[0] != _key(name, data, images):
            held = (b"", Opened(name, data, images, self._limits))
        data, private_map, certificate = held[1].rewritten(drawn)
        return [data, private_map.released, private_map.replaced, certificate.to_data()]

    def _restore(self, name: str, data: bytes, private_map: PrivateMap) -> RestoredDocument:
        self._opened = None
        return restored(name, data, private_map, self._limits)

    def has_grown(self) -> bool:
        """Tell whether a new process would hold less; what it holds now, as the most is the starter's at first."""
        if self._opened is not None:
            return False
        with contextlib.suppress(OSError, ValueError):
            return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE") > _GROWN
        return False


def _key(name: str, data: bytes, images: str) -> bytes:
    return hashlib.sha256(f"{name}\n{images}\n".encode() + data).digest()


class ReleasedDocument(NamedTuple):
    """A file to hand over, how to undo it (private), what was checked, and the release of its text."""

    data: bytes
    private_map: PrivateMap
    certificate: Certificate
    release: Release


def released(
    name: str,
    data: bytes,
    sanitizer: Sanitizer,
    *,
    images: Images = "blank",
    scope: Scope | None = None,
    apart: Apart | None = None,
) -> ReleasedDocument:
    """Sanitize a document in place.

    Args:
        name: of its file; the ending tells the format.
        data: the file.
        sanitizer: with a policy that finds spans.
        images: what becomes of pictures.
        scope: shared by documents in which a value has one surrogate; None is a new one.
        apart: reads and writes the file in a process that is killed when it takes too much time or memory; None does
            it in this process, if only what is counted has a limit.

    Raises InputError: the file cannot be read, or is one that is refused; UnsupportedGuarantee: the sanitizer has no
    policy with spans; InternalError: the check found something in the written file.
    """
    if (policy := sanitizer.setting.policy) is None or not policy.finds_spans:
        raise UnsupportedGuarantee(
            "a document needs a policy that finds spans, as its look stays; got none. Use tv.policy('identifiers')."
        )
    opened = Opened(name, data, images) if apart is None else apart.opened(name, data, images)
    (release,) = sanitizer.batch([opened.text], spans=False, scopes=None if scope is None else [scope])
    if release.private_map is None:
        raise UnsupportedGuarantee("a document needs a policy whose releases can be undone; got another.")
    return ReleasedDocument(*opened.rewritten(release.private_map), release=release)
