"""What every match of a regular expression holds, read off its syntax tree."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from re import _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MOST = 4_000
MOST_IN_CLASS = 12


class Part(NamedTuple):
    """A part of a pattern: all strings that it matches, if they are few, and whether each match holds a piece."""

    exact: frozenset[str] | None
    holds: bool


class Reader:
    """Proves that matches hold one of some pieces; with ``small``, in small letters.

    Of parts in a row one must hold a piece, or all strings of neighbors whose strings are few; of alternatives each.
    What an assertion finds stands in the text too.
    """

    def __init__(self, pieces: Sequence[str], *, small: bool) -> None:
        self.pieces, self.small = pieces, small

    def proves(self, pattern: str, flags: int) -> bool:
        parsed = _parser.parse(pattern, flags)
        return self.row(parsed, parsed.state.flags).holds

    def _holding(self, strings: frozenset[str] | None) -> bool:
        return bool(strings) and all(any(piece in one for piece in self.pieces) for one in strings or ())

    def row(self, parsed: Iterable[Any], flags: int) -> Part:
        run: frozenset[str] = frozenset(("",))
        whole, holds = True, False
        for operation, argument, own in _flat(parsed, flags):
            part = self.one(str(operation), argument, own)
            holds = holds or part.holds
            if str(operation) == "ASSERT" and argument[0] < 0 and run == {""}:
                before = self.row(argument[1], own).exact
                run, whole = before or run, whole and before is None  # what stands before a match
                continue
            if part.exact is not None and len(run) * len(part.exact) <= MOST:
                run = frozenset(a + b for a in run for b in part.exact)
                continue
            holds = holds or self._holding(run)
            run, whole = part.exact or frozenset(("",)), False
        return Part(run if whole else None, holds or self._holding(run))

    def one(self, name: str, argument: Any, flags: int) -> Part:
        if name == "LITERAL":
            return self.characters([argument], flags)
        if name == "IN":
            return self.character_class(argument, flags)
        if name == "BRANCH":
            parts = [self.row(parsed, flags) for parsed in argument[1]]
            exact = [part.exact for part in parts if part.exact is not None]
            union = frozenset[str]().union(*exact) if len(exact) == len(parts) else None
            return Part(union, all(part.holds for part in parts))
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, parsed = argument
            inner = self.row(parsed, flags)
            if inner.exact is not None and most <= 4 and len(inner.exact) ** int(most) <= MOST:
                return Part(_powers(inner.exact, least, int(most)), inner.holds and least > 0)
            few = inner.exact is not None and 0 < least <= 4 and len(inner.exact) ** least <= MOST
            begun = self._holding(_powers(inner.exact or frozenset(), least, least)) if few else False
            return Part(None, begun or (inner.holds and least > 0))
        if name == "ASSERT":
            return Part(frozenset(("",)), self.row(argument[1], flags).holds)
        return Part(frozenset(("",)) if name in ("AT", "ASSERT_NOT") else None, False)

    def characters(self, codes: Sequence[int], flags: int) -> Part:
        characters = frozenset(map(chr, codes))
        if self.small:
            if not all(map(str.isascii, characters)):
                return Part(None, False)
            characters = frozenset(map(str.lower, characters))
        elif flags & re.IGNORECASE:
            characters |= frozenset(map(str.lower, characters)) | frozenset(map(str.upper, characters))
        return Part(characters, self._holding(characters))

    def character_class(self, members: Sequence[Any], flags: int) -> Part:
        codes: list[int] = []
        for operation, value in members:
            if str(operation) == "LITERAL":
                codes.append(value)
            elif str(operation) == "RANGE":
                codes += range(value[0], value[1] + 1)
            else:
                return Part(None, False)
        return self.characters(codes, flags) if len(codes) <= MOST_IN_CLASS else Part(None, False)


def _flat(parsed: Iterable[Any], flags: int) -> Iterator[tuple[Any, Any, int]]:
    """Yield parts in a row, those of groups among them, each with its flags."""
    for operation, argument in parsed:
        if str(operation) == "SUBPATTERN":
            yield from _flat(argument[3], (flags | argument[1]) & ~argument[2])
        elif str(operation) == "ATOMIC_GROUP":
            yield from _flat(argument, flags)
        else:
            yield operation, argument, flags


def _powers(strings: frozenset[str], least: int, most: int) -> frozenset[str]:
    rows: frozenset[str] = frozenset(("",))
    found: frozenset[str] = rows if least == 0 else frozenset()
    for count in range(1, most + 1):
        rows = frozenset(a + b for a in rows for b in strings)
        found |= rows if count >= least else frozenset()
    return found


def strings_of(pattern: str, *, small: bool = False) -> frozenset[str] | None:
    """All strings that a pattern matches, if they are few; with ``small``, in small letters."""
    return Reader((), small=small).row(_parser.parse(pattern), 0).exact


def checked_by(pieces: Sequence[str], *, small: bool) -> Callable[[str, int], bool]:
    """Return what proves that each match of a pattern holds one of these pieces."""
    return Reader(pieces, small=small).proves


def sample(pattern: str, flags: int, draw: random.Random) -> str:
    """Return a string that a pattern matches if its assertions hold, drawn alternative by alternative."""
    parsed = _parsed(pattern, flags)
    return _sample(parsed, parsed.state.flags, draw, {})


_parsed = cache(_parser.parse)


def _sample(parsed: Iterable[Any], flags: int, draw: random.Random, groups: dict[int, str]) -> str:
    written = []
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            written.append(_in_a_case(chr(argument), flags, draw))
        elif name == "IN":
            written.append(_in_a_case(_of_class(argument, draw), flags, draw))
        elif name in ("ANY", "NOT_LITERAL"):
            written.append(draw.choice("aZ5 ."))
        elif name == "BRANCH":
            written.append(_sample(draw.choice(argument[1]), flags, draw, groups))
        elif name == "SUBPATTERN":
            groups[argument[0]] = _sample(argument[3], (flags | argument[1]) & ~argument[2], draw, groups)
            written.append(groups[argument[0]])
        elif name == "ATOMIC_GROUP":
            written.append(_sample(argument, flags, draw, groups))
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            times = draw.randint(argument[0], min(int(argument[1]), argument[0] + 2))
            written += [_sample(argument[2], flags, draw, groups) for _ in range(times)]
        elif name == "ASSERT" and draw.random() < 0.5:  # nothing else may follow that fulfills it
            written.append(_sample(argument[1], flags, draw, groups))
        elif name == "GROUPREF":
            written.append(groups.get(argument, ""))
    return "".join(written)


def _in_a_case(character: str, flags: int, draw: random.Random) -> str:
    return draw.choice((character.lower(), character.upper(), character)) if flags & re.IGNORECASE else character


def _of_class(members: Sequence[Any], draw: random.Random) -> str:
    return draw.choice(_fitting("[" + "".join(map(_written, members)) + "]"))


@cache
def _fitting(written: str) -> list[str]:
    return [one for one in map(chr, range(9, 0x100)) if re.match(written, one)]


def _written(member: Any) -> str:
    name, value = str(member[0]), member[1]
    if name == "NEGATE":
        return "^"
    if name == "CATEGORY":
        letter = str(value).removeprefix("CATEGORY_").removeprefix("NOT_")[0]
        return f"\\{letter if 'NOT' in str(value) else letter.lower()}"
    return re.escape(chr(value)) if name == "LITERAL" else "-".join(re.escape(chr(end)) for end in value)
