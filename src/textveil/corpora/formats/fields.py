"""Shared by formats with known fields: slots of a record's values, and records that are put together of them.

A field is drawn, searched, kept by a public list, or removed; what no rule names is removed.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from textveil.corpora.formats.records import Part, RecordError, Records

PERSON, PLACE, ORGANIZATION, PHONE, EMAIL, URL, ID, DATE, TIME = (
    "person", "place", "organization", "phone", "email", "url", "id", "date", "time",
)  # fmt: skip
KINDS: Final = frozenset((PERSON, PLACE, ORGANIZATION, PHONE, EMAIL, URL, ID, DATE, TIME))
BORN: Final = "born "  # stands before a birth date, so that it is drawn apart from other dates
_LETTERS: Final = 24
_SHORTEST: Final = 3  # characters of a value that is looked for in free texts
_IDS: Final = "ids"  # whose all ids are: an id has one surrogate wherever it stands

Written: TypeAlias = Callable[[Sequence[str]], Any]
"""Makes a value of all releases of its record."""


@dataclass(slots=True)
class Slots:
    """The texts of one record, as they are met; ``owner``: whose they are, until it is said otherwise."""

    owner: str
    texts: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    known: list[tuple[str, str]] = field(default_factory=list)
    times: dict[str, list[str]] = field(default_factory=dict)
    _clocks: dict[str, int] = field(default_factory=dict)

    def drawn(self, value: str, kind: str, before: str = "", owner: str | None = None) -> Written:
        """Add a value that is drawn whole."""
        if not value.strip():
            return lambda released: ""
        self.parts.append(Part(kind, len(before), self.owner if owner is None else owner))
        self.texts.append(before + value)
        place, start = len(self.texts) - 1, len(before)
        return lambda released: released[place][start:]

    def named(self, value: str, kind: str, shortest: int = _SHORTEST) -> Written:
        """Add a value that is drawn whole, and wherever it stands in the record's free texts."""
        if len(value) >= shortest:
            self.known.append((value, kind))
        return self.drawn(value, kind)

    def clock(self, value: str) -> Written:
        """Add a time, HH:MM; all of an owner in the record move together."""
        owner, times = self.owner, self.times.setdefault(self.owner, [])
        times.append(value)
        place = len(times) - 1
        return lambda released: released[self._clocks[owner]].split(" ")[place]

    def person(self, pieces: Sequence[str]) -> list[Written]:
        """Add a name by its pieces, given names first; it is drawn as a whole, and found in the record's free texts."""
        whole, words = " ".join(" ".join(piece.split()) for piece in pieces), [len(piece.split()) for piece in pieces]
        self.known += [(each, PERSON) for each in (whole, *pieces) if len(each) >= _SHORTEST]
        write = self.drawn(whole, PERSON)
        ends = [sum(words[: number + 1]) for number in range(len(words))]

        def piece(number: int) -> Written:
            def written(released: Sequence[str]) -> str:
                drawn = write(released).split()
                if len(drawn) != sum(words):  # what a surrogate adds or leaves out stands with the last piece
                    return " ".join(drawn) if number == len(words) - 1 else ""
                return " ".join(drawn[ends[number] - words[number] : ends[number]])

            return written

        return [piece(number) for number in range(len(pieces))]

    def searched(self, value: str) -> Written:
        """Add a free text."""
        self.parts.append(Part(owner=self.owner))
        self.texts.append(value)
        place = len(self.texts) - 1
        return lambda released: released[place]

    def identity(self, key: str) -> Written:
        """Add an id: its surrogate is one of 24 letters, whatever its length is; equal ones of all records are one."""
        number, letters = int.from_bytes(hashlib.blake2b(key.encode("utf-8", "surrogatepass")).digest()), ""
        for _ in range(_LETTERS):
            number, letter = divmod(number, 26)
            letters += chr(ord("a") + letter)
        return self.drawn(letters, ID, owner=_IDS)

    def all_parts(self) -> list[Part]:
        """Return the parts, when all are met; each free text is searched for what the record names."""
        for owner, times in self.times.items():
            self._clocks[owner] = len(self.texts)
            spans = tuple((6 * number, 6 * number + 5) for number in range(len(times)))
            self.texts.append(" ".join(times))
            self.parts.append(Part(TIME, owner=owner, spans=spans))
        known = tuple(dict.fromkeys(self.known))
        return [part if part.kind else part._replace(known=known) for part in self.parts]


def joined(pieces: Sequence[str | Written]) -> Written:
    """Return what writes pieces in a row."""
    return lambda released: "".join(piece if isinstance(piece, str) else piece(released) for piece in pieces)


def records_of(
    read: Sequence[tuple[int, Slots, Written]], faults: Sequence[RecordError], patients: Sequence[str | None]
) -> Records:
    """Return records of their slots; ``read``: number, slots, and what writes the record as bytes."""

    def together(released: Sequence[Sequence[str] | None]) -> bytes:
        return b"".join(write(texts) for texts, (_, _, write) in zip(released, read, strict=True) if texts is not None)

    parts = [slots.all_parts() for _, slots, _ in read]  # before the texts are read, which it adds to
    return Records(
        texts=[slots.texts for _, slots, _ in read],
        faults=faults,
        joined=together,
        numbers=[number for number, _, _ in read],
        beside={"patient": patients},
        parts=parts,
    )


def digest_of(data: bytes) -> str:
    """Return what tells a record that names no patient from others."""
    return "record " + hashlib.blake2b(data, digest_size=32).hexdigest()
