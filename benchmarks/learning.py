"""What a classifier learns from releases: accuracy on clean text and on releases, with intervals.

    python benchmarks/learning.py [agnews] [sst2] [yelp] [--channels 8,5,3] [--train 16000] [--test 7600]

Training documents are released once by a seeded channel, test documents too. "tf-idf" is scikit-learn's logistic
regression on tf-idf weights of words, which knows nothing of the channel; "channel" is ``ChannelClassifier``, and "with
marks" lets it see what releases show as it was: marks, and how many digits numbers have. Words that the embedded
vocabulary lacks stand for their nearest spelling everywhere. Intervals are Clopper and Pearson's, at 95 %, over test
documents. Needs the extra ``learn``.
"""

import argparse
import csv
import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from measure import SHARED
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from textveil.mechanisms.neighborhood import neighborhood
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.statistics import clopper_pearson
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.estimation.scikit_learn import ChannelClassifier
from textveil_lab.vocabulary.documents import DocumentReader

SEED = 20
CHANNELS: dict[str, list[dict[str, Any]]] = {
    "8": [{"epsilon": 8.0}, {"epsilon": 8.0, "alpha": 0.5, "base_mass": 0.14}],
    "5": [{"epsilon": 5.0, "alpha": 0.5, "base_mass": 0.25}, {"epsilon": 5.0, "base_weights": "flat"}],
    "3": [{"epsilon": 3.0, "alpha": 0.5, "base_mass": 0.5}],
}
"""Channels by epsilon. The default's base weights at epsilon 5 and 3 raise a third of all words at once."""

TEXT = SHARED / "data/text"
Labelled = list[tuple[str, str]]


class Corpus(NamedTuple):
    """Texts with labels."""

    train: Labelled
    test: Labelled


def agnews() -> Corpus:
    """Training: descriptions. Test: titles and descriptions of the official test set."""
    rows = [line.split("\t") for line in (TEXT / "agnews/train.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    with (TEXT / "agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        test = [(f"{row[1]}. {row[2]}", row[0]) for row in csv.reader(stream)]
    return Corpus([(row[2], row[0]) for row in rows], test)


def descriptions() -> Corpus:
    """AG News, of the test set the descriptions alone."""
    with (TEXT / "agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        return Corpus(agnews().train, [(row[2], row[0]) for row in csv.reader(stream)])


def sst2() -> Corpus:
    """Phrases and sentences of film reviews, good and bad."""
    parts = []
    for name in ("train", "test"):
        rows = (TEXT / f"sst2/{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
        parts.append([(row.split("\t")[0], row.split("\t")[1]) for row in rows])
    return Corpus(*parts)


def yelp() -> Corpus:
    """Sentences of reviews, good and bad."""
    parts = []
    for name in ("train", "test"):
        rows = [(label, TEXT / f"yelp/{name}.{label}.txt") for label in ("neg", "pos")]
        parts.append([(line, label) for label, path in rows for line in path.read_text("utf-8").splitlines()])
    return Corpus(*parts)


CORPORA: dict[str, Callable[[], Corpus]] = {
    "agnews": agnews,
    "descriptions": descriptions,
    "sst2": sst2,
    "yelp": yelp,
}


def sample(rows: Labelled, number: int) -> tuple[list[str], list[str]]:
    """Texts and labels of so many rows, chosen by a seed."""
    chosen = random.Random(SEED).sample(rows, min(number, len(rows)))
    return [text for text, _ in chosen], [label for _, label in chosen]


def tfidf() -> Pipeline:
    """Logistic regression on tf-idf weights of small words."""
    words = TfidfVectorizer(token_pattern=r"(?u)\b[a-zA-Z']+\b", sublinear_tf=True)
    return make_pipeline(words, LogisticRegression(C=3, max_iter=300))


def in_vocabulary(texts: list[str]) -> list[str]:
    """Clean texts as words of the vocabulary alone, as a release would have them at an endless epsilon."""
    words = load_vocabulary().words
    ids, bounds = DocumentReader(words).words(texts, clean=True)
    edges = bounds.tolist()
    return [" ".join(words[one] for one in ids[start:end].tolist()) for start, end in pairwise(edges)]


def score(predicted: np.ndarray, labels: list[str]) -> str:
    """Accuracy with its interval."""
    found = clopper_pearson(int(np.sum(predicted == np.array(labels))), len(labels), 0.95)
    return f"{found.estimate:.3f} ({found.lower:.3f}-{found.upper:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=["agnews", "sst2", "yelp"], choices=list(CORPORA))
    parser.add_argument("--channels", default="8,5,3", help="epsilons, parted by commas")
    parser.add_argument("--train", type=int, default=16_000)
    parser.add_argument("--test", type=int, default=7600)
    options = parser.parse_args()
    cells = f"{'tf-idf, clean':22s} {'channel, clean':22s} {'tf-idf, both':22s} {'channel, both':22s} with marks, both"
    print(f"{'corpus':12s} {'channel':40s} {cells}")
    parts = {}
    for name in options.corpora:
        train, test = CORPORA[name]()
        parts[name] = (*sample(train, options.train), *sample(test, options.test))
        texts, labels, others, wanted = parts[name]
        clean = tfidf().fit(in_vocabulary(texts), labels).predict(in_vocabulary(others))
        print(f"{name:12s} {'none: clean text':40s} {score(clean, wanted)}", flush=True)
    for settings in (one for epsilon in options.channels.split(",") for one in CHANNELS[epsilon]):
        made = neighborhood(load_vocabulary(), **settings)
        for name, (texts, labels, others, wanted) in parts.items():
            sanitizer = Sanitizer(made, rng=seeded_generator(SEED))
            released, shown = ([one.text for one in sanitizer.batch(part, spans=False)] for part in (texts, others))
            plain = tfidf().fit(released, labels)
            aware = ChannelClassifier(made).fit(released, labels)
            marked = ChannelClassifier(made, marks=True).fit(released, labels)
            found = [
                score(plain.predict(in_vocabulary(others)), wanted),
                score(aware.set_params(reads="text").predict(others), wanted),
                score(plain.predict(shown), wanted),
                score(aware.set_params(reads="releases").predict(shown), wanted),
                score(marked.predict(shown), wanted),
            ]
            channel = re.sub(r"[{}':]", "", str(settings))
            print(f"{name:12s} {channel:40s} " + " ".join(f"{one:22s}" for one in found), flush=True)


if __name__ == "__main__":
    main()
