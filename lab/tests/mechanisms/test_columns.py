"""Columns of channels: against the whole table of integers, with repeats, for sequences and after pickling."""

import math
import pickle

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import UnsupportedGuarantee
from textveil.mechanisms.kinds import IntegerWeights
from textveil_lab.mechanisms.capabilities import ChannelColumns, SequenceColumns
from textveil_lab.mechanisms.channel_columns import columns_of, made_columns
from textveil_lab.mechanisms.product_columns import own_columns, sequence_columns
from textveil_lab.mechanisms.sampling.output_columns import Columns

SIZE = 60
CHANNELS = {
    "neighborhood": {"epsilon": 3.0, "alpha": 1.0, "base_mass": 0.3},
    "flat": {"epsilon": 2.0, "base_weights": "flat", "neighborhood_size": 7},
    "randomized-response": {"epsilon": 4.0},
    "exponential": {"epsilon": 6.0},
}


def made(name: str):
    return mechanism("neighborhood" if name == "flat" else name, made_vocabulary(SIZE), **CHANNELS[name])


def dense(columns: Columns) -> np.ndarray:
    """ln P(y | x), shape (outputs, n)."""
    table = np.tile(columns.log_least[:, None], (1, SIZE))
    table[columns.places, columns.inputs] += columns.log_ratios
    return table


def true_columns(weights: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    return np.log(weights / weights.sum(axis=1, keepdims=True)).T[outputs]


@pytest.mark.parametrize("name", CHANNELS)
def test_columns_are_those_of_the_integers(name: str) -> None:
    channel = made(name)
    assert isinstance(channel, IntegerWeights)
    outputs = np.array([5, 0, 59, 5, 17])
    found = columns_of(channel).columns(outputs)
    wanted = true_columns(channel.integer_weights(np.arange(SIZE)), outputs)
    np.testing.assert_allclose(dense(found), wanted, rtol=0, atol=1e-12)
    assert found.complete
    assert (found.log_ratios > 0).all()
    assert (np.diff(found.inputs)[np.diff(found.places) == 0] > 0).all()


@pytest.mark.parametrize("name", ["neighborhood", "flat", "randomized-response"])
def test_a_channels_own_columns_are_those_made_of_all_rows(name: str) -> None:
    channel = made(name)
    source = own_columns(channel)
    assert isinstance(source, ChannelColumns)
    outputs = np.arange(SIZE)
    own, all_rows = source.columns(outputs), made_columns(channel).columns(outputs)
    np.testing.assert_array_equal(own.inputs, all_rows.inputs)
    np.testing.assert_allclose(own.log_ratios, all_rows.log_ratios, atol=1e-12)
    np.testing.assert_allclose(own.log_least, all_rows.log_least, atol=1e-12)


def test_a_channel_that_tells_all_inputs_apart_lists_the_likeliest_and_keeps_each_sum() -> None:
    channel = made("exponential")
    outputs = np.arange(SIZE)
    found = made_columns(channel, listed=8).columns(outputs)
    chances = np.exp(true_columns(channel.integer_weights(outputs), outputs))
    assert not found.complete
    assert np.diff(found.starts).max() <= 8
    np.testing.assert_allclose(np.exp(dense(found)).sum(axis=1), chances.sum(axis=1), rtol=1e-9)
    for output in range(SIZE):
        listed = found.inputs[found.starts[output] : found.starts[output + 1]]
        assert set(listed) <= set(np.argsort(-chances[output])[:8].tolist())


def test_columns_of_a_sequence_are_those_of_its_integers_after_the_past() -> None:
    drawn = mechanism("consistent-neighborhood", made_vocabulary(SIZE), epsilon=3.0, neighborhood_size=9, copies=3)
    source = sequence_columns(drawn)
    assert isinstance(source, SequenceColumns)
    outputs, bounds = np.array([4, 9, 4, 4, 30, 9, 9]), np.array([0, 4, 4, 7])
    table = dense(source.columns_of_documents(outputs, bounds))
    for first, last in ((0, 4), (4, 7)):
        for place in range(first, last):
            weights = drawn.integer_weights_after(outputs[first:place], np.arange(SIZE))
            wanted = true_columns(weights, outputs[place : place + 1])[0]
            np.testing.assert_allclose(table[place], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["neighborhood", "flat"])
def test_a_pickled_channel_has_the_same_columns(name: str) -> None:
    channel = made(name)
    before = columns_of(channel).columns(np.array([3, 8]))
    after = pickle.loads(pickle.dumps(columns_of(pickle.loads(pickle.dumps(channel))))).columns(np.array([3, 8]))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_mechanism_without_a_table_has_no_columns() -> None:
    noisy = mechanism("gaussian", made_vocabulary(SIZE), epsilon=3.0, delta=1e-5)
    with pytest.raises(UnsupportedGuarantee, match="offers no columns"):
        columns_of(noisy)


def test_an_output_that_only_its_own_input_gives_has_an_infinite_ratio_no_longer() -> None:
    class Identity:
        vocabulary = made_vocabulary(3)

        def integer_weights(self, ids: np.ndarray) -> np.ndarray:
            return np.eye(3, dtype=np.int64)[ids]

    found = made_columns(Identity()).columns(np.array([2]))
    assert found.inputs.tolist() == [2]
    assert math.isfinite(found.log_ratios[0])
    assert found.log_least[0] + found.log_ratios[0] == pytest.approx(0)
