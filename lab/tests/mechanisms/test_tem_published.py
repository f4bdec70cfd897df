"""TEM with a package's score of its last element: the claim fails on three words, and the audit finds it."""

import math

import numpy as np
import pytest
from tests.helpers.catalog import as_listed

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.metric_loss import metric_epsilon
from textveil_lab.audit.per_distance import audit_per_distance
from textveil_lab.audit.report.report import Verdict

THREE = Vocabulary(["a", "b", "c"], np.array([[0.0], [0.1], [16.05]], dtype=np.float32), "line")


def made(vocabulary: Vocabulary, **options) -> IntegerChannel:
    found = mechanism("tem-published", vocabulary, **options)
    assert isinstance(found, IntegerChannel)
    return found


def scored(vocabulary: Vocabulary, word: int, epsilon: float, gamma: float) -> np.ndarray:
    """The package's law, from its own scores."""
    far = np.linalg.norm(vocabulary.vectors.astype(np.float64) - vocabulary.vectors[word], axis=1)
    within = far <= gamma
    last = -gamma + 2 * math.log(len(far) / within.sum()) / epsilon
    row = np.where(within, np.exp(-epsilon * far / 2), 0.0)
    if not within.all():
        row[~within] = math.exp(epsilon * last / 2) / (~within).sum()
    return row / row.sum()


def test_three_words_break_the_claim() -> None:
    channel = made(THREE, epsilon_per_distance=1.0)
    assert channel.parameters["gamma"] == 16.0
    assert channel.guarantee.status is Status.REFUTED
    loss = metric_epsilon(channel, channel.word_distances(np.arange(3)))
    assert set(loss.pair) == {0, 1}
    assert loss.epsilon_per_distance.lower * loss.distance == pytest.approx(0.38, abs=0.01)
    report = tv.audit(channel)
    assert report.verdict is Verdict.REFUTED
    assert report.leading.method == "exact channel per distance"
    assert report.leading.witness["output"] == "c"
    with pytest.raises(RefutedGuarantee, match=r"Use tem, the valid form"):
        tv.Sanitizer(channel)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_rows_are_the_scores_of_the_package(tiny, epsilon: float) -> None:
    channel = made(tiny, epsilon_per_distance=epsilon, beta=0.9)
    for word in (0, 11, 39):
        expected = scored(tiny, word, epsilon, channel.parameters["gamma"])
        assert channel.probabilities(word) == pytest.approx(expected, rel=1e-5)


def test_the_sound_form_keeps_the_claim_that_this_one_breaks(tiny) -> None:
    options = as_listed("tem-published")
    broken = made(tiny, **options)
    assert broken.guarantee.status is Status.REFUTED
    finding = audit_per_distance(broken, broken, broken.guarantee)
    assert finding is not None and finding.verdict is Verdict.REFUTED
    sound = mechanism("tem", tiny, clip=None, **options)
    loss = metric_epsilon(sound, broken.word_distances(np.arange(40)))
    assert loss.epsilon_per_distance.upper <= options["epsilon_per_distance"]


def test_where_all_words_are_near_the_claim_is_proved_and_certified(tiny) -> None:
    channel = made(tiny, epsilon_per_distance=0.5)
    assert channel.guarantee.status is Status.PROVED
    finding = audit_per_distance(channel, channel, channel.guarantee)
    assert finding is not None and finding.verdict is Verdict.CERTIFIED


def test_a_claim_that_no_pair_breaks_stays_a_claim(tiny) -> None:
    assert made(tiny, epsilon_per_distance=4.0).guarantee.status is Status.CLAIMED


def test_an_epsilon_that_rounds_gamma_to_nothing_is_refused(tiny) -> None:
    with pytest.raises(ParameterError, match=r"epsilon_per_distance must be below .*, where gamma is rounded to 0"):
        made(tiny, epsilon_per_distance=1000.0)


def test_a_claim_that_rounding_to_integers_breaks_is_not_proved() -> None:
    line = np.array([[0.0], [0.01], [1.35]], dtype=np.float32)
    channel = made(Vocabulary(["one", "two", "far"], line, "line"), epsilon_per_distance=60.0, beta=1e-30)
    weights = channel.integer_weights(np.arange(3))
    assert (weights[0, 2], weights[1, 2]) == (1, 2)  # a loss of ln 2 and more, where 0.6 is claimed
    assert channel.guarantee.status is Status.REFUTED


@pytest.mark.slow
def test_words_that_share_a_vector_share_a_row(rng) -> None:
    """Every status holds against the exact loss, also where computed distances of equal vectors are not exactly 0."""
    statuses = set()
    for _ in range(300):
        size, dim = int(rng.integers(3, 8)), int(rng.integers(1, 4))
        vectors = (rng.normal(size=(size, dim)) * 10 ** rng.uniform(-3, 2)).astype(np.float32)
        vectors[rng.integers(1, size)] = vectors[0]
        words = Vocabulary([f"w{word}" for word in range(size)], vectors, "shared")
        clip = None if rng.random() < 0.5 else 1.0
        if dim == 1 and clip is not None and (vectors >= 1).all() | (vectors <= -1).all():
            continue  # clipped, all share one vector, which is refused
        channel = made(words, epsilon_per_distance=float(10 ** rng.uniform(-2, 1)), clip=clip)
        far = channel.word_distances(np.arange(size))
        loss = metric_epsilon(channel, far).epsilon_per_distance
        broken = loss.lower > channel.guarantee.epsilon_per_distance
        rows = channel.integer_weights(np.arange(size))
        twins = np.argwhere(far == 0)
        assert all(np.array_equal(rows[one], rows[other]) for one, other in twins)
        assert broken == (channel.guarantee.status is Status.REFUTED)
        statuses.add(channel.guarantee.status)
    assert statuses >= {Status.PROVED, Status.CLAIMED}


def test_a_pair_too_close_for_its_rounding_is_claimed_and_not_proved() -> None:
    """The distance of two words is below what rounding moves a weight by, so nothing is proved of them."""
    line = np.array([[1.0], [np.nextafter(np.float32(1), np.float32(2))], [3.0]], dtype=np.float32)
    channel = made(Vocabulary(["one", "two", "far"], line, "line"), epsilon_per_distance=0.5)
    assert channel.guarantee.status is Status.CLAIMED


def test_one_vector_for_all_words_is_refused_by_its_name() -> None:
    same = Vocabulary(["one", "two"], np.ones((2, 3), dtype=np.float32), "same")
    with pytest.raises(ParameterError, match=r"vocabulary must be one with two different vectors at least; got one ve"):
        made(same, epsilon_per_distance=0.5)
