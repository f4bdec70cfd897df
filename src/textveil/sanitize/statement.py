"""Bottom line of a release, in words: what is hidden, what stays, and what holds of the text as a whole.

It follows from the setting and from whether anything was found, so that no number of a long text can hide it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from textveil.privacy.composition import weakest
from textveil.sanitize.setting import Protected, Setting

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
    free = [part for part in parts if not part.costs]
    bounded = [part for part in parts if part.costs and part.guarantee.promises]
    nothing = [part for part in parts if not part.guarantee.promises]
    if len(parts) == len(nothing):
        return "no guarantee"
    if not free:
        unchanged = setting.mostly_unchanged or any(part.kind in setting.unchanged_kinds for part in bounded)
        said = f"{'hardly hidden' if unchanged else 'hidden in part'} ({_guarantee(bounded)})"
    else:
        but = f", but {_joined(_kinds(bounded))} only in part (at most {_guarantee(bounded)})" if bounded else ""
        said = f"hidden ({_guarantee(free)}){but}"
    return f"{said}, and no guarantee for {_joined(_kinds(nothing))}" if nothing else said


def _guarantee(parts: Sequence[Protected]) -> str:
    adjacency = parts[0].guarantee.adjacency
    bound = weakest([replace(part.guarantee, adjacency=adjacency) for part in parts])
    each = " each" if any(part.costs for part in parts) else ""
    return f"{bound}{each}, {bound.status.shown}"


def _kinds(parts: Sequence[Protected]) -> list[str]:
    return sorted(part.kind for part in parts)


def _joined(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
