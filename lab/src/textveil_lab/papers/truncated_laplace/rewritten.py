"""Figures 1 and 6: two sentences, rewritten in every way at epsilon 0.1."""

from textveil.pages.tables import Table
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.evaluation.overlap import rouge_1
from textveil_lab.papers.setting import ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS
from textveil_lab.papers.truncated_laplace.guarantees import true_delta
from textveil_lab.papers.truncated_laplace.plan import RewritingCell, cells_of, clean_cell
from textveil_lab.papers.truncated_laplace.results import results_of
from textveil_lab.papers.truncated_laplace.sentences import Material
from textveil_lab.papers.truncated_laplace.tables import settings_of
from textveil_lab.papers.truncated_laplace.ways import ExperimentWay

EPSILON = 0.1  # Of the paper's figure
RUN = 5  # An output that shares so many words in a row with a sentence of the corpus is not shown
WITHHELD = "(repeats a sentence of the corpus; not shown)"
BLOCK = next(block for block in BLOCKS if block == ("yelp", "GloVe"))


def figure_1(setting: StudySetting) -> ItemOutcome:
    """A restaurant sentence with a time in it."""
    return _rewritten(setting, 0)


def figure_6(setting: StudySetting) -> ItemOutcome:
    """A warning of food poisoning."""
    return _rewritten(setting, 1)


def _rewritten(setting: StudySetting, number: int) -> ItemOutcome:
    results = results_of(setting, (BLOCK,))
    material, size = results.materials[BLOCK], results.size
    epsilon = EPSILON if EPSILON in size.epsilons else size.epsilons[0]

    def said(cell: RewritingCell) -> list[int]:
        return list(results.values[cell]["examples"][number])

    def kept(cell: RewritingCell) -> float:
        """Of what was said, shown or not."""
        return 100 * rouge_1([original], [material.text(said(cell))], words="spaces").f1

    original = material.text(material.examples[number])
    rows: list[tuple[str, str, float | None, str]] = [("", "original", None, original)]
    rows.append(("", "the network without noise", None, shown(material, said(clean_cell(BLOCK)))))
    scores: dict[ExperimentWay, dict[str, float]] = {way: {} for way in ExperimentWay}
    for way in (ExperimentWay.CODE, ExperimentWay.TEXT, ExperimentWay.VALID):
        for cell in cells_of(size, way, BLOCK):
            if cell.epsilon == epsilon:
                delta = true_delta(cell, material.vocabulary).true
                rows.append((way.value, cell.mechanism or "", delta, shown(material, said(cell))))
                scores[way][cell.mechanism or ""] = kept(cell)
    table = Table(
        columns=("way", "mechanism", "true delta", f"sentence at epsilon {epsilon:g}"),
        rows=tuple(rows),
        facts={"block": list(BLOCK), "epsilon": epsilon, "size": size.to_data()},
    )
    code = scores[ExperimentWay.CODE]
    alone = max(score for way in (ExperimentWay.TEXT, ExperimentWay.VALID) for score in scores[way].values())
    leads = max(code, key=lambda name: code[name]) == "truncated-laplace"
    why = (
        f"ROUGE-1 with the original is {kept(clean_cell(BLOCK)):.0f} without noise, in the public code's way "
        f"{', '.join(f'{name} {score:.0f}' for name, score in code.items())}, and word by word {alone:.0f} at most. "
        "The paper's network, which is larger, gives back whole sentences under truncated Laplace noise."
    )
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible(f"One sentence, epsilon {epsilon:g}", table, (26, 22, 10, 76)),
        findings=(
            "The sentence is ours, in the place of the paper's, and it is among those on which the network is trained. "
            "Words outside the vocabulary are left out. An output that repeats a sentence of the corpus is not shown.",
        ),
        settings=settings_of(results),
        judgment=Judgment(reproduced=Reproduced.PARTLY if leads else Reproduced.NO, why=why),
    )


def shown(material: Material, sentence: list[int]) -> str:
    """A sentence as text, unless it repeats a corpus: its sentences may be private, and are not printed."""
    others = [one.tolist() for one in (*material.trained[:-2], *material.held_out)]
    repeated = any(sentence == other or _runs(sentence) & _runs(other) for other in others)
    return WITHHELD if repeated else material.text(sentence)


def _runs(sentence: list[int]) -> set[tuple[int, ...]]:
    return {tuple(sentence[start : start + RUN]) for start in range(len(sentence) - RUN + 1)}
