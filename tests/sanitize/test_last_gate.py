"""The last gate of a release: texts that moved and draws that return their input are refused, and nothing else is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.attacks import loaded_attack

import textveil.sanitize.ways as outside
from textveil.errors import InternalError
from textveil.randomness import seeded_generator
from textveil.sanitize.by_policy import _HIGHEST_EPSILON, ALPHA, _pairs, check_draws, check_outside, neighbor
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.drawn import Drawn, proved
from textveil.surrogates.making import make_surrogate, surrogate_entries
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

TEXT = "Yesterday Maria Gonzalez called about the invoice."
PRESETS = ("identifiers", "clinical", "prompts")


def moved(stretches: Sequence[str], drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """A text put together one character off."""
    text, places = _joined(stretches, drawn)
    return text, [(start + 1, end + 1) for start, end in places]


_joined = outside.joined


@pytest.mark.parametrize("preset", PRESETS)
def test_every_way_of_release_passes_the_gate(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sanitizer = Sanitizer(policy(preset))
    monkeypatch.setattr(outside, "joined", moved)
    ways: list[Any] = [
        lambda: sanitizer(TEXT),
        lambda: sanitizer.batch(["Nothing.", TEXT]),
        lambda: list(sanitizer.stream([TEXT])),
        lambda: sanitizer.conversation()(TEXT),
        lambda: sanitizer.prepare([TEXT]).release(),
    ]
    for way in ways:
        with pytest.raises(InternalError, match="outside of spans") as error:
            way()
        assert "Maria" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("released", "places"),
    [
        ("Yesterday Ana Lind called about the invoice. ", [(10, 18)]),
        ("Yesterday Ana Lind called about the  invoice.", [(10, 18)]),
        ("Yesterday Ana Lindz called about the invoice.", [(10, 18)]),
        ("Yesterday Maria Lind called about the invoice.", [(16, 20)]),
        ("Yesterday Ana Lind called about the invoice.", []),
        ("Yesterday Ana Lind called about the invoice.", [(10, 18), (18, 19)]),
        ("Yesterday Ana Lind called about the invoice.", [(10, 60)]),
    ],
)
@pytest.mark.parametrize("normalized", [False, True])
def test_another_text_outside_of_spans_is_refused(
    released: str, places: list[tuple[int, int]], normalized: bool
) -> None:
    with pytest.raises(InternalError):
        check_outside(TEXT, [(10, 24)], released, places, normalized=normalized)
    check_outside(TEXT, [(10, 24)], "Yesterday Ana Lind called about the invoice.", [(10, 18)], normalized=normalized)


def test_marks_in_plain_form_pass_where_the_policy_has_them_so() -> None:
    text, released = "Maria\u2019s  \u201chat\u201d", 'Ana\'s "hat"'
    check_outside(text, [(0, 5)], released, [(0, 3)], normalized=True)
    with pytest.raises(InternalError):
        check_outside(text, [(0, 5)], released, [(0, 3)], normalized=False)


def drawing(surrogate_of: Any, epsilon: float = 0.0) -> Drawn:
    """A surrogate that claims ``epsilon``, and that gets its values as they are written."""
    guarantee = proved(epsilon, "x.md")
    return Drawn(name="own", parameters={}, guarantee=guarantee, public=(), surrogate_of=surrogate_of, of_pool=True)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("value", ["\uff15 mg", "747 kg", "\u0665", "\xb2", "Maria Gonzalez"])
def test_a_draw_that_returns_its_input_is_refused(value: str, epsilon: float) -> None:
    copies = drawing(lambda value, scope, rng: value, epsilon)
    with pytest.raises(InternalError, match="returns as they are") as error:
        check_draws(copies, [Mention("other"), Mention(value)], ["x", value], copies.draw)
    assert value not in str(error.value)


def test_a_constant_is_no_copy() -> None:
    constant = drawing(lambda value, scope, rng: "[PERSON]")
    check_draws(constant, [Mention("[PERSON]")], ["[PERSON]"], constant.draw)


def test_few_values_and_high_epsilons_are_no_copies() -> None:
    """Two values of one form, at each epsilon: alpha is 1e-12 for each of 3,000 checks."""
    for epsilon in (0.0, 1.0, _HIGHEST_EPSILON):
        keep = float(1 / (1 + np.exp(-epsilon)))

        def one_of_two(value: str, scope: object, rng: np.random.Generator, keep: float = keep) -> str:
            return value if rng.random() < keep else neighbor(value)

        surrogate = drawing(one_of_two, epsilon)
        for _ in range(200):
            check_draws(surrogate, [Mention("1")] * 5, ["1"] * 5, surrogate.draw)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0, _HIGHEST_EPSILON])
def test_a_law_is_refused_with_probability_alpha_at_most(epsilon: float) -> None:
    """The largest product of P(x | x) and P(y | y) that epsilon-DP allows, over a grid of channels of x and y."""
    ratio = np.exp(epsilon)
    a, b = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 1, 401))
    private = (a <= ratio * (1 - b)) & (b <= ratio * (1 - a)) & (1 - a <= ratio * b) & (1 - b <= ratio * a)
    assert float((a * b)[private].max()) ** _pairs(epsilon) <= ALPHA * (1 + 1e-9)


def test_what_a_surrogate_states_as_public_stays() -> None:
    surrogate = make_surrogate("measurement")
    for mention in (
        Mention("3", "see page "),
        Mention("COVID-19"),
        Mention("2."),
        Mention("stage IIIA"),
        Mention("24/7"),
    ):
        check_draws(surrogate, [mention], [mention.value], surrogate.draw)


def test_no_surrogate_returns_its_input() -> None:
    """Each surrogate on the values that an attack finds, as if each had come out as it was."""
    with pytest.MonkeyPatch.context() as patch:
        positions = loaded_attack("positions", patch)
    finder = Sanitizer(policy("identifiers"))._way._finder  # type: ignore[attr-defined]
    values: dict[str, set[Mention]] = {}
    for text, spans in zip(positions.EXAMPLES, finder.found(positions.EXAMPLES), strict=True):
        for span in spans:
            mention = Mention(text[span.start : span.end], text[max(0, span.start - 24) : span.start])
            values.setdefault(span.kind, set()).add(mention)
    rng = seeded_generator(1)
    tried = 0
    for name, entry in surrogate_entries().items():
        for epsilon in (0.0, 1.0) if entry.takes_epsilon and not entry.needs_epsilon else (0.0,):
            if entry.needs_epsilon:
                continue
            surrogate = make_surrogate(name, epsilon, entry.sample)
            for kind in entry.kinds or values:
                for mention in values.get(kind, ()):
                    draw = surrogate.of_text([mention]) if isinstance(surrogate, Drawn) else surrogate.draw
                    assert isinstance(draw([mention], MemoryScope(), rng)[0], str)
                    check_draws(surrogate, [mention], [mention.value], draw)
                    tried += 1
    assert tried > 200


@given(st.text(max_size=12))
@settings(derandomize=True, max_examples=300)
def test_a_neighbor_has_other_digits_or_letters_alone(value: str) -> None:
    other = neighbor(value)
    assert len(other) == len(value)
    for old, new in zip(value, other, strict=True):
        assert old == new or (old.isnumeric() and new.isnumeric()) or (old.isascii() and old.isalpha())


def test_digits_of_another_writing_are_drawn_or_refused() -> None:
    with pytest.MonkeyPatch.context() as patch:
        positions = loaded_attack("positions", patch)
    texts = list(positions.measured())[::13]
    assert positions.digits_that_stay(texts, Sanitizer(policy("identifiers"))).stay == 0
