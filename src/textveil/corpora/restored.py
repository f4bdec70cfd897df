"""Released corpora, and answers to them, with their originals put back from a map file."""

import codecs
import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final, cast

from textveil.corpora.formats.fields import FieldChoice
from textveil.errors import InputError, ParameterError
from textveil.surrogates.map_file import MapFile
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import Restored, Restorer
from textveil.surrogates.urls import InUrls

_PIECE: Final = 2**16


@dataclass(slots=True)
class CorpusRestorer:
    """Puts originals back text by text: the ``decoder`` of a ``DecodingRun`` over a released corpus.

    A text that is as it was released goes back character for character; one that was edited, as ``tv.restore`` does
    it with the map of that text alone. A map file is read along with the corpus.

    Attributes:
        in_urls: where originals go within URLs of edited texts; see ``tv.restore``.
        left_in_urls: mentions in edited texts that stay for that.
        edited: how many of them were not as they were released.
        ambiguous: mentions in these that were left, since they do not tell for what they stand.
    """

    map_file: MapFile
    in_urls: InUrls = "named-hosts"
    left_in_urls: int = 0
    texts_done: int = 0
    edited: int = 0
    ambiguous: int = 0
    _maps: Iterator[PrivateMap] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._maps = iter(self.map_file)

    def texts(self, texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
        """See ``DecodesTexts``. Raises InputError: the map is of less documents, or not as it was written."""
        return [self._restored(text) for text in texts]

    def finish(self) -> None:
        """Say that there are no more texts.

        Raises:
            InputError: the map is of more documents, or not as it was written.
        """
        if next(self._maps, None) is not None:
            raise _other_count("less")

    def _restored(self, text: str) -> str:
        own = next(self._maps, None)
        if own is None:
            raise _other_count("more")
        self.texts_done += 1
        if text == own.released:
            return own.original()
        self.edited += 1
        done = Restorer(own, in_urls=self.in_urls).restore(text)
        self.left_in_urls += done.in_urls
        self.ambiguous += len(done.ambiguous)
        return done.text


def _other_count(what: str) -> InputError:
    return InputError(
        f"the input must have as many documents as the private map; it has {what}. If it is an answer to them, give "
        "`answer=True`."
    )


def released_fields(map_file: MapFile, fields: Sequence[str], kept: Sequence[str] | None) -> FieldChoice:
    """The fields of a released corpus: those that its map names.

    Args:
        fields: the fields that somebody wants restored; none are all of them.
        kept: those to copy; None are all that were.

    Raises:
        ParameterError: others were sanitized.
    """
    sanitized = tuple(map_file.about.get("sanitized", ()))
    if not sanitized:
        return FieldChoice(tuple(fields) or ("text",), tuple(kept or ()))
    if fields and set(fields) != set(sanitized):
        raise ParameterError("`sanitized` must name the fields that were sanitized, or none; the map has others.")
    return FieldChoice(sanitized, tuple(map_file.about.get("kept", ()) if kept is None else kept))


def restored_answer(restorer: Restorer, source: BinaryIO, target: BinaryIO) -> Restored:
    """Restore one UTF-8 text as it comes in, and hand on at once what is settled.

    Returns:
        What was done, without the text.

    Raises:
        InputError: it is not UTF-8; what stands before is handed on.
    """
    stream = restorer.stream()
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    pieces = cast("io.BufferedReader", source)
    more = True
    while more:
        data = pieces.read1(_PIECE)
        more = bool(data)
        piece = None
        with contextlib.suppress(UnicodeDecodeError):
            piece = decoder.decode(data, final=not more)
        if piece is None:  # raised out here: the decoder's error holds the bytes
            raise InputError("the input must be UTF-8; it is not. Convert it first.")
        settled = stream.feed(piece) + ("" if more else stream.close())
        # A lone surrogate of an original cannot be written as UTF-8; it is shown instead of lost.
        target.write(settled.encode("utf-8", "backslashreplace"))
        target.flush()
    return stream.restored("")
