"""``textveil count``: how many persons wrote each word and n-gram, under one epsilon for all that a person wrote."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textveil.cli import options as opt
from textveil.cli.aggregate_options import (
    AggregateOptions,
    Corpus,
    Labels,
    check_outputs,
    needs_output,
    tell_sender,
    write_release,
)
from textveil.cli.mechanism_options import renamed

if TYPE_CHECKING:
    from textveil.aggregates.counts import CountRelease


@dataclass(frozen=True, kw_only=True)
class _CountOptions:
    ngrams: Annotated[int, opt.option("N", "Count runs of up to N words: 1 to 4.")] = 1
    label: Annotated[str | None, opt.fields("field with a label: count for each label.", None)] = None
    labels: Labels = ""
    items_per_person: Annotated[
        int, opt.option("K", "Distinct items of one person that count in full; of a person with more, all shrink.")
    ] = 20
    repeats: Annotated[int, opt.option("N", "How often one item of a person counts at most.")] = 1
    words: Annotated[
        str,
        opt.option(
            "FILE", "Public words, one a line; `none`: all words are selected.  [default: the embedded vocabulary]"
        ),
    ] = ""


@opt.grouped
def count_command(
    *,
    source: Corpus,
    aggregate: AggregateOptions,
    counting: _CountOptions,
    output: opt.Output = None,
    report: Annotated[Path | None, opt.option("R.json", "Write the report to this file.", None, "--report")] = None,
    as_json: opt.AsJson = False,
    seed: opt.Seed = None,
) -> None:
    """Count how many persons wrote each word and n-gram: one epsilon for all that a person wrote.

    Writes CSV: item, label where asked for, count, low, high. Intervals hold with 95 %, for the noise alone. Words
    outside the public list, and n-grams, come out only where many persons wrote them.
    """
    from textveil.aggregates.count_run import count
    from textveil.cli.progress import counting as bar

    target = opt.file_of(output)
    needs_output(target, as_json=as_json)
    records = aggregate.records(source, counting.label)
    check_outputs(records.inputs, target, report, overwrite=aggregate.overwrite)
    with aggregate.paying(target) as payer:
        with bar("counting", "bytes", records.inputs) as progress, renamed(items="items_per_person"):
            labels = opt.parts_of(counting.labels)
            request = aggregate.request(records, seed=seed, labels=labels, payer=payer, progress=progress)
            release, facts = count(
                request,
                ngrams=counting.ngrams,
                items_per_person=counting.items_per_person,
                repeats=counting.repeats,
                words=counting.words,
            )
        table = _table(release, labelled=counting.label is not None)
        write_release(target, table, facts, report, as_json=as_json)
    tell_sender(f"{len(release.counts):,} counts", release.guarantee, request, max(release.persons, 1))
    if not release.counts:
        sys.stderr.write("No item stands out of the noise. Raise epsilon, or count the records of more persons.\n")


def _table(release: CountRelease, *, labelled: bool) -> bytes:
    from textveil.pages.tables import csv_text

    names = ["item", "label", "count", "low", "high"] if labelled else ["item", "count", "low", "high"]
    rows = [
        [line.item, *([line.label] if labelled else []), line.count, line.low, line.high] for line in release.counts
    ]
    return csv_text([names, *rows]).encode("utf-8", "surrogatepass")
