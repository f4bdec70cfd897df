"""Options and fixtures of the whole suite."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.embeddings.builtin import load_vocabulary
from textveil.embeddings.vocabulary import Vocabulary

_SEED = 20240611


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--unseeded",
        action="store_true",
        help="run the tests of laws with fresh randomness at the same alpha, so that a seed hides no bias",
    )


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Seeded unless --unseeded is given."""
    return np.random.default_rng(None if request.config.getoption("--unseeded") else _SEED)


@pytest.fixture(scope="session")
def embedded() -> Vocabulary:
    """The embedded vocabulary."""
    return load_vocabulary()


def made_vocabulary(size: int, dim: int = 8, seed: int = 7) -> Vocabulary:
    """A small vocabulary of made-up words and Gaussian vectors of norms well above 1."""
    vectors = np.random.default_rng(seed).normal(size=(size, dim)).astype(np.float32) * 2
    return Vocabulary([f"w{chr(97 + i % 26)}{i}" for i in range(size)], vectors, "made")


@pytest.fixture(scope="session")
def tiny() -> Vocabulary:
    """Forty words in eight dimensions."""
    return made_vocabulary(40)
