"""Workers that release blocks: the data that a process needs, its draws, and the choice of processes."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from textveil.corpora.blocks import NO_COLUMNS, Block, Outcome, RecordColumns, Sampled, Skip, lost, person, scope_of
from textveil.corpora.file_by_file import format_of, formats_of
from textveil.corpora.formats.records import CorpusFormat, Records, Structured
from textveil.detection.spans import DetectedSpan
from textveil.documents.model import Certificate
from textveil.errors import InputError, InternalError, ParameterError, SlowText, need
from textveil.randomness import SECRET_BYTES, derived_generator, secure_generator, seeded_generator
from textveil.sanitize.chosen import SanitizerOptions
from textveil.sanitize.costs import Counts, added, trimmed
from textveil.sanitize.finding_process import FoundApart
from textveil.sanitize.policy.finding import SpanFinder
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Action, Policy
from textveil.sanitize.release import Release, Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.map_file import Document, MapCipher, PrivateMap
from textveil.surrogates.map_file import block as sealed_block
from textveil.surrogates.scopes import MemoryScope, Scope

OnError: TypeAlias = Literal["stop", "skip"]  # What a record that cannot be read does to the run
FIELD = "field"
"""The detector of a value that its format names: whole, whatever it is."""
_BLANK = frozenset(("", "\n", "\r\n"))
_Spans: TypeAlias = list[DetectedSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockWorker:
    """Picklable; holds no generator. Every process makes its own sanitizer of it once.

    The draws of block n come from a stream of their own, with a key derived from the job's secret, n, the settings
    and the block's content. A block that is done again (after a dead process, or in a resumed job) gives the same
    bytes, so nothing is released twice; other content under the same secret never meets the same draws.
    """

    # of the sanitizer; with a seed the draws of block n come from ``seeded_generator(seed, n)`` instead
    options: SanitizerOptions
    corpus_format: CorpusFormat
    # the job's, ``new_secret()``; with it the draws can be repeated, and guesses of the text tested
    secret: bytes = field(repr=False)
    columns: RecordColumns = NO_COLUMNS
    settings: bytes = b""  # ``Setting.digest`` with what else the draws depend on
    # ``"stop"``: a block with a bad record releases nothing; ``"skip"``: its other records are released
    on_error: OnError = "stop"
    cipher: MapCipher | None = None  # seals a frame of the private map for every block; None: none is kept
    # draw nothing: outcomes have counts and no data, and the persons in them are named as their column names them
    # (``=`` and the name, or nothing for null)
    counts_only: bool = False
    sample: int = 0  # documents of a block that come back before and after; no draw depends on it
    # see ``Run``. Which records take longer is not sure to be the same again: where some do, the block's draws come
    # from another stream than without them
    record_seconds: float | None = None
    scope_key: bytes | None = field(default=None, repr=False)  # the user's; None: scopes are of ``secret``

    def __post_init__(self) -> None:
        need(len(self.secret) == SECRET_BYTES, "secret", f"{len(self.secret)} bytes", f"{SECRET_BYTES} bytes")

    def opened(self) -> Callable[[Block], Outcome]:
        """The function that releases blocks; make it once a process."""
        sanitizer = Sanitizer.of(self.options, self.secret)
        policy, seconds = self.options.mechanism, self.record_seconds
        apart = FoundApart(policy, seconds) if seconds is not None and isinstance(policy, Policy) else None

        structured = any(isinstance(each, Structured) for each in formats_of(self.corpus_format))
        finder = parts_of(policy).finder if structured and isinstance(policy, Policy) and policy.finds_spans else None

        def release(block: Block) -> Outcome:
            try:
                return self._outcome(sanitizer, apart, block, finder)
            except MemoryError:
                reason = "must fit into memory; they do not. Use smaller documents or less workers."
            return lost(block, f"{block.where} {reason}")

        return release

    def _generator(self, block: Block, left: Collection[int] = ()) -> np.random.Generator:
        """Return the generator of a block's draws; ``left`` are places of records that took too long."""
        if self.options.seed is not None:
            return seeded_generator(self.options.seed, block.number)
        number = block.number.to_bytes(8, "little")
        content = hashlib.blake2b(block.payload).digest()
        without = [repr(sorted(left)).encode("ascii")] if left else []
        return derived_generator(self.secret, b"block", number, self.settings, content, *without)

    def _own(self, records: Records) -> _Own:
        columns, beside = self.columns, records.beside
        # With a seed the surrogates follow from it, as all draws do.
        seed = None if self.options.seed is None else hashlib.blake2b(str(self.options.seed).encode(), digest_size=32)
        secret = self.scope_key or (self.secret if seed is None else seed.digest())
        scopes: list[list[Scope]]
        if records.parts is None:
            scopes = [
                [scope] * len(texts)
                for scope, texts in zip(columns.scopes(secret, beside), records.texts, strict=False)
            ]
        else:
            scopes = [[scope_of(secret, part.owner) for part in parts] for parts in records.parts]
        named = () if columns.unit is None else beside[columns.unit]
        values = [columns.values(place, beside) for place in range(len(records.texts) if columns.known else 0)]
        stands = _named if self.counts_only else partial(person, self.secret)
        return _Own([stands(value) for value in named], scopes, values)

    def _outcome(
        self, sanitizer: Sanitizer, apart: FoundApart | None, block: Block, finder: SpanFinder | None = None
    ) -> Outcome:
        if block.fault:
            return lost(block, block.fault)
        corpus_format = format_of(self.corpus_format, block.source)
        records = corpus_format.records(block.payload, block.first)
        found: list[_Spans] | None = None
        left: dict[int, str] = {}
        if apart is not None and not (records.faults and self.on_error == "stop"):
            found, left = self._found(apart, records, corpus_format.unit)
        if left:
            choice = corpus_format.choice
            records = records.without(left, 1 if choice is None else len(choice.sanitized))
        skipped = tuple(Skip(block.source, number, number, reason) for number, reason in records.faults)
        if skipped and self.on_error == "stop":
            return Outcome(number=block.number, bytes_read=block.bytes_read, chain=block.chain, skipped=skipped[:1])
        if records.parts is not None:
            found = self._found_in_parts(finder, records, found)
        releases = _BlockReleases(records, self._own(records), found, keeps_maps=self.cipher is not None)
        if self.counts_only:
            releases.counted(sanitizer)
            return Outcome(number=block.number, tally=releases.tally, persons=releases.persons, skipped=skipped)
        try:
            data = releases.released(sanitizer, self._generator(block, left))
        except (InputError, InternalError) as error:
            if records.rewritten is None:
                raise
            return lost(block, str(error))  # a document that cannot be written, or whose check found something
        return Outcome(
            number=block.number,
            bytes_read=block.bytes_read,
            chain=block.chain,
            data=data,
            certificate=releases.certificate,
            head=records.head,
            tally=releases.tally,
            persons=releases.persons,
            nulls=records.nulls,
            private=b"" if self.cipher is None else sealed_block(self.cipher, block.number, releases.maps),
            sampled=releases.sampled(self.sample),
            skipped=skipped,
        )

    def _found_in_parts(
        self, finder: SpanFinder | None, records: Records, found: Sequence[_Spans] | None
    ) -> list[_Spans]:
        """The spans of each text of records whose format knows its fields: a field's value is one, whatever it is."""
        policy = self.options.mechanism
        if finder is None or not isinstance(policy, Policy):
            raise ParameterError("this format needs a `policy` that finds spans; got none. Use clinical.")
        texts = [text for texts in records.texts for text in texts]
        parts = [part for own in records.parts or () for part in own]
        if found is None:
            free = [place for place, part in enumerate(parts) if not part.kind]
            readings = finder.readings([texts[place] for place in free])
            spans = finder.found_in(readings, values=[parts[place].known for place in free])
            held = dict(zip(free, spans, strict=True))
            found = [held.get(place, []) for place in range(len(texts))]
        need_drawn(policy, {part.kind for part in parts if part.kind})
        return [
            [DetectedSpan(*span, part.kind, 1.0, FIELD) for span in part.spans or [(part.start, len(text))]]
            if part.kind
            else list(spans)
            for text, part, spans in zip(texts, parts, found, strict=True)
        ]

    def _found(self, apart: FoundApart, records: Records, unit: str) -> tuple[list[_Spans], dict[int, str]]:
        """The spans of each text of the records that can be read in time; and why the others cannot, by place."""
        spans: list[_Spans] = []
        left: dict[int, str] = {}
        known = bool(self.columns.known)
        for place, texts in enumerate(records.texts):
            if _BLANK.issuperset(texts):
                spans += [[] for _ in texts]
                continue
            where = f"{unit} {records.numbers[place]}"
            values = [self.columns.values(place, records.beside)] * len(texts) if known else None
            if records.parts is not None:
                values = [list(part.known) for part in records.parts[place]]
            try:
                spans += apart.found(texts, values)
                continue
            except SlowText:
                left[place] = (
                    f"{where} must take at most {self.record_seconds:g} s to be read; it takes longer. Raise "
                    "`record_seconds`, or leave it out."
                )
            except InputError as error:
                left[place] = f"{where}: {error}"
            if self.on_error == "stop":
                break
        return spans, left


def _named(value: str | None) -> bytes:
    """Return what stands for a person while costs are counted: the name, for the ledger."""
    return b"" if value is None else b"=" + value.encode("utf-8", "surrogatepass")


def need_drawn(policy: Policy, kinds: Collection[str]) -> None:
    """Refuse a policy by which a field's value would stay, or that draws what the format keeps.

    Raises ParameterError: it has no rule for one of the kinds, or keeps it; or draws words or measurements.
    """
    rules = {rule.kind: rule for rule in policy.rules}
    staying = sorted(kind for kind in kinds if kind not in rules or rules[kind].action is Action.KEEP)
    need(not staying, "policy", policy.name, f"one that draws the fields of this format: {', '.join(staying)}")
    measured = rules.get("measurement")
    keeps = policy.finds_spans and not policy.draws_words and (measured is None or measured.action is Action.KEEP)
    need(keeps, "policy", policy.name, "one that keeps words and measurements, as this format does", "Use clinical.")


class _Own(NamedTuple):
    persons: Sequence[bytes]
    scopes: Sequence[Sequence[Scope]]  # of each text of each record, where one value has one surrogate
    values: Sequence[Sequence[tuple[str, str]]]  # what is a span in its texts, with the kind


class _Drawn(NamedTuple):
    texts: list[str]
    places: list[int]  # of the record of each
    # of the record of each, which are spans in it; None if there are none, or the spans are found
    values: list[Sequence[tuple[str, str]]] | None
    found: list[_Spans] | None  # the spans of each; None if they are not found yet
    scopes: list[Scope] | None  # of each; None if none is a column's or a field's


class _BlockReleases:
    def __init__(self, records: Records, own: _Own, found: Sequence[_Spans] | None, *, keeps_maps: bool) -> None:
        self._records = records
        self._own = own
        self._found = found
        self._keeps_maps = keeps_maps or records.rewritten is not None
        self.certificate: Certificate | None = None
        self.tally = Tally()
        self.persons: dict[bytes, Counts] = {}
        self.maps: list[Document] = []
        self._fresh: list[list[str]] = []

    def counted(self, sanitizer: Sanitizer) -> None:
        blank = _blank_releases(sanitizer, self._records.texts)
        drawn = self._drawn(blank)
        prepared = sanitizer.prepare(drawn.texts, values=drawn.values, found=drawn.found)
        counts = iter(prepared.counts)
        for place, texts in enumerate(self._records.texts):
            kinds: Counter[str] = Counter()
            for text in texts:
                kinds.update({} if text in blank else next(counts))
            self.tally.kinds.update(kinds)
            if self._own.persons:
                self._count(self._own.persons[place], kinds, sanitizer)

    def released(self, sanitizer: Sanitizer, rng: np.random.Generator) -> bytes:
        """The block's output; every record with a text is one document, and one of its person's."""
        texts_of = self._records.texts
        blank = _blank_releases(sanitizer, texts_of)
        drawn, own = self._drawn(blank), self._own
        scopes = _scopes(sanitizer, drawn.places) if drawn.scopes is None else drawn.scopes
        batch = sanitizer.batch(
            drawn.texts,
            spans=False,
            rng=rng,
            maps=self._keeps_maps,
            scopes=scopes,
            values=drawn.values,
            found=drawn.found,
        )
        releases = iter(batch)
        fresh = self._fresh
        alone: Counter[str] = Counter()
        for place, texts in enumerate(texts_of):
            parts = [blank[text] if text in blank else next(releases) for text in texts]
            fresh.append([part.text for part in parts])
            if self._keeps_maps and parts:
                self.maps.append(tuple(map(_map_of, parts, texts)))
            if own.persons:
                kinds = Counter[str]()
                for part in parts:
                    kinds.update(part.kinds)
                self._count(own.persons[place], kinds, sanitizer)
            if len(texts) == 1 and texts[0] in blank:
                alone[texts[0]] += 1
            elif parts:
                self.tally.add_document(parts)
        for text, count in alone.items():
            self.tally.merge(Tally.of_equal(count, blank[text].kinds, blank[text].mapped))
        if self._records.rewritten is not None:
            data, self.certificate = self._records.rewritten(self.maps)
            return data
        return self._records.joined(fresh)

    def sampled(self, count: int) -> tuple[Sampled, ...]:
        if count == 0:
            return ()
        pairs = list(zip(self._records.texts, self._fresh, strict=True))
        places = [place for place, (texts, _) in enumerate(pairs) if any(text.strip() for text in texts)]
        chances = zip(secure_generator().random(len(places)).tolist(), places, strict=True)
        chosen = heapq.nsmallest(count, chances)
        return tuple(Sampled(chance, *("\n".join(side) for side in pairs[place])) for chance, place in chosen)

    def _drawn(self, blank: Collection[str]) -> _Drawn:
        texts_of, own = self._records.texts, self._own.values
        all_texts = [(place, text) for place, texts in enumerate(texts_of) for text in texts]
        chosen = [number for number, (_, text) in enumerate(all_texts) if text not in blank]
        places = [all_texts[number][0] for number in chosen]
        found = None if self._found is None else [self._found[number] for number in chosen]
        values = [own[place] for place in places] if own and found is None else None
        every = [scope for scopes in self._own.scopes for scope in scopes]
        scopes = [every[number] for number in chosen] if self._own.scopes else None
        return _Drawn([all_texts[number][1] for number in chosen], places, values, found, scopes)

    def _count(self, name: bytes, kinds: Counter[str], sanitizer: Sanitizer) -> None:
        self.persons[name] = added(self.persons.get(name, ()), trimmed(kinds, sanitizer.setting.counted))


def _map_of(release: Release, text: str) -> PrivateMap:
    """The private map of a release; of one that is its text as it was there may be none."""
    if release.private_map is not None:
        return release.private_map
    if release.text != text:
        raise ParameterError("a private map needs releases that can be undone; these cannot. Use a policy of spans.")
    return PrivateMap(released=text, replaced=())


def _scopes(sanitizer: Sanitizer, drawn: Sequence[int]) -> list[Scope] | None:
    """Return each text's scope: those of a record are one document. None: the sanitizer draws without memory."""
    if not sanitizer.remembers:
        return None
    scopes: dict[int, Scope] = {place: MemoryScope() for place in drawn}
    return [scopes[place] for place in drawn]


def _blank_releases(sanitizer: Sanitizer, documents: Sequence[Sequence[str]]) -> dict[str, Release]:
    """The releases of blank texts, each made once: nothing is drawn for them, so that all of one text are equal.

    Half a million empty lines are a block like any other, and must not cost as much as half a million documents. If
    a mechanism draws for a text as a whole, it draws for a blank one too, and each is released by itself.
    """
    there = _BLANK.intersection(text for texts in documents for text in texts)
    releases = {text: sanitizer.batch([text], spans=False)[0] for text in there}
    drawn = [protected.kind for protected in sanitizer.setting.protected]
    return {text: release for text, release in releases.items() if not any(release.kinds.get(kind) for kind in drawn)}


class Engine(Protocol):
    """Releases blocks; the output is the same, byte for byte, whatever the engine."""

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """The outcome of every block, in the order of the blocks.

        ``blocks`` is drawn from lazily with a bounded number of blocks in flight. A block whose worker dies is done
        again and given up as ``block_queue.py`` says. Closing the iterator ends the work.
        """


class InProcess:
    """One block after another, here: no process is started."""

    def outcomes(self, worker: BlockWorker, blocks: Iterable[Block]) -> Iterator[Outcome]:
        release = worker.opened()
        return map(release, blocks)
