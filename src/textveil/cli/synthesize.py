"""``textveil synthesize`` and ``topics``: public texts like a corpus, and what it is about, under one epsilon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from textveil.cli import options as opt
from textveil.cli.aggregates import (
    AggregateOptions,
    Corpus,
    Delta,
    Labels,
    checked_outputs,
    needs_output,
    tell_sender,
    warn,
    write_release,
)
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.aggregates.request import PersonalRecords
    from textveil.aggregates.synthesis import Comparison

Pool: TypeAlias = Annotated[
    str | None,
    opt.option(
        "POOL",
        "Public texts like yours, such as 100,000 sentences of Wikipedia: a file with one a line, or records with a "
        "field `text`.",
    ),
]


@opt.grouped
def synthesize_command(
    *,
    source: Corpus,
    documents: Annotated[int, opt.Declared("synthesize")],
    aggregate: AggregateOptions,
    delta: Delta,
    public: Pool = None,
    label: Annotated[str | None, opt.fields("field with a label: texts get labels too.", None)] = None,
    labels: Labels,
    output: opt.Output = None,
    report: opt.NewReports = None,
    overlaps: Annotated[
        Path | None,
        opt.option("FILE", "For you alone: list the texts that share 8 words in a row with a record, as JSON."),
    ] = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Choose and label public texts so that they resemble a corpus: one epsilon for all that a person wrote.

    Writes JSON lines with the fields text and label. The pool must be public: its texts come out as they are.
    """
    from textveil.aggregates.synthesis import synthesize
    from textveil.cli.progress import counting
    from textveil.corpora.sources import expanded
    from textveil.json_text import json_text
    from textveil.pages.messages import counted
    from textveil.whole_files import write_whole

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    public = needed_pool(public)
    records = aggregate.records(source, label, again=True)
    outputs = checked_outputs(
        [*records.inputs, *expanded([public])], target, *(report or ()), overlaps, overwrite=aggregate.overwrite
    )
    pool = given_pool(public)
    with aggregate.paying(target) as payer:
        with (
            counting("reading", "bytes", records.inputs) as progress,
            counting("comparing with the pool", "texts") as pool_progress,
        ):
            request = aggregate.request(
                records,
                delta=delta,
                seed=seed,
                labels=opt.parts_of(labels),
                vocabulary=vocabulary.load(),
                payer=payer,
                progress=progress,
                pool_progress=pool_progress,
            )
            synthetic = synthesize(request, pool, documents=documents)
        lines = _lines(synthetic.texts, synthetic.labels)
        write_release(target, lines, synthetic.report, report, payer, as_json=as_json)
    shared, in_pool = compared_again(synthetic.texts, pool, records)
    if overlaps is not None:
        write_whole(overlaps, json_text([each._asdict() for each in shared], indent=1).encode("ascii"), private=True)
    tell_pool(in_pool)
    if shared:
        warn(f"{len(shared):,} of the texts share 8 words in a row with a record. --overlaps FILE lists them.")
    tell_sender(counted(len(synthetic.texts), "text"), synthetic.report.guarantee, request, synthetic.persons)
    outputs.tell()


def compared_again(texts: list[str], pool: list[str], records: PersonalRecords) -> Comparison:
    """Read the records once more, to tell what the pool or a release shares with them."""
    from textveil.aggregates.synthesis import compared
    from textveil.cli.progress import counting

    with counting("comparing with the records", "bytes", records.inputs) as progress:
        return compared(texts, pool, (text for batch in records.batches(progress) for text in batch.texts))


def tell_pool(in_pool: int) -> None:
    """Warn if the pool holds records of the corpus."""
    from textveil.pages.messages import counted

    if in_pool:
        warn(
            f"{counted(in_pool, 'record')} in the pool word by word. The pool must be public, and "
            "made without this corpus. If it is not, do not pass on what came out."
        )


def _lines(texts: list[str], labels: list[str]) -> bytes:
    rows = [{"text": text} for text in texts]
    for row, label in zip(rows, labels, strict=False):
        row["label"] = label
    return "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")


def needed_pool(public: str | None) -> str:
    """Return the pool's name; its absence is an error that says where to get one."""
    if public is None:
        raise ParameterError(
            "--public must name public texts like yours; got none. A file with one a line serves: 100,000 sentences of "
            "Wikipedia, or published texts of your field."
        )
    return public


def given_pool(public: str) -> list[str]:
    """The texts of a file or pattern."""
    from textveil.aggregates.synthesis import read_pool
    from textveil.cli.progress import counting

    with counting("reading the pool", "bytes") as progress:
        return read_pool(public, progress)


@opt.grouped
def topics_command(
    *,
    source: Corpus,
    public: Pool = None,
    aggregate: AggregateOptions,
    topics: Annotated[int, opt.Declared("topics")],
    output: opt.Output = None,
    report: opt.NewReports = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Find what a corpus is about, in terms of public texts: one epsilon for all that a person wrote.

    Writes JSON lines by falling votes: votes, low, high (95 %, for the noise alone), public words and public texts.
    """
    from textveil.aggregates.topics import topics as topics_of
    from textveil.cli.progress import counting
    from textveil.corpora.sources import expanded
    from textveil.pages.messages import counted

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    public = needed_pool(public)
    records = aggregate.records(source, again=True)
    outputs = checked_outputs(
        [*records.inputs, *expanded([public])], target, *(report or ()), overwrite=aggregate.overwrite
    )
    pool = given_pool(public)
    with aggregate.paying(target) as payer:
        with (
            counting("comparing with the pool", "texts") as pool_progress,
            counting("reading", "bytes", records.inputs) as progress,
        ):
            request = aggregate.request(
                records,
                delta=0.0,
                seed=seed,
                vocabulary=vocabulary.load(),
                payer=payer,
                progress=progress,
                pool_progress=pool_progress,
            )
            themes = topics_of(request, pool, topics=topics)
        lines = "".join(json.dumps(theme.to_data()) + "\n" for theme in themes.themes).encode("ascii")
        write_release(target, lines, themes.report, report, payer, as_json=as_json)
    tell_pool(compared_again([], pool, records).in_pool)
    tell_sender(counted(len(themes.themes), "topic"), themes.report.guarantee, request, themes.persons)
    outputs.tell()
