"""``textveil decode``: released text in, its most probable original out, by public data only."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import GroupedCommand
from textveil.cli.options import ServiceOptions
from textveil.cli.progress import Bar, counting, tell
from textveil_lab.commands.arguments import ModelPath, PriorPath, ReportPath, rebuilt_mechanism

if TYPE_CHECKING:
    from textveil.corpora.formats.records import CorpusFormat
    from textveil.corpora.restored import DecodesTexts
    from textveil.mechanisms.kinds import Mechanism
    from textveil.models.endpoint import Endpoint
    from textveil.models.language_model import LanguageModel
    from textveil.vocabulary.public_tables import OpenTable
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.decoding.evidence import Choice, DecoderOptions
    from textveil_lab.models.masked import MaskedLanguageModel


@dataclass(frozen=True, kw_only=True)
class _DecodingOptions:
    model: ModelPath = None
    choose: Annotated[
        str,
        opt.option(
            "WHAT", "What is best: words, each most probable; cosine, each nearest on the average; text, as a whole."
        ),
    ] = "words"
    adapt: Annotated[
        bool, opt.flag("--adapt", "Look twice, the second time with the word frequencies found in the texts.")
    ] = False


@opt.grouped
def decode_command(
    *,
    report: ReportPath,
    source: opt.Sources = None,
    output: opt.Output = None,
    decoding: _DecodingOptions,
    prior: PriorPath = None,
    formats: opt.FormatOptions,
    field: Annotated[
        list[str] | None, opt.fields("field to decode; repeat it for several.  [default: as the report says]")
    ] = None,
    keep: Annotated[
        list[str] | None, opt.fields("field to copy as it is; repeat it for several.  [default: as the report says]")
    ] = None,
    quiet: opt.Quiet = False,
    workers: Annotated[int | None, opt.option("N", "Threads.  [default: one for each core]")] = None,
    vocabulary: opt.VocabularyOptions,
    repair: ServiceOptions,
) -> int:
    """Replace every released word by its most probable original, by the channel and the language.

    Nothing is spent: the input is the release, its report and public data. Whoever has the release can do the same.
    """
    from textveil.corpora.inputs import Places, check_release
    from textveil_lab.decoding.evidence import DecoderOptions
    from textveil_lab.rebuild import read_report

    # Everything that can be wrong with the options is found before a release is read.
    output = opt.file_of(output)
    options = DecoderOptions(choose=cast("Choice", decoding.choose), adapt=decoding.adapt)
    service = repair.service(decoding.model)
    facts = read_report(report)
    choice = formats.choice(field or facts.fields, keep or facts.kept)
    inputs = opt.inputs_of(source or ["-"], choice)
    reader = choice.reader(inputs, output)
    choice.check_output(inputs, output)
    Places(inputs=(*inputs, str(report)), output=output)
    check_release(facts.release_sha256, inputs)
    outputs = opt.Outputs(output)
    mechanism = rebuilt_mechanism(facts, vocabulary.load(), prior)
    if service is not None:
        code = _repaired(mechanism, service, reader, inputs, output, quiet)
        outputs.tell(quiet=quiet)
        return code
    documents = decode_files(mechanism, options, reader, inputs, output, model=decoding.model, workers=workers)
    if not quiet:
        sys.stderr.write(f"documents   {documents} decoded; nothing was spent\n")
    outputs.tell(quiet=quiet)
    return 0


def _repaired(
    mechanism: Mechanism,
    endpoint: Endpoint,
    reader: CorpusFormat,
    inputs: tuple[str, ...],
    output: Path | None,
    quiet: bool,
) -> int:
    from textveil_lab.decoding.text_repair import TextRepairer, channel_facts

    repairer = TextRepairer(endpoint, channel_facts(mechanism))
    documents = _run(repairer, "repairing", reader, inputs, output)
    if repairer.problem:
        tell(repairer.problem)
        return 1
    if not quiet:
        sys.stderr.write(f"documents   {documents} repaired; nothing was spent\n")
    return 0


def decode_files(
    mechanism: Mechanism,
    options: DecoderOptions,
    reader: CorpusFormat,
    inputs: tuple[str, ...],
    output: Path | None,
    *,
    model: Path | None = None,
    workers: int | None = None,
) -> int:
    """Decode released files with progress bars; return the number of documents.

    Args:
        mechanism: of the release.
        options: of the decoder.
        reader: format of inputs and output.
        inputs: released files.
        output: None is standard output.
        model: path of a language model; None is the embedded one.
    """
    from textveil_lab.decoding.decode import decoder_of
    from textveil_lab.mechanisms.channel_columns import need_columns

    words = need_columns(mechanism).vocabulary
    tables = _tables(mechanism)
    language = None if model is None else _any_model(model, words)
    with counting("reading the channel", "words") as progress:
        decoder = decoder_of(mechanism, model=language, options=options, workers=workers, progress=progress)
    try:
        return _run(decoder, "decoding", reader, inputs, output)
    finally:
        del tables


def _run(decoder: DecodesTexts, doing: str, reader: CorpusFormat, inputs: tuple[str, ...], output: Path | None) -> int:
    from textveil.corpora.restored import DecodingRun

    bar = Bar(doing, "bytes", inputs)
    try:
        run = DecodingRun(decoder=decoder, corpus_format=reader, inputs=inputs, progress=bar)
        return run.to_stream(opt.standard_output()) if output is None else run.to_file(output)
    finally:
        bar.close()


def _tables(mechanism: Mechanism) -> list[OpenTable]:
    from textveil.corpora.processes import provided
    from textveil.mechanisms.kinds import Tabulated
    from textveil_lab.mechanisms.capabilities import TabulatedColumns
    from textveil_lab.mechanisms.product_columns import own_columns

    source = own_columns(mechanism)
    if isinstance(source, TabulatedColumns):
        tables = source.column_tables
    else:
        tables = mechanism.tables if isinstance(mechanism, Tabulated) else ()
    with counting("building the table of rows", "words") as progress:
        return provided(tables, True, tell, progress)


def read_model(path: Path, vocabulary: Vocabulary) -> LanguageModel:
    """Return a language model on disk: the folder of a causal Hugging Face model, or a file of n-grams."""
    if path.is_dir():
        from textveil_lab.models.causal import causal_language_model

        return causal_language_model(path, vocabulary)
    from textveil.models.ngram import read_ngram_model

    return read_ngram_model(path, vocabulary)


def _any_model(path: Path, vocabulary: Vocabulary) -> LanguageModel | MaskedLanguageModel:
    if path.is_dir():
        from textveil.models.foreign_files import is_masked

        if is_masked(path):
            from textveil_lab.models.masked import masked_language_model

            return masked_language_model(path, vocabulary)
    return read_model(path, vocabulary)


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("decode", cls=GroupedCommand)(decode_command)
