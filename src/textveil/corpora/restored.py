"""Released corpora decoded, or with their originals put back from a map file; and map files of releases in Python."""

import codecs
import contextlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Protocol, cast

from textveil.corpora.blocks import BLOCK_BYTES
from textveil.corpora.formats.records import Assembled, CorpusFormat, FieldChoice
from textveil.corpora.inputs import ReleasedBlock, released_blocks
from textveil.corpora.sources import COMPRESSED, compressing
from textveil.errors import InputError, ParameterError
from textveil.surrogates import map_file
from textveil.surrogates.map_file import Document, MapCipher, MapFile, PrivateMap
from textveil.surrogates.restoring import Restored, Restorer
from textveil.surrogates.urls import InUrls
from textveil.types import Progress
from textveil.whole_files import atomic_writers, need_new

_PIECE: Final = 2**16


@dataclass(slots=True)
class CorpusRestorer:
    """Puts originals back text by text: the ``decoder`` of a ``DecodingRun`` over a released corpus.

    A text that is as it was released goes back character for character; one that was edited, as ``tv.restore`` does
    it with the map of that text alone. A map file is read along with the corpus.
    """

    map_file: MapFile
    in_urls: InUrls = "named-hosts"  # where originals go within URLs of edited texts; see ``tv.restore``
    left_in_urls: int = 0  # mentions in edited texts that stay for that
    texts_done: int = 0
    edited: int = 0  # how many of them were not as they were released
    ambiguous: int = 0  # mentions in these that were left, since they do not tell for what they stand
    _maps: Iterator[PrivateMap] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._maps = iter(self.map_file)

    def texts(self, texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
        """See ``DecodesTexts``. Raises InputError: the map is of less documents, or not as it was written."""
        return [self._restored(text) for text in texts]

    def finish(self) -> None:
        """Say that there are no more texts.

        Raises InputError: the map is of more documents, or not as it was written.
        """
        if next(self._maps, None) is not None:
            raise _other_count("less")

    def _restored(self, text: str) -> str:
        if (own := next(self._maps, None)) is None:
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

    Raises ParameterError: others were sanitized.
    """
    if not (sanitized := tuple(map_file.about.get("sanitized", ()))):
        return FieldChoice(tuple(fields) or ("text",), tuple(kept or ()))
    if fields and set(fields) != set(sanitized):
        raise ParameterError("`sanitized` must name the fields that were sanitized, or none; the map has others.")
    return FieldChoice(sanitized, tuple(map_file.about.get("kept", ()) if kept is None else kept))


def restored_answer(restorer: Restorer, source: BinaryIO, target: BinaryIO) -> Restored:
    """Restore one UTF-8 text as it comes in, and hand on at once what is settled.

    Returns what was done, without the text. Raises InputError: it is not UTF-8; what stands before is handed on.
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


_BLOCK_CHARACTERS: Final = 500_000


def write_map_file(path: Path, key: bytes, maps: Iterable[PrivateMap]) -> int:
    """Write maps, each as a document of its own, to a file that only you can open (mode 0600).

    The file is there whole or not at all; ``MapFile(path, key)`` reads it, and so does ``textveil restore``. ``key``:
    the user's, of ``surrogates.map_key.read_or_made_key``; ``maps``: read once, and held a block at a time. Returns how
    many there were.

    Raises OutputError: the file cannot be written; ParameterError: the key has another length, or the file exists;
    MissingExtra: ``cryptography`` is not installed.
    """
    need_new(path, "private_map")
    cipher = MapCipher.new(key)
    blocks = documents = characters = 0
    held: list[Document] = []
    with atomic_writers([path], private=[path]) as (stream,):
        stream.write(map_file.begun(cipher, {}))
        for private_map in maps:
            held.append((private_map,))
            documents += 1
            characters += len(private_map.released)
            if characters >= _BLOCK_CHARACTERS:
                stream.write(map_file.block(cipher, blocks, held))
                blocks, characters, held = blocks + 1, 0, []
        if held:
            stream.write(map_file.block(cipher, blocks, held))
            blocks += 1
        stream.write(map_file.ended(cipher, blocks, documents))
    return documents


class DecodesTexts(Protocol):
    """Puts something better in place of releases: a decoder, or a repairer that asks an endpoint."""

    def texts(self, texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
        """One text for each; ``numbers`` are theirs, for errors.

        Raises InputError: a text is no release that it knows.
        """


@dataclass(frozen=True, kw_only=True)
class DecodingRun:
    """A run that decodes releases; ``to_stream`` and ``to_file`` execute it."""

    decoder: DecodesTexts
    corpus_format: CorpusFormat  # the format of inputs and output; its sanitized fields are those that are decoded
    inputs: tuple[str, ...]
    progress: Progress | None = field(default=None, repr=False)
    block_bytes: int = BLOCK_BYTES
    max_expansion: float | None = None  # bytes that a byte of a compressed input may come to; None is no limit
    # called behind the last document, before a file gets its name; may raise ``InputError``
    finish: Callable[[], None] | None = field(default=None, repr=False)
    private: bool = False  # whether the file is for its owner only, as restored originals are

    def to_file(self, output: Path) -> int:
        """Decode everything into a file, which is whole or not there; compressed if its name says so.

        Returns how many documents. Raises InputError: there is no document, or one cannot be read or is no release;
        OutputError: the file cannot be written.
        """
        with atomic_writers([output], private=[output] if self.private else []) as (stream,):
            writer = compressing(stream, output.name)
            if isinstance(self.corpus_format, Assembled):
                packed = output.suffix.lower() in COMPRESSED
                documents = self.to_stream(cast("BinaryIO", writer) if packed else stream)
            else:
                documents = self._pumped(writer.write)
            writer.flush_frame()
        return documents

    def to_stream(self, stream: BinaryIO) -> int:
        if isinstance(self.corpus_format, Assembled):
            sink = self.corpus_format.sink(stream)
            documents = self._pumped(sink.write)
            sink.close()
        else:
            documents = self._pumped(stream.write)
        stream.flush()
        return documents

    def _pumped(self, write: Callable[[bytes], object]) -> int:
        documents = 0
        for count, data in self._decoded():
            documents += count
            write(data)
        if documents == 0:
            raise InputError("the input must hold at least one document; got none. Is the file empty?")
        if self.finish is not None:
            self.finish()
        return documents

    def _decoded(self) -> Iterator[tuple[int, bytes]]:
        begun = isinstance(self.corpus_format, Assembled)  # which has no head of its own
        size, most = self.block_bytes, self.max_expansion
        for block in released_blocks(
            self.corpus_format, self.inputs, self.progress, block_bytes=size, max_expansion=most
        ):
            head = b"" if begun else block.records.head
            begun = True
            yield sum(map(bool, block.records.texts)), head + self._joined(block)

    def _joined(self, block: ReleasedBlock) -> bytes:
        shape = block.records.texts
        numbers = [block.first + place for place, parts in enumerate(shape) for _ in parts]
        try:
            decoded = iter(self.decoder.texts(block.texts, numbers))
        except InputError as error:
            raise InputError(f"{block.place}{error}") from None
        return block.records.joined([[next(decoded) for _ in parts] for parts in shape])
