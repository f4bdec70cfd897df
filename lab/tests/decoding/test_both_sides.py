"""Texts gone over again with a model of both sides, against a slow reading of what that means."""

import numpy as np
import pytest
from tests.helpers.golden import release_reference
from tests.helpers.language_models import TableChannel, reference_model, reference_vocabulary

from textveil.errors import ParameterError
from textveil_lab.decoding.decoder import BothSides, TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.decoding.lattice import NONE, Candidates
from textveil_lab.vocabulary.documents import ReleaseReader


class Neighbors:
    """Made-up probabilities given the id before and the id after, of those at most two that it is given."""

    name, digest, reach = "neighbors", "made", 2

    def __init__(self, size: int, seed: int = 5) -> None:
        weights = np.random.default_rng(seed).gamma(0.3, size=(size + 2, size + 2, size)) + 1e-3
        self.table, self.size = np.log(weights / weights.sum(axis=2, keepdims=True)), size
        self.asked = 0

    def log_probabilities(self, left: np.ndarray, right: np.ndarray, words: np.ndarray) -> np.ndarray:
        assert left.shape == right.shape == (len(words), 2)
        assert min(left.min(), right.min()) >= 0
        self.asked += len(words)
        return self.table[left[:, 1:], right[:, :1], words].astype(np.float32)


def slow(
    model: Neighbors,
    ids: list[int],
    bounds: list[int],
    at: list[int],
    candidates: Candidates,
    sweeps: int,
    weight: float,
) -> list[int]:
    """By loops over words: those of even numbers see the others as they were, and then the others see them."""
    now = list(ids)
    for _ in range(sweeps):
        for turn in (0, 1):
            new = {}
            for number in range(turn, len(at), 2):
                place = at[number]
                (text,) = [one for one in range(len(bounds) - 1) if bounds[one] <= place < bounds[one + 1]]
                before = now[place - 1] if place > bounds[text] else model.size
                after = now[place + 1] if place + 1 < bounds[text + 1] else model.size
                scores = [
                    -np.inf if word == NONE else weight * model.table[before, after, word] + ratio
                    for word, ratio in zip(candidates.words[number], candidates.log_ratios[number], strict=True)
                ]
                new[place] = int(candidates.words[number][int(np.argmax(scores))])
            for place, word in new.items():
                now[place] = word
    return [now[place] for place in at]


@pytest.mark.parametrize("seed", range(5))
def test_every_word_becomes_the_best_given_all_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, bounds = 7, np.array([0, 9, 9, 10, 31])
    at = np.flatnonzero(rng.random(31) < 0.8)
    ids = rng.integers(0, size + 2, 31)
    words = np.array([rng.permutation(size)[:4] for _ in at], dtype=np.int32)
    words[rng.random(len(at)) < 0.3, 3] = NONE
    ids[at] = words[:, 0]
    candidates = Candidates(words, rng.gamma(1.0, size=words.shape).astype(np.float32))
    for sweeps, weight in ((1, 1.0), (3, 0.5), (2, 0.0)):
        model = Neighbors(size)
        both_sides = BothSides(model=model, sweeps=sweeps, model_weight=weight)
        found = both_sides(ids, bounds, at, candidates)
        expected = slow(model, ids.tolist(), bounds.tolist(), at.tolist(), candidates, sweeps, weight)
        assert found.tolist() == expected
        assert model.asked <= sweeps * len(at)


def test_it_stops_when_nothing_changes() -> None:
    model = Neighbors(4)
    one = Candidates(np.array([[2], [1]], dtype=np.int32), np.zeros((2, 1), np.float32))
    found = BothSides(model=model, sweeps=50)(np.array([2, 1]), np.array([0, 2]), np.array([0, 1]), one)
    assert found.tolist() == [2, 1]
    assert model.asked == 2
    nothing = Candidates(np.zeros((0, 1), np.int32), np.zeros((0, 1), np.float32))
    none = np.zeros(0, np.int64)
    assert BothSides(model=model)(np.array([4]), np.array([0, 1]), none, nothing).tolist() == []


def test_a_decoder_goes_over_what_it_found() -> None:
    vocabulary = reference_vocabulary()
    rows = np.array(release_reference()["cases"][1]["rows"])
    channel, model = TableChannel(vocabulary, rows), Neighbors(len(vocabulary))
    options = DecoderOptions(candidates=6, width=6)
    released = ["The cat van. The dog 7 the cat", "van?", "5"]
    first = TextDecoder(channel, reference_model(), options=options, workers=1)
    then = TextDecoder(channel, reference_model(), options=options, workers=1, both_sides=BothSides(model=model))
    read = ReleaseReader(vocabulary.words).read_releases(released, range(1, 4))
    start, found = first.words(read), then.words(read)
    assert start.tolist() != found.tolist()
    n = len(vocabulary)
    marks = [None, None, None, n, None, None, n + 1, None, None, None, n, n + 1]  # a stop, a number, a text of one each
    at = [place for place, mark in enumerate(marks) if mark is None]
    ids = np.array([n if mark is None else mark for mark in marks])
    ids[at] = start
    words = np.tile(np.arange(n, dtype=np.int32), (len(at), 1))
    ratios = np.log(rows[:, read.words].T / rows[:, read.words].min(axis=0)[:, None]).astype(np.float32)
    expected = slow(model, ids.tolist(), [0, 9, 11, 12], at, Candidates(words, ratios), 3, 1.0)
    assert found.tolist() == expected
    texts = then.texts(released)
    assert texts[2] == "5"
    assert texts[0].count(".") == 1
    assert "7" in texts[0]


def test_other_arguments_are_refused() -> None:
    vocabulary = reference_vocabulary()
    channel = TableChannel(vocabulary, np.array(release_reference()["cases"][1]["rows"]))
    with pytest.raises(ParameterError, match="model must be over the vocabulary's"):
        TextDecoder(channel, reference_model(), both_sides=BothSides(model=Neighbors(3)))
    with pytest.raises(ParameterError, match="sweeps must be"):
        BothSides(model=Neighbors(3), sweeps=0)
    with pytest.raises(ParameterError, match="model_weight must be"):
        BothSides(model=Neighbors(3), model_weight=float("nan"))
