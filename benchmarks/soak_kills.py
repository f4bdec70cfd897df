"""Jobs of every format killed at random moments, again and again, and gone on with.

A document is one word, said a number of times that tells which document it is. After every kill what the job has
committed must begin with what it had committed before: no block is drawn anew. In the end every document stands in
the output once, in order, under the committed bytes, and the ledger counts each block once.
"""

import csv
import gzip
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textveil.catalog import mechanism
from textveil.corpora.corpus_run import Run
from textveil.corpora.formats.csv_table import CsvTable
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.parquet import Parquet
from textveil.corpora.formats.records import CorpusFormat, FieldChoice
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.processes import Processes
from textveil.sanitize.chosen import SanitizerOptions
from textveil.vocabulary.vocabulary import Vocabulary

DOCUMENTS = 90
BLOCK_BYTES = 300
WORD = "waa"
WORDS = [f"w{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
CHOICE = FieldChoice(("text",), ("id",))
TWO_PROCESSES = 12
"""One job in so many runs in two processes, which take seconds to start."""

KILLS_OF_A_JOB = 12


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format as files: how a corpus is written, and what a release of it reads like."""

    name: str
    corpus_format: CorpusFormat
    write: Callable[[list[str]], bytes]
    read: Callable[[bytes], list[str]]
    committed: Callable[[bytes], list[str]]


def file_formats() -> list[FileFormat]:
    """Every format and compression; texts are read back without what stands around them."""
    import pyarrow as pa

    zstd = pa.Codec("zstd")

    def unzstd(data: bytes) -> bytes:
        whole: bytes = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
        return whole

    def packed(data: bytes) -> bytes:
        frame: bytes = zstd.compress(data, asbytes=True)
        return frame

    jsonl = JsonLines(choice=CHOICE)
    return [
        FileFormat("out.txt", PlainText(), lambda texts: _lines(texts), _of_lines, _of_lines),
        FileFormat("out.jsonl", jsonl, _jsonl, _of_jsonl, _of_jsonl),
        FileFormat("out.csv", CsvTable(choice=CHOICE), _csv, _of_csv, _of_csv),
        FileFormat("out.parquet", Parquet(choice=CHOICE), _parquet, _of_parquet, _of_ipc),
        FileFormat("out.jsonl.gz", jsonl, lambda texts: gzip.compress(_jsonl(texts)),
             lambda data: _of_jsonl(gzip.decompress(data)), _of_jsonl),
        FileFormat("out.jsonl.zst", jsonl, lambda texts: packed(_jsonl(texts)),
             lambda data: _of_jsonl(unzstd(data)), _of_jsonl),
    ]  # fmt: skip


def killed_jobs(count: int, seed: int) -> list[str]:
    """Kills jobs ``count`` times in all, the formats in turn, and what was tried, in sentences.

    Raises:
        AssertionError: a block was lost, doubled or drawn anew.
    """
    rng = random.Random(seed)
    kills: Counter[str] = Counter()
    jobs = parallel = 0
    every = file_formats()
    lasting: dict[str, float] = {}
    while sum(kills.values()) < count:
        kind = every[jobs % len(every)]
        jobs += 1
        workers = 2 if jobs % TWO_PROCESSES == 0 else 1
        parallel += workers == 2
        with tempfile.TemporaryDirectory(prefix="textveil-soak-") as name:
            folder = Path(name)
            texts = [" ".join([WORD] * rng.randint(3, 40)) for _ in range(DOCUMENTS)]
            (folder / f"in-{kind.name}").write_bytes(kind.write(texts))
            key = f"{kind.name} {workers}"
            if key not in lasting:
                lasting[key] = _lasts(folder, kind, workers)
            left = min(KILLS_OF_A_JOB, count - sum(kills.values()))
            kills[kind.name] += _killed(folder, kind, workers, left, lasting[key], rng)
            _check(folder, kind, texts)
        if sys.stderr.isatty():
            print(f"{sum(kills.values())} of {count} kills", end="\r", file=sys.stderr, flush=True)
    each = ", ".join(f"{name.removeprefix('out.')} {number}" for name, number in kills.items())
    return [
        f"{sum(kills.values())} kills of {jobs} jobs ({parallel} of them in two processes), seed {seed}: {each}",
        "every document was released once, in order; no committed byte changed; every ledger counts each block once",
    ]


def _run(folder: Path, kind: FileFormat, workers: int) -> None:
    vocabulary = Vocabulary(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 4)).astype(np.float32), "made")
    run = Run(
        options=SanitizerOptions(mechanism=mechanism("randomized-response", vocabulary, epsilon=0.1)),
        corpus_format=kind.corpus_format,
        inputs=(str(folder / f"in-{kind.name}"),),
        engine=Processes(workers),
        block_bytes=BLOCK_BYTES,
        sync_seconds=0.0,
    )
    run.to_file(folder / kind.name, folder / "report.json", resume=True)


def _started(folder: Path, kind: FileFormat, workers: int) -> int:
    """Goes on with the job in a process group of its own; its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        _run(folder, kind, workers)
        code = 0
    finally:
        os._exit(code)


def _lasts(folder: Path, kind: FileFormat, workers: int) -> float:
    """Seconds of a whole run, of the same input in a folder of its own."""
    trial = folder / "trial"
    trial.mkdir()
    shutil.copy(folder / f"in-{kind.name}", trial)
    start = time.monotonic()
    _, status = os.waitpid(_started(trial, kind, workers), 0)
    assert status == 0, f"{kind.name}: a run that nobody killed ended with {status}"
    shutil.rmtree(trial)
    return time.monotonic() - start


def _killed(folder: Path, kind: FileFormat, workers: int, most: int, seconds: float, rng: random.Random) -> int:
    """Kills the job up to ``most`` times, then lets it end; how often it was killed."""
    kills = 0
    kept: list[str] = []
    for _ in range(2 * most):
        child = _started(folder, kind, workers)
        time.sleep(rng.uniform(0, 1.1 * seconds))
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:  # it has no group yet, or is done
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert status in (0, signal.SIGKILL), f"{kind.name}: a run ended with {status}"
        now = _committed(folder, kind)
        assert now[: len(kept)] == kept or not now, f"{kind.name}: what was committed has changed"
        kept = now or kept
        kills += status == signal.SIGKILL
        if status == 0 or kills == most:
            break
    _, status = os.waitpid(_started(folder, kind, workers), 0)
    assert status == 0, f"{kind.name}: the last run ended with {status}"
    whole = kind.read((folder / kind.name).read_bytes())
    assert whole[: len(kept)] == kept, f"{kind.name}: the output is another than what was committed"
    return kills


def _ledger(folder: Path, kind: FileFormat) -> list[dict[str, Any]]:
    path = folder / f".{kind.name}.textveil-job" / "ledger.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _committed(folder: Path, kind: FileFormat) -> list[str]:
    """The texts that the job has promised so far; a line that is torn is not yet one."""
    try:
        partial = (folder / f".{kind.name}.textveil-job" / "partial").read_bytes()
        ends = [line["output"] for line in _ledger(folder, kind) if "block" in line]
    except (FileNotFoundError, ValueError):
        return []
    return kind.committed(partial[: ends[-1]]) if ends else []


def _check(folder: Path, kind: FileFormat, texts: list[str]) -> None:
    """One release of every document, in order; each block once in the ledger, and the report its sum."""
    released = kind.read((folder / kind.name).read_bytes())
    assert [len(one.split()) for one in released] == [len(one.split()) for one in texts], (
        f"{kind.name}: other documents"
    )
    lines = _ledger(folder, kind)
    blocks = [line for line in lines if "block" in line]
    assert [line["block"] for line in blocks] == list(range(len(blocks))), f"{kind.name}: blocks in the ledger"
    assert len(blocks) > 1, f"{kind.name}: one block alone"
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    documents = sum(line["documents"] for line in blocks)
    assert documents == report["documents"] == DOCUMENTS, f"{kind.name}: {documents} documents in the ledger"


def _lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def _of_lines(data: bytes) -> list[str]:
    return data.decode().splitlines()


def _jsonl(texts: list[str]) -> bytes:
    return "".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts)).encode()


def _of_jsonl(data: bytes) -> list[str]:
    records = [json.loads(line) for line in data.splitlines()]
    assert [record["id"] for record in records] == list(range(len(records))), "the records stand in another order"
    return [record["text"] for record in records]


def _csv(texts: list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([("id", "text"), *enumerate(texts)])
    return out.getvalue().encode()


def _of_csv(data: bytes) -> list[str]:
    return [row["text"] for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]


def _parquet(texts: list[str]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    out = io.BytesIO()
    table = pa.table({"id": list(range(len(texts))), "text": texts})
    pyarrow.parquet.write_table(table, out, row_group_size=7)
    return out.getvalue()


def _of_parquet(data: bytes) -> list[str]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    assert table["id"].to_pylist() == list(range(table.num_rows)), "the rows stand in another order"
    found: list[str] = table["text"].to_pylist()
    return found


def _of_ipc(data: bytes) -> list[str]:
    """The texts of Arrow streams in a row, as the partial output of a parquet job holds them."""
    import pyarrow as pa

    found: list[str] = []
    buffer = pa.BufferReader(data)
    while buffer.tell() < len(data):
        with pa.ipc.open_stream(buffer) as stream:
            for batch in stream:
                found += batch.column("text").to_pylist()
    return found
