"""Policies by name or path: the presets that come with the package, and files of users."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from textveil.catalog import MECHANISMS
from textveil.errors import UnknownNameError, need
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.policy.reading import policy_bytes, policy_of, read_policy
from textveil.vocabulary.vocabulary import Vocabulary

PRESETS: Final = ("all-words", "content-words", "identifiers", "clinical", "prompts")
"""Policies that come with the package."""

_FOLDER: Final = Path(__file__).resolve().parent / "presets"


def policy(
    name_or_path: str | os.PathLike[str],
    vocabulary: Vocabulary | None = None,
    *,
    epsilon: float | None = None,
    **changes: Any,
) -> Policy:
    """A policy: by kind of token or span, what happens to it.

    Args:
        name_or_path: one of ``PRESETS``, or a TOML file: whatever ends in ``.toml`` or holds a separator of folders.
        vocabulary: public words, where words are drawn; None is the embedded vocabulary.
        epsilon: nats for one word, in place of what the policy says; only where it draws words.
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
    found = read_policy(Path(text)) if is_path(text) else policy_of(preset_text(text).encode(), text)
    if epsilon is not None:
        changes["rules"] = tuple(_with_epsilon(rule, epsilon, found.name) for rule in found.rules)
    for key in changes:
        known = [one for one in Policy.__dataclass_fields__ if one != "vocabulary"]
        need(key in known, "changes", key, f"among {', '.join(known)}")
    for key in ("detectors", "rules", "patterns", "lists"):
        if key in changes:
            changes[key] = tuple(changes[key])
    return replace(found, vocabulary=vocabulary, **changes)


def policy_named(name_or_path: str | os.PathLike[str]) -> Policy:
    """A preset by its name, or the policy of a file: what stands in place of a mechanism or a policy.

    Raises:
        UnknownNameError: no preset has that name; the message says what to write where a mechanism has it.
        ParameterError: the file cannot be read or is no policy.
    """
    name = os.fspath(name_or_path)
    if name not in PRESETS and not is_path(name) and name in MECHANISMS:
        hint = f"For the mechanism of that name, pass tv.mechanism({name!r}, ...)."
        need(False, "policy", repr(name), f"one of {', '.join(PRESETS)}", hint, kind=UnknownNameError)
    return policy(name)


def policy_text(name: str) -> str:
    """The TOML of a policy as it is written.

    Raises:
        UnknownNameError: no preset has that name.
        ParameterError: the file cannot be read.
    """
    return policy_bytes(Path(name)).decode("utf-8") if is_path(name) else preset_text(name)


def is_path(text: str) -> bool:
    """Whether a policy is meant by its file rather than by its name."""
    return text.endswith(".toml") or os.sep in text or "/" in text


def preset_text(name: str) -> str:
    """The TOML of a preset.

    Raises:
        UnknownNameError: no preset has that name.
    """
    if name not in PRESETS:
        close = difflib.get_close_matches(name, PRESETS, n=1)
        meant = f"Did you mean {close[0]!r}? " if close else ""
        hint = f"{meant}A file ends in .toml."
        need(False, "policy", repr(name[:60]), f"one of {', '.join(PRESETS)}", hint, kind=UnknownNameError)
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def _with_epsilon(rule: Rule, epsilon: float, name: str) -> Rule:
    if rule.kind != "word":
        return rule
    draws = rule.action is Action.MECHANISM
    need(draws, "epsilon", epsilon, f"left out: the policy {name} keeps words as they are", "Change its rules.")
    return replace(rule, epsilon=epsilon)
