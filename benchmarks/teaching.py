"""What marks of some pages teach a policy about the rest of the same corpus: own lists, and weights of the tagger.

    python benchmarks/teaching.py [tab|panorama|notes ...] [--seeds 5]

By each seed 200 pages of a corpus, or half of it, are read by the labels; the others, 150 at most, are measured.

- ``lists``: names that were missed on the pages read are hidden, in their letter case; what was replaced and touches no
  label there stays (``textveil certify --teach``).
- ``hidden``: the former alone.
- ``tagger``: the weights of the embedded tagger, trained further on the words of those pages: logistic regression from
  its weights on, with a penalty of the change's square.

Go: labelled names (persons, places, organizations) that are masked whole. Stay: of what is masked, the share that
touches no label. Means over seeds. Needs public data (--data FOLDER). No text is printed.
"""

import argparse
import json
import lzma
import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from everyday import NAMES, TEXT, covered, labelled_notes, whole
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from textveil.detection import tagger
from textveil.detection.found import plain
from textveil.detection.lists import DATA, lists
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.finding import GUESS
from textveil.sanitize.policy.making import parts_of, with_lists
from textveil.types import Reals

PAGES: Final = 200
MEASURED: Final = 150
PENALTY: Final = 1.0
ROUNDS: Final = 40
_KIND: Final = {"PERSON": 1, "person": 1, "LOC": 2, "place": 2, "ORG": 3, "organization": 3}

Spans = list[tuple[int, int]]
Find = Callable[[str], Spans]


class Page(NamedTuple):
    """A text with its labels, and those that are names with their number among the tagger's kinds."""

    text: str
    labels: Spans
    names: list[tuple[int, int, int]]


def pages_of(corpus: str) -> tuple[list[Page], str, Collection[str] | None]:
    """Return a corpus, its policy, and the kinds that it labels; None: all."""
    if corpus == "notes":
        notes = [
            Page(text, [one[:2] for one in labels], [(*one[:2], _KIND[one[2]]) for one in labels if one[2] in _KIND])
            for _, text, labels in labelled_notes()
        ]
        return notes, "clinical", NAMES
    pages = []
    with (TEXT / corpus / "dev.jsonl").open(encoding="utf-8") as stream:
        for record in map(json.loads, stream):
            spans = [(one["start_offset"], one["end_offset"], one["entity_type"]) for one in record["entities"]]
            names = [(start, end, _KIND[kind]) for start, end, kind in spans if kind in _KIND]
            pages.append(Page(record["text"], [one[:2] for one in spans], names))
    return pages, "identifiers", None


def finder(name: str, kinds: Collection[str] | None) -> Find:
    """Return what finds what a policy masks, each text once."""
    parts, known = parts_of(policy(name)), dict[str, Spans]()

    def find(text: str) -> Spans:
        if text not in known:
            found = parts.finder.found_or_guessed(parts.finder.readings([text]))[0]
            masked = [span for span in found if span.kind in parts.surrogates and span.detector != GUESS]
            known[text] = [(span.start, span.end) for span in masked if kinds is None or span.kind in kinds]
        return known[text]

    return find


def touches(span: tuple[int, int], labels: Spans) -> bool:
    """Whether a span shares characters with a label."""
    return any(start < span[1] and span[0] < end for start, end in labels)


def said(text: str, start: int, end: int) -> str:
    """The phrase at a place."""
    return " ".join(text[start:end].split())


def taught(pages: Sequence[Page], find: Find) -> tuple[set[str], set[str]]:
    """What readers by the labels would have hidden, and kept."""
    hidden, wrong, right = set[str](), set[str](), set[str]()
    for page in pages:
        held = covered(len(page.text), find(page.text))
        hidden |= {said(page.text, a, b) for a, b, _ in page.names if not whole(page.text, held, a, b)}
        for span in find(page.text):
            (right if touches(span, page.labels) else wrong).add(said(page.text, *span))
        right |= {said(page.text, *label) for label in page.labels}
    hidden = {phrase for phrase in hidden if len(phrase) > 2 and "[[" not in phrase}
    return hidden, {one for one in wrong - right - hidden if len(one) > 2 and any(map(str.isalpha, one))}


def trained(pages: Sequence[Page]) -> tagger.Tagger:
    """The tagger, trained further on the words of pages."""
    before = np.frombuffer(lzma.decompress((DATA / tagger.FILE).read_bytes()), np.int8).reshape(-1, len(tagger.KINDS))
    scale = json.loads((DATA / tagger.RECORD).read_text())["scale"]
    marks_of, rows, kinds = lists().words.get, list[list[int]](), list[int]()
    for page in pages:
        text = plain(page.text).text
        small = tagger.small_words(text)
        topic = tagger.topic_of(small)
        for word in filter(lambda word: tagger.is_asked(word, marks_of), tagger.words_of(text)):
            features = "\0".join(tagger.features_of(text, word, small, topic, marks_of)).encode("latin-1").split(b"\0")
            rows.append([crc32(feature) & (len(before) - 1) for feature in features])
            kinds.append(next((kind for a, b, kind in page.names if a <= word.start and word.end <= b + 2), 0))
    used = sorted({row for each in rows for row in each})
    places = {row: place for place, row in enumerate(used)}
    columns = [places[row] for each in rows for row in each]
    ends = np.cumsum([0, *map(len, rows)])
    table = csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(rows), len(used)))
    known, right = before[used] * scale, (np.arange(len(kinds)), np.array(kinds))

    def loss(flat: Reals) -> tuple[float, Reals]:
        change = flat.reshape(known.shape)
        shares = table @ (known + change)
        shares = np.exp(shares - shares.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        value = -np.log(shares[right] + 1e-12).sum() + PENALTY / 2 * (change**2).sum()
        shares[right] -= 1
        return float(value), (table.T @ shares + PENALTY * change).ravel()

    best = minimize(loss, np.zeros(known.size), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS}).x
    after = before.astype(np.float64)
    after[used] += best.reshape(known.shape) / scale
    return tagger.Tagger(np.clip(np.rint(after), -127, 127).astype(np.int8), scale)


def measured(pages: Sequence[Page], find: Find) -> list[float]:
    """Share of names that go, and of what is masked that is none."""
    gone, masked, wrong = list[bool](), 0, 0
    for page in pages:
        found = find(page.text)
        held = covered(len(page.text), found)
        gone += [whole(page.text, held, start, end) for start, end, _ in page.names]
        masked += len(found)
        wrong += sum(not touches(span, page.labels) for span in found)
    return [float(np.mean(gone)), wrong / max(masked, 1)]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=["tab", "panorama", "notes"])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print("| corpus | pages | read | taught | go | stay: wrong of masked |\n|---|---|---|---|---|---|")
    for corpus in options.corpora:
        pages, name, kinds = pages_of(corpus)
        read, plainly, shipped = min(PAGES, len(pages) // 2), finder(name, kinds), tagger.tagger
        results: dict[str, list[list[float]]] = {}
        for seed in range(options.seeds):
            order = np.random.default_rng(seed).permutation(len(pages))
            mine, rest = ([pages[row] for row in rows] for rows in (order[:read], order[read:][:MEASURED]))
            hidden, kept = taught(mine, plainly)
            ways: dict[str, Any] = {"nothing": plainly}
            for way, words in {"hidden": set[str](), "lists": kept}.items():
                with tempfile.TemporaryDirectory() as folder:
                    own = Path(folder) / "own.toml"
                    own.write_text(with_lists(name, {"person": hidden}, words, "Taught."), encoding="utf-8")
                    ways[way] = finder(str(own), kinds)
            for way, find in ways.items():
                results.setdefault(way, []).append(measured(rest, find))
            further = trained(mine)
            tagger.tagger = lambda further=further: further  # type: ignore[assignment]
            results.setdefault("tagger", []).append(measured(rest, finder(name, kinds)))
            tagger.tagger = shipped
        for way, each in results.items():
            go, stay = np.mean(each, axis=0)
            print(f"| {corpus} | {len(pages)} | {read} | {way} | {go:.3f} | {stay:.3f} |", flush=True)


if __name__ == "__main__":
    main()
