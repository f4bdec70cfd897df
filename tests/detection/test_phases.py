"""The phases of the embedded detector: every row's examples, and that the order of rows means nothing."""

import ast
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from textveil.detection.addresses import REGIONS
from textveil.detection.embedded import HIGHEST_SCORES, PHASES, phases_for
from textveil.detection.found import LEAST_SCORE, Found, Phase, Phases, Row, checked_phases, in_phases, plain, settled
from textveil.detection.gates import anywhere, glance
from textveil.detection.kinds import KINDS
from textveil.detection.languages import ORDINARY
from textveil.detection.technical import CODE
from textveil.errors import ParameterError
from textveil.sanitize.policy.choice import PRESETS, policy

_GERMAN = phases_for(REGIONS, "de")
_ROWS = {row.name: row for phase in (*PHASES, *_GERMAN) for row in phase.rows}
_NO_SPANS = (ORDINARY, CODE, "code-number")


@cache
def _texts() -> list[str]:
    """Strings of the tests of detection, alone and in rows whose values meet."""
    written = {
        node.value
        for file in sorted(Path(__file__).parent.glob("test_*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and 8 < len(node.value) < 2000
    }
    texts = sorted(plain(text).text for text in written)
    order = np.random.default_rng(5).permutation(len(texts))
    shuffled = [texts[place] for place in order]
    joined = ["".join(shuffled[start : start + 5]) for start in range(0, len(texts), 5)]
    return texts + joined


def _found(row: Row, text: str) -> list[Found]:
    return settled(text, row.search(text)) if row.gate(text, glance(text)) else []


def test_every_kind_is_found_by_a_row() -> None:
    rows = {kind for language in (None, "de", "fr", "ru", "zh", "ar") for kind in _kinds_of_rows(language)}
    assert set(KINDS) - rows == {"number"}, "a kind that no search finds is released as it is; numbers are tokens"


def _kinds_of_rows(language: str | None) -> set[str]:
    phases = PHASES if language is None else phases_for(REGIONS, language)
    return {kind for phase in phases for row in phase.rows for kind in row.kinds.split()}


@pytest.mark.parametrize("row", _ROWS.values(), ids=_ROWS)
def test_row_finds_its_example_and_ignores_the_other(row: Row) -> None:
    found = _found(row, row.finds)
    assert found and {span.kind for span in found} <= set(row.kinds.split())
    assert any(span.score >= LEAST_SCORE or span.kind not in KINDS for span in found), "presets would not draw it"
    assert _found(row, row.ignores) == []


def test_rows_say_what_they_find() -> None:
    for phases in (PHASES, _GERMAN):
        assert len({row.name for phase in phases for row in phase.rows}) == sum(len(phase.rows) for phase in phases)
    texts = [(text, glance(text)) for text in _texts()]
    for name, row in _ROWS.items():
        kinds, reasons = set(row.kinds.split()), {"", *row.evidence.split(), row.evidence}
        searched = (text for text, seen in texts if row.gate(text, seen))
        for span in (span for text in searched for span in settled(text, row.search(text))):
            assert span.kind in kinds and span.score <= row.score and span.why in reasons, name
        for kind in kinds.difference(_NO_SPANS):
            assert kind in KINDS and row.score <= HIGHEST_SCORES[kind], name


def test_a_row_whose_spans_no_preset_would_draw_does_not_load() -> None:
    quiet = PHASES[0].rows[0]._replace(name="quiet", score=0.2)
    with pytest.raises(ParameterError, match=r"search quiet: score must be at least 0.35, .*; got 0\.2"):
        checked_phases(*PHASES[1:], Phase("escapes", (*PHASES[0].rows, quiet)))
    for preset in map(policy, PRESETS):
        assert preset.min_score <= LEAST_SCORE


@pytest.mark.parametrize("phases", [PHASES, _GERMAN], ids=["en", "de"])
def test_order_within_a_phase_changes_nothing(phases: Phases) -> None:
    reverse = Phases(Phase(name, rows[::-1]) for name, rows in phases)  # every two rows change places
    for text in _texts():
        spans, rest = in_phases(text, phases)
        other, left = in_phases(text, reverse)
        assert (sorted(other), left) == (sorted(spans), rest), text


def test_order_within_a_phase_changes_nothing_when_rows_keep_losing() -> None:
    def row(name: str, length: int, score: float) -> Row:
        def search(text: str):  # type: ignore[no-untyped-def]
            for start in range(0, len(text) - length + 1, length):
                if text[start : start + length].isalpha():
                    yield Found(start, start + length, "person", score)

        return Row(name, search, anywhere, "person", score, "", "", "")

    rows = [row(f"{length}", length, 0.5 + (length % 3) / 10) for length in range(1, 9)]
    expected = None
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(rows))
        spans, rest = in_phases(
            "abcdefghijklmnopqrs" * 3, Phases([Phase("one", tuple(rows[place] for place in order))])
        )
        expected = expected or (sorted(spans), rest)
        assert (sorted(spans), rest) == expected


def test_better_span_wins_and_the_other_row_looks_again() -> None:
    def finder(name: str, score: float, *places: tuple[int, int]) -> Row:
        def search(text: str):  # type: ignore[no-untyped-def]
            free = ((start, end) for start, end in places if text[start:end].isalnum())
            return (Found(start, end, "id", score) for start, end in free)

        return Row(name, search, anywhere, "id", score, "", "", "")

    low, high = finder("low", 0.5, (0, 6), (6, 8)), finder("high", 0.9, (2, 4))
    assert in_phases("abcdefgh", Phases([Phase("one", (low, high))]))[0] == [
        (2, 4, "id", 0.9, ""),
        (6, 8, "id", 0.5, ""),
    ]
    longer, shorter = finder("a", 0.5, (0, 6)), finder("b", 0.5, (4, 9))
    assert in_phases("abcdefghi", Phases([Phase("one", (shorter, longer))]))[0] == [(0, 6, "id", 0.5, "")]
