"""Pages of reports: one to print, sign and file, for a privacy officer; and one for the sender alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from textveil.detection.kinds import OWN, STANDS_FOR
from textveil.pages.comparison import compared
from textveil.pages.messages import counted, message_language
from textveil.pages.messages import said as say
from textveil.pages.rendering import bullets, heading, rendered, results_page, shown, sides, table, text
from textveil.sanitize.policy_report import NOTE, MeasuredRisk, SenderReport, check_risk
from textveil.sanitize.release import Report
from textveil.sanitize.setting import Protected, found_of

_ROWS: Final = 12  # kinds that have a row of their own on paper; the others share a line
_PAYS: Final = {"mention": "each one", "value": "each value", "scope": "all together"}


class _Kind(NamedTuple):
    name: str
    times: int
    done: str
    promise: str

    def said(self) -> tuple[str, ...]:
        return say(self.name), say(f"{self.times:,}"), say(self.done), say(self.promise)


def report_page(report: Report, risk: MeasuredRisk | None = None) -> str:
    """Render the report as two printed pages in plain language, to sign and file; it holds no text.

    ``risk``: what attacks on this release came to; None if nobody measured. Its language is the environment's. Raises
    ParameterError: the attacks were on another release.
    """
    check_risk(risk, report.release_sha256)
    setting, counts = report.setting, report.tally.kinds
    data = report.to_data()
    kinds = [_kind(part, counts) for part in setting.protected]
    present = sorted((kind for kind in kinds if kind.times), key=lambda kind: -kind.times)
    policy = setting.policy
    return rendered(
        "filed.html",
        _=say,
        language=message_language(),
        title=say("Record of a sanitized release"),
        opening=_opening(report),
        report=report,
        what=_what(report),
        found=[kind.said() for kind in present[:_ROWS]],
        more=[f"{counted(kind.times, kind.name)} ({kind.promise})" for kind in present[_ROWS:]],
        absent=sorted(kind.name for kind in kinds if not kind.times),
        kept=[counted(counts[kind], kind) for kind in (policy.kept if policy else ()) if counts.get(kind)],
        costs=_said(_costs(data["guarantee"])),
        recall=_recall(report),
        detects=bool(policy and policy.finds_spans),
        not_covered=policy.not_covered if policy else (),
        risk=risk,
        attacks=[] if risk is None else _attacks(risk),
        identifiers=_said(_identifiers(report)),
        terms=_said(_terms(report)),
        settings=_said(_settings(data, report.release_sha256)),
        public=data["public"],
    )


def _said(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [tuple(map(say, row)) for row in rows]


def _opening(report: Report) -> str:
    policy = report.setting.policy
    under = "" if policy is None else f" under the policy {policy.name}"
    by = f"sanitized by textveil {report.setting.version}{under}"
    documents = counted(report.tally.documents, "document")
    return f"{datetime.now(UTC):%Y-%m-%d} (UTC). {documents}, {by}. This page holds no text of them."


def sender_page(report: SenderReport) -> str:
    """Return what is for the sender alone, with the sampled documents before and after: private, like the text."""
    return results_page(say("For the sender alone"), _sender_parts(report))


def _sender_parts(report: SenderReport) -> Iterator[Markup]:
    yield text("", lead=say(f"Private: {NOTE}."))
    yield from map(text, report.lines())
    if report.skipped_count:
        yield heading(say(f"Records that were left out: {report.skipped_count}"))
        yield bullets(skip["reason"] for skip in report.skipped)
    if report.names:
        yield heading(say("Files that are called by number"))
        yield table([say("in the release"), say("before")], list(report.names.items()))
    yield heading(say("Sample"))
    if not report.sample:
        yield text(say("None was asked for, or no document was released in this run."))
        return
    documents = counted(len(report.sample), "document")
    look = "What differs is marked. Look for names and values that stayed, and for what tells who it is."
    yield text(say(f"{documents} of this run, chosen at random. {look}"))
    policy = report.setting.policy
    by_word = policy is None or policy.draws_words
    for number, (before, after) in enumerate(report.sample, 1):
        yield sides(say(f"Document {number}"), compared(shown(before), shown(after), by_word=by_word))


def _what(report: Report) -> str:
    policy = report.setting.policy
    if report.setting.whole_texts:
        return "Each text was replaced by another, drawn at random."
    if policy is None:
        return "Every word and number was replaced by a random draw, one by one, whatever it says."
    if not policy.finds_spans:
        return (
            "Words and numbers were replaced one by one, by random draws or placeholders, but for words of a public "
            "list, which stay."
        )
    outside = "All other words were drawn too." if policy.draws_words else "All other text was left as it was."
    return (
        "A detector searched each text for values of the kinds below. Each value that was found was replaced by a "
        f"random draw or a placeholder. {outside}"
    )


def _kind(part: Protected, counts: Mapping[str, int]) -> _Kind:
    guarantee = part.guarantee
    count = found_of(counts, part.kind)
    status = f", {guarantee.status.shown}" if guarantee.promises else ""
    unit = _PAYS.get(part.pays, f"each {part.kind}")
    return _Kind(part.kind, count, part.done or "a draw", f"{guarantee}{status} for {unit}")


def _costs(guarantee: Mapping[str, Any]) -> list[tuple[str, str]]:
    units = (
        ("per_person", "One person, at most"),
        ("per_document", "One document, at most"),
        ("whole_input", "All documents, as if one person's"),
    )
    told = [key for key, _ in units if key in guarantee and not (key == "whole_input" and "per_person" in guarantee)]
    return [(name, _cost(guarantee[key])) for key, name in units if key in told]


def _cost(data: Mapping[str, Any]) -> str:
    if data.get("epsilon") is None:
        return "no guarantee"
    delta = f", delta {data['delta']:.3g}" if data.get("delta") else ""
    return f"epsilon {data['epsilon']:.6g}{delta} ({data['status']})"


def _recall(report: Report) -> list[tuple[str, str]]:
    kinds = {} if report.recall is None else report.recall["kinds"]
    return [(kind, _interval(**scores["recall"])) for kind, scores in sorted(kinds.items())]


def _interval(lower: float, estimate: float, upper: float, **_: Any) -> str:
    return f"{100 * estimate:.0f} % [{100 * lower:.0f}, {100 * upper:.0f}]"


def _attacks(risk: MeasuredRisk) -> list[tuple[str, str, str, str]]:
    return [
        (
            attack.attacker,
            attack.against,
            f"{100 * attack.top1:.0f} %" if attack.low is None or attack.high is None
            else _interval(attack.low, attack.top1, attack.high),
            f"{100 * attack.top5:.0f} %",
        )
        for attack in risk.attacks
    ]  # fmt: skip


def _identifiers(report: Report) -> list[tuple[str, str, str, str]]:
    policy, counts = report.setting.policy, report.tally.kinds
    rules: Sequence[Mapping[str, Any]] = policy.data["rules"] if policy else ()
    spans = bool(policy and policy.finds_spans)
    times = {kind: found_of(counts, kind) for identifier in IDENTIFIERS for kind in identifier.kinds}
    return [
        (
            f"{identifier.letters} {identifier.name}",
            covered(rules, identifier.kinds, finds_spans=spans),
            ", ".join(counted(times[kind], kind) for kind in identifier.kinds) if spans else "",
            identifier.watch,
        )
        for identifier in IDENTIFIERS
    ]


def _terms(report: Report) -> list[tuple[str, str]]:
    policy = report.setting.policy
    spans = policy is not None and policy.finds_spans
    words_stay = policy is not None and spans and not policy.draws_words
    rules: Sequence[Mapping[str, Any]] = policy.data["rules"] if policy else ()
    special = covered(rules, ("demographic",), finds_spans=spans)
    return [
        (
            "Personal data, Art. 4(1)",
            "The text outside what was found stays and may still relate to a person."
            if words_stay
            else "What stays (see above) and the costs of a whole text may still tell of a person.",
        ),
        (
            "Pseudonymisation, Art. 4(5)",
            "A private map or the originals undo it: keep both apart from the release."
            if spans
            else "No map undoes this release; the originals do.",
        ),
        (
            "Anonymous information, Recital 26",
            "Not settled by any setting: it depends on means, costs and time of whoever reads the release.",
        ),
        (
            "Special categories, Art. 9(1)",
            f"Religion, ethnicity, orientation and politics, where found: {special}. Health: left as it is."
            if words_stay
            else "Words about them are replaced as all others are, but for those that stay.",
        ),
    ]


def _settings(data: Mapping[str, Any], release_sha256: str) -> list[tuple[str, str]]:
    policy, vocabulary, mechanism = data.get("policy"), data["vocabulary"], data["mechanism"]
    parameters = "" if mechanism is None else ", ".join(f"{k} {v}" for k, v in mechanism["parameters"].items())
    return [
        ("textveil", data["textveil"]),
        *([("policy", f"{policy['name']}, SHA-256 {policy['digest']}")] if policy else []),
        *([("mechanism", f"{mechanism['name']} {parameters}")] if mechanism else []),
        *([("vocabulary", f"{vocabulary['name']}, SHA-256 {vocabulary['digest']}")] if vocabulary else []),
        ("all settings", f"SHA-256 {data['setting_digest']}"),
        ("randomness", data["randomness"]),
        ("released file", f"SHA-256 {release_sha256}" if release_sha256 else "written to a stream: no digest"),
    ]


class Identifier(NamedTuple):
    """Identifiers that HIPAA's Safe Harbor names, 45 CFR 164.514(b)(2)(i)."""

    letters: str
    name: str
    kinds: tuple[str, ...]  # of spans that are such identifiers; none where textveil reads nothing of them
    watch: str


_LAW: Final = (
    ("(A)", "names", "unlisted names are missed most"),
    ("(B)", "places smaller than a State, ZIP codes", "the law lets States and some ZIP digits stay"),
    (
        "(C)",
        "elements of dates but the year; ages over 89",
        "a shift keeps the days between dates; the law lets only the year stay",
    ),
    ("(D), (E)", "telephone and fax numbers", "the format stays"),
    ("(F)", "e-mail addresses", "nothing of the address stays"),
    ("(G)", "social security numbers", "the format stays"),
    (
        "(H) to (K)",
        "medical record, health plan, account, certificate and license numbers",
        "the format and the country of an IBAN stay; without a word such as MRN it is a number",
    ),
    ("(L), (M)", "vehicle and device identifiers, serial numbers", "letters beside a number stay: write a pattern"),
    ("(N)", "URLs", "nothing of the address stays"),
    ("(O)", "IP addresses", "the version, 4 or 6, stays"),
    ("(P), (Q)", "biometric identifiers, full-face photographs", "only text is read"),
    (
        "(R)",
        "any other unique number, characteristic or code",
        "characteristics (the only mayor of a town) are words: no detector finds them",
    ),
)
"""Letters and names of all eighteen, in the order of the law, and what to watch."""
IDENTIFIERS: Final = tuple(
    Identifier(letters, name, tuple(kind.name for kind in OWN if letters in kind.hipaa), watch)
    for letters, name, watch in _LAW
)
"""All eighteen, each with the kinds whose rows name its letters."""


def covered(rules: Sequence[Mapping[str, Any]], kinds: Sequence[str], *, finds_spans: bool) -> str:
    """Say in a few words what a policy's rules do with some kinds.

    ``rules``: of the policy, as JSON data; none is a mechanism that draws all words.
    """
    if not kinds:
        return "not read"
    if not finds_spans:
        return "not looked for"
    by_kind = {rule["kind"]: rule for rule in rules}
    done: dict[str, list[str]] = {}
    for kind in kinds:
        done.setdefault(_done(by_kind.get(kind, by_kind.get(STANDS_FOR.get(kind, "")))), []).append(kind)
    if len(done) == 1:
        return next(iter(done))
    return "; ".join(f"{', '.join(names)} {what}" for what, names in done.items())


def _done(rule: Mapping[str, Any] | None) -> str:
    if rule is None:
        return "not looked for"
    if rule.get("keep"):
        return "kept"
    if rule.get("placeholder"):
        return "replaced by a placeholder"
    epsilon = rule.get("epsilon")
    return f"drawn, epsilon {epsilon:g}" if epsilon else "drawn"
