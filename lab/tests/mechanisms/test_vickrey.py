"""Vickrey: its exact channel on a line keeps the guarantee; the same without the input word does not."""

import math
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chisquare
from tests.helpers.exactness import worst_metric_loss
from tests.helpers.vocabularies import made_vocabulary

import textveil_lab
from textveil.catalog import mechanism
from textveil.errors import ParameterError, RefutedGuarantee
from textveil.privacy.guarantees import MetricDP, Status
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.additive.vickrey import NeighborChoice, Vickrey
from textveil_lab.mechanisms.capabilities import NoisyVectors
from textveil_lab.mechanisms.published.vickrey import drawn_witness
from textveil_lab.nearest.projection import nearest_few
from textveil_lab.noise.elliptical_laplace import EllipticalLaplace

ALPHA = 1e-6
PAGE = Path(textveil_lab.__file__).parent / "proofs/vickrey_published.md"
CHOICES = {"t = 0.75": NeighborChoice(0.75), "t = 0.25": NeighborChoice(0.25), "MLDP": NeighborChoice(0.75, (1.0, 0.0))}


def on_a_line(places: list[float]) -> Vocabulary:
    words = [f"w{chr(97 + i)}" for i in range(len(places))]
    return Vocabulary(words, np.array(places, dtype=np.float32)[:, None], "line")


def channel(places: list[float], rate: float, choice: NeighborChoice, *, without_input: bool) -> np.ndarray:
    """P(y | x) for words on a line, by integration between the points where the order of the words changes."""
    points = np.array(places)
    middles = np.unique((points[:, None] + points) / 2)
    edges = [points.min() - 60 / rate, *middles, points.max() + 60 / rate]
    rows = np.zeros((len(points), len(points)))
    for start, stop in pairwise(edges):
        order = np.argsort(np.abs(points - (start + stop) / 2), kind="stable")
        for word in range(len(points)):
            skip = int(without_input and order[0] == word)
            taken = order[skip : choice.count + skip]
            for place, output in enumerate(taken):

                def density(z: float, word: int = word, taken: np.ndarray = taken, place: int = place) -> float:
                    share = choice.shares(np.abs(points[taken] - z)[None])[0, place]
                    return rate / 2 * math.exp(-rate * abs(z - points[word])) * share

                rows[word, output] += quad(density, start, stop, epsabs=1e-13, epsrel=1e-10)[0]
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e-9)
    return rows


def loss_per_claim(places: list[float], rate: float, choice: NeighborChoice, *, without_input: bool) -> float:
    points = np.array(places)
    rows = channel(places, rate, choice, without_input=without_input)
    return worst_metric_loss(rows, rate * np.abs(points[:, None] - points))


@pytest.mark.parametrize("choice", [NeighborChoice(0.0), NeighborChoice(1.0), *CHOICES.values()])
def test_the_exact_channel_on_a_line_loses_the_rate_per_distance_and_no_more(choice: NeighborChoice) -> None:
    found = loss_per_claim([-1.0, -0.25, 0.5, 1.0], 1.5, choice, without_input=False)
    assert found == pytest.approx(1.0, abs=1e-6)


def test_draws_follow_the_exact_channel_and_the_published_mutant_is_noticed(rng) -> None:
    """Chi-square at alpha 1e-6; the mutant leaves the input word out."""
    places, draws = [0.0, 1.0, 2.0, 3.0, 4.0], 60_000
    line = on_a_line(places)
    ids = np.full(draws, 2)
    wanted = {
        name: channel(places, 1.0, NeighborChoice(0.75), without_input=name == "vickrey-published")[2] * draws
        for name in ("vickrey", "vickrey-published")
    }
    for name, other in (("vickrey", "vickrey-published"), ("vickrey-published", "vickrey")):
        made = mechanism(name, line, epsilon_per_distance=1.0)
        counts = np.bincount(made.privatize(ids, rng), minlength=5)  # type: ignore[union-attr]
        assert chisquare(counts, wanted[name] * counts.sum() / wanted[name].sum()).pvalue > ALPHA
        assert chisquare(counts, wanted[other] * counts.sum() / wanted[other].sum()).pvalue < ALPHA


@pytest.mark.slow
def test_the_published_form_loses_what_its_page_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| 1.00 \|$", text, re.MULTILINE)
    assert len(rows) == 4
    for rate, *printed in rows:
        for choice, value in zip(CHOICES.values(), printed, strict=True):
            found = loss_per_claim([0.0, 1.0, 2.0, 3.0, 4.0], float(rate), choice, without_input=True)
            assert found == pytest.approx(float(value), rel=5e-3)
            assert found > 1
    near = re.search(r"t = 0.75: ([\d.]+) at h = 1, ([\d.]+) at h = 0.1, ([\d.]+) at h = 0.01", text)
    assert near is not None
    for h, value in zip((1.0, 0.1, 0.01), near.groups(), strict=True):
        found = loss_per_claim([-2.0, 0.0, h, 2.0], 1.0, NeighborChoice(0.75), without_input=True)
        assert found == pytest.approx(float(value), rel=5e-3)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_the_noise_is_audited_in_closed_form_in_its_own_distance(tiny: Vocabulary, weight: float) -> None:
    found = mechanism("vickrey", tiny, epsilon=2.0, covariance_weight=weight)
    assert isinstance(found, Vickrey) and isinstance(found, NoisyVectors)
    assert isinstance(found.distribution, EllipticalLaplace) == (weight > 0)
    assert isinstance(found.guarantee, MetricDP)
    assert found.guarantee.metric.startswith("Mahalanobis" if weight else "euclidean")
    assert audit_noise(found).verdict is Verdict.PROVED
    assert audit_noise(found, Claim(epsilon=2.0 / 1.2)).verdict is Verdict.REFUTED


def test_the_published_form_is_refuted_by_sampling_and_for_release(tiny: Vocabulary) -> None:
    made = mechanism("vickrey-published", tiny, epsilon=0.5, t=0.25)
    assert not isinstance(made, NoisyVectors)
    assert audit_mechanism(made, seed=3, attacks=False).verdict is Verdict.REFUTED
    with pytest.raises(RefutedGuarantee, match="Use vickrey"):
        Sanitizer(made)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("options", [{"t": 0.75}, {"t": 0.25}, {"neighbor_rates": "1,0"}])
def test_the_status_of_the_published_form_is_that_of_the_vocabulary(rate: float, options: dict[str, object]) -> None:
    """The witness is a lower bound of the exact channel's loss; where no draw shows one, the claim stays a claim."""
    places = [0.0, 1.0, 2.0, 3.0, 4.0]
    made = mechanism("vickrey-published", on_a_line(places), epsilon_per_distance=rate, **options)
    assert made.guarantee.status is Status.REFUTED
    found = made.parameters["witness"]
    choice = NeighborChoice(float(options.get("t", 0.75)), (1.0, 0.0) if "neighbor_rates" in options else ())
    rows = channel(places, rate, choice, without_input=True)
    output, likely, other = ("abcde".index(found[key][-1]) for key in ("output", "likely", "other"))
    assert rate * abs(likely - other) < found["loss_at_least"]
    assert found["loss_at_least"] <= math.log(rows[likely, output] / rows[other, output])
    far = mechanism("vickrey-published", on_a_line([0.0, 1.0, 2.0]), epsilon_per_distance=40.0)
    assert far.guarantee.status is Status.CLAIMED and far.parameters["witness"] is None


def test_a_sound_draw_has_no_witness_and_a_leak_has_one() -> None:
    words, allowed = np.arange(4), np.full((4, 4), 1.0)

    def kept(share: float):
        return lambda ids, rng: np.where(rng.random(len(ids)) < share, ids, rng.integers(0, 4, len(ids)))

    edge = (math.e - 1) / (math.e + 3)  # randomized response at epsilon 1
    assert drawn_witness(kept(edge), words, allowed, draws=20_000) is None
    leak = drawn_witness(kept(edge + 0.1), words, allowed, draws=20_000)
    assert leak is not None and leak.output == leak.likely != leak.other and leak.loss_at_least > 1.0


def test_t_decides_between_the_nearest_and_the_second(rng) -> None:
    vocabulary = made_vocabulary(50)
    ids = np.arange(50)
    near = np.argsort(np.linalg.norm(vocabulary.vectors[:, None] - vocabulary.vectors, axis=2), axis=1)
    for t, rank in ((0.0, 0), (1.0, 1)):
        made = mechanism("vickrey", vocabulary, epsilon_per_distance=1e6, t=t)
        np.testing.assert_array_equal(made.privatize(ids, rng), near[:, rank])  # type: ignore[union-attr]
    three = mechanism("vickrey", vocabulary, epsilon_per_distance=1e6, neighbor_rates="0,1e9,1e9")
    np.testing.assert_array_equal(three.privatize(ids, rng), near[:, 0])  # type: ignore[union-attr]


def test_shares_are_the_formulas() -> None:
    distances = np.array([[1.0, 3.0], [0.0, 2.0], [2.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(NeighborChoice(0.75).shares(distances)[:, 0], [0.5, 1.0, 0.25, 0.25])
    np.testing.assert_allclose(NeighborChoice(1.0).shares(distances)[:, 0], 0.0)
    weights = np.exp(-np.array([0.5, 2.0, 0.0]) * [1.0, 1.5, 9.0])
    found = NeighborChoice(0.5, (0.5, 2.0, 0.0)).shares(np.array([[1.0, 1.5, 9.0]]))
    np.testing.assert_allclose(found[0], weights / weights.sum())


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_nearest_few_are_those_of_brute_force(rng, count: int) -> None:
    vectors = rng.normal(size=(200, 6)).astype(np.float32)
    vectors[7] = vectors[3]
    queries = np.concatenate([vectors[:20], rng.normal(size=(50, 6)).astype(np.float32)])
    ids, distances = nearest_few(vectors, queries, count)
    exact = np.linalg.norm(queries[:, None].astype(np.float64) - vectors, axis=2)
    np.testing.assert_allclose(distances, np.sort(exact, axis=1)[:, :count], rtol=1e-6, atol=1e-6)
    assert ids[3].tolist()[:2] == [3, 7][:count]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("vickrey", {"t": 1.5}, "t must be between 0 and 1; got 1.5"),
        ("vickrey", {"neighbor_rates": "1"}, "neighbor_rates must be two numbers >= 0 or more, with commas"),
        ("vickrey", {"neighbor_rates": "1,-1"}, "neighbor_rates must be two numbers >= 0 or more, with commas"),
        ("vickrey", {"neighbor_rates": "1,1,1,1"}, "neighbor_rates must be at most 3 numbers for 3 words; got 4"),
        ("vickrey-published", {"neighbor_rates": "1,1,1"}, "neighbor_rates must be at most 2 numbers for 3 words"),
        ("vickrey", {"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of `epsilon` or"),
    ],
)
def test_options_outside_their_domains(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(name, on_a_line([0.0, 1.0, 2.0]), **options)
