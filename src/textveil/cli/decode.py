"""``textveil decode``: released text in, its most probable original out, by public data alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from textveil.cli import options as opt
from textveil.cli.spelling import renamed
from textveil.errors import OutputError, ParameterError, need

if TYPE_CHECKING:
    from textveil.corpora.decoded import DecodesTexts
    from textveil.corpora.formats.records import CorpusFormat
    from textveil.decoding.endpoint import Endpoint
    from textveil.decoding.options import Choice, DecoderOptions
    from textveil.mechanisms.base import Mechanism
    from textveil.models.base import LanguageModel, MaskedLanguageModel
    from textveil.vocabulary.tables.public import OpenTable
    from textveil.vocabulary.vocabulary import Vocabulary

_SERVICE = "Repair by a service"
"""Heading of help."""

ModelPath = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="PATH",
        help="Folder of a causal or masked Hugging Face model, or file of n-grams, in place of the embedded model.",
    ),
]

EndpointUrl = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        metavar="URL",
        help="Have the release repaired by an OpenAI-compatible service at this base address instead; it is sent the "
        "release and the mechanism's name and guarantee. Its key: TEXTVEIL_ENDPOINT_KEY.",
        rich_help_panel=_SERVICE,
    ),
]
EndpointModel = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The service's name of the model.", rich_help_panel=_SERVICE),
]
EndpointTimeout = Annotated[
    float,
    typer.Option(metavar="S", help="Seconds for one answer of the service.", rich_help_panel=_SERVICE),
]


def decode_command(
    report: Annotated[Path, typer.Option("--report", metavar="R.json", help="The report of the release.")],
    source: opt.Sources = None,
    output: opt.Output = None,
    model: ModelPath = None,
    choose: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is best: words, each most probable; cosine, each nearest on the average; text, as a whole.",
        ),
    ] = "words",
    adapt: Annotated[
        bool, typer.Option("--adapt", help="Look twice, the second time with the word frequencies found in the texts.")
    ] = False,
    prior: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file of word counts that the release was drawn with, if it was."),
    ] = None,
    corpus_format: opt.FormatName = None,
    whole_file: opt.WholeFile = False,
    delimiter: opt.Delimiter = None,
    output_format: opt.OutputFormat = None,
    field: Annotated[
        list[str] | None,
        opt.fields("field to decode; repeat it for several.  [default: as the report says]"),
    ] = None,
    keep: Annotated[
        list[str] | None,
        opt.fields("field to copy as it is; repeat it for several.  [default: as the report says]"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary on standard error.")] = False,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Threads.  [default: one for each core]")] = None,
    vocabulary: opt.VocabularyPath = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    endpoint: EndpointUrl = None,
    endpoint_model: EndpointModel = None,
    endpoint_timeout: EndpointTimeout = 120.0,
) -> int:
    """Put in place of every released word the one that most probably stood there, by the channel and the language.

    Nothing is spent: what is read are the release, its report and public data. Whoever has the release can do the same.
    """
    from textveil.cli.progress import counting
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.places import Places
    from textveil.decoding.options import DecoderOptions
    from textveil.rebuild import read_report, rebuilt

    # Everything that can be wrong with the options is found before a release is read.
    output = None if output is not None and str(output) == "-" else output
    options = DecoderOptions(choose=cast("Choice", choose), adapt=adapt)
    service = _endpoint(endpoint, endpoint_model, endpoint_timeout, model)
    said = read_report(report)
    choice = FormatChoice(
        corpus_format=corpus_format,
        whole=whole_file,
        sanitized=tuple(field or said.fields),
        kept=tuple(keep or said.kept),
        delimiter=delimiter,
        output_format=output_format,
    )
    patterns = source or ["-"]
    inputs = opt.inputs_of(patterns, choice)
    reader = choice.reader(inputs, output)
    choice.check_output(inputs, output)
    Places(inputs=(*inputs, str(report)), output=output)
    words = opt.load(vocabulary, vocabulary_format, vocabulary_limit)
    with counting("making the mechanism", "words") as progress:
        made = rebuilt(said, words, prior=None if prior is None else str(prior), progress=progress)
    if service is not None:
        return _repaired(made, service, reader, inputs, output, quiet)
    documents = decoded(made, model, options, workers, reader, inputs, output)
    if not quiet:
        sys.stderr.write(f"documents   {documents} decoded; nothing was spent\n")
    return 0


def _endpoint(url: str | None, name: str | None, timeout: float, model: Path | None) -> Endpoint | None:
    """The service that is to repair the release, if one is."""
    from textveil.decoding.endpoint import Endpoint

    if url is None:
        need(name is None, "endpoint_model", "one", "given with `endpoint` alone")
        return None
    if name is None:
        raise ParameterError("--endpoint needs --endpoint-model: the service's name of the model.")
    need(model is None, "model", "one", "left out with `endpoint`", "A release is decoded here or repaired there.")
    with renamed(url="endpoint", model="endpoint_model", timeout="endpoint_timeout"):
        return Endpoint(url=url, model=name, timeout=timeout)


def _repaired(
    mechanism: Mechanism,
    endpoint: Endpoint,
    reader: CorpusFormat,
    inputs: tuple[str, ...],
    output: Path | None,
    quiet: bool,
) -> int:
    """Have released files repaired; what is not stays as it was released, and then the exit code is 1."""
    from textveil.decoding.repair import TextRepairer, channel_facts

    repairer = TextRepairer(endpoint, channel_facts(mechanism))
    documents = _run(repairer, "repairing", reader, inputs, output)
    if repairer.problem:
        sys.stderr.write(f"textveil: {repairer.problem}\n")
        return 1
    if not quiet:
        sys.stderr.write(f"documents   {documents} repaired; nothing was spent\n")
    return 0


def decoded(
    mechanism: Mechanism,
    model: Path | None,
    options: DecoderOptions,
    workers: int | None,
    reader: CorpusFormat,
    inputs: tuple[str, ...],
    output: Path | None,
) -> int:
    """Decode released files, with bars; how many documents.

    Args:
        mechanism: that of the release.
        model: a language model on disk; None is the embedded one.
        options: of the decoder.
        workers: threads.
        reader: the format of inputs and output.
        inputs: released files.
        output: None is standard output.
    """
    from textveil.cli.progress import counting
    from textveil.decoding.decode import decoder_of
    from textveil.mechanisms.columns import need_columns

    words = need_columns(mechanism).vocabulary
    held = _tables(mechanism)
    chosen = None if model is None else _any_model(model, words)
    with counting("reading the channel", "words") as progress:
        decoder = decoder_of(mechanism, model=chosen, options=options, workers=workers, progress=progress)
    try:
        return _run(decoder, "decoding", reader, inputs, output)
    finally:
        del held


def _run(decoder: DecodesTexts, doing: str, reader: CorpusFormat, inputs: tuple[str, ...], output: Path | None) -> int:
    """Put released files through a decoder, with a bar; how many documents."""
    from textveil.cli.progress import Bar
    from textveil.corpora.decoded import DecodingRun

    bar = Bar(doing, "bytes")
    try:
        run = DecodingRun(
            decoder=decoder,
            corpus_format=reader,
            inputs=inputs,
            progress=lambda done, total: bar.update(done, total, done),
        )
        if output is not None:
            return run.to_file(output)
        if sys.stdout is None:
            raise OutputError("standard output must be open; got a closed one. Name a file with --output.")
        return run.to_stream(sys.stdout.buffer)
    finally:
        bar.close()


def _tables(mechanism: Mechanism) -> list[OpenTable]:
    """The tables of the mechanism's columns, made where they are missing."""
    from textveil.cli.progress import counting
    from textveil.corpora.tables import provided_column_tables

    def tell(line: str) -> None:
        sys.stderr.write(f"textveil: {line}\n")

    with counting("building the table of rows", "words") as progress:
        return provided_column_tables(mechanism, tell, progress)


def read_model(path: Path, vocabulary: Vocabulary) -> LanguageModel:
    """A language model on disk: the folder of a causal Hugging Face model, or a file of n-grams."""
    if path.is_dir():
        from textveil.models.causal import causal_language_model

        return causal_language_model(path, vocabulary)
    from textveil.models.ngram import read_ngram_model

    return read_ngram_model(path, vocabulary)


def _any_model(path: Path, vocabulary: Vocabulary) -> LanguageModel | MaskedLanguageModel:
    """A language model on disk, or the folder of a masked one."""
    if path.is_dir():
        from textveil.models.foreign_files import is_masked

        if is_masked(path):
            from textveil.models.masked import masked_language_model

            return masked_language_model(path, vocabulary)
    return read_model(path, vocabulary)
