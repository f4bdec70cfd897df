"""JSON that others may have made is read within bounds; texts are cut by spans that lie apart."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil
from textveil.aggregates.classifier import load_model
from textveil.aggregates.report import joint_guarantee
from textveil.budget.verification import verified_export
from textveil.cuts import between, held_by, replaced
from textveil.detection.evaluation import read_labelled
from textveil.detection.found import OTHER, without
from textveil.errors import InternalError, ParameterError, TextveilError
from textveil.json_text import NESTING, json_data, json_file
from textveil.models.foreign_files import is_encoder_decoder, is_masked
from textveil.sanitize.policy_report import read_risk
from textveil.sanitize.ways import joined
from textveil.server.config import load_config
from textveil.surrogates.map_file import PrivateMap, Replaced

DEEP = "[" * 200_000 + "]" * 200_000
"""Deeper than the interpreter's stack."""


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_nesting_is_bounded_on_both_sides_of_the_limit() -> None:
    assert json_data(nested(NESTING)) == json.loads(nested(NESTING))
    for text in (nested(NESTING + 1), nested(NESTING + 1).encode(), DEEP, '{"a":' * 150 + "1" + "}" * 150):
        with pytest.raises(ValueError, match=r"^nested too deep$"):
            json_data(text)


def test_brackets_that_are_not_inside_one_another_are_no_nesting() -> None:
    flat = [{"a": "[[[["}] * 1000
    assert json_data(json.dumps(flat)) == flat
    assert json_data(json.dumps("[" * 1000)) == "[" * 1000


def test_a_larger_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("[1, 2]")
    assert json_file(path, most_bytes=6) == [1, 2]
    with pytest.raises(ValueError, match=r"^too large$"):
        json_file(path, most_bytes=5)


def _model(folder: Path) -> Any:
    (folder / "file.json").rename(folder / "model.json")
    (folder / "model.safetensors").write_bytes(b"")
    return load_model(folder)


READERS: dict[str, Callable[[Path], Any]] = {
    "model": _model,
    "joint": lambda folder: joint_guarantee([folder / "file.json"]),
    "ledger": lambda folder: verified_export(folder / "file.json"),
    "labelled": lambda folder: list(read_labelled(folder / "file.json")),
    "risk": lambda folder: read_risk(folder / "file.json"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", [DEEP, nested(NESTING + 1), "9" * 5000, "{"], ids=["deep", "nested", "digits", "cut"])
def test_every_reader_of_a_file_refuses_it_in_one_line(tmp_path: Path, reader: str, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(TextveilError) as refused:
        READERS[reader](tmp_path)
    assert "\n" not in str(refused.value) and "[[" not in str(refused.value)


def test_settings_of_a_foreign_model_that_are_nested_too_deep_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(DEEP)
    assert not is_masked(tmp_path) and not is_encoder_decoder(tmp_path)


def test_a_configuration_that_is_nested_too_deep_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text("policy = " + DEEP)
    with pytest.raises(ParameterError, match="must be TOML in UTF-8"):
        load_config(tmp_path / "server.toml", {})


def test_a_share_that_would_take_hours_to_compute_is_refused(tmp_path: Path) -> None:
    guarantee = {"epsilon": 1.0, "log_delta": -20.0, "status": "proved", "source": "", "unit": "person"}
    report = {"guarantee": guarantee, "selections": "1e-999999999", "randomness": "operating system"}
    (tmp_path / "r.json").write_text(json.dumps(report))
    with pytest.raises(TextveilError, match="report 1 must be"):
        joint_guarantee([tmp_path / "r.json"])


def test_no_other_module_parses_json() -> None:
    package = Path(textveil.__file__).parent
    found = set()
    for path in sorted(package.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source if "json" in source else "")):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("json.loads", "json.load", "json.JSONDecoder"):
                found.add(path.relative_to(package).as_posix())
    # Records of corpora keep each value as it is written: another decoder, with the same refusals. What a process of
    # ours answers may be nothing but what it wrote itself: any fault of it is one, however it reads.
    assert sorted(found) == ["corpora/formats/json_records.py", "json_text.py", "killable.py"]


TEXT = "Maria Gonzalez called."
WRONG = [
    [(0, 5), (4, 8)],
    [(0, 14), (6, 14)],
    [(6, 14), (0, 5)],
    [(0, 23)],
    [(-1, 5)],
    [(5, 2)],
    [(0, 5), (22, 23)],
]


@pytest.mark.parametrize("spans", WRONG, ids=str)
def test_spans_that_overlap_or_lie_outside_are_refused_without_the_text(spans: list[tuple[int, int]]) -> None:
    pieces = tuple(Replaced(start, end, "x", "person") for start, end in spans)
    for cut in (
        lambda: between(TEXT, spans),
        lambda: without(TEXT, spans),
        lambda: replaced(TEXT, [(start, end, "x") for start, end in spans]),
        lambda: PrivateMap(released=TEXT, replaced=pieces).original(),
    ):
        with pytest.raises(InternalError) as error:
            cut()
        assert "Maria" not in str(error.value) and "\n" not in str(error.value)


@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=8), st.text(max_size=3))
@settings(derandomize=True, max_examples=300)
def test_stretches_and_spans_are_the_text(text: str, ends: list[int], other: str) -> None:
    ends = sorted(min(end, len(text)) for end in ends[: len(ends) // 2 * 2])
    spans = list(zip(ends[::2], ends[1::2], strict=True))
    stretches = between(text, spans)
    assert joined(stretches, [text[start:end] for start, end in spans]) == (text, spans)
    assert replaced(text, [(start, end, other) for start, end in spans]) == other.join(stretches)
    covered = without(text, spans)
    assert len(covered) == len(text) and between(covered, spans) == stretches
    assert all(set(covered[start:end]) <= {OTHER} for start, end in spans)


def test_spans_hold_their_characters_once() -> None:
    assert held_by("a name", []) == bytes(6)
    assert held_by("a name", [(2, 4), (3, 6, "person")]) == b"\0\0\1\1\1\1"
