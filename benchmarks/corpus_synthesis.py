"""What `textveil synthesize` reaches: a classifier trained on synthetic text alone, tested on real text.

    python benchmarks/corpus_synthesis.py [--epsilons .5,1,4] [--seeds 5] [--documents 100000] [--articles 5247]
        [--pool wikipedia|counts] [--texts 12000]

Corpus: AG News, 29,331 documents, one a person; delta 1e-6; labels are selected. Pool: passages of Wikipedia articles,
of at least 8, 25 and 50 words, a random ``--texts`` of them.
``--pool counts`` spends epsilon on counts of words, pairs and triples by label (``textveil count --ngrams 3``),
and draws texts word by word from these counts: a comparison.
The classifier is scikit-learn's logistic regression (C = 1) on tf-idf weights of words; "real" is the same on the real
texts. The test set is the official one. Each draw has a seed of its own; the interval is Student's, at 95 %, over the
seeds.
Needs the extra ``learn``; the texts are read from ``$TEXTVEIL_SHARED``.
"""

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from itertools import accumulate
from pathlib import Path

import numpy as np
from learning import TEXT, Labelled, agnews
from private_learning import DELTA, SEED, Rows
from scipy.stats import t as student
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from textveil.aggregates.count_run import count
from textveil.aggregates.learning import released_moments
from textveil.aggregates.request import EACH_RECORD, CorpusRequest, PersonalRecords
from textveil.aggregates.synthesis import PoolVectors, drawn
from textveil.randomness import seeded_generator

SENTENCE_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z"])')
LENGTHS = (8, 25, 50)
LONGEST = 90


def pool(articles: int) -> list[str]:
    """Passages of whole sentences, each once, at each of the lengths."""
    texts: dict[str, None] = {}
    with gzip.open(TEXT / "wikipedia/articles.jsonl.gz", "rt", encoding="utf-8") as stream:
        for _, line in zip(range(articles), stream, strict=False):
            for paragraph in json.loads(line)["text"].split("\n"):
                for least in LENGTHS:
                    texts.update(dict.fromkeys(passages(SENTENCE_END.split(paragraph), least)))
    return list(texts)


def passages(sentences: list[str], least: int) -> list[str]:
    """Runs of sentences with at least so many words."""
    found, held = [], []
    for sentence in sentences:
        held += sentence.split()
        if len(held) >= least:
            if len(held) <= LONGEST:
                found.append(" ".join(held))
            held = []
    return found


def accuracy(texts: list[str], labels: list[str], test: Labelled) -> float:
    """Of a classifier that learns from these texts, on real text."""
    words = TfidfVectorizer(token_pattern=r"(?u)\b[a-zA-Z']+\b", sublinear_tf=True)
    model = make_pipeline(words, LogisticRegression(C=1.0, max_iter=100, tol=1e-3)).fit(texts, labels)
    return float(model.score([text for text, _ in test], [label for _, label in test]))


def from_counts(train: Labelled, epsilon: float, seed: int, documents: int) -> tuple[list[str], list[str]]:
    """Texts of 25 words, and their labels, drawn from the noisy counts of n-grams of each label."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "news.jsonl"
        path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in train))
        records = PersonalRecords(inputs=(str(path),), unit=EACH_RECORD, label="label")
        release, _ = count(CorpusRequest(records, epsilon=epsilon, delta=DELTA, rng=seeded_generator(seed)), ngrams=3)
    followers: defaultdict[tuple[str, ...], tuple[list[str], list[int]]] = defaultdict(lambda: ([], []))
    sizes: Counter[str] = Counter()
    for line in release.counts:
        *before, word = line.item.split()
        if line.count > 0:
            words, weights = followers[line.label, *before]
            words.append(word)
            weights.append(line.count)
            sizes[line.label] += line.count * (not before)
    rng = random.Random(seed)
    cumulated = {key: (words, list(accumulate(weights))) for key, (words, weights) in followers.items()}
    labels = rng.choices(list(sizes), list(sizes.values()), k=documents)
    texts = []
    for label in labels:
        text: list[str] = []
        while len(text) < 25:
            contexts = ((label, *text[len(text) - size :]) for size in (2, 1, 0) if size <= len(text))
            words, weights = next(cumulated[context] for context in contexts if context in cumulated)
            text += rng.choices(words, cum_weights=weights)
        texts.append(" ".join(text))
    return texts, labels


def main() -> None:
    """Print a line for each epsilon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilons", default=".5,1,4")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--articles", type=int, default=10**6)
    parser.add_argument("--pool", choices=("wikipedia", "counts"), default="wikipedia")
    parser.add_argument("--texts", type=int, default=10**6)
    options = parser.parse_args()
    train, test = agnews()
    if options.pool == "counts":
        public = []
    else:
        public = pool(options.articles)
        kept = np.sort(np.random.default_rng(SEED).permutation(len(public))[: options.texts])
        public = [public[text] for text in kept.tolist()]
    print(f"{len(train):,} documents; pool of {len(public):,} texts; {options.documents:,} synthetic documents")
    print(
        f"  real         {accuracy([text for text, _ in train], [label for _, label in train], test):.4f}", flush=True
    )
    records = Rows(train, list(range(len(train))))
    vectors = None
    for epsilon in map(float, options.epsilons.split(",")):
        rights = []
        for seed in range(options.seeds):
            if options.pool == "counts":
                rights.append(accuracy(*from_counts(train, epsilon, SEED + seed, options.documents), test))
                continue
            rng = seeded_generator(SEED + seed)
            released = released_moments(CorpusRequest(records, epsilon=epsilon, delta=DELTA, rng=rng))
            vectors = vectors or PoolVectors.of(public, released.features)
            texts, numbers, _ = drawn(released, vectors, options.documents, rng)
            labels = [released.labels[number] for number in numbers]
            rights.append(accuracy([public[text] for text in texts], labels, test))
        half = student.ppf(0.975, len(rights) - 1) * np.std(rights, ddof=1) / len(rights) ** 0.5
        print(f"  epsilon {epsilon:<5g}{np.mean(rights):.4f} +- {half:.4f}", flush=True)


if __name__ == "__main__":
    main()
