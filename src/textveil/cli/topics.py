"""``textveil topics``: what a corpus is about, under one epsilon for all that a person wrote."""

from __future__ import annotations

import json
from typing import Annotated, Any

from textveil.cli import aggregate_options as agg
from textveil.cli import options as opt
from textveil.cli.synthesize import Pool, given_pool, tell_pool


@opt.grouped
def topics_command(
    *,
    source: agg.Corpus,
    public: Pool,
    aggregate: agg.AggregateOptions,
    budget: Annotated[dict[str, Any], opt.Declared("topics", ("epsilon", "delta"))],
    topics: int = opt.value("K", "Find so many themes in the pool.", default=20),
    output: opt.Output = None,
    report: opt.NewReport = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Find what a corpus is about, in terms of public texts: one epsilon for all that a person wrote.

    Writes JSON lines by falling votes: votes, low, high (95 %, for the noise alone), public words and public texts.
    """
    from textveil.aggregates.overlaps import compared
    from textveil.aggregates.topics import topics as topics_of
    from textveil.cli.progress import counting
    from textveil.corpora.files.sources import expanded
    from textveil.randomness import seeded_generator

    target = opt.file_of(output)
    agg.needs_output(target, as_json=as_json)
    records = aggregate.records(source, again=True)
    agg.check_outputs([*records.inputs, *expanded([public])], target, report, overwrite=aggregate.overwrite)
    pool = given_pool(public)
    with aggregate.paying(target) as payer:
        with (
            counting("comparing with the pool", "texts") as pool_progress,
            counting("reading", "bytes", records.inputs) as progress,
        ):
            themes = topics_of(
                records,
                pool,
                number=topics,
                **budget,
                vocabulary=vocabulary.load(),
                payer=payer,
                rng=None if seed is None else seeded_generator(seed),
                progress=progress,
                pool_progress=pool_progress,
            )
        lines = "".join(json.dumps(theme.to_data()) + "\n" for theme in themes.themes).encode("ascii")
        agg.write_release(target, lines, themes.report, report, as_json=as_json)
    private = (text for batch in records.batches() for text in batch.texts)
    tell_pool(compared([], pool, private).in_pool)
    guarantee = themes.report.guarantee
    agg.tell_sender(f"{len(themes.themes):,} themes", guarantee, themes.persons, budget["delta"], seed)
