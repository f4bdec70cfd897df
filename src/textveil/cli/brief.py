"""Summaries for whoever made a release or attacked it: at most ten lines, in the user's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from textveil.pages.messages import counted, row, said, wrapped
from textveil.privacy.guarantees import PureDP, shown_up
from textveil.sanitize.costs import guarantee_line
from textveil.sanitize.policy_report import bound_of
from textveil.sanitize.setting import GUESSED, UNREAD, UNSETTLED, Protected, found_of

if TYPE_CHECKING:
    from textveil.sanitize.release import Report


def brief(report: Report, output: str, review: str = "textveil review") -> str:
    """Return the summary; details are in ``Report.summary``.

    ``output``: where the release went, as its reader names it; ``review``: the command that reviews it.
    """
    setting, counts, policy = report.setting, report.tally.kinds, report.setting.policy
    lines = [*map(said, setting.warnings()), _head(report, output)]
    spans = policy is not None and policy.finds_spans and not setting.whole_texts
    lines += _kinds_of_spans(report) if spans else row("released", " ".join(report.statement))
    if report.persons is not None:
        cost = report.persons.cost(setting)
        lines += row("a person", f"at most {guarantee_line(cost.guarantee)} over all records of one")
    if counts.get(UNREAD):
        texts = counted(counts[UNREAD], "text")
        lines += row("CHECK", f"{texts} in languages with few rules or none, where names stay: set `other_languages`")
    if counts.get(UNSETTLED):
        texts = counted(counts[UNSETTLED], "text")
        lines += row("CHECK", f"{texts}: day or month first? Read as month first: --date-order")
    if spans and counts.get("measurement") and any(part.kind == "measurement" for part in setting.protected):
        lines += row("CHECK", "doses and results are invented, not the true ones: --policy clinical keeps them")
    if report.tally.mapped:
        lines += row(
            "CHECK", f"{counted(report.tally.mapped, 'word')} not in the vocabulary, drawn as others (for you only)"
        )
    if spans:
        if counts.get(GUESSED):
            likely = counted(counts[GUESSED], "likely name")
            lines += row("left", f"{likely} below the threshold, which the review marks")
        measured = "how many is measured: see --verbose" if report.recall else "how many is not measured:"
        if not report.recall and policy is not None and not policy.draws_words:
            measured = "add --marks M.jsonl to measure how many:"
        lines += row("CHECK", f"values not found stay; {measured}")
        lines += [] if report.recall else row("", review)
        lines += row("text", "as a whole it has no guarantee; who is recognized in it: textveil risk")
    return "\n".join(lines)


def _head(report: Report, output: str) -> str:
    fields = ""
    if report.sanitized_fields:
        kept = f"; copied: {', '.join(report.kept_fields)}" if report.kept_fields else ""
        fields = f"   ({', '.join(report.sanitized_fields)} sanitized{kept}; other fields dropped)"
    return "\n".join(wrapped(said(f"{counted(report.tally.documents, 'text')} -> {output}{fields}")))


def _kinds_of_spans(report: Report) -> list[str]:
    """Return a line for the kinds of which nothing leaks, one for those near the true value, one for the others."""
    setting, counts, policy = report.setting, report.tally.kinds, report.setting.policy
    assert policy is not None
    found = [part for part in setting.protected if part.pays and counts.get(part.kind)]
    tokens = [part for part in setting.protected if not part.pays and counts.get(part.kind)]
    unpromised = [part for part in found if not part.guarantee.promises]
    promised = [part for part in found if part.guarantee.promises]
    moved = [part for part in promised if part.pays == "scope"]
    free = [part for part in promised if not part.costs and part not in moved]
    paid = [part for part in promised if part.costs and part not in moved]
    lines = []
    if not setting.secure:
        lines += row("drawn", f"{_listed(found, counts)}; not hidden from whoever knows the seed")
    else:
        stated = (
            ("hidden", free, "nothing leaks [{status}]"),
            ("shifted", moved, "one shift a kind: gaps stay; {bound}"),
            ("in part", paid, "near the true ones; {bound}"),
            ("drawn", tokens, "{bound}"),
            ("drawn", unpromised, "no guarantee"),
        )
        for label, parts, told in stated:
            facts = told.format(status=_status(parts), bound=_bound(parts)) if parts else ""
            lines += row(label, f"{_listed(parts, counts)}; {facts}") if parts else []
    lines = lines or row("hidden", "nothing was found that the policy draws")
    kept = [counted(counts[kind], kind) for kind in policy.kept if counts.get(kind)]
    return [*lines, *(row("kept", ", ".join(kept)) if kept else [])]


def _bound(parts: Sequence[Protected]) -> str:
    """Return a bound for a draw of each part, by the epsilon that the JSON report has."""
    bound = bound_of(parts)
    epsilon = f"epsilon {shown_up(bound.epsilon)}" if isinstance(bound, PureDP) else str(bound)
    each = "" if all(part.pays == "scope" for part in parts) else " each"
    return f"{epsilon}{each} [{bound.status.shown}]"


def _status(parts: Iterable[Protected]) -> str:
    return " and ".join(sorted({part.guarantee.status.shown for part in parts}))


def _listed(parts: Iterable[Protected], counts: Mapping[str, int]) -> str:
    found = {part.kind: found_of(counts, part.kind) for part in parts}
    return ", ".join(counted(found[kind], kind) for kind in sorted(found, key=lambda kind: -found[kind]))
