"""Releases whose sums are made by the workers of an engine: those of one process, number by number."""

import contextlib
import os
import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates import counts
from textveil.aggregates.count_run import count
from textveil.aggregates.learning import learn
from textveil.aggregates.payment import remembered
from textveil.aggregates.request import EACH_RECORD, CorpusRequest
from textveil.aggregates.synthesis import synthesize
from textveil.aggregates.topics import topics
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError, TextveilError
from textveil.integrations.table_records import PartedRecords, begun, by_person, checked_template, columns_of
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.randomness import seeded_generator

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `arrow`")

VOCABULARY = lettered_vocabulary(40, dim=6)
WORDS = [*VOCABULARY.words[:12], "zorblax", "quuxible", "aardwolf"]
POOL = [f"{first} {second} {third}" for first, second, third in product(VOCABULARY.words[:12], repeat=3)][::5]


@dataclass
class Here:
    """An engine of this process, which counts what comes out of it."""

    parts: list[bytes]
    out: list[bytes] = field(default_factory=list)
    lose: list[bool] = field(default_factory=list)  # for each total: whether a part is lost on the way

    def kept(self, work: Callable[[bytes], bytes]) -> "Here":
        held = pickle.dumps(work)
        return Here([pickle.loads(held)(part) for part in self.parts], self.out, self.lose)

    def folded(self, work: Callable[[bytes], bytes], fold: Callable[[Iterable[bytes]], bytes]) -> Iterable[bytes]:
        made = self.kept(work).parts
        if self.lose and self.lose.pop(0):
            made = made[1:]
        self.out += (few := [fold(made[start::3]) for start in range(min(3, len(made)))])
        return few


def corpus(persons: int = 300, *, seed: int = 4) -> Any:
    """Persons with one to three records of seven words; some words are on no list, two persons write very much."""
    rng, rows = np.random.default_rng(seed), []
    for person in range(persons):
        for _ in range(int(rng.integers(1, 4))):
            kind = "ab"[int(rng.integers(2))]
            words = [*rng.choice(WORDS[:9] if kind == "a" else WORDS[4:], 6), f"u{person % 7}x"]
            if person < 2:
                words += [f"{a}{b}q" for a, b in product("abcdefghijklmnopqrst", repeat=2)]
            rows.append({"who": f"p{person}", "text": " ".join(words), "kind": kind, "more": "unread"})
    return pyarrow.Table.from_pylist([rows[row] for row in rng.permutation(len(rows))])


def split(
    table: Any, *, unit: str = "who", label: str | None = "kind", parts: int = 7, limit: int | None = None
) -> tuple[Any, PartedRecords, Here]:
    """Records as one process reads them, and in parts, the rows in another order."""
    template = checked_template(table.column_names, unit, "text", label, limit)
    mixed = table.take(np.random.default_rng(1).permutation(len(table)))
    owners = np.arange(len(mixed)) % parts
    if by_person(template):
        owners = np.array([zlib.crc32(name.encode()) % parts for name in mixed["who"].to_pylist()])
    pieces = [mixed.select(columns_of(template)).filter(owners == part) for part in range(parts)]
    engine = Here([begun(template, [piece]) for piece in pieces])
    return replace(template, source=lambda: [table]), PartedRecords(template, engine), engine


@pytest.fixture
def listed(tmp_path: Path) -> str:
    """A file of public words."""
    (tmp_path / "words.txt").write_text(" ".join(VOCABULARY.words))
    return str(tmp_path / "words.txt")


def released(
    records: Any,
    what: str,
    words: str,
    *,
    labels: tuple[str, ...] = (),
    payer: Payer | None = None,
    seed: int | None = 3,
) -> Any:
    """All that a release holds."""
    rng = None if seed is None else seeded_generator(seed)
    delta = 0 if what == "topics" else 1e-6
    request = CorpusRequest(
        records, epsilon=30.0, delta=delta, labels=labels, rng=rng, payer=payer, vocabulary=VOCABULARY
    )
    if what == "count":
        release, report = count(request, ngrams=3, items_per_person=4, words=words)
        return release, report.to_data()
    if what == "learn":
        model, _ = learn(request)
        words = "" if model.words is None else model.words.tobytes().hex()
        return model.labels, model.weights.tobytes(), words, model.report
    if what == "topics":
        themes = topics(request, POOL, topics=5)
        return themes.themes, themes.persons, themes.report.to_data()
    synthetic = synthesize(request, POOL, documents=50)
    return synthetic.texts, synthetic.labels, synthetic.persons, synthetic.report.to_data()


@pytest.mark.parametrize("what", ["count", "learn", "synthesize", "topics"])
@pytest.mark.parametrize(("unit", "labels"), [("who", ()), ("who", ("b", "a")), (EACH_RECORD, ())])
def test_a_release_of_parts_is_that_of_one_process(what: str, unit: str, labels: tuple[str, ...], listed: str) -> None:
    """Dies with: words numbered as they come, coins by the order of persons, a record that no part has."""
    label = None if what == "topics" else "kind"
    alone, parted, _ = split(corpus(), unit=unit, label=label)
    labels = labels if label else ()
    wanted = released(alone, what, listed, labels=labels)
    assert released(parted, what, listed, labels=labels) == wanted
    if what == "count":
        assert {len(line.item.split()) for line in wanted[0].counts} == {1, 2, 3}
        assert {"zorblax", "u3x"} & {line.item for line in wanted[0].counts}
    assert what != "learn" or wanted[2]  # single words have weights


def test_words_and_labels_are_numbered_by_spelling(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a run that goes on in another process, whose sets have another order, puts the same noise on the same."""
    numbered, held = list[tuple[list[str], list[str]]](), counts._held

    def kept(corpus: Any, spellings: list[str], labels: list[str]) -> Any:
        numbered.append((spellings, labels))
        return held(corpus, spellings, labels)

    monkeypatch.setattr(counts, "_held", kept)
    released(split(corpus(50))[0], "count", listed)
    ((spellings, labels),) = numbered
    assert labels == ["a", "b"] and spellings[:40] == list(VOCABULARY.words)
    assert len(spellings) > 400 and spellings[40:] == sorted(spellings[40:])


def test_fewer_coordinates_are_read_from_parts_too(listed: str) -> None:
    alone, parted, _ = split(corpus(80))
    wanted = released(alone, "learn", listed)
    assert released(parted, "learn", listed) == wanted and not wanted[2]


def test_what_comes_to_the_driver_holds_no_text_and_does_not_grow_with_records(listed: str) -> None:
    """All bytes that leave the workers: twice the persons, the same words; and no run of words of a text."""
    sizes = []
    for persons in (300, 600):
        table = corpus(persons)
        for what in ("count", "learn", "synthesize"):
            _, parted, engine = split(table)
            released(parted, what, listed)
            sizes.append((what, sum(map(len, engine.out))))
            held = b"".join(engine.out)
            assert not any(" ".join(text.split()[:3]).encode() in held for text in table["text"].to_pylist())
            assert b"p17" not in held  # nor names, as nobody pays
    before, after = dict(sizes[:3]), dict(sizes[3:])
    # More persons make more combinations of three of 22 words; other sums have one size.
    assert after["count"] < 1.35 * before["count"]
    assert after["synthesize"] < 1.01 * before["synthesize"]


def test_a_run_that_paid_goes_on_without_paying_again(
    listed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at its second draw; it goes on with the records in other parts, and draws what it drew before."""
    pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")
    from textveil.budget.ledger import Ledger

    sample, draws, left = DiscreteGaussian.sample, list[bytes](), [2]

    def drawn(noise: DiscreteGaussian, size: int, rng: np.random.Generator) -> Any:
        values = sample(noise, size, rng)
        draws.append(values.tobytes())
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return values

    monkeypatch.setattr(DiscreteGaussian, "sample", drawn)
    payer, output, table = Payer(str(tmp_path / "budget.db")), tmp_path / "counts.csv", corpus(40)
    with pytest.raises(KeyboardInterrupt), remembered(payer, output) as own:
        released(split(table)[1], "count", listed, payer=own, seed=None)
    killed = list(draws)
    draws.clear()
    with remembered(payer, output) as own:
        released(split(table, parts=3)[1], "count", listed, payer=own, seed=None)
        output.write_text("written")
    assert draws[:2] == killed and len(draws) > 2
    with Ledger(payer.ledger) as ledger:
        assert [entry.what for entry in ledger.entries()].count("reserve") == 40
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("paid")] == []
    changed = table.set_column(0, "who", pyarrow.array([*table["who"].to_pylist()[:-1], "p99"]))
    left[0] = 2
    with pytest.raises(KeyboardInterrupt), remembered(payer, output) as own:
        released(split(table)[1], "count", listed, payer=own, seed=None)
    with (
        pytest.raises(ParameterError, match="records and settings must be the same"),
        remembered(payer, output) as own,
    ):
        released(split(changed)[1], "count", listed, payer=own, seed=None)


def test_a_part_that_is_lost_or_changed_is_noticed(listed: str) -> None:
    for what, total in (("count", 1), ("count", 3), ("learn", 1), ("learn", 2), ("synthesize", 1)):
        _, parted, engine = split(corpus(100))
        engine.lose += [False] * total + [True]
        with pytest.raises(InputError, match=r"must stay as they are .* changed, or lost with a worker"):
            released(parted, what, listed)


def test_the_digest_is_of_all_records_in_any_order() -> None:
    table = corpus(30)
    digests = {split(table, parts=parts)[1].digest for parts in (1, 2, 9)}
    assert len(digests) == 1
    for column, value in (("who", "p31"), ("text", "other"), ("kind", "c")):
        place = table.column_names.index(column)
        other = table.set_column(place, column, pyarrow.array([value, *table[column].to_pylist()[1:]]))
        digests.add(split(other)[1].digest)
    digests.add(split(pyarrow.concat_tables([table, table[:1]]))[1].digest)
    assert len(digests) == 5
    swapped = table.set_column(0, "who", pyarrow.array(table["who"].to_pylist()[::-1]))
    assert split(swapped)[1].digest not in digests


def test_what_is_wrong_with_a_record_is_told_without_its_text(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = corpus(20).drop_columns("more")
    bad = pyarrow.Table.from_pylist([{"who": None, "text": "Xylophonia", "kind": "a"}], schema=table.schema)
    table = pyarrow.concat_tables([table, bad])
    template = checked_template(table.column_names, "who", "text", "kind", None)
    with pytest.raises(InputError, match="must have a value in the column 'who'") as told:
        released(PartedRecords(template, Here([begun(template, [table])])), "count", listed)
    assert "Xylophonia" not in str(told.value)
    _, parted, _ = split(corpus(20))

    def failing(*_: object) -> None:
        raise ValueError("Xylophonia")

    monkeypatch.setattr("textveil.aggregates.person_words.split", failing)
    with pytest.raises(TextveilError, match="internal error: ValueError in ") as told:
        released(parted, "count", listed)
    assert "Xylophonia" not in str(told.value)
    with pytest.raises(InputError, match="must have one column 'note'; got none"):
        checked_template(["who", "text"], "note", "text", None, None)
    with pytest.raises(ParameterError, match="must be different columns"):
        checked_template(["who", "text"], "text", "text", None, None)
    with pytest.raises(InputError, match="must have one column 'text'; got 2"):
        checked_template(["who", "text", "text"], "who", "text", None, None)


def test_the_limit_of_records_does_not_follow_the_engines_order() -> None:
    made, table = [], corpus(60)
    for each in (table, table.take(np.arange(len(table))[::-1])):
        _, parted, _ = split(each, limit=1)
        made.append(parted.parts.total(_texts))
    assert made[0] == made[1] and len(made[0]) == 60


def _texts(batches: Any) -> set[str]:
    return {text for batch in batches for text in batch.texts}


def test_persons_may_be_numbers_and_columns_encoded(listed: str) -> None:
    table = corpus(60)
    for names in ([int(name[1:]) for name in table["who"].to_pylist()], table["who"].dictionary_encode()):
        other = table.set_column(0, "who", names if hasattr(names, "type") else pyarrow.array(names))
        template = checked_template(other.column_names, "who", "text", "kind", None)
        parted = PartedRecords(template, Here([begun(template, [other.select(columns_of(template))])]))
        alone = replace(template, source=lambda held=other: [held])
        assert released(parted, "count", listed) == released(alone, "count", listed)


def test_no_record_is_a_release_like_any_other(listed: str) -> None:
    """So that nobody learns whether there was one: an engine without records has no part."""
    empty = corpus(1).slice(0, 0)
    template = checked_template(empty.column_names, "who", "text", "kind", None)
    parted = PartedRecords(template, Here([]))
    alone = replace(template, source=lambda: [empty])
    assert released(parted, "count", listed, labels=("a",)) == released(alone, "count", listed, labels=("a",))


ENGINES_WARN = pytest.mark.filterwarnings(*(f"ignore::{each}Warning" for each in ("Deprecation", "Future", "Resource")))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A local Ray with two cores."""
    ray = pytest.importorskip("ray", reason="needs the extra `ray`")
    started = not ray.is_initialized()
    if started:
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        ray.init(address="local", num_cpus=2, object_store_memory=2**28, **quiet)
    yield ray
    if started:
        ray.shutdown()


def _dying(batches: Any, place: Path) -> int:
    """Return the number of records; the first process that is asked for some dies."""
    records = sum(len(batch.texts) for batch in batches)
    if records:
        with contextlib.suppress(FileExistsError):
            place.touch(exist_ok=False)
            os._exit(1)
    return records


@contextlib.contextmanager
def by_value(cloudpickle: Any) -> Iterator[None]:
    """Workers get this file's functions with what calls them: they cannot import it."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@ENGINES_WARN
def test_ray_makes_the_part_of_a_dead_worker_again(ray: Any, tmp_path: Path) -> None:
    from textveil.integrations.ray import ray_records

    table = corpus(30)
    records = ray_records(ray.data.from_arrow([table]), unit="who", parts=3)
    with by_value(ray.cloudpickle):
        assert records.parts.total(partial(_dying, place=tmp_path / "died")) == len(table)
    assert (tmp_path / "died").exists()


@ENGINES_WARN
@pytest.mark.parametrize(
    ("what", "unit", "parts"), [("count", "who", 3), ("learn", "who", 1), ("count", EACH_RECORD, 2)]
)
def test_ray_makes_the_sums_where_the_records_are(ray: Any, what: str, unit: str, parts: int, listed: str) -> None:
    from textveil.integrations.ray import ray_records

    table = corpus(60)
    records = ray_records(ray.data.from_arrow([table[:50], table[50:]]), unit=unit, label="kind", parts=parts)
    assert released(records, what, listed) == released(split(table, unit=unit)[0], what, listed)


@ENGINES_WARN
def test_spark_makes_the_sums_where_the_records_are(listed: str, tmp_path: Path) -> None:
    """With the persons in three parts, and each record a unit of its own; a dead worker's part is made again."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")
    from textveil.integrations.spark import spark_records

    build = sql.SparkSession.builder.master("local[2,3]").config("spark.ui.enabled", "false")
    spark = build.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    try:
        table = corpus(60)
        frame = spark.createDataFrame(table.to_pylist(), "who string, text string, kind string, more string")
        for what, unit in (("count", "who"), ("learn", EACH_RECORD)):
            records = spark_records(frame, unit=unit, label="kind", parts=3)
            assert released(records, what, listed) == released(split(table, unit=unit)[0], what, listed)
        del records
        with by_value(pytest.importorskip("pyspark.cloudpickle")):
            died = spark_records(frame, unit="who", parts=3).parts.total(partial(_dying, place=tmp_path / "died"))
        assert died == len(table) and (tmp_path / "died").exists()
        odd = frame.withColumnRenamed("who", "a.b `c")
        counted = [released(spark_records(odd, unit=odd.columns[0], label="kind", parts=2), "count", listed)[0].counts]
        assert counted[0] == released(split(table)[0], "count", listed)[0].counts
        with pytest.raises(InputError, match="must have one column 'name'"):
            spark_records(frame, unit="name")
        with pytest.raises(ParameterError, match="parts must be at least 1"):
            spark_records(frame, unit="who", parts=0)
    finally:
        spark.stop()
