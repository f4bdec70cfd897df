"""A request for a release about a corpus: whose records, under which epsilon and delta, who pays, and what draws."""

import hashlib
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Final, NamedTuple, Protocol, final

import numpy as np

from textveil.aggregates.parts import InProcess, Parts
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.formats.records import CorpusFormat
from textveil.corpora.inputs import released_blocks
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError, need
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE, Adjacency
from textveil.registry.options import GUARANTEE, Option
from textveil.types import Integers, Progress
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

EACH_RECORD: Final = "document"  # name of a unit that is no column: each record counts as a unit of its own


class Batch(NamedTuple):
    """Records in a row that have a text."""

    persons: Integers  # number of each record's person, from 0 in the order of their first records; shape (count,)
    texts: list[str]  # as many
    labels: list[str]  # as many; empty if no column of labels is read


def digested(batches: Iterable[Batch], names: Sequence[str]) -> bytes:
    """Digest of records: their texts, labels and persons, in order, however they are batched."""
    mixed = _Digest()
    for batch in batches:
        mixed.add(batch)
    return mixed.ended(names)


class _Digest:
    def __init__(self) -> None:
        self._parts = [hashlib.blake2b(digest_size=32, person=b"textveil records") for _ in range(5)]

    def add(self, batch: Batch) -> None:
        parts = [batch.persons.astype("<i8").tobytes(), *_written(batch.texts), *_written(batch.labels)]
        for mixed, part in zip(self._parts, parts, strict=True):
            mixed.update(part)

    def ended(self, names: Sequence[str]) -> bytes:
        lengths, letters = _written(names)
        parts = [mixed.digest() for mixed in self._parts]
        return hashlib.blake2b(b"".join([*parts, lengths, letters]), digest_size=32).digest()


def _written(texts: Sequence[str]) -> tuple[bytes, bytes]:
    lengths = np.array([len(text) for text in texts], dtype="<i8").tobytes()
    return lengths, "".join(texts).encode("utf-8", "surrogatepass")


class RecordTable(NamedTuple):
    """Records in a row."""

    texts: Sequence[Sequence[str]]  # of each record: its text, or nothing
    columns: Mapping[str, Sequence[str | None]]  # the columns that name persons and labels
    first: int  # number of the first record, for messages
    place: str = ""  # what stands before a message about it


@dataclass(frozen=True, kw_only=True)
class RecordsOfPersons(ABC):
    """Records with their persons. Each call of ``batches`` reads them again.

    The first ``limit`` records of each person count, in their order; whatever one person adds, those of the others stay
    the same. That bounds what one person can change. Raises ParameterError: a column is named twice.
    """

    unit: str  # column that names the person, or ``EACH_RECORD``
    text: str | None = None  # column of the text; None for a file of lines, and ``text`` where there are columns
    label: str | None = None  # column of the label; None reads none
    limit: int | None = None  # records of one person that count, >= 1; None is all
    _numbers: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _digests: list[bytes] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        need(self.limit is None or self.limit >= 1, "limit", self.limit, ">= 1")
        named = [name for name in (self._person, self.text or "text", self.label) if name is not None]
        if len(set(named)) != len(named):
            raise ParameterError("`unit`, `text` and `label` must be different columns; got one twice.")

    @abstractmethod
    def tables(self, progress: Progress | None) -> Iterator[RecordTable]:
        """Read all records, in their order. Raises InputError: one cannot be read; says which, never what."""

    @property
    def adjacency(self) -> Adjacency:
        """Return what is adjacent in a release of these records."""
        return ONE_PERSON_MORE if self._person is not None else ONE_RECORD_MORE

    @property
    def names(self) -> Sequence[str]:
        """Names of the persons by their numbers, as far as records have been read; none if each record counts."""
        return list(self._numbers)

    @property
    def labelled(self) -> bool:
        """True if a column of labels is read."""
        return self.label is not None

    @property
    def digest(self) -> bytes:
        """``digested`` of all records that count, once they have been read."""
        return self._digests[0]

    @property
    def _person(self) -> str | None:
        return None if self.unit == EACH_RECORD else self.unit

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that name persons and labels."""
        return tuple(name for name in (self._person, self.label) if name is not None)

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The records that count, in their order, in memory that grows with the number of persons alone.

        Raises InputError: a record cannot be read, names no person or no label; says which, never what. Or the records
        are others than when they were read before.
        """
        mixed = _Digest()
        for batch in self._counted(progress):
            mixed.add(batch)
            yield batch
        # Who was not there before has not paid, and noise that is drawn for these records must not meet others.
        self._digests.append(mixed.ended(self.names))
        if self._digests[-1] != self._digests[0]:
            raise InputError("INPUT must stay as it is while it is read, more than once; it was changed. Run it again.")

    def _counted(self, progress: Progress | None) -> Iterator[Batch]:
        seen, rows = Counter[int](), 0
        for table in self.tables(progress):
            if self._person is None:
                persons = list(range(rows, rows + len(table.texts)))
            else:
                numbers = self._numbers
                named = _filled(table, self._person)
                _need_composed(table, named)
                persons = [numbers.setdefault(name, len(numbers)) for name in named]
            labels = [] if self.label is None else _filled(table, self.label)
            rows += len(table.texts)
            if kept := [row for row, texts in enumerate(table.texts) if texts and self._counts(persons[row], seen)]:
                yield Batch(
                    np.array([persons[row] for row in kept], dtype=np.int64),
                    [table.texts[row][0] for row in kept],
                    [labels[row] for row in kept] if labels else [],
                )

    def _counts(self, person: int, seen: Counter[int]) -> bool:
        if self.limit is None or self._person is None:
            return True
        seen[person] += 1
        return seen[person] <= self.limit


def _need_composed(table: RecordTable, persons: Sequence[str]) -> None:
    """Refuse a name with two spellings: it would be two persons, and count twice."""
    other = next((row for row, name in enumerate(persons) if not unicodedata.is_normalized("NFC", name)), None)
    if other is not None:
        raise InputError(
            f"{table.place}record {table.first + other} must name its person in Unicode's composed form (NFC), so that "
            "nobody has two names; it does not. Normalize the column."
        )


def _filled(table: RecordTable, column: str) -> list[str]:
    values = table.columns[column]
    if (empty := next((row for row, value in enumerate(values) if not value), None)) is not None:
        raise InputError(
            f"{table.place}record {table.first + empty} must have a value in the column {column!r}; it is empty. Fill "
            "it or leave the record out."
        )
    return [value for value in values if value]


@dataclass(frozen=True, kw_only=True)
class PersonalRecords(RecordsOfPersons):
    """Files of records with their persons; a stream serves once.

    Raises ParameterError: the columns do not fit the format.
    """

    inputs: tuple[str, ...]  # as ``sources.expanded`` gives them
    corpus_format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None  # of text; None is UTF-8, or what its byte order mark says

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reader()

    def _reader(self) -> CorpusFormat:
        choice = FormatChoice(
            corpus_format=self.corpus_format,
            sanitized=() if self.text is None else (self.text,),
            read=self.beside,
            delimiter=self.delimiter,
            encoding=self.encoding,
        )
        return choice.reader(self.inputs)

    def tables(self, progress: Progress | None) -> Iterator[RecordTable]:
        for block in released_blocks(self._reader(), self.inputs, progress):
            yield RecordTable(block.records.texts, block.records.beside, block.first, block.place)


_NO_LABEL: Final = ""
_DELTA: Final = "Chance at which epsilon does not hold; far below 1 / number of persons."
_LABELS: Final = "All labels that there can be, where they are public. Else they are selected."


class Records(Protocol):
    """Records by person, as ``PersonalRecords`` reads them.

    They also have ``batches``, which is called twice by most releases, or ``parts``: themselves, held by other
    processes, every person whole in one part.
    """

    @property
    def adjacency(self) -> Adjacency:
        """Return what is adjacent in a release of them."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the persons whose records were read."""

    @property
    def limit(self) -> int | None:
        """Maximum number of records of one person that count."""

    @property
    def labelled(self) -> bool:
        """True if they have labels."""

    @property
    def digest(self) -> bytes:
        """``records.digested`` of all of them, once they have been read; with ``parts``, another such digest."""


@final
@dataclass(frozen=True)
class Batches:
    """The records of ``records.batches``, each with a label, as often as they are iterated."""

    records: Any
    progress: Progress | None = None

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.records.batches(self.progress):
            yield batch if self.records.labelled else batch._replace(labels=[_NO_LABEL] * len(batch.texts))


@dataclass(frozen=True)
class CorpusRequest:
    """Everything that all releases about a corpus ask for; made once, by a command or a caller.

    Raises ParameterError: a label is given twice, or the records have none.
    """

    records: Records
    _: KW_ONLY
    # nats, for all that one person wrote; > 0
    epsilon: Annotated[float, Option(help="Nats, for all that one person wrote.", metavar="E", group=GUARANTEE)]
    # in (0, 1), far below 1 / number of persons; 0 for topics, which need none
    delta: Annotated[float, Option(help=_DELTA, metavar="D", group=GUARANTEE)]
    # all labels that there can be, if they are public: records with others do not count. Empty: the release selects
    # labels that many persons use, for a part of the budget
    labels: Annotated[Sequence[str], Option(help=_LABELS, metavar="A,B,...")] = ()
    vocabulary: Vocabulary | None = None  # public words and vectors; None: the embedded ones
    payer: Payer | None = None  # whose ledger pays, each person once, before anything is drawn
    # None: the operating system's randomness; anything else stamps the release not for release
    rng: np.random.Generator | None = field(default=None, repr=False)
    progress: Progress | None = None  # called with bytes read and in all
    pool_progress: Progress | None = None  # called with public texts read and in all

    def __post_init__(self) -> None:
        if self.labels and not self.records.labelled:
            raise ParameterError("`labels` needs `label`; got none.")
        if len(set(self.labels)) != len(self.labels):
            raise ParameterError("`labels` must be different; got one twice.")

    @property
    def public_labels(self) -> tuple[str, ...]:
        """The labels that are public: of records without labels, the one that all of them get."""
        return tuple(self.labels) if self.records.labelled else (_NO_LABEL,)

    @property
    def words(self) -> Vocabulary:
        """The public words and vectors."""
        return load_vocabulary() if self.vocabulary is None else self.vocabulary

    @property
    def parts(self) -> Parts[Iterable[Batch]]:
        """The records, each with a label, where they are: here, or with the workers of an engine."""
        held: Parts[Iterable[Batch]] | None = getattr(self.records, "parts", None)
        return InProcess[Iterable[Batch]]([Batches(self.records, self.progress)]) if held is None else held
