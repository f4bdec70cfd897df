"""What a cell really guarantees: the delta that stands beside every score."""

import math
from typing import NamedTuple

from textveil.privacy.guarantees import PureDP
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.noise.closed_form import audit_noise, delta_over_pairs
from textveil_lab.audit.report.verdict import Claim, Verdict
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.papers.truncated_laplace.limits import claimed_delta
from textveil_lab.papers.truncated_laplace.mechanisms import mechanism_of
from textveil_lab.papers.truncated_laplace.plan import RewritingCell
from textveil_lab.papers.truncated_laplace.ways import VALID_DELTA, ExperimentWay

PAIRS = 20_000  # Pairs of the run's words among which the largest delta is looked for


class TrueDelta(NamedTuple):
    """Beside a claimed epsilon."""

    claimed: float  # delta as the paper or the catalog claims it
    true: float  # the delta that two words of the run really have, the largest found
    why: str  # in a few words


_KNOWN: dict[tuple[RewritingCell, str], TrueDelta] = {}  # By cell and vocabulary, for the items of one run


def true_delta(cell: RewritingCell, vocabulary: Vocabulary) -> TrueDelta:
    """The delta of a cell with noise, for the released vector of one word."""
    key = (cell, vocabulary.digest)
    if key not in _KNOWN:
        _KNOWN[key] = _true_delta(cell, vocabulary)
    return _KNOWN[key]


def _true_delta(cell: RewritingCell, vocabulary: Vocabulary) -> TrueDelta:
    assert cell.mechanism is not None
    assert cell.epsilon is not None
    if cell.way is ExperimentWay.CODE:
        claimed = claimed_delta(cell.mechanism, cell.epsilon)
        return TrueDelta(claimed, 1.0, "one noise vector for all words of a batch, and clean words for the decoder")
    mechanism = mechanism_of(cell, vocabulary)
    if cell.way is ExperimentWay.VALID:
        pure = isinstance(mechanism.guarantee, PureDP)
        return TrueDelta(0.0, 0.0, "proved") if pure else TrueDelta(VALID_DELTA, VALID_DELTA, "proved: at most this")
    if cell.mechanism == "laplace":
        return TrueDelta(0.0, 0.0, "as claimed")
    assert isinstance(mechanism, PerturbProject)
    claimed = claimed_delta(cell.mechanism, cell.epsilon)
    if cell.mechanism == "gaussian":  # of the farthest two words, so of any two
        worst = audit_noise(mechanism, Claim(epsilon=cell.epsilon, log_delta=math.log(claimed)))
        if worst.verdict is Verdict.PROVED:
            return TrueDelta(claimed, claimed, "as claimed")
        return TrueDelta(claimed, worst.delta.upper, "the two words that are farthest apart")
    found = delta_over_pairs(mechanism, cell.epsilon, words=len(vocabulary), pairs=PAIRS)
    return TrueDelta(claimed, found.largest, f"the largest of {PAIRS:,} pairs of words")
