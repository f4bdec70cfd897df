"""What a release will cost is known before any of it is drawn, and is what the release then says."""

import copy
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import textveil as tv
from textveil.errors import InputError, ParameterError, RandomnessError
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil.sanitize.release import Report, Tally
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.scopes import ApartScope, MemoryScope

TEXTS = [
    "Maria Gonzalez, 44, was seen on 3 March 2024; call 617-555-0133. Maria came back on 5 March 2024.",
    "",
    "... 17 and 1234 5678",
    "Will the xqzzyv of Boston pay $ 300? Maria Gonzalez, 44, may.",
]
DOCUMENT = PureDP(epsilon=1.5, status=Status.PROVED, adjacency=ANY_DOCUMENT)
NAMED = ["all-words", "content-words", "identifiers", "clinical", "prompts"]


@dataclass
class Paraphrase:
    """Draws a text of two words, whatever it is given."""

    guarantee: Guarantee = DOCUMENT
    name: str = "paraphrase"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator) -> list[str]:
        return [f"word {rng.integers(100)}" for _ in texts]


def _policy(name: str) -> Callable[[Any], Sanitizer]:
    return lambda rng: Sanitizer(tv.policy(name), rng=rng)


CASES: dict[str, Callable[[Any], Sanitizer]] = {
    **{name: _policy(name) for name in NAMED},
    "mechanism": lambda rng: Sanitizer(tv.mechanism("randomized-response", tv.load_vocabulary(), epsilon=8.0), rng=rng),
    "whole texts": lambda rng: Sanitizer(Paraphrase(), rng=rng),
}


@pytest.mark.parametrize("case", CASES)
def test_the_cost_is_known_and_the_draws_are_those_of_a_batch(case: str) -> None:
    sanitizer, twin = CASES[case](seeded_generator(7)), CASES[case](seeded_generator(7))
    prepared = sanitizer.prepare(TEXTS)
    before = prepared.accountant
    releases = prepared.release()
    assert [one.text for one in releases] == [one.text for one in twin.batch(TEXTS, spans=False)]
    assert prepared.counts == tuple(one.kinds for one in releases)
    tally = Tally()
    tally.add_document(releases)
    document = Report(setting=sanitizer.setting, tally=tally).to_data()["guarantee"]["per_document"]
    assert (document["epsilon"], document["text"]) == (before.spent.to_data()["epsilon"], str(before.spent))
    assert prepared.accountant == before
    alone = sanitizer.prepare(TEXTS[:1])
    assert alone.accountant.spent == alone.release()[0].guarantee
    parts = [prepared.cost(place, place + 1).spent for place in range(len(TEXTS))]
    assert parts == [one.guarantee for one in releases]
    if case != "identifiers":
        assert before.spent.to_data()["epsilon"] > 0


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_drawn_before_it_is_asked_for(case: str) -> None:
    rng = seeded_generator(3)
    state = rng.bit_generator.state
    prepared = CASES[case](rng).prepare(TEXTS)
    assert prepared.accountant.draws
    assert str(rng.bit_generator.state) == str(state)
    prepared.release()
    assert str(rng.bit_generator.state) != str(state)


def test_a_release_is_drawn_once_even_when_many_ask_at_once() -> None:
    prepared = Sanitizer(tv.policy("identifiers")).prepare(TEXTS)

    def ask(_: int) -> int:
        try:
            return len(prepared.release())
        except RandomnessError as error:
            assert "Prepare them again" in str(error)
            return 0

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(ask, range(8))) == [0] * 7 + [len(TEXTS)]


def test_scopes_and_maps_are_as_in_a_batch() -> None:
    sanitizer, scope = Sanitizer(tv.policy("prompts")), MemoryScope()
    first = sanitizer.prepare(["Ask Maria Gonzalez."], scopes=[scope]).release()[0]
    second = sanitizer.prepare(["Maria Gonzalez was asked."], scopes=[scope]).release()[0]
    assert first.text.removeprefix("Ask ").removesuffix(".") == second.text.removesuffix(" was asked.")
    assert first.private_map is not None and tv.restore(first.text, first.private_map) == "Ask Maria Gonzalez."
    assert sanitizer.prepare(["Ask Maria Gonzalez."], maps=False).release()[0].private_map is None
    words = CASES["mechanism"](None)
    assert words.prepare(["one word"]).release()[0].spans == ()
    assert len(words.prepare(["one word"], spans=True).release()[0].spans) == 3


def test_where_each_mention_has_a_scope_each_mention_pays() -> None:
    """Dates of one scope move together and pay once; here each moves by itself."""
    sanitizer, text = Sanitizer(tv.policy("prompts")), "Maria Gonzalez, Maria Gonzalez: 4 May 2020. Then 4 May 2020."
    one = sanitizer.prepare([text], scopes=[ApartScope(MemoryScope())])
    each = sanitizer.prepare([text], scopes=[ApartScope(MemoryScope(), by_mention=True)])
    assert (one.counts[0]["date"], each.counts[0]["date"]) == (1, 2)
    assert (one.spent.approximate().epsilon, each.spent.approximate().epsilon) == (1.0, 2.0)
    names = each.release()[0].text.partition(":")[0].split(", ")
    assert names[0] != names[1], "they never take one place of the pool"
    names = one.release()[0].text.partition(":")[0].split(", ")
    assert names[0] == names[1]


def test_what_is_no_text_is_refused_before_anything_is_drawn() -> None:
    sanitizer = Sanitizer(tv.policy("identifiers"))
    with pytest.raises(InputError, match="document 2 must be a str; got int"):
        sanitizer.prepare(["a", 5])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="scopes must be one for each of 2 texts; got 1"):
        sanitizer.prepare(["a", "b"], scopes=[MemoryScope()])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_prepared_texts_are_not_copied_since_a_copy_would_draw_again_for_one_payment(copied: Any) -> None:
    with pytest.raises(RandomnessError, match="a copy is not paid"):
        copied(Sanitizer(tv.policy("identifiers")).prepare(TEXTS))
