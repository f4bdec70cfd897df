"""Names that searches found in part: the initials and capitalized words that stand beside them are part of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textveil.detection import lists as known
from textveil.detection.dates import is_day_or_month
from textveil.detection.found import Found
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex

_INITIALS_BEFORE: Final = lazy_regex(
    r"(?<![\w.'@/-])(?:[A-Z]\.(?:[ -]?[A-Z]\.){0,3} ?|(?<=[:,;(\n] )[B-HJ-WYZ] )\Z|(?<![^\n])[B-HJ-WYZ] \Z"
)
_INITIALS_BEHIND: Final = lazy_regex(r",? [A-Z]\.(?:[ -]?[A-Z]\.){0,3}(?![\w'@/-])(?! [A-Z][a-z])")
_LONGEST_INITIALS: Final = 16


def with_initials(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, persons among them with the initials that stand beside them and in no other span."""
    whole: list[Found] = []
    for number, span in enumerate(spans):
        start, end = span.start, span.end
        if span.kind == "person" and text[start].isupper():
            low = max(start - _LONGEST_INITIALS, whole[-1].end if whole else 0)
            before = _INITIALS_BEFORE.search(text, low, start)
            start = start if before is None else before.start()
            high = spans[number + 1].start if number + 1 < len(spans) else len(text)
            behind = _INITIALS_BEHIND.match(text, end)
            end = end if behind is None or behind.end() > high else behind.end()
        whole.append(span._replace(start=start, end=end))
    return whole


_BEHIND: Final = lazy_regex(r"(?: [A-Z][a-z]{2,20}){1,3}(?![A-Za-z0-9_'@-]| ?:| [A-Z])")
_BEFORE: Final = lazy_regex(r"(?<![A-Za-z])(?P<by>in|to|from|near|at|of|for|by) (?P<run>(?:[A-Z][a-z]{1,20} ){1,2})\Z")
_WEAK: Final = frozenset(("list", "guess", "tagger", "pair", "cue", "verb", "institution", "company-end", ""))
_LONGEST_RUN: Final = 64
_PLACED: Final = frozenset(("in", "to", "from", "near"))
_NO_PART: Final = frozenset((*known.FUNCTION_WORDS, *known.TITLES, *known.RELATIONS, *known.LINKS, *known.DETERMINERS))


def with_whole_runs(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, a lone name in a run of capitalized words with the whole run: Bunya Nut Bakehouse."""
    whole: list[Found] = []
    for number, span in enumerate(spans):
        whole.append(span)
        alone = span.kind != "person" or " " not in text[span.start : span.end]
        if span.kind not in ("person", "place", "organization") or span.why not in _WEAK or not alone:
            continue
        high = spans[number + 1].start if number + 1 < len(spans) else len(text)
        behind = _BEHIND.match(text, span.end, min(span.end + _LONGEST_RUN, high)) if span.kind != "place" else None
        if behind is not None and _are_parts(behind[0]) and not _is_line(text, span.start, behind.end()):
            kind = "organization" if _has_word(behind[0]) else span.kind
            whole[-1] = span = span._replace(end=behind.end(), kind=kind)
        low = max(span.start - _LONGEST_RUN, whole[-2].end if len(whole) > 1 else 0)
        before = _BEFORE.search(text, low, span.start) if text[span.start].isupper() else None
        if before is not None and _are_parts(before["run"]):
            kind = "place" if before["by"] in _PLACED else "organization"
            whole[-1] = span._replace(start=before.start("run"), kind=kind)
    return whole


def _are_parts(run: str) -> bool:
    lows = run.lower().split()
    return not any(low in _NO_PART or is_day_or_month(low) for low in lows)


def _has_word(run: str) -> bool:
    return any(lists().words.get(low, 0) & Marks.COMMON for low in run.lower().split())


def _is_line(text: str, start: int, end: int) -> bool:
    """Return whether a run is all of its line: a heading."""
    return text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
