"""Policies by name or path: the presets that come with the package, and files of users."""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import starmap
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from textveil.catalog import MECHANISMS
from textveil.detection.kinds import KINDS, RuleData, preset_rules, without_rule
from textveil.errors import UnknownNameError, need
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.policy.reading import policy_bytes, policy_of, read_policy, words_of_background
from textveil.text.english import LEVELS
from textveil.vocabulary.vocabulary import Vocabulary

_FOLDER: Final = Path(__file__).resolve().parent / "presets"
_ORDER: Final = ("all-words", "content-words", "common-words", "identifiers", "clinical", "prompts")
PRESETS: Final = (*_ORDER, *sorted({file.stem for file in _FOLDER.glob("*.toml")} - set(_ORDER)))
"""Policies that come with the package, one for each file of its folder."""

OTHERS: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "blank": Rule(kind="word", action=Action.PLACEHOLDER),
        "class": Rule(kind="word", action=Action.PLACEHOLDER, name="class"),
        "same-class": Rule(kind="word", action=Action.MECHANISM, name="same-class"),
        "draw": Rule(
            kind="word", action=Action.MECHANISM, name="neighborhood", epsilon=8.0, options={"context": "released"}
        ),
    }
)
"""What can happen to the words that are not common: left out, written as their public class, drawn among all words of
that class (which says nothing else about them), or drawn with an epsilon."""

_KEEPS_WORDS: Final = '[[rule]]\nkind = "word"\nkeep = true\n'
"""The rule behind which a preset gets the rules of the rows of ``detection.kinds``."""


def policy(
    name_or_path: str | os.PathLike[str],
    vocabulary: Vocabulary | None = None,
    *,
    epsilon: float | None = None,
    level: str | None = None,
    background: str | os.PathLike[str] | None = None,
    others: str | None = None,
    **changes: Any,
) -> Policy:
    """Return a policy: what happens to each kind of token or span.

    Args:
        name_or_path: one of ``PRESETS``, or a TOML file: whatever ends in ``.toml`` or holds a separator of folders.
        vocabulary: public words, where words are drawn; None is the embedded vocabulary.
        epsilon: nats for one word, in place of what the policy says; only where it draws words.
        level: of a policy that keeps common words: "low", "medium" or "high", from the fewest words to the most.
        background: of such a policy, a file of public documents like the private ones, one a line (or .jsonl with a
            "text" in each record): words that many of them have stay, in place of the shipped list.
        others: of such a policy, what happens to all other words: one of ``OTHERS``.
        **changes: attributes of ``Policy`` in place of what the file says: ``scope``, ``marks``, ``detectors`` ...

    Raises:
        UnknownNameError: no preset has that name.
        ParameterError: the file cannot be read or is no policy; or a change does not fit.

    Example:
        >>> import textveil as tv
        >>> tv.policy("identifiers", scope="mention").scope
        'mention'
    """
    written = isinstance(name_or_path, str | os.PathLike)
    need(written, "name_or_path", type(name_or_path).__name__, f"a path or one of {', '.join(PRESETS)}")
    text = os.fspath(name_or_path)
    need(
        vocabulary is None or isinstance(vocabulary, Vocabulary),
        "vocabulary",
        type(vocabulary).__name__,
        "a Vocabulary",
    )
    chosen = read_policy(Path(text)) if is_path(text) else _preset(text)
    if (level, background, others) != (None, None, None):
        chosen = _with_common_words(chosen, level, background, others)
    if epsilon is not None:
        kinds = chosen.epsilon_kinds
        said = "keeps words as they are" if chosen.rule("common-word") is None else "draws no words with one"
        hint = "Change its rules." if chosen.rule("common-word") is None else "Have the others drawn."
        need(bool(kinds), "epsilon", epsilon, f"left out: the policy {chosen.name} {said}", hint)
        changed = (replace(rule, epsilon=epsilon) if rule.kind in kinds else rule for rule in chosen.rules)
        changes["rules"] = tuple(changed)
    for key in changes:
        known = [attribute for attribute in Policy.__dataclass_fields__ if attribute != "vocabulary"]
        need(key in known, "changes", key, f"among {', '.join(known)}")
    for key in ("detectors", "rules", "patterns", "lists"):
        if key in changes:
            changes[key] = tuple(changes[key])
    return replace(chosen, vocabulary=vocabulary, **changes) if changes or vocabulary is not None else chosen


def policy_named(name_or_path: str | os.PathLike[str]) -> Policy:
    """Return a preset by its name, or the policy of a file, for arguments that take a mechanism or a policy.

    Raises UnknownNameError: no preset has that name; the message says what to write where a mechanism has it;
    ParameterError: the file cannot be read or is no policy.
    """
    name = os.fspath(name_or_path)
    if name not in PRESETS and not is_path(name) and name in MECHANISMS:
        hint = f"For the mechanism of that name, pass tv.mechanism({name!r}, ...)."
        need(False, "policy", repr(name), f"one of {', '.join(PRESETS)}", hint, kind=UnknownNameError)
    return policy(name)


def policy_text(name: str) -> str:
    """Return the TOML of a policy as it is written.

    Raises UnknownNameError: no preset has that name; ParameterError: the file cannot be read.
    """
    return policy_bytes(Path(name)).decode("utf-8") if is_path(name) else preset_text(name)


def is_path(text: str) -> bool:
    """Tell whether a policy is named by its file."""
    return text.endswith(".toml") or os.sep in text or "/" in text


def _preset(name: str) -> Policy:
    """Read a preset. Raises UnknownNameError: no such name; ParameterError: it leaves out a kind that is found."""
    preset = _read_preset(name)
    if not preset.draws_words:
        unruled = without_rule(KINDS, {rule.kind for rule in preset.rules})
        hint = "Give it a rule in its row of detection/kinds.py, or say there whose rule it takes."
        need(not unruled, f"policy {name}: kind", ", ".join(unruled), "one that has a rule", hint)
    return preset


@cache
def _read_preset(name: str) -> Policy:
    return policy_of(preset_text(name).encode(), name)


def preset_text(name: str) -> str:
    """Return the TOML of a preset: its file, with the rules of kinds of spans behind the one that keeps words.

    Raises UnknownNameError: no preset has that name.
    """
    if name not in PRESETS:
        close = difflib.get_close_matches(name, PRESETS, n=1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        hint = f"{meant}A file ends in .toml."
        need(False, "policy", repr(name[:60]), f"one of {', '.join(PRESETS)}", hint, kind=UnknownNameError)
    text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return text.replace(_KEEPS_WORDS, _KEEPS_WORDS + "".join(starmap(_rule_text, preset_rules(name))))


def _rule_text(kind: str, rule: RuleData) -> str:
    return "\n[[rule]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in {"kind": kind, **rule}.items())


def _with_common_words(
    policy: Policy, level: str | None, background: str | os.PathLike[str] | None, others: str | None
) -> Policy:
    common, words = policy.rule("common-word"), policy.rule("word")
    if common is None or words is None:
        given = "level" if level is not None else "background" if background is not None else "others"
        need(False, given, "one", f"left out: the policy {policy.name} keeps no common words", "Use common-words.")
        return policy
    chosen = common.options.get("level", LEVELS[0]) if level is None else level
    kept = common.words if background is None else words_of_background(Path(background), chosen)
    need(not (common.words and level and background is None), "level", level, "left out where the words are given")
    common = replace(common, options={**common.options, "level": chosen}, words=kept)
    if others is not None:
        need(others in OTHERS, "others", repr(others)[:60], f"one of {', '.join(OTHERS)}")
        words = OTHERS[others]
    new = {"common-word": common, "word": words}
    return replace(policy, rules=tuple(new.get(rule.kind, rule) for rule in policy.rules))
