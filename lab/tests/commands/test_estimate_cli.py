"""``textveil estimate``: counts from a release and its report, and one line for what is wrong."""

import json

import pytest
from tests.cli.test_cli import one_line as is_one_line


def one_line(err: str) -> str:
    is_one_line(err)
    return err


WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "omega")


@pytest.fixture
def release(command, tmp_path):
    """A release of four hundred documents, and the options that read it."""
    vectors = tmp_path / "own.txt"
    vectors.write_text("".join(f"{word} {number} {number % 3} 1\n" for number, word in enumerate(WORDS)))
    texts = tmp_path / "in.jsonl"
    texts.write_text("".join(json.dumps({"text": "Alpha beta, alpha beta gamma."}) + "\n" for _ in range(400)))
    options = ("--vocabulary", str(vectors))
    made = ("-m", "randomized-response", "--epsilon", "2", *options)
    code, _, err = command("sanitize", texts, *made, "-o", tmp_path / "out.jsonl", "--report", tmp_path / "r.json")
    assert code == 0, err
    return (tmp_path / "out.jsonl", "--report", tmp_path / "r.json", *options)


def test_words_topics_and_pairs(command, release, tmp_path) -> None:
    (tmp_path / "words").write_text("alpha\ngamma delta\n\nomega\n")
    code, out, err = command("estimate", *release, "--words", tmp_path / "words", "--bigrams", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["documents"], found["tokens"], found["confidence"]) == (400, 2000, 0.95)
    rows = {row["word"]: row for row in found["words"]}
    assert list(rows) == ["alpha", "gamma delta", "omega"]
    for name, true in (("alpha", 800), ("gamma delta", 400), ("omega", 0)):
        assert abs(rows[name]["estimate"] - true) < 6 * rows[name]["standard_error"]
        assert rows[name]["low"] <= rows[name]["estimate"] <= rows[name]["high"]
        assert rows[name]["bias"] == 0
    pairs = {row["word"]: row for row in found["bigrams"]}
    assert len(pairs) == 16
    assert abs(pairs["alpha gamma"]["estimate"]) < 6 * pairs["alpha gamma"]["standard_error"]


def test_the_table_and_the_likeliest(command, release) -> None:
    code, out, err = command("estimate", *release, "--top", "2", "--confidence", "0.8")
    assert code == 0, err
    lines = out.decode().splitlines()
    assert lines[0].startswith("2,000 released words in 400 documents, randomized-response; intervals at 80%")
    assert {line.split()[0] for line in lines[2:]} == {"alpha", "beta"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--top", "0"), "--top must be >= 1"),
        (("--confidence", "1"), "--confidence must be between 0 and 1"),
        (("--words", "none.txt"), "the file of words must be readable"),
        (("--report", "none.json"), "the report must be a readable JSON file"),
        (("--field", "title"), "title"),
    ],
)
def test_bad_options(command, release, options, wanted: str) -> None:
    given = release[:1] + release[3:] if "--report" in options else release
    code, out, err = command("estimate", *given, *options)
    assert code in (1, 2) and out == b""
    assert wanted in one_line(err)


def test_bad_files(command, release, tmp_path) -> None:
    for text, wanted in (("alpha\nnever\n", "line 2 of the file of words"), ("\n", "must hold a word at least")):
        (tmp_path / "words").write_text(text)
        code, _, err = command("estimate", *release, "--words", tmp_path / "words")
        assert code == 1 and wanted in one_line(err)
    (tmp_path / "other.jsonl").write_text(json.dumps({"text": "Some other text"}) + "\n")
    code, _, err = command("estimate", tmp_path / "other.jsonl", *release[1:])
    assert code == 2 and "--report must be of the release, by the digest of its file" in one_line(err)
    report = json.loads((tmp_path / "r.json").read_text())
    del report["release_sha256"]  # as of a release through a pipe
    (tmp_path / "r.json").write_text(json.dumps(report))
    code, _, err = command("estimate", tmp_path / "other.jsonl", *release[1:])
    assert code == 1 and "document 1 must be a release in words of this vocabulary" in one_line(err)
    (tmp_path / "other.jsonl").write_text(json.dumps({"text": "42!"}) + "\n")
    code, _, err = command("estimate", tmp_path / "other.jsonl", *release[1:])
    assert code == 1 and "must hold a released word at least" in one_line(err)
    (tmp_path / "other.jsonl").write_text("{no json\n")
    code, _, err = command("estimate", tmp_path / "other.jsonl", *release[1:])
    assert code == 1 and one_line(err)
    _, _, err = command("estimate", *release[:3])  # with the embedded vocabulary
    assert "the report must be of the vocabulary" in one_line(err)
