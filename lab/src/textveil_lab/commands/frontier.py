"""``textveil frontier``: mechanisms at one verified guarantee, measured and drawn with the limits."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import VOCABULARY, GroupedCommand
from textveil.errors import ParameterError
from textveil_lab.commands.arguments import cells_beside, labelled, numbers_in

if TYPE_CHECKING:
    from textveil.vocabulary.vocabulary import Vocabulary
    from textveil_lab.frontiers.points import Frontier, FrontierPoint

MECHANISMS = "neighborhood,randomized-response,exponential,gaussian,spherical-laplace"
EPSILONS = "1,2,3,5,8,10"


@dataclass(frozen=True, kw_only=True)
class _GridOptions:
    mechanisms: Annotated[
        str, opt.option("A,B,...", "Names from: textveil mechanisms; NAME:OPTION=VALUE fixes an option.")
    ] = MECHANISMS
    epsilons: Annotated[str, opt.option("E,E,...", "Of one word, for any two words.")] = EPSILONS
    delta: Annotated[float, opt.option("D", "Of mechanisms that take one.")] = 1e-5
    words: Annotated[int | None, opt.option("N", "The first N words of each vocabulary.  [default: all]")] = None
    prior: Annotated[
        str | None, opt.option("NAME|FILE", "Of words: flat, zipf or counts.  [default: the vocabulary's own]")
    ] = None
    neighbors: Annotated[
        int | None, opt.option("K", "Of the share of outputs among the nearest words.  [default: 100]")
    ] = None


@dataclass(frozen=True, kw_only=True)
class _CorpusOptions:
    corpus: Annotated[
        str | None, opt.option("FILE", "Public texts, or records with --field: told apart and decoded.")
    ] = None
    label: Annotated[
        str | None, opt.option("F", "Of records: field with the class of each, to learn from releases.")
    ] = None

    def texts(self, formats: opt.SampleOptions) -> tuple[list[str] | None, list[str] | None]:
        """Return the texts with their labels; None if there are none."""
        from textveil.cli.progress import counting

        if self.corpus is not None:
            with counting("reading", "bytes") as reading:
                return labelled(formats, self.corpus, self.label, reading)
        if self.label or formats.given:
            raise ParameterError("--label, --field, --format and --delimiter need --corpus; got none. Give the file.")
        return None, None


@dataclass(frozen=True, kw_only=True)
class _VocabulariesOptions:
    vocabulary: Annotated[
        list[Path] | None,
        opt.option(
            "PATH",
            "Word vectors, any number of times; embedded is the embedded ones.  [default: embedded]",
            VOCABULARY,
            "--vocabulary",
        ),
    ] = None
    vocabulary_format: opt.VocabularyFormat = None
    vocabulary_limit: opt.VocabularyLimit = None

    def load(self, words: int | None) -> list[Vocabulary]:
        from textveil.vocabulary.embedded import EMBEDDED, load_vocabulary
        from textveil_lab.frontiers.comparison import first_words

        paths, limit = self.vocabulary or [], self.vocabulary_limit
        embedded = [str(path) == EMBEDDED and not path.exists() for path in paths]
        vocabularies = []
        for path, inside in zip(paths, embedded, strict=True) if paths else [(None, False)]:
            if inside:  # the format is that of files, if there are any beside it
                known = load_vocabulary(limit=limit, format=self.vocabulary_format if all(embedded) else None)
            else:
                known = opt.load(path, self.vocabulary_format, limit)
            if words is not None and not 2 <= words <= len(known):
                raise ParameterError(f"--words must be between 2 and the {len(known)} of the vocabulary; got {words}.")
            vocabularies.append(known if words is None else first_words(known, words))
        return vocabularies


@opt.grouped
def frontier_command(
    *,
    output: Annotated[
        Path, opt.option("DIR", "Folder for the figures, the page and the numbers.", None, "--output", "-o")
    ],
    grid: _GridOptions,
    corpus: _CorpusOptions,
    cells: Annotated[
        Path | None,
        opt.option(
            "DIR",
            "Where every measurement is kept, so that a stopped run goes on.  [default: DIR.cells beside --output]",
        ),
    ] = None,
    processes: Annotated[int, opt.option("N", "Measurements side by side.")] = 1,
    formats: opt.SampleOptions,
    as_json: opt.AsJson = False,
    vocabularies: _VocabulariesOptions,
    seed: opt.Seed = None,
) -> None:
    """Compare mechanisms at one verified guarantee: what they keep, what they reveal, and the limits."""
    from textveil.cli.mechanism_options import renamed
    from textveil.cli.progress import counting
    from textveil_lab.frontiers.comparison import DEFAULT_SEED, frontier
    from textveil_lab.frontiers.page import PAGE, frontier_json
    from textveil_lab.frontiers.points import contenders_of
    from textveil_lab.frontiers.study import Sizes

    names = opt.parts_of(grid.mechanisms)
    with renamed(names="mechanisms"):
        contenders_of(names)
    epsilons = numbers_in(grid.epsilons, "--epsilons")
    words = vocabularies.load(grid.words)
    texts, labels = corpus.texts(formats)
    outputs = opt.Outputs(output / PAGE)
    with counting("measuring", "steps") as steps:
        points = frontier(
            names,
            words,
            epsilons=epsilons,
            delta=grid.delta,
            prior=grid.prior,
            sizes=None if grid.neighbors is None else Sizes(neighbors=grid.neighbors),
            texts=texts,
            labels=labels,
            seed=DEFAULT_SEED if seed is None else seed,
            output=output,
            cells=cells_beside(output) if cells is None else cells,
            processes=processes,
            progress=lambda share: steps(round(1000 * share), 1000),
        )
    sys.stdout.write(frontier_json(points) if as_json else _text(points))
    outputs.tell()


def _text(comparison: Frontier) -> str:
    from textveil_lab.tuning.lines import aligned

    keys = comparison.measured
    head = (*(("vocabulary",) if comparison.several else ()), "mechanism", "at equal", "epsilon", "verified", *keys)
    rows = []
    for point in comparison.points:
        scores = [f"{point.scores[key].estimate:.4f}" if key in point.scores else "-" for key in keys]
        verified = f"{point.verified_epsilon:.4g}" if point.verified else "-"
        place = [point.vocabulary] if comparison.several else []
        rows.append([*place, point.contender.label, point.way, f"{point.epsilon:g}", verified, *scores])
    lines = aligned(head, rows)
    lines += [f"{_named(comparison, point)}: {point.missing}" for point in comparison.points if point.missing]
    lines += [f"{label} is not comparable: it compares {text}" for label, text in _weaker(comparison).items()]
    lines.append("Experiment, not for release. Page: index.html in the folder of --output.")
    return "\n".join(lines) + "\n"


def _named(comparison: Frontier, point: FrontierPoint) -> str:
    over = f" over {point.vocabulary}" if comparison.several else ""
    return f"{point.contender.label}{over} at {point.epsilon:g}"


def _weaker(comparison: Frontier) -> dict[str, str]:
    return {point.contender.label: point.contender.weaker for point in comparison.points if point.contender.weaker}


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("frontier", cls=GroupedCommand)(frontier_command)
