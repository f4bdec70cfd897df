"""The format of a corpus: by its name, else by the endings of its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

from textveil.corpora.formats.csv_table import CsvTable
from textveil.corpora.formats.fields import FieldChoice
from textveil.corpora.formats.jsonl import JsonLines
from textveil.corpora.formats.parquet import Parquet
from textveil.corpora.formats.plain import PlainText
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, CorpusFormat
from textveil.errors import ParameterError

FORMATS = ("txt", "jsonl", "csv", "tsv", "parquet")

_FOREIGN = (
    *("json", "xml", "html", "htm", "pdf", "docx", "odt", "rtf", "xlsx", "arrow", "feather"),
    *("bz2", "xz", "zip", "tar", "tgz"),
)
"""Endings of files whose markup or container must not be taken for text without being told."""

_COMPRESSED = ("gz", "zst")
"""Endings that are set aside: compression is told by an input's first bytes, the format by the ending before."""

_ALSO = {"ndjson": "jsonl", "tab": "tsv"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FormatChoice:
    r"""What was asked of the format; the inputs settle the rest.

    Attributes:
        corpus_format: one of ``FORMATS``; None tells it by the inputs' endings.
        whole: of txt: one document instead of one a line.
        sanitized: of records: fields whose texts are sanitized; none is the field ``text``.
        kept: of records: fields that are copied.
        delimiter: of csv: the character between fields; ``\t`` may be written for a tab. None is a comma.
        max_document_bytes: larger documents are refused.
    """

    corpus_format: str | None = None
    whole: bool = False
    sanitized: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    delimiter: str | None = None
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def name(self, inputs: Sequence[str]) -> str:
        """The format of these inputs.

        Raises:
            ParameterError: it is none of ``FORMATS``, or the endings speak of several or of another one.
        """
        if self.corpus_format is not None:
            if self.corpus_format not in FORMATS:
                raise ParameterError(
                    f"`corpus_format` must be one of {', '.join(FORMATS)}; got {self.corpus_format[:20]!r}."
                )
            return self.corpus_format
        found = {_by_ending(source) for source in inputs}
        if len(found) > 1:
            raise ParameterError(
                f"`corpus_format` must be one for all inputs; their endings say {', '.join(sorted(found))}."
            )
        return found.pop()

    def reader(self, inputs: Sequence[str]) -> CorpusFormat:
        """The reader and writer of these inputs.

        Raises:
            ParameterError: as ``name``; or an option does not fit the format.
        """
        name = self.name(inputs)
        if self.delimiter is not None and name != "csv":
            raise ParameterError(f"`delimiter` needs `corpus_format` csv; got {name}.")
        if name == "txt":
            if self.sanitized or self.kept:
                raise ParameterError("`sanitized` and `kept` need `corpus_format` jsonl, csv, tsv or parquet; got txt.")
            return PlainText(whole=self.whole, ended=len(inputs) > 1, max_document_bytes=self.max_document_bytes)
        if self.whole:
            raise ParameterError(f"`whole` needs `corpus_format` txt; got {name}.")
        choice = FieldChoice(self.sanitized or ("text",), self.kept)
        delimiter = "\t" if self.delimiter == r"\t" else "," if self.delimiter is None else self.delimiter
        made: dict[str, Callable[..., CorpusFormat]] = {
            "jsonl": JsonLines,
            "csv": partial(CsvTable, delimiter=delimiter),
            "tsv": partial(CsvTable, delimiter="\t"),
            "parquet": Parquet,
        }
        return made[name](choice=choice, max_document_bytes=self.max_document_bytes)

    def check_output(self, inputs: Sequence[str], output: Path | None) -> None:
        """Refuse an output whose ending speaks of another format than it will have; one that says nothing passes.

        Raises:
            ParameterError: it does.
        """
        if output is None:
            return
        name, ending = self.name(inputs), _ending(output)
        if (_ALSO.get(ending, ending) in FORMATS and _ALSO.get(ending, ending) != name) or ending in _FOREIGN:
            raise ParameterError(
                f"`output` must be named as what it will be, {name}; got the ending .{ending}. Rename it."
            )
        if name == "parquet" and output.suffix.lower().removeprefix(".") in _COMPRESSED:
            raise ParameterError("`output` must end in .parquet; such a file is compressed within. Rename it.")


def _ending(path: Path) -> str:
    """The ending that may speak of a format, without that of a compression."""
    if path.suffix.lower().removeprefix(".") in _COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower().removeprefix(".")


def _by_ending(source: str) -> str:
    ending = _ending(Path(source))
    if ending in _FOREIGN:
        raise ParameterError(
            f"`corpus_format` cannot be told from the ending .{ending}: it is none of {', '.join(FORMATS)}. "
            "Convert the file to one of them, or name the one it is with `corpus_format`."
        )
    known = _ALSO.get(ending, ending)
    return known if known in FORMATS else "txt"
