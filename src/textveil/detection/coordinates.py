"""Places on the globe: degrees in decimals, degrees with minutes and seconds, and what a field calls a latitude."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near
from textveil.detection.gates import at_digits
from textveil.text.patterns import lazy_regex

_NUMBER: Final = r"[-+]?[0-9]{1,3}\.[0-9]{2,15}"
_MARK: Final = "(?: ?\xb7| ?deg(?:rees)?)?"
_PAIR: Final = lazy_regex(
    rf"(?<![\w.,/-])(?<![0-9], )(?P<first>{_NUMBER}){_MARK} ?(?P<north>[NSns](?![A-Za-z]))?(?:, ?|; ?| )"
    rf"(?P<second>{_NUMBER}){_MARK}(?: ?(?P<east>[EWew](?![A-Za-z])))?(?![\w.%]|, ?-?[0-9])"
)
_ARC: Final = r"[0-9]{1,3} ?\xb7 ?[0-9]{1,2} ?['\xb7] ?(?:[0-9]{1,2}(?:\.[0-9]{1,6})? ?[\"'\xb7]{1,2})? ?"
_ARCS: Final = lazy_regex(rf"(?<![\w.]){_ARC}[NSEWO](?:,? {{0,2}}{_ARC}[NSEWO])?(?!\w)")
_LABELLED: Final = lazy_regex(
    r"(?i)(?<![A-Za-z])(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng)\.?[\"']?(?: ?(?:is|:|=)){0,2} ?[\"']?"
    rf"(?P<value>{_NUMBER})(?![\w.%])"
)
_NEAR: Final = lazy_regex(
    r"(?i)\b(?:gps|coordinates?|coords?|lat(?:itude)?|location|located|position|geo|map|pin|at)\b"
)
_ANCHOR: Final = lazy_regex(r"[0-9]\.[0-9]{2,15}.{0,12}?[0-9]\.[0-9]{2}")
_ARC_CLUE: Final = lazy_regex(r"[0-9] ?\xb7 ?[0-9]")
_DECIMALS: Final = lazy_regex(r"[0-9]\.[0-9]{2}")
_REACH: Final = 40

COORDINATE_GATE: Final = at_digits(
    r"[0-9]\.[0-9]{4}|[0-9] ?\xb7 ?[0-9]|(?i:l(?:at|on|ng)).{0,10}[0-9]\.[0-9]{2}|[0-9]\.[0-9]{2,3}\W{1,3}[NSEW]"
)


def find_coordinates(text: str) -> Iterator[Found]:
    """Latitudes and longitudes: "40.7128, -74.0060", degrees, minutes and seconds, ``"lat": 40.7128``."""
    end = 0
    spans = [*_pairs(text), *_arcs(text), *_labelled(text)]
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.start >= end:
            yield span
            end = span.end


def _pairs(text: str) -> Iterator[Found]:
    for match in near(_PAIR, text, _ANCHOR, 24, 40):
        first, second = match["first"], match["second"]
        fits = abs(float(first)) <= 90 and abs(float(second)) <= 180
        exact = min(len(first.partition(".")[2]), len(second.partition(".")[2]))
        marked = match["north"] is not None or match["east"] is not None
        said = _NEAR.search(text, max(0, match.start() - _REACH), match.start()) is not None
        far = max(abs(float(first)), abs(float(second))) >= 2
        if fits and (marked or (said and exact >= 3 and far) or (exact >= 4 and far and "-" in (first + second)[:99])):
            yield Found(match.start(), match.end(), "id", 0.9 if marked or said else 0.6, "shape")


def _arcs(text: str) -> Iterator[Found]:
    for match in near(_ARCS, text, _ARC_CLUE, 4, 64):
        yield Found(match.start(), match.end(), "id", 0.9, "shape")


def _labelled(text: str) -> Iterator[Found]:
    for match in near(_LABELLED, text, _DECIMALS, 30, 20):
        yield Found(*match.span("value"), "id", 0.9, "label")
