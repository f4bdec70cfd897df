"""lab/docs/gateways.md: its tables are what the stored runs say, of the versions that the recipes install."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from textveil_lab.audit.gateway.figures import Figure, GatewayAudit
from textveil_lab.audit.gateway.report import share
from textveil_lab.audit.gateway.table import page_with, read_audit, stored

LAB = Path(__file__).resolve().parents[3]
PAGE = LAB / "docs/gateways.md"
RUNS = LAB / "docs/gateways"


@pytest.fixture
def benchmark(monkeypatch):
    spec = importlib.util.spec_from_file_location("gateways_benchmark", LAB / "benchmarks/gateways.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "gateways_benchmark", module)
    spec.loader.exec_module(module)
    return module


def test_the_page_states_what_the_runs_counted():
    text = PAGE.read_text(encoding="utf-8")
    audits = stored(RUNS)
    assert page_with(text, audits) == text
    assert len(audits) >= 5 and audits[0].name == "textveil"
    assert text.index("| textveil |") < text.index("| cloakwall")
    assert page_with(text, audits[1:]) != text


def test_runs_are_of_the_recipes_that_are_there(benchmark):
    for path in RUNS.glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        recipe = benchmark.RECIPES[path.stem]
        version = recipe.packages[0].partition("==")[2] if recipe.packages else ""
        assert data["gateway"] == f"{path.stem} {version}".strip()
        assert recipe.claims in data["claims"] and recipe.place in data["claims"]
        families = {one["family"] for one in data["figures"]}
        assert not families & set(recipe.left_out) and {"shape", "field", "guesses"} <= families
        again, scripts = data["scripts"]
        assert again >= 0.95 * scripts, path.stem  # the others' failures hang on draws


def test_a_part_that_is_run_again_takes_the_place_of_what_was_stored(benchmark, tmp_path):
    def run(**counts: int) -> dict:
        figures = [
            Figure(family=family, name="x", event="leaked", trials=2, count=count) for family, count in counts.items()
        ]
        audit = GatewayAudit(name="a 1", api="chat", figures=tuple(figures), kinds=("email",), seed=1)
        return {**audit.to_data(), "scripts": [sum(map(bool, counts.values()))] * 2}

    file = tmp_path / "runs" / "a.json"
    benchmark.store(file, run(shape=1, field=2, mixing=1), [])
    benchmark.store(file, run(mixing=0), ["mixing"])
    data = json.loads(file.read_text())
    assert [(one["family"], one["count"]) for one in data["figures"]] == [("shape", 1), ("field", 2), ("mixing", 0)]
    assert data["scripts"] == [2, 2]
    with pytest.raises(SystemExit, match="another version"):
        benchmark.store(file, {**run(mixing=0), "gateway": "a 2"}, ["mixing"])


def test_an_audit_comes_back_from_its_json_and_shares_say_what_was_refused():
    audit = stored(RUNS)[0]
    again = read_audit(json.loads(json.dumps(audit.to_data())))
    assert again == audit
    figure = Figure(family="field", name="x", event="leaked", trials=20, count=0, refused=20)
    assert share(figure) == "0 of 20 [0 %, 23.3 %]; 20 refused"
    assert share(None) == "not tried"


@pytest.mark.parametrize(
    ("event", "count", "failed"),
    [("leaked", 1, True), ("leaked", 0, False), ("restored", 19, True), ("restored", 20, False),
     ("crossed", 1, True), ("told", 20, True), ("told", 15, False), ("marked", 20, False)],
)  # fmt: skip
def test_what_counts_as_a_failure(event, count, failed):
    """Of 20 guesses, 17 are needed before a coin is ruled out at 99 %."""
    assert Figure(family="f", name="x", event=event, trials=20, count=count).failed is failed
