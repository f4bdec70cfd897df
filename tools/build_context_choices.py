"""Choose the weights of contextual neighborhoods for several epsilons on public text, or check one of them.

    python tools/build_context_choices.py SHARED              build (half an hour; SHARED is the folder of public texts)
    python tools/build_context_choices.py SHARED --check E    draw again at epsilon E; exit code 1 if the numbers differ

The text is the training part of AG News and Yelp and questions of Yahoo Answers: nothing that the language model has
read and nothing that results are reported on. At every epsilon the exponent, the base mass and the weight of the
predicted words are those of greatest value among their neighbors on a grid, where the value is the mean of two: the
cosine of a word and its output over running words, and over content words, those outside the 3,000 most frequent.
Draws are seeded. The choices are public numbers; they decide how good the text is, never the guarantee.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from textveil.mechanisms.contextual_neighborhood import CONTEXT_CHOICES, ContextChoice, reading_releases
from textveil.mechanisms.weight_shares import FREQUENT
from textveil.randomness import seeded_generator
from textveil.text.tokens import Kind, classify, split
from textveil.types import Ids, Reals
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.vocabulary.geometry import normalize

EPSILONS = (3.0, 5.0, 6.5, 8.0, 9.0, 10.0, 12.0)
ALPHAS = (1.0, 1.25, 1.5)
MASSES = (0.5, 0.35, 0.25, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.015, 0.01, 0.005)
WEIGHTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
MOVES = ((1, 1, 0), (-1, -1, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
"""Steps on the grids of base mass, weight and exponent that are tried in turn; masses fall along theirs."""

TEXTS = {"news": 192, "reviews": 512, "questions": 128}
SEED = 5


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path, help="the folder of public texts")
    parser.add_argument("--check", type=float, metavar="E", help="draw again at this epsilon; write nothing")
    options = parser.parse_args()
    path = Path(DATA) / CONTEXT_CHOICES
    measure = Measure([np.array(one) for one in texts(options.shared) if one])
    if options.check is not None:
        stored = next(one for one in json.loads(path.read_text("ascii"))["choices"] if one["epsilon"] == options.check)
        found = measure(options.check, ContextChoice(*(stored[name] for name in ContextChoice._fields)))
        print(found, stored)
        return 0 if all(stored[name] == value for name, value in found.items()) else 1
    rows = []
    best = ContextChoice(1.25, 0.25, 4.0)
    for epsilon in EPSILONS:
        best = chosen(measure, epsilon, best)
        rows.append({"epsilon": epsilon, **best._asdict(), **measure(epsilon, best)})
        print(rows[-1], file=sys.stderr, flush=True)
    lines = ",\n  ".join(json.dumps(one) for one in rows)
    facts = {"vocabulary": load_vocabulary().digest, "seed": SEED, "words": measure.words}
    head = json.dumps(facts, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "choices": [\n  {lines}\n ]\n}}\n', encoding="ascii")
    return 0


def texts(shared: Path) -> Iterator[list[int]]:
    """Ids of the words of every text; words that are not in the vocabulary are left out."""
    vocabulary = load_vocabulary()
    folder = shared / "data/text"
    half = TEXTS["reviews"] // 2
    parts = (("agnews/train.tsv", TEXTS["news"]), ("yelp/train.pos.txt", half), ("yelp/train.neg.txt", half))
    for name, count in (*parts, ("yahoo/train.txt", TEXTS["questions"])):
        with (folder / name).open(encoding="utf-8") as lines:
            for line in islice(lines, count):
                words = (piece.lower() for piece in split(line.rpartition("\t")[2]) if classify(piece) is Kind.WORD)
                found = (vocabulary.id_of(word) for word in words)
                yield [word for word in found if word is not None]


class Measure:
    """Cosines of words and their outputs, by seeded draws.

    Args:
        documents: ids, none empty.
    """

    def __init__(self, documents: list[Ids]) -> None:
        vocabulary = load_vocabulary()
        frequencies = word_frequencies(vocabulary)
        self._ids = np.concatenate(documents)
        self._bounds = np.concatenate([[0], np.cumsum([len(one) for one in documents])])
        rank = np.argsort(np.argsort(-frequencies.counts, kind="stable"), kind="stable")
        self._content = rank[self._ids] >= FREQUENT
        self._units: Reals = normalize(vocabulary.vectors).astype(np.float64)
        self.words = len(self._ids)

    @cache  # noqa: B019 (one object lives as long as the process)
    def __call__(self, epsilon: float, choice: ContextChoice) -> dict[str, float]:
        """Cosine and content cosine, to four digits."""
        vocabulary = load_vocabulary()
        made = reading_releases(vocabulary, word_frequencies(vocabulary), epsilon=epsilon, **choice._asdict())
        drawn = made.privatize_documents(self._ids, self._bounds, seeded_generator(SEED))
        cosines = np.einsum("ij,ij->i", self._units[self._ids], self._units[drawn])
        found = {
            "same": float((drawn == self._ids).mean()),
            "cosine": float(cosines.mean()),
            "content_cosine": float(cosines[self._content].mean()),
        }
        return {name: round(value, 4) for name, value in found.items()}


def chosen(measure: Measure, epsilon: float, start: ContextChoice) -> ContextChoice:
    """The best choice that no neighbor on the grid beats, from ``start`` on."""
    grids = ([mass for mass in MASSES if mass > 1.5 * np.exp(-epsilon)], WEIGHTS, ALPHAS)
    names = ("base_mass", "context_weight", "alpha")

    def value(one: ContextChoice) -> float:
        found: dict[str, Any] = measure(epsilon, one)
        return (found["cosine"] + found["content_cosine"]) / 2

    best = start._replace(base_mass=min(grids[0], key=lambda mass: abs(mass - start.base_mass)))
    moved = True
    while moved:
        moved = False
        for steps in MOVES:
            at = [grid.index(getattr(best, name)) + step for name, grid, step in zip(names, grids, steps, strict=True)]
            if all(0 <= one < len(grid) for one, grid in zip(at, grids, strict=True)):
                tried = ContextChoice(**{name: grid[one] for name, grid, one in zip(names, grids, at, strict=True)})
                if value(tried) > value(best):
                    best, moved = tried, True
    return best


if __name__ == "__main__":
    sys.exit(main())
