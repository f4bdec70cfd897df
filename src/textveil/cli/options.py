"""Options that several commands share, spelled once, and the mechanism that they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.mechanisms.base import Mechanism
    from textveil.vocabulary.vocabulary import Vocabulary

Mechanism_: TypeAlias = Annotated[
    str, typer.Option("--mechanism", "-m", metavar="NAME", help="A name from: textveil mechanisms.")
]
Epsilon: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="E", help="Privacy loss in nats of one token, for any two words.  [default: 8]"),
]
EpsilonPerDistance: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="E", help="Instead of --epsilon, for metric mechanisms: nats per unit of distance."),
]
Delta: TypeAlias = Annotated[
    float | None, typer.Option(metavar="D", help="Delta of one token, for approximate DP.  [default: 1e-5]")
]
Clip: TypeAlias = Annotated[
    float | None, typer.Option(metavar="C", help="Shorten longer vectors to this norm.  [default: 1]")
]
NoClip: TypeAlias = Annotated[bool, typer.Option("--no-clip", help="Use the vectors as they are.")]
NeighborhoodSize: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="M",
        help="For neighborhood: words with the larger weight.  [default: chosen for the vocabulary and epsilon]",
    ),
]
Metric: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="For metric-exponential: shared-neighbors, neighbor-graph or ultrametric.  [default: ultrametric]",
    ),
]
Neighbors: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="For metric-exponential: words in a list, or in a cell.  [default: by metric, see docs/word-metrics.md]",
    ),
]
Hops: TypeAlias = Annotated[
    int | None, typer.Option(metavar="H", help="For neighbor-graph: the largest distance.  [default: 3]")
]
Projection: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="For noise mechanisms: numpy, int8, faiss, gpu or approximate-faiss.  [default: fastest exact one]",
    ),
]
Calibration: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="For gaussian: analytic or classical.  [default: analytic]")
]
RankConstant: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="C",
        help="For noise mechanisms: replace the nearest word by its i-th neighbor with weight exp(-C E i).",
    ),
]
NoiseDim: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="D", help="For truncated-laplace-published: dimension in its formulas, dummy ones included."),
]
VocabularyPath: TypeAlias = Annotated[
    Path | None,
    typer.Option("--vocabulary", metavar="PATH", help="Word vectors to use instead of the embedded ones."),
]
VocabularyFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="word2vec, word2vec-binary, glove, fasttext, npy, safetensors."),
]
VocabularyLimit: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Read only the first N words of --vocabulary.")
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", help="Repeatable draws, for experiments; the result is stamped not for release."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def load(path: Path | None, vocabulary_format: str | None, limit: int | None) -> Vocabulary:
    """The embedded vocabulary, or the one at ``path``."""
    from textveil.cli.progress import counting
    from textveil.vocabulary.embedded import load_vocabulary

    if path is None:
        if vocabulary_format is not None or limit is not None:
            raise ParameterError("--vocabulary-format and --vocabulary-limit need --vocabulary; got none.")
        return load_vocabulary()
    with counting("reading vectors") as progress:
        return load_vocabulary(path, format=vocabulary_format, limit=limit, progress=progress)


def make(name: str, vocabulary: Vocabulary, *, no_clip: bool, clip: float | None, **options: Any) -> Mechanism:
    """The mechanism of the catalog with the options that were given."""
    from textveil.catalog import mechanism

    if no_clip and clip is not None:
        raise ParameterError("--clip and --no-clip exclude each other; got both. Give one.")
    if no_clip or clip is not None:
        options["clip"] = clip
    if name == "metric-exponential":
        _make_metric(vocabulary, **{key: options.get(key) for key in ("metric", "neighbors", "hops")})
    return mechanism(name, vocabulary, **options)


def _make_metric(vocabulary: Vocabulary, metric: str | None, neighbors: int | None, hops: int | None) -> None:
    """Make the word metric, which the mechanism then finds remembered, under a progress bar: it may take a minute."""
    from textveil.cli.progress import counting
    from textveil.vocabulary.metrics.choose import DEFAULT, level_counts, word_metric

    with counting("making the metric", "words") as progress:
        made = word_metric(vocabulary, metric or DEFAULT, neighbors=neighbors, hops=hops, progress=progress)
    with counting("counting levels", "words") as progress:
        level_counts(made, progress)
