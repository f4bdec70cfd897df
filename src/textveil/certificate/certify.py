"""Statements about a whole release by the marks of the pages that were read, for a report."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.certificate import bounds
from textveil.certificate.bounds import missed_share, wrong_share
from textveil.certificate.marks import Binding, Guess, Mark, Marks, Period, Span
from textveil.certificate.samples import CHARACTERS
from textveil.certificate.sampling import EVEN, MEAN, Sample
from textveil.detection.kinds import GROUPS
from textveil.errors import InputError, need
from textveil.pages import rendering
from textveil.pages.messages import said
from textveil.sanitize.policy.finding import GUESS
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy
from textveil.statistics import Bound
from textveil.types import Reals

NAMES: Final = frozenset(kind for kind, group in GROUPS.items() if group == "person")
DIRECT: Final = frozenset(kind for kind, group in GROUPS.items() if group in ("person", "reach", "id"))
"""Kinds that name a person by themselves: names, ways to reach somebody, numbers of documents, secrets."""

_USUAL: Final = 0.99  # share of pages with no more found spans of a kind than are counted as missed on one page


class Found(NamedTuple):
    """Values of a text, by start."""

    spans: tuple[Span, ...]  # that the policy replaces
    guesses: tuple[Guess, ...]  # likely values below its threshold, which stay


class Finding:
    """Finds what a policy replaces in a text.

    ``policy``: one that finds spans. Raises ParameterError: it cannot be made.
    """

    def __init__(self, policy: Policy) -> None:
        parts = parts_of(policy)
        self._finder: Final = parts.finder
        self.kinds: Final = tuple(parts.surrogates)

    def __call__(self, text: str) -> Found:
        """Return what is found in a text, and guessed."""
        here = [
            span for span in self._finder.found_or_guessed(self._finder.readings([text]))[0] if span.kind in self.kinds
        ]
        return Found(
            tuple(Span(span.start, span.end, span.kind) for span in here if span.detector != GUESS),
            tuple(Guess(span.start, span.end, span.kind, span.score) for span in here if span.detector == GUESS),
        )


class Pages(NamedTuple):
    """Number of pages of the corpus that have something."""

    seen: int  # pages that do, of those read
    at_most: int  # upper bound on those of the corpus
    exact: int | None  # the same by the exact distribution if none was missed; None otherwise


class Kind(NamedTuple):
    """Spans of a kind."""

    missed: int  # spans that the release shows, on the pages read
    wrong: int  # replaced spans that were none, on the pages read
    found: int  # spans that were replaced, in the corpus
    missed_share: float  # upper bound on the missed ones, of all that should have been found
    wrong_share: float  # upper bound on the wrong ones, of those that were found


class Twice(NamedTuple):
    """Pages that two reviewers read, each by themselves."""

    pages: int  # how many
    first: int  # missed spans that the first one marked
    second: int  # missed spans that the second one marked
    both: int  # missed spans that both marked
    overlooked: Bound  # estimate of those that neither marked


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Statements about a whole release: each has the stated confidence by itself, whenever reading stopped."""

    level: float  # confidence
    read: int  # pages that count: the first ones of the draw
    last: str  # day on which the last of them was read
    reviewers: int  # how many persons read
    secure: bool  # whether the operating system's randomness drew the pages
    names: Pages  # pages that still name a person
    direct: Pages  # pages with a missed direct identifier of any kind
    anything: Pages  # pages with anything missed
    kinds: Mapping[str, Kind]  # bounds by kind of span
    twice: Twice | None  # what two reviewers of the same pages tell; None if no page was read twice
    binding: Binding  # what it is about
    marks_sha256: str  # digest of the file of marks
    sampled: Period | None = None  # of conversations of a server, the period; None for a release

    def digest(self) -> str:
        """Return the digest that binds version, policy, release, originals and marks."""
        return hashlib.sha256(json.dumps(self._bound(), sort_keys=True).encode("ascii")).hexdigest()

    def _bound(self) -> dict[str, Any]:
        # The keyed digest of the originals stays in the file of marks, whose own digest covers it.
        return {
            "textveil": self.binding.textveil,
            "policy": {"name": self.binding.policy, "digest": self.binding.policy_digest},
            "documents": self.binding.documents,
            "release_sha256": self.binding.release_sha256,
            "marks_sha256": self.marks_sha256,
        }

    def to_data(self) -> dict[str, Any]:
        """Return the certificate as JSON data; it holds counts and digests, no text."""
        return {
            "note": NOTE,
            "level": self.level,
            "read": self.read,
            "date": self.last,
            "reviewers": self.reviewers,
            "for_release": self.secure,
            "pages": {
                "name": self.names._asdict(),
                "direct_identifier": self.direct._asdict(),
                "anything": self.anything._asdict(),
            },
            "kinds": {name: kind._asdict() for name, kind in self.kinds.items()},
            "twice": None
            if self.twice is None
            else {**self.twice._asdict(), "overlooked": self.twice.overlooked._asdict()},
            **({} if self.sampled is None else {"sampled": self.sampled._asdict()}),
            "bound_to": self._bound(),
            "digest": self.digest(),
        }


NOTE: Final = "by persons who read pages drawn at random; what they overlooked counts as not there"


def certified(marks: Marks, level: float = bounds.LEVEL) -> Certificate:
    """Return what the marks prove of the whole release.

    A page that several persons read has what any of them marked.

    Args:
        marks: of a draw; the pages that count are the first ones of the order, up to the first that nobody read.
        level: confidence of each statement, between 0 and 1.

    Raises InputError: the first page of the order was not read.
    """
    if not (read := marks.read_pages()):
        raise InputError(_UNREAD)
    design = marks.design
    sample = design.draw.sample(design.binding.documents, len(read))
    pages = [together(each) for each in read]
    missed = [Counter(span.kind for span in page.missed) for page in pages]
    wrong = [Counter(span.kind for span in page.wrong) for page in pages]
    kinds = sorted({*design.found, *(kind for each in missed for kind in each)})
    counted = kinds if design.sampled is None else []  # of a server's conversations nobody counted what was found

    def of(chosen: Iterable[str]) -> Pages:
        return _pages(missed, frozenset(chosen), sample, level)

    return Certificate(
        level=level,
        read=len(read),
        last=max(mark.day for each in read for mark in each).isoformat(),
        reviewers=len({mark.reviewer for each in read for mark in each}),
        secure=design.secure,
        names=of(NAMES),
        direct=of(DIRECT),
        anything=of(kinds),
        kinds={kind: _kind(kind, missed, wrong, _found(marks, kind), sample, level) for kind in counted},
        twice=_twice(read),
        binding=design.binding,
        marks_sha256=marks.digest(),
        sampled=design.sampled,
    )


def direct_misses(marks: Marks) -> tuple[Reals, Sample]:
    """Return for each page that counts whether it has a missed direct identifier (1 or 0), and how pages were drawn."""
    pages = [together(each) for each in marks.read_pages()]
    values = np.array([float(any(span.kind in DIRECT for span in page.missed)) for page in pages])
    return values, marks.design.draw.sample(marks.design.binding.documents, len(pages))


def chosen_threshold(marks: Marks, target: float) -> bounds.Threshold:
    """Choose from which score on guesses of direct identifiers are masked, so that few pages to come hold a missed one.

    A page to come is expected to hold a missed direct identifier with probability ``target`` at most, if it is of the
    kind of those that were drawn. No page is more than ``MEAN / EVEN`` times as likely in an even draw as in that of
    the marks, so that the threshold keeps ``EVEN / MEAN`` times the target there.

    Args:
        marks: of pages with guesses; the first ones of the order count.
        target: a probability, between 0 and 1.

    Returns: a threshold above 1 if no guess needs to be masked. Raises ParameterError: too few pages were read, or
    masking all guesses would not do.
    """
    pages = [(together(each), each[0].guesses) for each in marks.read_pages()]
    guesses = [[guess for guess in here if guess.kind in DIRECT] for _, here in pages]
    levels = [*sorted({guess.score for here in guesses for guess in here}), _NONE]
    missed = [[span for span in page.missed if span.kind in DIRECT] for page, _ in pages]
    losses = np.array(
        [
            [float(any(not _covered(span, here, level) for span in spans)) for level in levels]
            for spans, here in zip(missed, guesses, strict=True)
        ]
    ).reshape(len(pages), len(levels))
    need(0 < target < 1, "target", target, "between 0 and 1")
    least = bounds.pages_for(target * EVEN / MEAN)
    need(len(pages) >= least, "pages", len(pages), f"at least {least} for {target:g}", "Read more documents.")
    left = float(losses[:, 0].sum() + 1) / (len(pages) + 1) * MEAN / EVEN
    hint = "Add own lists for what was missed, or read more documents."
    need(left <= target, "target", target, f"at least {left:.4g}, which is left where every guess is masked", hint)
    chosen = bounds.conformal_threshold(losses, levels, target * EVEN / MEAN)
    return chosen._replace(expected=chosen.expected * MEAN / EVEN)


def _covered(span: Span, guesses: Iterable[Guess], level: float) -> bool:
    left = set(range(span.start, span.end))
    for guess in guesses:
        if guess.score >= level:
            left.difference_update(range(guess.start, guess.end))
    return not left


_NONE: Final = 2.0  # above every score


def alike(marks: Marks, found: Sequence[Found], rng: np.random.Generator) -> bounds.Comparison:
    """Test whether pages look like those that were read: by how many values were found and guessed on each.

    ``found``: of the pages to be released. Raises InputError: no page was read.
    """
    if not (read := [page[0] for page in marks.read_pages()]):
        raise InputError(_UNREAD)
    reviewed = [[float(sum(mark.found.values())), float(len(mark.guesses))] for mark in read]
    released = [[float(len(page.spans)), float(len(page.guesses))] for page in found]
    return bounds.exchangeable(np.array(reviewed), np.array(released), rng=rng)


_UNREAD: Final = "marks must have the first page of the draw; it was not read. Read it: textveil review."


class _Page(NamedTuple):
    missed: tuple[Span, ...]
    wrong: tuple[Span, ...]


def together(marks: Sequence[Mark]) -> _Page:
    """Return what any reviewer of a page marked on it."""
    return _Page(_union(mark.missed for mark in marks), _union(mark.wrong for mark in marks))


def _union(marked: Iterable[Iterable[Span]]) -> tuple[Span, ...]:
    """Return spans that any reviewer marked; of those that share characters, one."""
    spans: list[Span] = []
    for span in sorted(span for each in marked for span in each):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return tuple(spans)


def _pages(missed: Sequence[Counter[str]], kinds: frozenset[str], sample: Sample, level: float) -> Pages:
    values = np.array([float(any(page[kind] for kind in kinds)) for page in missed])
    seen = int(values.sum())
    return Pages(
        seen, bounds.upper_count(values, sample, level), None if seen else bounds.none_missed_upper(sample, level)
    )


def _kind(
    kind: str, missed: Sequence[Counter[str]], wrong: Sequence[Counter[str]], found: Reals, sample: Sample, level: float
) -> Kind:
    most = max(1, int(np.quantile(found, _USUAL)))  # no sample bounds what one page may hide
    overlooked, mistaken = (np.array([float(page[kind]) for page in pages]) for pages in (missed, wrong))
    return Kind(
        missed=int(overlooked.sum()),
        wrong=int(mistaken.sum()),
        found=int(found.sum()),
        missed_share=missed_share(overlooked, mistaken, found, sample, most=most, level=level),
        wrong_share=wrong_share(mistaken, found, sample, level),
    )


def _found(marks: Marks, kind: str) -> Reals:
    """Return how many spans of a kind were found on each page of the corpus; their order is not kept."""
    pages = marks.design.found.get(kind, {0: marks.design.binding.documents})
    return np.repeat(np.array([*pages], dtype=np.float64), [*pages.values()])


def _twice(read: Sequence[Sequence[Mark]]) -> Twice | None:
    if not (pairs := [(first, second) for each in read for first, second in list(combinations(each, 2))[:1]]):
        return None
    first, second = (sum(len(pair[place].missed) for pair in pairs) for place in (0, 1))
    both = sum(_shared(one.missed, other.missed) for one, other in pairs)
    return Twice(len(pairs), first, second, both, bounds.capture_recapture(first, second, both))


def _shared(spans: Sequence[Span], others: Sequence[Span]) -> int:
    """Return how many spans of each share characters with a span of the other, one with one at most."""
    left, count = list(others), 0
    for span in spans:
        same = next((other for other in left if other.start < span.end and span.start < other.end), None)
        if same is not None:
            left.remove(same)
            count += 1
    return count


def lines(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the certificate as lines for a person, each with its label."""
    documents, level = certificate.binding.documents, f"{100 * certificate.level:g} %"
    by = f"with {level} confidence, by {certificate.read:,} read, the last on {certificate.last}"
    period = certificate.sampled
    what = "documents" if period is None else f"conversations from {period.since} to {period.until}"
    rows = [("names", f"of {documents:,} {what} {_at_most(certificate.names, documents)} still name a person, {by}")]
    direct, anything = (_at_most(each, documents) for each in (certificate.direct, certificate.anything))
    rows.append(("direct", f"{direct} hold a missed direct identifier, {anything} anything missed"))
    if certificate.direct.exact is not None:
        exact = share_of(certificate.direct.exact, documents)
        told = f"no direct identifier was missed on the pages read: at most {exact} by the exact distribution"
        rows.append(("exact", f"{told}, if that was chosen before reading"))
    for name, kind in certificate.kinds.items():
        rows.append(("kind", f"{name}: {_missed(kind)}; {_wrong(kind)}"))
    if certificate.twice is not None:
        twice = certificate.twice
        between = f"{twice.overlooked.lower:.1f} to {twice.overlooked.upper:.1f}"
        rows.append(
            ("twice", f"{twice.pages:,} read by two: {twice.both:,} missed values seen by both, {twice.first:,} and "
             f"{twice.second:,} by each; about {twice.overlooked.estimate:.1f} ({between}) by neither, an estimate")
        )  # fmt: skip
    if period is None:
        rows.append(("counted", f"{NOTE}; of one page at most as many as others have"))
    else:
        drawn = (
            f"each was drawn with probability {period.share:g}; of one, texts in its first {CHARACTERS:,} characters"
        )
        rows.append(("counted", f"{NOTE}; {drawn} count, and each day by itself"))
    if not certificate.secure:
        rows.append(("CHECK", "pages were drawn with a seed: for experiments, and no certificate"))
    rows.append(("level", f"each statement holds with {level} confidence by itself; several together hold less often"))
    bound = "release" if period is None else "sample"
    rows.append(("bound", f"to this {bound}, policy and version, sha256 {certificate.digest()[:16]}"))
    return rows


def _at_most(pages: Pages, documents: int) -> str:
    return f"at most {share_of(pages.at_most, documents)}"


def share_of(count: int, documents: int) -> str:
    """Return a number of documents with its share of all."""
    return f"{count:,} ({100 * count / documents:.2g} %)"


def _missed(kind: Kind) -> str:
    return f"at most {1000 * kind.missed_share:,.3g} of 1,000 missed ({kind.missed:,} seen)"


def _wrong(kind: Kind) -> str:
    return f"at most {1000 * kind.wrong_share:,.3g} of 1,000 replaced are wrong ({kind.wrong:,} seen)"


def with_certificate(report: Mapping[str, Any], certificate: Certificate) -> dict[str, Any]:
    """Return a report's data with the certificate in it.

    ``report``: as ``Report.to_data``. Raises ParameterError: it is of another version, policy or released file.
    """
    bound, policy = certificate.binding, report.get("policy")
    digest = policy.get("digest") if isinstance(policy, Mapping) else None
    stated = {
        "version": (report.get("textveil"), bound.textveil),
        "policy": (digest, bound.policy_digest),
        "documents": (report.get("documents"), bound.documents),
        "released file": (report.get("release_sha256"), bound.release_sha256),
    }
    for what, (reported, marked) in stated.items():
        need(reported == marked, "report", "one of another", f"of the {what} of the marks: {_VOID}", _ANEW)
    return {**report, KEY: certificate.to_data()}


def page_with_certificate(page: str, certificate: Certificate) -> str:
    """Return the page of a report with the certificate in the place of "not measured", in the environment's language.

    ``page``: as ``report_page``. Raises ParameterError: it is of another policy or released file, or no such page.
    """
    bound = certificate.binding
    for what, digest in {"policy": bound.policy_digest, "released file": bound.release_sha256}.items():
        need(digest in page, "report", "one of another", f"of the {what} of the marks: {_VOID}", _ANEW)
    (_, first), *others = lines(certificate)
    section = rendering.section(
        KEY, [rendering.text("", lead=said(first)), rendering.bullets(said(text) for _, text in others)]
    )
    before, *behind = page.split(f"<section id='{KEY}'>")
    _, closed, after = "".join(behind).partition("</section>")
    whole = len(behind) == 1 and bool(closed)
    need(whole, "report", "another file", "the page that sanitize wrote with the release", "Name that file.")
    return before + section + after


KEY: Final = "certificate"
_VOID: Final = "their certificate is void for any other"
_ANEW: Final = "Review this release, with a new file of marks."
