"""DP-BART: the exact delta at the farthest codes, the law of the noise, what is refused, and a model that learned."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm
from tests.helpers import tiny_models
from tests.helpers.catalog import needed

import textveil as tv
from textveil.errors import InputError, ParameterError, RefutedGuarantee
from textveil.mechanisms.kinds import TextMechanism
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import seeded_generator
from textveil_lab.audit.report.report import Subject, Verdict
from textveil_lab.mechanisms.capabilities import NoisyTextCodes
from textveil_lab.mechanisms.document.noisy_codes import NoisyCodes
from textveil_lab.models.encoder_decoder import EncoderDecoder
from textveil_lab.noise.gaussian import Gaussian

ALPHA = 1e-6


def made(tiny: Any, name: str = "dp-bart", **options: Any) -> NoisyCodes:
    found = tv.mechanism(name, tiny, **{**needed(name), "epsilon": 10.0, "length": 6, "long_texts": "cut", **options})
    assert isinstance(found, NoisyCodes)
    return found


@dataclass
class Watched:
    """A coder whose codes are the numbers that stand in a text, and that keeps the noisy codes that it is given."""

    dim: int
    facts: dict[str, Any] = field(default_factory=dict)
    length: int = 6
    pieces: str = "tokens"
    seen: list[Any] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> Any:
        return np.array([np.full(self.dim, float(text)) for text in texts])

    def sizes(self, texts: Sequence[str]) -> Any:
        return np.array([len(text) for text in texts], dtype=np.int64)

    def write(self, codes: Any) -> list[str]:
        self.seen.append(codes.copy())
        return ["" for _ in codes]


def test_it_promises_something_of_any_two_documents(tiny) -> None:
    mechanism = made(tiny)
    assert isinstance(mechanism, TextMechanism) and isinstance(mechanism, NoisyTextCodes)
    assert mechanism.guarantee.adjacency is ANY_DOCUMENT and mechanism.guarantee.status is Status.PROVED
    release = tv.Sanitizer(mechanism, rng=seeded_generator(1))("Maria has 2 cats.")
    assert str(release.guarantee).endswith("(10, 1e-05)-DP")


@pytest.mark.parametrize("epsilon", [0.3, 10.0, 250.0])
def test_two_opposite_corners_cost_the_claimed_delta_and_no_more(tiny, epsilon: float) -> None:
    """The noise is the least for the sensitivity 2 C sqrt(length width); a per-token sensitivity would be refused."""
    mechanism = made(tiny, epsilon=epsilon)
    dim, sigma = mechanism.coder.dim, mechanism.parameters["sigma"]
    assert dim == 6 * 16
    corners = mechanism.bound(np.array([np.full(dim, 9.0), np.full(dim, -9.0)]))
    profile = mechanism.distribution.privacy_profile(corners[0] - corners[1])
    delta = math.exp(profile.log_delta(epsilon).upper)
    assert 1e-5 * (1 - 1e-2) < delta <= 1e-5
    assert gaussian_delta(epsilon, sigma / math.sqrt(6), 0.2 * math.sqrt(dim)) > 1e-5


def test_codes_are_clamped_whatever_the_model_gives(tiny) -> None:
    mechanism = replace(made(tiny), coder=Watched(96))
    codes = mechanism.codes(["0.05", "7", "-1e300", "nan", "inf"])
    assert codes[:, 0].tolist() == [0.05, 0.1, -0.1, 0.0, 0.0]


def noise(mechanism: NoisyCodes, count: int) -> Any:
    """What is added to codes of 0, shape (count, places, width)."""
    coder = Watched(mechanism.coder.dim)
    replace(mechanism, coder=coder).privatize_texts(["0"] * count, seeded_generator(5))
    return np.concatenate(coder.seen).reshape(count, 6, -1)


def p_value(sample: Any, sigma: float) -> float:
    """Of the sum of squares, under N(0, sigma^2)."""
    statistic = float(np.square(sample / sigma).sum())
    return 2 * min(chi2.cdf(statistic, sample.size), chi2.sf(statistic, sample.size))


def p_value_of_places(sample: Any, sigma: float) -> float:
    """Of the sum of products of neighboring places, which are independent."""
    products = sample[:, 1:] * sample[:, :-1] / sigma**2
    return float(2 * norm.sf(abs(products.sum()) / math.sqrt(products.size)))


def test_the_noise_has_its_law_and_is_fresh_at_every_place_of_every_text(tiny) -> None:
    """Alpha 1e-6; noise that is 5 percent smaller, or one vector for all places or texts, is told apart."""
    mechanism = made(tiny)
    sigma = mechanism.parameters["sigma"]
    sample = noise(mechanism, 400)
    assert p_value(sample, sigma) > ALPHA
    assert p_value_of_places(sample, sigma) > ALPHA
    assert p_value_of_places(np.swapaxes(sample, 0, 1), sigma) > ALPHA
    smaller = replace(mechanism, distribution=Gaussian(dim=96, sigma=0.95 * sigma))
    assert p_value(noise(smaller, 400), sigma) < ALPHA
    assert p_value_of_places(np.repeat(sample[:, :1], 6, axis=1), sigma) < ALPHA


def test_the_audit_proves_it_and_refutes_the_published_form_with_two_texts(tiny) -> None:
    sound = tv.audit(made(tiny, epsilon=250.0))
    assert sound.verdict is Verdict.PROVED and sound.subject is Subject.NOISY_CODE
    assert "and with it the text, is (250, 1e-05)-DP, proved" in sound.sentence()
    published = made(tiny, "dp-bart-published", epsilon=250.0)
    found = tv.audit(published)
    assert found.verdict is Verdict.REFUTED
    first, second = published.codes(found.leading.witness["pair"])
    profile = published.distribution.privacy_profile(first - second)
    assert found.leading.delta.lower == pytest.approx(math.exp(profile.log_delta(250.0).lower))
    assert found.leading.delta.lower > 1e-5
    assert "for the documents" in found.sentence() and "Of the released text that says nothing" in found.sentence()
    with pytest.raises(RefutedGuarantee, match="Use dp-bart, the valid form"):
        tv.Sanitizer(published)


def test_the_published_form_states_what_is_known_of_it(tiny) -> None:
    """At epsilon 1 it is private; at 10 the corners of the cube exceed the claim, and no texts of this model do."""
    statuses = [made(tiny, "dp-bart-published", epsilon=one).guarantee.status for one in (1.0, 10.0, 250.0)]
    assert statuses == [Status.PROVED, Status.CLAIMED, Status.REFUTED]
    sigma = made(tiny, "dp-bart-published", epsilon=250.0).parameters["sigma"]
    assert sigma == pytest.approx(0.2 * math.sqrt(96) * math.sqrt(2 * math.log(1.25e5)) / 250)


def test_bad_options_are_refused_with_what_is_admissible(tiny, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be <= 1 for the classical .*delta here: 0\.59\); got 50"):
        made(tiny, epsilon=50.0, calibration="classical")
    assert (
        made(tiny, epsilon=1.0, calibration="classical").parameters["sigma"]
        > made(tiny, epsilon=1.0).parameters["sigma"]
    )
    with pytest.raises(ParameterError, match=r"^length must be from 1 to 60, the tokens that"):
        made(tiny, length=61)
    with pytest.raises(ParameterError, match=r"^model must be the folder of a model; got"):
        made(tiny, model=str(tmp_path / "none"))
    with pytest.raises(ParameterError, match=r"^`model` must be given for dp-bart"):
        tv.mechanism("dp-bart", tiny, epsilon=1.0)
    with pytest.raises(InputError, match=r"^document 2 must be a str; got int"):
        made(tiny).privatize_texts(["one", 2])  # type: ignore[list-item]


def test_pruned_coordinates_are_left_out_of_codes_noise_and_texts(tiny, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "pruned.txt"
    path.write_text("3 0\n15", encoding="utf-8")
    whole, pruned = made(tiny), made(tiny, pruned=str(path))
    assert pruned.coder.dim == 6 * 13
    assert pruned.parameters["sigma"] == pytest.approx(whole.parameters["sigma"] * math.sqrt(13 / 16))
    kept = [one for one in range(16) if one not in (0, 3, 15)]
    states = whole.coder.encode(["a cat"]).reshape(6, 16)
    assert (pruned.coder.encode(["a cat"]).reshape(6, 13) == states[:, kept]).all()
    seen: list[Any] = []
    monkeypatch.setattr(
        EncoderDecoder, "written", lambda self, states, beams: seen.append(states) or ["" for _ in states]
    )
    pruned.privatize_texts(["a cat"], seeded_generator(1))
    assert not seen[0][:, :, [0, 3, 15]].any() and seen[0][:, :, kept].all()
    for text, message in (
        ("16", r"from 0 to 15 of the states"),
        ("1 1", "different coordinates"),
        ("x", "whole numbers"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ParameterError, match=rf"^pruned must be .*{message}"):
            made(tiny, pruned=str(path))
    path.write_text(" ".join(map(str, range(16))), encoding="utf-8")
    with pytest.raises(ParameterError, match="not all of them"):
        made(tiny, pruned=str(path))


@pytest.mark.parametrize("name", ["dp-bart", "dp-bart-published"])
def test_a_longer_text_is_refused_before_any_draw_or_cut_where_that_is_asked_for(tiny, name: str) -> None:
    """Six tokens of a model over bytes: two marks and four bytes."""
    refusing = made(tiny, name, long_texts="refuse")
    assert refusing.parameters["long_texts"] == "refuse"
    assert len(refusing.privatize_texts(["", "abcd"], seeded_generator(1))) == 2
    generator = seeded_generator(1)
    with pytest.raises(InputError) as caught:
        refusing.privatize_texts(["abcd", "secret"], generator)
    assert str(caught.value) == (
        f"document 2 must have between 0 and 6 tokens, what {name} reads of one; got a longer one. "
        "Split it, or use `long_texts='cut'`."
    )
    assert generator.bit_generator.state == seeded_generator(1).bit_generator.state
    cutting = made(tiny, name)
    assert (cutting.codes(["secret"]) == cutting.codes(["secrets"])).all()
    assert len(cutting.privatize_texts(["secrets"], seeded_generator(1))) == 1


def test_audits_take_texts_that_are_not_refused(tiny) -> None:
    published = made(tiny, "dp-bart-published", epsilon=250.0, length=12, long_texts="refuse")
    assert published.takes(published.parameters["witness"]).all()
    assert published.takes(tv.audit(published).leading.witness["pair"]).all()


def test_a_length_that_no_text_fits_is_refused(tiny) -> None:
    with pytest.raises(ParameterError, match=r"^length must be above 2, the marks around each text; got 2"):
        made(tiny, length=2, long_texts="refuse")
    assert made(tiny, length=2).coder.dim == 2 * 16


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models.needed("torch", "transformers", extra="transformers")
    return tiny_models.copying_bart(tmp_path_factory.mktemp("learned"))


@pytest.mark.slow
def test_a_model_that_learned_to_copy_copies_at_a_large_epsilon_alone(tiny, learned: Path) -> None:
    texts = ["maria lives in rome", "rome lives with maria", "a b c"]
    clear = made(tiny, model=str(learned), epsilon=1e6, length=7, clip_value=4.0, beams=1)
    assert clear.privatize_texts(texts, seeded_generator(1)) == texts
    hidden = made(tiny, model=str(learned), epsilon=1.0, length=7, clip_value=4.0, beams=1)
    said = hidden.privatize_texts([texts[0]] * 20, seeded_generator(1))
    assert texts[0] not in said and len(set(said)) > 5
