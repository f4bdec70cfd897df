"""Surrogates by name: what each declares, and one line for each thing that can be wrong."""

from importlib.resources import files

import numpy as np
import pytest
from tests.helpers.growth import is_linear
from tests.helpers.surrogates import STRANGE, made

from textveil.detection.kinds import KINDS
from textveil.errors import ParameterError, UnknownNameError
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import Unit
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention

EACH = pytest.mark.parametrize("name", SURROGATE_ENTRIES)


@EACH
def test_a_surrogate_is_what_it_declares(name: str) -> None:
    entry, surrogate = SURROGATE_ENTRIES[name], made(name)
    assert surrogate.name == entry.name == name
    assert set(entry.kinds) <= {*KINDS, "emoji"}
    assert (files("textveil") / entry.proof).is_file()
    assert isinstance(surrogate.guarantee, PureDP)
    assert (surrogate.guarantee.status, surrogate.guarantee.unit) == (Status.PROVED, Unit.SPAN)
    assert surrogate.guarantee.source == entry.proof
    assert surrogate.counts in ("mention", "value", "scope")
    assert all(option.help for option in entry.options().values())
    assert name == "pool" or set(surrogate.parameters) <= set(entry.options())


@EACH
@pytest.mark.parametrize("scope", [MemoryScope(), KeyedScope(b"k" * 32)])
def test_any_value_has_a_surrogate(name: str, scope: MemoryScope | KeyedScope, rng: np.random.Generator) -> None:
    drawn = made(name).draw([Mention(value) for value in STRANGE], scope, rng)
    assert len(drawn) == len(STRANGE)
    assert all(isinstance(one, str) for one in drawn)


LONG = ("a", "9", " ", "a ", "A ", ", ", "x9", "Dr ", ".", "'", "9,", "\n ", "Aa\t", "1/")


@EACH
def test_long_values_take_no_longer_than_they_are(name: str, rng: np.random.Generator) -> None:
    """Work grew with the square of a length in names and places."""
    surrogate = made(name)
    for piece in LONG:
        assert is_linear(lambda text: surrogate.draw([Mention(f"A\t{text}b")], MemoryScope(), rng), piece), piece


@EACH
def test_equal_values_agree_within_a_scope_where_they_are_said_to(name: str, rng: np.random.Generator) -> None:
    surrogate, scope = made(name), MemoryScope()
    if surrogate.consistent:
        once, twice = (surrogate.draw([Mention(value) for value in STRANGE], scope, rng) for _ in range(2))
        assert once == twice


@EACH
def test_an_epsilon_is_taken_where_there_is_one(name: str) -> None:
    entry = SURROGATE_ENTRIES[name]
    if not entry.takes_epsilon:
        with pytest.raises(ParameterError, match=r"epsilon must be 0 for .*; got 1"):
            made(name, 1.0)
        return
    assert made(name, 1.0).guarantee.worst_case() == made(name, 1.0).guarantee
    assert 0 < made(name, 1.0).guarantee.epsilon <= 1
    with pytest.raises(ParameterError, match="epsilon must be finite and >"):
        made(name, -1.0)
    if entry.needs_epsilon:
        with pytest.raises(ParameterError, match="epsilon must be finite and > 0; got 0"):
            made(name, 0.0)
    else:
        assert made(name, 0.0).guarantee.worst_case() == PureDP(
            epsilon=0.0, status=Status.PROVED, source=entry.proof, adjacency=made(name, 0.0).guarantee.adjacency
        )


def test_what_is_wrong_is_said_in_one_line() -> None:
    with pytest.raises(UnknownNameError, match=r"surrogate must be one of person, .* Did you mean 'person'"):
        make_surrogate("persn")
    with pytest.raises(ParameterError, match=r"person takes the options `gender`, `script`; got `gendr`. Did you mean"):
        make_surrogate("person", options={"gendr": "kept"})
    with pytest.raises(UnknownNameError, match="gender must be drawn or kept; got 'hidden'"):
        make_surrogate("person", options={"gender": "hidden"})
    with pytest.raises(ParameterError, match="digit_keep_limit must be a number; got str"):
        make_surrogate("digits", 1.0, {"digit_keep_limit": "half"})
    with pytest.raises(ParameterError, match=r"text must be 1 to 40 printable characters; got ."):
        make_surrogate("placeholder", options={"text": ""})
