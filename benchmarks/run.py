"""Every number of docs/performance.md, as ratios in one run.

    python benchmarks/run.py [NAME ...] [--json FILE]

Needs public data (--data FOLDER, docs/data.md), or a folder ``shared`` beside the checkout. faiss-cpu and mldp-text
are compared where they are installed (mldp-text 0.1.2 wants an environment of its own with numpy below 2:
python -m pip install ".[benchmark]").
"""

import argparse
import csv
import gzip
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import SHARED, least, machine, paired

import textveil as tv
from noise import noise
from textveil.catalog import word_mechanism
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.nearest import nearest

Row = dict[str, Any]

FLAT = {"base_weights": "flat"}


def shared_glove() -> Vocabulary:
    """The 33,860 words that mldp-text carries, from the shared vectors."""
    return tv.load_vocabulary(SHARED / "data/vectors/glove-840b-300d-33860")


def nearest_word() -> list[Row]:
    """Exact nearest word against faiss-cpu's flat index and one plain product: same queries, same threads."""
    import faiss

    rng = np.random.default_rng(1)
    rows: list[Row] = []
    vectors = np.ascontiguousarray(shared_glove().vectors[:10_000])
    index = faiss.IndexFlatL2(vectors.shape[1])
    index.add(vectors)
    ours = nearest(vectors)
    for batch in (64, 4096):
        noise = rng.normal(size=(batch, vectors.shape[1])) * 2
        queries = (vectors[rng.integers(0, len(vectors), batch)] + noise).astype(np.float32)
        agree = float(np.mean(ours(queries) == index.search(queries, 1)[1][:, 0]))
        others = {
            "faiss-cpu IndexFlatL2": partial(index.search, queries, 1),
            "a plain matrix product": partial(np.matmul, queries, vectors.T),
        }
        for name, other in others.items():
            found = least(partial(ours, queries), other, rounds=2 if batch > 64 else 10)
            what = f"nearest word, 10,000 words, batch {batch}, against {name}"
            rows.append({"what": what, "speedup": found["speedup"], "same answers": agree})
    return rows


def spherical_laplace() -> list[Row]:
    """Words a second through ``privatize`` against mldp-text, whose only interface is one word a call."""
    from mldp_text import get_mechanism

    vocabulary = shared_glove()
    theirs = get_mechanism("multivariate_calibrated", epsilon=10.0)
    ours = word_mechanism("spherical-laplace", vocabulary, epsilon_per_distance=10.0, clip=None)
    ids = np.random.default_rng(3).integers(0, 5000, 2048)
    words = [vocabulary.words[position] for position in ids[:64]]
    found = paired(lambda: ours.privatize(ids), lambda: [theirs.replace_word(word) for word in words], rounds=5)
    ratio = found["speedup"] * len(ids) / len(words)
    return [
        {
            "what": "spherical Laplace, words a second against mldp-text",
            "speedup": ratio,
            "words/s": len(ids) / found["ours"],
            "other words/s": len(words) / found["other"],
        }
    ]


def channels() -> list[Row]:
    """Draws of words whose rows are kept, on one core, against numpy.random.choice on the same row."""
    vocabulary = tv.load_vocabulary()
    rng = np.random.default_rng(4)
    rows = []
    for name, options in (
        ("randomized-response", {}),
        ("neighborhood", FLAT),
        ("neighborhood", {}),
        ("exponential", {}),
    ):
        mechanism = word_mechanism(name, vocabulary, epsilon=8.0, **options)
        seen = np.arange(400)  # as many rows as the exponential keeps
        ids = rng.choice(seen, 1_000_000)
        mechanism.privatize(seen)
        plain = partial(_choices, mechanism.probabilities(7), few := 300)  # type: ignore[attr-defined]
        found = least(partial(mechanism.privatize, ids), plain, rounds=5)
        rows.append(
            {
                "what": f"{_label(name, options)}, draws of seen words, against numpy choice",
                "speedup": found["speedup"] * len(ids) / few,
                "draws/s": len(ids) / found["ours"],
            }
        )
    return rows


def _label(name: str, options: dict[str, str]) -> str:
    return f"{name} (flat base weights)" if options else name


def _choices(row: Any, count: int) -> None:
    """The plain loop: one call of numpy's choice for each word."""
    rng = np.random.default_rng(6)
    for _ in range(count):
        rng.choice(len(row), p=row)


def new_rows() -> list[Row]:
    """Rows made when a word first appears, against the plain matrix product for those rows."""
    vocabulary = tv.load_vocabulary()
    words = np.random.default_rng(5).permutation(len(vocabulary))[: 4 * 300].reshape(4, 300)
    rows = []
    for name in ("neighborhood", "exponential"):
        mechanism, batches = word_mechanism(name, vocabulary, epsilon=8.0), iter(words)
        found = least(
            lambda draw=mechanism.privatize, batches=batches: draw(next(batches)),  # type: ignore[misc]
            lambda: vocabulary.vectors[words[0]] @ vocabulary.vectors.T,
            rounds=len(words) - 1,
        )
        what = f"{name}, rows of new words, against a plain matrix product"
        rows.append({"what": what, "speedup": found["speedup"], "rows/s": words.shape[1] / found["ours"]})
    return rows


def _ag_news() -> list[str]:
    with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        documents = [" ".join(row[1:]) for row in csv.reader(stream)]
    train = (SHARED / "data/text/agnews/train.tsv").read_text(encoding="utf-8").splitlines()
    return documents + [line.split("\t")[2] for line in train[1:] if line.count("\t") >= 2]


def _wikipedia() -> list[str]:
    path = SHARED / "data/text/wikipedia/articles.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(next(stream))["text"] for _ in range(400)]


def _clinical() -> list[str]:
    documents = []
    for path in sorted((SHARED / "data/text/clinical").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            documents += [value for row in csv.DictReader(stream) for value in row.values() if value]
    return documents


def _personal() -> list[str]:
    folder = SHARED / "data/text/pii/presidio_synthetic"
    records = [record for path in sorted(folder.glob("*.json")) for record in json.loads(path.read_text("utf-8"))]
    return [record["full_text"] for record in records]


def sanitize() -> list[Row]:
    """``Sanitizer.stream`` end to end: tokens, unknown words, numbers, draws, rendering, reports."""
    rows = []
    vocabulary = tv.load_vocabulary()
    corpora = {"AG News": _ag_news, "clinical notes": _clinical, "PII sentences": _personal, "Wikipedia": _wikipedia}
    for corpus, read in corpora.items():
        documents = read()
        cold: list[float] = []
        warm: list[float] = []
        words = 0
        for _ in range(3):
            sanitizer = tv.Sanitizer(tv.mechanism("neighborhood", vocabulary, epsilon=8.0))
            for times in (cold, warm):
                start = time.perf_counter()
                words = sum(release.kinds.get("word", 0) for release in sanitizer.stream(documents))
                times.append(time.perf_counter() - start)
        rows.append(
            {
                "what": f"sanitize {corpus}, {len(documents)} documents, {words} words, first time",
                "words/s": words / statistics.median(cold),
            }
        )
        rows.append(
            {"what": f"sanitize {corpus}, again, rows and spellings known", "words/s": words / statistics.median(warm)}
        )
    return rows


def command_line() -> list[Row]:
    """Processor time of whole commands, against ``python -c pass``; peak memory of one."""
    python = sys.executable
    note = Path(__file__).resolve().parents[1] / "examples/note.txt"

    def command(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run([python, *arguments], check=True, capture_output=True)

    base = command("-c", "pass")
    rows = []
    for label, arguments in {
        "import textveil": ("-c", "import textveil"),
        "textveil --help": ("-m", "textveil", "--help"),
        "textveil sanitize of one sentence": ("-m", "textveil", "sanitize", "-q", str(note.with_name("sentence.txt"))),
        "textveil sanitize of a note": ("-m", "textveil", "sanitize", "-q", "--whole-file", str(note)),
    }.items():
        found = least(command(*arguments), base, rounds=5)
        rows.append({"what": label, "seconds": found["ours"], "times an empty python": 1 / found["speedup"]})
    # From /proc: the operating system's figure for a child includes its parent's memory before the exec.
    code = (
        "import sys; from textveil.cli import main; sys.argv[0] = 'textveil'; main._exit_code();"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr)"
    )
    done = subprocess.run(
        [python, "-c", code, "sanitize", "-q", "--whole-file", str(note)], check=True, capture_output=True, text=True
    )
    rows.append({"what": "peak resident memory, sanitize of a note", "MB": int(done.stderr.split()[-2]) / 1024})
    return rows


PARTS: dict[str, Callable[[], list[Row]]] = {
    "nearest-word": nearest_word,
    "spherical-laplace": spherical_laplace,
    "noise": noise,
    "channels": channels,
    "new-rows": new_rows,
    "sanitize": sanitize,
    "command-line": command_line,
}


def main() -> None:
    """Run the parts that are named, or all; print a table; write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = set(options.names) - set(PARTS)
    if unknown:
        parser.error(f"NAME must be one of {', '.join(PARTS)}; got {', '.join(sorted(unknown))}")
    facts = machine()
    print(", ".join(f"{key} {value}" for key, value in facts.items()))
    rows: list[Row] = []
    for name in options.names or PARTS:
        try:
            found = PARTS[name]()
        except ImportError as error:
            found = [{"what": f"{name}: skipped, {error.name} is not installed"}]
        for row in found:
            rest = "  ".join(
                f"{key} {value:,.3g}" if value < 1000 else f"{key} {value:,.0f}"
                for key, value in row.items()
                if key != "what"
            )
            print(f"{row['what']:<75} {rest}", flush=True)
        rows += found
    if options.json:
        options.json.write_text(json.dumps({"machine": facts, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
