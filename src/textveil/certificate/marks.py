"""Files of marks: which pages were drawn, who read each, and what was missed or wrong on it; no text.

A file is one JSON object a line. The first is the header: it is written before any page is shown, and binds the marks
to a version, a policy, a release, its originals and a draw. Each other line is what a reviewer said of a page.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from textveil.certificate.sampling import Draw
from textveil.errors import InputError, OutputError, ParameterError, need
from textveil.json_text import FILE_BYTES, json_data

FORM: Final = 1  # of the file
_HINT: Final = "Draw anew: name another file for `marks`."
_NAME: Final = re.compile(r"[\w.@-]{1,60}")


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of an original, and the kind of value that they are."""

    start: int
    end: int
    kind: str


class Guess(NamedTuple):
    """A likely value that the policy left: its place, its kind and the detector's score, from 0 to 1."""

    start: int
    end: int
    kind: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """The release and policy that marks are about; marks of anything else say nothing of it."""

    textveil: str  # version of the detector
    policy: str  # its name
    policy_digest: str  # its digest
    documents: int  # how many the release has
    release_sha256: str  # digest of the released file
    original_hmac: str  # keyed digest of the original texts in their order; the key is the draw's


class Period(NamedTuple):
    """First and last day of a sample of conversations, and the probability with which each was drawn."""

    since: str
    until: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The header: how pages were drawn, before any was read.

    ``found``: for each kind, how many pages of the corpus have how many values that the detector found; ``sampled``: of
    conversations of a server, the period; None for a release. Only those that were kept can be read.
    """

    key: str  # of the draw, 32 hexadecimal digits, at random; each line of marks repeats it
    binding: Binding  # what the marks are about
    draw: Draw  # the order and the weights of pages
    found: Mapping[str, Mapping[int, int]]
    twice: int  # every how many pages of the order a second reviewer reads one
    secure: bool  # whether the operating system's randomness drew the pages; marks of a seed certify nothing
    sampled: "Period | None" = None

    def __post_init__(self) -> None:
        need(max(self.draw.pages) <= self.binding.documents, "pages", max(self.draw.pages), "a page of the corpus")
        need(self.twice >= 1, "twice", self.twice, ">= 1")
        pages = {sum(each.values()) for each in self.found.values()}
        need(pages <= {self.binding.documents}, "found", "others", "counts of all pages")

    def to_data(self) -> dict[str, Any]:
        draw = {
            "pages": self.draw.pages,
            "weights": self.draw.weights,
            "total_weight": self.draw.total,
            "least_weight": self.draw.least,
        }
        return {
            "marks": FORM,
            "key": self.key,
            **asdict(self.binding),
            "found": {kind: {str(count): pages for count, pages in each.items()} for kind, each in self.found.items()},
            "twice": self.twice,
            "randomness": "operating system" if self.secure else "seeded: not for release",
            **({} if self.sampled is None else {"sampled": self.sampled._asdict()}),
            "draw": draw,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The mark of one reviewer on one page."""

    page: int  # number of the record, from 1
    reviewer: str  # a short name
    missed: tuple[Span, ...] = ()  # values that the release shows
    wrong: tuple[Span, ...] = ()  # replaced spans that were none
    found: Mapping[str, int] = field(default_factory=dict)  # how many spans were replaced on the page, by kind
    guesses: tuple[Guess, ...] = ()  # likely values that the policy left
    day: date  # when it was read
    corrects: bool = False  # whether it replaces an earlier line of the same reviewer about the same page

    @property
    def verdict(self) -> str:
        """Return "missed", "wrong" (and nothing missed) or "fine"."""
        return "missed" if self.missed else "wrong" if self.wrong else "fine"


def corpus_hmac(key: str, texts: Iterable[str]) -> str:
    """Return a keyed digest of texts in their order: without the key it does not tell whether a guess of them is right.

    ``key``: hexadecimal.
    """
    digest = hashlib.blake2b(key=bytes.fromhex(key), digest_size=32, person=b"textveil marks")
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def new_key() -> str:
    """Return a key for a new draw."""
    return secrets.token_hex(16)


class Marks:
    """The marks of a file: its design, and for each page what each reviewer said of it last.

    ``path``: the file. Raises InputError: it cannot be read, or is no file of marks.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.design, header = self._header()
        self._end = len(header)
        self._places = {page: place for place, page in enumerate(self.design.draw.pages)}
        sample = self.design.draw.sample(self.design.binding.documents, len(self._places))
        self._probabilities = [float(probability) for probability in sample.probabilities]
        self.by_page: dict[int, dict[str, Mark]] = {}
        self._number = 1
        self._digest = hashlib.sha256(header)
        self.read_on()

    @classmethod
    def begun(cls, path: Path, design: Design) -> "Marks":
        """Write a new file, for its owner alone (mode 0600), and return its marks.

        Raises OutputError: a file of this name exists, or none can be written.
        """
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise OutputError(f"the file of `marks` must not exist yet; it does. {_HINT}") from None
        except OSError as error:
            raise OutputError(f"the file of `marks` must be writable; got: {error.strerror}.") from None
        with os.fdopen(handle, "wb") as stream:
            _write(stream, design.to_data())
        return cls(path)

    def read_on(self) -> None:
        """Read what was written to the file since, by other reviewers; a line that is not complete waits.

        Raises InputError: a line is no mark of this draw.
        """
        with _opened(self.path) as stream:
            stream.seek(self._end)
            data = stream.read(FILE_BYTES)
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            self._number += 1
            mark = self._mark(line)
            self.by_page.setdefault(mark.page, {})[mark.reviewer] = mark
        self._digest.update(whole)
        self._end += len(whole)

    def add(self, mark: Mark) -> None:
        """Append a mark to the file, on the disk before this returns, and read what others wrote meanwhile.

        Raises ParameterError: the reviewer has marked the page already; OutputError: it cannot be written.
        """
        try:
            with self.path.open("r+b") as stream, _locked(stream):
                self.read_on()
                again = mark.reviewer in self.by_page.get(mark.page, {})
                wanted = "one that you marked, to correct it" if mark.corrects else "one that you did not mark"
                need(mark.page in self._places and again == mark.corrects, "page", mark.page, wanted)
                stream.truncate(self._end)  # what a crash left of a line
                stream.seek(self._end)
                _write(stream, self._data(mark))
        except OSError as error:
            raise OutputError(f"the file of `marks` must be writable; got: {error.strerror}.") from None
        self.read_on()

    def digest(self) -> str:
        """Return the SHA-256 of the header and all marks."""
        return self._digest.hexdigest()

    def read_pages(self) -> list[list[Mark]]:
        """Return the marks of the first pages of the order, as far as all are read; one page's marks together.

        A page behind one that nobody read does not count: who chooses what to read would choose the result.
        """
        pages: list[list[Mark]] = []
        for page in self.design.draw.pages:
            if not (marks := self.by_page.get(page)):
                break
            pages.append(list(marks.values()))
        return pages

    def due(self, reviewer: str, *, but: Iterable[int] = ()) -> int | None:
        """Return the page that a reviewer reads next; None if there is none left.

        It is the first that nobody read or, if some are read twice, one that a single other reviewer read.
        ``but``: pages that are left out.
        """
        left_out = set(but)
        several = len({name for marks in self.by_page.values() for name in marks} | {reviewer}) > 1
        for place, page in enumerate(self.design.draw.pages):
            marks = self.by_page.get(page, {})
            second = several and place % self.design.twice == 0 and len(marks) == 1 and reviewer not in marks
            if page not in left_out and (not marks or second):
                return page
        return None

    def _data(self, mark: Mark) -> dict[str, Any]:
        return {
            "key": self.design.key,
            "page": mark.page,
            "probability": self._probabilities[self._places[mark.page]],
            "reviewer": mark.reviewer,
            "verdict": mark.verdict,
            "missed": mark.missed,
            "wrong": mark.wrong,
            "found": dict(mark.found),
            "guesses": mark.guesses,
            "date": mark.day.isoformat(),
            **({"corrects": True} if mark.corrects else {}),
        }

    def _header(self) -> tuple[Design, bytes]:
        with _opened(self.path) as stream:
            line = stream.readline(FILE_BYTES)
        try:
            data = json_data(line)
            if data["marks"] != FORM or not line.endswith(b"\n"):
                raise ValueError
            return _design(data), line
        except (ValueError, KeyError, TypeError, AttributeError, ParameterError):
            raise InputError(
                "marks must begin with the header that textveil review wrote, with the key of the draw; this file does "
                f"not. {_HINT}"
            ) from None

    def _mark(self, line: bytes) -> Mark:
        where = f"marks, line {self._number}"
        try:
            data = json_data(line)
            key = data["key"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{where}: must be a mark with the key of its draw; got none. Remove it.") from None
        if key != self.design.key:
            raise InputError(f"{where}: must have the key of the header; got one of another draw. Remove it.")
        try:
            mark = _mark(data)
            place = self._places[mark.page]
            fits = data["verdict"] == mark.verdict and data["probability"] == self._probabilities[place]
        except (ValueError, KeyError, TypeError, AttributeError, ParameterError):
            fits = False
        if not fits:
            raise InputError(f"{where}: must be as textveil review wrote it; it was changed. Remove it.")
        if (mark.reviewer in self.by_page.get(mark.page, {})) != mark.corrects:
            wanted = "an earlier line to correct" if mark.corrects else "one line for a page and a reviewer"
            raise InputError(f"{where}: must have {wanted}; got page {mark.page} otherwise. Remove the line.")
        return mark


def need_same(marks: Binding, now: Binding) -> None:
    """Refuse marks that are about something else.

    Raises ParameterError: version, policy, number of documents, release or originals differ.
    """
    for name, what in _WHAT.items():
        need(getattr(marks, name) == getattr(now, name), "marks", "those of another", f"of this {what}", _HINT)


_WHAT: Final = {
    "textveil": "version of textveil, which finds what it finds",
    "policy_digest": "policy, as it is now",
    "documents": "number of documents",
    "release_sha256": "released file, as it is now",
    "original_hmac": "corpus of originals, as it is now",
}


def checked_reviewer(name: str) -> str:
    """Return a reviewer's name if it is short and plain."""
    need(bool(_NAME.fullmatch(name)), "reviewer", "another text", "1 to 60 letters, digits, and . @ _ -")
    return name


def _design(data: Mapping[str, Any]) -> Design:
    draw, found = data["draw"], data["found"]
    if not re.fullmatch("[0-9a-f]{32}", data["key"]):
        raise ValueError
    return Design(
        key=data["key"],
        binding=Binding(
            **{name: _typed(data[name], int if name == "documents" else str) for name in Binding.__slots__}
        ),
        draw=Draw(
            _integers(draw["pages"]),
            _integers(draw["weights"]),
            _typed(draw["total_weight"], int),
            _typed(draw["least_weight"], int),
        ),
        found={kind: {int(count): pages for count, pages in _counts(each).items()} for kind, each in found.items()},
        twice=_typed(data["twice"], int),
        secure=data["randomness"] == "operating system",
        sampled=_period(data["sampled"]) if "sampled" in data else None,
    )


def _period(data: Mapping[str, Any]) -> Period:
    since, until = (date.fromisoformat(data[name]).isoformat() for name in ("since", "until"))
    return Period(since, until, _share(data["share"]))


def _mark(data: Mapping[str, Any]) -> Mark:
    return Mark(
        page=_typed(data["page"], int),
        reviewer=checked_reviewer(data["reviewer"]),
        missed=spans_of(data["missed"]),
        wrong=spans_of(data["wrong"]),
        found=_counts(data["found"]),
        guesses=tuple(
            Guess(_typed(start, int), _typed(end, int), _typed(kind, str), _share(score))
            for start, end, kind, score in data["guesses"]
        ),
        day=date.fromisoformat(data["date"]),
        corrects=data.get("corrects", False) is True,
    )


def spans_of(data: Any) -> tuple[Span, ...]:
    """Return spans from JSON data, by start; raise ValueError if they are none or overlap."""
    spans = sorted(Span(_typed(start, int), _typed(end, int), _typed(kind, str)) for start, end, kind in data)
    before = 0
    for span in spans:
        if not (before <= span.start < span.end and _NAME.fullmatch(span.kind)):
            raise ValueError
        before = span.end
    return tuple(spans)


def _share(value: Any) -> float:
    if not 0 <= _typed(value, float) <= 1:
        raise ValueError
    return float(value)


def _counts(data: Mapping[str, Any]) -> dict[str, int]:
    counts = {str(kind): _typed(count, int) for kind, count in data.items()}
    if any(count < 0 for count in counts.values()):
        raise ValueError
    return counts


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError
    return value


def _integers(values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(_typed(value, int) for value in values)


def _write(stream: BinaryIO, data: Mapping[str, Any]) -> None:
    stream.write(json.dumps(data, allow_nan=False).encode("ascii") + b"\n")
    stream.flush()
    os.fsync(stream.fileno())


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise InputError(
            f"the file of marks must be readable; got: {error.strerror or type(error).__name__}."
        ) from None


@contextlib.contextmanager
def _locked(stream: BinaryIO) -> Iterator[None]:
    """Keep other reviewers' processes from writing meanwhile, where the system can."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX)  # until the file is closed
    yield
