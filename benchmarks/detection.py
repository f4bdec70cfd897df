"""What the embedded detector finds and how fast, beside Presidio with its default patterns, in one run.

    python benchmarks/detection.py [--presidio-words 20000] [--half 1]

Quality: recall, precision and F2 by kind on Presidio's own synthetic sentences and on WNUT 2017. The sentences were
split by the parity of their index: even ones (``--half 0``) were looked at while the detector was made, odd ones
(``--half 1``) were not; of WNUT the training part was, the dev part was not. Sentences come from some 300 templates,
both halves from the same. Speed: words a second of one processor, parted by white space, on news, articles and
clinical notes, and of two processes side by side, by processor time, which other work on a machine moves little.
Growth: time for a hostile string four times as long; 4 is linear.

Needs the extra ``presidio``.
"""

import argparse
import csv
import gzip
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

from measure import SHARED

from textveil.detection.embedded import embedded_detector
from textveil.detection.evaluation import Evaluation, evaluate, read_labelled
from textveil.detection.presidio import presidio_detector
from textveil.detection.spans import Detector

TEXT = SHARED / "data/text"
SYNTHETIC = ("synth_dataset_v2", "generated_large")
HOSTILE = (
    *("1", ".", "@", "A", "A ", "a.b.", "1-1-", "(", "((1", "0f", "Van der ", "A.", "1 ", "12:", "a@", "@a", ".com"),
    *("$1,", "March ", "1/1/", "St. ", "of A ", "twenty ", "12 Aa ", "\u200b", "1\u0301", "http://", "www.", "A'"),
    *("Maria ", "maria ", "New York ", "Mr. ", "+1 ", "id: 1", "x-y "),
)
LENGTH = 50_000


def news() -> Iterator[str]:
    """Titles and descriptions of AG News."""
    with (TEXT / "agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        yield from (f"{row[1]}. {row[2]}" for row in csv.reader(stream))


def articles() -> Iterator[str]:
    """Every hundredth article of Wikipedia."""
    with gzip.open(TEXT / "wikipedia/articles.jsonl.gz", "rt", encoding="utf-8") as stream:
        yield from (json.loads(line)["text"] for line in islice(stream, 0, None, 100))


def notes() -> Iterator[str]:
    """Sections of clinical notes, and the dialogues that they were made of."""
    with (TEXT / "clinical/mts_dialog/MTS-Dialog-TrainingSet.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            yield from (row["section_text"], row["dialogue"])


def words_of(texts: Iterator[str], most: int) -> list[str]:
    """Texts of ``most`` words together."""
    kept, count = [], 0
    for text in texts:
        if count >= most:
            break
        kept.append(text)
        count += len(text.split())
    return kept


def rate(detector: Detector, texts: list[str]) -> float:
    """Words a second of one processor: the best of three passes."""
    detector.detect(texts[:1])
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        detector.detect(texts)
        best = min(best, time.process_time() - start)
    return sum(len(text.split()) for text in texts) / best


def _embedded_pass(texts: list[str]) -> float:
    start = time.process_time()
    embedded_detector().detect(texts)
    return time.process_time() - start


def side_by_side(texts: list[str]) -> float:
    """Words a second of two processes that each take half, by the processor time of the slower one."""
    halves = [texts[::2], texts[1::2]]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_embedded_pass, halves))
        best = min(max(pool.map(_embedded_pass, halves)) for _ in range(3))
    return sum(len(text.split()) for text in texts) / best


def growth(piece: str) -> tuple[float, float]:
    """Seconds for a hostile string, and how many times as long one four times as long takes."""
    detector = embedded_detector()
    times = []
    for length in (LENGTH, 4 * LENGTH):
        text = piece * (length // len(piece))
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            detector.detect([text])
            best = min(best, time.process_time() - start)
        times.append(best)
    return times[0], times[1] / times[0]


def rows(one: Evaluation, other: Evaluation) -> Iterator[str]:
    """A table of both: share with its interval."""
    yield "| kind | labelled | recall | Presidio | precision | Presidio | F2 | Presidio | whole | Presidio |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for kind, score in [*one.kinds.items(), ("all, any kind", one.all)]:
        beside = other.all if kind == "all, any kind" else other.kinds.get(kind)
        if not score.labelled or beside is None:
            continue
        cells = []
        for name in ("recall", "precision", "f2"):
            for bound in (getattr(score, name), getattr(beside, name)):
                cells.append("-" if bound is None else f"{bound.estimate:.2f} ({bound.lower:.2f}-{bound.upper:.2f})")
        whole = [f"{found.covered / found.labelled:.2f}" for found in (score, beside)]
        yield f"| {kind} | {score.labelled} | {' | '.join(cells)} | {' | '.join(whole)} |"


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--presidio-words", type=int, default=20_000, help="words of each corpus that Presidio reads")
    parser.add_argument("--half", type=int, choices=(0, 1), default=1, help="which sentences; 1 was held out")
    options = parser.parse_args()
    embedded, presidio = embedded_detector(), presidio_detector()
    for name in (*SYNTHETIC, "wnut17"):
        if name in SYNTHETIC:
            labelled = read_labelled(TEXT / f"pii/presidio_synthetic/{name}.json")[options.half :: 2]
        else:
            labelled = read_labelled(TEXT / f"entities/wnut17-{'dev' if options.half else 'train'}.conll")
        found = [evaluate(one, labelled, corpus=name) for one in (embedded, presidio)]
        print(f"\n{name}, {len(labelled):,} texts; intervals at 95 %\n")
        print("\n".join(rows(found[0], found[1])))
        left = [one.all.open / one.all.characters for one in found]
        print(f"\nlabelled characters that stay in the open: embedded {left[0]:.3f}, Presidio {left[1]:.3f}")
    print(
        "\n| words a second | one processor | two processes | Presidio, one processor | ratio |\n|---|---|---|---|---|"
    )
    for title, texts in (("news", news()), ("articles", articles()), ("clinical notes", notes())):
        read = words_of(texts, 100_000)
        alone, theirs = rate(embedded, read), rate(presidio, words_of(iter(read), options.presidio_words))
        print(f"| {title} | {alone:,.0f} | {side_by_side(read):,.0f} | {theirs:,.0f} | {alone / theirs:,.0f} |")
    print(f"\nhostile strings of {LENGTH:,} characters: seconds, and how many times as long for four times as many")
    for piece in HOSTILE:
        seconds, times = growth(piece)
        print(f"{piece!r:12s} {seconds:7.3f} {times:6.2f}")


if __name__ == "__main__":
    main()
