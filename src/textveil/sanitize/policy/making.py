"""Makes what a policy names: the mechanism of words, surrogates, the span finder; and policies of corrections."""

import contextlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

from textveil.catalog import mechanism
from textveil.detection.detectors import TokenKindDetector, detector_of
from textveil.detection.given import KeepList, KeepPattern, KeepWritten, ListDetector, PatternDetector, shipped_words
from textveil.detection.kinds import ENCODED, KINDS, OPTIONAL, OTHER_LANGUAGE, STANDS_FOR, without_rule
from textveil.detection.spans import DetectedSpan, Detector, highest_score, need_reachable
from textveil.errors import InputError, ModelError, ParameterError, VocabularyError, need
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.mechanisms.randomized_response import KEEP_LIMIT, CommonWordResponse
from textveil.sanitize.policy.choice import is_path, policy, policy_of, policy_text
from textveil.sanitize.policy.finding import LAST, Keeper, SpanFinder
from textveil.sanitize.policy.policy import Action, Policy, Rule, ScopeName, WordList
from textveil.sanitize.token_draws import DrawsWords, blanks, class_labels
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.surrogate import Surrogate
from textveil.text.english import PASSING_FUNCTION_WORDS, Passing, passing_common_words

NUMBER: Final = "number"  # the kind of spans that are found in every text: groups of digits outside all others
_RESPONSE: Final = 8.0  # nats of one word where common words are drawn and no epsilon is given
KEPT: Final = "kept"
"""The kind of what keep lists and patterns hold if words are drawn, for which no policy needs a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyParts:
    """Mechanism, surrogates and finder of a policy with spans."""

    words: DrawsWords | None  # draws words outside the spans, or leaves them out; None where they are kept
    surrogates: Mapping[str, Surrogate]  # by kind of spans, in the order of the rules
    scopes: Mapping[str, ScopeName]  # of the kinds whose rule has one of its own
    kept: frozenset[str]  # kinds of spans that are released as they are
    finder: SpanFinder


def parts_of(policy: Policy, *, found_elsewhere: bool = False) -> PolicyParts:
    """Make what a policy names.

    ``found_elsewhere``: whether spans of other kinds than the policy's own detectors find will be given.

    Raises:
        ParameterError: a rule's mechanism, surrogate or detector is unknown, or is not made with its options; a kind is
            none that is found; a list or pattern can never act. The message names the policy, and the rule, list or
            pattern by its number.
        InputError: a rule's file cannot be read; named in the same way.
        MissingExtra: what a detector needs is not installed.
    """
    lists = [
        ListDetector(words.kind, words.words, ignore_case=not words.match_case)
        for words in policy.lists
        if not words.keep
    ]
    patterns = [PatternDetector(each.kind, each.regex) for each in policy.patterns if not (each.last or each.keep)]
    named = [_detector(detector, policy.name) for detector in policy.detectors]
    detectors: list[Detector] = [
        *patterns,
        *lists,
        *named,
        *([TokenKindDetector(policy.token_spans)] if policy.token_spans else []),
        *[PatternDetector(pattern.kind, pattern.regex, LAST) for pattern in policy.patterns if pattern.last],
        *_seen_keepers(policy),
    ]
    reads, span_rules = not policy.draws_words, policy.span_rules
    known = {NUMBER, *([ENCODED] if reads else [])}.union(*(detector.kinds for detector in detectors))
    _need_rules(policy)
    _need_rules_for_found(policy, named)
    if not found_elsewhere:
        _need_first(policy, lists, {kind for detector in detectors if detector not in lists for kind in detector.kinds})
        _need_scores(
            policy, named, {kind for detector in detectors if detector not in named for kind in detector.kinds}
        )
    keepers = _keepers(policy, lists)
    own: tuple[Detector, ...] = (*patterns, *lists)
    surrogates, kept = {}, set()
    for number, rule in span_rules:
        if not (rule.kind in known or found_elsewhere or (named and rule.kind in OPTIONAL)):
            wanted = f"one that something finds ({', '.join(sorted(known))})"
            hint = "Name a detector that finds it, such as embedded, or give a pattern or a list."
            with in_rule(policy, number):
                need(False, "kind", rule.kind, wanted, hint)
        if rule.action is Action.KEEP:
            kept.add(rule.kind)
            continue
        with in_rule(policy, number):
            surrogates[rule.kind] = _surrogate(rule)
            if surrogates[rule.kind].counts == "scope" and "mention" in (rule.scope, policy.scope):
                hint = "It moves all values of a scope together and promises nothing of one alone."
                need(False, "scope", "mention", f"a larger one for {rule.name}", hint)
    if policy.other_languages == "mask":
        surrogates[OTHER_LANGUAGE] = make_surrogate("placeholder", 0.0, {"text": "[text in another language]"})
    if reads and ENCODED not in kept and ENCODED not in surrogates:
        surrogates = {ENCODED: make_surrogate("placeholder", 0.0, {"text": f"[{ENCODED}]"}), **surrogates}
    numbers = policy.rule(NUMBER) is not None
    kept |= {KEPT} if policy.draws_words else set()
    ruled = surrogates.keys() | kept
    finder = SpanFinder(
        detectors,
        surrogates,
        kept,
        numbers=numbers,
        escapes=reads,
        stands_for={kind: other for kind, other in STANDS_FOR.items() if kind not in ruled and other in ruled},
        scored=named,
        other_languages=policy.other_languages,
        min_scores=dict.fromkeys(ruled, policy.min_score)
        | {rule.kind: rule.min_score for rule in policy.rules if rule.min_score is not None and rule.kind in ruled},
        keepers=keepers,
        firm=[detector for detector in own if detector.kinds[0] not in kept],
    )
    return PolicyParts(
        words=words_of(policy),
        surrogates=surrogates,
        scopes={rule.kind: rule.scope for _, rule in policy.span_rules if rule.scope is not None},
        kept=frozenset(kept),
        finder=finder,
    )


def _need_rules(policy: Policy) -> None:
    """Refuse what finds spans of a kind that no rule is for: a slip of the pen would release them."""
    kinds = {"", NUMBER} | {rule.kind for _, rule in policy.span_rules}
    places = [("pattern", number, pattern.kind) for number, pattern in enumerate(policy.patterns, start=1)]
    places += [("list", number, word_list.kind) for number, word_list in enumerate(policy.lists, start=1)]
    for what, number, kind in places:
        if kind not in kinds:
            raise ParameterError(
                f"policy {policy.name}, {what} {number}: kind must be one that has a rule; got {kind}. Add one, or "
                "correct its spelling."
            )


def _need_rules_for_found(policy: Policy, detectors: Sequence[Detector]) -> None:
    """Refuse a detector that finds a kind of its own that nothing is said of: it would be released as it is."""
    if policy.draws_words:  # as all other words are
        return
    ruled = {rule.kind for _, rule in policy.span_rules}
    for detector in detectors:
        unruled = without_rule(set(detector.kinds) - set(KINDS), ruled)
        need(
            not unruled,
            f"policy {policy.name}, detector {detector.name}: kind",
            unruled[0] if unruled else "",
            "one that has a rule",
            "Add one; keep = true releases what is found as it is.",
        )


def _keepers(policy: Policy, lists: Sequence[ListDetector]) -> list[Keeper]:
    """Make what stays whatever detectors find in it: entries with ``keep``, and those of a kind that a rule keeps.

    Raises ParameterError: a phrase is to be kept and to be drawn, or a pattern keeps a whole kind.
    """
    kept = {rule.kind for _, rule in policy.span_rules if rule.action is Action.KEEP}
    drawn = {phrase for detector in lists if detector.kinds[0] not in kept for phrase in detector.phrases}
    keepers: list[Keeper] = []
    public: list[str] = []
    for number, word_list in enumerate(policy.lists, start=1):
        if word_list.keep and word_list.shipped and not word_list.kind:
            public += word_list.shipped
        elif word_list.keep or word_list.kind in kept:
            words = [word for name in word_list.shipped for word in shipped_words(name)] or word_list.words
            kind = word_list.kind if word_list.keep else ""
            keeper: KeepList | KeepWritten = (
                KeepWritten(words, kind=kind)
                if word_list.match_case
                else KeepList(words, kind=kind, public=bool(word_list.shipped))
            )
            both = 0 if word_list.shipped else len(keeper.phrases & drawn)
            if both:
                raise ParameterError(
                    f"policy {policy.name}, list {number}: a word that is kept must be in no list that is drawn; got "
                    f"{both} of both. Leave them out of one."
                )
            keepers.append(keeper)
    if public:
        keepers.append(_public_keeper(tuple(public)))
    for number, pattern in enumerate(policy.patterns, start=1):
        if pattern.keep or pattern.kind in kept:
            try:
                keepers.append(KeepPattern(pattern.regex, kind=pattern.kind if pattern.keep else ""))
            except ParameterError as error:
                raise type(error)(f"policy {policy.name}, pattern {number}: {error}") from None
    return keepers


@cache
def _public_keeper(names: tuple[str, ...]) -> KeepList:
    return KeepList(chain.from_iterable(map(shipped_words, names)), public=True)


def _seen_keepers(policy: Policy) -> Iterator[Detector]:
    """Yield finders of kept phrases if words outside the spans are drawn: there a phrase stays only as a span."""
    if not policy.draws_words:
        return
    for word_list in policy.lists:
        if word_list.keep and not word_list.kind:
            words = [word for name in word_list.shipped for word in shipped_words(name)] or word_list.words
            yield ListDetector(KEPT, words, ignore_case=not word_list.match_case, name="keep list")
    for pattern in policy.patterns:
        if pattern.keep and not pattern.kind:
            yield PatternDetector(KEPT, pattern.regex, "keep pattern")


def _need_scores(policy: Policy, detectors: Sequence[Detector], found_else: Collection[str]) -> None:
    """Refuse a score under which nothing of a kind that is drawn can be found: a policy would release all of it."""
    for number, rule in policy.span_rules:
        if rule.action is Action.KEEP or rule.kind in found_else:
            continue
        score = policy.min_score if rule.min_score is None else rule.min_score
        highest = [highest_score(detector, rule.kind) for detector in detectors if rule.kind in detector.kinds]
        if highest and score > max(highest):
            with in_rule(policy, number):
                need_reachable(score, max(highest), rule.kind)


def _need_first(policy: Policy, lists: Sequence[ListDetector], found_else: Collection[str]) -> None:
    """Refuse a list all of whose phrases are another kind's: if two kinds find the same, one of them always wins."""
    phrases: dict[str, set[tuple[str, ...]]] = {}
    for detector in lists:
        phrases.setdefault(detector.kinds[0], set()).update(detector.phrases)
    drawn = {rule.kind for _, rule in policy.span_rules if rule.action is not Action.KEEP}
    numbers = (number for number, word_list in enumerate(policy.lists, start=1) if not word_list.keep)
    for n, detector in zip(numbers, lists, strict=True):
        kind = detector.kinds[0]
        # As the finder has it: what is drawn goes before what is kept, then the name of the kind decides.
        wins = [other for other in phrases if (other not in drawn, other) < (kind not in drawn, kind)]
        hides = next((other for other in sorted(wins) if phrases[kind] and phrases[kind] <= phrases[other]), None)
        if hides is not None and kind not in found_else:
            raise ParameterError(
                f"policy {policy.name}, list {n}: it must have a phrase that is its kind's alone; each is in a list of "
                f"{hides} too, which goes before {kind}. Leave them out of one."
            )


def words_of(policy: Policy) -> DrawsWords | None:
    """Make what draws a policy's words, or leaves them out; None if they are kept.

    Raises ParameterError: as ``parts_of``.
    """
    for number, rule in enumerate(policy.rules, start=1):
        if rule.kind == "word" and rule.action is Action.MECHANISM:
            with in_rule(policy, number):
                options = dict(rule.options)
                if rule.epsilon is not None:
                    options["epsilon"] = rule.epsilon
                word_mechanism = mechanism(rule.name, policy.vocabulary, **options)
                if not isinstance(word_mechanism, WordMechanism | SequenceMechanism):
                    raise ParameterError(f"mechanism must be one of words; got {rule.name}. Use it without a policy.")
                return word_mechanism
        if rule.kind == "common-word" and rule.action is Action.MECHANISM:
            with in_rule(policy, number):
                words = tuple(sorted(rule.common_words.words))
                return CommonWordResponse(words, _RESPONSE if rule.epsilon is None else rule.epsilon)
    if (rule_for_words := policy.rule("word")) is None or rule_for_words.action is Action.KEEP:
        return None
    return class_labels() if rule_for_words.name else blanks()


def passing_of(policy: Policy) -> Passing | None:
    """Return the public words that stay while all others go; None if there are none."""
    if (rule := policy.rule("common-word")) is not None:
        return passing_common_words(rule.common_words.words, rule.common_words.names)
    return PASSING_FUNCTION_WORDS if policy.rule("function-word") is not None else None


def number_options(policy: Policy) -> dict[str, Any]:
    """Return the options of a sanitizer of tokens that a policy's rule for numbers stands for.

    Raises ParameterError: the rule has other options.
    """
    for number, rule in policy.span_rules:
        if rule.kind == NUMBER:
            with in_rule(policy, number):
                options = dict(rule.options)
                limit = options.pop("digit_keep_limit", KEEP_LIMIT)
                need(not options, "digits", f"{', '.join(options)[:60]}", "given epsilon and digit_keep_limit alone")
                return {"number_epsilon": rule.epsilon, "digit_keep_limit": limit}
    return {}


@contextlib.contextmanager
def in_rule(policy: Policy, number: int) -> Iterator[None]:
    """Errors of the block name the policy and the rule."""
    try:
        yield
    except (ParameterError, InputError, VocabularyError, ModelError) as error:
        raise type(error)(f"policy {policy.name}, rule {number}: {error}") from None


def _detector(detector: str | Detector, name: str) -> Detector:
    if not isinstance(detector, str):
        return detector
    try:
        return detector_of(detector)
    except ParameterError as error:
        raise type(error)(f"policy {name}, detectors: {error}") from None


def _surrogate(rule: Rule) -> Surrogate:
    name = rule.name if rule.action is Action.SURROGATE else "placeholder"
    options = dict(rule.options) if rule.action is Action.SURROGATE else {"text": f"[{rule.kind}]"}
    if isinstance(options.get("file"), str):
        options["file"] = str(Path(rule.folder, options["file"]))
    return make_surrogate(name, 0.0 if rule.epsilon is None else rule.epsilon, options)


class PolicyDetector:
    """Finds the spans that a policy replaces; those that it keeps stay in the open, and are none.

    ``policy``: one that finds spans. Raises ParameterError: it finds none, or cannot be made.
    """

    def __init__(self, policy: Policy) -> None:
        need(policy.finds_spans, "policy", "one without detection", "one that finds spans, such as identifiers")
        parts = parts_of(policy)
        self._finder = parts.finder
        self.kinds: tuple[str, ...] = tuple(parts.surrogates)
        self.name = f"policy {policy.name}"

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [[span for span in spans if span.kind in self.kinds] for spans in self._finder.found(texts)]


def measured_of(policy: Policy) -> dict[str, str]:
    """Return the name and digest that bind a measurement to a policy."""
    return {"name": policy.name, "digest": policy.digest}


_NAME: Final = re.compile(r'^name\s*=\s*"([^"\\\n]+)"', re.MULTILINE)
_SUFFIX: Final = "-reviewed"
_HIDDEN: Final = "hidden"  # the kind of what is hidden by a policy that has no kinds of spans
_PROBE: Final = "textveil review"  # a phrase that no list of a user holds


def correctable(name: str) -> dict[str, Any]:
    """Policy that the marks on a page extend: private, as its lists may be.

    Returns:
        the name that it ``extends``, the ``name`` of the policy that does, ``toml`` that lists can be added to, behind
        what ``hides`` says if a list hides words, ``kinds`` that a word can be hidden as, ``listed`` phrases of its
        own lists, and whether it lies ``beside`` files and ``draws_words``.

    Raises ParameterError: it cannot be read, or lists cannot be added to it.
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
        "listed": [word for word_list in chosen.lists if not word_list.match_case for word in word_list.words],
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
    if (name := _NAME.search(text)) is None or chosen.name.endswith(_SUFFIX):
        return text
    changed = f"{text[: name.end() - 1]}{_SUFFIX}{text[name.end() - 1 :]}"
    same = policy_of(changed.encode(), place, _folder(place)) == replace(chosen, name=chosen.name + _SUFFIX)
    return changed if same else text


_TABLE: Final = re.compile(r"^(?=\[\[)", re.MULTILINE)
_KIND: Final = re.compile(r'^kind\s*=\s*"([^"\\\n]+)"[^\n]*\n', re.MULTILINE)
_DESCRIBES: Final = re.compile(r"^describes\s*=[^\n]*\n", re.MULTILINE)
_MIN_SCORE: Final = re.compile(r"^min_score\s*=[^\n]*\n", re.MULTILINE)


def rescored(name: str, score: float, kinds: Collection[str], why: str) -> str:
    """Return the file of a policy that masks what its detectors find of some kinds from a score on.

    Args:
        name: of the policy, or its file.
        score: from 0 to 1; rules that ask for less keep theirs.
        kinds: whose rules change, where the policy has one that draws.
        why: a sentence that its description ends with, which reports quote.

    Raises ParameterError: its text has another form than presets have.
    """
    chosen, (head, *tables) = policy(name), _TABLE.split(policy_text(name))
    rules = tuple(
        replace(rule, min_score=min(score, chosen.min_score if rule.min_score is None else rule.min_score))
        if rule.kind in kinds and rule.action is not Action.KEEP
        else rule
        for rule in chosen.rules
    )
    scores = {rule.kind: rule.min_score for rule, old in zip(rules, chosen.rules, strict=True) if rule is not old}

    def changed(table: str) -> str:
        kind = _KIND.search(table) if table.startswith("[[rule]]") else None
        if kind is None or kind[1] not in scores:
            return table
        return _KIND.sub(f"{kind[0]}min_score = {scores[kind[1]]!r}\n", _MIN_SCORE.sub("", table), count=1)

    wanted = replace(chosen, rules=rules, describes=f"{chosen.describes} {why}".strip())
    text = _renamed(_described(head, wanted.describes) + "".join(map(changed, tables)), wanted, name)
    same = replace(policy_of(text.encode(), name, _folder(name)), name=chosen.name) == wanted
    need(same, "policy", "another form", "one whose rules have a line for each key", "Write min_score there yourself.")
    return text


def with_lists(name: str, hidden: Mapping[str, Collection[str]], kept: Collection[str], why: str) -> str:
    """Return the file of a policy with further lists, in their letter case: private, as they are.

    Args:
        name: of the policy, or its file.
        hidden: words by kind, of ``list_kinds``.
        kept: words that stay; none that is hidden.
        why: a sentence that its description ends with, which reports quote.

    Raises ParameterError: it cannot be read, or lists cannot be added to it.
    """
    base = correctable(name)
    head, *tables = _TABLE.split(base["toml"])
    text = _described(head, f"{policy(name).describes} {why}".strip()) + "".join(tables)
    lists = [(f'kind = "{kind}"', words) for kind, words in sorted(hidden.items())] + [("keep = true", kept)]
    for key, words in lists:
        if words:
            listed = json.dumps(sorted(words), ensure_ascii=False)
            text += f"\n[[list]]\n{key}\nmatch_case = true\nwords = {listed}\n"
    parts_of(policy_of(text.encode(), name, _folder(name)))
    return text


def _described(head: str, describes: str) -> str:
    line = f"describes = {json.dumps(describes)}\n"
    return _DESCRIBES.sub(lambda _: line, head) if _DESCRIBES.search(head) else f"{head.rstrip()}\n{line}\n"


def _folder(name: str) -> Path | None:
    return Path(name).parent if is_path(name) else None
