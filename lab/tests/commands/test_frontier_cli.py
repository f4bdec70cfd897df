"""``textveil frontier`` end to end, and its messages."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")


@pytest.fixture
def words(tmp_path: Path) -> tuple[str, ...]:
    rows = np.random.default_rng(3).normal(size=(120, 6))
    path = tmp_path / "own.txt"
    path.write_text("".join(f"w{n} {' '.join(f'{x:.4f}' for x in row)}\n" for n, row in enumerate(rows)))
    return ("--vocabulary", str(path))


@pytest.mark.slow
def test_a_frontier_from_the_command_line(command, words, tmp_path: Path) -> None:
    options = ("--mechanisms", "randomized-response,exponential", "--epsilons", "1,4", *words, "-o", tmp_path / "out")
    code, out, err = command("frontier", *options)
    assert (code, err) == (0, "")
    assert b"randomized-response  guarantee" in out and b"not for release" in out
    assert b"exponential          vulnerability" in out
    assert (tmp_path / "out/index.html").is_file() and (tmp_path / "out.cells").is_dir()
    rows = json.loads((tmp_path / "out/frontier.json").read_text())["rows"]
    assert {row[0] for row in rows} == {"randomized-response", "exponential"}


@pytest.mark.slow
def test_a_labelled_corpus_from_the_command_line(command, words, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [{"text": " ".join(f"w{n}" for n in rng.integers(120, size=12)), "topic": "ab"[n % 2]} for n in range(40)]
    corpus = tmp_path / "texts.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--mechanisms", "randomized-response", "--epsilons", "2", *words, "-o", tmp_path / "out", "--json")
    code, out, err = command("frontier", *options, "--corpus", corpus, "--label", "topic")
    assert (code, err) == (0, "")
    assert "accuracy_on_releases" in {row[3] for row in json.loads(out)["points"]["rows"]}


@pytest.mark.slow
def test_several_vocabularies_from_the_command_line(command, words, tmp_path: Path) -> None:
    """A file, and the embedded words beside it; the first words of each."""
    options = ("--mechanisms", "randomized-response,gaussian-classical", "--epsilons", "4", "--words", "110")
    both = (*words, "--vocabulary", "embedded", "--vocabulary-format", "glove")
    code, out, err = command("frontier", *options, *both, "-o", tmp_path / "out")
    assert (code, err) == (0, "")
    lines = out.decode().splitlines()
    assert lines[0].split()[:2] == ["vocabulary", "mechanism"]
    embedded = "glove-840b-300d-32698, first 110"
    assert [line.split(", first")[0] for line in lines[1:5:2]] == ["own.txt", embedded.split(",")[0]]
    assert any(line.startswith(f"gaussian-classical over {embedded} at 4: epsilon must be in (0, 1]") for line in lines)
    whole = json.loads((tmp_path / "out/frontier.json").read_text())
    assert [one["words"] for one in whole["facts"]["vocabularies"]] == [110, 110]
    assert {row[-1] for row in whole["rows"]} == {"own.txt, first 110", embedded}


@pytest.mark.slow
def test_one_vocabulary_is_not_named_in_every_line(command, words, tmp_path: Path) -> None:
    options = ("--mechanisms", "randomized-response", "--epsilons", "4", *words, "-o", tmp_path / "out")
    code, out, _ = command("frontier", *options)
    assert code == 0 and out.split()[0] == b"mechanism" and b"own.txt" not in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mechanisms", "keywords"), "--mechanisms must be mechanisms that draw for each word alone; got keywords"),
        (("--epsilons", "1,two"), "--epsilons must be numbers separated by commas"),
        (("--words", "1"), "--words must be between 2 and the 120 of the vocabulary; got 1."),
        (("--vocabulary", "embedded", "--words", "121"), "--words must be between 2 and the 120 of the vocabulary"),
        (("--vocabulary", "embedded", "--vocabulary-limit", "1"), "--vocabulary-limit"),
        (("--label", "topic"), "--label, --field, --format and --delimiter need --corpus"),
        (("--neighbors", "200"), "--neighbors must be below the 120 words of the vocabulary; got 200."),
        (("--processes", "0"), "--processes must be >= 1; got 0"),
    ],
)
def test_bad_input_is_one_line(command, words, tmp_path: Path, options, message: str) -> None:
    code, _, err = command("frontier", *words, "-o", tmp_path / "out", *options)
    assert code == 2 and message in err and err.count("\n") == 1
