"""CMP as its paper has it, and with approximate search: the noise is one, the search another."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.privacy.guarantees import MetricDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.nearest import nearest
from textveil_lab.nearest.approximate_forest import ApproximateForest, approximate_forest
from textveil_lab.noise.spherical_laplace import SphericalLaplace

NAMES = ("cmp", "cmp-approximate")


def made(name: str, vocabulary: Vocabulary, **options: float | None) -> PerturbProject:
    found = mechanism(name, vocabulary, **options)
    assert isinstance(found, PerturbProject)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_vectors_are_not_clipped_and_the_guarantee_is_that_of_the_raw_distance(tiny: Vocabulary, name: str) -> None:
    found = made(name, tiny, epsilon=3.0)
    guarantee = found.guarantee
    assert isinstance(guarantee, MetricDP)
    assert isinstance(found.distribution, SphericalLaplace)
    widest = pdist(tiny.vectors.astype(np.float64)).max()
    assert found.distribution.rate * widest <= guarantee.pure().epsilon <= 3.0
    assert guarantee.metric == "euclidean"
    np.testing.assert_array_equal(found.points, tiny.vectors)
    assert audit_noise(found).verdict is Verdict.PROVED
    assert audit_noise(found, Claim(epsilon=2.5)).verdict is Verdict.REFUTED


def test_at_the_papers_rate_it_draws_what_spherical_laplace_draws(tiny: Vocabulary) -> None:
    ids = np.arange(40)
    same = made("spherical-laplace", tiny, epsilon_per_distance=2.0, clip=None)
    drawn = [
        one.privatize(ids, np.random.default_rng(4)) for one in (made("cmp", tiny, epsilon_per_distance=2.0), same)
    ]
    np.testing.assert_array_equal(*drawn)


def test_approximate_search_changes_the_outputs_and_not_the_noise() -> None:
    vocabulary = made_vocabulary(3000, 24)
    near, exact = (made(name, vocabulary, epsilon_per_distance=6.0) for name in ("cmp-approximate", "cmp"))
    assert isinstance(near.projection, ApproximateForest)
    assert near.guarantee == exact.guarantee
    ids = np.arange(600)
    found, best = (one.privatize(ids, np.random.default_rng(5)) for one in (near, exact))
    assert 0.2 < float(np.mean(found == best)) < 0.999
    assert near.name == "cmp-approximate"


def test_audits_that_know_the_output_refuse_approximate_search(tiny: Vocabulary) -> None:
    with pytest.raises(UnsupportedGuarantee, match="exact search"):
        audit_mechanism(made("cmp-approximate", tiny, epsilon=3.0))


def test_a_forest_is_a_function_of_its_rows_alone() -> None:
    """What was asked before, and what else is asked at once, changes no answer."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2000, 16)).astype(np.float32)
    queries = rng.normal(size=(300, 16)).astype(np.float32)
    first, second = approximate_forest(vectors), approximate_forest(vectors)
    first(queries[::-1])
    together = first(queries)
    alone = np.concatenate([second(query[None]) for query in queries])
    np.testing.assert_array_equal(together, alone)
    assert float(np.mean(together == nearest(vectors, "numpy")(queries))) > 0.3
    np.testing.assert_array_equal(first(vectors), np.arange(2000))  # a row comes to its own leaf


@pytest.mark.parametrize("name", NAMES)
def test_both_ways_to_say_how_much_are_refused(tiny: Vocabulary, name: str) -> None:
    with pytest.raises(ParameterError, match="exactly one of `epsilon` or `epsilon_per_distance`"):
        mechanism(name, tiny, epsilon=1.0, epsilon_per_distance=1.0)
    with pytest.raises(ParameterError, match="epsilon_per_distance must be finite and > 0"):
        mechanism(name, tiny, epsilon_per_distance=-1.0)
