"""Hugging Face datasets: maps that are done again, processes, caches, and what goes along with a dataset."""

import pickle
import sys

import pytest
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.randomness import new_secret, seeded_generator
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer

pytest.importorskip("datasets", reason="needs the extra `datasets`")

import datasets
import pyarrow
from datasets.fingerprint import Hasher

from textveil.integrations.arrow_batches import sanitize_table
from textveil.integrations.datasets import dataset_sanitizer, sanitize_dataset

# From Python 3.12 on, a process with threads that forks is warned of; that it does is datasets' own way.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

MADE = neighborhood(lettered_vocabulary(60, dim=5), epsilon=3.0)
ROWS = {"text": ["waa wab 12", None, "wac wad wae waf"] * 20, "id": list(range(60)), "name": ["A", "B", "C"] * 20}


@pytest.fixture(autouse=True)
def quiet():
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def notes():
    return datasets.Dataset.from_dict(ROWS)


@pytest.fixture
def on_disk(notes, tmp_path):
    """The same, loaded from a file, so that datasets keeps its results there too."""
    notes.to_json(tmp_path / "notes.jsonl")
    return datasets.load_dataset("json", data_files=str(tmp_path / "notes.jsonl"), cache_dir=str(tmp_path / "cache"))


@pytest.mark.parametrize("processes", [None, 2])
def test_a_dataset_is_released_with_its_report(notes, processes) -> None:
    data, report = sanitize_dataset(notes, MADE, keep=["id"], num_proc=processes, batch_size=16)
    assert data.column_names == ["text", "id"] and data["id"][:] == ROWS["id"]
    assert [text is None for text in data["text"]] == [text is None for text in ROWS["text"]]
    assert len(set(data["text"][2::3])) > 10
    tally = report.tally
    assert (tally.documents, tally.kinds["word"], tally.kinds["number"]) == (40, 120, 20)
    assert sorted(tally.largest) == [(2, 1), (4, 0)]
    assert (report.sanitized_fields, report.kept_fields) == (("text",), ("id",))


def test_splits_have_draws_of_their_own(notes) -> None:
    data, report = sanitize_dataset(datasets.DatasetDict(train=notes, test=notes), MADE)
    assert data["train"]["text"][:] != data["test"]["text"][:]
    assert report.tally.documents == 80


def test_indices_make_a_map_repeatable_and_processes_do_not_matter(notes) -> None:
    release = dataset_sanitizer(MADE)
    one, again = (notes.map(release, batched=True, batch_size=15, with_indices=True) for _ in range(2))
    many = notes.map(release, batched=True, batch_size=15, with_indices=True, num_proc=2)
    assert one["text"][:] == again["text"][:] == many["text"][:]
    assert one.column_names == ["text", "id", "name", "protected_words", "protected_numbers"]
    assert release.report(one, ["id", "name"]).to_data() == release.report(many, ["id", "name"]).to_data()
    other = notes.map(dataset_sanitizer(MADE), batched=True, batch_size=15, with_indices=True)
    assert other["text"][:] != one["text"][:]


def test_without_indices_a_map_is_drawn_again(notes) -> None:
    release = dataset_sanitizer(MADE)
    first, second = (notes.map(release, batched=True) for _ in range(2))
    assert first["text"][:] != second["text"][:]


def test_a_key_makes_the_size_of_batches_indifferent(notes) -> None:
    release = dataset_sanitizer(MADE, key="id")
    first, second = (notes.map(release, batched=True, batch_size=size) for size in (7, 60))
    assert first["text"][:] == second["text"][:] and first["id"][:] == ROWS["id"]
    assert sanitize_dataset(notes, release)[0]["text"][:] == first["text"][:]
    by_place = dataset_sanitizer(MADE)
    again = [sanitize_dataset(notes, by_place, batch_size=7)[0]["text"][:] for _ in range(2)]
    assert again[0] == again[1]


def test_what_is_cached_is_the_same_release(on_disk) -> None:
    release = dataset_sanitizer(MADE)
    notes = on_disk["train"]
    first = notes.map(release, batched=True)
    assert first.cache_files
    assert notes.map(pickle.loads(pickle.dumps(release)), batched=True)["text"][:] == first["text"][:]
    assert notes.map(release, batched=True, load_from_cache_file=False)["text"][:] != first["text"][:]
    assert notes.map(dataset_sanitizer(MADE), batched=True)["text"][:] != first["text"][:]


def test_the_fingerprint_tells_nothing_without_the_secret(notes, tmp_path) -> None:
    """That of the input is a hash of the texts: with one of a list of guesses it could be found again."""
    assert datasets.Dataset.from_dict(ROWS)._fingerprint == notes._fingerprint
    found = [sanitize_dataset(notes, MADE)[0]._fingerprint for _ in range(2)]
    assert len({*found, notes._fingerprint}) == 3
    release = dataset_sanitizer(MADE)
    before = Hasher.hash(release)
    mapped = notes.map(release, batched=True, with_indices=True)
    assert Hasher.hash(release) == before, "what was seen is no part of it"
    assert mapped._fingerprint == notes.map(release, batched=True, with_indices=True)._fingerprint


def test_what_is_known_of_the_source_stays_behind(on_disk) -> None:
    data, _ = sanitize_dataset(on_disk, MADE)
    assert on_disk["train"].info.dataset_size and on_disk["train"].info.splits
    info = data["train"].info
    assert (info.dataset_size, info.download_size, info.splits, info.download_checksums) == (None, None, None, None)


def test_a_stream(notes) -> None:
    release = dataset_sanitizer(MADE)
    stream = notes.to_iterable_dataset().map(release, batched=True, with_indices=True, remove_columns=["id", "name"])
    first, second = list(stream), list(stream)
    assert first == second and len(first) == 60
    assert release.report(stream).tally.kinds["word"] == 120
    with pytest.raises(ParameterError, match=r"must be a Dataset or a DatasetDict; got IterableDataset. Map a stream"):
        sanitize_dataset(stream, MADE)


def test_columns_that_are_missing_or_of_others(notes) -> None:
    with pytest.raises(InputError, match=r"the dataset must have the column 'note'; it has not"):
        sanitize_dataset(notes, MADE, ["note"])
    with pytest.raises(InputError, match=r"row 1 of a batch must hold a text or None in the column 'id'; got int"):
        notes.map(dataset_sanitizer(MADE, ["id"]), batched=True)
    with pytest.raises(InputError, match=r"the dataset must hold the columns of counts; it does not"):
        dataset_sanitizer(MADE).report(notes)
    with pytest.raises(ParameterError, match=r"key must be a column beside them"):
        dataset_sanitizer(MADE, key="text")
    with pytest.raises(ParameterError, match="sanitizer must be made without a generator; got a seeded one"):
        dataset_sanitizer(Sanitizer(MADE, rng=seeded_generator(1)))


def test_without_datasets_the_error_says_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.delitem(sys.modules, "textveil.integrations.datasets")
    with pytest.raises(MissingExtra, match=r"`datasets` is not installed. Run: pip install 'textveil\[datasets\]'"):
        __import__("textveil.integrations.datasets")


def test_a_policy_in_processes(notes) -> None:
    texts = [f"Ann Lee came in, ann{number}@example.com wrote." for number in range(40)]
    data, report = sanitize_dataset(datasets.Dataset.from_dict({"text": texts}), policy("identifiers"), num_proc=2)
    assert all(text.endswith(" wrote.") and "@example" in text for text in data["text"])
    assert not set(data["text"]) & set(texts)
    assert report.tally.kinds["email"] == 40 and report.setting.policy is not None
    release = dataset_sanitizer(policy("identifiers"))
    mapped, again = (notes.map(release, batched=True, with_indices=True) for _ in range(2))
    assert mapped["text"][:] == again["text"][:] and "protected_email" in mapped.column_names


@pytest.mark.parametrize("processes", [None, 2])
def test_other_columns_of_a_row_help_as_in_other_tables(processes) -> None:
    texts = [
        "Sivanallu came, age 54, ann@example.com wrote.",
        "Bob@example.com left.",
        "Age 31, carl@example.com and Zyx.",
        None,
    ]
    rows = {"text": texts, "patient": ["Sivanallu", None, "Zyx", "Zyx"], "who": [1, 2, 1, None], "age": [1, 2, 3, 4]}
    both = datasets.DatasetDict({"train": datasets.Dataset.from_dict(rows), "test": datasets.Dataset.from_dict(rows)})
    told = {"known": {"patient": "person"}, "unit": "who"}
    data, report = sanitize_dataset(both, "clinical", keep=["age"], num_proc=processes, **told)
    assert data["train"].column_names == ["text", "age"] and report.columns["known"] == {"patient": "person"}
    assert not any(name in str(text) for text in data["train"]["text"] for name in ("Sivanallu", "Zyx"))
    assert report.persons is not None and (report.persons.column, report.persons.count) == ("who", 3)
    table = pyarrow.concat_tables([split.data.table for split in both.values()])
    _, wanted = sanitize_table(table, "clinical", keep=["age"], **told)
    assert report.persons == wanted.persons and any(map(any, wanted.persons.largest))
    assert dict(report.tally.kinds) == {kind: wanted.tally.kinds[kind] for kind in report.tally.kinds}


def test_known_columns_are_refused_where_they_have_no_use(notes) -> None:
    with pytest.raises(ParameterError, match="known"):
        sanitize_dataset(notes, MADE, known={"name": "person"})
    release = dataset_sanitizer("identifiers")
    with pytest.raises(ParameterError, match="left out beside a `dataset_sanitizer`"):
        sanitize_dataset(notes, release, known={"name": "person"})
    with pytest.raises(InputError, match="must have the column 'nobody'"):
        sanitize_dataset(notes, "identifiers", unit="nobody")


def test_one_name_over_a_corpus_is_one_pseudonym_in_every_process() -> None:
    texts = ["Write to ann@example.com."] * 8
    sanitizer = Sanitizer(policy("identifiers", scope="corpus"), key=new_secret())
    data, _ = sanitize_dataset(datasets.Dataset.from_dict({"text": texts}), sanitizer, num_proc=2, batch_size=2)
    assert len(set(data["text"])) == 1
