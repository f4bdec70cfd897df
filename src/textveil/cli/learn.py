"""``textveil learn``, a classifier under one epsilon for all that a person wrote; and ``predict``, by it."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from textveil.cli import aggregates
from textveil.cli import options as opt
from textveil.cli.progress import counting
from textveil.pages.messages import row
from textveil.whole_files import results_folder, write_whole


@opt.grouped
def learn_command(
    *,
    source: aggregates.Corpus,
    label: Annotated[str, opt.fields("field with the label.", None)],
    aggregate: aggregates.AggregateOptions,
    delta: aggregates.Delta,
    output: Annotated[Path, opt.option("FOLDER", "Folder for the model.", None, "--output", "-o")],
    labels: aggregates.Labels,
    report: opt.NewReports = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
    seed: opt.Seed = None,
) -> None:
    """Learn a classifier of texts: one epsilon for all that a person wrote.

    The model may be given away, and tested: textveil predict. In Python: textveil.load_model(FOLDER).predict(texts).
    """
    from textveil.aggregates.classifier import FACTS, WEIGHTS
    from textveil.aggregates.learning import learn
    from textveil.aggregates.request import CorpusRequest

    records = aggregate.records(source, label, again=True)
    aggregates.checked_outputs(records.inputs, *(report or ()), overwrite=aggregate.overwrite)
    there = all((output / name).exists() for name in (FACTS, WEIGHTS))
    if there and not aggregate.overwrite:
        raise opt.refused_output("a folder with a model")
    outputs = opt.Outputs(output / FACTS, *(report or ()))
    is_new = not output.exists()
    folder = results_folder(output, FACTS)
    try:
        with aggregate.paying(output / FACTS) as payer:
            with counting("reading", "bytes", records.inputs) as progress:
                settings = aggregate.settings(vocabulary, delta=delta, seed=seed, labels=labels)
                request = CorpusRequest(records, payer=payer, progress=progress, **settings)
                model, persons = learn(request)
            model.save(folder)
            aggregates.write_reports(report, model.report)
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty: a release is paid for and not written
                folder.rmdir()
        raise
    if as_json:
        aggregates.print_report(model.report, payer)
    test = shlex.join(["textveil", "predict", str(output), "TEST", "--label", label])
    aggregates.tell_sender(f"a classifier of {len(model.labels):,} labels", model.guarantee, request, persons)
    told = (
        "how often it is right is not measured. Test it on texts of persons who are not in INPUT, and keep those "
        "private:"
    )
    sys.stderr.writelines(line + "\n" for line in [*row("CHECK", told), *row("", test)])
    outputs.tell()


@opt.grouped
def predict_command(
    *,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Folder that textveil learn wrote.")],
    source: aggregates.Corpus,
    label: Annotated[str | None, opt.fields("field with the true label: says how many are right.")] = None,
    options: opt.SampleOptions,
    output: opt.Output = None,
    vocabulary: opt.VocabularyOptions,
) -> None:
    """Write the label that a model of textveil learn gives each text, one a line.

    What it writes is computed from the texts, so it is as private as they are. The model costs nothing to ask.
    """
    from textveil.aggregates.classifier import load_model
    from textveil.aggregates.request import EACH_RECORD, PersonalRecords
    from textveil.statistics import clopper_pearson

    inputs = opt.inputs_of(source, options.choice())
    learned = load_model(model, vocabulary=vocabulary.load())
    records = PersonalRecords(
        inputs=inputs,
        unit=EACH_RECORD,
        text=options.field,
        label=label,
        corpus_format=options.corpus_format,
        delimiter=options.delimiter,
        encoding=options.encoding,
    )
    outputs = opt.Outputs(output)
    lines: list[str] = []
    right = texts = 0
    with counting("reading", "bytes", inputs) as progress:
        for batch in records.batches(progress):
            said = learned.predict(batch.texts)
            for place, one in zip(batch.persons.tolist(), said, strict=True):
                lines += [""] * (place - len(lines)) + [one]  # an empty line for a record without a text
            texts += len(said)
            right += sum(map(str.__eq__, said, batch.labels))
    data = "".join(line + "\n" for line in lines).encode("utf-8")
    if output is None:
        opt.standard_output().write(data)
    else:
        write_whole(output, data)
    outputs.tell()
    if label is not None and texts:
        bound = clopper_pearson(right, texts, 0.95)
        share = f"{bound.estimate:.3f}, {bound.lower:.3f} to {bound.upper:.3f} at 95 %"
        told = f"{right:,} of {texts:,} labels are right ({share}); this number is as private as these texts"
        sys.stderr.writelines(line + "\n" for line in row("tested", told))
