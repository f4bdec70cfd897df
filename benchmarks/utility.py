"""What comes out of the default mechanism, beside flat base weights: exact expectations over real public texts.

    python benchmarks/utility.py [EPSILON ...]     words that stay and mean cosine, by corpus and epsilon
    python benchmarks/utility.py names             words of person and place names that stay, in labelled sentences
    python benchmarks/utility.py optimal [EPSILON ...]    both with optimal weights too, for the cosine
    python benchmarks/utility.py coarse [EPSILON ...]     words that are drawn coarse, and so are written milder
    python benchmarks/utility.py information [EPSILON ...]    or for the cosine by information: searches take minutes

Nothing is drawn: for every word of a text the row of the channel is summed. "Content" are the words outside the 3,000
most frequent of the public counts. Words that are not in the vocabulary are left out. The interval is over texts, at
95 %, from a bootstrap with a fixed seed.
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from measure import SHARED

from textveil.mechanisms.neighborhood import Neighborhood, WeightedNeighborhood, neighborhood
from textveil.numerics.integer_weights import TwoLevelWeights
from textveil.text.tokens import Kind, classify, split
from textveil.types import Ids, Reals
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import milder_words, word_frequencies
from textveil_lab.mechanisms.channels.optimal import optimal
from textveil_lab.vocabulary.geometry import normalize

EPSILONS = (5.0, 8.0, 10.0)
WEIGHTS = ("flat", "frequency")
OPTIMAL = {"optimal": "cosine", "information": "content"}
"""Weights that are searched for, and the utility that they are best for."""

TEXTS = 100
FREQUENT = 3000
NOT_NAMES = 200
"""Words of spans that are among the 200 most frequent ("the", "of", "new") are no names."""


def news() -> Iterator[str]:
    """Titles and descriptions of AG News, test part."""
    with (SHARED / "data/text/agnews/test.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.reader(stream):
            yield f"{row[1]}. {row[2]}"


def reviews() -> Iterator[str]:
    """Sentences of Yelp reviews, test part."""
    for name in ("test.pos.txt", "test.neg.txt"):
        yield from islice((SHARED / "data/text/yelp" / name).read_text(encoding="utf-8").splitlines(), TEXTS // 2)


def articles() -> Iterator[str]:
    """First 1,500 characters of Wikipedia articles; the public counts are from the same articles."""
    with gzip.open(SHARED / "data/text/wikipedia/articles.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)["text"][:1500]


def held_out() -> Iterator[str]:
    """Those of the articles that the embedded language model has not seen: the eighth of every twenty."""
    return islice(articles(), 7, None, 20)


CORPORA = {"AG News": news, "Yelp": reviews, "Wikipedia": articles}


def alone(epsilon: float, base_weights: str) -> Neighborhood | WeightedNeighborhood:
    """The mechanism that draws for each word alone."""
    if base_weights in OPTIMAL:
        return optimal(load_vocabulary(), epsilon=epsilon, utility=OPTIMAL[base_weights]).channel
    made = neighborhood(load_vocabulary(), epsilon=epsilon, base_weights=base_weights)
    assert isinstance(made, Neighborhood | WeightedNeighborhood)
    return made


def stays(made: Neighborhood | WeightedNeighborhood) -> Reals:
    """P(x | x) of every word, shape (n,)."""
    weights = made.weights
    if isinstance(weights, TwoLevelWeights):
        return np.full(weights.size, weights.inside / weights.total)
    return (weights.base + np.minimum(weights.gains, weights.row_gain) * weights.unit) / weights.total


class Cosines:
    """The expected cosine of a word and its output, for every word that is asked for, once each."""

    def __init__(self, made: Neighborhood | WeightedNeighborhood) -> None:
        self._made, self._units = made, normalize(made.vocabulary.vectors)
        self._known = np.full(len(made.vocabulary), np.nan)

    def __call__(self, words: Ids) -> Reals:
        """Shape (words,)."""
        ids = words
        new = np.unique(ids[np.isnan(self._known[ids])])
        for start in range(0, len(new), 64):
            part = new[start : start + 64]
            weights = self._made.integer_weights(part).astype(np.float64)
            rows = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
            self._known[part] = ((rows @ self._units) * self._units[part]).sum(axis=1)
        return self._known[ids]


def interval(values: Sequence[Reals]) -> str:
    """Mean over all words of all texts, with a bootstrap interval over texts."""
    sums = np.array([[one.sum(), len(one)] for one in values if len(one)])
    chosen = np.random.default_rng(0).integers(0, len(sums), size=(500, len(sums)))
    means = sums[chosen].sum(axis=1)
    low, high = np.quantile(means[:, 0] / means[:, 1], [0.025, 0.975])
    return f"{sums[:, 0].sum() / sums[:, 1].sum():.3f} ({low:.3f}-{high:.3f})"


def ids_of(text: str) -> list[int]:
    """Ids of the words of a text that are in the vocabulary."""
    vocabulary = load_vocabulary()
    found = (vocabulary.id_of(piece.lower()) for piece in split(text) if classify(piece) is Kind.WORD)
    return [word for word in found if word is not None]


def texts(epsilons: Sequence[float], weights: Sequence[str] = WEIGHTS) -> None:
    """Print the table of corpora."""
    vocabulary = load_vocabulary()
    rank = np.empty(len(vocabulary), dtype=np.int64)
    rank[np.argsort(-word_frequencies(vocabulary).counts, kind="stable")] = np.arange(len(vocabulary))
    print(f"{'corpus':10s} {'epsilon':>7s} {'weights':10s} {'same word':22s} {'cosine':22s} content cosine")
    words = {name: [ids_of(text) for text in islice(read(), TEXTS)] for name, read in CORPORA.items()}
    for epsilon in epsilons:
        for kind in weights:
            made = alone(epsilon, kind)
            same, cosines = stays(made), Cosines(made)
            for name, documents in words.items():
                ids = [np.array(one) for one in documents if one]
                near = [cosines(one) for one in ids]
                content = [one[rank[words] >= FREQUENT] for one, words in zip(near, ids, strict=True)]
                cells = [interval([same[one] for one in ids]), interval(near), interval(content)]
                print(f"{name:10s} {epsilon:7g} {kind:10s} {cells[0]:22s} {cells[1]:22s} {cells[2]}", flush=True)


def names(epsilons: Sequence[float] = EPSILONS, weights: Sequence[str] = WEIGHTS) -> None:
    """Print the table of names."""
    vocabulary = load_vocabulary()
    common = set(np.argsort(-word_frequencies(vocabulary).counts, kind="stable")[:NOT_NAMES].tolist())
    kinds = {"PERSON": "persons", "GPE": "places"}
    found: dict[str, list[list[int]]] = {"persons": [], "places": [], "all words": []}
    for name in ("generated_large.json", "synth_dataset_v2.json"):
        path = SHARED / "data/text/pii/presidio_synthetic" / name
        for sentence in json.loads(path.read_text(encoding="utf-8")):
            found["all words"].append(ids_of(sentence["full_text"]))
            for span in sentence["spans"]:
                if span["entity_type"] in kinds:
                    ids = [word for word in ids_of(span["entity_value"]) if word not in common]
                    found[kinds[span["entity_type"]]].append(ids)
    print(f"{'epsilon':>7s} {'weights':24s} " + " ".join(f"{name:22s}" for name in found))
    for epsilon in epsilons:
        for kind in weights:
            same = stays(alone(epsilon, kind))
            cells = [interval([same[ids] for ids in documents if ids]) for documents in found.values()]
            print(f"{epsilon:7g} {kind:24s} " + " ".join(f"{cell:22s}" for cell in cells), flush=True)


def coarse(epsilons: Sequence[float]) -> None:
    """Print how often a word that is not coarse comes out as one, and so is written milder (``vocabulary.milder``)."""
    words = np.array(list(milder_words(load_vocabulary())))
    print(f"{'corpus':10s} {'epsilon':>7s} one in so many words")
    for epsilon in epsilons:
        made = alone(epsilon, "frequency")
        for name, read in CORPORA.items():
            ids, counts = np.unique([one for text in islice(read(), TEXTS) for one in ids_of(text)], return_counts=True)
            drawn = np.empty(len(ids))
            for start in range(0, len(ids), 64):
                weights = made.integer_weights(ids[start : start + 64]).astype(np.float64)
                drawn[start : start + 64] = weights[:, words].sum(axis=1) / weights.sum(axis=1)
            mild = ~np.isin(ids, words)
            print(f"{name:10s} {epsilon:7g} {counts[mild].sum() / (drawn * counts)[mild].sum():,.0f}", flush=True)


def searched(epsilons: Sequence[float], weights: str) -> None:
    """Print both tables with searched weights."""
    for table in (texts, names):
        table(epsilons, (*WEIGHTS, weights))


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in OPTIMAL:
        searched([float(one) for one in sys.argv[2:]] or [8.0], sys.argv[1])
    elif sys.argv[1:2] == ["coarse"]:
        coarse([float(one) for one in sys.argv[2:]] or EPSILONS)
    elif sys.argv[1:] == ["names"]:
        names()
    else:
        texts([float(one) for one in sys.argv[1:]] or EPSILONS)
