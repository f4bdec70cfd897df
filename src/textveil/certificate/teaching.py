"""Lists of a policy by marks: what a reader missed is hidden wherever it stands, what was wrong stays."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from textveil.certificate.certify import together
from textveil.certificate.marks import Marks, Span, corpus_hmac
from textveil.errors import InputError, need

_LEAST: Final = 3  # characters of a listed phrase: initials stand for others elsewhere
_OPENS: Final = "[["  # what opens a place within an entry of a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """Phrases of read pages, private.

    Attributes:
        pages: how many were read.
        hidden: by kind, values that were missed.
        kept: values that were replaced and are none, wherever they were found on the pages.
        left_out: values that no list can take: shorter than three characters, or of a kind that takes no list.
    """

    pages: int
    hidden: Mapping[str, Collection[str]] = field(repr=False)
    kept: Collection[str] = field(repr=False)
    left_out: int


def taught(marks: Marks, texts: Sequence[str], found: Mapping[int, Iterable[Span]], kinds: Collection[str]) -> Taught:
    """Return the lists that marks make; every page that was read teaches, in the order of the draw or not.

    Args:
        marks: of a review.
        texts: originals of the whole corpus, in its order; private.
        found: of each page that was read, from 1, what the policy replaced.
        kinds: that a list may hide a phrase as.

    Raises:
        ParameterError: the texts are not those of the marks.
        InputError: no page was read, or nothing was marked on any.
    """
    same = corpus_hmac(marks.design.key, texts) == marks.design.binding.original_hmac
    need(same, "original", "others", "the texts that the marks are about, in their order", "Name their files.")
    hidden: dict[str, set[str]] = defaultdict(set)
    wrong, right = set[str](), set[str]()
    left_out = 0
    for page, by_reviewer in marks.by_page.items():
        text, read = texts[page - 1], together(list(by_reviewer.values()))
        for span in read.missed:
            phrase = _phrase(text, span)
            fits = span.kind in kinds and len(phrase) >= _LEAST and _OPENS not in phrase
            left_out += not fits
            hidden[span.kind] |= {phrase} if fits else set()
        mistaken = {(span.start, span.end) for span in read.wrong}
        for span in found[page]:
            (wrong if (span.start, span.end) in mistaken else right).add(_phrase(text, span))
    missed = {phrase for phrases in hidden.values() for phrase in phrases}
    kept = {phrase for phrase in wrong - right - missed if len(phrase) >= _LEAST and any(map(str.isalpha, phrase))}
    left_out += len(wrong) - len(kept)
    if not (missed or kept):
        raise InputError("marks must have a missed or wrong value that a list can take; they have none. Read more.")
    return Taught(
        pages=len(marks.by_page),
        hidden={kind: phrases for kind, phrases in hidden.items() if phrases},
        kept=kept,
        left_out=left_out,
    )


def _phrase(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())
