"""Options that several commands share, spelled once, and groups of them; mechanisms' are in ``mechanism_options``."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    BinaryIO,
    Final,
    Generic,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.models import OptionInfo

from textveil.cli.mechanism_options import BUDGET, FORMATS, TRIALS, VOCABULARY, renamed
from textveil.cli.progress import counting
from textveil.environment import LANGUAGE
from textveil.errors import InputError, OutputError, ParameterError, need
from textveil.json_text import json_text
from textveil.pages.messages import message_language, plain_row, said
from textveil.registry.options import GUARANTEE, OTHERS

if TYPE_CHECKING:
    from textveil.corpora.file_by_file import Folder
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.formats.records import CorpusFormat
    from textveil.corpora.inputs import LeftOut
    from textveil.models.endpoint import Endpoint
    from textveil.pages.layout import Line
    from textveil.vocabulary.vocabulary import Vocabulary

R = TypeVar("R")


class Declared(NamedTuple):
    """Says of an option, in its annotation, that a keyword of the same name of a function declares it."""

    function: str  # a function of `textveil.aggregates`; or `request`, of a `CorpusRequest`

    def option(self, name: str, kind: Any) -> tuple[Any, Any]:
        """Return the annotation of an option of this type, and its default."""
        from textveil.cli.mechanism_options import declared

        declaration = declared("functions")[self.function][name]
        unset = f"  [default: {declaration.unset}]" if declaration.unset else ""
        group = None if declaration.group == OTHERS else declaration.group
        default = "" if declaration.kind is None else declaration.default  # of several names, with commas between them
        required = default is None and not declaration.optional
        return (
            Annotated[kind, option(declaration.metavar, declaration.help + unset, group)],
            inspect.Parameter.empty if required else default,
        )


class _Grouped(Generic[R]):
    def __init__(self, command: Callable[..., R]) -> None:
        functools.update_wrapper(self, command, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        self._command = command

    @functools.cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._command, include_extras=True)

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        options: dict[str, tuple[Any, Any]] = {}
        for name, parameter in inspect.signature(self._command).parameters.items():
            kind = self._hints[name]
            if is_dataclass(kind):
                hints = get_type_hints(kind, include_extras=True)
                for field in dataclasses.fields(kind):
                    default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
                    options[field.name] = hints[field.name], default
            else:
                options[name] = kind, parameter.default
        parameters = []
        for name, (annotation, default) in options.items():
            if get_origin(annotation) is Annotated:
                kind, *extras = get_args(annotation)
                if isinstance(extras[0], Declared):
                    annotation, default = extras[0].option(name, kind)
                    kind, *extras = get_args(annotation)
                annotation = Annotated[kind, *(_spelled(name, extra) for extra in extras)]
            default = _spelled(name, default)
            parameters.append(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )
        return inspect.Signature(parameters)

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: parameter.annotation for name, parameter in self.__signature__.parameters.items()}

    def __call__(self, **values: Any) -> R:
        for name, kind in self._hints.items():
            if name != "return" and is_dataclass(kind):
                values[name] = kind(**{field.name: values.pop(field.name) for field in dataclasses.fields(kind)})  # type: ignore[operator]
        return self._command(**values)


_SPELLED: Final[Mapping[str, tuple[str, ...]]] = {
    "as_json": ("--json",),
    "labelled": ("--evaluate",),
    "output": ("--output", "-o"),
    "page": ("--html",),
    "policy": ("--policy", "-p"),
    "private_map": ("--map",),
    "quiet": ("--quiet", "-q"),
    "tools": ("--tool",),
    "word": ("--word", "-w"),
}
"""Spelling of options whose declaration does not give it; others are spelled as their parameter, with hyphens."""


def _spelled(name: str, declaration: Any) -> Any:
    if not isinstance(declaration, OptionInfo) or declaration.param_decls or str(declaration.default)[:1] == "-":
        return declaration  # typer takes the first name for the default where the declaration is an annotation
    spelled = copy(declaration)
    spelled.param_decls = _SPELLED.get(name, (f"--{name.replace('_', '-')}",))
    return spelled


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """Make a command whose parameters may stand for several options, which are offered in their order.

    A parameter whose type is a dataclass stands for its fields: their defaults are made by ``value``, ``switch`` or
    ``record_field``, or their annotations by ``option`` or ``Declared``.
    """
    return _Grouped(command)


def value(metavar: str, about: str, group: str | None = None, *names: str, default: Any = None) -> Any:
    """Declare an option with a value as the default of a parameter or field; ``...`` as ``default`` requires it."""
    return typer.Option(default, *names, metavar=metavar, help=about, rich_help_panel=group)


def record_field(about: str, group: str | None = None, *, default: Any = None) -> Any:
    """Declare an option that names fields of records, as ``value``."""
    return value("F", f"For records: {about}", group, default=default)


def switch(about: str, group: str | None = None) -> Any:
    """Declare an option that is on if it is given, as the default of a parameter or field of a grouped command."""
    return typer.Option(False, help=about, rich_help_panel=group)


def option(metavar: str, about: str, group: str | None = None, *names: str) -> Any:
    """Declare an option with a value, as an annotation; named as its parameter, unless it has other names."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=group)


def flag(name: str, about: str, group: str | None = None) -> Any:
    """Declare an option that is on if it is given, as an annotation."""
    return typer.Option(name, help=about, rich_help_panel=group)


def fields(about: str, group: str | None = FORMATS) -> Any:
    """Declare an option that names fields of records, as an annotation."""
    return option("F", f"For records: {about}", group)


MECHANISM = option("NAME", "A name from: textveil mechanisms.", GUARANTEE, "--mechanism", "-m")
MechanismName: TypeAlias = Annotated[str, MECHANISM]
VocabularyPath: TypeAlias = Annotated[
    Path | None, option("PATH", "Word vectors to use instead of the embedded ones.", VOCABULARY)
]
VocabularyFormat: TypeAlias = Annotated[
    str | None, option("NAME", "word2vec, word2vec-binary, glove, fasttext, npy, safetensors.", VOCABULARY)
]
VocabularyLimit: TypeAlias = Annotated[
    int | None, option("N", "Read only the first N words of --vocabulary.", VOCABULARY)
]
Sources: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="[INPUT]...", help="Files or patterns; - is standard input.  [default: -]")
]
Output: TypeAlias = Annotated[
    Path | None, option("OUT", "Output file.  [default: standard output]", None, "--output", "-o")
]
FormatName: TypeAlias = Annotated[
    str | None,
    option(
        "NAME",
        "txt, jsonl, json, csv, tsv, parquet, fhir or hl7.  [default: by INPUT's ending]",
        FORMATS,
        "--format",
        "-f",
    ),
]
OutputFormat: TypeAlias = Annotated[
    str | None,
    option("NAME", "Another format of records for the output.  [default: by OUT's ending, else as INPUT]", FORMATS),
]
WholeFile: TypeAlias = Annotated[bool, flag("--whole-file", "For txt: one document instead of one a line.", FORMATS)]
Delimiter: TypeAlias = Annotated[str | None, option("C", "For csv: between fields, as ; or \\t.", FORMATS)]
Encoding: TypeAlias = Annotated[
    str | None, option("NAME", "Of text: cp1252 (of Excel), utf-16 or another.  [default: utf-8]", FORMATS)
]
_LEDGER = option(
    "URL|FILE",
    "Take what it costs from this ledger of budgets, before anything is drawn; exit code 3 where it does not reach.",
    BUDGET,
)
LedgerOrNone: TypeAlias = Annotated[str | None, _LEDGER]
Tenant: TypeAlias = Annotated[str, option("T", "Whose ledger it is.", BUDGET)]
Overwrite: TypeAlias = Annotated[
    bool, flag("--overwrite", "Replace outputs that exist, even an earlier release that was paid for.", BUDGET)
]
Seed: TypeAlias = Annotated[
    int | None, option("N", "Repeatable draws, for experiments; the result is stamped not for release.", TRIALS)
]
AsJson: TypeAlias = Annotated[bool, flag("--json", "Machine-readable output.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")]


def _choose_language(language: str | None) -> str | None:
    """Set the language of all that this process says; errors of the command are in it too."""
    if language is not None:
        os.environ[LANGUAGE] = language
        with renamed(**{LANGUAGE: "language"}):
            message_language()
    return language


Language: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="L",
        envvar=LANGUAGE,
        callback=_choose_language,
        is_eager=True,
        help="Language of messages and of the page of --report: en, de, fr or es.  [default: en]",
    ),
]
NewReports: TypeAlias = Annotated[
    list[Path] | None,
    option("R.json|R.html", "Write the report to this file, a page where its name ends in .html. Repeat it for both."),
]


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions:
    """The public words."""

    vocabulary: VocabularyPath = None
    vocabulary_format: VocabularyFormat = None
    vocabulary_limit: VocabularyLimit = None

    def load(self) -> Vocabulary:
        """The embedded vocabulary, or the one that is named."""
        return load(self.vocabulary, self.vocabulary_format, self.vocabulary_limit)

    @property
    def given(self) -> bool:
        return self != VocabularyOptions()


def format_choice(options: Any, sanitized: Iterable[str] | None) -> FormatChoice:
    """Return the format that options state, some of which a command may not have, with these fields."""
    from textveil.corpora.formats.choice import FormatChoice

    return FormatChoice(
        corpus_format=options.corpus_format,
        whole=getattr(options, "whole_file", False),
        sanitized=tuple(sanitized or ()),
        delimiter=options.delimiter,
        encoding=getattr(options, "encoding", None),
    )


@dataclass(frozen=True, kw_only=True)
class FormatOptions:
    """The formats of inputs and output."""

    corpus_format: FormatName = None
    whole_file: WholeFile = False
    delimiter: Delimiter = None
    output_format: OutputFormat = None
    encoding: Encoding = None

    def choice(self, sanitized: Iterable[str] | None = None, kept: Iterable[str] | None = None) -> FormatChoice:
        """Return the format of records with these fields."""
        return replace(format_choice(self, sanitized), kept=tuple(kept or ()), output_format=self.output_format)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options of reading texts that nothing is drawn for."""

    corpus_format: FormatName = None
    field: list[str] | None = record_field("field to read; may be repeated.  [default: text]", FORMATS)
    delimiter: Delimiter = None
    whole_file: WholeFile = False
    encoding: Encoding = None

    def layouts(self, patterns: list[str]) -> list[list[Line]]:
        """Return the lines of each input that is a document; nothing if they are none."""
        from textveil.corpora.formats.choice import DOCUMENT

        choice = format_choice(self, self.field)
        inputs = inputs_of(files_of(patterns), choice)
        if choice.name(inputs) != DOCUMENT:
            return []
        from textveil.documents.apart import Apart
        from textveil.documents.registry import is_picture

        apart = Apart()
        return [apart.layout_of(name, bytes_of(name), "ocr" if is_picture(name) else "blank") for name in inputs]

    def texts(
        self, patterns: list[str], doing: str, left_out: Sequence[LeftOut] = (), folder: Folder | None = None
    ) -> Iterator[list[str]]:
        """Yield the texts of the inputs, block by block.

        ``doing``: the progress bar's text; ``left_out``: records to skip; ``folder``: files to read in place of
        ``patterns``, each by its own format.
        """
        from textveil.corpora.file_by_file import FileByFile
        from textveil.corpora.inputs import released_blocks

        choice = format_choice(self, self.field)
        reader: CorpusFormat
        if folder is None:
            inputs = inputs_of(files_of(patterns), choice)
            reader = choice.reader(inputs)
        else:
            inputs, reader = folder.inputs, FileByFile.chosen(folder, choice, in_place=True)
        with counting(doing, "bytes", inputs) as progress:
            yield from (block.texts for block in released_blocks(reader, inputs, progress, left_out=left_out))


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """The format of texts to learn from: one field of records holds the text."""

    corpus_format: FormatName = None
    delimiter: Delimiter = None
    field: str | None = record_field("field with the text.  [default: text]", FORMATS)
    encoding: Encoding = None

    @property
    def given(self) -> bool:
        return bool(self.field or self.corpus_format or self.delimiter or self.encoding)

    def choice(self, *read: str) -> FormatChoice:
        """Return the format of records with these fields beside the text."""
        return replace(format_choice(self, None if self.field is None else [self.field]), read=read)


def load(path: Path | None, vocabulary_format: str | None, limit: int | None) -> Vocabulary:
    """The embedded vocabulary, or the one at ``path``."""
    from textveil.vocabulary.embedded import load_vocabulary

    if path is None:
        if vocabulary_format is not None or limit is not None:
            raise ParameterError("--vocabulary-format and --vocabulary-limit need --vocabulary; got none.")
        return load_vocabulary()
    with counting("reading vectors") as progress:
        return load_vocabulary(path, format=vocabulary_format, limit=limit, progress=progress)


def inputs_of(patterns: list[str], choice: FormatChoice) -> tuple[str, ...]:
    """Return the inputs behind names and patterns, after what can be told of their format was checked."""
    from textveil.corpora.sources import expanded

    try:
        choice.reader(patterns)
        return tuple(expanded(patterns))
    except (InputError, ParameterError) as error:
        strays = [name for name in patterns[1:] if not Path(name).suffix and not Path(name).exists()]
        if strays and (choice.sanitized or choice.kept):
            error.args = (f"{error} To name several fields, repeat the option: --field A --field B.",)
        raise


def files_of(patterns: Sequence[str]) -> list[str]:
    """Return names and patterns with the files of each folder, at any depth, in place of the folder."""
    from textveil.corpora.sources import files_in

    return [name for pattern in patterns for name in (list(map(str, files_in(Path(pattern)))) or [pattern])]


def file_of(output: Path | None) -> Path | None:
    """Return the output file; None is standard output, which ``-`` names too."""
    return None if output is not None and str(output) == "-" else output


class Outputs:
    """Files that a command writes. It replaces one that exists and says so, but refuses one that was paid for."""

    def __init__(self, *paths: Path | None, paid: bool = False) -> None:
        """Note which files exist, before anything is written.

        ``paid``: refuse files that exist, which may have been paid for. Raises ParameterError: there is one.
        """
        self._paths = [path for path in paths if path is not None and str(path) != "-"]
        self._replaced = [path for path in self._paths if path.is_file()]
        if paid and self._replaced:
            raise refused_output("a file that exists")

    def tell(self, *, quiet: bool = False) -> None:
        """List the written files on standard error, if one of them was replaced."""
        if not self._replaced or quiet:
            return
        names = [f"{path} ({said('replaced')})" if path in self._replaced else str(path) for path in self._paths]
        sys.stderr.writelines(line + "\n" for line in plain_row("written", ", ".join(names)))


def refused_output(got: str) -> ParameterError:
    """Return the error for an output that exists and may have been paid for."""
    return ParameterError(
        f"`output` and the files beside it must be new; got {got}, perhaps an earlier release that was paid for. "
        "Name another, or set `overwrite`."
    )


def standard_output() -> BinaryIO:
    """Return standard output, if it is open."""
    if sys.stdout is None:
        raise OutputError("standard output must be open; got a closed one. Name a file with --output.")
    return sys.stdout.buffer


def show(data: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Write JSON data, or lines, to standard output."""
    sys.stdout.write(json_text(data) if as_json else "".join([f"{line}\n" for line in lines]))


def parts_of(text: str) -> list[str]:
    """Return the parts of a list with commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


SERVICE = "A model elsewhere"  # heading of help


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """A service that repairs a release, or does what a command says otherwise."""

    endpoint: Annotated[
        str | None,
        option(
            "URL",
            "Have the release repaired by an OpenAI-compatible service at this base address instead; it is sent "
            "the release and the mechanism's name and guarantee. Its key: TEXTVEIL_ENDPOINT_KEY.",
            SERVICE,
            "--endpoint",
        ),
    ] = None
    endpoint_model: Annotated[str | None, option("NAME", "The service's name of the model.", SERVICE)] = None
    endpoint_timeout: Annotated[float, option("S", "Seconds for one answer of the service.", SERVICE)] = 120.0

    def service(self, model: Path | None = None) -> Endpoint | None:
        """The service, if one is to repair the release; there is no ``model`` then."""
        from textveil.models.endpoint import Endpoint

        if self.endpoint is None:
            need(self.endpoint_model is None, "endpoint_model", "one", "given with `endpoint` alone")
            return None
        if self.endpoint_model is None:
            raise ParameterError("--endpoint needs --endpoint-model: the service's name of the model.")
        need(model is None, "model", "one", "left out with `endpoint`", "A release is decoded here or repaired there.")
        with renamed(url="endpoint", model="endpoint_model", timeout="endpoint_timeout"):
            return Endpoint(url=self.endpoint, model=self.endpoint_model, timeout=self.endpoint_timeout)


def bytes_of(name: str) -> bytes:
    """Return the bytes of a file. Raises InputError: it cannot be read."""
    from textveil.corpora.sources import called

    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
    raise InputError(f"{called(name, 1)} must be a readable file; got {reason}.")
