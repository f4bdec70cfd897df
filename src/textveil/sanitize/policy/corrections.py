"""Policies from the corrections on a page: one that exists, with a person's lists at its end."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from textveil.errors import ParameterError
from textveil.sanitize.policy.choice import is_path, policy, policy_text
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Action, Policy, WordList
from textveil.sanitize.policy.reading import policy_of

_NAME: Final = re.compile(r'^name\s*=\s*"([^"\\\n]+)"', re.MULTILINE)
_SUFFIX: Final = "-reviewed"

_HIDDEN: Final = "hidden"  # the kind of what is hidden by a policy that has no kinds of spans

_PROBE: Final = "textveil review"  # a phrase that no list of a user holds


def correctable(name: str) -> dict[str, Any]:
    """Policy that the marks on a page extend: private, as its lists may be.

    Returns:
        the name that it ``extends``, the ``name`` of the policy that does, ``toml`` that lists can be added to, behind
        what ``hides`` says where a list hides words, ``kinds`` that a word can be hidden as, ``listed`` phrases of its
        own lists, and whether it lies ``beside`` files and ``draws_words``.

    Raises:
        ParameterError: it cannot be read, or lists cannot be added to it.
    """
    chosen, text = policy(name), policy_text(name)
    kinds = list_kinds(chosen)
    rules = "" if kinds else _numbers(chosen)
    toml = f"{_renamed(text, chosen, name).rstrip()}\n{rules}"
    hides = "" if kinds else f'\n[[rule]]\nkind = "{_HIDDEN}"\nplaceholder = true\n'
    kinds = kinds or [_HIDDEN]
    lists = f'\n[[list]]\nkind = "{kinds[0]}"\nwords = ["{_PROBE}"]\n'
    try:
        extended = policy_of((toml + hides + lists).encode(), name, _folder(name))
        parts_of(extended)
    except ParameterError as error:
        raise ParameterError(f"`policy` must take lists as [[list]] at its end; it does not: {error}") from None
    return {
        "extends": chosen.name,
        "name": extended.name,
        "toml": toml,
        "hides": hides,
        "kinds": kinds,
        "listed": [word for word_list in chosen.lists for word in word_list.words],
        "beside": is_path(name),
        "draws_words": chosen.draws_words,
    }


def list_kinds(chosen: Policy) -> list[str]:
    """Return the kinds that a word of a list can be hidden as: those of spans that are replaced."""
    return [rule.kind for _, rule in chosen.span_rules if rule.action is not Action.KEEP and _is_listed(rule.kind)]


def _is_listed(kind: str) -> bool:
    try:
        WordList(kind=kind, words=("word",))
    except ParameterError:
        return False
    return True


def _numbers(chosen: Policy) -> str:
    if not chosen.draws_words or chosen.rule("number") is not None:
        return ""
    word = chosen.rule("word")
    drawn = word is not None and word.action is Action.MECHANISM
    done = 'surrogate = "digits"' if drawn else "placeholder = true"
    return f'\n[[rule]]\nkind = "number"\n{done}\n'


def _renamed(text: str, chosen: Policy, place: str) -> str:
    """Rename the file, so that no report calls it by the name of the policy that it extends."""
    name = _NAME.search(text)
    if name is None or chosen.name.endswith(_SUFFIX):
        return text
    changed = f"{text[: name.end() - 1]}{_SUFFIX}{text[name.end() - 1 :]}"
    same = policy_of(changed.encode(), place, _folder(place)) == replace(chosen, name=chosen.name + _SUFFIX)
    return changed if same else text


def _folder(name: str) -> Path | None:
    return Path(name).parent if is_path(name) else None
