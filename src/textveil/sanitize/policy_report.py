"""Reports on a policy: what is drawn, how well it was found, and what no guarantee covers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

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

    Args:
        recall: what was measured of the detection on a labelled corpus; None where nothing was.
    """
    policy = setting.policy
    if policy is None:
        return {}
    detection = {"detectors": list(policy.detectors), "recall": None if recall is None else dict(recall)}
    return {
        "policy": policy.to_data(),
        "detection": detection if policy.finds_spans else None,
        "not_covered": list(policy.not_covered),
    }


def per_token_data(setting: Setting) -> dict[str, Any] | None:
    """Return the guarantee of one word or number; None if words stay as they are."""
    policy = setting.policy
    if policy is None or not policy.finds_spans:
        return setting.token.to_data()
    return setting.guarantee_of("word").to_data() if policy.draws_words else None


def per_value_data(setting: Setting) -> dict[str, Any]:
    """Return the guarantee of one value of any kind by its key, if spans are drawn; else nothing."""
    spans = setting.policy is not None and setting.policy.finds_spans
    return {"per_value": value_data(setting)} if spans else {}


def value_data(setting: Setting) -> dict[str, Any]:
    """Return the guarantee of one value of any kind, and as ``kinds`` those that make it so weak.

    They are those of the largest epsilon, of the largest delta and, where they differ, of the worst status; or those of
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

    Args:
        recall: as in ``policy_data``.
    """
    policy = setting.policy
    assert policy is not None
    lines = [f"policy      {policy.name}, sha256 {policy.digest[:16]}"]
    lines_of_kinds = [_kind_line(part, kinds) for part in setting.protected if kinds.get(part.kind)]
    lines += lines_of_kinds or ["  nothing was found that is drawn"]
    kept = [f"{kinds[kind]} {kind}" for kind in policy.kept if kinds.get(kind)]
    lines += [f"kept        as they are: {', '.join(kept)}"] if kept else []
    common = policy.common_words
    if common is not None:
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
