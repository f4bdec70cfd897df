"""Build the embedded trigram model from Wikipedia articles, check the committed file, or measure models.

    python tools/build_language_model.py [--articles FILE] [--output FOLDER]   build (about four minutes)
    python tools/build_language_model.py --check                               compare; exit code 1 if different
    python tools/build_language_model.py --measure                             perplexities (about ten minutes)

The text is English Wikipedia articles (5,247 of 2015, CC BY-SA 3.0), without those whose line number, from 0, leaves 7
when divided by 20: these are held out for measurements.
"""

import argparse
import csv
import gzip
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from textveil.models.ngram import DATA, FILE, RECORD, NgramModel, embedded_language_model
from textveil.types import Ids, Reals
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.models.ngram_build import MAX_BYTES, TextReader, compressed, counted, ngram_model
from textveil_lab.models.pruning import TrigramCounts, estimate

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TEXTVEIL_SHARED", ROOT.parent / "shared"))
ARTICLES = SHARED / "data/text/wikipedia/articles.jsonl.gz"

NAME = "wikipedia-2015-trigrams"
HELD_OUT, EVERY = 7, 20
_TEXTS = 2000


def main() -> int:
    """Build, check or measure, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--articles", type=Path, default=ARTICLES, help="articles, one JSON object with a text a line")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the embedded files")
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, help="of the file, about")
    parser.add_argument("--check", action="store_true", help="compare with the committed files; write nothing")
    parser.add_argument("--measure", action="store_true", help="perplexities of the embedded model and of larger ones")
    options = parser.parse_args()
    if options.measure:
        return measure(options.articles)
    model = ngram_model(load_vocabulary(), articles(options.articles), name=NAME, max_bytes=options.max_bytes)
    record = {
        "source": "English Wikipedia, 5,247 articles of 2015 without every twentieth, by its contributors",
        "license": "CC BY-SA 3.0",
        "model": dict(model.key.made_from),
        "digest": model.digest,
    }
    text = json.dumps(record, indent=1) + "\n"
    if options.check:
        same = (DATA / RECORD).read_text(encoding="ascii") == text and embedded_language_model().digest == model.digest
        print("The embedded model is what this tool builds." if same else FILE)
        return 0 if same else 1
    options.output.mkdir(exist_ok=True)
    model.save(options.output / FILE)
    (options.output / RECORD).write_text(text, encoding="ascii")
    print(f"{FILE}: {(options.output / FILE).stat().st_size:,d} bytes, {model.key.made_from}")
    return 0


def articles(path: Path, *, held_out: bool = False) -> Iterator[str]:
    """The texts that are learned from, or those that are held out."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            if (number % EVERY == HELD_OUT) is held_out:
                yield json.loads(line)["text"]


def news() -> Iterator[str]:
    """Titles and descriptions of AG News, test part."""
    with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.reader(stream):
            yield f"{row[1]}. {row[2]}"


def reviews() -> Iterator[str]:
    """Sentences of Yelp reviews, test part."""
    for name in ("test.pos.txt", "test.neg.txt"):
        yield from islice((SHARED / "data/text/yelp" / name).read_text(encoding="utf-8").splitlines(), _TEXTS)


def measure(path: Path) -> int:
    """Print perplexities a word: exact and unpruned, pruned and quantized to several sizes, and as embedded."""
    vocabulary = load_vocabulary()
    reader = TextReader(vocabulary.words)
    held = {"Wikipedia": articles(path, held_out=True), "AG News": islice(news(), _TEXTS), "Yelp": reviews()}
    texts = {name: _asked(reader(list(some)).ids, len(vocabulary)) for name, some in held.items()}
    counts = counted(vocabulary, articles(path))
    print(f"{'model':24s} {'bytes':>12s} order " + " ".join(f"{name:>10s}" for name in texts))
    _row("counted, exact", None, 2, texts, lambda contexts, words: _exact(counts, contexts[:, 1:], words))
    _row("counted, exact", None, 3, texts, lambda contexts, words: _exact(counts, contexts, words))
    models = {"counted, on 8 bits": math.inf, "24 MB": 24e6, "6 MB": 6e6}
    for name, size in models.items():
        _model_rows(name, compressed(counts, vocabulary.digest, name=name, max_bytes=size), texts)
    _model_rows("embedded", embedded_language_model(), texts)
    print(f"{_look_ups(embedded_language_model(), *texts['Wikipedia']) / 1e6:.1f} million look-ups a second and core")
    return 0


def _look_ups(model: NgramModel, contexts: Ids, words: Ids) -> float:
    """Probabilities that one core looks up in a second: of 32 words of the text after each of its contexts."""
    rng = np.random.default_rng(0)
    asked = contexts[rng.integers(0, len(contexts), 20_000)]
    after = words[rng.integers(0, len(words), (len(asked), 32))]
    times = []
    for _ in range(5):
        begun = time.process_time()
        model.log_probabilities(asked, after)
        times.append(time.process_time() - begun)
    return after.size / min(times)


def _model_rows(name: str, model: NgramModel, texts: dict[str, tuple[Ids, Ids]]) -> None:
    size = model.key.nbytes
    _row(name, size, 2, texts, lambda contexts, words: model.log_probabilities(contexts[:, 1:], words[:, None])[:, 0])
    _row(name, size, 3, texts, lambda contexts, words: model.log_probabilities(contexts, words[:, None])[:, 0])


def _row(
    name: str,
    size: int | None,
    order: int,
    texts: dict[str, tuple[Ids, Ids]],
    logs: Callable[[Ids, Ids], np.ndarray],
) -> None:
    found = [f"{math.exp(-float(np.mean(logs(*asked), dtype=np.float64))):10.1f}" for asked in texts.values()]
    print(f"{name:24s} {'' if size is None else format(size, ',d'):>12s} {order:5d} " + " ".join(found), flush=True)


def _asked(ids: Ids, size: int) -> tuple[Ids, Ids]:
    """Contexts of two ids and the words after them."""
    led = np.concatenate([[size], ids])
    predicted = led[2:] < size
    return np.stack([led[:-2], led[1:-1]], axis=1)[predicted], led[2:][predicted]


def _exact(counts: TrigramCounts, contexts: Ids, words: Ids) -> Reals:
    """Logarithms of the estimate as it is, of whole contexts of one or two ids."""
    n = counts.size
    made = estimate(counts)
    latest = contexts[:, -1]
    found: Reals = made.unigram[words]
    found = _backed_off(counts.pairs, made.bigram, made.bigrams.contexts, made.bigrams.back, latest, words, n, found)
    if contexts.shape[1] == 2:
        rows = np.flatnonzero(latest < n)
        above = contexts[rows, 0] * (n + 2) + latest[rows]
        level = made.trigrams
        found[rows] = _backed_off(
            counts.triples, made.trigram, level.contexts, level.back, above, words[rows], n, found[rows]
        )
    return np.log(found)


def _backed_off(
    keys: Ids, listed: Reals, known: Ids, back: Reals, contexts: Ids, words: Ids, n: int, lower: Reals
) -> Reals:
    """What is listed, or else the lower probability times what the context leaves."""
    wanted = contexts * n + words
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    row = np.minimum(np.searchsorted(known, contexts), len(known) - 1)
    left = np.where(known[row] == contexts, back[row], 1.0) * lower
    return np.where(keys[place] == wanted, listed[place], left)


if __name__ == "__main__":
    sys.exit(main())
