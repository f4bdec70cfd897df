"""Weighted neighborhoods: rows against brute force in exact arithmetic, equal totals, draws, and words that stay."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.helpers.exactness import worst_integer_ratio
from tests.helpers.golden import release_reference
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import InputError, ParameterError
from textveil.mechanisms.neighborhood import (
    Neighborhood,
    best_neighborhood_size,
    neighborhood,
    weighted_neighborhood,
)
from textveil.mechanisms.raised_rows import NeighborRows, raised_row
from textveil.mechanisms.raised_table import ExcessRows
from textveil.mechanisms.weight_shares import (
    capped_shares,
    chosen,
    expected_cosines,
    powers,
    sample_of,
    weight_choice,
)
from textveil.numerics.base_weights import BaseWeights, base_weights, slots
from textveil.numerics.integer_weights import exp_floor
from textveil.vocabulary.facts import word_frequencies, zipf_frequencies

ALPHA = 1e-6


def made(size: int = 40, epsilon: float = 3.0, base_mass: float = 0.3, seed: int = 3):
    vocabulary = made_vocabulary(size)
    shares = np.random.default_rng(seed).pareto(1.0, size) + 0.01
    weights = base_weights(shares, epsilon=epsilon, base_mass=base_mass)
    return weighted_neighborhood(vocabulary, weights, epsilon=epsilon, parameters={})


@pytest.mark.parametrize("case", range(3))
def test_rows_are_those_of_the_reference(case: int) -> None:
    data = release_reference()
    wanted, counts = data["cases"][case], np.array(data["base"])
    excess = np.array([exp_floor(wanted["epsilon"], int(one)) - int(one) for one in counts])
    weights = BaseWeights(counts=counts, shift=0, gains=excess, row_gain=wanted["excess"])
    assert weights.total == wanted["total"]
    rows = np.tile(weights.base, (len(counts), 1))
    for row, order in zip(rows, data["nearest"], strict=True):
        outputs, reached = raised_row(weights, np.array(order))
        row[outputs] += np.diff(reached, prepend=0)
    assert rows.tolist() == wanted["rows"]
    assert math.log(worst_integer_ratio(rows)) == pytest.approx(wanted["worst_log_ratio"], rel=1e-12)
    assert weights.epsilon >= wanted["worst_log_ratio"] * (1 - 1e-15)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0, 8.0, 25.0, 60.0])
def test_every_row_has_one_total_and_no_ratio_exceeds_the_stated_epsilon(epsilon: float) -> None:
    mechanism = made(epsilon=epsilon, base_mass=max(0.3, 1.5 * math.exp(-epsilon)) if epsilon > 0.5 else 0.9)
    rows = mechanism.integer_weights(np.arange(40))
    assert {int(row.sum()) for row in rows} == {mechanism.weights.total}
    assert (rows >= mechanism.weights.base).all()
    ratio = worst_integer_ratio(rows)
    assert mechanism.guarantee.epsilon <= epsilon
    assert math.log(ratio) <= mechanism.guarantee.epsilon
    if epsilon < 30:
        assert ratio <= Fraction(exp_floor(epsilon, 10**30), 10**30) + Fraction(1, 10**20)


def test_a_row_raises_the_word_first_and_then_its_nearest() -> None:
    mechanism = made()
    vectors = mechanism.vocabulary.vectors
    cosines = vectors @ vectors.T / np.outer(*[np.linalg.norm(vectors, axis=1)] * 2)
    for word in (0, 7, 39):
        gains = (mechanism.integer_weights(np.array([word]))[0] - mechanism.weights.base) // mechanism.weights.unit
        order = np.argsort(-(cosines[word] + 2 * (np.arange(40) == word)), kind="stable")
        last = int(np.flatnonzero(gains[order]).max())
        assert (gains[order[:last]] == mechanism.weights.gains[order[:last]]).all()
        assert 0 < gains[order[last]] <= mechanism.weights.gains[order[last]]


def test_draws_follow_the_row_and_a_mutant_is_noticed(rng: np.random.Generator) -> None:
    mechanism, count = made(), 200_000
    word = 11
    drawn = mechanism.privatize(np.full(count, word), rng)
    seen = np.bincount(drawn, minlength=40)
    expected = mechanism.probabilities(word) * count
    assert stats.chisquare(seen, expected).pvalue > ALPHA
    other = mechanism.probabilities(12) * count
    assert stats.chisquare(seen, other).pvalue < ALPHA


def test_draws_of_one_word_do_not_depend_on_the_batch_or_the_budget() -> None:
    mechanism = made(size=400)
    ids = np.arange(400)
    raised = np.random.default_rng(5).integers(0, mechanism.weights.row_gain, 400)
    whole = ExcessRows(mechanism.vocabulary, mechanism.weights).drawn(ids, raised)
    small = ExcessRows(mechanism.vocabulary, mechanism.weights, budget=1)
    assert np.array_equal(small.drawn(ids, raised), whole)
    assert np.array_equal(small.drawn(ids[::-1], raised[::-1]), whole[::-1])
    alone = [int(small.drawn(ids[[one]], raised[[one]])[0]) for one in (0, 17, 399)]
    assert alone == whole[[0, 17, 399]].tolist()


def test_the_ends_of_every_part_of_a_row_are_drawn_from_it() -> None:
    mechanism = made()
    rows = ExcessRows(mechanism.vocabulary, mechanism.weights)
    for word in range(40):
        _, outputs, gains = (np.concatenate(parts) for parts in zip(*rows.entries_of(np.array([word])), strict=True))
        ends = np.cumsum(gains)
        assert ends[-1] == mechanism.weights.row_gain
        assert np.array_equal(rows.drawn(np.full(len(ends), word), ends - 1), outputs)
        assert np.array_equal(rows.drawn(np.full(len(ends), word), ends - gains), outputs)


def test_a_pickled_copy_holds_no_rows() -> None:
    mechanism = made(size=300)
    before = len(pickle.dumps(mechanism))
    mechanism.privatize(np.arange(300), np.random.default_rng(1))
    assert len(pickle.dumps(mechanism)) == before


def test_slots_are_whole_positive_and_in_proportion() -> None:
    shares = np.random.default_rng(2).pareto(0.6, 5000) + 1e-6
    counts = slots(shares)
    assert counts.sum() == 1 << 20
    assert counts.min() >= 1
    exact = shares / shares.sum() * ((1 << 20) - 5000)
    assert np.abs(counts - 1 - exact).max() < 1 + 1e-6


@pytest.mark.parametrize(
    ("shares", "epsilon", "base_mass", "message"),
    [
        (np.ones(5), math.nan, 0.3, "epsilon must be finite and > 0; got nan"),
        (np.ones(5), 1.0, 0.2, "base_mass must be between e\\^-epsilon = 0.368 and 1; got 0.2"),
        (np.ones(5), 1.0, 1.0, "base_mass must be between"),
        (np.array([1.0, 0.0]), 1.0, 0.5, "shares must be finite and > 0; got one that is not"),
        (np.array([1.0, math.nan]), 1.0, 0.5, "shares must be finite and > 0"),
        (np.ones(1), 1.0, 0.5, "shares must be at least two; got 1"),
    ],
)
def test_bad_weights_are_refused_in_one_line(shares, epsilon, base_mass, message) -> None:
    with pytest.raises(ParameterError, match=message):
        base_weights(shares, epsilon=epsilon, base_mass=base_mass)


def test_flat_base_weights_are_the_two_level_channel(tiny) -> None:
    flat = neighborhood(tiny, epsilon=4.0, base_weights="flat")
    assert isinstance(flat, Neighborhood)
    assert flat.weights.members == best_neighborhood_size(tiny, 4.0)
    assert isinstance(neighborhood(tiny, epsilon=4.0, neighborhood_size=5), Neighborhood)
    ids = np.arange(40)
    rows = NeighborRows(tiny, flat.weights.members)
    same = Neighborhood(tiny, flat.weights, flat.guarantee, rows)
    drawn = [one.privatize(ids, np.random.default_rng(1)).tolist() for one in (flat, same)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"neighborhood_size": 3, "base_weights": "frequency"}, "neighborhood_size must be None; got 3. It needs flat"),
        ({"base_weights": "flat", "alpha": 1.0}, "alpha must be None with flat base weights; got 1.0. Leave it out"),
        ({"base_mass": 0.1}, "base_mass must be more than e\\^-epsilon = 0.135; got 0.1"),
        ({"prior": "/nowhere"}, "prior must be flat, zipf or a file of word counts; got /nowhere. Check its path"),
    ],
)
def test_options_that_do_not_go_together(tiny, options, message) -> None:
    with pytest.raises(ParameterError, match=message):
        neighborhood(tiny, epsilon=2.0, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wd3 5\nwe4 -2\n", "line 2 of the word counts must be a word and a count > 0, .* leave the line out"),
        ("wd3 nan\n", "line 1 of the word counts"),
        ("only\n", "line 1 of the word counts"),
        ("elsewhere 5\n", "must hold words of the vocabulary; got none"),
        ("", "must hold words of the vocabulary; got none"),
    ],
)
def test_a_bad_file_of_counts_is_refused_by_line(tiny, tmp_path, text, message) -> None:
    path = tmp_path / "counts"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        word_frequencies(tiny, path)
    assert "elsewhere" not in str(caught.value)


@needs_lab
def test_frequent_words_stay_and_names_do_not(embedded) -> None:
    from textveil_lab.numerics.guarantee_limits import unchanged_limit_with_prior

    mechanism, frequencies = neighborhood(embedded, epsilon=8.0), word_frequencies(embedded)
    flat = neighborhood(embedded, epsilon=8.0, base_weights="flat").weights
    weights = mechanism.weights
    kept = (weights.base + np.minimum(weights.gains, weights.row_gain) * weights.unit) / weights.total
    assert kept[frequencies.names].max() <= flat.inside / flat.total
    assert frequencies.names[[embedded.id_of(word) for word in ("maria", "paris", "smith", "germany")]].all()
    assert not frequencies.names[[embedded.id_of(word) for word in ("the", "water", "table", "walked")]].any()
    share = frequencies.counts / frequencies.counts.sum()
    assert 0.42 < float(share @ kept) < 0.6
    assert float(share @ kept) <= unchanged_limit_with_prior(float(share.max()), 8.0) + 1e-12


def test_the_shares_meet_their_caps_and_are_the_same_by_exact_roots(embedded) -> None:
    frequencies = word_frequencies(embedded)
    for alpha, epsilon, mass in ((1.25, 8.0, 0.14), (0.0, 12.0, 0.02), (2.0, 1.0, 0.7), (1.0, 30.0, 0.5)):
        shares = capped_shares(frequencies, alpha=alpha, epsilon=epsilon, base_mass=mass)
        assert math.fsum(shares.tolist()) == pytest.approx(1.0, rel=1e-9)
        cap = (1 - mass) / (mass * math.expm1(epsilon))
        if cap * len(embedded) > 2:
            assert shares.max() <= cap * (1 + 1e-12)
            assert shares[frequencies.names].max() <= 0.5 / len(embedded) * (1 + 1e-12)
    counts = np.array([1, 16, 81, 10**6, 2**40])
    assert powers(counts, 3).tolist() == pytest.approx((counts.astype(float) ** 0.75).tolist(), rel=1e-11)
    assert powers(counts, 4).tolist() == counts.tolist()


def test_the_criterion_is_what_brute_force_gives(tiny) -> None:
    """On few words the sample is all of them; the expected cosine is a sum over the whole table."""
    frequencies = zipf_frequencies(40)
    sample = sample_of(tiny, frequencies)
    shares = capped_shares(frequencies, alpha=1.0, epsilon=3.0, base_mass=0.3)
    weights = base_weights(shares, epsilon=3.0, base_mass=0.3)
    channel = weighted_neighborhood(tiny, weights, epsilon=3.0, parameters={})
    unit = tiny.vectors / np.linalg.norm(tiny.vectors, axis=1, keepdims=True)
    rows = np.stack([channel.probabilities(word) for word in range(40)])
    exact = (rows * (unit @ unit.T)).sum(axis=1)
    running, content = expected_cosines(sample, shares, 3.0, 0.3)
    prior = frequencies.counts / frequencies.counts.sum()
    assert running == pytest.approx(float(prior @ exact), abs=2e-3)
    assert content == pytest.approx(float(exact.mean()), abs=2e-3)


def test_the_stored_choice_is_what_the_criterion_chooses(embedded) -> None:
    frequencies = word_frequencies(embedded)
    stored = weight_choice(embedded, frequencies, 8.0)
    found = chosen(frequencies, sample_of(embedded, frequencies), 8.0)
    assert (stored.alpha, stored.base_mass) == (found.alpha, found.base_mass)
    assert weight_choice(embedded, frequencies, 8.2) == stored
