"""ADePT and DP-Rewrite: the table of sensitivities, the exact law of a network of one coordinate, what is refused."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.trained_networks import WORDS, network_folder

import textveil as tv
from textveil.errors import InputError, ModelError, ParameterError, RefutedGuarantee
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.document.noisy_codes import NoisyCodes

ALPHA = 1e-6
COORDINATES = 6


def made(tiny: Any, name: str = "dp-rewrite", **options: Any) -> NoisyCodes:
    found = tv.mechanism(
        name, tiny, **{"network": str(network_folder()), "epsilon": 2.0, "long_texts": "cut", **options}
    )
    assert isinstance(found, NoisyCodes)
    return found


@pytest.mark.parametrize(
    ("options", "farthest"),
    [
        ({"clipping_norm": "l1"}, [3.0] + [0.0] * 5),
        ({"clipping_norm": "l2"}, [3.0 / math.sqrt(6)] * 6),
        ({"clipping_norm": "l1", "dp_mechanism": "gaussian"}, [3.0] + [0.0] * 5),
        ({"clipping_norm": "l2", "dp_mechanism": "gaussian"}, [3.0 / math.sqrt(6)] * 6),
    ],
)
def test_the_two_farthest_codes_cost_what_is_stated_and_no_more(tiny, options: Any, farthest: list[float]) -> None:
    mechanism = made(tiny, clipping_constant=3.0, **options)
    corners = mechanism.bound(100 * np.array([farthest, [-one for one in farthest]]))
    np.testing.assert_allclose(corners[0], farthest, rtol=1e-12)
    profile = mechanism.distribution.privacy_profile(corners[0] - corners[1])
    assert mechanism.guarantee.adjacency is ANY_DOCUMENT and mechanism.guarantee.status is Status.PROVED
    if isinstance(mechanism.guarantee, PureDP):
        assert 2.0 * (1 - 1e-5) < profile.largest_loss <= 2.0
    else:
        assert 1e-5 * (1 - 1e-2) < math.exp(profile.log_delta(2.0).upper) <= 1e-5


def test_adept_has_the_corrected_sensitivity(tiny) -> None:
    scale = made(tiny, "adept", clipping_constant=3.0).parameters["scale"]
    assert scale == pytest.approx(2 * 3.0 * math.sqrt(COORDINATES) / 2.0, rel=1e-5)
    published = made(tiny, "adept-published", clipping_constant=3.0)
    assert published.parameters["scale"] == pytest.approx(2 * 3.0 / 2.0)
    assert published.guarantee.status is Status.REFUTED
    one, other = published.codes(published.parameters["witness"])
    assert np.abs(one - other).sum() > 2 * 3.0
    with pytest.raises(RefutedGuarantee, match="Use adept, the valid form"):
        tv.Sanitizer(published)


def test_audits_are_exact(tiny) -> None:
    for options in ({}, {"dp_mechanism": "gaussian"}, {"clipping_norm": "l1"}):
        assert tv.audit(made(tiny, **options)).verdict is Verdict.PROVED
    found = tv.audit(made(tiny, "adept-published"))
    assert found.verdict is Verdict.REFUTED and found.leading.epsilon.lower > 2.0
    assert len(set(found.leading.witness["pair"])) == 2


def line(tiny: Any, **options: Any) -> NoisyCodes:
    """A mechanism over a network whose codes have one coordinate, and which says one of three words."""
    folder = network_folder(words=3, code=1, length=1, epochs=30)
    return made(tiny, "adept", network=str(folder), clipping_constant=4.0, **options)


def law_on(mechanism: NoisyCodes, text: str) -> dict[str, float]:
    """The distribution of the released text: the Laplace mass of the intervals on which the decoder says one word."""
    scale = mechanism.parameters["scale"]
    (center,) = mechanism.codes([text])[:, 0].tolist()
    grid = np.linspace(-20 * scale, 20 * scale, 24_001)
    said = mechanism.coder.write(grid[:, None])
    distances = (grid + (grid[1] - grid[0]) / 2 - center) / scale
    below = np.where(distances < 0, 0.5 * np.exp(-np.abs(distances)), 1 - 0.5 * np.exp(-np.abs(distances)))
    masses = np.diff(np.concatenate([[0.0], below[:-1], [1.0]]))
    return {word: float(masses[[one == word for one in said]].sum()) for word in sorted(set(said))}


def test_no_released_text_tells_two_documents_apart_by_more_than_epsilon(tiny) -> None:
    """All documents of a network of three words of length one: its words, and nothing."""
    mechanism = line(tiny)
    laws = [law_on(mechanism, text) for text in (*WORDS[:3], "")]
    assert len(laws[0]) == 3
    for word in laws[0]:
        chances = [law[word] for law in laws]
        assert max(chances) <= min(chances) * math.exp(2.0) * (1 + 1e-9)
    assert max(law["rome"] for law in laws) > 2 * min(law["rome"] for law in laws)


def p_value(mechanism: NoisyCodes, law: dict[str, float], text: str) -> float:
    count = 6_000
    drawn = mechanism.privatize_texts([text] * count, seeded_generator(3))
    return float(chisquare([drawn.count(word) for word in law], [count * one for one in law.values()]).pvalue)


def test_draws_follow_the_exact_law(tiny) -> None:
    """Alpha 1e-6; noise of half the scale, and the law of another document, are told apart."""
    mechanism = line(tiny)
    law = law_on(mechanism, "rome")
    assert p_value(mechanism, law, "rome") > ALPHA
    assert p_value(line(tiny, epsilon=4.0), law, "rome") < ALPHA
    assert p_value(mechanism, law, "lives") < ALPHA


def test_a_network_that_learned_copies_at_a_large_epsilon_alone(tiny) -> None:
    texts = ["maria rome", "lives", "Sits, the."]
    clear = made(tiny, "adept", epsilon=1e5, clipping_constant=10.0)
    assert clear.privatize_texts(texts, seeded_generator(1)) == ["maria rome", "lives", "sits the"]
    hidden = made(tiny, "adept", epsilon=0.1).privatize_texts([texts[0]] * 50, seeded_generator(1))
    assert len(set(hidden)) > 5 and hidden.count(texts[0]) < 25


def test_a_code_is_a_function_of_its_text_alone_and_of_its_first_words(tiny) -> None:
    mechanism = made(tiny)
    texts = ["maria", "rome sits", "", "17 !?", "cat dog " * 90]
    together = mechanism.codes(texts)
    for row, text in enumerate(texts):
        assert (mechanism.codes([text])[0] == together[row]).all()
    assert (mechanism.codes(["maria. Rome"]) == mechanism.codes(["maria rome, the cat"])).all()
    assert not together[2].any() and not together[3].any()
    again = pickle.loads(pickle.dumps(mechanism))
    assert (again.codes(texts) == together).all()


@pytest.mark.parametrize("name", ["dp-rewrite", "adept", "adept-published"])
def test_a_text_of_more_words_than_the_network_reads_is_refused(tiny, name: str) -> None:
    refusing = made(tiny, name, long_texts="refuse")
    length = refusing.coder.length
    fits = "maria! 17 " * length
    assert len(refusing.privatize_texts([fits], seeded_generator(1))) == 1
    with pytest.raises(InputError, match=rf"^document 1 must have between 0 and {length} words, what {name} reads"):
        refusing.privatize_texts([fits + "maria"], seeded_generator(1))


def test_bad_options_are_refused_with_what_is_admissible(tiny, tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"^delta must be left out for Laplace noise, which is pure DP; got 0\.001"
    ):
        made(tiny, delta=1e-3)
    with pytest.raises(ParameterError, match=r"^clipping_norm must be l1 or l2; got 'l3'"):
        made(tiny, clipping_norm="l3")
    with pytest.raises(
        ParameterError, match=r"^network must be the folder of a trained network; got .*textveil rewrite"
    ):
        made(tiny, network=str(tmp_path / "none"))
    with pytest.raises(ModelError, match="must hold a network with its words; got none"):
        made(tiny, network=str(tmp_path))
    with pytest.raises(InputError, match=r"^document 1 must be a str; got NoneType"):
        made(tiny).privatize_texts([None])  # type: ignore[list-item]
