"""Blocks of a corpus: what goes to a worker, what comes back, and what columns say of a block's records."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from textveil.documents.model import Certificate
from textveil.errors import ParameterError
from textveil.json_text import json_data
from textveil.sanitize.costs import Counts
from textveil.sanitize.release import Tally
from textveil.sanitize.setting import Setting
from textveil.surrogates.scopes import KEY_BYTES, KeyedScope, MemoryScope, Scope

BLOCK_BYTES = 2**19
"""Input bytes that a block aims at: about 90,000 words of English. A larger record is a block of its own."""


class Skip(NamedTuple):
    """Records that were not released: ``first`` to ``last`` of the input number ``source``, and why."""

    source: int  # number of the input, from 1
    first: int  # number of the first record in that input, from 1
    last: int  # number of the last one; 0 is the rest of the input, whose end is not known
    reason: str  # one line that names numbers and never holds text


class Sampled(NamedTuple):
    """A document before and after, with the chance by which those of several blocks are chosen among: private."""

    chance: float  # uniform between 0 and 1, by the operating system; the smallest ones are the sample
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Records in a row of one input, as the format cut them; picklable."""

    number: int  # in the job, from 0 over all inputs
    source: int  # number of the input, from 1
    first: int  # number of its first record in that input, from 1
    count: int  # records in it (for text formats: lines, blank ones included); 0 if they cannot be counted
    payload: bytes = field(repr=False)  # the records' bytes, in the format's own way
    bytes_read: int = 0  # bytes of all inputs that were read up to here, compressed ones where they are
    chain: str = ""  # keyed digest of this payload and all before it, by which a job knows its input again
    fault: str = ""  # why the records cannot be had (the payload is empty then); empty for a good block
    unit: str = "record"

    @property
    def last(self) -> int:
        """Number of the last record; 0 if it is not known."""
        return self.first + self.count - 1 if self.count else 0

    @property
    def where(self) -> str:
        """The block's records, by number."""
        several = f"{self.unit}s {self.first} to {self.last}"
        return several if self.last > self.first else f"{self.unit} {self.first}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A block, released; picklable."""

    number: int
    bytes_read: int = 0
    chain: str = ""
    data: bytes = field(default=b"", repr=False)  # the released records in the format's own way, without ``head``
    head: bytes = b""  # what stands once before the first record of the whole output; the same for every block of a job
    tally: Tally = field(default_factory=Tally)
    # draws of each person whose records are in ``data`` (``columns.person``), where a column says whose
    persons: Mapping[bytes, Counts] = field(default_factory=dict)
    nulls: int = 0  # sanitized fields of records in ``data`` that have no text
    # the block's frame of the private map, encrypted; empty if none is kept, or nothing was released
    private: bytes = field(default=b"", repr=False)
    # of a document that was written anew: its parts, what was removed, and what was checked
    certificate: Certificate | None = None
    # documents chosen by chance, for the sender alone; empty if none is wanted
    sampled: tuple[Sampled, ...] = field(default=(), repr=False)
    # records that are not in ``data``. Where the run is to stop at a fault there is one at most, and ``data`` is empty
    skipped: tuple[Skip, ...] = ()


def lost(block: Block, reason: str) -> Outcome:
    """The outcome of a block of which nothing was released; ``reason`` names its records."""
    skipped = (Skip(block.source, block.first, block.last, reason),)
    return Outcome(number=block.number, bytes_read=block.bytes_read, chain=block.chain, skipped=skipped)


PERSON_BYTES = 16  # Length of what stands for a person in memory and in ledgers


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordColumns:
    """Names of columns that are read, and released only if they are kept too."""

    unit: str | None = None  # whose record it is, for what one person's records cost together; None: nobody asks
    # whose record it is, for surrogates: one value has one in all records of a person. None is what the policy says
    scope: str | None = None
    # columns whose value is a span wherever it stands in the record's texts, each with its kind
    known: tuple[tuple[str, str], ...] = ()
    keyed: bool = False  # whether scopes are those of the user's key, in all jobs that have it

    def __post_init__(self) -> None:
        names = [name for name, _ in self.known]
        if len(set(names)) != len(names):
            raise ParameterError("`known` must name a column once; got one twice.")

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        single = [name for name in (self.unit, self.scope) if name is not None]
        return tuple(dict.fromkeys([*single, *(name for name, _ in self.known)]))

    def to_data(self) -> dict[str, Any]:
        data = {"unit": self.unit, "scope_column": self.scope, "known": dict(self.known), "scope_key": self.keyed}
        return {name: value for name, value in data.items() if value}

    def for_report(self) -> dict[str, Any]:
        """Return JSON data of the columns that change what is public; whose a record is changes nothing."""
        return {name: value for name, value in self.to_data().items() if name != "unit"}

    def check(self, setting: Setting) -> None:
        """Refuse columns that the sanitizer has no use for. Raises ParameterError: there are some."""
        policy = setting.policy
        if (self.scope or self.known) and (policy is None or not policy.finds_spans):
            raise ParameterError("`scope_column` and `known` need a `policy` that finds spans; got none.")
        if self.scope and policy is not None and policy.data["scope"] not in ("document", "conversation"):
            raise ParameterError(
                "`scope_column` needs a `policy` with the scope document or conversation, which it widens; got "
                f"{policy.data['scope']}."
            )
        kinds = () if policy is None else policy.kinds
        if missing := next((kind for _, kind in self.known if kind not in kinds), None):
            raise ParameterError(f"`known` needs a `policy` with a rule for the kind {missing!r}; there is none.")

    def scopes(self, secret: bytes, beside: Mapping[str, Sequence[str | None]]) -> list[Scope]:
        """For each record where one value has one surrogate; a record whose column is null is by itself."""
        named = () if self.scope is None else beside[self.scope]
        return [MemoryScope() if value is None else scope_of(secret, value) for value in named]

    def values(self, place: int, beside: Mapping[str, Sequence[str | None]]) -> list[tuple[str, str]]:
        """The values of the record at a place that are spans in its texts, each with its kind."""
        cells = [(beside[name][place], kind) for name, kind in self.known]
        return [(part, kind) for value, kind in cells if value is not None for part in _values(value)]


NO_COLUMNS: Final = RecordColumns()  # Nothing is read beside what is sanitized or kept


def known_columns(pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns and kinds from as many ``COLUMN=KIND``. Raises ParameterError: one is written otherwise."""
    columns = []
    for pair in pairs:
        name, between, kind = pair.rpartition("=")
        if not (name and between and kind):
            raise ParameterError("`known` must be written COLUMN=KIND, such as patient=person; got another form.")
        columns.append((name, kind))
    return tuple(columns)


def _values(written: str) -> list[str]:
    if not written.lstrip().startswith(("[", "{")):
        return [written]
    try:
        held = json_data(written, nesting=len(written))
    except ValueError:  # a text that only looks so
        return [written]
    values, open_ones = [written], [held]
    while open_ones:
        held_value = open_ones.pop()
        if isinstance(held_value, dict):
            open_ones += held_value.values()
        elif isinstance(held_value, list):
            open_ones += held_value
        elif held_value is not None and not isinstance(held_value, bool):
            values.append(str(held_value))
    return values


def scope_of(secret: bytes, owner: str) -> KeyedScope:
    """Return the scope of one owner: the same wherever there is the secret."""
    return KeyedScope(_digest(b"scope", secret, owner))


def person(secret: bytes, value: str | None) -> bytes:
    """Return a stand-in for the person whom a column names: the same in all processes of a job, another in another job.

    A keyed digest (BLAKE2b): whoever does not hold the secret, which goes when the job ends, cannot test a guess.
    ``value``: of the column; None is null, and all such records are taken for one person's.
    """
    one_spelling = None if value is None else unicodedata.normalize("NFC", value)
    return _digest(b"person", secret, one_spelling)[:PERSON_BYTES]


def _digest(label: bytes, secret: bytes, value: str | None) -> bytes:
    mixed = hashlib.blake2b(key=secret, digest_size=KEY_BYTES, person=b"textveil " + label)
    mixed.update(b"" if value is None else b"=" + value.encode("utf-8", "surrogatepass"))
    return mixed.digest()
