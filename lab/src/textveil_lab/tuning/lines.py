"""Lines about a run, for terminal and page: tables, warnings, how to read the numbers."""

from collections.abc import Sequence
from typing import Final

from textveil.statistics import Bound
from textveil_lab.tuning.tuning import CandidateOutcome, Tuning
from textveil_lab.tuning.verbatim import ALL, LEAST_OF_A_CLASS

LEAKS: Final = (
    "Tuned on private text: what you choose by these numbers tells of the sample, and no guarantee covers that. Tune "
    "on public text that resembles yours instead, and say that it is public; no corpus comes with the package."
)

CHOOSES_NOTHING: Final = (
    "Nothing is chosen or recommended: what stays readable is paid for by what comes through, and only you know both "
    "prices. Intervals are at 95 %, each on its own; the smallest differences are chance."
)

IN_PART: Final = (
    "In part: a number of the entity is left, or a word of three letters or more that is not among the 200 commonest."
)

_NOBODY_LOOKED: Final = "Entities were not looked for."


def about_entities(run: Tuning) -> str:
    """Return the origin of the entities, and what their shares therefore cannot show."""
    if not run.found_by:
        return _NOBODY_LOOKED
    if run.found_by == "labels":
        return "Entities are those that the sample's labels name."
    return (
        f"Entities are those that the detector {run.found_by} finds. A policy that uses the same detector replaces all "
        "that it finds, so these shares say nothing of what it misses: tune on a sample whose entities are labelled."
    )


def about_parts(run: Tuning) -> str:
    """Return the definition of an entity's part; empty if there are none."""
    return IN_PART if kinds_of(run) else ""


def about_task(run: Tuning) -> str:
    """Return how the accuracy was measured."""
    if run.task is None:
        return "No task: no field of the sample was named that holds classes."
    split, task = run.task.splits[0], run.task
    rest = f"; {task.left_out} of classes with fewer than {LEAST_OF_A_CLASS} left out" if task.left_out else ""
    return (
        f"Task: TF-IDF and logistic regression learn from {len(split.train)} documents and are tested on "
        f"{len(split.test)}, {len(task.splits)} times{rest}. Always saying the commonest class: {task.majority:.3f}."
    )


def about_recovery(run: Tuning) -> str:
    """Return the meaning of the decoder's shares."""
    if all(outcome.recovery is None for outcome in run.outcomes):
        return ""
    return (
        "Decoded: words of the vocabulary that a decoder with the embedded language model names right from their "
        "release, a lower bound for better attackers. Measured where every word is drawn: kept words need no decoder."
    )


def kinds_of(run: Tuning) -> list[str]:
    """Return the kinds of entities in the sample, all together first."""
    return list(dict.fromkeys(share.kind for outcome in run.outcomes for share in outcome.verbatim))


def main_table(run: Tuning) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return head and rows: what each candidate keeps and hides in all."""
    decoding = ("words decoded", "names decoded")
    head = ("policy", "accuracy on releases", "on clean text", "entities verbatim", "in part", *decoding)
    rows = [[outcome.name, *_accuracies(outcome), *_both(outcome, ALL), *_decoded(outcome)] for outcome in run.outcomes]
    if run.raw is not None:
        rows.insert(
            0, ["(no protection)", "-", shown(run.raw.on_texts), *(2 * ["1.000" if kinds_of(run) else "-"]), "-", "-"]
        )
    kept = [n for n in range(len(head)) if n == 0 or any(row[n] != "-" for row in rows)]
    return tuple(head[n] for n in kept), [[row[n] for n in kept] for row in rows]


def kinds_table(run: Tuning, *, in_part: bool = False) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return head and rows: for each kind of entities, their number and the remaining share, by candidate.

    Args:
        in_part: whether an entity remains if one of its words or numbers does.
    """
    counts = {share.kind: share.count for outcome in run.outcomes for share in outcome.verbatim}
    head = (f"entities {'in part' if in_part else 'verbatim'}", "count", *(outcome.name for outcome in run.outcomes))
    rows = [
        [kind, f"{counts[kind]:,}", *(_both(outcome, kind)[in_part] for outcome in run.outcomes)]
        for kind in kinds_of(run)
    ]
    return head, rows


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines for a terminal."""
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)
    ]


def shown(bound: Bound | None) -> str:
    """Return a share with its interval."""
    return "-" if bound is None else f"{bound.estimate:.3f} ({bound.lower:.3f}-{bound.upper:.3f})"


def _accuracies(outcome: CandidateOutcome) -> tuple[str, str]:
    accuracy = outcome.accuracy
    return ("-", "-") if accuracy is None else (shown(accuracy.on_releases), shown(accuracy.on_texts))


def _both(outcome: CandidateOutcome, kind: str) -> tuple[str, str]:
    share = next((kept for kept in outcome.verbatim if kept.kind == kind), None)
    return ("-", "-") if share is None else (shown(share.share), shown(share.in_part))


def decoded(outcome: CandidateOutcome, kind: str) -> Bound | None:
    """Return the decoded share of "words" or "names"; None if it was not measured."""
    kinds = () if outcome.recovery is None else outcome.recovery.kinds
    return next((kept.in_context for kept in kinds if kept.kind == kind), None)


def _decoded(outcome: CandidateOutcome) -> tuple[str, str]:
    return shown(decoded(outcome, "words")), shown(decoded(outcome, "names"))
