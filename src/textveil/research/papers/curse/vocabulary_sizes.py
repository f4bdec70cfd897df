"""Table 1: the vocabularies of the paper, beside those at hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, final

from textveil.research.evaluation.drawn_tables import drawn_if_possible
from textveil.research.evaluation.tables import Cell, Table
from textveil.research.papers.curse.facts import paper_name
from textveil.research.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil.vocabulary.vocabulary import Vocabulary


@final
class PrintedVocabulary(NamedTuple):
    """A row of the paper's Table 1: the dimensions in which vectors are published, and the number of words."""

    dimensions: tuple[int, ...]
    words: int


TABLE_1: Final[Mapping[str, PrintedVocabulary]] = MappingProxyType(
    {
        "GloVe-Twitter": PrintedVocabulary((25, 50, 100, 200), 1_193_514),
        "GloVe-Wiki": PrintedVocabulary((50, 100, 200, 300), 400_000),
        "word2vec": PrintedVocabulary((300,), 3_000_000),
        "fastText": PrintedVocabulary((300,), 2_519_370),
    }
)
"""The paper's Table 1."""

_WIDTHS: Final = (16, 10, 12, 12, 10, 34)
"""Characters of the columns of the drawn table."""

_COLUMNS: Final = ("vocabulary", "dimensions", "words (paper)", "words here", "share here", "read from")


def table_1(setting: StudySetting) -> ItemOutcome:
    """Every vocabulary of the paper with its words, and how many of them this run has; then those of others."""
    by_name = {paper_name(one.name, one.dim): one for one in setting.vocabularies}
    rows: list[tuple[Cell, ...]] = []
    comparisons = []
    for family, printed in TABLE_1.items():
        for dim in printed.dimensions:
            here = by_name.get(f"{family} {dim}d")
            rows.append((family, dim, printed.words, *_at_hand(here, printed.words)))
            comparisons.append(
                Comparison(
                    what=f"{family} {dim}d, number of words",
                    paper=f"{printed.words:,}",
                    ours="not at hand" if here is None else f"{len(here):,}",
                    note="" if here is None or len(here) >= printed.words else "a public subset",
                )
            )
    others = [one for one in setting.vocabularies if paper_name(one.name, one.dim) is None]
    rows += [("none of them", one.dim, None, *_at_hand(one, None)) for one in others]
    table = Table(columns=_COLUMNS, rows=tuple(rows))
    have = sum(row[3] is not None and row[2] is not None for row in rows)
    whole = sum(row[4] is not None and row[4] >= 1 for row in rows if isinstance(row[4], float))
    printed_rows = sum(len(one.dimensions) for one in TABLE_1.values())
    setting.progress(1.0)
    return ItemOutcome(
        tables={"": table},
        charts=drawn_if_possible("The vocabularies, and what this run has of them", table, _WIDTHS),
        findings=(
            f"Of the paper's {printed_rows} vocabularies this run has {have}, {whole} of them whole. The dimensions of "
            "one family share their words.",
            *(f"{one.name} is none of the paper's vocabularies: its results stand beside no number." for one in others),
        ),
        comparisons=tuple(comparisons),
        judgment=Judgment(
            reproduced=Reproduced.YES if whole == printed_rows else Reproduced.PARTLY if have else Reproduced.NO,
            why=f"The paper's list stands here beside what this run has: {have} of {printed_rows} vocabularies, "
            f"{whole} of "
            "them whole.",
        ),
    )


def _at_hand(vocabulary: Vocabulary | None, printed: int | None) -> tuple[Cell, Cell, Cell]:
    """Words, their share of the paper's, and the vocabulary's own name."""
    if vocabulary is None:
        return None, None, None
    return len(vocabulary), None if printed is None else len(vocabulary) / printed, vocabulary.name
