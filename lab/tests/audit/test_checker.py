"""The checker that stands apart: what it accepts is true by brute force, and an integer changed by one is found."""

import ast
import copy
import gzip
import hashlib
import itertools
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.numerics.base_weights import base_weights
from textveil.numerics.integer_weights import two_level_weights
from textveil_lab import checker
from textveil_lab.audit import tables


def _follows(*statements: dict, folder: Path = Path()) -> bool:
    data = {"type": "textveil-integers-1", "statements": list(statements)}
    return all(good for _, _, good in checker.check(json.loads(json.dumps(data)), folder))


def _rows(rows: list[list[int]], epsilon: str) -> dict:
    table = {"form": "rows", "rows": rows, "total": sum(rows[0])}
    return {"id": "a", "rule": "equal totals", "epsilon": epsilon, "table": table}


def test_the_checker_stands_alone() -> None:
    source = Path(checker.__file__).read_text(encoding="utf-8")
    names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in ([one.name for one in node.names] if isinstance(node, ast.Import) else [])
        + ([str(node.module)] if isinstance(node, ast.ImportFrom) else [])
    }
    assert names <= sys.stdlib_module_names
    assert source.count("\n") <= 500


@pytest.mark.parametrize("epsilon", ["0", "1/3", "1", "8", "40", "700"])
def test_the_bound_is_below_e_to_the_epsilon_and_near(epsilon: str) -> None:
    p, q = checker.exp_below(Fraction(epsilon))
    with localcontext() as context:
        context.prec = 120
        true = (Decimal(Fraction(epsilon).numerator) / Fraction(epsilon).denominator).exp()
        assert 1 - Decimal(10) ** -60 <= Decimal(p) / Decimal(q) / true <= 1


weights = st.integers(0, 6)


@given(
    st.lists(st.lists(weights, min_size=3, max_size=3), min_size=2, max_size=4), st.sampled_from(["0", "1/2", "1", "2"])
)
def test_rows_follow_exactly_if_totals_are_equal_and_no_ratio_is_too_large(rows: list[list[int]], epsilon: str) -> None:
    equal = len({sum(row) for row in rows}) == 1 and sum(rows[0]) > 0
    bound = math.exp(float(Fraction(epsilon)))  # no ratio of integers up to 6 is within 1e-12 of it, but 1 at 0
    private = all(p <= bound * q for one in rows for other in rows for p, q in zip(one, other, strict=True))
    assert _follows(_rows(rows, epsilon)) is (equal and private)


def _raised(size: int = 8, epsilon: float = 2.0) -> dict:
    made = base_weights(np.arange(1.0, size + 1), epsilon=epsilon, base_mass=0.4)
    return tables._raised("raised", made, epsilon, with_orders=False)


def test_a_raised_table_is_what_brute_force_says() -> None:
    made = base_weights(np.arange(1.0, 7.0), epsilon=2.0, base_mass=0.4)
    rows = []
    for order in itertools.permutations(range(6)):
        row, left = made.base.tolist(), made.row_gain
        for output in order:
            gain = min(left, int(made.gains[output]))
            row[output] += gain * made.unit
            left -= gain
        rows.append(row)
    assert len({sum(row) for row in rows}) == 1
    assert _follows(tables._raised("a", made, 2.0, with_orders=False), _rows(rows, "2") | {"id": "b"})
    assert not _follows(_rows(rows, "1.9"))


def _integers(data: object, at: tuple = ()) -> Iterator[tuple]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _integers(value, (*at, key))
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from _integers(value, (*at, place))
    elif type(data) is int:
        yield at


def _changed(data: dict, at: tuple, by: int) -> dict:
    other = copy.deepcopy(data)
    inner = other
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] += by
    return other


@pytest.mark.parametrize(
    "made",
    [
        _raised,
        lambda: tables._two_level("two", two_level_weights(size=50, members=7, epsilon=2.0), 2.0),
        lambda: tables._two_level("two", two_level_weights(size=32698, members=67, epsilon=8.0), 8.0),
        lambda: _rows([[3, 2, 1], [1, 3, 2], [2, 1, 3]], "1.0986122886681099"),
    ],
)
@pytest.mark.parametrize("by", [-1, 1])
def test_an_integer_of_a_table_that_is_changed_by_one_is_found(made: Callable[[], dict], by: int) -> None:
    statement = made()
    assert _follows(statement)
    places = list(_integers(statement["table"]))
    assert places
    for at in places:
        assert not _follows(_changed(statement, ("table", *at), by)), at


def test_the_statement_of_a_smaller_epsilon_does_not_follow() -> None:
    for statement, less in (
        (_raised(), "1.99999"),
        (tables._two_level("t", two_level_weights(size=9, members=2, epsilon=1.0), 1.0), "0.9999999"),
    ):
        assert _follows(statement)
        assert not _follows(statement | {"epsilon": less})


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4).map(sorted), st.sampled_from(["1/2", "1", "2", "4"]))
def test_the_range_rule_holds_for_all_scores(levels: list[int], epsilon: str) -> None:
    statement = {"id": "r", "rule": "range", "epsilon": epsilon, "weights": levels, "support": "one set of outputs"}
    if not _follows(statement):
        return
    bound = math.exp(float(Fraction(epsilon))) * (1 + 1e-12)
    laws = [[w / sum(row) for w in row] for row in itertools.product(levels, repeat=2)]
    assert all(p <= bound * q for one in laws for other in laws for p, q in zip(one, other, strict=True))


def test_the_range_rule_needs_one_support_and_rising_weights() -> None:
    good = {"id": "r", "rule": "range", "epsilon": "2", "weights": [2, 3, 5], "support": "one set of outputs"}
    assert _follows(good)
    for change in (
        {"support": "lists"},
        {"weights": [5, 3, 2]},
        {"weights": [0, 1]},
        {"weights": [2, 6]},
        {"weights": []},
    ):
        assert not _follows(good | change)


def test_an_adaptive_product_adds_what_was_proved_before() -> None:
    part = _rows([[2, 1], [1, 2]], "7/10")
    whole = {"id": "w", "rule": "adaptive product", "epsilon": "7", "parts": [{"of": "a", "times": 10}]}
    assert _follows(part, whole)
    assert not _follows(part, whole | {"epsilon": "6.999"})
    assert not _follows(whole, part)  # a statement rests on earlier ones only
    assert not _follows(part | {"epsilon": "1/2"}, whole)  # what does not follow proves nothing
    assert not _follows(part, whole | {"parts": [{"of": "a", "times": -10}]})


def test_a_uniform_injection_gives_any_values_one_law(tmp_path: Path) -> None:
    pool = tmp_path / "pools.txt.gz"
    pool.write_bytes(gzip.compress(b"[given]\nAda\nBea\nCleo\n[family]\nOrr\nOrr\n"))
    named = {"file": pool.name, "sha256": hashlib.sha256(pool.read_bytes()).hexdigest(), "section": "given"}
    statement = {"id": "i", "rule": "uniform injection", "epsilon": 0, "pool": named, "size": 3, "values": 2}
    assert _follows(statement, folder=tmp_path)
    lists = Counter(itertools.permutations(("Ada", "Bea", "Cleo"), 2))
    assert len(lists) == 6 and set(lists.values()) == {1}  # for any two values: the law knows no value
    for change in (
        {"size": 2},
        {"size": 4},
        {"values": 4},
        {"values": -1},
        {"pool": named | {"section": "family"}, "size": 2},
    ):
        assert not _follows(statement | change, folder=tmp_path)
    pool.write_bytes(gzip.compress(b"[given]\nAda\nBea\nCleO\n"))
    assert not _follows(statement, folder=tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"type": "textveil-integers-1", "statements": []},
        {"type": "other", "statements": [_rows([[1, 1], [1, 1]], "1")]},
        {"type": "textveil-integers-1", "statements": [{"id": "a"}]},
        {"type": "textveil-integers-1", "statements": ["a"]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [1, 1]], "1")] * 2},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [1, 1]], "nan")]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [1, 1]], "-1")]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [1, 1]], "1e9")]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [1, 1]], "1") | {"epsilon": 1.0}]},
        {"type": "textveil-integers-1", "statements": [_rows([[1.0, 1], [1, 1]], "1")]},
        {"type": "textveil-integers-1", "statements": [_rows([[True, 1], [1, 1]], "1")]},
        {"type": "textveil-integers-1", "statements": [_rows([[0, 0], [0, 0]], "1")]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1], [2, 0]], "1")]},
        {"type": "textveil-integers-1", "statements": [_rows([[1, 1]], "1")]},
    ],
)
def test_what_is_no_statement_never_follows(data: object) -> None:
    assert not all(good for _, _, good in checker.check(data))


def _report(policy: str, text: str) -> dict:
    return tv.Sanitizer(policy)(text).report().to_data()


CLINICAL = "Mrs. Gonzalez, admitted 27/02/2015, seen 04/03/2015. Age 47. His son, aged 12, and mother, 82."


@pytest.mark.parametrize(
    ("policy", "text"), [("clinical", CLINICAL), ("all-words", "The doctor was kind and the pain was gone.")]
)
def test_the_sums_of_a_release_are_checked_from_its_report(policy: str, text: str, tmp_path: Path, capsys) -> None:
    report = _report(policy, text)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    assert checker.main([str(path)]) == 0
    whole = report["guarantee"]["whole_input"]
    whole["epsilon"] -= 1e-9  # what is stated is a sum: less never follows
    path.write_text(json.dumps(report), encoding="utf-8")
    assert checker.main([str(path)]) == 1
    assert "DOES NOT FOLLOW" in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(for_release=False),
        lambda report: report["guarantee"]["whole_input"].update(protected_tokens=10**6),
        lambda report: report["guarantee"]["whole_input"].update(epsilon=float("nan")),
        lambda report: report["guarantee"]["per_token"].update(epsilon=1.0),
        lambda report: report["guarantee"]["per_token"].update(delta=1e-6),
        lambda report: report["guarantee"].pop("per_token"),
        lambda report: report.update(documents=0),
    ],
)
def test_a_report_that_was_changed_does_not_follow(change: Callable[[dict], None]) -> None:
    report = _report("all-words", "The doctor was kind and the pain was gone.")
    statement = {"id": "r", "rule": "report", "epsilon": 700, "report": report}
    assert _follows(statement)
    change(report)
    assert not all(good for _, _, good in checker.check({"type": "textveil-integers-1", "statements": [statement]}))


def test_shipped_tables_follow_and_one_changed_byte_of_them_is_found(tmp_path: Path) -> None:
    path = tables.write_statements(tmp_path / "tables.json", (8.0,))
    follows, said = tables.run_checker([path])
    assert follows, said
    assert "neighborhood-8: 8-DP by equal totals; " in said and "places: " in said
    data = json.loads(path.read_text(encoding="utf-8"))
    (raised,) = [one for one in data["statements"] if one["id"] == "neighborhood-8"]
    for place in (0, 17, 32697):
        for key in ("counts", "gains"):
            assert not _follows(_changed(raised, ("table", key, place), 1))
    table = bytearray(Path(raised["table"]["orders"]["file"]).read_bytes())
    table[5000] ^= 1
    (tmp_path / "other.table").write_bytes(table)
    raised["table"]["orders"]["file"] = "other.table"
    assert not _follows(raised, folder=tmp_path)
    raised["table"]["orders"]["sha256"] = hashlib.sha256(table).hexdigest()
    table[4096:4098], table[4098:4100] = table[4098:4100], table[4096:4098]  # row 0 no longer begins with its word
    (tmp_path / "other.table").write_bytes(table)
    raised["table"]["orders"]["sha256"] = hashlib.sha256(table).hexdigest()
    assert not _follows(raised, folder=tmp_path)
