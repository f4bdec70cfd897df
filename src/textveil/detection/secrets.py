"""Secrets by their form: private keys, and tokens by the beginnings that their issuers give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import holding, holding_in_runs
from textveil.detection.secret_forms import FORMS, PEM_LABEL
from textveil.detection.secret_values import looks_drawn
from textveil.text.patterns import check_time, lazy_regex

SURE: Final = 0.95

_LONGEST_KEY: Final = 20_000

PEM_GATE: Final = holding("-----BEGIN ", "PuTTY-User-Key-File-")
_PEM: Final = lazy_regex(rf"-----BEGIN {PEM_LABEL}-----(?:\\r|\\n|\s){{0,4}}")
_PEM_BODY: Final = lazy_regex(r"(?:[A-Za-z0-9+/=]{16,128}(?:\\r|\\n|\s){0,4}){1,400}")
_PUTTY: Final = lazy_regex(r"PuTTY-User-Key-File-[0-9]:[^\n]{0,80}\n(?:[A-Za-z0-9+/=:@_. -]{1,200}\r?\n?){1,400}")


def places(text: str, words: Iterable[str]) -> Iterator[int]:
    """Where a text has one of some words, word by word."""
    for word in words:
        check_time()
        place = text.find(word)
        while place >= 0:
            yield place
            place = text.find(word, place + 1)


def apart(spans: Iterable[Found]) -> Iterator[Found]:
    """Spans of which none begins before the last one ends: the earlier first, then the longer one."""
    end = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.start >= end:
            yield span
            end = span.end


def find_private_keys(text: str) -> Iterator[Found]:
    """Private keys, each whole from its first line to its last: PEM, and the files of PuTTY."""
    yield from apart(_private_keys(text))


def _private_keys(text: str) -> Iterator[Found]:
    end = 0
    for place in places(text, ("-----BEGIN ",)):
        first = _PEM.match(text, place) if place >= end else None
        if first is None:
            continue
        last = text.find("-----END ", first.end(), first.end() + _LONGEST_KEY)
        stop = text.find("-----", last + 9, last + 60) if last >= 0 else -1
        if stop >= 0:
            end = stop + 5
        else:  # cut off in the middle
            body = _PEM_BODY.match(text, first.end())
            end = place + len(text[place : (body or first).end()].rstrip())
        yield Found(place, end, "secret", SURE, "shape")
    for place in places(text, ("PuTTY-User-Key-File-",)):
        match = _PUTTY.match(text, place) if place >= end else None
        if match is not None:
            end = place + len(match[0].rstrip())
            yield Found(place, end, "secret", SURE, "shape")


TOKEN_GATE: Final = holding_in_runs(*FORMS)


def find_tokens(text: str) -> Iterator[Found]:
    """Keys and tokens that begin as their issuers write them: AWS, GitHub, OpenAI, Slack, Stripe and others."""
    yield from apart(_tokens(text))


def _tokens(text: str) -> Iterator[Found]:
    for beginning, form in FORMS.items():
        reached = 0
        for place in places(text, (beginning,)):
            start = place - form.before
            if start < reached or (start and (text[start - 1].isalnum() or text[start - 1] in "_-")):
                continue
            match = form.pattern.match(text, start)
            if match is None:
                continue
            written = match[0].rstrip("-._")
            if not form.mixed or looks_drawn(written[len(beginning) :]):
                reached = start + len(written)
                yield Found(start, reached, "secret", SURE, "shape")
