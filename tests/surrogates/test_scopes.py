"""One value, one place: injections by memory, functions of a secret."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from textveil.errors import ParameterError
from textveil.surrogates.drawn import agreed
from textveil.surrogates.scopes import ApartScope, KeyedScope, MemoryScope

ALPHA = 1e-6


def test_a_memory_gives_every_injection_with_equal_probability(rng: np.random.Generator) -> None:
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(6_000):
        scope = MemoryScope()
        found[tuple(scope.place("given", value, 4, rng) for value in "abc")] += 1
    assert set(found) == set(permutations(range(4), 3))
    assert chisquare(list(found.values())).pvalue > ALPHA


def test_one_value_has_one_place_under_one_label(rng: np.random.Generator) -> None:
    scope = MemoryScope()
    first = [scope.place("given", value, 1000, rng) for value in "abcabc"]
    assert first[:3] == first[3:]
    assert len(set(first)) == 3
    assert scope.place("family", "a", 1000, rng) != scope.place("given", "a", 1000, rng)


def test_a_memory_begins_anew_when_a_pool_is_used_up(rng: np.random.Generator) -> None:
    scope = MemoryScope()
    given = [scope.place("given", value, 3, rng) for value in "abcdefg"]
    assert set(given[:3]) == set(given[3:6]) == {0, 1, 2}
    assert given[:3] == [scope.place("given", value, 3, rng) for value in "abc"]
    fourths: Counter[int] = Counter()
    for _ in range(3_000):
        scope = MemoryScope()
        fourths[[scope.place("given", value, 3, rng) for value in "abcd"][3]] += 1
    assert chisquare([fourths[place] for place in range(3)]).pvalue > ALPHA


@pytest.mark.parametrize("same", [True, False])
def test_whether_values_apart_are_equal_shows_nowhere(rng: np.random.Generator, same: bool) -> None:
    """Places of two scopes are one injection of as many values as there are in both, whichever of them are equal."""
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(6_000):
        scope = MemoryScope()
        apart = ApartScope(scope)
        first = scope.place("given", "a", 4, rng)
        found[first, apart.place("given", "a" if same else "b", 4, rng), scope.place("given", "c", 4, rng)] += 1
    assert set(found) == set(permutations(range(4), 3))
    assert chisquare(list(found.values())).pvalue > ALPHA


def test_what_one_scope_has_is_taken_for_those_apart_from_it_also_when_it_is_read_again(
    rng: np.random.Generator,
) -> None:
    scope = MemoryScope()

    def drawn(within: ApartScope | MemoryScope, value: str) -> str:
        return agreed(within, "digits", value, rng, lambda source: str(source.integers(4)), distinct=True)

    apart = ApartScope(scope)
    told = [drawn(scope, "a"), drawn(apart, "a"), drawn(apart, "a")]
    assert told[0] != told[1] == told[2]
    data, scope = scope.to_data(), MemoryScope()
    scope.read(data)
    third = ApartScope(scope)
    assert drawn(scope, "a") == told[0] and len({*told, drawn(third, "a"), drawn(third.mention(), "a")}) == 4


def test_a_keyed_scope_is_a_function_of_its_secret(rng: np.random.Generator) -> None:
    first, again, other = KeyedScope(b"a" * 32), KeyedScope(b"a" * 32), KeyedScope(b"b" * 32)
    values = [str(value) for value in range(200)]
    places = [[scope.place("given", value, 10**6, rng) for value in values] for scope in (first, again, other)]
    assert places[0] == places[1]
    assert len(set(places[0]) & set(places[2])) < 5
    drawn = [scope.generator("age", "50", rng).integers(1 << 60) for scope in (first, again, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert first.generator("age", "51", rng).integers(1 << 60) != drawn[0]


def test_places_of_a_keyed_scope_are_uniform(rng: np.random.Generator) -> None:
    scope = KeyedScope(rng.bytes(32))
    counts = np.bincount([scope.place("given", str(value), 7, rng) for value in range(7_000)], minlength=7)
    assert chisquare(counts).pvalue > ALPHA


def test_a_secret_has_32_bytes() -> None:
    with pytest.raises(ParameterError, match="secret must be 32 bytes long; got 5"):
        KeyedScope(b"short")
