"""``textveil learn``: a classifier from a corpus, under one epsilon for all that a person wrote."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

from textveil.cli import aggregate_options as agg
from textveil.cli import options as opt


@opt.grouped
def learn_command(
    *,
    source: agg.Corpus,
    label: str = opt.record_field("field with the label.", default=...),
    aggregate: agg.AggregateOptions,
    budget: Annotated[dict[str, Any], opt.Declared("learn", ("epsilon", "delta"))],
    output: Path = opt.value("FOLDER", "Folder for the model.", default=...),
    learning: Annotated[dict[str, Any], opt.Declared("learn", ("labels", "method"))],
    report: opt.NewReport = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Learn a classifier of texts: one epsilon for all that a person wrote.

    The model may be given away. In Python: textveil.load_model(FOLDER).predict(texts).
    """
    from textveil.aggregates.classifier import FACTS, WEIGHTS
    from textveil.aggregates.learning import learn
    from textveil.cli.progress import counting
    from textveil.json_text import json_text
    from textveil.pages.folders import results_folder
    from textveil.randomness import seeded_generator
    from textveil.whole_files import write_whole

    records = aggregate.records(source, label, again=True)
    agg.check_outputs(records.inputs, report, overwrite=aggregate.overwrite)
    if not aggregate.overwrite and all((output / name).exists() for name in (FACTS, WEIGHTS)):
        raise agg.refused_output("a folder with a model")
    is_new = not output.exists()
    folder = results_folder(output, FACTS)
    try:
        with aggregate.paying(output / FACTS) as payer:
            with counting("reading", "bytes", records.inputs) as progress:
                model, persons = learn(
                    records,
                    **budget,
                    **learning,
                    vocabulary=vocabulary.load(),
                    payer=payer,
                    rng=None if seed is None else seeded_generator(seed),
                    progress=progress,
                )
            model.save(folder)
            text = json_text(model.report, indent=1)
            if report is not None:
                write_whole(report, text.encode("ascii"))
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty: a release is paid for and not written
                folder.rmdir()
        raise
    if as_json:
        sys.stdout.write(text)
    agg.tell_sender(f"a classifier of {len(model.labels):,} labels", model.guarantee, persons, budget["delta"], seed)
