"""The report as one HTML page that needs no network, for wide screens and for phones."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from textveil.audit.report.charts import GRAY, GREEN, ORANGE, bound_svg, profile_svg
from textveil.audit.report.report import AuditReport, shown_bound, shown_claim, shown_delta, shown_result
from textveil.audit.report.verdict import Finding, Verdict
from textveil.statistics import Bound

_COLORS = {
    Verdict.REFUTED: ORANGE,
    Verdict.CONTRADICTED: ORANGE,
    Verdict.NO_VERDICT: GRAY,
    Verdict.NOT_REFUTED: GRAY,
    Verdict.PROVED: GREEN,
    Verdict.CERTIFIED: GREEN,
}

# What stands in a witness, for readers; other keys are shown as they are.
_LABELS = {
    "pair": "inputs",
    "input": "word",
    "other_input": "other word",
    "probability": "its probability",
    "other_probability": "its probability from the other word",
    "log_ratio": "loss there (nats)",
    "ratio": "exact ratio",
    "delta_pair": "for delta",
    "ids": "word ids",
    "shift": "difference of their vectors",
    "l1": "L1 norm",
    "l2": "L2 norm",
    "size": "outputs in it",
    "hits": "hits, for the one and the other word",
    "trials": "test draws for each word",
    "probability_at_least": "its probability, at least",
    "other_probability_at_most": "from the other word, at most",
    "log_likelihood_ratio_at_least": "log-likelihood ratio, at least",
}

_LONG = 24
"""Letters from which a run without spaces may be broken."""

_STYLE = """
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin:0 0 .5rem}
h1{overflow-wrap:anywhere}
.verdict{display:inline-block;padding:.1rem .7rem;border-radius:.3rem;color:#fff;font-weight:600;white-space:nowrap}
blockquote{margin:1rem 0;padding:.6rem 1rem;border-left:4px solid #888;background:#f5f5f5}
figure{margin:0 0 .8rem;max-width:38rem}figcaption{color:#555;font-size:.9rem}
svg{width:100%;height:auto;display:block}text{font:13px system-ui,sans-serif;fill:#222}
section.finding{border:1px solid #ccc;border-radius:.4rem;padding:.8rem 1rem;margin:.8rem 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
td{font-variant-numeric:tabular-nums}
td,th{border-bottom:1px solid #ddd;padding:.25rem .6rem .25rem 0;text-align:left;vertical-align:top}
th{font-weight:600}tr>td:first-child{color:#444}.facts td:first-child{width:42%}
.number{white-space:nowrap}.long{overflow-wrap:anywhere;word-break:break-all}
ul{padding-left:1.2rem;margin:.6rem 0 0}
"""


def to_html(report: AuditReport) -> str:
    """A page that stands alone: verdict, the sentence to quote, charts, witnesses, attacks, hygiene."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Audit of {_safe(report.name)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>Audit of {_safe(report.name)}</h1>",
        f"<p>{_badge(report.verdict)} for the {_safe(report.subject.value)}; "
        f"claimed: {_value(shown_claim(report.leading))}</p>",
        f"<blockquote>{_value(report.sentence())}</blockquote>",
        "<h2>Findings</h2>",
        *map(_finding, report.findings),
    ]
    if report.draws is not None:
        rows = [[report.draws["method"], shown_result(report.draws), report.draws["detail"]]]
        parts += ["<h2>Draws</h2>", _table(["check", "result", "reason"], rows)]
    if report.attacks:
        rows = [[one["name"], shown_bound(Bound(**one["success"])), f"{one['baseline']:.4g}"] for one in report.attacks]
        parts += ["<h2>Attacks</h2>", _table(["attack", "success", "baseline"], rows)]
    if report.recovery is not None:
        rows = [
            [text, one["kind"], *(_share(one[key]) for key in ("in_context", "alone", "unchanged"))]
            for text, found in report.recovery["texts"].items()
            for one in found["kinds"]
        ]
        heads = ["public text", "of its", "named by a decoder in context", "word by word", "unchanged"]
        parts += [f"<h2>Recovery by {_safe(report.recovery['model'])}</h2>", _table(heads, rows)]
    if report.hygiene:
        rows = [[one["check"], shown_result(one), one["witness"] or one["detail"]] for one in report.hygiene]
        parts += ["<h2>Hygiene</h2>", _table(["check", "result", "reason"], rows)]
    facts = {**dict(report.parameters), **{f"vocabulary {key}": value for key, value in report.vocabulary.items()}}
    facts |= {"seconds": round(report.seconds, 1), "seed": "none" if report.seed is None else report.seed}
    parts += ["<h2>Setting</h2>", _table([], list(_rows(facts)))]
    return "\n".join([*parts, "</body></html>", ""])


def _share(bound: Mapping[str, float] | None) -> str:
    return "" if bound is None else shown_bound(Bound(**bound))


def _finding(finding: Finding) -> str:
    """One method's result: verdict, numbers, chart, witness, and its reasons."""
    rows = [
        ["claimed", shown_claim(finding)],
        ["epsilon at the claimed delta", shown_bound(finding.epsilon)],
        ["delta at the claimed epsilon", shown_delta(finding)],
    ]
    if finding.samples:
        rows.append(["draws", f"{finding.samples} ({100 * finding.epsilon.confidence:.10g}% confidence)"])
    parts = [
        "<section class='finding'>",
        f"<h3>{_badge(finding.verdict)} {_safe(finding.method)}, {_safe(finding.subject.value)}</h3>",
        _chart(finding),
        _table([], [*rows, *_rows(finding.witness)]),
    ]
    if finding.notes:
        parts.append("<ul>" + "".join(f"<li>{_value(note)}</li>" for note in finding.notes) + "</ul>")
    return "\n".join([*parts, "</section>"])


def _chart(finding: Finding) -> str:
    if finding.verdict in (Verdict.CONTRADICTED, Verdict.NO_VERDICT):
        return ""
    if len(finding.profile) > 1:
        caption = (
            f"Delta at every epsilon, for the worst pair that was found (line), and the claim {shown_claim(finding)}."
        )
        return _figure(profile_svg(finding), caption)
    if finding.samples:
        caption = (
            "Where the true epsilon lies by the samples (band from its lower bound on), the estimate, and the claim."
        )
        return _figure(bound_svg(finding), caption)
    return ""


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{_value(caption)}</figcaption></figure>"


def _badge(verdict: Verdict) -> str:
    return f"<span class='verdict' style='background:{_COLORS[verdict]}'>{verdict.value}</span>"


def _rows(data: Mapping[str, Any], before: str = "") -> Iterator[list[object]]:
    """Names and values of JSON data, one row each, what is nested with the names around it."""
    for key, value in data.items():
        label = before + _LABELS.get(key, key.replace("_", " "))
        if isinstance(value, Mapping):
            yield from _rows(value, f"{label}: ")
        else:
            yield [label, ", ".join(map(_shown, value)) if isinstance(value, list | tuple) else _shown(value)]


def _shown(value: object) -> str:
    """A value as a reader writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _safe(value: object) -> str:
    return html.escape(str(value))


def _value(value: object) -> str:
    """Text whose numbers stay whole, also at their signs, and whose long runs may be broken."""
    return " ".join(map(_word, str(value).split(" ")))


def _word(word: str) -> str:
    if len(word) > _LONG and "/" in word:  # a ratio of integers, or a path
        return "/<wbr>".join(map(_word, word.split("/")))
    if len(word) > _LONG:
        return f"<span class='long'>{_safe(word)}</span>"
    signed = "-" in word and any(letter.isdigit() for letter in word)
    return f"<span class='number'>{_safe(word)}</span>" if signed else _safe(word)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    top = "<tr>" + "".join(f"<th>{_safe(one)}</th>" for one in head) + "</tr>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{_value(one)}</td>" for one in row) + "</tr>" for row in rows)
    kind = "" if head else " class='facts'"
    return f"<div class='wide'><table{kind}>{top}{body}</table></div>"
