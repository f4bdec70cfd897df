"""``textveil synthesize``: fluent text that resembles a corpus, under one epsilon for all that a person wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

from textveil.cli import options as opt
from textveil.cli.aggregate_options import AggregateOptions, Corpus, Labels, check_outputs, needs_output, tell_sender

Pool: TypeAlias = Annotated[
    str, opt.option("POOL", "Public texts: a file with one a line, or records with a field `text`.")
]


@opt.grouped
def synthesize_command(
    *,
    source: Corpus,
    documents: Annotated[int, opt.option("N", "Write exactly so many texts.")],
    public: Pool,
    aggregate: AggregateOptions,
    label: Annotated[str | None, opt.fields("field with a label: texts get labels too.", None)] = None,
    labels: Labels = "",
    output: opt.Output = None,
    report: Annotated[Path | None, opt.option("R.json", "Write the report to this file.", None, "--report")] = None,
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
    from textveil.aggregates.overlaps import compared
    from textveil.aggregates.public_texts import read_pool
    from textveil.aggregates.synthesis import synthesize
    from textveil.cli.progress import counting
    from textveil.json_text import json_text
    from textveil.randomness import seeded_generator
    from textveil.whole_files import write_whole

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    records = aggregate.records(source, label, again=True)
    check_outputs([*records.inputs, public], target, report, overlaps)
    with counting("reading the pool", "bytes") as progress:
        pool = read_pool(public, progress)
    with (
        counting("reading", "bytes", records.inputs) as progress,
        counting("comparing with the pool", "texts") as pool_progress,
    ):
        synthetic = synthesize(
            records,
            pool,
            documents=documents,
            epsilon=aggregate.epsilon,
            delta=aggregate.delta,
            labelled=label is not None,
            labels=opt.parts_of(labels),
            vocabulary=vocabulary.load(),
            payer=aggregate.payer(),
            rng=None if seed is None else seeded_generator(seed),
            progress=progress,
            pool_progress=pool_progress,
        )
    fields = [synthetic.texts, synthetic.labels] if label else [synthetic.texts]
    rows = (dict(zip(("text", "label"), row, strict=False)) for row in zip(*fields, strict=True))
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")
    if target is not None:
        write_whole(target, lines)
    elif not as_json:
        opt.standard_output().write(lines)
    if report is not None:
        write_whole(report, synthetic.report.to_json().encode("ascii"))
    if as_json:
        sys.stdout.write(synthetic.report.to_json())
    private = (text for batch in records.batches() for text in batch.texts)
    shared, in_pool = compared(synthetic.texts, pool, private)
    if overlaps is not None:
        write_whole(overlaps, json_text([each._asdict() for each in shared], indent=1).encode("ascii"), private=True)
    tell_pool(in_pool)
    if shared:
        sys.stderr.write(
            f"warning, for you alone: {len(shared):,} of the texts share 8 words in a row with a record. "
            "--overlaps FILE lists them.\n"
        )
    tell_sender(
        f"{len(synthetic.texts):,} texts",
        synthetic.report.guarantee,
        persons=synthetic.persons,
        delta=aggregate.delta,
        seed=seed,
    )


def tell_pool(in_pool: int) -> None:
    """Warn of records that the pool holds."""
    if in_pool:
        sys.stderr.write(
            f"warning, for you alone: {in_pool:,} record{'' if in_pool == 1 else 's'} in the pool word by word. The "
            "pool must be public, and made without this corpus. If it is not, do not pass on what came out.\n"
        )
