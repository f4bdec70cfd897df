"""Hugging Face ``datasets``: a function for ``map(batched=True)``, and whole datasets released; extra ``datasets``.

from textveil.integrations.datasets import dataset_sanitizer, sanitize_dataset

released, report = sanitize_dataset(notes, sanitizer, ["text"], keep=["label"], num_proc=2)

release = dataset_sanitizer(sanitizer, ["text"])
released = notes.map(release, batched=True, with_indices=True, num_proc=2)
report = release.report(released)
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textveil.corpora.formats.records import arrow
from textveil.errors import InputError, MissingExtra, ParameterError, need
from textveil.integrations.arrow_batches import BatchSanitizer, sanitize_batches
from textveil.integrations.text_columns import NOTHING, Sanitized, Source, column_names, read_columns
from textveil.randomness import SECRET_BYTES
from textveil.sanitize.costs import Counts, Persons, added, trimmed
from textveil.sanitize.release import Report, Tally

with MissingExtra("datasets", "datasets"):
    import datasets

_ROWS = 1000  # rows whose counts are read together


@dataclass(frozen=True, slots=True)
class DatasetSanitizer:
    """Releases the chosen columns of a batch for ``Dataset.map(batched=True)`` and ``IterableDataset.map``.

    Returns the sanitized columns and columns of what each row spent (``protected_words`` and so on), from which
    ``report`` is made: processes count nothing together. ``None`` stays. ``map`` itself keeps all other columns, unless
    it is told ``remove_columns``.

    With ``with_indices=True``, or a key, the same rows under the same secret are the same release, however often they
    are mapped; a mapping without either draws from the operating system, and what is mapped twice is released twice.
    The secret goes into the fingerprint that datasets computes: without it nobody can test guesses of the texts by the
    fingerprint, which ``save_to_disk`` writes down.
    """

    batches: BatchSanitizer  # of ``sanitize_batches``, with counts

    def __call__(self, batch: Mapping[str, Any], indices: Sequence[int] | None = None) -> dict[str, list[Any]]:
        """Release a batch; ``indices`` are places of its rows in the dataset, as ``with_indices=True`` gives them.

        Raises InputError: a column is missing; a value is neither a text nor None.
        """
        sanitized, key = self.batches.choice.sanitized, self.batches.key
        columns: dict[str, Any] = {name: _texts(batch, name) for name in sanitized}
        if key is not None and key in batch:
            columns[key] = list(batch[key])
        for name in self.batches.read.names:
            if name not in batch:
                raise InputError(f"the dataset must have the column {name!r}; it has not. Name another in `known`.")
            columns.setdefault(name, arrow().array(_shown(batch[name]), arrow().large_string()))
        return self.batches(arrow().table(columns), indices).to_pydict()

    def report(self, released: Any, kept: Sequence[str] = ()) -> Report:
        """Return what was spent on a dataset that this function released, from its columns of counts.

        An IterableDataset is read once more for it; ``kept`` names the columns that it holds beside. Raises InputError:
        it has no columns of counts.
        """
        tally = Tally()
        _count(tally, released, self.batches)
        return Report(
            setting=self.batches.setting,
            tally=tally,
            sanitized_fields=self.batches.choice.sanitized,
            kept_fields=column_names(kept, "kept"),
        )


def dataset_sanitizer(
    sanitizer: Source,
    columns: Sequence[str] = ("text",),
    *,
    key: str | None = None,
    secret: bytes | None = None,
    known: Mapping[str, str] = NOTHING,
) -> DatasetSanitizer:
    """Return what to give to ``map``; picklable, and holds no generator.

    Args:
        sanitizer: draws the releases, made without a generator; or a mechanism or a policy.
        columns: sanitized; of strings.
        key: a column that tells rows apart, see ``textveil.integrations.arrow_batches.BatchSanitizer``.
        secret: of ``new_secret()``, to map the same dataset in another process; None makes one.
        known: columns that are read too, see ``textveil.integrations.text_columns.read_columns``.

    Raises:
        ParameterError: an argument of the wrong type; a key that is sanitized; names that are none or come twice;
            known columns that the policy has no use for.
    """
    return DatasetSanitizer(sanitize_batches(sanitizer, columns, secret, key=key, counts=True, known=known))


def sanitize_dataset(
    dataset: Any,
    sanitizer: Source | DatasetSanitizer,
    columns: Sequence[str] = ("text",),
    keep: Sequence[str] = (),
    *,
    known: Mapping[str, str] = NOTHING,
    unit: str | None = None,
    num_proc: int | None = None,
    batch_size: int = 1000,
) -> Sanitized:
    """Return a dataset of the released columns, then those to keep; all others are dropped.

    So is what ``info`` says of the input: its files, their sizes and their checksums.

    Args:
        dataset: a Dataset or a DatasetDict, whose splits have draws of their own.
        sanitizer: draws the releases; or a mechanism or a policy; or of ``dataset_sanitizer``, with its own columns.
        columns: sanitized; of strings.
        keep: copied as they are, outside every guarantee.
        known: columns that are read too, see ``textveil.integrations.text_columns.read_columns``.
        unit: likewise; one person's rows of all splits are counted together.
        num_proc: processes that draw; None is this one.
        batch_size: rows that are drawn together.

    Raises:
        InputError: a column is missing or not of strings.
        ParameterError: ``dataset`` is of another type; names that are none or come twice; ``known`` beside a
            ``dataset_sanitizer``, which has its own, or that the policy has no use for.
    """
    if isinstance(sanitizer, DatasetSanitizer):
        need(not known, "known", "one", "left out beside a `dataset_sanitizer`", "Give it to that.")
        release = sanitizer
    else:
        release = dataset_sanitizer(sanitizer, columns, known=known)
    read = read_columns(release.batches.setting, dict(release.batches.read.known), unit)
    choice = replace(release.batches.choice, kept=column_names(keep, "keep"))
    if not (several := isinstance(dataset, datasets.DatasetDict)) and not isinstance(dataset, datasets.Dataset):
        raise ParameterError(
            f"dataset must be a Dataset or a DatasetDict; got {type(dataset).__name__}. Map a stream with "
            "`dataset_sanitizer`, and ask it for the report."
        )
    tally = Tally()
    persons: dict[str | None, Counts] = {}

    def released(split: Any, function: DatasetSanitizer) -> Any:
        mapped = _mapped(split, function, [*choice.all(), *read.names], num_proc, batch_size)
        _count(tally, mapped, function.batches)
        if unit is not None:
            _count_persons(persons, split.select_columns([unit]), mapped, function.batches)
        return _plain(mapped, choice.all())

    data = (
        datasets.DatasetDict({name: released(split, _for_split(release, name)) for name, split in dataset.items()})
        if several
        else released(dataset, release)
    )
    setting = release.batches.setting
    return Sanitized(
        data,
        Report(
            setting=setting,
            tally=tally,
            sanitized_fields=choice.sanitized,
            kept_fields=choice.kept,
            persons=None if unit is None else Persons.of(unit, persons.values()),
            columns=read.for_report(),
        ),
    )


def _count_persons(persons: dict[str | None, Counts], owners: Any, released: Any, batches: BatchSanitizer) -> None:
    """Add what the rows of a released dataset cost to the persons whose they are."""
    counted, order = batches.counted, batches.setting.counted
    pieces = owners.with_format(None).iter(batch_size=_ROWS), released.iter(batch_size=_ROWS)
    for owner, batch in zip(*pieces, strict=True):
        costs = zip(*(batch[name] for name in counted.values()), strict=True)
        for person, spent in zip(_shown(next(iter(owner.values()))), costs, strict=True):
            kinds = dict(zip(counted, spent, strict=True))
            persons[person] = added(persons.get(person, ()), trimmed(kinds, order))


def _shown(values: Sequence[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _mapped(dataset: Any, function: DatasetSanitizer, names: Sequence[str], processes: int | None, rows: int) -> Any:
    key = function.batches.key
    wanted = list(dict.fromkeys([*names, *([] if key is None else [key])]))
    for name in wanted:
        if name not in dataset.column_names:
            raise InputError(f"the dataset must have the column {name!r}; it has not. Name another in `columns`.")
    chosen = dataset.select_columns(wanted).with_format(None)
    return chosen.map(function, batched=True, with_indices=key is None, num_proc=processes, batch_size=rows)


def _plain(dataset: Any, names: Sequence[str]) -> Any:
    """Return the named columns without what else came with the input; the fingerprint is then that of the releases."""
    chosen = dataset.select_columns(list(names))
    info = datasets.DatasetInfo(features=chosen.features)
    return datasets.Dataset(chosen.data, info=info, split=dataset.split)


def _for_split(release: DatasetSanitizer, name: str) -> DatasetSanitizer:
    """Derive a secret for one split: rows at one place of two splits must not share draws."""
    derived = hashlib.blake2b(
        name.encode(), key=release.batches.secret, digest_size=SECRET_BYTES, person=b"textveil split"
    )
    return DatasetSanitizer(replace(release.batches, secret=derived.digest()))


def _texts(batch: Mapping[str, Any], name: str) -> Any:
    """Return a column as an array of strings; every value is looked at, for errors of others would quote it."""
    if name not in batch:
        raise InputError(f"the dataset must have the column {name!r}; it has not. Name another in `columns`.")
    values = list(batch[name])
    for row, value in enumerate(values, start=1):
        if not (value is None or isinstance(value, str)):
            raise InputError(
                f"row {row} of a batch must hold a text or None in the column {name!r}; got {type(value).__name__}. "
                "Cast the column, or keep it."
            )
    return arrow().array(values, arrow().large_string())


def _count(tally: Tally, released: Any, batches: BatchSanitizer) -> None:
    """Add the rows of a released dataset by their counts; those without any text are no documents."""
    counted, order = batches.counted, batches.setting.counted
    for batch in released.iter(batch_size=_ROWS):
        if not set(counted.values()) <= set(batch):
            raise InputError(
                "the dataset must hold the columns of counts; it does not. Give the one that `map` returned."
            )
        texts = zip(*(batch[name] for name in batches.choice.sanitized), strict=True)
        counts = zip(*(batch[name] for name in counted.values()), strict=True)
        for row, spent in zip(texts, counts, strict=True):
            if any(text is not None for text in row):
                tally.add({kind: count for kind, count in zip(counted, spent, strict=True) if count}, 0, order)
