"""``learn`` as a whole: what each sum gets and costs, on every branch; equal noisy answers give equal models."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from tests.helpers.records import MemoryRecords
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates import learning, payment, word_weights
from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.classifier import PROOF, RELEASE
from textveil.aggregates.learning import Moments, Noise, learn, released_moments
from textveil.aggregates.payment import Paid, budget_of_labels
from textveil.aggregates.request import CorpusRequest
from textveil.aggregates.word_weights import COUNTED, LONGEST, NORM, ONE, PARTS, ROUNDS, WORD_NORM
from textveil.corpora.payment import Payer
from textveil.errors import ParameterError
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE, Adjacency, Unit
from textveil.randomness import seeded_generator
from textveil.types import Integers

VOCABULARY = lettered_vocabulary(50, dim=45)
WORDS = VOCABULARY.words
LABELS = ("a", "b", "c")
SIGNALS: Final = {"few": 0.0, "some": 230.0, "many": 1e5}
DIMS: Final = {"few": 41, "some": 45, "many": 46}  # coordinates, with the constant one: 230^2 / 1200 is 44


def _request(records: MemoryRecords, *, public: bool, epsilon: float = 1.0) -> CorpusRequest:
    labels = LABELS if public else ()
    return CorpusRequest(
        records, epsilon=epsilon, delta=1e-6, labels=labels, vocabulary=VOCABULARY, rng=seeded_generator(1)
    )


@dataclass
class Drawn:
    """All noise of a release: what it was asked for, how many values, and by which generators."""

    shares: dict[int, tuple[DiscreteGaussian, Fraction | int, Fraction]] = field(default_factory=dict)
    sizes: list[tuple[DiscreteGaussian, int]] = field(default_factory=list)
    generators: set[int] = field(default_factory=set)

    def asked(self) -> list[tuple[Fraction | int, Fraction, int]]:
        """Squared sensitivity, share and number of values of each noise, in the order in which they were drawn."""
        return [(*self.shares[id(noise)][1:], size) for noise, size in self.sizes]


@contextmanager
def _watched(signal: float) -> Iterator[Drawn]:
    """Write down all noise; nothing is replaced but the answer of how many persons there are."""
    drawn, patch = Drawn(), pytest.MonkeyPatch()
    noise_of, sample, counted = GaussianBudget.noise, DiscreteGaussian.sample, learning.signal_of

    def asked(budget: GaussianBudget, square: Fraction | int, share: Fraction = Fraction(1)) -> DiscreteGaussian:
        noise = noise_of(budget, square, share)
        drawn.shares[id(noise)] = (noise, square, share)  # holds it, so that no other has its id
        return noise

    def sampled(noise: DiscreteGaussian, size: int, rng: np.random.Generator) -> Integers:
        drawn.sizes.append((noise, size))
        drawn.generators.add(id(rng))
        return sample(noise, size, rng)

    def answered(*given: Any) -> float:
        counted(*given)
        return signal

    patch.setattr(GaussianBudget, "noise", asked)
    patch.setattr(DiscreteGaussian, "sample", sampled)
    patch.setattr(learning, "signal_of", answered)
    try:
        yield drawn
    finally:
        patch.undo()


def _many() -> MemoryRecords:
    """Enough persons for each label that it is selected; too few for weights of words by themselves."""
    return MemoryRecords(list(range(900)), [WORDS[k % 50] for k in range(900)], [LABELS[k % 3] for k in range(900)])


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("branch", ["not adapted", *SIGNALS])
def test_shares_of_all_noise_that_is_drawn_add_up_to_one(branch: str, public: bool) -> None:
    adapted = branch != "not adapted"
    with _watched(SIGNALS.get(branch, 0.0)) as drawn:
        released = released_moments(_request(_many(), public=public, epsilon=8.0), adapted=adapted)
    dim, grid = DIMS.get(branch, 46), released.noise.norm
    assert (released.features.dim, released.labels) == (dim, LABELS) and len(drawn.generators) == 1
    asked, spent = drawn.asked(), Fraction(0)
    expected = [] if public else [(GRID**2, 3)]
    expected += [(COUNTED**2, 1)] if adapted else []
    for square, size in expected:
        assert (asked[0][0], asked[0][2]) == (square, size)
        spent += asked.pop(0)[1]
    beside, diagonal, cross = asked[:3]
    assert (beside[0], beside[2]) == (Fraction(grid**4, 2), dim * (dim - 1) // 2)
    assert (diagonal[0], diagonal[2]) == (grid**4, dim) and beside[1] == diagonal[1]
    assert (cross[0], cross[2]) == (grid**2, dim * 3)
    rounds = [(WORD_NORM**2, 50), *[((NORM * LONGEST) ** 2, (dim + 50) * 3)] * ROUNDS] if branch == "many" else []
    assert [(square, size) for square, _, size in asked[3:]] == rounds
    assert spent + diagonal[1] + cross[1] + sum(share for _, share, _ in asked[3:]) == 1
    # The report has each noise in units of what it was added to.
    guarantee = released.budget.guarantee(ONE_PERSON_MORE, PROOF)
    units = {GRID**2: GRID, COUNTED**2: PARTS, grid**4: grid**2, grid**2: grid}
    units |= {WORD_NORM**2: WORD_NORM, (NORM * LONGEST) ** 2: NORM * ONE}
    of_drawn = [drawn.shares[id(noise)] for noise, _ in drawn.sizes]
    stated = {noise.sigma / units[int(square)] for noise, square, _ in of_drawn if noise is not released.noise.beside}
    report = released.report(RELEASE, guarantee).to_data()["noise"]
    assert set(report.values()) == stated and len(report) == len(stated)


Clean = tuple[str, Any, Any]  # of a sum: its name, the sum without noise, and its noise


@contextmanager
def _canned(signal: float, scale: float) -> Iterator[list[Clean]]:
    """Give answers that do not depend on the corpus; write down what noise would have hidden."""
    clean: list[Clean] = []
    patch = pytest.MonkeyPatch()

    def answer(shape: tuple[int, ...], size: float) -> Integers:
        rng = np.random.default_rng([len(clean), *shape])
        return np.rint(rng.normal(size=shape) * size * scale).astype(np.int64)

    def selected(used: dict[str, int], selection: payment.Selection, _: np.random.Generator) -> tuple[str, ...]:
        clean.append(("labels", np.array([used.get(label, 0) for label in [*LABELS, "zz"]]), selection.noise))
        return LABELS

    def counted(documents: Integers, _: GaussianBudget, noise: DiscreteGaussian, __: np.random.Generator) -> float:
        persons = np.minimum(np.sqrt(documents * PARTS**2), COUNTED).astype(np.int64)
        clean.append(("persons", persons.sum(keepdims=True), noise))
        return signal

    def moments(sums: Moments, noise: Noise, _: np.random.Generator) -> Moments:
        clean.append(("moments", sums, noise))
        second = answer(sums.second.shape, 30 * noise.norm**2)
        return Moments(second + second.T, answer(sums.cross.shape, noise.norm))

    def noisy(sums: Integers, noise: DiscreteGaussian, _: np.random.Generator) -> Integers:
        clean.append(("words" if sums.ndim == 1 else "round", sums.copy(), noise))
        return answer(sums.shape, noise.sigma)

    patch.setattr(payment, "selected", selected)
    patch.setattr(learning, "signal_of", counted)
    patch.setattr(learning, "_drawn", moments)
    patch.setattr(word_weights, "noisy", noisy)
    try:
        yield clean
    finally:
        patch.undo()


def _square(array: Integers) -> int:
    return sum(value * value for value in array.ravel().tolist())


def _spent(whole: list[Clean], rest: list[Clean]) -> Fraction:
    """What the difference of two corpora costs, as the square of a distance in units of the noise."""
    assert [name for name, *_ in whole] == [name for name, *_ in rest]
    spent = Fraction(0)
    for (name, one, noise), (_, other, _) in zip(whole, rest, strict=True):
        pairs = [(one, other, noise)]
        if name == "moments":
            moved = one.second - other.second
            upper, diagonal = moved[np.triu_indices(len(moved), 1)], np.diag(moved)
            zero = np.zeros(1, np.int64)
            pairs = [(upper, zero, noise.beside), (diagonal, zero, noise.diagonal)]
            pairs.append((one.cross, other.cross, noise.cross))
        spent += sum(Fraction(_square(a - b), law.sigma**2 - 9) for a, b, law in pairs)
    return spent


def _rows(kind: int) -> list[tuple[int, str, str]]:
    """Records of persons: one of each kind of text; several of one; many of labels that nobody else has."""
    texts = ["", WORDS[0], "zzq 1 , .", " ".join(WORDS), f"{WORDS[3]} " * 300, f"{WORDS[1]} {WORDS[2]}"]
    if kind == 0:
        return [(k, text, LABELS[k % 3]) for k, text in enumerate(texts)]
    if kind == 1:
        return [(k % 2, text, LABELS[k % 2]) for k, text in enumerate(texts * 2)]
    return [(0, texts[1], "a"), *[(1, texts[3], label) for label in ("a", "zz", "b", "zz")], *[(2, texts[1], "b")] * 9]


@pytest.mark.parametrize("adjacency", [ONE_PERSON_MORE, ONE_RECORD_MORE], ids=["person", "document"])
@pytest.mark.parametrize("branch", SIGNALS)
def test_equal_noisy_answers_give_equal_models_and_no_neighbor_costs_more(branch: str, adjacency: Adjacency) -> None:
    """The answers are the same for a corpus and for it without a person, so all that comes out must be the same."""
    dearest = 0.0
    for kind, public, scale in product(range(3), (False, True), (0.0, 1.0, 50.0)):
        rows = _rows(kind)
        units = [row[0] if adjacency.unit is Unit.PERSON else k for k, row in enumerate(rows)]
        made = []
        for left_out in (None, *sorted(set(units))):
            kept = [(unit, text, label) for unit, (_, text, label) in zip(units, rows, strict=True) if unit != left_out]
            held = [unit for unit, *_ in kept], [text for _, text, _ in kept], [label for *_, label in kept]
            request = _request(MemoryRecords(*held, adjacency), public=public)
            with _canned(SIGNALS[branch], scale) as clean:
                made.append((learn(request).model, clean))
        model, whole = made[0]
        squared_mu = budget_of_labels(_request(_many(), public=public))[0].squared_mu
        assert model.features.dim == DIMS[branch] and (model.words is not None) == (branch == "many")
        for other, rest in made[1:]:
            spent = _spent(whole, rest)
            assert spent <= squared_mu
            dearest = max(dearest, float(spent / squared_mu))
            assert other.weights.tobytes() == model.weights.tobytes() and other.report == model.report
            assert (other.labels, other.features.digest) == (model.labels, model.features.digest)
            assert (None if other.words is None else other.words.tobytes()) == (
                None if model.words is None else model.words.tobytes()
            )
    assert dearest > 0.5


REFUSED: Final[list[dict[str, Any]]] = [
    {"epsilon": 1e-3, "labels": ()},
    {"epsilon": 1.1e-5, "labels": ("a", "b")},
    {"epsilon": 9e-6, "labels": ("a", "b")},
    {"epsilon": 1e-3, "labels": (), "adjacency": ONE_RECORD_MORE},
]


@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_too_small_an_epsilon_is_refused_before_anything_is_read_paid_or_drawn(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra `ledger`")
    records = MemoryRecords([0, 1], [WORDS[0], WORDS[1]], ["a", "b"], asked.get("adjacency", ONE_PERSON_MORE))
    done: list[str] = []
    monkeypatch.setattr(MemoryRecords, "batches", lambda *_: done.append("read"))
    monkeypatch.setattr(Paid, "rng", property(lambda _: done.append("drawn")))
    request = CorpusRequest(
        records, epsilon=asked["epsilon"], delta=1e-6, labels=asked["labels"], vocabulary=VOCABULARY,
        payer=Payer(str(tmp_path / "budget.db")),
    )  # fmt: skip
    for release in (learn, released_moments) if not asked["labels"] else (learn,):
        with pytest.raises(ParameterError, match=r"`epsilon` is too small for noise .*Raise it\."):
            release(request)
    assert not done and not (tmp_path / "budget.db").exists()


def test_a_small_epsilon_is_learned_without_words() -> None:
    """Words have no weights there: their noise could not be drawn, and is not asked for."""
    records = MemoryRecords([0, 1], [WORDS[0], WORDS[1]], ["a", "b"])
    model = learn(_request(records, public=True, epsilon=3e-5)).model
    assert model.words is None and model.report["noise"].keys() == {
        "second moments", "sums for each label", "number of persons",
    }  # fmt: skip
