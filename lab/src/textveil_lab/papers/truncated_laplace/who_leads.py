"""Leads at one guarantee: tables, figure and sentences from the measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from textveil.statistics import Bound
from textveil_lab.downstream.scorers import UNCHANGED
from textveil_lab.frontiers.downstream.measured import CONFIDENCE, Measured
from textveil_lab.papers.setting import ItemOutcome
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaderRow:
    """A mechanism at an epsilon, or the original texts."""

    label: str  # of the mechanism
    baseline: bool  # whether the paper compares with it, or proposes it
    epsilon: float  # nats of one word, for any two words
    measured: Measured  # scores by run, and the attacker's success
    verdict: str = ""  # of the audit on the claim
    # the loss that the audit found, at the claimed delta; None if there is no claim
    audited_epsilon: float | None = None
    audited_delta: float | None = None  # the delta that it found at the claimed epsilon

    @property
    def verified(self) -> bool:
        return self.verdict in ("proved", "certified")


class Lead(NamedTuple):
    """Lead of the catalog's best over one baseline on one score at one epsilon."""

    epsilon: float
    score: str
    best: str
    baseline: str
    lead: Bound


_COLUMNS: Final = 2


def leads(rows: Sequence[LeaderRow], scores: Sequence[str]) -> list[Lead]:
    """Return the lead of the catalog's best verified mechanism over every verified baseline, on the same documents.

    The best has the largest mean of that score at that epsilon.
    """
    found = []
    verified = [row for row in rows if row.verified]
    for epsilon in sorted({row.epsilon for row in verified}):
        ours = [row for row in verified if row.epsilon == epsilon and not row.baseline]
        theirs = [row for row in verified if row.epsilon == epsilon and row.baseline]
        for score in scores:
            best = max(ours, key=lambda row: float(row.measured.scores[score].mean()))
            found += [
                Lead(epsilon, score, best.label, one.label, best.measured.lead(score, one.measured)) for one in theirs
            ]
    return found


def reported(clean: LeaderRow, rows: Sequence[LeaderRow], facts: Mapping[str, Any]) -> ItemOutcome:
    """Return tables of all scores and of all leads, the figure, and sentences.

    Args:
        clean: the original texts.
        rows: every mechanism at every epsilon.
        facts: conditions of the measurements.
    """
    scores = [name for name in clean.measured.scores if name != UNCHANGED]
    found = leads(rows, scores)
    return ItemOutcome(
        tables={"": _scores_table([clean, *rows], scores, facts), "leads": _leads_table(found, facts)},
        charts={"": _chart(clean, rows, scores)},
        findings=tuple(_findings(clean, rows, found)),
        settings={key: value for key, value in facts.items() if isinstance(value, str | int | float)},
    )


def _scores_table(rows: Sequence[LeaderRow], scores: Sequence[str], facts: Mapping[str, Any]) -> Table:
    shown = [*scores, UNCHANGED]
    columns = ["mechanism", "of", "epsilon", "verdict", "audited epsilon", "audited delta"]
    for name in (*shown, "recovered by a Bayes attacker"):
        columns += [name, f"{name}, lower", f"{name}, upper"]
    lines: list[tuple[Cell, ...]] = []
    for row in rows:
        whose = "the paper's comparison" if row.baseline else "the catalog" if row.verdict else "-"
        cells: list[Cell] = [row.label, whose, row.epsilon, row.verdict, row.audited_epsilon, row.audited_delta]
        for bound in (*(row.measured.bound(name) for name in shown), row.measured.recovered):
            cells += [None] * 3 if bound is None else [bound.estimate, bound.lower, bound.upper]
        lines.append(tuple(cells))
    return Table(columns=tuple(columns), rows=tuple(lines), facts={**facts, "confidence": CONFIDENCE})


def _leads_table(found: Sequence[Lead], facts: Mapping[str, Any]) -> Table:
    columns = ("epsilon", "score", "best of the catalog", "baseline", "lead", "lower", "upper", "holds")
    lines = tuple(
        (one.epsilon, one.score, one.best, one.baseline, one.lead.estimate, one.lead.lower, one.lead.upper,
         one.lead.lower > 0) for one in found
    )  # fmt: skip
    return Table(columns=columns, rows=lines, facts={**facts, "confidence": CONFIDENCE})


def _chart(clean: LeaderRow, rows: Sequence[LeaderRow], scores: Sequence[str]) -> Chart:
    titles = [*scores, "words that a Bayes attacker names"]
    chart = new_figure(titles, x="epsilon of one word, any two words", y="share or mean", columns=_COLUMNS)
    labels = list(dict.fromkeys((row.baseline, row.label) for row in rows))
    for kind in (False, True):
        for style, (_, label) in enumerate(one for one in labels if one[0] is kind):
            mine = [row for row in rows if row.label == label]
            for panel, score in zip(chart.panels, [*scores, None], strict=True):
                bounds = [row.measured.recovered if score is None else row.measured.bound(score) for row in mine]
                kept = [(row.epsilon, bound) for row, bound in zip(mine, bounds, strict=True) if bound is not None]
                x = [epsilon for epsilon, _ in kept]
                low, middle, high = ([bound[place] for _, bound in kept] for place in range(3))
                panel.line(x, middle, label, style=style, low=low, high=high, pattern=int(kind))
    for panel, score in zip(chart.panels, scores, strict=False):
        if score != scores[0]:
            panel.level(clean.measured.bound(score).estimate, "texts as they are")
    chart.legend()
    return chart


def _findings(clean: LeaderRow, rows: Sequence[LeaderRow], found: Sequence[Lead]) -> Iterator[str]:
    held = [one for one in found if one.lead.lower > 0]
    yield (
        f"The best mechanism of the catalog leads the baseline in {len(held)} of {len(found)} comparisons with an "
        f"interval above 0 ({100 * CONFIDENCE:g} % each, over runs that share no document)."
    )
    unverified = [f"{row.label} at epsilon {row.epsilon:g}" for row in rows if not row.verified]
    yield (
        f"{sum(row.verified for row in rows)} of {len(rows)} claims were proved or certified by the audit"
        + (f"; left out of the comparison: {', '.join(unverified)}." if unverified else ", so all are compared.")
    )
    for one in found:
        if one.lead.lower <= 0:
            yield f"Not shown: {one.score} at epsilon {one.epsilon:g}, {one.best} against {one.baseline}: {_lead(one)}."
    for epsilon in sorted({one.epsilon for one in found}):
        parts = []
        for score in dict.fromkeys(one.score for one in found):
            here = [one for one in found if one.epsilon == epsilon and one.score == score]
            least = min(here, key=lambda one: one.lead.estimate)
            best = next(row for row in rows if row.epsilon == epsilon and row.label == least.best)
            value = best.measured.bound(score).estimate
            parts.append(f"{score} {value:.3f} ({least.best}), {_lead(least)} above the next, {least.baseline}")
        yield f"Epsilon {epsilon:g}: " + "; ".join(parts) + "."
    linear = next((name for name in clean.measured.scores if name.startswith("linear")), None)
    if linear is not None:
        yield f"Texts as they are, {linear}: {clean.measured.bound(linear).estimate:.3f}."


def _lead(one: Lead) -> str:
    return f"{one.lead.estimate:+.3f} [{one.lead.lower:+.3f}, {one.lead.upper:+.3f}]"
