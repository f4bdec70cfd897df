"""What every mechanism of the catalog must do, whichever protocol it has: one test a clause of the contract.

Shapes, ranges, rows that add to 1, repeatable draws and refusals stand in ``check_mechanism`` (test_check_mechanism),
an audit that agrees with the status in tests/audit/test_run.py. Here: fresh randomness for every token, and no input
that comes through. Seeded; a sound mechanism fails with probability below 1e-9 (each clause says why), and the planted
twins at the end fail each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.helpers.catalog import as_listed

from textveil.catalog import entries
from textveil.mechanisms.kinds import (
    Mechanism,
    SequenceMechanism,
    SetMechanism,
    TextMechanism,
    VectorMechanism,
    WordMechanism,
)
from textveil.privacy.guarantees import PureDP, Status
from textveil.vocabulary.vocabulary import Vocabulary

CATALOG = entries()


COPIES = 300
"""Draws of one input; the likeliest output of a sound mechanism at these epsilons has probability below 0.93."""

SECRET = "zqxjkv"
"""A word of no vocabulary."""

SOUND = [name for name, one in CATALOG.items() if one.status is not Status.REFUTED]


def _made(name: str, tiny: Vocabulary) -> Mechanism:
    return CATALOG[name].constructor()(tiny, **as_listed(name))


def _drawn(made: Mechanism, rng: np.random.Generator, copies: int = COPIES) -> np.ndarray:
    """Draws for copies of one input that nothing but a draw may change; one a row."""
    if isinstance(made, VectorMechanism):
        return made.privatize_vectors(np.tile(np.linspace(0.0, 1.0, made.dim), (copies, 1)), rng)
    if isinstance(made, TextMechanism):
        few = max(1, copies // 30)  # texts cost more, and say more
        return np.array(made.privatize_texts([f"maria sit {SECRET} rome"] * few, rng))
    ids = np.full(copies, protected(made), dtype=np.int64)
    if isinstance(made, SequenceMechanism):
        return made.privatize_documents(ids, np.arange(copies + 1), rng)  # a document for each: in one, words repeat
    return made.privatize_sets(ids, rng) if isinstance(made, SetMechanism) else made.privatize(ids, rng)


def protected(made: Any) -> int:
    """A word that the guarantee speaks of."""
    return int(np.argmax(made.groups >= 0)) if hasattr(made, "groups") else 1


def check_fresh(made: Mechanism, rng: np.random.Generator) -> None:
    """Copies of one input do not all come out equal, and the next call draws others: 0.93^300 is below 1e-9.

    Texts of a tiny random model are often one and the same (how often depends on the processor's floats), and a batch
    of them is small: up to a hundred batches are drawn.
    """
    tries = 100 if isinstance(made, TextMechanism) else 1
    batches = [_drawn(made, rng) for _ in range(2)]
    while len(batches) < tries and (_equal(batches) or all(_equal(batch) for batch in batches)):
        batches.append(_drawn(made, rng))
    assert not all(_equal(batch) for batch in batches), "all tokens of a batch got one draw"
    assert not _equal(batches), "the next batch got the same draws"


def _equal(draws: Sequence[np.ndarray] | np.ndarray) -> bool:
    return all(np.array_equal(draws[0], draw) for draw in draws[1:])


def check_own_noise(made: VectorMechanism, rng: np.random.Generator) -> None:
    """Coordinates of one vector get noise of their own: equal coordinates do not come out equal in every draw."""
    drawn = made.privatize_vectors(np.full((40, made.dim), 0.5), rng)
    assert (drawn != drawn[:, :1]).any(), "all coordinates got one noise"


def check_operating_system(made: Mechanism) -> None:
    """Without a generator calls differ: nothing is seeded by default.

    Texts of a tiny random model are often one and the same (two batches of them one time in four), so a call is
    compared with up to a hundred others; of a seeded one all are equal.
    """
    first = _drawn(made, None)  # type: ignore[arg-type]
    others = (_drawn(made, None) for _ in range(100))  # type: ignore[arg-type]
    assert any(not np.array_equal(first, other) for other in others), "draws without a generator repeat"


def check_nothing_comes_through(made: Mechanism, rng: np.random.Generator) -> None:
    """Each protected word becomes another one sometimes; of a text, a word of no vocabulary never comes out."""
    if isinstance(made, TextMechanism):
        assert not any(SECRET in text for text in _drawn(made, rng).tolist()), "an unknown word came through"
    elif isinstance(made, WordMechanism):
        size = len(made.vocabulary)
        drawn = made.privatize(np.repeat(np.arange(size), COPIES), rng).reshape(size, COPIES)
        kept = (drawn == np.arange(size)[:, None]).all(axis=1)
        if hasattr(made, "groups"):
            kept &= made.groups >= 0
        assert not kept.any(), "a word always comes through"
    elif isinstance(made, VectorMechanism):
        vectors = np.tile(np.linspace(0.0, 1.0, made.dim), (COPIES, 1))
        drawn = made.privatize_vectors(vectors, rng)
        assert drawn.shape != vectors.shape or not (drawn == vectors).all(axis=0).any(), "a coordinate comes through"


@pytest.mark.parametrize("name", SOUND)
def test_every_token_gets_fresh_randomness(name: str, tiny: Vocabulary, rng: np.random.Generator) -> None:
    made = _made(name, tiny)
    check_fresh(made, rng)
    check_operating_system(made)
    if isinstance(made, VectorMechanism) and made.dim > 1:
        check_own_noise(made, rng)


@pytest.mark.parametrize("name", SOUND)
def test_nothing_comes_through(name: str, tiny: Vocabulary, rng: np.random.Generator) -> None:
    check_nothing_comes_through(_made(name, tiny), rng)


@dataclass(frozen=True)
class Leaky:
    """A mechanism of words with a fault of one kind."""

    vocabulary: Vocabulary
    fault: str
    name: str = "leaky"

    @property
    def guarantee(self) -> PureDP:
        return PureDP(epsilon=1.0, status=Status.CLAIMED, source="nowhere")

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    def privatize(self, ids: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        size = len(self.vocabulary)
        if self.fault == "seeded" or (rng is None and self.fault == "default seed"):
            rng = np.random.default_rng(42)
        source = np.random.default_rng() if rng is None else rng
        drawn = source.integers(0, size, len(ids))
        if self.fault == "one draw":
            drawn[:] = drawn[0]
        if self.fault == "passes":
            drawn = np.where(np.asarray(ids) == 2, 2, drawn)
        return drawn


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("one draw", "all tokens of a batch"),
        ("seeded", "the next batch"),
        ("default seed", "draws without a generator"),
        ("passes", "a word always"),
    ],
)
def test_each_fault_is_caught(fault: str, message: str, tiny: Vocabulary, rng: np.random.Generator) -> None:
    made = Leaky(tiny, fault)
    with pytest.raises(AssertionError, match=message):
        check_fresh(made, rng)
        check_operating_system(made)
        check_nothing_comes_through(made, rng)
