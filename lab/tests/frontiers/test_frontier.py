"""The frontier: calibration to what is verified, scores beside their laws, limits, resumption, bad input."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.errors import ParameterError, UnknownNameError
from textveil.statistics import Bound, clopper_pearson
from textveil_lab.audit.attacks import bayes_vulnerability
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.frontiers import comparison
from textveil_lab.frontiers.calibrated import SLACK, calibrated
from textveil_lab.frontiers.limits import cosine_limit, hub_share, limits_of, near_limit, told_apart_limit
from textveil_lab.frontiers.measures import NEAR, UNCHANGED, VULNERABILITY, WORDS_BY_SURFACE
from textveil_lab.frontiers.measuring import FrontierCell, slug
from textveil_lab.frontiers.points import contender_of
from textveil_lab.frontiers.study import Sizes, shown_epsilon, study_of, text_pairs, word_pairs, words_apart
from textveil_lab.frontiers.word_scores import vulnerability, word_scores

ALPHA = 1e-6
SMALL = Sizes(draws=400, neighbors=5, pairs=200, texts=50, noisy=20)
WORDS = made_vocabulary(40)


@pytest.fixture(scope="module")
def study():
    return study_of(WORDS, prior="zipf", sizes=Sizes(draws=4000, neighbors=5, pairs=4000, texts=100, noisy=40), seed=3)


@pytest.mark.parametrize("name", ["randomized-response", "exponential", "spherical-laplace", "gaussian"])
def test_what_is_verified_reaches_the_target_and_never_exceeds_it(name):
    made = calibrated(contender_of(name), WORDS, 3.0, 1e-5)
    assert made.verified in ("certified", "proved")
    assert 3.0 * (1 - SLACK) <= made.epsilon <= 3.0


def test_a_channel_that_spends_less_is_given_more():
    plain = tv.mechanism("exponential", WORDS, epsilon=3.0)
    assert audit_mechanism(plain, attacks=False).leading.epsilon.upper < 3.0 * (1 - SLACK)
    assert calibrated(contender_of("exponential"), WORDS, 3.0, 1e-5).given > 3.0


def _kept(epsilon: float) -> float:
    return math.exp(epsilon) / (math.exp(epsilon) + len(WORDS) - 1)


def test_the_share_unchanged_has_its_law(study):
    """Randomized response keeps a word with e^eps / (e^eps + n - 1); a tenth more epsilon is told from it."""
    drawn = tv.mechanism("randomized-response", WORDS, epsilon=3.0)
    share = word_scores(study, drawn, np.random.default_rng(1))[UNCHANGED].estimate
    count = round(share * study.sizes.draws)
    assert binomtest(count, study.sizes.draws, _kept(3.0)).pvalue > ALPHA
    assert binomtest(count, study.sizes.draws, _kept(3.0 * 1.1)).pvalue < ALPHA


def test_words_told_apart_have_their_law(study):
    """A reader by surface is right where the word stays, and half of the time where neither reappears."""
    drawn = tv.mechanism("randomized-response", WORDS, epsilon=3.0)
    share = words_apart(study, drawn, np.random.default_rng(1))[WORDS_BY_SURFACE].estimate
    kept, other = _kept(3.0), _kept(3.0) * math.exp(-3.0)
    count = round(share * study.sizes.pairs)
    assert binomtest(count, study.sizes.pairs, kept + (1 - kept - other) / 2).pvalue > ALPHA
    assert binomtest(count, study.sizes.pairs, kept + (1 - kept) / 2 + 0.05).pvalue < ALPHA


def test_pairs_differ_and_neither_side_is_preferred(study):
    first, second = word_pairs(study)
    assert (first != second).all()
    ahead = int((first < second).sum())
    assert binomtest(ahead, len(first)).pvalue > ALPHA
    one, other = text_pairs(study)
    assert one.shape == other.shape and (one != other).any()


def test_vulnerability_by_columns_is_the_exact_one(study):
    mechanism = tv.mechanism("neighborhood", WORDS, epsilon=2.0, prior="zipf")
    exact = bayes_vulnerability(mechanism, study.prior).success.estimate
    found = vulnerability(study, mechanism, np.random.default_rng(0))
    assert found.estimate == pytest.approx(exact, rel=1e-9)


def test_the_attacker_of_a_noisy_vector_is_never_below_the_one_who_guesses_the_output(study):
    mechanism = tv.mechanism("spherical-laplace", WORDS, epsilon=30.0)
    stays = word_scores(study, mechanism, np.random.default_rng(2))[UNCHANGED]
    known = vulnerability(study, mechanism, np.random.default_rng(2))
    assert known.upper >= stays.lower


def test_no_channel_exceeds_a_limit_and_randomized_response_attains_one(study):
    flat = study_of(WORDS, prior="flat", sizes=SMALL)
    for epsilon in (0.5, 2.0, 5.0):
        limits = {one.measure: one.value for one in limits_of(study, epsilon)}
        for name in ("randomized-response", "neighborhood", "exponential"):
            channel = tv.mechanism(name, WORDS, epsilon=epsilon)
            rows = np.array([channel.probabilities(word) for word in range(len(WORDS))])
            assert study.prior @ np.diag(rows) <= limits[UNCHANGED]
            assert study.prior @ np.take_along_axis(rows, study.near, axis=1).sum(axis=1) <= limits[NEAR]
            assert bayes_vulnerability(rows, study.prior).success.estimate <= limits[VULNERABILITY]
        response = tv.mechanism("randomized-response", WORDS, epsilon=epsilon)
        most = {one.measure: one.value for one in limits_of(flat, epsilon)}[UNCHANGED]
        assert response.probabilities(0)[0] == pytest.approx(most, rel=1e-9)


def test_the_limit_of_near_outputs_is_attained_where_sets_are_apart():
    """Two groups of two words, S(x) the group: randomized response between groups has the limit at hub 1/2."""
    for epsilon in (0.3, 1.0, 4.0):
        best = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert near_limit(0.5, epsilon) == pytest.approx(best, rel=1e-9) == told_apart_limit(epsilon)
        assert near_limit(0.5, epsilon, 0.01) >= best
    assert told_apart_limit(1.0, 0.1) == pytest.approx((math.e + 0.1) / (1 + math.e))


def test_the_hub_is_the_output_near_to_most(study):
    mass = [sum(study.prior[x] for x in range(len(WORDS)) if y in study.near[x]) for y in range(len(WORDS))]
    assert hub_share(study) == pytest.approx(max(mass), rel=1e-6)


def test_a_shown_loss_is_that_of_the_lower_end():
    assert shown_epsilon(Bound(0.4, 0.5, 0.6, 0.95)) == 0.0
    assert shown_epsilon(Bound(0.75, 0.8, 0.85, 0.95)) == pytest.approx(math.log(3))
    assert shown_epsilon(clopper_pearson(1000, 1000, 0.95)) < math.inf


def test_a_frontier_holds_every_point_with_what_is_verified_of_it(tmp_path):
    found = tv.frontier(["randomized-response", "gaussian-classical"], WORDS, epsilons=[1, 3], sizes=SMALL)
    assert [(one.contender.label, one.epsilon, bool(one.missing)) for one in found.points] == [
        ("randomized-response", 1.0, False),
        ("randomized-response", 3.0, False),
        ("gaussian-classical", 1.0, False),
        ("gaussian-classical", 3.0, True),
    ]
    assert "epsilon must be in (0, 1]" in found.points[-1].missing
    assert {one.delta for one in found.limits} == {0.0, 1e-5}
    assert found.facts["for release"] is False
    rows = found.table().rows
    assert len([row for row in rows if row[0] == "randomized-response"]) == 2 * len(found.measured)


def test_a_stopped_run_goes_on_and_others_are_refused(tmp_path, monkeypatch):
    options = {"epsilons": [1.0], "sizes": SMALL, "cells": tmp_path / "cells"}
    first = tv.frontier(["randomized-response"], WORDS, **options)

    def never(study, cell: FrontierCell):
        raise AssertionError(cell.name)

    monkeypatch.setattr(comparison, "measured_cell", never)
    again = tv.frontier(["randomized-response"], WORDS, **options)
    assert again.table() == first.table()
    with pytest.raises(ParameterError, match="`cells` must be a folder of cells measured under this setting"):
        tv.frontier(["randomized-response"], WORDS, **options, seed=5)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "names must be one or more, each once; got 0"),
        (["exponential", "exponential"], "names must be one or more, each once; got 2"),
        ("exponential", "names must be a list of names; got one str"),
        (
            ["truncated-laplace-published"],
            "whose guarantee holds; got truncated-laplace-published, whose claim is refuted",
        ),
        (["keywords"], "names must be mechanisms that draw for each word alone; got keywords"),
        (["exponential:epsilon=3"], "without epsilon, which is varied"),
        (["exponential:clip"], "written as name:option=value"),
        (["exponential:clip=-1"], "clip must be finite and > 0"),
        (["exponential:clip=long"], "clip must be finite and > 0, or None; got another text"),
        (["exponential:alpha=1"], "got `alpha`"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(names, message):
    with pytest.raises(ParameterError) as caught:
        tv.frontier(names, WORDS, epsilons=[1.0], sizes=SMALL)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_other_bad_input():
    with pytest.raises(UnknownNameError, match="Did you mean 'exponential'"):
        tv.frontier(["exponental"], WORDS)
    for epsilons in ([], [1.0, 1.0], [0.0], [math.inf]):
        with pytest.raises(ParameterError, match="epsilons must be"):
            tv.frontier(["exponential"], WORDS, epsilons=epsilons)
    with pytest.raises(ParameterError, match="neighbors must be below the 40 words"):
        tv.frontier(["exponential"], WORDS, epsilons=[1.0])
    with pytest.raises(ParameterError, match="draws must be >= 2"):
        Sizes(draws=1)


def test_labels_have_files_of_their_own():
    names = {slug(one) for one in ("exponential", "exponential:clip=1", "exponential:clip-1", "Exponential")}
    assert len(names) == 4 and all("/" not in one and ":" not in one for one in names)
    assert contender_of("exponential:clip=none").options == {"clip": None}


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_no_channel_is_above_the_limit_of_the_cosine_and_the_optimal_one_is_near_it(study, epsilon):
    """Exact mean cosines, of channels and of the optimal mechanism."""
    limit = cosine_limit(study, epsilon)
    cosines = np.clip(study.units.astype(np.float64) @ study.units.T, -1, 1)
    np.fill_diagonal(cosines, 1.0)
    found = {}
    for name in ("randomized-response", "neighborhood", "exponential", "optimal"):
        options = {"prior": "zipf"} if name in ("neighborhood", "optimal") else {}
        channel = tv.mechanism(name, WORDS, epsilon=epsilon, **options)
        rows = np.array([channel.probabilities(word) for word in range(len(WORDS))])
        found[name] = float(study.prior @ (rows * cosines).sum(axis=1))
    assert max(found.values()) <= limit + 1e-6
    assert limit - found["optimal"] < 0.02
    assert cosine_limit(study, 50.0) == 1.0
