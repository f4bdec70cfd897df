"""Policies by name or path: the presets that come with the package, and files of users in TOML.

Whatever is wrong with a file is one line that names the file, and the rule by its number.
"""

import contextlib
import difflib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import starmap
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from textveil.catalog import MECHANISMS
from textveil.detection.kinds import KINDS, RuleData, preset_rules, without_rule
from textveil.errors import ParameterError, UnknownNameError, need
from textveil.json_text import json_data
from textveil.sanitize.policy.policy import Action, Pattern, Policy, Rule, WordList
from textveil.text.english import LEVELS, common_words_of
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
"""The treatments of words that are not common: left out, written as their public class, drawn among all words of
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
        epsilon: nats for one word, in place of what the policy says; only if it draws words.
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

    Raises UnknownNameError: no preset has that name; the message says what to write if a mechanism has it;
    ParameterError: the file cannot be read or is no policy.
    """
    if (name := os.fspath(name_or_path)) not in PRESETS and not is_path(name) and name in MECHANISMS:
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


def words_of_background(path: Path, level: str) -> tuple[str, ...]:
    """Return the words that stand in a share of public documents, which the level says.

    ``path``: a text file with a document a line, or one that ends in .jsonl with a "text" in each record. Raises
    ParameterError: the file cannot be read; or as ``common_words_of``.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [line for line in lines if line.strip()]
        documents = [str(json_data(record)["text"]) for record in records] if path.suffix == ".jsonl" else records
    except (OSError, ValueError, KeyError, TypeError) as cause:
        why = getattr(cause, "strerror", None) or type(cause).__name__
        error = ParameterError(
            f"background must be a text file with a document a line, or .jsonl with text; got: {why}. Check its path."
        )
        error.parameter = "background"
        raise error from None
    return common_words_of(documents, level)


_TEXTS: Final = ("name", "describes", "marks", "scope", "other_languages")
_SAVED: Final = {"rules": "rule", "patterns": "pattern", "lists": "list"}
_KEYS: Final = (*_TEXTS, "min_score", "detectors", *_SAVED.values())
_ACTIONS: Final = tuple(action.value for action in Action)
_OF_RULES: Final = ("kind", "epsilon", "scope", "min_score")
_FLAGS: Final = (Action.KEEP, Action.PLACEHOLDER)
_LARGEST: Final = 16 << 20  # bytes of a policy's file: a device may never end
_Made = TypeVar("_Made")


def read_policy(path: Path) -> Policy:
    """Read the policy in a file.

    Raises ParameterError: it cannot be read, or is no policy; the line names the file and what in it is wrong.
    """
    return policy_of(policy_bytes(path), str(path), path.parent)


def policy_bytes(path: Path) -> bytes:
    """Read the bytes of a policy's file. Raises ParameterError: it cannot be read, or does not end."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"policy {path} must be a file that can be read; got: {why}. Check its path.") from None
    if len(raw) > _LARGEST:
        raise ParameterError(f"policy {path} must have at most {_LARGEST >> 20} MB; got more. Check its path.")
    return raw


def policy_of(raw: bytes, place: str, folder: Path | None = None) -> Policy:
    """Read the policy that is written in ``raw``.

    ``folder``: where files of lists and of rules are looked for; None allows no list a file, and is the working
    directory for rules. Raises ParameterError: as ``read_policy``.
    """
    with _placed(f"policy {place}"):
        return _policy(_parsed(raw), folder)


def policy_of_data(data: Mapping[str, Any]) -> Policy:
    """Read the policy that ``Policy.whole_data`` wrote: equal to it, and of the same digest.

    Raises ParameterError: it is no policy.
    """
    with _placed("saved policy"):
        return _policy({_SAVED.get(key, key): value for key, value in data.items()}, None)


def _policy(data: Mapping[str, Any], folder: Path | None) -> Policy:
    _need_keys(data, _KEYS)
    if "name" not in data:
        raise ParameterError("name must be given; got none.")
    for key in _TEXTS:
        if not isinstance(data.get(key, ""), str):
            raise ParameterError(f"{key} must be a string; got {type(data[key]).__name__}.")
    rules = _tables(data, "rule", lambda table: _rule(table, folder))
    patterns = _tables(data, "pattern", _pattern)
    lists = _tables(data, "list", lambda table: _word_list(table, folder))
    detectors = data.get("detectors", [])
    if not (isinstance(detectors, list) and all(isinstance(name, str) for name in detectors)):
        raise ParameterError('detectors must be a list of names; got another. Write: detectors = ["embedded"]')
    texts = {key: data[key] for key in _TEXTS if key in data}
    score = data.get("min_score", 0.0)
    return Policy(rules=rules, patterns=patterns, lists=lists, detectors=tuple(detectors), min_score=score, **texts)


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ParameterError(f"it must be UTF-8; byte {error.start + 1} is not. Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        _, at, where = str(error).rpartition(" (at ")
        place = f": {where.rstrip(')')}" if at else ""
        raise ParameterError(f"it must be TOML; it is not{place}. Correct it there.") from None
    except RecursionError:
        raise ParameterError("it must be TOML of tables; got a deeper nesting. Write it flat.") from None


@contextlib.contextmanager
def _placed(place: str) -> Iterator[None]:
    try:
        yield
    except ParameterError as error:
        parts = ", " if str(error).startswith(("rule ", "pattern ", "list ")) else ": "
        raise type(error)(f"{place}{parts}{error}") from None


def _tables(data: Mapping[str, Any], key: str, build: Callable[[dict[str, Any]], _Made]) -> tuple[_Made, ...]:
    tables = data.get(key, [])
    if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
        raise ParameterError(f"{key} must be written as [[{key}]]; got another form.")
    entries = []
    for number, table in enumerate(tables, start=1):
        with _placed(f"{key} {number}"):
            entries.append(build(table))
    return tuple(entries)


def _pattern(table: dict[str, Any]) -> Pattern:
    last, keep = _flag(table, "last"), _flag(table, "keep")
    if keep:
        table.setdefault("kind", "")
    fields = _fields(table, ("kind", "regex"))
    return Pattern(kind=fields["kind"], regex=fields["regex"], last=last, keep=keep)


def _flag(table: dict[str, Any], key: str) -> bool:
    value = table.pop(key, False)
    if not isinstance(value, bool):
        raise ParameterError(f"{key} must be true or false; got {type(value).__name__}.")
    return value


def _rule(table: dict[str, Any], folder: Path | None) -> Rule:
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise ParameterError("kind must be given, a string; got none. Write what the rule is for.")
    actions = [name for name in _ACTIONS if name in table]
    if len(actions) != 1:
        got = " and ".join(actions) or "none"
        raise ParameterError(f"a rule must have one of {', '.join(_ACTIONS)}; got {got}.")
    action = Action(actions[0])
    value = table[action.value]
    named = kind == "word" and action is Action.PLACEHOLDER and isinstance(value, str)
    if action in _FLAGS and value is not True and not named:
        raise ParameterError(
            f"{action.value} must be true where it is written; got another. Leave it out, or the rule."
        )
    if action not in _FLAGS and not isinstance(value, str):
        raise ParameterError(f"{action.value} must be a name; got {type(value).__name__}.")
    words = _common_words(table, folder) if kind == "common-word" else ()
    options = {key: option for key, option in table.items() if key not in (*_OF_RULES, action.value)}
    name = "" if value is True else value
    return Rule(
        kind=kind,
        action=action,
        name=name,
        epsilon=table.get("epsilon"),
        scope=table.get("scope"),
        min_score=table.get("min_score"),
        options=options,
        words=words,
        folder="" if folder is None else str(folder),
    )


def _common_words(table: dict[str, Any], folder: Path | None) -> tuple[str, ...]:
    words, background = table.pop("words", None), table.pop("background", None)
    if words is None and background is None:
        return ()
    if words is not None and background is not None:
        raise ParameterError("a rule for common-word must have words or a background; got both. Give one.")
    if background is not None:
        if not isinstance(background, str):
            raise ParameterError(f"background must be the path of a file; got {type(background).__name__}.")
        return words_of_background(Path("" if folder is None else folder, background), table.get("level", LEVELS[0]))
    if not (isinstance(words, list) and words and all(isinstance(word, str) for word in words)):
        raise ParameterError(
            "words must be a list of strings that is not empty; got another. Leave it out, or fill it."
        )
    return tuple(words)


def _fields(table: dict[str, Any], keys: tuple[str, ...]) -> dict[str, str]:
    _need_keys(table, keys)
    for key in keys:
        if not isinstance(table.get(key), str):
            raise ParameterError(f"{key} must be given, a string; got none.")
    return table


def _word_list(table: dict[str, Any], folder: Path | None) -> WordList:
    _need_keys(table, ("kind", "words", "file", "keep", "shipped", "match_case"))
    keep, match_case = _flag(table, "keep"), _flag(table, "match_case")
    kind = table.get("kind", "" if keep else None)
    if not isinstance(kind, str):
        raise ParameterError("kind must be given, a string; got none.")
    sources = [key for key in ("words", "file", "shipped") if key in table]
    if len(sources) != 1:
        raise ParameterError("a list must have words or a file (or shipped, to keep); got both, or none. Give one.")
    if sources[0] != "file":
        entries = table[sources[0]]
        if not (isinstance(entries, list) and all(isinstance(entry, str) for entry in entries)):
            raise ParameterError(f"{sources[0]} must be a list of strings; got another.")
        given: dict[str, Any] = {sources[0]: tuple(entries)}
        return WordList(kind=kind, keep=keep, match_case=match_case, **given)
    name = table["file"]
    if not isinstance(name, str) or folder is None:
        raise ParameterError("file must be the name of a text file with a word or phrase a line; got another.")
    try:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ParameterError(f"file {name} must be a text file that can be read; got: {why}. Check its path.") from None
    words = tuple(line.strip() for line in lines if line.strip())
    return WordList(kind=kind, keep=keep, match_case=match_case, words=words)


def _need_keys(table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise ParameterError(f"key {key[:60]!r} must be one of {', '.join(known)}; correct its spelling.")
