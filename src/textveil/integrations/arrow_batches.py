"""Record batches of Arrow in, released ones out: what Spark, Daft, Ray and others call on their workers.

An engine that loses a worker does its work again. What is done again must draw the same again, or the documents are
released twice; and two batches must never meet the same draws, or equal outputs tell that their texts are equal. So
draws come from streams that are named by a secret, by *where* the text stands, and by the text itself: see
docs/integrations.md.
"""

import hashlib
import operator
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from textveil.corpora.blocks import NO_COLUMNS, RecordColumns
from textveil.corpora.formats.arrow_columns import chosen_schema, plain_columns, texts_of, with_releases
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, FieldChoice, arrow, checked_size
from textveil.errors import InputError, ParameterError, need
from textveil.integrations import text_columns
from textveil.randomness import SECRET_BYTES, derived_generator, new_secret
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting

Place: TypeAlias = int | Sequence[int]
"""The place of a batch in its job: a number, or several (partition, batch); different for every batch."""

COUNTS = {"word": "protected_words", "number": "protected_numbers", "text": "protected_texts"}
"""Names of the columns of counts, by the kind that is drawn."""

_MOST_HELD = 4
_HELD: dict[str, Sanitizer] = {}
"""This process's sanitizers by their job: an engine brings a new copy with every task, and copies start cold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSanitizer:
    """Sanitizes columns of record batches and tables; picklable, and holds no generator.

    A null stays null. Columns that are neither sanitized nor kept are dropped. The draws come

    - with ``key``: for each row from the stream of (secret, settings, the row's key, its texts and known values): the
      same release however often, wherever and in whatever batch the row is drawn;
    - with a position in the call: for each batch from the stream of (secret, settings, position, texts and known values
      of the batch);
    - with neither: from the operating system. A batch that is done again is then released again, and both count.

    One secret is for one input: under a secret that is used again, what stands unchanged at its old place is
    released unchanged, which tells that it is.

    Attributes:
        sanitizer: draws the releases; made without a generator.
        choice: which columns are sanitized, which are kept.
        key: name of a column whose values differ from row to row of the whole job, and are not computed from the
            texts; none of the sanitized ones.
        secret: the job's; keep it secret: with it anybody can repeat the draws and test guesses of a text.
        counts: add the columns ``protected_words`` and ``protected_numbers``, or ``protected_texts`` for a mechanism of
            whole texts, and ``protected_KIND`` of any other kind, from which the whole cost adds up.
        max_document_bytes: larger texts are refused.
        read: columns whose values are found in the texts of their row.
        job: name under which processes keep the sanitizer; every object that is made has its own, and so has one of
            ``dataclasses.replace``, which may be set to less epsilon. Pickled copies have that of the original.
    """

    sanitizer: Sanitizer
    choice: FieldChoice
    key: str | None = None
    secret: bytes = field(default_factory=new_secret, repr=False)
    counts: bool = False
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    read: RecordColumns = NO_COLUMNS
    job: str = field(default_factory=lambda: secrets.token_hex(16), init=False, repr=False)

    def __post_init__(self) -> None:
        _need_kind(self.sanitizer, Sanitizer, "sanitizer", "a Sanitizer")
        _need_kind(self.choice, FieldChoice, "choice", "a FieldChoice")
        _need_kind(self.secret, bytes, "secret", f"{SECRET_BYTES} bytes")
        need(len(self.secret) == SECRET_BYTES, "secret", f"{len(self.secret)} bytes", f"{SECRET_BYTES} bytes")
        # Rows with one text would have one key, hence one release.
        need(
            self.key not in self.choice.sanitized,
            "key",
            "a sanitized field",
            "a column beside them",
            "Equal texts would come out equal. Name a column that tells rows apart.",
        )
        need(
            self.sanitizer.setting.secure,
            "sanitizer",
            "a seeded one",
            "made without a generator",
            "The streams of batches come from the secret.",
        )
        counted = set(self.counted.values()) & set(self.choice.all())
        need(not counted, "fields", "the name of a column of counts", "other names", "Rename the column first.")
        checked_size(self.max_document_bytes)

    @property
    def setting(self) -> Setting:
        """Setting of the sanitizer; ``setting.document(words, numbers, texts)`` is the cost of so many."""
        return self.sanitizer.setting

    @property
    def counted(self) -> dict[str, str]:
        """Columns of counts that are added, by what they count."""
        kinds = [rule.kind for rule in self.setting.protected]
        return {kind: COUNTS.get(kind, f"protected_{kind}") for kind in kinds} if self.counts else {}

    def schema(self, schema: Any) -> Any:
        """Return the schema of the output for an input with ``schema``."""
        return self._with_counts(chosen_schema(schema, self.choice))

    def __call__(self, batch: Any, position: Place | None = None) -> Any:
        """Release a ``pyarrow.RecordBatch`` or ``Table`` at ``position`` of the job; the answer is of the same kind.

        Raises:
            InputError: a column is missing or has a wrong type; a text cannot be read; a key is null or comes twice.
            ParameterError: no batch, no position, or a position if rows have a key.
        """
        need(position is None or self.key is None, "position", "both", "None where rows have a key")
        if isinstance(batch, arrow().Table):
            return self._table(batch, position)
        _need_kind(batch, arrow().RecordBatch, "batch", "a pyarrow RecordBatch or Table")
        chosen = plain_columns(batch, self.choice)
        rows = _rows(chosen, self.choice, self.max_document_bytes)
        known = _beside(batch, self.read).known
        releases = self._drawn(rows, known, self._contexts(batch, position))
        fresh = [[release.text for release in row] for row in releases]
        return self._counted(with_releases(chosen, self.choice, range(len(rows)), fresh), releases)

    def each(self, batches: Iterable[Any], partition: Place | None = None) -> Iterator[Any]:
        """Release batches one by one, as Spark's ``mapInArrow`` wants it.

        A partition has its batches in the same order whenever it is made again. ``partition`` is its place in the job,
        if rows have no key; a batch's place is this and its index.
        """
        for index, batch in enumerate(batches):
            yield self(batch, None if partition is None else (*_numbers(partition), index))

    def _table(self, table: Any, position: Place | None) -> Any:
        # How a table is chunked is no part of what it holds. (Several are left past 2 GiB of text.)
        parts = table.combine_chunks().to_batches()
        arrays = [
            self(part, None if position is None else (*_numbers(position), index)) for index, part in enumerate(parts)
        ]
        return arrow().Table.from_batches(arrays, self.schema(table.schema))

    def _contexts(self, batch: Any, position: Place | None) -> list[bytes] | bytes | None:
        """Return what streams are for besides texts: one for each row, one for the batch, or none."""
        if self.key is None:
            return None if position is None else repr(_numbers(position)).encode("ascii")
        if len(batch.schema.get_all_field_indices(self.key)) != 1:
            raise InputError(f"the batch must have the key {self.key!r} once; it has not. Name another.")
        values = batch.column(self.key).to_pylist()
        if not all(isinstance(value, int | str | bytes) for value in values) or len(set(values)) < len(values):
            raise InputError(
                f"the key {self.key!r} must be a number or a string and differ from row to row; a value is null, of "
                "another type, or comes twice. Rows with one key and one text get one release, which tells that they "
                "are equal."
            )
        return [repr(value).encode("ascii", "backslashreplace") for value in values]

    def _drawn(
        self,
        rows: Sequence[text_columns.Row],
        known: Sequence[text_columns.Known] | None,
        contexts: list[bytes] | bytes | None,
    ) -> list[list[Release]]:
        sanitizer = _held(self.job, self.sanitizer)
        if contexts is None:
            return text_columns.released_rows(sanitizer, rows, known=known)
        # Under one secret, other settings have other streams.
        public = self.setting.digest(fields=self.choice.sanitized, **self.read.to_data())
        if isinstance(contexts, bytes):
            rng = derived_generator(self.secret, b"batch", public, contexts, _digest(rows, known))
            return text_columns.released_rows(sanitizer, rows, rng, known)
        releases: list[list[Release]] = []
        for place, (row, context) in enumerate(zip(rows, contexts, strict=True)):
            own = None if known is None else [known[place]]
            rng = derived_generator(self.secret, b"row", public, context, _digest([row], own))
            releases += text_columns.released_rows(sanitizer, [row], rng, own)
        return releases

    def _with_counts(self, schema: Any) -> Any:
        pyarrow = arrow()
        for name in self.counted.values():
            schema = schema.append(pyarrow.field(name, pyarrow.int64()))
        return schema

    def _counted(self, batch: Any, releases: Sequence[Sequence[Release]]) -> Any:
        if not self.counts:
            return batch
        pyarrow = arrow()
        sums = [
            pyarrow.array([sum(release.kinds.get(kind, 0) for release in row) for row in releases], pyarrow.int64())
            for kind in self.counted
        ]
        return pyarrow.RecordBatch.from_arrays([*batch.columns, *sums], schema=self._with_counts(batch.schema))


def sanitize_batches(
    mechanism: text_columns.Source,
    fields: Sequence[str] = ("text",),
    secret: bytes | None = None,
    *,
    keep: Sequence[str] = (),
    key: str | None = None,
    counts: bool = False,
    known: Mapping[str, str] = text_columns.NOTHING,
) -> BatchSanitizer:
    """Return what to call on the record batches of a job.

    Args:
        mechanism: draws the words; or a policy, or a sanitizer with options of its own.
        fields: columns whose texts are sanitized.
        secret: of ``new_secret()``, to do a job again in another process; None makes one, for this job alone.
        keep: columns to copy.
        key: a column that tells rows apart, see ``BatchSanitizer``.
        counts: add columns of how many words and numbers of a row were drawn, or how many texts.
        known: columns whose value is of a kind (``{"patient": "person"}``), found in the row's texts too.

    Raises:
        ParameterError: an argument of the wrong type; a key that is sanitized; fields that are none or come twice;
            known columns that the policy has no use for.
    """
    sanitizer = text_columns.sanitizer_of(mechanism, "mechanism")
    read = text_columns.read_columns(sanitizer.setting, known, None)
    return BatchSanitizer(
        sanitizer=sanitizer,
        choice=FieldChoice(
            text_columns.column_names(fields, "fields"), text_columns.column_names(keep, "keep"), read.names
        ),
        key=key,
        secret=new_secret() if secret is None else secret,
        counts=counts,
        read=read,
    )


def sanitize_table(
    table: Any,
    sanitizer: text_columns.Source,
    columns: Sequence[str] = ("text",),
    keep: Sequence[str] = (),
    known: Mapping[str, str] = text_columns.NOTHING,
    unit: str | None = None,
) -> text_columns.Sanitized:
    """Return a ``pyarrow.Table`` of the released ``columns``, then those to ``keep``; no others, and no metadata.

    Drawn in this process, by the operating system's randomness.

    ``known``, ``unit``: columns that are read too, see ``textveil.integrations.text_columns.read_columns``.

    Raises:
        InputError: a column is missing or has a wrong type; a text cannot be read.
        ParameterError: no table; names that are none or come twice; columns that the policy has no use for.
    """
    _need_kind(table, arrow().Table, "table", "a pyarrow Table")
    sanitizing = text_columns.ColumnSanitizer(sanitizer)
    read = text_columns.read_columns(sanitizing.setting, known, unit)
    choice = FieldChoice(
        text_columns.column_names(columns, "columns"), text_columns.column_names(keep, "keep"), read.names
    )
    schema = chosen_schema(table.schema, choice)
    released = []
    for batch in table.to_batches():
        chosen = plain_columns(batch, choice, schema=schema)
        rows = _rows(chosen, choice, MAX_DOCUMENT_BYTES)
        fresh = sanitizing.rows(rows, _beside(batch, read))
        texts = [[text for text in row if text is not None] for row in fresh]
        released.append(with_releases(chosen, choice, range(len(rows)), texts))
    data = arrow().Table.from_batches(released, schema)
    return text_columns.Sanitized(data, sanitizing.report(choice.sanitized, choice.kept, read))


def _rows(batch: Any, choice: FieldChoice, limit: int) -> list[text_columns.Row]:
    """Return the texts of each row of chosen columns. Raises InputError: one cannot be read."""
    columns, bad = texts_of(batch, choice, limit, lambda row: f"row {row + 1} of a batch")
    for reason in bad.values():
        raise InputError(reason)
    return list(zip(*columns, strict=True))


def _beside(batch: Any, read: RecordColumns) -> text_columns.Beside:
    return text_columns.beside(read, lambda name: batch.column(batch.schema.get_field_index(name)).to_pylist())


def _need_kind(value: object, kind: Any, name: str, wanted: str) -> None:
    need(isinstance(value, kind), name, type(value).__name__, wanted)


def _numbers(position: Place) -> tuple[int, ...]:
    several: Any = (
        position
        if isinstance(position, Sequence) and not isinstance(position, str | bytes | bytearray)
        else (position,)
    )
    try:
        return tuple(int(operator.index(number)) for number in several)
    except TypeError:
        kind = type(position).__name__
    raise ParameterError(f"position must be an integer or a list of integers; got {kind}. Give numbers, not text.")


def _digest(rows: Sequence[text_columns.Row], known: Sequence[text_columns.Known] | None) -> bytes:
    """Return BLAKE2b of texts and nulls in their order, with the texts' lengths, so that only equal rows agree.

    Known values are part of it, for they move where spans are: if they differ, draws are no longer alike.
    """
    mixed = hashlib.blake2b()

    def add(text: str | None) -> None:
        raw = b"" if text is None else text.encode("utf-8", "surrogatepass")
        mixed.update((-1 if text is None else len(raw)).to_bytes(8, "little", signed=True))
        mixed.update(raw)

    for row in rows:
        for text in row:
            add(text)
    if known is not None:
        add(str(len(rows)))
    for values in known or ():
        add(str(len(values)))
        for value, kind in values:
            add(value)
            add(kind)
    return mixed.digest()


def _held(job: str, sanitizer: Sanitizer) -> Sanitizer:
    if job not in _HELD and len(_HELD) >= _MOST_HELD:
        _HELD.clear()
    return _HELD.setdefault(job, sanitizer)
