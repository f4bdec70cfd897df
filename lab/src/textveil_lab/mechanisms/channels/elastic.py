"""Exponential mechanism on an elastic metric: distances stretch until every ball holds a required mass."""

from dataclasses import replace
from typing import Annotated, Any, Final
from weakref import WeakKeyDictionary

from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, Prior
from textveil.registry.options import FRACTION, NEIGHBORHOODS, Option, at_least
from textveil.types import Progress
from textveil.vocabulary.facts import FLAT, WordFrequencies, given_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.metric_exponential import MetricExponential, on_metric
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, one_of
from textveil_lab.vocabulary.metrics.elastic import ElasticMetric, elastic_metric

PROOF: Final = "textveil_lab/proofs/elastic.md"
_WORDS: Final = 16  # words of a flat prior that the usual mass within distance 1 is that of
_PRIOR: Final = replace(Prior.__metadata__[0], unset="")  # type: ignore[attr-defined]
"""Option of other mechanisms, with a default of its own."""

_METRICS: WeakKeyDictionary[Vocabulary, dict[tuple[str, float, int], ElasticMetric]] = WeakKeyDictionary()

_MASS = Option(
    FRACTION,
    "Share of the prior that must lie within distance 1 of every word; within l, l^2 times that.",
    "M",
    NEIGHBORHOODS,
    unset="that of 16 words, or of a sixteenth of fewer than 256",
)
_LEVELS = Option(at_least(2), "The largest distance of the elastic metric.", "L", NEIGHBORHOODS)


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="Chatzikokolakis, Palamidessi and Stronati 2015 (elastic distinguishability metrics)",
    summary="Weights that fall with a distance which stretches until every ball holds a required mass.",
)
def elastic(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    mass: Annotated[float, _MASS] | None = None,
    levels: Annotated[int, _LEVELS] = 3,
    prior: Annotated[str, _PRIOR] | NDArray[Any] = FLAT,
    progress: Progress | None = None,
) -> MetricExponential:
    """P(y | x) = w(d(x, y)) / Z(x) on the shortest-path metric in which a ball of radius l holds the mass l^2 ``mass``.

    The metric replaces a Euclidean one, under which a rare word far from all others would be alone in its ball. A
    word's ball of radius 1 holds the share ``mass`` of the prior.

    With ``epsilon``, the normalizers of all words take their part of it, and the weights the rest. ``prior`` may also
    be numbers > 0, one for each word.

    Raises:
        ParameterError: neither or both of the first two, an option outside its domain, more mass than the 1,024 nearest
            words of some word hold, or a prior with zeros or of another length.
        InputError: the file of counts cannot be read.
    """
    need(prior is not None, "prior", "None", "a name, a file or numbers")
    asked = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    n = len(vocabulary)
    frequencies = given_frequencies(vocabulary, prior)
    usual = min(_WORDS, max(1, n // _WORDS)) / n if mass is None else mass
    need(usual * (levels - 1) ** 2 <= 1, "levels", levels, f"at most {1 + int(usual**-0.5)} for this mass")
    metric = _metric(vocabulary, frequencies, usual, levels, progress)
    sizes = {"mass": usual, "levels": levels, "prior": frequencies.source}
    return on_metric(vocabulary, metric, asked, sizes, verified=True, proof=PROOF, name="elastic", progress=progress)


def _metric(
    vocabulary: Vocabulary, frequencies: WordFrequencies, mass: float, levels: int, progress: Progress | None
) -> ElasticMetric:
    kept = _METRICS.setdefault(vocabulary, {})
    key = (frequencies.digest, mass, levels)
    if key not in kept:
        share = frequencies.counts / float(frequencies.counts.sum())
        kept[key] = elastic_metric(vocabulary, share, mass, levels, progress)
    return kept[key]
