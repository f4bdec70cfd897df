"""What decoding recovers of releases, beside the releases themselves: drawn once with a seed, decoded, compared.

    python benchmarks/decoding.py [EPSILON ...]    words that come back and mean cosine, by corpus, weights and epsilon
    python benchmarks/decoding.py alpha            the same for weights by frequency to the power 3/4
    python benchmarks/decoding.py contextual       the same for base weights that follow what was released
    python benchmarks/decoding.py names            words of person and place names, in labelled sentences
    python benchmarks/decoding.py choices          the three ways to choose, and a second look, at epsilon 8
    python benchmarks/decoding.py speed            words a second, with two threads and with one

Texts are those of ``utility.py``, but of Wikipedia only articles that the embedded language model has not seen (every
twentieth, from the eighth on). Words that are not in the vocabulary are left out. Intervals are over texts, at 95 %,
from a bootstrap with a fixed seed. "Context" decodes with the embedded language model; "word" takes the most probable
word for each released one alone, by channel and public frequency.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from measure import SHARED
from utility import NOT_NAMES, held_out, interval, news, reviews

from textveil.catalog import mechanism
from textveil.mechanisms.kinds import Mechanism
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.codes import TextCodes
from textveil.text.tokens import Kind, tokenize
from textveil.types import Flags, Ids, Integers
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.decoding.decode import default_model
from textveil_lab.decoding.decoder import TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.mechanisms.product_columns import sequence_columns
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.documents import ReleasedTexts, ReleaseReader
from textveil_lab.vocabulary.geometry import normalize

EPSILONS = (3.0, 5.0, 8.0, 10.0)
SEED = 11
TEXTS = 100
VOCABULARY = load_vocabulary()
UNITS = normalize(VOCABULARY.vectors)


CORPORA: dict[str, tuple[Callable[[], Iterator[str]], int]] = {
    "AG News": (news, TEXTS),
    "Yelp": (reviews, TEXTS),
    "Wikipedia": (held_out, TEXTS // 2),
}


class Drawn(NamedTuple):
    """Texts and a release of each.

    Attributes:
        original: ids of all words.
        known: whether the vocabulary has the word itself.
        bounds: where each text begins among them, and the end.
        read: the releases.
    """

    original: Ids
    known: Flags
    bounds: Integers
    read: ReleasedTexts


def drawn(made: Mechanism, texts: Sequence[str]) -> Drawn:
    """Release texts with the seed."""
    codes = TextCodes(VOCABULARY.words, "keep")
    coded = codes.encode(texts)
    words = codes.words(coded.codes)
    released = Sanitizer(made, rng=seeded_generator(SEED), marks="keep").batch(texts, spans=False)
    read = ReleaseReader(VOCABULARY.words).read_releases([one.text for one in released])
    bounds = np.searchsorted(words.indices, coded.bounds)
    assert (read.word_bounds == bounds).all()
    return Drawn(words.ids, ~words.out_of_vocabulary[words.indices], bounds, read)


def cells(texts: Drawn, found: Ids) -> tuple[str, str]:
    """Share of words that are the original, and mean cosine with it; with intervals over texts."""
    same = (found == texts.original).astype(np.float64)
    near = np.einsum("ij,ij->i", UNITS[found], UNITS[texts.original]).astype(np.float64)
    parts = [slice(*pair) for pair in zip(texts.bounds[:-1], texts.bounds[1:], strict=True)]
    shown = [interval([one[part][texts.known[part]] for part in parts]) for one in (same, near)]
    return shown[0], shown[1]


def decoder(made: Mechanism, workers: int = 2, **options: Any) -> TextDecoder:
    """A decoder with the embedded language model."""
    return TextDecoder(made, default_model(VOCABULARY), options=DecoderOptions(**options), workers=workers)


def corpora(epsilons: Sequence[float]) -> None:
    """Print the table of corpora."""
    kinds = [(epsilon, kind) for epsilon in epsilons for kind in ("flat", "frequency")]
    _table([(epsilon, kind, {"base_weights": kind}) for epsilon, kind in kinds])


def alpha() -> None:
    """Print the table for other weights: a fixed power of frequency, and the base mass that theory knows it with."""
    masses = {5.0: 0.25, 8.0: 0.14, 10.0: 0.10}
    _table([(epsilon, "power 3/4", {"alpha": 0.75, "base_mass": mass}) for epsilon, mass in masses.items()])


def contextual() -> None:
    """Print the table for base weights that follow what a document has released."""
    _table([(epsilon, "contextual", {"context": "released"}) for epsilon in (8.0, 5.0, 10.0)])


def _table(rows: Sequence[tuple[float, str, dict[str, Any]]]) -> None:
    print(f"{'epsilon':>7s} {'weights':10s} {'corpus':10s} {'what':9s} {'same word':22s} cosine")
    for epsilon, kind, options in rows:
        made = mechanism("neighborhood", VOCABULARY, epsilon=epsilon, **options)
        alone = None if sequence_columns(made) is not None else WordPosterior(made)
        context = decoder(made)
        for name, (read, count) in CORPORA.items():
            texts = drawn(made, list(islice(read(), count)))
            words = texts.read.words
            ways = {"released": words, "context": context.words(texts.read)}
            if alone is not None:
                ways["word"] = alone.most_probable(words)
            for what, found in ways.items():
                same, near = cells(texts, found)
                print(f"{epsilon:7g} {kind:10s} {name:10s} {what:9s} {same:22s} {near}", flush=True)


def choices() -> None:
    """Print what each way to choose recovers."""
    made = mechanism("neighborhood", VOCABULARY, epsilon=8.0)
    print(f"{'choose':14s} {'corpus':10s} {'same word':22s} cosine")
    for choose, adapt in (("words", False), ("cosine", False), ("text", False), ("words", True), ("cosine", True)):
        found = decoder(made, choose=choose, adapt=adapt)
        for name, (read, count) in CORPORA.items():
            texts = drawn(made, list(islice(read(), count)))
            same, near = cells(texts, found.words(texts.read))
            print(f"{choose + ' twice' * adapt:14s} {name:10s} {same:22s} {near}", flush=True)


def labelled() -> tuple[list[str], dict[str, Flags]]:
    """Synthetic sentences, and which of their words belong to names of each kind."""
    common = set(np.argsort(-word_frequencies(VOCABULARY).counts, kind="stable")[:NOT_NAMES].tolist())
    kinds = {"PERSON": "persons", "GPE": "places", "ORGANIZATION": "organizations"}
    texts: list[str] = []
    marks: dict[str, list[bool]] = {name: [] for name in kinds.values()}
    for file in ("generated_large.json", "synth_dataset_v2.json"):
        path = SHARED / "data/text/pii/presidio_synthetic" / file
        for sentence in json.loads(path.read_text(encoding="utf-8"))[:500]:
            texts.append(sentence["full_text"])
            spans = sentence["spans"]
            for start, end, kind in tokenize(sentence["full_text"]):
                if kind is Kind.WORD:
                    inside = {
                        kinds.get(s["entity_type"]) for s in spans if s["start_position"] <= start < s["end_position"]
                    }
                    rare = VOCABULARY.id_of(sentence["full_text"][start:end].lower()) not in common
                    for name, flags in marks.items():
                        flags.append(rare and name in inside)
    return texts, {name: np.array(flags) for name, flags in marks.items()}


def names() -> None:
    """Print the table of names."""
    texts, kinds = labelled()
    print(f"{'epsilon':>7s} {'weights':10s} {'words of':14s} {'released':22s} context")
    for epsilon in EPSILONS[1:]:
        for weights in ("flat", "frequency"):
            made = mechanism("neighborhood", VOCABULARY, epsilon=epsilon, base_weights=weights)
            there = drawn(made, texts)
            found = decoder(made).words(there.read)
            everything = np.ones(len(there.original), dtype=np.bool_)
            for name, inside in {**kinds, "all words": everything}.items():
                some = there._replace(known=there.known & inside)
                row = [cells(some, ids)[0] for ids in (there.read.words, found)]
                print(f"{epsilon:7g} {weights:10s} {name:14s} {row[0]:22s} {row[1]}", flush=True)


def speed() -> None:
    """Print words a second, for news side by side and for a single text; time of processors and of the clock."""
    made = mechanism("neighborhood", VOCABULARY, epsilon=8.0)
    texts = list(islice(news(), 2000))
    released = [one.text for one in Sanitizer(made, rng=seeded_generator(SEED)).batch(texts, spans=False)]
    reader = ReleaseReader(VOCABULARY.words)
    for name, some in (("2,000 news", released), ("one article", ["".join(released[:50]).replace("\n", " ")])):
        read = reader.read(some)
        for workers in (2, 1):
            one = decoder(made, workers=workers)
            one.words(reader.read(released[:20]))  # what is made once: columns, proposals
            clock, used = time.perf_counter(), time.process_time()
            one.words(read)
            clock, used = time.perf_counter() - clock, time.process_time() - used
            count = len(read.words)
            print(f"{name:12s} threads {workers}: {count / clock:8,.0f} words/s, {count / used:8,.0f} a CPU second")


if __name__ == "__main__":
    tables = {"alpha": alpha, "contextual": contextual, "names": names, "choices": choices, "speed": speed}
    if len(sys.argv) == 2 and sys.argv[1] in tables:
        tables[sys.argv[1]]()
    else:
        corpora([float(one) for one in sys.argv[1:]] or EPSILONS)
