"""Table 1: the vocabularies of the paper, beside those at hand."""

from typing import Final

from textveil.pages.tables import Cell, Table
from textveil_lab.evaluation.drawn_tables import drawn_if_possible
from textveil_lab.papers.curse.facts import TABLE_2, paper_name
from textveil_lab.papers.curse.labels import difference_note
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting

_WIDTHS: Final = (16, 10, 12, 12, 12, 36)  # Characters of the columns of the drawn table
_COLUMNS: Final = ("vocabulary", "dimensions", "words (paper)", "words here", "share here", "read from")


def table_1(setting: StudySetting) -> ItemOutcome:
    """Every vocabulary of the paper with its words, and how many of them this run has; then those of others."""
    here = {paper_name(one.name, one.dim): one for one in setting.vocabularies}
    rows: list[tuple[Cell, ...]] = []
    comparisons = []
    whole = 0
    for name, printed in TABLE_2.items():
        family, _, dimensions = name.rpartition(" ")
        one = here.get(name)
        found: tuple[Cell, ...] = (None, None, None)
        note = f"needs {printed.file}"
        if one is not None:
            found, note = (len(one), len(one) / printed.words, one.name), difference_note(one)
            whole += not note
        rows.append((family, int(dimensions.removesuffix("d")), printed.words, *found))
        comparisons.append(
            Comparison(
                what=f"{name}, number of words",
                paper=f"{printed.words:,}",
                ours="not at hand" if one is None else f"{len(one):,}",
                note=note,
            )
        )
    others = [one for one in setting.vocabularies if paper_name(one.name, one.dim) is None]
    rows += [("none of these", one.dim, None, len(one), None, one.name) for one in others]
    had = len(TABLE_2) - sum(one.ours == "not at hand" for one in comparisons)
    table = Table(columns=_COLUMNS, rows=tuple(rows))
    why = f"Of the paper's {len(TABLE_2)} vocabularies this run has {whole} whole and {had - whole} in part."
    setting.progress(1.0)
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("The vocabularies, and what this run has of them", table, _WIDTHS),
        findings=(
            "The dimensions of one family share their words.",
            *(f"{one.name} is none of the paper's vocabularies: its results stand beside no number." for one in others),
        ),
        comparisons=tuple(comparisons),
        judgment=Judgment(
            reproduced=Reproduced.YES if whole == len(TABLE_2) else Reproduced.PARTLY if had else Reproduced.NO, why=why
        ),
    )
