"""``textveil count``: how many persons wrote each word and n-gram, under one epsilon for all that a person wrote."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from textveil.cli import aggregate_options as agg
from textveil.cli import options as opt
from textveil.cli.spelling import renamed

if TYPE_CHECKING:
    from textveil.aggregates.counts import CountRelease


@opt.grouped
def count_command(
    *,
    source: agg.Corpus,
    aggregate: agg.AggregateOptions,
    budget: Annotated[dict[str, Any], opt.Declared("count", ("epsilon", "delta", "ngrams"))],
    label: str | None = opt.record_field("field with a label: count for each label."),
    counting: Annotated[dict[str, Any], opt.Declared("count", ("labels", "items_per_person", "repeats", "words"))],
    output: opt.Output = None,
    report: opt.NewReport = None,
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
    agg.needs_output(target, as_json=as_json)
    records = aggregate.records(source, label)
    agg.check_outputs(records.inputs, target, report, overwrite=aggregate.overwrite)
    with aggregate.paying(target) as payer:
        with bar("counting", "bytes", records.inputs) as progress, renamed(items="items_per_person"):
            release, facts = count(records, **budget, **counting, payer=payer, seed=seed, progress=progress)
        agg.write_release(target, _table(release, labelled=label is not None), facts, report, as_json=as_json)
    agg.tell_sender(
        f"{len(release.counts):,} counts", release.guarantee, max(release.persons, 1), budget["delta"], seed
    )
    if not release.counts:
        sys.stderr.write("No item stands out of the noise. Raise epsilon, or count the records of more persons.\n")


def _table(release: CountRelease, *, labelled: bool) -> bytes:
    from textveil.pages.tables import csv_text

    names = ["item", "label", "count", "low", "high"] if labelled else ["item", "count", "low", "high"]
    rows = [[getattr(count, name) for name in names] for count in release.counts]
    return csv_text([names, *rows]).encode("utf-8", "surrogatepass")
