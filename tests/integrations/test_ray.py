"""A real Ray on this machine: the same bytes as the local engine, through dead actors, with nothing in its logs."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.runs import worker_of

from textveil.aggregates.count_run import count
from textveil.aggregates.request import CorpusRequest
from textveil.catalog import mechanism
from textveil.corpora.block_worker import BlockWorker, Engine, InProcess
from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.formats.records import Cut, Records
from textveil.corpora.formats.text_lines import PlainText
from textveil.errors import MissingExtra, ParameterError, TextveilError
from textveil.integrations.arrow_batches import sanitize_batches
from textveil.integrations.ray import RayEngine, sanitized_dataset
from textveil.integrations.table_records import TableRecords
from textveil.mechanisms.kinds import Mechanism
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Policy
from textveil.surrogates import map_file
from textveil.surrogates.map_file import MapCipher, MapFile
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = ["apple", "bread", "cloud", "dance", "eagle", "flame", "grass", "honey"]
PRIVATE = "Rumpelstiltskin"
SECRET = bytes(range(32))
RAY_DATA_WARNS = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own settings


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A local Ray with two cores; functions and classes of this file travel to its actors by value."""
    ray = pytest.importorskip("ray", reason="needs the extra `ray`")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=2**28,
        logging_level="ERROR",
    )
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield ray
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    ray.shutdown()


@pytest.fixture
def words() -> Mechanism:
    vectors = np.random.default_rng(3).normal(size=(len(WORDS), 4)).astype(np.float32)
    return mechanism("neighborhood", Vocabulary(WORDS, vectors, "eight"), epsilon=2.0)


def blocks(count: int = 9) -> list[Block]:
    lines = [f"{WORDS[row % 8]} {PRIVATE} {WORDS[row * 3 % 8]}.\n".encode() for row in range(40)]
    return [
        Block(number=number, source=1, first=40 * number + 1, count=40, payload=b"".join(lines), bytes_read=number)
        for number in range(count)
    ]


def worker(words: Mechanism | Policy, corpus_format: Any = None, **options: Any) -> BlockWorker:
    return worker_of(mechanism=words, corpus_format=corpus_format or PlainText(), secret=SECRET, **options)


class Faulty:
    """Lines of text, but for one block: what happens there happens as often as there are files to take away."""

    def __init__(self, folder: Path, first: int, deed: Callable[[], None]) -> None:
        self.folder, self.first, self.deed = folder, first, deed

    def cut(self, stream: object, size: int) -> Iterator[Cut]:
        raise NotImplementedError

    def records(self, payload: bytes, first: int) -> Records:
        left = sorted(self.folder.iterdir()) if first == self.first else []
        if left:
            left[0].unlink()
            self.deed()
        return PlainText().records(payload, first)


def die() -> None:
    os._exit(1)


def quote() -> None:
    raise KeyError(PRIVATE)


def refuse() -> None:
    raise ParameterError("no number must be 7; got 7.")


def faulty(folder: Path, times: int, deed: Callable[[], None]) -> Faulty:
    for number in range(times):
        (folder / str(number)).touch()
    return Faulty(folder, 121, deed)


def outcomes(engine: Engine, one: BlockWorker, given: Iterable[Block]) -> list[Outcome]:
    return list(engine.outcomes(one, given))


def test_actors_seal_the_private_map_of_their_blocks(ray: Any, tmp_path) -> None:
    cipher = MapCipher.new(SECRET)
    made = worker(policy("identifiers"), cipher=cipher)
    outcomes = list(RayEngine(workers=2).outcomes(made, blocks(3)))
    parts = [map_file.begun(cipher, {}), *(outcome.private for outcome in outcomes), map_file.ended(cipher, 3, 120)]
    (tmp_path / "map").write_bytes(b"".join(parts))
    maps = list(MapFile(tmp_path / "map", SECRET))
    assert "".join(one.released for one in maps) == b"".join(outcome.data for outcome in outcomes).decode()
    assert "".join(one.original() for one in maps) == b"".join(block.payload for block in blocks(3)).decode()


def test_outcomes_are_those_of_the_local_engine_in_order(ray: Any, words: Mechanism) -> None:
    local = outcomes(InProcess(), worker(words), blocks())
    assert outcomes(RayEngine(workers=2), worker(words), blocks()) == local
    assert outcomes(RayEngine(), worker(words), []) == []
    assert len({outcome.data for outcome in local}) == len(local)


def test_blocks_are_drawn_lazily_with_few_in_flight(ray: Any, words: Mechanism) -> None:
    taken = 0

    def counted() -> Iterator[Block]:
        nonlocal taken
        for block in blocks(30):
            taken += 1
            yield block

    run = RayEngine(workers=2).outcomes(worker(words), counted())
    for number in range(5):
        assert next(run).number == number
        assert taken <= number + 1 + 8
    run.close()


@pytest.mark.parametrize("times", [1, 2])
def test_a_block_is_done_once_more_and_gives_the_same_bytes(
    ray: Any, words: Mechanism, tmp_path: Path, times: int
) -> None:
    """An actor is killed over block 3; at its second death the block is given up by its numbers."""
    local = outcomes(InProcess(), worker(words), blocks())
    made = outcomes(RayEngine(workers=2), worker(words, faulty(tmp_path, times, die)), blocks())
    assert list(tmp_path.iterdir()) == []
    assert [one for one in made if one.number != 3] == [one for one in local if one.number != 3]
    if times == 1:
        assert made == local
        return
    ((source, first, last, reason),) = made[3].skipped
    assert (source, first, last) == (1, 121, 160)
    assert made[3].data == b""
    assert "two crashed" in reason


@pytest.mark.parametrize(
    ("deed", "kind", "said"),
    [
        (refuse, ParameterError, "no number must be 7; got 7."),
        (quote, TextveilError, r"internal error: KeyError in test_ray.py:\d+. Run on the local engine"),
    ],
)
def test_errors_come_back_without_text(
    ray: Any, words: Mechanism, tmp_path: Path, deed: Callable[[], None], kind: type, said: str
) -> None:
    with pytest.raises(kind, match=said) as caught:
        outcomes(RayEngine(workers=2), worker(words, faulty(tmp_path, 1, deed)), blocks())
    assert PRIVATE not in str(caught.value)


def test_actors_without_a_core_are_not_waited_for(ray: Any, words: Mechanism) -> None:
    """Another job holds one of the two cores: one actor starts, and releases everything."""

    @ray.remote(num_cpus=1)
    class Hog:
        def here(self) -> bool:
            return True

    hog = Hog.remote()
    assert ray.get(hog.here.remote())
    assert outcomes(RayEngine(), worker(words), blocks()) == outcomes(InProcess(), worker(words), blocks())
    ray.kill(hog)


class Unstarted:
    """A mechanism that kills the process that gets it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_actors_that_cannot_start_end_the_run(ray: Any, words: Mechanism) -> None:
    one = worker(words)
    object.__setattr__(one, "options", Unstarted())
    with pytest.raises(TextveilError, match="the actors must start; they crashed at once"):
        outcomes(RayEngine(workers=1), one, blocks())


@RAY_DATA_WARNS
def test_a_dataset_is_released_row_by_row(ray: Any, words: Mechanism) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {
            "text": [f"{WORDS[row % 8]} {PRIVATE} {WORDS[row * 3 % 8]}" for row in range(300)],
            "id": list(range(300)),
            "private": [PRIVATE] * 300,
        }
    )
    job = sanitize_batches(words, keep=["id"], key="id", secret=SECRET)
    made = sanitized_dataset(
        _data(ray).from_arrow([table.slice(0, 100), table.slice(100)]), job, actors=2, batch_size=64
    )
    rows = sorted(made.take_all(), key=lambda row: row["id"])
    assert rows == job(table).to_pylist()


@RAY_DATA_WARNS
def test_a_dataset_is_counted_as_its_table_is(ray: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"text": [f"{WORDS[row % 8]} stop {WORDS[row % 3]}" for row in range(3000)], "who": range(3000)})
    dataset = _data(ray).from_arrow([table.slice(0, 1000), table.slice(1000)])

    def counts(source: Callable[[], Any]) -> list[Any]:
        records = TableRecords(unit="who", source=source)
        return list(count(CorpusRequest(records, epsilon=4, delta=1e-6, rng=np.random.default_rng(1)))[0].counts)

    counted = counts(lambda: dataset.iter_batches(batch_format="pyarrow"))
    assert counted == counts(lambda: [table]) and {line.item for line in counted} >= {"stop"}


class DyingOnce:
    """A mechanism over which a process dies as long as a file is there, but for the one that makes it.

    That one draws public words, to see whether they stay.
    """

    def __init__(self, mechanism: Mechanism, file: Path) -> None:
        self._mechanism, self._file, self._maker = mechanism, file, os.getpid()
        self.name, self.parameters = mechanism.name, mechanism.parameters
        self.vocabulary, self.guarantee = mechanism.vocabulary, mechanism.guarantee

    def privatize(self, ids: Any, rng: Any = None) -> Any:
        if os.getpid() != self._maker and self._file.exists():
            self._file.unlink()
            os._exit(1)
        return self._mechanism.privatize(ids, rng)


@pytest.mark.slow
@RAY_DATA_WARNS
def test_a_retried_task_of_a_dataset_releases_the_same_bytes(ray: Any, words: Mechanism, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"text": [f"{WORDS[row % 8]} {PRIVATE}" for row in range(100)], "id": list(range(100))})
    dying = sanitize_batches(DyingOnce(words, tmp_path / "kill"), keep=["id"], key="id", secret=SECRET)
    want = dying(table).to_pylist()
    (tmp_path / "kill").touch()
    rows = sanitized_dataset(_data(ray).from_arrow(table), dying, batch_size=10).take_all()
    assert not (tmp_path / "kill").exists()
    assert sorted(rows, key=lambda row: row["id"]) == want


@RAY_DATA_WARNS
def test_the_block_of_the_page_runs(ray: Any) -> None:
    _data(ray)
    page = (Path(__file__).resolve().parents[2] / "docs/integrations.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```py\n# needs: ray, pyarrow\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    exec(compile(text, "integrations.md", "exec"), {"__name__": "__main__"})


def _data(ray: Any) -> Any:
    data = pytest.importorskip("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    return data


def test_the_logs_of_ray_hold_no_text(ray: Any, words: Mechanism, tmp_path: Path) -> None:
    """After a run with an error that quotes the text and a dead actor. The twin that prints the text is seen."""
    folder = Path(ray._private.worker._global_node.get_session_dir_path())
    for deed in (quote, die):
        with contextlib.suppress(TextveilError):
            outcomes(RayEngine(workers=2), worker(words, faulty(tmp_path, 2, deed)), blocks())
    assert _holding(folder, PRIVATE.encode()) == []

    @ray.remote
    def leaky() -> None:
        sys.stderr.write("seen: Zaubermeister" + "lehrling\n")
        sys.stderr.flush()

    ray.get(leaky.remote())
    assert _holding(folder, b"Zaubermeisterlehrling") != []


def _holding(folder: Path, text: bytes) -> Sequence[Path]:
    """The log files that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and re.search(text, path.read_bytes())]


@pytest.mark.slow
def test_the_command_starts_a_ray_of_its_own_and_says_nothing_of_it(tmp_path: Path) -> None:
    """Parquet in and out, three inputs, an engine that starts and ends with the run: the local engine's bytes."""
    pytest.importorskip("ray", reason="needs the extra `ray`")
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for name in "abc":
        pq.write_table(pa.table({"text": [f"{PRIVATE} and the {name} bread", None] * 50}), tmp_path / f"{name}.parquet")
    made = []
    for engine in ("ray", "local"):
        options = ["--engine", engine, "--seed", "1", "--output", f"{engine}.out", "--quiet", "--workers", "2"]
        done = subprocess.run(
            [sys.executable, "-m", "textveil", "sanitize", "*.parquet", *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert (done.returncode, done.stdout) == (0, "")
        assert [line for line in done.stderr.splitlines() if not line.startswith("NOT FOR RELEASE")] == []
        made.append((tmp_path / f"{engine}.out").read_bytes())
    assert made[0] == made[1]
    assert pq.read_table(tmp_path / "ray.out").num_rows == 300


def test_without_ray_the_extra_is_named(words: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"`ray` is not installed. Run: pip install 'textveil\[ray\]'"):
        outcomes(RayEngine(), worker(words), blocks())
    with pytest.raises(ParameterError, match="workers must be at least 1"):
        RayEngine(workers=0)
