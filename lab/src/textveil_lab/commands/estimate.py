"""``textveil estimate``: how often words occurred behind a release, from the release and public data only."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import GroupedCommand
from textveil.errors import InputError, need
from textveil.json_text import json_text
from textveil_lab.commands.arguments import PriorPath, ReportPath, rebuilt_mechanism

if TYPE_CHECKING:
    import numpy as np

    from textveil.corpora.formats.records import CorpusFormat
    from textveil.types import Ids, Integers
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.estimation.frequencies import CountEstimate, FrequencyEstimator


class _Released(NamedTuple):
    ids: Ids
    bounds: Integers


@dataclass(frozen=True, kw_only=True)
class _CountOptions:
    words: Annotated[
        Path | None,
        opt.option("FILE", "What to count: a word a line, or several, which are a topic and counted together."),
    ] = None
    top: Annotated[int, opt.option("N", "Without --words: the likeliest most frequent words.")] = 20
    bigrams: Annotated[bool, opt.flag("--bigrams", "Count pairs of these words too, one directly after the other.")] = (
        False
    )
    confidence: Annotated[float, opt.option("P", "Of every interval.")] = 0.95

    def check(self) -> None:
        need(self.top >= 1, "top", self.top, ">= 1")
        need(0 < self.confidence < 1, "confidence", self.confidence, "between 0 and 1")


@opt.grouped
def estimate_command(
    *,
    report: ReportPath,
    source: opt.Sources = None,
    counts: _CountOptions,
    prior: PriorPath = None,
    corpus_format: opt.FormatName = None,
    delimiter: opt.Delimiter = None,
    field: Annotated[
        list[str] | None, opt.fields("field to read; repeat it for several.  [default: as the report says]")
    ] = None,
    as_json: opt.AsJson = False,
    vocabulary: opt.VocabularyOptions,
) -> None:
    """Estimate how often words, topics and pairs occurred in the texts behind a release, with intervals.

    Nothing is spent: the input is the release, its report and public data. Intervals cover the draws, given the texts;
    they are wide if the channel does not tell words apart.
    """
    from textveil.cli.progress import counting
    from textveil.corpora.formats.choice import FormatChoice
    from textveil.corpora.inputs import check_release
    from textveil_lab.estimation.frequencies import FrequencyEstimator
    from textveil_lab.rebuild import read_report

    counts.check()
    facts = read_report(report)
    choice = FormatChoice(corpus_format=corpus_format, sanitized=tuple(field or facts.fields), delimiter=delimiter)
    inputs = opt.inputs_of(source or ["-"], choice)
    check_release(facts.release_sha256, inputs)
    reader = choice.reader(inputs)
    words = vocabulary.load()
    topics = None if counts.words is None else _topics(counts.words, words)
    mechanism = rebuilt_mechanism(facts, words, prior)
    with counting("reading the channel", "words") as progress:
        estimator = FrequencyEstimator(mechanism, confidence=counts.confidence, progress=progress)
    released = _read(reader, inputs, words)
    if topics is None:
        topics = [[word] for word in estimator.likeliest(released.ids, counts.top).tolist()]
    estimates: dict[str, Any] = {
        "mechanism": mechanism.name,
        "confidence": counts.confidence,
        "documents": len(released.bounds) - 1,
        "tokens": len(released.ids),
        "words": _counted(estimator, released.ids, topics),
    }
    if counts.bigrams:
        estimates["bigrams"] = _paired(estimator, released, topics)
    sys.stdout.write(json_text(estimates) if as_json else _table(estimates))


def _topics(path: Path, vocabulary: Vocabulary) -> list[list[int]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"the file of words must be readable UTF-8 text; got {kind}. Check its path.") from None
    topics = []
    for number, line in enumerate(lines, 1):
        ids = [vocabulary.id_of(word) for word in line.split()]
        if any(word_id is None for word_id in ids):
            raise InputError(
                f"line {number} of the file of words must hold words of the vocabulary; got one that is none. "
                "Write words as the vocabulary does, in small letters as a rule."
            )
        if ids:
            topics.append([word_id for word_id in ids if word_id is not None])
    if not topics:
        raise InputError("the file of words must hold a word at least; got none.")
    return topics


def _read(reader: CorpusFormat, inputs: tuple[str, ...], vocabulary: Vocabulary) -> _Released:
    import numpy as np

    from textveil.cli.progress import counting
    from textveil.corpora.inputs import released_blocks
    from textveil_lab.vocabulary.documents import ReleaseReader

    release, documents = ReleaseReader(vocabulary.words), 0
    ids: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    with counting("reading", "bytes", inputs) as progress:
        for block in released_blocks(reader, inputs, progress):
            texts = block.texts
            read = release.read_releases(texts, range(documents + 1, documents + 1 + len(texts)))
            ids.append(read.words)
            lengths.append(np.diff(read.word_bounds))
            documents += len(texts)
    if not documents or not sum(map(len, ids)):
        raise InputError("the input must hold a released word at least; got none. Is the file empty?")
    bounds = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return _Released(np.concatenate(ids), bounds)


def _counted(estimator: FrequencyEstimator, ids: Ids, topics: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    import numpy as np

    goals = np.zeros((len(estimator.vocabulary), len(topics)))
    for number, topic in enumerate(topics):
        goals[topic, number] = 1
    names = estimator.vocabulary.words
    rows = []
    for topic, estimate in zip(topics, estimator.sets(ids, goals), strict=True):
        alike = set(np.concatenate([estimator.alike(word) for word in topic]).tolist()).difference(topic)
        rows.append(
            {
                "word": " ".join(names[word] for word in topic),
                **_numbers(estimate),
                "counted_with": [names[word] for word in sorted(alike)],
                "confused_with": [names[word] for word in estimate.confused],
            }
        )
    return rows


def _paired(
    estimator: FrequencyEstimator, released: _Released, topics: Sequence[Sequence[int]]
) -> list[dict[str, Any]]:
    import numpy as np

    words = np.unique([word for topic in topics for word in topic])
    names = estimator.vocabulary.words
    return [
        {"word": f"{names[pair.first]} {names[pair.second]}", **_numbers(pair.estimate)}
        for pair in estimator.pairs(released.ids, released.bounds, words)
    ]


def _numbers(count: CountEstimate) -> dict[str, Any]:
    return {
        "estimate": round(count.total.estimate, 3),
        "low": round(count.total.lower, 3),
        "high": round(count.total.upper, 3),
        "released": count.released,
        "standard_error": round(count.noise, 3),
        "bias": round(count.bias, 3),
    }


def _table(estimates: dict[str, Any]) -> str:
    head = f"{estimates['tokens']:,} released words in {estimates['documents']:,} documents, {estimates['mechanism']}; "
    lines = [f"{head}intervals at {estimates['confidence']:.0%}, over the draws"]
    lines.append(f"{'word':24s} {'estimate':>12s} {'low':>12s} {'high':>12s} {'released':>12s}  not told apart")
    for row in [*estimates["words"], *estimates.get("bigrams", ())]:
        numbers = " ".join(f"{row[name]:12,.0f}" for name in ("estimate", "low", "high", "released"))
        others = ", ".join([*row.get("counted_with", ()), *row.get("confused_with", ())])
        lines.append(f"{row['word']:24s} {numbers}  {others}".rstrip())
    return "\n".join(lines) + "\n"


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("estimate", cls=GroupedCommand)(estimate_command)
