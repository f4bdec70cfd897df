"""1-Diffractor: lists, exact losses per place and for any two words, the law of a step, the seed that all have."""

import hashlib
import math
import pickle
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import worst_integer_ratio, worst_metric_loss
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil.vocabulary.embedded import provenance
from textveil.vocabulary.public_tables import close_unused
from textveil.vocabulary.table_files import write_table_as
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.diffractor import Diffractor, diffractor
from textveil_lab.mechanisms.published.diffractor import diffractor_published
from textveil_lab.numerics.geometric_steps import GeometricSteps, geometric_steps, least_rate
from textveil_lab.vocabulary import word_lists as lists_module
from textveil_lab.vocabulary.word_lists import LISTS, SHIPPED, lists_table, word_lists

ALPHA = 1e-6
WORDS = made_vocabulary(12, dim=3)


def list_distances(made: Diffractor) -> np.ndarray:
    """The largest distance of two words in any list."""
    places = np.argsort(made.lists, axis=1)
    return np.abs(places[:, :, None] - places[:, None, :]).max(axis=0)


def law(made: Diffractor) -> np.ndarray:
    return np.stack([made.probabilities(word) for word in range(len(made.vocabulary))])


def test_lists_go_on_with_the_nearest_word_that_is_left() -> None:
    vocabulary = made_vocabulary(150, dim=4)  # more than the neighbors that are looked at first
    points = vocabulary.vectors.astype(np.float64)
    for order in word_lists(vocabulary, 2, 5):
        left = list(range(150))
        word = int(order[0])
        for following in order[1:]:
            left.remove(word)
            nearest = min(left, key=lambda one: (((points[one] - points[word]) ** 2).sum(), one))
            assert following == nearest
            word = nearest
    assert not np.array_equal(*word_lists(vocabulary, 2, 5))
    assert np.array_equal(word_lists(vocabulary, 2, 5)[:1], word_lists(made_vocabulary(150, dim=4), 1, 5))


def test_rounding_of_matrix_products_decides_nothing() -> None:
    """Far from the origin products cannot tell near words apart, and err otherwise on every kernel."""
    spread = np.random.default_rng(3).integers(0, 60, (150, 2))
    points = np.full((150, 400), 1024.0, dtype=np.float32)
    points[:, :2] += (spread * 2.0**-13).astype(np.float32)
    rest, left = lists_module._Rest(points), np.ones(150, dtype=bool)
    for word in range(100):
        left[word] = False
        distances = ((spread - spread[word]) ** 2).sum(axis=1)
        distances[~left] = 10_000
        assert rest.nearest(word, left) == distances.argmin()  # of the nearest the lowest id


def test_lists_of_a_large_vocabulary_are_kept_and_a_file_that_is_no_list_of_all_words_is_not_believed(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path))
    monkeypatch.setattr(lists_module, "_KEPT", 50)
    wanted = word_lists(made_vocabulary(60, dim=4), 2, 1)
    (path,) = (tmp_path / "tables").iterdir()
    chain = lists_module._chain
    monkeypatch.setattr(lists_module, "_chain", None)
    assert np.array_equal(word_lists(made_vocabulary(60, dim=4), 2, 1), wanted)  # another object: read, not made
    close_unused()
    table = lists_table(made_vocabulary(60, dim=4), 2, 1)
    twice = wanted.astype(np.uint8)
    twice[1, 0] = twice[1, 1]
    write_table_as(path, table.key, {LISTS: twice})
    assert table.opened() is None
    monkeypatch.setattr(lists_module, "_chain", chain)
    assert np.array_equal(word_lists(made_vocabulary(60, dim=4), 2, 1), wanted)
    assert word_lists(made_vocabulary(40, dim=4), 2, 1).shape == (2, 40)
    assert [path] == list((tmp_path / "tables").iterdir())  # short ones are not kept


def test_the_default_lists_of_the_embedded_words_come_with_the_package(embedded: Vocabulary, monkeypatch) -> None:
    monkeypatch.setattr(lists_module, "_chain", None)
    made = diffractor(embedded, epsilon=8.0, method="tem")
    assert made.parameters["lists_digest"] == "c904e5ae7cc85759"
    assert hashlib.sha256(SHIPPED.read_bytes()).hexdigest() == provenance()["tables"][SHIPPED.name]
    points = embedded.vectors.astype(np.float64)
    for order in made.lists:
        for place in (0, 1000, 20_000, 32_000):
            left = np.sort(order[place + 1 :])
            distances = ((points[left] - points[order[place]]) ** 2).sum(axis=1)
            assert left[distances.argmin()] == order[place + 1]


@pytest.mark.parametrize("method", ["geometric", "tem"])
@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0, 9.0])
def test_no_two_words_lose_more_than_epsilon_a_place(method: str, epsilon: float) -> None:
    made = diffractor(WORDS, epsilon_per_distance=epsilon, method=method, gamma=4, lists=3)
    distances = list_distances(made)
    apart = distances if method == "geometric" else np.minimum(distances, 4)
    assert worst_metric_loss(law(made), apart) <= epsilon * (1 + 1e-12)
    assert made.guarantee.diameter == apart.max()


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_one_list_loses_epsilon_a_place_and_no_less(epsilon: float) -> None:
    made = diffractor(WORDS, epsilon_per_distance=epsilon, lists=1)
    assert worst_metric_loss(law(made), list_distances(made)) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("options", [{}, {"method": "tem"}, {"method": "tem", "gamma": 40}, {"lists": 12}])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 30.0])
def test_any_two_words_lose_epsilon_at_most_in_exact_arithmetic(options, epsilon: float) -> None:
    made = diffractor(WORDS, epsilon=epsilon, **options)
    worst = worst_integer_ratio(made.integer_weights(np.arange(12)))
    assert worst <= Fraction(math.exp(made.guarantee.epsilon)) * (1 + Fraction(1, 10**12))
    assert made.guarantee.epsilon <= epsilon
    if epsilon <= 8:
        assert made.guarantee.epsilon == epsilon


@pytest.mark.parametrize(("rate", "size"), [(0.3, 9), (2.0, 9), (1e-3, 400)])
def test_weights_are_those_of_geometric_steps_that_stop_at_the_ends(rate: float, size: int) -> None:
    steps = geometric_steps(rate, size, 1 << 60)
    rows = steps.rows(np.arange(size)) / steps.total
    ratio = math.exp(-rate)
    for place in (0, 1, size // 2, size - 1):
        wanted = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(size) - place)
        for end in (0, size - 1):
            wanted[end] = ratio ** abs(end - place) / (1 + ratio)
        assert rows[place] == pytest.approx(wanted, rel=1e-6)
    assert steps.total < 1 << 60


def test_steps_that_do_not_fit_are_alike_and_hardly_ever_taken() -> None:
    steps = geometric_steps(1.0, 30_000, 1 << 58)
    inner = -np.diff(steps.tails)
    assert set(inner[100:].tolist()) == {int(inner[100])}
    assert 2 * steps.tails[60] < steps.total * 2.0**-25
    # In Python's integers: no difference and no tail grows by more than e towards place 0.
    bound = Fraction(math.e) * (1 + Fraction(1, 10**15))
    for fall in (steps.tails, inner):
        assert all(later <= earlier <= bound * later for earlier, later in pairwise(fall.tolist()))


@pytest.mark.parametrize(
    "options", [{"epsilon_per_distance": 0.8}, {"epsilon_per_distance": 2.0, "method": "tem", "gamma": 3}]
)
def test_draws_follow_the_weights(options, rng) -> None:
    made, count = diffractor(WORDS, lists=2, **options), 200_000
    for word in (0, int(made.lists[0, 0]), 7):
        drawn = np.bincount(made.privatize(np.full(count, word), rng), minlength=12)
        expected = made.probabilities(word) * count
        assert chisquare(drawn, expected).pvalue > ALPHA
        other = diffractor(WORDS, lists=2, **{**options, "epsilon_per_distance": options["epsilon_per_distance"] * 1.1})
        assert chisquare(drawn, other.probabilities(word) * count).pvalue < ALPHA  # the mutant: a rate 10 % higher


def test_steps_back_are_as_likely_as_steps_ahead(rng) -> None:
    """The mutant: a step of 0 that is counted on both sides, which makes it twice as likely."""
    steps, count = geometric_steps(1.0, 50, 1 << 60), 200_000
    drawn = steps.drawn(count, rng)
    stay = (1 - math.exp(-1)) / (1 + math.exp(-1))
    back, ahead = (1 - stay) / 2 * count, (1 - stay) / 2 * count
    seen = [int((drawn < 0).sum()), int((drawn == 0).sum()), int((drawn > 0).sum())]
    assert chisquare(seen, [back, stay * count, ahead]).pvalue > ALPHA
    twice = 2 * stay / (1 + stay) * count
    assert chisquare(seen, [(count - twice) / 2, twice, (count - twice) / 2]).pvalue < ALPHA


def test_copies_draw_the_same_and_lists_are_told_by_their_digest() -> None:
    made = diffractor(WORDS, epsilon=2.0)
    again = pickle.loads(pickle.dumps(made))
    ids = np.arange(12)
    assert np.array_equal(
        made.privatize(ids, seeded_generator(3)), again.privatize(ids, seeded_generator(3))
    ) and not np.array_equal(made.privatize(ids.repeat(9), seeded_generator(3)), made.privatize(ids.repeat(9), None))
    digests = {diffractor(WORDS, epsilon=2.0, list_seed=seed).parameters["lists_digest"] for seed in range(3)}
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one of `epsilon` or `epsilon_per_distance`"),
        ({"epsilon": 1.0, "lists": 13}, "lists must be between 1 and the 12 words"),
        ({"epsilon": 1e-12}, r"epsilon must be at least 1\.\d+e-06, for integer weights over 12 words"),
        ({"epsilon_per_distance": 1e-12}, r"epsilon_per_distance must be at least 9\.\d+e-08, for integer"),
        ({"epsilon_per_distance": 100.0, "method": "tem"}, "epsilon_per_distance must be at most 14"),
        ({"epsilon": 1.0, "method": "TEM"}, "method must be geometric or tem"),
        ({"epsilon": 1.0, "gamma": 0}, "gamma must be an integer >= 1"),
    ],
)
def test_bad_options_are_refused_with_what_is_admissible(options, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        diffractor(WORDS, **options)
    with pytest.raises(ParameterError, match="vocabulary must be of 3 words at least"):
        diffractor(made_vocabulary(2), epsilon=1.0)


def test_the_least_rate_is_taken() -> None:
    made = geometric_steps(least_rate(40, 1 << 58), 40, 1 << 58)
    assert isinstance(made, GeometricSteps) and made.total < 1 << 58
    with pytest.raises(ParameterError, match="rate must be at least"):
        geometric_steps(least_rate(40, 1 << 58) / 2, 40, 1 << 58)


def test_with_the_packages_seed_the_output_is_a_function_of_the_words() -> None:
    made = diffractor_published(WORDS, epsilon=1.0, lists=3)
    assert made.guarantee.status is Status.REFUTED
    ids, bounds = np.arange(12).repeat(5), np.arange(0, 61, 5)
    first = made.privatize_documents(ids, bounds)
    assert np.array_equal(first, made.privatize_documents(ids, bounds, np.random.default_rng(9)))
    assert len(set(first.reshape(12, 5)[3].tolist())) > 1  # each place of a document has a step of its own
    assert np.array_equal(first[:3], made.privatize_documents(ids[:3], np.array([0, 3])))
    rows = made.integer_weights_after(first[:2], np.arange(12))
    assert rows[0, first[2]] == 1 and (rows.sum(axis=1) == 1).all()
    other = diffractor_published(WORDS, epsilon=1.0, lists=3, noise_seed=7)
    assert not np.array_equal(first, other.privatize_documents(ids, bounds))
