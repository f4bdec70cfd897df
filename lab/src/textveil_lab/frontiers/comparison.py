"""``textveil_lab.frontiers``: mechanisms compared at one verified guarantee.

It also names the vocabularies of one frontier in tables, and the folders of their cells.
"""

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from textveil.errors import need
from textveil.version import VERSION
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.frontiers.cells import CellFolder, Values, measured, open_cells
from textveil_lab.frontiers.corpus import public_texts
from textveil_lab.frontiers.equal_vulnerability import bracket_of
from textveil_lab.frontiers.limits import SOURCE as LIMIT_SOURCE
from textveil_lab.frontiers.limits import LimitLine, limits_of, steps_for
from textveil_lab.frontiers.measures import COSINE, VULNERABILITY
from textveil_lab.frontiers.measuring import Cell, CosineLimitCell, CurveCell, EqualCell, FrontierCell, measured_cell
from textveil_lab.frontiers.page import checked_folder, write_frontier
from textveil_lab.frontiers.points import (
    Frontier,
    FrontierContender,
    FrontierPart,
    FrontierPoint,
    contenders_of,
    point_of,
)
from textveil_lab.frontiers.study import FrontierStudy, Sizes, study_of
from textveil_lab.frontiers.word_scores import accuracy_scores

_ITS_OWN: Final = ("vocabulary", "prior", "texts")  # Terms of cells that differ from one vocabulary to another


_SHORT: Final = 16  # Digits of a digest that name the folder of a vocabulary's cells


def labelled_vocabularies(given: Vocabulary | Sequence[Vocabulary] | None) -> dict[str, Vocabulary]:
    """Return vocabularies by their names in tables, with a part of their digests if two have one name.

    Args:
        given: one, or several, each once; None is the embedded one.

    Raises:
        ParameterError: none is given, one is given twice, or one is no vocabulary.
    """
    if given is None:
        given = load_vocabulary()
    if isinstance(given, Vocabulary):
        return {given.name: given}
    name, wanted = "vocabulary", "one vocabulary or a list of them, each once"
    strange = "one str" if isinstance(given, str) else next(
        (type(vocabulary).__name__ for vocabulary in given if not isinstance(vocabulary, Vocabulary)), "")  # fmt: skip
    need(not strange, name, strange, wanted, "Load it with tv.load_vocabulary.")
    need(len(given) > 0, name, "an empty list", wanted)
    need(
        len({vocabulary.digest for vocabulary in given}) == len(given), name, "the same words and vectors twice", wanted
    )
    if len({vocabulary.name for vocabulary in given}) == len(given):
        return {vocabulary.name: vocabulary for vocabulary in given}
    return {f"{vocabulary.name} ({vocabulary.digest[:8]})": vocabulary for vocabulary in given}


def cell_folders(path: Path, terms: Sequence[Mapping[str, Any]]) -> list[CellFolder]:
    """Return the folder of cells of each vocabulary: ``path`` itself for a single one, else its own folder in it.

    The cells of a vocabulary do not depend on which others are measured, so a run may go on with one more.

    Args:
        path: of the folder; its parent must exist.
        terms: of the cells, see ``frontiers.cells.open_cells``.

    Raises:
        ParameterError: its cells were measured under other terms, or it holds something else.
    """
    if len(terms) == 1:
        return [open_cells(path, terms[0])]
    shared = {key: value for key, value in terms[0].items() if key not in _ITS_OWN}
    open_cells(path, {**shared, "vocabularies": "a folder each"})
    return [open_cells(path / facts["vocabulary"][:_SHORT], facts) for facts in terms]


def first_words(vocabulary: Vocabulary, count: int, name: str | None = None) -> Vocabulary:
    """Return the first ``count`` words of a vocabulary, or the vocabulary itself if it has no more.

    Args:
        count: >= 2.
        name: of the part; None says how many words it has.
    """
    if count >= len(vocabulary):
        return vocabulary
    name = f"{vocabulary.name}, first {count:,}" if name is None else name
    if vocabulary.grid is not None:
        values, scales = vocabulary.grid
        return Vocabulary(vocabulary.words[:count], name=name, grid=(values[:count], scales[:count]))
    return Vocabulary(vocabulary.words[:count], vocabulary.vectors[:count], name)


EPSILONS: Final = (1.0, 2.0, 3.0, 5.0, 8.0, 10.0)  # Nats of one word, for any two words
DEFAULT_SEED: Final = 20260101  # Frontiers repeat by default: they draw for experiments, never for a release


def frontier(
    names: Sequence[str],
    vocabulary: Vocabulary | Sequence[Vocabulary] | None = None,
    *,
    epsilons: Sequence[float] = EPSILONS,
    delta: float = 1e-5,
    prior: str | None = None,
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    sizes: Sizes | None = None,
    seed: int = DEFAULT_SEED,
    output: Path | str | None = None,
    cells: Path | str | None = None,
    processes: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Frontier:
    """Calibrate mechanisms to the same verified guarantee, and measure what each keeps and reveals.

    Every mechanism is made for each epsilon and audited; if an exact channel spends less than its constructor promises,
    its epsilon is raised. Mechanisms whose guarantee compares only some words (those of public groups) are measured
    too, but stand apart with what they compare.

    Args:
        names: of mechanisms of the catalog, each once; ``name:option=value`` fixes options.
        vocabulary: public words and vectors, or several, each once, measured one after the other; None is the embedded
            vocabulary.
        epsilons: nats of one word, for any two words, each once.
        prior: of words: "flat", "zipf", or a file of public counts; None takes a vocabulary's own frequencies.
        texts: public documents to tell apart and decode; None: texts drawn from the prior, to tell apart.
        labels: class of each text, which a classifier learns from releases.
        sizes: number of draws for each point.
        output: folder for figures (PNG, SVG), an interactive page without network, CSV and JSON; None writes none.
        cells: folder that keeps every measurement, so that a stopped run can continue; None keeps none. Each of several
            vocabularies has its own folder in it, and a later run may add one.
        processes: number of concurrent measurements; the numbers do not depend on it.

    Returns:
        Points, limits and tables, with the vocabulary of each.

    Raises:
        UnknownNameError: no such mechanism.
        ParameterError: a mechanism cannot be compared (it draws for documents, or its claim is refuted), or an argument
            is outside its domain.
        InputError: labels without two classes of enough documents.
        MissingExtra: with ``output``, matplotlib is not installed.
    """
    contenders = contenders_of(names)
    grid = _checked_epsilons(epsilons)
    need(processes >= 1, "processes", processes, ">= 1")
    folder_of_results = None if output is None else checked_folder(Path(output))
    vocabularies = labelled_vocabularies(vocabulary)
    need(labels is None or texts is not None, "labels", "labels alone", "given with texts")
    studies = []
    for words in vocabularies.values():
        read = None if texts is None else public_texts(words, texts, labels, seed)
        studies.append(study_of(words, prior=prior, sizes=sizes, delta=delta, seed=seed, texts=read))
    parts = []
    with tempfile.TemporaryDirectory() as beside:
        path = Path(beside) / "cells" if cells is None else Path(cells)
        folders = cell_folders(path, [_terms(study) for study in studies])
        for place, (label, study, kept) in enumerate(zip(vocabularies, studies, folders, strict=True)):
            told = None if progress is None else partial(_told, progress, place, len(studies))
            parts.append(_part(_Measuring(label, study, kept, processes, told), contenders, grid))
    measured = Frontier(parts=tuple(parts))
    if folder_of_results is not None:
        write_frontier(measured, folder_of_results)
    return measured


def _told(progress: Callable[[float], None], place: int, count: int, share: float) -> None:
    progress((place + share) / count)


def _terms(study: FrontierStudy) -> dict[str, Any]:
    return {"version": VERSION, **study.terms()}


def _checked_epsilons(epsilons: Sequence[float]) -> list[float]:
    grid = sorted(float(epsilon) for epsilon in epsilons)
    need(0 < len(set(grid)) == len(grid), "epsilons", f"{len(grid)} of them", "one or more, each once")
    inside = all(0 < epsilon < math.inf for epsilon in grid)
    need(inside, "epsilons", "one that is not", "finite and > 0")
    return grid


class _Measuring(NamedTuple):
    """Measurement of cells in two parts: the second depends on the first."""

    label: str
    study: FrontierStudy
    folder: CellFolder
    processes: int
    progress: Callable[[float], None] | None

    def __call__(self, cells: Sequence[Cell], done: int, whole: int) -> dict[str, Values]:
        """Return the values of cells by name; ``done`` others of ``whole`` were measured before."""

        def told(share: float) -> None:
            if self.progress is not None:
                self.progress((done + share * len(cells)) / whole)

        measure = partial(measured_cell, self.study)
        return measured(self.folder, cells, measure, processes=self.processes, progress=told)


def _part(measuring: _Measuring, contenders: Sequence[FrontierContender], grid: list[float]) -> FrontierPart:
    study = measuring.study
    points, cosine_limits = _measured(measuring, contenders, grid)
    deltas = [0.0, *([study.delta] if any(contender.takes_delta for contender in contenders) else [])]
    limits = (
        *cosine_limits,
        *(limit for epsilon in grid for part in deltas for limit in limits_of(study, epsilon, part)),
    )
    facts = {
        **_terms(study),
        "vocabulary name": study.vocabulary.name,
        "words": len(study.vocabulary),
        "epsilons": grid,
        "best guess without a release": float(study.prior.max()),
        "classes": None if study.task is None else study.task.classes,
        "for release": False,
    }
    return FrontierPart(
        vocabulary=measuring.label,
        points=points,
        limits=tuple(limit._replace(vocabulary=measuring.label) for limit in limits),
        baselines=accuracy_scores(study, None, study.seed),
        facts=facts,
    )


def _measured(
    measuring: _Measuring, contenders: Sequence[FrontierContender], grid: Sequence[float]
) -> tuple[tuple[FrontierPoint, ...], list[LimitLine]]:
    """Measure all at equal guarantees, then metric ones at the Bayes vulnerability of the first other; add limits."""
    cells = [FrontierCell(contender, epsilon) for contender in contenders for epsilon in grid]
    limits = [CosineLimitCell(epsilon, steps_for(len(measuring.study.vocabulary))) for epsilon in grid]
    reference = next((contender for contender in contenders if contender.comparable and not contender.metric), None)
    metric = (
        [contender for contender in contenders if contender.comparable and contender.metric]
        if reference is not None
        else []
    )
    curves = [CurveCell(contender) for contender in metric]
    first: list[Cell] = [*cells, *limits, *curves]
    whole = len(first) + len(metric) * len(grid)
    measured = measuring(first, 0, whole)
    points = [_point(measuring, cell, measured) for cell in cells]
    bounds = [LimitLine(COSINE, limit.epsilon, 0.0, measured[limit.name]["value"], LIMIT_SOURCE) for limit in limits]
    target = {point.epsilon: point.scores[VULNERABILITY].estimate for point in points
              if point.contender is reference and VULNERABILITY in point.scores}  # fmt: skip
    equal = []
    for curve in curves:
        given, reached = (measured[curve.name][key] for key in ("given", "vulnerability"))
        for epsilon, wanted in target.items():
            bracket = bracket_of(given, reached, wanted)
            if bracket is not None and reference is not None:
                equal.append(EqualCell(curve.contender, epsilon, reference.label, wanted, bracket))
    measured = measuring(equal, len(first), len(first) + len(equal)) if equal else {}
    return (*points, *(_point(measuring, cell, measured) for cell in equal)), bounds


def _point(measuring: _Measuring, cell: FrontierCell | EqualCell, values: Mapping[str, Values]) -> FrontierPoint:
    return point_of(cell.contender, cell.way, cell.epsilon, values[cell.name], measuring.label)
