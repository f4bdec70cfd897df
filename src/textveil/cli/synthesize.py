"""``textveil synthesize``: fluent text that resembles a corpus, under one epsilon for all that a person wrote."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from textveil.cli import options as opt
from textveil.cli.aggregate_options import (
    AggregateOptions,
    Corpus,
    Labels,
    checked_outputs,
    needs_output,
    tell_sender,
    warn,
    write_release,
)
from textveil.cli.options import SERVICE, ServiceOptions
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.aggregates.request import PersonalRecords
    from textveil.aggregates.synthesis import Comparison
    from textveil.models.endpoint import Endpoint
    from textveil.vocabulary.vocabulary import Vocabulary

Pool: TypeAlias = Annotated[
    str, opt.option("POOL", "Public texts: a file with one a line, or records with a field `text`.")
]


_EMBEDDED: Final = "embedded"  # names the pool that the language model writes


@dataclass(frozen=True, kw_only=True)
class _RewritingOptions(ServiceOptions):
    endpoint: Annotated[
        str | None,
        opt.option(
            "URL",
            "Have the texts rewritten as fluent ones by an OpenAI-compatible service at this base address; it is sent "
            "the chosen texts alone. Its key: TEXTVEIL_ENDPOINT_KEY.",
            SERVICE,
            "--endpoint",
        ),
    ] = None


@opt.grouped
def synthesize_command(
    *,
    source: Corpus,
    documents: Annotated[int, opt.Declared("synthesize")],
    aggregate: AggregateOptions,
    public: Annotated[
        str | None,
        opt.option(
            "POOL",
            "Public texts: a file with one a line, or records with a field `text`. `embedded`: texts that the embedded "
            "language model writes, which train classifiers but do not read well.  [default with --endpoint: embedded]",
        ),
    ] = None,
    label: Annotated[str | None, opt.fields("field with a label: texts get labels too.", None)] = None,
    labels: Labels,
    output: opt.Output = None,
    report: opt.NewReport = None,
    overlaps: Annotated[
        Path | None,
        opt.option("FILE", "For you alone: list the texts that share 8 words in a row with a record, as JSON."),
    ] = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
    rewriting: _RewritingOptions,
) -> int:
    """Choose and label public texts so that they resemble a corpus: one epsilon for all that a person wrote.

    Writes JSON lines with the fields text and label. The pool must be public: its texts come out as they are.
    """
    from textveil.aggregates.synthesis import synthesize
    from textveil.cli.progress import counting, tell
    from textveil.corpora.files.sources import expanded
    from textveil.json_text import json_text
    from textveil.whole_files import write_whole

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    service = rewriting.service()
    if public is None and service is None:
        raise ParameterError(
            "--public must name public texts like yours, of which those come out that resemble the corpus; got none. "
            "A file with one a line serves: 100,000 sentences of Wikipedia, or published texts of your field. "
            f"--public {_EMBEDDED} takes texts that train classifiers but do not read well."
        )
    public = None if public == _EMBEDDED else public
    records = aggregate.records(source, label, again=True)
    outputs = checked_outputs(
        [*records.inputs, *([] if public is None else expanded([public]))],
        target,
        report,
        overlaps,
        overwrite=aggregate.overwrite,
    )
    words = vocabulary.load()
    pool = _model_pool(words, documents) if public is None else given_pool(public)
    with aggregate.paying(target) as payer:
        with (
            counting("reading", "bytes", records.inputs) as progress,
            counting("comparing with the pool", "texts") as pool_progress,
        ):
            request = aggregate.request(
                records,
                seed=seed,
                labels=opt.parts_of(labels),
                vocabulary=words,
                payer=payer,
                progress=progress,
                pool_progress=pool_progress,
            )
            synthetic = synthesize(request, pool, documents=documents)
        facts = {**synthetic.report.public, "pool": "given" if public else "texts of the embedded language model"}
        texts, problem = synthetic.texts, ""
        if service is not None:
            if target is not None:  # what was paid for stays, whatever happens to the service
                write_whole(target, _lines(texts, synthetic.labels))
            texts, problem = _rewritten(texts, service)
            if texts != synthetic.texts:
                facts["rewritten by"] = service.model
        lines, synthesized = _lines(texts, synthetic.labels), replace(synthetic.report, public=facts)
        write_release(target, lines, synthesized, report, as_json=as_json)
    shared, in_pool = compared_again(texts, pool, records)
    if overlaps is not None:
        write_whole(overlaps, json_text([each._asdict() for each in shared], indent=1).encode("ascii"), private=True)
    tell_pool(in_pool)
    if shared:
        warn(f"{len(shared):,} of the texts share 8 words in a row with a record. --overlaps FILE lists them.")
    tell_sender(f"{len(synthetic.texts):,} texts", synthetic.report.guarantee, request, synthetic.persons)
    outputs.tell()
    if problem:
        tell(problem)
    return 1 if problem else 0


def compared_again(texts: list[str], pool: list[str], records: PersonalRecords) -> Comparison:
    """Read the records once more, to tell what the pool or a release shares with them."""
    from textveil.aggregates.synthesis import compared
    from textveil.cli.progress import counting

    with counting("comparing with the records", "bytes", records.inputs) as progress:
        return compared(texts, pool, (text for batch in records.batches(progress) for text in batch.texts))


def tell_pool(in_pool: int) -> None:
    """Warn of records that the pool holds."""
    if in_pool:
        warn(
            f"{in_pool:,} record{'' if in_pool == 1 else 's'} in the pool word by word. The pool must be public, and "
            "made without this corpus. If it is not, do not pass on what came out."
        )


def _lines(texts: list[str], labels: list[str]) -> bytes:
    rows = [{"text": text} for text in texts]
    for row, label in zip(rows, labels, strict=False):
        row["label"] = label
    return "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")


def _rewritten(texts: list[str], service: Endpoint) -> tuple[list[str], str]:
    """The texts as a service rewrites them, as they were where it does not, and what went wrong."""
    from textveil.aggregates.text_repair import REWRITING, TextRepairer
    from textveil.cli.progress import counting

    with counting("rewriting", "lines") as progress:
        rewriter = TextRepairer(service, "", task=REWRITING, progress=progress)
        return rewriter.texts(texts), rewriter.problem


def given_pool(public: str) -> list[str]:
    """The texts of a file or pattern."""
    from textveil.aggregates.synthesis import read_pool
    from textveil.cli.progress import counting

    with counting("reading the pool", "bytes") as progress:
        return read_pool(public, progress)


def _model_pool(vocabulary: Vocabulary, documents: int) -> list[str]:
    """Texts of the embedded language model: so many that each label can take those that are most like it."""
    from textveil.aggregates.synthesis import NEAREST, written_pool
    from textveil.cli.progress import counting
    from textveil.errors import need
    from textveil.models.ngram import embedded_language_model
    from textveil.vocabulary.embedded import load_vocabulary

    need(documents >= 1, "documents", documents, ">= 1")
    embedded = vocabulary.digest == load_vocabulary().digest
    need(embedded, "public", "none", "given for this vocabulary", "The language model has the embedded one.")
    with counting("writing a pool", "words") as progress:
        return written_pool(embedded_language_model(), vocabulary.words, math.ceil(documents / NEAREST), progress)
