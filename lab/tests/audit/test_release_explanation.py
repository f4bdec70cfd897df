"""How well two inputs are told apart by what is released: within the limit where the guarantee is true, and exact."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.guarantees import PureDP
from textveil.randomness import seeded_generator
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.explained import explain_release

WORDS = Vocabulary(["one", "two", "three", "four", "five"], np.eye(5, dtype=np.float32), "tiny")


def explained(name: str, samples: int = 20_000, **options: Any) -> Any:
    made: Any = mechanism(name, WORDS, **options)
    return explain_release(made, samples=samples, rng=seeded_generator(1))


@pytest.mark.parametrize("name", ["dpnr", "cape", "text-to-vectors", "unary-encoding", "subset-selection"])
def test_no_reader_does_better_than_the_guarantee_allows(name: str) -> None:
    found = explained(name, epsilon=2.0)
    assert found.limit == pytest.approx(1 / (1 + math.exp(-2.0)), rel=1e-5)
    assert found.told_apart.lower <= found.limit
    assert found.told_apart.lower > 0.5
    assert json.loads(json.dumps(found.to_data()))["inputs"] == list(found.inputs)


def test_the_best_reader_of_gaussian_noise_and_of_two_sets() -> None:
    """The share is that of the exact total variation, (1 + TV) / 2; 99 percent intervals at a fixed seed."""
    found = explained("dpnr", epsilon=2.0, delta=1e-5, vector_dim=9)
    exact = norm.cdf(3 / (2 * found.parameters["sigma"]))
    assert found.told_apart.lower <= exact <= found.told_apart.upper
    sets = explained("subset-selection", epsilon=2.0, subset_size=2)
    a, b = math.exp(2.0), 1.0
    apart = 2 * a / (2 * a + 3 * b) * 3 / 4  # holds the word and not the other
    assert sets.told_apart.lower <= (1 + apart * (1 - b / a)) / 2 <= sets.told_apart.upper
    assert sets.inputs == ("one", "two")
    assert "a set of 2 of 5 words for each word; no text" in sets.summary()


@pytest.mark.parametrize("name", ["dpnr-published", "cape-published"])
def test_what_shows_its_input_is_always_told_apart(name: str) -> None:
    found = explained(name, samples=200, epsilon=1.0)
    assert (found.told_apart.estimate, found.limit) == (1.0, None)
    assert "guarantee allows" not in found.summary()


class Bare:
    """Names no worst inputs."""

    name, dim, released_dim, guarantee, parameters = "bare", 1, 1, PureDP(epsilon=1.0), {}

    def privatize_vectors(self, vectors: Any, rng: Any = None) -> Any:
        return np.asarray(vectors, dtype=np.float64)


def test_what_cannot_be_explained() -> None:
    foreign: Any = Bare()
    with pytest.raises(UnsupportedGuarantee, match=r"knows its worst inputs and its law; got bare\. Audit it\."):
        explain_release(foreign)
    with pytest.raises(ParameterError, match="samples must be >= 2; got 1"):
        explained("dpnr", samples=1)
