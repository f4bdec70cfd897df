"""Documents read, written and restored in this process: all of what may blow up on a file that somebody made."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from textveil.documents.check import Certificate, check
from textveil.documents.limits import Limits, take, within
from textveil.documents.model import Cut, Images, joined, lines, write
from textveil.documents.registry import is_picture, reader_of
from textveil.errors import InputError, InternalError, TextveilError
from textveil.pages.layout import Line
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import Restorer

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
    """Return what a release changes, by places in the private text."""
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
