"""Scores from cells, for every table and figure of the study.

Each item of the study keeps its cells in a folder of its own, beside the others'.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from textveil.types import Ids
from textveil.version import VERSION
from textveil_lab.evaluation.bert_score import bert_score
from textveil_lab.evaluation.cosine import mean_cosine
from textveil_lab.evaluation.study_encoder import static_encoder
from textveil_lab.evaluation.unchanged import bleu, letter_bleu, n_w, rouge_1
from textveil_lab.frontiers.cells import Named, Values, measured, open_cells
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace.facts import TableBlock
from textveil_lab.papers.truncated_laplace.measuring import Measurement
from textveil_lab.papers.truncated_laplace.sentences import (
    Material,
    RewritingCell,
    RewritingSize,
    cells_of,
    clean_cell,
    material_of,
    size_of,
)
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay


@contextmanager
def cells_path(setting: StudySetting, item: str) -> Iterator[Path]:
    """Yield the folder of an item's cells; without a folder of cells in the setting, a temporary one."""
    if setting.cells is not None:
        yield setting.cells.with_name(f"{setting.cells.name}-{item}")
        return
    with TemporaryDirectory() as passing:
        yield Path(passing) / item


def kept_cells(
    setting: StudySetting, item: str, terms: Mapping[str, Any], cells: Sequence[Named], measure: Callable[[Any], Values]
) -> dict[str, Values]:
    """Return the values of every cell by its name; see ``cells.measured``.

    Args:
        setting: of the run; without a folder of cells nothing is kept.
        item: end of the folder's name.
        terms: all that a cell's values depend on beside its own name; the version is added.
        cells: of distinct names.
        measure: function that returns the values of one cell.
    """
    with cells_path(setting, item) as path:
        folder = open_cells(path, {"version": VERSION, **terms})
        return measured(folder, cells, measure, processes=setting.processes, progress=setting.progress)


_COMPARED: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, Any]] = {}
"""Scores of sentences and their rewritten forms, by vocabulary, for the items of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores of a cell on one part of the sentences, trained or held out."""

    loss: float  # nats a sentence, its end counted, as the public code reports it
    nats_a_token: float  # the same for each token
    rouge1: float  # F1 in percent
    bleu: float  # of the corpus, sacrebleu's, in [0, 100]
    bleu_signature: str  # sacrebleu's
    paper_bleu: float  # on the paper's scale, which counts single characters alone (``bleu_scale``)
    n_w: float  # share of places whose word stayed
    cosine: float  # mean over positions of the cosine between the word and its output
    bertscore: float  # F1, with the block's own word vectors as the encoder: the same vector for a word in every text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Results:
    """Cells of a run with their material."""

    size: RewritingSize  # of the run
    materials: dict[TableBlock, Material]  # by block
    values: dict[RewritingCell, Values]  # by cell

    def scores(self, cell: RewritingCell, part: str = "held_out") -> Scores:
        """Return scores of a cell on the ``held_out`` or the ``seen`` sentences."""
        material, values = self.materials[cell.block], self.values[cell]
        before = material.held_out if part == "held_out" else material.seen(self.size.tested)
        after = [np.array(one, dtype=np.int64) for one in values["outputs"][part]]
        texts, others = ([material.text(one) for one in some] for some in (before, after))
        tokens = sum(len(one) + 1 for one in before) / len(before)
        key = (material.vocabulary.digest, tuple(texts), tuple(others))
        if key not in _COMPARED:  # several items show one cell
            found = bleu(texts, others, words="none")
            _COMPARED[key] = {
                "rouge1": 100 * rouge_1(texts, others, words="spaces").f1,
                "bleu": found.score,
                "bleu_signature": found.signature,
                "paper_bleu": letter_bleu(texts, others),
                "n_w": n_w(before, after).by_place,
                "cosine": mean_cosine(material.vocabulary, *_places(before, after)),
                "bertscore": bert_score(texts, others, static_encoder(material.vocabulary)).mean.f1,
            }
        nats = values["nats_a_token"][part]
        return Scores(loss=nats * tokens, nats_a_token=nats, **_COMPARED[key])


def results_of(
    setting: StudySetting, blocks: Sequence[TableBlock], ways: Sequence[ExperimentWay] = tuple(ExperimentWay)
) -> Results:
    """Return the cells of these blocks and ways, measured if they are not kept.

    The networks without privacy come first, since the word-by-word ways share them.
    """
    size = size_of(setting)
    chosen = [block for block in size.blocks if block in blocks]
    materials = {block: material_of(setting, size, block) for block in chosen}
    with cells_path(setting, "rewriting") as path:
        folder = open_cells(path, terms_of(setting, size))
        measure = Measurement(materials=materials, size=size, seed=setting.seed, device=setting.device, folder=path)
        clean = [clean_cell(block) for block in chosen]
        others = [cell for way in ways for block in chosen for cell in cells_of(size, way, block)]
        share = len(clean) / (len(clean) + len(others))

        def early(done: float) -> None:
            setting.progress(share * done)

        def late(done: float) -> None:
            setting.progress(share + (1 - share) * done)

        found = measured(folder, clean, measure, processes=setting.processes, progress=early)
        found |= measured(folder, others, measure, processes=setting.processes, progress=late)
    return Results(size=size, materials=materials, values={cell: found[cell.name] for cell in (*clean, *others)})


def terms_of(setting: StudySetting, size: RewritingSize) -> dict[str, object]:
    """Return everything that a cell depends on beside its name; a folder of cells belongs to one such setting."""
    return {
        "paper": "truncated-laplace",
        "version": VERSION,
        "seed": setting.seed,
        "device": setting.device,
        **size.to_data(),
        "vocabularies": sorted(vocabulary.digest for vocabulary in setting.vocabularies),
    }


def _places(before: Sequence[Ids], after: Sequence[Ids]) -> tuple[Ids, Ids]:
    pairs = [(one[: len(other)], other[: len(one)]) for one, other in zip(before, after, strict=True)]
    first, second = zip(*pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)
