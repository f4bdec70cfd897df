"""Names and forms in other scripts than Latin, and in Turkish: which rules read a text, and the mentions of its names.

Plain texts (``found``) have one letter for all other scripts, so these rules read a text as it is written. Their
modules load where the script is met.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Final

from textveil.cuts import replaced
from textveil.detection.found import OTHER, Found, Phases, Plain, in_phases, settled
from textveil.text.patterns import check_time, lazy_regex, matches

_OF_SCRIPT: Final = {
    "cyrillic": lazy_regex("[\u0400-\u04ff]{2}"),
    "arabic": lazy_regex("[\u0620-\u064a]{2}"),
    "korean": lazy_regex("[\uac00-\ud7af]"),
    "japanese": lazy_regex("[\u3041-\u30fa]"),
    "chinese": lazy_regex("[\u4e00-\u9fff]"),
    "labelled": lazy_regex("[\u0370-\u03ff\u0590-\u05ff\u0900-\u097f\u0e00-\u0e7f]{2}"),
}
"""Letters by the module that reads them."""
_ANY: Final = lazy_regex(
    "[\u0370-\u04ff\u0590-\u05ff\u0620-\u064a\u0900-\u097f\u0e00-\u0e7f]{2}|[\u3041-\u30fa\u4e00-\u9fff\uac00-\ud7af]"
)
TURKISH: Final = "tr"
SCRIPTS: Final = frozenset((TURKISH, "ru", "ar", "zh", "ja", "ko"))
"""Languages whose texts have rules of their own here."""


def modules_for(text: str, language: str) -> tuple[str, ...]:
    """Return the modules that read a text: by its letters, and Turkish by its language."""
    if text.isascii() or _ANY.search(text) is None:
        return ("turkish",) if language == TURKISH else ()
    names = [name for name, pattern in _OF_SCRIPT.items() if pattern.search(text)]
    if language == "ja" and names == ["chinese"]:
        names = ["japanese"]
    if "japanese" in names and "chinese" in names:
        names.remove("chinese")  # Japanese writes Chinese characters between its own
    return tuple(names)


@cache
def _phases(name: str) -> Phases:
    return Phases(import_module(f"textveil.detection.{name}").PHASES)


@cache
def _records() -> Phases:
    return Phases([import_module("textveil.detection.labelled").PHASE])


@cache
def _mention_forms(name: str) -> Callable[[str, str], Iterable[str]]:
    """Return what gives the patterns of a name's later mentions, by the name and its kind."""
    forms: Callable[[str, str], Iterable[str]] = import_module(f"textveil.detection.{name}").mention_forms
    return forms


_WRITES: Final = {
    **_OF_SCRIPT,
    **dict.fromkeys(("chinese", "japanese"), lazy_regex("[\u3041-\u30fa\u4e00-\u9fff]")),
    "turkish": lazy_regex("[^\\W\\d_](?<![\u0370-\uffff])"),
}
"""The first letter of names whose mentions a module looks for."""


def found_in_scripts(text: str, modules: Sequence[str]) -> list[Found]:
    """Return disjoint spans of a text as it is written."""
    spans, rest = in_phases(text, _records())
    writers = list(spans)
    for module in modules:
        here, rest = in_phases(rest, _phases(module))
        own = [span for span in writers if _WRITES[module].match(text, span.start)]
        firm = {text[span.start : span.end]: span.kind for span in [*own, *here] if span.score >= _LEAST}
        later = [span for span in _mentions(rest, firm, module) if OTHER not in rest[span.start : span.end]]
        rest = replaced(rest, [(span.start, span.end, OTHER * (span.end - span.start)) for span in later])
        spans += [*here, *later]
    ages = (_AGE.match(text, span.end) for span in spans if span.kind == "person" and text[span.start] > "\u1100")
    spans += [Found(*age.span("age"), "age", 0.8) for age in ages if age]
    return settled(text, [_without_space(text, span) for span in spans])


def _without_space(text: str, span: Found) -> Found:
    """Return a span without white space at its ends."""
    value = text[span.start : span.end]
    bare = value.lstrip()
    start = span.end - len(bare)
    return span._replace(start=start, end=start + len(bare.rstrip())) if bare else span


_AGE: Final = lazy_regex(
    "(?: ?(?:\u3055\u3093|\u6c0f|\u5bb9\u7591\u8005|\u88ab\u544a|\uc528|\u5148\u751f|\u5973\u58eb))?"
    "[\uff08(](?P<age>[1-9][0-9]|[\uff11-\uff19][\uff10-\uff19])[)\uff09]"
)
"""An age in parentheses right behind a name or its title in Chinese, Japanese or Korean."""
_OF_ADDRESS: Final = lazy_regex(r"[A-Za-z0-9_.+-]{0,64}@[A-Za-z0-9]")
"""Behind a name that begins an address, which is found whole: tanju.ak@kervan.example."""
_MOST: Final = 300  # names whose mentions are looked for
_LEAST: Final = 0.5  # score of a name whose mentions are looked for


def _mentions(text: str, kinds: Mapping[str, str], module: str) -> list[Found]:
    """Return later mentions of names, by their kind: whole, or a part of a person's."""
    names = [(name, kind) for name, kind in kinds.items() if kind in ("person", "place", "organization")][:_MOST]
    spans: list[Found] = []
    for kind in dict.fromkeys(kind for _, kind in names):
        forms = {form for name, of_kind in names if of_kind == kind for form in _mention_forms(module)(name, kind)}
        spans += [
            Found(start, end, kind, 0.6, "mention")
            for start, end in stretches_of(text, sorted(forms))
            if _OF_ADDRESS.match(text, end) is None
        ]
    return settled(text, spans)


_BEFORE: Final = re.compile(r"\(\?<[!=]\[[^]]{0,400}\]\)")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def stretches_of(text: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where the forms stand: words as they are, which takes no time to compile, all others by one pattern."""
    others: dict[str, list[str]] = {}
    for form in forms:
        asked = _BEFORE.match(form)
        before = asked[0] if asked else ""
        body = form[len(before) :].partition("(?=")[0].partition("(?!")[0]
        behind = form[len(before) + len(body) :]
        word = _ESCAPED.sub(r"\1", body)
        if re.escape(word) != body:
            others.setdefault(before, []).append(body + behind)
            continue
        place = text.find(word)
        while place >= 0:
            check_time()
            end = place + len(word)
            if re.compile(before).match(text, place) and re.compile(behind).match(text, end):
                yield place, end
            place = text.find(word, place + 1)
    if others:
        either = "|".join([f"{before}(?:{'|'.join(bodies)})" for before, bodies in others.items()])
        yield from (match.span() for match in matches(re.compile(either), text))


def in_plain(read: Plain, spans: Sequence[Found]) -> list[Found]:
    """Return spans of an original as spans of its plain form, without those that hold none of it."""
    if read.places is None:
        return list(spans)
    places = read.places
    moved = (span._replace(start=bisect_left(places, span.start), end=bisect_left(places, span.end)) for span in spans)
    return [span for span in moved if span.start < span.end]
