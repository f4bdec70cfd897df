"""How well one release of a vector or a set tells two inputs apart, for ``textveil explain``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from textveil.catalog import guarantee_of
from textveil.errors import UnsupportedGuarantee, need
from textveil.mechanisms.kinds import SetMechanism, VectorMechanism
from textveil.privacy.guarantees import Guarantee, Status
from textveil.randomness import is_secure, resolve
from textveil.statistics import Bound, clopper_pearson
from textveil_lab.mechanisms.capabilities import LikelihoodRatio, WorstInputs, released, shown_input

_CONFIDENCE: Final = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseExplanation:
    """Contents of a release, and what the best reader makes of it."""

    mechanism: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee
    releases: str
    inputs: tuple[str, str]  # the two that are easiest to tell apart, in words
    told_apart: Bound  # how often the best reader names the right one of the two, each as likely
    limit: float | None  # the most that the guarantee allows any reader, where it is not refuted
    samples: int  # draws made
    secure: bool

    def to_data(self) -> dict[str, Any]:
        """Return the explanation as JSON data."""
        return {
            "mechanism": {"name": self.mechanism, "parameters": dict(self.parameters)},
            "guarantee": self.guarantee.to_data(),
            "releases": self.releases,
            "inputs": list(self.inputs),
            "told_apart": self.told_apart._asdict(),
            "limit": self.limit,
            "method": "sampled",
            "samples": self.samples,
            "randomness": "operating system" if self.secure else "seeded",
        }

    def summary(self) -> str:
        """Return the explanation for a reader."""
        share = self.told_apart
        allowed = "" if self.limit is None else f"; the guarantee allows {self.limit:.4g}"
        return "\n".join(
            [
                f"mechanism    {self.mechanism}",
                f"guarantee    {self.guarantee} [{self.guarantee.status.shown}]",
                f"compares     {self.guarantee.adjacency}",
                f"releases     {self.releases}",
                f"told apart   {self.inputs[0]!r} and {self.inputs[1]!r}, by the best reader, in a share of "
                f"{share.estimate:.4g}  [{share.lower:.4g}, {share.upper:.4g}] of {self.samples} draws{allowed}",
            ]
        )


def explain_release(
    mechanism: VectorMechanism | SetMechanism, *, samples: int = 20_000, rng: np.random.Generator | None = None
) -> ReleaseExplanation:
    """Measure how well one release tells apart the two inputs that differ most, by its likelihood.

    ``mechanism``: one that knows its worst inputs and its law, as all of the catalog do; ``samples``: draws, half for
    each of the two inputs. Raises ParameterError: fewer than two samples; UnsupportedGuarantee: the mechanism does not
    know its law.
    """
    need(samples >= 2, "samples", samples, ">= 2")
    if not (isinstance(mechanism, WorstInputs) and isinstance(mechanism, LikelihoodRatio)):
        raise UnsupportedGuarantee(
            f"an explanation needs a mechanism that knows its worst inputs and its law; got {mechanism.name}. Audit it."
        )
    pair, source, each = mechanism.worst_inputs(), resolve(rng), samples // 2
    right = 0.0
    for worst_input, sign in zip(pair, (1, -1), strict=True):
        ratios = sign * mechanism.log_ratio(*pair, released(mechanism, worst_input, each, source))
        right += np.count_nonzero(ratios > 0) + np.count_nonzero(ratios == 0) / 2
    promise = guarantee_of(mechanism)
    return ReleaseExplanation(
        mechanism=mechanism.name,
        parameters=mechanism.parameters,
        guarantee=promise,
        releases=_what(mechanism),
        inputs=(shown_input(mechanism, pair[0]), shown_input(mechanism, pair[1])),
        told_apart=clopper_pearson(round(right), 2 * each, _CONFIDENCE),
        limit=None if promise.status is Status.REFUTED or not promise.promises else _limit(promise),
        samples=2 * each,
        secure=is_secure(rng),
    )


def _limit(promise: Guarantee) -> float:
    """(e^epsilon + delta) / (1 + e^epsilon): half of what one and the other error must leave."""
    most = promise.approximate()
    return min(1.0, (1 + most.delta * math.exp(-most.epsilon)) / (1 + math.exp(-most.epsilon)))


def _what(mechanism: VectorMechanism | SetMechanism) -> str:
    if isinstance(mechanism, VectorMechanism):
        return f"a vector of {mechanism.released_dim:,} numbers for one of {mechanism.dim:,}; no text"
    members = mechanism.privatize_sets(np.zeros(1, dtype=np.int64)).shape[1]
    return f"a set of {members:,} of {len(mechanism.vocabulary):,} words for each word; no text"
