"""``textveil policies``: the policies that come with the package; and policies as options of other commands."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import given
from textveil.cli.spelling import renamed
from textveil.errors import ParameterError
from textveil.json_text import json_text

if TYPE_CHECKING:
    from textveil.sanitize.policy.policy import Policy, Rule
    from textveil.vocabulary.vocabulary import Vocabulary


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def policies_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="One policy, as TOML to start from.  [default: list all]"),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the policies that come with textveil, or print one."""
    from textveil.sanitize.policy.choice import PRESETS, policy, policy_text

    with renamed(policy="NAME"):
        shown = [policy(each) for each in (PRESETS if name is None else (name,))]
        text = "" if name is None else policy_text(name)
    if as_json:
        rows = [{**each.to_data(), "digest": each.digest} for each in shown]
        sys.stdout.write(json_text(rows))
    elif name is None:
        width = max(len(each.name) for each in shown)
        sys.stdout.writelines(f"{each.name:<{width}}  {each.describes}\n" for each in shown)
    else:
        sys.stdout.write(text)


def chosen_policy(
    context: typer.Context,
    name: str,
    vocabulary: Vocabulary | None,
    marks: str | None,
    *,
    note: bool = False,
    common: Mapping[str, Any] = _NOTHING,
) -> Policy:
    """Return the policy of ``--policy``, with ``--epsilon`` for its words.

    Args:
        context: of the command, which takes options of mechanisms.
        name: a preset or a file.
        vocabulary: public words; None is the embedded vocabulary.
        marks: in place of the policy's; None leaves them.
        note: whether one document is released by itself: a policy that draws all words then does as a mechanism would.
        common: ``--level``, ``--background`` and ``--others``, None where they are not given.

    Raises:
        ParameterError: ``--mechanism`` or another option of mechanisms is given too.
    """
    from textveil.sanitize.policy.choice import policy

    options = given(context)
    epsilon = options.pop("epsilon", None)
    others = [f"--{key.replace('_', '-')}" for key in options]
    source = context.get_parameter_source("mechanism")
    if source is not None and source.name == "COMMANDLINE":
        others.insert(0, "--mechanism")
    if others:
        raise ParameterError(
            f"--policy says what draws words; got {', '.join(others)} beside it. Leave one out, or write a policy."
        )
    changes: dict[str, Any] = {} if marks is None else {"marks": marks}
    chosen = policy(name, vocabulary, epsilon=epsilon, **common, **changes)
    passing = chosen.rule("function-word") or chosen.rule("common-word")
    plain = not chosen.finds_spans and passing is None
    return _for_note(chosen, vocabulary) if note and plain else chosen


def _for_note(policy: Policy, vocabulary: Vocabulary | None) -> Policy:
    from dataclasses import replace

    from textveil.sanitize.chosen import options_for_note
    from textveil.vocabulary.embedded import load_vocabulary

    words = load_vocabulary() if vocabulary is None else vocabulary

    def changed(rule: Rule) -> Rule:
        added = options_for_note(rule.name, rule.options, words) if rule.kind == "word" else {}
        return replace(rule, options={**rule.options, **added})

    return replace(policy, rules=tuple(changed(rule) for rule in policy.rules))
