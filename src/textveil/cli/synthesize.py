"""``textveil synthesize``: fluent text that resembles a corpus, under one epsilon for all that a person wrote."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from textveil.cli import options as opt
from textveil.cli.aggregate_options import AggregateOptions, Corpus, Labels

if TYPE_CHECKING:
    from textveil.vocabulary.vocabulary import Vocabulary

Pool: TypeAlias = Annotated[
    str, opt.option("POOL", "Public texts: a file with one a line, or records with a field `text`.")
]

DELTA_TOO_LARGE: Final = (
    "warning: delta should be far below 1 / number of persons; this delta lets a random person's words out. "
    "Lower --delta.\n"
)


@opt.grouped
def synthesize_command(
    *,
    source: Corpus,
    documents: Annotated[int, opt.option("N", "Write exactly so many texts.")],
    aggregate: AggregateOptions,
    public: Annotated[
        str | None,
        opt.option(
            "POOL",
            "Public texts: a file with one a line, or records with a field `text`.  [default: texts that the embedded "
            "language model writes, which train classifiers but do not read well]",
        ),
    ] = None,
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
    from textveil.aggregates.synthesis import synthesize
    from textveil.cli.progress import counting
    from textveil.json_text import json_text
    from textveil.randomness import seeded_generator
    from textveil.whole_files import check_folder, write_whole

    target = opt.file_of(output)
    for path in (target, report, overlaps):
        if path is not None:
            check_folder(path)
    records = aggregate.records(source, label)
    words = vocabulary.load()
    pool = _model_pool(words, documents) if public is None else _given_pool(public)
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
            vocabulary=words,
            payer=aggregate.payer(),
            rng=None if seed is None else seeded_generator(seed),
            progress=progress,
            pool_progress=pool_progress,
            pool_name="given" if public else "texts of the embedded language model",
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
    if in_pool:
        sys.stderr.write(
            f"warning, for you alone: {in_pool:,} records stand in the pool word by word. The pool must be public, and "
            "made without this corpus. If it is not, do not pass on what came out.\n"
        )
    if shared:
        sys.stderr.write(
            f"warning, for you alone: {len(shared):,} of the texts share 8 words in a row with a record. "
            "--overlaps FILE lists them.\n"
        )
    if synthetic.persons * aggregate.delta >= 1:
        sys.stderr.write(DELTA_TOO_LARGE)


def _given_pool(public: str) -> list[str]:
    """The texts of a file or pattern."""
    from textveil.aggregates.public_texts import read_pool
    from textveil.cli.progress import counting

    with counting("reading the pool", "bytes") as progress:
        return read_pool(public, progress)


def _model_pool(vocabulary: Vocabulary, documents: int) -> list[str]:
    """Texts of the embedded language model: so many that each label can take those that are most like it."""
    from textveil.aggregates.public_texts import written_pool
    from textveil.aggregates.synthesis import NEAREST
    from textveil.cli.progress import counting
    from textveil.errors import need
    from textveil.models.ngram import embedded_language_model
    from textveil.vocabulary.embedded import load_vocabulary

    need(documents >= 1, "documents", documents, ">= 1")
    embedded = vocabulary.digest == load_vocabulary().digest
    need(embedded, "public", "none", "given for this vocabulary", "The language model has the embedded one.")
    with counting("writing a pool", "words") as progress:
        return written_pool(embedded_language_model(), vocabulary.words, math.ceil(documents / NEAREST), progress)
