"""The claims of the field as one sortable page, and as lists for docs/field.md."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from textveil.pages import rendering as parts
from textveil.statistics import clopper_pearson
from textveil_lab.audit.field.claims import FieldClaim, Ruling, counted, works

HEAD: Final = ("work", "year", "unit", "claim", "verdict", "witness", "repair")
_SIGNS: Final = {
    Ruling.HOLDS: "✓",
    Ruling.FALSE: "✗",
    Ruling.DEPARTS: "≠",
    Ruling.CONTESTED: "~",
    Ruling.UNDECIDED: "?",
}
_MEANS: Final = {
    Ruling.HOLDS: "the claim was computed, proved or tested in its setting, and stands",
    Ruling.FALSE: "the claim as printed is false in the setting that the row names",
    Ruling.DEPARTS: "the claim may be right on paper; this code does something else",
    Ruling.CONTESTED: "false under one reading, true under another; both are named",
    Ruling.UNDECIDED: "what was at hand does not say which of the named readings is meant",
}
ANSWER: Final = (
    "If a row is about your work and wrong, open an issue with its ID. Say which is wrong: the quotation, the version, "
    "the reading or the replay. A replay that shows otherwise changes the row, whatever it says today. A mended "
    "release gets a row of its own, and the old row names it."
)
_SEEN: Final = {
    "package": "the package as installed, run or read",
    "code": "public code, read; none of it was run",
    "paper": "the paper",
    "abstract": "only the abstract",
    "reported": "the formula as others report it",
}
GATEWAYS: Final = Path(__file__).parents[5] / "lab/docs/gateways"  # in a clone: stored results of `audit-gateway`
_STYLE: Final = "body{max-width:90rem}#claims .verdict{white-space:normal}#claims code{overflow-wrap:anywhere}"
_SCRIPT: Final = Path(__file__).parent / "claims_page.js"


def in_short(claims: Sequence[FieldClaim]) -> str:
    """Return a summary of the rows in one sentence."""
    counts = ", ".join(f"{counted(claims, ruling)} {ruling.value}" for ruling in Ruling)
    return f"{counted(claims)} claims of {len(works(claims))} works: {counts}."


def to_lists(claims: Sequence[FieldClaim]) -> str:
    """Return a Markdown list for each verdict: works with their claims, each with a link to its row on the page."""
    lines = []
    for ruling in Ruling:
        parts_of: dict[str, list[str]] = {}
        for claim in claims:
            if claim.verdict is ruling:
                parts_of.setdefault(claim.work, []).append(f"[{claim.part}](claims.html#{claim.id})")
        lines += [f"### {ruling.value.capitalize()}", "", f"{_MEANS[ruling].capitalize()}.", ""]
        lines += [*(f"- {work}: {'; '.join(named)}" for work, named in parts_of.items()), ""]
    return "\n".join(["", in_short(claims), "", *lines, ""])


def to_page(claims: Sequence[FieldClaim], gateways: Path = GATEWAYS) -> str:
    """Return an HTML page that loads nothing from the network: a sortable table, each row with its own anchor.

    Args:
        gateways: folder of gateway audits as JSON; without one the page has no such section.
    """
    return parts.results_page("Claims of the field, put to the test", (*_parts(claims), *_gateways(gateways)))


_LEAKED: Final = ("field", "route", "encoding", "transport", "cut", "language", "stress")


def _gateways(folder: Path) -> Iterator[Markup]:
    audits = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    if not audits:
        return
    rows = []
    for audit in audits:
        leaks = []
        for family in _LEAKED:
            figures = [one for one in audit["figures"] if one["family"] == family and one["event"] == "leaked"]
            count, trials = (sum(one[key] for one in figures) for key in ("count", "trials"))
            bound = clopper_pearson(count, trials, 0.99) if trials else None
            leaks.append(f"{count} of {trials} [{bound.lower:.1%}, {bound.upper:.1%}]" if bound else "not tried")
        rows.append((audit["gateway"], audit["claims"] or "", ", ".join(audit["kinds"]) or "none", *leaks))
    yield parts.section(
        "gateways",
        (
            parts.heading("Gateways, attacked from outside"),
            parts.text(
                "Values that reached the provider, of those that were planted, by where they were planted; settings of "
                "a family together, intervals at 99 %. Only kinds count that the gateway hides in a plain sentence. A "
                "figure is what happened in that version; it is no verdict on a claim. Replay: textveil audit-gateway."
            ),
            parts.table(("gateway", "what it says", "hides", *_LEAKED), rows, stacked=True),
        ),
    )


def _parts(claims: Sequence[FieldClaim]) -> Iterator[Markup]:
    yield parts.text(in_short(claims))
    yield parts.bullets(f"{_SIGNS[ruling]} {ruling.value}: {means}." for ruling, means in _MEANS.items())
    yield parts.text(ANSWER, "How to answer.")
    options = Markup().join(Markup("<option value='{}'>{}</option>").format(i, name) for i, name in enumerate(HEAD))
    verdicts = Markup().join(Markup("<option>{}</option>").format(ruling.value) for ruling in Ruling)
    yield Markup(
        "<div class='controls'><label>Sort by<select id='sort'>{}</select></label>"
        "<label>Verdict<select id='verdict'><option value=''>all</option>{}</select></label></div>"
        "<p id='shown' role='status'></p>"
    ).format(options, verdicts)
    heads = Markup().join(Markup("<th scope='col'>{}</th>").format(name) for name in HEAD)
    rows = Markup().join(_row(claim) for claim in claims)
    yield Markup(
        "<div class='wide'><table class='stacked' id='claims'><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(heads, rows)
    yield Markup("<style>{}</style>").format(Markup(_STYLE))
    yield Markup("<script>{}</script>").format(Markup(_SCRIPT.read_text(encoding="utf-8")))


def _row(claim: FieldClaim) -> Markup:
    details = {
        "Claimed; found": claim.found,
        "Why": claim.why,
        "Readings": claim.reading,
        "Quoted from": claim.place,
        "At hand": _SEEN[claim.seen],
        "Version": claim.version,
        "Cost of the repair": claim.cost,
        "Same claim": claim.same,
    }
    facts = parts.bullets(Markup("<strong>{}:</strong> {}").format(*fact) for fact in details.items() if fact[1])
    source = claim.witness.read_text(encoding="utf-8") if claim.script else ""
    shown = parts.folded("The witness", Markup("<pre class='wide'>{}</pre>").format(source)) if source else Markup()
    kinds = {Ruling.HOLDS: "good", Ruling.FALSE: "bad", Ruling.DEPARTS: "bad"}
    badge = Markup("<span class='verdict {}'>{} {}</span>").format(
        kinds.get(claim.verdict, "mute"), _SIGNS[claim.verdict], claim.verdict.value
    )
    work = Markup("<a href='#{}'>{}</a>: {}").format(claim.id, claim.work, claim.part)
    cells = (
        work,
        claim.year,
        claim.unit,
        Markup("{}{}").format(claim.claim, parts.folded("Details", facts + shown)),
        badge,
        Markup("<code>{}</code>").format(claim.replay),
        claim.repair,
    )
    body = Markup().join(
        Markup("<td data-label='{}'>{}</td>").format(name, cell) for name, cell in zip(HEAD, cells, strict=True)
    )
    return Markup("<tr id='{}' data-verdict='{}'>{}</tr>").format(claim.id, claim.verdict.value, body)
