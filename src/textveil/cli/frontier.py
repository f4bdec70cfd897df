"""``textveil frontier``: mechanisms at one verified guarantee, measured and drawn with the limits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import options as opt
from textveil.cli.help_groups import VOCABULARY
from textveil.errors import ParameterError

if TYPE_CHECKING:
    from textveil.frontiers.points import Frontier, FrontierPoint
    from textveil.vocabulary.vocabulary import Vocabulary

MECHANISMS = "neighborhood,randomized-response,exponential,gaussian,spherical-laplace"
EPSILONS = "1,2,3,5,8,10"


def frontier_command(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures, the page and the numbers.")
    ],
    mechanisms: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Names from: textveil mechanisms; NAME:OPTION=VALUE fixes an option."),
    ] = MECHANISMS,
    epsilons: Annotated[str, typer.Option(metavar="E,E,...", help="Of one word, for any two words.")] = EPSILONS,
    delta: Annotated[float, typer.Option(metavar="D", help="Of mechanisms that take one.")] = 1e-5,
    words: Annotated[
        int | None, typer.Option(metavar="N", help="The first N words of each vocabulary.  [default: all]")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Of words: flat, zipf or counts.  [default: the vocabulary's own]"),
    ] = None,
    neighbors: Annotated[
        int | None, typer.Option(metavar="K", help="Of the share of outputs among the nearest words.  [default: 100]")
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Public texts, or records with --field: told apart and decoded."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="F", help="Of records: field with the class of each, to learn from releases.")
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where every measurement is kept, so that a stopped run goes on.  [default: DIR.cells beside "
            "--output]",
        ),
    ] = None,
    processes: Annotated[int, typer.Option(metavar="N", help="Measurements side by side.")] = 1,
    corpus_format: opt.FormatName = None,
    delimiter: opt.Delimiter = None,
    field: Annotated[str | None, opt.fields("field with the text.  [default: text]")] = None,
    as_json: opt.AsJson = False,
    vocabulary: Annotated[
        list[Path] | None,
        typer.Option(
            "--vocabulary",
            metavar="PATH",
            rich_help_panel=VOCABULARY,
            help="Word vectors, any number of times; embedded is the embedded ones.  [default: embedded]",
        ),
    ] = None,
    vocabulary_format: opt.VocabularyFormat = None,
    vocabulary_limit: opt.VocabularyLimit = None,
    seed: opt.Seed = None,
) -> None:
    """Compare mechanisms at one verified guarantee: what they keep, what they give away, and the limits."""
    from textveil.cli.labelled_texts import labelled_texts
    from textveil.cli.progress import counting
    from textveil.cli.spelling import renamed
    from textveil.frontiers.contenders import contenders_of
    from textveil.frontiers.files import frontier_json
    from textveil.frontiers.run import DEFAULT_SEED, frontier
    from textveil.frontiers.study import Sizes

    names = opt.parts_of(mechanisms)
    with renamed(names="mechanisms"):
        contenders_of(names)
    grid = opt.numbers_in(epsilons, "--epsilons")
    known = _vocabularies(vocabulary or [], vocabulary_format, vocabulary_limit, words)
    texts: list[str] | None = None
    labels: list[str] | None = None
    if corpus is not None:
        with counting("reading", "bytes") as reading:
            texts, labels = labelled_texts(corpus, field, label, corpus_format, delimiter, reading)
    elif label or field or corpus_format or delimiter:
        raise ParameterError("--label, --field, --format and --delimiter need --corpus; got none. Give the file.")
    with counting("measuring", "steps") as steps:
        found = frontier(
            names,
            known,
            epsilons=grid,
            delta=delta,
            prior=prior,
            sizes=None if neighbors is None else Sizes(neighbors=neighbors),
            texts=texts,
            labels=labels,
            seed=DEFAULT_SEED if seed is None else seed,
            output=output,
            cells=opt.cells_beside(output) if cells is None else cells,
            processes=processes,
            progress=lambda share: steps(round(1000 * share), 1000),
        )
    sys.stdout.write(frontier_json(found) if as_json else _text(found))


def _vocabularies(
    paths: list[Path], vocabulary_format: str | None, limit: int | None, words: int | None
) -> list[Vocabulary]:
    """Those at the paths, or the first words of each."""
    from textveil.frontiers.vocabularies import first_words
    from textveil.vocabulary.embedded import EMBEDDED, load_vocabulary

    embedded = [str(one) == EMBEDDED and not one.exists() for one in paths]
    found = []
    for path, inside in zip(paths, embedded, strict=True) if paths else [(None, False)]:
        if inside:  # the format is that of files, where there are any beside it
            known = load_vocabulary(limit=limit, format=vocabulary_format if all(embedded) else None)
        else:
            known = opt.load(path, vocabulary_format, limit)
        if words is not None and not 2 <= words <= len(known):
            raise ParameterError(f"--words must be between 2 and the {len(known)} of the vocabulary; got {words}.")
        found.append(known if words is None else first_words(known, words))
    return found


def _text(found: Frontier) -> str:
    """The points for a terminal: a line each."""
    from textveil.tuning.lines import aligned

    keys = found.measured
    head = (*(("vocabulary",) if found.several else ()), "mechanism", "at equal", "epsilon", "verified", *keys)
    rows = []
    for one in found.points:
        scores = [f"{one.scores[key].estimate:.4f}" if key in one.scores else "-" for key in keys]
        verified = f"{one.verified_epsilon:.4g}" if one.verified else "-"
        place = [one.vocabulary] if found.several else []
        rows.append([*place, one.contender.label, one.way, f"{one.epsilon:g}", verified, *scores])
    lines = aligned(head, rows)
    lines += [f"{_named(found, one)}: {one.missing}" for one in found.points if one.missing]
    lines += [f"{label} is not comparable: it compares {text}" for label, text in _weaker(found).items()]
    lines.append("Experiment, not for release. Page: index.html in the folder of --output.")
    return "\n".join(lines) + "\n"


def _named(found: Frontier, one: FrontierPoint) -> str:
    over = f" over {one.vocabulary}" if found.several else ""
    return f"{one.contender.label}{over} at {one.epsilon:g}"


def _weaker(found: Frontier) -> dict[str, str]:
    return {one.contender.label: one.contender.weaker for one in found.points if one.contender.weaker}
