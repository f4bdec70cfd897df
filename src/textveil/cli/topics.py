"""``textveil topics``: what a corpus is about, under one epsilon for all that a person wrote."""

import json
from typing import Annotated

from textveil.cli import options as opt
from textveil.cli.aggregate_options import (
    AggregateOptions,
    Corpus,
    checked_outputs,
    needs_output,
    tell_sender,
    write_release,
)
from textveil.cli.synthesize import Pool, compared_again, given_pool, needed_pool, tell_pool


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
    from textveil.corpora.files.sources import expanded
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
        write_release(target, lines, themes.report, report, as_json=as_json)
    tell_pool(compared_again([], pool, records).in_pool)
    tell_sender(counted(len(themes.themes), "topic"), themes.report.guarantee, request, themes.persons)
    outputs.tell()
