"""The format of a corpus: by its name, else by the endings of its files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, CorpusFormat, FieldChoice, checked_encoding
from textveil.corpora.formats.text_lines import PlainText
from textveil.documents.registry import is_document
from textveil.errors import ParameterError, need

STRUCTURED = ("fhir", "hl7")
"""Formats that know what their fields are."""

FORMATS = ("txt", "jsonl", "json", "csv", "tsv", "parquet", *STRUCTURED)

DOCUMENT: Final = "document"
"""The format of files that ``documents`` reads, each one record; it is told by their endings alone."""

_FOREIGN = (
    *("xml", "html", "htm", "pdf", "docx", "odt", "rtf", "xlsx", "arrow", "feather"),
    *("bz2", "xz", "zip", "tar", "tgz"),
)
"""Endings of files whose markup or container must not be taken for text without being told."""

_COMPRESSED = ("gz", "zst")
"""Endings that are set aside: compression is told by an input's first bytes, the format by the ending before."""

_RECORDS = FORMATS[1:6]  # formats whose records have fields, so that each can be written as any other
_HOMES: Final = {
    "jsonl": ("json_records", "JsonLines"),
    "json": ("json_records", "JsonArray"),
    "parquet": ("parquet", "Parquet"),
    "fhir": ("fhir", "Fhir"),
    "hl7": ("hl7", "Hl7"),
}
"""Modules and classes of formats; the class that writes is called so with ``Writer``. Most runs need none."""

_ALSO = {"ndjson": "jsonl", "tab": "tsv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatChoice:
    """The format as the user chose it; the inputs settle the rest."""

    corpus_format: str | None = None  # one of ``FORMATS``; None tells it by the inputs' endings
    whole: bool = False  # of txt: one document instead of one a line
    sanitized: tuple[str, ...] = ()  # of records: fields whose texts are sanitized; none is the field ``text``
    kept: tuple[str, ...] = ()  # of records: fields that are copied
    read: tuple[str, ...] = ()  # of records: columns that are read for something else (``corpora.columns``)
    # one of ``FORMATS`` but txt; None tells it by the output's ending, and is the inputs' where that says none
    output_format: str | None = None
    # of csv: the character between fields; ``\t`` may be written for a tab. None is a comma
    delimiter: str | None = None
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    encoding: str | None = None  # of inputs that are text, such as cp1252; None is UTF-8, which every output is

    def name(self, inputs: Sequence[str]) -> str:
        """The format of these inputs: one of ``FORMATS``, or ``DOCUMENT``.

        Raises ParameterError: it is none of ``FORMATS``, or the endings speak of several or of another one.
        """
        if self.corpus_format is not None:
            return _known("corpus_format", self.corpus_format)
        formats = {_by_ending(source) for source in inputs}
        if len(formats) > 1:
            raise ParameterError(
                f"`corpus_format` must be one for all inputs; their endings say {', '.join(sorted(formats))}."
            )
        return formats.pop()

    def name_of_all(self, inputs: Sequence[str]) -> str:
        """The format of inputs that are released one by one; of several formats, one of records."""
        names = set()
        for each in inputs:
            try:
                names.add(self.name([each]))
            except ParameterError:  # told where it is its turn
                continue
        names -= {"txt", DOCUMENT}
        return min(names, default="txt")

    def output_name(self, inputs: Sequence[str], output: Path | None) -> str:
        """The format of the output: as ``output_format`` says, else as its ending does, else that of the inputs.

        Raises ParameterError: as ``name``; or only one of the two has records with fields.
        """
        name = self.name(inputs)
        if self.output_format is not None:
            wanted = _known("output_format", self.output_format)
        else:
            ending = "" if output is None else _ending(output)
            wanted = _ALSO.get(ending, ending)
            wanted = wanted if wanted in _RECORDS and name in _RECORDS else name
        if wanted != name and (wanted not in _RECORDS or name not in _RECORDS):
            raise ParameterError(
                f"`output_format` must be {name} for inputs that are; got {wanted}. Only records with fields are "
                "converted."
            )
        return wanted

    def reader(self, inputs: Sequence[str], output: Path | None = None) -> CorpusFormat:
        """The reader of these inputs that writes such an output; if there is no name, one of the inputs' format.

        Raises ParameterError: as ``output_name``; or an option does not fit the format.
        """
        name, wanted = self.name(inputs), self.output_name(inputs, output)
        if self.delimiter is not None and "csv" not in (name, wanted):
            raise ParameterError(f"`delimiter` needs `corpus_format` csv; got {name}.")
        if name == DOCUMENT:
            return self._documents(inputs)
        if name in STRUCTURED:
            given = {"sanitized": self.sanitized, "kept": self.kept, "whole": self.whole}
            for option, value in given.items():
                need(not value, option, "one", f"left out where the format is {name}, which knows its fields")
            strange = [column for column in self.read if column != "patient"]
            need(not strange, "unit", "another column", "patient where the format knows its fields")
            encoding = checked_encoding(self.encoding)
            return cast(CorpusFormat, _of_home(name)(max_document_bytes=self.max_document_bytes, encoding=encoding))
        if name == "txt":
            if self.read:
                raise ParameterError(f"columns need `corpus_format` {_listed(_RECORDS)}; got txt.")
            if self.sanitized or self.kept:
                raise ParameterError(f"`sanitized` and `kept` need `corpus_format` {_listed(_RECORDS)}; got txt.")
            return PlainText(
                whole=self.whole,
                ended=len(inputs) > 1,
                max_document_bytes=self.max_document_bytes,
                encoding=checked_encoding(self.encoding),
            )
        if self.whole:
            raise ParameterError(f"`whole` needs `corpus_format` txt; got {name}.")
        choice, limit = FieldChoice(self.sanitized or ("text",), self.kept, self.read), self.max_document_bytes
        encoding = checked_encoding(self.encoding)
        delimiter = "\t" if self.delimiter == r"\t" else self.delimiter
        between = {"csv": "," if delimiter is None else delimiter, "tsv": "\t"}
        if name in between:
            from textveil.corpora.formats.csv_table import CsvTable, told_delimiter

            if name == "csv" and delimiter is None and inputs:
                between["csv"] = told_delimiter(inputs[0], choice, encoding)
            source: Any = CsvTable(choice=choice, delimiter=between[name], max_document_bytes=limit, encoding=encoding)
        elif name == "parquet":
            if encoding is not None:
                raise ParameterError("`encoding` needs `corpus_format` of text; got parquet, which says its own.")
            source = _of_home(name)(choice=choice, max_document_bytes=limit)
        else:
            source = _of_home(name)(choice=choice, max_document_bytes=limit, encoding=encoding)
        if wanted == name:
            return cast(CorpusFormat, source)
        from textveil.corpora.formats.rows import converted

        if wanted in between:
            from textveil.corpora.formats.csv_table import CsvTable, CsvWriter

            delimiters = CsvTable(choice=choice, delimiter=between[wanted])  # which checks it
            return converted(source, CsvWriter(delimiters.delimiter), wanted)
        writer = _of_home(wanted, "Writer")
        return converted(source, writer(choice.sanitized) if wanted == "parquet" else writer(), wanted)

    def _documents(self, inputs: Sequence[str]) -> CorpusFormat:
        from textveil.corpora.formats.document_file import FILE, FOLDER, Documents

        given = {"sanitized": self.sanitized, "kept": self.kept, "whole": self.whole, "encoding": self.encoding}
        for option, value in given.items():
            need(not value, option, "one", "left out where documents are read, each of which is one text")
        if strange := [column for column in self.read if column not in (FILE, FOLDER)]:
            raise ParameterError(
                f"columns of documents must be {FILE} (its name) or {FOLDER} (the name of its folder); got "
                f"{strange[0][:20]!r}."
            )
        return Documents(tuple(inputs), self.max_document_bytes)

    def released(self, inputs: Sequence[str], output: Path) -> FormatChoice:
        """The choice that reads what was written: the output's format, and no other one to write."""
        wanted = self.output_name(inputs, output)
        between = self.delimiter if wanted == "csv" else None
        return replace(self, corpus_format=wanted, output_format=None, delimiter=between, read=(), encoding=None)

    def check_output(self, inputs: Sequence[str], output: Path | None) -> None:
        """Refuse an output whose ending speaks of another format than it will have; one that says nothing passes.

        Raises ParameterError: it does.
        """
        if output is None:
            return
        name, ending = self.output_name(inputs, output), _ending(output)
        said = _ALSO.get(ending, ending)
        other = said in FORMATS and said != name and not (name == "fhir" and said in ("json", "jsonl"))
        if other or ending in _FOREIGN:
            raise ParameterError(
                f"`output` must be named as what it will be, {name}; got the ending .{ending}. Rename it."
            )
        if name == "parquet" and output.suffix.lower().removeprefix(".") in _COMPRESSED:
            raise ParameterError("`output` must end in .parquet; such a file is compressed within. Rename it.")


_MESSAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?[\x0b\s]{0,9}(?:FHS|BHS|MSH)[^A-Za-z0-9\s]{4}")
"""The beginning of messages of HL7, in whose segments names stand without words around them."""


def need_no_messages(inputs: Sequence[str]) -> None:
    """Refuse files of HL7 messages if nobody said that they are text. Raises ParameterError: one is such a file."""
    for name in inputs:
        path = Path(name)
        if not is_document(name) and path.is_file():
            with (
                contextlib.suppress(OSError),
                path.open("rb") as stream,
            ):  # what cannot be read is told where it is read
                begin = stream.read(99)
                if _MESSAGE.match(begin):
                    raise ParameterError(
                        "`corpus_format` must be given for HL7 messages: hl7 reads fields, txt searches them as text."
                    )


def _of_home(name: str, ending: str = "") -> Any:
    module, of_format = _HOMES[name]
    return getattr(import_module(f"textveil.corpora.formats.{module}"), of_format + ending)


def _known(parameter: str, name: str) -> str:
    if name not in FORMATS:
        raise ParameterError(f"`{parameter}` must be one of {', '.join(FORMATS)}; got {name[:20]!r}.")
    return name


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _ending(path: Path) -> str:
    if path.suffix.lower().removeprefix(".") in _COMPRESSED:
        path = path.with_suffix("")
    return path.suffix.lower().removeprefix(".")


def _by_ending(source: str) -> str:
    ending = _ending(Path(source))
    if is_document(source):
        return DOCUMENT
    if ending in _FOREIGN:
        raise ParameterError(
            f"`corpus_format` cannot be told from the ending .{ending}: it is none of {', '.join(FORMATS)}. "
            "Convert the file to one of them, or name the one it is with `corpus_format`."
        )
    known = _ALSO.get(ending, ending)
    return known if known in FORMATS else "txt"
