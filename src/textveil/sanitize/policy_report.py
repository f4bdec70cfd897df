"""Parts of reports: what a policy draws and what was measured of it, the statement, the sender's own report."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from textveil.errors import ParameterError
from textveil.json_text import json_file, json_text
from textveil.privacy.composition import weakest
from textveil.privacy.guarantees import Guarantee
from textveil.sanitize.costs import guarantee_line
from textveil.sanitize.setting import Protected, Setting, mentions_of

_PAYING: Final = {
    "mention": "one span",
    "value": "one value at all its spans",
    "scope": "all of them at once",
    "": "one token",
}


def policy_data(setting: Setting, recall: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the keys of a report that only policies have, as JSON data; none without a policy.

    ``recall``: what was measured of the detection on a labelled corpus; None if nothing was.
    """
    if (policy := setting.policy) is None:
        return {}
    detection = {"detectors": list(policy.detectors), "recall": None if recall is None else dict(recall)}
    return {
        "policy": policy.to_data(),
        "detection": detection if policy.finds_spans else None,
        "not_covered": list(policy.not_covered),
    }


def per_token_data(setting: Setting) -> dict[str, Any] | None:
    """Return the guarantee of one word or number; None if words stay as they are."""
    if (policy := setting.policy) is None or not policy.finds_spans:
        return setting.token.to_data()
    return setting.guarantee_of("word").to_data() if policy.draws_words else None


def per_value_data(setting: Setting) -> dict[str, Any]:
    """Return the guarantee of one value of any kind by its key, if spans are drawn; else nothing."""
    spans = setting.policy is not None and setting.policy.finds_spans
    return {"per_value": value_data(setting)} if spans else {}


def value_data(setting: Setting) -> dict[str, Any]:
    """Return the guarantee of one value of any kind, and as ``kinds`` those that make it so weak.

    They are those of the largest epsilon, of the largest delta and, if they differ, of the worst status; or those of
    which nothing is promised.
    """
    token, kinds = setting.token, [part.kind for part in setting.protected if not part.guarantee.promises]
    if not kinds:
        parts = [(part.kind, part.guarantee.approximate()) for part in setting.protected]
        epsilon, log_delta = max(part.epsilon for _, part in parts), max(part.log_delta for _, part in parts)
        status = token.status if len({part.status for _, part in parts}) > 1 else None
        kinds = [
            kind
            for kind, part in parts
            if part.epsilon == epsilon or -math.inf < log_delta == part.log_delta or part.status == status
        ]
    return {**token.to_data(), "kinds": kinds}


def policy_lines(setting: Setting, kinds: Mapping[str, int], recall: Mapping[str, Any] | None) -> list[str]:
    """Return the report of a policy for a reader: the guarantee of its draws, and how well spans were found.

    ``recall``: as in ``policy_data``.
    """
    policy = setting.policy
    assert policy is not None
    lines = [f"policy      {policy.name}, sha256 {policy.digest[:16]}"]
    lines_of_kinds = [_kind_line(part, kinds) for part in setting.protected if kinds.get(part.kind)]
    lines += lines_of_kinds or ["  nothing was found that is drawn"]
    kept = [f"{kinds[kind]} {kind}" for kind in policy.kept if kinds.get(kind)]
    lines += [f"kept        as they are: {', '.join(kept)}"] if kept else []
    if (common := policy.common_words) is not None:
        level = f", level {common['level']}" if "level" in common else ""
        lines.append(
            f"common      {common['size']} words, the {common['list']} list{level}, sha256 {common['sha256'][:16]}"
        )
    if common is not None and not policy.finds_spans:
        token = setting.token
        equal = ": both have the same releases" if token.promises and token.approximate().epsilon == 0 else ""
        lines.append(f"compares    {policy.adjacency}{equal}")
    if policy.finds_spans:
        moved = any(part.pays == "scope" for part in setting.protected)  # nothing is promised of one value alone
        together = ", or all of a kind together where its line says so" if moved else ""
        drawings = f"{guarantee_line(setting.token)} for one value of any kind{together}"
        lines.append(f"drawings    {drawings}, where the same spans are found")
        lines.append(f"detection   {_recall(recall)}")
    lines += [f"not covered {fact}" for fact in policy.not_covered]
    return lines


def _kind_line(protected: Protected, kinds: Mapping[str, int]) -> str:
    drawn = f" by {protected.done}" if protected.done else ""
    mentions = kinds.get(mentions_of(protected.kind))
    often = "" if mentions is None else f" in {mentions} spans" if mentions > 1 else " in 1 span"
    promise = f"{guarantee_line(protected.guarantee)} for {_PAYING[protected.pays]}"
    return f"  {kinds[protected.kind]} {protected.kind}{often}{drawn}: {promise}"


def _recall(recall: Mapping[str, Any] | None) -> str:
    if recall is None:
        return "not measured"
    parts = []
    for kind, scores in sorted(recall["kinds"].items()):
        bound = scores["recall"]
        low, middle, high = (f"{100 * bound[end]:.0f}" for end in ("lower", "estimate", "upper"))
        parts.append(f"{kind} {middle} % [{low}, {high}]")
    return f"recall of this policy on {recall['corpus']}, of each kind: {', '.join(parts) or 'nothing'}"


_RISK: Final = "see `textveil risk`."
_SEEDED: Final = "not hidden from whoever knows the seed"


def statement(setting: Setting, kinds: Mapping[str, int]) -> tuple[str, ...]:
    """Sentences that a reader needs before any number; words come first in each."""
    if setting.whole_texts:
        return _of_texts(setting)
    spans = [part for part in setting.protected if part.pays]
    tokens = [part for part in setting.protected if not part.pays]
    if not spans:
        return _of_tokens(setting, tokens)
    has_draws = tokens or any(kinds.get(part.kind) for part in spans)
    kept = _kept_kinds(setting)
    also = f", and what the policy keeps ({', '.join(kept)})" if kept else ""
    return (
        *(() if has_draws else ("Nothing was found that the policy draws.",)),
        f"Values that were found: {_hidden(setting, spans)}.",
        f"What was not found{also}: {_not_found(setting, tokens)}.",
        f"The text as a whole: no guarantee; {_RISK}",
    )


def _of_texts(setting: Setting) -> tuple[str, ...]:
    hidden = _hidden(setting, setting.protected)
    if setting.of_spans:
        return (
            f"The marked spans of a text, all together: {hidden}.",
            "All other text: public, and the release is written from it.",
            f"The text as a whole: no guarantee; {_RISK}",
        )
    return (
        f"Each text as a whole: {hidden}.",
        "What stays: the number and the order of the texts.",
        f"Texts of one person: costs add up; {_RISK}",
    )


def _of_tokens(setting: Setting, drawn: Sequence[Protected]) -> tuple[str, ...]:
    words = _kept_words(setting)
    kept = [*words, *(f"found values of the kind {kind}" for kind in _kept_kinds(setting))]
    but = f" but {_joined(kept)}" if kept else ""
    groups: dict[str, list[str]] = {}
    for part in drawn:
        groups.setdefault(_hidden(setting, [part]), []).append(part.kind.replace("-", " "))
    said = [f"Every {_joined(names)}{but}: {hidden}." for hidden, names in groups.items()]
    shared = setting.one_token.shared
    stay = [*kept, *([shared] if shared else []), "marks", "the number, order and kinds of tokens"]
    nothing = not setting.secure or any(not part.guarantee.promises for part in drawn)
    adds = "no guarantee" if nothing else "costs add up over its words and numbers"
    whole = "what stays has no guarantee" if kept else adds
    return *said, f"What stays: {_joined(stay)}.", f"The text as a whole: {whole}; {_RISK}"


def _kept_words(setting: Setting) -> list[str]:
    rules = [] if setting.policy is None else setting.policy.data["rules"]
    kept = [rule["kind"] for rule in rules if rule.get("keep")]
    kinds = [] if "word" in kept else [kind for kind in kept if kind.endswith("-word")]
    return [f"{kind.replace('-', ' ')}s of the public list" for kind in kinds]


def _kept_kinds(setting: Setting) -> list[str]:
    """Return the kinds that are found and stay; they are no better off than what was not found."""
    return [] if setting.policy is None else sorted(setting.policy.kept)


def _not_found(setting: Setting, tokens: Sequence[Protected]) -> str:
    if not tokens:
        return "in the text as it was"
    kept = "".join(f"; {kind} as they were" for kind in _kept_words(setting))
    done = "drawn word by word" if setting.vocabulary else "left out"
    return f"{done} like all other text, {_hidden(setting, tokens)}{kept}"


def _hidden(setting: Setting, parts: Sequence[Protected]) -> str:
    if not setting.secure:
        return _SEEDED
    # What moves together at no cost is hidden in part alone: the time between its values stays.
    free = [part for part in parts if not part.costs and part.pays != "scope"]
    bounded = [part for part in parts if (part.costs or part.pays == "scope") and part.guarantee.promises]
    nothing = [part for part in parts if not part.guarantee.promises]
    if len(parts) == len(nothing):
        return "no guarantee"
    if not free:
        unchanged = setting.mostly_unchanged or any(part.kind in setting.unchanged_kinds for part in bounded)
        said = f"{'hardly hidden' if unchanged else 'hidden in part'} ({_shown_bound(bounded)})"
    else:
        but = f", but {_joined(_kinds(bounded))} only in part (at most {_shown_bound(bounded)})" if bounded else ""
        said = f"hidden ({_shown_bound(free)}){but}"
    return f"{said}, and no guarantee for {_joined(_kinds(nothing))}" if nothing else said


def bound_of(parts: Sequence[Protected]) -> Guarantee:
    """Return a bound that holds for a draw of each part."""
    adjacency = parts[0].guarantee.adjacency
    return weakest([replace(part.guarantee, adjacency=adjacency) for part in parts])


def _shown_bound(parts: Sequence[Protected]) -> str:
    bound = bound_of(parts)
    each = " each" if any(part.costs for part in parts) else ""
    return f"{bound}{each}, {bound.status.shown}"


def _kinds(parts: Sequence[Protected]) -> list[str]:
    return sorted(part.kind for part in parts)


def _joined(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


NOTE: Final = "computed from the private text; not covered by the guarantee; do not pass it on with the text"
"""Stands in every such report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderReport:
    """Counts that are computed from the private text; no guarantee covers them. Holds no text but the sample's.

    ``sample``: documents before and after, chosen at random for the sender's review; none unless they are asked for.
    """

    setting: Setting
    mapped: int  # how many words were not in the vocabulary and were mapped to it
    skipped: Sequence[Mapping[str, Any]] = ()  # of records that could not be read, the first ones as JSON data
    skipped_count: int = 0  # entries of such records in all
    names: Mapping[str, str] = field(default_factory=dict, repr=False)  # of released files that had another before
    sample: Sequence[tuple[str, str]] = field(default=(), repr=False)
    ledger: Mapping[str, Any] | None = None  # how many accounts paid, and where the one with least left stands

    def to_data(self) -> dict[str, Any]:
        """Return the report as JSON data; docs/guarantees.md documents the keys."""
        return {
            "textveil": self.setting.version,
            "setting_digest": self.setting.digest().hex(),
            "note": NOTE,
            "unknown_words_mapped": self.mapped,
            "skipped": {"count": self.skipped_count, "first": [dict(skip) for skip in self.skipped]},
            **({"names": dict(self.names)} if self.names else {}),
            **({} if self.ledger is None else {"ledger": dict(self.ledger)}),
            **({"sample": [{"before": old, "after": new} for old, new in self.sample]} if self.sample else {}),
        }

    def to_json(self) -> str:
        return json_text(self.to_data())

    def lines(self) -> list[str]:
        """Return ``summary`` if words are drawn one by one, else nothing: of whole texts no word is looked up."""
        policy = self.setting.policy
        drawn = not self.setting.whole_texts if policy is None else policy.draws_words and bool(self.setting.vocabulary)
        return [self.summary()] if drawn else []

    def summary(self) -> str:
        words = "word was" if self.mapped == 1 else "words were"
        mapped = "was" if self.mapped == 1 else "were"
        return f"for you only {self.mapped} {words} not in the vocabulary and {mapped} mapped to it"


_RISK_FILE: Final = ("risk", "Give the risk.json that `textveil risk` wrote.")
_LATER: Final = "Release with `resume`, attack what it wrote, then repeat it with `risk`: that writes the page alone."
_RECALL_FILE: Final = ("detection_report", "Measure the policy itself: `textveil detect` evaluates one.")
"""What is read, and what to do if it cannot be."""
_BOUND: Final = ("lower", "estimate", "upper", "confidence")


class Attack(NamedTuple):
    """Success of an attacker at naming the right person."""

    attacker: str
    against: str
    top1: float  # share of records named at the first try
    top5: float  # share of records among the first five
    low: float | None  # lower end of the interval of `top1`; None where there were too few records
    high: float | None  # upper end


class MeasuredRisk(NamedTuple):
    """Part of a risk report that a page quotes."""

    attacks: tuple[Attack, ...]
    kept: Mapping[str, float]  # shares of words that stayed, by what is counted
    unique: float | None  # share of records that quasi-identifiers make unique; None where it was not measured
    release: str  # SHA-256 of the file of the release that was attacked


def read_risk(path: Path) -> MeasuredRisk:
    """Read the ``risk.json`` that ``textveil risk`` wrote.

    Raises ParameterError: it cannot be read, or holds no linkage, or not of which release.
    """
    data = _json(path, _RISK_FILE)
    try:
        attacks = tuple(_attack(attack) for attack in data["linkage"])
        kept = {str(name): _share(share) for name, share in data["kept"].items()}
        measured = MeasuredRisk(attacks, kept, _unique(data.get("unique")), str(data["release_sha256"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault(_RISK_FILE, "a report with the keys linkage, kept and release_sha256; this file is none") from None
    if not attacks:
        raise _fault(_RISK_FILE, "a report with at least one attack; got none")
    return measured


def check_risk(risk: MeasuredRisk | None, release_sha256: str) -> None:
    """Refuse what attacks on another release came to: a release that is drawn anew hides and keeps other values.

    ``release_sha256``: of the released file; empty if there is none yet, or the release is no file. Raises
    ParameterError: it is another's.
    """
    if risk is not None and (not release_sha256 or risk.release != release_sha256):
        raise _fault(_RISK_FILE, "of this release, by the digest of its file; got one of another", _LATER)


def _attack(data: Mapping[str, Any]) -> Attack:
    low, high = (None if data[end] is None else _share(data[end]) for end in ("low", "high"))
    return Attack(str(data["attacker"]), str(data["against"]), _share(data["top1"]), _share(data["top5"]), low, high)


def _unique(data: Any) -> float | None:
    share = data.get("share") if isinstance(data, Mapping) else data
    return None if share is None else _share(share)


def _share(value: Any) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError
    return share


def read_recall(path: Path) -> dict[str, Any]:
    """Read the recall in a file that an evaluation of detectors wrote as JSON.

    Raises ParameterError: it cannot be read, or says no recall by kind.
    """
    return recall_of(_json(path, _RECALL_FILE))


def recall_of(data: Any) -> dict[str, Any]:
    """Return what a report may hold: the corpus, the policy and, by kind, the recall with its interval.

    Raises ParameterError: ``data`` says no recall by kind, or not of which policy.
    """
    try:
        measured = {
            str(kind): scores["recall"] for kind, scores in data["kinds"].items() if scores["recall"] is not None
        }
        kinds = {kind: {"recall": _bound(recall)} for kind, recall in measured.items()}
        corpus, detector, policy = str(data["corpus"]), str(data.get("detector", "")), data.get("policy")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _fault(_RECALL_FILE, "an evaluation with the recall of each kind; this one is none") from None
    if not isinstance(policy, Mapping) or not all(isinstance(policy.get(key), str) for key in ("name", "digest")):
        raise _fault(_RECALL_FILE, "of the policy of the release; got one of no policy")
    bound = {"name": policy["name"], "digest": policy["digest"]}
    return {"corpus": corpus, "detector": detector, "policy": bound, "kinds": kinds}


def check_recall(recall: Mapping[str, Any] | None, digest: str | None) -> None:
    """Refuse a recall of another policy than a release's: other detectors, lists or scores find less or more.

    ``recall``: as ``recall_of`` has it; None is fine; ``digest``: of the policy of the release; None if it has none.
    Raises ParameterError: it is another's, or of none.
    """
    if recall is None:
        return
    measured = recall.get("policy") or {}
    if digest is None or measured.get("digest") != digest:
        got = "one where there is no policy" if digest is None else "one of another"
        raise _fault(_RECALL_FILE, f"of the policy of the release, by its digest; got {got}")


def _bound(interval: Mapping[str, Any]) -> dict[str, float]:
    bound = {end: float(interval[end]) for end in _BOUND}
    if not 0 <= bound["lower"] <= bound["estimate"] <= bound["upper"] <= 1:
        raise ValueError
    return bound


def _json(path: Path, source: tuple[str, str]) -> Any:
    try:
        return json_file(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _fault(source, f"a JSON file that can be read; got: {why}") from None


def _fault(source: tuple[str, str], what: str, then: str = "") -> ParameterError:
    parameter, hint = source
    error = ParameterError(f"{parameter} must be {what}. {then or hint}")
    error.parameter = parameter
    return error
