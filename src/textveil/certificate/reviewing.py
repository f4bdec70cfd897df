"""A review that a person does in a browser of this machine, page after page of a draw; and lists that marks teach.

Values that a policy missed are hidden everywhere, and those that it replaced wrongly stay.
"""

import hmac
import secrets
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

from textveil.certificate.bounds import LEVEL, pages_still_needed, upper_count
from textveil.certificate.certify import Found, direct_misses, share_of, together
from textveil.certificate.marks import Mark, Marks, Span, corpus_hmac, spans_of
from textveil.detection.given import ListDetector
from textveil.errors import InputError, ParameterError, TextveilError, need
from textveil.json_text import json_data, json_text
from textveil.pages.comparison import Piece, compared
from textveil.pages.messages import said
from textveil.pages.rendering import piece_data

_MOST_BYTES: Final = 1 << 20  # of a request
_BACK: Final = "back"


class Review:
    """A reviewer's way through the pages of a draw.

    Args:
        marks: where marks are kept, from the first click on.
        texts: originals and their releases, in the order of the release; private.
        find: says what was found in an original.
        kinds: that a missed value may be of.
        reviewer: their name in the marks.
        target: share of pages with a missed direct identifier that reading aims at, between 0 and 1.
    """

    def __init__(
        self,
        marks: Marks,
        texts: Sequence[tuple[str, str]],
        find: Callable[[str], Found],
        *,
        kinds: Sequence[str],
        reviewer: str,
        target: float,
    ) -> None:
        self._marks, self._texts, self._find, self._target = marks, texts, find, target
        self._kinds, self._reviewer = frozenset(kinds), reviewer
        self._ahead = ThreadPoolExecutor(1)
        self._made: dict[int, Future[_Shown]] = {}
        self._last: int | None = None
        self._lock = threading.Lock()

    def page(self) -> dict[str, Any]:
        """Return the next page of the reviewer as JSON data."""
        with self._lock:
            return self._page()

    def answer(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Keep what the reviewer said of a page, and return the next one.

        ``data``: ``page``, and ``missed`` and ``wrong`` as spans; or ``back`` alone, for the page before. Raises
        ParameterError: it is no mark of a page that was shown, or the page is marked already.
        """
        with self._lock:
            if data.get(_BACK):
                return self._page(self._last)
            mark = self._mark(data)
            self._marks.add(mark)
            self._last = mark.page
            return self._page()

    def _mark(self, data: Mapping[str, Any]) -> Mark:
        try:
            page = data["page"]
            missed, wrong = spans_of(data["missed"]), spans_of(data["wrong"])
            known = type(page) is int and page in self._made
        except (KeyError, TypeError, ValueError):
            known = False
        need(known, "page", "another", "a page that was shown, with spans in order", "Load the page again.")
        shown = self._made[page].result()
        length, found = len(self._texts[page - 1][0]), set(shown.found.spans)
        fits = all(span.end <= length and span.kind in self._kinds for span in missed)
        need(fits, "missed", "others", "spans of the text, of the policy's kinds", "Load the page again.")
        need(found.issuperset(wrong), "wrong", "others", "spans that were replaced", "Load the page again.")
        return Mark(
            page=page,
            reviewer=self._reviewer,
            missed=missed,
            wrong=wrong,
            found=Counter(span.kind for span in shown.found.spans),
            guesses=shown.found.guesses,
            day=datetime.now(UTC).date(),
            corrects=self._reviewer in self._marks.by_page.get(page, {}),
        )

    def _page(self, number: int | None = None) -> dict[str, Any]:
        number = self._marks.due(self._reviewer) if number is None else number
        data: dict[str, Any] = {"page": None, "pieces": [], "missed": [], "wrong": []}
        data["back"] = self._last is not None
        if number is not None:
            earlier = self._marks.by_page.get(number, {}).get(self._reviewer)
            data |= {} if earlier is None else {"missed": earlier.missed, "wrong": earlier.wrong}
            pieces = self._shown(number).result().pieces
            data |= {"page": number, "pieces": [piece_data(piece) for piece in pieces]}
            following = self._marks.due(self._reviewer, but=[number])
            if following is not None:  # found while this page is read
                self._shown(following)
        return data

    def _shown(self, number: int) -> "Future[_Shown]":
        if number not in self._made:
            self._made[number] = self._ahead.submit(self._make, number)
        return self._made[number]

    def _make(self, number: int) -> "_Shown":
        original, released = self._texts[number - 1]
        found = self._find(original)
        pieces = compared(original, released, found.spans, found.guesses)
        if self._marks.design.sampled is None:
            return _Shown(found, pieces)
        # A server read each text as it came: what is found only beside later ones stayed, and can be marked as missed.
        spans = tuple(_replaced(found.spans, pieces))
        stayed = set(found.spans).difference(spans)
        shown = compared(original, released, spans, [*found.guesses, *stayed]) if stayed else pieces
        return _Shown(found._replace(spans=spans), shown)

    def standing(self) -> list[str]:
        """Return how many pages were read, what they prove, and about how many more the target takes."""
        documents = self._marks.design.binding.documents
        with self._lock:
            values, sample = direct_misses(self._marks)
        if not sample.read:
            return [f"{documents:,} documents; none read yet"]
        at_most = share_of(upper_count(values, sample, LEVEL), documents)
        parts = [
            f"{sample.read:,} of {documents:,} documents read",
            f"with {100 * LEVEL:g} % confidence at most {at_most} hold a missed direct identifier",
        ]
        more = pages_still_needed(values, sample, self._target)
        aim = f"{100 * self._target:g} %"
        if more == 0:
            return [*parts, f"no more pages needed for {aim}"]
        return [*parts, f"{aim} is out of reach: more is missed" if more is None else f"about {more:,} more for {aim}"]


def _replaced(spans: Iterable[Span], pieces: Iterable[Piece]) -> Iterator[Span]:
    """Yield the spans in whose piece the release differs."""
    same, at = set[int](), 0
    for piece in pieces:
        if piece.was == piece.now:
            same.update(at + start for start, _, _ in piece.kinds)
        at += len(piece.was)
    return (span for span in spans if span.start not in same)


class _Shown(NamedTuple):
    found: Found
    pieces: list[Piece]


_POLICY: Final = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class ReviewServer(ThreadingHTTPServer):
    """Serves a review to this machine alone, at an address that holds a secret of this run.

    ``review``: what is served; ``page``: HTML of the page; ``digests``: of its ``style`` and ``script``, for the
    browser's policy.
    """

    daemon_threads = True

    def __init__(self, review: Review, page: str, digests: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.review, self.page = review, page.encode("utf-8")
        self.policy = _POLICY.format(**digests)
        self.secret = secrets.token_urlsafe(24)
        self.failure: TextveilError | None = None

    @property
    def host(self) -> str:
        """Return the name that requests must call this server by: another site's name is none of them."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        return f"http://{self.host}/{self.secret}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a browser went away, and a message could quote a text."""


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    protocol_version = "HTTP/1.1"
    timeout = 60.0

    def do_GET(self) -> None:
        with self._failures():
            if (place := self._place()) == "":
                self._send(self.server.page, "text/html; charset=utf-8")
            elif place == "page":
                self._send_data(self.server.review.page())
            elif place == "standing":  # apart from the page, which does not wait for it
                self._send_data({"said": [said(part) for part in self.server.review.standing()]})
            else:
                self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Keep a mark and send the next page, or end."""
        with self._failures():
            place, length = self._place(), self.headers.get("Content-Length", "")
            ours = self.headers.get("Origin") == f"http://{self.server.host}"
            if not (ours and length.isdecimal() and int(length) <= _MOST_BYTES):
                self.close_connection = True
                self._refuse(HTTPStatus.FORBIDDEN)
                return
            body = self.rfile.read(int(length))
            if place == "mark":
                self._send_data(self.server.review.answer(_object(body)))
            elif place == "end":
                self._send_data({})
                threading.Thread(target=self.server.shutdown).start()
            else:
                self._refuse(HTTPStatus.NOT_FOUND)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except ParameterError as error:
            self._send_data({"error": str(error)}, HTTPStatus.CONFLICT)
        except TextveilError as error:  # the file of marks is gone or changed: nothing more can be kept
            self.server.failure = error
            self._send_data({"error": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)
            threading.Thread(target=self.server.shutdown).start()

    def _place(self) -> str | None:
        """Return what is asked for behind the secret; None if the secret or the host's name is another."""
        secret, _, place = self.path[1:].partition("/")
        known = hmac.compare_digest(secret.encode("utf-8", "replace"), self.server.secret.encode("ascii"))
        return place if known and self.headers.get("Host") == self.server.host else None

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(b"", "text/plain", status)

    def _send_data(self, data: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json_text(data, indent=0).encode("ascii"), "application/json", status)

    def _send(self, content: bytes, media_type: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": media_type,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": self.server.policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing: addresses hold the secret."""


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        data = json_data(body)
    except ValueError:
        data = None
    if not isinstance(data, Mapping):
        raise ParameterError("a mark must be a JSON object; got something else. Load the page again.")
    return data


_LEAST: Final = 3  # characters of a listed phrase: shorter ones, such as initials, mean something else elsewhere
_OPENS: Final = "[["  # what opens a place within an entry of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """Phrases for the lists of a policy, private.

    ``left_out``: values that no list can take: shorter than three characters, without letters and digits, or of a kind
    that takes no list; ``common``: number of hidden phrases that stand unmarked on these pages more often than marked:
    perhaps a name that is a word too.
    """

    pages: int  # number of pages that were read
    hidden: Mapping[str, Collection[str]] = field(repr=False)  # missed values, by kind
    kept: Collection[str] = field(repr=False)  # values that were replaced wrongly wherever they were found on the pages
    left_out: int
    common: int


def taught(marks: Marks, texts: Sequence[str], found: Mapping[int, Iterable[Span]], kinds: Collection[str]) -> Taught:
    """Return the lists that follow from marks. Every page that was read counts, whatever its place in the draw.

    Args:
        marks: the marks of a review.
        texts: originals of the whole corpus, in its order; private.
        found: spans that the policy replaced on each page that was read, by page number from 1.
        kinds: kinds that a list may give a hidden phrase.

    Raises ParameterError: the texts are not those of the marks; InputError: no page was read, or nothing was marked on
    any.
    """
    same = corpus_hmac(marks.design.key, texts) == marks.design.binding.original_hmac
    need(same, "original", "others", "the texts that the marks are about, in their order", "Name their files.")
    hidden: dict[str, set[str]] = defaultdict(set)
    wrong, right, marked = set[str](), set[str](), set[str]()
    places: list[tuple[str, list[Span]]] = []
    left_out = 0
    for page, by_reviewer in marks.by_page.items():
        text, read = texts[page - 1], together(list(by_reviewer.values()))
        for span in read.missed:
            phrase = _phrase(text, span)
            fits = span.kind in kinds and _fits(phrase)
            left_out += not fits
            marked.add(phrase)
            hidden[span.kind] |= {phrase} if fits else set()
        # What one reader calls wrong and another does not may be a name, and would stay everywhere.
        mistaken = set.intersection(*({(at.start, at.end) for at in mark.wrong} for mark in by_reviewer.values()))
        for span in found[page]:
            (wrong if (span.start, span.end) in mistaken else right).add(_phrase(text, span))
        places.append((text, [*read.missed, *found[page]]))
    missed = {phrase for phrases in hidden.values() for phrase in phrases}
    stays = {phrase for phrase in wrong - right - marked if _fits(phrase) and any(map(str.isalpha, phrase))}
    goes = _forms(right | marked)
    kept = {phrase for phrase in stays if goes.isdisjoint(_forms([phrase]))}
    left_out += len(wrong) - len(kept)
    if not (missed or kept):
        raise InputError("marks must have a missed or wrong value that a list can take; they have none. Read more.")
    return Taught(
        pages=len(marks.by_page),
        hidden={kind: phrases for kind, phrases in hidden.items() if phrases},
        kept=kept,
        left_out=left_out,
        common=sum(_is_common(phrase, places) for phrase in missed),
    )


def _forms(phrases: Iterable[str]) -> Set[tuple[str, ...]]:
    """Return phrases as lists compare them: without accents."""
    fitting = list(filter(_fits, phrases))
    return ListDetector("kept", fitting, ignore_case=False).phrases if fitting else frozenset()


def _is_common(phrase: str, places: Iterable[tuple[str, Sequence[Span]]]) -> bool:
    texts, marked = zip(*places, strict=True)
    listed = ListDetector("hidden", [phrase], ignore_case=False)
    counts = Counter(
        any(span.start < place.end and place.start < span.end for span in spans)
        for found, spans in zip(listed.detect(texts), marked, strict=True)
        for place in found
    )
    return counts[False] > counts[True]


def _fits(phrase: str) -> bool:
    """Return whether a list can take a phrase: one with letters or digits, that a file can hold."""
    written = not any("\ud800" <= character <= "\udfff" or character == "\x7f" for character in phrase)
    return len(phrase) >= _LEAST and _OPENS not in phrase and written and any(map(str.isalnum, phrase))


def _phrase(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())
