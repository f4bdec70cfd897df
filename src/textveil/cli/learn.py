"""``textveil learn``: a classifier from a corpus, under one epsilon for all that a person wrote."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

from textveil.cli import options as opt
from textveil.cli.aggregate_options import AggregateOptions, Corpus, Labels, check_outputs, refused_output, tell_sender


@opt.grouped
def learn_command(
    *,
    source: Corpus,
    label: Annotated[str, opt.fields("field with the label.", None)],
    aggregate: AggregateOptions,
    output: Annotated[Path, opt.option("FOLDER", "Folder for the model.", None, "--output", "-o")],
    labels: Labels,
    method: Annotated[str, opt.Declared("learn")],
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
    from textveil.pages.tables import results_folder
    from textveil.whole_files import write_whole

    records = aggregate.records(source, label, again=True)
    check_outputs(records.inputs, report, overwrite=aggregate.overwrite)
    if not aggregate.overwrite and all((output / name).exists() for name in (FACTS, WEIGHTS)):
        raise refused_output("a folder with a model")
    is_new = not output.exists()
    folder = results_folder(output, FACTS)
    try:
        with aggregate.paying(output / FACTS) as payer:
            with counting("reading", "bytes", records.inputs) as progress:
                request = aggregate.request(
                    records,
                    seed=seed,
                    labels=opt.parts_of(labels),
                    vocabulary=vocabulary.load(),
                    payer=payer,
                    progress=progress,
                )
                model, persons = learn(request, method=method)
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
    tell_sender(f"a classifier of {len(model.labels):,} labels", model.guarantee, request, persons)
