"""Which road? One corpus released in every way: what each keeps of it, and who is recognized.

    python benchmarks/roads.py [--documents 29331] [--only "NAME;NAME"]

The corpus is the training part of AG News, one document a person. A road gives texts, a classifier or counts:

- accuracy: a classifier (tf-idf, logistic regression) learned from the released texts alone, or the released
  classifier itself, on the 7,600 real texts of the test part;
- recognized: of 500 released texts, how many a tf-idf attacker finds among all originals at the first try; a released
  classifier or count has no text of a person, which is "-".

Draws are seeded; such releases are for benchmarks only. Needs the extra ``learn``.
"""

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from corpus_synthesis import pool
from measure import SHARED
from private_learning import Rows
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import textveil as tv
from textveil.aggregates.learning import learn
from textveil.aggregates.request import CorpusRequest
from textveil.aggregates.synthesis import synthesize
from textveil.risk.linkage import TfIdf, linkage

SEED = 25
DELTA = 1e-6
ATTACKED = 500
ARTICLES = 1500
"""Of Wikipedia, whose passages are the pool of synthetic text."""

Texts = Sequence[str]


def corpus(documents: int) -> tuple[list[str], list[str], list[str], list[str]]:
    """Training texts and labels, test texts and labels."""
    rows = [line.split("\t") for line in (SHARED / "data/text/agnews/train.tsv").read_text("utf-8").splitlines()[1:]]
    with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        test = [(f"{row[1]} {row[2]}", row[0]) for row in csv.reader(stream)]
    rows = rows[:documents]
    return [row[2] for row in rows], [row[0] for row in rows], [text for text, _ in test], [label for _, label in test]


def accuracy(texts: Texts, labels: Texts, test: Texts, truth: Texts) -> float:
    """Of a classifier learned from these texts, on the real ones."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2)
    model = LogisticRegression(C=10.0, max_iter=300)
    model.fit(vectorizer.fit_transform(texts), labels)
    return float(np.mean(model.predict(vectorizer.transform(test)) == np.array(truth)))


def recognized(released: Texts, originals: Texts) -> float:
    """The share of released texts whose original a tf-idf attacker names at the first try."""
    rows = np.random.default_rng(SEED).choice(len(originals), min(ATTACKED, len(originals)), replace=False)
    scores = TfIdf().scores([released[row] for row in rows], originals)
    return linkage(scores, rows).top1


def raw(texts: Texts) -> list[str]:
    """As they are."""
    return list(texts)


def by_policy(name: str, **changes: Any) -> Callable[[Texts], list[str]]:
    """A policy of words or values."""

    def release(texts: Texts) -> list[str]:
        sanitizer = tv.Sanitizer(tv.policy(name, **changes), rng=tv.seeded_generator(SEED))
        return [release.text for release in sanitizer.batch(texts)]

    return release


def in_context(texts: Texts) -> list[str]:
    """All words by the default mechanism, with what is already released as context."""
    mechanism = tv.mechanism("neighborhood", tv.load_vocabulary(), epsilon=8.0, context="released")
    return [release.text for release in tv.Sanitizer(mechanism, rng=tv.seeded_generator(SEED)).batch(texts)]


TEXTS: dict[str, tuple[str, Callable[[Texts], list[str]]]] = {
    "raw": ("nothing", raw),
    "identifiers": ("values found, 0", by_policy("identifiers")),
    "common-words, low": ("all but public words, 0", by_policy("common-words", level="low")),
    "all-words": ("each word, 8", by_policy("all-words")),
    "--context released": ("each word, 8", in_context),
}
"""Roads whose release is a text of each person: what is protected at which epsilon, and the release."""


def _request(records: Rows) -> CorpusRequest:
    return CorpusRequest(records, epsilon=1.0, delta=DELTA, rng=tv.seeded_generator(SEED))


def learned(records: Rows, test: Texts, truth: Texts) -> float:
    """The classifier itself."""
    model, _ = learn(_request(records))
    return float(np.mean(np.array(model.predict(test)) == np.array(truth)))


def synthetic(records: Rows, test: Texts, truth: Texts) -> float:
    """30,000 synthetic texts, to learn from."""
    released = synthesize(_request(records), pool(ARTICLES), documents=30_000)
    return accuracy(released.texts, released.labels, test, truth)


CORPUS: dict[str, Callable[[Rows, Texts, Texts], float]] = {"learn": learned, "synthesize": synthetic}
"""Roads whose release is about all persons together."""


def main() -> None:
    """One row for each road."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=29_331)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    texts, labels, test, truth = corpus(asked.documents)
    only = [name.strip() for name in asked.only.split(";") if name.strip()]
    print(f"{len(texts):,} documents; delta {DELTA:g} for a person")
    print("| road | protected, epsilon | accuracy | recognized | seconds |")
    for name, (protected, release) in TEXTS.items():
        if only and name not in only:
            continue
        start = time.process_time()
        released = release(texts)
        seconds = time.process_time() - start
        found = recognized(released, texts)
        print(f"| {name} | {protected} | {accuracy(released, labels, test, truth):.3f} | {found:.2f} | {seconds:.0f} |")
        sys.stdout.flush()
    for name, road in CORPUS.items():
        if only and name not in only:
            continue
        start = time.process_time()
        right = road(Rows(list(zip(texts, labels, strict=True)), list(range(len(texts)))), test, truth)
        print(f"| {name} | all of a person, 1 | {right:.3f} | - | {time.process_time() - start:.0f} |", flush=True)


if __name__ == "__main__":
    main()
