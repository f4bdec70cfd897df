"""The benchmark command: every part runs small, its numbers have the form that is promised; never how fast."""

import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

from textveil.errors import ParameterError

pytest.importorskip("textveil_lab")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
report = import_module("speed.report")
workload = import_module("speed.workload")
Result, machine, paired = (getattr(import_module("speed.measure"), name) for name in ("Result", "machine", "paired"))
Scale, made_corpus, noisy_points, table = (
    getattr(workload, name) for name in ("Scale", "made_corpus", "noisy_points", "table")
)

TINY = Scale(sizes=(50, 200), batches=(4, 16), rounds=2, corpus_words=2000, corpus_megabytes=(1,))


@pytest.mark.slow
@pytest.mark.parametrize("part", [name for name in report.PARTS if name != "memory"])
def test_every_part_runs(part: str) -> None:
    results = list(report.PARTS[part](TINY))
    assert results
    for result in results:
        assert result.part == part
        assert result.note or (result.rate is not None and result.rate > 0)
        assert (result.speedup is None) == (result.against == "")
        assert report.line(result).startswith(result.what)


@pytest.mark.slow
def test_results_as_json_and_figures(tmp_path) -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    results = [*report.PARTS["search"](TINY), *report.PARTS["mechanisms"](TINY)]
    results += [
        Result(part="memory", what="x", rate=1.0, unit="MB/s", facts={"corpus bytes": size, "resident bytes": 2e8})
        for size in (1e6, 5e7)
    ]
    written = {path.name for path in report.write(results, TINY, tmp_path)}
    assert {
        "bench.json",
        "bench.txt",
        "speed-by-vocabulary.png",
        "speed-by-batch.svg",
        "memory-by-corpus.png",
    } <= written
    data = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert data["machine"]["cores"] >= 1 and len(data["results"]) == len(results)
    searched = [row for row in data["results"] if row["part"] == "search" and "same as numpy" in row]
    assert searched and all(row["same as numpy"] == 1.0 for row in searched)


def test_an_unknown_part_is_one_line(capsys) -> None:
    with pytest.raises(ParameterError, match=r"PART must be one of search, .*; got 'speed'"):
        report.chosen(["speed"])


def test_made_tables_grow_and_repeat() -> None:
    assert table(60).shape == (60, 300)
    large = table(33_000)
    assert large.shape == (33_000, 300)
    assert (large == table(33_000)).all()
    assert not (large[32_698:] == large[:302]).all()
    assert (noisy_points(table(60), 5) == noisy_points(table(60), 5)).all()


def test_the_made_corpus_has_every_kind_of_token() -> None:
    text = " ".join(made_corpus(3000))
    assert any(character.isdigit() for character in text) and "." in text and "," in text


def test_pairs_take_turns() -> None:
    order = []
    found = paired(lambda: order.append("ours"), lambda: order.append("other"), rounds=3)
    assert order == ["ours", "other"] * 4
    assert found.ours >= 0 and found.other >= 0


def test_the_machine_is_described_without_its_paths() -> None:
    assert "/" not in json.dumps(machine()).replace("I/O", "")
