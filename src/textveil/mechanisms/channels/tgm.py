"""The truncated Gumbel mechanism, among all words and calibrated by its own channel: it has a least epsilon."""

from __future__ import annotations

from typing import Annotated, Final

from textveil.errors import need
from textveil.mechanisms.channels.integer_channel import IntegerChannel
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.options import GUARANTEE, POSITIVE, Option
from textveil.mechanisms.parameters import Clip
from textveil.mechanisms.sampling.gumbel_rows import STEEPEST, GumbelRows, ScaleSearch, least_weight, step_counts
from textveil.mechanisms.sampling.listed_rows import ComputedRows
from textveil.numerics.integer_weights import stated_epsilon
from textveil.privacy.guarantees import PureDP, Status
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary

PROOF: Final = "privacy/proofs/tgm.md"

_EPSILON = Option(
    POSITIVE,
    "Privacy loss in nats of one token, for any two words; the noise has a least one, by the vocabulary.",
    "E",
    GUARANTEE,
    unset="the least that the vocabulary allows",
)

_ROOM: Final = 1e-5  # Nats above the least loss of any scale from which on an epsilon is taken


@declared(
    family="channel",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source="after Xu, Feyisetan, Aggarwal, Xu and Teissier 2021 (FLAIRS), whose text was not available; "
    "privacy/proofs/tgm.md",
    summary="The word whose distance plus truncated Gumbel noise is the least of all; has a least epsilon.",
    shown_at={"epsilon": 20.0},  # it has a least one
)
def tgm(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, _EPSILON] | None = None,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> IntegerChannel:
    """Y = argmin over all words of d(x, y) + g_y, g_y Gumbel noise of scale b within [-D, D], D the diameter.

    Distances are rounded to steps of D / 256. The scale is the smallest at which no two words lose more than epsilon,
    found from the channel itself: every probability is computed, as a sum over the least sum, and drawn as an integer
    between two bounds whose ratio is e^epsilon, out of one total for all words. At a small scale far words are all but
    impossible, at a large one the least of many sums is a near word's for sure: so there is a least epsilon.
    Source: Xu et al. 2021 and public code, whose list of few nearest words is left out, as it has no guarantee
    (``tgm-published``); proof: privacy/proofs/tgm.md.

    Raises:
        ParameterError: epsilon is below the least of this vocabulary, or all words share one vector.
    """
    counted = step_counts(vocabulary, clip, progress)
    search = ScaleSearch(counted)
    loss, scale = search.least()
    domain = float(f"{loss + 2 * _ROOM:.7g}")
    asked = domain if epsilon is None else epsilon
    need(asked >= domain, "epsilon", asked, f"at least {domain:.7g} here, the domain of truncated Gumbel noise")
    spent = max(domain, min(asked, STEEPEST))
    scale = search.smallest(spent - _ROOM / 2, scale)
    least = least_weight(counted, scale, spent)
    facts = {"epsilon": asked, "least_epsilon": domain, "scale": scale, "limit": counted.diameter, "clip": clip}
    rows = GumbelRows(vocabulary, clip, counted.diameter, scale, spent, least)
    promise = PureDP(epsilon=stated_epsilon(spent, asked), status=Status.PROVED, source=PROOF)
    return IntegerChannel(vocabulary, "tgm", facts, promise, ComputedRows(len(vocabulary), rows))
