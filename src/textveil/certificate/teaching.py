"""Lists of a policy from marks: values that the policy missed are hidden everywhere, wrong ones stay."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from textveil.certificate.certify import together
from textveil.certificate.marks import Marks, Span, corpus_hmac
from textveil.detection.given import ListDetector
from textveil.errors import InputError, need

_LEAST: Final = 3  # characters of a listed phrase: shorter ones, such as initials, mean something else elsewhere
_OPENS: Final = "[["  # what opens a place within an entry of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """Phrases for the lists of a policy, private.

    Attributes:
        pages: number of pages that were read.
        hidden: missed values, by kind.
        kept: values that were replaced wrongly wherever they were found on the pages.
        left_out: values that no list can take: shorter than three characters, without letters and digits, or of a kind
            that takes no list.
        common: number of hidden phrases that stand unmarked on these pages more often than marked: perhaps a name that
            is a word too.
    """

    pages: int
    hidden: Mapping[str, Collection[str]] = field(repr=False)
    kept: Collection[str] = field(repr=False)
    left_out: int
    common: int


def taught(marks: Marks, texts: Sequence[str], found: Mapping[int, Iterable[Span]], kinds: Collection[str]) -> Taught:
    """Return the lists that follow from marks. Every page that was read counts, whatever its place in the draw.

    Args:
        marks: the marks of a review.
        texts: originals of the whole corpus, in its order; private.
        found: spans that the policy replaced on each page that was read, by page number from 1.
        kinds: kinds that a list may give a hidden phrase.

    Raises:
        ParameterError: the texts are not those of the marks.
        InputError: no page was read, or nothing was marked on any.
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
