"""No regular expression of the package takes time that grows faster than a text: read off its syntax tree, and run."""

import re
import time
from math import inf
from re import _constants, _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest
from tests.helpers.attacks import loaded_attack

from textveil.detection.languages import _Language
from textveil.detection.lists import LANGUAGES
from textveil.detection.names_by_language import NamesByLanguage
from textveil.text.patterns import LazyRegex

GIVEN = {
    "textveil.corpora.cleaning._references": "names of attachments, whole",
    "textveil.detection.given._first_character": "one class of characters",
    "textveil.corpora.formats.fhir._coded": "codes of public systems, one repetition each",
    "textveil.corpora.formats.hl7._code": "codes of public systems, one repetition each",
    "textveil.corpora.formats.hl7._like": "forms of a table in that file",
    "textveil.detection.given.checked_pattern": "the policy's own; docs/detection.md says what is asked of it",
    "textveil.detection.given.value_spans": "digits with up to three characters between them",
    "textveil.detection.dates.readable": "words, and a year",
    "textveil.text.patterns.__init__": "parts of patterns that modules hold, and found there",
    "textveil.detection.gates.__init__": "held by gates that modules hold, and found there",
    "textveil.detection.scripts.stretches_of": "names of the text, each with an ending of a few letters",
    "textveil.detection.languages.__init__": "compiled for each language below",
    "textveil.detection.names_by_language.__init__": "compiled for each language below",
    "textveil.pages.messages._templates": "rows of a table, read against messages of a line",
    "textveil.privacy.proved._named": "the package's own source",
    "textveil.text.patterns._quick": "what modules hold, and found there",
    "textveil.surrogates.mentions.in_text": "a token or one of a class",
    "textveil.surrogates.scripts.entries": "one word of a public list",
    "textveil.surrogates.urls._closing_quote": "an escaped quote",
    "textveil.text.escapes.read": "one character",
    "textveil.text.patterns.__getattr__": "every pattern, when it is first used",
}
"""Functions that compile what they do not write themselves, and why it is not slow."""


@pytest.fixture
def pumps(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded_attack("pumps", monkeypatch)


def costs(pumps: ModuleType, pattern: str, *, full: bool = False) -> list[float]:
    return [steps for steps, _ in pumps.findings(pumps.Automaton(pattern, full=full))]


@pytest.mark.parametrize(
    "pattern",
    [
        r"a+b",
        r"(?<!b)a+b",
        r"\A(a+)+b",
        r"(?<!a)a+a+b",
        r"(?<![ab])(?:a|b|ab)*c",
        r"\A\d+\.?\d+x",
        r"(?<!a)a{0,200}a{0,200}a{0,200}b",
        r"a{0,40}+a*b",
        r"\w(?=\w*c)",
        r"(?!.*\d{5})\w",
        r"(?m)(?:^|[|,;\t])[^\S\n]*name[^\S\n]*[|,;\t]",
        r"[A-Za-z_](?<![A-Za-z0-9@-].)[A-Za-z0-9]{0,40}(?:_+[A-Za-z0-9]{1,40}){1,8}(?![A-Za-z0-9@])",
    ],
)
def test_slow_pattern_is_seen(pumps: ModuleType, pattern: str) -> None:
    assert max(costs(pumps, pattern), default=0) > pumps.MOST_STEPS


@pytest.mark.parametrize(
    "pattern",
    [
        r"a+",
        r"(?<!a)a+b",
        r"(?<!a)a++a+b",
        r"\b\w+\b@",
        r"(?<!\w)(?<!\w-)\w++(?:-\w++)*+(?!\w)",
        r"(?<!%5[Cc])(?:%5[Cc])++x",
        r"a{0,40}b",
        r"\A.*x",
        r"[^\s]{1,64}@",
    ],
)
def test_fast_pattern_is_passed(pumps: ModuleType, pattern: str) -> None:
    assert costs(pumps, pattern) == []


def test_whole_match_has_one_start_but_must_reach_the_end(pumps: ModuleType) -> None:
    assert costs(pumps, r"[0-9]+x", full=True) == []
    assert costs(pumps, r"(.*)\.(.*)", full=True) == [inf]


@pytest.mark.slow  # .ci/run names it
def test_every_pattern_of_the_package_is_linear(pumps: ModuleType) -> None:
    held = pumps.all_patterns()
    assert len(held) > 600 and {r"\.[ -]?[A-Z]\."} < {one.pattern for one in held}  # a part of one is among them
    slow = {
        one.name: found
        for one in held
        if (found := list(pumps.findings(pumps.Automaton(one.pattern, one.flags, full=one.full))))
    }
    assert set(slow) <= set(pumps.KNOWN), slow


def captured_alternatives(pattern: str | bytes, flags: int = 0) -> bool:
    """Tell whether a group is captured within alternatives that a possessive quantifier repeats.

    Before 3.12.8 and 3.13.1 such a search may raise SystemError (gh-101955).
    """

    def walk(node: Any, possessive: bool, branch: bool) -> bool:
        if isinstance(node, _parser.SubPattern):
            return any(walk(each, possessive, branch) for each in node.data)
        if not isinstance(node, (tuple, list)):
            return False
        operation = node[0] if node else None
        if operation is _constants.POSSESSIVE_REPEAT:
            return walk(node[1], True, branch)
        if operation is _constants.BRANCH:
            return walk(node[1], possessive, True)
        if operation is _constants.SUBPATTERN and node[1][0] is not None and possessive and branch:
            return True
        return any(walk(each, possessive, branch) for each in node)

    return walk(_parser.parse(pattern, flags), False, False)


@pytest.mark.slow
def test_no_pattern_captures_alternatives_within_a_possessive_quantifier(pumps: ModuleType) -> None:
    assert captured_alternatives("((x)|y|z)*+") and captured_alternatives("(?:(x)|yz)++")
    assert not captured_alternatives("((?:x|y)*+)")
    assert [one.name for one in pumps.all_patterns() if captured_alternatives(one.pattern, one.flags)] == []


@pytest.mark.slow
def test_patterns_within_functions_are_linear_or_known(pumps: ModuleType) -> None:
    others = set()
    for place, pattern, full in pumps.written_in_functions():
        if pattern is None:
            others.add(place)
        else:
            assert list(pumps.findings(pumps.Automaton(pattern, full=full))) == [], place
    assert others <= set(GIVEN), others - set(GIVEN)


def test_patterns_of_each_language_are_linear(pumps: ModuleType) -> None:
    def made() -> None:
        for language in LANGUAGES:
            for one in (*vars(_Language(language)).values(), *vars(NamesByLanguage(language)).values()):
                if isinstance(one, LazyRegex):
                    one.search("")

    compiled = pumps.compiled_while(made)
    assert len(compiled) >= 5 * len(LANGUAGES)
    slow = {
        pattern: found
        for pattern, flags in compiled
        if (found := list(pumps.findings(pumps.Automaton(pattern, flags))))
    }
    assert slow == {}


@pytest.mark.slow  # .ci/run names it
def test_pumps_of_every_pattern_are_searched_within_a_budget(pumps: ModuleType) -> None:
    """A second witness: a search of 3,000 characters would take minutes if it were cubic, or a thousand times as long.

    A slow machine does not fail it: the budget is a hundred times what the slowest search takes.
    """
    for one in pumps.all_patterns():
        if isinstance(one.pattern, bytes) or one.name in pumps.KNOWN:
            continue
        compiled = re.compile(one.pattern, one.flags)
        for pump in set(pumps.pumps_of(pumps.Automaton(one.pattern, one.flags))):
            text = pump.beginning + pump.unit * (3000 // len(pump.unit)) + pump.end
            start = time.thread_time()
            _ = compiled.fullmatch(text) if one.full else [None for _ in compiled.finditer(text)]
            assert time.thread_time() - start < 10, (one.name, pump)
