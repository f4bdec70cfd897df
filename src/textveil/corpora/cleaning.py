"""Secrets and persons out of transcripts: what is found in a file, and the file without it.

Searches may run in processes of their own, which are killed if a text takes too long. A string that was searched
is remembered: transcripts say most things twice. What one string of a file tells (a name, a password) is
replaced wherever the file says it again; one value has one surrogate in a file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from textveil.corpora.transcripts import Passage, Piece, Transcript
from textveil.cuts import held_by
from textveil.detection.found import plain
from textveil.detection.kinds import ENCODED
from textveil.detection.people_in_records import is_plain_form
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, SlowText, need
from textveil.json_text import LeafKind
from textveil.sanitize.finding_process import FoundApart
from textveil.sanitize.policy.finding import LAST, PERSON, RECORD
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.scopes import MemoryScope
from textveil.text.no_text import what_it_is

SECRETS: Final = ("secret", ENCODED)
PERSONS: Final = (PERSON, "email", "phone", "handle", "ip", "id", "url")
"""Kinds that are taken out if nobody names a policy. UUIDs and bare numbers link messages, and stay."""

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z.,' -]{1,80}")
_SURE: Final = 0.6
_WEAK: Final = frozenset(("guess", "pair", "tagger", "verb"))  # evidence that names nobody for other texts
_TOKEN: Final = re.compile(r"[^\W_]+")
_SAID_AGAIN: Final = {"secret": 6, "email": 6, "phone": 7, "id": 8, "handle": 5}
"""Kinds whose values are looked for in all of a file, and from how many characters on."""
_SHARED: Final = frozenset((
    "admin", "backup", "debian", "deploy", "guest", "jenkins", "nobody", "postgres", "runner", "ubuntu", "vscode",
))  # fmt: skip
"""Logins that name nobody."""
_BATCH: Final = 60_000  # characters that a process reads at once
_REMEMBERED: Final = 200_000_000  # characters of strings whose spans are remembered
_DRAWN: Final = 500  # texts that are drawn at once
_SHORTEST_FILE: Final = 200  # characters from which on a string may be a file
_WHOLE: Final = DetectedSpan(0, 1, ENCODED, 1.0, ENCODED)

Spans = list[DetectedSpan]


class Finding(NamedTuple):
    """A value that was found: the line where its text begins, and its kind."""

    line: int
    kind: str


Search = Callable[[Sequence[str]], Iterator[tuple[Sequence[str], Sequence[Spans | None]]]]
"""Finds the spans of texts: yields some of them with theirs, None for one that takes too long."""


class Memory:
    """Memory over the texts of a file, or of a trace: surrogates, and values that may be said again."""

    def __init__(self) -> None:
        self.scope = MemoryScope()
        self.told = _Told()


def checked_policy(chosen: Policy) -> Policy:
    """Return a policy by which texts can be cleaned. Raises ParameterError: it draws words, or finds nothing."""
    fits = chosen.finds_spans and not chosen.draws_words
    need(fits, "policy", chosen.name, "one that keeps words and finds values, such as prompts or clinical")
    return chosen


class Cleaner:
    """Finds and replaces values of kinds in files.

    Args:
        policy: of ``checked_policy``.
        kinds: that are replaced; None is all that the policy replaces.
        search: None searches in this process.
    """

    def __init__(self, policy: Policy, kinds: Iterable[str] | None, search: Search | None = None) -> None:
        self._sanitizer = Sanitizer(policy)
        parts = parts_of(policy)
        self._finder, drawn = parts.finder, frozenset(parts.surrogates)
        self._kinds = drawn if kinds is None else drawn & frozenset(kinds)
        self._all = kinds is None
        self._search = search or self._here
        self._known: dict[str, Spans] = {}
        self._size = 0

    def found(self, transcript: Transcript, memory: Memory) -> dict[int, Spans]:
        """Find what is to be replaced: spans of pieces, by the number of each that has some.

        Raises InputError: a text takes too long (names its line), or is none.
        """
        texts = dict.fromkeys(passage.text for passage in transcript.passages)
        for batch, answer in self._search([text for text in texts if text not in self._known]):
            for text, spans in zip(batch, answer, strict=True):
                if spans is None:
                    passage = next(passage for passage in transcript.passages if passage.text == text)
                    line = _line_of(transcript, passage.pieces[0][1])
                    raise InputError(f"line {line}: its text must be read in time; it takes too long. Leave it out.")
                self._known[text] = [span for span in spans if self._is_wanted(text, span)]
                self._size += len(text)
        spans_of = {text: self._known[text] for text in texts}
        if self._size > _REMEMBERED:
            self._known, self._size = {}, 0
        found = {
            number: [DetectedSpan(0, len(_text_of(transcript.parts[number])), kind, 1.0, RECORD)]
            for number, kind in transcript.named.items()
            if kind in self._kinds
        }
        memory.told.add({_text_of(transcript.parts[number]): spans for number, spans in found.items()})
        memory.told.add(spans_of)
        spans_of = {text: memory.told.again(text, spans, self._carried) for text, spans in spans_of.items()}
        for passage in transcript.passages:
            for number, spans in _of_pieces(passage, spans_of[passage.text], transcript.parts):
                found.setdefault(number, []).extend(spans)
        if "handle" in self._kinds:
            self._free_references(transcript, found)
        return found | {number: [_WHOLE] for number in _unreadable(transcript)}

    def released(self, transcript: Transcript, found: Mapping[int, Spans], memory: Memory) -> list[str | None]:
        """Return the text of each part in which something was found, with a surrogate for each span."""
        released: list[str | None] = [None] * len(transcript.parts)
        numbers = []
        for number in found:
            if found[number] == [_WHOLE]:
                released[number] = f"[{ENCODED}]"
            else:
                numbers.append(number)
        # whole names first: what stands for a part of one follows
        numbers.sort(key=lambda number: -max((span.end - span.start for span in found[number]), default=0))
        for first in range(0, len(numbers), _DRAWN):
            some = numbers[first : first + _DRAWN]
            texts = [_text_of(transcript.parts[number]) for number in some]
            spans, scopes = [found[number] for number in some], [memory.scope] * len(some)
            releases = self._sanitizer.batch(texts, found=spans, scopes=scopes, maps=False, spans=False)
            for number, release in zip(some, releases, strict=True):
                released[number] = release.text
        new_names = {_text_of(transcript.parts[n]): released[n] or "" for n in transcript.named if released[n]}
        if transcript.attachments:
            pattern = _references(transcript.attachments)
            for number in numbers:
                if number not in transcript.named:
                    renamed = lambda match: "attachment:" + quote(new_names.get(unquote(match[1]), match[1]))  # noqa: E731
                    released[number] = pattern.sub(renamed, released[number] or "")
        keys: dict[str, str] = {}
        for number in numbers:
            part = transcript.parts[number]
            if isinstance(part, Piece) and part.leaf is not None and part.leaf.kind is LeafKind.KEY:
                text = released[number] or ""
                while keys.setdefault(text, part.text) != part.text:  # two keys stay two
                    text += "+"
                released[number] = text
        return released

    def _free_references(self, transcript: Transcript, found: dict[int, Spans]) -> None:
        """Take references to attachments out of what is drawn: they get the attachments' new names (``released``)."""
        for number, part in enumerate(transcript.parts if transcript.attachments else ()):
            if isinstance(part, Piece) and "attachment:" in part.text and number not in transcript.named:
                places = [match.span() for match in _references(transcript.attachments).finditer(part.text)]
                found[number] = [
                    span
                    for span in found.get(number, [])
                    if not any(span.start < end and span.end > start for start, end in places)
                ]

    def _here(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[Spans | None]]]:
        yield texts, self._finder.found(texts) if texts else []

    def _is_wanted(self, text: str, span: DetectedSpan) -> bool:
        if span.kind not in self._kinds:
            return False
        return self._all or not (span.detector == LAST or _UUID.fullmatch(text, span.start, span.end))

    def _carried(self, text: str, spans: Spans, persons: Sequence[str]) -> Spans:
        return self._finder.with_carried(text, spans, persons) if PERSON in self._kinds else spans


class SearchApart:
    """Searches in processes of their own (``Search``).

    ``policy``: as of the cleaner; ``workers``: processes; ``seconds``: of processor time that a text may take.
    """

    def __init__(self, policy: Policy, workers: int, seconds: float = 60.0) -> None:
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="textveil-clean")
        self._idle: SimpleQueue[FoundApart] = SimpleQueue()
        for _ in range(workers):
            self._idle.put(FoundApart(policy, seconds))

    def __call__(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[Spans | None]]]:
        """Yield texts with their spans."""
        return self._workers.map(self._searched, _batches(texts))

    def close(self) -> None:
        """End the processes when what they do is done."""
        self._workers.shutdown()

    def _searched(self, batch: list[str]) -> tuple[Sequence[str], Sequence[Spans | None]]:
        finder = self._idle.get()
        try:
            return batch, finder.found(batch, None)
        except SlowText:
            return batch, [_alone(finder, text) for text in batch]
        finally:
            self._idle.put(finder)


def _references(names: Iterable[str]) -> re.Pattern[str]:
    """Return what finds references to attachments of these names, as they are or as URLs have them."""
    forms = {form for name in names for form in (name, quote(name), quote(name, safe="()"))}
    return re.compile("attachment:(" + "|".join(map(re.escape, sorted(forms, key=len, reverse=True))) + ")")


def _alone(finder: FoundApart, text: str) -> Spans | None:
    try:
        return finder.found([text], None)[0]
    except SlowText:
        return None


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for text in texts:
        batch.append(text)
        size += len(text) + 40
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Told:
    """Values that the passages of a file tell, by the words at which they may be said again."""

    def __init__(self) -> None:
        self._values: dict[str, list[tuple[int, str, str]]] = {}
        self._persons: dict[str, list[str]] = {}
        self._seen = set[tuple[str, str]]()

    def add(self, spans_of: Mapping[str, Spans]) -> None:
        for text, spans in spans_of.items():
            for span in spans:
                value = text[span.start : span.end]
                if (value, span.kind) in self._seen:
                    continue
                self._seen.add((value, span.kind))
                if span.kind == PERSON:
                    self._person(value, span)
                elif len(value) >= _SAID_AGAIN.get(span.kind, len(value) + 1):
                    low, token = value.lower(), _TOKEN.search(value)
                    if token is not None and not (is_plain_form(low) or low in _SHARED):
                        self._values.setdefault(token[0], []).append((token.start(), value, span.kind))

    def _person(self, value: str, span: DetectedSpan) -> None:
        name = plain(value).text
        if span.score >= _SURE and span.why not in _WEAK and _NAME.fullmatch(name):
            words = _TOKEN.findall(name.lower())
            logins = [f"{words[0][0]}{words[-1]}", f"{words[0]}{words[-1]}", f"{words[-1]}{words[0][0]}"]
            for token in {*words, *logins[: 3 * (len(words) > 1)]}:
                if len(token) > 2:
                    self._persons.setdefault(token, []).append(name)

    def again(self, text: str, spans: Spans, carried: Callable[[str, Spans, Sequence[str]], Spans]) -> Spans:
        """Return the spans of a text with what is told elsewhere."""
        tokens = set(_TOKEN.findall(text))
        if said := tokens & self._values.keys():
            spans = self._said(text, spans, said)
        persons = [
            name for token in {each.lower() for each in tokens} & self._persons.keys() for name in self._persons[token]
        ]
        return carried(text, spans, list(dict.fromkeys(persons))) if persons else spans

    def _said(self, text: str, spans: Spans, said: set[str]) -> Spans:
        taken = held_by(text, spans)
        more: Spans = []
        for token in _TOKEN.finditer(text):
            for offset, value, kind in self._values[token[0]] if token[0] in said else ():
                start, end = token.start() - offset, token.start() - offset + len(value)
                if start >= 0 and text.startswith(value, start) and 1 not in taken[start:end]:
                    taken[start:end] = b"\1" * len(value)
                    more.append(DetectedSpan(start, end, kind, 1.0, "said again"))
        return sorted([*spans, *more])


def _of_pieces(passage: Passage, spans: Spans, parts: Sequence[str | Piece]) -> Iterator[tuple[int, Spans]]:
    """Yield the spans of each piece that has some, cut at its ends, in its own characters."""
    for start, number in passage.pieces:
        text = _text_of(parts[number])
        end = start + len(text)
        own = [
            _trimmed(text, max(span.start, start) - start, min(span.end, end) - start, span)
            for span in spans
            if span.start < end and span.end > start
        ]
        if own := [span for span in own if span.start < span.end]:
            yield number, own


def _unreadable(transcript: Transcript) -> Iterator[int]:
    """Yield the pieces that are no text. Raises InputError: a whole file is none."""
    for number, part in enumerate(transcript.parts):
        if isinstance(part, Piece) and len(part.text) >= _SHORTEST_FILE and (instead := what_it_is(part.text)):
            if part.leaf is None:
                raise InputError(f"the file must be text; it holds {instead}. Leave it out.")
            yield number


def _trimmed(text: str, start: int, end: int, span: DetectedSpan) -> DetectedSpan:
    written = text[start:end]
    start += len(written) - len(written.lstrip())
    return span._replace(start=start, end=max(start, end - len(written) + len(written.rstrip())))


def findings(transcript: Transcript, found: Mapping[int, Spans]) -> list[Finding]:
    """Return what was found, by line; none of it is text."""
    return sorted(
        {
            Finding(
                _line_of(transcript, number) + _text_of(transcript.parts[number]).count("\n", 0, span.start)
                if _is_plain(transcript.parts[number])
                else _line_of(transcript, number),
                span.kind,
            )
            for number, spans in found.items()
            for span in spans
        }
    )


def _is_plain(part: str | Piece) -> bool:
    return isinstance(part, Piece) and part.leaf is None


def _text_of(part: str | Piece) -> str:
    assert isinstance(part, Piece)
    return part.text


def _line_of(transcript: Transcript, number: int) -> int:
    part = transcript.parts[number]
    assert isinstance(part, Piece)
    return part.line
