"""Counts of a corpus: their errors, items released beside published selections, n-grams, and time.

    python benchmarks/corpus_counts.py [selection|intervals|ngrams|wikipedia|large|driver]...

AG News, 29,331 documents, each a unit, at delta 1e-6, with five seeds: means and 95 % intervals. Published methods get
the same documents and words:

- plain: weights 1 / sqrt(words of the document), one threshold (Gopi et al. 2020, weighted Gaussian);
- policy: the same, given greedily to words below a cutoff (Gopi et al. 2020, policy Gaussian);
- SIPS: plain in three rounds, without what was released before, budgets growing (Swanberg et al. 2023);
- DPNE: n-grams whose parts were released, with a threshold that lets a hundredth of spurious ones pass (Kim et al.
  2021, arXiv 2108.02831). Its authors count on Reddit and MSNBC, which are not at hand: compared are methods, not
  their numbers.
"""

import itertools
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from measure import SHARED, machine
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from textveil.aggregates.budget import ContributionBound, GaussianBudget
from textveil.aggregates.count_run import public_words, word_weights
from textveil.aggregates.counts import SELECTIONS, Counting, CountRelease
from textveil.aggregates.parts import InProcess
from textveil.aggregates.person_words import PersonWords
from textveil.aggregates.request import EACH_RECORD, PersonalRecords
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.units import ONE_RECORD_MORE
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies

DELTA, SEEDS, TOP = 1e-6, 5, 1000
MOST = 128  # items of one document: AG News has at most 121 words in one
SPURIOUS = 0.01
_MADE = 10**6  # words that are made at once

Row = dict[str, Any]
Items: TypeAlias = NDArray[np.int64]
Documents: TypeAlias = Sequence[Items]


def _news(folder: str, public: Sequence[str]) -> PersonWords:
    """AG News, each document a unit."""
    source, target = SHARED / "data/text/agnews/train.tsv", Path(folder) / "news.jsonl"
    lines = source.read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    target.write_text("".join(json.dumps({"text": line.split("\t")[2]}) + "\n" for line in lines))
    return PersonWords.read(PersonalRecords(inputs=(str(target),), unit=EACH_RECORD).batches(), public)


def _documents(corpus: PersonWords, length: int) -> Documents:
    """The distinct n-grams of each document, as numbers."""
    numbers: dict[tuple[int, ...], int] = {}
    documents = []
    for _, chunk in corpus.chunks():
        for words in np.split(chunk.words, np.flatnonzero(np.diff(chunk.persons)) + 1):
            grams = zip(*(words[start:].tolist() for start in range(length)), strict=False)
            found = {numbers.setdefault(gram, len(numbers)) for gram in grams if min(gram) >= 0}
            documents.append(np.array(sorted(found), dtype=np.int64))
    return documents


def _threshold(sigma: float, delta: float) -> float:
    """Above which one person's own items come out with probability at most delta, for weights 1 / sqrt(items)."""
    items = np.arange(1, MOST + 1)
    low, high = 0.0, 60 * sigma
    while high - low > 1e-4 * sigma:
        middle = (low + high) / 2
        fine = np.all(np.log(items) + log_ndtr((items**-0.5 - middle) / sigma) <= math.log(delta))
        low, high = (low, middle) if fine else (middle, high)
    return high


def _plain(documents: Documents, sigma: float, delta: float, rng: np.random.Generator) -> Items:
    sums = _weighted(documents)
    return np.flatnonzero((sums > 0) & (sums + rng.normal(0, sigma, sums.size) >= _threshold(sigma, delta)))


def _weighted(documents: Documents) -> NDArray[np.float64]:
    sizes = np.array([document.size for document in documents])
    weights = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    sums = np.bincount(np.concatenate([np.empty(0, np.int64), *documents]), weights=weights)
    return sums.astype(np.float64)


def _policy(documents: Documents, sigma: float, delta: float, rng: np.random.Generator) -> Items:
    threshold = _threshold(sigma, delta)
    sums = np.zeros(1 + max(int(document[-1]) for document in documents if document.size))
    for number in rng.permutation(len(documents)):
        gaps = np.maximum(threshold + 7 * sigma - sums[documents[number]], 0)
        norm = math.sqrt(gaps @ gaps)
        sums[documents[number]] += gaps / max(norm, 1)
    return np.flatnonzero((sums > 0) & (sums + rng.normal(0, sigma, sums.size) >= threshold))


def _sips(documents: Documents, sigma: float, delta: float, rng: np.random.Generator) -> Items:
    released: Items = np.empty(0, np.int64)
    for part in (1, 3, 9):
        left = [document[~np.isin(document, released)] for document in documents]
        own = _plain(left, sigma * math.sqrt(91) / part, delta * part / 13, rng)
        released = np.union1d(released, own)
    return released


def _dpne(corpus: PersonWords, sigma: float, delta: float, lengths: int, rng: np.random.Generator) -> list[int]:
    """N-grams of each length that are released and occur."""
    documents = _documents(corpus, 1)
    names: list[tuple[int, ...]] = []
    counts = []
    each = sigma * math.sqrt(lengths)
    for length in range(1, lengths + 1):
        if length == 1:
            singles = _spelled(corpus, _plain(documents, each, delta, rng))
        else:
            numbers: dict[tuple[int, ...], int] = {}
            found = []
            for _, chunk in corpus.chunks():
                for words in np.split(chunk.words, np.flatnonzero(np.diff(chunk.persons)) + 1):
                    grams = zip(*(words[start:].tolist() for start in range(length)), strict=False)
                    valid = {gram for gram in grams if gram[:-1] in singles and gram[1:] in singles}
                    found.append(np.array([numbers.setdefault(g, len(numbers)) for g in valid], dtype=np.int64))
            ends = Counter(gram[:-1] for gram in singles)
            candidates = sum(ends[gram[1:]] for gram in singles)
            allowed = SPURIOUS * min(1.0, len(singles) / max(candidates, 1))
            sums = _weighted(found) if numbers else np.empty(0)
            high = sums + rng.normal(0, each, sums.size) >= -each * float(ndtri(allowed))
            names = list(numbers)
            singles = {names[number] for number in np.flatnonzero(high)}
        counts.append(len(singles))
    return counts


def _spelled(corpus: PersonWords, released: Items) -> set[tuple[int, ...]]:
    """Words by the numbers that the corpus gives them, from those of ``_documents``."""
    order = list(dict.fromkeys(int(word) for _, chunk in corpus.chunks() for word in chunk.words if word >= 0))
    return {(order[number],) for number in released}


def _ours(
    corpus: PersonWords, public: Sequence[str], seed: int, epsilon: float = 1.0, ngrams: int = 1, items: int = 20
) -> CountRelease:
    counting = Counting(
        budget=GaussianBudget(epsilon, DELTA, SELECTIONS),
        bound=ContributionBound(items),
        ngrams=ngrams,
        weights=word_weights(),
    )
    return counting.release(InProcess([corpus]), public, ONE_RECORD_MORE, np.random.default_rng(seed))


def _interval(values: Sequence[float]) -> str:
    half = 2.776 * statistics.stdev(values) / math.sqrt(len(values))  # Student's t, five values
    return f"{statistics.mean(values):.4g} +- {half:.2g}"


def selection() -> Iterator[Row]:
    """Words released at epsilon 1 by each method (ours also at 4), and the error of the thousand most frequent."""
    with tempfile.TemporaryDirectory() as folder:
        bare, public = _news(folder, []), public_words("")
        listed = _news(folder, public)
    documents = _documents(bare, 1)
    sigma = analytic_gaussian_sigma(1.0, DELTA / 2, 1.0)
    methods: dict[str, Callable[..., Items]] = {"plain": _plain, "policy": _policy, "SIPS": _sips}
    for name, method in methods.items():
        sizes = [method(documents, sigma, DELTA / 2, np.random.default_rng(seed)).size for seed in range(SEEDS)]
        yield {"what": name, "words": _interval(sizes)}
    truth = Counter(word for _, chunk in bare.chunks() for word in _once(chunk.words, chunk.persons))
    top = {bare.spellings[word]: count for word, count in truth.most_common(TOP)}
    kinds: tuple[tuple[str, PersonWords, Sequence[str]], ...] = (
        ("all selected", bare, ()),
        ("embedded vocabulary", listed, public),
    )
    for (name, corpus, known), epsilon in itertools.product(kinds, (1.0, 4.0)):
        sizes, errors, inside = [], [], []
        for seed in range(SEEDS):
            lines = {line.item: line for line in _ours(corpus, known, seed, epsilon).counts}
            sizes.append(len(lines))
            errors.append(statistics.median(abs(_count(lines, word) - count) / count for word, count in top.items()))
            kept = [
                lines[word].noise_low <= count <= lines[word].noise_high for word, count in top.items() if word in lines
            ]
            inside.append(statistics.mean(kept))
        row = {"words": _interval(sizes), "median error of 1,000": _interval(errors), "in interval": _interval(inside)}
        yield {"what": f"textveil, {name}, epsilon {epsilon:g}", **row}


def intervals() -> Iterator[Row]:
    """Part of the written ones of the 1,000 most frequent words whose interval holds the true number of persons.

    Also if both ends are moved by a quarter of what the bound took, and the median of true over written numbers.
    """
    public = public_words("")
    news = _texts("agnews/train.tsv")
    reviews = [
        line for name in ("train.neg", "train.pos", "test.neg", "test.pos") for line in _texts(f"yelp/{name}.txt")
    ]
    corpora: tuple[tuple[str, Sequence[str], int, int], ...] = (
        ("AG News, each a person", news, 1, 20),
        ("AG News, persons of 1 to 500", news, 500, 20),
        ("AG News, persons of 1 to 500", news, 500, 100),
        ("Yelp, persons of 1 to 500", reviews, 500, 20),
    )
    for name, texts, most, items in corpora:
        corpus = _of_persons(texts, most, public)
        truth = Counter(word for _, chunk in corpus.chunks() for word in _once(chunk.words, chunk.persons))
        top = {corpus.spellings[word]: count for word, count in truth.most_common(TOP)}
        for epsilon in (1.0, 4.0):
            inside, wider, ratios, taken = [], [], [], []
            for seed in range(3):
                release = _ours(corpus, public, seed, epsilon, items=items)
                lines = [(line, top[line.item]) for line in release.counts if line.item in top]
                taken.append(release.taken["words, second round"])
                part = taken[-1] / 4
                inside.append(statistics.mean(line.noise_low <= true <= line.noise_high for line, true in lines))
                wider.append(
                    statistics.mean(
                        line.noise_low * (1 - part) <= true <= line.noise_high / (1 - part) for line, true in lines
                    )
                )
                ratios.append(statistics.median(true / max(line.count, 1) for line, true in lines))
            means = {"in interval": inside, "in wider one": wider, "true / written": ratios, "taken": taken}
            row = {what: f"{statistics.mean(values):.3f}" for what, values in means.items()}
            yield {"what": f"{name}, K {items}, epsilon {epsilon:g}, {len(lines)} words", **row}


def _texts(name: str) -> list[str]:
    lines = (SHARED / "data/text" / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [line.split("\t")[2] for line in lines[1:]] if name.endswith(".tsv") else [line for line in lines if line]


def _of_persons(texts: Sequence[str], most: int, public: Sequence[str]) -> PersonWords:
    """Texts by persons of 1 to ``most``, as often as 1 / number^2."""
    rng, rows = random.Random(0), list(texts)
    rng.shuffle(rows)
    sizes, odds, person, start = range(1, most + 1), [number**-2 for number in range(1, most + 1)], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "made.jsonl"
        with target.open("w", encoding="ascii") as stream:
            while start < len(rows):
                size = rng.choices(sizes, odds)[0]
                for text in rows[start : start + size]:
                    stream.write(json.dumps({"who": f"p{person}", "text": text}) + "\n")
                start, person = start + size, person + 1
        return PersonWords.read(PersonalRecords(inputs=(str(target),), unit="who").batches(), public)


def _once(words: NDArray[np.int32], persons: Items) -> list[int]:
    pairs = np.unique(persons[words >= 0] << 32 | words[words >= 0])
    return list((pairs & 0xFFFFFFFF).tolist())


def _count(lines: dict[str, Any], word: str) -> int:
    return lines[word].count if word in lines else 0


def ngrams() -> Iterator[Row]:
    """Words, 2-grams and 3-grams released at epsilon 4."""
    with tempfile.TemporaryDirectory() as folder:
        bare, public = _news(folder, []), public_words("")
        listed = _news(folder, public)
    sigma = analytic_gaussian_sigma(4.0, DELTA / 2, 1.0)
    methods: dict[str, Callable[[int], Sequence[int]]] = {
        "plain for each length": lambda seed: [
            _plain(_documents(bare, n), sigma * math.sqrt(3), DELTA / 6, np.random.default_rng(seed)).size
            for n in (1, 2, 3)
        ],
        "DPNE": lambda seed: _dpne(bare, sigma, DELTA / 2, 3, np.random.default_rng(seed)),
        "textveil, all selected": lambda seed: _lengths(_ours(bare, [], seed, 4.0, 3)),
        "textveil, embedded vocabulary": lambda seed: _lengths(_ours(listed, public, seed, 4.0, 3)),
    }
    for name, method in methods.items():
        found = [method(seed) for seed in range(SEEDS)]
        yield {"what": name, **{f"{n}-grams": _interval([counts[n - 1] for counts in found]) for n in (1, 2, 3)}}


def _lengths(release: CountRelease) -> list[int]:
    return [sum(line.item.count(" ") == n for line in release.counts) for n in range(3)]


def wikipedia() -> Iterator[Row]:
    """Time of the whole command to 3-grams, an article a unit."""
    from speed.memory import largest_share

    with tempfile.TemporaryDirectory() as folder:
        source = str(SHARED / "data/text/wikipedia/articles.jsonl.gz")
        options = ["--unit", "id", "--epsilon", "1", "--delta", "1e-6", "--ngrams", "3", "-o", f"{folder}/counts.csv"]
        start = time.perf_counter()
        largest = largest_share([source, *options], command="count")
        yield {"what": "Wikipedia to 3-grams", "seconds": time.perf_counter() - start, "MB": largest / 1e6}


def large() -> Iterator[Row]:
    """Memory and time of whole commands on made records of 100 words, up to 10^8 words; 2 GB on the disk."""
    from speed.memory import largest_share

    for words in (10**6, 10**7, 10**8):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "made.jsonl"
            _make(source, words)
            options = [str(source), "--unit", "person", "--epsilon", "1", "--delta", "1e-6", "-o", f"{folder}/made"]
            commands: tuple[tuple[str, list[str]], ...] = (
                ("count", []),
                ("count", ["--ngrams", "2"]),
                ("learn", ["--label", "label", "--labels", "a,b"]),
            )
            for command, more in commands:
                start, before = time.perf_counter(), os.times()
                largest = largest_share([*options, *more], command=command)
                shutil.rmtree(f"{folder}/made", ignore_errors=True)
                Path(f"{folder}/made").unlink(missing_ok=True)
                after = os.times()
                yield {
                    "what": f"{' '.join([command, *more])}, {words:,} words",
                    "seconds": time.perf_counter() - start,
                    "processor seconds": sum(after[2:4]) - sum(before[2:4]),
                    "MB": largest / 1e6,
                }


def driver() -> Iterator[Row]:
    """Largest memory of the process that asks a local Ray for a release, in which the records are not."""
    for words, command in itertools.product((10**6, 10**7), ("count", "learn")):
        with tempfile.TemporaryDirectory() as folder:
            _make(Path(folder) / "made.jsonl", words)
            start = time.perf_counter()
            done = subprocess.run(
                [
                    sys.executable,
                    "-W",
                    "ignore",
                    "-c",
                    _ASKED,
                    str(Path(folder) / "made.jsonl"),
                    command,
                    str(words // 50_000),
                ],
                check=True,
                capture_output=True,
                text=True,
            )
            seconds = time.perf_counter() - start
            yield {"what": f"{command} on Ray, {words:,} words", "seconds": seconds, "MB": done.stdout.split()[-1]}


_ASKED = """
import logging, resource, sys
import ray, ray.data
from textveil.aggregates.count_run import count
from textveil.aggregates.learning import learn
from textveil.aggregates.request import CorpusRequest
from textveil.integrations.ray import ray_records

path, what, parts = sys.argv[1:]
ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
ray.data.DataContext.get_current().enable_progress_bars = False
labels = ("a", "b") if what == "learn" else ()
label = "label" if labels else None
records = ray_records(ray.data.read_json(path), unit="person", label=label, parts=int(parts))
(learn if labels else count)(CorpusRequest(records, epsilon=1, delta=1e-6, labels=labels))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
"""


def _make(path: Path, words: int) -> None:
    """Records of public words as frequent as in public text, 2 % of them replaced by rare ones outside the list."""
    vocabulary = load_vocabulary()
    names = np.array(vocabulary.words, dtype=object)
    sums = np.cumsum(word_frequencies(vocabulary).counts, dtype=np.float64)
    rng = np.random.default_rng(0)
    with path.open("w", encoding="ascii") as stream:
        for _ in range(0, words, _MADE):
            drawn = names[np.minimum(np.searchsorted(sums, rng.random(_MADE) * sums[-1]), names.size - 1)]
            rare = np.flatnonzero(rng.random(_MADE) < 0.02)
            ranks = np.minimum(rng.pareto(0.7, rare.size) * 10, 26**6 - 1).astype(np.int64)
            letters = 97 + ranks[:, None] // 26 ** np.arange(6) % 26
            drawn[rare] = [f"zz{bytes(row).decode()}" for row in letters.astype(np.uint8)]
            persons = (words // 500 * rng.random(_MADE // 100) ** 2).astype(np.int64)
            for person, texts in zip(persons, drawn.reshape(-1, 100), strict=True):
                record = {"person": f"p{person}", "text": " ".join(texts), "label": "ab"[person % 2]}
                stream.write(json.dumps(record) + "\n")


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "selection": selection,
    "intervals": intervals,
    "ngrams": ngrams,
    "wikipedia": wikipedia,
    "large": large,
    "driver": driver,
}

if __name__ == "__main__":
    print(machine())
    for part in sys.argv[1:] or PARTS:
        for row in PARTS[part]():
            print("; ".join(f"{key}: {value}" for key, value in row.items()), flush=True)
