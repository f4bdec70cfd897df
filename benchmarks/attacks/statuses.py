"""Can an object be released as proved that no registered function made? Every way to say so is tried.

    python benchmarks/attacks/statuses.py [--words N]

Each way wraps the identity, or a weaker mechanism, under a guarantee of 0-DP. It succeeds where the release is for
release, or where words that all stay are not told. Exits with 1 if one does.
"""

import argparse
import copy
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

import textveil as tv
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Mechanism
from textveil.privacy.units import ONE_DOCUMENT
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

PROOF: Final = "privacy/proofs/randomized_response.md"
STATUSES: Final = (tv.Status.PROVED, tv.Status.CERTIFIED)


class Words:
    """Keeps words."""

    parameters: Final[dict[str, Any]] = {}

    def __init__(self, vocabulary: Vocabulary, guarantee: tv.PureDP, name: str = "identity") -> None:
        self.vocabulary, self.guarantee, self.name = vocabulary, guarantee, name

    def privatize(self, ids: Any, rng: np.random.Generator | None = None) -> Any:
        """The words themselves."""
        return np.asarray(ids)


class Rows(Words):
    """Keeps words, beside a table that says otherwise."""

    def probabilities(self, word_id: int) -> Any:
        """A uniform row."""
        return np.full(len(self.vocabulary), 1 / len(self.vocabulary))


class Texts:
    """Keeps texts."""

    name = "identity"
    parameters: Final[dict[str, Any]] = {}

    def __init__(self, guarantee: tv.PureDP) -> None:
        self.guarantee = dataclasses.replace(guarantee, adjacency=ONE_DOCUMENT)

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """The texts themselves."""
        return list(texts)


def ways(vocabulary: Vocabulary) -> Iterator[tuple[Mechanism, bool]]:
    """Objects that say more than is so, and whether they keep every word."""
    genuine: Any = tv.mechanism("randomized-response", vocabulary, epsilon=2.0)
    for status in STATUSES:
        for source in ("trust me", PROOF, __file__):
            promise = tv.PureDP(epsilon=0.0, status=status, source=source)
            for name in ("identity", "randomized-response"):
                yield Words(vocabulary, promise, name), True
                yield Rows(vocabulary, promise, name), True
                yield copy.deepcopy(Words(vocabulary, promise, name)), True
            yield Texts(promise), True
            yield dataclasses.replace(genuine, guarantee=promise), False
            yield copy.copy(dataclasses.replace(genuine, guarantee=promise)), False
            changed: Any = tv.mechanism("randomized-response", vocabulary, epsilon=2.0)
            object.__setattr__(changed, "guarantee", promise)
            yield changed, False
            yield copy.copy(changed), False
            facts: dict[str, Any] = {
                "family": "channel",
                "notion": "pure DP",
                "source": "x",
                "summary": "It keeps all.",
            }
            for name in ("identity", "randomized-response"):
                make = declared(status=status, proof=source, name=name, **facts)
                yield make(lambda words, promise=promise: Words(words, promise))(vocabulary), True
    yield Words(vocabulary, genuine.guarantee, genuine.name), True


def attempts(vocabulary: Vocabulary) -> tuple[int, int, int]:
    """How many ways there are, how many are for release, and how many keep words untold."""
    tried = released = untold = 0
    for mechanism, keeps in ways(vocabulary):
        epsilon = None if isinstance(mechanism, Texts) else 1.0
        setting = tv.Sanitizer(mechanism, number_epsilon=epsilon).setting
        tried += 1
        released += setting.for_release
        untold += keeps and not setting.mostly_unchanged
    return tried, released, untold


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--words", type=int, default=1000)
    count = parser.parse_args().words
    whole = load_vocabulary()
    tried, released, untold = attempts(Vocabulary(whole.words[:count], whole.vectors[:count], "first words"))
    print(f"{tried} ways to declare a guarantee: {released} for release, {untold} that keep words untold")
    sys.exit(1 if released or untold else 0)


if __name__ == "__main__":
    main()
