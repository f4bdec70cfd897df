"""What comes out where base weights follow what a document has released, beside the weights of the default.

    python benchmarks/contextual.py texts [EPSILON ...]   words that stay and cosines, by corpus and epsilon
    python benchmarks/contextual.py names [EPSILON ...]   words of person and place names that stay, labelled sentences
    python benchmarks/contextual.py entropy [EPSILON ...] nats with which the next word is predicted, from releases
    python benchmarks/contextual.py speed                 words a second, documents side by side

Both are drawn here, by seeds: a document's weights depend on what was released before. Three corpora that neither the
language model nor the choice of weights has seen: AG News and Yelp, test parts, and every twentieth Wikipedia article,
which the language model leaves out. "Content" are the words outside the 3,000 most frequent of the public counts.
Words that are not in the vocabulary are left out. The interval is over texts, at 95 %, from a bootstrap with a seed.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from measure import SHARED
from utility import FREQUENT, NOT_NAMES, TEXTS, held_out, ids_of, interval, news, reviews

from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.mechanisms.neighborhood import neighborhood
from textveil.models.language_model import boundary_id
from textveil.models.ngram import embedded_language_model
from textveil.randomness import seeded_generator
from textveil.text.tokens import Kind, classify, split
from textveil.types import Flags, Ids, Reals
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.mechanisms.product_columns import log_chances
from textveil_lab.vocabulary.geometry import normalize

EPSILONS = (5.0, 8.0, 10.0)
SEED = 1
ROUNDS = 3
"""Times that every text is drawn."""


CORPORA = {"AG News": news, "Yelp": reviews, "Wikipedia": held_out}


def drawn(made: WordMechanism | SequenceMechanism, documents: Sequence[Ids]) -> list[Ids]:
    """Every document ``ROUNDS`` times."""
    edges = np.concatenate([[0], np.cumsum([len(one) for one in documents])])
    ids, rng, outputs = np.concatenate(documents), seeded_generator(SEED), []
    for _ in range(ROUNDS):
        if isinstance(made, SequenceMechanism):
            found = made.privatize_documents(ids, edges, rng)
        else:
            found = made.privatize(ids, rng)
        outputs.append(np.split(found, edges[1:-1]))
    return [np.concatenate(one) for one in zip(*outputs, strict=True)]


def makers(epsilon: float) -> Iterator[tuple[str, WordMechanism | SequenceMechanism]]:
    """The default, and the same with context."""
    vocabulary = load_vocabulary()
    yield "frequency", neighborhood(vocabulary, epsilon=epsilon)
    yield "context", neighborhood(vocabulary, epsilon=epsilon, context="released")


def texts(epsilons: Sequence[float]) -> None:
    """Print the table of corpora."""
    vocabulary = load_vocabulary()
    units = normalize(vocabulary.vectors)
    rank = np.empty(len(vocabulary), dtype=np.int64)
    rank[np.argsort(-word_frequencies(vocabulary).counts, kind="stable")] = np.arange(len(vocabulary))
    print(f"{'corpus':10s} {'epsilon':>7s} {'weights':10s} {'same word':22s} {'cosine':22s} content cosine")
    words = {name: [np.array(ids_of(text)) for text in islice(read(), TEXTS)] for name, read in CORPORA.items()}
    for epsilon in epsilons:
        for kind, made in makers(epsilon):
            for name, all_documents in words.items():
                documents = [one for one in all_documents if len(one)]
                outputs = drawn(made, documents)
                inputs = [np.tile(one, ROUNDS) for one in documents]
                same = [(one == other).astype(float) for one, other in zip(inputs, outputs, strict=True)]
                near = [np.einsum("ij,ij->i", units[x], units[y]) for x, y in zip(inputs, outputs, strict=True)]
                content = [one[rank[ids] >= FREQUENT] for one, ids in zip(near, inputs, strict=True)]
                cells = [interval(same), interval(near), interval(content)]
                print(f"{name:10s} {epsilon:7g} {kind:10s} {cells[0]:22s} {cells[1]:22s} {cells[2]}", flush=True)


def labelled() -> Iterator[tuple[Ids, dict[str, Flags]]]:
    """Sentences as ids, and which of the words stand in a person's or a place's name."""
    vocabulary = load_vocabulary()
    common = set(np.argsort(-word_frequencies(vocabulary).counts, kind="stable")[:NOT_NAMES].tolist())
    kinds = {"persons": "PERSON", "places": "GPE"}
    for name in ("generated_large.json", "synth_dataset_v2.json"):
        path = SHARED / "data/text/pii/presidio_synthetic" / name
        for sentence in json.loads(path.read_text(encoding="utf-8")):
            ids, starts, at = [], [], 0
            for piece in split(sentence["full_text"]):
                found = vocabulary.id_of(piece.lower()) if classify(piece) is Kind.WORD else None
                if found is not None:
                    ids.append(found)
                    starts.append(at)
                at += len(piece)
            flags = {"all words": np.ones(len(ids), dtype=bool)}
            for kind, label in kinds.items():
                spans = [span for span in sentence["spans"] if span["entity_type"] == label]
                inside = [any(one["start_position"] <= at < one["end_position"] for one in spans) for at in starts]
                rare = [word not in common for word in ids]
                flags[kind] = np.array(inside, dtype=bool) & np.array(rare, dtype=bool)
            if ids:
                yield np.array(ids), flags


def names(epsilons: Sequence[float]) -> None:
    """Print the table of names."""
    sentences = list(labelled())
    kinds = ("persons", "places", "all words")
    print(f"{'epsilon':>7s} {'weights':10s} " + " ".join(f"{kind:22s}" for kind in kinds))
    for epsilon in epsilons:
        for weights, made in makers(epsilon):
            outputs = drawn(made, [ids for ids, _ in sentences])
            cells = []
            for kind in kinds:
                stays = [
                    (np.tile(ids, ROUNDS) == out)[np.tile(flags[kind], ROUNDS)].astype(float)
                    for (ids, flags), out in zip(sentences, outputs, strict=True)
                ]
                cells.append(interval([one for one in stays if len(one)]))
            print(f"{epsilon:7g} {weights:10s} " + " ".join(f"{cell:22s}" for cell in cells), flush=True)


def entropy(epsilons: Sequence[float]) -> None:
    """Print mean -ln of the predicted chance of the true word: by what was released, and by the true words before."""
    vocabulary, model = load_vocabulary(), embedded_language_model()
    start = boundary_id(len(vocabulary))
    words = {name: [np.array(ids_of(text)) for text in islice(read(), TEXTS)] for name, read in CORPORA.items()}
    print(f"{'corpus':10s} {'unigram':22s} {'true word before':22s} {'true two before':22s} released at epsilon ...")
    for name, all_documents in words.items():
        documents = [one for one in all_documents if len(one)]
        before = [np.concatenate([[start, start], one]) for one in documents]
        known: list[list[Reals]] = [[-model.unigram[one].astype(float) for one in documents]]
        for order in (1, 2):
            contexts = [
                np.stack([one[2 - order + k : len(one) - order + k] for k in range(order)], 1) for one in before
            ]
            found = zip(contexts, documents, strict=True)
            known.append([-model.log_probabilities(one, ids[:, None])[:, 0].astype(float) for one, ids in found])
        for epsilon in epsilons:
            made = neighborhood(vocabulary, epsilon=epsilon, context="released")
            assert isinstance(made, ContextualNeighborhood)
            edges = np.concatenate([[0], np.cumsum([len(one) for one in documents])])
            ids = np.concatenate(documents)
            outputs = made.privatize_documents(ids, edges, seeded_generator(SEED))
            known.append(np.split(-log_chances(made, ids, outputs, edges), edges[1:-1]))
        print(f"{name:10s} " + " ".join(f"{interval(one):22s}" for one in known), flush=True)


def speed() -> None:
    """Print words a second of one process, of the processor's time and of the wall's."""
    documents = [np.array(ids_of(text)) for text in islice(news(), 2000)]
    for batch in (1, 64, 1024):
        chosen = documents[: max(32, batch)]
        made = neighborhood(load_vocabulary(), context="released", epsilon=8.0)
        assert isinstance(made, SequenceMechanism)
        rates = []
        for _ in range(2):  # the second time the orders of words that were met are kept
            wall, processor = time.perf_counter(), time.process_time()
            for start in range(0, len(chosen), batch):
                part = chosen[start : start + batch]
                edges = np.concatenate([[0], np.cumsum([len(one) for one in part])])
                made.privatize_documents(np.concatenate(part), edges)
            count = sum(map(len, chosen))
            rates += [count / (time.process_time() - processor), count / (time.perf_counter() - wall)]
        print(
            f"{batch:5d} documents side by side, first and second pass, words/s: "
            + "  ".join(f"{one:,.0f} {what}" for one, what in zip(rates, ("processor", "wall") * 2, strict=True)),
            flush=True,
        )


if __name__ == "__main__":
    parts = {"texts": texts, "names": names, "entropy": entropy}
    asked = [float(one) for one in sys.argv[2:]] or list(EPSILONS)
    speed() if sys.argv[1:2] == ["speed"] else parts[sys.argv[1] if len(sys.argv) > 1 else "texts"](asked)
