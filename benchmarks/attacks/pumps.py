"""Which regular expressions could take time that grows faster than a text, read off their own syntax trees.

A pattern becomes an automaton whose states are its characters. Two things make a search of it slow:

- a run of a quantifier in which the pattern may begin anew at each place (``a+b`` in ``aaaa``), and
- two quantifiers, one behind the other, that may share out the same characters in many ways (``a+a+b``).

Both are looked for as words: one that leads around the quantifier, and from the start (or from the other quantifier) to
it as well. At most one quantifier of such a chain may be unbounded, none if the start is part of it, and the product
of the bounds of the others is what a character may cost. The answer errs to one side: what look-arounds longer than a
character forbid is not all understood, so a pattern that is fast may be named, and is then written more plainly.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from math import inf, prod
from pathlib import Path
from typing import Any, Final, NamedTuple, final

import textveil
from textveil.text.patterns import LazyRegex

MOST_STEPS: Final = 4096
"""Steps that a search may take for a character, at the most."""
KNOWN: Final = {
    "textveil.json_text._LEAF": "reads JSON that a parser has accepted",
    "textveil.server.budgets._BUDGET": "reads an option of the server's own administrator",
    "textveil.surrogates.urls._SERVICE_HOST": "is tried at one place, over at most LONGEST_HOST characters",
    "textveil.surrogates.urls._BEFORE": "reads the few characters before a URL",
    "textveil.surrogates.urls._BEFORE_HIDDEN": "reads the few characters before a URL",
    "textveil.text.no_text._ENCODING": "begins at the start of a line, so at most 40 tries read a line",
}
"""Patterns that may take more steps a character, and why that slows nothing down."""
_FEW: Final = 4
"""A repetition of up to so many is written out."""
_PARSER: Final = import_module("re._parser")
_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_READS: Final = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
_PREFERRED: Final = ("a1 _-.A\t\n", "A-.1a", "1.,A ")
"""Which characters of a set a pump is made of: a few ways, for other searches read other characters of it."""
_SAMPLES: Final = (
    "".join(map(chr, range(0x180))) + "\u0391\u03b1\u0430\u0410\u0661\u0967\u2002\u200b\u2009\u2010\u2011\u2013\u2014"
    "\u2018\u2019\u201c\u201d\u2022\u2026\u2028\u202f\u20ac\u2212\u3000\u3040\u4e00\u9fff\uac00\ud800\ufdd0\uff10\uff21"
    "\ufb01\U0001f600"
)


@final
class Where(NamedTuple):
    """What must hold between two characters.

    Attributes:
        ahead: characters that may follow, as bits.
        soft: the same, where a possessive quantifier gives nothing back before it has reached its bound.
        free: true if nothing ahead is asked for.
        behind: conditions on what comes before, each a negation and its alternatives, the last character last.
        border: 1 if just one side must be a character of a word, -1 if not, 0 for either.
        last: true if no character may follow.
    """

    ahead: int
    free: bool = True
    soft: int = -1
    behind: tuple[tuple[bool, tuple[tuple[int, ...], ...]], ...] = ()
    border: int = 0


@final
class Step(NamedTuple):
    """From one character to another: where it goes, what must hold, and the quantifiers it begins anew."""

    to: int
    where: Where
    again: frozenset[int]


@final
@dataclass(eq=False)
class Loop:
    """A quantifier: how often at most, the states within it, and the atomic group behind which it never gives back."""

    number: int
    most: float
    width: float
    atoms: tuple[int, ...]
    possessive: bool
    written: str
    inside: set[int] = field(default_factory=set)


@final
class Pump(NamedTuple):
    """A text: a beginning, a unit again and again, an end."""

    beginning: str
    unit: str
    end: str


class _Letters:
    """The characters that a pattern can tell apart, as bits."""

    def __init__(self, parsed: Any, flags: int) -> None:
        letters = dict.fromkeys(_SAMPLES)
        stack = [parsed]
        while stack:
            node = stack.pop()
            if isinstance(node, _PARSER.SubPattern | list | tuple):
                items = list(node)
                if len(items) == 2 and str(items[0]) in ("LITERAL", "NOT_LITERAL", "RANGE"):
                    codes = items[1] if isinstance(items[1], tuple) else (items[1],)
                    near = (code + step for code in codes for step in (-1, 0, 1))
                    letters.update(dict.fromkeys(chr(code) for code in near if 0 <= code < 0x110000))
                else:
                    stack.extend(items)
        self.letters = "".join(letters)
        self.all = (1 << len(self.letters)) - 1
        self.ascii = bool(flags & re.ASCII) or not flags & re.UNICODE
        self._known: dict[tuple[str, int], int] = {}
        self.word = self.category("CATEGORY_WORD")
        self.newline = self.where(lambda letter: letter == "\n")

    def where(self, holds: Any) -> int:
        return sum(1 << place for place, letter in enumerate(self.letters) if holds(letter))

    def category(self, name: str) -> int:
        kind = name.removeprefix("CATEGORY_").removeprefix("NOT_").lower()
        one = re.compile({"digit": r"\d", "space": r"\s", "word": r"\w"}[kind], re.ASCII if self.ascii else 0)
        found = self.where(one.match)
        return self.all & ~found if "NOT_" in name else found

    def of(self, name: str, argument: Any, flags: int) -> int:
        key = (f"{name}{argument}", flags & (re.IGNORECASE | re.DOTALL))
        if key not in self._known:
            self._known[key] = self._of(name, argument, flags)
        return self._known[key]

    def _of(self, name: str, argument: Any, flags: int) -> int:
        if name == "ANY":
            return self.all if flags & re.DOTALL else self.all & ~self.newline
        if name == "NOT_LITERAL":
            return self.all & ~self.of("LITERAL", argument, flags)
        if name == "CATEGORY":
            return self.category(str(argument))
        if name in ("LITERAL", "RANGE"):
            low, high = argument if name == "RANGE" else (argument, argument)
            forms = _either_case if flags & re.IGNORECASE else set[str]
            return self.where(lambda letter: any(len(c) == 1 and low <= ord(c) <= high for c in forms(letter)))
        found = 0
        for part, value in argument:
            if str(part) != "NEGATE":
                found |= self.of(str(part), value, flags)
        return self.all & ~found if str(argument[0][0]) == "NEGATE" else found


@final
class Automaton:
    """A pattern as states, each of which reads a character, and the ways between them."""

    def __init__(self, pattern: str | bytes, flags: int = 0, *, full: bool = False) -> None:
        parsed = _PARSER.parse(pattern, flags)
        flags = parsed.state.flags
        self.letters = _Letters(parsed, flags)
        self.sets: list[int] = [0]  # the first state is the start, which reads nothing
        self.loops: list[Loop] = []
        self.atoms: list[tuple[int, ...]] = [()]
        self._nodes: list[tuple[str, Any, list[int]]] = []
        self._groups: dict[int, tuple[Any, int]] = {}
        self._inside: list[int] = []
        self._atomic: list[int] = []
        self._atoms = 0
        self._accept = self._node("accept")
        self._dead = self._node("dead")
        self._gather(parsed, flags)
        self.full = full
        end = self._node("where", Where(0, free=False), [self._accept]) if full else self._accept
        self._first = self._sequence(parsed, flags, end)
        self._known: dict[int, list[Step]] = {}
        self._safe: dict[int, bool] = {}

    def _node(self, kind: str, value: Any = None, to: Iterable[int] = ()) -> int:
        self._nodes.append((kind, value, list(to)))
        return len(self._nodes) - 1

    def _gather(self, parsed: Any, flags: int) -> None:
        """The groups to which a pattern may refer back."""
        for operation, argument in parsed:
            if str(operation) == "SUBPATTERN":
                self._groups[argument[0]] = argument[3], (flags | argument[1]) & ~argument[2]
            for body in _bodies(str(operation), argument):
                self._gather(body, flags)

    def _sequence(self, parsed: Any, flags: int, then: int) -> int:
        for operation, argument in reversed(list(parsed)):
            then = self._part(str(operation), argument, flags, then)
        return then

    def _part(self, name: str, argument: Any, flags: int, then: int) -> int:
        if name in _READS:
            self.sets.append(self.letters.of(name, argument, flags))
            self.atoms.append(tuple(self._atomic))
            state = len(self.sets) - 1
            for loop in self._inside:
                self.loops[loop].inside.add(state)
            return self._node("read", state, [then])
        if name == "BRANCH":
            return self._node("any", None, [self._sequence(part, flags, then) for part in argument[1]])
        if name == "SUBPATTERN":
            return self._sequence(argument[3], (flags | argument[1]) & ~argument[2], then)
        if name in _REPEATS:
            return self._repeat(name, argument, flags, then)
        if name == "ATOMIC_GROUP":
            return self._within_atom(lambda: self._sequence(argument, flags, then))
        if name in ("ASSERT", "ASSERT_NOT"):
            return self._look(name == "ASSERT_NOT", argument, flags, then)
        if name == "AT":
            return self._node("where", self._at(str(argument), flags), [then])
        if name == "GROUPREF":
            return self._sequence(*self._groups[argument], then)
        if name == "GROUPREF_EXISTS":
            return self._node("any", None, [self._sequence(part or [], flags, then) for part in argument[1:]])
        raise ValueError(f"{name} is not known")

    def _within_atom(self, build: Any) -> int:
        self._atoms += 1
        self._atomic.append(self._atoms)
        node: int = build()
        self._atomic.pop()
        return node

    def _repeat(self, name: str, argument: Any, flags: int, then: int) -> int:
        _, high, body = argument
        endless = high is import_module("re._constants").MAXREPEAT
        possessive = name == "POSSESSIVE_REPEAT"
        if possessive:
            single = len(body) == 1 and str(body[0][0]) in _READS
            if single:  # gives back none of its characters
                other = self.letters.all & ~self.letters.of(str(body[0][0]), body[0][1], flags)
                where = Where(other, free=True) if endless else Where(self.letters.all, soft=other)
                then = self._node("where", where, [then])
            return self._within_atom(lambda: self._repeated(argument, flags, then, possessive=True))
        return self._repeated(argument, flags, then, possessive=False)

    def _repeated(self, argument: Any, flags: int, then: int, *, possessive: bool) -> int:
        low, high, body = argument
        endless = high is import_module("re._constants").MAXREPEAT
        if not endless and high <= _FEW:
            end = then
            for number in range(high, 0, -1):
                inner = self._sequence(body, flags, then)
                then = inner if number <= low else self._node("any", None, [inner, end])
            return then
        if low == high and high <= 64 and len(body) == 1 and str(body[0][0]) in _READS:
            for _ in range(high):
                then = self._sequence(body, flags, then)
            return then
        number = len(self.loops)
        most = inf if endless else high
        width = inf if endless else high * _width(body)
        self.loops.append(Loop(number, most, width, tuple(self._atomic), possessive, _written(argument)))
        gate = self._node("any", None, [then])
        self._inside.append(number)
        inner = (
            self._within_atom(lambda: self._sequence(body, flags, gate))
            if possessive
            else self._sequence(body, flags, gate)
        )
        self._inside.pop()
        self._nodes[gate][2].insert(0, self._node("again", number, [inner]))
        return inner if low else self._node("any", None, [inner, then])

    def _look(self, negative: bool, argument: Any, flags: int, then: int) -> int:
        direction, body = argument
        if direction < 0:
            words = self._words(body, flags, behind=True, exact=negative)
            if words is None:
                return then
            return self._node("where", Where(self.letters.all, behind=((negative, tuple(words)),)), [then])
        then = self._node("where", self._ahead(negative, body, flags), [then])
        if _has_loop(body):
            loops, atoms = self._inside, self._atomic
            self._atoms += 1
            self._atomic = [*atoms, self._atoms]
            inner = self._sequence(body, flags, self._dead)
            self._inside, self._atomic = loops, atoms
            then = self._node("any", None, [inner, then])
        return then

    def _ahead(self, negative: bool, body: Any, flags: int) -> Where:
        words = self._words(body, flags, behind=False, exact=negative)
        if words is None:
            return Where(self.letters.all)
        if not negative:
            if any(not word for word in words):
                return Where(self.letters.all)
            ahead = 0
            for word in words:
                ahead |= word[0]
            return Where(ahead, free=False)
        ahead = self.letters.all
        for word in words:
            if len(word) == 1:
                ahead &= ~word[0]
        return Where(ahead, free=False)

    def _words(self, body: Any, flags: int, *, behind: bool, exact: bool) -> list[tuple[int, ...]] | None:
        """The sets of characters of each alternative; of what is too long or unclear, only what is sure."""
        words: list[tuple[int, ...]] = [()]
        items = list(body)
        for number, (operation, argument) in enumerate(items):
            name = str(operation)
            if name in _READS:
                more: list[tuple[int, ...]] | None = [(self.letters.of(name, argument, flags),)]
            elif name == "SUBPATTERN":
                more = self._words(argument[3], (flags | argument[1]) & ~argument[2], behind=behind, exact=exact)
            elif name == "BRANCH":
                parts = [self._words(part, flags, behind=behind, exact=exact) for part in argument[1]]
                if any(part is None for part in parts) and not exact:
                    more = None
                else:
                    more = [word for part in parts if part is not None for word in part]
            elif name in _REPEATS and argument[0] == argument[1] and argument[1] <= 8:
                more = self._words(list(argument[2]) * argument[0], flags, behind=behind, exact=exact)
            elif name in _REPEATS and not behind and not exact and argument[0] > 0:
                more = self._words(argument[2], flags, behind=behind, exact=exact)
                return None if more is None else [a + b for a in words for b in more]
            elif name == "AT" and not exact:
                more = [()]
            else:
                more = None
            if more is None:
                if exact:
                    return []
                return words if number and not behind else None
            words = [a + b for a in words for b in more]
            if len(words) > 3000:
                return [] if exact else None
        return words

    def _at(self, name: str, flags: int) -> Where:
        letters = self.letters
        if name.startswith("AT_BEGINNING"):
            lines = flags & re.MULTILINE and name == "AT_BEGINNING"
            return Where(letters.all, behind=((False, ((letters.newline,),) if lines else ()),))
        if name.startswith("AT_END"):
            return Where(letters.newline if flags & re.MULTILINE and name == "AT_END" else 0, free=False)
        return Where(letters.all, free=False, border=1 if name == "AT_BOUNDARY" else -1)

    def steps(self, state: int) -> list[Step]:
        """The ways from a state to those that may read the next character."""
        if state not in self._known:
            self._walk(state)
        return self._known[state]

    def safe(self, state: int) -> bool:
        """Tells whether the pattern has matched once this state has read, whatever follows."""
        self.steps(state)
        return self._safe[state]

    @cached_property
    def _after(self) -> dict[int, int]:
        return {value: to[0] for kind, value, to in self._nodes if kind == "read"}

    def _walk(self, state: int) -> None:
        steps: dict[Step, None] = {}
        safe = False
        begin = self._first if state == 0 else self._after[state]
        stack = [(begin, Where(self.letters.all), frozenset[int]())]
        known = set(stack)
        while stack:
            node, where, again = stack.pop()
            kind, value, to = self._nodes[node]
            if kind == "accept":
                safe |= where.free and not where.behind and not where.border
                continue
            if kind == "read":
                steps[Step(value, where, again)] = None
                continue
            if kind == "where":
                border = where.border or value.border
                where = Where(
                    where.ahead & value.ahead,
                    where.free and value.free,
                    where.soft & value.soft,
                    where.behind + value.behind,
                    border,
                )
            elif kind == "again":
                if value in again:
                    continue
                again |= {value}
            for following in to:
                item = (following, where, again)
                if item not in known:
                    known.add(item)
                    stack.append(item)
        self._known[state] = list(steps)
        self._safe[state] = safe

    def allowed(self, step: Step, before: tuple[int, ...], history: int, *, soft: bool = False) -> int:
        """The characters that a step may read, behind what was read last and others of ``history``; 0 if none."""
        allowed = self.sets[step.to] & step.where.ahead
        if soft:
            allowed &= step.where.soft
        for negative, words in step.where.behind:
            if negative:
                if any(_surely(word, before, history) for word in words):
                    return 0
            elif not any(_perhaps(word, before, history) for word in words):
                return 0
        if step.where.border:
            word = self.letters.word
            flip = step.where.border < 0
            sides = ((before[0] & word) != 0, (before[0] & ~word) != 0)
            after_word = sides[0] if flip else sides[1]
            after_other = sides[1] if flip else sides[0]
            allowed &= (word if after_word else 0) | (self.letters.all & ~word if after_other else 0)
        return allowed

    def letter(self, mask: int, preferred: str) -> str:
        """A character of a set, the first of the preferred ones if it holds one."""
        for wanted in preferred:
            place = self.letters.letters.find(wanted)
            if mask >> place & 1:
                return wanted
        return self.letters.letters[(mask & -mask).bit_length() - 1]


def _either_case(letter: str) -> set[str]:
    return {letter, letter.lower(), letter.upper()}


def _surely(word: tuple[int, ...], before: tuple[int, ...], history: int) -> bool:
    return all(read & ~one == 0 for one, read in _beside(word, before, history))


def _perhaps(word: tuple[int, ...], before: tuple[int, ...], history: int) -> bool:
    return all(read & one for one, read in _beside(word, before, history))


def _beside(word: tuple[int, ...], before: tuple[int, ...], history: int) -> Iterator[tuple[int, int]]:
    """The sets of a word, from its last on, each with what was read there."""
    for place, one in enumerate(reversed(word)):
        yield one, before[place] if place < len(before) else history


def _bodies(name: str, argument: Any) -> list[Any]:
    if name == "BRANCH":
        return list(argument[1])
    if name == "SUBPATTERN":
        return [argument[3]]
    if name in _REPEATS:
        return [argument[2]]
    if name == "ATOMIC_GROUP":
        return [argument]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    return [part for part in argument[1:] if part] if name == "GROUPREF_EXISTS" else []


def _width(parsed: Any) -> int:
    """The longest match, but for unbounded quantifiers, which are judged by themselves."""
    total = 0
    for operation, argument in parsed:
        name = str(operation)
        if name in _READS:
            total += 1
        elif name in _REPEATS:
            endless = argument[1] is import_module("re._constants").MAXREPEAT
            total += max(1, argument[0] if endless else argument[1]) * _width(argument[2])
        elif not name.startswith("ASSERT"):
            total += max((_width(body) for body in _bodies(name, argument)), default=0)
    return total


def _has_loop(parsed: Any) -> bool:
    for operation, argument in parsed:
        name = str(operation)
        if name in _REPEATS and argument[1] > _FEW:
            return True
        if any(map(_has_loop, _bodies(name, argument))):
            return True
    return False


def _written(argument: Any) -> str:
    low, high, body = argument
    most = "" if high is import_module("re._constants").MAXREPEAT else high
    return f"({_short(body)}){{{low},{most}}}"


def _short(body: Any) -> str:
    shown = str(body).replace("[", "").replace("]", "").replace("(", "").replace(")", "").replace("CATEGORY_", "")
    return shown[:70]


def _within(auto: Automaton, loop: Loop, state: int) -> list[Step]:
    """The ways of a state that do not leave a quantifier."""
    return [
        step
        for step in auto.steps(state)
        if step.to in loop.inside
        and all(number >= loop.number and auto.loops[number].inside <= loop.inside for number in step.again)
    ]


def _union(auto: Automaton, states: Iterable[int]) -> int:
    union = 0
    for state in states:
        union |= auto.sets[state]
    return union


def _is_safe(auto: Automaton, loop: Loop) -> bool:
    return any(map(auto.safe, loop.inside))


def begins_anew(auto: Automaton, loop: Loop) -> bool:
    """Tells whether the pattern may begin within a run of a quantifier, and come to it by the run's own characters."""
    history = _union(auto, loop.inside)
    cycle = {state: _within(auto, loop, state) for state in loop.inside}
    came = {state: {one for one in cycle if any(step.to == state for step in cycle[one])} for state in cycle}
    seen = {
        (
            0,
            state,
            False,
            (
                auto.sets[state],
                _union(auto, came[state]),
                _union(auto, (first for one in came[state] for first in came[one])),
            ),
        )
        for state in loop.inside
    }
    stack = list(seen)
    while stack:
        x, y, around, before = stack.pop()
        for step in auto.steps(x):
            letters = auto.allowed(step, before, history)
            if not letters:
                continue
            for turn in cycle[y]:
                both = letters & auto.allowed(turn, before, history)
                if not both:
                    continue
                following = step.to, turn.to, around or loop.number in turn.again, (both, *before[:2])
                if step.to == turn.to and following[2]:
                    return True
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    return False


def forks(auto: Automaton, loop: Loop) -> bool:
    """Tells whether a quantifier has two ways through the same characters, which double with each turn."""
    if loop.possessive:
        return False
    history = _union(auto, loop.inside)
    cycle = {state: _within(auto, loop, state) for state in loop.inside}
    for home in {step.to for steps in cycle.values() for step in steps if loop.number in step.again}:
        seen = {(home, home, False)}
        stack = list(seen)
        while stack:
            x, y, split = stack.pop()
            before = (auto.sets[y] & auto.sets[x],)
            for one in cycle[x]:
                letters = auto.allowed(one, before, history, soft=True)
                if not letters:
                    continue
                for other in cycle[y]:
                    if not letters & auto.allowed(other, before, history, soft=True):
                        continue
                    following = one.to, other.to, split or one is not other
                    if following == (home, home, True):
                        return True
                    if following not in seen:
                        seen.add(following)
                        stack.append(following)
    return False


def shares(auto: Automaton, one: Loop, other: Loop) -> bool:
    """Tells whether a run of a quantifier may be shared out between it and one behind it in many ways."""
    if one.atoms != other.atoms[: len(one.atoms)] or one.possessive:
        return False
    history = _union(auto, one.inside) & _union(auto, other.inside)
    if not history:
        return False
    first = {state: _within(auto, one, state) for state in one.inside}
    last = {state: _within(auto, other, state) for state in other.inside}
    for p in one.inside:
        for q in other.inside:
            if auto.sets[p] & auto.sets[q] and _shares(auto, (p, q), first, last, history):
                return True
    return False


def _shares(
    auto: Automaton, ends: tuple[int, int], first: dict[int, list[Step]], last: dict[int, list[Step]], history: int
) -> bool:
    p, q = ends
    seen = {(p, p, q)}
    stack = list(seen)
    while stack:
        a, b, c = stack.pop()
        before = (auto.sets[a] & auto.sets[b] & auto.sets[c],)
        for middle in auto.steps(b):
            letters = auto.allowed(middle, before, history, soft=True)
            if not letters & history:
                continue
            for one in first[a]:
                both = letters & auto.allowed(one, before, history)
                if not both:
                    continue
                for other in last[c]:
                    if not both & auto.allowed(other, before, history):
                        continue
                    following = one.to, middle.to, other.to
                    if following == (p, q, q):
                        return True
                    if following not in seen:
                        seen.add(following)
                        stack.append(following)
    return False


def findings(auto: Automaton) -> Iterator[tuple[float, tuple[str, ...]]]:
    """What each chain of quantifiers may cost, where it is more than ``MOST_STEPS``."""
    loops = [loop for loop in auto.loops if not _is_safe(auto, loop)]
    for loop in loops:
        inner = [other for other in loops if other.number > loop.number and other.inside <= loop.inside]
        if forks(auto, loop):
            base = max([2.0, *(other.most for other in inner if other.most < inf)])
            steps = inf if loop.most == inf else base ** min(loop.most, 100)
            if steps > MOST_STEPS:
                yield steps, ("forks", loop.written)
    anew = {loop.number: not auto.full and begins_anew(auto, loop) for loop in loops}
    behind = {
        loop.number: [
            other
            for other in loops
            if other is not loop
            and not other.inside <= loop.inside
            and not loop.inside <= other.inside
            and shares(auto, loop, other)
        ]
        for loop in loops
    }

    def chains(chain: tuple[Loop, ...]) -> Iterator[tuple[Loop, ...]]:
        yield chain
        for other in behind[chain[-1].number]:
            if other not in chain:
                yield from chains((*chain, other))

    for loop in loops:
        for chain in chains((loop,)):
            bounds = sorted([loop.width if anew[loop.number] else loop.most, *(other.most for other in chain[1:])])
            if not anew[loop.number] and bounds[-1] == inf:
                bounds.pop()
            elif not anew[loop.number]:
                bounds.append(1 / sum(bounds))  # each run is read once, and is as long as all of them together
            steps = prod(bounds)
            if steps > MOST_STEPS:
                yield steps, ("anew" if anew[loop.number] else "shared", *(other.written for other in chain))


@final
class Held(NamedTuple):
    """A pattern of the package.

    Attributes:
        pattern: as it is written.
        flags: with which it is compiled.
        full: whether it is only ever asked to match a text as a whole.
        name: of the module, and in it.
    """

    pattern: str | bytes
    flags: int
    full: bool
    name: str


def compiled_while(work: Callable[[], object]) -> set[tuple[str | bytes, int]]:
    """The patterns that some work compiles."""
    compiler: Any = import_module("re._compiler")
    compiled, original = set(), compiler.compile

    def recorded(pattern: Any, flags: int = 0) -> Any:
        written = pattern if isinstance(pattern, str | bytes) else pattern.state.str  # what ``_quick`` has parsed
        compiled.add((written, int(flags)))
        return original(pattern, flags)

    re.purge()
    compiler.compile = recorded
    try:
        work()
    finally:
        compiler.compile = original
    return compiled


def written_in_functions() -> Iterator[tuple[str, str | None, bool]]:
    """The patterns that functions hand to ``re``: in which, the pattern if it is written there, whether it is whole."""
    for module, source in sources():
        tree = ast.parse(source) if re.search(r"\bre\.|\blazy_regex\(", source) else ast.Module([], [])
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for call in ast.walk(function):
                    name = ast.unparse(call.func) if isinstance(call, ast.Call) and call.args else ""
                    if name == "lazy_regex" or re.fullmatch(r"re\.(?!escape|purge)[a-z]+", name):
                        first = call.args[0]  # type: ignore[attr-defined]
                        written = first.value if isinstance(first, ast.Constant) else None
                        if isinstance(written, bytes):
                            written = written.decode("latin-1")
                        assert written is None or isinstance(written, str)
                        yield f"{module}.{function.name}", written, name == "re.fullmatch"


def pumps_of(auto: Automaton) -> Iterator[Pump]:
    """Texts for each quantifier: what leads to it, its own characters again and again, and what ends a match or fails.

    Its characters are those by which it goes around shortest, all of them, and those that another quantifier shares.
    """
    ends = ("", "\x00", "a", "1", '"', "@")
    for loop in auto.loops:
        others = [_union(auto, other.inside) for other in auto.loops if other is not loop]
        masks = dict.fromkeys((auto.letters.all, *others, *(auto.letters.all & ~other for other in others)))
        for preferred in _PREFERRED:
            units = dict.fromkeys(unit for mask in masks if (unit := _around(auto, loop, mask, preferred)))
            for beginning in dict.fromkeys(("", _lead(auto, loop, preferred))):
                for number, unit in enumerate(units):
                    yield Pump(beginning, unit, ends[number % len(ends)])


def _around(auto: Automaton, loop: Loop, mask: int, preferred: str) -> str:
    """The shortest word around a quantifier by characters of a set; nothing if there is none."""
    for home in sorted(loop.inside):
        paths = {(home, False): ""}
        queue = [(home, False)]
        for state, around in queue:
            for step in _within(auto, loop, state):
                letters = auto.sets[step.to] & step.where.ahead & mask
                following = step.to, around or loop.number in step.again
                if letters and following not in paths:
                    paths[following] = paths[state, around] + auto.letter(letters, preferred)
                    queue.append(following)
                if letters and following == (home, True):
                    return paths[following]
    return ""


def _lead(auto: Automaton, loop: Loop, preferred: str) -> str:
    """The shortest word from the start into a quantifier."""
    paths = {0: ""}
    queue = [0]
    for state in queue:
        for step in auto.steps(state):
            letters = auto.sets[step.to] & step.where.ahead
            if letters and step.to not in paths:
                paths[step.to] = paths[state] + auto.letter(letters, preferred)
                queue.append(step.to)
                if step.to in loop.inside:
                    return paths[step.to]
    return ""


def all_patterns() -> list[Held]:
    """Every pattern that a module of the package holds."""
    held: dict[tuple[str | bytes, int], Held] = {}
    for module, source in sources():
        if re.search(r"\blazy_regex\(|\bre\.compile\(", source):
            for name, value in vars(importlib.import_module(module)).items():
                if (module, name) == ("textveil.text.patterns", "_MADE"):
                    continue  # all of them once more, without the names of their owners
                uses = set(re.findall(rf"\b{re.escape(name)}\b(?!:)(?:\.(\w+))?", source)) - {"pattern"}
                for one in _held(value, 4):
                    pattern = Held(one.pattern, int(one.flags), uses == {"fullmatch"}, f"{module}.{name}")
                    known = held.setdefault(pattern[:2], pattern)
                    if not pattern.full and known.full:
                        held[pattern[:2]] = pattern
    return list(held.values())


def sources() -> Iterator[tuple[str, str]]:
    """The names of the package's modules, and their sources."""
    root = Path(textveil.__file__).parent
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.read_text(encoding="utf-8")


def _held(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, LazyRegex | re.Pattern):
        if value.pattern is not None:  # else `_quick` made it for a LazyRegex, which the module holds
            yield value
        if isinstance(value, LazyRegex) and value.within is not None:
            yield value.within
    elif depth and isinstance(value, Mapping):
        for one in (*value.keys(), *value.values()):
            yield from _held(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _held(one, depth - 1)
    elif depth and not isinstance(value, type) and type(value).__module__.startswith("textveil."):
        for name in getattr(type(value), "__slots__", ()) or getattr(value, "__dict__", ()):
            yield from _held(getattr(value, name, None), depth - 1)
    elif depth and callable(value) and hasattr(value, "__self__"):
        yield from _held(value.__self__, 1)
