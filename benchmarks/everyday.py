"""Everyday text: what must stay stays, what must go goes. One part a run.

    python benchmarks/everyday.py PART [--show]

- ``pages``: 100 pages in ``everyday/pages``, sanitized. A string that must stay has stayed where no character of it was
  drawn. A string that must go has gone whole where each letter and digit of each mention was drawn, but for the T and
  the Z of 2024-05-02T10:15:00Z; part of a name, or a country code that stays, is a miss. The last column counts strings
  that the release does not hold.
- ``fresh``, ``held``: 470 and 131 pages; 231 and 111 are by five writers who did not know the rules. Rules are mended
  with ``fresh`` in view; ``held`` is counted and never shown, and later joins ``fresh`` when a new writer replaces it.
  A mark of ``held`` is what two of three readers say, the second and third with the page, a guide and docs/policies.md
  alone: of 5,025 marks the second gave 95.9 % as the writer had, and .4 % the other way.
- ``layouts``: every sixth page of ``fresh`` in other layouts and letter cases: strings that fare worse then.
- ``short``: cells, fields and lines of chats, logs and mails in fourteen languages (``short_texts.py``, faker 40.54.0):
  values that went whole, by kind, context and language, and neutral texts that stayed; the second number is of
  contexts that nobody mended by.
- ``technical``: 200 prompts in ``everyday/technical.txt`` under ``prompts``. A drawn span is wrong where it touches no
  planted value.
- ``notes``: person, place and organization spans in 220 real notes, by hand-made labels in ``everyday/notes.jsonl``,
  which hold positions alone.
- ``tab``, ``panorama``: court cases and posts, sanitized under ``identifiers``. An entity is whole if each letter and
  digit of all its mentions is drawn; a title before a name does not count. The precision of characters has a bootstrap
  interval over documents.
- ``wnut``: tokens of persons in the dev part. ``presidio``: persons in the odd sentences, which were held
  out (``benchmarks/detection.py``).
- ``languages``: names in WikiNEuRal's validation part, in nine languages. *Gone*: spans of names hold all its letters
  and digits. *Named*: so they do from its first word with a capital to its last, Ussuri in "el río Ussuri". *As it*: a
  span of its own kind holds all. *Precision*: letters and digits of the kind's spans that a label of the kind
  holds; *of names*: that a label of any kind does, works and events (MISC) included.
- ``speed``: words a second of one processor: sanitizing the 220 notes under ``clinical``; detection on pages of ten
  records in five languages; then the command line.

The data lie in --data FOLDER (docs/data.md); ``pages`` and ``technical`` need none. Where a value was drawn is
read off the release, so a draw that equals its value by chance counts as gone. Intervals are exact (Clopper-Pearson) at
95 % and take strings for independent. No text is printed; ``--show`` prints the misses for you alone.
"""

import argparse
import csv
import gzip
import hashlib
import html
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from measure import SHARED
from short_texts import Short, short_texts

import textveil as tv
from textveil.detection.evaluation import read_labelled
from textveil.detection.spans import DetectedSpan
from textveil.statistics import clopper_pearson

FOLDER = Path(__file__).with_suffix("")
TEXT = SHARED / "data/text"
NAMES = ("person", "place", "organization")
TITLES = re.compile(r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Judge|Prof|Professor|Sir)\.? )+")
MARK = re.compile(r"\[([-+?])(.*?)\1\]", re.DOTALL)
MOMENT_DAY = re.compile(r".?[0-9]{2}")
MOMENT_TIME = re.compile(r"[0-9]{2}:?")
SEED = 3


class Mark(NamedTuple):
    """A marked string of a page: ``+`` must stay, ``-`` must go, ``?`` may do either."""

    start: int
    end: int
    sign: str


class Page(NamedTuple):
    """A text of our own with its marks, by start."""

    name: str
    policy: str
    text: str
    marks: tuple[Mark, ...]

    def strings(self, sign: str) -> list[str]:
        """The marked strings of one sign."""
        return [self.text[mark.start : mark.end] for mark in self.marks if mark.sign == sign]


def read_pages(path: Path) -> list[Page]:
    """The pages of a file: each begins with ``=== name policy``, its strings are marked ``[+stay+]``, ``[-go-]``."""
    pages = []
    for block in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        name, policy = head.split()
        pieces, marks, place, length = [], [], 0, 0
        body = body.strip("\n")
        for match in MARK.finditer(body):
            before, inside = body[place : match.start()], match.group(2)
            length += len(before)
            marks.append(Mark(length, length + len(inside), match.group(1)))
            pieces += [before, inside]
            length += len(inside)
            place = match.end()
        pages.append(Page(name, policy, "".join(pieces) + body[place:], tuple(marks)))
    return pages


def drawn_places(text: str, released: str, drawn: Sequence[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """Where in ``text`` stood what a release drew; None where its kept pieces do not stand in ``text`` in order.

    Each kept piece must be found again; the shortest values that fit all pieces are taken. Values that stand side by
    side may be parted at another white space than they were, which moves no letter or digit from one side to the other.
    """
    ends = [0, *(end for _, end in drawn)]
    starts = [*(start for start, _ in drawn), len(released)]
    kept = [released[end:start] for end, start in zip(ends, starts, strict=True)]
    dead: set[tuple[int, int]] = set()
    if not text.startswith(kept[0]):
        return None
    path = [len(kept[0])]  # where each drawn value begins
    tries: list[int] = [path[0] + 1]
    while True:
        number = len(path)
        if number == len(kept):
            if path[-1] == len(text):
                break
            place = -1
        elif number == len(kept) - 1:  # the last piece stands at the end
            last = len(text) - len(kept[number])
            place = last if last >= tries[-1] and text.endswith(kept[number]) else -1
        else:
            place = text.find(kept[number], tries[-1])
        if place >= 0 and (number, place) not in dead:
            tries[-1] = place + 1
            path.append(place + len(kept[number]))
            tries.append(path[-1] + 1)
        elif place >= 0:
            tries[-1] = place + 1
        else:
            tries.pop()
            path.pop()
            if not path:
                return None
            dead.add((len(path), tries[-1] - 1))
    return [(begin, after - len(piece)) for begin, after, piece in zip(path, path[1:], kept[1:], strict=False)]


def sanitized_places(page: Page) -> tuple[str, list[tuple[int, int]]]:
    """What a page's policy releases, and where in the page it draws."""
    sanitizer = tv.Sanitizer(tv.policy(page.policy), rng=tv.seeded_generator(SEED))
    release = sanitizer(page.text)
    places = drawn_places(page.text, release.text, [(span.start, span.end) for span in release.drawn_spans])
    if places is None:
        raise SystemExit(f"page {page.name}: the release has other text outside its drawn spans")
    return release.text, places


def covered(length: int, spans: Sequence[tuple[int, int]]) -> bytearray:
    """A byte for each character: whether a span holds it."""
    held = bytearray(length)
    for start, end in spans:
        held[start:end] = b"\1" * (end - start)
    return held


def whole(text: str, held: bytearray, start: int, end: int) -> bool:
    """Whether each letter and digit of a span is held, but for the T and the Z of a moment (2024-05-02T10:15:00Z)."""
    return all(held[place] or not text[place].isalnum() or in_moment(text, place) for place in range(start, end))


def in_moment(text: str, place: int) -> bool:
    """Whether a letter is a T between a day and a time, or a Z behind one: form, not value."""
    before, behind = text[max(0, place - 3) : place], text[place + 1 : place + 4]
    if text[place] == "T":
        return MOMENT_DAY.fullmatch(before) is not None and MOMENT_TIME.match(behind) is not None
    return text[place] == "Z" and MOMENT_DAY.search(before) is not None and not behind[:1].isalnum()


def mentions(page: Page, mark: Mark) -> Iterator[tuple[int, int]]:
    """Every mention of a string that must go, but in strings that are marked otherwise."""
    value = page.text[mark.start : mark.end]
    for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", page.text):
        if not any(
            other.sign != "-" and other.start < match.end() and match.start() < other.end for other in page.marks
        ):
            yield match.span()
    yield mark.start, mark.end


def stands(value: str, page: Page, released: str) -> bool:
    """Whether a release holds a string more often than the strings of its page that must not go."""
    pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
    allowed = sum(len(pattern.findall(other)) for sign in "+?" for other in page.strings(sign))
    return len(pattern.findall(released)) > allowed


def share(right: int, total: int) -> str:
    """A share with its interval."""
    if not total:
        return "-"
    bound = clopper_pearson(right, total, 0.95)
    return f"{bound.estimate:.3f} ({bound.lower:.3f}-{bound.upper:.3f}), {right:,} of {total:,}"


def around(text: str, start: int, end: int) -> str:
    """A miss in its context, on one line."""
    return re.sub(r"\s+", " ", f"{text[max(0, start - 30) : start]}>>{text[start:end]}<<{text[end : end + 20]}")


def judged(page: Page) -> tuple[Counter[str], list[str]]:
    """Marked strings of a page, and those that fared well; the others in their context."""
    released, places = sanitized_places(page)
    held = covered(len(page.text), places)
    counts: Counter[str] = Counter()
    misses = []
    for mark in page.marks:
        if mark.sign == "+":
            right = not any(held[mark.start : mark.end])
        elif mark.sign == "-":
            right = all(whole(page.text, held, *place) for place in mentions(page, mark))
            counts["absent -"] += right or not stands(page.text[mark.start : mark.end], page, released)
        else:
            continue
        counts[f"all {mark.sign}"] += 1
        counts[f"right {mark.sign}"] += right
        if not right:
            misses.append(f"{page.name} {mark.sign} {around(page.text, mark.start, mark.end)}")
    return counts, misses


def pages(show: bool, most: int | None = None, folder: str = "pages") -> None:
    """Strings that must stay or go on our own pages, by kind of page and by policy."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted((FOLDER / folder).glob("*.txt")):
        for page in read_pages(path)[:most]:
            counts, misses = judged(page)
            for row in (path.stem, f"policy {page.policy}", "all"):
                rows[row] += counts
                rows[row]["pages"] += 1
                rows[row]["clean"] += counts["right -"] == counts["all -"]
            if show and misses:
                print("\n".join(misses))
    print("| pages | number | nothing left | stayed | went whole | not in the release as a string |")
    print("|---|---|---|---|---|---|")
    for row, counts in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0].startswith("policy"), item[0])):
        stayed, went = (share(counts[f"right {sign}"], counts[f"all {sign}"]) for sign in "+-")
        absent = share(counts["absent -"], counts["all -"])
        print(f"| {row} | {counts['pages']} | {counts['clean']} | {stayed} | {went} | {absent} |")


_OPEN, _CLOSE = "\ue000", "\ue001"  # around a marked string while a page changes
LAYOUTS: dict[str, Callable[[str], str]] = {
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
    "lines of old Macs": lambda text: text.replace("\n", "\r"),
    "line separators": lambda text: text.replace("\n", "\u2028"),
    "accents apart (NFD)": lambda text: unicodedata.normalize("NFD", text),
    "spaces that do not break": lambda text: text.replace(" ", "\xa0"),
    "spaces of no width": lambda text: text.replace(" ", " \u200b"),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
    "as a comment": lambda text: "\n".join(f"// {line}" for line in text.split("\n")),
    "double spaced": lambda text: text.replace("\n", "\n\n"),
    "breaks of HTML": lambda text: f"<p>{html.escape(text, quote=False)}</p>".replace("\n", "<br>\n"),
    "a string of JSON": lambda text: json.dumps(text, ensure_ascii=False),
    "behind a German question": lambda text: f"Bitte fasse den folgenden Text in zwei Sätzen zusammen:\n\n{text}",
    "wrapped at 60": lambda text: "\n".join(textwrap.fill(line, 60) if line else "" for line in text.split("\n")),
    "paragraphs of Word": lambda text: "".join(f'<p class="MsoNormal">{line}</p>\n' for line in text.split("\n")),
    "bullets": lambda text: re.sub(r"(?m)^(?=.)", "\u2022 ", text),
    "numbers of lines": lambda text: "\n".join(f"{at:4} | {line}" for at, line in enumerate(text.split("\n"), 1)),
    "emoji at ends": lambda text: re.sub(r"(?m)(?<=.)$", " \U0001f600", text),
    "a list of strings": lambda text: ",\n".join(f'  "{line}"' for line in text.split("\n")),
    "a cell of CSV": lambda text: 'id,text\n1,"' + text.replace('"', '""') + '"\n',
    **{
        f"marked values in {marks}": partial(re.sub, f"({_OPEN}.*?{_CLOSE})", marks.format(r"\1"))
        for marks in ("**{}**", "`{}`", "\u201c{}\u201d", "\xab {} \xbb", "{{{{{}}}}}", "[{}]", '"{}"')
    },
    "small letters": str.lower,
    "capitals": str.upper,
}


def laid_out(page: Page, change: Callable[[str], str]) -> Page:
    """A page in another layout, with its marks."""
    pieces, place = [], 0
    for mark in sorted(page.marks):
        pieces += [page.text[place : mark.start], _OPEN, page.text[mark.start : mark.end], _CLOSE]
        place = mark.end
    changed = change("".join(pieces) + page.text[place:])
    parts = re.split(f"[{_OPEN}{_CLOSE}]", changed)
    ends = list(accumulate(map(len, parts)))
    marks = [
        Mark(start, end, mark.sign) for start, end, mark in zip(ends[::2], ends[1::2], sorted(page.marks), strict=False)
    ]
    return Page(page.name, page.policy, "".join(parts), tuple(marks))


def fares(page: Page) -> list[bool]:
    """Whether each marked string stays, or goes, as it must."""
    places = sanitized_places(page)[1]
    held = covered(len(page.text), places)
    return [
        whole(page.text, held, mark.start, mark.end) if mark.sign == "-" else not any(held[mark.start : mark.end])
        for mark in sorted(page.marks)
    ]


def layouts(show: bool) -> None:
    """Strings that fare worse than on the page as written, by layout."""
    every = [page for path in sorted((FOLDER / "fresh").glob("*.txt")) for page in read_pages(path)]
    chosen = every[::6]
    written = [fares(page) for page in chosen]
    print("| layout | stayed before; not now | went before; not now |")
    print("|---|---|---|")
    for name, change in LAYOUTS.items():
        lost: Counter[str] = Counter()
        for page, before in zip(chosen, written, strict=True):
            for mark, once, now in zip(sorted(page.marks), before, fares(laid_out(page, change)), strict=True):
                lost[f"all {mark.sign}"] += once
                lost[f"lost {mark.sign}"] += once and not now
        print(f"| {name} | {lost['all +']}; {lost['lost +']} | {lost['all -']}; {lost['lost -']} |")


@cache
def _identifiers() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"), rng=tv.seeded_generator(SEED))


def missed_in(short: Short) -> list[bool]:
    """Whether each value of a short text was missed; for a neutral one, whether a letter was drawn: numbers are."""
    release = _identifiers()(short.text)
    places = drawn_places(short.text, release.text, [(span.start, span.end) for span in release.drawn_spans])
    if places is None:
        raise SystemExit("the release of a short text has other text outside its drawn spans")
    held = covered(len(short.text), places)
    if not short.values:
        return [any(drawn and one.isalpha() for one, drawn in zip(short.text, held, strict=True))]
    return [not whole(short.text, held, value.start, value.end) for value in short.values]


def short(show: bool) -> None:
    """Values of short texts that stay, and neutral ones that do not."""
    counts: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for text in short_texts(SEED):
        for number, missed in enumerate(missed_in(text)):
            crossed = " crossed" if text.values and text.values[number].crossed else ""
            kind = f"{text.values[number].kind}{crossed}" if text.values else f"neutral {text.language}"
            rows = [f"kind {kind}", *((text.context, text.language, "all") if text.values else ("neutral",))]
            if "column" in text.context:
                rows = [f"{text.context}{crossed}"]
            for row in rows:
                counts[row][text.away, missed] += 1
            if show and missed and not text.away:
                print(f"{text.language} {text.context} {kind}: {text.text}")
    print("| texts | missed, or drawn if neutral | held back |\n|---|---|---|")
    for row, count in counts.items():
        near, away = ((count[half, True], count[half, False]) for half in (False, True))
        print(f"| {row} | {near[0]} of {sum(near)} | {away[0]} of {sum(away)} |")


def technical(show: bool, most: int | None = None) -> None:
    """Wrong spans in technical prompts, and planted values that went."""
    wrong: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    clean = planted = gone = 0
    for page in read_pages(FOLDER / "technical.txt")[:most]:
        kind = page.name.rstrip("0123456789-")
        prompts[kind] += 1
        _, spans = sanitized_places(page)
        held = covered(len(page.text), spans)
        bad = [(start, end) for start, end in spans if not any(m.start < end and start < m.end for m in page.marks)]
        wrong[kind] += len(bad)
        clean += not bad
        missed = [m for m in page.marks if m.sign == "-" and not whole(page.text, held, m.start, m.end)]
        planted += len(page.strings("-"))
        gone += len(page.strings("-")) - len(missed)
        if show:
            for start, end in bad:
                print(f"{page.name} wrong {around(page.text, start, end)}")
            for mark in missed:
                print(f"{page.name} missed {around(page.text, mark.start, mark.end)}")
    total = prompts.total()
    print(f"technical prompts {total}: wrong spans {wrong.total()}, {wrong.total() / total:.3f} a prompt")
    print(f"prompts without a wrong span {share(clean, total)}\nplanted values gone {share(gone, planted)}")
    print("wrong spans by kind: " + ", ".join(f"{kind} {wrong[kind]}" for kind in prompts))


def notes() -> Iterator[tuple[str, str]]:
    """The 220 notes with their names: the first test set of MTS-Dialog, and the validation part of ACI-Bench."""
    for path, number, column, prefix in (
        ("mts_dialog/MTS-Dialog-TestSet-1-MEDIQA-Chat-2023.csv", "ID", "section_text", "mts1"),
        ("aci_bench/valid.csv", "encounter_id", "note", "aci"),
    ):
        with (TEXT / "clinical" / path).open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                yield f"{prefix}-{row[number]}", row[column]


def digest(text: str) -> str:
    """Says whether a note is the labelled one."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def labelled_notes() -> Iterator[tuple[str, str, list[tuple[int, int, str, bool]]]]:
    """Name, text and labels (start, end, kind, and whether it must be found) of each note."""
    with (FOLDER / "notes.jsonl").open(encoding="utf-8") as stream:
        labels = {record["note"]: record for record in map(json.loads, stream)}
    for name, text in notes():
        record = labels.get(name)
        if record is None or record["sha256"] != digest(text):
            raise SystemExit(f"note {name} is not the one that was labelled")
        yield name, text, [(start, end, kind, need) for start, end, kind, need in record["spans"]]


@cache
def _note_policy() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("clinical"), rng=tv.seeded_generator(SEED))


def name_places(text: str) -> list[tuple[int, int]]:
    """Where ``clinical`` draws persons, places and organizations in a note."""
    release = _note_policy()(text)
    places = drawn_places(text, release.text, [(span.start, span.end) for span in release.drawn_spans])
    if places is None:
        raise SystemExit("a note's release has other text outside its drawn spans")
    kinds = [span.kind for span in release.drawn_spans]
    return [place for place, kind in zip(places, kinds, strict=True) if kind in NAMES]


def labelled_names(show: bool) -> None:
    """Wrong and lost names in the 220 notes, as ``tv.detect`` finds them and as ``clinical`` draws them."""
    readers: dict[str, Callable[[str], list[tuple[int, int]]]] = {
        "tv.detect": lambda text: [(span.start, span.end) for span in tv.detect(text) if span.kind in NAMES],
        "clinical": name_places,
    }
    for title, places in readers.items():
        found = wrong = true = lost = 0
        for name, text, labels in labelled_notes():
            spans = places(text)
            held = covered(len(text), spans)
            bad = [span for span in spans if not any(a < span[1] and span[0] < b for a, b, _, _ in labels)]
            missed = [label for label in labels if label[3] and not whole(text, held, *label[:2])]
            found, wrong = found + len(spans), wrong + len(bad)
            true, lost = true + sum(label[3] for label in labels), lost + len(missed)
            if show:
                print("\n".join(f"{title} {name} wrong {around(text, *span)}" for span in bad), end="\n" * bool(bad))
                print(
                    "\n".join(f"{title} {name} lost {around(text, *one[:2])}" for one in missed),
                    end="\n" * bool(missed),
                )
        print(f"{title}: wrong name spans {share(wrong, found)}; true names lost {share(lost, true)}")


def _bootstrap(counts: list[tuple[int, int]]) -> str:
    source = random.Random(SEED)
    shares = []
    for _ in range(1000):
        sample = source.choices(counts, k=len(counts))
        shares.append(sum(one for one, _ in sample) / max(1, sum(all_ for _, all_ in sample)))
    shares.sort()
    right, found = (sum(column) for column in zip(*counts, strict=True))
    return f"{right / max(1, found):.3f} ({shares[25]:.3f}-{shares[974]:.3f}), {right:,} of {found:,} characters"


def entities(folder: str, show: bool) -> None:
    """Entities of the Text Anonymization Benchmark's form that are drawn whole."""
    good, total = Counter[str](), Counter[str]()
    precision = []
    with (TEXT / folder / "dev.jsonl").open(encoding="utf-8") as stream:
        records = [json.loads(line) for line in stream]
    for record in records:
        text = record["text"]
        held = covered(len(text), sanitized_places(Page(record["id"], "identifiers", text, ()))[1])
        label = bytearray(len(text))
        groups: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for entity in record["entities"]:
            start, end, needed = entity["start_offset"], entity["end_offset"], entity["identifier_type"]
            if needed != "NO_MASK":
                label[start:end] = b"\1" * (end - start)
            title = TITLES.match(text[start:end])
            start += title.end() if title else 0
            right = whole(text, held, start, end)
            groups[needed, entity["entity_id"]].append(right)
            for row in (f"mentions {needed} {entity['entity_type']}", f"mentions {entity['entity_type']}"):
                total[row] += 1
                good[row] += right
            if show and not right and needed != "NO_MASK":
                print(f"{record['id']} {needed} {entity['entity_type']} {around(text, start, end)}")
        for (needed, _), rights in groups.items():
            total[f"entities {needed}"] += 1
            good[f"entities {needed}"] += all(rights)
        places = [place for place in range(len(text)) if held[place] and text[place].isalnum()]
        precision.append((sum(label[place] for place in places), len(places)))
    for row in sorted(total):
        print(f"{folder} {row}: {share(good[row], total[row])}")
    print(f"{folder} precision of characters: {_bootstrap(precision)}")


def tokens_of_persons(show: bool) -> None:
    """Tokens of persons in WNUT's dev part that a span of any kind holds whole."""
    good = persons = total = 0
    for labelled in read_labelled(TEXT / "entities/wnut17-dev.conll"):
        spans = tv.detect(labelled.text)
        held = covered(len(labelled.text), [(span.start, span.end) for span in spans])
        named = covered(len(labelled.text), [(span.start, span.end) for span in spans if span.kind == "person"])
        for label in labelled.spans:
            if "person" not in label.kinds:
                continue
            for token in re.finditer(r"\S+", labelled.text[label.start : label.end]):
                place = label.start + token.start(), label.start + token.end()
                total += 1
                right = whole(labelled.text, held, *place)
                good += right
                persons += whole(labelled.text, named, *place)
                if show and not right:
                    print(around(labelled.text, *place))
    print(
        f"wnut dev, tokens of persons in a span of any kind: {share(good, total)}; of a person: {share(persons, total)}"
    )


def touched(spans: Sequence[DetectedSpan], start: int, end: int) -> bool:
    """Whether a person's span shares a character with a label."""
    return any(span.kind == "person" and span.start < end and start < span.end for span in spans)


def sentences(show: bool) -> None:
    """Persons in the held-out halves of Presidio's sentences."""
    for name in ("synth_dataset_v2", "generated_large"):
        good = touches = total = 0
        for labelled in read_labelled(TEXT / f"pii/presidio_synthetic/{name}.json")[1::2]:
            spans = tv.detect(labelled.text)
            held = covered(len(labelled.text), [(span.start, span.end) for span in spans])
            for label in labelled.spans:
                if "person" in label.kinds:
                    total += 1
                    right = whole(labelled.text, held, label.start, label.end)
                    good += right
                    touches += touched(spans, label.start, label.end)
                    if show and not right:
                        print(around(labelled.text, label.start, label.end))
        print(f"presidio {name}: persons touched {share(touches, total)}; covered whole {share(good, total)}")


def capitals(text: str, start: int, end: int) -> tuple[int, int]:
    """A label less the words in small letters before its first capital and behind its last: all of one without."""
    words = [word.span() for word in re.finditer(r"\S+", text[start:end]) if any(map(str.isupper, word[0]))]
    return (start + words[0][0], start + words[-1][1]) if words else (start, end)


def languages(show: bool) -> None:
    """Names in nine languages: gone, told as what they are, and how much of what is found is labelled."""
    kinds = {"PER": "person", "LOC": "place", "ORG": "organization"}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with gzip.open(TEXT / "languages/dev.jsonl.gz", "rt", encoding="utf-8") as stream:
        for record in map(json.loads, stream):
            text, language = record["text"], record["lang"]
            spans = [span for span in tv.detect(text) if span.kind in NAMES]
            held = covered(len(text), [(span.start, span.end) for span in spans])
            named = covered(len(text), [(start, end) for start, end, _ in record["spans"]])
            for name, kind in kinds.items():
                count = counts[kind, language]
                own = covered(len(text), [(span.start, span.end) for span in spans if span.kind == kind])
                labels = [(start, end) for start, end, label in record["spans"] if label == name]
                labelled = covered(len(text), labels)
                for start, end in labels:
                    gone = whole(text, held, start, end)
                    count["labels"] += 1
                    count["named"] += gone or whole(text, held, *capitals(text, start, end))
                    count["gone"] += gone
                    count["own"] += whole(text, own, start, end)
                    if show and not gone:
                        print(f"{language} {name} missed {around(text, start, end)}")
                places = [place for place in range(len(text)) if own[place] and text[place].isalnum()]
                count["found"] += len(places)
                count["right"] += sum(labelled[place] for place in places)
                count["names"] += sum(named[place] for place in places)
                if show:
                    for span in spans:
                        if span.kind == kind and not any(named[span.start : span.end]):
                            print(f"{language} {kind} wrong {around(text, span.start, span.end)}")
    print("| kind | language | labels | gone | named | as it | precision | of names |")
    print("|---|---|---|---|---|---|---|---|")
    for (kind, language), count in sorted(counts.items()):
        shares = [
            count[part] / max(1, count[all_])
            for part, all_ in (
                ("gone", "labels"),
                ("named", "labels"),
                ("own", "labels"),
                ("right", "found"),
                ("names", "found"),
            )
        ]
        print(f"| {kind} | {language} | {count['labels']} | " + " | ".join(f"{each:.3f}" for each in shares) + " |")


def best_rate(texts: Sequence[str], act: Callable[[str], object]) -> tuple[float, float]:
    """Words a second of one processor: of the first pass over texts, and of the best of three."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            act(text)
        seconds.append(time.process_time() - start)
    words = sum(len(text.split()) for text in texts)
    return words / seconds[0], words / min(seconds)


def speed() -> None:
    """Sanitizing the notes, and pages of ten records of the languages' data in five languages."""
    texts = [text for _, text in notes()]
    sanitizer = _note_policy()
    sanitizer("Mr. Smith was seen on 3/4/2015.")
    first, best = best_rate(texts, sanitizer)
    print(f"{len(texts)} notes under clinical, words a second: first pass {first:,.0f}, best of three {best:,.0f}")
    with gzip.open(TEXT / "languages/dev.jsonl.gz", "rt", encoding="utf-8") as stream:
        records = list(map(json.loads, stream))
    for language in ("en", "de", "fr", "pl", "ru"):
        lines = [record["text"] for record in records if record["lang"] == language]
        pages = ["\n".join(lines[at : at + 10]) for at in range(0, len(lines), 10)]
        first, best = best_rate(pages, tv.detect)
        print(f"pages in {language}, detection alone: first pass {first:,.0f}, best of three {best:,.0f}")


def command_seconds(texts: Sequence[str]) -> float:
    """Processor time of ``textveil sanitize --policy clinical`` over texts, its start included."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "notes.jsonl")
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = (sys.executable, "-m", "textveil", "sanitize", "--policy", "clinical", "--quiet", "--format", "jsonl")
        subprocess.run([*command, str(source), "-o", str(Path(folder, "out.jsonl"))], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command_speed() -> None:
    """Words a second of the command line over the training parts, with its start and without."""
    texts = []
    for path, column in (
        ("mts_dialog/MTS-Dialog-TrainingSet.csv", "section_text"),
        ("aci_bench/train.csv", "note"),
    ):
        with (TEXT / "clinical" / path).open(encoding="utf-8", newline="") as stream:
            texts += [row[column] for row in csv.DictReader(stream)]
    words = sum(len(text.split()) for text in texts)
    start, whole_run = command_seconds(texts[:1]), command_seconds(texts)
    print(f"textveil sanitize, {words:,} words of notes: {words / whole_run:,.0f} words a second")
    print(f"without its start of {start:.1f} s: {words / (whole_run - start):,.0f}")


def speeds() -> None:
    """Both speeds."""
    speed()
    command_speed()


def main() -> None:
    """Print the rows of one part."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parts: dict[str, Callable[[bool], None]] = {
        "pages": pages,
        "fresh": lambda show: pages(show, folder="fresh"),
        "held": lambda show: pages(False, folder="held"),
        "layouts": layouts,
        "short": short,
        "technical": technical,
        "notes": labelled_names,
        "tab": lambda show: entities("tab", show),
        "panorama": lambda show: entities("panorama", show),
        "wnut": tokens_of_persons,
        "presidio": sentences,
        "languages": languages,
        "speed": lambda show: speeds(),
    }
    parser.add_argument("part", choices=parts)
    parser.add_argument("--show", action="store_true", help="print misses with their context: private")
    options = parser.parse_args()
    parts[options.part](options.show)


if __name__ == "__main__":
    main()
