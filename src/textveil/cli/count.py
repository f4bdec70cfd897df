"""``textveil count``: how many persons wrote each word and n-gram, under one epsilon for all that a person wrote."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from textveil.cli import options as opt
from textveil.cli.aggregate_options import (
    AggregateOptions,
    Corpus,
    Delta,
    Labels,
    checked_outputs,
    needs_output,
    tell_sender,
    write_release,
)
from textveil.cli.mechanism_options import renamed

if TYPE_CHECKING:
    from textveil.aggregates.counts import CountRelease


@opt.grouped
def count_command(
    *,
    source: Corpus,
    aggregate: AggregateOptions,
    delta: Delta,
    ngrams: Annotated[int, opt.Declared("count")],
    label: Annotated[str | None, opt.fields("field with a label: count for each label.", None)] = None,
    labels: Labels,
    items_per_person: Annotated[int, opt.Declared("count")],
    repeats: Annotated[int, opt.Declared("count")],
    words: Annotated[str, opt.Declared("count")],
    output: opt.Output = None,
    report: opt.NewReports = None,
    as_json: opt.AsJson = False,
    seed: opt.Seed = None,
) -> None:
    """Count how many persons wrote each word and n-gram: one epsilon for all that a person wrote.

    Writes CSV: item, label where asked for, count, noise_low, noise_high: where the noise alone leads with 95 %.
    Words outside the public list, and n-grams, come out only where many persons wrote them.
    """
    from textveil.aggregates.count_run import count
    from textveil.cli.progress import counting as bar
    from textveil.pages.messages import counted, row

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    records = aggregate.records(source, label)
    outputs = checked_outputs(records.inputs, target, *(report or ()), overwrite=aggregate.overwrite)
    with aggregate.paying(target) as payer:
        with bar("counting", "bytes", records.inputs) as progress, renamed(items="items_per_person"):
            request = aggregate.request(
                records, delta=delta, seed=seed, labels=opt.parts_of(labels), payer=payer, progress=progress
            )
            release, facts = count(
                request, ngrams=ngrams, items_per_person=items_per_person, repeats=repeats, words=words
            )
        table = _table(release, labelled=label is not None)
        write_release(target, table, facts, report, as_json=as_json)
    tell_sender(counted(len(release.counts), "count"), release.guarantee, request, max(release.persons, 1))
    outputs.tell()
    if not release.counts:
        told = "No item stands out of the noise. Raise epsilon, or count the records of more persons."
        sys.stderr.writelines(line + "\n" for line in row("CHECK", told))


def _table(release: CountRelease, *, labelled: bool) -> bytes:
    from textveil.pages.tables import csv_text

    names = ["item", *(["label"] if labelled else []), "count", "noise_low", "noise_high"]
    rows = [
        [line.item, *([line.label] if labelled else []), line.count, line.noise_low, line.noise_high]
        for line in release.counts
    ]
    return csv_text([names, *rows]).encode("utf-8", "surrogatepass")
